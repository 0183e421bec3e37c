//! Moves from a place to others close by, a bit for each.

use std::fmt::Debug;

/// A set of moves from a place, or to it: a bit for each place close by, as the level numbers them.
/// The last bit is a mark that stands for no move.
pub trait Bits: Copy + Debug + Default + Eq + Send + Sync {
    /// Bits from here on stand for no move.
    const END: u32;
    /// Bits from here on stand for moves to places that are not neighbours.
    const FAR: u32;

    /// The next move from `at` on, which counts on past it; `END` at the end.
    fn next(self, at: &mut u32) -> Option<usize>;
    /// Whether a move is in it.
    fn has(self, bit: usize) -> bool;
    /// Takes a move in.
    fn insert(&mut self, bit: usize);
    /// Takes a move out.
    fn remove(&mut self, bit: usize);
    /// Moves to neighbours that are in one of both.
    fn change(self, other: Self) -> Self;
    /// Sets the mark.
    fn mark(&mut self);
    /// Whether it is marked.
    fn is_marked(self) -> bool;
}

macro_rules! bits {
    ($word:ty, end: $end:literal, far: $far:literal) => {
        impl Bits for $word {
            const END: u32 = $end;
            const FAR: u32 = $far;

            #[inline]
            fn next(self, at: &mut u32) -> Option<usize> {
                const MOVES: $word = (1 << $end) - 1;
                let left = if *at < <$word>::BITS { (self & MOVES) >> *at } else { 0 };
                if left == 0 {
                    *at = $end;
                    return None;
                }
                let bit = *at + left.trailing_zeros();
                *at = bit + 1;
                Some(bit as usize)
            }
            #[inline]
            fn has(self, bit: usize) -> bool {
                self >> bit & 1 == 1
            }
            #[inline]
            fn insert(&mut self, bit: usize) {
                *self |= 1 << bit;
            }
            fn remove(&mut self, bit: usize) {
                *self &= !(1 << bit);
            }
            fn change(self, other: Self) -> Self {
                const NEAR: $word = (1 << $far) - 1;
                (self ^ other) & NEAR
            }
            fn mark(&mut self) {
                *self |= 1 << (<$word>::BITS - 1);
            }
            #[inline]
            fn is_marked(self) -> bool {
                self >> (<$word>::BITS - 1) == 1
            }
        }
    };
}

// The cells at most two away; the lowest storeys of the eight columns beside.
bits!(u32, end: 24, far: 8);
bits!(u64, end: 56, far: 56);
