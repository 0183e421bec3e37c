//! Where a member can stand, and how members that follow waves get from there to other levels:
//! steps, falls and jumps, as links of the waves' medium; and a proof beforehand of where each
//! member can come.

use super::cast::Cast;
use super::error::Refusal;
use super::outcome::Outcome;
use super::stage::Stage;
use super::terrain::Terrain;
use crate::scenario::{Legs, Scenario};
use jump_planner::{Character, JumpGraph, MoveKind, SearchOver};
use ndarray::{Array2, Array3};
use std::collections::VecDeque;
use wave_core::{Link, Space};

/// A cell, `[z, y, x]`.
type Cell = [usize; 3];

/// The most links of a map: some 150 MB with all that is made of them.
const MOST_LINKS: usize = 1_000_000;

/// The links of a map whose waves keep to the ground.
#[derive(Debug)]
pub(super) struct Footing {
    pub(super) links: Vec<Link<Cell>>,
    /// Where the ground is a height map: the graph that tells where each member can come.
    jumps: Option<JumpGraph>,
}

impl Footing {
    /// `[units: world units per time]` `pace` is the wave's greatest speed: on foot, a link takes
    /// as long as a wave does.
    pub(super) fn new(
        scenario: &Scenario,
        terrain: &Terrain,
        legs: &Legs,
        pace: f64,
    ) -> Result<Self, Refusal> {
        let spacing = scenario.map.spacing;
        if let Some(heights) = &terrain.ground {
            return Self::of_heights(scenario, heights, legs, pace);
        }
        let links = steps_and_falls(terrain, legs, spacing, pace);
        check_count(scenario, links.len())?;
        Ok(Self { links, jumps: None })
    }

    /// Links to other levels that the wave does not have itself; and jumps that lead from one group
    /// to another, where walking joins a group.
    fn of_heights(
        scenario: &Scenario,
        heights: &Array2<f64>,
        legs: &Legs,
        pace: f64,
    ) -> Result<Self, Refusal> {
        let spacing = scenario.map.spacing;
        let terrain = jump_planner::Terrain::builder(heights).cell_size(spacing).build()?;
        // A character that cannot jump still needs a launch speed; its jumps are left out.
        let mut character = Character::builder(legs.launch_speed.unwrap_or(1e-3))
            .gravity(legs.gravity)
            .step_height(legs.step_height);
        if let Some(fall) = legs.max_fall {
            character = character.max_fall(fall);
        }
        let jumps = JumpGraph::new(terrain, character.build()?)?;
        let level = |cell: [usize; 2]| (heights[cell] / spacing).round() as usize;
        let place = |cell: [usize; 2]| [level(cell), cell[0], cell[1]];
        let centre = |[y, x]: [usize; 2]| [x as f64 * spacing, y as f64 * spacing];
        let far = |[ax, ay]: [f64; 2], [bx, by]: [f64; 2]| {
            let (dx, dy) = (ax - bx, ay - by);
            (dx * dx + dy * dy).sqrt()
        };
        let mut links = Vec::new();
        for (cell, _) in heights.indexed_iter() {
            let cell = [cell.0, cell.1];
            jumps.for_each_move(cell, |step| {
                let (from, to) = (step.from, step.to);
                let on_foot = far(centre(from), centre(to)) / pace;
                let time = match step.kind {
                    MoveKind::Walk => {
                        let sides = [[from[0], to[1]], [to[0], from[1]]];
                        let by_wave = sides.iter().any(|&side| level(side) == level(from));
                        (level(from) != level(to) || !by_wave).then_some(on_foot)
                    }
                    MoveKind::Fall => {
                        let drop = (heights[from] - heights[to]).max(0.0);
                        Some(on_foot + (2.0 * drop / legs.gravity).sqrt())
                    }
                    MoveKind::Jump if jumps.group(from) == jumps.group(to) => None,
                    MoveKind::Jump => jumps.witness(&step).map(|flight| {
                        let [launch, landing] = [flight.launch, flight.landing].map(|p| [p.x, p.y]);
                        let walks = far(centre(from), launch) + far(landing, centre(to));
                        (flight.flight_time + walks / pace).max(spacing / pace)
                    }),
                };
                let time =
                    time.filter(|_| legs.launch_speed.is_some() || step.kind != MoveKind::Jump);
                links.extend(time.map(|time| Link { from: place(from), to: place(to), time }));
            });
            check_count(scenario, links.len())?;
        }
        Ok(Self { links, jumps: Some(jumps) })
    }

    /// Whether a way leads from a cell to another, found without waves: on a height map by
    /// jump-planner over all of its moves, otherwise by a plain search.
    fn leads(&self, walls: &Array3<bool>, from: Cell, to: Cell) -> Result<bool, Refusal> {
        match &self.jumps {
            Some(jumps) => {
                let [from, to] = [from, to].map(|[_, y, x]| [y, x]);
                Ok(jumps.exists(from, to, SearchOver::CellsLazily)?.exists)
            }
            None => Ok(self.search(walls, from, to)),
        }
    }

