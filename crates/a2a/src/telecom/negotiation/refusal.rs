//! The reason why a message of a negotiation is not heard.
//!
//! Knows the codes of IG1453's closed catalogue; refuses to know how they travel. Read next:
//! [`super::decode`], which refuses.

use crate::telecom::markdown::PromptError;
use crate::telecom::translator::Question;
use domain::negotiation::{Kind, State};
use schema::steps::GivenUp;

/// The reason why a message is not heard.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NegotiationError {
    /// Its text is no prompt.
    #[error(transparent)]
    Fault(#[from] PromptError),
    /// Its template is none of Negotiation-T.
    #[error("'{0}' is no template of Negotiation-T")]
    NoTemplate(String),
    /// Template, performative and conclusion do not say the same.
    #[error("the {place} says {found}, not {expected}")]
    Contradiction {
        /// The place that says otherwise.
        place: &'static str,
        /// The statement of the others.
        expected: String,
        /// The statement found.
        found: String,
    },
    /// Nobody has opened a negotiation of this id.
    #[error("no negotiation has the id {0}; a first proposal of round 1 opens one")]
    UnknownId(String),
    /// It is about something else.
    #[error("this negotiation is about {expected}, not about {found}")]
    OtherTopic {
        /// The subject of the negotiation.
        expected: Kind,
        /// The subject of the message.
        found: &'static str,
    },
    /// The number of rounds is not what it was.
    #[error("this negotiation has at most {expected} rounds, not {found}")]
    OtherLimit {
        /// The number said at first.
        expected: u32,
        /// The number said now.
        found: u32,
    },
    /// The round is over, or not yet there.
    #[error("round {expected} is due, not {found}")]
    WrongRound {
        /// The round that would fit.
        expected: u32,
        /// The round of the message.
        found: u32,
    },
    /// In that round something else was said.
    #[error("in round {0} something else was proposed")]
    RoundTaken(u32),
    /// There are no more rounds.
    #[error("round {round} is beyond the last, {max_rounds}")]
    RoundsExceeded {
        /// The round.
        round: u32,
        /// The last one.
        max_rounds: u32,
    },
    /// It has ended.
    #[error("this negotiation is {}; a new one has a new id", .0.as_str())]
    Ended(State),
    /// It says nothing that could be taken for an offer.
    #[error("section '{0}' is needed")]
    Empty(&'static str),
    /// It offers more than anybody compares.
    #[error("more than {0} alternatives")]
    TooMany(usize),
    /// The offer cannot be understood.
    #[error("{} of what is offered cannot be understood", .0.len())]
    Unclear(Vec<Question>),
    /// It is more work than it may be.
    #[error(transparent)]
    GivenUp(#[from] GivenUp),
}

impl NegotiationError {
    /// The code of IG1453's closed catalogue that says the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fault(_) | Self::GivenUp(_) => "content.format_error",
            Self::NoTemplate(_) => "template.not_found",
            Self::Contradiction {
                place: "conclusion",
                ..
            } => "negotiation.conclusion_mismatch",
            Self::Contradiction { .. } => "negotiation.phase_mismatch",
            Self::OtherTopic { .. } => "negotiation.type_mismatch",
            Self::RoundsExceeded { .. } => "negotiation.round_exceeded",
            Self::Empty(_) => "negotiation.field_missing",
            Self::TooMany(_) | Self::Unclear(_) => "negotiation.content_invalid",
            Self::UnknownId(_)
            | Self::OtherLimit { .. }
            | Self::WrongRound { .. }
            | Self::RoundTaken(_)
            | Self::Ended(_) => "negotiation.invalid_input",
        }
    }
}
