//! One pursuer: the waves that it hears, where it goes, and why it stands still.

#[cfg(feature = "serde")]
mod record;

use crate::config::{Direction, MAX_WAVES, Method, Sampling, TrackerConfig};
use crate::course::{Goal, Wake, aim_on_trail, horizon};
use crate::ground::{Cells, Ground, between, distance, meeting_time, most, toward};
use crate::targets::{Mark, Targets};
use crate::tracker::PursuerId;
use crate::waves::{Carrier, Dense, News, Waves};
use arrayvec::ArrayVec;
use ndarray::Ix2;
use wave_core::{Space, prefetch};

#[cfg(feature = "serde")]
pub(crate) use record::PursuerRecord;

/// What a pursuer does, or why it does not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PursuerState {
    /// There is no target.
    NoTarget,
    /// No wave has come yet, or none since a cell was freed that may have opened a way.
    Waiting,
    /// It goes where a wave came from.
    Chasing,
    /// It sees the target nearby and goes straight for it.
    Closing,
    /// It has come to the target.
    Arrived,
    /// A wave that left no cells out has ended and did not come here: no way leads to the target.
    TargetUnreachable,
    /// Its straight course ends at a wall; the next wave may turn it.
    Blocked,
    /// It is on its way along a [`Link`](wave_core::Link): it jumps, falls or climbs.
    OnLink,
}

/// The state of a pursuer; owned by its [`Tracker`](crate::Tracker).
#[derive(Clone, Debug)]
pub struct Pursuer<D: Space> {
    pub(crate) id: PursuerId,
    /// `[units: cells]` Where it stands, or where the link that it is on leads to.
    cells: D::Point,
    pub(crate) position: D::Point,
    pub(crate) speed: f64,
    pub(crate) state: PursuerState,
    pub(crate) walked: f64,
    /// The newest emission that it has heard on its way; 0 for none.
    pub(crate) hears: u64,
    course: Course<D::Point>,
    memory: Memory,
    /// `[units: steps]` How long that emission took to the place where it was heard.
    pub(crate) away: f64,
    /// `[units: cells]` How far it has gone since.
    gone: f64,
    /// `[units: cells]` How far it walks before it looks around again.
    unseen: f64,
    /// How many points ahead it last looked.
    horizon: u16,
    /// How many points of ways home it has looked at in its last step.
    pub(crate) traced: u32,
    /// Whether a wave has ended and had not come here, in the era in which it last acted; see
    /// [`crate::waves::Scene`].
    cut_off: bool,
}

/// The present task of a pursuer: one at a time, so that pursuers are small, since every frame
/// reads all of them.
#[derive(Clone, Copy, Debug)]
enum Course<P> {
    /// No task yet.
    Open,
    /// It goes to a place.
    Straight(Aim<P>),
    /// It goes in a direction, as published.
    Heading(P),
    /// `[units: time]` It is on a link, and this is the rest of the link's time. For all others it
    /// stands at the link's end, so that no wall is built at the place where it will be.
    Link(f64),
}

/// A place to which a pursuer goes in a straight line.
#[derive(Clone, Copy, Debug)]
struct Aim<P> {
    /// `[units: cells]`
    at: P,
    /// Whether the whole line was free, and no wall has been edited since.
    is_free: bool,
}

/// What a pursuer keeps in mind, by the tracker's method.
#[derive(Clone, Debug)]
enum Memory {
    Nothing,
    /// The place on a target's trail that it goes to, or comes from.
    Trail {
        target: u32,
        turn: u64,
    },
    /// The last emission that it reacted to.
    Last(u64),
    /// The same for each wave, where waves are dense.
    Each(Box<[u64; MAX_WAVES]>),
}

/// The part of a step that rounding leaves over, which is no way to go.
const ROUNDING: f64 = 1e-9;
/// Pursuers that step together: some 9 KiB of them.
pub(crate) const AT_ONCE: usize = 64;
/// How many pursuers later the one is that memory is asked for.
const AHEAD: usize = 12;
/// `[units: bytes]` Of a line of the cache.
const LINE: usize = 64;
const _: () = assert!(size_of::<Pursuer<Ix2>>() <= 136);
/// `[units: cells]` How far a pursuer looks for the target itself.
const SIGHT: f64 = 64.0;
/// The part of a course's length that a new wave may find to be a detour before another course is
/// looked for.
const DETOUR: f64 = 0.03;

