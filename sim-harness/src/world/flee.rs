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
///
/// Both waves run over the whole map, so looking around is spread over frames.
pub(super) struct Refugees<D: Space> {
    every: u64,
    /// `[units: cell updates]` What a frame may cost, for looking around and for the way each.
    updates: u64,
    speed: f64,
    refuges: Vec<[f64; 3]>,
    members: Vec<Refugee<D>>,
    /// From the pursuers, and from the one who looks around.
    fronts: [Front<D>; 2],
    /// The numbers of those who are to look around, the next one last; the one who does.
    due: Vec<usize>,
    looks: Option<usize>,
}

/// Steps of a wave between two looks at what it has cost.
const STEPS_AT_ONCE: usize = 4;

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
        Ok(Self {
            every: flee.every,
            updates: flee.updates.unwrap_or_else(|| stage.tracker.suggested_updates()),
            speed,
            refuges,
            members: Vec::new(),
            fronts: [front(), front()],
            due: Vec::new(),
            looks: None,
        })
    }

    /// Lets the waves of those who look around run for a frame; who has seen enough goes for the safest
    /// refuge.
    fn look_around(&mut self, stage: &Stage<'_, D>, cast: &Cast) -> Result<(), Refusal> {
        let medium = stage.tracker.medium();
        let cell = |p: [f64; 3]| medium.cell_at(D::from_xyz(p));
        let refuges: Vec<D::Cell> = self.refuges.iter().filter_map(|&r| cell(r)).collect();
        let mut left = self.updates;
        while left > 0 {
            let Some(i) = self.looks else {
                let Some(next) = self.due.pop() else { break };
                let here = cell(cast.evaders[self.members[next].member].position);
                let theirs = cast.pursuers.iter().filter_map(|p| cell(p.position));
                let sources = [theirs.collect::<Vec<_>>(), here.into_iter().collect()];
                if sources.iter().all(|cells| !cells.is_empty()) {
                    for (front, sources) in self.fronts.iter_mut().zip(&sources) {
                        front.emit(medium, sources)?;
                    }
                    self.looks = Some(next);
                }
                continue;
            };
            let mut spent = 0;
            for front in &mut self.fronts {
                let knows = |refuge: &D::Cell| front.arrival(*refuge).is_some();
                if !(front.has_ended() || refuges.iter().all(knows)) {
                    spent += front.step(medium, STEPS_AT_ONCE)?.max(1);
                }
            }
            if spent == 0 {
                self.looks = None;
                self.choose(stage, i)?;
            }
            left = left.saturating_sub(spent);
        }
        Ok(())
    }

    /// Sends one to the refuge at which it is the longest time before any pursuer.
    fn choose(&mut self, stage: &Stage<'_, D>, i: usize) -> Result<(), Refusal> {
        let [theirs, mine] = &self.fronts;
        let fastest = stage.scenario.pursuers.iter().map(|g| g.speed).fold(0.0, f64::max);
        // Waves tell lengths; times are lengths by speeds.
        let ahead = |refuge: &[f64; 3]| -> Option<f64> {
            let cell = stage.tracker.medium().cell_at(D::from_xyz(*refuge))?;
            let theirs = theirs.arrival(cell).unwrap_or(f64::INFINITY) / fastest;
            Some(theirs - mine.arrival(cell)? / self.speed)
        };
        let best = self.refuges.iter().enumerate().filter_map(|(i, r)| Some((ahead(r)?, i)));
        let best = best.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, i)| i);
        let refugee = &mut self.members[i];
        if best.is_some() && best != refugee.refuge {
            refugee.refuge = best;
            let to = best.map(|refuge| D::from_xyz(self.refuges[refuge]));
            refugee.way.set_targets(to)?;
        }
        Ok(())
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
        if stage.frame.is_multiple_of(self.every) {
            self.due = (0..self.members.len()).rev().collect();
        }
        self.look_around(stage, cast)?;
        for refugee in &mut self.members {
            refugee.way.frame(stage.dt, self.updates)?;
            let pursuer = refugee.way.pursuer(refugee.me)?;
            let me = &mut cast.evaders[refugee.member];
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
