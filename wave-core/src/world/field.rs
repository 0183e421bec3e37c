//! The way to one target from anywhere in a very large world.

use super::levels::Place;
use super::line::{crossing, half_cells, sees};
use super::pyramid::Pyramid;
use super::sight::{Point, SIDE};
use super::sweeps::{Leg, Sweeps, across, on_map, place_of};
use crate::error::{WaveError, no_links, open_cell, same_size};
use crate::grid::{Edit, Follower, Map, Medium, News};
use glam::{DVec2, Vec2};
use ndarray::Ix2;

/// Legs of a way that are looked at ahead.
const LEGS: usize = 8;

/// `[units: 1024ths of a cell]` A cell's side.
pub(super) const CELL: f64 = 1024.0;

/// The way to one target from any cell of a very large 2D world, worked out only where it is asked
/// for.
///
/// An [`ArrivalField`](crate::ArrivalField) of a world of 16,384 x 16,384 cells takes seconds and
/// gigabytes for each target. Here the world is cut into tiles of 32 x 32 cells, with nodes on the
/// borders between them. Each tile knows the lengths of the ways between its nodes. Blocks of 4 x 4
/// tiles know the same for some of the nodes on their borders, and so on, up to a level of no more
/// than 8 x 8 blocks: a multi-level overlay (Holzer, Schulz and Wagner 2009, "Engineering
/// multilevel overlay graphs for shortest-path queries"; Delling et al. 2017, "Customizable route
/// planning in road networks"). A target that moves costs one search up these levels; a question
/// about a place costs one down to its tile. An edit costs the tiles that it lies in, and the
/// blocks above them at the next question, or in [`WorldField::refresh`].
///
/// Within a tile ways are exact: straight lines from corner to corner of its walls. A search lets
/// ways cross borders only at nodes; a walker looks ahead and crosses where it is best. On maps of
/// games walks are as long as by a field of the whole world: within 0.02 % on the mean, and 1 % at
/// the 99th percentile. [`WorldField::bounds`] limits the loss of a single way.
///
/// ```
/// use ndarray::Array2;
/// use wave_core::{Medium, WorldField};
///
/// // A wall with a door at its lower end.
/// let mut walls = Array2::from_elem([200, 300], false);
/// (0..190).for_each(|y| walls[[y, 150]] = true);
/// let mut medium = Medium::from_walls(&walls)?;
/// let mut world = WorldField::new(&medium)?;
/// world.set_target(&medium, [20, 280])?;
/// let way = world.direction(&medium, [20, 20])?.unwrap();
/// assert!(way.y > 0.7);
/// let long = world.length(&medium, [20, 20])?.unwrap();
/// assert!((427.0..431.0).contains(&long));
///
/// // Another door opens near by.
/// medium.set_walls(&[([40, 150], false), ([41, 150], false)])?;
/// world.update(&medium)?;
/// assert!(world.length(&medium, [20, 20])?.unwrap() < 270.0);
/// # Ok::<(), wave_core::WaveError>(())
/// ```
///
/// The medium must have one speed and no [links](crate::Link). The field does not keep it: pass the
/// same medium each time, since a clone counts as another one, for which all is built again. All
/// bits are the same for any number of threads, and those of a field that was built after the
/// edits.
///
/// Memory: 0.2 to 1.4 bytes a cell beside the medium's bit on maps of games, 3 among walls strewn
/// at random; and some kilobytes for each tile that was asked for since the target moved. Cells
/// further off than 2^24 cells count as not reached.
#[derive(Clone, Debug)]
pub struct WorldField {
    size: [usize; 3],
    follower: Follower,
    pub(super) pyramid: Pyramid,
    pub(super) sweeps: Sweeps,
    edited: Vec<usize>,
}

