//! Saved media, waves, fronts and trackers: an accepted one is written and read again, and goes on
//! as its copy does, with the same bits.

use ndarray::{Ix2, Ix3};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wave_core::{Front, Medium, Real, Space, Wave};
use wave_track::Tracker;

/// `[units: cells]` Larger ones are read, not stepped.
const MANY: usize = 1 << 12;
/// `[units: pursuers]` Likewise.
const CROWD: usize = 64;

/// A medium, a wave or a front in JSON.
///
/// # Panics
/// Where something is found.
pub fn waves(data: &[u8]) {
    on::<Ix2>(data);
    on::<Ix3>(data);
}

/// A tracker in JSON.
///
/// # Panics
/// Where something is found.
pub fn trackers(data: &[u8]) {
    tracker::<Ix2>(data);
    tracker::<Ix3>(data);
}

fn on<D: Space>(data: &[u8])
where
    Medium<D>: Serialize + DeserializeOwned,
    Front<D>: Serialize + DeserializeOwned,
    Wave<D, f32>: Serialize + DeserializeOwned,
    Wave<D, f64>: Serialize + DeserializeOwned,
{
    if let Some([a, b]) = twice::<Medium<D>>(data) {
        assert_eq!(a.walls(), b.walls());
        assert_eq!(a.revision(), b.revision());
    }
    if let Some([mut a, mut b]) = twice::<Front<D>>(data) {
        assert_eq!(a.state_hash(), b.state_hash());
        if let Some(medium) = open::<D>(&size_in(data)) {
            for _ in 0..3 {
                assert_eq!(a.step(&medium, 2).ok(), b.step(&medium, 2).ok());
                assert_eq!(a.state_hash(), b.state_hash());
            }
        }
    }
    of::<D, f32>(data);
    of::<D, f64>(data);
}

fn of<D: Space, S: Real>(data: &[u8])
where
    Wave<D, S>: Serialize + DeserializeOwned,
{
    if let Some([mut a, mut b]) = twice::<Wave<D, S>>(data) {
        assert_eq!(a.state_hash(), b.state_hash());
        let medium = open::<D>(&size_in(data));
        for _ in 0..3 {
            let Some(medium) = &medium else { break };
            assert_eq!(a.step(medium, 2).ok(), b.step(medium, 2).ok());
            assert_eq!(a.state_hash(), b.state_hash());
        }
    }
}

fn tracker<D: Space>(data: &[u8])
where
    Tracker<D>: Serialize + DeserializeOwned,
{
    let Some([mut a, mut b]) = twice::<Tracker<D>>(data) else { return };
    assert_eq!(a.state_hash(), b.state_hash());
    let cells: usize = D::to_size(a.medium().shape()).iter().product();
    if cells > MANY || a.pursuers().len() > CROWD {
        return;
    }
    for _ in 0..3 {
        assert_eq!(a.step().is_ok(), b.step().is_ok());
        let time = a.medium().dt();
        assert_eq!(a.frame(time, 500).ok(), b.frame(time, 500).ok());
        assert_eq!(a.state_hash(), b.state_hash());
    }
}

/// The value that is read, and its copy.
fn twice<T: Serialize + DeserializeOwned>(data: &[u8]) -> Option<[T; 2]> {
    let read: T = serde_json::from_slice(data).ok()?;
    let text = serde_json::to_string(&read).expect("it can be written");
    Some([read, serde_json::from_str(&text).expect("what was written is read")])
}

/// The size that a state claims.
fn size_in(data: &[u8]) -> Vec<usize> {
    let value: serde_json::Value = serde_json::from_slice(data).unwrap_or_default();
    serde_json::from_value(value["size"].clone()).unwrap_or_default()
}

/// An open medium of a size `[z, y, x]`.
fn open<D: Space>(size: &[usize]) -> Option<Medium<D>> {
    let size: [usize; 3] = size.try_into().ok()?;
    let few = size.iter().try_fold(1usize, |n, &s| n.checked_mul(s)).is_some_and(|n| n <= MANY);
    let fits = D::to_size(D::from_zyx(size)) == size;
    (few && fits).then(|| Medium::builder(D::from_zyx(size)).build().ok()).flatten()
}
