//! Neighbours in slices of equal width, for graphs without a common pattern: sliced ELLPACK
//! (Monakov, Lokhmotov and Avetisyan, *Automatically tuning sparse matrix-vector multiplication*,
//! 2010).

use super::stencil::BLOCK;
use super::{Offset, Rows};

/// Nodes of a slice that may have more neighbours than it is wide.
const LONGER: usize = BLOCK / 16;

/// The neighbours of [`BLOCK`] nodes at a time, column by column.
#[derive(Clone, Debug)]
pub(crate) struct Slices {
    /// Where the columns of each slice begin, and those of the last end.
    begins: Vec<usize>,
    /// For each slice and column, a neighbour of every node.
    columns: Columns,
    /// For each slice, a bit for each node that has more neighbours than columns, or farther ones
    /// than columns can name. All columns of such a node name the node itself.
    longer: Vec<u64>,
}

/// Index differences to neighbours, ascending from column to column; where a node has no more, 0.
/// All lead to nodes of the graph; kernels rely on it.
#[derive(Clone, Debug)]
enum Columns {
    /// For most graphs: half as much to read.
    Near(Vec<i16>),
    Far(Vec<i32>),
}

/// Columns of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slice<'a> {
    Near(&'a [i16]),
    Far(&'a [i32]),
}

impl Slices {
    /// The slices of all rows that fill whole slices; the nodes that remain have none.
    pub(crate) fn of(rows: &Rows) -> Self {
        let slices = rows.len() / BLOCK;
        let mut begins = vec![0];
        // Nodes with neighbours, and those of them with one too far away for a short number.
        let (mut used, mut far) = (0, 0);
        for slice in 0..slices {
            let degree = |i| {
                let row = rows.of(slice * BLOCK + i);
                used += usize::from(!row.is_empty());
                far += usize::from(row.iter().any(|step| i16::try_from(step.by).is_err()));
                row.len()
            };
            let mut degrees: [usize; BLOCK] = std::array::from_fn(degree);
            degrees.sort_unstable();
            begins.push(begins[slice] + degrees[BLOCK - 1 - LONGER] * BLOCK);
        }
        let entries = begins[slices];
        let columns = if far * (BLOCK / LONGER) > used {
            Columns::Far(vec![0; entries])
        } else {
            Columns::Near(vec![0; entries])
        };
        let mut all = Self { begins, columns, longer: vec![0; slices] };
        for node in 0..slices * BLOCK {
            all.renew(node, rows.of(node));
        }
        all
    }

    /// Takes in the present row of a node.
    pub(crate) fn renew(&mut self, node: usize, row: &[Offset]) {
        let (slice, at) = (node / BLOCK, node % BLOCK);
        let Some(&end) = self.begins.get(slice + 1) else { return };
        let span = self.begins[slice]..end;
        let fits = row.len() * BLOCK <= span.len()
            && match &mut self.columns {
                Columns::Near(columns) => put(&mut columns[span], at, row),
                Columns::Far(columns) => put(&mut columns[span], at, row),
            };
        if !fits {
            let span = self.begins[slice]..end;
            match &mut self.columns {
                Columns::Near(columns) => put(&mut columns[span], at, &[]),
                Columns::Far(columns) => put(&mut columns[span], at, &[]),
            };
        }
        self.longer[slice] = self.longer[slice] & !(1 << at) | u64::from(!fits) << at;
    }

    /// For the nodes from `slice * BLOCK` on: neighbours by column, and which nodes have more.
    /// `None` beyond the last whole slice.
    #[inline]
    pub(crate) fn slice(&self, slice: usize) -> Option<(Slice<'_>, u64)> {
        let span = self.begins[slice]..*self.begins.get(slice + 1)?;
        let columns = match &self.columns {
            Columns::Near(columns) => Slice::Near(&columns[span]),
            Columns::Far(columns) => Slice::Far(&columns[span]),
        };
        Some((columns, self.longer[slice]))
    }
}

/// Puts the steps of the node `at` into the columns of its slice. Returns whether all can be named.
fn put<T: TryFrom<i32>>(columns: &mut [T], at: usize, row: &[Offset]) -> bool {
    let mut steps = row.iter();
    for column in columns.chunks_exact_mut(BLOCK) {
        let Ok(by) = T::try_from(steps.next().map_or(0, |step| step.by)) else { return false };
        column[at] = by;
    }
    true
}
