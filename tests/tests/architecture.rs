//! The permitted dependencies between our crates, and of each on external ones.
//!
//! The tables below are the picture in ARCHITECTURE.md. A new dependency is entered here in the
//! commit that introduces it, with the reason in that commit's message; an unused one is removed.
//! Checks manifests, the lock file and the `clippy.toml` fences, and the sources for circles of files;
//! the use of dependencies in code is checked by clippy. Other repository checks are in `tidy.rs`.

use harness::circles::{self, Modules};
use harness::workspace::{crates, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Each crate with those of our crates that it names, in any section of its manifest, but for
/// [`TESTKIT`].
const ARROWS: &[(&str, &[&str])] = &[
    ("language", &[]),
    ("schema", &["language"]),
    ("domain", &["language", "schema"]),
    ("network", &["domain"]),
    ("metro", &["domain"]),
    ("agents", &["causality", "domain", "language", "schema"]),
    ("markup", &[]),
    ("report", &["language", "markup"]),
    ("causality", &["markup"]),
    ("yardsticks", &["domain"]),
    ("yang", &[]),
    ("netconf", &[]),
    ("a2a", &["domain", "schema"]),
    ("semantics", &["language", "schema"]),
    ("store", &["domain"]),
    ("engine", &["domain", "schema", "store"]),
    (
        "bindings",
        &["a2a", "domain", "engine", "netconf", "schema", "yang"],
    ),
    (
        "server",
        &[
            "a2a",
            "bindings",
            "domain",
            "engine",
            "markup",
            "netconf",
            "schema",
            "semantics",
            "store",
            "yang",
        ],
    ),
    (
        "arena",
        &[
            "agents",
            "bindings",
            "domain",
            "engine",
            "metro",
            "network",
            "report",
            "server",
            "store",
            "yang",
            "yardsticks",
        ],
    ),
    (
        "lab",
        &[
            "agents",
            "arena",
            "domain",
            "engine",
            "network",
            "server",
            "yardsticks",
        ],
    ),
    (TESTKIT, &["domain", "engine", "server", "store", "yang"]),
    (
        "convoke",
        &[
            "arena",
            "causality",
            "domain",
            "lab",
            "language",
            "markup",
            "netconf",
            "network",
            "report",
            "schema",
            "semantics",
            "server",
        ],
    ),
];

/// What tests begin with: any crate may name it, for its tests alone. It stands on crates that test
/// with it, which is no circle, since it is part of nothing.
const TESTKIT: &str = "testkit";

/// Crates without clock, randomness, IO or threads, and all external crates that they may name. All
/// may use `proptest` and `insta` in tests.
const PURE: &[(&str, &[&str])] = &[
    (
        "language",
        &["serde", "thiserror", "time", "unicode-normalization"],
    ),
    (
        "schema",
        &[
            "base16ct",
            "base64ct",
            "ed25519-dalek",
            "fluent-uri",
            "oxilangtag",
            "rand_chacha",
            "regex",
            "serde",
            "serde_json",
            "serde_json_canonicalizer",
            "sha2",
            "strsim",
            "strum",
            "thiserror",
            "time",
            "unicode-normalization",
        ],
    ),
    (
        "domain",
        &[
            "rand_chacha",
            "serde",
            "serde_json",
            "strum",
            "thiserror",
            "unicode-normalization",
        ],
    ),
    ("metro", &["rand"]),
    (
        "network",
        &[
            "quick-xml",
            "rand",
            "rand_chacha",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "report",
        &["base64ct", "quick-xml", "serde", "serde_json", "sha2"],
    ),
    ("causality", &["serde", "serde_json", "thiserror"]),
    ("yardsticks", &["serde", "serde_json", "thiserror"]),
    ("markup", &[]),
    (
        "agents",
        &["rand_chacha", "serde", "serde_json", "strum", "thiserror"],
    ),
    ("netconf", &["quick-xml", "thiserror"]),
    (
        "a2a",
        &[
            "base64ct",
            "httpdate",
            "percent-encoding",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
];
const EVERYONES_IN_TESTS: &[&str] = &["criterion", "insta", "jsonschema", "proptest"];

/// The crate for reading logs, permitted in tests of any crate.
const READER_OF_LOGS: &str = "tracing-subscriber";

/// External crates that only these of our crates may name.
const SOLE_SPEAKERS: &[(&str, &[&str])] = &[
    ("yang5", &["yang"]),
    ("rusqlite", &["store"]),
    ("tokio-postgres", &["store"]),
    ("russh", &["server"]),
    ("clap", &["convoke"]),
    ("rmcp", &["convoke"]),
    (READER_OF_LOGS, &["convoke"]),
];

/// Crates that no pure crate may depend on, even transitively.
const NEVER_BELOW_PURE: &[&str] = &[
    "libyang5-sys",
    "libsqlite3-sys",
    "mio",
    "reqwest",
    "russh",
    "socket2",
    "tokio",
];

/// Features that would seed a generator by itself.
const FEATURES_OF_CHANCE: &[&str] = &["os_rng", "std_rng", "sys_rng", "thread_rng"];

#[test]
fn the_arrows_between_our_crates_are_those_of_the_table() {
    let found = differences(ARROWS, &House::read().arrows());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn only_tests_begin_with_the_testkit() {
    let house = House::read();
    let named = |manifest: &Manifest| {
        let all = manifest.dependencies.iter();
        let testkit = all.filter(|it| it.ours.as_deref() == Some(TESTKIT));
        testkit.map(|it| it.section).collect::<BTreeSet<_>>()
    };
    let sections: BTreeSet<_> = house.crates.values().flat_map(named).collect();
    assert_eq!(sections, ["dev-dependencies"].into());
}

#[test]
fn an_arrow_that_is_added_or_dropped_is_noticed() {
    let drawn: &[(&str, &[&str])] = &[("low", &[]), ("high", &["low"])];
    let arrows = |high: &[&str], low: &[&str]| {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        BTreeMap::from([("high".to_owned(), set(high)), ("low".to_owned(), set(low))])
    };
    assert!(differences(drawn, &arrows(&["low"], &[])).is_empty());
    assert_eq!(
        differences(drawn, &arrows(&["low"], &["high"])),
        ["low -> high is not in the table ARROWS of tests/tests/architecture.rs"]
    );
    assert_eq!(
        differences(drawn, &arrows(&[], &[])),
        ["high -> low is in the table ARROWS, but no manifest draws it"]
    );
    assert_eq!(
        differences(&drawn[..1], &arrows(&[], &[])),
        ["high is not in the table ARROWS of tests/tests/architecture.rs"]
    );
}

#[test]
fn the_arrows_make_no_circle() {
    let mut below: BTreeSet<&str> = BTreeSet::new();
    let mut rest: Vec<_> = ARROWS.to_vec();
    while !rest.is_empty() {
        let (placed, left): (Vec<_>, Vec<_>) = rest
            .iter()
            .partition(|(_, targets)| targets.iter().all(|target| below.contains(target)));
        assert!(!placed.is_empty(), "these stand in a circle: {left:?}");
        below.extend(placed.iter().map(|(name, _)| name));
        rest = left;
    }
}

/// A file stands above all that it names, but that a module and its children may name each other.
#[test]
fn no_circle_of_files_is_larger_than_a_module_and_its_children() {
    let mut forbidden = Vec::new();
    for (name, folder) in crates() {
        for root in circles::roots(&folder) {
            for circle in Modules::read(&root).forbidden() {
                let ties = circle.iter().flat_map(|(from, to)| {
                    to.iter()
                        .map(|to| format!("\n  {} -> {}", from.join("::"), to.join("::")))
                });
                forbidden.push(format!("{name}:{}", ties.collect::<String>()));
            }
        }
    }
    assert!(
        forbidden.is_empty(),
        "circles of files: {}",
        forbidden.join("\n")
    );
}

#[test]
fn pure_crates_name_nothing_but_what_is_listed() {
    let house = House::read();
    for (name, allowed) in PURE {
        for dependency in house.crates[*name].outside() {
            let known = allowed.contains(&dependency.package.as_str())
                || (dependency.section == "dev-dependencies"
                    && EVERYONES_IN_TESTS.contains(&dependency.package.as_str()));
            assert!(
                known,
                "{name} is pure and names {} in its {}: see the table PURE",
                dependency.package, dependency.section
            );
            for feature in FEATURES_OF_CHANCE {
                assert!(
                    !dependency.features.iter().any(|on| on == feature),
                    "{name} is pure and turns on {feature} of {}: chance is an argument",
                    dependency.package
                );
            }
        }
    }
}

/// D63: pure crates, payload validation included, need no model and no network.
#[test]
fn pure_crates_reach_no_runtime_and_no_socket_however_far_down() {
    let house = House::read();
    for (name, _) in PURE {
        let reached = house.reaches(name);
        for forbidden in NEVER_BELOW_PURE {
            assert!(
                !reached.contains(*forbidden),
                "{name} is pure and reaches {forbidden}; `cargo tree -p convoke-{name} -i {forbidden}` shows how"
            );
        }
    }
    // The walk is able to find something.
    assert!(house.reaches("server").contains("mio"));
}

/// W24, D3, D5: the models contain no protocol, no transport and no authorization.
#[test]
fn what_stops_at_one_crate_is_named_by_no_other() {
    for (name, manifest) in &House::read().crates {
        for dependency in manifest.outside() {
            if dependency.section == "dev-dependencies" && dependency.package == READER_OF_LOGS {
                continue;
            }
            for (package, speakers) in SOLE_SPEAKERS {
                assert!(
                    dependency.package != *package || speakers.contains(&name.as_str()),
                    "{name} names {package}, which only {speakers:?} may: see the table SOLE_SPEAKERS"
                );
            }
        }
    }
}

#[test]
fn every_pure_crate_has_the_same_fence() {
    let fence = |name: &str| {
        let file = crates()[name].join("clippy.toml");
        std::fs::read_to_string(&file)
            .unwrap_or_else(|cause| panic!("{} is missing: {cause}", file.display()))
    };
    let model = fence("domain");
    let table: Table = model.parse().expect("the fence of domain is TOML");
    for (key, needed) in [
        ("disallowed-methods", "std::time::SystemTime::now"),
        ("disallowed-methods", "std::time::Instant::now"),
        ("disallowed-methods", "std::env::var"),
        ("disallowed-types", "std::fs::File"),
        ("disallowed-types", "std::net::TcpStream"),
        ("disallowed-types", "std::collections::HashMap"),
    ] {
        let paths = table[key].as_array().expect("a list of paths");
        assert!(
            paths
                .iter()
                .any(|it| it.get("path").and_then(Value::as_str) == Some(needed)),
            "the fence no longer keeps {needed} out"
        );
    }
    for (name, _) in PURE {
        assert_eq!(
            fence(name),
            model,
            "the clippy.toml of {name} is not domain's"
        );
    }
}

#[test]
fn no_pure_crate_steps_over_its_fence() {
    for (name, _) in PURE {
        for file in rust_files(&crates()[*name].join("src")) {
            let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
            assert!(
                !text.contains("clippy::disallowed_"),
                "{} allows itself what clippy.toml forbids",
                file.display()
            );
        }
    }
}

/// The dependencies that are in only one of table and manifests, one line each.
fn differences(
    table: &[(&str, &[&str])],
    manifests: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, targets) in manifests {
        let Some((_, drawn)) = table.iter().find(|(known, _)| known == name) else {
            found.push(format!(
                "{name} is not in the table ARROWS of tests/tests/architecture.rs"
            ));
            continue;
        };
        for target in targets.iter().filter(|it| !drawn.contains(&it.as_str())) {
            found.push(format!(
                "{name} -> {target} is not in the table ARROWS of tests/tests/architecture.rs"
            ));
        }
        for target in drawn.iter().filter(|it| !targets.contains(**it)) {
            found.push(format!(
                "{name} -> {target} is in the table ARROWS, but no manifest draws it"
            ));
        }
    }
    for (name, _) in table
        .iter()
        .filter(|(name, _)| !manifests.contains_key(*name))
    {
        found.push(format!(
            "{name} is in the table ARROWS, but there is no such crate"
        ));
    }
    found
}

/// All manifests, and the lock file.
struct House {
    /// By folder name.
    crates: BTreeMap<String, Manifest>,
    /// Package of the lock file → packages that it names.
    lock: BTreeMap<String, BTreeSet<String>>,
}

struct Manifest {
    package: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    /// The name in the registry, whatever its local name.
    package: String,
    /// The folder name, if it is one of ours.
    ours: Option<String>,
    /// `dependencies`, `dev-dependencies` or `build-dependencies`.
    section: &'static str,
    features: Vec<String>,
}

impl House {
    fn read() -> Self {
        let workspace = toml_file(&root().join("Cargo.toml"));
        let shared = workspace["workspace"]["dependencies"]
            .as_table()
            .expect("the workspace lists its dependencies");
        let manifest = |folder: PathBuf| toml_file(&folder.join("Cargo.toml"));
        let crates = crates()
            .into_iter()
            .map(|(name, folder)| (name, Manifest::read(&manifest(folder), shared)))
            .collect();
        Self {
            crates,
            lock: locked(&toml_file(&root().join("Cargo.lock"))),
        }
    }

    fn arrows(&self) -> BTreeMap<String, BTreeSet<String>> {
        let targets = |manifest: &Manifest| {
            let all = manifest.dependencies.iter();
            let named = all.filter_map(|it| it.ours.clone());
            named.filter(|name| name != TESTKIT).collect()
        };
        let crates = self.crates.iter();
        crates
            .map(|(name, manifest)| (name.clone(), targets(manifest)))
            .collect()
    }

    /// Every package below a crate, except for test dependencies.
    fn reaches(&self, name: &str) -> BTreeSet<String> {
        let direct = |manifest: &Manifest| -> Vec<String> {
            let all = manifest.dependencies.iter();
            all.filter(|it| it.section != "dev-dependencies")
                .map(|it| it.package.clone())
                .collect()
        };
        let mut reached = BTreeSet::new();
        let mut open = direct(&self.crates[name]);
        while let Some(package) = open.pop() {
            if !reached.insert(package.clone()) {
                continue;
            }
            // The lock file lists our crates' test dependencies too; their manifests tell them apart.
            match self.crates.values().find(|it| it.package == package) {
                Some(ours) => open.extend(direct(ours)),
                None => open.extend(self.lock.get(&package).into_iter().flatten().cloned()),
            }
        }
        reached
    }
}

impl Manifest {
    fn read(manifest: &Table, shared: &Table) -> Self {
        let mut dependencies = Vec::new();
        let mut places = vec![manifest];
        if let Some(targets) = manifest.get("target").and_then(Value::as_table) {
            places.extend(targets.values().filter_map(Value::as_table));
        }
        for place in places {
            for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
                let named = place.get(section).and_then(Value::as_table);
                for (name, value) in named.into_iter().flatten() {
                    dependencies.push(Dependency::read(name, value, shared, section));
                }
            }
        }
        let package = manifest["package"]["name"]
            .as_str()
            .expect("a package has a name");
        Self {
            package: package.to_owned(),
            dependencies,
        }
    }

    fn outside(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|it| it.ours.is_none())
    }
}

impl Dependency {
    fn read(name: &str, value: &Value, shared: &Table, section: &'static str) -> Self {
        let text = |value: &Value, key: &str| {
            let found = value.get(key).and_then(Value::as_str);
            found.map(str::to_owned)
        };
        let features = |value: &Value| -> Vec<String> {
            let found = value.get("features").and_then(Value::as_array);
            let names = found.into_iter().flatten().filter_map(Value::as_str);
            names.map(str::to_owned).collect()
        };
        let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
        let source = if inherited { &shared[name] } else { value };
        let folder = text(source, "path").map(|path| {
            let folder = Path::new(&path)
                .file_name()
                .expect("the path names a folder");
            folder.to_string_lossy().into_owned()
        });
        Self {
            package: text(source, "package").unwrap_or_else(|| name.to_owned()),
            ours: folder,
            section,
            features: [features(source), features(value)].concat(),
        }
    }
}

/// The dependencies of each package in the lock file, with all versions of a package merged.
fn locked(lock: &Table) -> BTreeMap<String, BTreeSet<String>> {
    let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array().expect("the lock lists packages") {
        let name = package["name"].as_str().expect("a package has a name");
        let named = package.get("dependencies").and_then(Value::as_array);
        let targets = named.into_iter().flatten().filter_map(Value::as_str);
        // "name", or "name version" where there are two of them.
        let names = targets.filter_map(|target| target.split(' ').next());
        let entry = below.entry(name.to_owned()).or_default();
        entry.extend(names.map(str::to_owned));
    }
    below
}

fn toml_file(path: &Path) -> Table {
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|cause| panic!("reading {}: {cause}", path.display()));
    text.parse()
        .unwrap_or_else(|cause| panic!("{} is no TOML: {cause}", path.display()))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}
