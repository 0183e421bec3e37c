//! `arrival-field`: for every cell of a map, how far it is to a source and which way to go.

mod deep;
mod fast_marching;
mod libraries;

use crate::error::CompareError;
use crate::grid::Grid;
use crate::measure::{Race, Times, interleave};
use crate::pursuit::fields::{Bfs, Buckets, CONDOR, Condor, Dijkstra, Field};
use crate::pursuit::lattice::{Cell, Lattice};
use crate::pursuit::scene::Arena;
use crate::region;
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use fast_marching::FastMarching;
use libraries::{Eikonal, Pathfinding, Petgraph};
use ndarray::{Array2, Ix2};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_harness::maps::MapFile;
use wave_core::{ArrivalField, Front, Medium, WaveError};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const DIJKSTRA: &str = "dijkstra";

/// Distance and direction from every cell to one source
///
/// ours: the field of short waves, and a direction for every cell written out, by the worker
/// threads. Two share in the writing from 65,536 cells on, and in the rest from 2^21 open cells on;
/// on three axes from 2^20 cells on, from 2^18 where walls are few and from 2^22 where they are
/// many. ours-1-thread: the same by one. ours-front: times of the same from a front, which is run
/// from the source to its end, by one.
///
/// bfs, dijkstra, dijkstra-buckets: plain arrays, eight directions, no corners cut; by hops, by
/// length with a binary heap, by length with buckets. fast-marching: the eikonal equation on the
/// four neighbours with a binary heap, the any-angle rival. pathfinding: `dijkstra_all`. petgraph:
/// `dijkstra`, the graph being built beforehand and not timed. eikonal: that crate's fast marching.
/// condor: that library's flow field, four directions, by hops.
///
/// The source is the cell of the map's largest region that is nearest to its middle. Checked after
/// every run: the same cells are reached; the four Dijkstra fields have the same lengths; arrivals
/// and fast marching differ from them by no more than the metrics do; and going down our times,
/// from every reached cell, ends at the source.
///
/// On three axes bfs has six directions, dijkstra all 26, fast-marching six neighbours.
#[derive(Debug, Parser)]
#[command(name = "arrival-field")]
pub(crate) struct ArrivalFieldSubject {
    /// A MovingAI .map or .3dmap
    #[arg(long, value_name = "FILE", value_parser = region::read, required_unless_present = "grid")]
    map: Option<MapFile>,
    /// `XxY` or `XxYxZ` cells, every tenth at random a wall
    #[arg(long, value_name = "SIZE", conflicts_with = "map")]
    grid: Option<Grid>,
}

/// Contestants that give a length, or something like it, for every cell.
pub(crate) trait Distances {
    /// Computes all of them.
    fn fill(&mut self, source: Cell);
    /// The length to a cell, infinite where no way leads.
    fn length(&self, cell: Cell) -> f64;
}

impl<F: Field> Distances for F {
    fn fill(&mut self, source: Cell) {
        Field::fill(self, source);
    }
    fn length(&self, cell: Cell) -> f64 {
        Field::length(self, cell)
    }
}

/// When a wave of ours comes to every cell.
enum Waves {
    Field(Box<ArrivalField<Ix2>>),
    Front(Box<Front<Ix2>>),
}

/// A field or a front of ours.
struct Ours<'a> {
    medium: &'a Medium<Ix2>,
    lattice: &'a Lattice,
    waves: Waves,
    /// The threads that it may use.
    pool: &'a ThreadPool,
    failed: Option<WaveError>,
}

impl Ours<'_> {
    fn try_fill(&mut self, source: Cell) -> Result<(), WaveError> {
        let [x, y] = self.lattice.xy(source);
        match &mut self.waves {
            Waves::Field(field) => field.solve(self.medium, &[[y, x]]),
            Waves::Front(front) => {
                front.emit(self.medium, &[[y, x]])?;
                front.run(self.medium).map(|_| ())
            }
        }
    }
}

impl Distances for Ours<'_> {
    fn fill(&mut self, source: Cell) {
        self.failed = self.pool.install(|| self.try_fill(source)).err();
    }
    fn length(&self, cell: Cell) -> f64 {
        let [x, y] = self.lattice.xy(cell);
        let steps = match &self.waves {
            _ if self.failed.is_some() => f64::NAN,
            Waves::Field(field) => f64::from(field.times()[[y, x]]),
            Waves::Front(front) => front.arrival([y, x]).unwrap_or(f64::INFINITY),
        };
        steps * self.medium.dt()
    }
}

struct Fields<'a> {
    arena: &'a Arena,
    source: Cell,
    contestants: Vec<(&'static str, Box<dyn Distances + 'a>)>,
    /// The result of Dijkstra's last run.
    expected: Vec<f64>,
}

impl Race for Fields<'_> {
    fn prepare(&mut self, _: usize) -> Result<(), CompareError> {
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        self.contestants[who].1.fill(self.source);
        Ok(())
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let (one, field) = &self.contestants[who];
        let differ = |how: String| Err(CompareError::Mismatch { one, other: DIJKSTRA, how });
        // Shortest and longest that a length may be beside the one over eight directions.
        let (low, high) = match *one {
            // Every cell one hop at least, and sqrt 2 at most.
            "bfs" => (0.7, 1.001),
            // A diagonal step is two of its own.
            "condor" => (0.999, 1.415),
            // Dijkstra goes two cells round a corner where sqrt 2 would do.
            "ours" | "ours-1-thread" | "ours-front" | "fast-marching" | "eikonal" => (0.7, 1.6),
            // Sums of thousands of steps in `f32`.
            _ => (0.999_9, 1.000_1),
        };
        for &cell in &self.arena.cells {
            let (found, expected) = (field.length(cell), self.expected[cell]);
            let near = expected < 20.0 && found.is_finite();
            let ratio = found / expected;
            if !(near || (low..=high).contains(&ratio)) {
                return differ(format!(
                    "{found} and {expected} at {:?}",
                    self.arena.lattice.xy(cell)
                ));
            }
        }
        if one.starts_with("ours") { self.goes_home(one, &**field) } else { Ok(()) }
    }
}

