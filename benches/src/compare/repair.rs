//! `repair`: a field after doors close and open.

use crate::error::CompareError;
use crate::grid::Grid;
use crate::measure::{Race, Times, interleave};
use crate::region::{self, DOOR, NO_CELL, Region};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use glam::{Vec2, Vec3};
use ndarray::{Array, Ix2, Ix3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use sim_harness::maps::MapFile;
use wave_core::{ArrivalField, Medium, Space};

/// A solved field brought up to date after an edit
///
/// A door of four cells in a row, along a random axis at a random place of the largest region,
/// closes and opens again, and so on; the source is the cell of the region that is nearest to the
/// middle of the map.
///
/// ours: the field is repaired. solve: another field of the same medium is solved again, which
/// reads the edits alone, too. After every edit the bits of both are found to be equal, times and
/// directions.
///
/// `changed_p50` and `changed_p99` are the shares of the region's cells whose time is another one
/// after an edit: no way of working out exact fields writes less.
#[derive(Debug, Parser)]
#[command(name = "repair")]
pub(crate) struct RepairSubject {
    /// A MovingAI .map or .3dmap
    #[arg(long, value_name = "FILE", value_parser = region::read, required_unless_present = "grid")]
    map: Option<MapFile>,
    /// `XxY` or `XxYxZ` cells, every tenth at random a wall
    #[arg(long, value_name = "SIZE", conflicts_with = "map")]
    grid: Option<Grid>,
    /// Doors: each closes and opens, and either is timed
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    edits: u32,
}

/// The contestants, by number.
const NAMES: [&str; 2] = ["ours", "solve"];
const OURS: usize = 0;

/// A space whose directions have bits.
trait Bits: Space {
    fn bits(direction: &Self::Direction) -> [u32; 3];
}

impl Bits for Ix2 {
    fn bits(direction: &Vec2) -> [u32; 3] {
        direction.extend(0.0).to_array().map(f32::to_bits)
    }
}

impl Bits for Ix3 {
    fn bits(direction: &Vec3) -> [u32; 3] {
        direction.to_array().map(f32::to_bits)
    }
}

struct Doors<D: Space> {
    medium: Medium<D>,
    source: [usize; 3],
    region: Region,
    axes: usize,
    rng: ChaCha8Rng,
    /// The one that is closed.
    door: Option<[[usize; 3]; DOOR]>,
    fields: [ArrivalField<D>; 2],
    /// Times before the last edit.
    before: Vec<f32>,
    /// Shares of cells that have changed.
    changed: Vec<f64>,
}

impl<D: Bits> Doors<D> {
    fn new(map: &MapFile) -> Result<Self, CompareError> {
        let region = Region::largest(map).ok_or(CompareError::Map(NO_CELL))?;
        let middle = map.shape().map(|n| n as f64 / 2.0);
        let off = |cell: &[usize; 3]| -> f64 {
            cell.iter().zip(middle).map(|(&at, middle)| (at as f64 - middle).powi(2)).sum()
        };
        let nearest = region.cells.iter().copied().min_by(|a, b| off(a).total_cmp(&off(b)));
        let source = nearest.ok_or(CompareError::Map(NO_CELL))?;
        let shape = D::from_zyx(map.shape());
        let mut cells = map.walls(region.class).into_iter();
        let walls =
            Array::from_shape_simple_fn(D::shape(shape), || cells.next().is_none_or(|wall| wall));
        let medium = Medium::<D>::builder(shape).walls(&walls).build()?;
        let field = ArrivalField::from_sources(&medium, &[D::from_zyx(source)])?;
        Ok(Self {
            medium,
            source,
            region,
            axes: map.dimensions(),
            rng: ChaCha8Rng::seed_from_u64(1),
            door: None,
            before: field.times().iter().copied().collect(),
            fields: [field.clone(), field],
            changed: Vec::new(),
        })
    }

    /// A door that is open: cells of the region, none of them the source.
    fn any_door(&mut self) -> Result<[[usize; 3]; DOOR], CompareError> {
        let Self { medium, source, region: Region { cells, .. }, axes, rng, .. } = self;
        let draw = || {
            let first = cells[rng.random_range(0..cells.len())];
            (first, 3 - *axes + rng.random_range(0..*axes))
        };
        // An open cell beside a cell of the region is in the region.
        region::any_door(draw, |cell| !medium.is_wall(D::from_zyx(cell)) && cell != *source)
    }

    fn edit(&mut self) -> Result<(), CompareError> {
        let closed = self.door.take();
        let door = closed.map_or_else(|| self.any_door(), Ok)?;
        let is_wall = closed.is_none();
        self.medium.set_walls(&door.map(|cell| (D::from_zyx(cell), is_wall)))?;
        self.door = is_wall.then_some(door);
        Ok(())
    }
}

impl<D: Bits> Race for Doors<D> {
    fn prepare(&mut self, who: usize) -> Result<(), CompareError> {
        if who == OURS { self.edit() } else { Ok(()) }
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        let Self { medium, source, fields, .. } = self;
        let field = &mut fields[who];
        if who == OURS {
            field.repair(medium)?;
        } else {
            field.solve(medium, &[D::from_zyx(*source)])?;
        }
        Ok(())
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        if who == OURS {
            return Ok(());
        }
        let [ours, solved] = &self.fields;
        let mut times = ours.times().iter().zip(solved.times());
        let mut ways = ours.directions().iter().zip(solved.directions());
        if !times.all(|(a, b)| a.to_bits() == b.to_bits())
            || !ways.all(|(a, b)| D::bits(a) == D::bits(b))
        {
            let how = format!("after {} edits", self.changed.len() + 1);
            return Err(CompareError::Mismatch { one: NAMES[OURS], other: NAMES[1], how });
        }
        let mut changed = 0;
        for (before, &now) in self.before.iter_mut().zip(solved.times()) {
            changed += usize::from(std::mem::replace(before, now) != now);
        }
        self.changed.push(changed as f64 / self.region.cells.len() as f64);
        Ok(())
    }
}

impl Subject for RepairSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let map = match (self.map, self.grid) {
            (Some(map), _) => map,
            (None, Some(grid)) => grid.random(),
            (None, None) => return Err(CompareError::Map("there is neither a map nor a grid")),
        };
        let (threads, runs) = (options.threads(), 2 * self.edits as usize);
        let (times, changed, cells) = match map.dimensions() {
            2 => race::<Ix2>(&map, threads, runs)?,
            _ => race::<Ix3>(&map, threads, runs)?,
        };
        let rows = NAMES.into_iter().zip(times).map(|(contestant, times)| {
            let extra = vec![
                ("p50_ms", times.percentile(50).into()),
                ("p99_ms", times.percentile(99).into()),
                ("cells", cells.into()),
                ("changed_p50", changed.percentile(50).into()),
                ("changed_p99", changed.percentile(99).into()),
            ];
            Row { contestant, version: env!("CARGO_PKG_VERSION"), times, extra }
        });
        Ok(Report {
            subject: "repair",
            case: format!("{} {} doors", map.name(), self.edits),
            baseline: NAMES[1],
            rows: rows.collect(),
        })
    }
}

/// Times of both, shares of cells that have changed, and the cells of the region.
fn race<D: Bits>(
    map: &MapFile,
    threads: usize,
    runs: usize,
) -> Result<(Vec<Times>, Times, usize), CompareError> {
    let mut doors = Doors::<D>::new(map)?;
    // Waking a thread of the pool takes as long as a small repair.
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let times = pool.install(|| interleave(&mut doors, &NAMES, runs))?;
    Ok((times, Times::new(doors.changed.split_off(1)), doors.region.cells.len()))
}
