//! A client's session while leaders come and go: what is kept of it at the node that accepted it.
//!
//! ```text
//! client ──bytes──► kept ──► leader            kept: what is behind the last request that is answered
//! client ◄──────── gathered ◄─ Data* Quiet     gathered: what is not known to be whole messages yet
//! ```
//!
//! A client gets bytes at a [`Quiet`] alone, so it never has half a message, and what it has not got is as if
//! it had never been said: the next leader is given what is kept again, and answers it. So each request is
//! answered once, and each event told once, whenever a leader is lost. Output that is too long to be
//! gathered is handed on as it comes; until the next [`Quiet`] the session then stands and falls with its
//! leader. Of the bytes kept those are in doubt that a leader was sent: it may have carried out what they
//! ask for. No IO, no clock; what is saved of a session is its leaders' business. Read next:
//! [`super::session_forwarder`], which moves the bytes.

use super::record::{Quiet, ToClient};
use std::collections::VecDeque;

/// The output in bytes from which it is handed on before it is known to be whole.
const GATHERED_BYTES_MAX: usize = 256 << 10;

/// The bytes kept from which no more of a client are read. A message is at most 8 MiB.
const KEPT_BYTES_MAX: usize = 9 << 20;

/// The reason for which a session ends with its leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Torn {
    /// Its client has a part of something.
    #[error("its client has a part of a long reply")]
    Output,
    /// The leader said that nobody could go on with it.
    #[error("what it was cannot be made again")]
    Unsaved,
}

/// What a leader said that cannot be: a defect, or another version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Untrue {
    /// It answered what it was not asked, or less than before.
    #[error(
        "it says that {answered} bytes are answered, of {sent} sent and {before} answered before"
    )]
    Answered {
        /// What it says.
        answered: u64,
        /// What it was sent.
        sent: u64,
        /// What it said before.
        before: u64,
    },
    /// It went on after the end.
    #[error("it went on after the end")]
    AfterClose,
}

/// What a leader is told first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beginning<S> {
    /// What the session is to go on as; none if it begins.
    pub(super) saved: Option<S>,
    /// How many bytes came before those to come.
    pub(super) answered: u64,
    /// How many of the bytes to come another leader was sent.
    pub(super) doubtful: u64,
}

/// What is kept of a session.
#[derive(Debug)]
pub(super) struct Continuity<S> {
    gathered_max: usize,
    kept_max: usize,
    /// The client's bytes behind the last request that is answered.
    kept: VecDeque<u8>,
    /// How many of them this leader was sent.
    sent: usize,
    /// How many of them a leader was sent that was lost.
    doubtful: usize,
    /// How many bytes this leader has answered, which are no longer kept.
    answered: u64,
    /// How many bytes those before it have.
    answered_before: u64,
    /// Output since the last quiet point.
    gathered: Vec<u8>,
    /// True if output since then was handed on.
    is_torn: bool,
    /// What the session was when it last could go on; none before the first quiet point.
    known: Option<S>,
    /// True if at the last quiet point it could not.
    is_unsaved: bool,
    is_left: bool,
    is_closed: bool,
    is_killed: bool,
}

impl<S: Clone> Continuity<S> {
    /// Of a session that begins.
    pub(super) fn new() -> Self {
        Self::with(GATHERED_BYTES_MAX, KEPT_BYTES_MAX)
    }

    fn with(gathered_max: usize, kept_max: usize) -> Self {
        Self {
            gathered_max,
            kept_max,
            kept: VecDeque::new(),
            sent: 0,
            doubtful: 0,
            answered: 0,
            answered_before: 0,
            gathered: Vec::new(),
            is_torn: false,
            known: None,
            is_unsaved: false,
            is_left: false,
            is_closed: false,
            is_killed: false,
        }
    }

    /// Takes bytes of the client.
    pub(super) fn receive(&mut self, bytes: &[u8]) {
        self.kept.extend(bytes);
    }

    /// False while so much is kept that no more is to be read.
    pub(super) fn reads_on(&self) -> bool {
        self.kept.len() < self.kept_max
    }

    /// Bytes in memory.
    pub(super) fn held_bytes(&self) -> usize {
        self.kept.len() + self.gathered.len()
    }

    /// Begins with a leader, the first or another: what was said since the last quiet point was never said.
    ///
    /// # Errors
    /// [`Torn`] if nobody can go on with it.
    pub(super) fn begin(&mut self) -> Result<Beginning<S>, Torn> {
        if self.is_torn {
            return Err(Torn::Output);
        }
        if self.is_unsaved {
            return Err(Torn::Unsaved);
        }
        if !self.is_left {
            self.doubtful = self.doubtful.max(self.sent);
        }
        self.gathered = Vec::new();
        self.answered_before += self.answered;
        (self.sent, self.answered, self.is_left) = (0, 0, false);
        Ok(Beginning {
            answered: self.answered_before,
            saved: self.known.clone(),
            doubtful: self.doubtful as u64,
        })
    }

    /// The next bytes for the leader, at most so many; none if it has all.
    pub(super) fn transmit(&mut self, most: usize) -> Option<Vec<u8>> {
        let end = self.kept.len().min(self.sent + most);
        let piece: Vec<u8> = self.kept.range(self.sent..end).copied().collect();
        self.sent = end;
        (!piece.is_empty()).then_some(piece)
    }

    /// True if the leader was sent all that the client has sent.
    pub(super) fn is_sent(&self) -> bool {
        self.sent == self.kept.len()
    }

    /// Takes what the leader says; returns what is to be handed to the client.
    ///
    /// # Errors
    /// [`Untrue`]
    pub(super) fn hear(&mut self, said: ToClient<S>) -> Result<Vec<u8>, Untrue> {
        if self.is_closed || self.is_left {
            return Err(Untrue::AfterClose);
        }
        match said {
            ToClient::Data(bytes) => {
                self.gathered.extend_from_slice(&bytes);
                self.is_torn |= self.gathered.len() > self.gathered_max;
                if !self.is_torn {
                    return Ok(Vec::new());
                }
            }
            ToClient::Quiet(Quiet { answered, saved }) => {
                self.forget(answered)?;
                self.is_unsaved = saved.is_none();
                self.known = saved.or(self.known.take());
                self.is_torn = false;
            }
            ToClient::Close => self.is_closed = true,
            ToClient::Killed => (self.is_closed, self.is_killed) = (true, true),
            ToClient::Left => self.is_left = true,
        }
        Ok(std::mem::take(&mut self.gathered))
    }

    /// True if the session is over.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// True if it is over because it was killed.
    pub(super) fn is_killed(&self) -> bool {
        self.is_killed
    }

    /// What the session was when it last could go on; none if it never could.
    pub(super) fn known(&self) -> Option<&S> {
        self.known.as_ref()
    }

    /// Forgets what is answered.
    fn forget(&mut self, answered: u64) -> Result<(), Untrue> {
        let (before, sent) = (self.answered, self.answered + self.sent as u64);
        if answered < before || answered > sent {
            return Err(Untrue::Answered {
                answered,
                sent,
                before,
            });
        }
        let more = (answered - before) as usize;
        self.kept.drain(..more);
        if self.kept.is_empty() {
            // A session may be idle for the rest of its life.
            self.kept = VecDeque::new();
        }
        self.sent -= more;
        self.doubtful = self.doubtful.saturating_sub(more);
        self.answered = answered;
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
