//! Height maps: a map that was read is written and read again; a terrain has the heights of its
//! file.

use super::{MEMORY, within};
use crate::refusal;
use sim_harness::maps::heights::{self, Heightmap, Scaling};

/// `[units: cells]` Larger ones are read, not written again.
const MANY: usize = 1 << 12;

/// An ESRI ASCII grid.
///
/// # Panics
/// Where something is found.
pub fn ascii(data: &[u8]) {
    let map = within(MEMORY, || heights::parse_asc("fuzz.asc", data));
    let Some(map) = refusal::accepted(map) else { return };
    if map.heights.len() > MANY {
        return;
    }
    let [rows, columns] = [map.heights.nrows(), map.heights.ncols()];
    let size = map.cell_size.expect("the format has one");
    // A number that is no height.
    let no_data = (0..=MANY as u32).map(f64::from).find(|n| map.heights.iter().all(|z| z != n));
    let no_data = no_data.expect("there are more numbers than heights");
    let mut text = format!("ncols {columns}\nnrows {rows}\ncellsize {size:?}\n");
    text.push_str(&format!("NODATA_value {no_data}\n"));
    for row in map.heights.rows() {
        let row = row.iter().map(|z| if z.is_nan() { no_data } else { *z });
        let row: Vec<String> = row.map(|z| format!("{z:?}")).collect();
        text.push_str(&row.join(" "));
        text.push('\n');
    }
    let again = heights::parse_asc("fuzz.asc", text.as_bytes()).expect("it is a height map");
    same(&again, &map);
    terrain(&map);
}

/// A grey PNG.
///
/// # Panics
/// Where something is found.
pub fn picture(data: &[u8]) {
    let map = within(MEMORY, || heights::parse_png("fuzz.png", data));
    let Some(map) = refusal::accepted(map) else { return };
    if map.heights.len() > MANY {
        return;
    }
    let pixels = map.heights.iter().flat_map(|&z| {
        assert!((0.0..=65535.0).contains(&z) && z.fract() == 0.0, "{z} is no grey");
        (z as u16).to_be_bytes()
    });
    let pixels: Vec<u8> = pixels.collect();
    let mut bytes = Vec::new();
    let [height, width] = [map.heights.nrows(), map.heights.ncols()].map(|n| n as u32);
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().expect("memory takes it");
    writer.write_image_data(&pixels).expect("memory takes it");
    writer.finish().expect("memory takes it");
    let again = heights::parse_png("fuzz.png", &bytes).expect("it is a height map");
    same(&again, &map);
    terrain(&map);
}

fn same(a: &Heightmap, b: &Heightmap) {
    assert_eq!((a.heights.dim(), a.cell_size), (b.heights.dim(), b.cell_size));
    let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
    assert!(a.heights.iter().zip(&b.heights).all(same), "{a:?} is not {b:?}");
}

fn terrain(map: &Heightmap) {
    let Some(terrain) = refusal::accepted(map.terrain(&Scaling::default())) else { return };
    for ((y, x), &z) in map.heights.indexed_iter() {
        assert_eq!(terrain.height([y, x]), Some(z).filter(|z| !z.is_nan()), "{y} {x}");
    }
}
