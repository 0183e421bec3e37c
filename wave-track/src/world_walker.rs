//! A walker on the ways of a [`WorldField`].

use crate::error::TrackError;
use crate::ground::{Cells, Ground, SKIN, between, distance, dot, floor, toward};
use crate::pursuer::PursuerState;
#[cfg(feature = "serde")]
use crate::state::{Bits, bits, length, numbers};
use arrayvec::ArrayVec;
use ndarray::Ix2;
use wave_core::glam::DVec2;
use wave_core::{Medium, WorldField};

/// Points of its way that it knows, at the most.
const AHEAD: usize = 8;
/// It asks for the way again when the target has moved and either of the two has gone this part of
/// the way that was left.
const HOLD: f64 = 0.125;
/// The same after edits; at least a cell.
const HOLD_EDITED: f64 = 1.0 / 64.0;
/// `[units: cells]` How far it keeps from a corner of a wall that its way touches.
const OFF_CORNER: f64 = 2.0 * SKIN;
/// Halvings that find a corner which a way touches: to a thousandth of [`SKIN`] or so.
const BISECTIONS: usize = 30;
/// The part of a step that rounding leaves over, which is no way to go.
const ROUNDING: f64 = 1e-9;
/// `[units: cells]` The longest step.
const MAX_STRIDE: f64 = 1000.0;

/// Walks to the target of a [`WorldField`], in a very large 2D world.
///
/// It is a box like a [`Pursuer`](crate::Pursuer) and never touches a wall. It goes from point to
/// point of its way, as far ahead as it sees. It asks for the way again in three cases: a wall has
/// come in between; the target has moved, and it or the walker has gone an eighth of the way that
/// was left since; a wall was edited, and the walker has gone a 64th of that way since. So a walker
/// notices a door that opens or closes far away a little later, and not all walkers do at once.
///
/// A field serves any number of walkers, one after the other: a place is worked out once for all of
/// them, until the target or a wall changes. `examples/large_world.rs` has a moving target and
/// doors.
///
/// ```
/// use wave_track::wave_core::{Medium, WorldField};
/// use wave_track::ndarray::Array2;
/// use wave_track::{PursuerState, WorldWalker};
///
/// // A wall with a door at its lower end.
/// let mut walls = Array2::from_elem([200, 300], false);
/// (0..190).for_each(|y| walls[[y, 150]] = true);
/// let medium = Medium::from_walls(&walls)?;
/// let mut world = WorldField::new(&medium)?;
/// world.set_target(&medium, [20, 280])?;
/// let mut walker = WorldWalker::new(&medium, [20.0, 20.0], 2.0)?;
/// while walker.step(&medium, &mut world, 1.0)? == PursuerState::Chasing {}
/// assert_eq!(walker.state(), PursuerState::Arrived);
/// assert!((427.0..429.0).contains(&walker.walked()));
/// # Ok::<(), wave_track::TrackError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WorldWalker {
    at: Cells,
    position: DVec2,
    speed: f64,
    walked: f64,
    state: PursuerState,
    /// The next points of its way.
    way: ArrayVec<Cells, AHEAD>,
    /// The target when it asked for the way.
    target: [usize; 2],
    /// The count of wall edits that it knows of.
    revision: u64,
    /// `[units: cells]` The way that was left when it asked for it, how far it has gone since, and
    /// how far it goes at most before it asks again.
    left: f64,
    gone: f64,
    until: f64,
    /// Whether there was no way when it asked.
    cut_off: bool,
    /// Room for the field's answer.
    answer: Vec<DVec2>,
}

impl WorldWalker {
    /// A walker at a position, with a `speed`.
    ///
    /// `speed`: `[units: world units per time] [limits: > 0]`.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`], [`TrackError::InWall`], [`TrackError::Value`].
    pub fn new(
        medium: &Medium<Ix2>,
        position: impl Into<DVec2>,
        speed: f64,
    ) -> Result<Self, TrackError> {
        let position = position.into();
        let at = place(medium, position)?;
        Ok(Self {
            at,
            position,
            speed: positive("speed", speed)?,
            walked: 0.0,
            state: PursuerState::Waiting,
            way: ArrayVec::new(),
            target: [0; 2],
            revision: 0,
            left: 0.0,
            gone: 0.0,
            until: 0.0,
            cut_off: false,
            answer: Vec::new(),
        })
    }

