//! What the sessions of a platform share: engine, generation, session list, locks, statistics.
//!
//! Read next: [`super::session`].

use super::access::read_permit;
use super::api_resource;
use super::session_schema::SessionSchema;
use super::subscribers::Subscribers;
use crate::background::Background;
use crate::words::WordReader;
use ::netconf::filter::PermitTree;
use domain::access::{AccessRules, Principal};
use domain::ems::Ems;
use domain::event::Sequence;
use domain::time::Timestamp;
use engine::{Endpoint, Engine};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use tokio::sync::Notify;
use yang::Generation;

/// How many encoded notifications are kept for subscribers that follow closely.
const ENCODED: usize = 4_096;

/// One session, as `ietf-netconf-monitoring` and `kill-session` see it.
#[derive(Debug)]
pub struct SessionInfo {
    /// Its number, unique since the start of the platform.
    pub id: u32,
    /// Where it arrived.
    pub endpoint: Endpoint,
    /// The principal.
    pub username: String,
    /// The address it came from; empty if unknown.
    pub source_host: String,
    /// When it began.
    pub login_time: Timestamp,
    pub(crate) killed_by: AtomicU32,
    pub(crate) killed: Notify,
    pub(crate) in_rpcs: AtomicU64,
    pub(crate) in_bad_rpcs: AtomicU64,
    pub(crate) out_rpc_errors: AtomicU64,
    pub(crate) out_notifications: AtomicU64,
}

impl SessionInfo {
    /// Of who asks without a session: its number is that of none.
    pub(crate) fn of_none(username: &str, now: Timestamp) -> Self {
        Self::new(0, &Endpoint::Platform, username, "", now)
    }

    fn new(
        id: u32,
        endpoint: &Endpoint,
        username: &str,
        source_host: &str,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            endpoint: endpoint.clone(),
            username: username.to_owned(),
            source_host: source_host.to_owned(),
            login_time: now,
            killed_by: AtomicU32::new(0),
            killed: Notify::new(),
            in_rpcs: AtomicU64::new(0),
            in_bad_rpcs: AtomicU64::new(0),
            out_rpc_errors: AtomicU64::new(0),
            out_notifications: AtomicU64::new(0),
        }
    }
}

/// Counters over all sessions since the start (RFC 6022 §2.1.5).
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) in_sessions: AtomicU32,
    pub(crate) in_bad_hellos: AtomicU32,
    pub(crate) dropped_sessions: AtomicU32,
    pub(crate) in_rpcs: AtomicU64,
    pub(crate) in_bad_rpcs: AtomicU64,
    pub(crate) out_rpc_errors: AtomicU64,
    pub(crate) out_notifications: AtomicU64,
    pub(crate) denied_notifications: AtomicU32,
}

/// A lock of `running`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lock {
    pub(crate) session: u32,
    pub(crate) time: Timestamp,
}

/// Encoded events of one stream, the newest.
type Encoded = VecDeque<(Sequence, Arc<[u8]>)>;
type Permits = BTreeMap<BTreeSet<String>, Arc<PermitTree>>;

/// What the sessions share.
pub struct Platform {
    pub(crate) engine: Arc<Engine>,
    pub(crate) background: Arc<dyn Background>,
    pub(crate) reader: Arc<dyn WordReader>,
    session_schema: RwLock<Arc<SessionSchema>>,
    next_session: AtomicU32,
    sessions: Mutex<BTreeMap<u32, Arc<SessionInfo>>>,
    locks: Mutex<BTreeMap<Endpoint, Lock>>,
    pub(super) subscribers: Arc<Subscribers>,
    permits: Mutex<(Option<Arc<AccessRules>>, Permits)>,
    /// Of the log, and of what each management system tells.
    encoded: Mutex<BTreeMap<Option<Ems>, Encoded>>,
    pub(crate) started: Timestamp,
    pub(crate) totals: Totals,
    http_url: OnceLock<String>,
}

