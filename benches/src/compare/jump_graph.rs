//! `jump-graph`: building and auditing a level, and following an edit of one cell.

use crate::error::CompareError;
use crate::ground::LevelArgs;
use crate::measure::{self, Race, Times};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use jump_planner::{Audit, JumpError, JumpGraph, Level, ReachIndex, SearchOver, Ways};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_harness::level::LevelError;
use sim_harness::quantile::nearest_rank;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Build and audit a level, and follow an edit of one cell
///
/// ours: the graph and its audit; edits through `Level`.
///
/// ours-1-thread: the same in a pool of one thread.
///
/// all-pairs: every pair of cells within reach is decided by the same exact rule, and Tarjan's
/// algorithm finds the components of the whole graph. After an edit it starts again.
///
/// Both must find the same components and the same ground that the start does not reach. Times are
/// of graph and audit; "cuts ms" is what all cuts take after that, there and back at once, measured
/// once. "edit ms" is the median of edits that raise and lower single cells by the quantum (or
/// 0.5), each with its findings read, on one thread; "edit p99 ms" all but the slowest hundredth of
/// them, "edit max ms" all of them.
///
/// Where all pairs would take hours, they are decided from a random sample of the cells, and the
/// time is scaled up to all of them ("sampled cells", "extrapolated"). Every move that the sample
/// has must lead where ours says that one gets.
#[derive(Debug, Parser)]
#[command(name = "jump-graph")]
pub(crate) struct JumpGraphSubject {
    #[command(flatten)]
    level: LevelArgs,
    /// Edits, as many of these as are done within 10 seconds
    #[arg(long, default_value_t = 200)]
    edits: usize,
    /// From so many cells all pairs are decided where the terrain has more than 8192
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
}

/// Terrains of more cells are sampled.
const WHOLE: usize = 8192;

/// Edits go on no longer.
const EDITING: Duration = Duration::from_secs(10);

const NAMES: [&str; 3] = ["ours", "ours-1-thread", "all-pairs"];
const ALL_PAIRS: usize = 2;

impl Subject for JumpGraphSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let graph = self.level.graph()?;
        let [rows, columns] = graph.terrain().shape();
        let cells = rows * columns;
        let sample = (cells > WHOLE).then(|| {
            let mut rng = ChaCha8Rng::seed_from_u64(6);
            (0..self.sample).map(|_| rng.random_range(0..cells)).collect::<Vec<_>>()
        });
        let sampled = sample.as_ref().map_or(cells, Vec::len);
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
        let mut contest = Contest {
            pools: [pool(options.threads())?, pool(1)?],
            audit: graph.audit(None).map_err(LevelError::from)?,
            index: sample.is_some().then(|| graph.reach_index()),
            sample,
            graph,
            answer: None,
        };
        let times = measure::interleave(&mut contest, &NAMES, options.runs.into())?;
        let edits = contest.edits(self.edits, self.level.quantise)?;
        let cuts = [contest.cuts(0)?, contest.cuts(1)?];
        let rows_of = |(who, times): (usize, Times)| {
            let part = if who == ALL_PAIRS { sampled as f64 / cells as f64 } else { 1.0 };
            let times = times.per(part);
            let edit = |percent| {
                let again = times.median();
                if who == ALL_PAIRS { Some(again) } else { nearest_rank(&edits, percent) }
            };
            let extra = vec![
                ("cuts_ms", cuts.get(who).copied().into()),
                ("edit_ms", edit(50).into()),
                ("edit_p99_ms", edit(99).into()),
                ("edit_max_ms", edit(100).into()),
                ("edits", (who != ALL_PAIRS).then_some(edits.len()).into()),
                ("sampled_cells", if who == ALL_PAIRS { sampled } else { cells }.into()),
                ("extrapolated", (part < 1.0).into()),
                ("components", contest.audit.region_count().into()),
            ];
            Row { contestant: NAMES[who], version: env!("CARGO_PKG_VERSION"), times, extra }
        };
        Ok(Report {
            subject: "jump-graph",
            case: self.level.case(&contest.graph),
            baseline: NAMES[ALL_PAIRS],
            rows: times.into_iter().enumerate().map(rows_of).collect(),
        })
    }
}

