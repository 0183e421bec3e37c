//! A partition of the cells into numbered parts.

use super::passage::{Passage, thin};
use super::scc::{self, Csr};
use crate::cell::NONE;

/// A partition of the cells into numbered parts, by first cell.
pub(crate) struct Parts {
    pub(crate) labels: Vec<u32>,
    pub(crate) firsts: Vec<u32>,
}

impl Parts {
    /// The parts that moves join both ways. `next(place, at)` is where the move after `at` leads;
    /// `at` counts on from 0.
    pub(crate) fn joined(
        places: usize,
        stands: impl Fn(usize) -> bool,
        next: impl Fn(u32, &mut u32) -> Option<u32>,
    ) -> Self {
        let (component, count) = scc::components_of(places, next);
        let mut number = vec![NONE; count];
        let mut firsts = Vec::new();
        let label = |(place, component): (usize, u32)| {
            if !stands(place) {
                return NONE;
            }
            let number = &mut number[component as usize];
            if *number == NONE {
                *number = firsts.len() as u32;
                firsts.push(place as u32);
            }
            *number
        };
        let labels = component.into_iter().enumerate().map(label).collect();
        Self { labels, firsts }
    }

    /// Merged where `pairs`, which lead from the one to the other, join them both ways.
    pub(super) fn merged(&self, pairs: &[(u32, u32)]) -> Self {
        let (component, count) = scc::components(&Csr::from_pairs(self.firsts.len(), pairs));
        // Numbered by first cell again.
        let mut number = vec![NONE; count];
        let mut firsts = Vec::new();
        for (part, &first) in self.firsts.iter().enumerate() {
            let number = &mut number[component[part] as usize];
            if *number == NONE {
                *number = firsts.len() as u32;
                firsts.push(first);
            }
        }
        let rename = |&label: &u32| match label {
            NONE => NONE,
            part => number[component[part as usize] as usize],
        };
        Self { labels: self.labels.iter().map(rename).collect(), firsts }
    }

    /// The part of the most cells, of several the first, and the cells outside it.
    pub(crate) fn outside_largest(&self) -> (u32, Vec<u32>) {
        let mut sizes = vec![0_u32; self.firsts.len()];
        let known = || self.labels.iter().filter(|&&label| label != NONE);
        known().for_each(|&label| sizes[label as usize] += 1);
        let largest = (0..sizes.len()).max_by_key(|&part| (sizes[part], std::cmp::Reverse(part)));
        let largest = largest.map_or(NONE, |part| part as u32);
        let cells = (0..).zip(&self.labels);
        let outside = cells.filter(|&(_, &l)| l != largest && l != NONE).map(|(i, _)| i);
        (largest, outside.collect())
    }
}

/// Passages by the numbers of merged parts, without those that have come to lie inside one.
pub(super) fn renamed(passages: &[Passage], before: &Parts, after: &Parts) -> Vec<Passage> {
    let new = |part: u32| after.labels[before.firsts[part as usize] as usize];
    let mut all: Vec<_> = passages
        .iter()
        .map(|p| Passage { parts: (new(p.parts.0), new(p.parts.1)), ..*p })
        .filter(|p| p.parts.0 != p.parts.1)
        .collect();
    thin(&mut all);
    all
}
