//! The cost of standing at a node: the travel distance and all indicators, weighted.

use super::curve::Curve;
use super::indicator::Indicator;
use crate::error::{UtilityError, number};
use crate::graph::Graph;
use crate::ids::{self, IndicatorId};
use std::any::Any;
use std::fmt;

struct Entry {
    name: String,
    indicator: Box<dyn Indicator>,
    curve: Option<Curve>,
    weight: f64,
    /// The weight at the last update.
    applied: f64,
    /// What the indicator wrote, before the curve.
    written: Vec<f64>,
    values: Vec<f64>,
    /// The next of both, until all of them are known to be sound.
    fresh_written: Vec<f64>,
    fresh: Vec<f64>,
}

/// The cost of standing at a node: `distance_weight * G + sum of weight * curve(indicator)`, summed
/// in the order in which the indicators were added. Lower is better.
///
/// G is the travel distance to the goals. Its only minima are the goals; indicators may have minima
/// anywhere.
pub struct StandingCost {
    /// The ids of its indicators carry this number.
    identity: u64,
    /// The graph that it was made for.
    origin: u64,
    distance_weight: f64,
    entries: Vec<Entry>,
    /// The next sum, until it is known to be sound.
    fresh: Vec<f64>,
    indicator_sum: Vec<f64>,
    total: Vec<f64>,
}

impl fmt::Debug for StandingCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weights: Vec<_> = self.entries.iter().map(|e| (&e.name, e.weight)).collect();
        f.debug_struct("StandingCost")
            .field("distance_weight", &self.distance_weight)
            .field("indicators", &weights)
            .finish_non_exhaustive()
    }
}

impl StandingCost {
    /// The travel distance alone. `distance_weight` is the source's alpha:
    /// `[units: cost per length] [limits: 1e-30 to 1e30] suggested: 1`
    ///
    /// # Errors
    /// [`UtilityError::Value`].
    pub fn new(graph: &Graph, distance_weight: f64) -> Result<Self, UtilityError> {
        let fits = (1e-30..=1e30).contains(&distance_weight);
        number("distance_weight", distance_weight, fits, "1e-30 to 1e30")?;
        let zeros = vec![0.0; graph.node_bound()];
        Ok(Self {
            identity: ids::fresh(),
            origin: graph.origin(),
            distance_weight,
            entries: Vec::new(),
            fresh: zeros.clone(),
            indicator_sum: zeros.clone(),
            total: zeros,
        })
    }

    /// Adds an indicator with its weight:
    /// `[units: cost per unit of the indicator] [limits: finite] suggested: 30 for danger`
    ///
    /// With [`Strategy::Weighted`](crate::Strategy::Weighted) the distance weight plus the weighted
    /// indicators must be above 0 at every node. A decision is refused otherwise.
    ///
    /// # Errors
    /// [`UtilityError::NameTaken`], [`UtilityError::Value`].
    pub fn add<I: Indicator>(
        &mut self,
        name: &str,
        indicator: I,
        weight: f64,
    ) -> Result<IndicatorId<I>, UtilityError> {
        let index = self.push(name, Box::new(indicator), weight)?;
        Ok(IndicatorId::new(index, self.identity))
    }

    fn push(
        &mut self,
        name: &str,
        indicator: Box<dyn Indicator>,
        weight: f64,
    ) -> Result<usize, UtilityError> {
        if self.entries.iter().any(|entry| entry.name == name) {
            return Err(UtilityError::NameTaken { name: name.to_owned() });
        }
        number("weight", weight, true, "a finite number")?;
        let zeros = vec![0.0; self.total.len()];
        self.entries.push(Entry {
            name: name.to_owned(),
            indicator,
            curve: None,
            weight,
            applied: weight,
            written: zeros.clone(),
            values: zeros.clone(),
            fresh_written: zeros.clone(),
            fresh: zeros,
        });
        Ok(self.entries.len() - 1)
    }

    /// The place of an indicator that was added to this sum.
    pub(crate) fn index<I>(&self, id: IndicatorId<I>) -> Result<usize, UtilityError> {
        let other = UtilityError::OtherIndicator { number: id.number() };
        id.index_in(self.identity).ok_or(other)
    }

