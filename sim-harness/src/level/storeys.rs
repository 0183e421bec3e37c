//! Levels with storeys: `jump`, `audit` and `links` where one walks over and under things.
//!
//! Of a level of voxels, and of a mesh cut into voxels, every floor counts; any other level has the
//! one storey that its heights are.

use super::gate::{Denied, Fault};
use super::links::{Link, between, offsets};
use super::{LevelError, LevelOptions, seen};
use crate::import;
use crate::maps::{Class, MapFile};
use crate::output::{OutFolder, Sharing, Whole, WriteError};
use glam::DVec2;
use jump_planner::{
    Finding, Flight, JumpError, JumpGraph, MoveCounts, MoveKind, Place, Preference, Span,
    SpanTerrain,
};
use ndarray::Array2;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// A level with storeys, and where somebody is to go in it.
#[derive(Clone, Debug)]
pub struct Storeys {
    /// Who moves where.
    pub graph: JumpGraph<SpanTerrain>,
    /// The file's first start.
    pub start: Option<Place>,
    /// Its first goal.
    pub goal: Option<Place>,
}

/// A place as users see it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeenPlace {
    /// `[column, row]`
    pub cell: [usize; 2],
    /// `[units: length]` How high its floor lies.
    pub z: f64,
}

/// A step of a path; the keys are those of the command's JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoreyStep {
    /// Where it leads.
    #[serde(flatten)]
    pub place: SeenPlace,
    /// start, walk, fall or jump.
    #[serde(rename = "move")]
    pub kind: &'static str,
    /// How a jump is flown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flight: Option<Flight>,
}

/// What `jump --storeys` found; the keys are those of its JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoreyJump {
    /// Whether there is a path.
    pub reachable: bool,
    /// The best one; empty where there is none.
    pub path: Vec<StoreyStep>,
    /// Pairs of places of different groups that were looked at, to decide whether there is one.
    pub pairs: usize,
    /// Places to which the search found the best way.
    pub settled: usize,
    /// Wall-clock time of both.
    pub seconds: f64,
}

/// What `audit --storeys` found; the keys are those of its JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoreyAudit {
    /// The level, as it was named.
    pub file: String,
    /// Columns of cells.
    pub cells: usize,
    /// Places on which one can stand.
    pub places: usize,
    /// The most places of one column, free ones without a floor included.
    pub storeys: usize,
    /// Places that walking joins.
    pub groups: usize,
    /// Moves by kind: all walks and falls, and those jumps that [`MoveCounts::jump`] names.
    pub edges: MoveCounts,
    /// Strongly connected components.
    pub components: usize,
    /// Components that can be entered and never left.
    pub traps: usize,
    /// Places on which one could stand but which the start does not reach.
    pub unreachable: usize,
    /// Pairs of components of which one leads directly to the other, and not back.
    pub one_way: usize,
    /// Jumps that were neither found nor excluded.
    pub marginal: usize,
    /// With a goal: what is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<StoreyGoal>,
    /// With faults to deny: those that are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<Vec<Denied>>,
    /// Where the audit starts.
    pub start: SeenPlace,
    /// Wall-clock time of graph and audit, the file's reading included.
    pub seconds: f64,
    /// 16 hexadecimal digits, the same for any number of threads.
    pub state_hash: String,
}

/// A goal, seen from the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StoreyGoal {
    /// Where it is.
    #[serde(flatten)]
    pub place: SeenPlace,
    /// Whether it can be reached.
    pub reached: bool,
}

/// `[column, row]`, and a height in the place that is meant; without it, the highest.
pub type Named = ([usize; 2], Option<f64>);

impl LevelOptions {
    /// Reads a level with its storeys and builds the graph.
    ///
    /// # Errors
    /// [`LevelError`].
    pub fn storeys(&self) -> Result<Storeys, LevelError> {
        let map = if super::site::is_scenario(&self.terrain)? {
            None
        } else {
            Some(import::read(&self.terrain, &self.import)?)
        };
        match map.filter(|map| map.dimensions() == 3) {
            Some(map) => self.of_voxels(&map),
            None => self.of_heights(),
        }
    }

