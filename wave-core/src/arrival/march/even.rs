//! What a repair does on a flat grid of one speed, where edits are of one kind.
//!
//! No [offer](super::offers::Even) gets later there when a time that it depends on gets earlier
//! ([`March::is_monotone`]). So when walls came, no time gets earlier. Of the cells at the corners of
//! one that loses its time, only those depend on it that are later by as much as two cells take at
//! most. When walls went, no time gets later: times only fall from where they stand, and only cells
//! that get another time have a turn. A cell that keeps its time needs none: when a cell to its side
//! falls, that one makes the new offers of both.

use super::{March, UNIT, UNREACHED, WALL, entry, time_of};

/// How much later than a cell another one at its corner is, if it depends on its time: by the lead
/// that makes it so and by what a cell takes then. With some units to spare.
const ASIDE: [i32; 2] = [UNIT - 1, UNIT * 17 / 12 + 2];

impl March {
    /// The times of the cells around one, row by row, and which of them its loss of a `time`
    /// concerns, as bits: they depend on it, or offer it another one from `start` on.
    #[inline]
    pub(in crate::arrival) fn concerned(&self, i: usize, time: i32, start: i32) -> ([i32; 8], u32) {
        let [[a, up, b], [left, _, right], [c, down, d]] = self.nine(i);
        let times = [a, up, b, left, right, c, down, d];
        let (next, aside) = ((start, self.queue.span()), (time + ASIDE[0], ASIDE[1] - ASIDE[0]));
        let mut bits = 0;
        for (k, (from, range)) in
            [aside, next, aside, next, next, aside, next, aside].into_iter().enumerate()
        {
            bits |= u32::from((times[k].wrapping_sub(from) as u32) < range as u32) << k;
        }
        (times, bits)
    }

    /// A cell's time and those around it.
    #[inline]
    fn nine(&self, i: usize) -> [[i32; 3]; 3] {
        let three = |at: usize| *self.times[at - 1..].first_chunk().expect("a cell's neighbours");
        [three(i - self.layout.row), three(i), three(i + self.layout.row)]
    }

    /// What a cell offers a neighbour, by the earlier one of the cells to its sides.
    #[inline]
    fn offer(&self, time: i32, side: i32) -> i32 {
        time + self.after[(time - side).clamp(0, UNIT) as usize]
    }

    /// Has the cells of one bucket offer their neighbours times, and notes those that take one, with
    /// the times that they had.
    pub(in crate::arrival) fn fall(&mut self, place: usize, mut note: impl FnMut(usize, i32)) {
        let row = self.layout.row;
        for n in 0..self.queue.ring[place].len() {
            let taken = self.queue.ring[place][n];
            let (time, i) = (time_of(taken), taken as u32 as usize);
            if self.times[i] != time {
                continue;
            }
            let [up, left, right, down] = [i - row, i - 1, i + 1, i + row];
            let beside = self.offer(time, self.times[left].min(self.times[right]));
            let above = self.offer(time, self.times[up].min(self.times[down]));
            for (next, offer, sides) in [
                (up, beside, [up - 1, up + 1]),
                (left, above, [left - row, left + row]),
                (right, above, [right - row, right + row]),
                (down, beside, [down - 1, down + 1]),
            ] {
                self.take_offer(next, offer, &mut note);
                // As the side of a later neighbour, which may have no turn of its own.
                let later = self.times[next];
                if later > time && later < UNREACHED {
                    let offer = self.offer(later, time);
                    for to in sides {
                        self.take_offer(to, offer, &mut note);
                    }
                }
            }
        }
        self.queue.ring[place].clear();
    }

    #[inline]
    fn take_offer(&mut self, to: usize, offer: i32, note: &mut impl FnMut(usize, i32)) {
        let before = self.times[to];
        if offer < before && before != WALL {
            self.times[to] = offer;
            self.queue.push(entry(offer, to));
            note(to, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrival::march::offers::Even;

    /// All leads that there are, and a unit more, for rounding around a source.
    #[test]
    fn a_cell_at_the_corner_is_later_by_as_much_as_is_looked_at() {
        let after = Even::table();
        for lead in 1..=UNIT + 1 {
            let later = lead + after[lead.min(UNIT) as usize];
            assert!((ASIDE[0]..ASIDE[1]).contains(&later), "lead {lead}");
        }
    }
}
