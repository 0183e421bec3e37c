//! Evaders that run where pursuers come late.

use super::cast::{Cast, Doing, Member, distance};
use super::error::Refusal;
use super::party::Party;
use super::stage::Stage;
use wave_core::{Medium, Space};
use wave_track::{Escape, EscapeConfig, Flight, FlightState};
use xxhash_rust::xxh3::Xxh3;

/// The part of a frame's way by which one may be off its course through rounding.
const HELD_UP: f64 = 1e-6;

/// They share one field of the pursuers: when the first of them can be at each place.
pub(super) struct Refugees<D: Space> {
    every: u64,
    speed: f64,
    ground: Medium<D>,
    escape: Escape<D>,
    /// Whether walls have changed, or one of them is elsewhere, since they looked around.
    changed: bool,
    members: Vec<Refugee<D>>,
}

struct Refugee<D: Space> {
    member: usize,
    flight: Flight<D>,
    /// Frames since it was planned.
    frames: u64,
}

impl<D: Space> Refugees<D> {
    pub(super) fn new(every: u64, speed: f64, stage: &Stage<D>) -> Result<Self, Refusal> {
        let ground = stage.even_ground()?;
        let reach = stage.scenario.contact.reach / ground.spacing();
        let escape = Escape::new(&ground, EscapeConfig { reach, ..EscapeConfig::default() })?;
        Ok(Self { every, speed, ground, escape, changed: false, members: Vec::new() })
    }

    fn look_around(&mut self, stage: &Stage<D>, cast: &Cast) -> Result<(), Refusal> {
        let Self { speed, ground, escape, members, .. } = self;
        escape.clear_threats();
        let groups = &stage.scenario.pursuers;
        let mut speeds: Vec<f64> = groups.iter().map(|group| group.speed).collect();
        speeds.sort_by(f64::total_cmp);
        speeds.dedup();
        for threat in speeds {
            let walk_so = cast.pursuers.iter().filter(|p| groups[p.group].speed == threat);
            let places = walk_so.map(|p| D::from_xyz(p.foothold));
            escape.add_threats(ground, places, threat)?;
        }
        for refugee in members {
            let here = D::from_xyz(cast.evaders[refugee.member].position);
            escape.flee(ground, here, *speed, &mut refugee.flight)?;
            refugee.frames = 0;
        }
        Ok(())
    }
}

impl<D: Space> Party<D> for Refugees<D> {
    fn enter(&mut self, _: &mut Stage<D>, member: usize, _: &Member) -> Result<(), Refusal> {
        self.members.push(Refugee { member, flight: Flight::new(), frames: 0 });
        Ok(())
    }

    fn step(&mut self, stage: &mut Stage<D>, cast: &mut Cast) -> Result<(), Refusal> {
        if std::mem::take(&mut self.changed) || stage.frame.is_multiple_of(self.every) {
            self.look_around(stage, cast)?;
        }
        for refugee in &mut self.members {
            let before = refugee.frames as f64 * stage.dt;
            refugee.frames += 1;
            let now = refugee.frames as f64 * stage.dt;
            let me = &mut cast.evaders[refugee.member];
            let (from, to) = (me.position, D::to_xyz(refugee.flight.after(now)));
            // On heights it stands on the ground, while courses lie flat.
            let off = |at: [f64; 3], to: [f64; 3]| distance(D::to_xyz(D::from_xyz(at)), to);
            let toward = |from: [f64; 3], to: [f64; 3], part: f64| {
                stage.slide(from, std::array::from_fn(|a| (to[a] - from[a]) * part))
            };
            let way = off(from, to);
            me.doing = if way == 0.0 { Doing::Standing } else { Doing::Fleeing };
            // Whoever was held up is not faster afterwards: it looks for another way.
            let most = self.speed * stage.dt;
            if way > most * (1.0 + HELD_UP) {
                self.changed = true;
                me.go(toward(from, to, most / way)?);
                continue;
            }
            let there = toward(from, to, 1.0)?;
            if off(there, to) <= most * HELD_UP {
                me.go(there);
                continue;
            }
            // The straight way cuts a corner.
            let mut left = most;
            for place in refugee.flight.between([before, now]).map(D::to_xyz) {
                let leg = off(me.position, place);
                let part = if leg > left { left / leg } else { 1.0 };
                me.go(toward(me.position, place, part)?);
                left -= leg * part;
            }
            self.changed |= off(me.position, to) > most * HELD_UP;
        }
        Ok(())
    }

    fn follow_edit(&mut self, stage: &Stage<D>, cell: [usize; 3]) -> Result<(), Refusal> {
        let (cell, wall) = (D::from_zyx(cell), stage.is_wall(cell));
        self.changed |= self.ground.is_wall(cell) != wall;
        Ok(self.ground.set_wall(cell, wall)?)
    }

    fn put(&mut self, _: &mut Stage<D>, _: usize, _: [f64; 3]) -> Result<(), Refusal> {
        self.changed = true;
        Ok(())
    }

    fn explain(&mut self, member: usize) -> Option<String> {
        let Refugee { flight, .. } = self.members.iter().find(|r| r.member == member)?;
        let refuge = D::to_xyz(flight.refuge());
        let until = flight.promised();
        Some(match flight.state() {
            FlightState::Safe => {
                format!("no pursuer can come to {refuge:.0?}, where it goes or is")
            }
            FlightState::Cornered => "can reach no place to which pursuers come later".to_owned(),
            FlightState::Caught => "is caught; runs on".to_owned(),
            _ => format!("runs to {refuge:.0?}: no pursuer can catch it within {until:.0}"),
        })
    }

    fn hash(&self, hash: &mut Xxh3) {
        for Refugee { flight, frames, .. } in &self.members {
            hash.update(&frames.to_le_bytes());
            hash.update(&flight.promised().to_bits().to_le_bytes());
            for place in flight.course() {
                for v in D::to_xyz(place) {
                    hash.update(&v.to_bits().to_le_bytes());
                }
            }
        }
    }
}
