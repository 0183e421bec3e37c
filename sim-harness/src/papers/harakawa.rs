//! `reproduce harakawa`: six 20 x 20 terrains of five heights, in our own drawing, with the
//! relation that each has in the source (harakawa-2003).
//!
//! The source shows its terrains as pictures. Ours were drawn before anything was counted, and so
//! was the launch speed chosen: jumps get up one height, not two.
//!
//! A *step* is an edge that the breadth-first search examines. 400 cells cannot be taken 7505
//! times, and the 1433 steps of the source's search without a way are the 1424 walks of half the
//! map and 9 more. Over groups our search ends when the goal is met: across the ditch the source
//! counts one step, and two edges leave the group on this side. Over cells it ends when the goal is
//! taken: only then are the steps across a ditch the same there and back, as the source has them.
//! The details also say how many there are until the goal is met.
//!
//! `published` is the source's figure. On the published graph a row holds where
//!
//! * a path exists as published, by groups and by cells;
//! * the steps without groups are within a factor of 1.6 of the source's: so much the drawings and
//!   the unknown launch speed may make;
//! * the steps with groups are at most the source's and the number of groups, since the order in
//!   which edges are met is not known.
//!
//! Our own graph has jumps between all pairs of cells that no step joins. The searches
//! examine two to eighteen times as many there as the source's did, so those rows only show the
//! contrast.
//! On random heights, where grouping gave the source little, a hundred questions through an index
//! of our own graph, its building counted, must take at most a tenth of the steps that they take
//! through groups.

use super::pictures::{Picture, Sheet};
use super::{By, Figure, Of, ReproduceError, Row};
use crate::level::picture::{MARGIN, draw_way};
use jump_planner::{
    Character, CharacterError, JumpGraph, JumpRule, MoveKind, Preference, SearchOver, Terrain,
};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SIDE: usize = 20;
/// `[units: pixels]` The side of a picture's panel: cells of 22 pixels and a margin.
const PANEL: usize = 22 * SIDE + 2 * MARGIN;
/// How far the steps without groups may be from the source's.
const FACTOR: f64 = 1.6;
/// The questions to the index.
const QUESTIONS: usize = 100;

struct Scene {
    name: &'static str,
    heights: Array2<f64>,
    /// `[row, column]`
    ends: [[usize; 2]; 2],
    /// Steps without and with groups, there and back.
    steps: [[f64; 2]; 2],
    exists: [bool; 2],
}

