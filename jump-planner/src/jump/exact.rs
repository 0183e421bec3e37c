//! The exact rule: is there any launch point in one open square and any landing point in another
//! whose arc clears every cell?
//!
//! The pairs of points form a box in four dimensions. The margin of a pair is the least height by
//! which its arc clears the ground. A few pairs and an ascent from the best of them find most jumps
//! that exist. The other jumps are decided by branch and bound, best bound first: for a box of
//! launch points and a box of landing points, every grid line that all segments between them must
//! cross bounds the margin of all of them at once. A box without a positive bound is done with; one
//! whose bound is positive is cut in two. So "blocked" is proved, and "clear" has a witness. A jump
//! that is still open when no bound exceeds the tolerance, or when the work exceeds a limit, is
//! marginal.

use crate::jump::ballistics::{ArcKind, Ballistics};
use crate::jump::clearance::{Body, Ground, Trajectory, body_margin, least_w, point_margin};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Boxes looked at before a question counts as marginal.
const MOST_BOXES: usize = 1000;
/// How far inside a square its outermost points are taken, in cells.
const INSET: f64 = 1e-7;
/// So many steps of one size that help in a row are followed by longer ones: a ridge between cliffs
/// is as long as a cell and a millionth as wide, and took 786,000 steps without.
const PATIENCE: usize = 16;
/// Steps of one search, at most: a ridge that bends allows no longer ones.
const MOST_STEPS: usize = 1024;

/// One question: from which square to which.
#[derive(Clone, Copy)]
pub(crate) struct Question<G> {
    pub(crate) ground: G,
    pub(crate) body: Body,
    pub(crate) law: Ballistics,
    /// The square of a cell's side.
    pub(crate) size2: f64,
    /// As (x, y).
    pub(crate) from: [usize; 2],
    pub(crate) to: [usize; 2],
    pub(crate) base: f64,
    /// The height of the landing.
    pub(crate) end: f64,
    /// `end - base`
    pub(crate) gain: f64,
    /// `[units: length]`
    pub(crate) tolerance: f64,
}

/// A pair of points whose arc is clear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    /// (x, y) in cells.
    pub(crate) from: [f64; 2],
    pub(crate) to: [f64; 2],
    pub(crate) kind: ArcKind,
    pub(crate) margin: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Clear(Found),
    /// None found; none has more margin than this.
    Marginal(f64),
    Blocked,
}

/// How much is done to find a clear flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Effort {
    /// A few flights.
    Look,
    /// Also the ascent from the best of them.
    Ascent,
    /// Until it is decided.
    Proof,
}

/// Launch x, y, landing x, y.
pub(super) type Pair = [f64; 4];

#[derive(Clone, Copy)]
struct Region {
    low: Pair,
    high: Pair,
    bound: f64,
}

/// The result of a search without proof.
enum Sought {
    Clear((f64, Pair)),
    /// The bound of all pairs at once says so.
    Blocked,
    /// All pairs, and the best one that was found.
    Open {
        root: Region,
        best: (f64, Pair),
    },
}

impl PartialEq for Region {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Region {}
impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Region {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = || self.low.iter().zip(&other.low).map(|(a, b)| a.total_cmp(b));
        let ties = || places().find(|o| o.is_ne()).unwrap_or(Ordering::Equal);
        let size = || self.size().total_cmp(&other.size());
        self.bound.total_cmp(&other.bound).then_with(size).then_with(ties)
    }
}

impl Region {
    fn size(&self) -> f64 {
        (0..4).map(|i| self.high[i] - self.low[i]).sum()
    }
}

impl<H> Question<H> {
    /// The same question over some ground.
    #[inline]
    pub(crate) fn over<G>(&self, ground: G) -> Question<G> {
        let Self { body, law, size2, from, to, base, end, gain, tolerance, .. } = *self;
        Question { ground, body, law, size2, from, to, base, end, gain, tolerance }
    }
}