/// The surroundings that all pursuers see in a step.
pub(crate) struct Surroundings<'a, D: Space> {
    pub(crate) ground: Ground<'a, D>,
    pub(crate) waves: &'a Waves<D>,
    pub(crate) config: &'a TrackerConfig,
    pub(crate) targets: &'a Targets,
    /// `[units: world units per time]` The speed of the wave at which pursuers are not slowed.
    pub(crate) fastest: f64,
    /// Cells that a speed of 1 walks in a step.
    pub(crate) stride: f64,
    /// `[units: time]` The length of a step.
    pub(crate) time: f64,
    pub(crate) latest_end: u64,
    /// Tells which pursuers the waves may have reached since these last heard one.
    pub(crate) news: News,
    /// Counts frames: a pursuer that has an aim and has not arrived listens in every fourth one.
    /// `None` where all listen at every step.
    pub(crate) turn: Option<u64>,
    pub(crate) medium: &'a wave_core::Medium<D>,
}

impl<D: Space> Surroundings<'_, D> {
    /// Whether pursuers are slower in some areas.
    #[inline]
    fn slows(&self) -> bool {
        self.config.areas_slow_pursuers && !self.ground.is_uniform()
    }
}

impl<P> Course<P> {
    /// In this direction, if there is one.
    fn along(direction: Option<P>) -> Self {
        direction.map_or(Self::Open, Self::Heading)
    }
}

impl<D: Space> Pursuer<D> {
    pub(crate) fn new(id: PursuerId, at: Cells, position: D::Point, speed: f64) -> Self {
        Self {
            id,
            cells: D::from_xyz(at),
            position,
            speed,
            state: PursuerState::Waiting,
            walked: 0.0,
            hears: 0,
            course: Course::Open,
            memory: Memory::Nothing,
            away: 0.0,
            gone: 0.0,
            unseen: 0.0,
            horizon: 0,
            traced: 0,
            cut_off: false,
        }
    }

    /// `[units: cells]` Where it stands, or where the link that it is on leads to.
    #[inline]
    pub(crate) fn at(&self) -> Cells {
        D::to_xyz(self.cells)
    }

    fn aim(&self) -> Option<Aim<D::Point>> {
        if let Course::Straight(aim) = self.course { Some(aim) } else { None }
    }

    fn mark(&self) -> Option<Mark> {
        if let Memory::Trail { target, turn } = self.memory {
            return Some(Mark { target, turn });
        }
        None
    }

    fn keep(&mut self, mark: Option<Mark>) {
        self.memory =
            mark.map_or(Memory::Nothing, |Mark { target, turn }| Memory::Trail { target, turn });
    }

    /// `[units: time]` The rest of the link that it is on.
    pub(crate) fn crossing_left(&self) -> Option<f64> {
        if let Course::Link(left) = self.course { Some(left) } else { None }
    }

    /// `[units: cells]` How far it has gone since it heard a wave.
    pub(crate) fn gone(&self) -> f64 {
        self.gone
    }

    /// Whether it knows that no way leads to a target, as long as no new way can have appeared.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    /// Walls were edited, or an era has begun, since it acted.
    pub(crate) fn doubt(&mut self, is_edited: bool, is_new_era: bool) {
        if let Course::Straight(aim) = &mut self.course {
            aim.is_free &= !is_edited;
        }
        self.cut_off &= !is_new_era;
    }

