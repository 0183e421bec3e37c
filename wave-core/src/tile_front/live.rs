//! The tiles that are computed. Those at rest take no memory here.

use super::kernel::{Block, Neighbour, Reads, Rows, Told, Writes, advance};
use super::terrain::Terrain;
use super::tiles::{Around, Beside, Edge, Mask, ROWS, Tiling, WIDTH, add};
use crate::dense::real::Real;
use crate::dense::step::Damping;
use crate::simd::Simd;

/// From how many tiles on a step is worth handing out.
#[cfg(feature = "rayon")]
const PARALLEL: usize = 256;

/// A tile that is not computed.
pub(super) const ASLEEP: u32 = u32::MAX;

/// What a front knows of a tile, computed or not.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// The cells that the wave may enter.
    pub(super) open: Mask,
    /// The cells reached by the wave that `wave` names.
    pub(super) reached: Mask,
    pub(super) wave: u32,
    /// The latest search that came to it.
    pub(super) search: u32,
    /// Its place among the live tiles, or [`ASLEEP`].
    pub(super) place: u32,
}

impl Tile {
    /// The cells reached by the wave that began at `wave`.
    pub(super) fn reached(&self, wave: u32) -> &Mask {
        if self.wave == wave { &self.reached } else { &[0; ROWS] }
    }

    /// The open cells that the wave that began at `wave` has not reached.
    pub(super) fn waiting(&self, wave: u32) -> Mask {
        let reached = self.reached(wave);
        std::array::from_fn(|r| self.open[r] & !reached[r])
    }
}

/// A tile that is computed, all but its z.
#[derive(Clone, Debug)]
pub(super) struct Head<S> {
    pub(super) tile: u32,
    /// Storage index of its first cell.
    pub(super) first: usize,
    /// Cells inside the grid.
    pub(super) cells: u32,
    /// The cells that were reached long enough ago to rest.
    pub(super) aged: Mask,
    /// The cells that the last step reached.
    pub(super) newly: Mask,
    pub(super) told: Told<S>,
    /// The step in which cells were reached last, or a frontier came.
    pub(super) last: u32,
    /// Computed for the sake of its neighbours until this step.
    pub(super) until: u32,
    /// The tiles around that were woken last, if any, and the step until which that is good.
    pub(super) woke: (Option<Around>, u32),
    /// The places of the neighbours, or [`ASLEEP`].
    pub(super) beside: Beside<u32>,
    /// The neighbours' cells that touch the tile: those reached, and those that wait.
    pub(super) reached_beside: Beside<Edge>,
    pub(super) waiting_beside: Beside<Edge>,
    /// The rows of `now` and of `prev` that are not at rest.
    pub(super) moving: [u16; 2],
    /// The cells that were reached while the tile was computed, and when.
    pub(super) fresh: Mask,
    pub(super) times: Rows<u32>,
    pub(super) bend: Rows<S>,
    k: Rows<u8>,
}

impl<S: Real> Head<S> {
    /// A tile at rest that nothing is beside, of the cells of which these were reached before.
    pub(super) fn at_rest(tile: u32, first: usize, cells: u32, reached: Mask) -> Self {
        Self {
            tile,
            first,
            cells,
            aged: reached,
            newly: [0; ROWS],
            told: Told { news: 0, waits: true, held: true, amplitude: S::ZERO },
            last: 0,
            until: 0,
            woke: (None, 0),
            beside: [[ASLEEP; 2]; 3],
            reached_beside: [[[0; 4]; 2]; 3],
            waiting_beside: [[[0; 4]; 2]; 3],
            moving: [0; 2],
            fresh: [0; ROWS],
            times: Rows([[0; WIDTH]; ROWS]),
            bend: Rows([[S::ZERO; WIDTH]; ROWS]),
            k: Rows([[0; WIDTH]; ROWS]),
        }
    }
}

