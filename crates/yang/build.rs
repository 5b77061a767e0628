//! Embeds the YANG modules: ours from `yang/`, the standard ones from
//! `yang/standard/`, which the set-up step unpacks.
//!
//! Writes `modules.rs`, two tables of (module name, text). The set to load, with its features, is
//! chosen in `src/set.rs`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let ours = root.join("../../yang");
    let standard = ours.join("standard");
    println!("cargo::rerun-if-changed={}", ours.display());
    println!("cargo::rerun-if-changed={}", standard.display());
    println!("cargo::rerun-if-changed=build.rs");

    let standard_files = yang_files(&standard);
    if !standard_files
        .iter()
        .any(|(name, _)| name == "ietf-netconf")
    {
        println!(
            "cargo::error=the standard YANG modules are missing from yang/standard: \
             run `make setup` (or scripts/standard-yang.sh) once"
        );
        std::process::exit(1);
    }
    let mut source = String::new();
    table(&mut source, "OURS", &yang_files(&ours));
    table(&mut source, "STANDARD", &standard_files);
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("modules.rs"), source).expect("OUT_DIR can be written");
}

/// The modules of a folder as (module name, path), by name.
fn yang_files(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "yang"))
        .filter_map(|path| {
            let stem = path.file_stem()?.to_str()?;
            let name = stem.split('@').next()?.to_owned();
            Some((name, path.canonicalize().ok()?))
        })
        .collect();
    files.sort();
    files
}

fn table(source: &mut String, constant: &str, files: &[(String, PathBuf)]) {
    writeln!(source, "static {constant}: &[(&str, &str)] = &[").expect("a string grows");
    for (name, path) in files {
        println!("cargo::rerun-if-changed={}", path.display());
        writeln!(source, "    ({name:?}, include_str!({path:?})),").expect("a string grows");
    }
    writeln!(source, "];").expect("a string grows");
}
