//! Flight: where to go so that no threat can be there first, and for how long that holds.

mod search;

use crate::compiled::compiled;
use crate::error::TrackError;
use crate::ground::{Cells, Ground, distance};
use crate::pursuer::Pursuer;
use crate::tracker::Tracker;
use search::{Search, centre, for_each_neighbour};
use std::marker::PhantomData;
use wave_core::{ArrivalField, Medium, Space, WaveError};

/// Settings of an [`Escape`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct EscapeConfig {
    /// `[units: cells] [limits: finite, >= 0] suggested: 1` How far threats reach, counted along
    /// their ways. Times are those of the cells' middles, so parts of a cell make no difference.
    pub reach: f64,
    /// `[units: time] [limits: > 0] suggested: some seconds` How far it looks ahead: a place to
    /// which no threat comes within this time is as good as one to which none ever comes, and the
    /// nearest such place is the refuge. So a walker whose threats are further off stands still,
    /// and planning costs less. Infinite if left out.
    pub horizon: f64,
}

impl Default for EscapeConfig {
    fn default() -> Self {
        Self { reach: 1.0, horizon: f64::INFINITY }
    }
}

/// The situation of a walker that flees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum FlightState {
    /// No threat can come to the refuge, or none within the horizon.
    Safe,
    /// A threat can come to the refuge, but later than to any other place that can be reached
    /// before the threats.
    Fleeing,
    /// Wherever the walker can go in time, a threat can be as early as at its present place: it
    /// stays.
    Cornered,
    /// A threat reaches it already. The course still leads away, without any promise.
    Caught,
}

/// The plan of a walker that flees: its refuge, its course, and the promise that these give. The
/// walker keeps it, and [`Escape::flee`] goes on with it.
#[derive(Clone, Debug)]
pub struct Flight<D: Space> {
    state: FlightState,
    promised: f64,
    /// From the place where it was planned to the refuge; empty without a plan.
    course: Vec<Turn>,
    space: PhantomData<D>,
}

/// A point of a course, and when the walker is there.
#[derive(Clone, Copy, Debug)]
struct Turn {
    at: Cells,
    /// `[units: world units]` The same place, `[x, y, z]`.
    place: [f64; 3],
    time: f64,
}

impl<D: Space> Default for Flight<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Space> Flight<D> {
    /// Nothing planned yet: at the origin, cornered.
    #[must_use]
    pub fn new() -> Self {
        Self { state: FlightState::Cornered, promised: 0.0, course: Vec::new(), space: PhantomData }
    }

    /// The situation of the walker.
    #[must_use]
    pub fn state(&self) -> FlightState {
        self.state
    }

    /// `[units: time]` The time since the plan before which no threat can catch the walker,
    /// whatever threats do. Infinite where none can ever come; 0 if it is caught.
    #[must_use]
    pub fn promised(&self) -> f64 {
        self.promised
    }

    /// `[units: world units]` The end of the course.
    #[must_use]
    pub fn refuge(&self) -> D::Point {
        self.course.last().map_or(D::Point::default(), |turn| D::from_xyz(turn.place))
    }

    /// `[units: time]` When the walker is at the refuge, counted from the plan.
    #[must_use]
    pub fn arrival(&self) -> f64 {
        self.course.last().map_or(0.0, |turn| turn.time)
    }

    /// `[units: world units]` The course, turn by turn: from the place where it was planned to the
    /// refuge.
    #[must_use]
    pub fn course(&self) -> impl ExactSizeIterator<Item = D::Point> + '_ {
        self.course.iter().map(|turn| D::from_xyz(turn.place))
    }

    /// `[units: world units]` The walker's place on its course after `time`; the course's ends
    /// before and after it.
    #[must_use]
    pub fn after(&self, time: f64) -> D::Point {
        let next = self.course.partition_point(|turn| turn.time <= time);
        let from = self.course.get(next.saturating_sub(1));
        let Some(from) = from else { return D::Point::default() };
        let to = self.course.get(next).unwrap_or(from);
        let part = (time - from.time) / (to.time - from.time).max(f64::MIN_POSITIVE);
        let part = if part > 0.0 { part.min(1.0) } else { 0.0 };
        D::from_xyz([0, 1, 2].map(|a: usize| from.place[a] + (to.place[a] - from.place[a]) * part))
    }

    /// `[units: world units]` The turns of its course between two times, and its place at the later
    /// one. A walker that goes from place to place touches no wall; where it goes straight to the
    /// last one, it may cut a corner.
    pub fn between(&self, [from, to]: [f64; 2]) -> impl Iterator<Item = D::Point> + '_ {
        let turns = self.course.iter().filter(move |turn| from < turn.time && turn.time < to);
        turns.map(|turn| D::from_xyz(turn.place)).chain([self.after(to)])
    }
}

