//! Where pursuers walk and where evaders are caught, over many runs.

use super::film::Film;
use crate::output::WriteError;
use crate::world::{End, Moment, RunError, Runs, Scene, Summary, Watch};
use rayon::prelude::*;

/// How often pursuers entered each cell and evaders were caught there, in runs of one scenario with
/// different seeds.
#[derive(Clone, Debug, Default)]
pub struct Heat {
    /// Counts by a film's coarse cells.
    walked: Vec<u64>,
    caught: Vec<u64>,
    run: Option<Run>,
}

/// The run that goes on.
#[derive(Clone, Debug)]
struct Run {
    /// Without moments: it knows which cell is where.
    film: Film,
    storeys: Vec<usize>,
    /// The cell that each pursuer was in last.
    last: Vec<Option<usize>>,
    is_caught: Vec<bool>,
}

impl Heat {
    /// Counts over runs with so many seeds, from `first` on and after the last one from 0 on, in
    /// the current rayon pool. `progress` is told of every run.
    ///
    /// # Errors
    /// The error of a run that fails.
    pub fn over(
        runs: &Runs,
        first: u64,
        seeds: u64,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Self, RunError> {
        let run = |i: u64| {
            let mut heat = Self::default();
            runs.run(Some(first.wrapping_add(i)), Some(&mut heat), &mut |_| ())?;
            progress();
            Ok(heat)
        };
        let all = (0..seeds).into_par_iter().map(run);
        all.try_reduce(Self::default, |a, b| Ok(a.and(&b)))
    }

    fn and(mut self, other: &Self) -> Self {
        let pairs = [(&mut self.walked, &other.walked), (&mut self.caught, &other.caught)];
        for (counts, more) in pairs {
            counts.resize(counts.len().max(more.len()), 0);
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
        self
    }

    /// Both as layers of a film of such a run, from its first moment on.
    pub(super) fn show(&self, film: &mut Film) {
        film.count("walked", &self.walked);
        film.count("caught", &self.caught);
    }
}

impl Watch for Heat {
    fn begin(&mut self, scene: Scene) {
        let film = Film::new(scene);
        let cells = film.coarse_cells();
        self.walked.resize(cells, 0);
        self.caught.resize(cells, 0);
        let storeys = film.scene.storeys();
        self.run = Some(Run { film, storeys, last: Vec::new(), is_caught: Vec::new() });
    }

    fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError> {
        let Some(Run { film, storeys, last, is_caught }) = &mut self.run else {
            return Ok(false);
        };
        let cell_of = |position| film.coarse_cell(storeys, position);
        last.resize(moment.cast.pursuers.len(), None);
        is_caught.resize(moment.cast.evaders.len(), false);
        for (pursuer, last) in moment.cast.pursuers.iter().zip(last) {
            let cell = cell_of(pursuer.position);
            if *last != Some(cell) {
                *last = Some(cell);
                self.walked[cell] += 1;
            }
        }
        for (evader, is_caught) in moment.cast.evaders.iter().zip(is_caught) {
            if evader.met.is_some() && !std::mem::replace(is_caught, true) {
                self.caught[cell_of(evader.position)] += 1;
            }
        }
        Ok(false)
    }

    fn end(&mut self, _: &End, _: &Summary) -> Result<(), WriteError> {
        self.run = None;
        Ok(())
    }
}
