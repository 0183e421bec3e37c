//! Value and gradient of a wave at real positions, by bi- and trilinear interpolation.
//!
//! Outside the grid and, under [`WallRule::Free`], in walls, z is that of the cell beside, since a
//! free end has no slope. So an interpolation leaves such cells out and weights the others to 1.
//! Under [`WallRule::Fixed`] a wall counts as 0.

use super::real::Real;
use super::wave::Wave;
use crate::error::WaveError;
use crate::grid::{Map, Medium, Space, WallRule};

/// Cells around a position with their weights, which sum to 1 with `rest`, the weight of fixed
/// walls.
struct Stencil {
    cells: [(usize, f64); 8],
    len: usize,
}

impl Stencil {
    fn cells(&self) -> &[(usize, f64)] {
        &self.cells[..self.len]
    }
}

/// Cells by their numbers.
fn stencil(map: &Map, position: [f64; 3]) -> Result<Stencil, WaveError> {
    let p = map.to_cells(position);
    let off = || WaveError::OffGrid { position: position[..map.axes()].to_vec() };
    let cell = map.nearest(p).ok_or_else(off)?;
    if !map.is_open(map.number(cell)) {
        return Err(WaveError::Wall { cell: map.name(cell) });
    }
    let mut stencil = Stencil { cells: [(0, 0.0); 8], len: 0 };
    let (mut kept, mut left_out) = (0.0, 0.0);
    for corner in 0..8u8 {
        let mut weight = 1.0;
        let mut at = [0usize; 3];
        let mut inside = true;
        for a in 0..3 {
            let low = p[a].floor();
            let u = p[a] - low;
            let high = corner >> a & 1 == 1;
            weight *= if high { u } else { 1.0 - u };
            let c = if high { low + 1.0 } else { low };
            inside &= c >= 0.0 && c < map.size()[2 - a] as f64;
            at[2 - a] = c.max(0.0) as usize;
        }
        if weight <= 0.0 {
            continue;
        }
        let number = if inside { map.number(at) } else { 0 };
        if inside && map.is_open(number) {
            stencil.cells[stencil.len] = (number, weight);
            stencil.len += 1;
            kept += weight;
        } else if !inside || map.wall_rule() == WallRule::Free {
            left_out += weight;
        } else {
            kept += weight;
        }
    }
    // Only where cells were left out: elsewhere the weights are exact as they are.
    if left_out > 0.0 {
        stencil.cells.iter_mut().for_each(|(_, weight)| *weight /= kept);
    }
    Ok(stencil)
}

impl<D: Space, S: Real> Wave<D, S> {
    /// z at a position (watanabe-2021 eq. 16-20 in 2D; trilinear in 3D).
    ///
    /// # Errors
    /// [`WaveError::OffGrid`], [`WaveError::Wall`], [`WaveError::OtherMedium`].
    ///
    /// # Example
    /// ```
    /// use glam::DVec2;
    /// use ndarray::Ix2;
    /// use wave_core::{Medium, Source, Wave};
    ///
    /// let medium = Medium::<Ix2>::builder([3, 3]).build()?;
    /// let mut wave = Wave::new(&medium)?;
    /// wave.emit(&medium, [1, 1], Source::Impulse { amplitude: 1.0 })?;
    /// assert_eq!(wave.value_at(&medium, DVec2::new(1.0, 1.0))?, 1.0);
    /// assert_eq!(wave.value_at(&medium, DVec2::new(1.25, 1.0))?, 0.75);
    /// assert!(wave.value_at(&medium, DVec2::new(2.6, 1.0)).is_err());
    /// # Ok::<(), wave_core::WaveError>(())
    /// ```
    pub fn value_at(
        &self,
        medium: &Medium<D>,
        position: impl Into<D::Point>,
    ) -> Result<f64, WaveError> {
        let map = medium.map();
        self.check_medium(map)?;
        let stencil = stencil(map, D::to_xyz(position.into()))?;
        let z = |number| self.now()[self.layout().index(map.cell(number))].to_f64();
        Ok(stencil.cells().iter().map(|&(number, weight)| weight * z(number)).sum())
    }

    /// The gradient of z at a position: central differences `(z[i + 1] - z[i - 1]) / 2h` per axis
    /// at the cells around, interpolated as in [`Wave::value_at`].
    ///
    /// # Errors
    /// [`WaveError::OffGrid`], [`WaveError::Wall`], [`WaveError::OtherMedium`].
    pub fn gradient_at(
        &self,
        medium: &Medium<D>,
        position: impl Into<D::Point>,
    ) -> Result<D::Point, WaveError> {
        let map = medium.map();
        self.check_medium(map)?;
        let stencil = stencil(map, D::to_xyz(position.into()))?;
        let mut gradient = [0.0; 3];
        for &(number, weight) in stencil.cells() {
            for (g, d) in gradient.iter_mut().zip(self.cell_gradient(map, number)) {
                *g += weight * d;
            }
        }
        Ok(D::from_xyz(gradient))
    }

    fn cell_gradient(&self, map: &Map, number: usize) -> [f64; 3] {
        let z = self.now();
        let mut gradient = [0.0; 3];
        let (cell, [nz, ny, nx]) = (map.cell(number), map.size());
        let i = self.layout().index(cell);
        let steps = [1, nx, nx * ny];
        for (a, &s) in self.layout().strides().iter().enumerate() {
            let (c, n) = (cell[2 - a], [nx, ny, nz][a]);
            let value = |j: usize, there: Option<usize>| {
                match there {
                    Some(there) if map.is_open(there) => z[j].to_f64(),
                    // What the wave was there before it became a wall may still be stored.
                    Some(_) if map.wall_rule() == WallRule::Fixed => 0.0,
                    _ => z[i].to_f64(),
                }
            };
            let after = value(i + s, (c + 1 < n).then(|| number + steps[a]));
            let before = value(i - s, (c > 0).then(|| number - steps[a]));
            gradient[a] = (after - before) / (2.0 * map.spacing());
        }
        gradient
    }
}
