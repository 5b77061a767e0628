//! A reference implementation of the access rules: RFC 8341 §3.4 and our own about records, sharing
//! no code with the platform.

use super::stage::{self, Row};
use domain::access::{AccessOperation, AccessRules, Action, Rule, RuleTarget};
use netconf::xml::XmlElement;
use std::collections::BTreeMap;
use std::sync::Arc;
use yang::{DefaultDeny, Generation, Kind, SchemaNode};

/// A user or agent.
#[derive(Clone, Debug)]
pub struct User {
    pub name: String,
    pub agent: bool,
    groups: Vec<String>,
}

pub struct Reference {
    rules: AccessRules,
    schema: Arc<Generation>,
    nodes: BTreeMap<String, SchemaNode>,
}

/// A step of a path: module and name.
pub type Step<'a> = (&'a str, &'a str);

impl Reference {
    pub fn new() -> Self {
        let schema = testkit::generation();
        let all = schema.schema_nodes().iter();
        Self {
            rules: stage::access(),
            nodes: all.map(|node| (node.path.clone(), node.clone())).collect(),
            schema,
        }
    }

    pub fn users(&self) -> Vec<User> {
        stage::USERS.iter().map(|name| self.user(name)).collect()
    }

    pub fn user(&self, name: &str) -> User {
        let agent = stage::AGENTS.contains(&name);
        let in_groups = self
            .rules
            .groups
            .iter()
            .filter(|(_, users)| users.contains(name));
        let mut groups: Vec<String> = in_groups.map(|(group, _)| group.clone()).collect();
        groups.extend(["*".to_owned()]);
        groups.extend(agent.then(|| "agents".to_owned()));
        User {
            name: name.to_owned(),
            agent,
            groups,
        }
    }

    fn first(
        &self,
        user: &User,
        operation: AccessOperation,
        fits: impl Fn(&Rule) -> bool,
    ) -> Option<Action> {
        let lists = self.rules.lists.iter();
        let lists = lists.filter(|list| user.groups.iter().any(|g| list.groups.contains(g)));
        let mut rules = lists.flat_map(|list| &list.rules);
        let found = rules.find(|rule| rule.operations.contains(&operation) && fits(rule));
        found.map(|rule| rule.action)
    }

    pub fn may_execute(&self, user: &User, module: &str, rpc: &str, guarded: bool) -> bool {
        let found = self.first(user, AccessOperation::Exec, |rule| {
            let named = match &rule.target {
                RuleTarget::Everything => true,
                RuleTarget::Rpc(name) => name == rpc || name == "*",
                _ => false,
            };
            named && (rule.module == module || rule.module == "*")
        });
        let otherwise = if guarded {
            Action::Deny
        } else {
            self.rules.exec_default
        };
        found.unwrap_or(otherwise) == Action::Permit
    }

    pub fn may_receive(&self, user: &User, module: &str, notification: &str) -> bool {
        if ["replayComplete", "notificationComplete"].contains(&notification) {
            return true;
        }
        let found = self.first(user, AccessOperation::Read, |rule| {
            let named = match &rule.target {
                RuleTarget::Everything => true,
                RuleTarget::Notification(name) => name == notification || name == "*",
                _ => false,
            };
            named && (rule.module == module || rule.module == "*")
        });
        found.unwrap_or(self.rules.read_default) == Action::Permit
    }

    /// True if the rules permit reading the node itself.
    pub fn may_read(&self, user: &User, path: &str) -> bool {
        let node = &self.nodes[path];
        let steps = steps(path);
        let found = self.first(user, AccessOperation::Read, |rule| {
            let is = |module: &str| rule.module == module || rule.module == "*";
            match &rule.target {
                RuleTarget::Everything => is(&node.module),
                RuleTarget::Data(wanted) if wanted.is_empty() => is(&node.module),
                RuleTarget::Data(wanted) => {
                    let mut pairs = wanted.iter().zip(&steps);
                    wanted.len() <= steps.len()
                        && pairs.all(|(name, step)| name == step.1 && is(step.0))
                }
                _ => false,
            }
        });
        let guarded = node.nacm_default_deny == Some(DefaultDeny::All);
        let otherwise = if guarded {
            Action::Deny
        } else {
            self.rules.read_default
        };
        found.unwrap_or(otherwise) == Action::Permit
    }

    pub fn is_key(&self, path: &str) -> bool {
        self.nodes[path].is_key
    }

