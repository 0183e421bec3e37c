//! `side`: platformers of tiles, against a plain search and against ways that others found.

use crate::command::{Folder, data, json, json_lines, refused};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_harness::side::{ABOVE, SideLevel, SideRules, SideSolution, solve};
use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;

const JUMPS: &[&[[isize; 2]]] = &[
    &[[0, -1], [0, -2], [1, -2], [1, -1]],
    &[[0, -1], [1, -2], [2, -2], [2, -2], [3, -1], [3, 0]],
    &[[1, -1], [2, -1], [3, -1], [4, 0]],
];
const RULES: &str = r##"{
    "jumps": [[[0,-1],[0,-2],[1,-2],[1,-1]], [[0,-1],[1,-2],[2,-2],[2,-2],[3,-1],[3,0]], [[1,-1],[2,-1],[3,-1],[4,0]]],
    "solid": ["#", "T"], "passable": ["T"], "climbable": ["|"], "hazard": ["^"]
}"##;

/// A state, by the rules as the documents state them: a place, and in a jump its number, side and
/// step.
type State = ([isize; 2], Option<(usize, isize, usize)>);

fn next(rows: &[Vec<char>], wraps: bool, (at, jump): State) -> Vec<State> {
    let columns = rows[0].len() as isize;
    let wrapped = |[x, y]: [isize; 2]| [if wraps { (x + columns) % columns } else { x }, y];
    let tile = |at: [isize; 2]| {
        let [x, y] = wrapped(at);
        let inside = (0..rows[0].len() as isize).contains(&x) && y >= -(ABOVE as isize);
        if y < 0 {
            inside.then_some('-')
        } else {
            rows.get(y as usize).filter(|_| inside).map(|row| row[x as usize])
        }
    };
    let [x, y] = at;
    let mut all = Vec::new();
    let mut jump_on = |jump: usize, side: isize, step: usize| {
        if let Some(&[dx, dy]) = JUMPS[jump].get(step) {
            let [ox, oy] = if step == 0 { [0, 0] } else { JUMPS[jump][step - 1] };
            all.push(([x + side * (dx - ox), y + dy - oy], Some((jump, side, step))));
        }
    };
    if let Some((jump, side, step)) = jump {
        jump_on(jump, side, step + 1);
    }
    let on_ground = tile([x, y + 1]).is_some_and(|below| "#T".contains(below));
    if on_ground {
        for jump in 0..JUMPS.len() {
            jump_on(jump, 1, 0);
            jump_on(jump, -1, 0);
        }
        all.extend([([x - 1, y], None), ([x + 1, y], None)]);
    } else {
        all.extend([0, 1, -1].map(|dx| ([x + dx, y + 1], None)));
    }
    if tile(at) == Some('|') {
        all.extend([[x, y - 1], [x, y + 1], [x - 1, y], [x + 1, y]].map(|to| (to, None)));
    }
    for (to, _) in &mut all {
        *to = wrapped(*to);
    }
    all.retain(|&(to, _)| tile(to).is_some_and(|there| !"#^".contains(there)));
    all
}

/// The fewest moves to the last column.
fn plain(rows: &[Vec<char>], wraps: bool, from: [usize; 2]) -> Option<usize> {
    let start: State = (from.map(|v| v as isize), None);
    let mut seen = HashSet::from([start]);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((state, moves)) = queue.pop_front() {
        let [x, y] = state.0;
        if x == rows[0].len() as isize - 1 && y >= 0 {
            return Some(moves);
        }
        for to in next(rows, wraps, state) {
            if seen.insert(to) {
                queue.push_back((to, moves + 1));
            }
        }
    }
    None
}

fn rules(folder: &Folder) -> SideRules {
    SideRules::read(&[folder.file("rules.json", RULES)]).unwrap()
}

