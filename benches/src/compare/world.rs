//! `world`: the way to a target that moves, in a world too large for a field of all of it.

mod copies;

use crate::error::CompareError;
use crate::measure::Times;
use crate::region::{self, DOOR};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use benches::walker::walked;
use clap::Parser;
use copies::Copies;
use indicatif::ProgressBar;
use ndarray::Ix2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use serde_json::Value;
use sim_harness::maps::MapFile;
use std::time::Instant;
use wave_core::{ArrivalField, Medium, WorldField};

/// The way to one target from anywhere in a very large world
///
/// Copies of a map side by side, as many as the world is large; beside each other they are joined
/// by passages of four cells that lead from the largest region of one to that of the other. The
/// world begins within the first copy, so that tiles lie across copies.
///
/// ours: the target moves to a random place of the region and a random place of it is asked for the
/// first direction. exact: a field of the whole world is solved for such a target, and repaired
/// after edits. Each round has questions and edits for ours (a door of four cells closes and opens
/// again, at a random place), and a field, whose ways are compared with ours, near and far.
///
/// `after_edit_p50_ms`: the first direction after an edit, which works the levels out again above
/// the tiles that the edit lies in. `excess_mean` and `excess_max`: how much longer one walks than
/// by the exact field, as a share, from places at all distances. `bytes_per_cell`: what stays in
/// memory, walls included.
#[derive(Debug, Parser)]
#[command(name = "world")]
pub(crate) struct WorldSubject {
    /// A MovingAI .map
    #[arg(long, value_name = "FILE", value_parser = region::read)]
    map: MapFile,
    /// Cells along a side of the world
    #[arg(long, value_name = "N", default_value_t = 2048)]
    #[arg(value_parser = clap::value_parser!(u32).range(64..=32_768))]
    size: u32,
    /// Questions, and edits, of ours in a round
    #[arg(long, value_name = "N", default_value_t = 40)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    questions: u32,
    /// Ways that are compared in a round
    #[arg(long, value_name = "N", default_value_t = 40)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    ways: u32,
}

/// The contestants.
const NAMES: [&str; 2] = ["ours", "exact"];

/// The measurements of a contestant, `[units: ms]`.
#[derive(Default)]
struct Figures {
    first: Vec<f64>,
    again: Vec<f64>,
    edits: Vec<f64>,
    after_edit: Vec<f64>,
    build: f64,
    bytes: f64,
}

struct World {
    copies: Copies,
    medium: Medium<Ix2>,
    ours: WorldField,
    exact: ArrivalField<Ix2>,
    rng: ChaCha8Rng,
    figures: [Figures; 2],
    /// Ours over the exact one's: walks, and by the exact one's own times.
    excess: Vec<f64>,
    excess_of_times: Vec<f64>,
    /// Ways that lead over less than a sixteenth of the world.
    excess_near: Vec<f64>,
}

/// Milliseconds that something takes.
fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(f64, T), E> {
    let start = Instant::now();
    let done = work()?;
    Ok((start.elapsed().as_secs_f64() * 1e3, done))
}

impl World {
    fn new(subject: &WorldSubject) -> Result<Self, CompareError> {
        let copies = Copies::new(&subject.map, subject.size as usize)?;
        let medium = Medium::from_walls(&copies.walls())?;
        let (build, ours) = timed(|| WorldField::new(&medium))?;
        let mut figures = <[Figures; 2]>::default();
        figures[0].build = build;
        Ok(Self {
            exact: ArrivalField::new(&medium),
            copies,
            medium,
            ours,
            rng: ChaCha8Rng::seed_from_u64(1),
            figures,
            excess: Vec::new(),
            excess_of_times: Vec::new(),
            excess_near: Vec::new(),
        })
    }

    fn any_cell(&mut self) -> [usize; 2] {
        free_cell(&self.copies, &self.medium, &mut self.rng)
    }

    /// A target that moves, and the first direction from somewhere; then from somewhere else.
    fn ask(&mut self) -> Result<(), CompareError> {
        let [target, from, then] = std::array::from_fn(|_| self.any_cell());
        let Self { ours, medium, figures, .. } = self;
        let (ms, way) = timed(|| {
            ours.set_target(medium, target)?;
            ours.direction(medium, from)
        })?;
        found(way.is_some(), from, target)?;
        figures[0].first.push(ms);
        let (ms, way) = timed(|| ours.direction(medium, then))?;
        found(way.is_some(), then, target)?;
        figures[0].again.push(ms);
        Ok(())
    }

    /// A door that closes, or opens, and the first direction from somewhere.
    fn edit(&mut self, door: &[([usize; 2], bool)]) -> Result<(), CompareError> {
        let from = self.any_cell();
        let Self { ours, medium, figures, .. } = self;
        let (ms, ()) = timed(|| {
            medium.set_walls(door)?;
            ours.update(medium)
        })?;
        figures[0].edits.push(ms);
        let (ms, _) = timed(|| ours.direction(medium, from))?;
        figures[0].after_edit.push(ms);
        Ok(())
    }

    fn any_door(&mut self) -> Result<[[usize; 2]; DOOR], CompareError> {
        let Self { copies, medium, ours, rng, .. } = self;
        let draw = || (free_cell(copies, medium, rng), rng.random_range(0..2));
        region::any_door(draw, |cell| !medium.is_wall(cell) && Some(cell) != ours.target())
    }

