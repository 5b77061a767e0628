//! Messages that must arrive: sent again while the other side is away, or has not decided yet.
//!
//! A message that is sent again is no second message: task and round name it, and the platform
//! answers it as it answered the first. Refuses to know what messages are for; that is their
//! sender's purpose. Read next: [`crate::context`].

use crate::context::AgentContext;
use domain::agent::{Message, Output, Undelivered};
use domain::reply::{Reply, Verdict};
use domain::retry::{Backoff, Retry};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeMap;

/// The pause before a message is sent again that did not get through, or was answered `pending`.
pub const BACKOFF: Backoff = Backoff::constant(20_000);
/// Seconds without any reply after which a message counts as lost.
pub const SILENCE_S: f64 = 150.0;
/// The number of times that a message is sent at the most.
pub const TRIES_MAX: u32 = 8;

/// The outcome of a reply, or of the lack of one.
#[derive(Clone, Debug)]
pub enum ReplyOutcome<P> {
    /// It is the outbox's own business: what follows.
    Handled(Vec<Output>),
    /// The message was answered, or cannot be delivered.
    Answered {
        /// Its purpose.
        purpose: P,
        /// The message.
        sent: Box<Message>,
        /// The reply, or why there is none.
        reply: Result<Reply, Undelivered>,
    },
    /// It is about nothing that was sent here.
    Unknown,
}

#[derive(Clone, Debug)]
struct OutgoingRequest<P> {
    purpose: P,
    message: Message,
    retry: Retry,
}

/// The messages of one agent that are under way.
#[derive(Clone, Debug)]
pub struct Outbox<P> {
    awaiting: BTreeMap<Token, OutgoingRequest<P>>,
    /// The end of silence, by the token of the waking: the sending it is about.
    patience: BTreeMap<Token, Token>,
    resting: BTreeMap<Token, OutgoingRequest<P>>,
}

impl<P> Default for Outbox<P> {
    fn default() -> Self {
        Self {
            awaiting: BTreeMap::new(),
            patience: BTreeMap::new(),
            resting: BTreeMap::new(),
        }
    }
}

impl<P: Clone> Outbox<P> {
    /// Sends a message.
    pub fn send(
        &mut self,
        context: &mut AgentContext,
        purpose: P,
        message: Message,
        now: Timestamp,
    ) -> Vec<Output> {
        let request = OutgoingRequest {
            purpose,
            message,
            retry: Retry::new(BACKOFF),
        };
        self.post(context, request, now)
    }

    /// Every purpose for which something is under way.
    pub fn purposes(&self) -> impl Iterator<Item = &P> {
        let letters = self.awaiting.values().chain(self.resting.values());
        letters.map(|l| &l.purpose)
    }

    /// No longer sends what is for such a purpose, and wants no reply to it.
    pub fn forget(&mut self, unwanted: impl Fn(&P) -> bool) {
        self.awaiting.retain(|_, l| !unwanted(&l.purpose));
        self.resting.retain(|_, l| !unwanted(&l.purpose));
    }

    /// A reply has come.
    pub fn replied(
        &mut self,
        context: &mut AgentContext,
        token: Token,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> ReplyOutcome<P> {
        let Some(mut request) = self.awaiting.remove(&token) else {
            return ReplyOutcome::Unknown;
        };
        self.patience.retain(|_, sending| *sending != token);
        let negotiated = request.message.verb == Verb::FeasibilityNegotiate;
        let undecided = match &reply {
            Ok(reply) => negotiated && reply.verdict == Verdict::Pending,
            Err(undelivered) => is_passing(undelivered),
        };
        let at = now + i64::from(request.retry.next_pause_ms());
        match undecided && request.retry.attempts() < TRIES_MAX {
            true => ReplyOutcome::Handled(vec![self.rest(context, request, at)]),
            false => ReplyOutcome::Answered {
                purpose: request.purpose,
                sent: Box::new(request.message),
                reply,
            },
        }
    }

    /// An instant has come.
    pub fn woken(
        &mut self,
        context: &mut AgentContext,
        token: Token,
        now: Timestamp,
    ) -> ReplyOutcome<P> {
        if let Some(request) = self.resting.remove(&token) {
            return ReplyOutcome::Handled(self.post(context, request, now));
        }
        let Some(sending) = self.patience.remove(&token) else {
            return ReplyOutcome::Unknown;
        };
        let Some(mut request) = self.awaiting.remove(&sending) else {
            return ReplyOutcome::Handled(Vec::new());
        };
        request.retry.next_pause_ms();
        match request.retry.attempts() < TRIES_MAX {
            true => ReplyOutcome::Handled(self.post(context, request, now)),
            false => ReplyOutcome::Answered {
                purpose: request.purpose,
                sent: Box::new(request.message),
                reply: Err(Undelivered {
                    tag: "unreachable".to_owned(),
                    message: format!("no reply to {TRIES_MAX} messages"),
                }),
            },
        }
    }

    fn post(
        &mut self,
        context: &mut AgentContext,
        request: OutgoingRequest<P>,
        now: Timestamp,
    ) -> Vec<Output> {
        let (token, patience) = (context.token(), context.token());
        let message = request.message.clone();
        self.awaiting.insert(token, request);
        self.patience.insert(patience, token);
        let at = now.plus_s(SILENCE_S);
        vec![
            Output::Send { token, message },
            Output::Wake {
                token: patience,
                at,
            },
        ]
    }

    fn rest(
        &mut self,
        context: &mut AgentContext,
        request: OutgoingRequest<P>,
        at: Timestamp,
    ) -> Output {
        let token = context.token();
        self.resting.insert(token, request);
        Output::Wake { token, at }
    }
}

/// True if what stood in the way may be gone later: the other side was away or overloaded, while a
/// message that is wrong stays wrong.
fn is_passing(undelivered: &Undelivered) -> bool {
    let passing = ["unreachable", "resource-denied", "in-use", "lock-denied"];
    passing.contains(&undelivered.tag.as_str())
}

#[cfg(test)]
mod tests {
    //! What is sent again, and what is not.

    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::bench::{at, briefing};
    use domain::content::Content;
    use domain::task::TaskId;

