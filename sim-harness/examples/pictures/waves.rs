//! A wave, and pursuers that follow one.

use super::drawing::{BLACK, Drawing, MANY, ORANGE, Point, RED, WALL, mix};
use std::error::Error;
use wave_core::glam::DVec2;
use wave_core::ndarray::{Array2, Ix2};
use wave_core::{ArrivalField, Medium};
use wave_track::{Pursuer, PursuerState, TrackError, Tracker, TrackerConfig};

const EARLY: [u8; 3] = [255, 243, 205];
const LATE: [u8; 3] = [104, 146, 214];

/// Fills cells by when a wave came, a colour for so many units of time.
fn bands(drawing: &mut Drawing, times: &Array2<f64>, width: f64) {
    let (rows, columns) = times.dim();
    let band = |y, x| (times[[y, x]] / width) as usize;
    let last = times.iter().filter(|t| t.is_finite()).fold(0.0, |a: f64, &b| a.max(b));
    let count = (last / width) as usize + 1;
    for i in 0..count {
        // Every second one a little darker, so that fronts show.
        let share = (i as f64 / count as f64) * 0.9 + if i % 2 == 0 { 0.0 } else { 0.1 };
        drawing.cells([rows, columns], &mix(EARLY, LATE, share), |y, x| {
            times[[y, x]].is_finite() && band(y, x) == i
        });
    }
}

fn times(field: &ArrivalField<Ix2>, medium: &Medium<Ix2>) -> Array2<f64> {
    field.times().mapv(|steps| f64::from(steps) * medium.dt())
}

/// When a wave comes where, and from where.
pub(crate) fn field() -> Result<String, Box<dyn Error>> {
    const SHAPE: [usize; 2] = [36, 90];
    let is_slow = |y: usize, x: usize| (14..30).contains(&y) && (64..80).contains(&x);
    let walls = Array2::from_shape_fn(SHAPE, |(y, x)| {
        (x == 28 && !(22..27).contains(&y))
            || (x == 54 && y > 6)
            || (y == 17 && (8..29).contains(&x))
            || ((36..46).contains(&x) && (10..18).contains(&y))
    });
    let speeds = Array2::from_shape_fn(SHAPE, |(y, x)| if is_slow(y, x) { 0.4 } else { 1.0 });
    let medium = Medium::<Ix2>::builder(SHAPE).walls(&walls).speeds(&speeds).build()?;
    let source = [29, 9];
    let field = ArrivalField::from_sources(&medium, &[source])?;

    let title = "A wave from the left: lines of equal time, and the way home from anywhere";
    let mut drawing = Drawing::new(SHAPE[1], SHAPE[0], title);
    bands(&mut drawing, &times(&field, &medium), 3.0);
    drawing.cells(SHAPE, WALL, |y, x| walls[[y, x]]);
    let (low, high) = ([63.5, 13.5], [79.5, 29.5]);
    let corners = [low, [high[0], low[1]], high, [low[0], high[1]], low];
    drawing.line(&corners, WALL, 0.15, true);
    let mut ways = Vec::new();
    for y in (3..SHAPE[0]).step_by(5) {
        for x in (3..SHAPE[1]).step_by(5) {
            let way = field.directions()[[y, x]].as_dvec2();
            if way != DVec2::ZERO {
                let from = DVec2::new(x as f64, y as f64);
                let to = from + 2.4 * way;
                // The shaft and the two sides of the head.
                let side = 0.6 * way.perp();
                let back = to - 0.9 * way;
                for [a, b] in [[from, to], [back + side, to], [back - side, to]] {
                    ways.push([a.to_array(), b.to_array()]);
                }
            }
        }
    }
    drawing.strokes(&ways, BLACK, 0.22);
    drawing.dot([source[1] as f64, source[0] as f64], 1.0, RED);
    Ok(drawing.finish())
}

/// Pursuers on their way to a door that closes, and round by another one.
pub(crate) fn chase() -> Result<String, Box<dyn Error>> {
    const SHAPE: [usize; 2] = [36, 90];
    const DOOR: [usize; 4] = [8, 9, 10, 11];
    let walls = Array2::from_shape_fn(SHAPE, |(y, x)| {
        (x == 44 && !DOOR.contains(&y) && !(29..33).contains(&y))
            || ((56..72).contains(&x) && (12..14).contains(&y))
            || ((18..20).contains(&x) && (14..30).contains(&y))
    });
    let mut tracker = Tracker::new(Medium::from_walls(&walls)?, TrackerConfig::default())?;
    let mut target = DVec2::new(82.0, 5.0);
    tracker.set_target(target)?;
    for i in 0..14_u8 {
        let start = DVec2::new(3.0 + f64::from(i % 2) * 3.0, 2.0 + 2.4 * f64::from(i));
        tracker.add_pursuer(start, 0.5)?;
    }
    let mut ways: Vec<Vec<Point>> = vec![Vec::new(); 15];
    let mut closed = false;
    for frame in 0..600 {
        if frame % 4 == 0 {
            let pursuers = tracker.pursuers().iter().map(Pursuer::position);
            for (way, at) in ways.iter_mut().zip(pursuers.chain([target])) {
                way.push(at.to_array());
            }
        }
        if frame < 300 {
            target = tracker.slide(target, DVec2::new(-0.05, 0.07))?;
            tracker.set_target(target)?;
        }
        if frame >= 79 && !closed {
            closed = match tracker.set_walls(&DOOR.map(|y| ([y, 44], true))) {
                Err(TrackError::Occupied { .. }) => false, // again in the next frame
                other => other.map(|()| true)?,
            };
        }
        tracker.frame(1.0, 4 * 36 * 90)?;
    }
    assert!(closed && tracker.pursuers().iter().all(|p| p.state() == PursuerState::Arrived));

    let title = "Fourteen pursuers follow waves; a door closes, and those before it turn round";
    let mut drawing = Drawing::new(SHAPE[1], SHAPE[0], title);
    let cell = tracker.medium().cell_at(target).ok_or("the target is on the map")?;
    let field = ArrivalField::from_sources(tracker.medium(), &[cell])?;
    bands(&mut drawing, &times(&field, tracker.medium()), 4.0);
    drawing.cells(SHAPE, WALL, |y, x| walls[[y, x]]);
    drawing.cells(SHAPE, ORANGE, |y, x| x == 44 && DOOR.contains(&y));
    let walked = ways.pop().unwrap_or_default();
    for (i, way) in ways.iter().enumerate() {
        drawing.line(way, MANY[i % MANY.len()], 0.28, false);
        drawing.dot(way[0], 0.7, MANY[i % MANY.len()]);
    }
    drawing.line(&walked, BLACK, 0.35, true);
    drawing.ring(target.to_array(), 0.9, BLACK);
    Ok(drawing.finish())
}
