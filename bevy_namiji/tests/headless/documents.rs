//! The documents show what the programs do.

use std::path::Path;

#[path = "../../examples/front.rs"]
mod front;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_first_game_of_the_documents_is_the_example() {
    let example = read("examples/first.rs");
    let (_, program) = example.split_once('\n').unwrap();
    assert!(program.lines().count() < 60);
    for document in ["README.md", "../docs/engines/bevy.md"] {
        assert!(read(document).contains(&format!("```rust\n{program}```\n")), "{document}");
    }
}

/// Everything that it shows is the same, bit by bit, wherever it is worked out.
#[test]
fn the_picture_of_the_documentation_is_what_the_example_makes() {
    let picture = front::front().unwrap();
    let again = "cargo run --manifest-path bevy_namiji/Cargo.toml --example front";
    assert!(read("pictures/front.svg") == picture, "make it again: {again}");
    assert!(picture.len() <= 40_000, "{} bytes", picture.len());
    // In the middle of Markdown an empty line would end it.
    assert!(picture.starts_with("<svg ") && !picture.contains("\n\n"));
}
