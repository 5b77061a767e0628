//! The picture of a stored record: a task that was negotiated, assigned, asked about, judged twice.

use super::*;
use crate::output::Paint;
use domain::reply::Reason;
use insta::assert_snapshot;
use netconf::xml::{Limits, XmlDocument, XmlElement};

const OSS: &str = "oss";
const IP: &str = "TMF-IP-1.0.0";

fn said(ms: i64, text: &str) -> Said {
    Said {
        at: Timestamp::parse("2026-11-21T08:00:00Z").unwrap() + ms,
        text: text.to_owned(),
    }
}

fn exchange(
    verb: &str,
    [from, to]: [&str; 2],
    request: Said,
    reply: Option<(i64, Reply)>,
) -> Exchange {
    Exchange {
        id: format!("t-1/{}", request.at),
        task: "t-1".to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        verb: verb.to_owned(),
        request,
        response: reply.map(|(ms, reply)| said(ms, &reply.to_json())),
    }
}

fn turn(kind: &str, round: u32, [from, to]: [&str; 2], stance: &str, ms: i64) -> Turn {
    Turn {
        task: "t-1".to_owned(),
        kind: kind.to_owned(),
        round,
        from: from.to_owned(),
        to: to.to_owned(),
        stance: stance.to_owned(),
        alternative: None,
        said: said(ms, &Content::new("router:A", "as offered").render()),
    }
}

fn change(ms: i64, status: &str, percent: u8, awaits: Option<&str>) -> Change {
    Change {
        task: "t-1".to_owned(),
        executor: IP.to_owned(),
        status: status.to_owned(),
        awaits: awaits.map(str::to_owned),
        percent,
        said: said(ms, &Content::new("router:A", "so it is").render()),
    }
}

fn record() -> Record {
    let ask = |what: &str| Content::new("router:A", what).render();
    let mut agreed = Reply::new(Verdict::Accepted, vec![Content::new("router:A", "by noon")]);
    agreed.round = Some(1);
    let refused = Reply {
        reasons: vec![Reason {
            reason: "unmet".to_owned(),
            path: String::new(),
            message: "the cause is <not> named & \"proven\"".to_owned(),
        }],
        ..Reply::accepted()
    };
    Record {
        task: "t-1".to_owned(),
        about: "router:A".to_owned(),
        exchanges: vec![
            exchange(
                "FeasibilityNegotiate",
                [OSS, IP],
                said(0, &ask("diagnose")),
                Some((40, agreed)),
            ),
            exchange(
                "taskAssgin",
                [OSS, IP],
                said(100, &ask("diagnose")),
                Some((100, Reply::accepted())),
            ),
            exchange(
                "FulfillmentNegotiate",
                [OSS, IP],
                said(3_000, &ask("reject")),
                Some((3_010, refused)),
            ),
            exchange("taskCancel", [OSS, IP], said(4_000, &ask("cancel")), None),
        ],
        turns: vec![
            turn("feasibility", 1, [OSS, IP], "offer", 0),
            turn("feasibility", 1, [IP, OSS], "accept", 40),
            turn("result", 1, [IP, OSS], "offer", 2_000),
            turn("result", 1, [OSS, IP], "refuse", 3_000),
        ],
        changes: vec![
            change(100, "created", 0, None),
            change(100, "processing", 0, None),
            change(1_000, "processing", 40, None),
            change(2_000, "input-required", 100, Some("judgement")),
            change(3_725_000, "cancelled", 100, None),
        ],
    }
}