impl<G: Ground> Question<G> {
    /// Decides the question. Callers have made sure that the two squares differ, and that the
    /// nearest points are within reach.
    pub(crate) fn decide(&self) -> Verdict {
        if !self.ground.is_roofed() {
            return self.decide_by(ArcKind::High);
        }
        // The low arc passes under ceilings that the high one hits.
        match (self.decide_by(ArcKind::High), || self.decide_by(ArcKind::Low)) {
            (clear @ Verdict::Clear(_), _) => clear,
            (Verdict::Blocked, low) => low(),
            (Verdict::Marginal(bound), low) => match low() {
                Verdict::Blocked => Verdict::Marginal(bound),
                Verdict::Marginal(other) => Verdict::Marginal(bound.max(other)),
                clear @ Verdict::Clear(_) => clear,
            },
        }
    }

    /// Whether one of the first flights to look at is clear; `false` says nothing.
    pub(crate) fn is_easy(&self) -> bool {
        self.near().0 > 0.0
    }

    /// The flight that [`Question::is_easy`] tells of.
    pub(crate) fn easy(&self) -> Option<Found> {
        let (margin, [a, b, c, d]) = self.near();
        let found = Found { from: [a, b], to: [c, d], kind: ArcKind::High, margin };
        (margin > 0.0).then_some(found)
    }

    /// The flight that [`Question::is_likely`] has found. If it has found none: whether none
    /// exists for certain.
    pub(crate) fn likely(&self) -> Result<Found, bool> {
        match self.seek(ArcKind::High) {
            Sought::Clear((margin, [a, b, c, d])) => {
                Ok(Found { from: [a, b], to: [c, d], kind: ArcKind::High, margin })
            }
            // Under ceilings the low arc may still be clear.
            Sought::Blocked => Err(!self.ground.is_roofed()),
            Sought::Open { .. } => Err(false),
        }
    }

    /// The best one of a few flights to near the nearest point, from near and from the middle.
    fn near(&self) -> (f64, Pair) {
        let [dx, dy] = [0, 1].map(|axis: usize| self.from[axis].abs_diff(self.to[axis]));
        let leans: &[f64] = if dx == dy { &[-0.125, 0.125] } else { &[0.0] };
        let mut best = (f64::NEG_INFINITY, self.along(0.5, 0.5));
        for launch in [31.0 / 32.0, 0.5] {
            for lean in leans {
                let pair = self.lean(self.along(launch, 1.0 / 32.0), *lean);
                best = better(best, (self.margin(ArcKind::High, pair), pair));
                if best.0 > 0.0 {
                    return best;
                }
            }
        }
        if dx.min(dy) == 1 && dx.max(dy) == 2 {
            for pair in self.aside(usize::from(dx < dy)) {
                best = better(best, (self.margin(ArcKind::High, pair), pair));
                if best.0 > 0.0 {
                    return best;
                }
            }
        }
        best
    }

    /// Both ends of a diagonal way moved aside, so that it runs past the corners: on one side where
    /// `lean` is negative, on the other where it is positive.
    fn lean(&self, mut pair: Pair, lean: f64) -> Pair {
        let back = usize::from(lean > 0.0);
        for (axis, sign) in [(back, -1.0), (3 - back, 1.0)] {
            let ahead = if self.to[axis % 2] > self.from[axis % 2] { 1.0 } else { -1.0 };
            pair[axis] += sign * ahead * lean.abs();
        }
        pair
    }

    /// Two ways to a cell two away along the axis `long` and one along the other: first aside,
    /// beside the launch; and aside at last, beside the landing.
    fn aside(&self, long: usize) -> [Pair; 2] {
        // Shares of the squares, as seen along the way.
        let pair = |launch: [f64; 2], landing: [f64; 2]| {
            let mut pair = [0.0; 4];
            for (axis, k) in [(long, 0), (1 - long, 1)] {
                let ahead = self.to[axis] > self.from[axis];
                let at = |share: f64| if ahead { share } else { 1.0 - share };
                pair[axis] = self.from[axis] as f64 + at(launch[k]);
                pair[axis + 2] = self.to[axis] as f64 + at(landing[k]);
            }
            pair
        };
        let (little, some, much) = (1.0 / 64.0, 0.125, 0.3);
        [
            pair([1.0 - some, 1.0 - little], [2.0 * little, much]),
            pair([1.0 - 2.0 * little, 1.0 - much], [some, little]),
        ]
    }

