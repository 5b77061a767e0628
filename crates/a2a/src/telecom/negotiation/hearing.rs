//! A message of a negotiation, as a turn of ours.
//!
//! Knows ids, rounds and words; whose turn it is and what follows is the domain's to decide. What is
//! refused changes nothing. A message that was heard before is known as such, so that whoever sends
//! it again gets the same answer again. Read next: [`super::offer`], then [`super::saying`].

use super::Topic;
use super::context::{Context, Performative};
use super::message::Message;
use super::offer::{acceptance, offer, refusal};
use super::refusal::Refusal;
use super::rounds::{proposal, proposals};
use super::vocabulary::Heading;
use crate::telecom::translator::Translator;
use domain::negotiation::{Negotiation, Side, Speech, Stance, State};
use schema::steps::ReadingBudget;

/// The negotiation that the id of a message names.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// How many rounds were agreed on when it was opened.
    pub max_rounds: u32,
    /// How it stands.
    pub negotiation: &'a Negotiation,
}

/// What a message is to us.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// The first proposal of a new negotiation, of at most so many rounds with us.
    Opens(Speech, u32),
    /// A turn: `Move::Speak`.
    Turn(Speech),
    /// The sender leaves, or cannot supply what was asked for, for this reason: `Move::Withdraw`.
    Withdrawal(String),
    /// The sender asks for what [`Message::items`] lists.
    Question,
    /// The sender supplies what was asked for: [`Message::supply`].
    Supply,
    /// It was heard before: what was answered then is answered again.
    Again,
}

/// What a message of one side is to a negotiation; to none if its id is unknown. What it offers is read
/// as part of some work.
///
/// # Errors
/// [`Refusal`]: it does not fit, and nothing changes.
pub fn hear(
    message: &Message,
    by: Side,
    standing: Option<Standing<'_>>,
    translator: Option<&Translator>,
    work: &ReadingBudget<'_>,
) -> Result<Heard, Refusal> {
    let context = &message.context;
    if message.topic == Some(Topic::Information) {
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
                true => Ok(Heard::Again),
                false => Err(Refusal::RoundTaken(context.round)),
            }
        }
        _ if is_repeated(message, by, negotiation) => Ok(Heard::Again),
        _ if !negotiation.is_open() => Err(Refusal::Ended(negotiation.state)),
        Performative::Propose => {
            within(message, round + 1, round + 1)?;
            let standing = negotiation.standing().map(|t| &t.speech);
            let offered = offer(message, standing, translator, work)?;
            Ok(Heard::Turn(offered))
        }
        answer => {
            within_answers(message, round)?;
            Ok(match answer {
                Performative::Abort => Heard::Withdrawal(message.reason()),
                Performative::Accept => Heard::Turn(acceptance(message, negotiation)),
                _ => Heard::Turn(refusal(message)),
            })
        }
    }
}

/// What an information negotiation says is of the task that lacks something, not of a negotiation
/// of ours.
fn inquiry(message: &Message) -> Result<Heard, Refusal> {
    within(message, 1, message.context.max_rounds)?;
    match message.performative {
        Performative::Propose if message.items().is_empty() => Err(Refusal::Empty(
            Heading::Required.title(message.text_language),
        )),
        Performative::Propose => Ok(Heard::Question),
        Performative::Accept => Ok(Heard::Supply),
        Performative::Reject | Performative::Abort => Ok(Heard::Withdrawal(message.reason())),
    }
}

fn opening(
    message: &Message,
    translator: Option<&Translator>,
    work: &ReadingBudget<'_>,
) -> Result<Heard, Refusal> {
    let context = &message.context;
    if message.performative != Performative::Propose || context.round != 1 {
        return Err(Refusal::UnknownId(context.id.clone()));
    }
    let limit = super::round_limit(context.max_rounds);
    offer(message, None, translator, work).map(|speech| Heard::Opens(speech, limit))
}

fn same_negotiation(message: &Message, standing: Standing<'_>) -> Result<(), Refusal> {
    let kind = standing.negotiation.kind;
    if let Some(topic) = message.topic.filter(|topic| topic.kind() != Some(kind)) {
        return Err(Refusal::OtherTopic {
            expected: kind,
            found: topic.as_str(),
        });
    }
    match message.context.max_rounds {
        found if found == standing.max_rounds => Ok(()),
        found => Err(Refusal::OtherLimit {
            expected: standing.max_rounds,
            found,
        }),
    }
}

fn within(message: &Message, first: u32, last: u32) -> Result<(), Refusal> {
    let Context {
        round, max_rounds, ..
    } = message.context;
    if !(first..=last).contains(&round) {
        return Err(Refusal::WrongRound {
            expected: first,
            found: round,
        });
    }
    // Who leaves because the rounds are over says so in the next.
    match message.performative {
        Performative::Abort => Ok(()),
        _ if round > max_rounds => Err(Refusal::RoundsExceeded { round, max_rounds }),
        _ => Ok(()),
    }
}

/// An answer is of the round that it answers, or of the next (see [`super::rounds`]).
fn within_answers(message: &Message, round: u32) -> Result<(), Refusal> {
    within(message, round, round + 1)
}

/// True if the last thing that was said is what this answer says, by the same side.
fn is_repeated(message: &Message, by: Side, negotiation: &Negotiation) -> bool {
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
