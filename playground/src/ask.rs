//! The requests of the page, and the answers.

use crate::relief::{self, Relief};
use crate::world::{Error, Playground};
use serde::Deserialize;
use serde_json::{Value, json};
use sim_harness::import::Files;
use sim_harness::scenario::built_in;

#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
enum Request {
    /// The scenarios that are built in.
    Scenarios,
    /// Open this one, with a seed in place of its own.
    Open {
        name: String,
        text: String,
        seed: Option<u64>,
    },
    /// Open a scenario or a level with the files that it needs: names and lengths of the files
    /// behind the request.
    Files {
        files: Vec<(String, usize)>,
        seed: Option<u64>,
    },
    /// Something about the level that is painted.
    Level(relief::Request),
    /// Go on, with `to_end` no further than to where the scenario ends.
    GoOn {
        frames: u32,
        layers: bool,
        #[serde(default)]
        to_end: bool,
    },
    /// The following changes are one thing to undo.
    Mark,
    /// The last marked changes were not made.
    Unmark,
    /// Change cells; `tall`, each column from the floor to the ceiling of its room.
    Edit {
        from: Vec<usize>,
        to: Vec<usize>,
        #[serde(default)]
        tall: bool,
        wall: Option<bool>,
        wave_speed: Option<f64>,
    },
    /// Put an evader elsewhere, or a pursuer.
    Put {
        evader: Option<usize>,
        pursuer: Option<usize>,
        to: Vec<f64>,
    },
    /// The same world under other rules beside it, to which all is done that is done to it; without
    /// a rule, none.
    Beside {
        rule: Option<String>,
    },
    /// The constant data of the world beside.
    HeadBeside,
    /// The outcome of the world beside.
    OutcomeBeside {
        #[serde(default = "yes")]
        hashed: bool,
    },
    /// The events in the world beside since the last request.
    TakeBeside,
    /// One more pursuer.
    AddPursuer {
        at: Vec<f64>,
    },
    /// Put a number in place of another.
    Set {
        key: String,
        number: Option<f64>,
    },
    /// The constant data.
    Head,
    /// The numbers that the scenario states.
    Numbers,
    Undo,
    /// From the first frame on.
    Restart {
        seed: Option<u64>,
    },
    /// The scenario's text.
    Save,
    /// The outcome so far, with a hash of the state unless it is to be quick.
    Outcome {
        #[serde(default = "yes")]
        hashed: bool,
    },
}

fn yes() -> bool {
    true
}

/// The scenario or level that is open in the page.
#[derive(Default)]
pub struct Open {
    /// The scenario that goes on.
    pub world: Option<Playground>,
    /// The same under other rules.
    beside: Option<Playground>,
    level: Option<Relief>,
}

/// Answers a request. Both are the length of a JSON text, in four bytes with the low one first, the
/// text, and bytes behind it: of files in a request, of numbers in an answer. A request is
/// `{"ask": ...}` with its parameters; the answer is `{"error": ...}` if the request was refused.
#[must_use]
pub fn answer(open: &mut Open, request: &[u8]) -> Vec<u8> {
    let (head, numbers) =
        done(open, request).unwrap_or_else(|e| (json!({"error": e.to_string()}), Vec::new()));
    let text = head.to_string();
    let mut answer = (text.len() as u32).to_le_bytes().to_vec();
    answer.extend_from_slice(text.as_bytes());
    answer.extend_from_slice(&numbers);
    answer
}

