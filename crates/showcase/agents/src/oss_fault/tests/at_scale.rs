//! W1 at scale: faults that hide others, warnings, cases that need people, small cases left alone.

use super::*;
use crate::knowledge::Knowledge;
use crate::payloads::ticket::TicketKind;

pub(super) fn cleared(name: &str, domain: Domain) -> Content {
    let content = incident(name, domain, &[("site:b1", AlarmType::SiteUnreachable, 1)]);
    let mut incident = Incident::in_content(&content).unwrap();
    incident.cleared = true;
    incident.alarms.clear();
    Content::new(name, "over").with_payload(incident.to_payload())
}

pub(super) fn suspected_in(message: &Message) -> (String, Cause) {
    let suspicion = Diagnosis::in_content(&message.content).unwrap().suspicion;
    (suspicion.target.to_string(), suspicion.cause)
}

/// Feasible, assigned, confirmed, accepted: up to the ticket, which is taken.
pub(super) fn located(play: &mut Play, root: (&str, Cause), s: i64) -> Message {
    let (token, feasible) = play.next();
    assert_eq!(suspected_in(&feasible), (root.0.to_owned(), root.1));
    play.reply(token, Reply::accepted(), s);
    let (token, _) = play.next();
    play.reply(token, Reply::accepted(), s + 1);
    let from = feasible.to.clone();
    let judged = Status::InputRequired;
    play.notify(&feasible.task, &from, judged, found(Some(root)), s + 60);
    play.next();
    let (token, ticket) = play.next();
    play.reply(token, Reply::accepted(), s + 61);
    ticket
}

/// Answers verifications until none is asked any more: these sites are still out.
fn verified(play: &mut Play, still_out: &[&str], mut s: i64, most: usize) -> i64 {
    for _ in 0..most {
        let asked = |(_, m): &(Token, Message)| VerificationOrder::in_content(&m.content).is_some();
        let Some(at) = play.sent.iter().position(asked) else {
            break;
        };
        let (token, ask) = play.sent.remove(at);
        play.reply(token, verification(&ask, still_out), s);
        s += 60;
        play.pass_until(s);
    }
    s
}

const RING: [(&str, AlarmType, i64); 8] = [
    ("site:b1", AlarmType::SiteUnreachable, 80),
    ("site:b1", AlarmType::CellsOutOfService, 80),
    ("site:b2", AlarmType::SiteUnreachable, 80),
    ("site:b2", AlarmType::CellsOutOfService, 81),
    ("site:b3", AlarmType::SiteUnreachable, 80),
    ("site:b3", AlarmType::CellsOutOfService, 82),
    ("site:b4", AlarmType::SiteUnreachable, 80),
    ("site:b4", AlarmType::CellsOutOfService, 83),
];

/// W1: a router that died hides the cut behind it. When it is repaired, the rest is explained and
/// diagnosed anew, and the ticket is closed with the sites that are back.
#[test]
fn what_a_repair_leaves_out_of_service_is_another_fault_that_it_hid() {
    use AlarmType::*;
    let (mut play, wireless, ip) = watching();
    let mut out = RING.to_vec();
    out.extend([
        ("site:b5", SiteUnreachable, 85),
        ("site:b5", CellsOutOfService, 85),
        ("site:b6", SiteUnreachable, 85),
        ("site:b6", CellsOutOfService, 86),
    ]);
    let dead = [
        ("router:B", NodeUnreachable, 70),
        ("link:A-B", LossOfSignal, 1),
        ("link:B-C", LossOfSignal, 1),
        ("link:A-B", LinkDown, 6),
        ("link:B-C", LinkDown, 6),
    ];
    tell(&mut play, &ip, Domain::Ip, "i", &dead, 100);
    tell(&mut play, &wireless, Domain::Wireless, "w", &out, 130);
    play.pass_until(260);
    let ticket = located(&mut play, ("router:B", Cause::RouterFailure), 261);

    // Two hours later the router is back; b5 and b6 come back with it, the ring does not: its light
    // is missed now that somebody is there to miss it.
    let behind = [
        ("link:B-b1", LossOfSignal, 7_210),
        ("link:B-b2", LossOfSignal, 7_210),
        ("link:B-b1", LinkDown, 7_216),
        ("link:B-b2", LinkDown, 7_216),
    ];
    repaired(&mut play, &ticket, 7_200);
    tell(&mut play, &ip, Domain::Ip, "i", &behind, 7_260);
    tell(&mut play, &wireless, Domain::Wireless, "w", &RING, 7_300);
    let ring = ["site:b1", "site:b2", "site:b3", "site:b4"];
    let s = verified(&mut play, &ring, 7_301, 20);
    let closed = |n: &&String| n.contains("Case 1 is closed: service is back at 2 sites; 4 more");
    assert!(play.notes.iter().any(|n| closed(&n)), "{:?}", play.notes);
    let judged = |(_, m): &(Token, Message)| m.task == ticket.task;
    let at = play.sent.iter().position(judged).unwrap();
    let (_, accepted) = play.sent.remove(at);
    assert_eq!(accepted.content.result.as_deref(), Some("accept"));

    play.pass_until(s + 300);
    let ticket = located(&mut play, ("duct:B-1", Cause::DuctCut), s + 301);
    assert_eq!(
        Repair::in_content(&ticket.content)
            .unwrap()
            .affected_sites
            .len(),
        4
    );
}

