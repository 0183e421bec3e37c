//! Where a jump can lead at all: every offset between cells, with the largest gain within reach.

use crate::jump::ballistics::Ballistics;

/// From one cell to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Offset {
    pub(crate) dx: i32,
    pub(crate) dy: i32,
    /// `[units: length]` The reach at the least distance between the two squares.
    pub(crate) most_gain: f64,
}

/// All offsets within reach, the nearest first, so that reach only falls.
#[derive(Clone, Debug)]
pub(crate) struct Offsets {
    all: Vec<Offset>,
    /// The largest gain within reach by |dy| and dx, `-columns..=columns`.
    gains: Vec<f64>,
    /// The same along an axis, up to the radius.
    ahead: Vec<f64>,
    /// The largest dx between cells of the terrain.
    columns: usize,
    /// `[units: length]` Drops down to this are covered.
    drop: f64,
    /// The largest coordinate of any offset.
    radius: usize,
}

/// The square of the least distance between two squares at an offset, in cells.
pub(crate) fn gap2(dx: isize, dy: isize) -> f64 {
    let gap = |d: isize| (d.unsigned_abs().saturating_sub(1)) as f64;
    gap(dx) * gap(dx) + gap(dy) * gap(dy)
}

impl Offsets {
    /// For landings at most `drop` below the launch, in a terrain of this shape.
    pub(crate) fn new(law: &Ballistics, cell_size: f64, drop: f64, shape: [usize; 2]) -> Self {
        let size2 = cell_size * cell_size;
        let reaches = |d: isize| law.most_gain(gap2(d, 0) * size2) >= -drop;
        let longest = shape[0].max(shape[1]) as isize - 1;
        let mut radius = 1;
        while radius < longest && reaches(radius + 1) {
            radius += 1;
        }
        let limit = |n: usize| radius.min(n as isize - 1);
        let (rows, columns) = (limit(shape[0]), limit(shape[1]));
        let mut all = Vec::new();
        for dy in -rows..=rows {
            for dx in -columns..=columns {
                let most_gain = law.most_gain(gap2(dx, dy) * size2);
                if (dx, dy) != (0, 0) && most_gain >= -drop {
                    all.push(Offset { dx: dx as i32, dy: dy as i32, most_gain });
                }
            }
        }
        let key = |o: &Offset| {
            let [dx, dy] = [o.dx, o.dy].map(i64::from);
            (dx * dx + dy * dy, dy, dx)
        };
        let order = |a: &Offset, b: &Offset| {
            b.most_gain.total_cmp(&a.most_gain).then_with(|| key(a).cmp(&key(b)))
        };
        all.sort_unstable_by(order);
        let gain = |dx: isize, dy: isize| law.most_gain(gap2(dx, dy) * size2);
        let pairs = (0..=rows).flat_map(|dy| (-columns..=columns).map(move |dx| (dx, dy)));
        let gains = pairs.map(|(dx, dy)| gain(dx, dy)).collect();
        let ahead = (0..=radius).map(|d| gain(d, 0)).collect();
        Self { all, gains, ahead, columns: columns as usize, drop, radius: radius as usize }
    }

    /// The offsets that can lead as low as `gain` (negative: down), nearest first.
    pub(crate) fn down_to(&self, gain: f64) -> &[Offset] {
        &self.all[..self.all.partition_point(|o| o.most_gain >= gain)]
    }

    /// The largest gain within reach at `dy`, by `dx` and [`Offsets::columns`].
    #[inline]
    pub(crate) fn gains(&self, dy: isize) -> &[f64] {
        let width = 2 * self.columns + 1;
        &self.gains[dy.unsigned_abs() * width..][..width]
    }

    /// `[units: cells]` How far along an axis a jump may lead as low as `gain`, at most.
    pub(crate) fn span(&self, gain: f64) -> usize {
        // The own cell counts as within reach.
        self.ahead.partition_point(|&most| most >= gain).saturating_sub(1)
    }

    pub(crate) fn drop(&self) -> f64 {
        self.drop
    }

    /// `[units: cells]` The largest dx between cells of the terrain within reach.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// `[units: cells]` No offset is longer along an axis.
    pub(crate) fn radius(&self) -> usize {
        self.radius
    }
}
