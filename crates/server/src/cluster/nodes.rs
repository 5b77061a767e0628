//! The nodes as the engine tells and asks them.
//!
//! Translates what the directory says; knows no database. Read next: [`super::membership`]; `engine::Nodes`.

use super::membership::{ClusterView, DRAINING, NodeRequests};
use crate::clock::Clock;
use crate::session::forwarded::ForwardedSessions;
use domain::cluster::{
    ClusterStanding, FeedLag, LeadReason, LeadRecord, NodeRecord, NodeRequest, NodeState,
};
use domain::event::Sequence;
use engine::{Engine, NodeRequestFailure, NodeRequestFuture, Nodes};
use std::sync::{Arc, Weak};
use store::lead::{LeadRow, NodeRow};
use tokio::sync::watch;

/// The nodes, as this one knows them.
pub(super) struct KnownNodes {
    pub(super) view: watch::Receiver<ClusterView>,
    pub(super) requests: NodeRequests,
    pub(super) sessions: Arc<ForwardedSessions>,
    /// Which knows them.
    pub(super) engine: Weak<Engine>,
    pub(super) clock: Arc<Clock>,
}

impl KnownNodes {
    /// How far so many subscribers are, of whom the slowest has been told up to this entry.
    fn lag(&self, subscribers: u64, slowest: Sequence) -> Option<FeedLag> {
        let engine = self.engine.upgrade()?;
        let feed = engine.feed();
        // A moment ago it may have been told more than was known here to be stored.
        let events = feed.last().saturating_sub(slowest);
        // The newest are in memory; of one that is so far behind that they are not, one row is read.
        let first = feed.after(slowest, 1).ok()?;
        let since = first
            .first()
            .map(|entry| self.clock.now().as_ms() - entry.time.as_ms());
        Some(FeedLag {
            subscribers,
            events,
            ms: u64::try_from(since.unwrap_or_default()).unwrap_or_default(),
        })
    }
}

impl Nodes for KnownNodes {
    fn standing(&self) -> ClusterStanding {
        let mut standing = standing(&self.view.borrow());
        let mut subscribers = self.sessions.subscribers();
        for node in &mut standing.nodes {
            let told = subscribers.remove(&node.name);
            node.feed = told.and_then(|(count, slowest)| self.lag(count, slowest));
        }
        standing
    }

    fn request(&self, node: &str, request: NodeRequest) -> NodeRequestFuture {
        let (requests, node) = (self.requests.clone(), node.to_owned());
        Box::pin(async move {
            match requests.request(&node, request).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(NodeRequestFailure(format!(
                    "there is no node '{node}' any more"
                ))),
                Err(cause) => Err(NodeRequestFailure(cause.to_string())),
            }
        })
    }
}

fn standing(view: &ClusterView) -> ClusterStanding {
    let lead = view.lead.as_ref();
    // A platform alone may own the state as well.
    let held = lead.filter(|lead| lead.held && !lead.node.is_empty());
    let rules = lead.map_or("", |lead| &lead.rules);
    let record = |node: &NodeRow| NodeRecord {
        name: node.name.clone(),
        address: node.address.clone(),
        version: node.version.clone(),
        state: match node {
            _ if held.is_some_and(|lead| lead.node == node.name) => NodeState::Leading,
            _ if !node.alive => NodeState::Gone,
            _ if node.requested == Some(NodeRequest::Drain) || node.state == DRAINING => {
                NodeState::Draining
            }
            _ => NodeState::StandingBy,
        },
        rules_agree: rules.is_empty() || node.rules == rules,
        started: node.started,
        last_seen: node.seen,
        feed: None,
    };
    ClusterStanding {
        nodes: view.nodes.iter().map(record).collect(),
        lead: held.map(|lead| LeadRecord {
            holder: lead.node.clone(),
            epoch: lead.epoch,
            since: lead.since,
            until: lead.until,
        }),
        takeovers: view.takeovers,
    }
}

