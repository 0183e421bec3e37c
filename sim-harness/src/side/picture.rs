//! A picture of a level, its way and its cut.

use super::read::{SideLevel, SideRules};
use super::search::SideSolution;
use crate::ink::{self, Rgb};
use crate::memory;
use tiny_skia::{Color, PathBuilder, Pixmap};

/// `[units: pixels]` The side of a tile.
const TILE: usize = 12;
/// `[units: tiles]` Above and below the level, so that the way is whole.
const MARGIN: usize = 2;

const SKY: Rgb = [226.0, 236.0, 244.0];
const SOLID: Rgb = [84.0, 92.0, 108.0];
const THROUGH: Rgb = [156.0, 166.0, 182.0];
const CLIMB: Rgb = [214.0, 190.0, 130.0];
const HAZARD: Rgb = [202.0, 62.0, 71.0];
const WAY: Rgb = [30.0, 110.0, 60.0];
const CUT: Rgb = [240.0, 150.0, 20.0];

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
        let corner = [x, y].map(|tile| (tile + MARGIN) * TILE);
        ink::block(&mut pixmap, corner, TILE, colour);
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
    ink::line(&mut pixmap, line, 2.0, WAY);
    let [x, y] = solution.from.map(|v| middle(v as isize));
    ink::disc(&mut pixmap, (x, y), 0.4 * TILE as f32, WAY);
    pixmap.encode_png().ok()
}
