//! An umbrella correlator over the alarm lists of all domains: what a network operations centre buys
//! so that nobody has to telephone.
//!
//! Knows what people ask of one; which method it goes by is its own matter, and none is here. Read
//! next: [`super::noc`].

use crate::alarms::AlarmKey;
use domain::cause::Cause;
use domain::inventory::{ElementId, Inventory};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// A correlator that says what people should look at first.
pub trait Umbrella: fmt::Debug + Send {
    /// What may be behind the alarms of a case at `now`, likeliest first. `standing` are all alarms that
    /// stand in any domain, those of the case among them, with the instants at which they were
    /// noticed.
    fn suspects(
        &self,
        case: &BTreeSet<AlarmKey>,
        standing: &BTreeMap<AlarmKey, Timestamp>,
        now: Timestamp,
    ) -> Vec<(ElementId, Cause)>;
}

/// Sets up a correlator on the network as it is documented.
pub type UmbrellaOn = Box<dyn FnOnce(Arc<Inventory>) -> Box<dyn Umbrella> + Send>;
