//! The requests of the page for a level that is painted.

use super::{Brush, Relief};
use crate::ask::held;
use crate::world::{Error, Playground};
use jump_planner::{Move, MoveKind};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Request {
    /// The level that is painted; without one that of the world, or the one to begin with.
    Open,
    /// The ground of the world; without one, the ground to begin with.
    OfWorld,
    /// A flat one.
    New { columns: usize, rows: usize },
    /// A level with the files that it needs, as in `files`.
    Files { files: Vec<(String, usize)> },
    /// The following paint is one stroke.
    Begin,
    /// It ends.
    End,
    /// Cells of a box higher by this, or to this height.
    Paint { from: [usize; 2], to: [usize; 2], by: Option<f64>, height: Option<f64> },
    /// The start, the goal or the next stop of the route.
    Put { what: String, at: [usize; 2] },
    /// No route.
    ClearRoute,
    /// A number of the character.
    Set { key: String, number: Option<f64> },
    /// Back.
    Undo,
    /// The results of the audit.
    Look,
    /// The cells and moves that cut it.
    Cuts,
    /// The shortcuts of the route.
    Shortcuts,
    /// At which launch speeds more is reached.
    Speeds { most: f64 },
    /// A region, and how moves are done.
    Show { cell: Option<[usize; 2]>, moves: Vec<Step> },
    /// The ground as a file.
    Save,
    /// A chase on it, as a scenario beside that file.
    Chase,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    from: [usize; 2],
    to: [usize; 2],
    kind: MoveKind,
}

/// Answers a request: JSON and bytes behind it.
pub(crate) fn answer(
    open: &mut Option<Relief>,
    world: Option<&Playground>,
    request: Request,
    bytes: &[u8],
) -> Result<(Value, Vec<u8>), Error> {
    let fresh = match &request {
        Request::Open if open.is_none() => Some(of_world(world)?),
        Request::OfWorld => Some(of_world(world)?),
        Request::New { columns, rows } => Some(Relief::flat(*columns, *rows)?),
        Request::Files { files } => {
            let held = held(files.clone(), bytes).ok_or(Error::Cut(bytes.len()))?;
            Some(Relief::open_files(held)?)
        }
        _ => None,
    };
    if let Some(fresh) = fresh {
        *open = Some(fresh);
    }
    let level = open.as_mut().ok_or(Error::NoRelief)?;
    let nothing = |value: Value| Ok((value, Vec::new()));
    match request {
        Request::Open | Request::OfWorld | Request::New { .. } | Request::Files { .. } => {
            Ok(level.head())
        }
        Request::Begin => {
            level.begin_stroke();
            nothing(json!({}))
        }
        Request::End => {
            level.end_stroke();
            nothing(json!({}))
        }
        Request::Paint { from, to, by, height } => {
            let brush = by.map(Brush::By).or(height.map(Brush::To));
            let painted = brush.map_or(Ok(Vec::new()), |brush| level.paint(from, to, brush))?;
            nothing(json!({"heights": painted}))
        }
        Request::Put { what, at } => {
            level.put(&what, at)?;
            nothing(json!({}))
        }
        Request::ClearRoute => {
            level.clear_route()?;
            nothing(json!({}))
        }
        Request::Set { key, number } => {
            level.set_number(&key, number)?;
            nothing(json!({}))
        }
        Request::Undo => {
            level.undo()?;
            Ok(level.head())
        }
        Request::Look => Ok(level.look()),
        Request::Cuts => nothing(level.cuts()?),
        Request::Shortcuts => nothing(level.shortcuts()?),
        Request::Speeds { most } => nothing(level.speeds(most)?),
        Request::Show { cell, moves } => {
            let turned = super::turned;
            let moves: Vec<Move> = (moves.into_iter())
                .map(|step| Move { from: turned(step.from), to: turned(step.to), kind: step.kind })
                .collect();
            Ok(level.show(cell, &moves))
        }
        Request::Save => nothing(json!({
            "file": level.file(), "text": level.asc(),
            "no_go": level.no_go(), "note": level.note(),
        })),
        Request::Chase => nothing(json!({"text": level.scenario()?})),
    }
}

fn of_world(world: Option<&Playground>) -> Result<Relief, Error> {
    let ground = world.and_then(|world| Some((world, world.heights()?)));
    match ground {
        Some((world, (heights, spacing))) => {
            Relief::of_world(world.name(), heights.clone(), spacing)
        }
        None => Relief::sample(),
    }
}
