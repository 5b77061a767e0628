//! The draft's numbers are settings with the draft's defaults.

use schema::evolution::{EvolutionSettings, Parts, Similarity};

const DAY: i64 = 86_400_000;

/// D68, D70 to D74, D92, D98, D101 to D105, D107, Q28, Q42: the defaults.
#[test]
fn defaults_are_the_drafts() {
    let s = EvolutionSettings::default();
    assert_eq!(s.check(), []);
    assert_eq!(
        (s.heat.half_life_ms, s.heat.threshold, s.heat.increment),
        (DAY, 50.0, 10.0)
    );
    assert_eq!(
        (
            s.gates.clients_min,
            s.gates.occurrences_min,
            s.gates.window_ms
        ),
        (5, 10, 7 * DAY)
    );
    let t = s.trial;
    assert_eq!(
        (t.trial_ms, t.window_ms, t.grace_ms, t.backward_ms),
        (7 * DAY, 30 * DAY, 14 * DAY, 30 * DAY)
    );
    let (up, down) = (t.promotion, t.deprecation);
    assert_eq!(
        (up.usage, up.alignment, up.type_correctness),
        (0.15, 0.80, 0.90)
    );
    assert_eq!(
        (down.usage, down.alignment, down.type_correctness),
        (0.05, 0.60, 0.70)
    );
    assert_eq!(
        (s.convergence.experimental_max, s.patch.expiry_ms),
        (10, 90 * DAY)
    );
    let literal = EvolutionSettings::draft_literal();
    assert_eq!(literal.check(), []);
    assert_eq!(literal.cluster.similarity, Similarity::DraftLiteral);
}

/// D58, D90: parts are switched, but nothing runs without what it stands on.
#[test]
fn all_that_is_wrong_is_told() {
    let mut s = EvolutionSettings::default();
    s.parts.evaluation = false;
    s.heat.half_life_ms = 0;
    s.trial.deprecation.usage = 0.2;
    s.cluster.members_max = 9;
    s.cluster.similarity = Similarity::Fixed(f32::NAN);
    let told: Vec<_> = s.check().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    patches needs evaluation
    heat.half-life-ms is 0, not 1 ms to ten years
    cluster.members-max is 9, not within its range
    trial.deprecation.usage is 0.2, not 0 to the share that promotes, which is at most 1
    cluster.similarity is NaN, not above 0, at most 1
    ");
    assert_eq!(EvolutionSettings::off().check(), []);
    let alone = Parts {
        pool: true,
        ..EvolutionSettings::off().parts
    };
    assert_eq!(
        EvolutionSettings {
            parts: alone,
            ..EvolutionSettings::default()
        }
        .check(),
        []
    );
}

/// Settings are read with what is left out at its default, and nothing unknown.
#[test]
fn settings_are_read() {
    let read: EvolutionSettings = serde_json::from_str(r#"{"gates": {"clients-min": 3}}"#).unwrap();
    assert_eq!(
        (read.gates.clients_min, read.gates.occurrences_min),
        (3, 10)
    );
    assert!(serde_json::from_str::<EvolutionSettings>(r#"{"gate": {}}"#).is_err());
}
