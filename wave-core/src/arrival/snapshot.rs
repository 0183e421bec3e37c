//! A front as plain data, and back, checked.

use super::front::Front;
use super::map_front::{Again, MapFront};
use super::march::{LATEST, SLOWEST, UNIT, UNREACHED, WALL, entry};
use super::toward::Toward;
use super::window::Window;
use crate::grid::{Follower, Layout, Space};
use serde::{Deserialize, Serialize};

/// A front. Cells are in the order of `[z][y][x]`, times are counted from the emission.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrontRecord {
    size: [usize; 3],
    /// Bits of what a unit of time is.
    unit: u64,
    time: i32,
    clock: u64,
    ended: bool,
    exhausted: bool,
    updates: u64,
    /// Edits of walls and of speeds that the front has seen.
    seen: [u64; 2],
    /// When the wave came or is about to come; -1 where neither, -2 in walls.
    times: Vec<i32>,
    /// The box of cells that it knows, from and to, and the box around the sources of the wave;
    /// cells beyond are left out. `None` if it knows all cells.
    #[serde(default)]
    window: Option<[[[usize; 3]; 2]; 2]>,
    /// For a wave toward a box: the box's first and last cell, until when, and whether the wave has
    /// left cells out. `None` for a wave that is for all cells.
    #[serde(default)]
    toward: Option<([[usize; 3]; 2], i32, bool)>,
    /// The time that every cell takes; empty where all take the same.
    slowness: Vec<i32>,
    /// The time that the longest link takes, 0 where there is none.
    #[serde(default)]
    longest: i32,
    /// A hash of the links, 0 without links.
    #[serde(default)]
    links: u64,
    /// The sources, and the numbers of the cells edited since the emission. With more than one for
    /// 128 cells, they are too many for a repair.
    #[serde(default)]
    sources: Vec<[usize; 3]>,
    #[serde(default)]
    edited: Vec<usize>,
    /// Whether a repair was done or tried.
    #[serde(default)]
    begins_at_0: bool,
}

impl From<MapFront> for FrontRecord {
    fn from(mut front: MapFront) -> Self {
        front.again.sort(front.size().iter().product());
        let layout = front.march.layout();
        let since = |i: usize| match front.march.times[i] {
            WALL => -2,
            time if time < front.later => time - front.start,
            _ => -1,
        };
        Self {
            size: front.size(),
            window: (!front.window.is_whole()).then(|| front.window.boxes()),
            unit: front.march.unit.to_bits(),
            time: front.time - front.start,
            clock: front.clock,
            ended: front.ended,
            exhausted: front.exhausted,
            updates: front.updates,
            seen: front.follower.seen(),
            times: layout.indices().map(since).collect(),
            slowness: front.march.every_slowness().collect(),
            longest: front.march.longest,
            links: front.march.links,
            edited: front.again.edited,
            sources: front.again.sources,
            begins_at_0: front.again.begins_at_0,
            toward: front.toward.map(|toward| (toward.to, toward.within, toward.left_out)),
        }
    }
}

impl TryFrom<FrontRecord> for MapFront {
    type Error = String;

