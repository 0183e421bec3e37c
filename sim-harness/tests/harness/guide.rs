//! The guide: the links of its pages, and the pictures with which the crates' documentation begins.

#[path = "../../examples/pictures/main.rs"]
mod pictures;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Documents in a folder and, for `deep`, in those in it.
fn documents(folder: &Path, deep: bool, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "md") {
            found.insert(path);
        } else if deep && path.is_dir() {
            documents(&path, true, found);
        }
    }
}

/// The lines of a document that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !(code || fence || line.starts_with("    "))
    })
}

/// The names of headings in links to them.
fn anchors(text: &str) -> BTreeSet<String> {
    let slug = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    prose(text).filter(|line| line.starts_with('#')).map(slug).collect()
}

/// Where links and pictures of a document lead to.
fn targets(text: &str) -> Vec<String> {
    let text: String = prose(text).flat_map(|line| [line, "\n"]).collect();
    let after = text.split("](").skip(1);
    after.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

#[test]
fn every_link_of_every_document_leads_somewhere() {
    let root = repository();
    let mut found = BTreeSet::new();
    documents(&root, false, &mut found);
    documents(&root.join("docs"), true, &mut found);
    for entry in fs::read_dir(&root).unwrap() {
        let readme = entry.unwrap().path().join("README.md");
        if readme.exists() {
            found.insert(readme);
        }
    }
    assert!(found.len() > 30, "{found:?}");
    let mut checked = 0;
    for file in &found {
        let text = fs::read_to_string(file).unwrap();
        for target in targets(&text) {
            if target.contains("://") || target.is_empty() {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let to = if path.is_empty() { file.clone() } else { file.with_file_name(path) };
            assert!(to.exists(), "{}: {target} leads nowhere", file.display());
            if !anchor.is_empty() {
                let known = anchors(&fs::read_to_string(&to).unwrap());
                assert!(known.contains(anchor), "{}: {target}: {known:?}", file.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn the_summary_has_every_page_of_the_guide_once() {
    let docs = repository().join("docs");
    let mut pages = BTreeSet::new();
    documents(&docs, true, &mut pages);
    pages.remove(&docs.join("SUMMARY.md"));
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed = targets(&summary).into_iter().filter(|t| !t.is_empty()).map(|t| docs.join(t));
    let mut rest = pages.clone();
    for page in listed {
        assert!(rest.remove(&page), "{} is no page, or stands there twice", page.display());
    }
    assert!(rest.is_empty(), "not in SUMMARY.md: {rest:?}");
}

#[test]
fn every_layer_of_the_viewer_is_explained() {
    let root = repository();
    let viewer = fs::read_to_string(root.join("sim-harness/viewer/viewer.js")).unwrap();
    let layers = viewer.split_once("const layers = {").unwrap().1.split_once('}').unwrap().0;
    let names = layers.split(',').map(|layer| layer.split_once(':').unwrap().0.trim());
    let page = fs::read_to_string(root.join("docs/runs.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    let told: BTreeSet<&str> = rows.flat_map(|(first, _)| first.split(", ")).collect();
    for name in names.map(|name| if name == "jumps" { "jump arcs" } else { name }) {
        assert!(told.contains(name), "docs/runs.md has no layer {name}");
    }
}

/// Everything that they show is the same, bit by bit, wherever it is worked out.
#[test]
fn the_pictures_of_the_crates_are_what_the_program_makes() {
    for (name, picture) in pictures::all().unwrap() {
        let file = repository().join(name).join("pictures/front.svg");
        let kept = fs::read_to_string(&file).unwrap();
        let again = "cargo run --release -p namiji-sim-harness --example pictures";
        assert!(kept == picture, "{}: make it again: {again}", file.display());
        assert!(picture.len() <= 40_000, "{name}: {} bytes", picture.len());
        // In the middle of Markdown an empty line would end it.
        assert!(picture.starts_with("<svg ") && !picture.contains("\n\n"), "{name}");
    }
}
