//! Edits of a column of spans.

use super::builder::{Free, Span, checked, free};
use super::{Place, SpanTerrain};
use crate::cell::Cell;
use crate::error::TerrainError;
use crate::splice::Splice;
use crate::terrain::builder::MAX_CELLS;

/// An edit of a column that was checked.
#[derive(Clone, Debug)]
pub(crate) struct ColumnEdit {
    pub(crate) column: usize,
    /// Which places come and go. Those of the column that are left are the same places, but their
    /// floors and ceilings may be others.
    pub(crate) splice: Splice,
    free: Vec<Free>,
    /// `[units: length]` From where to where there was something solid and is nothing now.
    pub(crate) freed: Option<[f64; 2]>,
    /// Whether something is solid now that was free.
    pub(crate) blocks: bool,
}

impl ColumnEdit {
    /// The number after the edit of the place that a body of a height can stand on whose floor is
    /// nearest to a height, of several the lowest.
    pub(crate) fn nearest(&self, level: &SpanTerrain, z: f64, height: f64) -> Option<usize> {
        let fits = |part: &Free| {
            part.floor.is_finite() && !part.no_go && part.ceiling - (part.floor + height) > 0.0
        };
        let parts = self.free.iter().enumerate().filter(|(_, part)| fits(part));
        let away = |part: &Free| (part.floor - z).abs();
        let nearest = parts.min_by(|(_, a), (_, b)| away(a).total_cmp(&away(b)));
        nearest.map(|(storey, _)| level.range(self.column).start + storey)
    }
}

impl SpanTerrain {
    /// The effect of other spans on a column.
    ///
    /// # Errors
    /// [`TerrainError`]; the level stays as it is anyway.
    pub(crate) fn with_spans(
        &self,
        cell: Cell,
        given: &[Span],
    ) -> Result<ColumnEdit, TerrainError> {
        let [rows, columns] = self.shape;
        let outside = TerrainError::Outside { cell, rows, columns };
        let column = self.column_of(cell).ok_or(outside)?;
        let mut spans = Vec::with_capacity(given.len());
        for span in given {
            spans.push(checked(cell, span, 1.0)?);
        }
        let mut new = Vec::with_capacity(spans.len() + 1);
        free(&mut spans, |part| new.push(part));
        let own = self.range(column);
        let old: Vec<Free> = own.clone().map(|i| self.free(i)).collect();
        if self.len() - old.len() + new.len() > MAX_CELLS {
            return Err(TerrainError::Places { rows, columns });
        }
        let stands = |part: &Free| part.floor.is_finite() && !part.no_go;
        let elsewhere = || (0..self.len()).any(|i| !own.contains(&i) && self.is_floor(i));
        if !(new.iter().any(stands) || elsewhere()) {
            return Err(TerrainError::NoGround { cells: rows * columns });
        }
        // Floors that are where they were are the same places, as far as that is clear.
        let same = |(a, b): (&Free, &Free)| a.floor == b.floor;
        let below = old.iter().zip(&new).take_while(|&pair| same(pair)).count();
        let above = old[below..].iter().rev().zip(new[below..].iter().rev());
        let above = above.take_while(|&pair| same(pair)).count();
        let kept = below + (old.len().min(new.len()) - below - above);
        let splice = Splice {
            at: own.start + kept,
            gone: old.len() - kept - above,
            new: new.len() - kept - above,
        };
        let freed = without(&new, &old);
        let blocks = without(&old, &new).is_some();
        Ok(ColumnEdit { column, splice, free: new, freed, blocks })
    }

