//! The times that cells take: whole numbers by the speeds of a map.

use super::{CORNER, March, SLOWEST, UNIT, corners};
use crate::grid::{Map, Speeds};
use arrayvec::ArrayVec;

impl March {
    /// `[units: steps]` What a unit of time is, where the fastest cells have this delta.
    pub(crate) fn unit_of(fastest: f64) -> f64 {
        1.0 / (f64::from(UNIT) * fastest.sqrt())
    }

    /// Takes over the slowness of every cell, where the fastest cell that counts has this delta.
    /// `counts` gets the number of a cell and its index.
    pub(crate) fn read_speeds(
        &mut self,
        map: &Map,
        fastest: f64,
        counts: impl Fn(&Self, usize) -> bool,
    ) {
        self.slowness.clear();
        self.has_corners = false;
        self.slowest = UNIT;
        self.unit = Self::unit_of(fastest);
        if map.is_uniform() {
            return;
        }
        let takes = |speed: f64| takes(map, fastest, speed);
        self.slowness.resize(self.layout.len, UNIT);
        let [nz, ny, nx] = self.layout.size;
        let rows = (0..nz).flat_map(|z| (0..ny).map(move |y| [z, y, 0]));
        let rows = rows.map(|cell| (self.layout.index(cell), map.number(cell)));
        match map.speeds() {
            Speeds::Few(few) => {
                let table = few.table.map(|speed| if speed > 0.0 { takes(speed) } else { UNIT });
                for (first, number) in rows {
                    let of = &few.of[number..number + nx];
                    for (to, &place) in self.slowness[first..first + nx].iter_mut().zip(of) {
                        *to = table[usize::from(place)];
                    }
                }
            }
            speeds => {
                // Neighbours are mostly of one area.
                let mut last = (f64::NAN, UNIT);
                for (first, number) in rows {
                    for x in 0..nx {
                        let speed = speeds.at(number + x);
                        if speed != last.0 {
                            last = (speed, takes(speed));
                        }
                        self.slowness[first + x] = last.1;
                    }
                }
            }
        }
        let counted = self.layout.indices().filter(|&i| counts(self, i));
        self.slowest = counted.fold(UNIT, |slowest, i| slowest.max(self.slowness[i]));
        self.has_corners = corners::mark(&self.corners, &self.layout, &mut self.slowness);
    }

    /// Whether cells take different times.
    pub(in crate::arrival) fn has_slowness(&self) -> bool {
        !self.slowness.is_empty()
    }

    /// The time that a cell takes.
    pub(crate) fn slowness(&self, i: usize) -> i32 {
        self.slowness.get(i).map_or(UNIT, |each| each & !CORNER)
    }

    /// Takes over the slowness of a cell, as [`March::read_speeds`] does, and tells whether that is
    /// new.
    pub(in crate::arrival) fn read_speed(
        &mut self,
        map: &Map,
        fastest: f64,
        number: usize,
        i: usize,
    ) -> bool {
        let is_new = self.takes_otherwise(map, fastest, number, i);
        if is_new {
            let each = takes(map, fastest, map.speeds().at(number));
            self.slowness[i] = self.slowness[i] & CORNER | each;
            self.slowest = self.slowest.max(each);
        }
        is_new
    }

    /// Whether a cell now has another slowness than the known one.
    pub(in crate::arrival) fn takes_otherwise(
        &self,
        map: &Map,
        fastest: f64,
        number: usize,
        i: usize,
    ) -> bool {
        takes(map, fastest, map.speeds().at(number)) != self.slowness(i)
    }

    /// Takes over the slowness of edited cells, and returns those whose slowness is new, with their
    /// old one.
    pub(in crate::arrival) fn read_speeds_of(
        &mut self,
        map: &Map,
        fastest: f64,
        numbers: &[usize],
    ) -> Vec<(usize, i32)> {
        let mut before = Vec::new();
        for &number in numbers {
            let i = self.layout.index(map.cell(number));
            let each = self.slowness(i);
            if self.read_speed(map, fastest, number, i) {
                before.push((i, each));
            }
        }
        self.follow_speeds(&before);
        before
    }

    /// Undoes the changes of [`March::read_speeds_of`].
    pub(in crate::arrival) fn give_back_speeds(&mut self, before: &[(usize, i32)]) {
        for &(i, each) in before {
            self.slowness[i] = self.slowness[i] & CORNER | each;
        }
        self.follow_speeds(before);
    }

    /// Finds out again what follows from the slowness of cells, after it `changed` in some.
    fn follow_speeds(&mut self, changed: &[(usize, i32)]) {
        for &(i, _) in changed {
            self.mark_corners(i);
        }
        if !changed.is_empty() {
            let each = self.slowness.iter().map(|each| each & !CORNER);
            self.slowest = each.fold(UNIT, i32::max);
        }
    }

    /// Finds out again which cells from one on to its neighbours may be left across a corner.
    pub(in crate::arrival) fn mark_corners(&mut self, i: usize) {
        let at = self.layout.cell(i);
        for j in self.block(1).filter_map(|off| self.beside(at, off)).collect::<ArrayVec<_, 27>>() {
            self.has_corners |= corners::mark_one(&self.corners, &mut self.slowness, j);
        }
    }

    /// The slowness of every cell, in storage order; empty where all take [`UNIT`].
    #[cfg(feature = "serde")]
    pub(crate) fn every_slowness(&self) -> impl Iterator<Item = i32> + '_ {
        let differ = !self.slowness.is_empty();
        self.layout.indices().filter(move |_| differ).map(|i| self.slowness(i))
    }

    /// Takes over the slowness of every cell, in storage order.
    #[cfg(feature = "serde")]
    pub(crate) fn set_slowness(&mut self, each: impl Iterator<Item = i32>) {
        self.slowest = UNIT;
        self.slowness.clear();
        self.slowness.resize(self.layout.len, UNIT);
        for (i, each) in self.layout.indices().zip(each) {
            self.slowness[i] = each;
            self.slowest = self.slowest.max(each);
        }
        self.has_corners = corners::mark(&self.corners, &self.layout, &mut self.slowness);
    }
}

/// The time that a cell of some speed takes.
fn takes(map: &Map, fastest: f64, speed: f64) -> i32 {
    // A medium lets no cell take more, but for rounding; walls may be faster than open cells.
    let units = f64::from(UNIT) * (fastest / map.short_delta(speed)).sqrt();
    ((units + 0.5) as i32).clamp(UNIT, SLOWEST)
}