    fn round(&mut self, subject: &WorldSubject) -> Result<(), CompareError> {
        for _ in 0..subject.questions {
            self.ask()?;
            let door = self.any_door()?;
            for wall in [true, false] {
                self.edit(&door.map(|cell| (cell, wall)))?;
            }
        }
        let target = self.any_cell();
        let Self { exact, medium, figures, .. } = self;
        let (ms, ()) = timed(|| exact.solve(medium, &[target]))?;
        figures[1].first.push(ms);
        self.ours.set_target(&self.medium, target)?;
        for n in 0..subject.ways {
            self.compare(subject, target, n)?;
        }
        Ok(())
    }

    /// Walks from somewhere, every second time from near by.
    fn compare(
        &mut self,
        subject: &WorldSubject,
        target: [usize; 2],
        n: u32,
    ) -> Result<(), CompareError> {
        let size = subject.size as usize;
        let near = (size / 16).max(64);
        let mut from = self.any_cell();
        if n % 2 == 1 {
            let cells = target.map(|i| i.saturating_sub(near)..(i + near).min(size));
            for _ in 0..1000 {
                let cell = cells.clone().map(|range| self.rng.random_range(range));
                if self.exact.times()[cell].is_finite() {
                    from = cell;
                    break;
                }
            }
        }
        let time = f64::from(self.exact.times()[from]) * self.medium.dt();
        let ours = self.ours.way(&self.medium, from)?;
        let length: f64 = ours.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let how =
            |what: String| CompareError::Mismatch { one: NAMES[0], other: NAMES[1], how: what };
        if ours.is_empty() != time.is_infinite() {
            return Err(how(format!("from {from:?} to {target:?} one leads, one does not")));
        }
        if time < 8.0 || time.is_infinite() {
            return Ok(());
        }
        let Some(walk) = walked(&self.exact, from, target) else {
            return Err(how(format!("the exact field's walker was lost from {from:?}")));
        };
        let excess = length / walk - 1.0;
        if excess > 0.5 {
            return Err(how(format!("{length} and {walk} cells from {from:?} to {target:?}")));
        }
        self.excess.push(excess);
        if n % 2 == 1 {
            self.excess_near.push(excess);
        }
        self.excess_of_times.push(length / time - 1.0);
        Ok(())
    }
}

fn found(way: bool, from: [usize; 2], to: [usize; 2]) -> Result<(), CompareError> {
    if way {
        return Ok(());
    }
    let how = format!("no way from {from:?} to {to:?}, of one region");
    Err(CompareError::Mismatch { one: NAMES[0], other: "the region", how })
}

/// A cell of the region in which no door is closed.
fn free_cell(copies: &Copies, medium: &Medium<Ix2>, rng: &mut ChaCha8Rng) -> [usize; 2] {
    loop {
        let cell = copies.any_cell(rng);
        if !medium.is_wall(cell) {
            return cell;
        }
    }
}

impl Subject for WorldSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        if self.map.dimensions() != 2 {
            return Err(CompareError::Map("the map has three axes; this comparison takes two"));
        }
        let pool = ThreadPoolBuilder::new().num_threads(options.threads()).build()?;
        pool.install(|| self.measure(options))
    }
}

impl WorldSubject {
    fn measure(self, options: &Options) -> Result<Report, CompareError> {
        let mut world = World::new(&self)?;
        let progress = ProgressBar::new(u64::from(options.runs) + 1);
        for n in 0..=options.runs {
            world.round(&self)?;
            if n == 0 {
                // The first round does not count.
                for figures in &mut world.figures {
                    *figures = Figures { build: figures.build, ..Figures::default() };
                }
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        let cells = f64::from(self.size).powi(2);
        let walls = world.medium.memory_bytes() as f64;
        world.figures[0].bytes = (world.ours.memory_bytes() as f64 + walls) / cells;
        // Times, directions, and the data that they are worked out from.
        world.figures[1].bytes = 16.0 + walls / cells;
        let excess = Times::new(world.excess);
        let excess_mean = Times::new(world.excess_of_times).mean();
        let near = Times::new(world.excess_near).mean();
        let rows =
            NAMES.into_iter().zip(world.figures).enumerate().map(|(who, (name, figures))| {
                let of = |values: &Vec<f64>, percent: u8| -> Value {
                    if values.is_empty() {
                        Value::Null
                    } else {
                        Times::new(values.clone()).percentile(percent).into()
                    }
                };
                let ours = |value: f64| if who == 0 { value.into() } else { Value::Null };
                let extra = vec![
                    ("p99_ms", of(&figures.first, 99)),
                    ("elsewhere_p50_ms", of(&figures.again, 50)),
                    ("elsewhere_p99_ms", of(&figures.again, 99)),
                    ("edit_p50_ms", of(&figures.edits, 50)),
                    ("edit_p99_ms", of(&figures.edits, 99)),
                    ("after_edit_p50_ms", of(&figures.after_edit, 50)),
                    ("after_edit_p99_ms", of(&figures.after_edit, 99)),
                    ("bytes_per_cell", figures.bytes.into()),
                    ("build_ms", ours(figures.build)),
                    ("excess_mean", ours(excess.mean())),
                    ("excess_p99", ours(excess.percentile(99))),
                    ("excess_max", ours(excess.max())),
                    ("excess_near_mean", ours(near)),
                    ("excess_of_times_mean", ours(excess_mean)),
                    ("ways", excess.runs().into()),
                    ("cells", cells.into()),
                ];
                let times = Times::new(figures.first);
                Row { contestant: name, version: env!("CARGO_PKG_VERSION"), times, extra }
            });
        Ok(Report {
            subject: "world",
            case: format!("{} copied to {}x{}", self.map.name(), self.size, self.size),
            baseline: NAMES[1],
            rows: rows.collect(),
        })
    }
}
