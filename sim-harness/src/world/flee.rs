//! Evaders that run where pursuers come late.

use super::cast::{Cast, Doing, Member};
use super::error::Refusal;
use super::party::Party;
use super::stage::Stage;
use crate::scenario::Flee;
use wave_core::{Front, Space};
use wave_track::{PursuerId, Tracker, TrackerConfig};
use xxhash_rust::xxh3::Xxh3;

/// Two waves, one from all pursuers and one from the evader, say who is where first. It goes to the
/// refuge at which it is the longest time ahead, on the way that a wave from there shows: who flees
/// pursues a refuge.
pub(super) struct Refugees<D: Space> {
    every: u64,
    speed: f64,
    refuges: Vec<[f64; 3]>,
    members: Vec<Refugee<D>>,
    fronts: [Front<D>; 2],
}

struct Refugee<D: Space> {
    member: usize,
    way: Tracker<D>,
    me: PursuerId,
    refuge: Option<usize>,
}

impl<D: Space> Refugees<D> {
    pub(super) fn new(
        flee: &Flee,
        speed: f64,
        stage: &Stage<'_, D>,
        key: &str,
    ) -> Result<Self, Refusal> {
        let refuges = flee.refuges.iter().enumerate();
        let refuges = refuges
            .map(|(i, place)| stage.position(&format!("{key}.mind.flee.refuges[{i}]"), place))
            .collect::<Result<_, _>>()?;
        let front = || Front::new(stage.tracker.medium());
        let fronts = [front(), front()];
        Ok(Self { every: flee.every, speed, refuges, members: Vec::new(), fronts })
    }

    /// The refuge at which somebody is the longest time before any pursuer.
    fn safest(
        &mut self,
        stage: &Stage<'_, D>,
        cast: &Cast,
        member: usize,
    ) -> Result<Option<usize>, Refusal> {
        let medium = stage.tracker.medium();
        let cell = |p: [f64; 3]| medium.cell_at(D::from_xyz(p));
        let pursuers: Vec<D::Cell> =
            cast.pursuers.iter().filter_map(|p| cell(p.position)).collect();
        let Some(here) = cell(cast.evaders[member].position) else { return Ok(None) };
        if pursuers.is_empty() {
            return Ok(None);
        }
        let [theirs, mine] = &mut self.fronts;
        for (front, sources) in [(&mut *theirs, &pursuers[..]), (&mut *mine, &[here])] {
            front.emit(medium, sources)?;
            front.run(medium)?;
        }
        let fastest = stage.scenario.pursuers.iter().map(|g| g.speed).fold(0.0, f64::max);
        // Waves tell lengths; times are lengths by speeds.
        let ahead = |refuge: &[f64; 3]| -> Option<f64> {
            let cell = cell(*refuge)?;
            let theirs = theirs.arrival(cell).unwrap_or(f64::INFINITY) / fastest;
            Some(theirs - mine.arrival(cell)? / self.speed)
        };
        let best = self.refuges.iter().enumerate().filter_map(|(i, r)| Some((ahead(r)?, i)));
        Ok(best.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, i)| i))
    }
}

impl<D: Space> Party<D> for Refugees<D> {
    fn enter(
        &mut self,
        stage: &mut Stage<'_, D>,
        member: usize,
        me: &Member,
    ) -> Result<(), Refusal> {
        let mut way = Tracker::new(stage.tracker.medium().clone(), TrackerConfig::default())?;
        let me = way.add_pursuer(D::from_xyz(me.position), self.speed)?;
        self.members.push(Refugee { member, way, me, refuge: None });
        Ok(())
    }

    fn step(&mut self, stage: &mut Stage<'_, D>, cast: &mut Cast) -> Result<(), Refusal> {
        for i in 0..self.members.len() {
            let member = self.members[i].member;
            if stage.frame.is_multiple_of(self.every) {
                let refuge = self.safest(stage, cast, member)?;
                let refugee = &mut self.members[i];
                if refuge.is_some() && refuge != refugee.refuge {
                    refugee.refuge = refuge;
                    let to = refuge.map(|refuge| D::from_xyz(self.refuges[refuge]));
                    refugee.way.set_targets(to)?;
                }
            }
            let refugee = &mut self.members[i];
            // It knows its house: its own wave is there at once.
            refugee.way.frame(stage.dt, u64::MAX)?;
            let pursuer = refugee.way.pursuer(refugee.me)?;
            let me = &mut cast.evaders[member];
            me.stand(D::to_xyz(pursuer.position()));
            me.walked = pursuer.walked();
            me.doing = match Doing::from(pursuer.state()) {
                Doing::Chasing | Doing::Closing => Doing::Fleeing,
                _ => Doing::Standing,
            };
        }
        Ok(())
    }

    fn heads_for(&self, cell: [usize; 3]) -> bool {
        let occupied = |refugee: &Refugee<D>| {
            let medium = refugee.way.medium();
            let mut refuges = self.refuges.iter();
            refuges.any(|r| medium.cell_at(D::from_xyz(*r)).map(D::to_zyx) == Some(cell))
        };
        self.members.iter().any(occupied)
    }

    fn follow_edit(&mut self, stage: &Stage<'_, D>, cell: [usize; 3]) -> Result<(), Refusal> {
        let medium = stage.tracker.medium();
        let cell = D::from_zyx(cell);
        for refugee in &mut self.members {
            refugee.way.set_wall(cell, medium.is_wall(cell))?;
            if let Some(speed) = medium.speed(cell)
                && refugee.way.medium().speed(cell) != Some(speed)
            {
                refugee.way.set_wave_speed(cell, speed)?;
            }
        }
        Ok(())
    }

    fn explain(&mut self, member: usize) -> Option<String> {
        let refugee = self.members.iter().find(|r| r.member == member)?;
        let refuge = self.refuges[refugee.refuge?];
        Some(format!("runs to {refuge:?}: there it is the longest time ahead of every pursuer"))
    }

    fn hash(&self, hash: &mut Xxh3) {
        for refugee in &self.members {
            hash.update(&refugee.way.content_hash().to_le_bytes());
        }
    }
}
