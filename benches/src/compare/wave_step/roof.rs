//! The speed of memory: a wave step with nothing to compute would be this fast.

use rayon::prelude::*;

/// Three arrays of 4-byte numbers, of the wave's roles: speeds, z and `z_prev`.
///
/// A pass reads all three and writes the third in place: 16 bytes a cell, of which 12 are read,
/// the traffic of a step that is not tiled in time. Nothing is computed: the three words are joined
/// by an exclusive or, so that no read can be left out.
pub(crate) struct Roof {
    first: Vec<u32>,
    second: Vec<u32>,
    third: Vec<u32>,
    passes: u64,
}

/// Cells that a task streams: 768 KiB of the three arrays.
const CHUNK: usize = 1 << 16;

impl Roof {
    /// Cells, so many that the three arrays hold 1 GiB: far more than any cache.
    const CELLS: usize = ((1usize << 30) / 12).next_multiple_of(CHUNK);

    pub(crate) fn new() -> Self {
        Self::with_cells(Self::CELLS)
    }

    pub(crate) fn with_cells(cells: usize) -> Self {
        Self {
            first: vec![0x5555_5555; cells],
            second: vec![0xaaaa_aaaa; cells],
            third: vec![0; cells],
            passes: 0,
        }
    }

    pub(crate) fn cells(&self) -> usize {
        self.third.len()
    }

    /// Streams all cells `passes` times in the current rayon pool.
    pub(crate) fn run(&mut self, passes: usize) {
        for _ in 0..passes {
            let chunks = self.third.par_chunks_mut(CHUNK);
            let rest = self.first.par_chunks(CHUNK).zip(self.second.par_chunks(CHUNK));
            chunks.zip(rest).for_each(|(third, (first, second))| {
                for ((third, first), second) in third.iter_mut().zip(first).zip(second) {
                    *third ^= first ^ second;
                }
            });
            self.passes += 1;
        }
    }

    /// Whether every cell was streamed in every pass so far.
    pub(crate) fn is_right(&self) -> bool {
        let expected = if self.passes % 2 == 1 { u32::MAX } else { 0 };
        self.third.par_iter().all(|&third| third == expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_set_is_a_gibibyte_or_a_little_more() {
        assert!((1 << 30..1 << 30 | 1 << 20).contains(&(Roof::CELLS * 12)));
    }

    #[test]
    fn every_pass_streams_every_cell() {
        let mut roof = Roof::with_cells(3 * CHUNK / 2);
        for passes in [1, 1, 3] {
            roof.run(passes);
            assert!(roof.is_right());
        }
        roof.third[CHUNK] ^= 1;
        assert!(!roof.is_right());
    }
}
