//! The search over all states, and the fewest tiles that open a level.

use super::ABOVE;
use super::read::{SideError, SideLevel, SideRules};
use crate::memory;
use serde::Serialize;
use std::collections::VecDeque;

/// The most states: places times steps of jumps.
const MOST_STATES: usize = 1 << 28;
/// How often tiles that open a level are looked for, each time with the ones found before changed.
const ROUNDS: usize = 8;
const NONE: u32 = u32::MAX;

/// Whether a level can be solved; the keys are those of the command's JSON. Tiles are `[x, y]`, y
/// downwards; above the level y is negative.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideSolution {
    /// Whether the goal is reached.
    pub solvable: bool,
    /// Where the player starts.
    pub from: [usize; 2],
    /// Where the player is to get; `None`: anywhere in the last column.
    pub to: Option<[usize; 2]>,
    /// A shortest way, tile by tile; empty if the goal cannot be reached.
    pub way: Vec<[isize; 2]>,
    /// If there is no way: the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// States that were visited.
    pub states: usize,
}

/// Why a goal is not reached: where ways end, and tiles that would open one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cut {
    /// The last tile that is reached on the way that would be opened.
    pub after: [isize; 2],
    /// Few tiles which, changed, open a way: the level with them changed was searched again.
    pub tiles: Vec<Change>,
}

/// A tile to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Where.
    pub tile: [usize; 2],
    /// Whether a solid tile is missing there; otherwise one is in the way.
    pub missing: bool,
}

/// Looks for a shortest way. The default of `from` is the tile `M`, or without one the lowest place
/// to stand in the first column that has one; the default of `to` is the tile `F`, or without one
/// the last column.
///
/// # Errors
/// [`SideError`]: there is nowhere to start, a tile is outside, or there are too many states.
///
/// # Complexity
/// O(tiles * steps of jumps); for a cut some times as much.
pub fn solve(
    level: &SideLevel,
    rules: &SideRules,
    from: Option<[usize; 2]>,
    to: Option<[usize; 2]>,
) -> Result<SideSolution, SideError> {
    let fail = |what: String| SideError::new(&level.file, what);
    let [columns, rows] = level.size();
    for [x, y] in from.into_iter().chain(to) {
        if x >= columns || y >= rows {
            let limit = format!("outside the level of {columns} x {rows} tiles");
            return Err(fail(format!("{x},{y}: {limit}")));
        }
    }
    let states = (columns * (rows + ABOVE)).saturating_mul(rules.arcs.0.len());
    if states > MOST_STATES {
        return Err(fail(format!("{states} states: at most {MOST_STATES}")));
    }
    memory::check(memory::of_states(states as u64))
        .map_err(|e| fail(format!("the search over {states} states {e}")))?;
    let mut world = World { level: level.clone(), rules };
    let from = from.or_else(|| level.find('M')).or_else(|| world.entrance());
    let from = from.ok_or_else(|| fail("nowhere to stand, and no start given".to_owned()))?;
    let to = to.or_else(|| level.find('F'));
    let found = world.search(from, to, false);
    let (solvable, states) = (found.end.is_some(), found.visited);
    let way: Vec<[isize; 2]> = found.way().iter().map(|state| world.place(*state)).collect();
    let cut = if solvable { None } else { world.cut(from, to) };
    Ok(SideSolution { solvable, from, to, way, cut, states })
}

struct World<'a> {
    level: SideLevel,
    rules: &'a SideRules,
}

/// The result of a search: the state that each was reached from.
struct Found {
    before: Vec<u32>,
    end: Option<usize>,
    visited: usize,
}

impl Found {
    /// From the start to the end.
    fn way(&self) -> Vec<usize> {
        let mut way = Vec::new();
        let mut at = self.end;
        while let Some(state) = at {
            way.push(state);
            at = Some(self.before[state] as usize).filter(|&before| before != state);
        }
        way.reverse();
        way
    }
}

