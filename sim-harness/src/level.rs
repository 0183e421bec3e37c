//! The `jump` and `audit` commands: a height map, a character, and what comes of them.

mod picture;

use crate::heightmap::{self, HeightmapError, Scaling};
use jump_planner::{
    Audit, Character, Clearance, Flight, JumpError, JumpGraph, MoveCounts, MoveKind, Preference,
    TerrainError,
};
use serde::Serialize;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Which level, and who moves in it.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelOptions {
    /// ESRI .asc or grey .png.
    pub terrain: PathBuf,
    /// How heights and cells are scaled.
    pub scaling: Scaling,
    /// `[units: length / time] [limits: > 0]`
    pub speed: f64,
    /// `[units: length / time^2] [limits: > 0]`
    pub gravity: f64,
    /// `[units: length] [limits: >= 0]`
    pub step_height: f64,
    /// `[units: length] [limits: >= 0]`
    pub max_fall: Option<f64>,
    /// When jumps are clear.
    pub clearance: Clearance,
}

/// Why a level gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LevelError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] HeightmapError),
    /// Its heights cannot be used.
    #[error("{file}: {error}")]
    Terrain {
        /// The file.
        file: String,
        /// What is wrong.
        error: TerrainError,
    },
    /// The character, the start or the goal cannot be used.
    #[error("{0}")]
    Jump(#[from] JumpError),
    /// The findings could not be written.
    #[error("{path}: cannot be written: {kind}")]
    Write {
        /// Where.
        path: String,
        /// Why.
        kind: io::ErrorKind,
    },
}

/// A step of a path; the keys are those of the command's JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// `[column, row]`
    pub cell: [usize; 2],
    /// start, walk, fall or jump.
    #[serde(rename = "move")]
    pub kind: &'static str,
    /// How a jump is flown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flight: Option<Flight>,
}

/// What `jump` found; the keys are those of its JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JumpSummary {
    /// Whether there is a path.
    pub reachable: bool,
    /// The best one; empty where there is none.
    pub path: Vec<Step>,
    /// Edges examined to decide whether a path exists, over cells.
    pub steps_plain: usize,
    /// The same over groups.
    pub steps_grouped: usize,
    /// Wall-clock time of all three searches.
    pub seconds: f64,
}

/// What `audit` found; the keys are those of its JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditSummary {
    /// Cells of the terrain.
    pub cells: usize,
    /// Cells that walking joins.
    pub groups: usize,
    /// Moves by kind.
    pub edges: MoveCounts,
    /// Strongly connected components.
    pub components: usize,
    /// Components that can be entered and never left.
    pub traps: usize,
    /// Cells on which one could stand but which the start does not reach.
    pub unreachable: usize,
    /// Pairs of components of which one leads directly to the other, and not back.
    pub one_way: usize,
    /// Jumps that were neither found nor excluded.
    pub marginal: usize,
    /// `[column, row]` Where the audit starts.
    pub start: [usize; 2],
    /// Wall-clock time of graph and audit.
    pub seconds: f64,
    /// 16 hexadecimal digits, the same for any number of threads.
    pub state_hash: String,
}

impl LevelOptions {
    /// Builds the graph.
    ///
    /// # Errors
    /// [`LevelError`].
    pub fn graph(&self) -> Result<JumpGraph, LevelError> {
        let map = heightmap::read(&self.terrain)?;
        let terrain = map.terrain(&self.scaling).map_err(|error| {
            let file = crate::maps::printable(&self.terrain.to_string_lossy());
            LevelError::Terrain { file, error }
        })?;
        let builder =
            Character::builder(self.speed).gravity(self.gravity).step_height(self.step_height);
        let builder = self.max_fall.map_or(builder, |most| builder.max_fall(most));
        let character = builder.build().map_err(JumpError::from)?;
        Ok(JumpGraph::with_clearance(terrain, character, self.clearance)?)
    }
}

