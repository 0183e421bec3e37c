//! Edits of a graph: it is the graph of its edges, and a field that follows it is that of a plain
//! search.

use arbitrary::{Arbitrary, Unstructured};
use petgraph::graph::{DiGraph, UnGraph};
use std::collections::BTreeMap;
use utility_ai::{DistanceField, Graph, Step};

/// `[units: nodes]` The largest graph.
const NODES: u8 = 24;
/// `[units: edits]` The longest sequence.
const EDITS: usize = 64;

#[derive(Debug, Arbitrary)]
struct Play {
    nodes: u8,
    directed: bool,
    edges: Vec<(u8, u8, u8)>,
    goals: [u8; 2],
    edits: Vec<Edit>,
}

#[derive(Debug, Arbitrary)]
enum Edit {
    Length(u8, u8, u8),
    Cut(u8, u8),
    Remove(u8),
    Goals(u8, u8),
    /// The field follows all edits so far.
    Follow,
    /// A copy takes the graph's place.
    Copy,
}

/// The edges of a graph, written plainly.
struct Plain {
    directed: bool,
    nodes: Vec<bool>,
    edges: BTreeMap<(usize, usize), f64>,
}

impl Plain {
    fn set(&mut self, from: usize, to: usize, length: Option<f64>) {
        let both = [(from, to), (to, from)];
        for edge in both.into_iter().take(if self.directed { 1 } else { 2 }) {
            match length {
                Some(length) => self.edges.insert(edge, length),
                None => self.edges.remove(&edge),
            };
        }
    }

    /// Distances, by passes over all edges until none changes.
    fn distances(&self, goals: &[usize]) -> Vec<f64> {
        let mut values = vec![f64::INFINITY; self.nodes.len()];
        for &goal in goals {
            values[goal] = 0.0;
        }
        loop {
            let mut changed = false;
            for (&(from, to), length) in &self.edges {
                let further = length + values[to];
                if further < values[from] {
                    values[from] = further;
                    changed = true;
                }
            }
            if !changed {
                return values;
            }
        }
    }

    fn check(&self, graph: &Graph) {
        assert_eq!(graph.node_bound(), self.nodes.len());
        for (node, there) in self.nodes.iter().enumerate() {
            assert_eq!(graph.contains(node), *there);
            let row = self.edges.range((node, 0)..=(node, usize::MAX));
            let row = row.map(|(&(_, to), &length)| Step { to, length });
            assert!(graph.steps(node).eq(row), "steps of {node}");
            let column = self.edges.iter().filter(|((_, to), _)| *to == node);
            let column = column.map(|(&(from, _), &length)| Step { to: from, length });
            assert!(graph.steps_into(node).eq(column), "steps into {node}");
        }
    }
}

/// Whole eighths, which no graph of so few nodes rounds.
fn length(number: u8) -> f64 {
    (f64::from(number) + 1.0) / 8.0
}

/// A graph and its edits.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    let nodes = usize::from(play.nodes % NODES) + 1;
    let node = |number: u8| usize::from(number) % nodes;
    let mut plain =
        Plain { directed: play.directed, nodes: vec![true; nodes], edges: BTreeMap::new() };
    for &(from, to, number) in &play.edges {
        if node(from) != node(to) {
            plain.set(node(from), node(to), Some(length(number)));
        }
    }
    // An edge as long as the longest to come: lengths that are set later may be four times as long.
    if nodes > 1 {
        plain.set(0, 1, Some(length(u8::MAX)));
    }
    let edges = plain.edges.iter().map(|(&(from, to), &l)| (from as u32, to as u32, l));
    let mut graph = if play.directed {
        let mut petgraph = DiGraph::<(), f64>::default();
        for _ in 0..nodes {
            petgraph.add_node(());
        }
        petgraph.extend_with_edges(edges);
        Graph::freeze(&petgraph, |edge| *edge.weight())
    } else {
        let mut petgraph = UnGraph::<(), f64>::default();
        for _ in 0..nodes {
            petgraph.add_node(());
        }
        petgraph.extend_with_edges(edges);
        Graph::freeze(&petgraph, |edge| *edge.weight())
    }
    .expect("the graph is sound");
    plain.check(&graph);
    let mut goals = play.goals.map(node).to_vec();
    let mut field = DistanceField::new(&graph, &goals).expect("the goals are nodes");
    for edit in play.edits.iter().take(EDITS).chain([&Edit::Follow]) {
        match *edit {
            Edit::Length(from, to, number) => {
                let (from, to, length) = (node(from), node(to), length(number));
                let fits = from != to && plain.nodes[from] && plain.nodes[to];
                assert_eq!(graph.set_length(from, to, Some(length)).is_ok(), fits);
                if fits {
                    plain.set(from, to, Some(length));
                }
            }
            Edit::Cut(from, to) => {
                let (from, to) = (node(from), node(to));
                let fits = from != to && plain.nodes[from] && plain.nodes[to];
                assert_eq!(graph.set_length(from, to, None).is_ok(), fits);
                plain.set(from, to, None);
            }
            Edit::Remove(number) => {
                let node = node(number);
                assert_eq!(graph.remove_node(node).is_ok(), plain.nodes[node]);
                plain.nodes[node] = false;
                plain.edges.retain(|&(from, to), _| from != node && to != node);
            }
            Edit::Goals(a, b) => {
                let new = [node(a), node(b)];
                let fits = new.iter().all(|&goal| plain.nodes[goal]);
                assert_eq!(field.set_goals(&graph, &new).is_ok(), fits);
                if fits {
                    goals = new.to_vec();
                }
            }
            Edit::Follow => {
                let fits = goals.iter().all(|&goal| plain.nodes[goal]);
                let before = field.values().to_vec();
                assert_eq!(field.update(&graph).is_ok(), fits);
                let expected = if fits { plain.distances(&goals) } else { before };
                assert_eq!(field.values(), expected);
                plain.check(&graph);
            }
            Edit::Copy => graph = graph.clone(),
        }
    }
}
