//! Flights among storeys, by the exact rule for one storey.
//!
//! A flight passes through one free part of each column that it meets. So it is clear if and only
//! if it is clear in a world of one storey in which each column keeps only that part and is
//! otherwise solid. Such worlds are not listed but refined. At first a column keeps everything from
//! the lowest part that a flight may use to the highest, and solid spans between count as air. A
//! jump that is blocked there is blocked. A flight that is clear there, and in each column within
//! one part, is a witness. A flight that runs into a solid span in some column splits the question
//! at it: flights that pass below, and flights that pass above.
#![allow(private_interfaces, reason = "nobody outside names the trait")]

use super::SpanTerrain;
use super::window::{Split, Window};
use crate::jump::exact::{Found, Question, Verdict};
use crate::storage::Flights;

/// Worlds looked at before a question counts as marginal.
const MOST_WORLDS: usize = 256;
/// Worlds that may stay open before the others are given up: each has cost a proof that failed.
const MOST_OPEN: usize = 6;
/// Worlds in which a few flights are looked at.
const LOOKED_AT: usize = 4;

/// Asks of worlds until there is a witness, or none is left, or they are too many.
fn search(
    level: &SpanTerrain,
    question: &Question<()>,
    most: usize,
    ask: impl Fn(&Question<&Window<'_>>) -> Verdict,
) -> Verdict {
    let Some(all) = Window::new(level, question) else { return Verdict::Blocked };
    let (mut open, mut bound) = (vec![all], f64::NEG_INFINITY);
    let mut failed = 0;
    for _ in 0..most {
        let Some(window) = open.pop() else {
            let is_open = bound > f64::NEG_INFINITY;
            return if is_open { Verdict::Marginal(bound) } else { Verdict::Blocked };
        };
        match ask(&question.over(&window)) {
            Verdict::Blocked => {}
            Verdict::Marginal(this) => {
                (bound, failed) = (bound.max(this), failed + 1);
                if failed == MOST_OPEN && !open.is_empty() {
                    break;
                }
            }
            Verdict::Clear(found) => match window.settle(question, found) {
                Ok((found, _)) => return Verdict::Clear(found),
                Err(split) => open.extend(window.halves(question, split).into_iter().flatten()),
            },
        }
    }
    Verdict::Marginal(question.law.most_gain(0.0))
}

/// Whether a few flights show that there is a clear one; `false` says nothing.
fn shows(
    level: &SpanTerrain,
    question: &Question<()>,
    look: impl Fn(&Question<&Window<'_>>) -> Option<Found>,
) -> bool {
    let outcome = search(level, question, LOOKED_AT, |question| match look(question) {
        Some(found) => Verdict::Clear(found),
        None => Verdict::Marginal(0.0),
    });
    outcome.is_clear()
}

impl Flights for SpanTerrain {
    fn is_easy(&self, question: &Question<()>) -> bool {
        fn look(question: &Question<&Window<'_>>) -> Option<Found> {
            question.easy()
        }
        shows(self, question, look)
    }
    fn is_likely(&self, question: &Question<()>) -> bool {
        shows(self, question, |question| question.likely().ok())
    }
    /// Also storeys that are not joined around exclude a jump.
    fn is_hopeless(&self, question: &Question<()>) -> bool {
        Window::new(self, question).is_none_or(|window| question.over(&window).is_hopeless())
    }
    fn sought(&self, question: &Question<()>) -> Option<bool> {
        let outcome = search(self, question, MOST_WORLDS, |question| match question.likely() {
            Ok(found) => Verdict::Clear(found),
            Err(true) => Verdict::Blocked,
            Err(false) => Verdict::Marginal(0.0),
        });
        match outcome {
            Verdict::Clear(_) => Some(true),
            Verdict::Blocked => Some(false),
            Verdict::Marginal(_) => None,
        }
    }
    fn decide(&self, question: &Question<()>) -> Verdict {
        fn ask(question: &Question<&Window<'_>>) -> Verdict {
            question.decide()
        }
        search(self, question, MOST_WORLDS, ask)
    }
    fn safest(&self, question: &Question<()>, found: Found) -> Found {
        let window = Window::new(self, question);
        let world = window.and_then(|window| window.settle(question, found).ok());
        world.map_or(found, |(found, world)| question.over(&world).safest(found))
    }
    fn slowest(&self, question: &Question<()>, found: Found) -> f64 {
        let window = Window::new(self, question);
        window.map_or(f64::INFINITY, |window| question.over(&window).slowest(found))
    }
}

impl Window<'_> {
    /// The worlds on both sides of the span that a flight runs into.
    fn halves(self, question: &Question<()>, split: Split) -> [Option<Self>; 2] {
        let above = self.clone().above(question, split);
        [self.below(question, split), above]
    }
}
