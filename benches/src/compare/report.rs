//! The figures as JSON lines and as a table.

use crate::error::CompareError;
use crate::measure::Times;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use std::fmt::Write;

/// The findings of a subject.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) subject: &'static str,
    /// The case that was run, in words that are unique within the subject.
    pub(crate) case: String,
    /// The contestant that the table's last column compares with.
    pub(crate) baseline: &'static str,
    pub(crate) rows: Vec<Row>,
}

/// The results of one contestant.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) contestant: &'static str,
    pub(crate) version: &'static str,
    pub(crate) times: Times,
    /// The subject's own keys, the same for all rows.
    pub(crate) extra: Vec<(&'static str, Value)>,
}

/// A row as a JSON object.
struct Line<'a>(&'a Report, &'a Row);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(report, row) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("subject", report.subject)?;
        map.serialize_entry("contestant", row.contestant)?;
        map.serialize_entry("version", row.version)?;
        map.serialize_entry("case", &report.case)?;
        map.serialize_entry("median_ms", &row.times.median())?;
        map.serialize_entry("min_ms", &row.times.min())?;
        map.serialize_entry("max_ms", &row.times.max())?;
        map.serialize_entry("runs", &row.times.runs())?;
        for (key, value) in &row.extra {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl Report {
    /// One object per line and contestant.
    pub(crate) fn json(&self) -> Result<String, CompareError> {
        let mut text = String::new();
        for row in &self.rows {
            text += &serde_json::to_string(&Line(self, row))?;
            text.push('\n');
        }
        Ok(text)
    }

    /// For people: aligned columns, and how many times as fast as the baseline each one is.
    pub(crate) fn table(&self) -> String {
        let baseline = self.rows.iter().find(|r| r.contestant == self.baseline);
        let baseline = baseline.map(|row| row.times.median());
        let mut head: Vec<String> =
            ["contestant", "version", "median ms", "min ms", "max ms"].map(str::to_owned).to_vec();
        if let Some(row) = self.rows.first() {
            head.extend(row.extra.iter().map(|(key, _)| key.replace('_', " ")));
        }
        head.push(format!("x {}", self.baseline));
        let mut lines = vec![head];
        for row in &self.rows {
            let times = &row.times;
            let mut line = vec![row.contestant.to_owned(), row.version.to_owned()];
            line.extend([times.median(), times.min(), times.max()].map(number));
            line.extend(row.extra.iter().map(|(_, value)| match value.as_f64() {
                Some(float) if value.is_f64() => number(float),
                _ => value.to_string(),
            }));
            line.push(baseline.map_or("-".to_owned(), |b| number(b / times.median())));
            lines.push(line);
        }
        let width =
            |column: usize| lines.iter().filter_map(|l| l.get(column)).map(String::len).max();
        let mut text = format!("{} {}\n", self.subject, self.case);
        for line in &lines {
            let mut padded = String::new();
            for (column, field) in line.iter().enumerate() {
                let width = width(column).unwrap_or(0);
                // Names to the left, numbers to the right. Writing to a string cannot fail.
                let _ = match column {
                    0 | 1 => write!(padded, "{field:width$}  "),
                    _ => write!(padded, "{field:>width$}  "),
                };
            }
            text += padded.trim_end();
            text.push('\n');
        }
        text
    }
}

/// Three or four digits that matter.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 => 1,
        v if v >= 1.0 => 2,
        v if v >= 0.01 => 4,
        _ => 6,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let row = |contestant, ms: f64| Row {
            contestant,
            version: "1.0",
            times: Times::new(vec![ms]),
            extra: vec![("gcells_per_s", (4.0 / ms).into())],
        };
        let rows = vec![row("ours", 2.0), row("roof", 1.0)];
        Report { subject: "wave-step", case: "4x4 free".into(), baseline: "roof", rows }
    }

    #[test]
    fn a_json_line_has_the_keys_in_the_stated_order() {
        let json = report().json().unwrap();
        assert_eq!(
            json.lines().next(),
            Some(
                r#"{"subject":"wave-step","contestant":"ours","version":"1.0","case":"4x4 free","median_ms":2.0,"min_ms":2.0,"max_ms":2.0,"runs":1,"gcells_per_s":2.0}"#
            )
        );
        assert_eq!(json.lines().count(), 2);
    }

    #[test]
    fn a_table_is_aligned_and_compares_with_the_baseline() {
        let table = report().table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].ends_with("x roof") && lines[2].ends_with("0.5000"));
        assert!(lines[1..].windows(2).all(|w| w[0].len() == w[1].len()));
    }
}
