//! Map and scenario readers: drawn inputs, every kind of error, and random junk.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;
use sim_harness::maps::{self, Class, Entry, MapError, MapFile, Regions};

const DRAWN: &str = "type octile\nheight 3\nwidth 5\nmap\n.GS@W\nOT.WW\n..@..\n";
const VOXELS: &str = "voxel 2 3 4\n0 0 0\n1 2 3\n1 2 3\n0 1 2\n";
const SCEN: &str =
    "version 1\n0\tmaps/a.map\t5\t3\t0\t0\t2\t1\t3.41421\n\n7 a b.map 5 3 4 2 0 2 0\n";
const VOXEL_SCEN: &str = "version 1\na.3dmap\n1 0 0 1 2 0 2.0 1.0\n1 0 0 1 0 0 0 nan\n";

fn octile(text: &str) -> Result<MapFile, MapError> {
    maps::parse_octile("a.map", text.as_bytes())
}

fn voxel(text: &str) -> Result<MapFile, MapError> {
    maps::parse_voxel("a.3dmap", text.as_bytes())
}

fn good<T>(result: Result<T, MapError>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn says<T>(result: Result<T, MapError>, expected: &str) {
    let text = result.err().map_or_else(|| "no error".into(), |error| error.to_string());
    assert_eq!(text, expected);
}

#[test]
fn an_octile_map_is_read_as_drawn() {
    let map = good(octile(DRAWN));
    assert_eq!((map.name(), map.dimensions(), map.shape()), ("a.map", 2, [1, 3, 5]));
    let (g, w) = (Some(Class::Ground), Some(Class::Water));
    let expected = [[g, g, g, None, w], [None, None, g, w, w], [g, g, None, g, g]];
    let (ground, water) = (map.walls(Class::Ground), map.walls(Class::Water));
    assert_eq!(ground.dim(), (1, 3, 5));
    for (y, row) in expected.iter().enumerate() {
        for (x, class) in row.iter().enumerate() {
            assert_eq!(map.class([0, y, x]), *class, "row {y}, column {x}");
            assert_eq!(ground[[0, y, x]], *class != g);
            assert_eq!(water[[0, y, x]], *class != w);
        }
    }
    for outside in [[1, 0, 0], [0, 3, 0], [0, 0, 5], [usize::MAX; 3]] {
        assert_eq!(map.class(outside), None);
    }
}

#[test]
fn line_ends_and_header_order_do_not_matter() {
    let map = good(octile(DRAWN));
    let swapped = DRAWN.replace("height 3\nwidth 5", "width 5\nheight 3");
    for text in
        [DRAWN.replace('\n', "\r\n"), swapped, format!("{DRAWN}\n\r\n"), DRAWN.trim_end().into()]
    {
        assert_eq!(good(octile(&text)), map, "{text:?}");
    }
    let voxels = good(voxel(VOXELS));
    for text in [VOXELS.replace('\n', "\r\n"), VOXELS.replace(' ', "\t"), VOXELS.trim_end().into()]
    {
        assert_eq!(good(voxel(&text)), voxels, "{text:?}");
    }
}

#[test]
fn a_voxel_map_is_read_as_listed() {
    let map = good(voxel(VOXELS));
    assert_eq!((map.name(), map.dimensions(), map.shape()), ("a.3dmap", 3, [4, 3, 2]));
    let walls = map.walls(Class::Ground);
    let blocked: Vec<_> =
        walls.indexed_iter().filter(|(_, wall)| **wall).map(|(at, _)| at).collect();
    assert_eq!(blocked, [(0, 0, 0), (2, 1, 0), (3, 2, 1)]);
    assert!(map.walls(Class::Water).iter().all(|wall| *wall));
}

/// One line per case: a bad text, or an edit that makes the good one bad, and the message that it
/// gets.
macro_rules! refused {
    ($read:expr, $name:literal, $good:expr; $($from:literal => $to:expr, $says:expr;)*) => {
        $(says($read(&$good.replacen($from, $to, 1)), &format!("{}:{}", $name, $says));)*
    };
    ($read:expr, $name:literal; $($text:expr, $says:expr;)*) => {
        $(says($read($text), &format!("{}:{}", $name, $says));)*
    };
}

#[test]
fn bad_octile_maps_are_refused() {
    let size = "must be an integer from 1 to 1048576, found";
    refused! { octile, "a.map";
        "", " the file is empty";
        "\r\n\n", " the file is empty";
        "hello", "1: expected `type octile`, found another line, of 5 bytes";
        "type octile", "2: expected `height N` or `width N`, found the end of the file";
        "type octile\nheight 9\nwidth 9", "4: expected `map`, found the end of the file";
        "type octile\nheight 9\nwidth 9\nmap", "4: the file ends after 0 rows, the header says 9";
        &format!("{DRAWN}.\n"), "8: the header says 3 rows, then comes `.`";
    }
    refused! { octile, "a.map", DRAWN;
        "octile" => "tile", "1: expected `type octile`, found `type tile`";
        "height 3" => "depth 3", "2: expected `height N` or `width N`, found `depth 3`";
        "height 3" => "width 3", "3: expected `height N`, found `width 5`";
        "width 5" => "height 5", "3: expected `width N`, found `height 5`";
        "width 5" => "width", "3: expected `width N`, found `width`";
        "map\n" => "mop\n", "4: expected `map`, found `mop`";
        "width 5" => "width 1000000000", format!("3: width {size} `1000000000`");
        "3\nwidth 5" => "1048576\nwidth 4096", "3: the map of 4294967296 cells would take 48.6 GiB of memory, the limit is 8.0 GiB (--memory)";
        "height 3" => "height 1000000", "7: the file ends after 3 rows, the header says 1000000";
        "height 3" => "height 2", "7: the header says 2 rows, then comes `..@..`";
        "width 5" => "width 1000000", "5: row 0 has 5 cells, the header says 1000000";
        "\n..@.." => "", "6: the file ends after 2 rows, the header says 3";
        "OT.WW" => "OT.W", "6: row 1 has 4 cells, the header says 5";
        "OT.WW" => "OT.WWW", "6: row 1 has 6 cells, the header says 5";
        "OT.WW" => "", "6: row 1 has 0 cells, the header says 5";
        "OT.WW" => "OTxWW", "6: unknown letter `x` in row 1, column 2; known are . G S W @ O T";
        "OT.WW" => "OT.\0W", "6: unknown letter `\\x00` in row 1, column 3; known are . G S W @ O T";
    }
    for bad in ["1000000000", "0", "-3", "+3", "3.0", "three", "18446744073709551617", "1048577"] {
        let text = DRAWN.replace("height 3", &format!("height {bad}"));
        says(octile(&text), &format!("a.map:2: height {size} `{bad}`"));
    }
}

#[test]
fn binary_junk_is_escaped() {
    refused! { |bytes: &[u8]| maps::parse_octile("f", bytes), "f";
        b"type octile\nwidth 3\nheight 1\nmap\n..\xff", "5: unknown letter `\\xff` in row 0, column 2; known are . G S W @ O T";
        b"\x7fELF\x02\xfe\r\xc3\x28", "1: expected `type octile`, found another line, of 9 bytes";
    }
    refused! { |bytes: &[u8]| maps::parse_voxel("f", bytes), "f";
        b"voxel 1 1 \xff", "1: size z must be an integer from 1 to 1048576, found `\\xff`";
    }
}

#[test]
fn bad_voxel_maps_are_refused() {
    let size = "must be an integer from 1 to 1048576, found";
    refused! { voxel, "a.3dmap"; "", " the file is empty"; }
    refused! { voxel, "a.3dmap", VOXELS;
        "voxel 2 3 4" => "voxel 2 3", "1: expected `voxel X Y Z`, found `voxel 2 3`";
        "voxel 2 3 4" => "voxel 2 3 4 5", "1: expected `voxel X Y Z`, found `voxel 2 3 4 5`";
        "voxel 2 3 4" => "type octile", "1: expected `voxel X Y Z`, found another line, of 11 bytes";
        "voxel 2 3 4\n" => "", "1: expected `voxel X Y Z`, found another line, of 5 bytes";
        "2 3 4" => "0 3 4", format!("1: size x {size} `0`");
        "2 3 4" => "2 1048577 4", format!("1: size y {size} `1048577`");
        "2 3 4" => "2 3 -4", format!("1: size z {size} `-4`");
        "2 3 4" => "1048576 1048576 1048576", "1: the map of 1152921504606846976 cells would take 12.0 EiB of memory, the limit is 8.0 GiB (--memory)";
        "1 2 3" => "2 2 3", "3: x must be an integer from 0 to 1, found `2`";
        "1 2 3" => "1 3 3", "3: y must be an integer from 0 to 2, found `3`";
        "1 2 3" => "1 2 -1", "3: z must be an integer from 0 to 3, found `-1`";
        "1 2 3" => "1 2 1e0", "3: z must be an integer from 0 to 3, found `1e0`";
        "1 2 3" => "1 2 18446744073709551616", "3: z must be an integer from 0 to 3, found `18446744073709551616`";
        "1 2 3" => "1 2", "3: expected three integers x y z, found 2 columns";
        "1 2 3" => "1 2 3 4", "3: expected three integers x y z, found 4 columns";
    }
}

fn entry(start: [usize; 3], goal: [usize; 3], optimal: f64, line: usize) -> Entry {
    Entry { start, goal, optimal, line }
}

#[test]
fn scenarios_are_read_as_written() {
    let (map, voxels) = (good(octile(DRAWN)), good(voxel(VOXELS)));
    let expected = [entry([0, 0, 0], [0, 1, 2], 3.41421, 2), entry([0, 2, 4], [0, 2, 0], 0.0, 4)];
    for version in ["version 1\n", "version 1.0\r\n", "version\t1.0 \n"] {
        let text = SCEN.replace("version 1\n", version);
        assert_eq!(good(maps::parse_scen("a.scen", text.as_bytes(), &map)), expected);
    }
    let spaces = SCEN.replace('\t', "   ").replace('\n', "\r\n");
    assert_eq!(good(maps::parse_scen("a.scen", spaces.as_bytes(), &map)), expected);
    let expected = [entry([0, 0, 1], [0, 2, 1], 2.0, 3), entry([0, 0, 1], [0, 0, 1], 0.0, 4)];
    assert_eq!(good(maps::parse_scen("a.3dscen", VOXEL_SCEN.as_bytes(), &voxels)), expected);
    assert_eq!(good(maps::parse_scen("a", b"version 1", &map)), []);
    assert_eq!(good(maps::parse_scen("a", b"version 1\na.3dmap\n", &voxels)), []);
}

#[test]
fn bad_scenarios_are_refused() {
    let (map, voxels) = (good(octile(DRAWN)), good(voxel(VOXELS)));
    let flat = |text: &str| maps::parse_scen("s", text.as_bytes(), &map);
    let columns = "2: expected bucket, map, width, height, x, y, x, y, length, found";
    refused! { flat, "s";
        "", " the file is empty";
        "version 2\n", "1: expected `version 1` or `version 1.0`, found `version 2`";
        "0 a.map", "1: expected `version 1` or `version 1.0`, found another line, of 7 bytes";
        "version 1\n0 a.map 5 3 0 0 1 1", format!("{columns} 8 columns");
        "version 1\n\n0", "3: expected bucket, map, width, height, x, y, x, y, length, found 1 columns";
    }
    let line = |text: &str| flat(&format!("version 1\n{text}\n"));
    refused! { line, "s", "0 a 5 3 0 0 1 1 1";
        "0 a" => "b a", "2: bucket must be an integer from 0 to 18446744073709551615, found `b`";
        "5 3" => "5 4", "2: the entry is for a map of 5 x 4 cells, the map has 5 x 3";
        "5 3" => "3 5", "2: the entry is for a map of 3 x 5 cells, the map has 5 x 3";
        "5 3" => "5 4294967296", "2: map height must be an integer from 0 to 1048576, found `4294967296`";
        "3 0 0" => "3 5 0", "2: start x must be an integer from 0 to 4, found `5`";
        "3 0 0" => "3 0 -1", "2: start y must be an integer from 0 to 2, found `-1`";
        "1 1 1" => "1.5 1 1", "2: goal x must be an integer from 0 to 4, found `1.5`";
        "1 1 1" => "1 99999999999999999999 1", "2: goal y must be an integer from 0 to 2, found `99999999999999999999`";
    }
    for bad in ["-1", "5e-324", "nan", "NaN", "inf", "-inf", "1e999", "far"] {
        let expected =
            format!("s:2: the length must be finite, and 0 or at least 1e-3, found `{bad}`");
        says(line(&format!("0 a 5 3 0 0 1 1 {bad}")), &expected);
    }
    let deep = |text: &str| maps::parse_scen("s", text.as_bytes(), &voxels);
    refused! { deep, "s", "version 1\na\n1 0 0 1 2 0 2 1";
        "\na\n1 0 0 1 2 0 2 1" => "", "2: expected the name of the map, found the end of the file";
        "\na" => "", "2: expected the name of the map, found `1 0 0 1 2 0 2 1`";
        "0 2 1" => "0 2", "3: expected x, y, z, x, y, z, length, ratio, found 7 columns";
        "0 2 1" => "4 2 1", "3: goal z must be an integer from 0 to 3, found `4`";
        "\n1 0 0" => "\n2 0 0", "3: start x must be an integer from 0 to 1, found `2`";
        "0 2 1" => "0 -2 1", "3: the length must be finite, and 0 or at least 1e-3, found `-2`";
        "0 2 1" => "0 2 x", "3: the ratio must be a number, found `x`";
    }
}

#[test]
fn files_are_told_apart_by_their_names() -> std::io::Result<()> {
    let dir = tempfile::tempdir()?;
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).map(|()| path)
    };
    let map = good(maps::read_map(&write("a.map", DRAWN)?));
    let voxels = good(maps::read_map(&write("b.3DMAP", VOXELS)?));
    assert_eq!((map.name(), voxels.name()), ("a.map", "b.3DMAP"));
    let (flat, deep) = (write("a.map.scen", SCEN)?, write("b.3dscen", VOXEL_SCEN)?);
    assert_eq!(good(maps::read_scen(&flat, &map)).len(), 2);
    assert_eq!(good(maps::read_scen(&deep, &voxels)).len(), 2);

    let at = |name: &str| dir.path().join(name).display().to_string();
    let expected =
        format!("{}: the scenario is for a map of 3 dimensions, the map has 2", at("b.3dscen"));
    says(maps::read_scen(&deep, &map), &expected);
    says(
        maps::read_map(&flat),
        &format!("{}: the name must end in .map or .3dmap", at("a.map.scen")),
    );
    says(maps::read_scen(Path::new("a.map"), &map), "a.map: the name must end in .scen or .3dscen");
    says(maps::read_map(Path::new("")), ": the name must end in .map or .3dmap");
    says(
        maps::read_map(Path::new("no/such.map")),
        "no/such.map: cannot be read: No such file or directory (os error 2)",
    );
    says(
        maps::read_scen(Path::new("no.scen"), &map),
        "no.scen: cannot be read: No such file or directory (os error 2)",
    );
    std::fs::create_dir(dir.path().join("d.map"))?;
    let error = maps::read_map(&dir.path().join("d.map")).err();
    assert!(matches!(error, Some(MapError::Read { .. })), "{error:?}");
    let bad = write("bad.map", "type")?;
    says(
        maps::read_map(&bad),
        &format!("{}:1: expected `type octile`, found `type`", at("bad.map")),
    );
    Ok(())
}

