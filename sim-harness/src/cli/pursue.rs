//! The command `pursue`.

use super::choice::ChoiceArguments;
use super::number::Number;
use super::{Done, Error, print, print_json, setting, ticks, whole};
use crate::import::{self, ImportOptions};
use crate::maps::{self, Entry, MapFile, printable};
use crate::memory;
use crate::pursue::{self, Rules};
use crate::scenario::{self, FrontKind, TrackingRule};
use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub(super) struct PursueArguments {
    /// A level: MovingAI .map or .3dmap, .asc, .png, .tif, .tmx, .tmj, .ldtk, .vox, .gltf,
    /// .glb, .obj.
    #[arg(long)]
    pub(super) map: PathBuf,
    #[command(flatten)]
    choice: ChoiceArguments,
    /// The side of a mesh's cell [default: a 256th of its longest side]
    #[arg(long)]
    cell: Option<Number>,
    /// The scenario file with the entries [default: from each start of the level to each of its
    /// goals]
    #[arg(long, conflicts_with_all = ["from", "to"])]
    scen: Option<PathBuf>,
    /// This many entries, spread evenly over the file; default: all.
    #[arg(long, requires = "scen", value_parser = whole::<usize>)]
    entries: Option<usize>,
    /// X,Y or X,Y,Z: the pursuer's cell, in place of a scenario file; or a place that the level
    /// names.
    #[arg(long, requires = "to")]
    from: Option<String>,
    /// X,Y or X,Y,Z: the target's cell; or a place that the level names.
    #[arg(long, requires = "from")]
    to: Option<String>,
    /// free: our rules; fixed: the published rules.
    #[arg(long, value_enum, default_value_t = Walls::Free)]
    walls: Walls,
    /// With --walls fixed: sets a key that a scenario has in [tracking], such as
    /// tracking.threshold=1e-6 or tracking.rule=kumagai; may stand several times.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// What kind of fronts run under our rules.
    #[arg(long, value_enum, default_value_t = FrontKind::ShortWaves)]
    fronts: FrontKind,
    /// Worker threads; default: all cores. The result is the same for any number.
    #[arg(long, value_parser = whole::<usize>)]
    pub(super) threads: Option<usize>,
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Walls {
    Free,
    Fixed,
}

/// The published rules of a map, with the settings of `--set`.
fn published(map: &MapFile, set: &[String]) -> Result<Rules, Error> {
    let settings = set.iter().map(|text| setting(text)).collect::<Result<Vec<_>, _>>()?;
    let rule = TrackingRule::published(map.dimensions());
    Ok(Rules::Published(scenario::tracking("pursue", rule, &settings)?))
}

pub(super) fn run(arguments: &PursueArguments) -> Done {
    let cell = arguments.cell.as_ref().map(|cell| cell.value);
    let options = ImportOptions { cell, ..arguments.choice.options() };
    let map = import::read(&arguments.map, &options)?;
    let rules = match arguments.walls {
        Walls::Free if arguments.set.is_empty() => Rules::Ours(arguments.fronts.into()),
        Walls::Free => return Err("--set: only with --walls fixed".into()),
        Walls::Fixed => published(&map, &arguments.set)?,
    };
    let ends = arguments.from.as_deref().zip(arguments.to.as_deref());
    let entries = match (&arguments.scen, ends) {
        (Some(scen), _) => {
            let entries = maps::read_scen(scen, &map)?;
            match arguments.entries {
                Some(0) => return Err("--entries 0: must be at least 1".into()),
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
        (None, None) => {
            let entries = pursue::entries_of(&map);
            if entries.is_empty() {
                return Err(
                    "needs --scen FILE, or --from and --to: the map has no start and goal".into()
                );
            }
            entries
        }
    };
    let cells = map.shape().iter().product::<usize>();
    memory::check(pursue::memory_of(&map, rules))
        .map_err(|e| format!("{}: the map of {cells} cells {e}", map.name()))?;
    let ready = pursue::Ready::new(&map, &entries, rules)?;
    let begin = Instant::now();
    let walks = ready.run(&ticks(entries.len() as u64, "entries"))?;
    let seconds = begin.elapsed().as_secs_f64();
    let summary = pursue::summarise(map.name(), &entries, &walks, seconds);
    if arguments.json {
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

/// A free cell `[z, y, x]` from `X,Y` or `X,Y,Z`, or from the name of a place.
fn free_cell(map: &MapFile, option: &str, text: &str) -> Result<[usize; 3], Error> {
    let numbers: Option<Vec<usize>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    let cell = match numbers.as_deref() {
        _ if map.layers().marks.contains_key(text) => map.layers().marks[text],
        Some(&[x, y]) if map.dimensions() == 2 => [0, y, x],
        Some(&[x, y, z]) if map.dimensions() == 3 => [z, y, x],
        _ => {
            let form = if map.dimensions() == 2 { "X,Y" } else { "X,Y,Z" };
            let places: Vec<_> = map.layers().marks.keys().map(|mark| printable(mark)).collect();
            let names = if places.is_empty() { "" } else { ", or one of " };
            let (text, places) = (printable(text), places.join(", "));
            let must = format!("must be {form}, whole numbers from 0{names}{places}");
            return Err(format!("{option} {text}: {must}").into());
        }
    };
    let [z, y, x] = map.shape();
    if cell[0] >= z || cell[1] >= y || cell[2] >= x {
        let size = if map.dimensions() == 2 {
            format!("{x} x {y} cells: X is below {x}, Y below {y}")
        } else {
            format!("{x} x {y} x {z} cells: X is below {x}, Y below {y}, Z below {z}")
        };
        return Err(format!("{option} {text}: outside the map of {size}").into());
    }
    match map.class(cell) {
        Some(_) => Ok(cell),
        None => Err(format!("{option} {text}: the cell is blocked").into()),
    }
}
