//! Opening a state in PostgreSQL, and holding it: the session of the writer, and a thread
//! that keeps the state ours.
//!
//! Read next: [`super::owner`], the row that says whose it is; [`super::schema`], the tables.

use super::address::PostgresAddress;
use super::net::Net;
use super::owner::{Held, Owner};
use super::reach::{prepared, session};
use super::schema;
use super::session::Session;
use crate::failure::{FailureKind, SqlFailure};
use crate::lead::Lease;
use crate::open::OpenError;
use crate::statistics::{Condition, Counters};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The time after which a state is owned for a while more, if it was not written meanwhile: a third of
/// that while.
const RENEWED: Duration = Duration::from_secs(2);

/// The longest wait for an answer of the database where it works on a whole table.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// Takes the state in a database for `holder`, unless it was taken by a lease; makes the tables that say whose it
/// is, if there are none. One that is `durable` promises to lose nothing.
pub(crate) fn open(
    address: &PostgresAddress,
    holder: &str,
    durable: bool,
    lease: Option<&Lease>,
) -> Result<(Session, Ownership), OpenError> {
    let (net, writer) = prepared(address, durable)?;
    if let Some(lease) = lease {
        lease.fences(&writer)?;
        return Ok((upgraded(writer)?, Ownership::Leased(lease.clone())));
    }
    let owner = match Owner::take(&writer, holder)? {
        Ok(owner) => owner,
        Err(Held { by, left }) => return Err(OpenError::Held { by, left }),
    };
    owner.fences(&writer)?;
    let keeper = Keeper::start(owner, session(&net, address)?)?;
    Ok((upgraded(writer)?, Ownership::Kept(keeper)))
}

/// The session, once the state has all that this release needs; the owner is kept meanwhile.
fn upgraded(writer: Session) -> Result<Session, SqlFailure> {
    let usual = writer.answers_within();
    let writer = writer.answering_within(PATIENCE);
    schema::upgrade(&writer)?;
    Ok(writer.answering_within(usual))
}

/// A session that reads the state in a database, whoever owns that.
pub(crate) fn reader(address: &PostgresAddress) -> Result<Session, OpenError> {
    session(&Net::start().map_err(OpenError::Thread)?, address)
}

/// Refuses a state in a database that a platform owns just now.
pub(crate) fn unowned(session: &Session) -> Result<(), OpenError> {
    match Owner::held(session)? {
        Some(Held { by, left }) => Err(OpenError::Held { by, left }),
        None => Ok(()),
    }
}

/// What keeps the state ours. It is dropped once nothing more is written.
pub(crate) enum Ownership {
    /// A thread of the store's own; dropping it lets others take the state.
    Kept(Keeper),
    /// A lease that somebody else gives back.
    Leased(#[expect(dead_code, reason = "held so that it is not given back before")] Lease),
}

impl Ownership {
    /// From now on the store of these counters stops as soon as the state is another's. Under a lease, whoever
    /// has that sees to it.
    pub(crate) fn stops(&self, counters: &Arc<Counters>) {
        match self {
            Self::Kept(keeper) => keeper.stops(counters),
            Self::Leased(_) => {}
        }
    }
}

/// The thread that keeps the state ours, on a session of its own. Dropping it lets others take the
/// state.
pub(crate) struct Keeper {
    /// Ends it, once it is dropped; takes whose store stops with the ownership.
    keeper: Option<Sender<Arc<Counters>>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    fn start(owner: Owner, session: Session) -> Result<Self, OpenError> {
        let (keeper, told) = mpsc::channel();
        let thread = thread::Builder::new().name("store-owner".to_owned());
        let thread = thread.spawn(move || keep(owner, session, &told));
        Ok(Self {
            keeper: Some(keeper),
            thread: Some(thread.map_err(OpenError::Thread)?),
        })
    }

    fn stops(&self, counters: &Arc<Counters>) {
        if let Some(keeper) = &self.keeper {
            // A failed send means that the thread is gone.
            let _ = keeper.send(Arc::clone(counters));
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.keeper.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn keep(owner: Owner, mut session: Session, told: &Receiver<Arc<Counters>>) {
    let (mut store, mut is_ours, mut is_told) = (None, true, false);
    loop {
        match told.recv_timeout(RENEWED) {
            Ok(counters) => store = Some(counters),
            Err(RecvTimeoutError::Timeout) if is_ours => {
                is_ours = renew(owner, &mut session, &mut is_told);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if let Some(store) = store.as_ref().filter(|_| !is_ours) {
            store.note(Condition::Stopped);
        }
    }
    // Who cannot be told waits until the state is nobody's.
    let released: Result<(), SqlFailure> = session
        .renewed()
        .and_then(|()| owner.release(&session, None));
    if let Err(cause) = released {
        tracing::debug!(
            error = &cause as &dyn std::error::Error,
            "the state could not be released"
        );
    }
}

/// Keeps the state for a while more. False if it is another's. That it could not be kept is told once,
/// until it is kept again.
fn renew(owner: Owner, session: &mut Session, is_told: &mut bool) -> bool {
    match session.renewed().and_then(|()| owner.renew(session)) {
        Ok(()) => {
            *is_told = false;
            true
        }
        Err(cause) if cause.kind() == FailureKind::Fenced => {
            tracing::error!("another platform has taken the state over: nothing more is stored");
            false
        }
        Err(cause) => {
            if !std::mem::replace(is_told, true) {
                tracing::warn!(
                    error = &cause as &dyn std::error::Error,
                    "the state cannot be kept from others just now"
                );
            }
            true
        }
    }
}