#[test]
fn an_error_is_one_short_line() {
    let name = format!("{}\n\u{1b}[2J\u{2028}\u{85}.map", "x".repeat(10_000));
    let long = format!("type {}\n", "\u{7}\r\t\\é".repeat(10_000));
    for text in [long.as_str(), "", "type octile\nheight 1\nwidth 1\nmap\n\r\r\n"] {
        let error = maps::parse_octile(&name, text.as_bytes()).err().map(|error| error.to_string());
        one_short_line(&error.unwrap_or_default());
    }
}

fn one_short_line(text: &str) {
    assert!(!text.is_empty() && text.chars().count() < 600, "{} letters", text.chars().count());
    assert!(!text.contains(|c: char| c.is_control() || c == '\u{2028}'), "{text:?}");
}

#[test]
fn entries_are_chosen_evenly() {
    let all: Vec<_> = (0..10).map(|line| entry([0; 3], [0; 3], 0.0, line)).collect();
    let lines = |n| maps::select(&all, n).iter().map(|entry| entry.line).collect::<Vec<_>>();
    assert!(lines(0).is_empty());
    assert_eq!(lines(1), [0]);
    assert_eq!(lines(3), [0, 3, 6]);
    assert_eq!(lines(4), [0, 2, 5, 7]);
    assert_eq!(lines(10), (0..10).collect::<Vec<_>>());
    assert_eq!(lines(usize::MAX), lines(10));
    assert_eq!(maps::select(&[], 5), []);
}

