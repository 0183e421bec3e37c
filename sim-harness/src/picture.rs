//! The final picture: map, wave, trails.
//!
//! Free ground is shaded by when a wave came (near: light, far: dark), with a line every
//! so many steps; under the published rules by the height of the dense waves. Every pursuer leaves
//! a trail from a dot to a disc, the target a dark one that ends in a ring.

use crate::record::Recording;
use image::{Rgb, RgbImage, imageops};
use imageproc::drawing::draw_filled_circle_mut;

/// Drawn at twice the size and scaled down, for smooth edges.
const OVERSAMPLING: u32 = 2;
/// `[units: pixels]` The width that a picture aims at.
const WIDTH: u32 = 1100;
/// `[units: pixels]` Between two storeys.
const MARGIN: u32 = 12;

const PAPER: Rgb<u8> = Rgb([250, 250, 248]);
const WALL: Rgb<u8> = Rgb([52, 58, 70]);
const UNREACHED: Rgb<u8> = Rgb([228, 228, 224]);
const NEAR: [f32; 3] = [255.0, 246.0, 222.0];
const FAR: [f32; 3] = [134.0, 167.0, 196.0];
const CREST: [f32; 3] = [196.0, 78.0, 62.0];
const TROUGH: [f32; 3] = [58.0, 104.0, 168.0];
const TARGET: Rgb<u8> = Rgb([24, 24, 30]);
const TRAILS: [Rgb<u8>; 7] = [
    Rgb([202, 62, 71]),
    Rgb([34, 116, 165]),
    Rgb([46, 134, 88]),
    Rgb([150, 84, 168]),
    Rgb([218, 126, 32]),
    Rgb([0, 138, 146]),
    Rgb([160, 104, 60]),
];

/// Draws the end of a run. 2D maps are drawn with y downward; 3D maps storey by storey, what moves
/// being drawn on the storey that is nearest to it.
#[must_use]
pub fn draw(recording: &Recording) -> RgbImage {
    let (depth, height, width) = recording.walls.dim();
    let slices = match &recording.slices[..] {
        [] => vec![depth / 2],
        slices => slices.iter().map(|&z| z.min(depth - 1)).collect(),
    };
    let columns = (slices.len() * width) as u32;
    let scale = OVERSAMPLING * (WIDTH / columns).clamp(1, 24);
    let panel = (width as u32 * scale, height as u32 * scale);
    let gap = MARGIN * OVERSAMPLING;
    let full = (
        slices.len() as u32 * (panel.0 + gap) + gap,
        panel.1 + 2 * gap,
    );
    let mut canvas = Canvas {
        image: RgbImage::from_pixel(full.0, full.1, PAPER),
        scale,
        gap,
        slices,
        panel,
    };
    canvas.ground(recording);
    canvas.trails(recording);
    let (w, h) = (full.0 / OVERSAMPLING, full.1 / OVERSAMPLING);
    imageops::resize(&canvas.image, w, h, imageops::FilterType::Triangle)
}

struct Canvas {
    image: RgbImage,
    /// `[units: pixels per cell]`
    scale: u32,
    gap: u32,
    slices: Vec<usize>,
    panel: (u32, u32),
}

impl Canvas {
    fn ground(&mut self, recording: &Recording) {
        let (_, height, width) = recording.walls.dim();
        let reached = recording
            .arrivals
            .iter()
            .flatten()
            .copied()
            .filter(|t| t.is_finite());
        let last = reached.fold(1.0f32, f32::max);
        let line_every = (last / 24.0).max(8.0);
        let swing = recording
            .height
            .iter()
            .flatten()
            .fold(0.0f32, |m, z| m.max(z.abs()));
        for panel in 0..self.slices.len() {
            let z = self.slices[panel];
            for y in 0..height {
                for x in 0..width {
                    let at = [z, y, x];
                    let colour = if recording.walls[at] {
                        WALL
                    } else if let Some(heights) = &recording.height {
                        // The square root shows echoes that are a hundredth of the crest.
                        let h = if swing > 0.0 {
                            heights[at] / swing
                        } else {
                            0.0
                        };
                        let end = if h > 0.0 { CREST } else { TROUGH };
                        mix([250.0, 250.0, 248.0], end, h.abs().sqrt())
                    } else {
                        shade(recording, at, last, line_every)
                    };
                    let slow = recording.slow[at] && !recording.walls[at];
                    self.cell(panel, x as u32, y as u32, colour, slow);
                }
            }
        }
    }

