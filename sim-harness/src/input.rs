//! Reading files of unknown worth.

use crate::memory;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file within the limit of [`memory`](crate::memory).
///
/// # Errors
/// As [`read_within`]; [`io::ErrorKind::FileTooLarge`] names the limit.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let limit = memory::limit();
    read_within(path, limit, |bytes| {
        let (size, limit) = (memory::shown(bytes), memory::shown(limit));
        format!("the file has {size}, the limit is {limit} (--memory)")
    })
}

/// The bytes of a file that has at most so many, or what `too_large` says of their number. Anything
/// else is refused before it is opened: a pipe may block for ever, and a device may never end.
///
/// # Errors
/// The errors of the system; [`io::ErrorKind::InvalidInput`] for anything that is no file,
/// [`io::ErrorKind::FileTooLarge`], [`io::ErrorKind::OutOfMemory`].
pub(crate) fn read_within(
    path: &Path,
    limit: u64,
    too_large: impl FnOnce(u64) -> String,
) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        let what = "is a pipe, a device or a socket, not a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    if found.len() > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, too_large(found.len())));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(found.len() as usize).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // It may grow meanwhile.
    fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file.
///
/// # Errors
/// As [`read`]; [`io::ErrorKind::InvalidData`] names the first byte that is not UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read(path)?).map_err(|e| {
        let what = format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to());
        io::Error::new(io::ErrorKind::InvalidData, what)
    })?;
    // Some editors begin a text with a byte order mark.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
