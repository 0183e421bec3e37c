//! Pictures of levels. Of a way: relief and moves. Of an audit: relief, start and goal, ground that
//! the start does not reach, traps, one-way passages, cuts, the intended route and its shortcuts.
//!
//! Where there are storeys, a picture has a plan for each: the first floor of every column from
//! below that one can stand on, then the second, and so on. A move is drawn in the plans of both
//! its ends.

use super::audit::Findings;
use super::seen::Ground;
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

/// Plans, at most; higher floors are drawn in the last one, the highest over the others.
const PLANS: usize = 9;

const LOW: Rgb = [92.0, 116.0, 108.0];
const HIGH: Rgb = [250.0, 246.0, 232.0];
const TRAP: Rgb = [202.0, 62.0, 71.0];
const FALL: Rgb = [110.0, 60.0, 20.0];
const JUMP: Rgb = [20.0, 110.0, 60.0];
const CUT: Rgb = [240.0, 150.0, 20.0];
const ROUTE: Rgb = [250.0, 250.0, 255.0];
const SHORTCUT: Rgb = [200.0, 30.0, 170.0];
const GOAL: Rgb = [190.0, 30.0, 40.0];

/// Where a column has no floor so high.
const NONE: Rgb = [222.0, 222.0, 218.0];

/// The look of a sign of the picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Area,
    Arrow,
    Ring,
    Disc,
}

/// The signs of a picture and their meanings.
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

/// Stands in plans of higher floors only.
pub(super) const NO_FLOOR: (Sign, Rgb, &str) = (Sign::Area, NONE, "no floor so high");

/// Draws an audit, as [`LEGEND`] says: the worst one-way passages, cuts and shortcuts only. `None`
/// if there is no memory for it.
pub(super) fn draw<T: Ground>(findings: &Findings<'_, T>) -> Option<Pixmap> {
    let Findings { graph, audit, .. } = *findings;
    let mut sheet = Sheet::new(graph, &ground(graph, audit), AIM)?;
    let passages = audit.findings().iter().filter_map(|finding| match finding {
        Finding::OneWay { passage, .. } => Some(passage),
        _ => None,
    });
    for passage in passages.take(ARROWS) {
        let colour = if passage.kind == MoveKind::Jump { JUMP } else { FALL };
        sheet.arrow([passage.from, passage.to], 1.0, colour);
    }
    for cuts in &findings.cuts {
        for cut in cuts.worst_first().iter().take(MARKS) {
            match cut.at {
                CutAt::Cell(cell) => sheet.ring(cell, CUT),
                CutAt::Move(step) => sheet.arrow([step.from, step.to], 1.0, CUT),
            }
        }
    }
    if let Some((route, shortcuts)) = &findings.route {
        for leg in route.windows(2) {
            sheet.arrow([leg[0], leg[1]], 0.7, ROUTE);
        }
        for step in shortcuts.iter().take(MARKS).flat_map(|shortcut| &shortcut.way) {
            sheet.arrow([step.from, step.to], 1.3, SHORTCUT);
        }
    }
    let places = [(Some(audit.start()), START), (findings.goal, GOAL)];
    for (place, colour) in places.into_iter().filter_map(|(place, colour)| Some((place?, colour))) {
        sheet.disc(place, colour);
    }
    Some(sheet.pixmap)
}

/// Draws a way over a level: walks are white, falls brown, jumps green, the start and the goal
/// discs as [`LEGEND`] says. `aim`, in pixels, is how wide and high the picture may be. `None` if
/// there is no memory for it.
pub(crate) fn draw_way<T: Ground>(
    graph: &JumpGraph<T>,
    [from, to]: [T::Place; 2],
    way: &[Move<T::Place>],
    aim: [usize; 2],
) -> Option<Pixmap> {
    let plans = relief(graph);
    let colours: Vec<Vec<Rgb>> =
        plans.iter().map(|plan| plan.iter().map(|shown| shown.colour).collect()).collect();
    let mut sheet = Sheet::new(graph, &colours, aim)?;
    for step in way {
        let colour = match step.kind {
            MoveKind::Walk => ROUTE,
            MoveKind::Fall => FALL,
            MoveKind::Jump => JUMP,
        };
        sheet.arrow([step.from, step.to], 1.0, colour);
    }
    for (place, colour) in [(from, START), (to, GOAL)] {
        sheet.disc(place, colour);
    }
    Some(sheet.pixmap)
}

