//! Which instructions a step is computed with.

/// A set of instructions. All give the same bits; a [`Flock`](crate::Flock) takes the best that the
/// processor has, and another by [`Flock::set_instructions`](crate::Flock::set_instructions).
///
/// # Example
/// ```
/// use flocking::Instructions;
/// assert!(Instructions::Portable.available() && Instructions::best().available());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// The instructions that every processor of the target has: SSE2 on x86-64, NEON on aarch64.
    Portable,
    /// AVX2, and BMI1, BMI2, LZCNT and POPCNT, which came with it.
    Avx2,
    /// AVX-512 F and VL, and all of AVX2's.
    Avx512,
}

impl Instructions {
    /// From the plainest to the widest.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Whether this processor has them.
    #[must_use]
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            // Miri cannot ask the processor: it has the features that the code was compiled for.
            macro_rules! has {
                ($($feature:tt)*) => {
                    $((cfg!(target_feature = $feature)
                        || !cfg!(miri) && is_x86_feature_detected!($feature)))&&*
                };
            }
            let avx2 = has!("avx2" "bmi1" "bmi2" "lzcnt" "popcnt");
            let avx512 = avx2 && has!("avx512f" "avx512vl");
            match self {
                Self::Portable => true,
                Self::Avx2 => avx2,
                Self::Avx512 => avx512,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }

    /// The widest that this processor has.
    #[must_use]
    pub fn best() -> Self {
        let best = Self::ALL.into_iter().rev().find(|set| set.available());
        best.unwrap_or(Self::Portable)
    }
}
