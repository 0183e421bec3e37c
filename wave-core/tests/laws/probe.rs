//! Values and gradients at positions.

use crate::dense_laws::wave_of;
use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, open_ground};
use crate::reference::Scene;
use glam::DVec2;
use ndarray::{Array3, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Medium, Source, Space, WallRule, Wave, WaveError};

/// A field known everywhere, and the rules of the module's documentation in plain words.
struct Field {
    scene: Scene,
    z: Array3<f64>,
}

impl Field {
    /// A field of random values on a random scene that lies somewhere else than at 0.
    fn random(scene: &Scene, rng: &mut Rng) -> Self {
        let z = scene.walls.map(|&wall| if wall { 0.0 } else { rng.unit() * 4.0 - 2.0 });
        let mut scene = scene.clone();
        scene.origin = [rng.unit() * 9.0, -rng.unit() * 9.0, 0.0];
        if scene.shape()[0] > 1 {
            scene.origin[2] = rng.unit();
        }
        Self { scene, z }
    }

    fn wave<D: Space>(&self) -> (Medium<D>, Wave<D, f64>) {
        let medium = self.scene.medium::<D, f64>();
        let wave = wave_of(&medium, &self.z);
        (medium, wave)
    }

    /// The cell at signed coordinates, if the grid has it.
    fn cell(&self, [z, y, x]: [i64; 3]) -> Option<Cell> {
        let cell = [usize::try_from(z).ok()?, usize::try_from(y).ok()?, usize::try_from(x).ok()?];
        self.z.get(cell).map(|_| cell)
    }

    /// `None`: as in the cell beside.
    fn seen(&self, cell: [i64; 3]) -> Option<f64> {
        let cell = self.cell(cell)?;
        match (self.scene.walls[cell], self.scene.rule) {
            (false, _) => Some(self.z[cell]),
            (true, WallRule::Fixed) => Some(0.0),
            (true, WallRule::Free) => None,
        }
    }

    fn cell_gradient(&self, cell: [i64; 3]) -> [f64; 3] {
        let here = self.seen(cell).unwrap();
        std::array::from_fn(|axis| {
            let beside = |step: i64| {
                let mut there = cell;
                there[2 - axis] += step;
                self.seen(there).unwrap_or(here)
            };
            (beside(1) - beside(-1)) / (2.0 * self.scene.spacing)
        })
    }

    /// `q` as `[x, y, z]` in cells; value and gradient, or `None` outside and in walls.
    fn at(&self, q: [f64; 3]) -> Option<(f64, [f64; 3])> {
        let nearest = [q[2], q[1], q[0]].map(|v| (v + 0.5).floor() as i64);
        if self.scene.walls[self.cell(nearest)?] {
            return None;
        }
        let (mut weights, mut value, mut gradient) = (0.0, 0.0, [0.0; 3]);
        for corner in 0..8i64 {
            let ups = [corner & 1, corner >> 1 & 1, corner >> 2 & 1];
            let cell = std::array::from_fn(|a| q[2 - a].floor() as i64 + ups[2 - a]);
            let weight: f64 = (0..3).map(|a| 1.0 - (cell[2 - a] as f64 - q[a]).abs()).product();
            let Some(z) = self.seen(cell) else { continue };
            weights += weight;
            value += weight * z;
            let open = self.cell(cell).is_some_and(|cell| !self.scene.walls[cell]);
            if open {
                let slope = self.cell_gradient(cell);
                (0..3).for_each(|a| gradient[a] += weight * slope[a]);
            }
        }
        Some((value / weights, gradient.map(|g| g / weights)))
    }

    fn position(&self, q: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|a| q[a] * self.scene.spacing + self.scene.origin[a])
    }
}

/// A position in cells on or around the grid, at times on a centre line or a border of cells.
fn somewhere(shape: Cell, rng: &mut Rng, margin: f64) -> [f64; 3] {
    std::array::from_fn(|a| {
        let n = shape[2 - a];
        match rng.below(4) {
            0 => rng.below(n) as f64,
            1 => rng.below(n) as f64 + 0.5,
            _ => rng.unit() * (n as f64 - 1.0 + 2.0 * margin) - margin,
        }
    })
}

