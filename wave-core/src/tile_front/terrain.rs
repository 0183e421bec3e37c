//! The map as tiles ask for it.

use super::tiles::Tiling;
use crate::dense::real::Real;
use crate::grid::{Layout, Map, WallRule};
use std::marker::PhantomData;

/// A map, and where this front stores its cells.
pub(super) struct Terrain<'a, S> {
    pub(super) map: &'a Map,
    pub(super) layout: Layout,
    number: PhantomData<S>,
}

impl<'a, S: Real> Terrain<'a, S> {
    pub(super) fn new(map: &'a Map) -> Self {
        // A map's cells can be stored, or it would have been refused.
        let layout = Layout::close(map.size()).expect("a grid that can be stored");
        Self { map, layout, number: PhantomData }
    }

    pub(super) fn is_open(&self, i: usize) -> bool {
        self.map.is_open(self.map.number(self.layout.cell(i)))
    }

    pub(super) fn half_damping(&self) -> S {
        S::from_f64(self.map.damping() * self.map.dt() / 2.0)
    }

    fn delta(&self, number: usize) -> S {
        let speed = self.map.speeds().at(number);
        S::from_f64(if size_of::<S>() == 4 {
            self.map.short_delta(speed)
        } else {
            self.map.delta(speed)
        })
    }

    /// delta of every cell, where speeds do not differ.
    pub(super) fn uniform_delta(&self) -> S {
        self.delta(0)
    }

    /// The slowest and the fastest delta of the open cells; infinite and 0 where there is none.
    pub(super) fn delta_range(&self) -> (f64, f64) {
        let open = (0..self.map.count()).filter(|&number| self.map.is_open(number));
        let all = if self.map.is_uniform() { 1 } else { usize::MAX };
        let deltas = open.take(all).map(|number| self.delta(number).to_f64());
        deltas.fold((f64::INFINITY, 0.0), |(lo, hi), d| (lo.min(d), hi.max(d)))
    }

    /// How many edits there have been, of walls and of speeds.
    pub(super) fn edits(&self) -> u64 {
        self.map.edits().walls() + self.map.edits().speeds()
    }

    /// The neighbours that count of the cells of a tile's row, and delta, 0 in walls.
    pub(super) fn read_row(
        &self,
        tiling: &Tiling,
        first: [usize; 3],
        row: usize,
        k: &mut [u8],
        mut deltas: Option<&mut [S]>,
    ) {
        let map = self.map;
        let [z, y, x] = tiling.cell_of_row(first, row);
        let [nz, ny, nx] = map.size();
        let counts =
            |number: usize| u8::from(map.wall_rule() == WallRule::Fixed || map.is_open(number));
        for (lane, k) in k.iter_mut().enumerate() {
            let number = map.number([z, y, x + lane]);
            *k = 0;
            for (c, n, stride) in [(x + lane, nx, 1), (y, ny, nx), (z, nz, nx * ny)] {
                *k += if c > 0 { counts(number - stride) } else { 0 };
                *k += if c + 1 < n { counts(number + stride) } else { 0 };
            }
            if let Some(deltas) = &mut deltas {
                deltas[lane] = if map.is_open(number) { self.delta(number) } else { S::ZERO };
            }
        }
    }
}
