//! What cells offer their neighbours.

use super::{CORNER, UNIT, UNREACHED, entry, time_of};
use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Cells that are worked on before any of their offers is taken: a mispredicted branch on whether
/// an offer is good would cost as much as the offer.
pub(super) const AT_ONCE: usize = 32;
/// Room for their offers, and for some that are none.
pub(super) const OFFERS: usize = 8 * AT_ONCE;

/// Writes the offers of `some` cells, as `time << 32 | cell`, to their neighbours. Returns how many
/// offers there are, and all bits of the times that these cells take. Where all cells take
/// [`UNIT`], no `slowness` is read.
// Compiled once for each stencil: inlined where it is called, it is vectorized well or badly, as
// the code around it has it.
#[inline(never)]
pub(super) fn look<const N: usize, const UNIFORM: bool>(
    times: &[i32],
    slowness: &[i32],
    stencil: &impl Stencil<N>,
    some: &[u64],
    offers: &mut [u64; OFFERS],
) -> (usize, i32) {
    let offsets = stencil.offsets();
    let (mut count, mut marks) = (0, 0);
    for &taken in some {
        let (time, cell) = (time_of(taken), taken as u32 as usize);
        let each: [i32; N] = if UNIFORM {
            [UNIT; N]
        } else {
            marks |= slowness[cell];
            offsets.map(|offset| slowness[cell.wrapping_add_signed(offset)] & !CORNER)
        };
        let (old, new) = stencil.offers(times, cell, time, &each);
        let before = count;
        for k in 0..N {
            offers[count % OFFERS] = entry(new[k], cell.wrapping_add_signed(offsets[k]));
            // Turns walls, and only walls, into a number that no time is earlier than.
            let better = new[k].wrapping_add(1) < old[k].wrapping_add(1);
            count += usize::from(better);
        }
        // A cell that got an earlier time in the meantime offers nothing.
        count = if times[cell] == time { count } else { before };
    }
    (count, marks)
}

/// The neighbours of a cell and what it offers them.
pub(super) trait Stencil<const N: usize> {
    fn offsets(&self) -> [isize; N];

    /// The times of the neighbours, and the times offered to them. An offer is by the triangle of
    /// the neighbour, the cell, whose time is `time`, and the earlier of the cell's neighbours to
    /// the side. `each` is what they take.
    fn offers(
        &self,
        times: &[i32],
        cell: usize,
        time: i32,
        each: &[i32; N],
    ) -> ([i32; N], [i32; N]);

    /// The earliest that its neighbours offer a cell which takes `each`, of those that are earlier
    /// than `before`; [`UNREACHED`] if none is.
    fn earliest(&self, times: &[i32], cell: usize, each: i32, before: i32) -> i32;
}

pub(super) struct Flat {
    pub(super) row: usize,
}

impl Stencil<4> for Flat {
    fn offsets(&self) -> [isize; 4] {
        [-(self.row as isize), -1, 1, self.row as isize]
    }

    #[allow(clippy::inline_always)] // called, it takes twice as long
    #[inline(always)]
    fn offers(
        &self,
        times: &[i32],
        cell: usize,
        time: i32,
        each: &[i32; 4],
    ) -> ([i32; 4], [i32; 4]) {
        let row = self.row;
        let around = &times[cell - row..=cell + row];
        let [up, left] = [around[0], around[row - 1]];
        let [right, down] = [around[row + 1], around[2 * row]];
        let (beside, above) = (left.min(right), up.min(down));
        // Whole numbers, exact where it matters: as far as a cell takes.
        let (beside, above) = ((time - beside) as f32, (time - above) as f32);
        let mut new = [0; 4];
        for (k, lead) in [beside, above, above, beside].into_iter().enumerate() {
            let each = each[k] as f32;
            new[k] = time.wrapping_add(rounded(through_edge(lead, each)));
        }
        ([up, left, right, down], new)
    }