/// A picture of a level's plans, side by side.
struct Sheet<'a, T> {
    graph: &'a JumpGraph<T>,
    pixmap: Pixmap,
    /// `[units: pixels]` The side of a cell.
    scale: f32,
    plans: usize,
    /// Plans beside each other.
    across: usize,
}

impl<'a, T: Ground> Sheet<'a, T> {
    /// A picture of plans whose cells have these colours, row by row.
    fn new(graph: &'a JumpGraph<T>, plans: &[Vec<Rgb>], aim: [usize; 2]) -> Option<Self> {
        let [rows, columns] = graph.terrain().shape();
        // Each margin but the outer ones stands between two plans.
        let scale = |across: usize| {
            let of = |aim: usize, n: usize, cells: usize| {
                aim.saturating_sub((n - 1) * MARGIN) / (n * cells)
            };
            of(aim[0], across, columns).min(of(aim[1], plans.len().div_ceil(across), rows))
        };
        let across = (1..=plans.len()).max_by_key(|&across| (scale(across), across)).unwrap_or(1);
        let scale = scale(across).clamp(1, LARGEST);
        let down = plans.len().div_ceil(across);
        let side =
            |n: usize, cells: usize| u32::try_from(n * (cells * scale + MARGIN) + MARGIN).ok();
        let mut pixmap = Pixmap::new(side(across, columns)?, side(down, rows)?)?;
        ink::fill(&mut pixmap, PAPER);
        let mut sheet = Self { graph, pixmap, scale: scale as f32, plans: plans.len(), across };
        for (plan, colours) in plans.iter().enumerate() {
            let [left, upper] = sheet.corner(plan);
            for (i, &colour) in colours.iter().enumerate() {
                let corner = [left + i % columns * scale, upper + i / columns * scale];
                ink::block(&mut sheet.pixmap, corner, scale, colour);
            }
        }
        Some(sheet)
    }

    /// `[units: pixels]` Where a plan begins.
    fn corner(&self, plan: usize) -> [usize; 2] {
        let [rows, columns] = self.graph.terrain().shape();
        let along = |at: usize, cells: usize| MARGIN + at * (cells * self.scale as usize + MARGIN);
        [along(plan % self.across, columns), along(plan / self.across, rows)]
    }

    /// The plan in which a place is shown.
    fn plan(&self, place: T::Place) -> usize {
        let terrain = self.graph.terrain();
        let below = terrain.stack(terrain.cell_of(place)).take_while(|&other| other != place);
        below.filter(|&other| self.graph.can_stand(other)).count().min(self.plans - 1)
    }

    /// The middle of a place's cell in a plan.
    fn middle(&self, place: T::Place, plan: usize) -> (f32, f32) {
        let ([y, x], [left, upper]) = (self.graph.terrain().cell_of(place), self.corner(plan));
        let on_paper =
            |corner: usize, cell: usize| corner as f32 + (cell as f32 + 0.5) * self.scale;
        (on_paper(left, x), on_paper(upper, y))
    }

    fn arrow(&mut self, [from, to]: [T::Place; 2], thick: f32, colour: Rgb) {
        let plans = [self.plan(from), self.plan(to)];
        for &plan in plans.iter().take(if plans[0] == plans[1] { 1 } else { 2 }) {
            let (a, b) = (self.middle(from, plan), self.middle(to, plan));
            arrow(&mut self.pixmap, a, b, self.scale * thick, colour);
        }
    }

    fn disc(&mut self, place: T::Place, colour: Rgb) {
        let at = self.middle(place, self.plan(place));
        disc(&mut self.pixmap, at, self.scale, colour);
    }

    fn ring(&mut self, place: T::Place, colour: Rgb) {
        let at = self.middle(place, self.plan(place));
        ring(&mut self.pixmap, at, self.scale, colour);
    }
}

