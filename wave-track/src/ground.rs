//! Moving among walls, in cells: exact sweeps of a small box.

use crate::error::TrackError;
use crate::front::TrackerFront;
use wave_core::{Link, Medium, Space};

/// `[units: cells]` How far a pursuer's centre keeps from walls, to every side.
///
/// A pursuer is a box of this half width, so it never touches a wall: it passes a grid vertex (in
/// 3D also an edge) only where all cells around it are free.
pub const SKIN: f64 = 1e-3;

/// How far a blocked face stays short of the cell border: far above rounding, far below [`SKIN`].
const GAP: f64 = 1e-9;
/// Far from 0, where positions are coarser than that, the gap is so many units of their rounding.
const ROUNDINGS: f64 = 4.0;

/// `[units: cells]` A box no further than this from the middle of a cell is within it, however
/// coarse numbers are in the largest grid.
const WITHIN: f64 = 0.5 - 2.0 * SKIN;

/// `[units: cells]` How far around a target is looked for walls for all who stand beside it.
const BESIDE: usize = 2;

pub(crate) type Cells = [f64; 3];

/// The walls of a medium, in cell coordinates `[x, y, z]`.
pub(crate) struct Ground<'a, D: Space> {
    medium: &'a Medium<D>,
    origin: [f64; 3],
    /// The time of the wave for a cell, where it is equally fast everywhere.
    steps_per_cell: Option<f64>,
    has_links: bool,
    /// `[units: cells]` See [`GAP`].
    gap: f64,
}

// Derived implementations would ask the same of D and S.
#[allow(clippy::expl_impl_clone_on_copy)]
impl<D: Space> Clone for Ground<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: Space> Copy for Ground<'_, D> {}

impl<'a, D: Space> Ground<'a, D> {
    pub(crate) fn new(medium: &'a Medium<D>) -> Self {
        let speed = medium.is_uniform().then(|| medium.speed(D::from_zyx([0; 3]))).flatten();
        let steps_per_cell = speed.map(|speed| medium.spacing() / (medium.dt() * speed));
        let has_links = medium.has_links();
        let origin = D::to_xyz(medium.origin());
        let [nz, ny, nx] = D::to_size(medium.shape());
        let furthest = origin.iter().zip([nx, ny, nz]).fold(0.0, |most: f64, (first, cells)| {
            let first = first / medium.spacing();
            most.max(first.abs()).max((first + cells as f64).abs())
        });
        let gap = GAP.max(ROUNDINGS * f64::EPSILON * furthest);
        Self { medium, origin, steps_per_cell, has_links, gap }
    }

    /// Whether the wave is equally fast everywhere.
    pub(crate) fn is_uniform(&self) -> bool {
        self.steps_per_cell.is_some()
    }

    /// The time of a wave for a cell, where it is equally fast everywhere and there are no links.
    pub(crate) fn even_steps_per_cell(&self) -> Option<f64> {
        self.steps_per_cell.filter(|_| !self.has_links)
    }

    /// `[units: steps]` How long a wave takes for the straight way from `p` to `q`.
    pub(crate) fn wave_time(&self, p: Cells, q: Cells) -> f64 {
        let way = distance(p, q);
        way * self.steps_per_cell.unwrap_or_else(|| self.mean_crossing_time(p, q))
    }

    /// [`Ground::crossing_time`] on the straight way from `p` to `q`, cell by cell.
    fn mean_crossing_time(&self, p: Cells, q: Cells) -> f64 {
        let mut cell = p.map(|v| floor(v + 0.5));
        let (mut step, mut length, mut next) = ([0; 3], [f64::INFINITY; 3], [f64::INFINITY; 3]);
        for a in 0..D::AXES {
            let d = q[a] - p[a];
            if d != 0.0 {
                step[a] = if d > 0.0 { 1 } else { -1 };
                length[a] = 1.0 / d.abs();
                let edge = cell[a] as f64 + 0.5 * step[a] as f64;
                next[a] = (edge - p[a]) / d;
            }
        }
        let (mut sum, mut gone) = (0.0, 0.0);
        loop {
            let mut a = usize::from(next[1] < next[0]);
            if next[2] < next[a] {
                a = 2;
            }
            let [x, y, z] = cell.map(|c| c.max(0) as usize);
            let here = self.crossing_time(D::from_zyx([z, y, x]));
            if next[a] >= 1.0 {
                return sum + (1.0 - gone) * here;
            }
            sum += (next[a] - gone) * here;
            gone = next[a];
            next[a] += length[a];
            cell[a] += step[a];
        }
    }

