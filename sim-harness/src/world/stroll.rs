//! Evaders that take no notice of others: still, on patrol, wandering.

use super::cast::{Cast, Doing, Member, distance};
use super::error::Refusal;
use super::party::Party;
use super::stage::Stage;
use wave_core::Space;

/// Where they go.
pub(super) enum Stroll {
    Still,
    /// It goes to these places in turn.
    Patrol(Vec<[f64; 3]>),
    /// In a new direction every so many frames.
    Wander(u64),
}

pub(super) struct Strollers {
    stroll: Stroll,
    speed: f64,
    members: Vec<Stroller>,
}

struct Stroller {
    member: usize,
    next_stop: usize,
    heading: [f64; 3],
}

impl Strollers {
    pub(super) fn new(stroll: Stroll, speed: f64) -> Self {
        Self { stroll, speed, members: Vec::new() }
    }
}

impl<D: Space> Party<D> for Strollers {
    fn enter(&mut self, _: &mut Stage<D>, member: usize, _: &Member) -> Result<(), Refusal> {
        self.members.push(Stroller { member, next_stop: 0, heading: [0.0; 3] });
        Ok(())
    }

    fn step(&mut self, stage: &mut Stage<D>, cast: &mut Cast) -> Result<(), Refusal> {
        let length = self.speed * stage.dt;
        for stroller in &mut self.members {
            let me = &mut cast.evaders[stroller.member];
            let step = match &self.stroll {
                _ if length <= 0.0 => continue,
                Stroll::Wander(every) => {
                    if stage.frame.is_multiple_of(*every) {
                        stroller.heading = stage.random_heading();
                    }
                    stroller.heading.map(|h| h * length)
                }
                Stroll::Patrol(stops) if !stops.is_empty() => {
                    let stop = stops[stroller.next_stop];
                    let mut way: [f64; 3] = std::array::from_fn(|a| stop[a] - me.position[a]);
                    // Over heights one goes where waves do: up and down come by themselves.
                    way[D::AXES..].fill(0.0);
                    let far = distance(way, [0.0; 3]);
                    if far <= length {
                        stroller.next_stop = (stroller.next_stop + 1) % stops.len();
                        way
                    } else {
                        way.map(|w| w * (length / far))
                    }
                }
                Stroll::Still | Stroll::Patrol(_) => continue,
            };
            me.go(stage.slide(me.position, step)?);
            me.doing = Doing::Walking;
        }
        Ok(())
    }
}
