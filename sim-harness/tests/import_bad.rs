//! Levels that are damaged, hostile or of the wrong kind: one line, exit 2, no panic, and little
//! memory.
#![cfg(feature = "import")]

mod command;

use command::{Folder, refused};
use proptest::prelude::*;
use sim_harness::import::{self, ImportOptions};
use sim_harness::memory;
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counts allocated bytes.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
#[allow(unsafe_code, reason = "an allocator is unsafe by its trait; it only counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller keeps to the trait's rules.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps to the trait's rules.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// `[units: bytes]` The limit that the reader of a damaged small file is given, and keeps to.
const MOST: usize = 160 << 20;

const FILES: [&str; 8] = [
    "castle.tmx",
    "castle.tmj",
    "castle.ldtk",
    "castle.vox",
    "castle.obj",
    "castle.glb",
    "hill.tif",
    "castle.map",
];

fn level(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/levels").join(name)
}

/// Reads a damaged file: a level or one line, and no more memory than stated.
fn survives(folder: &Folder, name: &str, bytes: &[u8]) {
    // Tests run side by side, but counts must be of one of them.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    folder.file(name, bytes);
    memory::set_limit(MOST as u64);
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = import::read(&folder.path(name), &ImportOptions::default());
    let taken = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    assert!(taken <= MOST, "{name}: {} MiB", taken >> 20);
    if let Err(error) = result {
        let line = error.to_string();
        assert!(line.lines().count() == 1 && line.len() < 1000, "{line:?}");
        assert!(line.contains(name), "{line:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_give_a_level_or_one_line(
        file in 0..FILES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
        swap in any::<bool>(),
    ) {
        let mut bytes = std::fs::read(level(FILES[file])).unwrap();
        for (at, byte) in &edits {
            let at = at.index(bytes.len());
            // Digits become digits half the time, so that numbers change and not only fail.
            let digit = swap && bytes[at].is_ascii_digit();
            bytes[at] = if digit { b'0' + byte % 10 } else { *byte };
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        survives(&Folder::new(), FILES[file], &bytes);
    }
}

#[test]
fn every_byte_of_a_picture_of_heights_damaged() {
    let folder = Folder::new();
    let whole = std::fs::read(level("hill.tif")).unwrap();
    for at in 0..whole.len() {
        for byte in [0x50, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            survives(&folder, "hill.tif", &bytes);
        }
    }
}

#[test]
fn every_way_to_cut_a_file_short() {
    let folder = Folder::new();
    for name in FILES {
        let bytes = std::fs::read(level(name)).unwrap();
        let step = (bytes.len() / 41).max(1);
        for end in (0..bytes.len()).step_by(step) {
            survives(&folder, name, &bytes[..end]);
        }
    }
}

/// Whatever reads the file refuses it with all of `parts` in its line.
fn says(folder: &Folder, name: &str, bytes: impl AsRef<[u8]>, parts: &[&str]) {
    let file = folder.file(name, bytes);
    let scenario = format!(
        "name = \"a\"\nsteps = 3\nuntil = \"last-step\"\n[map]\nfile = \"{name}\"\n[[evaders]]\n[[pursuers]]\nspeed = 0.5\n"
    );
    let scenario = folder.file("scenario.toml", scenario);
    for command in [
        &["pursue", "--map", &file, "--from", "0,0", "--to", "0,0"][..],
        &["audit", &file, "--speed", "3"],
        &["run", &scenario],
    ] {
        refused(command, &[&[name], parts].concat());
    }
}

const TMX: &str =
    "<map orientation=\"orthogonal\" width=\"2\" height=\"1\" tilewidth=\"8\" tileheight=\"8\">";

#[test]
fn tiled_says_what_is_wrong_and_where() {
    let folder = Folder::new();
    let layer = |attributes: &str, data: &str| {
        format!("{TMX}<layer name=\"wall\"><data {attributes}>{data}</data></layer></map>")
    };
    says(&folder, "a.tmx", "", &["XML"]);
    says(&folder, "a.tmx", "<map", &["XML"]);
    says(&folder, "a.tmx", "<tileset/>", &["<map>", "<tileset>"]);
    says(&folder, "a.tmx", "<!DOCTYPE a [<!ENTITY b 'c'>]><map/>", &["XML"]);
    says(&folder, "a.tmx", "<map width='x'/>", &["line 1: <map>", "width", "\"x\""]);
    for orientation in ["hexagonal", "staggered"] {
        says(
            &folder,
            "a.tmx",
            TMX.replace("orthogonal", orientation) + "</map>",
            &[orientation, "squares"],
        );
    }
    says(
        &folder,
        "a.tmx",
        TMX.to_owned() + "<layer name=\"grass\"><data encoding='csv'>1,1</data></layer></map>",
        &["nothing says where walls are", "\"grass\""],
    );
    says(&folder, "a.tmx", layer("encoding='csv'", "1"), &["layer \"wall\"", "1 tiles", "2"]);
    says(&folder, "a.tmx", layer("encoding='csv'", "1,2,3"), &["more than 2 tiles"]);
    says(&folder, "a.tmx", layer("encoding='csv'", "1,x"), &["\"x\" is no tile number"]);
    says(&folder, "a.tmx", layer("encoding='base64'", "!!"), &["base64"]);
    says(&folder, "a.tmx", layer("encoding='base64' compression='zlib'", "AAAA"), &["zlib"]);
    says(&folder, "a.tmx", layer("encoding='base64' compression='zstd'", "AAAA"), &["zstd"]);
    says(
        &folder,
        "a.tmx",
        layer("encoding='base64' compression='lzma'", "AAAA"),
        &["\"lzma\" is not known"],
    );
    says(
        &folder,
        "a.tmx",
        TMX.replace("width=\"2\"", "width=\"4000000000\"") + "</map>",
        &["cells are not possible"],
    );
    for path in ["/etc/passwd", "../../../a.tsx", "a/../b.tsx", ""] {
        let tileset = format!("{TMX}<tileset firstgid=\"1\" source=\"{path}\"/></map>");
        says(&folder, "a.tmx", tileset, &["tileset", "must be relative"]);
    }
    says(
        &folder,
        "a.tmx",
        format!("{TMX}<tileset firstgid=\"1\" source=\"no.tsx\"/></map>"),
        &["tileset \"no.tsx\"", "cannot be read"],
    );
    let object = |inner: &str| format!("{TMX}<objectgroup name=\"o\">{inner}</objectgroup></map>");
    says(
        &folder,
        "a.tmx",
        object("<object id='7' type='start' x='99' y='0'/>"),
        &["layer \"o\", object 7", "outside"],
    );
    says(
        &folder,
        "a.tmx",
        object("<object id='7' type='mark' x='1' y='1'/>"),
        &["object 7", "needs a name"],
    );
    says(
        &folder,
        "a.tmx",
        object("<object id='7' type='wall' x='1' y='1'><ellipse/></object>"),
        &["object 7", "rectangle"],
    );
    says(&folder, "a.tmx", object("<object id='7' template='t.tx'/>"), &["object 7", "templates"]);
    let deep = "<group>".repeat(5000);
    says(&folder, "a.tmx", format!("{TMX}{deep}"), &["XML"]);
    says(&folder, "a.tmx", format!("{TMX}{deep}{}</map>", "</group>".repeat(5000)), &["deep"]);
    says(&folder, "a.tmj", "{", &["JSON"]);
    says(&folder, "a.tmj", "[1]", &["invalid type"]);
    says(&folder, "a.tmj", "{\"orientation\": 5}", &["orientation"]);
    says(&folder, "a.tmj", format!("{{\"a\": {}", "[".repeat(100_000)), &["line 1"]);
}

#[test]
fn a_bomb_is_not_unpacked() {
    use base64::Engine;
    use std::io::Write;
    let folder = Folder::new();
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![0; 1 << 20];
    for _ in 0..64 {
        packer.write_all(&zeros).unwrap();
    }
    let bomb = base64::engine::general_purpose::STANDARD.encode(packer.finish().unwrap());
    let tmx = format!(
        "{TMX}<layer name=\"wall\"><data encoding='base64' compression='zlib'>{bomb}</data></layer></map>"
    );
    says(&folder, "a.tmx", &tmx, &["layer \"wall\"", "more than 8 bytes"]);
    survives(&folder, "a.tmx", tmx.as_bytes());
}

#[test]
fn ldtk_says_what_is_wrong_and_where() {
    let folder = Folder::new();
    says(&folder, "a.ldtk", "{}", &["no level"]);
    says(&folder, "a.ldtk", "{\"levels\":[{\"identifier\":\"A\"}]}", &["level \"A\"", "neither"]);
    says(&folder, "a.ldtk", "{\"levels\":[{\"identifier\":3}]}", &["levels[0].identifier"]);
    says(
        &folder,
        "a.ldtk",
        "{\"levels\":[{\"identifier\":\"A\",\"externalRelPath\":\"/a\"}]}",
        &["must be relative"],
    );
    let layer = |values: &str| {
        format!(
            "{{\"levels\":[{{\"identifier\":\"A\",\"layerInstances\":[{{\"__identifier\":\"wall\",\"__cWid\":2,\
             \"__cHei\":2,\"__gridSize\":8,\"layerDefUid\":1,\"intGridCsv\":[{values}]}}]}}]}}"
        )
    };
    says(&folder, "a.ldtk", layer("1"), &["layer \"wall\"", "1 values", "2 x 2"]);
    says(&folder, "a.ldtk", layer("1,1,1,1").replace("wall", "art"), &["nothing says", "\"art\""]);
    says(
        &folder,
        "a.ldtk",
        layer("1").replace("__cWid\":2", "__cWid\":99999999"),
        &["not possible"],
    );
    let file = folder.file("b.ldtk", layer("0,0,0,0"));
    refused(&["pursue", "--map", &file, "--level", "B"], &["\"B\"", "\"A\""]);
}

#[test]
fn voxels_say_what_is_wrong_and_where() {
    let folder = Folder::new();
    let chunk = |id: &str, content: &[u8]| {
        let mut all = id.as_bytes().to_vec();
        all.extend((content.len() as u32).to_le_bytes());
        all.extend(0_u32.to_le_bytes());
        all.extend(content);
        all
    };
    let words = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let file = |chunks: &[Vec<u8>]| {
        let children = chunks.concat();
        let head = [&b"VOX "[..], &150_u32.to_le_bytes(), b"MAIN", &[0; 4]].concat();
        [head, (children.len() as u32).to_le_bytes().to_vec(), children].concat()
    };
    says(&folder, "a.vox", "", &["head"]);
    says(&folder, "a.vox", "VOXEL...", &["head"]);
    says(&folder, "a.vox", file(&[]), &["no model"]);
    says(
        &folder,
        "a.vox",
        file(&[chunk("SIZE", &words(&[1, 1]))]),
        &["chunk SIZE at byte 20", "ends"],
    );
    says(&folder, "a.vox", file(&[chunk("SIZE", &words(&[1, 999, 1]))]), &["999", "1 to 256"]);
    says(&folder, "a.vox", file(&[chunk("XYZI", &words(&[0]))]), &["no SIZE"]);
    let size = chunk("SIZE", &words(&[1, 1, 1]));
    says(
        &folder,
        "a.vox",
        file(&[size.clone(), chunk("XYZI", &words(&[u32::MAX]))]),
        &["chunk XYZI", "4294967295"],
    );
    says(&folder, "a.vox", file(&[size.clone(), chunk("XYZI", &words(&[1, 5]))]), &["[5, 0, 0]"]);
    // A group that holds itself.
    let model = [size, chunk("XYZI", &words(&[1, 0]))].concat();
    let group = chunk("nGRP", &words(&[0, 0, 2, 0, 0]));
    says(&folder, "a.vox", file(&[model, group]), &["node 0"]);
}

#[test]
fn meshes_say_what_is_wrong_and_where() {
    let folder = Folder::new();
    says(&folder, "a.obj", "", &["no triangles"]);
    says(&folder, "a.obj", "v 1 2", &["line 1", "\"v 1 2\""]);
    says(&folder, "a.obj", "v 1 2 nan", &["line 1"]);
    says(&folder, "a.obj", "v 0 0 0\nf 1 2 3", &["line 2", "\"2\"", "no point of the 1"]);
    says(&folder, "a.obj", "v 0 0 0\nf 1 1", &["line 2", "three corners"]);
    says(&folder, "a.obj", "v 0 0 0\nv 1e300 0 0\nv 0 1 0\nf 1 2 3", &["1e9"]);
    says(&folder, "a.glb", "glTF", &["glTF"]);
    says(&folder, "a.gltf", "{}", &["no scene"]);
    let gltf = |more: &str| format!("{{\"asset\":{{\"version\":\"2.0\"}}{more}}}");
    says(&folder, "a.gltf", gltf(""), &["no scene"]);
    says(&folder, "a.gltf", gltf(",\"scenes\":[{\"nodes\":[7]}]"), &["node 7"]);
    let circle = ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[1]},{\"children\":[0]}]";
    says(&folder, "a.gltf", gltf(circle), &["node 0", "twice"]);
    let buffer =
        |uri: &str| gltf(&format!(",\"buffers\":[{{\"byteLength\":4,\"uri\":\"{uri}\"}}]"));
    says(&folder, "a.gltf", buffer("/etc/passwd"), &["buffer 0", "relative"]);
    says(&folder, "a.gltf", buffer("no.bin"), &["buffer 0", "cannot be read"]);
    says(
        &folder,
        "a.gltf",
        buffer("data:application/octet-stream;base64,AA=="),
        &["buffer 0", "1 bytes"],
    );
    let triangle = folder.file("b.obj", "v 0 0 0\nv 9 0 0\nv 0 0 9\nf 1 3 2");
    refused(&["pursue", "--map", &triangle, "--cell", "1e-5"], &["b.obj", "not possible"]);
    refused(&["pursue", "--map", &triangle, "--cell", "0"], &["b.obj", "the side of a cell"]);
}

#[test]
fn pictures_of_heights_say_what_is_wrong() {
    let folder = Folder::new();
    says(&folder, "a.tif", "", &["TIFF"]);
    says(&folder, "a.tif", "II*\0\u{8}\0\0\0", &["TIFF"]);
    says(&folder, "a.xyz", "", &["must end in", ".tif"]);
}

/// Small files that ask for much work are refused, in a time that nobody notices.
fn asks_for_too_much(name: &str, bytes: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = Folder::new();
    folder.file(name, bytes);
    let options = ImportOptions { cell: Some(1.0), ..ImportOptions::default() };
    let error = import::read(&folder.path(name), &options).expect_err(name).to_string();
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn what_lies_over_one_another_is_looked_at_so_often_and_no_more() {
    let rectangle = "<object x=\"0\" y=\"0\" width=\"8192\" height=\"8192\"/>".repeat(1025);
    let tmx = TMX.replace("width=\"2\" height=\"1\"", "width=\"1024\" height=\"1024\"");
    let tmx = format!("{tmx}<objectgroup name=\"wall\">{rectangle}</objectgroup></map>");
    asks_for_too_much("a.tmx", tmx, &["layer \"wall\"", "2^30"]);
    // A wall as high as the level, drawn again and again.
    let wall = "v 0 0 0\nv 0 9999 0\nv 0 9999 0.5\n".to_owned() + &"f 1 2 3\n".repeat(110_000);
    asks_for_too_much("a.obj", wall, &["2^30"]);
}

#[test]
fn groups_of_voxels_do_not_double_without_end() {
    let words = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let chunk = |id: &str, content: Vec<u8>| {
        [id.as_bytes(), &words(&[content.len() as u32, 0]), &content].concat()
    };
    let group = |id: u32, children: &[u32]| {
        let head = [id, 0, children.len() as u32];
        chunk("nGRP", words(&[&head, children].concat()))
    };
    let file = |chunks: &[Vec<u8>]| {
        let children = chunks.concat();
        [b"VOX ", &words(&[150])[..], b"MAIN", &words(&[0, children.len() as u32]), &children]
            .concat()
    };
    let mut doubled: Vec<_> = (0..50).map(|id| group(id, &[id + 1; 2])).collect();
    doubled.push(group(50, &[]));
    asks_for_too_much("a.vox", file(&doubled), &["2^20 nodes"]);
    // One model of many voxels, shown in many places.
    let voxels = 1 << 15;
    let size = chunk("SIZE", words(&[256, 256, 1]));
    let model = chunk("XYZI", [words(&[voxels]), vec![0; 4 * voxels as usize]].concat());
    let shape = chunk("nSHP", words(&[1, 0, 1, 0, 0]));
    let shown = [size, model, group(0, &vec![1; 33_000]), shape];
    asks_for_too_much("a.vox", file(&shown), &["2^30 cells"]);
}

#[test]
fn layers_of_a_project_share_what_their_tilesets_say() {
    let layers = "{\"__identifier\":\"wall\",\"__cWid\":1,\"__cHei\":1,\"__gridSize\":8,\
                  \"layerDefUid\":1,\"__tilesetDefUid\":5,\"intGridCsv\":[1]},"
        .repeat(100);
    let tiles: Vec<u32> = (0..100_000).collect();
    let ldtk = format!(
        "{{\"defs\":{{\"tilesets\":[{{\"uid\":5,\"enumTags\":[{{\"enumValueId\":\"wall\",\
         \"tileIds\":{tiles:?}}}]}}]}},\"levels\":[{{\"identifier\":\"A\",\
         \"layerInstances\":[{}]}}]}}",
        layers.trim_end_matches(',')
    );
    survives(&Folder::new(), "a.ldtk", ldtk.as_bytes());
}

#[test]
fn parts_of_a_mesh_that_are_named_again_and_again_cost_no_more() {
    let folder = Folder::new();
    folder.file("big.bin", vec![0; 1 << 20]);
    let buffers = "{\"byteLength\":4,\"uri\":\"big.bin\"},".repeat(257);
    let buffers = format!("{{\"buffers\":[{}]}}", buffers.trim_end_matches(','));
    says(&folder, "a.gltf", buffers, &["buffer 256", "268435456 bytes together"]);

    let gltf = |nodes: usize, primitives: usize, points: &[f32], stride: usize, uri: &str| {
        let bytes: Vec<u8> = points.iter().flat_map(|v| v.to_le_bytes()).collect();
        let list = |item: &str, count: usize| vec![item; count].join(",");
        let all = (0..nodes).map(|node| node.to_string()).collect::<Vec<_>>().join(",");
        let text = format!(
            "{{\"scenes\":[{{\"nodes\":[{all}]}}],\"nodes\":[{}],\"meshes\":[{{\"primitives\":[{}]}}],\
             \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":{},\"type\":\"VEC3\"}},\
             {{\"bufferView\":1,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"}}],\
             \"bufferViews\":[{{\"buffer\":0,\"byteLength\":{},\"byteStride\":{stride}}},\
             {{\"buffer\":1,\"byteLength\":3}}],\"buffers\":[{{\"byteLength\":{},\"uri\":\"{uri}\"}},\
             {{\"byteLength\":3,\"uri\":\"data:;base64,AAEC\"}}]}}",
            list("{\"mesh\":0}", nodes),
            list("{\"attributes\":{\"POSITION\":0},\"indices\":1}", primitives),
            points.len() / 3,
            bytes.len(),
            bytes.len(),
        );
        (text, bytes)
    };
    let triangle = [0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 4.0];
    let (text, bytes) = gltf(1, 1, &triangle, 12, "H%C3%B6hle%20%282%29.bin");
    folder.file("H\u{f6}hle (2).bin", &bytes);
    folder.file("b.gltf", text);
    let ones = ImportOptions { cell: Some(1.0), ..ImportOptions::default() };
    let map = import::read(&folder.path("b.gltf"), &ones).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(map.shape(), [2, 4, 4]);
    // Positions that reach into one another are none.
    let overlapping = gltf(1, 1, &triangle, 4, "H%C3%B6hle%20%282%29.bin").0;
    says(&folder, "c.gltf", overlapping, &["accessor 0", "byteStride 4", "12"]);
    // Many nodes that show many primitives.
    let many = gltf(3000, 3000, &triangle, 12, "H%C3%B6hle%20%282%29.bin").0;
    let many = many.replace("\"count\":3,\"type\":\"SCALAR\"", "\"count\":2,\"type\":\"SCALAR\"");
    says(&folder, "d.gltf", many, &["2^22 primitives"]);
    // Marks take their triangles out again, and they count all the same.
    let half = (1 << 21) + 1;
    let (marks, bytes) = gltf(2, 1, &triangle.repeat(half), 12, "half.bin");
    folder.file("half.bin", bytes);
    let marks = marks.replace("{\"mesh\":0}", "{\"mesh\":0,\"name\":\"mark_a\"}");
    says(&folder, "e.gltf", marks.replace(",\"indices\":1", ""), &["2^22 triangles"]);
}
