//! The scenarios that are part of the program.

/// A scenario that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Its file's text.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../scenarios/", $name, ".toml")),
        }),*]
    };
}

/// All scenarios that are part of the program.
#[must_use]
pub fn built_in() -> &'static [BuiltIn] {
    built_in![
        "rooms",
        "house",
        "hunt",
        "leap",
        "pack",
        "building",
        "siege",
        "watanabe",
        "kumagai",
        "duel",
        "dogfight",
        "terrace",
        "stairwell",
        "expanse"
    ]
}
