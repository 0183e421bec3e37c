//! Where a scenario's keys come from, for errors that say where to look.

use super::syntax::line_at;
use super::{ScenarioError, Setting};
use std::fmt::Display;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'d> = Spanned<DeValue<'d>>;

/// Where a scenario's keys come from: the lines of its file, or settings in their place.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    file: String,
    /// The text of the file. Lines are looked up when an error asks for them.
    text: Arc<str>,
    settings: Vec<Setting>,
    variant: Option<String>,
}

impl Origin {
    /// The origin of a scenario whose file has this text.
    pub(super) fn new(file: &str, text: &str) -> Self {
        Self { file: file.to_owned(), text: text.into(), ..Self::default() }
    }

    /// The text of the file.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The same with settings in place of keys of the file; if a key has two, the last one counts.
    pub(super) fn with(mut self, settings: &[Setting]) -> Self {
        self.settings.clear();
        for (key, value) in settings {
            let key = with_dots(key);
            self.settings.retain(|(other, _)| *other != key);
            self.settings.push((key, value.clone()));
        }
        self
    }

    /// The settings that replace keys of the file, by keys with dots.
    pub(crate) fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The same as a variant.
    pub(super) fn variant(mut self, name: &str) -> Self {
        self.variant = Some(name.to_owned());
        self
    }

    /// Its file, or its name if it is built in.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Where `key` comes from, such as `mine.toml:12`, or `rooms with steps = 0`. A key that is
    /// nowhere comes from the nearest table that it would be in. A setting of another key may be
    /// why the file's value is refused: then both are named.
    #[must_use]
    pub fn of(&self, key: &str) -> String {
        let variant = self.variant.iter().map(|name| format!(", variant {name:?}"));
        variant.fold(format!("{}{}", self.file, self.place(key)), |at, variant| at + &variant)
    }

    fn place(&self, key: &str) -> String {
        let key = with_dots(key);
        let is_within = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let of = |which: &dyn Fn(&str) -> bool| {
            let settings = self.settings.iter().filter(|(name, _)| which(name));
            let settings: Vec<String> = settings
                .map(|(name, value)| format!("{} = {}", brief_key(name), brief(value)))
                .collect();
            if settings.is_empty() { None } else { Some(format!(" with {}", settings.join(", "))) }
        };
        if let Some(setting) = of(&|name| is_within(&key, name)) {
            return setting;
        }
        let table = DeTable::parse(&self.text).ok();
        let mut keys = std::iter::successors(Some(&*key), |key| Some(key.rsplit_once('.')?.0));
        let at = keys.find_map(|key| Some(find_in_table(table.as_ref()?.get_ref(), key)?.0));
        let line = at.map(|at| line_at(&self.text, at));
        let settings = of(&|name| is_within(name, &key)).or_else(|| of(&|_| true));
        line.map_or_else(String::new, |line| format!(":{line}")) + &settings.unwrap_or_default()
    }

    /// An error about a row of a drawing: by its line, where that can be told.
    pub(crate) fn refuse_row(
        &self,
        key: &str,
        (row, text): (usize, &str),
        value: impl Display,
        limit: impl Into<String>,
    ) -> ScenarioError {
        let value = format!("row {row}: {value}");
        let Some(line) = self.line_of_row(key, row, text) else {
            return self.refuse(key, value, limit);
        };
        let variant = self.variant.iter().map(|name| format!(", variant {name:?}"));
        let file = variant.fold(format!("{}:{line}", self.file), |at, variant| at + &variant);
        ScenarioError::Value { file, key: key.to_owned(), value, limit: limit.into() }
    }

    fn line_of_row(&self, key: &str, row: usize, text: &str) -> Option<usize> {
        let key = with_dots(key);
        let is_set = |(name, _): &Setting| {
            key.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if self.settings.iter().any(is_set) {
            return None;
        }
        let table = DeTable::parse(&self.text).ok()?;
        let span = find_in_table(table.get_ref(), &key)?.1.span();
        let body = self.text.get(span.clone())?;
        let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| body.starts_with(quotes))?;
        let body = body.strip_prefix(quotes)?.strip_suffix(quotes)?;
        // The first row is the first line that is not blank. Escapes may join lines: then the row
        // is not found where it should be.
        let first = body.lines().position(|line| !line.trim().is_empty())?;
        let found = body.lines().nth(first + row)?;
        (found.trim() == text).then(|| line_at(&self.text, span.start) + first + row)
    }