/// The same without any site that is back and nothing new: the repair is doubted, not believed.
#[test]
fn a_repair_that_changes_nothing_is_rejected_and_not_explained_away() {
    let (mut play, wireless, ip) = watching();
    use AlarmType::*;
    let dark = [
        ("link:B-b1", LossOfSignal, 1),
        ("link:B-b2", LossOfSignal, 1),
        ("link:B-b1", LinkDown, 6),
        ("link:B-b2", LinkDown, 6),
    ];
    tell(&mut play, &ip, Domain::Ip, "i", &dark, 40);
    tell(&mut play, &wireless, Domain::Wireless, "w", &RING, 130);
    play.pass_until(260);
    let ticket = located(&mut play, ("duct:B-1", Cause::DuctCut), 261);
    repaired(&mut play, &ticket, 7_200);
    let ring = ["site:b1", "site:b2", "site:b3", "site:b4"];
    verified(&mut play, &ring, 7_201, 60);
    let (_, judged) = play.next();
    let verdict = judged.content.result.unwrap();
    assert!(
        verdict.starts_with("reject\n- site:b1 is still out"),
        "{verdict}"
    );
}

/// A cut duct and a dead zone that share a site: two cases, each with its own diagnosis.
#[test]
fn several_faults_at_once_are_several_cases() {
    use AlarmType::*;
    let (mut play, wireless, ip) = watching();
    let mut out = RING.to_vec();
    out.extend([
        ("site:b5", MainsFailure, 21),
        ("site:b2", MainsFailure, 21),
        ("site:b5", SiteUnreachable, 300),
        ("site:b5", CellsOutOfService, 300),
    ]);
    let dark = [
        ("link:B-b1", LossOfSignal, 1),
        ("link:B-b2", LossOfSignal, 1),
        ("link:B-b1", LinkDown, 6),
        ("link:B-b2", LinkDown, 6),
    ];
    tell(&mut play, &ip, Domain::Ip, "i", &dark, 40);
    tell(&mut play, &wireless, Domain::Wireless, "w", &out, 330);
    play.pass_until(1_400);
    let asked: BTreeSet<String> = play.sent.iter().map(|(_, m)| suspected_in(m).0).collect();
    let expected = ["duct:B-1", "zone:b"].map(str::to_owned);
    assert_eq!(asked, expected.into());
}