impl WorldField {
    /// Builds all levels.
    ///
    /// # Errors
    /// [`WaveError::Links`], [`WaveError::Speeds`].
    ///
    /// # Complexity
    /// O(cells), 0.05 to 0.5 microseconds a cell on maps of games, 10 among walls strewn at random:
    /// the time depends on the pairs of a tile's points that see each other. All threads of the
    /// current rayon pool are used.
    pub fn new(medium: &Medium<Ix2>) -> Result<Self, WaveError> {
        let map = medium.map();
        no_links(map)?;
        if !map.is_uniform() {
            return Err(WaveError::Speeds);
        }
        let pyramid = Pyramid::new(map);
        Ok(Self {
            size: map.size(),
            follower: Follower::new(map.edits()),
            sweeps: Sweeps::new(&pyramid),
            pyramid,
            edited: Vec::new(),
        })
    }

    /// Makes all ways lead to another cell from now on.
    ///
    /// # Errors
    /// [`WaveError::OutOfGrid`] and [`WaveError::Wall`] for the target, and as
    /// [`WorldField::update`]; the target is then what it was.
    ///
    /// # Complexity
    /// That of [`WorldField::update`]; the first question after it pays for the search.
    pub fn set_target(
        &mut self,
        medium: &Medium<Ix2>,
        target: [usize; 2],
    ) -> Result<(), WaveError> {
        self.update(medium)?;
        open_cell(medium.map(), [0, target[0], target[1]])?;
        self.sweeps.aim(Some(target));
        Ok(())
    }

    /// The cell that all ways lead to.
    #[must_use]
    pub fn target(&self) -> Option<[usize; 2]> {
        self.sweeps.target()
    }

    /// Takes over edits of walls: works out again the tiles that they lie in, and neighbouring
    /// tiles where nodes between them have changed. All questions do this first.
    ///
    /// For another medium of the same shape, such as the next level's, the field is built again and
    /// keeps its target. A clone of the medium counts as another one.
    ///
    /// ```
    /// use ndarray::Ix2;
    /// use wave_core::{Medium, WaveError, WorldField};
    ///
    /// let mut medium = Medium::<Ix2>::builder([60, 80]).build()?;
    /// let mut world = WorldField::new(&medium)?;
    /// medium.set_wall([30, 40], true)?;
    /// world.update(&medium)?; // works out one tile
    /// let level = Medium::<Ix2>::builder([60, 80]).build()?;
    /// world.update(&level)?; // builds all again
    /// assert!(world == WorldField::new(&level)?);
    /// let larger = Medium::<Ix2>::builder([60, 81]).build()?;
    /// assert!(matches!(world.update(&larger), Err(WaveError::OtherMedium { .. })));
    /// # Ok::<(), WaveError>(())
    /// ```
    ///
    /// # Errors
    /// The field is then as it was.
    /// * [`WaveError::OtherMedium`]: a medium of another shape.
    /// * [`WaveError::Speeds`]: a medium with a speed for each cell. [`Medium::set_speed`] makes it
    ///   one, for good.
    /// * [`WaveError::Links`]: a medium with links.
    ///
    /// # Complexity
    /// O(tiles with edits). As [`WorldField::new`] where all is built again: for another medium,
    /// and after more than the 65,536 edits that a medium keeps.
    pub fn update(&mut self, medium: &Medium<Ix2>) -> Result<(), WaveError> {
        let map = medium.map();
        same_size(self.size, map)?;
        no_links(map)?;
        if !map.is_uniform() {
            return Err(WaveError::Speeds);
        }
        match self.follower.news(map.edits()) {
            News::Nothing => return Ok(()),
            News::Everything => self.pyramid = Pyramid::new(map),
            News::Edits(edits) => {
                self.edited.clear();
                let columns = map.size()[2];
                for edit in edits {
                    if let Edit::Wall(number) = edit {
                        let tile = place_of([number / columns, number % columns]).0;
                        self.edited.push(self.pyramid.levels[0].number(tile));
                    }
                }
                let workshop = self.sweeps.room().1;
                self.pyramid.repair_tiles(map, &mut self.edited, workshop);
            }
        }
        self.sweeps.forget();
        Ok(())
    }

