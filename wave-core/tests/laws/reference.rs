//! The published equations, written plainly: three buffers, loops over `[z][y][x]`, every bound
//! checked, k counted on the fly. No code of the crate is used; [`Scene::medium`] builds the
//! crate's medium from the same description.
//!
//! Sums stand in the order that the crate states, so that the same bits are due:
//! `((left + right) + (up + down)) + (front + back)` and
//! `delta * sum + (2 - k * delta) * z - prev`.

use crate::maps::{Cell, Rng, open_cells, random_walls};
use ndarray::{Array, Array3};
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use std::f64::consts::TAU;
use std::ops::{Add, Div, Mul, Sub};
use wave_core::{Medium, Real, Space, WallRule, Wave};

/// The arithmetic of a number format.
pub(crate) trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// 2 to the power of this is the least magnitude that is not taken for 0.
    const LEAST: i32;
    /// The unit of which a step's coefficients are multiples.
    const UNIT: f64;
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
}

impl Number for f32 {
    const LEAST: i32 = -63;
    const UNIT: f64 = f32::EPSILON as f64;
    fn of(value: f64) -> Self {
        value as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    const LEAST: i32 = -511;
    const UNIT: f64 = f64::EPSILON;
    fn of(value: f64) -> Self {
        value
    }
    fn wide(self) -> f64 {
        self
    }
}

/// The settings of a medium.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) walls: Array3<bool>,
    /// Exact in both number formats.
    pub(crate) speeds: Array3<f64>,
    pub(crate) rule: WallRule,
    pub(crate) damping: f64,
    pub(crate) spacing: f64,
    /// `[x, y, z]`.
    pub(crate) origin: [f64; 3],
    pub(crate) dt: f64,
}

impl Scene {
    /// Speed 1, spacing 1, no damping, free walls, and a dt at `courant2` of the stability bound.
    pub(crate) fn new(walls: Array3<bool>, courant2: f64) -> Self {
        let axes = walls.shape().iter().filter(|&&n| n > 1).count().max(1);
        let speeds = Array3::from_elem(walls.dim(), 1.0);
        let dt = (courant2 / axes as f64).sqrt();
        let rule = WallRule::Free;
        Self { walls, speeds, rule, damping: 0.0, spacing: 1.0, origin: [0.0; 3], dt }
    }

    /// More speeds than a medium has kinds of cells for.
    pub(crate) const SPEEDS: usize = 29;

    /// Speeds from 1/4 to 2 in steps of 1/16, dt as before relative to the bound.
    pub(crate) fn with_random_speeds(self, rng: &mut Rng) -> Self {
        self.with_speeds(Self::SPEEDS, rng)
    }

    /// Only the first so many of these.
    pub(crate) fn with_speeds(mut self, speeds: usize, rng: &mut Rng) -> Self {
        self.speeds.mapv_inplace(|_| random_speed(speeds, rng));
        self.dt /= 2.0;
        self
    }

    pub(crate) fn shape(&self) -> Cell {
        let (nz, ny, nx) = self.walls.dim();
        [nz, ny, nx]
    }

    pub(crate) fn medium<D: Space, S: Real>(&self) -> Medium<D> {
        let shape = D::from_zyx(self.shape());
        let walls = reshape::<D, _>(&self.walls);
        let speeds = reshape::<D, _>(&self.speeds.mapv(S::from_f64));
        let builder = Medium::<D>::builder(shape).walls(&walls).speeds(&speeds);
        let builder = builder.wall_rule(self.rule);
        let builder = builder.damping(self.damping).spacing(self.spacing).dt(self.dt);
        builder.origin(D::from_xyz(self.origin)).build().unwrap()
    }

