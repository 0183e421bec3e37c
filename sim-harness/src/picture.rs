//! The final picture: map, wave, trails.
//!
//! Free ground is shaded by when a wave came (near: light, far: dark), with a line every so many
//! steps; under the published rules by the height of the dense waves. Every pursuer leaves a trail
//! from a dot to a disc, the target a dark one that ends in a ring.

use crate::record::Recording;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Stroke,
    Transform,
};

/// `[units: pixels]` The width that a picture aims at.
const WIDTH: usize = 1100;
/// `[units: pixels]` Between two storeys.
const MARGIN: usize = 12;

type Rgb = [f32; 3];
const PAPER: Rgb = [250.0, 250.0, 248.0];
const WALL: Rgb = [52.0, 58.0, 70.0];
const UNREACHED: Rgb = [228.0, 228.0, 224.0];
const NEAR: Rgb = [255.0, 246.0, 222.0];
const FAR: Rgb = [134.0, 167.0, 196.0];
const LINE: Rgb = [90.0, 110.0, 135.0];
const SLOW: Rgb = [140.0, 110.0, 60.0];
const CREST: Rgb = [196.0, 78.0, 62.0];
const TROUGH: Rgb = [58.0, 104.0, 168.0];
const TARGET: Rgb = [24.0, 24.0, 30.0];
const TRAILS: [Rgb; 7] = [
    [202.0, 62.0, 71.0],
    [34.0, 116.0, 165.0],
    [46.0, 134.0, 88.0],
    [150.0, 84.0, 168.0],
    [218.0, 126.0, 32.0],
    [0.0, 138.0, 146.0],
    [160.0, 104.0, 60.0],
];

/// Draws the end of a run. 2D maps are drawn with y downward; 3D maps storey by storey, what moves
/// being drawn on the storey that is nearest to it. `None` if there is no memory for it.
#[must_use]
pub fn draw(recording: &Recording) -> Option<Pixmap> {
    let (depth, height, width) = recording.walls.dim();
    let slices = match &recording.slices[..] {
        [] => vec![depth / 2],
        slices => slices.iter().map(|&z| z.min(depth - 1)).collect(),
    };
    let scale = (WIDTH / (slices.len() * width)).clamp(1, 24);
    let panel = width * scale + MARGIN;
    let size = [slices.len() * panel + MARGIN, height * scale + 2 * MARGIN];
    let [w, h] = size.map(|n| u32::try_from(n).ok());
    let mut pixmap = Pixmap::new(w?, h?)?;
    let [r, g, b] = PAPER.map(|v| v as u8);
    pixmap.fill(Color::from_rgba8(r, g, b, 255));
    let mut canvas = Canvas { pixmap, scale, panel, slices };
    canvas.ground(recording);
    canvas.trails(recording);
    Some(canvas.pixmap)
}

struct Canvas {
    pixmap: Pixmap,
    /// `[units: pixels per cell]`
    scale: usize,
    /// `[units: pixels]` From one storey to the next.
    panel: usize,
    slices: Vec<usize>,
}

impl Canvas {
    fn ground(&mut self, recording: &Recording) {
        let (_, height, width) = recording.walls.dim();
        let reached = recording.arrivals.iter().flatten().copied().filter(|t| t.is_finite());
        let last = reached.fold(1.0f32, f32::max);
        let period = (last / 24.0).max(8.0);
        let swing = recording.height.iter().flatten().fold(0.0f32, |m, z| m.max(z.abs()));
        for (panel, z) in self.slices.clone().into_iter().enumerate() {
            for y in 0..height * self.scale {
                for x in 0..width * self.scale {
                    let cell = [z, y / self.scale, x / self.scale];
                    let mut colour = if recording.walls[cell] {
                        WALL
                    } else if let Some(heights) = &recording.height {
                        // The square root shows echoes that are a hundredth of the crest.
                        let h = if swing > 0.0 { heights[cell] / swing } else { 0.0 };
                        mix(PAPER, if h > 0.0 { CREST } else { TROUGH }, h.abs().sqrt())
                    } else {
                        self.shade(recording, z, [x, y], last, period)
                    };
                    let stripe = (x + y) % 8 < 2;
                    if recording.slow[cell] && !recording.walls[cell] && stripe {
                        colour = mix(colour, SLOW, 0.45);
                    }
                    self.put(MARGIN + panel * self.panel + x, MARGIN + y, colour);
                }
            }
        }
    }

    /// The colour of free ground by arrival time; a line where the count of periods changes.
    fn shade(
        &self,
        recording: &Recording,
        z: usize,
        at: [usize; 2],
        last: f32,
        period: f32,
    ) -> Rgb {
        let Some(here) = self.time(recording, z, at) else {
            return UNREACHED;
        };
        let [x, y] = at;
        let beside = [[x + 1, y], [x, y + 1]].map(|at| self.time(recording, z, at));
        let count = |t: f32| (t / period).floor();
        let line = beside.into_iter().flatten().any(|t| count(t) != count(here));
        let colour = mix(NEAR, FAR, here / last);
        if line { mix(colour, LINE, 0.6) } else { colour }
    }

