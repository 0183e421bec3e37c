//! Which columns of cells a triangle passes through, and how high it is there.
//!
//! A triangle is cut to a row of cells, then to each cell of the row. The rest is in one piece, so
//! it passes through exactly the cells from its lowest to its highest point: none of them is
//! missed, and none is added. A surface that lies exactly between two cells belongs to the one
//! behind it, as its outer side tells, so bodies drawn on the grid fill their own cells and no
//! others.

use super::super::ImportError;
use super::super::source::Source;
use std::ops::RangeInclusive;

/// The most cells that all triangles pass through together: meshes that would take minutes are
/// refused.
const MOST_VISITS: u64 = 1 << 30;

/// Three points, x, y, z with z upwards.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub(super) points: [[f64; 3]; 3],
    pub(super) material: u32,
}

impl Triangle {
    /// A vector from its outer side, from which its points go round against the clock.
    fn normal(&self) -> [f64; 3] {
        let [a, b, c] = self.points;
        let [u, v] = [b, c].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    }

    /// Whether it rises by more than 45 degrees.
    pub(super) fn is_steep(&self) -> bool {
        let normal = self.normal();
        normal[0] * normal[0] + normal[1] * normal[1] > normal[2] * normal[2]
    }

    /// How high it is over a point, which its edges include.
    pub(super) fn height_at(&self, [x, y]: [f64; 2]) -> Option<f64> {
        let [a, b, c] = self.points;
        let side =
            |p: [f64; 3], q: [f64; 3]| (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
        let weights = [side(b, c), side(c, a), side(a, b)];
        let sum: f64 = weights.iter().sum();
        let inside = weights.iter().all(|&w| w >= 0.0) || weights.iter().all(|&w| w <= 0.0);
        let height = (weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2]) / sum;
        (inside && height.is_finite()).then_some(height)
    }
}

/// Triangles over a grid of columns.
pub(super) struct Columns<'a> {
    triangles: &'a [Triangle],
    /// x, y.
    size: [usize; 2],
}

impl<'a> Columns<'a> {
    pub(super) fn of(
        source: &Source,
        triangles: &'a [Triangle],
        size: [u64; 2],
    ) -> Result<Self, ImportError> {
        let columns = Self { triangles, size: size.map(|n| n as usize) };
        let visits: u64 = triangles.iter().map(most_cells).fold(0, u64::saturating_add);
        if visits > MOST_VISITS {
            let what = format!(
                "its triangles pass through up to {visits} cells together, at most 2^30 are looked at: choose a larger cell"
            );
            return Err(source.file_error(what));
        }
        Ok(columns)
    }

    /// The columns or rows of cells that points lie in.
    fn span(&self, points: &[[f64; 3]], axis: usize, normal: [f64; 3]) -> RangeInclusive<usize> {
        cells(ends(points, axis), normal[axis], self.size[axis])
    }

    /// Calls `see` with each triangle, each column `[x, y]` that it passes through, how low and how
    /// high it reaches there, and which way it faces upwards.
    pub(super) fn visit(&self, mut see: impl FnMut(&Triangle, [usize; 2], [f64; 2], f64)) {
        let (mut row, mut cell) = (Vec::with_capacity(8), Vec::with_capacity(8));
        for triangle in self.triangles {
            let normal = triangle.normal();
            for y in self.span(&triangle.points, 1, normal) {
                cut(&triangle.points, 1, y as f64, &mut row);
                if row.is_empty() {
                    continue;
                }
                for x in self.span(&row, 0, normal) {
                    cut(&row, 0, x as f64, &mut cell);
                    if cell.is_empty() {
                        continue;
                    }
                    see(triangle, [x, y], ends(&cell, 2), normal[2]);
                }
            }
        }
    }
}

/// The most cells that a triangle passes through.
fn most_cells(triangle: &Triangle) -> u64 {
    let normal = triangle.normal().map(f64::abs);
    let spans = [0, 1, 2].map(|axis| {
        let [low, high] = ends(&triangle.points, axis);
        (high.ceil() - low.floor()).max(1.0)
    });
    // Along the axis that it faces most, it rises by no more than its slopes in each line of cells.
    let facing = (1..3).fold(0, |most, axis| if normal[axis] > normal[most] { axis } else { most });
    let [i, j] = [(facing + 1) % 3, (facing + 2) % 3];
    if normal[facing] == 0.0 {
        // A line.
        return spans.iter().sum::<f64>() as u64;
    }
    let rise = (normal[i] + normal[j]) / normal[facing];
    let deep = (rise.ceil() + 1.0).min(spans[facing]);
    (spans[i] * spans[j] * deep) as u64
}

fn ends(points: &[[f64; 3]], axis: usize) -> [f64; 2] {
    points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
        [low.min(p[axis]), high.max(p[axis])]
    })
}