    /// `[units: steps]` How long a wave takes through a cell along an axis, 0 outside the grid.
    pub(crate) fn crossing_time(&self, cell: D::Cell) -> f64 {
        let speed = self.medium.speed(cell).unwrap_or(f64::INFINITY);
        self.medium.spacing() / (self.medium.dt() * speed)
    }

    /// Whether the wave is equally fast in the cell around `p` and all open ones around that.
    pub(crate) fn is_even(self, p: Cells) -> bool {
        let cell = p.map(|v| floor(v + 0.5));
        let speed = |[x, y, z]: [i64; 3]| {
            self.medium.speed(D::from_zyx([z as usize, y as usize, x as usize]))
        };
        let deep = i64::from(D::AXES == 3);
        let mut around = (-deep..=deep).flat_map(|z| {
            (-1..=1)
                .flat_map(move |y| (-1..=1).map(move |x| [cell[0] + x, cell[1] + y, cell[2] + z]))
        });
        let here = speed(cell);
        around.all(|at| !self.is_open(at) || speed(at) == here)
    }

    pub(crate) fn to_cells(self, position: D::Point) -> Cells {
        let p = D::to_xyz(position);
        std::array::from_fn(|a| (p[a] - self.origin[a]) / self.medium.spacing())
    }

    pub(crate) fn to_world(self, p: Cells) -> D::Point {
        D::from_xyz(std::array::from_fn(|a| p[a] * self.medium.spacing() + self.origin[a]))
    }

    /// The cell around a position, `[z, y, x]`; the position must be on the grid.
    #[inline]
    pub(crate) fn cell(p: Cells) -> D::Cell {
        let [x, y, z] = p.map(|v| floor(v + 0.5).max(0) as usize);
        D::from_zyx([z, y, x])
    }

    /// The link by which a front leads home from a cell, unless its end has become a wall since.
    pub(crate) fn link(self, front: &TrackerFront<D>, cell: D::Cell) -> Option<Link<D::Cell>> {
        let links = self.has_links.then_some(self.medium)?;
        front.link(links, cell).filter(|link| !self.medium.is_wall(link.to))
    }

    /// Where the middle of a cell is.
    pub(crate) fn middle(cell: D::Cell) -> Cells {
        let [z, y, x] = D::to_zyx(cell);
        [x as f64, y as f64, z as f64]
    }

    #[inline]
    pub(crate) fn is_open(self, cell: [i64; 3]) -> bool {
        // Negative numbers become too large for any grid.
        let [x, y, z] = cell.map(|c| c as usize);
        (D::AXES == 3 || z == 0) && !self.medium.is_wall(D::from_zyx([z, y, x]))
    }

    /// A place where a body may stand, in cells.
    pub(crate) fn free_place(
        self,
        what: &'static str,
        position: [f64; 3],
    ) -> Result<Cells, TrackError> {
        let at = self.to_cells(D::from_xyz(position));
        self.check_covers(at, what, position)?;
        if !self.is_clear(at) {
            return Err(TrackError::InWall { what, position });
        }
        Ok(at)
    }

    /// Refuses a place off the grid, whose position is `position`.
    pub(crate) fn check_covers(
        self,
        p: Cells,
        what: &'static str,
        position: [f64; 3],
    ) -> Result<(), TrackError> {
        if self.covers(p) { Ok(()) } else { Err(TrackError::OffGrid { what, position }) }
    }

    pub(crate) fn covers(self, p: Cells) -> bool {
        p.iter().all(|v| v.is_finite()) && self.medium.cell_at(self.to_world(p)).is_some()
    }

    /// Whether the box around `p` touches no wall and stays on the grid.
    #[allow(clippy::inline_always)] // a third of the time of most pursuers' steps
    #[inline(always)]
    pub(crate) fn is_clear(self, p: Cells) -> bool {
        // Mostly it lies within a cell.
        let (mut cell, mut is_within) = ([0; 3], true);
        for a in 0..D::AXES {
            cell[a] = whole(p[a]);
            is_within &= (p[a] - cell[a] as f64).abs() < WITHIN;
        }
        if is_within {
            return self.is_open(cell);
        }
        let (low, high) = Self::box_around(p, p);
        self.all_open(low, high)
    }

