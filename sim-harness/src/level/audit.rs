//! The `audit` command: the faults of a level, in figures, as a list and as a picture.

use super::gate::{self, Denied, Fault};
use super::route::{self, Routed};
use super::seen::{self, Ground, Named, Seen};
#[cfg(feature = "record")]
use super::{Audited, page, picture};
use super::{LevelError, LevelOptions, place};
use crate::output::{OutFolder, Sharing, Whole, WriteError};
use jump_planner::{
    Audit, Cut, CutAt, Cuts, Finding, Flight, JumpGraph, MoveCounts, Shortcut, ShortcutRule,
    SpeedStep, SpeedSteps, Ways,
};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// The optional questions of an audit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditOptions {
    /// Where the player starts; `None`: at the level's first start, or without one in the first
    /// place of the largest component.
    pub start: Option<Named>,
    /// The player's goal, for the places that every way there passes; `None`: the level's first
    /// goal.
    pub goal: Option<Named>,
    /// A file of the intended route, a cell `C,R` a line, or a place `C,R,Z` where there are
    /// storeys; between two of them it takes the path of the fewest jumps.
    pub route: Option<PathBuf>,
    /// Which moves count as shortcuts of it.
    pub shortcuts: ShortcutRule,
    /// Whether to find the launch speeds at which reachability changes.
    pub speeds: bool,
    /// Faults that must not be there; `None`: no verdict.
    pub deny: Option<Vec<Fault>>,
    /// The folder for picture, list and page.
    pub out: Option<PathBuf>,
}

/// The results of `audit`; the keys are those of its JSON. Where there are storeys cells are
/// places.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditSummary {
    /// The level, as it was named.
    pub file: String,
    /// Cells of the terrain: columns, where there are storeys.
    pub cells: usize,
    /// Where there are storeys: places on which one can stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<usize>,
    /// Where there are storeys: the most places of one column, free ones without a floor included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storeys: Option<usize>,
    /// Cells that walking joins.
    pub groups: usize,
    /// Moves by kind: all walks and falls, and those jumps that [`MoveCounts::jump`] names.
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
    /// Cells and moves of which one alone cuts ground off from the start.
    pub cuts: usize,
    /// Cells and moves of which one alone cuts off the way back to the start.
    pub cuts_back: usize,
    /// The largest number of cells that one of both cuts off.
    pub worst_cut: usize,
    /// The results for a goal, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalSummary>,
    /// With a route: ways that skip a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortcuts: Option<usize>,
    /// With a route: the most cells of it that one of them skips.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_shortcut: Option<usize>,
    /// Asked for: the launch speeds at which reachability changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speeds: Option<Vec<SpeedStep<Seen>>>,
    /// With faults to deny: those that are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<Vec<Denied>>,
    /// The worst of each fault in words, ten at most of each; not in the JSON.
    #[serde(skip)]
    pub examples: Vec<(Fault, String)>,
    /// Where the audit starts.
    pub start: Seen,
    /// Wall-clock time of graph and audit, the file's reading included.
    pub seconds: f64,
    /// 16 hexadecimal digits, the same for any number of threads.
    pub state_hash: String,
}

/// A goal, seen from the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoalSummary {
    /// `[column, row]` Where it is.
    pub cell: [usize; 2],
    /// `[units: length]` Where there are storeys: how high it lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    /// Whether it can be reached.
    pub reached: bool,
    /// The places that every way there passes, in order.
    pub on_every_way: Vec<Seen>,
    /// Asked for: the least launch speed above which it can be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_speed: Option<f64>,
}

impl GoalSummary {
    /// Where it is.
    #[must_use]
    pub fn seen(&self) -> Seen {
        let cell = self.cell;
        self.z.map_or(Seen::Cell(cell), |z| Seen::Place { cell, z })
    }
}

/// All that was found.
pub(super) struct Findings<'a, T: Ground> {
    pub(super) graph: &'a JumpGraph<T>,
    pub(super) audit: &'a Audit<T::Place>,
    pub(super) goal: Option<T::Place>,
    pub(super) cuts: [Cuts<T::Place>; 2],
    pub(super) route: Option<Routed<T::Place>>,
    pub(super) speeds: Option<SpeedSteps<T::Place>>,
}

