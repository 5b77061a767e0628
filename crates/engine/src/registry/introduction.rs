//! An A2A agent takes its place: it has said who it is in its card, and somebody has to look at that
//! first.
//!
//! Whoever speaks HTTP does so ([`Engine::introduce_by`]), and then registers the agent in the name of
//! the one who asked. Refuses to know cards. Read next: [`crate::registry`].

use crate::operation::{Call, Cost, ENTRY_BYTES, Execution, Operation};
use crate::refusal::{Field, OverLimit};
use crate::registry::membership::{entered_by_others, speaks_for};
use crate::registry::operation::{IntroduceAgent, Registered, rpc};
use crate::registry::wanted::IntroductionWanted;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

impl Engine {
    /// Says who looks at the cards of A2A agents; the first who does is asked from now on.
    pub fn introduce_by(&self, wanted: mpsc::Sender<IntroductionWanted>) {
        // Whoever is second is never asked, and sees that at its own end.
        let _ = self.registry.introductions.set(wanted);
    }

    pub(crate) fn introduce_by_card(
        &self,
        who: &Principal,
        introduction: IntroduceAgent,
    ) -> Result<Execution<Registered>, Refusal> {
        let name = introduction.name.as_deref().unwrap_or_default();
        speaks_for(who, name)?;
        // Nothing is fetched for an agent, not even its own card.
        if who.agent {
            return Err(entered_by_others(Field::CardUrl));
        }
        let (answer, answered) = oneshot::channel();
        let wanted = IntroductionWanted {
            who: who.clone(),
            introduction,
            answer,
        };
        let sent = self
            .registry
            .introductions
            .get()
            .map(|asked| asked.try_send(wanted));
        match sent {
            Some(Ok(())) => Ok(Execution::later(async move {
                answered.await.unwrap_or_else(|_| Err(nobody()))
            })),
            Some(Err(TrySendError::Full(_))) => Err(OverLimit::TooMany {
                what: "agents introduced at the same time",
                most: self
                    .registry
                    .introductions
                    .get()
                    .map_or(0, |asked| asked.max_capacity() as u64),
            }
            .into()),
            Some(Err(TrySendError::Closed(_))) | None => Err(nobody()),
        }
    }
}

fn nobody() -> Refusal {
    Refusal::unusable(
        Field::Reach,
        "this platform speaks with no A2A agents elsewhere",
    )
}

impl Operation for IntroduceAgent {
    type Output = Registered;

    fn rpc(&self) -> Option<Request<'static>> {
        rpc("register-agent")
    }

    fn cost(&self) -> Option<Cost> {
        Some(Cost::of_new(ENTRY_BYTES))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Registered>, Refusal> {
        call.engine.introduce_by_card(call.who, self)
    }
}
