//! Walls that come and go in a tracker's map, never where a target or a pursuer stands.

use crate::compiled::compiled;
use crate::error::TrackError;
use crate::ground::{Cells, SKIN, floor};
use crate::pursuer::Pursuer;
use crate::tracker::Tracker;
use std::collections::BTreeSet;
use wave_core::{MediumError, Space};

/// After so many edits without a move, it pays to note for all cells whether a body stands there.
const MANY_EDITS: u32 = 6;

/// A bit for every cell: whether a target or a pursuer stands in it or within [`SKIN`] of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    bits: Vec<u64>,
    /// How often edits have asked since the last move; from [`MANY_EDITS`] on the bits are known.
    pub(crate) asked: u32,
}

impl<D: Space> Tracker<D> {
    /// Makes a cell a wall or frees it; see [`Medium::set_wall`](wave_core::Medium::set_wall).
    ///
    /// # Errors
    /// [`TrackError::Occupied`] if a target or a pursuer stands there or within [`SKIN`] of it (a
    /// door that closes is tried again in the next frame); [`TrackError::Medium`].
    ///
    /// # Complexity
    /// O(1) to free a cell; O(pursuers) to build one of the first six walls after a move, O(cells /
    /// 64 + pursuers) for the last of them, then O(1).
    pub fn set_wall(&mut self, cell: D::Cell, wall: bool) -> Result<(), TrackError> {
        let cell = D::to_zyx(cell);
        compiled!(
            D: (this: &mut Tracker<D> = self; cell: [usize; 3], wall: bool) -> Result<(), TrackError>
            { this.edit(D::from_zyx(cell), wall) }
        )
    }

    pub(crate) fn edit(&mut self, cell: D::Cell, wall: bool) -> Result<(), TrackError> {
        if wall {
            self.check_free(cell)?;
        }
        let before = self.medium.revision();
        self.medium.set_wall(cell, wall)?;
        let edits = self.medium.revision() - before;
        self.edits += edits;
        if !wall && edits > 0 {
            self.era += 1;
            self.waves.take_along(self.era);
        }
        Ok(())
    }

    /// Makes cells walls or frees them, all or none: a door of several cells. If a cell has two
    /// entries, the last one counts.
    ///
    /// # Errors
    /// As [`Tracker::set_wall`], for the first cell that is refused; none has changed then.
    ///
    /// # Complexity
    /// O(log cells) and that of [`Tracker::set_wall`] for each cell.
    pub fn set_walls(&mut self, cells: &[(D::Cell, bool)]) -> Result<(), TrackError> {
        let cells: Vec<_> = cells.iter().map(|&(cell, wall)| (D::to_zyx(cell), wall)).collect();
        compiled!(
            D: (this: &mut Tracker<D> = self; cells: Vec<([usize; 3], bool)>)
                -> Result<(), TrackError>
            { this.edit_all(&cells) }
        )
    }

    fn edit_all(&mut self, cells: &[([usize; 3], bool)]) -> Result<(), TrackError> {
        let shape = D::to_size(self.medium.shape());
        // One that is freed and closed again must be checked as it will be.
        let mut known = BTreeSet::new();
        let mut cells: Vec<_> = cells.iter().rev().filter(|(zyx, _)| known.insert(*zyx)).collect();
        cells.reverse();
        for &&(zyx, wall) in &cells {
            if zyx.iter().zip(shape).any(|(c, n)| *c >= n) {
                return Err(MediumError::OutOfGrid {
                    cell: zyx[3 - D::AXES..].to_vec(),
                    shape: shape[3 - D::AXES..].to_vec(),
                }
                .into());
            }
            if wall {
                self.check_free(D::from_zyx(zyx))?;
            }
        }
        cells.into_iter().try_for_each(|&(zyx, wall)| self.edit(D::from_zyx(zyx), wall))
    }

    /// Checks that no target or pursuer stands where a wall is to come.
    pub(crate) fn check_free(&mut self, cell: D::Cell) -> Result<(), TrackError> {
        if self.medium.is_wall(cell) || !self.may_stand_at(cell) {
            return Ok(());
        }
        let who = if self.targets.here().iter().any(|&at| touches::<D>(at, cell)) {
            Some("a target".to_owned())
        } else {
            let stands = self.pursuers.iter().find(|p| touches::<D>(p.at(), cell));
            stands.map(|p| format!("pursuer {}", p.id.number()))
        };
        match who {
            Some(who) => Err(TrackError::Occupied { cell: D::to_zyx(cell), who }),
            None => Ok(()),
        }
    }

    /// Whether it is worth looking for a body that touches an open cell.
    fn may_stand_at(&mut self, cell: D::Cell) -> bool {
        let size = D::to_size(self.medium.shape());
        let Self { targets, pursuers, standing, .. } = self;
        standing.asked = standing.asked.saturating_add(1);
        if standing.asked < MANY_EDITS {
            return true;
        }
        if standing.asked == MANY_EDITS {
            standing.bits.clear();
            standing.bits.resize(size.iter().product::<usize>().div_ceil(64), 0);
            for at in targets.here().iter().copied().chain(pursuers.iter().map(Pursuer::at)) {
                // Rounding must not leave out a cell that `touches` finds.
                let reach = TOUCH + 1e-6;
                let ends = |a: usize| {
                    let (low, high) = (-floor(reach - at[a]), floor(at[a] + reach));
                    low.max(0) as usize..=high.clamp(0, size[2 - a] as i64 - 1) as usize
                };
                for z in ends(2) {
                    for y in ends(1) {
                        for x in ends(0) {
                            let i = (z * size[1] + y) * size[2] + x;
                            standing.bits[i / 64] |= 1 << (i % 64);
                        }
                    }
                }
            }
        }
        let [z, y, x] = D::to_zyx(cell);
        let i = (z * size[1] + y) * size[2] + x;
        standing.bits[i / 64] >> (i % 64) & 1 == 1
    }
}

/// `[units: cells]` How near a body must be to the middle of a cell, along an axis, to touch the
/// cell.
const TOUCH: f64 = 0.5 + SKIN + 1e-6;

/// Whether the box around `at` touches `cell`.
fn touches<D: Space>(at: Cells, cell: D::Cell) -> bool {
    let [z, y, x] = D::to_zyx(cell).map(|c| c as f64);
    [x, y, z].iter().zip(at).all(|(c, a)| (c - a).abs() <= TOUCH)
}