    /// An error about a value of this scenario.
    pub(crate) fn refuse(
        &self,
        key: &str,
        value: impl Display,
        limit: impl Into<String>,
    ) -> ScenarioError {
        ScenarioError::Value {
            file: self.of(key),
            key: key.to_owned(),
            value: value.to_string(),
            limit: limit.into(),
        }
    }
}

/// Where a key with dots stands, and its value.
fn find_in_table<'t, 'd>(table: &'t DeTable<'d>, key: &str) -> Option<(usize, &'t Value<'d>)> {
    table.iter().find_map(|(name, value)| {
        let rest = key.strip_prefix(&**name.get_ref())?;
        find(name.span().start, value, rest)
    })
}

/// The same for the rest of a key after a name: nothing, or a dot and the key of a part.
fn find<'t, 'd>(at: usize, value: &'t Value<'d>, rest: &str) -> Option<(usize, &'t Value<'d>)> {
    if rest.is_empty() {
        return Some((at, value));
    }
    let rest = rest.strip_prefix('.')?;
    if let Some(table) = value.get_ref().as_table() {
        return find_in_table(table, rest);
    }
    let number = rest.split('.').next()?;
    let part = value.get_ref().as_array()?.get(number.parse::<usize>().ok()?)?;
    find(part.span().start, part, &rest[number.len()..])
}

/// A key as files have it: `pursuers.0.speed` for `pursuers[0].speed`.
pub(crate) fn with_dots(key: &str) -> String {
    key.replace('[', ".").replace(']', "")
}

/// A value on one line, short enough to leave room for its fault.
pub(super) fn brief(value: &toml::Value) -> String {
    match value {
        toml::Value::Float(number) => format!("{number:?}"),
        toml::Value::String(text) => cut(&format!("{text:?}"), 40),
        other => cut(&other.to_string().replace('\n', " "), 40),
    }
}

/// The same of a key.
pub(super) fn brief_key(key: &str) -> String {
    cut(key, 80)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_where_they_were_set() {
        let text = "steps = 9\n[[pursuers]]\nspeed = 1\n[[pursuers]]\n\nspeed = 2\n\
                    [tracking]\nwaves = 3\nfronts = \"a\"\n";
        let number = |key: &str, v| (key.to_owned(), toml::Value::Float(v));
        let word = |key: &str, v: &str| (key.to_owned(), toml::Value::String(v.to_owned()));
        let long = "x\n".repeat(50);
        for (settings, key, at) in [
            (vec![], "steps", "f:1"),
            (vec![], "pursuers[1].speed", "f:6"),
            // A key that is nowhere is missed in its table, or in the file.
            (vec![], "pursuers[1].name", "f:4"),
            (vec![], "question", "f"),
            (vec![number("steps", 1e-300)], "steps", "f with steps = 1e-300"),
            (vec![number("steps", 0.5), number("steps", 1.0)], "steps", "f with steps = 1.0"),
            (
                vec![number("pursuers[1].speed", 0.5)],
                "pursuers[1].speed",
                "f with pursuers.1.speed = 0.5",
            ),
            // A setting of a whole table covers all keys in it.
            (vec![word("tracking", "b")], "tracking.waves", "f with tracking = \"b\""),
            // One within leaves the rest to the file.
            (vec![number("tracking.waves", 4.0)], "tracking", "f:7 with tracking.waves = 4.0"),
            // A setting of another key may be why.
            (vec![number("steps", 1.0)], "tracking.waves", "f:8 with steps = 1.0"),
            (vec![number("step", 1.0)], "steps", "f:1 with step = 1.0"),
        ] {
            assert_eq!(Origin::new("f", text).with(&settings).of(key), at, "{settings:?}");
        }
        let origin = Origin::new("f", text).with(&[word("map.drawing", &long)]).variant("v");
        let found = origin.of("map.drawing");
        assert!(
            found.starts_with("f with map.drawing = \"x\\nx")
                && found.ends_with("…, variant \"v\"")
        );
        assert!(found.chars().count() < 80 && found.lines().count() == 1, "{found}");
    }
}
