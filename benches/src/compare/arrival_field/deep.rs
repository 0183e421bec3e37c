//! The contestants on maps of three axes.

use super::{Contestant, Course, DIJKSTRA, Distances, Timed, ours, pools};
use crate::error::CompareError;
use crate::pursuit::lattice::Cell;
use crate::queue::Queue;
use crate::region::{NO_CELL, Region};
use ndarray::Ix3;
use sim_harness::maps::MapFile;
use std::collections::VecDeque;
use wave_core::Medium;

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

/// Steps to the six cells beside, breadth first.
struct Bfs<'a>(&'a Room, Vec<u32>, VecDeque<u32>);

impl Distances for Bfs<'_> {
    fn fill(&mut self, source: Cell) {
        let Self(room, steps, queue) = self;
        steps.fill(u32::MAX);
        steps[source] = 0;
        queue.push_back(source as u32);
        while let Some(cell) = queue.pop_front() {
            let next = steps[cell as usize] + 1;
            for there in room.beside(cell as usize) {
                if room.open[there] && steps[there] == u32::MAX {
                    steps[there] = next;
                    queue.push_back(there as u32);
                }
            }
        }
    }
    fn length(&self, cell: Cell) -> f64 {
        let steps = self.1[cell];
        if steps == u32::MAX { f64::INFINITY } else { f64::from(steps) }
    }
}

/// Lengths over all 26 neighbours by a binary heap; a step needs all cells open that it touches.
struct Dijkstra<'a>(&'a Room, Vec<f32>, Queue);

impl Dijkstra<'_> {
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

impl Distances for Dijkstra<'_> {
    fn fill(&mut self, source: Cell) {
        let Self(room, lengths, heap) = self;
        let [row, plane] = room.strides;
        let step = [0.0, 1.0, 2_f32.sqrt(), 3_f32.sqrt()];
        lengths.fill(f32::INFINITY);
        lengths[source] = 0.0;
        heap.push(0.0, source);
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
    }
    fn length(&self, cell: Cell) -> f64 {
        f64::from(self.1[cell])
    }
}

/// The eikonal equation |grad T| = 1, first order, six neighbours, by a binary heap.
struct FastMarching<'a> {
    room: &'a Room,
    times: Vec<f32>,
    /// The times of accepted cells; others count as infinite.
    accepted: Vec<f32>,
    heap: Queue,
}

impl FastMarching<'_> {
    /// The time that the accepted neighbours of a cell give it.
    fn solve(&self, cell: Cell) -> f32 {
        let [w, e, n, s, d, u] = self.room.beside(cell).map(|c| self.accepted[c]);
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

impl Distances for FastMarching<'_> {
    fn fill(&mut self, source: Cell) {
        self.times.fill(f32::INFINITY);
        self.accepted.fill(f32::INFINITY);
        self.times[source] = 0.0;
        self.heap.push(0.0, source);
        while let Some((time, cell)) = self.heap.pop() {
            if time > self.times[cell] {
                continue;
            }
            self.accepted[cell] = time;
            for there in self.room.beside(cell) {
                if self.room.open[there] && self.accepted[there].is_infinite() {
                    let time = self.solve(there);
                    if time < self.times[there] {
                        self.times[there] = time;
                        self.heap.push(time, there);
                    }
                }
            }
        }
    }
    fn length(&self, cell: Cell) -> f64 {
        f64::from(self.times[cell])
    }
}

/// All contestants on a map of three axes.
pub(super) fn run(map: &MapFile, threads: usize, runs: usize) -> Result<Timed, CompareError> {
    let (room, medium) = Room::new(map)?;
    let [row, plane] = room.strides;
    let course = Course {
        open: &room.open,
        strides: &[1, row, plane],
        cells: &room.cells,
        source: room.source,
        limits: |contestant| match contestant {
            // A step over three axes is three of its own.
            "bfs" => (0.999, 1.733),
            DIJKSTRA => (0.999_99, 1.000_01),
            // Dijkstra goes round corners where a straight way would do, and the reverse.
            _ => (0.7, 1.6),
        },
    };
    let (pools, name) = (pools(threads)?, |cell| room.zyx(cell));
    let unseen = vec![f32::INFINITY; room.open.len()];
    let (room, times, accepted) = (&room, unseen.clone(), unseen.clone());
    let mut contestants = Vec::from(ours(&medium, &name, &pools));
    contestants.extend::<[Contestant<'_>; 3]>([
        ("bfs", Box::new(Bfs(room, vec![u32::MAX; room.open.len()], VecDeque::new()))),
        (DIJKSTRA, Box::new(Dijkstra(room, unseen, Queue::default()))),
        ("fast-marching", Box::new(FastMarching { room, times, accepted, heap: Queue::default() })),
    ]);
    Ok((course.race(contestants, runs)?, room.cells.len()))
}
