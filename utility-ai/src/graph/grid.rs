//! Grids: a graph from an array of walls, cells and nodes both ways, walls that come and go.

use super::frozen::{Graph, check_count_of_nodes};
use crate::error::UtilityError;
use crate::ids::Node;
use fixedbitset::FixedBitSet;
use ndarray::{ArrayRef, Dimension};

/// The cells that a step leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Neighbours {
    /// The cells that share a side: 4, in 3D 6.
    Four,
    /// Also to the cells at a corner, if no cell beside the step is a wall: 8, in 3D 26.
    #[default]
    Eight,
}

/// How long the steps of a grid are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StepLengths {
    /// As far apart as the centres of the cells: 1, sqrt 2 and, in 3D, sqrt 3 times the spacing.
    #[default]
    Straight,
    /// The spacing, whichever step it is.
    Hops,
}

/// The steps of a grid. `Neighbours::Eight.into()` has straight lengths and cells 1 apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSteps {
    /// The cells that a step leads to.
    pub neighbours: Neighbours,
    /// How long it is.
    pub lengths: StepLengths,
    /// `[units: length] [limits: 1e-60 to 1e59] suggested: 1` From a cell's centre to the next.
    pub spacing: f64,
}

impl From<Neighbours> for GridSteps {
    fn from(neighbours: Neighbours) -> Self {
        Self { neighbours, lengths: StepLengths::Straight, spacing: 1.0 }
    }
}

/// The cells of a graph that was made of a grid. A 2D grid is one cell deep.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// 2 or 3.
    axes: usize,
    /// `[z, y, x]`
    shape: [usize; 3],
    /// By node.
    walls: FixedBitSet,
    steps: GridSteps,
}

/// Half of the steps to 26 neighbours, `[z, y, x]`: the other half are these backward.
const HALF: [[isize; 3]; 13] = {
    let mut half = [[0; 3]; 13];
    let mut i = 0;
    while i < 13 {
        let code = i as isize + 14;
        half[i] = [code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1];
        i += 1;
    }
    half
};

impl Graph {
    /// The graph of a grid, 2D `[y, x]` or 3D `[z, y, x]`; true is a wall. `steps` is a
    /// [`Neighbours`], or a [`GridSteps`] for other lengths.
    ///
    /// Every cell is a node, a wall too; a wall has no edges. Nodes are numbered along x first, so
    /// cell `[y, x]` is node `y * width + x`. A step to a corner needs all cells beside it to be
    /// free.
    ///
    /// ```
    /// use ndarray::array;
    /// use utility_ai::{Graph, Neighbours};
    ///
    /// let walls = array![[false, false, true], [false, true, true], [false, false, false]];
    /// let mut graph = Graph::from_walls(&walls, Neighbours::Eight)?;
    /// let (start, end) = (graph.node([0, 1])?, graph.node([2, 1])?);
    /// assert_eq!(graph.steps(start).map(|step| step.to).collect::<Vec<_>>(), [0]);
    /// assert_eq!(graph.cell(end), Some([2, 1]));
    ///
    /// // A door opens.
    /// graph.set_wall([1, 1], false)?;
    /// assert_eq!(graph.steps(start).len(), 3);
    /// # Ok::<(), utility_ai::UtilityError>(())
    /// ```
    ///
    /// # Errors
    /// [`UtilityError::Axes`], [`UtilityError::NodeCount`]; [`UtilityError::Value`] for the
    /// spacing.
    ///
    /// # Complexity
    /// O(cells).
    pub fn from_walls<D: Dimension>(
        walls: &ArrayRef<bool, D>,
        steps: impl Into<GridSteps>,
    ) -> Result<Self, UtilityError> {
        let walls = walls.view().into_dyn();
        from_walls(&walls, steps.into())
    }

    /// The node of a cell `[y, x]` or `[z, y, x]`.
    ///
    /// # Errors
    /// [`UtilityError::NoCell`], also for a graph that was not made of a grid with so many axes.
    pub fn node<const AXES: usize>(&self, cell: [usize; AXES]) -> Result<Node, UtilityError> {
        self.node_of(&cell)
    }

    /// The cell `[y, x]` or `[z, y, x]` of a node. `None` if there is no such node, or if the graph
    /// was not made of a grid with so many axes.
    #[must_use]
    pub fn cell<const AXES: usize>(&self, node: Node) -> Option<[usize; AXES]> {
        let grid = self.grid.as_ref().filter(|grid| grid.axes == AXES)?;
        let cell = grid.cell(node).filter(|_| node < self.node_bound())?;
        cell[3 - AXES..].try_into().ok()
    }

    /// Whether a cell is a wall.
    ///
    /// # Errors
    /// As [`Graph::node`].
    pub fn is_wall<const AXES: usize>(&self, cell: [usize; AXES]) -> Result<bool, UtilityError> {
        let node = self.node_of(&cell)?;
        Ok(self.grid.as_ref().is_some_and(|grid| grid.walls.contains(node)))
    }

    /// Makes a cell a wall, or free again: a door. The steps to it and those that pass it at a
    /// corner follow. Where a step stays, its length does too. For a cell that is so already, the
    /// graph stays as it is.
    ///
    /// # Errors
    /// As [`Graph::node`].
    ///
    /// # Complexity
    /// O(1).
    pub fn set_wall<const AXES: usize>(
        &mut self,
        cell: [usize; AXES],
        wall: bool,
    ) -> Result<(), UtilityError> {
        let node = self.node_of(&cell)?;
        self.set_wall_at(node, wall)
    }

