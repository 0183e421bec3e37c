//! The cells that a block asks its neighbours to look at after it was worked out.

use super::rows::{Changes, FIRST_COLUMN, beside, later, transposed};
use super::turn::{APART, FIRST, ROW, Rows, lanes};
use super::{Asks, BESIDE, FACE_TOWARD, Face, LEAST, NEVER, SIDE, WALL, across, over_face};
use crate::arrival::eight::Eight;

/// Asks the neighbours of a block for their cells that depend on changed ones.
///
/// A cell can depend on a changed one only if times grow from that one to it, over cells that lie
/// between and are neighbours, and the last step is at least the least that a cell takes. This is
/// checked for whole faces and edges at once; in doubt cells are asked for.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn ask_beside<E: Eight, const L: usize>(
    times: &Rows,
    changes: &Changes,
    untouched: u32,
    asks: &mut Asks,
) {
    let [first, second] = across(L);
    let border = Border { times, changed: &changes.times, untouched };
    for end in 0..2 {
        let (beyond, own) = ((SIDE + 1) * end, 1 + (SIDE - 1) * end);
        // Rows at the ends of the first axis, then of the second.
        if changes.rows >> (SIDE * (SIDE - 1) * end) & 0xff != 0 {
            let face = Layers::<E>::of(&border, beyond * APART, own * APART, 1);
            asks.face(&border, &face, (first, end), second > L);
        }
        if changes.rows & FIRST_COLUMN << ((SIDE - 1) * end) != 0 {
            let face = Layers::<E>::of(&border, beyond, own, APART);
            asks.face(&border, &face, (second, end), first > L);
        }
        if changes.ends[end] != 0 {
            let face = Layers::<E>::of_ends(&border, beyond, own);
            asks.face(&border, &face, (L, end), false);
        }
    }
    for ends in 0..4 {
        let [a, b] = [ends / 2, ends % 2];
        let [at_a, at_b] = [a, b].map(|end| (SIDE - 1) * end);
        if changes.rows >> (SIDE * at_a + at_b) & 1 != 0 {
            asks.edge::<E, L>(&border, [a, b, 2]);
            for end in 0..2 {
                if changes.ends[end] >> (SIDE * at_a + at_b) & 1 != 0 {
                    asks.corner::<L>(&border, [a, b, end]);
                }
            }
        }
        if changes.ends[b] >> (SIDE * at_a) & 0xff != 0 {
            asks.edge::<E, L>(&border, [a, 2, b]);
        }
        if changes.ends[b] & FIRST_COLUMN << at_a != 0 {
            asks.edge::<E, L>(&border, [2, a, b]);
        }
    }
}

/// Times of a block and around it, and for each changed cell the earlier of its old and its new
/// time.
struct Border<'a> {
    times: &'a Rows,
    changed: &'a Rows,
    /// Which of 27 blocks have no times yet.
    untouched: u32,
}

impl Border<'_> {
    /// The number of a cell in all rows.
    fn number([i, j, l]: [usize; 3]) -> usize {
        (i * APART + j) * ROW + FIRST + l
    }

    fn time(&self, [i, j, l]: [usize; 3]) -> i32 {
        self.times[i * APART + j][FIRST + l]
    }

    fn changed(&self, [i, j, l]: [usize; 3]) -> i32 {
        self.changed[i * APART + j][FIRST + l]
    }
}

/// The cells on both sides of a face: those beyond the block, its own, and which of these changed.
struct Layers<E> {
    beyond: [E; SIDE],
    own: [E; SIDE],
    changed: [E; SIDE],
}

#[allow(clippy::inline_always)]
impl<E: Eight> Layers<E> {
    /// From rows `apart` from each other, that follow a row `beyond` the block and one of its
    /// `own`.
    #[inline(always)]
    fn of(border: &Border<'_>, beyond: usize, own: usize, apart: usize) -> Self {
        let none = [E::splat(NEVER); SIDE];
        let mut layers = Self { beyond: none, own: none, changed: none };
        for place in 0..SIDE {
            let [beyond, own] = [beyond, own].map(|row| row + apart * (place + 1));
            layers.beyond[place] = E::load(lanes(&border.times[beyond], 1));
            layers.own[place] = E::load(lanes(&border.times[own], 1));
            layers.changed[place] = E::load(lanes(&border.changed[own], 1));
        }
        layers
    }

