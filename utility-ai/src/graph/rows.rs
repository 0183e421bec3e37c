//! Adjacency in compressed rows, where rows that look the same are stored once.
//!
//! A step is kept as the difference of the two indices and a length. So on a grid, or whatever else
//! repeats, all inner nodes share one row: 8 neighbours cost 4 bytes a node instead of 96, and the
//! part of the graph that a search reads stays in the nearest cache.

pub(crate) mod slices;
pub(crate) mod stencil;

use slices::Slices;
use std::collections::HashMap;
use stencil::Stencil;
use xxhash_rust::xxh3::Xxh3;

/// A step from a node to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Offset {
    /// Index of the neighbour minus that of the node.
    pub(crate) by: i32,
    pub(crate) length: f64,
}

impl Offset {
    pub(crate) fn from(self, node: usize) -> usize {
        node.wrapping_add_signed(self.by as isize)
    }
}

/// Has an entry brought near, if there is one and the processor listens.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(of: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and no address is wrong for a hint.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(of.as_ptr().wrapping_add(at).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (of, at);
}

/// All rows of a graph in one direction, neighbours ascending by index. Every step of a node leads
/// to another one of them, below [`Rows::len`]; kernels rely on it.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// The row of each node.
    row: Vec<u32>,
    /// Where each row begins and ends.
    spans: Vec<(u32, u32)>,
    steps: Vec<Offset>,
    /// The pattern that most rows share, if they do.
    stencil: Option<Stencil>,
    /// Neighbours side by side, once [`Rows::slice`] was called.
    slices: Option<Slices>,
    /// Rows by the hash of their content. Of two with the same hash only the first is shared.
    known: HashMap<u64, u32>,
}

impl Rows {
    /// Rows for nodes that have no steps.
    pub(crate) fn new(nodes: usize) -> Self {
        let mut rows = Self {
            row: Vec::new(),
            spans: Vec::new(),
            steps: Vec::new(),
            stencil: None,
            slices: None,
            known: HashMap::new(),
        };
        let empty = rows.intern(&[]);
        rows.row.resize(nodes, empty);
        rows
    }

