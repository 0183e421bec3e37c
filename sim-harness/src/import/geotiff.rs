//! Heights from GeoTIFF, as GIS programs write them: one band of whole numbers or floats.
//!
//! The first row is the northern one, as in `.asc`. `ModelPixelScale` gives the cell's side,
//! `GDAL_NODATA` the height that means no data.

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

pub(super) fn read(source: &Source) -> Result<Heightmap, ImportError> {
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
    limits.decoding_buffer_size = bytes as usize;
    limits.intermediate_buffer_size = bytes as usize + SMALL;
    limits.ifd_value_size = SMALL;
    let mut decoder = decoder.with_limits(limits);
    let no_data = number_of_text(&mut decoder);
    let cell_size = match decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).ok().as_deref() {
        Some(&[x, y, ..]) if x > 0.0 && x.is_finite() => {
            if (x - y).abs() > 1e-6 * x {
                let what = format!("cells must be squares, ModelPixelScale is {x:?} x {y:?}");
                return Err(source.error(place, what));
            }
            Some(x)
        }
        _ => None,
    };
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

fn number_of_text(decoder: &mut Decoder<Cursor<&[u8]>>) -> Option<f64> {
    let text = decoder.get_tag_ascii_string(Tag::GdalNodata).ok()?;
    text.trim_matches(['\0', ' ', '\n']).parse().ok()
}
