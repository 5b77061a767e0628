//! Statements are written in words that other databases understand as well.

use std::path::{Path, PathBuf};

/// What SQLite alone speaks, or means otherwise than others.
const WORDS: [&str; 9] = [
    "PRAGMA",
    "sqlite_",
    "json_extract",
    "OR REPLACE",
    "OR IGNORE",
    "instr(",
    "last_insert_rowid",
    "total_changes",
    "rowid",
];

/// The files that are about SQLite itself.
const ABOUT_SQLITE: [&str; 4] = ["budget.rs", "sqlite", "tests", "tests.rs"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match ABOUT_SQLITE.contains(&name.as_str()) {
            true => {}
            false if path.is_dir() => sources(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn statements_are_in_words_that_others_understand() {
    let mut found = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    assert!(found.len() > 40, "{found:?}");
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        for word in WORDS {
            assert!(!text.contains(word), "'{word}' is in {}", path.display());
        }
    }
}
