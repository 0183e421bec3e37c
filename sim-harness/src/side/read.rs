//! Levels as text and rules as JSON.

use super::arcs::Arcs;
use crate::maps::printable;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// The most tiles of a level.
const MOST_TILES: usize = 1 << 20;
/// The most steps of all jumps together.
const MOST_STEPS: usize = 1 << 16;

/// The fault of a level, its rules or a tile that was named, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {what}")]
#[non_exhaustive]
pub struct SideError {
    /// The file.
    pub file: String,
    /// The place in it, and the fault.
    pub what: String,
}

impl SideError {
    pub(super) fn new(file: &str, what: impl Into<String>) -> Self {
        Self { file: printable(file), what: crate::printable::line(&what.into()).into_owned() }
    }
}

fn text_of(path: &Path) -> Result<String, SideError> {
    let file = path.to_string_lossy();
    crate::input::read_text(path).map_err(|e| SideError::new(&file, e.to_string()))
}

/// A level of tiles, `[row][column]`, row 0 the upper one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideLevel {
    pub(super) file: String,
    pub(super) rows: Vec<Vec<char>>,
}

impl SideLevel {
    /// Reads a text of rows, each a tile a character; shorter rows end in empty tiles, `-`.
    ///
    /// # Errors
    /// [`SideError`]: it cannot be read, is empty or too large.
    pub fn read(path: &Path) -> Result<Self, SideError> {
        Self::parse(&path.to_string_lossy(), &text_of(path)?)
    }

    /// The same from a text; `file` stands in errors.
    ///
    /// # Errors
    /// [`SideError`].
    pub fn parse(file: &str, text: &str) -> Result<Self, SideError> {
        let rows = || text.lines().map(str::trim_end).filter(|row| !row.is_empty());
        let width = rows().map(|row| row.chars().count()).max().unwrap_or(0);
        let tiles = width.saturating_mul(rows().count());
        if !(1..=MOST_TILES).contains(&tiles) {
            return Err(SideError::new(file, format!("{tiles} tiles: must be 1 to {MOST_TILES}")));
        }
        let filled = |row: &str| row.chars().chain(std::iter::repeat('-')).take(width).collect();
        let rows = rows().map(filled).collect();
        Ok(Self { file: file.to_owned(), rows })
    }

    /// Columns and rows.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        [self.rows[0].len(), self.rows.len()]
    }

    /// The first tile of this kind, `[x, y]`, column by column.
    #[must_use]
    pub fn find(&self, tile: char) -> Option<[usize; 2]> {
        let [columns, rows] = self.size();
        let mut cells = (0..columns).flat_map(|x| (0..rows).map(move |y| [x, y]));
        cells.find(|&[x, y]| self.rows[y][x] == tile)
    }
}

/// The rules of a game.
#[derive(Clone, Debug, Default)]
pub struct SideRules {
    pub(super) arcs: Arcs,
    solid: BTreeSet<char>,
    passable: BTreeSet<char>,
    climbable: BTreeSet<char>,
    hazard: BTreeSet<char>,
    wraps: bool,
}

/// A file of rules; other keys are not ours.
#[derive(Deserialize)]
struct File {
    jumps: Option<Vec<Vec<[i16; 2]>>>,
    solid: Option<BTreeSet<char>>,
    passable: Option<BTreeSet<char>>,
    climbable: Option<BTreeSet<char>>,
    hazard: Option<BTreeSet<char>>,
    wraps: Option<bool>,
}

impl SideRules {
    /// Reads files of JSON; of a key that stands in several, the last counts.
    ///
    /// # Errors
    /// [`SideError`]: a file cannot be read, is not of the form that the [module](super) states, or
    /// there are no jumps or no solid tiles in any.
    pub fn read<P: AsRef<Path>>(paths: &[P]) -> Result<Self, SideError> {
        let mut rules = Self::default();
        for path in paths {
            let path = path.as_ref();
            rules.add(&path.to_string_lossy(), &text_of(path)?)?;
        }
        let missing = match (rules.arcs.0.len(), rules.solid.len()) {
            (1, _) => "jumps",
            (_, 0) => "solid",
            _ => return Ok(rules),
        };
        let last = paths.last().map(|path| path.as_ref().to_string_lossy()).unwrap_or_default();
        Err(SideError::new(&last, format!("no file of rules has any {missing}")))
    }

    fn add(&mut self, file: &str, text: &str) -> Result<(), SideError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let read: File = serde_path_to_error::deserialize(&mut reader)
            .map_err(|e| SideError::new(file, format!("{}: {}", e.path(), e.inner())))?;
        if let Some(jumps) = read.jumps {
            let steps: usize = jumps.iter().map(Vec::len).sum();
            if steps > MOST_STEPS {
                let what = format!("jumps: {steps} steps: at most {MOST_STEPS}");
                return Err(SideError::new(file, what));
            }
            self.arcs = Arcs::default();
            for (number, jump) in jumps.iter().enumerate() {
                let jump: Vec<_> = jump.iter().map(|step| step.map(isize::from)).collect();
                self.arcs.add(&jump).map_err(|step| {
                    let what = "a step must be to one of the tiles around the one before";
                    SideError::new(file, format!("jumps[{number}][{step}]: {what}"))
                })?;
            }
        }
        self.wraps = read.wraps.unwrap_or(self.wraps);
        let lists = [read.solid, read.passable, read.climbable, read.hazard];
        let own = [&mut self.solid, &mut self.passable, &mut self.climbable, &mut self.hazard];
        for (own, list) in own.into_iter().zip(lists) {
            if let Some(list) = list {
                *own = list;
            }
        }
        Ok(())
    }

    /// Whether the tile blocks a character that would enter it.
    pub(super) fn blocks(&self, tile: char) -> bool {
        self.solid.contains(&tile) && !self.passable.contains(&tile)
    }
    pub(super) fn supports(&self, tile: char) -> bool {
        self.solid.contains(&tile)
    }
    pub(super) fn climbs(&self, tile: char) -> bool {
        self.climbable.contains(&tile)
    }
    pub(super) fn kills(&self, tile: char) -> bool {
        self.hazard.contains(&tile)
    }
    /// Whether the left edge of a level is joined to its right edge.
    pub(super) fn wraps(&self) -> bool {
        self.wraps
    }
    /// A tile to place where one is missing.
    pub(super) fn ground(&self) -> Option<char> {
        self.solid.iter().copied().find(|&tile| self.blocks(tile) && !self.kills(tile))
    }
}
