//! What a run leaves behind: a trace, a film of bounded size, pictures and a page that shows it.

pub mod film;
pub mod picture;
mod recorder;
pub mod report;

pub use recorder::Recorder;
