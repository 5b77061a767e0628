//! A session whose client is connected to another node: that node is told how far it is with each output,
//! and comes again if the way to it is lost.
//!
//! A session ends here in one of two ways: it is over, which the node is told, or it goes on elsewhere, which
//! the log is not told. [`ForwardedSessions`] knows those that are here, so that one that comes again finds out what
//! became of it. How it is told, `cluster` knows. Read next: [`super`]; `bindings::netconf`'s
//! `SavedSession`.

use bindings::netconf::{
    CannotResume, Peer, Platform, SavedSession, Session, SessionInput, SessionMark,
};
use domain::event::Sequence;
use domain::time::Timestamp;
use engine::Endpoint;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// The longest time for a node to come again, or for it to take the end of a session.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The longest time for what a session has taken up to be answered before it goes on elsewhere.
pub(crate) const LEAVE: Duration = Duration::from_secs(2);

/// How many of the sessions that are over are remembered.
const OVER_MOST: usize = 65_536;

/// Whether an output is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    /// The session goes on.
    No,
    /// The session is over.
    Over,
    /// The same, as it was killed.
    Killed,
}

/// The bytes that tell a node an output and how far the session is.
type Telling = Box<dyn FnMut(Vec<u8>, &SessionMark, Last) -> Vec<u8> + Send + Sync>;

/// What a session is told to be, and how it tells what it is.
pub(crate) struct ForwardedSession {
    saved: Option<SavedSession>,
    input: SessionInput,
    telling: Telling,
    close: Vec<u8>,
    left_told: Vec<u8>,
    sessions: Arc<ForwardedSessions>,
    term: u64,
    node: Option<String>,
    number: Option<u32>,
    /// Which return of the session it is; none from then on when it is here.
    attempt: u64,
    returning: Option<Returning>,
    left: watch::Sender<bool>,
    last: Option<SessionMark>,
    /// True once it is left to go on elsewhere.
    goes_on: AtomicBool,
    /// How far its subscription is with the output that was told last.
    handed: Option<Sequence>,
    /// How far it is with the output that is written.
    written: Arc<AtomicU64>,
}

/// In place of a cursor, of a session without a subscription.
const NO_CURSOR: Sequence = Sequence::MAX;

impl ForwardedSession {
    /// Of a session that begins, or goes on as it was `saved` and `returning`. `telling` makes the bytes that tell an
    /// output, a mark, and whether it was the last; the last two are those that tell the end, and that it goes on
    /// elsewhere. `term` is that of [`ForwardedSessions::term`] under which it was asked for;
    /// `node` the one its client is connected to, if it counts as a subscriber there.
    pub(crate) fn new(
        saved: Option<(SavedSession, Returning)>,
        input: SessionInput,
        telling: Telling,
        [close, left_told]: [Vec<u8>; 2],
        (sessions, term, node): (&Arc<ForwardedSessions>, u64, Option<String>),
    ) -> Self {
        let (saved, returning) = saved.unzip();
        Self {
            attempt: returning.as_ref().map_or(0, |it| it.attempt),
            returning,
            saved,
            input,
            telling,
            close,
            left_told,
            sessions: Arc::clone(sessions),
            term,
            node,
            number: None,
            left: watch::Sender::new(false),
            last: None,
            goes_on: AtomicBool::new(false),
            handed: None,
            written: Arc::new(AtomicU64::new(NO_CURSOR)),
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
                session.resumable(self.input);
                Ok(session)
            }
            Some(saved) => {
                let input = self.input;
                let resumed = Session::resume(platform, endpoint, peer, saved, input, now, now_ms);
                // Its end is in the log, unless it is another's number.
                if let Err(why) = &resumed
                    && !matches!(why, CannotResume::Number(_))
                {
                    self.sessions.lock().remember(saved.id);
                }
                resumed
            }
        }
    }

    /// Notes the number of the session.
    pub(super) fn enter(&mut self, number: u32) {
        self.number = Some(number);
        let mut state = self.sessions.lock();
        let here = Here {
            attempt: self.attempt,
            left: self.left.clone(),
            node: self.node.clone(),
            written: Arc::clone(&self.written),
        };
        state.here.insert(number, here);
        if state.term != self.term {
            self.left.send_replace(true);
        }
        drop(state);
        // Whoever returns next finds it here.
        self.returning = None;
    }

    /// The bytes that tell an output and how far the session is; none if there is nothing to tell.
    pub(super) fn told(&mut self, output: Vec<u8>, mark: SessionMark, end: Last) -> Vec<u8> {
        let subscription = mark.saved.as_ref().and_then(|it| it.subscription.as_ref());
        let cursor = subscription.map(|it| it.cursor);
        let before = std::mem::replace(&mut self.handed, cursor);
        // Who comes with output has written the last, and nothing is left of it to be written without.
        let written = if output.is_empty() { cursor } else { before };
        self.written.store(written.unwrap_or(NO_CURSOR), Relaxed);
        let is_news = |last: &SessionMark| {
            let other = |of: fn(&SavedSession) -> (bool, bool, bool)| {
                last.saved.as_ref().map(of) != mark.saved.as_ref().map(of)
            };
            last.answered != mark.answered
                || other(|it| (it.framing.is_some(), it.locked, it.subscription.is_some()))
        };
        if output.is_empty() && end == Last::No && !self.last.as_ref().is_none_or(is_news) {
            return output;
        }
        let told = (self.telling)(output, &mark, end);
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

    /// The session goes on elsewhere; otherwise it is over once this is dropped.
    pub(super) fn goes_on(&self) {
        self.goes_on.store(true, Relaxed);
    }

    /// Completes when the session is to go on elsewhere.
    pub(super) async fn leaves(&self) {
        let mut left = self.left.subscribe();
        // The sender is here.
        drop(left.wait_for(|left| *left).await);
    }
}