/// Plans flights from threats, in 2D and 3D. Threats may have several speeds, and each kind its own
/// walls.
///
/// Let T(x) be the earliest time at which a threat can reach x. Let t(x) be the time at which the
/// walker can be at x on a way on which it is everywhere before the threats. The *safe region* is
/// where t < T; the *refuge* is the place in it with the latest T. A dead end is a refuge only if
/// all other places are lost sooner: threats close its mouth, and the part of the region inside it
/// has early times.
///
/// # What holds
/// 1. A walker that walks the course at its speed is caught neither on the way nor before
///    T(refuge), whatever threats do: none of them can be at any point of the course as early.
/// 2. No other way that is chosen beforehand promises more. On any way all points before the
///    capture are in the safe region, since no threat reached them as early, and the capture is at
///    T of its last point.
/// 3. Asked again at any time, it promises no earlier capture than before: a threat that has walked
///    for a time s can be nowhere sooner than it could before. So T - s never gets less, and the
///    rest of the course is still safe. Each look gains time if threats do not know where the
///    walker goes, or go around a block the wrong way.
///
/// All of this holds to the accuracy of [`ArrivalField`] and of a cell. The field's ways are 0.2 to
/// 3 % too long, up to 8 % where corridors are a cell wide; to be strict, give threats speeds that
/// are so much higher. A new course keeps a cell ahead of every threat where it can, and is kept
/// until another promises more by a cell, or to stay promises more. Promises are for ways chosen
/// beforehand. For example, a walker as fast as its threat may run around a block for ever: no plan
/// foresees that, but it results where (3) finds it.
///
/// If threats were looked up a time s ago ([`Escape::pass`]), T - s is still a lower bound on their
/// times, so promises hold as well; the walker only gives up some places without need. So threats
/// need to be looked up only now and then, and one look serves all walkers that flee from them.
///
/// ```
/// use glam::DVec2;
/// use ndarray::{Array2, Ix2};
/// use wave_core::Medium;
/// use wave_track::{Escape, EscapeConfig, Flight, FlightState};
///
/// // A corridor from west to east, a blind alley off it to the south, and no wall for ghosts.
/// let walls = Array2::from_shape_fn([12, 60], |(y, x)| y > 0 && !(x == 20 && y < 10));
/// let medium = Medium::<Ix2>::builder([12, 60]).walls(&walls).build()?;
/// let mut escape = Escape::new(&medium, EscapeConfig::default())?;
/// // A threat in the west that is somewhat faster.
/// escape.add_threats(&medium, [DVec2::new(5.0, 0.0)], 1.1)?;
/// let mut flight = Flight::new();
/// escape.flee(&medium, DVec2::new(19.0, 0.0), 1.0, &mut flight)?;
/// assert_eq!(flight.state(), FlightState::Fleeing);
/// // It does not go into the alley, which is nearer; nor is it caught before the corridor's end.
/// assert_eq!(flight.refuge(), DVec2::new(59.0, 0.0));
/// assert!(flight.arrival() < flight.promised() && (flight.promised() - 53.0 / 1.1).abs() < 0.5);
/// assert!((flight.after(10.0).x - 29.0).abs() < 1e-9);
/// // With another threat in the east, only the alley is left.
/// escape.add_threats(&medium, [DVec2::new(40.0, 0.0)], 1.1)?;
/// escape.flee(&medium, DVec2::new(19.0, 0.0), 1.0, &mut flight)?;
/// assert_eq!(flight.refuge(), DVec2::new(20.0, 9.0));
/// # Ok::<(), wave_track::TrackError>(())
/// ```
///
/// Memory: 32 bytes a cell (3D: 36 to 40), and another 16 for each cell at the edge of a region; 16
/// more a cell while threats that reach further than a cell are added where speeds differ.
#[derive(Clone, Debug)]
pub struct Escape<D: Space> {
    config: EscapeConfig,
    /// `[nz, ny, nx]`
    size: [usize; 3],
    /// `[units: time]` When the first threat can be at each cell, counted from the look at them.
    threatened: Vec<f32>,
    /// `[units: time]` How long ago the look was, but no more than `latest`: threats can be
    /// everywhere by then, and larger numbers would be less exact.
    age: f64,
    /// `[units: time]` The latest finite one of those times, at least 0.
    latest: f64,
    field: ArrivalField<D>,
    sources: Vec<D::Cell>,
    search: Search,
}

