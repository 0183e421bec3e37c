//! The contestants of `wave-step` on one map, and how far their answers must agree.

use super::plain::PlainWave;
use super::roof::Roof;
use super::{NAMES, ONE_THREAD, OURS, PLAIN, ROOF, WaveStep};
use crate::error::CompareError;
use crate::measure::{self, Race};
use benches::scenes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use wave_core::{Medium, Source, Space, Wave};

/// `[units: s]` How long a run lasts at least, busy machines aside.
const RUN: f64 = 0.03;

/// Fewer steps would hide the savings of several steps at once.
const MIN_STEPS: usize = 16;
/// Fewer steps would be no check: a wave goes about half a cell a step.
const MIN_PLAIN_STEPS: usize = 4;
/// Steps after which ours is compared with plain: rounding adds up, and no map needs more to show
/// a wrong coefficient.
const COMPARED_STEPS: usize = 256;
/// The allowed difference of f32 from f64 per step, relative to the largest |z|: ten times the
/// actual one.
const TOLERANCE: f64 = 1e-6;

/// All contestants on one map. Ours and ours-1-thread take turns on one wave.
pub(super) struct Contest<D: Space> {
    medium: Medium<D>,
    wave: Wave<D, f32>,
    /// All threads, and one.
    pools: [ThreadPool; 2],
    plain: PlainWave,
    roof: Roof,
    sources: Vec<(D::Cell, f64)>,
    steps: usize,
    plain_steps: usize,
    passes: usize,
    /// The hash of the wave after `steps`.
    hash: Option<u64>,
}

impl<D: Space> Contest<D> {
    pub(super) fn new(
        arguments: &WaveStep,
        threads: usize,
        roof: Roof,
    ) -> Result<Self, CompareError> {
        let size = arguments.grid.zyx();
        let shape = D::from_zyx(size);
        let rule = arguments.walls.rule();
        let walls = scenes::random_walls::<D>(shape, 0.1, 1);
        let medium = Medium::<D>::builder(shape).walls(&walls).wall_rule(rule).build()?;
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
        let courant = medium.dt() / medium.spacing();
        let sources = sources::<D>(walls.iter().copied(), size);
        let plain = PlainWave::new(size, walls.into_iter().collect(), rule, courant);
        let mut contest = Self {
            wave: Wave::new(&medium)?,
            medium,
            pools: [pool(threads)?, pool(1)?],
            plain,
            roof,
            sources,
            steps: 1,
            plain_steps: 1,
            passes: 1,
            hash: None,
        };
        contest.choose_steps(arguments.steps.map(|steps| steps as usize))?;
        Ok(contest)
    }

    /// Chooses so many steps that runs last long enough to be timed.
    fn choose_steps(&mut self, asked: Option<usize>) -> Result<(), CompareError> {
        self.passes = measure::repeats_for(RUN, |n| {
            self.pools[OURS].install(|| self.roof.run(n));
            Ok(())
        })?;
        if let Some(steps) = asked {
            (self.steps, self.plain_steps) = (steps, steps);
            return Ok(());
        }
        self.prepare(OURS)?;
        self.steps = measure::repeats_for(RUN, |n| self.step(OURS, n))?.max(MIN_STEPS);
        self.prepare(PLAIN)?;
        let plain = measure::repeats_for(RUN, |n| {
            (0..n).for_each(|_| self.plain.step());
            Ok(())
        })?;
        self.plain_steps = plain.max(MIN_PLAIN_STEPS);
        Ok(())
    }

    /// The number of steps over the whole grid that a run of `who` stands for.
    pub(super) fn steps(&self, who: usize) -> f64 {
        match who {
            PLAIN => self.plain_steps as f64,
            ROOF => {
                let cells = D::to_size(self.medium.shape()).iter().product::<usize>();
                self.passes as f64 * self.roof.cells() as f64 / cells as f64
            }
            _ => self.steps as f64,
        }
    }

    fn step(&mut self, pool: usize, steps: usize) -> Result<(), CompareError> {
        let (wave, medium) = (&mut self.wave, &self.medium);
        Ok(self.pools[pool].install(|| wave.step(medium, steps))?)
    }
}

