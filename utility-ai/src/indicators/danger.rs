//! Danger from threats that move.

use super::curve::Falloff;
use super::indicator::Indicator;
use crate::distance::{Along, Search};
use crate::error::{UtilityError, number};
use crate::graph::Graph;
use crate::ids::Node;
use glam::DVec3;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Settings of a [`Danger`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct DangerConfig {
    /// `[units: length] [limits: 1e-30 to 1e30] suggested: 12, or as far as a threat comes in two
    /// decisions` There is no danger from here on.
    pub reach: f64,
    /// How danger falls off up to there.
    pub falloff: Falloff,
}

impl Default for DangerConfig {
    fn default() -> Self {
        Self { reach: 12.0, falloff: Falloff::Linear }
    }
}

/// Something to keep away from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Threat {
    /// Where it is.
    pub place: Place,
    /// `[units: 1] [limits: finite] suggested: 1` Danger right at it; below 0 it attracts. With
    /// [`Strategy::Weighted`](crate::Strategy::Weighted) the distance weight plus the weighted
    /// indicators must be above 0 at every node.
    pub strength: f64,
}

impl Threat {
    /// A threat of strength 1 at a node.
    #[must_use]
    pub fn at_node(node: Node) -> Self {
        Self { place: Place::Node(node), strength: 1.0 }
    }
    /// A threat of strength 1 anywhere; z = 0 in 2D.
    #[must_use]
    pub fn at(position: DVec3) -> Self {
        Self { place: Place::Position(position), strength: 1.0 }
    }
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Place {
    /// At a node.
    Node(Node),
    /// At a position (x, y, z), with z = 0 in 2D.
    Position(#[cfg_attr(feature = "serde", serde(deserialize_with = "position"))] DVec3),
}

/// Reads three numbers, and refuses more.
#[cfg(feature = "serde")]
fn position<'de, D: serde::Deserializer<'de>>(from: D) -> Result<DVec3, D::Error> {
    crate::numbers::numbers(from).map(DVec3::from_array)
}

type Sight = Box<dyn Fn(DVec3, DVec3) -> bool + Send>;

/// How far it is from a threat to a node.
enum Metric {
    /// Along the edges.
    Travel { search: Search, kept: Kept },
    /// As the crow flies, nodes ascending by x.
    Straight { positions: Vec<DVec3>, by_x: Vec<u32>, sight: Option<Sight> },
}

/// What threats came to at the last update: one that has not moved is not searched again.
#[derive(Default)]
struct Kept {
    /// Nodes and their falloff, in equal parts of this list.
    reached: Vec<(u32, f64)>,
    /// The node and the state of the graph that a threat's part is of, and how long it is; None
    /// where the part was too short.
    of: Vec<Option<(Node, u64, usize)>>,
}

impl Kept {
    /// Forgets everything, and makes room for so many threats; for many, not for all nodes each.
    fn make_room(&mut self, threats: usize, nodes: usize) {
        self.of.clear();
        self.of.resize(threats, None);
        let room = threats.min(4) * nodes;
        if self.reached.len() < room {
            self.reached = vec![(0, 0.0); room];
        }
    }
}

/// Danger from threats, higher nearer to each, 0 beyond their reach; of several threats the sum, in
/// the order in which they were set.
///
/// ```
/// use petgraph::graph::UnGraph;
/// use utility_ai::{Danger, DangerConfig, Falloff, Graph, Indicator, Threat};
///
/// let path = UnGraph::<(), f64>::from_edges([(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]);
/// let graph = Graph::freeze(&path, |edge| *edge.weight())?;
/// let config = DangerConfig { reach: 2.0, falloff: Falloff::Linear };
/// let mut danger = Danger::by_travel(&graph, config)?;
/// danger.set_threats(&graph, &[Threat::at_node(0), Threat::at_node(2)])?;
/// let mut values = [0.0; 4];
/// danger.evaluate(&graph, &mut values)?;
/// assert_eq!(values, [1.0, 1.0, 1.0, 0.5]);
/// # Ok::<(), utility_ai::UtilityError>(())
/// ```
pub struct Danger {
    config: DangerConfig,
    threats: Vec<Threat>,
    metric: Metric,
    /// Distances from one threat, infinite in between, and the nodes where they are not.
    distances: Vec<f64>,
    touched: Vec<u32>,
    /// The graph that it is of.
    origin: u64,
}

impl std::fmt::Debug for Danger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Danger")
            .field("config", &self.config)
            .field("threats", &self.threats)
            .finish_non_exhaustive()
    }
}

impl Danger {
    /// Danger by travel distance from the threats' nodes: walls keep it off. What a search from a
    /// threat found is kept, up to 64 bytes a node for all of them: a threat that has not moved, on
    /// a graph that has not changed, costs no search.
    ///
    /// # Errors
    /// [`UtilityError::Value`].
    pub fn by_travel(graph: &Graph, config: DangerConfig) -> Result<Self, UtilityError> {
        let (search, kept) = (Search::new(graph), Kept::default());
        Self::new(graph, config, Metric::Travel { search, kept })
    }

