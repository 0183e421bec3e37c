//! The map changes: blocks of two by two walls come up in open ground and go again.

use super::lattice::{Cell, Lattice, Place, distance};
use super::scene::Scene;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A block to build or to take away, by its first cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    corner: Cell,
    pub(crate) wall: bool,
}

impl Edit {
    pub(crate) fn cells(self, stride: usize) -> [Cell; 4] {
        [0, 1, stride, stride + 1].map(|offset| self.corner + offset)
    }
}

/// The most blocks that stand at a time.
const BLOCKS: usize = 16;
/// Random places that are tried for a block.
const TRIES: usize = 64;
/// `[units: cells]` How far a new block keeps from every pursuer.
const KEEP_OFF: f64 = 4.0;

/// Decides on edits; the ring around a block is open when it is built, so nothing is walled in.
#[derive(Clone, Debug)]
pub(crate) struct Edits {
    rng: ChaCha8Rng,
    /// First cells of blocks whose cells and ring lie aside of the target's course.
    places: Vec<Cell>,
    standing: Vec<Cell>,
}

impl Edits {
    pub(crate) fn new(scene: &Scene, seed: u64) -> Self {
        let lattice = &scene.lattice;
        let aside = Lattice { stride: lattice.stride, open: scene.aside.clone() };
        let fits = |cell: &Cell| aside.all_open(cell - lattice.stride - 1, 4, 4);
        let places = (lattice.stride + 1..lattice.open.len()).filter(fits).collect();
        Self { rng: ChaCha8Rng::seed_from_u64(seed), places, standing: Vec::new() }
    }

    /// The next edit of a map as it is now; none where no place is found.
    pub(crate) fn next(
        &mut self,
        lattice: &Lattice,
        pursuers: &(impl Iterator<Item = Place> + Clone),
    ) -> Option<Edit> {
        if self.standing.len() >= BLOCKS {
            return Some(Edit { corner: self.standing.remove(0), wall: false });
        }
        for _ in 0..TRIES.min(self.places.len()) {
            let corner = self.places[self.rng.random_range(0..self.places.len())];
            if !lattice.all_open(corner - lattice.stride - 1, 4, 4) {
                continue;
            }
            let [x, y] = lattice.centre(corner);
            let middle = [x + 0.5, y + 0.5];
            if pursuers.clone().all(|place| distance(place, middle) > KEEP_OFF) {
                self.standing.push(corner);
                return Some(Edit { corner, wall: true });
            }
        }
        let oldest = (!self.standing.is_empty()).then(|| self.standing.remove(0));
        oldest.map(|corner| Edit { corner, wall: false })
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::arena;
    use super::*;
    use crate::pursuit::fields::{Bfs, Field};

    #[test]
    fn blocks_come_and_go_and_wall_nothing_in() {
        let scene = Scene::new(&arena(), 0, 10, 0.4, 7);
        let mut lattice = scene.lattice.clone();
        let mut edits = Edits::new(&scene, 1);
        let pursuer = [30.0, 25.0];
        let target = lattice.cell(scene.course[0]);
        let joined = |lattice: &Lattice| {
            let mut field = Bfs::new(lattice);
            field.fill(target);
            (0..lattice.open.len()).filter(|&c| lattice.open[c] && field.next(c) != c).count()
        };
        let (before, mut built, mut taken) = (joined(&lattice), 0, 0);
        for _ in 0..60 {
            let edit = edits.next(&lattice, &[pursuer].into_iter()).unwrap();
            for cell in edit.cells(lattice.stride) {
                assert_eq!(lattice.open[cell], edit.wall);
                assert!(distance(lattice.centre(cell), pursuer) > 3.0);
                lattice.open[cell] = !edit.wall;
            }
            *(if edit.wall { &mut built } else { &mut taken }) += 1;
            assert_eq!(joined(&lattice), before - 4 * (built - taken));
        }
        assert!(built > 20 && taken > 20);
    }
}
