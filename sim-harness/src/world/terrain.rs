//! The ground of a scenario, built from its drawing and boxes.

use crate::import::{self, ImportError, Store};
use crate::maps::{Class, MapFile};
use crate::memory;
use crate::scenario::{
    Blocks, EvaderMind, Evaders, Map, Origin, Place, PursuerMind, Pursuers, Scenario,
    ScenarioError, Tracking, Walls,
};
use ndarray::{Array2, Array3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use wave_core::WallRule;

/// Walls and speeds of every cell, `[z, y, x]`.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// 2 or 3.
    pub dimensions: usize,
    /// True where a wall is.
    pub walls: Array3<bool>,
    /// The wave's speed per cell, where it is not the same everywhere.
    pub speeds: Option<Array3<f64>>,
    /// The cells that carry a letter or a name, `[x, y, z]`.
    pub marks: BTreeMap<String, [usize; 3]>,
    /// `[units: world units]` The ground's height per cell `[y, x]`, on maps that have heights.
    pub heights: Option<Array2<f64>>,
    /// The effect of walls on waves.
    pub wall_rule: WallRule,
    /// Where waves keep to the ground, the filled cells: `walls` are all cells that a member cannot
    /// stand in.
    pub solid: Option<Array3<bool>>,
    /// `[units: world units]` The ground that these cells came from, if it was given by heights.
    pub ground: Option<Array2<f64>>,
    spacing: f64,
}

impl Terrain {
    /// Builds the map of `scenario`; the seed says where random blocks lie.
    ///
    /// # Errors
    /// [`ScenarioError::Value`]: not one of drawing, size and file, rows of different length,
    /// unknown letters, a file that is no map, boxes that leave the map, too many cells.
    pub fn new(scenario: &Scenario, seed: u64) -> Result<Self, ScenarioError> {
        Self::from_store(scenario, &Store::Disk, seed)
    }

    /// As [`Terrain::new`], with the map's file from a store.
    ///
    /// # Errors
    /// As [`Terrain::new`].
    pub fn from_store(
        scenario: &Scenario,
        store: &Store,
        seed: u64,
    ) -> Result<Self, ScenarioError> {
        let map = &scenario.map;
        let fail = |key: &str, value: String, limit: String| {
            Err(scenario.origin.refuse(key, value, limit))
        };
        let mut terrain = match (&map.drawing, &map.size, &map.file) {
            (Some(drawing), None, None) => Self::drawn(scenario, drawing)?,
            (None, None, Some(file)) => {
                let refused = |e: ImportError| {
                    scenario.origin.refuse("map.file", format!("{file:?}"), e.to_string())
                };
                let path = scenario.beside(file);
                let read = import::read_from(store, &path, &map.import()).map_err(refused)?;
                let over_heights = read.layers().heights.is_some();
                let file = format!("{file:?}");
                check_memory(scenario, "map.file", &file, read.shape(), over_heights)?;
                Self::of_file(scenario, &read)
            }
            (None, Some(size), None) => {
                if !(2..=3).contains(&size.len()) || size.contains(&0) {
                    let limit = "must be [x, y] or [x, y, z], each from 1".to_owned();
                    return fail("map.size", brief(size), limit);
                }
                let shape = [size.get(2).copied().unwrap_or(1), size[1], size[0]];
                check_memory(scenario, "map.size", &brief(size), shape, false)?;
                let walls = Array3::from_elem(shape, false);
                Self::of(map, size.len(), walls, BTreeMap::new())
            }
            _ => {
                let limit = "needs one of drawing, size and file".to_owned();
                return fail("map", "none or several".to_owned(), limit);
            }
        };
        if let Some(drawing) = &map.heights {
            terrain.heights = Some(terrain.heights_of(scenario, drawing)?);
        }
        if let Some(blocks) = &map.blocks {
            terrain.scatter(scenario, blocks, seed)?;
        }
        for (i, b) in map.boxes.iter().enumerate() {
            let key = format!("map.boxes[{i}]");
            let cells = terrain.cells(&scenario.origin, &key, &b.from, &b.to)?;
            for cell in cells {
                if let Some(wall) = b.wall {
                    terrain.walls[cell] = wall;
                }
                if let Some(speed) = b.wave_speed {
                    let shape = terrain.walls.raw_dim();
                    let uniform = || Array3::from_elem(shape, map.wave_speed);
                    terrain.speeds.get_or_insert_with(uniform)[cell] = speed;
                }
            }
        }
        if map.legs.is_some() {
            terrain.keep_to_ground(scenario)?;
        }
        let depth = terrain.walls.dim().0;
        for (i, &z) in scenario.slices.iter().enumerate() {
            let key = format!("slices[{i}]");
            if terrain.dimensions == 2 {
                return fail(&key, z.to_string(), "a 2D map has no storeys".to_owned());
            }
            if z >= depth {
                return fail(&key, z.to_string(), format!("must be below {depth}, the size in z"));
            }
        }
        Ok(terrain)
    }

