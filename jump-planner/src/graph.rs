//! The graph of moves over a terrain.

use crate::ballistics::{ArcKind, Ballistics};
use crate::character::Character;
use crate::clearance::{Body, Ground, standing_margin};
use crate::error::{Cell, JumpError, OutOfRange};
use crate::exact::{Effort, Found, Question, Verdict};
use crate::flight::Flight;
use crate::groups::{NONE, groups};
use crate::moves::{Footing, Move, MoveKind, rounding};
use crate::offsets::{Offset, Offsets, gap2};
use crate::partition::Partition;
use crate::published;
use crate::relief::{Relief, SMALL};
use crate::terrain::{MAX_HEIGHT, Terrain};
use glam::DVec2;

/// When a jump is clear.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Clearance {
    /// The source's rule by plan view. The character is a point then, and there are no ceilings.
    Published,
    /// A jump exists if and only if some launch point in the one open square and some landing point
    /// in the other allow an arc that clears every cell.
    Exact {
        /// `[units: length] [limits: > 0] suggested: 0.001` A jump is *marginal* where none was
        /// found and it is only proved that none has more margin than this.
        tolerance: f64,
    },
}

impl Default for Clearance {
    fn default() -> Self {
        Self::Exact { tolerance: 1e-3 }
    }
}

/// Whether a jump exists.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Jump {
    /// It does, and this flight shows it.
    Clear(Flight),
    /// No flight was found; it is proved that none has more margin than `bound`. Such a jump is no
    /// edge of the graph.
    Marginal {
        /// `[units: length]`
        bound: f64,
    },
    /// It is proved that every flight hits something.
    Blocked,
    /// The nearest points of the two squares are out of reach, or the landing is too deep.
    OutOfReach,
}

/// Which end of a jump a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Launch,
    Landing,
}

impl End {
    /// From and to, where `own` is this end.
    pub(crate) fn with<T>(self, own: T, other: T) -> (T, T) {
        if self == Self::Launch { (own, other) } else { (other, own) }
    }
}

/// All moves of a character over a terrain: walks and falls between neighbours, and jumps wherever
/// neither joins the two cells. Jumps are decided when they are asked for, none is stored.
///
/// ```
/// use jump_planner::{Character, Jump, JumpGraph, Terrain};
///
/// // A ditch too wide to step over, and a wall too high to climb.
/// let terrain = Terrain::from_rows(&[[0.0, -3.0, -3.0, 0.0, 9.0]])?;
/// let graph = JumpGraph::new(terrain, Character::builder(6.0).build()?)?;
/// let Jump::Clear(flight) = graph.jump([0, 0], [0, 3])? else { panic!("it can be jumped") };
/// assert!(flight.margin > 0.0 && flight.flight_time > 0.4);
/// assert!(matches!(graph.jump([0, 3], [0, 4])?, Jump::OutOfReach));
/// # Ok::<(), jump_planner::JumpError>(())
/// ```
#[derive(Clone, Debug)]
pub struct JumpGraph {
    terrain: Terrain,
    character: Character,
    clearance: Clearance,
    law: Ballistics,
    offsets: Offsets,
    /// `[units: length]` Lowest and highest ground there ever was.
    range: [f64; 2],
    relief: Relief,
    groups: Partition,
}

impl JumpGraph {
    /// Under the exact rule.
    ///
    /// # Errors
    /// [`CharacterError::Value`](crate::CharacterError::Value) if the radius is half a cell or more; [`JumpError::NotGround`] if
    /// the ceilings leave no cell to stand on.
    ///
    /// # Complexity
    /// O(cells).
    pub fn new(terrain: Terrain, character: Character) -> Result<Self, JumpError> {
        Self::with_clearance(terrain, character, Clearance::default())
    }