    /// From the cells at the same end of all rows.
    #[inline(always)]
    fn of_ends(border: &Border<'_>, beyond: usize, own: usize) -> Self {
        // Eight cells of each row, of which the two at that end are wanted.
        let from = if beyond < own { 0 } else { 2 };
        let (beyond, own) = (beyond - from, own - from);
        let none = [E::splat(NEVER); SIDE];
        let mut layers = Self { beyond: none, own: none, changed: none };
        for i in 0..SIDE {
            let (mut times, mut changed) = (none, none);
            for j in 0..SIDE {
                let row = (i + 1) * APART + j + 1;
                times[j] = E::load(lanes(&border.times[row], from));
                changed[j] = E::load(lanes(&border.changed[row], from));
            }
            let times = E::transpose(times);
            (layers.beyond[i], layers.own[i]) = (times[beyond], times[own]);
            layers.changed[i] = E::transpose(changed)[own];
        }
        layers
    }

    /// Whether any cell beyond is late enough to depend on what changed.
    #[inline(always)]
    fn is_any_late(&self) -> bool {
        let (mut latest, mut since) = (E::splat(0), E::splat(NEVER));
        for place in 0..SIDE {
            let beyond = self.beyond[place];
            latest = latest.max(E::splat(WALL).above(beyond).and(beyond));
            since = since.min(self.changed[place]);
        }
        E::is_any(latest.above(E::splat(since.least() + (LEAST - 1))))
    }

    /// Which cells beyond depend on what changed, and since when.
    #[inline(always)]
    fn found(&self) -> (Face, i32) {
        let least = E::splat(LEAST - 1);
        // On the block's side: one step, and another.
        let one = grown(&self.own, &around(&self.changed), &self.changed);
        let two = grown(&self.own, &around(&one), &one);
        // Beyond: cross at once and go a step; or cross after a step on the block's side.
        let never = [E::splat(NEVER); SIDE];
        let over = grown(&self.beyond, &self.changed, &never);
        let over = grown(&self.beyond, &around(&over), &never);
        let late = grown(&self.beyond, &one, &over);
        let late = around(&late);
        let (mut face, mut due) = (0, E::splat(NEVER));
        for place in 0..SIDE {
            let beyond = self.beyond[place];
            let since = two[place].min(late[place]);
            let depends = E::splat(WALL).above(beyond).and(beyond.above(since.plus(least)));
            due = due.min(E::pick(depends, since, due));
            face |= E::bits(depends) << (SIDE * place);
        }
        (face, due.least())
    }
}

/// For each cell of a face, the least of the values beside it.
#[allow(clippy::inline_always)]
#[inline(always)]
fn around<E: Eight>(face: &[E; SIDE]) -> [E; SIDE] {
    let never = E::splat(NEVER);
    let mut around = [never; SIDE];
    for place in 0..SIDE {
        let above = if place == 0 { never } else { face[place - 1] };
        let below = if place + 1 == SIDE { never } else { face[place + 1] };
        around[place] = beside(face[place]).min(above.min(below));
    }
    around
}

/// `known`, and also the times that are later than those `before` them.
#[allow(clippy::inline_always)]
#[inline(always)]
fn grown<E: Eight>(times: &[E; SIDE], before: &[E; SIDE], known: &[E; SIDE]) -> [E; SIDE] {
    let mut grown = *known;
    for place in 0..SIDE {
        grown[place] = grown[place].min(later(times[place], before[place]));
    }
    grown
}

impl Asks {
    /// Asks for cells beyond a face, at the beginning or the end of an axis, whose axes may stand
    /// the other way round than in a [`Face`].
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn face<E: Eight>(
        &mut self,
        border: &Border<'_>,
        layers: &Layers<E>,
        (axis, end): (usize, usize),
        turned: bool,
    ) {
        let beside = over_face(axis, end);
        if border.untouched >> beside & 1 != 0 {
            // It will be worked out whole.
            let since = layers.changed.into_iter().fold(E::splat(NEVER), E::min).least();
            return self.add(beside, 1, since);
        }
        if !layers.is_any_late() {
            return;
        }
        let (face, due) = layers.found();
        if face != 0 {
            let face = if turned { transposed(face) } else { face };
            self.add(beside, face, due);
        }
    }