    /// Danger by straight distance. `positions` has a position per node index, with z = 0 in 2D; it
    /// may be anything where there is no node.
    ///
    /// # Errors
    /// [`UtilityError::Value`], [`UtilityError::Count`], [`UtilityError::NotFinite`].
    pub fn by_distance(
        graph: &Graph,
        config: DangerConfig,
        positions: &[DVec3],
    ) -> Result<Self, UtilityError> {
        let (found, expected) = (positions.len(), graph.node_bound());
        if found != expected {
            return Err(UtilityError::Count { what: "positions", found, expected });
        }
        for node in graph.nodes() {
            let position = positions[node];
            if let Some(&value) = position.to_array().iter().find(|c| !c.is_finite()) {
                return Err(UtilityError::NotFinite { what: "position".to_owned(), node, value });
            }
        }
        let mut by_x: Vec<u32> = graph.nodes().map(|node| node as u32).collect();
        let x = |node: &u32| positions[*node as usize].x;
        by_x.sort_by(|a, b| x(a).total_cmp(&x(b)));
        let positions = positions.to_vec();
        Self::new(graph, config, Metric::Straight { positions, by_x, sight: None })
    }

    /// No danger where `sees(threat, node)` is false. It is asked only within the reach, in no
    /// stated order, and not at all if danger goes by travel.
    #[must_use]
    pub fn with_line_of_sight(
        mut self,
        sees: impl Fn(DVec3, DVec3) -> bool + Send + 'static,
    ) -> Self {
        if let Metric::Straight { sight, .. } = &mut self.metric {
            *sight = Some(Box::new(sees));
        }
        self
    }

    fn new(graph: &Graph, config: DangerConfig, metric: Metric) -> Result<Self, UtilityError> {
        let reach = config.reach;
        number("reach", reach, (1e-30..=1e30).contains(&reach), "1e-30 to 1e30")?;
        config.falloff.check()?;
        Ok(Self {
            config,
            threats: Vec::new(),
            metric,
            distances: vec![f64::INFINITY; graph.node_bound()],
            touched: Vec::with_capacity(graph.node_bound()),
            origin: graph.origin(),
        })
    }

    /// The threats, in the order in which they were set.
    #[must_use]
    pub fn threats(&self) -> &[Threat] {
        &self.threats
    }

    /// Sets the threats, which replace those before. If danger goes by travel, every threat must be
    /// at a node. If that node is removed later, its threat is no danger.
    ///
    /// # Errors
    /// [`UtilityError::OtherGraph`], [`UtilityError::NoNode`], [`UtilityError::Value`],
    /// [`UtilityError::NotAtNode`]; the threats are then as before.
    pub fn set_threats(&mut self, graph: &Graph, threats: &[Threat]) -> Result<(), UtilityError> {
        graph.check_origin(self.origin, self.distances.len())?;
        for threat in threats {
            number("strength", threat.strength, true, "a finite number")?;
            match (threat.place, &self.metric) {
                (Place::Node(node), _) => graph.check_node(node)?,
                (Place::Position(position), Metric::Straight { .. }) => {
                    for c in position.to_array() {
                        number("a threat's position", c, true, "a finite number")?;
                    }
                }
                (Place::Position(position), Metric::Travel { .. }) => {
                    return Err(UtilityError::NotAtNode { position });
                }
            }
        }
        if let Metric::Travel { kept, .. } = &mut self.metric
            && threats.len() != self.threats.len()
        {
            kept.make_room(threats.len(), self.distances.len());
        }
        self.threats.clear();
        self.threats.extend_from_slice(threats);
        Ok(())
    }
}

impl Indicator for Danger {
    fn evaluate(&mut self, graph: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
        let Self { config, threats, metric, distances, touched, origin } = self;
        let DangerConfig { reach, falloff } = *config;
        graph.check_origin(*origin, distances.len())?;
        graph.check_count("the list of values", values)?;
        values.fill(0.0);
        for (number, threat) in threats.iter().enumerate() {
            let mut add = |node: Node, falloff: f64| values[node] += threat.strength * falloff;
            match (&mut *metric, threat.place) {
                (Metric::Travel { search, kept: Kept { reached, of } }, Place::Node(node)) => {
                    let (part, of) = (reached.len() / of.len(), &mut of[number]);
                    let part = &mut reached[number * part..][..part];
                    if let Some((from, state, len)) = *of
                        && (from, state) == (node, graph.state())
                    {
                        part[..len].iter().for_each(|&(node, falloff)| add(node as usize, falloff));
                        continue;
                    }
                    distances[node] = 0.0;
                    touched.push(node as u32);
                    let range = graph.length_range();
                    let seen = |node| touched.push(node as u32);
                    let along = Along::Leaving;
                    search.lower(graph, along, distances, [node], range, reach, |_| 1.0, seen);
                    let len = touched.len();
                    *of = (len <= part.len()).then_some((node, graph.state(), len));
                    for (i, node) in touched.drain(..).enumerate() {
                        let falloff = falloff.at(distances[node as usize] / reach);
                        add(node as usize, falloff);
                        part.get_mut(i).into_iter().for_each(|one| *one = (node, falloff));
                        distances[node as usize] = f64::INFINITY;
                    }
                }
                (Metric::Travel { .. }, Place::Position(_)) => {}
                (Metric::Straight { positions, by_x, sight }, place) => {
                    let from = match place {
                        Place::Node(node) => positions[node],
                        Place::Position(position) => position,
                    };
                    let x = |node: u32| positions[node as usize].x;
                    let first = by_x.partition_point(|&node| x(node) < from.x - reach);
                    for &node in &by_x[first..] {
                        let to = positions[node as usize];
                        if to.x > from.x + reach {
                            break;
                        }
                        let distance = from.distance(to);
                        if distance < reach && sight.as_ref().is_none_or(|sees| sees(from, to)) {
                            add(node as usize, falloff.at(distance / reach));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