    /// Makes walls of all cells that one cannot stand in, on the ground or on a wall; of heights it
    /// makes a 3D map first.
    fn keep_to_ground(&mut self, scenario: &Scenario) -> Result<(), ScenarioError> {
        let fail = |key: &str, value: &str, limit: &str| {
            Err(scenario.origin.refuse(key, value.to_owned(), limit))
        };
        if let Some(heights) = self.heights.take() {
            let level = |height: f64| (height / self.spacing).round() as usize;
            let whole = |&h: &f64| h >= 0.0 && (level(h) as f64 * self.spacing - h).abs() < 1e-9;
            if !heights.iter().all(whole) || self.walls.iter().any(|&wall| wall) {
                let limit = "needs heights that are whole multiples of the spacing, and no walls";
                return fail("map.legs", "over heights", limit);
            }
            let (_, height, width) = self.walls.dim();
            let top = heights.iter().map(|&h| level(h)).max().unwrap_or(0);
            let shape = [top + 1, height, width];
            check_memory(scenario, "map.heights", "the map", shape, true)?;
            let solid = Array3::from_shape_fn(shape, |(z, y, x)| z < level(heights[[y, x]]));
            let speeds = self.speeds.take();
            self.speeds = speeds.map(|s| Array3::from_shape_fn(shape, |(_, y, x)| s[[0, y, x]]));
            for [x, y, z] in self.marks.values_mut() {
                *z = level(heights[[*y, *x]]);
            }
            (self.walls, self.ground, self.dimensions) = (solid, Some(heights), 3);
        } else if self.dimensions == 2 {
            return fail("map.legs", "a flat map", "needs heights or a 3D map");
        }
        let solid = self.walls.clone();
        for ((z, y, x), wall) in self.walls.indexed_iter_mut() {
            *wall |= z > 0 && !solid[[z - 1, y, x]];
        }
        self.solid = Some(solid);
        Ok(())
    }

    fn of(
        map: &Map,
        dimensions: usize,
        walls: Array3<bool>,
        marks: BTreeMap<String, [usize; 3]>,
    ) -> Self {
        let wall_rule = match map.walls {
            Walls::Free => WallRule::Free,
            Walls::Fixed => WallRule::Fixed,
        };
        Self {
            dimensions,
            walls,
            speeds: None,
            marks,
            heights: None,
            wall_rule,
            solid: None,
            ground: None,
            spacing: map.spacing,
        }
    }

    /// The terrain of a level's file. Heights are for minds with legs: waves do not know them.
    fn of_file(scenario: &Scenario, file: &MapFile) -> Self {
        let map = &scenario.map;
        let layers = file.layers();
        let marks = layers.marks.iter().map(|(name, &[z, y, x])| (name.clone(), [x, y, z]));
        let mut terrain =
            Self::of(map, file.dimensions(), file.walls(Class::Ground), marks.collect());
        terrain.speeds = layers.speeds.as_ref().map(|s| s.mapv(|part| part * map.wave_speed));
        let is_flat = |p: &Pursuers| {
            matches!(p.mind, PursuerMind::Wave | PursuerMind::Pack(_) | PursuerMind::World)
        };
        if map.legs.is_some() || !scenario.pursuers.iter().any(is_flat) {
            // Where there is no ground there is a wall, whose height does not matter.
            let known = |&height: &f64| if height.is_nan() { 0.0 } else { height };
            terrain.heights = layers.heights.as_ref().map(|heights| heights.map(known));
        }
        terrain
    }

