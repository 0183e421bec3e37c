//! Walls of a grid.

use crate::error::{FlockError, number};
use crate::number::scalar::Scalar;
use crate::number::vector::to_f64;
use crate::number::vector::{ScalarOf, Vector};
use ndarray::ArrayRef;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A grid of free and blocked cells. Cell `(i, j)` has its centre at `(i, j) * spacing + origin`
/// and reaches half a spacing to each side; beyond the grid all is free. Walls are hard: no boid
/// ends a step in a blocked cell. A boid that moves farther in a step than a wall is thick may come
/// out behind it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Walls<V> {
    shape: [usize; 3],
    spacing: f64,
    origin: V,
    blocked: Vec<bool>,
}

impl<V: Vector> Walls<V> {
    /// The walls of a map: an ndarray `[y, x]` or `[z, y, x]`, true for a wall. Cells are `spacing`
    /// wide, and the centre of the first one is at `origin`.
    ///
    /// # Errors
    /// As [`Walls::new`].
    ///
    /// # Example
    /// ```
    /// use flocking::{Walls, glam::Vec2, ndarray::array};
    ///
    /// let walls = Walls::from_grid(&array![[false, false, false], [false, false, true]], 2.0, Vec2::ZERO)?;
    /// assert!(walls.blocks(Vec2::new(4.0, 2.0)) && !walls.blocks(Vec2::new(2.0, 4.0)));
    /// # Ok::<(), flocking::FlockError>(())
    /// ```
    pub fn from_grid(
        walls: &ArrayRef<bool, V::Grid>,
        spacing: f64,
        origin: V,
    ) -> Result<Self, FlockError> {
        let mut shape = [1; 3];
        // x is the last axis of an array, and the first of a position.
        for (to, from) in shape.iter_mut().zip(walls.shape().iter().rev()) {
            *to = *from;
        }
        Self::new(shape, spacing, origin, walls.iter().copied().collect())
    }

    /// As stored: a grid of `[x, y, z]` cells (z = 1 in 2D), x fastest in `blocked`: the order of
    /// an ndarray of shape `[y, x]` or `[z, y, x]`.
    ///
    /// # Errors
    /// [`FlockError::WallDepth`], [`FlockError::WallShape`], [`FlockError::Value`] (`spacing`
    /// is 1e-9 to 1e12, every number of `origin` within 1e18, and there are at most 2^28 cells).
    ///
    /// # Example
    /// ```
    /// use flocking::Walls;
    /// use glam::Vec2;
    ///
    /// let walls = Walls::new([3, 1, 1], 2.0, Vec2::ZERO, vec![false, true, false])?;
    /// assert!(walls.blocks(Vec2::new(2.9, 0.0)) && !walls.blocks(Vec2::new(3.1, 0.0)));
    /// # Ok::<(), flocking::FlockError>(())
    /// ```
    pub fn new(
        shape: [usize; 3],
        spacing: f64,
        origin: V,
        blocked: Vec<bool>,
    ) -> Result<Self, FlockError> {
        let cells = shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
        if V::FLAT && shape[2] != 1 {
            return Err(FlockError::WallDepth { found: shape[2] });
        }
        if cells != Some(blocked.len()) || blocked.len() > 1 << 28 {
            return Err(FlockError::WallShape { found: blocked.len(), shape });
        }
        number("spacing", spacing, (1e-9..=1e12).contains(&spacing), "1e-9 to 1e12")?;
        for value in to_f64(origin.to_xyz()) {
            number("origin", value, value.abs() <= 1e18, "within 1e18")?;
        }
        Ok(Self { shape, spacing, origin, blocked })
    }

    /// The same walls, checked again: they may come from a file.
    pub(crate) fn checked(walls: Self) -> Result<Self, FlockError> {
        Self::new(walls.shape, walls.spacing, walls.origin, walls.blocked)
    }

    /// Whether a position lies in a blocked cell.
    #[must_use]
    pub fn blocks(&self, position: V) -> bool {
        let p = self.in_cells(to_f64(position.to_xyz()));
        self.blocked_at(p.map(f64::floor))
    }

    /// In units of cells, cell (0, 0, 0) from 0 to 1.
    fn in_cells(&self, position: [f64; 3]) -> [f64; 3] {
        let origin = to_f64(self.origin.to_xyz());
        std::array::from_fn(|a| {
            if a == 2 && V::FLAT { 0.5 } else { (position[a] - origin[a]) / self.spacing + 0.5 }
        })
    }

    fn blocked_at(&self, cell: [f64; 3]) -> bool {
        let mut index = 0;
        for a in [2, 1, 0] {
            if !(cell[a] >= 0.0 && cell[a] < self.shape[a] as f64) {
                return false;
            }
            index = index * self.shape[a] + cell[a] as usize;
        }
        self.blocked[index]
    }

    /// How far one can go from `position` along the unit vector `heading` before a blocked cell, at
    /// most `look`. O(cells crossed).
    pub(crate) fn free(
        &self,
        position: [ScalarOf<V>; 3],
        heading: [ScalarOf<V>; 3],
        look: ScalarOf<V>,
    ) -> ScalarOf<V> {
        let from = self.in_cells(to_f64(position));
        let way = to_f64(heading);
        let most = look.to_f64() / self.spacing;
        let mut cell = from.map(f64::floor);
        // From outside, it begins where the path comes into the grid.
        let (mut done, mut entry) = (0.0, 3);
        for a in 0..3 {
            let (n, ahead) = (self.shape[a] as f64, way[a] > 0.0);
            if cell[a] >= 0.0 && cell[a] < n {
                continue;
            }
            if way[a] == 0.0 || ahead != (cell[a] < 0.0) {
                return look;
            }
            let border = if ahead { 0.0 } else { n };
            let enters = (border - from[a]) / way[a];
            if entry == 3 || enters > done {
                (done, entry) = (enters, a);
            }
        }
        if done >= most {
            return look;
        }
        if entry < 3 {
            cell = std::array::from_fn(|a| (from[a] + way[a] * done).floor());
            cell[entry] = if way[entry] > 0.0 { 0.0 } else { self.shape[entry] as f64 - 1.0 };
        }
        let mut next = [f64::INFINITY; 3];
        for a in 0..3 {
            if way[a] != 0.0 {
                let border = if way[a] > 0.0 { cell[a] + 1.0 } else { cell[a] };
                next[a] = (border - from[a]) / way[a];
            }
        }
        // A path of that length crosses no more borders; beyond the grid it is cut short.
        let budget = 3.0 * most.min(self.shape.iter().sum::<usize>() as f64 + 2.0) + 6.0;
        for _ in 0..budget as usize {
            if self.blocked_at(cell) {
                return ScalarOf::<V>::from_f64(done * self.spacing);
            }
            let mut axis = 0;
            for a in 1..3 {
                if next[a] < next[axis] {
                    axis = a;
                }
            }
            done = next[axis];
            // `done` is infinite where the heading is 0, which it never is.
            if done >= most {
                return look;
            }
            cell[axis] += way[axis].signum();
            next[axis] += 1.0 / way[axis].abs();
        }
        look
    }
}
