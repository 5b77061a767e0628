//! Tests of `generation.rs`, `library.rs`, `node.rs` and `set.rs`.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::node::{DefaultDeny, Kind};

fn convoke() -> Arc<Generation> {
    Generation::load(&ModuleSet::convoke()).unwrap()
}

fn evolving(key: &str) -> String {
    format!(
        "module evolving {{ yang-version 1.1; namespace \"urn:e\"; prefix e; revision 2026-11-21; feature f; container c {{ leaf {key} {{ type uint8; }} }} }}"
    )
}

#[test]
fn hello_announces_yang_1_modules_only() {
    insta::assert_snapshot!(convoke().capabilities().join("\n"), @r"
    urn:ietf:params:xml:ns:yang:agent-message?module=agent-message&revision=2025-07-01
    urn:convoke:params:xml:ns:yang:convoke-deviations?module=convoke-deviations&revision=2026-11-21
    urn:ietf:params:xml:ns:yang:ietf-inet-types?module=ietf-inet-types&revision=2025-12-22
    urn:ietf:params:xml:ns:netconf:base:1.0?module=ietf-netconf&revision=2011-06-01&features=xpath
    urn:ietf:params:xml:ns:yang:ietf-netconf-acm?module=ietf-netconf-acm&revision=2018-02-14
    urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring?module=ietf-netconf-monitoring&revision=2010-10-04
    urn:ietf:params:xml:ns:yang:ietf-netconf-notifications?module=ietf-netconf-notifications&revision=2012-02-06
    urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults?module=ietf-netconf-with-defaults&revision=2011-06-01
    urn:ietf:params:xml:ns:yang:ietf-restconf-monitoring?module=ietf-restconf-monitoring&revision=2017-01-26
    urn:ietf:params:xml:ns:yang:ietf-yang-metadata?module=ietf-yang-metadata&revision=2016-08-05
    urn:ietf:params:xml:ns:yang:ietf-yang-types?module=ietf-yang-types&revision=2025-12-22
    urn:ietf:params:xml:ns:yang:irtf-agent?module=irtf-agent&revision=2025-07-01&deviations=convoke-deviations
    urn:ietf:params:xml:ns:netmod:notification?module=nc-notifications&revision=2008-07-14
    urn:ietf:params:xml:ns:netconf:notification:1.0?module=notifications&revision=2008-07-14
    ");
}

#[test]
fn yang_library_is_valid_and_complete() {
    let convoke = convoke();
    let both = format!(
        "{}{}",
        convoke.yang_library_xml(),
        convoke.modules_state_xml()
    );
    convoke.check_data(&both, false).unwrap();
    for module in convoke.modules() {
        let named = format!("<name>{}</name>", module.name);
        assert!(convoke.yang_library_xml().contains(&named), "{named}");
        assert!(convoke.modules_state_xml().contains(&named), "{named}");
    }
    for part in [
        "ds:operational<",
        "ds:running<",
        "<feature>with-defaults</feature>",
        "<deviation>convoke-deviations</deviation>",
        "<feature>xpath</feature>",
    ] {
        assert!(convoke.yang_library_xml().contains(part), "{part}");
    }
    assert!(!convoke.yang_library_xml().contains("<feature>origin<"));
    assert!(
        convoke
            .yang_library_capability()
            .ends_with(convoke.content_id())
    );
}

#[test]
fn every_announced_module_has_a_text_that_loads_again() {
    let convoke = convoke();
    let mut set = ModuleSet::empty();
    for module in convoke.modules() {
        let text = convoke
            .schema(&module.name, Some(&module.revision))
            .unwrap();
        assert_eq!(convoke.schema(&module.name, None), Some(text));
        assert!(text.contains(&module.namespace), "{}", module.name);
        set = set.with_import(&module.name, text);
    }
    assert_eq!(convoke.schemas().count(), convoke.modules().len());
    for name in [
        "convoke-registry",
        "convoke-negotiation",
        "convoke-deviations",
        "nc-notifications",
    ] {
        let text = convoke.schema(name, None).unwrap();
        set = set.with_text(name, text);
    }
    Generation::load(&set).unwrap();
    assert_eq!(convoke.schema("irtf-agent", Some("1999-01-01")), None);
    assert_eq!(convoke.schema("nope", None), None);
}

/// W25: the draft's module loads, with its corrections.
#[test]
fn what_the_draft_calls_configuration_is_state_here() {
    let convoke = convoke();
    let writable: Vec<_> = convoke
        .schema_nodes()
        .iter()
        .filter(|node| node.config && node.module != "ietf-netconf-acm")
        .map(|node| node.path.as_str())
        .collect();
    assert_eq!(writable, Vec::<&str>::new());
}

#[test]
fn nodes_tell_what_access_control_and_documentation_need() {
    let convoke = convoke();
    let node = |path: &str| {
        convoke
            .schema_node(path)
            .unwrap_or_else(|| panic!("{path}"))
    };
    assert_eq!(node("/irtf-agent:data-params").keys, ["id"]);
    assert!(node("/irtf-agent:data-params/id").is_key);
    assert!(node("/irtf-agent:agent/name").mandatory);
    assert!(!node("/irtf-agent:agent").mandatory);
    assert_eq!(node("/irtf-agent:agent/alias").default, None);
    assert_eq!(
        node("/notifications:create-subscription/input/stream")
            .default
            .as_deref(),
        Some("NETCONF")
    );
    let progress = node("/irtf-agent:condition-notifications/convoke-negotiation:progress");
    assert_eq!(
        (progress.units.as_deref(), progress.module.as_str()),
        (Some("percent"), "convoke-negotiation")
    );
    assert_eq!(
        node("/irtf-agent:task-negotiate/input/convoke-negotiation:round").instance_path(),
        "/irtf-agent:task-negotiate/convoke-negotiation:round"
    );
    assert_eq!(
        node("/ietf-netconf:get-config/input/source/running").kind,
        Kind::Leaf
    );
    assert_eq!(
        node("/ietf-netconf:kill-session").nacm_default_deny,
        Some(DefaultDeny::All)
    );
    assert_eq!(
        node("/ietf-netconf:kill-session/input/session-id").nacm_default_deny,
        Some(DefaultDeny::All)
    );
    assert_eq!(
        node("/ietf-netconf-acm:nacm/enable-nacm").nacm_default_deny,
        Some(DefaultDeny::All)
    );
    assert_eq!(node("/ietf-netconf:get").nacm_default_deny, None);
    // Every data node has a description, which the pages for people show.
    for node in convoke.schema_nodes() {
        let described =
            node.description.is_some() || matches!(node.kind, Kind::Input | Kind::Output);
        let ours = node.module.starts_with("convoke") || node.module.ends_with("notifications");
        assert!(
            described || !ours || node.module.starts_with("ietf"),
            "{}",
            node.path
        );
    }
}

#[test]
fn operations_and_events_are_listed() {
    let convoke = convoke();
    let names = |kind: Kind| -> Vec<String> {
        let all = convoke
            .schema_nodes()
            .iter()
            .filter(|node| node.kind == kind);
        all.map(|node| format!("{}:{}", node.module, node.name))
            .collect()
    };
    assert!(convoke.rpcs().any(|rpc| rpc.name == "task-negotiate"));
    assert_eq!(convoke.rpcs().count(), names(Kind::Rpc).len());
    assert_eq!(
        names(Kind::Notification),
        [
            "convoke-cluster:lead-moved",
            "convoke-ems:performance-report",
            "convoke-ems:field-report",
            "convoke-ems:customer-complaint",
            "convoke-ems:customer-ticket",
            "convoke-ems:customer-answer",
            "convoke-negotiation:negotiation-update",
            "convoke-policy:policy-update",
            "convoke-registry:agent-update",
            "convoke-schema:schema-update",
            "ietf-alarms:alarm-notification",
            "ietf-alarms:alarm-inventory-changed",
            "ietf-netconf-notifications:netconf-config-change",
            "ietf-netconf-notifications:netconf-capability-change",
            "ietf-netconf-notifications:netconf-session-start",
            "ietf-netconf-notifications:netconf-session-end",
            "ietf-netconf-notifications:netconf-confirmed-commit",
            "ietf-yang-library:yang-library-update",
            "ietf-yang-library:yang-library-change",
            "irtf-agent:condition-notifications",
            "nc-notifications:replayComplete",
            "nc-notifications:notificationComplete",
        ]
    );
    assert_eq!(
        convoke.namespace_of("irtf-agent"),
        Some("urn:ietf:params:xml:ns:yang:irtf-agent")
    );
    assert_eq!(
        convoke.module_of("urn:ietf:params:xml:ns:netconf:base:1.0"),
        Some("ietf-netconf")
    );
    assert_eq!(
        (convoke.namespace_of("nope"), convoke.module_of("urn:nope")),
        (None, None)
    );
}

#[test]
fn a_new_generation_stands_beside_the_old_one() {
    let first =
        Generation::load(&ModuleSet::convoke().with_text("evolving", evolving("before"))).unwrap();
    let set = ModuleSet::convoke()
        .with_text("evolving", evolving("before"))
        .with_text("evolving", evolving("after"));
    let second = Generation::load(&set).unwrap();
    let data = |key: &str| format!("<c xmlns=\"urn:e\"><{key}>1</{key}></c>");
    for (generation, good, bad) in [(&first, "before", "after"), (&second, "after", "before")] {
        generation.check_data(&data(good), false).unwrap();
        assert!(generation.check_data(&data(bad), false).is_err());
        assert_eq!(generation.module("evolving").unwrap().features, ["f"]);
    }
    assert_ne!(first.content_id(), second.content_id());
    drop(first);
    second.check_data(&data("after"), false).unwrap();
}

#[test]
fn equal_sets_have_equal_content_ids() {
    assert_eq!(convoke().content_id(), convoke().content_id());
    let fewer = Generation::load(&ModuleSet::convoke().without("convoke-registry")).unwrap();
    assert_ne!(convoke().content_id(), fewer.content_id());
}

#[test]
fn a_failing_trial_says_why_and_harms_nothing() {
    let standing = convoke();
    for (text, part) in [
        ("module evolving {", "end-of-input"),
        (&*evolving("a").replace("uint8", "nothing"), "nothing"),
        (
            &*evolving("a").replace("module evolving", "module other"),
            "other",
        ),
        (
            "module evolving { namespace \"urn:e\"; prefix e; import missing { prefix m; } }",
            "missing",
        ),
    ] {
        let set = ModuleSet::convoke().with_text("evolving", text);
        match Generation::load(&set).unwrap_err() {
            LoadError::Refused { message, .. } => assert!(message.contains(part), "{message}"),
            other => panic!("{other}"),
        }
        standing
            .check_data(standing.yang_library_xml(), true)
            .unwrap();
    }
    for set in [
        ModuleSet::convoke().with_text("a\0", "x"),
        ModuleSet::convoke().with_text("a", "x\0"),
    ] {
        assert!(matches!(Generation::load(&set), Err(LoadError::Nul { .. })));
    }
    let absent = ModuleSet::empty().with_text("a", "module b { namespace \"urn:b\"; prefix b; }");
    assert!(Generation::load(&absent).is_err());
}

#[test]
fn submodules_are_announced_and_served() {
    let set = ModuleSet::empty()
        .with_text("whole", "module whole { yang-version 1.1; namespace \"urn:w\"; prefix w; include part; }")
        .with_import("part", "submodule part { yang-version 1.1; belongs-to whole { prefix w; } revision 2026-11-21; leaf a { type string; } }");
    let generation = Generation::load(&set).unwrap();
    assert_eq!(
        generation.module("whole").unwrap().submodules,
        [("part".to_owned(), "2026-11-21".to_owned())]
    );
    assert!(
        generation
            .schema("part", None)
            .unwrap()
            .starts_with("submodule part")
    );
    let both = format!(
        "{}{}",
        generation.yang_library_xml(),
        generation.modules_state_xml()
    );
    generation.check_data(&both, false).unwrap();
}

#[test]
fn a_structure_is_known_with_what_augments_it() {
    let convoke = convoke();
    let nodes = convoke.structure_nodes().iter();
    let paths: Vec<&str> = nodes.map(|node| node.path.as_str()).collect();
    for path in [
        "/convoke-negotiation:reply",
        "/convoke-negotiation:reply/verdict",
        "/convoke-negotiation:reply/refusal/message",
        "/convoke-negotiation:reply/convoke-schema:payload-warning",
        "/convoke-negotiation:reply/convoke-schema:schema-update-suggestion/patch-id",
    ] {
        assert!(paths.contains(&path), "{path} is not in {paths:?}");
        assert_eq!(convoke.schema_node(path), None, "it is no datum: {path}");
    }
}
