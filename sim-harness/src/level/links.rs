//! Jump links: where an engine's navigation mesh is to be joined by jumps.

use super::seen::Ground;
use jump_planner::{Ballistics, Cell, Character, Flight, Jump, JumpError, JumpGraph};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashSet;

/// One jump that joins two pieces of ground which walking does not join. The keys are those of the
/// command's JSON; places are x, y and z in the terrain's unit, z upwards.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Link {
    /// `[units: length]` Where the feet leave the ground.
    pub from: [f64; 3],
    /// `[units: length]` Where they land.
    pub to: [f64; 3],
    /// `[units: length / time]` The velocity at launch.
    pub launch: [f64; 3],
    /// `[units: time]` How long the flight takes.
    pub time: f64,
    /// `[units: length]` The clearance of the flight.
    pub margin: f64,
    /// `[units: length / time]` The least launch speed at which this jump was found.
    pub least_speed: f64,
    /// Whether a jump also joins the same two cells in the other direction and has no link of its
    /// own. Also false where the way back has a link of its own, between whichever cells.
    pub both_ways: bool,
    /// `[column, row]` The cells that it joins.
    pub cells: [[usize; 2]; 2],
    /// The groups of these cells; walking joins a group.
    pub groups: [usize; 2],
}

/// A jump's two ends, their groups, and how it is flown.
type Joining<P> = ([P; 2], [usize; 2], Flight);

/// A link for every pair of groups that a jump joins, between two of the nearest places, of several
/// storeys of a column the lowest first; sorted by places, the same for any number of threads.
///
/// # Errors
/// [`JumpError`].
///
/// # Complexity
/// O(places * places within reach); a pair of groups costs decisions until one of its jumps is
/// clear.
pub fn links<T: Ground>(graph: &JumpGraph<T>) -> Result<Vec<Link>, JumpError> {
    let terrain = graph.terrain();
    let [rows, columns] = terrain.shape();
    // Cells beside each other need no jump where they are level, but one up a step.
    let cells = (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x]));
    let floors = cells.flat_map(|cell| terrain.stack(cell)).filter_map(|at| terrain.floor_of(at));
    let offsets = offsets(graph.character(), [rows, columns], terrain.cell_size(), floors)?;
    let speed = graph.character().launch_speed();
    let places =
        |cell: Cell| terrain.stack(cell).filter_map(|place| Some((place, graph.group(place)?)));
    let mut joined: HashSet<[usize; 2]> = HashSet::new();
    let mut found = Vec::new();
    for [dy, dx] in offsets {
        let row_of = |y: usize| -> Result<Vec<Joining<T::Place>>, JumpError> {
            let mut row = Vec::new();
            let Some(other) = y.checked_add_signed(dy).filter(|&y| y < rows) else {
                return Ok(row);
            };
            for x in 0..columns {
                let Some(beside) = x.checked_add_signed(dx).filter(|&x| x < columns) else {
                    continue;
                };
                for (from, a) in places([y, x]) {
                    for (to, b) in places([other, beside]) {
                        if a != b
                            && !joined.contains(&[a, b])
                            && let Jump::Clear(flight) = graph.jump(from, to)?
                        {
                            row.push(([from, to], [a, b], flight));
                        }
                    }
                }
            }
            Ok(row)
        };
        let ring: Vec<_> = (0..rows).into_par_iter().map(row_of).collect::<Result<_, _>>()?;
        for ([from, to], groups, flight) in ring.into_iter().flatten() {
            if joined.insert(groups) {
                let back = matches!(graph.jump(to, from)?, Jump::Clear(_));
                let both_ways = back && joined.insert([groups[1], groups[0]]);
                found.push((([from, to], groups, flight), both_ways));
            }
        }
    }
    found.sort_unstable_by_key(|&((ends, ..), _)| ends);
    let link = |(([from, to], groups, flight), both_ways): (Joining<T::Place>, bool)| {
        Ok(Link {
            from: flight.launch.to_array(),
            to: flight.landing.to_array(),
            launch: flight.velocity.to_array(),
            time: flight.flight_time,
            margin: flight.margin,
            least_speed: graph.least_launch_speed(from, to)?.unwrap_or(speed),
            both_ways,
            cells: [from, to].map(|place| terrain.seen(place).cell()),
            groups,
        })
    };
    found.into_par_iter().map(link).collect()
}

/// All offsets `[dy, dx]` within reach of a jump over such floors, the nearest first.
fn offsets(
    character: &Character,
    [rows, columns]: [usize; 2],
    cell_size: f64,
    floors: impl Iterator<Item = f64>,
) -> Result<Vec<[isize; 2]>, JumpError> {
    let [low, high] = floors.fold([f64::MAX, f64::MIN], |[l, h], z| [l.min(z), h.max(z)]);
    let law = Ballistics::new(character.launch_speed(), character.gravity())?;
    let deepest = (high - low).max(0.0).min(character.max_fall().unwrap_or(f64::INFINITY));
    // From the nearest point of a cell to the nearest point of another.
    let gap = |d: isize| (d.unsigned_abs().saturating_sub(1)) as f64 * cell_size;
    // Not by `hypot`, which is not the same on every platform.
    let far = |[a, b]: [f64; 2]| (a * a + b * b).sqrt();
    let reaches = |dy: isize, dx: isize| law.reaches(far([gap(dy), gap(dx)]), -deepest);
    let most = rows.max(columns) as isize;
    let radius = (1..most).take_while(|&d| reaches(d, 0)).last().unwrap_or(0);
    let all = (-radius..=radius).flat_map(|dy| (-radius..=radius).map(move |dx| [dy, dx]));
    let mut all: Vec<_> = all.filter(|&[dy, dx]| [dy, dx] != [0, 0] && reaches(dy, dx)).collect();
    all.sort_unstable_by_key(|&[dy, dx]| (dy * dy + dx * dx, dy, dx));
    Ok(all)
}
