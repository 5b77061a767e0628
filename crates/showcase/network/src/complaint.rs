//! Customers' complaints about outages, and unrelated ones.
//!
//! Knows texts and waiting times; refuses to know causes. Read next: [`crate::probe`].

use crate::chance::{between, choose, waiting};
use domain::inventory::ElementId;
use domain::telemetry::Complaint;
use domain::time::{SeededRng, Timestamp};

/// The time before the first customer complains, in seconds: shortest and longest.
const PATIENCE_S: (f64, f64) = (120.0, 420.0);

/// Complaints per hour in the whole network that are unrelated to any outage.
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

/// The instant of the first complaint about a site that went out of service at `at`; none at a rate
/// of 0.
pub fn first(at: Timestamp, per_hour: f64, rng: &mut SeededRng) -> Option<Timestamp> {
    let patience = between(rng, PATIENCE_S.0, PATIENCE_S.1);
    next(at.plus_s(patience), per_hour, rng)
}

/// The instant of the next complaint after `at`; none at a rate of 0.
pub fn next(at: Timestamp, per_hour: f64, rng: &mut SeededRng) -> Option<Timestamp> {
    (per_hour > 0.0).then(|| at.plus_s(waiting(rng, 3600.0 / per_hour)))
}

/// A complaint about a site that is out of service.
pub fn outage(site: &ElementId, time: Timestamp, rng: &mut SeededRng) -> Complaint {
    complaint(site, time, &OUTAGE, rng)
}

/// A complaint unrelated to any outage.
pub fn stray(site: &ElementId, time: Timestamp, rng: &mut SeededRng) -> Complaint {
    complaint(site, time, &STRAY, rng)
}

fn complaint(site: &ElementId, time: Timestamp, words: &[&str], rng: &mut SeededRng) -> Complaint {
    Complaint {
        time,
        site: site.clone(),
        text: choose(rng, words).copied().unwrap_or_default().to_owned(),
    }
}