impl Drop for ForwardedSession {
    fn drop(&mut self) {
        let Some(number) = self.number else {
            return;
        };
        let mut state = self.sessions.lock();
        let here = state.here.get(&number);
        if here.is_some_and(|here| here.left.same_channel(&self.left)) {
            state.here.remove(&number);
        }
        if !self.goes_on.load(Relaxed) {
            state.remember(number);
        }
        drop(state);
        self.sessions.changed.notify_waiters();
    }
}

/// True if a transport was lost because the client is gone, and not the way to its node.
pub(crate) fn is_of_client(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionReset
}

/// The sessions here whose clients are connected to other nodes.
#[derive(Debug, Default)]
pub(crate) struct ForwardedSessions {
    state: Mutex<State>,
    /// Told when one has left, or one that returned is here or is refused.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    term: u64,
    here: BTreeMap<u32, Here>,
    returning: BTreeSet<u32>,
    over: BTreeSet<u32>,
    order: VecDeque<u32>,
}

/// A session that is here.
#[derive(Debug)]
struct Here {
    /// Which return of it this is; 0 if it began here.
    attempt: u64,
    left: watch::Sender<bool>,
    node: Option<String>,
    written: Arc<AtomicU64>,
}

/// A session that returns, until it is here or refused. There is one of each number at a time, and the last that
/// its node began counts: an earlier one may still be on its way when its node has given it up.
#[derive(Debug)]
pub(crate) struct Returning {
    sessions: Arc<ForwardedSessions>,
    number: u32,
    attempt: u64,
}

impl Returning {
    /// The session is over, and does not return.
    pub(crate) fn end(self) {
        self.sessions.lock().remember(self.number);
    }
}

impl Drop for Returning {
    fn drop(&mut self) {
        self.sessions.lock().returning.remove(&self.number);
        self.sessions.changed.notify_waiters();
    }
}

/// The reason for which a session does not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CannotReturn {
    /// It is over.
    #[error("the session is over")]
    Over,
    /// Its node has come again since.
    #[error("the session has returned since")]
    Outdated,
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

impl ForwardedSessions {
    /// True if a session of this number is over.
    pub(crate) fn is_over(&self, number: u32) -> bool {
        self.lock().over.contains(&number)
    }

    /// The subscribers at each node: how many, and how far the slowest has been told.
    pub(crate) fn subscribers(&self) -> BTreeMap<String, (u64, Sequence)> {
        let state = self.lock();
        let mut all = BTreeMap::new();
        for here in state.here.values() {
            let cursor = here.written.load(Relaxed);
            let Some(node) = here.node.as_ref().filter(|_| cursor != NO_CURSOR) else {
                continue;
            };
            let (count, slowest) = all.entry(node.clone()).or_insert((0, NO_CURSOR));
            *count += 1;
            *slowest = cursor.min(*slowest);
        }
        all
    }

    /// Has a session return for the `attempt`th time: the same session is let go that may still be here, and this
    /// completes once it has left.
    ///
    /// # Errors
    /// [`CannotReturn`]
    pub(crate) async fn returns(
        self: &Arc<Self>,
        number: u32,
        attempt: u64,
    ) -> Result<Returning, CannotReturn> {
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some(returning) = self.try_return(number, attempt)? {
                return Ok(returning);
            }
            changed.await;
        }
    }

    fn try_return(
        self: &Arc<Self>,
        number: u32,
        attempt: u64,
    ) -> Result<Option<Returning>, CannotReturn> {
        let mut state = self.lock();
        if state.over.contains(&number) {
            return Err(CannotReturn::Over);
        }
        if let Some(here) = state.here.get(&number) {
            if here.attempt > attempt {
                return Err(CannotReturn::Outdated);
            }
            here.left.send_replace(true);
            return Ok(None);
        }
        let is_first = state.returning.insert(number);
        Ok(is_first.then(|| Returning {
            sessions: Arc::clone(self),
            number,
            attempt,
        }))
    }

    /// Which lead of this process it is: sessions of one before do not stay.
    pub(crate) fn term(&self) -> u64 {
        self.lock().term
    }

    /// Lets all sessions go on elsewhere, as the lead is over.
    pub(crate) fn let_all_go(&self) {
        let mut state = self.lock();
        state.term += 1;
        for here in state.here.values() {
            here.left.send_replace(true);
        }
    }

    /// Completes once all have left that were let go.
    pub(crate) async fn are_gone(&self) {
        while !self.lock().here.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
