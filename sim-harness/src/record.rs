//! The files of a run: a trace, a film of bounded size, pictures and a page that shows it.

mod film;
#[cfg(feature = "record")]
mod heat;
#[cfg(feature = "record")]
mod picture;
#[cfg(feature = "record")]
mod recorder;
#[cfg(feature = "record")]
mod report;
#[cfg(not(target_family = "wasm"))]
mod viewer;

pub use film::{Film, Layer, Shot};
#[cfg(feature = "record")]
pub use heat::Heat;
#[cfg(feature = "record")]
pub use recorder::Recorder;
#[cfg(feature = "record")]
pub use report::write as write_report;
// The page that the playground shows itself in is written elsewhere.
#[cfg(not(target_family = "wasm"))]
pub use viewer::{Part, write_page};