    fn cell(&mut self, panel: usize, x: u32, y: u32, colour: Rgb<u8>, hatched: bool) {
        let (x0, y0) = (self.left(panel) + x * self.scale, self.gap + y * self.scale);
        for dy in 0..self.scale {
            for dx in 0..self.scale {
                let stripe =
                    hatched && ((x0 + dx + y0 + dy) / (2 * OVERSAMPLING)).is_multiple_of(4);
                let colour = if stripe {
                    mix(floats(colour), [140.0, 110.0, 60.0], 0.45)
                } else {
                    colour
                };
                self.image.put_pixel(x0 + dx, y0 + dy, colour);
            }
        }
    }

    fn trails(&mut self, recording: &Recording) {
        let thickness = (self.scale as f32 * 0.13).max(OVERSAMPLING as f32 * 0.75);
        let disc = (self.scale as f32 * 0.42).max(OVERSAMPLING as f32 * 3.0);
        let crowd = recording.frames.last().map_or(0, |f| f.pursuers.len());
        for pursuer in 0..crowd {
            let colour = TRAILS[pursuer % TRAILS.len()];
            let way = recording
                .frames
                .iter()
                .filter_map(|f| f.pursuers.get(pursuer));
            let ends = self.trail(recording, way.map(|(p, _)| *p), thickness, colour);
            if let Some((start, end)) = ends {
                self.dot(recording, start, thickness * 2.2, colour);
                self.dot(recording, end, disc * 1.25, PAPER);
                self.dot(recording, end, disc, colour);
            }
        }
        let way = recording.frames.iter().filter_map(|f| f.target);
        if let Some((_, end)) = self.trail(recording, way, thickness, TARGET) {
            self.dot(recording, end, disc * 1.9, TARGET);
            self.dot(recording, end, disc * 1.4, PAPER);
            self.dot(recording, end, disc * 0.7, TARGET);
        }
    }

    /// Draws a way and returns its ends.
    fn trail(
        &mut self,
        recording: &Recording,
        way: impl Iterator<Item = [f32; 3]>,
        thickness: f32,
        colour: Rgb<u8>,
    ) -> Option<([f32; 3], [f32; 3])> {
        let mut ends: Option<([f32; 3], [f32; 3])> = None;
        for p in way {
            let (start, before) = ends.unwrap_or((p, p));
            let far = (0..3).map(|a| (p[a] - before[a]).abs()).fold(0.0, f32::max);
            let pixels = far / recording.spacing as f32 * self.scale as f32;
            let dots = (pixels / thickness.max(1.0)).ceil().max(1.0) as u32;
            for i in 0..=dots {
                let u = i as f32 / dots as f32;
                let at = std::array::from_fn(|a| before[a] + (p[a] - before[a]) * u);
                if pixels > 0.0 {
                    self.dot(recording, at, thickness, colour);
                }
            }
            ends = Some((start, p));
        }
        ends
    }

    fn dot(&mut self, recording: &Recording, at: [f32; 3], radius: f32, colour: Rgb<u8>) {
        let [x, y, z] = at.map(|v| v / recording.spacing as f32);
        let off = |slice: usize| (slice as f32 - z).abs();
        let panels = 0..self.slices.len();
        let nearest = panels.min_by(|&a, &b| off(self.slices[a]).total_cmp(&off(self.slices[b])));
        let left = self.left(nearest.unwrap_or(0)) as f32;
        let scale = self.scale as f32;
        let px = left + (x + 0.5) * scale;
        let py = self.gap as f32 + (y + 0.5) * scale;
        draw_filled_circle_mut(
            &mut self.image,
            (px as i32, py as i32),
            radius as i32,
            colour,
        );
    }

    fn left(&self, panel: usize) -> u32 {
        self.gap + panel as u32 * (self.panel.0 + self.gap)
    }
}

/// The colour of free ground by arrival time, with lines where the count of periods changes.
fn shade(recording: &Recording, at: [usize; 3], last: f32, line_every: f32) -> Rgb<u8> {
    let Some(arrivals) = &recording.arrivals else {
        return UNREACHED;
    };
    let time = |at: [usize; 3]| arrivals.get(at).copied().filter(|t| t.is_finite());
    let Some(here) = time(at) else {
        return UNREACHED;
    };
    let [z, y, x] = at;
    let period = |t: f32| (t / line_every).floor();
    let beside = [time([z, y + 1, x]), time([z, y, x + 1])];
    let line = beside
        .into_iter()
        .flatten()
        .any(|t| period(t) != period(here));
    let colour = mix(NEAR, FAR, here / last);
    if line {
        mix(floats(colour), [90.0, 110.0, 135.0], 0.35)
    } else {
        colour
    }
}

fn floats(colour: Rgb<u8>) -> [f32; 3] {
    colour.0.map(f32::from)
}

fn mix(a: [f32; 3], b: [f32; 3], u: f32) -> Rgb<u8> {
    let u = u.clamp(0.0, 1.0);
    Rgb(std::array::from_fn(|i| (a[i] + (b[i] - a[i]) * u) as u8))
}