/// The six terrains.
fn scenes() -> Vec<Scene> {
    let drawn =
        |f: &dyn Fn(usize, usize) -> f64| Array2::from_shape_fn((SIDE, SIDE), |(y, x)| f(y, x));
    let pillars = |y: usize, x: usize| match (y, x) {
        (_, 15..) => 4.0,
        // The first row of pillars was meant to be looked at, the stair at the lower edge to be
        // used.
        (6, 3) | (19, 11) => 1.0,
        (6, 6) | (13, 4) | (15, 9) | (3 | 19, 12) | (17, 5) | (10, 11) => 2.0,
        (6, 9 | 12) | (19, 13 | 14) => 3.0,
        _ => 0.0,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(2003);
    let random = Array2::from_shape_simple_fn((SIDE, SIDE), || f64::from(rng.random_range(0..5)));
    let scene = |name, heights, ends, steps, exists| Scene { name, heights, ends, steps, exists };
    let (left, right) = ([10, 1], [10, 18]);
    vec![
        scene(
            "stairs",
            drawn(&|_, x| (x / 4) as f64),
            [left, right],
            [[4230.0, 6.0], [4304.0, 6.0]],
            [true, true],
        ),
        scene(
            "ditch",
            drawn(&|_, x| if x == 9 || x == 10 { 0.0 } else { 3.0 }),
            [left, right],
            [[3861.0, 1.0], [3861.0, 1.0]],
            [true, true],
        ),
        scene(
            "along a step",
            drawn(&|y, _| if y < 10 { 1.0 } else { 0.0 }),
            [[10, 0], [9, 19]],
            [[1305.0, 1.0], [1409.0, 1.0]],
            [true, true],
        ),
        scene(
            "one way",
            drawn(&|_, x| if x < 10 { 4.0 } else { f64::from(x == 15) }),
            [left, right],
            [[2954.0, 1.0], [1433.0, 2.0]],
            [true, false],
        ),
        scene(
            "random heights",
            random,
            [[1, 1], [18, 18]],
            [[7505.0, 3362.0], [7420.0, 3320.0]],
            [true, true],
        ),
        scene(
            "scattered pillars",
            drawn(&pillars),
            [[6, 0], [6, 18]],
            [[2786.0, 37.0], [2858.0, 37.0]],
            [true, true],
        ),
    ]
}

/// Jumps 1.8 high and 3.7 far: up one height, not two, and over two cells.
fn character() -> Result<Character, CharacterError> {
    Character::builder(6.0).gravity(9.81).build()
}

/// The six terrains, each with the ways there and back.
pub(super) fn pictures() -> Result<Vec<Picture>, ReproduceError> {
    let mut pictures = Vec::new();
    for scene in scenes() {
        let terrain = Terrain::builder(&scene.heights).build()?;
        let graph = JumpGraph::with_rule(terrain, character()?, JumpRule::Published)?;
        let mut sheet = Sheet::new([2, 1], [PANEL; 2], 1)?;
        let [there, back] = scene.ends;
        for (panel, (from, to)) in [(there, back), (back, there)].into_iter().enumerate() {
            let stages = graph.two_stages(from, to)?;
            let way = stages.way().unwrap_or_default();
            let drawn = draw_way(&graph, [from, to], way, [PANEL; 2]);
            sheet.paste(panel, &drawn.ok_or(ReproduceError::NoMemory)?);
        }
        let none = if scene.exists[1] { "" } else { " There is no way back." };
        let says = format!(
            "{}: the way there and the way back on the published graph, from the black disc to the red \
             one; white walks, brown falls, green jumps; the higher, the lighter.{none}",
            scene.name
        );
        pictures.push(sheet.finish(&scene.name.replace(' ', "-"), says)?);
    }
    Ok(pictures)
}

/// The rows of the experiment.
pub(super) fn rows() -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    for (by, rule) in [(By::Published, JumpRule::Published), (By::Ours, JumpRule::default())] {
        for scene in scenes() {
            let terrain = Terrain::builder(&scene.heights).build()?;
            let graph = JumpGraph::with_rule(terrain, character()?, rule)?;
            scene.rows(&graph, by, &mut rows)?;
            if scene.name == "random heights" && by == By::Ours {
                rows.push(index_row(&graph)?);
            }
            if scene.name == "along a step" {
                hopping_rows(&graph, &scene, by, &mut rows)?;
            }
        }
    }
    Ok(rows)
}

impl Scene {
    fn rows(&self, graph: &JumpGraph, by: By, rows: &mut Vec<Row>) -> Result<(), ReproduceError> {
        let groups = graph.group_count();
        let is_published = by == By::Published;
        for (way, name) in ["there", "back"].into_iter().enumerate() {
            let (from, to) = (self.ends[way], self.ends[1 - way]);
            let plain = graph.exists(from, to, SearchOver::Cells)?;
            let stages = graph.two_stages(from, to)?;
            // Without a way there is no goal to be taken.
            let until_taken = stages.by_cells.as_ref().map_or(plain.steps, |c| c.steps_until_taken);
            let case = |what: &str| {
                let graph = if is_published { "" } else { ", our own graph" };
                format!("{} {name}: {what}{graph}", self.name)
            };
            let exists = self.exists[way];
            let found = stages.way().is_some();
            rows.push(Row {
                of: Of::Source,
                case: case("a path exists"),
                by,
                published: Some(Figure::Truth(exists)),
                measured: Figure::Truth(found),
                holds: Some(found == exists && plain.exists == exists),
                detail: match &stages.by_cells {
                    Some(_) => format!("{groups} groups; then by cells"),
                    None => format!("{groups} groups; no cell was searched"),
                },
            });
            let [without, with] = self.steps[way];
            let ratio = until_taken as f64 / without;
            rows.push(Row {
                of: Of::Source,
                case: case("steps without groups"),
                by,
                published: Some(Figure::Number(without)),
                measured: Figure::Number(until_taken as f64),
                holds: is_published.then_some((1.0 / FACTOR..=FACTOR).contains(&ratio)),
                detail: format!("{ratio:.2} times as many; {} until it is met", plain.steps),
            });
            let limit = with + groups as f64;
            rows.push(Row {
                of: Of::Source,
                case: case("steps with groups"),
                by,
                published: Some(Figure::Number(with)),
                measured: Figure::Number(stages.group_steps as f64),
                holds: is_published.then_some(stages.group_steps as f64 <= limit),
                detail: format!("at most {limit}"),
            });
        }
        Ok(())
    }
}

