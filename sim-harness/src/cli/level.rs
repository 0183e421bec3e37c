//! The commands over height maps: `jump`, `audit`.

use super::choice::ChoiceArguments;
use super::number::Number;
use super::{Line, one_line, print, print_json};
use crate::import::ImportOptions;
use crate::level::{self, AuditOptions, LevelError, LevelOptions};
use crate::maps::heights::Scaling;
use clap::ValueEnum;
use jump_planner::{
    CharacterError, JumpError, JumpRule, OutOfRange, Preference, STANDARD_GRAVITY, ShortcutRule,
    TerrainError,
};
use std::path::PathBuf;

/// A height map and who moves over it.
#[derive(clap::Args)]
pub(super) struct LevelArguments {
    /// ESRI .asc, grey .png of 8 or 16 bits, or any other level: .tif, .map, .3dmap, .tmx, .tmj,
    /// .ldtk, .vox, .gltf, .glb, .obj.
    #[arg(long)]
    terrain: PathBuf,
    #[command(flatten)]
    choice: ChoiceArguments,
    /// The launch speed of jumps.
    #[arg(long)]
    speed: Number,
    #[arg(long, default_value_t = STANDARD_GRAVITY.into())]
    gravity: Number,
    /// The side of a cell [default: as the file says, else 1; of a mesh, a 256th of its longest
    /// side]
    #[arg(long)]
    cell: Option<Number>,
    /// Heights are multiplied by this.
    #[arg(long)]
    scale: Option<Number>,
    /// Heights are rounded to multiples of this.
    #[arg(long)]
    quantise: Option<Number>,
    /// A walker steps up by this between neighbours; rounding of heights does not count.
    #[arg(long, default_value_t = 0.0.into())]
    step_height: Number,
    /// The longest fall that is survived [default: any]
    #[arg(long)]
    max_fall: Option<Number>,
    /// exact: ours; published: the source's rule by plan view.
    #[arg(long, value_enum, default_value_t = Rule::Exact)]
    rule: Rule,
}

impl LevelArguments {
    fn options(&self) -> LevelOptions {
        let value = |number: &Option<Number>| number.as_ref().map(|number| number.value);
        LevelOptions {
            terrain: self.terrain.clone(),
            import: ImportOptions { cell: value(&self.cell), ..self.choice.options() },
            scaling: Scaling {
                cell_size: value(&self.cell),
                height_scale: value(&self.scale),
                quantum: value(&self.quantise),
            },
            speed: self.speed.value,
            gravity: self.gravity.value,
            step_height: self.step_height.value,
            max_fall: value(&self.max_fall),
            rule: match self.rule {
                Rule::Exact => JumpRule::default(),
                Rule::Published => JumpRule::Published,
            },
        }
    }

    /// An error by the options that it is about; `cells` are those that were typed, by their
    /// options.
    fn line(&self, error: &LevelError, cells: &[(&str, &str)]) -> String {
        let line = match error {
            LevelError::Cell { which, fault, .. } => {
                let typed = cells.iter().find(|(option, _)| option == which);
                typed.map(|(option, text)| format!("--{option} {}: {fault}", text.trim()))
            }
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
                    "--scale {scale}: the height of cell {column},{row} of {file} is {value} then: it must \
                     be within +-1e9"
                )
            }),
            LevelError::Jump(JumpError::NotMonotone { .. }) => Some(format!("--speeds: {error}")),
            _ => None,
        };
        one_line(&line.unwrap_or_else(|| error.to_string()))
    }

    /// A number out of its limits by its option; `None` where it is none of an option.
    fn number(&self, out: &OutOfRange) -> Option<String> {
        let Self { speed, gravity, .. } = self;
        let of = |option: &str, number: &Number| format!("--{option} {number}");
        let maybe = |option, number: &Option<Number>| Some(of(option, number.as_ref()?));
        let typed = match out.what {
            "launch_speed" => of("speed", speed),
            "gravity" => of("gravity", gravity),
            "step_height" => of("step-height", &self.step_height),
            "max_fall" => maybe("max-fall", &self.max_fall)?,
            "cell_size" => maybe("cell", &self.cell)?,
            "height_scale" => maybe("scale", &self.scale)?,
            "quantum" => maybe("quantise", &self.quantise)?,
            "launch_speed^2 / gravity" => {
                let value = out.value;
                format!("--speed {speed} --gravity {gravity}: speed^2 / gravity is {value}")
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

/// What an audit looks at.
#[derive(clap::Args)]
pub(super) struct AuditArguments {
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
    /// Writes audit.png and findings.json into this folder.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl AuditArguments {
    fn options(&self) -> Result<AuditOptions, String> {
        let cell = |option: &str, text: &Option<String>| {
            text.as_ref().map(|text| column_row(option, text)).transpose()
        };
        Ok(AuditOptions {
            start: cell("--start", &self.start)?,
            goal: cell("--goal", &self.goal)?,
            route: self.route.clone(),
            shortcuts: ShortcutRule { width: self.route_width, least: self.least_skip },
            speeds: self.speeds,
            out: self.out.clone(),
        })
    }
}

/// The command `jump`.
pub(super) fn jump(
    arguments: &LevelArguments,
    from: &str,
    to: &str,
    prefer: Option<Prefer>,
    json: bool,
) -> Line {
    let ends = [column_row("--from", from)?, column_row("--to", to)?];
    let line = |e: LevelError| arguments.line(&e, &[("from", from), ("to", to)]);
    let graph = arguments.options().graph().map_err(line)?;
    let preference = match prefer {
        None | Some(Prefer::FewestVertices) => Preference::FewestVertices,
        Some(Prefer::FewestJumps) => Preference::FewestJumps,
        Some(Prefer::Shortest) => Preference::Shortest,
        Some(Prefer::LeastTime) => Preference::LeastTime,
        Some(Prefer::BigJumps) => {
            Preference::BigJumps { at_least: 0.5 * graph.character().jump_length() }
        }
    };
    let summary = level::jump(&graph, ends, preference).map_err(line)?;
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

/// The command `audit`.
pub(super) fn audit(arguments: &LevelArguments, audit: &AuditArguments, json: bool) -> Line {
    let cells = [("start", &audit.start), ("goal", &audit.goal)];
    let cells = cells.iter().filter_map(|(option, text)| Some((*option, text.as_deref()?)));
    let cells: Vec<(&str, &str)> = cells.collect();
    let summary = level::audit(&arguments.options(), &audit.options()?)
        .map_err(|e| arguments.line(&e, &cells))?;
    if json {
        return print_json(&summary);
    }
    let mut text = format!(
        "{} cells, {} groups; {} walks, {} falls, {} jumps up a step or between components\n",
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
