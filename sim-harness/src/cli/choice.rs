//! The options of levels whose file leaves a choice.

use crate::import::{ImportOptions, Up, View};
use clap::ValueEnum;

/// Which part of a file is the level, and how it is seen.
#[derive(clap::Args)]
pub(super) struct ChoiceArguments {
    /// The level of an LDtk project [default: the first]
    #[arg(long, value_name = "NAME")]
    level: Option<String>,
    /// voxels: a mesh is 3D, and its surface is wall; floor: it is 2D, seen from above.
    #[arg(long, value_enum, default_value_t = Views::Voxels)]
    view: Views,
    /// Which axis of a mesh points upwards.
    #[arg(long, value_enum, default_value_t = Ups::Y)]
    up: Ups,
}

impl ChoiceArguments {
    /// Without the size of a mesh's cell.
    pub(super) fn options(&self) -> ImportOptions {
        ImportOptions {
            cell: None,
            level: self.level.clone(),
            view: match self.view {
                Views::Voxels => View::Voxels,
                Views::Floor => View::Floor,
            },
            up: match self.up {
                Ups::Y => Up::Y,
                Ups::Z => Up::Z,
            },
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Views {
    Voxels,
    Floor,
}

#[derive(Clone, Copy, ValueEnum)]
enum Ups {
    Y,
    Z,
}
