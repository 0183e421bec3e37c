//! `doors`: how many come through a door, and what a frame costs.

#[cfg(feature = "landmass")]
mod landmass;

use crate::error::CompareError;
use crate::measure::{self, Race, Times};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use crowd::{Crowd, CrowdConfig, Guides, Pace, Walker};
use glam::DVec2;
use ndarray::{Array2, Ix2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use wave_core::Medium;
use wave_track::{Tracker, TrackerConfig};

/// How many come through a door in a second, and what a frame of all of them costs
///
/// A room of 20 x 20 m, and one door to another; walkers of 0.3 m radius, 1.34 m/s, 60 frames a
/// second, from random places to one behind the door. The flow is that of those between the first
/// and the last tenth; a person still there at the end of the time is stuck. Every round has
/// another seed, 0 and on.
///
/// ours: the crowd, its guides and their tracker, on one thread.
///
/// ours-weidmann: the same with speeds that fall with density.
///
/// landmass: landmass 0.9.3 with its own avoidance, on a navigation mesh that is narrower than the
/// rooms by a radius; the host moves agents and keeps them on the mesh. Needs the feature
/// `landmass`.
#[derive(Debug, Parser)]
#[command(name = "doors")]
pub(crate) struct DoorsSubject {
    /// Cells that the door is wide
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=10))]
    width: u16,
    /// Walkers
    #[arg(long, value_name = "N", default_value_t = 150)]
    #[arg(value_parser = clap::value_parser!(u16).range(20..=600))]
    walkers: u16,
    /// Seconds after which who is still there is stuck
    #[arg(long, value_name = "S", default_value_t = 300)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=3600))]
    within: u16,
}

const NAMES: &[&str] = &[
    "ours",
    "ours-weidmann",
    #[cfg(feature = "landmass")]
    "landmass",
];
const RADIUS: f64 = 0.3;
const SPEED: f64 = 1.34;
const FRAME: f64 = 1.0 / 60.0;
/// `[units: cells]` The side of a room; the wall between the two comes after it.
const ROOM: usize = 20;
/// `[units: cells]` Two rooms and the wall.
const COLUMNS: usize = 2 * ROOM + 1;
/// A walker this far along x has left.
const OUT: f64 = 24.0;
const TARGET: DVec2 = DVec2::new(39.0, 9.5);

/// People in a room.
trait Room {
    /// Moves all by a frame, removes those that are [`OUT`], and tells how many these were.
    fn frame(&mut self) -> Result<usize, CompareError>;
}

struct Ours {
    tracker: Tracker<Ix2>,
    budget: u64,
    crowd: Crowd,
    guides: Guides,
}

impl Ours {
    fn new(rows: [usize; 2], places: &[DVec2], pace: Pace) -> Result<Self, CompareError> {
        let is_wall = |(y, x)| x == ROOM && !(rows[0]..rows[1]).contains(&y);
        let walls = Array2::from_shape_fn((ROOM, COLUMNS), is_wall);
        let medium = Medium::<Ix2>::builder([ROOM, COLUMNS]).walls(&walls).build()?;
        let mut tracker = Tracker::new(medium, TrackerConfig::default())?;
        tracker.set_target(TARGET)?;
        let mut crowd = Crowd::new(&walls, CrowdConfig { pace, ..CrowdConfig::default() })?;
        let mut guides = Guides::new(4.0)?;
        for &place in places {
            guides.add(&mut tracker, &mut crowd, Walker::new(place, RADIUS, SPEED))?;
        }
        Ok(Self { budget: tracker.suggested_updates(), tracker, crowd, guides })
    }
}

impl Room for Ours {
    fn frame(&mut self) -> Result<usize, CompareError> {
        self.tracker.frame(FRAME, self.budget)?;
        self.guides.lead(&mut self.tracker, &mut self.crowd)?;
        self.crowd.step(FRAME)?;
        let walkers = self.crowd.walkers();
        let out: Vec<_> = walkers.filter(|(_, w)| w.position.x > OUT).map(|w| w.0).collect();
        for &id in &out {
            self.guides.remove(&mut self.tracker, &mut self.crowd, id)?;
        }
        Ok(out.len())
    }
}

