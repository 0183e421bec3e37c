//! What the page asks, and the answers.

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
    /// Open a scenario or a level with the files that it needs: names and lengths of what stands
    /// behind the request.
    Files {
        files: Vec<(String, usize)>,
        seed: Option<u64>,
    },
    /// Go on, with `to_end` no further than to where the scenario ends.
    GoOn {
        frames: u32,
        layers: bool,
        #[serde(default)]
        to_end: bool,
    },
    /// What follows is one thing to undo.
    Mark,
    /// What was marked last was not done.
    Unmark,
    /// Change cells.
    Edit {
        from: Vec<usize>,
        to: Vec<usize>,
        wall: Option<bool>,
        wave_speed: Option<f64>,
    },
    /// Put an evader elsewhere.
    Put {
        evader: usize,
        to: Vec<f64>,
    },
    /// One more pursuer.
    AddPursuer {
        at: Vec<f64>,
    },
    /// Put a number in place of another.
    Set {
        key: String,
        number: Option<f64>,
    },
    /// The numbers that the scenario states.
    Numbers,
    Undo,
    /// From the first frame on.
    Restart {
        seed: Option<u64>,
    },
    /// The scenario's text.
    Save,
    /// What came of it so far.
    Outcome,
}

/// Answers a request. Both are the length of a JSON text, in four bytes with the low one first, the
/// text, and bytes behind it: of files in a request, of numbers in an answer. What is asked is
/// `{"ask": ...}` and what it needs; the answer is `{"error": ...}` where something was not done.
#[must_use]
pub fn answer(open: &mut Option<Playground>, request: &[u8]) -> Vec<u8> {
    let (head, numbers) =
        done(open, request).unwrap_or_else(|e| (json!({"error": e.to_string()}), Vec::new()));
    let text = head.to_string();
    let mut answer = (text.len() as u32).to_le_bytes().to_vec();
    answer.extend_from_slice(text.as_bytes());
    answer.extend_from_slice(&numbers);
    answer
}

fn done(open: &mut Option<Playground>, request: &[u8]) -> Result<(Value, Vec<u8>), Error> {
    let nothing = || (json!({}), Vec::new());
    let cut = || Error::Cut(request.len());
    let (length, rest) = request.split_first_chunk().ok_or_else(cut)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (text, mut bytes) = rest.split_at_checked(length).ok_or_else(cut)?;
    let request = serde_json::from_slice(text)?;
    match request {
        Request::Scenarios => {
            let all = built_in().iter().map(|b| json!({"name": b.name, "text": b.text}));
            return Ok((Value::Array(all.collect()), Vec::new()));
        }
        Request::Open { name, text, seed } => {
            let playground = open.insert(Playground::open(&name, &text, seed)?);
            return Ok((playground.head(), playground.ground()));
        }
        Request::Files { files, seed } => {
            let mut held = Files::new();
            for (name, length) in files {
                let (file, rest) = bytes.split_at_checked(length).ok_or_else(cut)?;
                held.insert(name, file.to_vec());
                bytes = rest;
            }
            let playground = open.insert(Playground::open_files(held, seed)?);
            return Ok((playground.head(), playground.ground()));
        }
        _ => {}
    }
    let playground = open.as_mut().ok_or(Error::Closed)?;
    match request {
        Request::Scenarios | Request::Open { .. } | Request::Files { .. } => {}
        Request::GoOn { frames, layers, to_end } => {
            if to_end {
                playground.go_on_to_end(frames, layers)?;
            } else {
                playground.go_on(frames, layers)?;
            }
            return Ok(playground.take());
        }
        Request::Mark => playground.mark(),
        Request::Unmark => playground.unmark(),
        Request::Edit { from, to, wall, wave_speed } => {
            playground.edit(from, to, wall, wave_speed)?;
        }
        Request::Put { evader, to } => playground.put(evader, to)?,
        Request::AddPursuer { at } => playground.add_pursuer(at)?,
        Request::Set { key, number } => {
            playground.set(&key, number)?;
            return Ok((playground.head(), playground.ground()));
        }
        Request::Numbers => return Ok((playground.numbers(), Vec::new())),
        Request::Undo => {
            playground.undo()?;
            return Ok((playground.head(), playground.ground()));
        }
        Request::Restart { seed } => {
            playground.restart(seed)?;
            return Ok((playground.head(), playground.ground()));
        }
        Request::Save => {
            let (text, hash) = (playground.saved(), playground.state_hash());
            return Ok((json!({"text": text, "state_hash": hash}), Vec::new()));
        }
        Request::Outcome => return Ok((playground.summary(), Vec::new())),
    }
    Ok(nothing())
}
