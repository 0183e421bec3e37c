//! The contestants on maps of three axes.

use super::{DIJKSTRA, Timed, VERSION};
use crate::error::CompareError;
use crate::measure::{Race, interleave};
use crate::queue::Queue;
use crate::region::{NO_CELL, Region};
use ndarray::Ix3;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_harness::maps::MapFile;
use std::collections::VecDeque;
use wave_core::{ArrivalField, Front, Medium, WaveError};

/// Open cells of three axes in a plain array, with a frame of walls around it.
#[derive(Clone, Debug)]
struct Room {
    /// Cells from a row to the next, and from a plane to the next.
    strides: [usize; 2],
    open: Vec<bool>,
    /// The largest region.
    cells: Vec<usize>,
    /// Its cell nearest to the middle of the map.
    source: usize,
}

impl Room {
    fn cell([row, plane]: [usize; 2], [z, y, x]: [usize; 3]) -> usize {
        (z + 1) * plane + (y + 1) * row + x + 1
    }

    fn zyx(&self, cell: usize) -> [usize; 3] {
        let [row, plane] = self.strides;
        [cell / plane - 1, cell % plane / row - 1, cell % row - 1]
    }

    /// The room, and the medium of the same walls.
    fn new(map: &MapFile) -> Result<(Self, Medium<Ix3>), CompareError> {
        let Region { class, cells } = Region::largest(map).ok_or(CompareError::Map(NO_CELL))?;
        let [depth, height, width] = map.shape();
        let middle = [depth, height, width].map(|n| n as f64 / 2.0);
        let off = |cell: &[usize; 3]| -> f64 {
            cell.iter().zip(middle).map(|(&at, middle)| (at as f64 - middle).powi(2)).sum()
        };
        let nearest = cells.iter().copied().min_by(|a, b| off(a).total_cmp(&off(b)));
        let source = nearest.ok_or(CompareError::Map(NO_CELL))?;
        let walls = map.walls(class);
        let strides = [width + 2, (width + 2) * (height + 2)];
        let mut open = vec![false; strides[1] * (depth + 2)];
        for ((z, y, x), wall) in walls.indexed_iter() {
            open[Self::cell(strides, [z, y, x])] = !wall;
        }
        let cells = cells.into_iter().map(|cell| Self::cell(strides, cell)).collect();
        let medium = Medium::<Ix3>::builder(map.shape()).walls(&walls).build()?;
        Ok((Self { strides, open, cells, source: Self::cell(strides, source) }, medium))
    }

    /// The six cells beside a cell.
    fn beside(&self, cell: usize) -> [usize; 6] {
        let [row, plane] = self.strides;
        [cell - 1, cell + 1, cell - row, cell + row, cell - plane, cell + plane]
    }
}

/// A contestant: it works out a length for every cell.
trait Lengths: Send {
    fn fill(&mut self, room: &Room) -> Result<(), WaveError>;
    /// Infinite where no way leads.
    fn length(&self, room: &Room, cell: usize) -> f64;
}

struct Field<'a>(&'a Medium<Ix3>, ArrivalField<Ix3>, &'a ThreadPool);

impl Lengths for Field<'_> {
    fn fill(&mut self, room: &Room) -> Result<(), WaveError> {
        let Self(medium, field, pool) = self;
        pool.install(|| field.solve(medium, &[room.zyx(room.source)]))
    }
    fn length(&self, room: &Room, cell: usize) -> f64 {
        f64::from(self.1.times()[room.zyx(cell)]) * self.0.dt()
    }
}

struct OneFront<'a>(&'a Medium<Ix3>, Front<Ix3>);

impl Lengths for OneFront<'_> {
    fn fill(&mut self, room: &Room) -> Result<(), WaveError> {
        self.1.emit(self.0, &[room.zyx(room.source)])?;
        self.1.run(self.0).map(|_| ())
    }
    fn length(&self, room: &Room, cell: usize) -> f64 {
        self.1.arrival(room.zyx(cell)).map_or(f64::INFINITY, |steps| steps * self.0.dt())
    }
}

