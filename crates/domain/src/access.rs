//! Access control: the rules of NACM (RFC 8341), and the records that a principal is party to.
//!
//! Knows modules, operations and schema paths by name only; the compiled schema is `yang`'s, the
//! file `access.toml` is `server`'s. NACM decides which *nodes* a principal may read; beyond that
//! an agent sees only the tasks, records and notifications that it is party to. Read next:
//! `engine`, which asks.

mod rows;

pub use rows::{Detail, NodePath, Rows, Scope, TASK_NEGOTIATE};

use std::collections::{BTreeMap, BTreeSet};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The group of the principals that may act for others.
const ADMINISTRATORS: &str = "admin";

/// Whose a name is, as the host that checks credentials has it.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Credential {
    /// A person's, or a program's that is no agent.
    User,
    /// An agent's, whether it has registered or not.
    Agent,
}

crate::named! {
    /// The name in the store.
    Credential
}

/// Someone whose credential was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The user name, which is an agent's name if the principal is an agent.
    pub name: String,
    /// The groups it belongs to.
    pub groups: BTreeSet<String>,
    /// True if it is an agent: it may then act under its own name only, and sees what it is party
    /// to.
    pub agent: bool,
    /// The protocol and address that it comes from, for the audit trail, such as `ssh 192.0.2.7`;
    /// empty if unknown. No decision depends on it.
    pub source: String,
}

impl Principal {
    /// The same principal, coming from `source`.
    #[must_use]
    pub fn coming_from(self, source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            ..self
        }
    }

    /// True if it is one of the two parties of a record between `from` and `to`.
    pub fn is_party(&self, from: &str, to: &str) -> bool {
        self.name == from || self.name == to
    }

    /// True if it may act for others: register them, and cancel their tasks. An agent never may.
    pub fn is_administrator(&self) -> bool {
        !self.agent && self.groups.contains(ADMINISTRATORS)
    }
}

/// The action of a rule (`action-type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Allowed.
    Permit,
    /// Forbidden.
    Deny,
}

/// The access operation that a principal asks for (`access-operations-type`). Create, update and
/// delete are not told apart, as nothing here can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessOperation {
    /// Read a node or receive a notification.
    Read,
    /// Create, update or delete a node.
    Write,
    /// Execute an rpc.
    Exec,
}

/// The target of a rule (`rule-type`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleTarget {
    /// Everything of the module.
    Everything,
    /// An rpc; `*` for all.
    Rpc(String),
    /// A notification; `*` for all.
    Notification(String),
    /// A node and all below it, as a path of node names. Empty for all data.
    Data(Vec<String>),
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The module it applies to; `*` for all.
    pub module: String,
    /// The module's part that it applies to.
    pub target: RuleTarget,
    /// The operations it applies to.
    pub operations: BTreeSet<AccessOperation>,
    /// The action taken when it matches.
    pub action: Action,
}

/// Rules that apply to some groups, tried in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleList {
    /// Its name.
    pub name: String,
    /// The groups; `*` for everyone.
    pub groups: BTreeSet<String>,
    /// The rules.
    pub rules: Vec<Rule>,
}

/// The rules in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRules {
    /// `enable-nacm`: false permits everything to every authenticated principal.
    pub enabled: bool,
    /// The action for reading where no rule matches.
    pub read_default: Action,
    /// The action for writing where no rule matches.
    pub write_default: Action,
    /// The action for executing where no rule matches.
    pub exec_default: Action,
    /// The users of each group.
    pub groups: BTreeMap<String, BTreeSet<String>>,
    /// The rule lists, tried in order.
    pub lists: Vec<RuleList>,
}

/// An access request.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// Execute an rpc.
    Exec {
        /// The module that defines it.
        module: &'a str,
        /// Its name.
        rpc: &'a str,
        /// True if the module marks it `nacm:default-deny-all`.
        guarded: bool,
    },
    /// Read a node.
    Read {
        /// The module that defines it.
        module: &'a str,
        /// The names from the top to the node.
        path: &'a [&'a str],
        /// True if it or a node above is marked `nacm:default-deny-all`.
        guarded: bool,
    },
    /// Receive a notification.
    Notification {
        /// The module that defines it.
        module: &'a str,
        /// Its name.
        name: &'a str,
        /// True if the module marks it `nacm:default-deny-all`.
        guarded: bool,
    },
}

