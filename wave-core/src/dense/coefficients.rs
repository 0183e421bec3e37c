//! The coefficients of a step: a cache that waves keep up to date by the map's edits.

use super::kinds::{self, Kinds};
use super::real::Real;
use super::step::centre;
use super::storage::{Cells, Role, cells, padded};
use crate::grid::{Edit, Layout, Map, News, WallRule};
use crate::simd::Simd;

/// delta and the neighbours that count, of every stored cell, as steps read them.
///
/// # Kinds of cells
/// Cells of the same speed and the same number of neighbours that count are of one kind. While
/// there are no more kinds than a step can look up in registers, walls included, a step is 1.15 to
/// 1.4 times as fast on deep grids. It is also faster on flat ones of 2^22 cells and, in runs of
/// few steps, of 2^16:
///
/// | | kinds | speeds that always fit |
/// |---|---|---|
/// | AVX-512, `f32` | 32 | 4 |
/// | AVX-512, `f64` | 16 | 2 |
/// | AVX2, `f32` | 8 | 1 |
///
/// With more kinds, a step does not use them. When they are few again, it uses them after one more
/// edit for every 4096 cells. After there were more than 256, it does not use them until the wave
/// is made again. No bit depends on this.
#[derive(Clone, Debug)]
pub struct Coefficients<S> {
    pub(crate) layout: Layout,
    /// `(c dt / h)^2` per open cell, not positive elsewhere. On flat grids 0 there; on deep ones
    /// [packed](super::packed) with k, so that a step without kinds reads nothing else.
    pub(crate) delta: Cells<S>,
    /// On flat grids, `2 - k * delta` of open cells: a flat step is bound by arithmetic and 1.3x as
    /// fast with it. Empty on deep grids, which gain nothing.
    pub(crate) centre: Cells<S>,
    /// A run reads these in place of the others where that is faster and kinds are few enough.
    /// `None` where they are never looked up, or there were more than a byte can name.
    pub(crate) kinds: Option<Box<Kinds<S>>>,
    /// The factor `mu dt / 2` of the damped scheme.
    pub(crate) half_damping: S,
}

impl<S: Real> Coefficients<S> {
    /// The coefficients of a map in this layout.
    pub(crate) fn new(map: &Map, layout: Layout) -> Self {
        let few = S::kinds(Simd::best());
        let kinds = few > 0 && kinds::help(&layout, 1);
        Self::with_kinds(map, layout, if kinds { few } else { 0 })
    }

    /// As if a run were faster with up to so many kinds.
    fn with_kinds(map: &Map, layout: Layout, few: usize) -> Self {
        let (delta, centre) = if layout.size[0] > 1 {
            (cells(&layout, Role::Delta, S::OUTSIDE), Cells::none())
        } else {
            let [delta, centre] =
                [Role::Delta, Role::Centre].map(|role| cells(&layout, role, S::ZERO));
            (delta, centre)
        };
        let mut all = Self {
            delta,
            centre,
            kinds: (few > 0).then(|| Box::new(Kinds::new(&layout, few))),
            half_damping: S::from_f64(map.damping() * map.dt() / 2.0),
            layout,
        };
        all.read(map);
        all
    }

    /// The layout of a wave in this number format, if it can be stored.
    pub(crate) fn layout(size: [usize; 3]) -> Option<Layout> {
        padded(size, size_of::<S>())
    }

    /// Reads all cells.
    fn read(&mut self, map: &Map) {
        let [nz, ny, nx] = map.size();
        let mut last = (f64::NAN, S::ZERO);
        for (z, y) in (0..nz).flat_map(|z| (0..ny).map(move |y| (z, y))) {
            let number = map.number([z, y, 0]);
            for x in 0..nx {
                let speed = map.speeds().at(number + x);
                if speed != last.0 {
                    last = (speed, Self::delta_of(map, speed));
                }
                self.set(map, [z, y, x], last.1);
            }
        }
    }

