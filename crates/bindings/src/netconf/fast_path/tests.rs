//! Nothing passes here that libyang would not let pass.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::netconf::{AGENT_NAMESPACE, NEGOTIATION_NAMESPACE};
use ::netconf::xml::{Limits, XmlDocument, write};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};
use yang::ModuleSet;

/// The modules as they are shipped, and what is plain in them.
fn shipped() -> &'static (Arc<Generation>, PlainInputs) {
    static SHIPPED: OnceLock<(Arc<Generation>, PlainInputs)> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let generation = Generation::load(&ModuleSet::convoke()).unwrap();
        let plain = PlainInputs::of(&generation);
        (generation, plain)
    })
}

/// An input, whether it is plain, and whether libyang lets it pass.
fn judged(leaves: &str) -> (bool, bool) {
    asked(&format!(
        "<task-negotiate xmlns=\"{AGENT_NAMESPACE}\">{leaves}</task-negotiate>"
    ))
}

/// An operation, whether it is plain, and whether libyang lets it pass.
fn asked(xml: &str) -> (bool, bool) {
    let Ok(document) = XmlDocument::parse(xml, &Limits::default()) else {
        return (false, false);
    };
    let operation = document.root();
    let (generation, plain) = shipped();
    let passes = generation.check_rpc(&operation.standalone()).is_ok();
    (plain.has(operation), passes)
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
fn every_generation_is_spoken_for_as_it_is() {
    let stricter = "module stricter { namespace urn:stricter; prefix s;
        import irtf-agent { prefix a; } revision 2026-11-21;
        deviation /a:task-negotiate/a:input/a:task-id { deviate add { mandatory true; } } }";
    let set = ModuleSet::convoke().with_text("stricter", stricter);
    let stricter = PlainInputs::of(&Generation::load(&set).unwrap());
    let xml =
        |leaves| format!("<task-negotiate xmlns=\"{AGENT_NAMESPACE}\">{leaves}</task-negotiate>");
    for (leaves, plain) in [
        ("<commuType>taskCancel</commuType>", false),
        (
            "<commuType>taskCancel</commuType><task-id>t</task-id>",
            true,
        ),
    ] {
        let document = XmlDocument::parse(xml(leaves), &Limits::default()).unwrap();
        assert_eq!(stricter.has(document.root()), plain, "{leaves}");
        assert!(judged(leaves).0, "{leaves}");
    }
}

/// A value that may fit a leaf, its bounds and what lies just outside them among others.
fn fitting(node: &SchemaNode) -> BoxedStrategy<String> {
    let mut texts = vec![
        "0".to_owned(),
        "true".to_owned(),
        String::new(),
        "\u{fdd0}".to_owned(),
        "基站".to_owned(),
    ];
    texts.extend(node.enumeration.iter().map(|(name, _)| name.clone()));
    for (least, most) in node.value_type.iter().flat_map(|its| &its.intervals) {
        for edge in [*least, *most] {
            texts.extend([edge - 1, edge, edge + 1].map(|number| number.to_string()));
            let repeated = (0..20_000).contains(&edge).then_some(edge as usize);
            let lengths = repeated.into_iter().flat_map(|n| [n, n + 1]);
            texts.extend(lengths.map(|n| "基".repeat(n)));
        }
    }
    prop_oneof![proptest::sample::select(texts), value()].boxed()
}

/// Some of the leaves of some rpc, in any order, and now and then twice.
fn operation() -> impl Strategy<Value = String> {
    let (generation, _) = shipped();
    let rpcs: Vec<&SchemaNode> = generation.rpcs().collect();
    let of = |rpc: &SchemaNode| {
        let input = format!("{}/input/", rpc.path);
        let nodes = generation.schema_nodes().iter();
        let leaves: Vec<&SchemaNode> = nodes
            .filter(|node| {
                node.path
                    .strip_prefix(&input)
                    .is_some_and(|p| !p.contains('/'))
            })
            .collect();
        let open = format!("<{} xmlns=\"{}\">", rpc.name, rpc.namespace);
        let close = format!("</{}>", rpc.name);
        let some = match leaves.is_empty() {
            true => Just(Vec::new()).boxed(),
            false => {
                let one = proptest::sample::select(leaves).prop_flat_map(|node| {
                    fitting(node).prop_map(move |text| {
                        let mut out =
                            format!("<{} xmlns=\"{}\">", node.name, node.namespace).into_bytes();
                        write::text(&text, &mut out);
                        out.extend_from_slice(format!("</{}>", node.name).as_bytes());
                        String::from_utf8(out).unwrap()
                    })
                });
                proptest::collection::vec(one, 0..4).boxed()
            }
        };
        some.prop_map(move |leaves| format!("{open}{}{close}", leaves.concat()))
    };
    proptest::sample::select(rpcs).prop_flat_map(of)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_plain_of_any_rpc_passes_libyang(xml in operation()) {
        let (plain, passes) = asked(&xml);
        prop_assert!(!plain || passes, "{xml}");
    }
}

/// There would be no sense in looking if nothing were plain.
#[test]
fn rpcs_that_come_often_have_plain_inputs() {
    let (_, plain) = shipped();
    for rpc in [
        "task-negotiate",
        "renew-lease",
        "get-tasks",
        "discover-agents",
        "data-read",
    ] {
        assert!(plain.0.contains_key(rpc), "{rpc}");
    }
}
