//! Ways from a cell to another that lead over no cell between: falls, jumps, stairs, lifts,
//! portals.

use super::bits::Bits;
use super::layout::Layout;
use super::map::Map;
use crate::error::{LinkFault, MediumError};
use xxhash_rust::xxh3::Xxh3;

/// A way from a cell to another that need not be its neighbour, in one direction only: a fall, a
/// jump, stairs, a lift, a portal. A way back is a link of its own.
///
/// Waves run from targets to those that look for them, so a link carries them against its
/// direction: `time` after a wave came to `to`, it comes to `from`. A walker at `from` then learns
/// that the way home leads by the link (see [`Front::link`](crate::Front::link)). While either end
/// is a wall, no wave comes through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link<C> {
    /// Where it begins: an open cell, `[y, x]` or `[z, y, x]`.
    pub from: C,
    /// Where it ends: another open cell.
    pub to: C,
    /// `[units: time] [limits: what the fastest cell takes to 4096 dt]` How long the way takes. If
    /// [`set_speed`](crate::Medium::set_speed) makes all cells slower than that, the link takes as
    /// long as the fastest cell.
    pub time: f64,
}

impl<C> Link<C> {
    /// The same link with its cells named in another way.
    pub(crate) fn map<T>(self, cell: impl Fn(C) -> T) -> Link<T> {
        Link { from: cell(self.from), to: cell(self.to), time: self.time }
    }
}

/// The most steps that a link may take, as many as the slowest cell.
const MOST_STEPS: f64 = 4096.0;

/// All links of a map; cells by their index as marches store them.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    layout: Layout,
    /// All links, once in the order of their beginnings and once in the order of their ends.
    by_from: Vec<Link<u32>>,
    by_to: Vec<Link<u32>>,
    /// The cells where a link ends.
    ends: Bits,
    dt: f64,
    longest: f64,
    hash: u64,
}

impl Links {
    /// Links of a map, none of which may take less than `shortest`.
    pub(super) fn new(
        map: &Map,
        links: &[Link<[usize; 3]>],
        shortest: f64,
    ) -> Result<Self, MediumError> {
        // A map's cells can be stored, or it would have been refused.
        let layout = Layout::close(map.size).expect("a grid that can be stored");
        let longest = MOST_STEPS * map.dt;
        let mut ends = Bits::new(layout.len, false);
        let mut by_from = Vec::with_capacity(links.len());
        for &link in links {
            let Link { from, to, time } = link;
            let is_wall = [map.checked(from)?, map.checked(to)?].map(|end| !map.is_open(end));
            let fault = match is_wall {
                [true, _] => Some(LinkFault::FromWall),
                [_, true] => Some(LinkFault::ToWall),
                _ if from == to => Some(LinkFault::SameCell),
                _ if time >= shortest && time <= longest => None,
                _ => Some(LinkFault::Time { time, min_time: shortest, max_time: longest }),
            };
            if let Some(fault) = fault {
                let [from, to] = [from, to].map(|cell| map.name(cell));
                return Err(MediumError::Link { from, to, fault });
            }
            let link = link.map(|cell| layout.index(cell) as u32);
            ends.set(link.to as usize, true);
            by_from.push(link);
        }
        let mut by_to = by_from.clone();
        by_from.sort_by(|a, b| (a.from, a.to).cmp(&(b.from, b.to)).then(a.time.total_cmp(&b.time)));
        by_to.sort_by(|a, b| (a.to, a.from).cmp(&(b.to, b.from)).then(a.time.total_cmp(&b.time)));
        let longest = by_to.iter().fold(0.0, |most: f64, link| most.max(link.time)) / map.dt;
        let mut hash = Xxh3::new();
        for link in &by_to {
            hash.update(&link.from.to_le_bytes());
            hash.update(&link.to.to_le_bytes());
            hash.update(&link.time.to_bits().to_le_bytes());
        }
        Ok(Self { layout, by_from, by_to, ends, dt: map.dt, longest, hash: hash.digest() })
    }

    /// All links, in the order of their beginnings.
    pub(super) fn all(&self) -> impl Iterator<Item = Link<[usize; 3]>> + '_ {
        self.by_from.iter().map(|&link| self.named(link))
    }

    pub(crate) fn named(&self, link: Link<u32>) -> Link<[usize; 3]> {
        link.map(|cell| self.layout.cell(cell as usize))
    }

    /// `[units: steps]` The time that a link takes.
    pub(crate) fn steps(&self, link: Link<u32>) -> f64 {
        link.time / self.dt
    }

    /// A hash of all of them.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// `[units: steps]` The time of the longest link.
    pub(crate) fn longest(&self) -> f64 {
        self.longest
    }

    /// Whether a link ends at the cell of this index.
    #[inline]
    pub(crate) fn is_end(&self, cell: usize) -> bool {
        self.ends.get(cell)
    }

    /// The links that begin at the cell of this index.
    pub(crate) fn from(&self, cell: usize) -> &[Link<u32>] {
        part(&self.by_from, |link| (link.from as usize).cmp(&cell))
    }

    /// The links that end at the cell of this index.
    pub(crate) fn to(&self, cell: usize) -> &[Link<u32>] {
        part(&self.by_to, |link| (link.to as usize).cmp(&cell))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        2 * size_of_val(&self.by_from[..]) + self.ends.memory_bytes()
    }
}

/// The part of a sorted list for which `order` says equal.
fn part(links: &[Link<u32>], order: impl Fn(&Link<u32>) -> std::cmp::Ordering) -> &[Link<u32>] {
    let first = links.partition_point(|link| order(link).is_lt());
    let count = links[first..].partition_point(|link| order(link).is_eq());
    &links[first..first + count]
}
