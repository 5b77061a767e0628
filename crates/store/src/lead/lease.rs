//! The lease of a state: taken, renewed by a thread of its own, given back.
//!
//! Counts from before the request that renewed it, so that it is over here before it is over in the
//! database, whatever the way there took. Once lost it stays so. Read next: `postgres::owner`.

use super::boottime::{Renewal, boottime_ms};
use super::rows::Obstacle;
use crate::failure::{FailureKind, SqlFailure};
use crate::open::OpenError;
use crate::postgres::address::PostgresAddress;
use crate::postgres::owner::{Claim, OWNED, Owner};
use crate::postgres::reach::prepared;
use crate::postgres::session::Session;
use crate::statistics::{Condition, Counters};
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The time by which a lease is over here before another may take it: for clocks that do not run
/// alike, and for what takes its time between a look at the lease and what is done then.
pub const MARGIN: Duration = Duration::from_secs(1);

/// A renewal that failed is tried again after this time.
const AGAIN: Duration = Duration::from_millis(200);

/// The instants of [`Shared::until_ms`] that are none.
const RELEASED: u64 = 0;
const LOST: u64 = 1;
const ENDLESS: u64 = u64::MAX;

/// Who would lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadCandidate {
    /// What all nodes of a platform have in common, and no other platform: the fingerprint of its host key.
    pub fingerprint: String,
    /// The name of the node, without spaces; no other node has it. Empty of a platform alone.
    pub node: String,
    /// The digest of its rules: only those last in force may lead. Empty to leave those in force.
    pub rules: String,
    /// True to lead with other rules than those last in force.
    pub any_rules: bool,
    /// The time after which another may take the state, if it was neither written nor renewed: longer
    /// than [`MARGIN`].
    pub ttl: Duration,
    /// True if what is acknowledged must not be lost: see
    /// [`Options::synchronous_full`](crate::Options::synchronous_full).
    pub durable: bool,
}

impl LeadCandidate {
    /// How the state says who owns it.
    pub fn holder(&self) -> String {
        match &*self.node {
            "" => self.fingerprint.clone(),
            node => format!("{} {node}", self.fingerprint),
        }
    }
}

/// What came of an attempt to take the lead.
#[derive(Debug)]
pub enum Taking {
    /// The state is ours.
    Leads(Lease),
    /// It is not, and why.
    Obstructed(Obstacle),
}

/// How a lease stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The state is ours, and nobody else's.
    Holds,
    /// It was given back, in order.
    Released,
    /// It was not renewed in time, or another has taken it.
    Lost,
}

/// The right to lead, while it [holds](Self::holds). Cheap to clone; when the last clone is dropped, it is
/// given back. Under one that was given back, or lost, nothing can be stored.
#[derive(Clone)]
pub struct Lease {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    orders: Mutex<Option<Sender<Order>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    owner: Owner,
    ttl: Duration,
    /// Until when it holds, by [`boottime_ms`]; or [`ENDLESS`]; or [`RELEASED`], or [`LOST`], which it stays.
    until_ms: AtomicU64,
    /// The store that stops once it is lost.
    store: OnceLock<Arc<Counters>>,
}

/// What the thread is asked for.
enum Order {
    /// Let these rules be in force.
    Rules(String),
    /// Give it back, to this heir if there is one, and tell.
    Release(Option<String>, Sender<Result<(), SqlFailure>>),
}

impl Lease {
    /// Takes the lead for `candidate`, if it is nobody's, or was its own in a former life. Fences whoever
    /// had it. Waits for the database for as long as the address allows, and for a transaction of whoever
    /// had it.
    ///
    /// # Errors
    /// [`OpenError::Unreachable`], [`OpenError::Unfit`], [`OpenError::Newer`], [`OpenError::Foreign`],
    /// [`OpenError::Failed`].
    pub fn take(address: &PostgresAddress, candidate: &LeadCandidate) -> Result<Taking, OpenError> {
        let (_, session) = prepared(address, candidate.durable)?;
        let until_ms = boottime_ms() + held_ms(candidate.ttl);
        Self::kept(session, candidate, until_ms)
    }

