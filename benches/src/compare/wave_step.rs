//! `wave-step`: the speed of a dense wave step, per cell.

mod contest;
mod plain;
mod roof;

use crate::error::CompareError;
use crate::grid::Grid;
use crate::measure;
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::{Parser, ValueEnum};
use contest::Contest;
use ndarray::{Ix2, Ix3};
use roof::Roof;
use wave_core::{Space, WallRule};

/// Speed per cell of a dense wave step: f32, 10 % random wall cells
///
/// ours: a wave of wave-core on all worker threads.
///
/// ours-1-thread: the same in a pool of one thread.
///
/// plain: the published method written plainly; three buffers of f64, one thread.
///
/// roof: memory streamed at 16 bytes a cell (12 read, 4 written in place) with nothing computed,
/// over 1 GiB whatever the grid, on all worker threads.
///
/// Times are per step, for the roof per as many cells as the grid has. Cells are all cells, walls
/// included.
#[derive(Debug, Parser)]
#[command(name = "wave-step")]
pub(crate) struct WaveStep {
    /// Cells along x, y and, for a 3D grid, z
    #[arg(long, value_name = "XxY[xZ]", default_value = "512x512x512")]
    grid: Grid,
    /// What walls do: a free end, or the published z = 0
    #[arg(long, value_enum, default_value_t = Walls::Free)]
    walls: Walls,
    /// Steps per run [default: as many as take 30 ms, at least 16 of ours and 4 of plain]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: Option<u32>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Walls {
    Free,
    Fixed,
}

impl Walls {
    fn rule(self) -> WallRule {
        match self {
            Self::Free => WallRule::Free,
            Self::Fixed => WallRule::Fixed,
        }
    }
}

/// The contestants, by number.
const NAMES: [&str; 4] = ["ours", "ours-1-thread", "plain", "roof"];
const OURS: usize = 0;
const ONE_THREAD: usize = 1;
const PLAIN: usize = 2;
const ROOF: usize = 3;

impl Subject for WaveStep {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        match self.grid.axes() {
            2 => self.race::<Ix2>(options),
            _ => self.race::<Ix3>(options),
        }
    }
}

impl WaveStep {
    fn race<D: Space>(&self, options: &Options) -> Result<Report, CompareError> {
        let mut contest = Contest::<D>::new(self, options.threads(), Roof::new())?;
        let times = measure::interleave(&mut contest, &NAMES, options.runs.into())?;
        let cells = self.grid.cells() as f64;
        let rows = NAMES.iter().zip(times).enumerate().map(|(who, (contestant, times))| {
            let times = times.per(contest.steps(who));
            let speed = cells / (times.median() * 1e6);
            let version = env!("CARGO_PKG_VERSION");
            Row { contestant, version, times, extra: vec![("gcells_per_s", speed.into())] }
        });
        let walls = match self.walls {
            Walls::Free => "free",
            Walls::Fixed => "fixed",
        };
        Ok(Report {
            subject: "wave-step",
            case: format!("{} {walls}", self.grid),
            baseline: NAMES[ROOF],
            rows: rows.collect(),
        })
    }
}
