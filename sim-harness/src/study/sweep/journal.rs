//! Rows as they come: appended, synced, and read again after whatever has happened.
//!
//! A journal is lines of CSV, each with a check of itself behind the last comma. Line ends within
//! values are escaped, so only the text after the last line end was being written when the machine
//! stopped.

use super::columns::{AFTER, BEFORE};
use super::plan::Plan;
use super::{Shard, SweepError};
use crate::input;
use crate::output::{OutFolder, Whole, WriteError};
use crate::world::Summary;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) run: u64,
    pub(super) point: u64,
    pub(super) seed: u64,
    pub(super) steps: u64,
    pub(super) state_hash: String,
    /// In the order of [`Plan::figures`].
    pub(super) figures: Vec<Option<f64>>,
}

impl Row {
    pub(super) fn new(plan: &Plan, run: u64, summary: &Summary) -> Self {
        let (point, seed) = plan.run(run);
        let found: BTreeMap<String, Option<f64>> = summary.outcome.figures().into_iter().collect();
        let figure = |name: &String| found.get(name).copied().flatten();
        Self {
            run,
            point,
            seed,
            steps: summary.steps,
            state_hash: summary.state_hash.clone(),
            figures: plan.figures().iter().map(figure).collect(),
        }
    }

    /// The names of columns.
    pub(super) fn header(plan: &Plan) -> Vec<String> {
        let [before, after] = [&BEFORE[..], &AFTER[..]].map(|names| names.iter().copied());
        let parameters = plan.columns().iter().map(String::as_str);
        let figures = plan.figures().iter().map(String::as_str);
        before.chain(parameters).chain(after).chain(figures).map(str::to_owned).collect()
    }

    pub(super) fn record(&self, plan: &Plan) -> Vec<String> {
        let settings = plan.settings(self.point).into_iter().map(|(_, value)| plain(&value));
        let figures = self.figures.iter().map(|f| f.map_or_else(String::new, |f| f.to_string()));
        [self.run, self.point, self.seed]
            .map(|n| n.to_string())
            .into_iter()
            .chain(settings)
            .chain([self.steps.to_string(), self.state_hash.clone()])
            .chain(figures)
            .collect()
    }

    /// `None` where it is no row of the plan.
    fn parse(plan: &Plan, record: &csv::StringRecord) -> Option<Self> {
        let at = 3 + plan.keys().len();
        if record.len() != at + 2 + plan.figures().len() {
            return None;
        }
        let whole = |i: usize| record[i].parse::<u64>().ok();
        let figure = |text: &str| match text {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        let row = Self {
            run: whole(0)?,
            point: whole(1)?,
            seed: whole(2)?,
            steps: whole(at)?,
            state_hash: record[at + 1].to_owned(),
            figures: record.iter().skip(at + 2).map(figure).collect::<Option<_>>()?,
        };
        let known = row.run < plan.runs()
            && plan.run(row.run) == (row.point, row.seed)
            && row.figures.iter().flatten().all(|figure| figure.is_finite())
            // Also the point's parameters, and every number as it was written.
            && record.iter().eq(row.record(plan));
        known.then_some(row)
    }
}

/// A setting's value without TOML's quotes.
pub(super) fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whose rows a folder holds.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Owner {
    scenario: String,
    runs: u64,
    fingerprint: String,
}

/// The file that a shard appends to. It is locked as long as it is open.
#[derive(Debug)]
pub(super) struct Journal<'a> {
    plan: &'a Plan,
    path: PathBuf,
    file: File,
}

impl<'a> Journal<'a> {
    /// Opens a shard's journal, cuts off a row that is half written, and returns all rows that
    /// there are, of any shard.
    pub(super) fn open(
        plan: &'a Plan,
        folder: &OutFolder,
        shard: Shard,
    ) -> Result<(Self, BTreeMap<u64, Row>), SweepError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |e: io::Error| WriteError { path, reason: e.to_string() }
        };
        own(plan, folder)?;
        let path = folder.join(&format!("journal-{}-of-{}.csv", shard.index, shard.of));
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            let reason = "is a symbolic link: rows are written to files of this folder".to_owned();
            return Err(SweepError::Folder { path, reason });
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(&path);
        let file = file.map_err(failed(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let reason = "another sweep is writing to it".to_owned();
                return Err(SweepError::Folder { path, reason });
            }
            Err(TryLockError::Error(e)) => return Err(failed(&path)(e).into()),
        }
        let bytes = input::read(&path).map_err(failed(&path))?;
        // A file is cut only if it is known to be this sweep's.
        let mut found = BTreeMap::new();
        take(plan, &path, &bytes, &mut found)?;
        let whole = whole(&bytes).len();
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(failed(&path))?;
        }
        let mut journal = Self { plan, path, file };
        if whole == 0 {
            journal.write(&Row::header(plan))?;
        }
        let rows = read_all(plan, folder.path())?;
        Ok((journal, rows))
    }

    pub(super) fn append(&mut self, row: &Row) -> Result<(), SweepError> {
        self.write(&row.record(self.plan))
    }

    /// A whole line in one call, on the disk before it counts as done.
    fn write(&mut self, record: &[String]) -> Result<(), SweepError> {
        let before = self.file.metadata().map(|m| m.len());
        let line = checked(record);
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        written.map_err(|e| {
            // Removes the part of the line that a full disk has taken.
            if let Ok(before) = before {
                let _ = self.file.set_len(before);
            }
            WriteError { path: self.path.clone(), reason: e.to_string() }.into()
        })
    }
}

/// The lines that have an end.
fn whole(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1)]
}

