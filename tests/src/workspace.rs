//! The folders of the crates.
//!
//! Reads the root manifest. Read next: `tests/architecture.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crates, by the name of their folder, as the workspace lists its members; without this package.
///
/// # Panics
/// If the root manifest is no workspace.
pub fn crates() -> BTreeMap<String, PathBuf> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("it can be read");
    let manifest: toml::Table = manifest.parse().expect("the root manifest is TOML");
    let members = manifest["workspace"]["members"].as_array();
    let members = members.expect("a workspace lists its members").iter();
    let folders = members.map(|member| member.as_str().expect("a member is a path"));
    folders
        .filter(|folder| folder.starts_with("crates/"))
        .map(|folder| {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            (name.to_owned(), root().join(folder))
        })
        .collect()
}
