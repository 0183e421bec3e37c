//! The ground as data.

use super::{Legs, number};
use crate::import::{ImportOptions, Up, View};
use serde::{Deserialize, Serialize};

/// The ground: a drawing, a size or a file, then heights, random blocks and boxes over it, in this
/// order.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// 2D: rows of `#` (wall), `.` (free) and letters that mark free cells.
    pub drawing: Option<String>,
    /// `[units: cells]` In place of a drawing: `[x, y]` or `[x, y, z]`, all free.
    pub size: Option<Vec<usize>>,
    /// In place of a drawing: a level, from where the scenario's file lies: `.map`, `.3dmap` (water
    /// is wall), `.asc`, `.png`, `.tif`, `.tmx`, `.tmj`, `.ldtk`, `.vox`, `.gltf`, `.glb` or
    /// `.obj`. Its places are marks, its speeds are parts of `wave_speed`, and where all pursuers
    /// travel, its heights are the ground's.
    pub file: Option<String>,
    /// The level of an LDtk project; left out, the first.
    pub level: Option<String>,
    /// `[units: the mesh's own] [limits: > 0, <= 10^6] suggested: half the narrowest way's width`
    /// The side of a mesh's cell; left out, a 256th of its longest side.
    pub cell: Option<f64>,
    /// What a mesh becomes.
    #[serde(default)]
    pub view: View,
    /// Which axis of a mesh points upwards.
    #[serde(default)]
    pub up: Up,
    /// 2D: rows of digits, a height for every cell. Minds that move over heights have legs; waves
    /// do not know heights, unless the map itself has legs.
    pub heights: Option<String>,
    /// Waves keep to the ground: they run only in cells that one can stand in, and steps, falls
    /// and, over heights, jumps of these legs are links from one level to another. Heights must
    /// then be whole multiples of `spacing`, and the map becomes 3D. Without `no_go`.
    pub legs: Option<Legs>,
    /// `[units: world units] [limits: > 0, <= 10^6] suggested: 1` What a digit of `heights` counts.
    #[serde(default = "number::<f64, 1>")]
    pub height_step: f64,
    /// `[units: world units] [limits: > 0, <= 10^6] suggested: 1` The distance between cell
    /// centres.
    #[serde(default = "number::<f64, 1>")]
    pub spacing: f64,
    /// `[units: world units per time] [limits: > 0, <= 10^6] suggested: 1` The wave's speed.
    #[serde(default = "number::<f64, 1>")]
    pub wave_speed: f64,
    /// What walls do to waves.
    #[serde(default)]
    pub walls: Walls,
    /// Blocks at random places, again for every seed.
    pub blocks: Option<Blocks>,
    /// Boxes of cells that are wall, free, or slower.
    #[serde(default)]
    pub boxes: Vec<CellBox>,
}

impl Map {
    /// How its file is read.
    #[must_use]
    pub fn import(&self) -> ImportOptions {
        let Self { level, cell, view, up, .. } = self;
        ImportOptions { cell: *cell, level: level.clone(), view: *view, up: *up }
    }
}

/// What walls do to waves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Walls {
    /// Free ends: ours.
    #[default]
    Free,
    /// Fixed ends: as published.
    Fixed,
}

/// Blocks at random places. Around places that the scenario names, they leave two cells free.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Blocks {
    /// `[units: blocks] [limits: 0 to 10^5] suggested: 1 for every 200 cells` How many.
    pub count: usize,
    /// `[units: cells] [limits: 1 to longest]` The shortest side.
    pub shortest: usize,
    /// `[units: cells] [limits: shortest to 1024] suggested: 12` The longest side.
    pub longest: usize,
}

/// A box of cells, both corners included.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CellBox {
    /// `[units: cells]` The corner with the smallest coordinates, x first.
    pub from: Vec<usize>,
    /// `[units: cells]` The corner with the largest coordinates, x first.
    pub to: Vec<usize>,
    /// True: the cells become walls; false: free.
    pub wall: Option<bool>,
    /// `[units: world units per time] [limits: > 0, <= 10^6]` The wave's speed in the cells.
    pub wave_speed: Option<f64>,
}
