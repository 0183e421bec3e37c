//! What a repair does on a flat grid of one speed, where edits are of one kind.
//!
//! No [offer](Even) gets later there when a time that it depends on gets earlier
//! ([`March::is_monotone`]). So when walls went, no time gets later: times only
//! [fall](March::fall) from where they stand, and only cells that get another time have a turn. A
//! cell whose time stays the same need not be looked at: when the time of a cell to its side falls,
//! that cell makes the new offers of both.
//!
//! When walls came, times only [rise](March::rise), and one that was not worked out again yet is
//! too early or right. So a cell looks at the offers of all its neighbours by the times that they
//! have. If a final time makes the earliest one, nothing is earlier, and the cell's new time is
//! final as well, before its turn comes: no cell has to offer it anything. That is so for all but
//! one cell in fifty. In the others, the earliest offer may depend on the very time that was lost.
//! Such a cell waits for what its neighbours offer in their turns.
//!
//! Until then its time may be too late, but no cell beside it takes a wrong time for final because
//! of that. Say that a cell beside it takes a time in the bucket that begins at `S`. A cell before
//! `S` offers that time, so it is before `S + UNIT`. All cells before `S` have made their offers to
//! the one that waits. So its own time will be `S` or later, by an offer of a cell at `S` or later.
//! - If it stands to the side of another cell that offers, that offer is a [`UNIT`] after its own
//!   time at least: too late.
//! - If it offers itself, the offer that it took and the one that it makes must take less than a
//!   [`UNIT`] together. Two offers take so little only if the second is along a diagonal, from a
//!   cell before `S` to its side. Such an offer is the same for any time of the cell that waits, up
//!   to a [`UNIT`] after the one to its side, and its time is not later than that already. Or that
//!   time counts for nothing yet, being too late; then the offer along the diagonal is later still.
//!
//! A source may give a cell any time. So a cell to which a source gives one waits in any case.

use super::offers::{Even, Stencil};
use super::{March, Queue, UNIT, UNREACHED, entry, time_of};
use crate::arrival::repair::{ASKED, CHANGED, LOOK, OFFERS, ROOT};
use crate::simd::prefetch;
use std::ops::Range;

/// How much later than a cell its neighbour is, if it depends on its time. With some units to
/// spare.
pub(super) const NEXT: Range<i32> = UNIT * 5 / 12 - 2..UNIT + 2;
/// The same of a cell at its corner: by the lead that makes it depend, and by what a cell takes
/// then.
pub(super) const ASIDE: Range<i32> = UNIT - 1..UNIT * 17 / 12 + 2;