struct Contest {
    graph: JumpGraph,
    audit: Audit,
    pools: [ThreadPool; 2],
    /// The cells from which all pairs are decided, if not from all, and which cells reach which.
    sample: Option<Vec<usize>>,
    index: Option<ReachIndex>,
    /// Components, and cells that are not reached.
    answer: Option<(usize, usize)>,
}

impl Race for Contest {
    fn prepare(&mut self, _: usize) -> Result<(), CompareError> {
        self.answer = None;
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        let (terrain, character) = (self.graph.terrain().clone(), *self.graph.character());
        let work = || -> Result<_, JumpError> {
            // Without the graph's own time, which would also be scaled up.
            if let (ALL_PAIRS, Some(sample), Some(index)) = (who, &self.sample, &self.index) {
                return sampled_pairs(&self.graph, sample, index, &self.audit);
            }
            let graph = JumpGraph::new(terrain, character)?;
            if who == ALL_PAIRS {
                return Ok(all_pairs(&graph, self.audit.start()));
            }
            let audit = graph.audit(Some(self.audit.start()))?;
            Ok((audit.region_count(), audit.unreached_cells()))
        };
        let pool = &self.pools[usize::from(NAMES[who] == "ours-1-thread")];
        self.answer = Some(pool.install(work).map_err(LevelError::from)?);
        Ok(())
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let expected = (self.audit.region_count(), self.audit.unreached_cells());
        if self.answer == Some(expected) {
            return Ok(());
        }
        let how = format!("components, unreached cells: {:?}, not {expected:?}", self.answer);
        Err(CompareError::Mismatch { one: NAMES[who], other: NAMES[0], how })
    }
}

