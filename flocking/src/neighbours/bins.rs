//! Where neighbours are looked for: boids sorted by (cell, id) into a grid of bins.
//!
//! A cell is `floor((position - low) / edge)` along each axis, an edge is the largest radius
//! divided by [`Grid::rings`]. Where the world does not wrap, cell numbers are taken modulo the
//! grid's width, a power of two: the grid needs no bounds, and a boid that flies off costs nothing.
//! Boids of far cells that share a bin are told apart by their distance.

use crate::number::vector::Vector;
use crate::number::vector::to_f64;
use crate::parallel::{Split, each_part, workers};
use crate::rules::config::Edges;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Cells are this much larger than a whole part of the radius, so that a neighbour whose distance
/// was rounded down to the radius is never one cell too far.
const SLACK: f64 = 1.0 + 1e-6;

/// Positions are held within this of the origin where the world is open: 2^30 radii, in which cells
/// can be counted, and no more than 1e18, the square of which an `f32` can hold.
pub(crate) fn farthest(reach: f64) -> f64 {
    (reach * (1u64 << 30) as f64).min(1e18)
}

#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// Cells from a boid's own to the last that its radius can touch, along each axis.
    pub(crate) rings: usize,
    /// The length of a cell along each axis.
    pub(crate) edge: [f64; 3],
    pub(crate) inverse: [f64; 3],
    low: [f64; 3],
    /// Bins along x, y, z.
    pub(crate) dims: [usize; 3],
    wraps: bool,
    /// Parts that were counted apart.
    parts: usize,
    /// The first slot of every bin, and the end.
    pub(crate) starts: Vec<u32>,
    /// Boids per bin and part, then where the part's next boid of that bin goes.
    counts: Vec<u32>,
    keys: Vec<u32>,
    /// id << 32 | old slot, by bin.
    entries: Vec<AtomicU64>,
}

impl Clone for Grid {
    /// Everything in it is made again by the next step.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A position in the grid.
pub(crate) struct Place {
    /// The bin along x, y, z.
    pub(crate) bin: [usize; 3],
    /// How far into the cell, in world units.
    pub(crate) within: [f64; 3],
}

/// The most bins for `n` boids in a wrapping world; in others there are fewer.
fn most_bins<V: Vector>(n: usize) -> usize {
    if V::FLAT { 4 * n + 65536 } else { 2 * n + 65536 }
}

/// The side of a square or cube of this content. The same on every machine: `libm`.
fn root<V: Vector>(content: f64) -> f64 {
    if V::FLAT { content.sqrt() } else { libm::cbrt(content) }
}

fn floor(value: f64) -> i64 {
    let cut = value as i64;
    cut.saturating_sub(i64::from(value < cut as f64))
}

impl Grid {
    /// Lays the grid out for `n` boids and `rings` cells to a radius.
    fn lay_out<V: Vector>(&mut self, edges: &Edges<V>, reach: f64, n: usize, rings: usize) {
        let axes = if V::FLAT { 2 } else { 3 };
        let edge = reach / rings as f64 * SLACK;
        self.rings = rings;
        self.edge = [edge; 3];
        self.low = [0.0; 3];
        self.dims = [1; 3];
        self.wraps = false;
        match edges {
            Edges::Wrapping { low, high } => {
                self.wraps = true;
                self.low = to_f64(low.to_xyz());
                let high = to_f64(high.to_xyz());
                let most = root::<V>(most_bins::<V>(n) as f64).floor();
                for a in 0..axes as usize {
                    let length = high[a] - self.low[a];
                    self.dims[a] = (length / edge).floor().clamp(1.0, most) as usize;
                    self.edge[a] = length / self.dims[a] as f64;
                }
            }
            Edges::Open | Edges::Contained { .. } => {
                // Half a boid to a bin and a bit: fewer share a bin by chance.
                let bits = (2 * n).max(2).ilog2();
                for a in 0..axes {
                    let least = (2 * rings + 2).next_power_of_two();
                    self.dims[a as usize] = (1usize << ((bits + a) / axes)).max(least);
                }
            }
        }
        self.inverse = self.edge.map(|edge| 1.0 / edge);
    }

    /// The place of a position.
    #[inline(always)]
    pub(crate) fn place(&self, position: [f64; 3]) -> Place {
        let mut place = Place { bin: [0; 3], within: [0.0; 3] };
        for a in 0..3 {
            if self.dims[a] == 1 {
                continue;
            }
            let cell = floor((position[a] - self.low[a]) * self.inverse[a]);
            place.within[a] = position[a] - self.low[a] - cell as f64 * self.edge[a];
            place.bin[a] = if self.wraps {
                (cell.max(0) as usize).min(self.dims[a] - 1)
            } else {
                cell as usize & (self.dims[a] - 1)
            };
        }
        place
    }

    /// How far around a place all boids are in the bins within `rings` of its own.
    #[inline(always)]
    pub(crate) fn sure(&self, place: &Place, rings: usize, axes: usize) -> f64 {
        let mut far = f64::INFINITY;
        for a in 0..axes {
            let beside = place.within[a].min(self.edge[a] - place.within[a]).max(0.0);
            far = far.min(rings as f64 * self.edge[a] + beside);
        }
        // A boid near a border may have been rounded across it.
        far * (1.0 - 1e-5)
    }

    /// The number of a place's bin, x fastest.
    #[inline(always)]
    pub(crate) fn index(&self, bin: [usize; 3]) -> usize {
        (bin[2] * self.dims[1] + bin[1]) * self.dims[0] + bin[0]
    }

    fn bins(&self) -> usize {
        self.dims.iter().product()
    }

