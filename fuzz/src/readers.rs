//! All readers, each with the properties of its results.

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

use sim_harness::memory;
use std::path::Path;
use tempfile::TempDir;

/// `[units: bytes]` The memory that a map, a level or a plan may take. No input is as large.
const MEMORY: u64 = 64 << 20;

/// Reads with so little memory allowed that the fuzzer is not stopped for reading what the limit of
/// a program allows.
fn within<T>(bytes: u64, read: impl FnOnce() -> T) -> T {
    memory::set_limit(bytes);
    let read = read();
    memory::set_limit(memory::DEFAULT_LIMIT);
    read
}

/// A folder for files, in memory where there is such a place.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    folder.expect("there is room")
}
