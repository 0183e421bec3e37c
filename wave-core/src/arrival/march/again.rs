//! What a [repair](crate::arrival::repair) asks of a march.

use super::offers::{Deep, Even, Flat, Stencil};
use super::{Links, March, SHIFTS, UNIT, UNREACHED, corners};

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
    /// there, and has those noted that take them.
    pub(in crate::arrival) fn take_one(
        &mut self,
        links: Option<&Links>,
        place: usize,
        mut note: impl FnMut(usize),
    ) {
        if let Some(links) = links {
            self.leave_by(links, place, &mut note);
        }
        self.take_buckets(note, |_, _| false);
    }

    /// Goes on with what stands among the seeds, with room in the queue for what may depend on a
    /// cell: that is three cells further at most.
    pub(in crate::arrival) fn resume_repair(&mut self) {
        let slowest = self.slowest.max(self.longest / 2 + 1);
        self.queue.begin(self.shift(), 3 * slowest / 2 + 1, 0);
    }

    /// How wide a bucket is, as a power of two.
    pub(in crate::arrival) fn shift(&self) -> u32 {
        SHIFTS[usize::from(self.layout.size[0] > 1)]
    }
}