fn done(open: &mut Open, request: &[u8]) -> Result<(Value, Vec<u8>), Error> {
    let nothing = || (json!({}), Vec::new());
    let cut = || Error::Cut(request.len());
    let (length, rest) = request.split_first_chunk().ok_or_else(cut)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (text, bytes) = rest.split_at_checked(length).ok_or_else(cut)?;
    let request = serde_json::from_slice(text)?;
    match request {
        Request::Scenarios => {
            let all = built_in().iter().map(|b| json!({"name": b.name, "text": b.text}));
            return Ok((Value::Array(all.collect()), Vec::new()));
        }
        Request::Open { name, text, seed } => {
            let playground = open.world.insert(Playground::open(&name, &text, seed)?);
            open.beside = None;
            return Ok((playground.head(), playground.ground()));
        }
        Request::Files { files, seed } => {
            let held = held(files, bytes).ok_or_else(cut)?;
            let playground = open.world.insert(Playground::open_files(held, seed)?);
            open.beside = None;
            return Ok((playground.head(), playground.ground()));
        }
        Request::Level(request) => {
            return relief::answer(&mut open.level, open.world.as_ref(), request, bytes);
        }
        _ => {}
    }
    let playground = open.world.as_mut().ok_or(Error::Closed)?;
    match &request {
        Request::Beside { rule: None } => open.beside = None,
        Request::Beside { rule: Some(rule) } => {
            let beside = open.beside.insert(playground.beside(rule)?);
            return Ok((beside.head(), beside.ground()));
        }
        Request::HeadBeside => {
            let beside = open.beside.as_mut().ok_or(Error::NoneBeside)?;
            beside.look_again();
            return Ok((beside.head(), beside.ground()));
        }
        Request::OutcomeBeside { hashed } => {
            let beside = open.beside.as_ref().ok_or(Error::NoneBeside)?;
            return Ok((if *hashed { beside.summary() } else { beside.outcome() }, Vec::new()));
        }
        Request::TakeBeside => {
            return Ok(open.beside.as_mut().ok_or(Error::NoneBeside)?.take());
        }
        Request::Head => {
            playground.look_again();
            return Ok((playground.head(), playground.ground()));
        }
        Request::Numbers => return Ok((playground.numbers(), Vec::new())),
        Request::Save => {
            let (text, hash) = (playground.saved(), playground.state_hash());
            return Ok((json!({"text": text, "state_hash": hash}), Vec::new()));
        }
        Request::Outcome { hashed: true } => return Ok((playground.summary(), Vec::new())),
        Request::Outcome { hashed: false } => return Ok((playground.outcome(), Vec::new())),
        _ => {
            act(playground, &request)?;
            if let Some(beside) = &mut open.beside {
                follow(beside, playground, &request).map_err(|e| Error::Beside(e.to_string()))?;
            }
        }
    }
    match request {
        Request::GoOn { .. } => Ok(playground.take()),
        Request::Set { .. } | Request::Undo | Request::Restart { .. } => {
            Ok((playground.head(), playground.ground()))
        }
        _ => Ok(nothing()),
    }
}

/// Changes a world as a hand does, or makes it go on.
fn act(playground: &mut Playground, request: &Request) -> Result<(), Error> {
    match request {
        Request::GoOn { frames, layers, to_end: true } => {
            playground.go_on_to_end(*frames, *layers)?;
        }
        Request::GoOn { frames, layers, to_end: false } => playground.go_on(*frames, *layers)?,
        Request::Mark => playground.mark(),
        Request::Unmark => playground.unmark(),
        Request::Edit { from, to, tall, wall, wave_speed } => {
            let boxes = if *tall {
                playground.floor_to_ceiling(from, to, *wall == Some(false))
            } else {
                vec![[from.clone(), to.clone()]]
            };
            for [from, to] in boxes {
                playground.edit(from, to, *wall, *wave_speed)?;
            }
        }
        Request::Put { evader, pursuer: None, to } => {
            playground.put(evader.unwrap_or(0), to.clone())?;
        }
        Request::Put { pursuer: Some(pursuer), to, .. } => {
            playground.put_pursuer(*pursuer, to.clone())?;
        }
        Request::AddPursuer { at } => playground.add_pursuer(at.clone())?,
        Request::Set { key, number } => playground.set(key, *number)?,
        Request::Undo => playground.undo()?,
        Request::Restart { seed } => playground.restart(*seed)?,
        // These are answered before.
        _ => {}
    }
    Ok(())
}

/// Does the same to the world beside. Frames of it may be of another length: it goes on to the same
/// time.
fn follow(beside: &mut Playground, world: &Playground, request: &Request) -> Result<(), Error> {
    match request {
        Request::GoOn { layers, .. } => beside.go_on(beside.frames_behind(world), *layers),
        Request::Set { .. }
        | Request::Undo
        | Request::Restart { .. }
        | Request::AddPursuer { .. } => {
            act(beside, request)?;
            beside.go_on(beside.frames_behind(world), false)
        }
        _ => act(beside, request),
    }
}

/// Files of which names and lengths are known, from the bytes behind a request; `None`: there are
/// fewer bytes.
pub(crate) fn held(files: Vec<(String, usize)>, mut bytes: &[u8]) -> Option<Files> {
    let mut held = Files::new();
    for (name, length) in files {
        let (file, rest) = bytes.split_at_checked(length)?;
        held.insert(name, file.to_vec());
        bytes = rest;
    }
    Some(held)
}
