//! Calls of a tracker: no pursuer stands in a wall; a copy that was saved on the way goes on with
//! the same bits; and in the end only pursuers that no way joins to a target are told so.

use arbitrary::{Arbitrary, Unstructured};
use ndarray::{Array, Ix2, Ix3};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wave_core::{Medium, Space};
use wave_track::{Method, PursuerId, PursuerState, Tracker, TrackerConfig};

/// `[units: cells]` The longest side.
const SIDE: u8 = 9;
/// `[units: calls]` The longest sequence.
const CALLS: usize = 48;

#[derive(Debug, Arbitrary)]
struct Play {
    deep: bool,
    /// x, y, z.
    size: [u8; 3],
    walls: Vec<u8>,
    method: u8,
    slowed: bool,
    calls: Vec<Call>,
}

#[derive(Debug, Arbitrary)]
enum Call {
    Target(u16),
    Targets(u16, u16),
    Clear,
    Add(u16, u8),
    Remove(u8),
    Teleport(u8, u16),
    Wall(u16, bool),
    Speed(u16, u8),
    Step,
    Frame(u16),
    /// From here on a copy that was written and read goes along.
    Save,
}

/// A tracker and its calls.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    let [x, y, z] = play.size.map(|n| usize::from(n % SIDE) + 1);
    if play.deep {
        follow::<Ix3>(&play, [z.min(4), y, x]);
    } else {
        follow::<Ix2>(&play, [1, y, x]);
    }
}

struct Room<D: Space> {
    size: [usize; 3],
    tracker: Tracker<D>,
    twin: Option<Tracker<D>>,
}

impl<D: Space> Room<D> {
    /// The cell of this number, `[z, y, x]`.
    fn cell(&self, number: u16) -> [usize; 3] {
        let [depth, height, width] = self.size;
        let i = usize::from(number) % (depth * height * width);
        [i / width / height, i / width % height, i % width]
    }

    fn place(&self, number: u16) -> D::Point {
        let [z, y, x] = self.cell(number);
        D::from_xyz([x, y, z].map(|c| c as f64))
    }

    fn id(&self, number: u8) -> Option<PursuerId> {
        let pursuers = self.tracker.pursuers();
        pursuers.get(usize::from(number) % pursuers.len().max(1)).map(wave_track::Pursuer::id)
    }

    /// Calls the tracker and its twin; both say the same.
    fn call<T: PartialEq + std::fmt::Debug>(&mut self, call: impl Fn(&mut Tracker<D>) -> T) -> T {
        let said = call(&mut self.tracker);
        if let Some(twin) = &mut self.twin {
            assert_eq!(call(twin), said);
        }
        said
    }
}

