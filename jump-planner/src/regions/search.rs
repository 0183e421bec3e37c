//! The search for jumps that join parts of a level.
//!
//! Jumps around a corner and over one cell join nearly all rugged ground, and are known by then.
//! One large part and many small ones are left. Every further jump that matters begins or ends
//! outside the large part, so jumps are looked for only from there.

use super::parts::Parts;
use super::passage::{Passage, thin};
use super::tiles::Tiles;
use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::moves::MoveKind;
use crate::graph::reach::End;
use crate::jump::exact::{Effort, Verdict};
use crate::parallel;
use crate::regions::closure::Closure;
use crate::regions::scc::Csr;
use crate::storage::Storage;
use std::collections::BTreeMap;

/// Which jumps are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Search {
    /// Jumps that one look finds, with a few looks for each pair of parts.
    Easy,
    /// All but those that only a proof finds, which are left open.
    All,
}

/// The result of a search.
#[derive(Default)]
pub(crate) struct Found {
    /// At most one per pair of parts, ascending.
    pub(crate) passages: Vec<Passage>,
    /// Jumps that were neither found nor excluded; those between the same parts in the order in
    /// which it was asked for them.
    pub(crate) open: Vec<(u32, u32)>,
    /// How many pairs of cells were checked.
    pub(crate) asked: usize,
}

/// Looks for easy jumps between two parts; those between the nearest cells come first.
const LOOKS: u32 = 8;
/// `[units: cells]` Easy jumps are looked for no further than this: jumps this short join nearly
/// all parts that easy ones ever do, and looking further takes most of an audit's time among
/// cliffs.
const NEAR: usize = 6;
/// No more questions.
const SETTLED: u32 = u32::MAX;
/// Cells outside the largest part in one piece of work.
const PIECE: usize = 512;

impl Search {
    /// Jumps from parts to others to which they do not lead yet.
    pub(crate) fn run(
        self,
        graph: &JumpGraph<impl Storage>,
        parts: &Parts,
        known: &[Passage],
    ) -> Found {
        if parts.firsts.len() <= 1 {
            return Found::default();
        }
        let known = Csr::from_sorted(parts.firsts.len(), known.iter().map(|p| p.parts));
        let (known, (largest, outside)) = (Closure::new(&known), parts.outside_largest());
        let tiles = Tiles::of(graph.terrain(), &parts.labels);
        let pieces = parallel::pieces(outside.len(), PIECE, |first, end| {
            let mut asker = Asker::new(graph, self, &parts.labels, &known);
            for &i in &outside[first..end] {
                asker.ask_around(i as usize, largest, &tiles);
            }
            asker.found
        });
        let mut all = Found::default();
        for mut piece in pieces {
            all.passages.append(&mut piece.passages);
            all.open.append(&mut piece.open);
            all.asked += piece.asked;
        }
        thin(&mut all.passages);
        // One piece may have settled what another left open for the same parts.
        let Found { passages, open, .. } = &mut all;
        open.retain(|&(i, j)| {
            let pair = (parts.labels[i as usize], parts.labels[j as usize]);
            passages.binary_search_by_key(&pair, |p| p.parts).is_err()
        });
        all
    }
}

/// Decides jumps that were left open, as far as their parts are not joined that way by now, until
/// one is found for each pair of parts. A proof takes a thousand times as long as a look, and most
/// of these pairs are joined by jumps that were found for others.
pub(crate) fn prove(
    graph: &JumpGraph<impl Storage>,
    parts: &Parts,
    known: &[Passage],
    open: Vec<(u32, u32)>,
) -> Found {
    let known = Csr::from_sorted(parts.firsts.len(), known.iter().map(|p| p.parts));
    let known = Closure::new(&known);
    let between = |&(i, j): &(u32, u32)| (parts.labels[i as usize], parts.labels[j as usize]);
    let mut left = open;
    left.retain(|jump| {
        let (from, to) = between(jump);
        from != to && !known.leads(from, to)
    });
    left.sort_by_key(between);
    let pairs: Vec<_> = left.chunk_by(|a, b| between(a) == between(b)).collect();
    let pieces = parallel::pieces(pairs.len(), 1, |pair, _| {
        let mut found = Found::default();
        for &(from, to) in pairs[pair] {
            match graph.verdict(from as usize, to as usize) {
                Verdict::Clear(_) => {
                    let (parts, kind) = (between(&(from, to)), MoveKind::Jump);
                    found.open.clear();
                    found.passages.push(Passage { parts, far: true, kind, from, to });
                    break;
                }
                Verdict::Marginal(_) => found.open.push((from, to)),
                Verdict::Blocked => {}
            }
        }
        found
    });
    let mut all = Found::default();
    for mut piece in pieces {
        all.passages.append(&mut piece.passages);
        all.open.append(&mut piece.open);
    }
    all.open.sort_unstable();
    all
}

