//! Small waves, fronts and fields through every kernel: the bits of the scalar one. Small enough for Miri, which
//! then sees every unsafe block (`.ci/miri`).

use ndarray::{Array, Ix2, Ix3};
use wave_core::{ArrivalField, EikonalFront, Front, Medium, Real, Simd, Source, Space, Wave};

/// Every seventh cell is a wall. With `areas`, every fifth is slow.
fn medium<D: Space, S: Real>(size: D::Cell, areas: bool) -> Medium<D, S> {
    let mut cell = 0;
    let walls = Array::from_shape_simple_fn(D::shape(size), || {
        cell += 1;
        cell % 7 == 3
    });
    let speeds = Array::from_shape_simple_fn(D::shape(size), || {
        cell += 1;
        S::from_f64(if areas && cell % 5 == 0 { 0.5 } else { 1.0 })
    });
    let builder = Medium::builder(size).walls(&walls);
    // One speed has kernels of its own.
    if areas { builder.speeds(&speeds).build() } else { builder.build() }.unwrap()
}

fn every_set_agrees<D: Space, S: Real>(size: D::Cell, source: D::Cell) {
    // Under Miri only the harder of the two.
    for areas in if cfg!(miri) { &[true][..] } else { &[false, true] } {
        let medium = medium::<D, S>(size, *areas);
        let hashes = Simd::available().map(|simd| {
            let mut wave = Wave::new(&medium);
            wave.set_simd(simd).unwrap();
            wave.emit(&medium, source, Source::Impulse { amplitude: 1.0 }).unwrap();
            wave.emit(&medium, source, Source::Pulse { amplitude: 0.5, steps: 2 }).unwrap();
            wave.step(&medium, 1).unwrap();
            wave.step(&medium, if cfg!(miri) { 2 } else { 4 }).unwrap();
            let mut front = Front::new(&medium);
            front.set_simd(simd).unwrap();
            front.emit(&medium, &[source]).unwrap();
            front.step(&medium, 3).unwrap();
            (wave.content_hash(), front.content_hash())
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

/// Fields and fronts of short waves from two sources, whole and cut off behind a goal, as one number per
/// bit pattern.
fn short_waves(
    simd: Simd,
    medium: &Medium<Ix2>,
    sources: [[usize; 2]; 2],
    goal: [usize; 2],
) -> (Vec<u32>, Vec<u64>) {
    let mut field = ArrivalField::new(medium);
    field.set_simd(simd).unwrap();
    let mut bits = Vec::new();
    for (from, goals) in [(&sources[..], &[][..]), (&sources[..1], &[goal])] {
        field.solve_until(medium, from, goals).unwrap();
        bits.extend(field.times().iter().map(|time| time.to_bits()));
        bits.extend(field.directions().iter().flat_map(|way| way.to_array().map(f32::to_bits)));
    }
    let mut front = EikonalFront::new(medium);
    front.set_simd(simd).unwrap();
    // The second wave finds the times of the first.
    let hashes = [0, 1].into_iter().flat_map(|first| {
        front.emit(medium, &sources[first..]).unwrap();
        [3, 4, 1000].map(|steps| front.step(medium, steps).unwrap() ^ front.content_hash())
    });
    let hashes = hashes.collect();
    (bits, hashes)
}

/// With rows of every length, so that all remainders of eight are met.
#[test]
fn short_waves_have_the_same_bits() {
    let (ny, lengths) = if cfg!(miri) { (21, 21..22) } else { (40, 1..70) };
    for (nx, areas) in lengths.flat_map(|nx| [(nx, false), (nx, true)]) {
        let medium = medium::<Ix2, f32>([ny, nx], areas);
        let open = |&[y, x]: &[usize; 2]| !medium.is_wall([y, x]);
        let cells = || (0..ny).flat_map(|y| (0..nx).map(move |x| [y, x]));
        let [first, last] = [cells().find(open), cells().rev().find(open)].map(Option::unwrap);
        let goal = cells().skip(ny / 2 * nx).find(open).unwrap();
        let expected = short_waves(Simd::Scalar, &medium, [first, last], goal);
        for simd in Simd::available() {
            let found = short_waves(simd, &medium, [first, last], goal);
            assert_eq!(found, expected, "{simd:?}, rows of {nx}, areas: {areas}");
        }
    }
}
