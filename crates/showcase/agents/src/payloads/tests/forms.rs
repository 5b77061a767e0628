//! The written form of every payload, to the byte, and what is made of those that others write.
//!
//! Agents of other vendors read and write these: a form changes only with the version of its schema.
//! Read next: [`crate::payloads`].

use super::*;
use crate::complaints::reader::when::TimeSpan;
use crate::payloads::compensation::Helper;
use crate::payloads::complaint::{ComplaintTicket, SubTicket};
use crate::payloads::intent::{IntentPolicy, Party};
use crate::payloads::quality::{ProvinceEntry, ProvinceExit};
use crate::payloads::ticket::{RelatedEntities, TicketRelationship};
use domain::inventory::ElementId;

/// What was written before the types derived serde.
const FORMS: &str = include_str!("forms.txt");

/// A payload that reads what it writes.
fn written<S: Schema + PartialEq + Debug>(payload: S) -> String {
    there_and_back(&payload);
    one_way(payload)
}

/// A payload that does not come back as it was: figures are rounded, not all is said, or no contract
/// accepts it.
fn one_way<S: Schema>(payload: S) -> String {
    payload.to_payload().to_json()
}

/// A payload as others write it, read and written again.
fn again<S: Schema>(values: Value) -> String {
    let read = S::from_payload(&Payload::new(S::ID, values));
    read.map_or_else(|e| format!("{}: {e}", S::ID), one_way)
}

fn sites() -> BTreeSet<ElementId> {
    BTreeSet::from([id("site:b2"), id("site:b1")])
}

fn policy() -> IntentPolicy {
    IntentPolicy {
        priorities: vec![Intent::Experience, Intent::Energy],
        min_throughput_mbps: Some(2.000_49),
        max_load_percent: Some(50),
        saving_target_percent: Some(5.0),
        duration_minutes: Some(240),
    }
}

fn ticket_result() -> TicketResult {
    TicketResult {
        ticket_id: "C-1".into(),
        in_progress: true,
        boundary: ComplaintBoundary::OwnDomain,
        responsible: Some("IP".into()),
        element: Some(id("duct:B-1")),
        cause: Some(Cause::DuctCut),
        forwarded_to: Some("North".into()),
        sub_tickets: vec![SubTicket {
            ticket_id: "t-1".into(),
            domain: "IP".into(),
            description: "d".into(),
        }],
        answer: "a".into(),
        chinese: true,
        resolved_at: Some(at(9)),
    }
}

fn faults() -> Vec<String> {
    vec![
        written(IncidentOrder {
            domain: Domain::Wireless,
        }),
        written(incident()),
        written(Incident {
            resources: BTreeSet::new(),
            sites: BTreeSet::new(),
            alarms: Vec::new(),
            ..incident()
        }),
        written(diagnosis()),
        written(Diagnosis::of(Suspicion::usual(id("card:B/1")))),
        written(DiagnosisResult {
            target: "duct:B-1".into(),
            confirmed: true,
            root_cause: Some(id("duct:B-1")),
            cause: Some(Cause::DuctCut),
            evidence: vec!["reading \"quoted\"\nsecond line".into()],
            proposal: "p".into(),
            automatic: true,
            location: "l".into(),
        }),
        written(DiagnosisResult::default()),
        written(VerificationOrder { sites: sites() }),
        written(VerificationResult {
            restored: sites(),
            still_out: BTreeSet::new(),
        }),
        again::<IncidentOrder>(json!({ "domain": "IP", "other": "hurry" })),
        again::<IncidentOrder>(json!({ "domain": "ip" })),
        again::<IncidentOrder>(json!({ "domain": "Business" })),
        again::<Diagnosis>(json!({
            "target": "site:b1", "suspected_cause": null, "sites": [], "alternatives": null,
            "since": "2026-05-04t14:19:00.5+02:00", "other": ["it is raining", "hurry"],
        })),
        again::<Diagnosis>(json!({ "target": "site:b1", "since": "2026-05-04T23:59:60Z" })),
        again::<DiagnosisResult>(json!({
            "target": "", "confirmed": false, "proposal": "", "automatic": false, "location": "",
        })),
    ]
}

fn repairs() -> Vec<String> {
    let repair = Repair {
        ticket_id: "TT-1".into(),
        element: id("duct:B-1"),
        cause: Cause::DuctCut,
        place: "Bonn".into(),
        affected_sites: sites(),
        proposal: "p".into(),
        evidence: vec!["e".into()],
    };
    let decision = RepairDecision {
        ticket_id: "TT-1".into(),
        element: id("duct:B-1"),
        way: "splice".into(),
        crew: "c".into(),
        spares: vec!["s".into()],
        order_of_work: vec!["dig".into(), "splice".into()],
    };
    vec![
        written(repair),
        written(decision),
        written(RepairResult {
            ticket_id: "TT-1".into(),
            repaired: true,
            element: id("duct:B-1"),
            finding: "f".into(),
        }),
        written(GuidanceResult {
            answer: String::new(),
            steps: vec!["s".into()],
            element: id("duct:B-1"),
            alarms: vec!["a".into()],
        }),
        again::<Repair>(json!({
            "ticket_id": "TT-1", "element": "duct:B-1", "cause": "duct-cut", "place": "",
        })),
        again::<RepairDecision>(json!({
            "ticket_id": "", "element": "duct:B-1", "way": "", "crew": "", "spares": [],
        })),
        again::<RepairResult>(json!({ "ticket_id": "", "repaired": false, "element": "x" })),
        again::<Guidance>(json!({ "question": "?", "element": "duct:B-1", "cause": "fibre-cut" })),
        again::<GuidanceResult>(json!({ "answer": "a", "element": "x", "alarms": null })),
    ]
}