    /// Asks for cells beyond an edge. Its place along each axis is the beginning, the end, or 2 for
    /// the axis that it lies along.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn edge<E: Eight, const L: usize>(&mut self, border: &Border<'_>, ends: [usize; 3]) {
        let block = block_at::<L>(ends.map(|end| [0, 2, 1][end]));
        if border.untouched >> block & 1 != 0 {
            // A block over whose face it is reached has asked for it.
            return;
        }
        let axis = if ends[0] == 2 { 0 } else { 1 + usize::from(ends[1] != 2) };
        // Where its first cell lies, on the block's side and beyond, over one face or both.
        let own = ends.map(|end| if end == 1 { SIDE } else { 1 });
        let outer = ends.map(|end| if end == 1 { SIDE + 1 } else { 0 });
        let [a, b] = across(axis);
        let mut over = [own; 3];
        (over[0][a], over[1][b]) = (outer[a], outer[b]);
        (over[2][a], over[2][b]) = (outer[a], outer[b]);
        let step = [APART * ROW, ROW, 1][axis];
        let (times, changed) = (border.times.as_flattened(), border.changed.as_flattened());
        let along = |of: &[i32], place: [usize; 3]| {
            let first = Border::number(place);
            let mut along = [0; SIDE];
            let of = &of[first..=first + (SIDE - 1) * step];
            (0..SIDE).for_each(|i| along[i] = of[i * step]);
            along
        };
        let since = E::load(&along(changed, own));
        let (spread, never) = (since.spread(), E::splat(NEVER));
        let (own, end) = (E::load(&along(times, own)), E::load(&along(times, over[2])));
        // The earliest neighbour by which a cell can depend on the change, as between rows of a
        // block: over one of the faces that meet here, or the one before it along the edge.
        let side = since.min(later(own, spread));
        let mut by = never;
        for over in &over[..2] {
            let between = E::load(&along(times, *over));
            let changed = later(between, since);
            by = by.min(later(between, side.min(beside(changed))));
            by = by.min(beside(later(end, changed)));
        }
        let depends = end.above(by.plus(E::splat(LEAST - 1))).and(E::splat(WALL).above(end));
        let cells = E::bits(depends);
        if cells == 0 {
            return;
        }
        let due = E::pick(depends, spread, never).least();
        // The cells lie along one axis of the face, and at an end of the other.
        let [first, second] = across(FACE_TOWARD[block] / 2);
        let cells = if first == axis_of::<L>(axis) {
            transposed(cells) << place_in(block, second)
        } else {
            cells << (SIDE * place_in(block, first))
        };
        self.add(block, cells, due);
    }

    /// Asks for the cell beyond a corner, at the beginning or the end of each axis.
    fn corner<const L: usize>(&mut self, border: &Border<'_>, ends: [usize; 3]) {
        let own = ends.map(|end| 1 + (SIDE - 1) * end);
        let beyond = ends.map(|end| (SIDE + 1) * end);
        let (since, end) = (border.changed(own), border.time(beyond));
        let is_before = (0..3).any(|axis| {
            let mut last = beyond;
            last[axis] = own[axis];
            let time = border.time(last);
            time > since && time + LEAST <= end
        });
        if is_before && end < WALL {
            let block = block_at::<L>(ends.map(|end| 2 * end));
            let [first, second] = across(FACE_TOWARD[block] / 2);
            let cell = SIDE * place_in(block, first) + place_in(block, second);
            self.add(block, 1 << cell, since);
        }
    }
}

/// The axis that is the first or the second one across rows along axis `L`, or that axis.
fn axis_of<const L: usize>(number: usize) -> usize {
    let [first, second] = across(L);
    [first, second, L][number]
}

/// Which of 27 blocks lies at this place, from 0 to 2 across and along rows.
fn block_at<const L: usize>(place: [usize; 3]) -> usize {
    (0..3).map(|number| place[number] * BESIDE[axis_of::<L>(number)]).sum()
}

/// The place, along an axis, of those cells of one of 27 blocks that touch the block in the middle.
fn place_in(block: usize, axis: usize) -> usize {
    if (block / BESIDE[axis]).is_multiple_of(3) { SIDE - 1 } else { 0 }
}
