//! A session that outlives the process that serves it: what is to be kept of it, and how another goes on
//! with it.
//!
//! Whoever keeps the transport is told after each piece of output how far requests are answered, and what
//! the session is ([`SessionMark`]). If the process is lost, the bytes behind that are given to the next
//! one again: what is answered is not answered twice, what is not is, and a subscription goes on behind
//! the last event that was told. What may have been carried out without an answer, as it was sent to the
//! process that was lost, is carried out again only if that makes no difference; a turn of a negotiation is known
//! again by the place of its request among the client's bytes. Read next:
//! `server::cluster`, which keeps the transport; [`super::turns`].

use super::{Peer, Session};
use crate::netconf::error;
use crate::netconf::operation;
use crate::netconf::platform::Platform;
use crate::netconf::request_context::RequestContext;
use crate::netconf::subscription::Subscription;
use ::netconf::error::RpcError;
use ::netconf::framing::Framing;
use ::netconf::xml::{Limits, XmlDocument, XmlError};
use domain::event::{LogEvent, Sequence, Termination};
use domain::negotiation::RequestKey;
use domain::time::Timestamp;
use engine::{Endpoint, ForwardedRequest};
use std::ops::Range;
use std::sync::Arc;

/// The longest request for a subscription that is kept, in bytes. A session with a longer one is not
/// resumed while that subscription lasts.
const REQUEST_BYTES_MAX: usize = 64 << 10;

/// How much the clock of another node may be behind that of the one that took a request, in ms.
const CLOCKS_APART_MS: i64 = 86_400_000;

/// The input that a session is to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionInput {
    /// The key of what begins with its first byte.
    pub first: RequestKey,
    /// What stands in so many bytes of it may have been carried out by another process.
    pub doubtful: u64,
}

impl SessionInput {
    /// What is known of the request that stands there.
    pub(super) fn request(&self, place: &Range<u64>) -> ForwardedRequest {
        ForwardedRequest {
            key: RequestKey {
                offset: self.first.offset + place.start,
                ..self.first
            },
            in_doubt: place.end <= self.doubtful,
        }
    }
}

/// What a session is to go on as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedSession {
    /// Its number.
    pub id: u32,
    /// When it began.
    pub begun: Timestamp,
    /// The framing of its messages; none before the client's hello.
    pub framing: Option<Framing>,
    /// True if it holds the lock of its endpoint.
    pub locked: bool,
    /// Its subscription.
    pub subscription: Option<SavedSubscription>,
}

/// What a subscription is to go on as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedSubscription {
    /// The `<rpc>` that asked for it.
    pub request: Arc<str>,
    /// The last event that was told or passed over.
    pub cursor: Sequence,
    /// The last event of its replay, if that is not over.
    pub replay_until: Option<Sequence>,
}

/// How far a session is, as of the output handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionMark {
    /// How many of the bytes received are those of requests that are answered.
    pub answered: u64,
    /// What it is to go on as; none if it cannot.
    pub saved: Option<SavedSession>,
}

/// The reason for which a session cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum CannotResume {
    /// There is a session of that number.
    #[error("there is a session {0}")]
    Number(u32),
    /// Another session has taken the lock meanwhile.
    #[error("session {by} has taken the lock that it held")]
    Locked {
        /// That session.
        by: u32,
    },
    /// The request for its subscription cannot be read: a defect, or another version.
    #[error("the request for its subscription cannot be read: {0}")]
    Request(#[from] XmlError),
    /// The subscription cannot be made again.
    #[error("its subscription cannot be made again: {0:?}")]
    Subscription(RpcError),
}

impl Session {
    /// A session that goes on as it was saved, with the same number and without a second hello. Its input
    /// begins behind the last request that was answered.
    ///
    /// # Errors
    /// [`CannotResume`]; then nothing is left of it. Its end is in the log, unless there is another of its number.
    pub fn resume(
        platform: &Arc<Platform>,
        endpoint: Endpoint,
        peer: &Peer,
        saved: &SavedSession,
        input: SessionInput,
        now: Timestamp,
        clock_ms: u64,
    ) -> Result<Self, CannotResume> {
        let (user, host) = (&peer.user, &peer.source_host);
        let info = platform.enter_again(saved.id, &endpoint, user, host, saved.begun);
        let info = info.ok_or(CannotResume::Number(saved.id))?;
        let mut session = Self::begin(platform, endpoint, peer, info, clock_ms, |config, _| {
            super::Machine::greeted(config, saved.framing, clock_ms)
        });
        session.ready = saved.framing.is_some();
        session.resumable(input);
        match session.restore(saved, now) {
            Ok(()) => Ok(session),
            Err(why) => {
                platform.leave(saved.id);
                if session.ready {
                    platform.record_end(saved.id, peer, now);
                }
                Err(why)
            }
        }
    }

