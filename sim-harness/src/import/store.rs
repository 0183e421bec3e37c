//! Where the files of a level are.

use super::ImportError;
use crate::maps::printable;
use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

/// Files in memory, by their names.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Where the files of a level are.
#[derive(Clone, Debug, Default)]
pub enum Store {
    /// On the disk.
    #[default]
    Disk,
    /// Only in memory, as in a web page. A file is found by its path, or otherwise by its name
    /// alone: files picked for a page have names without their folders.
    Memory(Arc<Files>),
}

impl Store {
    /// The bytes of a file in memory; `None` if it is on the disk.
    pub(super) fn held(&self, path: &Path) -> Result<Option<&[u8]>, ImportError> {
        let Self::Memory(files) = self else { return Ok(None) };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let found = files.get(&plain(path)).or_else(|| {
            let by_name = |held: &&String| Path::new(held).file_name() == path.file_name();
            files.get(files.keys().find(by_name)?)
        });
        found.map(|bytes| Some(&bytes[..])).ok_or_else(|| ImportError::File {
            file: printable(&name),
            what: "is needed, and was not given with the others".to_owned(),
        })
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> String {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_string_lossy()),
            Component::ParentDir => drop(parts.pop()),
            _ => {}
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_are_found_by_path_and_else_by_name() {
        let files = ["a/walls.tsx", "b/walls.tsx", "level.tmx"].map(|n| (n.to_owned(), n.into()));
        let store = Store::Memory(Arc::new(files.into()));
        for (path, found) in [
            ("b/walls.tsx", Some("b/walls.tsx")),
            ("b/../a/./walls.tsx", Some("a/walls.tsx")),
            ("levels/level.tmx", Some("level.tmx")),
            ("level.txt", None),
        ] {
            let held = store.held(Path::new(path)).ok().flatten();
            assert_eq!(held, found.map(str::as_bytes), "{path}");
        }
        assert_eq!(Store::Disk.held(Path::new("level.tmx")), Ok(None));
    }
}
