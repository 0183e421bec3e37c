//! Recipes of `docs/engines/` in other programs.

use crate::command::{Folder, json_lines};
use std::fmt::Write;
use std::process::Command;

/// A ditch that nobody gets out of, from edge to edge.
const ROWS: usize = 6;
const ROW: &str = "0 0 0 0 0 -3 -3 0 0 0 0 0";

#[test]
fn links_of_recast_lead_over_a_ditch() {
    let folder = Folder::new();
    let recast = folder.path("recast");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recipes/recast.cpp");
    let compiler = Command::new("c++")
        .args(["-O1", "-o", recast.to_str().unwrap(), source, "-lRecast", "-lDetour"])
        .output();
    if !compiler.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no C++ compiler with Recast (Debian's librecast-dev)");
        return;
    }
    let rows = format!("{ROW}\n").repeat(ROWS);
    let asc = folder.file("ditch.asc", format!("ncols 12\nnrows {ROWS}\ncellsize 1\n{rows}"));
    let mut links = String::new();
    for link in json_lines(&["links", "--terrain", &asc, "--speed", "6"]) {
        let ends = ["from", "to"].map(|end| {
            (0..3).map(|axis| link[end][axis].to_string()).collect::<Vec<_>>().join(" ")
        });
        let both_ways = u8::from(link["both_ways"] == true);
        writeln!(links, "{} {} {both_ways}", ends[0], ends[1]).unwrap();
    }
    let heights = folder.file("heights.txt", format!("12 {ROWS} 1\n{rows}"));
    let path = |links: &str, from: &str, to: &str| {
        let links = folder.file("links.txt", links);
        let output = Command::new(&recast).args([&heights, &links, from, to]).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{told}");
        told.trim().ends_with("whole")
    };
    assert!(!links.is_empty());
    for (from, to) in [("1,2", "10,2"), ("10,4", "2,1")] {
        assert!(path(&links, from, to), "{links}");
        assert!(!path("", from, to));
    }
    // And into the ditch, but not out of it.
    assert!(path(&links, "1,2", "5,3"));
    assert!(!path(&links, "5,3", "1,2"));
}
