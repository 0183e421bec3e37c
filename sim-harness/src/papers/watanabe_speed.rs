//! `reproduce watanabe-speed`: frames per second of three waves on one thread.
//!
//! watanabe-2021 6.1 measured 1423.49 FPS at 100 x 100 cells and 547.31 at 200 x 200, without
//! drawing, on a Xeon E5 of 2.7 GHz of 2013. A frame is one step of every wave. Here every
//! contestant runs one lifetime of 300 frames, wave i emitted in frame 100 i, on the map "rooms" of
//! [`PLANS`]: our dense waves in `f32` and `f64`, in `f64` one that notes its arrivals (which costs
//! nothing once it has ended), and the published method plainly written, three buffers of `f64`.
//! They take turns, round by round; `measured` is the median.
//!
//! A row holds where we reach the published figure; the plain method shows the effect of the other
//! machine alone.

use super::plans::PLANS;
use super::{By, Figure, Of, ReproduceError, Row};
use ndarray::Array2;
use ndarray::Ix2;
use std::time::Instant;
use wave_core::{Medium, Real, RecordedWave, Source, WallRule, Wave, WaveError};

const WAVES: usize = 3;
/// `[units: frames]` The lifetime of a wave.
const FRAMES: usize = 300;
/// Rounds, where as many seeds are asked for.
const ROUNDS: u64 = 15;
/// Cells to a side of a field, and FPS as published.
const SIZES: [(usize, f64); 2] = [(5, 1423.49), (10, 547.31)];

pub(super) fn ticks(seeds: u64) -> u64 {
    SIZES.len() as u64 * seeds.min(ROUNDS)
}

/// A seed is a round here: nothing is random.
pub(super) fn rows(seeds: u64, tick: &(dyn Fn() + Sync)) -> Result<Vec<Row>, ReproduceError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        let mut rows = Vec::new();
        for (scale, published) in SIZES {
            measure(scale, published, seeds.min(ROUNDS), tick, &mut rows)?;
        }
        Ok(rows)
    })
}

fn measure(
    scale: usize,
    published: f64,
    rounds: u64,
    tick: &(dyn Fn() + Sync),
    rows: &mut Vec<Row>,
) -> Result<(), ReproduceError> {
    let plan = PLANS[1];
    let walls = plan.walls(scale);
    let source = plan.field('T', scale).unwrap_or_default();
    let single = medium(&walls, WallRule::Fixed)?;
    let double = medium(&walls, WallRule::Fixed)?;
    let free = medium(&walls, WallRule::Free)?;
    let mut singles = vec![Wave::new(&single)?; WAVES];
    let mut doubles = vec![Wave::<_, f64>::typed(&double)?; WAVES];
    let mut fronts = vec![RecordedWave::<_, f64>::typed(&free)?; WAVES];
    let mut plains = vec![PlainWave::new(&walls, double.dt()); WAVES];
    let mut seconds = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        seconds[0].push(lifetime(&mut singles, |w, due| dense(w, &single, source, due))?);
        seconds[1].push(lifetime(&mut doubles, |w, due| dense(w, &double, source, due))?);
        seconds[2].push(lifetime(&mut fronts, |front, due| {
            if due {
                front.emit(&free, &[source], RecordedWave::pulse(&free))?;
            }
            front.step(&free, 1).map(drop)
        })?);
        seconds[3].push(lifetime(&mut plains, |plain, due| {
            if due {
                plain.emit(source);
            }
            plain.step();
            Ok(())
        })?);
        tick();
    }
    let contestants = [
        ("dense, f32", By::Ours, true),
        ("dense, f64", By::Ours, true),
        ("noting arrivals, f64", By::Ours, true),
        ("plainly written, f64", By::Published, false),
    ];
    for ((name, by, claims), mut seconds) in contestants.into_iter().zip(seconds) {
        seconds.sort_by(f64::total_cmp);
        let fps = |seconds: f64| FRAMES as f64 / seconds;
        let measured = fps(seconds[seconds.len() / 2]);
        rows.push(Row {
            of: Of::Source,
            case: format!("{0} x {0}: FPS, {name}", walls.nrows()),
            by,
            published: Some(Figure::Number(published)),
            measured: Figure::Number(measured),
            holds: claims.then_some(measured >= published),
            detail: format!(
                "{:.0} to {:.0} in {rounds} rounds, one thread; published on a machine of 2013",
                fps(seconds[seconds.len() - 1]),
                fps(seconds[0]),
            ),
        });
    }
    Ok(())
}