    /// Random scenes, flat ones or any; degenerate shapes come often. Without an open cell at
    /// times.
    pub(crate) fn any(deep: bool) -> impl Strategy<Value = Self> {
        let depth = if deep { 1..8usize } else { 1..2 };
        let size = prop_oneof![Just(1usize), 1..4usize, 1..18usize];
        let across = prop_oneof![Just(1usize), 1..4usize, 1..12usize];
        let rest = (0.0..0.4f64, any::<u64>(), any::<bool>(), 0.3..0.99f64, 0.25..4.0f64);
        let damping = prop_oneof![Just(0.0), 0.0..2.0f64];
        (depth, across, size, rest, damping).prop_map(|(nz, ny, nx, rest, damping)| {
            let (fraction, seed, fixed, courant2, spacing) = rest;
            let mut rng = Rng(seed);
            let walls = random_walls([nz, ny, nx], fraction, &mut rng);
            let speeds = [1, 2, Self::SPEEDS][rng.below(3)];
            let mut scene = Self::new(walls, courant2).with_speeds(speeds, &mut rng);
            scene.rule = if fixed { WallRule::Fixed } else { WallRule::Free };
            scene.damping = damping;
            scene.spacing = spacing;
            scene.dt *= spacing;
            scene
        })
    }
}

/// One of so many.
pub(crate) fn random_speed(speeds: usize, rng: &mut Rng) -> f64 {
    (4 + rng.below(speeds)) as f64 / 16.0
}

/// The same cells in the dimension `D`.
pub(crate) fn reshape<D: Space, T: Clone>(array: &Array3<T>) -> Array<T, D> {
    let (nz, ny, nx) = array.dim();
    let shape = D::shape(D::from_zyx([nz, ny, nx]));
    Array::from_shape_vec(shape, array.iter().cloned().collect()).unwrap()
}

struct Pulse {
    cell: Cell,
    amplitude: f64,
    steps: u32,
    done: u32,
}

/// `(c dt / h)^2`, so rounded that `2 - k * delta` is exact.
fn delta<T: Number>(courant: f64) -> T {
    T::of((courant * courant / T::UNIT).round() * T::UNIT)
}

/// A wave by the book.
pub(crate) struct Reference<T> {
    pub(crate) walls: Array3<bool>,
    delta: Array3<T>,
    rule: WallRule,
    /// `mu dt / 2`.
    m: T,
    /// Divide by `1 + m` as the equation is written, instead of multiplying by `1 / (1 + m)`.
    pub(crate) divide: bool,
    scene: Scene,
    pub(crate) z: Array3<T>,
    pub(crate) prev: Array3<T>,
    pulses: Vec<Pulse>,
}

impl<T: Number> Reference<T> {
    pub(crate) fn new(scene: &Scene) -> Self {
        let courant = scene.speeds.mapv(|c| c * scene.dt / scene.spacing);
        Self {
            walls: scene.walls.clone(),
            delta: courant.mapv(delta),
            rule: scene.rule,
            m: T::of(scene.damping * scene.dt / 2.0),
            divide: false,
            z: Array3::from_elem(scene.walls.dim(), T::of(0.0)),
            prev: Array3::from_elem(scene.walls.dim(), T::of(0.0)),
            scene: scene.clone(),
            pulses: Vec::new(),
        }
    }

    pub(crate) fn impulse(&mut self, cell: Cell, amplitude: f64) {
        self.z[cell] = self.z[cell] + T::of(amplitude);
        self.prev[cell] = self.prev[cell] + T::of(amplitude);
    }

    pub(crate) fn pulse(&mut self, cell: Cell, amplitude: f64, steps: u32) {
        self.pulses.push(Pulse { cell, amplitude, steps, done: 0 });
    }

    /// A new wall is at rest and emits nothing.
    pub(crate) fn set_wall(&mut self, cell: Cell, wall: bool) {
        self.walls[cell] = wall;
        if wall {
            self.z[cell] = T::of(0.0);
            self.prev[cell] = T::of(0.0);
            self.pulses.retain(|p| p.cell != cell);
        }
    }

    pub(crate) fn set_speed(&mut self, cell: Cell, speed: f64) {
        let courant = speed * self.scene.dt / self.scene.spacing;
        self.delta[cell] = delta(courant);
    }