    fn search(&self, walls: &Array3<bool>, from: Cell, to: Cell) -> bool {
        let mut seen = Array3::from_elem(walls.raw_dim(), false);
        let mut queue = VecDeque::from([from]);
        seen[from] = true;
        while let Some(cell) = queue.pop_front() {
            let begin = self.links.partition_point(|link| link.from < cell);
            let linked = self.links[begin..].iter().take_while(|link| link.from == cell);
            let next = beside(walls.dim(), cell).chain(linked.map(|link| link.to));
            for there in next.filter(|&there| !walls[there]) {
                if !std::mem::replace(&mut seen[there], true) {
                    queue.push_back(there);
                }
            }
        }
        seen[to]
    }
}

fn check_count(scenario: &Scenario, links: usize) -> Result<(), Refusal> {
    if links <= MOST_LINKS {
        return Ok(());
    }
    let limit = format!("lead along more than {MOST_LINKS} links: shorter jumps, or a smaller map");
    Err(scenario.origin.refuse("map.legs", "these legs", limit).into())
}

/// The four neighbours of a cell on its level.
fn beside(
    (_, height, width): (usize, usize, usize),
    [z, y, x]: Cell,
) -> impl Iterator<Item = Cell> {
    let all = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    all.into_iter().filter_map(move |(dy, dx)| {
        let y = y.checked_add_signed(dy).filter(|&y| y < height)?;
        let x = x.checked_add_signed(dx).filter(|&x| x < width)?;
        Some([z, y, x])
    })
}

/// Links between cells that a member can stand in, sorted by where they begin. A member that goes
/// up first rises above its place; one that goes down walks on and drops.
fn steps_and_falls(terrain: &Terrain, legs: &Legs, spacing: f64, pace: f64) -> Vec<Link<Cell>> {
    let (standing, solid) = (&terrain.walls, terrain.solid.as_ref().unwrap_or(&terrain.walls));
    let (depth, height, width) = standing.dim();
    let is_free = |[low, high]: [usize; 2], y, x| (low..=high).all(|z| !solid[[z, y, x]]);
    let mut links = Vec::new();
    for (cell, _) in standing.indexed_iter().filter(|(_, wall)| !**wall) {
        let from: Cell = cell.into();
        for [_, y, x] in beside((depth, height, width), from) {
            for z in (0..depth).filter(|&z| z != from[0] && !standing[[z, y, x]]) {
                let column = if z > from[0] { [from[1], from[2]] } else { [y, x] };
                if !is_free([z.min(from[0]), z.max(from[0])], column[0], column[1]) {
                    continue;
                }
                let rise = (z as f64 - from[0] as f64) * spacing;
                let time = if rise.abs() <= legs.step_height {
                    Some(spacing / pace)
                } else if rise < 0.0 && legs.max_fall.is_none_or(|most| -rise <= most) {
                    Some(spacing / pace + (-2.0 * rise / legs.gravity).sqrt())
                } else {
                    None
                };
                links.extend(time.map(|time| Link { from, to: [z, y, x], time }));
            }
        }
    }
    links.sort_by_key(|link| (link.from, link.to));
    links
}

/// The members for which it was proved, when they came in, that a way leads to an evader.
#[derive(Default)]
pub(super) struct Proofs {
    /// For each pursuer, by its number in the cast: whether there is a way.
    pursuers: Vec<bool>,
}

impl Proofs {
    /// Looks at pursuers that have just come in, from number `first` on. Evaders stay where walking
    /// leads, from where all can be reached that one of its places can.
    pub(super) fn look<D: Space>(
        &mut self,
        stage: &Stage<D>,
        cast: &Cast,
        first: usize,
    ) -> Result<(), Refusal> {
        let Some(footing) = &stage.footing else { return Ok(()) };
        for pursuer in &cast.pursuers[first..] {
            let mut leads = false;
            for evader in &cast.evaders {
                let cells = [pursuer.foothold, evader.foothold].map(|at| stage.cell(at));
                if let [Some(from), Some(to)] = cells {
                    leads |= footing.leads(&stage.terrain.walls, from, to)?;
                }
            }
            self.pursuers.push(leads);
        }
        Ok(())
    }

    pub(super) fn tell(&self, cast: &Cast, outcome: &mut Outcome) {
        let count = |leads: bool, met: bool| {
            let known = self.pursuers.iter().zip(&cast.pursuers);
            known.filter(|(l, p)| **l == leads && p.met.is_some() == met).count()
        };
        outcome.can_come = Some(count(true, true) + count(true, false));
        outcome.cannot_come = Some(count(false, true) + count(false, false));
        outcome.lost = Some(count(true, false));
        outcome.strays = Some(count(false, true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;

    #[test]
    fn more_links_than_memory_is_for_are_refused() {
        let leap = scenario::load("leap").unwrap();
        assert!(check_count(&leap, MOST_LINKS).is_ok());
        let refused = check_count(&leap, MOST_LINKS + 1).unwrap_err().to_string();
        assert!(refused.contains("map.legs") && refused.contains("1000000"), "{refused}");
    }
}