#[test]
fn a_long_corridor_is_one_region() {
    const N: usize = 801;
    let mut text = format!("type octile\nheight {N}\nwidth {N}\nmap\n");
    for y in 0..N {
        let gap = if y % 4 == 1 { N - 1 } else { 0 };
        text.extend((0..N).map(|x| if y % 2 == 0 || x == gap { '.' } else { '@' }));
        text.push('\n');
    }
    let regions = Regions::new(&good(octile(&text)));
    assert_eq!(regions.count(), 1);
    assert!(regions.same([0, 0, 0], [0, N - 1, N - 1]));
    assert!(!regions.same([0, 1, 0], [0, 1, 0]));
    assert_eq!(
        (regions.label([0, 0, 0]), regions.label([0, 1, 0]), regions.label([0, N, 0])),
        (Some(0), None, None)
    );
}

/// Hands the least index along until nothing changes.
fn relaxed(map: &MapFile) -> Vec<([usize; 3], Option<usize>)> {
    let [depth, height, width] = map.shape();
    let cells =
        (0..depth * height * width).map(|i| [i / (height * width), i / width % height, i % width]);
    let mut found: Vec<_> = cells.enumerate().map(|(i, c)| (c, map.class(c).map(|_| i))).collect();
    let apart = |a: [usize; 3], b: [usize; 3]| (0..3).map(|k| a[k].abs_diff(b[k])).sum::<usize>();
    loop {
        let mut changed = false;
        for i in 0..found.len() {
            for j in 0..found.len() {
                let ((a, low), (b, high)) = (found[i], found[j]);
                if apart(a, b) == 1 && map.class(a) == map.class(b) && low < high {
                    found[j].1 = low;
                    changed = true;
                }
            }
        }
        if !changed {
            return found;
        }
    }
}

