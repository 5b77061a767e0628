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
//! One side speaks, then the other; a *round* holds one turn of each, so that task, type, sender
//! and round name a turn. What one says is an offer (of one or more alternatives), an acceptance,
//! or a refusal with reasons. The three kinds differ in who may begin and in what a refusal of the
//! publisher means: a feasibility ends with it, while a proposed decision or a result is revised.
//!
//! Pure; `decide` changes nothing and `apply` cannot fail. What follows for the task is decided in
//! [`crate::task::decide`], who may speak for whom in `engine`.

mod agreement;

pub use agreement::{Misfit, fits};

use crate::content::Content;
use crate::reply::Reason;
use crate::task::TaskId;
use crate::time::Timestamp;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// What is negotiated.
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Whether a task can be done, before it is assigned (§5.3, 1).
    Feasibility,
    /// How a task is done, while it is done: decisions and plans (§4.3; §5.3, 2).
    Fulfillment,
    /// Whether its result is what was wanted (§4.5).
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

/// Who speaks.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Who publishes the task.
    Publisher,
    /// Who executes it.
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

/// How a negotiation stands.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// One side has the word.
    Open,
    /// An offer was accepted.
    Agreed,
    /// Ended without agreement, by a refusal.
    Refused,
    /// Ended without agreement: the last round brought none.
    Exhausted,
    /// Ended without agreement: whoever had the word stayed silent.
    Expired,
    /// Ended without agreement: the task went on, or ended, without it.
    Withdrawn,
}

crate::named! {
    /// The name in module convoke-negotiation.
    State
}

/// What a turn amounts to.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stance {
    /// One or more alternatives are offered.
    Offer,
    /// The standing offer is taken.
    Accept,
    /// It is not.
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

/// What one side says.
#[derive(Clone, Debug, PartialEq)]
pub struct Speech {
    /// What it amounts to.
    pub stance: Stance,
    /// The alternatives of an offer; words to an acceptance or a refusal, if there are any.
    pub contents: Vec<Content>,
    /// Why not, all reasons at once; of a refusal, or of an offer made instead of an acceptance.
    pub reasons: Vec<Reason>,
    /// Which alternative is accepted, from 1; none if only one was offered.
    pub alternative: Option<u32>,
}

impl Speech {
    /// About how many bytes it says.
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

    /// The only alternative offered is accepted.
    pub fn accept() -> Self {
        Self {
            stance: Stance::Accept,
            ..Self::offer(Vec::new())
        }
    }

    /// Nothing of what was offered is accepted.
    pub fn refuse(reasons: Vec<Reason>) -> Self {
        Self {
            stance: Stance::Refuse,
            reasons,
            ..Self::offer(Vec::new())
        }
    }
}

/// One turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The round, from 1.
    pub round: u32,
    /// Who spoke.
    pub by: Side,
    /// What was said.
    pub speech: Speech,
    /// When.
    pub at: Timestamp,
}

/// A negotiation; a task has at most one of each kind, which may be opened again.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiation {
    /// `task-id`; of a feasibility the task that is to be.
    pub task: TaskId,
    /// What is negotiated.
    pub kind: Kind,
    /// The publisher's name.
    pub publisher: String,
    /// The executor's name.
    pub executor: String,
    /// How it stands.
    pub state: State,
    /// Everything that was said, in order.
    pub turns: Vec<Turn>,
    /// The round in which it was opened last.
    pub opened: u32,
    /// How many rounds it may take from there.
    pub round_limit: u32,
    /// How long whoever has the word may stay silent, in milliseconds.
    pub answer_within_ms: Option<i64>,
    /// When it changed last.
    pub changed_at: Timestamp,
    /// Counts its changes; 0 before the first turn.
    pub version: u64,
}

/// What is wanted of a negotiation.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// A side says something.
    Speak(Side, Speech),
    /// The time of whoever has the word is over.
    Expire,
    /// The task goes on, or ends, without it.
    Withdraw,
}

