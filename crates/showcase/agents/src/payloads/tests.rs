//! Every payload reads what it writes, and names all that is wrong with what it cannot read.

#![allow(clippy::unwrap_used)]

use super::compensation::{
    Compensation, CompensationAction, CompensationResult, CompensationStatus, SavingMeanwhile,
};
use super::complaint::{ComplaintBoundary, ComplaintResult, ServiceComplaint, TicketResult};
use super::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use super::incident::{Incident, IncidentAlarm, IncidentOrder};
use super::intent::{Intent, IntentAction, IntentOrder, IntentResult, IntentStatus};
use super::quality::{Quality, QualityCheck, QualityResult};
use super::repair::{Guidance, GuidanceResult, Repair, RepairDecision, RepairResult};
use super::saving::{SavingAction, SavingOrder, SavingResult, SavingStatus};
use super::ticket::{TicketKind, TicketOrder, TicketSeverity, TicketStatus, TroubleTicket};
use super::verification::{VerificationOrder, VerificationResult};
use super::*;
use crate::bench::{at, id};
use crate::complaints::reader::matter::ReadSymptom;
use domain::cause::Cause;
use domain::inventory::Domain;
use domain::telemetry::{AlarmType, Severity};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Debug;

mod forms;

/// Asserts what every payload of ours is: accepted by the contract of its schema, without a
/// warning, and in canonical form already.
pub(crate) fn lawful(payload: &Payload) {
    let accepted = contract(&payload.schema_id)
        .accept(payload.values.clone(), Unknown::Reject)
        .unwrap_or_else(|all| panic!("{}: {all:?}", payload.to_json()));
    assert_eq!(accepted.values, payload.values);
    assert!(accepted.warnings.is_empty(), "{:?}", accepted.warnings);
}

/// Asserts that a payload is lawful and reads what it writes, through the text of a message as on the
/// wire.
pub(crate) fn there_and_back<S: Schema + PartialEq + Debug>(value: &S) {
    let sent = Content::new("t", "d").with_payload(value.to_payload());
    let read = Content::parse([sent.render().as_str()]).unwrap();
    let payload = read.payload.unwrap();
    lawful(&payload);
    assert_eq!(&S::from_payload(&payload).unwrap(), value);
}

fn sighting(seconds: i64) -> IncidentAlarm {
    IncidentAlarm {
        resource: id("link:B-b1"),
        alarm_type: AlarmType::LossOfSignal,
        qualifier: None,
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
        since: Some(at(5)),
    }
}

/// The reply to a payload of which nothing can be made.
fn reply<S: Schema + Debug>(values: Value) -> Reply {
    let payload = Payload::new(S::ID, values);
    S::from_payload(&payload).unwrap_err().reply("duct:B-1")
}

fn told(reply: &Reply) -> String {
    let line = |r: &Reason| format!("{} {}: {}", r.reason, r.path, r.message);
    let reasons = reply.reasons.iter().map(line);
    std::iter::once(reply.verdict.as_str().to_owned())
        .chain(reasons)
        .collect::<Vec<_>>()
        .join("\n")
}

