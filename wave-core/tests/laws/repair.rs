//! A field that is repaired after edits has the bits of one that is solved.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, maze, open_cells, random_walls};
use crate::reference::{Scene, random_speed, reshape};
use glam::{Vec2, Vec3};
use ndarray::{Array3, Ix2, Ix3};
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use wave_core::{ArrivalField, Front, Link, Medium, Simd, Space, WaveError};

/// A space whose directions have bits.
trait Bits: Space {
    fn bits(direction: &Self::Direction) -> [u32; 3];
}
impl Bits for Ix2 {
    fn bits(direction: &Vec2) -> [u32; 3] {
        direction.extend(0.0).to_array().map(f32::to_bits)
    }
}
impl Bits for Ix3 {
    fn bits(direction: &Vec3) -> [u32; 3] {
        direction.to_array().map(f32::to_bits)
    }
}

fn assert_same_bits<D: Bits>(found: &ArrivalField<D>, expected: &ArrivalField<D>, case: &str) {
    let times = found.times().iter().zip(expected.times());
    let ways = found.directions().iter().zip(expected.directions());
    for (i, (time, way)) in times.zip(ways).enumerate() {
        assert_eq!(time.0.to_bits(), time.1.to_bits(), "the time of cell {i}, {case}");
        assert_eq!(D::bits(way.0), D::bits(way.1), "the way from cell {i}, {case}");
    }
}

/// A medium with some sources, and fields of all instruction sets that are repaired time and again.
struct World<D: Space> {
    shape: Cell,
    medium: Medium<D>,
    sources: Vec<D::Cell>,
    fields: Vec<ArrivalField<D>>,
    rng: Rng,
}

impl<D: Bits> World<D> {
    fn new(shape: Cell, medium: Medium<D>, sources: usize, mut rng: Rng) -> Option<Self> {
        let walls = medium.walls();
        let all: Vec<bool> = walls.iter().copied().collect();
        let walls = Array3::from_shape_vec(shape, all).unwrap();
        // At an end of the map, so that most edits are far from them.
        let open = open_cells(&walls);
        let near = open.len().div_ceil(12);
        if open.is_empty() {
            return None;
        }
        let sources: Vec<_> = (0..sources).map(|_| D::from_zyx(open[rng.below(near)])).collect();
        let field = |simd| {
            let mut field = ArrivalField::new(&medium);
            field.set_simd(simd).unwrap();
            field.solve(&medium, &sources).unwrap();
            field
        };
        let fields = Simd::available().map(field).collect();
        Some(Self { shape, medium, sources, fields, rng })
    }

    /// Edits of walls: single cells, doors and blocks; and of speeds, if any.
    fn edit(&mut self, speeds: usize) {
        let edits = [1, 1, 2, 9][self.rng.below(4)];
        for _ in 0..edits {
            let at = self.rng.cell(self.shape);
            let size: Cell = [[1, 1, 1], [1, 1, 4], [1, 4, 1], [2, 3, 3]][self.rng.below(4)];
            let is_wall = self.rng.below(2) == 0;
            let speed = random_speed(speeds.max(1), &mut self.rng);
            let is_speed = speeds > 0 && self.rng.below(3) == 0;
            let to: Cell = std::array::from_fn(|a| (at[a] + size[a]).min(self.shape[a]));
            for z in at[0]..to[0] {
                for y in at[1]..to[1] {
                    for x in at[2]..to[2] {
                        let cell = D::from_zyx([z, y, x]);
                        if is_speed {
                            self.medium.set_speed(cell, speed).unwrap();
                        } else {
                            self.medium.set_wall(cell, is_wall).unwrap();
                        }
                    }
                }
            }
        }
    }

    fn check(&mut self, case: &str) {
        let solved = ArrivalField::from_sources(&self.medium, &self.sources);
        for field in &mut self.fields {
            let before = field.clone();
            let repaired = field.repair(&self.medium);
            match &solved {
                Ok(solved) => {
                    assert_eq!(repaired, Ok(()));
                    assert_same_bits(field, solved, case);
                }
                Err(error) => {
                    assert_eq!(repaired.as_ref(), Err(error));
                    assert_same_bits(field, &before, case);
                }
            }
        }
    }

