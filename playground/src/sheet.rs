//! The scenario's text, to which everything is added that a hand does.

use sim_harness::scenario::{Edit, Move, Place};
use toml_edit::{
    Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TomlError, Value, value,
};

/// A scenario's text, of which comments and order stay.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    document: DocumentMut,
}

impl Sheet {
    pub(crate) fn new(text: &str) -> Result<Self, TomlError> {
        Ok(Self { document: text.parse()? })
    }

    pub(crate) fn text(&self) -> String {
        self.document.to_string()
    }

    /// Makes the scenario long enough for what happens at a frame.
    fn reach(&mut self, frame: u64) {
        let steps = self.document.get("steps").and_then(Item::as_integer);
        if steps.is_none_or(|steps| steps.unsigned_abs() <= frame) {
            self.document["steps"] = number(frame + 1);
        }
    }

    pub(crate) fn edit(&mut self, edit: &Edit) {
        self.reach(edit.step);
        let mut entry = Table::new();
        entry["step"] = number(edit.step);
        entry["from"] = cells(&edit.from);
        entry["to"] = cells(&edit.to);
        if let Some(wall) = edit.wall {
            entry["wall"] = value(wall);
        }
        if let Some(speed) = edit.wave_speed {
            entry["wave_speed"] = value(speed);
        }
        self.push("edits", entry);
    }

    pub(crate) fn put(&mut self, put: &Move) {
        self.reach(put.step);
        let mut entry = Table::new();
        entry["step"] = number(put.step);
        match put.pursuer {
            None => entry["evader"] = number(put.evader as u64),
            Some(pursuer) => entry["pursuer"] = number(pursuer as u64),
        }
        entry["to"] = place(&put.to);
        self.push("moves", entry);
    }

    /// Adds a group of pursuers like the first one, that comes in at a frame.
    pub(crate) fn pursuers(&mut self, frame: u64, at: &Place) {
        self.reach(frame);
        let first = self.document.get("pursuers").and_then(|all| match all {
            Item::ArrayOfTables(all) => all.get(0).cloned(),
            Item::Value(Value::Array(all)) => {
                all.get(0)?.as_inline_table().cloned().map(InlineTable::into_table)
            }
            _ => None,
        });
        let mut entry = first.unwrap_or_default();
        entry.set_position(None);
        for key in ["name", "spread"] {
            entry.remove(key);
        }
        entry["count"] = number(1);
        entry["enter"] = number(frame);
        entry["start"] = place(at);
        self.push("pursuers", entry);
    }

    /// Ends the scenario after so many frames; its events for later frames stay in it.
    pub(crate) fn end_after(&mut self, frames: u64) {
        let steps = self.document.get("steps").and_then(Item::as_integer);
        if steps.is_none_or(|steps| steps.unsigned_abs() < frames) {
            self.document["steps"] = number(frames);
        }
        let mut until = InlineTable::new();
        until.insert("frame", i64::try_from(frames).unwrap_or(i64::MAX).into());
        self.document["until"] = value(until);
    }

    pub(crate) fn set_seed(&mut self, seed: i64) {
        self.document["seed"] = value(seed);
    }

    /// Pursuers follow waves by this rule, with its own default settings. Walls hold waves if they
    /// do in its source.
    pub(crate) fn set_rule(&mut self, rule: &str) {
        let mut tracking = Table::new();
        tracking["rule"] = value(rule);
        self.document["tracking"] = Item::Table(tracking);
        let is_published = matches!(rule, "watanabe" | "published" | "kumagai");
        let map = self.document.get_mut("map").and_then(Item::as_table_like_mut);
        if let Some(map) = map {
            map.insert("walls", value(if is_published { "fixed" } else { "free" }));
        }
    }

    /// All numbers that the scenario states, by their keys with dots, and the keys of all tables.
    /// Places and cells are no numbers.
    pub(crate) fn numbers(&self) -> (Vec<(String, f64)>, Vec<String>) {
        let (mut numbers, mut tables) = (Vec::new(), Vec::new());
        collect("", self.document.as_item(), &mut numbers, &mut tables);
        (numbers, tables)
    }

    /// Puts a number at a key with dots; without a number, the default. Returns whether this was
    /// done: it is not if the key lies in a table or a list that is not there.
    pub(crate) fn set_number(&mut self, key: &str, number: Option<f64>) -> bool {
        let (within, name) = key.rsplit_once('.').unwrap_or(("", key));
        let mut table = self.document.as_item_mut();
        for part in within.split('.').filter(|part| !part.is_empty()) {
            let next = match part.parse::<usize>() {
                Ok(place) => table.get_mut(place),
                // A table that is left out has the defaults of its keys.
                Err(_) if table.get(part).is_none() && within == part => {
                    table[part] = Item::Table(Table::new());
                    table.get_mut(part)
                }
                Err(_) => table.get_mut(part),
            };
            let Some(next) = next else { return false };
            table = next;
        }
        let Some(table) = table.as_table_like_mut() else { return false };
        let Some(number) = number else { return table.remove(name).is_some() };
        let was_float = table.get(name).is_some_and(Item::is_float);
        let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
        let item = if is_whole && !was_float { value(number as i64) } else { value(number) };
        table.insert(name, item);
        true
    }

    fn push(&mut self, list: &str, entry: Table) {
        let all = self.document.entry(list).or_insert_with(|| ArrayOfTables::new().into());
        match all {
            Item::ArrayOfTables(all) => all.push(entry),
            Item::Value(Value::Array(all)) => all.push(entry.into_inline_table()),
            // Other values were refused when the scenario was read.
            _ => {}
        }
    }
}

fn collect(key: &str, item: &Item, numbers: &mut Vec<(String, f64)>, tables: &mut Vec<String>) {
    // Changes by hand, and claims to judge afterwards, are no settings.
    if matches!(key, "edits" | "moves" | "claims" | "variants") {
        return;
    }
    let within =
        |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    if let Some(number) = item.as_float().or(item.as_integer().map(|n| n as f64)) {
        numbers.push((key.to_owned(), number));
    } else if let Some(table) = item.as_table_like() {
        tables.push(key.to_owned());
        table.iter().for_each(|(name, item)| collect(&within(name), item, numbers, tables));
    } else if let Some(list) = item.as_array_of_tables() {
        for (i, table) in list.iter().enumerate() {
            let item = Item::Table(table.clone());
            collect(&within(&i.to_string()), &item, numbers, tables);
        }
    } else if let Some(list) = item.as_array() {
        for (i, table) in list.iter().enumerate().filter(|(_, value)| value.is_inline_table()) {
            let item = Item::Value(table.clone());
            collect(&within(&i.to_string()), &item, numbers, tables);
        }
    }
}

fn number(n: u64) -> Item {
    value(i64::try_from(n).unwrap_or(i64::MAX))
}

fn cells(at: &[usize]) -> Item {
    value(at.iter().map(|&n| n as i64).collect::<Array>())
}

fn place(at: &Place) -> Item {
    match at {
        Place::Mark(mark) => value(mark.as_str()),
        Place::At(at) => value(at.iter().copied().collect::<Array>()),
    }
}
