//! What the draft asks of tasks and negotiations, point by point: each is proved by a case of
//! `conformance/` that says so in its `case.toml` (`proves`), or by a test that the table names.
//!
//! The points are those of draft-wang-nmrg-magent-im-00, §4 and §5, numbered W5 to W26; which
//! section each is in stands beside it. Read next: `harness::conformance`.

use harness::conformance;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A point: its number, what it asks for and where, and tests that prove it beside the cases, as
/// file and function.
type Point = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const POINTS: &[Point] = &[
    (
        "W5",
        "register, discover, negotiate capabilities, form teams (§4.1)",
        &[],
    ),
    (
        "W6",
        "dispatch, synchronous and asynchronous feedback (§4.2)",
        &[],
    ),
    (
        "W7",
        "the publisher reopens and revises the plan (§4.3)",
        &[],
    ),
    ("W8", "structured and unstructured interaction (§4.4)", &[]),
    ("W9", "the result is negotiated and confirmed (§4.5)", &[]),
    (
        "W10",
        "the profile: name, version, provider, domain (§5.1)",
        &[],
    ),
    ("W11", "the skills of a profile (§5.1)", &[]),
    ("W12", "the capabilities of a profile (§5.1)", &[]),
    (
        "W13",
        "authentication methods, never their secrets (§5.1)",
        &[],
    ),
    (
        "W14",
        "a task: header, content, subscription, mode, tail (§5.2)",
        &[],
    ),
    ("W15", "every verb of commuType (Appendix A)", &[]),
    ("W16", "the sections of content, as in Figure 7 (§5.2)", &[]),
    ("W17", "subscriptions for long tasks (§5.2)", &[]),
    (
        "W18",
        "status in the reply, or pushed at every change (§5.2)",
        &[],
    ),
    ("W19", "data that travel with tasks (§5.2)", &[]),
    ("W20", "every exchange recorded and retrievable (§5.2)", &[]),
    ("W21", "feasibility before assignment (§5.3)", &[]),
    ("W22", "fulfilment while a task is carried out (§5.3)", &[]),
    (
        "W23",
        "notification of every change, as in Figure 9 (§5.4)",
        &[],
    ),
    (
        "W24",
        "no protocol in the model (§1, §4)",
        &[(
            "tests/tests/architecture.rs",
            "what_stops_at_one_crate_is_named_by_no_other",
        )],
    ),
    (
        "W25",
        "module irtf-agent loads (Appendix A)",
        &[
            (
                "crates/yang/src/generation/tests.rs",
                "what_the_draft_calls_configuration_is_state_here",
            ),
            (
                "tests/tests/conformance.rs",
                "every_announced_schema_is_served",
            ),
        ],
    ),
    (
        "W26",
        "where the draft is ambiguous, one reading (Appendix A)",
        &[],
    ),
];

/// The cases that prove each point.
fn proofs() -> BTreeMap<String, BTreeSet<String>> {
    let mut proofs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in conformance::cases(&conformance::directory()) {
        for point in case.description.proves {
            proofs.entry(point).or_default().insert(case.name.clone());
        }
    }
    proofs
}

#[test]
fn every_point_has_a_case_or_a_test() {
    let proofs = proofs();
    let unproved: Vec<_> = POINTS
        .iter()
        .filter(|(number, _, tests)| tests.is_empty() && !proofs.contains_key(*number))
        .map(|(number, what, _)| format!("{number}: {what}"))
        .collect();
    assert!(unproved.is_empty(), "{}", unproved.join("\n"));
}

#[test]
fn every_case_proves_points_that_there_are() {
    let known: BTreeSet<&str> = POINTS.iter().map(|(number, ..)| *number).collect();
    let unknown: Vec<_> = proofs()
        .into_iter()
        .filter(|(number, _)| !known.contains(number.as_str()))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn the_tests_of_the_table_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (file, test) in POINTS.iter().flat_map(|(_, _, tests)| *tests) {
        let source = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        assert!(
            source.contains(&format!("#[test]\nfn {test}()")),
            "{file} has no test {test}"
        );
    }
}

/// The points are W5 to W26, each once.
#[test]
fn the_table_has_every_point() {
    let numbers: Vec<String> = POINTS
        .iter()
        .map(|(number, ..)| (*number).to_owned())
        .collect();
    let wanted: Vec<String> = (5..=26).map(|n| format!("W{n}")).collect();
    assert_eq!(numbers, wanted);
}
