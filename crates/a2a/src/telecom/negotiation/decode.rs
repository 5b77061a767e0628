//! A message of a negotiation, as a turn of ours.
//!
//! Knows ids, rounds and words; whose turn it is and what follows is the domain's to decide. What is
//! refused changes nothing. A message that was heard before is known as such, so that whoever sends
//! it again gets the same answer again. Read next: [`super::offer`], then [`super::encode`].

use super::NegotiationTopic;
use super::context::{Context, Performative};
use super::message::NegotiationMessage;
use super::offer::{acceptance, offer, refusal};
use super::refusal::NegotiationError;
use super::rounds::{proposal, proposals};
use super::vocabulary::Heading;
use crate::telecom::translator::Translator;
use domain::negotiation::{Negotiation, Side, Speech, Stance, State};
use schema::steps::ReadingBudget;

/// The negotiation that the id of a message names.
#[derive(Clone, Copy, Debug)]
pub struct OpenNegotiation<'a> {
    /// The number of rounds agreed on when it was opened.
    pub max_rounds: u32,
    /// Its state.
    pub negotiation: &'a Negotiation,
}

/// The meaning of a message to us.
#[derive(Clone, Debug, PartialEq)]
pub enum ReceivedMove {
    /// The first proposal of a new negotiation, of at most so many rounds with us.
    Opens(Speech, u32),
    /// A turn: `Move::Speak`.
    Turn(Speech),
    /// The sender leaves, or cannot supply what was asked for, for this reason: `Move::Withdraw`.
    Withdrawal(String),
    /// The sender asks for what [`NegotiationMessage::items`] lists.
    Question,
    /// The sender supplies what was asked for: [`NegotiationMessage::supply`].
    Supply,
    /// It was heard before: what was answered then is answered again.
    Again,
}

/// The meaning of one side's message to a negotiation; to none if its id is unknown. What it offers
/// is read as part of some work.
///
/// # Errors
/// [`NegotiationError`]: it does not fit, and nothing changes.
pub fn hear(
    message: &NegotiationMessage,
    by: Side,
    standing: Option<OpenNegotiation<'_>>,
    translator: Option<&Translator>,
    work: &ReadingBudget<'_>,
) -> Result<ReceivedMove, NegotiationError> {
    let context = &message.context;
    if message.topic == Some(NegotiationTopic::Information) {
        return inquiry(message);
    }
    let Some(standing) = standing else {
        return opening(message, translator, work);
    };
    let negotiation = standing.negotiation;
    same_negotiation(message, standing)?;
    let round = proposals(negotiation);
    match message.performative {
        Performative::Propose if context.round <= round => {
            let before = before(negotiation, context.round);
            let offered = offer(message, before, translator, work)?;
            let said = proposal(negotiation, context.round);
            match said.is_some_and(|turn| turn.by == by && turn.speech == offered) {
                true => Ok(ReceivedMove::Again),
                false => Err(NegotiationError::RoundTaken(context.round)),
            }
        }
        _ if is_repeated(message, by, negotiation) => Ok(ReceivedMove::Again),
        _ if !negotiation.is_open() => Err(NegotiationError::Ended(negotiation.state)),
        Performative::Propose => {
            within(message, round + 1, round + 1)?;
            let standing = negotiation.standing().map(|t| &t.speech);
            let offered = offer(message, standing, translator, work)?;
            Ok(ReceivedMove::Turn(offered))
        }
        answer => {
            within_answers(message, round)?;
            Ok(match answer {
                Performative::Abort => ReceivedMove::Withdrawal(message.reason()),
                Performative::Accept => ReceivedMove::Turn(acceptance(message, negotiation)),
                _ => ReceivedMove::Turn(refusal(message)),
            })
        }
    }
}

/// The content of an information negotiation is of the task that lacks something, not of a
/// negotiation of ours.
fn inquiry(message: &NegotiationMessage) -> Result<ReceivedMove, NegotiationError> {
    within(message, 1, message.context.max_rounds)?;
    match message.performative {
        Performative::Propose if message.items().is_empty() => Err(NegotiationError::Empty(
            Heading::Required.title(message.text_language),
        )),
        Performative::Propose => Ok(ReceivedMove::Question),
        Performative::Accept => Ok(ReceivedMove::Supply),
        Performative::Reject | Performative::Abort => {
            Ok(ReceivedMove::Withdrawal(message.reason()))
        }
    }
}

fn opening(
    message: &NegotiationMessage,
    translator: Option<&Translator>,
    work: &ReadingBudget<'_>,
) -> Result<ReceivedMove, NegotiationError> {
    let context = &message.context;
    if message.performative != Performative::Propose || context.round != 1 {
        return Err(NegotiationError::UnknownId(context.id.clone()));
    }
    let limit = super::round_limit(context.max_rounds);
    offer(message, None, translator, work).map(|speech| ReceivedMove::Opens(speech, limit))
}

fn same_negotiation(
    message: &NegotiationMessage,
    standing: OpenNegotiation<'_>,
) -> Result<(), NegotiationError> {
    let kind = standing.negotiation.kind;
    if let Some(topic) = message.topic.filter(|topic| topic.kind() != Some(kind)) {
        return Err(NegotiationError::OtherTopic {
            expected: kind,
            found: topic.as_str(),
        });
    }
    match message.context.max_rounds {
        found if found == standing.max_rounds => Ok(()),
        found => Err(NegotiationError::OtherLimit {
            expected: standing.max_rounds,
            found,
        }),
    }
}

fn within(message: &NegotiationMessage, first: u32, last: u32) -> Result<(), NegotiationError> {
    let Context {
        round, max_rounds, ..
    } = message.context;
    if !(first..=last).contains(&round) {
        return Err(NegotiationError::WrongRound {
            expected: first,
            found: round,
        });
    }
    // Who leaves because the rounds are over says so in the next.
    match message.performative {
        Performative::Abort => Ok(()),
        _ if round > max_rounds => Err(NegotiationError::RoundsExceeded { round, max_rounds }),
        _ => Ok(()),
    }
}

/// An answer is of the round that it answers, or of the next (see [`super::rounds`]).
fn within_answers(message: &NegotiationMessage, round: u32) -> Result<(), NegotiationError> {
    within(message, round, round + 1)
}

/// True if the last thing that was said is what this answer says, by the same side.
fn is_repeated(message: &NegotiationMessage, by: Side, negotiation: &Negotiation) -> bool {
    let round = proposals(negotiation);
    let of_round = within_answers(message, round).is_ok();
    let last = negotiation.turns.last().filter(|t| t.by == by && of_round);
    let stance = last.map(|turn| turn.speech.stance);
    match message.performative {
        Performative::Accept => stance == Some(Stance::Accept),
        Performative::Reject => stance == Some(Stance::Refuse),
        Performative::Abort => negotiation.state == State::Withdrawn,
        Performative::Propose => false,
    }
}

fn before(negotiation: &Negotiation, round: u32) -> Option<&Speech> {
    proposal(negotiation, round.checked_sub(1)?).map(|turn| &turn.speech)
}
