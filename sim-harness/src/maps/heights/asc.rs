//! ESRI ASCII grids: a header of keys and numbers, then one line of heights per row.

use super::{Heightmap, HeightmapError, NO_DATA, check_memory};
use crate::maps::{printable, quote};
use ndarray::Array2;

/// The values of the header; the corner is read and not used.
#[derive(Default)]
struct Header {
    columns: Option<u64>,
    rows: Option<u64>,
    cell_size: Option<f64>,
    no_data: Option<f64>,
    corner: [Option<f64>; 2],
}

/// Parses an ESRI ASCII grid. Keys are taken in any order and in any case; without `NODATA_value`
/// it is -9999.
///
/// # Errors
/// [`HeightmapError`] with the line.
pub fn parse_asc(file: &str, bytes: &[u8]) -> Result<Heightmap, HeightmapError> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty())
        .peekable();
    let mut header = Header::default();
    // A header line begins with a letter, which no height does ("nan" and "inf" are refused below).
    while let Some(&(number, line)) = lines.peek() {
        let mut fields = line.split_whitespace();
        let key = fields.next().unwrap_or("");
        if !key.starts_with(|c: char| c.is_ascii_alphabetic()) || is_word_for_a_number(key) {
            break;
        }
        let value = fields.next().unwrap_or("");
        header.take(file, number, key, value, fields.next().is_some())?;
        lines.next();
    }
    let missing = |key| HeightmapError::Missing { file: printable(file), key };
    let columns = header.columns.ok_or_else(|| missing("ncols"))?;
    let rows = header.rows.ok_or_else(|| missing("nrows"))?;
    let cell_size = header.cell_size.ok_or_else(|| missing("cellsize"))?;
    if columns.saturating_mul(rows) < 2 {
        return Err(HeightmapError::Size { file: printable(file), columns, rows });
    }
    check_memory(file, columns, rows)?;
    let no_data = header.no_data.unwrap_or(NO_DATA);
    // A header may promise more than the file holds: memory follows the file.
    let mut heights = Vec::with_capacity(((columns * rows) as usize).min(bytes.len()));
    let mut row = 0;
    for (line, text) in lines {
        let mut found = 0;
        for field in text.split_whitespace() {
            let value = field.parse::<f64>().ok().filter(|v| v.is_finite());
            let Some(value) = value else {
                return Err(HeightmapError::Height {
                    file: printable(file),
                    line,
                    row,
                    column: found,
                    found: quote(field.as_bytes()),
                });
            };
            heights.push(if value == no_data { f64::NAN } else { value });
            found += 1;
        }
        if found as u64 != columns {
            let (file, expected) = (printable(file), columns as usize);
            return Err(HeightmapError::Row { file, line, row, found, expected });
        }
        row += 1;
        if row as u64 > rows {
            break;
        }
    }
    let shape = (rows as usize, columns as usize);
    Array2::from_shape_vec(shape, heights)
        .map(|heights| Heightmap { heights, no_go: None, cell_size: Some(cell_size) })
        .map_err(|_| HeightmapError::Rows {
            file: printable(file),
            found: row,
            expected: rows as usize,
        })
}

fn is_word_for_a_number(key: &str) -> bool {
    ["nan", "inf", "infinity"].iter().any(|word| key.eq_ignore_ascii_case(word))
}

impl Header {
    fn is_empty(&self) -> bool {
        self.columns.or(self.rows).is_none() && self.cell_size.or(self.no_data).is_none()
    }

    fn take(
        &mut self,
        file: &str,
        line: usize,
        key: &str,
        value: &str,
        more: bool,
    ) -> Result<(), HeightmapError> {
        let fail = |what, found: &str| {
            let (file, found) = (printable(file), quote(found.as_bytes()));
            Err(HeightmapError::Header { file, line, what, found })
        };
        if more && !self.is_empty() {
            return fail("a header line must be a key and a number", key);
        }
        let number = value.parse::<f64>().ok();
        let twice = match key.to_ascii_lowercase().as_str() {
            "ncols" => match value.parse() {
                Ok(n) => self.columns.replace(n).is_some(),
                Err(_) => return fail("ncols must be a whole number", value),
            },
            "nrows" => match value.parse() {
                Ok(n) => self.rows.replace(n).is_some(),
                Err(_) => return fail("nrows must be a whole number", value),
            },
            "cellsize" => match number.filter(|n| n.is_finite() && *n > 0.0) {
                Some(n) => self.cell_size.replace(n).is_some(),
                None => return fail("cellsize must be a number > 0", value),
            },
            "nodata_value" => match number.filter(|n| !n.is_infinite()) {
                Some(n) => self.no_data.replace(n).is_some(),
                None => return fail("NODATA_value must be a number", value),
            },
            corner @ ("xllcorner" | "xllcenter" | "yllcorner" | "yllcenter") => {
                let axis = usize::from(corner.starts_with('y'));
                match number.filter(|n| n.is_finite()) {
                    Some(n) => self.corner[axis].replace(n).is_some(),
                    None => return fail("the corner must be a number", value),
                }
            }
            // If the file is no such grid at all, errors do not show its contents.
            _ if self.is_empty() => {
                let (file, found) = (printable(file), "another line".to_owned());
                let what = "a grid begins with ncols and nrows";
                return Err(HeightmapError::Header { file, line, what, found });
            }
            _ => {
                return fail(
                    "known keys are ncols, nrows, xllcorner, yllcorner, cellsize, NODATA_value",
                    key,
                );
            }
        };
        if twice { fail("the key stands twice", key) } else { Ok(()) }
    }
}
