//! The platform's knowledge of a task at an agent elsewhere: templates and negotiations.
//!
//! Handed in by whoever has the engine; nothing of it is kept. Read next: [`super::remote_task`].

use super::super::telecom::repertoire::repertoire;
use super::remote_agent::RemoteAgent;
use a2a::telecom::peer::TelecomPeer;
use domain::negotiation::{Kind, Negotiation, State};
use schema::template::Template;
use std::sync::Arc;

/// The templates here, and the negotiations of a task.
#[derive(Clone, Debug, Default)]
pub struct TaskContext {
    /// The schemas that are published.
    pub templates: Vec<Arc<Template>>,
    /// The negotiations of the task.
    pub negotiations: Vec<Arc<Negotiation>>,
}

impl TaskContext {
    /// True if payloads of a schema are read here.
    pub(super) fn is_published(&self, schema_id: &str) -> bool {
        let mut all = self.templates.iter();
        all.any(|template| template.schema_id == schema_id)
    }

    /// A negotiation of the task.
    pub(super) fn negotiation(&self, kind: Kind) -> Option<&Negotiation> {
        let mut all = self.negotiations.iter();
        all.find(|it| it.kind == kind).map(|it| &**it)
    }

    /// That it can be done, if that was agreed on.
    pub(super) fn agreed(&self) -> Option<&Negotiation> {
        let feasibility = self.negotiation(Kind::Feasibility);
        feasibility.filter(|it| it.state == State::Agreed)
    }

    /// An agent as one that understands A2A-T; none if its card does not say so.
    pub(super) fn telecom(&self, peer: &RemoteAgent) -> Option<TelecomPeer> {
        let all = self.templates.iter().map(|it| it.schema_id.clone());
        let repertoire = || repertoire(&all.collect(), &self.templates);
        peer.speaks_telecom()
            .then(|| TelecomPeer::of(&peer.card, &repertoire()))?
    }
}
