//! One edit of a column, from beginning to end.

use super::certificate::Ends;
use super::dynamic::{Dynamic, Edit};
use super::hold::{Torn, torn};
use super::leading::Leading;
use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::near::near_move;
use crate::regions::closure::MOST_NODES;
use crate::splice::Splice;
use crate::storage::Storage;

/// The result of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Every region leads to the same regions as before.
    Same,
    Changed,
    /// The region that fell apart is too large to be followed.
    TooFar,
}

/// The moves that have gone with places of a column.
#[derive(Default)]
pub(crate) struct Gone {
    /// Whether places have gone or come, so that others have other names.
    any: bool,
    torn: Vec<Torn>,
    /// Moves from and to places of the column that stay.
    moves: Vec<(u32, u32)>,
}

impl<T: Storage> Dynamic<T> {
    /// Takes out the places of a column that an edit takes away, before it does.
    pub(crate) fn take_out(&mut self, graph: &JumpGraph<T>, column: usize, splice: Splice) -> Gone {
        self.origins.clear();
        if splice.is_empty() {
            return Gone::default();
        }
        let level = graph.terrain();
        let mut gone = Gone { any: true, ..Gone::default() };
        let goes = splice.at..splice.at + splice.gone;
        for place in goes.clone().map(|place| place as u32) {
            let own = self.labels[place as usize];
            let ends = self.certificate.take_out(level, place);
            self.trees.lose(&ends);
            if own == self.main {
                self.trees.leave(level, &self.certificate, &[place]);
            }
            self.assign(level, place, NONE);
            self.known.enter_far(&self.labels, place);
            for (other, _) in graph.footing().neighbours(place as usize) {
                self.known.forget(other as u32, place);
            }
            self.known.enter_near(graph, &self.labels, place);
            let Ends { out, into, .. } = ends;
            gone.torn.extend(into.into_iter().map(|from| Torn { from, to: out.clone() }));
        }
        // Places that stay have another storey, and so other bits.
        for place in level.places(column).filter(|place| !goes.contains(place)) {
            let Ends { place, out, into } = self.certificate.take_out(level, place as u32);
            gone.moves.extend(out.into_iter().map(|to| (place, to)));
            gone.moves.extend(into.into_iter().map(|from| (from, place)));
        }
        gone
    }

    /// Follows places that come and go: all have other numbers.
    pub(crate) fn splice(&mut self, graph: &JumpGraph<T>, splice: Splice, gone: &mut Gone) {
        if splice.is_empty() {
            return;
        }
        splice.follow(&mut self.labels, NONE);
        for first in self.firsts.iter_mut().filter(|first| **first != NONE) {
            *first = splice.number(*first).unwrap_or(splice.at as u32);
        }
        self.certificate.splice(splice);
        self.trees.splice(splice);
        self.known.splice(splice);
        let open = std::mem::take(&mut self.open).into_iter();
        self.open = open.filter_map(|ends| splice.ends(ends)).collect();
        for torn in std::mem::take(&mut gone.torn) {
            let to = torn.to.into_iter().filter_map(|to| splice.number(to)).collect();
            gone.torn.extend(splice.number(torn.from).map(|from| Torn { from, to }));
        }
        for ends in std::mem::take(&mut gone.moves) {
            if let Some(ends) = splice.ends(ends) {
                self.certificate.insert(graph.terrain(), ends);
            }
        }
    }

    /// Follows an edit that has taken away some places.
    pub(crate) fn follow(&mut self, graph: &JumpGraph<T>, edit: Edit, gone: Gone) -> Outcome {
        let level = graph.terrain();
        let mut places = Vec::new();
        for place in level.places(edit.column) {
            let own = self.labels[place];
            let stands = graph.footing().can_stand(place);
            let mut label = if stands { self.joined(graph, place) } else { NONE };
            if stands && label == NONE {
                let alone = own != NONE && self.sizes[own as usize] == 1;
                label = if alone { own } else { self.fresh(NONE) };
            }
            places.push((place as u32, own, label));
        }
        let lost = self.certificate.follow(graph, edit.column);
        self.trees.follow(&lost);
        for (ends, &(place, own, label)) in lost.ends.iter().zip(&places) {
            if label != own {
                self.trees.lose(ends);
            }
            if label != own && own == self.main {
                self.trees.leave(level, &self.certificate, &[place]);
            }
            if label != own && label == self.main {
                self.trees.join(&[place]);
            }
        }
        let stays =
            |place: u32| places.iter().any(|&(other, own, new)| other == place && own == new);
        let mut torn = torn(lost, stays);
        torn.extend(gone.torn);
        let mut dirty = gone.any;
        for &(place, own, label) in &places {
            self.assign(level, place, label);
            dirty |= label != own;
        }
        let mut changed = Vec::new();
        if !self.hold(graph, torn, &mut changed)
            || self.sizes.get(self.main as usize).is_none_or(|&size| size == 0)
            || self.sizes.len() > MOST_NODES
        {
            return Outcome::TooFar;
        }
        dirty |= !changed.is_empty();
        self.known.take_out_over(graph, edit.column, edit.blocks);
        changed.extend(places.iter().map(|&(place, ..)| place));
        self.enter(graph, &changed, Some(edit.column));
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
    fn joined(&self, graph: &JumpGraph<T>, cell: usize) -> u32 {
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
