//! A negotiation between the publisher and the executor of a task, turn by turn (draft §4.3, §4.5,
//! §5.3).
//!
//! ```text
//!            Offer                    Accept
//!   (none) ────────► open ───────────────────► agreed ──┐
//!                    ▲  │ Refuse ► refused              │
//!                    │  │ last round ► exhausted        │ Offer: opened again,
//!                    │  │ Expire ► expired              │ rounds go on counting
//!                    │  │ Withdraw ► withdrawn          │
//!                    └──┴───────────────────────────────┘
//! ```
//! The sides speak in turn; a *round* holds one turn of each, so that task, type, sender and round
//! identify a turn. A turn is an offer (of one or more alternatives), an acceptance, or a refusal
//! with reasons. The three kinds differ in who may begin and in what a refusal of the publisher
//! means: a feasibility ends with it, while a proposed decision or a result is revised.
//!
//! Pure; `decide` changes nothing and `apply` cannot fail. The consequences for the task are
//! decided in [`crate::task::decide`], the right to speak for a side in `engine`.

mod agreement;
mod decide;

pub use agreement::{Divergence, fits};
pub use decide::{Change, Misplaced, Move};

use crate::content::Content;
use crate::reply::Reason;
use crate::task::TaskId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The subject of a negotiation.
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The feasibility of a task, before it is assigned (§5.3, 1).
    Feasibility,
    /// The way a task is carried out, while it is: decisions and plans (§4.3; §5.3, 2).
    Fulfillment,
    /// The acceptability of its result (§4.5).
    Result,
}

crate::named! {
    /// The name in module convoke-negotiation.
    Kind
}

impl Kind {
    /// True if this side may begin.
    fn opens(self, side: Side) -> bool {
        match self {
            Self::Feasibility => side == Side::Publisher,
            Self::Fulfillment => true,
            Self::Result => side == Side::Executor,
        }
    }

    /// True if the executor goes on after the publisher refused what it offered.
    fn is_revised(self) -> bool {
        self != Self::Feasibility
    }
}

/// A side of a negotiation.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The publisher of the task.
    Publisher,
    /// The executor of the task.
    Executor,
}

crate::named! {
    /// The name in module convoke-negotiation.
    Side
}

impl Side {
    /// The other side.
    pub fn other(self) -> Self {
        match self {
            Self::Publisher => Self::Executor,
            Self::Executor => Self::Publisher,
        }
    }
}

/// The state of a negotiation.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Waiting for the turn of one side.
    Open,
    /// An offer was accepted.
    Agreed,
    /// Ended without agreement, by a refusal.
    Refused,
    /// Ended without agreement: the last round brought none.
    Exhausted,
    /// Ended without agreement: the side whose turn it was did not answer in time.
    Expired,
    /// Ended without agreement: the task went on, or ended, without it.
    Withdrawn,
}

crate::named! {
    /// The name in module convoke-negotiation.
    State
}

/// The stance of a turn.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stance {
    /// One or more alternatives are offered.
    Offer,
    /// The standing offer is taken.
    Accept,
    /// The standing offer is refused.
    Refuse,
}

crate::named! {
    /// The name in module convoke-negotiation.
    Stance
}

impl Stance {
    /// The stance that a text under `## result` begins with: `accept`, `refuse`, or a word like them.
    pub fn said(text: &str) -> Option<Self> {
        let word = text.split_whitespace().next()?.to_lowercase();
        match word.trim_end_matches(|c: char| !c.is_alphanumeric()) {
            "accept" | "accepted" | "agree" | "agreed" | "feasible" => Some(Self::Accept),
            "reject" | "rejected" | "refuse" | "refused" | "infeasible" => Some(Self::Refuse),
            _ => None,
        }
    }
}

/// The speech of one side in a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speech {
    /// The stance.
    pub stance: Stance,
    /// The alternatives of an offer; words to an acceptance or a refusal, if there are any.
    pub contents: Vec<Content>,
    /// The reasons against, all at once; of a refusal, or of an offer made instead of an
    /// acceptance.
    pub reasons: Vec<Reason>,
    /// The number of the alternative that is accepted, from 1; none if only one was offered.
    pub alternative: Option<u32>,
}

