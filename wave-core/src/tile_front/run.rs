//! How a front moves on: which tiles are computed, and what they have reached.

use super::live::{ASLEEP, Common};
use super::terrain::Terrain;
use super::tiles::{Around, Mask, ROWS, Spot, WIDTH, add, count, is_empty};
use super::{MAX_STEPS, NEVER, PARTS, TileFront};
use crate::dense::real::Real;
use crate::dense::source::Pulse;
use crate::dense::step::Damping;
use crate::grid::Space;

impl<D: Space, S: Real> TileFront<D, S> {
    pub(super) fn step_once(&mut self, medium: &Terrain<'_, S>) {
        self.step += 1;
        self.updates += self.live.cells;
        self.settle_gains();
        let common = Common {
            tiling: &self.tiling,
            tiles: &self.tiles,
            step: self.step,
            begin: self.start + (self.step - 1) * PARTS,
            delta: medium.uniform_delta(),
            damping: Damping::new(medium.half_damping()),
            simd: self.simd,
        };
        self.live.advance(&common);
        for place in 0..self.live.heads.len() {
            if self.live.heads[place].told.news != 0 {
                self.commit(medium, place);
            }
        }
        let live = &mut self.live;
        std::mem::swap(&mut live.now, &mut live.prev);
        self.emit_pulses();
        self.put_to_rest(medium);
    }

    fn emit_pulses(&mut self) {
        for pulse in &mut self.pulses {
            let Spot { tile, row, lane, .. } = self.tiling.locate(self.layout.cell(pulse.index));
            let place = self.tiles[tile].place;
            if let (Some(increment), true) = (pulse.next::<S>(), place != ASLEEP) {
                let z = &mut self.live.now[place as usize];
                z.set(row, lane, (z.get(row, lane) + increment).floored());
            }
        }
        self.pulses.retain(|p| p.done < p.steps);
    }

    /// Enters the cells that a tile reached in this step.
    fn commit(&mut self, medium: &Terrain<'_, S>, place: usize) {
        let head = &mut self.live.heads[place];
        let tile = head.tile as usize;
        add(&mut self.tiles[tile].reached, &head.newly);
        add(&mut head.fresh, &head.newly);
        self.reached_cells += count(&head.newly);
        head.last = self.step;
        // Cells ahead begin at rest: they may take any gain.
        let gain = self.live.gains[place] + u16::from(head.told.amplitude < S::FAINT);
        let bounds = self.tiling.bounds(&head.newly);
        let extent = self.tiling.extent;
        self.tell(tile, |axis, after| {
            let [low, high] = bounds[2 - axis];
            if after == 0 { low == 0 } else { high + 1 == extent[2 - axis] }
        });
        self.wake_around(medium, place, bounds, gain);
    }

    /// Tells the neighbours on some sides of a tile what of it is reached and what waits.
    pub(super) fn tell(&mut self, tile: usize, side: impl Fn(usize, usize) -> bool) {
        for axis in 0..self.tiling.strides().len() {
            let stride = self.tiling.strides()[axis];
            for (after, there) in [tile - stride, tile + stride].into_iter().enumerate() {
                let place = self.tiles[there].place;
                if place == ASLEEP || !side(axis, after) {
                    continue;
                }
                let tile = &self.tiles[tile];
                let head = &mut self.live.heads[place as usize];
                let edge = |mask| self.tiling.edge(mask, axis, after);
                head.reached_beside[axis][1 - after] = edge(tile.reached(self.start));
                head.waiting_beside[axis][1 - after] = edge(&tile.waiting(self.start));
            }
        }
    }

    /// Computes the tiles within the lead of a box in a tile.
    pub(super) fn wake_around(
        &mut self,
        medium: &Terrain<'_, S>,
        place: usize,
        bounds: [[usize; 2]; 3],
        gain: u16,
    ) {
        let range = self.tiling.around(bounds, self.lead as i16);
        let woke = self.live.heads[place].woke;
        // Every few steps is enough: it is good for longer.
        if woke.0 != Some(range) || self.step + self.hold / 2 >= woke.1 {
            self.keep_awake(medium, place, range, gain);
        }
    }

