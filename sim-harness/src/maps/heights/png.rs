//! Grey PNG pictures: a pixel's value is a cell's height.

use super::{Heightmap, HeightmapError};
use crate::maps::printable;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use ndarray::Array2;
use std::io::Cursor;

/// `[units: pixels]` The longest side.
const MAX_SIDE: u32 = 1 << 14;

/// Parses a grey PNG of 8 or 16 bits; heights are 0 to 255 or 65535. There is no "no data" in it.
///
/// # Errors
/// [`HeightmapError::Png`], [`HeightmapError::Colour`].
pub fn parse_png(file: &str, bytes: &[u8]) -> Result<Heightmap, HeightmapError> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    let picture = reader.decode().map_err(|e| {
        let why = e.to_string().lines().next().unwrap_or("").chars().take(120).collect();
        HeightmapError::Png { file: printable(file), why }
    })?;
    let shape = (picture.height() as usize, picture.width() as usize);
    let heights: Vec<f64> = match picture {
        DynamicImage::ImageLuma8(grey) => grey.into_raw().into_iter().map(f64::from).collect(),
        DynamicImage::ImageLuma16(grey) => grey.into_raw().into_iter().map(f64::from).collect(),
        other => {
            let found = format!("{:?}", other.color());
            return Err(HeightmapError::Colour { file: printable(file), found });
        }
    };
    Array2::from_shape_vec(shape, heights)
        .map(|heights| Heightmap { heights, cell_size: None })
        .map_err(|_| HeightmapError::Png {
            file: printable(file),
            why: "its size is wrong".to_owned(),
        })
}
