//! The options of levels whose file leaves a choice.

use crate::import::{ImportOptions, Up, View};

/// Which part of a file is the level, and how it is seen.
#[derive(clap::Args)]
pub(super) struct ChoiceArguments {
    /// The level of an LDtk project [default: the first]
    #[arg(long, value_name = "NAME")]
    level: Option<String>,
    /// voxels: a mesh is 3D, and its surface is wall; floor: it is 2D, seen from above.
    #[arg(long, value_enum, default_value_t = View::Voxels)]
    view: View,
    /// Which axis of a mesh points upwards.
    #[arg(long, value_enum, default_value_t = Up::Y)]
    up: Up,
}

impl ChoiceArguments {
    /// Without the size of a mesh's cell.
    pub(super) fn options(&self) -> ImportOptions {
        ImportOptions { cell: None, level: self.level.clone(), view: self.view, up: self.up }
    }
}
