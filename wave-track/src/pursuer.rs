//! One pursuer: what it hears, where it goes, why it stands.

use crate::config::{MAX_WAVES, Rule, Steering, TrackerConfig};
use crate::ground::{Cells, Ground, distance, toward};
use crate::tracker::PursuerId;
use crate::waves::{Carrier, Waves};
use wave_core::{Real, Space};

/// What a pursuer does, or why it does not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PursuerState {
    /// There is no target.
    NoTarget,
    /// No wave has come yet.
    Waiting,
    /// It goes where a wave came from.
    Chasing,
    /// It sees the target nearby and goes straight for it.
    Closing,
    /// It has come to the target.
    Arrived,
    /// The newest wave has ended and did not come here: no way leads to the target.
    TargetUnreachable,
    /// Its straight course ends at a wall; the next wave may turn it.
    Blocked,
}

/// A pursuer as it stands; owned by its [`Tracker`](crate::Tracker).
#[derive(Clone, Debug)]
pub struct Pursuer<D: Space> {
    pub(crate) id: PursuerId,
    pub(crate) at: Cells,
    pub(crate) position: D::Point,
    pub(crate) speed: f64,
    pub(crate) state: PursuerState,
    pub(crate) walked: f64,
    /// The newest emission that has come to where it stands; 0 for none.
    pub(crate) hears: u64,
    /// The last emission that it reacted to, per wave (fronts: the first entry).
    reacted: [u64; MAX_WAVES],
    aim: Option<Aim>,
    heading: Option<Cells>,
    /// The era in which a wave ended and had not come here; see [`crate::waves::Scene`].
    cut_off: Option<u64>,
}

/// Where a pursuer goes in a straight line.
#[derive(Clone, Copy, Debug)]
struct Aim {
    at: Cells,
    /// The count of wall edits at which the whole line was free, if it was.
    free: Option<u64>,
}

/// What all pursuers see in a step.
pub(crate) struct Surroundings<'a, D: Space, S: Real> {
    pub(crate) ground: Ground<'a, D, S>,
    pub(crate) waves: &'a Waves<D, S>,
    pub(crate) config: &'a TrackerConfig,
    pub(crate) targets: &'a [Cells],
    /// `[units: world units per time]` The speed of the wave at which pursuers are not slowed.
    pub(crate) fastest: f64,
    /// Cells that a speed of 1 walks in a step.
    pub(crate) stride: f64,
    pub(crate) latest_end: u64,
    pub(crate) era: u64,
    pub(crate) medium: &'a wave_core::Medium<D, S>,
}

impl<D: Space> Pursuer<D> {
    pub(crate) fn new(id: PursuerId, at: Cells, position: D::Point, speed: f64) -> Self {
        Self {
            id,
            at,
            position,
            speed,
            state: PursuerState::Waiting,
            walked: 0.0,
            hears: 0,
            reacted: [0; MAX_WAVES],
            aim: None,
            heading: None,
            cut_off: None,
        }
    }

    /// Whether it knows that no way leads to a target, as long as no new way can have appeared.
    pub(crate) fn is_cut_off(&self, era: u64) -> bool {
        self.cut_off == Some(era)
    }

    /// Its name in the tracker.
    #[must_use]
    pub fn id(&self) -> PursuerId {
        self.id
    }
    /// `[units: world units]` Where it stands.
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

    /// Puts it elsewhere; it listens anew.
    pub(crate) fn teleport(&mut self, at: Cells, position: D::Point) {
        *self = Self { walked: self.walked, ..Self::new(self.id, at, position, self.speed) };
    }

    /// Hears what has come, while the waves of a frame still run.
    pub(crate) fn hear<S: Real>(&mut self, around: &Surroundings<'_, D, S>) {
        if !around.targets.is_empty() {
            self.listen(around);
        }
    }

    pub(crate) fn step<S: Real>(&mut self, around: &Surroundings<'_, D, S>) {
        let off = |target: &Cells| distance(self.at, *target);
        let nearest = around.targets.iter().copied().min_by(|a, b| off(a).total_cmp(&off(b)));
        let Some(target) = nearest else {
            self.hears = 0;
            self.aim = None;
            self.heading = None;
            self.state = PursuerState::NoTarget;
            return;
        };
        if off(&target) <= around.config.arrival_range {
            self.listen(around);
            self.state = PursuerState::Arrived;
            return;
        }
        self.listen(around);
        if self.hears < around.latest_end {
            self.cut_off = Some(around.era);
        }
        let length = self.speed * around.stride * self.slowdown(around);
        self.state = if self.closes_in(around, target, length) {
            PursuerState::Closing
        } else if around.config.rule == (Rule::Front { steering: Steering::Wake }) {
            self.follow_wake(around, length)
        } else {
            self.go_straight(around, length)
        };
        if distance(self.at, target) <= around.config.arrival_range {
            self.state = PursuerState::Arrived;
        }
    }

