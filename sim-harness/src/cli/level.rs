//! The commands `jump` and `links`, and what they share with `audit`: a level, and the character
//! that moves in it.

use super::choice::ChoiceArguments;
use super::number::Number;
use super::{Done, Error, print, print_json};
use crate::import::ImportOptions;
use crate::level::{self, Ground, LevelError, LevelOptions, Named};
use crate::maps::heights::Scaling;
use crate::maps::printable;
use crate::scenario::Legs;
use clap::ValueEnum;
use jump_planner::{
    CharacterError, JumpError, JumpGraph, JumpRule, OutOfRange, Preference, STANDARD_GRAVITY,
    TerrainError,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A height map and who moves over it.
#[derive(clap::Args)]
pub(super) struct LevelArguments {
    #[command(flatten)]
    choice: ChoiceArguments,
    /// The launch speed of jumps; may be left out for a scenario.
    #[arg(long)]
    speed: Option<Number>,
    /// [default: 9.80665; as a scenario says]
    #[arg(long)]
    gravity: Option<Number>,
    /// The side of a cell [default: as the file says, else 1; of a mesh, a 256th of its longest
    /// side]
    #[arg(long)]
    cell: Option<Number>,
    /// Heights are multiplied by this.
    #[arg(long)]
    scale: Option<Number>,
    /// Heights are rounded to multiples of this.
    #[arg(long)]
    pub(super) quantise: Option<Number>,
    /// A walker steps up by this between neighbours; rounding of heights does not count
    /// [default: 0; as a scenario says]
    #[arg(long)]
    step_height: Option<Number>,
    /// The longest fall that is survived [default: any; as a scenario says]
    #[arg(long)]
    max_fall: Option<Number>,
    /// exact: every jump that can be flown; published: the source's graph, with jumps between the
    /// rims of groups, decided by plan view.
    #[arg(long, value_enum, default_value_t = Rule::Exact)]
    rule: Rule,
    /// The box that moves: half its side and its height [default: a point]
    #[arg(long, value_name = "R,H", value_parser = body)]
    body: Option<[f64; 2]>,
    /// One walks over and under things: every floor of a level of voxels or meshes counts, not the
    /// highest alone. Places are C,R (the highest) or C,R,Z (the floor below height Z) then.
    #[arg(long)]
    pub(super) storeys: bool,
    /// A box of cells that nobody stands in, though one jumps over it: two corners, the smaller
    /// first; may stand several times.
    #[arg(long, value_name = "C,R,C,R", value_parser = corners)]
    no_go: Vec<[[usize; 2]; 2]>,
}

fn corners(text: &str) -> Result<[[usize; 2]; 2], &'static str> {
    let numbers: Option<Vec<usize>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[left, upper, right, lower]) => Ok([[left, upper], [right, lower]]),
        _ => Err("must be four whole numbers, C,R,C,R"),
    }
}

fn body(text: &str) -> Result<[f64; 2], &'static str> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[radius, height]) => Ok([radius, height]),
        _ => Err("must be two numbers, R,H"),
    }
}

impl LevelArguments {
    /// The options of a level: typed ones first, then those of a scenario's jumpers.
    pub(super) fn options(&self, terrain: &Path) -> Result<LevelOptions, Error> {
        let value = |number: &Option<Number>| number.as_ref().map(|number| number.value);
        let legs = level::scenario_legs(terrain)?;
        let of_legs = |get: fn(&Legs) -> Option<f64>| legs.as_ref().and_then(get);
        let speed = value(&self.speed).or_else(|| of_legs(|legs| legs.launch_speed));
        let gravity = value(&self.gravity).or_else(|| of_legs(|legs| Some(legs.gravity)));
        let step = value(&self.step_height).or_else(|| of_legs(|legs| Some(legs.step_height)));
        Ok(LevelOptions {
            terrain: terrain.to_owned(),
            import: ImportOptions { cell: value(&self.cell), ..self.choice.options() },
            scaling: Scaling {
                cell_size: value(&self.cell),
                height_scale: value(&self.scale),
                quantum: value(&self.quantise),
            },
            speed: speed.ok_or("needs --speed V, the launch speed of jumps")?,
            gravity: gravity.unwrap_or(STANDARD_GRAVITY),
            step_height: step.unwrap_or(0.0),
            max_fall: value(&self.max_fall).or_else(|| of_legs(|legs| legs.max_fall)),
            body: self.body.unwrap_or_default(),
            rule: match self.rule {
                Rule::Exact => JumpRule::default(),
                Rule::Published => JumpRule::Published,
            },
            no_go: self.no_go.clone(),
            storeys: self.storeys,
        })
    }