    pub(crate) fn step(&mut self) {
        let (nz, ny, nx) = self.z.dim();
        let mut next = Array3::from_elem((nz, ny, nx), T::of(0.0));
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    if !self.walls[[z, y, x]] {
                        next[[z, y, x]] = self.next(z, y, x);
                    }
                }
            }
        }
        self.prev = std::mem::replace(&mut self.z, next);
        for pulse in &mut self.pulses {
            if pulse.done < pulse.steps {
                pulse.done += 1;
                let increment = pulse.amplitude * increment(pulse.done, pulse.steps);
                self.z[pulse.cell] = floored(self.z[pulse.cell] + T::of(increment));
            }
        }
    }

    fn next(&self, z: usize, y: usize, x: usize) -> T {
        let (nz, ny, nx) = self.z.dim();
        let mut k = 0;
        let mut neighbour = |inside: bool, cell: Cell| {
            if !inside {
                return T::of(0.0);
            }
            if self.walls[cell] {
                k += i32::from(self.rule == WallRule::Fixed);
                return T::of(0.0);
            }
            k += 1;
            self.z[cell]
        };
        let left = neighbour(x > 0, [z, y, x.wrapping_sub(1)]);
        let right = neighbour(x + 1 < nx, [z, y, x + 1]);
        let up = neighbour(y > 0, [z, y.wrapping_sub(1), x]);
        let down = neighbour(y + 1 < ny, [z, y + 1, x]);
        let front = neighbour(z > 0, [z.wrapping_sub(1), y, x]);
        let back = neighbour(z + 1 < nz, [z + 1, y, x]);
        let sum = ((left + right) + (up + down)) + (front + back);

        let (one, k) = (T::of(1.0), T::of(f64::from(k)));
        let (here, prev, delta) = (self.z[[z, y, x]], self.prev[[z, y, x]], self.delta[[z, y, x]]);
        let undamped = delta * sum + (T::of(2.0) - k * delta) * here;
        let next = undamped - (one - self.m) * prev;
        floored(if self.divide { next / (one + self.m) } else { next * (one / (one + self.m)) })
    }

    /// Panics where the wave's state is not this one, bit for bit.
    pub(crate) fn assert_same_bits<D: Space, S: Real>(&self, wave: &Wave<D, S>, what: &str) {
        let pairs = [(&self.z, wave.values(), "z"), (&self.prev, wave.previous(), "z_prev")];
        for (ours, theirs, name) in pairs {
            assert_eq!(ours.len(), theirs.len());
            for (((z, y, x), ours), theirs) in ours.indexed_iter().zip(theirs.iter()) {
                // Both formats convert exactly, so equal bits here are equal bits there.
                let (ours, theirs) = (ours.wide(), theirs.to_f64());
                assert!(
                    ours.to_bits() == theirs.to_bits(),
                    "{what}: {name} at [{z}, {y}, {x}] is {theirs:e}, should be {ours:e}"
                );
            }
        }
    }
}

fn floored<T: Number>(value: T) -> T {
    if value.wide().abs() < 2f64.powi(T::LEAST) { T::of(0.0) } else { value }
}

/// `sin(2 pi (n - 1/2) / steps)`, n = 1..=steps, and exactly antisymmetric, as the crate states.
pub(crate) fn increment(n: u32, steps: u32) -> f64 {
    let sine = |n: u32| libm::sin(TAU * (f64::from(n) - 0.5) / f64::from(steps));
    match 2 * n {
        double if double == steps + 1 => 0.0,
        double if double < steps + 1 => sine(n),
        _ => -sine(steps + 1 - n),
    }
}

/// An open cell, or `None` if all are walls.
pub(crate) fn any_open(walls: &Array3<bool>, rng: &mut Rng) -> Option<Cell> {
    let (nz, ny, nx) = walls.dim();
    let mut tries = (0..50).map(|_| rng.cell([nz, ny, nx]));
    if let Some(cell) = tries.find(|&cell| !walls[cell]) {
        return Some(cell);
    }
    let open = open_cells(walls);
    (!open.is_empty()).then(|| open[rng.below(open.len())])
}