    /// Goes straight to a place.
    fn walk<S: Real>(&mut self, around: &Surroundings<'_, D, S>, to: Cells) {
        self.walked += distance(self.at, to) * around.medium.spacing();
        self.at = to;
        self.position = around.ground.to_world(to);
    }

    fn slowdown<S: Real>(&self, around: &Surroundings<'_, D, S>) -> f64 {
        if !around.config.areas_slow_pursuers {
            return 1.0;
        }
        let speed = around.medium.speed(Ground::<D, S>::cell(self.at));
        speed.map_or(1.0, |speed| speed / around.fastest)
    }

    /// Straight for a target nearby that it sees.
    fn closes_in<S: Real>(
        &mut self,
        around: &Surroundings<'_, D, S>,
        target: Cells,
        length: f64,
    ) -> bool {
        let near = distance(self.at, target) <= around.config.close_range;
        if !(near && around.ground.sees(self.at, target)) {
            return false;
        }
        self.aim = None;
        self.walk(around, toward(self.at, target, length));
        true
    }

    /// Reacts once to every wave that has come.
    fn listen<S: Real>(&mut self, around: &Surroundings<'_, D, S>) {
        match &around.waves.carrier {
            Carrier::Dense { waves, threshold, .. } => {
                for (i, (wave, emission)) in waves.iter().zip(&around.waves.emissions).enumerate() {
                    if emission.number <= self.reacted[i] {
                        continue;
                    }
                    let at = around.ground.to_world(self.at);
                    let (medium, threshold) = (around.medium, *threshold);
                    let z = wave.value_at(medium, at).unwrap_or(0.0);
                    if z.abs() <= threshold {
                        continue;
                    }
                    self.reacted[i] = emission.number;
                    self.hears = self.hears.max(emission.number);
                    let Ok(gradient) = wave.gradient_at(medium, at) else {
                        continue;
                    };
                    self.heading = unit(D::to_xyz(gradient).map(|g| g.copysign(g * z)));
                }
            }
            Carrier::Fronts(_) => {
                let cell = Ground::<D, S>::cell(self.at);
                let Some((number, wake)) = around.waves.heard(around.ground, cell) else {
                    self.hears = 0;
                    return;
                };
                self.hears = number;
                if number > self.reacted[0] {
                    self.reacted[0] = number;
                    self.aim = None;
                    self.heading = wake.direction(self.at);
                }
            }
        }
    }

    /// Follows what the newest wave left behind, aim by aim.
    fn follow_wake<S: Real>(
        &mut self,
        around: &Surroundings<'_, D, S>,
        length: f64,
    ) -> PursuerState {
        if self.is_cut_off(around.era) {
            self.aim = None;
            return PursuerState::TargetUnreachable;
        }
        let mut left = length;
        // Enough for an aim every sixth of a cell; what a step cannot use it does not save.
        for _ in 0..64 + 16 * length as usize {
            if left <= 0.0 {
                break;
            }
            let revision = around.medium.revision();
            let Some(aim) = self.aim else {
                let cell = Ground::<D, S>::cell(self.at);
                let heard = around.waves.heard(around.ground, cell);
                let Some(at) = heard.and_then(|(_, wake)| wake.aim(self.at)) else {
                    return PursuerState::Waiting;
                };
                if at == self.at {
                    return PursuerState::Waiting;
                }
                let free = around.ground.sees(self.at, at).then_some(revision);
                self.aim = Some(Aim { at, free });
                continue;
            };
            let next = toward(self.at, aim.at, left);
            // Only an edit can have closed a line that was free.
            let swept = aim.free == Some(revision) && around.ground.is_clear(next);
            if !swept && !around.ground.sees(self.at, next) {
                self.aim = None;
                continue;
            }
            left -= distance(self.at, next);
            self.walk(around, next);
            if aim.at == next {
                self.aim = None;
            }
        }
        PursuerState::Chasing
    }

    /// Goes on along its heading and slides along walls, as published.
    fn go_straight<S: Real>(
        &mut self,
        around: &Surroundings<'_, D, S>,
        length: f64,
    ) -> PursuerState {
        let Some(heading) = self.heading else {
            return if self.is_cut_off(around.era) {
                PursuerState::TargetUnreachable
            } else {
                PursuerState::Waiting
            };
        };
        let ahead = std::array::from_fn(|a| self.at[a] + length * heading[a]);
        let next = around.ground.slide(self.at, ahead);
        let blocked = distance(self.at, next) < 1e-6 * length;
        self.walk(around, next);
        if blocked { PursuerState::Blocked } else { PursuerState::Chasing }
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
