//! Repository checks: the first lines of files, their length, leftover marks, and whether README,
//! CHANGELOG and the table of YANG modules keep up with the code.
//!
//! Reads only files that git tracks (or would track: new files that are not ignored). The
//! dependencies between crates are in `architecture.rs`.

use harness::workspace::{crates, root};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The most lines of a source file.
const LINES_MAX: usize = 500;

/// The most lines of a test file, which is a list of independent cases.
const TEST_LINES_MAX: usize = 900;

/// Marks of postponed work. Split, so that this file does not contain them itself.
const LOOSE_ENDS: &[(&str, &str)] = &[
    ("TO", "DO"),
    ("FIX", "ME"),
    ("XX", "X:"),
    ("to", "do!("),
    ("unimpl", "emented!("),
];

/// Strings that tie a file to one machine or one mirror; split likewise. A path counts only where
/// it begins.
const FOREIGN: &[(&str, &str)] = &[
    ("/ho", "me/"),
    ("/ro", "ot/"),
    ("/wo", "rk/"),
    ("/Us", "ers/"),
    ("//crates", ".io"),
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("py", "pi.org"),
    ("python", "hosted.org"),
    ("deb.deb", "ian.org"),
    ("archive.ub", "untu.com"),
    ("registry.np", "mjs"),
];

#[test]
fn every_source_opens_with_what_it_knows() {
    let bare = sources().filter(|(_, text)| !text.starts_with("//! "));
    let bare: Vec<_> = bare.map(|(path, _)| path).collect();
    assert!(bare.is_empty(), "these open without `//! …`: {bare:#?}");
}

/// What is generated from the modules is as long as they are; nobody reads it from end to end.
fn is_generated(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.ends_with("generated from `yang/`: nothing here is written by hand.")
}

#[test]
fn no_source_is_longer_than_a_story() {
    let written = sources().filter(|(_, text)| !is_generated(text));
    let long = written.filter(|(path, text)| {
        let test = path.contains("tests");
        text.lines().count() > if test { TEST_LINES_MAX } else { LINES_MAX }
    });
    let long: Vec<_> = long
        .map(|(path, text)| (path, text.lines().count()))
        .collect();
    assert!(long.is_empty(), "over {LINES_MAX} lines: {long:#?}");
}

/// The number of public names with more than one type: lowered whenever one is renamed, and never
/// raised.
const NAMES_SHARED: usize = 18;

/// A public type name is unique over all crates, except for the counted ones.
#[test]
fn no_further_public_name_is_given_twice() {
    let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let inside = path.starts_with("crates/") && path.contains("/src/");
        // What tests begin with is test code, like what is in their own files.
        let of_tests = path.contains("/tests") || path.starts_with("crates/testkit/");
        if !inside || of_tests {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for name in code.lines().filter_map(public_type) {
            owners
                .entry(name.to_owned())
                .or_default()
                .insert(path.clone());
        }
    }
    owners.retain(|_, files| files.len() > 1);
    assert_eq!(owners.len(), NAMES_SHARED, "{owners:#?}");
}

/// The name of the public type that a line defines; none if it defines none.
fn public_type(line: &str) -> Option<&str> {
    let kinds = ["struct ", "enum ", "trait ", "type "];
    let rest = line.strip_prefix("pub ")?;
    let named = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    named
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
}

#[test]
fn nothing_is_left_for_later() {
    let found = lines_with(sources(), |line| {
        LOOSE_ENDS.iter().any(|it| holds(line, &joined(it)))
    });
    assert!(found.is_empty(), "loose ends:\n{}", found.join("\n"));
    // What insta leaves beside a snapshot that nobody has judged yet.
    let unjudged = |path: &String| path.ends_with(".pending-snap") || path.ends_with(".snap.new");
    let unjudged: Vec<_> = tracked().into_iter().filter(unjudged).collect();
    assert!(unjudged.is_empty(), "snapshots to judge: {unjudged:?}");
}

