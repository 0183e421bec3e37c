//! `flock`: the speed of a step of a flock, per boid.

mod flockers;

use crate::error::CompareError;
use crate::measure::{self, Race};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use flockers::Flockers;
use flocking::{Flock, FlockConfig, Vector};
use glam::{Vec2, Vec3};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_harness::flock::FlockScene;
use std::f64::consts::PI;

/// Speed per boid of a step of a flock in a wrapping world, f32
///
/// ours: the full published rule on all worker threads.
///
/// ours-1-thread: the same in a pool of one thread.
///
/// krabmaga: krABMaga's flockers (MASON's rule, which is a lighter one: no angles), 2D only, one
/// thread, as many birds at the same places.
///
/// ours-condensed: on all worker threads, 10,000 boids so dense that each has 1000 in view, of
/// which it heeds the 16 nearest.
///
/// Times are per step. Rust's `boids` 0.1 is left out: it compares all with all.
#[derive(Debug, Parser)]
#[command(name = "flock")]
pub(crate) struct FlockSubject {
    /// Boids
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..16_777_216))]
    boids: u32,
    /// Axes of the world
    #[arg(long, value_name = "2|3", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u8).range(2..=3))]
    dim: u8,
    /// Boids per unit of area or volume
    #[arg(long, default_value_t = 0.1)]
    density: f64,
    /// The view radius
    #[arg(long, default_value_t = 10.0)]
    radius: f64,
    /// Steps per run
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
}

const NAMES: [&str; 4] = ["ours", "ours-1-thread", "ours-condensed", "krabmaga"];
const OURS: usize = 0;
const CONDENSED: usize = 2;
const KRABMAGA: usize = 3;

/// Boids of the condensed flock, how many each has in view on the mean, and how many it heeds.
const CROWD: u32 = 10_000;
const IN_VIEW: f64 = 1000.0;
const HEEDED: usize = 16;

impl Subject for FlockSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        match self.dim {
            2 => self.race::<Vec2>(options),
            _ => self.race::<Vec3>(options),
        }
    }
}

/// A flock of ours, in a pool of its own.
struct Ours<V: Vector> {
    start: Flock<V>,
    flock: Flock<V>,
    pool: ThreadPool,
}

impl<V: Vector> Ours<V> {
    fn new(start: &Flock<V>, threads: usize) -> Result<Self, CompareError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { start: start.clone(), flock: start.clone(), pool })
    }

    fn steps(&mut self, steps: u32) {
        let flock = &mut self.flock;
        self.pool.install(|| (0..steps).for_each(|_| flock.step()));
    }
}

struct Contest<V: Vector> {
    /// As the first three names say.
    ours: [Ours<V>; 3],
    flockers: Option<Flockers>,
    steps: u32,
    /// Hashes of the end states: of the first two, and of the condensed flock.
    hashes: [Option<u64>; 2],
}

impl FlockSubject {
    fn race<V: Vector>(&self, options: &Options) -> Result<Report, CompareError> {
        let scene = FlockScene {
            boids: self.boids,
            steps: self.steps,
            dim: self.dim,
            density: self.density,
            radius: self.radius,
            nearest: None,
            seed: 1,
        };
        // The published view is the half of the disc or ball that lies ahead.
        let [disc, ball] = [PI * self.radius.powi(2), 4.0 / 3.0 * PI * self.radius.powi(3)];
        let density = 2.0 * IN_VIEW / if self.dim == 2 { disc } else { ball };
        let crowd = FlockScene { boids: CROWD, density, nearest: Some(HEEDED), ..scene };
        let (start, crowd) = (scene.build::<V>()?, crowd.build::<V>()?);
        let all = options.threads();
        let mut contest = Contest {
            ours: [Ours::new(&start, all)?, Ours::new(&start, 1)?, Ours::new(&crowd, all)?],
            flockers: (self.dim == 2).then(|| flockers(&start, self.radius)),
            steps: self.steps,
            hashes: [None; 2],
        };
        let names = if self.dim == 2 { &NAMES[..] } else { &NAMES[..KRABMAGA] };
        let times = measure::interleave(&mut contest, names, options.runs.into())?;
        let rows = names.iter().zip(times).map(|(contestant, times)| {
            let times = times.per(f64::from(self.steps));
            let boids = if *contestant == NAMES[CONDENSED] { CROWD } else { self.boids };
            let speed = f64::from(boids) / (times.median() * 1e-3);
            let ours = *contestant != NAMES[KRABMAGA];
            let version = if ours { env!("CARGO_PKG_VERSION") } else { "0.5.3" };
            Row { contestant, version, times, extra: vec![("boid_steps_per_s", speed.into())] }
        });
        Ok(Report {
            subject: "flock",
            case: format!("{} {}D {} {}", self.boids, self.dim, self.density, self.radius),
            baseline: if self.dim == 2 { NAMES[KRABMAGA] } else { NAMES[1] },
            rows: rows.collect(),
        })
    }
}

fn flockers<V: Vector>(start: &Flock<V>, radius: f64) -> Flockers {
    use flocking::Scalar;
    let config: &FlockConfig<V> = start.config();
    let side = match config.edges {
        flocking::Edges::Wrapping { high, .. } => high.to_xyz()[0].to_f64(),
        _ => 0.0,
    };
    let place = |p: V| {
        let [x, y, _] = p.to_xyz();
        (x.to_f64() as f32, y.to_f64() as f32)
    };
    Flockers::new(start.poses().map(|(p, _)| place(p)).collect(), side as f32, radius as f32)
}

impl<V: Vector> Race for Contest<V> {
    fn prepare(&mut self, who: usize) -> Result<(), CompareError> {
        if let Some(ours) = self.ours.get_mut(who) {
            ours.flock.clone_from(&ours.start);
            // One step allocates the memory that later ones use.
            ours.steps(1);
        }
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        let steps = self.steps;
        if let Some(ours) = self.ours.get_mut(who) {
            ours.steps(steps);
        } else if let Some(flockers) = &mut self.flockers {
            (0..steps).for_each(|_| flockers.step());
        }
        Ok(())
    }

    /// A flock of ours ends in the same bits in every run and for any number of threads; of the
    /// flockers, which follow another rule, nobody gets lost.
    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let wrong =
            |how: String| Err(CompareError::Mismatch { one: NAMES[who], other: NAMES[OURS], how });
        if let Some(ours) = self.ours.get(who) {
            let hash = ours.flock.state_hash();
            let known = &mut self.hashes[usize::from(who == CONDENSED)];
            if *known.get_or_insert(hash) != hash {
                return wrong(format!("the end states hash to {hash:016x} and another"));
            }
        } else if let Some(flockers) = &self.flockers {
            let (birds, boids) = (flockers.birds(), self.ours[OURS].start.len());
            if birds != boids {
                return wrong(format!("{birds} birds are left of {boids}"));
            }
        }
        Ok(())
    }
}
