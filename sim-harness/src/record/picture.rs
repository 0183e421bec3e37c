//! The final picture: map, wave, trails.
//!
//! Free ground is shaded by when a wave came (near: light, far: dark), with a line every so many
//! steps; under the published rules by the height of the dense waves. Every pursuer leaves a trail
//! from a dot to a disc, the target a dark one that ends in a ring. An animation shows the same of
//! every moment, the wave as it was last kept.

use super::film::{Film, Shot};
use crate::ink::{self, PAPER, Rgb, TARGET, TRAILS, WALL, mix, paint};
use crate::memory;
use crate::world::End;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use ndarray::Array3;
use tiny_skia::{PathBuilder, Pixmap, Rect, Transform};

/// `[units: pixels]` The width that a picture aims at.
const WIDTH: usize = 1100;
/// `[units: pixels]` The same of animations.
const GIF_WIDTH: usize = 560;
/// `[units: pixels]` No picture is larger for its scale's sake: a map may be very tall.
const MOST_PIXELS: usize = 1 << 24;
/// `[units: frames]` An animation has no more.
const GIF_FRAMES: usize = 150;
/// `[units: 10 ms]` How long an animation shows a frame.
const GIF_DELAY: u16 = 6;
/// `[units: moments]` The trails of animations.
const GIF_TRAIL: usize = 24;
/// With more members than this, only evaders leave a trail.
const MOST_TRAILS: usize = 100;
/// The oblique view's pixels right and down for a cell along y, in those for a cell along x.
const ASIDE: f32 = 0.45;
const DOWN: f32 = 0.45;
/// `[units: pixels]` Between two storeys.
const MARGIN: usize = 12;

const UNREACHED: Rgb = [228.0, 228.0, 224.0];
const NEAR: Rgb = [255.0, 246.0, 222.0];
const FAR: Rgb = [134.0, 167.0, 196.0];
const LINE: Rgb = [90.0, 110.0, 135.0];
const SLOW: Rgb = [140.0, 110.0, 60.0];
const LOW: Rgb = [226.0, 220.0, 200.0];
const HIGH: Rgb = [104.0, 128.0, 92.0];

/// Draws the end of a run. 2D maps are drawn with y downward; 3D maps storey by storey, and members
/// are drawn on the storey that is nearest to them. `None` if there is no memory for it.
#[must_use]
pub(crate) fn draw(film: &Film, end: &End) -> Option<Pixmap> {
    let mut canvas = Canvas::new(film, WIDTH)?;
    canvas.map(film, end);
    canvas.trails(film, &film.shots);
    Some(canvas.pixmap)
}

/// Refuses a map whose animation no GIF can hold.
pub(crate) fn check_film(film: &Film) -> Result<(), String> {
    let canvas = Canvas::new(film, GIF_WIDTH).ok_or("no memory for the picture")?;
    let [width, height] = [canvas.pixmap.width(), canvas.pixmap.height()];
    if u16::try_from(width.max(height)).is_ok() {
        return Ok(());
    }
    Err(format!(
        "of this map it would be {width} x {height} pixels; a GIF has at most 65535 a side"
    ))
}

