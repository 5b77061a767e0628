//! The four measures of a patch key (draft-zhou §6.2.3).
//!
//! Counted in days since the key's introduction, so that a trial and the observation window hold
//! whole days. Knows counts and clients; refuses to judge: that is [`super::Lineage`]'s, and what a
//! value means is a judge's.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const DAY_MS: i64 = 86_400_000;

/// One payload of the scenario, as far as evolution needs it. Shown before it is accepted or
/// rejected, so that ill-typed values are counted.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// The client; none if not authenticated.
    pub client: Option<&'a str>,
    /// The payload as it came; null stands for nothing.
    pub payload: &'a serde_json::Map<String, serde_json::Value>,
    /// True if it passed the check.
    pub accepted: bool,
    /// The instant.
    pub now: Timestamp,
}

/// The counts of one key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    introduced: Timestamp,
    days: BTreeMap<i64, Counts>,
    /// Clients that received the patch, and whether they adopted the key.
    clients: BTreeMap<String, bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counts {
    payloads: u64,
    with_key: u64,
    type_correct: u64,
    judged: u64,
    matching: u64,
}

/// The measures over the observation window; none where nothing was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratios {
    /// Payloads with the key, of all payloads of the scenario.
    pub usage_frequency: Option<f64>,
    /// Judged payloads whose value is what was meant, of all that were judged.
    pub semantic_alignment_accuracy: Option<f64>,
    /// Values of the declared type, of all values.
    pub value_type_correctness: Option<f64>,
    /// Clients that adopted the key, of those that received the patch; reported only.
    pub client_adoption_rate: Option<f64>,
}

impl Metrics {
    pub(super) fn since(introduced: Timestamp) -> Self {
        Self {
            introduced,
            ..Self::default()
        }
    }

    /// A payload came; `value` says whether the key's value, if it has one, is of its type.
    pub(super) fn count(&mut self, value: Option<bool>, now: Timestamp) {
        let day = self.day(now);
        day.payloads += 1;
        day.with_key += u64::from(value.is_some());
        day.type_correct += u64::from(value == Some(true));
    }

    pub(super) fn judge(&mut self, matching: bool, now: Timestamp) {
        let day = self.day(now);
        day.judged += 1;
        day.matching += u64::from(matching);
    }

    fn day(&mut self, now: Timestamp) -> &mut Counts {
        self.days
            .entry((now - self.introduced).div_euclid(DAY_MS))
            .or_default()
    }

    /// A client received the patch; not counted any more when `clients_max` are known.
    pub(super) fn received(&mut self, client: &str, clients_max: usize) {
        if self.clients.len() < clients_max && !self.clients.contains_key(client) {
            self.clients.insert(client.to_owned(), false);
        }
    }

    /// A client used the key in a payload that passed; who never received it adopts nothing.
    pub(super) fn adopted(&mut self, client: &str) {
        if let Some(adopted) = self.clients.get_mut(client) {
            *adopted = true;
        }
    }

    pub(super) fn erase(&mut self, client: &str) {
        self.clients.remove(client);
    }

    /// Drops days that are out of every window.
    pub(super) fn forget(&mut self, window_ms: i64, now: Timestamp) {
        let oldest = (now - self.introduced - window_ms).div_euclid(DAY_MS);
        self.days.retain(|day, _| *day >= oldest);
    }

    /// The measures over the window, or since the introduction if that is shorter. A day that
    /// lies partly within counts as a whole.
    pub fn ratios(&self, window_ms: i64, now: Timestamp) -> Ratios {
        let oldest = (now - self.introduced - window_ms).div_euclid(DAY_MS);
        let mut sum = Counts::default();
        for counts in self.days.range(oldest..).map(|(_, counts)| counts) {
            sum.payloads += counts.payloads;
            sum.with_key += counts.with_key;
            sum.type_correct += counts.type_correct;
            sum.judged += counts.judged;
            sum.matching += counts.matching;
        }
        let adopted = self.clients.values().filter(|adopted| **adopted).count();
        Ratios {
            usage_frequency: ratio(sum.with_key, sum.payloads),
            semantic_alignment_accuracy: ratio(sum.matching, sum.judged),
            value_type_correctness: ratio(sum.type_correct, sum.with_key),
            client_adoption_rate: ratio(adopted as u64, self.clients.len() as u64),
        }
    }
}

/// Correctly rounded, so that 15 of 100 is no less than the 0.15 it is compared with.
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
