//! Arguments in, JSON or a few lines out; every error is one line.

mod many;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use jump_planner::{Clearance, Preference, STANDARD_GRAVITY, ShortcutRule};
use sim_harness::flock::FlockScene;
use sim_harness::heightmap::Scaling;
use sim_harness::level::{self, AuditOptions, LevelOptions};
use sim_harness::maps::{self, Entry, MapFile};
use sim_harness::page;
use sim_harness::pursue::{self, Rules};
use sim_harness::record::Recorder;
use sim_harness::scenario::{self, FrontKind};
use sim_harness::verify::{self, Seeds};
use sim_harness::world;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Scenarios of characters that chase, flee, jump and flock.
#[derive(Parser)]
#[command(name = "sim-harness", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The built-in scenarios, a line each.
    List,
    /// Runs a scenario: a built-in name or a .toml file.
    Run {
        scenario: String,
        /// Seeds all that is random, in place of the scenario's own seed.
        #[arg(long)]
        seed: Option<u64>,
        /// Worker threads; default: all cores. The result is the same for any number.
        #[arg(long)]
        threads: Option<usize>,
        /// Writes summary.json, trace.jsonl, final.png and report.html into this folder.
        #[arg(long)]
        out: Option<PathBuf>,
        /// Also writes film.gif there.
        #[arg(long, requires = "out")]
        gif: bool,
        /// Sets a key of the scenario, such as evaders.0.speed=2; may stand several times.
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        #[arg(long)]
        json: bool,
    },
    /// One pursuer and one still target per entry of a MovingAI scenario.
    Pursue {
        /// A MovingAI .map or .3dmap file.
        #[arg(long)]
        map: PathBuf,
        /// The scenario file with the entries.
        #[arg(long, conflicts_with_all = ["from", "to"], required_unless_present = "from")]
        scen: Option<PathBuf>,
        /// This many entries, spread evenly over the file; default: all.
        #[arg(long, requires = "scen")]
        entries: Option<usize>,
        /// X,Y or X,Y,Z: the pursuer's cell, in place of a scenario file.
        #[arg(long, requires = "to")]
        from: Option<String>,
        /// X,Y or X,Y,Z: the target's cell.
        #[arg(long, requires = "from")]
        to: Option<String>,
        /// free: our rules; fixed: the published rules.
        #[arg(long, value_enum, default_value_t = Walls::Free)]
        walls: Walls,
        /// What kind of fronts run under our rules.
        #[arg(long, value_enum, default_value_t = FrontKind::ShortWaves)]
        fronts: FrontKind,
        /// Worker threads; default: all cores. The result is the same for any number.
        #[arg(long)]
        threads: Option<usize>,
        #[arg(long)]
        json: bool,
    },
    /// Random boids under the full published rule, in a wrapping world.
    Flock {
        #[arg(long)]
        boids: u32,
        #[arg(long)]
        steps: u32,
        /// 2 or 3.
        #[arg(long, default_value_t = 2)]
        dim: u8,
        /// Boids per unit of area or volume.
        #[arg(long, default_value_t = 0.1)]
        density: f64,
        /// The view radius.
        #[arg(long, default_value_t = 10.0)]
        radius: f64,
        /// Heed only so many of the nearest in view; default: all.
        #[arg(long)]
        nearest: Option<usize>,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Worker threads; default: all cores. The result is the same for any number.
        #[arg(long)]
        threads: Option<usize>,
        #[arg(long)]
        json: bool,
    },
    /// The best path of a jumper over a height map.
    Jump {
        #[command(flatten)]
        level: LevelArguments,
        /// C,R: column and row of the start.
        #[arg(long)]
        from: String,
        /// C,R: column and row of the goal.
        #[arg(long)]
        to: String,
        /// What makes a path better [default: the fewest vertices, as published]
        #[arg(long, value_enum)]
        prefer: Option<Prefer>,
        #[arg(long)]
        json: bool,
    },
    /// What is wrong with a level: traps, unreachable ground, one-way passages, cuts, shortcuts.
    Audit {
        #[command(flatten)]
        level: LevelArguments,
        /// C,R: where the player starts [default: the largest component]
        #[arg(long)]
        start: Option<String>,
        /// C,R: where the player is to get; shows the cells that every way there passes.
        #[arg(long)]
        goal: Option<String>,
        /// The intended route: a file with C,R on each line; finds ways that skip a part of it.
        #[arg(long, value_name = "FILE")]
        route: Option<PathBuf>,
        /// Ground within so many walks of the route belongs to it [default: all one can walk to]
        #[arg(long, requires = "route", value_name = "WALKS")]
        route_width: Option<usize>,
        /// The fewest cells of the route that a shortcut skips [default: twice a level jump]
        #[arg(long, requires = "route", value_name = "CELLS")]
        least_skip: Option<usize>,
        /// Finds the launch speeds up to --speed at which more ground comes within reach.
        #[arg(long)]
        speeds: bool,
        /// Worker threads; default: all cores. The result is the same for any number.
        #[arg(long)]
        threads: Option<usize>,
        /// Writes audit.png and findings.json into this folder.
        #[arg(long)]
        out: Option<PathBuf>,
        #[arg(long)]
        json: bool,
    },
    /// What scenarios claim of their outcome, measured over seeds; an error if that contradicts it.
    Verify {
        /// A built-in name, a .toml file, or all.
        #[arg(value_name = "SCENARIO")]
        name: String,
        /// How many seeds.
        #[arg(long, default_value_t = 100)]
        seeds: u64,
        /// The first of them.
        #[arg(long, default_value_t = 1)]
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
        #[arg(long)]
        threads: Option<usize>,
        #[arg(long)]
        json: bool,
    },
    /// Published figures, measured again.
    Reproduce {
        /// watanabe-table-2, watanabe-speed, kumagai, harakawa, furukawa, fuzzy-appendix, boids, or all.
        #[arg(value_name = "NAME")]
        name: String,
        /// Random scenes per figure.
        #[arg(long, default_value_t = 200)]
        seeds: u64,
        #[command(flatten)]
        page: PageArguments,
    },
}

