//! Levels from editors, in the form that the plugins take.

use crate::level::JumpLevel;
use crate::map::{GridMap, to_f64};
use crate::refusal::NamijiError;
use bevy_ecs::prelude::*;
use bevy_math::{Vec2, Vec3};
use jump_planner::{Character, JumpError, Terrain};
use sim_harness::import::{self, ImportError, ImportOptions};
use sim_harness::maps::{Class, Layers, MapFile};
use std::path::{Path, PathBuf};
use thiserror::Error;
use wave_track::ndarray::{Array2, Array3, Axis, Ix2, Ix3};
use wave_track::wave_core::{Medium, Space};

/// How a file becomes a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelOptions {
    /// Where the file leaves a choice: which level of an LDtk project, how large a mesh's cells
    /// are, whether it is seen from above.
    pub import: ImportOptions,
    /// `[units: world units] [limits: 1e-9 to 1e9]` The side of a cell. `None`: as the file says
    /// (height maps, meshes), else 1.
    pub spacing: Option<f64>,
    /// `[units: world units] [limits: finite]` x and y of the middle of cell `[0, 0]`. In 3D the
    /// lowest cells have their middle at z = 0.
    pub origin: Vec2,
    /// `[units: 1] [limits: 1e-9 to 1e9]` The factor of heights; those of a 3D level grow with
    /// `spacing` before that. `None`: 1.
    pub height_scale: Option<f64>,
}

/// A place that a level's file names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelPlace {
    /// `[z, y, x]` in the map that the level becomes; z is 0 in 2D.
    pub cell: [usize; 3],
    /// `[units: world units]` The middle of the cell; z is 0 in 2D.
    pub position: Vec3,
}

/// A level of an editor: Tiled, LDtk, `MagicaVoxel`, meshes, height maps, `MovingAI`'s maps. The
/// ending of the file's name says which; `docs/levels.md` lists the names to use in each editor.
///
/// It becomes a [`GridMap`], which pursuers, flocks and utility agents share, and a [`JumpLevel`].
/// In 2D y points up: the row that the editor shows at the top is the last one, also for marks. In
/// 3D z points up, and x and y are as the reader has them: a voxel's own, and of a mesh with y
/// upwards the map's (x, y, z) are the mesh's (x, z, y).
///
/// Reading changes nothing. A game inserts the results itself, so if a call fails, the old ones
/// stay. As a resource the level keeps its places at hand.
///
/// ```
/// # std::env::set_current_dir("../sim-harness/tests/levels")?;
/// use bevy_namiji::jump_planner::Character;
/// use bevy_namiji::{LevelFile, LevelOptions};
///
/// let level = LevelFile::read("castle.tmx", &LevelOptions::default())?;
/// let map = level.map()?;
/// let bridge = level.mark("bridge")?;
/// assert_eq!(map.shape(), [16, 24]);
/// // The editor counts rows from the top: this is its row 10 of 16.
/// assert_eq!((bridge.cell, bridge.position.to_array()), ([0, 5, 12], [12.0, 5.0, 0.0]));
/// assert!(!map.is_wall([5, 12]) && map.is_wall([0, 0]));
/// // Mud, by the property `speed` of its tiles.
/// assert_eq!(map.medium().speed([10, 19]), Some(0.5));
///
/// let jumps = level.jump_level(Character::builder(6.0).build()?)?;
/// let [start, goal] = [level.starts()[0], level.goals()[0]];
/// assert_eq!(jumps.standing([start.cell[1], start.cell[2]]), Some(start.position));
/// assert_ne!(start.cell, goal.cell);
///
/// // An error names the file and the element.
/// let error = level.mark("tower").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "castle.tmx: no place is called \"tower\"; there are \"bridge\", \"goal\", \"start\""
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Resource, Clone, Debug)]
pub struct LevelFile {
    path: PathBuf,
    options: LevelOptions,
    map: MapFile,
    /// `[units: world units]`
    spacing: f64,
}

