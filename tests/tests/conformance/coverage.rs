//! Everything announced is served: every leaf of the compiled modules occurs in a message of the
//! conformance cases, and every RPC, notification and kind of error has a case, or is in a list
//! here with the reason.
//!
//! Read next: `harness::judge`, which records the messages' nodes.

use super::ALL_IN_MEMORY;
use domain::audit::AuditKind;
use harness::conformance;
use yang::{Kind, SchemaNode};

/// Nodes without a case, by the beginning of their path, with the reason.
const UNSEEN: &[(&str, &str)] = &[
    // The draft's module.
    (
        "/irtf-agent:agent/authentication/authentication-methods/jwtInfo",
        SECRET,
    ),
    (
        "/irtf-agent:agent/authentication/authentication-methods/oauth",
        SECRET,
    ),
    (
        "/irtf-agent:msg-base",
        "never present, as convoke-deviations says",
    ),
    (
        "/irtf-agent:data",
        "never present, as convoke-deviations says",
    ),
    (
        "/irtf-agent:context/request-info/dataParam",
        "requests carry their content in words",
    ),
    // Its companions.
    (
        "/convoke-registry:registry/agent/authentication/authentication-methods/jwtInfo",
        SECRET,
    ),
    (
        "/convoke-registry:registry/agent/authentication/authentication-methods/oauth",
        SECRET,
    ),
    (
        "/convoke-usage:usage/agent/step-since",
        "agents of the cases step in no time: crates/engine/tests/actors/activity.rs",
    ),
    (
        "/convoke-usage:usage/store/size",
        "told of a store in a file: crates/server/tests/restconf",
    ),
    (
        "/convoke-usage:usage/verification/began",
        "a store in memory is not verified: crates/server/tests/restconf",
    ),
    (
        "/convoke-usage:usage/verification/ended",
        "a store in memory is not verified: crates/server/tests/restconf",
    ),
    (
        "/convoke-usage:usage/verification/rows",
        "a store in memory is not verified: crates/server/tests/restconf",
    ),
    (
        "/convoke-usage:usage/verification/entries",
        "a store in memory is not verified: crates/server/tests/restconf",
    ),
    // Standard modules: what a server may have and this one has not.
    (
        "/ietf-netconf-acm:nacm/rule-list/rule/comment",
        "access.toml has comments of its own",
    ),
    (
        "/nc-notifications:netconf/streams/stream/replayLogAgedTime",
        "the log of the cases forgets nothing",
    ),
    (
        "/ietf-netconf-monitoring:netconf-state/datastores/datastore/locks/partial-lock",
        "no partial locks",
    ),
    (
        "/ietf-netconf-notifications:netconf-config-change",
        "the configuration does not change",
    ),
    (
        "/ietf-netconf-notifications:netconf-capability-change",
        "not sent yet when a generation is swapped",
    ),
    (
        "/ietf-netconf-notifications:netconf-confirmed-commit",
        "no confirmed commit",
    ),
    (
        "/ietf-restconf-monitoring:restconf-state",
        "told where RESTCONF is served: crates/server/tests/restconf",
    ),
    (
        "/ietf-yang-library:yang-library-update",
        "not sent yet when a generation is swapped",
    ),
    ("/ietf-yang-library:yang-library-change", "obsolete"),
    (
        "/ietf-yang-library:yang-library/module-set/module/submodule",
        "no module has submodules",
    ),
    (
        "/ietf-yang-library:yang-library/module-set/import-only-module/submodule",
        "no module has submodules",
    ),
    (
        "/ietf-yang-library:yang-library/module-set/module/location",
        "get-schema serves them",
    ),
    (
        "/ietf-yang-library:yang-library/module-set/import-only-module/location",
        "get-schema serves them",
    ),
    (
        "/ietf-yang-library:modules-state/module/schema",
        "get-schema serves them",
    ),
    (
        "/ietf-yang-library:modules-state/module/submodule",
        "no module has submodules",
    ),
    (
        "/ietf-alarms:alarm-inventory-changed",
        "which alarms are possible does not change",
    ),
    (
        "/ietf-alarms:alarm-notification/alt-resource",
        "an element has one name",
    ),
    (
        "/ietf-alarms:alarms/alarm-list/alarm/alt-resource",
        "an element has one name",
    ),
    (
        "/ietf-alarms:alarms/alarm-inventory/alarm-type/resource",
        "any element of the domain",
    ),
    (
        "/ietf-alarms:alarms/alarm-inventory/alarm-type/severity-level",
        "any",
    ),
    (
        "/ietf-network:networks/network/supporting-network",
        "no network lies on another",
    ),
    (
        "/ietf-network:networks/network/node/supporting-node",
        "no network lies on another",
    ),
    (
        "/ietf-network:networks/network/ietf-network-topology:link/supporting-link",
        "no network lies on another",
    ),
    (
        "/ietf-network:networks/network/node/ietf-network-topology:termination-point/supporting-termination-point",
        "no network lies on another",
    ),
    (
        "/ietf-network:networks/network/ietf-network-topology:link/convoke-ems:parent",
        "a link is built into nothing",
    ),
];

/// Operations that are denied to everyone, with a case `write-…` each.
const REFUSED: &[&str] = &["edit-config", "copy-config", "delete-config", "edit-data"];

const SECRET: &str = "credentials are read by nobody; access-secrets shows it";

/// The prefix of the namespaces of templates' own modules. Their keys are data of the templates,
/// and their forms are tested in `renderings.rs`; `schema-payload-typed` shows that they are
/// served.
const TEMPLATES: &str = "urn:convoke:params:xml:ns:yang:schema:";