    fn restore(&mut self, saved: &SavedSession, now: Timestamp) -> Result<(), CannotResume> {
        if saved.locked {
            let locked = self.platform.lock(&self.endpoint, saved.id, now);
            locked.map_err(|lock| CannotResume::Locked { by: lock.session })?;
        }
        if let Some(subscription) = &saved.subscription {
            self.subscription = Some(self.subscribed(subscription, now)?);
        }
        Ok(())
    }

    fn subscribed(
        &self,
        saved: &SavedSubscription,
        now: Timestamp,
    ) -> Result<Box<Subscription>, CannotResume> {
        let source = saved.request.as_bytes().to_vec();
        let request = XmlDocument::parse(source, &Limits::default())?;
        // It was taken up before, by a clock that may have been ahead of this one.
        let cx = RequestContext {
            now: now + CLOCKS_APART_MS,
            ..self.cx(now)
        };
        let again = match request.root().children().next() {
            Some(operation) => operation::subscribe_again(&cx, operation),
            None => Err(error::leader_changed()),
        };
        let mut again = again.map_err(CannotResume::Subscription)?;
        again.go_on(saved.cursor, saved.replay_until);
        again.keep_request(&saved.request);
        again.enter(&self.platform, &self.info.username, now);
        Ok(again)
    }

    /// Keeps what [`Session::mark`] tells.
    pub fn resumable(&mut self, input: SessionInput) {
        self.input = Some(input);
    }

    /// How far it is, as of the output handed out: to be asked between [`Session::transmit`] and the next
    /// [`Session::step`] of a session that is [resumable](Self::resumable).
    pub fn mark(&self) -> SessionMark {
        let answered = match self.turns.front() {
            Some(turn) => turn.starts,
            None => self.machine.boundary(),
        };
        let subscription = self.subscription.as_ref().map(|it| it.saved());
        let is_kept = !matches!(subscription, Some(None));
        let goes_on = is_kept && self.end.is_none() && !self.machine.closing();
        SessionMark {
            answered,
            saved: goes_on.then(|| SavedSession {
                id: self.info.id,
                begun: self.info.login_time,
                framing: self.machine.is_ready().then(|| self.machine.framing()),
                locked: self.platform.holds_lock(&self.endpoint, self.info.id),
                subscription: subscription.flatten(),
            }),
        }
    }

    /// Takes up no further request, as it is to go on elsewhere.
    pub fn take_no_more(&mut self) {
        self.leaves = true;
    }

    /// True if every request that was taken up is answered.
    pub fn is_answered(&self) -> bool {
        self.turns.is_empty()
    }

    /// The bytes of the request that is kept of its subscription.
    pub fn kept_bytes(&self) -> usize {
        let request = self.subscription.as_ref().and_then(|it| it.request());
        request.map_or(0, |request| request.len())
    }

    /// Leaves the platform without an entry in the log, as the session goes on elsewhere.
    pub fn hand_over(self) {
        self.platform.leave(self.info.id);
        self.platform.count(self.machine.statistics());
    }
}

impl Platform {
    /// Enters into the log that a session ended with which nobody could go on.
    pub fn record_end(&self, session: u32, peer: &Peer, now: Timestamp) {
        let ended = LogEvent::SessionEnded {
            username: peer.user.clone(),
            session,
            source_host: peer.source_host.clone(),
            killed_by: None,
            reason: Termination::Other,
        };
        self.engine.record_session(ended, now);
    }
}

impl Subscription {
    /// Keeps the request that asked for it, unless that is too long or its stream is only in this process.
    pub(super) fn keep_request(&mut self, request: &str) {
        if request.len() <= REQUEST_BYTES_MAX && !matches!(self.endpoint(), Endpoint::Ems(_)) {
            self.set_request(request.into());
        }
    }

    /// What it is to go on as; none if it cannot.
    fn saved(&self) -> Option<SavedSubscription> {
        let (cursor, replay_until) = self.place();
        Some(SavedSubscription {
            request: Arc::clone(self.request()?),
            cursor,
            replay_until,
        })
    }
}
