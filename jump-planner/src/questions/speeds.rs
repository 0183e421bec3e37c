//! The launch speeds at which reachability changes.
//!
//! Under the exact rule without ceilings a faster character can do whatever a slower one can. So
//! each jump has a least launch speed, a way needs the largest of its jumps, and a cell the
//! smallest of its ways: bottleneck paths, by Dijkstra's algorithm with the maximum in place of the
//! sum. Moves between neighbours come first, whose speeds have a formula; of the longer jumps only
//! those are looked at whose least speed in free air would better a cell, and they are decided in
//! the order of that bound.

use crate::cell::Cell;
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::moves::{Move, MoveKind};
use crate::graph::rule::JumpRule;
use crate::parallel;
use crate::storage::{Ground, PlaceName, Storage};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Speeds that differ by less than this share count as one.
const PRECISION: f64 = 1e-6;
/// Cells in one piece of work.
const PIECE: usize = 8192;
const NONE: u32 = u32::MAX;

/// A launch speed at which more ground comes within reach.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpeedStep<P = Cell> {
    /// `[units: length / time]` Above this launch speed the ground is reached, below it is not, as
    /// far as [`JumpGraph::least_launch_speed`] holds: within a relative 2e-4 above it the jump may
    /// still be marginal, and for a body some parts in a thousand below it another one may be
    /// clear.
    pub speed: f64,
    /// Cells that come within reach.
    pub gained: usize,
    /// Cells within reach above this speed, in all.
    pub reached: usize,
    /// A move that opens it: the jump that needs this speed. `None` for ground that is reached
    /// without any.
    pub witness: Option<Move<P>>,
}

impl<P> SpeedStep<P> {
    /// The same step, its places named otherwise.
    pub fn map<Q>(self, name: impl FnMut(P) -> Q) -> SpeedStep<Q> {
        let Self { speed, gained, reached, witness } = self;
        SpeedStep { speed, gained, reached, witness: witness.map(|step| step.map(name)) }
    }
}

/// For every cell the least launch speed at which it can be reached from a start.
///
/// ```
/// use jump_planner::{Character, JumpGraph, Terrain};
///
/// // A ditch of two cells: sqrt(g d) in free air; and a step of half a metre: sqrt(2 g h).
/// let terrain = Terrain::from_rows(&[[0.0, -9.0, -9.0, 0.0, 0.5]])?;
/// let graph = JumpGraph::new(terrain, Character::builder(6.0).gravity(9.81).build()?)?;
/// let speeds = graph.speed_steps([0, 0])?;
/// let over = speeds.least(graph.terrain(), [0, 3]).expect("over the ditch");
/// assert!((over - (9.81_f64 * 2.0).sqrt()).abs() < 1e-4);
/// assert_eq!(speeds.least(graph.terrain(), [0, 1]), Some(0.0)); // one falls in at any speed
/// let gained: Vec<_> = speeds.steps().iter().map(|step| step.gained).collect();
/// assert_eq!(gained, [3, 2]); // start and ditch; then both cells behind it
/// # Ok::<(), jump_planner::JumpError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedSteps<P = Cell> {
    least: Vec<f64>,
    steps: Vec<SpeedStep<P>>,
}

/// A jump that may bring a cell within reach at `speed`; `sure`: it does.
#[derive(Clone, Copy, PartialEq)]
struct Entry {
    speed: f64,
    from: u32,
    to: u32,
    sure: bool,
}

impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    /// Sure ones first: that spares decisions.
    fn cmp(&self, other: &Self) -> Ordering {
        let (ends, others) =
            ((!self.sure, self.to, self.from), (!other.sure, other.to, other.from));
        self.speed.total_cmp(&other.speed).then_with(|| ends.cmp(&others))
    }
}

struct Search<'a, T> {
    graph: &'a JumpGraph<T>,
    least: Vec<f64>,
    /// The speed that is known to suffice, found or still in the heap.
    known: Vec<f64>,
    /// From where each cell is reached at its speed.
    before: Vec<u32>,
    heap: BinaryHeap<Reverse<Entry>>,
    /// Whether longer jumps are looked at.
    far: bool,
}

impl<T: Storage> JumpGraph<T> {
    /// The launch speeds, up to the character's own, at which more ground can be reached from
    /// `start`. Of each jump it is that of [`JumpGraph::least_launch_speed`], with its tolerances;
    /// a jump that is marginal counts as none.
    ///
    /// # Errors
    /// As [`JumpGraph::exists`]; [`JumpError::NotMonotone`] under the published rule and
    /// under ceilings, where more speed may cost jumps.
    ///
    /// # Complexity
    /// O(cells x log cells), and O(cells within reach) more for each cell that no walk or fall
    /// leads to, with decisions only for jumps that may better a cell.
    pub fn speed_steps(&self, start: T::Place) -> Result<SpeedSteps<T::Place>, JumpError> {
        let under = match self.rule() {
            JumpRule::Published => Some("under the published rule"),
            JumpRule::Exact { .. } if self.terrain().has_ceilings() => Some("under ceilings"),
            JumpRule::Exact { .. } => None,
        };
        if let Some(under) = under {
            return Err(JumpError::NotMonotone { under });
        }
        let start = self.ground_index(start)?;
        let cells = self.terrain().floors().len();
        let heap = BinaryHeap::new();
        let (least, before) = (vec![f64::INFINITY; cells], vec![NONE; cells]);
        let mut search =
            Search { graph: self, known: least.clone(), least, before, heap, far: false };
        search.reach(start, NONE, 0.0);
        search.settle();
        search.far = true;
        search.add_jumps();
        search.settle();
        Ok(search.finish())
    }
}