/// A hundred questions on random heights. The edges are found once and counted as often as the
/// searches over [`SearchOver::Cells`] and [`SearchOver::Groups`] examine them.
fn index_row(graph: &JumpGraph) -> Result<Row, ReproduceError> {
    let index = graph.reach_index();
    let number = |[y, x]: [usize; 2]| y * SIDE + x;
    let (mut by_cell, mut by_group) =
        (vec![Vec::new(); SIDE * SIDE], vec![Vec::new(); SIDE * SIDE]);
    // A group is named by the first of its cells here.
    let mut first = std::collections::HashMap::new();
    let mut name = vec![0; SIDE * SIDE];
    for cell in (0..SIDE * SIDE).map(|i| [i / SIDE, i % SIDE]) {
        name[number(cell)] = *first.entry(graph.group(cell)).or_insert(number(cell));
    }
    for cell in (0..SIDE * SIDE).map(|i| [i / SIDE, i % SIDE]) {
        let group = name[number(cell)];
        graph.for_each_move(cell, |step| {
            by_cell[number(cell)].push(number(step.to));
            let other = name[number(step.to)];
            let known: &mut Vec<usize> = &mut by_group[group];
            if other != group && !known.contains(&other) {
                known.push(other);
            }
        });
    }
    let (mut plain, mut grouped, mut indexed) = (0, 0, index.building_steps());
    let mut rng = ChaCha8Rng::seed_from_u64(2004);
    for _ in 0..QUESTIONS {
        let mut cell = || [rng.random_range(0..SIDE), rng.random_range(0..SIDE)];
        let (from, to) = (cell(), cell());
        plain += steps(&by_cell, number(from), number(to));
        grouped += steps(&by_group, name[number(from)], name[number(to)]);
        indexed += graph.exists(from, to, SearchOver::Index(&index))?.steps;
    }
    Ok(Row {
        of: Of::Source,
        case: format!(
            "random heights: steps of {QUESTIONS} questions by index / by groups, our own graph"
        ),
        by: By::Ours,
        published: None,
        measured: Figure::Number(indexed as f64 / grouped as f64),
        holds: Some(indexed * 10 <= grouped),
        detail: format!(
            "index {indexed}, {} of them to build it; groups {grouped}, cells {plain}",
            index.building_steps()
        ),
    })
}

/// Edges that a breadth-first search examines until it meets its goal.
fn steps(edges: &[Vec<usize>], from: usize, to: usize) -> usize {
    let (mut seen, mut queue, mut next, mut steps) = (vec![false; edges.len()], vec![from], 0, 0);
    seen[from] = true;
    while let (Some(&node), false) = (queue.get(next), seen[to]) {
        next += 1;
        for &other in &edges[node] {
            steps += 1;
            if !std::mem::replace(&mut seen[other], true) {
                queue.push(other);
            }
            if other == to {
                break;
            }
        }
    }
    steps
}

/// Jumps on the best path from one end of a step to the other, both on the lower ground. On the
/// published graph the path of the fewest vertices hops, as the source saw; on ours the other
/// preferences walk.
fn hopping_rows(
    graph: &JumpGraph,
    scene: &Scene,
    by: By,
    rows: &mut Vec<Row>,
) -> Result<(), ReproduceError> {
    let from = scene.ends[0];
    let preferences: &[_] = match by {
        By::Published => &[("fewest vertices", Preference::FewestVertices)],
        _ => &[
            ("fewest jumps", Preference::FewestJumps),
            ("shortest", Preference::Shortest),
            ("least time", Preference::LeastTime),
            ("big jumps", Preference::BigJumps { at_least: 0.5 * graph.character().jump_length() }),
        ],
    };
    for &(name, preference) in preferences {
        let plan = graph.plan(from, [from[0], SIDE - 1], preference)?;
        let moves = plan.map_or_else(Vec::new, |plan| plan.moves);
        let jumps = moves.iter().filter(|m| m.kind == MoveKind::Jump).count();
        rows.push(Row {
            of: Of::Source,
            case: format!("along a step: jumps that walking would spare, {name}"),
            by,
            published: None,
            measured: Figure::Number(jumps as f64),
            holds: Some((jumps == 0) == (by != By::Published)),
            detail: format!("{} moves", moves.len()),
        });
    }
    Ok(())
}
