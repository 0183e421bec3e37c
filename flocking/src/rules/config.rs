//! Settings of a flock: the world, the species, and which of them heed which.

use crate::error::{FlockError, number};
use crate::number::vector::Vector;
use crate::rules::steering::{Avoidance, SteeringRule, weight};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// What happens at the world's edge.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Edges<V> {
    /// There is none (positions are held within 2^30 of the largest radius, and within 1e18).
    #[default]
    Open,
    /// A boid that leaves on one side comes in on the other, and neighbours are seen across the
    /// edge.
    Wrapping {
        /// `[units: world units] [limits: within 1e18] suggested: 0` The lower corner.
        low: V,
        /// `[units: world units] [limits: low + 2 * the largest radius, or more] suggested: 1000`
        high: V,
    },
    /// Boids are mirrored at the edge, position and heading, as often as a step leads them there,
    /// and never get out.
    Contained {
        /// `[units: world units] [limits: within 1e18] suggested: 0` The lower corner.
        low: V,
        /// `[units: world units] [limits: > low] suggested: 1000` The upper corner.
        high: V,
    },
}

/// How many neighbours count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Neighbours {
    /// All in view, as published. The cost is quadratic in density, and flocks condense.
    #[default]
    All,
    /// The nearest `most` in view (the lower id where two are equally far): the cost stays bounded
    /// when a flock condenses. It differs from [`Neighbours::All`] only where more than `most` are
    /// in view; by how much, the crate's documentation says.
    Nearest {
        /// `[units: boids] [limits: 1 to 64] suggested: 16`
        most: usize,
    },
}

/// How one species reacts to another. The weights multiply those of the [`SteeringRule`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Heed {
    /// `[units: 1] [limits: within 1e6] suggested: 1` Its share in the middle of the flock; below 0
    /// it flees.
    /// (Under
    /// [`Turning`](crate::Turning) it weighs the neighbours' offsets: among neighbours of one
    /// species its sign alone counts.)
    pub cohesion: f64,
    /// `[units: 1] [limits: 0 to 1e6] suggested: 1` Also the neighbour's share in the mean.
    pub alignment: f64,
    /// `[units: 1] [limits: within 1e6] suggested: 1`
    pub separation: f64,
}

impl Heed {
    /// One of its own.
    pub const FULL: Self = Self { cohesion: 1.0, alignment: 1.0, separation: 1.0 };
    /// Not there.
    pub const NONE: Self = Self { cohesion: 0.0, alignment: 0.0, separation: 0.0 };
    /// Only something not to bump into.
    pub const OBSTACLE: Self = Self { cohesion: 0.0, alignment: 0.0, separation: 1.0 };
    /// How prey reacts to a hunter.
    pub const FLEE: Self = Self { cohesion: -1.0, alignment: 0.0, separation: 1.0 };
    /// How a hunter reacts to its prey.
    pub const CHASE: Self = Self { cohesion: 1.0, alignment: 0.0, separation: 0.0 };
}

/// The laws of one species.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Species {
    /// The effect of neighbours on a boid.
    pub rule: SteeringRule,
    /// The effect of obstacles on it.
    pub avoidance: Avoidance,
    /// `[units: radians per step] [limits: > 0; pi: no limit] suggested: 0.3; published: pi`
    pub max_turn: f64,
    /// `[units:
    /// world units per step^2] [limits: 0 to 1e12; > 0 under a velocity
    /// rule]
    /// suggested: 0.1 of the
    /// speed`
    /// The most by which the speed goes toward the boid's cruising speed in a step, 0 to keep it;
    /// under a velocity rule the largest acceleration of any kind.
    pub max_acceleration: f64,
}

/// For a map of some 100 units and speeds of some 0.5: the default [`Turning`](crate::Turning) and
/// [`Avoidance`](crate::Avoidance), and turns of at most 0.3 radians a step.
impl Default for Species {
    fn default() -> Self {
        Self {
            rule: SteeringRule::Turning(crate::Turning::default()),
            avoidance: Avoidance::default(),
            max_turn: 0.3,
            max_acceleration: 0.0,
        }
    }
}

impl Species {
    /// boids-2016's numbers: [`Turning::published`](crate::Turning::published) and
    /// [`Avoidance::published`], no limit on a turn. (Its macro for pi is 3.1415; ours is pi.)
    #[must_use]
    pub fn published() -> Self {
        Self {
            rule: SteeringRule::Turning(crate::Turning::published()),
            avoidance: Avoidance::published(),
            max_turn: std::f64::consts::PI,
            max_acceleration: 0.0,
        }
    }

