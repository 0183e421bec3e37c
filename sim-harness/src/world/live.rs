//! A world that goes on frame by frame and is changed in between, as by a hand.

use super::outcome::Outcome;
use super::watch::{Scene, Watch};
use super::{Frames, RunError, Runs};
use crate::scenario::{Edit, Move, Scenario};

/// A scenario's world that goes on as long as the next frame is asked for.
///
/// Neither `until` nor `steps` ends it; [`Live::is_over`] says where they would. Changes by
/// [`Live::edit`] and [`Live::put`] act as `[[edits]]` and `[[moves]]` of a scenario do: with these
/// appended, the scenario runs to the same state.
///
/// ```
/// use sim_harness::scenario::{self, Move, Place};
/// use sim_harness::world::Live;
///
/// let mut live = Live::new(&scenario::load("rooms")?, None)?;
/// live.advance()?;
/// assert_eq!(live.frame(), 1);
/// let somewhere = Place::At(vec![1e6, 0.0]);
/// assert!(live.put(Move { step: 1, evader: 0, pursuer: None, to: somewhere }).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Live {
    world: Box<dyn Frames>,
    /// Whether those are in whose time has come.
    entered: bool,
    /// The state's hash without the members that came in last: a run that ends here has not let
    /// them in. `None`: none came in.
    without: Option<u64>,
}

impl Live {
    /// The world of a scenario before its first frame.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn new(scenario: &Scenario, seed: Option<u64>) -> Result<Self, RunError> {
        Self::of(&Runs::of(scenario), seed)
    }

    /// The world of a run before its first frame.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn of(runs: &Runs, seed: Option<u64>) -> Result<Self, RunError> {
        let mut world = runs.world(seed)?;
        let without = Some(world.state_hash());
        world.enter()?;
        Ok(Self { world, entered: true, without })
    }

    /// Goes on by a frame; then those come in whose time has come. Where the scenario is over they
    /// come in only when it goes on: as in a run, the last state is without them.
    ///
    /// # Errors
    /// [`RunError`]. The world is then to be used no more.
    pub fn advance(&mut self) -> Result<(), RunError> {
        if !self.entered {
            self.world.enter()?;
        }
        self.without = None;
        self.world.advance()?;
        self.entered = !self.world.is_over();
        if !self.entered {
            return Ok(());
        }
        if self.world.has_entrances() {
            self.without = Some(self.world.state_hash());
        }
        self.world.enter()
    }

    /// Whether a run of the scenario would end here.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.world.is_over()
    }

    /// `[units: frames]` Frames done.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.world.frame()
    }

    /// Will change cells before the frame that `edit` states: this one or a later one.
    ///
    /// # Errors
    /// [`RunError`] outside the map, and for speeds that the waves' step is not stable for. Nothing
    /// is planned then.
    pub fn edit(&mut self, edit: Edit) -> Result<(), RunError> {
        self.world.edit(edit)
    }

    /// Plans to put a member elsewhere before the frame that `put` states: this one or a later one.
    ///
    /// # Errors
    /// [`RunError`] outside the map, in walls, for evaders that are not there or decide by utility,
    /// and for pursuers that are not there or do not follow waves. Nothing is planned then.
    pub fn put(&mut self, put: Move) -> Result<(), RunError> {
        self.world.put(put)
    }

    /// The constant data.
    #[must_use]
    pub fn scene(&self) -> Scene {
        self.world.scene()
    }

    /// Shows the present to a watcher.
    ///
    /// # Errors
    /// [`RunError`] where `watch` fails.
    pub fn show(&mut self, watch: &mut dyn Watch) -> Result<(), RunError> {
        self.world.show(watch)
    }

    /// The outcome so far.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.world.outcome()
    }

    /// A hash of the whole state, as in the summary of a run that ends now. Members that come in
    /// before the next frame are there already, but not in the hash: that frame is not a part of
    /// the run.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.without.unwrap_or_else(|| self.world.state_hash())
    }
}