fn follows_its_rules<D: Space>(scene: &Scene, seed: u64) {
    let mut rng = Rng(seed);
    let field = Field::random(scene, &mut rng);
    let (medium, wave) = field.wave::<D>();
    for ((z, y, x), &value) in field.z.indexed_iter().filter(|&(cell, _)| !scene.walls[cell]) {
        let centre = medium.centre(D::from_zyx([z, y, x]));
        approx::assert_abs_diff_eq!(
            wave.value_at(&medium, centre).unwrap(),
            value,
            epsilon = 1e-12
        );
        assert_eq!(medium.cell_at(centre), Some(D::from_zyx([z, y, x])));
    }
    for _ in 0..60 {
        let mut q = somewhere(scene.shape(), &mut rng, 0.7);
        if D::AXES == 2 {
            q[2] = 0.0;
        }
        // Not so near to a border of cells that rounding decides on which side.
        let border = |v: f64| (v - v.floor() - 0.5).abs() < 1e-9;
        if q.iter().any(|&v| border(v)) {
            continue;
        }
        let point = D::from_xyz(field.position(q));
        let value = wave.value_at(&medium, point);
        let gradient = wave.gradient_at(&medium, point);
        let Some((z, slope)) = field.at(q) else {
            assert!(matches!(value, Err(WaveError::OffGrid { .. } | WaveError::Wall { .. })));
            assert_eq!(value.unwrap_err(), gradient.unwrap_err());
            continue;
        };
        approx::assert_abs_diff_eq!(value.unwrap(), z, epsilon = 1e-9);
        let found = D::to_xyz(gradient.unwrap());
        for axis in 0..D::AXES {
            approx::assert_abs_diff_eq!(found[axis], slope[axis], epsilon = 1e-8);
        }
    }
}

