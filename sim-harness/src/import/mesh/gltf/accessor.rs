//! Numbers in buffers.

use super::super::super::ImportError;
use super::super::super::source::Source;
use super::document::{Buffer, Document};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
                    None => source.beside(&place, &uri.replace("%20", " "))?.bytes,
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

    /// The bytes of each element of an accessor, of `size` bytes each.
    fn elements(
        &self,
        document: &Document,
        index: usize,
        size: usize,
    ) -> Result<impl Iterator<Item = &[u8]>, String> {
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
        let stride = view.byte_stride.unwrap_or(size).max(1);
        let (count, start) = (accessor.count, accessor.byte_offset);
        let bytes = self.0.get(view.buffer).and_then(|buffer| {
            let end = view.byte_offset.checked_add(view.byte_length)?;
            let view = buffer.get(view.byte_offset..end)?;
            let length = count.checked_sub(1)?.checked_mul(stride)?.checked_add(size)?;
            view.get(start..start.checked_add(length)?)
        });
        let bytes = bytes.ok_or_else(|| fail("it is empty or reaches beyond its buffer"))?;
        Ok((0..count).map(move |i| &bytes[i * stride..][..size]))
    }

    /// Positions.
    pub(super) fn points(
        &self,
        document: &Document,
        index: usize,
    ) -> Result<Vec<[f64; 3]>, String> {
        let elements = self.elements(document, index, 12)?;
        let accessor = &document.accessors[index];
        if (accessor.component_type, &*accessor.kind) != (5126, "VEC3") {
            return Err(format!("accessor {index}: positions must be three floats"));
        }
        let float = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        Ok(elements.map(|b| [float(b), float(&b[4..]), float(&b[8..])]).collect())
    }

    /// Numbers of points, of which there are so many.
    pub(super) fn corners(
        &self,
        document: &Document,
        index: usize,
        points: usize,
    ) -> Result<Vec<usize>, String> {
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
        let number = |b: &[u8]| b.iter().rev().fold(0, |all, &byte| all << 8 | usize::from(byte));
        let corners: Vec<usize> = self.elements(document, index, size)?.map(number).collect();
        match corners.iter().find(|&&corner| corner >= points) {
            Some(corner) => {
                Err(format!("accessor {index}: the index {corner} names no point of {points}"))
            }
            None => Ok(corners),
        }
    }
}
