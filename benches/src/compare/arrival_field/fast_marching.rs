//! Fast marching (Sethian 1996): the eikonal equation |grad T| = 1, first order, four neighbours.

use super::Distances;
use crate::pursuit::lattice::{Cell, Lattice};
use crate::queue::Queue;

/// Times in a plain array, a binary heap of 64-bit entries; nothing is allocated after the first.
#[derive(Clone, Debug)]
pub(super) struct FastMarching {
    stride: usize,
    /// Infinite in walls and where no front has come.
    times: Vec<f32>,
    /// The times of accepted cells; others count as infinite.
    accepted: Vec<f32>,
    open: Vec<bool>,
    heap: Queue,
}

impl FastMarching {
    pub(super) fn new(lattice: &Lattice) -> Self {
        let unseen = vec![f32::INFINITY; lattice.open.len()];
        Self {
            stride: lattice.stride,
            times: unseen.clone(),
            accepted: unseen,
            open: lattice.open.clone(),
            heap: Queue::with_capacity(lattice.open.len()),
        }
    }

    /// The time that the accepted neighbours of a cell give it.
    fn solve(&self, cell: Cell) -> f32 {
        let at = |c: Cell| self.accepted[c];
        let a = at(cell - 1).min(at(cell + 1));
        let b = at(cell - self.stride).min(at(cell + self.stride));
        let (first, second) = (a.min(b), a.max(b));
        let apart = second - first;
        if apart >= 1.0 { first + 1.0 } else { 0.5 * (a + b + (2.0 - apart * apart).sqrt()) }
    }
}

impl Distances for FastMarching {
    fn fill(&mut self, source: Cell) {
        self.times.fill(f32::INFINITY);
        self.accepted.fill(f32::INFINITY);
        self.times[source] = 0.0;
        self.heap.clear();
        self.heap.push(0.0, source);
        while let Some((time, cell)) = self.heap.pop() {
            if time > self.times[cell] {
                continue;
            }
            self.accepted[cell] = time;
            for there in [cell - 1, cell + 1, cell - self.stride, cell + self.stride] {
                if !self.open[there] || self.accepted[there].is_finite() {
                    continue;
                }
                let time = self.solve(there);
                if time < self.times[there] {
                    self.times[there] = time;
                    self.heap.push(time, there);
                }
            }
        }
    }

    fn length(&self, cell: Cell) -> f64 {
        f64::from(self.times[cell])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn on_open_ground_times_are_distances() {
        let lattice = Lattice::new(&Array2::from_elem([101, 101], false));
        let mut field = FastMarching::new(&lattice);
        let source = lattice.cell_at(50, 50);
        field.fill(source);
        for (x, y) in [(100, 50), (50, 0), (90, 90), (70, 95), (0, 30)] {
            let length = (x as f64 - 50.0).hypot(y as f64 - 50.0);
            let ratio = field.length(lattice.cell_at(x, y)) / length;
            // First order: along the axes exact, between them up to some 4 % late.
            assert!((0.999..1.05).contains(&ratio), "{ratio} at {x}, {y}");
        }
    }
}
