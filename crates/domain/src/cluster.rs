//! The nodes of a cluster: what each does, which of them leads, and what it may be asked for.
//!
//! Pure: whoever runs the nodes says how they are. Refuses to know leases and databases. Read next:
//! `engine::Nodes`, where they are asked.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What an operator asks a node for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeRequest {
    /// Not to lead, until it is started again or asked to lead.
    Drain,
    /// To lead.
    Lead,
}

/// What a node does.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// It leads.
    Leading,
    /// It takes the lead once that is free.
    StandingBy,
    /// It does not take the lead.
    Draining,
    /// It was stopped, or was not seen for longer than it should have been.
    Gone,
}

crate::named! {
    /// The name in module convoke-cluster.
    NodeState
}

/// How far the subscribers at a node are, and the slowest of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedLag {
    /// How many there are.
    pub subscribers: u64,
    /// The entries of the log that the slowest was not told.
    pub events: u64,
    /// The milliseconds since the first of them came about; 0 if there is none.
    pub ms: u64,
}

/// A node of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRecord {
    /// Its name.
    pub name: String,
    /// Where other nodes reach it, as host:port.
    pub address: String,
    /// The release of the software that it runs.
    pub version: String,
    /// What it does.
    pub state: NodeState,
    /// True if its rules are those of the node that leads, or led last.
    pub rules_agree: bool,
    /// When it was started.
    pub started: Timestamp,
    /// When it last said that it is there.
    pub last_seen: Timestamp,
    /// How far its subscribers are; none without any.
    pub feed: Option<FeedLag>,
}

/// Who leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadRecord {
    /// The node.
    pub holder: String,
    /// The number of this lead, greater than that of any before.
    pub epoch: u64,
    /// When it was taken.
    pub since: Timestamp,
    /// When another node may take it, unless it is renewed.
    pub until: Timestamp,
}

/// The nodes, by name, and who leads; none while nobody does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterStanding {
    /// The nodes.
    pub nodes: Vec<NodeRecord>,
    /// Who leads.
    pub lead: Option<LeadRecord>,
    /// How often the lead was taken since the node that leads was started.
    pub takeovers: u64,
}

/// The reason for which a node took the lead of a cluster.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeadReason {
    /// No node led before.
    First,
    /// The lease of the node that led ran out.
    Expired,
    /// The node that led was stopped in order.
    Stopped,
    /// The node that led was drained.
    Drained,
    /// An administrator asked this node to lead.
    Moved,
    /// The node that led was started again.
    Restarted,
}

crate::named! {
    /// The name in module convoke-cluster.
    LeadReason
}

/// A node took the lead of a cluster: `lead-moved`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeadMoved {
    /// The time of the commit.
    pub time: Timestamp,
    /// The node that led before; none if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The node that leads.
    pub to: String,
    /// The epoch of its lease, greater than any before.
    pub epoch: u64,
    /// The reason.
    pub reason: LeadReason,
}

/// Why a node is not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeRequestRefusal {
    /// The cluster has no such node.
    Unknown,
    /// It cannot do it now.
    Unable {
        /// Why.
        why: String,
    },
    /// It leads, and no other node could.
    Only {
        /// Why not the others.
        why: String,
    },
}

impl ClusterStanding {
    /// Whether a node is asked for something; false if there is nothing to be done.
    ///
    /// # Errors
    /// Why it is not asked.
    pub fn decide(&self, node: &str, request: NodeRequest) -> Result<bool, NodeRequestRefusal> {
        let found = self.nodes.iter().find(|found| found.name == node);
        let found = found.ok_or(NodeRequestRefusal::Unknown)?;
        let unable = || {
            let why = why_not(found);
            Err(NodeRequestRefusal::Unable { why })
        };
        match request {
            _ if found.state == NodeState::Gone => unable(),
            NodeRequest::Lead if !found.rules_agree => unable(),
            NodeRequest::Lead => Ok(!self.leads(node)),
            NodeRequest::Drain if self.leads(node) => self.other_than(node).map(|()| true),
            NodeRequest::Drain => Ok(found.state != NodeState::Draining),
        }
    }

    fn leads(&self, node: &str) -> bool {
        self.lead.as_ref().is_some_and(|lead| lead.holder == node)
    }

