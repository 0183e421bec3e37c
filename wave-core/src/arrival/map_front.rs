//! The march of a front, whatever the dimension of its map.

mod again;

use super::march::{LATEST, March, SLOWEST, UNIT, UNREACHED, WALL, entry, time_of};
#[cfg(feature = "serde")]
use super::snapshot::FrontRecord;
use super::toward::Toward;
use super::window::{START, Window};
use crate::error::{WaveError, same_medium, source_cells};
use crate::grid::{Edit, Follower, Link, Links, Map, News};
use crate::simd::{Simd, prefetch};
pub(super) use again::Again;
use xxhash_rust::xxh3::Xxh3;

/// Each wave begins this much before the one before it. So all times that earlier waves left are
/// later than those of a new one, and need not be cleared. A whole number of turns of any ring.
const SPAN: i32 = 1 << 22;
const _: () = assert!(2 * SLOWEST < SPAN);
/// When the first wave begins.
const FIRST: i32 = LATEST / SPAN * SPAN - SPAN;

/// A [`Front`](super::front::Front) without its dimension as a type, for code that is to be
/// compiled once: cells are `[z, y, x]`, directions `[x, y, z]`, and a 2D grid is one cell deep.
/// Methods are those of a front, which documents them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "FrontRecord", into = "FrontRecord"))]
pub(super) struct MapFront {
    /// The march on the cells of the window.
    pub(super) march: March,
    /// The part of the grid that the front knows.
    pub(super) window: Window,
    /// When this wave began; and the time from which on times belong to earlier waves.
    pub(super) start: i32,
    pub(super) later: i32,
    /// When the next portion begins, or the last one began.
    pub(super) time: i32,
    /// Steps that it was given.
    pub(super) clock: u64,
    /// Until when a cell may be in the queue twice because it became a wall and was freed while
    /// offers for it waited there.
    twice_until: i32,
    pub(super) ended: bool,
    pub(super) exhausted: bool,
    /// The box that the wave is for, if it is not for all cells.
    pub(super) toward: Option<Toward>,
    pub(super) reached_cells: usize,
    pub(super) updates: u64,
    pub(super) follower: Follower,
    pub(super) again: Again,
    /// Whether the slowness of cells is that of the map's present speeds.
    knows_speeds: bool,
}

impl MapFront {
    pub(super) const UPDATES_PER_CELL: u64 = 20;

    pub(super) fn new(map: &Map) -> Self {
        let window = Window::new(map.size());
        let mut front = Self::empty(window, Follower::new(map.edits()));
        if front.window.is_whole() {
            front.march.read_walls(map, [0; 3]);
        }
        front
    }

    pub(super) fn empty(window: Window, follower: Follower) -> Self {
        Self {
            march: March::new(window.size()),
            window,
            start: FIRST + SPAN,
            later: UNREACHED,
            time: FIRST + SPAN,
            clock: 0,
            twice_until: i32::MIN,
            ended: true,
            exhausted: false,
            toward: None,
            reached_cells: 0,
            updates: 0,
            follower,
            again: Again::default(),
            knows_speeds: false,
        }
    }

    pub(super) fn set_simd(&mut self, simd: Simd) -> Result<(), WaveError> {
        self.march.set_simd(simd)
    }

    pub(super) fn emit(&mut self, map: &Map, cells: &[[usize; 3]]) -> Result<(), WaveError> {
        self.begin(map, cells, None)
    }

    pub(super) fn emit_toward(
        &mut self,
        map: &Map,
        cells: &[[usize; 3]],
        to: [[usize; 3]; 2],
        steps: f64,
    ) -> Result<(), WaveError> {
        if let Some(&cell) = to.iter().find(|&&cell| !map.contains(cell)) {
            let shape = map.name(map.size());
            return Err(WaveError::OutOfGrid { cell: map.name(cell), shape });
        }
        if steps.is_nan() || steps < 0.0 {
            return Err(WaveError::Steps { steps });
        }
        self.begin(map, cells, Some((to, steps)).filter(|_| map.links().is_none()))
    }