impl<D: Space> Escape<D> {
    /// For grids like that of `medium`, without threats.
    ///
    /// # Errors
    /// [`TrackError::Value`].
    ///
    /// # Complexity
    /// O(cells).
    pub fn new(medium: &Medium<D>, config: EscapeConfig) -> Result<Self, TrackError> {
        let EscapeConfig { reach, horizon } = config;
        if !(reach >= 0.0 && reach.is_finite()) {
            return Err(TrackError::Value { what: "reach", value: reach, limit: ">= 0" });
        }
        if horizon.is_nan() || horizon <= 0.0 {
            return Err(TrackError::Value { what: "horizon", value: horizon, limit: "> 0" });
        }
        let size = D::to_size(medium.shape());
        let cells = size.iter().product();
        Ok(Self {
            config,
            size,
            threatened: vec![f32::INFINITY; cells],
            age: 0.0,
            latest: 0.0,
            field: ArrivalField::new(medium),
            sources: Vec::new(),
            search: Search::new(cells),
        })
    }

    /// Forgets all threats, to look them up again.
    ///
    /// # Complexity
    /// O(cells).
    pub fn clear_threats(&mut self) {
        self.threatened.fill(f32::INFINITY);
        (self.age, self.latest) = (0.0, 0.0);
    }

    /// Lets time pass since the look at the threats, in which they may have gone anywhere. Once
    /// they can be at every place that they can ever reach, more time changes nothing.
    ///
    /// # Errors
    /// [`TrackError::Value`].
    pub fn pass(&mut self, time: f64) -> Result<(), TrackError> {
        if !(time >= 0.0 && time.is_finite()) {
            return Err(TrackError::Value { what: "time", value: time, limit: ">= 0" });
        }
        self.age = (self.age + time).min(self.latest);
        Ok(())
    }

    /// Adds threats of one speed, in world units per time, that go where `medium` lets them.
    /// Threats that swim or are large need a medium of their own, of the same grid. The medium's
    /// areas slow them as they slow its waves.
    ///
    /// # Errors
    /// [`TrackError::Value`], [`TrackError::OffGrid`], [`TrackError::InWall`]; [`TrackError::Wave`]
    /// for a medium of another shape, as [`WaveError::TooFar`](wave_core::WaveError::TooFar) where
    /// a cell is too far from all of them, and, as
    /// [`WaveError::Links`](wave_core::WaveError::Links), for one with links: by these, threats
    /// would come sooner. No threat was added then.
    ///
    /// # Complexity
    /// O(cells): one [`ArrivalField`] for any number of threats; O(cells * reach) where speeds
    /// differ and they reach further than a cell. Otherwise nothing is allocated in the long run.
    pub fn add_threats(
        &mut self,
        medium: &Medium<D>,
        positions: impl IntoIterator<Item = impl Into<D::Point>>,
        speed: f64,
    ) -> Result<(), TrackError> {
        self.add_threats_by(medium, positions, speed, medium.fastest_speed())
    }

    /// [`Escape::add_threats`] that walk at `speed` where waves have the speed `fastest`.
    fn add_threats_by(
        &mut self,
        medium: &Medium<D>,
        positions: impl IntoIterator<Item = impl Into<D::Point>>,
        speed: f64,
        fastest: f64,
    ) -> Result<(), TrackError> {
        let places: Vec<_> = positions.into_iter().map(|p| D::to_xyz(p.into())).collect();
        compiled!(
            D: (this: &mut Escape<D> = self, medium: &Medium<D> = medium; places: Vec<[f64; 3]>, speed: f64, fastest: f64)
                -> Result<(), TrackError>
            { this.threaten(medium, &places, speed, fastest) }
        )
    }

