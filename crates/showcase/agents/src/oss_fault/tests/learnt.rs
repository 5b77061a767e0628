//! Alarms that have no name here, where a history taught what follows what.

use super::*;
use crate::bench::briefing;
use crate::knowledge::Knowledge;
use crate::learnt_causes::LearntCauses;
use crate::learnt_causes::tests::graph;

fn learnt() -> Play {
    let knowledge = Knowledge::in_force_with(LearntCauses::of(&graph()));
    let agent = crate::roster::hosted_knowing("oss-fault", &Arc::new(knowledge));
    let mut play = Play {
        agent: agent.unwrap(),
        ..Play::begin()
    };
    play.sent.clear();
    play.wakes.clear();
    play.input(Input::Started(briefing("oss-fault", vec![])), 0);
    for _ in 0..2 {
        let (token, message) = play.next();
        play.standing.push(message.task);
        play.reply(token, Reply::accepted(), 1);
    }
    play
}

fn named(alarms: &[(&str, &str, i64)]) -> Content {
    let alarms = alarms.iter().map(|(resource, name, s)| IncidentAlarm {
        resource: id(resource),
        alarm_type: AlarmType::Unknown,
        qualifier: Some((*name).to_owned()),
        time: at(*s),
    });
    let alarms: Vec<IncidentAlarm> = alarms.collect();
    let incident = Incident {
        incident_id: "i".into(),
        domain: Domain::Ip,
        probable_cause: AlarmType::Unknown,
        severity: Severity::Critical,
        raised_at: at(1),
        cleared: false,
        resources: BTreeSet::new(),
        sites: BTreeSet::new(),
        alarm_count: alarms.len() as u64,
        first_alarm: alarms[0].clone(),
        alarms,
    };
    Content::new("i", "incident").with_payload(incident.to_payload())
}

/// The link that explains most is diagnosed like any other suspicion, and the case is over when its
/// alarms are.
#[test]
fn the_origin_of_alarms_without_a_name_is_diagnosed() {
    let mut play = learnt();
    let task = play.standing.last().unwrap().clone();
    let alarms = [
        ("link:B-b5", "DARK", 10),
        ("site:b5", "GONE", 30),
        ("card:C/1", "HOT", 35),
    ];
    let told = named(&alarms);
    play.notify(&task, "TMF-ip-fault", Status::Processing, told, 40);
    play.pass_until(2_000);
    let (token, feasible) = play.next();
    let diagnosis = Diagnosis::in_content(&feasible.content).unwrap();
    assert_eq!(diagnosis.suspicion.target, id("link:B-b5"));
    assert_eq!(diagnosis.suspicion.cause, Cause::FibreCut);
    assert_eq!(diagnosis.sites, [id("site:b5")].into());
    assert_eq!(diagnosis.since, Some(at(10)));
    play.reply(token, Reply::accepted(), 2_000);
    let (_, assigned) = play.next();
    assert_eq!(assigned.verb, Verb::TaskAssign);
}

/// Where nobody diagnoses it, the case is people's for as long as its alarms stand, and no longer.
#[test]
fn a_case_of_alarms_without_a_name_that_needs_people_is_over_when_its_alarms_are() {
    let mut play = learnt();
    let task = play.standing.last().unwrap().clone();
    let alarms = [("link:B-b5", "DARK", 10), ("site:b5", "GONE", 30)];
    let told = named(&alarms);
    play.notify(&task, "TMF-ip-fault", Status::Processing, told, 40);
    let refused = |play: &mut Play, until: i64| {
        for s in (0..until).step_by(100) {
            play.pass_until(s);
            while !play.sent.is_empty() {
                let (token, message) = play.next();
                let reply = match message.verb {
                    Verb::FeasibilityNegotiate => Reply::refused("busy", "target", "not now"),
                    _ => Reply::accepted(),
                };
                play.reply(token, reply, s);
            }
        }
    };
    let said = |play: &Play, words: &str| play.notes.iter().any(|note| note.contains(words));
    refused(&mut play, 10_000);
    assert!(said(&play, "needs people"), "{:?}", play.notes);
    assert!(said(&play, "is put to the test again"), "{:?}", play.notes);
    assert!(!said(&play, "have cleared"), "{:?}", play.notes);
    let over = super::at_scale::cleared("i", Domain::Ip);
    play.notify(&task, "TMF-ip-fault", Status::Processing, over, 10_010);
    refused(&mut play, 40_000);
    assert!(said(&play, "have cleared"), "{:?}", play.notes);
}

/// Without anything learnt they are kept and say nothing, as before.
#[test]
fn without_a_history_they_open_no_case() {
    let (mut play, _, ip) = watching();
    let told = named(&[("link:B-b5", "DARK", 10), ("site:b5", "GONE", 30)]);
    play.notify(&ip, "TMF-ip-fault", Status::Processing, told, 40);
    play.pass_until(20_000);
    assert!(play.sent.is_empty(), "{:?}", play.sent);
}