/// Steps to the six cells beside, breadth first.
struct Bfs(Vec<u32>, VecDeque<u32>);

impl Lengths for Bfs {
    fn fill(&mut self, room: &Room) -> Result<(), WaveError> {
        let Self(steps, queue) = self;
        steps.fill(u32::MAX);
        steps[room.source] = 0;
        queue.push_back(room.source as u32);
        while let Some(cell) = queue.pop_front() {
            let next = steps[cell as usize] + 1;
            for there in room.beside(cell as usize) {
                if room.open[there] && steps[there] == u32::MAX {
                    steps[there] = next;
                    queue.push_back(there as u32);
                }
            }
        }
        Ok(())
    }
    fn length(&self, _: &Room, cell: usize) -> f64 {
        let steps = self.0[cell];
        if steps == u32::MAX { f64::INFINITY } else { f64::from(steps) }
    }
}

/// Lengths over all 26 neighbours by a binary heap; a step needs all cells open that it touches.
struct Dijkstra(Vec<f32>, Queue);

impl Dijkstra {
    /// Whether each of the 27 cells around may be stepped to, `[z + 1][y + 1][x + 1]`.
    fn free(room: &Room, cell: usize) -> [[[bool; 3]; 3]; 3] {
        let [row, plane] = room.strides;
        let mut open = [[[false; 3]; 3]; 3];
        for (z, plane_of) in open.iter_mut().enumerate() {
            for (y, row_of) in plane_of.iter_mut().enumerate() {
                let first = cell + z * plane + y * row - plane - row - 1;
                row_of.copy_from_slice(&room.open[first..first + 3]);
            }
        }
        // The box between the middle and the cell.
        let span = |at: usize| at.min(1)..=at.max(1);
        std::array::from_fn(|z| {
            std::array::from_fn(|y| {
                std::array::from_fn(|x| {
                    span(z).all(|z| span(y).all(|y| span(x).all(|x| open[z][y][x])))
                })
            })
        })
    }
}

impl Lengths for Dijkstra {
    fn fill(&mut self, room: &Room) -> Result<(), WaveError> {
        let [row, plane] = room.strides;
        let step = [0.0, 1.0, 2_f32.sqrt(), 3_f32.sqrt()];
        let Self(lengths, heap) = self;
        lengths.fill(f32::INFINITY);
        lengths[room.source] = 0.0;
        heap.push(0.0, room.source);
        while let Some((length, cell)) = heap.pop() {
            if length > lengths[cell] {
                continue;
            }
            let free = Self::free(room, cell);
            for (z, y, x) in (0..27).map(|i| (i / 9, i / 3 % 3, i % 3)) {
                let there = cell + z * plane + y * row + x - plane - row - 1;
                let axes = [z, y, x].iter().filter(|&&at| at != 1).count();
                let further = length + step[axes];
                if free[z][y][x] && further < lengths[there] {
                    lengths[there] = further;
                    heap.push(further, there);
                }
            }
        }
        Ok(())
    }
    fn length(&self, _: &Room, cell: usize) -> f64 {
        f64::from(self.0[cell])
    }
}

/// The eikonal equation |grad T| = 1, first order, six neighbours, by a binary heap.
struct FastMarching {
    times: Vec<f32>,
    /// The times of accepted cells; others count as infinite.
    accepted: Vec<f32>,
    heap: Queue,
}

impl FastMarching {
    /// The time that the accepted neighbours of a cell give it.
    fn solve(&self, room: &Room, cell: usize) -> f32 {
        let [w, e, n, s, d, u] = room.beside(cell).map(|c| self.accepted[c]);
        let mut lead = [w.min(e), n.min(s), d.min(u)];
        lead.sort_unstable_by(f32::total_cmp);
        let mut time = lead[0] + 1.0;
        for axes in 2..=3 {
            if lead[axes - 1] >= time {
                break;
            }
            let n = axes as f32;
            let sum: f32 = lead[..axes].iter().sum();
            let squares: f32 = lead[..axes].iter().map(|t| t * t).sum();
            time = (sum + (sum * sum - n * (squares - 1.0)).max(0.0).sqrt()) / n;
        }
        time
    }
}

