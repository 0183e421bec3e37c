//! The command line of Namiji.

fn main() -> std::process::ExitCode {
    sim_harness::cli::main()
}
