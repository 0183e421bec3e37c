//! The shortest way at any angle: a reference that other ways are measured by.
//!
//! Between two points of a grid with blocked cells the shortest way is a polyline that turns only
//! at corners of blocked cells, round them. So the corners where it can turn are a graph, joined
//! where they see each other, and Dijkstra's algorithm on it is exact. Sight is decided in whole
//! numbers.
//!
//! A way may touch blocked cells and their corners (it is the limit of ways that do not), but never
//! passes between two that meet at a corner.

use ndarray::Array2;

/// A point in half cells, x first: cell `[y, x]` has its centre at `(2 x + 1, 2 y + 1)`.
type Point = [i64; 2];

/// A corner round which a way can turn.
#[derive(Clone, Copy, Debug)]
struct Corner {
    at: Point,
    /// Where the blocked cell lies from there.
    blocked: Point,
}

/// Lengths of the shortest ways from one cell.
#[derive(Clone, Debug)]
pub struct AnyAngle<'a> {
    walls: &'a Array2<bool>,
    corners: Vec<Corner>,
    /// `[units: half cells]` From the source, infinite where no way leads, by corner.
    lengths: Vec<f64>,
    /// Corners that can be reached, nearest to the source first.
    order: Vec<usize>,
    source: Point,
}

impl<'a> AnyAngle<'a> {
    /// All corners' lengths from the centre of `source`, an open cell `[y, x]` of `walls`.
    ///
    /// # Complexity
    /// O(corners^2) sights at worst, each O(cells it crosses): some seconds on a game's map of 512
    /// x 512 cells.
    #[must_use]
    pub fn new(walls: &'a Array2<bool>, source: [usize; 2]) -> Self {
        let mut field = Self {
            walls,
            corners: Vec::new(),
            lengths: Vec::new(),
            order: Vec::new(),
            source: centre(source),
        };
        let (height, width) = walls.dim();
        for y in 1..height as i64 {
            for x in 1..width as i64 {
                let around = [[-1, -1], [1, -1], [-1, 1], [1, 1]];
                let mut blocked = around
                    .into_iter()
                    .filter(|&[dx, dy]| field.is_blocked([x + (dx - 1) / 2, y + (dy - 1) / 2]));
                if let (Some(blocked), None) = (blocked.next(), blocked.next()) {
                    field.corners.push(Corner { at: [2 * x, 2 * y], blocked });
                }
            }
        }
        field.search();
        field
    }

    /// `[units: cells]` The length of the shortest way from the source to the centre of a cell
    /// `[y, x]`; infinite if there is none.
    #[must_use]
    pub fn length(&self, cell: [usize; 2]) -> f64 {
        let to = centre(cell);
        let mut best =
            if self.sees(self.source, to) { distance(self.source, to) } else { f64::INFINITY };
        for &i in &self.order {
            if self.lengths[i] >= best {
                break;
            }
            let corner = &self.corners[i];
            let length = self.lengths[i] + distance(corner.at, to);
            if length < best && corner.turns(to) && self.sees(corner.at, to) {
                best = length;
            }
        }
        best / 2.0
    }

    /// Dijkstra's algorithm; the next corner is found by a look at all, since sight is the main
    /// cost.
    fn search(&mut self) {
        let n = self.corners.len();
        let mut lengths = vec![f64::INFINITY; n];
        for (length, corner) in lengths.iter_mut().zip(&self.corners) {
            if corner.turns(self.source) && self.sees(self.source, corner.at) {
                *length = distance(self.source, corner.at);
            }
        }
        let mut open: Vec<usize> = (0..n).collect();
        let by_length = |lengths: &[f64], a: usize, b: usize| lengths[a].total_cmp(&lengths[b]);
        while let Some(place) =
            (0..open.len()).min_by(|&a, &b| by_length(&lengths, open[a], open[b]))
        {
            let i = open.swap_remove(place);
            if lengths[i].is_infinite() {
                break;
            }
            self.order.push(i);
            let from = self.corners[i];
            for &j in &open {
                let to = self.corners[j];
                let length = lengths[i] + distance(from.at, to.at);
                let useful = length < lengths[j] && from.turns(to.at) && to.turns(from.at);
                if useful && self.sees(from.at, to.at) {
                    lengths[j] = length;
                }
            }
        }
        self.lengths = lengths;
    }

    fn is_blocked(&self, [x, y]: Point) -> bool {
        let cell = usize::try_from(y).ok().zip(usize::try_from(x).ok());
        cell.and_then(|cell| self.walls.get(cell)).is_none_or(|&wall| wall)
    }

