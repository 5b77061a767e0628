//! Access to records that have parties: the scope of those that a principal may see.
//!
//! A party to a record may see it if the rules permit `task-negotiate`. Others' records are visible
//! at the nodes that the rules let the principal read, and never to an agent, whatever the rules
//! say. Records themselves are kept in `store`. Read next: `engine`'s `access`, which asks.

use super::{AccessOperation, AccessRules, Action, Principal, Request, Rule, RuleTarget};

/// A kind of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rows {
    /// Tasks.
    Tasks,
    /// The one task that an agent shows as its current one.
    CurrentTask,
    /// Negotiations.
    Negotiations,
    /// Teams.
    Teams,
    /// The exchanges of `/context`.
    Exchanges,
    /// The entries of `/data-params`.
    Data,
}

/// A module, and the names from the top of its data to a node.
pub type NodePath = (&'static str, &'static [&'static str]);

impl Rows {
    /// Every kind.
    pub const ALL: [Rows; 6] = [
        Self::Tasks,
        Self::CurrentTask,
        Self::Negotiations,
        Self::Teams,
        Self::Exchanges,
        Self::Data,
    ];

    /// The nodes at which such records stand. A principal that may read one of them whole may see
    /// the records of all parties.
    pub fn nodes(self) -> &'static [NodePath] {
        match self {
            Self::Tasks => &[("convoke-registry", &["registry", "task"])],
            Self::CurrentTask => &[
                ("irtf-agent", &["tasks"]),
                ("convoke-registry", &["registry", "task"]),
            ],
            Self::Negotiations => &[
                ("convoke-registry", &["registry", "negotiation"]),
                ("convoke-registry", &["registry", "task", "negotiation"]),
            ],
            Self::Teams => &[("convoke-registry", &["registry", "team"])],
            Self::Exchanges => &[
                ("irtf-agent", &["context"]),
                ("convoke-registry", &["registry", "context"]),
            ],
            Self::Data => &[("irtf-agent", &["data-params"])],
        }
    }
}

/// The part of a record that is shown to a principal that may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All of it.
    Whole,
    /// The nodes that the rules let the principal read; the caller prunes the rest.
    Pruned,
}

/// The records of a kind that a principal may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// None.
    Nothing,
    /// Those that it is party to.
    Own,
    /// All.
    All,
}

impl AccessRules {
    /// The records of this kind that the principal may see.
    pub fn scope(&self, who: &Principal, rows: Rows, detail: Detail) -> Scope {
        let reads = rows.nodes().iter().any(|node| match detail {
            Detail::Whole => self.reads_whole(who, node),
            Detail::Pruned => self.reads_something(who, node),
        });
        match (reads, who.agent) {
            (true, false) => Scope::All,
            (true, true) => Scope::Own,
            (false, _) if self.permits(who, TASK_NEGOTIATE) => Scope::Own,
            (false, _) => Scope::Nothing,
        }
    }

    /// True if the rules permit reading this node and deny nothing below it.
    fn reads_whole(&self, who: &Principal, node: &NodePath) -> bool {
        if !self.enabled {
            return true;
        }
        let mut rules = self.rules_for(who);
        let decisive = rules.find(|rule| {
            rule.covers(read(node)) || (rule.action == Action::Deny && rule.is_below(node.1))
        });
        decisive.map_or(self.read_default, |rule| rule.action) == Action::Permit
    }

    /// True if the rules permit reading this node, or perhaps something below it.
    fn reads_something(&self, who: &Principal, node: &NodePath) -> bool {
        let below = |rule: &Rule| rule.action == Action::Permit && rule.is_below(node.1);
        self.permits(who, read(node)) || self.rules_for(who).any(below)
    }
}

impl Rule {
    /// True if it is a rule about data below this path, of any module.
    fn is_below(&self, path: &[&str]) -> bool {
        let RuleTarget::Data(target) = &self.target else {
            return false;
        };
        target.len() > path.len()
            && target.iter().zip(path).all(|(step, name)| step == name)
            && self.operations.contains(&AccessOperation::Read)
    }
}

fn read(&(module, path): &NodePath) -> Request<'static> {
    Request::Read {
        module,
        path,
        guarded: false,
    }
}

/// The request that must be permitted for a party to see its own records.
pub const TASK_NEGOTIATE: Request<'static> = Request::Exec {
    module: "irtf-agent",
    rpc: "task-negotiate",
    guarded: false,
};

#[cfg(test)]
mod tests {
    use super::super::RuleList;
    use super::*;

    fn rules(lists: &[(&str, Action)]) -> AccessRules {
        let rule = |(at, action): &(&str, Action)| Rule {
            name: (*at).to_owned(),
            module: "*".to_owned(),
            target: match at.strip_prefix("rpc ") {
                Some(rpc) => RuleTarget::Rpc(rpc.to_owned()),
                None => RuleTarget::Data(at.split('/').map(str::to_owned).collect()),
            },
            operations: [AccessOperation::Read, AccessOperation::Exec].into(),
            action: *action,
        };
        AccessRules {
            enabled: true,
            read_default: Action::Deny,
            write_default: Action::Deny,
            exec_default: Action::Deny,
            groups: Default::default(),
            lists: vec![RuleList {
                name: "all".to_owned(),
                groups: ["*".to_owned()].into(),
                rules: lists.iter().map(rule).collect(),
            }],
        }
    }

    fn scopes(lists: &[(&str, Action)], agent: bool) -> (Scope, Scope) {
        let rules = rules(lists);
        let who = rules.principal("u", agent);
        let scope = |detail| rules.scope(&who, Rows::Tasks, detail);
        (scope(Detail::Whole), scope(Detail::Pruned))
    }

    #[test]
    fn who_may_speak_sees_its_own_and_who_may_read_sees_all_of_it() {
        use Action::{Deny, Permit};
        use Scope::{All, Nothing, Own};
        let speaks = ("rpc task-negotiate", Permit);
        let reads = ("registry/task", Permit);
        let (status, no_content) = (
            ("registry/task/status", Permit),
            ("registry/task/content", Deny),
        );
        assert_eq!(scopes(&[], false), (Nothing, Nothing));
        assert_eq!(scopes(&[speaks], false), (Own, Own));
        assert_eq!(scopes(&[reads], false), (All, All));
        assert_eq!(scopes(&[reads], true), (Own, Own));
        // Part of a record is shown by who prunes, and by nobody else.
        assert_eq!(scopes(&[status], false), (Nothing, All));
        assert_eq!(scopes(&[no_content, reads], false), (Nothing, All));
        assert_eq!(scopes(&[speaks, no_content, reads], false), (Own, All));
        // A rule behind the one that decides changes nothing.
        assert_eq!(scopes(&[reads, no_content], false), (All, All));
    }

    #[test]
    fn without_rules_everybody_sees_all_but_agents() {
        let rules = AccessRules {
            enabled: false,
            ..rules(&[])
        };
        for rows in Rows::ALL {
            let scope = |agent| rules.scope(&rules.principal("u", agent), rows, Detail::Whole);
            assert_eq!((scope(false), scope(true)), (Scope::All, Scope::Own));
        }
    }
}
