//! Puts the playground into one file: `cargo run --release -p playground -- FILE.html`.

#[cfg(not(target_family = "wasm"))]
mod page;

#[cfg(not(target_family = "wasm"))]
fn main() -> std::process::ExitCode {
    page::main()
}

#[cfg(target_family = "wasm")]
fn main() {}