    /// True if the node may be read or, for a key, list or container, a node below it.
    pub fn may_see(&self, user: &User, path: &str) -> bool {
        let node = &self.nodes[path];
        let above = path.rsplit_once('/').map(|(above, _)| above);
        let below = |top: &str| {
            let begins = format!("{top}/");
            let below = self.nodes.keys().filter(|path| path.starts_with(&begins));
            below.into_iter().any(|path| self.may_read(user, path))
        };
        match node.kind {
            Kind::Container | Kind::List => self.may_read(user, path) || below(path),
            _ if node.is_key => self.may_read(user, path) || above.is_some_and(below),
            _ => self.may_read(user, path),
        }
    }

    /// True if the rules permit reading all of a node.
    fn may_read_whole(&self, user: &User, top: &str) -> bool {
        let begins = format!("{top}/");
        let mut all = self
            .nodes
            .keys()
            .filter(|path| *path == top || path.starts_with(&begins));
        all.all(|path| self.may_read(user, path))
    }

    /// True if a record is disclosed as a whole: if one of the nodes of its kind may be read as a
    /// whole, or if it is the user's own.
    pub fn is_told(&self, user: &User, kind: &str, row: &Row) -> bool {
        let nodes: &[&str] = match kind {
            stage::TASK => &["/convoke-registry:registry/task"],
            stage::CONTEXT => &["/irtf-agent:context", "/convoke-registry:registry/context"],
            other => panic!("{other}"),
        };
        let reads = nodes.iter().any(|node| self.may_read_whole(user, node));
        let speaks = self.may_execute(user, "irtf-agent", "task-negotiate", false);
        (reads && !user.agent) || (row.is_of(&user.name) && (speaks || reads))
    }

    /// True if data are disclosed as a whole; their owners may read them.
    pub fn is_told_of_data(&self, user: &User, row: &Row) -> bool {
        let reads = self.may_read_whole(user, "/irtf-agent:data-params");
        (reads && !user.agent) || row.is_of(&user.name)
    }

    /// True for nodes that differ between users or between two reads.
    pub fn is_of_rows(&self, path: &str) -> bool {
        const ROWS: [&str; 11] = [
            "/convoke-registry:registry/task",
            "/convoke-registry:registry/negotiation",
            "/convoke-registry:registry/team",
            "/convoke-registry:registry/context",
            "/convoke-usage:usage/console-session",
            "/convoke-policy:policy/waiting",
            "/convoke-policy:policy/rule",
            "/irtf-agent:context",
            "/irtf-agent:data-params",
            "/irtf-agent:tasks",
            "/ietf-netconf-monitoring:netconf-state/sessions",
        ];
        ROWS.iter().any(|rows| path.starts_with(rows))
    }

    pub fn rpcs(&self) -> Vec<(String, String, bool)> {
        let guarded = |node: &SchemaNode| node.nacm_default_deny == Some(DefaultDeny::All);
        let rpcs = self.schema.rpcs();
        rpcs.map(|node| (node.module.clone(), node.name.clone(), guarded(node)))
            .collect()
    }

    pub fn namespace_of(&self, module: &str) -> String {
        self.schema.namespace_of(module).unwrap().to_owned()
    }

    /// The elements of a reply's data, each with its schema path, and its text if it is a leaf.
    pub fn elements(&self, data: &str) -> Vec<(String, String)> {
        let document = harness::xml::parse(data).unwrap();
        let mut found = Vec::new();
        let data = document.root().children().find(|e| e.name() == "data");
        for top in data.into_iter().flat_map(|data| data.children()) {
            self.walk(top, "", "", &mut found);
        }
        found
    }

    /// The elements with text.
    pub fn leaves(&self, data: &str) -> Vec<(String, String)> {
        let is_leaf = |path: &str| !matches!(self.nodes[path].kind, Kind::Container | Kind::List);
        let mut leaves = self.elements(data);
        leaves.retain(|(path, _)| is_leaf(path));
        leaves
    }

    fn walk(
        &self,
        at: XmlElement<'_>,
        above: &str,
        module: &str,
        found: &mut Vec<(String, String)>,
    ) {
        let mut modules = self.schema.modules().iter();
        let own = modules.find(|m| m.namespace == at.namespace()).unwrap();
        let path = match own.name == module {
            true => format!("{above}/{}", at.name()),
            false => format!("{above}/{}:{}", own.name, at.name()),
        };
        found.push((path.clone(), at.text().to_owned()));
        for child in at.children() {
            self.walk(child, &path, &own.name, found);
        }
    }
}

/// A schema path as modules and names.
pub fn steps(path: &str) -> Vec<Step<'_>> {
    let mut module = "";
    let steps = path.split('/').skip(1);
    steps
        .map(|step| match step.split_once(':') {
            Some((own, name)) => {
                module = own;
                (own, name)
            }
            None => (module, step),
        })
        .collect()
}