    /// Walks for `time` in the medium of [`WorldWalker::new`], or until it is at the target, and
    /// returns what it does: [`PursuerState::Chasing`], [`PursuerState::Arrived`] in the middle of
    /// the target's cell, [`PursuerState::TargetUnreachable`], also while that cell is a wall,
    /// [`PursuerState::NoTarget`], or [`PursuerState::Blocked`] while a wall is at its place.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`] where the medium is smaller than that of [`WorldWalker::new`];
    /// [`TrackError::Value`] if `time` is negative or lets it walk more than 1000 cells;
    /// [`TrackError::Wave`] as [`WorldField::update`]. It then stands where it was.
    ///
    /// # Complexity
    /// O(cells walked), and [`WorldField::way_ahead`] of eight points when it asks for the way.
    /// After the target jumped all walkers ask in the same frame; [`WorldWalker::step_within`]
    /// bounds that.
    pub fn step(
        &mut self,
        medium: &Medium<Ix2>,
        world: &mut WorldField,
        time: f64,
    ) -> Result<PursuerState, TrackError> {
        let mut unlimited = u64::MAX;
        self.step_within(medium, world, time, &mut unlimited)
    }

    /// [`WorldWalker::step`] with a budget that the walkers of a frame share, in units of
    /// [`WorldField::work`]. A walker asks for the way only while some of the budget is left, and
    /// takes off what its question counts. A walker that may not ask goes on along the way that it
    /// knows, as far as that is free. Where it knows no way, it is [`PursuerState::Waiting`].
    ///
    /// The walkers that have their turn first are served first. Where the budget is used up in
    /// every frame, begin with another walker each time.
    ///
    /// ```
    /// use wave_track::wave_core::{Medium, WorldField};
    /// use wave_track::ndarray::Array2;
    /// use wave_track::WorldWalker;
    ///
    /// let medium = Medium::from_walls(&Array2::from_elem([1000, 1000], false))?;
    /// let mut world = WorldField::new(&medium)?;
    /// world.set_target(&medium, [500, 500])?;
    /// let walkers = (0..50).map(|i| WorldWalker::new(&medium, [20.0 * f64::from(i), 10.0], 1.0));
    /// let mut walkers = walkers.collect::<Result<Vec<_>, _>>()?;
    /// for _ in 0..600 {
    ///     let (before, mut budget) = (world.work(), 20);
    ///     for walker in &mut walkers {
    ///         walker.step_within(&medium, &mut world, 1.0, &mut budget)?;
    ///     }
    ///     // The last way that is asked for may take more than is left.
    ///     assert!(world.work() - before < 60);
    /// }
    /// assert!(walkers.iter().all(|walker| walker.walked() > 400.0));
    /// # Ok::<(), wave_track::TrackError>(())
    /// ```
    ///
    /// # Errors
    /// As [`WorldWalker::step`].
    ///
    /// # Complexity
    /// As [`WorldWalker::step`].
    pub fn step_within(
        &mut self,
        medium: &Medium<Ix2>,
        world: &mut WorldField,
        time: f64,
        budget: &mut u64,
    ) -> Result<PursuerState, TrackError> {
        let length = self.cells_in(medium, time)?;
        let ground = Ground::new(medium);
        ground.check_covers(self.at, "walker", self.position.extend(0.0).to_array())?;
        world.update(medium)?;
        // In a medium of another spacing or origin its cells are elsewhere.
        if distance(ground.to_cells(self.position), self.at) > SKIN {
            self.position = ground.to_world(self.at);
        }
        self.state = self.go(medium, world, length, budget)?;
        Ok(self.state)
    }

    /// Walks for `time` straight to a place that it sees, such as a target nearby, and tells
    /// whether it did; if it does not see it, it stays where it is. Its state is then
    /// [`PursuerState::Closing`] or [`PursuerState::Arrived`]. A place that touches a wall is not
    /// seen.
    ///
    /// # Errors
    /// [`TrackError::Value`] as [`WorldWalker::step`]; [`TrackError::OffGrid`] for the place.
    ///
    /// # Complexity
    /// O(cells on the way there).
    pub fn close_in(
        &mut self,
        medium: &Medium<Ix2>,
        to: impl Into<DVec2>,
        time: f64,
    ) -> Result<bool, TrackError> {
        let length = self.cells_in(medium, time)?;
        let ground = Ground::new(medium);
        let position = to.into();
        let to = ground.to_cells(position);
        ground.check_covers(to, "target", position.extend(0.0).to_array())?;
        let next = toward(self.at, to, length);
        let sees = |to| ground.sees(self.at, to);
        if !(ground.is_clear(self.at) && ground.is_clear(to) && sees(to) && sees(next)) {
            return Ok(false);
        }
        self.walk(medium, next);
        self.way.clear();
        self.state = if next == to { PursuerState::Arrived } else { PursuerState::Closing };
        Ok(true)
    }