impl LevelFile {
    /// Reads a level. The path is that of a file, from the working directory: Bevy's asset folder
    /// is not asked. Files are not trusted; `sim_harness::memory::set_limit` bounds what one may
    /// take.
    ///
    /// # Errors
    /// [`LevelError::Import`]; [`LevelError::Refused`] for a number of the options, or a size of
    /// cells in the file, out of its limits.
    pub fn read(path: impl AsRef<Path>, options: &LevelOptions) -> Result<Self, LevelError> {
        let (path, options) = (path.as_ref().to_owned(), options.clone());
        let map = import::read(&path, &options.import)?;
        let spacing = options.spacing.or(map.layers().cell_size).unwrap_or(1.0);
        let level = Self { path, options, map, spacing };
        let size = (1e-9..=1e9, "from 1e-9 to 1e9");
        let finite = (f64::MIN..=f64::MAX, "finite");
        let [x, y] = level.options.origin.to_array().map(f64::from);
        for (what, value, (range, limit)) in [
            ("spacing", spacing, size.clone()),
            ("height_scale", level.height_scale(), size),
            ("origin.x", x, finite.clone()),
            ("origin.y", y, finite),
        ] {
            if !range.contains(&value) {
                return Err(level.refused(NamijiError::Value { what, value, limit }));
            }
        }
        Ok(level)
    }

    /// 2 or 3.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.map.dimensions()
    }

    /// The map of a 2D level: walls, and speeds as parts of a wave's usual speed, 1. Water is wall.
    ///
    /// Speeds lead pursuers around slow ground; `areas_slow_pursuers` of the
    /// [`PursuitPlugin`](crate::PursuitPlugin)'s configuration also makes pursuers slow there.
    /// Flocks and utility agents only take the walls.
    ///
    /// # Errors
    /// [`LevelError::Dimensions`] for a 3D level; [`LevelError::Refused`], such as for speeds too
    /// far from one another.
    pub fn map(&self) -> Result<GridMap, LevelError> {
        self.check_dimensions(2)?;
        let flat = |cells: Array3<f64>| self.turned(&cells.index_axis_move(Axis(0), 0));
        let walls = self.turned(&self.map.walls(Class::Ground).index_axis_move(Axis(0), 0));
        let mut builder = Medium::<Ix2>::builder(walls.dim().into()).walls(&walls);
        let speeds = self.map.layers().speeds.clone().map(flat);
        if let Some(speeds) = &speeds {
            builder = builder.speeds(speeds);
        }
        let builder = builder.spacing(self.spacing).origin(to_f64(self.options.origin));
        self.placed(builder.build())
    }

    /// The map of a 3D level, for a [`Pursuit3dPlugin`](crate::Pursuit3dPlugin): walls, and speeds
    /// as in [`LevelFile::map`].
    ///
    /// # Errors
    /// [`LevelError::Dimensions`] for a 2D level; [`LevelError::Refused`].
    pub fn map_3d(&self) -> Result<GridMap<Ix3>, LevelError> {
        self.check_dimensions(3)?;
        let walls = self.map.walls(Class::Ground);
        let mut builder = Medium::<Ix3>::builder(self.map.shape()).walls(&walls);
        if let Some(speeds) = &self.map.layers().speeds {
            builder = builder.speeds(speeds);
        }
        let builder = builder.spacing(self.spacing).origin(to_f64(self.options.origin).extend(0.0));
        self.placed(builder.build())
    }

    /// The terrain that a character walks and jumps over: the heights of a 2D level, where a wall
    /// has no known height, or the tops of a 3D level's columns, where an empty column is a pit.
    /// The lowest voxels have their tops at the height of one cell. A mesh's file is read again,
    /// since its ground is finer than its cells; its heights are its own.
    ///
    /// # Errors
    /// [`LevelError::Import`]; [`LevelError::Refused`] for a character or heights that the jump
    /// planner does not take.
    pub fn jump_level(&self, character: Character) -> Result<JumpLevel, LevelError> {
        let relief = match self.path.extension() {
            Some(ending) if is_mesh(ending) => {
                import::read_relief(&self.path, &self.options.import)?.heights
            }
            _ => self.map.heights(),
        };
        let (heights, no_go) =
            (self.turned(&relief.heights), relief.no_go.map(|g| self.turned(&g)));
        // In 3D a cell is a cube, whatever it measures.
        let cell_size = self.layers().cell_size.unwrap_or(1.0);
        let unit = if self.dimensions() == 3 { self.spacing / cell_size } else { 1.0 };
        let mut builder = Terrain::builder(&heights)
            .cell_size(self.spacing)
            .origin(to_f64(self.options.origin))
            .height_scale(unit * self.height_scale())
            .no_data(f64::NAN);
        if let Some(no_go) = &no_go {
            builder = builder.no_go(no_go);
        }
        let terrain = builder.build().map_err(|reason| self.refused(JumpError::from(reason)))?;
        JumpLevel::new(terrain, character).map_err(|reason| self.refused(reason))
    }

    /// Where players or pursuers start, in the file's order.
    #[must_use]
    pub fn starts(&self) -> Vec<LevelPlace> {
        self.layers().starts.iter().map(|&cell| self.place(cell)).collect()
    }

    /// Where they are to get, in the file's order.
    #[must_use]
    pub fn goals(&self) -> Vec<LevelPlace> {
        self.layers().goals.iter().map(|&cell| self.place(cell)).collect()
    }

    /// All places with their names, by name; starts and goals are among them.
    pub fn marks(&self) -> impl Iterator<Item = (&str, LevelPlace)> {
        self.layers().marks.iter().map(|(name, &cell)| (&**name, self.place(cell)))
    }

    /// The place of this name, as it is written in the file. A start without a name is `start`, the
    /// next one `start2`; goals likewise.
    ///
    /// # Errors
    /// [`LevelError::NoPlace`].
    pub fn mark(&self, name: &str) -> Result<LevelPlace, LevelError> {
        let marks = &self.layers().marks;
        marks.get(name).map(|&cell| self.place(cell)).ok_or_else(|| LevelError::NoPlace {
            file: self.file(),
            name: name.to_owned(),
            known: marks.keys().cloned().collect(),
        })
    }

    fn layers(&self) -> &Layers {
        self.map.layers()
    }
    fn height_scale(&self) -> f64 {
        self.options.height_scale.unwrap_or(1.0)
    }

    /// The row that one of so many rows becomes: in 2D the file's first one is the top one.
    fn row(&self, y: usize, rows: usize) -> usize {
        if self.dimensions() == 2 { rows - 1 - y } else { y }
    }
    fn turned<V: Copy>(&self, cells: &Array2<V>) -> Array2<V> {
        let (rows, _) = cells.dim();
        Array2::from_shape_fn(cells.dim(), |(y, x)| cells[[self.row(y, rows), x]])
    }
    fn place(&self, [z, y, x]: [usize; 3]) -> LevelPlace {
        let cell = [z, self.row(y, self.map.shape()[1]), x];
        let at = to_f64(self.options.origin).extend(0.0).to_array();
        let middle = |axis: usize| (cell[2 - axis] as f64 * self.spacing + at[axis]) as f32;
        LevelPlace { cell, position: Vec3::from_array([0, 1, 2].map(middle)) }
    }

    fn check_dimensions(&self, asked: usize) -> Result<(), LevelError> {
        let found = self.dimensions();
        if found == asked {
            return Ok(());
        }
        Err(LevelError::Dimensions { file: self.file(), found, asked })
    }
    fn placed<D: Space>(
        &self,
        medium: Result<Medium<D>, wave_track::wave_core::MediumError>,
    ) -> Result<GridMap<D>, LevelError> {
        medium.map(GridMap::from_medium).map_err(|reason| self.refused(reason))
    }
    fn refused(&self, reason: impl Into<NamijiError>) -> LevelError {
        LevelError::Refused { file: self.file(), reason: Box::new(reason.into()) }
    }
    fn file(&self) -> String {
        // A name may hold anything, and an error is one line.
        self.path.to_string_lossy().replace(char::is_control, "\u{fffd}")
    }
}