/// Builds the graph of a level and audits it.
///
/// # Errors
/// [`LevelError`].
pub fn audit(level: &LevelOptions, options: &AuditOptions) -> Result<AuditSummary, LevelError> {
    let has_storeys = level.storeys;
    let stops = options.route.as_deref().map(|path| route::read(path, has_storeys)).transpose()?;
    let begin = Instant::now();
    // A file that is no level leaves nothing behind, not even a folder.
    let open = |folder: &PathBuf| OutFolder::open(folder, Sharing::Alone);
    let folder = || options.out.as_ref().map(open).transpose();
    if has_storeys {
        let storeys = level.storeys()?;
        let (folder, graph) = (folder()?, &storeys.graph);
        let named =
            |which, named: Option<Named>| named.map(|named| place(graph, which, named)).transpose();
        let start = named("start", options.start)?;
        let start = start.or(storeys.start.filter(|&place| graph.can_stand(place)));
        let ends = [start, named("goal", options.goal)?.or(storeys.goal)];
        return audit_of(graph, ends, (level, options), stops, folder.as_ref(), begin);
    }
    let site = level.site()?;
    let folder = folder()?;
    let graph = level.graph_of(&site.heights)?;
    let named = |which, typed: Option<Named>, own: Option<[usize; 2]>| {
        let named = typed.or(own.map(|cell| (cell, None)));
        named.map(|named| place(&graph, which, named)).transpose()
    };
    let start = named("start", options.start, site.start)?;
    let ends = [start, named("goal", options.goal, site.goal)?];
    audit_of(&graph, ends, (level, options), stops, folder.as_ref(), begin)
}

fn audit_of<T: Ground>(
    graph: &JumpGraph<T>,
    [start, goal]: [Option<T::Place>; 2],
    (level, options): (&LevelOptions, &AuditOptions),
    stops: Option<Vec<(usize, Named)>>,
    folder: Option<&OutFolder>,
    begin: Instant,
) -> Result<AuditSummary, LevelError> {
    let audit = graph.audit(start)?;
    let (from, to) =
        rayon::join(|| graph.cuts(&audit, Ways::FromStart), || graph.cuts(&audit, Ways::ToStart));
    let cuts = [from?, to?];
    let route = options.route.as_deref().zip(stops);
    let route = route.map(|(path, stops)| route::through(graph, path, &stops, options.shortcuts));
    let route = route.transpose()?;
    let speeds = options.speeds.then(|| graph.speed_steps(audit.start())).transpose()?;
    let seconds = begin.elapsed().as_secs_f64();
    let findings = Findings { graph, audit: &audit, goal, cuts, route, speeds };
    let mut summary = findings.summary(level, seconds);
    summary.denied = options.deny.as_ref().map(|deny| {
        let counted = deny.iter().map(|&fault| Denied { fault, count: fault.count(&summary) });
        counted.filter(|denied| denied.count > 0).collect()
    });
    if let Some(folder) = folder {
        findings.write(folder, &summary)?;
    }
    Ok(summary)
}

/// Findings of a kind in the list, at most; beyond that it says how many there are.
const LISTED: usize = 1000;

/// A finding in the list.
#[derive(Serialize)]
struct Listed<T> {
    #[serde(flatten)]
    finding: T,
    /// How its move is flown, where it is a jump.
    #[serde(skip_serializing_if = "Option::is_none")]
    flight: Option<Flight>,
}

/// Cells here are `[column, row]`, as on the command line; places also have their height.
#[derive(Serialize)]
struct List {
    /// All findings of the first list, listed or not.
    findings: usize,
    worst_first: Vec<Listed<Finding<Seen>>>,
    /// All of the next list, listed or not; and so on.
    cuts: usize,
    cuts_worst_first: Vec<Listed<Cut<Seen>>>,
    cuts_back: usize,
    cuts_back_worst_first: Vec<Listed<Cut<Seen>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortcuts: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shortcuts_worst_first: Vec<Listed<Shortcut<Seen>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speeds: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    speeds_ascending: Vec<Listed<SpeedStep<Seen>>>,
}

