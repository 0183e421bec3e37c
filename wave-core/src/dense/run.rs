//! A run of steps over the whole grid, in place on two buffers.

#![allow(unsafe_code)] // kernels on memory that tasks share; see the SAFETY notes

use super::coefficients::Coefficients;
use super::kernel::{Arrays, FAR, Kernel, NEAR, PLANES, Pass, ROWS};
use super::kinds::{self, Kinds};
use super::phases::{Plan, Task};
use super::real::Real;
use super::source::Pulse;
use super::step::Damping;
use super::storage::{BLOCK, CACHE, PAST_CORE, PAST_SHARED};
use super::tiles::{Patch, Tiling};
use crate::grid::Layout;
use crate::simd::Simd;
use std::marker::PhantomData;

/// Levels of a phase by rows: with fewer there are more tasks than need be, with more the dips are
/// deeper.
const PHASE: usize = 48;
/// Levels of a phase by planes.
const DEEP_PHASE: usize = 24;

/// Bytes of a third-level cache that each thread may fill with a whole tile.
const SHARED: usize = 10 << 20;

/// The least lines of a slab of which a tile could be too large for that: with fewer there are more
/// tasks than need be.
const LEAST_LINES: usize = 32;
/// Rows of a slab where a tile is never too large: more slabs take no longer.
const ROWS_OF_SLAB: usize = 128;
const PLANES_OF_SLAB: usize = 64;

/// Levels of a part of a tile of rows: with more there are fewer beginnings and ends.
const LEVELS: usize = 32;
/// Levels that are enough for a tile of whole rows.
const FEW_LEVELS: usize = 12;
/// Levels of a part of a tile of planes.
const DEEP_LEVELS: usize = 8;

/// Bytes of a row in a strip of a tile of rows, so that the parts in use on several levels stay in
/// a first-level cache.
const STRIP: usize = 768;
/// A row of up to so many bytes is one strip: 1.1x over a strip and a short rest.
const WHOLE_STRIP: usize = 1024;
/// The same where kinds are looked up: a level finds enough in the caches beyond, which deliver
/// long rows fastest. 1.05x to 1.2x.
const LONG_STRIP: usize = 16 << 10;
/// Blocks of a strip of rows of several planes: too much for a first-level cache, but 1.04x to 1.4x
/// over what would fit.
const THICK_STRIP: usize = 16;
/// Bytes of the rows of a plane in a strip of a tile of planes: 1.1x.
const DEEP_STRIP: usize = 4608;

/// The data that all tasks of a run share.
pub(crate) struct Run<'a, S> {
    layout: &'a Layout,
    kernel: Kernel<S>,
    /// Kernels that ask memory for cells near and far ahead, where no cache holds them: the
    /// processor by itself sees too late that they will be needed.
    fetching: [Kernel<S>; 2],
    /// Whether the kernels look kinds up.
    looks_up: bool,
    steps: usize,
    /// Level 0 is z, the level before it `z_prev`.
    pass: Pass<S>,
    /// In the order of their cells.
    pulses: Vec<Pulse>,
    /// The last level to which a pulse adds.
    last_pulsed: usize,
    owner: PhantomData<(&'a [S], &'a mut S)>,
}

// SAFETY: tasks write through the pass's buffers, each its own patches and the padding of their
// rows, and read beside them only what no task writes meanwhile: the rule of `tiles`, which the
// tests of `phases` check for random plans.
unsafe impl<S: Sync> Sync for Run<'_, S> {}