impl World<'_> {
    /// The place itself, on the other side where the level's edges are joined.
    fn wrapped(&self, [x, y]: [isize; 2]) -> [isize; 2] {
        let columns = self.level.size()[0] as isize;
        [if self.rules.wraps() { x.rem_euclid(columns) } else { x }, y]
    }

    /// `None` beside and below the level.
    fn tile(&self, at: [isize; 2]) -> Option<char> {
        let [x, y] = self.wrapped(at);
        let [columns, rows] = self.level.size().map(|n| n as isize);
        if !(0..columns).contains(&x) || !(-(ABOVE as isize)..rows).contains(&y) {
            return None;
        }
        Some(usize::try_from(y).map_or('-', |y| self.level.rows[y][x as usize]))
    }

    fn supports(&self, [x, y]: [isize; 2]) -> bool {
        self.tile([x, y + 1]).is_some_and(|tile| self.rules.supports(tile))
    }

    fn state(&self, [x, y]: [isize; 2], step: usize) -> usize {
        let columns = self.level.size()[0];
        let place = (y + ABOVE as isize) as usize * columns + x as usize;
        place * self.rules.arcs.0.len() + step
    }

    fn place(&self, state: usize) -> [isize; 2] {
        let place = state / self.rules.arcs.0.len();
        let columns = self.level.size()[0];
        [(place % columns) as isize, (place / columns) as isize - ABOVE as isize]
    }

    fn entrance(&self) -> Option<[usize; 2]> {
        let [columns, rows] = self.level.size();
        let mut cells = (0..columns).flat_map(|x| (0..rows).rev().map(move |y| [x, y]));
        cells.find(|&[x, y]| {
            let tile = self.level.rows[y][x];
            let free = !self.rules.blocks(tile) && !self.rules.kills(tile);
            free && self.supports([x as isize, y as isize])
        })
    }

    /// With `at_a_price`, tiles in the way and tiles that are missing cost one each, and the
    /// cheapest way is found; without, they are not to be had, and the shortest is.
    fn search(&self, from: [usize; 2], to: Option<[usize; 2]>, at_a_price: bool) -> Found {
        let [columns, rows] = self.level.size();
        let arcs = &self.rules.arcs.0;
        let count = columns * (rows + ABOVE) * arcs.len();
        let mut found = Found { before: vec![NONE; count], end: None, visited: 0 };
        let mut price = vec![u16::MAX; if at_a_price { count } else { 0 }];
        // A queue for each price; without prices there is one.
        let mut queues = vec![VecDeque::new()];
        let mut paid = 0;
        let start = self.state(from.map(|v| v as isize), 0);
        found.before[start] = start as u32;
        if at_a_price {
            price[start] = 0;
        }
        queues[0].push_back(start);
        while let Some(queue) = queues.get_mut(paid) {
            let Some(state) = queue.pop_front() else {
                paid += 1;
                continue;
            };
            if at_a_price && paid > usize::from(price[state]) {
                continue;
            }
            found.visited += 1;
            let [x, y] = self.place(state);
            let arrived = match to {
                Some(to) => [x, y] == to.map(|v| v as isize),
                None => x == columns as isize - 1 && y >= 0,
            };
            if arrived {
                found.end = Some(state);
                break;
            }
            let mut visit = |to: [isize; 2], step: usize, fee: u16| {
                let to = self.wrapped(to);
                let Some(tile) = self.tile(to) else { return };
                if self.rules.kills(tile) {
                    return;
                }
                let fee = fee + u16::from(self.rules.blocks(tile));
                let next = self.state(to, step);
                if at_a_price {
                    let sum = paid + usize::from(fee);
                    if sum < usize::from(price[next]) {
                        price[next] = sum as u16;
                        found.before[next] = state as u32;
                        queues.resize_with(queues.len().max(sum + 1), VecDeque::new);
                        queues[sum].push_back(next);
                    }
                } else if fee == 0 && found.before[next] == NONE {
                    found.before[next] = state as u32;
                    queues[0].push_back(next);
                }
            };
            let on_ground = self.supports([x, y]);
            let step = state % arcs.len();
            if step > 0 {
                for &next in &arcs[step].next {
                    let [dx, dy] = arcs[next].by;
                    visit([x + dx, y + dy], next, 0);
                }
            }
            if self.tile([x, y]).is_some_and(|tile| self.rules.climbs(tile)) {
                for to in [[x, y - 1], [x, y + 1], [x - 1, y], [x + 1, y]] {
                    visit(to, 0, 0);
                }
            }
            if !on_ground {
                for dx in [0, 1, -1] {
                    visit([x + dx, y + 1], 0, 0);
                }
            }
            if on_ground || at_a_price && (0..rows as isize - 1).contains(&y) {
                let fee = u16::from(!on_ground);
                visit([x - 1, y], 0, fee);
                visit([x + 1, y], 0, fee);
                for &next in &arcs[0].next {
                    let [dx, dy] = arcs[next].by;
                    visit([x + dx, y + dy], next, fee);
                }
            }
        }
        found
    }

    /// The tiles of a cheapest way are changed until there is a way without a price: a tile that
    /// one stood on may be in the way of the same way elsewhere.
    fn cut(&mut self, from: [usize; 2], to: Option<[usize; 2]>) -> Option<Cut> {
        let ground = self.rules.ground()?;
        let mut after = None;
        let mut tiles: Vec<Change> = Vec::new();
        for _ in 0..ROUNDS {
            let way = self.search(from, to, true).way();
            let mut changes = Vec::new();
            for pair in way.windows(2) {
                let (here, there) = (self.place(pair[0]), self.place(pair[1]));
                let before = changes.len();
                if self.stood_in_air(pair) {
                    changes.push(([here[0], here[1] + 1], true));
                }
                if self.tile(there).is_some_and(|tile| self.rules.blocks(tile)) {
                    changes.push((there, false));
                }
                if changes.len() > before {
                    after.get_or_insert(here);
                }
            }
            for ([x, y], missing) in changes {
                let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { continue };
                self.level.rows[y][x] = if missing { ground } else { '-' };
                tiles.retain(|change| change.tile != [x, y]);
                tiles.push(Change { tile: [x, y], missing });
            }
            if self.search(from, to, false).end.is_some() {
                return Some(Cut { after: after?, tiles });
            }
        }
        None
    }

    /// Whether this move needs ground that is not there.
    fn stood_in_air(&self, pair: &[usize]) -> bool {
        let arcs = &self.rules.arcs.0;
        let (here, there) = (self.place(pair[0]), self.place(pair[1]));
        let next = pair[1] % arcs.len();
        let climbs = self.tile(here).is_some_and(|tile| self.rules.climbs(tile));
        let walks = next == 0 && there[1] == here[1] && !climbs;
        let begins = arcs[0].next.contains(&next);
        !self.supports(here) && (walks || begins)
    }
}