    fn try_from(from: FrontRecord) -> Result<Self, String> {
        let FrontRecord { size, time, seen, ended, exhausted, updates, clock, .. } = from;
        if Layout::close(size).is_none() {
            return Err(format!("{size:?} cells"));
        }
        let window = match from.window {
            Some(boxes) => Window::of(size, boxes).ok_or(format!("a window of {boxes:?}"))?,
            None => Window::new(size).whole(),
        };
        // A window of a deep grid is never flat while a wave is on its way.
        if !ended && window.size()[0] == 1 && size[0] > 1 {
            return Err(format!("a window of {:?} cells of {size:?}", window.size()));
        }
        // Links may lead anywhere.
        if from.longest > 0 && !window.is_whole() {
            return Err(format!("a window of {:?} cells with links", window.size()));
        }
        let count = window.size().iter().product();
        let fits = |cells: &[i32]| cells.len() == count;
        if !fits(&from.times) {
            return Err(format!("{} times for {:?} cells", from.times.len(), window.size()));
        }
        if !from.slowness.is_empty() && !fits(&from.slowness) {
            return Err(format!("slowness of {} cells for {size:?}", from.slowness.len()));
        }
        let unit = f64::from_bits(from.unit);
        // The limits that the speeds of a medium can give.
        if !(1e-3..=16.0).contains(&unit) || !(0..=LATEST + SLOWEST).contains(&time) {
            return Err(format!("time {time} in units of {unit}"));
        }
        if exhausted && !ended || [updates, seen[0], seen[1]].iter().any(|count| count >> 60 > 0) {
            return Err(format!("{updates} updates, edits {seen:?}, exhausted: {exhausted}"));
        }
        let wrong = |each: &i32| !(UNIT..=SLOWEST).contains(each);
        if let Some(cell) = from.slowness.iter().position(wrong) {
            return Err(format!("slowness of cell {cell}: {}", from.slowness[cell]));
        }
        if !(0..=SLOWEST).contains(&from.longest) {
            return Err(format!("a link of length {}", from.longest));
        }
        let is_inside = |cell: &[usize; 3]| (0..3).all(|axis| cell[axis] < size[axis]);
        if let Some(cell) = from.sources.iter().find(|cell| !is_inside(cell)) {
            return Err(format!("a source in {cell:?}"));
        }
        let cells = size.iter().product();
        let (edits, most) = (from.edited.len(), Again::most(cells));
        if edits > most + 1 || from.edited.iter().any(|&cell| cell >= cells) {
            return Err(format!("{edits} edited cells, of {cells}"));
        }
        let toward = match from.toward {
            Some((to, within, left_out)) => {
                if !to.iter().all(is_inside) || within < 0 {
                    return Err(format!("a wave toward {to:?} within {within}"));
                }
                Some(Toward { left_out, ..Toward::new(to, within) })
            }
            None => None,
        };
        let mut front = Self::empty(window, Follower::of_snapshot(seen));
        front.toward = toward;
        (front.again.sources, front.again.edited) = (from.sources, from.edited);
        if edits > most || !front.is_ever_repaired() {
            front.again.give_up();
        }
        front.again.begins_at_0 = from.begins_at_0;
        if !from.slowness.is_empty() {
            front.march.set_slowness(from.slowness.iter().copied());
        }
        front.march.unit = unit;
        (front.march.longest, front.march.links) = (from.longest, from.links);
        (front.start, front.later, front.time) = (0, UNREACHED, time);
        (front.ended, front.exhausted) = (ended, exhausted);
        (front.clock, front.updates) = (clock, updates);
        let cells: Vec<usize> = front.march.layout().indices().collect();
        for (cell, (i, time)) in cells.into_iter().zip(from.times).enumerate() {
            front.march.times[i] = match time {
                -2 => WALL,
                -1 => UNREACHED,
                0.. if time <= LATEST + 16 * SLOWEST => time,
                _ => return Err(format!("time of cell {cell}: {time}")),
            };
            if time >= front.limit() {
                front.march.queue.seeds.push(entry(time, i));
            } else {
                front.reached_cells += usize::from(time >= 0);
            }
        }
        front.march.resume(front.time);
        if !front.ended {
            front.seek();
        }
        Ok(front)
    }
}

impl<D: Space> From<Front<D>> for MapFront {
    fn from(front: Front<D>) -> Self {
        front.front
    }
}

impl<D: Space> TryFrom<MapFront> for Front<D> {
    type Error = String;

    fn try_from(front: MapFront) -> Result<Self, String> {
        let size = front.size();
        if D::to_size(D::from_zyx(size)) == size {
            return Ok(Self::of(front));
        }
        Err(format!("a front on {size:?} cells is of another dimension"))
    }
}
