//! The `flock` command: random boids under the full published rule in a wrapping world, timed.

use flocking::glam::{Vec2, Vec3};
use flocking::{
    Boid, BoidId, Edges, Flock, FlockConfig, FlockError, Neighbours, Order, Scalar, Species,
    SteeringRule, Turning, Vector,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::time::Instant;

/// The settings of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlockScene {
    /// `[units: boids] [limits: 1 to 2^24 - 1] suggested: 10000`
    pub boids: u32,
    /// `[units: steps] suggested: 100`
    pub steps: u32,
    /// `[units: axes] [limits: 2 or 3] suggested: 2`
    pub dim: u8,
    /// `[units: boids per unit area or volume] [limits: finite, > 0] suggested: 0.1` But the world
    /// is at least twice the radius wide, so that few boids have more room.
    pub density: f64,
    /// `[units: world units] [limits: > 0, <= 1e12] suggested: 10` The view radius; separation
    /// reaches 0.4 of it, as published.
    pub radius: f64,
    /// `[units: boids] [limits: 1 to 64] suggested: 16 where flocks condense` Only so many of the
    /// nearest in view count; None: all of them, as published.
    pub nearest: Option<usize>,
    /// Places and headings.
    pub seed: u64,
}

impl Default for FlockScene {
    fn default() -> Self {
        Self {
            boids: 10_000,
            steps: 100,
            dim: 2,
            density: 0.1,
            radius: 10.0,
            nearest: None,
            seed: 1,
        }
    }
}

/// Why there was no run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlockSceneError {
    /// A number out of its limits.
    #[error("{what} = {value:?} is not allowed: must be {limit}")]
    Value {
        /// The option.
        what: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that are allowed.
        limit: &'static str,
    },
    /// So many boids of this density need more room than there is.
    #[error("the world is {side:?} wide: must be at most 1e18")]
    World {
        /// How wide it would be.
        side: f64,
    },
    /// The flock refused it.
    #[error(transparent)]
    Flock(#[from] FlockError),
}

/// The results of a run; the keys are those of the command's JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlockSummary {
    /// The number of boids.
    pub boids: u32,
    /// The number of steps.
    pub steps: u32,
    /// Wall-clock time of the steps alone.
    pub seconds: f64,
    /// boids * steps / seconds; 0 without steps.
    pub boid_steps_per_s: f64,
    /// At the end.
    pub order: OrderSummary,
    /// 16 hexadecimal digits, the same for any number of threads.
    pub state_hash: String,
}

/// [`Order`], linked within 0.4 of the view radius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OrderSummary {
    /// 1 where all go the same way.
    pub polarisation: f64,
    /// 0 in a wrapping world.
    pub milling: f64,
    /// The mean distance to the nearest other.
    pub nearest: f64,
    /// Groups.
    pub clusters: usize,
    /// Boids in the largest group.
    pub largest: usize,
}

impl From<Order> for OrderSummary {
    fn from(o: Order) -> Self {
        Self {
            polarisation: o.polarisation,
            milling: o.milling,
            nearest: o.nearest,
            clusters: o.clusters,
            largest: o.largest,
        }
    }
}

