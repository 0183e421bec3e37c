//! Files of an editor as a scenario.
//!
//! Pursuers begin at the level's starts, evaders stand at its goals. The map is the file itself
//! (`map.file`): a saved scenario runs beside it, to the same state.

use crate::world::Error;
use ndarray::{Array2, Array3};
use sim_harness::import::{self, Files, ImportOptions, Store, View};
use sim_harness::maps::{Class, MapFile};
use std::collections::VecDeque;
use std::path::Path;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

/// How many pursue where the level names no start.
const PURSUERS: i64 = 20;
/// `[units: world units per time]` The waves run at 1.
const SPEED: f64 = 0.5;
/// `[units: cells]` How far apart they begin.
const SPREAD: f64 = 4.0;
/// The part of all steps from cell to cell that walkers over heights can make.
const CLIMBED: f64 = 0.95;
/// `[units: storeys]` The most that are shown of a level in 3D.
const MOST_SLICES: usize = 4;
/// `[units: frames]` Longer than any visitor watches.
const STEPS: i64 = 100_000;

fn ending(name: &str) -> String {
    Path::new(name).extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// The file among files that the others belong to, a scenario or a level.
pub(crate) fn main_of(files: &Files) -> Result<&str, Error> {
    let rank = |name: &str| match &*ending(name) {
        "toml" => Some(0),
        // Beside a level a picture is a tileset or a texture.
        "asc" | "png" | "tif" | "tiff" => Some(2),
        _ => import::is_level(Path::new(name)).then_some(1),
    };
    let found = || files.keys().filter_map(|name| Some((rank(name)?, name)));
    let Some((first, name)) = found().min() else {
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        return Err(Error::NoLevel { files: names.join(", "), known: import::ENDINGS });
    };
    match found().find(|&(rank, other)| rank == first && other != name) {
        Some((_, other)) => Err(Error::TwoLevels { one: name.clone(), other: other.clone() }),
        None => Ok(name),
    }
}

/// The text of the scenario that a file is, or of one on the level that it is.
pub(crate) fn text(store: &Store, name: &str) -> Result<String, Error> {
    let Store::Memory(files) = store else { return scenario(store, name) };
    match files.get(name).filter(|_| ending(name) == "toml") {
        Some(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(e) => Err(Error::NoText(name.to_owned(), e.valid_up_to())),
        },
        None => scenario(store, name),
    }
}

/// The text of a scenario on the level of this name.
fn scenario(store: &Store, name: &str) -> Result<String, Error> {
    let ending = ending(name);
    let is_mesh = matches!(&*ending, "gltf" | "glb" | "obj");
    let is_relief = matches!(&*ending, "asc" | "png" | "tif" | "tiff");
    // Seen from above: ground that is too steep is a wall, also for waves.
    let view = if is_mesh { View::Floor } else { View::default() };
    let options = ImportOptions { view, ..ImportOptions::default() };
    let level = import::read_from(store, Path::new(name), &options)?;
    let spacing = level.layers().cell_size.filter(|_| is_relief).unwrap_or(1.0);

    let mut file = Table::new();
    file["file"] = value(name);
    if is_mesh {
        file["view"] = value("floor");
    }
    if spacing != 1.0 {
        file["spacing"] = value(spacing);
    }
    let mut document = DocumentMut::new();
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    document["name"] = value(&*stem);
    document["steps"] = value(STEPS);
    document["until"] = value("last-step");
    let walls = level.walls(Class::Ground);
    let (starts, goals) = ends(&level, &walls).ok_or_else(|| Error::NoRoom(name.to_owned()))?;
    if level.dimensions() == 3 {
        let mut slices: Vec<usize> = starts.iter().chain(&goals).map(|&[z, ..]| z).collect();
        slices.sort_unstable();
        slices.dedup();
        let slices = slices.into_iter().take(MOST_SLICES).map(|z| z as i64);
        document["slices"] = value(slices.collect::<Array>());
    }
    document["map"] = Item::Table(file);

    let mut evaders = ArrayOfTables::new();
    for &cell in &goals {
        let mut group = Table::new();
        group["start"] = place(&level, cell, spacing);
        evaders.push(group);
    }
    document["evaders"] = evaders.into();
    let mut pursuers = ArrayOfTables::new();
    let are_named = !level.layers().starts.is_empty();
    for &cell in &starts {
        let mut group = Table::new();
        group["start"] = place(&level, cell, spacing);
        if !are_named {
            group["count"] = value(PURSUERS);
            group["spread"] = value(SPREAD * spacing);
        }
        group["speed"] = value(SPEED);
        if is_relief {
            group["mind"] = value(on_foot(&level));
        }
        pursuers.push(group);
    }
    document["pursuers"] = pursuers.into();
    Ok(document.to_string())
}

/// A place by its name; without one, as `[x, y]` or `[x, y, z]`.
fn place(level: &MapFile, cell: [usize; 3], spacing: f64) -> Item {
    if let Some((name, _)) = level.layers().marks.iter().find(|(_, at)| **at == cell) {
        return value(name);
    }
    let [z, y, x] = cell.map(|v| v as f64 * spacing);
    value([x, y, z].into_iter().take(level.dimensions()).collect::<Array>())
}

/// The height of a step that most neighbouring cells do not exceed.
pub(crate) fn climbed(heights: &Array2<f64>) -> f64 {
    let mut steps = Vec::new();
    for axis in 0..2 {
        for line in heights.lanes(ndarray::Axis(axis)) {
            let pairs = line.iter().zip(line.iter().skip(1));
            steps.extend(pairs.map(|(a, b)| (a - b).abs()).filter(|step| step.is_finite()));
        }
    }
    steps.sort_unstable_by(f64::total_cmp);
    let most = ((steps.len() as f64 * CLIMBED) as usize).min(steps.len().saturating_sub(1));
    steps.get(most).copied().unwrap_or(0.0)
}

/// The mind of walkers over heights. Waves do not know heights.
fn on_foot(level: &MapFile) -> InlineTable {
    let heights = level.layers().heights.as_ref();
    let mut mind = Value::from(heights.map_or(0.0, climbed));
    for key in ["step_height", "legs", "travel"] {
        let mut table = InlineTable::new();
        table.insert(key, mind);
        mind = table.into();
    }
    mind.as_inline_table().cloned().unwrap_or_default()
}

type Cells = Vec<[usize; 3]>;

/// Starts and goals: the level's own where it names them; otherwise far from each other in the
/// largest region. `None` where no cell is free.
fn ends(level: &MapFile, walls: &Array3<bool>) -> Option<(Cells, Cells)> {
    let free = |cells: &[[usize; 3]]| -> Cells {
        cells.iter().copied().filter(|&cell| walls.get(cell) == Some(&false)).collect()
    };
    let (mut starts, mut goals) = (free(&level.layers().starts), free(&level.layers().goals));
    if goals.is_empty() {
        let from = starts.first().copied().or_else(|| in_largest(walls))?;
        goals.push(farthest(walls, from, &mut Array3::from_elem(walls.dim(), false)).0);
    }
    if starts.is_empty() {
        let mut seen = Array3::from_elem(walls.dim(), false);
        starts.push(farthest(walls, goals[0], &mut seen).0);
    }
    Some((starts, goals))
}

fn in_largest(walls: &Array3<bool>) -> Option<[usize; 3]> {
    let mut seen = Array3::from_elem(walls.dim(), false);
    let (mut best, mut most) = (None, 0);
    for ((z, y, x), &wall) in walls.indexed_iter() {
        if !wall && !seen[[z, y, x]] {
            let (last, count) = farthest(walls, [z, y, x], &mut seen);
            if count > most {
                (best, most) = (Some(last), count);
            }
        }
    }
    best
}

/// The last cell that a walk breadth first comes to, and how many it comes to.
fn farthest(
    walls: &Array3<bool>,
    from: [usize; 3],
    seen: &mut Array3<bool>,
) -> ([usize; 3], usize) {
    let (mut open, mut last, mut count) = (VecDeque::from([from]), from, 0);
    seen[from] = true;
    while let Some(cell) = open.pop_front() {
        (last, count) = (cell, count + 1);
        for axis in 0..3 {
            for step in [-1, 1] {
                let mut next = cell;
                let Some(at) = next[axis].checked_add_signed(step) else { continue };
                next[axis] = at;
                if walls.get(next) == Some(&false) && !seen[next] {
                    seen[next] = true;
                    open.push_back(next);
                }
            }
        }
    }
    (last, count)
}