    /// Computes for the next steps the tiles of a range around a tile that the wave can come to:
    /// from tile to tile where an open cell lies beside one that waits. In mazes that is half of
    /// the range.
    fn keep_awake(&mut self, medium: &Terrain<'_, S>, place: usize, range: Around, gain: u16) {
        let until = self.step + self.hold;
        let head = &mut self.live.heads[place];
        head.woke = (Some(range), until);
        self.search += 1;
        let mut path = std::mem::take(&mut self.path);
        path.push((head.tile, [0; 3]));
        self.tiles[head.tile as usize].search = self.search;
        while let Some((tile, offset)) = path.pop() {
            let tile = tile as usize;
            if offset != [0; 3] {
                let place = match self.tiles[tile].place {
                    ASLEEP => self.wake(medium, tile, gain),
                    place => place as usize,
                };
                let head = &mut self.live.heads[place];
                head.until = head.until.max(until);
            }
            for axis in 0..self.tiling.strides().len() {
                let stride = self.tiling.strides()[axis];
                for after in 0..2 {
                    let mut there = offset;
                    there[2 - axis] += 2 * after as i16 - 1;
                    let [first, last] = range[2 - axis];
                    let inside = (first..=last).contains(&there[2 - axis]);
                    let next = if after == 1 { tile + stride } else { tile - stride };
                    if !inside || self.tiles[next].search == self.search {
                        continue;
                    }
                    let from = self.tiling.edge(&self.tiles[tile].open, axis, after);
                    let waiting = self.tiles[next].waiting(self.start);
                    let to = self.tiling.edge(&waiting, axis, 1 - after);
                    if from.iter().zip(to).any(|(from, to)| from & to != 0) {
                        self.tiles[next].search = self.search;
                        path.push((next as u32, there));
                    }
                }
            }
        }
        self.path = path;
    }

    /// Begins to compute a tile and returns its place.
    pub(super) fn wake(&mut self, medium: &Terrain<'_, S>, tile: usize, gain: u16) -> usize {
        let found = &mut self.tiles[tile];
        found.reached = *found.reached(self.start);
        found.wave = self.start;
        let place = self.live.push(medium, &self.tiling, tile, found.reached, gain);
        self.tiles[tile].place = place as u32;
        let head = &mut self.live.heads[place];
        head.last = self.step;
        head.woke = (None, self.step + self.hold);
        self.join(tile, place);
        place
    }

    /// Tells a live tile what is beside it, and those beside where it is.
    pub(super) fn join(&mut self, tile: usize, place: usize) {
        for axis in 0..self.tiling.strides().len() {
            let stride = self.tiling.strides()[axis];
            for (after, there) in [tile - stride, tile + stride].into_iter().enumerate() {
                let there = &self.tiles[there];
                let head = &mut self.live.heads[place];
                let edge = |mask| self.tiling.edge(mask, axis, 1 - after);
                head.reached_beside[axis][after] = edge(there.reached(self.start));
                head.waiting_beside[axis][after] = edge(&there.waiting(self.start));
                head.beside[axis][after] = there.place;
                if let Some(head) = self.live.heads.get_mut(there.place as usize) {
                    head.beside[axis][1 - after] = place as u32;
                }
            }
        }
    }

    /// Stops computing tiles that the wave has left behind.
    fn put_to_rest(&mut self, medium: &Terrain<'_, S>) {
        let mut place = 0;
        while place < self.live.heads.len() {
            let head = &mut self.live.heads[place];
            let waits = head.told.waits || head.told.news != 0;
            if !waits {
                // Where waves are slow, a tile is computed long before there is anything to wait
                // for.
                head.last = self.step;
            }
            let late = self.step.saturating_sub(head.last);
            // Some steps without news are usual where the wave is slow; then it is looked at.
            let quiet = late > self.rest && late.is_multiple_of(8);
            if waits && quiet && (late > self.patience || self.is_silent(place)) {
                self.renew(medium, place);
            }
            let head = &self.live.heads[place];
            if waits || head.told.held || self.step < head.until {
                if waits && self.step + 1 >= head.woke.1 {
                    // Before a cell of it was reached, the wave may leave it on any side.
                    let range = head.woke.0.unwrap_or_else(|| {
                        let all = self.tiling.extent.map(|extent| [0, extent - 1]);
                        self.tiling.around(all, self.lead as i16)
                    });
                    self.keep_awake(medium, place, range, self.live.gains[place]);
                }
                place += 1;
            } else {
                self.sleep(place);
            }
        }
        if self.step >= MAX_STEPS && !self.has_ended() {
            self.exhausted = true;
            self.put_all_to_rest();
        }
    }

