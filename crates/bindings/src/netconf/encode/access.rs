//! `/nacm` (RFC 8341): the access rules in force, as `access.toml` states them.
//!
//! Marked `nacm:default-deny-all` by its module: only a rule opens it. This is the one
//! configuration that the platform serves; it is changed in the file, not over NETCONF.

use crate::netconf::platform::Totals;
use ::netconf::data::{Defaulted, Node};
use ::netconf::names::namespace::ACCESS_CONTROL;
use domain::access::{AccessOperation, AccessRules, Action, Rule, RuleTarget};
use std::sync::atomic::Ordering::Relaxed;
use yang::Generation;

pub(super) fn nacm<'a>(
    rules: &'a AccessRules,
    (denied_operations, totals): (u32, &Totals),
    schema: &'a Generation,
) -> Node<'a> {
    let mut groups = Node::container("", "groups");
    for (name, users) in &rules.groups {
        let group = Node::entry("", "group", 1)
            .leaf("name", name)
            .leaf_list("user-name", users);
        groups.push(group);
    }
    let mut nacm = Node::container(ACCESS_CONTROL, "nacm")
        .leaf_defaulted("enable-nacm", rules.enabled, like(rules.enabled))
        .leaf_defaulted(
            "read-default",
            action(rules.read_default),
            like(rules.read_default == Action::Permit),
        )
        .leaf_defaulted(
            "write-default",
            action(rules.write_default),
            like(rules.write_default == Action::Deny),
        )
        .leaf_defaulted(
            "exec-default",
            action(rules.exec_default),
            like(rules.exec_default == Action::Permit),
        )
        .leaf_defaulted("enable-external-groups", true, Defaulted::Implicit)
        .with(counter("denied-operations", denied_operations))
        .with(counter("denied-data-writes", 0))
        .with(counter(
            "denied-notifications",
            totals.denied_notifications.load(Relaxed),
        ))
        .with(groups);
    for list in &rules.lists {
        let mut entry = Node::entry("", "rule-list", 1)
            .leaf("name", &list.name)
            .leaf_list("group", &list.groups);
        for r in &list.rules {
            entry.push(rule(r, schema));
        }
        nacm.push(entry);
    }
    nacm
}

fn like(is_default: bool) -> Defaulted {
    if is_default {
        Defaulted::Explicit
    } else {
        Defaulted::No
    }
}

fn counter(name: &'static str, value: u32) -> Node<'static> {
    Node::value("", name, value).state()
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Permit => "permit",
        Action::Deny => "deny",
    }
}

fn rule<'a>(rule: &'a Rule, schema: &'a Generation) -> Node<'a> {
    let entry = Node::entry("", "rule", 1)
        .leaf("name", &rule.name)
        .leaf_defaulted("module-name", &rule.module, like(rule.module == "*"));
    let entry = match &rule.target {
        RuleTarget::Everything => entry,
        RuleTarget::Rpc(name) => entry.leaf("rpc-name", name),
        RuleTarget::Notification(name) => entry.leaf("notification-name", name),
        RuleTarget::Data(path) => entry.with(data_path(&rule.module, path, schema)),
    };
    let operations = operations(rule);
    let all = operations == "*";
    entry
        .leaf_defaulted("access-operations", operations, like(all))
        .leaf("action", action(rule.action))
}

/// The `path` of a rule, a node-instance-identifier: every name has a prefix, bound to the rule's
/// module. `/` is all data.
fn data_path<'a>(module: &'a str, path: &[String], schema: &'a Generation) -> Node<'a> {
    const PREFIX: &str = "m";
    if path.is_empty() {
        return Node::value("", "path", "/");
    }
    // A rule for every module (`*`) is about the module that has such a node.
    let namespace = match module {
        "*" => path.first().and_then(|top| namespace_with(top, schema)),
        module => schema.namespace_of(module),
    };
    let Some(namespace) = namespace else {
        // It names a module that is not served, so nothing can bind its names.
        return Node::value("", "path", "/");
    };
    let steps: String = path
        .iter()
        .map(|step| format!("/{PREFIX}:{step}"))
        .collect();
    Node::value("", "path", steps).prefix(PREFIX, namespace)
}

fn namespace_with<'a>(top: &str, schema: &'a Generation) -> Option<&'a str> {
    let node = schema
        .schema_nodes()
        .iter()
        .find(|node| !node.in_operation && node.name == top && node.path.matches('/').count() == 1);
    node.map(|node| node.namespace.as_str())
}

/// The bits in the order of their positions, which is the canonical one; `*` for all.
fn operations(rule: &Rule) -> String {
    let all = [
        (AccessOperation::Write, "create"),
        (AccessOperation::Read, "read"),
        (AccessOperation::Write, "update"),
        (AccessOperation::Write, "delete"),
        (AccessOperation::Exec, "exec"),
    ];
    let names: Vec<&str> = all
        .iter()
        .filter(|(operation, _)| rule.operations.contains(operation))
        .map(|(_, name)| *name)
        .collect();
    if names.len() == all.len() {
        "*".to_owned()
    } else {
        names.join(" ")
    }
}
