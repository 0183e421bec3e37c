//! Regions under edits.
//!
//! Every region is kept with moves that show that it hangs together (the certificate). An edit of a
//! cell takes moves away, and it does no harm as long as the ends of these are still joined both ways
//! within their region; where they are not, what has fallen off is cut out, and joins again by what
//! leads out of it and into it. Which regions lead to which is remembered by their cells: outside the
//! largest region every cell knows a move to each other one, and one from the largest. After an edit
//! only those within its reach have to look again.

use crate::certificate::{Certificate, Goal, Lost, Seen, passes};
use crate::closure::Closure;
use crate::exact::{Effort, Verdict};
use crate::graph::{End, JumpGraph};
use crate::groups::NONE;
use crate::moves::MoveKind;
use crate::near::Along;
use crate::parallel;
use crate::regions::{Passage, Regions, near_move, needed};
use crate::relief::{SMALL, small_tile, small_tiles};
use crate::scc::{self, Csr};
use crate::search::Tiles;
use std::collections::{BTreeMap, BTreeSet};

/// Cells in one piece of work.
const PIECE: usize = 64;
/// `[units: cells]` So many are seen in search of a detour; after that, all is made anew.
const FAR: [usize; 6] = [1 << 7, 1 << 9, 1 << 11, 1 << 13, 1 << 15, 1 << 17];
/// Jumps are looked for where one has seen so many in vain.
const FAR_ENOUGH: usize = FAR[2];
/// From so many cells jumps are looked for where there is no detour, and so many from each.
const BRIDGES: usize = 32;
const LOOKS: usize = 4;

/// The regions of a graph, kept under edits.
#[derive(Clone, Debug)]
pub(crate) struct Dynamic {
    /// The region of every cell, by a number of its own; NONE where nobody can stand.
    pub(crate) labels: Vec<u32>,
    /// By label; 0: there is no such region.
    pub(crate) sizes: Vec<u32>,
    /// A region's first cell comes no sooner.
    firsts: Vec<u32>,
    free: Vec<u32>,
    /// The largest region at first.
    main: u32,
    tiles: Tiles,
    certificate: Certificate,
    /// What cells outside the largest region know, where there is anything.
    ways: BTreeMap<u32, Known>,
    /// The same by pairs of regions, of which one leads to the other: passages, and who knows them.
    pairs: BTreeMap<(u32, u32), BTreeSet<(Passage, u32)>>,
    /// Who knows undecided jumps, by the regions that they would join.
    waiting: BTreeMap<(u32, u32), BTreeSet<u32>>,
    /// Jumps that were neither found nor excluded, and who knows them.
    open: BTreeSet<(u32, u32, u32)>,
    /// Which region leads to which, by labels, and to which directly.
    closure: Closure,
    successors: Csr,
    /// Whether it is not that any more.
    is_stale: bool,
}

/// What a cell knows, as it was entered.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    ways: Ways,
    passages: Vec<Passage>,
    waiting: Vec<(u32, u32)>,
}

/// Moves from a cell to other regions, one to each at most, and one to it from the largest.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ways {
    /// From, to, what, and whether it is one of the longer jumps.
    moves: Vec<(u32, u32, MoveKind, bool)>,
    /// Jumps that were neither found nor excluded.
    open: Vec<(u32, u32)>,
    /// Jumps that one look did not find, or nobody looked for, in order. They are decided when nothing
    /// else joins their regions.
    undecided: Vec<(u32, u32)>,
}

/// What has changed around cells that look again.
struct About<'a> {
    edit: Option<Edit>,
    /// The cells that have come to another region, in order; others may be among them.
    changed: &'a [u32],
    /// First and last row and column of these, and one more to each side.
    around: [[usize; 2]; 2],
}

/// An edit of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    pub(crate) cell: usize,
    /// Whether flights over it may have come to be free, and to be blocked.
    pub(crate) frees: bool,
    pub(crate) blocks: bool,
    /// `[units: cells]` How far jumps led before or lead now.
    pub(crate) reach: usize,
}

/// Among which cells jumps are looked for.
#[derive(Clone, Copy)]
enum Among<'a> {
    All,
    /// In order.
    Changed(&'a [u32]),
}