    /// The cells of a live tile that wait and have a reached neighbour.
    fn frontier(&self, place: usize) -> Mask {
        let head = &self.live.heads[place];
        let first_cell = self.tiling.first_cell(head.tile as usize);
        let waiting = self.tiles[head.tile as usize].waiting(self.start);
        let mut frontier = [0; ROWS];
        for r in self.tiling.rows_inside(first_cell) {
            let first = head.first + self.tiling.row_offset(&self.layout, r);
            for lane in (0..WIDTH).filter(|lane| waiting[r] >> lane & 1 == 1) {
                let i = first + lane;
                let mut around = self.layout.strides().iter().flat_map(|&s| [i - s, i + s]);
                frontier[r] |= u16::from(around.any(|j| self.is_reached(j))) << lane;
            }
        }
        frontier
    }

    /// Whether the wave has died where the cells of a tile wait for it.
    fn is_silent(&self, place: usize) -> bool {
        let z = self.live.now[place].cells();
        let frontier = self.frontier(place);
        z.iter()
            .enumerate()
            .all(|(i, &z)| frontier[i / WIDTH] >> (i % WIDTH) & 1 == 0 || z == S::ZERO)
    }

    /// Emits the wave again from the cells that wait in a tile.
    fn renew(&mut self, medium: &Terrain<'_, S>, place: usize) {
        let frontier = self.frontier(place);
        let head = &mut self.live.heads[place];
        (head.last, head.until) = (self.step, self.step + self.pulse);
        let tile = head.tile as usize;
        let time = self.start + self.step * PARTS;
        for r in (0..ROWS).filter(|&r| frontier[r] != 0) {
            let first = head.first + self.tiling.row_offset(&self.layout, r);
            for lane in (0..WIDTH).filter(|lane| frontier[r] >> lane & 1 == 1) {
                head.times.0[r][lane] = time;
                let (index, steps) = (first + lane, self.pulse);
                self.pulses.push(Pulse { index, amplitude: 1.0, steps, done: 0 });
            }
        }
        add(&mut self.tiles[tile].reached, &frontier);
        add(&mut head.fresh, &frontier);
        self.reached_cells += count(&frontier);
        self.renewals += count(&frontier) as u64;
        self.live.reach_now(place, self.step, &frontier);
        self.tell(tile, |_, _| true);
        if !is_empty(&frontier) {
            let bounds = self.tiling.bounds(&frontier);
            self.wake_around(medium, place, bounds, self.live.gains[place]);
        }
    }

    fn sleep(&mut self, place: usize) {
        self.enter(place);
        let head = self.live.swap_remove(place);
        self.tiles[head.tile as usize].place = ASLEEP;
        let moved = self.live.heads.get(place).map(|moved| moved.tile as usize);
        if let Some(moved) = moved {
            self.tiles[moved].place = place as u32;
        }
        self.place_is(head.tile as usize, ASLEEP);
        if let Some(moved) = moved {
            self.place_is(moved, place as u32);
        }
    }

    /// Tells the neighbours of a tile its place.
    fn place_is(&mut self, tile: usize, place: u32) {
        for (axis, &stride) in self.tiling.strides().iter().enumerate() {
            for (after, there) in [tile - stride, tile + stride].into_iter().enumerate() {
                if let Some(head) = self.live.heads.get_mut(self.tiles[there].place as usize) {
                    head.beside[axis][1 - after] = place;
                }
            }
        }
    }

    /// Enters when the cells of a live tile were reached.
    fn enter(&mut self, place: usize) {
        let head = &self.live.heads[place];
        let times = &mut self.times[self.tiling.inner(head.tile as usize)];
        for ((times, new), fresh) in times.iter_mut().zip(&head.times.0).zip(head.fresh) {
            for (lane, (time, new)) in times.iter_mut().zip(new).enumerate() {
                *time = if fresh >> lane & 1 == 1 { *new } else { *time };
            }
        }
    }

    pub(super) fn put_all_to_rest(&mut self) {
        for place in 0..self.live.heads.len() {
            self.enter(place);
            self.tiles[self.live.heads[place].tile as usize].place = ASLEEP;
        }
        self.live.clear(self.rest as usize);
        self.pulses.clear();
    }

