#![doc = include_str!("../pictures/front.svg")]
//!
//! The wave equation on a grid with walls and speed areas, in 2D and 3D.
//!
//! * [`Medium`]: the map of a wave. Walls, speed per cell, [links](Link), damping, the time step.
//! * [`Wave`]: a dense field on two buffers, stepped by the explicit leapfrog scheme
//!   `z' = delta * sum + (2 - k * delta) * z - z_prev`.
//! * [`RecordedWave`]: such a wave that notes when it first came to every cell and from where, and
//!   ends by itself.
//! * [`Front`]: the same in the limit of short waves, without the wave equation. Only cells that it
//!   is passing are computed, and it is also right where speeds differ.
//! * [`ArrivalField`]: when a wave comes to every cell and from where, as arrays.
//! * [`WorldField`]: the way to a target from anywhere in a very large 2D world, without a field of
//!   all of it.
//!
//! # Axes
//! A position is a glam vector `(x, y)` or `(x, y, z)`; a cell is an ndarray index `[y, x]` or
//! `[z, y, x]`. Cell `[y, x]` has its centre at `(x, y) * spacing + origin` and reaches half a
//! spacing to each side. Positions are `f64` (`DVec2`, `DVec3`; `Vec2` and `Vec3` convert into
//! them), because 10^4 cells leave an `f32` only a thousandth of a cell.
//!
//! # Example
//! ```
//! use ndarray::{Array2, Ix2};
//! use wave_core::{Front, Medium};
//!
//! // A wall with a gap at its lower end, between the left and the right half of a room.
//! let mut walls = Array2::from_elem([20, 31], false);
//! for y in 0..17 {
//!     walls[[y, 15]] = true;
//! }
//! let medium = Medium::<Ix2>::builder([20, 31]).walls(&walls).build()?;
//! let mut front = Front::new(&medium);
//! front.emit(&medium, &[[5, 25]])?;
//! front.run(&medium)?;
//!
//! // The wave came round the wall, so a walker left of it is sent down to the gap.
//! let way = front.direction([5, 5]).unwrap();
//! assert!(way.x > 0.0 && way.y > 0.0);
//! // A route of about 33 cells at 0.7 cells a step.
//! let steps = front.arrival([5, 5]).unwrap();
//! assert!((40.0..60.0).contains(&steps));
//! # Ok::<(), wave_core::WaveError>(())
//! ```
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | dense steps, big fields, [`WorldField::new`] in the current pool, same bits |
//! | `serde` | no | `Serialize` and `Deserialize` for [`Medium`], [`Wave`], [`RecordedWave`], [`Front`], [`Source`] and [`WallRule`] |

mod arrival;
#[cfg(feature = "rayon")]
mod crew;
mod dense;
mod error;
mod grid;
mod parallel;
mod simd;
mod world;

pub use arrival::field::ArrivalField;
pub use arrival::front::Front;
pub use dense::real::Real;
pub use dense::recorded::RecordedWave;
pub use dense::source::Source;
pub use dense::wave::Wave;
pub use error::{LinkFault, MediumError, WaveError};
pub use glam;
pub use grid::{Directions, Link, Medium, MediumBuilder, Space, WallRule};
pub use ndarray;
pub use simd::{Simd, prefetch};
pub use world::WorldField;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