    fn of_voxels(&self, map: &MapFile) -> Result<Storeys, LevelError> {
        let mut columns = Span::of_voxels(&map.walls(Class::Ground));
        let (rows, width) = columns.dim();
        for &corners in &self.no_go {
            let [[left, upper], [right, lower]] = corners;
            if left > right || upper > lower || right >= width || lower >= rows {
                return Err(LevelError::NoGo { corners, columns: width, rows });
            }
            let inside = columns.slice_mut(ndarray::s![upper..=lower, left..=right]);
            for span in inside.into_iter().flatten() {
                span.no_go = true;
            }
        }
        let side = self.scaling.cell_size.or(map.layers().cell_size).unwrap_or(1.0);
        let scale = self.scaling.height_scale.unwrap_or(side);
        let graph = self.over(&columns, side, scale)?;
        let place = |cells: &[[usize; 3]]| {
            let &[z, y, x] = cells.first()?;
            let middle = DVec2::new(x as f64, y as f64) * side;
            graph.terrain().place_at(middle.extend((z as f64 + 0.5) * scale))
        };
        let (start, goal) = (place(&map.layers().starts), place(&map.layers().goals));
        Ok(Storeys { graph, start, goal })
    }

    fn of_heights(&self) -> Result<Storeys, LevelError> {
        let site = self.site()?;
        let no_go = |cell| site.heights.no_go.as_ref().is_some_and(|no_go| no_go[cell]);
        let columns = Array2::from_shape_fn(site.heights.heights.dim(), |(y, x)| {
            let z = site.heights.heights[[y, x]];
            let ground = Span { no_go: no_go([y, x]), ..Span::ground(z) };
            vec![if z.is_nan() { Span::wall() } else { ground }]
        });
        let side = self.scaling.cell_size.or(site.heights.cell_size).unwrap_or(1.0);
        let graph = self.over(&columns, side, self.scaling.height_scale.unwrap_or(1.0))?;
        let place = |cell: Option<[usize; 2]>| graph.terrain().highest(seen::cell(cell?));
        let (start, goal) = (place(site.start), place(site.goal));
        Ok(Storeys { graph, start, goal })
    }

    fn over(
        &self,
        columns: &Array2<Vec<Span>>,
        side: f64,
        scale: f64,
    ) -> Result<JumpGraph<SpanTerrain>, LevelError> {
        let terrain = SpanTerrain::builder(columns).cell_size(side).height_scale(scale).build();
        let terrain = terrain.map_err(|error| {
            let file = crate::maps::printable(&self.terrain.to_string_lossy());
            LevelError::Terrain { file, error }
        })?;
        Ok(JumpGraph::with_rule(terrain, self.character()?, self.rule)?)
    }
}

impl Storeys {
    /// The place that is named, if one can stand there.
    ///
    /// # Errors
    /// [`LevelError::Cell`].
    pub fn place(&self, which: &'static str, (cell, z): Named) -> Result<Place, LevelError> {
        let terrain = self.graph.terrain();
        let [rows, columns] = terrain.shape();
        let at = seen::cell(cell);
        let fault = |fault| LevelError::Cell { which, cell, fault };
        if at[0] >= rows || at[1] >= columns {
            return Err(fault(super::CellFault::Outside { columns, rows }));
        }
        let place = match z {
            Some(z) => terrain.place_at(terrain.centre(at).extend(z)),
            None => terrain.highest(at),
        };
        let why = match place {
            Some(place) if self.graph.can_stand(place) => return Ok(place),
            Some(_) => "it has no floor, is no-go, or its ceiling is too low",
            None if z.is_some() => "that height is inside something",
            None => "it has no floor",
        };
        Err(fault(super::CellFault::NotGround { why }))
    }

    fn seen(&self, place: Place) -> SeenPlace {
        let z = self.graph.terrain().floor(place).unwrap_or(f64::NEG_INFINITY);
        SeenPlace { cell: seen::cell(place.cell), z }
    }
}

/// The best path from one place to another.
///
/// # Errors
/// [`LevelError::Cell`], [`LevelError::Jump`].
pub fn jump_storeys(
    level: &Storeys,
    [from, to]: [Named; 2],
    preference: Preference,
) -> Result<StoreyJump, LevelError> {
    let (from, to) = (level.place("from", from)?, level.place("to", to)?);
    let begin = Instant::now();
    let planned = level.graph.planned(from, to, preference)?;
    let seconds = begin.elapsed().as_secs_f64();
    let mut path = Vec::new();
    if let Some(plan) = &planned.plan {
        path.push(StoreyStep { place: level.seen(from), kind: "start", flight: None });
        path.extend(plan.moves.iter().map(|step| StoreyStep {
            place: level.seen(step.to),
            kind: match step.kind {
                MoveKind::Walk => "walk",
                MoveKind::Fall => "fall",
                MoveKind::Jump => "jump",
            },
            flight: level.graph.witness(step),
        }));
    }
    let (pairs, settled) = (planned.pairs, planned.settled);
    Ok(StoreyJump { reachable: planned.plan.is_some(), path, pairs, settled, seconds })
}