    /// `[units: cells]` How far it walks in `time`.
    fn cells_in(&self, medium: &Medium<Ix2>, time: f64) -> Result<f64, TrackError> {
        let length = self.speed * time / medium.spacing();
        if (0.0..=MAX_STRIDE).contains(&length) {
            return Ok(length);
        }
        let limit = ">= 0 and at most what 1000 cells take";
        Err(TrackError::Value { what: "time", value: time, limit })
    }

    /// Goes straight to a place, and returns how far that was.
    fn walk(&mut self, medium: &Medium<Ix2>, to: Cells) -> f64 {
        let way = distance(self.at, to);
        self.cut_off = false;
        self.gone += way;
        self.walked += way * medium.spacing();
        self.at = to;
        self.position = Ground::new(medium).to_world(to);
        way
    }

    fn go(
        &mut self,
        medium: &Medium<Ix2>,
        world: &mut WorldField,
        length: f64,
        budget: &mut u64,
    ) -> Result<PursuerState, TrackError> {
        let ground = Ground::new(medium);
        let Some(target) = world.target() else { return Ok(PursuerState::NoTarget) };
        if !ground.is_clear(self.at) {
            let middle = Ground::<Ix2>::middle(Ground::<Ix2>::cell(self.at));
            if !ground.is_clear(middle) {
                return Ok(PursuerState::Blocked);
            }
            // A wall was built beside it and touches it.
            let room = 0.5 - OFF_CORNER;
            self.at = [0, 1, 2].map(|a| self.at[a].clamp(middle[a] - room, middle[a] + room));
            self.position = ground.to_world(self.at);
            self.way.clear();
        }
        let home = Ground::<Ix2>::middle(target);
        self.note_edits(medium);
        let mut left = length;
        // The tries since it moved.
        let mut tried = 0;
        // Enough for a point every sixth of a cell, and no way has so many.
        for _ in 0..64 + 16 * length as usize {
            if self.at == home {
                return Ok(PursuerState::Arrived);
            }
            let may_ask = *budget > 0;
            if may_ask && !self.holds(target) {
                self.look(medium, world, target, budget)?;
            }
            let Some(&aim) = self.way.first() else {
                let none = PursuerState::TargetUnreachable;
                return Ok(if self.cut_off { none } else { PursuerState::Waiting });
            };
            if left <= ROUNDING * length {
                break;
            }
            let mut next = toward(self.at, aim, left);
            if !ground.sees(self.at, next) {
                if self.until < f64::INFINITY {
                    // A wall may have come in between.
                    if !may_ask {
                        return Ok(PursuerState::Waiting);
                    }
                    self.look(medium, world, target, budget)?;
                    continue;
                }
                // The way touches corners on both of its sides, or it does by rounding.
                tried += 1;
                let by = match tried {
                    1 => touched_corner(ground, self.at, next),
                    2 => Some(Ground::<Ix2>::middle(Ground::<Ix2>::cell(self.at))),
                    _ => None,
                };
                if let Some(by) = by.filter(|&by| by != self.at) {
                    self.way.truncate(AHEAD - 1);
                    self.way.insert(0, by);
                    continue;
                }
                // By a cell at most: further on it may see nothing of its way.
                next = ground.slide(self.at, toward(self.at, aim, left.min(1.0)));
                if !ground.sees(next, aim) {
                    self.until = self.until.min(self.gone + 1.0);
                }
            }
            let way = self.walk(medium, next);
            left -= way;
            if way > ROUNDING * length {
                tried = 0;
            } else if tried > 2 {
                self.way.clear();
                break;
            }
            if next == aim {
                self.way.remove(0);
            }
        }
        Ok(PursuerState::Chasing)
    }

