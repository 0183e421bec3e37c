//! The map that pursuers, flocks and agents share, and edits of it.

use crate::agent::{Agents, UtilityAgent};
use crate::flock::{Boid, Flocks};
use crate::pursuit::{Bodies, Pursuit};
use crate::refusal::{NamijiError, Refused, Request};
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::Vec2;
use bevy_transform::components::Transform;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use wave_track::glam::DVec2;
use wave_track::ndarray::{Array2, ArrayRef, ArrayRef2, Ix2, Ix3};
use wave_track::wave_core::{Medium, Space};

/// The map: walls on a grid, where it lies, and how large its cells are.
///
/// Cell `[y, x]` has its centre at `(x, y) * spacing + origin`, in the units of `Transform`; y
/// points up, as in Bevy's 2D. Insert another map at any time, and all entities are put on it: a
/// new level. To edit the present map, send [`SetWalls`].
///
/// `GridMap<Ix3>` is a map in 3D, for [`Pursuit3dPlugin`](crate::Pursuit3dPlugin): cell `[z, y, x]`
/// has its centre at `(x, y, z) * spacing + origin`.
///
/// ```
/// use bevy_namiji::GridMap;
///
/// // The first line is the top row.
/// let map = GridMap::from_drawing("
///     #####
///     #...#
///     #####
/// ")?;
/// assert_eq!(map.shape(), [3, 5]);
/// assert!(map.is_wall([1, 0]) && !map.is_wall([1, 1]));
/// assert_eq!(map.centre([1, 3]).to_array(), [3.0, 1.0]);
/// # Ok::<(), bevy_namiji::NamijiError>(())
/// ```
#[derive(Resource, Debug)]
pub struct GridMap<D: Space = Ix2> {
    pub(crate) medium: Medium<D>,
    identity: u64,
}

/// A copy is a map of its own.
impl<D: Space> Clone for GridMap<D> {
    fn clone(&self) -> Self {
        Self::from_medium(self.medium.clone())
    }
}

impl<D: Space> GridMap<D> {
    /// A map from walls `[y, x]` or `[z, y, x]`, true for a wall. Cells are 1 wide, the first cell
    /// lies at the origin.
    ///
    /// # Errors
    /// [`NamijiError::Medium`] for an empty map or one that is too large.
    pub fn from_walls(walls: &ArrayRef<bool, D>) -> Result<Self, NamijiError> {
        Ok(Self::from_medium(Medium::from_walls(walls)?))
    }

