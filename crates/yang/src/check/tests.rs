//! Tests of `check.rs`: one table per kind of document.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;

use crate::{Generation, ModuleSet, Tag, Violation};

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
const NEGOTIATION: &str = "urn:convoke:params:xml:ns:yang:convoke-negotiation";
const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const EVENT: &str = "urn:ietf:params:xml:ns:netconf:notification:1.0";
const MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
const PROMPT: &str = "##target object\nsite-1\n##task description\ndiagnose";

static CONVOKE: LazyLock<Arc<Generation>> =
    LazyLock::new(|| Generation::load(&ModuleSet::convoke()).unwrap());

/// The outcome as text: `ok`, or tag, element with its attribute, and path.
fn told(outcome: Result<(), Violation>) -> String {
    match outcome {
        Ok(()) => "ok".to_owned(),
        Err(v) => format!(
            "{} {}{} {}",
            v.tag,
            v.element.as_deref().unwrap_or("-"),
            v.attribute
                .map_or_else(String::new, |name| format!("@{name}")),
            v.path.as_deref().unwrap_or("-")
        ),
    }
}

fn rpc(xml: &str) -> String {
    told(CONVOKE.check_rpc(xml))
}

fn negotiate(inside: &str) -> String {
    rpc(&format!(
        "<task-negotiate xmlns=\"{AGENT}\" xmlns:n=\"{NEGOTIATION}\">{inside}</task-negotiate>"
    ))
}

#[test]
fn task_negotiate_is_judged_as_rfc_6241_says() {
    for (inside, expected) in [
        (
            format!(
                "<task-sendTo>x</task-sendTo><commuType>taskAssgin</commuType><task-id>t1</task-id><content>{PROMPT}</content>"
            ),
            "ok",
        ),
        (
            format!(
                "<content>{PROMPT}</content><type>FULFILLMENT</type><n:round>2</n:round><n:task-async>true</n:task-async>"
            ),
            "ok",
        ),
        (String::new(), "ok"),
        (
            "<content>hello</content>".into(),
            "invalid-value content /irtf-agent:task-negotiate/content",
        ),
        (
            "<type>MAYBE</type>".into(),
            "invalid-value type /irtf-agent:task-negotiate/type",
        ),
        (
            "<n:round>0</n:round>".into(),
            "invalid-value round /irtf-agent:task-negotiate/convoke-negotiation:round",
        ),
        (
            "<n:round>x</n:round>".into(),
            "invalid-value round /irtf-agent:task-negotiate/convoke-negotiation:round",
        ),
        (
            "<nope/>".into(),
            "unknown-element nope /irtf-agent:task-negotiate",
        ),
        (
            "<round>1</round>".into(),
            "unknown-element round /irtf-agent:task-negotiate",
        ),
        (
            "<n:task-subscription><n:x/></n:task-subscription>".into(),
            "unknown-element x /irtf-agent:task-negotiate/convoke-negotiation:task-subscription",
        ),
        (
            "<nope xmlns=\"urn:x\"/>".into(),
            "unknown-namespace nope /irtf-agent:task-negotiate",
        ),
        (
            "<q:nope xmlns:q=\"urn:x\"/>".into(),
            "unknown-namespace nope /irtf-agent:task-negotiate",
        ),
        (
            "<n:term-explains/>".into(),
            "missing-element term /irtf-agent:task-negotiate/convoke-negotiation:term-explains",
        ),
        (
            "<task-id>1</task-id><task-id>2</task-id>".into(),
            "bad-element task-id /irtf-agent:task-negotiate/task-id",
        ),
        (
            "<task-id><b/></task-id>".into(),
            "bad-element b /irtf-agent:task-negotiate/task-id",
        ),
        ("a \"quoted\" text".into(), "bad-element task-negotiate -"),
        (
            "<task-id foo=\"1\">1</task-id>".into(),
            "unknown-attribute task-id@foo /irtf-agent:task-negotiate/task-id",
        ),
        (
            "<task-id xmlns:q=\"urn:q\" q:foo=\"1\">1</task-id>".into(),
            "unknown-attribute task-id@foo /irtf-agent:task-negotiate/task-id",
        ),
        (
            "<task-id q:foo=\"1\">1</task-id>".into(),
            "malformed-message task-id /irtf-agent:task-negotiate/task-id",
        ),
    ] {
        assert_eq!(negotiate(&inside), expected, "{inside}");
    }
}

