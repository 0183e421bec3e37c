//! Height maps for the subjects of `jump-planner`: files, and fractal ground.

use crate::error::CompareError;
use clap::Args;
use jump_planner::JumpGraph;
use ndarray::{Array2, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_harness::import::{self, ImportOptions};
use sim_harness::level::{LevelError, LevelOptions};
use sim_harness::maps::heights::{Heightmap, Scaling};
use std::path::PathBuf;

/// Which ground, and who jumps over it.
#[derive(Debug, Args)]
pub(crate) struct LevelArgs {
    /// An ESRI .asc or a grey .png file
    #[arg(long, value_name = "FILE", required_unless_present = "fractal")]
    terrain: Option<PathBuf>,
    /// Fractal ground with this Hurst exponent instead of a file: the less, the more ragged
    #[arg(long, value_name = "H", conflicts_with = "terrain")]
    fractal: Option<f64>,
    /// By so much the middle of fractal ground is moved up or down at most
    #[arg(long, default_value_t = 64.0)]
    amplitude: f64,
    /// Rows and columns: a file is mirrored to that size
    /// [default: as the file says; fractal ground: 1024]
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=8192))]
    size: Option<u32>,
    /// The launch speed
    #[arg(long, default_value_t = 6.0)]
    speed: f64,
    /// Gravity
    #[arg(long, default_value_t = 9.81)]
    gravity: f64,
    /// The side of a cell [default: as the file says, else 1]
    #[arg(long)]
    cell: Option<f64>,
    /// Heights are multiplied by this
    #[arg(long)]
    scale: Option<f64>,
    /// Heights are rounded to multiples of this
    #[arg(long, default_value_t = 0.5)]
    pub(crate) quantise: f64,
    /// A walker steps up by this
    #[arg(long, default_value_t = 0.0)]
    step_height: f64,
}

impl LevelArgs {
    pub(crate) fn graph(&self) -> Result<JumpGraph, CompareError> {
        let map = match (&self.terrain, self.fractal) {
            (Some(file), _) => {
                let map = import::read_heights(file, &ImportOptions::default())
                    .map_err(LevelError::from)?;
                match self.size {
                    Some(side) => mirrored(&map, side as usize),
                    None => map,
                }
            }
            (None, hurst) => {
                let side = self.size.unwrap_or(1024) as usize;
                fractal(side, hurst.unwrap_or(1.0), self.amplitude)
            }
        };
        let level = LevelOptions {
            terrain: self.name().into(),
            import: ImportOptions::default(),
            scaling: Scaling {
                cell_size: self.cell,
                height_scale: self.scale,
                quantum: Some(self.quantise),
            },
            speed: self.speed,
            gravity: self.gravity,
            step_height: self.step_height,
            max_fall: None,
            body: [0.0; 2],
            rule: jump_planner::JumpRule::default(),
            no_go: Vec::new(),
            storeys: false,
        };
        Ok(level.graph_of(&map)?)
    }

    /// The name of a row of figures: which ground, and whose.
    pub(crate) fn case(&self, graph: &JumpGraph) -> String {
        let [rows, columns] = graph.terrain().shape();
        format!(
            "{} {columns}x{rows} speed {} quantum {} step {}",
            self.name(),
            self.speed,
            self.quantise,
            self.step_height
        )
    }

    fn name(&self) -> String {
        let file = self.terrain.as_ref().and_then(|file| file.file_name());
        match (file, self.fractal) {
            (Some(file), _) => file.to_string_lossy().into(),
            (None, hurst) => {
                format!("fractal {} amplitude {}", hurst.unwrap_or(1.0), self.amplitude)
            }
        }
    }
}

/// A map as large as that: the next copies are mirrored, so that heights go on.
fn mirrored(map: &Heightmap, side: usize) -> Heightmap {
    let (rows, columns) = map.heights.dim();
    let at = |i: usize, n: usize| if (i / n).is_multiple_of(2) { i % n } else { n - 1 - i % n };
    let heights =
        Array2::from_shape_fn((side, side), |(y, x)| map.heights[[at(y, rows), at(x, columns)]]);
    Heightmap { heights, no_go: None, cell_size: map.cell_size }
}

/// Fractal ground by midpoint displacement on a torus: at each finer scale the middles of squares
/// and then those of their sides are moved by up to `amplitude`, which shrinks by 2^-hurst.
fn fractal(side: usize, hurst: f64, amplitude: f64) -> Heightmap {
    let n = side.next_power_of_two();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut z = Array2::<f64>::zeros((n, n));
    let (mut step, mut most) = (n, amplitude);
    while step > 1 {
        let half = step / 2;
        let mut moved = |z: &Array2<f64>, around: [[usize; 2]; 4]| {
            let middle = around.iter().map(|[y, x]| z[[y % n, x % n]]).sum::<f64>() / 4.0;
            middle + most * rng.random_range(-1.0..1.0)
        };
        for (y, x) in grid(n, step) {
            let around = [[y, x], [y + step, x], [y, x + step], [y + step, x + step]];
            z[[y + half, x + half]] = moved(&z, around);
        }
        for (y, x) in grid(n, half).filter(|(y, x)| (y + x) / half % 2 == 1) {
            let around = [[y + half, x], [y + n - half, x], [y, x + half], [y, x + n - half]];
            z[[y, x]] = moved(&z, around);
        }
        (step, most) = (half, most * 0.5_f64.powf(hurst));
    }
    Heightmap { heights: z.slice(s![..side, ..side]).to_owned(), no_go: None, cell_size: None }
}

fn grid(n: usize, step: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).step_by(step).flat_map(move |y| (0..n).step_by(step).map(move |x| (y, x)))
}
