//! Which steps of a common pattern each node takes, as bits: on grids, whatever stands on them,
//! neighbouring nodes are then worked on side by side, and no rows are read.

use super::{Offset, Rows};
use std::collections::HashMap;

/// Nodes of a block: a bit each in a word.
pub(crate) const BLOCK: usize = 64;
/// Steps of the pattern at most: a cube has 26.
const MOST: usize = 31;
/// Marks a node that also takes steps beyond the pattern, or that is so near the first or last
/// index that the pattern leads out of the graph; its other bits are 0.
pub(crate) const ELSEWHERE: u32 = 1 << MOST;
/// A step belongs to the pattern if at least one node in so many takes it.
const RARE: usize = 16;

/// The steps that many nodes share, by index differences, and which node takes which.
#[derive(Clone, Debug)]
pub(crate) struct Stencil {
    /// Ascending, like the steps of a row.
    offsets: Vec<i32>,
    /// For each node, a bit for each offset, or [`ELSEWHERE`].
    takes: Vec<u32>,
    /// The same by block: a word for each offset, then one for [`ELSEWHERE`].
    words: Vec<u64>,
}

impl Stencil {
    /// `None` if many nodes do not keep to any pattern.
    pub(crate) fn of(rows: &Rows) -> Option<Self> {
        let mut users = vec![0_usize; rows.count()];
        for &id in rows.ids() {
            users[id as usize] += 1;
        }
        let rows_of_use = || (0..).zip(&users).filter(|(_, users)| **users > 0);
        let mut count: HashMap<i32, usize> = HashMap::new();
        for (id, users) in rows_of_use() {
            for step in rows.by_id(id) {
                *count.entry(step.by).or_default() += users;
            }
        }
        let mut common: Vec<(usize, i32)> = count
            .into_iter()
            .map(|(by, users)| (users, by))
            .filter(|(users, _)| users * RARE >= rows.len())
            .collect();
        common.sort_unstable_by(|a, b| b.cmp(a));
        common.truncate(MOST);
        let mut offsets: Vec<i32> = common.into_iter().map(|(_, by)| by).collect();
        offsets.sort_unstable();
        let by_row: Vec<u32> =
            (0..rows.count() as u32).map(|id| bits(&offsets, rows.by_id(id))).collect();
        let strange = rows_of_use().filter(|(id, _)| by_row[*id as usize] == ELSEWHERE);
        let strange: usize = strange.map(|(_, users)| users).sum();
        let (low, high) = reach(&offsets);
        if offsets.is_empty() || 2 * (strange + low + high) > rows.len() {
            return None;
        }
        let words = vec![0; rows.len().div_ceil(BLOCK) * (offsets.len() + 1)];
        let mut stencil = Self { offsets, takes: vec![0; rows.len()], words };
        for (node, &id) in rows.ids().iter().enumerate() {
            stencil.put(node, by_row[id as usize]);
        }
        Some(stencil)
    }

    /// Takes in the present row of a node.
    pub(crate) fn renew(&mut self, node: usize, row: &[Offset]) {
        self.put(node, bits(&self.offsets, row));
    }

    fn put(&mut self, node: usize, takes: u32) {
        let (low, high) = self.reach();
        let inside = node >= low && node + high < self.takes.len();
        let takes = if inside { takes } else { ELSEWHERE };
        self.takes[node] = takes;
        let (count, bit) = (self.offsets.len(), node % BLOCK);
        let words = &mut self.words[node / BLOCK * (count + 1)..][..=count];
        let places = (0..count).chain([MOST]);
        for (word, place) in words.iter_mut().zip(places) {
            *word = *word & !(1 << bit) | u64::from(takes >> place & 1) << bit;
        }
    }

    /// Index differences, ascending.
    #[inline]
    pub(crate) fn offsets(&self) -> &[i32] {
        &self.offsets
    }

    /// For each node, a bit for each offset that it takes, or [`ELSEWHERE`]. Without that mark all
    /// offsets lead to nodes; kernels rely on it.
    #[inline]
    pub(crate) fn takes(&self) -> &[u32] {
        &self.takes
    }

    /// How far down and up the offsets go.
    pub(crate) fn reach(&self) -> (usize, usize) {
        reach(&self.offsets)
    }

    /// For the nodes from `block * BLOCK` on: for each offset which nodes take it, and which nodes
    /// are [`ELSEWHERE`].
    #[inline]
    pub(crate) fn block(&self, block: usize) -> (&[u64], u64) {
        let count = self.offsets.len();
        let words = &self.words[block * (count + 1)..][..=count];
        (&words[..count], words[count])
    }
}

/// How far down and up offsets go that are in ascending order.
fn reach(offsets: &[i32]) -> (usize, usize) {
    let [first, last] = [offsets.first(), offsets.last()].map(|o| o.map_or(0, |&o| o));
    (first.min(0).unsigned_abs() as usize, last.max(0) as usize)
}

/// A bit for each offset of a row, or [`ELSEWHERE`].
fn bits(offsets: &[i32], row: &[Offset]) -> u32 {
    let bit = |step: &Offset| offsets.binary_search(&step.by).map(|at| 1 << at);
    row.iter().map(bit).try_fold(0, |all, bit| bit.map(|bit| all | bit)).unwrap_or(ELSEWHERE)
}