    /// Under a rule of clearance.
    ///
    /// # Errors
    /// As [`JumpGraph::new`]; [`CharacterError::Value`](crate::CharacterError::Value) if the tolerance is not positive, or if the
    /// published rule is asked for with a body or under ceilings, which it does not know.
    pub fn with_clearance(
        terrain: Terrain,
        character: Character,
        clearance: Clearance,
    ) -> Result<Self, JumpError> {
        let refuse = |what, value, limit| {
            Err(JumpError::Character(OutOfRange { what, value, limit }.into()))
        };
        let radius = character.radius();
        if radius >= 0.4999 * terrain.cell_size() {
            return refuse("radius", radius, "less than 0.4999 cells");
        }
        match clearance {
            Clearance::Exact { tolerance } if !(1e-9..=1e9).contains(&tolerance) => {
                return refuse("tolerance", tolerance, "within 1e-9 to 1e9");
            }
            Clearance::Published if radius > 0.0 => {
                return refuse("radius", radius, "0 under the published rule");
            }
            Clearance::Published if terrain.has_ceilings() => {
                return refuse("ceilings", 1.0, "absent under the published rule");
            }
            _ => {}
        }
        let footing = Footing { terrain: &terrain, character: &character };
        let ground = |i: &usize| footing.can_stand(*i);
        let Some(_) = (0..terrain.len()).find(ground) else {
            let why = "no ceiling leaves headroom anywhere";
            return Err(JumpError::NotGround { cell: [0, 0], why });
        };
        let range = height_range(&terrain);
        let law = character.ballistics();
        let offsets = offsets(&terrain, &character, range);
        let groups = groups(&footing);
        let (heights, size) = (terrain.heights(), terrain.cell_size());
        let relief = Relief::new(heights, terrain.shape(), offsets.radius(), &law, size);
        Ok(Self { terrain, character, clearance, law, offsets, range, relief, groups })
    }

