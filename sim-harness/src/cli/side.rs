//! The command `side`.

use super::level::column_row;
use super::{Done, show};
use crate::output::{OutFolder, Sharing, Whole};
use crate::side::{self, SideLevel, SideRules, SideSolution};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// Levels and the rules of their game.
#[derive(clap::Args)]
pub(super) struct SideArguments {
    /// Levels as text, a character a tile.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// JSON with jumps and lists of solid, passable, climbable and hazard tiles; may stand several
    /// times, the last counts.
    #[arg(long, required = true, value_name = "FILE")]
    rules: Vec<PathBuf>,
    /// X,Y: where the player starts [default: the tile M, else the first ground]
    #[arg(long)]
    from: Option<String>,
    /// X,Y: where the player is to get [default: the tile F, else the last column]
    #[arg(long)]
    to: Option<String>,
    /// Writes a picture of each level into this folder, with the way or the cut.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// The output for a level.
#[derive(Serialize)]
struct Told {
    file: String,
    #[serde(flatten)]
    solution: SideSolution,
    seconds: f64,
}

pub(super) fn side(arguments: &SideArguments, json: bool) -> Done {
    let cell = |option: &str, text: &Option<String>| {
        text.as_ref().map(|text| column_row(option, text)).transpose()
    };
    let (from, to) = (cell("--from", &arguments.from)?, cell("--to", &arguments.to)?);
    let rules = SideRules::read(&arguments.rules)?;
    let out = arguments.out.as_ref();
    let out = out.map(|folder| OutFolder::open(folder, Sharing::Alone)).transpose()?;
    for (number, file) in arguments.files.iter().enumerate() {
        let begin = Instant::now();
        let level = SideLevel::read(file)?;
        let solution = side::solve(&level, &rules, from, to)?;
        let seconds = begin.elapsed().as_secs_f64();
        if let Some(folder) = &out {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let path = folder.join(&format!("{}-{stem}.png", number + 1));
            let picture = side::picture(&level, &rules, &solution);
            let picture = picture.ok_or_else(|| format!("{stem}: no memory for the picture"))?;
            Whole::place(vec![Whole::of(path, &picture)?])?;
        }
        let file = file.to_string_lossy().into_owned();
        let told = Told { file, solution, seconds };
        show(json, &told, || words(&told))?;
    }
    Ok(())
}

fn words(told: &Told) -> String {
    let Told { file, solution, seconds } = told;
    let file = crate::maps::printable(file);
    let found = match &solution.cut {
        _ if solution.solvable => format!("solved in {} moves", solution.way.len() - 1),
        None => "not solvable, and no few tiles open it".to_owned(),
        Some(cut) => {
            let tiles = cut.tiles.iter().map(|change| {
                let [x, y] = change.tile;
                let what = if change.missing { "missing" } else { "in the way" };
                format!("{x},{y} {what}")
            });
            let [x, y] = cut.after;
            let tiles = tiles.collect::<Vec<_>>().join(", ");
            format!("not solvable; cut after {x},{y}: {tiles}")
        }
    };
    format!("{file}: {found}; {} states, {seconds:.3} s\n", solution.states)
}