    /// From edges `(from, to, length)`, the shortest of parallel ones; `ends` tells which end the
    /// rows are of, and which the neighbour is.
    pub(crate) fn collect(
        nodes: usize,
        edges: &[(u32, u32, f64)],
        ends: impl Fn(&(u32, u32, f64)) -> (u32, u32),
    ) -> Self {
        let mut first = vec![0_usize; nodes + 1];
        for edge in edges {
            first[ends(edge).0 as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut at = first.clone();
        let mut sorted = vec![Offset { by: 0, length: 0.0 }; edges.len()];
        for edge in edges {
            let (from, to) = ends(edge);
            let slot = &mut at[from as usize];
            sorted[*slot] = Offset { by: (i64::from(to) - i64::from(from)) as i32, length: edge.2 };
            *slot += 1;
        }
        let mut rows = Self::new(nodes);
        let mut row = Vec::new();
        for node in 0..nodes {
            row.clear();
            row.extend_from_slice(&sorted[first[node]..first[node + 1]]);
            row.sort_unstable_by(|a, b| a.by.cmp(&b.by).then(a.length.total_cmp(&b.length)));
            row.dedup_by_key(|step| step.by);
            rows.row[node] = rows.intern(&row);
        }
        rows.stencil = Stencil::of(&rows);
        rows
    }

    /// Keeps neighbours in slices too, where rows have no pattern in common.
    pub(crate) fn slice(&mut self) {
        if self.stencil.is_none() {
            self.slices = Some(Slices::of(self));
        }
    }

    /// The steps alone, for callers that need nothing else.
    pub(crate) fn bare(&self) -> Self {
        Self {
            row: self.row.clone(),
            spans: self.spans.clone(),
            steps: self.steps.clone(),
            known: self.known.clone(),
            stencil: None,
            slices: None,
        }
    }

    /// Nodes.
    pub(crate) fn len(&self) -> usize {
        self.row.len()
    }

    #[inline]
    pub(crate) fn of(&self, node: usize) -> &[Offset] {
        self.by_id(self.row[node])
    }

    /// Says that the row of a node will be asked for.
    #[inline]
    pub(crate) fn prefetch(&self, node: usize) {
        prefetch(&self.row, node);
    }

    /// Says that the steps of a node will be gone through soon. Where nodes share few rows, these
    /// are far away.
    #[inline]
    pub(crate) fn prefetch_steps(&self, node: usize) {
        let (begin, end) = self.spans[self.row[node] as usize];
        prefetch(&self.steps, begin as usize);
        prefetch(&self.steps, end as usize - usize::from(begin < end));
    }

    /// The pattern that most rows share; `None` if that is little.
    #[inline]
    pub(crate) fn stencil(&self) -> Option<&Stencil> {
        self.stencil.as_ref()
    }

    /// Neighbours side by side; `None` where there is a stencil.
    #[inline]
    pub(crate) fn slices(&self) -> Option<&Slices> {
        self.slices.as_ref()
    }

    /// The row's number of every node: nodes of the same number have the same steps.
    pub(crate) fn ids(&self) -> &[u32] {
        &self.row
    }

    /// How many numbers of rows there are; some may be out of use.
    pub(crate) fn count(&self) -> usize {
        self.spans.len()
    }

    #[inline]
    pub(crate) fn by_id(&self, id: u32) -> &[Offset] {
        let (begin, end) = self.spans[id as usize];
        &self.steps[begin as usize..end as usize]
    }

    /// The place of a step in its row, or where it would be put.
    fn find(&self, node: usize, to: usize) -> Result<usize, usize> {
        let by = (to as i64 - node as i64) as i32;
        self.of(node).binary_search_by_key(&by, |step| step.by)
    }

    pub(crate) fn length(&self, node: usize, to: usize) -> Option<f64> {
        self.find(node, to).ok().map(|at| self.of(node)[at].length)
    }

    /// Sets or takes away a step.
    pub(crate) fn set(&mut self, node: usize, to: usize, length: Option<f64>) {
        let mut row = self.of(node).to_vec();
        let by = (to as i64 - node as i64) as i32;
        match (self.find(node, to), length) {
            (Ok(at), Some(length)) => row[at].length = length,
            (Ok(at), None) => {
                row.remove(at);
            }
            (Err(at), Some(length)) => row.insert(at, Offset { by, length }),
            (Err(_), None) => return,
        }
        self.put(node, &row);
        // Rows that no node uses any more are dropped once they are most of all.
        if self.spans.len() > 2 * self.row.len() + 64 {
            self.compact();
        }
    }

    /// Takes away all steps of a node.
    pub(crate) fn clear(&mut self, node: usize) {
        self.put(node, &[]);
    }

    fn put(&mut self, node: usize, row: &[Offset]) {
        self.row[node] = self.intern(row);
        if let Some(stencil) = &mut self.stencil {
            stencil.renew(node, row);
        }
        if let Some(slices) = &mut self.slices {
            slices.renew(node, row);
        }
    }

    fn compact(&mut self) {
        let old = std::mem::replace(self, Self::new(self.row.len()));
        for node in 0..old.row.len() {
            self.row[node] = self.intern(old.of(node));
        }
        (self.stencil, self.slices) = (old.stencil, old.slices);
    }

    /// The number of a row with this content, stored if it is new.
    fn intern(&mut self, row: &[Offset]) -> u32 {
        let mut hasher = Xxh3::new();
        for step in row {
            hasher.update(&step.by.to_le_bytes());
            hasher.update(&step.length.to_bits().to_le_bytes());
        }
        let hash = hasher.digest();
        if let Some(&id) = self.known.get(&hash)
            && self.by_id(id) == row
        {
            return id;
        }
        let id = self.spans.len() as u32;
        let begin = self.steps.len() as u32;
        self.steps.extend_from_slice(row);
        self.spans.push((begin, self.steps.len() as u32));
        self.known.entry(hash).or_insert(id);
        id
    }
}
