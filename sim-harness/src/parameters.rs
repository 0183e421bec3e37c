//! Every parameter of a scenario file and every figure of an outcome, as the types say that they
//! are read into and written from: `sim-harness schema`, and the playground's fields.

use crate::scenario::Scenario;
use crate::world::Outcome;
use serde::Serialize;
use serde_json::Value;

/// A table of a scenario file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Its key, empty for the file itself; `N` stands for a place in a list, from 0.
    pub key: String,
    /// Its description.
    pub about: String,
    /// Its keys, by name.
    pub parameters: Vec<Parameter>,
}

/// A key and its allowed values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its key from the file's top, as `--set` and sweeps take it; `N` stands for a place in a
    /// list.
    pub key: String,
    /// Whether it is a number.
    pub is_number: bool,
    /// Whether it must be there.
    pub is_required: bool,
    /// Its unit.
    pub unit: Option<String>,
    /// Its limits: other values are refused.
    pub limits: Option<String>,
    /// A value to begin with.
    pub suggested: Option<String>,
    /// Its default, in TOML.
    pub default: Option<String>,
    /// Its description.
    pub about: String,
}

/// The JSON schema of scenario files: editors complete and check TOML by it.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(Scenario).to_value()
}

/// All tables of a scenario file, the file itself first.
#[must_use]
pub fn tables() -> Vec<Table> {
    let schema = schema();
    let mut reader = Reader { root: &schema, tables: Vec::new() };
    reader.table("", &schema);
    reader.tables
}

/// The figures of an outcome, by the keys that claims and reports take; `NAME` stands for a group's
/// name.
#[must_use]
pub fn figures() -> Vec<Parameter> {
    let schema = schemars::schema_for!(Outcome).to_value();
    let of = |properties: &Value, prefix: &str| -> Vec<Parameter> {
        let properties = properties.as_object().into_iter().flatten();
        let read = |(name, property): (&String, &Value)| {
            let text = property["description"].as_str().unwrap_or_default();
            Parameter::read(&format!("{prefix}{name}"), text, property)
        };
        properties.map(read).collect()
    };
    let mut figures = of(&schema["properties"], "");
    figures.retain(|figure| figure.key != "groups");
    figures.extend(of(&schema["$defs"]["GroupOutcome"]["properties"], "groups.NAME."));
    figures
}

struct Reader<'a> {
    root: &'a Value,
    tables: Vec<Table>,
}

impl<'a> Reader<'a> {
    /// The schema behind a reference, or of a value that may be left out.
    fn find(&self, schema: &'a Value) -> &'a Value {
        if let Some(name) = schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) {
            return self.find(&self.root["$defs"][name]);
        }
        let choices = schema["anyOf"].as_array();
        let is_null = |s: &&Value| s["type"] == "null";
        match choices.filter(|choices| choices.iter().any(|s| is_null(&s))) {
            Some(choices) => {
                choices.iter().find(|s| !is_null(s)).map_or(schema, |some| self.find(some))
            }
            None => schema,
        }
    }

    fn table(&mut self, key: &str, schema: &'a Value) {
        let at = self.tables.len();
        let about = plain(schema["description"].as_str().unwrap_or_default());
        self.tables.push(Table { key: key.to_owned(), about, parameters: Vec::new() });
        let required = |name: &String| {
            let names = schema["required"].as_array();
            names.is_some_and(|names| names.iter().any(|n| n == name))
        };
        let mut parameters = Vec::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            let found = self.find(property);
            let text = [property, found].into_iter().find_map(|s| s["description"].as_str());
            let mut parameter = Parameter::read(&key, text.unwrap_or_default(), found);
            parameter.is_required = required(name);
            parameter.default = property.get("default").filter(|v| !v.is_null()).map(toml);
            let more = self.below(&key, found, &mut parameter.about);
            parameters.push(parameter);
            parameters.extend(more);
        }
        self.tables[at].parameters = parameters;
    }

    /// Tables within, choices into `about`; the value of a choice that is no table is returned.
    fn below(&mut self, key: &str, schema: &'a Value, about: &mut String) -> Vec<Parameter> {
        if schema.get("properties").is_some() {
            self.table(key, schema);
        } else if let Some(items) = schema.get("items") {
            return self.below(&format!("{key}.N"), self.find(items), about);
        }
        let mut more = Vec::new();
        for choice in schema["oneOf"].as_array().into_iter().flatten() {
            let text = choice["description"].as_str().unwrap_or_default();
            if let Some(word) = choice["const"].as_str() {
                *about += &format!(" `{word}`: {}", plain(text));
            }
            for (name, inner) in choice["properties"].as_object().into_iter().flatten() {
                let (key, inner) = (format!("{key}.{name}"), self.find(inner));
                *about += &format!(" `{{ {name} = .. }}`: see `{key}`.");
                if inner.get("properties").is_some() {
                    self.table(&key, inner);
                } else {
                    more.push(Parameter::read(&key, text, inner));
                }
            }
        }
        more
    }
}

impl Parameter {
    /// From documentation such as `[units: cells] [limits: > 0] suggested: 4`, in backquotes,
    /// followed by a description.
    fn read(key: &str, text: &str, schema: &Value) -> Self {
        let text = plain(text);
        let quoted = text.strip_prefix('`').and_then(|rest| rest.split_once('`'));
        let (facts, about) = match quoted {
            Some((facts, about)) if facts.starts_with('[') => (facts, about),
            _ => ("", &text[..]),
        };
        let fact = |name: &str| {
            let (_, rest) = facts.split_once(&format!("[{name}: "))?;
            Some(rest.split_once(']')?.0.to_owned())
        };
        let is = |kind: &str| {
            let kinds = &schema["type"];
            kinds == kind || kinds.as_array().is_some_and(|all| all.iter().any(|k| k == kind))
        };
        Self {
            key: key.to_owned(),
            is_number: is("number") || is("integer"),
            is_required: false,
            unit: fact("units"),
            limits: fact("limits"),
            suggested: facts.split_once("suggested: ").map(|(_, value)| value.to_owned()),
            default: None,
            about: about.trim().to_owned(),
        }
    }
}

/// On one line, without links.
fn plain(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace("[`", "`").replace("`]", "`")
}

fn toml(value: &Value) -> String {
    toml::Value::try_from(value).map_or_else(|_| value.to_string(), |value| value.to_string())
}

#[cfg(test)]
mod tests;