/// The outcome of matching a request against the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision<'r> {
    /// Permitted or denied.
    pub action: Action,
    /// The names of the list and the rule that matched; none if no rule covers the request.
    pub rule: Option<(&'r str, &'r str)>,
}

impl AccessRules {
    /// The groups of a user.
    pub fn groups_of(&self, user: &str) -> BTreeSet<String> {
        let member = |(group, users): (&String, &BTreeSet<String>)| {
            users.contains(user).then(|| group.clone())
        };
        self.groups.iter().filter_map(member).collect()
    }

    /// The principal called `user`; `agent` says whether a profile of that name is registered, in
    /// which case it also belongs to the group `agents`.
    pub fn principal(&self, user: &str, agent: bool) -> Principal {
        let mut groups = self.groups_of(user);
        if agent {
            groups.insert("agents".to_owned());
        }
        Principal {
            name: user.to_owned(),
            groups,
            agent,
            source: String::new(),
        }
    }

    /// True if the rules let this principal do this (RFC 8341 §3.4.4 to §3.4.6).
    pub fn permits(&self, who: &Principal, request: Request<'_>) -> bool {
        self.decide(who, request).action == Action::Permit
    }

    /// Matches a request against the rules (RFC 8341 §3.4.4 to §3.4.6); names the rule that
    /// matched.
    pub fn decide(&self, who: &Principal, request: Request<'_>) -> Decision<'_> {
        if !self.enabled || always_permitted(request) {
            let action = Action::Permit;
            return Decision { action, rule: None };
        }
        let mut applicable = self.applicable(who);
        match applicable.find(|(_, rule)| rule.covers(request)) {
            Some((list, rule)) => Decision {
                action: rule.action,
                rule: Some((&list.name, &rule.name)),
            },
            None => Decision {
                action: self.otherwise(request),
                rule: None,
            },
        }
    }

    /// The rules that apply to a principal, in the order in which they are tried.
    pub fn rules_for(&self, who: &Principal) -> impl Iterator<Item = &Rule> {
        self.applicable(who).map(|(_, rule)| rule)
    }

    /// The rules that apply to a principal, each with its list.
    fn applicable(&self, who: &Principal) -> impl Iterator<Item = (&RuleList, &Rule)> {
        let applies = |list: &&RuleList| {
            list.groups
                .iter()
                .any(|g| g == "*" || who.groups.contains(g))
        };
        let lists = self.lists.iter().filter(applies);
        lists.flat_map(|list| list.rules.iter().map(move |rule| (list, rule)))
    }

    fn otherwise(&self, request: Request<'_>) -> Action {
        match request {
            Request::Exec { guarded: true, .. }
            | Request::Read { guarded: true, .. }
            | Request::Notification { guarded: true, .. } => Action::Deny,
            Request::Exec { .. } => self.exec_default,
            Request::Read { .. } | Request::Notification { .. } => self.read_default,
        }
    }
}

/// RFC 8341 §3.2.4 and §3.4.6: ending one's own session and the two marks of a replay.
fn always_permitted(request: Request<'_>) -> bool {
    match request {
        Request::Exec { rpc, module, .. } => module == "ietf-netconf" && rpc == "close-session",
        Request::Notification { name, .. } => {
            matches!(name, "replayComplete" | "notificationComplete")
        }
        Request::Read { .. } => false,
    }
}

impl Rule {
    fn covers(&self, request: Request<'_>) -> bool {
        let (module, operation, fits) = match (request, &self.target) {
            (Request::Exec { module, .. }, RuleTarget::Everything) => {
                (module, AccessOperation::Exec, true)
            }
            (Request::Exec { module, rpc, .. }, RuleTarget::Rpc(name)) => {
                (module, AccessOperation::Exec, name == "*" || name == rpc)
            }
            (Request::Notification { module, .. }, RuleTarget::Everything) => {
                (module, AccessOperation::Read, true)
            }
            (Request::Notification { module, name, .. }, RuleTarget::Notification(wanted)) => (
                module,
                AccessOperation::Read,
                wanted == "*" || wanted == name,
            ),
            (Request::Read { module, .. }, RuleTarget::Everything) => {
                (module, AccessOperation::Read, true)
            }
            (Request::Read { module, path, .. }, RuleTarget::Data(wanted)) => {
                let below =
                    wanted.len() <= path.len() && wanted.iter().zip(path).all(|(w, p)| w == p);
                (module, AccessOperation::Read, below)
            }
            _ => return false,
        };
        fits && (self.module == "*" || self.module == module)
            && self.operations.contains(&operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(module: &str, target: RuleTarget, action: Action) -> Rule {
        let operations = [AccessOperation::Read, AccessOperation::Exec].into();
        Rule {
            name: "r".into(),
            module: module.into(),
            target,
            operations,
            action,
        }
    }

    fn rules(lists: Vec<(&str, Vec<Rule>)>) -> AccessRules {
        AccessRules {
            enabled: true,
            read_default: Action::Deny,
            write_default: Action::Deny,
            exec_default: Action::Deny,
            groups: [("admin".to_owned(), ["operator".to_owned()].into())].into(),
            lists: lists
                .into_iter()
                .map(|(group, rules)| RuleList {
                    name: group.into(),
                    groups: [group.to_owned()].into(),
                    rules,
                })
                .collect(),
        }
    }

    fn read<'a>(module: &'a str, path: &'a [&'a str]) -> Request<'a> {
        Request::Read {
            module,
            path,
            guarded: false,
        }
    }