impl<T: Ground> Findings<'_, T> {
    fn summary(&self, level: &LevelOptions, seconds: f64) -> AuditSummary {
        let Self { graph, audit, goal, cuts, route, speeds } = self;
        let terrain = graph.terrain();
        let seen = |place| terrain.seen(place);
        let marginal = |f: &&Finding<T::Place>| matches!(f, Finding::Marginal { .. });
        let worst = |cuts: &Cuts<T::Place>| cuts.worst_first().first().map_or(0, |cut| cut.lost);
        let goal = goal.map(|goal| {
            let every = cuts[0].on_every_way(terrain, goal);
            let (place, reached) = (seen(goal), every.is_some());
            GoalSummary {
                cell: place.cell(),
                z: place.z(),
                reached,
                on_every_way: every.unwrap_or_default().into_iter().map(seen).collect(),
                least_speed: speeds.as_ref().and_then(|speeds| speeds.least(terrain, goal)),
            }
        });
        let shortcuts = route.as_ref().map(|(_, shortcuts)| &shortcuts[..]);
        let [rows, columns] = terrain.shape();
        let cells = || (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x]));
        let most = || cells().map(|cell| terrain.stack(cell).count()).max().unwrap_or(0);
        AuditSummary {
            file: level.terrain.to_string_lossy().into_owned(),
            cells: rows * columns,
            places: T::HAS_STOREYS.then(|| seen::standing(graph).count()),
            storeys: T::HAS_STOREYS.then(most),
            groups: audit.groups(),
            edges: audit.counts(),
            components: audit.region_count(),
            traps: audit.traps(),
            unreachable: audit.unreached_cells(),
            one_way: audit.one_way(),
            marginal: audit.findings().iter().filter(marginal).count(),
            cuts: cuts[0].worst_first().len(),
            cuts_back: cuts[1].worst_first().len(),
            worst_cut: worst(&cuts[0]).max(worst(&cuts[1])),
            goal,
            shortcuts: shortcuts.map(<[Shortcut<T::Place>]>::len),
            worst_shortcut: shortcuts.map(|all| all.first().map_or(0, |worst| worst.skipped)),
            speeds: (speeds.as_ref())
                .map(|all| all.steps().iter().map(|step| step.map(seen)).collect()),
            denied: None,
            examples: gate::examples(terrain, audit, cuts, shortcuts.unwrap_or_default()),
            start: seen(audit.start()),
            seconds,
            state_hash: format!("{:016x}", audit.state_hash()),
        }
    }

    fn write(&self, folder: &OutFolder, summary: &AuditSummary) -> Result<(), LevelError> {
        let json = folder.join("findings.json");
        let list = serde_json::to_vec_pretty(&self.list());
        let list = list.map_err(|e| WriteError::new(&json, &e))?;
        #[cfg(not(feature = "record"))]
        let _ = summary;
        let files = [
            Whole::of(json, &list)?,
            #[cfg(feature = "record")]
            self.picture(folder.join("audit.png"))?,
            #[cfg(feature = "record")]
            {
                let outcome = Ok(summary);
                let level = Audited { file: &summary.file, folder: Some(""), outcome };
                Whole::of(folder.join("index.html"), page::page(&[level]).as_bytes())?
            },
        ];
        Ok(Whole::place(files.into())?)
    }

    #[cfg(feature = "record")]
    fn picture(&self, path: PathBuf) -> Result<Whole, WriteError> {
        let picture = picture::draw(self).and_then(|picture| picture.encode_png().ok());
        let picture =
            picture.ok_or_else(|| WriteError::new(&path, &"no memory for the picture"))?;
        Whole::of(path, &picture)
    }

    fn list(&self) -> List {
        let graph = self.graph;
        let seen = |place| graph.terrain().seen(place);
        let cuts = |which: usize| -> Vec<Listed<Cut<Seen>>> {
            let cuts = self.cuts[which].worst_first().iter().take(LISTED);
            let flight = |cut: &Cut<T::Place>| match cut.at {
                CutAt::Move(step) => graph.witness(&step),
                CutAt::Cell(_) => None,
            };
            cuts.map(|cut| Listed { finding: cut.map(seen), flight: flight(cut) }).collect()
        };
        let findings = self.audit.findings();
        let shortcuts = self.route.iter().flat_map(|(_, shortcuts)| shortcuts).take(LISTED);
        let speeds = self.speeds.iter().flat_map(SpeedSteps::steps).take(LISTED);
        List {
            findings: findings.len(),
            worst_first: findings
                .iter()
                .take(LISTED)
                .map(|finding| Listed { finding: finding.map(seen), flight: finding.flight(graph) })
                .collect(),
            cuts: self.cuts[0].worst_first().len(),
            cuts_worst_first: cuts(0),
            cuts_back: self.cuts[1].worst_first().len(),
            cuts_back_worst_first: cuts(1),
            shortcuts: self.route.as_ref().map(|(_, shortcuts)| shortcuts.len()),
            shortcuts_worst_first: shortcuts
                .map(|shortcut| {
                    let flight = shortcut.witness().and_then(|step| graph.witness(&step));
                    Listed { finding: shortcut.map(seen), flight }
                })
                .collect(),
            speeds: self.speeds.as_ref().map(|speeds| speeds.steps().len()),
            speeds_ascending: speeds
                .map(|speed| {
                    let flight = speed.witness.and_then(|step| graph.witness(&step));
                    Listed { finding: speed.map(seen), flight }
                })
                .collect(),
        }
    }
}
