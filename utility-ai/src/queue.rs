//! A queue of nodes in buckets, first in, first out within a bucket.
//!
//! Every node is in at most one bucket, so the queue never holds more than the nodes and allocates
//! nothing. What is put back after it was taken is simply taken again: searches that allow for it
//! are right whatever the width of a bucket, which only says how often that happens.

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    prev: u32,
    bucket: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct BucketQueue {
    links: Vec<Link>,
    /// First and last node of each bucket.
    ends: Vec<(u32, u32)>,
    /// A bit per bucket that holds something.
    occupied: Vec<u64>,
    len: usize,
}

impl BucketQueue {
    /// For `nodes` nodes; `buckets` is a power of two, at least 64.
    pub(crate) fn new(nodes: usize, buckets: usize) -> Self {
        Self {
            links: vec![Link { next: NONE, prev: NONE, bucket: NONE }; nodes],
            ends: vec![(NONE, NONE); buckets],
            occupied: vec![0; buckets / 64],
            len: 0,
        }
    }

    pub(crate) fn buckets(&self) -> usize {
        self.ends.len()
    }

    /// Puts a node into a bucket, taking it out of another one that it is in.
    #[inline]
    pub(crate) fn put(&mut self, node: usize, bucket: usize) {
        let old = self.links[node].bucket;
        if old == bucket as u32 {
            return;
        }
        if old != NONE {
            self.take_out(node);
        }
        let last = self.ends[bucket].1;
        if last == NONE {
            self.ends[bucket].0 = node as u32;
            self.occupied[bucket / 64] |= 1 << (bucket % 64);
        } else {
            self.links[last as usize].next = node as u32;
        }
        self.ends[bucket].1 = node as u32;
        self.links[node] = Link { next: NONE, prev: last, bucket: bucket as u32 };
        self.len += 1;
    }

    /// Takes the first node of a bucket.
    #[inline]
    pub(crate) fn pop(&mut self, bucket: usize) -> Option<usize> {
        let first = self.ends[bucket].0;
        if first == NONE {
            return None;
        }
        self.take_out(first as usize);
        Some(first as usize)
    }

    /// The first bucket that holds something, from `from` on and round to it again.
    #[inline]
    pub(crate) fn next_bucket(&self, from: usize) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let words = self.occupied.len();
        let mut word = from / 64;
        let mut bits = self.occupied[word] & (!0 << (from % 64));
        while bits == 0 {
            word = (word + 1) % words;
            bits = self.occupied[word];
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    #[inline]
    fn take_out(&mut self, node: usize) {
        let Link { next, prev, bucket } = self.links[node];
        let ends = &mut self.ends[bucket as usize];
        match (prev, next) {
            (NONE, NONE) => {
                *ends = (NONE, NONE);
                self.occupied[bucket as usize / 64] &= !(1 << (bucket % 64));
            }
            (NONE, next) => {
                ends.0 = next;
                self.links[next as usize].prev = NONE;
            }
            (prev, NONE) => {
                ends.1 = prev;
                self.links[prev as usize].next = NONE;
            }
            (prev, next) => {
                self.links[prev as usize].next = next;
                self.links[next as usize].prev = prev;
            }
        }
        self.links[node].bucket = NONE;
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn as_a_list_of_deques(moves in prop::collection::vec((0_usize..20, 0_usize..128, any::<bool>()), 0..200)) {
            let mut queue = BucketQueue::new(20, 128);
            let mut plain = vec![VecDeque::new(); 128];
            for (node, bucket, pop) in moves {
                if pop {
                    let next = (bucket..128).chain(0..bucket).find(|&b| !plain[b].is_empty());
                    prop_assert_eq!(queue.next_bucket(bucket), next);
                    prop_assert_eq!(queue.pop(bucket), plain[bucket].pop_front());
                } else {
                    queue.put(node, bucket);
                    if !plain[bucket].contains(&node) {
                        for b in &mut plain {
                            b.retain(|&n| n != node);
                        }
                        plain[bucket].push_back(node);
                    }
                }
            }
        }
    }
}