    /// Asks for the way again soon if walls have been edited.
    fn note_edits(&mut self, medium: &Medium<Ix2>) {
        if self.revision != medium.revision() {
            self.revision = medium.revision();
            self.until = self.until.min(self.gone + (HOLD_EDITED * self.left).max(1.0));
        }
    }

    /// Whether the way that it knows is still good enough.
    fn holds(&self, target: [usize; 2]) -> bool {
        if self.cut_off {
            return self.target == target && self.until == f64::INFINITY;
        }
        let off = distance(Ground::<Ix2>::middle(self.target), Ground::<Ix2>::middle(target));
        !self.way.is_empty()
            && self.gone <= self.until
            && (self.target == target || self.gone.max(off) <= HOLD * self.left)
    }

    /// Asks for the way from its cell, and sets out for the furthest point of the way that it sees.
    /// If it sees none, it sets out for the middle of the cell, from where it sees one.
    fn look(
        &mut self,
        medium: &Medium<Ix2>,
        world: &mut WorldField,
        target: [usize; 2],
        budget: &mut u64,
    ) -> Result<(), TrackError> {
        let ground = Ground::new(medium);
        let cell = Ground::<Ix2>::cell(self.at);
        let before = world.work();
        world.way_ahead(medium, cell, AHEAD, &mut self.answer)?;
        let left = world.length(medium, cell)?.unwrap_or(0.0) / medium.spacing();
        *budget = budget.saturating_sub(world.work() - before);
        (self.target, self.revision) = (target, medium.revision());
        (self.left, self.gone, self.until) = (left, 0.0, f64::INFINITY);
        self.cut_off = self.answer.is_empty();
        self.way.clear();
        // Ways lead over half cells; converted to the world and back, their points are off by
        // rounding.
        let half = |v: f64| (2.0 * v).round() / 2.0;
        let points = self.answer.iter().map(|&point| ground.to_cells(point).map(half));
        self.way.extend(points.map(|point| off_corner(ground, point)));
        let at = self.at;
        let seen = self.way.iter().rposition(|&point| ground.sees(at, point)).unwrap_or(0);
        let is_there = |point: &Cells| *point == at;
        let reached = self.way.get(seen).is_some_and(is_there);
        self.way.drain(..(seen + usize::from(reached)).min(self.way.len()));
        Ok(())
    }

    /// Moves it elsewhere at once.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`], [`TrackError::InWall`]; it is then where it was.
    pub fn teleport(
        &mut self,
        medium: &Medium<Ix2>,
        position: impl Into<DVec2>,
    ) -> Result<(), TrackError> {
        let position = position.into();
        self.at = place(medium, position)?;
        self.position = position;
        self.way.clear();
        self.cut_off = false;
        Ok(())
    }

    /// Sets how fast it walks.
    ///
    /// # Errors
    /// [`TrackError::Value`].
    pub fn set_speed(&mut self, speed: f64) -> Result<(), TrackError> {
        self.speed = positive("speed", speed)?;
        Ok(())
    }

    /// `[units: world units]` Where it stands.
    #[must_use]
    pub fn position(&self) -> DVec2 {
        self.position
    }
    /// `[units: world units per time]` How fast it walks.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speed
    }
    /// `[units: world units]` The length of its way so far.
    #[must_use]
    pub fn walked(&self) -> f64 {
        self.walked
    }
    /// What it did in its last step; [`PursuerState::Waiting`] before the first.
    #[must_use]
    pub fn state(&self) -> PursuerState {
        self.state
    }
}

fn place(medium: &Medium<Ix2>, position: DVec2) -> Result<Cells, TrackError> {
    Ground::new(medium).free_place("walker", position.extend(0.0).to_array())
}

fn positive(what: &'static str, value: f64) -> Result<f64, TrackError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(TrackError::Value { what, value, limit: "> 0" })
}

/// Moves a point of a way, which may be a corner of a wall or lie on a wall's side, away from the
/// walls around it.
fn off_corner(ground: Ground<'_, Ix2>, at: Cells) -> Cells {
    let mut away = [0.0, 0.0];
    for corner in 0..4 {
        let side = [corner & 1, corner >> 1].map(|high| if high == 1 { 1.0 } else { -1.0 });
        if !ground.is_clear([at[0] + side[0] * OFF_CORNER, at[1] + side[1] * OFF_CORNER, 0.0]) {
            (0..2).for_each(|a| away[a] -= side[a]);
        }
    }
    let off = |a: usize| if away[a] == 0.0 { 0.0 } else { OFF_CORNER.copysign(away[a]) };
    [at[0] + off(0), at[1] + off(1), 0.0]
}