impl<'a, S: Real> Run<'a, S> {
    /// A run of `steps` steps that begins with `now` and `prev`.
    pub(crate) fn new(
        medium: &'a Coefficients<S>,
        simd: Simd,
        now: &'a mut [S],
        prev: &'a mut [S],
        pulses: &[Pulse],
        steps: usize,
    ) -> Self {
        let layout = &medium.layout;
        let lengths = [medium.delta.len(), now.len(), prev.len()];
        assert!(lengths == [layout.len; 3] && simd.is_available());
        let deep = layout.size[0] > 1;
        assert!(deep || medium.centre.len() == layout.len);
        // No kind is above what the kernel can look up.
        let help = |kinds: &&Kinds<S>| kinds.len() <= S::kinds(simd) && kinds::help(layout, steps);
        let kinds = medium.kinds.as_deref().filter(help);
        let looks_up = kinds.is_some();
        assert!(kinds.is_none_or(|kinds| kinds.of().len() == layout.len));
        let m = medium.half_damping;
        let damped = m != S::ZERO;
        let mut pulses = pulses.to_vec();
        // Stable: pulses of one cell are added in the order of their emission.
        pulses.sort_by_key(|pulse| pulse.index);
        Self {
            layout,
            kernel: S::kernel::<0>(simd, deep, damped, looks_up),
            fetching: [
                S::kernel::<NEAR>(simd, deep, damped, looks_up),
                S::kernel::<FAR>(simd, deep, damped, looks_up),
            ],
            looks_up,
            steps,
            pass: Pass {
                medium: Arrays {
                    delta: medium.delta.as_ptr(),
                    centre: medium.centre.as_ptr(),
                    kinds: kinds.map_or(std::ptr::null(), |kinds| kinds.of().as_ptr()),
                    table: kinds.map_or(std::ptr::null(), |kinds| kinds.table()),
                },
                buffers: [now.as_mut_ptr(), prev.as_mut_ptr()],
                lead: layout.lead,
                row: layout.row,
                plane: layout.plane,
                damping: Damping::new(m),
            },
            last_pulsed: pulses.iter().map(Pulse::left).max().unwrap_or(0),
            pulses,
            owner: PhantomData,
        }
    }

    /// Steps everything to the last level, on the threads of the current pool.
    pub(crate) fn step(&mut self) {
        let (tiling, slabs, phase) = self.tiling();
        let plan = Plan::new(tiling.lines(), slabs, phase, self.steps);
        let run = &*self;
        let fetching = (self.layout.count() >= PAST_SHARED)
            .then(|| self.fetching[usize::from(tiling.by_planes)]);
        each(&plan, |task| {
            for part in plan.parts(task) {
                // SAFETY: tasks in the order of their plan keep the rule of `tiles`.
                tiling.walk(&part, |patches, fresh| unsafe {
                    run.patches(patches, fetching.filter(|_| fresh));
                });
            }
        });
    }

    /// Tiles that fit in caches; into how many slabs to cut the grid; and for how many levels at a
    /// time.
    fn tiling(&self) -> (Tiling, usize, usize) {
        let (planes, steps) = (self.layout.size[0], self.steps);
        let threads = threads(self.layout.count().saturating_mul(steps));
        // Some more than threads, so that none is idle while another ends a task: 1.15x.
        let few = threads * 3 / 2;
        // A joined layout has no other rows than planes.
        let by_planes = self.layout.joined || (planes > 1 && planes >= Plan::LINES * few);
        let phase = steps.clamp(1, if by_planes { DEEP_PHASE } else { PHASE });
        let (tiling, held) =
            if by_planes { self.tiles_of_planes(phase) } else { self.tiles_of_rows(phase) };
        let slabs = if self.layout.count() < PAST_CORE {
            few
        } else {
            let most = if by_planes { PLANES_OF_SLAB } else { ROWS_OF_SLAB };
            let least = tiling.lines().div_ceil((SHARED / held).clamp(LEAST_LINES, most)).max(few);
            least.max(self.spare_slabs(&tiling, least, threads, phase))
        };
        (tiling, slabs, phase)
    }

    /// Into how many slabs to cut a large grid so that no thread is idle.
    fn spare_slabs(&self, tiling: &Tiling, least: usize, threads: usize, phase: usize) -> usize {
        let [thin, thick] = [2, 4].map(|times| tiling.lines() / (times * Plan::LINES));
        match threads {
            1 => 1,
            _ if !tiling.by_planes => (8 * threads).min(thin),
            // Without a next phase: as many for each thread.
            _ if self.layout.count() >= PAST_SHARED && self.steps <= phase => {
                least.next_multiple_of(threads).min(thin)
            }
            _ if self.layout.count() >= PAST_SHARED => 1,
            // Short runs have no next phase with tasks for an idle thread: 1.3x. Long runs, with
            // slabs this thin, would mostly fill dips: 1.1x.
            _ if self.steps <= 2 * phase => (4 * threads).min(thin),
            _ => (2 * threads).min(thick),
        }
    }

    /// Bytes of z, `z_prev` and the coefficients of so many cells: kinds, or so many numbers.
    fn bytes(&self, cells: usize, numbers: usize) -> usize {
        let medium = if self.looks_up { 1 } else { numbers * size_of::<S>() };
        cells * (2 * size_of::<S>() + medium)
    }

