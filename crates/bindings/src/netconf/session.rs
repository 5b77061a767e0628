//! One session of one principal: the sans-IO machine joined to the engine.
//!
//! ```text
//!  bytes ─► machine ─► rpc ─► operation ─► answer ─┐
//!                                  └► pending ─────┤ in the order of requests ─► machine ─► bytes
//!  log ──► subscription ───────────────────────────┘
//! ```
//!
//! The session does no IO: `server` moves the bytes, and calls [`Session::step`] whenever something may
//! have changed. Read next: [`turns`], in which order requests are answered; [`resume`], how another
//! process goes on with it.

mod resume;
mod turns;

pub use resume::{CannotResume, SavedSession, SavedSubscription, SessionInput, SessionMark};

use super::platform::{Platform, SessionInfo};
use super::session_schema::SessionSchema;
use super::subscription::{Backlog, Subscription};
use ::netconf::session::{CloseReason, Session as Machine, SessionConfig, SessionEvent};
use domain::access::{AccessRules, Principal};
use domain::event::{LogEvent, Sequence, Termination};
use domain::time::Timestamp;
use engine::accounts::Requests;
use engine::{Endpoint, Engine};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::sync::watch;
use tracing::{debug, warn};
use turns::{PENDING, State, Turn};

/// How much output is gathered before it is handed out, in bytes.
const OUTPUT_BYTES: usize = 256 * 1_024;

/// How much input one step takes up, in bytes, and what is left of the last message: then others have
/// their turn, for what is refused has next to no output.
const STEP_BYTES: usize = 64 * 1_024;

/// The least time between two looks at a subscription that waits for its stop time, in ms.
const STOP_SLACK_MS: i64 = 1;

/// Who is at the other end.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The verified user name.
    pub user: String,
    /// The address it came from; empty if unknown.
    pub source_host: String,
}

/// What the owner of a session should do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Wait: for bytes, for [`Session::changed`], or for the time of [`Session::timeout_ms`].
    Wait,
    /// Hand the output out and step again: there is more.
    Again,
    /// Hand the output out and close the channel.
    Close,
}

/// The session.
pub struct Session {
    platform: Arc<Platform>,
    session_schema: Arc<SessionSchema>,
    endpoint: Endpoint,
    who: Principal,
    /// The rules by which `who` has its groups.
    rules: Arc<AccessRules>,
    info: Arc<SessionInfo>,
    machine: Machine,
    turns: VecDeque<Turn>,
    /// Its turns among the requests of its user.
    requests: Requests,
    subscription: Option<Box<Subscription>>,
    feed: watch::Receiver<Sequence>,
    ready: bool,
    end: Option<CloseReason>,
    /// When it took its last step.
    stepped_ms: u64,
    /// The input to come, if another process may go on with it.
    input: Option<SessionInput>,
    /// True if no further request is taken up.
    leaves: bool,
}

impl Session {
    /// A session that greets its client at once. `clock_ms` is a monotonic time in milliseconds,
    /// used for timeouts only; `now` is the time of day.
    pub fn open(
        platform: &Arc<Platform>,
        endpoint: Endpoint,
        peer: &Peer,
        now: Timestamp,
        clock_ms: u64,
    ) -> Self {
        let info = platform.enter(&endpoint, &peer.user, &peer.source_host, now);
        platform.totals.in_sessions.fetch_add(1, Relaxed);
        Self::begin(platform, endpoint, peer, info, clock_ms, |config, id| {
            Machine::new(config, id, clock_ms)
        })
    }

    fn begin(
        platform: &Arc<Platform>,
        endpoint: Endpoint,
        peer: &Peer,
        info: Arc<SessionInfo>,
        clock_ms: u64,
        machine: impl FnOnce(SessionConfig, u32) -> Machine,
    ) -> Self {
        let session_schema = platform.session_schema();
        let capabilities = session_schema.capabilities.clone();
        let rules = platform.engine.access();
        let requests = platform.engine.accounts().requests(&peer.user);
        Self {
            who: principal(&platform.engine, &peer.user, &peer.source_host),
            rules,
            machine: machine(SessionConfig::new(capabilities), info.id),
            feed: platform.engine.stream(&endpoint).watch(),
            platform: Arc::clone(platform),
            session_schema,
            endpoint,
            info,
            turns: VecDeque::new(),
            requests,
            subscription: None,
            ready: false,
            end: None,
            stepped_ms: clock_ms,
            input: None,
            leaves: false,
        }
    }

    /// The session's number and counters.
    pub fn info(&self) -> &Arc<SessionInfo> {
        &self.info
    }

    /// Takes bytes from the transport.
    pub fn receive(&mut self, bytes: &[u8], clock_ms: u64) {
        self.machine.receive(bytes, clock_ms);
    }