impl Contest {
    /// Milliseconds of single edits, ascending; the results are checked against a rebuild.
    fn edits(&self, count: usize, quantum: f64) -> Result<Vec<f64>, CompareError> {
        let start = Some(self.audit.start());
        let level = || Level::new(self.graph.clone(), start);
        let mut level = self.pools[1].install(level).map_err(LevelError::from)?;
        let [rows, columns] = self.graph.terrain().shape();
        let mut times = Vec::with_capacity(count.max(1));
        let begin = Instant::now();
        for n in 0..count.max(1) {
            // Where each is as much as an audit, a few tell it.
            if begin.elapsed() > EDITING && n % 2 == 0 {
                break;
            }
            // Spread over the level; every other edit takes the one before back.
            let k = (n / 2).wrapping_mul(0x9E37_79B9) % (rows * columns);
            let cell = [k / columns, k % columns];
            let Some(height) = level.graph().terrain().height(cell) else { continue };
            let height = if n % 2 == 0 { height + quantum } else { height - quantum };
            let edit = || {
                let begin = Instant::now();
                level.set_height(cell, height)?;
                black_box(level.findings());
                Ok(begin.elapsed().as_secs_f64() * 1e3)
            };
            times.push(self.pools[1].install(edit).map_err(|e: JumpError| LevelError::from(e))?);
        }
        let rebuilt = JumpGraph::new(level.graph().terrain().clone(), *level.graph().character())
            .and_then(|graph| graph.audit(start))
            .map_err(LevelError::from)?;
        if (rebuilt.region_count(), rebuilt.counts()) != (level.region_count(), level.counts()) {
            let how = format!("{} components after edits", level.region_count());
            return Err(CompareError::Mismatch { one: "edits", other: "a rebuild", how });
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    }
}

impl Contest {
    /// Milliseconds of all cuts, there and back, in one of the pools.
    fn cuts(&self, pool: usize) -> Result<f64, CompareError> {
        let work = || {
            let begin = Instant::now();
            let cuts = |ways| self.graph.cuts(&self.audit, ways);
            let (there, back) = rayon::join(|| cuts(Ways::FromStart), || cuts(Ways::ToStart));
            black_box((there?, back?));
            Ok(begin.elapsed().as_secs_f64() * 1e3)
        };
        Ok(self.pools[pool].install(work).map_err(|e: JumpError| LevelError::from(e))?)
    }
}

/// All moves from a sample of the cells; ours stands if each leads where one gets by `index`.
fn sampled_pairs(
    graph: &JumpGraph,
    sample: &[usize],
    index: &ReachIndex,
    audit: &Audit,
) -> Result<(usize, usize), JumpError> {
    let columns = graph.terrain().shape()[1];
    let is_reached = |cell| audit.is_reached(graph.terrain(), cell);
    let agree = sample.par_iter().map(|&i| {
        let moves = graph.moves([i / columns, i % columns]);
        moves.iter().try_fold(true, |agree, step| {
            let gets = graph.exists(step.from, step.to, SearchOver::Index(index))?.exists;
            let reached = !is_reached(step.from) || is_reached(step.to);
            Ok(agree && gets && reached)
        })
    });
    let agree: Vec<bool> = agree.collect::<Result<_, JumpError>>()?;
    let answer = (audit.region_count(), audit.unreached_cells());
    Ok(if agree.into_iter().all(|agree| agree) { answer } else { (0, 0) })
}

/// Components and cells that `start` does not reach, with every edge of the graph.
fn all_pairs(graph: &JumpGraph, start: [usize; 2]) -> (usize, usize) {
    let [rows, columns] = graph.terrain().shape();
    let n = rows * columns;
    let edges: Vec<Vec<u32>> = (0..n)
        .into_par_iter()
        .map(|i| {
            let mut targets = Vec::new();
            graph.for_each_move([i / columns, i % columns], |step| {
                targets.push((step.to[0] * columns + step.to[1]) as u32);
            });
            targets
        })
        .collect();
    let stands = |i: usize| graph.can_stand([i / columns, i % columns]);
    let components = tarjan(&edges, stands);
    let mut seen = vec![false; n];
    let mut open = vec![start[0] * columns + start[1]];
    seen[open[0]] = true;
    while let Some(i) = open.pop() {
        for &j in &edges[i] {
            if !std::mem::replace(&mut seen[j as usize], true) {
                open.push(j as usize);
            }
        }
    }
    (components, (0..n).filter(|&i| stands(i) && !seen[i]).count())
}

/// How many strongly connected components the nodes that count have, by Tarjan's algorithm.
fn tarjan(edges: &[Vec<u32>], counts: impl Fn(usize) -> bool) -> usize {
    const NEW: u32 = u32::MAX;
    let n = edges.len();
    let (mut order, mut low, mut done) = (vec![NEW; n], vec![NEW; n], vec![false; n]);
    let (mut open, mut way) = (Vec::new(), Vec::new());
    let (mut next, mut components) = (0, 0);
    for root in (0..n).filter(|&i| counts(i)) {
        if order[root] != NEW {
            continue;
        }
        way.push((root, 0));
        while let Some((i, at)) = way.pop() {
            if at == 0 {
                (order[i], low[i]) = (next, next);
                next += 1;
                open.push(i);
            } else {
                // Back from the successor before.
                let j = edges[i][at - 1] as usize;
                if !done[j] {
                    low[i] = low[i].min(low[j]);
                }
            }
            if let Some(&j) = edges[i].get(at) {
                way.push((i, at + 1));
                if order[j as usize] == NEW {
                    way.push((j as usize, 0));
                }
                continue;
            }
            if low[i] == order[i] {
                components += 1;
                while let Some(j) = open.pop() {
                    done[j] = true;
                    if j == i {
                        break;
                    }
                }
            }
        }
    }
    components
}
