//! The access rules of `domain::access` as the data writer and the rpc switch need them.
//!
//! Reading is compiled once per set of groups into a tree of paths (RFC 8341 §3.4.5). Read next:
//! [`super::platform`].

use ::netconf::filter::{PermitRule, PermitStep, PermitTree};
use domain::access::{AccessOperation, AccessRules, Action, Principal, Rule, RuleTarget};
use yang::{DefaultDeny, Generation};

/// What this principal may read of the data, as far as nodes are concerned.
pub(crate) fn read_permit(rules: &AccessRules, who: &Principal, schema: &Generation) -> PermitTree {
    if !rules.enabled {
        return PermitTree::permit_all();
    }
    let applicable = rules
        .lists
        .iter()
        .filter(|list| {
            list.groups
                .iter()
                .any(|g| g == "*" || who.groups.contains(g))
        })
        .flat_map(|list| &list.rules)
        .filter(|rule| rule.operations.contains(&AccessOperation::Read))
        .flat_map(|rule| permit_rule(rule, schema));
    let guarded = schema
        .schema_nodes()
        .iter()
        .filter(|node| node.nacm_default_deny == Some(DefaultDeny::All) && !node.in_operation)
        .filter_map(|node| steps_of(&node.path, schema))
        .map(|steps| PermitRule::path(steps, false));
    PermitTree::new(
        rules.read_default == Action::Permit,
        applicable.chain(guarded),
    )
}

fn permit_rule(rule: &Rule, schema: &Generation) -> Vec<PermitRule> {
    let permit = rule.action == Action::Permit;
    let namespaces: Vec<&str> = match rule.module.as_str() {
        "*" => schema
            .modules()
            .iter()
            .map(|m| m.namespace.as_str())
            .collect(),
        module => schema.namespace_of(module).into_iter().collect(),
    };
    match &rule.target {
        RuleTarget::Rpc(_) | RuleTarget::Notification(_) => Vec::new(),
        RuleTarget::Everything if rule.module == "*" => vec![PermitRule::everywhere(permit)],
        RuleTarget::Data(path) if path.is_empty() && rule.module == "*" => {
            vec![PermitRule::everywhere(permit)]
        }
        RuleTarget::Everything => namespaces
            .into_iter()
            .map(|namespace| PermitRule::namespace(namespace, permit))
            .collect(),
        RuleTarget::Data(path) if path.is_empty() => namespaces
            .into_iter()
            .map(|namespace| PermitRule::namespace(namespace, permit))
            .collect(),
        RuleTarget::Data(path) => namespaces
            .into_iter()
            .map(|namespace| {
                let steps = path.iter().map(|name| PermitStep::new(namespace, name));
                PermitRule::path(steps.collect(), permit)
            })
            .collect(),
    }
}

/// A schema path `/module:name/name` as steps with namespaces.
fn steps_of(path: &str, schema: &Generation) -> Option<Vec<PermitStep>> {
    let mut module = "";
    path.split('/')
        .skip(1)
        .map(|step| {
            let (prefix, name) = step.split_once(':').unwrap_or((module, step));
            module = prefix;
            Some(PermitStep::new(schema.namespace_of(module)?, name))
        })
        .collect()
}
