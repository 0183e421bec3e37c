//! Edits of a graph, and the data that its users need to follow them.

use super::frozen::{Graph, LENGTHS, quantise};
use crate::error::UtilityError;
use crate::ids::{self, Node};
use std::collections::VecDeque;

/// How many of the latest edits are kept for fields that have not seen them yet.
const LOG: usize = 1 << 16;

/// The edits of a graph so far. Copies share it until one of them is edited.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// Edges that were set or taken away, the latest last.
    log: VecDeque<Edit>,
    revision: u64,
    /// The state in which the graph was made: the same in all copies, and in no other graph.
    origin: u64,
    /// A new number after every edit. Two graphs in the same state are equal.
    state: u64,
}

/// An edge that was set or taken away.
#[derive(Clone, Copy, Debug)]
struct Edit {
    from: u32,
    to: u32,
    /// The graph's state after it.
    state: u64,
}

impl History {
    pub(super) fn new() -> Self {
        let origin = ids::fresh();
        Self { log: VecDeque::new(), revision: 0, origin, state: origin }
    }

    fn remember(&mut self, from: Node, to: Node) {
        self.revision += 1;
        self.state = ids::fresh();
        self.log.push_back(Edit { from: from as u32, to: to as u32, state: self.state });
        if self.log.len() > LOG {
            self.log.pop_front();
        }
    }
}

impl Graph {
    /// Sets the length of an edge, or takes the edge away with `None`. The edge need not be there
    /// before. If the graph is undirected, the edge back changes too.
    ///
    /// # Errors
    /// [`UtilityError::NoNode`], [`UtilityError::Loop`], [`UtilityError::Length`].
    ///
    /// # Complexity
    /// O(degree).
    pub fn set_length(
        &mut self,
        from: Node,
        to: Node,
        length: Option<f64>,
    ) -> Result<(), UtilityError> {
        self.check_node(from)?;
        self.check_node(to)?;
        if from == to {
            return Err(UtilityError::Loop { node: from });
        }
        let (least, most) = (LENGTHS.0, self.max_length());
        let length = match length {
            Some(length) if (least..=most).contains(&length) => {
                Some(quantise(length, self.quantum))
            }
            Some(length) => return Err(UtilityError::Length { from, to, length, least, most }),
            None => None,
        };
        self.put(from, to, length);
        Ok(())
    }

    /// Takes a node and its edges away for good: its index stays unused. A door should be made by
    /// [`Graph::set_wall`] or [`Graph::set_length`] instead, which can be undone.
    ///
    /// # Errors
    /// [`UtilityError::NoNode`].
    ///
    /// # Complexity
    /// O(degree^2).
    pub fn remove_node(&mut self, node: Node) -> Result<(), UtilityError> {
        self.check_node(node)?;
        let leaving: Vec<Node> = self.out.of(node).iter().map(|step| step.from(node)).collect();
        let entering: Vec<Node> = self.entering().of(node).iter().map(|s| s.from(node)).collect();
        for to in leaving {
            self.put(node, to, None);
        }
        for from in entering {
            self.put(from, node, None);
        }
        self.out.clear(node);
        self.present.set(node, false);
        self.history.remember(node, node);
        Ok(())
    }

    /// How often edges were set or taken away.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.history.revision
    }

    /// The same in all copies of a graph, and in no other graph.
    pub(crate) fn origin(&self) -> u64 {
        self.history.origin
    }

    /// Refuses data that were made for another graph, which had `expected` indices.
    pub(crate) fn check_origin(&self, origin: u64, expected: usize) -> Result<(), UtilityError> {
        let found = self.node_bound();
        if origin == self.origin() {
            Ok(())
        } else {
            Err(UtilityError::OtherGraph { found, expected })
        }
    }

    /// Two graphs in the same state are equal.
    pub(crate) fn state(&self) -> u64 {
        self.history.state
    }

    /// The edges `(from, to)` that changed since a state. `None` if the log does not reach back so
    /// far, or if that was the state of a copy with edits of its own.
    pub(crate) fn edits_since(&self, state: u64) -> Option<impl Iterator<Item = (Node, Node)>> {
        let History { log, revision, origin, .. } = &self.history;
        let whole = log.len() as u64 == *revision;
        let first = if whole && state == *origin {
            0
        } else {
            log.binary_search_by_key(&state, |edit| edit.state).ok()? + 1
        };
        Some(log.range(first..).map(|edit| (edit.from as Node, edit.to as Node)))
    }

    fn put(&mut self, from: Node, to: Node, length: Option<f64>) {
        if self.out.length(from, to) == length {
            return;
        }
        self.out.set(from, to, length);
        match &mut self.back {
            Some(back) => back.set(to, from, length),
            None => self.out.set(to, from, length),
        }
        if let Some(length) = length {
            let (shortest, longest) = self.length_range;
            self.length_range = (shortest.min(length), longest.max(length));
        }
        self.history.remember(from, to);
    }
}
