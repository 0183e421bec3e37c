//! Flights as a game would fly them: small steps in time, looking at the cell below at every step.

use glam::{DVec2, DVec3};
use jump_planner::{Ballistics, Character, Flight, Terrain};
use ndarray::Array2;

/// A small terrain for one question.
pub(crate) struct Scene {
    pub(crate) heights: Array2<f64>,
    pub(crate) ceilings: Option<Array2<f64>>,
    pub(crate) cell_size: f64,
    pub(crate) character: Character,
}

impl Scene {
    pub(crate) fn terrain(&self) -> Terrain {
        let builder = Terrain::builder(&self.heights).cell_size(self.cell_size);
        match &self.ceilings {
            Some(ceilings) => builder.ceilings(ceilings).build().unwrap(),
            None => builder.build().unwrap(),
        }
    }

    /// First and last cell under a body along an axis of `n` cells, `r` to each side; cells before
    /// the first count as that. Conversions cut off the fraction, which is cheaper than `floor`.
    fn under(v: f64, r: f64, n: usize) -> [usize; 2] {
        let (low, high) = ((v - r) as usize, (v + r) as usize);
        let touches_only = r > 0.0 && high > 0 && high as f64 == v + r;
        [low, (if r == 0.0 { low } else { high - usize::from(touches_only) }).min(n - 1)]
    }

    /// Height and ceiling under and over a body in these cells.
    fn around(&self, [ys, xs]: [[usize; 2]; 2]) -> (f64, f64) {
        let (mut top, mut ceiling) = (f64::NEG_INFINITY, f64::INFINITY);
        for y in ys[0]..=ys[1] {
            for x in xs[0]..=xs[1] {
                top = top.max(self.heights[[y, x]]);
                if let Some(ceilings) = &self.ceilings {
                    ceiling = ceiling.min(ceilings[[y, x]]);
                }
            }
        }
        (top, ceiling)
    }

    /// The least clearance of a flight in `steps` steps. Over the squares where it starts and lands
    /// it must only not be below ground: there it is as low as one likes. Ends, with what it is by
    /// then, where it is no more than `enough`.
    pub(crate) fn flown(
        &self,
        launch: DVec3,
        velocity: DVec3,
        time: f64,
        steps: usize,
        ends: [[usize; 2]; 2],
        enough: f64,
    ) -> f64 {
        let g = self.character.gravity();
        let (height, r) = (self.character.height(), self.character.radius() / self.cell_size);
        let (rows, columns) = self.heights.dim();
        let mut least = f64::INFINITY;
        // The ground under the body and the ceilings over it change only with the cells that it is
        // in.
        let (mut cells, mut around) = ([[usize::MAX; 2]; 2], (0.0, 0.0));
        for n in 0..=steps {
            let t = time * n as f64 / steps as f64;
            let p = launch + velocity * t - DVec3::new(0.0, 0.0, 0.5 * g * t * t);
            let at = DVec2::new(p.x, p.y) / self.cell_size;
            let now = [Self::under(at.y, r, rows), Self::under(at.x, r, columns)];
            if now != cells {
                (cells, around) = (now, self.around(now));
            }
            let (top, ceiling) = around;
            let home = r == 0.0 && ends.contains(&[at.y as usize, at.x as usize]);
            if n == 0 || n == steps || home {
                if top > p.z + 1e-9 {
                    return p.z - top;
                }
            } else {
                least = least.min(p.z - top);
            }
            least = least.min(ceiling - p.z - height);
            if least <= enough {
                break;
            }
        }
        least
    }

    /// The least clearance of a witness whose world has cell centres at whole multiples of the
    /// size.
    pub(crate) fn clearance(&self, flight: &Flight, steps: usize, ends: [[usize; 2]; 2]) -> f64 {
        let half = DVec3::new(0.5, 0.5, 0.0) * self.cell_size;
        self.flown(
            flight.launch + half,
            flight.velocity,
            flight.flight_time,
            steps,
            ends,
            f64::NEG_INFINITY,
        )
    }

    /// The [`best_flight`] between two cells, of `steps` steps.
    pub(crate) fn search(&self, from: [usize; 2], to: [usize; 2], n: usize, steps: usize) -> f64 {
        let ends = [from, to];
        let feet = ends.map(|cell| (cell, self.heights[cell]));
        let flown = |launch, velocity, time, steps, enough| {
            self.flown(launch, velocity, time, steps, ends, enough)
        };
        best_flight(
            &self.character,
            self.cell_size,
            feet,
            n,
            [1, 12, 300].map(|k| k * steps),
            flown,
        )
    }
}

/// A clearance of n^2 times n^2 pairs of points of two cells with ground at these heights, by both
/// arcs: positive if any is. A pair that comes out clear is flown again in more steps, or it may
/// have passed over the tip of a corner. `flown` is told of a launch, a velocity, a time, steps and
/// a clearance that it may end at.
pub(crate) fn best_flight(
    character: &Character,
    cell_size: f64,
    [from, to]: [([usize; 2], f64); 2],
    n: usize,
    steps: [usize; 3],
    flown: impl Fn(DVec3, DVec3, f64, usize, f64) -> f64,
) -> f64 {
    let (v, g) = (character.launch_speed(), character.gravity());
    let law = Ballistics::new(v, g).unwrap();
    let mut best = f64::NEG_INFINITY;
    // Off the middle, each end differently: no segment runs exactly through a corner, which
    // flights in time would never notice.
    let share = |i: usize, off: f64| (i as f64 + 0.5 + off) / n as f64;
    let at = |cell: [usize; 2], i: usize, off: f64| {
        let (x, y) = (share(i % n, off), share(i / n, -0.7 * off));
        DVec2::new(cell[1] as f64 + x, cell[0] as f64 + y) * cell_size
    };
    for i in 0..n * n {
        for j in 0..n * n {
            let (p, q) = (at(from.0, i, 0.11), at(to.0, j, 0.23));
            let way = q - p;
            for arc in law.arcs(way.length(), to.1 - from.1).into_iter().flatten() {
                let cosine = 1.0 / (1.0 + arc.tangent * arc.tangent).sqrt();
                let level = way / way.length() * v * cosine;
                let velocity = level.extend(v * cosine * arc.tangent);
                let time = way.length() / (v * cosine);
                let mut clear = f64::INFINITY;
                for steps in steps {
                    if clear > 0.0 && clear > best {
                        clear = flown(p.extend(from.1), velocity, time, steps, best.max(0.0));
                    }
                }
                best = best.max(clear);
                if best > 0.01 {
                    return best;
                }
            }
        }
    }
    best
}