    fn sent(verb: Verb) -> (AgentContext, Outbox<u8>, Token) {
        let mut context = AgentContext::open(&briefing("wireless-fault", vec![]), at(0));
        let mut outbox = Outbox::default();
        let task = TaskId::new("t");
        let message = Message::new("x", verb, task, Content::new("a", "b"));
        let outputs = outbox.send(&mut context, 7, message, at(0));
        let token = sending(&outputs).unwrap();
        (context, outbox, token)
    }

    fn sending(outputs: &[Output]) -> Option<Token> {
        outputs.iter().find_map(|o| match o {
            Output::Send { token, .. } => Some(*token),
            _ => None,
        })
    }

    fn waking(outputs: &[Output]) -> Option<Token> {
        outputs.iter().find_map(|o| match o {
            Output::Wake { token, .. } => Some(*token),
            _ => None,
        })
    }

    fn away() -> Result<Reply, Undelivered> {
        let (tag, message) = ("unreachable".to_owned(), String::new());
        Err(Undelivered { tag, message })
    }

    #[test]
    fn who_is_away_is_tried_again_and_in_the_end_given_up() {
        let (mut context, mut outbox, mut token) = sent(Verb::TaskAssign);
        for _ in 1..TRIES_MAX {
            let ReplyOutcome::Handled(rest) = outbox.replied(&mut context, token, away(), at(1))
            else {
                panic!("it is sent again")
            };
            let ReplyOutcome::Handled(again) =
                outbox.woken(&mut context, waking(&rest).unwrap(), at(30))
            else {
                panic!("it is sent again")
            };
            token = sending(&again).unwrap();
        }
        let given_up = outbox.replied(&mut context, token, away(), at(99));
        assert!(matches!(
            given_up,
            ReplyOutcome::Answered {
                purpose: 7,
                reply: Err(_),
                ..
            }
        ));
        assert_eq!(outbox.purposes().count(), 0);
    }

    #[test]
    fn an_undecided_negotiation_is_asked_again_and_a_wrong_message_is_not() {
        let pending = || Ok(Reply::new(Verdict::Pending, vec![]));
        let (mut context, mut outbox, token) = sent(Verb::FeasibilityNegotiate);
        let heard = outbox.replied(&mut context, token, pending(), at(1));
        assert!(matches!(heard, ReplyOutcome::Handled(_)));
        let (mut context, mut outbox, token) = sent(Verb::TaskAssign);
        let heard = outbox.replied(&mut context, token, pending(), at(1));
        assert!(matches!(heard, ReplyOutcome::Answered { reply: Ok(_), .. }));
        let (mut context, mut outbox, token) = sent(Verb::TaskAssign);
        let tag = "invalid-value".to_owned();
        let wrong = Err(Undelivered {
            tag,
            message: String::new(),
        });
        let heard = outbox.replied(&mut context, token, wrong, at(1));
        assert!(matches!(
            heard,
            ReplyOutcome::Answered { reply: Err(_), .. }
        ));
    }

    #[test]
    fn silence_is_a_lost_message_and_what_is_forgotten_has_no_answer() {
        let (mut context, mut outbox, token) = sent(Verb::TaskAssign);
        let patience = token + 1;
        let ReplyOutcome::Handled(again) = outbox.woken(&mut context, patience, at(151)) else {
            panic!("it is sent again")
        };
        assert!(sending(&again).is_some());
        outbox.forget(|p| *p == 7);
        let token = sending(&again).unwrap();
        let late = outbox.replied(&mut context, token, Ok(Reply::accepted()), at(160));
        assert!(matches!(late, ReplyOutcome::Unknown));
    }
}
