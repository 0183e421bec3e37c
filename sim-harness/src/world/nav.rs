//! Navigation graphs of 2D maps, and how members move along their edges.
//!
//! A node is a cell, `y * width + x`. An edge is as long as its owner walks in the time that the
//! move takes, so that lengths and times are the same thing. On a map with heights the edges are
//! the walks, falls and jumps of [`jump_planner`]; on a flat one, steps to eight neighbours.

use super::error::Refusal;
use super::footing::Footing;
use super::stage::Stage;
use crate::scenario::{Legs, NoGo, Scenario};
use crate::world;
use jump_planner::{Character, Flight, JumpGraph, Move, MoveGraph, MoveKind, Terrain};
use ndarray::{Array2, Axis, Ix2};
use petgraph::visit::{EdgeFiltered, EdgeRef};
use std::f64::consts::SQRT_2;
use std::sync::{Arc, Mutex, PoisonError};
use utility_ai::{Graph, GridSteps, Neighbours};
use wave_core::Space;

/// Graphs over heights, which the runs of a scenario have in common: whose legs and speed are the
/// same has the same one on every map that is not drawn at random. Deciding a map's jumps takes
/// longer than the rest of a run.
#[derive(Debug, Default)]
pub(super) struct Navs {
    of_legs: Mutex<Vec<(Legs, f64, Nav)>>,
    footing: Mutex<Option<Arc<Footing>>>,
}

impl Navs {
    /// The graph of these legs, of this speed if there is one. The lock is never held while a graph
    /// is made, which may work for other runs meanwhile.
    fn find(&self, legs: &Legs, speed: f64) -> Option<Nav> {
        let navs = self.of_legs.lock().unwrap_or_else(PoisonError::into_inner);
        let known = navs.iter().filter(|(l, ..)| l == legs);
        known.max_by_key(|(_, s, _)| *s == speed).map(|(_, _, nav)| nav.clone())
    }

    fn keep(&self, legs: &Legs, speed: f64, nav: &Nav) {
        let mut navs = self.of_legs.lock().unwrap_or_else(PoisonError::into_inner);
        navs.push((legs.clone(), speed, nav.clone()));
    }

    /// The links of a scenario's map: the same for every seed, since maps with links have no random
    /// blocks.
    pub(super) fn footing(
        &self,
        scenario: &Scenario,
        terrain: &world::terrain::Terrain,
        legs: &Legs,
        pace: f64,
    ) -> Result<Arc<Footing>, Refusal> {
        let known = || self.footing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(footing) = known().as_ref() {
            return Ok(Arc::clone(footing));
        }
        let footing = Arc::new(Footing::new(scenario, terrain, legs, pace)?);
        *known() = Some(Arc::clone(&footing));
        Ok(footing)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Nav {
    pub(super) graph: Graph,
    ground: Ground,
    /// Cells `[y, x]` that its owner does not enter, walls or not.
    no_go: Array2<bool>,
    width: usize,
    spacing: f64,
    speed: f64,
    gravity: f64,
}

#[derive(Clone, Debug)]
enum Ground {
    Flat,
    Heights(Arc<Heights>),
}

#[derive(Debug)]
struct Heights {
    jumps: JumpGraph,
    /// Of each jump, in the order of the edges: the way to its launch, its time in the air, and the
    /// way from its landing. For a graph of another speed they need not be found again.
    flown: Vec<[f64; 3]>,
}

/// A part of a way along an edge.
#[derive(Clone, Debug)]
enum Piece {
    /// In a straight line.
    Walk { from: [f64; 3], to: [f64; 3] },
    /// Straight down.
    Fall { from: [f64; 3], to: f64, gravity: f64 },
    /// Through the air.
    Fly(Box<Flight>),
}

impl Piece {
    /// In a straight line, and how long that takes.
    fn walk(from: [f64; 3], to: [f64; 3], speed: f64) -> (Self, f64) {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        (Self::Walk { from, to }, (dx * dx + dy * dy).sqrt() / speed)
    }

    fn at(&self, time: f64, duration: f64) -> [f64; 3] {
        let part = if duration > 0.0 { (time / duration).min(1.0) } else { 1.0 };
        match self {
            Self::Walk { from, to } => std::array::from_fn(|a| from[a] + (to[a] - from[a]) * part),
            Self::Fall { from, to, gravity } => {
                let [x, y, z] = *from;
                [x, y, (z - 0.5 * gravity * time * time).max(*to)]
            }
            Self::Fly(flight) => flight.position_at(time).to_array(),
        }
    }
}

/// The way along an edge.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    pub(super) to: usize,
    pub(super) kind: MoveKind,
    /// Each with how long it takes.
    pieces: Vec<(Piece, f64)>,
    /// How far a flight stays above the ground; infinite for other legs.
    pub(super) margin: f64,
}

impl Leg {
    fn duration(&self) -> f64 {
        self.pieces.iter().map(|(_, time)| time).sum()
    }