    /// Counts and places `n` boids, so that [`Grid::sort`] can follow. `most_rings` above the least
    /// splits cells while a boid's own bin holds more than `crowd` boids on the mean.
    pub(crate) fn bin<V: Vector>(
        &mut self,
        edges: &Edges<V>,
        reach: f64,
        (least_rings, most_rings, crowd): (usize, usize, u64),
        n: usize,
        position: &(impl Fn(usize) -> [f64; 3] + Sync),
    ) {
        let parts = if n < 8192 { 1 } else { workers().min(16) };
        self.parts = parts;
        self.keys.resize(n, 0);
        if self.entries.len() != n {
            self.entries.resize_with(n, AtomicU64::default);
        }
        let size = n.div_ceil(parts).max(1);
        if most_rings > least_rings {
            // There may be more bins in a later step.
            let most = most_bins::<V>(n);
            self.starts.reserve((most + 1).saturating_sub(self.starts.len()));
            self.counts.reserve((parts * most).saturating_sub(self.counts.len()));
        }
        let mut rings = least_rings;
        loop {
            self.lay_out(edges, reach, n, rings);
            let bins = self.bins();
            self.counts.resize((parts * bins).max(self.counts.len()), 0);
            self.starts.resize(bins + 1, 0);
            let mut counts = std::mem::take(&mut self.counts);
            let mut keys = std::mem::take(&mut self.keys);
            let pair =
                Histogram { keys: &mut keys, counts: &mut counts[..parts * bins], size, bins };
            each_part(pair, parts, 1, &|part, Histogram { keys, counts, .. }| {
                counts.fill(0);
                for (i, key) in keys.iter_mut().enumerate() {
                    *key = self.index(self.place(position(part * size + i)).bin) as u32;
                    counts[*key as usize] += 1;
                }
            });
            (self.counts, self.keys) = (counts, keys);
            let crowding = self.prefix(parts, bins);
            if rings >= most_rings || crowding <= crowd.saturating_mul(n as u64) {
                break;
            }
            // As many as it takes where boids are spread evenly; more where they are not.
            let finer = root::<V>(crowding as f64 / (crowd * n as u64) as f64);
            rings = ((rings as f64 * finer).ceil() as usize).clamp(rings + 1, most_rings);
        }
    }

    /// Counts become first slots. Returns the sum over bins of the square of their boids.
    fn prefix(&mut self, parts: usize, bins: usize) -> u64 {
        let (mut slot, mut squares) = (0, 0);
        for bin in 0..bins {
            self.starts[bin] = slot;
            for part in 0..parts {
                let count = &mut self.counts[part * bins + bin];
                slot += std::mem::replace(count, slot);
            }
            squares += u64::from(slot - self.starts[bin]).pow(2);
        }
        self.starts[bins] = slot;
        squares
    }

    /// Calls `work(first bin, part)` with consecutive bins, their slots in `sorted` order; a part's
    /// `order` holds id << 32 | old slot, sorted by (bin, id).
    pub(crate) fn sort<P: Split + Send>(
        &mut self,
        ids: &(impl Fn(usize) -> u32 + Sync),
        order: &mut [u64],
        out: P,
        work: &(impl Fn(&[u64], P) + Sync),
    ) {
        let n = self.keys.len();
        let bins = self.bins();
        let parts = self.parts;
        let size = n.div_ceil(parts).max(1);
        let mut counts = std::mem::take(&mut self.counts);
        let mut keys = std::mem::take(&mut self.keys);
        let pair = Histogram { keys: &mut keys, counts: &mut counts[..parts * bins], size, bins };
        each_part(pair, parts, 1, &|part, Histogram { keys, counts, .. }| {
            for (i, &key) in keys.iter().enumerate() {
                let slot = part * size + i;
                let to = &mut counts[key as usize];
                self.entries[*to as usize].store(u64::from(ids(slot)) << 32 | slot as u64, Relaxed);
                *to += 1;
            }
        });
        (self.counts, self.keys) = (counts, keys);
        let grain = (bins / (workers() * 8)).max(64);
        let sorted = Sorted { order, out, starts: &self.starts[..=bins] };
        each_part(sorted, bins, grain, &|_, Sorted { order, out, starts }| {
            let first = starts[0] as usize;
            for (i, entry) in order.iter_mut().enumerate() {
                *entry = self.entries[first + i].load(Relaxed);
            }
            for ends in starts.windows(2) {
                let bin = &mut order[ends[0] as usize - first..ends[1] as usize - first];
                if bin.len() > 1 {
                    bin.sort_unstable();
                }
            }
            work(order, out);
        });
    }
}

/// A part of the boids, and its own counts.
struct Histogram<'a> {
    keys: &'a mut [u32],
    counts: &'a mut [u32],
    size: usize,
    bins: usize,
}

impl Split for Histogram<'_> {
    fn split(self, at: usize) -> (Self, Self) {
        let Self { size, bins, .. } = self;
        let (k0, k1) = Split::split(self.keys, at * size);
        let (c0, c1) = Split::split(self.counts, at * bins);
        (Self { keys: k0, counts: c0, size, bins }, Self { keys: k1, counts: c1, size, bins })
    }
}

/// Consecutive bins: their part of the order and of whatever is filled in that order.
struct Sorted<'a, P> {
    order: &'a mut [u64],
    out: P,
    starts: &'a [u32],
}

impl<P: Split> Split for Sorted<'_, P> {
    fn split(self, at: usize) -> (Self, Self) {
        let at = at.min(self.starts.len() - 1);
        let slots = (self.starts[at] - self.starts[0]) as usize;
        let (o0, o1) = Split::split(self.order, slots);
        let (p0, p1) = self.out.split(slots);
        (
            Self { order: o0, out: p0, starts: &self.starts[..=at] },
            Self { order: o1, out: p1, starts: &self.starts[at..] },
        )
    }
}
