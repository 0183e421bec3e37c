//! Heights from GeoTIFF, as GIS programs write them: one band of whole numbers or floats.
//!
//! The first row is the northern one, as in `.asc`. `ModelPixelScale` or `ModelTransformation` gives
//! the cell's side, `GDAL_NODATA` the height that means no data.

use super::ImportError;
use super::source::Source;
use crate::maps::heights::Heightmap;
use ndarray::Array2;
use std::io::Cursor;
use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

/// No compression of the format makes heights smaller than one byte in so many, so a file that
/// claims more is not valid.
const MOST_PACKED: u64 = 1 << 12;
/// `[units: bytes]` The memory that the tags and a strip may take beside the heights.
const SMALL: usize = 1 << 20;

/// Degrees are no length, so cells that wide have no side: where somebody `needs_side`, they are
/// refused.
pub(super) fn read(source: &Source, needs_side: bool) -> Result<Heightmap, ImportError> {
    let fail = |e: tiff::TiffError| source.error("TIFF", e.to_string());
    if let Some((tag, values)) = long_tag(&source.bytes) {
        let what = format!(
            "says that it holds {values} values, the file has {} bytes",
            source.bytes.len()
        );
        return Err(source.error(format!("TIFF: tag {tag}"), what));
    }
    let mut decoder = Decoder::new(Cursor::new(&source.bytes[..])).map_err(fail)?;
    let (width, height) = decoder.dimensions().map_err(fail)?;
    let place = format!("a picture of {width} x {height}");
    source.size(&place, [1, u64::from(height), u64::from(width)])?;
    let colour = decoder.colortype().map_err(fail)?;
    let ColorType::Gray(bits) = colour else {
        return Err(
            source.error(place, format!("must have one band of heights, it has {colour:?}"))
        );
    };
    let bytes = u64::from(width) * u64::from(height) * u64::from(bits).div_ceil(8);
    if bytes > MOST_PACKED * source.bytes.len() as u64 {
        return Err(source.error(place, format!("{} bytes cannot hold it", source.bytes.len())));
    }
    let mut limits = Limits::default();
    // It holds for tags, too, and those of a small picture may be larger than its heights.
    limits.decoding_buffer_size = bytes as usize + SMALL;
    limits.intermediate_buffer_size = bytes as usize + SMALL;
    limits.ifd_value_size = SMALL;
    let mut decoder = decoder.with_limits(limits);
    // The decoder turns such heights over, and GIS programs do not.
    if decoder.get_tag_u32(Tag::PhotometricInterpretation).ok() == Some(0) {
        return Err(source.error(place, "WhiteIsZero is for pictures: heights are BlackIsZero"));
    }
    let no_data = number_of_text(&mut decoder);
    let mut cell_size = cell_size(&mut decoder).map_err(|what| source.error(&*place, what))?;
    if is_in_degrees(&mut decoder)
        && let Some(degrees) = cell_size.take()
        && needs_side
    {
        let what = format!(
            "cells are {degrees:?} degrees wide: state their side in the unit of heights (--cell)"
        );
        return Err(source.error(place, what));
    }
    let heights: Vec<f64> = match decoder.read_image().map_err(fail)? {
        DecodingResult::U8(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::U16(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::U32(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::U64(v) => v.into_iter().map(|v| v as f64).collect(),
        DecodingResult::I8(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::I16(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::I32(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::I64(v) => v.into_iter().map(|v| v as f64).collect(),
        DecodingResult::F16(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::F32(v) => v.into_iter().map(f64::from).collect(),
        DecodingResult::F64(v) => v,
    };
    // GDAL writes the number of an f32 with more digits than it has.
    let is_no_data = |v: f64| no_data.is_some_and(|n| v == n || v == f64::from(n as f32));
    let mut heights = Array2::from_shape_vec([height as usize, width as usize], heights)
        .map_err(|_| source.error(&place, "it has another number of heights than its size says"))?;
    for ((row, column), height) in heights.indexed_iter_mut() {
        if height.is_nan() || is_no_data(*height) {
            *height = f64::NAN;
        } else if !super::names::is_height(*height) {
            let what = format!(
                "the height {height} is beyond +-1e9; without a no-data tag every height counts"
            );
            return Err(source.error(format!("row {row}, column {column}"), what));
        }
    }
    Ok(Heightmap { heights, no_go: None, cell_size })
}

/// The first tag of the first directory that says it holds more values than the file has bytes,
/// with the number it says. The decoder makes room for a tag's values before it looks for them, and
/// takes limits only after it has read this directory.
fn long_tag(bytes: &[u8]) -> Option<(u64, u64)> {
    let big_endian = bytes.starts_with(b"MM");
    let number = |at: u64, width: usize| {
        let at = usize::try_from(at).ok()?;
        let digits = bytes.get(at..at.checked_add(width)?)?;
        let add = |n: u64, digit: &u8| n << 8 | u64::from(*digit);
        Some(if big_endian { digits.iter().fold(0, add) } else { digits.iter().rev().fold(0, add) })
    };
    // BigTIFF has the number 43 where TIFF has 42, and wider fields.
    let is_big = number(2, 2)? == 43;
    let (start, head, entry, field) = if is_big { (8, 8, 20, 8) } else { (4, 2, 12, 4) };
    let directory = number(start, field)?;
    let tags = number(directory, head)?.min(bytes.len() as u64 / entry);
    (0..tags).find_map(|i| {
        let at = directory.checked_add(head as u64 + i * entry)?;
        let values = number(at.checked_add(4)?, field)?;
        (values > bytes.len() as u64).then_some((number(at, 2)?, values))
    })
}

/// The side of a cell, if the file has one. Rows must run east, the first one in the north.
fn cell_size(decoder: &mut Decoder<Cursor<&[u8]>>) -> Result<Option<f64>, String> {
    if let Some(&[x, y, ..]) = decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).ok().as_deref()
        && x > 0.0
        && x.is_finite()
    {
        let is_square = (x - y).abs() <= 1e-6 * x;
        let what = || format!("cells must be squares, ModelPixelScale is {x:?} x {y:?}");
        return if is_square { Ok(Some(x)) } else { Err(what()) };
    }
    let matrix = decoder.get_tag_f64_vec(Tag::ModelTransformationTag).ok();
    let Some(&[x, aslant, _, _, tilted, y, ..]) = matrix.as_deref() else { return Ok(None) };
    let is_upright = [aslant, tilted, x + y].iter().all(|v| v.abs() <= 1e-6 * x);
    let what = || {
        format!(
            "the first row must be the northern one and cells squares, ModelTransformation begins \
             {x:?} {aslant:?}, {tilted:?} {y:?}"
        )
    };
    if x > 0.0 && x.is_finite() && is_upright { Ok(Some(x)) } else { Err(what()) }
}

/// Whether the file's coordinates are angles: the key `GTModelType` is 2.
fn is_in_degrees(decoder: &mut Decoder<Cursor<&[u8]>>) -> bool {
    let keys = decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap_or_default();
    keys.chunks_exact(4).skip(1).any(|key| *key == [1024, 0, 1, 2])
}

fn number_of_text(decoder: &mut Decoder<Cursor<&[u8]>>) -> Option<f64> {
    let text = decoder.get_tag_ascii_string(Tag::GdalNodata).ok()?;
    text.trim_matches(['\0', ' ', '\n']).parse().ok()
}
