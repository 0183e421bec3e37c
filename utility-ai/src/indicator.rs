//! What says something about every node, and their weighted sum.

use crate::curve::Curve;
use crate::error::{UtilityError, number};
use crate::field::DistanceField;
use crate::fill::{check_count, check_numbers};
use crate::graph::Graph;
use crate::identity;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

/// Something that can be said about every node: a number each, the lower the better.
///
/// ```
/// use petgraph::graph::UnGraph;
/// use utility_ai::{Graph, Indicator, Utility, UtilityError};
///
/// /// How light it is.
/// struct Light(Vec<f64>);
///
/// impl Indicator for Light {
///     fn evaluate(&mut self, _: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
///         values.copy_from_slice(&self.0);
///         Ok(())
///     }
/// }
///
/// let petgraph = UnGraph::<(), f64>::from_edges([(0, 1, 1.0)]);
/// let graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
/// let mut utility = Utility::new(&graph, 1.0)?;
/// let light = utility.add("light", Light(vec![0.0, 4.0]), 0.5)?;
/// utility.update(&graph, &[1.0, 0.0])?;
/// assert_eq!(utility.total(), [1.0, 2.0]);
/// utility.get_mut(light)?.0[1] = 0.0; // at any time
/// # Ok::<(), UtilityError>(())
/// ```
pub trait Indicator: Any + Send {
    /// Writes a number for every node index; `values` holds those of the last time (0 at first).
    ///
    /// # Errors
    /// The indicator's own. That the numbers are finite is checked by who calls, but for nodes from which no way
    /// leads to a goal: there what is not finite counts as 0.
    fn evaluate(&mut self, graph: &Graph, values: &mut [f64]) -> Result<(), UtilityError>;
}

/// Travel distance to other goals than the agent's own, such as the next first-aid kit. Infinite where no way
/// leads: [`Utility::update`] refuses that at nodes from which a way leads to the agent's goals, unless a
/// [`Curve`] makes something of it.
impl Indicator for DistanceField {
    fn evaluate(&mut self, graph: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
        self.update(graph)?;
        check_count("the list of values", values, graph)?;
        values.copy_from_slice(self.values());
        Ok(())
    }
}

/// An indicator in a [`Utility`], of which it gives the type back.
pub struct Slot<I> {
    index: usize,
    /// The utility that it is of.
    of: u64,
    kind: PhantomData<fn() -> I>,
}

impl<I> Clone for Slot<I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I> Copy for Slot<I> {}
impl<I> fmt::Debug for Slot<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({})", self.index)
    }
}

impl<I> Slot<I> {
    pub(crate) fn index(self) -> usize {
        self.index
    }

    fn unknown(self) -> UtilityError {
        UtilityError::OtherSlot { index: self.index }
    }
}

struct Entry {
    name: String,
    indicator: Box<dyn Indicator>,
    curve: Option<Curve>,
    weight: f64,
    /// What it was at the last update.
    applied: f64,
    values: Vec<f64>,
    /// What it is asked into, before all are known to be sound.
    fresh: Vec<f64>,
}

/// The cost of standing at a node: `distance_weight * G + sum of weight * curve(indicator)`, summed in
/// the order in which the indicators were added.
///
/// G, the travel distance to the goals, has only the goals as minima; nothing else needs to.
pub struct Utility {
    /// By which its slots are known.
    identity: u64,
    /// The graph that it is of.
    origin: u64,
    distance_weight: f64,
    entries: Vec<Entry>,
    /// What their sum is made in, before it is known to be sound.
    fresh: Vec<f64>,
    danger: Vec<f64>,
    total: Vec<f64>,
}

impl fmt::Debug for Utility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weights: Vec<_> = self.entries.iter().map(|e| (&e.name, e.weight)).collect();
        f.debug_struct("Utility")
            .field("distance_weight", &self.distance_weight)
            .field("indicators", &weights)
            .finish_non_exhaustive()
    }
}

impl Utility {
    /// The travel distance alone. `distance_weight` is the source's alpha:
    /// `[units: cost per length] [limits: 1e-30 to 1e30] suggested: 1`
    ///
    /// # Errors
    /// [`UtilityError::Value`].
    pub fn new(graph: &Graph, distance_weight: f64) -> Result<Self, UtilityError> {
        let fits = (1e-30..=1e30).contains(&distance_weight);
        number("distance_weight", distance_weight, fits, "1e-30 to 1e30")?;
        let zeros = vec![0.0; graph.bound()];
        Ok(Self {
            identity: identity::fresh(),
            origin: graph.origin(),
            distance_weight,
            entries: Vec::new(),
            fresh: zeros.clone(),
            danger: zeros.clone(),
            total: zeros,
        })
    }

    /// Adds an indicator. `[units: cost per unit of the indicator] [limits: finite]` With
    /// [`Strategy::Weighted`](crate::Strategy::Weighted) the distance weight and all that is added must be above 0
    /// at every node: less is refused by each decision.
    ///
    /// # Errors
    /// [`UtilityError::NameTaken`], [`UtilityError::Value`].
    pub fn add<I: Indicator>(
        &mut self,
        name: &str,
        indicator: I,
        weight: f64,
    ) -> Result<Slot<I>, UtilityError> {
        if self.entries.iter().any(|entry| entry.name == name) {
            return Err(UtilityError::NameTaken { name: name.to_owned() });
        }
        number("weight", weight, true, "a finite number")?;
        let index = self.entries.len();
        self.entries.push(Entry {
            name: name.to_owned(),
            indicator: Box::new(indicator),
            curve: None,
            weight,
            applied: weight,
            values: vec![0.0; self.total.len()],
            fresh: vec![0.0; self.total.len()],
        });
        Ok(Slot { index, of: self.identity, kind: PhantomData })
    }

