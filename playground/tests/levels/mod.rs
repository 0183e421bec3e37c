//! Levels of every editor, which the harness tests its importers with.

use std::path::{Path, PathBuf};

/// In `sim-harness/tests/levels`.
pub(crate) const LEVELS: [&str; 8] = [
    "castle.map",
    "castle.tmx",
    "castle.tmj",
    "castle.ldtk",
    "castle.vox",
    "castle.glb",
    "castle.obj",
    "hill.tif",
];

/// Heights with a pit, a terrace and a slope.
#[allow(dead_code, reason = "only the page drops them")]
pub(crate) fn height([x, y]: [usize; 2]) -> u8 {
    match (x, y) {
        (3..=6, 3..=5) => 10,
        (12.., 6..) => 60,
        _ => 30 + x as u8 / 4,
    }
}

/// Levels in those formats of which no file is kept: a .3dmap, an .asc, a .png, and a .gltf with
/// its .bin. Each with the files that it needs.
#[allow(dead_code, reason = "only the page drops them")]
pub(crate) fn made(folder: &Path, levels: &Path) -> Vec<Vec<PathBuf>> {
    const SIZE: [usize; 2] = [18, 12];
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).unwrap();
        folder.join(name)
    };
    let mut voxels = "voxel 9 6 3\n".to_owned();
    for (x, z) in [(4, 0), (4, 1), (4, 2)] {
        for y in 0..5 {
            voxels += &format!("{x} {y} {z}\n");
        }
    }
    let rows = (0..SIZE[1]).map(|y| {
        let row: Vec<_> = (0..SIZE[0]).map(|x| height([x, y]).to_string()).collect();
        row.join(" ") + "\n"
    });
    let head = "ncols 18\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 2\nNODATA_value -9999\n";
    let asc = head.to_owned() + &rows.collect::<String>();
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, SIZE[0] as u32, SIZE[1] as u32);
    encoder.set_color(png::ColorType::Grayscale);
    let grey: Vec<u8> =
        (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| height([x, y]))).collect();
    encoder.write_header().unwrap().write_image_data(&grey).unwrap();

    // A .glb is a head of 12 bytes, then JSON and the buffer, each behind its length and its kind.
    let glb = std::fs::read(levels.join("castle.glb")).unwrap();
    let (json, rest) = chunk(&glb[12..]);
    let mut json: serde_json::Value = serde_json::from_slice(json).unwrap();
    json["buffers"][0]["uri"] = "castle.bin".into();
    vec![
        vec![write("castle.3dmap", voxels.as_bytes())],
        vec![write("ground.asc", asc.as_bytes())],
        vec![write("picture.png", &picture)],
        vec![write("castle.gltf", json.to_string().as_bytes()), write("castle.bin", chunk(rest).0)],
    ]
}

#[allow(dead_code, reason = "only the page drops them")]
fn chunk(bytes: &[u8]) -> (&[u8], &[u8]) {
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    bytes[8..].split_at(length)
}
