//! Cells by their distance, the nearest first: the queue of plain contestants.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A binary heap of lengths and cells. It keeps its room when it is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue(BinaryHeap<Reverse<u64>>);

impl Queue {
    pub(crate) fn with_capacity(cells: usize) -> Self {
        Self(BinaryHeap::with_capacity(cells))
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Both in one number: lengths are not negative, so their bits are in order.
    pub(crate) fn push(&mut self, length: f32, cell: usize) {
        self.0.push(Reverse(u64::from(length.to_bits()) << 32 | cell as u64));
    }

    pub(crate) fn pop(&mut self) -> Option<(f32, usize)> {
        let Reverse(top) = self.0.pop()?;
        Some((f32::from_bits((top >> 32) as u32), top as u32 as usize))
    }
}
