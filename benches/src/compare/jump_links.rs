//! `jump-links`: which pieces of ground a jump joins, exactly and by samples.

use crate::error::CompareError;
use crate::ground::LevelArgs;
use crate::measure::{Race, interleave};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use jump_planner::JumpGraph;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_harness::level::{LevelError, links};
use std::collections::BTreeSet;

/// Jump links: found exactly, and by samples as engines do
///
/// Pieces of ground are what walking joins. What is sought: of which two, in this order, a jump
/// leads from the one to the other. ours: `links`, exact; ours-1-thread: in a pool of one thread.
///
/// The others are written here, after what the documentation of Unreal's generated links and the
/// sources of recast4j say that these do: one sample of an edge for every --spacing, one arc of one
/// length straight away from the edge, up to a fixed height above its start, checked at points that
/// are a spacing apart. Their length is the range of the launch speed over level ground and their
/// height that of the jump at 45 degrees; one lands at most as far below as the range. unreal: a
/// spacing of 0.19, recast4j: of 0.3, which are the defaults of their cells in metres;
/// unreal-4-lengths: also a quarter, a half and three quarters of the length.
///
/// "missed": pairs that ours has and they do not; "invented": the reverse, where the arc that was
/// sampled passes through ground between two points or asks for a higher speed than the
/// character's. ours is checked against the graph's own decision for each of its links.
#[derive(Debug, Parser)]
#[command(name = "jump-links")]
pub(crate) struct JumpLinksSubject {
    #[command(flatten)]
    level: LevelArgs,
}

/// How far inside an edge an arc begins, in cells.
const INSIDE: f64 = 0.1;

struct Manner {
    name: &'static str,
    /// `[units: length]` Between samples of an edge, and between points of an arc.
    spacing: f64,
    /// In parts of the range.
    lengths: &'static [f64],
}

const MANNERS: [Manner; 3] = [
    Manner { name: "unreal", spacing: 0.19, lengths: &[1.0] },
    Manner { name: "unreal-4-lengths", spacing: 0.19, lengths: &[0.25, 0.5, 0.75, 1.0] },
    Manner { name: "recast4j", spacing: 0.3, lengths: &[1.0] },
];

/// Ordered pairs of groups.
type Pairs = BTreeSet<[usize; 2]>;

/// The pairs that samples find, and how many arcs were tried.
fn sample(graph: &JumpGraph, manner: &Manner) -> (Pairs, usize) {
    let (terrain, character) = (graph.terrain(), graph.character());
    let [rows, columns] = terrain.shape();
    let side = terrain.cell_size();
    let range = character.launch_speed().powi(2) / character.gravity();
    let peak = range / 4.0;
    let cell_at = |x: f64, y: f64| {
        let [x, y] = [x, y].map(|c| (c / side + 0.5).floor());
        let inside = x >= 0.0 && y >= 0.0 && x < columns as f64 && y < rows as f64;
        inside.then_some([y as usize, x as usize])
    };
    let samples = (side / manner.spacing).ceil().max(1.0) as usize;
    let (mut pairs, mut arcs) = (Pairs::new(), 0);
    for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
        let (Some(group), Some(z)) = (graph.group([y, x]), terrain.height([y, x])) else {
            continue;
        };
        for [ny, nx] in [[0_isize, 1_isize], [1, 0], [0, -1], [-1, 0]] {
            let beside = y.checked_add_signed(ny).zip(x.checked_add_signed(nx));
            if beside.is_some_and(|(y, x)| graph.group([y, x]) == Some(group)) {
                continue;
            }
            let normal = [nx as f64, ny as f64];
            let along = [-normal[1], normal[0]];
            for i in 0..samples {
                let across = ((i as f64 + 0.5) / samples as f64 - 0.5) * side;
                let from = [x as f64, y as f64].map(|c| c * side);
                let from =
                    [0, 1].map(|a| from[a] + normal[a] * side * (0.5 - INSIDE) + along[a] * across);
                for part in manner.lengths {
                    arcs += 1;
                    let length = range * part;
                    let at = |u: f64| [0, 1].map(|a| from[a] + normal[a] * length * u);
                    let ground = |u: f64| {
                        let [x, y] = at(u);
                        let cell = cell_at(x, y)?;
                        terrain.height(cell).map(|z| (cell, z))
                    };
                    let Some((landing, landing_z)) = ground(1.0) else { continue };
                    let Some(other) = graph.group(landing).filter(|&other| other != group) else {
                        continue;
                    };
                    let rise = landing_z - z;
                    if rise > peak || rise < -range {
                        continue;
                    }
                    // The parabola through both ends whose top is `peak` above the start.
                    let slope = 2.0 * peak * (1.0 + (1.0 - rise / peak).sqrt());
                    let height = |u: f64| z + slope * u + (rise - slope) * u * u;
                    let points = (length / manner.spacing).ceil().max(2.0) as usize;
                    let is_clear = (1..points).all(|i| {
                        let u = i as f64 / points as f64;
                        ground(u).is_some_and(|(_, z)| z <= height(u))
                    });
                    if is_clear {
                        pairs.insert([group, other]);
                    }
                }
            }
        }
    }
    (pairs, arcs)
}