fn is_mesh(ending: &std::ffi::OsStr) -> bool {
    ["gltf", "glb", "obj"].iter().any(|mesh| ending.eq_ignore_ascii_case(mesh))
}

/// Why a file gave no level, or not the requested part.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LevelError {
    /// The file cannot be read, or an element of it cannot be used; it names both.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A 2D map was asked for and the level is in 3D, or the other way round.
    #[error("{file}: the level is in {found}D, so it gives no map in {asked}D")]
    Dimensions {
        /// Its path.
        file: String,
        /// 2 or 3.
        found: usize,
        /// 2 or 3.
        asked: usize,
    },
    /// A place that the file does not name.
    #[error("{file}: no place is called {name:?}; {}", there_are(known))]
    NoPlace {
        /// Its path.
        file: String,
        /// The requested name.
        name: String,
        /// The names of its places.
        known: Vec<String>,
    },
    /// A plugin cannot use the contents of the file, or a number of the options is out of its
    /// limits.
    #[error("{file}: {reason}")]
    Refused {
        /// Its path.
        file: String,
        /// Why.
        reason: Box<NamijiError>,
    },
}

/// At most eight names, cut: a file may have thousands, of any length.
fn there_are(names: &[String]) -> String {
    const MOST: usize = 8;
    const LONGEST: usize = 40;
    if names.is_empty() {
        return "there are none".to_owned();
    }
    let cut = |name: &String| name.chars().take(LONGEST).collect::<String>();
    let shown: Vec<_> = names.iter().take(MOST).map(|name| format!("{:?}", cut(name))).collect();
    let more = names.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("there are {}{more}", shown.join(", "))
}
