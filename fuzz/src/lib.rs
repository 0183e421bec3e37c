//! Random tests of all that users may hand to Namiji: every reader, and every sequence of calls.
//!
//! A target takes bytes and panics where Namiji's answer is not its oracle's: a reader's text is
//! written and read again, a state that was edited is compared with one that is built at once, a
//! fast way with a plain one. Whatever is refused is refused in one line of bounded length.
//!
//! * `.ci/fuzz SECONDS` runs all targets with libFuzzer, which needs nightly and `cargo-fuzz`.
//! * `cargo test -p namiji-fuzz` runs them on stable over `corpus`, inputs by hand and all that have
//!   found something, and over [`seeds`], which are made.
//!
//! A new target is a function here, a line in [`TARGETS`], a file in `fuzz_targets` with its lines in
//! `Cargo.toml`, a few inputs and, for texts, the words of the format in `dictionaries`.

pub mod readers;
mod refusal;
pub mod seeds;
pub mod sequences;

/// A target: it panics where something is found.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const TARGETS: &[(&str, Target)] = &[
    ("flocks", sequences::flocks::run),
    ("fronts", sequences::fronts::run),
    ("graphs", sequences::graphs::run),
    ("height_maps", readers::heights::ascii),
    ("height_pictures", readers::heights::picture),
    ("import_glb", readers::imports::glb),
    ("import_gltf", readers::imports::gltf),
    ("import_ldtk", readers::imports::ldtk),
    ("import_obj", readers::imports::obj),
    ("import_tif", readers::imports::tif),
    ("import_tmj", readers::imports::tmj),
    ("import_tmx", readers::imports::tmx),
    ("import_vox", readers::imports::vox),
    ("journals", readers::journals::run),
    ("levels", sequences::levels::run),
    ("map_entries", readers::maps::entries),
    ("maps", readers::maps::octile),
    ("plans", readers::plans::run),
    ("rule_bases", readers::rules::run),
    ("saved_flocks", readers::saved_flocks::run),
    ("saved_trackers", readers::saved_waves::trackers),
    ("saved_waves", readers::saved_waves::waves),
    ("scenarios", readers::scenarios::run),
    ("side_levels", readers::sides::run),
    ("storeys", sequences::storeys::run),
    ("terrains", sequences::terrains::run),
    ("trackers", sequences::trackers::run),
    ("voxel_maps", readers::maps::voxel),
    ("walls", sequences::walls::run),
    ("worlds", sequences::worlds::run),
];