/// Up to so many changed cells are looked at one by one.
const FEW: usize = 64;

/// The ends of moves that have gone: the first one led to the others, by them.
struct Torn {
    from: u32,
    to: Vec<u32>,
}

/// What leads where, by regions in the order of their first cells.
pub(crate) struct Summary {
    /// The number of every region, by label.
    pub(crate) number: Vec<u32>,
    pub(crate) sizes: Vec<u32>,
    pub(crate) firsts: Vec<u32>,
    pub(crate) passages: Vec<Passage>,
    pub(crate) marginal: Vec<(u32, u32)>,
}

/// What an edit came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Who leads where is as it was.
    Same,
    Changed,
    /// What fell apart is too large to be followed.
    TooFar,
}

impl Dynamic {
    pub(crate) fn new(graph: &JumpGraph, regions: Regions) -> Self {
        let Regions { labels, sizes, firsts, moves, mut joins, .. } = regions;
        let shape = graph.terrain().shape();
        joins.retain(|&(from, to)| labels[from as usize] == labels[to as usize]);
        let largest = (0..sizes.len()).max_by_key(|&r| (sizes[r], std::cmp::Reverse(r)));
        let none = Csr::from_sorted(0, std::iter::empty());
        let mut dynamic = Self {
            tiles: Tiles::new(&labels, shape),
            certificate: Certificate::new(shape[1], moves, &joins),
            main: largest.unwrap_or(0) as u32,
            labels,
            sizes,
            firsts,
            free: Vec::new(),
            ways: BTreeMap::new(),
            pairs: BTreeMap::new(),
            waiting: BTreeMap::new(),
            open: BTreeSet::new(),
            closure: Closure::new(&none),
            successors: none,
            is_stale: true,
        };
        let outside = (0..).zip(&dynamic.labels).filter(|&(_, &l)| l != NONE && l != dynamic.main);
        let outside: Vec<u32> = outside.map(|(i, _)| i).collect();
        dynamic.look(graph, &outside, None, true);
        // Nothing comes of it but what the regions know already.
        dynamic.settle(graph);
        dynamic
    }

    /// Follows an edit.
    pub(crate) fn follow(&mut self, graph: &JumpGraph, edit: Edit) -> Outcome {
        let Edit { cell: edited, reach, .. } = edit;
        let own = self.labels[edited];
        let stands = graph.footing().can_stand(edited);
        let label = if stands { self.joined(graph, edited) } else { NONE };
        let label = if stands && label == NONE { self.fresh() } else { label };
        let lost = self.certificate.follow(graph, edited as u32);
        let torn = torn(lost, edited as u32, label == own);
        self.assign(edited as u32, label);
        let mut changed = Vec::new();
        if !self.hold(graph, torn, &mut changed) || self.sizes[self.main as usize] == 0 {
            return Outcome::TooFar;
        }
        let mut dirty = label != own || !changed.is_empty();
        changed.push(edited as u32);
        let mut edit = Some(edit);
        while !changed.is_empty() {
            changed.sort_unstable();
            for cell in &changed {
                let label = self.labels[*cell as usize];
                if label == self.main || label == NONE {
                    dirty |= self.enter(*cell, Ways::default());
                }
            }
            let open = self.outside_around(graph, &changed, reach);
            let about = About::new(graph, edit.take(), &changed);
            dirty |= self.look(graph, &open, Some(&about), dirty);
            changed.clear();
            if dirty {
                changed = self.settle(graph);
            }
        }
        if dirty {
            for label in 0..self.sizes.len() as u32 {
                if self.sizes[label as usize] > 0 {
                    self.first(label);
                }
            }
        }
        if dirty { Outcome::Changed } else { Outcome::Same }
    }

    /// The region that moves between neighbours join a cell with both ways: its own, if that is one.
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