    #[inline]
    fn earliest(&self, times: &[i32], cell: usize, each: i32, before: i32) -> i32 {
        earliest_flat(times, cell, self.row, before, |time, side| {
            time + rounded(through_edge((time - side) as f32, each as f32))
        })
    }
}

/// [`Stencil::earliest`] of a flat grid: `offer` says what a neighbour of that time offers, by the
/// earlier one of those to its sides.
#[allow(clippy::inline_always)]
#[inline(always)]
fn earliest_flat(
    times: &[i32],
    cell: usize,
    row: usize,
    before: i32,
    offer: impl Fn(i32, i32) -> i32,
) -> i32 {
    let [[a, up, b], [left, _, right], [c, down, d]] = nine(times, cell, row);
    let mut best = UNREACHED;
    for (time, side) in [(up, a.min(b)), (left, a.min(c)), (right, b.min(d)), (down, c.min(d))] {
        if time < before {
            best = best.min(offer(time, side));
        }
    }
    best
}

/// The times of a cell of a flat grid and those around it, row by row.
#[allow(clippy::inline_always)]
#[inline(always)]
fn nine(times: &[i32], cell: usize, row: usize) -> [[i32; 3]; 3] {
    // Not by `map`, which would be called as a function.
    let three = |at: usize| *times[at - 1..].first_chunk().expect("a cell's neighbours");
    [three(cell - row), three(cell), three(cell + row)]
}

/// [`Flat`] where all cells take [`UNIT`]: leads are whole numbers, so a table has what follows
/// from each.
pub(super) struct Even<'a> {
    pub(super) row: usize,
    pub(super) after: &'a [i32; UNIT as usize + 1],
}

impl Even<'_> {
    /// The table: [`through_edge`] by the lead.
    pub(super) fn table() -> Box<[i32; UNIT as usize + 1]> {
        Box::new(std::array::from_fn(|lead| rounded(through_edge(lead as f32, UNIT as f32))))
    }

    /// What a cell offers a neighbour, by the earlier one of the cells to its sides.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn offer(&self, time: i32, side: i32) -> i32 {
        time + self.after[(time - side).clamp(0, UNIT) as usize]
    }
}

impl Stencil<4> for Even<'_> {
    fn offsets(&self) -> [isize; 4] {
        Flat { row: self.row }.offsets()
    }

    #[allow(clippy::inline_always)] // called, it takes twice as long
    #[inline(always)]
    fn offers(&self, times: &[i32], cell: usize, time: i32, _: &[i32; 4]) -> ([i32; 4], [i32; 4]) {
        let row = self.row;
        let around = &times[cell - row..=cell + row];
        let [up, left] = [around[0], around[row - 1]];
        let [right, down] = [around[row + 1], around[2 * row]];
        let [beside, above] = [left.min(right), up.min(down)].map(|side| self.offer(time, side));
        ([up, left, right, down], [beside, above, above, beside])
    }

    #[inline]
    fn earliest(&self, times: &[i32], cell: usize, _: i32, before: i32) -> i32 {
        earliest_flat(times, cell, self.row, before, |time, side| self.offer(time, side))
    }
}

/// How long after a cell its neighbour, which takes `each`, is reached if a cell to the cell's side
/// was reached `lead` before it.
#[allow(clippy::inline_always)] // called, no two are computed at once
#[inline(always)]
fn through_edge(lead: f32, each: f32) -> f32 {
    let lead = at_most(not_negative(lead), each);
    // Across the edge; or from its far end, along the diagonal.
    let across = not_negative(each * each - lead * lead).sqrt();
    if lead <= each * FRAC_1_SQRT_2 { across } else { SQRT_2 * each - lead }
}

pub(super) struct Deep {
    pub(super) row: usize,
    pub(super) plane: usize,
}

impl Stencil<6> for Deep {
    fn offsets(&self) -> [isize; 6] {
        let (row, plane) = (self.row as isize, self.plane as isize);
        [-plane, -row, -1, 1, row, plane]
    }

