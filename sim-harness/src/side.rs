//! Side-view platformers: whether the goal of a level of tiles is reached under a game's own jumps.
//!
//! A level is a text, a character a tile. A game's rules are JSON in the form of the Video Game
//! Level Corpus: `jumps`, each a list of `[x, y]` in tiles from where it begins, y downwards, and
//! the lists `solid`, `passable`, `climbable` and `hazard` of tiles. The character takes up one
//! tile and moves from tile to tile:
//!
//! * on a tile that is solid: a tile to the left or right, or the first step of any jump;
//! * in a jump: its next step. Jumps are taken to both sides;
//! * with nothing solid below, in a jump or not: down, or down and to a side;
//! * on a tile that is climbable: to the four tiles around it.
//!
//! A tile that is both solid and passable can be stood on and gone through. Hazards and the space
//! below the level are never entered; above the level one can jump up to [`ABOVE`] tiles. With
//! `"wraps": true` the left edge is joined to the right edge; this key is ours.
//!
//! So there are finitely many states, and a search over all of them is exact: a way is found if
//! there is one. Jumps that begin alike share their states.

mod arcs;
#[cfg(feature = "record")]
mod picture;
mod read;
mod search;

#[cfg(feature = "record")]
pub use picture::picture;
pub use read::{SideError, SideLevel, SideRules};
pub use search::{Change, Cut, SideSolution, solve};

/// `[units: tiles]` How far above the level one can jump.
pub const ABOVE: usize = 8;