    /// Carries out an edit of a column.
    ///
    /// # Complexity
    /// O(storeys); O(places) where the column has more or fewer than before.
    pub(crate) fn apply(&mut self, edit: &ColumnEdit) {
        let (roofs, stacks) = self.counted(edit.column);
        (self.roofs, self.stacks) = (self.roofs - roofs, self.stacks - stacks);
        let splice = edit.splice;
        if !splice.is_empty() {
            splice.follow(&mut self.columns, edit.column as u32);
            splice.follow(&mut self.floors, 0.0);
            splice.follow(&mut self.ceilings, 0.0);
            splice.follow(&mut self.no_go, false);
            for begin in &mut self.begins[edit.column + 1..] {
                *begin = *begin - splice.gone as u32 + splice.new as u32;
            }
        }
        for (i, part) in self.range(edit.column).zip(&edit.free) {
            (self.floors[i], self.ceilings[i], self.no_go[i]) =
                (part.floor, part.ceiling, part.no_go);
        }
        let (roofs, stacks) = self.counted(edit.column);
        (self.roofs, self.stacks) = (self.roofs + roofs, self.stacks + stacks);
        self.has_ceilings = self.roofs > 0;
    }

    /// Refuses an edit that would leave no ground.
    pub(crate) fn check_no_go(&self, place: Place, no_go: bool) -> Result<(), TerrainError> {
        let own = self.number(place);
        if no_go && (0..self.len()).all(|i| Some(i) == own || !self.is_floor(i)) {
            return Err(TerrainError::NoGround { cells: self.shape[0] * self.shape[1] });
        }
        Ok(())
    }

    pub(crate) fn set_no_go(&mut self, place: Place, no_go: bool) -> Result<(), TerrainError> {
        self.check_no_go(place, no_go)?;
        if let Some(i) = self.number(place) {
            self.no_go[i] = no_go;
        }
        Ok(())
    }

    /// The properties that decide how all flights are looked at: whether there are ceilings, and
    /// storeys.
    pub(crate) fn kind(&self) -> [bool; 2] {
        [self.has_ceilings, self.stacks > 0]
    }

    fn free(&self, i: usize) -> Free {
        Free { floor: self.floors[i], ceiling: self.ceilings[i], no_go: self.no_go[i] }
    }

    /// Ceilings of a column, and whether it has several places.
    fn counted(&self, column: usize) -> (usize, usize) {
        let own = self.range(column);
        let roofs = own.clone().filter(|&i| self.ceilings[i].is_finite()).count();
        (roofs, usize::from(own.len() > 1))
    }
}

/// From the lowest to the highest point that is free in the one and not in the other; both are in
/// order.
fn without(one: &[Free], other: &[Free]) -> Option<[f64; 2]> {
    let mut found: Option<[f64; 2]> = None;
    let mut add = |low: f64, high: f64| {
        if low < high {
            found = Some(found.map_or([low, high], |[first, _]| [first, high]));
        }
    };
    for part in one {
        let mut low = part.floor;
        for out in other {
            add(low, out.floor.min(part.ceiling));
            low = low.max(out.ceiling);
        }
        add(low, part.ceiling);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(bounds: &std::collections::BTreeSet<u8>) -> Vec<Free> {
        let bounds: Vec<f64> = bounds.iter().map(|&z| f64::from(z)).collect();
        let part = |pair: &[f64]| Free { floor: pair[0], ceiling: pair[1], no_go: false };
        bounds.chunks_exact(2).map(part).collect()
    }

    proptest! {
        #[test]
        fn what_is_left_is_all_there_is(
            one in proptest::collection::btree_set(0_u8..20, 0..8),
            other in proptest::collection::btree_set(0_u8..20, 0..8),
        ) {
            let (one, other) = (parts(&one), parts(&other));
            let has = |parts: &[Free], z: f64| parts.iter().any(|p| p.floor < z && z < p.ceiling);
            let left = (0..20).map(|z| f64::from(z) + 0.5);
            let left: Vec<f64> = left.filter(|&z| has(&one, z) && !has(&other, z)).collect();
            let expected = left.first().map(|low| [low - 0.5, left[left.len() - 1] + 0.5]);
            prop_assert_eq!(without(&one, &other), expected);
        }
    }
}
