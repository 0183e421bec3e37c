//! How the rows of a block are worked out.

use super::border::ask_beside;
use super::turn::{APART, Row, Rows, inner, lanes, lanes_mut};
use super::{
    Around, Asks, Block, CELLS, CENTRAL, FAR, Face, Found, LEAST, NEVER, SIDE, WALL, across, turn,
};
use crate::arrival::eight::Eight;
use crate::arrival::march::UNIT;

/// The work space in which a block is worked out.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// Its times and those around it.
    times: Rows,
    changes: Changes,
}

impl Default for Work {
    fn default() -> Self {
        let nothing = [[NEVER; 16]; APART * APART];
        let changes = Changes { times: nothing, rows: 0, ends: [0; 2] };
        Self { times: [[FAR; 16]; APART * APART], changes }
    }
}

/// Works out the rows along axis `L` that were asked for, and those that depend on them. If any has
/// changed, it writes the block's times, and asks for what depends on them beside it.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
pub(super) fn work_out<E: Eight, const L: usize>(
    around: &Around<'_>,
    Work { times, changes }: &mut Work,
    found: &mut Found,
) {
    let mut blocks = around.times;
    blocks[13] = &found.times;
    turn::gather::<E, L>(&blocks, times);
    changes.clear::<E>();
    let slowness = around.slowness.map(inner::<E, L>);
    let seeds = (!around.seeds.is_empty()).then(|| inner::<E, L>(&seeds(around)));
    let [first, second] = across(L);
    let mut asked = rows_asked::<L>(&around.asked);
    if seeds.is_some() {
        asked = Face::MAX;
    }
    // Rows in the order in which the wave comes to them, along the axis that it moves along most.
    let from_end = |axis: usize| around.earliest[2 * axis + 1] < around.earliest[2 * axis];
    let soonest = |axis: usize| around.earliest[2 * axis].min(around.earliest[2 * axis + 1]);
    let turned = soonest(second) < soonest(first);
    let (outer, within) = if turned { (second, first) } else { (first, second) };
    let backward = [from_end(outer), from_end(within)];
    let [from_outer, from_inner] = backward.map(usize::from);
    let numbers = &NUMBERS[4 * from_outer + 2 * from_inner + usize::from(turned)];
    if turned {
        asked = transposed(asked);
    }
    // A block that no wave has come to is worked out whole.
    if around.untouched & CENTRAL != 0 {
        asked = Face::MAX;
    }
    asked = in_order(asked, backward);
    while asked != 0 {
        // One round through the rows, or what is left of it.
        let mut rest = asked;
        while rest != 0 {
            let turn = rest.trailing_zeros() as usize;
            asked &= !(1 << turn);
            let number = usize::from(numbers[turn]);
            let each = match &slowness {
                Some(slowness) => E::load(&slowness[number]),
                None => E::splat(UNIT),
            };
            let given = match &seeds {
                Some(seeds) => E::load(&seeds[number]),
                None => E::splat(NEVER),
            };
            // The nine rows begin one row before this one, along both axes.
            let corner = corner_of(number);
            let nine = nine(times, corner);
            let old = E::load(lanes(&nine[CENTRE], 1));
            let new = row_times::<E, L>(nine, old, each, given);
            let differs = new.differs(old);
            let later = Face::MAX << 1 << turn;
            if !E::is_any(differs) {
                rest &= later;
                continue;
            }
            let since = E::pick(differs, old.min(new), E::splat(NEVER));
            new.store(lanes_mut(&mut times[corner + CENTRE]));
            changes.note(number, corner + CENTRE, since, E::bits(differs));

            // Rows whose turn is still to come need not be asked for.
            let mut beside = NEXT_TO[turn] & !asked;
            let spread = since.spread();
            let after = spread.plus(E::splat(LEAST - 1));
            while beside != 0 {
                let turn = beside.trailing_zeros() as usize;
                beside &= beside - 1;
                let other = usize::from(numbers[turn]);
                let row = row_at::<E>(times, other);
                let is_late = row.above(after).and(E::splat(WALL).above(row));
                if E::is_any(is_late) {
                    let by = earliest_between(times, [number, other], since, spread);
                    let depends = row.above(by.plus(E::splat(LEAST - 1))).and(is_late);
                    asked |= Face::from(E::is_any(depends)) << turn;
                }
            }
            rest = asked & later;
        }
    }
    found.has_changed = changes.rows != 0;
    if !found.has_changed {
        return;
    }
    found.asks = Asks::default();
    ask_beside::<E, L>(times, changes, around.untouched, &mut found.asks);
    (found.soonest, found.is_too_late) = turn::back::<E, L>(times, &mut found.times);
}