impl<P: PlaceName> SpeedSteps<P> {
    /// By speed, ascending; speeds within 1e-6 of each other count as one.
    #[must_use]
    pub fn steps(&self) -> &[SpeedStep<P>] {
        &self.steps
    }

    /// `[units: length / time]` The least launch speed above which a place can be reached; `None`
    /// where it cannot be reached at the character's own. `ground` is the one that was asked.
    #[must_use]
    pub fn least<T: Ground<Place = P>>(&self, ground: &T, place: P) -> Option<f64> {
        let least = self.least.get(ground.find(place)?).copied();
        least.filter(|speed| speed.is_finite())
    }
}

impl<T: Storage> Search<'_, T> {
    fn settle(&mut self) {
        while let Some(Reverse(Entry { speed, from, to, sure })) = self.heap.pop() {
            if sure && speed < self.least[to as usize] {
                self.reach(to as usize, from, speed);
            } else if !sure && speed < self.known[to as usize] {
                self.decide(from, to, speed);
            }
        }
    }

    /// A cell comes within reach at `speed`, and with it whatever walks, falls and slower climbs
    /// lead to from there.
    fn reach(&mut self, cell: usize, from: u32, speed: f64) {
        let graph = self.graph;
        let footing = graph.footing();
        self.set(cell, from, speed);
        let mut open = vec![cell];
        while let Some(i) = open.pop() {
            for (j, way) in footing.neighbours(i) {
                if speed >= self.least[j] || !footing.can_stand(j) {
                    continue;
                }
                let needed = if footing.step(i, j, way).is_some() {
                    0.0
                } else if graph.is_point() && graph.climbs(i, j, way) {
                    graph.least_in_air(i, j)
                } else {
                    continue;
                };
                if needed <= speed {
                    self.set(j, i as u32, speed);
                    open.push(j);
                } else if needed < self.known[j] {
                    let (from, to) = (i as u32, j as u32);
                    self.known[j] = needed;
                    self.heap.push(Reverse(Entry { speed: needed, from, to, sure: true }));
                }
            }
            if self.far {
                graph.candidates(i).for_each(|j| {
                    if speed < self.known[j] {
                        let bound = speed.max(graph.least_in_air(i, j));
                        if bound < self.known[j] {
                            let (from, to) = (i as u32, j as u32);
                            self.heap.push(Reverse(Entry { speed: bound, from, to, sure: false }));
                        }
                    }
                });
            }
        }
    }

    fn set(&mut self, cell: usize, from: u32, speed: f64) {
        (self.least[cell], self.known[cell], self.before[cell]) = (speed, speed, from);
    }

    /// All longer jumps that may better a cell.
    fn add_jumps(&mut self) {
        let (graph, least) = (self.graph, &self.least);
        let footing = graph.footing();
        let pieces = parallel::pieces(least.len(), PIECE, |first, end| {
            let mut found = Vec::new();
            for j in (first..end).filter(|&j| least[j] > 0.0 && footing.can_stand(j)) {
                graph.sources(j).for_each(|i| {
                    if least[i] < least[j] {
                        let speed = least[i].max(graph.least_in_air(i, j));
                        if speed < least[j] {
                            let (from, to) = (i as u32, j as u32);
                            found.push(Reverse(Entry { speed, from, to, sure: false }));
                        }
                    }
                });
            }
            found
        });
        self.heap.extend(pieces.into_iter().flatten());
    }

    /// Looks for the least speed of a jump that may better a cell.
    fn decide(&mut self, from: u32, to: u32, bound: f64) {
        let (i, j) = (from as usize, to as usize);
        let most = self.graph.character().launch_speed();
        let most = most.min(self.known[j] * (1.0 - PRECISION));
        if bound >= most {
            return;
        }
        if let Some(speed) = self.graph.least_speed(i, j, most) {
            let speed = speed.max(bound);
            self.known[j] = speed;
            self.heap.push(Reverse(Entry { speed, from, to, sure: true }));
        }
    }

    fn finish(self) -> SpeedSteps<T::Place> {
        let Self { graph, least, before, .. } = self;
        let mut order: Vec<u32> =
            (0..least.len() as u32).filter(|&i| least[i as usize].is_finite()).collect();
        let speed = |i: u32| least[i as usize];
        order.sort_unstable_by(|&a, &b| speed(a).total_cmp(&speed(b)).then(a.cmp(&b)));
        let mut steps: Vec<SpeedStep<T::Place>> = Vec::new();
        for (count, &i) in (1..).zip(&order) {
            let merged = steps.last().is_some_and(|s| speed(i) <= s.speed * (1.0 + PRECISION));
            if !merged {
                steps.push(SpeedStep { speed: speed(i), gained: 0, reached: 0, witness: None });
            }
            if let Some(step) = steps.last_mut() {
                (step.gained, step.reached) = (step.gained + 1, count);
                let up = before[i as usize];
                if step.witness.is_none() && up != NONE && speed(up) < speed(i) {
                    let [from, to] = [up, i].map(|i| graph.terrain().name(i as usize));
                    step.witness = Some(Move { from, to, kind: MoveKind::Jump });
                }
            }
        }
        SpeedSteps { least, steps }
    }
}