    /// Takes over a follower's news, and calls `edited` for every cell that may be a wall now.
    pub(crate) fn follow(&mut self, map: &Map, news: News<'_>, mut edited: impl FnMut(usize)) {
        match news {
            News::Nothing => (),
            News::Edits(edits) => {
                for edit in edits {
                    match edit {
                        Edit::Speed(number) => self.count(map, map.cell(number)),
                        Edit::Wall(number) => {
                            let cell = map.cell(number);
                            self.count(map, cell);
                            for axis in 0..3 {
                                for step in [-1, 1] {
                                    let mut beside = cell;
                                    beside[axis] = beside[axis].wrapping_add_signed(step);
                                    if map.contains(beside) {
                                        self.count(map, beside);
                                    }
                                }
                            }
                            edited(self.layout.index(cell));
                        }
                    }
                }
            }
            News::Everything => {
                self.half_damping = S::from_f64(map.damping() * map.dt() / 2.0);
                self.read(map);
                self.layout.indices().for_each(edited);
            }
        }
    }

    fn count(&mut self, map: &Map, cell: [usize; 3]) {
        let speed = map.speeds().at(map.number(cell));
        self.set(map, cell, Self::delta_of(map, speed));
    }

    /// Sets one cell, of this delta, by the map.
    fn set(&mut self, map: &Map, cell: [usize; 3], delta: S) {
        let [z, y, x] = cell;
        let (number, i) = (map.number(cell), self.layout.index(cell));
        if !map.is_open(number) {
            self.delta[i] = if self.centre.is_empty() { S::OUTSIDE } else { S::ZERO };
            if let Some(centre) = self.centre.get_mut(i) {
                *centre = S::ZERO;
            }
            if let Some(kinds) = &mut self.kinds {
                kinds.close(i);
            }
            return;
        }
        let [nz, ny, nx] = map.size();
        let counts =
            |number: usize| u8::from(map.wall_rule() == WallRule::Fixed || map.is_open(number));
        let mut k = 0;
        for (c, n, stride) in [(x, nx, 1), (y, ny, nx), (z, nz, nx * ny)] {
            k += if c > 0 { counts(number - stride) } else { 0 };
            k += if c + 1 < n { counts(number + stride) } else { 0 };
        }
        if let Some(own) = self.centre.get_mut(i) {
            *own = centre(delta, S::from_u8(k));
            self.delta[i] = delta;
        } else {
            self.delta[i] = S::pack(delta, k);
        }
        if self.kinds.as_mut().is_some_and(|kinds| kinds.open(i, delta, k).is_err()) {
            self.kinds = None;
        }
    }

    /// Whether the stored cell is open.
    #[inline]
    pub(crate) fn is_open(&self, i: usize) -> bool {
        self.delta[i] > S::ZERO
    }

    /// delta and `2 - k * delta` of a stored cell; 0 for both where it is not open.
    #[cfg(test)]
    fn of(&self, i: usize) -> [S; 2] {
        match self.centre.get(i) {
            Some(&centre) => [self.delta[i], centre],
            None if self.is_open(i) => {
                let (delta, k) = self.delta[i].unpack();
                [delta, centre(delta, S::from_u8(k))]
            }
            None => [S::ZERO; 2],
        }
    }

