//! Messages that must arrive: sent again while the other side is away, or has not decided yet.
//!
//! A message that is sent again is no second message: task and round name it, and the platform
//! answers it as it answered the first. Refuses to know what messages are for; that is their
//! sender's purpose. Read next: [`crate::desk`].

use crate::desk::Desk;
use domain::agent::{Message, Output, Undelivered};
use domain::reply::{Reply, Verdict};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeMap;

/// Seconds until a message is sent again that did not get through, or was answered `pending`.
pub const AGAIN_AFTER_S: f64 = 20.0;
/// Seconds without any reply after which a message counts as lost.
pub const SILENCE_S: f64 = 150.0;
/// How often a message is sent at the most.
pub const TRIES_MAX: u32 = 8;

/// What a reply, or the lack of one, amounts to.
#[derive(Clone, Debug)]
pub enum Heard<P> {
    /// It is the courier's own business: what follows.
    Handled(Vec<Output>),
    /// The message was answered, or cannot be delivered.
    Answered {
        /// What it was for.
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
struct Letter<P> {
    purpose: P,
    message: Message,
    tries: u32,
}

/// The messages of one agent that are under way.
#[derive(Clone, Debug)]
pub struct Courier<P> {
    awaiting: BTreeMap<Token, Letter<P>>,
    /// When silence is over, by the token of the waking: the sending it is about.
    patience: BTreeMap<Token, Token>,
    resting: BTreeMap<Token, Letter<P>>,
}

impl<P> Default for Courier<P> {
    fn default() -> Self {
        Self {
            awaiting: BTreeMap::new(),
            patience: BTreeMap::new(),
            resting: BTreeMap::new(),
        }
    }
}

impl<P: Clone> Courier<P> {
    /// Sends a message.
    pub fn send(
        &mut self,
        desk: &mut Desk,
        purpose: P,
        message: Message,
        now: Timestamp,
    ) -> Vec<Output> {
        let tries = 0;
        let letter = Letter {
            purpose,
            message,
            tries,
        };
        self.post(desk, letter, now)
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
        desk: &mut Desk,
        token: Token,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Heard<P> {
        let Some(letter) = self.awaiting.remove(&token) else {
            return Heard::Unknown;
        };
        self.patience.retain(|_, sending| *sending != token);
        let negotiated = letter.message.verb == Verb::FeasibilityNegotiate;
        let undecided = match &reply {
            Ok(reply) => negotiated && reply.verdict == Verdict::Pending,
            Err(undelivered) => is_passing(undelivered),
        };
        match undecided && letter.tries < TRIES_MAX {
            true => Heard::Handled(vec![self.rest(desk, letter, now)]),
            false => Heard::Answered {
                purpose: letter.purpose,
                sent: Box::new(letter.message),
                reply,
            },
        }
    }

    /// An instant has come.
    pub fn woken(&mut self, desk: &mut Desk, token: Token, now: Timestamp) -> Heard<P> {
        if let Some(letter) = self.resting.remove(&token) {
            return Heard::Handled(self.post(desk, letter, now));
        }
        let Some(sending) = self.patience.remove(&token) else {
            return Heard::Unknown;
        };
        match self.awaiting.remove(&sending) {
            None => Heard::Handled(Vec::new()),
            Some(letter) if letter.tries < TRIES_MAX => {
                Heard::Handled(self.post(desk, letter, now))
            }
            Some(letter) => Heard::Answered {
                purpose: letter.purpose,
                sent: Box::new(letter.message),
                reply: Err(Undelivered {
                    tag: "unreachable".to_owned(),
                    message: format!("no reply to {TRIES_MAX} messages"),
                }),
            },
        }
    }

    fn post(&mut self, desk: &mut Desk, mut letter: Letter<P>, now: Timestamp) -> Vec<Output> {
        letter.tries += 1;
        let (token, patience) = (desk.token(), desk.token());
        let message = letter.message.clone();
        self.awaiting.insert(token, letter);
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

    fn rest(&mut self, desk: &mut Desk, letter: Letter<P>, now: Timestamp) -> Output {
        let token = desk.token();
        self.resting.insert(token, letter);
        let at = now.plus_s(AGAIN_AFTER_S);
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

    fn sent(verb: Verb) -> (Desk, Courier<u8>, Token) {
        let mut desk = Desk::open(&briefing("wireless-fault", vec![]), at(0));
        let mut courier = Courier::default();
        let task = TaskId::new("t");
        let message = Message::new("x", verb, task, Content::new("a", "b"));
        let outputs = courier.send(&mut desk, 7, message, at(0));
        let token = sending(&outputs).unwrap();
        (desk, courier, token)
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
        let (mut desk, mut courier, mut token) = sent(Verb::TaskAssign);
        for _ in 1..TRIES_MAX {
            let Heard::Handled(rest) = courier.replied(&mut desk, token, away(), at(1)) else {
                panic!("it is sent again")
            };
            let Heard::Handled(again) = courier.woken(&mut desk, waking(&rest).unwrap(), at(30))
            else {
                panic!("it is sent again")
            };
            token = sending(&again).unwrap();
        }
        let given_up = courier.replied(&mut desk, token, away(), at(99));
        assert!(matches!(
            given_up,
            Heard::Answered {
                purpose: 7,
                reply: Err(_),
                ..
            }
        ));
        assert_eq!(courier.purposes().count(), 0);
    }

    #[test]
    fn an_undecided_negotiation_is_asked_again_and_a_wrong_message_is_not() {
        let pending = || Ok(Reply::new(Verdict::Pending, vec![]));
        let (mut desk, mut courier, token) = sent(Verb::FeasibilityNegotiate);
        let heard = courier.replied(&mut desk, token, pending(), at(1));
        assert!(matches!(heard, Heard::Handled(_)));
        let (mut desk, mut courier, token) = sent(Verb::TaskAssign);
        let heard = courier.replied(&mut desk, token, pending(), at(1));
        assert!(matches!(heard, Heard::Answered { reply: Ok(_), .. }));
        let (mut desk, mut courier, token) = sent(Verb::TaskAssign);
        let tag = "invalid-value".to_owned();
        let wrong = Err(Undelivered {
            tag,
            message: String::new(),
        });
        let heard = courier.replied(&mut desk, token, wrong, at(1));
        assert!(matches!(heard, Heard::Answered { reply: Err(_), .. }));
    }

    #[test]
    fn silence_is_a_lost_message_and_what_is_forgotten_has_no_answer() {
        let (mut desk, mut courier, token) = sent(Verb::TaskAssign);
        let patience = token + 1;
        let Heard::Handled(again) = courier.woken(&mut desk, patience, at(151)) else {
            panic!("it is sent again")
        };
        assert!(sending(&again).is_some());
        courier.forget(|p| *p == 7);
        let token = sending(&again).unwrap();
        let late = courier.replied(&mut desk, token, Ok(Reply::accepted()), at(160));
        assert!(matches!(late, Heard::Unknown));
    }
}
