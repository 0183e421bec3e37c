//! The page and the program in it.

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use clap::Parser;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use sim_harness::parameters;
use sim_harness::record::{Part, write_page};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tempfile::NamedTempFile;

const CONTROLS: &str = include_str!("../page/controls.html");
const SCRIPT: [&str; 2] = [include_str!("../page/live.js"), include_str!("../page/level.js")];
const TARGET: &str = "wasm32-unknown-unknown";

/// Makes the playground: one HTML file that works without a network.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Where the page goes.
    #[arg(value_name = "FILE.html")]
    file: PathBuf,
}

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let there = |error| format!("{}: {error}", arguments.file.display());
    // Whether a file can be there is asked first: to compile takes minutes.
    let program = begin(&arguments.file)
        .map_err(there)
        .and_then(|_| program().map_err(|error| error.to_string()));
    match program.and_then(|program| write(&arguments.file, &program).map_err(there)) {
        Ok(bytes) => {
            println!("{}: {} KiB", arguments.file.display(), bytes >> 10);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Compiles the crate for the page.
fn program() -> io::Result<Vec<u8>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let target = folder();
    let status = Command::new(cargo)
        .args(["build", "--locked", "--lib", "--profile", "page", "--target", TARGET])
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTFLAGS", "-C target-feature=+simd128")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()?;
    if !status.success() {
        let what = format!("{TARGET}: not compiled; is it there (rustup target add {TARGET})?");
        return Err(io::Error::other(what));
    }
    std::fs::read(target.join(TARGET).join("page").join("playground.wasm"))
}

/// Every number that a scenario may state, with its unit and its limits.
fn numbers() -> serde_json::Value {
    let all = parameters::tables().into_iter().flat_map(|table| table.parameters);
    serde_json::json!(all.filter(|parameter| parameter.is_number).collect::<Vec<_>>())
}

/// Where it is compiled: beside this program, whose own folder its cargo has locked.
fn folder() -> PathBuf {
    let here = std::env::current_exe().unwrap_or_default();
    here.ancestors().nth(2).unwrap_or(Path::new("target")).join("page")
}

/// A file beside the place where the page goes.
fn begin(out: &Path) -> io::Result<NamedTempFile> {
    let folder = out.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // As any new file, not as a secret one: a server shows it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Writes the page, whole or not at all, and says how long it is.
fn write(out: &Path, program: &[u8]) -> io::Result<u64> {
    let mut file = begin(out)?;
    let mut page = io::BufWriter::new(&mut file);
    write_page(&mut page, |part, out| match part {
        Part::Title => out.write_all(b"Namiji playground"),
        Part::Controls => out.write_all(CONTROLS.as_bytes()),
        Part::Head => out.write_all(b"null"),
        Part::Body => {
            let base64 = EncoderWriter::new(out, &STANDARD);
            let mut zlib = ZlibEncoder::new(base64, Compression::best());
            zlib.write_all(program)?;
            zlib.finish()?.finish()?;
            Ok(())
        }
        Part::Script => {
            let numbers = numbers().to_string().replace('<', "\\u003c");
            write!(out, "window.namiji.parameters = {numbers};\n{}", SCRIPT.concat())
        }
    })?;
    page.flush()?;
    drop(page);
    let bytes = file.as_file().metadata()?.len();
    file.persist(out)?;
    Ok(bytes)
}
