//! Grey PNG pictures: a pixel's value is a cell's height.

use super::{Heightmap, HeightmapError, check_memory};
use crate::maps::printable;
use ndarray::Array2;
use png::{BitDepth, ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// `[units: bytes]` The most that the decoder may take beside its output.
const MAX_BYTES: usize = 1 << 26;

/// Parses a grey PNG of 8 or 16 bits; heights are 0 to 255 or 65535. There is no "no data" in it.
///
/// # Errors
/// [`HeightmapError::Png`], [`HeightmapError::Colour`].
pub fn parse_png(file: &str, bytes: &[u8]) -> Result<Heightmap, HeightmapError> {
    let refused = |why: &str| {
        let why = why.lines().next().unwrap_or("").chars().take(120).collect();
        HeightmapError::Png { file: printable(file), why }
    };
    let limits = Limits { bytes: MAX_BYTES };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
    // Greys of fewer than 8 bits become 8 bits.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|e| refused(&e.to_string()))?;
    let (width, height) = (reader.info().width, reader.info().height);
    // Before any of it is decoded: a few kilobytes may stand for any number of pixels.
    check_memory(file, width.into(), height.into())?;
    let wide = match reader.output_color_type() {
        (ColorType::Grayscale, BitDepth::Eight) => false,
        (ColorType::Grayscale, BitDepth::Sixteen) => true,
        (colour, depth) => {
            let found = format!("{colour:?}{}", depth as u8);
            return Err(HeightmapError::Colour { file: printable(file), found });
        }
    };
    let size = reader.output_buffer_size().ok_or_else(|| refused("is too large"))?;
    let mut pixels = vec![0; size];
    reader.next_frame(&mut pixels).map_err(|e| refused(&e.to_string()))?;
    let heights = if wide {
        let pairs = pixels.chunks_exact(2);
        pairs.map(|pair| f64::from(u16::from_be_bytes([pair[0], pair[1]]))).collect()
    } else {
        pixels.into_iter().map(f64::from).collect()
    };
    Array2::from_shape_vec([height as usize, width as usize], heights)
        .map(|heights| Heightmap { heights, no_go: None, cell_size: None })
        .map_err(|_| refused("its size is wrong"))
}
