//! The members of a group, which decide by the same mind.

use super::cast::{Cast, Member};
use super::decide::Deciders;
use super::error::Refusal;
use super::flee::Refugees;
use super::formation::Formation;
use super::outcome::Outcome;
use super::pack::Pack;
use super::stage::Stage;
use super::stroll::{Stroll, Strollers};
use super::travel::Travellers;
use super::wave::WaveLed;
use super::world_led::WorldLed;
use crate::scenario::{EvaderMind, Evaders, PursuerMind, Pursuers};
use wave_core::Space;
use xxhash_rust::xxh3::Xxh3;

/// A group of the cast that one mind moves. The world's loop knows only this trait, so parties
/// decide what a scenario can do.
pub(super) trait Party<D: Space> {
    /// A member comes in, as number `member` of the cast's evaders or pursuers.
    fn enter(&mut self, stage: &mut Stage<D>, member: usize, me: &Member) -> Result<(), Refusal>;

    /// Whether its members have goals of their own, and are home once they are there.
    fn has_goals(&self) -> bool {
        false
    }

    /// All move by a frame.
    fn step(&mut self, stage: &mut Stage<D>, cast: &mut Cast) -> Result<(), Refusal>;

    /// A member was put elsewhere.
    fn put(&mut self, _stage: &mut Stage<D>, _member: usize, _at: [f64; 3]) -> Result<(), Refusal> {
        Ok(())
    }

    /// Whether a member is about to stand in a cell `[z, y, x]`, where no wall may then be built.
    fn heads_for(&self, _cell: [usize; 3]) -> bool {
        false
    }

    /// A cell has become a wall or free.
    fn follow_edit(&mut self, _stage: &Stage<D>, _cell: [usize; 3]) -> Result<(), Refusal> {
        Ok(())
    }

    /// Adds its results.
    fn tell(&self, _stage: &Stage<D>, _outcome: &mut Outcome) {}

    /// How it moved together in the second half of the time up to frame `end`.
    fn formation(&self, _end: u64) -> Formation {
        Formation::default()
    }

    /// Why a member does what it does now, where there is more to say than its state.
    fn explain(&mut self, _member: usize) -> Option<String> {
        None
    }

    /// Named figures of a moment, for plots.
    fn gauges(&self, _each: &mut dyn FnMut(&'static str, f64)) {}

    /// Named figures per cell `[y, x]` of a moment, row by row.
    fn layers(&self, _each: &mut dyn FnMut(&'static str, &[f64])) {}

    /// Lines between places that its members may walk and jump along.
    fn ways(&self, _each: &mut dyn FnMut([[f64; 3]; 2], bool)) {}

    /// Adds state that is not in the cast to the state's hash.
    fn hash(&self, _hash: &mut Xxh3) {}
}

/// The party of a group of evaders.
pub(super) fn of_evaders<D: Space>(
    group: &Evaders,
    stage: &Stage<D>,
    key: &str,
) -> Result<Box<dyn Party<D>>, Refusal> {
    Ok(match &group.mind {
        EvaderMind::Still => Box::new(Strollers::new(Stroll::Still, group.speed)),
        EvaderMind::Patrol(stops) => {
            let stops = stops.iter().enumerate();
            let stops = stops
                .map(|(i, stop)| stage.free_position(&format!("{key}.mind.patrol[{i}]"), stop))
                .collect::<Result<_, _>>()?;
            Box::new(Strollers::new(Stroll::Patrol(stops), group.speed))
        }
        EvaderMind::Wander(every) => Box::new(Strollers::new(Stroll::Wander(*every), group.speed)),
        EvaderMind::Flee(every) => Box::new(Refugees::new(*every, group.speed, stage)?),
        EvaderMind::Utility(mind) => Box::new(Deciders::new(mind, group.speed, stage, key)?),
    })
}

/// The party of a group of pursuers.
pub(super) fn of_pursuers<D: Space<Point: flocking::Vector<Scalar = f64>>>(
    group: &Pursuers,
    stage: &Stage<D>,
    key: &str,
) -> Result<Box<dyn Party<D>>, Refusal> {
    Ok(match &group.mind {
        PursuerMind::Wave => Box::new(WaveLed::new(group.speed)),
        PursuerMind::Pack(pack) => {
            let party = Pack::new(pack, group.speed, group.count);
            Box::new(party.map_err(|e| Refusal::at(format!("{key}.mind.pack"))(e))?)
        }
        PursuerMind::Travel(travel) => {
            Box::new(Travellers::new(&travel.legs, group.speed, stage, key)?)
        }
        PursuerMind::World => Box::new(WorldLed::new(group.speed, stage, key)?),
    })
}
