//! `pursuit`: many pursuers, one moving target, a map that may change, frame by frame.

mod contestant;
mod edits;
pub(crate) mod fields;
mod figures;
mod game;
mod jps;
pub(crate) mod lattice;
mod ours;
pub(crate) mod scene;
mod walkers;

use crate::error::CompareError;
use crate::report::Report;
use crate::subject::{Options, Subject};
use clap::Parser;
use clap::error::ErrorKind;
use fields::{Bfs, Buckets, Condor, Dijkstra};
use figures::Figures;
use game::{Player, Rules};
use indicatif::{ProgressBar, ProgressStyle};
use jps::Jps;
use ours::Ours;
use rayon::ThreadPoolBuilder;
use scene::{Arena, Scene};
use sim_harness::maps;
use std::path::Path;
use walkers::Downhill;

/// Cost per frame of many pursuers of one moving target on a map that may change
///
/// The target walks shortest ways to random cells, one after another; pursuers start anywhere in
/// the map's largest region. Edits build and take away blocks of 2 x 2 walls in open ground, away
/// from target and pursuers. A pursuer within 1.5 cells has captured the target and keeps following
/// it; the game ends when all contestants' pursuers have, or after --frames.
///
/// ours: a tracker of wave-track, default settings, --updates of its waves' cells a frame, on all
/// worker threads; ours-1-thread: the same in a pool of one other thread, which is woken for every
/// frame.
///
/// bfs, dijkstra, dijkstra-buckets: a field over the whole map again every frame, in plain arrays,
/// eight directions, no corners cut; by hops, by length with a binary heap, by length with buckets.
///
/// condor: a flow field of that library every frame, four directions, by hops.
///
/// jps: a jump point search for every pursuer whenever the target's cell or the map has changed, on
/// all worker threads; gives up after --patience seconds, its figures are then of the frames so
/// far.
///
/// Contestants take turns frame by frame. The game is played --runs times with the same moves; the
/// time of a frame is the shortest of these, so that p99 tells of the work and not of the machine.
/// `capture_frames` is the mean frame of the first capture, the last frame for who has none.
/// `path_ratio` is how far a pursuer had walked until then over how far dijkstra's had, mean over
/// those who captured in both.
#[derive(Debug, Parser)]
#[command(name = "pursuit")]
pub(crate) struct Pursuit {
    /// A MovingAI .map
    #[arg(long, value_name = "FILE", value_parser = arena)]
    map: Arena,
    /// Pursuers
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pursuers: u32,
    /// Frames from an edit of the map to the next, 0 for no edits
    #[arg(long, value_name = "K", default_value_t = 0)]
    edit_every: u32,
    /// The target's speed, in parts of the pursuers'
    #[arg(long, value_name = "F", default_value_t = 0.5, value_parser = part::<0, 100>)]
    target_speed: f64,
    /// The pursuers' speed in cells per frame
    #[arg(long, value_name = "CELLS", default_value_t = 0.5, value_parser = part::<1, 100>)]
    speed: f64,
    /// Updates of cells that our waves may take in a frame; left out, what the tracker suggests:
    /// three for every open cell
    #[arg(long, value_name = "N")]
    updates: Option<u64>,
    /// The most frames
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: u32,
    /// Seconds after which jps gives up
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    patience: u32,
    /// Seed of starts and course
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

fn arena(file: &str) -> Result<Arena, String> {
    let map = maps::read_map(Path::new(file)).map_err(|error| error.to_string())?;
    Arena::new(&map).map_err(str::to_owned)
}

/// A number from `LEAST` hundredths to `MOST`.
fn part<const LEAST: u32, const MOST: u32>(text: &str) -> Result<f64, String> {
    let (least, most) = (f64::from(LEAST) / 100.0, f64::from(MOST));
    let value = text.parse().ok().filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| format!("it is a number from {least} to {most}"))
}

impl Subject for Pursuit {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let cells_run = self.speed * self.target_speed * f64::from(self.frames);
        if cells_run > 1e7 {
            let what = format!("the target's course would be {cells_run} cells long, over 1e7\n");
            return Err(clap::Error::raw(ErrorKind::ValueValidation, what).into());
        }
        let (pursuers, frames) = (self.pursuers as usize, self.frames as usize);
        let target_speed = self.speed * self.target_speed;
        let scene = Scene::new(&self.map, pursuers, frames, target_speed, self.seed);
        let rules = Rules { speed: self.speed, edit_every: self.edit_every as usize };
        let runs = usize::from(options.runs);
        let progress = ProgressBar::new((frames * runs) as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}") {
            progress.set_style(style);
        }
        let mut figures: Option<Figures> = None;
        let mut script = None;
        let all = ThreadPoolBuilder::new().num_threads(options.threads()).build()?;
        let mut play = || -> Result<(), CompareError> {
            let gave_up = figures.as_ref().is_some_and(Figures::somebody_gave_up);
            let mut players = self.players(&scene, !gave_up)?;
            let tick = || progress.inc(1);
            let made = game::play(&scene, &rules, &mut players, script.as_deref(), tick)?;
            script = Some(made);
            match &mut figures {
                Some(figures) => figures.add(&players)?,
                None => figures = Some(Figures::new(players)?),
            }
            Ok(())
        };
        all.install(|| (0..runs).try_for_each(|_| play()))?;
        progress.finish_and_clear();
        let edits = script.unwrap_or_default().into_iter().flatten().count();
        Ok(Report {
            subject: "pursuit",
            case: format!(
                "{} pursuers={pursuers} edit-every={} target-speed={} speed={}{} seed={}",
                self.map.name,
                self.edit_every,
                self.target_speed,
                self.speed,
                self.updates.map_or(String::new(), |n| format!(" updates={n}")),
                self.seed
            ),
            baseline: figures::BASELINE,
            rows: figures.map(|figures| figures.rows(edits)).unwrap_or_default(),
        })
    }
}