    fn decide_by(&self, kind: ArcKind) -> Verdict {
        match self.seek(kind) {
            Sought::Clear(found) => Self::found(kind, found),
            Sought::Blocked => Verdict::Blocked,
            Sought::Open { root, best } => self.branch(kind, root, best),
        }
    }

    /// Whether the bound of all pairs at once excludes the jump, by more than the tolerance so that
    /// no rounding tells otherwise than [`Question::decide`]; `false` says nothing, as under
    /// ceilings.
    pub(crate) fn is_hopeless(&self) -> bool {
        let root = self.root();
        !self.ground.is_roofed()
            && self.bound(ArcKind::High, &root.low, &root.high) < -self.tolerance
    }

    /// Whether a few flights and a search from the best of them find a clear one; `false` says
    /// nothing.
    pub(crate) fn is_likely(&self) -> bool {
        self.likely().is_ok()
    }

    /// Whether there is a clear flight, as far as a search without a proof tells.
    pub(crate) fn sought(&self) -> Option<bool> {
        match self.likely() {
            Ok(_) => Some(true),
            Err(is_none) => is_none.then_some(false),
        }
    }

    fn seek(&self, kind: ArcKind) -> Sought {
        let near = self.along(31.0 / 32.0, 1.0 / 32.0);
        let mut best =
            if kind == ArcKind::High { self.near() } else { (self.margin(kind, near), near) };
        if best.0 > 0.0 {
            return Sought::Clear(best);
        }
        let root = self.root();
        let bound = self.bound(kind, &root.low, &root.high);
        if bound <= 0.0 {
            return Sought::Blocked;
        }
        for (launch, landing) in [(1.0, 1.0), (16.0, 16.0), (1.0, 31.0)] {
            let pair = self.along(launch / 32.0, landing / 32.0);
            best = better(best, (self.margin(kind, pair), pair));
        }
        best = self.ascend(kind, best, true);
        if best.0 > 0.0 {
            return Sought::Clear(best);
        }
        Sought::Open { root: Region { bound, ..root }, best }
    }

    /// Cuts boxes up. Boxes that stay open are looked at once more for the slowest flight, whose
    /// pair of points is clear at any higher speed, however small the place for it is.
    fn branch(&self, kind: ArcKind, root: Region, mut best: (f64, Pair)) -> Verdict {
        let verdict = self.cut_up(kind, root, &mut best);
        let point = self.body.radius == 0.0 && !self.ground.is_roofed();
        if let (Verdict::Marginal(_), true) = (verdict, point && kind == ArcKind::High) {
            let (_, pair) = self.slowest_from(best.1);
            let margin = self.margin(kind, pair);
            if margin > 0.0 {
                return Self::found(kind, (margin, pair));
            }
        }
        verdict
    }

    fn cut_up(&self, kind: ArcKind, root: Region, best: &mut (f64, Pair)) -> Verdict {
        let mut heap = BinaryHeap::from([root]);
        for count in 0..MOST_BOXES {
            #[cfg(test)]
            tests::count_step();
            let Some(region) = heap.pop() else {
                return Verdict::Blocked;
            };
            if region.bound <= self.tolerance {
                return Verdict::Marginal(region.bound);
            }
            for half in self.halves(kind, &region) {
                if half.bound <= 0.0 {
                    continue;
                }
                let pair = std::array::from_fn(|i| 0.5 * (half.low[i] + half.high[i]));
                let margin = self.margin(kind, pair);
                if margin > best.0 || count % 16 == 0 {
                    *best = better(*best, self.ascend(kind, (margin, pair), true));
                    if best.0 > 0.0 {
                        return Self::found(kind, *best);
                    }
                }
                heap.push(half);
            }
        }
        heap.peek().map_or(Verdict::Blocked, |region| Verdict::Marginal(region.bound))
    }

