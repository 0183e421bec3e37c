//! The points that are seen from a point of a tile, exactly.
//!
//! Points are whole numbers of half cells: corners of walls are even, centres of cells odd. Light
//! spreads from a point row by row, as beams between two slopes. Slopes are quotients of numbers up
//! to 64. `f32` tells any two of them apart, so rounding decides no comparison.
//!
//! A way may touch walls and their corners (it is the limit of ways that do not), but never passes
//! between two walls that meet at a corner. Nothing outside of the tile counts.

/// Cells along a side of a tile.
pub(super) const SIDE: usize = 32;
/// `[units: half cells]` The side of a tile.
pub(super) const WIDTH: i32 = 2 * SIDE as i32;

/// `[units: half cells]` A point of a tile, x first.
pub(super) type Point = [i32; 2];

/// Sides of a tile or cell, by number: left, top, right, bottom. The side across is two further.
pub(super) const SIDES: usize = 4;

/// Open cells side by side, `[units: half cells]`.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: i32,
    to: i32,
}

/// The light between two slopes, and the run through which it came.
#[derive(Clone, Copy, Debug)]
struct Beam {
    low: f32,
    high: f32,
    run: Run,
}

/// A tile's cells, and the points that ways go through: nodes on its sides, then corners of walls
/// inside it, then perhaps one more.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    /// A bit for each cell: whether it is open.
    rows: [u32; SIDE],
    runs: Vec<Run>,
    /// Where the runs of each row begin.
    first: Vec<usize>,
    /// A bit for each place of a side with a node.
    nodes: [u32; SIDES],
    starts: [usize; SIDES + 1],
    /// A bit for each corner on the line above a row.
    corners: [u32; SIDE],
    corner_starts: [usize; SIDE],
    points: Vec<Point>,
    /// The direction from each corner to its wall.
    walls: Vec<Point>,
    mark: Option<Point>,
    beams: [Vec<Beam>; 2],
}

/// Bits below bit `i`.
fn below(i: usize) -> u32 {
    ((1_u64 << i) - 1) as u32
}

impl Sight {
    /// Looks at another tile: its rows of open cells, and the nodes of its sides.
    pub(super) fn reset(&mut self, rows: &[u32; SIDE], nodes: [u32; SIDES], mark: Option<Point>) {
        (self.rows, self.nodes, self.mark) = (*rows, nodes, mark);
        self.runs.clear();
        self.first.clear();
        for &row in rows {
            self.first.push(self.runs.len());
            let mut left = row;
            while left != 0 {
                let from = left.trailing_zeros();
                let to = from + (left >> from).trailing_ones();
                self.runs.push(Run { from: 2 * from as i32, to: 2 * to as i32 });
                left &= !below(to as usize);
            }
        }
        self.first.push(self.runs.len());
        self.points.clear();
        self.walls.clear();
        for (side, &mask) in nodes.iter().enumerate() {
            self.starts[side] = self.points.len();
            self.points.extend(bits(mask).map(|i| node_point(side, i)));
        }
        self.starts[SIDES] = self.points.len();
        self.find_corners();
        self.points.extend(mark);
    }

