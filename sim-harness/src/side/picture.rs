//! A picture of a level, its way and its cut.

use super::read::{SideLevel, SideRules};
use super::search::SideSolution;
use crate::memory;
use tiny_skia::{Color, Paint, PathBuilder, Pixmap, Rect, Stroke, Transform};

/// `[units: pixels]` The side of a tile.
const TILE: usize = 12;
/// `[units: tiles]` Above and below the level, so that the way is whole.
const MARGIN: usize = 2;

const SKY: [u8; 3] = [226, 236, 244];
const SOLID: [u8; 3] = [84, 92, 108];
const THROUGH: [u8; 3] = [156, 166, 182];
const CLIMB: [u8; 3] = [214, 190, 130];
const HAZARD: [u8; 3] = [202, 62, 71];
const WAY: [u8; 3] = [30, 110, 60];
const CUT: [u8; 3] = [240, 150, 20];

/// A PNG: dark is solid, grey is stood on and gone through, sand is climbed, red kills; the way is
/// green from the disc on, tiles that would open one are orange. `None` if there is no memory.
#[must_use]
pub fn picture(level: &SideLevel, rules: &SideRules, solution: &SideSolution) -> Option<Vec<u8>> {
    let [columns, rows] = level.size();
    let side = |tiles: usize| u32::try_from(tiles * TILE).ok();
    let (width, height) = (side(columns + 2 * MARGIN)?, side(rows + 2 * MARGIN)?);
    // Four bytes a pixel, and up to as much again for the file.
    memory::check(memory::cells([8, height.into(), width.into()])).ok()?;
    let mut pixmap = Pixmap::new(width, height)?;
    pixmap.fill(Color::WHITE);
    let corner = |tile: isize| ((tile + MARGIN as isize) * TILE as isize) as f32;
    let mut fill = |[x, y]: [usize; 2], colour| {
        let side = TILE as f32;
        if let Some(square) = Rect::from_xywh(corner(x as isize), corner(y as isize), side, side) {
            pixmap.fill_rect(square, &paint(colour), Transform::identity(), None);
        }
    };
    for (y, row) in level.rows.iter().enumerate() {
        for (x, &tile) in row.iter().enumerate() {
            let colour = match tile {
                _ if rules.kills(tile) => HAZARD,
                _ if rules.blocks(tile) => SOLID,
                _ if rules.climbs(tile) => CLIMB,
                _ if rules.supports(tile) => THROUGH,
                _ => SKY,
            };
            fill([x, y], colour);
        }
    }
    for change in solution.cut.iter().flat_map(|cut| &cut.tiles) {
        fill(change.tile, CUT);
    }
    let middle = |tile: isize| corner(tile) + 0.5 * TILE as f32;
    let mut line = PathBuilder::new();
    let mut before = None;
    for &[x, y] in &solution.way {
        let at = (middle(x), middle(y));
        // Where edges are joined the way goes on at the other one.
        let is_beside = before.is_some_and(|before: isize| before.abs_diff(x) <= 1);
        if is_beside {
            line.line_to(at.0, at.1);
        } else {
            line.move_to(at.0, at.1);
        }
        before = Some(x);
    }
    let stroke = Stroke { width: 2.0, ..Stroke::default() };
    if let Some(line) = line.finish() {
        pixmap.stroke_path(&line, &paint(WAY), &stroke, Transform::identity(), None);
    }
    let [x, y] = solution.from.map(|v| middle(v as isize));
    if let Some(disc) = PathBuilder::from_circle(x, y, 0.4 * TILE as f32) {
        let rule = tiny_skia::FillRule::Winding;
        pixmap.fill_path(&disc, &paint(WAY), rule, Transform::identity(), None);
    }
    pixmap.encode_png().ok()
}

fn paint([r, g, b]: [u8; 3]) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(Color::from_rgba8(r, g, b, 255));
    paint
}