    /// Takes the state for a platform alone, which nobody follows within seconds: while its database is away it
    /// waits, and it has the state until another has taken it.
    pub(crate) fn alone(
        address: &PostgresAddress,
        holder: &str,
        durable: bool,
    ) -> Result<Self, OpenError> {
        let candidate = LeadCandidate {
            fingerprint: holder.to_owned(),
            node: String::new(),
            rules: String::new(),
            any_rules: true,
            ttl: OWNED,
            durable,
        };
        let (_, session) = prepared(address, durable)?;
        let (by, left) = match Self::kept(session, &candidate, ENDLESS)? {
            Taking::Leads(lease) => return Ok(lease),
            Taking::Obstructed(Obstacle::Held { by, left }) => (by, left),
            Taking::Obstructed(Obstacle::Promised { to, left }) => (to, left),
            // Which these rules never are.
            Taking::Obstructed(Obstacle::Rules) => (String::new(), Duration::ZERO),
        };
        Err(OpenError::Held { by, left })
    }

    fn kept(
        session: Session,
        candidate: &LeadCandidate,
        until_ms: u64,
    ) -> Result<Taking, OpenError> {
        let claim = Claim {
            holder: &candidate.holder(),
            node: &candidate.node,
            rules: &candidate.rules,
            any_rules: candidate.any_rules,
            ttl: candidate.ttl,
        };
        let owner = match Owner::claim(&session, &claim)? {
            Ok(owner) => owner,
            Err(obstacle) => return Ok(Taking::Obstructed(obstacle)),
        };
        let shared = Arc::new(Shared {
            owner,
            ttl: candidate.ttl,
            until_ms: AtomicU64::new(until_ms),
            store: OnceLock::new(),
        });
        let (orders, ordered) = mpsc::channel();
        let thread = thread::Builder::new().name("store-lease".to_owned());
        let keeps = Arc::clone(&shared);
        let session = session.answering_within(candidate.ttl);
        let thread = thread.spawn(move || keep(&keeps, session, &ordered));
        Ok(Taking::Leads(Self {
            inner: Arc::new(Inner {
                shared,
                orders: Mutex::new(Some(orders)),
                thread: Mutex::new(Some(thread.map_err(OpenError::Thread)?)),
            }),
        }))
    }

    /// The fencing token of this lead, greater than that of any before.
    pub fn epoch(&self) -> u64 {
        self.inner.shared.owner.epoch()
    }

    /// How it stands now.
    pub fn standing(&self) -> Standing {
        self.inner.shared.standing()
    }

    /// True while nobody else can have the lead. Asked before anything is said or done in the name of the
    /// state.
    pub fn holds(&self) -> bool {
        self.standing() == Standing::Holds
    }

    /// The time after which it does not hold, unless it is renewed; zero once it does not.
    pub fn left(&self) -> Duration {
        let until_ms = self.inner.shared.until_ms.load(Acquire);
        Duration::from_millis(until_ms.saturating_sub(boottime_ms()))
    }

    /// Lets rules of this digest be those that are in force, from the next moments on, and before it is given back: a
    /// node with others does not take the lead then.
    pub fn in_force(&self, rules: &str) {
        self.ask(Order::Rules(rules.to_owned()));
    }

    /// Gives the lead back: to anybody, or for one time of the lease to this node alone. Nothing holds from
    /// here on. The store that was opened under it was dropped before.
    ///
    /// # Errors
    /// If the database could not be told: then it runs out by itself.
    pub fn release(&self, heir: Option<&str>) -> Result<(), SqlFailure> {
        let shared = &self.inner.shared;
        if !shared.end(RELEASED) {
            return Ok(());
        }
        let (tell, told) = mpsc::channel();
        self.ask(Order::Release(heir.map(str::to_owned), tell));
        // Its thread is gone if it was lost already: there is nothing to give back.
        told.recv().unwrap_or(Ok(()))
    }

    /// Lets the transactions of this session be stored under it alone, and renew it.
    pub(crate) fn fences(&self, session: &Session) -> Result<(), SqlFailure> {
        let shared = Arc::clone(&self.inner.shared);
        shared.owner.fences_for(session, shared.clone())
    }

    /// From now on the store of these counters stops as soon as the state is another's.
    pub(crate) fn stops(&self, counters: &Arc<Counters>) {
        let shared = &self.inner.shared;
        let _ = shared.store.set(Arc::clone(counters));
        // It may have been lost just before.
        shared.stop();
    }

