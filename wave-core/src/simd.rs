//! Which vector instructions waves, fronts and fields use. Their bits never depend on it.

use std::sync::OnceLock;

/// Whether this processor has a feature. Miri cannot ask it, and has the features that the code was
/// compiled for.
#[cfg(target_arch = "x86_64")]
macro_rules! detected {
    ($feature:tt) => {
        cfg!(target_feature = $feature)
            || !cfg!(miri) && std::arch::is_x86_feature_detected!($feature)
    };
}

/// An instruction set that waves, fronts and fields are compiled for.
///
/// All of them use the best set that the processor has, found out at run time; a build needs no
/// flags. Fronts and fields of short waves know only AVX2, and use no vectors on other processors.
/// Every set gives the same bits: nothing is fused and every sum has one order. To force a set, for
/// a test or a comparison, call `set_simd` or set the environment variable `WAVE_CORE_SIMD`
/// (`scalar`, `sse2`, `avx2`, `avx512` or `neon`). It is read once, and ignored if it names no set
/// that the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Simd {
    /// One cell at a time.
    Scalar,
    /// 128 bits; every x86-64 processor.
    Sse2,
    /// 256 bits, x86-64.
    Avx2,
    /// 512 bits (AVX-512F), x86-64.
    Avx512,
    /// 128 bits; every aarch64 processor.
    Neon,
}

impl Simd {
    const ALL: [Self; 5] = [Self::Scalar, Self::Sse2, Self::Avx2, Self::Avx512, Self::Neon];

    /// The sets that this processor has, the best one last.
    ///
    /// ```
    /// use wave_core::Simd;
    ///
    /// assert_eq!(Simd::available().next(), Some(Simd::Scalar));
    /// assert!(Simd::available().any(|simd| simd == Simd::best()));
    /// ```
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|simd| simd.is_available())
    }

    /// The set that waves use: the best one that the processor has, or the one that
    /// `WAVE_CORE_SIMD` names.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<Simd> = OnceLock::new();
        *BEST.get_or_init(|| {
            let asked = std::env::var("WAVE_CORE_SIMD").unwrap_or_default();
            let named = Self::available().find(|simd| simd.name() == asked);
            named.or(Self::available().last()).unwrap_or(Self::Scalar)
        })
    }

    /// The name that `WAVE_CORE_SIMD` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// Whether this processor has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Scalar | Self::Sse2 => true,
            Self::Avx2 => detected!("avx2"),
            // Code for AVX-512 uses AVX2 as well.
            Self::Avx512 => detected!("avx512f") && detected!("avx2"),
            Self::Neon => false,
        }
        #[cfg(not(target_arch = "x86_64"))]
        match self {
            Self::Scalar => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            _ => false,
        }
    }
}

/// Asks memory for the cache line where value `i` begins, wherever that lies, beyond the array's
/// end as well: nothing is read, and a value that is needed soon may already be there then. Only on
/// x86-64; elsewhere it does nothing.
///
/// ```
/// let values = [1.0; 1000];
/// let mut sum = 0.0;
/// for i in 0..values.len() {
///     wave_core::prefetch(values.as_ptr(), i + 64);
///     sum += values[i];
/// }
/// assert_eq!(sum, 1000.0);
/// ```
///
/// # Complexity
/// O(1).
#[allow(unsafe_code)] // an instruction that reads nothing
#[allow(clippy::inline_always)] // what is not inlined is compiled without the instruction set
#[inline(always)]
pub fn prefetch<T>(array: *const T, i: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: part of every x86-64 processor, and never reads in the sense of the language.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(array.wrapping_add(i).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, i);
}
