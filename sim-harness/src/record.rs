//! What a run leaves behind: a trace, a film of bounded size, pictures and a page that shows it.

mod film;
mod picture;
mod recorder;
mod report;

pub use film::{Film, Layer, Shot};
pub use recorder::Recorder;
pub use report::write as write_report;
