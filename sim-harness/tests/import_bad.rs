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
