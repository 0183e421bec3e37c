//! The log of a map's edits, and how far a follower has read it.

use std::collections::{VecDeque, vec_deque};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many of the latest edits are kept for followers that have not seen them yet. A follower that
/// is further behind looks at the whole map once.
pub(super) const LOG: usize = 1 << 16;

/// Marks an edit of a speed. Numbers of cells are below it.
const SPEED: u32 = 1 << 31;

/// An edit of the cell of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// It became a wall or free.
    Wall(usize),
    /// It got another speed.
    Speed(usize),
}

/// The latest edits of a map and the count of all.
#[derive(Clone, Debug)]
pub(crate) struct Edits {
    latest: VecDeque<u32>,
    walls: u64,
    speeds: u64,
    identity: Identity,
}

impl Edits {
    pub(super) fn new() -> Self {
        Self { latest: VecDeque::new(), walls: 0, speeds: 0, identity: Identity::new() }
    }

    /// For a map that was edited so often; no edit is known in detail.
    #[cfg(feature = "serde")]
    pub(super) fn counted(walls: u64, speeds: u64) -> Self {
        Self { walls, speeds, ..Self::new() }
    }

    pub(super) fn add(&mut self, edit: Edit) {
        if self.latest.len() == LOG {
            self.latest.pop_front();
        }
        let (cell, mark) = match edit {
            Edit::Wall(cell) => (cell, 0),
            Edit::Speed(cell) => (cell, SPEED),
        };
        self.latest.push_back(cell as u32 | mark);
        if mark == 0 { self.walls += 1 } else { self.speeds += 1 }
    }

    /// Edits of walls.
    pub(crate) fn walls(&self) -> u64 {
        self.walls
    }

    /// Edits of speeds.
    #[cfg(feature = "serde")]
    pub(crate) fn speeds(&self) -> u64 {
        self.speeds
    }

    /// A number that only this map has.
    pub(crate) fn identity(&self) -> u64 {
        self.identity.0
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.latest.capacity() * size_of::<u32>()
    }
}

/// The edits that a follower has not seen, the latest last.
#[derive(Clone, Debug)]
pub(crate) struct Unseen<'a>(vec_deque::Iter<'a, u32>);

impl Iterator for Unseen<'_> {
    type Item = Edit;

    fn next(&mut self) -> Option<Edit> {
        let &edit = self.0.next()?;
        let cell = (edit & !SPEED) as usize;
        Some(if edit & SPEED == 0 { Edit::Wall(cell) } else { Edit::Speed(cell) })
    }
}

/// The news for a follower.
#[derive(Debug)]
pub(crate) enum News<'a> {
    Nothing,
    Edits(Unseen<'a>),
    /// Everything may be new: it is another map, or too much was edited since.
    Everything,
}

/// How far a wave, front or field has followed the edits of a map.
///
/// A map does not know its waves and fronts: each of them has a follower, and asks it before going
/// on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follower {
    /// The map that it follows. `None` after a snapshot was read, which does not prove what was
    /// seen.
    map: Option<u64>,
    walls: u64,
    speeds: u64,
}

impl Follower {
    /// It has seen all edits so far.
    pub(crate) fn new(edits: &Edits) -> Self {
        Self { map: Some(edits.identity()), walls: edits.walls, speeds: edits.speeds }
    }

    /// It has seen nothing.
    pub(crate) fn unread() -> Self {
        Self { map: None, walls: 0, speeds: 0 }
    }

    /// The follower of a snapshot's numbers.
    #[cfg(feature = "serde")]
    pub(crate) fn of_snapshot([walls, speeds]: [u64; 2]) -> Self {
        Self { map: None, walls, speeds }
    }

    /// The numbers of edits of walls and of speeds that it has seen.
    #[cfg(feature = "serde")]
    pub(crate) fn seen(&self) -> [u64; 2] {
        [self.walls, self.speeds]
    }

    /// Whether a map has at least the edits that it has seen: an older copy has not.
    pub(crate) fn fits(&self, edits: &Edits) -> bool {
        self.walls <= edits.walls && self.speeds <= edits.speeds
    }

    /// The number of wall edits that it has not seen.
    pub(crate) fn walls_behind(&self, edits: &Edits) -> u64 {
        edits.walls.saturating_sub(self.walls)
    }

    /// The news, which then counts as seen.
    pub(crate) fn news<'a>(&mut self, edits: &'a Edits) -> News<'a> {
        let seen = std::mem::replace(self, Self::new(edits));
        if seen.map != self.map || !seen.fits(edits) {
            return News::Everything;
        }
        let missed = self.walls - seen.walls + self.speeds - seen.speeds;
        let kept = edits.latest.len();
        match usize::try_from(missed).ok().and_then(|missed| kept.checked_sub(missed)) {
            Some(first) if first == kept => News::Nothing,
            Some(first) => News::Edits(Unseen(edits.latest.range(first..))),
            None => News::Everything,
        }
    }
}

/// A number that no other map of the process has, not even a clone.
#[derive(Debug)]
struct Identity(u64);

impl Identity {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits_of(news: News<'_>) -> Vec<Edit> {
        let News::Edits(unseen) = news else { panic!("{news:?}") };
        unseen.collect()
    }

    #[test]
    fn a_follower_hears_every_edit_once_and_everything_where_it_cannot() {
        let mut edits = Edits::new();
        edits.add(Edit::Wall(7));
        let mut follower = Follower::new(&edits);
        assert!(matches!(follower.news(&edits), News::Nothing));
        let both = [Edit::Speed(3), Edit::Wall(9)];
        for &edit in &both {
            edits.add(edit);
        }
        assert_eq!(follower.walls_behind(&edits), 1);
        assert_eq!(edits_of(follower.news(&edits)), both);
        assert!(matches!(follower.news(&edits), News::Nothing));

        (0..LOG).for_each(|cell| edits.add(Edit::Wall(cell)));
        assert_eq!(edits_of(follower.news(&edits)).len(), LOG);
        (0..=LOG).for_each(|cell| edits.add(Edit::Wall(cell)));
        assert!(matches!(follower.news(&edits), News::Everything));

        let mut copy = edits.clone();
        assert!(matches!(follower.news(&copy), News::Everything));
        copy.add(Edit::Wall(1));
        assert_eq!(edits_of(follower.news(&copy)), [Edit::Wall(1)]);
        assert!(!follower.fits(&edits));
    }
}
