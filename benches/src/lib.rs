//! The [`scenes`] of benches and comparisons, and measures for ways: [`any_angle`] and [`walker`].

pub mod any_angle;
pub mod grid_graph;
pub mod scenes;
pub mod walker;

/// The programs of the house's README and of the guide are tests. They are here since packages that
/// are published must not read a file of another folder.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../README.md")]
    struct House;
    #[doc = include_str!("../../docs/first-chase.md")]
    struct FirstChase;
    #[doc = include_str!("../../docs/flock.md")]
    struct Flock;
    #[doc = include_str!("../../docs/jump.md")]
    struct Jump;
    #[doc = include_str!("../../docs/large-worlds.md")]
    struct LargeWorlds;
    #[doc = include_str!("../../docs/own-mind.md")]
    struct OwnMind;
    #[doc = include_str!("../../docs/recipes.md")]
    struct Recipes;
}