    fn threaten(
        &mut self,
        medium: &Medium<D>,
        places: &[[f64; 3]],
        speed: f64,
        fastest: f64,
    ) -> Result<(), TrackError> {
        self.check(medium, speed)?;
        // A field of a medium with links tells how long it takes to its sources, not from them.
        if medium.has_links() {
            return Err(WaveError::Links.into());
        }
        let ground = Ground::new(medium);
        self.sources.clear();
        // A threat off the middle of its cell is nearer to some places by its distance from the
        // middle.
        let mut off = 0.0f64;
        for &place in places {
            let position = D::from_xyz(place);
            let cell = open_cell(ground, "threat", position)?;
            self.sources.push(cell);
            off = off.max(distance(ground.to_cells(position), centre(D::to_zyx(cell))));
        }
        if self.sources.is_empty() {
            return Ok(());
        }
        self.field.solve(medium, &self.sources)?;
        let step = medium.dt() * fastest / speed;
        // An f32 of that age would miss a 256th of the time that they take for a cell.
        if self.age > f64::from(1 << 16) * medium.spacing() / speed {
            for first in &mut self.threatened {
                *first = (f64::from(*first) - self.age) as f32;
            }
            self.age = 0.0;
        }
        // Of a long reach where speeds differ, the last cell takes what it takes there, and those
        // before it what they take.
        let even = medium.is_uniform();
        let before = if even { 0.0 } else { (self.config.reach.ceil() - 1.0).max(0.0) };
        let reach = (self.config.reach - before + off) * medium.spacing() / speed;
        let [_, ny, nx] = self.size;
        let times = self.field.times().iter().enumerate().map(|(i, &steps)| {
            let cell = || D::from_zyx([i / nx / ny, i / nx % ny, i % nx]);
            let slowness = if even { 1.0 } else { slowness(medium, cell(), fastest) };
            f64::from(steps) * step - reach * slowness
        });
        let age = self.age;
        let add = |(first, new): (&mut f32, f64)| *first = first.min((new + age) as f32);
        if before > 0.0 {
            let times = within(times.collect(), self.size, before as usize);
            self.threatened.iter_mut().zip(times).for_each(add);
        } else {
            self.threatened.iter_mut().zip(times).for_each(add);
        }
        let finite = self.threatened.iter().filter(|first| first.is_finite());
        self.latest = f64::from(finite.fold(0.0f32, |latest, first| latest.max(*first)));
        Ok(())
    }

    /// Adds the pursuers of a tracker with their speeds, for targets that flee from them.
    ///
    /// # Errors
    /// As [`Escape::add_threats`].
    ///
    /// # Complexity
    /// O(cells) for each of their different speeds, O(pursuers log pursuers).
    pub fn add_pursuers(&mut self, tracker: &Tracker<D>) -> Result<(), TrackError> {
        let medium = tracker.medium();
        if medium.has_links() {
            return Err(WaveError::Links.into());
        }
        let slowed = medium.is_uniform() || tracker.config().areas_slow_pursuers;
        // Pursuers that areas do not slow walk as if there were none.
        let even = if slowed {
            None
        } else {
            let walls = medium.walls();
            let even = Medium::builder(medium.shape()).walls(&walls);
            Some(even.spacing(medium.spacing()).origin(medium.origin()).build()?)
        };
        // On areas a pursuer walks by the speed that was the fastest when its tracker was made.
        let slows = even.is_none() && !medium.is_uniform();
        let medium = even.as_ref().unwrap_or(medium);
        let fastest = if slows { tracker.fastest } else { medium.fastest_speed() };
        let speeds = tracker.pursuers().iter().map(Pursuer::speed);
        let mut speeds: Vec<f64> = speeds.collect();
        speeds.sort_by(f64::total_cmp);
        speeds.dedup();
        // If one speed is refused, none is added.
        speeds.iter().try_for_each(|&speed| self.check(medium, speed))?;
        let before = (self.threatened.clone(), self.age, self.latest);
        let added = speeds.into_iter().try_for_each(|speed| {
            let group =
                tracker.pursuers().iter().filter(|p| p.speed().to_bits() == speed.to_bits());
            self.add_threats_by(medium, group.map(Pursuer::position), speed, fastest)
        });
        if added.is_err() {
            // Some may be too far from everything for a field.
            (self.threatened, self.age, self.latest) = before;
        }
        added
    }