/// A record as a line of a journal.
fn checked(record: &[String]) -> Vec<u8> {
    let escape =
        |text: &String| text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
    let mut line = line(&record.iter().map(escape).collect::<Vec<_>>());
    // The end of the line comes behind the check.
    line.pop();
    let check = format!(",{:016x}\n", xxh3_64(&line));
    line.extend_from_slice(check.as_bytes());
    line
}

/// The CSV of a journal's line, if its check is right.
fn unchecked(line: &[u8]) -> Option<&[u8]> {
    let (text, check) = line.split_at_checked(line.len().checked_sub(17)?)?;
    (check == format!(",{:016x}", xxh3_64(text)).as_bytes()).then_some(text)
}

/// A value as it was before it was escaped.
fn unescaped(text: &str) -> String {
    let mut letters = text.chars();
    let mut next = || {
        Some(match letters.next()? {
            '\\' => match letters.next()? {
                'n' => '\n',
                'r' => '\r',
                other => other,
            },
            other => other,
        })
    };
    std::iter::from_fn(&mut next).collect()
}

/// Adds the rows of a journal, whose last line may be half written.
fn take(
    plan: &Plan,
    path: &Path,
    bytes: &[u8],
    rows: &mut BTreeMap<u64, Row>,
) -> Result<(), SweepError> {
    let refused = |number: usize, what: &str| {
        let reason = format!("line {number} {what}");
        SweepError::Folder { path: path.to_owned(), reason }
    };
    let record = |text: &[u8]| {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
        let record = reader.records().next()?.ok()?;
        Some(record.iter().map(unescaped).collect::<csv::StringRecord>())
    };
    let header = Row::header(plan);
    let lines = whole(bytes).split_inclusive(|&b| b == b'\n');
    for (number, with_end) in (1..).zip(lines) {
        let text = &with_end[..with_end.len() - 1];
        if number == 1 && with_end == line(&header) {
            let what = "has no check: it is of an earlier version, whose rows cannot be told from \
                        changed ones. Take another folder, or remove it to make its runs again";
            return Err(refused(number, what));
        }
        let Some(text) = unchecked(text) else {
            return Err(refused(number, "is not as it was written: its check is wrong"));
        };
        let record = record(text);
        if number == 1 {
            if record.is_some_and(|record| record.iter().eq(&header)) {
                continue;
            }
            return Err(refused(number, "is no header of this sweep"));
        }
        let Some(row) = record.and_then(|record| Row::parse(plan, &record)) else {
            return Err(refused(number, "is no row of this sweep"));
        };
        let run = row.run;
        if rows.insert(run, row.clone()).is_some_and(|other| other != row) {
            return Err(refused(number, &format!("says of run {run} otherwise than before")));
        }
    }
    Ok(())
}

/// A record as a line of CSV.
pub(super) fn line(record: &[String]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Neither can fail: it is written to memory, and there is one record.
    let _ = writer.write_record(record);
    writer.into_inner().unwrap_or_default()
}

/// Makes the folder this sweep's, or refuses one that is another's.
fn own(plan: &Plan, folder: &OutFolder) -> Result<(), SweepError> {
    if is_owned(plan, folder.path())? {
        return Ok(());
    }
    let text = serde_json::to_vec_pretty(&owner(plan)).unwrap_or_default();
    // If another shard was sooner, its file counts.
    if !Whole::of(folder.join(OWNER), &text)?.place_new()? {
        is_owned(plan, folder.path())?;
    }
    Ok(())
}

/// Where it says whose a folder is.
const OWNER: &str = "sweep.json";

fn owner(plan: &Plan) -> Owner {
    Owner {
        scenario: plan.scenario().to_owned(),
        runs: plan.runs(),
        fingerprint: format!("{:016x}", plan.fingerprint()),
    }
}

/// Whether the folder is this sweep's, not nobody's; one that is another's is refused, and one
/// whose rows may be anybody's.
pub(super) fn is_owned(plan: &Plan, folder: &Path) -> Result<bool, SweepError> {
    let path = folder.join(OWNER);
    // Looked for before that file is read: another shard makes its journal only after it.
    let has_journals = !journals(folder)?.is_empty();
    match input::read(&path) {
        Ok(bytes) => match serde_json::from_slice::<Owner>(&bytes) {
            Ok(found) if found.fingerprint == owner(plan).fingerprint => Ok(true),
            Ok(_) => {
                let reason = "its rows are of another plan, scenario or map: take another folder";
                Err(SweepError::Folder { path, reason: reason.to_owned() })
            }
            Err(e) => {
                let reason = format!("is damaged, so whose rows these are is not known: {e}");
                Err(SweepError::Folder { path, reason })
            }
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound && has_journals => {
            let reason = "is missing, so whose rows the journals here are is not known: copy it with \
                          them";
            Err(SweepError::Folder { path, reason: reason.to_owned() })
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(WriteError { path, reason: e.to_string() }.into()),
    }
}

/// The journals in a folder, sorted; none where there is no folder.
fn journals(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let failed = |e: io::Error| WriteError { path: folder.to_owned(), reason: e.to_string() };
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let csv = path.extension().is_some_and(|extension| extension == "csv");
        if csv && name.is_some_and(|name| name.starts_with("journal-")) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// All rows of all journals in a folder, by run. Lines that are half written do not count.
pub(super) fn read_all(plan: &Plan, folder: &Path) -> Result<BTreeMap<u64, Row>, SweepError> {
    let mut rows = BTreeMap::new();
    for path in journals(folder)? {
        let bytes = input::read(&path)
            .map_err(|e| WriteError { path: path.clone(), reason: e.to_string() })?;
        take(plan, &path, &bytes, &mut rows)?;
    }
    Ok(rows)
}
