//! Records of the audit trail that are not known to be on disk: those under way, and those that the
//! store did not take and that are written again once it does.
//!
//! Looked at every 5 s while there are any: a batch that decides nothing is missed by nobody else. Bounded:
//! what has no room is counted, and told in the log of the process. Read next: [`crate::trail`],
//! [`crate::commit::recovery`].

use crate::commit::AGAIN_MS;
use domain::event::LogEvent;
use domain::time::Timestamp;
use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use store::Ticket;
use tracing::warn;

/// How many records are kept for a store that takes nothing.
const KEPT_MOST: usize = 1_000;

/// A record as an entry of the log.
pub(crate) type Entry = (Timestamp, LogEvent);

#[derive(Default)]
pub(crate) struct Unstored {
    /// Batches in the order in which they were queued, which is that in which they resolve.
    under_way: VecDeque<UnderWay>,
    /// In their order; each was told in the log of the process.
    kept: VecDeque<Entry>,
    /// Records that had no room.
    lost: u64,
    /// When it is looked again what became of them, while there are any.
    again: Option<Timestamp>,
}

/// A batch that was queued for the disk.
pub(crate) struct UnderWay {
    pub(crate) ticket: Ticket,
    pub(crate) entries: Vec<Entry>,
    /// True if the store did not take them before.
    pub(crate) is_again: bool,
}

impl Unstored {
    /// Takes in what was queued for the disk; true if it is due to be looked at now where it was not.
    pub(crate) fn put(&mut self, batch: UnderWay, now: Timestamp) -> bool {
        self.look();
        self.under_way.push_back(batch);
        let is_begun = self.again.is_none();
        self.again.get_or_insert(now + AGAIN_MS);
        is_begun
    }

    /// When it is to be asked what is lacking; none while everything is on disk.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        self.again
    }

    /// True if something was not taken, and it is time to look.
    pub(crate) fn lacks(&mut self, now: Timestamp) -> bool {
        if self.again.is_none_or(|again| now < again) {
            return false;
        }
        self.look();
        let is_any = !self.under_way.is_empty() || !self.kept.is_empty();
        self.again = is_any.then(|| now + AGAIN_MS);
        !self.kept.is_empty()
    }

    /// Takes out the first so many records that the store did not take.
    pub(crate) fn take_kept(&mut self, most: usize) -> Vec<Entry> {
        self.look();
        if self.lost > 0 {
            let lost = std::mem::take(&mut self.lost);
            warn!(
                count = lost,
                "audit: {lost} records are in this log alone: the store took nothing for too long"
            );
        }
        let most = self.kept.len().min(most);
        self.kept.drain(..most).collect()
    }

    /// Lets go of what is on disk, and keeps what will not be.
    fn look(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        while let Some(batch) = self.under_way.front_mut()
            && let Poll::Ready(stored) = Pin::new(&mut batch.ticket).poll(&mut context)
            && let Some(batch) = self.under_way.pop_front()
        {
            if stored.is_err() {
                self.keep(batch);
            }
        }
    }

    pub(crate) fn keep(&mut self, batch: UnderWay) {
        for (at, entry) in batch.entries {
            if let (false, LogEvent::Audit(record)) = (batch.is_again, &entry) {
                let (event, count) = (&record.event, record.count);
                let (kind, user, subject) = (event.kind.as_str(), &event.user, &event.subject);
                warn!(
                    audit.kind = kind,
                    user,
                    source = event.source,
                    subject,
                    count,
                    "audit: the store did not take: {kind}: '{user}' {subject}"
                );
            }
            match self.kept.len() < KEPT_MOST {
                true => self.kept.push_back((at, entry)),
                false => self.lost += 1,
            }
        }
    }
}
