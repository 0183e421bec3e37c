//! Edits of a medium with links while a front runs in it: the next wave, and a field that is solved
//! again or repaired, are those of a medium that is built at once, and reach the cells that a plain
//! flood reaches.

use arbitrary::{Arbitrary, Unstructured};
use ndarray::{Array, Array3, Ix2, Ix3};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wave_core::{ArrivalField, Front, Link, Medium, Space};

/// `[units: cells]` The longest side.
const SIDE: u8 = 20;
/// `[units: calls]` The longest sequence.
const CALLS: usize = 64;
/// `[units: links]` The most of a medium.
const LINKS: usize = 24;
/// The unit of times, as a part of what the fastest cell takes: times are whole 320ths of it.
const UNIT: f64 = 1.0 / 320.0;

type Cell = [usize; 3];

#[derive(Debug, Arbitrary)]
struct Play {
    deep: bool,
    /// x, y, z.
    size: [u8; 3],
    walls: Vec<u8>,
    speeds: Option<Vec<u8>>,
    links: Vec<(u16, u16, u8)>,
    sources: [u16; 2],
    calls: Vec<Call>,
}

#[derive(Debug, Arbitrary)]
enum Call {
    Wall(u16, bool),
    /// Many at once, from a cell on.
    Walls(u16, u32),
    /// The end of a link.
    End(u8, bool, bool),
    Speed(u16, u8),
    Sources(u16, u16),
    Step(u8),
    Within(u8, u16),
    Emit,
    /// For the cells of a box, and so many steps.
    Toward([u16; 2], u8),
    Clear,
    /// For so many cells that change.
    Repair(u8),
    /// A copy through a snapshot takes the front's place.
    Save,
    Look,
}

/// A medium, its edits, and the waves in it.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    let [x, y, z] = play.size.map(|n| usize::from(n % SIDE) + 1);
    if play.deep {
        follow::<Ix3>(&play, [z.min(5), y, x]);
    } else {
        follow::<Ix2>(&play, [1, y, x]);
    }
}

/// Sixteenths of the fastest speed that the time step allows.
fn speed(number: u8) -> f64 {
    f64::from(number % 16 + 1) / 16.0
}

/// A medium, written plainly.
struct Plain {
    walls: Array3<bool>,
    speeds: Array3<f64>,
    links: Vec<Link<Cell>>,
    sources: Vec<Cell>,
}

impl Plain {
    fn new(play: &Play, [depth, height, width]: Cell) -> Option<Self> {
        let mut i = 0;
        let walls = Array3::from_shape_simple_fn([depth, height, width], || {
            i += 1;
            play.walls.get((i - 1) / 8).is_some_and(|byte| byte >> ((i - 1) % 8) & 1 == 1)
        });
        let mut numbers = play.speeds.iter().flatten();
        let speeds = walls
            .map(|_| play.speeds.as_ref().map_or(1.0, |_| speed(*numbers.next().unwrap_or(&15))));
        let mut plain = Self { walls, speeds, links: Vec::new(), sources: Vec::new() };
        plain.sources = play.sources.map(|number| plain.cell(number)).to_vec();
        if plain.sources.iter().any(|&cell| plain.walls[cell]) {
            return None;
        }
        for &(from, to, time) in play.links.iter().take(LINKS) {
            let [from, to] = [from, to].map(|number| plain.cell(number));
            if from != to && !plain.walls[from] && !plain.walls[to] {
                // From the time of a cell to nearly the longest possible one.
                let time = plain.shortest() * (1.0 + f64::from(time) * f64::from(time) / 300.0);
                plain.links.push(Link { from, to, time });
            }
        }
        Some(plain)
    }

    /// The cell of this number, `[z, y, x]`.
    fn cell(&self, number: u16) -> Cell {
        let (_, height, width) = self.walls.dim();
        let i = usize::from(number) % self.walls.len();
        [i / width / height, i / width % height, i % width]
    }

    fn sources<D: Space>(&self) -> Vec<D::Cell> {
        self.sources.iter().map(|&cell| D::from_zyx(cell)).collect()
    }

    /// `[units: time]` The time of the fastest cell.
    fn shortest(&self) -> f64 {
        self.speeds.iter().fold(f64::INFINITY, |least, speed| least.min(1.0 / speed))
    }

