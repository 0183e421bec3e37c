//! The pictures with which the crates' documentation begins. The code that each one shows makes it.
//!
//! `cargo run --release -p namiji-sim-harness --example pictures [-- FOLDER]` writes
//! `CRATE/pictures/front.svg` for every crate, in the repository or in FOLDER.

mod crowds;
mod drawing;
mod jumps;
mod minds;
mod scenarios;
mod waves;

use std::error::Error;
use std::path::Path;

/// Each crate's folder, and its picture as SVG.
pub(crate) fn all() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    Ok(vec![
        ("wave-core", waves::field()?),
        ("wave-track", waves::chase()?),
        ("utility-ai", minds::three_ways()?),
        ("crowd", crowds::door()?),
        ("flocking", crowds::split()?),
        ("jump-planner", jumps::profile()?),
        ("sim-harness", scenarios::hunt()?),
        ("playground", scenarios::by_hand()?),
    ])
}

#[allow(dead_code)] // tests take `all` alone
fn main() -> Result<(), Box<dyn Error>> {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let folder = std::env::args().nth(1).unwrap_or_else(|| repository.into());
    for (name, picture) in all()? {
        let pictures = Path::new(&folder).join(name).join("pictures");
        std::fs::create_dir_all(&pictures)?;
        std::fs::write(pictures.join("front.svg"), &picture)?;
        println!("{name}/pictures/front.svg: {} bytes", picture.len());
    }
    Ok(())
}