fn is_continuous<D: Space>(scene: &Scene, seed: u64) {
    let mut rng = Rng(seed);
    let field = Field::random(scene, &mut rng);
    let (medium, wave) = field.wave::<D>();
    for _ in 0..60 {
        let mut q = somewhere(scene.shape(), &mut rng, 0.5);
        let mut step = [0; 3].map(|_| (rng.unit() - 0.5) * 1e-7);
        if D::AXES == 2 {
            (q[2], step[2]) = (0.0, 0.0);
        }
        let [before, after] = [-1.0, 1.0].map(|sign: f64| {
            let q = std::array::from_fn(|a| q[a] + sign * step[a]);
            wave.value_at(&medium, D::from_xyz(field.position(q)))
        });
        if let (Ok(before), Ok(after)) = (before, after) {
            // |z| <= 2, at least an eighth of the weight is kept, and 3 axes: a slope under 200.
            assert!((after - before).abs() < 2e-5, "{before} and {after} at {q:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn probes_follow_their_rules_near_walls_and_edges(flat in Scene::any(false), deep in Scene::any(true), seed: u64) {
        follows_its_rules::<Ix2>(&flat, seed);
        follows_its_rules::<Ix3>(&deep, seed);
    }

    #[test]
    fn values_are_continuous(flat in Scene::any(false), deep in Scene::any(true), seed: u64) {
        is_continuous::<Ix2>(&flat, seed);
        is_continuous::<Ix3>(&deep, seed);
    }
}

fn linear_fields_are_exact<D: Space>(shape: Cell) {
    let slope = [0.7, -1.3, if D::AXES == 3 { 0.4 } else { 0.0 }];
    let mut scene = Scene::new(open_ground(shape), 0.9);
    scene.spacing = 0.5;
    scene.dt *= 0.5;
    scene.origin = [3.0, -2.0, 0.0];
    let at = |p: [f64; 3]| 10.0 + (0..3).map(|a| slope[a] * p[a]).sum::<f64>();
    let z = Array3::from_shape_fn(shape, |(z, y, x)| {
        at([x as f64 * 0.5 + 3.0, y as f64 * 0.5 - 2.0, z as f64 * 0.5])
    });
    let field = Field { scene, z };
    let (medium, wave) = field.wave::<D>();
    let mut rng = Rng(1);
    for _ in 0..500 {
        // Between centres for the value; for the gradient a cell further in.
        let unit = [0; 3].map(|_| rng.unit());
        let between = |margin: f64| {
            field.position(std::array::from_fn(|a| {
                let n = shape[2 - a] as f64;
                if n == 1.0 { 0.0 } else { margin + unit[a] * (n - 1.0 - 2.0 * margin) }
            }))
        };
        let p = between(0.0);
        approx::assert_abs_diff_eq!(
            wave.value_at(&medium, D::from_xyz(p)).unwrap(),
            at(p),
            epsilon = 1e-12
        );
        let gradient = D::to_xyz(wave.gradient_at(&medium, D::from_xyz(between(1.0))).unwrap());
        for axis in 0..D::AXES {
            approx::assert_abs_diff_eq!(gradient[axis], slope[axis], epsilon = 1e-12);
        }
    }
}

#[test]
fn linear_fields_are_probed_exactly_in_the_open() {
    linear_fields_are_exact::<Ix2>([1, 8, 11]);
    linear_fields_are_exact::<Ix3>([6, 5, 7]);
}

#[test]
fn positions_without_an_open_cell_are_typed_errors() {
    let mut scene = Scene::new(open_ground([1, 4, 5]), 0.9);
    scene.walls[[0, 2, 3]] = true;
    let medium = scene.medium::<Ix2, f32>();
    let wave = Wave::new(&medium).unwrap();
    let off = [
        [-0.6, 1.0],
        [4.6, 1.0],
        [1.0, -0.6],
        [1.0, 3.6],
        [1e300, 0.0],
        [0.0, -1e300],
        [f64::INFINITY, 0.0],
        [0.0, f64::NEG_INFINITY],
    ];
    for [x, y] in off {
        let error = WaveError::OffGrid { position: vec![x, y] };
        assert_eq!(wave.value_at(&medium, [x, y]), Err(error.clone()));
        assert_eq!(wave.gradient_at(&medium, [x, y]), Err(error));
        assert_eq!(medium.cell_at([x, y]), None);
    }
    for [x, y] in [[f64::NAN, 0.0], [0.0, f64::NAN]] {
        assert!(matches!(wave.value_at(&medium, [x, y]), Err(WaveError::OffGrid { .. })));
        assert!(matches!(wave.gradient_at(&medium, [x, y]), Err(WaveError::OffGrid { .. })));
        assert_eq!(medium.cell_at([x, y]), None);
    }
    for [x, y] in [[3.0, 2.0], [2.6, 2.4], [3.4, 1.6]] {
        let error = WaveError::Wall { cell: vec![2, 3] };
        assert_eq!(wave.value_at(&medium, [x, y]), Err(error.clone()));
        assert_eq!(wave.gradient_at(&medium, [x, y]), Err(error));
    }
}

/// A cell that has just become a fixed wall counts as 0, whatever the wave was there.
#[test]
fn a_new_fixed_wall_is_still_at_once() {
    let mut medium = Medium::<Ix2>::builder([1, 9]).wall_rule(WallRule::Fixed).build().unwrap();
    let mut wave = Wave::<Ix2, f64>::typed(&medium).unwrap();
    wave.emit(&medium, [0, 4], Source::default()).unwrap();
    wave.step(&medium, 5).unwrap();
    let value = |x: f64| wave.value_at(&medium, DVec2::new(x, 0.0)).unwrap();
    let (before, there) = (value(2.0), value(4.0));
    assert!(there != 0.0);
    medium.set_wall([0, 4], true).unwrap();
    let gradient = wave.gradient_at(&medium, DVec2::new(3.0, 0.0)).unwrap();
    approx::assert_relative_eq!(gradient.x, -before / (2.0 * medium.spacing()));
}