    fn ask(&self, order: Order) {
        if let Some(orders) = &*locked(&self.inner.orders) {
            let _ = orders.send(order);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        drop(locked(&self.orders).take());
        if let Some(thread) = locked(&self.thread).take() {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("Lease");
        told.field("epoch", &self.epoch());
        told.field("standing", &self.standing()).finish()
    }
}

impl Shared {
    fn standing(&self) -> Standing {
        match self.until_ms.load(Acquire) {
            RELEASED => Standing::Released,
            until_ms if boottime_ms() < until_ms => Standing::Holds,
            // What was late once is not renewed: somebody may have seen it lost.
            _ => match self.end(LOST) || self.until_ms.load(Acquire) == LOST {
                true => Standing::Lost,
                false => Standing::Released,
            },
        }
    }

    /// Stops the store if it is lost.
    fn stop(&self) {
        if let (LOST, Some(store)) = (self.until_ms.load(Acquire), self.store.get()) {
            store.note(Condition::Stopped);
        }
    }

    /// Ends it so; false if it has ended before.
    fn end(&self, so: u64) -> bool {
        let ended = |until_ms| (until_ms > LOST).then_some(so);
        self.until_ms.fetch_update(AcqRel, Acquire, ended).is_ok()
    }
}

impl Renewal for Shared {
    fn renewed(&self, asked_ms: u64) {
        let until_ms = asked_ms + held_ms(self.ttl);
        let now_ms = boottime_ms();
        // What has run out meanwhile may have been looked at.
        let later = |now| (now > now_ms && now < until_ms).then_some(until_ms);
        let _ = self.until_ms.fetch_update(Release, Acquire, later);
    }
}

/// The time for which it holds here, in milliseconds.
fn held_ms(ttl: Duration) -> u64 {
    u64::try_from(ttl.saturating_sub(MARGIN).as_millis()).unwrap_or(u64::MAX / 2)
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Renews the lease until it is to be given back, or is lost.
fn keep(shared: &Shared, mut session: Session, orders: &Receiver<Order>) {
    let owner = shared.owner;
    let mut rules = None;
    let often = Duration::from_millis(held_ms(shared.ttl)) / 4;
    let (mut wait, mut fails) = (often, false);
    loop {
        match orders.recv_timeout(wait) {
            Ok(Order::Rules(digest)) => rules = Some(digest),
            Ok(Order::Release(heir, tell)) => {
                let _ = tell.send(release(owner, &mut session, heir.as_deref(), rules));
                return;
            }
            Err(RecvTimeoutError::Disconnected) => {
                shared.end(RELEASED);
                if let Err(cause) = release(owner, &mut session, None, rules) {
                    tracing::debug!(
                        error = &cause as &dyn std::error::Error,
                        "the state could not be given back"
                    );
                }
                return;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if shared.standing() == Standing::Lost {
            // Nobody here may lead under it: others need not wait until it has run out.
            let _ = release(owner, &mut session, None, rules);
            return;
        }
        let asked_ms = boottime_ms();
        match renew(owner, &mut session, &mut rules) {
            Ok(()) => {
                shared.renewed(asked_ms);
                wait = often;
                if std::mem::take(&mut fails) {
                    tracing::info!("the state is kept from others again");
                }
            }
            Err(cause) if cause.kind() == FailureKind::Fenced => {
                if shared.end(LOST) {
                    tracing::error!("another has taken the state over: nothing more is stored");
                }
                shared.stop();
                return;
            }
            Err(cause) => {
                wait = AGAIN;
                if !std::mem::replace(&mut fails, true) {
                    tracing::warn!(
                        error = &cause as &dyn std::error::Error,
                        "the state cannot be kept from others just now"
                    );
                }
            }
        }
    }
}

fn renew(
    owner: Owner,
    session: &mut Session,
    rules: &mut Option<String>,
) -> Result<(), SqlFailure> {
    session.renewed()?;
    owner.renew(session)?;
    if let Some(digest) = rules {
        owner.in_force(session, digest)?;
        *rules = None;
    }
    Ok(())
}

/// Gives it back, once rules that are not written yet are.
fn release(
    owner: Owner,
    session: &mut Session,
    heir: Option<&str>,
    rules: Option<String>,
) -> Result<(), SqlFailure> {
    session.renewed()?;
    if let Some(digest) = rules {
        owner.in_force(session, &digest)?;
    }
    owner.release(session, heir)
}