/// How what was measured is told.
#[derive(clap::Args)]
struct PageArguments {
    /// Worker threads; default: all cores. The result is the same for any number.
    #[arg(long)]
    threads: Option<usize>,
    /// Writes a Markdown page.
    #[arg(long)]
    page: Option<PathBuf>,
    #[arg(long)]
    json: bool,
}

/// A height map and who moves over it.
#[derive(clap::Args)]
struct LevelArguments {
    /// An ESRI .asc or a grey .png file of 8 or 16 bits.
    #[arg(long)]
    terrain: PathBuf,
    /// The launch speed of jumps.
    #[arg(long)]
    speed: f64,
    #[arg(long, default_value_t = STANDARD_GRAVITY)]
    gravity: f64,
    /// The side of a cell [default: as the file says, else 1]
    #[arg(long)]
    cell: Option<f64>,
    /// Heights are multiplied by this.
    #[arg(long)]
    scale: Option<f64>,
    /// Heights are rounded to multiples of this.
    #[arg(long)]
    quantise: Option<f64>,
    /// A walker steps up by this between neighbours.
    #[arg(long, default_value_t = 0.0)]
    step_height: f64,
    /// The longest fall that is survived [default: any]
    #[arg(long)]
    max_fall: Option<f64>,
    /// exact: ours; published: the source's rule by plan view.
    #[arg(long, value_enum, default_value_t = Rule::Exact)]
    rule: Rule,
}

