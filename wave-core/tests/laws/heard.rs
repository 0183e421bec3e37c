//! The common interface of a front of short waves and a recorded wave: they note when a wave first
//! came to each cell, and end by themselves.

use wave_core::{Front, Medium, Real, RecordedWave, Space, WaveError};

/// A [`Front`] or a [`RecordedWave`].
pub(crate) trait Heard<D: Space>: Clone {
    fn at_rest(medium: &Medium<D>) -> Self;
    fn emit(&mut self, medium: &Medium<D>, cells: &[D::Cell]) -> Result<(), WaveError>;
    fn step(&mut self, medium: &Medium<D>, n: usize) -> Result<u64, WaveError>;
    fn clear(&mut self);
    fn has_ended(&self) -> bool;
    fn steps(&self) -> u64;
    fn reached_cells(&self) -> usize;
    fn arrival(&self, cell: D::Cell) -> Option<f64>;
    fn state_hash(&self) -> u64;

    /// Steps it to its end, which must come.
    fn run(&mut self, medium: &Medium<D>) {
        self.step(medium, usize::MAX).unwrap();
        assert!(self.has_ended());
    }

    /// The arrivals at all cells of the grid, `[z, y, x]` in order.
    fn arrivals(&self, medium: &Medium<D>) -> Vec<Option<f64>> {
        let [nz, ny, nx] = D::to_size(medium.shape());
        let cells = (0..nz * ny * nx).map(|i| [i / nx / ny, i / nx % ny, i % nx]);
        cells.map(|cell| self.arrival(D::from_zyx(cell))).collect()
    }
}

macro_rules! heard {
    ($name:ty, $emission:expr, [$($real:tt)*]) => {
        impl<D: Space, $($real)*> Heard<D> for $name {
            fn at_rest(medium: &Medium<D>) -> Self {
                #[allow(clippy::redundant_closure_call)]
                ($emission.0)(medium)
            }
            fn emit(&mut self, medium: &Medium<D>, cells: &[D::Cell]) -> Result<(), WaveError> {
                #[allow(clippy::redundant_closure_call)]
                ($emission.1)(self, medium, cells)
            }
            fn step(&mut self, medium: &Medium<D>, n: usize) -> Result<u64, WaveError> {
                self.step(medium, n)
            }
            fn clear(&mut self) {
                self.clear();
            }
            fn has_ended(&self) -> bool {
                self.has_ended()
            }
            fn steps(&self) -> u64 {
                self.steps()
            }
            fn reached_cells(&self) -> usize {
                self.reached_cells()
            }
            fn arrival(&self, cell: D::Cell) -> Option<f64> {
                self.arrival(cell)
            }
            fn state_hash(&self) -> u64 {
                self.state_hash()
            }
        }
    };
}

heard!(Front<D>, (Self::new, Self::emit), []);
heard!(
    RecordedWave<D, S>,
    (
        |medium| Self::typed(medium).unwrap(),
        |wave: &mut Self, medium, cells| wave.emit(medium, cells, RecordedWave::pulse(medium))
    ),
    [S: Real]
);
