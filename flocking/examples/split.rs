//! A flock that splits around an obstacle and rejoins behind it, as a picture and a short film.
//!
//! `cargo run -p namiji-flocking --release --example split [-- FOLDER]` writes split.png and
//! split.gif.

use flocking::{
    Avoidance, Boid, BoidGoal, Edges, Flock, FlockConfig, Obstacle, Species, SteeringRule, Turning,
};
use glam::Vec2;
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, Rgb, RgbImage, RgbaImage};
use std::error::Error;
use std::fs::File;
use std::path::PathBuf;

/// Pixels of the picture; the film has half as many each way.
const SIZE: (u32, u32) = (1280, 480);
/// World units across the picture.
const WIDTH: f32 = 640.0;
const OBSTACLE: (Vec2, f32) = (Vec2::new(225.0, 120.0), 42.0);
const STEPS: u32 = 430;
/// Steps at which the picture shows the flock, earliest palest.
const SHOWN: [u32; 5] = [0, 125, 228, 328, 425];

fn flock() -> Result<Flock<Vec2>, Box<dyn Error>> {
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
    flock.set_obstacles(vec![Obstacle::Ball {
        centre: OBSTACLE.0,
        radius: f64::from(OBSTACLE.1),
    }])?;
    // A disc of boids in sunflower order.
    for i in 0..240u16 {
        let (i, golden) = (f32::from(i), 2.399_963);
        let position = Vec2::new(62.0, 120.0) + Vec2::from_angle(i * golden) * 3.6 * i.sqrt();
        let mut boid = Boid::new(position, Vec2::from_angle(0.2 * (i * 1.7).sin()) * 1.2);
        boid.goal = Some(BoidGoal { position: Vec2::new(680.0, 120.0), pull: 0.08 });
        flock.add(boid)?;
    }
    Ok(flock)
}

/// An image that is drawn in world units.
struct Canvas(RgbImage);

impl Canvas {
    fn new(divide: u32) -> Self {
        Self(RgbImage::from_pixel(SIZE.0 / divide, SIZE.1 / divide, Rgb([250, 250, 247])))
    }

    /// Mixes `colour` in where `cover(world position)` is above 0; one sample a pixel, soft edges.
    fn fill(&mut self, (low, high): (Vec2, Vec2), colour: [u8; 3], cover: impl Fn(Vec2) -> f32) {
        let scale = self.0.width() as f32 / WIDTH;
        let (w, h) = self.0.dimensions();
        let to = |v: f32, most: u32| (v * scale).clamp(0.0, most as f32) as u32;
        for y in to(low.y, h)..to(high.y + 2.0 / scale, h) {
            for x in to(low.x, w)..to(high.x + 2.0 / scale, w) {
                let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) / scale;
                let share = (cover(at) * scale + 0.5).clamp(0.0, 1.0);
                let pixel = &mut self.0.get_pixel_mut(x, y).0;
                for (old, new) in pixel.iter_mut().zip(colour) {
                    *old = (f32::from(*old) * (1.0 - share) + f32::from(new) * share) as u8;
                }
            }
        }
    }

    fn obstacle(&mut self) {
        let (centre, radius) = OBSTACLE;
        let span = Vec2::splat(radius + 1.0);
        let bounds = (centre - span, centre + span);
        self.fill(bounds, [86, 90, 98], |p| radius - p.distance(centre));
        self.fill(bounds, [112, 117, 126], |p| radius - 3.0 - p.distance(centre));
    }

    /// An arrowhead along the heading.
    fn boid(&mut self, position: Vec2, heading: Vec2, colour: [u8; 3]) {
        let side = heading.perp();
        let tip = position + heading * 3.4;
        let tail = position - heading * 2.6;
        let corners = [tip, tail + side * 1.9, tail - side * 1.9];
        let low = corners.iter().fold(corners[0], |a, b| a.min(*b)) - 0.5;
        let high = corners.iter().fold(corners[0], |a, b| a.max(*b)) + 0.5;
        self.fill((low, high), colour, |p| {
            // The distance inside of the nearest side.
            (0..3)
                .map(|i| {
                    let (a, b) = (corners[i], corners[(i + 1) % 3]);
                    (b - a).perp_dot(p - a) / (b - a).length()
                })
                .fold(f32::MAX, f32::min)
        });
    }
}

/// Blue above the obstacle's middle at the start, orange below: it shows which boid went which way.
fn colour(above: bool, pale: f32) -> [u8; 3] {
    let full: [f32; 3] = if above { [22.0, 96.0, 178.0] } else { [206.0, 92.0, 22.0] };
    full.map(|c| (c + (250.0 - c) * pale) as u8)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let mut flock = flock()?;
    let above: Vec<bool> = (0..flock.len() as u32)
        .map(|id| flock.boid(flocking::BoidId::new(id)).is_ok_and(|b| b.position.y < OBSTACLE.0.y))
        .collect();
    let mut picture = Canvas::new(1);
    picture.obstacle();
    let mut film = GifEncoder::new_with_speed(File::create(folder.join("split.gif"))?, 10);
    film.set_repeat(Repeat::Infinite)?;
    let mut inside = 0;
    for step in 0..STEPS {
        let mut boids: Vec<_> = flock.boids().collect();
        boids.sort_unstable_by_key(|b| b.0);
        inside +=
            boids.iter().filter(|(_, b)| b.position.distance(OBSTACLE.0) < OBSTACLE.1).count();
        if let Some(at) = SHOWN.iter().position(|&s| s == step) {
            for (id, boid) in &boids {
                let pale = 0.6 * (1.0 - at as f32 / (SHOWN.len() - 1) as f32);
                picture.boid(
                    boid.position,
                    boid.heading,
                    colour(above[id.number() as usize], pale),
                );
            }
            let order = flock.order(13.0)?;
            println!(
                "step {step}: polarisation {:.3}, {} groups, the largest of {}",
                order.polarisation, order.clusters, order.largest
            );
        }
        if step % 5 == 0 {
            let mut frame = Canvas::new(2);
            frame.obstacle();
            for (id, boid) in &boids {
                frame.boid(boid.position, boid.heading, colour(above[id.number() as usize], 0.0));
            }
            let rgba: RgbaImage = image::DynamicImage::ImageRgb8(frame.0).into_rgba8();
            film.encode_frame(Frame::from_parts(rgba, 0, 0, Delay::from_numer_denom_ms(60, 1)))?;
        }
        flock.step();
    }
    println!("boids inside the obstacle, over all steps: {inside}");
    picture.0.save(folder.join("split.png"))?;
    Ok(())
}