/// What a step of all tiles needs.
pub(super) struct Common<'a, S> {
    pub(super) tiling: &'a Tiling,
    pub(super) tiles: &'a [Tile],
    pub(super) step: u32,
    /// When the step begins.
    pub(super) begin: u32,
    /// Of all cells, where speeds do not differ.
    pub(super) delta: S,
    pub(super) damping: Damping<S>,
    pub(super) simd: Simd,
}

/// The live tiles, in no order that matters.
#[derive(Clone, Debug)]
pub(super) struct Live<S> {
    pub(super) heads: Vec<Head<S>>,
    /// How many times [`Real::GAIN`] stands on a tile's numbers.
    pub(super) gains: Vec<u16>,
    pub(super) now: Vec<Block<S>>,
    pub(super) prev: Vec<Block<S>>,
    /// Where speeds differ.
    deltas: Vec<Rows<S>>,
    /// The cells that were reached in each of the last `rest` steps, tile by tile.
    history: Vec<Mask>,
    rest: usize,
    /// Cells of the live tiles.
    pub(super) cells: u64,
}

impl<S: Real> Live<S> {
    pub(super) const NONE: Self = Self {
        heads: Vec::new(),
        gains: Vec::new(),
        now: Vec::new(),
        prev: Vec::new(),
        deltas: Vec::new(),
        history: Vec::new(),
        rest: 1,
        cells: 0,
    };

    /// Removes all tiles and sets after how many steps a reached cell rests.
    pub(super) fn clear(&mut self, rest: usize) {
        self.heads.clear();
        self.gains.clear();
        self.now.clear();
        self.prev.clear();
        self.deltas.clear();
        self.history.clear();
        self.rest = rest;
        self.cells = 0;
    }

    /// Adds a tile at rest and returns its place.
    pub(super) fn push(
        &mut self,
        medium: &Terrain<'_, S>,
        tiling: &Tiling,
        tile: usize,
        reached: Mask,
        gain: u16,
    ) -> usize {
        let place = self.heads.len();
        let first_cell = tiling.first_cell(tile);
        let cells = tiling.rows_inside(first_cell).count() * tiling.width_inside(first_cell);
        let first = medium.layout.index(first_cell);
        let head = Head::at_rest(tile as u32, first, cells as u32, reached);
        let history = self.history.len() + self.rest;
        self.add(head, gain, Block::REST, Block::REST, &[]);
        self.history.resize(history, [0; ROWS]);
        self.read_medium(medium, tiling, place);
        place
    }

    /// Adds a tile with what it holds, but for its speeds and walls.
    pub(super) fn add(
        &mut self,
        head: Head<S>,
        gain: u16,
        now: Block<S>,
        prev: Block<S>,
        history: &[Mask],
    ) {
        self.cells += u64::from(head.cells);
        self.heads.push(head);
        self.gains.push(gain);
        self.now.push(now);
        self.prev.push(prev);
        self.history.extend_from_slice(history);
    }

    /// The cells that a tile reached in each of the last steps.
    #[cfg(feature = "serde")]
    pub(super) fn history_of(&self, place: usize) -> &[Mask] {
        &self.history[place * self.rest..][..self.rest]
    }

    /// Takes over speeds and walls of a tile.
    pub(super) fn read_medium(&mut self, medium: &Terrain<'_, S>, tiling: &Tiling, place: usize) {
        // The first speed that is set makes a place for all tiles, not for the new ones alone.
        if !medium.map.is_uniform() {
            self.deltas.resize(self.heads.len(), Rows([[S::ZERO; WIDTH]; ROWS]));
        }
        let head = &mut self.heads[place];
        let first_cell = tiling.first_cell(head.tile as usize);
        let width = tiling.width_inside(first_cell);
        for r in tiling.rows_inside(first_cell) {
            let deltas = self.deltas.get_mut(place).map(|deltas| &mut deltas.0[r][..width]);
            medium.read_row(tiling, first_cell, r, &mut head.k.0[r][..width], deltas);
        }
    }

    /// Lets a cell count as reached in step 0.
    pub(super) fn begin(&mut self, place: usize, row: usize, lane: usize) {
        self.history[place * self.rest][row] |= 1 << lane;
    }

