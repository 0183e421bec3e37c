//! How cells are named, and the label of cells that belong to no group.

/// A cell as an ndarray index `[y, x]`, which is `[row, column]`. In text it is written x, y.
pub type Cell = [usize; 2];

/// A label that no part of the ground has: nobody can stand there, or it is not known.
pub(crate) const NONE: u32 = u32::MAX;