#[test]
fn nothing_is_tied_to_one_machine_or_mirror() {
    let files = tracked().into_iter().filter_map(|path| {
        // The lock file names the registry, which is its business; pictures are no text.
        let text = std::fs::read_to_string(root().join(&path)).ok()?;
        (!path.ends_with("Cargo.lock")).then_some((path, text))
    });
    let found = lines_with(files, |line| {
        FOREIGN.iter().any(|it| holds(line, &joined(it)))
    });
    assert!(
        found.is_empty(),
        "paths or hosts of one place:\n{}",
        found.join("\n")
    );
}

#[test]
fn every_yang_module_is_in_the_table() {
    let table = read("yang/README.md");
    let modules: Vec<_> = tracked()
        .into_iter()
        .filter(|path| path.starts_with("yang/") && path.ends_with(".yang"))
        .collect();
    assert!(!modules.is_empty(), "there are no YANG modules");
    for path in modules {
        let file = path.trim_start_matches("yang/").trim_end_matches(".yang");
        let name = file.split('@').next().expect("split gives one part");
        assert!(
            table.contains(&format!("`{name}`")),
            "yang/README.md does not name {name}"
        );
    }
}

#[test]
fn the_changelog_tells_of_this_version() {
    let heading = format!("## [{}]", env!("CARGO_PKG_VERSION"));
    let log = read("CHANGELOG.md");
    let entry = log.lines().position(|line| line.starts_with(&heading));
    let entry = entry.unwrap_or_else(|| panic!("CHANGELOG.md has no `{heading}`"));
    let told = log.lines().skip(entry + 1);
    let told = told.take_while(|line| !line.starts_with("## ")).count();
    assert!(
        told > 3,
        "CHANGELOG.md says nothing below `{heading}` that an operator would notice"
    );
}

#[test]
fn commands_in_contributing_and_readme_exist() {
    let makefile = read("Makefile");
    for file in ["README.md", "CONTRIBUTING.md"] {
        for part in read(file).split("`make ").skip(1) {
            let target: String = part
                .chars()
                .take_while(|it| it.is_ascii_alphanumeric() || *it == '-')
                .collect();
            assert!(
                makefile
                    .lines()
                    .any(|line| line.starts_with(&format!("{target}:"))),
                "{file} names `make {target}`, which the Makefile lacks"
            );
        }
    }
}

#[test]
fn readme_lists_every_crate_and_both_commands() {
    let readme = read("README.md");
    for command in ["make demo", "make test"] {
        assert!(
            readme.contains(command),
            "README.md does not show `{command}`"
        );
    }
    for name in crates().into_keys() {
        let shown = [format!("`{name}`"), format!("crates/{name}")];
        assert!(
            shown.iter().any(|form| readme.contains(form)),
            "README.md does not list the crate {name}"
        );
    }
}

/// The Rust files, with their text.
fn sources() -> impl Iterator<Item = (String, String)> {
    let files = tracked().into_iter().filter(|path| path.ends_with(".rs"));
    files.map(|path| {
        let text = read(&path);
        (path, text)
    })
}

/// `file:line: text` for each line that fulfils the predicate.
fn lines_with(
    files: impl Iterator<Item = (String, String)>,
    question: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| question(line)) {
            found.push(format!("{path}:{}: {}", number + 1, line.trim()));
        }
    }
    found
}

/// True if the line contains the text, and not in the middle of a longer word or path.
fn holds(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|it| it.is_alphanumeric() || "._-}".contains(it))
    })
}

#[test]
fn a_word_counts_only_where_it_begins() {
    assert!(holds("see \"/a/b\"", "/a/"));
    assert!(holds("/a/b", "/a/"));
    assert!(!holds("crates/a/b", "/a/"));
}

fn joined((head, tail): &(&str, &str)) -> String {
    format!("{head}{tail}")
}

/// Paths from the root of the project, of all files that are not ignored and exist.
fn tracked() -> Vec<String> {
    let listed = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .args(["--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git is installed; `make setup` sees to it");
    assert!(
        listed.status.success(),
        "git ls-files: {}",
        String::from_utf8_lossy(&listed.stderr)
    );
    let paths = String::from_utf8(listed.stdout).expect("paths are UTF-8");
    let paths = paths.split('\0').filter(|path| !path.is_empty());
    let there = paths.filter(|path| root().join(path).is_file());
    there.map(str::to_owned).collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|cause| panic!("reading {path}: {cause}"))
}