impl Fields<'_> {
    /// Every cell but the source has a neighbour with an earlier time.
    fn goes_home(&self, one: &'static str, field: &dyn Distances) -> Result<(), CompareError> {
        let stride = self.arena.lattice.stride;
        for &cell in self.arena.cells.iter().filter(|&&cell| cell != self.source) {
            let around = [cell - 1, cell + 1, cell - stride, cell + stride];
            let open = around.into_iter().filter(|&c| self.arena.lattice.open[c]);
            if !open.into_iter().any(|c| field.length(c) < field.length(cell)) {
                let how = format!("no way goes down from {:?}", self.arena.lattice.xy(cell));
                return Err(CompareError::Mismatch { one, other: "the way home", how });
            }
        }
        Ok(())
    }
}

impl Subject for ArrivalFieldSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let runs = usize::from(options.runs);
        let map = match (self.map, self.grid) {
            (Some(map), _) => map,
            (None, Some(grid)) => grid.random(),
            (None, None) => return Err(CompareError::Map("there is neither a map nor a grid")),
        };
        let (rows, cells) = match map.dimensions() {
            2 => flat(&map, options.threads(), runs)?,
            _ => deep::run(&map, options.threads(), runs)?,
        };
        let rows = rows.into_iter().map(|(contestant, version, times)| {
            let each = times.median() * 1e6 / cells as f64;
            let extra = vec![("cells", cells.into()), ("ns_per_cell", each.into())];
            Row { contestant, version, times, extra }
        });
        Ok(Report {
            subject: "arrival-field",
            case: map.name().to_owned(),
            baseline: DIJKSTRA,
            rows: rows.collect(),
        })
    }
}

/// Names, versions and times of all contestants, and how many cells they reach.
type Timed = (Vec<(&'static str, &'static str, Times)>, usize);

/// All contestants on a flat map.
fn flat(map: &MapFile, threads: usize, runs: usize) -> Result<Timed, CompareError> {
    let arena = &Arena::new(map).map_err(CompareError::Map)?;
    let lattice = &arena.lattice;
    let [width, height] = [lattice.stride - 2, lattice.open.len() / lattice.stride - 2];
    let walls =
        Array2::from_shape_fn([height, width], |(y, x)| !lattice.open[lattice.cell_at(x, y)]);
    let medium = Medium::<Ix2>::builder([height, width]).walls(&walls).build()?;
    let [all, one] = [threads, 1].map(|n| ThreadPoolBuilder::new().num_threads(n).build());
    let (all, one) = (&all?, &one?);
    let ours = |pool, waves: Waves| -> Box<dyn Distances> {
        Box::new(Ours { medium: &medium, lattice, waves, pool, failed: None })
    };
    let field = |pool| ours(pool, Waves::Field(Box::new(ArrivalField::new(&medium))));
    let middle = [width as f64 / 2.0, height as f64 / 2.0];
    let off = |cell: Cell| {
        let [x, y] = lattice.centre(cell);
        (x - middle[0]).hypot(y - middle[1])
    };
    let nearest = arena.cells.iter().copied().min_by(|&a, &b| off(a).total_cmp(&off(b)));
    let source = nearest.unwrap_or(0);
    let mut dijkstra = Dijkstra::new(lattice);
    Field::fill(&mut dijkstra, source);
    let expected = (0..lattice.open.len()).map(|c| Field::length(&dijkstra, c)).collect();
    let contestants: Vec<(&'static str, Box<dyn Distances>)> = vec![
        ("ours", field(all)),
        ("ours-1-thread", field(one)),
        ("ours-front", ours(one, Waves::Front(Box::new(Front::new(&medium))))),
        ("bfs", Box::new(Bfs::new(lattice))),
        (DIJKSTRA, Box::new(dijkstra)),
        ("dijkstra-buckets", Box::new(Buckets::new(lattice))),
        ("fast-marching", Box::new(FastMarching::new(lattice))),
        ("pathfinding", Box::new(Pathfinding::new(lattice))),
        ("petgraph", Box::new(Petgraph::new(lattice))),
        ("eikonal", Box::new(Eikonal::new(lattice, &walls))),
        ("condor", Box::new(Condor::new(lattice))),
    ];
    let names: Vec<&'static str> = contestants.iter().map(|(name, _)| *name).collect();
    let times = interleave(&mut Fields { arena, source, contestants, expected }, &names, runs)?;
    let version = |contestant| match contestant {
        "pathfinding" => libraries::PATHFINDING,
        "petgraph" => libraries::PETGRAPH,
        "eikonal" => libraries::EIKONAL,
        "condor" => CONDOR,
        _ => VERSION,
    };
    let rows = names.into_iter().zip(times).map(|(name, times)| (name, version(name), times));
    Ok((rows.collect(), arena.cells.len()))
}