impl LevelArguments {
    fn options(self) -> LevelOptions {
        LevelOptions {
            terrain: self.terrain,
            scaling: Scaling {
                cell_size: self.cell,
                height_scale: self.scale,
                quantum: self.quantise,
            },
            speed: self.speed,
            gravity: self.gravity,
            step_height: self.step_height,
            max_fall: self.max_fall,
            clearance: match self.rule {
                Rule::Exact => Clearance::default(),
                Rule::Published => Clearance::Published,
            },
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Rule {
    Exact,
    Published,
}

#[derive(Clone, Copy, ValueEnum)]
enum Prefer {
    FewestVertices,
    FewestJumps,
    Shortest,
    LeastTime,
    /// Jumps of at least half the length of a jump on level ground.
    BigJumps,
}

#[derive(Clone, Copy, ValueEnum)]
enum Walls {
    Free,
    Fixed,
}

type Line = Result<(), String>;

/// Runs the command that the arguments name.
///
/// # Errors
/// One line for stderr.
pub(crate) fn main() -> Line {
    // A negative number is a value out of limits, not an option that nobody knows.
    let command = Arguments::command().mut_subcommands(|c| {
        c.mut_args(
            |a| if a.get_action().takes_values() { a.allow_negative_numbers(true) } else { a },
        )
    });
    let parsed = command.try_get_matches().and_then(|m| Arguments::from_arg_matches(&m));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(e) if e.use_stderr() => return Err(usage(&e)),
        Err(e) => return print(&e.to_string()),
    };
    match arguments.command {
        Command::List => list(),
        Command::Run { scenario, seed, threads, out, gif, set, json } => in_pool(threads, || {
            let out = out.as_deref().map(|folder| (folder, gif));
            run(&scenario, seed, &set, out, json)
        }),
        Command::Pursue { map, scen, entries, from, to, walls, fronts, threads, json } => {
            let ends = from.as_deref().zip(to.as_deref());
            let rules = match walls {
                Walls::Free => Rules::Ours(fronts.into()),
                Walls::Fixed => Rules::Published,
            };
            in_pool(threads, || run_pursue(&map, scen.as_deref(), entries, ends, rules, json))
        }
        Command::Flock { boids, steps, dim, density, radius, nearest, seed, threads, json } => {
            let scene = FlockScene { boids, steps, dim, density, radius, nearest, seed };
            in_pool(threads, || run_flock(&scene, json))
        }
        Command::Jump { level, from, to, prefer, json } => {
            run_jump(&level.options(), &from, &to, prefer, json)
        }
        Command::Audit {
            level,
            start,
            goal,
            route,
            route_width: width,
            least_skip: least,
            speeds,
            threads,
            out,
            json,
        } => {
            let cell = |option: &str, text: Option<String>| {
                text.map(|text| column_row(option, &text)).transpose()
            };
            let (start, goal) = (cell("--start", start)?, cell("--goal", goal)?);
            let shortcuts = ShortcutRule { width, least };
            let audit = AuditOptions { start, goal, route, shortcuts, speeds, out };
            let options = level.options();
            in_pool(threads, || run_audit(&options, &audit, json))
        }
        Command::Verify { name, seeds, first, page } => {
            let seeds = Seeds { first, count: seeds };
            in_pool(page.threads, || many::verify(&name, seeds, &page))
        }
        Command::Schema { page } => many::schema(page.as_deref()),
        Command::Sweep { plan, out, shard, threads, json } => {
    // Taken as a string, it would be told to be no number.
    if value.trim().parse::<i128>().is_ok_and(|number| i64::try_from(number).is_err()) {
        let seed = if key.trim() == "seed" { "; --seed takes up to 2^64 - 1" } else { "" };
        return Err(format!(
            "--set {}: whole numbers in a scenario must be -2^63 to 2^63 - 1{seed}",
            one_line(text)
        ));
    }
            in_pool(threads, || many::sweep(&plan, out.as_deref(), &shard, json))
        }
        Command::Reproduce { name, seeds, page } => {
            in_pool(page.threads, || many::reproduce(&name, seeds, &page))
        }
    }
}

fn list() -> Line {
    let mut lines = String::new();
    for built_in in scenario::built_in() {
        let scenario = scenario::load(built_in.name).map_err(|e| e.to_string())?;
        lines += &format!("{:10} {}\n", built_in.name, scenario.question);
    }
    print(&lines)
}

fn run(
    name: &str,
    seed: Option<u64>,
    set: &[String],
    out: Option<(&Path, bool)>,
    json: bool,
) -> Line {
    let settings = set.iter().map(|text| setting(text)).collect::<Result<Vec<_>, _>>()?;
    let scenario = scenario::load_with(name, &settings).map_err(|e| one_line(&e.to_string()))?;
    verify::check_figures(&scenario).map_err(|e| one_line(&e.to_string()))?;
    let recorder = out.map(|(folder, gif)| Recorder::new(folder, gif)).transpose();
    let mut recorder = recorder.map_err(|e| one_line(&e.to_string()))?;
    let bar = progress(scenario.steps, "frames");
    let summary =
        world::run(&scenario, seed, recorder.as_mut(), &mut |step| bar.set_position(step));
    bar.finish_and_clear();
    let summary = summary.map_err(|e| one_line(&e.to_string()))?;
    if json {
        return print_json(&summary);
    }
    let o = &summary.outcome;
    let step = |s: Option<u64>| s.map_or_else(|| "-".to_owned(), |s| s.to_string());
    let mut text = summary.scenario.clone();
    if !scenario.question.is_empty() {
        text += &format!(": {}", scenario.question);
    }
    text.push('\n');
    text += &format!(
        "{} of {} pursuers arrived (the first in frame {}, the last in frame {}), {} found that no way exists\n",
        o.arrived,
        o.pursuers,
        step(o.first_arrival),
        step(o.last_arrival),
        o.unreachable,
    );
    text += &format!(
        "mean way {:.1}, {} frames in {:.2} s, seed {}, state {}\n",
        o.walked_mean, summary.steps, summary.seconds, summary.seed, summary.state_hash,
    );
    let figures = summary.outcome.figures();
    for (key, value) in figures.iter().filter(|(key, _)| scenario.figures.contains(key)) {
        text += &format!("{key}: {}\n", value.map_or_else(|| "-".to_owned(), page::short));
    }
    if let Some(recorder) = recorder {
        let files: Vec<_> = recorder.files().iter().map(|f| f.display().to_string()).collect();
        text += &format!("written: {}\n", files.join(", "));
    }
    print(&text)
}

/// A key and a TOML value from `KEY=VALUE`; what is no TOML value is taken as a string.
fn setting(text: &str) -> Result<scenario::Setting, String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(format!("--set {}: must be KEY=VALUE", one_line(text)));
    };
    let table: Option<toml::Table> = format!("value = {value}").parse().ok();
    let parsed = table.and_then(|mut table| table.remove("value"));
    Ok((key.trim().to_owned(), parsed.unwrap_or_else(|| toml::Value::String(value.to_owned()))))
}