    /// Bytes received and not yet handled, and what replies to come echo: while this is large, read no
    /// more.
    pub fn held_bytes(&self) -> usize {
        let echoed = self.turns.iter().map(|turn| turn.envelope.tag_bytes());
        let parked = match self.turns.back().map(|turn| &turn.state) {
            Some(State::Unread(rpc)) => rpc.document.held_bytes(),
            _ => 0,
        };
        self.machine.held_bytes() + parked + echoed.sum::<usize>()
    }

    /// Does what can be done: handles requests, sends replies whose turn it is, and
    /// notifications.
    pub fn step(&mut self, now: Timestamp, clock_ms: u64) -> Flow {
        self.step_while(now, clock_ms, || true)
    }

    /// The same, and no further request is begun once `goes_on` says no.
    pub fn step_while(
        &mut self,
        now: Timestamp,
        clock_ms: u64,
        goes_on: impl Fn() -> bool,
    ) -> Flow {
        self.machine.expire(clock_ms);
        self.stepped_ms = clock_ms;
        self.heed_generation();
        self.heed_rules();
        self.check_killed();
        let held = self.machine.held_bytes();
        let is_over = |machine: &Machine| {
            held.saturating_sub(machine.held_bytes()) >= STEP_BYTES || !goes_on()
        };
        let mut over = false;
        loop {
            let mut moved = self.take_turns(now);
            while self.turns.len() < PENDING
                && self.has_room()
                && !self.is_waiting()
                && !self.leaves
                && self.machine.pending_output() < OUTPUT_BYTES
                && !over
            {
                match self.machine.poll() {
                    Some(event) => self.event(event, now),
                    None => break,
                }
                moved = true;
                over = is_over(&self.machine);
            }
            if !moved || over || self.machine.pending_output() >= OUTPUT_BYTES {
                break;
            }
        }
        // What is not taken up for want of room waits in its transport, and is no refusal.
        self.requests.note(self.turns.len());
        let more = self.notify(now) || over;
        self.publish_counters();
        if self.end.is_some() {
            Flow::Close
        } else if more || self.machine.pending_output() >= OUTPUT_BYTES {
            Flow::Again
        } else {
            Flow::Wait
        }
    }

    /// Bytes for the transport, in order.
    pub fn transmit(&mut self) -> Vec<u8> {
        self.machine.transmit()
    }

    /// Why the session ended, once [`Session::step`] said [`Flow::Close`].
    pub fn end(&self) -> Option<&CloseReason> {
        self.end.as_ref()
    }

    /// The monotonic time at which [`Session::step`] has something to do by itself.
    pub fn timeout_ms(&self) -> Option<u64> {
        let rest = self.subscription.as_ref().and_then(|s| s.rest_ms());
        let again = rest.map(|rest| self.stepped_ms + rest);
        self.machine.timeout().into_iter().chain(again).min()
    }

    /// The time of day at which the subscription ends by itself.
    pub fn stops_at(&self) -> Option<Timestamp> {
        self.subscription
            .as_ref()
            .and_then(|s| s.stop())
            .map(|stop| stop + STOP_SLACK_MS)
    }

