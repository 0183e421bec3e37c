//! The command line of Namiji.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::main() {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("sim-harness: {line}");
            ExitCode::from(2)
        }
    }
}
