//! The flow field of a library.

use super::super::lattice::{Cell, Lattice};
use super::Field;
use condor::{FlowFieldBuilder, Grid, GridBuilder, Point, PreparedFlowField};

/// The version in the lock file.
pub(crate) const VERSION: &str = "0.4";

/// Hops over four directions by `condor-for-games`: a new field for every fill, as it has them.
pub(crate) struct Condor {
    stride: usize,
    /// With the lattice's frame of walls. None: it refused the lattice.
    grid: Option<Grid>,
    field: Option<PreparedFlowField>,
}

impl Condor {
    fn point(&self, cell: Cell) -> Point {
        Point::new(cell % self.stride, cell / self.stride)
    }
}

impl Field for Condor {
    fn new(lattice: &Lattice) -> Self {
        let stride = lattice.stride;
        let walls = (0..lattice.open.len()).filter(|&cell| !lattice.open[cell]);
        let walls = walls.map(|cell| (cell % stride, cell / stride));
        let grid = GridBuilder::new(stride, lattice.open.len() / stride).blocked(walls).build();
        Self { stride, grid: grid.ok(), field: None }
    }
    fn set_wall(&mut self, cell: Cell, wall: bool) {
        let point = self.point(cell);
        let kind = if wall { condor::Cell::Blocked } else { condor::Cell::Open };
        // An edit that it refuses shows as another length.
        if let Some(grid) = &mut self.grid {
            let _ = grid.set_cell(point, kind);
        }
    }
    fn fill(&mut self, target: Cell) {
        let goal = self.point(target);
        let grid = self.grid.as_ref();
        self.field = grid.and_then(|grid| FlowFieldBuilder::new().preprocess(grid, goal).ok());
    }
    fn next(&self, cell: Cell) -> Cell {
        let step = self.field.as_ref().and_then(|f| f.direction_at(self.point(cell)).delta());
        let (x, y) = step.unwrap_or((0, 0));
        cell.wrapping_add_signed(x).wrapping_add_signed(y * self.stride as isize)
    }
    fn length(&self, cell: Cell) -> f64 {
        let hops = self.field.as_ref().and_then(|f| f.integration_at(self.point(cell)));
        hops.map_or(f64::INFINITY, f64::from)
    }
}