fn run_pursue(
    map: &Path,
    scen: Option<&Path>,
    wanted: Option<usize>,
    ends: Option<(&str, &str)>,
    rules: Rules,
    json: bool,
) -> Line {
    let map = maps::read_map(map).map_err(|e| one_line(&e.to_string()))?;
    let entries = match (scen, ends) {
        (Some(scen), _) => {
            let entries = maps::read_scen(scen, &map).map_err(|e| one_line(&e.to_string()))?;
            match wanted {
                Some(wanted) => maps::select(&entries, wanted),
                None => entries,
            }
        }
        (None, Some((from, to))) => {
            let start = free_cell(&map, "--from", from)?;
            let goal = free_cell(&map, "--to", to)?;
            // No published length: such an entry has no ratio.
            vec![Entry { start, goal, optimal: 0.0, line: 0 }]
        }
        (None, None) => return Err("needs --scen FILE, or --from and --to".to_owned()),
    };
    let bar = progress(entries.len() as u64, "entries");
    let begin = Instant::now();
    let walks =
        pursue::run(&map, &entries, rules, &|| bar.inc(1)).map_err(|e| one_line(&e.to_string()))?;
    bar.finish_and_clear();
    let seconds = begin.elapsed().as_secs_f64();
    let summary = pursue::summarise(map.name(), &entries, &walks, seconds);
    if json {
        return print_json(&summary);
    }
    let figure = |v: Option<f64>| v.map_or_else(|| "-".to_owned(), |v| format!("{v:.4}"));
    let mut text = format!(
        "{}: {} entries: {} arrived, {} lost, {} unreachable, {} skipped\n",
        summary.map,
        summary.entries,
        summary.arrived,
        summary.lost,
        summary.unreachable,
        summary.skipped,
    );
    text += &format!(
        "walked / published optimum: mean {}, p95 {}, largest {}\n",
        figure(summary.ratio_mean),
        figure(summary.ratio_p95),
        figure(summary.ratio_max),
    );
    if let ([walk], true) = (&walks[..], ends.is_some()) {
        text += &format!("walked {:.3} cells\n", walk.walked);
    }
    text += &format!(
        "{} updates per cell, {:.2} s, state {}\n",
        figure(summary.updates_per_cell),
        summary.seconds,
        summary.state_hash,
    );
    print(&text)
}