    /// Whether the box can go straight from `p` to `q`: whether all cells that it touches on the
    /// way are open.
    pub(crate) fn sees(self, p: Cells, q: Cells) -> bool {
        // Mostly all of the box between is open.
        let (low, high) = Self::box_around(p, q);
        let axis = D::AXES - 1;
        has_few_rows(low, high) && self.all_open(low, high) || {
            let all = (low[axis], high[axis]);
            Sweep::new(p, q).is_open_in_parts(self, axis, all, [0; 3], WHOLE_WAY)
        }
    }

    /// The place to which the box comes when it walks from `p` toward `q` and slides along walls,
    /// cell border by cell border.
    pub(crate) fn slide(self, p: Cells, q: Cells) -> Cells {
        // A farther place may be anywhere, and the way there is not short.
        if distance(p, q) < 4.0 && self.is_short_and_open(p, q) {
            return q;
        }
        let mut d: Cells = std::array::from_fn(|a| q[a] - p[a]);
        // The leading face of the box on every axis, and the cell that it is in.
        let face: Cells = std::array::from_fn(|a| p[a] + SKIN.copysign(d[a]) + 0.5);
        let mut cell = face.map(floor);
        let mut stop: [Option<f64>; 3] = [None; 3];
        let border = |a: usize, cell: [i64; 3], d: f64| {
            if d > 0.0 { (cell[a] + 1) as f64 } else { cell[a] as f64 }
        };
        // When each face comes to the next border; 0 / 0 where it is on one and does not move.
        let comes = |a: usize, cell: [i64; 3], d: &Cells| {
            if d[a] == 0.0 { f64::INFINITY } else { (border(a, cell, d[a]) - face[a]) / d[a] }
        };
        let mut times: Cells = std::array::from_fn(|a| comes(a, cell, &d));
        loop {
            // The next border on the way; ties go axis by axis, so that corners are seen whole.
            let (mut time, mut axis) = (f64::INFINITY, 3);
            for (a, &t) in times.iter().enumerate() {
                if t < time {
                    (time, axis) = (t, a);
                }
            }
            if time > 1.0 {
                break;
            }
            let (mut low, mut high) = (cell, cell);
            for a in (0..D::AXES).filter(|&a| a != axis) {
                let at = stop[a].unwrap_or(p[a] + d[a] * time);
                if d[a] > 0.0 {
                    low[a] = (floor(at - SKIN + 0.5)).min(cell[a]);
                } else if d[a] < 0.0 {
                    high[a] = (floor(at + SKIN + 0.5)).max(cell[a]);
                } else {
                    low[a] = floor(at - SKIN + 0.5);
                    high[a] = floor(at + SKIN + 0.5);
                }
            }
            let next = cell[axis] + if d[axis] > 0.0 { 1 } else { -1 };
            (low[axis], high[axis]) = (next, next);
            if self.all_open(low, high) {
                cell[axis] = next;
            } else {
                let at = border(axis, cell, d[axis]);
                stop[axis] = Some(at - (SKIN + self.gap).copysign(d[axis]) - 0.5);
                d[axis] = 0.0;
            }
            times[axis] = comes(axis, cell, &d);
        }
        let mut end: Cells = std::array::from_fn(|a| stop[a].unwrap_or(q[a]));
        for a in 0..D::AXES {
            // Rounding must not carry the face into a cell that was not looked at.
            let face = end[a] + SKIN.copysign(d[a]) + 0.5;
            if d[a] != 0.0 && floor(face) != cell[a] {
                let at = border(a, cell, d[a]);
                end[a] = at - (SKIN + self.gap).copysign(d[a]) - 0.5;
            }
        }
        end
    }

    /// Whether the way is short, as most are, and all cells around it open: a look at all at once.
    #[inline]
    pub(crate) fn is_short_and_open(self, p: Cells, q: Cells) -> bool {
        let (low, high) = Self::box_around(p, q);
        (0..D::AXES).all(|a| high[a] - low[a] <= 1) && self.all_open(low, high)
    }

    /// Whether all cells in the box between `p` and `q`, and those that touch it, are open.
    #[inline]
    pub(crate) fn is_box_open(self, p: Cells, q: Cells) -> bool {
        let (low, high) = Self::box_around(p, q);
        self.all_open(low, high)
    }