    fn check(&self) -> Result<(), FlockError> {
        self.rule.check()?;
        self.avoidance.check()?;
        number("max_turn", self.max_turn, self.max_turn > 0.0, "> 0")?;
        let most = self.max_acceleration;
        let fits = (0.0..=1e12).contains(&most);
        if matches!(self.rule, SteeringRule::Velocity(_)) {
            let limit = "above 0, to 1e12, under a velocity rule";
            return number("max_acceleration", most, fits && most > 0.0, limit);
        }
        number("max_acceleration", most, fits, "0 to 1e12")
    }
}

/// Settings of a [`Flock`](crate::Flock).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct FlockConfig<V> {
    /// What happens at the world's edge.
    pub edges: Edges<V>,
    /// How many neighbours count.
    pub neighbours: Neighbours,
    /// `[limits: 1 to 32 species]`
    pub species: Vec<Species>,
    /// `[limits: species * species entries, or none: all heed all in full]` Row by row:
    /// `heeds[a * species.len() + b]` is how a reacts to b.
    pub heeds: Vec<Heed>,
}

/// The most species of one flock: the species that one heeds are a mask of 32 bits.
pub(crate) const MAX_SPECIES: usize = 32;
/// The most neighbours of [`Neighbours::Nearest`].
pub(crate) const MAX_NEAREST: usize = 64;

/// An open world with one species that fits a map of some 100 units. (Published boids see 75 units
/// far, so on such a map each sees most of the others and every wall.)
impl<V: Vector> Default for FlockConfig<V> {
    fn default() -> Self {
        Self::of(Species::default())
    }
}

impl<V: Vector> FlockConfig<V> {
    /// An open world with one species after boids-2016, with its numbers: a view radius of 75.
    #[must_use]
    pub fn published() -> Self {
        Self::of(Species::published())
    }

    /// An open world with one species.
    #[must_use]
    pub fn of(species: Species) -> Self {
        Self {
            edges: Edges::Open,
            neighbours: Neighbours::All,
            species: vec![species],
            heeds: Vec::new(),
        }
    }

    pub(crate) fn check(&self) -> Result<(), FlockError> {
        let found = self.species.len();
        if !(1..=MAX_SPECIES).contains(&found) {
            return Err(FlockError::SpeciesCount { found, most: MAX_SPECIES });
        }
        let expected = found * found;
        let found = self.heeds.len();
        if found != 0 && found != expected {
            return Err(FlockError::HeedCount { found, expected });
        }
        for species in &self.species {
            species.check()?;
        }
        for heed in &self.heeds {
            weight("heed.cohesion", heed.cohesion)?;
            let fits = (0.0..=1e6).contains(&heed.alignment);
            number("heed.alignment", heed.alignment, fits, "0 to 1e6")?;
            weight("heed.separation", heed.separation)?;
        }
        if let Neighbours::Nearest { most } = self.neighbours {
            let fits = (1..=MAX_NEAREST).contains(&most);
            number("neighbours.most", most as f64, fits, "1 to 64")?;
        }
        let (low, high, least) = match self.edges {
            Edges::Open => return Ok(()),
            Edges::Wrapping { low, high } => (low, high, 2.0 * self.reach()),
            Edges::Contained { low, high } => (low, high, 0.0),
        };
        let (low, high) = (
            crate::number::vector::to_f64(low.to_xyz()),
            crate::number::vector::to_f64(high.to_xyz()),
        );
        for axis in 0..if V::FLAT { 2 } else { 3 } {
            for end in [low[axis], high[axis]] {
                number("world edge", end, end.abs() <= 1e18, "within 1e18")?;
            }
            let length = high[axis] - low[axis];
            if length <= 0.0 || length < least {
                return Err(FlockError::WorldSize { axis, length, least });
            }
        }
        Ok(())
    }

    /// `[units: world units]` The farthest that any boid sees a neighbour; 1 where none sees any.
    #[must_use]
    pub fn reach(&self) -> f64 {
        let reach = self.species.iter().map(|s| s.rule.reach()).fold(0.0, f64::max);
        if reach > 0.0 { reach.max(1e-9) } else { 1.0 }
    }
}
