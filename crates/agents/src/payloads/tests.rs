//! Every payload reads what it writes, and names all that is wrong with what it cannot read.

#![allow(clippy::unwrap_used)]

use super::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use super::incident::{Incident, IncidentOrder, Sighting};
use super::repair::{Guidance, GuidanceResult, Repair, RepairResult};
use super::verification::{Verification, VerificationResult};
use super::*;
use crate::bench::{at, id};
use crate::cause::Cause;
use domain::inventory::Domain;
use domain::telemetry::{AlarmType, Severity};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Through the text of a message, as on the wire.
fn there_and_back<S: Schema + PartialEq + Debug>(value: &S) {
    let sent = Content::new("t", "d").with_payload(value.to_payload());
    let read = Content::parse([sent.render().as_str()]).unwrap();
    assert_eq!(
        &S::from_payload(read.payload.as_ref().unwrap()).unwrap(),
        value
    );
}

fn sighting(seconds: i64) -> Sighting {
    Sighting {
        resource: id("link:B-b1"),
        alarm_type: AlarmType::LossOfSignal,
        time: at(seconds),
    }
}

fn incident() -> Incident {
    Incident {
        incident_id: "ip-1".into(),
        domain: Domain::Ip,
        probable_cause: AlarmType::LossOfSignal,
        severity: Severity::Critical,
        raised_at: at(5),
        cleared: false,
        resources: BTreeSet::from([id("link:B-b1")]),
        sites: BTreeSet::from([id("site:b1")]),
        alarm_count: 2,
        first_alarm: sighting(5),
        alarms: vec![sighting(5), sighting(6)],
    }
}

fn diagnosis() -> Diagnosis {
    let suspicion = |t: &str, cause| Suspicion {
        target: id(t),
        cause,
    };
    Diagnosis {
        incident_ids: vec!["ip-1".into()],
        suspicion: suspicion("duct:B-1", Cause::DuctCut),
        alternatives: vec![suspicion("card:B/1", Cause::CardFailure)],
        sites: BTreeSet::from([id("site:b1")]),
        since: at(5),
    }
}

#[test]
fn every_payload_reads_what_it_writes() {
    there_and_back(&IncidentOrder {
        domain: Domain::Wireless,
    });
    there_and_back(&incident());
    there_and_back(&diagnosis());
    let mut result = DiagnosisResult {
        target: "duct:B-1".into(),
        confirmed: true,
        root_cause: Some(id("duct:B-1")),
        cause: Some(Cause::DuctCut),
        evidence: vec!["reading \"quoted\"\nsecond line".into()],
        proposal: "p".into(),
        automatic: false,
        location: "l".into(),
    };
    there_and_back(&result);
    (result.root_cause, result.cause, result.confirmed) = (None, None, false);
    there_and_back(&result);
    there_and_back(&Repair {
        ticket_id: "TT-1".into(),
        element: id("duct:B-1"),
        cause: Cause::DuctCut,
        place: "Bonn".into(),
        affected_sites: BTreeSet::from([id("site:b1"), id("site:b2")]),
        proposal: "p".into(),
        evidence: vec!["e".into()],
    });
    there_and_back(&RepairResult {
        ticket_id: "TT-1".into(),
        repaired: true,
        element: id("duct:B-1"),
        finding: "f".into(),
    });
    there_and_back(&Guidance {
        question: "what now?".into(),
        element: id("duct:B-1"),
        cause: Cause::DuctCut,
    });
    there_and_back(&GuidanceResult {
        answer: "a".into(),
        steps: vec!["s".into()],
        element: id("duct:B-1"),
        alarms: vec![],
    });
    let sites = BTreeSet::from([id("site:b1")]);
    there_and_back(&Verification {
        sites: sites.clone(),
    });
    there_and_back(&VerificationResult {
        restored: sites,
        still_out: BTreeSet::new(),
    });
}

fn problems<S: Schema + Debug>(values: Value) -> String {
    match S::from_payload(&Payload::new(S::ID, values)).unwrap_err() {
        Unreadable::Keys(problems) => {
            let line = |p: &Problem| format!("{} {}: {:?}", p.path, p.expected, p.found);
            problems.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[test]
fn all_that_is_wrong_is_named_at_once() {
    insta::assert_snapshot!(problems::<Diagnosis>(json!({})), @r"
    incident_ids a list of texts: None
    target a text: None
    suspected_cause a cause: None
    alternatives a list of objects: None
    sites a list of texts: None
    since a date and time with zone: None
    ");
    let mut values = diagnosis().values();
    values["suspected_cause"] = json!("gremlins");
    values["alternatives"] = json!([{ "target": 7, "suspected_cause": "duct-cut" }, 8]);
    values["sites"] = json!(["site:a", 9]);
    values["since"] = json!("yesterday");
    insta::assert_snapshot!(problems::<Diagnosis>(values), @r#"
    suspected_cause a cause: Some("\"gremlins\"")
    alternatives/0/target a text: Some("7")
    alternatives/1 an object: Some("8")
    sites a list of texts: Some("[\"site:a\",9]")
    since a date and time with zone: Some("\"yesterday\"")
    "#);
    let other = Payload::new("fault_diagnosis_v2", json!({}));
    assert!(matches!(
        Diagnosis::from_payload(&other),
        Err(Unreadable::OtherSchema { .. })
    ));
}

#[test]
fn what_lacks_is_asked_for_and_what_is_wrong_is_refused() {
    let reply = |values| {
        let payload = Payload::new(Diagnosis::ID, values);
        Diagnosis::from_payload(&payload)
            .unwrap_err()
            .reply("duct:B-1")
    };
    let mut values = diagnosis().values();
    values.as_object_mut().unwrap().remove("target");
    let lacking = reply(values.clone());
    assert_eq!(lacking.verdict, Verdict::InputRequired);
    assert_eq!(lacking.reasons[0].path, "target");
    values["since"] = json!(12);
    let wrong = reply(values);
    assert_eq!(wrong.verdict, Verdict::Refused);
    assert_eq!(wrong.reasons.len(), 2);
}

proptest! {
    #[test]
    fn incidents_of_any_shape_come_back(
        names in proptest::collection::vec("[a-z]{1,6}:[A-Za-z0-9/-]{1,9}", 0..6),
        seconds in -9_000i64..9_000,
        cleared: bool,
    ) {
        let mut incident = incident();
        incident.resources = names.iter().map(|n| id(n)).collect();
        incident.alarms = names
            .iter()
            .map(|n| Sighting { resource: id(n), ..sighting(seconds) })
            .collect();
        incident.cleared = cleared;
        there_and_back(&incident);
    }
}
