//! The files of the console: small, compressed as they are, and what the sources build.
//!
//! They are committed and embedded, so that nobody needs Node to build the command. Where Node is (`make setup`), they
//! are built anew and compared, and the tests of the sources run. What browsers do with them is in `browser.rs`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most bytes of all files together, compressed.
const COMPRESSED_MAX: u64 = 150 << 10;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of a folder that was built, without the compressed ones.
fn built(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    });
    files.filter(|(name, _)| !name.ends_with(".gz")).collect()
}

/// Runs a program of the console's packages; none, with a message, if they are not installed.
fn node(program: &str, arguments: &[&str]) -> Option<()> {
    let console = root().join("console");
    let installed = console.join("node_modules").join(program);
    let node = root().join(".venv/bin/node");
    if let Some(lacks) = [&node, &installed].into_iter().find(|it| !it.exists()) {
        let lacks = lacks.display();
        let skips = std::env::var_os("CI").is_none();
        assert!(skips, "{lacks} is not there: run `make setup`");
        println!("SKIPPED: {lacks} is not there (`make setup`)");
        return None;
    }
    let mut command = Command::new(node.canonicalize().unwrap());
    command
        .arg(installed.canonicalize().unwrap())
        .args(arguments);
    let ran = command.current_dir(&console).output().unwrap();
    let said = [ran.stdout, ran.stderr].concat();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&said));
    Some(())
}

#[test]
fn the_console_is_small_and_compressed_as_it_is() {
    let dist = root().join("console/dist");
    let files = built(&dist);
    assert!(files.contains_key("index.html"), "{:?}", files.keys());
    let mut compressed = 0;
    for (name, plain) in &files {
        let file = dist.join(format!("{name}.gz"));
        compressed += file.metadata().unwrap().len();
        let unpacked = Command::new("gzip").arg("-dc").arg(&file).output().unwrap();
        assert!(unpacked.stdout == *plain, "{name}.gz is of something else");
    }
    assert!(compressed <= COMPRESSED_MAX, "{compressed} bytes");
}

#[test]
fn what_is_committed_is_what_the_sources_build() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().to_str().unwrap();
    let arguments = [
        "build",
        "--outDir",
        into,
        "--emptyOutDir",
        "--logLevel",
        "warn",
    ];
    if node("vite/bin/vite.js", &arguments).is_none() {
        return;
    }
    let (now, committed) = (built(folder.path()), built(&root().join("console/dist")));
    assert_eq!(
        now.keys().collect::<Vec<_>>(),
        committed.keys().collect::<Vec<_>>()
    );
    for (name, text) in &now {
        assert!(
            *text == committed[name],
            "{name} is not what console/ builds: npm run build there"
        );
    }
}

#[test]
fn the_sources_hold_their_types_and_tests() {
    node("svelte-check/bin/svelte-check", &["--fail-on-warnings"]);
    node("vitest/vitest.mjs", &["run"]);
}
