//! Every reader, each with what it must give.

pub mod heights;
pub mod imports;
pub mod journals;
pub mod maps;
pub mod plans;
pub mod rules;
pub mod saved_flocks;
pub mod saved_waves;
pub mod scenarios;
pub mod sides;

use std::path::Path;
use tempfile::TempDir;

/// A folder for files, in memory where there is such a place.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    folder.expect("there is room")
}