fn medium(walls: &Array2<bool>, rule: WallRule) -> Result<Medium<Ix2>, ReproduceError> {
    let builder = Medium::builder([walls.nrows(), walls.ncols()]);
    Ok(builder.walls(walls).wall_rule(rule).build()?)
}

/// Seconds for a lifetime; `step` is told whether the wave is due to be emitted.
fn lifetime<W>(
    waves: &mut [W],
    mut step: impl FnMut(&mut W, bool) -> Result<(), WaveError>,
) -> Result<f64, WaveError> {
    let begin = Instant::now();
    for frame in 0..FRAMES {
        for (i, wave) in waves.iter_mut().enumerate() {
            step(wave, frame == i * FRAMES / WAVES)?;
        }
    }
    Ok(begin.elapsed().as_secs_f64())
}

fn dense<S: Real>(
    wave: &mut Wave<Ix2, S>,
    medium: &Medium<Ix2>,
    source: [usize; 2],
    due: bool,
) -> Result<(), WaveError> {
    if due {
        wave.clear();
        wave.emit(medium, source, Source::Impulse { amplitude: 1.0 })?;
    }
    wave.step(medium, 1)
}

/// The published method as one would write it down (watanabe-2021 eq. 13-15).
#[derive(Clone)]
struct PlainWave {
    walls: Array2<bool>,
    delta: f64,
    next: Array2<f64>,
    now: Array2<f64>,
    prev: Array2<f64>,
}

impl PlainWave {
    fn new(walls: &Array2<bool>, courant: f64) -> Self {
        let rest = Array2::zeros(walls.raw_dim());
        let [next, now, prev] = [rest.clone(), rest.clone(), rest];
        Self { walls: walls.clone(), delta: courant * courant, next, now, prev }
    }

    fn emit(&mut self, source: [usize; 2]) {
        self.now.fill(0.0);
        self.prev.fill(0.0);
        self.now[source] = 1.0;
        self.prev[source] = 1.0;
    }

    fn step(&mut self) {
        let (rows, columns) = self.now.dim();
        for y in 0..rows {
            for x in 0..columns {
                if self.walls[[y, x]] {
                    continue;
                }
                let (mut sum, mut k) = (0.0, 0.0);
                let mut add = |inside: bool, y: usize, x: usize| {
                    if inside {
                        sum += self.now[[y, x]];
                        k += 1.0;
                    }
                };
                add(x + 1 < columns, y, x + 1);
                add(x > 0, y, x.wrapping_sub(1));
                add(y + 1 < rows, y + 1, x);
                add(y > 0, y.wrapping_sub(1), x);
                self.next[[y, x]] = self.delta * sum + (2.0 - k * self.delta) * self.now[[y, x]]
                    - self.prev[[y, x]];
            }
        }
        std::mem::swap(&mut self.prev, &mut self.now);
        std::mem::swap(&mut self.now, &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_method_makes_the_same_waves() {
        let plan = PLANS[1];
        let (walls, source) = (plan.walls(5), plan.field('T', 5).unwrap());
        let medium = medium(&walls, WallRule::Fixed).unwrap();
        let (mut wave, mut plain) =
            (Wave::<_, f64>::typed(&medium).unwrap(), PlainWave::new(&walls, medium.dt()));
        plain.emit(source);
        for frame in 0..FRAMES {
            dense(&mut wave, &medium, source, frame == 0).unwrap();
            plain.step();
        }
        let largest = plain.now.iter().fold(0.0f64, |m, z| m.max(z.abs()));
        assert!(largest > 1e-3);
        for (ours, plain) in wave.values().iter().zip(&plain.now) {
            assert!((ours - plain).abs() < 1e-10 * largest);
        }
    }
}
