//! Arguments in, JSON or a few lines out; every error is one line.

mod audit;
mod choice;
#[cfg(feature = "junit")]
mod junit;
mod level;
mod many;
mod number;
mod pursue;
mod run;
mod side;

use crate::flock::{FlockScene, FlockSceneError};
use crate::maps;
use crate::scenario;
use crate::study::verify::Seeds;
use crate::{memory, printable};
use audit::AuditArguments;
use bytesize::ByteSize;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use level::{JumpArguments, LevelArguments};
use number::Number;
use pursue::PursueArguments;
use run::RunArguments;
use side::SideArguments;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// `[units: bytes]` The default memory limit of a world.
const MEMORY: u64 = 1 << 30;

/// The default memory limit of a command: maps of published benchmarks are large.
fn most_memory(command: &Command) -> u64 {
    let Command::Pursue(PursueArguments { map, .. }) = command else { return MEMORY };
    let is_benchmark = map.extension().is_some_and(|end| end == "map" || end == "3dmap");
    if is_benchmark { memory::DEFAULT_LIMIT } else { MEMORY }
}

/// Scenarios of characters that chase, flee, jump and flock.
#[derive(Parser)]
#[command(name = "sim-harness", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// The most memory that a map, a world, a level or a sweep may take, such as 512MiB or 4GiB
    /// [default: 1GiB; of pursue on .map and .3dmap, 8GiB]
    #[arg(long, global = true, value_name = "SIZE")]
    memory: Option<ByteSize>,
}