    /// Resolves when [`Session::step`] has something to do that no bytes announce: an answer is on
    /// disk, a search has ended, the log has grown, or the session is killed.
    pub async fn changed(&mut self) {
        let killed = Arc::clone(&self.info);
        let pending = Self::front(&mut self.turns);
        let followed = async {
            match &mut self.subscription {
                Some(subscription) => tokio::select! {
                    _ = self.feed.changed(), if subscription.is_woken_by_events() => {}
                    () = subscription.searched() => {}
                },
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = killed.killed.notified() => {}
            () = pending => {}
            () = followed => {}
        }
    }

    /// Resolves when the session is killed; for an owner that is stuck in writing.
    pub async fn killed(info: &SessionInfo) {
        info.killed.notified().await;
    }

    /// True if it was killed, whether or not its end was told yet.
    pub fn is_killed(&self) -> bool {
        self.info.killed_by.load(Relaxed) != 0
    }

    /// True if more than `limit` waits for the subscriber. To be asked again and again while the
    /// transport takes nothing: one look counts so much of the log, the next goes on from there.
    pub fn is_behind(&mut self, limit: &Backlog) -> bool {
        let Some(subscription) = &mut self.subscription else {
            return false;
        };
        match subscription.backlog(&self.platform, &self.who, limit) {
            Ok(backlog) => backlog.exceeds(limit),
            // The next step meets the same error, and ends the session with it.
            Err(_) => false,
        }
    }

    /// Requests are read by the generation in force when they are taken up.
    fn heed_generation(&mut self) {
        if !self.platform.is_in_force(&self.session_schema) {
            self.session_schema = self.platform.session_schema();
        }
    }

    /// Who somebody is follows from the rules in force: their groups are.
    fn heed_rules(&mut self) {
        let rules = self.platform.engine.access();
        if !Arc::ptr_eq(&rules, &self.rules) {
            let (engine, info) = (&self.platform.engine, &self.info);
            self.who = principal(engine, &info.username, &info.source_host);
            self.rules = rules;
        }
    }

    fn check_killed(&mut self) {
        let by = self.info.killed_by.load(Relaxed);
        if by != 0 && self.end.is_none() && !self.machine.closing() {
            self.turns.clear();
            self.machine.close(CloseReason::Killed { by });
        }
    }

    fn event(&mut self, event: SessionEvent, now: Timestamp) {
        match event {
            SessionEvent::Ready { .. } => {
                self.ready = true;
                self.platform.engine.record_session(
                    LogEvent::SessionStarted {
                        username: self.info.username.clone(),
                        session: self.info.id,
                        source_host: self.info.source_host.clone(),
                    },
                    now,
                );
                debug!(
                    session.id = self.info.id,
                    user = self.info.username,
                    "session begins"
                );
            }
            SessionEvent::Rpc(rpc) => self.request(rpc, now),
            SessionEvent::Close(reason) => {
                if let CloseReason::BadHello(_) | CloseReason::HelloTimeout = reason {
                    self.platform.totals.in_bad_hellos.fetch_add(1, Relaxed);
                }
                self.end.get_or_insert(reason);
            }
        }
    }

    /// Sends what the subscription is due; true if there is more to look at.
    fn notify(&mut self, now: Timestamp) -> bool {
        self.feed.mark_unchanged();
        let Some(subscription) = &mut self.subscription else {
            return false;
        };
        let room = OUTPUT_BYTES.saturating_sub(self.machine.pending_output());
        if room == 0 || self.machine.closing() {
            return false;
        }
        match subscription.due(&self.platform, &self.who, now, room) {
            Ok(due) => {
                due.messages
                    .iter()
                    .for_each(|told| self.machine.notification(&told.message));
                if due.over {
                    self.subscription = None;
                }
                due.more
            }
            Err(error) => {
                warn!(session.id = self.info.id, "a subscription ends: {error}");
                // RFC 5277 has no other way to end a subscription than its session.
                self.subscription = None;
                self.machine.close(CloseReason::Other(error.to_string()));
                false
            }
        }
    }

    fn publish_counters(&self) {
        let counted = self.machine.statistics();
        self.info.in_rpcs.store(counted.in_rpcs, Relaxed);
        self.info.in_bad_rpcs.store(counted.in_bad_rpcs, Relaxed);
        self.info
            .out_rpc_errors
            .store(counted.out_rpc_errors, Relaxed);
        self.info
            .out_notifications
            .store(counted.out_notifications, Relaxed);
    }

    /// Says why the owner gives the session up, where it is not that the transport was lost.
    pub fn give_up(&mut self, reason: CloseReason) {
        self.end.get_or_insert(reason);
    }

    /// Leaves the platform: locks are released, the end is entered into the log. To be called
    /// once, whatever ended the session; if nothing else is known, its transport was lost.
    pub fn leave(self, now: Timestamp) {
        // Who kills a session that is stuck in writing ends it before it takes another step.
        let killed = || match self.info.killed_by.load(Relaxed) {
            0 => CloseReason::Dropped,
            by => CloseReason::Killed { by },
        };
        let reason = self.end.clone().unwrap_or_else(killed);
        self.platform.leave(self.info.id);
        self.platform.count(self.machine.statistics());
        if reason == CloseReason::Dropped {
            self.platform.totals.dropped_sessions.fetch_add(1, Relaxed);
        }
        debug!(
            session.id = self.info.id,
            user = self.info.username,
            "session ends: {reason}"
        );
        // A transport that is lost before the hellos never was a session.
        if self.ready || reason != CloseReason::Dropped {
            let killed_by = match reason {
                CloseReason::Killed { by } => Some(by),
                _ => None,
            };
            self.platform.engine.record_session(
                LogEvent::SessionEnded {
                    username: self.info.username.clone(),
                    session: self.info.id,
                    source_host: self.info.source_host.clone(),
                    killed_by,
                    reason: Termination::parse(reason.termination_reason())
                        .unwrap_or(Termination::Other),
                },
                now,
            );
        }
    }
}

/// Who a user is, and where from.
fn principal(engine: &Engine, user: &str, source_host: &str) -> Principal {
    let principal = engine.principal(user);
    match source_host {
        "" => principal.coming_from("netconf"),
        host => principal.coming_from(format!("netconf {host}")),
    }
}