impl Lengths for FastMarching {
    fn fill(&mut self, room: &Room) -> Result<(), WaveError> {
        self.times.fill(f32::INFINITY);
        self.accepted.fill(f32::INFINITY);
        self.times[room.source] = 0.0;
        self.heap.push(0.0, room.source);
        while let Some((time, cell)) = self.heap.pop() {
            if time > self.times[cell] {
                continue;
            }
            self.accepted[cell] = time;
            for there in room.beside(cell) {
                if room.open[there] && self.accepted[there].is_infinite() {
                    let time = self.solve(room, there);
                    if time < self.times[there] {
                        self.times[there] = time;
                        self.heap.push(time, there);
                    }
                }
            }
        }
        Ok(())
    }
    fn length(&self, _: &Room, cell: usize) -> f64 {
        f64::from(self.times[cell])
    }
}

struct Fields<'a> {
    room: &'a Room,
    contestants: Vec<(&'static str, Box<dyn Lengths + 'a>)>,
    expected: Vec<f64>,
}

impl Race for Fields<'_> {
    fn prepare(&mut self, _: usize) -> Result<(), CompareError> {
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        Ok(self.contestants[who].1.fill(self.room)?)
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let Self { room, contestants, expected } = self;
        let (one, lengths) = &contestants[who];
        // Shortest and longest that a length may be beside the one over 26 directions.
        let (low, high) = match *one {
            // A step over three axes is three of its own.
            "bfs" => (0.999, 1.733),
            DIJKSTRA => (0.999_99, 1.000_01),
            // Dijkstra goes round corners where a straight way would do, and the reverse.
            _ => (0.7, 1.6),
        };
        for &cell in &room.cells {
            let (found, expected) = (lengths.length(room, cell), expected[cell]);
            let near = expected < 20.0 && found.is_finite();
            if !(near || (low..=high).contains(&(found / expected))) {
                let how = format!("{found} and {expected} at {:?}", room.zyx(cell));
                return Err(CompareError::Mismatch { one, other: DIJKSTRA, how });
            }
            let lower = |&there: &usize| {
                room.open[there] && lengths.length(room, there) < lengths.length(room, cell)
            };
            if one.starts_with("ours")
                && cell != room.source
                && !room.beside(cell).iter().any(lower)
            {
                let how = format!("no way goes down from {:?}", room.zyx(cell));
                return Err(CompareError::Mismatch { one, other: "the way home", how });
            }
        }
        Ok(())
    }
}

/// All contestants on a map of three axes.
pub(super) fn run(map: &MapFile, threads: usize, runs: usize) -> Result<Timed, CompareError> {
    let (room, medium) = Room::new(map)?;
    let [all, one] = [threads, 1].map(|n| ThreadPoolBuilder::new().num_threads(n).build());
    let (all, one) = (all?, one?);
    let field = |pool| Box::new(Field(&medium, ArrivalField::new(&medium), pool));
    let unseen = vec![f32::INFINITY; room.open.len()];
    let mut dijkstra = Dijkstra(unseen.clone(), Queue::default());
    dijkstra.fill(&room)?;
    let expected = dijkstra.0.iter().map(|&length| f64::from(length)).collect();
    let marching = FastMarching { times: unseen.clone(), accepted: unseen, heap: Queue::default() };
    let contestants: Vec<(&'static str, Box<dyn Lengths>)> = vec![
        ("ours", field(&all)),
        ("ours-1-thread", field(&one)),
        ("ours-front", Box::new(OneFront(&medium, Front::new(&medium)))),
        ("bfs", Box::new(Bfs(vec![u32::MAX; room.open.len()], VecDeque::new()))),
        (DIJKSTRA, Box::new(dijkstra)),
        ("fast-marching", Box::new(marching)),
    ];
    let names: Vec<&'static str> = contestants.iter().map(|(name, _)| *name).collect();
    let times = interleave(&mut Fields { room: &room, contestants, expected }, &names, runs)?;
    let rows = names.into_iter().zip(times).map(|(name, times)| (name, VERSION, times));
    Ok((rows.collect(), room.cells.len()))
}
