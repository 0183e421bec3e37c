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

    pub(crate) fn edit(&mut self, edit: &Edit) {
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
        let mut entry = Table::new();
        entry["step"] = number(put.step);
        entry["evader"] = number(put.evader as u64);
        entry["to"] = place(&put.to);
        self.push("moves", entry);
    }

    /// Adds a group of pursuers like the first one, that comes in at a frame.
    pub(crate) fn pursuers(&mut self, frame: u64, at: &Place) {
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

    /// Ends the scenario after so many frames; what it has in store for later ones stays there.
    pub(crate) fn end_after(&mut self, frames: u64) {
        let steps = self.document.get("steps").and_then(Item::as_integer);
        if steps.is_none_or(|steps| steps.unsigned_abs() < frames) {
            self.document["steps"] = number(frames);
        }
        let mut until = InlineTable::new();
        until.insert("frame", i64::try_from(frames).unwrap_or(i64::MAX).into());
        self.document["until"] = value(until);
    }

    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.document["seed"] = number(seed);
    }

    fn push(&mut self, list: &str, entry: Table) {
        let all = self.document.entry(list).or_insert_with(|| ArrayOfTables::new().into());
        match all {
            Item::ArrayOfTables(all) => all.push(entry),
            Item::Value(Value::Array(all)) => all.push(entry.into_inline_table()),
            // What is neither was refused when the scenario was read.
            _ => {}
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
