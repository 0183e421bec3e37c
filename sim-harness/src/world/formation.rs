//! How a pack moves together: spacing, common direction, lanes.

use super::cast::distance;

/// A boid where it is, and the unit vector along which it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    pub(super) position: [f64; 3],
    pub(super) heading: [f64; 3],
}

/// Means over the boids of a pack and over the looks that were taken at it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Formation {
    /// `[units: world units]` The distance to the nearest other, at most the view radius.
    spacing: Mean,
    /// The cosine between the headings of neighbours.
    alignment: Mean,
    /// How much neighbours stand ahead and behind rather than beside.
    files: Mean,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, sum: f64, count: f64) {
        self.sum += sum;
        self.count += count;
    }
    fn get(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

impl Formation {
    /// A look at boids in `axes` dimensions, neighbours being those within `radius`.
    ///
    /// With `c` the cosine between a boid's heading and the way to a neighbour, `files` is the mean
    /// of `(d c^2 - 1) / (d - 1)` in `d` dimensions, the order parameter of nematic liquids: 1
    /// where all neighbours stand in line ahead and behind, 0 where no direction is preferred, and
    /// below 0 (in 2D -1) where they go abreast.
    pub(super) fn of(boids: &[Pose], axes: usize, radius: f64) -> Self {
        // Cells of one radius: a neighbour lies in one's own or in one beside it.
        let bin = |p: [f64; 3]| p.map(|v| (v / radius).floor() as i64);
        let mut bins: Vec<_> = boids.iter().map(|b| bin(b.position)).zip(0..).collect();
        bins.sort_unstable();
        let d = axes as f64;
        let beside = if axes > 2 { -1..=1 } else { 0..=0 };
        let mut formation = Self::default();
        for &(here, i) in &bins {
            let me: &Pose = &boids[i];
            let (mut nearest, mut together, mut in_line, mut count) = (radius, 0.0, 0.0, 0.0);
            for (x, y) in (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))) {
                for z in beside.clone() {
                    let cell = [here[0] + x, here[1] + y, here[2] + z];
                    let from = bins.partition_point(|b| b.0 < cell);
                    for &(_, j) in bins[from..].iter().take_while(|b| b.0 == cell) {
                        let other = &boids[j];
                        let far = distance(me.position, other.position);
                        if j == i || far > radius {
                            continue;
                        }
                        nearest = nearest.min(far);
                        together += dot(me.heading, other.heading);
                        let way = [0, 1, 2].map(|a| other.position[a] - me.position[a]);
                        let c =
                            if far > 0.0 { dot(me.heading, way) / far } else { d.sqrt().recip() };
                        in_line += (d * c * c - 1.0) / (d - 1.0);
                        count += 1.0;
                    }
                }
            }
            formation.spacing.add(nearest, 1.0);
            if count > 0.0 {
                formation.alignment.add(together / count, 1.0);
                formation.files.add(in_line / count, 1.0);
            }
        }
        formation
    }

    /// Both looks together.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.spacing.add(other.spacing.sum, other.spacing.count);
        self.alignment.add(other.alignment.sum, other.alignment.count);
        self.files.add(other.files.sum, other.files.count);
        self
    }

    pub(super) fn spacing(&self) -> Option<f64> {
        self.spacing.get()
    }
    pub(super) fn alignment(&self) -> Option<f64> {
        self.alignment.get()
    }
    pub(super) fn files(&self) -> Option<f64> {
        self.files.get()
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_abs_diff_eq;

    fn rows(rows: i32, columns: i32, heading: [f64; 3]) -> Vec<Pose> {
        let place = |i: i32| [3.0 * f64::from(i / columns), f64::from(i % columns), 0.0];
        (0..rows * columns).map(|i| Pose { position: place(i), heading }).collect()
    }

    #[test]
    fn files_go_one_behind_the_other_and_ranks_abreast() {
        // Three columns along y, three apart; a boid that looks 1.5 far sees only its own column.
        for (heading, files) in [([0.0, 1.0, 0.0], 1.0), ([1.0, 0.0, 0.0], -1.0)] {
            let formation = Formation::of(&rows(3, 9, heading), 2, 1.5);
            assert_abs_diff_eq!(formation.files().unwrap(), files, epsilon = 1e-12);
            assert_abs_diff_eq!(formation.alignment().unwrap(), 1.0, epsilon = 1e-12);
            assert_abs_diff_eq!(formation.spacing().unwrap(), 1.0, epsilon = 1e-12);
        }
    }

    #[test]
    fn a_square_lattice_prefers_no_direction_and_opposite_ones_do_not_align() {
        let mut boids: Vec<Pose> = (0..400)
            .map(|i| [f64::from(i % 20), f64::from(i / 20), 0.0])
            .map(|position| Pose { position, heading: [0.6, 0.8, 0.0] })
            .collect();
        let formation = Formation::of(&boids, 2, 1.1);
        // The rim sees more along itself; it is the same on all four sides.
        assert_abs_diff_eq!(formation.files().unwrap(), 0.0, epsilon = 1e-12);
        for (i, boid) in boids.iter_mut().enumerate() {
            if (i % 20 + i / 20) % 2 == 1 {
                boid.heading = [-0.6, -0.8, 0.0];
            }
        }
        assert_abs_diff_eq!(
            Formation::of(&boids, 2, 1.1).alignment().unwrap(),
            -1.0,
            epsilon = 1e-12
        );
    }

    #[test]
    fn looks_add_up() {
        let (a, b) = (rows(1, 5, [0.0, 1.0, 0.0]), rows(1, 10, [1.0, 0.0, 0.0]));
        let both = Formation::of(&a, 2, 1.5).and(&Formation::of(&b, 2, 1.5));
        assert_abs_diff_eq!(both.files().unwrap(), (5.0 - 10.0) / 15.0, epsilon = 1e-12);
        assert!(Formation::default().spacing().is_none());
    }
}