fn tickets() -> Vec<String> {
    vec![
        written(TicketOrder::of(TicketKind::Complaint)),
        written(TicketOrder {
            ticket_id: Some("TT-1".into()),
            external_id: "case-1".into(),
            name: "n".into(),
            severity: TicketSeverity::Critical,
            status: Some(TicketStatus::InProgress),
            reason: "r".into(),
            related: RelatedEntities {
                suspected: vec![id("duct:B-1"), id("card:B/1")],
                affected: sites(),
            },
            parties: vec!["p".into()],
            notes: vec!["n".into()],
            ..TicketOrder::of(TicketKind::Escalation)
        }),
        written(TroubleTicket {
            ticket_id: "TT-1".into(),
            external_id: String::new(),
            kind: TicketKind::Repair,
            name: "n".into(),
            severity: TicketSeverity::Minor,
            status: TicketStatus::Held,
            reason: "r".into(),
            created_at: at(1),
            changed_at: at(2),
            related: RelatedEntities {
                suspected: vec![id("duct:B-1")],
                affected: sites(),
            },
            parties: vec!["p".into()],
            notes: vec!["n".into()],
            beside: ["TT-3", "TT-2"]
                .map(|number| TicketRelationship {
                    ticket_id: number.into(),
                })
                .into(),
        }),
        again::<TicketOrder>(json!({})),
        again::<TicketOrder>(json!({
            "ticket_type": "complaint", "severity": "minor", "external_id": "",
            "related_entity": [
                { "id": "site:b2", "relation": "affected" },
                { "id": "card:B/1", "relation": "suspected" },
                { "id": "site:b1", "relation": "affected" },
            ],
        })),
        again::<TroubleTicket>(json!({
            "ticket_id": "1", "ticket_type": "repair", "severity": "major", "status": "closed",
            "created_at": "2026-05-04T14:19:00Z", "status_changed_at": "2026-05-04T14:19:01Z",
            "trouble_ticket_relationship": [{ "ticket_id": "2", "relation": "twin" }],
        })),
    ]
}

fn complaints() -> Vec<String> {
    let ticket = ComplaintTicket {
        ticket_id: "C-1".into(),
        text: "t".into(),
        chinese: true,
        received_at: at(3),
        manufacturer: "Halvern".into(),
        answer: "near Kassel".into(),
        unanswered: true,
        forwarded_from: Some("North".into()),
    };
    vec![
        written(ticket),
        written(ServiceComplaint {
            symptom: ReadSymptom::SlowData,
            place: "Bonn".into(),
            started_at: Some(at(4)),
            vehicle: Some("WAUZZZ8V5KA012345".into()),
            moved_to: Some("Kassel".into()),
            complaint_id: "9".into(),
            manufacturer: "Halvern".into(),
        }),
        written(ticket_result()),
        one_way(ComplaintResult(ticket_result())),
        again::<ComplaintTicket>(json!({
            "ticket_id": "C-1", "text": "", "language": "en", "manufacturer": "",
            "received_at": "2026-05-04T14:19:00Z", "unanswered": false,
        })),
        again::<ServiceComplaint>(json!({
            "symptom": "no_service", "place": "Bonn", "severity": "critical", "affected_count": 3,
        })),
        again::<TicketResult>(json!({
            "ticket_id": "C-1", "status": "closed", "boundary": "coverage", "answer": "",
            "language": "en", "sub_tickets": [{ "ticket_id": "t", "domain": "IP" }],
        })),
        again::<ComplaintResult>(json!({
            "ticket_id": "C-1", "status": "in_progress", "boundary": "unknown",
        })),
        again::<ComplaintResult>(json!({ "ticket_id": "C-1", "status": "closed" })),
    ]
}

fn quality() -> Vec<String> {
    vec![
        written(QualityCheck {
            ticket_id: "C-1".into(),
            vehicle: Some("WAUZZZ8V5KA012345".into()),
            place: Some("Bonn".into()),
            sites: sites(),
            when: TimeSpan {
                from: at(1),
                until: at(2),
            },
            symptom: Some(ReadSymptom::WeakSignal),
        }),
        written(QualityResult {
            quality: Quality::Degraded,
            element: Some(id("site:b1")),
            cause: Some(Cause::Congestion),
            since: Some(at(1)),
            until: Some(at(2)),
            weak_coverage: true,
            sites: sites(),
            present: true,
            left_to: Some(ProvinceExit {
                province: "North".into(),
                at: at(3),
            }),
            came_from: Some(ProvinceEntry {
                province: "South".into(),
                at: at(4),
            }),
            evidence: vec!["e".into()],
        }),
        written(QualityResult::default()),
        // The end of a span is not before its begin.
        again::<QualityCheck>(json!({
            "ticket_id": "C-1", "from": "2026-05-04T14:19:00Z", "until": "2026-05-04T14:18:00Z",
        })),
        again::<QualityResult>(json!({
            "verdict": "good", "weak_coverage": false, "left_to": "North",
            "came_from": "South", "came_at": "2026-05-04T14:19:00Z",
        })),
    ]
}