    /// Whether the straight line between two points keeps out of blocked cells: from cell to cell,
    /// each time through the side or the vertex ahead, by whole numbers.
    fn sees(&self, a: Point, b: Point) -> bool {
        let way = [b[0] - a[0], b[1] - a[1]];
        if way.contains(&0) {
            return self.sees_straight(a, b, usize::from(way[0] == 0));
        }
        let step = way.map(i64::signum);
        // From a side or a vertex of cells it begins in the one ahead.
        let mut cell = [0, 1].map(|i| (2 * a[i] + step[i]).div_euclid(4));
        while !self.is_blocked(cell) {
            let vertex = [0, 1].map(|i| 2 * cell[i] + 1 + step[i]);
            if (0..2).all(|i| (vertex[i] - b[i]) * step[i] >= 0) {
                return true;
            }
            // When it comes to the cell's side across x, and across y.
            let when = [0, 1].map(|i| (vertex[i] - a[i]) * step[i] * way[1 - i].abs());
            let across = [0, 1].map(|i| when[i] <= when[1 - i]);
            let next = [0, 1].map(|i| cell[i] + if across[i] { step[i] } else { 0 });
            let beside = [[next[0], cell[1]], [cell[0], next[1]]];
            if across == [true; 2] && beside.into_iter().all(|cell| self.is_blocked(cell)) {
                return false;
            }
            cell = next;
        }
        false
    }

    /// [`AnyAngle::sees`] along an axis: between two rows of cells, or through the middle of one.
    fn sees_straight(&self, a: Point, b: Point, along: usize) -> bool {
        let (low, high) = (a[along].min(b[along]), a[along].max(b[along]));
        let across = a[1 - along];
        let on_line = across.rem_euclid(2) == 0;
        let rows = [across.div_euclid(2), across.div_euclid(2) - i64::from(on_line)];
        // On a line between two rows it may change sides only where both are open.
        let mut before = [true; 2];
        (low.div_euclid(2)..=(high - 1).div_euclid(2)).all(|i| {
            let cell = |row: i64| if along == 0 { [i, row] } else { [row, i] };
            let open = rows.map(|row| !self.is_blocked(cell(row)));
            let goes_on = (0..2).any(|side| open[side] && before[side]);
            before = open;
            goes_on
        })
    }
}

impl Corner {
    /// Whether a way from or to `point` can turn here: the line leaves the blocked cell on one
    /// side.
    fn turns(&self, point: Point) -> bool {
        let [dx, dy] = [point[0] - self.at[0], point[1] - self.at[1]];
        dx.signum() * dy.signum() * self.blocked[0] * self.blocked[1] <= 0
    }
}

fn centre([y, x]: [usize; 2]) -> Point {
    [2 * x as i64 + 1, 2 * y as i64 + 1]
}

fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]) as f64).hypot((a[1] - b[1]) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walls(rows: &[&str]) -> Array2<bool> {
        let shape = [rows.len(), rows[0].len()];
        Array2::from_shape_fn(shape, |(y, x)| rows[y].as_bytes()[x] == b'#')
    }

    #[test]
    fn ways_turn_at_corners_and_nowhere_else() {
        let room = walls(&["......", "......", "..##..", "..##..", "......"]);
        let field = AnyAngle::new(&room, [3, 0]);
        // Straight; up and over the block by both upper corners; under it.
        assert!((field.length([0, 0]) - 3.0).abs() < 1e-12);
        let under = 1.5_f64.hypot(0.5);
        assert!((field.length([3, 5]) - (2.0 * under + 2.0)).abs() < 1e-12);
        let over = 1.5_f64.hypot(1.5) + 3.5_f64.hypot(0.5);
        let below = under + 2.0 + 1.5_f64.hypot(2.5);
        assert!((field.length([1, 5]) - over.min(below)).abs() < 1e-12);
    }

    #[test]
    fn nothing_passes_between_two_blocked_cells() {
        let diagonal = walls(&[".#", "#."]);
        assert!(AnyAngle::new(&diagonal, [0, 0]).length([1, 1]).is_infinite());
        let other = walls(&["#.", ".#"]);
        assert!(AnyAngle::new(&other, [0, 1]).length([1, 0]).is_infinite());
        let one = walls(&[".#", ".."]);
        let around = AnyAngle::new(&one, [0, 0]).length([1, 1]);
        assert!((around - 2.0_f64.sqrt()).abs() < 1e-12, "it may touch: {around}");
    }

    /// No shorter than the straight line, no longer than over eight directions, symmetric, and the
    /// triangle inequality between three cells.
    #[test]
    fn lengths_are_a_metric() {
        let mut state = 7_u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        for _ in 0..40 {
            let map = Array2::from_shape_fn([14, 17], |_| random(10) < 3);
            let open: Vec<[usize; 2]> =
                map.indexed_iter().filter(|(_, w)| !**w).map(|((y, x), _)| [y, x]).collect();
            let mut any = || open[random(open.len() as u64) as usize];
            let [a, b, c] = [any(), any(), any()];
            let (from_a, from_b) = (AnyAngle::new(&map, a), AnyAngle::new(&map, b));
            let (ab, ac, bc) = (from_a.length(b), from_a.length(c), from_b.length(c));
            assert_eq!(ab.is_finite(), from_b.length(a).is_finite());
            assert!(ab.is_infinite() || (ab - from_b.length(a)).abs() < 1e-9);
            assert!(ac <= ab + bc + 1e-9);
            let straight = distance(centre(a), centre(c)) / 2.0;
            assert!(ac >= straight - 1e-9);
        }
    }
}
