//! The map's changes: at stated frames, and at random.

use super::cast::Cast;
use super::error::Refusal;
use super::outcome::Outcome;
use super::party::Party;
use super::stage::Stage;
use crate::scenario::{Edit, EvaderMind, Move, PursuerMind, Scenario};
use ndarray::Array3;
use std::sync::Arc;
use wave_core::Space;
use wave_track::TrackError;

/// How often a random place may be of the wrong kind.
const TRIES: usize = 1000;

/// Refuses changes of walls where members walk on graphs over heights, which do not change.
fn check_graphs<D: Space>(stage: &Stage<D>, key: &str) -> Result<(), Refusal> {
    let scenario = &stage.scenario;
    let walks = scenario.evaders.iter().any(|g| matches!(g.mind, EvaderMind::Utility(_)))
        || scenario.pursuers.iter().any(|g| matches!(g.mind, PursuerMind::Travel(_)));
    if stage.terrain.heights.is_none() || !walks {
        return Ok(());
    }
    let limit = "must be left out where travel or utility walk on a map with heights";
    Err(scenario.origin.refuse(key, "a change of walls", limit).into())
}

#[derive(Default)]
pub(super) struct Changes {
    edits: Vec<Edit>,
    moves: Vec<Move>,
    built: usize,
    broken: usize,
    refused: usize,
    /// Since a recorder last looked.
    recent: Vec<([usize; 3], bool)>,
    /// Where no wall can be built in this frame.
    occupied: Array3<bool>,
    /// Where groups come in or members are put, and the frame in which that is.
    entrances: Vec<(u64, [f64; 3])>,
}

impl Changes {
    /// Refuses edits that can never be made, and starts outside the map.
    pub(super) fn new<D: Space>(scenario: &Scenario, stage: &Stage<D>) -> Result<Self, Refusal> {
        if !scenario.churn.is_empty() {
            check_graphs(stage, "churn")?;
        }
        let mut changes = Self { moves: scenario.moves.clone(), ..Self::default() };
        scenario.edits.iter().try_for_each(|edit| changes.plan(stage, edit.clone()))?;
        // Walls may open until they come, but not the map.
        for (i, group) in scenario.pursuers.iter().enumerate() {
            if let Some(start) = &group.start {
                let key = format!("pursuers[{i}].start");
                let (at, _) = stage.position_in_map(&key, start)?;
                changes.entrances.push((group.enter, at));
            }
        }
        for (i, put) in scenario.moves.iter().enumerate() {
            let (at, _) = stage.position_in_map(&format!("moves[{i}].to"), &put.to)?;
            changes.entrances.push((put.step, at));
        }
        Ok(changes)
    }

    /// Will make an edit, if it can ever be made.
    pub(super) fn plan<D: Space>(&mut self, stage: &Stage<D>, edit: Edit) -> Result<(), Refusal> {
        let key = format!("edits[{}]", self.edits.len());
        let _ = stage.terrain.cells(&stage.scenario.origin, &key, &edit.from, &edit.to)?;
        if edit.wall.is_some() {
            check_graphs(stage, &key)?;
        }
        if let Some(speed) = edit.wave_speed {
            let checked = stage.tracker.medium().check_speed(speed);
            checked.map_err(Refusal::at(format!("{key}.wave_speed")))?;
        }
        self.edits.push(edit);
        Ok(())
    }

    /// How often cells change at a stated frame.
    pub(super) fn edits(&self) -> usize {
        self.edits.len()
    }

    /// How often members are put elsewhere.
    pub(super) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Plans to put a member elsewhere, to a place `at` which is kept free until then.
    pub(super) fn plan_move(&mut self, put: Move, at: [f64; 3]) {
        self.entrances.push((put.step, at));
        self.moves.push(put);
    }

    /// Whether a way may appear at this frame or later: the map changes, or members are put
    /// elsewhere.
    pub(super) fn is_due_from(&self, frame: u64, scenario: &Scenario) -> bool {
        self.edits.iter().any(|edit| edit.step >= frame)
            || self.moves.iter().any(|put| put.step >= frame)
            || scenario.churn.iter().any(|churn| churn.broken > 0)
    }