    /// Lets cells count as reached in the last step.
    pub(super) fn reach_now(&mut self, place: usize, step: u32, cells: &Mask) {
        add(&mut self.history[place * self.rest + step as usize % self.rest], cells);
    }

    /// Removes a tile; the last one takes its place.
    pub(super) fn swap_remove(&mut self, place: usize) -> Head<S> {
        let head = self.heads.swap_remove(place);
        self.gains.swap_remove(place);
        self.now.swap_remove(place);
        self.prev.swap_remove(place);
        if place < self.deltas.len() {
            self.deltas.swap_remove(place);
        }
        let last = self.heads.len() * self.rest;
        self.history.copy_within(last.., place * self.rest);
        self.history.truncate(last);
        self.cells -= u64::from(head.cells);
        head
    }

    /// Steps all tiles, except that `now` still holds the step before.
    pub(super) fn advance(&mut self, all: &Common<'_, S>) {
        let Self { heads, gains, now, prev, history, rest, deltas, .. } = self;
        let (gains, now, deltas) = (&gains[..], &now[..], &deltas[..]);
        let slot = all.step as usize % *rest;
        let one = |place: usize, head: &mut Head<S>, prev: &mut Block<S>, history: &mut [Mask]| {
            let own = gains[place];
            let neighbour = |there: u32| -> Neighbour<'_, S> {
                let z = now.get(there as usize)?;
                let scale = match i32::from(own) - i32::from(gains[there as usize]) {
                    0 => S::ONE,
                    1 => S::GAIN,
                    -1 => S::ONE / S::GAIN,
                    _ => return None,
                };
                Some((z, scale))
            };
            let tile = &all.tiles[head.tile as usize];
            let mut beside = [[None; 2]; 3];
            for (to, places) in beside.iter_mut().zip(&head.beside) {
                *to = [neighbour(places[0]), neighbour(places[1])];
            }
            head.newly = history[slot];
            let reads = Reads {
                z: &now[place],
                beside,
                open: &tile.open,
                reached: &tile.reached,
                reached_beside: &head.reached_beside,
                waiting_beside: &head.waiting_beside,
                deltas: deltas.get(place),
                delta: all.delta,
                k: &head.k,
                damping: all.damping,
                begin: all.begin,
            };
            let [_, moving] = &mut head.moving;
            let mut writes = Writes {
                prev,
                moving,
                bend: &mut head.bend,
                aged: &mut head.aged,
                newly: &mut head.newly,
                times: &mut head.times,
            };
            head.told = advance(all.simd, all.tiling.is_deep(), &reads, &mut writes);
            head.moving.swap(0, 1);
            history[slot] = head.newly;
        };
        #[cfg(feature = "rayon")]
        if heads.len() >= PARALLEL && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let tiles = heads.par_iter_mut().zip(prev).zip(history.par_chunks_mut(*rest));
            tiles
                .with_min_len(PARALLEL / 4)
                .enumerate()
                .for_each(|(i, ((head, prev), history))| one(i, head, prev, history));
            return;
        }
        let tiles = heads.iter_mut().zip(prev).zip(history.chunks_mut(*rest));
        for (i, ((head, prev), history)) in tiles.enumerate() {
            one(i, head, prev, history);
        }
    }

    /// Takes the gains of a tile down to `gain`, exactly but for what falls under the floor.
    pub(super) fn lower_gain(&mut self, place: usize, gain: u16) {
        let taken = std::mem::replace(&mut self.gains[place], gain) - gain;
        let head = &mut self.heads[place];
        let (now, prev) = (self.now[place].all_mut(), self.prev[place].all_mut());
        for z in now.iter_mut().chain(prev).chain(head.bend.0.as_flattened_mut()) {
            *z = scaled(*z, taken);
        }
    }
}

/// `z` with so many gains taken back; 0 under the floor.
pub(super) fn scaled<S: Real>(z: S, gains: u16) -> S {
    let mut z = z;
    for _ in 0..gains {
        if z == S::ZERO {
            break;
        }
        z = (z * (S::ONE / S::GAIN)).floored();
    }
    z
}
