//! The same bits for any number of threads.

use crate::maps::{Rng, open_cells, random_walls};
use crate::reference::Scene;
use ndarray::{Ix2, Ix3};
use wave_core::{ArrivalField, Link, Medium, RecordedWave, Simd, Source, Wave};

#[test]
fn a_wave_has_the_same_bits_on_any_number_of_threads() {
    let mut rng = Rng(9);
    let walls = random_walls([1, 700, 700], 0.1, &mut rng);
    let sources: Vec<_> = open_cells(&walls).into_iter().step_by(9973).collect();
    let scene = Scene::new(walls, 0.9).with_random_speeds(&mut rng);
    let medium = scene.medium::<Ix2, f32>();
    let hashes = [1, 2, 3, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut wave = Wave::new(&medium).unwrap();
            for &[_, y, x] in &sources {
                wave.emit(&medium, [y, x], Source::Impulse { amplitude: 1.0 }).unwrap();
                wave.emit(&medium, [y, x], Source::default()).unwrap();
            }
            wave.step(&medium, 50).unwrap();
            assert!(wave.values().iter().filter(|&&z| z != 0.0).count() > 100_000);
            wave.state_hash()
        })
    });
    assert_eq!(hashes, [hashes[0]; 4]);
}

#[test]
fn a_recorded_wave_has_the_same_bits_on_any_number_of_threads_and_instruction_set() {
    let mut rng = Rng(10);
    let walls = random_walls([60, 60, 60], 0.1, &mut rng);
    let source = open_cells(&walls)[0];
    let scene = Scene::new(walls, 0.9).with_random_speeds(&mut rng);
    let medium = scene.medium::<Ix3, f32>();
    let hash = |threads: usize, simd: Simd| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut wave = RecordedWave::new(&medium).unwrap();
            wave.set_simd(simd).unwrap();
            wave.emit(&medium, &[source], RecordedWave::pulse(&medium)).unwrap();
            wave.step(&medium, 60).unwrap();
            let midway = wave.state_hash();
            wave.run(&medium).unwrap();
            (midway, wave.state_hash())
        })
    };
    let first = hash(1, Simd::best());
    for threads in [2, 3, 8] {
        assert_eq!(hash(threads, Simd::best()), first);
    }
    for simd in Simd::available() {
        assert_eq!(hash(1, simd), first, "{simd:?}");
    }
}

/// As large as those that several threads work out tile by tile, and solved again after edits.
#[test]
fn a_large_flat_field_has_the_same_bits_on_any_number_of_threads() {
    let mut rng = Rng(12);
    let size = [1, 1500, 2050];
    let walls = random_walls(size, 0.3, &mut rng);
    let open = open_cells(&walls);
    let source = |n: usize| [open[n][1], open[n][2]];
    let fields = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut medium = Scene::new(walls.clone(), 0.9).medium::<Ix2, f32>();
            let mut field = ArrivalField::from_sources(&medium, &[source(0)]).unwrap();
            for x in 3..1700 {
                medium.set_wall([600, x], true).unwrap();
            }
            // Stopped where something has just come over the edge of a tile, and gone on elsewhere.
            let [near, goal] = [500, 520].map(|x| [x, x]);
            for cell in [near, goal] {
                medium.set_wall(cell, false).unwrap();
            }
            field.solve_until(&medium, &[near], &[goal]).unwrap();
            let last = open.iter().rposition(|cell| cell[1] > 600).unwrap();
            field.solve(&medium, &[source(last), source(open.len() / 3)]).unwrap();
            for x in 800..900 {
                medium.set_wall([600, x], false).unwrap();
            }
            field.repair(&medium).unwrap();
            field
        })
    });
    let reached = fields[0].times().iter().filter(|time| time.is_finite()).count();
    assert!(reached > 1_300_000, "{reached}");
    assert!(fields[1..].iter().all(|field| *field == fields[0]));
}

/// As large as those that are worked out block by block; a link that takes too long to be of use
/// leaves the same ground to a march by one thread.
#[test]
fn a_large_deep_field_has_the_same_bits_on_any_number_of_threads_and_instruction_set() {
    let size = [157, 163, 167];
    let walls = random_walls(size, 0.1, &mut Rng(11));
    let open = open_cells(&walls);
    let (source, other) = (open[0], open[open.len() / 2]);
    let medium = Medium::<Ix3>::builder(size).walls(&walls).build().unwrap();
    let links = [Link { from: other, to: source, time: 4000.0 * medium.dt() }];
    let linked = Medium::<Ix3>::builder(size).walls(&walls).links(&links).build().unwrap();
    let field = |medium: &Medium<Ix3>, threads: usize, simd: Simd| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut field = ArrivalField::new(medium);
            field.set_simd(simd).unwrap();
            field.solve(medium, &[source]).unwrap();
            field
        })
    };
    let march = field(&linked, 1, Simd::best());
    assert!(march.times().iter().filter(|time| time.is_finite()).count() > 900_000);
    for threads in [1, 2, 8] {
        assert!(field(&medium, threads, Simd::best()) == march, "{threads} threads");
    }
    for simd in Simd::available() {
        assert!(field(&medium, 1, simd) == march, "{simd:?}");
    }
}
