//! From text to a [`Scenario`], with errors that say where and what.

use super::{Place, Scenario, ScenarioError, built_in};
use std::path::Path;

/// The scenario of that name: built in, or a `.toml` file.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub fn load(name: &str) -> Result<Scenario, ScenarioError> {
    if let Some(scenario) = built_in().iter().find(|b| b.name == name) {
        return parse(name, scenario.text);
    }
    let read = |reason: String| ScenarioError::Read { name: name.to_owned(), reason };
    if Path::new(name).extension().is_none_or(|e| e != "toml") {
        let names: Vec<&str> = built_in().iter().map(|b| b.name).collect();
        let hint = nearest(name, names.iter().copied()).map_or_else(
            || format!("known are {}", names.join(", ")),
            |n| format!("did you mean {n}?"),
        );
        return Err(read(format!("no such scenario ({hint}), and no .toml file")));
    }
    let bytes = std::fs::read(name).map_err(|e| read(e.to_string()))?;
    let text = String::from_utf8(bytes)
        .map_err(|e| read(format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to())))?;
    parse(name, &text)
}

/// The scenario that `text` states; `name` stands in errors.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub fn parse(name: &str, text: &str) -> Result<Scenario, ScenarioError> {
    let mut scenario: Scenario = toml::from_str(text).map_err(|e| {
        let start = e.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(start).filter(|&b| b == b'\n').count();
        let reason = explain(e.message());
        ScenarioError::Syntax { name: name.to_owned(), line, reason }
    })?;
    name.clone_into(&mut scenario.file);
    check(name, &scenario)?;
    Ok(scenario)
}

/// Adds the nearest known key to serde's message about an unknown one.
fn explain(message: &str) -> String {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if !(message.starts_with("unknown field") || message.starts_with("unknown variant")) {
        return message;
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    let Some(found) = quoted.next() else {
        return message;
    };
    match nearest(found, quoted) {
        Some(known) => format!("{message} (did you mean `{known}`?)"),
        None => message,
    }
}

fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known.max_by(|a, b| strsim::jaro_winkler(found, a).total_cmp(&strsim::jaro_winkler(found, b)))
}

/// What can be checked without building the map.
fn check(name: &str, s: &Scenario) -> Result<(), ScenarioError> {
    let fail = |key: &str, value: String, limit: &str| {
        let (name, key, limit) = (name.to_owned(), key.to_owned(), limit.to_owned());
        Err(ScenarioError::Value { name, key, value, limit })
    };
    let above = |key: &str, value: f64| {
        if value.is_finite() && value > 0.0 {
            Ok(())
        } else {
            fail(key, value.to_string(), "must be finite and > 0")
        }
    };
    if !(1..=100_000_000).contains(&s.steps) {
        return fail("steps", s.steps.to_string(), "must be 1 to 10^8");
    }
    if s.record_every == 0 {
        return fail("record_every", "0".to_owned(), "must be at least 1");
    }
    above("map.spacing", s.map.spacing)?;
    above("map.wave_speed", s.map.wave_speed)?;
    for (i, b) in s.map.boxes.iter().enumerate() {
        let key = format!("map.boxes[{i}]");
        if let Some(speed) = b.wave_speed {
            above(&format!("{key}.wave_speed"), speed)?;
        }
        if b.wall.is_none() && b.wave_speed.is_none() {
            return fail(&key, "a box".to_owned(), "needs wall or wave_speed");
        }
    }
    for (i, edit) in s.edits.iter().enumerate() {
        let key = format!("edits[{i}]");
        if let Some(speed) = edit.wave_speed {
            above(&format!("{key}.wave_speed"), speed)?;
        }
        if edit.wall.is_none() && edit.wave_speed.is_none() {
            return fail(&key, "an edit".to_owned(), "needs wall or wave_speed");
        }
        if edit.step >= s.steps {
            let limit = format!("must be below steps = {}", s.steps);
            return fail(&format!("{key}.step"), edit.step.to_string(), &limit);
        }
    }
    if !(s.target.speed.is_finite() && s.target.speed >= 0.0) {
        return fail("target.speed", s.target.speed.to_string(), "must be finite and >= 0");
    }
    if s.target.wander_every == Some(0) {
        return fail("target.wander_every", "0".to_owned(), "must be at least 1");
    }
    if s.target.wander_every.is_some() && !s.target.patrol.is_empty() {
        let limit = "stands beside patrol: take one of the two";
        return fail("target.wander_every", format!("{:?}", s.target.wander_every), limit);
    }
    if s.pursuers.is_empty() {
        return fail("pursuers", "[]".to_owned(), "needs at least one group");
    }
    for (i, group) in s.pursuers.iter().enumerate() {
        above(&format!("pursuers[{i}].speed"), group.speed)?;
        if !(1..=1_000_000).contains(&group.count) {
            let key = format!("pursuers[{i}].count");
            return fail(&key, group.count.to_string(), "must be 1 to 10^6");
        }
        if group.enter >= s.steps {
            let limit = format!("must be below steps = {}", s.steps);
            return fail(&format!("pursuers[{i}].enter"), group.enter.to_string(), &limit);
        }
    }
    let places = s.pursuers.iter().enumerate();
    let places =
        places.filter_map(|(i, g)| Some((format!("pursuers[{i}].start"), g.start.as_ref()?)));
    let patrol = s.target.patrol.iter().enumerate();
    let patrol = patrol.map(|(i, p)| (format!("target.patrol[{i}]"), p));
    let target = std::iter::once(("target.start".to_owned(), &s.target.start));
    for (key, place) in target.chain(places).chain(patrol) {
        if let Place::At(at) = place
            && let Some(bad) = at.iter().find(|v| !v.is_finite())
        {
            return fail(&key, bad.to_string(), "must be finite");
        }
    }
    Ok(())
}