    /// An indicator that was added to this sum.
    ///
    /// # Errors
    /// [`UtilityError::OtherSlot`].
    pub fn get<I: Indicator>(&self, slot: Slot<I>) -> Result<&I, UtilityError> {
        let own = self.entries.get(slot.index).filter(|_| slot.of == self.identity);
        let any = own.map(|entry| &*entry.indicator as &dyn Any);
        any.and_then(|any| any.downcast_ref()).ok_or(slot.unknown())
    }
    /// An indicator that was added to this sum, to change it.
    ///
    /// # Errors
    /// [`UtilityError::OtherSlot`].
    pub fn get_mut<I: Indicator>(&mut self, slot: Slot<I>) -> Result<&mut I, UtilityError> {
        let own = self.entries.get_mut(slot.index).filter(|_| slot.of == self.identity);
        let any = own.map(|entry| &mut *entry.indicator as &mut dyn Any);
        any.and_then(|any| any.downcast_mut()).ok_or(slot.unknown())
    }
    /// What the indicator's numbers are worth; `None`: themselves.
    ///
    /// # Errors
    /// [`UtilityError::Value`], [`UtilityError::OtherSlot`].
    pub fn set_curve<I: Indicator>(
        &mut self,
        slot: Slot<I>,
        curve: Option<Curve>,
    ) -> Result<(), UtilityError> {
        self.get(slot)?;
        curve.map_or(Ok(()), Curve::check)?;
        self.entries[slot.index].curve = curve;
        Ok(())
    }
    /// The weight of an indicator.
    ///
    /// # Errors
    /// [`UtilityError::OtherSlot`].
    pub fn weight<I: Indicator>(&self, slot: Slot<I>) -> Result<f64, UtilityError> {
        self.get(slot)?;
        Ok(self.entries[slot.index].weight)
    }
    /// Another weight, from the next update on.
    ///
    /// # Errors
    /// [`UtilityError::Value`], [`UtilityError::OtherSlot`].
    pub fn set_weight<I: Indicator>(
        &mut self,
        slot: Slot<I>,
        weight: f64,
    ) -> Result<(), UtilityError> {
        self.get(slot)?;
        number("weight", weight, true, "a finite number")?;
        self.entries[slot.index].weight = weight;
        Ok(())
    }
    /// Sets a weight and returns what it was.
    pub(crate) fn set_weight_at(&mut self, index: usize, weight: f64) -> f64 {
        std::mem::replace(&mut self.entries[index].weight, weight)
    }
    /// Sums up once more what the indicators said at the last update, with the weights of today.
    pub(crate) fn sum_again(&mut self, distances: &[f64]) -> Result<(), UtilityError> {
        self.fresh.fill(0.0);
        for Entry { weight, values, .. } in &self.entries {
            add_weighted(&mut self.fresh, *weight, values);
        }
        self.take_sum(distances)
    }
    /// Makes the sum in `fresh` what is known, if it is sound.
    fn take_sum(&mut self, distances: &[f64]) -> Result<(), UtilityError> {
        check_finite("the weighted sum", &mut self.fresh, distances)?;
        self.entries.iter_mut().for_each(|entry| entry.applied = entry.weight);
        std::mem::swap(&mut self.danger, &mut self.fresh);
        for ((total, danger), distance) in self.total.iter_mut().zip(&self.danger).zip(distances) {
            *total = self.distance_weight * distance + danger;
        }
        Ok(())
    }
    /// The weight of the travel distance.
    #[must_use]
    pub fn distance_weight(&self) -> f64 {
        self.distance_weight
    }

    /// Asks all indicators. `distances` is the travel distance of every node.
    ///
    /// # Errors
    /// [`UtilityError::OtherGraph`], [`UtilityError::Count`]; [`UtilityError::NotFinite`] with the indicator's name and the node, or for the
    /// sum or a distance that is not a number; what an indicator refuses. What was known of all indicators is
    /// then as before.
    ///
    /// # Complexity
    /// O(nodes) per indicator and what the indicators take.
    pub fn update(&mut self, graph: &Graph, distances: &[f64]) -> Result<(), UtilityError> {
        graph.check_origin(self.origin, self.total.len())?;
        check_numbers("distance", distances, graph)?;
        let Self { entries, fresh: sum, .. } = self;
        sum.fill(0.0);
        for Entry { name, indicator, curve, weight, values, fresh, .. } in &mut *entries {
            fresh.copy_from_slice(values);
            indicator.evaluate(graph, fresh)?;
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
            std::mem::swap(&mut entry.values, &mut entry.fresh);
        }
        Ok(())
    }

    /// `[units: cost]` The sum at every node index, as of the last update; infinite where no way leads
    /// to a goal.
    #[must_use]
    pub fn total(&self) -> &[f64] {
        &self.total
    }
    /// `[units: cost]` The same without the travel distance.
    #[must_use]
    pub fn danger(&self) -> &[f64] {
        &self.danger
    }
    /// Name, weight, and the numbers of every indicator after its curve, all as of the last update.
    pub fn indicators(&self) -> impl Iterator<Item = (&str, f64, &[f64])> {
        self.entries.iter().map(|e| (e.name.as_str(), e.applied, e.values.as_slice()))
    }
}

fn add_weighted(sum: &mut [f64], weight: f64, values: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += weight * value;
    }
}

/// Makes 0 of what is not finite where nobody comes from; elsewhere it is refused.
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
