//! Where those come in that have no place of their own.

use super::stage::Stage;
use crate::scenario::ScenarioError;
use rand::RngExt;
use wave_core::Space;

/// Random draws of a group that may miss, before its free cells are listed.
const MOST_MISSES: u64 = 100_000;

/// Random free cells of a group: anywhere, or near a place.
pub(super) struct Places<'k> {
    /// A place `[x, y, z]`, and how far from it along each axis.
    near: Option<([f64; 3], f64)>,
    key: &'k str,
    /// How many draws may still miss.
    misses: u64,
    /// The free cells, by their numbers, once so many draws have missed that there must be few.
    free: Option<Vec<u32>>,
}

impl<'k> Places<'k> {
    /// For the group of this key.
    pub(super) fn new(near: Option<([f64; 3], f64)>, key: &'k str) -> Self {
        Self { near, key, misses: MOST_MISSES, free: None }
    }

    /// The centre of one of them.
    ///
    /// # Complexity
    /// Up to sixteen draws on the mean, and once, where few hit, all cells that may.
    pub(super) fn draw<D: Space>(
        &mut self,
        stage: &mut Stage<D>,
    ) -> Result<[f64; 3], ScenarioError> {
        self.misses += 16;
        while self.free.is_none() && self.misses > 0 {
            let cell = match self.near {
                None => Some(stage.random_cell()),
                Some((at, spread)) => {
                    let mut place = at;
                    for v in &mut place[..D::AXES] {
                        *v += spread * stage.rng.random_range(-1.0..=1.0);
                    }
                    stage.cell(place)
                }
            };
            if let Some(cell) = cell.filter(|&cell| !stage.is_wall(cell)) {
                return Ok(stage.centre(cell));
            }
            self.misses -= 1;
        }
        let free = self.free.get_or_insert_with(|| free_cells(stage, self.near));
        if free.is_empty() {
            let Self { near, key, .. } = self;
            let (key, value, limit) = match near {
                None => (format!("{key}.start"), "none".to_owned(), "the map has no free cell"),
                Some((_, spread)) => {
                    (format!("{key}.spread"), format!("{spread:?}"), "no free cell that near")
                }
            };
            return Err(stage.scenario.origin.refuse(&key, value, limit));
        }
        let number = free[stage.rng.random_range(0..free.len() as u64) as usize] as usize;
        let (_, height, width) = stage.terrain.walls.dim();
        Ok(stage.centre([number / width / height, number / width % height, number % width]))
    }
}

/// The numbers, in storage, of the free cells that a draw may come to.
fn free_cells<D: Space>(stage: &Stage<D>, near: Option<([f64; 3], f64)>) -> Vec<u32> {
    let (depth, height, width) = stage.terrain.walls.dim();
    let spacing = stage.scenario.map.spacing;
    let [x, y, z] = std::array::from_fn(|a| {
        let size = [width, height, depth][a];
        let Some((at, spread)) = near else { return 0..size };
        // Casts end at 0.
        let low = ((at[a] - spread) / spacing).round() as usize;
        let high = ((at[a] + spread) / spacing).round() as usize;
        low.min(size)..high.saturating_add(1).min(size)
    });
    let mut free = Vec::new();
    for z in z {
        for y in y.clone() {
            let cells = x.clone().filter(|&x| !stage.is_wall([z, y, x]));
            free.extend(cells.map(|x| ((z * height + y) * width + x) as u32));
        }
    }
    free
}