    fn walls(&self) -> Array3<bool> {
        let all = self.medium.walls().iter().copied().collect();
        Array3::from_shape_vec(self.shape, all).unwrap()
    }

    fn run(&mut self, rounds: usize, speeds: usize) {
        for round in 0..rounds {
            self.edit(speeds);
            self.check(&format!("round {round}"));
        }
    }
}

/// A medium of one speed.
fn of_walls<D: Space>(walls: &Array3<bool>) -> Medium<D> {
    Medium::from_walls(&reshape::<D, _>(walls)).unwrap()
}

/// A medium of so many speeds, in areas or single cells; 0: of one.
fn of_speeds<D: Space>(walls: &Array3<bool>, speeds: usize, rng: &mut Rng) -> Medium<D> {
    if speeds == 0 {
        // Media that know but one speed are marched through otherwise.
        return of_walls(walls);
    }
    let mut scene = Scene::new(walls.clone(), 0.98).with_speeds(speeds, rng);
    let side = 1 + rng.below(9);
    let of = scene.speeds.clone();
    for ((z, y, x), speed) in scene.speeds.indexed_iter_mut() {
        *speed = of[[z / side, y / side, x / side]];
    }
    scene.medium::<D, f32>()
}

/// A medium whose walls have slower speeds than all open cells, by up to a factor of 800.
fn of_slow_walls<D: Space>(walls: &Array3<bool>, rng: &mut Rng) -> Medium<D> {
    let slow = 10f64.powf(-0.5 - 2.4 * rng.unit());
    let speeds = walls.map(|&wall| match (wall, rng.below(4)) {
        (true, _) => slow * (1.0 + rng.unit()),
        (false, 0) => 0.8,
        (false, _) => 1.0,
    });
    let (nz, ny, nx) = walls.dim();
    let (walls, speeds) = (reshape::<D, _>(walls), reshape::<D, _>(&speeds));
    let builder = Medium::<D>::builder(D::from_zyx([nz, ny, nx])).dt(0.5);
    builder.walls(&walls).speeds(&speeds).build().unwrap()
}

/// Walls open one after the other, each perhaps onto the slowest cell so far. Afterwards fields are
/// also solved from elsewhere.
fn opens_slow_cells<D: Bits>(walls: &Array3<bool>, mut rng: Rng) {
    let medium = of_slow_walls::<D>(walls, &mut rng);
    let (nz, ny, nx) = walls.dim();
    let Some(mut world) = World::new([nz, ny, nx], medium, 1, rng) else { return };
    for round in 0..4 {
        for _ in 0..3 {
            let cell = D::from_zyx(world.rng.cell(world.shape));
            world.medium.set_wall(cell, false).unwrap();
        }
        world.check(&format!("round {round}"));
    }
    for _ in 0..4 {
        let open = open_cells(&world.walls());
        world.sources = vec![D::from_zyx(open[world.rng.below(open.len())])];
        for field in &mut world.fields {
            field.solve(&world.medium, &world.sources).unwrap();
        }
        world.check("solved from elsewhere");
    }
}

fn follows<D: Bits>(walls: &Array3<bool>, speeds: usize, mut rng: Rng) {
    let medium = of_speeds::<D>(walls, speeds, &mut rng);
    let (nz, ny, nx) = walls.dim();
    let sources = 1 + rng.below(2);
    if let Some(mut world) = World::new([nz, ny, nx], medium, sources, rng) {
        world.run(12, speeds);
    }
}

/// Links of many lengths between random cells.
fn any_links(walls: &Array3<bool>, rng: &mut Rng) -> Vec<Link<Cell>> {
    let open = open_cells(walls);
    let mut any = || open[rng.below(open.len())];
    let ends = (0..30).map(|_| (any(), any())).filter(|(a, b)| a != b).enumerate();
    ends.map(|(i, (from, to))| Link { from, to, time: [1.0, 3.5, 20.0, 90.0][i % 4] }).collect()
}

