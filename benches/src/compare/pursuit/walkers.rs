//! Pursuers that walk from the middle of a cell to the middle of the next.

use super::contestant::{Contestant, Refused};
use super::fields::Field;
use super::lattice::{Cell, Lattice, Place, centre, distance};

/// One pursuer.
#[derive(Clone, Debug)]
pub(crate) struct Walker {
    pub(crate) at: Place,
    pub(crate) walked: f64,
    /// The cell whose middle it stands on or goes to: it never turns halfway.
    pub(crate) next: Cell,
}

impl Walker {
    pub(crate) fn new(lattice: &Lattice, cell: Cell) -> Self {
        Self { at: lattice.centre(cell), walked: 0.0, next: cell }
    }

    /// Walks this far; `choose` tells where to from the middle of a cell.
    pub(crate) fn walk(
        &mut self,
        stride: usize,
        length: f64,
        mut choose: impl FnMut(Cell) -> Cell,
    ) {
        let mut left = length;
        while left > 0.0 {
            let to = centre(stride, self.next);
            let way = distance(self.at, to);
            if way > left {
                let part = left / way;
                self.at = [0, 1].map(|a| self.at[a] + (to[a] - self.at[a]) * part);
                self.walked += left;
                return;
            }
            self.at = to;
            self.walked += way;
            left -= way;
            let next = choose(self.next);
            if next == self.next {
                return;
            }
            self.next = next;
        }
    }
}

/// Pursuers that step down a field, which is computed again every frame.
pub(crate) struct Downhill<F> {
    field: F,
    lattice: Lattice,
    walkers: Vec<Walker>,
    speed: f64,
}

impl<F: Field> Downhill<F> {
    pub(crate) fn new(lattice: &Lattice, starts: &[Cell], speed: f64) -> Self {
        let walkers = starts.iter().map(|&cell| Walker::new(lattice, cell)).collect();
        Self { field: F::new(lattice), lattice: lattice.clone(), walkers, speed }
    }
}

impl<F: Field> Contestant for Downhill<F> {
    fn set_wall(&mut self, cell: Cell, wall: bool) -> Result<(), Refused> {
        self.field.set_wall(cell, wall);
        Ok(())
    }
    fn frame(&mut self, target: Place) -> Result<(), Refused> {
        let Self { field, lattice, walkers, speed } = self;
        field.fill(lattice.cell(target));
        for walker in walkers {
            walker.walk(lattice.stride, *speed, |cell| field.next(cell));
        }
        Ok(())
    }
    fn place(&self, pursuer: usize) -> Place {
        self.walkers[pursuer].at
    }
    fn walked(&self, pursuer: usize) -> f64 {
        self.walkers[pursuer].walked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walker_goes_on_from_cell_to_cell() {
        let stride = 12;
        let mut walker = Walker { at: [0.0, 0.0], walked: 0.0, next: 13 };
        walker.walk(stride, 2.5, |cell| cell + 1);
        assert_eq!((walker.at, walker.walked), ([2.5, 0.0], 2.5));
        // It stops where nothing leads on.
        walker.walk(stride, 9.0, |cell| cell);
        assert_eq!((walker.at, walker.walked), ([3.0, 0.0], 3.0));
    }
}