    fn begin(
        &mut self,
        map: &Map,
        cells: &[[usize; 3]],
        toward: Option<([[usize; 3]; 2], f64)>,
    ) -> Result<(), WaveError> {
        self.check_map(map)?;
        let sources = source_cells(map, cells.iter().copied())?;
        self.clear();
        self.sync(map)?;
        self.toward = toward.map(|(to, steps)| {
            let known = self.knows_speeds.then_some(self.march.unit);
            let unit = known.unwrap_or_else(|| March::unit_of(map.fastest_delta()));
            Toward::new(to, (steps / unit).min(f64::from(LATEST)) as i32)
        });
        self.look_around(map, &sources);
        let places = sources.iter().filter_map(|&cell| self.window.place(cell));
        let places: Vec<usize> = places.map(|cell| self.march.layout().index(cell)).collect();
        if !self.knows_speeds {
            // Walls count as well, since they may be opened.
            self.march.read_speeds(map, map.fastest_delta(), |_, _| true);
            self.knows_speeds = true;
        }
        if self.march.slowest > SPAN / 16 {
            // The times around the sources reach further than earlier waves are away.
            self.forget_from(self.later);
        }
        self.march.begin(map.links(), &places, self.start);
        self.again.begin(if self.is_ever_repaired() { sources } else { Vec::new() });
        self.ended = false;
        self.seek();
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.later = self.start;
        self.start -= SPAN;
        if self.start < 0 {
            self.forget_from(0);
            self.start = FIRST;
        }
        (self.time, self.clock, self.twice_until) = (self.start, 0, i32::MIN);
        (self.ended, self.exhausted) = (true, false);
        self.toward = None;
        (self.reached_cells, self.updates) = (0, 0);
        self.again.begin(Vec::new());
    }

    /// Forgets all arrivals at `time` or later.
    fn forget_from(&mut self, time: i32) {
        let stale = |t: &&mut i32| **t >= time && **t != WALL;
        self.march.times.iter_mut().filter(stale).for_each(|t| *t = UNREACHED);
        self.later = UNREACHED;
    }

    pub(super) fn step_within(
        &mut self,
        map: &Map,
        n: usize,
        updates: u64,
    ) -> Result<u64, WaveError> {
        self.sync(map)?;
        let before = self.updates;
        let until = self.clock.saturating_add(n as u64);
        while !self.ended && self.steps_gone() < until as f64 {
            if self.next_updates() > updates - (self.updates - before) {
                // Steps that were due remain due.
                self.clock = self.clock.max(self.steps_gone() as u64);
                return Ok(self.updates - before);
            }
            self.make_room(map);
            self.take(map.links());
        }
        self.clock = until;
        Ok(self.updates - before)
    }

    /// Before a wave begins: makes the window hold the cells around its sources, or the whole grid
    /// where links may lead anywhere or speeds differ.
    fn look_around(&mut self, map: &Map, sources: &[[usize; 3]]) {
        let whole = map.links().is_some() || !map.is_uniform();
        let window = match &self.toward {
            _ if whole => self.window.whole(),
            Some(toward) => self.window.toward(sources, toward),
            None => self.window.around(sources),
        };
        if window.is_same_box(&self.window) {
            self.window = window;
            return;
        }
        let simd = self.march.simd();
        self.march = March::new(window.size());
        self.march.read_walls(map, window.origin());
        self.march.keep_simd(simd);
        (self.window, self.knows_speeds) = (window, false);
        (self.start, self.later, self.time) = (FIRST, UNREACHED, FIRST);
    }

    /// Before the next portion: makes the window hold all cells that it may come to. The wave is no
    /// further from a source, along any axis, than the fastest cells carry it.
    fn make_room(&mut self, map: &Map) {
        if self.window.is_whole() || self.toward.is_some() {
            return;
        }
        let reach = (self.time - self.start) / UNIT;
        let Some((window, at)) = self.window.with_room(reach as usize + START / 4) else { return };
        self.march = self.march.within(window.size(), at, map, window.origin());
        self.window = window;
    }

    /// Reaches the cells of the next portion.
    fn take(&mut self, links: Option<&Links>) {
        let Some(place) = self.march.queue.seek() else { return };
        let cells = self.march.queue.ring[place].len();
        self.reached_cells += cells;
        self.updates += cells as u64 * Self::UPDATES_PER_CELL;
        self.march.take_while(links, |_, _| false);
        self.seek();
    }

    /// Goes on to the next portion, without cells that were reached earlier and those that the wave
    /// leaves out.
    pub(super) fn seek(&mut self) {
        let (start, origin) = (self.start, self.window.origin());
        let March { times, queue, layout, .. } = &mut self.march;
        while let Some(place) = queue.seek() {
            queue.ring[place].retain(|&taken| times[taken as u32 as usize] == time_of(taken));
            if let Some(toward) = &mut self.toward {
                queue.ring[place].retain(|&taken| {
                    let i = taken as u32 as usize;
                    let at = layout.cell(i);
                    let cell = std::array::from_fn(|axis| origin[axis] + at[axis]);
                    let leads = toward.leads_over(cell, time_of(taken) - start);
                    if !leads {
                        // As if the wave had not come: the cell may be offered the same time again.
                        times[i] = UNREACHED;
                        toward.left_out = true;
                    }
                    leads
                });
            }
            if queue.time() as i32 <= self.twice_until {
                queue.ring[place].sort_unstable();
                queue.ring[place].dedup();
            }
            if !queue.ring[place].is_empty() {
                self.time = queue.time() as i32;
                return self.keep_clear();
            }
        }
        self.ended = true;
    }

