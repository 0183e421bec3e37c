//! The keys of the output of `reproduce`, which is always the same.

use crate::command::{json_lines, refused};
use std::collections::{BTreeMap, BTreeSet};

/// The names of the contract.
const NAMES: [&str; 7] = [
    "watanabe-table-2",
    "watanabe-speed",
    "kumagai",
    "furukawa",
    "fuzzy-appendix",
    "harakawa",
    "boids",
];

#[test]
fn every_row_has_the_keys_of_the_contract_and_every_source_its_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let all = json_lines(&["reproduce", "all", "--seeds", "1", "--out", out.to_str().unwrap()]);
    let names: Vec<_> = all.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
    for one in &all {
        assert!(one["holds"].is_boolean());
        let rows = one["rows"].as_array().unwrap();
        let mut claims = rows.iter().filter(|row| row["of"] == "source" && !row["holds"].is_null());
        assert_eq!(one["holds"], claims.clone().all(|row| row["holds"] == true));
        assert!(claims.next().is_some());
        // A scene a figure is too few for the means of the others.
        if !matches!(
            one["name"].as_str().unwrap(),
            "watanabe-table-2" | "watanabe-speed" | "furukawa"
        ) {
            assert_eq!(one["holds"], true, "{one}");
        }
        for row in rows {
            assert!(row["of"] == "source" || row["of"] == "contrast", "{row}");
            assert!(!row["case"].as_str().unwrap().is_empty());
            assert!(row["published"].is_null() || row["published"] != row["case"]);
            assert!(row["measured"].is_number() || row["measured"].is_boolean(), "{row}");
            assert!(row["holds"].is_boolean() || row["holds"].is_null());
        }
    }
    // The page shows every picture, and every picture shows something.
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    let mut shown = BTreeMap::<&str, usize>::new();
    for file in page.split("<img src=\"").skip(1).map(|rest| &rest[..rest.find('"').unwrap()]) {
        let name = NAMES.into_iter().rfind(|name| file.starts_with(name)).unwrap();
        *shown.entry(name).or_default() += 1;
        let file = std::fs::File::open(out.join(file)).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let colours: BTreeSet<_> = pixels.chunks(4).collect();
        assert!(colours.len() > 4);
    }
    let counts = [("boids", 1), ("furukawa", 6), ("harakawa", 6), ("kumagai", 5)];
    assert_eq!(shown, counts.into_iter().chain([("watanabe-table-2", 3)]).collect());
    assert_eq!(std::fs::read_dir(&out).unwrap().filter(is_png).count(), 21);
}

fn is_png(entry: &std::io::Result<std::fs::DirEntry>) -> bool {
    entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "png")
}

#[test]
fn figures_are_the_same_for_every_number_of_threads() {
    // One experiment stands for all: their runs are spread in the same way.
    let run = |threads| {
        json_lines(&["reproduce", "watanabe-table-2", "--seeds", "2", "--threads", threads])
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn bad_input_is_refused_in_one_line() {
    for (arguments, part) in [
        (&["nobody"][..], "watanabe-table-2"),
        (&["kumagai", "--seeds", "0"], "--seeds 0"),
        (&["kumagai", "--seeds", "many"], "many"),
        (&["kumagai", "--threads", "0"], "--threads 0"),
        (&[], "NAME"),
    ] {
        refused(&[&["reproduce"], arguments].concat(), &[part]);
    }
}