/// The changes in a block.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    /// The earlier one of a cell's times before and after, [`NEVER`] where it did not change.
    pub(super) times: Rows,
    /// The rows that changed, and those whose first or last cell did.
    pub(super) rows: Face,
    pub(super) ends: [Face; 2],
}

#[allow(clippy::inline_always)]
impl Changes {
    #[inline(always)]
    fn clear<E: Eight>(&mut self) {
        for i in (0..SIDE).filter(|i| self.rows >> (SIDE * i) & 0xff != 0) {
            for row in &mut self.times[i * APART + CENTRE..][..SIDE] {
                E::splat(NEVER).store(lanes_mut(row));
            }
        }
        self.rows = 0;
        self.ends = [0; 2];
    }

    #[inline(always)]
    fn note<E: Eight>(&mut self, number: usize, at: usize, since: E, cells: u64) {
        let known = lanes_mut(&mut self.times[at]);
        E::load(known).min(since).store(known);
        self.rows |= 1 << number;
        self.ends[0] |= (cells & 1) << number;
        self.ends[1] |= (cells >> (SIDE - 1)) << number;
    }
}

/// The rows of a block by their turns: bit 2 of the first index, along the outer axis from its end,
/// bit 1, along the other axis from its end, bit 0, with both axes exchanged. A row's number is
/// 8 i + j for its places along both axes across rows.
static NUMBERS: [[u8; SIDE * SIDE]; 8] = {
    let mut numbers = [[0; SIDE * SIDE]; 8];
    let mut n = 0;
    while n < 8 * SIDE * SIDE {
        let (order, turn) = (n / (SIDE * SIDE), n % (SIDE * SIDE));
        let outer = if order & 4 == 0 { turn / SIDE } else { SIDE - 1 - turn / SIDE };
        let within = if order & 2 == 0 { turn % SIDE } else { SIDE - 1 - turn % SIDE };
        let row = if order & 1 == 0 { outer * SIDE + within } else { within * SIDE + outer };
        numbers[order][turn] = row as u8;
        n += 1;
    }
    numbers
};

/// Where the nine rows around a row begin.
#[allow(clippy::inline_always)]
#[inline(always)]
fn corner_of(number: usize) -> usize {
    number + (APART - SIDE) * (number / SIDE)
}

/// Rows as bits in the order of their turns, which is backward along one axis or both.
fn in_order(rows: Face, [outer, within]: [bool; 2]) -> Face {
    let rows = if outer { rows.swap_bytes() } else { rows };
    if within { rows.reverse_bits().swap_bytes() } else { rows }
}

/// The rows that lie around each row.
static NEXT_TO: [Face; SIDE * SIDE] = {
    let mut next_to = [0; SIDE * SIDE];
    let mut n = 0;
    while n < SIDE * SIDE {
        let mut other = 0;
        while other < SIDE * SIDE {
            let apart = (n / SIDE).abs_diff(other / SIDE);
            let aside = (n % SIDE).abs_diff(other % SIDE);
            if n != other && apart <= 1 && aside <= 1 {
                next_to[n] |= 1 << other;
            }
            other += 1;
        }
        n += 1;
    }
    next_to
};

/// A row and the rows around it; the first one lies before it along both axes.
type Nine = [Row; 2 * APART + 3];
/// Where the row itself stands among them.
const CENTRE: usize = APART + 1;

#[allow(clippy::inline_always)]
#[inline(always)]
fn nine(rows: &Rows, corner: usize) -> &Nine {
    rows[corner..].first_chunk().expect("rows lie around each row of a block")
}

/// The times of a row's cells.
#[allow(clippy::inline_always)]
#[inline(always)]
fn row_at<E: Eight>(times: &Rows, number: usize) -> E {
    E::load(lanes(&times[corner_of(number) + CENTRE], 1))
}

/// Times that are later than others, [`NEVER`] elsewhere.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn later<E: Eight>(times: E, than: E) -> E {
    E::pick(times.above(than), times, E::splat(NEVER))
}

/// For each cell of a row, the earlier time of the two beside it.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn beside<E: Eight>(times: E) -> E {
    let never = E::splat(NEVER);
    times.moved_on(never).min(times.moved_back(never))
}