fn follow<D: Space>(play: &Play, size: [usize; 3])
where
    Tracker<D>: Serialize + DeserializeOwned,
{
    let mut i = 0;
    let walls = Array::from_shape_simple_fn(D::shape(D::from_zyx(size)), || {
        i += 1;
        play.walls.get((i - 1) / 8).is_some_and(|byte| byte >> ((i - 1) % 8) & 1 == 1)
    });
    let Ok(medium) = Medium::<D>::builder(D::from_zyx(size)).walls(&walls).build() else { return };
    let config = match play.method % 4 {
        0 => TrackerConfig::default(),
        1 => TrackerConfig { method: Method::PerEmission, ..TrackerConfig::default() },
        2 => TrackerConfig::watanabe(),
        _ => TrackerConfig::kumagai(),
    };
    let narrow_from = if play.method % 8 < 4 { u64::MAX } else { 0 };
    let config = TrackerConfig { areas_slow_pursuers: play.slowed, narrow_from, ..config };
    let tracker = Tracker::new(medium, config).expect("the settings are sound");
    let mut room = Room { size, tracker, twin: None };
    for call in play.calls.iter().take(CALLS) {
        match *call {
            Call::Target(at) => {
                let place = room.place(at);
                room.call(|t| t.set_target(place).is_ok());
            }
            Call::Targets(a, b) => {
                let places = [room.place(a), room.place(b)];
                room.call(|t| t.set_targets(places).is_ok());
            }
            Call::Clear => room.call(Tracker::clear_target),
            Call::Add(at, speed) if room.tracker.pursuers().len() < 12 => {
                let (place, speed) = (room.place(at), f64::from(speed) / 100.0);
                room.call(|t| t.add_pursuer(place, speed).ok());
            }
            Call::Remove(which) => {
                if let Some(id) = room.id(which) {
                    room.call(|t| t.remove_pursuer(id).is_ok());
                }
            }
            Call::Teleport(which, at) => {
                let place = room.place(at);
                if let Some(id) = room.id(which) {
                    room.call(|t| t.teleport(id, place).is_ok());
                }
            }
            Call::Wall(at, wall) => {
                let cell = D::from_zyx(room.cell(at));
                room.call(|t| t.set_wall(cell, wall).is_ok());
            }
            Call::Speed(at, percent) => {
                let (cell, speed) = (D::from_zyx(room.cell(at)), f64::from(percent) / 100.0);
                room.call(|t| t.set_wave_speed(cell, speed).is_ok());
            }
            Call::Step => room.call(|t| t.step().expect("waves run")),
            Call::Frame(updates) => {
                room.call(|t| t.frame(0.7, updates.into()).expect("the time is sound"));
            }
            Call::Save => room.twin = Some(copy(&room.tracker)),
            Call::Add(..) => {}
        }
        nobody_stands_in_a_wall(&room.tracker);
        if let Some(twin) = &room.twin {
            assert_eq!(twin.state_hash(), room.tracker.state_hash(), "{call:?}");
        }
    }
    settles(&mut room);
}

fn copy<D: Space>(tracker: &Tracker<D>) -> Tracker<D>
where
    Tracker<D>: Serialize + DeserializeOwned,
{
    let text = serde_json::to_string(tracker).expect("it can be written");
    serde_json::from_str(&text).expect("what was written is read")
}

fn nobody_stands_in_a_wall<D: Space>(tracker: &Tracker<D>) {
    let places = tracker.pursuers().iter().map(wave_track::Pursuer::position);
    for place in places.chain(tracker.targets()) {
        let cell = tracker.medium().cell_at(place).expect("it is on the grid");
        assert!(!tracker.medium().is_wall(cell), "{:?}", D::to_xyz(place));
    }
}

/// After a while, a pursuer that has a way to a target is not told that it has none, and a pursuer
/// without a way has not arrived.
fn settles<D: Space>(room: &mut Room<D>) {
    let cells: usize = room.size.iter().product();
    for _ in 0..(12 * cells).min(1200) {
        room.tracker.step().expect("waves run");
    }
    nobody_stands_in_a_wall(&room.tracker);
    let tracker = &room.tracker;
    let medium = tracker.medium();
    let free = |cell: [usize; 3]| {
        cell.iter().zip(room.size).all(|(c, n)| *c < n) && !medium.is_wall(D::from_zyx(cell))
    };
    let cell_of = |place| D::to_zyx(medium.cell_at(place).expect("it is on the grid"));
    let mut joined: Vec<[usize; 3]> = tracker.targets().map(cell_of).collect();
    let mut next = 0;
    while let Some(&cell) = joined.get(next) {
        next += 1;
        for axis in 0..3 {
            for way in [1, -1] {
                let mut beside = cell;
                // Below 0 it is also outside.
                beside[axis] = cell[axis].wrapping_add_signed(way);
                if free(beside) && !joined.contains(&beside) {
                    joined.push(beside);
                }
            }
        }
    }
    for pursuer in tracker.pursuers() {
        let is_joined = joined.contains(&cell_of(pursuer.position()));
        let contrary =
            if is_joined { PursuerState::TargetUnreachable } else { PursuerState::Arrived };
        assert_ne!(pursuer.state(), contrary, "{pursuer:?}");
    }
}
