#![doc = include_str!("../pictures/front.svg")]
//!
//! Scenarios, map formats, recording and pictures: where the crates of Namiji meet.
//!
//! * [`scenario`]: scenarios as data, from TOML or built in; [`world`]: runs them.
//! * [`maps`]: MovingAI maps and their scenario entries; height maps.
//! * [`import`]: levels from editors, and the one reader of all maps by their endings.
//! * [`pursue`]: how long pursuers' ways are on such maps; [`level`]: paths with jumps and audits
//!   of terrains; [`flock`]: boids alone, timed.
//! * [`side`]: side-view platformers under their own jumps.
//! * [`quantile`]: what a percentile of figures is.
//! * [`memory`]: the memory that a map or a world may take, and an estimate of what it takes.
//! * [`record`]: the files of a run: a trace, pictures, a page that shows it.
//! * `parameters`: every key of a scenario with its unit and its limits.
//! * `study`: many runs: claims of scenarios, over seeds, and sweeps of parameters.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `cli` | yes | the program `sim-harness`; with it `record` and `study` |
//! | `record` | yes | reports, pictures, films, and pictures of audits |
//! | `study` | yes | `verify`, sweeps and the published figures |
//! | `png` | yes | height maps from PNG |
//! | `parquet` | no | sweeps also write `rows.parquet` |
//! | `schema` | no | `sim-harness schema`: the JSON schema and the page of parameters |
//! | `import` | no | levels from editors: `tiled`, `ldtk`, `vox`, `mesh`, `geotiff`, one by one |
//! | `junit` | no | `audit --junit`: audits as JUnit XML |
//! | `full` | no | all of them |

#[cfg(feature = "cli")]
pub mod cli;
pub mod flock;
pub mod import;
#[cfg(feature = "record")]
mod ink;
mod input;
pub mod level;
pub mod maps;
pub mod memory;
mod output;
#[cfg(feature = "cli")]
mod pages;
#[cfg(feature = "cli")]
mod papers;
#[cfg(feature = "schema")]
pub mod parameters;
mod printable;
pub mod pursue;
pub mod quantile;
pub mod record;
pub mod scenario;
pub mod side;
#[cfg(feature = "study")]
pub mod study;
pub mod world;

pub use output::WriteError;
pub use toml;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