/// Asks for jumps between cells, as far as their parts are not joined that way.
struct Asker<'a, T> {
    graph: &'a JumpGraph<T>,
    search: Search,
    labels: &'a [u32],
    known: &'a Closure,
    /// How often a pair of parts was checked in vain; pairs with a jump are settled.
    tries: BTreeMap<(u32, u32), u32>,
    /// Space.
    cells: Vec<u32>,
    found: Found,
}

impl<'a, T: Storage> Asker<'a, T> {
    fn new(graph: &'a JumpGraph<T>, search: Search, labels: &'a [u32], known: &'a Closure) -> Self {
        let (tries, cells, found) = (BTreeMap::new(), Vec::new(), Found::default());
        Self { graph, search, labels, known, tries, cells, found }
    }

    /// All jumps from a cell outside the part `largest`, and those to it from there.
    fn ask_around(&mut self, i: usize, largest: u32, tiles: &Tiles) {
        let (own, labels, mut cells) =
            (self.labels[i], self.labels, std::mem::take(&mut self.cells));
        cells.clear();
        let to_largest = self.is_settled((own, largest));
        let most = if self.search == Search::Easy { NEAR } else { usize::MAX };
        let done = |part: u32| {
            part == NONE
                || part == own
                || (if part == largest { to_largest } else { self.known.leads(own, part) })
        };
        let dull = |tile: usize| tiles.all(tile, done);
        self.graph.scan(i, End::Launch, most, dull, |j| !done(labels[j]), &mut cells);
        let ahead = cells.len();
        if !self.is_settled((largest, own)) {
            let dull = |tile: usize| tiles.all(tile, |part| part != largest);
            let wanted = |j: usize| labels[j] == largest;
            self.graph.scan(i, End::Landing, most, dull, wanted, &mut cells);
        }
        cells[..ahead].iter().for_each(|&j| self.ask(i, j as usize));
        cells[ahead..].iter().for_each(|&j| self.ask(j as usize, i));
        self.cells = cells;
    }

    /// Whether there are no more questions for two parts.
    fn is_settled(&self, parts: (u32, u32)) -> bool {
        self.known.leads(parts.0, parts.1)
            || self.tries.get(&parts).is_some_and(|&tries| {
                tries == SETTLED || (tries == LOOKS && self.search == Search::Easy)
            })
    }

    fn ask(&mut self, i: usize, j: usize) {
        let parts = (self.labels[i], self.labels[j]);
        if self.known.leads(parts.0, parts.1) {
            return;
        }
        let tries = self.tries.entry(parts).or_insert(0);
        if *tries == SETTLED || (*tries == LOOKS && self.search == Search::Easy) {
            return;
        }
        *tries += 1;
        self.found.asked += 1;
        let (from, to) = (i as u32, j as u32);
        // Most are.
        if self.graph.is_hopeless(i, j) {
            return;
        }
        let clear = match self.search {
            Search::Easy => self.graph.shows_jump(i, j, Effort::Look),
            Search::All => self.graph.sought(i, j).unwrap_or_else(|| {
                self.found.open.push((from, to));
                false
            }),
        };
        if clear {
            *tries = SETTLED;
            self.found.passages.push(Passage { parts, far: true, kind: MoveKind::Jump, from, to });
        }
    }
}
