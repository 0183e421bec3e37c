//! Links: ways from a cell to another, one way only, that a wave comes through the other way round.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, neighbours, open_cells, random_walls};
use ndarray::{Array, Array2, Array3, Ix2, Ix3};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wave_core::{
    ArrivalField, Front, Link, LinkFault, Medium, MediumError, RecordedWave, Space, Wave, WaveError,
};

/// The time of the fastest cell, in the units of arrival times.
const UNIT: u64 = 320;

/// A map with links between random cells, some longer than the map is wide, some only just as long
/// as a cell.
struct Linked {
    walls: Array3<bool>,
    links: Vec<Link<Cell>>,
    rng: Rng,
}

impl Linked {
    fn new(walls: Array3<bool>, count: usize, mut rng: Rng) -> Option<Self> {
        let open = open_cells(&walls);
        let mut links = Vec::new();
        while links.len() < count && open.len() > 1 {
            let [from, to] = [0; 2].map(|_| open[rng.below(open.len())]);
            let time = [1.0, 1.0 + rng.unit(), 9.0 * (1.0 + rng.unit()), 200.0][rng.below(4)];
            if from != to {
                links.push(Link { from, to, time });
            }
        }
        (!open.is_empty()).then_some(Self { walls, links, rng })
    }

    /// Cells that touch nowhere, so that only links lead anywhere.
    fn islands(shape: Cell, count: usize, rng: Rng) -> Option<Self> {
        let walls = Array::from_shape_fn(shape, |(z, y, x)| z % 2 + y % 2 + x % 2 > 0);
        Self::new(walls, count, rng)
    }

    fn medium<D: Space>(&self) -> Medium<D> {
        let (nz, ny, nx) = self.walls.dim();
        let shape = D::from_zyx([nz, ny, nx]);
        let walls: Vec<bool> = self.walls.iter().copied().collect();
        let walls = Array::from_shape_vec(D::shape(shape), walls).unwrap();
        let links: Vec<_> = self.links.iter().map(in_space::<D>).collect();
        Medium::<D>::builder(shape).walls(&walls).links(&links).build().unwrap()
    }

    fn any_open(&mut self) -> Cell {
        let open = open_cells(&self.walls);
        open[self.rng.below(open.len())]
    }

    /// Times by a plain search over links, and over neighbours if they count, in 320ths of a cell.
    /// By the scheme itself ways over neighbours are shorter, but they lead to the same cells.
    fn search(&self, medium_dt: f64, unit: f64, source: Cell) -> Array3<Option<u64>> {
        let mut times = Array3::from_elem(self.walls.dim(), None);
        let mut heap = BinaryHeap::from([(Reverse(0), source)]);
        while let Some((Reverse(time), cell)) = heap.pop() {
            if times[cell].is_some() || self.walls[cell] {
                continue;
            }
            times[cell] = Some(time);
            let (nz, ny, nx) = self.walls.dim();
            for there in neighbours([nz, ny, nx], cell) {
                heap.push((Reverse(time + UNIT), there));
            }
            for link in self.links.iter().filter(|link| link.to == cell) {
                let each = ((link.time / medium_dt / unit).round() as u64).max(UNIT);
                heap.push((Reverse(time + each), link.from));
            }
        }
        times
    }
}

fn in_space<D: Space>(link: &Link<Cell>) -> Link<D::Cell> {
    Link { from: D::from_zyx(link.from), to: D::from_zyx(link.to), time: link.time }
}

/// `[units: steps]` What a unit of time is where all cells are as fast.
fn unit<D: Space>(medium: &Medium<D>) -> f64 {
    let courant = medium.dt() / medium.spacing();
    // As a number of four bytes, that may not be above the bound of stability.
    1.0 / (UNIT as f64 * f64::from((courant * courant) as f32).sqrt())
}