/// For each cell of a row `aside` of a changed one, the earliest of its neighbours by which it can
/// depend on the change. Either that neighbour has changed, or a changed cell lies to its side and
/// is earlier, or lies beside an earlier cell to its side and is earlier still. `since` is the
/// earlier time of changed cells; `spread`, for each cell, the least of it and those beside it.
#[allow(clippy::inline_always)]
#[inline(always)]
fn earliest_between<E: Eight>(
    times: &Rows,
    [changed, aside]: [usize; 2],
    since: E,
    spread: E,
) -> E {
    let row = |number| row_at::<E>(times, number);
    let differs = [0o7, 0o70].map(|axis| (changed ^ aside) & axis != 0);
    if differs != [true; 2] {
        // A face lies between the rows.
        let along = beside(later(row(aside), since));
        return since.min(later(row(changed), spread)).min(along);
    }
    let between = [changed & 0o70 | aside & 0o7, changed & 0o7 | aside & 0o70];
    let [one, other] = between.map(|number| later(row(number), spread));
    one.min(other).spread()
}

/// The times that seeds give; elsewhere a time later than all.
fn seeds(around: &Around<'_>) -> Block {
    let mut block = [NEVER; CELLS];
    for seed in around.seeds.iter().rev() {
        block[usize::from(seed.cell)] = seed.time;
    }
    block
}

/// The rows along axis `L` that hold a cell which was asked for.
fn rows_asked<const L: usize>(asked: &[Face; 6]) -> Face {
    let [first, second] = across(L);
    let mut rows = asked[2 * L] | asked[2 * L + 1];
    for end in 0..2 {
        // At an end of one axis across rows, the places along the other one that hold a bit of the
        // face.
        let places = asked[2 * first + end];
        let places = if second < L { first_places(places) } else { second_places(places) };
        rows |= places << (SIDE * (SIDE - 1) * end);
        let places = asked[2 * second + end];
        let places = if first < L { first_places(places) } else { second_places(places) };
        rows |= transposed(places) << ((SIDE - 1) * end);
    }
    rows
}

/// Places along the first axis of a face that hold a bit.
fn first_places(face: Face) -> Face {
    second_places(transposed(face))
}

/// Places along the second axis of a face that hold a bit.
fn second_places(face: Face) -> Face {
    let face = face | face >> 32;
    let face = face | face >> 16;
    (face | face >> 8) & 0xff
}

/// The places 0 of the second axis of a face.
pub(super) const FIRST_COLUMN: Face = 0x0101_0101_0101_0101;

/// A face with its axes exchanged.
pub(super) fn transposed(face: Face) -> Face {
    // Blocks of 1, 2 and 4 bits change places (Warren, "Hacker's Delight", 7-3).
    let swap = |face: Face, shift: u32, mask: Face| {
        let differ = (face ^ face >> shift) & mask;
        face ^ differ ^ differ << shift
    };
    let face = swap(face, 7, 0x00aa_00aa_00aa_00aa);
    let face = swap(face, 14, 0x0000_cccc_0000_cccc);
    swap(face, 28, 0x0000_0000_f0f0_f0f0)
}

/// The new times of a row's cells, which take `each` and had the times `old`: the earliest of the
/// `given` ones and of what a neighbour offers, as in [`Deep`](crate::arrival::march).
#[allow(clippy::inline_always)]
#[inline(always)]
fn row_times<E: Eight, const L: usize>(nine: &Nine, old: E, each: E, given: E) -> E {
    let row = RowOf { nine, each, open: E::splat(WALL).above(old) };
    // The offers of other rows' cells do not depend on this row.
    let across = match L {
        0 => row.across::<L, 1, 2>(),
        1 => row.across::<L, 0, 2>(),
        _ => row.across::<L, 0, 1>(),
    };
    let across = across.min(given);
    let (before, behind) = (E::load(lanes(&nine[CENTRE], 0)), E::load(lanes(&nine[CENTRE], 2)));
    let mut now = E::pick(row.open, across, old);
    loop {
        let ends = [now.moved_on(before), now.moved_back(behind)];
        let new = match L {
            0 => row.along::<L, 0>(across, ends),
            1 => row.along::<L, 1>(across, ends),
            _ => row.along::<L, 2>(across, ends),
        };
        let new = E::pick(row.open, new, now);
        let since = E::pick(new.differs(now), new.min(now), E::splat(NEVER));
        let is_late = new.above(since.spread().plus(E::splat(LEAST - 1)));
        now = new;
        if !E::is_any(is_late.and(row.open)) {
            return now;
        }
    }
}