    /// Corners are vertices with one wall around them, except those on the tile's own edge.
    fn find_corners(&mut self) {
        for y in 0..SIDE {
            self.corner_starts[y] = self.points.len();
            self.corners[y] = 0;
            if y == 0 {
                continue;
            }
            let (above, under) = (!self.rows[y - 1], !self.rows[y]);
            let around = [above << 1, above, under << 1, under];
            let [a, b, c, d] = around;
            let pairs = a & b | c & d | (a | b) & (c | d);
            self.corners[y] = (a ^ b ^ c ^ d) & !pairs & !1;
            for x in bits(self.corners[y]) {
                let wall = around.iter().position(|&cells| cells >> x & 1 == 1).unwrap_or(0);
                self.points.push([2 * x as i32, 2 * y as i32]);
                self.walls.push([[-1, -1], [1, -1], [-1, 1], [1, 1]][wall]);
            }
        }
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// Nodes come first among points.
    pub(super) fn nodes(&self) -> usize {
        self.starts[SIDES]
    }

    /// Corners come next.
    pub(super) fn corners(&self) -> usize {
        self.walls.len()
    }

    /// The side of a node and its place there.
    pub(super) fn side_of(&self, node: usize) -> (usize, usize) {
        let side = (1..SIDES).take_while(|&side| self.starts[side] <= node).count();
        let [x, y] = self.points[node];
        let along = if side.is_multiple_of(2) { y } else { x };
        (side, (along / 2) as usize)
    }

    /// The node at a place of a side.
    pub(super) fn node_at(&self, side: usize, place: usize) -> usize {
        self.starts[side] + (self.nodes[side] & below(place)).count_ones() as usize
    }

    /// Whether a shortest way from or to `other` can turn at a point. At a corner it can only if it
    /// goes round the corner's wall.
    fn turns(&self, point: usize, other: Point) -> bool {
        let Some(wall) = point.checked_sub(self.nodes()).and_then(|c| self.walls.get(c)) else {
            return true;
        };
        let [x, y] = self.points[point];
        (other[0] - x).signum() * (other[1] - y).signum() * wall[0] * wall[1] <= 0
    }

    /// Calls `see` for all points that are seen from one of them and to which a shortest way can go
    /// on.
    pub(super) fn seen_from_point(&mut self, point: usize, mut see: impl FnMut(usize, i64)) {
        let at = self.points[point];
        self.scan(at, |sight, other| {
            if other != point && sight.turns(point, sight.points[other]) {
                see(other, apart(at, sight.points[other]));
            }
        });
    }

    /// The same from any point of the tile.
    pub(super) fn seen_from(&mut self, at: Point, mut see: impl FnMut(usize, i64)) {
        self.scan(at, |sight, other| see(other, apart(at, sight.points[other])));
    }

    fn scan(&mut self, at: Point, mut see: impl FnMut(&Self, usize)) {
        let mut beams = std::mem::take(&mut self.beams);
        let sight = &*self;
        let mut turning = |other: usize| {
            if sight.turns(other, at) {
                see(sight, other);
            }
        };
        if at[1] % 2 == 0 {
            sight.along_line(at, &mut turning);
        } else {
            sight.along_row(at, &mut turning);
        }
        sight.half(at, true, &mut beams, &mut turning);
        sight.half(at, false, &mut beams, &mut turning);
        self.beams = beams;
    }

    fn runs(&self, row: usize) -> &[Run] {
        &self.runs[self.first[row]..self.first[row + 1]]
    }

    fn run_at(&self, row: usize, x: i32) -> Option<Run> {
        self.runs(row).iter().copied().find(|run| run.from <= x && x <= run.to)
    }

    /// Points on the same line through the middle of a row.
    fn along_row(&self, [x, y]: Point, see: &mut impl FnMut(usize)) {
        let row = (y / 2) as usize;
        let Some(run) = self.run_at(row, x) else { return };
        for (side, edge) in [(0, 0), (2, WIDTH)] {
            let reaches = if side == 0 { run.from == edge } else { run.to == edge };
            if reaches && x != edge && self.nodes[side] >> row & 1 == 1 {
                see(self.node_at(side, row));
            }
        }
        if let Some(mark) = self.mark
            && mark[1] == y
            && run.from <= mark[0]
            && mark[0] <= run.to
        {
            see(self.points.len() - 1);
        }
    }

    /// Points on the same line between two rows, or at the tile's edge.
    fn along_line(&self, [x, y]: Point, see: &mut impl FnMut(usize)) {
        if y == 0 || y == WIDTH {
            let (side, row) = if y == 0 { (1, 0) } else { (3, SIDE - 1) };
            if let Some(run) = self.run_at(row, x) {
                self.see_nodes(side, run, |other| other != x, see);
            }
            return;
        }
        let row = (y / 2) as usize;
        let (above, under) = (self.rows[row - 1], self.rows[row]);
        for step in [1, -1] {
            // It may change sides only where both are open.
            let mut sides = [true; 2];
            let mut vertex = x / 2;
            loop {
                let cell = if step > 0 { vertex } else { vertex - 1 };
                if !(0..SIDE as i32).contains(&cell) {
                    break;
                }
                let open = [above, under].map(|cells| cells >> cell & 1 == 1);
                let both = open[0] && open[1];
                sides = [both || sides[0] && open[0], both || sides[1] && open[1]];
                if sides == [false; 2] {
                    break;
                }
                vertex += step;
                if vertex < SIDE as i32 && self.corners[row] >> vertex & 1 == 1 {
                    see(self.corner_at(row, vertex as usize));
                }
            }
        }
    }

    fn corner_at(&self, line: usize, x: usize) -> usize {
        self.corner_starts[line] + (self.corners[line] & below(x)).count_ones() as usize
    }

    /// Nodes at the top or the bottom, of a run.
    fn see_nodes(
        &self,
        side: usize,
        run: Run,
        is_lit: impl Fn(i32) -> bool,
        see: &mut impl FnMut(usize),
    ) {
        let there = below((run.to / 2) as usize) & !below((run.from / 2) as usize);
        for place in bits(self.nodes[side] & there) {
            if is_lit(2 * place as i32 + 1) {
                see(self.node_at(side, place));
            }
        }
    }

    /// Looks at the half of the tile below a point, or above it.
    fn half(
        &self,
        [x, y]: Point,
        down: bool,
        [beams, next]: &mut [Vec<Beam>; 2],
        see: &mut impl FnMut(usize),
    ) {
        let y = if down { y } else { WIDTH - y };
        beams.clear();
        let all = Run { from: x - 1, to: x + 1 };
        beams.push(Beam { low: f32::NEG_INFINITY, high: f32::INFINITY, run: all });
        for i in (y / 2) as usize..SIDE {
            let row = if down { i } else { SIDE - 1 - i };
            let near = 2 * i as i32 - y;
            next.clear();
            for &run in self.runs(row) {
                for beam in &*beams {
                    // Runs that meet only at a vertex have walls on both sides of it.
                    if run.to.min(beam.run.to) <= run.from.max(beam.run.from) {
                        continue;
                    }
                    self.see_middle(beam, run, (x, near), row, see);
                    let far = near + 2;
                    let lit = beam.within(run, x, near, far);
                    if lit.low > lit.high {
                        continue;
                    }
                    next.push(lit);
                    let is_lit = |at: i32| lit.holds(at - x, far);
                    if i + 1 == SIDE {
                        self.see_nodes(if down { 3 } else { 1 }, run, is_lit, see);
                        continue;
                    }
                    let line = if down { i + 1 } else { SIDE - 1 - i };
                    let there = below((run.to / 2) as usize + 1) & !below((run.from / 2) as usize);
                    for vertex in bits(self.corners[line] & there) {
                        if is_lit(2 * vertex as i32) {
                            see(self.corner_at(line, vertex));
                        }
                    }
                }
            }
            std::mem::swap(beams, next);
            if beams.is_empty() {
                return;
            }
        }
    }

    /// Points on the line through the middle of a row.
    fn see_middle(
        &self,
        beam: &Beam,
        run: Run,
        (x, near): (i32, i32),
        row: usize,
        see: &mut impl FnMut(usize),
    ) {
        let middle = near + 1;
        if middle == 0 {
            return;
        }
        let is_node = |side: usize| self.nodes[side] >> row & 1 == 1;
        let is_marked = |mark: Point| mark[1] == 2 * row as i32 + 1;
        let left = run.from == 0 && is_node(0);
        let right = run.to == WIDTH && is_node(2);
        let mark = self.mark.filter(|&mark| is_marked(mark));
        if !left && !right && mark.is_none() {
            return;
        }
        let lit = beam.within(run, x, near, middle);
        for (side, edge, is_there) in [(0, 0, left), (2, WIDTH, right)] {
            if is_there && lit.holds(edge - x, middle) {
                see(self.node_at(side, row));
            }
        }
        if let Some(mark) = mark
            && run.from <= mark[0]
            && mark[0] <= run.to
            && lit.holds(mark[0] - x, middle)
        {
            see(self.points.len() - 1);
        }
    }
}

impl Beam {
    /// The part of it that stays in a run from `near` to `far` rows' halves off.
    fn within(&self, run: Run, x: i32, near: i32, far: i32) -> Self {
        let slope = |at: i32, is_far: bool| {
            (at - x) as f32 / if is_far || near <= 0 { far } else { near } as f32
        };
        let low = self.low.max(slope(run.from, run.from < x));
        let high = self.high.min(slope(run.to, run.to > x));
        Self { low, high, run }
    }

    fn holds(&self, aside: i32, off: i32) -> bool {
        let slope = aside as f32 / off as f32;
        self.low <= slope && slope <= self.high
    }
}

/// The places of bits that are set.
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(place)
    })
}

/// Where a node lies: on the tile's edge, at the middle of a cell's side.
pub(super) fn node_point(side: usize, place: usize) -> Point {
    let along = 2 * place as i32 + 1;
    match side {
        0 => [0, along],
        1 => [along, 0],
        2 => [WIDTH, along],
        _ => [along, WIDTH],
    }
}

/// `[units: 1024ths of a cell]` The distance between two points, rounded up.
pub(super) fn apart(a: Point, b: Point) -> i64 {
    let [dx, dy] = [a[0] - b[0], a[1] - b[1]];
    (512.0 * f64::from(dx * dx + dy * dy).sqrt()).ceil() as i64
}