/// A front that is run to its end, in steps of its own.
fn run<D: Space>(medium: &Medium<D>, source: Cell, rng: &mut Rng) -> Front<D> {
    let mut front = Front::new(medium);
    front.emit(medium, &[D::from_zyx(source)]).unwrap();
    while !front.has_ended() {
        let most = front.next_updates() * (1 + rng.below(5)) as u64;
        front.step_within(medium, 1 + rng.below(9), most).unwrap();
    }
    front
}

/// Where only links lead anywhere, times are those of a plain search, to the last unit.
fn is_the_search<D: Space>(shape: Cell, count: usize, seed: u64) {
    let mut map = Linked::islands(shape, count, Rng(seed)).unwrap();
    let source = map.any_open();
    let medium = map.medium::<D>();
    let unit = unit(&medium);
    let expected = map.search(medium.dt(), unit, source);
    let front = run(&medium, source, &mut map.rng);
    let field = ArrivalField::from_sources(&medium, &[D::from_zyx(source)]).unwrap();
    assert_eq!(front.reached_cells(), expected.iter().flatten().count());
    assert_eq!(front.arrivals(), *field.times());
    for cell in open_cells(&map.walls) {
        let at = D::from_zyx(cell);
        let time = front.arrival(at).map(|steps| (steps / unit).round() as u64);
        assert_eq!(time, expected[cell], "{cell:?}");
        let link = front.link(&medium, at);
        assert_eq!(link, field.link(&medium, at));
        assert_eq!(link.is_some(), time.is_some_and(|time| time > 0), "{cell:?}");
    }
}

/// Exactly the cells with a way to the source are reached; from every reached cell the way home
/// goes on to an earlier neighbour or by a link to an earlier end; a field and a front say the
/// same, in any portions and saved on the way.
fn leads_home<D: Space>(shape: Cell, fraction: f64, count: usize, seed: u64) {
    let mut rng = Rng(seed);
    let walls = random_walls(shape, fraction, &mut rng);
    let Some(mut map) = Linked::new(walls, count, rng) else { return };
    let source = map.any_open();
    let medium = map.medium::<D>();
    let front = run(&medium, source, &mut map.rng);
    let field = ArrivalField::from_sources(&medium, &[D::from_zyx(source)]).unwrap();
    let expected = map.search(medium.dt(), unit(&medium), source);
    assert_eq!(front.arrivals(), *field.times());
    let arrival = |cell: Cell| front.arrival(D::from_zyx(cell));
    for cell in open_cells(&map.walls) {
        let at = D::from_zyx(cell);
        assert_eq!(arrival(cell).is_some(), expected[cell].is_some(), "{cell:?}");
        let link = front.link(&medium, at);
        assert_eq!(link, field.link(&medium, at));
        let Some(time) = arrival(cell).filter(|&time| time > 0.0) else { continue };
        if let Some(link) = link {
            assert!(map.links.iter().any(|known| in_space::<D>(known) == link));
            let since = (time - front.arrival(link.to).unwrap()) * medium.dt();
            // To half a unit, and a cell at least.
            let off = since - link.time.max(medium.spacing());
            assert!(off.abs() < 1.0 / 320.0, "{link:?} took {since}");
        } else {
            let beside = neighbours(shape, cell).into_iter().filter_map(arrival);
            assert!(beside.fold(f64::INFINITY, f64::min) < time, "{cell:?}");
        }
    }
}

