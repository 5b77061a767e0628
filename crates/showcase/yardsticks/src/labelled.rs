//! A labelled day: the alarms that were delivered, and what was truly broken.
//!
//! Plain values, so that whoever learns knows of no simulator. Read next: [`crate::tuning`].

use crate::codebook::Codebook;
use crate::commitment::DeliveredAlarm;
use crate::measure::KnownTrouble;
use domain::time::Timestamp;
use std::sync::Arc;

/// One recorded stream of alarms with its truth.
#[derive(Clone, Debug)]
pub struct LabelledDay {
    /// The codebook of its network.
    pub book: Arc<Codebook>,
    /// The alarms, in the order of delivery.
    pub alarms: Vec<DeliveredAlarm>,
    /// What was broken, in the order in which it began.
    pub troubles: Vec<KnownTrouble>,
    /// The beginning of the record.
    pub from: Timestamp,
    /// Its end.
    pub until: Timestamp,
}

impl LabelledDay {
    /// Its length in days.
    pub fn length_days(&self) -> f64 {
        self.until.seconds_since(self.from) / 86_400.0
    }

    /// The faults that are to be found, by their place among the troubles.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &KnownTrouble)> {
        let troubles = self.troubles.iter().enumerate();
        troubles.filter(|(_, trouble)| trouble.counts && trouble.cause.is_some())
    }
}
