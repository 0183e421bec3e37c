//! Order parameters: what a flock as a whole is doing, for validation and plots.

use crate::error::{FlockError, number};
use crate::flock::Flock;
use crate::neighbours::runs::{Look, Runs};
use crate::number::vector::{Vector, to_f64};
use crate::rules::config::Edges;

/// What [`Flock::order`] finds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Order {
    /// `|mean heading|`: 1 where all go the same way, about `1 / sqrt(n)` where none agree.
    pub polarisation: f64,
    /// `|mean of r x h|` with r the unit vector from the mean position: 1 where all circle it the
    /// same way. In a wrapping world positions have no mean; there it is 0.
    pub milling: f64,
    /// `[units: world units]` The mean distance to the nearest other boid, over the boids that have
    /// one within the link length; 0 where none has.
    pub nearest: f64,
    /// Groups of boids joined by links.
    pub clusters: usize,
    /// `[units: boids]` The size of the largest group.
    pub largest: usize,
}

impl<V: Vector> Flock<V> {
    /// The order parameters; two boids within `link` of each other are linked.
    ///
    /// # Errors
    /// [`FlockError::Value`]: `link` must be above 0 and at most the largest radius of the settings
    /// ([`FlockConfig::reach`](crate::FlockConfig::reach)).
    ///
    /// # Complexity
    /// O(boids * boids within the radius). Allocates.
    ///
    /// # Example
    /// ```
    /// use flocking::{Boid, Flock, FlockConfig};
    /// use glam::Vec2;
    ///
    /// let mut flock = Flock::new(FlockConfig::published())?;
    /// for x in [0.0, 3.0, 100.0] {
    ///     flock.add(Boid::new(Vec2::new(x, 0.0), Vec2::Y))?;
    /// }
    /// let order = flock.order(10.0)?;
    /// assert_eq!((order.polarisation, order.nearest), (1.0, 3.0));
    /// assert_eq!((order.clusters, order.largest), (2, 2));
    /// # Ok::<(), flocking::FlockError>(())
    /// ```
    pub fn order(&mut self, link: f64) -> Result<Order, FlockError> {
        let fits = link > 0.0 && link <= self.config().reach();
        number("link", link, fits, "> 0 and within the largest radius")?;
        self.sort();
        let n = self.len();
        let mut order = Order::default();
        if n == 0 {
            return Ok(order);
        }
        let poses: Vec<([f64; 3], [f64; 3])> =
            self.sorted.iter().map(|b| (to_f64(b.position), to_f64(b.heading))).collect();
        let mean = |values: &mut dyn Iterator<Item = [f64; 3]>| {
            let sum = values.fold([0.0; 3], crate::number::vector::add);
            sum.map(|c| c / n as f64)
        };
        let length = crate::number::vector::length::<f64>;
        order.polarisation = length(mean(&mut poses.iter().map(|p| p.1)));
        if !matches!(self.config().edges, Edges::Wrapping { .. }) {
            let centre = mean(&mut poses.iter().map(|p| p.0));
            order.milling = length(mean(&mut poses.iter().map(|(p, h)| {
                let r = crate::number::vector::sub(*p, centre);
                let far = length(r);
                if far > 0.0 {
                    crate::number::vector::cross(r.map(|c| c / far), *h)
                } else {
                    [0.0; 3]
                }
            })));
        }
        let mut parents: Vec<u32> = (0..n as u32).collect();
        let (mut sum, mut count) = (0.0, 0);
        for slot in 0..n {
            let mut nearest = f64::INFINITY;
            self.each_within(slot, link, |other, distance| {
                nearest = nearest.min(distance);
                let (a, b) = (root(&mut parents, slot), root(&mut parents, other));
                // The lower one stays: the same groups in whatever order they are met.
                parents[a.max(b)] = a.min(b) as u32;
            });
            if nearest.is_finite() {
                sum += nearest;
                count += 1;
            }
        }
        order.nearest = if count > 0 { sum / f64::from(count) } else { 0.0 };
        let mut sizes = vec![0usize; n];
        for slot in 0..n {
            sizes[root(&mut parents, slot)] += 1;
        }
        order.clusters = sizes.iter().filter(|&&s| s > 0).count();
        order.largest = sizes.iter().copied().max().unwrap_or(0);
        Ok(order)
    }

    /// Calls `found(slot, distance)` for all others within `far` of a boid of the last sort.
    fn each_within(&self, slot: usize, far: f64, mut found: impl FnMut(usize, f64)) {
        let own = to_f64(self.sorted[slot].position);
        let (low, high) = (to_f64(self.bounds.low), to_f64(self.bounds.high));
        let wraps = matches!(self.config().edges, Edges::Wrapping { .. });
        let heading = [1.0, 0.0, 0.0];
        let look = Look { reach: far, rings: self.grid.rings, heading, ahead: false };
        for run in Runs::<V>::new(&self.grid, &self.grid.place(own), look) {
            for other in run {
                let mut offset =
                    crate::number::vector::sub(to_f64(self.sorted[other].position), own);
                for a in 0..3 {
                    let size = high[a] - low[a];
                    if wraps && size > 0.0 {
                        offset[a] -= (offset[a] / size).round() * size;
                    }
                }
                let distance = crate::number::vector::length(offset);
                if other != slot && distance <= far {
                    found(other, distance);
                }
            }
        }
    }
}

fn root(parents: &mut [u32], mut slot: usize) -> usize {
    while parents[slot] as usize != slot {
        // Halves the path.
        parents[slot] = parents[parents[slot] as usize];
        slot = parents[slot] as usize;
    }
    slot
}

#[cfg(test)]
mod tests {
    use crate::{Boid, Edges, Flock, FlockConfig};
    use glam::DVec2;
    use std::f64::consts::TAU;

    #[test]
    fn a_mill_mills_and_is_not_polarised() {
        let mut flock = Flock::new(FlockConfig::published()).unwrap();
        for i in 0..100u8 {
            let way = DVec2::from_angle(f64::from(i) * TAU / 100.0);
            flock.add(Boid::new(way * 300.0, way.perp())).unwrap();
        }
        let order = flock.order(20.0).unwrap();
        assert!(order.polarisation < 1e-12 && (order.milling - 1.0).abs() < 1e-12, "{order:?}");
        assert_eq!((order.clusters, order.largest), (1, 100));
        let chord = 600.0 * (TAU / 200.0).sin();
        assert!((order.nearest - chord).abs() < 1e-9);
    }

    #[test]
    fn clusters_join_across_the_edge_of_a_wrapping_world() {
        let mut config = FlockConfig::published();
        config.edges = Edges::Wrapping { low: DVec2::ZERO, high: DVec2::splat(1000.0) };
        let mut flock = Flock::new(config).unwrap();
        for x in [1.0, 998.0, 500.0] {
            flock.add(Boid::new(DVec2::new(x, 5.0), DVec2::X)).unwrap();
        }
        let order = flock.order(10.0).unwrap();
        assert_eq!((order.clusters, order.largest), (2, 2));
        assert!((order.nearest - 3.0).abs() < 1e-12);
        assert!(flock.order(0.0).is_err() && flock.order(76.0).is_err());
        assert!(flock.order(f64::NAN).is_err());
    }
}