/// A place off the first corner that the straight way from `at` to an unseen point touches, if that
/// place is seen and lies ahead.
fn touched_corner(ground: Ground<'_, Ix2>, at: Cells, point: Cells) -> Option<Cells> {
    let (mut seen, mut hidden) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (seen + hidden);
        if ground.sees(at, between(at, point, middle)) {
            seen = middle;
        } else {
            hidden = middle;
        }
    }
    let touch = between(at, point, seen);
    let here = |a: usize| floor(touch[a]) as f64 + 0.5;
    // Where it touches a wall's side, the corner is at the end of that.
    let ahead = |a: usize| if point[a] > at[a] && touch[a] > here(a) { 1.0 } else { 0.0 }
        - if point[a] < at[a] && touch[a] < here(a) { 1.0 } else { 0.0 };
    let is_near = [0, 1].map(|a| (touch[a] - here(a)).abs() < OFF_CORNER);
    [is_near, [is_near[0], false], [false, is_near[1]]].into_iter().find_map(|stays| {
        let [x, y] = [0, 1].map(|a| here(a) + if stays[a] { 0.0 } else { ahead(a) });
        let corner = off_corner(ground, [x, y, 0.0]);
        let way = std::array::from_fn(|a| point[a] - at[a]);
        let is_ahead = dot(std::array::from_fn(|a| corner[a] - at[a]), way) > 0.0;
        (is_ahead && ground.sees(at, corner)).then_some(corner)
    })
}

/// A walker as plain data: numbers as their bits.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WalkerRecord {
    at: Bits,
    position: Bits,
    speed: u64,
    walked: u64,
    state: PursuerState,
    way: Vec<Bits>,
    target: [usize; 2],
    revision: u64,
    left: u64,
    gone: u64,
    /// `None` if only the target makes it ask again.
    until: Option<u64>,
    cut_off: bool,
}

#[cfg(feature = "serde")]
impl serde::Serialize for WorldWalker {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = WalkerRecord {
            at: bits(self.at),
            position: bits(self.position.extend(0.0).to_array()),
            speed: self.speed.to_bits(),
            walked: self.walked.to_bits(),
            state: self.state,
            way: self.way.iter().map(|&point| bits(point)).collect(),
            target: self.target,
            revision: self.revision,
            left: self.left.to_bits(),
            gone: self.gone.to_bits(),
            until: self.until.is_finite().then(|| self.until.to_bits()),
            cut_off: self.cut_off,
        };
        record.serialize(serializer)
    }
}

/// Data that cannot be a walker is refused with the words of a [`TrackError`]. Whether it stands on
/// the map, the next step tells.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for WorldWalker {
    fn deserialize<T: serde::Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Self::from_record(&WalkerRecord::deserialize(deserializer)?)
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "serde")]
impl WorldWalker {
    fn from_record(from: &WalkerRecord) -> Result<Self, TrackError> {
        let place = |what, at| {
            let at = numbers(what, at)?;
            // No map has more cells along an axis than an `i32` counts.
            let is_there = at[2] == 0.0 && at.iter().all(|v| v.abs() <= f64::from(i32::MAX));
            if is_there { Ok(at) } else { Err(TrackError::Snapshot { what }) }
        };
        let way = from.way.iter().map(|&point| place("walker's way", point));
        let way = way.collect::<Result<Vec<_>, _>>()?;
        let way = ArrayVec::try_from(way.as_slice());
        let [x, y, _] = numbers("walker's position", from.position)?;
        Ok(Self {
            at: place("walker's place", from.at)?,
            position: DVec2::new(x, y),
            speed: positive("speed", f64::from_bits(from.speed))?,
            walked: length("walked length", from.walked)?,
            state: from.state,
            way: way.map_err(|_| TrackError::Snapshot { what: "walker's way" })?,
            target: from.target,
            revision: from.revision,
            left: length("walker's way", from.left)?,
            gone: length("walker's way", from.gone)?,
            until: from.until.map_or(Ok(f64::INFINITY), |until| length("walker's way", until))?,
            cut_off: from.cut_off,
            answer: Vec::new(),
        })
    }
}