    /// Whether another node could lead.
    fn other_than(&self, node: &str) -> Result<(), NodeRequestRefusal> {
        let others = || self.nodes.iter().filter(|other| other.name != node);
        if others().any(could_lead) {
            return Ok(());
        }
        let each: Vec<String> = others()
            .map(|other| format!("'{}': {}", other.name, why_not(other)))
            .collect();
        let why = match each.is_empty() {
            true => "there is none".to_owned(),
            false => each.join("; "),
        };
        Err(NodeRequestRefusal::Only { why })
    }
}

fn could_lead(node: &NodeRecord) -> bool {
    let there = matches!(node.state, NodeState::Leading | NodeState::StandingBy);
    there && node.rules_agree
}

/// Why a node does not take the lead.
fn why_not(node: &NodeRecord) -> String {
    match node.state {
        NodeState::Gone => format!("it was last seen at {}", node.last_seen),
        NodeState::Draining => "it was drained".to_owned(),
        NodeState::Leading | NodeState::StandingBy => {
            "its rules are not those of the node that leads".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, state: NodeState, rules_agree: bool) -> NodeRecord {
        NodeRecord {
            name: name.to_owned(),
            address: "127.0.0.1:8840".to_owned(),
            version: "0.2.0".to_owned(),
            state,
            rules_agree,
            started: Timestamp::from_ms(0),
            last_seen: Timestamp::from_ms(1_000),
            feed: None,
        }
    }

    /// What comes of each request to each node: `do`, `nothing`, or why not.
    fn decided(nodes: Vec<NodeRecord>) -> String {
        let leading = nodes.iter().find(|node| node.state == NodeState::Leading);
        let lead = leading.map(|node| LeadRecord {
            holder: node.name.clone(),
            epoch: 3,
            since: Timestamp::from_ms(0),
            until: Timestamp::from_ms(6_000),
        });
        let mut names: Vec<String> = nodes.iter().map(|node| node.name.clone()).collect();
        names.push("nobody".to_owned());
        let standing = ClusterStanding {
            nodes,
            lead,
            takeovers: 0,
        };
        let mut out = Vec::new();
        for name in names {
            for request in [NodeRequest::Drain, NodeRequest::Lead] {
                let word = match standing.decide(&name, request) {
                    Ok(true) => "do".to_owned(),
                    Ok(false) => "nothing".to_owned(),
                    Err(refusal) => format!("{refusal:?}"),
                };
                out.push(format!("{request:?} {name}: {word}"));
            }
        }
        out.join("\n")
    }

    #[test]
    fn who_may_be_asked_for_what() {
        let all = vec![
            node("a", NodeState::Leading, true),
            node("b", NodeState::StandingBy, true),
            node("c", NodeState::Draining, true),
            node("d", NodeState::Gone, true),
            node("e", NodeState::StandingBy, false),
        ];
        insta::assert_snapshot!(decided(all), @r#"
        Drain a: do
        Lead a: nothing
        Drain b: do
        Lead b: do
        Drain c: nothing
        Lead c: do
        Drain d: Unable { why: "it was last seen at 1970-01-01T00:00:01.000Z" }
        Lead d: Unable { why: "it was last seen at 1970-01-01T00:00:01.000Z" }
        Drain e: do
        Lead e: Unable { why: "its rules are not those of the node that leads" }
        Drain nobody: Unknown
        Lead nobody: Unknown
        "#);
    }

    #[test]
    fn the_last_that_could_lead_is_not_drained() {
        let first = |nodes| decided(nodes).lines().next().map(str::to_owned);
        let alone = vec![node("a", NodeState::Leading, true)];
        let none = r#"Drain a: Only { why: "there is none" }"#;
        assert_eq!(first(alone).as_deref(), Some(none));
        let unfit = vec![
            node("a", NodeState::Leading, true),
            node("c", NodeState::Draining, true),
            node("d", NodeState::Gone, true),
            node("e", NodeState::StandingBy, false),
        ];
        let each = "Drain a: Only { why: \"'c': it was drained; 'd': it was last seen at \
                    1970-01-01T00:00:01.000Z; 'e': its rules are not those of the node that leads\" }";
        assert_eq!(first(unfit).as_deref(), Some(each));
    }
}
