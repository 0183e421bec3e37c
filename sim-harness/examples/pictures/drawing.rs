//! A drawing in cells, as SVG that may stand in Markdown: it has no empty line.

use std::fmt::Write;

pub(crate) const PAPER: &str = "#fbfaf6";
pub(crate) const WALL: &str = "#343a46";
pub(crate) const GREY: &str = "#98a0ab";
pub(crate) const BLUE: &str = "#1c6cc4";
pub(crate) const RED: &str = "#d9363e";
pub(crate) const ORANGE: &str = "#e8820c";
pub(crate) const BLACK: &str = "#16181d";
/// The colours of pursuers, in turn.
pub(crate) const MANY: [&str; 7] =
    ["#1c6cc4", "#0f9d75", "#c2255c", "#7048e8", "#e8820c", "#5c940d", "#0b7285"];

/// `[units: cells]` x to the right, y down. The middle of cell `[0, 0]` is at (0, 0).
pub(crate) type Point = [f64; 2];

pub(crate) struct Drawing {
    svg: String,
}

/// In hundredths: coordinates are written as whole numbers of them.
fn hundredths(at: Point) -> [i64; 2] {
    // Cells reach half a cell to each side.
    at.map(|v| ((v + 0.5) * 100.0).round() as i64)
}

/// A way along points, each by how far it lies from the one before.
fn relative(points: &[Point]) -> String {
    let mut places: Vec<_> = points.iter().map(|&point| hundredths(point)).collect();
    places.dedup();
    let Some(&[x, y]) = places.first() else { return String::new() };
    let mut data = format!("M{x} {y}l");
    for pair in places.windows(2) {
        write!(data, "{} {} ", pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]).unwrap();
    }
    data.truncate(data.trim_end().len());
    data
}

impl Drawing {
    /// A sheet of so many cells.
    pub(crate) fn new(width: usize, height: usize, title: &str) -> Self {
        let (w, h) = (100 * width, 100 * height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
             style=\"display:block;width:100%;max-width:720px\">\n<title>{title}</title>\n"
        );
        writeln!(svg, "<rect width=\"{w}\" height=\"{h}\" fill=\"{PAPER}\"></rect>").unwrap();
        Self { svg }
    }

    fn path(&mut self, data: &str, style: &str) {
        if !data.is_empty() {
            writeln!(self.svg, "<path {style} d=\"{data}\"></path>").unwrap();
        }
    }

    /// Fills all cells `[y, x]` that are `inside`, row by row.
    pub(crate) fn cells(
        &mut self,
        [rows, columns]: [usize; 2],
        colour: &str,
        inside: impl Fn(usize, usize) -> bool,
    ) {
        let mut data = String::new();
        for y in 0..rows {
            let mut x = 0;
            while x < columns {
                let run = (x..columns).take_while(|&x| inside(y, x)).count();
                if run > 0 {
                    write!(data, "M{x} {y}.5h{run}").unwrap();
                }
                x += run.max(1);
            }
        }
        // Crisp edges: no seam shows between two cells.
        let style =
            format!("transform=\"scale(100)\" stroke=\"{colour}\" shape-rendering=\"crispEdges\"");
        self.path(&data, &style);
    }

    /// A line along points.
    pub(crate) fn line(&mut self, points: &[Point], colour: &str, width: f64, dashed: bool) {
        let data = relative(points);
        let dashes = if dashed { " stroke-dasharray=\"60 50\"" } else { "" };
        let style = format!(
            "fill=\"none\" stroke=\"{colour}\" stroke-width=\"{:.0}\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\"{dashes}",
            100.0 * width
        );
        self.path(&data, &style);
    }

    /// Lines from one point to another.
    pub(crate) fn strokes(&mut self, lines: &[[Point; 2]], colour: &str, width: f64) {
        let mut data = String::new();
        for &[from, to] in lines {
            let ([a, b], [x, y]) = (hundredths(from), hundredths(to));
            write!(data, "M{a} {b}l{} {}", x - a, y - b).unwrap();
        }
        let style = format!("stroke=\"{colour}\" stroke-width=\"{:.0}\"", 100.0 * width);
        self.path(&data, &style);
    }

    /// A parabola through its ends, by the point in which its tangents meet.
    pub(crate) fn parabola(&mut self, [from, middle, to]: [Point; 3], colour: &str, width: f64) {
        let [a, b, c] = [from, middle, to].map(hundredths);
        let data = format!("M{} {}Q{} {} {} {}", a[0], a[1], b[0], b[1], c[0], c[1]);
        let style = format!(
            "fill=\"none\" stroke=\"{colour}\" stroke-width=\"{:.0}\" stroke-linecap=\"round\"",
            100.0 * width
        );
        self.path(&data, &style);
    }

    /// Polygons of one colour.
    pub(crate) fn polygons(&mut self, polygons: &[Vec<Point>], colour: &str) {
        let closed = polygons.iter().map(|corners| relative(corners) + "z");
        let data: String = closed.collect();
        self.path(&data, &format!("fill=\"{colour}\""));
    }

    pub(crate) fn dot(&mut self, at: Point, radius: f64, colour: &str) {
        let ([x, y], r) = (hundredths(at), (100.0 * radius).round());
        writeln!(
            self.svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{colour}\" stroke=\"{PAPER}\" \
             stroke-width=\"15\"></circle>"
        )
        .unwrap();
    }

    pub(crate) fn ring(&mut self, at: Point, radius: f64, colour: &str) {
        let ([x, y], r) = (hundredths(at), (100.0 * radius).round());
        writeln!(
            self.svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{PAPER}\" stroke=\"{colour}\" \
             stroke-width=\"40\"></circle>"
        )
        .unwrap();
    }

    pub(crate) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

/// A colour between two, as `#rrggbb`.
pub(crate) fn mix(from: [u8; 3], to: [u8; 3], share: f64) -> String {
    let part = |i: usize| f64::from(from[i]) + (f64::from(to[i]) - f64::from(from[i])) * share;
    format!("#{:02x}{:02x}{:02x}", part(0) as u8, part(1) as u8, part(2) as u8)
}