    /// A medium of its own, with the links that nothing closes.
    fn medium<D: Space>(&self) -> Medium<D> {
        let (z, y, x) = self.walls.dim();
        let shape = D::from_zyx([z, y, x]);
        let flat = |cells: Vec<_>| Array::from_shape_vec(D::shape(shape), cells);
        let walls = flat(self.walls.iter().copied().collect()).expect("of the shape");
        let speeds = Array::from_shape_vec(D::shape(shape), self.speeds.iter().copied().collect());
        let speeds = speeds.expect("of the shape");
        let open = |link: &&Link<Cell>| !self.walls[link.from] && !self.walls[link.to];
        // Slower cells make the shortest links longer.
        let links = self.links.iter().filter(open).map(|link| Link {
            from: D::from_zyx(link.from),
            to: D::from_zyx(link.to),
            time: link.time.max(self.shortest()),
        });
        let links: Vec<_> = links.collect();
        let builder = Medium::<D>::builder(shape).walls(&walls).links(&links).dt(0.5);
        let uniform = self.speeds.iter().all(|&speed| speed == 1.0);
        let builder = if uniform { builder } else { builder.speeds(&speeds) };
        builder.build().expect("the medium is sound")
    }

    /// The cells from which a way leads to the sources by neighbours and links, with an upper bound
    /// on its time: over sides of cells only, each of which takes the time of the cell.
    fn latest(&self) -> Array3<f64> {
        let mut times = self.walls.map(|_| f64::INFINITY);
        for &source in &self.sources {
            times[source] = 0.0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (cell, &wall) in self.walls.indexed_iter() {
                let cell: Cell = cell.into();
                if wall {
                    continue;
                }
                let each = 1.0 / self.speeds[cell] + UNIT * self.shortest();
                let beside = neighbours(cell).filter_map(|n| times.get(n)).map(|t| t + each);
                let ends = self.links.iter().filter(|link| link.from == cell);
                let ends = ends.map(|link| {
                    times[link.to] + link.time.max(self.shortest()) + UNIT * self.shortest()
                });
                let time = beside.chain(ends).fold(f64::INFINITY, f64::min);
                if time < times[cell] {
                    times[cell] = time;
                    changed = true;
                }
            }
        }
        times
    }
}

/// Cells beside a cell; some are outside.
fn neighbours(cell: Cell) -> impl Iterator<Item = Cell> {
    [1, -1].into_iter().flat_map(move |way| {
        (0..3).map(move |axis| {
            let mut beside = cell;
            // Below 0 it is also outside.
            beside[axis] = cell[axis].wrapping_add_signed(way);
            beside
        })
    })
}