    /// Cuts out what has fallen off regions where moves are gone; appends it. `false` if that is not
    /// known after a long search.
    fn hold(&mut self, graph: &JumpGraph, mut torn: Vec<Torn>, changed: &mut Vec<u32>) -> bool {
        while let Some(mut gone) = torn.pop() {
            let label = self.labels[gone.from as usize];
            gone.to.retain(|&to| self.labels[to as usize] == label && to != gone.from);
            if label == NONE || gone.to.is_empty() {
                continue;
            }
            let Some(mut off) = self.fallen_off(graph, &gone) else { return false };
            if off.is_empty() {
                continue;
            }
            // Whoever came by what has fallen off must come by another way.
            off.sort_unstable();
            let is_off = |cell: &u32| off.binary_search(cell).is_ok();
            let (mut from, mut to) = (Vec::new(), Vec::new());
            for &cell in &off {
                for (along, ends) in [(Along::Reverse, &mut from), (Along::Moves, &mut to)] {
                    self.certificate.moves(along, cell, |other| {
                        if self.labels[other as usize] == label && !is_off(&other) {
                            ends.push(other);
                        }
                    });
                }
            }
            torn.push(gone);
            for gone in &torn {
                if is_off(&gone.from) {
                    to.extend(gone.to.iter().filter(|cell| !is_off(cell)));
                } else if gone.to.iter().any(is_off) {
                    from.push(gone.from);
                }
            }
            for ends in [&mut from, &mut to] {
                ends.sort_unstable();
                ends.dedup();
            }
            torn.extend(from.into_iter().map(|from| Torn { from, to: to.clone() }));
            self.cut_out(&mut off);
            changed.extend(off);
        }
        true
    }

    /// What leads to nothing else of its region, or is led to from nothing else; nothing if there are
    /// other ways. `None` if that is not known after a long search.
    fn fallen_off(&mut self, graph: &JumpGraph, gone: &Torn) -> Option<Vec<u32>> {
        for most in FAR {
            let mut best: Option<Vec<u32>> = None;
            let mut offer = |seen: Seen| {
                let smaller = best.as_ref().is_none_or(|best| seen.cells.len() < best.len());
                if seen.ended && smaller {
                    best = Some(seen.cells);
                }
            };
            let (from, goal) = ((Along::Moves, gone.from), Goal::Cells(&gone.to));
            let seen = self.certificate.search(&self.labels, from, goal, most);
            let missed = gone.to.iter().copied();
            let missed = missed.filter(|&end| !self.certificate.saw(seen.stamp, end));
            let mut lost = false;
            for end in missed.collect::<Vec<_>>() {
                let (from, goal) = ((Along::Reverse, end), Goal::Seen(seen.stamp));
                let back = self.certificate.search(&self.labels, from, goal, most);
                let mut bridged = || most == FAR_ENOUGH && self.bridge(graph, &seen, &back);
                if !back.met && !bridged() {
                    lost = true;
                    offer(back);
                }
            }
            if !lost {
                return Some(Vec::new());
            }
            offer(seen);
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// Looks for a jump from what one search saw to what the other did, from among the cells that
    /// this one saw first.
    fn bridge(&mut self, graph: &JumpGraph, seen: &Seen, back: &Seen) -> bool {
        let mut space = Vec::new();
        for &cell in back.cells.iter().take(BRIDGES) {
            space.clear();
            let wanted = |i: usize| self.certificate.saw(seen.stamp, i as u32);
            let (end, most) = (End::Landing, usize::MAX);
            graph.scan(cell as usize, end, most, |_| false, wanted, &mut space);
            for &from in space.iter().take(LOOKS) {
                if graph.shows_jump(from as usize, cell as usize, Effort::Look) {
                    self.certificate.insert((from, cell), graph.terrain().shape()[1]);
                    return true;
                }
            }
        }
        false
    }

    /// Regions of their own for cells that have fallen off theirs.
    fn cut_out(&mut self, cells: &mut Vec<u32>) {
        let (component, count) = self.certificate.components(cells);
        let labels: Vec<u32> = (0..count).map(|_| self.fresh()).collect();
        for (&cell, &component) in cells.iter().zip(&component) {
            self.assign(cell, labels[component as usize]);
        }
    }

    /// A label that no region has.
    fn fresh(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.is_stale = true;
            self.sizes.push(0);
            self.firsts.push(NONE);
            self.sizes.len() as u32 - 1
        })
    }