#[test]
fn a_record_as_text() {
    let picture = Picture::of(&[record()]);
    assert_snapshot!(text::draw(&picture, Paint::plain()), @r#"
    Task t-1: router:A
    begins 2026-11-21T08:00:00.000Z

                  oss                                                 TMF-IP-1.0.0
    0:00:00.000   ├── FeasibilityNegotiate · offer, round 1 ─────────▶│                                                   router:A: diagnose
    0:00:00.040   │◀╌╌ accepted · round 1 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤                                                   router:A: by noon
    0:00:00.100   ├── taskAssgin ────────────────────────────────────▶│                                                   router:A: diagnose
    0:00:00.100   │                                                   ● created                                           router:A: so it is
    0:00:00.100   │                                                   ● processing 0 %                                    router:A: so it is
    0:00:00.100   │◀╌╌ accepted ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤
    0:00:01.000   │                                                   ● processing 40 %                                   router:A: so it is
    0:00:02.000   │◀── result offer, round 1 ─────────────────────────┤                                                   router:A: as offered
    0:00:02.000   │                                                   ● input-required: awaits judgement                  router:A: so it is
    0:00:03.000   ├── FulfillmentNegotiate · result refuse, round 1 ─▶│                                                   router:A: reject
    0:00:03.010   │◀╌╌ accepted ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┤                                                   the cause is <not> named & "proven"
    0:00:04.000   ├── taskCancel ────────────────────────────────────▶│                                                   router:A: cancel
    1:02:05.000   │                                                   ● cancelled                                         router:A: so it is
    "#);
}

fn count(element: XmlElement<'_>, name: &str) -> usize {
    let own = usize::from(element.name() == name);
    own + element.children().map(|c| count(c, name)).sum::<usize>()
}

fn texts(element: XmlElement<'_>, into: &mut Vec<String>) {
    if element.name() == "text" {
        into.push(element.text().to_owned());
    }
    element.children().for_each(|c| texts(c, into));
}

#[test]
fn the_same_picture_as_svg_is_xml_that_shows_every_row() {
    let picture = Picture::of(&[record()]);
    let svg = svg::draw(&picture);
    assert_eq!(
        svg,
        svg::draw(&Picture::of(&[record()])),
        "a record has one picture"
    );
    let document = XmlDocument::parse(svg, &Limits::client()).unwrap();
    let root = document.root();
    assert!(root.is("http://www.w3.org/2000/svg", "svg"));
    assert_eq!(count(root, "script"), 0);
    // An arrow for each request, response and turn that none of them carried.
    assert_eq!(count(root, "path"), 8);
    // A box for each lifeline, a note for each state, and the paper.
    assert_eq!(count(root, "rect"), 2 + 5 + 1);
    let mut shown = Vec::new();
    texts(root, &mut shown);
    for words in [
        "oss",
        "TMF-IP-1.0.0",
        "FeasibilityNegotiate · offer, round 1",
        "accepted · round 1",
        "the cause is <not> named & \"proven\"",
        "input-required: awaits judgement",
        "FulfillmentNegotiate · result refuse, round 1",
        "cancelled",
        "1:02:05.000",
    ] {
        assert!(
            shown.iter().any(|s| s == words),
            "{words} is not in {shown:?}"
        );
    }
    let box_of = |name: &str| root.attribute("", name).unwrap().parse::<usize>().unwrap();
    let mut places = Vec::new();
    coordinates(root, &mut places);
    let (width, height) = (box_of("width"), box_of("height"));
    assert!(
        places.iter().all(|(x, y)| *x <= width && *y <= height),
        "{places:?}"
    );
}

fn coordinates(element: XmlElement<'_>, into: &mut Vec<(usize, usize)>) {
    let number = |name: &str| {
        element
            .attribute("", name)
            .map(|v| v.parse::<usize>().unwrap())
    };
    if let (Some(x), Some(y)) = (number("x"), number("y")) {
        into.push((
            x + number("width").unwrap_or(0),
            y + number("height").unwrap_or(0),
        ));
    }
    if let (Some(x), Some(y)) = (number("x2"), number("y2")) {
        into.push((x, y));
    }
    element.children().for_each(|c| coordinates(c, into));
}

#[test]
fn the_page_holds_the_picture_and_every_word() {
    let picture = Picture::of(&[record()]);
    let page = html::draw(&picture);
    assert!(page.contains(&svg::draw(&picture)));
    assert!(!page.contains("<script"));
    assert_eq!(page.matches("<details>").count(), picture.rows.len());
    let document = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    XmlDocument::parse(document, &Limits::client()).unwrap();
}

#[test]
fn hostile_words_stay_words() {
    let mut hostile = record();
    hostile.task = "</title><script>alert(1)</script>".to_owned();
    hostile.exchanges[0].from = "\u{1}<b>".to_owned();
    hostile.exchanges[0].request.text = "]]>]]>\u{0}<script/>".to_owned();
    let picture = Picture::of(&[hostile]);
    let document = XmlDocument::parse(svg::draw(&picture), &Limits::client()).unwrap();
    assert_eq!(count(document.root(), "script"), 0);
    assert!(!html::draw(&picture).contains("<script"));
}

#[test]
fn parts_are_told_apart_by_their_task() {
    let mut part = record();
    part.exchanges
        .iter_mut()
        .for_each(|e| e.task = "t-1/ip".to_owned());
    let picture = Picture::of(&[record(), part]);
    assert_eq!(picture.lifelines, [OSS, IP]);
    assert!(picture.title.contains("its parts"));
    assert!(picture.rows.iter().any(|r| r.label.ends_with("[t-1/ip]")));
    let times: Vec<Timestamp> = picture.rows.iter().map(|r| r.at).collect();
    assert!(times.is_sorted(), "rows are in the order of time");
}
