//! One NETCONF session over one byte stream: moves the bytes, keeps timeouts, handles the end.
//!
//! The protocol is `bindings::netconf::Session`'s; the stream may be an SSH channel, a pipe, or the way to
//! another node of a cluster, which outlives this process ([`forwarded`]). Read next: [`crate::host`].

pub(crate) mod forwarded;

use crate::clock::Clock;
use crate::fair;
use crate::ssh::{ByteStream, DEFAULT_QUOTA_BYTES, InboundError, Login, Outbound, split_metered};
use bindings::netconf::{Backlog, Flow, Peer, Platform, Session};
use domain::time::Timestamp;
use engine::{Accounts, Endpoint};
use forwarded::{ForwardedSession, Last};
use netconf::session::CloseReason;
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep_until};
use tracing::{debug, warn};

/// The longest time for which a session takes requests in one turn; a request begun by then is
/// still answered.
const STEP: Duration = Duration::from_micros(500);

/// The length from which a request may occupy a thread for so long that another thread should be
/// woken.
const LONG_BYTES: usize = 16 * 1_024;

/// The received input in bytes from which a session reads no more. A message is at most 8 MiB;
/// further input waits in the stream's own buffer.
const HELD_BYTES: usize = 9 * 1_024 * 1_024;

/// The same while memory is short; a session that holds more then is ended.
const HELD_BYTES_SHORT: usize = 256 * 1_024;

/// The most bytes that all sessions of a user may hold while memory is short; those of a user with
/// more are ended.
const HELD_BYTES_SHORT_OF_USER: usize = 4 * 1_024 * 1_024;

/// The bytes that a session may hold even then.
const HELD_BYTES_ALWAYS: usize = 4 * 1_024;

/// The interval at which a session that holds more checks memory, which may have become short while
/// its peer was silent.
const LOOK_AT_MEMORY: Duration = Duration::from_millis(250);

/// The longest stall of a peer while memory is short.
const STALL_SHORT: Duration = Duration::from_secs(5);

/// The number of checks in [`Timeouts::stall`] of whether a stalled subscriber is behind by now.
const LOOKS: u32 = 10;

/// The conditions for dropping a subscriber: RFC 5277 has no way to suspend it, and no event may be
/// left out.
///
/// It is dropped if more than `backlog` waits for it *and* its transport has taken no byte for
/// `stall`. A slow reader is never dropped, and neither is a long replay. The session ends as one
/// whose transport was lost; the client subscribes again with `startTime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The backlog that may wait without a time limit.
    pub backlog: Backlog,
    /// The longest stall of the transport while more than that waits.
    pub stall: Duration,
}

impl Default for Timeouts {
    /// 1,024 events or 1 MiB; 30 s.
    fn default() -> Self {
        Self {
            backlog: Backlog {
                events: 1_024,
                bytes: 1_024 * 1_024,
            },
            stall: Duration::from_secs(30),
        }
    }
}

/// The reason for which not everything was written.
#[derive(Debug, thiserror::Error)]
enum Unwritten {
    #[error("the peer is gone: {0}")]
    Gone(#[from] io::Error),
    #[error("killed while its peer took nothing")]
    Killed,
    #[error("the key of its user was taken away")]
    Revoked,
    #[error("memory is short, and its peer takes nothing")]
    Short,
    #[error("its peer took nothing for {stall:?}, and more waits than the limit allows")]
    Behind { stall: Duration },
    #[error("it goes on elsewhere")]
    Elsewhere,
}

/// A session that is removed from the platform in any case: when a connection is lost, the future
/// that serves it is dropped.
struct Guarded {
    session: Option<Session>,
    clock: Arc<Clock>,
    login: Login,
}

impl Guarded {
    fn session(&mut self) -> &mut Session {
        self.session.as_mut().expect("taken only at the end")
    }

