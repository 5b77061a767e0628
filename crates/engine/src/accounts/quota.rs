//! Whether there is room for what somebody asks for: memory, his share of open tasks, of data stored
//! and of what is written.
//!
//! Asked once of every operation that [costs](crate::Operation::cost) something, before anything is looked up for it and after it was permitted;
//! what was committed before is answered as it was. Hosted agents are the platform's own and are not
//! bounded. Read next: [`crate::accounts`], [`crate::refusal`].

use crate::accounts::Accounts;
use crate::commit::unit_of_work::{LONG, Written};
use crate::failure::StoreFailure;
use crate::operation::{Cost, ENTRY_BYTES};
use crate::refusal::OverLimit;
use crate::tasks::publishers::{Open, Publishing};
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::context::{Body, DataParam};
use domain::negotiation::{Speech, Stance};
use domain::registry::Reach;
use domain::time::Timestamp;
use std::sync::Arc;

/// How many bytes may be said in one message; what is longer belongs into `/data-params`. In memory it
/// takes several times as much.
const SAID_MOST: u64 = 1 << 20;

/// What part of what a user may hold his open tasks and proposals may take, as they are said: in memory
/// they take several times as much, and nobody takes it off them.
const OPEN_PART: usize = 4;

impl Engine {
    /// What users hold, and how much they may.
    pub fn accounts(&self) -> &Arc<Accounts> {
        &self.accounts
    }

    /// Sums up what users have stored. Until this is done once, only what was written since the start
    /// is counted; it is done again when something was removed. Reads a row for each entry of data,
    /// so it is not for the threads that serve sessions.
    ///
    /// # Errors
    /// [`StoreFailure`]; then what was counted before is counted on.
    pub fn sum_up_data(&self) -> Result<(), StoreFailure> {
        // Whatever is decided meanwhile is counted beside the sum, and hardly ever twice.
        let accounts = self.accounts.all();
        accounts.iter().for_each(|account| account.begin_sum());
        let sums = self.store.data_sums()?;
        let stored = |user: &str| {
            let sum = sums.iter().find(|sum| sum.writer == user);
            sum.map_or(0, |sum| sum.bytes + sum.entries * ENTRY_BYTES)
        };
        accounts.iter().for_each(|a| a.end_sum(stored(a.user())));
        for sum in &sums {
            if !accounts.iter().any(|a| a.user() == sum.writer) {
                self.accounts.of(&sum.writer).end_sum(stored(&sum.writer));
            }
        }
        Ok(())
    }

    /// Whether there is room for what an operation [costs](crate::Operation::cost). Nothing was looked
    /// up for it yet.
    pub(crate) fn has_room(
        &self,
        who: &Principal,
        cost: Option<Cost>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let Some(cost) = cost.filter(|_| !self.is_hosted(&who.name)) else {
            return Ok(());
        };
        if cost.said > SAID_MOST {
            return Err(OverLimit::TooBig { most: SAID_MOST }.into());
        }
        let account = self.accounts.of(&who.name);
        if self.accounts.is_short() && (cost.begins || cost.written > LONG as u64) {
            return Err(OverLimit::ShortOfMemory.into());
        }
        let wrote = account.write(cost.written, now);
        wrote.map_err(|wait_ms| {
            account.refuse();
            OverLimit::TooFast {
                user: account.user().to_owned(),
                wait_ms,
            }
            .into()
        })
    }

    /// Counts what was written beyond what was said.
    pub(crate) fn charge(&self, written: &Written) {
        if !self.is_hosted(&written.by) {
            let account = self.accounts.of(&written.by);
            account.wrote(written.bytes as u64, written.at);
        }
    }

    /// Room for one more open task or proposal of a publisher, for as long as it is kept.
    ///
    /// # Errors
    /// [`OverLimit::TasksOpen`], [`OverLimit::TasksHeld`]
    pub(crate) fn room_to_publish(&self, publisher: &str) -> Result<Publishing<'_>, Refusal> {
        let limits = self.accounts.limits_of(publisher);
        let (most, held) = (limits.tasks_open, limits.held_bytes / OPEN_PART);
        let is_hosted = self.is_hosted(publisher);
        let has_room = |open: Open| open.number < most && open.bytes < held || is_hosted;
        let publishers = &self.tasks.shared.publishers;
        Publishing::if_room(publishers, publisher, has_room).map_err(|open| {
            self.accounts.of(publisher).refuse();
            let user = publisher.to_owned();
            match open.bytes < held {
                true => OverLimit::TasksOpen { user, most },
                false => OverLimit::TasksHeld { user, most: held },
            }
            .into()
        })
    }

    /// What a publisher has that has not ended.
    pub(crate) fn open_by(&self, publisher: &str) -> Open {
        self.tasks.shared.publishers().open_by(publisher)
    }

    /// Whether what a publisher has open may be [added to](adds), be it by himself or by its executor.
    ///
    /// # Errors
    /// [`OverLimit::TasksHeld`]
    pub(crate) fn room_to_say(&self, publisher: &str) -> Result<(), Refusal> {
        let held = self.accounts.limits_of(publisher).held_bytes / OPEN_PART;
        if self.open_by(publisher).bytes < held || self.is_hosted(publisher) {
            return Ok(());
        }
        Err(OverLimit::TasksHeld {
            user: publisher.to_owned(),
            most: held,
        }
        .into())
    }

    fn is_hosted(&self, name: &str) -> bool {
        let place = self.registration(name);
        place.is_some_and(|place| place.reach == Reach::Hosted)
    }

    /// Counts a new entry of data among those of its writer.
    ///
    /// # Errors
    /// [`OverLimit::DataQuota`]
    pub(crate) fn store_for(&self, entry: &DataParam) -> Result<(), Refusal> {
        let account = self.accounts.of(&entry.parties[0]);
        if account.store(size_of(entry)) {
            return Ok(());
        }
        account.refuse();
        Err(OverLimit::DataQuota {
            user: account.user().to_owned(),
            most: account.limits().data_bytes,
        }
        .into())
    }
}

/// True of a turn that adds to what is open: a long one, or an offer, from which both sides can go on. A
/// short word of agreement or refusal does not; it may be what ends it.
pub(crate) fn adds(speech: &Speech) -> bool {
    speech.stance == Stance::Offer || speech.bytes() > LONG
}

/// How many bytes an entry takes: those it will have, where it comes in pieces.
pub(crate) fn size_of(entry: &DataParam) -> u64 {
    let content = match &entry.body {
        Body::Inline(text) => text.len() as u64,
        Body::Chunked(whole) => whole.size,
        Body::Elsewhere(url) => url.len() as u64,
    };
    content.saturating_add(ENTRY_BYTES)
}