    fn at(&self, mut time: f64) -> [f64; 3] {
        let mut place = [0.0; 3];
        for (piece, duration) in &self.pieces {
            place = piece.at(time, *duration);
            if time < *duration {
                break;
            }
            time -= duration;
        }
        place
    }
}

impl Nav {
    /// The graph of a member that walks at `speed`.
    pub(super) fn new<D: Space>(
        stage: &Stage<D>,
        legs: &Legs,
        speed: f64,
        key: &str,
    ) -> Result<Self, Refusal> {
        if D::AXES != 2 {
            let limit = "finds its ways on 2D maps only";
            return Err(stage.scenario.origin.refuse(key, "a mind", limit).into());
        }
        let in_common = stage.terrain.heights.is_some() && stage.scenario.map.blocks.is_none();
        let known = stage.navs.find(legs, speed).filter(|_| in_common);
        if let Some(nav) = known.as_ref().filter(|nav| nav.speed == speed) {
            return Ok(nav.clone());
        }
        let legs_key = format!("{key}.legs");
        let no_go = no_go(stage, legs, &legs_key)?;
        let nav = Self::build(stage, legs, no_go, speed, known.as_ref(), &legs_key)
            .map_err(Refusal::at(&legs_key))?;
        if in_common {
            stage.navs.keep(legs, speed, &nav);
        }
        Ok(nav)
    }

    fn build<D: Space>(
        stage: &Stage<D>,
        legs: &Legs,
        no_go: Array2<bool>,
        speed: f64,
        known: Option<&Self>,
        key: &str,
    ) -> Result<Self, Refusal> {
        let spacing = stage.scenario.map.spacing;
        let width = no_go.ncols();
        let walls = stage.terrain.walls.index_axis(Axis(0), 0);
        let walls = walls.into_dimensionality::<Ix2>().unwrap_or_else(|_| unreachable!());
        let closed = &no_go | &walls;
        let Some(heights) = &stage.terrain.heights else {
            let Legs { launch_speed, max_fall, gravity, step_height, .. } = *legs;
            let given = [
                ("launch_speed", launch_speed),
                ("max_fall", max_fall),
                ("gravity", Some(gravity).filter(|&g| g != Legs::default().gravity)),
                ("step_height", Some(step_height).filter(|&step| step > 0.0)),
            ];
            if let Some((name, value)) = given.into_iter().find_map(|(k, v)| Some((k, v?))) {
                let (key, value) = (format!("{key}.{name}"), format!("{value:?}"));
                let limit = "needs a map with heights: on a flat one, nobody jumps, steps or falls";
                return Err(stage.scenario.origin.refuse(&key, value, limit).into());
            }
            let steps = GridSteps { spacing, ..Neighbours::Eight.into() };
            let graph = Graph::from_walls(&closed, steps)?;
            let gravity = legs.gravity;
            return Ok(Self { graph, ground: Ground::Flat, no_go, width, spacing, speed, gravity });
        };
        let terrain = Terrain::builder(heights).cell_size(spacing).no_go(&closed).build()?;
        // A character that cannot jump still needs a launch speed; its jumps are left out.
        let mut character = Character::builder(legs.launch_speed.unwrap_or(1e-3))
            .gravity(legs.gravity)
            .step_height(legs.step_height);
        if let Some(fall) = legs.max_fall {
            character = character.max_fall(fall);
        }
        let jumps = JumpGraph::new(terrain, character.build()?)?;
        let jumper = legs.launch_speed.is_some();
        let nav = Paces { jumps: &jumps, spacing, speed, gravity: legs.gravity };
        let known = known.and_then(|nav| match &nav.ground {
            Ground::Heights(heights) => Some(&heights.flown),
            Ground::Flat => None,
        });
        let mut flown = Vec::new();
        let graph = {
            let moves = MoveGraph(&jumps);
            let wanted =
                EdgeFiltered::from_fn(moves, |edge| jumper || edge.weight().kind != MoveKind::Jump);
            Graph::freeze(&wanted, |edge| {
                let step = edge.weight();
                if step.kind != MoveKind::Jump {
                    return nav.leg(step).duration() * speed;
                }
                let known = known.and_then(|known| known.get(flown.len()));
                let [launch, air, landing] = known.copied().unwrap_or_else(|| nav.flown(step));
                flown.push([launch, air, landing]);
                [launch / speed, air, landing / speed].iter().sum::<f64>() * speed
            })?
        };
        let ground = Ground::Heights(Arc::new(Heights { jumps, flown }));
        Ok(Self { graph, ground, no_go, width, spacing, speed, gravity: legs.gravity })
    }