/// Whatever is closed and opened on the way: the next wave is as on a medium that was built so.
fn survives_edits<D: Space>(shape: Cell, count: usize, seed: u64) {
    let mut rng = Rng(seed);
    let walls = random_walls(shape, 0.4, &mut rng);
    let Some(mut map) = Linked::new(walls, count, rng) else { return };
    let source = map.any_open();
    let mut medium = map.medium::<D>();
    let mut front = Front::new(&medium);
    let mut field = ArrivalField::new(&medium);
    front.emit(&medium, &[D::from_zyx(source)]).unwrap();
    for _ in 0..25 {
        front.step(&medium, map.rng.below(6)).unwrap();
        // Ends of links, mostly.
        let anywhere = map.rng.cell(shape);
        let n = map.rng.below(count + 1);
        let cell = map.links.get(n).map_or(anywhere, |link| [link.from, link.to][n % 2]);
        let wall = map.rng.below(2) == 0;
        if cell != source {
            medium.set_wall(D::from_zyx(cell), wall).unwrap();
            map.walls[cell] = wall;
        }
        field.solve(&medium, &[D::from_zyx(source)]).unwrap();
    }
    front.run(&medium).unwrap();
    for (cell, _) in map.walls.indexed_iter().filter(|(_, wall)| **wall) {
        assert_eq!(front.arrival(D::from_zyx(cell.into())), None);
    }
    let arrivals = front.arrivals().iter().filter(|t| t.is_finite()).count();
    assert_eq!(front.reached_cells(), arrivals);

    front.emit(&medium, &[D::from_zyx(source)]).unwrap();
    front.run(&medium).unwrap();
    assert_eq!(front.arrivals(), *field.times());
    let reached = map.search(medium.dt(), unit(&medium), source);
    for cell in open_cells(&map.walls) {
        let at = D::from_zyx(cell);
        assert_eq!(front.arrival(at).is_some(), reached[cell].is_some(), "{cell:?}");
        assert_eq!(front.link(&medium, at), field.link(&medium, at));
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn where_only_links_lead_anywhere_times_are_those_of_a_plain_search(
        seed: u64, count in 0..120usize,
    ) {
        is_the_search::<Ix2>([1, 9, 13], count, seed);
        is_the_search::<Ix3>([5, 7, 5], count, seed);
    }

    #[test]
    fn every_way_home_goes_on_to_an_earlier_neighbour_or_by_a_link(
        seed: u64, fraction in 0.0..0.97f64, count in 0..40usize,
    ) {
        leads_home::<Ix2>([1, 17, 23], fraction, count, seed);
        leads_home::<Ix3>([4, 9, 8], fraction, count, seed);
    }

    #[test]
    fn links_survive_any_edits(seed: u64, count in 0..40usize) {
        survives_edits::<Ix2>([1, 12, 15], count, seed);
        survives_edits::<Ix3>([3, 8, 9], count, seed);
    }
}

/// Two cells, and a link from the left one to the right one.
fn two_cells() -> (Medium<Ix2>, Link<[usize; 2]>) {
    let mut walls = Array::from_elem([1, 3], false);
    walls[[0, 1]] = true;
    let link = Link { from: [0, 0], to: [0, 2], time: 2.5 };
    (Medium::<Ix2>::builder([1, 3]).walls(&walls).links(&[link]).build().unwrap(), link)
}

#[test]
fn a_link_leads_one_way_and_not_through_walls() {
    let (mut medium, link) = two_cells();
    let mut front = Front::new(&medium);
    let mut reaches = |medium: &Medium<Ix2>, source: [usize; 2], cell: [usize; 2]| {
        front.emit(medium, &[source]).unwrap();
        front.run(medium).unwrap();
        assert_eq!(front.link(medium, cell).is_some(), front.arrival(cell).is_some());
        front.arrival(cell).is_some()
    };
    assert!(reaches(&medium, link.to, link.from));
    assert!(!reaches(&medium, link.from, link.to));
    medium.set_wall(link.from, true).unwrap();
    assert!(!reaches(&medium, link.to, link.from));
    medium.set_wall(link.from, false).unwrap();
    assert!(reaches(&medium, link.to, link.from));
}

/// Where speeds that are set later make every cell slower than a link.
#[test]
fn a_link_takes_as_long_as_the_fastest_cell_at_least() {
    let (mut medium, link) = two_cells();
    for x in 0..3 {
        medium.set_speed([0, x], 0.125).unwrap();
    }
    let mut front = Front::new(&medium);
    front.emit(&medium, &[link.to]).unwrap();
    front.run(&medium).unwrap();
    let time = front.arrival(link.from).unwrap() * medium.dt();
    assert!((time - 8.0).abs() < 0.03, "{time}");
}

#[test]
fn links_that_are_not_possible_are_refused_by_name() {
    let mut walls = Array::from_elem([4, 5], false);
    walls[[1, 1]] = true;
    let refusal = |from: [usize; 2], to: [usize; 2], time: f64| {
        let links = [Link { from: [0, 0], to: [3, 3], time: 5.0 }, Link { from, to, time }];
        let builder = Medium::<Ix2>::builder([4, 5]).walls(&walls).speed(2.0).dt(0.25);
        builder.links(&links).build().unwrap_err()
    };
    let outside = MediumError::OutOfGrid { cell: vec![4, 0], shape: vec![4, 5] };
    assert_eq!(refusal([0, 0], [4, 0], 5.0), outside);
    assert_eq!(refusal([4, 0], [0, 0], 5.0), outside);
    let fault = |from: [usize; 2], to: [usize; 2], time| match refusal(from, to, time) {
        MediumError::Link { from: a, to: b, fault } if (&a[..], &b[..]) == (&from, &to) => fault,
        other => panic!("{other}"),
    };
    assert_eq!(fault([1, 1], [0, 0], 5.0), LinkFault::FromWall);
    assert_eq!(fault([0, 0], [1, 1], 5.0), LinkFault::ToWall);
    assert_eq!(fault([2, 0], [2, 0], 5.0), LinkFault::SameCell);
    // A cell takes 0.5, and 4096 steps are 1024.
    for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0, 0.49, 1024.5] {
        let found = fault([0, 0], [3, 3], bad);
        let LinkFault::Time { time, min_time, max_time } = found else { panic!("{found}") };
        assert_eq!((time.to_bits(), min_time, max_time), (bad.to_bits(), 0.5, 1024.0));
    }
}

