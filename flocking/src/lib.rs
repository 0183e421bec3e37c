#![doc = include_str!("../pictures/front.svg")]
//!
//! Boids in 2D and 3D: the published rule exactly, and what games ask for around it.
//!
//! * [`Flock`]: boids that step together; by ids, in the same bits on every machine, for any number
//!   of threads and any order of insertion.
//! * [`SteeringRule`]: the effect of neighbours on a boid. [`Turning`] is boids-2016's rule in 2D
//!   and 3D, with a weight for each part; [`Velocity`] adds accelerations, as most programs do.
//! * [`Avoidance`], [`Obstacle`], [`Walls`]: things in the way.
//! * [`FlockConfig`]: the world's [`Edges`], several [`Species`] and how each reacts to the others
//!   ([`Heed`]), all neighbours or the nearest few ([`Neighbours`]).
//! * [`BoidGoal`]: a boid with a goal leads the others. [`Steering`]: the rules' wish alone, for a
//!   host that moves its characters itself. [`Order`]: polarisation, milling, groups.
//!
//! # Axes
//! A position is a glam vector, `(x, y)` or `(x, y, z)`; the vector type names the dimension and
//! the number format: `Vec2`, `Vec3` (f32), `DVec2`, `DVec3` (f64). Angles are positive from +x
//! toward +y. (The source's y points down, and its angles from +x to -y: mirror y to compare.)
//! Speeds are per step.
//!
//! # Example
//! ```
//! use flocking::{Boid, Flock, FlockConfig};
//! use glam::Vec2;
//!
//! // A neighbour 40 to the right and 40 ahead, out of reach of separation: a turn of 45 degrees.
//! let mut flock = Flock::new(FlockConfig::published())?;
//! let boid = flock.add(Boid::new(Vec2::ZERO, Vec2::X))?;
//! flock.add(Boid::new(Vec2::new(40.0, 40.0), Vec2::X))?;
//! flock.step();
//! let heading = flock.boid(boid)?.heading;
//! assert!((heading - Vec2::new(0.5, 0.5).normalize()).length() < 1e-6);
//! # Ok::<(), flocking::FlockError>(())
//! ```
//!
//! # The same bits everywhere
//! All boids are updated from the same old state. Each takes its neighbours in the order (cell,
//! id), the cell being [`Flock::cell`]; the k-th in view is added to partial sum k mod 8, and in
//! the end partial sum i + 4 to i, then i + 2 to i, then 1 to 0. A plain loop over all pairs that
//! does so gives the same bits, which the tests check, for every set of [`Instructions`]. Nothing
//! is fused, nothing calls the platform's mathematics, and squared distances up to
//! [`Scalar::SAME_PLACE`] count as 0.
//!
//! # Cost
//! A step costs O(boids * boids within the radius): the square of the density, and flocks condense.
//! [`Neighbours::Nearest`] bounds it. The loss of accuracy is the root mean square difference of
//! the heading after one step to that of the full rule, in radians (tests/laws/bounded.rs:
//! published weights, 2000 boids, 31 within the radius and 16 in view on the mean at first; later
//! they condense):
//!
//! | steps before | 4 | 8 | 16 | 32 | 64 neighbours |
//! |---|---|---|---|---|---|
//! | 0 | 0.86 | 0.53 | 0.16 | 0.002 | 0 |
//! | 20 | 0.72 | 0.48 | 0.28 | 0.12 | 0.015 |
//! | 100 | 0.89 | 0.60 | 0.38 | 0.21 | 0.056 |
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | spreads a step over the current rayon pool; the same bits with and without |
//! | `serde` | no | `Serialize` and `Deserialize` for settings, boids and [`Snapshot`] |

// One kernel of small pieces: left to itself the compiler calls them per neighbour.
#![allow(clippy::inline_always)]
// An axis indexes several arrays at once, all through the crate.
#![allow(clippy::needless_range_loop)]

mod boid;
mod error;
mod flock;
mod ids;
mod instructions;
mod kernel;
mod neighbours;
mod number;
mod parallel;
mod rules;
mod world;

pub use boid::{Boid, BoidGoal, Steering};
pub use error::FlockError;
pub use flock::{Flock, Order, Snapshot};
pub use ids::BoidId;
pub use instructions::Instructions;
pub use number::{Scalar, Vector};
pub use rules::{
    Avoidance, Edges, FlockConfig, Heed, Neighbours, Pull, Push, Share, Species, SteeringRule,
    Turning, Velocity,
};
pub use world::{Obstacle, Walls};

pub use glam;
pub use ndarray;

/// The README's program is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
