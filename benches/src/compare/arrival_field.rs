//! `arrival-field`: for every cell of a map, how far it is to a source and which way to go.

mod deep;
mod fast_marching;
mod libraries;

use crate::error::CompareError;
use crate::grid::Grid;
use crate::measure::{Race, Times, interleave};
use crate::pursuit::fields::{Bfs, Buckets, CONDOR, Condor, Dijkstra, Field};
use crate::pursuit::lattice::Cell;
use crate::pursuit::scene::Arena;
use crate::region;
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use fast_marching::FastMarching;
use libraries::{Eikonal, Pathfinding, Petgraph};
use ndarray::{Array2, Ix2, NdIndex};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_harness::maps::MapFile;
use wave_core::{ArrivalField, Front, Medium, Space, WaveError};

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
enum Waves<D: Space> {
    Field(Box<ArrivalField<D>>),
    Front(Box<Front<D>>),
}

/// A field or a front of ours.
struct Ours<'a, D: Space> {
    medium: &'a Medium<D>,
    /// The medium's name of a cell.
    name: &'a (dyn Fn(Cell) -> D::Cell + Sync),
    waves: Waves<D>,
    /// The threads that it may use.
    pool: &'a ThreadPool,
    failed: Option<WaveError>,
}

impl<D: Space> Ours<'_, D> {
    fn try_fill(&mut self, source: Cell) -> Result<(), WaveError> {
        let source = [(self.name)(source)];
        match &mut self.waves {
            Waves::Field(field) => field.solve(self.medium, &source),
            Waves::Front(front) => {
                front.emit(self.medium, &source)?;
                front.run(self.medium).map(|_| ())
            }
        }
    }
}

impl<D: Space<Cell: NdIndex<D>>> Distances for Ours<'_, D> {
    fn fill(&mut self, source: Cell) {
        let pool = self.pool;
        self.failed = pool.install(|| self.try_fill(source)).err();
    }
    fn length(&self, cell: Cell) -> f64 {
        let cell = (self.name)(cell);
        let steps = match &self.waves {
            _ if self.failed.is_some() => f64::NAN,
            Waves::Field(field) => f64::from(field.times()[cell]),
            Waves::Front(front) => front.arrival(cell).unwrap_or(f64::INFINITY),
        };
        steps * self.medium.dt()
    }
}

type Contestant<'a> = (&'static str, Box<dyn Distances + 'a>);

/// A field by all threads and by one, and a front by one.
fn ours<'a, D: Space<Cell: NdIndex<D>>>(
    medium: &'a Medium<D>,
    name: &'a (dyn Fn(Cell) -> D::Cell + Sync),
    [all, one]: &'a [ThreadPool; 2],
) -> [Contestant<'a>; 3] {
    let ours = |pool, waves| Box::new(Ours { medium, name, waves, pool, failed: None });
    let field = || Waves::Field(Box::new(ArrivalField::new(medium)));
    let front = Waves::Front(Box::new(Front::new(medium)));
    [
        ("ours", ours(all, field())),
        ("ours-1-thread", ours(one, field())),
        ("ours-front", ours(one, front)),
    ]
}

/// Pools of so many threads, and of one.
fn pools(threads: usize) -> Result<[ThreadPool; 2], CompareError> {
    let pool = |n| ThreadPoolBuilder::new().num_threads(n).build();
    Ok([pool(threads)?, pool(1)?])
}

/// A map of two or three axes in a plain array, with a frame of walls around it.
struct Course<'a> {
    open: &'a [bool],
    /// How far a cell is from those beside it along each axis.
    strides: &'a [usize],
    /// The cells that are compared.
    cells: &'a [Cell],
    source: Cell,
    /// The shortest and longest that a contestant's length may be beside Dijkstra's.
    limits: fn(&str) -> (f64, f64),
}

impl Course<'_> {
    /// `[x, y]` or `[x, y, z]`.
    fn place(&self, cell: Cell) -> Vec<usize> {
        let ends = self.strides[1..].iter().copied().chain([usize::MAX]);
        self.strides.iter().zip(ends).map(|(stride, end)| cell % end / stride - 1).collect()
    }

    fn race(
        &self,
        mut contestants: Vec<Contestant<'_>>,
        runs: usize,
    ) -> Result<Vec<(&'static str, Times)>, CompareError> {
        let names: Vec<&'static str> = contestants.iter().map(|(name, _)| *name).collect();
        let mut expected = Vec::new();
        if let Some((_, dijkstra)) = contestants.iter_mut().find(|(name, _)| *name == DIJKSTRA) {
            dijkstra.fill(self.source);
            expected.extend((0..self.open.len()).map(|cell| dijkstra.length(cell)));
        }
        let times = interleave(&mut Fields { course: self, contestants, expected }, &names, runs)?;
        Ok(names.into_iter().zip(times).collect())
    }
}

