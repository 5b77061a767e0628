//! Turns of a negotiation as messages say them and as replies tell them.
//!
//! Read next: `domain::negotiation`.

use super::payload::Held;
use crate::Refusal;
use crate::refusal::{Conflict, Field};
use crate::tasks::message::Negotiate;
use domain::content::Content;
use domain::negotiation::{Negotiation, Side, Speech, Stance, State, Turn};
use domain::reply::{Reason, Reply, Verdict};

/// What the message says: `accept` or `refuse` under `## result`, or else an offer of which every
/// entry of `content` that stands by itself is an alternative.
pub(super) fn speech(negotiate: &Negotiate, held: &Held) -> Result<Speech, Refusal> {
    let content = &held.content;
    let result = content.result.as_deref().unwrap_or("");
    let stance = Stance::said(result).unwrap_or(Stance::Offer);
    Ok(match stance {
        Stance::Offer => Speech::offer(match held.alternatives.is_empty() {
            true => vec![content.clone()],
            false => held.alternatives.clone(),
        }),
        Stance::Accept => Speech {
            alternative: alternative(negotiate, content, result.split_whitespace().nth(1))?,
            contents: vec![content.clone()],
            ..Speech::accept()
        },
        Stance::Refuse => Speech {
            contents: vec![content.clone()],
            ..Speech::refuse(unmet(content))
        },
    })
}

fn alternative(
    negotiate: &Negotiate,
    content: &Content,
    behind: Option<&str>,
) -> Result<Option<u32>, Refusal> {
    if negotiate.alternative.is_some() {
        return Ok(negotiate.alternative);
    }
    let Some(text) = content.section("alternative").or(behind) else {
        return Ok(None);
    };
    match text.trim().parse() {
        Ok(number) => Ok(Some(number)),
        // `accept, it is what we need`: words, not a number.
        Err(_) if content.section("alternative").is_none() => Ok(None),
        Err(_) => Err(Refusal::unusable(
            Field::Alternative,
            format!("'{text}' is not a number"),
        )),
    }
}

/// The unmet points: each line behind the word is one, or the description is the only one.
fn unmet(content: &Content) -> Vec<Reason> {
    let lines = content.result.as_deref().unwrap_or("").lines().skip(1);
    let lines = lines.map(|l| l.trim().trim_start_matches(['-', '*']).trim());
    let mut points: Vec<&str> = lines.filter(|l| !l.is_empty()).collect();
    if points.is_empty() {
        points.push(&content.task_description);
    }
    let reason = |message: &&str| Reason {
        reason: "unmet".to_owned(),
        path: String::new(),
        message: (*message).to_owned(),
    };
    points.iter().map(reason).collect()
}

/// What an agent's answer says in a negotiation; none if it answers later. `offered` is how many
/// alternatives it answers to: an agent that takes an offer without a word takes the first.
pub(crate) fn speech_of(answer: &Reply, offered: usize) -> Option<Speech> {
    let contents = answer.content.clone();
    Some(match answer.verdict {
        Verdict::Accepted | Verdict::Result => Speech {
            contents,
            alternative: answer.alternative.or((offered > 1).then_some(1)),
            ..Speech::accept()
        },
        Verdict::Refused | Verdict::InputRequired => Speech {
            contents,
            ..Speech::refuse(answer.reasons.clone())
        },
        Verdict::Offered => Speech {
            reasons: answer.reasons.clone(),
            ..Speech::offer(contents)
        },
        Verdict::Pending => return None,
    })
}

/// The executor's turn in a round, as the reply to the publisher's; `pending` while there may be
/// one, and how the negotiation ended if there is none.
pub(crate) fn reply_of(negotiation: &Negotiation, round: u32) -> Reply {
    let mut reply = match (negotiation.said(Side::Executor, round), negotiation.state) {
        (None, State::Open) => Reply::new(Verdict::Pending, Vec::new()),
        (None, State::Agreed) => Reply::accepted(),
        (None, ended) => {
            let why = "the negotiation ended without an answer";
            Reply::refused(ended.as_str(), "", why)
        }
        (Some(turn), _) => {
            let verdict = match turn.speech.stance {
                Stance::Offer => Verdict::Offered,
                Stance::Accept => Verdict::Accepted,
                Stance::Refuse => Verdict::Refused,
            };
            Reply {
                reasons: turn.speech.reasons.clone(),
                alternative: turn.speech.alternative,
                ..Reply::new(verdict, turn.speech.contents.clone())
            }
        }
    };
    reply.task = Some(negotiation.task.clone());
    reply.round = Some(round);
    reply
}

/// Where a message stands in its negotiation.
pub(crate) enum TurnPosition {
    /// It is a new turn, in this round.
    New(u32),
    /// It was said before, in this round.
    Again(u32),
}

/// Where this side's speech stands: a message that is sent again, its reply having been lost, is
/// no new turn.
pub(crate) fn position_of(
    negotiation: &Negotiation,
    by: Side,
    negotiate: &Negotiate,
    speech: &Speech,
) -> Result<TurnPosition, Refusal> {
    let own = || negotiation.turns.iter().rev().filter(|t| t.by == by);
    let same_request = |t: &&Turn| t.request.is_some() && t.request == negotiate.key();
    if let Some(said) = own().find(same_request) {
        return Ok(TurnPosition::Again(said.round));
    }
    let next = negotiation.round_of_next(by);
    let Some(round) = negotiate.round else {
        let has_the_word = negotiation.next_side() == Some(by);
        return Ok(match own().next().filter(|t| t.speech == *speech) {
            Some(same) if !has_the_word => TurnPosition::Again(same.round),
            _ => TurnPosition::New(next),
        });
    };
    match negotiation.said(by, round) {
        Some(said) if said.speech == *speech => Ok(TurnPosition::Again(round)),
        None if round == next => Ok(TurnPosition::New(round)),
        _ => Err(Conflict::WrongRound {
            task: negotiation.task.clone(),
            kind: negotiation.kind,
            round,
            next,
        }
        .into()),
    }
}

/// The alternatives of an offer behind its first.
pub(crate) fn further(stance: Stance, contents: &[Content]) -> Vec<Content> {
    match stance {
        Stance::Offer => contents.iter().skip(1).cloned().collect(),
        Stance::Accept | Stance::Refuse => Vec::new(),
    }
}