fn draw(shape: [usize; 2], letters: &[u8], end: &str, swapped: bool) -> String {
    let [height, width] = shape;
    let (mut first, mut second) = (format!("height {height}"), format!("width {width}"));
    if swapped {
        std::mem::swap(&mut first, &mut second);
    }
    let mut text = ["type octile", &first, &second, "map", ""].join(end);
    for row in letters.chunks(width) {
        text.extend(row.iter().map(|&letter| char::from(letter)));
        text.push_str(end);
    }
    text
}

fn drawing() -> impl Strategy<Value = ([usize; 2], Vec<u8>)> {
    let letters = prop::sample::select(b".GSW@OT..@".to_vec());
    [1..7_usize, 1..7_usize].prop_flat_map(move |shape| {
        (Just(shape), prop::collection::vec(letters.clone(), shape[0] * shape[1]))
    })
}

fn voxels() -> impl Strategy<Value = ([usize; 3], Vec<[usize; 3]>)> {
    [1..5_usize, 1..5_usize, 1..5_usize].prop_flat_map(|size| {
        let voxel = [0..size[0], 0..size[1], 0..size[2]];
        (Just(size), prop::collection::vec(voxel, 0..60))
    })
}

fn list(size: [usize; 3], blocked: &[[usize; 3]]) -> String {
    let mut text = format!("voxel {} {} {}\n", size[0], size[1], size[2]);
    for [x, y, z] in blocked {
        let _ = writeln!(text, "{x} {y} {z}");
    }
    text
}