    fn assign(&mut self, cell: u32, label: u32) {
        let old = std::mem::replace(&mut self.labels[cell as usize], label);
        if old == label {
            return;
        }
        if label != NONE {
            let first = &mut self.firsts[label as usize];
            *first = if self.sizes[label as usize] == 0 { cell } else { cell.min(*first) };
            self.sizes[label as usize] += 1;
        }
        if old != NONE {
            self.sizes[old as usize] -= 1;
            if self.sizes[old as usize] == 0 {
                self.free.push(old);
            }
        }
        self.tiles.follow(&self.labels, cell as usize);
    }

    /// The cells outside the largest region within reach of any of some cells.
    fn outside_around(&self, graph: &JumpGraph, cells: &[u32], reach: usize) -> Vec<u32> {
        let shape @ [rows, columns] = graph.terrain().shape();
        let down = small_tiles(shape);
        let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
        let mut tiles = BTreeSet::new();
        for &i in cells {
            let cell = graph.terrain().cell(i as usize);
            for axis in 0..2 {
                low[axis] = low[axis].min(cell[axis].saturating_sub(reach));
                high[axis] = high[axis].max(cell[axis] + reach);
            }
            tiles.insert(small_tile(shape, i as usize));
        }
        let span = reach.div_ceil(SMALL);
        let around = |at: usize, n: usize| at.saturating_sub(span)..(at + span + 1).min(n);
        let tiles: BTreeSet<usize> = tiles
            .into_iter()
            .flat_map(|tile| {
                let (ys, xs) = (around(tile / down[1], down[0]), around(tile % down[1], down[1]));
                ys.flat_map(move |y| xs.clone().map(move |x| y * down[1] + x))
            })
            .collect();
        let mut found = Vec::new();
        // Whoever leads past what has changed is within reach of it at both ends.
        let label = cells.first().map_or(NONE, |&cell| self.labels[cell as usize]);
        let alone = |tile: &usize| self.tiles.all(*tile, |only| only == label);
        if cells.len() == 1 && label != NONE && tiles.iter().all(alone) {
            return found;
        }
        for tile in tiles.into_iter().filter(|&t| !self.tiles.all(t, |only| only == self.main)) {
            let (y, x) = (tile / down[1] * SMALL, tile % down[1] * SMALL);
            for y in y.max(low[0])..(y + SMALL).min(rows).min(high[0] + 1) {
                for x in x.max(low[1])..(x + SMALL).min(columns).min(high[1] + 1) {
                    let label = self.labels[y * columns + x];
                    if label != self.main && label != NONE {
                        found.push((y * columns + x) as u32);
                    }
                }
            }
        }
        found
    }

    /// Looks at cells outside the largest region, at all or only at what has changed; whether regions
    /// may lead to others now than before. `new`: they do anyway.
    fn look(
        &mut self,
        graph: &JumpGraph,
        cells: &[u32],
        about: Option<&About<'_>>,
        mut new: bool,
    ) -> bool {
        let pieces = parallel::pieces(cells.len(), PIECE, |first, end| {
            let mut space = Vec::new();
            let look = |&cell: &u32| match about {
                Some(about) => self.ways_about(graph, cell, about, &mut space),
                None => Some(self.ways(graph, cell, &mut space)),
            };
            cells[first..end].iter().map(look).collect::<Vec<_>>()
        });
        for (&cell, ways) in cells.iter().zip(pieces.into_iter().flatten()) {
            if let Some(ways) = ways {
                new |= self.enter(cell, ways);
                let known = self.ways.get(&cell);
                let joined = |&(from, to): &(u32, u32)| new || self.closure.leads(from, to);
                new |= known.is_some_and(|known| !known.waiting.iter().all(joined));
            }
        }
        new
    }