/// A link may take as little as the fastest cell, also where speeds are so many that they are
/// rounded.
#[test]
fn the_shortest_link_is_one_cell_of_the_fastest_speed() {
    let speeds = Array2::from_shape_fn([20, 20], |(y, x)| 1.1 - (y * 20 + x) as f64 * 1e-3);
    let built = |time: f64| {
        let links = [Link { from: [0, 0], to: [9, 9], time }];
        Medium::<Ix2>::builder([20, 20]).speeds(&speeds).links(&links).build()
    };
    assert!(built(1.0 / 1.1).is_ok());
    assert!(built(1.0 / 1.1 * (1.0 - 1e-12)).is_err());
}

#[test]
fn waves_of_the_wave_equation_refuse_links() {
    let (medium, _) = two_cells();
    assert_eq!(Wave::<Ix2>::new(&medium).unwrap_err(), WaveError::Links);
    assert_eq!(RecordedWave::<Ix2>::new(&medium).unwrap_err(), WaveError::Links);
}

/// Links longer than all that the wave before had room for.
#[test]
fn links_of_another_medium_are_the_next_waves() {
    let without = Medium::<Ix2>::builder([3, 40]).build().unwrap();
    let link = Link { from: [0, 39], to: [0, 1], time: 25.0 };
    let with = Medium::<Ix2>::builder([3, 40]).links(&[link]).build().unwrap();
    let mut front = Front::new(&without);
    front.emit(&without, &[[0, 0]]).unwrap();
    front.run(&with).unwrap();
    assert!((front.arrival([0, 39]).unwrap() * with.dt() - 39.0).abs() < 0.1);
    front.emit(&with, &[[0, 0]]).unwrap();
    front.run(&with).unwrap();
    assert!((front.arrival([0, 39]).unwrap() * with.dt() - 26.0).abs() < 0.1);
}
