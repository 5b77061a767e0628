//! The moves of a negotiation: decided, and then applied. The states are drawn in [`super`].
//!
//! `decide` changes nothing and `apply` cannot fail. Read next: [`crate::task::decide`], where the
//! consequences for the task are decided.

use super::{Kind, Negotiation, Side, Speech, Stance, State, Turn};
use crate::task::TaskId;
use crate::time::Timestamp;

/// A command to a negotiation.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// A side says something.
    Speak(Side, Speech),
    /// The time to answer is over.
    Expire,
    /// The task goes on, or ends, without it.
    Withdraw,
}

/// A change of a negotiation.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The time of the change.
    pub at: Timestamp,
    /// The state after it.
    pub state: State,
    /// The turn, if one was taken.
    pub turn: Option<Turn>,
}

/// The error for a move that the negotiation does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// It is the turn of the other side, or the negotiation has ended.
    #[error("the {kind} negotiation of task {task} is {state} and the {side} does not have the word", state = state.as_str(), side = side.as_str())]
    NotYourTurn {
        /// The task.
        task: TaskId,
        /// The kind of the negotiation.
        kind: Kind,
        /// The state of the negotiation.
        state: State,
        /// The side that spoke.
        side: Side,
    },
    /// There is no offer that could be accepted or refused.
    #[error("the {kind} negotiation of task {task} has no offer that could be answered")]
    NothingOffered {
        /// The task.
        task: TaskId,
        /// The kind of the negotiation.
        kind: Kind,
    },
    /// The acceptance does not name an alternative, or names one that does not exist.
    #[error(
        "the {kind} negotiation of task {task} offers {offered} alternatives: say which one is accepted, from 1"
    )]
    WhichAlternative {
        /// The task.
        task: TaskId,
        /// The kind of the negotiation.
        kind: Kind,
        /// The number of alternatives offered.
        offered: usize,
    },
    /// An offer without an alternative.
    #[error("an offer in the {kind} negotiation of task {task} holds no alternative")]
    EmptyOffer {
        /// The task.
        task: TaskId,
        /// The kind of the negotiation.
        kind: Kind,
    },
    /// The limit of turns or bytes is reached; nothing more can be offered.
    #[error(
        "the {kind} negotiation of task {task} has had {} turns or {} bytes: nothing more can be offered",
        Negotiation::MOST_TURNS,
        Negotiation::MOST_BYTES
    )]
    TooLong {
        /// The task.
        task: TaskId,
        /// The kind of the negotiation.
        kind: Kind,
    },
}

impl Negotiation {
    /// Returns the change that a move would make; changes nothing.
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
        // An answer to an offer is always possible; only offers are limited.
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
            request: None,
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

    /// [`State::Open`], unless the turn of this side ends the last round.
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

    /// Applies a change that was decided.
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
