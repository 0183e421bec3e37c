//! What is in the way of a flock: obstacles, which are steered around, and walls, which nobody
//! enters.

mod obstacle_grid;
pub(crate) mod obstacles;
pub(crate) mod walls;

pub use obstacles::Obstacle;
pub use walls::Walls;