    /// Takes over edits, and works out again all blocks that depend on them. Otherwise the next
    /// question does it.
    ///
    /// # Errors
    /// As [`WorldField::update`].
    ///
    /// # Complexity
    /// O(levels) blocks for edits in one place: milliseconds.
    pub fn refresh(&mut self, medium: &Medium<Ix2>) -> Result<(), WaveError> {
        self.update(medium)?;
        if !self.pyramid.is_fresh() {
            let room = self.sweeps.room().0;
            self.pyramid.refresh(room);
        }
        Ok(())
    }

    /// The way from the centre of a cell to the target, as a unit vector: straight to
    /// [`WorldField::waypoint`], and zero at the target. `None` in walls, where no way leads, and
    /// without a target.
    ///
    /// # Errors
    /// [`WaveError::OutOfGrid`], and as [`WorldField::update`].
    ///
    /// # Complexity
    /// O(1) in a tile that was asked for since the target moved. Otherwise a search in a block of
    /// each level; for a new target one up the levels as well, and after edits what
    /// [`WorldField::refresh`] takes. It allocates only when more tiles than ever before are asked
    /// for between two targets.
    pub fn direction(
        &mut self,
        medium: &Medium<Ix2>,
        cell: [usize; 2],
    ) -> Result<Option<Vec2>, WaveError> {
        let to = self.waypoint(medium, cell)?;
        let [y, x] = cell.map(|i| i as f64);
        let centre = in_world(medium.map(), [x, y]);
        Ok(to.map(|to| (to - centre).normalize_or_zero().as_vec2()))
    }

    /// `[units: world units]` The point to go straight to from the centre of a cell: the farthest
    /// one on the way to the target that is seen from there, over no more than eight legs from
    /// corner to corner or border to border. `None` as in [`WorldField::direction`].
    ///
    /// # Errors
    /// As [`WorldField::direction`].
    ///
    /// # Complexity
    /// As [`WorldField::direction`].
    pub fn waypoint(
        &mut self,
        medium: &Medium<Ix2>,
        cell: [usize; 2],
    ) -> Result<Option<DVec2>, WaveError> {
        let Some(leg) = self.leg(medium, cell)? else { return Ok(None) };
        let (tile, at) = place_of(cell);
        let (tile, leg) = self.ahead(medium.map(), tile, at, leg);
        Ok(Some(in_world(medium.map(), on_map(tile, leg.to))))
    }

    /// `[units: world units]` An upper bound on the rest of the way from the centre of a cell to
    /// the target: the length of a way over nodes, rounded up. [`WorldField::way`] is no longer,
    /// nor is the shortest way. `None` as in [`WorldField::direction`]. Divided by the medium's
    /// speed it is a time.
    ///
    /// # Errors
    /// As [`WorldField::direction`].
    ///
    /// # Complexity
    /// As [`WorldField::direction`].
    pub fn length(
        &mut self,
        medium: &Medium<Ix2>,
        cell: [usize; 2],
    ) -> Result<Option<f64>, WaveError> {
        let leg = self.leg(medium, cell)?;
        Ok(leg.map(|leg| leg.left as f64 / CELL * medium.spacing()))
    }

    /// `[units: world units]` The way of a walker that asks for [`WorldField::waypoint`] at the
    /// centre of a cell, goes there, and asks again: the centre, the waypoints and the target.
    /// Empty where [`WorldField::length`] is `None`.
    ///
    /// # Errors
    /// As [`WorldField::direction`].
    ///
    /// # Complexity
    /// That of a question in each tile on the way.
    pub fn way(&mut self, medium: &Medium<Ix2>, cell: [usize; 2]) -> Result<Vec<DVec2>, WaveError> {
        let mut way = Vec::new();
        self.way_ahead(medium, cell, usize::MAX, &mut way)?;
        Ok(way)
    }

