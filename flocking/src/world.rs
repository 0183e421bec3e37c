//! Things in the way of a flock: obstacles, which boids steer around, and walls, which no boid
//! enters.

mod obstacle_grid;
pub(crate) mod obstacles;
pub(crate) mod walls;

pub use obstacles::Obstacle;
pub use walls::Walls;