    fn node_of(&self, cell: &[usize]) -> Result<Node, UtilityError> {
        let grid = self.grid.as_ref();
        let found = grid.filter(|grid| grid.axes == cell.len()).and_then(|grid| grid.node(cell));
        found.ok_or_else(|| UtilityError::NoCell {
            cell: cell.to_vec(),
            shape: grid.map_or(Vec::new(), |grid| grid.shape[3 - grid.axes..].to_vec()),
        })
    }

    fn set_wall_at(&mut self, node: Node, wall: bool) -> Result<(), UtilityError> {
        // Edges that were cut do not come back where nothing changes.
        let Some(mut grid) = self.grid.take_if(|grid| grid.walls.contains(node) != wall) else {
            return Ok(());
        };
        grid.walls.set(node, wall);
        let edited = grid.edges_near(node).try_for_each(|(from, to, length)| {
            let gone = !self.contains(from) || !self.contains(to);
            if gone || self.length(from, to).is_some() == length.is_some() {
                return Ok(());
            }
            self.set_length(from, to, length)
        });
        self.grid = Some(grid);
        edited
    }
}

fn from_walls(
    walls: &ndarray::ArrayViewD<'_, bool>,
    steps: GridSteps,
) -> Result<Graph, UtilityError> {
    let shape = match *walls.shape() {
        [height, width] => [1, height, width],
        [depth, height, width] => [depth, height, width],
        _ => return Err(UtilityError::Axes { axes: walls.ndim() }),
    };
    crate::error::number(
        "spacing",
        steps.spacing,
        (1e-60..=1e59).contains(&steps.spacing),
        "1e-60 to 1e59",
    )?;
    let cells = shape.iter().try_fold(1_usize, |cells, n| cells.checked_mul(*n));
    let cells = cells.unwrap_or(usize::MAX);
    check_count_of_nodes(cells)?;
    let mut bits = FixedBitSet::with_capacity(cells);
    let ones = walls.iter().enumerate().filter(|(_, wall)| **wall);
    ones.for_each(|(node, _)| bits.insert(node));
    let grid = Grid { axes: walls.ndim(), shape, walls: bits, steps };

    let mut edges =
        Vec::with_capacity(cells * if steps.neighbours == Neighbours::Four { 2 } else { 4 });
    let used: Vec<_> = grid.half().collect();
    for node in 0..cells {
        let Some(cell) = grid.cell(node).filter(|_| !grid.walls.contains(node)) else { continue };
        for &(by, length) in &used {
            if let Some(to) = grid.step(cell, by) {
                edges.push((node as u32, to as u32, length));
            }
        }
    }
    let longest = used.iter().map(|(_, length)| *length).fold(0.0, f64::max);
    let mut present = FixedBitSet::with_capacity(cells);
    present.insert_range(..);
    let mut graph = Graph::from_edges(present, edges, false, longest)?;
    graph.grid = Some(Box::new(grid));
    Ok(graph)
}

impl Grid {
    fn node(&self, cell: &[usize]) -> Option<Node> {
        let shape = &self.shape[3 - cell.len()..];
        let inside = cell.iter().zip(shape).all(|(at, size)| at < size);
        inside.then(|| cell.iter().zip(shape).fold(0, |node, (at, size)| node * size + at))
    }

    fn cell(&self, node: Node) -> Option<[usize; 3]> {
        let [depth, height, width] = self.shape;
        let cell = [
            node / width.max(1) / height.max(1),
            node / width.max(1) % height.max(1),
            node % width.max(1),
        ];
        (cell[0] < depth).then_some(cell)
    }

    /// The steps that lead to a higher index, and how long they are.
    fn half(&self) -> impl Iterator<Item = ([isize; 3], f64)> + use<> {
        let GridSteps { neighbours, lengths, spacing } = self.steps;
        let flat = self.axes == 2;
        HALF.into_iter().filter_map(move |by| {
            let moved = by.iter().filter(|d| **d != 0).count();
            let length = match lengths {
                StepLengths::Straight => (moved as f64).sqrt() * spacing,
                StepLengths::Hops => spacing,
            };
            let used = (neighbours == Neighbours::Eight || moved == 1) && !(flat && by[0] != 0);
            used.then_some((by, length))
        })
    }

    /// The node that a step leads to, if the cell, its neighbour, and all cells beside the step are
    /// free: the corners of the box that the step spans.
    fn step(&self, cell: [usize; 3], by: [isize; 3]) -> Option<Node> {
        for part in 0..8 {
            let part = [0, 1, 2].map(|axis| if part >> axis & 1 == 1 { by[axis] } else { 0 });
            if self.walls.contains(self.moved(cell, part)?) {
                return None;
            }
        }
        self.moved(cell, by)
    }

    fn moved(&self, cell: [usize; 3], by: [isize; 3]) -> Option<Node> {
        let mut to = cell;
        for (at, by) in to.iter_mut().zip(by) {
            *at = at.checked_add_signed(by)?;
        }
        self.node(&to)
    }

    /// Every step whose box a cell is in: from, to, and the length if it can be taken.
    fn edges_near(&self, node: Node) -> impl Iterator<Item = (Node, Node, Option<f64>)> {
        let middle = self.cell(node).unwrap_or_default();
        let around = (0..27_isize).filter_map(move |code| {
            let by = [code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1];
            self.moved(middle, by).and_then(|from| Some((from, self.cell(from)?)))
        });
        around.flat_map(move |(from, cell)| {
            self.half().filter_map(move |(by, length)| {
                let to = self.moved(cell, by)?;
                let within = |axis: usize| {
                    let ahead = cell[axis].wrapping_add_signed(by[axis]);
                    middle[axis] == cell[axis] || middle[axis] == ahead
                };
                if !(0..3).all(within) {
                    return None;
                }
                Some((from, to, self.step(cell, by).map(|_| length)))
            })
        })
    }
}