    /// Keeps this wave's times apart from those that earlier waves left, and from the last number.
    fn keep_clear(&mut self) {
        let ahead = self.march.queue.span();
        if self.later < UNREACHED && self.time > self.later - ahead {
            self.forget_from(self.later);
        }
        if self.time > LATEST - ahead && self.start > 0 {
            self.begin_at_0();
        }
        if self.time > LATEST {
            (self.ended, self.exhausted) = (true, true);
        }
    }

    /// Counts times from this wave's beginning on and clears those of earlier waves, so that later
    /// times come neither to these nor to the last number.
    fn begin_at_0(&mut self) {
        let (start, later) = (self.start, self.later);
        for time in &mut self.march.times {
            // Without a branch, so that the compiler makes vectors of it.
            let since = if *time < later { *time - start } else { UNREACHED };
            *time = if *time == WALL { WALL } else { since };
        }
        if !self.ended {
            self.march.queue.shift_down(start);
        }
        (self.start, self.later) = (0, UNREACHED);
        self.time -= start;
        self.twice_until = self.twice_until.saturating_sub(start);
    }

    /// Takes over the cells that became walls or free since.
    pub(super) fn sync(&mut self, map: &Map) -> Result<(), WaveError> {
        self.check_map(map)?;
        let news = match self.follower.news(map.edits()) {
            News::Nothing => return Ok(()),
            News::Edits(edits) => Some(edits),
            News::Everything => None,
        };
        let speeds = news.clone().into_iter().flatten().filter_map(|edit| match edit {
            Edit::Speed(number) => Some(number),
            Edit::Wall(_) => None,
        });
        self.knows_speeds &= news.is_some() && speeds.clone().next().is_none();
        if !self.knows_speeds {
            let numbers = 0..if news.is_some() { 0 } else { map.count() };
            self.note_speeds(map, speeds.chain(numbers));
        }
        // Walls first: then no order decides whether a cell is freed beside a reached one.
        for opened in [false, true] {
            let numbers = 0..if news.is_some() { 0 } else { map.count() };
            let edited = news.clone().into_iter().flatten().filter_map(|edit| match edit {
                Edit::Wall(number) => Some(number),
                Edit::Speed(_) => None,
            });
            for number in edited.chain(numbers).filter(|&number| map.is_open(number) == opened) {
                if let Some(place) = self.window.place(map.cell(number)) {
                    self.follow_edit(map, number, self.march.layout().index(place));
                }
            }
        }
        if !self.ended {
            self.seek();
        }
        Ok(())
    }

    fn follow_edit(&mut self, map: &Map, number: usize, i: usize) {
        let (open, was_open) = (map.is_open(number), self.march.times[i] != WALL);
        if open == was_open {
            return;
        }
        self.again.note(number, map.count());
        if !open {
            let time = std::mem::replace(&mut self.march.times[i], WALL);
            let span = self.march.queue.span();
            if !self.ended {
                self.march.queue.forget_seed(i);
                if time < self.later && time >= self.time - span {
                    self.twice_until = self.time + span;
                }
            }
            if time < self.limit() {
                self.reached_cells -= 1;
            } else if time < self.later {
                self.march.queue.remove(entry(time, i));
            }
            return;
        }
        self.march.times[i] = UNREACHED;
        if self.ended {
            return;
        }
        let beside = self.march.layout().strides().iter().flat_map(|&s| [i - s, i + s]);
        let first = beside.filter(|&j| self.is_reached(j)).map(|j| self.march.times[j]).min();
        let beside = first.map(|first| first + self.march.slowness(i));
        let limit = self.limit();
        let linked = map.links().and_then(|links| self.march.by_links(links, i, limit));
        if let Some(time) = beside.into_iter().chain(linked).min() {
            let time = time.max(self.time);
            self.march.times[i] = time;
            self.march.queue.push(entry(time, i));
        }
    }

    /// The time from which on no cell has been reached yet.
    #[inline]
    pub(super) fn limit(&self) -> i32 {
        if self.ended && !self.exhausted { self.later } else { self.time }
    }

    #[inline]
    pub(super) fn is_reached(&self, i: usize) -> bool {
        self.march.times[i] < self.limit()
    }