fn follow<D: Space>(play: &Play, size: Cell)
where
    Front<D>: Serialize + DeserializeOwned,
{
    let Some(mut plain) = Plain::new(play, size) else { return };
    let mut medium = plain.medium::<D>();
    let mut front = Front::new(&medium);
    let mut fields = Fields { solved: ArrivalField::new(&medium), repaired: None };
    // Whether the wave may leave something out.
    let mut is_for_some = false;
    let mut emitted = plain.sources::<D>();
    for call in play.calls.iter().take(CALLS).chain([&Call::Look]) {
        match *call {
            Call::Wall(at, wall) => {
                let cell = plain.cell(at);
                set_walls(&mut medium, &mut plain, &[(cell, wall)]);
            }
            Call::Walls(at, pattern) => {
                let cells =
                    (0..32u16).map(|i| (plain.cell(at.wrapping_add(i)), pattern >> i & 1 == 1));
                let cells: Vec<_> = cells.collect();
                set_walls(&mut medium, &mut plain, &cells);
            }
            Call::End(which, end, wall) if !plain.links.is_empty() => {
                let link = plain.links[usize::from(which) % plain.links.len()];
                let cell = if end { link.to } else { link.from };
                set_walls(&mut medium, &mut plain, &[(cell, wall)]);
            }
            Call::Speed(at, number) => {
                let cell = plain.cell(at);
                medium.set_speed(D::from_zyx(cell), speed(number)).expect("it is slow enough");
                plain.speeds[cell] = speed(number);
            }
            Call::Sources(a, b) => {
                let sources = [a, b].map(|number| plain.cell(number));
                if sources.iter().all(|&cell| !plain.walls[cell]) {
                    plain.sources = sources.to_vec();
                }
            }
            Call::Step(n) => {
                front.step(&medium, n.into()).expect("it is its medium");
            }
            Call::Within(n, most) => {
                let spent = front.step_within(&medium, n.into(), most.into());
                assert!(spent.expect("it is its medium") <= u64::from(most));
            }
            Call::Emit => {
                emit(&mut front, &medium, &plain);
                emitted = plain.sources::<D>();
                is_for_some = false;
            }
            Call::Repair(most) => repair(&mut front, &medium, &emitted, most.into()),
            Call::Toward(corners, steps) => {
                let corners = corners.map(|number| plain.cell(number));
                emit_toward(&mut front, &medium, &plain, corners, steps.into());
                emitted = plain.sources::<D>();
                is_for_some = !medium.has_links();
            }
            Call::Clear => {
                front.clear();
                is_for_some = false;
            }
            Call::Save => {
                let text = serde_json::to_string(&front).expect("it can be written");
                let copy: Front<D> = serde_json::from_str(&text).expect("what was written is read");
                assert_eq!(copy.state_hash(), front.state_hash());
                front = copy;
            }
            Call::Look => {
                front.run(&medium).expect("it is its medium");
                assert!(front.has_ended() && (is_for_some || !front.is_exhausted()));
                look(&mut front, &mut fields, &medium, &plain);
                emitted = plain.sources::<D>();
                is_for_some = false;
            }
            Call::End(..) => {}
        }
        for (cell, _) in plain.walls.indexed_iter().filter(|(_, wall)| **wall) {
            assert!(medium.is_wall(D::from_zyx(cell.into())));
        }
    }
}

/// Where sources are, no walls are built.
fn set_walls<D: Space>(medium: &mut Medium<D>, plain: &mut Plain, cells: &[(Cell, bool)]) {
    let free = |cell: &Cell| !plain.sources.contains(cell);
    let cells: Vec<_> = cells.iter().copied().filter(|(cell, _)| free(cell)).collect();
    let named: Vec<_> = cells.iter().map(|&(cell, wall)| (D::from_zyx(cell), wall)).collect();
    medium.set_walls(&named).expect("they are in the grid");
    for (cell, wall) in cells {
        plain.walls[cell] = wall;
    }
}

fn emit<D: Space>(front: &mut Front<D>, medium: &Medium<D>, plain: &Plain) {
    let sources = plain.sources::<D>();
    front.emit(medium, &sources).expect("sources are no walls");
}

/// A repaired wave goes on like a wave that is emitted now.
fn repair<D: Space>(front: &mut Front<D>, medium: &Medium<D>, from: &[D::Cell], most: u64) {
    let updates = most * Front::<D>::UPDATES_PER_CHANGE;
    let (reached, before) = (front.reached_cells(), front.updates());
    let is_repaired = front.repair(medium, updates).expect("it is its medium");
    assert!(front.updates() - before <= updates);
    if is_repaired {
        let (mut end, mut new) = (front.clone(), Front::new(medium));
        end.run(medium).expect("it is its medium");
        new.emit(medium, from).expect("they would be near an edit");
        new.run(medium).expect("it is its medium");
        assert_eq!(end.arrivals(), new.arrivals());
        assert_eq!(end.reached_cells(), new.reached_cells());
    } else {
        // But for walls that came.
        assert!(front.reached_cells() <= reached);
    }
}

