//! Nothing passes here that libyang would not let pass.

#![allow(clippy::unwrap_used)]

use super::*;
use ::netconf::xml::{Limits, XmlDocument, write};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};
use yang::ModuleSet;

fn generation() -> &'static Arc<Generation> {
    static SHIPPED: OnceLock<Arc<Generation>> = OnceLock::new();
    SHIPPED.get_or_init(|| Generation::load(&ModuleSet::convoke()).unwrap())
}

/// An input, whether it is plain, and whether libyang lets it pass.
fn judged(leaves: &str) -> (bool, bool) {
    let xml = format!("<task-negotiate xmlns=\"{AGENT_NAMESPACE}\">{leaves}</task-negotiate>");
    let Ok(document) = XmlDocument::parse(xml.as_str(), &Limits::default()) else {
        return (false, false);
    };
    let operation = document.root();
    let passes = generation().check_rpc(&operation.standalone()).is_ok();
    (is_plain(operation), passes)
}

fn leaf(name: &str, text: &str) -> String {
    let mut out = Vec::new();
    let namespace = match name {
        "task-async" | "round" | "msg-data" | "alternative" | "deadline" | "round-limit" => {
            NEGOTIATION_NAMESPACE
        }
        _ => AGENT_NAMESPACE,
    };
    out.extend_from_slice(format!("<{name} xmlns=\"{namespace}\">").as_bytes());
    write::text(text, &mut out);
    out.extend_from_slice(format!("</{name}>").as_bytes());
    String::from_utf8(out).unwrap()
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("##".to_owned()),
        Just("#".to_owned()),
        Just("target object".to_owned()),
        Just("target  object".to_owned()),
        Just("task description".to_owned()),
        Just("\n".to_owned()),
        Just(" ".to_owned()),
        Just("\t\r\n".to_owned()),
        Just("\u{a0}\u{2003}\u{85}".to_owned()),
        Just("\u{fdd0}\u{1fffe}".to_owned()),
        Just("site 7".to_owned()),
        "\\PC{0,4}",
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => proptest::collection::vec(piece(), 0..9).prop_map(|p| p.concat()),
        2 => (piece(), piece()).prop_map(|(one, other)| {
            format!("##target object\n{one}\n## task description\n{other}")
        }),
        1 => Just("FEASIBILITY".to_owned()),
        1 => Just(" true ".to_owned()),
        1 => Just("true".to_owned()),
        1 => "[0-9]{0,11}",
        1 => Just("<b/>".to_owned()),
    ]
}

fn name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "task-sendFrom",
        "task-sendTo",
        "commuType",
        "task-id",
        "content",
        "content",
        "type",
        "task-async",
        "round",
        "msg-data",
        "alternative",
        "deadline",
        "round-limit",
        "unknown",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_plain_passes_libyang(leaves in proptest::collection::vec((name(), value()), 0..5)) {
        let xml: String = leaves.iter().map(|(name, value)| leaf(name, value)).collect();
        let (plain, passes) = judged(&xml);
        prop_assert!(!plain || passes, "{xml}");
    }

    #[test]
    fn one_leaf_is_plain_only_if_libyang_lets_it_pass(name in name(), value in value()) {
        let (plain, passes) = judged(&leaf(name, &value));
        prop_assert!(!plain || passes, "{name} {value:?}");
    }
}

#[test]
fn the_usual_assignment_is_plain() {
    let usual = [
        ("task-sendTo", "TMF-Convoke-IP-1.0.0"),
        ("commuType", "taskAssign"),
        ("task-id", "t-1"),
        (
            "content",
            "## target object\nsite 基站 7\n## task description\nlook",
        ),
        ("task-async", "true"),
        ("round", "2"),
    ];
    let xml: String = usual.iter().map(|(name, text)| leaf(name, text)).collect();
    assert_eq!(judged(&xml), (true, true));
}

#[test]
fn the_unusual_is_left_to_libyang() {
    let content = |text| leaf("content", text);
    for xml in [
        content("no sections"),
        content("##target object\nx"),
        content("##target object ##task description"),
        format!("{0}{0}", leaf("task-id", "twice")),
        leaf("round", "0"),
        leaf("type", "PERHAPS"),
        leaf("unknown", "x"),
        "<task-id a=\"1\">x</task-id>".to_owned(),
        "<task-id><b/></task-id>".to_owned(),
    ] {
        assert!(!judged(&xml).0, "{xml}");
    }
}

#[test]
fn another_generation_is_not_spoken_for() {
    assert!(covers(generation()));
    let stricter = "module stricter { namespace urn:stricter; prefix s;
        import irtf-agent { prefix a; } revision 2026-11-21;
        deviation /a:task-negotiate/a:input/a:task-id { deviate add { mandatory true; } } }";
    let set = ModuleSet::convoke().with_text("stricter", stricter);
    let stricter = Generation::load(&set).unwrap();
    assert!(!covers(&stricter));
}