    /// The arrival time at a pixel of storey `z`, interpolated between reached cells.
    fn time(&self, recording: &Recording, z: usize, [x, y]: [usize; 2]) -> Option<f32> {
        let arrivals = recording.arrivals.as_ref()?;
        let time = |y: usize, x: usize| arrivals.get([z, y, x]).copied().filter(|t| t.is_finite());
        time(y / self.scale, x / self.scale)?;
        let place = |v: usize| {
            let v = ((v as f32 + 0.5) / self.scale as f32 - 0.5).max(0.0);
            (v as usize, v.fract())
        };
        let ((x, u), (y, v)) = (place(x), place(y));
        let corners = [
            (time(y, x), (1.0 - u) * (1.0 - v)),
            (time(y, x + 1), u * (1.0 - v)),
            (time(y + 1, x), (1.0 - u) * v),
            (time(y + 1, x + 1), u * v),
        ];
        let known = corners.iter().filter_map(|&(t, weight)| t.map(|t| (t, weight)));
        let (sum, weight) =
            known.fold((0.0, 0.0), |(s, w), (t, weight)| (s + t * weight, w + weight));
        (weight > 0.0).then(|| sum / weight)
    }

    fn put(&mut self, x: usize, y: usize, colour: Rgb) {
        let [r, g, b] = colour.map(|v| v as u8);
        let at = y * self.pixmap.width() as usize + x;
        if let Some(opaque) = PremultipliedColorU8::from_rgba(r, g, b, 255) {
            self.pixmap.pixels_mut()[at] = opaque;
        }
    }

    fn trails(&mut self, recording: &Recording) {
        let line = (self.scale as f32 * 0.26).max(1.5);
        let disc = (self.scale as f32 * 0.42).max(3.0);
        let crowd = recording.frames.last().map_or(0, |f| f.pursuers.len());
        let way = |i: usize| {
            let places = recording.frames.iter().filter_map(move |f| f.pursuers.get(i));
            places.map(|(p, _)| *p).collect::<Vec<_>>()
        };
        for pursuer in 0..crowd {
            let (way, colour) = (way(pursuer), TRAILS[pursuer % TRAILS.len()]);
            self.trail(recording, &way, line, colour);
            let (Some(&start), Some(&end)) = (way.first(), way.last()) else {
                continue;
            };
            self.disc(recording, start, line * 1.1, colour);
            self.disc(recording, end, disc * 1.25, PAPER);
            self.disc(recording, end, disc, colour);
        }
        let way: Vec<_> = recording.frames.iter().filter_map(|f| f.target).collect();
        self.trail(recording, &way, line, TARGET);
        if let Some(&end) = way.last() {
            self.disc(recording, end, disc * 1.9, TARGET);
            self.disc(recording, end, disc * 1.4, PAPER);
            self.disc(recording, end, disc * 0.7, TARGET);
        }
    }

    fn trail(&mut self, recording: &Recording, way: &[[f32; 3]], width: f32, colour: Rgb) {
        let mut path = PathBuilder::new();
        let mut storey = None;
        for &p in way {
            let (panel, x, y) = self.pixel(recording, p);
            if storey == Some(panel) {
                path.line_to(x, y);
            } else {
                path.move_to(x, y);
            }
            storey = Some(panel);
        }
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        if let Some(path) = path.finish() {
            self.pixmap.stroke_path(&path, &paint(colour), &stroke, Transform::identity(), None);
        }
    }

    fn disc(&mut self, recording: &Recording, at: [f32; 3], radius: f32, colour: Rgb) {
        let (_, x, y) = self.pixel(recording, at);
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            let (rule, identity) = (FillRule::Winding, Transform::identity());
            self.pixmap.fill_path(&path, &paint(colour), rule, identity, None);
        }
    }

    /// The storey that is nearest to a place in the world, and where on the picture it is.
    fn pixel(&self, recording: &Recording, at: [f32; 3]) -> (usize, f32, f32) {
        let [x, y, z] = at.map(|v| v / recording.spacing as f32);
        let off = |panel: &usize| (self.slices[*panel] as f32 - z).abs();
        let nearest = (0..self.slices.len()).min_by(|a, b| off(a).total_cmp(&off(b)));
        let panel = nearest.unwrap_or(0);
        let left = (MARGIN + panel * self.panel) as f32;
        let pixel = |v: f32| (v + 0.5) * self.scale as f32;
        (panel, left + pixel(x), MARGIN as f32 + pixel(y))
    }
}

fn paint(colour: Rgb) -> Paint<'static> {
    let [r, g, b] = colour.map(|v| v as u8);
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

fn mix(a: Rgb, b: Rgb, u: f32) -> Rgb {
    let u = u.clamp(0.0, 1.0);
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * u)
}
