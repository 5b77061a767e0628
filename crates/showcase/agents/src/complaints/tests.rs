//! Complaints from the ticket to the one reply, with all agents of two provinces.
#![allow(clippy::unwrap_used)]

use crate::bench::{alarm, at, cleared, id};
use crate::office::{Office, town};
use crate::payloads::Schema;
use crate::payloads::complaint::{ComplaintBoundary, TicketResult};
use domain::agent::{Input, Output, Progress};
use domain::cause::Cause;
use domain::content::Content;
use domain::reply::Verdict;
use domain::task::{Status, TaskId};
use domain::telemetry::{AlarmType, Visit};
use domain::time::Timestamp;
use domain::verb::Verb;
use proptest::prelude::*;

const VIN: &str = "0HVA7K2M9B4048293";
/// Tickets are written at 14:19 + 5 h.
const WRITTEN_S: i64 = 18_000;
/// The trouble began at 17:49 and lasted till 18:49.
const FELT_S: (i64, i64) = (12_600, 16_200);

fn visit(cell: &str, from: i64, until: i64, failures: u32) -> Visit {
    Visit {
        cell: id(cell),
        from: at(from),
        until: at(until),
        rsrp_dbm: -85.0,
        throughput_mbps: 12.0,
        failures,
    }
}

fn office() -> Office {
    let mut office = Office::open(town());
    office.now = at(WRITTEN_S);
    office
}

/// Parked in Bonn, lost for an hour, back at the same cell.
fn lost_in_bonn(office: &mut Office, cell: &str) {
    let visits = vec![
        visit(cell, 0, FELT_S.0, 1),
        visit(cell, FELT_S.1, WRITTEN_S, 0),
    ];
    office.records.insert("South", (visits, None, None));
}

fn result(office: &Office, task: &str) -> TicketResult {
    let task = &office.tasks[&TaskId::new(task)];
    TicketResult::in_content(task.result.as_ref().unwrap()).unwrap()
}

fn settled(office: &mut Office) {
    office.run(30_000.0);
    office.all_ended();
}

const OFFLINE: &str =
    "The car had no connection at all near Bonn today around 6 pm. VIN 0HVA7K2M9B4048293.";

