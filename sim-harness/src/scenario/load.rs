//! From text to a [`Scenario`], with errors that say where and what.

use super::check::check;
use super::{Scenario, ScenarioError, built_in};
use serde::Deserialize;
use std::path::Path;

/// A key of a scenario's file, with dots, and what it is set to.
pub type Setting = (String, toml::Value);

/// The scenario of that name: built in, or a `.toml` file.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub fn load(name: &str) -> Result<Scenario, ScenarioError> {
    parse(name, &text_of(name)?)
}

/// The same with other settings.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub fn load_with(name: &str, settings: &[Setting]) -> Result<Scenario, ScenarioError> {
    let text = text_of(name)?;
    let scenario = parse(name, &text)?;
    if settings.is_empty() {
        return Ok(scenario);
    }
    let mut table: toml::Table = text.parse().map_err(|e| syntax(name, &text, &e))?;
    let with: Vec<String> =
        settings.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    for (key, value) in settings {
        set(&mut table, key, value).ok_or_else(|| ScenarioError::Value {
            name: name.to_owned(),
            key: key.clone(),
            value: value.to_string(),
            limit: "no table or list on the way to this key".to_owned(),
        })?;
    }
    let mut scenario = Scenario::deserialize(table).map_err(|e| ScenarioError::Settings {
        name: name.to_owned(),
        settings: with.join(", "),
        reason: explain(e.message()),
    })?;
    name.clone_into(&mut scenario.file);
    check(name, &scenario)?;
    Ok(scenario)
}

/// Sets a key; `None` where the way to it does not exist.
fn set(table: &mut toml::Table, key: &str, value: &toml::Value) -> Option<()> {
    let (way, last) = key.rsplit_once('.').unwrap_or(("", key));
    let mut whole = toml::Value::Table(std::mem::take(table));
    let mut at = Some(&mut whole);
    for part in way.split('.').filter(|part| !part.is_empty()) {
        at = at.and_then(|value| match value {
            toml::Value::Table(table) => {
                Some(table.entry(part).or_insert(toml::Value::Table(toml::Table::new())))
            }
            toml::Value::Array(list) => list.get_mut(part.parse::<usize>().ok()?),
            _ => None,
        });
    }
    let done = match at? {
        toml::Value::Table(table) => {
            table.insert(last.to_owned(), value.clone());
            Some(())
        }
        toml::Value::Array(list) => {
            let place = list.get_mut(last.parse::<usize>().ok()?);
            place.map(|place| *place = value.clone())
        }
        _ => None,
    };
    if let toml::Value::Table(set) = whole {
        *table = set;
    }
    done
}

/// The text of the scenario of that name.
///
/// # Errors
/// [`ScenarioError::Read`].
pub fn text_of(name: &str) -> Result<String, ScenarioError> {
    if let Some(scenario) = built_in().iter().find(|b| b.name == name) {
        return Ok(scenario.text.to_owned());
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
    String::from_utf8(bytes)
        .map_err(|e| read(format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to())))
}

/// The scenario that `text` states; `name` stands in errors.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub fn parse(name: &str, text: &str) -> Result<Scenario, ScenarioError> {
    let mut scenario: Scenario = toml::from_str(text).map_err(|e| syntax(name, text, &e))?;
    name.clone_into(&mut scenario.file);
    check(name, &scenario)?;
    Ok(scenario)
}

fn syntax(name: &str, text: &str, error: &toml::de::Error) -> ScenarioError {
    let start = error.span().map_or(0, |span| span.start);
    let line = 1 + text.bytes().take(start).filter(|&b| b == b'\n').count();
    ScenarioError::Syntax { name: name.to_owned(), line, reason: explain(error.message()) }
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

pub(crate) fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known.max_by(|a, b| strsim::jaro_winkler(found, a).total_cmp(&strsim::jaro_winkler(found, b)))
}
