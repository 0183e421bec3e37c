//! How large the differences to all neighbours can make each other.

use crate::graph::Graph;
use crate::graph::rows::Rows;
use fixedbitset::FixedBitSet;

/// Steps of the power iteration.
const STEPS: usize = 60;
/// For the rounding of the sums below, which are of a few dozen terms.
const ROUNDING: f64 = 1e-9;
/// How often a node may be raised, for each that an edit has touched, before all is computed again;
/// and how often at most.
const RAISES: (usize, usize) = (64, 1 << 14);
/// No node is raised so high but where no x proves the limit.
const HIGHEST: f64 = 1e100;
/// How much more than needed a node is raised, so that raising ends.
const MORE: f64 = 1.0 + 1e-3;

/// A proved bound of the largest eigenvalue of a graph's Laplacian L (degrees on the diagonal, -1
/// per edge), kept while the graph is edited.
///
/// With w of a triangle at most 1 / (triangles at an edge) for each of its edges,
/// L = sum of w L(triangle) + L(rest), where the rest has weights r >= 0 on its edges. A triangle's
/// Laplacian has no eigenvalue above 3, and no Laplacian is above its signless one, so L is at most
/// the matrix M with 3 w for each triangle and r for each edge on the diagonal and r beside it. It
/// has no negative entries, so by Collatz and Wielandt no eigenvalue is above the largest
/// `(M x)_i / x_i`, for any positive x; the power iteration gives good ones. Exact in the limit for
/// bipartite graphs, 13 on open ground with 8 neighbours.
///
/// The bound is never above the number of nodes, the largest number of nodes that two joined ones
/// have as neighbours (Das, *An improved upper bound for Laplacian graph eigenvalues*, 2003), and
/// Gershgorin's bound, twice the largest degree. In graphs with one-way edges it is that last
/// bound.
///
/// # Edits
/// Removing an edge makes no eigenvalue larger. So the bound is for a graph to which edges are only
/// added: the first graph with all edges that came later. A new edge changes rows of M only for its
/// ends and their neighbours (an edge is in new triangles only if it has an end in common with the
/// new one); where `(M x)_i` is then too large, `x_i` is raised, and so on around it, until the
/// limit holds again or it has taken too long. Then the bound of the present graph is computed from
/// the start.
#[derive(Clone, Debug)]
pub(crate) struct LaplacianBound {
    /// No eigenvalue of the graph that was looked at is above.
    largest: f64,
    /// While the bound is not above this, it is only mended.
    limit: f64,
    /// Neighbours in the bounded graph.
    rows: Rows,
    degree: usize,
    symmetric: bool,
    /// The x of the proof.
    vector: Vec<f64>,
    /// Whether `(M x)_i` is at most `limit * x_i` everywhere.
    vector_proves: bool,
    /// The graph's state that this is of.
    state: u64,
    /// Nodes to look at, each once.
    queue: Vec<u32>,
    is_queued: FixedBitSet,
}

impl LaplacianBound {
    /// The bound of a graph, to be kept while it is at most `limit`.
    ///
    /// # Complexity
    /// O(sum over the edges of the degrees of their ends).
    pub(crate) fn new(graph: &Graph, limit: f64) -> Self {
        let rows = graph.out.bare();
        let degree = (0..rows.len()).map(|node| rows.of(node).len()).max().unwrap_or(0);
        let mut bound = Self {
            largest: 2.0 * degree as f64,
            limit,
            rows,
            degree,
            symmetric: graph.is_symmetric(),
            vector: Vec::new(),
            vector_proves: false,
            state: graph.state(),
            queue: Vec::new(),
            is_queued: FixedBitSet::with_capacity(graph.node_bound()),
        };
        if bound.symmetric {
            bound.iterate();
        }
        bound
    }

    /// No eigenvalue was above this when it was last computed from the start. After edits no
    /// eigenvalue is above the limit, or above this.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// Takes in edits. Afterwards [`LaplacianBound::largest`] is at most the limit, or a bound of
    /// the graph as it is.
    pub(crate) fn update(&mut self, graph: &Graph) {
        if graph.state() == self.state {
            return;
        }
        if !self.follow(graph) {
            *self = Self::new(graph, self.limit);
        }
        self.state = graph.state();
    }

    /// Takes in edits one by one; whether the limit is kept for sure.
    fn follow(&mut self, graph: &Graph) -> bool {
        let Some(edits) = graph.edits_since(self.state) else { return false };
        if self.largest > self.limit {
            return false;
        }
        let mut touched = false;
        for (from, to) in edits {
            if graph.length(from, to).is_none() || self.rows.length(from, to).is_some() {
                continue;
            }
            self.rows.set(from, to, Some(1.0));
            if self.symmetric {
                self.rows.set(to, from, Some(1.0));
            }
            self.degree = self.degree.max(self.rows.of(from).len()).max(self.rows.of(to).len());
            self.enqueue(from);
            self.enqueue(to);
            touched = true;
        }
        let nodes = self.rows.len() as f64;
        let sure = 2.0 * self.degree as f64 <= self.limit || self.symmetric && nodes <= self.limit;
        if !touched || sure {
            self.vector_proves &= !touched;
            self.queue.drain(..).for_each(|node| self.is_queued.set(node as usize, false));
            return true;
        }
        self.symmetric && self.vector_proves && self.raise()
    }