/// W3, own province: the sub-tickets of the mobile and the transport agent, and one answer.
#[test]
fn a_site_of_the_own_province_is_found_and_named_in_plain_words() {
    let mut office = office();
    lost_in_bonn(&mut office, "cell:b1/1");
    office.alarms(
        "mobile-south",
        &[
            alarm("site:b1", AlarmType::SiteUnreachable, FELT_S.0),
            cleared("site:b1", AlarmType::SiteUnreachable, FELT_S.1),
        ],
    );
    office.ticket("C-1", "Halvern (South)", OFFLINE);
    settled(&mut office);
    let found = result(&office, "ticket-C-1");
    assert_eq!(found.boundary, ComplaintBoundary::OwnDomain);
    assert_eq!(found.responsible.as_deref(), Some("Wireless"));
    assert_eq!(found.element, Some(id("site:b1")));
    assert!(!found.in_progress && found.sub_tickets.len() == 2);
    insta::assert_snapshot!(office.reply(), @"Thank you for telling us. From 21 April, 17:49 (UTC) a base station was out of service near Bonn. It has worked again since 21 April, 18:49 (UTC). We are sorry for the trouble.");
    insta::assert_snapshot!(office.log.join("\n"), @r"
    bss-tickets -> complaint-south: taskAssgin complaint_ticket_v1
    complaint-south -> mobile-south: taskAssgin quality_check_v1
    ticket-C-1-mobile is finished
    complaint-south -> transport-south: taskAssgin quality_check_v1
    ticket-C-1-transport is finished
    ticket-C-1 is input-required
    bss-tickets -> complaint-south: FulfillmentNegotiate 
    ticket-C-1 is finished
    customer <- Thank you for telling us. From 21 April, 17:49 (UTC) a base station was out of service near Bonn. It has worked again since 21 April, 18:49 (UTC). We are sorry for the trouble.
    ");
}

/// W3: what cuts the site off belongs to transport, and is still broken.
#[test]
fn a_card_that_cuts_the_site_off_is_transports() {
    let mut office = office();
    lost_in_bonn(&mut office, "cell:b1/1");
    office.records.get_mut("South").unwrap().0.pop();
    office.alarms(
        "mobile-south",
        &[alarm("site:b1", AlarmType::SiteUnreachable, FELT_S.0)],
    );
    office.alarms(
        "transport-south",
        &[alarm("card:B/1", AlarmType::CardFailure, FELT_S.0)],
    );
    office.ticket(
        "C-1",
        "Halvern (South)",
        "昨天还好好的。今天下午六点左右在Bonn车机完全没有网络。车架号0HVA7K2M9B4048293",
    );
    settled(&mut office);
    let found = result(&office, "ticket-C-1");
    assert_eq!(found.responsible.as_deref(), Some("IP"));
    assert_eq!(found.element, Some(id("card:B/1")));
    assert_eq!(found.cause, Some(Cause::CardFailure));
    assert!(found.in_progress);
    insta::assert_snapshot!(office.reply(), @"感谢您的反馈。Bonn附近自4月21日17:49（UTC）起基站传输线路中断，我们的工程师正在处理，通常几小时内可以恢复。给您带来不便，深表歉意。");
}

/// From Aachen (North) to Bonn (South), where service was lost.
fn moved(office: &mut Office) {
    let north = vec![visit("cell:a1/1", 0, 10_000, 0)];
    let south = vec![
        visit("cell:b5/1", 10_600, FELT_S.0, 1),
        visit("cell:b5/1", FELT_S.1, WRITTEN_S, 0),
    ];
    office.records.insert("North", (north, Some("South"), None));
    office.records.insert("South", (south, None, Some("North")));
    office.alarms("mobile-south", &outage());
}

fn outage() -> [domain::telemetry::Alarm; 2] {
    let of = AlarmType::SiteUnreachable;
    [
        alarm("site:b5", of, FELT_S.0),
        cleared("site:b5", of, FELT_S.1),
    ]
}

const MOVED: &str = "Coming from Aachen all was well, then near Bonn the car was offline today around 6 pm. VIN 0HVA7K2M9B4048293";

/// W3: boundary localisation by trajectory and time; the other province's agent does the same with
/// its own.
#[test]
fn what_happened_in_the_other_province_is_forwarded_as_a_task() {
    let mut office = office();
    moved(&mut office);
    office.ticket("C-1", "Halvern (North)", MOVED);
    settled(&mut office);
    let found = result(&office, "ticket-C-1");
    assert_eq!(found.boundary, ComplaintBoundary::OtherDomain);
    assert_eq!(found.forwarded_to.as_deref(), Some("South"));
    assert_eq!(found.element, Some(id("site:b5")));
    assert!(!found.in_progress && found.resolved_at.is_some());
    assert!(
        office
            .reply()
            .starts_with("It happened in the network of our province South. Thank you")
    );
    let asked: Vec<&String> = office.log.iter().filter(|l| l.contains("->")).collect();
    insta::assert_debug_snapshot!(asked, @r#"
    [
        "bss-tickets -> complaint-north: taskAssgin complaint_ticket_v1",
        "complaint-north -> mobile-north: taskAssgin quality_check_v1",
        "complaint-north -> complaint-south: taskAssgin complaint_ticket_v1",
        "complaint-south -> mobile-south: taskAssgin quality_check_v1",
        "complaint-south -> transport-south: taskAssgin quality_check_v1",
        "bss-tickets -> complaint-north: FulfillmentNegotiate ",
    ]
    "#);
}

/// W3: the trajectory counts where the words say nothing of a place.
#[test]
fn the_trajectory_alone_finds_the_other_province() {
    let mut office = office();
    moved(&mut office);
    office.ticket(
        "C-1",
        "Halvern (North)",
        "The car was offline today around 6 pm. VIN 0HVA7K2M9B4048293",
    );
    settled(&mut office);
    assert_eq!(
        result(&office, "ticket-C-1").forwarded_to.as_deref(),
        Some("South")
    );
}

#[test]
fn a_province_that_does_not_answer_is_named_and_the_customer_is_answered_anyway() {
    for down in ["complaint-south", "mobile-south"] {
        let mut office = office();
        moved(&mut office);
        office.down.insert(down);
        office.ticket("C-1", "Halvern (North)", MOVED);
        settled(&mut office);
        let found = result(&office, "ticket-C-1");
        assert_eq!(found.forwarded_to.as_deref(), Some("South"), "{down}");
        assert!(
            office.reply().contains("province South"),
            "{}",
            office.reply()
        );
    }
}

/// W3: not the network at all.
#[test]
fn bills_accounts_and_tariffs_are_not_the_networks() {
    for (text, boundary, word) in [
        (
            "I was charged twice this month, please correct my bill.",
            ComplaintBoundary::Outside,
            "billing",
        ),
        (
            "The app says my account is locked.",
            ComplaintBoundary::Outside,
            "account service",
        ),
        ("我的套餐流量用光了", ComplaintBoundary::Outside, "计费"),
        (
            "The car reports that its SIM card is not recognised.",
            ComplaintBoundary::Customer,
            "workshop",
        ),
    ] {
        let mut office = office();
        office.ticket("C-1", "Halvern (South)", text);
        settled(&mut office);
        assert_eq!(result(&office, "ticket-C-1").boundary, boundary, "{text}");
        assert!(office.reply().contains(word), "{}", office.reply());
        assert_eq!(office.tasks.len(), 1, "nobody is asked about {text}");
    }
}

#[test]
fn a_good_signal_at_the_time_points_to_the_car() {
    let mut office = office();
    let visits = vec![visit("cell:b1/1", 0, WRITTEN_S, 0)];
    office.records.insert("South", (visits, None, None));
    office.ticket("C-1", "Halvern (South)", OFFLINE);
    settled(&mut office);
    assert_eq!(
        result(&office, "ticket-C-1").boundary,
        ComplaintBoundary::Customer
    );
}

#[test]
fn a_hole_without_a_fault_is_weak_coverage() {
    let mut office = office();
    let visits = vec![
        visit("cell:b1/1", 0, FELT_S.0, 1),
        visit("cell:b6/1", FELT_S.0 + 900, WRITTEN_S, 0),
    ];
    office.records.insert("South", (visits, None, None));
    office.ticket("C-1", "Halvern (South)", OFFLINE);
    settled(&mut office);
    assert_eq!(
        result(&office, "ticket-C-1").boundary,
        ComplaintBoundary::Coverage
    );
    assert!(office.reply().contains("the signal is weak there"));
}

/// Issue 5, use case 3: a follow-up question when data are missing.
#[test]
fn what_is_missing_is_asked_for_and_the_answer_is_used() {
    let mut office = office();
    lost_in_bonn(&mut office, "cell:b1/1");
    office.alarms(
        "mobile-south",
        &[alarm("site:b1", AlarmType::SiteUnreachable, FELT_S.0)],
    );
    office.answers = vec![Some(format!("It was today at 17:55. The VIN is {VIN}."))];
    office.ticket("C-1", "Halvern (South)", "The car was offline near Bonn.");
    settled(&mut office);
    assert_eq!(
        result(&office, "ticket-C-1").boundary,
        ComplaintBoundary::OwnDomain
    );
    assert_eq!(office.told.len(), 2);
    insta::assert_snapshot!(office.told[0].0, @"To find out what happened, please tell us when it happened and the vehicle identification number (17 characters).");
    assert!(!office.reply().contains("Without knowing"));
}

#[test]
fn who_does_not_answer_gets_the_best_that_can_be_said() {
    let mut office = office();
    office.alarms(
        "mobile-south",
        &[alarm("site:b1", AlarmType::SiteUnreachable, FELT_S.0)],
    );
    office.ticket("C-1", "Halvern (South)", "车子一直离线，在Bonn");
    settled(&mut office);
    assert_eq!(office.told.iter().filter(|(_, q)| *q).count(), 1);
    assert_eq!(
        result(&office, "ticket-C-1").boundary,
        ComplaintBoundary::OwnDomain
    );
    assert!(
        office.reply().contains("由于不清楚时间、车辆"),
        "{}",
        office.reply()
    );
}

/// A second question is asked where nothing can be done without the answer, and no third.
#[test]
fn two_questions_are_the_most() {
    let mut office = office();
    office.answers = vec![
        Some("What do you mean?".to_owned()),
        Some("No idea.".to_owned()),
    ];
    office.ticket("C-1", "Halvern (South)", "It keeps disconnecting.");
    settled(&mut office);
    assert_eq!(office.told.iter().filter(|(_, q)| *q).count(), 2);
    assert_eq!(
        result(&office, "ticket-C-1").boundary,
        ComplaintBoundary::Unknown
    );
}

#[test]
fn if_the_home_agent_is_away_another_takes_it_and_if_all_are_there_is_an_apology() {
    let mut office = office();
    lost_in_bonn(&mut office, "cell:b1/1");
    office.down.insert("complaint-south");
    office.ticket("C-1", "Halvern (South)", OFFLINE);
    settled(&mut office);
    assert_eq!(
        office.tasks[&TaskId::new("ticket-C-1/1")].status,
        Status::Finished
    );
    office.reply();
    let mut office = self::office();
    office.down.extend(["complaint-south", "complaint-north"]);
    office.ticket("C-1", "Halvern (South)", OFFLINE);
    settled(&mut office);
    assert!(office.reply().starts_with("We are sorry"));
}

/// A restart in the middle, of either side, neither loses a ticket nor answers it twice.
#[test]
fn restarts_lose_nothing_and_say_nothing_twice() {
    for who in [
        "bss-tickets",
        "complaint-north",
        "complaint-south",
        "mobile-south",
    ] {
        for after in [0.05, 1.0, 6.0, 11.0, 20.0] {
            let mut office = office();
            moved(&mut office);
            office.ticket("C-1", "Halvern (North)", MOVED);
            office.run(after);
            office.start(who);
            // What a quality agent had heard is gone with it.
            office.alarms("mobile-south", &outage());
            settled(&mut office);
            assert!(!office.reply().is_empty(), "{who} {after}");
        }
    }
}

/// W8: a complaint in words alone, and one in structure, are taken from anybody.
#[test]
fn a_complaint_in_structure_is_answered_in_structure() {
    use crate::payloads::complaint::{ComplaintResult, ServiceComplaint};
    let mut agent = crate::office::started_as("complaint-south");
    let complaint = ServiceComplaint {
        symptom: super::reader::matter::ReadSymptom::NoService,
        place: "Bonn".to_owned(),
        started_at: Some(at(FELT_S.0)),
        vehicle: None,
        moved_to: None,
        complaint_id: "K-7".to_owned(),
        manufacturer: String::new(),
    };
    let content = Content::new("K-7", "A complaint").with_payload(complaint.to_payload());
    let mut rng = crate::bench::rng();
    let asked = agent.step(crate::bench::assign("t", content), at(WRITTEN_S), &mut rng);
    let reply = crate::bench::answer(&asked);
    assert_eq!(reply.verdict, domain::reply::Verdict::InputRequired);
    // Nothing else comes of it than the question for the vehicle.
    assert!(
        reply.content[0]
            .task_description
            .contains("vehicle identification")
    );
    let told = TicketResult {
        ticket_id: "K-7".to_owned(),
        in_progress: false,
        boundary: ComplaintBoundary::Unknown,
        responsible: None,
        element: None,
        cause: Some(Cause::Interference),
        forwarded_to: None,
        sub_tickets: vec![],
        answer: "a".to_owned(),
        chinese: false,
        resolved_at: None,
    };
    crate::payloads::tests::lawful(&ComplaintResult(told).to_payload());
}

/// The templates of complaints name what the domain and the agents name.
#[test]
fn templates_name_the_same_things() {
    use crate::payloads::quality::Quality;
    let allowed = |schema_id: &str, key: &str| {
        let template = schema::shipped::template(schema_id).unwrap();
        let values = template.key(key).unwrap().shape.constraint.allowed.clone();
        let names = values.iter().map(|v| v.as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let symptoms = super::reader::matter::ReadSymptom::ALL.map(|s| s.as_str());
    assert_eq!(allowed("quality_check_v1", "symptom"), symptoms);
    assert_eq!(
        allowed("service_complaint_v1", "symptom").len(),
        symptoms.len()
    );
    for schema_id in ["complaint_ticket_result_v1", "service_complaint_result_v1"] {
        assert_eq!(
            allowed(schema_id, "boundary"),
            ComplaintBoundary::ALL.map(ComplaintBoundary::as_str)
        );
        assert_eq!(allowed(schema_id, "cause"), Cause::ALL.map(Cause::as_str));
    }
    assert_eq!(
        allowed("quality_check_result_v1", "cause"),
        Cause::ALL.map(Cause::as_str)
    );
    let mut verdicts = allowed("quality_check_result_v1", "verdict");
    let mut qualities = Quality::ALL.map(|q| q.as_str().to_owned()).to_vec();
    verdicts.sort();
    qualities.sort();
    assert_eq!(verdicts, qualities);
}

/// Letters of simulated drivers, over the towns of Germany in two provinces.
fn letters() -> Vec<(Timestamp, String)> {
    let lines = include_str!("letters.tsv").lines().skip(1);
    let letter = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        (Timestamp::parse(columns[0]).unwrap(), columns[9].to_owned())
    };
    lines.map(letter).collect()
}

fn germany() -> domain::inventory::Inventory {
    let mut inventory = super::reader::tests::germany();
    let towns: Vec<String> = inventory
        .elements
        .values()
        .map(|e| e.place.clone())
        .collect();
    for (n, town) in towns.into_iter().enumerate() {
        let province = if n % 2 == 0 { "North" } else { "South" };
        inventory.provinces.insert(town, province.to_owned());
    }
    inventory
}

/// One letter through a department of which some are away, and all that was said.
fn handled(letter: usize, away: &[usize], answers: &[bool], north: bool) -> Vec<String> {
    let letters = letters();
    let (written, text) = &letters[letter % letters.len()];
    let mut office = Office::open(germany());
    office.now = *written;
    office.down = away
        .iter()
        .map(|n| crate::office::ROLES[1..][n % 6])
        .collect();
    office.answers = answers
        .iter()
        .map(|yes| yes.then(|| format!("Yesterday at 10:00, {VIN}")))
        .collect();
    let fleet = if north {
        "Tessaro (North)"
    } else {
        "Tessaro (South)"
    };
    office.ticket("C-9", fleet, text);
    office.run(60_000.0);
    office.all_ended();
    assert_eq!(
        super::reader::is_chinese(office.reply()),
        super::reader::is_chinese(text)
    );
    office.log
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Laws: every ticket gets exactly one reply, in the writer's language; every task ends; the same
    /// seed says the same.
    #[test]
    fn every_ticket_gets_one_reply_and_every_task_ends(
        letter in 0usize..400,
        away in proptest::collection::vec(0usize..6, 0..4),
        answers in proptest::collection::vec(any::<bool>(), 0..3),
        north: bool,
    ) {
        let once = handled(letter, &away, &answers, north);
        prop_assert_eq!(once, handled(letter, &away, &answers, north));
    }
}

/// Words that are more work than is done for one are refused, and the tasks of others go on: a step
/// that does not return would fail them all.
#[test]
fn a_letter_that_is_too_much_work_is_refused_and_the_others_go_on() {
    use crate::bench::{answer, assign, said, task};
    let mut agent = crate::office::started_as("complaint-south");
    let mut rng = crate::bench::rng();
    let mut step = |input: Input| agent.step(input, at(WRITTEN_S), &mut rng);
    let why = "it takes more than 8000000 steps to read; say it shorter";
    let asks = Content::new("t-1", "no connection near Bonn today around 6 pm");
    let long = Content::new("t-2", "车在波恩断网，".repeat(400_000));
    let asked = step(assign("t-1", asks.clone()));
    assert_eq!(answer(&asked).verdict, Verdict::InputRequired);
    let refused = step(assign("t-2", long.clone()));
    let reasons = &answer(&refused).reasons;
    assert_eq!((refused.len(), reasons.len()), (1, 1));
    assert_eq!(
        (reasons[0].reason.as_str(), reasons[0].message.as_str()),
        ("too-big", why)
    );
    // Where an answer is not read, the same is asked again.
    let first = task("t-1", "TMF-oss-fault", asks, true);
    let answered = step(said(Verb::FulfillmentNegotiate, &first, long, None));
    let again = answered.iter().find_map(|output| match output {
        Output::Report {
            task,
            progress: Progress::InputRequired(content),
        } => Some((task.as_str(), content.task_description.as_str())),
        _ => None,
    });
    let question = &answer(&asked).content[0].task_description;
    let words = format!("Your answer was too long to be read. {question}");
    assert_eq!(again, Some(("t-1", &*words)));
    let vehicle = Content::new("t-1", format!("VIN {VIN}"));
    let answered = step(said(Verb::FulfillmentNegotiate, &first, vehicle, None));
    assert!(
        answered.iter().any(|it| matches!(it, Output::Send { .. })),
        "it is looked into"
    );
}
