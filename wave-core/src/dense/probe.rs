//! Value and gradient of a wave at real positions, by bi- and trilinear interpolation.
//!
//! What is not there counts as the ends are: outside the grid and, under [`WallRule::Free`], in
//! walls, z is what it is in the cell beside (a free end has no slope), so such cells are left out
//! of an interpolation and the rest is weighted to 1. Under [`WallRule::Fixed`] a wall counts as 0.

use crate::dense::real::Real;
use crate::dense::wave::Wave;
use crate::error::WaveError;
use crate::grid::medium::{Medium, WallRule};
use crate::grid::space::Space;

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

fn stencil<D: Space, S: Real>(
    medium: &Medium<D, S>,
    position: D::Point,
) -> Result<Stencil, WaveError> {
    let p = medium.to_cells(position);
    let off = || WaveError::OffGrid { position: D::to_xyz(position) };
    let cell = medium.nearest(p).ok_or_else(off)?;
    if !medium.is_open(medium.layout.index(cell)) {
        return Err(WaveError::Wall { cell });
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
            inside &= c >= 0.0 && c < medium.layout.size[2 - a] as f64;
            at[2 - a] = c.max(0.0) as usize;
        }
        if weight <= 0.0 {
            continue;
        }
        let index = if inside { medium.layout.index(at) } else { 0 };
        if inside && medium.is_open(index) {
            stencil.cells[stencil.len] = (index, weight);
            stencil.len += 1;
            kept += weight;
        } else if !inside || medium.wall_rule() == WallRule::Free {
            left_out += weight;
        } else {
            kept += weight;
        }
    }
    // Only where something was left out: elsewhere the weights are exact as they are.
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
    /// let mut wave = Wave::new(&medium);
    /// wave.emit(&medium, [1, 1], Source::Impulse { amplitude: 1.0 })?;
    /// assert_eq!(wave.value_at(&medium, DVec2::new(1.0, 1.0))?, 1.0);
    /// assert_eq!(wave.value_at(&medium, DVec2::new(1.25, 1.0))?, 0.75);
    /// assert!(wave.value_at(&medium, DVec2::new(2.6, 1.0)).is_err());
    /// # Ok::<(), wave_core::WaveError>(())
    /// ```
    pub fn value_at(
        &self,
        medium: &Medium<D, S>,
        position: impl Into<D::Point>,
    ) -> Result<f64, WaveError> {
        self.check_medium(medium)?;
        let stencil = stencil(medium, position.into())?;
        let z = self.now();
        Ok(stencil.cells().iter().map(|&(i, weight)| weight * z[i].to_f64()).sum())
    }

    /// The gradient of z at a position: central differences `(z[i + 1] - z[i - 1]) / 2h` per axis
    /// at the cells around, interpolated as in [`Wave::value_at`].
    ///
    /// # Errors
    /// [`WaveError::OffGrid`], [`WaveError::Wall`], [`WaveError::OtherMedium`].
    pub fn gradient_at(
        &self,
        medium: &Medium<D, S>,
        position: impl Into<D::Point>,
    ) -> Result<D::Point, WaveError> {
        self.check_medium(medium)?;
        let stencil = stencil(medium, position.into())?;
        let mut gradient = [0.0; 3];
        for &(i, weight) in stencil.cells() {
            for (g, d) in gradient.iter_mut().zip(self.cell_gradient(medium, i)) {
                *g += weight * d;
            }
        }
        Ok(D::from_xyz(gradient))
    }

    fn cell_gradient(&self, medium: &Medium<D, S>, i: usize) -> [f64; 3] {
        let z = self.now();
        let mut gradient = [0.0; 3];
        let layout = &medium.layout;
        let cell = layout.cell(i);
        for (a, &s) in layout.strides().iter().enumerate() {
            let value = |j: usize, outside: bool| {
                let free = outside || medium.wall_rule() == WallRule::Free;
                if free && !medium.is_open(j) { z[i] } else { z[j] }.to_f64()
            };
            let after = value(i + s, cell[2 - a] + 1 == layout.size[2 - a]);
            let before = value(i - s, cell[2 - a] == 0);
            gradient[a] = (after - before) / (2.0 * medium.spacing());
        }
        gradient
    }
}