    /// Tiles of a grid that is cut into slabs of rows, and the bytes that one holds of a row on all
    /// levels.
    fn tiles_of_rows(&self, phase: usize) -> (Tiling, usize) {
        let [planes, rows, width] = self.layout.size;
        let blocks = width.div_ceil(BLOCK);
        let cells = planes * BLOCK;
        let block = cells * size_of::<S>();
        let all = self.bytes(cells, 2);
        let width = |levels: usize| CACHE / (all * (levels + 4 * ROWS));
        // So many that a part finds whole rows in cache, if few levels do.
        let whole = (FEW_LEVELS..=LEVELS).rev().find(|&n| width(n) >= blocks);
        let levels = phase.min(whole.unwrap_or(LEVELS));
        let strip = match planes {
            // Rows that are read again are six of z.
            1 if levels == 1 => blocks.min(SHARED / 2 / (8 * block)),
            1 if self.looks_up => LONG_STRIP / block,
            1 if blocks * block <= WHOLE_STRIP => blocks,
            1 => STRIP / block,
            _ => THICK_STRIP,
        };
        let tile = (width(levels).max(32) / strip).max(1);
        let held = all * blocks.min(tile * strip + phase);
        (Tiling { planes, rows, blocks, by_planes: false, levels, strip, tile }, held)
    }

    /// Tiles of a grid that is cut into slabs of planes, and the bytes that one holds of a plane on
    /// all levels.
    fn tiles_of_planes(&self, phase: usize) -> (Tiling, usize) {
        let [planes, rows, width] = self.layout.size;
        let row = self.layout.row;
        let bytes = self.bytes(row, 1);
        let blocks = width.div_ceil(BLOCK);
        let most = phase.min(DEEP_LEVELS);
        if self.layout.joined {
            let levels = (CACHE / bytes / (rows + 2) - (PLANES + 1)).min(most);
            let blocks = (rows * row).div_ceil(BLOCK);
            let tiling =
                Tiling { planes, rows: 1, blocks, by_planes: true, levels, strip: 1, tile: 1 };
            return (tiling, bytes * rows);
        }
        // Of every plane between its first level and its last a tile holds its rows.
        let width = |levels: usize| (CACHE / bytes / (levels + PLANES + 1)).saturating_sub(2) & !1;
        let levels = (1..=most).rev().find(|&n| width(n) >= n).unwrap_or(1);
        let width = match levels {
            // Only z of three planes is read again. It may come from the third-level cache, if the
            // streams from memory get longer by that: 1.1x to 1.25x over tiles that fit in the
            // second.
            1 => (SHARED / 2 / (4 * row * size_of::<S>())) & !3,
            _ => width(levels),
        };
        let width = width.max(4);
        let held = bytes * rows.min(width + phase);
        let tiling =
            Tiling { planes, rows, blocks, by_planes: true, levels, strip: width, tile: 1 };
        let strip = (DEEP_STRIP / (row * size_of::<S>())) & !1;
        // A tile of all rows is in cache anyway; a single level finds nothing there; and a strip
        // would have too few long rows.
        if levels == 1 || rows <= width || strip < ROWS {
            return (tiling, held);
        }
        (Tiling { strip, tile: width / strip, ..tiling }, held)
    }

    /// Steps patches in their order, the first by the kernel `first`, if any.
    ///
    /// # Safety
    /// The rule of `tiles` allows it, and no other thread steps cells of the patches meanwhile.
    unsafe fn patches(&self, patches: &[Patch], first: Option<Kernel<S>>) {
        debug_assert!(patches.iter().all(|patch| self.has(patch)));
        let (fresh, others) = patches.split_at(usize::from(first.is_some()));
        let parts = [(fresh, first.unwrap_or(self.kernel)), (others, self.kernel)];
        for (patches, kernel) in parts {
            // Pulses add to a level before the next one reads it.
            let count = patches.partition_point(|patch| patch.level <= self.last_pulsed);
            let (pulsed, quiet) = patches.split_at(count);
            // SAFETY: rows of whole blocks and their neighbours lie in storage, as all arrays are
            // of the layout's length; kernels were chosen with what they read, and kinds are no
            // more than they can look up, see `Run::new`; the rest is the caller's promise.
            unsafe {
                for patch in pulsed {
                    kernel(&self.pass, std::slice::from_ref(patch));
                    self.add_pulses(patch);
                }
                if !quiet.is_empty() {
                    kernel(&self.pass, quiet);
                }
            }
        }
    }