fn run_flock(scene: &FlockScene, json: bool) -> Line {
    let bar = progress(u64::from(scene.steps), "steps");
    let summary = scene.run(&|| bar.inc(1)).map_err(|e| one_line(&e.to_string()))?;
    bar.finish_and_clear();
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

fn run_jump(
    options: &LevelOptions,
    from: &str,
    to: &str,
    prefer: Option<Prefer>,
    json: bool,
) -> Line {
    let ends = [column_row("--from", from)?, column_row("--to", to)?];
    let graph = options.graph().map_err(|e| one_line(&e.to_string()))?;
    let preference = match prefer {
        None | Some(Prefer::FewestVertices) => Preference::FewestVertices,
        Some(Prefer::FewestJumps) => Preference::FewestJumps,
        Some(Prefer::Shortest) => Preference::Shortest,
        Some(Prefer::LeastTime) => Preference::LeastTime,
        Some(Prefer::BigJumps) => {
            Preference::BigJumps { at_least: 0.5 * graph.character().jump_length() }
        }
    };
    let summary = level::jump(&graph, ends, preference).map_err(|e| one_line(&e.to_string()))?;
    if json {
        return print_json(&summary);
    }
    let mut text = if summary.reachable { "reachable:" } else { "not reachable" }.to_owned();
    for step in &summary.path {
        text += &format!(" {} {},{}", step.kind, step.cell[0], step.cell[1]);
    }
    text += &format!(
        "\n{} {} examined over cells, {} over groups, {:.3} s\n",
        summary.steps_plain, summary.steps_are, summary.steps_grouped, summary.seconds
    );
    print(&text)
}

fn run_audit(options: &LevelOptions, audit: &AuditOptions, json: bool) -> Line {
    let summary = level::audit(options, audit).map_err(|e| one_line(&e.to_string()))?;
    if json {
        return print_json(&summary);
    }
    let mut text = format!(
        "{} cells, {} groups; {} walks, {} falls, {} jumps\n",
        summary.cells, summary.groups, summary.edges.walk, summary.edges.fall, summary.edges.jump
    );
    text += &format!(
        "from {},{}: {} components, {} traps, {} cells never reached, {} one-way passages, {} open questions\n",
        summary.start[0],
        summary.start[1],
        summary.components,
        summary.traps,
        summary.unreachable,
        summary.one_way,
        summary.marginal
    );
    text += &format!(
        "{} cuts on ways from the start, {} on ways back; the worst cuts off {} cells\n",
        summary.cuts, summary.cuts_back, summary.worst_cut
    );
    if let Some(goal) = &summary.goal {
        let every: Vec<_> = goal.on_every_way.iter().map(|[c, r]| format!(" {c},{r}")).collect();
        text += &match (goal.reached, every.is_empty()) {
            (false, _) => "the goal is never reached\n".to_owned(),
            (true, true) => "the goal is reached, by ways that share no cell\n".to_owned(),
            (true, false) => format!("every way to the goal passes{}\n", every.concat()),
        };
    }
    if let (Some(shortcuts), Some(worst)) = (summary.shortcuts, summary.worst_shortcut) {
        text += &format!("{shortcuts} shortcuts; the worst skips {worst} cells of the route\n");
    }
    for step in summary.speeds.iter().flatten() {
        text += &format!("above {:.4}: {} more cells, {}\n", step.speed, step.gained, step.reached);
    }
    text += &format!("{:.3} s, state {}\n", summary.seconds, summary.state_hash);
    if let Some(folder) = &audit.out {
        text += &format!("written: {0}/audit.png, {0}/findings.json\n", folder.display());
    }
    print(&text)
}

/// `[column, row]` from `C,R`; whether it is inside is for the level to say.
fn column_row(option: &str, text: &str) -> Result<[usize; 2], String> {
    let numbers: Option<Vec<usize>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[column, row]) => Ok([column, row]),
        _ => Err(format!("{option} {}: must be C,R, whole numbers from 0", one_line(text))),
    }
}