    fn drawn(scenario: &Scenario, drawing: &str) -> Result<Self, ScenarioError> {
        let text: Vec<&str> = drawing.trim().lines().map(str::trim).collect();
        let fail = |row: usize, value: String, limit: String| {
            let text = (row, text.get(row).copied().unwrap_or_default());
            Err(scenario.origin.refuse_row("map.drawing", text, value, limit))
        };
        let rows: Vec<Vec<char>> = text.iter().map(|row| row.chars().collect()).collect();
        let width = rows.first().map_or(0, Vec::len);
        if width == 0 {
            return fail(0, "nothing".to_owned(), "must have cells".to_owned());
        }
        let over_heights = scenario.map.heights.is_some();
        let shape = [1, rows.len(), width];
        check_memory(scenario, "map.drawing", "a drawing", shape, over_heights)?;
        let mut walls = Array3::from_elem([1, rows.len(), width], false);
        let mut marks = BTreeMap::new();
        for (y, row) in rows.iter().enumerate() {
            if row.len() != width {
                return fail(
                    y,
                    format!("{} cells", row.len()),
                    format!("must be {width} as in row 0"),
                );
            }
            for (x, &letter) in row.iter().enumerate() {
                match letter {
                    '#' => walls[[0, y, x]] = true,
                    '.' => {}
                    mark if mark.is_ascii_alphanumeric() => {
                        if marks.insert(mark.to_string(), [x, y, 0]).is_some() {
                            let limit = "stands twice; a letter marks one cell".to_owned();
                            return fail(y, format!("{mark:?}"), limit);
                        }
                    }
                    other => {
                        let limit =
                            "must be #, . or a letter or digit that marks a cell".to_owned();
                        let what = match other {
                            '\t' => "a tab".to_owned(),
                            ' ' => "a blank".to_owned(),
                            other => format!("{other:?}"),
                        };
                        return fail(y, format!("{what} in column {x}"), limit);
                    }
                }
            }
        }
        Ok(Self::of(&scenario.map, 2, walls, marks))
    }

    fn heights_of(&self, scenario: &Scenario, drawing: &str) -> Result<Array2<f64>, ScenarioError> {
        let fail = |key: &str, value: String, limit: String| {
            Err(scenario.origin.refuse(key, value, limit))
        };
        let (depth, height, width) = self.walls.dim();
        let rows: Vec<&str> = drawing.trim().lines().map(str::trim).collect();
        if self.dimensions != 2 || rows.len() != height * depth {
            let limit = format!("must be {height} rows on a 2D map");
            return fail("map.heights", format!("{} rows", rows.len()), limit);
        }
        let mut heights = Array2::zeros([height, width]);
        for (y, row) in rows.iter().enumerate() {
            let digits: Option<Vec<u32>> = row.chars().map(|c| c.to_digit(10)).collect();
            match digits {
                Some(digits) if digits.len() == width => {
                    for (x, digit) in digits.into_iter().enumerate() {
                        heights[[y, x]] = f64::from(digit) * scenario.map.height_step;
                    }
                }
                _ => {
                    let value: String = row.chars().take(40).collect();
                    let limit = format!("must be {width} digits");
                    let (key, value) = ("map.heights", format!("{value:?}"));
                    return Err(scenario.origin.refuse_row(key, (y, row), value, limit));
                }
            }
        }
        Ok(heights)
    }

