//! Nodes of a cluster listed, and asked to lead or not to.
//!
//! Decides whether a node may be asked, puts it on record, and asks. Read next: [`crate::cluster`], who is
//! asked; `domain::cluster`, which node may be.

use crate::access::exec;
use crate::cluster::Nodes;
use crate::cluster::operation::{DrainNode, MoveLead};
use crate::operation::{Call, Execution, Operation};
use crate::refusal::{Conflict, NotAvailable, NotFound};
use crate::trail::by;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::audit::AuditKind;
use domain::cluster::{ClusterStanding, LeadMoved, NodeRequest, NodeRequestRefusal};
use domain::event::LogEvent;
use domain::time::Timestamp;
use std::sync::Arc;
use store::Batch;

fn refused(refusal: NodeRequestRefusal, node: &str) -> Refusal {
    let node = node.to_owned();
    match refusal {
        NodeRequestRefusal::Unknown => NotFound::Node { node }.into(),
        NodeRequestRefusal::Unable { why } => NotAvailable::Node { node, why }.into(),
        NodeRequestRefusal::Only { why } => Conflict::OnlyNode { node, why }.into(),
    }
}

impl Engine {
    /// Says that this platform is a node of a cluster: its nodes are listed and asked from now on. The
    /// first that is said counts.
    pub fn join_cluster(&self, nodes: Arc<dyn Nodes>) {
        let _ = self.cluster.set(nodes);
    }

    /// The nodes and who leads; none if this platform is no node of a cluster.
    pub fn cluster(&self) -> Option<ClusterStanding> {
        self.cluster.get().map(|cluster| cluster.standing())
    }

    /// Enters into the log that a node took the lead. Not waited for: it explains, it is nobody's
    /// promise.
    pub fn record_lead(&self, moved: LeadMoved, now: Timestamp) {
        let mut batch = Batch::default();
        batch
            .happenings
            .push((now, LogEvent::Lead(Arc::new(moved))));
        drop(self.store.commit(batch));
    }

    /// Asks a node for something; who asked is on record, whatever comes of it.
    fn request_of_node(
        &self,
        who: &Principal,
        node: &str,
        request: NodeRequest,
        now: Timestamp,
    ) -> Result<Execution<()>, Refusal> {
        let cluster = self.cluster.get().ok_or(NotAvailable::Cluster)?;
        let decided = cluster.standing().decide(node, request);
        if !decided.map_err(|refusal| refused(refusal, node))? {
            return Ok(Execution::known(()));
        }
        let kind = match request {
            NodeRequest::Drain => AuditKind::DrainAsked,
            NodeRequest::Lead => AuditKind::LeadAsked,
        };
        self.audit(by(kind, who).to(node), now);
        let asked = cluster.request(node, request);
        Ok(Execution::later(async move {
            asked.await.map_err(|failure| {
                let why = failure.to_string();
                Refusal::from(NotAvailable::AttemptFailed { why })
            })
        }))
    }
}

impl Operation for DrainNode {
    type Output = ();

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-cluster", "drain-node", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        let Call { who, now, .. } = call;
        call.engine
            .request_of_node(who, &self.node, NodeRequest::Drain, now)
    }
}

impl Operation for MoveLead {
    type Output = ();

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-cluster", "move-lead", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        let Call { who, now, .. } = call;
        call.engine
            .request_of_node(who, &self.node, NodeRequest::Lead, now)
    }
}
