//! Objects: places, and rectangles that say something of the cells under them.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::names::{Facts, Role};
use super::super::source::{Source, quoted};
use super::model::{Layer, Object, TiledMap};
use super::{Tiles, facts};

/// How an object's pixels become cells.
pub(super) struct Frame {
    /// `[units: pixels]` The size of a cell, x first.
    cell: [f64; 2],
    /// `[units: pixels]` The size of a tile's picture, x first.
    tile: [f64; 2],
    /// The map's upper left cell.
    corner: [i64; 2],
    isometric: bool,
}

impl Frame {
    pub(super) fn of(map: &TiledMap, corner: [i64; 2]) -> Self {
        let isometric = map.orientation == "isometric";
        let [wide, high] = [map.tilewidth, map.tileheight].map(f64::from);
        // On an isometric map both coordinates count heights of tiles.
        let cell = [if isometric { high } else { wide }, high];
        Self { cell, tile: [wide, high], corner, isometric }
    }

    /// Where in its picture a tile's own corner lies: parts of width and height.
    fn corner_of(&self, tiles: &Tiles, number: u32) -> [f64; 2] {
        let usual = if self.isometric { [0.5, 1.0] } else { [0.0, 1.0] };
        tiles.corner_of(number).unwrap_or(usual)
    }

    /// A way over the picture as a way along the map's axes, which on an isometric map run down to
    /// the right and down to the left.
    fn along_axes(&self, [right, down]: [f64; 2]) -> [f64; 2] {
        if !self.isometric {
            return [right, down];
        }
        let [right, down] = [right / self.tile[0], down / self.tile[1]];
        [(down + right) * self.cell[0], (down - right) * self.cell[1]]
    }

    /// `[x, y]` in cells, from the map's upper left corner.
    fn cells(&self, pixels: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| pixels[axis] / self.cell[axis] - self.corner[axis] as f64)
    }
}

pub(super) fn place(
    source: &Source,
    layer: &Layer,
    tiles: &Tiles,
    frame: &Frame,
    draft: &mut Draft,
    says_walls: &mut bool,
) -> Result<(), ImportError> {
    let of_layer = facts(source, &layer.place(), &layer.properties)?
        .or(Facts::of_name(&layer.name))
        .or(Facts::of_name(&layer.class));
    *says_walls |= of_layer.wall.is_some();
    for object in &layer.objects {
        let place = format!("{}, object {}", layer.place(), object.id);
        let place = if object.name.is_empty() {
            place
        } else {
            format!("{place} {}", quoted(&object.name))
        };
        let fail = |what: &str| Err(source.error(&place, what));
        if object.template.is_some() {
            return fail("templates are not read: detach the object from its template");
        }
        let tile = object.gid.and_then(|gid| tiles.of(gid));
        // An object has the class of its tile, unless it has one of its own.
        let of_tile = tile.filter(|_| object.class.is_empty());
        let role = Role::of(of_tile.map_or(&object.class, |tile| &tile.class))
            .or_else(|| Role::of(&object.name).filter(|_| object.class.is_empty()))
            .or_else(|| Role::of(&layer.name));
        let [x, y] = frame.along_axes([layer.offsetx, layer.offsety]);
        let origin = [object.x + x, object.y + y];
        let numbers = [origin[0], origin[1], object.width, object.height, object.rotation];
        if numbers.iter().any(|v| !v.is_finite()) {
            return fail("its numbers must be finite");
        }
        if let Some(role) = role {
            let [x, y] = frame.cells(middle(object, tiles, origin, frame));
            let put =
                draft.cell([0.0, y, x]).and_then(|cell| draft.place(role, &object.name, cell));
            put.map_err(|what| source.error(&place, what))?;
            continue;
        }
        let own = facts(source, &place, &object.properties)?
            .or(Facts::of_name(&object.class))
            .or(Facts::of_name(&object.name));
        let by_tile = of_tile.map(|tile| tile.facts).or(tile.map(|tile| tile.without_class));
        let known = own.or(by_tile.unwrap_or_default()).or(of_layer);
        if known.is_empty() {
            continue;
        }
        *says_walls |= known.wall.is_some();
        let shape = &object.shape;
        let other = shape.ellipse.is_some()
            || shape.capsule.is_some()
            || shape.polygon.is_some()
            || shape.polyline.is_some()
            || shape.text.is_some();
        if other || object.rotation != 0.0 {
            return fail("what says something of cells must be a rectangle that is not turned");
        }
        if object.gid.is_some() && frame.isometric {
            return fail("a tile's picture covers no rectangle of an isometric map's cells");
        }
        let size = [object.width, object.height];
        let corner = object.gid.map_or([0.0; 2], |gid| frame.corner_of(tiles, gid));
        let origin = [0, 1].map(|axis| origin[axis] - corner[axis] * size[axis]);
        let covered = cover(draft, frame, origin, size, known);
        covered.map_err(|what| source.error(&place, what))?;
    }
    Ok(())
}

/// The middle of an object in pixels; of a tile on an isometric map, the middle of its lower edge.
/// A turned object is turned about its own corner, clockwise.
fn middle(object: &Object, tiles: &Tiles, origin: [f64; 2], frame: &Frame) -> [f64; 2] {
    let size = [object.width, object.height];
    let part = match object.gid {
        Some(gid) => {
            let corner = frame.corner_of(tiles, gid);
            let middle = if frame.isometric { [0.5, 1.0] } else { [0.5, 0.5] };
            [0, 1].map(|axis| middle[axis] - corner[axis])
        }
        None => [0.5, 0.5],
    };
    let [x, y] = [0, 1].map(|axis| part[axis] * size[axis]);
    let (sin, cos) = object.rotation.to_radians().sin_cos();
    let turned = [x * cos - y * sin, x * sin + y * cos];
    // Only a tile is drawn as it is; the sides of other objects lie along the map's axes.
    let [x, y] = if object.gid.is_some() { frame.along_axes(turned) } else { turned };
    [origin[0] + x, origin[1] + y]
}

/// Takes over facts about all cells that a rectangle covers a part of; a point covers its cell.
fn cover(
    draft: &mut Draft,
    frame: &Frame,
    origin: [f64; 2],
    size: [f64; 2],
    known: Facts,
) -> Result<(), String> {
    let [_, height, width] = draft.shape();
    let low = frame.cells(origin);
    let high = frame.cells([origin[0] + size[0], origin[1] + size[1]]);
    let range = |axis: usize, cells: usize| {
        let first = low[axis].floor();
        let end = high[axis].ceil().max(first + 1.0);
        first.clamp(0.0, cells as f64) as usize..end.clamp(0.0, cells as f64) as usize
    };
    let (rows, columns) = (range(1, height), range(0, width));
    draft.say(rows.len() * columns.len())?;
    draft.fill(rows, columns, known);
    Ok(())
}
