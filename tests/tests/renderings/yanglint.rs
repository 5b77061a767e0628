//! Differential testing against yanglint, of another version of libyang: the same documents by the
//! same modules.
//!
//! Documents are payloads of generated templates, by the YANG rendered of them, and the operations
//! of the conformance cases, by our modules as written (the platform compiles some patterns in
//! another dialect, see `yang::ModuleSet`). Without yanglint the tests print so.
//! `CONVOKE_DIFFERENTIAL` sets the number of templates, with sixteen documents each.
#![allow(clippy::print_stdout)]

use super::*;
use harness::conformance;
use netconf::xml::XmlDocument;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The number of templates by default, and of documents of each.
const TEMPLATES: usize = 60;
const DOCUMENTS: usize = 16;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn is_here() -> bool {
    let found = Command::new("yanglint").arg("--version").output().is_ok();
    if !found {
        println!("skipped: yanglint (Debian: libyang-tools) is not installed");
    }
    found
}

/// Runs yanglint on the files `NUMBER.xml` of a folder; returns whether it succeeded, and its
/// output. `kind` is the document type of its command `data`.
fn yanglint(folder: &Path, modules: &[&str], kind: &str, count: usize) -> (bool, String) {
    let mut commands = String::new();
    for path in [folder, &root().join("yang"), &root().join("yang/standard")] {
        commands += &format!("searchpath {}\n", path.display());
    }
    for module in modules {
        commands += &format!("load {module}\n");
    }
    for number in 0..count {
        commands += &format!("data -t {kind} {number}.xml\n");
    }
    fs::write(folder.join("commands"), commands).unwrap();
    let output = Command::new("yanglint")
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(fs::File::open(folder.join("commands")).unwrap())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().is_some(), said)
}

/// The numbers of the data files that yanglint refuses.
fn refused(folder: &Path, modules: &[&str], count: usize) -> BTreeSet<usize> {
    let (_, said) = yanglint(folder, modules, "data", count);
    // Whatever else it complains of concerns the modules.
    let is_trouble =
        |line: &&str| line.starts_with("YANGLINT[E]") && !line.contains("parse input data file");
    let trouble: Vec<&str> = said.lines().filter(is_trouble).collect();
    assert!(trouble.is_empty(), "{trouble:?}\n{said}");
    let named = said
        .lines()
        .filter_map(|line| line.split_once("data file \"")?.1.split_once(".xml\""));
    named.map(|(number, _)| number.parse().unwrap()).collect()
}

/// yanglint accepts the same payloads, valid and invalid, by the YANG of their template.
#[test]
fn yanglint_takes_the_payloads_that_we_take() {
    if !is_here() {
        return;
    }
    let told = std::env::var("CONVOKE_DIFFERENTIAL");
    let templates = told.map_or(TEMPLATES, |count| count.parse().unwrap());
    let seed = std::env::var("PROPTEST_RNG_SEED").map_or(1, |seed| seed.parse::<u64>().unwrap());
    let mut bytes = [18; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &bytes),
    );
    let (mut accepted, mut differing) = (0, Vec::new());
    for _ in 0..templates {
        let forms = Forms::of(drawn(&mut runner, &any_template()));
        let payloads = payload(&forms.template);
        let drawn = std::iter::repeat_with(|| drawn(&mut runner, &payloads)).take(DOCUMENTS);
        let documents: Vec<String> = drawn.filter_map(|it| forms.typed(&it).ok()).collect();
        let folder = tempfile::tempdir().unwrap();
        let english = Language::english();
        let text = module(&forms.template, Placement::Standalone, &english, REVISION);
        fs::write(folder.path().join("trial_v1.yang"), text).unwrap();
        for (number, xml) in documents.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.xml")), xml).unwrap();
        }
        let refused = refused(folder.path(), &["trial_v1"], documents.len());
        for (number, xml) in documents.iter().enumerate() {
            let ours = forms.yang.check_data(xml, false);
            accepted += usize::from(ours.is_ok());
            if ours.is_ok() == refused.contains(&number) {
                differing.push(format!("{ours:?}: {xml}"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(accepted > templates, "{accepted} accepted");
}

/// Every operation of our modules in a conformance case, in XML. Debian's libyang 2 cannot compile
/// convoke-schema, which augments a structure (RFC 8791 §3), nor the deviations of
/// convoke-deviations; the latter concern no operation.
fn operations() -> Vec<String> {
    let cases = conformance::cases(&conformance::directory());
    let steps = cases.into_iter().flat_map(|case| case.steps);
    let mut found = BTreeSet::new();
    for text in steps.filter(|step| step.action == "send").map(|s| s.text) {
        // What is repeated, or stands for something that an answer told, is no document yet.
        if text.contains("{{") {
            continue;
        }
        let Ok(document) = XmlDocument::parse(text.as_bytes(), &netconf::xml::Limits::default())
        else {
            continue;
        };
        for operation in document.root().children() {
            let namespace = operation.namespace();
            let is_ours = namespace.ends_with(":irtf-agent") || namespace.contains("convoke");
            let xml = operation.standalone();
            let is_known = !xml.contains("convoke-schema") && !xml.contains(":yang:schema:");
            if is_ours && is_known {
                found.insert(xml);
            }
        }
    }
    found.into_iter().collect()
}

/// yanglint accepts the same operations, valid and invalid, by our modules.
#[test]
fn yanglint_takes_the_operations_that_we_take() {
    if !is_here() {
        return;
    }
    let ours = Generation::load(&ModuleSet::convoke()).unwrap();
    let documents = operations();
    let modules = [
        "irtf-agent",
        "convoke-negotiation",
        "convoke-registry",
        "convoke-data",
        "convoke-simulation",
        "convoke-ems",
        "convoke-audit",
        "convoke-cluster",
        "convoke-policy",
        "convoke-usage",
    ];
    let (right, wrong): (Vec<&String>, Vec<&String>) = documents
        .iter()
        .partition(|xml| ours.check_rpc(xml).is_ok());
    assert!(
        right.len() > 100 && wrong.len() > 5,
        "{} right, {} wrong",
        right.len(),
        wrong.len()
    );
    assert_eq!(judged(&modules, &right), None);
    // Debian's yanglint 2.1 says why it refuses an operation, and then falls over: each has its own.
    let taken: Vec<_> = wrong
        .iter()
        .filter(|xml| judged(&modules, &[xml]).is_none())
        .collect();
    assert!(taken.is_empty(), "{taken:#?}");
}

/// The errors of yanglint about operations; none if it accepts them all.
fn judged(modules: &[&str], operations: &[&String]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    for (number, xml) in operations.iter().enumerate() {
        fs::write(folder.path().join(format!("{number}.xml")), xml).unwrap();
    }
    let (ended, said) = yanglint(folder.path(), modules, "rpc", operations.len());
    let against: Vec<&str> = said
        .lines()
        .filter(|l| l.starts_with("libyang[0]"))
        .collect();
    assert!(ended || !against.is_empty(), "it fell over: {said}");
    (!against.is_empty()).then(|| against.join("\n"))
}