    /// Random blocks, but for the surroundings of the places that the scenario names.
    fn scatter(
        &mut self,
        scenario: &Scenario,
        blocks: &Blocks,
        seed: u64,
    ) -> Result<(), ScenarioError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // A stream of its own: other random choices do not depend on the number of blocks.
        rng.set_stream(1);
        let (depth, height, width) = self.walls.dim();
        let size = [depth, height, width];
        for _ in 0..blocks.count {
            let mut block = [[0; 2]; 3];
            for (ends, &size) in block.iter_mut().zip(&size) {
                if size > 1 {
                    let side = rng.random_range(blocks.shortest as u64..=blocks.longest as u64);
                    let low = rng.random_range(0..size as u64) as usize;
                    *ends = [low, (low + side as usize - 1).min(size - 1)];
                }
            }
            let [z, y, x] = block.map(|[low, high]| low..=high);
            self.walls.slice_mut(ndarray::s![z, y, x]).fill(true);
        }
        for (key, place) in named_places(scenario) {
            let at = self.position(&scenario.origin, &key, place)?;
            let cell = at.map(|v| (v / self.spacing).round().max(0.0) as usize);
            let [x, y, z] = std::array::from_fn(|a| {
                let size = [width, height, depth][a];
                cell[a].saturating_sub(2).min(size - 1)..=cell[a].saturating_add(2).min(size - 1)
            });
            self.walls.slice_mut(ndarray::s![z, y, x]).fill(false);
        }
        Ok(())
    }

    /// The cells `[z, y, x]` of a box, checked against the map.
    pub(crate) fn cells(
        &self,
        origin: &Origin,
        key: &str,
        from: &[usize],
        to: &[usize],
    ) -> Result<impl Iterator<Item = [usize; 3]> + use<>, ScenarioError> {
        let (depth, height, width) = self.walls.dim();
        let size = [width, height, depth];
        let n = self.dimensions;
        let fits =
            from.len() == n && to.len() == n && (0..n).all(|a| from[a] <= to[a] && to[a] < size[a]);
        if !fits {
            let limit = format!("must be two corners, from <= to, of {}", self.cells_in_words());
            return Err(origin.refuse(key, format!("{from:?} to {to:?}"), limit));
        }
        let low: [usize; 3] = std::array::from_fn(|a| from.get(a).copied().unwrap_or(0));
        let high: [usize; 3] = std::array::from_fn(|a| to.get(a).copied().unwrap_or(0));
        Ok((low[2]..=high[2]).flat_map(move |z| {
            (low[1]..=high[1]).flat_map(move |y| (low[0]..=high[0]).map(move |x| [z, y, x]))
        }))
    }

    /// The cells of the map, as a scenario names them.
    pub(crate) fn cells_in_words(&self) -> String {
        let (depth, height, width) = self.walls.dim();
        if self.dimensions == 2 {
            format!(
                "a map of {width} x {height} cells, [x, y] from [0, 0] to {:?}",
                [width - 1, height - 1]
            )
        } else {
            let last = [width - 1, height - 1, depth - 1];
            format!(
                "a map of {width} x {height} x {depth} cells, [x, y, z] from [0, 0, 0] to {last:?}"
            )
        }
    }

    /// `[units: world units]` Places with a name, and places that the scenario states by
    /// coordinates, on the ground where the map has heights.
    pub(crate) fn places(&self, scenario: &Scenario) -> Vec<(String, [f64; 3])> {
        let at = |cell: &[usize; 3]| cell.map(|c| c as f64 * self.spacing);
        let marks = self.marks.iter().map(|(name, cell)| (name.clone(), at(cell)));
        let stated = named_places(scenario).filter(|(_, place)| matches!(place, Place::At(_)));
        let stated = stated.filter_map(|(key, place)| {
            let at = self.position(&scenario.origin, &key, place).ok()?;
            Some((key, at))
        });
        let mut places: Vec<_> = marks.chain(stated).collect();
        for (_, at) in &mut places {
            *at = self.on_ground(*at);
        }
        places
    }

    /// `[units: world units]` The same place as high as the ground is, on a map with heights;
    /// outside it at 0.
    pub(crate) fn on_ground(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let Some(heights) = &self.heights else { return [x, y, z] };
        let [row, column] = [y, x].map(|v| (v / self.spacing).round().max(0.0) as usize);
        [x, y, heights.get([row, column]).copied().unwrap_or(0.0)]
    }

    /// `[units: world units]` The position `[x, y, z]` that `place` names.
    pub(crate) fn position(
        &self,
        origin: &Origin,
        key: &str,
        place: &Place,
    ) -> Result<[f64; 3], ScenarioError> {
        let fail = |limit: String| Err(origin.refuse(key, place, limit));
        match place {
            Place::Mark(mark) => match self.marks.get(mark) {
                Some(cell) => Ok(cell.map(|c| c as f64 * self.spacing)),
                None => fail("is not in the drawing, nor a place of the map's file".to_owned()),
            },
            Place::At(at) if at.len() == self.dimensions => {
                Ok(std::array::from_fn(|a| at.get(a).copied().unwrap_or(0.0)))
            }
            Place::At(_) => {
                let form = if self.dimensions == 2 { "[x, y]" } else { "[x, y, z]" };
                fail(format!("must have {} coordinates, {form}", self.dimensions))
            }
        }
    }
}

/// The largest group, for each cell of the map.
const MOST_ON_A_CELL: u64 = 1000;