    /// Puts members elsewhere that are to be there before this frame.
    pub(super) fn put<D: Space>(
        &self,
        stage: &mut Stage<D>,
        cast: &mut Cast,
        parties: &mut [Box<dyn Party<D>>],
    ) -> Result<(), Refusal> {
        let (frame, evaders) = (stage.frame, stage.scenario.evaders.len());
        for (i, put) in self.moves.iter().enumerate().filter(|(_, m)| m.step == frame) {
            let at = stage.free_position(&format!("moves[{i}].to"), &put.to)?;
            // The plan of the move has checked that these are there.
            let (member, me, first) = match put.pursuer {
                None => (put.evader, &mut cast.evaders[put.evader], 0),
                Some(pursuer) => (pursuer, &mut cast.pursuers[pursuer], evaders),
            };
            me.stand(at);
            parties[first + me.group].put(stage, member, at)?;
        }
        Ok(())
    }

    /// Makes the changes that are due.
    pub(super) fn apply<D: Space>(
        &mut self,
        stage: &mut Stage<D>,
        cast: &Cast,
        parties: &mut [Box<dyn Party<D>>],
    ) -> Result<(), Refusal> {
        let (scenario, frame) = (Arc::clone(&stage.scenario), stage.frame);
        let churns = |every: u64| frame > 0 && frame.is_multiple_of(every);
        let due = self.edits.iter().any(|edit| edit.step == frame)
            || scenario.churn.iter().any(|churn| churns(churn.every));
        if !due {
            return Ok(());
        }
        let standing = cast.evaders.iter().chain(&cast.pursuers).map(|member| member.position);
        self.entrances.retain(|(enter, _)| *enter > frame);
        let coming = self.entrances.iter().map(|(_, at)| *at);
        stage.mark_occupied(standing.chain(coming), &mut self.occupied);
        for i in 0..self.edits.len() {
            if self.edits[i].step != frame {
                continue;
            }
            let edit = self.edits[i].clone();
            let key = format!("edits[{i}]");
            for cell in stage.terrain.cells(&scenario.origin, &key, &edit.from, &edit.to)? {
                if let Some(speed) = edit.wave_speed {
                    stage.tracker.set_wave_speed(D::from_zyx(cell), speed)?;
                    for party in &mut *parties {
                        party.follow_edit(stage, cell)?;
                    }
                }
                if let Some(wall) = edit.wall {
                    self.set(stage, parties, cell, wall)?;
                }
            }
        }
        for churn in &scenario.churn {
            if !churns(churn.every) {
                continue;
            }
            for (boxes, wall) in [(churn.broken, false), (churn.built, true)] {
                for _ in 0..boxes {
                    // A map without any is left as it is.
                    let mut tries = 0..TRIES;
                    let found = tries.find_map(|_| {
                        let cell = stage.random_cell();
                        (stage.is_wall(cell) != wall).then_some(cell)
                    });
                    if let Some(centre) = found {
                        for cell in around(stage.terrain.walls.dim(), centre, churn.side) {
                            self.set(stage, parties, cell, wall)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn set<D: Space>(
        &mut self,
        stage: &mut Stage<D>,
        parties: &mut [Box<dyn Party<D>>],
        cell: [usize; 3],
        wall: bool,
    ) -> Result<(), Refusal> {
        if stage.is_wall(cell) == wall {
            return Ok(());
        }
        let stands = wall && (self.occupied[cell] || parties.iter().any(|p| p.heads_for(cell)));
        if stands {
            self.refused += 1;
            return Ok(());
        }
        match stage.tracker.set_wall(D::from_zyx(cell), wall) {
            Err(TrackError::Occupied { .. }) => {
                self.refused += 1;
                return Ok(());
            }
            other => other?,
        }
        for party in parties {
            party.follow_edit(stage, cell)?;
        }
        *(if wall { &mut self.built } else { &mut self.broken }) += 1;
        self.recent.push((cell, wall));
        Ok(())
    }

    pub(super) fn since_last(&self) -> &[([usize; 3], bool)] {
        &self.recent
    }

    pub(super) fn forget(&mut self) {
        self.recent.clear();
    }

    pub(super) fn tell(&self, outcome: &mut Outcome) {
        outcome.walls_built = self.built;
        outcome.walls_broken = self.broken;
        outcome.refused_walls = self.refused;
    }
}

/// The cells of a box with sides of `side` cells around a cell, as far as they are on the map.
fn around(
    (depth, height, width): (usize, usize, usize),
    centre: [usize; 3],
    side: usize,
) -> impl Iterator<Item = [usize; 3]> {
    let size = [depth, height, width];
    let [z, y, x] = std::array::from_fn(|a| {
        let low = centre[a].saturating_sub(side / 2);
        low..(low + side).min(size[a])
    });
    z.flat_map(move |z| {
        let x = x.clone();
        y.clone().flat_map(move |y| x.clone().map(move |x| [z, y, x]))
    })
}
