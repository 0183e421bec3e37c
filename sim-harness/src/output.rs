//! Files that are there whole or not at all, several together if they belong together.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file was not written. Files of an earlier run are as they were.
#[derive(Debug, Error)]
#[error("{path}: {reason}", path = path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system says.
    pub reason: String,
}

impl WriteError {
    pub(crate) fn new(path: impl Into<PathBuf>, reason: &dyn Display) -> Self {
        Self { path: path.into(), reason: reason.to_string() }
    }
}

/// Makes a folder, and those it lies in.
pub(crate) fn make_folder(folder: &Path) -> Result<(), WriteError> {
    if folder.exists() && !folder.is_dir() {
        return Err(WriteError::new(folder, &"is no folder"));
    }
    fs::create_dir_all(folder).map_err(|e| WriteError::new(folder, &e))
}

/// A file that is written beside its place and moved there when it is whole. What is not moved
/// leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Whole {
    path: PathBuf,
    part: PathBuf,
    out: Option<BufWriter<File>>,
    placed: bool,
}

impl Whole {
    /// Begins a file.
    ///
    /// # Errors
    /// [`WriteError`].
    pub(crate) fn new(path: impl Into<PathBuf>) -> Result<Self, WriteError> {
        let path = path.into();
        let mut part = path.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        match File::create(&part) {
            Ok(file) => Ok(Self { path, part, out: Some(BufWriter::new(file)), placed: false }),
            Err(e) => Err(WriteError::new(path, &e)),
        }
    }

    /// A file with this in it.
    ///
    /// # Errors
    /// [`WriteError`].
    pub(crate) fn of(path: impl Into<PathBuf>, bytes: &[u8]) -> Result<Self, WriteError> {
        let mut whole = Self::new(path)?;
        whole.write(|out| out.write_all(bytes))?;
        Ok(whole)
    }

    /// Adds to it.
    ///
    /// # Errors
    /// [`WriteError`].
    pub(crate) fn write(
        &mut self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let Some(out) = &mut self.out else { return Ok(()) };
        fill(out).map_err(|e| WriteError::new(&self.path, &e))
    }

    /// On the disk to its end, though not in its place.
    fn complete(&mut self) -> Result<(), WriteError> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let file = out.into_inner().map_err(io::IntoInnerError::into_error);
        file.and_then(|file| file.sync_all()).map_err(|e| WriteError::new(&self.path, &e))
    }

    /// Moves files to their places once the last of them is whole. Where one cannot be written, a
    /// disk being full, none is moved.
    ///
    /// # Errors
    /// [`WriteError`].
    pub(crate) fn place(mut files: Vec<Self>) -> Result<(), WriteError> {
        files.iter_mut().try_for_each(Self::complete)?;
        if let Some(file) = files.iter().find(|file| file.path.is_dir()) {
            return Err(WriteError::new(&file.path, &"is a folder"));
        }
        files.iter_mut().try_for_each(|file| {
            fs::rename(&file.part, &file.path).map_err(|e| WriteError::new(&file.path, &e))?;
            file.placed = true;
            Ok(())
        })
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if !self.placed {
            let _ = fs::remove_file(&self.part);
        }
    }
}