impl Platform {
    /// What sessions over this engine share, from `now` on; what may take long is handed to
    /// `background`, and plain words to `reader` there.
    pub fn new(
        engine: Arc<Engine>,
        generation: Arc<Generation>,
        reader: Arc<dyn WordReader>,
        background: Arc<dyn Background>,
        now: Timestamp,
    ) -> Self {
        Self {
            engine,
            background,
            reader,
            session_schema: RwLock::new(Arc::new(SessionSchema::of(generation))),
            next_session: AtomicU32::new(1),
            sessions: Mutex::default(),
            locks: Mutex::default(),
            subscribers: Arc::default(),
            permits: Mutex::default(),
            encoded: Mutex::default(),
            started: now,
            totals: Totals::default(),
            http_url: OnceLock::new(),
        }
    }

    /// Says that RESTCONF is served for it, by the server at a URL; the first that is said counts.
    pub(crate) fn serve_restconf(&self, url: &str) {
        let _ = self.http_url.set(url.to_owned());
    }

    /// The URL of the API resource of RESTCONF that serves an endpoint, if one does.
    pub(crate) fn restconf_url(&self, endpoint: &Endpoint) -> Option<String> {
        let url = self.http_url.get()?;
        Some(format!("{url}{}", api_resource::path(endpoint)?))
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Where work goes that may take long.
    pub fn background(&self) -> &Arc<dyn Background> {
        &self.background
    }

    /// Who reads plain words.
    pub fn reader(&self) -> &Arc<dyn WordReader> {
        &self.reader
    }

    /// The generation that new requests use.
    pub fn generation(&self) -> Arc<Generation> {
        Arc::clone(&self.session_schema().generation)
    }

    /// The same with all that sessions draw from it.
    pub(super) fn session_schema(&self) -> Arc<SessionSchema> {
        Arc::clone(&self.session_schema.read().expect("no writer panics"))
    }

    pub(super) fn is_in_force(&self, session_schema: &Arc<SessionSchema>) -> bool {
        Arc::ptr_eq(
            &self.session_schema.read().expect("no writer panics"),
            session_schema,
        )
    }

    /// Swaps a generation in; requests in flight keep the one they began with. New sessions
    /// announce it, and yang-library tells it at once.
    pub fn swap_generation(&self, generation: Arc<Generation>) {
        let session_schema = Arc::new(SessionSchema::of(generation));
        *self.session_schema.write().expect("no writer panics") = session_schema;
        self.permits.lock().expect("no holder panics").0 = None;
    }

    /// The sessions that a session at `endpoint` may know of: its own endpoint's, or all from the
    /// platform's.
    pub fn sessions(&self, endpoint: &Endpoint) -> Vec<Arc<SessionInfo>> {
        let sessions = self.sessions.lock().expect("no holder panics");
        let known =
            |s: &&Arc<SessionInfo>| *endpoint == Endpoint::Platform || s.endpoint == *endpoint;
        sessions.values().filter(known).cloned().collect()
    }

    /// Gives the sessions to come the numbers from `first` on, which is at least 1: those that another
    /// process goes on with keep theirs, and none of these may meet them.
    pub fn number_sessions_from(&self, first: u32) {
        self.next_session.store(first.max(1), Ordering::Relaxed);
    }

    pub(crate) fn enter(
        &self,
        endpoint: &Endpoint,
        username: &str,
        source_host: &str,
        now: Timestamp,
    ) -> Arc<SessionInfo> {
        loop {
            let id = self.next_session.fetch_add(1, Ordering::Relaxed).max(1);
            if let Some(info) = self.enter_again(id, endpoint, username, source_host, now) {
                return info;
            }
        }
    }

    /// Enters a session with a number that it has; none if another has it.
    pub(crate) fn enter_again(
        &self,
        id: u32,
        endpoint: &Endpoint,
        username: &str,
        source_host: &str,
        begun: Timestamp,
    ) -> Option<Arc<SessionInfo>> {
        let info = SessionInfo::new(id, endpoint, username, source_host, begun);
        let mut sessions = self.sessions.lock().expect("no holder panics");
        match sessions.entry(id) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => Some(Arc::clone(place.insert(Arc::new(info)))),
        }
    }