/// A wave for the cells of a box comes there, if it has time enough, when one does that goes
/// everywhere.
fn emit_toward<D: Space>(
    front: &mut Front<D>,
    medium: &Medium<D>,
    plain: &Plain,
    corners: [Cell; 2],
    steps: f64,
) {
    let mut whole = front.clone();
    emit(&mut whole, medium, plain);
    whole.run(medium).expect("it is its medium");
    let sources = plain.sources::<D>();
    let to = corners.map(D::from_zyx);
    front.emit_toward(medium, &sources, to, steps).expect("sources are no walls");
    let mut ended = front.clone();
    ended.run(medium).expect("it is its medium");
    assert_eq!(ended.is_exhausted(), ended.reached_cells() < whole.reached_cells());
    assert!(!(medium.has_links() && ended.is_exhausted()));
    let [a, b] = corners;
    let is_in_box =
        |cell: Cell| (0..3).all(|i| (a[i].min(b[i])..=a[i].max(b[i])).contains(&cell[i]));
    for (cell, _) in plain.walls.indexed_iter().filter(|(cell, _)| is_in_box((*cell).into())) {
        let at = D::from_zyx(cell.into());
        let due = whole.arrival(at).filter(|time| time * 1.02 + 2.0 <= steps);
        assert!(due.is_none() || ended.arrival(at) == due, "{cell:?}");
    }
}

/// A field that is solved at each look, and one that is repaired as long as its sources stay.
struct Fields<D: Space> {
    solved: ArrivalField<D>,
    repaired: Option<(Vec<Cell>, ArrivalField<D>)>,
}

/// The next wave is as in a medium that was built so.
fn look<D: Space>(front: &mut Front<D>, fields: &mut Fields<D>, medium: &Medium<D>, plain: &Plain) {
    let arrivals = front.arrivals();
    assert_eq!(front.reached_cells(), arrivals.iter().filter(|time| time.is_finite()).count());
    emit(front, medium, plain);
    front.run(medium).expect("it is its medium");
    let sources = plain.sources::<D>();
    fields.solved.solve(medium, &sources).expect("sources are no walls");
    match &mut fields.repaired {
        Some((from, field)) if *from == plain.sources => {
            field.repair(medium).expect("its sources are no walls");
        }
        others => {
            let field = ArrivalField::from_sources(medium, &sources);
            *others = Some((plain.sources.clone(), field.expect("sources are no walls")));
        }
    }

    let fresh = plain.medium::<D>();
    let mut afresh = Front::new(&fresh);
    emit(&mut afresh, &fresh, plain);
    afresh.run(&fresh).expect("it is its medium");
    assert_eq!(front.arrivals(), afresh.arrivals());
    let solved = ArrivalField::from_sources(&fresh, &sources).expect("sources are no walls");
    let repaired = fields.repaired.as_ref().map(|(_, field)| field);
    assert!(repaired.is_none_or(|repaired| *repaired == fields.solved));
    let found = [Some(&fields.solved), repaired].into_iter().flatten();
    for field in found.clone() {
        assert_eq!(field.times(), solved.times());
    }

    let latest = plain.latest();
    for (cell, latest) in latest.indexed_iter() {
        let cell: Cell = cell.into();
        let at = D::from_zyx(cell);
        // Where a link leads on, directions say nothing.
        if front.link(medium, at).is_none() {
            assert_eq!(front.direction(at).map(D::to_xyz), afresh.direction(at).map(D::to_xyz));
            let i = D::shape(at);
            for field in found.clone() {
                assert!(
                    field.directions()[i.clone()] == solved.directions()[i.clone()],
                    "{cell:?}"
                );
            }
        }
        let arrival = front.arrival(at);
        assert_eq!(arrival.is_some(), latest.is_finite(), "{cell:?}");
        let Some(arrival) = arrival else { continue };
        assert!(arrival * medium.dt() <= latest * (1.0 + 1e-6), "{cell:?}: {arrival} {latest}");
        // A way leads home: by a link to an earlier end; to an earlier neighbour; or, where speeds
        // differ, across a corner to an earlier cell.
        if let Some(link) = front.link(medium, at) {
            assert!(front.arrival(link.to).is_some_and(|end| end < arrival), "{link:?}");
        } else if arrival > 0.0 {
            let is_earlier = |there: Cell| {
                let is_there = plain.walls.get(there).is_some();
                is_there && front.arrival(D::from_zyx(there)).is_some_and(|time| time < arrival)
            };
            let across = || {
                let way = front.direction(at).map(D::to_xyz).expect("something came");
                let step = |axis: usize| way[2 - axis].round() as isize;
                is_earlier([0, 1, 2].map(|axis| cell[axis].wrapping_add_signed(step(axis))))
            };
            let has_one = neighbours(cell).any(is_earlier);
            assert!(has_one || !medium.is_uniform() && across(), "{cell:?}");
        }
    }
}