    /// Plans the flight of a walker from `from`. It walks at `speed`, in world units per time,
    /// where `medium` lets it, and areas slow it as they slow waves. `flight` is its last plan, or
    /// a new one. The walker goes on with that plan if it still stands on its course and no better
    /// one has turned up.
    ///
    /// # Errors
    /// [`TrackError::Value`], [`TrackError::OffGrid`], [`TrackError::InWall`]; [`TrackError::Wave`]
    /// for a medium of another shape. The flight is then as it was.
    ///
    /// # Complexity
    /// O(n log n) for the n cells of the safe region that are no further than the nearest safe
    /// place. Nothing is allocated in the long run.
    pub fn flee(
        &mut self,
        medium: &Medium<D>,
        from: impl Into<D::Point>,
        speed: f64,
        flight: &mut Flight<D>,
    ) -> Result<(), TrackError> {
        let from = D::to_xyz(from.into());
        compiled!(
            D: (this: &mut Escape<D> = self, medium: &Medium<D> = medium, flight: &mut Flight<D> = flight;
                from: [f64; 3], speed: f64)
                -> Result<(), TrackError>
            { this.plan(medium, D::from_xyz(from), speed, flight) }
        )
    }

    fn plan(
        &mut self,
        medium: &Medium<D>,
        from: D::Point,
        speed: f64,
        flight: &mut Flight<D>,
    ) -> Result<(), TrackError> {
        self.check(medium, speed)?;
        let ground = Ground::new(medium);
        open_cell(ground, "who flees", from)?;
        let start = ground.to_cells(from);
        if !ground.is_clear(start) {
            let position = D::to_xyz(from);
            return Err(TrackError::InWall { what: "who flees", position });
        }
        let way = Way {
            ground,
            medium,
            size: self.size,
            threatened: &self.threatened,
            age: self.age,
            grace: 0.0,
            pace: medium.spacing() / speed,
            fastest: medium.fastest_speed(),
        };
        self.search.plan(&way, start, self.config.horizon, flight);
        Ok(())
    }

    /// `[units: time]` When the first threat can be at `cell`, infinite for never; 0 for now.
    /// `None` outside the grid.
    #[must_use]
    pub fn threatened(&self, cell: D::Cell) -> Option<f64> {
        let cell = D::to_zyx(cell);
        let inside = cell.iter().zip(self.size).all(|(c, n)| *c < n);
        inside.then(|| (f64::from(self.threatened[index(self.size, cell)]) - self.age).max(0.0))
    }

    fn check(&self, medium: &Medium<D>, speed: f64) -> Result<(), TrackError> {
        let found = D::to_size(medium.shape());
        if found != self.size {
            return Err(WaveError::OtherMedium {
                found: found[3 - D::AXES..].to_vec(),
                expected: self.size[3 - D::AXES..].to_vec(),
            }
            .into());
        }
        let pace = medium.spacing() / speed;
        if !(pace > 1e-12 && pace < 1e12) {
            let limit = "from 1e-12 to 1e12 cells per time";
            return Err(TrackError::Value { what: "speed", value: speed, limit });
        }
        Ok(())
    }
}

/// The facts that a walker plans by.
struct Way<'a, D: Space> {
    ground: Ground<'a, D>,
    medium: &'a Medium<D>,
    size: [usize; 3],
    threatened: &'a [f32],
    age: f64,
    /// `[units: time]` How much later threats are assumed to come, for a walker that is caught.
    grace: f64,
    /// `[units: time]` The time for a cell where the walker is not slowed.
    pace: f64,
    fastest: f64,
}

