//! Access rules compiled for the writer: pruning in the manner of NACM (RFC 8341 §3.4.5) at the
//! cost of a name comparison.
//!
//! Knows paths, namespaces and the order of rules. Users, groups and module names are resolved by
//! the caller, which makes one tree for each set of groups.

use super::Few;
use crate::data::Node;

/// One rule. Of all rules that apply to a node, the first one decides; a rule
/// applies to the nodes on its path and to everything below them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermitRule {
    /// The scope of the rule.
    pub scope: PermitScope,
    /// True if reading is permitted.
    pub permit: bool,
}

/// The scope of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    Everywhere,
    Namespace(String),
    Path(Vec<PermitStep>),
}

/// The scope of a rule; made by the constructors of [`PermitRule`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermitScope(Scope);

/// One step of a rule's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermitStep {
    /// Namespace of the node.
    pub namespace: String,
    /// Name of the node.
    pub name: String,
    /// Keys that a list entry must have: (name, value). None: every entry.
    pub keys: Vec<(String, String)>,
}

impl PermitStep {
    /// A step to nodes of this name.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        PermitStep {
            namespace: namespace.into(),
            name: name.into(),
            keys: Vec::new(),
        }
    }

    /// Restricts the step to list entries with this key.
    #[must_use]
    pub fn key(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.keys.push((name.into(), value.into()));
        self
    }

    fn names(&self, namespace: &str, name: &str) -> bool {
        self.name == name && self.namespace == namespace
    }

    fn means(&self, namespace: &str, node: &Node<'_>) -> bool {
        self.names(namespace, node.name)
            && self.keys.iter().all(|(name, value)| {
                node.key_leaves().iter().any(|leaf| {
                    leaf.name == name
                        && leaf.leaf_value().is_some_and(|found| {
                            super::Literal {
                                text: value.as_str().into(),
                                identity: None,
                            }
                            .is_value_of(found)
                        })
                })
            })
    }
}

impl PermitRule {
    /// A rule for everything (`module-name *` without path).
    pub fn everywhere(permit: bool) -> Self {
        PermitRule {
            scope: PermitScope(Scope::Everywhere),
            permit,
        }
    }

    /// A rule for the nodes of one module.
    pub fn namespace(namespace: impl Into<String>, permit: bool) -> Self {
        PermitRule {
            scope: PermitScope(Scope::Namespace(namespace.into())),
            permit,
        }
    }

    /// A rule for the node at a path and everything below; the path `/` is everywhere.
    pub fn path(steps: Vec<PermitStep>, permit: bool) -> Self {
        PermitRule {
            scope: PermitScope(if steps.is_empty() {
                Scope::Everywhere
            } else {
                Scope::Path(steps)
            }),
            permit,
        }
    }
}

/// The rule that decides, by rank: the lowest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    rank: u32,
    permit: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct PermitNode {
    step: PermitStep,
    rule: Option<Ranked>,
    children: Vec<PermitNode>,
}

/// Compiled rules.
#[derive(Debug, Clone)]
pub struct PermitTree {
    root: PermitNode,
    namespaces: Vec<(String, Ranked)>,
    default: bool,
}

impl PermitTree {
    /// Compiles rules in order of precedence; where none applies, `default` does.
    ///
    /// A node denied by a rule goes with everything below it. A node that no
    /// rule permits while the default denies is kept, with its keys, where a
    /// rule permits something below it.
    pub fn new(default: bool, rules: impl IntoIterator<Item = PermitRule>) -> Self {
        let mut tree = PermitTree {
            root: PermitNode {
                step: PermitStep::new("", ""),
                rule: None,
                children: Vec::new(),
            },
            namespaces: Vec::new(),
            default,
        };
        for (rank, rule) in (0u32..).zip(rules) {
            let ranked = Ranked {
                rank,
                permit: rule.permit,
            };
            match rule.scope.0 {
                Scope::Everywhere => {
                    tree.root.rule.get_or_insert(ranked);
                }
                Scope::Namespace(namespace) => tree.namespaces.push((namespace, ranked)),
                Scope::Path(steps) => {
                    let mut node = &mut tree.root;
                    for step in steps {
                        let known = node.children.iter().position(|child| child.step == step);
                        let index = known.unwrap_or_else(|| {
                            node.children.push(PermitNode {
                                step,
                                rule: None,
                                children: Vec::new(),
                            });
                            node.children.len() - 1
                        });
                        node = &mut node.children[index];
                    }
                    node.rule.get_or_insert(ranked);
                }
            }
        }
        tree
    }