impl Speech {
    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let reasons = self.reasons.iter().map(Reason::bytes);
        let contents = self.contents.iter().map(Content::bytes);
        reasons.chain(contents).sum()
    }

    /// An offer of these alternatives, best first.
    pub fn offer(contents: Vec<Content>) -> Self {
        Self {
            stance: Stance::Offer,
            contents,
            reasons: Vec::new(),
            alternative: None,
        }
    }

    /// An acceptance of the only alternative offered.
    pub fn accept() -> Self {
        Self {
            stance: Stance::Accept,
            ..Self::offer(Vec::new())
        }
    }

    /// A refusal of everything that was offered.
    pub fn refuse(reasons: Vec<Reason>) -> Self {
        Self {
            stance: Stance::Refuse,
            reasons,
            ..Self::offer(Vec::new())
        }
    }
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The round, from 1.
    pub round: u32,
    /// The side that spoke.
    pub by: Side,
    /// The speech.
    pub speech: Speech,
    /// The time of the turn.
    pub at: Timestamp,
    /// The request that said it; none if nobody could send that again without knowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestKey>,
}

/// By which a request is known again that another process is given once more, since the one before was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestKey {
    /// The connection of its client.
    pub connection: u64,
    /// How many bytes the client had sent before it.
    pub offset: u64,
}

/// A negotiation; a task has at most one of each kind, which may be opened again.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiation {
    /// `task-id`; of a feasibility the task that is to be.
    pub task: TaskId,
    /// The kind.
    pub kind: Kind,
    /// The publisher's name.
    pub publisher: String,
    /// The executor's name.
    pub executor: String,
    /// The state.
    pub state: State,
    /// The turns taken, in order.
    pub turns: Vec<Turn>,
    /// The round in which it was opened last.
    pub opened: u32,
    /// The most rounds that it may take from there.
    pub round_limit: u32,
    /// The time that a side has to answer, in milliseconds; none if it is not limited.
    pub answer_within_ms: Option<i64>,
    /// The time of the last change.
    pub changed_at: Timestamp,
    /// The number of its changes; 0 before the first turn.
    pub version: u64,
}

impl Negotiation {
    /// The approximate size of its turns in bytes.
    pub fn bytes(&self) -> usize {
        self.turns.iter().map(|turn| turn.speech.bytes()).sum()
    }

    /// The most turns in all, openings included; after them nothing more can be offered.
    pub const MOST_TURNS: usize = 200;

    /// The most bytes, as counted by [`Negotiation::bytes`]; after them nothing more can be
    /// offered.
    pub const MOST_BYTES: usize = 4 << 20;

    /// A negotiation without turns; it begins with an offer.
    pub fn between(task: TaskId, kind: Kind, publisher: &str, executor: &str) -> Self {
        Self {
            task,
            kind,
            publisher: publisher.to_owned(),
            executor: executor.to_owned(),
            state: State::Withdrawn,
            turns: Vec::new(),
            opened: 1,
            round_limit: 1,
            answer_within_ms: None,
            changed_at: Timestamp::default(),
            version: 0,
        }
    }

    /// True while a turn is expected.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// The side whose turn it is; none once it has ended.
    pub fn next_side(&self) -> Option<Side> {
        self.is_open()
            .then(|| self.turns.last().map(|t| t.by.other()))?
    }

    /// The name of a side.
    pub fn name_of(&self, side: Side) -> &str {
        match side {
            Side::Publisher => &self.publisher,
            Side::Executor => &self.executor,
        }
    }

    /// The round of the last turn; 0 before the first.
    pub fn round(&self) -> u32 {
        self.turns.last().map_or(0, |t| t.round)
    }

    /// The round in which this side would speak now.
    pub fn round_of_next(&self, by: Side) -> u32 {
        let last = self.round();
        let spoke = self.said(by, last).is_some();
        if self.is_open() && !spoke {
            last
        } else {
            last + 1
        }
    }

    /// The side that spoke first in a round; none if neither has.
    pub fn opens_round(&self, round: u32) -> Option<Side> {
        let first = self.turns.iter().find(|t| t.round == round)?;
        Some(first.by)
    }

    /// The turn of a side in a round.
    pub fn said(&self, by: Side, round: u32) -> Option<&Turn> {
        let turns = self.turns.iter().rev();
        turns
            .take_while(|t| t.round >= round)
            .find(|t| t.round == round && t.by == by)
    }

    /// The standing offer: the last one made.
    pub fn standing(&self) -> Option<&Turn> {
        let offers = |t: &&Turn| t.speech.stance == Stance::Offer;
        self.turns.iter().rev().find(offers)
    }

    /// The content agreed on; none unless the state is [`State::Agreed`].
    pub fn agreement(&self) -> Option<&Content> {
        let last = self.turns.last().filter(|_| self.state == State::Agreed)?;
        let chosen = last.speech.alternative.unwrap_or(1) as usize;
        self.standing()?.speech.contents.get(chosen.checked_sub(1)?)
    }

    /// The time by which the next turn must be taken; none if it is not limited.
    pub fn due(&self) -> Option<Timestamp> {
        let within = self.answer_within_ms.filter(|_| self.is_open())?;
        Some(self.changed_at + within)
    }
}

#[cfg(test)]
mod tests;
