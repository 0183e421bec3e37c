//! What can be wrong with a level of an editor, in one line of bounded length.

use crate::maps::MapError;
use crate::maps::heights::HeightmapError;

/// Why a file gave no level. `file`, `place` and `what` are made for reading: control characters
/// are escaped, long text is cut.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ImportError {
    /// A map of the MovingAI formats.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A height map.
    #[error(transparent)]
    Heights(#[from] HeightmapError),
    /// The name does not say which format the file has.
    #[error("{file}: the name must end in {known}")]
    Ending { file: String, known: &'static str },
    /// The program was built without the reader of such files.
    #[error("{file}: this program was built without the feature `{feature}` (or `import`)")]
    Feature { file: String, feature: &'static str },
    /// The file as a whole cannot be used.
    #[error("{file}: {what}")]
    File { file: String, what: String },
    /// An element of the file cannot be used.
    #[error("{file}: {place}: {what}")]
    Element { file: String, place: String, what: String },
}
