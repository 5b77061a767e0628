//! A session whose client is connected to another node: that node is told how far it is with each output,
//! and comes again if the way to it is lost.
//!
//! A session ends here in one of two ways: it is over, which the node is told, or it goes on elsewhere, which
//! the log is not told. [`Relayed`] knows those that are here, so that one that comes again finds out what
//! became of it. How it is told, `cluster` knows. Read next: [`super`]; `bindings::netconf`'s
//! `SavedSession`.

use bindings::netconf::{CannotResume, Peer, Platform, SavedSession, Session, SessionMark};
use domain::time::Timestamp;
use engine::Endpoint;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The longest time for a node to come again, or for it to take the end of a session.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The longest time for what a session has taken up to be answered before it goes on elsewhere.
pub(crate) const LEAVE: Duration = Duration::from_secs(2);

/// How many of the sessions that are over are remembered.
const OVER_MOST: usize = 65_536;

/// The bytes that tell a node an output and how far the session is.
type Telling = Box<dyn FnMut(Vec<u8>, &SessionMark, bool) -> Vec<u8> + Send + Sync>;

/// What a session is told to be, and how it tells what it is.
pub(crate) struct Relay {
    saved: Option<SavedSession>,
    doubtful: u64,
    telling: Telling,
    close: Vec<u8>,
    left_told: Vec<u8>,
    relayed: Arc<Relayed>,
    lead: u64,
    number: Option<u32>,
    left: watch::Sender<bool>,
    last: Option<SessionMark>,
    ended: AtomicBool,
}

impl Relay {
    /// Of a session that begins, or goes on as it was `saved`; the first `doubtful` bytes of its input may
    /// have been carried out. `telling` makes the bytes that tell an output, a mark, and whether it was the
    /// last; the last two are those that tell the end, and that it goes on elsewhere. `lead` is that of [`Relayed::lead`] under which it was asked
    /// for.
    pub(crate) fn new(
        saved: Option<SavedSession>,
        doubtful: u64,
        telling: Telling,
        [close, left_told]: [Vec<u8>; 2],
        (relayed, lead): (&Arc<Relayed>, u64),
    ) -> Self {
        Self {
            saved,
            doubtful,
            telling,
            close,
            left_told,
            relayed: Arc::clone(relayed),
            lead,
            number: None,
            left: watch::Sender::new(false),
            last: None,
            ended: AtomicBool::new(false),
        }
    }

    pub(super) fn begin(
        &self,
        platform: &Arc<Platform>,
        endpoint: Endpoint,
        peer: &Peer,
        now: Timestamp,
        now_ms: u64,
    ) -> Result<Session, CannotResume> {
        match &self.saved {
            None => {
                let mut session = Session::open(platform, endpoint, peer, now, now_ms);
                session.resumable(self.doubtful);
                Ok(session)
            }
            Some(saved) => {
                let doubtful = self.doubtful;
                Session::resume(platform, endpoint, peer, saved, doubtful, now, now_ms)
            }
        }
    }

    /// Notes the number of the session.
    pub(super) fn enter(&mut self, number: u32) {
        self.number = Some(number);
        let mut state = self.relayed.lock();
        state.here.insert(number, self.left.clone());
        if state.lead != self.lead {
            self.left.send_replace(true);
        }
    }

    /// The bytes that tell an output and how far the session is; none if there is nothing to tell.
    pub(super) fn told(&mut self, output: Vec<u8>, mark: SessionMark, is_over: bool) -> Vec<u8> {
        let is_news = |last: &SessionMark| {
            let other = |of: fn(&SavedSession) -> (bool, bool, bool)| {
                last.saved.as_ref().map(of) != mark.saved.as_ref().map(of)
            };
            last.answered != mark.answered
                || other(|it| (it.framing.is_some(), it.locked, it.subscription.is_some()))
        };
        if output.is_empty() && !is_over && !self.last.as_ref().is_none_or(is_news) {
            return output;
        }
        let told = (self.telling)(output, &mark, is_over);
        self.last = Some(mark);
        told
    }

    /// The bytes that tell the end.
    pub(super) fn close(&self) -> Vec<u8> {
        self.close.clone()
    }

    /// The bytes that tell that it goes on elsewhere, and that nothing was begun that is not answered.
    pub(super) fn left(&self) -> Vec<u8> {
        self.left_told.clone()
    }

    /// The session does not go on elsewhere, whoever asks for it.
    pub(super) fn end(&self) {
        self.ended.store(true, Relaxed);
    }

    /// Completes when the session is to go on elsewhere.
    pub(super) async fn leaves(&self) {
        let mut left = self.left.subscribe();
        // The sender is here.
        drop(left.wait_for(|left| *left).await);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let Some(number) = self.number else {
            return;
        };
        let mut state = self.relayed.lock();
        let is_left = *self.left.borrow();
        if state
            .here
            .get(&number)
            .is_some_and(|left| left.same_channel(&self.left))
        {
            state.here.remove(&number);
        }
        if !is_left || self.ended.load(Relaxed) {
            state.remember(number);
        }
    }
}

/// True if a transport was lost because the client is gone, and not the way to its node.
pub(crate) fn is_of_client(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionReset
}

/// The sessions here whose clients are connected to other nodes.
#[derive(Debug, Default)]
pub(crate) struct Relayed(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    lead: u64,
    here: BTreeMap<u32, watch::Sender<bool>>,
    over: BTreeSet<u32>,
    order: VecDeque<u32>,
}

impl State {
    fn remember(&mut self, number: u32) {
        if self.over.insert(number) {
            self.order.push_back(number);
        }
        if self.order.len() > OVER_MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.over.remove(&oldest);
        }
    }
}

impl Relayed {
    /// True if a session of this number is over.
    pub(crate) fn is_over(&self, number: u32) -> bool {
        self.lock().over.contains(&number)
    }

    /// Lets a session go that is here and comes again; completes once it has left.
    pub(crate) async fn let_go(&self, number: u32) {
        let left = self.lock().here.get(&number).cloned();
        if let Some(left) = left {
            left.send_replace(true);
            // Its relay, which has the others, is dropped behind it.
            while left.sender_count() > 1 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    }

    /// Which lead of this process it is: sessions of one before do not stay.
    pub(crate) fn lead(&self) -> u64 {
        self.lock().lead
    }

    /// Lets all sessions go on elsewhere, as the lead is over.
    pub(crate) fn let_all_go(&self) {
        let mut state = self.lock();
        state.lead += 1;
        for left in state.here.values() {
            left.send_replace(true);
        }
    }

    /// Completes once all have left that were let go.
    pub(crate) async fn are_gone(&self) {
        while !self.lock().here.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
