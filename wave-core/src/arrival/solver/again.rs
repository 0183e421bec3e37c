//! The results of a run, repaired after edits.

use super::{Ended, Solver};
use crate::arrival::march::{UNIT, UNREACHED, WALL};
use crate::arrival::repair::{self, CELLS_PER_EDIT, Repair, is_near_a_source};
use crate::error::{WaveError, open_cell};
use crate::grid::{Directions, Edit, Map, News, Space};
use ndarray::{Ix2, Ix3};

/// A repair is given up when more than one open cell in so many has changed.
const SHARE: usize = 10;

/// The sources and goals of a run, and the repair of its times.
#[derive(Clone, Debug, Default)]
pub(super) struct Again {
    sources: Vec<[usize; 3]>,
    goals: Vec<[usize; 3]>,
    /// Whether all cells that can be reached were reached, and still are.
    pub(super) is_whole: bool,
    repair: Repair,
    /// Indices of cells that were edited.
    edited: Vec<u32>,
    /// Open cells, some walls among them; 0 where it is not known.
    open: usize,
    /// Stored cells that are to be written, as bits from the second of these numbers on, and which
    /// numbers are not 0.
    bits: Vec<u64>,
    touched: Vec<u32>,
    /// The numbers in which cells have changed, and their bits.
    changed: Vec<(u32, u64)>,
}

impl Again {
    /// Notes the sources and goals of a run.
    pub(super) fn note(&mut self, sources: &[[usize; 3]], goals: &[[usize; 3]]) {
        let set = |cells: &mut Vec<[usize; 3]>, to: &[[usize; 3]]| {
            cells.clear();
            cells.extend_from_slice(to);
        };
        set(&mut self.sources, sources);
        set(&mut self.goals, goals);
    }

    /// Forgets the results of a run.
    pub(super) fn forget(&mut self) {
        self.is_whole = false;
        self.open = 0;
        self.repair.forget_roots();
    }
}

/// Sets bits of a number, and notes the number if it had none.
fn set(bits: &mut [u64], touched: &mut Vec<u32>, word: usize, some: u64) {
    if bits[word] == 0 && some != 0 {
        touched.push(word as u32);
    }
    bits[word] |= some;
}

impl Solver {
    /// Checks whether the last question is possible among the walls of a map.
    pub(in crate::arrival) fn check_again(&self, map: &Map) -> Result<(), WaveError> {
        if self.again.sources.is_empty() {
            return Err(WaveError::NoSource);
        }
        let mut cells = self.again.sources.iter().chain(&self.again.goals);
        cells.try_for_each(|&cell| open_cell(map, cell).map(|_| ()))
    }

    /// Runs again from the same sources to the same goals.
    pub(in crate::arrival) fn run_again(&mut self, map: &Map) -> Ended {
        let Again { sources, goals, .. } = &mut self.again;
        let (sources, goals) = (std::mem::take(sources), std::mem::take(goals));
        let ended = self.run_as_is(map, &sources, &goals);
        (self.again.sources, self.again.goals) = (sources, goals);
        ended
    }

    /// Repairs the results of the last run after the edits since, and tells whether that was
    /// possible; if not, a new run is due.
    pub(in crate::arrival) fn repair(&mut self, map: &Map) -> bool {
        if !self.again.is_whole || !self.knows_speeds {
            return false;
        }
        let mut follower = self.follower;
        self.again.edited.clear();
        let edits = match follower.news(map.edits()) {
            News::Nothing => {
                self.again.repair.changed.clear();
                return true;
            }
            News::Everything => return false,
            News::Edits(edits) => edits,
        };
        if edits.clone().count() > self.march.times.len() / CELLS_PER_EDIT {
            return false;
        }
        self.follower = follower;
        self.again.is_whole = false;
        if self.stretches.is_empty() {
            self.find_stretches();
        }
        if !self.follow(map, edits) {
            return false;
        }
        if self.again.open == 0 {
            self.again.open = self.stretches.iter().map(ExactSizeIterator::len).sum();
        }
        let Self { march, again: Again { repair, edited, open, is_whole, .. }, .. } = self;
        repair.know_roots(&march.queue.seeds, march.times.len());
        let ended = repair.run(march, map, edited, UNREACHED, *open / SHARE);
        *is_whole = ended == repair::Ended::Repaired;
        *is_whole
    }

    /// Takes edited cells over and notes which of them have changed. Returns `false` if this leaves
    /// too little for a repair.
    fn follow(&mut self, map: &Map, edits: impl Iterator<Item = Edit> + Clone) -> bool {
        let known = self.stretches.len();
        let may_differ = edits.clone().any(|edit| matches!(edit, Edit::Speed(_)));
        if may_differ && self.march.slowness.is_empty() {
            self.knows_speeds = false;
        }
        let mut is_far = true;
        for edit in edits {
            let (Edit::Wall(number) | Edit::Speed(number)) = edit;
            let cell = map.cell(number);
            let i = self.march.layout().index(cell);
            let (is_open, was_open) = (map.is_open(number), self.march.times[i] != WALL);
            let is_new = self.take_speed(map, number, i, [was_open, is_open], may_differ);
            if is_open != was_open {
                self.take_wall(cell, i, is_open, known);
            }
            if is_open != was_open || is_new {
                is_far &= !is_near_a_source(&self.again.sources, cell, self.size());
                self.again.edited.push(i as u32);
            }
        }
        self.take_stretches(known);
        is_far && self.knows_speeds
    }