/// A medium of one speed with links.
fn of_links<D: Space>(walls: &Array3<bool>, rng: &mut Rng) -> Medium<D> {
    let links = any_links(walls, rng);
    let named = |link: &Link<Cell>| {
        let [from, to] = [link.from, link.to].map(D::from_zyx);
        Link { from, to, time: link.time }
    };
    let links: Vec<_> = links.iter().map(named).collect();
    let (nz, ny, nx) = walls.dim();
    let medium = Medium::<D>::builder(D::from_zyx([nz, ny, nx]));
    medium.walls(&reshape::<D, _>(walls)).links(&links).build().unwrap()
}

fn follows_linked<D: Bits>(walls: &Array3<bool>, mut rng: Rng) {
    let medium = of_links::<D>(walls, &mut rng);
    let (nz, ny, nx) = walls.dim();
    World::new([nz, ny, nx], medium, 1, rng).unwrap().run(12, 0);
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_repaired_flat_field_is_the_solved_one(
        seed: u64, fraction in 0.0..0.4f64, speeds in 0..3usize, narrow: bool,
    ) {
        let mut rng = Rng(seed);
        let walls = if narrow {
            maze([8, 9], 1 + rng.below(4), &mut rng)
        } else {
            random_walls([1, 50 + rng.below(9), 60 + rng.below(20)], fraction, &mut rng)
        };
        follows::<Ix2>(&walls, [0, 2, Scene::SPEEDS][speeds], rng);
    }

    #[test]
    fn a_repaired_deep_field_is_the_solved_one(
        seed: u64, fraction in 0.0..0.4f64, speeds in 0..3usize,
    ) {
        let mut rng = Rng(seed);
        let shape = [2 + rng.below(14), 12 + rng.below(9), 12 + rng.below(20)];
        let walls = random_walls(shape, fraction, &mut rng);
        follows::<Ix3>(&walls, [0, 2, Scene::SPEEDS][speeds], rng);
    }

    #[test]
    fn a_field_is_repaired_where_walls_open_onto_slower_cells(
        seed: u64, fraction in 0.1..0.5f64, deep: bool,
    ) {
        let mut rng = Rng(seed);
        let shape = if deep { [4, 12, 16] } else { [1, 20 + rng.below(40), 20 + rng.below(40)] };
        let walls = random_walls(shape, fraction, &mut rng);
        if deep { opens_slow_cells::<Ix3>(&walls, rng) } else { opens_slow_cells::<Ix2>(&walls, rng) }
    }

    #[test]
    fn a_field_with_links_is_repaired(seed: u64, fraction in 0.0..0.4f64, deep: bool) {
        let mut rng = Rng(seed);
        let shape = if deep { [6, 14, 20] } else { [1, 40, 60] };
        let walls = random_walls(shape, fraction, &mut rng);
        if deep { follows_linked::<Ix3>(&walls, rng) } else { follows_linked::<Ix2>(&walls, rng) }
    }
}

