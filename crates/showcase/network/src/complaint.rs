//! What customers say when their service is gone, and sometimes when it is not.
//!
//! Knows words and waiting times; refuses to know causes. Read next: [`crate::probe`].

use crate::chance::{between, choose, waiting};
use domain::inventory::ElementId;
use domain::telemetry::Complaint;
use domain::time::{Dice, Timestamp};

/// Customers wait so long (seconds) before the first of them complains.
const PATIENCE_S: (f64, f64) = (120.0, 420.0);

/// Complaints per hour in the whole network that have nothing to do with any outage.
pub const STRAY_PER_HOUR: f64 = 1.0;

const OUTAGE: [&str; 6] = [
    "No service at all since a few minutes ago.",
    "My phone shows no network, and neither does my neighbour's.",
    "Calls dropped and now I cannot even dial.",
    "Mobile internet is gone in the whole street.",
    "Our card terminal has lost its connection and the shop is full.",
    "The alarm panel of our farm says that its modem is offline.",
];

const STRAY: [&str; 4] = [
    "Videos stutter in the evening.",
    "My bill shows a number I never called.",
    "The signal in my cellar is weak.",
    "One call yesterday had an echo.",
];

/// When the first customer of a site that went out at `at` complains.
pub fn first(at: Timestamp, per_hour: f64, dice: &mut Dice) -> Option<Timestamp> {
    let patience = between(dice, PATIENCE_S.0, PATIENCE_S.1);
    next(at.plus_s(patience), per_hour, dice)
}

/// When the next one does, after `at`.
pub fn next(at: Timestamp, per_hour: f64, dice: &mut Dice) -> Option<Timestamp> {
    (per_hour > 0.0).then(|| at.plus_s(waiting(dice, 3600.0 / per_hour)))
}

/// A complaint about a site that is out of service.
pub fn outage(site: &ElementId, time: Timestamp, dice: &mut Dice) -> Complaint {
    complaint(site, time, &OUTAGE, dice)
}

/// A complaint about something else.
pub fn stray(site: &ElementId, time: Timestamp, dice: &mut Dice) -> Complaint {
    complaint(site, time, &STRAY, dice)
}

fn complaint(site: &ElementId, time: Timestamp, words: &[&str], dice: &mut Dice) -> Complaint {
    Complaint {
        time,
        site: site.clone(),
        text: choose(dice, words).copied().unwrap_or_default().to_owned(),
    }
}