/// D15, D17: a server validates, and tells all that is wrong at once.
#[test]
fn all_that_is_wrong_is_named_at_once() {
    insta::assert_snapshot!(told(&reply::<Repair>(json!({ "ticket_id": "TT-1" }))), @r"
    input-required
    missing element: needed: string matching (router|card|link|duct|site|zone|optic|cell):[^ ]+
    missing cause: needed: string, one of: fibre-cut, duct-cut, card-failure, router-failure, mains-failure, optical-module-ageing, cell-hardware-failure, misconfiguration, interference, congestion, interface-down, packet-loss, bandwidth-too-low, queue-too-short, wrong-metric, area-mismatch, mtu-mismatch, timer-mismatch, passive-interface, routing-process-down, prefix-filtered, duplicate-address, black-hole
    ");
    let mut values = diagnosis().values();
    values["suspected_cause"] = json!("gremlins");
    values["alternatives"] = json!([{ "target": 7, "suspected_cause": "duct-cut" }, 8]);
    values["sites"] = json!(["site:a", 9]);
    values["since"] = json!("yesterday");
    values["colour"] = json!("red");
    insta::assert_snapshot!(told(&reply::<Diagnosis>(values)), @r#"
    refused
    enum suspected_cause: needed: string, one of: fibre-cut, duct-cut, card-failure, router-failure, mains-failure, optical-module-ageing, cell-hardware-failure, misconfiguration, interference, congestion, interface-down, packet-loss, bandwidth-too-low, queue-too-short, wrong-metric, area-mismatch, mtu-mismatch, timer-mismatch, passive-interface, routing-process-down, prefix-filtered, duplicate-address, black-hole; found: "gremlins"
    type alternatives/0/target: needed: string matching (router|card|link|duct|site|zone|optic|cell):[^ ]+; found: 7
    type alternatives/1: needed: object; found: 8
    type sites/1: needed: string matching site:[^ ]+; found: 9
    format since: needed: string that is a date and time with zone such as 2026-05-04T14:19:00Z; found: "yesterday"
    unknown colour: needed: key of the schema, or other for what no key covers; found: "red"
    "#);
}

#[test]
fn another_schema_is_refused_with_the_one_that_is_current() {
    let other = Payload::new("fault_diagnosis_v2", json!({}));
    let refused = Diagnosis::from_payload(&other).unwrap_err().reply("t");
    insta::assert_snapshot!(told(&refused), @r"
    refused
    unknown-schema schema_id: fault_diagnosis_v2 is not among the schemas of this agent; current: fault_diagnosis_v1
    ");
    let taken = ["fault_incident_v1", "fault_diagnosis_v1"];
    let among =
        |id| UnreadablePayload::other_schema(&Payload::new(id, json!({})), taken).to_string();
    insta::assert_snapshot!(among("fault_diagnosis_v9"), @r"fault_diagnosis_v9 is not among the schemas of this agent; current: fault_diagnosis_v1");
    insta::assert_snapshot!(among("poetry_v1"), @r"poetry_v1 is not among the schemas of this agent; current: fault_incident_v1, fault_diagnosis_v1");
}

#[test]
fn what_lacks_is_asked_for_and_what_is_wrong_is_refused() {
    let mut values = diagnosis().values();
    values.as_object_mut().unwrap().remove("target");
    let lacking = reply::<Diagnosis>(values.clone());
    assert_eq!(lacking.verdict, Verdict::InputRequired);
    assert_eq!(lacking.reasons[0].path, "target");
    values["since"] = json!(12);
    let wrong = reply::<Diagnosis>(values);
    assert_eq!(wrong.verdict, Verdict::Refused);
    assert_eq!(wrong.reasons.len(), 2);
}

/// D16, D33: what is left out is decided by the agent.
#[test]
fn a_target_alone_is_an_order_to_look_for_the_usual_cause() {
    let order = |values| Diagnosis::from_payload(&Payload::new(Diagnosis::ID, values)).unwrap();
    let least = order(json!({ "target": "card:B/1" }));
    assert_eq!(least, Diagnosis::of(Suspicion::usual(id("card:B/1"))));
    assert_eq!(least.suspicion.cause, Cause::CardFailure);
    // What other programs write for nothing is nothing.
    let wordy = json!({ "target": "card:B/1", "since": null, "sites": [], "alternatives": [] });
    assert_eq!(order(wordy), least);
    // D40: `other` is no obstacle.
    let more = json!({ "target": "card:B/1", "other": ["it is raining", "hurry"] });
    assert_eq!(order(more), least);
}

/// A leap second within a month: RFC 3339 can write it, no calendar has it.
#[test]
fn an_instant_that_never_was_is_refused() {
    let mut values = incident().values();
    values["raised_at"] = json!("2026-05-04T23:59:60Z");
    insta::assert_snapshot!(told(&reply::<Incident>(values)), @r"
    refused
    out-of-reach : the payload names an instant out of reach
    ");
}

/// An outage of a whole network is one incident, and read.
#[test]
fn an_incident_may_name_very_many_elements() {
    let mut incident = incident();
    incident.sites = (0..9_000).map(|n| id(&format!("site:BE-{n:04}"))).collect();
    there_and_back(&incident);
}

/// The order to report and the report are two schemas.
#[test]
fn an_incident_is_no_order() {
    assert!(IncidentOrder::from_payload(&incident().to_payload()).is_err());
    let report = shipped::shipped()
        .into_iter()
        .find(|t| t.schema_id == IncidentOrder::ID)
        .unwrap()
        .response_schema_id;
    assert_eq!(report.as_deref(), Some(Incident::ID));
}

/// The enumerations of the templates are those of the types: what a contract accepts is read.
#[test]
fn templates_and_types_name_the_same_things() {
    let allowed = |schema_id: &str, key: &str| {
        let template = shipped::template(schema_id).unwrap();
        let shape = template.key(key).unwrap().shape.clone();
        let items = shape.constraint.items.map(|i| i.constraint.allowed);
        let values = items.unwrap_or(shape.constraint.allowed);
        let names = values.iter().map(|v| v.as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let causes = Cause::ALL.map(Cause::as_str);
    for (schema_id, key) in [
        (Diagnosis::ID, "suspected_cause"),
        (DiagnosisResult::ID, "cause"),
        (Repair::ID, "cause"),
        (Guidance::ID, "cause"),
        (QualityResult::ID, "cause"),
        (TicketResult::ID, "cause"),
        (ComplaintResult::ID, "cause"),
    ] {
        assert_eq!(allowed(schema_id, key), causes);
    }
    let intents = Intent::ALL.map(Intent::as_str);
    for (schema_id, key) in [
        (IntentOrder::ID, "priorities"),
        (IntentResult::ID, "priorities"),
        (IntentResult::ID, "prevails"),
        (IntentResult::ID, "yields"),
    ] {
        assert_eq!(allowed(schema_id, key), intents);
    }
    for schema_id in [QualityCheck::ID, ServiceComplaint::ID] {
        let symptoms = ReadSymptom::ALL.map(ReadSymptom::as_str);
        assert_eq!(allowed(schema_id, "symptom"), symptoms);
    }
    for schema_id in [TicketResult::ID, ComplaintResult::ID] {
        let boundaries = ComplaintBoundary::ALL.map(ComplaintBoundary::as_str);
        assert_eq!(allowed(schema_id, "boundary"), boundaries);
    }
    for schema_id in [TroubleTicket::ID, TicketOrder::ID] {
        let severities = TicketSeverity::ALL.map(TicketSeverity::as_str);
        assert_eq!(allowed(schema_id, "severity"), severities);
        let status = TicketStatus::ALL.map(TicketStatus::as_str);
        assert_eq!(allowed(schema_id, "status"), status);
    }
    for schema_id in [Compensation::ID, CompensationResult::ID] {
        let savings = SavingMeanwhile::ALL.map(SavingMeanwhile::as_str);
        assert_eq!(allowed(schema_id, "energy_saving"), savings);
    }
    let same = |schema_id: &str, key: &str, names: &[&str]| {
        assert_eq!(allowed(schema_id, key), names, "{schema_id} {key}");
    };
    let types = AlarmType::ALL.map(AlarmType::as_str);
    same(Incident::ID, "probable_cause", &types);
    same(
        Incident::ID,
        "severity",
        &Severity::ALL.map(Severity::as_str),
    );
    let kinds = TicketKind::ALL.map(TicketKind::as_str);
    same(TroubleTicket::ID, "ticket_type", &kinds);
    let actions = CompensationAction::ALL.map(CompensationAction::as_str);
    same(Compensation::ID, "action", &actions);
    let status = CompensationStatus::ALL.map(CompensationStatus::as_str);
    same(CompensationResult::ID, "status", &status);
    let actions = SavingAction::ALL.map(SavingAction::as_str);
    same(SavingOrder::ID, "action", &actions);
    let status = SavingStatus::ALL.map(SavingStatus::as_str);
    same(SavingResult::ID, "status", &status);
    let actions = IntentAction::ALL.map(IntentAction::as_str);
    same(IntentOrder::ID, "action", &actions);
    let status = IntentStatus::ALL.map(IntentStatus::as_str);
    same(IntentResult::ID, "status", &status);
    let mut verdicts = allowed(QualityResult::ID, "verdict");
    verdicts.rotate_right(1);
    assert_eq!(verdicts, Quality::ALL.map(Quality::as_str));
    // Of the domains only those that have incidents are allowed.
    let domains = allowed(Incident::ID, "domain");
    assert!(domains.iter().all(|d| Domain::parse(d).is_some()));
    assert_eq!(allowed(IncidentOrder::ID, "domain"), domains);
}

/// The kinds of elements that templates name are those of the domain.
#[test]
fn templates_know_every_kind_of_element() {
    use domain::inventory::ElementKind::{self, *};
    let kinds = [Router, LineCard, Link, Duct, Site, PowerZone, Optic, Cell];
    let kinds = kinds.map(ElementKind::as_str).join("|");
    let expected = format!("({kinds}):[^ ]+");
    for (schema_id, key) in [
        (Diagnosis::ID, "target"),
        (Repair::ID, "element"),
        (RepairDecision::ID, "element"),
        (Guidance::ID, "element"),
    ] {
        let template = shipped::template(schema_id).unwrap();
        let pattern = template.key(key).unwrap().shape.constraint.pattern.clone();
        let pattern = pattern.map(|p| p.to_string());
        assert_eq!(pattern.as_deref(), Some(expected.as_str()), "{schema_id}");
    }
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
            .map(|n| IncidentAlarm { resource: id(n), ..sighting(seconds) })
            .collect();
        incident.cleared = cleared;
        there_and_back(&incident);
    }
}