    /// Its name in the tracker.
    #[must_use]
    pub fn id(&self) -> PursuerId {
        self.id
    }
    /// `[units: world units]` Where it stands; on a link, the place on the straight line from the
    /// link's beginning to its end.
    #[must_use]
    pub fn position(&self) -> D::Point {
        self.position
    }
    /// `[units: world units per time]` How fast it walks.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speed
    }
    /// What it does, or why it does not move.
    #[must_use]
    pub fn state(&self) -> PursuerState {
        self.state
    }
    /// `[units: world units]` The length of its way since it was added.
    #[must_use]
    pub fn walked(&self) -> f64 {
        self.walked
    }

    /// The number of the newest wave that it has heard on its way, counted from 1; 0 for none.
    #[must_use]
    pub fn heard(&self) -> u64 {
        self.hears
    }

    /// Puts it elsewhere; it listens again.
    pub(crate) fn teleport(&mut self, at: Cells, position: D::Point) {
        *self = Self { walked: self.walked, ..Self::new(self.id, at, position, self.speed) };
    }

    /// Hears waves that have come, while the waves of a frame still run.
    pub(crate) fn hear(some: &mut [Self], around: &Surroundings<'_, D>) {
        if !around.targets.here().is_empty() {
            for pursuer in some {
                pursuer.listen(around);
            }
        }
    }

    /// Whether it listens in this step. A pursuer that goes on does so in turn, where a newer wave
    /// may have come: reading the waves takes longest. When it looks for its next aim, it finds out
    /// whether it has left the wave that it heard.
    fn is_due(&self, around: &Surroundings<'_, D>) -> bool {
        let its_turn = |turn: u64| (self.id.number() + turn).is_multiple_of(4);
        self.aim().is_none() || around.turn.is_none_or(its_turn)
    }

    fn has_news(&self, around: &Surroundings<'_, D>) -> bool {
        around.news.may_be_at(self.hears, self.away, self.gone)
    }

    /// Hears waves where a newer one may have come.
    pub(crate) fn listen_in_turn(&mut self, around: &Surroundings<'_, D>) {
        if self.has_news(around) {
            self.listen(around);
        }
        self.notice_end(around);
    }

    /// Notes that it is cut off if a wave has ended while neither it nor a newer one came here.
    fn notice_end(&mut self, around: &Surroundings<'_, D>) {
        self.cut_off |= self.hears < around.latest_end;
    }

    /// A step of at most [`AT_ONCE`] pursuers. Most only go straight on; of the others, first all
    /// listen. What they read from far memory is asked for before, so that these reads overlap.
    pub(crate) fn step(some: &mut [Self], around: &Surroundings<'_, D>) {
        debug_assert!(some.len() <= AT_ONCE, "{}", some.len());
        if around.targets.here().is_empty() {
            for pursuer in some {
                pursuer.go(around, None);
            }
            return;
        }
        let mut others = ArrayVec::<(&mut Self, Option<(usize, f64)>), AT_ONCE>::new();
        let mut echo = Echo::default();
        let first: *const u8 = some.as_ptr().cast();
        for (i, pursuer) in some.iter_mut().enumerate() {
            for byte in (0..size_of::<Self>()).step_by(LINE) {
                prefetch(first, (i + AHEAD) * size_of::<Self>() + byte);
            }
            let mut nearest = None;
            let is_done = match pursuer.course {
                Course::Straight(_) => {
                    let may_go_on = !pursuer.is_due(around)
                        || pursuer.hears >= around.latest_end && !pursuer.has_news(around);
                    may_go_on && pursuer.keeps_on(around)
                }
                Course::Open => {
                    nearest = pursuer.nearest(around);
                    pursuer.stays_close(around, nearest, &mut echo)
                }
                _ => false,
            };
            if !is_done {
                around.waves.prefetch(pursuer.at(), pursuer.hears);
                others.push((pursuer, nearest));
            }
        }
        for (pursuer, nearest) in &mut others {
            *nearest = nearest.or_else(|| pursuer.nearest(around));
            let Some((_, off)) = *nearest else { continue };
            if pursuer.crossing_left().is_none() && off <= around.config.arrival_range {
                pursuer.listen(around);
            } else if pursuer.is_due(around) {
                pursuer.listen_in_turn(around);
            }
        }
        for (pursuer, nearest) in others {
            if !pursuer.keeps_on(around) {
                pursuer.go(around, nearest);
            }
        }
    }

    /// Does what [`Pursuer::go`] does while there is a target, with the same bits, if that is for
    /// certain only to go straight on, as it mostly is; otherwise it does nothing.
    #[inline]
    pub(crate) fn keeps_on(&mut self, around: &Surroundings<'_, D>) -> bool {
        let Course::Straight(aim) = self.course else { return false };
        let length = self.speed * around.stride;
        if self.unseen - length <= ROUNDING * length
            || !aim.is_free
            || self.cut_off
            || around.slows()
        {
            return false;
        }
        // `distance` and `toward`, along those axes that there are.
        let square = |p: &Cells, q: &Cells| {
            (0..D::AXES).map(|a| (p[a] - q[a]) * (p[a] - q[a])).fold(0.0, |sum, more| sum + more)
        };
        // By squares, which take no root, and with a margin above their rounding.
        let far = most(around.config.arrival_range + 2.0 * length, around.config.close_range);
        let far = far * far * (1.0 + ROUNDING);
        let (at, end) = (self.at(), D::to_xyz(aim.at));
        let all = square(&at, &end).sqrt();
        let part = length / all;
        let mut next = at;
        (0..D::AXES).for_each(|a| next[a] += (end[a] - next[a]) * part);
        let goes_on = all > length
            && around.targets.here().iter().all(|target| square(&at, target) > far)
            && next != end
            && around.ground.is_clear(next);
        if goes_on {
            self.unseen -= length;
            self.go_over(around, next, length);
            (self.state, self.traced) = (PursuerState::Chasing, 0);
        }
        goes_on
    }

    /// Does what [`Pursuer::listen_in_turn`] and [`Pursuer::go`] do, with the same bits, for a
    /// pursuer beside a target with no wall around; otherwise it does nothing. Most pursuers that
    /// have arrived are such.
    #[inline]
    pub(crate) fn stays_close(
        &mut self,
        around: &Surroundings<'_, D>,
        nearest: Option<(usize, f64)>,
        echo: &mut Echo<D>,
    ) -> bool {
        let config = around.config;
        if !matches!(self.course, Course::Open) || config.method != Method::Wake || around.slows() {
            return false;
        }
        let Some((target, off)) = nearest else { return false };
        let is_near = off > config.arrival_range && off <= config.close_range;
        if !(is_near && around.targets.is_beside(target, self.at())) {
            return false;
        }
        if self.has_news(around) {
            self.note(echo.heard(around, self.at()));
        }
        self.notice_end(around);
        self.traced = 0;
        self.close_in(around, around.targets.here()[target], off, self.speed * around.stride);
        true
    }

    /// Goes on by the waves that it has heard.
    pub(crate) fn go(&mut self, around: &Surroundings<'_, D>, nearest: Option<(usize, f64)>) {
        self.traced = 0;
        let part = self.cross(around);
        if part == 0.0 {
            self.state = PursuerState::OnLink;
            return;
        }
        let Some((target, off)) = nearest else {
            self.hears = 0;
            self.course = Course::Open;
            if self.mark().is_some() {
                self.keep(None);
            }
            self.state = PursuerState::NoTarget;
            return;
        };
        if off <= around.config.arrival_range {
            self.state = PursuerState::Arrived;
            return;
        }
        let target = around.targets.here()[target];
        let length = self.speed * around.stride * self.slowdown(around) * part;
        if off <= around.config.close_range && around.ground.sees(self.at(), target) {
            return self.close_in(around, target, off, length);
        }
        self.state = if around.config.method == Method::Wake {
            self.follow_wake(around, length)
        } else {
            self.go_straight(around, length)
        };
        if self.crossing_left().is_none()
            && distance(self.at(), target) <= around.config.arrival_range
        {
            self.state = PursuerState::Arrived;
        }
    }

    /// Goes on along the link that it is on, and returns the part of the step that is left.
    fn cross(&mut self, around: &Surroundings<'_, D>) -> f64 {
        let Some(left) = self.crossing_left() else { return 1.0 };
        let end = around.ground.to_world(self.at());
        let (from, to) = (D::to_xyz(self.position), D::to_xyz(end));
        if left > around.time {
            let part = around.time / left;
            self.walked += distance(from, to) * part;
            self.position = D::from_xyz(between(from, to, part));
            self.course = Course::Link(left - around.time);
            return 0.0;
        }
        self.walked += distance(from, to);
        (self.course, self.position) = (Course::Open, end);
        1.0 - left / around.time
    }

    /// Sets out along the link that leads home from where it stands, if it is at its beginning.
    fn take_link(&mut self, around: &Surroundings<'_, D>) -> bool {
        let heard = around.waves.heard(around.ground, self.at());
        let link = heard.and_then(|(_, wake)| wake.link(self.at()));
        let Some((_, link)) = link.filter(|(start, _)| *start == self.at()) else { return false };
        self.keep(None);
        self.horizon = 0;
        self.course = Course::Link(link.time);
        self.cells = D::from_xyz(Ground::<D>::middle(link.to));
        true
    }

    /// The number of the nearest target, and the distance to it.
    pub(crate) fn nearest(&self, around: &Surroundings<'_, D>) -> Option<(usize, f64)> {
        let off = |(i, target): (usize, &Cells)| (i, distance(self.at(), *target));
        let targets = around.targets.here().iter().enumerate().map(off);
        targets.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Goes straight to a place.
    fn walk(&mut self, around: &Surroundings<'_, D>, to: Cells) {
        self.go_over(around, to, distance(self.at(), to));
    }

    /// [`Pursuer::walk`] over a distance that is known.
    #[inline]
    fn go_over(&mut self, around: &Surroundings<'_, D>, to: Cells, way: f64) {
        self.walked += way * around.medium.spacing();
        self.gone += way;
        self.cells = D::from_xyz(to);
        self.position = around.ground.to_world(to);
    }

    fn slowdown(&self, around: &Surroundings<'_, D>) -> f64 {
        if !around.slows() {
            return 1.0;
        }
        let speed = around.medium.speed(Ground::<D>::cell(self.at()));
        speed.map_or(1.0, |speed| speed / around.fastest)
    }

    /// Goes straight for a target nearby that it sees, `off` from it.
    #[inline]
    fn close_in(&mut self, around: &Surroundings<'_, D>, target: Cells, off: f64, length: f64) {
        if self.aim().is_some() {
            self.course = Course::Open;
        }
        if off <= length {
            self.go_over(around, target, off);
            self.state = PursuerState::Arrived;
            return;
        }
        self.walk(around, toward(self.at(), target, length));
        let is_there = distance(self.at(), target) <= around.config.arrival_range;
        self.state = if is_there { PursuerState::Arrived } else { PursuerState::Closing };
    }

    /// Reacts once to every wave that has come.
    fn listen(&mut self, around: &Surroundings<'_, D>) {
        let (here, before) = (self.at(), self.hears);
        match &around.waves.carrier {
            Carrier::Dense(Dense { waves, threshold, direction, sampling, .. }) => {
                if !matches!(self.memory, Memory::Each(_)) {
                    self.memory = Memory::Each(Box::default());
                }
                let Memory::Each(reacted) = &mut self.memory else { return };
                let heard = waves.iter().zip(&around.waves.emissions).zip(reacted.iter_mut());
                for ((wave, emission), reacted) in heard {
                    if emission.number <= *reacted {
                        continue;
                    }
                    let at = match sampling {
                        Sampling::Position => around.ground.to_world(here),
                        Sampling::Cell => around.medium.centre(Ground::<D>::cell(here)),
                    };
                    let (medium, threshold) = (around.medium, *threshold);
                    let z = wave.value_at(medium, at).unwrap_or(0.0);
                    if z.abs() <= threshold {
                        continue;
                    }
                    *reacted = emission.number;
                    self.hears = self.hears.max(emission.number);
                    let Ok(gradient) = wave.gradient_at(medium, at) else {
                        continue;
                    };
                    let sign = match direction {
                        Direction::Gradient => 1.0,
                        Direction::TowardCrest => z.signum(),
                    };
                    self.course =
                        Course::along(unit(D::to_xyz(gradient).map(|g| sign * g)).map(D::from_xyz));
                }
            }
            Carrier::Fronts(_) => {
                let heard = around.waves.heard(around.ground, here);
                self.note(heard.as_ref().map(|heard| number_and_time(heard, here)));
                let Some((number, wake)) = heard else { return };
                if around.config.method == Method::Wake {
                    if number > before {
                        self.reconsider(around, &wake, before >= number - wake.repairs);
                    }
                } else if !matches!(self.memory, Memory::Last(last) if number <= last) {
                    self.memory = Memory::Last(number);
                    self.course = Course::along(wake.direction(here).map(D::from_xyz));
                }
            }
        }
    }

    /// Notes which wave is here, and how long it took.
    fn note(&mut self, heard: Option<(u64, f64)>) {
        self.hears = heard.map_or(0, |heard| heard.0);
        if let Some((_, time)) = heard {
            (self.away, self.gone) = (time, 0.0);
        }
    }

    /// A new wave has come: drops an aim that is not on the wave's way. An aim on the target's
    /// trail is kept, since it is looked at soon anyway. Where speeds differ, any aim is dropped,
    /// unless the wave is known and was only repaired.
    fn reconsider(&mut self, around: &Surroundings<'_, D>, wake: &Wake<'_, D>, is_known: bool) {
        let Some(aim) = self.aim().filter(|_| self.mark().is_none()) else { return };
        let (at, end) = (self.at(), D::to_xyz(aim.at));
        let on_the_way = || {
            // Arrivals are those of the cells' middles: a step or two off.
            let least = (1.0 - DETOUR) * around.ground.wave_time(at, end) - 2.0;
            wake.gain(at, end).is_some_and(|gain| gain >= least)
        };
        if !((around.ground.is_uniform() || is_known) && on_the_way()) {
            self.course = Course::Open;
        }
    }

    /// Where to meet the target, if it is seen from afar: on the straight line that it walks, if
    /// the ground before both is free, or where it is.
    fn in_sight(&mut self, around: &Surroundings<'_, D>) -> Option<Goal> {
        let (target, way) = self.nearest(around)?;
        let at = around.targets.here()[target];
        self.unseen = (0.25 * way).max(1.0);
        // Through slow areas the straight way may not be the shortest in time.
        if way > SIGHT || !around.ground.is_uniform() || !around.ground.sees(self.at(), at) {
            return None;
        }
        let mark = Some(Mark::new(target, around.targets.next_turn()));
        let velocity = around.targets.velocity(target);
        let pace = distance(velocity, [0.0; 3]);
        let speed = self.speed / around.medium.spacing();
        // A target at its own place is met already, and one that stands still is met where it is.
        let meets = pace > 0.0 && pace.is_finite() && way > 0.0;
        let mut lead = if meets {
            (meeting_time(self.at(), speed, at, velocity) * pace).min(SIGHT)
        } else {
            0.0
        };
        // Below a cell it is the target itself.
        while lead > 1.0 {
            let there = [0, 1, 2].map(|a: usize| at[a] + velocity[a] * (lead / pace));
            if around.ground.sees(at, there) && around.ground.sees(self.at(), there) {
                return Some(Goal { at: there, mark });
            }
            lead /= 2.0;
        }
        Some(Goal { at, mark })
    }

    /// Where to go next in a straight line: to the target, along its trail, or home by the way of
    /// the newest wave.
    fn choose(&mut self, around: &Surroundings<'_, D>) -> Option<Goal> {
        let heard = around.waves.heard(around.ground, self.at());
        if heard.as_ref().map_or(0, |heard| heard.0) != self.hears {
            self.note(heard.as_ref().map(|heard| number_and_time(heard, self.at())));
        }
        let (_, wake) = heard?;
        if let Some(goal) = self.in_sight(around) {
            return Some(goal);
        }
        if let Some(mark) = self.mark() {
            // A wave emitted further along the trail knows more.
            let known = wake.turn <= mark.turn;
            let goal = aim_on_trail(around.ground, around.targets, self.at(), mark);
            if let Some(goal) = goal.filter(|goal| known && goal.at != self.at()) {
                return Some(goal);
            }
        }
        if let Some((start, _)) = wake.link(self.at()) {
            return Some(Goal { at: start, mark: None });
        }
        let before = if self.state == PursuerState::Waiting { 0 } else { self.horizon };
        self.horizon = horizon::<D>(self.id.number(), usize::from(before)) as u16;
        wake.aim(self.at(), around.targets, usize::from(self.horizon), &mut self.traced)
    }

    /// Follows the arrivals of the newest wave, aim by aim.
    fn follow_wake(&mut self, around: &Surroundings<'_, D>, length: f64) -> PursuerState {
        if self.cut_off {
            self.course = Course::Open;
            self.keep(None);
            return PursuerState::TargetUnreachable;
        }
        let mut left = length;
        let nothing = ROUNDING * length;
        // Enough for an aim every sixth of a cell; the rest of a step that is not used is lost.
        for _ in 0..64 + 16 * length as usize {
            if left <= nothing {
                break;
            }
            let Some(aim) = self.aim() else {
                let goal = self.choose(around).filter(|goal| goal.at != self.at());
                self.keep(goal.and_then(|goal| goal.mark));
                let Some(Goal { at, mark }) = goal else {
                    if self.take_link(around) {
                        return PursuerState::OnLink;
                    }
                    return PursuerState::Waiting;
                };
                // Later aims in this step are not first ones.
                self.state = PursuerState::Chasing;
                if mark.is_some() {
                    // The target walks on, but the way of a wave stays as it is.
                    self.unseen = (0.25 * distance(self.at(), at)).max(1.0);
                }
                self.course = Course::Straight(Aim { at: D::from_xyz(at), is_free: true });
                continue;
            };
            // It looks around at the same places whatever its speed.
            let (at, end) = (self.at(), D::to_xyz(aim.at));
            let all = distance(at, end);
            let way = all.min(left).min(self.unseen.max(nothing));
            let next = if way < all { between(at, end, way / all) } else { end };
            // Only an edit can have closed a line that was free.
            let swept = aim.is_free && around.ground.is_clear(next);
            if !swept && !around.ground.sees(at, next) {
                self.course = Course::Open;
                continue;
            }
            left -= way;
            self.unseen -= way;
            self.go_over(around, next, way);
            let looks = self.unseen <= nothing
                && (self.mark().is_some() || self.in_sight(around).is_some());
            if looks || end == next {
                self.course = Course::Open;
            }
        }
        PursuerState::Chasing
    }

    /// Goes on along its heading and slides along walls, as published.
    fn go_straight(&mut self, around: &Surroundings<'_, D>, length: f64) -> PursuerState {
        let Course::Heading(heading) = self.course else {
            return if self.cut_off {
                PursuerState::TargetUnreachable
            } else {
                PursuerState::Waiting
            };
        };
        let (at, heading) = (self.at(), D::to_xyz(heading));
        let ahead = std::array::from_fn(|a| at[a] + length * heading[a]);
        let next = around.ground.slide(at, ahead);
        let blocked = distance(at, next) < 1e-6 * length;
        self.walk(around, next);
        if blocked { PursuerState::Blocked } else { PursuerState::Chasing }
    }
}

