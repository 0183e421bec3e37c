//! One edit of a cell, from beginning to end.

use super::dynamic::{Dynamic, Edit};
use super::hold::torn;
use super::leading::Leading;
use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::near::near_move;
use crate::regions::closure::MOST_NODES;

/// What an edit came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Every region leads to what it led to before.
    Same,
    Changed,
    /// What fell apart is too large to be followed.
    TooFar,
}

impl Dynamic {
    /// Follows an edit.
    pub(crate) fn follow(&mut self, graph: &JumpGraph, edit: Edit) -> Outcome {
        let edited = edit.cell;
        let own = self.labels[edited];
        self.origins.clear();
        let stands = graph.footing().can_stand(edited);
        let mut label = if stands { self.joined(graph, edited) } else { NONE };
        if stands && label == NONE {
            let alone = own != NONE && self.sizes[own as usize] == 1;
            label = if alone { own } else { self.fresh(NONE) };
        }
        let lost = self.certificate.follow(graph, edited as u32);
        self.trees.follow(&lost, edited as u32, label == own);
        if label != own && own == self.main {
            self.trees.leave(&self.certificate, &[edited as u32]);
        }
        if label != own && label == self.main {
            self.trees.join(&[edited as u32]);
        }
        let torn = torn(lost, edited as u32, label == own);
        self.assign(edited as u32, label);
        let mut changed = Vec::new();
        if !self.hold(graph, torn, &mut changed)
            || self.sizes[self.main as usize] == 0
            || self.sizes.len() > MOST_NODES
        {
            return Outcome::TooFar;
        }
        let mut dirty = label != own || !changed.is_empty();
        self.known.take_out_over(graph, edited as u32, edit.blocks);
        changed.push(edited as u32);
        self.enter(graph, &changed, Some(edited));
        dirty |= self.settle(graph, edit);
        if !dirty {
            return Outcome::Same;
        }
        self.known.refresh(self.sizes.len());
        if self.leading.is_wasteful() {
            self.leading = Leading::new(self.known.after());
        }
        for label in std::mem::take(&mut self.beheaded) {
            if self.sizes[label as usize] > 0 {
                self.first(label);
            }
        }
        Outcome::Changed
    }

    /// The region that moves between neighbours join a cell with both ways: its own, if that is
    /// one.
    fn joined(&self, graph: &JumpGraph, cell: usize) -> u32 {
        let footing = graph.footing();
        let (mut to, mut from) = (Vec::new(), Vec::new());
        for (j, (dy, dx)) in footing.neighbours(cell).filter(|&(j, _)| footing.can_stand(j)) {
            if near_move(graph, cell, j, (dy, dx)).is_some() {
                to.push(self.labels[j]);
            }
            if near_move(graph, j, cell, (-dy, -dx)).is_some() {
                from.push(self.labels[j]);
            }
        }
        to.retain(|label| from.contains(label) && *label != NONE);
        let own = self.labels[cell];
        let best =
            to.into_iter().max_by_key(|&l| (l == own, l == self.main, self.sizes[l as usize], l));
        best.unwrap_or(NONE)
    }
}