    /// Takes gains down where a much stronger wave comes in, beside which what was there is
    /// nothing, and where the wave has grown loud.
    fn settle_gains(&mut self) {
        if self.live.gains.iter().all(|&gain| gain == 0) {
            return;
        }
        for place in 0..self.live.heads.len() {
            let mut own = self.live.gains[place];
            if own == 0 {
                continue;
            }
            let tile = self.live.heads[place].tile as usize;
            for &stride in self.tiling.strides() {
                for there in [tile - stride, tile + stride] {
                    let there = self.tiles[there].place;
                    if there == ASLEEP || own < self.live.gains[there as usize] + 2 {
                        continue;
                    }
                    let there = there as usize;
                    if self.live.now[there].any(|z| z.abs() > S::FAINT) {
                        own = self.live.gains[there] + 1;
                    }
                }
            }
            let loud = self.live.heads[place].told.amplitude > S::LOUD;
            let gain = own - u16::from(loud && own == self.live.gains[place]);
            if gain != self.live.gains[place] {
                self.live.lower_gain(place, gain);
            }
        }
    }

    /// The cells that are walls or free in this medium and were not in what this front has seen.
    fn find_edits(&self, medium: &Terrain<'_, S>) -> Vec<usize> {
        let mut closed = self.closed.clone();
        closed.sort_unstable();
        let is_edited = |&i: &usize| {
            let Spot { tile, row, lane, .. } = self.tiling.locate(self.layout.cell(i));
            let was_open = self.tiles[tile].open[row] >> lane & 1 == 1;
            was_open != medium.is_open(i)
                && (was_open || closed.binary_search(&(i as u32)).is_err())
        };
        self.layout.indices().filter(is_edited).collect()
    }

    /// Takes the wave out of cells that became walls, and lets it into those that became free.
    pub(super) fn follow_edits(&mut self, medium: &Terrain<'_, S>, edits: Option<Vec<usize>>) {
        let edited = edits.unwrap_or_else(|| self.find_edits(medium));
        self.pulses.retain(|p| medium.is_open(p.index));
        if edited.is_empty() {
            return;
        }
        let running = !self.has_ended();
        let mut changed = Vec::new();
        for &i in &edited {
            let Spot { tile, inner, row, lane } = self.tiling.locate(self.layout.cell(i));
            let bit = 1 << lane;
            let place = self.tiles[tile].place;
            if medium.is_open(i) {
                let strides = self.layout.strides();
                let behind =
                    strides.iter().any(|&s| self.is_reached(i - s) || self.is_reached(i + s));
                if running && place == ASLEEP && behind && self.tiles[tile].open[row] & bit == 0 {
                    self.closed.push(i as u32);
                } else {
                    self.tiles[tile].open[row] |= bit;
                }
            } else {
                self.reached_cells -= usize::from(self.is_reached(i));
                self.tiles[tile].open[row] &= !bit;
                self.tiles[tile].reached[row] &= !bit;
                self.times[inner][row][lane] = NEVER;
                if place != ASLEEP {
                    self.live.heads[place as usize].fresh[row] &= !bit;
                    self.live.now[place as usize].set(row, lane, S::ZERO);
                    self.live.prev[place as usize].set(row, lane, S::ZERO);
                }
            }
            changed.push(i);
            changed.extend(self.layout.strides().iter().flat_map(|&s| [i - s, i + s]));
        }
        if !running {
            return;
        }
        // What was found beside a tile before an edit says nothing of what is there now.
        for head in &mut self.live.heads {
            head.woke.1 = 0;
        }
        // An edit of many cells meets a tile many times.
        let inside =
            |&i: &usize| i >= self.layout.lead && self.layout.contains(self.layout.cell(i));
        let mut tiles: Vec<_> = changed
            .into_iter()
            .filter(inside)
            .map(|i| self.tiling.locate(self.layout.cell(i)).tile)
            .collect();
        tiles.sort_unstable();
        tiles.dedup();
        for tile in tiles {
            self.tell(tile, |_, _| true);
            let place = match self.tiles[tile].place {
                ASLEEP => {
                    let beside = self.tiling.strides().iter().flat_map(|&s| [tile - s, tile + s]);
                    let live = beside.map(|t| self.tiles[t].place).filter(|&p| p != ASLEEP);
                    let gain = live.map(|p| self.live.gains[p as usize]).max();
                    let (Some(gain), false) =
                        (gain, is_empty(&self.tiles[tile].waiting(self.start)))
                    else {
                        continue;
                    };
                    self.wake(medium, tile, gain)
                }
                place => place as usize,
            };
            self.live.read_medium(medium, &self.tiling, place);
            let head = &mut self.live.heads[place];
            // Whether it waits, the next step will tell.
            head.told.waits = true;
            head.last = self.step;
        }
    }
}
