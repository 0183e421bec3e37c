//! Our versions of the sources' pictures, beside their figures.

use super::ReproduceError;
use crate::ink::{self, PAPER, Rgb};
use tiny_skia::{PathBuilder, Pixmap, PixmapPaint, Transform};

/// `[units: pixels]` Around panels.
const GAP: usize = 8;

/// A picture and its description.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    /// Its file's name.
    pub(crate) file: String,
    /// The description, panel by panel.
    pub(crate) says: String,
    pub(crate) png: Vec<u8>,
}

/// Maps of one size, row by row. Places are in cells.
pub(super) struct Sheet {
    pixmap: Pixmap,
    /// `[units: pixels per cell]`
    scale: usize,
    size: [usize; 2],
    columns: usize,
}

impl Sheet {
    /// An empty one of `columns` times `rows` maps of `size` cells, `[x, y]`.
    pub(super) fn new(
        [columns, rows]: [usize; 2],
        size: [usize; 2],
        scale: usize,
    ) -> Result<Self, ReproduceError> {
        let side = |panels: usize, cells: usize| (panels * (cells * scale + GAP) + GAP) as u32;
        let pixmap = Pixmap::new(side(columns, size[0]), side(rows, size[1]));
        let mut pixmap = pixmap.ok_or(ReproduceError::NoMemory)?;
        ink::fill(&mut pixmap, [255.0; 3]);
        let mut sheet = Self { pixmap, scale, size, columns };
        for panel in 0..columns * rows {
            sheet.cells(panel, |_| PAPER);
        }
        Ok(sheet)
    }

    /// `[units: pixels]` The upper left corner of a panel.
    fn corner(&self, panel: usize) -> [usize; 2] {
        let at = [panel % self.columns, panel / self.columns];
        [0, 1].map(|a| GAP + at[a] * (self.size[a] * self.scale + GAP))
    }

    /// Colours every cell `[x, y]` of a panel.
    pub(super) fn cells(&mut self, panel: usize, colour: impl Fn([usize; 2]) -> Rgb) {
        let [left, top] = self.corner(panel);
        for y in 0..self.size[1] {
            for x in 0..self.size[0] {
                let corner = [left + x * self.scale, top + y * self.scale];
                ink::block(&mut self.pixmap, corner, self.scale, colour([x, y]));
            }
        }
    }

    /// Where a place is in a panel; the middle of the first cell is at 0.
    fn pixel(&self, panel: usize, at: [f64; 2]) -> (f32, f32) {
        let corner = self.corner(panel);
        let [x, y] = [0, 1].map(|a| corner[a] as f32 + (at[a] as f32 + 0.5) * self.scale as f32);
        (x, y)
    }

    /// A way from a dot to a disc.
    pub(super) fn trail(
        &mut self,
        panel: usize,
        way: impl IntoIterator<Item = [f64; 2]>,
        colour: Rgb,
    ) {
        let way: Vec<_> = way.into_iter().map(|at| self.pixel(panel, at)).collect();
        let (Some(&first), Some(&last)) = (way.first(), way.last()) else { return };
        self.line(&way, 1.6, colour);
        ink::disc(&mut self.pixmap, first, 2.5, colour);
        ink::disc(&mut self.pixmap, last, 4.0, colour);
    }

    /// A thin line.
    pub(super) fn outline(
        &mut self,
        panel: usize,
        way: impl IntoIterator<Item = [f64; 2]>,
        colour: Rgb,
    ) {
        let way: Vec<_> = way.into_iter().map(|at| self.pixel(panel, at)).collect();
        self.line(&way, 1.0, colour);
    }

    fn line(&mut self, way: &[(f32, f32)], width: f32, colour: Rgb) {
        let mut path = PathBuilder::new();
        for (i, &(x, y)) in way.iter().enumerate() {
            if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        ink::line(&mut self.pixmap, path, width, colour);
    }

    /// `radius` is in pixels.
    pub(super) fn disc(&mut self, panel: usize, at: [f64; 2], radius: f32, colour: Rgb) {
        let at = self.pixel(panel, at);
        ink::disc(&mut self.pixmap, at, radius, colour);
    }

    pub(super) fn arrow(&mut self, panel: usize, [from, to]: [[f64; 2]; 2], colour: Rgb) {
        let (from, to) = (self.pixel(panel, from), self.pixel(panel, to));
        ink::arrow(&mut self.pixmap, from, to, 16.0, colour);
    }

    /// Puts a picture into a panel.
    pub(super) fn paste(&mut self, panel: usize, picture: &Pixmap) {
        let [x, y] = self.corner(panel).map(|v| v as i32);
        let (how, identity) = (PixmapPaint::default(), Transform::identity());
        self.pixmap.draw_pixmap(x, y, picture.as_ref(), &how, identity, None);
    }

    pub(super) fn finish(self, file: &str, says: String) -> Result<Picture, ReproduceError> {
        let png = self.pixmap.encode_png().map_err(|_| ReproduceError::NoMemory)?;
        Ok(Picture { file: format!("{file}.png"), says, png })
    }
}