/// True if the node is in the list.
fn listed(node: &SchemaNode) -> bool {
    UNSEEN.iter().any(|(path, _)| is_below(node, path))
}

/// True if the node has that path, or is below it; `/module:` is above all nodes of a module.
fn is_below(node: &SchemaNode, path: &str) -> bool {
    let rest = node.path.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || path.ends_with(':'))
}

fn excused(node: &SchemaNode) -> bool {
    listed(node)
        || node.namespace.starts_with(TEMPLATES)
        || REFUSED.iter().any(|rpc| {
            let mut steps = node.path.split('/').skip(1);
            steps
                .next()
                .is_some_and(|top| top.ends_with(&format!(":{rpc}")))
        })
}

#[test]
fn every_leaf_rpc_and_notification_was_in_a_message() {
    // Cases that somebody picked need not show everything.
    if std::env::var("CONFORMANCE_CASE").is_ok_and(|wanted| !wanted.is_empty()) {
        return;
    }
    let seen = &ALL_IN_MEMORY.seen;
    let schema = testkit::generation();
    let wanted = |node: &&SchemaNode| {
        let terminal = matches!(
            node.kind,
            Kind::Leaf | Kind::LeafList | Kind::AnyXml | Kind::AnyData
        );
        terminal || node.kind == Kind::Notification
    };
    let paths = |filter: &dyn Fn(&SchemaNode) -> bool| {
        let nodes = schema.schema_nodes().iter().filter(wanted);
        let paths = nodes.filter(|node| filter(node)).map(|n| n.path.as_str());
        paths.collect::<Vec<_>>().join("\n")
    };
    let missing = paths(&|node| !seen.contains(&node.path) && !excused(node));
    assert_eq!(missing, "", "in no message of any case");
    let shown = paths(&|node| seen.contains(&node.path) && listed(node));
    assert_eq!(shown, "", "excused although a case shows it");
}

#[test]
fn every_rpc_has_a_case() {
    let sent: String = conformance::cases(&conformance::directory())
        .iter()
        .flat_map(|case| &case.steps)
        .filter(|step| step.action == "send")
        .map(|step| step.text.as_str())
        .collect();
    let schema = testkit::generation();
    let missing: Vec<&str> = schema
        .rpcs()
        .filter(|rpc| !excused(rpc) || REFUSED.contains(&rpc.name.as_str()))
        .filter(|rpc| !names(&sent, &rpc.name))
        .map(|rpc| rpc.path.as_str())
        .collect();
    assert!(missing.is_empty(), "rpcs without a case: {missing:?}");
}

/// Whether an element of this name, with or without a prefix, begins in some text.
fn names(text: &str, element: &str) -> bool {
    let begins = text.match_indices(element);
    begins.into_iter().any(|(at, _)| {
        let before = text[..at].ends_with(['<', ':']);
        let after = text[at + element.len()..].chars().next();
        before && after.is_some_and(|c| c.is_whitespace() || c == '/' || c == '>')
    })
}

/// Error kinds of the platform itself that no case can cause.
const UNPROVOKED: &[&str] = &[
    "busy",
    "mailbox-full",
    "memory-short",
    "write-rate",
    "store-full",
    "store-locked",
    "store-unreachable",
    "leader-changed",
    "data-corrupt",
    "store-failed",
];

#[test]
fn every_kind_of_error_has_a_case() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/bindings/src/netconf"
    );
    let parts = std::fs::read_dir(format!("{folder}/error")).expect("the files that know tags");
    let parts = parts.map(|part| part.expect("a file").path());
    let source: String = parts
        .chain([format!("{folder}/error.rs").into()])
        .map(|file| std::fs::read_to_string(file).expect("a source"))
        .collect();
    let tags = source.split(".app_tag(\"").skip(1);
    let tags = tags.filter_map(|rest| rest.split('"').next());
    let expected: String = conformance::cases(&conformance::directory())
        .iter()
        .flat_map(|case| &case.steps)
        .filter(|step| step.action == "expect")
        .map(|step| step.text.as_str())
        .collect();
    let shown = |tag: &str| expected.contains(&format!("<error-app-tag>{tag}<"));
    let missing: Vec<&str> = tags
        .filter(|tag| !shown(tag) && !UNPROVOKED.contains(tag))
        .collect();
    assert!(missing.is_empty(), "app-tags without a case: {missing:?}");
}

/// Every entry of the list matches a node of the schema.
#[test]
fn every_excuse_is_about_a_node_of_the_schema() {
    let schema = testkit::generation();
    let stale: Vec<&str> = UNSEEN
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| {
            !schema
                .schema_nodes()
                .iter()
                .any(|node| is_below(node, path))
        })
        .collect();
    assert!(stale.is_empty(), "{stale:?}");
}

/// The recorded kinds of audit events are those of the module, in the same order: a kind missing
/// from either could be written but not read back.
#[test]
fn every_kind_of_audit_record_is_of_the_module_and_the_other_way_round() {
    let module = include_str!("../../../yang/convoke-audit@2026-11-29.yang");
    let named = module
        .lines()
        .filter_map(|line| line.trim().strip_prefix("enum "))
        .map(|line| line.trim_end_matches(['{', ';', ' ']));
    let recorded = AuditKind::ALL.iter().map(|kind| kind.as_str());
    assert_eq!(recorded.collect::<Vec<_>>(), named.collect::<Vec<_>>());
}
