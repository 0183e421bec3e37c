//! How large the differences to all neighbours can make each other.

use crate::graph::Graph;

/// Steps of the power iteration.
const STEPS: usize = 60;
/// For the rounding of the sums below, which are of a few dozen terms.
const ROUNDING: f64 = 1e-9;

/// An upper bound of the largest eigenvalue of the graph's Laplacian L (degrees on the diagonal, -1 per
/// edge), proved. With w of a triangle at most 1 / (triangles at an edge) for each of its edges,
/// L = sum of w L(triangle) + L(rest), where the rest has weights r >= 0 on its edges. A triangle's
/// Laplacian has no eigenvalue above 3, and no Laplacian is above its signless one, so L is at most
/// the matrix with 3 w for each triangle and r for each edge on the diagonal and r beside it. It has no
/// negative entries, so by Collatz and Wielandt no eigenvalue is above the largest `(M x)_i / x_i`, for
/// any positive x; the power iteration gives good ones. Exact in the limit for bipartite graphs, 13 on
/// open ground with 8 neighbours.
///
/// It is never above the number of nodes, the largest number of nodes that two joined ones have as
/// neighbours (Das, *An improved upper bound for Laplacian graph eigenvalues*, 2003), and Gershgorin's bound,
/// twice the largest degree. In graphs with one-way edges it is that last bound.
pub(crate) fn largest_eigenvalue(graph: &Graph) -> f64 {
    let nodes = graph.bound();
    let degree = (0..nodes).map(|node| graph.out.of(node).len()).max().unwrap_or(0);
    let gershgorin = 2.0 * degree as f64;
    if !graph.is_symmetric() {
        return gershgorin;
    }
    let mut begins = vec![0; nodes + 1];
    for node in 0..nodes {
        begins[node + 1] = begins[node] + graph.out.of(node).len();
    }
    // Triangles at every edge.
    let mut triangles = vec![0_u32; begins[nodes]];
    let mut neighbours = 0;
    for node in 0..nodes {
        for (at, step) in graph.out.of(node).iter().enumerate() {
            let (other, mut count) = (step.from(node), 0);
            for_each_common(graph, node, other, |_, _| count += 1);
            triangles[begins[node] + at] = count;
            let both = graph.out.of(node).len() + graph.out.of(other).len();
            neighbours = neighbours.max(both - count as usize);
        }
    }
    // What is left of every edge, and the diagonal.
    let (mut rest, mut diagonal) = (vec![1.0; begins[nodes]], vec![0.0; nodes]);
    for node in 0..nodes {
        for (at, step) in graph.out.of(node).iter().enumerate() {
            let (other, place) = (step.from(node), begins[node] + at);
            let mut covered = 0.0;
            for_each_common(graph, node, other, |one, two| {
                let most = triangles[begins[node] + one].max(triangles[begins[other] + two]);
                covered += 1.0 / f64::from(most.max(triangles[place]));
            });
            rest[place] -= covered;
            // Each triangle is met at two of the node's edges.
            diagonal[node] += 1.5 * covered + rest[place];
        }
    }
    let (mut vector, mut image) = (vec![1.0; nodes], vec![0.0; nodes]);
    let mut bound = gershgorin.min(nodes as f64).min(neighbours as f64);
    for _ in 0..STEPS {
        let mut most = 0.0_f64;
        for node in 0..nodes {
            let steps = graph.out.of(node).iter().zip(&rest[begins[node]..]);
            let beside: f64 =
                steps.map(|(step, rest)| rest.max(0.0) * vector[step.from(node)]).sum();
            image[node] = diagonal[node] * vector[node] + beside;
            most = most.max(image[node] / vector[node]);
        }
        bound = bound.min(most * (1.0 + ROUNDING));
        for (value, image) in vector.iter_mut().zip(&image) {
            // Positive, whatever comes; and 1 at most.
            *value = (image / most.max(f64::MIN_POSITIVE)).max(1e-200);
        }
    }
    bound
}

/// Calls `each` for every node that two nodes have as a neighbour, with its places in their rows.
fn for_each_common(graph: &Graph, one: usize, two: usize, mut each: impl FnMut(usize, usize)) {
    let (a, b) = (graph.out.of(one), graph.out.of(two));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i].from(one), b[j].from(two));
        if x == y {
            each(i, j);
        }
        (i, j) = (i + usize::from(x <= y), j + usize::from(y <= x));
    }
}