/// The number of the wave that was heard, and how long it took to a place.
fn number_and_time<D: Space>((number, wake): &(u64, Wake<'_, D>), at: Cells) -> (u64, f64) {
    (*number, wake.time(at).unwrap_or(0.0))
}

/// What is heard in the cell asked for last: many that have arrived stand in the same one.
pub(crate) struct Echo<D: Space> {
    cell: Option<D::Cell>,
    heard: Option<(u64, f64)>,
}

impl<D: Space> Default for Echo<D> {
    fn default() -> Self {
        Self { cell: None, heard: None }
    }
}

impl<D: Space> Echo<D> {
    /// The newest wave that has come to the cell of `at`, and how long it took.
    #[inline]
    fn heard(&mut self, around: &Surroundings<'_, D>, at: Cells) -> Option<(u64, f64)> {
        let cell = Ground::<D>::cell(at);
        if self.cell != Some(cell) {
            let heard = around.waves.heard(around.ground, at);
            *self =
                Self { cell: Some(cell), heard: heard.map(|heard| number_and_time(&heard, at)) };
        }
        self.heard
    }
}

/// The unit vector along `v`, `None` for 0. Scaled first: amplitudes may be tiny.
fn unit(v: Cells) -> Option<Cells> {
    let largest = v.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let scaled = v.map(|c| c / largest);
    let length = distance(scaled, [0.0; 3]);
    Some(scaled.map(|c| c / length))
}
