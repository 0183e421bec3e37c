//! The form of a refusal, whatever was refused.

use std::fmt::Display;

/// `[units: characters]` The longest message: a path, a value that is quoted, a limit.
const LONGEST: usize = 2000;

/// A message stands on one line, has an end, and no control characters reach a terminal.
///
/// # Panics
/// Where it is not so.
pub(crate) fn check(refusal: &dyn Display) {
    let text = refusal.to_string();
    assert!(!text.is_empty(), "it says nothing");
    assert!(text.chars().count() <= LONGEST, "{} characters: {text}", text.chars().count());
    assert!(!text.contains(char::is_control), "control characters: {text:?}");
}

/// What was accepted. Of a refusal the form is checked.
///
/// # Panics
/// As [`check`].
pub(crate) fn accepted<T, E: Display>(result: Result<T, E>) -> Option<T> {
    result.inspect_err(|refusal| check(refusal)).ok()
}