fn random(rng: &mut ChaCha8Rng) -> Vec<Vec<char>> {
    let (columns, rows) = (rng.random_range(2..24), rng.random_range(2..9));
    let tile = |n: u32| match n {
        0..=2 => '#',
        3 => 'T',
        4 => '|',
        5 => '^',
        _ => '-',
    };
    (0..rows).map(|_| (0..columns).map(|_| tile(rng.random_range(0..24))).collect()).collect()
}

fn solved(rules: &SideRules, rows: &[Vec<char>], from: [usize; 2]) -> SideSolution {
    let text: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
    let level = SideLevel::parse("random", &text.join("\n")).unwrap();
    solve(&level, rules, Some(from), None).unwrap()
}

#[test]
fn ways_are_those_of_a_plain_search_and_cuts_open_what_they_cut() {
    let folder = Folder::new();
    let joined = folder.file("joined.json", r#"{ "wraps": true }"#);
    let joined = SideRules::read(&[folder.file("rules.json", RULES), joined]).unwrap();
    let both = [rules(&folder), joined];
    let mut rng = ChaCha8Rng::seed_from_u64(38);
    let [mut ways, mut cuts] = [0, 0];
    for n in 0..1000 {
        let wraps = n % 2 == 1;
        let rules = &both[usize::from(wraps)];
        let mut rows = random(&mut rng);
        let from = [0, rng.random_range(0..rows.len() - 1)];
        rows[from[1]][0] = '-';
        let solution = solved(rules, &rows, from);
        let moves = plain(&rows, wraps, from);
        assert_eq!(solution.solvable, moves.is_some());
        if let Some(moves) = moves {
            // Places that the corpus repeats at the top of a jump are no moves of ours.
            assert!(solution.way.len() - 1 <= moves, "{rows:?}");
            assert_eq!(solution.way[0], from.map(|v| v as isize));
            ways += 1;
            continue;
        }
        let Some(cut) = solution.cut else { continue };
        assert!(!cut.tiles.is_empty());
        for change in &cut.tiles {
            let [x, y] = change.tile;
            rows[y][x] = if change.missing { '#' } else { '-' };
        }
        assert!(plain(&rows, wraps, from).is_some(), "{rows:?}");
        cuts += 1;
    }
    assert!(ways > 100 && cuts > 100, "{ways} ways, {cuts} cuts");
}

#[test]
fn a_gap_too_wide_is_cut_by_one_tile() {
    let folder = Folder::new();
    let rules = rules(&folder);
    let level =
        |row: &str| vec![vec!['-'; row.len()]; 4].into_iter().chain([row.chars().collect()]);
    let rows: Vec<_> = level("####-------####").collect();
    let cut = solved(&rules, &rows, [0, 3]).cut.unwrap();
    assert_eq!(cut.tiles.len(), 1, "{cut:?}");
    assert!(cut.tiles[0].missing && (4..11).contains(&cut.tiles[0].tile[0]), "{cut:?}");
    let rows: Vec<_> = level("####---####").collect();
    assert!(solved(&rules, &rows, [0, 3]).solvable);
}

/// Levels of the corpus with a way that was found by others, drawn as `x`, and their rules.
fn corpus() -> Option<Vec<(PathBuf, PathBuf, Vec<PathBuf>)>> {
    let root = data("levels/vglc")?;
    let mut all = Vec::new();
    for (game, levels, jumps, tiles) in [
        ("Super Mario Bros", "Processed", "SMB_estimated_jumps.json", "SMB_tile_specs.json"),
        (
            "Super Mario Bros 2 (Japan)",
            "Processed",
            "SMB_estimated_jumps.json",
            "SMB_tile_specs.json",
        ),
        ("Kid Icarus", "Processed", "Kid Icarus_estimated_jumps.json", "KI_tile_specs.json"),
    ] {
        let paths = root.join(game).join("Paths");
        let rules = vec![paths.join(jumps), paths.join(tiles)];
        let files = std::fs::read_dir(root.join(game).join(levels)).unwrap();
        for file in files.map(|file| file.unwrap().path()) {
            let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
            let way = paths.join(format!("{stem}_Annotated_Path.txt"));
            all.push((file, way, rules.clone()));
        }
    }
    all.sort();
    Some(all)
}

#[test]
fn levels_whose_way_the_corpus_draws_are_solved() {
    let Some(corpus) = corpus() else { return };
    assert!(!corpus.is_empty());
    let folder = Folder::new();
    for (file, way, mut rules) in corpus {
        let is_icarus = file.to_string_lossy().contains("icarus");
        if is_icarus {
            rules.push(folder.file("wraps.json", r#"{ "wraps": true }"#).into());
        }
        let rules = SideRules::read(&rules).unwrap();
        let drawn = std::fs::read_to_string(way).unwrap();
        let drawn = drawn.lines().enumerate().flat_map(|(y, row)| {
            row.chars().enumerate().filter(|(_, c)| *c == 'x').map(move |(x, _)| [x, y])
        });
        let drawn: Vec<[usize; 2]> = drawn.collect();
        // Kid Icarus is climbed, the others are run through to the right.
        let key = |&[x, y]: &[usize; 2]| {
            if is_icarus { usize::MAX - y } else { x }
        };
        let ends = [drawn.iter().min_by_key(|at| key(at)), drawn.iter().max_by_key(|at| key(at))];
        let level = SideLevel::read(&file).unwrap();
        let solution = solve(&level, &rules, ends[0].copied(), ends[1].copied()).unwrap();
        assert!(solution.solvable, "{}: {ends:?}: {:?}", file.display(), solution.cut);
    }
}

#[test]
fn levels_are_told_drawn_and_refused() {
    let folder = Folder::new();
    let (rules, out) = (folder.file("rules.json", RULES), folder.path("out"));
    let good = folder.file("good.txt", "-----\n-----\nM---F\n#####\n");
    let bad = folder.file("bad.txt", "M---------F\n###-----###\n");
    let ask = ["side", &good, &bad, "--rules", &rules, "--out", out.to_str().unwrap()];
    let told = json_lines(&ask);
    assert_eq!((&told[0]["solvable"], &told[1]["solvable"]), (&true.into(), &false.into()));
    assert_eq!(told[0]["way"].as_array().unwrap().len(), 5);
    assert!(told[1]["cut"]["tiles"].as_array().unwrap().len() == 1, "{}", told[1]);
    for name in ["1-good.png", "2-bad.png"] {
        assert!(tiny_skia::Pixmap::load_png(out.join(name)).is_ok());
    }
    // A byte order mark is no tile.
    let marked = folder.file("marked.txt", "\u{feff}-----\n-----\nM---F\n#####\n");
    assert_eq!(json(&["side", &marked, "--rules", &rules])["way"], told[0]["way"]);
    let with = |text: &str, parts: &[&str]| {
        let rules = folder.file("other.json", text);
        refused(&["side", &good, "--rules", &rules], parts);
    };
    with("{", &["other.json"]);
    with(r#"{"solid": ["X"]}"#, &["other.json", "jumps"]);
    with(r#"{"jumps": [[[0,-1]]]}"#, &["other.json", "solid"]);
    with(r#"{"jumps": [[[0,-1],[0,-3]]], "solid": ["X"]}"#, &["jumps[0][1]", "tiles around"]);
    with(r#"{"jumps": 5}"#, &["other.json", "jumps", "5"]);
    with(r#"{"solid": ["XY"]}"#, &["solid[0]", "XY"]);
    refused(&["side", "none.txt", "--rules", &rules], &["none.txt"]);
    let empty = folder.file("empty.txt", "\n\n");
    refused(&["side", &empty, "--rules", &rules], &["empty.txt: 0 tiles"]);
    refused(&["side", &good, "--rules", &rules, "--to", "9,9"], &["9,9: outside", "5 x 4 tiles"]);
    let air = folder.file("air.txt", "---\n---\n");
    refused(&["side", &air, "--rules", &rules], &["air.txt: nowhere to stand"]);
}
