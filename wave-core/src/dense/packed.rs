//! delta and k of a cell in one number, so that a deep step reads 16 bytes a cell and not 17.
//!
//! delta is from 2^-24 to 1, for which the three highest bits of the exponent are always 0, 1 and
//! 1: they hold k, which is 6 at most. All other cells have the sign bit: a wall has the negative
//! of its delta, a cell outside has -0. So `> 0` still tells an open cell from all others.

/// A number that can hold both.
pub trait Packed: Copy {
    /// The number of a cell outside the grid.
    const OUTSIDE: Self;

    /// An open cell.
    fn pack(delta: Self, k: u8) -> Self;
    /// delta and k of an open cell; 0 and 0 for a number with the sign bit. +0 must not occur.
    fn unpack(self) -> (Self, u8);
}

macro_rules! packed {
    ($t:ty, $bits:ty, $scale:expr) => {
        impl Packed for $t {
            const OUTSIDE: Self = -0.0;

            #[inline(always)]
            fn pack(delta: Self, k: u8) -> Self {
                debug_assert!(
                    k <= 6 && (0.0..=1.0).contains(&delta) && delta * (1u64 << 24) as Self >= 1.0
                );
                let bits = delta.to_bits() & Bits::<$t>::DELTA;
                Self::from_bits(bits | <$bits>::from(k) << Bits::<$t>::SHIFT)
            }

            #[inline(always)]
            fn unpack(self) -> (Self, u8) {
                if self.is_sign_negative() {
                    return (0.0, 0);
                }
                let bits = self.to_bits();
                let delta = bits & Bits::<$t>::DELTA | Bits::<$t>::ALWAYS;
                (Self::from_bits(delta), (bits >> Bits::<$t>::SHIFT) as u8)
            }
        }

        impl Bits<$t> {
            /// The first bit of k.
            pub(crate) const SHIFT: u32 = <$bits>::BITS - 4;
            /// The bits of delta.
            pub(crate) const DELTA: $bits = (1 << Self::SHIFT) - 1;
            /// The bits of delta in the place of k.
            pub(crate) const ALWAYS: $bits = 3 << Self::SHIFT;
            /// The bits of delta alone, as a number, are delta divided by this power of two; 0
            /// stays 0.
            #[cfg(target_arch = "x86_64")]
            pub(crate) const SCALE: $t = $scale;
        }
    };
}

/// The places of both in the bits of a number.
pub(crate) struct Bits<S>(std::marker::PhantomData<S>);

packed!(f32, u32, f32::from_bits((127 + 96) << 23));
packed!(f64, u64, f64::from_bits((1023 + 768) << 52));

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds_both<S: Packed + PartialOrd + Default + std::fmt::Debug>(delta: S) {
        for k in 0..=6 {
            let packed = S::pack(delta, k);
            assert_eq!(packed.unpack(), (delta, k));
            assert!(packed > S::default());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_delta_comes_back_to_the_last_bit(
            delta in 2f32.powi(-24)..=1.0, exact in 2f64.powi(-24)..=1.0,
        ) {
            holds_both(delta);
            holds_both(exact);
        }
    }

    #[test]
    fn so_do_the_ends_and_walls_have_neither() {
        holds_both(1f32);
        holds_both(2f32.powi(-24));
        holds_both(1f64);
        holds_both(2f64.powi(-24));
        for other in [f32::OUTSIDE, -0.25, -1.0] {
            assert_eq!(other.unpack(), (0.0, 0));
            assert_eq!(f64::from(other).unpack(), (0.0, 0));
            assert!(other.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater));
        }
    }
}