#[derive(Subcommand)]
enum Command {
    /// The built-in scenarios, a line each.
    List,
    /// Runs a scenario: a built-in name or a .toml file.
    Run(RunArguments),
    /// Writes a scenario to begin with: a small one, or a copy of a built-in one.
    New {
        /// Its name; the file is NAME.toml.
        name: String,
        /// The built-in scenario to copy.
        #[arg(long, value_name = "SCENARIO")]
        from: Option<String>,
    },
    /// One pursuer and one still target per entry of a MovingAI scenario.
    Pursue(PursueArguments),
    /// Random boids under the full published rule, in a wrapping world.
    Flock {
        #[command(flatten)]
        flock: FlockArguments,
        /// Worker threads; default: all cores. The result is the same for any number.
        #[arg(long, value_parser = whole::<usize>)]
        threads: Option<usize>,
        #[arg(long)]
        json: bool,
    },
    /// The best path of a jumper over a height map.
    Jump {
        /// ESRI .asc, grey .png of 8 or 16 bits, or any other level: .tif, .map, .3dmap, .tmx,
        /// .tmj, .ldtk, .vox, .gltf, .glb, .obj; or a scenario with heights.
        #[arg(long)]
        terrain: PathBuf,
        #[command(flatten)]
        level: LevelArguments,
        #[command(flatten)]
        jump: JumpArguments,
        #[arg(long)]
        json: bool,
    },
    /// What is wrong with levels: traps, unreachable ground, one-way passages, cuts, shortcuts.
    /// Exit code 1 where a level has a fault that --deny names.
    Audit {
        #[command(flatten)]
        level: LevelArguments,
        #[command(flatten)]
        audit: AuditArguments,
        /// Worker threads; default: all cores. The result is the same for any number.
        #[arg(long, value_parser = whole::<usize>)]
        threads: Option<usize>,
        #[arg(long)]
        json: bool,
    },
    /// The jump links of a level for an engine's navigation mesh: for every two pieces of ground
    /// that a jump joins and walking does not, the shortest such jump.
    Links {
        /// As for jump.
        #[arg(long)]
        terrain: PathBuf,
        #[command(flatten)]
        level: LevelArguments,
        /// Worker threads; default: all cores. The result is the same for any number.
        #[arg(long, value_parser = whole::<usize>)]
        threads: Option<usize>,
        /// A JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Whether side-view platformers can be solved under their game's own jumps, and what cuts them
    /// where not.
    Side {
        #[command(flatten)]
        side: SideArguments,
        /// A JSON object a level and line.
        #[arg(long)]
        json: bool,
    },
    /// What scenarios claim of their outcome, measured over seeds; an error if that contradicts it.
    Verify {
        /// A built-in name, a .toml file, or all.
        #[arg(value_name = "SCENARIO")]
        name: String,
        /// How many seeds.
        #[arg(long, default_value_t = 100, value_parser = whole::<u64>)]
        seeds: u64,
        /// The first of them.
        #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
        first: u64,
        #[command(flatten)]
        page: PageArguments,
    },
    /// What may stand in a scenario file, as a JSON schema for editors.
    Schema {
        /// Writes a Markdown page of all parameters instead.
        #[arg(long)]
        page: Option<PathBuf>,
    },
    /// Many runs of a scenario: parameters times seeds.
    Sweep {
        /// The plan, a .toml file.
        plan: PathBuf,
        /// Where rows and tables go; rows that are there are kept [default: beside the plan]
        #[arg(long)]
        out: Option<PathBuf>,
        /// i/n: only every n-th run, from the i-th on.
        #[arg(long, default_value = "1/1")]
        shard: String,
        /// Worker threads; default: all cores. The result is the same for any number.
        #[arg(long, value_parser = whole::<usize>)]
        threads: Option<usize>,
        #[arg(long)]
        json: bool,
    },
    /// Published figures, measured again.
    Reproduce {
        /// watanabe-table-2, watanabe-speed, kumagai, harakawa, furukawa, fuzzy-appendix, boids, or
        /// all.
        #[arg(value_name = "NAME")]
        name: String,
        /// Random scenes per figure.
        #[arg(long, default_value_t = 200, value_parser = whole::<u64>)]
        seeds: u64,
        /// furukawa: searches what the source leaves open, beginning with so many settings, in
        /// place of its figures.
        #[arg(long, value_name = "TRIALS", conflicts_with = "out")]
        search: Option<u64>,
        /// Also draws what the sources show: pictures and an index.html in this folder.
        #[arg(long)]
        out: Option<PathBuf>,
        #[command(flatten)]
        page: PageArguments,
    },
}

/// A flock at its start, and how long it is followed.
#[derive(clap::Args)]
struct FlockArguments {
    #[arg(long, value_parser = whole::<u32>)]
    boids: u32,
    #[arg(long, value_parser = whole::<u32>)]
    steps: u32,
    /// 2 or 3.
    #[arg(long, default_value_t = 2, value_parser = whole::<u8>)]
    dim: u8,
    /// Boids per unit of area or volume; but a world is at least twice the radius wide.
    #[arg(long, default_value = "0.1")]
    density: Number,
    /// The view radius.
    #[arg(long, default_value = "10")]
    radius: Number,
    /// Heed only so many of the nearest in view; default: all.
    #[arg(long, value_parser = whole::<usize>)]
    nearest: Option<usize>,
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>)]
    seed: u64,
}

impl FlockArguments {
    fn scene(&self) -> FlockScene {
        let &Self { boids, steps, dim, nearest, seed, .. } = self;
        let (density, radius) = (self.density.value, self.radius.value);
        FlockScene { boids, steps, dim, density, radius, nearest, seed }
    }

    /// An error by the options that it is about.
    fn line(&self, error: &FlockSceneError) -> String {
        let Self { boids, density, radius, .. } = self;
        match error {
            FlockSceneError::Value { what, value, limit } => {
                let typed = match *what {
                    "density" => density.to_string(),
                    "radius" => radius.to_string(),
                    _ => value.to_string(),
                };
                format!("--{what} {typed}: must be {limit}")
            }
            FlockSceneError::World { side } => format!(
                "--boids {boids} --density {density}: the world is {side:?} wide, and must be at most 1e18"
            ),
            other => other.to_string(),
        }
    }
}

/// A whole number; for other text, the error states the limits.
fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let bits = 8 * size_of::<T>();
    text.parse().map_err(|_| format!("must be a whole number, 0 to 2^{bits} - 1"))
}

