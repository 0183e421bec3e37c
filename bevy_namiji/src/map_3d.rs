//! The map in 3D: storeys, and edits of it.

use crate::map::{GridMap, SetWalls, WallsSet, indent_and_width, numbered, walls_of};
use crate::pursuit::{Bodies, Pursuit};
use crate::refusal::{NamijiError, Refused, Request};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use wave_track::glam::DVec3;
use wave_track::ndarray::{Array3, ArrayRef3, Axis, Ix3};
use wave_track::wave_core::Medium;

impl GridMap<Ix3> {
    /// A map from drawings of its storeys, with empty lines between them, the top storey first: as
    /// a building stands. Each is drawn as for [`GridMap::from_drawing`], and the indent that all
    /// lines share does not count.
    ///
    /// Nothing falls: a floor is a storey of walls, and a stairwell is a gap in it.
    ///
    /// ```
    /// use bevy_namiji::{GridMap, Ix3};
    ///
    /// // A corridor above, a floor with a gap, a corridor below.
    /// let map = GridMap::<Ix3>::from_storeys("#...#\n\n###.#\n\n#...#")?;
    /// assert_eq!(map.shape(), [3, 1, 5]);
    /// assert!(map.is_wall([1, 0, 1]) && !map.is_wall([1, 0, 3]));
    /// assert_eq!(map.centre([2, 0, 3]).to_array(), [3.0, 0.0, 2.0]);
    /// # Ok::<(), bevy_namiji::NamijiError>(())
    /// ```
    ///
    /// # Errors
    /// [`NamijiError::Drawing`], [`NamijiError::Empty`], [`NamijiError::Medium`];
    /// [`NamijiError::Storey`] for a storey that has more or fewer rows than the first.
    pub fn from_storeys(drawing: &str) -> Result<Self, NamijiError> {
        let lines: Vec<_> = numbered(drawing).collect();
        let size = indent_and_width(&lines);
        let storeys = lines.split(|line| line.1.is_empty()).filter(|rows| !rows.is_empty());
        let storeys: Vec<_> = storeys.collect();
        let expected = storeys.first().ok_or(NamijiError::Empty)?.len();
        let mut walls = Array3::from_elem([storeys.len(), expected, size.1], false);
        for (z, rows) in storeys.iter().rev().enumerate() {
            if rows.len() != expected {
                return Err(NamijiError::Storey { line: rows[0].0, rows: rows.len(), expected });
            }
            walls.index_axis_mut(Axis(0), z).assign(&walls_of(rows, size)?);
        }
        Self::from_walls(&walls)
    }

    /// A map whose cells are `spacing` wide and whose cell `[0, 0, 0]` has its centre at `origin`.
    ///
    /// `spacing`: `[units: world units] [limits: 1e-30 to 1e30]`; `origin`: `[units: world units]`.
    ///
    /// # Errors
    /// [`NamijiError::Medium`].
    pub fn placed_3d(
        walls: &ArrayRef3<bool>,
        spacing: f64,
        origin: Vec3,
    ) -> Result<Self, NamijiError> {
        let builder = Medium::<Ix3>::builder(walls.dim().into()).walls(walls).spacing(spacing);
        Ok(Self::from_medium(builder.origin(to_f64(origin)).build()?))
    }

    /// `[units: world units]` The middle of a cell `[z, y, x]`, also of one outside the map.
    #[must_use]
    pub fn centre(&self, [z, y, x]: [usize; 3]) -> Vec3 {
        let at = DVec3::new(x as f64, y as f64, z as f64) * self.medium.spacing();
        Vec3::from_array((at + self.medium.origin()).to_array().map(|c| c as f32))
    }
    /// The cell `[z, y, x]` at a position, `None` outside the map.
    #[must_use]
    pub fn cell_at(&self, position: Vec3) -> Option<[usize; 3]> {
        position.is_finite().then(|| self.medium.cell_at(to_f64(position))).flatten()
    }
}

fn to_f64(at: Vec3) -> DVec3 {
    DVec3::from_array(at.to_array().map(f64::from))
}

pub(crate) fn edit_walls_3d(
    mut edits: MessageReader<SetWalls<3>>,
    mut done: MessageWriter<WallsSet<3>>,
    mut refused: MessageWriter<Refused>,
    map: Option<ResMut<GridMap<Ix3>>>,
    mut pursuit: ResMut<Pursuit<Ix3>>,
    bodies: Bodies,
) {
    // Without a map, edits wait for one as long as messages are kept.
    let Some(mut map) = map else { return };
    for SetWalls { cells } in edits.read() {
        match set_walls(&mut map, cells, &mut pursuit, &bodies) {
            Ok(()) => {
                done.write(WallsSet { cells: cells.clone() });
            }
            Err(reason) => {
                let request = Request::SetWalls3d { cells: cells.clone() };
                refused.write(Refused { request, reason });
            }
        }
    }
}

/// On a copy first, so that nothing has changed where the pursuit refuses.
fn set_walls(
    map: &mut GridMap<Ix3>,
    cells: &[([usize; 3], bool)],
    pursuit: &mut Pursuit<Ix3>,
    bodies: &Bodies,
) -> Result<(), NamijiError> {
    map.medium.clone().set_walls(cells)?;
    let closing = map.closing(cells);
    if !closing.is_empty() {
        pursuit.check_places(map, &closing, bodies)?;
    }
    if pursuit.map() == map.identity() {
        pursuit.set_walls(cells)?;
    }
    Ok(map.medium.set_walls(cells)?)
}
