//! Edits of a world's walls between questions for the way home: the field knows the same as one
//! that is built at once; ways lead where a plain flood comes, and are as long as stated. A walker
//! on them arrives.

use arbitrary::{Arbitrary, Unstructured};
use glam::DVec2;
use ndarray::{Array2, Ix2};
use std::collections::VecDeque;
use wave_core::{Medium, WorldField};
use wave_track::{PursuerState, WorldWalker};

/// `[units: cells]` The longest sides: the second makes a world of several levels.
const SIDES: [usize; 2] = [80, 1400];
/// `[units: calls]` The longest sequence.
const CALLS: usize = 32;
/// `[units: cells]` The allowed error of sums of legs.
const ROUNDED: f64 = 1e-9;

type Cell = [usize; 2];

#[derive(Debug, Arbitrary)]
struct Play {
    /// Rows, columns.
    size: (u8, u16),
    walls: Vec<Strip>,
    calls: Vec<Call>,
}

/// Cells from one on, along a row or a column.
#[derive(Debug, Arbitrary)]
struct Strip {
    from: u32,
    length: u8,
    is_column: bool,
}

#[derive(Debug, Arbitrary)]
enum Call {
    Wall(u32, bool),
    Strip(Strip, bool),
    Target(u32),
    Refresh,
    Ask(u32),
    /// So many steps from a place, or from where the last ones ended.
    Walk(Option<u32>, u8, u8),
    Look,
}

/// A world, its edits and questions.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    let rows = usize::from(play.size.0) % SIDES[0] + 1;
    let columns = usize::from(play.size.1) % SIDES[1] + 1;
    let mut walls = Array2::from_elem([rows, columns], false);
    for strip in &play.walls {
        cells(strip, [rows, columns]).for_each(|cell| walls[cell] = true);
    }
    let Ok(mut medium) = Medium::<Ix2>::from_walls(&walls) else { return };
    let mut world = WorldField::new(&medium).expect("it has one speed and no links");
    let mut walker = None;
    for call in play.calls.iter().take(CALLS).chain([&Call::Look]) {
        match *call {
            Call::Walk(from, steps, speed) => {
                if let Some(number) = from {
                    let [y, x] = cell(number, [rows, columns]).map(|i| i as f64);
                    walker = WorldWalker::new(&medium, [x, y], 0.1).ok();
                }
                if let Some(walker) = &mut walker {
                    walk(walker, &mut world, &medium, steps, f64::from(speed));
                }
            }
            Call::Wall(number, wall) => {
                let cell = cell(number, [rows, columns]);
                medium.set_wall(cell, wall).expect("the cell is in the grid");
                walls[cell] = wall;
            }
            Call::Strip(ref strip, wall) => {
                let edits: Vec<_> = cells(strip, [rows, columns]).map(|c| (c, wall)).collect();
                medium.set_walls(&edits).expect("the cells are in the grid");
                for (cell, wall) in edits {
                    walls[cell] = wall;
                }
            }
            Call::Target(number) => {
                let (target, before) = (cell(number, [rows, columns]), world.target());
                let is_set = world.set_target(&medium, target).is_ok();
                assert_eq!(is_set, !walls[target]);
                assert_eq!(world.target(), if is_set { Some(target) } else { before });
            }
            Call::Refresh => world.refresh(&medium).expect("it is its medium"),
            Call::Ask(number) => {
                let from = cell(number, [rows, columns]);
                let reached = flood(&walls, world.target());
                ask(&mut world, &medium, from, &reached);
            }
            Call::Look => look(&mut world, &medium, &walls),
        }
    }
}

fn cell(number: u32, [rows, columns]: Cell) -> Cell {
    let i = number as usize % (rows * columns);
    [i / columns, i % columns]
}

fn cells(strip: &Strip, shape: Cell) -> impl Iterator<Item = Cell> {
    let [y, x] = cell(strip.from, shape);
    let along = (0..usize::from(strip.length)).map(move |i| [y, x + i]);
    let down = (0..usize::from(strip.length)).map(move |i| [y + i, x]);
    let is_column = strip.is_column;
    let all = along.zip(down).map(move |(along, down)| if is_column { down } else { along });
    all.take_while(move |&[y, x]| y < shape[0] && x < shape[1])
}