/// What happened to a negotiation.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When.
    pub at: Timestamp,
    /// The state after it.
    pub state: State,
    /// The turn, if one was taken.
    pub turn: Option<Turn>,
}

/// A move that a negotiation does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// The other side has the word, or nobody.
    #[error("the {kind} negotiation of task {task} is {state} and the {side} does not have the word", state = state.as_str(), side = side.as_str())]
    NotYourTurn {
        /// The task.
        task: TaskId,
        /// What is negotiated.
        kind: Kind,
        /// How it stands.
        state: State,
        /// Who spoke.
        side: Side,
    },
    /// There is no offer that could be accepted or refused.
    #[error("the {kind} negotiation of task {task} has no offer that could be answered")]
    NothingOffered {
        /// The task.
        task: TaskId,
        /// What is negotiated.
        kind: Kind,
    },
    /// The acceptance does not say which alternative, or names one that is not there.
    #[error(
        "the {kind} negotiation of task {task} offers {offered} alternatives: say which one is accepted, from 1"
    )]
    WhichAlternative {
        /// The task.
        task: TaskId,
        /// What is negotiated.
        kind: Kind,
        /// How many there are.
        offered: usize,
    },
    /// An offer without an alternative.
    #[error("an offer in the {kind} negotiation of task {task} holds no alternative")]
    EmptyOffer {
        /// The task.
        task: TaskId,
        /// What is negotiated.
        kind: Kind,
    },
    /// Nothing more can be offered: too much was said, or too often.
    #[error(
        "the {kind} negotiation of task {task} has had {} turns or {} bytes: nothing more can be offered",
        Negotiation::MOST_TURNS,
        Negotiation::MOST_BYTES
    )]
    TooLong {
        /// The task.
        task: TaskId,
        /// What is negotiated.
        kind: Kind,
    },
}

impl Negotiation {
    /// About how many bytes its turns say.
    pub fn bytes(&self) -> usize {
        self.turns.iter().map(|turn| turn.speech.bytes()).sum()
    }

    /// After how many turns in all, openings included, nothing more can be offered.
    pub const MOST_TURNS: usize = 200;

    /// After how many bytes, as [`Negotiation::bytes`] counts them, likewise.
    pub const MOST_BYTES: usize = 4 << 20;

    /// A negotiation in which nothing has been said; it begins with an offer.
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

    /// True while somebody has the word.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Who has the word; none once it has ended.
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

    /// Who spoke first in a round; none if nobody has.
    pub fn opens_round(&self, round: u32) -> Option<Side> {
        let first = self.turns.iter().find(|t| t.round == round)?;
        Some(first.by)
    }

    /// What a side said in a round.
    pub fn said(&self, by: Side, round: u32) -> Option<&Turn> {
        let turns = self.turns.iter().rev();
        turns
            .take_while(|t| t.round >= round)
            .find(|t| t.round == round && t.by == by)
    }

    /// The offer that stands: the last that was made.
    pub fn standing(&self) -> Option<&Turn> {
        let offers = |t: &&Turn| t.speech.stance == Stance::Offer;
        self.turns.iter().rev().find(offers)
    }

    /// What was agreed on; none unless the state is [`State::Agreed`].
    pub fn agreement(&self) -> Option<&Content> {
        let last = self.turns.last().filter(|_| self.state == State::Agreed)?;
        let chosen = last.speech.alternative.unwrap_or(1) as usize;
        self.standing()?.speech.contents.get(chosen.checked_sub(1)?)
    }

    /// When the silence of whoever has the word ends it.
    pub fn due(&self) -> Option<Timestamp> {
        let within = self.answer_within_ms.filter(|_| self.is_open())?;
        Some(self.changed_at + within)
    }