    /// The ground.
    #[must_use]
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }
    /// Who moves.
    #[must_use]
    pub fn character(&self) -> &Character {
        &self.character
    }
    /// The rule of clearance.
    #[must_use]
    pub fn clearance(&self) -> Clearance {
        self.clearance
    }

    /// Sets the height of a cell; graph and groups follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`].
    ///
    /// # Complexity
    /// O(1), and about twice what falls off a group or joins one.
    pub fn set_height(&mut self, cell: Cell, height: f64) -> Result<(), JumpError> {
        self.terrain.set_height(cell, height)?;
        self.follow_range(cell);
        self.follow_groups(cell);
        Ok(())
    }

    /// Reach follows where a height is lower or higher than there was any.
    fn follow_range(&mut self, cell: Cell) {
        let Some(height) = self.terrain.height(cell) else { return };
        self.range = [self.range[0].min(height), self.range[1].max(height)];
        if drop(&self.character, self.range) > self.offsets.drop() {
            self.offsets = offsets(&self.terrain, &self.character, self.range);
        }
        if let Some(i) = self.terrain.index(cell) {
            let (heights, size) = (self.terrain.heights(), self.terrain.cell_size());
            self.relief.follow(heights, i, self.offsets.radius(), &self.law, size);
        }
    }

    fn follow_groups(&mut self, cell: Cell) {
        let block = self.block(cell);
        let Some(edited) = self.terrain.index(cell) else { return };
        let footing = Footing { terrain: &self.terrain, character: &self.character };
        let joined = |i: usize, each: &mut dyn FnMut(usize)| {
            if !footing.can_stand(i) {
                return;
            }
            for (j, way) in footing.neighbours(i) {
                if footing.can_stand(j) && footing.step(i, j, way) == Some(MoveKind::Walk) {
                    each(j);
                }
            }
        };
        let stands = |i: usize| footing.can_stand(i);
        self.groups.follow(edited, &block, stands, joined, &mut Vec::new());
    }

    /// The cells between which an edit of `cell` may change what joins neighbours. A body passes over
    /// more cells than the two.
    pub(crate) fn block(&self, [y, x]: Cell) -> Vec<usize> {
        let wide = self.character.radius() > 0.0 || self.terrain.has_ceilings();
        let span = if wide { 2 } else { 1 };
        let [rows, columns] = self.terrain.shape();
        let (ys, xs) = (
            y.saturating_sub(span)..=(y + span).min(rows - 1),
            x.saturating_sub(span)..=(x + span).min(columns - 1),
        );
        ys.flat_map(|y| xs.clone().map(move |x| y * columns + x)).collect()
    }

    /// Allows or forbids to stand on a cell; graph and groups follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`], also where it would leave no ground at all.
    pub fn set_no_go(&mut self, cell: Cell, no_go: bool) -> Result<(), JumpError> {
        self.terrain.set_no_go(cell, no_go)?;
        self.follow_groups(cell);
        Ok(())
    }

    /// The number of a cell's group, the cells that walking joins; `None` where nobody can stand. It
    /// is below the number of cells. Edits may give other numbers.
    #[must_use]
    pub fn group(&self, cell: Cell) -> Option<usize> {
        let label = self.groups.labels[self.terrain.index(cell)?];
        (label != NONE).then_some(label as usize)
    }
    /// How many groups there are.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.groups.count
    }

    /// Whether `cell` can be stood on: ground, not no-go, with headroom.
    #[must_use]
    pub fn can_stand(&self, cell: Cell) -> bool {
        self.terrain.index(cell).is_some_and(|i| self.footing().can_stand(i))
    }

    /// The walk or fall from a cell to a neighbour; `None` where there is none, or they are no neighbours.
    #[must_use]
    pub fn step(&self, from: Cell, to: Cell) -> Option<MoveKind> {
        let footing = self.footing();
        let stands = |cell| self.terrain.index(cell).filter(|&i| footing.can_stand(i));
        let (i, j) = (stands(from)?, stands(to)?);
        let (_, way) = footing.neighbours(i).find(|&(other, _)| other == j)?;
        footing.step(i, j, way)
    }

    /// Whether a jump between two cells exists, by the graph's rule of clearance; also where
    /// walking joins them.
    ///
    /// # Errors
    /// [`TerrainError::Outside`](crate::TerrainError::Outside), [`JumpError::NotGround`].
    pub fn jump(&self, from: Cell, to: Cell) -> Result<Jump, JumpError> {
        let (i, j) = (self.ground_index(from)?, self.ground_index(to)?);
        if i == j || !self.within_reach(i, j) {
            return Ok(Jump::OutOfReach);
        }
        let question = self.question(i, j);
        Ok(match self.verdict(i, j) {
            Verdict::Clear(found) => Jump::Clear(self.witness_of(&question, found)),
            Verdict::Marginal(bound) => Jump::Marginal { bound },
            Verdict::Blocked => Jump::Blocked,
        })
    }

    /// The low and the high flight between two places (x, y), with their margins; `None` where the
    /// second is out of reach. The places are where feet stand, at the heights of their cells.
    ///
    /// A flight that runs exactly through a corner of cells touches all four of them, and one that begins
    /// or ends at a border of cells those beyond it: beside a higher one its margin is negative.
    ///
    /// # Errors
    /// [`JumpError::NotGround`], [`JumpError::Place`] for a place outside the terrain, or twice the
    /// same.
    pub fn flights(&self, launch: DVec2, landing: DVec2) -> Result<Option<[Flight; 2]>, JumpError> {
        let cell = |p: DVec2| {
            let cell = self.terrain.cell_at(p);
            cell.ok_or(JumpError::Place { place: p.to_array(), why: "it is outside the terrain" })
        };
        let (i, j) = (self.ground_index(cell(launch)?)?, self.ground_index(cell(landing)?)?);
        if launch == landing {
            let why = "a flight needs two places";
            return Err(JumpError::Place { place: launch.to_array(), why });
        }
        let question = self.question(i, j);
        let (p, q) = (self.terrain.in_cells(launch), self.terrain.in_cells(landing));
        // Those that are looked for begin and end within squares; these may at a border.
        let standing = [(p, question.base), (q, question.end)]
            .map(|(at, z)| standing_margin(&question.ground, question.body, at, z));
        let flight = |kind| {
            let margin = question.margin(kind, [p[0], p[1], q[0], q[1]]);
            let margin = margin.min(standing[0]).min(standing[1]);
            self.flight_of(&question, Found { from: p, to: q, kind, margin })
        };
        let reached = self.law.reaches(launch.distance(landing), question.gain);
        Ok(reached.then(|| [flight(ArcKind::Low), flight(ArcKind::High)]))
    }

    /// `[units: length / time]` The least launch speed at which a clear flight was found; `None` where
    /// none is at the character's own. What there is at other speeds:
    ///
    /// * *Faster*, without ceilings, the same flight exists, but close above, by a relative 1e-4 or so,
    ///   its margin may be so small that [`JumpGraph::jump`] calls it marginal.
    /// * *Slower by a relative 1e-4*, for a point without ceilings, [`JumpGraph::jump`] finds none: the
    ///   jump is blocked or marginal there.
    /// * For a *body* and under *ceilings* speeds are halved down to a relative 1e-5, and a marginal
    ///   answer counts as none. So a speed below, by some parts in a thousand, may still be clear; under
    ///   ceilings any, for a slower jump may exist below a gap of speeds at which none does.
    ///
    /// # Errors
    /// As [`JumpGraph::jump`].
    pub fn least_launch_speed(&self, from: Cell, to: Cell) -> Result<Option<f64>, JumpError> {
        let (i, j) = (self.ground_index(from)?, self.ground_index(to)?);
        let own = self.character.launch_speed();
        Ok(if i == j { None } else { self.least_speed(i, j, own) })
    }

    /// As [`JumpGraph::least_launch_speed`], `None` also where more than `most` is needed.
    pub(crate) fn least_speed(&self, i: usize, j: usize, most: f64) -> Option<f64> {
        let mut least = most;
        let mut found = self.found_at(i, j, most)?;
        if self.is_point() {
            let in_air = self.least_in_air(i, j) * (1.0 + 1e-4);
            // From one pair of points to a better one, until none is left.
            loop {
                least = least.min(self.question(i, j).slowest(found));
                if least <= in_air {
                    return Some(least);
                }
                match self.found_at(i, j, least * (1.0 - 1e-4)) {
                    Some(better) => (least, found) = (least * (1.0 - 1e-4), better),
                    None => return Some(least),
                }
            }
        }
        let mut low = self.least_in_air(i, j);
        while least - low > 1e-5 * least {
            let middle = 0.5 * (low + least);
            if self.found_at(i, j, middle).is_some() { least = middle } else { low = middle }
        }
        Some(least)
    }

    /// `[units: length / time]` The least launch speed between two squares in free air.
    pub(crate) fn least_in_air(&self, i: usize, j: usize) -> f64 {
        let gain = self.terrain.heights()[j] - self.terrain.heights()[i];
        let distance = gap2(self.dx(i, j), self.dy(i, j)).sqrt() * self.terrain.cell_size();
        Ballistics::least_speed(self.character.gravity(), distance, gain)
    }

    /// A flight at another launch speed.
    fn found_at(&self, i: usize, j: usize, speed: f64) -> Option<Found> {
        let law = self.character.at_speed(speed).ok()?.ballistics();
        let size2 = self.terrain.cell_size() * self.terrain.cell_size();
        let most_gain = law.most_gain(gap2(self.dx(i, j), self.dy(i, j)) * size2);
        let [base, end] = [i, j].map(|cell| self.terrain.heights()[cell]);
        if !(self.reaches(end - base, most_gain) && self.character.survives(base, end)) {
            return None;
        }
        match self.verdict_at(i, j, law) {
            Verdict::Clear(found) => Some(found),
            _ => None,
        }
    }

    /// Calls `each` with every move from `cell`, always in the same order: neighbours first, then
    /// jumps, the nearest first. Nothing where nobody can stand.
    ///
    /// # Complexity
    /// O(cells within reach), each with a decision of its own.
    pub fn for_each_move(&self, cell: Cell, mut each: impl FnMut(Move)) {
        let Some(i) = self.terrain.index(cell).filter(|&i| self.footing().can_stand(i)) else {
            return;
        };
        self.for_each(i, |j, kind| each(Move { from: cell, to: self.terrain.cell(j), kind }));
    }

    /// A flight for a move of the graph; `None` for walks, falls and what is no move.
    #[must_use]
    pub fn witness(&self, jump: &Move) -> Option<Flight> {
        match self.jump(jump.from, jump.to) {
            Ok(Jump::Clear(witness)) if jump.kind == MoveKind::Jump => Some(witness),
            _ => None,
        }
    }

    pub(crate) fn for_each(&self, i: usize, mut each: impl FnMut(usize, MoveKind)) {
        let footing = self.footing();
        for (j, way) in footing.neighbours(i) {
            if footing.can_stand(j)
                && let Some(kind) = footing.step(i, j, way)
            {
                each(j, kind);
            }
        }
        self.candidates(i).for_each(|j| {
            if self.verdict(i, j).is_clear() {
                each(j, MoveKind::Jump);
            }
        });
    }

    /// Cells to which a jump from `i` may exist: within reach, and not joined by a step; nearest first.
    pub(crate) fn candidates(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.others(i, End::Launch, self.ways(i, End::Launch))
    }

    /// Cells from which a jump to `i` may exist, likewise.
    pub(crate) fn sources(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.others(i, End::Landing, self.ways(i, End::Landing))
    }

    /// `[units: length]` The least gain of a jump that has `i` as its launch or landing.
    fn least_gain(&self, i: usize, end: End) -> f64 {
        match end {
            End::Launch => self.relief.low(i) - self.terrain.heights()[i],
            End::Landing => self.terrain.heights()[i] - self.relief.high(i),
        }
    }

    /// Offsets from `i` at which there may be other ends of jumps that have `i` as the one end: for
    /// landings the opposites count.
    pub(crate) fn ways(&self, i: usize, end: End) -> &[Offset] {
        self.offsets.down_to(self.least_gain(i, end))
    }

    /// Cells at some offsets that may be the other end of a jump that has `i` as its launch or landing:
    /// within reach, and not joined by a step that way; nearest first.
    pub(crate) fn others<'a>(
        &'a self,
        i: usize,
        end: End,
        ways: &'a [Offset],
    ) -> impl Iterator<Item = usize> + 'a {
        let (heights, footing) = (self.terrain.heights(), self.footing());
        let sign = if end == End::Launch { 1 } else { -1 };
        self.within(i, ways, sign).filter_map(move |(j, offset)| {
            let (from, to) = end.with(i, j);
            let gain = heights[to] - heights[from];
            let way = (offset.dy as isize, offset.dx as isize);
            let near = way.0.abs() <= 1 && way.1.abs() <= 1;
            (self.reaches(gain, offset.most_gain)
                && footing.can_stand(j)
                && self.character.survives(heights[from], heights[to])
                && !(near && footing.step(from, to, way).is_some()))
            .then_some(j)
        })
    }

    /// The cells at some offsets from `i`, or at their opposites, with `sign` -1.
    fn within<'a>(
        &self,
        i: usize,
        ways: &'a [Offset],
        sign: isize,
    ) -> impl Iterator<Item = (usize, &'a Offset)> + use<'a> {
        let ([rows, columns], [y, x]) = (self.terrain.shape(), self.terrain.cell(i));
        ways.iter().filter_map(move |offset| {
            let y = y.wrapping_add_signed(sign * offset.dy as isize);
            let x = x.wrapping_add_signed(sign * offset.dx as isize);
            (y < rows && x < columns).then(|| (y * columns + x, offset))
        })
    }

    /// Appends to `found` the cells within reach of `i` that `wanted` names, among those in small
    /// tiles that are not `dull`; the nearest first. All of them can be stood on, and `i` is none of
    /// them. At most `most` away along either axis.
    pub(crate) fn scan(
        &self,
        i: usize,
        end: End,
        most: usize,
        dull: impl Fn(usize) -> bool,
        wanted: impl Fn(usize) -> bool,
        found: &mut Vec<u32>,
    ) {
        let size2 = self.terrain.cell_size() * self.terrain.cell_size();
        let heights = self.terrain.heights();
        let ([rows, columns], [y, x]) = (self.terrain.shape(), self.terrain.cell(i));
        let (z, begin) = (heights[i], found.len());
        let span = self.offsets.span(self.least_gain(i, end)).min(most);
        let radius = self.offsets.radius();
        let around = |at: usize, n: usize| at.saturating_sub(span)..(at + span + 1).min(n);
        let (ys, xs) = (around(y, rows), around(x, columns));
        let across = columns.div_ceil(SMALL);
        // The gap to the nearest cell of a tile.
        let gap = |at: usize, tile: usize| {
            let (first, last) = (tile * SMALL, tile * SMALL + SMALL - 1);
            (first.saturating_sub(at)).max(at.saturating_sub(last)).saturating_sub(1) as f64
        };
        for ty in ys.start / SMALL..=(ys.end - 1) / SMALL {
            for tx in xs.start / SMALL..=(xs.end - 1) / SMALL {
                let tile = ty * across + tx;
                let (dy, dx) = (gap(y, ty), gap(x, tx));
                let [low, high] = self.relief.of_small(tile);
                let least = if end == End::Launch { low - z } else { z - high };
                let most = self.law.most_gain((dy * dy + dx * dx) * size2);
                if dull(tile) || !self.reaches(least, most) {
                    continue;
                }
                let part = |span: &std::ops::Range<usize>, tile: usize| {
                    span.start.max(tile * SMALL)..span.end.min((tile + 1) * SMALL)
                };
                for cy in part(&ys, ty) {
                    let gains = self.offsets.gains(cy as isize - y as isize);
                    for cx in part(&xs, tx) {
                        let j = cy * columns + cx;
                        if wanted(j) {
                            let (from, to) = end.with(z, heights[j]);
                            let most = gains[cx + radius - x];
                            if self.reaches(to - from, most) && self.character.survives(from, to) {
                                found.push(j as u32);
                            }
                        }
                    }
                }
            }
        }
        let nearness = |&j: &u32| {
            let [cy, cx] = self.terrain.cell(j as usize);
            let (dy, dx) = (cy.abs_diff(y) as u64, cx.abs_diff(x) as u64);
            let (gy, gx) = (dy.saturating_sub(1), dx.saturating_sub(1));
            (gy * gy + gx * gx, dy * dy + dx * dx, j)
        };
        found[begin..].sort_unstable_by_key(nearness);
    }

    /// Whether `j`, a neighbour at `way`, is beside `i`, both ground, and there is a jump up. A point always
    /// has one onto what is lower than the jump height, so only bodies and ceilings need a decision.
    pub(crate) fn climbs(&self, i: usize, j: usize, (dy, dx): (isize, isize)) -> bool {
        let beside = dy == 0 || dx == 0;
        let gain = self.terrain.heights()[j] - self.terrain.heights()[i];
        if !(beside && gain > 0.0 && self.reaches(gain, self.law.most_gain(0.0))) {
            return false;
        }
        self.is_point() || self.verdict(i, j).is_clear()
    }

    /// The open squares never attain their least distance, the source's closed ones do.
    #[inline]
    pub(crate) fn reaches(&self, gain: f64, most_gain: f64) -> bool {
        gain < most_gain || (gain == most_gain && self.clearance == Clearance::Published)
    }

    /// `[units: length]` Between cells whose squares are that far apart, squared and in cells.
    pub(crate) fn most_gain(&self, gap2: f64) -> f64 {
        self.law.most_gain(gap2 * self.terrain.cell_size() * self.terrain.cell_size())
    }

    pub(crate) fn within_reach(&self, i: usize, j: usize) -> bool {
        let size2 = self.terrain.cell_size() * self.terrain.cell_size();
        let most_gain = self.law.most_gain(gap2(self.dx(i, j), self.dy(i, j)) * size2);
        let [base, end] = [i, j].map(|cell| self.terrain.heights()[cell]);
        self.reaches(end - base, most_gain) && self.character.survives(base, end)
    }

    fn dx(&self, i: usize, j: usize) -> isize {
        let columns = self.terrain.shape()[1];
        (j % columns) as isize - (i % columns) as isize
    }
    fn dy(&self, i: usize, j: usize) -> isize {
        let columns = self.terrain.shape()[1];
        (j / columns) as isize - (i / columns) as isize
    }

    /// `[units: length]` How high over its launch a jump rises at least; `None` under ceilings, where it
    /// may be flown flat.
    pub(crate) fn least_apex(&self, i: usize, j: usize) -> Option<f64> {
        if self.terrain.has_ceilings() {
            return None;
        }
        // The steep arc is lowest between the furthest points.
        let far = |d: isize| (d.unsigned_abs() + 1) as f64 * self.terrain.cell_size();
        let (dx, dy) = (far(self.dx(i, j)), far(self.dy(i, j)));
        let gain = self.terrain.heights()[j] - self.terrain.heights()[i];
        let w = self.law.w(ArcKind::High, dx * dx + dy * dy, gain);
        let w = w.unwrap_or(self.law.w_at_limit()).max(2.0 * gain.max(0.0));
        Some(0.25 * w * w / (w - gain))
    }

    /// Whether nothing but the ground matters to a flight.
    pub(crate) fn is_point(&self) -> bool {
        self.character.radius() == 0.0 && !self.terrain.has_ceilings()
    }

    /// Whether a jump exists from one ground cell to another.
    pub(crate) fn has_jump(&self, i: usize, j: usize) -> bool {
        self.within_reach(i, j) && self.verdict(i, j).is_clear()
    }

    /// Whether so much effort shows that a jump between ground cells within reach exists; `false` says
    /// nothing but after a proof.
    pub(crate) fn shows_jump(&self, i: usize, j: usize, effort: Effort) -> bool {
        match effort {
            _ if self.clearance == Clearance::Published => self.verdict(i, j).is_clear(),
            Effort::Look => self.question(i, j).is_easy(),
            Effort::Ascent => self.question(i, j).is_likely(),
            Effort::Proof => self.verdict(i, j).is_clear(),
        }
    }

    /// Whether one bound shows that no jump exists between ground cells within reach; `false` says
    /// nothing.
    pub(crate) fn is_hopeless(&self, i: usize, j: usize) -> bool {
        self.clearance != Clearance::Published && self.question(i, j).is_hopeless()
    }

    /// Decides a jump between two ground cells within reach.
    pub(crate) fn verdict(&self, i: usize, j: usize) -> Verdict {
        self.verdict_at(i, j, self.law)
    }

    fn verdict_at(&self, i: usize, j: usize, law: Ballistics) -> Verdict {
        let question = Question { law, ..self.question(i, j) };
        if self.clearance != Clearance::Published {
            return question.decide();
        }
        if !published::clear(&question) {
            return Verdict::Blocked;
        }
        // The published rule knows no launch points: the flight between the nearest ones stands for
        // the jump, whether it clears everything or not.
        Verdict::Clear(question.nearest())
    }

    pub(crate) fn question(&self, i: usize, j: usize) -> Question<'_> {
        let [rows, columns] = self.terrain.shape();
        let (heights, size) = (self.terrain.heights(), self.terrain.cell_size());
        let tolerance = match self.clearance {
            Clearance::Exact { tolerance } => tolerance,
            Clearance::Published => 1e-3,
        };
        Question {
            ground: Ground { heights, ceilings: self.terrain.ceilings(), rows, columns },
            body: Body { radius: self.character.radius() / size, height: self.character.height() },
            law: self.law,
            size2: size * size,
            from: [i % columns, i / columns],
            to: [j % columns, j / columns],
            base: heights[i],
            end: heights[j],
            gain: heights[j] - heights[i],
            tolerance,
        }
    }

    fn witness_of(&self, question: &Question<'_>, found: Found) -> Flight {
        let exact = self.clearance != Clearance::Published;
        self.flight_of(question, if exact { question.safest(found) } else { found })
    }

    fn flight_of(&self, question: &Question<'_>, found: Found) -> Flight {
        let (launch, landing) =
            (self.terrain.position(found.from), self.terrain.position(found.to));
        let distance = launch.distance(landing);
        let arcs = self.law.arcs(distance, question.gain);
        let arc = arcs.map(|[low, high]| if found.kind == ArcKind::Low { low } else { high });
        // What was found is within reach; at its very edge rounding may say otherwise.
        let arc = arc.unwrap_or_else(|| self.law.at_limit(distance, question.gain));
        let ends = [launch.extend(question.base), landing.extend(question.end)];
        let (speed, gravity) = (self.character.launch_speed(), self.character.gravity());
        Flight::of(ends, found.kind, &arc, speed, gravity, found.margin)
    }

    pub(crate) fn footing(&self) -> Footing<'_> {
        Footing { terrain: &self.terrain, character: &self.character }
    }
    pub(crate) fn groups(&self) -> &Partition {
        &self.groups
    }
    pub(crate) fn offsets(&self) -> &Offsets {
        &self.offsets
    }
    pub(crate) fn relief(&self) -> &Relief {
        &self.relief
    }

    pub(crate) fn ground_index(&self, cell: Cell) -> Result<usize, JumpError> {
        let i = self.terrain.checked_index(cell)?;
        let why = if self.terrain.is_no_go(i) {
            "it is no-go"
        } else if !self.terrain.is_ground(i) {
            "it has no data"
        } else if !self.footing().can_stand(i) {
            "its ceiling is too low"
        } else {
            return Ok(i);
        };
        Err(JumpError::NotGround { cell, why })
    }
}

impl Verdict {
    pub(crate) fn is_clear(&self) -> bool {
        matches!(self, Self::Clear(_))
    }
}

fn height_range(terrain: &Terrain) -> [f64; 2] {
    let known = terrain.heights().iter().filter(|z| z.is_finite());
    known.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &z| [low.min(z), high.max(z)])
}

fn offsets(terrain: &Terrain, character: &Character, range: [f64; 2]) -> Offsets {
    let law = character.ballistics();
    Offsets::new(&law, terrain.cell_size(), drop(character, range), terrain.shape())
}

/// The deepest landing below a launch.
fn drop(character: &Character, range: [f64; 2]) -> f64 {
    let relief = range[1] - range[0];
    // Heights that edits may bring have no more rounding than this.
    let slack = rounding(MAX_HEIGHT, MAX_HEIGHT);
    character.max_fall().map_or(relief, |most| relief.min(most + slack))
}