/// Findings in the list, at most.
const LISTED: usize = 1000;

/// A finding in the list.
#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    finding: Finding<SeenPlace>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flight: Option<Flight>,
}

#[derive(Serialize)]
struct List {
    /// Listed or not.
    findings: usize,
    worst_first: Vec<Listed>,
}

/// Builds the graph of a level and audits it; writes `findings.json` into a folder.
///
/// # Errors
/// [`LevelError`]; [`LevelError::Jump`] for a fault that is not looked for where there are storeys.
pub fn audit_storeys(
    options: &LevelOptions,
    [start, goal]: [Option<Named>; 2],
    deny: &[Fault],
    out: Option<&Path>,
) -> Result<StoreyAudit, LevelError> {
    let begin = Instant::now();
    let level = options.storeys()?;
    let folder = out.map(|folder| OutFolder::open(folder, Sharing::Alone)).transpose()?;
    let named = |which, named: Option<Named>| named.map(|named| level.place(which, named));
    let start = named("start", start).transpose()?;
    let start = start.or(level.start.filter(|&place| level.graph.can_stand(place)));
    let goal = named("goal", goal).transpose()?.or(level.goal);
    let audit = level.graph.audit(start)?;
    let seconds = begin.elapsed().as_secs_f64();
    let terrain = level.graph.terrain();
    let marginal = |f: &&Finding<Place>| matches!(f, Finding::Marginal { .. });
    let goal = goal.map(|goal| StoreyGoal {
        place: level.seen(goal),
        reached: audit.is_reached(terrain, goal),
    });
    let mut summary = StoreyAudit {
        file: options.terrain.to_string_lossy().into_owned(),
        cells: terrain.shape().iter().product(),
        places: terrain.places().filter(|&place| level.graph.can_stand(place)).count(),
        storeys: terrain.most_storeys(),
        groups: audit.groups(),
        edges: audit.counts(),
        components: audit.region_count(),
        traps: audit.traps(),
        unreachable: audit.unreached_cells(),
        one_way: audit.one_way(),
        marginal: audit.findings().iter().filter(marginal).count(),
        goal,
        denied: None,
        start: level.seen(audit.start()),
        seconds,
        state_hash: format!("{:016x}", audit.state_hash()),
    };
    summary.denied = (!deny.is_empty()).then(|| {
        let counted = deny.iter().map(|&fault| Denied { fault, count: summary.count(fault) });
        counted.filter(|denied| denied.count > 0).collect()
    });
    if let Some(folder) = folder {
        let json = folder.join("findings.json");
        let findings = audit.findings();
        let listed = findings.iter().take(LISTED).map(|finding| Listed {
            finding: finding.map(|place| level.seen(place)),
            flight: finding.flight(&level.graph),
        });
        let list = List { findings: findings.len(), worst_first: listed.collect() };
        let list = serde_json::to_vec_pretty(&list).map_err(|e| WriteError::new(&json, &e))?;
        Whole::place(vec![Whole::of(json, &list)?])?;
    }
    Ok(summary)
}

impl StoreyAudit {
    /// How often a fault is there; those that are not looked for are not.
    fn count(&self, fault: Fault) -> usize {
        match fault {
            Fault::Trap => self.traps,
            Fault::Unreachable => self.unreachable,
            Fault::OneWay => self.one_way,
            Fault::Marginal => self.marginal,
            Fault::Goal => usize::from(self.goal.is_none_or(|goal| !goal.reached)),
            Fault::Cut | Fault::CutBack | Fault::Shortcut => 0,
        }
    }
}

/// A link for every pair of groups that a jump joins, as [`links`](super::links) has them, between
/// two of the nearest places; of several storeys of a column the lowest first.
///
/// # Errors
/// [`JumpError`].
///
/// # Complexity
/// O(places * places within reach); a pair of groups costs decisions until one of its jumps is
/// clear.
pub fn links_storeys(level: &Storeys) -> Result<Vec<Link>, JumpError> {
    let graph = &level.graph;
    let terrain = graph.terrain();
    let floors = terrain.places().filter_map(|place| terrain.floor(place));
    let offsets = offsets(graph.character(), terrain.shape(), terrain.cell_size(), floors)?;
    let speed = graph.character().launch_speed();
    between(
        terrain.shape(),
        &offsets,
        |cell| {
            let all = (0..terrain.storeys(cell)).map(move |storey| Place { cell, storey });
            all.filter_map(|place| Some((place, graph.group(place)?)))
        },
        |place| place.cell,
        |from, to| graph.jump(from, to),
        |from, to| Ok(graph.least_launch_speed(from, to)?.unwrap_or(speed)),
    )
}