    /// Cut in two where that brings the bounds down most.
    fn halves(&self, kind: ArcKind, region: &Region) -> [Region; 2] {
        let mut best = [*region; 2];
        let mut score = [f64::INFINITY; 2];
        for axis in 0..4 {
            let width = region.high[axis] - region.low[axis];
            if 4.0 * width < region.size() / 4.0 {
                continue;
            }
            let middle = self.cut(region.low[axis], region.high[axis]);
            let mut halves = [*region; 2];
            halves[0].high[axis] = middle;
            halves[1].low[axis] = middle;
            for half in &mut halves {
                half.bound = self.bound(kind, &half.low, &half.high);
            }
            let bounds = halves.map(|half| half.bound.max(0.0));
            // The sum tells; where no cut helps, the widest side is cut.
            let this = [bounds[0] + bounds[1], -width];
            if this < score {
                (best, score) = (halves, this);
            }
        }
        best
    }

    fn found(kind: ArcKind, (margin, pair): (f64, Pair)) -> Verdict {
        let [a, b, c, d] = pair;
        Verdict::Clear(Found { from: [a, b], to: [c, d], kind, margin })
    }

    /// The high arc between the nearest points, clear or not.
    pub(crate) fn nearest(&self) -> Found {
        let [a, b, c, d] = self.along(1.0 - INSET, INSET);
        let margin = self.margin(ArcKind::High, [a, b, c, d]);
        Found { from: [a, b], to: [c, d], kind: ArcKind::High, margin }
    }

    /// The pair with the largest margin that an ascent from `found` comes to.
    pub(crate) fn safest(&self, found: Found) -> Found {
        let pair = [found.from[0], found.from[1], found.to[0], found.to[1]];
        let (margin, [a, b, c, d]) = self.ascend(found.kind, (found.margin, pair), false);
        Found { from: [a, b], to: [c, d], kind: found.kind, margin }
    }

    fn root(&self) -> Region {
        let [a, b, c, d] = [self.from[0], self.from[1], self.to[0], self.to[1]].map(|v| v as f64);
        Region {
            low: [a, b, c, d],
            high: [a + 1.0, b + 1.0, c + 1.0, d + 1.0],
            bound: f64::INFINITY,
        }
    }

    /// A pair at these shares of the two squares along the way; side by side in the middle.
    fn along(&self, launch: f64, landing: f64) -> Pair {
        let at = |axis: usize, share: f64| match self.to[axis].cmp(&self.from[axis]) {
            Ordering::Greater => share,
            Ordering::Equal => 0.5,
            Ordering::Less => 1.0 - share,
        };
        let from = |axis: usize| self.from[axis] as f64 + at(axis, launch);
        let to = |axis: usize| self.to[axis] as f64 + at(axis, landing);
        [from(0), from(1), to(0), to(1)]
    }

    /// The margin of a pair, at most the jump height; far below 0, but rising toward reach, where
    /// it is out of reach.
    pub(crate) fn margin(&self, kind: ArcKind, pair: Pair) -> f64 {
        self.margin_above(kind, pair, f64::NEG_INFINITY)
    }

    /// As [`Question::margin`]; exact only where it is above `enough`.
    fn margin_above(&self, kind: ArcKind, pair: Pair, enough: f64) -> f64 {
        let [a, b, c, d] = pair;
        let d2 = ((c - a) * (c - a) + (d - b) * (d - b)) * self.size2;
        let Some(w) = self.law.w(kind, d2, self.gain) else {
            return -1e12 + (self.law.most_gain(d2) - self.gain);
        };
        let Self { base, end, gain, .. } = *self;
        let flight = Trajectory { from: [a, b], to: [c, d], base, end, gain, w };
        let margin = if self.body.radius > 0.0 || self.ground.is_roofed() {
            body_margin(&self.ground, self.body, &flight)
        } else {
            point_margin(&self.ground, &flight, enough)
        };
        margin.min(self.law.most_gain(0.0))
    }

    /// The pair with the largest margin that a search from `start` comes to, or one with a positive
    /// margin if that is enough.
    fn ascend(&self, kind: ArcKind, start: (f64, Pair), enough: bool) -> (f64, Pair) {
        let done = |best: f64| enough && best > 0.0;
        self.climb(start, 1e-3, done, |pair, above| self.margin_above(kind, pair, above))
    }