    fn rule_of(&self, namespace: &str) -> Option<Ranked> {
        self.namespaces
            .iter()
            .find(|(known, _)| known == namespace)
            .map(|&(_, rule)| rule)
    }

    /// Everything is permitted.
    pub fn permit_all() -> Self {
        PermitTree::new(true, [])
    }
}

/// The access to one node that the rules grant.
#[derive(Debug)]
pub(crate) enum Access<'t> {
    /// A rule denies it, with everything below.
    Denied,
    /// No rule applies and the default denies it; a rule may permit something below.
    Unpermitted(Cursor<'t>),
    /// It is permitted.
    Permitted(Cursor<'t>),
}

/// The place of the writer among the rules.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'t> {
    /// `None`: everything below is permitted.
    state: Option<State<'t>>,
}

#[derive(Debug, Clone)]
struct State<'t> {
    tree: &'t PermitTree,
    /// Rules that may still apply further down.
    active: Few<'t, PermitNode>,
    /// The best rule that applies here by path.
    best: Option<Ranked>,
}

impl<'t> Cursor<'t> {
    /// A cursor at the root of the data.
    pub(crate) fn new(tree: Option<&'t PermitTree>) -> Self {
        Cursor {
            state: tree.map(|tree| State {
                tree,
                active: Few::one(&tree.root),
                best: tree.root.rule,
            }),
        }
        .settled()
    }

    /// True if nothing below can be denied.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.state.is_none()
    }

    /// Steps to a child.
    #[inline]
    pub(crate) fn enter(&self, namespace: &str, node: &Node<'_>) -> Access<'t> {
        match &self.state {
            None => Access::Permitted(Cursor { state: None }),
            Some(state) => state.enter(namespace, |step| step.means(namespace, node)),
        }
    }

    /// Steps to a child of which only the name is known; `None` if nothing of it may be read,
    /// whatever its keys.
    pub(crate) fn below(&self, namespace: &str, name: &str) -> Option<Cursor<'t>> {
        let Some(state) = &self.state else {
            return Some(Cursor { state: None });
        };
        let names = |step: &PermitStep| step.names(namespace, name);
        let mut steps = state.active.iter().flat_map(|node| &node.children);
        if steps.any(|child| names(&child.step) && !child.step.keys.is_empty()) {
            return Some(Cursor { state: None });
        }
        match state.enter(namespace, names) {
            Access::Denied => None,
            Access::Unpermitted(cursor) => cursor.may_permit().then_some(cursor),
            Access::Permitted(cursor) => Some(cursor),
        }
    }

    /// True if a leaf is permitted; `None` if no rule applies and the default denies.
    #[inline]
    pub(crate) fn judges(&self, namespace: &str, node: &Node<'_>) -> Option<bool> {
        let Some(state) = &self.state else {
            return Some(true);
        };
        let mut best = state.best;
        for child in state.active.iter().flat_map(|node| &node.children) {
            if child.step.means(namespace, node) {
                best = first(best, child.rule);
            }
        }
        match first(best, state.tree.rule_of(namespace)) {
            Some(rule) => Some(rule.permit),
            None => state.tree.default.then_some(true),
        }
    }

    /// True if a rule may permit something further down.
    pub(crate) fn may_permit(&self) -> bool {
        self.state.as_ref().is_none_or(|state| {
            state.active.iter().any(|node| !node.children.is_empty())
                || state.tree.namespaces.iter().any(|(_, rule)| rule.permit)
        })
    }

    fn settled(self) -> Self {
        match self.state {
            Some(state)
                if state.tree.namespaces.is_empty()
                    && state.active.iter().all(|node| node.children.is_empty())
                    && state.best.map_or(state.tree.default, |rule| rule.permit) =>
            {
                Cursor { state: None }
            }
            state => Cursor { state },
        }
    }
}

impl<'t> State<'t> {
    fn enter(&self, namespace: &str, means: impl Fn(&PermitStep) -> bool) -> Access<'t> {
        let mut active = Few::none();
        let mut best = self.best;
        for parent in self.active.iter() {
            for child in &parent.children {
                if means(&child.step) {
                    best = first(best, child.rule);
                    active.push(child);
                }
            }
        }
        let decisive = first(best, self.tree.rule_of(namespace));
        let below = Cursor {
            state: Some(State {
                tree: self.tree,
                active,
                best,
            }),
        };
        match decisive {
            Some(rule) if rule.permit => Access::Permitted(below.settled()),
            Some(_) => Access::Denied,
            None if self.tree.default => Access::Permitted(below.settled()),
            None => Access::Unpermitted(below),
        }
    }
}

fn first(one: Option<Ranked>, other: Option<Ranked>) -> Option<Ranked> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