impl March {
    /// Looks at the cells of one bucket, and leaves those in it that are to offer their neighbours
    /// times. Adds cells to those that have `changed`, with the times that they had, and uses their
    /// marks; `root` is the time that a source gives a cell. Times from `until` on count for
    /// nothing. Returns `false` if a cell lies further ahead than the queue has room for.
    #[allow(unsafe_code)]
    pub(in crate::arrival) fn rise(
        &mut self,
        place: usize,
        until: i32,
        marks: &mut [u8],
        changed: &mut Vec<(u32, i32)>,
        root: impl Fn(usize) -> i32,
    ) -> bool {
        let Self { times, queue, after, layout, .. } = self;
        let (row, around, even) = (layout.row, around(layout.row), Even { row: layout.row, after });
        let start = queue.time() as i32;
        let end = start + (1 << queue.shift);
        let mut bucket = std::mem::take(&mut queue.ring[place]);
        let count = bucket.len();
        #[cfg(target_arch = "x86_64")]
        if self.simd >= crate::simd::Simd::Avx2 {
            // SAFETY: the feature was detected, or the set would have been refused.
            unsafe { super::avx2::find(times, row, until, &mut bucket) };
        }
        if bucket.len() == count {
            even.find(times, until, &mut bucket);
        }
        let (mut stay, mut is_room) = (0, true);
        for n in 0..count {
            let (time, i) = (time_of(bucket[n]), (bucket[n] & !LOOK) as u32 as usize);
            if times[i] != time {
                continue;
            }
            let (found, mut mark) = (bucket[count + n], marks[i]);
            let root = if mark & ROOT == 0 { UNREACHED } else { root(i) };
            let now = root.min(found as i32);
            if now != time {
                times[i] = now;
                if mark & CHANGED == 0 {
                    mark |= CHANGED;
                    changed.push((i as u32, time));
                    let mut concerned = found >> 32;
                    while concerned != 0 {
                        let to = i.wrapping_add_signed(around[concerned.trailing_zeros() as usize]);
                        concerned &= concerned - 1;
                        if marks[to] & (CHANGED | ASKED) == 0 {
                            marks[to] |= ASKED;
                            queue.push(entry(times[to], to) | LOOK);
                            // Its turn is soon, and then these rows are read.
                            for beside in [to - row, to + row] {
                                prefetch(times.as_ptr(), beside);
                                prefetch(marks.as_ptr(), beside);
                            }
                        }
                    }
                }
                // An offer within this bucket is by a time that is final.
                if now >= end {
                    let by = |before| even.earliest(times, i, UNIT, before).min(root);
                    let [known, now] = [by(start), by(until)];
                    times[i] = known;
                    if known != now || known == UNREACHED || mark & ROOT != 0 {
                        if known < UNREACHED {
                            queue.push(entry(known, i));
                        }
                        marks[i] = mark | ASKED | OFFERS;
                        is_room &= listen(times, queue, marks, (i, row), &mut bucket);
                        continue;
                    }
                    if mark & OFFERS != 0 {
                        queue.push(entry(known, i));
                        marks[i] = mark;
                        continue;
                    }
                }
            }
            if mark & OFFERS != 0 {
                bucket[stay] = entry(now, i);
                stay += 1;
            }
            marks[i] = mark & !(ASKED | OFFERS);
        }
        bucket.drain(stay..2 * count);
        queue.ring[place] = bucket;
        is_room
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

/// Has those neighbours of a cell that are not earlier than the bucket whose turn it is offer their
/// times in their turns; those that have their time in it already are added to the ones of `now`.
fn listen(
    times: &[i32],
    queue: &mut Queue,
    marks: &mut [u8],
    (i, row): (usize, usize),
    now: &mut Vec<u64>,
) -> bool {
    let start = queue.time() as i32;
    let mut is_room = true;
    for next in [i - row, i - 1, i + 1, i + row] {
        let (time, is_asked) = (times[next], marks[next] & ASKED != 0);
        if time < start || time >= UNREACHED {
            continue;
        }
        is_room &= time < start + queue.span();
        if !is_asked && queue.bucket(time) == queue.now {
            now.push(entry(time, next));
            continue;
        }
        marks[next] |= ASKED | OFFERS;
        if !is_asked {
            queue.push(entry(time, next) | LOOK);
        }
    }
    is_room
}

impl Even<'_> {
    /// Adds to the entries of a bucket what is [`found`] for each: the earliest time that
    /// neighbours before `until` offer the cell, and which cells around may depend on its time.
    fn find(&self, times: &[i32], until: i32, bucket: &mut Vec<u64>) {
        for n in 0..bucket.len() {
            let (time, i) = (time_of(bucket[n]), (bucket[n] & !LOOK) as u32 as usize);
            let mut concerned = 0;
            for (k, offset) in around(self.row).into_iter().enumerate() {
                let later = times[i.wrapping_add_signed(offset)].wrapping_sub(time);
                let by = if k < 4 { NEXT } else { ASIDE };
                concerned |= u32::from(by.contains(&later)) << k;
            }
            bucket.push(found(self.earliest(times, i, UNIT, until), concerned));
        }
    }
}

/// A time, and some of the cells [`around`] as bits.
#[inline]
pub(super) fn found(time: i32, cells: u32) -> u64 {
    u64::from(cells) << 32 | u64::from(time as u32)
}

/// Offsets to the neighbours of a cell, and to the cells at its corners.
#[inline]
fn around(row: usize) -> [isize; 8] {
    let row = row as isize;
    [-row, row, -1, 1, -row - 1, -row + 1, row - 1, row + 1]
}

#[cfg(test)]
mod tests {
    use super::super::WALL;
    use super::super::tests::dice;
    use super::*;

    /// All leads that there are, and a unit more, for rounding around a source.
    #[test]
    fn a_cell_at_the_corner_is_later_by_as_much_as_is_looked_at() {
        let after = Even::table();
        for lead in 1..=UNIT + 1 {
            let later = lead + after[lead.min(UNIT) as usize];
            assert!(ASIDE.contains(&later), "lead {lead}");
        }
    }

    /// So no cell takes another time because a cell beside it waits.
    #[test]
    fn of_two_offers_within_a_unit_the_second_is_along_a_diagonal() {
        let after = Even::table();
        let least = after.iter().fold(UNIT, |least, &takes| least.min(takes));
        for (lead, &takes) in after.iter().enumerate() {
            // After the cell to the side of the one that offers.
            let since = lead as i32 + takes;
            assert!(since >= UNIT, "lead {lead}");
            if least + takes < UNIT {
                assert_eq!(since, UNIT + after[UNIT as usize], "lead {lead}");
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    fn two_cells_at_a_time_find_what_each_finds() {
        if !crate::simd::Simd::Avx2.is_available() {
            return;
        }
        let (after, mut random) = (Even::table(), dice());
        for count in 1..if cfg!(miri) { 8 } else { 400 } {
            let row = 8;
            let time = |random: &mut dyn FnMut(u64) -> u64| match random(8) {
                0 => WALL,
                1 => UNREACHED,
                _ => 5000 + random(700) as i32,
            };
            let times: Vec<i32> = (0..8 * row).map(|_| time(&mut random)).collect();
            let cells = (0..=count % 7).map(|_| 2 * row + random(4 * row as u64) as usize);
            let mut bucket: Vec<u64> = cells.map(|i| entry(times[i], i) | LOOK).collect();
            let mut expected = bucket.clone();
            let until = if count % 2 == 0 { UNREACHED } else { 5500 };
            Even { row, after: &after }.find(&times, until, &mut expected);
            // SAFETY: it is available.
            unsafe { super::super::avx2::find(&times, row, until, &mut bucket) };
            assert_eq!(bucket, expected);
        }
    }
}
