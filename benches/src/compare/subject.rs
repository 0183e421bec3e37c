//! Subjects of comparison, and the options that all subjects share.

use crate::error::CompareError;
use crate::report::Report;
use clap::{ArgMatches, Args, Command, CommandFactory, Parser};
use std::num::NonZero;
use std::thread;

/// Options of every subject.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Worker threads of the contestants that use several [default: all cores]
    #[arg(long, value_name = "N", global = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Timed rounds; every contestant runs once a round
    #[arg(long, value_name = "N", global = true, default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) runs: u16,
    /// One JSON object per line and contestant on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Options {
    /// The worker threads to use, at least 1.
    pub(crate) fn threads(&self) -> usize {
        let all = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(all, usize::from)
    }
}

/// A subject: its arguments, parsed and checked, and how it is run.
pub(crate) trait Subject: Parser {
    /// Measures all contestants.
    ///
    /// # Errors
    /// [`CompareError`]; [`CompareError::Mismatch`] where answers differ.
    fn run(self, options: &Options) -> Result<Report, CompareError>;
}

/// A subject in the list of all.
pub(crate) struct Entry {
    /// Its subcommand.
    pub(crate) command: fn() -> Command,
    /// Its [`Subject::run`], from parsed arguments.
    pub(crate) run: fn(&ArgMatches, &Options) -> Result<Report, CompareError>,
}

impl Entry {
    pub(crate) const fn of<S: Subject>() -> Self {
        Self {
            command: <S as CommandFactory>::command,
            run: |arguments, options| S::from_arg_matches(arguments)?.run(options),
        }
    }
}
