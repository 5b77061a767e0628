//! Pages: well-formed, closed to the outside, and without anybody's markup but ours.

use super::*;
use crate::invented::{self, asked, minute, record};
use crate::{Moment, Record, RecordedEvent, ScoreBatch};
use base64ct::{Base64, Encoding};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use sha2::{Digest, Sha256};

/// The elements of a page, each with its attributes.
///
/// # Panics
/// If the page is not well-formed XML below its doctype.
fn elements(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let xml = page
        .strip_prefix("<!DOCTYPE html>\n")
        .expect("a page has a doctype");
    let mut reader = Reader::from_str(xml);
    let (mut found, mut depth) = (Vec::new(), 0);
    loop {
        match reader.read_event().expect("a page is well-formed") {
            Event::Start(tag) => {
                depth += 1;
                found.push(element(&tag));
            }
            Event::Empty(tag) => found.push(element(&tag)),
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            Event::GeneralRef(name) => assert!(
                name.resolve_char_ref().unwrap().is_some()
                    || ["lt", "gt", "amp", "quot"].contains(&&*name)
            ),
            _ => {}
        }
    }
    assert_eq!(depth, 0, "what is opened is closed");
    found
}

fn element(tag: &quick_xml::events::BytesStart<'_>) -> (String, Vec<(String, String)>) {
    let name = tag.name().as_ref().to_owned();
    let attributes = tag
        .attributes()
        .map(|a| a.expect("attributes are well-formed"));

    (
        name,
        attributes
            .map(|a| (a.key.as_ref().to_owned(), a.value.into_owned()))
            .collect(),
    )
}

/// Asserts the properties that every page has, whatever its content.
fn sound(page: &str) {
    let elements = elements(page);
    let named = |name: &str| elements.iter().filter(|(n, _)| n == name).count();
    assert_eq!(named("script"), 1, "only our script");
    for forbidden in [
        "link", "img", "iframe", "object", "embed", "base", "form", "a", "use", "image",
    ] {
        assert_eq!(named(forbidden), 0, "{forbidden}");
    }
    for (name, attributes) in &elements {
        for (attribute, value) in attributes {
            assert!(!attribute.starts_with("on"), "{name} {attribute}");
            assert!(
                !["src", "href", "xlink:href", "srcset", "data"].contains(&attribute.as_str()),
                "{name}"
            );
            let numeric = ["x", "y", "x1", "x2", "y1", "y2", "d", "width", "height"]
                .contains(&attribute.as_str());
            assert!(
                !(numeric && (value.contains("NaN") || value.contains("inf"))),
                "{name} {value}"
            );
        }
    }
    // Each picture says in words what it shows.
    assert_eq!(
        elements
            .windows(3)
            .filter(|w| w[0].0 == "svg" && w[1].0 == "title" && w[2].0 == "desc")
            .count(),
        named("svg")
    );
}

fn batch_of(scores: Vec<crate::Score>) -> String {
    let hostile = "</style><script>alert(1)</script>".to_owned();
    let about = About {
        command: hostile.clone(),
        machine: hostile.clone(),
        date: hostile.clone(),
        assumptions: vec![hostile],
    };
    batch(&ScoreBatch::new(scores), &about)
}

#[test]
fn the_policy_names_the_script_by_its_digest() {
    let digest = Base64::encode_string(&Sha256::digest(SCRIPT.as_bytes()));
    assert!(
        POLICY.contains(&format!("script-src 'sha256-{digest}'")),
        "sha256-{digest}"
    );
    assert!(POLICY.starts_with("default-src 'none'"));
    assert!(!SCRIPT.contains(['<', '&']));
    for page in [run(&record()), batch_of(vec![])] {
        let policy = POLICY.replace('\'', "&#39;");
        assert!(page.contains(&policy));
        assert!(page.contains(&format!("<script>{SCRIPT}</script>")));
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("url("));
    }
}

