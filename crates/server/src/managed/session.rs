//! Sessions with a management system, bounded in time and size, and the pauses between them.
//!
//! Read next: `crate::client`.

use super::episode;
use super::system::System;
use crate::client::{CallError, Client, Reply};
use domain::retry::{Backoff, Retry};
use domain::time::SeededRng;
use netconf::client::ClientConfig;
use netconf::xml::Limits;
use rand_chacha::rand_core::Rng;
use std::time::Duration;
use tokio::time::timeout;

/// The pauses before a lost session is reopened.
const BACKOFF: Backoff = Backoff {
    first_ms: 500,
    longest_ms: 60_000,
};
/// The longest wait for the answer to something that is only read.
pub(super) const READING: Duration = Duration::from_secs(60);
/// A session that lasted so long counts as a good one.
pub(super) const SETTLED: Duration = Duration::from_secs(60);

/// What a session is for, which says how much it may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Inventories, lists and notifications: a system has two of these.
    Reading,
    /// Actions, whose answers are small: a system may have 64 of these.
    Acting,
}

impl Purpose {
    /// The largest message of the system, in bytes.
    const fn message_bytes(self) -> usize {
        match self {
            Self::Reading => 64 << 20,
            Self::Acting => 4 << 20,
        }
    }

    /// The most elements of a message.
    const fn elements(self) -> usize {
        match self {
            Self::Reading => 1 << 21,
            Self::Acting => 1 << 17,
        }
    }

    /// The most bytes that wait to be read, and as many of notifications that nobody has asked for: a
    /// whole answer to an action has room, as all else may be slower than the system.
    const fn quota_bytes(self) -> usize {
        match self {
            Self::Reading => 8 << 20,
            Self::Acting => 5 << 20,
        }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error("no answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
}

impl SessionError {
    /// True if the system answered, and refused; the session goes on.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Call(CallError::Refused(_)))
    }

    /// The error with what is behind it.
    pub(super) fn whole(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        for _ in 0..4 {
            let Some(cause) = source else { break };
            let more = cause.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            source = cause.source();
        }
        episode::told(&text)
    }
}

/// Opens a session; notes why if it cannot.
///
/// # Errors
/// [`SessionError`]
pub(super) async fn open(system: &System, purpose: Purpose) -> Result<Client, SessionError> {
    let opened = connect(system, purpose).await;
    if let Err(why) = &opened {
        system.lost.send_replace(why.whole());
    }
    opened
}

async fn connect(system: &System, purpose: Purpose) -> Result<Client, SessionError> {
    let stream = system.connector.connect(&system.plan.target).await;
    let stream = stream.map_err(CallError::from)?;
    let stream = stream.fenced_by(system.clock.fence().clone());
    let config = ClientConfig {
        limits: Limits {
            message_bytes: purpose.message_bytes(),
            elements: purpose.elements(),
            ..Limits::client()
        },
        ..ClientConfig::default()
    };
    let greeting = Client::bounded(stream, config, purpose.quota_bytes());
    let greeted = timeout(READING, greeting).await;
    Ok(greeted.map_err(|_| SessionError::TimedOut(READING))??)
}

/// Reads what a subtree filter selects. An answer that is late ends the session's use: the caller
/// drops it.
///
/// # Errors
/// [`SessionError`]
pub(super) async fn get(client: &mut Client, filter: &str) -> Result<Reply, SessionError> {
    call(client, &reading(filter)).await
}

/// The rpc that reads what a subtree filter selects.
pub(super) fn reading(filter: &str) -> String {
    format!("<get><filter type=\"subtree\">{filter}</filter></get>")
}

/// Calls an rpc that is answered soon.
///
/// # Errors
/// [`SessionError`]
pub(super) async fn call(client: &mut Client, rpc: &str) -> Result<Reply, SessionError> {
    let answered = timeout(READING, client.call(rpc)).await;
    Ok(answered.map_err(|_| SessionError::TimedOut(READING))??)
}

/// The pauses of one task between its sessions.
pub(super) struct Pauses {
    retry: Retry,
    rng: SeededRng,
}

impl Pauses {
    pub(super) fn new(rng: SeededRng) -> Self {
        Self {
            retry: Retry::new(BACKOFF),
            rng,
        }
    }

    /// The next session was good.
    pub(super) fn reset(&mut self) {
        self.retry.reset();
    }

    /// Waits before the next session.
    pub(super) async fn wait(&mut self) {
        let pause = self.retry.next_pause_ms();
        tokio::time::sleep(jittered(pause, self.rng.next_u32())).await;
    }
}

/// A pause between half of `pause_ms` and all of it, by the number drawn: systems that were lost
/// together are not asked together again.
fn jittered(pause_ms: u32, drawn: u32) -> Duration {
    let half = u64::from(pause_ms) / 2;
    let part = half * u64::from(drawn) / u64::from(u32::MAX);
    Duration::from_millis(half + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What docs/ems.md says of the memory that one system may take.
    #[test]
    fn what_all_sessions_of_a_system_hold_is_bounded() {
        let held = |purpose: Purpose| purpose.message_bytes() + 2 * purpose.quota_bytes();
        let (reading, acting) = (held(Purpose::Reading), held(Purpose::Acting));
        assert_eq!((2 * reading + 8 * acting) >> 20, 272);
        assert_eq!((2 * reading + 64 * acting) >> 20, 1_056);
    }

    #[test]
    fn a_pause_is_half_to_whole() {
        assert_eq!(jittered(1_000, 0), Duration::from_millis(500));
        assert_eq!(jittered(1_000, u32::MAX), Duration::from_millis(1_000));
        assert_eq!(jittered(0, 7), Duration::ZERO);
    }
}