impl<D: Space> Race for Contest<D> {
    fn prepare(&mut self, who: usize) -> Result<(), CompareError> {
        match who {
            OURS | ONE_THREAD => {
                self.wave.clear();
                for &(cell, amplitude) in &self.sources {
                    self.wave.emit(&self.medium, cell, Source::Impulse { amplitude })?;
                }
            }
            PLAIN => {
                self.plain.clear();
                for &(cell, amplitude) in &self.sources {
                    self.plain.impulse(D::to_zyx(cell), amplitude);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        match who {
            OURS | ONE_THREAD => self.step(who, self.steps)?,
            PLAIN => (0..self.plain_steps).for_each(|_| self.plain.step()),
            _ => self.pools[OURS].install(|| self.roof.run(self.passes)),
        }
        Ok(())
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let differ = |other, how| Err(CompareError::Mismatch { one: NAMES[OURS], other, how });
        match who {
            OURS | ONE_THREAD => {
                let found = self.wave.state_hash();
                let hash = *self.hash.get_or_insert(found);
                if hash != found {
                    let how = format!("state hashes {hash:016x} and {found:016x}");
                    return differ(NAMES[who], how);
                }
            }
            PLAIN => {
                let steps = self.plain_steps.min(COMPARED_STEPS);
                if steps < self.plain_steps {
                    self.prepare(PLAIN)?;
                    (0..steps).for_each(|_| self.plain.step());
                }
                self.prepare(OURS)?;
                self.step(OURS, steps)?;
                let deviation = self.plain.deviation(self.wave.values().iter());
                let allowed = TOLERANCE * steps as f64;
                // NaN is no agreement.
                if deviation.is_nan() || deviation > allowed {
                    let how = format!("{deviation:.1e} of the largest |z|, allowed {allowed:.1e}");
                    return differ(NAMES[PLAIN], how);
                }
            }
            _ if !self.roof.is_right() => {
                return differ(NAMES[ROOF], "the roof skipped memory".to_owned());
            }
            _ => {}
        }
        Ok(())
    }
}

/// Impulses of 1 or -1 in every 64th cell or so, so that the whole grid is busy at once, and in the
/// first open cell, so that there is one.
fn sources<D: Space>(
    walls: impl Iterator<Item = bool>,
    [_, ny, nx]: [usize; 3],
) -> Vec<(D::Cell, f64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut sources = Vec::new();
    for (i, _) in walls.enumerate().filter(|(_, wall)| !wall) {
        if sources.is_empty() || rng.random_ratio(1, 64) {
            let cell = [i / (nx * ny), i / nx % ny, i % nx];
            let amplitude = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
            sources.push((D::from_zyx(cell), amplitude));
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use ndarray::{Ix2, Ix3};

    fn contest<D: Space>(grid: &str, walls: &str) -> Contest<D> {
        let line = ["wave-step", "--grid", grid, "--walls", walls, "--steps", "300"];
        let arguments = WaveStep::try_parse_from(line).unwrap();
        Contest::new(&arguments, 3, Roof::with_cells(1000)).unwrap()
    }

    fn round<D: Space>(contest: &mut Contest<D>) -> Result<(), CompareError> {
        for who in [OURS, ONE_THREAD, PLAIN, ROOF] {
            contest.prepare(who)?;
            contest.run(who)?;
            contest.check(who)?;
        }
        Ok(())
    }

    #[test]
    fn all_contestants_agree_on_flat_deep_and_tiny_grids() {
        for walls in ["free", "fixed"] {
            for grid in ["1x1", "2x1", "40x30"] {
                round(&mut contest::<Ix2>(grid, walls)).unwrap();
            }
            for grid in ["1x1x1", "9x1x2", "13x11x9"] {
                round(&mut contest::<Ix3>(grid, walls)).unwrap();
            }
        }
    }

    #[test]
    fn a_wrong_answer_is_told_with_both_names() {
        let mut contest = contest::<Ix2>("40x30", "free");
        round(&mut contest).unwrap();
        let mismatch = |result: Result<(), CompareError>| match result {
            Err(CompareError::Mismatch { one, other, .. }) => [one, other],
            other => panic!("{other:?}"),
        };

        contest.prepare(ONE_THREAD).unwrap();
        contest.step(ONE_THREAD, 299).unwrap();
        assert_eq!(mismatch(contest.check(ONE_THREAD)), ["ours", "ours-1-thread"]);

        let missing = contest.sources.pop().unwrap();
        contest.prepare(PLAIN).unwrap();
        contest.sources.push(missing);
        contest.plain_steps = 20;
        contest.run(PLAIN).unwrap();
        assert_eq!(mismatch(contest.check(PLAIN)), ["ours", "plain"]);
    }
}
