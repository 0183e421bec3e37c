//! Reading files of unknown worth.

use crate::memory;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file. Anything else is refused before it is opened: a pipe may block for ever,
/// and a device may never end.
///
/// # Errors
/// The errors of the system; [`io::ErrorKind::InvalidInput`] for anything that is no file,
/// [`io::ErrorKind::FileTooLarge`] beyond the limit of [`memory`](crate::memory),
/// [`io::ErrorKind::OutOfMemory`].
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        let what = "is a pipe, a device or a socket, not a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let mut bytes = Vec::new();
    let limit = memory::limit();
    if found.len() > limit {
        let (size, limit) = (memory::shown(found.len()), memory::shown(limit));
        let what = format!("the file has {size}, the limit is {limit} (--memory)");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
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
    String::from_utf8(read(path)?).map_err(|e| {
        let what = format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to());
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}
