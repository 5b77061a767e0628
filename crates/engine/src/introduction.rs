//! An A2A agent takes its place: it has said who it is in its card, and somebody has to look at that
//! first.
//!
//! Whoever speaks HTTP does so ([`Engine::introduce_by`]), and then registers the agent in the name of
//! the one who asked. Refuses to know cards. Read next: [`crate::registry`].

use crate::operation::{Execution, Outcome};
use crate::registry::{entered_by_others, speaks_for};
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::profile::Layer;
use std::sync::OnceLock;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

/// What is said of an agent that its card cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// Where its card is.
    pub card_url: String,
    /// What it is called here; if nothing is said, as in its card.
    pub name: Option<String>,
    /// A short name.
    pub alias: Option<String>,
    /// What kind of agent it is.
    pub agent_type: Option<String>,
    /// In which domains it works.
    pub domain: Option<String>,
    /// The part of the network that it manages.
    pub management_object: Option<String>,
    /// The layer it works in.
    pub layer: Layer,
    /// The province that it answers for.
    pub province: Option<String>,
    /// How long it keeps its place after its card was seen, in milliseconds.
    pub lease_ms: i64,
}

/// Somebody wants an agent registered by its card; whoever looks at cards answers.
#[derive(Debug)]
pub struct IntroductionWanted {
    /// Who.
    pub who: Principal,
    /// Whom, and what is said of it.
    pub introduction: Introduction,
    /// What came of it.
    pub answer: oneshot::Sender<Result<Outcome, Refusal>>,
}

/// Who looks at cards, once somebody does.
pub(crate) type Introductions = OnceLock<mpsc::Sender<IntroductionWanted>>;

impl Engine {
    /// Says who looks at the cards of A2A agents; the first who does is asked from now on.
    pub fn introduce_by(&self, wanted: mpsc::Sender<IntroductionWanted>) {
        // Whoever is second is never asked, and sees that at its own end.
        let _ = self.introductions.set(wanted);
    }

    pub(crate) fn introduce_by_card(
        &self,
        who: &Principal,
        introduction: Introduction,
    ) -> Execution {
        let name = introduction.name.as_deref().unwrap_or_default();
        if let Err(refusal) = speaks_for(who, name) {
            return Execution::refused(refusal);
        }
        // Nothing is fetched for an agent, not even its own card.
        if who.agent {
            return Execution::refused(entered_by_others("card-url"));
        }
        let (answer, answered) = oneshot::channel();
        let wanted = IntroductionWanted {
            who: who.clone(),
            introduction,
            answer,
        };
        let sent = self.introductions.get().map(|asked| asked.try_send(wanted));
        match sent {
            Some(Ok(())) => Execution::Pending(Box::pin(async move {
                answered.await.unwrap_or_else(|_| Err(nobody()))
            })),
            Some(Err(TrySendError::Full(_))) => Execution::refused(Refusal::TooMany {
                what: "agents introduced at the same time",
                most: self
                    .introductions
                    .get()
                    .map_or(0, |asked| asked.max_capacity() as u64),
            }),
            Some(Err(TrySendError::Closed(_))) | None => Execution::refused(nobody()),
        }
    }
}

fn nobody() -> Refusal {
    Refusal::BadLeaf {
        leaf: "reach",
        why: "this platform speaks with no A2A agents elsewhere".to_owned(),
    }
}