    /// Enters what a cell knows; whether that is something new for findings.
    fn enter(&mut self, cell: u32, ways: Ways) -> bool {
        let label = |i: u32| self.labels[i as usize];
        let passage = |&(from, to, kind, far): &(u32, u32, MoveKind, bool)| Passage {
            parts: (label(from), label(to)),
            far,
            kind,
            from,
            to,
        };
        let mut passages: Vec<Passage> = ways.moves.iter().map(passage).collect();
        passages.retain(|p| p.parts.0 != p.parts.1);
        let mut waiting: Vec<(u32, u32)> =
            ways.undecided.iter().map(|&(from, to)| (label(from), label(to))).collect();
        waiting.sort_unstable();
        waiting.dedup();
        let new = Known { ways, passages, waiting };
        let old = self.ways.get(&cell);
        if old.map_or(new == Known::default(), |old| *old == new) {
            return false;
        }
        let old = self.ways.remove(&cell).unwrap_or_default();
        for parts in &old.waiting {
            if let Some(who) = self.waiting.get_mut(parts) {
                who.remove(&cell);
                if who.is_empty() {
                    self.waiting.remove(parts);
                }
            }
        }
        for &parts in &new.waiting {
            self.waiting.entry(parts).or_default().insert(cell);
        }
        let differ = old.passages != new.passages || old.ways.open != new.ways.open;
        if differ {
            for passage in &old.passages {
                if let Some(all) = self.pairs.get_mut(&passage.parts) {
                    all.remove(&(*passage, cell));
                    if all.is_empty() {
                        self.pairs.remove(&passage.parts);
                        self.is_stale = true;
                    }
                }
            }
            for &passage in &new.passages {
                let all = self.pairs.entry(passage.parts).or_default();
                self.is_stale |= all.is_empty();
                all.insert((passage, cell));
            }
            for &(from, to) in &old.ways.open {
                self.open.remove(&(from, to, cell));
            }
            self.open.extend(new.ways.open.iter().map(|&(from, to)| (from, to, cell)));
        }
        if new != Known::default() {
            self.ways.insert(cell, new);
        }
        differ
    }

    /// What leads out of a cell outside the largest region, and from there into it.
    fn ways(&self, graph: &JumpGraph, cell: u32, space: &mut Vec<u32>) -> Ways {
        let labels = &self.labels;
        let mut ways = Ways::default();
        self.steps(graph, cell, |_| true, &mut ways);
        // One each way to every region.
        let parts = |m: &(u32, u32, MoveKind, bool)| (labels[m.0 as usize], labels[m.1 as usize]);
        ways.moves.sort_unstable_by_key(|m| (parts(m), m.2, m.0, m.1));
        ways.moves.dedup_by_key(|m| parts(m));
        self.look_out(graph, cell, Among::All, &mut ways, space);
        ways
    }

    /// The same where only some of it can have changed; `None`: all is as it was.
    fn ways_about(
        &self,
        graph: &JumpGraph,
        cell: u32,
        about: &About<'_>,
        space: &mut Vec<u32>,
    ) -> Option<Ways> {
        let is_changed = |cell: u32| about.changed.binary_search(&cell).is_ok();
        let place = graph.terrain().cell(cell as usize);
        let edit = about.edit;
        // A body passes over more cells than the two.
        let is_beside = |edit: Edit| {
            let other = graph.terrain().cell(edit.cell);
            place[0].abs_diff(other[0]).max(place[1].abs_diff(other[1])) <= 2
        };
        if is_changed(cell) || !graph.is_point() && edit.is_some_and(is_beside) {
            return Some(self.ways(graph, cell, space));
        }
        let over =
            |from: u32, to: u32| edit.is_some_and(|e| passes(graph, from, to, e.cell as u32));
        let other = |from: u32, to: u32| if from == cell { to } else { from };
        let known = self.ways.get(&cell).map(|known| &known.ways);
        let blocks = edit.is_some_and(|edit| edit.blocks);
        let gone = |&(from, to, _, far): &(u32, u32, MoveKind, bool)| {
            let shows = || graph.shows_jump(from as usize, to as usize, Effort::Ascent);
            is_changed(other(from, to)) || blocks && far && over(from, to) && !shows()
        };
        if known.is_some_and(|ways| ways.moves.iter().any(gone)) {
            return Some(self.ways(graph, cell, space));
        }
        // What was left open may be otherwise now, and what goes where has changed.
        let is_open = |&(from, to): &(u32, u32)| is_changed(other(from, to)) || over(from, to);
        let is_undecided = |&(from, to): &(u32, u32)| is_changed(other(from, to));
        let mut touched = known.is_some_and(|ways| {
            ways.open.iter().any(is_open) || ways.undecided.iter().any(is_undecided)
        });
        let few = about.changed.len() <= FEW;
        let within = |&j: &u32| {
            j != cell
                && self.labels[j as usize] != NONE
                && (graph.within_reach(cell as usize, j as usize)
                    || graph.within_reach(j as usize, cell as usize))
        };
        touched |= !few || about.changed.iter().any(within);
        // Flights over a lower cell are to be decided, where they matter.
        let mut freed = Vec::new();
        if let Some(edit) = edit.filter(|edit| edit.frees) {
            let leads = |m: &&(u32, u32, MoveKind, bool)| m.0 == cell;
            let moves = known.map_or(&[][..], |ways| &ways.moves);
            let mut to = vec![NONE, self.labels[cell as usize]];
            to.extend(moves.iter().filter(leads).map(|m| self.labels[m.1 as usize]));
            let entered = moves.iter().any(|m| m.1 == cell);
            let asked = known.map_or(&[][..], |ways| &ways.undecided);
            graph.behind(cell as usize, edit.cell, |j| {
                let label = self.labels[j];
                if !to.contains(&label) && graph.within_reach(cell as usize, j) {
                    freed.push((cell, j as u32));
                }
                if label == self.main && !entered && graph.within_reach(j, cell as usize) {
                    freed.push((j as u32, cell));
                }
            });
            freed.retain(|ends| asked.binary_search(ends).is_err());
        }
        if !touched && freed.is_empty() {
            return None;
        }
        let mut ways = known.cloned().unwrap_or_default();
        let again: Vec<(u32, u32)> =
            ways.open.iter().filter(|ends| is_open(ends)).copied().collect();
        ways.undecided.extend(again);
        ways.undecided.retain(|ends| !is_undecided(ends));
        ways.open.retain(|ends| !is_open(ends));
        ways.undecided.append(&mut freed);
        let is_near = (0..2).all(|a| (about.around[a][0]..=about.around[a][1]).contains(&place[a]));
        if is_near {
            self.steps(graph, cell, is_changed, &mut ways);
        }
        self.look_out(graph, cell, Among::Changed(about.changed), &mut ways, space);
        Some(ways)
    }