/// A start or a goal: no larger than the margin allows.
fn disc(pixmap: &mut Pixmap, (x, y): (f32, f32), scale: f32, colour: Rgb) {
    let radius = (scale * 0.45).clamp(6.0, MARGIN as f32 - 2.0);
    for (radius, colour) in [(radius, colour), (radius * 0.7, PAPER), (radius * 0.4, colour)] {
        ink::disc(pixmap, (x, y), radius, colour);
    }
}

fn ring(pixmap: &mut Pixmap, at: (f32, f32), scale: f32, colour: Rgb) {
    ink::ring(pixmap, at, (scale * 0.55).max(4.0), (scale * 0.2).max(1.5), colour);
}

/// A cell of a plan.
#[derive(Clone, Copy)]
struct Shown<P> {
    /// The place there, if one can stand on it.
    place: Option<P>,
    colour: Rgb,
}

/// The colour of every cell of every plan.
fn ground<T: Ground>(graph: &JumpGraph<T>, audit: &Audit<T::Place>) -> Vec<Vec<Rgb>> {
    let level = graph.terrain();
    let mut trapped = vec![false; audit.region_count()];
    for finding in audit.findings() {
        if let Finding::Trap { cell, .. } = finding
            && let Some(region) = audit.region(level, *cell)
        {
            trapped[region] = true;
        }
    }
    let shade = |Shown { place, colour }: Shown<T::Place>| {
        let Some(place) = place else { return colour };
        match audit.region(level, place).filter(|_| audit.is_reached(level, place)) {
            Some(region) if trapped[region] => mix(colour, TRAP, 0.75),
            Some(_) => colour,
            None => mix(colour, UNREACHED, 0.75),
        }
    };
    relief(graph).into_iter().map(|plan| plan.into_iter().map(shade).collect()).collect()
}

/// The relief of every cell of every plan, lit from the upper left.
fn relief<T: Ground>(graph: &JumpGraph<T>) -> Vec<Vec<Shown<T::Place>>> {
    let level = graph.terrain();
    let [rows, columns] = level.shape();
    let cells = || (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x]));
    // The places to stand on: by plan, then row by row.
    let mut plans: Vec<Vec<Option<T::Place>>> = vec![vec![None; rows * columns]];
    for (i, cell) in cells().enumerate() {
        let standing = level.stack(cell).filter(|&place| graph.can_stand(place));
        for (plan, place) in standing.enumerate() {
            let plan = plan.min(PLANS - 1);
            if plan == plans.len() {
                plans.push(vec![None; rows * columns]);
            }
            plans[plan][i] = Some(place);
        }
    }
    let known = || cells().flat_map(|cell| level.stack(cell)).filter_map(|at| level.floor_of(at));
    let (low, high) = known().fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(z), h.max(z)));
    let span = (high - low).max(1e-9);
    let shade = |plan: usize, cell: Cell| {
        let at = |cell: Cell| {
            let inside = cell[0] < rows && cell[1] < columns;
            inside.then(|| plans[plan][cell[0] * columns + cell[1]]).flatten()
        };
        let place = at(cell);
        let Some(z) = place.and_then(|place| level.floor_of(place)) else {
            return Shown { place: None, colour: if plan == 0 { VOID } else { NONE } };
        };
        let beside = |dy: usize, dx: usize| {
            let cell = [cell[0].wrapping_sub(dy), cell[1].wrapping_sub(dx)];
            // On a height map, cells that cannot be stood on also throw light.
            let other = if T::HAS_STOREYS || cell[0] >= rows || cell[1] >= columns {
                at(cell)
            } else {
                level.stack(cell).next()
            };
            other.and_then(|other| level.floor_of(other)).unwrap_or(z)
        };
        let slope = ((z - beside(1, 0)) + (z - beside(0, 1))) / level.cell_size();
        let light = 1.0 + (slope as f32 * 0.25).clamp(-0.3, 0.15);
        let colour = mix(LOW, HIGH, ((z - low) / span) as f32).map(|v| v * light);
        Shown { place, colour }
    };
    (0..plans.len()).map(|plan| cells().map(|cell| shade(plan, cell)).collect()).collect()
}