#[test]
fn other_operations_are_judged_too() {
    for (xml, expected) in [
        (format!("<get xmlns=\"{BASE}\"/>"), "ok"),
        (
            format!(
                "<get xmlns=\"{BASE}\"><filter type=\"xpath\" select=\"/a:b\" xmlns:a=\"{AGENT}\"/></get>"
            ),
            "ok",
        ),
        (
            format!(
                "<get xmlns=\"{BASE}\"><filter type=\"subtree\"><tasks xmlns=\"{AGENT}\"/></filter></get>"
            ),
            "ok",
        ),
        (
            format!("<get xmlns=\"{BASE}\"><filter kind=\"x\"/></get>"),
            "unknown-attribute filter@kind /ietf-netconf:get/filter",
        ),
        (
            format!("<get xmlns=\"{BASE}\"><filter type=\"regex\"/></get>"),
            "bad-attribute filter@type /ietf-netconf:get/filter",
        ),
        (
            format!("<get-config xmlns=\"{BASE}\"><source><running/></source></get-config>"),
            "ok",
        ),
        (
            format!("<get-config xmlns=\"{BASE}\"/>"),
            "data-missing - /ietf-netconf:get-config/source",
        ),
        // The features candidate and startup are off.
        (
            format!("<get-config xmlns=\"{BASE}\"><source><candidate/></source></get-config>"),
            "unknown-element candidate /ietf-netconf:get-config/source",
        ),
        (
            format!("<kill-session xmlns=\"{BASE}\"/>"),
            "missing-element session-id /ietf-netconf:kill-session",
        ),
        (
            format!("<get-schema xmlns=\"{MONITORING}\"/>"),
            "missing-element identifier /ietf-netconf-monitoring:get-schema",
        ),
        (
            format!(
                "<get-schema xmlns=\"{MONITORING}\"><identifier>a</identifier><format>foo</format></get-schema>"
            ),
            "invalid-value format /ietf-netconf-monitoring:get-schema/format",
        ),
        (format!("<create-subscription xmlns=\"{EVENT}\"/>"), "ok"),
        (
            format!(
                "<create-subscription xmlns=\"{EVENT}\"><filter type=\"xpath\" select=\"/a\"/><startTime>2026-01-01T00:00:00Z</startTime></create-subscription>"
            ),
            "ok",
        ),
        (
            format!(
                "<create-subscription xmlns=\"{EVENT}\"><startTime>yesterday</startTime></create-subscription>"
            ),
            "invalid-value startTime /notifications:create-subscription/startTime",
        ),
        (
            format!("<nope xmlns=\"{AGENT}\"/>"),
            "unknown-element nope -",
        ),
        (
            format!("<tasks xmlns=\"{AGENT}\"/>"),
            "unknown-element tasks -",
        ),
        (
            format!("<condition-notifications xmlns=\"{AGENT}\"/>"),
            "unknown-element condition-notifications -",
        ),
        ("<nope xmlns=\"urn:x\"/>".into(), "unknown-namespace nope -"),
        ("<nope/>".into(), "unknown-namespace nope -"),
        (
            format!("<get xmlns=\"{BASE}\"/><get xmlns=\"{BASE}\"/>"),
            "bad-element - -",
        ),
        (String::new(), "missing-element - -"),
        ("hello".into(), "malformed-message - -"),
        ("<get".into(), "malformed-message - -"),
        ("<get xmlns=\"a\"></put>".into(), "unknown-namespace get -"),
        (
            format!("<get xmlns=\"{BASE}\"></put>"),
            "malformed-message - -",
        ),
        ("<!DOCTYPE a []><a/>".into(), "malformed-message - -"),
    ] {
        assert_eq!(rpc(&xml), expected, "{xml}");
    }
}

#[test]
fn the_path_of_an_entry_without_a_key_is_found_by_its_end() {
    for (path, orphan, found) in [
        ("/a:x/b:list", "/b:list", true),
        ("/a:x/list", "/a:list", true),
        ("/a:x/list/leaf", "/a:list/leaf", true),
        ("/a:x/b:y/list", "/a:list", false),
        ("/a:x/b:list", "/a:list", false),
        ("/a:x/my-list", "/a:list", false),
        ("/a:list", "list", false),
    ] {
        assert_eq!(super::ends_with(path, orphan), found, "{path}, {orphan}");
    }
}

