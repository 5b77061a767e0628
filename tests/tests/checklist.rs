//! The requirements of the draft on tasks and negotiations, point by point: each is proved by a
//! case of `conformance/` whose `proves` names it, or by a test that the table names.
//!
//! The points are those of draft-wang-nmrg-magent-im-00, §4 and §5, numbered W5 to W26, each with
//! its section. Read next: `harness::checklist`, `checklist_schemas.rs`.

use harness::checklist::{Point, faults, point};

const POINTS: &[Point] = &[
    point(
        "W5",
        "register, discover, negotiate capabilities, form teams (§4.1)",
        &[],
    ),
    point(
        "W6",
        "dispatch, synchronous and asynchronous feedback (§4.2)",
        &[],
    ),
    point(
        "W7",
        "the publisher reopens and revises the plan (§4.3)",
        &[],
    ),
    point("W8", "structured and unstructured interaction (§4.4)", &[]),
    point("W9", "the result is negotiated and confirmed (§4.5)", &[]),
    point(
        "W10",
        "the profile: name, version, provider, domain (§5.1)",
        &[],
    ),
    point("W11", "the skills of a profile (§5.1)", &[]),
    point("W12", "the capabilities of a profile (§5.1)", &[]),
    point(
        "W13",
        "authentication methods, never their secrets (§5.1)",
        &[],
    ),
    point(
        "W14",
        "a task: header, content, subscription, mode, tail (§5.2)",
        &[],
    ),
    point("W15", "every verb of commuType (Appendix A)", &[]),
    point("W16", "the sections of content, as in Figure 7 (§5.2)", &[]),
    point("W17", "subscriptions for long tasks (§5.2)", &[]),
    point(
        "W18",
        "status in the reply, or pushed at every change (§5.2)",
        &[],
    ),
    point("W19", "data that travel with tasks (§5.2)", &[]),
    point("W20", "every exchange recorded and retrievable (§5.2)", &[]),
    point("W21", "feasibility before assignment (§5.3)", &[]),
    point("W22", "fulfilment while a task is carried out (§5.3)", &[]),
    point(
        "W23",
        "notification of every change, as in Figure 9 (§5.4)",
        &[],
    ),
    point(
        "W24",
        "no protocol in the model (§1, §4)",
        &[(
            "tests/tests/architecture.rs",
            "what_stops_at_one_crate_is_named_by_no_other",
        )],
    ),
    point(
        "W25",
        "module irtf-agent loads (Appendix A)",
        &[
            (
                "crates/yang/src/generation/tests.rs",
                "what_the_draft_calls_configuration_is_state_here",
            ),
            (
                "tests/tests/conformance/main.rs",
                "every_announced_schema_is_served",
            ),
        ],
    ),
    point(
        "W26",
        "where the draft is ambiguous, one reading (Appendix A)",
        &[],
    ),
];

#[test]
fn every_point_is_proved() {
    let faults = faults(POINTS);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The points are W5 to W26, each once.
#[test]
fn the_table_has_every_point() {
    let numbers: Vec<String> = POINTS.iter().map(|p| p.number.to_owned()).collect();
    let wanted: Vec<String> = (5..=26).map(|n| format!("W{n}")).collect();
    assert_eq!(numbers, wanted);
}
