//! When a jump exists.

/// When a jump is clear.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum JumpRule {
    /// The source's rule by plan view. The character is a point then, and there are no ceilings.
    Published,
    /// A jump exists if and only if some launch point in the one open square and some landing point
    /// in the other allow an arc that clears every cell.
    Exact {
        /// `[units: length] [limits: > 0] suggested: 0.001` A jump is *marginal* where none was
        /// found and it is only proved that none has more margin than this.
        tolerance: f64,
    },
}

impl Default for JumpRule {
    fn default() -> Self {
        Self::Exact { tolerance: 1e-3 }
    }
}