/// Draws the run as an animated GIF: the map with its changes, the wave, and all members with short
/// trails.
#[must_use]
pub(crate) fn film(film: &Film) -> Option<Vec<u8>> {
    let mut encoder: Option<Encoder<Vec<u8>>> = None;
    let last = film.shots.len().saturating_sub(1);
    let every = last.div_ceil(GIF_FRAMES - 1).max(1);
    let mut end = End { walls: film.scene.walls.clone(), arrivals: None, height: None };
    let mut edits = film.edits.iter().peekable();
    let mut layers =
        film.layers.iter().filter(|layer| ["wave", "z"].contains(&layer.name)).peekable();
    for (i, shot) in film.shots.iter().enumerate() {
        while let Some((_, cell, wall)) = edits.next_if(|(step, ..)| *step <= shot.step) {
            end.walls[*cell] = *wall;
        }
        if i % every != 0 && i != last {
            continue;
        }
        let mut newest = None;
        while let Some(layer) = layers.next_if(|layer| layer.step <= shot.step) {
            newest = Some(layer);
        }
        if let Some(layer) = newest {
            memory::check(4 * end.walls.len() as u64).ok()?;
            let cells = film.spread(layer);
            if layer.name == "wave" {
                end.arrivals = Some(cells);
            } else {
                // Kept as 1 and the root of the height, from -1 to 1.
                end.height = Some(cells.mapv_into(|root| (root - 1.0) * (root - 1.0).abs()));
            }
        }
        let mut canvas = Canvas::new(film, GIF_WIDTH)?;
        canvas.map(film, &end);
        canvas.trails(film, &film.shots[i.saturating_sub(GIF_TRAIL)..=i]);
        let width = u16::try_from(canvas.pixmap.width()).ok()?;
        let height = u16::try_from(canvas.pixmap.height()).ok()?;
        let mut frame = Frame::from_rgba_speed(width, height, &mut canvas.pixmap.take(), 10);
        frame.delay = GIF_DELAY;
        frame.dispose = DisposalMethod::Background;
        if encoder.is_none() {
            let mut first = Encoder::new(Vec::new(), width, height, &[]).ok()?;
            first.set_repeat(Repeat::Infinite).ok()?;
            encoder = Some(first);
        }
        encoder.as_mut()?.write_frame(&frame).ok()?;
    }
    encoder?.into_inner().ok()
}

/// The values of the darkest colours.
struct Scales {
    /// `[units: steps]` The latest arrival.
    last: f32,
    /// The highest wave.
    swing: f32,
}

impl Scales {
    fn of(recording: &End) -> Self {
        let known = |cells: &Option<Array3<f32>>, least: f32| {
            let cells = cells.iter().flatten().map(|value| value.abs());
            cells.filter(|value| value.is_finite()).fold(least, f32::max)
        };
        Self { last: known(&recording.arrivals, 1.0), swing: known(&recording.height, 0.0) }
    }
}

struct Canvas {
    pixmap: Pixmap,
    /// `[units: pixels per cell]`
    scale: usize,
    /// `[units: pixels]` From one storey to the next.
    panel: usize,
    slices: Vec<usize>,
    oblique: Option<Oblique>,
}

impl Canvas {
    fn new(film: &Film, aim: usize) -> Option<Self> {
        let (_, height, width) = film.scene.walls.dim();
        let slices = film.scene.storeys();
        let most = (MOST_PIXELS / (slices.len() * width * height)).isqrt().max(1);
        let scale = (aim / (slices.len() * width)).clamp(1, 24).min(most);
        let panel = width * scale + MARGIN;
        // Solid scenes also from above and aside, below their storeys.
        let oblique = (film.scene.dimensions == 3).then(|| Oblique::new(film, aim, height * scale));
        let [beside, below] = oblique.as_ref().map_or([0, 0], |o| [o.width, o.height + MARGIN]);
        let across = (slices.len() * panel + MARGIN).max(beside);
        let size = [across, height * scale + 2 * MARGIN + below];
        let [w, h] = size.map(|n| u32::try_from(n).ok());
        let (w, h) = (w?, h?);
        memory::check(4 * u64::from(w) * u64::from(h)).ok()?;
        let mut pixmap = Pixmap::new(w, h)?;
        ink::fill(&mut pixmap, PAPER);
        Some(Self { pixmap, scale, panel, slices, oblique })
    }

    fn map(&mut self, film: &Film, end: &End) {
        let scales = Scales::of(end);
        self.ground(film, end, &scales);
        self.storeys(end, &scales);
    }