fn intents() -> Vec<String> {
    let compensation = Compensation {
        action: CompensationAction::Adjust,
        sites: sites(),
        lost_cells: BTreeSet::from([id("cell:s0/1")]),
        neighbour_cells: BTreeSet::from([id("cell:s1/1")]),
        method: Some("raise_power".into()),
        power_offset_db: Some(4.5),
        min_throughput_mbps: Some(2.0),
        energy_saving: SavingMeanwhile::Reduce,
        duration_minutes: Some(240),
        incident_id: Some("i".into()),
    };
    let saving = SavingOrder {
        action: SavingAction::Suspend,
        area: "site:s0".into(),
        cells: BTreeSet::from([id("cell:s0/2")]),
        saving_target_percent: Some(7.123_456),
        duration_minutes: Some(60),
        max_load_percent: Some(40),
        min_throughput_mbps: Some(f64::NAN),
        degradation_allowed: true,
        incident_id: Some("i".into()),
        ruling: Some("r".into()),
    };
    let helper = |cell, power_offset_db| Helper {
        cell: id(cell),
        power_offset_db,
    };
    let party = |intent, loss_mbps| Party {
        intent,
        wants: "w".into(),
        loss_mbps,
        loss_kwh: -0.0001,
    };
    vec![
        written(compensation),
        one_way(Compensation::default()),
        one_way(CompensationResult {
            status: CompensationStatus::Adjusted,
            sites: sites(),
            cells: vec![helper("cell:s1/1", 6.0), helper("cell:s1/2", 0.000_4)],
            users_served_percent: Some(61.5),
            throughput_mbps: Some(2.25),
            throughput_before_mbps: Some(f64::INFINITY),
            energy_saving: Some(SavingMeanwhile::Suspend),
            extra_energy_kwh: Some(1e18),
            effective_at: Some(at(5)),
            reason: Some(String::new()),
        }),
        one_way(saving),
        written(SavingOrder::default()),
        one_way(SavingResult {
            status: SavingStatus::Impossible,
            area: "Bonn".into(),
            cells_saving: Some(3),
            cells_total: Some(9),
            saving_percent: Some(-0.5),
            energy_kwh: Some(10.0),
            baseline_kwh: Some(9.9999),
            throughput_mbps: Some(2.0),
            effective_at: Some(at(7)),
            reason: Some("r".into()),
        }),
        one_way(IntentOrder {
            action: IntentAction::Set,
            area: Some("site:s0".into()),
            incident_id: Some("i".into()),
            parties: vec![party(Intent::Fault, 12.5), party(Intent::Energy, f64::NAN)],
            policy: policy(),
        }),
        written(IntentOrder::default()),
        one_way(IntentResult {
            status: IntentStatus::InForce,
            prevails: Some(Intent::Fault),
            yields: vec![Intent::Energy],
            policy: policy(),
            reason: Some("r".into()),
        }),
        again::<Compensation>(json!({
            "sites": ["site:b1"], "power_offset_db": 3, "min_rsrp_dbm": -110,
        })),
        again::<CompensationResult>(json!({
            "status": "compensating", "cells": [{ "cell": "c" }], "effective_at": null,
        })),
        again::<SavingOrder>(json!({
            "area": "", "technique": "deep_sleep", "duration_minutes": 60.0, "start_time": "01:00",
        })),
        again::<SavingResult>(json!({ "status": "active", "area": "" })),
        again::<IntentOrder>(json!({ "parties": [{ "intent": "energy" }], "priorities": null })),
        again::<IntentResult>(json!({ "status": "decided", "max_load_percent": 50 })),
    ]
}

#[test]
fn forms_stay_what_they_are() {
    let forms = [
        faults(),
        repairs(),
        tickets(),
        complaints(),
        quality(),
        intents(),
    ];
    assert_eq!(forms.concat().join("\n") + "\n", FORMS);
}

/// The contract lets pass a time that never was: the alarm that has it is left out, not its incident.
#[test]
fn an_alarm_of_no_instant_is_left_out_of_its_incident() {
    let mut payload = incident().to_payload();
    let alarms = payload
        .values
        .get_mut("alarms")
        .and_then(Value::as_array_mut);
    let alarms = alarms.unwrap();
    let mut odd = alarms[0].clone();
    odd["time"] = json!("2026-05-04T23:59:60Z");
    alarms.push(odd);
    assert_eq!(Incident::from_payload(&payload).unwrap(), incident());
}
