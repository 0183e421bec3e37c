//! Every subject of `compare` on little input: each contestant's answer is checked by the others
//! while it is timed.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A room with a wall across it, in MovingAI's format.
fn map(folder: &Path) -> String {
    let rows = (0..24).map(|y| {
        let cell = |x| if x == 12 && y != 3 && y != 20 { '@' } else { '.' };
        (0..30).map(cell).collect::<String>()
    });
    let rows = rows.collect::<Vec<_>>().join("\n");
    let file = folder.join("room.map");
    std::fs::write(&file, format!("type octile\nheight 24\nwidth 30\nmap\n{rows}\n")).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn every_subject_ends_in_a_line_for_each_contestant() {
    let folder = tempfile::tempdir().unwrap();
    let map = &map(folder.path());
    let subjects: [(&[&str], &[&str]); 16] = [
        (&["wave-step", "--grid", "40x30", "--steps", "4"], &["ours", "plain", "roof"]),
        (&["wave-step", "--grid", "12x11x10", "--steps", "4"], &["ours-1-thread"]),
        (&["arrival-field", "--map", map], &["ours", "dijkstra", "fast-marching"]),
        (&["arrival-field", "--grid", "40x30"], &["ours", "bfs", "petgraph"]),
        (&["arrival-field", "--grid", "22x21x20"], &["ours-1-thread", "dijkstra", "fast-marching"]),
        (&["repair", "--map", map, "--edits", "9"], &["ours", "solve"]),
        (&["repair", "--grid", "22x21x20", "--edits", "9"], &["ours", "solve"]),
        (&["world", "--map", map, "--size", "200"], &["ours", "exact"]),
        (
            &["distance-field", "--map", map, "--open-cells"],
            &["ours", "ours-after-edit", "petgraph"],
        ),
        (
            &["fill", "--map", map],
            &["published-fill", "priority-flood", "weighted-dijkstra-budget"],
        ),
        (&["fuzzy", "--inferences", "100"], &["ours", "plain"]),
        (
            &["pursuit", "--map", map, "--pursuers", "9", "--frames", "60", "--patience", "1"],
            &["ours", "bfs", "jps"],
        ),
        (&["jump-graph", "--fractal", "0.8", "--size", "9"], &["ours", "all-pairs"]),
        (
            &["jump-links", "--fractal", "0.8", "--size", "12", "--amplitude", "3"],
            &["ours", "unreal", "recast4j"],
        ),
        (&["flock", "--boids", "300", "--steps", "2"], &["ours", "krabmaga"]),
        (&["doors", "--walkers", "20", "--within", "60"], &["ours", "ours-weidmann"]),
    ];
    for (arguments, wanted) in subjects {
        let output = Command::new(env!("CARGO_BIN_EXE_compare"))
            .args(arguments)
            .args(["--runs", "1", "--threads", "2", "--json"])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        let lines = String::from_utf8(output.stdout).unwrap();
        let rows: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let is_timed = |row: &Value| row["median_ms"].as_f64() > Some(0.0);
        assert!(rows.iter().all(|row| row["subject"] == arguments[0] && is_timed(row)), "{lines}");
        for name in wanted {
            assert!(rows.iter().any(|row| row["contestant"] == *name), "{arguments:?}: {lines}");
        }
    }
}

#[test]
fn a_map_of_walls_alone_is_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walls.map");
    std::fs::write(&file, "type octile\nheight 2\nwidth 3\nmap\n@@@\n@T@\n").unwrap();
    for subject in ["arrival-field", "repair", "world", "distance-field", "fill", "pursuit"] {
        let output = Command::new(env!("CARGO_BIN_EXE_compare"))
            .args([subject, "--runs", "1", "--map"])
            .arg(&file)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{subject}: {error}");
        assert!(
            error.contains("walls.map") && error.contains("no free cell"),
            "{subject}: {error}"
        );
        assert_eq!((error.lines().count(), output.stdout.len()), (1, 0), "{subject}: {error}");
    }
}
