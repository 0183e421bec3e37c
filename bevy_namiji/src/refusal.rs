//! Refused requests and the reasons: one message for all kinds.

use bevy_ecs::prelude::*;
use thiserror::Error;

/// Something that was asked for was not done. Nothing has changed by it.
///
/// Read it with a `MessageReader<Refused>`; its `Display` is a sentence for a log.
///
/// ```
/// use bevy_namiji::{NamijiError, Refused, Request};
///
/// let reason = NamijiError::OutOfMap { cell: [9, 0], shape: [3, 4] };
/// let refused = Refused { request: Request::SetWalls { cells: vec![([9, 0], true)] }, reason };
/// assert_eq!(
///     refused.to_string(),
///     "walls were not set: cell [9, 0] (row, column) is outside the map of [3, 4] cells"
/// );
/// ```
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Refused {
    /// The request.
    pub request: Request,
    /// Why it was not done.
    pub reason: NamijiError,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.request, self.reason)
    }
}

/// The request.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Request {
    /// A [`SetWalls`](crate::SetWalls) message.
    #[error("walls were not set")]
    SetWalls {
        /// The cells of the message.
        cells: Vec<([usize; 2], bool)>,
    },
    /// A [`SetWalls<3>`](crate::SetWalls) message.
    #[error("walls were not set")]
    SetWalls3d {
        /// The cells of the message.
        cells: Vec<([usize; 3], bool)>,
    },
    /// A [`SetHeight`](crate::SetHeight) message.
    #[error("the height of {cell:?} was not set")]
    SetHeight {
        /// `[row, column]`
        cell: [usize; 2],
    },
    /// A map that a plugin could not use. The plugin does nothing until there is another one.
    #[error("the map is of no use for {part}")]
    Map {
        /// `pursuit`, `flocks` or `agents`.
        part: &'static str,
    },
    /// A frame of the pursuit; no pursuer has moved in it.
    #[error("the pursuit did not go on")]
    Pursuit,
    /// A [`Pursuer`](crate::Pursuer), its speed, or a new place for it.
    #[error("pursuer {0} was refused")]
    Pursuer(Entity),
    /// A place of a [`PursuitTarget`](crate::PursuitTarget). It is left out until it moves.
    #[error("target {0} was refused")]
    Target(Entity),
    /// A [`Boid`](crate::Boid), its velocity, its goal, or a new place for it.
    #[error("boid {0} was refused")]
    Boid(Entity),
    /// A [`UtilityAgent`](crate::UtilityAgent) or its [`AgentGoal`](crate::AgentGoal).
    #[error("agent {0} was refused")]
    Agent(Entity),
    /// A [`DangerSource`](crate::DangerSource). It frightens nobody until it moves.
    #[error("danger {0} was refused")]
    Danger(Entity),
    /// A [`JumpRoute`](crate::JumpRoute).
    #[error("the route of {0} was refused")]
    Route(Entity),
}

/// Why something was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NamijiError {
    /// A cell that the map does not have.
    #[error("cell {cell:?} (row, column) is outside the map of {shape:?} cells")]
    OutOfMap {
        /// `[y, x]`
        cell: [usize; 2],
        /// `[rows, columns]`
        shape: [usize; 2],
    },
    /// A position that no cell of the map covers, or that is not finite.
    #[error("position {position:?} is outside the map")]
    OffMap {
        /// `[units: world units]`
        position: [f32; 2],
    },
    /// A place in a wall.
    #[error("cell {cell:?} (row, column) is a wall")]
    InWall {
        /// `[y, x]`
        cell: [usize; 2],
    },
    /// A cell that cannot be changed because an entity is there.
    #[error("cell {cell:?} (row, column) cannot be changed: {who} is there")]
    Occupied {
        /// `[y, x]`
        cell: [usize; 2],
        /// The entity that is there.
        who: Entity,
    },
    /// A cell of a map in 3D that cannot be changed because an entity is there.
    #[error("cell {cell:?} (storey, row, column) cannot be changed: {who} is there")]
    Occupied3d {
        /// `[z, y, x]`
        cell: [usize; 3],
        /// The entity that is there.
        who: Entity,
    },
    /// There is no map, or none that the pursuit takes.
    #[error("there is no map")]
    NoMap,
    /// A number out of its limits.
    #[error("{what} = {value:?} is not allowed: it must be {limit}")]
    Value {
        /// Its name.
        what: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that are allowed.
        limit: &'static str,
    },
    /// A drawing of a map with a character that is neither wall nor floor.
    #[error(
        "line {line}, column {column} of the drawing is {found:?}: only '#', '.' and ' ' are known"
    )]
    Drawing {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// A storey of a drawing that is not as large as the first.
    #[error(
        "the storey at line {line} of the drawing has {rows} rows, the first one has {expected}"
    )]
    Storey {
        /// Its first line, from 1.
        line: usize,
        /// Its rows.
        rows: usize,
        /// Rows of the first storey.
        expected: usize,
    },
    /// A drawing of a map without a cell.
    #[error("the drawing has no cells")]
    Empty,
    /// An entity that has no `Transform`, or is no longer there.
    #[error("entity {0} has no Transform, or is no longer there")]
    NoPlace(Entity),
    /// The tracker refused.
    #[error(transparent)]
    Track(#[from] wave_track::TrackError),
    /// The medium of the map refused.
    #[error(transparent)]
    Medium(#[from] wave_track::wave_core::MediumError),
    /// The flock refused.
    #[error(transparent)]
    Flock(#[from] flocking::FlockError),
    /// The agent or its graph refused.
    #[error(transparent)]
    Utility(#[from] utility_ai::UtilityError),
    /// The jump graph refused.
    #[error(transparent)]
    Jump(#[from] jump_planner::JumpError),
}
