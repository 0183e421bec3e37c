//! Differences to all neighbours, and how large they can make each other.

use crate::graph::Graph;

/// Nodes of one row that are worked on together.
const LANES: usize = 64;
/// Shorter runs of one row are summed node by node.
const WORTH_WHILE: usize = 4;

/// Calls `with(node, sum over its neighbours j of values[j] - values[node])` for the nodes from
/// `first` on. Neighbours without a finite value are left out; the order is that of their indices.
///
/// Neighbouring nodes with the same row are summed side by side: 4 times as fast on open ground.
#[inline]
#[allow(unsafe_code)] // 8 bounds checks a node
pub(crate) fn sums(
    graph: &Graph,
    values: &[f64],
    first: usize,
    count: usize,
    mut with: impl FnMut(usize, f64),
) {
    let values = &values[..graph.out.len()];
    let ids = &graph.out.ids()[..first + count];
    let mut sums = [0.0; LANES];
    let mut node = first;
    while node < first + count {
        let id = ids[node];
        let most = LANES.min(first + count - node);
        let few = WORTH_WHILE.min(most);
        // One question for several nodes: where rows change often, each answer is a guess.
        let same = ids[node..node + few].iter().fold(0, |differ, other| differ | (other ^ id)) == 0;
        if !same || few < WORTH_WHILE {
            for node in node..node + few {
                let own = values[node];
                let mut sum = 0.0;
                for step in graph.out.of(node) {
                    // SAFETY: steps lead to nodes below out.len(), the length of values.
                    let there = unsafe { *values.get_unchecked(step.from(node)) };
                    sum += difference(there, own);
                }
                with(node, sum);
            }
            node += few;
            continue;
        }
        let run = ids[node..node + most].iter().take_while(|&&other| other == id).count();
        let (sums, own) = (&mut sums[..run], &values[node..node + run]);
        sums.fill(0.0);
        for step in graph.out.by_id(id) {
            let from = step.from(node);
            for ((sum, &there), &here) in sums.iter_mut().zip(&values[from..from + run]).zip(own) {
                *sum += difference(there, here);
            }
        }
        for (i, &sum) in sums.iter().enumerate() {
            with(node + i, sum);
        }
        node += run;
    }
}

#[inline]
fn difference(there: f64, here: f64) -> f64 {
    if there < f64::INFINITY { there - here } else { 0.0 }
}

/// Steps of the power iteration.
const STEPS: usize = 100;
/// What the iteration may be short of after so many steps; it comes from below.
const SHORT: f64 = 0.03;

/// An upper bound of the largest eigenvalue of the graph's Laplacian (degrees on the diagonal, -1 per
/// edge): by power iteration from below, raised by 3 %, but no more than Gershgorin's bound, twice the
/// largest degree. In graphs with one-way edges it is that bound.
pub(crate) fn largest_eigenvalue(graph: &Graph) -> f64 {
    let degree = (0..graph.bound()).map(|node| graph.out.of(node).len()).max().unwrap_or(0);
    let gershgorin = 2.0 * degree as f64;
    if !graph.is_symmetric() {
        return gershgorin;
    }
    // Not orthogonal to anything in particular, and the same everywhere.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut vector: Vec<f64> = (0..graph.bound()).map(|_| next()).collect();
    let mut image = vec![0.0; graph.bound()];
    let mut value = 0.0;
    for _ in 0..STEPS {
        let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length == 0.0 {
            return gershgorin;
        }
        for v in &mut vector {
            *v /= length;
        }
        sums(graph, &vector, 0, graph.bound(), |node, sum| image[node] = -sum);
        value = vector.iter().zip(&image).map(|(a, b)| a * b).sum();
        std::mem::swap(&mut vector, &mut image);
    }
    (value * (1.0 + SHORT)).min(gershgorin)
}
