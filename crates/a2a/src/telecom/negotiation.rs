//! Negotiation-T and our negotiations: offers, acceptances and refusals, round by round.
//!
//! ```text
//! PROPOSE  an offer; each begins a round, from 1        ─► Speech::offer
//! ACCEPT   the standing offer is taken                  ─► Speech::accept   ends it
//! REJECT   it is not                                    ─► Speech::refuse
//! ABORT    whoever says so leaves                       ─► Move::Withdraw   ends it
//! ```
//! `feasibility-negotiation` is our feasibility, `target-negotiation` our fulfillment, and
//! `information-negotiation` what a task asks its publisher while it is `input-required`. A *round*
//! of A2A-T is one proposal; ours holds a turn of each side, so that theirs go twice as fast
//! (`rounds`). State is our negotiation's alone; nothing is remembered here. What may be said
//! when, [`domain::negotiation`] decides; what is refused here is what it cannot see: ids, rounds,
//! words. Read next: `decode`, then `encode`.

mod context;
mod decode;
mod encode;
mod message;
mod offer;
mod refusal;
mod rounds;
mod vocabulary;

pub use context::{Context, NotAContext, Performative};
pub use decode::{OpenNegotiation, ReceivedMove, hear};
pub use encode::{EncodedMessage, abort, ask, ask_in_words, decline, say, supply};
pub use message::NegotiationMessage;
pub use refusal::NegotiationError;
pub use rounds::{max_rounds, proposals, round_limit};
pub use vocabulary::tongue_of;

use super::extension::Family;
use domain::negotiation::Kind;

/// The topic of a negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NegotiationTopic {
    /// `feasibility-negotiation`: whether it can be done.
    Feasibility,
    /// `target-negotiation`: what is meant and how it is done.
    Target,
    /// `information-negotiation`: what lacks.
    Information,
}

impl NegotiationTopic {
    /// Every topic.
    pub const ALL: [NegotiationTopic; 3] = [Self::Feasibility, Self::Target, Self::Information];

    /// The segment of template URIs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Feasibility => "feasibility-negotiation",
            Self::Target => "target-negotiation",
            Self::Information => "information-negotiation",
        }
    }

    /// The topic called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.as_str() == name)
    }

    /// The templates of its messages.
    pub fn templates(self) -> [String; 2] {
        ["propose", "accept-reject"].map(|phase| template(&format!("{}/{phase}", self.as_str())))
    }

    /// Its kind with us; none for information, which is asked for by a task.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Feasibility => Some(Kind::Feasibility),
            Self::Target => Some(Kind::Fulfillment),
            Self::Information => None,
        }
    }

    /// The topic of our negotiation; none for a result, which A2A-T does not negotiate.
    pub fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Feasibility => Some(Self::Feasibility),
            Kind::Fulfillment => Some(Self::Target),
            Kind::Result => None,
        }
    }
}

/// The template of who leaves.
pub fn template_of_abort() -> String {
    template("common/abort")
}

fn template(path: &str) -> String {
    format!("{}/{path}/v1", Family::Negotiation.as_str())
}

#[cfg(test)]
mod tests;
