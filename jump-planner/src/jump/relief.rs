//! How low and how high the ground around is, by tiles: it limits how deep, and so how far, a jump
//! may lead or come from.

use crate::jump::ballistics::Ballistics;

/// `[units: cells]` The side of a tile.
const TILE: usize = 16;
/// `[units: cells]` The side of the small tiles by which a search passes over ground.
pub(crate) const SMALL: usize = 8;

/// Lowest and highest ground of every tile, and of its surroundings within reach.
#[derive(Clone, Debug)]
pub(crate) struct Relief {
    shape: [usize; 2],
    /// `[rows, columns]`
    tiles: [usize; 2],
    own: Vec<[f64; 2]>,
    /// Lowest and highest ground by small tiles.
    small: Vec<[f64; 2]>,
    around: Vec<[f64; 2]>,
    /// `[units: tiles]` No jump leads further.
    most: usize,
}

/// How many small tiles there are, down and across.
pub(crate) fn small_tiles(shape: [usize; 2]) -> [usize; 2] {
    shape.map(|n| n.div_ceil(SMALL))
}

/// The small tile of a cell.
#[inline]
pub(crate) fn small_tile(shape: [usize; 2], cell: usize) -> usize {
    cell / shape[1] / SMALL * shape[1].div_ceil(SMALL) + cell % shape[1] / SMALL
}

impl Relief {
    /// `ranges`: lowest and highest floor by column, plus and minus infinity where there is none;
    /// `radius`: no jump leads further, in cells.
    pub(crate) fn new(
        ranges: impl Fn(usize) -> [f64; 2],
        shape: [usize; 2],
        radius: usize,
        law: &Ballistics,
        cell_size: f64,
    ) -> Self {
        let tiles = shape.map(|n| n.div_ceil(TILE));
        let nothing = vec![[f64::INFINITY, f64::NEG_INFINITY]; tiles[0] * tiles[1]];
        let (own, around, most) = (nothing.clone(), nothing, radius.div_ceil(TILE));
        let small = vec![[f64::INFINITY, f64::NEG_INFINITY]; small_tiles(shape).iter().product()];
        let mut relief = Self { shape, tiles, own, small, around, most };
        for tile in 0..relief.small.len() {
            relief.small[tile] = relief.of_cells(&ranges, tile);
        }
        for tile in 0..relief.own.len() {
            relief.own[tile] = relief.of_smalls(tile);
        }
        for tile in 0..relief.own.len() {
            relief.around[tile] = relief.of_neighbourhood(tile, law, cell_size);
        }
        relief
    }

    /// Follows an edit of a cell.
    ///
    /// # Complexity
    /// O(tiles within reach, twice).
    pub(crate) fn follow(
        &mut self,
        ranges: impl Fn(usize) -> [f64; 2],
        cell: usize,
        radius: usize,
        law: &Ballistics,
        cell_size: f64,
    ) {
        let small = small_tile(self.shape, cell);
        self.small[small] = self.of_cells(&ranges, small);
        let (most, edited) = (radius.div_ceil(TILE), self.tile(cell));
        let own = self.of_smalls(edited);
        if (own, most) == (self.own[edited], self.most) {
            return;
        }
        (self.own[edited], self.most) = (own, most);
        let [ys, xs] = self.within(edited, self.most);
        for tile in ys.flat_map(|y| xs.clone().map(move |x| [y, x])) {
            let tile = tile[0] * self.tiles[1] + tile[1];
            self.around[tile] = self.of_neighbourhood(tile, law, cell_size);
        }
    }

    /// `[units: length]` The lowest ground to which a jump from a cell may lead.
    #[inline]
    pub(crate) fn low(&self, cell: usize) -> f64 {
        self.around[self.tile(cell)][0]
    }

    /// `[units: length]` The highest ground from which a jump to a cell may come.
    #[inline]
    pub(crate) fn high(&self, cell: usize) -> f64 {
        self.around[self.tile(cell)][1]
    }

    /// `[units: cells]` No jump leads further along either axis.
    pub(crate) fn furthest(&self, law: &Ballistics, cell_size: f64) -> f64 {
        let drops = self.own.iter().zip(&self.around).map(|(own, around)| own[1] - around[0]);
        law.longest(drops.fold(0.0, f64::max)) / cell_size + 2.0
    }

    #[inline]
    fn tile(&self, cell: usize) -> usize {
        let columns = self.shape[1];
        cell / columns / TILE * self.tiles[1] + cell % columns / TILE
    }

    /// `[units: length]` Lowest and highest ground of a small tile.
    #[inline]
    pub(crate) fn of_small(&self, tile: usize) -> [f64; 2] {
        self.small[tile]
    }

    /// The lowest and highest of the small tiles of a tile.
    fn of_smalls(&self, tile: usize) -> [f64; 2] {
        const ACROSS: usize = TILE / SMALL;
        let [down, across] = small_tiles(self.shape);
        let (y, x) = (tile / self.tiles[1] * ACROSS, tile % self.tiles[1] * ACROSS);
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for y in y..(y + ACROSS).min(down) {
            for x in x..(x + ACROSS).min(across) {
                let [low, high] = self.small[y * across + x];
                range = [range[0].min(low), range[1].max(high)];
            }
        }
        range
    }

    /// The lowest and highest of the cells of a small tile.
    fn of_cells(&self, ranges: impl Fn(usize) -> [f64; 2], tile: usize) -> [f64; 2] {
        let [rows, columns] = self.shape;
        let across = columns.div_ceil(SMALL);
        let (y, x) = (tile / across * SMALL, tile % across * SMALL);
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for y in y..(y + SMALL).min(rows) {
            for x in x..(x + SMALL).min(columns) {
                let [low, high] = ranges(y * columns + x);
                range = [range[0].min(low), range[1].max(high)];
            }
        }
        range
    }

    fn within(&self, tile: usize, span: usize) -> [std::ops::RangeInclusive<usize>; 2] {
        let at = [tile / self.tiles[1], tile % self.tiles[1]];
        [0, 1].map(|a| at[a].saturating_sub(span)..=(at[a] + span).min(self.tiles[a] - 1))
    }

    /// The ground that a jump from or to a tile may meet: as far as the deepest drop in that
    /// neighbourhood carries, which may be less far than the neighbourhood is wide.
    fn of_neighbourhood(&self, tile: usize, law: &Ballistics, cell_size: f64) -> [f64; 2] {
        let own = self.own[tile];
        let mut span = self.most;
        loop {
            let [ys, xs] = self.within(tile, span);
            let mut range = own;
            for y in ys {
                for x in xs.clone() {
                    let other = self.own[y * self.tiles[1] + x];
                    range = [range[0].min(other[0]), range[1].max(other[1])];
                }
            }
            let drop = (own[1] - range[0]).max(range[1] - own[0]).max(0.0);
            // One cell more since the nearest points of cells count, one more for rounding.
            let carries = law.longest(drop) / cell_size + 2.0;
            let needed = if carries < 1e9 { (carries as usize).div_ceil(TILE) } else { span };
            if needed >= span {
                return range;
            }
            span = needed;
        }
    }
}