struct Fields<'a> {
    course: &'a Course<'a>,
    contestants: Vec<Contestant<'a>>,
    /// The result of Dijkstra's first run.
    expected: Vec<f64>,
}

impl Race for Fields<'_> {
    fn prepare(&mut self, _: usize) -> Result<(), CompareError> {
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        self.contestants[who].1.fill(self.course.source);
        Ok(())
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let (one, field) = &self.contestants[who];
        let (low, high) = (self.course.limits)(one);
        for &cell in self.course.cells {
            let (found, expected) = (field.length(cell), self.expected[cell]);
            let near = expected < 20.0 && found.is_finite();
            let ratio = found / expected;
            if !(near || (low..=high).contains(&ratio)) {
                let how = format!("{found} and {expected} at {:?}", self.course.place(cell));
                return Err(CompareError::Mismatch { one, other: DIJKSTRA, how });
            }
        }
        if one.starts_with("ours") { self.goes_home(one, &**field) } else { Ok(()) }
    }
}

impl Fields<'_> {
    /// Every cell but the source has a neighbour with an earlier time.
    fn goes_home(&self, one: &'static str, field: &dyn Distances) -> Result<(), CompareError> {
        let Course { open, strides, cells, source, .. } = *self.course;
        for &cell in cells.iter().filter(|&&cell| cell != source) {
            let mut around = strides.iter().flat_map(|stride| [cell - stride, cell + stride]);
            if !around.any(|c| open[c] && field.length(c) < field.length(cell)) {
                let how = format!("no way goes down from {:?}", self.course.place(cell));
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
        let rows = rows.into_iter().map(|(contestant, times)| {
            let version = match contestant {
                "pathfinding" => libraries::PATHFINDING,
                "petgraph" => libraries::PETGRAPH,
                "eikonal" => libraries::EIKONAL,
                "condor" => CONDOR,
                _ => VERSION,
            };
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

/// Names and times of all contestants, and how many cells they reach.
type Timed = (Vec<(&'static str, Times)>, usize);

/// All contestants on a flat map.
fn flat(map: &MapFile, threads: usize, runs: usize) -> Result<Timed, CompareError> {
    let arena = &Arena::new(map).map_err(CompareError::Map)?;
    let lattice = &arena.lattice;
    let [width, height] = [lattice.stride - 2, lattice.open.len() / lattice.stride - 2];
    let walls =
        Array2::from_shape_fn([height, width], |(y, x)| !lattice.open[lattice.cell_at(x, y)]);
    let medium = Medium::<Ix2>::builder([height, width]).walls(&walls).build()?;
    let name = |cell: Cell| {
        let [x, y] = lattice.xy(cell);
        [y, x]
    };
    let middle = [width as f64 / 2.0, height as f64 / 2.0];
    let off = |cell: Cell| {
        let [x, y] = lattice.centre(cell);
        (x - middle[0]).hypot(y - middle[1])
    };
    let nearest = arena.cells.iter().copied().min_by(|&a, &b| off(a).total_cmp(&off(b)));
    let course = Course {
        open: &lattice.open,
        strides: &[1, lattice.stride],
        cells: &arena.cells,
        source: nearest.unwrap_or(0),
        limits: |contestant| match contestant {
            // Every cell one hop at least, and sqrt 2 at most.
            "bfs" => (0.7, 1.001),
            // A diagonal step is two of its own.
            "condor" => (0.999, 1.415),
            // Dijkstra goes two cells round a corner where sqrt 2 would do.
            "ours" | "ours-1-thread" | "ours-front" | "fast-marching" | "eikonal" => (0.7, 1.6),
            // Sums of thousands of steps in `f32`.
            _ => (0.999_9, 1.000_1),
        },
    };
    let pools = pools(threads)?;
    let mut contestants = Vec::from(ours(&medium, &name, &pools));
    contestants.extend::<[Contestant<'_>; 8]>([
        ("bfs", Box::new(Bfs::new(lattice))),
        (DIJKSTRA, Box::new(Dijkstra::new(lattice))),
        ("dijkstra-buckets", Box::new(Buckets::new(lattice))),
        ("fast-marching", Box::new(FastMarching::new(lattice))),
        ("pathfinding", Box::new(Pathfinding::new(lattice))),
        ("petgraph", Box::new(Petgraph::new(lattice))),
        ("eikonal", Box::new(Eikonal::new(lattice, &walls))),
        ("condor", Box::new(Condor::new(lattice))),
    ]);
    Ok((course.race(contestants, runs)?, arena.cells.len()))
}
