//! The scene is the same for all contestants: the map, where pursuers start, and the target's
//! course.

use super::fields::{Dijkstra, Field};
use super::lattice::{Cell, Lattice, Place, distance};
use crate::region::{NO_CELL, Region};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_harness::maps::MapFile;

/// A flat map with somewhere to walk.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    pub(crate) name: String,
    pub(crate) lattice: Lattice,
    /// The cells of its largest region.
    pub(crate) cells: Vec<Cell>,
}

impl Arena {
    /// The largest region of a map, and the other cells of its class.
    ///
    /// # Errors
    /// In words, where nobody can walk or the map is not flat.
    pub(crate) fn new(map: &MapFile) -> Result<Self, &'static str> {
        if map.dimensions() != 2 {
            return Err("the map has three axes; this comparison takes two");
        }
        let Region { class, cells } = Region::largest(map).ok_or(NO_CELL)?;
        let lattice = Lattice::new(&map.walls(class).index_axis_move(ndarray::Axis(0), 0));
        let cells = cells.into_iter().map(|[_, y, x]| lattice.cell_at(x, y)).collect();
        Ok(Self { name: map.name().to_owned(), lattice, cells })
    }
}

/// The scene of a game.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) lattice: Lattice,
    pub(crate) starts: Vec<Cell>,
    /// Where the target is, from before the first frame to the last one.
    pub(crate) course: Vec<Place>,
    /// Open cells that the target never comes near, for edits.
    pub(crate) aside: Vec<bool>,
}

/// `[units: cells]` How far edits keep from the target's course.
const ASIDE: usize = 4;

impl Scene {
    /// `target_speed` in cells per frame.
    pub(crate) fn new(
        arena: &Arena,
        pursuers: usize,
        frames: usize,
        target_speed: f64,
        seed: u64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut any = || arena.cells[rng.random_range(0..arena.cells.len())];
        let lattice = arena.lattice.clone();
        let starts = (0..pursuers).map(|_| any()).collect();
        let way = ramble(&lattice, &mut any, target_speed * frames as f64);
        let course = sample(&lattice, &way, frames, target_speed);
        let mut aside = lattice.open.clone();
        for &place in &course {
            let [x, y] = lattice.xy(lattice.cell(place));
            for (x, y) in around(x, y) {
                if let Some(cell) = aside.get_mut(lattice.cell_at(x, y)) {
                    *cell = false;
                }
            }
        }
        Self { lattice, starts, course, aside }
    }
}

/// The cells around, on the map to the left and above; to the right a row may run into the next.
fn around(x: usize, y: usize) -> impl Iterator<Item = (usize, usize)> {
    let span = |c: usize| c.saturating_sub(ASIDE)..=c + ASIDE;
    span(y).flat_map(move |y| span(x).map(move |x| (x, y)))
}

/// Shortest ways to random cells, one after another, until they are `length` long or lead nowhere.
fn ramble(lattice: &Lattice, any: &mut impl FnMut() -> Cell, length: f64) -> Vec<Cell> {
    let mut field = Dijkstra::new(lattice);
    let mut at = any();
    let mut way = vec![at];
    let mut walked = 0.0;
    // A region of a cell or two has no long ways; the target then stands still in the end.
    for _ in 0..10_000 {
        if walked >= length {
            break;
        }
        field.fill(any());
        loop {
            let next = field.next(at);
            if next == at {
                break;
            }
            walked += distance(lattice.centre(at), lattice.centre(next));
            way.push(next);
            at = next;
        }
    }
    way
}

/// Places on the way, `speed` apart, one more than `frames`.
fn sample(lattice: &Lattice, way: &[Cell], frames: usize, speed: f64) -> Vec<Place> {
    let mut places = Vec::with_capacity(frames + 1);
    let mut begin = 0.0;
    let mut legs = way.windows(2).map(|leg| [lattice.centre(leg[0]), lattice.centre(leg[1])]);
    let still = [lattice.centre(way[0]); 2];
    let mut leg = legs.next().unwrap_or(still);
    for frame in 0..=frames {
        let at = frame as f64 * speed;
        while at > begin + distance(leg[0], leg[1]) {
            begin += distance(leg[0], leg[1]);
            let Some(next) = legs.next() else {
                leg = [leg[1]; 2];
                break;
            };
            leg = next;
        }
        let length = distance(leg[0], leg[1]);
        let part = if length > 0.0 { (at - begin) / length } else { 0.0 };
        places.push([0, 1].map(|a| leg[0][a] + (leg[1][a] - leg[0][a]) * part));
    }
    places
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sim_harness::maps::parse_octile;

    /// Open ground with pillars, and a closed room.
    pub(crate) fn arena() -> Arena {
        let row = |y: usize| {
            let cell = |x: usize| match (x, y) {
                (0..4, 3) | (3, 0..4) => '@',
                _ if x % 9 == 8 && y % 7 == 6 => 'T',
                _ => '.',
            };
            (0..60).map(cell).chain(['\n']).collect::<String>()
        };
        let text: String = (0..50).map(row).collect();
        let text = format!("type octile\nheight 50\nwidth 60\nmap\n{text}");
        Arena::new(&parse_octile("pillars.map", text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn starts_and_course_stay_in_the_largest_region_and_edits_keep_off_the_course() {
        let arena = arena();
        assert!(!arena.cells.contains(&arena.lattice.cell_at(1, 1)), "the closed room");
        let scene = Scene::new(&arena, 40, 300, 0.4, 7);
        assert!(scene.starts.iter().all(|cell| arena.cells.contains(cell)));
        assert_eq!(scene.course.len(), 301);
        for pair in scene.course.windows(2) {
            assert!(arena.cells.contains(&scene.lattice.cell(pair[1])));
            assert!(!scene.aside[scene.lattice.cell(pair[1])]);
            // As the crow flies it is less where the course turns.
            assert!(distance(pair[0], pair[1]) <= 0.4 + 1e-9);
        }
        assert!(scene.aside.iter().any(|aside| *aside));
    }

    #[test]
    fn nobody_walks_on_a_map_of_walls_or_of_three_axes() {
        let map = parse_octile("m", b"type octile\nheight 1\nwidth 2\nmap\n@T\n").unwrap();
        assert!(Arena::new(&map).unwrap_err().contains("no free cell"));
        let one = parse_octile("m", b"type octile\nheight 1\nwidth 2\nmap\n.T\n").unwrap();
        let scene = Scene::new(&Arena::new(&one).unwrap(), 3, 5, 0.4, 7);
        assert_eq!(scene.course, [[0.0, 0.0]; 6]);
    }
}
