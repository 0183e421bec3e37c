//! Pursuers that follow waves as boids of one flock.

use super::cast::{Cast, Doing, Member, distance};
use super::error::Refusal;
use super::outcome::Outcome;
use super::party::Party;
use super::stage::Stage;
use crate::scenario;
use flocking::{Avoidance, Boid, BoidId, Flock, FlockConfig, Goal, Rule, Species, Turning};
use glam::DVec3;
use wave_core::Space;
use wave_track::PursuerId;
use xxhash_rust::xxh3::Xxh3;

/// Every boid has a guide: a pursuer of the stage's tracker that follows the wave a little ahead of it
/// and is its goal, as the source's leaders have one. The flock says which way the boid turns, the
/// tracker's ground where it can go.
pub(super) struct Pack {
    settings: scenario::Pack,
    speed: f64,
    leaders: usize,
    flock: Flock<DVec3>,
    members: Vec<Hound>,
    /// Sums over frames and boids: nearest neighbours, headings beside those of neighbours, and how
    /// many there were of each.
    spacing: (f64, f64),
    alignment: (f64, f64),
}

struct Hound {
    member: usize,
    guide: PursuerId,
    id: BoidId,
    /// `[units: world units per frame]`
    velocity: DVec3,
}

impl Pack {
    pub(super) fn new(
        settings: &scenario::Pack,
        speed: f64,
        count: usize,
    ) -> Result<Self, Refusal> {
        let turning = Turning {
            view_angle: std::f64::consts::TAU,
            cohesion: settings.cohesion,
            alignment: settings.alignment,
            separation: settings.separation,
            ..Turning::published_at(settings.view_radius)
        };
        // Walls are the tracker's business.
        let avoidance = Avoidance { weight: 0.0, ..Avoidance::published() };
        let species = Species {
            rule: Rule::Turning(turning),
            avoidance,
            max_turn: std::f64::consts::FRAC_PI_2,
            max_acceleration: 0.0,
        };
        Ok(Self {
            settings: *settings,
            speed,
            leaders: (settings.leaders * count as f64).ceil() as usize,
            flock: Flock::new(FlockConfig::of(species))?,
            members: Vec::new(),
            spacing: (0.0, 0.0),
            alignment: (0.0, 0.0),
        })
    }

    /// Adds up how far neighbours are, and how much they go the same way.
    fn measure(&mut self, cast: &Cast) {
        // Cells of one view radius; a neighbour lies in one's own or in one beside it.
        let radius = self.settings.view_radius;
        let bin = |p: [f64; 3]| p.map(|v| (v / radius).floor() as i64);
        let mut bins: Vec<([i64; 3], usize)> = Vec::with_capacity(self.members.len());
        let walks = |member: usize| cast.pursuers[member].doing == Doing::Flocking;
        for (i, one) in self.members.iter().enumerate().filter(|(_, one)| walks(one.member)) {
            bins.push((bin(cast.pursuers[one.member].position), i));
        }
        bins.sort_unstable();
        let boid = |i: usize| self.flock.boid(self.members[i].id).ok();
        let (mut spacing, mut alignment) = (self.spacing, self.alignment);
        for &(here, i) in &bins {
            let Some(me) = boid(i) else { continue };
            let (mut nearest, mut together, mut count) = (radius, 0.0, 0.0);
            for x in -1..=1 {
                for y in -1..=1 {
                    for z in -1..=1 {
                        let cell = [here[0] + x, here[1] + y, here[2] + z];
                        let from = bins.partition_point(|b| b.0 < cell);
                        for &(_, j) in bins[from..].iter().take_while(|b| b.0 == cell) {
                            let Some(other) = boid(j).filter(|_| j != i) else { continue };
                            let far = (me.position - other.position).length();
                            if far <= radius {
                                nearest = f64::min(nearest, far);
                                together += me.heading.dot(other.heading);
                                count += 1.0;
                            }
                        }
                    }
                }
            }
            spacing = (spacing.0 + nearest, spacing.1 + 1.0);
            if count > 0.0 {
                alignment = (alignment.0 + together / count, alignment.1 + 1.0);
            }
        }
        (self.spacing, self.alignment) = (spacing, alignment);
    }
}

/// `[units: frames]` Between two looks at spacing and alignment.
const LOOK_EVERY: u64 = 10;

impl<D: Space> Party<D> for Pack {
    fn enter(
        &mut self,
        stage: &mut Stage<'_, D>,
        member: usize,
        me: &Member,
    ) -> Result<(), Refusal> {
        let guide = stage.tracker.add_pursuer(D::from_xyz(me.position), self.speed)?;
        let velocity = stage.random_heading().map(|h| h * self.speed * stage.dt);
        let velocity = DVec3::from_array(velocity);
        let id = self.flock.add(Boid::new(DVec3::from_array(me.position), velocity))?;
        self.members.push(Hound { member, guide, id, velocity });
        Ok(())
    }

    fn step(&mut self, stage: &mut Stage<'_, D>, cast: &mut Cast) -> Result<(), Refusal> {
        for (i, one) in self.members.iter().enumerate() {
            let guide = stage.tracker.pursuer(one.guide)?;
            let me = &mut cast.pursuers[one.member];
            let pull = if i < self.leaders { 1.0 } else { self.settings.pull };
            let ahead = DVec3::from_array(D::to_xyz(guide.position()));
            let position = DVec3::from_array(me.position);
            let goal = Some(Goal { position: ahead, pull });
            self.flock.set(one.id, Boid { goal, ..Boid::new(position, one.velocity) })?;
            me.doing = match Doing::from(guide.state()) {
                _ if me.contact => Doing::Arrived,
                Doing::Chasing | Doing::Closing | Doing::Arrived => Doing::Flocking,
                other => other,
            };
        }
        for (id, steering) in self.flock.steer() {
            self.members[id.0 as usize].velocity = steering.velocity;
        }
        for one in &self.members {
            let me = &mut cast.pursuers[one.member];
            if me.doing == Doing::Flocking {
                me.go(stage.slide(me.position, one.velocity.to_array())?);
            }
            let ahead = D::to_xyz(stage.tracker.pursuer(one.guide)?.position());
            if distance(ahead, me.position) > self.settings.leash {
                stage.tracker.teleport(one.guide, D::from_xyz(me.position))?;
            }
        }
        if stage.frame.is_multiple_of(LOOK_EVERY) {
            self.measure(cast);
        }
        Ok(())
    }

    fn tell(&self, _: &Stage<'_, D>, outcome: &mut Outcome) {
        let mean = |(sum, count): (f64, f64)| (count > 0.0).then(|| sum / count);
        outcome.spacing = mean(self.spacing);
        outcome.alignment = mean(self.alignment);
    }

    fn gauges(&self, each: &mut dyn FnMut(&'static str, f64)) {
        if self.spacing.1 > 0.0 {
            each("mean spacing", self.spacing.0 / self.spacing.1);
        }
    }

    fn hash(&self, hash: &mut Xxh3) {
        hash.update(&self.flock.state_hash().to_le_bytes());
    }
}