    /// Whether a patch is of the grid.
    fn has(&self, patch: &Patch) -> bool {
        let Layout { size: [planes, rows, width], plane, joined, .. } = *self.layout;
        let (rows, blocks) =
            if joined { (1, plane / BLOCK) } else { (rows, width.div_ceil(BLOCK)) };
        let ends = [&patch.planes, &patch.rows, &patch.blocks].map(|range| range.end as usize);
        ends.into_iter().zip([planes, rows, blocks]).all(|(end, count)| end <= count)
    }

    /// Adds the increments of pulses at a patch's level to its cells.
    ///
    /// # Safety
    /// As for [`Run::patches`].
    unsafe fn add_pulses(&self, Patch { level, planes, rows, blocks }: &Patch) {
        let [start, end] = [blocks.start, blocks.end].map(|block| block as usize * BLOCK);
        for (z, y) in planes.clone().flat_map(|z| rows.clone().map(move |y| (z, y))) {
            let first = self.layout.index([z as usize, y as usize, start]);
            let begin = self.pulses.partition_point(|pulse| pulse.index < first);
            let row = self.pulses[begin..].iter();
            for pulse in row.take_while(|pulse| pulse.index < first + end - start) {
                if let Some(increment) = pulse.after::<S>(*level) {
                    // SAFETY: a cell of the patch.
                    unsafe {
                        let z = self.pass.buffers[level % 2].add(pulse.index);
                        *z = (*z + increment).floored();
                    }
                }
            }
        }
    }
}

/// Threads that are worth it for so many updates of cells.
fn threads(updates: usize) -> usize {
    #[cfg(feature = "rayon")]
    if updates > 1 << 17 {
        return rayon::current_num_threads();
    }
    let _ = updates;
    1
}

/// Does all tasks of a plan, each after those that it waits for. They are spread over the current
/// pool if a phase has several of them; no task waits inside.
fn each(plan: &Plan, work: impl Fn(Task) + Sync) {
    #[cfg(feature = "rayon")]
    if plan.tasks(0) > 1 {
        return spread::each(plan, &work);
    }
    for phase in (0..).take_while(|&phase| plan.tasks(phase) > 0) {
        (0..plan.tasks(phase)).for_each(|slab| work(Task { phase, slab }));
    }
}

#[cfg(feature = "rayon")]
mod spread {
    use super::super::phases::{Plan, Task};
    use rayon::Scope;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The progress of a plan: for the slabs of even and of odd phases, how many of the tasks that
    /// they wait for are done, in all phases so far. A slab's next count begins only when the slab
    /// is done.
    struct Spread<'a, W> {
        plan: &'a Plan,
        work: &'a W,
        done: [Vec<AtomicUsize>; 2],
    }

    pub(super) fn each(plan: &Plan, work: &(impl Fn(Task) + Sync)) {
        let counts = |phase| (0..plan.tasks(phase)).map(|_| AtomicUsize::new(0)).collect();
        let spread = &Spread { plan, work, done: [counts(0), counts(1)] };
        rayon::scope(|scope| {
            for slab in 1..plan.tasks(0) {
                scope.spawn(move |scope| spread.go_on(scope, Task { phase: 0, slab }));
            }
            spread.go_on(scope, Task { phase: 0, slab: 0 });
        });
    }

    impl<W: Fn(Task) + Sync> Spread<'_, W> {
        /// Does a task, and then the tasks that waited only for it.
        fn go_on<'s>(&'s self, scope: &Scope<'s>, task: Task) {
            let mut next = Some(task);
            while let Some(task) = next.take() {
                (self.work)(task);
                for task in self.plan.after(task).filter(|&task| self.is_ready(task)) {
                    // One task is left for this thread, which has its lines in cache.
                    if let Some(task) = next.replace(task) {
                        scope.spawn(move |scope| self.go_on(scope, task));
                    }
                }
            }
        }

        /// Counts one more of the tasks that `task` waits for as done, and tells whether all are.
        fn is_ready(&self, task: Task) -> bool {
            let waits = self.plan.before(task).len();
            // The thread that counts last sees what the others wrote.
            let done = self.done[task.phase % 2][task.slab].fetch_add(1, Ordering::AcqRel) + 1;
            done.is_multiple_of(waits)
        }
    }
}