    /// `(c dt / h)^2` in this number format, in which it is stable as well, and a multiple of
    /// [`Real::EPSILON`]. `k * delta` and `2 - k * delta` are then exact, and a wave that is the
    /// same everywhere stays as it is. If they were off by `u`, it would grow by `sqrt(u)` a step.
    pub(super) fn delta_of(map: &Map, speed: f64) -> S {
        let one = 1.0 / S::EPSILON.to_f64();
        let units = (map.delta(speed) * one).round().max(1.0);
        let is_stable = units * map.long_axes() as f64 <= one;
        S::from_f64(if is_stable { units } else { units - 1.0 } / one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrival::march::tests::dice;
    use crate::dense::kernel::Kernels;
    use crate::grid::{Follower, Medium, Space};
    use ndarray::{Array3, Ix2, Ix3};
    use proptest::prelude::*;

    fn of_medium<D: Space, S: Real>(medium: &Medium<D>, few: usize) -> Coefficients<S> {
        let layout = Coefficients::<S>::layout(medium.map().size()).unwrap();
        Coefficients::with_kinds(medium.map(), layout, few)
    }

    /// Edits in which no more than `speeds` speeds occur, and whether a byte could name all kinds.
    fn are_told_of_edits<D: Space, S: Real>(
        few: usize,
        size: [usize; 3],
        speeds: u64,
        seed: u64,
    ) -> bool {
        let mut random = dice();
        for _ in 0..seed {
            random(2);
        }
        let mut medium = Medium::<D>::builder(D::from_zyx(size)).dt(0.2).build().unwrap();
        let mut follower = Follower::new(medium.map().edits());
        let mut all = of_medium::<D, S>(&medium, few);
        for _ in 0..200 {
            let cell = D::from_zyx(size.map(|n| random(n as u64) as usize));
            if random(2) == 0 {
                medium.set_wall(cell, random(2) == 0).unwrap();
            } else {
                medium.set_speed(cell, 2.0 / (1 + random(speeds)) as f64).unwrap();
            }
            if random(3) == 0 {
                continue;
            }
            all.follow(medium.map(), follower.news(medium.map().edits()), |_| ());
            let Some(kinds) = &all.kinds else { return false };
            let new = of_medium::<D, S>(&medium, few);
            for (i, &kind) in kinds.of().iter().enumerate() {
                let found = [kinds.table().delta, kinds.table().centre]
                    .map(|column| column[usize::from(kind)]);
                assert_eq!(found, all.of(i));
                assert_eq!(new.of(i), all.of(i));
            }
        }
        true
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        #[test]
        fn kinds_are_what_the_medium_is(nz in 1..4usize, ny in 1..5usize, nx in 1..20usize, seed in 0..1000u64) {
            let (flat, deep) = ([1, ny, nx], [nz, ny, nx]);
            prop_assert!(are_told_of_edits::<Ix2, f32>(32, flat, 6, seed));
            prop_assert!(are_told_of_edits::<Ix3, f32>(32, deep, 4, seed));
            prop_assert!(are_told_of_edits::<Ix3, f64>(16, deep, 2, seed));
            prop_assert!(are_told_of_edits::<Ix3, f64>(16, deep, 9, seed));
        }
    }

    #[test]
    fn more_speeds_than_a_byte_can_name_are_done_without_kinds() {
        let speeds = Array3::from_shape_fn([3, 10, 20], |(z, y, x)| {
            2.0 / (1 + x + 20 * (y + 10 * z)) as f32
        });
        let medium = Medium::<Ix3>::builder([3, 10, 20]).speeds(&speeds).build().unwrap();
        assert!(of_medium::<Ix3, f32>(&medium, 8).kinds.is_none());
    }

    /// One number a cell and, if that, a byte: with a wave's two numbers 13 bytes in `f32`, before
    /// the padding that the layout answers for.
    #[test]
    fn on_deep_grids_they_are_a_number_and_at_most_a_byte_a_cell() {
        let medium = Medium::<Ix3>::builder([20, 30, 40]).build().unwrap();
        let layout = Coefficients::<f32>::layout([20, 30, 40]).unwrap();
        let all = Coefficients::<f32>::new(medium.map(), layout);
        assert!(all.centre.is_empty());
        assert_eq!(all.delta.len(), all.layout.len);
        let kinds = all.kinds.as_ref().map_or(0, |kinds| size_of_val(kinds.of()));
        let looked_up = f32::kinds(Simd::best()) > 0;
        assert_eq!(kinds, if looked_up { all.layout.len } else { 0 });
    }
}
