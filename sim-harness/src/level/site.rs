//! The ground of a level: the heights and places of a file, or a scenario's own ground.

use super::{LevelError, LevelOptions, seen};
use crate::import;
use crate::maps::heights::Heightmap;
use crate::scenario::{self, EvaderMind, Legs, NoGo, Place, PursuerMind, Scenario};
use crate::world::terrain::Terrain;
use ndarray::{Array2, Axis, s};
use std::path::Path;

/// A ground, and from where to where a character is to go on it. Cells are `[column, row]`.
pub(super) struct Site {
    pub(super) heights: Heightmap,
    pub(super) start: Option<[usize; 2]>,
    pub(super) goal: Option<[usize; 2]>,
}

/// The character that jumps in a scenario.
struct Jumper<'a> {
    legs: Legs,
    start: Option<(String, &'a Place)>,
    goal: Option<(String, &'a Place)>,
}

/// The legs of a scenario's map, or of the first group that can jump, evaders first; `None` for a
/// file that is no scenario.
///
/// # Errors
/// [`LevelError::Scenario`]: it cannot be read, or no character jumps in it.
pub fn scenario_legs(level: &Path) -> Result<Option<Legs>, LevelError> {
    let Some(scenario) = scenario_of(level)? else { return Ok(None) };
    Ok(Some(jumper(&scenario)?.legs))
}

impl LevelOptions {
    /// Reads the file that [`LevelOptions::terrain`] names.
    pub(super) fn site(&self) -> Result<Site, LevelError> {
        let mut site = if let Some(scenario) = scenario_of(&self.terrain)? {
            of_scenario(&scenario)?
        } else {
            let relief = import::read_relief(&self.terrain, &self.import)?;
            let first = |cells: &[[usize; 2]]| cells.first().map(|&cell| seen::cell(cell));
            let [start, goal] = [&relief.starts, &relief.goals].map(|cells| first(cells));
            Site { heights: relief.heights, start, goal }
        };
        let (rows, columns) = site.heights.heights.dim();
        for &corners in &self.no_go {
            let [[left, upper], [right, lower]] = corners;
            if left > right || upper > lower || right >= columns || lower >= rows {
                return Err(LevelError::NoGo { corners, columns, rows });
            }
            let no_go = &mut site.heights.no_go;
            let no_go = no_go.get_or_insert_with(|| Array2::from_elem([rows, columns], false));
            no_go.slice_mut(s![upper..=lower, left..=right]).fill(true);
        }
        Ok(site)
    }
}

/// Whether a level is a scenario.
pub(super) fn is_scenario(level: &Path) -> Result<bool, LevelError> {
    Ok(scenario_of(level)?.is_some())
}

/// The scenario of a `.toml` file, or of a built-in name that is no file's name.
fn scenario_of(level: &Path) -> Result<Option<Scenario>, LevelError> {
    let name = level.to_string_lossy();
    let built_in = scenario::built_in().iter().any(|b| b.name == name) && !level.exists();
    let is_scenario = built_in || level.extension().is_some_and(|ending| ending == "toml");
    Ok(is_scenario.then(|| scenario::load(&name)).transpose()?)
}

fn jumper(scenario: &Scenario) -> Result<Jumper<'_>, LevelError> {
    let evaders = scenario.evaders.iter().enumerate().filter_map(|(i, group)| {
        let EvaderMind::Utility(utility) = &group.mind else { return None };
        let start = group.start.as_ref().map(|start| (format!("evaders[{i}].start"), start));
        let goal = Some((format!("evaders[{i}].mind.utility.goal"), &utility.goal));
        Some(Jumper { legs: utility.legs.clone(), start, goal })
    });
    let pursuers = scenario.pursuers.iter().enumerate().filter_map(|(i, group)| {
        let PursuerMind::Travel(travel) = &group.mind else { return None };
        let start = group.start.as_ref().map(|start| (format!("pursuers[{i}].start"), start));
        Some(Jumper { legs: travel.legs.clone(), start, goal: None })
    });
    let of_map = scenario.map.legs.iter().map(|legs| Jumper {
        legs: legs.clone(),
        start: scenario.pursuers[0].start.as_ref().map(|at| ("pursuers[0].start".to_owned(), at)),
        goal: scenario.evaders[0].start.as_ref().map(|at| ("evaders[0].start".to_owned(), at)),
    });
    let jumper =
        of_map.chain(evaders).chain(pursuers).find(|jumper| jumper.legs.launch_speed.is_some());
    jumper.ok_or_else(|| {
        let limit = "nobody has legs with a launch_speed, so there are no jumps to look at";
        scenario.origin.refuse("legs", "none", limit).into()
    })
}

/// The ground as it is when the scenario begins; later changes do not count. Characters fly over
/// walls, but do not stand on them.
fn of_scenario(scenario: &Scenario) -> Result<Site, LevelError> {
    let terrain = Terrain::new(scenario, scenario.seed)?;
    let Some(heights) = terrain.heights.as_ref().or(terrain.ground.as_ref()).cloned() else {
        return Err(scenario.origin.refuse("map.heights", "none", "jumps need heights").into());
    };
    let jumper = jumper(scenario)?;
    let spacing = scenario.map.spacing;
    let cell = |place: Option<(String, &Place)>| -> Result<_, LevelError> {
        let Some((key, place)) = place else { return Ok(None) };
        let [x, y, _] = terrain.position(&scenario.origin, &key, place)?;
        Ok(Some([x, y].map(|v| (v / spacing).round().max(0.0) as usize)))
    };
    let (start, goal) = (cell(jumper.start)?, cell(jumper.goal)?);
    let mut no_go = match terrain.ground {
        // The whole of it is ground.
        Some(_) => Array2::from_elem(heights.raw_dim(), false),
        None => terrain.walls.index_axis(Axis(0), 0).to_owned(),
    };
    for (i, NoGo { from, to }) in jumper.legs.no_go.iter().enumerate() {
        let key = format!("legs.no_go[{i}]");
        for [_, y, x] in terrain.cells(&scenario.origin, &key, from, to)? {
            no_go[[y, x]] = true;
        }
    }
    let heights = Heightmap { heights, no_go: Some(no_go), cell_size: Some(spacing) };
    Ok(Site { heights, start, goal })
}
