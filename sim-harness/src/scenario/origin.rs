//! Where a scenario's keys come from, for errors that say where to look.

use super::{ScenarioError, Setting};
use std::collections::BTreeMap;
use std::fmt::Display;
use toml::de::{DeTable, DeValue};

/// Where a scenario's keys come from: the lines of its file, or settings in their place.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    file: String,
    /// Lines by key, counted from 1; keys with dots, also for places in lists.
    lines: BTreeMap<String, usize>,
    settings: Vec<Setting>,
    variant: Option<String>,
}

impl Origin {
    /// Of a scenario whose file holds this text, if it is TOML.
    pub(super) fn new(file: &str, text: &str) -> Self {
        let mut origin = Self { file: file.to_owned(), ..Self::default() };
        if let Ok(table) = DeTable::parse(text) {
            let ends: Vec<usize> =
                text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at).collect();
            let line = |at: usize| 1 + ends.partition_point(|&end| end < at);
            origin.read_table("", table.get_ref(), &line);
        }
        origin
    }

    fn read_table(&mut self, key: &str, table: &DeTable<'_>, line: &impl Fn(usize) -> usize) {
        for (name, value) in table {
            let dot = if key.is_empty() { "" } else { "." };
            let key = format!("{key}{dot}{}", name.get_ref());
            self.lines.insert(key.clone(), line(name.span().start));
            self.read_value(&key, value.get_ref(), line);
        }
    }

    fn read_value(&mut self, key: &str, value: &DeValue<'_>, line: &impl Fn(usize) -> usize) {
        if let Some(table) = value.as_table() {
            self.read_table(key, table, line);
        }
        for (i, value) in value.as_array().into_iter().flatten().enumerate() {
            let key = format!("{key}.{i}");
            self.lines.insert(key.clone(), line(value.span().start));
            self.read_value(&key, value.get_ref(), line);
        }
    }

    /// The same with settings in place of what the file says; of two of a key, the last.
    pub(super) fn with(mut self, settings: &[Setting]) -> Self {
        self.settings.clear();
        for (key, value) in settings {
            let key = with_dots(key);
            self.settings.retain(|(other, _)| *other != key);
            self.settings.push((key, value.clone()));
        }
        self
    }

    /// What takes the place of what the file says, by keys with dots.
    pub(super) fn settings(&self) -> &[Setting] {
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

    /// Where `key` comes from, such as `mine.toml:12`, or `rooms with steps = 0`. A key that stands
    /// nowhere comes from the nearest table that it would stand in. A setting of something else may
    /// be why what the file says does not do: both are named then.
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
            let settings: Vec<String> =
                settings.map(|(name, value)| format!("{name} = {}", brief(value))).collect();
            if settings.is_empty() { None } else { Some(format!(" with {}", settings.join(", "))) }
        };
        if let Some(setting) = of(&|name| is_within(&key, name)) {
            return setting;
        }
        let mut keys = std::iter::successors(Some(&*key), |key| Some(key.rsplit_once('.')?.0));
        let line = keys.find_map(|key| self.lines.get(key));
        let settings = of(&|name| is_within(name, &key)).or_else(|| of(&|_| true));
        line.map_or_else(String::new, |line| format!(":{line}")) + &settings.unwrap_or_default()
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

/// A key as files have it: `pursuers.0.speed` for `pursuers[0].speed`.
pub(crate) fn with_dots(key: &str) -> String {
    key.replace('[', ".").replace(']', "")
}

/// A value on one line, short enough to leave room for what is wrong with it.
pub(super) fn brief(value: &toml::Value) -> String {
    const MOST: usize = 40;
    let text = match value {
        toml::Value::Float(number) => format!("{number:?}"),
        toml::Value::String(text) => format!("{text:?}"),
        other => other.to_string().replace('\n', " "),
    };
    if text.chars().count() <= MOST {
        return text;
    }
    text.chars().take(MOST).chain(['…']).collect()
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
            // What stands nowhere is missed in its table, or in the file.
            (vec![], "pursuers[1].name", "f:4"),
            (vec![], "question", "f"),
            (vec![number("steps", 1e-300)], "steps", "f with steps = 1e-300"),
            (vec![number("steps", 0.5), number("steps", 1.0)], "steps", "f with steps = 1.0"),
            (
                vec![number("pursuers[1].speed", 0.5)],
                "pursuers[1].speed",
                "f with pursuers.1.speed = 0.5",
            ),
            // A setting of a whole table covers what is in it.
            (vec![word("tracking", "b")], "tracking.waves", "f with tracking = \"b\""),
            // One within leaves the rest to the file.
            (vec![number("tracking.waves", 4.0)], "tracking", "f:7 with tracking.waves = 4.0"),
            // One of something else may be why.
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
