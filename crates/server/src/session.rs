//! One NETCONF session over one byte stream: moves the bytes, keeps the time, notices the end.
//!
//! The protocol is `bindings::netconf::Session`'s; the stream may be an SSH channel or a pipe.
//! Read next: [`crate::host`].

use crate::clock::Clock;
use crate::ssh::{ByteStream, DEFAULT_QUOTA_BYTES, split};
use bindings::netconf::{Flow, Peer, Platform, Session};
use domain::time::Timestamp;
use engine::Endpoint;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tracing::debug;

/// How much received input a session may hold before it reads no more, in bytes. A message is at
/// most 8 MiB; the rest waits in the stream's own buffer.
const HELD_BYTES: usize = 16 * 1_024 * 1_024;

/// The session with the certainty that it leaves the platform, however it ends: when a connection
/// is lost, what serves it is dropped.
struct Guarded {
    session: Option<Session>,
    clock: Arc<Clock>,
}

impl Guarded {
    fn session(&mut self) -> &mut Session {
        self.session.as_mut().expect("taken only when dropped")
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            session.leave(self.clock.now());
        }
    }
}

/// Serves a session until it ends.
pub async fn serve(
    stream: ByteStream,
    platform: Arc<Platform>,
    endpoint: Endpoint,
    peer: Peer,
    clock: Arc<Clock>,
) {
    let (mut inbound, mut outbound) = split(stream, DEFAULT_QUOTA_BYTES);
    let session = Session::open(
        &platform,
        endpoint,
        &peer,
        clock.now(),
        clock.monotonic_ms(),
    );
    let mut guarded = Guarded {
        session: Some(session),
        clock: Arc::clone(&clock),
    };
    let mut input_ended = false;
    loop {
        let session = guarded.session();
        let flow = session.step(clock.now(), clock.monotonic_ms());
        let output = session.transmit();
        if !output.is_empty() {
            let info = Arc::clone(session.info());
            // A peer that does not read keeps nobody waiting but itself; a kill cuts it short,
            // and with it the connection.
            let written = tokio::select! {
                biased;
                written = outbound.write_all(&output) => written,
                () = Session::killed(&info) => return,
            };
            if let Err(error) = written {
                debug!(session.id = info.id, "the peer is gone: {error}");
                return;
            }
            if flow != Flow::Close {
                continue;
            }
        }
        match flow {
            Flow::Close => break,
            Flow::Again => continue,
            Flow::Wait if input_ended => return,
            Flow::Wait => {}
        }
        let session = guarded.session();
        let deadline = wait_for(session, &clock);
        let read_on = session.held_bytes() < HELD_BYTES;
        tokio::select! {
            received = inbound.receive(), if read_on => match received {
                Ok(Some(bytes)) => guarded.session().receive(&bytes, clock.monotonic_ms()),
                Ok(None) => input_ended = true,
                Err(error) => {
                    debug!("input ends: {error}");
                    return;
                }
            },
            () = session.changed() => {}
            () = tokio::time::sleep(deadline) => {}
        }
    }
    let _ = outbound.flush().await;
    let _ = outbound.shutdown().await;
}

/// How long the session may be left alone.
fn wait_for(session: &Session, clock: &Clock) -> Duration {
    const LONG: Duration = Duration::from_secs(3_600);
    let timeout = session
        .timeout_ms()
        .map(|at| Duration::from_millis(at.saturating_sub(clock.monotonic_ms()) + 1));
    let stop = session
        .stops_at()
        .map(|at: Timestamp| Duration::from_millis((at - clock.now()).max(1) as u64));
    timeout.into_iter().chain(stop).min().unwrap_or(LONG)
}