/// The best path from one cell to another, both `[column, row]`; `None`: the fewest vertices, as
/// published.
///
/// # Errors
/// [`LevelError::Jump`].
pub fn jump(
    graph: &JumpGraph,
    [from, to]: [[usize; 2]; 2],
    preference: Preference,
) -> Result<JumpSummary, LevelError> {
    let [from, to] = [from, to].map(|[c, r]| [r, c]);
    let begin = Instant::now();
    let grouped = graph.exists_by_groups(from, to)?;
    let plain = graph.exists_by_cells(from, to)?;
    // No group path, no path: the search over cells is spared.
    let plan = if grouped.exists { graph.plan(from, to, preference)? } else { None };
    let seconds = begin.elapsed().as_secs_f64();
    let turn = |[r, c]: [usize; 2]| [c, r];
    let mut path = Vec::new();
    if let Some(plan) = &plan {
        path.push(Step { cell: turn(from), kind: "start", flight: None });
        path.extend(plan.moves.iter().map(|step| Step {
            cell: turn(step.to),
            kind: match step.kind {
                MoveKind::Walk => "walk",
                MoveKind::Fall => "fall",
                MoveKind::Jump => "jump",
            },
            flight: graph.witness(step),
        }));
    }
    Ok(JumpSummary {
        reachable: plan.is_some(),
        path,
        steps_plain: plain.steps,
        steps_grouped: grouped.steps,
        seconds,
    })
}

/// Builds the graph of a level and audits it; `start` is `[column, row]`. With `out`, a picture and
/// the list of findings go there.
///
/// # Errors
/// [`LevelError`].
pub fn audit(
    options: &LevelOptions,
    start: Option<[usize; 2]>,
    out: Option<&Path>,
) -> Result<AuditSummary, LevelError> {
    let begin = Instant::now();
    let graph = options.graph()?;
    let audit = graph.audit(start.map(|[c, r]| [r, c]))?;
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(folder) = out {
        write(folder, &graph, &audit)?;
    }
    let marginal = |f: &&jump_planner::Finding| matches!(f, jump_planner::Finding::Marginal { .. });
    let [row, column] = audit.start();
    Ok(AuditSummary {
        cells: graph.terrain().len(),
        groups: audit.groups(),
        edges: audit.counts(),
        components: audit.region_count(),
        traps: audit.traps(),
        unreachable: audit.unreached_cells(),
        one_way: audit.one_way(),
        marginal: audit.findings().iter().filter(marginal).count(),
        start: [column, row],
        seconds,
        state_hash: format!("{:016x}", audit.state_hash()),
    })
}

/// Findings with a flight each, at most; beyond that the list says how many there are.
const LISTED: usize = 1000;

/// A finding in the list.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    finding: &'a jump_planner::Finding,
    /// How its move is flown, where it is a jump.
    #[serde(skip_serializing_if = "Option::is_none")]
    flight: Option<Flight>,
}

#[derive(Serialize)]
struct List<'a> {
    /// All findings, listed or not.
    findings: usize,
    /// Cells here are `[row, column]`.
    worst_first: Vec<Listed<'a>>,
}

fn write(folder: &Path, graph: &JumpGraph, audit: &Audit) -> Result<(), LevelError> {
    let failed = |path: &Path, e: &io::Error| LevelError::Write {
        path: crate::maps::printable(&path.to_string_lossy()),
        kind: e.kind(),
    };
    fs::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
    let findings = audit.findings();
    let list = List {
        findings: findings.len(),
        worst_first: findings
            .iter()
            .take(LISTED)
            .map(|finding| Listed { finding, flight: finding.flight(graph) })
            .collect(),
    };
    let path = folder.join("findings.json");
    let json = serde_json::to_vec_pretty(&list).map_err(io::Error::from);
    json.and_then(|json| fs::write(&path, json)).map_err(|e| failed(&path, &e))?;
    let path = folder.join("audit.png");
    let png = picture::draw(graph, audit)
        .ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
        .and_then(|p| p.encode_png().map_err(io::Error::other));
    png.and_then(|png| fs::write(&path, png)).map_err(|e| failed(&path, &e))
}
