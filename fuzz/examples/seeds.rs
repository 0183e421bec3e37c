//! Writes the inputs that are made and not stored: `seeds FOLDER`, a folder for each target.

use namiji_fuzz::{TARGETS, seeds};
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        println!("usage: seeds FOLDER");
        return Ok(());
    };
    for (target, _) in TARGETS {
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        for (name, bytes) in seeds::of(target) {
            fs::write(folder.join(name), bytes)?;
        }
    }
    Ok(())
}