/// Whether waves or graphs go over the whole map for a member.
fn needs_waves(scenario: &Scenario) -> bool {
    let asks = |group: &Pursuers| matches!(group.mind, PursuerMind::World);
    let needs = |mind: &EvaderMind| matches!(mind, EvaderMind::Flee(_) | EvaderMind::Utility(_));
    !scenario.pursuers.iter().all(asks)
        || scenario.evaders.iter().any(|group| needs(&group.mind))
        || scenario.contact.near.is_some()
        || scenario.tracking != Tracking::default()
}

/// That the world of a map of this shape may be made, with all that take part, and can.
fn check_memory(
    scenario: &Scenario,
    key: &str,
    value: &str,
    shape: [usize; 3],
    over_heights: bool,
) -> Result<(), ScenarioError> {
    let size = shape.map(|side| side as u64);
    let map =
        if needs_waves(scenario) { memory::of_world(size) } else { memory::of_wide_world(size) };
    let asks = scenario.pursuers.iter().filter(|group| matches!(group.mind, PursuerMind::World));
    let evaders: usize = scenario.evaders.iter().map(|group| group.count).sum();
    let fields = (asks.count() as u64).saturating_mul(evaders as u64);
    let map = map.saturating_add(memory::of_fields(size, fields));
    let decide = |group: &&Evaders| matches!(group.mind, EvaderMind::Utility(_));
    let travel = |group: &&Pursuers| matches!(group.mind, PursuerMind::Travel(_));
    let walkers = scenario.evaders.iter().filter(decide).count()
        + scenario.pursuers.iter().filter(travel).count();
    let map = map.saturating_add(memory::of_graphs(size, walkers as u64, over_heights));
    let map = if scenario.tracking == Tracking::default() {
        map
    } else {
        map.saturating_add(memory::of_long_waves(size))
    };
    memory::check(map).map_err(|error| scenario.origin.refuse(key, value, error.to_string()))?;
    // Group by group: each may be within its limit, and all of them not.
    let evaders = scenario.evaders.iter().map(|group| group.count);
    let evaders = evaders.enumerate().map(|(i, count)| (format!("evaders[{i}].count"), count));
    let pursuers = scenario.pursuers.iter().map(|group| group.count);
    let pursuers = pursuers.enumerate().map(|(i, count)| (format!("pursuers[{i}].count"), count));
    let cells = memory::cells(size);
    let most = cells.saturating_mul(MOST_ON_A_CELL);
    let mut needs = map;
    for (key, count) in evaders.chain(pursuers) {
        if count as u64 > most {
            let limit = format!("must be at most {most}, {MOST_ON_A_CELL} a cell of the map");
            return Err(scenario.origin.refuse(&key, count, limit));
        }
        needs = needs.saturating_add(memory::of_members(count as u64));
        memory::check(needs).map_err(|error| {
            scenario.origin.refuse(
                &key,
                count,
                format!("with the map and the groups before {error}"),
            )
        })?;
    }
    Ok(())
}

/// Numbers as they were written; of very many, the first.
fn brief(numbers: &[usize]) -> String {
    const MOST: usize = 4;
    if numbers.len() <= MOST {
        format!("{numbers:?}")
    } else {
        format!("{:?} and more", &numbers[..MOST])
    }
}

/// The places that a scenario names, with their keys.
fn named_places(scenario: &Scenario) -> impl Iterator<Item = (String, &Place)> {
    let evaders = scenario.evaders.iter().enumerate().flat_map(|(i, group)| {
        let key = format!("evaders[{i}]");
        let more: Vec<(String, &Place)> = match &group.mind {
            EvaderMind::Patrol(stops) => stops
                .iter()
                .enumerate()
                .map(|(k, stop)| (format!("{key}.mind.patrol[{k}]"), stop))
                .collect(),
            EvaderMind::Utility(utility) => {
                vec![(format!("{key}.mind.utility.goal"), &utility.goal)]
            }
            EvaderMind::Still | EvaderMind::Wander(_) | EvaderMind::Flee(_) => Vec::new(),
        };
        group.start.iter().map(move |start| (format!("{key}.start"), start)).chain(more)
    });
    let pursuers = scenario.pursuers.iter().enumerate();
    evaders.chain(pursuers.filter_map(|(i, group)| {
        group.start.as_ref().map(|start| (format!("pursuers[{i}].start"), start))
    }))
}