/// Fronts of all instruction sets, emitted on a map that is edited while they run and afterwards.
fn fronts_follow<D: Bits>(
    shape: Cell,
    medium: Medium<D>,
    speeds: usize,
    mut rng: Rng,
    repaired: &AtomicUsize,
) {
    let sources = 1 + rng.below(2);
    let Some(mut world) = World::<D>::new(shape, medium, sources, rng) else { return };
    let mut fronts: Vec<_> =
        Simd::available().map(|simd| (simd, Front::new(&world.medium))).collect();
    for (simd, front) in &mut fronts {
        front.set_simd(*simd).unwrap();
    }
    for round in 0..12 {
        world.edit(speeds);
        if round % 4 == 0 {
            for (_, front) in &mut fronts {
                if front.emit(&world.medium, &world.sources).is_err() {
                    return;
                }
                front.step(&world.medium, 30).unwrap();
            }
            world.edit(speeds);
        }
        let mut new = Front::new(&world.medium);
        if new.emit(&world.medium, &world.sources).is_err() {
            return;
        }
        new.run(&world.medium).unwrap();
        let updates = [u64::MAX, u64::MAX, 700, 2500][world.rng.below(4)];
        // To the end, or on the way.
        let steps = [usize::MAX, 0, 40][round % 3];
        for (simd, front) in &mut fronts {
            front.step(&world.medium, steps).unwrap();
            let before = front.clone();
            let case = format!("round {round}, {simd:?}, {:?}", world.shape);
            if !front.repair(&world.medium, updates).unwrap() {
                assert_eq!(front.arrivals(), before.arrivals(), "{case}");
                assert_eq!(front.reached_cells(), before.reached_cells(), "{case}");
                assert_eq!(front.state_hash(), before.state_hash(), "{case}");
                let [mut end, mut expected] = [front.clone(), before];
                end.run(&world.medium).unwrap();
                expected.run(&world.medium).unwrap();
                assert_eq!(end.state_hash(), expected.state_hash(), "{case}");
                continue;
            }
            repaired.fetch_add(1, Ordering::Relaxed);
            assert!(!before.has_ended() || front.has_ended(), "{case}");
            // The cells that it has come to: no fewer than that one had after so many steps.
            let reached = front.arrivals().iter().filter(|time| time.is_finite()).count();
            assert_eq!(front.reached_cells(), reached, "{case}");
            let mut as_far = Front::new(&world.medium);
            as_far.emit(&world.medium, &world.sources).unwrap();
            as_far.step(&world.medium, before.steps() as usize).unwrap();
            for (found, expected) in front.arrivals().iter().zip(&as_far.arrivals()) {
                assert!(found <= expected, "{case}");
            }
            for (found, expected) in front.arrivals().iter().zip(&new.arrivals()) {
                assert!(found.is_infinite() || found == expected, "{case}");
            }
            let mut end = front.clone();
            end.run(&world.medium).unwrap();
            assert_eq!(end.arrivals(), new.arrivals(), "{case}");
            assert_eq!(end.reached_cells(), new.reached_cells(), "{case}");
            for at in open_cells(&world.walls()) {
                let cell = D::from_zyx(at);
                assert_eq!(end.direction(cell), new.direction(cell), "{case}: {at:?}");
                let links = [&end, &new].map(|front| front.link(&world.medium, cell));
                assert_eq!(links[0], links[1], "{case}: {at:?}");
            }
        }
        let hashes = fronts.iter().map(|(_, front)| (front.state_hash(), front.updates()));
        assert!(hashes.collect::<Vec<_>>().windows(2).all(|two| two[0] == two[1]));
    }
}

/// How many of many fronts are repaired on maps that `medium` makes of walls, of so many speeds.
fn fronts_repaired(
    speeds: usize,
    flat: impl Fn(&Array3<bool>, &mut Rng) -> Medium<Ix2>,
    deep: impl Fn(&Array3<bool>, &mut Rng) -> Medium<Ix3>,
) -> usize {
    let repaired = AtomicUsize::new(0);
    for seed in 0..120 {
        let mut rng = Rng(seed);
        let fraction = [0.0, 0.1, 0.3][rng.below(3)];
        let walls = match seed % 3 {
            0 => random_walls([1, 90 + rng.below(9), 80], fraction, &mut rng),
            1 => maze([22, 25], 2 + rng.below(3), &mut rng),
            _ => random_walls([12, 26, 30], fraction, &mut rng),
        };
        let (nz, ny, nx) = walls.dim();
        if nz == 1 {
            let medium = flat(&walls, &mut rng);
            fronts_follow([nz, ny, nx], medium, speeds, rng, &repaired);
        } else {
            let medium = deep(&walls, &mut rng);
            fronts_follow([nz, ny, nx], medium, speeds, rng, &repaired);
        }
    }
    repaired.into_inner()
}

