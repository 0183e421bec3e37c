//! Pursuers that follow waves as boids of one flock.

use super::cast::{Cast, Doing, Member, distance};
use super::error::Refusal;
use super::formation::{Formation, Pose};
use super::party::Party;
use super::stage::Stage;
use crate::scenario;
use crowd::Guide;
use flocking::{
    Avoidance, Boid, BoidGoal, BoidId, Flock, FlockConfig, Neighbours, Species, SteeringRule,
    Turning,
};
use wave_core::Space;
use xxhash_rust::xxh3::Xxh3;

/// Every boid has a guide, a pursuer of the stage's tracker that goes a little ahead of it and is
/// its goal, as the source's leaders have one. The flock says which way the boid turns, the
/// tracker's ground where it can go. A boid that has arrived stands still and no longer belongs to
/// the flock, so it does not keep out later ones.
pub(super) struct Pack<V: flocking::Vector> {
    settings: scenario::Pack,
    speed: f64,
    leaders: usize,
    flock: Flock<V>,
    members: Vec<Hound>,
    /// Looks at the formation, and the frames in which they were taken.
    looks: Vec<(u64, Formation)>,
}

struct Hound {
    member: usize,
    guide: Guide,
    id: BoidId,
    /// `[units: world units per frame]`
    velocity: [f64; 3],
}

impl<V: flocking::Vector<Scalar = f64>> Pack<V> {
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
            rule: SteeringRule::Turning(turning),
            avoidance,
            max_turn: settings.max_turn,
            max_acceleration: 0.0,
        };
        let neighbours = match settings.nearest {
            None => Neighbours::All,
            Some(most) => Neighbours::Nearest { most },
        };
        Ok(Self {
            settings: *settings,
            speed,
            leaders: leaders(settings.leaders, count),
            flock: Flock::new(FlockConfig { neighbours, ..FlockConfig::of(species) })?,
            members: Vec::new(),
            looks: Vec::new(),
        })
    }

    /// A look at the boids that are on their way.
    fn look(&self, cast: &Cast) -> Formation {
        let pose = |one: &Hound| {
            let me = &cast.pursuers[one.member];
            let speed = distance(one.velocity, [0.0; 3]);
            let walks = me.doing == Doing::Flocking && speed > 0.0;
            let heading = one.velocity.map(|v| v / speed);
            walks.then_some(Pose { position: me.position, heading })
        };
        let poses: Vec<_> = self.members.iter().filter_map(pose).collect();
        Formation::of(&poses, if V::FLAT { 2 } else { 3 }, self.settings.view_radius)
    }
}

/// `[units: frames]` Between two looks at the formation.
const LOOK_EVERY: u64 = 10;

impl<D> Party<D> for Pack<D::Point>
where
    D: Space<Point: flocking::Vector<Scalar = f64>>,
{
    fn enter(&mut self, stage: &mut Stage<D>, member: usize, me: &Member) -> Result<(), Refusal> {
        let guide = Guide::new(&mut stage.tracker, D::from_xyz(me.position), self.speed)?;
        let velocity = stage.random_heading().map(|h| h * self.speed * stage.dt);
        let id = self.flock.add(Boid::new(D::from_xyz(me.position), D::from_xyz(velocity)))?;
        self.members.push(Hound { member, guide, id, velocity });
        Ok(())
    }

    fn step(&mut self, stage: &mut Stage<D>, cast: &mut Cast) -> Result<(), Refusal> {
        for (i, one) in self.members.iter().enumerate() {
            let me = &mut cast.pursuers[one.member];
            let flocks = self.flock.boid(one.id).is_ok();
            if me.contact {
                me.doing = Doing::Arrived;
                if flocks {
                    self.flock.remove(one.id)?;
                }
                continue;
            }
            me.doing = match Doing::from(one.guide.state(&stage.tracker)?) {
                Doing::Chasing | Doing::Closing | Doing::Arrived => Doing::Flocking,
                other => other,
            };
            let pull = if i < self.leaders { 1.0 } else { self.settings.pull };
            let goal = Some(BoidGoal { position: one.guide.position(&stage.tracker)?, pull });
            let [position, velocity] = [me.position, one.velocity].map(D::from_xyz);
            let boid = Boid { goal, ..Boid::new(position, velocity) };
            if flocks {
                self.flock.set(one.id, boid)?;
            } else {
                self.flock.add_as(one.id, boid)?;
            }
        }
        for (id, steering) in self.flock.steer() {
            self.members[id.number() as usize].velocity = D::to_xyz(steering.velocity);
        }
        for one in &self.members {
            let me = &mut cast.pursuers[one.member];
            if me.doing == Doing::Flocking {
                me.go(stage.slide(me.position, one.velocity)?);
            }
            let here = D::from_xyz(me.position);
            one.guide.hold(&mut stage.tracker, here, self.settings.leash)?;
        }
        if stage.frame.is_multiple_of(LOOK_EVERY) {
            let look = self.look(cast);
            self.looks.push((stage.frame, look));
        }
        Ok(())
    }

    fn formation(&self, end: u64) -> Formation {
        let midway = self.looks.iter().filter(|(frame, _)| (end / 2..=end).contains(frame));
        midway.fold(Formation::default(), |all, (_, look)| all.and(look))
    }

    fn gauges(&self, each: &mut dyn FnMut(&'static str, f64)) {
        let Some((_, look)) = self.looks.last() else { return };
        for (name, value) in
            [("spacing", look.spacing()), ("alignment", look.alignment()), ("files", look.files())]
        {
            if let Some(value) = value {
                each(name, value);
            }
        }
    }

    fn hash(&self, hash: &mut Xxh3) {
        hash.update(&self.flock.state_hash().to_le_bytes());
    }
}

/// How many of so many lead: a share of 0.07 of 100 is 7, though the product is a little more.
fn leaders(share: f64, count: usize) -> usize {
    (share * count as f64 * (1.0 - 1e-12)).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::leaders;

    #[test]
    fn a_share_in_percent_is_that_many_of_a_hundred() {
        assert!((0..=100).all(|n| leaders(n as f64 / 100.0, 100) == n));
        assert_eq!([leaders(0.001, 100), leaders(0.5, 3), leaders(1.0, 10_000)], [1, 2, 10_000]);
    }
}