/// Issue 5, 3: an escalated case is kept as a ticket for people, tried again, and withdrawn when it
/// is over.
#[test]
fn an_escalated_case_is_a_ticket_tried_again_and_withdrawn_in_the_end() {
    let (mut play, token, _) = suspected();
    // Nobody agrees to diagnose anything.
    let mut refuse = Some(token);
    let mut rounds = 0;
    let escalation = loop {
        if let Some(token) = refuse.take() {
            play.reply(token, Reply::refused("busy", "", "no"), 270 + rounds);
        }
        let (token, message) = play.next();
        if let Some(order) = TicketOrder::in_content(&message.content) {
            assert_eq!(order.kind, TicketKind::Escalation);
            assert_eq!(order.related.affected.len(), 3);
            assert!(order.related.suspected.contains(&id("duct:B-1")));
            play.reply(token, Reply::accepted(), 290);
            break message;
        }
        rounds += 1;
        refuse = Some(token);
    };
    assert_eq!(escalation.to, "TMF-trouble-ticket");
    assert_eq!(escalation.verb, Verb::TaskAssign);
    assert!(escalation.conditions.deadline.is_some(), "every task ends");
    assert!(play.notes.iter().any(|n| n.contains("needs people")));
    play.sent.clear();
    // An hour later it is put to the test again.
    play.pass_until(290 + 3_700);
    let (token, again) = play.next();
    assert_eq!(suspected_in(&again).0, "duct:B-1");
    play.reply(token, Reply::refused("busy", "", "no"), 4_000);
    // Its alarms clear: the ticket is withdrawn.
    let tasks: Vec<TaskId> = play.standing.clone();
    for (task, name, domain, from) in [
        (&tasks[0], "w", Domain::Wireless, "TMF-wireless-fault"),
        (&tasks[1], "i", Domain::Ip, "TMF-ip-fault"),
    ] {
        let over = cleared(name, domain);
        play.notify(task, from, Status::Processing, over, 4_100);
    }
    let refuse_all = |play: &mut Play| {
        while let Some(at) = play
            .sent
            .iter()
            .position(|(_, m)| m.verb == Verb::FeasibilityNegotiate)
        {
            let (token, _) = play.sent.remove(at);
            play.reply(token, Reply::refused("busy", "", "no"), 4_110);
        }
    };
    refuse_all(&mut play);
    play.pass_until(20_000);
    let cancelled = play.sent.iter().find(|(_, m)| m.verb == Verb::TaskCancel);
    assert_eq!(
        cancelled.map(|(_, m)| &m.task),
        Some(&escalation.task),
        "{:?}",
        play.notes
    );
}

/// A single site is the wireless domain's own, or mends itself, for as long as such things last.
#[test]
fn a_single_site_is_left_to_its_domain_until_it_has_lasted() {
    use AlarmType::*;
    let lasts = Knowledge::in_force().lasts_s(LinkDown) as i64;
    assert!((1_800..7_200).contains(&lasts));
    let (mut play, wireless, ip) = watching();
    let dark = [("link:B-b5", LossOfSignal, 1), ("link:B-b5", LinkDown, 5)];
    let out = [
        ("site:b5", SiteUnreachable, 80),
        ("site:b5", CellsOutOfService, 80),
    ];
    tell(&mut play, &ip, Domain::Ip, "i", &dark, 40);
    tell(&mut play, &wireless, Domain::Wireless, "w", &out, 120);
    play.pass_until(lasts);
    assert!(play.sent.is_empty(), "too early: {:?}", play.sent);
    play.pass_until(lasts + 300);
    let (_, feasible) = play.next();
    assert_eq!(suspected_in(&feasible).0, "link:B-b5");
}

/// A module that fades is replaced before it takes service with it.
#[test]
fn a_warning_is_diagnosed_and_repaired_before_service_is_lost() {
    let mut agent = crate::bench::hosted("oss-fault");
    let mut briefing = crate::bench::briefing("oss-fault", vec![]);
    briefing.inventory = Arc::new(crate::bench::Net::town().with_optics().inventory());
    let outputs = agent.step(Input::Started(briefing), at(0), &mut rng());
    let mut play = Play {
        agent,
        sent: vec![],
        wakes: vec![],
        notes: vec![],
        standing: vec![],
    };
    play.take(outputs);
    let (_, _) = play.next();
    let (_, ip) = play.next();
    let warning = [("optic:B-b5/a", AlarmType::OpticalPowerLow, 10)];
    tell(&mut play, &ip.task, Domain::Ip, "i", &warning, 60);
    play.pass_until(300);
    let root = ("optic:B-b5/a", Cause::OpticalModuleAgeing);
    let ticket = located(&mut play, root, 301);
    let repair = Repair::in_content(&ticket.content).unwrap();
    assert_eq!(repair.affected_sites, BTreeSet::from([id("site:b5")]));
    repaired(&mut play, &ticket, 5_000);
    verified(&mut play, &[], 5_001, 3);
    let closed = play.notes.iter().any(|n| n.contains("Case 1 is closed"));
    assert!(closed, "{:?}", play.notes);
}