#[test]
fn a_repaired_front_is_a_new_one() {
    let repaired = fronts_repaired(0, |walls, _| of_walls(walls), |walls, _| of_walls(walls));
    assert!(repaired > 300, "{repaired}: most of them are repaired");
}

#[test]
fn a_front_is_repaired_where_speeds_differ() {
    for speeds in [2, Scene::SPEEDS] {
        let flat = |walls: &Array3<bool>, rng: &mut Rng| of_speeds(walls, speeds, rng);
        let deep = |walls: &Array3<bool>, rng: &mut Rng| of_speeds(walls, speeds, rng);
        let repaired = fronts_repaired(speeds, flat, deep);
        assert!(repaired > 300, "{speeds}: {repaired}: most of them are repaired");
    }
}

#[test]
fn a_front_is_repaired_where_links_lead() {
    let repaired = fronts_repaired(0, of_links, of_links);
    assert!(repaired > 300, "{repaired}: most of them are repaired");
}

/// With links of the same length, it took the way of others.
#[test]
fn with_a_medium_of_other_links_a_front_is_not_repaired() {
    let medium = |from: [usize; 2]| {
        let link = Link { from, to: [12, 12], time: 5.0 };
        let mut medium = Medium::<Ix2>::builder([100, 100]).links(&[link]).build().unwrap();
        medium.set_wall([50, 50], true).unwrap();
        medium
    };
    let [mut one, mut other] = [[90, 90], [10, 90]].map(medium);
    let mut front = Front::new(&one);
    front.emit(&one, &[[10, 10]]).unwrap();
    front.run(&one).unwrap();
    for medium in [&mut one, &mut other] {
        medium.set_wall([60, 60], true).unwrap();
    }
    let mut astray = front.clone();
    assert_eq!(astray.repair(&other, u64::MAX), Ok(false));
    assert_eq!(front.repair(&one, u64::MAX), Ok(true));
}

/// Repairs and solves in turns, of one field from here and there, and searches that stop early.
#[test]
fn what_a_field_did_before_a_repair_leaves_no_trace() {
    let mut rng = Rng(5);
    let medium = of_walls::<Ix2>(&random_walls([1, 60, 80], 0.2, &mut rng));
    let mut world = World::new([1, 60, 80], medium, 1, rng).unwrap();
    for round in 0..60 {
        world.edit(0);
        let open = open_cells(&reshape::<Ix3, _>(
            &Array3::from_shape_vec([1, 60, 80], world.medium.walls().into_iter().collect())
                .unwrap(),
        ));
        let [_, y, x] = open[world.rng.below(open.len())];
        match world.rng.below(4) {
            0 => {
                world.sources = vec![[y, x]];
                let World { fields, medium, sources, .. } = &mut world;
                for field in fields.iter_mut() {
                    field.solve(medium, sources).unwrap();
                }
                world.edit(0);
            }
            // A copy of the medium, and back.
            1 => world.medium = world.medium.clone(),
            2 => {
                let World { fields, medium, sources, .. } = &mut world;
                for field in fields.iter_mut() {
                    if field.solve_until(medium, sources, &[[y, x]]).is_ok() {
                        let early = field.clone();
                        field.repair(medium).unwrap();
                        assert_same_bits(field, &early, "nothing was edited");
                    }
                    let _ = field.solve(medium, sources);
                }
            }
            _ => {}
        }
        if world.medium.is_wall(world.sources[0]) {
            world.medium.set_wall(world.sources[0], false).unwrap();
        }
        world.check(&format!("round {round}"));
    }
}