#[test]
fn a_violation_binds_the_prefixes_of_its_path() {
    let xml = format!(
        "<task-negotiate xmlns=\"{AGENT}\"><round xmlns=\"{NEGOTIATION}\">0</round></task-negotiate>"
    );
    let violation = CONVOKE.check_rpc(&xml).unwrap_err();
    assert_eq!(
        violation.prefixes,
        [
            ("irtf-agent".to_owned(), AGENT.to_owned()),
            ("convoke-negotiation".to_owned(), NEGOTIATION.to_owned())
        ]
    );
}

#[test]
fn an_unknown_namespace_is_named() {
    let violation = CONVOKE.check_rpc("<a xmlns=\"urn:x\"/>").unwrap_err();
    assert_eq!(violation.namespace.as_deref(), Some("urn:x"));
}

#[test]
fn the_error_told_is_this_call_s_and_not_a_stale_one() {
    let first = CONVOKE.check_rpc("<a xmlns=\"urn:first\"/>").unwrap_err();
    let second = CONVOKE.check_rpc("<a xmlns=\"urn:second\"/>").unwrap_err();
    assert!(first.message.contains("urn:first") && second.message.contains("urn:second"));
    // An error without a record of its own must not borrow the last one's.
    let third = CONVOKE
        .check_structure("convoke-negotiation", "reply", "")
        .unwrap_err();
    assert!(!third.message.contains("urn:second"), "{third}");
}

#[test]
fn a_nul_byte_is_malformed_and_no_panic() {
    for outcome in [
        CONVOKE.check_rpc("a\0b"),
        CONVOKE.check_notification("a\0b"),
        CONVOKE.check_reply("<get/>", "a\0b"),
        CONVOKE.check_data("a\0b", true),
        CONVOKE.check_data("a\0b", false),
        CONVOKE.check_config("a\0b"),
        CONVOKE.check_structure("convoke-negotiation", "reply", "a\0b"),
    ] {
        let tag = outcome.unwrap_err().tag;
        assert!(matches!(tag, Tag::MalformedMessage | Tag::UnknownNamespace));
    }
}

#[test]
fn long_paths_and_messages_stay_of_a_size_to_send() {
    let required = format!("{PROMPT} {}", "x".repeat(20_000));
    let xml = format!(
        "<condition-notifications xmlns=\"{AGENT}\"><input-required><required>{required}</required></input-required></condition-notifications>"
    );
    let violation = CONVOKE.check_notification(&xml).unwrap_err();
    assert_eq!(
        violation.path.as_deref(),
        Some("/irtf-agent:condition-notifications/input-required")
    );
    let xml = format!(
        "<task-negotiate xmlns=\"{AGENT}\"><content>{}</content></task-negotiate>",
        "é".repeat(20_000)
    );
    let violation = CONVOKE.check_rpc(&xml).unwrap_err();
    assert_eq!(violation.message.chars().count(), 301);
}

#[test]
fn notifications_bare_and_in_their_envelope() {
    let event = |inside: &str| {
        format!(
            "<condition-notifications xmlns=\"{AGENT}\" xmlns:n=\"{NEGOTIATION}\">{inside}</condition-notifications>"
        )
    };
    let whole = |inside: &str| {
        format!(
            "<?xml version=\"1.0\"?><!-- x --><nc:notification xmlns:nc=\"{EVENT}\">{inside}</nc:notification>"
        )
    };
    let time = format!("<eventTime xmlns=\"{EVENT}\">2026-11-21T10:00:00Z</eventTime>");
    let need = format!(
        "<input-required><start-time>2026-11-21T10:00:00Z</start-time><required>{PROMPT}</required></input-required>"
    );
    for (xml, expected) in [
        (event(&need), "ok"),
        (
            event("<n:previous-status>finished</n:previous-status><n:progress>100</n:progress>"),
            "ok",
        ),
        (
            event("<n:progress>101</n:progress>"),
            "invalid-value progress /irtf-agent:condition-notifications/convoke-negotiation:progress",
        ),
        (
            event(&need.replace("<start-time>2026-11-21T10:00:00Z</start-time>", "")),
            "missing-element start-time /irtf-agent:condition-notifications/input-required[required='##target object\nsite-1\n##task description\ndiagnose']",
        ),
        (whole(&format!("{time}{}", event(&need))), "ok"),
        (whole(&event(&need)), "missing-element eventTime -"),
        (
            whole(&format!(
                "<eventTime xmlns=\"{EVENT}\">now</eventTime>{}",
                event(&need)
            )),
            "invalid-value - -",
        ),
        (
            whole(&format!("{time}{}", event("<nope/>"))),
            "unknown-element nope /irtf-agent:condition-notifications",
        ),
        (
            "<replayComplete xmlns=\"urn:ietf:params:xml:ns:netmod:notification\"/>".into(),
            "ok",
        ),
        (
            "<notificationComplete xmlns=\"urn:ietf:params:xml:ns:netmod:notification\"/>".into(),
            "ok",
        ),
    ] {
        assert_eq!(told(CONVOKE.check_notification(&xml)), expected, "{xml}");
    }
}