    pub(super) fn node(&self, position: [f64; 3]) -> usize {
        let [x, y] = [position[0], position[1]].map(|v| (v / self.spacing).round().max(0.0));
        (y as usize * self.width + x as usize).min(self.graph.node_bound() - 1)
    }

    /// The node of a cell `[y, x]`.
    pub(super) fn index(&self, [y, x]: [usize; 2]) -> usize {
        y * self.width + x
    }

    /// The cell `[y, x]` of a node.
    pub(super) fn cell(&self, node: usize) -> [usize; 2] {
        [node / self.width, node % self.width]
    }

    /// The place where a member stands at a node.
    pub(super) fn place(&self, node: usize) -> [f64; 3] {
        let [y, x] = self.cell(node);
        let z = match &self.ground {
            Ground::Flat => 0.0,
            Ground::Heights(heights) => heights.jumps.terrain().height([y, x]).unwrap_or(0.0),
        };
        [x as f64 * self.spacing, y as f64 * self.spacing, z]
    }

    /// How a member gets from a node to another that an edge leads to.
    pub(super) fn leg(&self, from: usize, to: usize) -> Leg {
        match &self.ground {
            Ground::Flat => {
                let [a, b] = [from, to].map(|node| self.place(node));
                let diagonal = a[0] != b[0] && a[1] != b[1];
                let length = self.spacing * if diagonal { SQRT_2 } else { 1.0 };
                let pieces = vec![(Piece::Walk { from: a, to: b }, length / self.speed)];
                Leg { to, kind: MoveKind::Walk, pieces, margin: f64::INFINITY }
            }
            Ground::Heights(heights) => {
                let jumps = &heights.jumps;
                let [a, b] = [from, to].map(|node| self.cell(node));
                let kind = jumps.step(a, b).unwrap_or(MoveKind::Jump);
                let (spacing, speed, gravity) = (self.spacing, self.speed, self.gravity);
                Paces { jumps, spacing, speed, gravity }.leg(&Move { from: a, to: b, kind })
            }
        }
    }

    /// The edges between neighbours and jumps (true), each once.
    pub(super) fn ways(&self, each: &mut dyn FnMut([[f64; 3]; 2], bool)) {
        for from in self.graph.nodes() {
            for step in self.graph.steps(from) {
                if from < step.to || self.graph.length(step.to, from).is_none() {
                    let kind = self.leg(from, step.to).kind;
                    each([self.place(from), self.place(step.to)], kind == MoveKind::Jump);
                }
            }
        }
    }

    /// A cell of a flat map has become a wall or free: its edges and those that pass its corners
    /// follow.
    pub(super) fn follow_edit(&mut self, cell: [usize; 2], wall: bool) -> Result<(), Refusal> {
        if matches!(self.ground, Ground::Flat) {
            self.graph.set_wall(cell, wall || self.no_go[cell])?;
        }
        Ok(())
    }
}

/// The cells `[y, x]` that `legs` do not enter; refused outside the map.
fn no_go<D: Space>(stage: &Stage<D>, legs: &Legs, key: &str) -> Result<Array2<bool>, Refusal> {
    let (_, height, width) = stage.terrain.walls.dim();
    let mut closed = Array2::from_elem([height, width], false);
    for (i, NoGo { from, to }) in legs.no_go.iter().enumerate() {
        let (origin, key) = (&stage.scenario.origin, format!("{key}.no_go[{i}]"));
        for [_, y, x] in stage.terrain.cells(origin, &key, from, to)? {
            closed[[y, x]] = true;
        }
    }
    Ok(closed)
}

/// The jumps, the speed and the gravity of a member that moves over heights.
struct Paces<'a> {
    jumps: &'a JumpGraph,
    spacing: f64,
    speed: f64,
    gravity: f64,
}