/// A free cell `[z, y, x]` from `X,Y` or `X,Y,Z`.
fn free_cell(map: &MapFile, option: &str, text: &str) -> Result<[usize; 3], String> {
    let numbers: Option<Vec<usize>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    let cell = match numbers.as_deref() {
        Some(&[x, y]) if map.dimensions() == 2 => [0, y, x],
        Some(&[x, y, z]) if map.dimensions() == 3 => [z, y, x],
        _ => {
            let form = if map.dimensions() == 2 { "X,Y" } else { "X,Y,Z" };
            return Err(format!(
                "{option} {}: must be {form}, whole numbers from 0",
                one_line(text)
            ));
        }
    };
    let [z, y, x] = map.shape();
    if cell[0] >= z || cell[1] >= y || cell[2] >= x {
        return Err(format!("{option} {text}: outside the map of {x} x {y} x {z} cells"));
    }
    match map.class(cell) {
        Some(_) => Ok(cell),
        None => Err(format!("{option} {text}: the cell is blocked")),
    }
}

/// Runs `work` in a pool of `threads` workers, or in the default pool.
fn in_pool(threads: Option<usize>, work: impl FnOnce() -> Line + Send) -> Line {
    let Some(threads) = threads else {
        return work();
    };
    if !(1..=1024).contains(&threads) {
        return Err(format!("--threads {threads}: must be 1 to 1024"));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| format!("--threads {threads}: {e}"))?.install(work)
}

fn progress(length: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left");
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn print_json(value: &impl serde::Serialize) -> Line {
    let json = serde_json::to_string(value).map_err(|e| e.to_string())?;
    print(&format!("{json}\n"))
}

/// A closed pipe is no error of ours: whoever closed it has read enough.
fn print(text: &str) -> Line {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("stdout: {e}")),
        _ => Ok(()),
    }
}

/// What is wrong with the arguments, without the usage that clap prints below.
fn usage(error: &clap::Error) -> String {
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "needs a command; --help lists them".to_owned();
    }
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| {
        !line.starts_with("Usage:") && !line.starts_with("For more information")
    });
    one_line(&lines.collect::<Vec<_>>().join(" "))
}

/// The first line of a message, without what could break it up.
fn one_line(message: &str) -> String {
    let first = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let first = first.strip_prefix("error: ").unwrap_or(first);
    first.chars().filter(|c| !c.is_control()).take(500).collect()
}
