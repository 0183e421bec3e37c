//! A flock that splits around an obstacle and joins again; a crowd at a door.

use super::drawing::{BLUE, Drawing, GREY, MANY, ORANGE, WALL};
use crowd::{Crowd, CrowdConfig, Guides, Walker};
use flocking::glam::DVec2;
use flocking::{
    Avoidance, Boid, BoidGoal, Edges, Flock, FlockConfig, Obstacle, Species, SteeringRule, Turning,
};
use ndarray::{Array2, Ix2};
use std::error::Error;
use wave_track::wave_core::Medium;
use wave_track::{Tracker, TrackerConfig};

/// `[units: world units per cell of the drawing]`
const SCALE: f64 = 7.0;
const BALL: (DVec2, f64) = (DVec2::new(225.0, 120.0), 42.0);
/// Frames that are shown.
const SHOWN: [u32; 4] = [0, 135, 230, 420];

fn flock() -> Result<Flock<DVec2>, Box<dyn Error>> {
    let rule = Turning {
        view_radius: 13.0,
        view_angle: 1.5 * std::f64::consts::PI,
        cohesion: 0.001,
        alignment: 0.1,
        separation: 0.05,
        separation_radius: 8.0,
        ..Turning::published()
    };
    let avoidance =
        Avoidance { look_ahead: 60.0, clearance: 12.0, weight: 0.6, ..Avoidance::published() };
    let species = Species {
        rule: SteeringRule::Turning(rule),
        avoidance,
        max_turn: 0.09,
        ..Species::published()
    };
    let mut config = FlockConfig::of(species);
    config.edges = Edges::Open;
    let mut flock = Flock::new(config)?;
    flock.set_obstacles(vec![Obstacle::Ball { centre: BALL.0, radius: BALL.1 }])?;
    // A disc of them, in staggered rows.
    for row in -7..=7_i8 {
        for column in -7..=7_i8 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let at = DVec2::new(f64::from(column) + shift, f64::from(row) * 0.87) * 6.0;
            if at.length() < 41.0 {
                let slope = f64::from((row * 3 + column * 5) % 7) * 0.04;
                let mut boid = Boid::new(DVec2::new(52.0, 120.0) + at, DVec2::new(1.2, slope));
                boid.goal = Some(BoidGoal { position: DVec2::new(680.0, 120.0), pull: 0.08 });
                flock.add(boid)?;
            }
        }
    }
    Ok(flock)
}

pub(crate) fn split() -> Result<String, Box<dyn Error>> {
    let mut flock = flock()?;
    let title = "A flock splits around an obstacle and joins again, at four moments";
    let mut drawing = Drawing::new(90, 25, title);
    // The part of the world that is drawn begins at y = 33.
    let place = |p: DVec2| [p.x / SCALE - 0.5, (p.y - 33.0) / SCALE - 0.5];
    drawing.dot(place(BALL.0), BALL.1 / SCALE, GREY);
    let above: Vec<_> = flock.boids().map(|(id, boid)| (id, boid.position.y < BALL.0.y)).collect();
    for frame in 0..=SHOWN[3] {
        if SHOWN.contains(&frame) {
            for upper in [true, false] {
                let mut arrows = Vec::new();
                for &(id, _) in above.iter().filter(|(_, above)| *above == upper) {
                    let boid = flock.boid(id)?;
                    let (at, along) = (boid.position, boid.heading);
                    let tail = at - 2.6 * along;
                    let side = 1.9 * along.perp();
                    arrows.push(vec![
                        place(at + 3.4 * along),
                        place(tail + side),
                        place(tail - side),
                    ]);
                }
                drawing.polygons(&arrows, if upper { BLUE } else { ORANGE });
            }
        }
        flock.step();
    }
    Ok(drawing.finish())
}

/// People on their way through a door two cells wide, coloured by the rows in which they began.
pub(crate) fn door() -> Result<String, Box<dyn Error>> {
    let shape = [14, 42];
    let walls = Array2::from_shape_fn(shape, |(y, x)| x == 20 && !(6..8).contains(&y));
    let medium = Medium::<Ix2>::builder(shape).walls(&walls).build()?;
    let mut tracker = Tracker::new(medium, TrackerConfig::default())?;
    tracker.set_target(DVec2::new(40.0, 2.0))?;
    let mut crowd = Crowd::new(&walls, CrowdConfig::default())?;
    let mut guides = Guides::new(4.0)?;
    let mut colours = Vec::new();
    for i in 0..12 * 12_u32 {
        let (row, column) = (i / 12, i % 12);
        let place = DVec2::new(3.0 + 1.3 * f64::from(column), 1.0 + f64::from(row));
        guides.add(&mut tracker, &mut crowd, Walker::new(place, 0.3, 1.34))?;
        colours.push(MANY[row as usize / 3]);
    }
    let (budget, time) = (tracker.suggested_updates(), 1.0 / 60.0);
    for _ in 0..17 * 60 {
        tracker.frame(time, budget)?;
        guides.lead(&mut tracker, &mut crowd)?;
        crowd.step(time)?;
    }
    let title = "144 people on their way through a door";
    let mut drawing = Drawing::new(shape[1], shape[0], title);
    drawing.cells(shape, WALL, |y, x| walls[[y, x]]);
    let mut walkers: Vec<_> = crowd.walkers().collect();
    walkers.sort_by_key(|(id, _)| *id);
    for ((_, walker), colour) in walkers.into_iter().zip(colours) {
        drawing.dot(walker.position.to_array(), walker.radius, colour);
    }
    Ok(drawing.finish())
}
