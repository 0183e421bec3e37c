//! Files that are there whole or not at all, several together if they belong together, and folders
//! that one process at a time writes into.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile};
use thiserror::Error;

/// Why a file was not written. Files of an earlier run are as they were.
#[derive(Debug, Error)]
#[error("{path}: {reason}", path = crate::printable::line(&path.to_string_lossy()))]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// The error of the system.
    pub reason: String,
}

impl WriteError {
    pub(crate) fn new(path: impl Into<PathBuf>, reason: &dyn Display) -> Self {
        Self { path: path.into(), reason: reason.to_string() }
    }
}

/// How the name of a file that is not whole yet ends.
const PART: &str = ".part";

/// How many random letters and digits it has before that, behind `.NAME.`.
const LETTERS: usize = 6;

/// The files of this process that are not whole yet.
static PARTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn parts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files that this process has not finished, before a signal ends it. No other file
/// begins while the result is kept.
#[cfg(feature = "cli")]
pub(crate) fn remove_parts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    let parts = parts();
    for part in &*parts {
        let _ = fs::remove_file(part);
    }
    parts
}

/// Makes a folder, and those it lies in.
fn make_folder(folder: &Path) -> Result<(), WriteError> {
    if folder.exists() && !folder.is_dir() {
        return Err(WriteError::new(folder, &"is no folder"));
    }
    fs::create_dir_all(folder).map_err(|e| WriteError::new(folder, &e))
}

/// Which other processes may write into a folder besides the one that opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// None.
    Alone,
    /// Others that share it: the shards of a sweep.
    #[cfg(feature = "study")]
    Together,
}

/// A folder that is locked as long as this value lives. The system lets go of the lock when the
/// process ends, however it does.
#[derive(Debug)]
pub(crate) struct OutFolder {
    path: PathBuf,
    _lock: File,
}

impl OutFolder {
    /// Makes a folder, if need be, and locks it.
    ///
    /// # Errors
    /// [`WriteError`], at once if another process writes there.
    pub(crate) fn open(path: &Path, sharing: Sharing) -> Result<Self, WriteError> {
        make_folder(path)?;
        // The folder itself is locked, so no lock is left lying about. Where that is not possible
        // (on network file systems, on Windows), a file in it is.
        let of_folder = || Self::lock(path, File::open(path), sharing);
        let of_file = || {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            Self::lock(path, options.open(path.join(".lock")), sharing)
        };
        let lock = match of_folder() {
            Err(TryLockError::Error(_)) => of_file(),
            other => other,
        };
        let lock = lock.map_err(|e| match e {
            TryLockError::WouldBlock => {
                WriteError::new(path, &"another process is writing into this folder")
            }
            TryLockError::Error(e) => WriteError::new(path, &format!("cannot be locked: {e}")),
        })?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// A process that comes alone clears the folder of files that killed processes have left there.
    fn lock(path: &Path, file: io::Result<File>, sharing: Sharing) -> Result<File, TryLockError> {
        let file = file.map_err(TryLockError::Error)?;
        match sharing {
            Sharing::Alone => file.try_lock().map(|()| clear(path))?,
            #[cfg(feature = "study")]
            Sharing::Together => {
                if file.try_lock().is_ok() {
                    clear(path);
                }
                // From a lock of one's own to a shared one. Others may be clearing: that is short.
                let mut tries = 0..40;
                while let Err(e) = file.try_lock_shared() {
                    if tries.next().is_none() || !matches!(e, TryLockError::WouldBlock) {
                        return Err(e);
                    }
                    std::thread::sleep(std::time::Duration::from_millis(25));
                }
            }
        }
        Ok(file)
    }

    /// Where it is.
    #[cfg(feature = "study")]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The place of a file in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// Removes the files that killed processes left behind: no other process writes here now.
fn clear(folder: &Path) {
    let is_part = |name: &str| {
        let (name, letters) = name.strip_prefix('.')?.strip_suffix(PART)?.rsplit_once('.')?;
        let fits = letters.len() == LETTERS && letters.bytes().all(|b| b.is_ascii_alphanumeric());
        Some(fits && !name.is_empty())
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let named = entry.file_name().to_str().and_then(is_part) == Some(true);
        if named && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file that is written beside its place, under a name that no other process has, and moved there
/// when it is whole. A file that is not moved leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Whole {
    path: PathBuf,
    part: PathBuf,
    out: Option<BufWriter<NamedTempFile>>,
    complete: Option<NamedTempFile>,
}

impl Whole {
    /// Begins a file.
    ///
    /// # Errors
    /// [`WriteError`].
    pub(crate) fn new(path: impl Into<PathBuf>) -> Result<Self, WriteError> {
        let path = path.into();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(path.file_name().unwrap_or_default());
        prefix.push(".");
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(PART).rand_bytes(LETTERS);
        // As any new file, not as a secret one.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // A signal comes before the file is there or when it is known.
        let mut parts = parts();
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")));
        let file = file.map_err(|e| WriteError::new(&path, &e))?;
        let part = file.path().to_owned();
        parts.insert(part.clone());
        drop(parts);
        Ok(Self { path, part, out: Some(BufWriter::new(file)), complete: None })
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
        let synced = file.and_then(|file| file.as_file().sync_all().map(|()| file));
        self.complete = Some(synced.map_err(|e| WriteError::new(&self.path, &e))?);
        Ok(())
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
            let Some(complete) = file.complete.take() else { return Ok(()) };
            let moved = complete.persist(&file.path);
            moved.map(|_| ()).map_err(|e| WriteError::new(&file.path, &e.error))
        })
    }

    /// Moves a file to its place if none is there, and otherwise drops it. Returns whether it was
    /// moved.
    ///
    /// # Errors
    /// [`WriteError`].
    #[cfg(feature = "study")]
    pub(crate) fn place_new(mut self) -> Result<bool, WriteError> {
        self.complete()?;
        let Some(complete) = self.complete.take() else { return Ok(false) };
        match complete.persist_noclobber(&self.path) {
            Ok(_) => Ok(true),
            Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(WriteError::new(&self.path, &e.error)),
        }
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        // The file itself goes with its handle.
        parts().remove(&self.part);
    }
}
