//! A queue of nodes in buckets, round after round.
//!
//! Searches that use it take a node again whenever its value has fallen, so they are right whatever
//! the width of a bucket and the order within; these only say how often that happens. A node may
//! stand in several buckets, or twice in one.

use crate::graph::rows::{Offset, Rows, prefetch};

/// Nodes of a chunk: with the link one cache line.
const CHUNK: usize = 15;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Chunk {
    nodes: [u32; CHUNK],
    /// The chunk below in its bucket, or the next free one.
    below: u32,
}

/// The top chunk of a bucket and how many nodes it has.
#[derive(Clone, Copy, Debug)]
struct Top {
    chunk: u32,
    len: u32,
}

const EMPTY: Top = Top { chunk: NONE, len: CHUNK as u32 };

#[derive(Clone, Debug)]
pub(crate) struct BucketQueue {
    chunks: Vec<Chunk>,
    free: u32,
    tops: Vec<Top>,
    /// A bit per bucket that holds something.
    occupied: Vec<u64>,
    /// Buckets that hold something.
    filled: usize,
    /// The bucket that is being taken, as it was when it was opened.
    open: Top,
}

impl BucketQueue {
    /// `buckets` is a power of two, at least 64. There is room for every node twice; beyond that it
    /// grows.
    pub(crate) fn new(nodes: usize, buckets: usize) -> Self {
        let room = 2 * nodes / CHUNK + buckets.min(nodes) + 2;
        Self {
            chunks: Vec::with_capacity(room),
            free: NONE,
            tops: vec![EMPTY; buckets],
            occupied: vec![0; buckets / 64],
            filled: 0,
            open: EMPTY,
        }
    }

    pub(crate) fn buckets(&self) -> usize {
        self.tops.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, node: usize, bucket: usize) {
        let top = self.tops[bucket];
        if top.len < CHUNK as u32 {
            self.chunks[top.chunk as usize].nodes[top.len as usize] = node as u32;
            self.tops[bucket].len = top.len + 1;
        } else {
            self.push_chunk(node, bucket);
        }
    }

    fn push_chunk(&mut self, node: usize, bucket: usize) {
        let below = self.tops[bucket].chunk;
        if below == NONE {
            self.occupied[bucket / 64] |= 1 << (bucket % 64);
            self.filled += 1;
        }
        let chunk = Chunk { nodes: [node as u32; CHUNK], below };
        let index = self.free;
        if index == NONE {
            self.tops[bucket] = Top { chunk: self.chunks.len() as u32, len: 1 };
            self.chunks.push(chunk);
        } else {
            self.free = self.chunks[index as usize].below;
            self.chunks[index as usize] = chunk;
            self.tops[bucket] = Top { chunk: index, len: 1 };
        }
    }

    /// Opens the first bucket that is not empty, from `from` on and round to it again.
    /// [`BucketQueue::take`] returns its entries; entries pushed into it from now on come when it
    /// is opened again.
    #[inline]
    pub(crate) fn open(&mut self, from: usize) -> Option<usize> {
        if self.filled == 0 {
            return None;
        }
        let words = self.occupied.len();
        let mut word = from / 64;
        let mut bits = self.occupied[word] & (!0 << (from % 64));
        while bits == 0 {
            word = (word + 1) % words;
            bits = self.occupied[word];
        }
        let bucket = word * 64 + bits.trailing_zeros() as usize;
        self.occupied[word] &= !(1 << (bucket % 64));
        self.filled -= 1;
        self.open = std::mem::replace(&mut self.tops[bucket], EMPTY);
        Some(bucket)
    }

    /// Some of the nodes that are left of the bucket that was opened last; None when it is done.
    /// The caller so waits for the memory of a handful at once, not one by one.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Batch> {
        let Top { chunk, len } = self.open;
        if chunk == NONE {
            return None;
        }
        let top = &mut self.chunks[chunk as usize];
        self.open = Top { chunk: top.below, len: CHUNK as u32 };
        top.below = self.free;
        self.free = chunk;
        Some(Batch { nodes: top.nodes, len: len as usize })
    }
}

/// Up to [`CHUNK`] nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    nodes: [u32; CHUNK],
    len: usize,
}

impl Batch {
    #[inline]
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> {
        self.nodes[..self.len].iter().map(|&node| node as usize)
    }

    /// Nodes and their rows, which are all looked up first.
    #[inline]
    pub(crate) fn with_rows<'r>(
        &self,
        rows: &'r Rows,
    ) -> impl Iterator<Item = (usize, &'r [Offset])> {
        let mut found: [&[Offset]; CHUNK] = [&[]; CHUNK];
        for (row, node) in found.iter_mut().zip(self.nodes()) {
            *row = rows.of(node);
            prefetch(row, 0);
            prefetch(row, row.len().saturating_sub(1));
        }
        self.nodes().zip(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(queue: &mut BucketQueue) -> Vec<usize> {
        std::iter::from_fn(|| queue.take())
            .flat_map(|batch| batch.nodes().collect::<Vec<_>>())
            .collect()
    }

    proptest! {
        #[test]
        fn everything_comes_out_once_and_from_its_bucket(
            moves in prop::collection::vec((0_usize..20, 0_usize..128, 0_u32..40), 0..400),
        ) {
            let mut queue = BucketQueue::new(20, 128);
            let mut plain = vec![Vec::new(); 128];
            for (node, bucket, open) in moves {
                queue.push(node, bucket);
                plain[bucket].push(node);
                if open == 0 {
                    let mut round = (0..128).map(|b| (bucket + 3 + b) % 128);
                    let expected = round.find(|&b| !plain[b].is_empty());
                    let opened = queue.open((bucket + 3) % 128);
                    prop_assert_eq!(opened, expected);
                    let mut taken = all(&mut queue);
                    taken.sort_unstable();
                    plain[opened.unwrap()].sort_unstable();
                    prop_assert_eq!(&taken, &plain[opened.unwrap()]);
                    plain[opened.unwrap()].clear();
                }
            }
            let mut left = 0;
            while queue.open(0).is_some() {
                left += all(&mut queue).len();
            }
            prop_assert_eq!(left, plain.iter().map(Vec::len).sum::<usize>());
        }
    }
}