/// How what was measured is told.
#[derive(clap::Args)]
struct PageArguments {
    /// Worker threads; default: all cores. The result is the same for any number.
    #[arg(long, value_parser = whole::<usize>)]
    threads: Option<usize>,
    /// Writes a Markdown page.
    #[arg(long)]
    page: Option<PathBuf>,
    #[arg(long)]
    json: bool,
}

/// Any error; the program shows it as one line.
type Error = Box<dyn std::error::Error + Send + Sync>;
type Done = Result<(), Error>;

/// Runs the command that the program's arguments name. An error is one line on stderr.
#[must_use]
pub fn main() -> ExitCode {
    // Without it a signal leaves unfinished files behind, which is no reason not to run.
    #[cfg(unix)]
    let _ = clean_up_on_signals();
    match command() {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            ExitCode::from(2)
        }
    }
}

/// Shows an error as one line.
fn complain(error: &Error) {
    eprintln!("sim-harness: {}", one_line(&error.to_string()));
}

/// Removes unfinished files before a signal ends the program.
#[cfg(unix)]
fn clean_up_on_signals() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::Builder::new().stack_size(1 << 16).spawn(move || {
        for signal in signals.forever() {
            let _none_begins = crate::output::remove_parts();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

fn command() -> Result<ExitCode, Error> {
    // A negative number is a value out of limits, not an option that nobody knows.
    let command = Arguments::command().mut_subcommands(|c| {
        c.mut_args(
            |a| if a.get_action().takes_values() { a.allow_negative_numbers(true) } else { a },
        )
    });
    let parsed = command
        .try_get_matches_from(with_negative_words(std::env::args_os()))
        .and_then(|m| Arguments::from_arg_matches(&m));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(e) if e.use_stderr() => return Err(usage(&e).into()),
        Err(e) => return print(&e.to_string()).map(|()| ExitCode::SUCCESS),
    };
    let most = most_memory(&arguments.command);
    memory::set_limit(arguments.memory.map_or(most, |size| size.as_u64()));
    let done = match arguments.command {
        Command::List => list(),
        Command::Run(arguments) => in_pool(arguments.threads, || run::run(&arguments)),
        Command::New { name, from } => run::new(&name, from.as_deref()),
        Command::Pursue(arguments) => in_pool(arguments.threads, || pursue::run(&arguments)),
        Command::Flock { flock, threads, json } => in_pool(threads, || run_flock(&flock, json)),
        Command::Jump { terrain, level, jump, json } => {
            return level::jump(&terrain, &level, &jump, json);
        }
        Command::Audit { level, audit, threads, json } => {
            return in_pool(threads, || audit::audit(&level, &audit, json));
        }
        Command::Links { terrain, level, threads, json } => {
            in_pool(threads, || level::links(&terrain, &level, json))
        }
        Command::Side { side, json } => side::side(&side, json),
        Command::Verify { name, seeds, first, page } => {
            let seeds = Seeds { first, count: seeds };
            in_pool(page.threads, || many::verify(&name, seeds, &page))
        }
        Command::Schema { page } => many::schema(page.as_deref()),
        Command::Sweep { plan, out, shard, threads, json } => {
            in_pool(threads, || many::sweep(&plan, out.as_deref(), &shard, json))
        }
        Command::Reproduce { name, seeds, search: None, out, page } => {
            in_pool(page.threads, || many::reproduce(&name, seeds, out.as_deref(), &page))
        }
        Command::Reproduce { name, seeds, search: Some(trials), page, .. } => {
            in_pool(page.threads, || many::search(&name, trials, seeds, &page))
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// `--speed -inf` as `--speed=-inf`: of negative numbers, clap only takes those of digits.
fn with_negative_words(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let is_number = |text: &OsString| {
        text.to_str().is_some_and(|text| text.starts_with('-') && text.parse::<f64>().is_ok())
    };
    let mut joined: Vec<OsString> = Vec::new();
    for argument in arguments {
        match joined.last_mut() {
            Some(option) if is_option(option) && is_number(&argument) => {
                option.push("=");
                option.push(argument);
            }
            _ => joined.push(argument),
        }
    }
    joined
}

/// `--speed`, but neither `--speed=1` nor `--`.
fn is_option(argument: &OsStr) -> bool {
    let text = argument.to_str().and_then(|text| text.strip_prefix("--"));
    text.is_some_and(|text| !text.is_empty() && !text.contains('='))
}

fn list() -> Done {
    let mut lines = String::new();
    for built_in in scenario::built_in() {
        let scenario = scenario::load(built_in.name)?;
        lines += &format!("{:10} {}\n", built_in.name, scenario.question);
    }
    print(&lines)
}

/// A key and a TOML value from `KEY=VALUE`; other text is taken as a string.
fn setting(text: &str) -> Result<scenario::Setting, Error> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(format!("--set {}: must be KEY=VALUE", maps::printable(text)).into());
    };
    // Taken as a string, it would be told to be no number.
    if value.trim().parse::<i128>().is_ok_and(|number| i64::try_from(number).is_err()) {
        let seed = if key.trim() == "seed" { "; --seed takes up to 2^64 - 1" } else { "" };
        let [key, value] = [key, value].map(maps::printable);
        let limits = "whole numbers in a scenario must be -2^63 to 2^63 - 1";
        return Err(format!("--set {key}={value}: {limits}{seed}").into());
    }
    let table: Option<toml::Table> = format!("value = {value}").parse().ok();
    let parsed = table.and_then(|mut table| table.remove("value"));
    Ok((key.trim().to_owned(), parsed.unwrap_or_else(|| toml::Value::String(value.to_owned()))))
}

fn run_flock(flock: &FlockArguments, json: bool) -> Done {
    let summary = flock.scene().run(&ticks(u64::from(flock.steps), "steps"));
    let summary = summary.map_err(|e| flock.line(&e))?;
    if json {
        return print_json(&summary);
    }
    let order = summary.order;
    print(&format!(
        "{} boids, {} steps in {:.2} s: {:.3e} boid-steps/s\npolarisation {:.3}, {} groups, the largest of {}, state {}\n",
        summary.boids,
        summary.steps,
        summary.seconds,
        summary.boid_steps_per_s,
        order.polarisation,
        order.clusters,
        order.largest,
        summary.state_hash,
    ))
}

/// Runs `work` in a pool of `threads` workers, or in the default pool.
fn in_pool<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let Some(threads) = threads else {
        return work();
    };
    if !(1..=1024).contains(&threads) {
        return Err(format!("--threads {threads}: must be 1 to 1024").into());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| format!("--threads {threads}: {e}"))?.install(work)
}

/// A bar that each call takes a step further.
fn ticks(length: u64, what: &str) -> impl Fn() + Sync + use<> {
    let bar = progress(length, what);
    move || bar.inc(1)
}

/// A bar that is cleared when it is dropped.
fn progress(length: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length).with_message(printable::line(what).into_owned());
    match ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn show(json: bool, value: &impl serde::Serialize, words: impl FnOnce() -> String) -> Done {
    if json { print_json(value) } else { print(&words()) }
}

fn print_json(value: &impl serde::Serialize) -> Done {
    let json = serde_json::to_string(value)?;
    print_raw(&format!("{}\n", printable::json(&json)))
}

/// Names in it come from files, so control characters for terminals are escaped.
fn print(text: &str) -> Done {
    print_raw(&printable::lines(text))
}

/// A closed pipe is no error of ours: the program that closed it has read enough.
fn print_raw(text: &str) -> Done {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("stdout: {e}").into()),
        _ => Ok(()),
    }
}

/// The fault of the arguments, without the usage that clap prints below.
fn usage(error: &clap::Error) -> String {
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "needs a command; --help lists them".to_owned();
    }
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| {
        !line.starts_with("Usage:") && !line.starts_with("For more information")
    });
    lines.collect::<Vec<_>>().join(" ")
}

/// A message on one line of bounded length.
fn one_line(message: &str) -> String {
    let message = message.trim();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    printable::line(message).chars().take(500).collect()
}