    /// A place as it is typed; whether there is one is for the level to say.
    pub(super) fn named(&self, option: &str, text: &str) -> Result<Named, Error> {
        if !self.storeys {
            return Ok((column_row(option, text)?, None));
        }
        let refuse = || format!("{option} {}: must be C,R or C,R,Z", printable(text));
        Ok(level::named(text, true).ok_or_else(refuse)?)
    }

    /// Refuses options that know nothing of storeys.
    pub(super) fn check_storeys(&self) -> Done {
        if self.storeys && self.quantise.is_some() {
            return Err("--quantise: not with --storeys".into());
        }
        Ok(())
    }

    /// An error by the options that it is about; `cells` are those that were typed, by their
    /// options.
    pub(super) fn line(&self, error: &LevelError, cells: &[(&str, &str)]) -> String {
        let line = match error {
            LevelError::Cell { which, fault, .. } => {
                let typed = cells.iter().find(|(option, _)| option == which);
                typed.map(|(option, text)| format!("--{option} {}: {fault}", text.trim()))
            }
            LevelError::NoGo { .. } => Some(format!("--{error}")),
            LevelError::Terrain { error: TerrainError::Value(number), .. }
            | LevelError::Jump(JumpError::Character(CharacterError::Value(number))) => {
                self.number(number)
            }
            // Files hold no heights that large.
            LevelError::Terrain {
                file,
                error: TerrainError::Height { cell: [row, column], value, .. },
            } => self.scale.as_ref().map(|scale| {
                format!(
                    "--scale {scale}: the height of cell {column},{row} of {file} is {value:?} then: it must \
                     be within +-1e9"
                )
            }),
            LevelError::Jump(JumpError::NotMonotone { .. }) => Some(format!("--speeds: {error}")),
            _ => None,
        };
        line.unwrap_or_else(|| error.to_string())
    }