    fn ground(&mut self, film: &Film, recording: &End, &Scales { last, swing }: &Scales) {
        let (_, height, width) = recording.walls.dim();
        let period = (last / 24.0).max(8.0);
        let top = film.scene.heights.iter().flatten().fold(1e-9f64, |m, &h| m.max(h));
        let scale = self.scale;
        for (panel, z) in self.slices.clone().into_iter().enumerate() {
            let times = |y| (0..width * scale).map(move |x| time(recording, z, [x, y], scale));
            let mut below: Vec<_> = times(0).collect();
            for y in 0..height * scale {
                // Each is needed three times: here, beside and below.
                let here = std::mem::replace(&mut below, times(y + 1).collect());
                for x in 0..width * scale {
                    let cell = [z, y / scale, x / scale];
                    let mut colour = if recording.walls[cell] {
                        WALL
                    } else if let Some(heights) = &recording.height {
                        ink::wave(heights[cell], swing)
                    } else {
                        shade(here[x], [here.get(x + 1).copied().flatten(), below[x]], last, period)
                    };
                    if let Some(heights) =
                        film.scene.heights.as_ref().filter(|_| !recording.walls[cell])
                    {
                        colour = mix(LOW, HIGH, (heights[[cell[1], cell[2]]] / top) as f32);
                    }
                    let stripe = (x + y) % 8 < 2;
                    if film.scene.slow[cell] && !recording.walls[cell] && stripe {
                        colour = mix(colour, SLOW, 0.45);
                    }
                    let at = [MARGIN + panel * self.panel + x, MARGIN + y];
                    ink::put(&mut self.pixmap, at, colour);
                }
            }
        }
    }

    /// The storeys in the oblique view: cells as dots, the lowest storey first.
    fn storeys(&mut self, end: &End, &Scales { last, swing }: &Scales) {
        let Some(oblique) = &self.oblique else { return };
        let (_, height, width) = end.walls.dim();
        let dot = (oblique.scale * 0.55).max(0.6);
        let mut dots = Vec::new();
        for &z in &self.slices {
            for y in 0..height {
                for x in 0..width {
                    let (u, v) = oblique.at([x as f32, y as f32, z as f32]);
                    let cell = [z, y, x];
                    let colour = match (&end.height, &end.arrivals) {
                        _ if end.walls[cell] => WALL,
                        (Some(heights), _) => ink::wave(heights[cell], swing),
                        (None, Some(times)) if times[cell].is_finite() => {
                            mix(NEAR, FAR, times[cell] / last)
                        }
                        _ => UNREACHED,
                    };
                    dots.push((u, v, colour));
                }
            }
        }
        for (x, y, colour) in dots {
            if let Some(rect) = Rect::from_xywh(x - dot, y - dot * 0.5, 2.0 * dot, dot) {
                let mut paint = paint(colour);
                paint.anti_alias = false;
                self.pixmap.fill_rect(rect, &paint, Transform::identity(), None);
            }
        }
    }

    /// The ways of all members over `shots`, and their places at the end.
    fn trails(&mut self, film: &Film, shots: &[Shot]) {
        let members = shots.last().map_or(0, |shot| shot.doing.len());
        // Trails of a crowd hide the map and each other.
        let crowd = members > MOST_TRAILS;
        let shrink = if crowd { 0.6 } else { 1.0 };
        let line = (self.scale as f32 * 0.26).clamp(1.2, 4.0);
        let disc = (self.scale as f32 * 0.42).clamp(2.5, 7.0) * shrink;
        let evaders = film.scene.evaders;
        for member in (evaders..members).chain(0..evaders.min(members)) {
            let way: Vec<_> = shots.iter().filter_map(|s| film.place(s, member)).collect();
            let evader = member < evaders;
            let colour = if evader { TARGET } else { TRAILS[(member - evaders) % TRAILS.len()] };
            let (Some(&start), Some(&end)) = (way.first(), way.last()) else { continue };
            for oblique in [false, true] {
                if oblique && self.oblique.is_none() {
                    continue;
                }
                let at = |p| if oblique { self.aside(film, p) } else { self.pixel(film, p) };
                let way: Vec<_> = way.iter().map(|&p| at(p)).collect();
                let (start, end) = (at(start), at(end));
                if !crowd || evader {
                    self.trail(&way, line, colour);
                }
                if evader {
                    self.disc(end, disc * 1.9, TARGET);
                    self.disc(end, disc * 1.4, PAPER);
                    self.disc(end, disc * 0.7, TARGET);
                } else {
                    if !crowd {
                        self.disc(start, line * 1.1, colour);
                        self.disc(end, disc * 1.25, PAPER);
                    }
                    self.disc(end, disc, colour);
                }
            }
        }
    }