impl<D: Space> Way<'_, D> {
    /// When the first threat can be at a cell.
    fn threat(&self, cell: usize) -> f64 {
        f64::from(self.threatened[cell]) - self.age + self.grace
    }

    fn threat_at(&self, at: Cells) -> f64 {
        self.threat(index(self.size, Self::cell_of(at)))
    }

    /// `[units: time]` The time for a cell.
    fn takes(&self, cell: [usize; 3]) -> f64 {
        if self.medium.is_uniform() {
            return self.pace;
        }
        self.pace * slowness(self.medium, D::from_zyx(cell), self.fastest)
    }

    fn cell_of(at: Cells) -> [usize; 3] {
        D::to_zyx(Ground::<D>::cell(at))
    }

    /// When a walker that leaves `p` at `time` in a straight line is at `q`, if no wall stands
    /// between and no threat can be on the line as early.
    fn walk(&self, p: Cells, q: Cells, time: f64) -> Option<f64> {
        /// On the border of two cells, those just before and just behind it count alike.
        const ASIDE: f64 = 1e-6;
        if !self.ground.sees(p, q) {
            return None;
        }
        let length = distance(p, q);
        let parts = (4.0 * length).ceil().max(1.0);
        let mut now = time;
        let cell_at =
            |part: f64| Self::cell_of(std::array::from_fn(|a| p[a] + (q[a] - p[a]) * part / parts));
        let even = self.medium.is_uniform().then_some(self.pace);
        for i in 0..parts as usize {
            let part = i as f64 + 0.5;
            let takes = |part: f64| self.takes(cell_at(part));
            let each = even.unwrap_or_else(|| 0.5 * (takes(part - ASIDE) + takes(part + ASIDE)));
            now += length / parts * each;
            // Threats' times are those of cells' middles; the walker may be half a cell beyond.
            let is_late = |aside: f64| {
                let cell = cell_at(i as f64 + 1.0 + aside);
                now - 0.5 * self.takes(cell) >= self.threat(index(self.size, cell))
            };
            if [-ASIDE, ASIDE].into_iter().all(is_late) {
                return None;
            }
        }
        Some(now)
    }

    /// Makes a course that `from` is on begin there, and returns whether it still can be walked.
    fn follow(&self, from: Cells, course: &mut Vec<Turn>) -> bool {
        // Apart from rounding, it lies on the leg that gets no longer by a detour through it.
        let on = |leg: &[Turn]| {
            let [p, q] = [leg[0].at, leg[1].at];
            distance(p, from) + distance(from, q) < distance(p, q) + 1e-6
        };
        let Some(leg) = course.windows(2).position(on) else { return false };
        course.drain(..leg);
        let place = D::to_xyz(self.ground.to_world(from));
        course[0] = Turn { at: from, place, time: 0.0 };
        for i in 1..course.len() {
            let Turn { at, time, .. } = course[i - 1];
            let Some(then) = self.walk(at, course[i].at, time) else { return false };
            course[i].time = then;
        }
        true
    }
}

fn index([_, ny, nx]: [usize; 3], [z, y, x]: [usize; 3]) -> usize {
    (z * ny + y) * nx + x
}

/// The earliest of the times of each cell and those so many cells away, on ways between walls. In
/// the open, every second cell may lie across a corner: that is as far as a straight line, or
/// further, up to an eighth in 2D and up to 22 % in 3D.
fn within(mut times: Vec<f64>, size: [usize; 3], cells: usize) -> Vec<f64> {
    let [_, ny, nx] = size;
    for round in 0..cells {
        let before = times.clone();
        for (i, time) in times.iter_mut().enumerate().filter(|(_, time)| time.is_finite()) {
            let cell = [i / nx / ny, i / nx % ny, i % nx];
            for_each_neighbour(cell, size, |beside| {
                let sides = (0..3).filter(|&a| cell[a] != beside[a]).map(|a| {
                    let mut side = cell;
                    side[a] = beside[a];
                    before[index(size, side)]
                });
                // Past a wall beside the way, but never where all sides are walls.
                let axes = sides.clone().count();
                let open = sides.filter(|side| side.is_finite()).count();
                if open > 0 && (axes == 1 || open < axes || round % 2 == 1) {
                    *time = time.min(before[index(size, beside)]);
                }
            });
        }
        if times == before {
            break;
        }
    }
    times
}

/// How much longer a cell takes than the fastest.
fn slowness<D: Space>(medium: &Medium<D>, cell: D::Cell, fastest: f64) -> f64 {
    medium.speed(cell).map_or(1.0, |speed| fastest / speed)
}

/// The cell around a position that is no wall.
fn open_cell<D: Space>(
    ground: Ground<'_, D>,
    what: &'static str,
    position: D::Point,
) -> Result<D::Cell, TrackError> {
    let at = ground.to_cells(position);
    let position = D::to_xyz(position);
    ground.check_covers(at, what, position)?;
    if !ground.is_open(at.map(|v| crate::ground::floor(v + 0.5).max(0))) {
        return Err(TrackError::InWall { what, position });
    }
    Ok(Ground::<D>::cell(at))
}
