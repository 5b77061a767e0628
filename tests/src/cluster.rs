//! A cluster that is nothing but four rows, for cases and for tests of the command.
//!
//! What a node is asked for is done at once. Read next: `engine::Nodes`, whose part it plays.

use crate::memory::BEGIN;
use domain::cluster::{
    ClusterStanding, FeedLag, LeadMoved, LeadReason, LeadRecord, NodeRecord, NodeRequest, NodeState,
};
use domain::time::Timestamp;
use engine::{Engine, NodeRequestFuture, Nodes};
use std::sync::{Arc, Mutex, Weak};

/// The rows of four nodes: `north` leads, `east` stands by, `west` has other rules, `south` is gone.
struct Rows {
    engine: Weak<Engine>,
    standing: Mutex<ClusterStanding>,
}

/// Has an engine be the node that leads such a cluster.
pub fn join(engine: &Arc<Engine>) {
    let node = |name: &str, state, rules_agree, last_seen: i64| NodeRecord {
        name: name.to_owned(),
        address: format!("{name}.example:8840"),
        version: "0.1.0".to_owned(),
        state,
        rules_agree,
        started: begin(),
        last_seen: begin() + last_seen,
        feed: (name == "east").then_some(FeedLag {
            subscribers: 2,
            events: 3,
            ms: 40,
        }),
    };
    let standing = ClusterStanding {
        nodes: vec![
            node("east", NodeState::StandingBy, true, 5_000),
            node("north", NodeState::Leading, true, 5_000),
            node("south", NodeState::Gone, true, 1_000),
            node("west", NodeState::StandingBy, false, 5_000),
        ],
        lead: Some(lead("north", 7)),
        takeovers: 6,
    };
    engine.join_cluster(Arc::new(Rows {
        engine: Arc::downgrade(engine),
        standing: Mutex::new(standing),
    }));
}

fn begin() -> Timestamp {
    Timestamp::parse(BEGIN).expect("a literal")
}

fn lead(holder: &str, epoch: u64) -> LeadRecord {
    LeadRecord {
        holder: holder.to_owned(),
        epoch,
        since: begin(),
        until: begin() + 6_000,
    }
}

impl Rows {
    /// Moves the lead, and has it told.
    fn lead_moves(&self, standing: &mut ClusterStanding, to: &str, reason: LeadReason) {
        let before = standing.lead.take();
        let epoch = before.as_ref().map_or(1, |lead| lead.epoch + 1);
        let from = before.map(|lead| lead.holder);
        for node in &mut standing.nodes {
            match node.state {
                _ if node.name == to => node.state = NodeState::Leading,
                NodeState::Leading => node.state = NodeState::StandingBy,
                _ => {}
            }
        }
        standing.lead = Some(lead(to, epoch));
        standing.takeovers += 1;
        let moved = LeadMoved {
            time: begin(),
            from,
            to: to.to_owned(),
            epoch,
            reason,
        };
        let engine = self.engine.upgrade().expect("it asks");
        engine.record_lead(moved, begin());
    }
}

impl Nodes for Rows {
    fn standing(&self) -> ClusterStanding {
        self.standing.lock().expect("no holder panics").clone()
    }

    fn request(&self, node: &str, request: NodeRequest) -> NodeRequestFuture {
        let mut standing = self.standing.lock().expect("no holder panics");
        let led = standing.lead.as_ref().is_some_and(|l| l.holder == node);
        match request {
            NodeRequest::Lead => self.lead_moves(&mut standing, node, LeadReason::Moved),
            NodeRequest::Drain => {
                let free =
                    |other: &&NodeRecord| other.state == NodeState::StandingBy && other.rules_agree;
                let heir = standing.nodes.iter().find(free).map(|n| n.name.clone());
                if let (true, Some(heir)) = (led, heir) {
                    self.lead_moves(&mut standing, &heir, LeadReason::Drained);
                }
                let mut nodes = standing.nodes.iter_mut();
                let own = nodes.find(|own| own.name == node);
                own.expect("the engine asks nobody else").state = NodeState::Draining;
            }
        }
        Box::pin(async { Ok(()) })
    }
}
