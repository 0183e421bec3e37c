//! The neighbours in view of one boid, array by array, one behind the other.

use crate::number::lanes::LANES;
use crate::number::scalar::Scalar;

/// The neighbours of eight boids.
pub(crate) const SHARED: usize = 512 + LANES;
/// The neighbours of one boid in a crowd, as many as are summed at once.
pub(crate) const ALONE: usize = 128 + LANES;

/// Columns of `SIZE` places: a power of two, and eight to write eight at a time. Those that the
/// rules do not read are never written. Behind the last neighbour there is something finite.
pub(crate) struct Pack<S, const SIZE: usize> {
    pub(crate) count: usize,
    /// x, y, z.
    pub(crate) offset: [[S; SIZE]; 3],
    pub(crate) heading: [[S; SIZE]; 3],
    pub(crate) angle: [S; SIZE],
    pub(crate) speed: [S; SIZE],
    /// The species.
    pub(crate) kind: [S; SIZE],
}

impl<S: Scalar, const SIZE: usize> Pack<S, SIZE> {
    pub(crate) fn new() -> Self {
        let none = [S::ZERO; SIZE];
        Self {
            count: 0,
            offset: [none; 3],
            heading: [none; 3],
            angle: none,
            speed: none,
            kind: none,
        }
    }

    /// The neighbours from the last whole eight on come first; those before are done with.
    #[inline(never)]
    pub(crate) fn keep_rest(&mut self) {
        let whole = self.count / LANES * LANES;
        let [x, y, z] = &mut self.offset;
        let [hx, hy, hz] = &mut self.heading;
        for column in [x, y, z, hx, hy, hz, &mut self.angle, &mut self.speed, &mut self.kind] {
            column.copy_within(whole..self.count, 0);
        }
        self.count -= whole;
    }
}

/// Room for eight from `at` on. The mask tells the compiler that there is room, which the caller
/// makes sure of.
#[inline(always)]
pub(crate) fn room<T, const SIZE: usize>(column: &mut [T; SIZE], at: usize) -> &mut [T; LANES] {
    let at = at & (SIZE - LANES - 1);
    &mut column[at..at + LANES].as_chunks_mut().0[0]
}

/// The eight from `at` on.
#[inline(always)]
pub(crate) fn eight<T, const SIZE: usize>(column: &[T; SIZE], at: usize) -> &[T; LANES] {
    let at = at & (SIZE - LANES - 1);
    &column[at..at + LANES].as_chunks().0[0]
}