#[test]
fn replies_are_checked_against_their_operation() {
    let negotiate =
        format!("<task-negotiate xmlns=\"{AGENT}\"><task-id>1</task-id></task-negotiate>");
    let schema =
        format!("<get-schema xmlns=\"{MONITORING}\"><identifier>a</identifier></get-schema>");
    let reply =
        |inside: &str| format!("<rpc-reply xmlns=\"{BASE}\" message-id=\"1\">{inside}</rpc-reply>");
    for (rpc, xml, expected) in [
        (&negotiate, reply("<ok/>"), "ok"),
        (
            &negotiate,
            reply("<rpc-error><error-type>rpc</error-type></rpc-error>"),
            "ok",
        ),
        (
            &negotiate,
            reply(&format!(
                "<data xmlns=\"{AGENT}\"><reply xmlns=\"{NEGOTIATION}\"><verdict>accepted</verdict></reply></data>"
            )),
            "ok",
        ),
        (
            &negotiate,
            reply("<data/>"),
            "unknown-element data /irtf-agent:task-negotiate",
        ),
        (
            &negotiate,
            reply(&format!("<task-id xmlns=\"{AGENT}\">1</task-id>")),
            "invalid-value - -",
        ),
        (
            &schema,
            reply(&format!(
                "<data xmlns=\"{MONITORING}\">module x {{}}</data>"
            )),
            "ok",
        ),
        (&schema, "<data/>".into(), "malformed-message - -"),
        (
            &"<nope xmlns=\"urn:x\"/>".to_owned(),
            reply("<ok/>"),
            "unknown-namespace nope -",
        ),
    ] {
        assert_eq!(told(CONVOKE.check_reply(rpc, &xml)), expected, "{xml}");
    }
}

#[test]
fn data_may_be_incomplete_only_when_operational() {
    let agent = format!(
        "<agent xmlns=\"{AGENT}\"><name>a</name><description>d</description><version>1.0.0</version><provider>p</provider></agent>"
    );
    let tasks =
        format!("<tasks xmlns=\"{AGENT}\"><task-id>t</task-id><msg-data>d1</msg-data></tasks>");
    let data = format!(
        "<data-params xmlns=\"{AGENT}\"><id>d1</id><dataType>text</dataType></data-params>"
    );
    let bad = format!(
        "<data-params xmlns=\"{AGENT}\"><id>d1</id><dataType>smell</dataType></data-params>"
    );
    let keyless = format!("<data-params xmlns=\"{AGENT}\"><dataType>text</dataType></data-params>");
    let leafref = "data-missing - /irtf-agent:tasks/msg-data";
    for (xml, operational, whole) in [
        (format!("{agent}{tasks}{data}"), "ok", "ok"),
        (tasks.clone(), "ok", leafref),
        (
            format!("{tasks}{bad}"),
            "invalid-value dataType /irtf-agent:data-params[id='d1']/dataType",
            "invalid-value dataType /irtf-agent:data-params[id='d1']/dataType",
        ),
        (format!("{agent}{tasks}"), "ok", leafref),
        (
            keyless,
            "missing-element id /irtf-agent:data-params",
            "missing-element id /irtf-agent:data-params",
        ),
        (
            agent.replace("<name>a</name>", ""),
            "ok",
            "missing-element name /irtf-agent:agent",
        ),
        (String::new(), "ok", "ok"),
        (
            "<x xmlns=\"urn:x\"/>".into(),
            "unknown-namespace x -",
            "unknown-namespace x -",
        ),
    ] {
        assert_eq!(
            told(CONVOKE.check_data(&xml, true)),
            operational,
            "operational {xml}"
        );
        assert_eq!(told(CONVOKE.check_data(&xml, false)), whole, "whole {xml}");
    }
}