#[test]
fn the_map_begins_at_the_worst_moment_and_knows_the_others() {
    let page = run(&record());
    let elements = elements(&page);
    let with = |key: &str| -> Vec<String> {
        let all = elements.iter().flat_map(|(_, attributes)| attributes);
        all.filter(|(k, _)| k == key)
            .map(|(_, v)| v.clone())
            .collect()
    };
    // The site, and the link that is cut while it is out.
    assert_eq!(with("data-out"), ["1-1", "0-1"]);
    assert_eq!(
        with("data-steps"),
        [
            "04-21 00:00 UTC, 0 sites out, 100.0 % served|04-21 00:10 UTC, 1 site out, 50.0 % served|04-21 01:02 UTC, 0 sites out, 100.0 % served"
        ]
    );
    assert!(page.contains("class=\"ever out\""));
    // Without the script the slider would do nothing.
    assert!(page.contains("<div id=\"moving\" hidden=\"\">"));
}

#[test]
fn a_page_of_a_run_tells_the_whole_story() {
    let page = run(&record());
    for told in [
        "<h1>A batch of base stations goes out of service</h1>",
        "Played by agents on two-towns with seed 7. It began 2025-04-21 00:00:00 UTC and lasted 62 min: 1 alarm raised, 2 requests between agents",
        "2 tasks, 6 messages, ended well after 49 min",
        "fibre-cut at link:Nord-Süd",
        "[2] t2",
    ] {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn a_long_run_is_cut_and_says_so() {
    let mut long = record();
    for n in 0..100 {
        let task = format!("many-{n:03}");
        let at = minute(100.0 + f64::from(n));
        long.moments.push(Moment {
            at,
            what: asked(["x", "y"], &task, None, "?"),
        });
    }
    for n in 0..400 {
        let at = minute(300.0 + f64::from(n));
        long.moments.push(Moment {
            at,
            what: asked(["oss", "ip"], "t1", None, "And now?"),
        });
        long.moments.push(Moment {
            at,
            what: RecordedEvent::Note {
                agent: "oss".into(),
                words: "Hm.".into(),
            },
        });
    }
    let page = run(&long);
    sound(&page);
    for told in [
        "40 of 101 cases are drawn",
        "306 messages are left out here",
        "106 more are in the record",
        "The first 300 of 400",
    ] {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn a_record_cut_short_and_an_empty_one_have_pages() {
    let mut short = record();
    short.score = None;
    assert!(run(&short).contains("the run was cut short"));
    let mut empty = Record {
        moments: vec![],
        truth: vec![],
        ..short
    };
    empty.run.network = crate::record::NetworkMap::default();
    sound(&run(&empty));
    assert!(run(&empty).contains("Nobody asked anybody anything."));
    sound(&batch_of(vec![]));
}

#[test]
fn a_page_of_a_batch_shows_first_where_agents_do_worse() {
    let score = |policy: &str, seed: u64, energy: f64| crate::Score {
        policy: policy.into(),
        seed,
        figures: [
            ("energy".to_owned(), energy),
            ("compensated-edge-throughput".to_owned(), 1.0),
        ]
        .into(),
        ..crate::Score::default()
    };
    let scores = (0..6).flat_map(|n| {
        [
            score("agents", n, 9.0 + n as f64),
            score("timer", n, 5.0 + n as f64),
        ]
    });
    let page = batch_of(scores.collect());
    let worse = page
        .find("Energy: agents 11.5 kWh, timer 7.5 kWh; worse, by 4.0 kWh")
        .expect("it is said");
    assert!(page[..worse].contains("2 rows: 1 worse, 1 without a difference shown."));
    assert!(!page[..worse].contains("class=\"better\""));
    assert!(page.contains("<div class=\"worse\">worse than timer</div>"));
    assert!(page.contains("Energy against throughput"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Names and words of agents, customers and elements are always escaped as text.
    #[test]
    fn any_run_has_a_sound_page(record in invented::records()) {
        sound(&run(&record));
    }

    #[test]
    fn any_batch_has_a_sound_page(scores in prop::collection::vec(invented::scores(), 0..20)) {
        sound(&batch_of(scores));
    }
}
