//! Pictures of levels. Of a way: relief and moves. Of an audit: relief, start and goal, what the
//! start does not reach, traps, one-way passages, cuts, the intended route and its shortcuts.

use super::audit::Findings;
use crate::ink::{
    self, PAPER, Rgb, TARGET as START, TROUGH as UNREACHED, WALL as VOID, arrow, mix,
};
use jump_planner::{Audit, Cell, CutAt, Finding, JumpGraph, Move, MoveKind};
use tiny_skia::Pixmap;

/// `[units: pixels]` The width and height that a picture aims at.
pub(crate) const AIM: [usize; 2] = [1100, 900];
/// `[units: pixels]` The largest side of a cell.
const LARGEST: usize = 48;
/// `[units: pixels]` Around the level, so that marks at its edge are whole.
pub(crate) const MARGIN: usize = 16;
/// Passages that are drawn, the worst first: more would hide the map.
const ARROWS: usize = 150;
/// Cuts of each kind and shortcuts that are drawn, the worst first.
const MARKS: usize = 40;

const LOW: Rgb = [92.0, 116.0, 108.0];
const HIGH: Rgb = [250.0, 246.0, 232.0];
const TRAP: Rgb = [202.0, 62.0, 71.0];
const FALL: Rgb = [110.0, 60.0, 20.0];
const JUMP: Rgb = [20.0, 110.0, 60.0];
const CUT: Rgb = [240.0, 150.0, 20.0];
const ROUTE: Rgb = [250.0, 250.0, 255.0];
const SHORTCUT: Rgb = [200.0, 30.0, 170.0];
const GOAL: Rgb = [190.0, 30.0, 40.0];

/// What a sign of the picture looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Area,
    Arrow,
    Ring,
    Disc,
}

/// The signs of a picture and what they mean.
pub(super) const LEGEND: [(Sign, Rgb, &str); 12] = [
    (Sign::Disc, START, "start"),
    (Sign::Disc, GOAL, "goal"),
    (Sign::Area, LOW, "ground, low"),
    (Sign::Area, HIGH, "ground, high"),
    (Sign::Area, VOID, "nobody can stand here"),
    (Sign::Area, UNREACHED, "never reached from the start"),
    (Sign::Area, TRAP, "a trap: entered and never left"),
    (Sign::Arrow, FALL, "one-way, by a fall"),
    (Sign::Arrow, JUMP, "one-way, by a jump"),
    (Sign::Ring, CUT, "a cut: a cell or move whose loss cuts ground off"),
    (Sign::Arrow, ROUTE, "the intended route"),
    (Sign::Arrow, SHORTCUT, "a shortcut of it"),
];

/// Draws an audit, as [`LEGEND`] says: the worst one-way passages, cuts and shortcuts only. `None`
/// if there is no memory for it.
pub(super) fn draw(findings: &Findings<'_>) -> Option<Pixmap> {
    let Findings { graph, audit, .. } = *findings;
    let (mut pixmap, scale) = canvas(graph, &ground(graph, audit), AIM)?;
    let middle = |cell| middle(cell, scale);
    let passages = audit.findings().iter().filter_map(|finding| match finding {
        Finding::OneWay { passage, .. } => Some(passage),
        _ => None,
    });
    for passage in passages.take(ARROWS) {
        let colour = if passage.kind == MoveKind::Jump { JUMP } else { FALL };
        arrow(&mut pixmap, middle(passage.from), middle(passage.to), scale, colour);
    }
    for cuts in &findings.cuts {
        for cut in cuts.worst_first().iter().take(MARKS) {
            match cut.at {
                CutAt::Cell(cell) => ring(&mut pixmap, middle(cell), scale, CUT),
                CutAt::Move(step) => {
                    arrow(&mut pixmap, middle(step.from), middle(step.to), scale, CUT);
                }
            }
        }
    }
    if let Some((route, shortcuts)) = &findings.route {
        for leg in route.windows(2) {
            arrow(&mut pixmap, middle(leg[0]), middle(leg[1]), scale * 0.7, ROUTE);
        }
        for step in shortcuts.iter().take(MARKS).flat_map(|shortcut| &shortcut.way) {
            arrow(&mut pixmap, middle(step.from), middle(step.to), scale * 1.3, SHORTCUT);
        }
    }
    let places = [(Some(audit.start()), START), (findings.goal, GOAL)];
    for (cell, colour) in places.into_iter().filter_map(|(cell, colour)| Some((cell?, colour))) {
        disc(&mut pixmap, middle(cell), scale, colour);
    }
    Some(pixmap)
}