#[test]
fn configuration_holds_no_state() {
    let tasks = format!("<tasks xmlns=\"{AGENT}\"/>");
    assert_eq!(
        told(CONVOKE.check_config(&tasks)),
        "unknown-element tasks -"
    );
    let nacm = "<nacm xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-acm\"><groups><group><name>admin</name></group></groups></nacm>";
    assert_eq!(told(CONVOKE.check_config(nacm)), "ok");
}

#[test]
fn the_registry_takes_what_the_platform_observes() {
    let registry = format!(
        "<registry xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\">\
         <agent><name>a</name><description>d</description><version>1.0.0</version><provider>p</provider>\
         <observed><online>true</online><registered-at>2026-11-21T10:00:00Z</registered-at><layer>service</layer>\
         <endpoint>127.0.0.1:8831</endpoint><skill-detail><skill-name>s</skill-name><example>e</example></skill-detail></observed></agent>\
         <task><task-id>t</task-id><content>{PROMPT}</content><type>fault-diagnosis</type><task-version>3</task-version>\
         <created-at>2026-11-21T10:00:00Z</created-at><changed-at>2026-11-21T10:00:00Z</changed-at><progress>40</progress>\
         <result><msg-data>elsewhere</msg-data></result></task>\
         <context><id>c</id><task-id>t</task-id><sendFrom>a</sendFrom><sendTo>b</sendTo><commuType>taskAssgin</commuType>\
         <request-info><content>x</content><time>2026-11-21T10:00:00Z</time></request-info>\
         <response-info><dataParam>d</dataParam><time>2026-11-21T10:00:00Z</time></response-info></context>\
         <statistics><agents>1</agents><events>5</events></statistics></registry>"
    );
    assert_eq!(told(CONVOKE.check_data(&registry, false)), "ok");
    let wrong = registry.replace("<layer>service", "<layer>roof");
    assert_eq!(
        told(CONVOKE.check_data(&wrong, true)),
        "invalid-value layer /convoke-registry:registry/agent[name='a']/observed/layer"
    );
}

#[test]
fn the_reply_structure_is_checked_with_its_mandatory_leaf() {
    let reply = |inside: &str| format!("<reply xmlns=\"{NEGOTIATION}\">{inside}</reply>");
    for (xml, expected) in [
        (
            reply("<verdict>accepted</verdict><content>a</content><content>b</content>"),
            "ok",
        ),
        (
            reply(
                "<verdict>refused</verdict><refusal><reason>no-capacity</reason></refusal><refusal><reason>no-capacity</reason></refusal>",
            ),
            "ok",
        ),
        (
            reply("<task-id>t</task-id>"),
            "missing-element verdict /convoke-negotiation:reply",
        ),
        (
            reply("<verdict>perhaps</verdict>"),
            "invalid-value verdict /convoke-negotiation:reply/verdict",
        ),
        (
            reply("<nope/>"),
            "unknown-element nope /convoke-negotiation:reply",
        ),
        (
            format!("{0}{0}", reply("<verdict>accepted</verdict>")),
            "bad-element reply /convoke-negotiation:reply",
        ),
        (String::new(), "unknown-element - -"),
    ] {
        let outcome = CONVOKE.check_structure("convoke-negotiation", "reply", &xml);
        assert_eq!(told(outcome), expected, "{xml}");
    }
    let other = CONVOKE.check_structure(
        "convoke-negotiation",
        "answer",
        &reply("<verdict>accepted</verdict>"),
    );
    assert_eq!(told(other), "unknown-element reply -");
}

