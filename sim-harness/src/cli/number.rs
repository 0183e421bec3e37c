//! Numbers that errors show as they were typed.

use std::fmt;
use std::num::ParseFloatError;
use std::str::FromStr;

/// A number, and how it was typed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    text: String,
}

impl FromStr for Number {
    type Err = ParseFloatError;

    fn from_str(text: &str) -> Result<Self, ParseFloatError> {
        Ok(Self { value: text.parse()?, text: text.to_owned() })
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self { value, text: format!("{value:?}") }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
