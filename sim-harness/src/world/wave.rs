//! Pursuers that follow waves.

use super::cast::{Cast, Member};
use super::error::Refusal;
use super::party::Party;
use super::stage::Stage;
use wave_core::Space;
use wave_track::PursuerId;

/// They walk while the stage's waves run; here they only say where to.
pub(super) struct WaveLed {
    speed: f64,
    members: Vec<(usize, PursuerId)>,
}

impl WaveLed {
    pub(super) fn new(speed: f64) -> Self {
        Self { speed, members: Vec::new() }
    }
}

impl<D: Space> Party<D> for WaveLed {
    fn enter(&mut self, stage: &mut Stage<D>, member: usize, me: &Member) -> Result<(), Refusal> {
        let id = stage.tracker.add_pursuer(D::from_xyz(me.position), self.speed)?;
        self.members.push((member, id));
        Ok(())
    }

    fn put(&mut self, stage: &mut Stage<D>, member: usize, at: [f64; 3]) -> Result<(), Refusal> {
        for &(_, id) in self.members.iter().filter(|(other, _)| *other == member) {
            stage.tracker.teleport(id, D::from_xyz(at))?;
        }
        Ok(())
    }

    fn step(&mut self, stage: &mut Stage<D>, cast: &mut Cast) -> Result<(), Refusal> {
        for &(member, id) in &self.members {
            let pursuer = stage.tracker.pursuer(id)?;
            let me = &mut cast.pursuers[member];
            me.stand(stage.place(pursuer.position()));
            me.walked = pursuer.walked();
            me.doing = pursuer.state().into();
        }
        Ok(())
    }
}