    /// Pattern search for a large value: the best step along one of four axes, steps halved where
    /// none helps, and doubled where many did, down to `finest` or until it is done. A value need
    /// be exact only above what it is compared with.
    fn climb(
        &self,
        start: (f64, Pair),
        finest: f64,
        done: impl Fn(f64) -> bool,
        value: impl Fn(Pair, f64) -> f64,
    ) -> (f64, Pair) {
        let root = self.root();
        let mut best = start;
        let (mut step, mut taken, mut left) = (0.25, 0, MOST_STEPS);
        while step > finest && left > 0 && !done(best.0) {
            left -= 1;
            #[cfg(test)]
            tests::count_step();
            let mut next = best;
            for axis in 0..4 {
                for sign in [-1.0, 1.0] {
                    let mut pair = best.1;
                    let (low, high) = (root.low[axis] + INSET, root.high[axis] - INSET);
                    pair[axis] = (pair[axis] + sign * step).clamp(low, high);
                    if pair[axis] != best.1[axis] {
                        next = better(next, (value(pair, next.0), pair));
                    }
                }
            }
            if next.0 > best.0 {
                (best, taken) = (next, taken + 1);
                if taken == PATIENCE {
                    (step, taken) = (f64::min(2.0 * step, 0.25), 0);
                }
            } else {
                (step, taken) = (0.5 * step, 0);
            }
        }
        best
    }

    /// `[units: length / time]` The least launch speed that a search from `found` comes to, for a
    /// point without ceilings: for one pair of points it has a formula.
    pub(crate) fn slowest(&self, found: Found) -> f64 {
        let [a, b, c, d] = [found.from[0], found.from[1], found.to[0], found.to[1]];
        self.slowest_from([a, b, c, d]).0.sqrt()
    }

    /// The square of that speed, and the pair of points.
    fn slowest_from(&self, start: Pair) -> (f64, Pair) {
        let slowness = |pair: Pair| {
            let [a, b, c, d] = pair;
            let d2 = ((c - a) * (c - a) + (d - b) * (d - b)) * self.size2;
            let need = least_w(&self.ground, [[a, b], [c, d]], self.base, self.gain);
            let w = need.max(self.gain + (self.gain * self.gain + d2).sqrt());
            -self.law.speed2(w, d2, self.gain)
        };
        let seeds = [start, self.along(1.0 - INSET, INSET), self.along(0.5, INSET)];
        let climbed = seeds.map(|seed| {
            self.climb((slowness(seed), seed), 1e-6, |_| false, |pair, _| slowness(pair))
        });
        let (best, pair) = better(better(climbed[0], climbed[1]), climbed[2]);
        (-best, pair)
    }
}

fn better(one: (f64, Pair), other: (f64, Pair)) -> (f64, Pair) {
    if other.0 > one.0 { other } else { one }
}

#[cfg(test)]
mod tests {
    use crate::{Character, JumpGraph, Terrain};
    use ndarray::Array2;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use std::cell::Cell;

    thread_local!(static STEPS: Cell<u64> = const { Cell::new(0) });

    pub(super) fn count_step() {
        STEPS.set(STEPS.get() + 1);
    }

    /// A search for a flight crept along the ridges between cliffs: up to 8000 steps for each cell
    /// of these levels. The test counts steps, which do not depend on how busy the machine is; the
    /// search took minutes then.
    #[test]
    fn audits_among_cliffs_take_few_steps() {
        const STOREYS: [f64; 6] = [100.0, -100.0, 0.0, 1.0, -1.0, 10.0];
        // Each thread counts its own.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for (side, radius) in [(20, 0.0), (30, 0.0), (8, 0.1)] {
            for seed in 0..3 {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut storey = || STOREYS[rng.random_range(0..STOREYS.len())];
                let heights = Array2::from_shape_simple_fn((side, side), &mut storey);
                let terrain = Terrain::builder(&heights).build().unwrap();
                let character = Character::builder(2.5).body(radius, 1.0).build().unwrap();
                let graph = JumpGraph::new(terrain, character).unwrap();
                let steps = pool.install(|| {
                    STEPS.set(0);
                    graph.audit(None).unwrap();
                    STEPS.get()
                });
                let cells = (side * side) as u64;
                assert!((50 * cells..700 * cells).contains(&steps), "{side}, {seed}: {steps}");
            }
        }
    }
}