    /// Takes over the slowness of an edited cell, and tells whether that is new. Speeds are no
    /// longer known if others may be the fastest then.
    fn take_speed(
        &mut self,
        map: &Map,
        number: usize,
        i: usize,
        [was_open, is_open]: [bool; 2],
        may_differ: bool,
    ) -> bool {
        if !self.knows_speeds || self.march.slowness.is_empty() {
            return false;
        }
        let (fastest, cells) = self.fastest;
        let delta = map.short_delta(map.speeds().at(number));
        // As fast as the fastest, as far as is known: rather counted too low than too high.
        let was_fastest =
            if may_differ { self.march.slowness(i) == UNIT } else { delta == fastest };
        let cells = cells.saturating_sub(usize::from(was_open && was_fastest));
        let cells = cells + usize::from(is_open && delta == fastest);
        self.fastest.1 = cells;
        if cells == 0 || is_open && delta > fastest {
            self.knows_speeds = false;
            return false;
        }
        let is_new = self.march.read_speed(map, fastest, number, i);
        // An opened wall may be slower than all open cells were.
        if is_open {
            self.march.slowest = self.march.slowest.max(self.march.slowness(i));
        }
        if is_new {
            self.march.mark_corners(i);
        }
        is_new
    }

    /// Writes the times that a repair has changed, and the ways home around them.
    pub(in crate::arrival) fn write_changed(&mut self, times: &mut [f32], ways: Directions<'_>) {
        self.gather_changed();
        match ways {
            Directions::Flat(ways) => self.write_bits::<Ix2>(times, ways),
            Directions::Deep(ways) => self.write_bits::<Ix3>(times, ways),
        }
    }

    /// Sets the bits of cells that have changed and of those around them.
    fn gather_changed(&mut self) {
        let layout = self.march.layout();
        let Again { repair, bits, touched, changed, .. } = &mut self.again;
        bits.resize(layout.len / 64 + 4, 0);
        for &(i, _) in &repair.changed {
            set(bits, touched, i as usize / 64 + 1, 1 << (i % 64));
        }
        changed.clear();
        changed.extend(touched.drain(..).map(|w| (w, std::mem::take(&mut bits[w as usize]))));
        let planes = usize::from(layout.size[0] > 1);
        for &(word, cells) in &*changed {
            // Each of them, and the cells before and behind it.
            let cells = u128::from(cells);
            let three = cells | cells << 1 | cells << 2;
            for plane in 0..=2 * planes {
                for row in 0..3 {
                    let at = word as usize * 64 + plane * layout.plane + row * layout.row;
                    let first = at - planes * layout.plane - layout.row - 1;
                    let (word, shift) = (first / 64, first % 64);
                    set(bits, touched, word, (three << shift) as u64);
                    set(bits, touched, word + 1, (three << shift >> 64) as u64);
                    set(bits, touched, word + 2, (three >> 1 >> (127 - shift)) as u64);
                }
            }
        }
    }

    /// Writes the cells whose bits are set, and clears these.
    fn write_bits<D: Space>(&mut self, times: &mut [f32], ways: &mut [D::Direction]) {
        let mut again = std::mem::take(&mut self.again);
        for word in again.touched.drain(..) {
            let mut rest = std::mem::take(&mut again.bits[word as usize]);
            let first = word as usize * 64 - 64;
            while rest != 0 {
                let from = rest.trailing_zeros();
                let cells = (rest >> from).trailing_ones();
                rest &= u64::MAX.checked_shl(from + cells).unwrap_or(0);
                self.write_run::<D>(first + from as usize, cells as usize, times, ways);
            }
        }
        self.again = again;
    }

    /// Writes so many stored cells from index `at` on, those of them that lie in the grid.
    fn write_run<D: Space>(
        &self,
        mut at: usize,
        cells: usize,
        times: &mut [f32],
        ways: &mut [D::Direction],
    ) {
        let layout = self.march.layout();
        let [nz, ny, nx] = layout.size;
        let end = (at + cells).min(layout.index([nz - 1, ny - 1, nx - 1]) + 1);
        at = at.max(layout.lead);
        while at < end {
            let [z, y, x] = layout.cell(at);
            let row = at - x;
            if y < ny && x < nx {
                let stop = end.min(row + nx);
                let to = (z * ny + y) * nx + x;
                let to = to..to + stop - at;
                self.write_row::<D>(at, &mut times[to.clone()], &mut ways[to]);
            }
            // There may be less than a row between planes.
            at = (row + layout.row).min(layout.lead + (z + 1) * layout.plane);
        }
    }
}