    /// `[units: world units]` The first points of [`WorldField::way`], so many at the most; they
    /// replace the contents of `way`.
    ///
    /// # Errors
    /// As [`WorldField::direction`]; `way` is then as it was.
    ///
    /// # Complexity
    /// That of a question in each tile up to there.
    pub fn way_ahead(
        &mut self,
        medium: &Medium<Ix2>,
        cell: [usize; 2],
        most: usize,
        way: &mut Vec<DVec2>,
    ) -> Result<(), WaveError> {
        let (mut tile, mut at) = place_of(cell);
        let map = medium.map();
        let mut next = self.leg(medium, cell)?;
        way.clear();
        if next.is_some() && most > 0 {
            way.push(in_world(map, on_map(tile, at)));
        }
        while let Some(leg) = next.filter(|_| way.len() < most) {
            let (there, leg) = self.ahead(map, tile, at, leg);
            if (there, leg.to) != (tile, at) {
                way.push(in_world(map, on_map(there, leg.to)));
            }
            if leg.is_target {
                break;
            }
            (tile, at) = self.after(there, leg);
            next = self.sweeps.leg(map, &self.pyramid, tile, at);
        }
        Ok(())
    }

    /// Of the next legs, the last one whose end is seen from the beginning of the first one, and
    /// its tile. Where it crosses a border, it does so at the best place, not at a node.
    fn ahead(&mut self, map: &Map, tile: Place, at: Point, first: Leg) -> (Place, Leg) {
        let from = half_cells(tile, at);
        let mut last = (tile, first);
        for _ in 1..LEGS {
            let (tile, leg) = last;
            if leg.is_target {
                break;
            }
            let (there, at) = self.after(tile, leg);
            let Some(next) = self.sweeps.leg(map, &self.pyramid, there, at) else { break };
            let to = half_cells(there, next.to);
            if !sees(map, from, to) {
                let to = leg.exit.and_then(|side| crossing(map, tile, side, leg.to, [from, to]));
                return (tile, Leg { to: to.unwrap_or(leg.to), ..leg });
            }
            last = (there, next);
        }
        last
    }

    /// Where a leg ends: perhaps in another tile.
    fn after(&self, tile: [usize; 2], leg: Leg) -> ([usize; 2], Point) {
        let beside = |side| self.pyramid.levels[0].beside(tile, side).map(|tile| (tile, side));
        match leg.exit.and_then(beside) {
            Some((tile, side)) => (tile, across(leg.to, side)),
            None => (tile, leg.to),
        }
    }

    /// The next leg from a cell.
    pub(super) fn leg(
        &mut self,
        medium: &Medium<Ix2>,
        cell: [usize; 2],
    ) -> Result<Option<Leg>, WaveError> {
        self.refresh(medium)?;
        let map = medium.map();
        let zyx = [0, cell[0], cell[1]];
        if !map.contains(zyx) {
            let shape = map.name(map.size());
            return Err(WaveError::OutOfGrid { cell: map.name(zyx), shape });
        }
        if map.is_wall(zyx) || self.target().is_none_or(|[y, x]| map.is_wall([0, y, x])) {
            return Ok(None);
        }
        let (tile, at) = place_of(cell);
        Ok(self.sweeps.leg(map, &self.pyramid, tile, at))
    }

    /// `[units: bytes]` The memory of the field. The medium's own bit a cell comes on top of it.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.pyramid.memory_bytes() + self.sweeps.memory_bytes()
    }

    /// What was asked for so far: each question counts one, and one for every leg that it looks
    /// further along the way. A leg takes some microseconds; a tile that nobody has asked for yet
    /// is worked out besides, and edits are not counted. The count depends on the map, the target
    /// and the questions alone, not on what the field knows already. So a game can bound with it
    /// what questions cost in a frame, in lockstep and after loading, too.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.sweeps.work()
    }

    /// Tiles that were worked out for questions since the target moved or edits were taken over.
    #[must_use]
    pub fn filled_tiles(&self) -> usize {
        self.sweeps.filled_tiles()
    }
}

impl PartialEq for WorldField {
    /// Whether both know the same of the world, including the edits that they took over.
    fn eq(&self, other: &Self) -> bool {
        self.pyramid == other.pyramid
    }
}

const _: () = assert!(SIDE == 32, "a row of a tile is a word");

/// A position in cells as a position in the world.
fn in_world(map: &Map, [x, y]: [f64; 2]) -> DVec2 {
    let [x, y, _] = map.from_cells([x, y, 0.0]);
    DVec2::new(x, y)
}