impl Paces<'_> {
    fn place(&self, [y, x]: [usize; 2]) -> [f64; 3] {
        let z = self.jumps.terrain().height([y, x]).unwrap_or(0.0);
        [x as f64 * self.spacing, y as f64 * self.spacing, z]
    }

    fn walk(&self, from: [f64; 3], to: [f64; 3]) -> (Piece, f64) {
        Piece::walk(from, to, self.speed)
    }

    /// As in [`Heights`].
    fn flown(&self, step: &Move) -> [f64; 3] {
        let [from, to] = [step.from, step.to].map(|cell| self.place(cell));
        let far = |from, to| Piece::walk(from, to, 1.0).1;
        self.jumps.witness(step).map_or([far(from, to), 0.0, 0.0], |flight| {
            let (launch, landing) = (flight.launch.to_array(), flight.landing.to_array());
            [far(from, launch), flight.flight_time, far(landing, to)]
        })
    }

    fn leg(&self, step: &Move) -> Leg {
        let [from, to] = [step.from, step.to].map(|cell| self.place(cell));
        let columns = self.jumps.terrain().shape()[1];
        let node = step.to[0] * columns + step.to[1];
        let leg = |pieces, margin| Leg { to: node, kind: step.kind, pieces, margin };
        match step.kind {
            MoveKind::Walk => leg(vec![self.walk(from, to)], f64::INFINITY),
            MoveKind::Fall => {
                let edge = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), from[2]];
                let time = (2.0 * (from[2] - to[2]).max(0.0) / self.gravity).sqrt();
                let fall = Piece::Fall { from: edge, to: to[2], gravity: self.gravity };
                let landing = [edge[0], edge[1], to[2]];
                let pieces = vec![self.walk(from, edge), (fall, time), self.walk(landing, to)];
                leg(pieces, f64::INFINITY)
            }
            MoveKind::Jump => match self.jumps.witness(step) {
                Some(flight) => {
                    let (launch, landing) = (flight.launch.to_array(), flight.landing.to_array());
                    let (time, margin) = (flight.flight_time, flight.margin);
                    let fly = (Piece::Fly(Box::new(flight)), time);
                    leg(vec![self.walk(from, launch), fly, self.walk(landing, to)], margin)
                }
                // Every jump of the graph has a flight.
                None => leg(vec![self.walk(from, to)], f64::NEG_INFINITY),
            },
        }
    }
}

/// A member at a node or on the way along an edge.
#[derive(Clone, Debug)]
pub(super) struct Walker {
    /// Where it stands or last stood.
    pub(super) node: usize,
    pub(super) leg: Option<Leg>,
    /// `[units: time]` On this leg so far.
    spent: f64,
}

impl Walker {
    pub(super) fn at(node: usize) -> Self {
        Self { node, leg: None, spent: 0.0 }
    }

    /// From a place on the ground: first to the middle of its cell.
    pub(super) fn from(nav: &Nav, position: [f64; 3]) -> Self {
        let mut walker = Self::at(nav.node(position));
        let (to, [x, y, _]) = (nav.place(walker.node), position);
        if to[..2] != [x, y] {
            walker.leg = Some(Leg {
                to: walker.node,
                kind: MoveKind::Walk,
                pieces: vec![Piece::walk([x, y, to[2]], to, nav.speed)],
                margin: f64::INFINITY,
            });
        }
        walker
    }

    /// The node that it stands at or goes to.
    pub(super) fn ahead(&self) -> usize {
        self.leg.as_ref().map_or(self.node, |leg| leg.to)
    }

    pub(super) fn position(&self, nav: &Nav) -> [f64; 3] {
        self.leg.as_ref().map_or_else(|| nav.place(self.node), |leg| leg.at(self.spent))
    }

    /// Where it stands, or will land if it is in the air.
    pub(super) fn foothold(&self, nav: &Nav) -> [f64; 3] {
        match &self.leg {
            Some(leg) if leg.kind != MoveKind::Walk => nav.place(leg.to),
            _ => self.position(nav),
        }
    }

    /// Moves on for `time`; at every node `next` says where to. Returns the time that is left where
    /// it says nowhere.
    pub(super) fn walk(
        &mut self,
        mut time: f64,
        mut next: impl FnMut(usize) -> Result<Option<Leg>, Refusal>,
    ) -> Result<Option<f64>, Refusal> {
        loop {
            if let Some(leg) = &self.leg {
                let left = leg.duration() - self.spent;
                if time < left {
                    self.spent += time;
                    return Ok(None);
                }
                time -= left;
                *self = Self::at(leg.to);
            }
            match next(self.node)? {
                Some(leg) => self.leg = Some(leg),
                None => return Ok(Some(time)),
            }
            self.spent = 0.0;
        }
    }
}
