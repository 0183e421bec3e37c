//! `.map`: a grid drawn in letters under a header of four lines.

use super::error::{MapError, quote};
use super::lines::{Line, Lines};
use super::{Class, Layers, MAX_AXIS, MapFile, check_memory};

/// Reads an octile map; `name` is the map's name, and the file's in errors.
///
/// `height` and `width` may come in either order, lines may end in `\n` or `\r\n`.
///
/// # Errors
///
/// Every [`MapError`] about a header or a drawn map.
pub fn parse_octile(name: &str, bytes: &[u8]) -> Result<MapFile, MapError> {
    let mut lines = Lines::new(name, bytes)?;
    let first = lines.header("`type octile`")?;
    if first.fields() != [b"type".as_slice(), b"octile"] {
        return Err(first.other_than("type", "`type octile`"));
    }
    let (height, width) = size(&mut lines)?;
    let last = lines.header("`map`")?;
    if last.fields() != [b"map"] {
        return Err(last.not("`map`"));
    }

    // The size is only a claim: no more is allocated than there are letters left.
    let mut cells = Vec::with_capacity(lines.bytes_left().min(height * width));
    for row in 0..height {
        let number = lines.number();
        let line = lines.next().ok_or_else(|| MapError::MissingRows {
            file: last.file(),
            line: number,
            found: row,
            height,
        })?;
        add_row(&mut cells, &line, row, width)?;
    }
    if let Some(extra) = lines.next() {
        let (file, line, found) = (extra.file(), extra.number, quote(extra.bytes));
        return Err(MapError::ExtraRows { file, line, height, found });
    }
    Ok(MapFile {
        name: name.to_owned(),
        dimensions: 2,
        shape: [1, height, width],
        cells,
        layers: Layers::default(),
    })
}

fn size(lines: &mut Lines<'_>) -> Result<(usize, usize), MapError> {
    let first = lines.header("`height N` or `width N`")?;
    let (height, width, line) = match first.fields()[..] {
        [b"height", field] => {
            let height = extent(&first, "height", field)?;
            let line = lines.header("`width N`")?;
            let [b"width", field] = line.fields()[..] else {
                return Err(line.not("`width N`"));
            };
            (height, extent(&line, "width", field)?, line)
        }
        [b"width", field] => {
            let width = extent(&first, "width", field)?;
            let line = lines.header("`height N`")?;
            let [b"height", field] = line.fields()[..] else {
                return Err(line.not("`height N`"));
            };
            (extent(&line, "height", field)?, width, line)
        }
        _ => return Err(first.not("`height N` or `width N`")),
    };
    check_memory(&line, [1, height, width])?;
    Ok((height as usize, width as usize))
}

fn extent(line: &Line<'_>, what: &'static str, field: &[u8]) -> Result<u64, MapError> {
    line.integer(what, field, (1, MAX_AXIS))
}

fn add_row(
    cells: &mut Vec<Option<Class>>,
    line: &Line<'_>,
    row: usize,
    width: usize,
) -> Result<(), MapError> {
    if line.bytes.len() != width {
        let (file, found) = (line.file(), line.bytes.len());
        return Err(MapError::RowLength { file, line: line.number, row, found, width });
    }
    for (column, letter) in line.bytes.iter().enumerate() {
        cells.push(match letter {
            b'.' | b'G' | b'S' => Some(Class::Ground),
            b'W' => Some(Class::Water),
            b'@' | b'O' | b'T' => None,
            _ => {
                let (file, found) = (line.file(), quote(&[*letter]));
                return Err(MapError::Letter { file, line: line.number, row, column, found });
            }
        });
    }
    Ok(())
}