    #[test]
    fn the_first_rule_that_covers_decides() {
        let secret = RuleTarget::Data(vec!["agent".into(), "authentication".into()]);
        let access = rules(vec![(
            "admin",
            vec![
                rule("m", secret, Action::Deny),
                rule("*", RuleTarget::Everything, Action::Permit),
            ],
        )]);
        let operator = access.principal("operator", false);
        assert!(access.permits(&operator, read("m", &["agent", "name"])));
        assert!(!access.permits(&operator, read("m", &["agent", "authentication", "oauth"])));
        assert!(access.permits(&operator, read("other", &["agent", "authentication"])));
    }

    #[test]
    fn what_no_rule_covers_is_denied_except_the_way_out() {
        let access = rules(vec![(
            "*",
            vec![rule("m", RuleTarget::Rpc("get".into()), Action::Permit)],
        )]);
        let guest = access.principal("guest", false);
        let exec = |module, rpc| Request::Exec {
            module,
            rpc,
            guarded: false,
        };
        assert!(access.permits(&guest, exec("m", "get")));
        assert!(!access.permits(&guest, exec("m", "task-negotiate")));
        assert!(!access.permits(&guest, read("m", &["agent"])));
        assert!(access.permits(&guest, exec("ietf-netconf", "close-session")));
        let replay = Request::Notification {
            module: "x",
            name: "replayComplete",
            guarded: false,
        };
        assert!(access.permits(&guest, replay));
    }

    #[test]
    fn a_guarded_rpc_needs_a_rule_even_where_the_default_permits() {
        let access = AccessRules {
            exec_default: Action::Permit,
            ..rules(vec![])
        };
        let guest = access.principal("guest", false);
        let kill = |guarded| Request::Exec {
            module: "ietf-netconf",
            rpc: "kill-session",
            guarded,
        };
        assert!(access.permits(&guest, kill(false)));
        assert!(!access.permits(&guest, kill(true)));
    }

    #[test]
    fn an_agent_is_nobody_s_administrator() {
        let access = rules(vec![]);
        assert!(access.principal("operator", false).is_administrator());
        assert!(!access.principal("operator", true).is_administrator());
        assert!(!access.principal("ip", false).is_administrator());
    }

    #[test]
    fn a_decision_names_its_rule() {
        let permit = rule("m", RuleTarget::Everything, Action::Permit);
        let access = rules(vec![("*", vec![permit])]);
        let who = access.principal("u", false);
        let decide = |module| access.decide(&who, read(module, &["x"]));
        assert_eq!(decide("m").rule, Some(("*", "r")));
        assert_eq!(decide("n").rule, None);
    }
}
