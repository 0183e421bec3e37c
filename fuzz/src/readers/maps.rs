//! Maps and their entries: a map that is read is drawn again and read again; regions are those of a
//! plain flood.

use super::{MEMORY, within};
use crate::refusal;
use sim_harness::maps::{self, Class, MapFile, Regions};
use std::sync::LazyLock;

/// `[units: cells]` Larger maps are read, not drawn again.
const MANY: usize = 1 << 12;

/// A `.map`.
///
/// # Panics
/// Where something is found.
pub fn octile(data: &[u8]) {
    let map = within(MEMORY, || maps::parse_octile("fuzz.map", data));
    let Some(map) = refusal::accepted(map) else { return };
    let [depth, height, width] = map.shape();
    assert_eq!((depth, map.dimensions()), (1, 2));
    if height * width > MANY {
        return;
    }
    let mut text = format!("type octile\nheight {height}\nwidth {width}\nmap\n");
    for y in 0..height {
        text.extend((0..width).map(|x| match map.class([0, y, x]) {
            Some(Class::Ground) => '.',
            Some(Class::Water) => 'W',
            None => '@',
        }));
        text.push('\n');
    }
    let again = maps::parse_octile("fuzz.map", text.as_bytes());
    assert_eq!(again.as_ref(), Ok(&map));
    regions(&map);
}

/// A `.3dmap`.
///
/// # Panics
/// Where something is found.
pub fn voxel(data: &[u8]) {
    let map = within(MEMORY, || maps::parse_voxel("fuzz.3dmap", data));
    let Some(map) = refusal::accepted(map) else { return };
    let shape @ [depth, height, width] = map.shape();
    assert_eq!(map.dimensions(), 3);
    if shape.iter().product::<usize>() > MANY {
        return;
    }
    let mut text = format!("voxel {width} {height} {depth}\n");
    for [z, y, x] in cells(shape) {
        if map.class([z, y, x]).is_none() {
            text.push_str(&format!("{x} {y} {z}\n"));
        }
    }
    assert_eq!(maps::parse_voxel("fuzz.3dmap", text.as_bytes()).as_ref(), Ok(&map));
    regions(&map);
}

/// A `.scen` or a `.3dscen`.
///
/// # Panics
/// Where something is found.
pub fn entries(data: &[u8]) {
    static FLAT: LazyLock<MapFile> = LazyLock::new(|| {
        let text = b"type octile\nheight 3\nwidth 5\nmap\n..@..\n.W@..\n.....\n";
        maps::parse_octile("flat.map", text).expect("it is a map")
    });
    static DEEP: LazyLock<MapFile> = LazyLock::new(|| {
        maps::parse_voxel("deep.3dmap", b"voxel 4 3 2\n1 1 1\n").expect("it is a map")
    });
    for map in [&*FLAT, &*DEEP] {
        let entries = maps::parse_scen("fuzz.scen", data, map);
        let Some(entries) = refusal::accepted(entries) else { continue };
        let [depth, height, width] = map.shape();
        let mut text = String::from("version 1\n");
        if map.dimensions() == 3 {
            text.push_str("deep.3dmap\n");
        }
        for entry in &entries {
            for [z, y, x] in [entry.start, entry.goal] {
                assert!(z < depth && y < height && x < width, "{entry:?}");
            }
            let ([a, b, c], [i, j, k]) = (entry.start, entry.goal);
            let length = entry.optimal;
            text.push_str(&if map.dimensions() == 2 {
                format!("0 flat.map {width} {height} {c} {b} {k} {j} {length:?}\n")
            } else {
                format!("{c} {b} {a} {k} {j} {i} {length:?} 1\n")
            });
        }
        let again = maps::parse_scen("fuzz.scen", text.as_bytes(), map).expect("it is a scenario");
        assert_eq!(again.len(), entries.len());
        for (again, entry) in again.iter().zip(&entries) {
            let same = |entry: &maps::Entry| (entry.start, entry.goal, entry.optimal.to_bits());
            assert_eq!(same(again), same(entry));
        }
    }
}

fn cells([depth, height, width]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..depth * height * width).map(move |i| [i / width / height, i / width % height, i % width])
}

/// Regions: neighbours are of one region if they are of one class, and no other cells are joined.
pub(crate) fn regions(map: &MapFile) {
    let shape = map.shape();
    let regions = Regions::new(map);
    let mut first = vec![None; regions.count()];
    for cell in cells(shape) {
        let class = map.class(cell);
        assert_eq!(regions.label(cell).is_some(), class.is_some(), "{cell:?}");
        for axis in 0..3 {
            let mut beside = cell;
            beside[axis] += 1;
            if class.is_some() && map.class(beside) == class {
                assert_eq!(regions.label(beside), regions.label(cell), "{cell:?} {beside:?}");
            }
        }
        if let Some(label) = regions.label(cell) {
            first[label as usize].get_or_insert(cell);
        }
    }
    // A region is all that a flood from its first cell reaches: there are not too few.
    let mut reached = 0;
    for seed in first {
        let seed = seed.expect("every region has a cell");
        let mut seen = vec![seed];
        let mut known = std::collections::HashSet::from([seed]);
        while let Some(cell) = seen.pop() {
            assert!(regions.same(seed, cell));
            for (axis, up) in [(0, true), (1, true), (2, true), (0, false), (1, false), (2, false)]
            {
                let mut beside = cell;
                // Below 0 it is also outside.
                beside[axis] = cell[axis].wrapping_add_signed(if up { 1 } else { -1 });
                let same = map.class(beside).is_some() && map.class(beside) == map.class(cell);
                if same && known.insert(beside) {
                    seen.push(beside);
                }
            }
        }
        reached += known.len();
    }
    let free = cells(shape).filter(|&cell| map.class(cell).is_some()).count();
    assert_eq!(reached, free, "two regions are joined");
}
