//! The members that can be there in time at all.

use super::cast::Cast;
use super::error::Refusal;
use super::outcome::Outcome;
use super::stage::Stage;
use wave_core::{ArrivalField, Space};

/// The pursuers that are near enough to an evader when they come in; see
/// [`Contact::near`](crate::scenario::Contact::near).
pub(super) struct Near {
    part: f64,
    /// The pursuers, by their numbers in the cast.
    pursuers: Vec<usize>,
}

impl Near {
    pub(super) fn new(part: f64) -> Self {
        Self { part, pursuers: Vec::new() }
    }

    /// Looks at pursuers that have just come in, from number `first` on.
    pub(super) fn look<D: Space>(
        &mut self,
        stage: &Stage<D>,
        cast: &Cast,
        first: usize,
    ) -> Result<(), Refusal> {
        let ground = stage.even_ground()?;
        let cell = |position| ground.cell_at(D::from_xyz(position));
        let evaders: Vec<_> = cast.evaders.iter().filter_map(|e| cell(e.foothold)).collect();
        let field = ArrivalField::from_sources(&ground, &evaders)?;
        let left = (stage.scenario.steps - stage.frame) as f64 * stage.dt;
        for (number, pursuer) in cast.pursuers.iter().enumerate().skip(first) {
            let steps = cell(pursuer.foothold).map(|cell| field.times()[D::shape(cell)]);
            let way = f64::from(steps.unwrap_or(f32::INFINITY)) * ground.dt();
            if way <= self.part * left * stage.scenario.pursuers[pursuer.group].speed {
                self.pursuers.push(number);
            }
        }
        Ok(())
    }

    pub(super) fn tell(&self, cast: &Cast, outcome: &mut Outcome) {
        let near = self.pursuers.len();
        let met = self.pursuers.iter().filter(|&&number| cast.pursuers[number].met.is_some());
        outcome.near = Some(near);
        outcome.near_arrived = (near > 0).then(|| met.count() as f64 / near as f64);
    }
}