    #[allow(clippy::inline_always)] // called, it takes twice as long
    #[inline(always)]
    fn offers(
        &self,
        times: &[i32],
        cell: usize,
        time: i32,
        each: &[i32; 6],
    ) -> ([i32; 6], [i32; 6]) {
        let mut new = [0; 6];
        for axis in 0..3 {
            let (first, second) = self.aside(times, cell, axis);
            let (lead, further) = ((time - first) as f32, first.wrapping_sub(second) as f32);
            for k in [2 - axis, 3 + axis] {
                let after = through_face(lead, further, each[k] as f32);
                new[k] = time.wrapping_add(rounded(after));
            }
        }
        (self.offsets().map(|offset| times[cell.wrapping_add_signed(offset)]), new)
    }

    #[inline]
    fn earliest(&self, times: &[i32], cell: usize, each: i32, before: i32) -> i32 {
        let strides = [1, self.row, self.plane];
        let mut best = UNREACHED;
        for (axis, stride) in strides.into_iter().enumerate() {
            for by in [cell - stride, cell + stride] {
                let time = times[by];
                if time < before {
                    let (first, second) = self.aside(times, by, axis);
                    let further = first.wrapping_sub(second) as f32;
                    let after = through_face((time - first) as f32, further, each as f32);
                    best = best.min(time + rounded(after));
                }
            }
        }
        best
    }
}

impl Deep {
    /// The earliest neighbour of a cell to the sides of an axis, and that one's earlier neighbour
    /// to the other sides.
    #[allow(clippy::inline_always)] // called, it takes twice as long
    #[inline(always)]
    fn aside(&self, times: &[i32], cell: usize, axis: usize) -> (i32, i32) {
        let strides = [1, self.row as isize, self.plane as isize];
        let at = |offset: isize| times[cell.wrapping_add_signed(offset)];
        let [p, q] = [[1, 2], [0, 2], [0, 1]][axis].map(|a: usize| strides[a]);
        let mut side = [(at(-p), -p, q), (at(p), p, q), (at(-q), -q, p), (at(q), q, p)];
        for i in (0..3).rev() {
            if side[i + 1].0 < side[i].0 {
                side[i] = side[i + 1];
            }
        }
        let (first, along, across) = side[0];
        (first, at(along + across).min(at(along - across)))
    }
}

/// [`through_edge`] of a tetrahedron: a third cell, beside the one to the side, was reached
/// `further` before that one.
#[allow(clippy::inline_always)] // called, no two are computed at once
#[inline(always)]
pub(in crate::arrival) fn through_face(lead: f32, further: f32, each: f32) -> f32 {
    let lead = at_most(not_negative(lead), each);
    let further = not_negative(further);
    let square = each * each;
    // Across the face, if the way lies within it; or its edge without the cell; or that edge's end.
    let within = at_most(further, lead);
    let across = not_negative(square - lead * lead - within * within).sqrt();
    let edge = SQRT_2 * not_negative(square - further * further).sqrt() - lead;
    let end = SQRT_3 * each - lead - further;
    let beyond = if SQRT_3 * further <= each { edge } else { end };
    let after = if across >= lead { across } else { beyond };
    // Where speeds differ, leads may be longer than what the cell takes.
    let least = (SQRT_3 - SQRT_2) * each;
    if after > least { after } else { least }
}

/// 3D's diagonal of a cell.
pub(super) const SQRT_3: f32 = 1.732_050_8;

pub(super) fn at_most(x: f32, most: f32) -> f32 {
    if x < most { x } else { most }
}

pub(super) fn not_negative(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

/// Where numbers lie 1 apart.
pub(super) const WHOLE: f32 = (1 << 23) as f32;

/// The nearest whole number of a number from 0 to 2^22; for others, a number that is never used.
pub(in crate::arrival) fn rounded(x: f32) -> i32 {
    ((not_negative(x) + WHOLE).to_bits() as i32).wrapping_sub(WHOLE.to_bits() as i32)
}