    /// Says what would happen; changes nothing.
    ///
    /// # Errors
    /// [`Misplaced`] if the negotiation does not take the move.
    pub fn decide(&self, wanted: Move, now: Timestamp) -> Result<Change, Misplaced> {
        let at = now.max(self.changed_at);
        let ended = |state| Change {
            at,
            state,
            turn: None,
        };
        match wanted {
            Move::Speak(by, speech) => self.decide_turn(by, speech, at),
            Move::Expire if self.is_open() => Ok(ended(State::Expired)),
            Move::Withdraw if self.is_open() => Ok(ended(State::Withdrawn)),
            Move::Expire | Move::Withdraw => Err(self.nothing_offered()),
        }
    }

    fn decide_turn(&self, by: Side, speech: Speech, at: Timestamp) -> Result<Change, Misplaced> {
        let offers = speech.stance == Stance::Offer;
        // A result is the executor's to offer; the publisher only judges it.
        let counters = self.kind != Kind::Result || by == Side::Executor;
        let may = match self.next_side() {
            Some(side) => side == by && (counters || !offers),
            None if offers => self.kind.opens(by),
            None => return Err(self.nothing_offered()),
        };
        if !may {
            return Err(Misplaced::NotYourTurn {
                task: self.task.clone(),
                kind: self.kind,
                state: self.state,
                side: by,
            });
        }
        // What was offered can always be answered.
        let is_full = || self.turns.len() >= Self::MOST_TURNS || self.bytes() >= Self::MOST_BYTES;
        if offers && is_full() {
            return Err(Misplaced::TooLong {
                task: self.task.clone(),
                kind: self.kind,
            });
        }
        let state = match speech.stance {
            Stance::Offer if speech.contents.is_empty() => {
                return Err(Misplaced::EmptyOffer {
                    task: self.task.clone(),
                    kind: self.kind,
                });
            }
            Stance::Offer => self.unless_exhausted(by),
            Stance::Accept => self.accepted(by, &speech)?,
            Stance::Refuse => self.refused(by)?,
        };
        let turn = Turn {
            round: self.round_of_next(by),
            by,
            speech,
            at,
        };
        Ok(Change {
            at,
            state,
            turn: Some(turn),
        })
    }

    fn accepted(&self, by: Side, speech: &Speech) -> Result<State, Misplaced> {
        let offered = self.answerable(by)?.speech.contents.len();
        let chosen = match speech.alternative {
            Some(chosen) => (1..=offered).contains(&(chosen as usize)),
            None => offered == 1,
        };
        match chosen {
            true => Ok(State::Agreed),
            false => Err(Misplaced::WhichAlternative {
                task: self.task.clone(),
                kind: self.kind,
                offered,
            }),
        }
    }

    fn refused(&self, by: Side) -> Result<State, Misplaced> {
        self.answerable(by)?;
        Ok(match by {
            Side::Publisher if self.kind.is_revised() => self.unless_exhausted(by),
            _ => State::Refused,
        })
    }

    /// The last turn, if it is an offer of the other side.
    fn answerable(&self, by: Side) -> Result<&Turn, Misplaced> {
        let last = self.turns.last();
        last.filter(|t| t.by != by && t.speech.stance == Stance::Offer)
            .ok_or_else(|| self.nothing_offered())
    }

    /// Open, unless the turn of this side ends the last round.
    fn unless_exhausted(&self, by: Side) -> State {
        let ends_a_round =
            self.is_open() && self.said(by.other(), self.round_of_next(by)).is_some();
        let rounds = self.round_of_next(by).saturating_sub(self.opened) + 1;
        match self.is_open() && ends_a_round && rounds >= self.round_limit {
            true => State::Exhausted,
            false => State::Open,
        }
    }

    fn nothing_offered(&self) -> Misplaced {
        Misplaced::NothingOffered {
            task: self.task.clone(),
            kind: self.kind,
        }
    }

    /// Applies what happened.
    pub fn apply(&mut self, change: &Change) {
        if let Some(turn) = &change.turn {
            if !self.is_open() {
                self.opened = turn.round;
            }
            self.turns.push(turn.clone());
        }
        self.state = change.state;
        self.changed_at = change.at;
        self.version += 1;
    }
}

#[cfg(test)]
mod tests;
