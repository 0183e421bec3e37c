//! What a repair does on a flat grid of one speed, where edits are of one kind.
//!
//! No [offer](Even) gets later there when a time that it depends on gets earlier
//! ([`March::is_monotone`]). So when walls came, no time gets earlier. A cell at the corner of one
//! that loses its time depends on it only if it is later by as much as two cells take at most. When
//! walls went, no time gets later: times only fall from where they stand, and only cells that get
//! another time have a turn. A cell whose time stays the same need not be looked at: when the time
//! of a cell to its side falls, that cell makes the new offers of both.

use super::offers::{Even, Stencil, nine};
use super::{March, UNIT, UNREACHED, time_of};

/// How much later than a cell another one at its corner is, if it depends on its time: by the lead
/// that makes it so and by what a cell takes then. With some units to spare.
const ASIDE: [i32; 2] = [UNIT - 1, UNIT * 17 / 12 + 2];

impl March {
    /// The times of the cells around one, row by row, and which of them its loss of a `time`
    /// concerns, as bits: they depend on it, or offer it another one from `start` on.
    #[inline]
    pub(in crate::arrival) fn concerned(&self, i: usize, time: i32, start: i32) -> ([i32; 8], u32) {
        let [[a, up, b], [left, _, right], [c, down, d]] = nine(&self.times, i, self.layout.row);
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

    /// Has the cells of one bucket offer their neighbours times, and notes those that take one,
    /// with the times that they had.
    pub(in crate::arrival) fn fall(&mut self, place: usize, mut note: impl FnMut(usize, i32)) {
        let row = self.layout.row;
        for n in 0..self.queue.ring[place].len() {
            let taken = self.queue.ring[place][n];
            let (time, i) = (time_of(taken), taken as u32 as usize);
            if self.times[i] != time {
                continue;
            }
            let even = Even { row, after: &self.after };
            let offers = even.offers(&self.times, i, time, &[UNIT; 4]).1;
            let [up, left, right, down] = [i - row, i - 1, i + 1, i + row];
            let sides = [
                [up - 1, up + 1],
                [left - row, left + row],
                [right - row, right + row],
                [down - 1, down + 1],
            ];
            for (k, next) in [up, left, right, down].into_iter().enumerate() {
                self.take_offer(next, offers[k], &mut note);
                // As the side of a later neighbour, which may have no turn of its own.
                let later = self.times[next];
                if later > time && later < UNREACHED {
                    let offer = Even { row, after: &self.after }.offer(later, time);
                    for to in sides[k] {
                        self.take_offer(to, offer, &mut note);
                    }
                }
            }
        }
        self.queue.ring[place].clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
