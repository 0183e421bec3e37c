//! The tiles of a layer: as numbers, as text, packed or not.

use super::super::source::quoted;
use super::model::{Data, Layer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::{GzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;
use std::borrow::Cow;
use std::io::Read;

/// The numbers of exactly `cells` tiles.
///
/// # Errors
/// What is wrong with them, in words.
pub(super) fn numbers<'a>(
    layer: &Layer,
    data: &'a Data,
    cells: usize,
) -> Result<Cow<'a, [u32]>, String> {
    let numbers = match data {
        Data::Numbers(numbers) => Cow::Borrowed(&numbers[..]),
        Data::Text(text) => Cow::Owned(match (&*layer.encoding, &*layer.compression) {
            ("csv", "") => {
                let fields = text.split(',').map(str::trim).filter(|field| !field.is_empty());
                let number = |field: &str| {
                    field.parse().map_err(|_| format!("{} is no tile number", quoted(field)))
                };
                fields.take(cells + 1).map(number).collect::<Result<_, _>>()?
            }
            ("base64", compression) => {
                let most = 4 * cells;
                let bytes = packed(text, compression, most)?;
                if bytes.len() != most {
                    let more = if bytes.len() > most { "more than " } else { "" };
                    let found = bytes.len().min(most);
                    return Err(format!(
                        "its data has {more}{found} bytes, {cells} tiles have {most}"
                    ));
                }
                let numbers = bytes.chunks_exact(4);
                numbers.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
            }
            (encoding, compression) => {
                let (encoding, compression) = (quoted(encoding), quoted(compression));
                return Err(format!(
                    "encoding {encoding}, compression {compression}: must be csv, or base64 with zlib, gzip, zstd or none"
                ));
            }
        }),
    };
    if numbers.len() == cells {
        return Ok(numbers);
    }
    let more = if numbers.len() > cells { "more than " } else { "" };
    Err(format!("it has {more}{} tiles, its size asks for {cells}", numbers.len().min(cells)))
}

/// The bytes of base64 text, unpacked: at most one byte more than `most`.
fn packed(text: &str, compression: &str, most: usize) -> Result<Vec<u8>, String> {
    let bytes: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(bytes).map_err(|e| format!("its base64 data: {e}"))?;
    let unpacked = match compression {
        "" => return Ok(bytes),
        "zlib" => up_to(ZlibDecoder::new(&bytes[..]), most),
        "gzip" => up_to(GzDecoder::new(&bytes[..]), most),
        "zstd" => match StreamingDecoder::new(&bytes[..]) {
            Ok(decoder) => up_to(decoder, most),
            Err(e) => return Err(format!("its zstd data: {e}")),
        },
        _ => return Err(format!("compression {} is not known", quoted(compression))),
    };
    unpacked.map_err(|e| format!("its {compression} data: {e}"))
}

fn up_to(decoder: impl Read, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    decoder.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