/// Draws a way over a level: walks are white, falls brown, jumps green, the start and the goal
/// discs as [`LEGEND`] says. `aim`, in pixels, is how wide and high the picture may be. `None` if
/// there is no memory for it.
pub(crate) fn draw_way(
    graph: &JumpGraph,
    [from, to]: [Cell; 2],
    way: &[Move],
    aim: [usize; 2],
) -> Option<Pixmap> {
    let colours: Vec<Rgb> = relief(graph).into_iter().map(|c| c.unwrap_or(VOID)).collect();
    let (mut pixmap, scale) = canvas(graph, &colours, aim)?;
    for step in way {
        let colour = match step.kind {
            MoveKind::Walk => ROUTE,
            MoveKind::Fall => FALL,
            MoveKind::Jump => JUMP,
        };
        arrow(&mut pixmap, middle(step.from, scale), middle(step.to, scale), scale, colour);
    }
    for (cell, colour) in [(from, START), (to, GOAL)] {
        disc(&mut pixmap, middle(cell, scale), scale, colour);
    }
    Some(pixmap)
}

/// A picture of cells in these colours, and the side of a cell in pixels.
fn canvas(graph: &JumpGraph, colours: &[Rgb], aim: [usize; 2]) -> Option<(Pixmap, f32)> {
    let [rows, columns] = graph.terrain().shape();
    let scale = (aim[0] / columns).min(aim[1] / rows).clamp(1, LARGEST);
    let side = |n: usize| u32::try_from(n * scale + 2 * MARGIN).ok();
    let mut pixmap = Pixmap::new(side(columns)?, side(rows)?)?;
    ink::fill(&mut pixmap, PAPER);
    for (i, &colour) in colours.iter().enumerate() {
        let corner = [i % columns, i / columns].map(|cell| cell * scale + MARGIN);
        ink::block(&mut pixmap, corner, scale, colour);
    }
    Some((pixmap, scale as f32))
}

/// The middle of a cell in the picture.
fn middle([y, x]: Cell, scale: f32) -> (f32, f32) {
    let on_paper = |cell: usize| (cell as f32 + 0.5) * scale + MARGIN as f32;
    (on_paper(x), on_paper(y))
}

/// A start or a goal: no larger than what the margin leaves room for.
fn disc(pixmap: &mut Pixmap, (x, y): (f32, f32), scale: f32, colour: Rgb) {
    let radius = (scale * 0.45).clamp(6.0, MARGIN as f32 - 2.0);
    for (radius, colour) in [(radius, colour), (radius * 0.7, PAPER), (radius * 0.4, colour)] {
        ink::disc(pixmap, (x, y), radius, colour);
    }
}

fn ring(pixmap: &mut Pixmap, at: (f32, f32), scale: f32, colour: Rgb) {
    ink::ring(pixmap, at, (scale * 0.55).max(4.0), (scale * 0.2).max(1.5), colour);
}

/// The colour of every cell.
fn ground(graph: &JumpGraph, audit: &Audit) -> Vec<Rgb> {
    let columns = graph.terrain().shape()[1];
    let mut trapped = vec![false; audit.region_count()];
    for finding in audit.findings() {
        if let Finding::Trap { cell, .. } = finding
            && let Some(region) = audit.region(*cell)
        {
            trapped[region] = true;
        }
    }
    let shade = |(i, relief): (usize, Option<Rgb>)| {
        let cell = [i / columns, i % columns];
        let Some(relief) = relief else { return VOID };
        match audit.region(cell) {
            _ if !audit.is_reached(cell) => mix(relief, UNREACHED, 0.75),
            Some(region) if trapped[region] => mix(relief, TRAP, 0.75),
            _ => relief,
        }
    };
    relief(graph).into_iter().enumerate().map(shade).collect()
}

/// The relief of every cell, lit from the upper left; `None` where nobody can stand.
fn relief(graph: &JumpGraph) -> Vec<Option<Rgb>> {
    let terrain = graph.terrain();
    let [rows, columns] = terrain.shape();
    let cells = || (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x]));
    let known = || cells().filter_map(|cell| terrain.height(cell));
    let (low, high) = known().fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(z), h.max(z)));
    let span = (high - low).max(1e-9);
    let shade = |cell: Cell| {
        let z = terrain.height(cell).filter(|_| graph.can_stand(cell))?;
        let beside = |dy: usize, dx: usize| {
            let cell = [cell[0].wrapping_sub(dy), cell[1].wrapping_sub(dx)];
            terrain.height(cell).unwrap_or(z)
        };
        let slope = ((z - beside(1, 0)) + (z - beside(0, 1))) / terrain.cell_size();
        let light = 1.0 + (slope as f32 * 0.25).clamp(-0.3, 0.15);
        Some(mix(LOW, HIGH, ((z - low) / span) as f32).map(|v| v * light))
    };
    cells().map(shade).collect()
}