    /// The moves to neighbours of other regions, and those from the largest one; those that are such.
    fn steps(&self, graph: &JumpGraph, cell: u32, such: impl Fn(u32) -> bool, ways: &mut Ways) {
        let (labels, i) = (&self.labels, cell as usize);
        for (j, way) in graph.footing().neighbours(i) {
            if labels[j] == NONE || labels[j] == labels[i] || !such(j as u32) {
                continue;
            }
            if let Some(kind) = near_move(graph, i, j, way) {
                ways.moves.push((cell, j as u32, kind, false));
            }
            let kind = || near_move(graph, j, i, (-way.0, -way.1));
            if let (true, Some(kind)) = (labels[j] == self.main, kind()) {
                ways.moves.push((j as u32, cell, kind, false));
            }
        }
    }

    /// Jumps out of a cell to regions to which it knows no move, and from the largest one into it, from
    /// and to some cells: those that one look finds, and those that it does not.
    fn look_out(
        &self,
        graph: &JumpGraph,
        cell: u32,
        among: Among<'_>,
        ways: &mut Ways,
        space: &mut Vec<u32>,
    ) {
        let (labels, i) = (&self.labels, cell as usize);
        let shows = |from: u32, to: u32| graph.shows_jump(from as usize, to as usize, Effort::Look);
        let mut to = vec![NONE, labels[i]];
        to.extend(ways.moves.iter().filter(|m| m.0 == cell).map(|m| labels[m.1 as usize]));
        let find = |end: End, wanted: &dyn Fn(u32) -> bool, space: &mut Vec<u32>| {
            let is_wanted = |j: usize| wanted(labels[j]);
            let dull = |tile: usize| self.tiles.all(tile, |label| !wanted(label));
            let within = |j: usize| match end {
                End::Launch => graph.within_reach(i, j),
                End::Landing => graph.within_reach(j, i),
            };
            space.clear();
            match among {
                Among::All => graph.scan(i, end, usize::MAX, dull, is_wanted, space),
                Among::Changed(cells) if cells.len() > FEW => {
                    let such = |j: usize| is_wanted(j) && cells.binary_search(&(j as u32)).is_ok();
                    graph.scan(i, end, usize::MAX, dull, such, space);
                }
                Among::Changed(cells) => {
                    let such =
                        |&&j: &&u32| j != cell && is_wanted(j as usize) && within(j as usize);
                    space.extend(cells.iter().filter(such));
                }
            }
        };
        find(End::Launch, &|label| !to.contains(&label), space);
        for &j in &*space {
            let label = labels[j as usize];
            if to.contains(&label) {
                continue;
            }
            if shows(cell, j) {
                ways.moves.push((cell, j, MoveKind::Jump, true));
                to.push(label);
            } else {
                ways.undecided.push((cell, j));
            }
        }
        ways.undecided.retain(|&(_, j)| j == cell || !to.contains(&labels[j as usize]));
        if !ways.moves.iter().any(|m| m.1 == cell) {
            find(End::Landing, &|label| label == self.main, space);
            if let Some(&from) = space.iter().find(|&&from| shows(from, cell)) {
                ways.moves.push((from, cell, MoveKind::Jump, true));
                ways.undecided.retain(|&(_, j)| j != cell);
            } else {
                ways.undecided.extend(space.iter().map(|&from| (from, cell)));
            }
        }
        ways.undecided.sort_unstable();
        ways.undecided.dedup();
    }