    /// An indicator that was added to this sum.
    ///
    /// # Errors
    /// [`UtilityError::OtherIndicator`].
    pub fn get<I: Indicator>(&self, id: IndicatorId<I>) -> Result<&I, UtilityError> {
        let any = &*self.entries[self.index(id)?].indicator as &dyn Any;
        any.downcast_ref().ok_or(UtilityError::OtherIndicator { number: id.number() })
    }
    /// An indicator that was added to this sum, to change it.
    ///
    /// # Errors
    /// [`UtilityError::OtherIndicator`].
    pub fn get_mut<I: Indicator>(&mut self, id: IndicatorId<I>) -> Result<&mut I, UtilityError> {
        let index = self.index(id)?;
        let any = &mut *self.entries[index].indicator as &mut dyn Any;
        any.downcast_mut().ok_or(UtilityError::OtherIndicator { number: id.number() })
    }
    /// Sets the curve that an indicator's numbers go through; `None` leaves them as they are.
    ///
    /// # Errors
    /// [`UtilityError::Value`], [`UtilityError::OtherIndicator`].
    pub fn set_curve<I>(
        &mut self,
        id: IndicatorId<I>,
        curve: Option<Curve>,
    ) -> Result<(), UtilityError> {
        let index = self.index(id)?;
        curve.map_or(Ok(()), Curve::check)?;
        self.entries[index].curve = curve;
        Ok(())
    }
    /// The weight of an indicator.
    ///
    /// # Errors
    /// [`UtilityError::OtherIndicator`].
    pub fn weight<I>(&self, id: IndicatorId<I>) -> Result<f64, UtilityError> {
        Ok(self.entries[self.index(id)?].weight)
    }
    /// Sets the weight of an indicator. It counts from the next update on.
    ///
    /// # Errors
    /// [`UtilityError::Value`], [`UtilityError::OtherIndicator`].
    pub fn set_weight<I>(&mut self, id: IndicatorId<I>, weight: f64) -> Result<(), UtilityError> {
        let index = self.index(id)?;
        number("weight", weight, true, "a finite number")?;
        self.set_weight_at(index, weight)?;
        Ok(())
    }
    /// Sets a weight and returns the one before.
    ///
    /// # Errors
    /// [`UtilityError::OtherIndicator`].
    pub(crate) fn set_weight_at(&mut self, index: usize, weight: f64) -> Result<f64, UtilityError> {
        let unknown = UtilityError::OtherIndicator { number: index as u32 };
        let entry = self.entries.get_mut(index).ok_or(unknown)?;
        Ok(std::mem::replace(&mut entry.weight, weight))
    }
    /// The weight of the travel distance.
    #[must_use]
    pub fn distance_weight(&self) -> f64 {
        self.distance_weight
    }

    /// Asks all indicators. `distances` is the travel distance of every node.
    ///
    /// # Errors
    /// [`UtilityError::OtherGraph`], [`UtilityError::Count`]; [`UtilityError::NotFinite`] with the
    /// name of the indicator and the node, or for the sum or a distance that is not a number; and
    /// the errors of indicators. All values are then as before.
    ///
    /// # Complexity
    /// O(nodes) per indicator, and the time of the indicators.
    pub fn update(&mut self, graph: &Graph, distances: &[f64]) -> Result<(), UtilityError> {
        graph.check_origin(self.origin, self.total.len())?;
        graph.check_numbers("distance", distances)?;
        let Self { entries, fresh: sum, .. } = self;
        sum.fill(0.0);
        for Entry { name, indicator, curve, weight, written, fresh_written, fresh, .. } in entries {
            fresh_written.copy_from_slice(written);
            indicator.evaluate(graph, fresh_written)?;
            fresh.copy_from_slice(fresh_written);
            if let Some(curve) = curve {
                for value in &mut *fresh {
                    *value = curve.at(*value);
                }
            }
            check_finite(name, fresh, distances)?;
            add_weighted(sum, *weight, fresh);
        }
        self.take_sum(distances)?;
        for entry in &mut self.entries {
            std::mem::swap(&mut entry.written, &mut entry.fresh_written);
            std::mem::swap(&mut entry.values, &mut entry.fresh);
        }
        Ok(())
    }

    /// Sums the numbers of the last update again, with the weights of today.
    pub(crate) fn sum_again(&mut self, distances: &[f64]) -> Result<(), UtilityError> {
        self.fresh.fill(0.0);
        for Entry { weight, values, .. } in &self.entries {
            add_weighted(&mut self.fresh, *weight, values);
        }
        self.take_sum(distances)
    }

    /// Takes over the sum in `fresh` if it is sound.
    fn take_sum(&mut self, distances: &[f64]) -> Result<(), UtilityError> {
        check_finite("the weighted sum", &mut self.fresh, distances)?;
        self.entries.iter_mut().for_each(|entry| entry.applied = entry.weight);
        std::mem::swap(&mut self.indicator_sum, &mut self.fresh);
        let sums = self.total.iter_mut().zip(&self.indicator_sum);
        for ((total, sum), distance) in sums.zip(distances) {
            *total = self.distance_weight * distance + sum;
        }
        Ok(())
    }

    /// `[units: cost]` The cost of every node, as of the last update; infinite where no way leads
    /// to a goal.
    #[must_use]
    pub fn total(&self) -> &[f64] {
        &self.total
    }
    /// `[units: cost]` The same without the travel distance: the weighted sum of all indicators.
    #[must_use]
    pub fn indicator_sum(&self) -> &[f64] {
        &self.indicator_sum
    }
    /// The name, the weight, and the numbers of every indicator after its curve, as of the last
    /// update.
    pub fn indicators(&self) -> impl Iterator<Item = (&str, f64, &[f64])> {
        self.entries.iter().map(|e| (e.name.as_str(), e.applied, e.values.as_slice()))
    }
}

fn add_weighted(sum: &mut [f64], weight: f64, values: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += weight * value;
    }
}

/// Sets numbers that are not finite to 0 where no way leads to a goal, and refuses them elsewhere.
fn check_finite(what: &str, values: &mut [f64], distances: &[f64]) -> Result<(), UtilityError> {
    for (node, value) in values.iter_mut().enumerate() {
        if !value.is_finite() {
            if distances[node] < f64::INFINITY {
                let (what, value) = (what.to_owned(), *value);
                return Err(UtilityError::NotFinite { what, node, value });
            }
            *value = 0.0;
        }
    }
    Ok(())
}
