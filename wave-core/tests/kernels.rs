//! Small waves, fronts and fields through every kernel: the bits of the scalar one. Small enough
//! for Miri, which then sees every unsafe block (`.ci/miri`).

use ndarray::{Array, Ix2, Ix3};
use wave_core::{ArrivalField, Front, Medium, Real, Simd, Source, Space, Wave};

/// Every seventh cell is a wall. Every fifth has the speed `slow`, if there is one.
fn medium<D: Space, S: Real>(size: D::Cell, slow: Option<f64>) -> Medium<D> {
    let mut cell = 0;
    let walls = Array::from_shape_simple_fn(D::shape(size), || {
        cell += 1;
        cell % 7 == 3
    });
    let speeds = Array::from_shape_simple_fn(D::shape(size), || {
        cell += 1;
        S::from_f64(if cell % 5 == 0 { slow.unwrap_or(1.0) } else { 1.0 })
    });
    let builder = Medium::builder(size).walls(&walls);
    // One speed has kernels of its own.
    if slow.is_some() { builder.speeds(&speeds).build() } else { builder.build() }.unwrap()
}

fn every_set_agrees<D: Space, S: Real>(size: D::Cell, source: D::Cell) {
    // Under Miri only the harder of the two.
    for slow in if cfg!(miri) { &[Some(0.5)][..] } else { &[None, Some(0.5)] } {
        let medium = medium::<D, S>(size, *slow);
        let hashes = Simd::available().map(|simd| {
            let mut wave = Wave::<_, S>::typed(&medium).unwrap();
            wave.set_simd(simd).unwrap();
            wave.emit(&medium, source, Source::Impulse { amplitude: 1.0 }).unwrap();
            wave.emit(&medium, source, Source::Pulse { amplitude: 0.5, steps: 2 }).unwrap();
            wave.step(&medium, 1).unwrap();
            wave.step(&medium, if cfg!(miri) { 2 } else { 4 }).unwrap();
            wave.state_hash()
        });
        let hashes: Vec<_> = hashes.collect();
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
    }
}

#[test]
fn flat_waves_have_the_same_bits() {
    every_set_agrees::<Ix2, f32>([5, 19], [2, 10]);
    every_set_agrees::<Ix2, f64>([5, 19], [2, 10]);
}

#[test]
fn deep_waves_have_the_same_bits() {
    every_set_agrees::<Ix3, f32>([3, 4, 18], [1, 2, 9]);
    every_set_agrees::<Ix3, f64>([3, 4, 18], [1, 2, 9]);
    // Planes that are stepped as one row.
    every_set_agrees::<Ix3, f32>([4, 3, 18], [1, 2, 9]);
    every_set_agrees::<Ix3, f64>([4, 3, 18], [1, 2, 9]);
}

/// Fields and fronts of short waves from two sources, whole and cut off behind a goal, as one
/// number per bit pattern.
fn short_waves<D: Space>(
    simd: Simd,
    medium: &Medium<D>,
    sources: [D::Cell; 2],
    goal: D::Cell,
    bits_of: impl Fn(&D::Direction) -> Vec<u32>,
) -> (Vec<u32>, Vec<u64>) {
    let mut field = ArrivalField::new(medium);
    field.set_simd(simd).unwrap();
    let mut bits = Vec::new();
    for (from, goals) in [(&sources[..], &[][..]), (&sources[..1], &[goal])] {
        field.solve_until(medium, from, goals).unwrap();
        bits.extend(field.times().iter().map(|time| time.to_bits()));
        bits.extend(field.directions().iter().flat_map(&bits_of));
    }
    let mut front = Front::new(medium);
    front.set_simd(simd).unwrap();
    // The second wave finds the times of the first.
    let hashes = [0, 1].into_iter().flat_map(|first| {
        front.emit(medium, &sources[first..]).unwrap();
        [3, 4, 1000].map(|steps| front.step(medium, steps).unwrap() ^ front.state_hash())
    });
    let hashes = hashes.collect();
    (bits, hashes)
}

/// With one speed, with areas, and with some cells nearly as slow as can be.
fn every_set_agrees_on_short_waves<D: Space>(
    [nz, ny, nx]: [usize; 3],
    slowest: f64,
    bits_of: impl Fn(&D::Direction) -> Vec<u32>,
) {
    let size = D::from_zyx([nz, ny, nx]);
    // Miri is spared the slowest, for which a search goes through tens of thousands of buckets
    // each.
    let slow = [None, Some(0.5), Some(slowest)];
    for slow in slow.into_iter().take(if cfg!(miri) { 2 } else { 3 }) {
        let medium = medium::<D, f32>(size, slow);
        let cells =
            (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [z, y, x])));
        let open: Vec<_> = cells.map(D::from_zyx).filter(|&c| !medium.is_wall(c)).collect();
        let (sources, goal) = ([open[0], open[open.len() - 1]], open[open.len() / 2]);
        let expected = short_waves(Simd::Scalar, &medium, sources, goal, &bits_of);
        for simd in Simd::available() {
            let found = short_waves(simd, &medium, sources, goal, &bits_of);
            assert_eq!(found, expected, "{simd:?}, {size:?}, slow: {slow:?}");
        }
    }
}

/// With rows of every length, so that all remainders of eight are met.
#[test]
fn short_waves_have_the_same_bits() {
    let bits = |way: &glam::Vec2| way.to_array().map(f32::to_bits).to_vec();
    let (ny, lengths) = if cfg!(miri) { (6, 21..22) } else { (40, 1..70) };
    for nx in lengths {
        every_set_agrees_on_short_waves::<Ix2>([1, ny, nx], 1.0 / 2860.0, bits);
    }
}

/// Where rows are stored one by one, and where the rows of a plane are joined. Miri, for which this
/// is too much, meets these kernels in the tests of the march itself.
#[test]
#[cfg_attr(miri, ignore)]
fn deep_short_waves_have_the_same_bits() {
    let bits = |way: &glam::Vec3| way.to_array().map(f32::to_bits).to_vec();
    for (nx, [nz, ny]) in (1..36).flat_map(|nx| [(nx, [2, 12]), (nx, [9, 5])]) {
        every_set_agrees_on_short_waves::<Ix3>([nz, ny, nx], 1.0 / 2340.0, bits);
    }
}
