//! Numbers in buffers.

use super::super::super::ImportError;
use super::super::super::source::Source;
use super::document::{Buffer, Document};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// The bytes of each buffer.
pub(super) struct Buffers<'a>(Vec<Cow<'a, [u8]>>);

impl<'a> Buffers<'a> {
    pub(super) fn read(
        source: &Source,
        document: &Document,
        blob: &'a [u8],
    ) -> Result<Self, ImportError> {
        let read = |(i, buffer): (usize, &Buffer)| {
            let place = format!("buffer {i}");
            let bytes = match buffer.uri.as_deref() {
                None => Cow::Borrowed(blob),
                Some(uri) => Cow::Owned(match uri.strip_prefix("data:") {
                    Some(data) => {
                        let data = data.split_once(";base64,").map(|(_, data)| data);
                        let bytes = data.and_then(|data| STANDARD.decode(data).ok());
                        bytes.ok_or_else(|| source.error(&place, "its data: must be base64"))?
                    }
                    None if uri.contains("://") => {
                        return Err(source.error(place, "only files are read"));
                    }
                    None => {
                        source.beside(&place, &percent_decode_str(uri).decode_utf8_lossy())?.bytes
                    }
                }),
            };
            if bytes.len() < buffer.byte_length {
                let what =
                    format!("has {} bytes, the file says {}", bytes.len(), buffer.byte_length);
                return Err(source.error(place, what));
            }
            Ok(bytes)
        };
        document.buffers.iter().enumerate().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// The elements of an accessor, of `size` bytes each.
    fn elements(
        &self,
        document: &Document,
        index: usize,
        size: usize,
    ) -> Result<Elements<'_>, String> {
        let fail = |what: &str| format!("accessor {index}: {what}");
        let accessor = document.accessors.get(index).ok_or_else(|| fail("there is none"))?;
        if accessor.sparse.is_some() {
            return Err(fail("sparse accessors are not read"));
        }
        let view = accessor.buffer_view;
        let view =
            view.ok_or_else(|| fail("it has no buffer view; compressed meshes are not read"))?;
        let view =
            document.buffer_views.get(view).ok_or_else(|| fail("there is no such buffer view"))?;
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            return Err(fail(&format!(
                "its byteStride {stride} is less than the {size} of an element"
            )));
        }
        let (count, start) = (accessor.count, accessor.byte_offset);
        let bytes = self.0.get(view.buffer).and_then(|buffer| {
            let end = view.byte_offset.checked_add(view.byte_length)?;
            let view = buffer.get(view.byte_offset..end)?;
            let length = count.checked_sub(1)?.checked_mul(stride)?.checked_add(size)?;
            view.get(start..start.checked_add(length)?)
        });
        let bytes = bytes.ok_or_else(|| fail("it is empty or reaches beyond its buffer"))?;
        Ok(Elements { bytes, count, stride, size })
    }

    /// Positions.
    pub(super) fn points(&self, document: &Document, index: usize) -> Result<Elements<'_>, String> {
        let elements = self.elements(document, index, 12)?;
        let accessor = &document.accessors[index];
        if (accessor.component_type, &*accessor.kind) != (5126, "VEC3") {
            return Err(format!("accessor {index}: positions must be three floats"));
        }
        Ok(elements)
    }

    /// Numbers of points.
    pub(super) fn corners(
        &self,
        document: &Document,
        index: usize,
    ) -> Result<Elements<'_>, String> {
        let accessor = document.accessors.get(index);
        let size = match accessor.map(|accessor| (accessor.component_type, &*accessor.kind)) {
            Some((5121, "SCALAR")) => 1,
            Some((5123, "SCALAR")) => 2,
            Some((5125, "SCALAR")) => 4,
            _ => {
                return Err(format!(
                    "accessor {index}: indices must be whole numbers without a sign"
                ));
            }
        };
        self.elements(document, index, size)
    }
}

/// The elements of an accessor. Primitives may share one, so only what they name is read.
pub(super) struct Elements<'a> {
    bytes: &'a [u8],
    pub(super) count: usize,
    stride: usize,
    size: usize,
}

impl Elements<'_> {
    fn bytes(&self, at: usize) -> Option<&[u8]> {
        (at < self.count).then(|| &self.bytes[at * self.stride..][..self.size])
    }

    /// A position; `None` beyond the last one.
    pub(super) fn point(&self, at: usize) -> Option<[f64; 3]> {
        let b = self.bytes(at)?;
        Some([0, 4, 8].map(|i| f32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]).into()))
    }

    /// The number of a point; `None` beyond the last one.
    pub(super) fn corner(&self, at: usize) -> Option<usize> {
        let add = |all, &byte: &u8| all << 8 | usize::from(byte);
        Some(self.bytes(at)?.iter().rev().fold(0, add))
    }
}