fn check_regions(map: &MapFile) {
    let (regions, reference) = (Regions::new(map), relaxed(map));
    for (a, left) in &reference {
        assert_eq!(regions.label(*a).is_some(), left.is_some());
        for (b, right) in &reference {
            assert_eq!(regions.same(*a, *b), left.is_some() && left == right, "{a:?} {b:?}");
        }
    }
    let mut roots: Vec<_> = reference.iter().filter_map(|(_, root)| *root).collect();
    roots.sort_unstable();
    roots.dedup();
    assert_eq!(regions.count(), roots.len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn drawn_maps_come_back(
        (shape, letters) in drawing(),
        end in prop::sample::select(vec!["\n", "\r\n"]),
        swapped: bool,
    ) {
        let map = good(octile(&draw(shape, &letters, end, swapped)));
        prop_assert_eq!(map.shape(), [1, shape[0], shape[1]]);
        for (i, letter) in letters.iter().enumerate() {
            let class = match letter {
                b'W' => Some(Class::Water),
                b'.' | b'G' | b'S' => Some(Class::Ground),
                _ => None,
            };
            prop_assert_eq!(map.class([0, i / shape[1], i % shape[1]]), class);
        }
        check_regions(&map);
    }

    #[test]
    fn listed_voxels_come_back((size, blocked) in voxels()) {
        let map = good(voxel(&list(size, &blocked)));
        let [width, height, depth] = size;
        prop_assert_eq!(map.shape(), [depth, height, width]);
        for ((z, y, x), wall) in map.walls(Class::Ground).indexed_iter() {
            prop_assert_eq!(*wall, blocked.contains(&[x, y, z]));
        }
        check_regions(&map);
    }

    #[test]
    fn junk_never_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        start in 0..5_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..6),
    ) {
        let sources = [DRAWN.as_bytes(), VOXELS.as_bytes(), SCEN.as_bytes(), VOXEL_SCEN.as_bytes(), &bytes];
        let mut text = sources[start].to_vec();
        for (index, byte, kind) in edits {
            let at = index.index(text.len() + 1);
            match kind {
                0 if at < text.len() => text[at] = byte,
                1 if at < text.len() => drop(text.remove(at)),
                2 => text.truncate(at),
                // Digits, signs and blanks reach further than most bytes.
                _ => text.insert(at, b"0123456789-+. \n\t\rxe"[usize::from(byte) % 19]),
            }
        }
        let (flat, deep) = (good(octile(DRAWN)), good(voxel(VOXELS)));
        // A size can grow by a few digits; only the text of a small one is worth its memory.
        let small = text.split(|b| *b == b'\n').next().is_none_or(|header| header.len() < 16);
        let errors = [
            maps::parse_octile("f", &text).err(),
            small.then(|| maps::parse_voxel("f", &text).err()).flatten(),
            maps::parse_scen("f", &text, &flat).err(),
            maps::parse_scen("f", &text, &deep).err(),
        ];
        for error in errors.iter().flatten() {
            one_short_line(&error.to_string());
            prop_assert!(error.to_string().starts_with("f:"), "{}", error);
        }
    }
}
