//! Strokes and colours that all pictures share.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Stroke,
    Transform,
};

/// Red, green and blue, each from 0 to 255.
pub(crate) type Rgb = [f32; 3];

pub(crate) const PAPER: Rgb = [250.0, 250.0, 248.0];
pub(crate) const WALL: Rgb = [52.0, 58.0, 70.0];
/// A wave above and below rest.
pub(crate) const CREST: Rgb = [196.0, 78.0, 62.0];
pub(crate) const TROUGH: Rgb = [58.0, 104.0, 168.0];
/// The colour of targets.
pub(crate) const TARGET: Rgb = [24.0, 24.0, 30.0];
/// The colours of pursuers, one after the other.
pub(crate) const TRAILS: [Rgb; 7] = [
    [202.0, 62.0, 71.0],
    [34.0, 116.0, 165.0],
    [46.0, 134.0, 88.0],
    [150.0, 84.0, 168.0],
    [218.0, 126.0, 32.0],
    [0.0, 138.0, 146.0],
    [160.0, 104.0, 60.0],
];

/// From `a`, where `u` is 0, to `b`, where it is 1.
pub(crate) fn mix(a: Rgb, b: Rgb, u: f32) -> Rgb {
    let u = u.clamp(0.0, 1.0);
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * u)
}

/// A wave of height `z` where the highest is `swing`. The square root shows echoes that are a
/// hundredth of the crest.
pub(crate) fn wave(z: f32, swing: f32) -> Rgb {
    let h = if swing > 0.0 { z / swing } else { 0.0 };
    mix(PAPER, if h > 0.0 { CREST } else { TROUGH }, h.abs().sqrt())
}

pub(crate) fn paint(colour: Rgb) -> Paint<'static> {
    let [r, g, b] = bytes(colour);
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

fn bytes(colour: Rgb) -> [u8; 3] {
    colour.map(|v| v.clamp(0.0, 255.0) as u8)
}

pub(crate) fn fill(pixmap: &mut Pixmap, colour: Rgb) {
    let [r, g, b] = bytes(colour);
    pixmap.fill(Color::from_rgba8(r, g, b, 255));
}

/// Colours a square of `side` pixels.
pub(crate) fn block(pixmap: &mut Pixmap, [x, y]: [usize; 2], side: usize, colour: Rgb) {
    for y in y..y + side {
        (x..x + side).for_each(|x| put(pixmap, [x, y], colour));
    }
}

/// Colours a pixel.
pub(crate) fn put(pixmap: &mut Pixmap, [x, y]: [usize; 2], colour: Rgb) {
    let [r, g, b] = bytes(colour);
    let at = y * pixmap.width() as usize + x;
    if let Some(opaque) = PremultipliedColorU8::from_rgba(r, g, b, 255) {
        pixmap.pixels_mut()[at] = opaque;
    }
}

pub(crate) fn disc(pixmap: &mut Pixmap, (x, y): (f32, f32), radius: f32, colour: Rgb) {
    if let Some(disc) = PathBuilder::from_circle(x, y, radius) {
        let rule = FillRule::Winding;
        pixmap.fill_path(&disc, &paint(colour), rule, Transform::identity(), None);
    }
}

pub(crate) fn ring(pixmap: &mut Pixmap, (x, y): (f32, f32), radius: f32, width: f32, colour: Rgb) {
    let stroke = Stroke { width, ..Stroke::default() };
    if let Some(circle) = PathBuilder::from_circle(x, y, radius) {
        pixmap.stroke_path(&circle, &paint(colour), &stroke, Transform::identity(), None);
    }
}

/// Strokes a path with round ends and corners.
pub(crate) fn line(pixmap: &mut Pixmap, path: PathBuilder, width: f32, colour: Rgb) {
    let (line_cap, line_join) = (LineCap::Round, LineJoin::Round);
    let stroke = Stroke { width, line_cap, line_join, ..Stroke::default() };
    if let Some(path) = path.finish() {
        pixmap.stroke_path(&path, &paint(colour), &stroke, Transform::identity(), None);
    }
}

/// An arrow on a map whose cells are `scale` pixels wide.
pub(crate) fn arrow(
    pixmap: &mut Pixmap,
    from: (f32, f32),
    to: (f32, f32),
    scale: f32,
    colour: Rgb,
) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(1e-3);
    let (ux, uy) = (dx / length, dy / length);
    let head = (scale * 0.35).max(2.5);
    let mut path = PathBuilder::new();
    path.move_to(from.0, from.1);
    path.line_to(to.0, to.1);
    for side in [-1.0, 1.0] {
        path.move_to(to.0, to.1);
        path.line_to(to.0 - head * (ux + side * 0.6 * uy), to.1 - head * (uy - side * 0.6 * ux));
    }
    line(pixmap, path, (scale * 0.14).max(1.0), colour);
}
