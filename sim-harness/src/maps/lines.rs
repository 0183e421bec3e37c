//! The numbered lines of a text file of unknown worth, and the fields of a line.

use super::error::{MapError, printable, quote};

/// Lines without their ends (`\n` or `\r\n`); empty lines at the end of the file do not count.
pub(super) struct Lines<'a> {
    file: &'a str,
    rest: Option<&'a [u8]>,
    /// The number of the last line taken.
    number: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) number: usize,
    file: &'a str,
}

impl<'a> Lines<'a> {
    pub(super) fn new(file: &'a str, bytes: &'a [u8]) -> Result<Self, MapError> {
        let end = bytes.iter().rposition(|b| !matches!(b, b'\r' | b'\n'));
        let end = end.ok_or_else(|| MapError::Empty { file: printable(file) })?;
        Ok(Self { file, rest: Some(&bytes[..=end]), number: 0 })
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The next line of a header, which cannot end here.
    pub(super) fn header(&mut self, expected: &'static str) -> Result<Line<'a>, MapError> {
        let line = self.number + 1;
        self.next().ok_or_else(|| MapError::Header {
            file: printable(self.file),
            line,
            expected,
            found: "the end of the file".into(),
        })
    }

    /// How many bytes are not read yet.
    pub(super) fn bytes_left(&self) -> usize {
        self.rest.map_or(0, <[u8]>::len)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.rest?;
        let (line, rest) = match rest.iter().position(|&b| b == b'\n') {
            Some(end) => (&rest[..end], Some(&rest[end + 1..])),
            None => (rest, None),
        };
        self.rest = rest;
        self.number += 1;
        let bytes = line.strip_suffix(b"\r").unwrap_or(line);
        Some(Line { bytes, number: self.number, file: self.file })
    }
}

impl<'a> Line<'a> {
    pub(super) fn fields(&self) -> Vec<&'a [u8]> {
        let fields = self.bytes.split(u8::is_ascii_whitespace);
        fields.filter(|field| !field.is_empty()).collect()
    }

    pub(super) fn file(&self) -> String {
        printable(self.file)
    }

    pub(super) fn not(&self, expected: &'static str) -> MapError {
        MapError::Header {
            file: self.file(),
            line: self.number,
            expected,
            found: quote(self.bytes),
        }
    }

    /// An error about the first line of a file. If it does not begin with the format's word, the
    /// file is of another kind, and errors do not show its contents.
    pub(super) fn other_than(&self, word: &str, expected: &'static str) -> MapError {
        if self.fields().first() == Some(&word.as_bytes()) {
            return self.not(expected);
        }
        let found = format!("another line, of {} bytes", self.bytes.len());
        MapError::Header { file: self.file(), line: self.number, expected, found }
    }

    pub(super) fn columns(&self, expected: &'static str, found: usize) -> MapError {
        MapError::Columns { file: self.file(), line: self.number, expected, found }
    }

    /// A field of plain digits with `min <= value <= max`.
    pub(super) fn integer(
        &self,
        what: &'static str,
        field: &[u8],
        (min, max): (u64, u64),
    ) -> Result<u64, MapError> {
        let digits = |value: u64, &digit: &u8| {
            let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            value.checked_mul(10)?.checked_add(digit)
        };
        let value = field.iter().try_fold(0, digits);
        value.filter(|value| (min..=max).contains(value)).ok_or_else(|| MapError::Integer {
            file: self.file(),
            line: self.number,
            what,
            min,
            max,
            found: quote(field),
        })
    }

    /// A field that is a number for which `fits` holds; `what` says so.
    pub(super) fn real(
        &self,
        what: &'static str,
        field: &[u8],
        fits: impl Fn(f64) -> bool,
    ) -> Result<f64, MapError> {
        let value = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
        value.filter(|&value| fits(value)).ok_or_else(|| MapError::Real {
            file: self.file(),
            line: self.number,
            what,
            found: quote(field),
        })
    }
}