    /// Decides what nothing else joins, and makes one region of those that lead to each other; the
    /// cells that have come to another region.
    fn settle(&mut self, graph: &JumpGraph) -> Vec<u32> {
        loop {
            if self.is_stale {
                self.successors = Csr::from_sorted(self.sizes.len(), self.pairs.keys().copied());
                let changed = self.merge(graph);
                if !changed.is_empty() {
                    return changed;
                }
                self.closure = Closure::new(&self.successors);
                self.is_stale = false;
            }
            if !self.decide(graph) {
                return Vec::new();
            }
        }
    }

    /// Decides jumps between regions that nothing else joins; whether there is any.
    fn decide(&mut self, graph: &JumpGraph) -> bool {
        let label = |i: u32| self.labels[i as usize];
        let mut open = Vec::new();
        for (&parts, who) in &self.waiting {
            if self.closure.leads(parts.0, parts.1) {
                continue;
            }
            for cell in who {
                let known = self.ways.get(cell).into_iter();
                let ends = known.flat_map(|known| &known.ways.undecided);
                let ends = ends.filter(|&&(from, to)| (label(from), label(to)) == parts);
                open.extend(ends.map(|&(from, to)| (parts, from, to, *cell)));
            }
        }
        open.sort_unstable();
        let groups: Vec<_> = open.chunk_by(|a, b| a.0 == b.0).collect();
        let decided = parallel::pieces(groups.len(), 1, |first, _| {
            let mut verdicts = Vec::new();
            let likely = |&&(_, from, to, _): &&((u32, u32), u32, u32, u32)| {
                graph.shows_jump(from as usize, to as usize, Effort::Ascent)
            };
            if let Some(&(_, from, to, cell)) = groups[first].iter().find(likely) {
                return vec![(cell, from, to, graph.verdict(from as usize, to as usize))];
            }
            for &(_, from, to, cell) in groups[first] {
                let verdict = graph.verdict(from as usize, to as usize);
                verdicts.push((cell, from, to, verdict));
                if verdict.is_clear() {
                    break;
                }
            }
            verdicts
        });
        let mut any = false;
        let mut decided: Vec<_> = decided.into_iter().flatten().collect();
        decided.sort_by_key(|decided| decided.0);
        for of_cell in decided.chunk_by(|a, b| a.0 == b.0) {
            let cell = of_cell[0].0;
            let mut ways = self.ways.get(&cell).map_or_else(Ways::default, |w| w.ways.clone());
            let mut gone: Vec<(u32, u32)> = of_cell.iter().map(|d| (d.1, d.2)).collect();
            gone.sort_unstable();
            ways.undecided.retain(|ends| gone.binary_search(ends).is_err());
            for &(_, from, to, verdict) in of_cell {
                match verdict {
                    Verdict::Clear(_) => {
                        ways.moves.push((from, to, MoveKind::Jump, true));
                        any = true;
                    }
                    Verdict::Marginal(_) => ways.open.push((from, to)),
                    Verdict::Blocked => {}
                }
            }
            self.enter(cell, ways);
        }
        any
    }