    fn trail(&mut self, way: &[(usize, f32, f32)], width: f32, colour: Rgb) {
        let mut path = PathBuilder::new();
        let mut storey = None;
        for &(panel, x, y) in way {
            if storey == Some(panel) {
                path.line_to(x, y);
            } else {
                path.move_to(x, y);
            }
            storey = Some(panel);
        }
        ink::line(&mut self.pixmap, path, width, colour);
    }

    fn disc(&mut self, (_, x, y): (usize, f32, f32), radius: f32, colour: Rgb) {
        ink::disc(&mut self.pixmap, (x, y), radius, colour);
    }

    /// The storey that is nearest to a place in the world, and where on the picture it is.
    fn pixel(&self, film: &Film, at: [f32; 3]) -> (usize, f32, f32) {
        let [x, y, z] = at.map(|v| v / film.scene.spacing as f32);
        let off = |panel: &usize| (self.slices[*panel] as f32 - z).abs();
        let nearest = (0..self.slices.len()).min_by(|a, b| off(a).total_cmp(&off(b)));
        let panel = nearest.unwrap_or(0);
        let left = (MARGIN + panel * self.panel) as f32;
        let pixel = |v: f32| (v + 0.5) * self.scale as f32;
        (panel, left + pixel(x), MARGIN as f32 + pixel(y))
    }

    /// Where a place in the world is in the oblique view.
    fn aside(&self, film: &Film, at: [f32; 3]) -> (usize, f32, f32) {
        let cell = at.map(|v| v / film.scene.spacing as f32);
        let (x, y) = self.oblique.as_ref().map_or((0.0, 0.0), |o| o.at(cell));
        (0, x, y)
    }
}

/// The colour of free ground by arrival time; a line where the count of periods changes.
fn shade(here: Option<f32>, beside: [Option<f32>; 2], last: f32, period: f32) -> Rgb {
    let Some(here) = here else {
        return UNREACHED;
    };
    let count = |t: f32| (t / period).floor();
    let line = beside.into_iter().flatten().any(|t| count(t) != count(here));
    let colour = mix(NEAR, FAR, here / last);
    if line { mix(colour, LINE, 0.6) } else { colour }
}

/// The arrival time at a pixel of storey `z`, interpolated between reached cells.
fn time(recording: &End, z: usize, [x, y]: [usize; 2], scale: usize) -> Option<f32> {
    let arrivals = recording.arrivals.as_ref()?;
    let time = |y: usize, x: usize| arrivals.get([z, y, x]).copied().filter(|t| t.is_finite());
    time(y / scale, x / scale)?;
    let place = |v: usize| {
        let v = ((v as f32 + 0.5) / scale as f32 - 0.5).max(0.0);
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
    let (sum, weight) = known.fold((0.0, 0.0), |(s, w), (t, weight)| (s + t * weight, w + weight));
    (weight > 0.0).then(|| sum / weight)
}

/// From above and aside: x to the right, y down and to the right, z up.
struct Oblique {
    /// `[units: pixels per cell]`
    scale: f32,
    origin: [f32; 2],
    /// `[units: pixels]` From the picture's left edge, margins included.
    width: usize,
    /// `[units: pixels]`
    height: usize,
}

impl Oblique {
    fn new(film: &Film, aim: usize, above: usize) -> Self {
        let (depth, height, width) = film.scene.walls.dim();
        let [d, h, w] = [depth, height, width].map(|v| v as f32);
        let most = (MOST_PIXELS as f32 / ((w + ASIDE * h) * (DOWN * h + d))).sqrt();
        let scale = ((aim as f32 * 0.6) / (w + ASIDE * h)).min(most);
        let pixels = (scale * (DOWN * h + d)).ceil() as usize;
        let top = (above + 2 * MARGIN) as f32;
        let left = MARGIN as f32 + aim as f32 * 0.2;
        let width = (left + scale * (w + ASIDE * h)).ceil() as usize + MARGIN;
        Self { scale, origin: [left, top + scale * d], width, height: pixels }
    }

    fn at(&self, [x, y, z]: [f32; 3]) -> (f32, f32) {
        let [left, top] = self.origin;
        (left + self.scale * (x + ASIDE * y), top + self.scale * (DOWN * y - z))
    }
}