    pub(super) fn size(&self) -> [usize; 3] {
        self.window.grid()
    }

    fn check_map(&self, map: &Map) -> Result<(), WaveError> {
        same_medium(self.size(), &self.follower, map)
    }

    pub(super) fn fits(&self, map: &Map) -> bool {
        self.check_map(map).is_ok()
    }
    pub(super) fn edits_behind(&self, map: &Map) -> Result<u64, WaveError> {
        self.check_map(map)?;
        Ok(self.follower.walls_behind(map.edits()))
    }
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }
    pub(super) fn is_exhausted(&self) -> bool {
        let left_out = self.toward.is_some_and(|toward| toward.left_out);
        self.exhausted || self.ended && left_out
    }
    pub(super) fn steps(&self) -> u64 {
        self.clock.min(self.steps_gone() as u64)
    }

    /// `[units: steps]` When the next portion is due.
    fn steps_gone(&self) -> f64 {
        f64::from(self.time - self.start) * self.march.unit
    }

    pub(super) fn updates(&self) -> u64 {
        self.updates
    }
    pub(super) fn next_updates(&self) -> u64 {
        if self.ended {
            return 0;
        }
        self.march.queue.portion().len() as u64 * Self::UPDATES_PER_CELL
    }
    pub(super) fn reached_cells(&self) -> usize {
        self.reached_cells
    }

    #[inline]
    pub(super) fn arrival(&self, cell: [usize; 3]) -> Option<f64> {
        let i = self.index(cell).filter(|&i| self.is_reached(i))?;
        Some(f64::from(self.march.times[i] - self.start) * self.march.unit)
    }

    pub(super) fn prefetch(&self, cell: [usize; 3]) {
        if let Some(i) = self.index(cell) {
            let row = self.march.layout().row;
            for i in [i - row, i, i + row] {
                prefetch(self.march.times.as_ptr(), i);
            }
        }
    }

    pub(super) fn direction(&self, cell: [usize; 3]) -> Option<[f64; 3]> {
        let i = self.index(cell).filter(|&i| self.is_reached(i))?;
        Some(self.march.way_from(i, self.limit()))
    }

    pub(super) fn directions_of_four(&self, last: [usize; 3]) -> Option<[Option<[f64; 3]>; 4]> {
        let [z, y, x] = last;
        let first = self.index([z, y.wrapping_sub(1), x.wrapping_sub(1)])?;
        let is_known = self.index(last).is_some() && self.march.slowness.is_empty();
        is_known.then(|| self.march.four_ways_from(first, self.limit()))
    }

    pub(super) fn link(&self, map: &Map, cell: [usize; 3]) -> Option<Link<[usize; 3]>> {
        let links = map.links().filter(|_| map.size() == self.size())?;
        let i = self.index(cell).filter(|&i| self.is_reached(i))?;
        self.march.link_from(links, i, self.limit()).map(|link| links.named(link))
    }

    /// Writes when the wave came to every cell, in steps, in the order of `[z, y, x]`.
    pub(super) fn write_arrivals(&self, times: &mut [f32]) {
        times.fill(f32::INFINITY);
        for (number, i) in self.window.numbers().zip(self.march.layout().indices()) {
            if self.is_reached(i) {
                let since = (self.march.times[i] - self.start) as f32;
                times[number] = since * self.march.unit as f32;
            }
        }
    }

    #[inline]
    fn index(&self, cell: [usize; 3]) -> Option<usize> {
        self.window.place(cell).map(|place| self.march.layout().index(place))
    }

    pub(super) fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&(self.time - self.start).to_le_bytes());
        let clock = if self.ended { self.steps() } else { self.clock };
        hash.update(&clock.to_le_bytes());
        hash.update(&[u8::from(self.ended), u8::from(self.exhausted)]);
        if let Some(Toward { to, within, left_out }) = &self.toward {
            to.as_flattened().iter().for_each(|&at| hash.update(&(at as u64).to_le_bytes()));
            hash.update(&within.to_le_bytes());
            hash.update(&[u8::from(*left_out)]);
        }
        let mut next = 0;
        let nothing = [0; 1024];
        let skip = |hash: &mut Xxh3, cells: usize| {
            let mut bytes = cells * size_of::<i32>();
            while bytes > 0 {
                hash.update(&nothing[..bytes.min(nothing.len())]);
                bytes -= bytes.min(nothing.len());
            }
        };
        // Rows at a time: a call for each cell would take most of the time.
        let (mut row, [_, ny, nx]) = ([[0; size_of::<i32>()]; 256], self.window.size());
        let starts = self.window.numbers().step_by(nx);
        for (number, place) in starts.zip((0..).map(|row| [row / ny, row % ny, 0])) {
            skip(&mut hash, number - next);
            let first = self.march.layout().index(place);
            for times in self.march.times[first..first + nx].chunks(row.len()) {
                for (since, &time) in row.iter_mut().zip(times) {
                    let ticks = if time < self.later { time - self.start + 1 } else { 0 };
                    *since = ticks.to_le_bytes();
                }
                hash.update(row[..times.len()].as_flattened());
            }
            next = number + nx;
        }
        skip(&mut hash, self.window.cells() - next);
        hash.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::super::march::tests::dice;
    use super::*;
    use crate::grid::{Medium, Space};
    use ndarray::{Array, Ix2, Ix3};

    /// Two fronts, one of which knows all of the grid, do the same step by step, among walls that
    /// come and go while waves are on their way.
    fn check<D: Space>(size: [usize; 3], share: u64) {
        let mut random = dice();
        let shape = D::shape(D::from_zyx(size));
        let walls = Array::from_shape_simple_fn(shape, || random(100) < share);
        let mut medium = Medium::<D>::builder(D::from_zyx(size)).walls(&walls).build().unwrap();
        let mut whole = MapFront::new(medium.map());
        let follower = Follower::new(medium.map().edits());
        let mut part = MapFront::empty(Window::part(size), follower);
        let mut cell = |of: &Medium<D>| loop {
            let cell = size.map(|n| random(n as u64) as usize);
            if of.map().is_open(of.map().number(cell)) {
                return cell;
            }
        };
        for round in 0..6 {
            let sources: Vec<_> = (0..=round % 2).map(|_| cell(&medium)).collect();
            let to = [cell(&medium), cell(&medium)];
            for front in [&mut whole, &mut part] {
                if round % 2 == 0 {
                    front.emit(medium.map(), &sources).unwrap();
                } else {
                    front.emit_toward(medium.map(), &sources, [to[0]; 2], 60.0).unwrap();
                    let far = size.iter().sum::<usize>() as f64;
                    front.emit_toward(medium.map(), &sources, to, far / 3.0).unwrap();
                }
            }
            assert!(round > 0 || !part.window.is_whole(), "it knew all from the beginning");
            for step in 0..40 {
                let spent = [&mut whole, &mut part]
                    .map(|f| f.step_within(medium.map(), 4, u64::MAX).unwrap());
                assert_eq!(spent[0], spent[1], "round {round}, step {step}");
                if step % 10 == 0 {
                    assert_eq!(whole.state_hash(), part.state_hash(), "round {round}");
                }
                if step % 3 == 0 {
                    let cell = D::from_zyx(cell(&medium));
                    medium.set_wall(cell, step % 2 == 0).unwrap();
                }
            }
            if round % 3 == 2 {
                let spent = [&mut whole, &mut part]
                    .map(|f| f.step_within(medium.map(), usize::MAX, u64::MAX).unwrap());
                assert_eq!(spent[0], spent[1], "round {round}");
                assert_eq!(whole.state_hash(), part.state_hash(), "round {round}");
            }
            for at in [cell(&medium), sources[0]] {
                assert_eq!(whole.arrival(at), part.arrival(at));
                assert_eq!(whole.direction(at), part.direction(at));
            }
            check_four::<D>(&whole);
            check_four::<D>(&part);
        }
    }

    /// The directions of four cells of a flat grid are those of each.
    fn check_four<D: Space>(front: &MapFront) {
        let (mut random, [_, ny, nx]) = (dice(), front.size());
        for _ in 0..if D::AXES == 2 { 1000 } else { 0 } {
            let [y, x] = [ny, nx].map(|n| match random(6) {
                0 => 0,
                1 => n,
                _ => random(n as u64) as usize,
            });
            let before = [y.wrapping_sub(1), x.wrapping_sub(1)];
            let all = [before, [before[0], x], [y, before[1]], [y, x]];
            let each = all.map(|[y, x]| front.direction([0, y, x]));
            let found = front.directions_of_four([0, y, x]);
            let is_told = front.march.slowness.is_empty()
                && all.iter().all(|&[y, x]| front.index([0, y, x]).is_some());
            assert_eq!(found, is_told.then_some(each), "{y}, {x}");
        }
    }

    #[test]
    fn a_front_that_knows_a_part_of_the_grid_does_the_same() {
        for share in [0, 10, 30] {
            check::<Ix2>([1, 210, 170], share);
            check::<Ix2>([1, 400, 1], share / 10);
            check::<Ix3>([90, 80, 70], share);
            check::<Ix3>([2, 150, 120], share);
        }
    }
}