    /// A map from a medium: with slow areas, links, another time step.
    #[must_use]
    pub fn from_medium(medium: Medium<D>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { medium, identity: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// The medium: walls, spacing, origin, speeds.
    #[must_use]
    pub fn medium(&self) -> &Medium<D> {
        &self.medium
    }
    /// `[rows, columns]`, or `[storeys, rows, columns]`.
    #[must_use]
    pub fn shape(&self) -> D::Cell {
        self.medium.shape()
    }
    /// Whether a cell is a wall; outside the map all is wall.
    #[must_use]
    pub fn is_wall(&self, cell: D::Cell) -> bool {
        let mut extents = D::to_zyx(cell).into_iter().zip(D::to_size(self.shape()));
        extents.any(|(at, extent)| at >= extent) || self.medium.is_wall(cell)
    }
    /// The open cells that an edit makes walls; of two entries of a cell the last one counts.
    pub(crate) fn closing(&self, cells: &[(D::Cell, bool)]) -> BTreeSet<D::Cell> {
        let mut closing = BTreeSet::new();
        for &(cell, wall) in cells {
            if wall && !self.is_wall(cell) {
                closing.insert(cell);
            } else {
                closing.remove(&cell);
            }
        }
        closing
    }
    /// Which map it is; every map that is made has another number.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }
}

impl GridMap {
    /// A map whose cells are `spacing` wide and whose cell `[0, 0]` has its centre at `origin`.
    ///
    /// `spacing`: `[units: world units] [limits: 1e-30 to 1e30]`; `origin`: `[units: world units]`.
    ///
    /// # Errors
    /// [`NamijiError::Medium`].
    pub fn placed(
        walls: &ArrayRef2<bool>,
        spacing: f64,
        origin: Vec2,
    ) -> Result<Self, NamijiError> {
        let shape = walls.dim();
        let builder = Medium::<Ix2>::builder([shape.0, shape.1]).walls(walls).spacing(spacing);
        Ok(Self::from_medium(builder.origin(to_f64(origin)).build()?))
    }

    /// A map from a drawing: `#` is a wall, `.` and a space are floor. The first line is the top
    /// row. Empty lines before and after, and the indent that all lines share, do not count; short
    /// lines end in floor.
    ///
    /// # Errors
    /// [`NamijiError::Drawing`], [`NamijiError::Empty`], [`NamijiError::Medium`].
    pub fn from_drawing(drawing: &str) -> Result<Self, NamijiError> {
        let lines: Vec<_> = numbered(drawing).collect();
        let has_text = |line: &(usize, &str)| !line.1.is_empty();
        let first = lines.iter().position(has_text).ok_or(NamijiError::Empty)?;
        let last = lines.iter().rposition(has_text).ok_or(NamijiError::Empty)?;
        let rows = &lines[first..=last];
        Self::from_walls(&walls_of(rows, indent_and_width(rows))?)
    }

    /// `[units: world units]` The middle of a cell `[y, x]`, also of one outside the map.
    #[must_use]
    pub fn centre(&self, [y, x]: [usize; 2]) -> Vec2 {
        let at = DVec2::new(x as f64, y as f64) * self.medium.spacing() + self.medium.origin();
        to_f32(at)
    }
    /// The cell `[y, x]` at a position, `None` outside the map.
    #[must_use]
    pub fn cell_at(&self, position: Vec2) -> Option<[usize; 2]> {
        position.is_finite().then(|| self.medium.cell_at(to_f64(position))).flatten()
    }
    /// The middle of a cell of the map.
    pub(crate) fn exact_centre(&self, cell: [usize; 2]) -> [f64; 2] {
        self.medium.centre(cell).to_array()
    }
}

/// Lines of a drawing without spaces at their ends, and their numbers from 1.
pub(crate) fn numbered(drawing: &str) -> impl Iterator<Item = (usize, &str)> {
    drawing.lines().enumerate().map(|(i, line)| (i + 1, line.trim_end()))
}

/// The indent that all lines share, and the width of the longest without it.
pub(crate) fn indent_and_width(rows: &[(usize, &str)]) -> (usize, usize) {
    let indent_of = |row: &str| row.chars().take_while(|c| *c == ' ').count();
    let texts = || rows.iter().map(|row| row.1).filter(|text| !text.is_empty());
    let indent = texts().map(indent_of).min().unwrap_or(0);
    (indent, texts().map(|text| text.chars().count()).max().unwrap_or(0) - indent)
}

/// Walls `[y, x]` from lines of a drawing, the top row first.
pub(crate) fn walls_of(
    rows: &[(usize, &str)],
    (indent, width): (usize, usize),
) -> Result<Array2<bool>, NamijiError> {
    let mut walls = Array2::from_elem([rows.len(), width], false);
    for (y, &(line, row)) in rows.iter().rev().enumerate() {
        for (x, found) in row.chars().skip(indent).enumerate() {
            walls[[y, x]] = match found {
                '#' => true,
                '.' | ' ' => false,
                _ => {
                    let column = indent + x + 1;
                    return Err(NamijiError::Drawing { line, column, found });
                }
            };
        }
    }
    Ok(walls)
}

/// Converts to the engine's numbers by arrays, since the two may use different versions of glam.
pub(crate) fn to_f64(at: Vec2) -> DVec2 {
    DVec2::from_array(at.to_array().map(f64::from))
}
/// Back again.
pub(crate) fn to_f32(at: DVec2) -> Vec2 {
    Vec2::from_array(at.to_array().map(|c| c as f32))
}

/// Entities whose component, or place, was written.
pub(crate) type Written<C> = Or<(Changed<C>, Changed<Transform>)>;

/// The bits by which places are compared: a place that is not a number is equal to itself.
pub(crate) fn bits(at: Vec2) -> [u32; 2] {
    at.to_array().map(f32::to_bits)
}

/// Makes cells of the [`GridMap`] walls or frees them, all or none: a door of several cells.
///
/// It is carried out at the begin of the next `FixedUpdate`. [`WallsSet`] tells that it was, and
/// [`Refused`] that it was not, with the reason: a wall where a pursuer, a target, a boid or an
/// agent is. A door that closes is sent again in the next frame.
///
/// ```
/// use bevy_namiji::SetWalls;
///
/// let door = SetWalls::all([[3, 9], [4, 9]], true);
/// assert_eq!(door.cells, [([3, 9], true), ([4, 9], true)]);
/// // In 3D, for a `GridMap<Ix3>`.
/// let hatch: SetWalls<3> = SetWalls::all([[1, 3, 9]], false);
/// # let _ = hatch;
/// ```
#[derive(Message, Clone, Debug, PartialEq, Eq)]
pub struct SetWalls<const AXES: usize = 2> {
    /// Cells `[y, x]` or `[z, y, x]`, true for a wall.
    pub cells: Vec<([usize; AXES], bool)>,
}

impl<const AXES: usize> SetWalls<AXES> {
    /// The same for all cells.
    #[must_use]
    pub fn all(cells: impl IntoIterator<Item = [usize; AXES]>, wall: bool) -> Self {
        Self { cells: cells.into_iter().map(|cell| (cell, wall)).collect() }
    }
}

/// Cells of the map were set: [`SetWalls`] was carried out.
#[derive(Message, Clone, Debug, PartialEq, Eq)]
pub struct WallsSet<const AXES: usize = 2> {
    /// Cells `[y, x]` or `[z, y, x]`, true for a wall.
    pub cells: Vec<([usize; AXES], bool)>,
}

/// Carries out edits of the map. Every other plugin of the crate adds it.
#[derive(Clone, Copy, Debug, Default)]
pub struct MapPlugin;

/// The steps of a tick, in this order, all in `FixedUpdate`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NamijiSystems {
    /// Edits of maps and heights.
    Edit,
    /// Pursuers walk.
    Pursue,
    /// Boids fly; those that follow a pursuer see where it now is.
    Flock,
    /// Agents decide and walk.
    Decide,
    /// Routes are planned and walked.
    Jump,
}

impl Plugin for MapPlugin {
    fn build(&self, app: &mut App) {
        use NamijiSystems::{Decide, Edit, Flock, Jump, Pursue};
        app.add_message::<SetWalls>()
            .add_message::<WallsSet>()
            .add_message::<Refused>()
            .configure_sets(FixedUpdate, (Edit, Pursue, Flock, Decide, Jump).chain())
            .add_systems(FixedUpdate, edit_walls.in_set(Edit));
    }
}

/// Adds the plugin unless it is there: several plugins of the crate need it.
pub(crate) fn add_map_plugin(app: &mut App) {
    if !app.is_plugin_added::<MapPlugin>() {
        app.add_plugins(MapPlugin);
    }
}

type Others = Or<(With<Boid>, With<UtilityAgent>)>;

/// Everybody as they stand now. The parts know only where their members were in the last tick: they
/// read places later in this one.
#[derive(SystemParam)]
struct Standing<'w, 's> {
    bodies: Bodies<'w, 's>,
    others: Query<'w, 's, (Entity, &'static Transform), Others>,
    deep: Option<Res<'w, GridMap<Ix3>>>,
}

impl Standing<'_, '_> {
    /// Refuses walls where somebody is. Bodies on a map in 3D are not on this one.
    fn check_walls(
        &self,
        map: &GridMap,
        cells: &[([usize; 2], bool)],
        pursuit: Option<&Pursuit>,
    ) -> Result<(), NamijiError> {
        let closing = map.closing(cells);
        if closing.is_empty() {
            return Ok(());
        }
        if let Some(pursuit) = pursuit.filter(|_| self.deep.is_none()) {
            pursuit.check_places(map, &closing, &self.bodies)?;
        }
        for (who, transform) in &self.others {
            let cell = map.cell_at(transform.translation.truncate());
            if let Some(cell) = cell.filter(|cell| closing.contains(cell)) {
                return Err(NamijiError::Occupied { cell, who });
            }
        }
        Ok(())
    }
}

type Parts<'w> =
    (Option<ResMut<'w, Pursuit>>, Option<ResMut<'w, Flocks>>, Option<ResMut<'w, Agents>>);

fn edit_walls(
    mut edits: MessageReader<SetWalls>,
    mut done: MessageWriter<WallsSet>,
    mut refused: MessageWriter<Refused>,
    map: Option<ResMut<GridMap>>,
    (mut pursuit, mut flocks, mut agents): Parts,
    standing: Standing,
) {
    // Without a map, edits wait for one as long as messages are kept.
    let Some(mut map) = map else { return };
    for SetWalls { cells } in edits.read() {
        let parts = (pursuit.as_deref_mut(), flocks.as_deref_mut(), agents.as_deref_mut());
        match set_walls(&mut map, cells, parts, &standing) {
            Ok(()) => {
                done.write(WallsSet { cells: cells.clone() });
            }
            Err(reason) => {
                let request = Request::SetWalls { cells: cells.clone() };
                refused.write(Refused { request, reason });
            }
        }
    }
}

/// Asks all of them first, so that nothing has changed if one refuses.
fn set_walls(
    map: &mut GridMap,
    cells: &[([usize; 2], bool)],
    (pursuit, flocks, agents): (Option<&mut Pursuit>, Option<&mut Flocks>, Option<&mut Agents>),
    standing: &Standing,
) -> Result<(), NamijiError> {
    let shape = map.shape();
    if let Some(&(cell, _)) = cells.iter().find(|(c, _)| c[0] >= shape[0] || c[1] >= shape[1]) {
        return Err(NamijiError::OutOfMap { cell, shape });
    }
    standing.check_walls(map, cells, pursuit.as_deref())?;
    let (map_is, pursuit) = (map.identity, pursuit.filter(|p| p.map() == map.identity));
    let flocks = flocks.filter(|f| f.map() == map_is);
    let agents = agents.filter(|a| a.map() == map_is);
    if let Some(agents) = &agents {
        agents.check_walls(cells)?;
    }
    // On a copy first. The map itself keeps its log of edits, by which others follow it.
    let mut medium = map.medium.clone();
    medium.set_walls(cells)?;
    if let Some(flocks) = flocks {
        let before = flocks.walls();
        flocks.set_walls(&medium)?;
        if let Some(pursuit) = pursuit
            && let Err(reason) = pursuit.set_walls(cells)
        {
            flocks.restore_walls(before)?;
            return Err(reason);
        }
    } else if let Some(pursuit) = pursuit {
        pursuit.set_walls(cells)?;
    }
    if let Some(agents) = agents {
        agents.set_walls(cells)?;
    }
    Ok(map.medium.set_walls(cells)?)
}
