//! Namiji beside the libraries and methods that a user would pick instead.
//!
//! `compare SUBJECT` measures all contestants of a subject in one process, interleaved round by
//! round, checks their answers against each other and prints one line per contestant. A new subject
//! is a module that implements [`subject::Subject`] and a line in [`SUBJECTS`].
//!
//! Exit 0: measured. 1: answers differ, or the job failed. 2: bad arguments, told in one line.

mod arrival_field;
mod board;
mod distance_field;
mod doors;
mod error;
mod fill;
mod flock;
mod fuzzy;
mod grid;
mod ground;
mod jump_graph;
mod jump_links;
mod measure;
mod pursuit;
mod queue;
mod region;
mod repair;
mod report;
mod subject;
mod wave_step;
mod world;

use clap::{Args, Command, FromArgMatches};
use error::CompareError;
use std::io::{self, Write};
use std::process::ExitCode;
use subject::{Entry, Options};

/// All that can be compared.
const SUBJECTS: &[Entry] = &[
    Entry::of::<wave_step::WaveStep>(),
    Entry::of::<arrival_field::ArrivalFieldSubject>(),
    Entry::of::<repair::RepairSubject>(),
    Entry::of::<world::WorldSubject>(),
    Entry::of::<pursuit::Pursuit>(),
    Entry::of::<distance_field::DistanceFieldSubject>(),
    Entry::of::<fill::FillSubject>(),
    Entry::of::<fuzzy::FuzzySubject>(),
    Entry::of::<flock::FlockSubject>(),
    Entry::of::<jump_graph::JumpGraphSubject>(),
    Entry::of::<jump_links::JumpLinksSubject>(),
    Entry::of::<doors::DoorsSubject>(),
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(CompareError::Arguments(error)) if !error.use_stderr() => {
            // Help and version: no error.
            print(&error.render().to_string()).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "{}", error.line());
            ExitCode::from(error.exit_code())
        }
    }
}

fn run() -> Result<(), CompareError> {
    let matches = command().try_get_matches()?;
    let Some((name, arguments)) = matches.subcommand() else {
        return Ok(());
    };
    let options = Options::from_arg_matches(arguments)?;
    for entry in SUBJECTS {
        if (entry.command)().get_name() == name {
            let report = (entry.run)(arguments, &options)?;
            let text = if options.json { report.json()? } else { report.table() };
            print(&text)?;
        }
    }
    Ok(())
}

fn command() -> Command {
    let subjects = SUBJECTS.iter().map(|entry| (entry.command)());
    // The options first: they bring the docs of their type along.
    Options::augment_args(Command::new("compare"))
        .version(env!("CARGO_PKG_VERSION"))
        .about("Namiji beside what a user would pick instead, measured side by side")
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommands(subjects)
}

/// Writes to stdout; a reader that has gone away is an error, not a panic.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn bad_arguments_are_told_in_one_line() {
        let bad: [&[&str]; 5] = [
            &[],
            &["tides"],
            &["wave-step", "--grid", "0x5"],
            &["wave-step", "--threads", "0"],
            &["wave-step", "--walls", "soft", "--json"],
        ];
        for arguments in bad {
            let arguments = [&["compare"], arguments].concat();
            let error = CompareError::from(command().try_get_matches_from(&arguments).unwrap_err());
            assert_eq!(error.exit_code(), 2, "{arguments:?}");
            assert_eq!(error.line().lines().count(), 1, "{}", error.line());
        }
    }
}