const OURS: [&str; 2] = ["ours", "ours-1-thread"];

struct Contest {
    graph: JumpGraph,
    pools: [ThreadPool; 2],
    answer: Pairs,
    arcs: usize,
    /// The answers of all contestants; ours first.
    answers: Vec<(Pairs, usize)>,
}

impl Race for Contest {
    fn prepare(&mut self, _: usize) -> Result<(), CompareError> {
        self.answer.clear();
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        let manner = MANNERS.get(who.wrapping_sub(OURS.len()));
        (self.answer, self.arcs) = if let Some(manner) = manner {
            sample(&self.graph, manner)
        } else {
            let found = self.pools[who].install(|| links(&self.graph));
            let found = found.map_err(LevelError::from)?;
            let there = found.iter().map(|link| link.groups);
            let back = found.iter().filter(|link| link.both_ways);
            let back = back.map(|link| [link.groups[1], link.groups[0]]);
            (there.chain(back).collect(), 0)
        };
        Ok(())
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let answer = (std::mem::take(&mut self.answer), self.arcs);
        match self.answers.get(who) {
            None => self.answers.push(answer),
            Some(before) if *before == answer => {}
            Some(_) => {
                let how = "another answer than in the round before".to_owned();
                return Err(CompareError::Mismatch { one: OURS[0], other: "itself", how });
            }
        }
        if who == 1 && self.answers[0].0 != self.answers[1].0 {
            let how = "other pairs on one thread".to_owned();
            return Err(CompareError::Mismatch { one: OURS[0], other: OURS[1], how });
        }
        Ok(())
    }
}

impl Subject for JumpLinksSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let graph = self.level.graph()?;
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
        let mut contest = Contest {
            graph,
            pools: [pool(options.threads())?, pool(1)?],
            answer: Pairs::new(),
            arcs: 0,
            answers: Vec::new(),
        };
        let names: Vec<&'static str> =
            OURS.into_iter().chain(MANNERS.iter().map(|manner| manner.name)).collect();
        let times = interleave(&mut contest, &names, options.runs.into())?;
        let exact = &contest.answers[0].0;
        let rows_of = |((contestant, times), (pairs, arcs)): (_, &(Pairs, usize))| {
            let extra = vec![
                ("pairs", pairs.len().into()),
                ("missed", exact.difference(pairs).count().into()),
                ("invented", pairs.difference(exact).count().into()),
                ("arcs", (*arcs).into()),
            ];
            Row { contestant, version: env!("CARGO_PKG_VERSION"), times, extra }
        };
        Ok(Report {
            subject: "jump-links",
            case: self.level.case(&contest.graph),
            baseline: OURS[0],
            rows: names.into_iter().zip(times).zip(&contest.answers).map(rows_of).collect(),
        })
    }
}
