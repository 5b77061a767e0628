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
        .rules_for(who)
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use ::netconf::data::{Node, write};
    use ::netconf::filter::Projection;
    use std::collections::{BTreeMap, BTreeSet};
    use yang::ModuleSet;

    const AGENT: &str = crate::netconf::AGENT_NAMESPACE;

    fn rule(module: &str, path: &[&str], action: Action) -> Rule {
        Rule {
            name: "r".to_owned(),
            module: module.to_owned(),
            target: RuleTarget::Data(path.iter().map(|s| (*s).to_owned()).collect()),
            operations: [AccessOperation::Read].into(),
            action,
        }
    }

    /// What a member of `readers` sees of `/agent` and `/nacm` under these rules.
    fn seen(rules: Vec<Rule>, read_default: Action) -> String {
        let schema = Generation::load(&ModuleSet::convoke()).unwrap();
        let rules = AccessRules {
            enabled: true,
            read_default,
            write_default: Action::Deny,
            exec_default: Action::Deny,
            groups: BTreeMap::new(),
            lists: vec![domain::access::RuleList {
                name: "l".to_owned(),
                groups: ["readers".to_owned()].into(),
                rules,
            }],
        };
        let who = Principal {
            name: "u".to_owned(),
            groups: BTreeSet::from(["readers".to_owned()]),
            agent: false,
            source: String::new(),
        };
        let permit = read_permit(&rules, &who, &schema);
        let projection = Projection::everything().permit(&permit);
        let mut out = Vec::new();
        let agent = Node::container(AGENT, "agent")
            .leaf("name", "a")
            .leaf("alias", "b");
        let nacm = Node::container(::netconf::names::namespace::ACCESS_CONTROL, "nacm")
            .leaf("enable-nacm", true);
        write(&agent, &projection, &mut out);
        write(&nacm, &projection, &mut out);
        let text = String::from_utf8(out).unwrap();
        let names = text
            .split('<')
            .filter_map(|tag| tag.split([' ', '>']).next());
        names
            .filter(|n| !n.is_empty() && !n.starts_with('/'))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn a_path_is_permitted_or_denied_with_all_below_whatever_names_its_module() {
        for module in ["irtf-agent", "*"] {
            let alias = |action| rule(module, &["agent", "alias"], action);
            assert_eq!(
                seen(vec![alias(Action::Permit)], Action::Deny),
                "agent alias"
            );
            assert_eq!(
                seen(vec![alias(Action::Deny)], Action::Permit),
                "agent name"
            );
        }
    }

    #[test]
    fn the_root_is_all_data_of_the_module() {
        let root = |module| seen(vec![rule(module, &[], Action::Permit)], Action::Deny);
        assert_eq!(root("irtf-agent"), "agent name alias");
        assert_eq!(root("*"), "agent name alias nacm enable-nacm");
        assert_eq!(root("no-such-module"), "");
    }

    #[test]
    fn what_its_module_guards_needs_a_rule_even_where_the_default_permits() {
        assert_eq!(seen(vec![], Action::Permit), "agent name alias");
        let nacm = rule("ietf-netconf-acm", &["nacm"], Action::Permit);
        assert_eq!(
            seen(vec![nacm], Action::Permit),
            "agent name alias nacm enable-nacm"
        );
    }
}
