//! From text to a [`Scenario`], with errors that name the place and the fault.

use super::check::check;
use super::origin::{Origin, brief, brief_key, with_dots};
use super::syntax::{check_depth, check_key, line_at, open_text};
use super::{Scenario, ScenarioError, Tracking, TrackingRule, Variant, built_in};
use crate::input;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A key of a scenario's file, with dots, and its new value.
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

/// A published rule with settings of `tracking`, for a program without a scenario. Keys are those
/// of a scenario and begin with `tracking.`.
///
/// # Errors
/// [`ScenarioError`], on one line: keys and values that a scenario may not have, and other rules
/// than the published ones.
pub fn tracking(
    name: &str,
    rule: TrackingRule,
    settings: &[Setting],
) -> Result<Tracking, ScenarioError> {
    let rule = if rule == TrackingRule::Kumagai { "kumagai" } else { "watanabe" };
    let text = format!(
        "name = \"pursue\"\nsteps = 1\n[map]\nsize = [2, 1]\n[tracking]\nrule = \"{rule}\"\n\
         [[evaders]]\nstart = [0, 0]\n[[pursuers]]\nstart = [1, 0]\nspeed = 0.5\n"
    );
    let scenario = parse_with(name, &text, settings)?;
    let refuse = |key: &str, limit: &str| {
        let value = scenario.origin.settings().iter().find(|(set, _)| set == key);
        let value = value.map_or_else(String::new, |(_, value)| brief(value));
        Err(scenario.origin.refuse(key, value, limit.to_owned()))
    };
    if let Some((key, _)) = settings.iter().find(|(key, _)| !key.starts_with("tracking.")) {
        return refuse(&with_dots(key), "here keys begin with tracking.");
    }
    if !scenario.tracking.rule.is_published() {
        return refuse("tracking.rule", "here it is watanabe or kumagai");
    }
    Ok(scenario.tracking)
}

fn parse_with(name: &str, text: &str, settings: &[Setting]) -> Result<Scenario, ScenarioError> {
    let mut scenario: Scenario = read(name, text)?;
    scenario.origin = Origin::new(name, text);
    check(&scenario)?;
    if settings.is_empty() {
        variants(&scenario, &[])?;
        return Ok(scenario);
    }
    with(scenario.origin.with(settings), table_of(text))
}

/// A scenario with more settings, from the text that it was read from.
///
/// # Errors
/// [`ScenarioError`], on one line.
#[cfg(feature = "study")]
pub(crate) fn again_with(
    scenario: &Scenario,
    settings: &[Setting],
) -> Result<Scenario, ScenarioError> {
    with(scenario.origin.clone().with(settings), table_of(scenario.origin.text()))
}

/// A text that was read before, as a table.
fn table_of(text: &str) -> toml::Table {
    text.parse().unwrap_or_default()
}

/// A scenario's variants with settings that hold for all of them. They have neither variants nor
/// claims of their own.
///
/// # Errors
/// [`ScenarioError`], on one line.
pub(crate) fn variants(
    scenario: &Scenario,
    for_all: &[Setting],
) -> Result<Vec<Scenario>, ScenarioError> {
    if scenario.variants.is_empty() {
        return Ok(Vec::new());
    }
    // Every variant is read from all of the table: with all variants in it, that would be work by
    // the square of their number.
    let mut table = table_of(scenario.origin.text());
    let [variants, claims] = ["variants", "claims"].map(|key| table.remove(key));
    let whole = || {
        let mut table = table.clone();
        for (key, value) in [("variants", &variants), ("claims", &claims)] {
            table.extend(value.iter().map(|value| (key.to_owned(), value.clone())));
        }
        table
    };
    let variant = |variant: &Variant| {
        let own = variant.set.iter().map(|(key, value)| (key.clone(), value.clone()));
        let settings: Vec<Setting> = for_all.iter().cloned().chain(own).collect();
        let is_missed =
            |(key, _): &Setting| key.starts_with("variants") || key.starts_with("claims");
        let table = if settings.iter().any(is_missed) { whole() } else { table.clone() };
        with(scenario.origin.clone().with(&settings).variant(&variant.name), table)
    };
    scenario.variants.iter().map(variant).collect()
}

/// The scenario of a file's table with the settings of its origin.
fn with(origin: Origin, mut table: toml::Table) -> Result<Scenario, ScenarioError> {
    for (key, value) in origin.settings() {
        check_key(key).map_err(|limit| origin.refuse(&brief_key(key), brief(value), limit))?;
        set(&mut table, key, value).map_err(|limit| origin.refuse(key, brief(value), limit))?;
    }
    let mut scenario: Scenario = serde_path_to_error::deserialize(table).map_err(|e| {
        let key = e.path().to_string();
        fault(origin.of(&key), &key, e.inner().message())
    })?;
    scenario.origin = origin;
    check(&scenario)?;
    Ok(scenario)
}