impl Pursuit {
    fn players(&self, scene: &Scene, with_jps: bool) -> Result<Vec<Player>, CompareError> {
        let one = ThreadPoolBuilder::new().num_threads(1).build()?;
        let Scene { lattice, starts, .. } = scene;
        let ours = |pool| {
            let ours = Ours::new(lattice, starts, self.speed, self.updates, pool);
            ours.map_err(|how| CompareError::Mismatch { one: figures::OURS, other: "the map", how })
        };
        let player = |name, contestant| Player::new(name, contestant, scene, f64::INFINITY);
        let mut players = vec![
            player(figures::OURS, Box::new(ours(None)?)),
            player(figures::ALONE, Box::new(ours(Some(one))?)),
            player("bfs", Box::new(Downhill::<Bfs>::new(lattice, starts, self.speed))),
            player(
                figures::BASELINE,
                Box::new(Downhill::<Dijkstra>::new(lattice, starts, self.speed)),
            ),
            player(
                "dijkstra-buckets",
                Box::new(Downhill::<Buckets>::new(lattice, starts, self.speed)),
            ),
            player("condor", Box::new(Downhill::<Condor>::new(lattice, starts, self.speed))),
        ];
        if with_jps {
            let jps = Box::new(Jps::new(lattice, starts, self.speed));
            players.push(Player::new("jps", jps, scene, f64::from(self.patience)));
        }
        Ok(players)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args;
    use tempfile::NamedTempFile;

    /// An empty field with a few pillars, run with these `arguments`.
    fn run(arguments: &[&str]) -> Report {
        let row = |y: usize| (0..40).map(move |x| if x % 7 == 5 && y % 6 == 4 { '@' } else { '.' });
        let rows: String = (0..32).flat_map(|y| row(y).chain(['\n'])).collect();
        let file = NamedTempFile::with_suffix(".map").unwrap();
        std::fs::write(file.path(), format!("type octile\nheight 32\nwidth 40\nmap\n{rows}"))
            .unwrap();
        let file = file.path().to_string_lossy();
        let all = [&["pursuit", "--map", &file, "--pursuers", "20", "--runs", "2"], arguments];
        let command = Options::augment_args(<Pursuit as clap::CommandFactory>::command());
        let matches = command.try_get_matches_from(all.concat()).unwrap();
        let options = <Options as clap::FromArgMatches>::from_arg_matches(&matches).unwrap();
        let subject = <Pursuit as clap::FromArgMatches>::from_arg_matches(&matches).unwrap();
        subject.run(&options).unwrap()
    }

    #[test]
    fn all_contestants_capture_a_slow_target_on_a_map_that_changes() {
        let report = run(&["--edit-every", "2", "--frames", "250"]);
        let names: Vec<&str> = report.rows.iter().map(|row| row.contestant).collect();
        let expected =
            ["ours", "ours-1-thread", "bfs", "dijkstra", "dijkstra-buckets", "condor", "jps"];
        assert_eq!(names, expected);
        for row in &report.rows {
            let value = |key| row.extra.iter().find(|(k, _)| *k == key).map(|(_, v)| v.clone());
            assert_eq!(value("captured"), Some(20.into()), "{}", row.contestant);
            let edits = value("edits").and_then(|v| v.as_u64()).unwrap();
            assert!(edits as usize >= row.times.runs() / 4, "{edits}");
            for key in ["ms_per_frame", "ms_per_frame_p99", "capture_frames", "path_ratio"] {
                assert!(value(key).and_then(|v| v.as_f64()).unwrap() > 0.0, "{key}");
            }
        }
    }

    #[test]
    fn who_has_no_patience_gives_up_and_has_no_mean_capture() {
        let report = run(&["--patience", "0", "--frames", "10", "--target-speed", "0"]);
        let jps = report.rows.iter().find(|row| row.contestant == "jps").unwrap();
        assert_eq!(jps.times.runs(), 1);
        assert!(jps.extra.iter().any(|(key, v)| *key == "capture_frames" && v.is_null()));
    }
}
