//! The published method as one would write it down: three buffers of `f64`, loops over z, y and x.

use wave_core::WallRule;

/// `z' = delta * sum + (2 - k * delta) * z - z_prev` in every open cell (watanabe-2021 eq. 13-15),
/// 0 in walls. Walls do not change, so k is counted once.
pub(crate) struct PlainWave {
    /// z, y, x.
    size: [usize; 3],
    walls: Vec<bool>,
    k: Vec<u8>,
    delta: f64,
    next: Vec<f64>,
    now: Vec<f64>,
    prev: Vec<f64>,
}

impl PlainWave {
    /// A wave at rest; `walls` are row-major, `courant` is `c dt / h`.
    pub(crate) fn new(size: [usize; 3], walls: Vec<bool>, rule: WallRule, courant: f64) -> Self {
        let cells = walls.len();
        let mut k = vec![0; cells];
        let [nz, ny, nx] = size;
        let counts = |i: usize| u8::from(rule == WallRule::Fixed || !walls[i]);
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let i = (z * ny + y) * nx + x;
                    let mut add = |inside: bool, beside: usize| {
                        if inside {
                            k[i] += counts(beside);
                        }
                    };
                    add(x > 0, i.wrapping_sub(1));
                    add(x + 1 < nx, i + 1);
                    add(y > 0, i.wrapping_sub(nx));
                    add(y + 1 < ny, i + nx);
                    add(z > 0, i.wrapping_sub(nx * ny));
                    add(z + 1 < nz, i + nx * ny);
                }
            }
        }
        Self {
            size,
            k,
            delta: courant * courant,
            next: vec![0.0; cells],
            now: vec![0.0; cells],
            prev: vec![0.0; cells],
            walls,
        }
    }

    /// Puts every cell to rest.
    pub(crate) fn clear(&mut self) {
        self.now.fill(0.0);
        self.prev.fill(0.0);
    }

    /// The published source: added to z and `z_prev` of an open cell.
    pub(crate) fn impulse(&mut self, [z, y, x]: [usize; 3], amplitude: f64) {
        let [_, ny, nx] = self.size;
        let i = (z * ny + y) * nx + x;
        self.now[i] += amplitude;
        self.prev[i] += amplitude;
    }

    pub(crate) fn step(&mut self) {
        let [nz, ny, nx] = self.size;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let i = (z * ny + y) * nx + x;
                    if self.walls[i] {
                        continue;
                    }
                    let mut sum = 0.0;
                    if x > 0 {
                        sum += self.now[i - 1];
                    }
                    if x + 1 < nx {
                        sum += self.now[i + 1];
                    }
                    if y > 0 {
                        sum += self.now[i - nx];
                    }
                    if y + 1 < ny {
                        sum += self.now[i + nx];
                    }
                    if z > 0 {
                        sum += self.now[i - nx * ny];
                    }
                    if z + 1 < nz {
                        sum += self.now[i + nx * ny];
                    }
                    let k = f64::from(self.k[i]);
                    self.next[i] =
                        self.delta * sum + (2.0 - k * self.delta) * self.now[i] - self.prev[i];
                }
            }
        }
        std::mem::swap(&mut self.prev, &mut self.now);
        std::mem::swap(&mut self.now, &mut self.next);
    }

    /// The largest difference between z and `others`, row-major, relative to the largest |z|.
    pub(crate) fn deviation<'a>(&self, others: impl Iterator<Item = &'a f32>) -> f64 {
        let (mut difference, mut largest) = (0.0f64, 0.0f64);
        for (&z, &other) in self.now.iter().zip(others) {
            let d = (f64::from(other) - z).abs();
            // `max` would skip NaN.
            if d.is_nan() || d > difference {
                difference = d;
            }
            largest = largest.max(z.abs());
        }
        if difference == 0.0 { 0.0 } else { difference / largest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benches::scenes;
    use ndarray::{Ix2, Ix3};
    use wave_core::{Medium, Source, Space, Wave};

    /// Both from an impulse in every 5th open cell.
    fn both<D: Space>(shape: D::Cell, rule: WallRule, steps: usize) -> (Wave<D, f64>, PlainWave) {
        let walls = scenes::random_walls::<D>(shape, 0.1, 7);
        let builder = Medium::<D>::builder(shape);
        let medium = builder.walls(&walls).wall_rule(rule).build().unwrap();
        let size = D::to_size(shape);
        let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
        let flat: Vec<bool> = walls.iter().copied().collect();
        let mut plain = PlainWave::new(size, flat.clone(), rule, medium.dt());
        for (i, _) in flat.iter().enumerate().filter(|(i, wall)| i % 5 == 0 && !**wall) {
            let [_, ny, nx] = size;
            let cell = [i / (nx * ny), i / nx % ny, i % nx];
            let source = Source::Impulse { amplitude: 1.0 };
            wave.emit(&medium, D::from_zyx(cell), source).unwrap();
            plain.impulse(cell, 1.0);
        }
        let before = wave.energy(&medium).unwrap();
        wave.step(&medium, steps).unwrap();
        (0..steps).for_each(|_| plain.step());
        let after = wave.energy(&medium).unwrap();
        assert!((after - before).abs() < 1e-9 * before.abs());
        (wave, plain)
    }

    fn assert_equal<D: Space>(shape: D::Cell) {
        for rule in [WallRule::Fixed, WallRule::Free] {
            let (wave, plain) = both::<D>(shape, rule, 300);
            let largest = plain.now.iter().fold(0.0f64, |m, z| m.max(z.abs()));
            assert!(largest > 0.1);
            for (views, plain) in [(wave.values(), &plain.now), (wave.previous(), &plain.prev)] {
                for (ours, plain) in views.iter().zip(plain) {
                    assert!((ours - plain).abs() < 1e-10 * largest, "{rule:?}");
                }
            }
        }
    }

    #[test]
    fn flat_grids_equal_wave_core_which_conserves_energy() {
        assert_equal::<Ix2>([19, 23]);
        assert_equal::<Ix2>([1, 9]);
    }

    #[test]
    fn deep_grids_equal_wave_core_which_conserves_energy() {
        assert_equal::<Ix3>([7, 9, 11]);
        assert_equal::<Ix3>([1, 9, 11]);
    }

    #[test]
    fn a_cleared_wave_begins_anew() {
        let mut plain = PlainWave::new([1, 4, 4], vec![false; 16], WallRule::Free, 0.5);
        let run = |plain: &mut PlainWave| {
            plain.impulse([0, 1, 2], 1.0);
            (0..9).for_each(|_| plain.step());
            plain.now.clone()
        };
        let first = run(&mut plain);
        plain.clear();
        assert_eq!(run(&mut plain), first);
    }

    #[test]
    fn deviations_are_relative_and_see_what_is_not_a_number() {
        let mut plain = PlainWave::new([1, 1, 2], vec![false; 2], WallRule::Free, 0.5);
        assert_eq!(plain.deviation([0.0, 0.0].iter()), 0.0);
        plain.impulse([0, 0, 0], 1.0);
        plain.impulse([0, 0, 1], -4.0);
        assert_eq!(plain.deviation([1.0, -2.0].iter()), 0.5);
        assert!(plain.deviation([f32::NAN, -4.0].iter()).is_nan());
    }
}