/// A row along axis `L` that is worked out.
struct RowOf<'a, E> {
    nine: &'a Nine,
    each: E,
    open: E,
}

#[allow(clippy::inline_always)]
impl<E: Eight> RowOf<'_, E> {
    /// Cells beside those of the row, by places from 0 to 2: along axis `A`, then along the other
    /// two, x before y before z. Place 1 is the row's own.
    #[inline(always)]
    fn at<const L: usize, const A: usize>(&self, along: usize, [b, c]: [usize; 2]) -> E {
        let others = match A {
            0 => [2, 1],
            1 => [2, 0],
            _ => [1, 0],
        };
        let mut place = [1; 3];
        place[A] = along;
        place[others[0]] = b;
        place[others[1]] = c;
        let [first, second] = across(L);
        E::load(lanes(&self.nine[place[first] * APART + place[second]], place[L]))
    }

    /// The earliest that neighbours along axes `A` and `B` offer.
    #[inline(always)]
    fn across<const L: usize, const A: usize, const B: usize>(&self) -> E {
        let (a, b) = (self.pair::<L, A>(), self.pair::<L, B>());
        let mut best = self.best::<L, A, false>(E::splat(FAR), a);
        best = self.best::<L, B, false>(best, b);
        // The later one of two neighbours is seldom early enough to offer anything.
        let later = a[0].max(a[1]).min(b[0].max(b[1]));
        if self.may_be_better(best, later) {
            best = self.best::<L, A, true>(best, a);
            best = self.best::<L, B, true>(best, b);
        }
        best
    }

    /// The best of `best` and what neighbours along the row itself, axis `A`, offer.
    #[inline(always)]
    fn along<const L: usize, const A: usize>(&self, best: E, pair: [E; 2]) -> E {
        let best = self.best::<L, A, false>(best, pair);
        if self.may_be_better(best, pair[0].max(pair[1])) {
            return self.best::<L, A, true>(best, pair);
        }
        best
    }

    /// The neighbours along an axis.
    #[inline(always)]
    fn pair<const L: usize, const A: usize>(&self) -> [E; 2] {
        [self.at::<L, A>(0, [1, 1]), self.at::<L, A>(2, [1, 1])]
    }

    /// The cells around neighbours along an axis.
    #[inline(always)]
    fn sides<const L: usize, const A: usize>(&self, along: usize) -> [E; 8] {
        let at = |b, c| self.at::<L, A>(along, [b, c]);
        [at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(1, 2), at(2, 0), at(2, 1), at(2, 2)]
    }

    /// Whether neighbours of these times may offer an earlier time.
    #[inline(always)]
    fn may_be_better(&self, best: E, neighbour: E) -> bool {
        E::is_any(best.above(neighbour.plus(E::splat(LEAST))).and(self.open))
    }

    /// The best of `best` and what the earlier one of two neighbours along axis `A` offers, or the
    /// later one.
    #[inline(always)]
    fn best<const L: usize, const A: usize, const LATER: bool>(
        &self,
        best: E,
        [before, behind]: [E; 2],
    ) -> E {
        let neighbour = if LATER { before.max(behind) } else { before.min(behind) };
        if !self.may_be_better(best, neighbour) {
            return best;
        }
        let is_behind = before.above(behind);
        let [mut sides, mut behind] = [self.sides::<L, A>(0), self.sides::<L, A>(2)];
        if LATER {
            (sides, behind) = (behind, sides);
        }
        for (side, behind) in sides.iter_mut().zip(behind) {
            *side = E::pick(is_behind, behind, *side);
        }
        // The earliest cell to its side, the first one if there are several, and the earlier one of
        // two to that one's side.
        let [aa, ao, ab, oa, ob, ba, bo, bb] = sides;
        let (mut first, mut second) = (ao, aa.min(ab));
        for (side, next) in [(bo, ba.min(bb)), (oa, aa.min(ba)), (ob, ab.min(bb))] {
            second = E::pick(first.above(side), next, second);
            first = first.min(side);
        }
        let after = E::through_face(neighbour.minus(first), first.minus(second), self.each);
        best.min(neighbour.plus(after))
    }
}
