//! Levels of every editor, which the harness tests its importers with.

/// In `sim-harness/tests/levels`.
pub(crate) const LEVELS: [&str; 8] = [
    "castle.map",
    "castle.tmx",
    "castle.tmj",
    "castle.ldtk",
    "castle.vox",
    "castle.glb",
    "castle.obj",
    "hill.tif",
];
