//! The neighbours in view of one boid, array by array, one behind the other.

use crate::lanes::LANES;
use crate::real::Real;

/// How many there can be before they are summed; with room to write eight at a time.
pub(crate) const ROOM: usize = 512;
type Column<S> = [S; ROOM + LANES];

/// Columns that the rules do not read are never written. Behind the last neighbour there is
/// something finite.
pub(crate) struct Pack<S> {
    pub(crate) count: usize,
    /// x, y, z.
    pub(crate) offset: [Column<S>; 3],
    pub(crate) heading: [Column<S>; 3],
    pub(crate) angle: Column<S>,
    pub(crate) speed: Column<S>,
    /// The species.
    pub(crate) kind: Column<S>,
}

impl<S: Real> Pack<S> {
    pub(crate) fn new() -> Self {
        let none = [S::ZERO; ROOM + LANES];
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

/// Room for eight from `at` on. The mask tells the compiler what the caller sees to: there is room.
#[inline(always)]
pub(crate) fn room<T>(column: &mut [T; ROOM + LANES], at: usize) -> &mut [T; LANES] {
    let at = at & (ROOM - 1);
    let (room, _) = column[at..at + LANES].as_chunks_mut();
    &mut room[0]
}

/// The eight from `at` on.
#[inline(always)]
pub(crate) fn eight<T>(column: &[T; ROOM + LANES], at: usize) -> &[T; LANES] {
    let at = at & (ROOM - 1);
    &column[at..at + LANES].as_chunks().0[0]
}
