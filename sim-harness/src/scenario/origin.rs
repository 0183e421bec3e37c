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

    /// The same with settings in place of what the file says.
    pub(super) fn with(mut self, settings: &[Setting]) -> Self {
        self.settings = settings.to_vec();
        self
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
    /// nowhere comes from the nearest table that it would stand in.
    #[must_use]
    pub fn of(&self, key: &str) -> String {
        let variant = self.variant.iter().map(|name| format!(", variant {name:?}"));
        variant.fold(format!("{}{}", self.file, self.place(key)), |at, variant| at + &variant)
    }

    fn place(&self, key: &str) -> String {
        let key = key.replace('[', ".").replace(']', "");
        let key = key.split(' ').next().unwrap_or_default();
        let is_within = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let settings = self.settings.iter();
        let settings: Vec<String> = settings
            .filter(|(name, _)| is_within(name, key) || is_within(key, name))
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        if !settings.is_empty() {
            return format!(" with {}", settings.join(", "));
        }
        let mut keys = std::iter::successors(Some(key), |key| Some(key.rsplit_once('.')?.0));
        let line = keys.find_map(|key| self.lines.get(key));
        line.map_or_else(String::new, |line| format!(":{line}"))
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
