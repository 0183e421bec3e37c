//! The parts of a march that only a [repair](crate::arrival::repair) uses.

use super::corners::{CORNER, Corner};
use super::offers::{Deep, Even, Flat, Stencil};
use super::{Links, March, Queue, SHIFTS, UNIT, UNREACHED, corners, entry, time_of};

/// Buckets of fewer cells are taken cell by cell, since taking eight at once pays only for more. In
/// thin shadows, which repairs mostly change, most buckets hold a cell or two.
const FEW: usize = 24;

impl March {
    /// The time of a cell by those around it, and by links, that are earlier than `before`.
    #[inline]
    pub(in crate::arrival) fn earliest(&self, links: Option<&Links>, i: usize, before: i32) -> i32 {
        let (times, [row, plane]) = (&self.times[..], [self.layout.row, self.layout.plane]);
        let each = self.slowness(i);
        let by_sides = if self.layout.size[0] > 1 {
            Deep { row, plane }.earliest(times, i, each, before)
        } else if self.slowness.is_empty() {
            Even { row, after: &self.after }.earliest(times, i, UNIT, before)
        } else {
            Flat { row }.earliest(times, i, each, before)
        };
        let by_corners = if self.has_corners {
            corners::earliest(&self.corners, times, &self.slowness, i, before)
        } else {
            UNREACHED
        };
        let by_links = links.and_then(|links| self.by_links(links, i, before));
        by_sides.min(by_corners).min(by_links.unwrap_or(UNREACHED))
    }

    /// Offers times to the neighbours of the cells of one bucket, and to cells whose links end
    /// there. Notes those that take them, with the times that they had.
    pub(in crate::arrival) fn take_one(
        &mut self,
        links: Option<&Links>,
        place: usize,
        mut note: impl FnMut(usize, i32),
    ) {
        if let Some(links) = links {
            self.leave_by(links, place, &mut note);
        }
        if self.queue.ring[place].len() >= FEW {
            return self.take_buckets(note, |_, _| false);
        }
        let Self { times, slowness, queue, after, corners, .. } = self;
        let (row, plane, deep) = (self.layout.row, self.layout.plane, self.layout.size[0] > 1);
        let speeds = (&slowness[..], &corners[..]);
        match (deep, slowness.is_empty()) {
            (false, true) => {
                take_few::<4, true>(times, speeds, queue, &Even { row, after }, place, note);
            }
            (false, false) => {
                take_few::<4, false>(times, speeds, queue, &Flat { row }, place, note);
            }
            (true, true) => {
                take_few::<6, true>(times, speeds, queue, &Deep { row, plane }, place, note);
            }
            (true, false) => {
                take_few::<6, false>(times, speeds, queue, &Deep { row, plane }, place, note);
            }
        }
    }

    /// Goes on with the seeds, with room in the queue for all that may depend on a cell: that is
    /// three cells further at most.
    pub(in crate::arrival) fn resume_repair(&mut self) {
        let slowest = self.slowest.max(self.longest / 2 + 1);
        self.resume_with(0, 3 * slowest / 2 + 1);
    }

    /// Whether no offer gets later when a cell that it depends on gets earlier, nor the other way
    /// round.
    pub(in crate::arrival) fn is_monotone(&self) -> bool {
        self.layout.size[0] == 1 && self.slowness.is_empty()
    }

    /// How wide a bucket is, as a power of two.
    pub(in crate::arrival) fn shift(&self) -> u32 {
        SHIFTS[usize::from(self.layout.size[0] > 1)]
    }
}

/// [`take_while`](super::take_while) for the cells of one bucket, each of which offers before the
/// next one looks.
fn take_few<const N: usize, const UNIFORM: bool>(
    times: &mut [i32],
    (slowness, corners): (&[i32], &[Corner]),
    queue: &mut Queue,
    stencil: &impl Stencil<N>,
    place: usize,
    mut note: impl FnMut(usize, i32),
) {
    let offsets = stencil.offsets();
    for n in 0..queue.ring[place].len() {
        let taken = queue.ring[place][n];
        let (time, cell) = (time_of(taken), taken as u32 as usize);
        if times[cell] != time {
            continue;
        }
        let each: [i32; N] = if UNIFORM {
            [UNIT; N]
        } else {
            offsets.map(|offset| slowness[cell.wrapping_add_signed(offset)] & !CORNER)
        };
        let (old, new) = stencil.offers(times, cell, time, &each);
        for k in 0..N {
            // Turns walls, and only walls, into a number that no time is earlier than.
            if new[k].wrapping_add(1) < old[k].wrapping_add(1) {
                let to = cell.wrapping_add_signed(offsets[k]);
                times[to] = new[k];
                queue.push(entry(new[k], to));
                note(to, old[k]);
            }
        }
        if !UNIFORM && slowness[cell] & CORNER != 0 {
            corners::leave(corners, times, slowness, (time, cell), |time, to, before| {
                queue.push(entry(time, to));
                note(to, before);
            });
        }
    }
    queue.ring[place].clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claim of [`March::is_monotone`] on flat grids of one speed: an offer is
    /// `t + after(t - s)` by the times of a cell and of one to its side.
    #[test]
    fn no_offer_gets_later_when_what_it_depends_on_gets_earlier() {
        let after = Even::table();
        for (lead, two) in after.windows(2).enumerate() {
            assert!(two[1] <= two[0], "a side that is earlier, {lead}");
            assert!(two[0] - two[1] <= 1, "a cell that is earlier, {lead}");
        }
    }
}