impl FlockScene {
    /// The flock at the start: places uniform in a wrapping square or cube of the density, but at
    /// least twice the radius wide, headings uniform, speed a tenth of the radius.
    ///
    /// # Errors
    /// [`FlockSceneError`].
    pub fn build<V: Vector>(&self) -> Result<Flock<V>, FlockSceneError> {
        let number = |what, value: f64, fits: bool, limit| {
            fits.then_some(()).ok_or(FlockSceneError::Value { what, value, limit })
        };
        let boids = 1..BoidId::LIMIT;
        number("boids", self.boids.into(), boids.contains(&self.boids), "1 to 2^24 - 1")?;
        let density = self.density;
        number("density", density, density.is_finite() && density > 0.0, "a number > 0")?;
        let radius = self.radius;
        number("radius", radius, radius > 0.0 && radius <= 1e12, "> 0 and at most 1e12")?;
        if let Some(most) = self.nearest {
            number("nearest", most as f64, (1..=64).contains(&most), "1 to 64")?;
        }
        let volume = f64::from(self.boids) / density;
        let side = if V::FLAT { volume.sqrt() } else { libm::cbrt(volume) };
        if side > 1e18 {
            return Err(FlockSceneError::World { side });
        }
        // Rounded to the boids' numbers, it is no less.
        let side = side.max(2.0 * radius * (1.0 + f64::from(f32::EPSILON)));
        let rule = SteeringRule::Turning(Turning::published_at(self.radius));
        let mut config = FlockConfig::of(Species { rule, ..Species::published() });
        let vector = |v: [f64; 3]| V::from_xyz(v.map(V::Scalar::from_f64));
        if let Some(most) = self.nearest {
            config.neighbours = Neighbours::Nearest { most };
        }
        config.edges = Edges::Wrapping { low: vector([0.0; 3]), high: vector([side; 3]) };
        let mut flock = Flock::new(config)?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        while flock.len() < self.boids as usize {
            let place: [f64; 3] = std::array::from_fn(|_| rng.random::<f64>() * side);
            let way: [f64; 3] = std::array::from_fn(|_| rng.random::<f64>() * 2.0 - 1.0);
            let (square, flat) = (way[0] * way[0] + way[1] * way[1], V::FLAT);
            let square = if flat { square } else { square + way[2] * way[2] };
            // Uniform in the ball, so its direction is uniform; and rounding may reach the edge.
            let inside = place.iter().all(|&p| V::Scalar::from_f64(p) < V::Scalar::from_f64(side));
            if !(1e-4..=1.0).contains(&square) || !inside {
                continue;
            }
            let speed = 0.1 * self.radius;
            let boid = Boid::new(vector(place), vector(way));
            flock.add(Boid { speed, cruise: speed, ..boid })?;
        }
        Ok(flock)
    }

    /// Builds and steps it in the current rayon pool; `progress` is called after every step.
    ///
    /// # Errors
    /// [`FlockSceneError`].
    pub fn run(&self, progress: &dyn Fn()) -> Result<FlockSummary, FlockSceneError> {
        match self.dim {
            2 => self.run_in::<Vec2>(progress),
            3 => self.run_in::<Vec3>(progress),
            dim => {
                let value = f64::from(dim);
                Err(FlockSceneError::Value { what: "dim", value, limit: "2 or 3" })
            }
        }
    }

    fn run_in<V: Vector>(&self, progress: &dyn Fn()) -> Result<FlockSummary, FlockSceneError> {
        let mut flock = self.build::<V>()?;
        let start = Instant::now();
        for _ in 0..self.steps {
            flock.step();
            progress();
        }
        let seconds = start.elapsed().as_secs_f64();
        let work = f64::from(self.boids) * f64::from(self.steps);
        Ok(FlockSummary {
            boids: self.boids,
            steps: self.steps,
            seconds,
            boid_steps_per_s: if self.steps > 0 { work / seconds.max(1e-9) } else { 0.0 },
            order: flock.order(0.4 * self.radius)?.into(),
            state_hash: format!("{:016x}", flock.state_hash()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_same_for_any_number_of_threads() {
        for dim in [2, 3] {
            let scene =
                FlockScene { boids: 3000, steps: 5, dim, density: 0.01, ..FlockScene::default() };
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| scene.run(&|| {})).unwrap()
            };
            let first = run(1);
            assert_eq!(first.state_hash.len(), 16);
            assert!(first.order.nearest > 0.0 && first.boid_steps_per_s > 0.0);
            for threads in [2, 3, 8] {
                let other = run(threads);
                assert_eq!(
                    (other.state_hash, other.order),
                    (first.state_hash.clone(), first.order)
                );
            }
        }
    }

    #[test]
    fn bad_scenes_are_refused() {
        let refused = |scene: FlockScene| scene.run(&|| {}).unwrap_err().to_string();
        let scene = FlockScene::default();
        assert!(refused(FlockScene { dim: 4, ..scene }).contains("dim = 4"));
        assert!(refused(FlockScene { boids: 0, ..scene }).contains("boids = 0"));
        assert!(refused(FlockScene { density: f64::NAN, ..scene }).contains("density"));
        assert!(refused(FlockScene { density: 1e-40, ..scene }).contains("the world is"));
        let few = FlockScene { boids: 3, steps: 2, ..scene };
        assert_eq!(few.run(&|| {}).unwrap().boids, 3, "room for the radius is made");
    }
}
