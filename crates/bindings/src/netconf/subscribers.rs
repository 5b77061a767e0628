//! Who follows a stream: one entry for each subscription under way, for whoever runs the platform.
//!
//! Knows no message. A subscription enters itself, says how far it is, and is out of the list when it is
//! dropped; so there are no more entries than sessions and streams over HTTP. Read next: [`super::subscription`].

use domain::event::Sequence;
use domain::time::Timestamp;
use engine::{Endpoint, Stream};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

type ByNumber = BTreeMap<u64, Arc<Subscriber>>;

/// The subscriptions under way.
#[derive(Default)]
pub(super) struct Subscribers {
    last: AtomicU64,
    by_number: Mutex<ByNumber>,
}

/// A subscription under way, as others see it.
pub(super) struct Subscriber {
    /// Its number, unique in this run.
    pub(super) id: u64,
    /// The NETCONF session; none of a stream over HTTP.
    pub(super) session: Option<u32>,
    pub(super) user: String,
    /// Where its stream is told.
    pub(super) endpoint: Endpoint,
    /// When it was entered.
    pub(super) since: Timestamp,
    stream: Arc<dyn Stream>,
    cursor: AtomicU64,
    sent: AtomicU64,
}

/// What is known of a subscription when it begins.
pub(super) struct Subscribing<'s> {
    /// The number of its session; 0 if it has none.
    pub(super) session: u32,
    pub(super) user: &'s str,
    pub(super) endpoint: &'s Endpoint,
    pub(super) stream: &'s Arc<dyn Stream>,
    /// The last event that it has looked at.
    pub(super) cursor: Sequence,
    pub(super) now: Timestamp,
}

/// The place of a subscription in the list, which it leaves with this.
pub(super) struct Listed {
    subscriber: Arc<Subscriber>,
    list: Arc<Subscribers>,
}

impl Subscribers {
    /// Enters a subscription.
    pub(super) fn enter(self: &Arc<Self>, of: &Subscribing<'_>) -> Listed {
        let subscriber = Arc::new(Subscriber {
            id: self.last.fetch_add(1, Relaxed) + 1,
            session: Some(of.session).filter(|session| *session != 0),
            user: of.user.to_owned(),
            endpoint: of.endpoint.clone(),
            since: of.now,
            stream: Arc::clone(of.stream),
            cursor: AtomicU64::new(of.cursor),
            sent: AtomicU64::new(0),
        });
        self.lock().insert(subscriber.id, Arc::clone(&subscriber));
        Listed {
            subscriber,
            list: Arc::clone(self),
        }
    }

    /// All of them, in the order in which they began.
    pub(super) fn all(&self) -> Vec<Arc<Subscriber>> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, ByNumber> {
        self.by_number.lock().expect("no holder panics")
    }
}

impl Subscriber {
    /// How many notifications it was sent since it was entered.
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// How many events of its stream there are that it has not looked at.
    pub(super) fn lag(&self) -> u64 {
        self.stream.behind(self.cursor.load(Relaxed))
    }
}

impl Listed {
    /// It has looked at events up to this one, and so many notifications go out.
    pub(super) fn moved(&self, cursor: Sequence, sent: usize) {
        self.subscriber.cursor.store(cursor, Relaxed);
        self.subscriber.sent.fetch_add(sent as u64, Relaxed);
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.list.lock().remove(&self.subscriber.id);
    }
}