struct Contest<'a> {
    subject: &'a DoorsSubject,
    pool: rayon::ThreadPool,
    room: Box<dyn Room + Send>,
    /// `[units: frames]` When each walker that left did so.
    left: Vec<u32>,
    frames: u32,
    /// Rounds that each contestant has run, the uncounted one too.
    rounds: Vec<u64>,
    results: Vec<Vec<Evacuation>>,
}

/// How one room emptied.
struct Evacuation {
    /// `[units: 1 / s]`
    flow: f64,
    stuck: usize,
    frames: u32,
}

impl DoorsSubject {
    /// First row of the door, and the one behind its last.
    fn rows(&self) -> [usize; 2] {
        let first = ROOM / 2 - usize::from(self.width) / 2;
        [first, first + usize::from(self.width)]
    }

    fn room(&self, who: usize, seed: u64) -> Result<Box<dyn Room + Send>, CompareError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let place = || DVec2::new(rng.random_range(0.0..18.5), rng.random_range(0.0..19.0));
        let places: Vec<DVec2> = std::iter::repeat_with(place).take(self.walkers.into()).collect();
        Ok(match who {
            0 => Box::new(Ours::new(self.rows(), &places, Pace::Free)?),
            1 => {
                Box::new(Ours::new(self.rows(), &places, Pace::Weidmann { metres_per_unit: 1.0 })?)
            }
            #[cfg(feature = "landmass")]
            _ => Box::new(landmass::Agents::new(self.rows(), &places)),
            #[cfg(not(feature = "landmass"))]
            _ => unreachable!("there are two contestants"),
        })
    }
}

impl Subject for DoorsSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let mut contest = Contest {
            pool: rayon::ThreadPoolBuilder::new().num_threads(1).build()?,
            room: self.room(0, 0)?,
            subject: &self,
            left: Vec::new(),
            frames: 0,
            rounds: vec![0; NAMES.len()],
            results: NAMES.iter().map(|_| Vec::new()).collect(),
        };
        let times = measure::interleave(&mut contest, NAMES, options.runs.into())?;
        let rows = NAMES.iter().zip(times).zip(&contest.results).map(|((name, times), all)| {
            // The first round is not counted.
            let all = &all[1..];
            let flows = Times::new(all.iter().map(|e| e.flow).collect());
            let frames: u32 = all.iter().map(|e| e.frames).sum();
            let stuck: usize = all.iter().map(|e| e.stuck).sum();
            let extra: Vec<(&str, Value)> = vec![
                ("flow_per_s", flows.median().into()),
                ("least_flow", flows.min().into()),
                ("stuck", stuck.into()),
                ("frames", (f64::from(frames) / all.len() as f64).into()),
            ];
            let ours = name.starts_with("ours");
            let version = if ours { env!("CARGO_PKG_VERSION") } else { "0.9.3" };
            Row { contestant: name, version, times, extra }
        });
        Ok(Report {
            subject: "doors",
            case: format!("width {}, {} walkers", self.width, self.walkers),
            baseline: if cfg!(feature = "landmass") { NAMES[NAMES.len() - 1] } else { NAMES[0] },
            rows: rows.collect(),
        })
    }
}

impl Race for Contest<'_> {
    fn prepare(&mut self, who: usize) -> Result<(), CompareError> {
        let seed = self.rounds[who].saturating_sub(1);
        self.rounds[who] += 1;
        self.room = self.subject.room(who, seed)?;
        self.left.clear();
        self.frames = 0;
        Ok(())
    }

    fn run(&mut self, _: usize) -> Result<(), CompareError> {
        let most = u32::from(self.subject.within) * 60;
        let all = usize::from(self.subject.walkers);
        let Self { pool, room, left, frames, .. } = self;
        pool.install(|| {
            while left.len() < all && *frames < most {
                *frames += 1;
                let out = room.frame()?;
                left.extend(std::iter::repeat_n(*frames, out));
            }
            Ok(())
        })
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let all = usize::from(self.subject.walkers);
        let (first, last) = (all / 10, all - all / 10 - 1);
        // If fewer came through, all that did.
        let last = last.min(self.left.len().saturating_sub(1));
        let flow = if last > first {
            (last - first) as f64 / (f64::from(self.left[last] - self.left[first]) * FRAME)
        } else {
            0.0
        };
        let stuck = all - self.left.len();
        self.results[who].push(Evacuation { flow, stuck, frames: self.frames });
        Ok(())
    }
}
