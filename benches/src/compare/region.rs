//! Maps with somewhere to walk, and their largest region.

use crate::error::CompareError;
use sim_harness::maps::{self, Class, MapFile, Regions};
use std::path::Path;

/// A MovingAI map with a free cell, as an argument.
pub(crate) fn read(file: &str) -> Result<MapFile, String> {
    let map = maps::read_map(Path::new(file)).map_err(|error| error.to_string())?;
    match Region::largest(&map) {
        Some(_) => Ok(map),
        None => Err(NO_CELL.to_owned()),
    }
}

pub(crate) const NO_CELL: &str = "the map has no free cell";

/// The largest region of a map, the first of them.
pub(crate) struct Region {
    /// The class of all its cells.
    pub(crate) class: Class,
    /// Its cells `[z, y, x]`, row by row.
    pub(crate) cells: Vec<[usize; 3]>,
}

impl Region {
    /// None where no cell is free.
    pub(crate) fn largest(map: &MapFile) -> Option<Self> {
        let regions = Regions::new(map);
        let [depth, height, width] = map.shape();
        let all = || {
            let plane = move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [z, y, x]));
            (0..depth).flat_map(plane)
        };
        let mut sizes = vec![0_usize; regions.count()];
        all().filter_map(|cell| regions.label(cell)).for_each(|label| sizes[label as usize] += 1);
        let largest = (0..sizes.len()).rev().max_by_key(|&label| sizes[label])?;
        let inside =
            |cell: &[usize; 3]| regions.label(*cell).is_some_and(|l| l as usize == largest);
        let cells: Vec<_> = all().filter(inside).collect();
        let class = map.class(*cells.first()?)?;
        Some(Self { class, cells })
    }
}

/// `[units: cells]` How long a door is.
pub(crate) const DOOR: usize = 4;
/// Places that are tried for a door.
const TRIES: usize = 10_000;

/// A door: cells in a row that are free, from a cell on along an axis, which are drawn.
pub(crate) fn any_door<const N: usize>(
    mut draw: impl FnMut() -> ([usize; N], usize),
    is_free: impl Fn([usize; N]) -> bool,
) -> Result<[[usize; N]; DOOR], CompareError> {
    let found = (0..TRIES).find_map(|_| {
        let (first, axis) = draw();
        let door = std::array::from_fn(|n| {
            let mut cell = first;
            cell[axis] += n;
            cell
        });
        door.into_iter().all(&is_free).then_some(door)
    });
    found.ok_or(CompareError::Map("the map has no place for a door of four cells"))
}