    /// Direct moves between regions, by labels: one for each pair.
    fn passages(&self) -> Vec<Passage> {
        self.pairs.values().filter_map(|all| all.first()).map(|&(passage, _)| passage).collect()
    }

    /// Makes one region of those that lead to each other; the cells that have changed.
    fn merge(&mut self, graph: &JumpGraph) -> Vec<u32> {
        let (component, count) = scc::components(&self.successors);
        // The region of each component that keeps its label.
        let mut keeps = vec![NONE; count];
        for label in (0..self.sizes.len() as u32).filter(|&l| self.sizes[l as usize] > 0) {
            let keeps = &mut keeps[component[label as usize] as usize];
            let rank = |l: u32| (l == self.main, self.sizes[l as usize], std::cmp::Reverse(l));
            if *keeps == NONE || rank(label) > rank(*keeps) {
                *keeps = label;
            }
        }
        let columns = graph.terrain().shape()[1];
        let mut changed = Vec::new();
        if count == self.sizes.len() {
            return changed;
        }
        for passage in self.passages() {
            let (from, to) = passage.parts;
            if passage.far && component[from as usize] == component[to as usize] {
                self.certificate.insert((passage.from, passage.to), columns);
            }
        }
        for label in 0..self.sizes.len() as u32 {
            let keeps = keeps[component[label as usize] as usize];
            if self.sizes[label as usize] == 0 || keeps == label {
                continue;
            }
            let from = self.first(label);
            let everywhere = (Along::Moves, from);
            let most = usize::MAX;
            let seen = self.certificate.search(&self.labels, everywhere, Goal::All, most);
            seen.cells.iter().for_each(|&cell| self.assign(cell, keeps));
            changed.extend(seen.cells);
        }
        changed
    }

    /// The first cell of a region that there is.
    fn first(&mut self, label: u32) -> u32 {
        let mut first = self.firsts[label as usize];
        while self.labels[first as usize] != label {
            first += 1;
        }
        self.firsts[label as usize] = first;
        first
    }

    /// Who leads where.
    pub(crate) fn summary(&self) -> Summary {
        let mut order = Vec::new();
        for label in 0..self.sizes.len() as u32 {
            if self.sizes[label as usize] > 0 {
                order.push((self.firsts[label as usize], label));
            }
        }
        order.sort_unstable();
        let mut number = vec![NONE; self.sizes.len()];
        for (n, &(_, label)) in (0..).zip(&order) {
            number[label as usize] = n;
        }
        let of = |cell: u32| self.labels[cell as usize];
        let mut marginal: Vec<(u32, u32)> =
            self.open.iter().map(|&(from, to, _)| (from, to)).collect();
        let who = (&self.successors, &self.closure);
        let mut passages = needed(self.passages(), who, &mut marginal, of);
        for passage in &mut passages {
            let (from, to) = passage.parts;
            passage.parts = (number[from as usize], number[to as usize]);
        }
        passages.sort_unstable();
        Summary {
            sizes: order.iter().map(|&(_, label)| self.sizes[label as usize]).collect(),
            firsts: order.iter().map(|&(first, _)| first).collect(),
            number,
            passages,
            marginal,
        }
    }
}

impl<'a> About<'a> {
    fn new(graph: &JumpGraph, edit: Option<Edit>, changed: &'a [u32]) -> Self {
        let mut around = [[usize::MAX, 0]; 2];
        for &cell in changed {
            let cell = graph.terrain().cell(cell as usize);
            for (around, at) in around.iter_mut().zip(cell) {
                *around = [around[0].min(at.saturating_sub(1)), around[1].max(at + 1)];
            }
        }
        Self { edit, changed, around }
    }
}

/// What moves have gone that showed that regions hang together. `stays`: the edited cell stays in its
/// region.
fn torn(lost: Lost, edited: u32, stays: bool) -> Vec<Torn> {
    let Lost { mut gone, out, into } = lost;
    let mut torn = Vec::new();
    if !stays {
        // Whoever came by the cell must come by another way.
        gone.retain(|&(from, to)| from != edited && to != edited);
        torn.extend(into.into_iter().map(|from| Torn { from, to: out.clone() }));
    }
    torn.extend(gone.into_iter().map(|(from, to)| Torn { from, to: vec![to] }));
    torn
}