    /// The corners of a box of places around `p` among which no wall is: of some cells to every
    /// side where all are open. Without a place if `p` is not clear.
    pub(crate) fn open_box_around(self, p: Cells) -> [Cells; 2] {
        let (mut low, mut high) = Self::box_around(p, p);
        if !self.all_open(low, high) {
            return [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        }
        for a in 0..D::AXES {
            for side in [-1, 1] {
                for _ in 0..BESIDE {
                    let next = side + if side < 0 { low[a] } else { high[a] };
                    let (mut first, mut last) = (low, high);
                    (first[a], last[a]) = (next, next);
                    if !self.all_open(first, last) {
                        break;
                    }
                    (low[a], high[a]) = (low[a].min(next), high[a].max(next));
                }
            }
        }
        [low.map(|c| c as f64 - WITHIN), high.map(|c| c as f64 + WITHIN)]
    }

    #[inline]
    fn box_around(p: Cells, q: Cells) -> ([i64; 3], [i64; 3]) {
        let (mut low, mut high) = ([0; 3], [0; 3]);
        for a in 0..D::AXES {
            low[a] = floor(least(p[a], q[a]) - SKIN + 0.5);
            high[a] = floor(most(p[a], q[a]) + SKIN + 0.5);
        }
        (low, high)
    }

    /// Whether all cells of a box are open, both corners included.
    #[inline]
    fn all_open(self, low: [i64; 3], high: [i64; 3]) -> bool {
        // Negative numbers become too large for any grid.
        let cell = |[x, y, z]: [i64; 3]| D::from_zyx([z as usize, y as usize, x as usize]);
        (D::AXES == 3 || low[2] == 0 && high[2] == 0)
            && self.medium.is_open_box(cell(low), cell(high))
    }
}

/// A way as a part of itself.
const WHOLE_WAY: [f64; 2] = [0.0, 1.0];

/// A box of more rows is looked at in halves at once: on three axes it may have thousands.
const MANY_ROWS: i64 = 64;

#[inline]
fn has_few_rows(low: [i64; 3], high: [i64; 3]) -> bool {
    (high[1] - low[1] + 1) * (high[2] - low[2] + 1) <= MANY_ROWS
}

/// The straight way of a body, whose middle goes from `p` to `q`.
struct Sweep {
    p: Cells,
    q: Cells,
    d: Cells,
    /// One over `d`.
    parts: Cells,
}

impl Sweep {
    fn new(p: Cells, q: Cells) -> Self {
        let d: Cells = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
        Self { p, q, d, parts: d.map(|d| 1.0 / d) }
    }

    /// The cells along an axis, the first and the last, that the body touches in a part of the way.
    #[inline]
    fn cells(&self, a: usize, [from, to]: [f64; 2]) -> (i64, i64) {
        let at = |part| if part < 1.0 { self.p[a] + self.d[a] * part } else { self.q[a] };
        let (u, v) = (at(from), at(to));
        (floor(least(u, v) - SKIN + 0.5), floor(most(u, v) + SKIN + 0.5))
    }

    /// In which part of a part of the way the body touches cells along an axis.
    #[inline]
    fn during(&self, a: usize, (low, high): (i64, i64), [from, to]: [f64; 2]) -> [f64; 2] {
        if self.d[a] == 0.0 {
            return [from, to];
        }
        let reach = (0.5 + SKIN).copysign(self.d[a]);
        let (first, last) = if self.d[a] > 0.0 { (low, high) } else { (high, low) };
        let (first, last) = (first as f64 - self.p[a], last as f64 - self.p[a]);
        let (first, last) = ((first - reach) * self.parts[a], (last + reach) * self.parts[a]);
        [most(first, from), least(last, to)]
    }

    /// Whether all cells are open that the body touches in a part of the way and that lie between
    /// two along an axis. First it looks at all cells of the smallest box around them; if that is
    /// not open, at both halves, down to one cell along this axis, and then at those along the next
    /// one. `chosen` has the cells along higher axes.
    fn is_open<D: Space>(
        &self,
        ground: Ground<'_, D>,
        axis: usize,
        (low, high): (i64, i64),
        chosen: [i64; 3],
        part: [f64; 2],
    ) -> bool {
        let here = self.during(axis, (low, high), part);
        let (mut first, mut last) = (chosen, chosen);
        (first[axis], last[axis]) = (low, high);
        for a in 0..axis {
            (first[a], last[a]) = self.cells(a, here);
        }
        has_few_rows(first, last) && ground.all_open(first, last)
            || self.is_open_in_parts(ground, axis, (low, high), chosen, part)
    }