    /// Raises x around the queued nodes until it proves the limit again; whether that came to an
    /// end.
    fn raise(&mut self) -> bool {
        for i in 0..self.queue.len() {
            self.enqueue_around(self.queue[i] as usize);
        }
        let mut left = (RAISES.0 * self.queue.len()).min(RAISES.1);
        while let Some(node) = self.queue.pop() {
            let node = node as usize;
            self.is_queued.set(node, false);
            let image = self.image(node);
            if image * (1.0 + ROUNDING) <= self.limit * self.vector[node] {
                continue;
            }
            let raised = image / self.limit * MORE;
            if left == 0 || raised > HIGHEST {
                return false;
            }
            left -= 1;
            self.vector[node] = raised;
            self.enqueue(node);
            self.enqueue_around(node);
        }
        true
    }

    fn enqueue(&mut self, node: usize) {
        if !self.is_queued.put(node) {
            self.queue.push(node as u32);
        }
    }

    fn enqueue_around(&mut self, node: usize) {
        for i in 0..self.rows.of(node).len() {
            self.enqueue(self.rows.of(node)[i].from(node));
        }
    }

    /// `(M x)_i`, from the rows alone.
    fn image(&self, node: usize) -> f64 {
        let count = |a, b| {
            let mut count = 0_u32;
            for_each_common(&self.rows, a, b, |_, _| count += 1);
            count
        };
        let (mut diagonal, mut beside) = (0.0, 0.0);
        for step in self.rows.of(node) {
            let other = step.from(node);
            let own = count(node, other);
            let mut covered = 0.0;
            for_each_common(&self.rows, node, other, |at, _| {
                let third = self.rows.of(node)[at].from(node);
                covered += 1.0 / f64::from(own.max(count(node, third)).max(count(other, third)));
            });
            let rest = 1.0 - covered;
            diagonal += 1.5 * covered + rest;
            beside += rest.max(0.0) * self.vector[other];
        }
        diagonal * self.vector[node] + beside
    }

    /// The bound and its x by power iteration.
    fn iterate(&mut self) {
        let rows = &self.rows;
        let nodes = rows.len();
        let mut begins = vec![0; nodes + 1];
        for node in 0..nodes {
            begins[node + 1] = begins[node] + rows.of(node).len();
        }
        // Triangles at every edge.
        let mut triangles = vec![0_u32; begins[nodes]];
        let mut neighbours = 0;
        for node in 0..nodes {
            for (at, step) in rows.of(node).iter().enumerate() {
                let (other, mut count) = (step.from(node), 0);
                for_each_common(rows, node, other, |_, _| count += 1);
                triangles[begins[node] + at] = count;
                let both = rows.of(node).len() + rows.of(other).len();
                neighbours = neighbours.max(both - count as usize);
            }
        }
        // The rest of every edge, and the diagonal.
        let (mut rest, mut diagonal) = (vec![1.0; begins[nodes]], vec![0.0; nodes]);
        for node in 0..nodes {
            for (at, step) in rows.of(node).iter().enumerate() {
                let (other, place) = (step.from(node), begins[node] + at);
                let mut covered = 0.0;
                for_each_common(rows, node, other, |one, two| {
                    let most = triangles[begins[node] + one].max(triangles[begins[other] + two]);
                    covered += 1.0 / f64::from(most.max(triangles[place]));
                });
                rest[place] -= covered;
                // Each triangle is met at two of the node's edges.
                diagonal[node] += 1.5 * covered + rest[place];
            }
        }
        let (mut vector, mut image) = (vec![1.0; nodes], vec![0.0; nodes]);
        let mut proved = f64::INFINITY;
        for _ in 0..STEPS {
            let mut most = 0.0_f64;
            for node in 0..nodes {
                let steps = rows.of(node).iter().zip(&rest[begins[node]..]);
                let beside: f64 =
                    steps.map(|(step, rest)| rest.max(0.0) * vector[step.from(node)]).sum();
                image[node] = diagonal[node] * vector[node] + beside;
                most = most.max(image[node] / vector[node]);
            }
            if most * (1.0 + ROUNDING) < proved {
                proved = most * (1.0 + ROUNDING);
                self.vector.clone_from(&vector);
            }
            for (value, image) in vector.iter_mut().zip(&image) {
                // Positive, whatever comes; and 1 at most.
                *value = (image / most.max(f64::MIN_POSITIVE)).max(1e-200);
            }
        }
        self.vector_proves = proved <= self.limit;
        self.largest = self.largest.min(nodes as f64).min(neighbours as f64).min(proved);
    }
}

/// Calls `each` for every node that two nodes have as a neighbour, with its places in their rows.
fn for_each_common(rows: &Rows, one: usize, two: usize, mut each: impl FnMut(usize, usize)) {
    let (a, b) = (rows.of(one), rows.of(two));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i].from(one), b[j].from(two));
        if x == y {
            each(i, j);
        }
        (i, j) = (i + usize::from(x <= y), j + usize::from(y <= x));
    }
}
