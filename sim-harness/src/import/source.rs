//! A file of unknown worth, and the files that it refers to.

use super::{ImportError, MAX_BYTES, Store};
use crate::input;
use crate::maps::{MAX_AXIS, printable};
use crate::memory;
use std::cell::Cell;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// How often the path of another file may begin with `..`.
const MOST_UP: usize = 2;

/// A file and its bytes, at most [`MAX_BYTES`].
pub(super) struct Source {
    store: Store,
    path: PathBuf,
    pub(super) bytes: Vec<u8>,
    /// The bytes of the files that it refers to, each as often as it does: at most as many.
    beside: Cell<u64>,
}

impl Source {
    pub(super) fn read(store: &Store, path: &Path) -> Result<Self, ImportError> {
        let mut source = Self {
            store: store.clone(),
            path: path.to_owned(),
            bytes: Vec::new(),
            beside: Cell::new(0),
        };
        let too_large = |bytes| format!("has {bytes} bytes, at most {MAX_BYTES} are read");
        if let Some(bytes) = store.held(path)? {
            if bytes.len() as u64 > MAX_BYTES {
                return Err(source.file_error(too_large(bytes.len() as u64)));
            }
            bytes.clone_into(&mut source.bytes);
            return Ok(source);
        }
        source.bytes = input::read_within(path, MAX_BYTES, too_large).map_err(|e| {
            let is_too_large = e.kind() == ErrorKind::FileTooLarge;
            let what = if is_too_large { "" } else { "cannot be read: " };
            source.file_error(format!("{what}{e}"))
        })?;
        Ok(source)
    }

    /// The file that `relative` names from this file's folder.
    pub(super) fn beside(&self, place: &str, relative: &str) -> Result<Self, ImportError> {
        let path = Path::new(relative);
        let up = path.components().take_while(|c| matches!(c, Component::ParentDir)).count();
        let plain = |c| matches!(c, Component::Normal(_) | Component::CurDir);
        if up > MOST_UP || !path.components().skip(up).all(plain) || relative.is_empty() {
            let what = format!(
                "the path {} must be relative to the file's folder, with `..` at most {MOST_UP} times and only \
                 at its beginning",
                quoted(relative)
            );
            return Err(self.error(place, what));
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let file = Self::read(&self.store, &folder.join(path));
        let file = file.map_err(|e| self.error(place, e.to_string()))?;
        self.beside.set(self.beside.get() + file.bytes.len() as u64);
        if self.beside.get() > MAX_BYTES {
            let what = format!(
                "the files that the level refers to have more than {MAX_BYTES} bytes together, each \
                 counted as often as it is named"
            );
            return Err(self.error(place, what));
        }
        Ok(file)
    }

    pub(super) fn text(&self) -> Result<&str, ImportError> {
        std::str::from_utf8(&self.bytes).map_err(|e| {
            self.file_error(format!("is no UTF-8 text from byte {} on", e.valid_up_to()))
        })
    }

    /// The file's name without its folders.
    pub(super) fn name(&self) -> String {
        super::file_name(&self.path)
    }

    pub(super) fn ending(&self) -> String {
        crate::maps::extension(&self.path)
    }

    /// About the file as a whole.
    pub(super) fn file_error(&self, what: impl Into<String>) -> ImportError {
        let file = printable(&self.path.to_string_lossy());
        ImportError::File { file, what: line(&what.into()) }
    }

    /// About one of its elements.
    pub(super) fn error(&self, place: impl Into<String>, what: impl Into<String>) -> ImportError {
        let file = printable(&self.path.to_string_lossy());
        ImportError::Element { file, place: line(&place.into()), what: line(&what.into()) }
    }

    /// The size `[z, y, x]` of a level, if it may have it.
    pub(super) fn size(&self, place: &str, [z, y, x]: [u64; 3]) -> Result<[usize; 3], ImportError> {
        let fits = |n: u64| (1..=MAX_AXIS).contains(&n);
        let depth = if z == 1 { String::new() } else { format!(" x {z}") };
        if !(fits(x) && fits(y) && fits(z)) {
            let what =
                format!("{x} x {y}{depth} cells are not possible: an axis has 1 to {MAX_AXIS}");
            return Err(self.error(place, what));
        }
        memory::check(memory::of_map([z, y, x])).map_err(|e| {
            self.error(place, format!("{x} x {y}{depth} cells are not possible: the level {e}"))
        })?;
        Ok([z, y, x].map(|n| n as usize))
    }
}

/// Text of a file between quotes, escaped and cut.
pub(super) fn quoted(text: &str) -> String {
    const KEPT: usize = 48;
    let cut = if text.chars().nth(KEPT).is_some() { "..." } else { "" };
    let text: String = text.chars().take(KEPT).collect();
    format!("\"{}{cut}\"", text.escape_default())
}

/// One line of at most 300 characters.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect()
}

/// The JSON of a file; errors name the key by its path.
pub(super) fn json<T: serde::de::DeserializeOwned>(
    source: &Source,
    bytes: &[u8],
) -> Result<T, ImportError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|e| {
        let place = e.path().to_string();
        source.error(
            if matches!(&*place, "." | "?") { "JSON".to_owned() } else { place },
            e.inner().to_string(),
        )
    })?;
    reader.end().map_err(|e| source.error("JSON", e.to_string()))?;
    Ok(value)
}