    /// Forgets a session, and the locks that die with it (RFC 6241 §7.5).
    pub(crate) fn leave(&self, session: u32) {
        self.sessions
            .lock()
            .expect("no holder panics")
            .remove(&session);
        self.locks
            .lock()
            .expect("no holder panics")
            .retain(|_, lock| lock.session != session);
    }

    /// Takes the lock of `running` for a session.
    pub(crate) fn lock(
        &self,
        endpoint: &Endpoint,
        session: u32,
        now: Timestamp,
    ) -> Result<(), Lock> {
        let mut locks = self.locks.lock().expect("no holder panics");
        match locks.get(endpoint) {
            Some(held) => Err(*held),
            None => {
                locks.insert(endpoint.clone(), Lock { session, time: now });
                Ok(())
            }
        }
    }

    /// Gives the lock back; false if the session does not hold it.
    pub(crate) fn unlock(&self, endpoint: &Endpoint, session: u32) -> Result<(), Option<Lock>> {
        let mut locks = self.locks.lock().expect("no holder panics");
        match locks.get(endpoint).copied() {
            Some(held) if held.session == session => {
                locks.remove(endpoint);
                Ok(())
            }
            held => Err(held),
        }
    }

    /// True if a session holds the lock.
    pub(crate) fn holds_lock(&self, endpoint: &Endpoint, session: u32) -> bool {
        let lock = self.lock_of(endpoint);
        lock.is_some_and(|lock| lock.session == session)
    }

    pub(crate) fn lock_of(&self, endpoint: &Endpoint) -> Option<Lock> {
        self.locks
            .lock()
            .expect("no holder panics")
            .get(endpoint)
            .copied()
    }

    /// What the principal may read, compiled once per set of groups and rules.
    pub(crate) fn permit(&self, who: &Principal, generation: &Generation) -> Arc<PermitTree> {
        let rules = self.engine.access();
        let mut cached = self.permits.lock().expect("no holder panics");
        if !cached
            .0
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, &rules))
        {
            *cached = (Some(Arc::clone(&rules)), Permits::new());
        }
        let tree = cached
            .1
            .entry(who.groups.clone())
            .or_insert_with(|| Arc::new(read_permit(&rules, who, generation)));
        Arc::clone(tree)
    }

    /// The encoded form of an event of the endpoint's stream: made once, shared by all who want it
    /// whole.
    pub(crate) fn encoded(
        &self,
        endpoint: &Endpoint,
        sequence: Sequence,
        encode: impl FnOnce() -> Vec<u8>,
    ) -> Arc<[u8]> {
        let stream = match endpoint {
            Endpoint::Ems(ems) => Some(*ems),
            Endpoint::Platform | Endpoint::Agent(_) => None,
        };
        let mut encoded = self.encoded.lock().expect("no holder panics");
        let encoded = encoded.entry(stream).or_default();
        if let Some(first) = encoded.front().map(|(s, _)| *s)
            && let Some(place) = sequence.checked_sub(first)
            && let Some((found, bytes)) = encoded.get(place as usize)
            && *found == sequence
        {
            return Arc::clone(bytes);
        }
        let bytes: Arc<[u8]> = encode().into();
        let follows = encoded.back().is_none_or(|(last, _)| last + 1 == sequence);
        if follows {
            if encoded.len() == ENCODED {
                encoded.pop_front();
            }
            encoded.push_back((sequence, Arc::clone(&bytes)));
        } else if encoded.back().is_some_and(|(last, _)| *last < sequence) {
            encoded.clear();
            encoded.push_back((sequence, Arc::clone(&bytes)));
        }
        bytes
    }

    /// Adds what a session counted to the totals.
    pub(crate) fn count(&self, counted: ::netconf::session::SessionStatistics) {
        self.totals
            .in_rpcs
            .fetch_add(counted.in_rpcs, Ordering::Relaxed);
        self.totals
            .in_bad_rpcs
            .fetch_add(counted.in_bad_rpcs, Ordering::Relaxed);
        self.totals
            .out_rpc_errors
            .fetch_add(counted.out_rpc_errors, Ordering::Relaxed);
        self.totals
            .out_notifications
            .fetch_add(counted.out_notifications, Ordering::Relaxed);
    }
}