/// Why a node takes the lead that was `before` another's, or its own.
pub(super) fn reason(me: &str, before: &LeadRow, view: &ClusterView) -> LeadReason {
    let drained =
        |node: &&NodeRow| node.name == before.node && node.requested == Some(NodeRequest::Drain);
    match before.until.as_ms() {
        _ if before.node.is_empty() => LeadReason::First,
        _ if before.node == me => LeadReason::Restarted,
        0 if view.nodes.iter().any(|node| drained(&node)) => LeadReason::Drained,
        0 if before.heir.as_deref() == Some(me) => LeadReason::Moved,
        0 => LeadReason::Stopped,
        _ => LeadReason::Expired,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;

    fn node(name: &str) -> NodeRow {
        NodeRow {
            name: name.to_owned(),
            life: String::new(),
            address: format!("{name}:1"),
            version: "1".to_owned(),
            state: super::super::membership::STANDING_BY.to_owned(),
            rules: "these".to_owned(),
            started: Timestamp::from_ms(1),
            seen: Timestamp::from_ms(2),
            alive: true,
            requested: None,
        }
    }

    fn lead(node: &str) -> LeadRow {
        LeadRow {
            epoch: 7,
            holder: format!("SHA256:host {node}"),
            node: node.to_owned(),
            since: Timestamp::from_ms(3),
            until: Timestamp::from_ms(4),
            held: true,
            rules: "these".to_owned(),
            heir: None,
        }
    }

    #[test]
    fn nodes_are_told_as_the_directory_has_them() {
        let gone = NodeRow {
            alive: false,
            ..node("c")
        };
        let drained = NodeRow {
            requested: Some(NodeRequest::Drain),
            rules: "others".to_owned(),
            ..node("d")
        };
        let view = ClusterView {
            lead: Some(lead("a")),
            nodes: vec![node("a"), node("b"), gone, drained],
            ..ClusterView::default()
        };
        let told = standing(&view);
        let states: Vec<_> = told
            .nodes
            .iter()
            .map(|it| (it.state, it.rules_agree))
            .collect();
        let expected = [
            (NodeState::Leading, true),
            (NodeState::StandingBy, true),
            (NodeState::Gone, true),
            (NodeState::Draining, false),
        ];
        assert_eq!(states, expected);
        assert_eq!(
            told.lead.map(|it| (it.holder, it.epoch)),
            Some(("a".to_owned(), 7))
        );
        let over = ClusterView {
            lead: Some(LeadRow {
                held: false,
                ..lead("a")
            }),
            ..view
        };
        let told = standing(&over);
        assert_eq!(
            (told.lead, told.nodes[0].state),
            (None, NodeState::StandingBy)
        );
    }

    #[test]
    fn it_is_known_why_a_lead_is_taken() {
        let drained = NodeRow {
            requested: Some(NodeRequest::Drain),
            ..node("a")
        };
        let view = |nodes| ClusterView {
            nodes,
            ..ClusterView::default()
        };
        let usual = view(vec![node("a"), node("b")]);
        let promised = LeadRow {
            heir: Some("b".to_owned()),
            until: Timestamp::from_ms(0),
            ..lead("a")
        };
        let given_back = LeadRow {
            until: Timestamp::from_ms(0),
            ..lead("a")
        };
        let nobody = LeadRow {
            holder: String::new(),
            node: String::new(),
            ..lead("")
        };
        for (before, view, why) in [
            (nobody, &usual, LeadReason::First),
            (lead("b"), &usual, LeadReason::Restarted),
            (lead("a"), &usual, LeadReason::Expired),
            (given_back, &usual, LeadReason::Stopped),
            (promised.clone(), &usual, LeadReason::Moved),
            (promised, &view(vec![drained.clone()]), LeadReason::Drained),
            (lead("a"), &view(vec![drained]), LeadReason::Expired),
        ] {
            assert_eq!(reason("b", &before, view), why, "{before:?}");
        }
    }
}