/// The cells along an axis of `size` cells that a surface from `low` to `high` passes through; one
/// exactly between two cells belongs to the one behind it.
pub(super) fn cells([low, high]: [f64; 2], normal: f64, size: usize) -> RangeInclusive<usize> {
    let behind = low == high && low.fract() == 0.0 && normal > 0.0;
    let first = (if behind { low - 1.0 } else { low }).max(0.0) as usize;
    let first = first.min(size - 1);
    first..=((high.ceil() - 1.0).max(0.0) as usize).clamp(first, size - 1)
}

/// The part of a convex polygon between `low` and `low + 1`.
fn cut(polygon: &[[f64; 3]], axis: usize, low: f64, part: &mut Vec<[f64; 3]>) {
    let mut above = Vec::with_capacity(8);
    half(polygon, axis, |v| v - low, &mut above);
    half(&above, axis, |v| low + 1.0 - v, part);
}

/// The part of a convex polygon in which `depth` is not negative.
fn half(polygon: &[[f64; 3]], axis: usize, depth: impl Fn(f64) -> f64, part: &mut Vec<[f64; 3]>) {
    part.clear();
    for (i, &here) in polygon.iter().enumerate() {
        let next = polygon[(i + 1) % polygon.len()];
        let [at, after] = [depth(here[axis]), depth(next[axis])];
        if at >= 0.0 {
            part.push(here);
        }
        if (at < 0.0) != (after < 0.0) {
            let share = at / (at - after);
            part.push(std::array::from_fn(|i| here[i] + share * (next[i] - here[i])));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    fn seen(points: [[f64; 3]; 3], size: [usize; 2]) -> Vec<([usize; 2], [f64; 2])> {
        let triangles = [Triangle { points, material: 0 }];
        let mut all = Vec::new();
        Columns { triangles: &triangles, size }
            .visit(|_, column, ends, _| all.push((column, ends)));
        all
    }

    #[test]
    fn a_triangle_on_the_grid_covers_its_cells_and_no_more() {
        let flat = seen([[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 2.0, 1.0]], [4, 4]);
        let columns: Vec<_> = flat.iter().map(|(column, _)| *column).collect();
        assert_eq!(columns, [[0, 0], [1, 0], [0, 1]]);
        assert!(flat.iter().all(|(_, ends)| *ends == [1.0, 1.0]));
    }

    #[test]
    fn a_slope_is_as_high_as_it_is_over_each_column() {
        let slope = seen([[0.0, 0.25, 0.0], [4.0, 0.25, 8.0], [4.0, 0.75, 8.0]], [4, 1]);
        let ends: Vec<_> = slope.iter().map(|(_, ends)| *ends).collect();
        assert_eq!(ends, [[0.0, 2.0], [2.0, 4.0], [4.0, 6.0], [6.0, 8.0]]);
    }

    #[test]
    fn an_upright_wall_lies_in_one_row() {
        let wall = seen([[0.0, 1.5, 0.0], [3.0, 1.5, 0.0], [0.0, 1.5, 3.0]], [3, 3]);
        assert_eq!(wall.iter().map(|(c, _)| *c).collect::<Vec<_>>(), [[0, 1], [1, 1], [2, 1]]);
    }

    #[test]
    fn what_lies_between_two_cells_belongs_to_the_one_behind_it() {
        let right = [[2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 0.0, 1.0]];
        let [a, b, c] = right;
        assert_eq!(seen(right, [4, 1])[0].0, [1, 0]);
        assert_eq!(seen([a, c, b], [4, 1])[0].0, [2, 0]);
        assert_eq!(cells([3.0, 3.0], 1.0, 9), 2..=2);
        assert_eq!(cells([3.0, 3.0], -1.0, 9), 3..=3);
        assert_eq!(cells([0.0, 9.5], 1.0, 9), 0..=8);
    }

    #[test]
    fn no_triangle_passes_through_more_cells_than_are_counted_before() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        for size in [3, 17, 60].into_iter().cycle().take(3000) {
            // Halves lie on the grid and between two lines of it.
            let points =
                [(); 3].map(|()| [(); 3].map(|()| f64::from(rng.random_range(0..=2 * size)) / 2.0));
            let columns = seen(points, [size as usize; 2]);
            let passed: usize = columns.iter().map(|(_, ends)| cells(*ends, 0.0, 99).count()).sum();
            let most = most_cells(&Triangle { points, material: 0 });
            assert!(passed as u64 <= most, "{points:?}: {passed} of {most}");
        }
    }

    #[test]
    fn a_wall_aslant_is_not_counted_as_the_box_around_it() {
        let points = [[0.0, 0.0, 0.0], [300.0, 297.0, 0.0], [300.0, 297.0, 300.0]];
        let most = most_cells(&Triangle { points, material: 0 });
        assert!(most <= 300 * 300 * 3, "{most}");
    }

    #[test]
    fn heights_over_points() {
        let triangle =
            Triangle { points: [[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 5.0]], material: 0 };
        assert_eq!(triangle.height_at([1.0, 2.0]), Some(3.0));
        assert_eq!(triangle.height_at([3.0, 3.0]), None);
        // 45 degrees can be walked.
        assert!(!triangle.is_steep());
    }
}