/// Sets a key; says why where the way to it does not exist.
fn set(table: &mut toml::Table, key: &str, value: &toml::Value) -> Result<(), String> {
    let no_way = |way: &str| format!("{way} is no table or list; set it whole");
    let mut parts = key.split('.').filter(|part| !part.is_empty()).peekable();
    // The last part may be empty: it names no key then, which reading says.
    let mut whole = toml::Value::Table(std::mem::take(table));
    let mut at = Ok(&mut whole);
    let mut way = String::new();
    let last = loop {
        let Some(part) = parts.next() else { break "" };
        if parts.peek().is_none() && !key.ends_with('.') {
            break part;
        }
        at = at.and_then(|value| match value {
            toml::Value::Table(table) => {
                Ok(table.entry(part).or_insert(toml::Value::Table(toml::Table::new())))
            }
            toml::Value::Array(list) => place(list, &way, part),
            _ => Err(no_way(&way)),
        });
        way = if way.is_empty() { part.to_owned() } else { format!("{way}.{part}") };
    };
    let done = at.and_then(|at| match at {
        toml::Value::Table(table) => {
            table.insert(last.to_owned(), value.clone());
            Ok(())
        }
        toml::Value::Array(list) => place(list, &way, last).map(|place| *place = value.clone()),
        _ => Err(no_way(&way)),
    });
    if let toml::Value::Table(set) = whole {
        *table = set;
    }
    done
}

/// A place in a list, or the error about its contents.
fn place<'l>(
    list: &'l mut [toml::Value],
    way: &str,
    part: &str,
) -> Result<&'l mut toml::Value, String> {
    let has = match list.len() {
        0 => format!("{way} is an empty list"),
        1 => format!("{way} has one entry, {way}.0"),
        n => format!("{way} has {n} entries, {way}.0 to {way}.{}", n - 1),
    };
    part.parse::<usize>().ok().and_then(|number| list.get_mut(number)).ok_or(has)
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
    input::read_text(Path::new(name)).map_err(|e| read(e.to_string()))
}

/// The value of a file of TOML.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ScenarioError> {
    let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let at = |error: &toml::de::Error| format!("{file}:{}", line_at(text, start(error)));
    let syntax = |line: usize, reason: String| {
        Err(ScenarioError::Syntax { file: format!("{file}:{line}"), reason })
    };
    if let Err((line, reason)) = check_depth(text) {
        return syntax(line, reason);
    }
    let reader = match toml::Deserializer::parse(text) {
        Ok(reader) => reader,
        Err(e) => {
            let (line, reason) = (line_at(text, start(&e)), explain(e.message()));
            return match open_text(text, start(&e)) {
                Some(opened) => syntax(
                    opened,
                    format!(
                        "the text that begins here ends where it should not (line {line}: {reason})"
                    ),
                ),
                None => syntax(line, reason),
            };
        }
    };
    serde_path_to_error::deserialize(reader)
        .map_err(|e| fault(at(e.inner()), &e.path().to_string(), e.inner().message()))
}

/// The error of serde about a key, in the words of TOML.
fn fault(file: String, key: &str, message: &str) -> ScenarioError {
    let reason = explain(message);
    // The whole file has no key.
    if key == "." {
        return ScenarioError::Syntax { file, reason };
    }
    ScenarioError::Key { file, key: brief_key(key), reason }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Says TOML's words for Rust's, and the nearest known key for one that is not known.
fn explain(message: &str) -> String {
    let message = one_line(message);
    if message.starts_with("unknown field") || message.starts_with("unknown variant") {
        let mut quoted = message.split('`').skip(1).step_by(2);
        let found = quoted.next().unwrap_or_default();
        let hint = nearest(found, quoted);
        let hint = hint.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        return message.replacen(found, &brief_key(found), 1) + &hint;
    }
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("needs {key}");
    }
    let parts = message.rsplit_once(", expected ").or_else(|| message.split_once(", "));
    let (found, expected) = parts.unwrap_or(("", &message));
    let wanted = match expected.strip_prefix("expected ").unwrap_or(expected) {
        "newtype variant" => return "needs what it is about, as in { flee = 60 }".to_owned(),
        "more than 1 element" => {
            return "two choices where there can be one; to choose again, set the whole key"
                .to_owned();
        }
        "found 0 elements" => return "needs one choice".to_owned(),
        "u64" | "usize" => "a whole number from 0 to 2^63 - 1",
        "u32" => "a whole number from 0 to 2^32 - 1",
        "f64" | "f32" => "a number",
        "a sequence" => "a list",
        "string only" => return "must be a word in quotes".to_owned(),
        table if table.starts_with("struct ") => "a table",
        _ => return message,
    };
    let found = found.strip_prefix("invalid type: ").unwrap_or(found);
    let found = found.strip_prefix("invalid value: ").unwrap_or(found);
    // For numbers that no type of TOML holds.
    let found = found.strip_suffix(" as i128").or(found.strip_suffix(" as u128")).unwrap_or(found);
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