/// Where a way leads to the target from, over sides of cells only.
fn flood(walls: &Array2<bool>, target: Option<Cell>) -> Array2<bool> {
    let mut reached = walls.map(|_| false);
    let mut next: VecDeque<Cell> = target.into_iter().filter(|&cell| !walls[cell]).collect();
    while let Some(cell @ [y, x]) = next.pop_front() {
        if std::mem::replace(&mut reached[cell], true) {
            continue;
        }
        // Below 0 it is also outside.
        let beside = [[y + 1, x], [y.wrapping_sub(1), x], [y, x + 1], [y, x.wrapping_sub(1)]];
        let open = |cell: &Cell| walls.get(*cell) == Some(&false);
        next.extend(beside.into_iter().filter(open));
    }
    reached
}

/// Steps of a length within a budget; then, unless a wall is where it stands, to the end.
fn walk(
    walker: &mut WorldWalker,
    world: &mut WorldField,
    medium: &Medium<Ix2>,
    steps: u8,
    cells: f64,
) {
    let mut step = |walker: &mut WorldWalker, cells: f64, mut budget: u64| {
        let before = (walker.position(), walker.walked());
        let (time, work) = (cells / walker.speed(), world.work() + budget);
        let state = walker.step_within(medium, world, time, &mut budget).expect("it is its medium");
        assert_eq!(budget, work.saturating_sub(world.work()), "it takes off what it asked");
        let gone = walker.walked() - before.1;
        assert!(gone <= cells + 1e-6 && before.0.distance(walker.position()) <= gone + 1e-6);
        let cell = medium.cell_at(walker.position()).expect("it is on the map");
        if state != PursuerState::NoTarget {
            assert_eq!(medium.is_wall(cell), state == PursuerState::Blocked, "{walker:?}");
        }
        state
    };
    for i in 0..steps {
        step(walker, cells / 16.0, u64::from(i % 3));
    }
    let mut end = walker.clone();
    let least = (0..400).find(|_| step(&mut end, 40.0, 1 << 40) != PursuerState::Chasing);
    assert!(least.is_some(), "{end:?} has not arrived");
}

fn ask(world: &mut WorldField, medium: &Medium<Ix2>, from: Cell, reached: &Array2<bool>) {
    let length = world.length(medium, from).expect("the cell is in the grid");
    let way = world.way(medium, from).expect("the cell is in the grid");
    let direction = world.direction(medium, from).expect("the cell is in the grid");
    let bounds = world.bounds(medium, from).expect("the cell is in the grid");
    assert_eq!(length.is_some(), reached[from], "{from:?}");
    let (Some(length), Some(direction), Some([least, most])) = (length, direction, bounds) else {
        assert!(length.is_none() && direction.is_none() && bounds.is_none() && way.is_empty());
        return;
    };
    let centre = |[y, x]: Cell| DVec2::new(x as f64, y as f64);
    let target = world.target().expect("it is reached");
    assert_eq!((way[0], way[way.len() - 1]), (centre(from), centre(target)));
    let walked: f64 = way.windows(2).map(|leg| leg[0].distance(leg[1])).sum();
    assert!(walked <= length + ROUNDED && most == length, "{walked} {length} {most}");
    assert!(least <= walked + ROUNDED && least >= 0.0, "{least} {walked}");
    assert_eq!(direction.length() > 0.5, from != target);
}

/// The field knows the same as one that is built now, also of the way to the target.
fn look(world: &mut WorldField, medium: &Medium<Ix2>, walls: &Array2<bool>) {
    world.refresh(medium).expect("it is its medium");
    let built = Medium::<Ix2>::from_walls(walls).expect("it was built before");
    let mut fresh = WorldField::new(&built).expect("it has one speed and no links");
    assert!(*world == fresh, "it is not the world that is built at once");
    let Some(target) = world.target().filter(|&target| !walls[target]) else { return };
    fresh.set_target(&built, target).expect("it is open");
    let reached = flood(walls, Some(target));
    let (rows, columns) = walls.dim();
    for i in 0..8 {
        let from = [i * (rows - 1) / 7, i * (columns - 1) / 7];
        ask(world, medium, from, &reached);
        let lengths = [world.length(medium, from), fresh.length(&built, from)];
        let [here, there] = lengths.map(|length| length.expect("the cell is in the grid"));
        assert_eq!(here, there, "{from:?}");
    }
}
