//! Mirrored and turned maps give mirrored and turned waves.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng};
use crate::reference::{Scene, any_open};
use ndarray::{Array3, Axis, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Real, Source, Space, Wave};

/// Axis a of the turned array is axis `axes[a]` of the old one, run through backwards where
/// `flip[a]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) axes: [usize; 3],
    pub(crate) flip: [bool; 3],
}

impl Turn {
    pub(crate) fn array<T: Clone>(self, array: &Array3<T>) -> Array3<T> {
        let mut turned = array.view().permuted_axes(self.axes);
        for axis in (0..3).filter(|&a| self.flip[a]) {
            turned.invert_axis(Axis(axis));
        }
        turned.to_owned()
    }

    pub(crate) fn cell(self, shape: Cell, cell: Cell) -> Cell {
        std::array::from_fn(|a| {
            let old = self.axes[a];
            if self.flip[a] { shape[old] - 1 - cell[old] } else { cell[old] }
        })
    }

    pub(crate) fn scene(self, scene: &Scene) -> Scene {
        let (walls, speeds) = (self.array(&scene.walls), self.array(&scene.speeds));
        Scene { walls, speeds, ..scene.clone() }
    }
}

/// The last field of an impulse and two pulses, as a deep array.
fn field<D: Space, S: Real>(scene: &Scene, cells: [Cell; 3]) -> Array3<S> {
    let medium = scene.medium::<D, S>();
    let mut wave = Wave::<_, S>::typed(&medium).unwrap();
    let sources = [
        Source::Impulse { amplitude: 0.9 },
        Source::Pulse { amplitude: 1.3, steps: 7 },
        Source::Pulse { amplitude: -0.4, steps: 12 },
    ];
    for (cell, source) in cells.into_iter().zip(sources) {
        wave.emit(&medium, D::from_zyx(cell), source).unwrap();
    }
    wave.step(&medium, 40).unwrap();
    Array3::from_shape_vec(scene.shape(), wave.values().iter().copied().collect()).unwrap()
}

/// The largest difference between the turned wave and the wave on the turned map.
fn difference<D: Space, S: Real>(scene: &Scene, seed: u64, turn: Turn) -> f64 {
    let mut rng = Rng(seed);
    let Some(first) = any_open(&scene.walls, &mut rng) else {
        return 0.0;
    };
    let cells = [0; 3].map(|_| any_open(&scene.walls, &mut rng).unwrap_or(first));
    let straight = turn.array(&field::<D, S>(scene, cells));
    let turned_cells = cells.map(|cell| turn.cell(scene.shape(), cell));
    let turned = field::<D, S>(&turn.scene(scene), turned_cells);
    let pairs = straight.iter().zip(&turned);
    pairs.map(|(a, b)| (a.to_f64() - b.to_f64()).abs()).fold(0.0, f64::max)
}

fn flips(bits: u8) -> [bool; 3] {
    std::array::from_fn(|axis| bits >> axis & 1 == 1)
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn mirrored_and_transposed_flat_maps_give_the_same_bits(
        scene in Scene::any(false), seed: u64, bits in 0..8u8,
    ) {
        let axes = if bits & 1 == 1 { [0, 2, 1] } else { [0, 1, 2] };
        let turn = Turn { axes, flip: flips(bits & 6) };
        prop_assert_eq!(difference::<Ix2, f32>(&scene, seed, turn), 0.0);
        prop_assert_eq!(difference::<Ix2, f64>(&scene, seed, turn), 0.0);
    }

    #[test]
    fn mirrored_deep_maps_give_the_same_bits(
        scene in Scene::any(true), seed: u64, bits in 0..8u8,
    ) {
        let turn = Turn { axes: [0, 1, 2], flip: flips(bits) };
        prop_assert_eq!(difference::<Ix3, f32>(&scene, seed, turn), 0.0);
        prop_assert_eq!(difference::<Ix3, f64>(&scene, seed, turn), 0.0);
    }

    /// The three pairs of neighbours are then added in another order: hence the tolerance.
    #[test]
    fn turned_deep_maps_give_the_same_wave_to_rounding(
        scene in Scene::any(true), seed: u64, bits in 0..8u8, order in 0..6usize,
    ) {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let turn = Turn { axes: orders[order], flip: flips(bits) };
        prop_assert!(difference::<Ix3, f64>(&scene, seed, turn) < 1e-11);
        prop_assert!(difference::<Ix3, f32>(&scene, seed, turn) < 1e-3);
    }

    #[test]
    fn a_flat_map_is_a_deep_one_of_one_layer(scene in Scene::any(false), seed: u64) {
        let Some(cell) = any_open(&scene.walls, &mut Rng(seed)) else { return Ok(()) };
        let flat = field::<Ix2, f32>(&scene, [cell; 3]);
        prop_assert_eq!(flat, field::<Ix3, f32>(&scene, [cell; 3]));
    }
}