/// Doors of four cells that close and open.
fn doors<D: Bits>(shape: Cell, mut medium: Medium<D>, count: usize, case: &str) {
    let mut rng = Rng(21);
    let any_open = |medium: &Medium<D>, rng: &mut Rng| loop {
        let cell = rng.cell(shape);
        if !medium.is_wall(D::from_zyx(cell)) {
            return cell;
        }
    };
    let source = any_open(&medium, &mut rng);
    let mut field = ArrivalField::from_sources(&medium, &[D::from_zyx(source)]).unwrap();
    for _ in 0..count {
        let first = any_open(&medium, &mut rng);
        let axis = 3 - D::AXES + rng.below(D::AXES);
        let door = (0..4).map(|n| {
            let mut cell = first;
            cell[axis] += n;
            cell
        });
        let is_free = |cell: &Cell| *cell != source && !medium.is_wall(D::from_zyx(*cell));
        let door: Vec<_> = door.filter(is_free).map(D::from_zyx).collect();
        for is_wall in [true, false] {
            for &cell in &door {
                medium.set_wall(cell, is_wall).unwrap();
            }
            field.repair(&medium).unwrap();
            let solved = ArrivalField::from_sources(&medium, &[D::from_zyx(source)]).unwrap();
            assert_same_bits(&field, &solved, &format!("{case}, {door:?}"));
        }
    }
}

/// In mazes and among many walls, cells behind a door have no way or a long one round.
#[test]
fn where_a_door_is_the_only_way_or_nearly_fields_are_repaired() {
    for seed in 0..60 {
        let mut rng = Rng(seed);
        let walls = match seed % 3 {
            0 => random_walls([1, 90, 100], 0.35, &mut rng),
            1 => random_walls([1, 90, 100], 0.2, &mut rng),
            _ => maze([20, 24], 3 + rng.below(3), &mut rng),
        };
        let (nz, ny, nx) = walls.dim();
        doors([nz, ny, nx], of_walls::<Ix2>(&walls), 20, &format!("seed {seed}"));
    }
}

#[test]
fn a_field_that_was_worked_out_in_blocks_by_threads_is_repaired() {
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let shape = [104, 104, 104];
            let walls = random_walls(shape, 0.1, &mut Rng(4));
            doors(shape, of_walls::<Ix3>(&walls), 3, &format!("{threads} threads"));
        });
    }
}

#[test]
fn fields_on_maps_of_games_are_repaired() {
    let Some(data) = std::env::var_os("DATA_DIR").map(std::path::PathBuf::from) else {
        println!("skipped: DATA_DIR is not set");
        return;
    };
    for name in ["bg512/AR0044SR", "wc3maps512/heart2heart", "dao/brc501d", "mazes/maze512-32-0"] {
        let file = data.join("movingai").join(name).with_extension("map");
        let text = std::fs::read_to_string(file).unwrap();
        let rows: Vec<&[u8]> = text.lines().skip(4).map(str::as_bytes).collect();
        let shape = [1, rows.len(), rows[0].len()];
        let is_wall = |(_, y, x): (usize, usize, usize)| !b".GS".contains(&rows[y][x]);
        let walls = Array3::from_shape_fn(shape, is_wall);
        doors(shape, of_walls::<Ix2>(&walls), 12, name);
    }
}

#[test]
fn what_cannot_be_repaired_is_refused_and_the_field_stays() {
    let mut medium = Medium::<Ix2>::builder([30, 40]).build().unwrap();
    let other = Medium::<Ix2>::builder([30, 41]).build().unwrap();
    let mut field = ArrivalField::new(&medium);
    assert_eq!(field.repair(&medium), Err(WaveError::NoSource));
    field.solve(&medium, &[[3, 4]]).unwrap();
    let before = field.clone();
    assert!(matches!(field.repair(&other), Err(WaveError::OtherMedium { .. })));
    medium.set_walls(&[([3, 4], true), ([20, 20], true)]).unwrap();
    assert_eq!(field.repair(&medium), Err(WaveError::Wall { cell: vec![3, 4] }));
    assert_same_bits(&field, &before, "it was refused");
    // Nothing is forgotten meanwhile.
    medium.set_wall([3, 4], false).unwrap();
    field.repair(&medium).unwrap();
    let solved = ArrivalField::from_sources(&medium, &[[3, 4]]).unwrap();
    assert_same_bits(&field, &solved, "the source is open again");
    assert!(field != before);
}
