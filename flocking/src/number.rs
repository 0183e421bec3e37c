//! The numbers of a flock: one, a vector, eight side by side, and turns.

pub(crate) mod lanes;
pub(crate) mod scalar;
pub(crate) mod turn;
pub(crate) mod vector;

pub use scalar::Scalar;
pub use vector::Vector;
