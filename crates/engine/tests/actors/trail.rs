//! The audit trail beside a store that takes nothing for a while.
//!
//! Read next: `engine::trail`.

use super::failing::{fill, small};
use super::*;
use domain::audit::{AuditEvent, AuditKind};

/// A platform whose store is full soon.
fn full_soon(home: &Path) -> Stage {
    let agents = [("worker", willing()), ("other", willing())];
    let stage = stage(small(home), agents);
    stage.settle();
    stage
}

fn trail(stage: &Stage) -> Vec<(AuditKind, String, u32)> {
    stage.flush();
    let entries = stage.engine.feed().after(0, 1_000).unwrap();
    let records = entries.iter().filter_map(|entry| match &entry.happening {
        LogEvent::Audit(record) => Some(record),
        _ => None,
    });
    let told = records.map(|r| (r.event.kind, r.event.user.clone(), r.count));
    told.collect()
}

#[test]
fn what_a_full_store_does_not_take_of_the_trail_is_there_once_it_takes_something() {
    let home = tempfile::tempdir().unwrap();
    let mut stage = full_soon(home.path());
    for kind in [AuditKind::KeyAdded, AuditKind::Login, AuditKind::KeyRemoved] {
        stage
            .engine
            .audit(AuditEvent::new(kind, "mallory"), stage.now);
    }
    fill(&stage);
    assert_eq!(trail(&stage), []);
    stage.pass(0);
    stage.flush();
    stage.pass(5_000);
    let told = |kind| (kind, "mallory".to_owned(), 1);
    let expected = [AuditKind::KeyAdded, AuditKind::Login, AuditKind::KeyRemoved].map(told);
    assert_eq!(trail(&stage), expected);
    stage.pass(5_000);
    stage.engine.end_trail(stage.now);
    assert_eq!(trail(&stage), expected, "each of them once");
}

#[test]
fn a_platform_that_stops_writes_down_what_was_not_taken_before() {
    let home = tempfile::tempdir().unwrap();
    let stage = full_soon(home.path());
    let denied = AuditEvent::new(AuditKind::Denied, "guest");
    stage.engine.audit(denied.clone(), stage.now);
    fill(&stage);
    stage.engine.audit(denied, stage.now);
    stage.engine.end_trail(stage.now);
    let told = |count| (AuditKind::Denied, "guest".to_owned(), count);
    assert_eq!(
        trail(&stage),
        [told(1), told(1)],
        "the first, and what was counted"
    );
}

/// Nobody else looks at a store that takes nothing where nothing is decided.
#[test]
fn what_is_lacking_is_found_although_no_decision_was_taken_back() {
    let home = tempfile::tempdir().unwrap();
    let mut stage = full_soon(home.path());
    let added = AuditEvent::new(AuditKind::KeyAdded, "mallory");
    stage.engine.audit(added, stage.now);
    let large = store::Document {
        kind: "trial".into(),
        name: "large".to_owned(),
        body: Some("x".repeat(500_000)),
    };
    drop(stage.engine.store().commit(store::Batch {
        documents: vec![large],
        ..store::Batch::default()
    }));
    assert_eq!(trail(&stage), []);
    for _ in 0..2 {
        let due = stage.engine.next_wakeup().unwrap();
        assert!(due <= stage.now + 5_000, "somebody looks again");
        stage.pass(5_000);
        stage.flush();
    }
    let told = (AuditKind::KeyAdded, "mallory".to_owned(), 1);
    assert_eq!(trail(&stage), [told]);
}
