//! `512x512x512`: the size of a grid as a user writes it.

use benches::scenes;
use ndarray::Ix3;
use sim_harness::maps::{Layers, MapFile};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The most cells that a grid may have: some 12 GiB for all contestants of the largest comparison.
pub(crate) const MAX_CELLS: usize = 1 << 28;

/// A grid of two or three axes, each at least one cell long, [`MAX_CELLS`] at most in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// x, y, z; z is 1 on a flat grid.
    size: [usize; 3],
    axes: usize,
}

/// Why a grid was refused.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum GridError {
    #[error("a grid is XxY or XxYxZ, such as 1024x1024 or 512x512x512")]
    Form,
    #[error("axis {axis} is {found:?}, not a whole number from 1 to {MAX_CELLS}")]
    Axis { axis: char, found: String },
    #[error("{cells} cells are too many: at most {MAX_CELLS}")]
    Cells { cells: u128 },
}

impl Grid {
    /// 2 or 3.
    pub(crate) fn axes(self) -> usize {
        self.axes
    }

    /// `[z, y, x]`, with z = 1 on a flat grid.
    pub(crate) fn zyx(self) -> [usize; 3] {
        let [x, y, z] = self.size;
        [z, y, x]
    }

    pub(crate) fn cells(self) -> usize {
        self.size.iter().product()
    }

    /// A map of that size, every tenth cell of it a wall, the same in every run.
    pub(crate) fn random(self) -> MapFile {
        let walls = scenes::random_walls::<Ix3>(self.zyx(), 0.1, 1);
        MapFile::from_walls(format!("random {self}"), self.axes, &walls, Layers::default())
    }
}

impl FromStr for Grid {
    type Err = GridError;

    fn from_str(text: &str) -> Result<Self, GridError> {
        let fields: Vec<&str> = text.splitn(4, 'x').collect();
        let axes = fields.len();
        if !(2..=3).contains(&axes) {
            return Err(GridError::Form);
        }
        let mut size = [1; 3];
        for ((extent, field), axis) in size.iter_mut().zip(fields).zip("xyz".chars()) {
            // `parse` would take a sign.
            let digits = field.bytes().all(|b| b.is_ascii_digit());
            let number = field.parse().ok();
            *extent =
                number.filter(|n| digits && (1..=MAX_CELLS).contains(n)).ok_or_else(|| {
                    let found = field.chars().take(20).collect();
                    GridError::Axis { axis, found }
                })?;
        }
        let cells = size.iter().map(|&n| n as u128).product();
        if cells > MAX_CELLS as u128 {
            return Err(GridError::Cells { cells });
        }
        Ok(Self { size, axes })
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents: Vec<String> = self.size[..self.axes].iter().map(usize::to_string).collect();
        f.write_str(&extents.join("x"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_x_first_and_come_back() {
        let flat: Grid = "7x5".parse().unwrap();
        assert_eq!((flat.zyx(), flat.axes(), flat.cells()), ([1, 5, 7], 2, 35));
        let deep: Grid = "7x5x1".parse().unwrap();
        assert_eq!((deep.zyx(), deep.axes()), ([1, 5, 7], 3));
        for text in ["1x1", "1024x1024", "2x3x4", "268435456x1", "512x512x512"] {
            assert_eq!(text.parse::<Grid>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn malformed_empty_and_huge_grids_are_refused() {
        let form = ["", "7", "x", "1x2x3x4", "1x2x3x", "7X5"];
        for text in form {
            assert!(text.parse::<Grid>().is_err(), "{text:?}");
        }
        let axis = |text: &str| match text.parse::<Grid>() {
            Err(GridError::Axis { axis, .. }) => axis,
            other => panic!("{text:?}: {other:?}"),
        };
        assert_eq!(axis("0x5"), 'x');
        assert_eq!(axis("5x0x5"), 'y');
        assert_eq!(axis("5x5x"), 'z');
        assert_eq!(axis("+5x5"), 'x');
        assert_eq!(axis("5x-5"), 'y');
        assert_eq!(axis("5x 5"), 'y');
        assert_eq!(axis("5.0x5"), 'x');
        assert_eq!(axis("99999999999999999999999999999999999999999x5"), 'x');
        assert_eq!("16385x16384".parse::<Grid>(), Err(GridError::Cells { cells: 268_451_840 }));
        let all = "268435456x268435456x268435456".parse::<Grid>();
        assert!(matches!(all, Err(GridError::Cells { .. })));
    }
}