    /// The same without the first look.
    fn is_open_in_parts<D: Space>(
        &self,
        ground: Ground<'_, D>,
        axis: usize,
        (low, high): (i64, i64),
        mut chosen: [i64; 3],
        part: [f64; 2],
    ) -> bool {
        if low < high {
            let middle = low + (high - low) / 2;
            return self.is_open(ground, axis, (low, middle), chosen, part)
                && self.is_open(ground, axis, (middle + 1, high), chosen, part);
        }
        chosen[axis] = low;
        let here = self.during(axis, (low, high), part);
        let next = axis - 1;
        next > 0 && self.is_open_in_parts(ground, next, self.cells(next, here), chosen, here)
    }
}

/// The largest whole number not above `v`, which is less than 2^51 away from 0. The baseline
/// instruction set has no instruction for it: `f64::floor` is a call into a library, and casts
/// check the range.
#[inline]
pub(crate) fn floor(v: f64) -> i64 {
    whole(v).wrapping_sub(i64::from(v + WHOLE - WHOLE > v))
}

/// The nearest whole number, within the same limits.
#[inline]
fn whole(v: f64) -> i64 {
    (v + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits()) as i64
}

/// Where numbers lie 1 apart, so that sums are rounded to whole ones.
const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;

/// The smaller of two numbers; `f64::min` also checks for NaN.
#[inline]
pub(crate) fn least(u: f64, v: f64) -> f64 {
    if u < v { u } else { v }
}

/// The larger of two numbers.
#[inline]
pub(crate) fn most(u: f64, v: f64) -> f64 {
    if u > v { u } else { v }
}

#[inline]
pub(crate) fn distance(p: Cells, q: Cells) -> f64 {
    let d = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

#[inline]
pub(crate) fn dot(p: Cells, q: Cells) -> f64 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

/// When a walker at `p` with `speed` meets one at `q` that goes on at `velocity`, if no wall is
/// between; infinite if never.
pub(crate) fn meeting_time(p: Cells, speed: f64, q: Cells, velocity: Cells) -> f64 {
    // |q + velocity t - p| = speed t
    let off = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let (squares, along) = (speed * speed - dot(velocity, velocity), dot(off, velocity));
    let root = along * along + squares * dot(off, off);
    if root < 0.0 {
        return f64::INFINITY;
    }
    // Of the two forms of the root, the one without a subtraction.
    let time = if along > 0.0 {
        (along + root.sqrt()) / squares
    } else {
        dot(off, off) / (root.sqrt() - along)
    };
    if time >= 0.0 { time } else { f64::INFINITY }
}

/// The point `length` from `p` toward `q`, or `q` if it is nearer.
pub(crate) fn toward(p: Cells, q: Cells, length: f64) -> Cells {
    let all = distance(p, q);
    if all <= length {
        return q;
    }
    between(p, q, length / all)
}

/// The point at a part of the straight way from `p` to `q`.
pub(crate) fn between(p: Cells, q: Cells, part: f64) -> Cells {
    [0, 1, 2].map(|a: usize| p[a] + (q[a] - p[a]) * part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array, Ix2, Ix3};
    use proptest::prelude::*;
    use proptest::{collection, test_runner::TestCaseResult};

    #[test]
    fn who_goes_to_a_meeting_place_meets() {
        let velocities =
            [[0.3, 0.0], [-0.4, 0.2], [0.0, -0.45], [0.35, 0.35], [0.7, 0.1], [-0.7, -0.2]];
        for [vx, vy] in velocities {
            let (p, q, velocity) = ([1.0, 2.0, 0.0], [9.0, 5.0, 0.0], [vx, vy, 0.0]);
            let time = meeting_time(p, 0.5, q, velocity);
            if time.is_finite() {
                let there = std::array::from_fn(|a| q[a] + velocity[a] * time);
                assert!((distance(p, there) - 0.5 * time).abs() < 1e-9, "{velocity:?}");
            } else {
                // A faster walker that goes away is never met.
                assert!(vx.hypot(vy) > 0.5 && vx > 0.0);
            }
        }
    }

    /// Places in the grid, some of them as near to a wall as possible.
    fn place<D: Space>(ground: Ground<'_, D>, parts: [f64; 3]) -> Option<Cells> {
        let [nz, ny, nx] = D::to_size(ground.medium.shape());
        let at = std::array::from_fn(|a| {
            let n = [nx, ny, nz][a] as f64;
            let part = parts[a] * 1.25;
            if n == 1.0 {
                0.0
            } else if part < 1.0 {
                part * (n - 1.0)
            } else {
                ((part - 1.0) * 4.0 * (n - 1.0)).floor() + 0.5 - SKIN - GAP
            }
        });
        ground.is_clear(at).then_some(at)
    }

    fn check_sight<D: Space>(ground: Ground<'_, D>, p: Cells, q: Cells) -> TestCaseResult {
        let sees = ground.sees(p, q);
        prop_assert_eq!(sees, ground.slide(p, q) == q, "from {:?} to {:?}", p, q);
        prop_assert_eq!(sees, ground.sees(q, p), "from {:?} to {:?} and back", p, q);
        let clear = (0..=300).all(|i| {
            let part = f64::from(i) / 300.0;
            ground.is_clear(std::array::from_fn(|a| p[a] + (q[a] - p[a]) * part))
        });
        prop_assert!(clear || !sees, "from {:?} to {:?}", p, q);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// A look at one cell, where that is enough, tells what a look at all would.
        #[test]
        fn a_place_is_clear_if_no_cell_that_it_touches_is_a_wall(
            walls in collection::vec(any::<bool>(), 64),
            cell in [-1..9i64, -1..9i64],
            off in [0..8usize, 0..8usize],
            more in [-1.0..1.0f64, -1.0..1.0f64],
        ) {
            let walls = Array::from_vec(walls).into_shape_with_order([8, 8]).unwrap();
            let medium = Medium::<Ix2>::builder([8, 8]).walls(&walls).build().unwrap();
            let ground = Ground::new(&medium);
            let edges = [0.0, 0.25, WITHIN, 0.5 - SKIN - GAP, 0.5 - SKIN, 0.5, -WITHIN, SKIN - 0.5];
            let at = |a: usize| cell[a] as f64 + edges[off[a]] + more[a] * 4.0 * GAP;
            let p = [at(0), at(1), 0.0];
            let (low, high) = Ground::<Ix2>::box_around(p, p);
            prop_assert_eq!(ground.is_clear(p), ground.all_open(low, high), "{:?}", p);
        }

        #[test]
        fn who_sees_a_place_comes_there_straight(
            walls in collection::vec(0.0..1.0f64, 360),
            share in prop::sample::select(vec![0.03, 0.3]),
            ends in collection::vec(any::<[(u32, u32, u32); 2]>(), 10),
        ) {
            let parts = |(x, y, z)| [x, y, z].map(|v| f64::from(v) / 2f64.powi(32));
            let wall = walls.iter().map(|&w| w < share);
            let flat = [[4, 90], [90, 4]].map(|shape| {
                let walls = Array::from_iter(wall.clone()).into_shape_with_order(shape).unwrap();
                Medium::<Ix2>::builder(shape).walls(&walls).build().unwrap()
            });
            let deep = Array::from_iter(wall).into_shape_with_order([5, 9, 8]).unwrap();
            let deep = Medium::<Ix3>::builder([5, 9, 8]).walls(&deep).build().unwrap();
            for ends in ends {
                for flat in &flat {
                    let ground = Ground::new(flat);
                    if let [Some(p), Some(q)] = ends.map(|end| place(ground, parts(end))) {
                        check_sight(ground, p, q)?;
                        check_sight(ground, p, [p[0], q[1], 0.0])?;
                    }
                }
                let ground = Ground::new(&deep);
                if let [Some(p), Some(q)] = ends.map(|end| place(ground, parts(end))) {
                    check_sight(ground, p, q)?;
                }
            }
        }
    }

    #[test]
    fn floors_are_those_of_the_library() {
        for v in [
            -2.5,
            -2.0,
            -1e-12,
            -0.0,
            0.0,
            0.3,
            1.0,
            7.999_999_999,
            1e9 + 0.5,
            0.5 - 2e15,
            2e15 - 0.5,
        ] {
            assert_eq!(floor(v) as f64, f64::floor(v), "{v}");
        }
    }
}