    /// Ends it here, but not for its client, unless it was killed.
    fn hand_over(mut self, forwarded: Option<&ForwardedSession>) {
        match self.session.take() {
            Some(session) if !session.is_killed() => {
                session.hand_over();
                if let Some(forwarded) = forwarded {
                    forwarded.goes_on();
                }
            }
            session => self.session = session,
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if let Some(mut session) = self.session.take() {
            if self.login.is_over() {
                session.give_up(revoked());
            }
            session.leave(self.clock.now());
        }
    }
}

/// The close reason for a session whose credential was revoked.
fn revoked() -> CloseReason {
    CloseReason::Other("the key of its user was taken away".to_owned())
}

/// The parts of a session beside its stream.
pub(crate) struct Parts {
    pub(crate) platform: Arc<Platform>,
    pub(crate) endpoint: Endpoint,
    pub(crate) peer: Peer,
    pub(crate) clock: Arc<Clock>,
    pub(crate) patience: Timeouts,
    pub(crate) login: Login,
}

/// Serves a session until it ends, or until its `login` is revoked.
pub async fn serve(
    stream: ByteStream,
    platform: Arc<Platform>,
    endpoint: Endpoint,
    peer: Peer,
    clock: Arc<Clock>,
    patience: Timeouts,
    login: Login,
) {
    let parts = Parts {
        platform,
        endpoint,
        peer,
        clock,
        patience,
        login,
    };
    run(stream, parts, None).await;
}

/// The same of a session whose client is connected to another node.
pub(crate) async fn serve_forwarded(stream: ByteStream, parts: Parts, forwarded: ForwardedSession) {
    run(stream, parts, Some(forwarded)).await;
}

async fn run(stream: ByteStream, parts: Parts, mut forwarded: Option<ForwardedSession>) {
    let Parts {
        platform,
        endpoint,
        peer,
        clock,
        patience,
        mut login,
    } = parts;
    let accounts = Arc::clone(platform.engine().accounts());
    let mut queued = accounts.hold(&peer.user);
    let mut held = accounts.hold(&peer.user);
    let meter = Box::new(move |bytes| queued.set(bytes));
    let (mut inbound, mut outbound) = split_metered(stream, DEFAULT_QUOTA_BYTES, meter);
    let (now, now_ms) = (clock.now(), clock.monotonic_ms());
    let session = match &forwarded {
        None => Session::open(&platform, endpoint, &peer, now, now_ms),
        Some(forwarded) => match forwarded.begin(&platform, endpoint, &peer, now, now_ms) {
            Ok(session) => session,
            Err(why) => {
                let user = &peer.user;
                warn!(user, "a session of '{user}' does not go on: {why}");
                return end(outbound, forwarded.close(), forwarded::PATIENCE).await;
            }
        },
    };
    if let Some(forwarded) = &mut forwarded {
        forwarded.enter(session.info().id);
    }
    let mut guarded = Guarded {
        session: Some(session),
        clock: Arc::clone(&clock),
        login: login.clone(),
    };
    let mut input_ended = false;
    let mut leaves_by: Option<Instant> = None;
    loop {
        let session = guarded.session();
        if session.held_bytes() >= LONG_BYTES {
            fair::leave_a_thread();
        }
        let begun = Instant::now();
        let goes_on = || begun.elapsed() < STEP;
        let flow = session.step_while(clock.now(), clock.monotonic_ms(), goes_on);
        let output = session.transmit();
        let output = match &mut forwarded {
            None => output,
            Some(forwarded) => {
                let last = match (flow, session.is_killed()) {
                    (Flow::Close, false) => Last::Over,
                    (Flow::Close, true) => Last::Killed,
                    (Flow::Again | Flow::Wait, _) => Last::No,
                };
                forwarded.told(output, session.mark(), last)
            }
        };
        let holds = session.held_bytes() + session.kept_bytes();
        let is_too_much = accounts.is_short()
            && holds > HELD_BYTES_ALWAYS
            && (holds > HELD_BYTES_SHORT || held.of_user() > HELD_BYTES_SHORT_OF_USER);
        if is_too_much {
            let error = format!("memory is short, and {holds} bytes of its input wait");
            return lost(session, outbound, &io::Error::other(error), true);
        }
        if !held.set(holds + output.len()) {
            return lost(session, outbound, &InboundError::OverShare, true);
        }
        if !output.is_empty() {
            match write(
                &mut outbound,
                &output,
                session,
                &patience,
                &mut login,
                &accounts,
                forwarded.as_ref(),
            )
            .await
            {
                Ok(()) => {}
                Err(Unwritten::Elsewhere) => return guarded.hand_over(forwarded.as_ref()),
                Err(Unwritten::Gone(error)) => {
                    let over_quota = error.kind() == io::ErrorKind::QuotaExceeded;
                    lost(session, outbound, &error, over_quota);
                    if let Some(forwarded) = forwarded.filter(|_| !over_quota) {
                        wait_for_node(guarded, &forwarded, &mut login, &error).await;
                    }
                    return;
                }
                Err(stuck) => {
                    let (id, user) = (session.info().id, &session.info().username);
                    warn!(session.id = id, user, "session {id} is cut off: {stuck}");
                    outbound.cut();
                    return;
                }
            }
            if flow != Flow::Close {
                continue;
            }
        }
        match flow {
            Flow::Close => break,
            Flow::Again => {
                // Others have their turn first.
                tokio::task::yield_now().await;
                continue;
            }
            Flow::Wait if input_ended => return,
            Flow::Wait => {}
        }
        let session = guarded.session();
        let mut deadline = wait_for(session, &clock);
        if let (Some(by), Some(forwarded)) = (leaves_by, &forwarded) {
            let left = by.saturating_duration_since(Instant::now());
            if session.is_answered() {
                end(outbound, forwarded.left(), left).await;
                return guarded.hand_over(Some(forwarded));
            }
            if left.is_zero() {
                return guarded.hand_over(Some(forwarded));
            }
            deadline = deadline.min(left);
        }
        if session.held_bytes() > HELD_BYTES_ALWAYS {
            deadline = deadline.min(LOOK_AT_MEMORY);
        }
        let read_on = session.held_bytes() < HELD_BYTES && leaves_by.is_none();
        tokio::select! {
            received = inbound.receive(), if read_on => match received {
                Ok(Some(bytes)) => guarded.session().receive(&bytes, clock.monotonic_ms()),
                Ok(None) => input_ended = true,
                Err(error) => {
                    let InboundError::Read(cause) = &error else {
                        return lost(guarded.session(), outbound, &error, true);
                    };
                    lost(guarded.session(), outbound, &error, false);
                    if let Some(forwarded) = &forwarded {
                        wait_for_node(guarded, forwarded, &mut login, cause).await;
                    }
                    return;
                }
            },
            () = session.changed() => {}
            // Not a word more to whoever had the key: the connection says goodbye.
            () = login.over() => match &forwarded {
                None => return,
                Some(forwarded) => return end(outbound, forwarded.close(), forwarded::PATIENCE).await,
            },
            () = elsewhere(forwarded.as_ref()), if leaves_by.is_none() => {
                guarded.session().take_no_more();
                leaves_by = Some(Instant::now() + forwarded::LEAVE);
            }
            () = tokio::time::sleep(deadline) => {}
        }
    }
    let is_killed = guarded.session().is_killed();
    let _ = outbound.flush().await;
    let _ = outbound.shutdown().await;
    if is_killed {
        // RFC 6241 §7.9: its connection is closed as well.
        outbound.hang_up();
    }
}

/// Tells the end to another node, if it takes that.
async fn end(mut outbound: Outbound, close: Vec<u8>, within: Duration) {
    let told = async {
        outbound.write_all(&close).await?;
        outbound.shutdown().await
    };
    // If it does not, it asks, and is told.
    drop(tokio::time::timeout(within, told).await);
}

/// Completes when a session is to go on elsewhere; never if it has no other node.
async fn elsewhere(forwarded: Option<&ForwardedSession>) {
    match forwarded {
        Some(forwarded) => forwarded.leaves().await,
        None => std::future::pending().await,
    }
}

/// Waits for the node that accepted a session, after the way to it was lost: it comes again, here or to
/// another leader, unless its client is gone.
async fn wait_for_node(
    mut guarded: Guarded,
    forwarded: &ForwardedSession,
    login: &mut Login,
    lost: &io::Error,
) {
    if forwarded::is_of_client(lost) {
        return;
    }
    let info = Arc::clone(guarded.session().info());
    tokio::select! {
        () = forwarded.leaves() => guarded.hand_over(Some(forwarded)),
        () = Session::killed(&info) => {}
        () = login.over() => {}
        () = tokio::time::sleep(forwarded::PATIENCE) => {}
    }
}

/// Handles the loss of the transport: the peer is gone, or has exceeded its quota.
fn lost(session: &mut Session, outbound: Outbound, error: &dyn Error, over_quota: bool) {
    let (id, user) = (session.info().id, &session.info().username);
    match over_quota {
        true => warn!(session.id = id, user, "session {id} is cut off: {error}"),
        false => debug!(session.id = id, "the transport is lost: {error}"),
    }
    if over_quota {
        session.give_up(CloseReason::TooBig(error.to_string()));
        outbound.cut();
    }
}

/// Writes everything, unless the session is killed meanwhile or its subscriber is dropped. A peer
/// that does not read delays nobody else.
async fn write(
    outbound: &mut Outbound,
    output: &[u8],
    session: &mut Session,
    patience: &Timeouts,
    login: &mut Login,
    accounts: &Accounts,
    forwarded: Option<&ForwardedSession>,
) -> Result<(), Unwritten> {
    let info = Arc::clone(session.info());
    let mut rest = output;
    let mut look = Instant::now() + patience.stall;
    while !rest.is_empty() {
        tokio::select! {
            biased;
            // Given up or not, the next write begins with the same bytes.
            written = outbound.write(rest) => match written? {
                0 => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                length => {
                    rest = &rest[length..];
                    look = Instant::now() + patience.stall;
                }
            },
            () = Session::killed(&info) => return Err(Unwritten::Killed),
            () = login.over() => return Err(Unwritten::Revoked),
            () = elsewhere(forwarded) => return Err(Unwritten::Elsewhere),
            () = tokio::time::sleep(STALL_SHORT.min(patience.stall)) => {
                if accounts.is_short() {
                    return Err(Unwritten::Short);
                }
                // Before it came to this, and what is left of its output is not taken.
                if session.is_killed() {
                    return Err(Unwritten::Killed);
                }
            }
            () = sleep_until(look) => {
                if session.is_behind(&patience.backlog) {
                    return Err(Unwritten::Behind { stall: patience.stall });
                }
                look = Instant::now() + patience.stall / LOOKS;
            }
        }
    }
    Ok(())
}

/// The time until the session must be polled next.
fn wait_for(session: &Session, clock: &Clock) -> Duration {
    const LONG: Duration = Duration::from_secs(3_600);
    let timeout = session
        .timeout_ms()
        .map(|at| Duration::from_millis(at.saturating_sub(clock.monotonic_ms()) + 1));
    let stop = session
        .stops_at()
        .map(|at: Timestamp| clock.until(at).max(Duration::from_millis(1)));
    timeout.into_iter().chain(stop).min().unwrap_or(LONG)
}
