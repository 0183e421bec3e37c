//! The faults that an audit may deny, so that a level is refused for them.

use super::AuditSummary;
use super::seen::{Ground, Seen};
use jump_planner::{Audit, Cut, CutAt, Cuts, Finding, Move, MoveKind, Shortcut};
use serde::Serialize;
use std::fmt;

/// What may be wrong with a level. Each is counted by a key of [`AuditSummary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// `traps`
    Trap,
    /// `unreachable`, in cells.
    Unreachable,
    /// `one_way`
    OneWay,
    /// `marginal`
    Marginal,
    /// `cuts`
    Cut,
    /// `cuts_back`
    CutBack,
    /// `shortcuts`
    Shortcut,
    /// `goal`: it is not reached, or the level has no goal.
    Goal,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Trap,
        Self::Unreachable,
        Self::OneWay,
        Self::Marginal,
        Self::Cut,
        Self::CutBack,
        Self::Shortcut,
        Self::Goal,
    ];

    /// How often it is there.
    #[must_use]
    pub fn count(self, summary: &AuditSummary) -> usize {
        match self {
            Self::Trap => summary.traps,
            Self::Unreachable => summary.unreachable,
            Self::OneWay => summary.one_way,
            Self::Marginal => summary.marginal,
            Self::Cut => summary.cuts,
            Self::CutBack => summary.cuts_back,
            Self::Shortcut => summary.shortcuts.unwrap_or(0),
            Self::Goal => usize::from(summary.goal.as_ref().is_none_or(|goal| !goal.reached)),
        }
    }

    /// The number of such faults.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Trap => "traps",
            Self::Unreachable => "cells never reached",
            Self::OneWay => "one-way passages",
            Self::Marginal => "open questions",
            Self::Cut => "cuts on ways from the start",
            Self::CutBack => "cuts on ways back",
            Self::Shortcut => "shortcuts",
            Self::Goal => "goals not reached",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Trap => "trap",
            Self::Unreachable => "unreachable",
            Self::OneWay => "one-way",
            Self::Marginal => "marginal",
            Self::Cut => "cut",
            Self::CutBack => "cut-back",
            Self::Shortcut => "shortcut",
            Self::Goal => "goal",
        })
    }
}

/// A denied fault that the level has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Denied {
    /// Which.
    pub fault: Fault,
    /// `[limits: > 0]` How often.
    pub count: usize,
}

/// The number of examples of each kind that are described in words.
const TOLD: usize = 10;

/// The worst of each kind in words.
pub(super) fn examples<T: Ground>(
    level: &T,
    audit: &Audit<T::Place>,
    cuts: &[Cuts<T::Place>; 2],
    shortcuts: &[Shortcut<T::Place>],
) -> Vec<(Fault, String)> {
    let mut told: Vec<(Fault, String)> = Vec::new();
    let seen = |place| level.seen(place);
    for fault in [Fault::Trap, Fault::Unreachable, Fault::OneWay, Fault::Marginal] {
        let all = audit.findings().iter().filter(|finding| kind(*finding) == Some(fault));
        let all = all.take(TOLD).filter_map(|finding| told_of(&finding.map(seen)));
        told.extend(all.map(|words| (fault, words)));
    }
    for (cuts, fault) in cuts.iter().zip([Fault::Cut, Fault::CutBack]) {
        let worst = cuts.worst_first().iter().take(TOLD);
        told.extend(worst.map(|cut| (fault, without(&cut.map(seen)))));
    }
    for shortcut in shortcuts.iter().take(TOLD) {
        let ends = shortcut.way.first().zip(shortcut.way.last());
        let way = ends.map_or_else(String::new, |(first, last)| {
            format!("from {} to {} ", seen(first.from), seen(last.to))
        });
        told.push((Fault::Shortcut, format!("a way {way}skips {} cells", shortcut.skipped)));
    }
    told
}

/// `None`: a kind of finding that is newer than this.
fn kind<P>(finding: &Finding<P>) -> Option<Fault> {
    Some(match finding {
        Finding::Trap { .. } => Fault::Trap,
        Finding::Unreachable { .. } => Fault::Unreachable,
        Finding::OneWay { .. } => Fault::OneWay,
        Finding::Marginal { .. } => Fault::Marginal,
        _ => return None,
    })
}

/// `None`: a kind of finding that is newer than this.
fn told_of(finding: &Finding<Seen>) -> Option<String> {
    Some(match finding {
        Finding::Trap { cell, cells, entrance } => {
            let entrance = step(entrance);
            format!("{cell}: a trap of {cells} cells, entered by {entrance}")
        }
        Finding::Unreachable { cell, cells, .. } => format!("{cell}: a region of {cells} cells"),
        Finding::OneWay { passage, from_cells, to_cells } => {
            format!("{}, of {from_cells} cells into {to_cells}", step(passage))
        }
        Finding::Marginal { ends: [from, to], cells } => {
            format!("between {from} and {to}, about {cells} cells")
        }
        _ => return None,
    })
}

fn without(cut: &Cut<Seen>) -> String {
    let what = match &cut.at {
        CutAt::Cell(cell) => cell.to_string(),
        CutAt::Move(lost) => step(lost),
    };
    format!("without {what}, {} cells are cut off, such as {}", cut.lost, cut.example)
}

fn step(step: &Move<Seen>) -> String {
    let kind = match step.kind {
        MoveKind::Walk => "a walk",
        MoveKind::Fall => "a fall",
        MoveKind::Jump => "a jump",
    };
    format!("{kind} from {} to {}", step.from, step.to)
}
