//! From text to a [`Scenario`], with errors that say where and what.

use super::check::check;
use super::origin::{Origin, brief};
use super::{Scenario, ScenarioError, built_in};
use serde::de::DeserializeOwned;
use std::path::Path;

/// A key of a scenario's file, with dots, and what it is set to.
pub type Setting = (String, toml::Value);

/// The scenario of that name: built in, or a `.toml` file.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub fn load(name: &str) -> Result<Scenario, ScenarioError> {
    load_with(name, &[])
}

/// The same with other settings.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub fn load_with(name: &str, settings: &[Setting]) -> Result<Scenario, ScenarioError> {
    parse_with(name, &text_of(name)?, settings)
}

/// The scenario that `text` states; `name` stands in errors.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub fn parse(name: &str, text: &str) -> Result<Scenario, ScenarioError> {
    parse_with(name, text, &[])
}

fn parse_with(name: &str, text: &str, settings: &[Setting]) -> Result<Scenario, ScenarioError> {
    let mut scenario: Scenario = read(name, text)?;
    scenario.origin = Origin::new(name, text);
    check(&scenario)?;
    // What was read is a table of TOML.
    let table: toml::Table = text.parse().unwrap_or_default();
    if !settings.is_empty() {
        return with(&scenario.origin, &table, settings);
    }
    for variant in &scenario.variants {
        let set: Vec<Setting> = variant.set.clone().into_iter().collect();
        with(&scenario.origin.clone().variant(&variant.name), &table, &set)?;
    }
    Ok(scenario)
}

/// The scenario of a file's table with other settings.
fn with(
    origin: &Origin,
    table: &toml::Table,
    settings: &[Setting],
) -> Result<Scenario, ScenarioError> {
    let origin = origin.clone().with(settings);
    let mut table = table.clone();
    for (key, value) in origin.settings() {
        set(&mut table, key, value).ok_or_else(|| {
            let limit = "no table or list on the way to this key; set that whole";
            origin.refuse(key, brief(value), limit)
        })?;
    }
    let mut scenario: Scenario = serde_path_to_error::deserialize(table).map_err(|e| {
        let key = e.path().to_string();
        fault(origin.of(&key), key, e.inner().message())
    })?;
    scenario.origin = origin;
    check(&scenario)?;
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
        let found = if Path::new(name).exists() { "not named .toml" } else { "no .toml file" };
        return Err(read(format!("no such scenario ({hint}), and {found}")));
    }
    let bytes = std::fs::read(name).map_err(|e| read(e.to_string()))?;
    String::from_utf8(bytes)
        .map_err(|e| read(format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to())))
}

/// What a file of TOML states.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ScenarioError> {
    let at = |error: &toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(start).filter(|&b| b == b'\n').count();
        format!("{file}:{line}")
    };
    let reader = toml::Deserializer::parse(text)
        .map_err(|e| ScenarioError::Syntax { file: at(&e), reason: one_line(e.message()) })?;
    serde_path_to_error::deserialize(reader)
        .map_err(|e| fault(at(e.inner()), e.path().to_string(), e.inner().message()))
}

/// What serde says about a key, in the words of TOML.
fn fault(file: String, key: String, message: &str) -> ScenarioError {
    let reason = explain(message);
    // The whole file has no key.
    if key == "." {
        return ScenarioError::Syntax { file, reason };
    }
    ScenarioError::Key { file, key, reason }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Says TOML's words for Rust's, and the nearest known key for one that is not known.
fn explain(message: &str) -> String {
    let message = one_line(message);
    if message.starts_with("unknown field") || message.starts_with("unknown variant") {
        let mut quoted = message.split('`').skip(1).step_by(2);
        let near = quoted.next().and_then(|found| nearest(found, quoted));
        let hint = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        return message + &hint;
    }
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("needs {key}");
    }
    let parts = message.rsplit_once(", expected ").or_else(|| message.split_once(", "));
    let (found, expected) = parts.unwrap_or(("", &message));
    let wanted = match expected.strip_prefix("expected ").unwrap_or(expected) {
        "newtype variant" => return "needs what it is about, as in { flee = 60 }".to_owned(),
        "more than 1 element" => {
            return "two choices where there can be one; to choose anew, set the whole key"
                .to_owned();
        }
        "found 0 elements" => return "needs one choice".to_owned(),
        "u64" | "u32" | "usize" => "a whole number from 0",
        "f64" | "f32" => "a number",
        "a sequence" => "a list",
        "string only" => return "must be a word in quotes".to_owned(),
        table if table.starts_with("struct ") => "a table",
        _ => return message,
    };
    let found = found.strip_prefix("invalid type: ").unwrap_or(found);
    let (kind, value) = found.split_at(found.find(['`', '"']).unwrap_or(found.len()));
    let found = match kind.trim_end() {
        "map" => "a table",
        "sequence" => "a list",
        "integer" | "floating point" | "boolean" | "string" => value,
        _ => found,
    };
    format!("{found} where {wanted} is needed")
}

/// The known name that is meant, if one is near enough to be.
pub(crate) fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |name: &str| strsim::jaro_winkler(found, name);
    known.filter(|name| likeness(name) > 0.8).max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}
