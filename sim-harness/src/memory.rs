//! The memory of maps and worlds, known before any of it is allocated.
//!
//! A few bytes of text can ask for a map of any size. So whatever is made by a stated size is first
//! estimated here, in bytes, and refused beyond a limit or where the machine has not as much. The
//! limit is the process's: [`set_limit`]. It is about one map, world, level or sweep at a time;
//! where several are run side by side, each may take as much.
//!
//! The figures per cell are measured (`tests/limits.rs` holds them to the peak of real runs) and
//! lean to the high side.

use bytesize::ByteSize;
use std::sync::atomic::{AtomicU64, Ordering};
use thiserror::Error;

/// `[units: bytes]` The limit of a process that sets none.
pub const DEFAULT_LIMIT: u64 = 8 << 30;

static LIMIT: AtomicU64 = AtomicU64::new(DEFAULT_LIMIT);

/// `[units: bytes]` The most that a map, a world, a level or a sweep of this process may take.
#[must_use]
pub fn limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Sets [`limit`] for all that is read or built from now on. A game that loads levels of its users
/// sets it to the memory that it can spare.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Why something is not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// It would take more than [`limit`].
    #[error("would take {needs} of memory, the limit is {limit} (--memory)", needs = shown(*needs), limit = shown(*limit))]
    Limit {
        /// `[units: bytes]`
        needs: u64,
        /// `[units: bytes]`
        limit: u64,
    },
    /// The machine does not have as much.
    #[error("would take {needs} of memory, which this machine does not give", needs = shown(*needs))]
    Machine {
        /// `[units: bytes]`
        needs: u64,
    },
}

/// Bytes for people.
pub(crate) fn shown(bytes: u64) -> String {
    ByteSize::b(bytes).display().iec().to_string()
}

/// Whether so many bytes can be had.
fn is_there(bytes: u64) -> bool {
    usize::try_from(bytes).is_ok_and(|n| Vec::<u8>::new().try_reserve_exact(n).is_ok())
}

/// Refuses requests beyond the limit, or for which the machine has no memory. Crates allocate
/// without asking, so all that they are going to take is allocated here once and given back.
///
/// # Errors
/// [`MemoryError`].
pub(crate) fn check(needs: u64) -> Result<(), MemoryError> {
    let limit = limit();
    if needs > limit {
        return Err(MemoryError::Limit { needs, limit });
    }
    if is_there(needs) { Ok(()) } else { Err(MemoryError::Machine { needs }) }
}

/// Cells of a grid `[z, y, x]`; as many as fit in the number where they do not.
pub(crate) fn cells(shape: [u64; 3]) -> u64 {
    shape.iter().fold(1, |n: u64, &side| n.saturating_mul(side))
}

/// `[units: bytes]` The memory of a map `[z, y, x]` with its waves, which every reader of a map
/// needs: rows are padded to blocks of sixteen cells, with up to three more, and planes by rows.
pub(crate) fn of_map(shape: [u64; 3]) -> u64 {
    /// The map as read, its walls and speeds, and two fronts.
    const PER_STORED_CELL: u64 = 42;
    stored(shape).saturating_mul(PER_STORED_CELL)
}

/// `[units: bytes]` The memory of a map that has only walls, with a short wave over all of it.
pub(crate) fn of_walls(shape: [u64; 3]) -> u64 {
    /// The map as read, its walls as they are handed on, a front while it grows, and one that
    /// fell short.
    const PER_STORED_CELL: u64 = 12;
    stored(shape).saturating_mul(PER_STORED_CELL)
}

fn stored([z, y, x]: [u64; 3]) -> u64 {
    let row = x.div_ceil(16).saturating_mul(16).saturating_add(48);
    let planes = if z > 1 { z.saturating_add(2) } else { 1 };
    cells([planes, y.saturating_add(3), row])
}

/// `[units: bytes]` The memory of a scenario's world: its map, its navigation and a recorder's
/// data.
pub(crate) fn of_world(shape: [u64; 3]) -> u64 {
    const PER_CELL: u64 = 24;
    of_map(shape).saturating_add(cells(shape).saturating_mul(PER_CELL))
}

/// `[units: bytes]` The same where no member needs waves or a graph.
pub(crate) fn of_wide_world(shape: [u64; 3]) -> u64 {
    /// The map as read, its walls, and a recorder's data.
    const PER_CELL: u64 = 24;
    /// The memory of fronts without listeners: on larger maps they keep no cells.
    const FRONTS: u64 = 24;
    const CELLS_OF_FRONTS: u64 = 1 << 22;
    let cells = cells(shape);
    cells.saturating_mul(PER_CELL).saturating_add(cells.min(CELLS_OF_FRONTS) * FRONTS)
}

/// `[units: bytes]` The extra memory of waves that are not the default ones.
pub(crate) fn of_long_waves(shape: [u64; 3]) -> u64 {
    const PER_STORED_CELL: u64 = 24;
    stored(shape).saturating_mul(PER_STORED_CELL)
}

/// `[units: bytes]` The memory of so many fields of a world.
pub(crate) fn of_fields(shape: [u64; 3], fields: u64) -> u64 {
    const PER_CELL: u64 = 3;
    cells(shape).saturating_mul(fields).saturating_mul(PER_CELL)
}

/// `[units: bytes]` The memory of the graphs on which so many groups walk, while the first of them
/// is made: over heights there are the planner's moves besides. Jumps have no limit and are not in
/// it.
pub(crate) fn of_graphs(shape: [u64; 3], groups: u64, over_heights: bool) -> u64 {
    const FIRST: u64 = 280;
    const FIRST_OVER_HEIGHTS: u64 = 480;
    /// Where each has other legs, and so a graph of its own.
    const FURTHER: u64 = 90;
    let first = if over_heights { FIRST_OVER_HEIGHTS } else { FIRST };
    let further = |groups: u64| groups.saturating_mul(FURTHER).saturating_add(first);
    groups.checked_sub(1).map_or(0, |more| cells(shape).saturating_mul(further(more)))
}

/// `[units: bytes]` The memory of the members, including those that follow waves.
pub(crate) fn of_members(count: u64) -> u64 {
    const PER_MEMBER: u64 = 450;
    count.saturating_mul(PER_MEMBER)
}

/// `[units: bytes]` The memory of a search over states of a side-view level, and of the search for
/// tiles that open one.
pub(crate) fn of_states(count: u64) -> u64 {
    /// The state before each, twice; its price; its place in a queue, now and then several.
    const PER_STATE: u64 = 32;
    count.saturating_mul(PER_STATE)
}

/// `[units: bytes]` The memory of a height map and its graph.
pub(crate) fn of_level(columns: u64, rows: u64) -> u64 {
    const PER_CELL: u64 = 120;
    columns.saturating_mul(rows).saturating_mul(PER_CELL)
}