#[test]
fn eight_threads_share_a_generation_and_never_mix_up_errors() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for round in 0..500 {
                    let name = format!("t{thread}r{round}");
                    let good = format!("<task-negotiate xmlns=\"{AGENT}\"><task-id>{name}</task-id><content>{PROMPT}</content></task-negotiate>");
                    CONVOKE.check_rpc(&good).unwrap();
                    let bad = format!("<task-negotiate xmlns=\"{AGENT}\"><{name}/></task-negotiate>");
                    assert_eq!(CONVOKE.check_rpc(&bad).unwrap_err().element.as_deref(), Some(&*name));
                    let data = format!("<tasks xmlns=\"{AGENT}\"><task-id>{name}</task-id></tasks>");
                    assert_eq!(CONVOKE.select(&data, "/a:tasks/a:task-id", &[("a", AGENT)]).unwrap(), data);
                }
            });
        }
    });
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow_the_stack() {
    let (open, close) = ("<a>".repeat(200_000), "</a>".repeat(200_000));
    let get = format!("<get xmlns=\"{BASE}\"><filter>{open}{close}</filter></get>");
    assert!(CONVOKE.check_rpc(&get).is_err());
    assert!(
        CONVOKE
            .check_data(&format!("<a xmlns=\"urn:x\">{open}{close}</a>"), true)
            .is_err()
    );
    let tasks = format!("<tasks xmlns=\"{AGENT}\">{open}{close}</tasks>");
    assert!(CONVOKE.select(&tasks, "//*", &[]).is_err());
    let parentheses = format!("{}1{}", "(".repeat(200_000), ")".repeat(200_000));
    assert!(CONVOKE.select("", &parentheses, &[]).is_err());
    let predicates = format!("/a:tasks{}", "[a:content".repeat(50_000));
    assert!(CONVOKE.select("", &predicates, &[("a", AGENT)]).is_err());
}

/// The module as served, its patterns compiled as they are written.
static AS_WRITTEN: LazyLock<Arc<Generation>> = LazyLock::new(|| {
    let set = ModuleSet::convoke();
    let text = set.text("irtf-agent").unwrap().to_owned();
    Generation::load(&set.with_text("irtf-agent", text)).unwrap()
});

#[test]
fn a_refused_pattern_is_told_as_the_module_has_it() {
    let bad = format!("<task-negotiate xmlns=\"{AGENT}\"><content>x</content></task-negotiate>");
    let message = |generation: &Generation| generation.check_rpc(&bad).unwrap_err().message;
    assert_eq!(message(&CONVOKE), message(&AS_WRITTEN));
    assert_eq!(
        CONVOKE.schema("irtf-agent", None),
        AS_WRITTEN.schema("irtf-agent", None)
    );
}

#[test]
fn a_content_of_megabytes_is_taken_at_once() {
    let content = format!("{PROMPT} {}", "# word\n".repeat(300_000));
    let started = std::time::Instant::now();
    assert_eq!(negotiate(&format!("<content>{content}</content>")), "ok");
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

proptest! {
    #[test]
    fn patterns_accept_the_same_compiled_and_as_written(
        parts in prop::collection::vec(
            prop::sample::select(vec!["##", "#", " ", "\n", "target object", "task description", "x", "é", "##target object\n1", "## task description a"]),
            0..9,
        )
    ) {
        let xml = format!("<task-negotiate xmlns=\"{AGENT}\"><content>{}</content></task-negotiate>", parts.concat());
        prop_assert_eq!(CONVOKE.check_rpc(&xml), AS_WRITTEN.check_rpc(&xml));
    }

    #[test]
    fn no_text_makes_a_check_panic(text in ".{0,80}", inside in "[<>/a-c&;'\"= :!?\\[\\]-]{0,60}") {
        for xml in [text.clone(), inside.clone(), format!("<task-negotiate xmlns=\"{AGENT}\"><content>{text}</content>{inside}</task-negotiate>")] {
            let _ = CONVOKE.check_rpc(&xml);
            let _ = CONVOKE.check_notification(&xml);
            let _ = CONVOKE.check_data(&xml, true);
            let _ = CONVOKE.check_reply(&format!("<get xmlns=\"{BASE}\"/>"), &xml);
            let _ = CONVOKE.select(&xml, &text, &[("a", AGENT)]);
            let _ = CONVOKE.select(&format!("<tasks xmlns=\"{AGENT}\"/>"), &inside, &[("a", AGENT)]);
        }
    }
}