    /// A number out of its limits by its option; `None` where it is none of an option.
    fn number(&self, out: &OutOfRange) -> Option<String> {
        let of = |option: &str, number: &Number| format!("--{option} {number}");
        let maybe = |option, number: &Option<Number>| Some(of(option, number.as_ref()?));
        let typed = match out.what {
            "launch_speed" => maybe("speed", &self.speed)?,
            "gravity" => maybe("gravity", &self.gravity)?,
            "step_height" => maybe("step-height", &self.step_height)?,
            "max_fall" => maybe("max-fall", &self.max_fall)?,
            "cell_size" => maybe("cell", &self.cell)?,
            "height_scale" => maybe("scale", &self.scale)?,
            "quantum" => maybe("quantise", &self.quantise)?,
            "launch_speed^2 / gravity" => {
                let (speed, value) = (self.speed.as_ref()?, out.value);
                let gravity = self.gravity.clone().unwrap_or_else(|| STANDARD_GRAVITY.into());
                format!("--speed {speed} --gravity {gravity}: speed^2 / gravity is {value:?}")
            }
            _ => return None,
        };
        Some(format!("{typed}: must be {}", out.limit))
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Rule {
    Exact,
    Published,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Prefer {
    FewestVertices,
    FewestJumps,
    Shortest,
    LeastTime,
    /// Jumps of at least half the length of a jump on level ground.
    BigJumps,
}

impl Prefer {
    pub(super) fn preference(typed: Option<Self>, jump_length: f64) -> Preference {
        match typed {
            None | Some(Self::FewestVertices) => Preference::FewestVertices,
            Some(Self::FewestJumps) => Preference::FewestJumps,
            Some(Self::Shortest) => Preference::Shortest,
            Some(Self::LeastTime) => Preference::LeastTime,
            Some(Self::BigJumps) => Preference::BigJumps { at_least: 0.5 * jump_length },
        }
    }
}

/// Which way is asked for, and what becomes of the answer.
#[derive(clap::Args)]
pub(super) struct JumpArguments {
    /// C,R: column and row of the start; C,R,Z with --storeys.
    #[arg(long)]
    pub(super) from: String,
    /// C,R: column and row of the goal; C,R,Z with --storeys.
    #[arg(long)]
    pub(super) to: String,
    /// What makes a path better [default: the fewest vertices, as published]
    #[arg(long, value_enum)]
    pub(super) prefer: Option<Prefer>,
    /// Draws the level with the path as jump.png in this folder.
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
    /// The answer that ends in exit code 1; without it, both answers end in 0.
    #[arg(long, value_enum)]
    pub(super) deny: Option<Deny>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Deny {
    Unreachable,
}

/// The command `jump`.
pub(super) fn jump(
    terrain: &Path,
    arguments: &LevelArguments,
    options: &JumpArguments,
    json: bool,
) -> Result<ExitCode, Error> {
    arguments.check_storeys()?;
    let level = arguments.options(terrain)?;
    let line = |e: LevelError| arguments.line(&e, &[]);
    if arguments.storeys {
        return way(&level.storeys().map_err(line)?.graph, arguments, options, json);
    }
    way(&level.graph().map_err(line)?, arguments, options, json)
}

fn way<T: Ground>(
    graph: &JumpGraph<T>,
    arguments: &LevelArguments,
    JumpArguments { from, to, prefer, out, deny }: &JumpArguments,
    json: bool,
) -> Result<ExitCode, Error> {
    let ends = [arguments.named("--from", from)?, arguments.named("--to", to)?];
    let typed = [("from", from.as_str()), ("to", to.as_str())];
    let line = |e: LevelError| arguments.line(&e, &typed);
    let preference = Prefer::preference(*prefer, graph.character().jump_length());
    let summary = level::jump(graph, ends, preference).map_err(line)?;
    if let Some(folder) = out {
        summary.draw(graph, ends, folder).map_err(line)?;
    }
    let is_denied = matches!(deny, Some(Deny::Unreachable)) && !summary.reachable;
    let code = ExitCode::from(u8::from(is_denied));
    if json {
        return print_json(&summary).map(|()| code);
    }
    let mut text = if summary.reachable { "reachable:" } else { "not reachable" }.to_owned();
    for step in &summary.path {
        text += &format!(" {} {},{}", step.kind, step.cell[0], step.cell[1]);
        text += &step.z.map_or_else(String::new, |z| format!(",{z}"));
    }
    let (are, grouped) = (summary.steps_are, summary.steps_grouped);
    let plain = summary.steps_plain.map(|plain| format!("{plain} {are} examined over cells, "));
    let plain = plain.unwrap_or_default();
    text += &format!("\n{plain}{grouped} {are} over groups, {:.3} s\n", summary.seconds);
    if let Some(folder) = out {
        text += &format!("written: {}/jump.png\n", folder.display());
    }
    print(&text).map(|()| code)
}

/// The command `links`.
pub(super) fn links(terrain: &Path, arguments: &LevelArguments, json: bool) -> Done {
    arguments.check_storeys()?;
    let line = |e: LevelError| arguments.line(&e, &[]);
    let level = arguments.options(terrain)?;
    let links = if arguments.storeys {
        level::links(&level.storeys().map_err(line)?.graph)
    } else {
        level::links(&level.graph().map_err(line)?)
    };
    let links = links.map_err(|e| line(e.into()))?;
    print_links(&links, json)
}

/// Links, one a line.
pub(super) fn print_links(links: &[level::Link], json: bool) -> Done {
    let mut text = String::new();
    for link in links {
        if json {
            text += &serde_json::to_string(link)?;
        } else {
            let [from, to] = link.cells.map(|[column, row]| format!("{column},{row}"));
            let arrow = if link.both_ways { "<->" } else { "->" };
            let (margin, least) = (link.margin, link.least_speed);
            text += &format!("{from} {arrow} {to}: clear by {margin:.3}, from {least:.3} on");
        }
        text.push('\n');
    }
    print(&text)
}

/// `[column, row]` from `C,R`; whether it is inside is for the level to say.
pub(super) fn column_row(option: &str, text: &str) -> Result<[usize; 2], Error> {
    match level::named(text, false) {
        Some((cell, _)) => Ok(cell),
        None => {
            Err(format!("{option} {}: must be C,R, whole numbers from 0", printable(text)).into())
        }
    }
}
