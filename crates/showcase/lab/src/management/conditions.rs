//! From what was read to alarms: pure, and by changes of observed states alone.
//!
//! | alarm | on | raised when |
//! |---|---|---|
//! | `loss-of-signal` | link | an end that had carrier has none, its port not being shut at that end |
//! | `link-down` | link | a port is shut that was not; OSPF was adjacent and is not; a session of BFD was up and is not |
//! | `node-unreachable` | router | it answered and does not, twice in turn |
//! | `unknown` | router | its ospfd or bfdd answered and does not; the text says which |
//! | `signal-degraded` | link | it has carrier and loses probes, twice in turn; its error counters rise |
//! | `congestion` | link | queues drop packets, twice in turn; probes take 50 ms or more |
//! | `site-unreachable` | site | probes that came back do not, twice in turn: from everywhere (critical), from some (major) |
//!
//! What was never well raises nothing, and what is not known raises and ends nothing: a daemon that is slow to answer has
//! lost no neighbour. An alarm ends when its condition has gone for three readings. Read next: [`super::network`].

use super::snapshot::Snapshot;
use crate::documents::{DocumentedLink, Documents};
use domain::inventory::ElementId;
use domain::telemetry::{Alarm, AlarmType, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// A share of lost probes from which on a link is degraded.
const LOSSY: f64 = 0.05;
/// A share of lost probes between two sites from which on one does not reach the other.
const CUT_OFF: f64 = 0.6;
/// The share of the other sites that one must have lost for it to be cut off from everywhere.
const EVERYWHERE: f64 = 0.8;
/// A delay of probes over a link that is far longer than usual, in milliseconds.
const SLOW_MS: f64 = 50.0;
/// Readings for which a condition stands before it is an alarm, where one reading may err.
const TWICE: u32 = 2;
/// Readings for which a condition has gone before its alarm ends.
const GONE: u32 = 3;

type AlarmKey = (ElementId, AlarmType);

/// A condition that a reading shows.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    severity: Severity,
    text: String,
    /// Readings for which it must stand.
    wanted: u32,
}

/// A condition over time.
#[derive(Clone, Debug, Default)]
struct Standing {
    seen: u32,
    missed: u32,
    raised: Option<(Severity, String)>,
}

/// What is known of the past, and what stands.
#[derive(Clone, Debug)]
pub struct AlarmConditions {
    documents: Documents,
    last: Option<Snapshot>,
    /// What was well once: carriers, adjacencies, sessions, answers, relations.
    was_well: BTreeSet<String>,
    standing: BTreeMap<AlarmKey, Standing>,
}

impl AlarmConditions {
    /// Nothing was read yet.
    pub fn new(documents: Documents) -> Self {
        Self {
            documents,
            last: None,
            was_well: BTreeSet::new(),
            standing: BTreeMap::new(),
        }
    }

    /// Takes a reading in; returns the alarms that begin, change or end with it.
    pub fn take(&mut self, snapshot: &Snapshot) -> Vec<Alarm> {
        let (shown, unknown) = (self.shown(snapshot), self.unknown(snapshot));
        self.remember(snapshot);
        self.last = Some(snapshot.clone());
        let mut alarms = Vec::new();
        let keys: BTreeSet<AlarmKey> = self
            .standing
            .keys()
            .cloned()
            .chain(shown.keys().cloned())
            .collect();
        for key in keys {
            let standing = self.standing.entry(key.clone()).or_default();
            let alarm = |severity, cleared, text: &str| Alarm {
                resource: key.0.clone(),
                alarm_type: key.1,
                qualifier: String::new(),
                severity,
                time: snapshot.at,
                cleared,
                text: text.to_owned(),
            };
            match shown.get(&key) {
                Some(now) => {
                    standing.seen += 1;
                    standing.missed = 0;
                    let worse = standing
                        .raised
                        .as_ref()
                        .is_none_or(|(s, _)| *s < now.severity);
                    if standing.seen >= now.wanted && worse {
                        standing.raised = Some((now.severity, now.text.clone()));
                        alarms.push(alarm(now.severity, false, &now.text));
                    }
                }
                None if unknown.contains(&key) => {}
                None => {
                    standing.missed += 1;
                    if standing.raised.is_none() {
                        self.standing.remove(&key);
                    } else if standing.missed >= GONE {
                        let (severity, text) = standing.raised.clone().expect("looked at above");
                        alarms.push(alarm(severity, true, &text));
                        self.standing.remove(&key);
                    }
                }
            }
        }
        alarms
    }

    fn shown(&self, snapshot: &Snapshot) -> BTreeMap<AlarmKey, Shown> {
        let mut shown = BTreeMap::new();
        let mut show = |element: ElementId, alarm_type, severity, wanted, text: String| {
            let new = Shown {
                severity,
                text,
                wanted,
            };
            let known = shown
                .entry((element, alarm_type))
                .or_insert_with(|| new.clone());
            if known.severity < new.severity {
                *known = new;
            }
        };
        for (name, state) in &snapshot.routers {
            let id = ElementId::new(format!("router:{name}"));
            let Some(state) = state else {
                if self.well(&format!("answers {name}")) {
                    let text = format!("{name} does not answer its management system");
                    show(
                        id,
                        AlarmType::NodeUnreachable,
                        Severity::Critical,
                        TWICE,
                        text,
                    );
                }
                continue;
            };
            let silent = state.daemons.iter().filter(|(_, answers)| !**answers);
            for (daemon, _) in silent.filter(|(d, _)| self.well(&format!("answers {name} {d}"))) {
                let text = format!("{daemon} of {name} does not answer");
                show(id.clone(), AlarmType::Unknown, Severity::Major, TWICE, text);
            }
        }
        for link in &self.documents.links {
            for (alarm_type, severity, wanted, text) in self.of_link(link, snapshot) {
                show(link.id.clone(), alarm_type, severity, wanted, text);
            }
        }
        for (site, severity, text) in self.of_sites(snapshot) {
            let id = ElementId::new(format!("site:{site}"));
            show(id, AlarmType::SiteUnreachable, severity, TWICE, text);
        }
        shown
    }

    /// The alarms of which this reading does not tell whether they should stand.
    fn unknown(&self, snapshot: &Snapshot) -> BTreeSet<AlarmKey> {
        let is_unknown = |end: &(String, String)| {
            snapshot
                .port(end)
                .is_some_and(|port| port.adjacent.is_none() || !snapshot.answers(&end.0, "bfdd"))
        };
        let links = self.documents.links.iter();
        links
            .filter(|link| is_unknown(&link.a) || is_unknown(&link.b))
            .map(|link| (link.id.clone(), AlarmType::LinkDown))
            .collect()
    }

    fn of_link(
        &self,
        link: &DocumentedLink,
        snapshot: &Snapshot,
    ) -> Vec<(AlarmType, Severity, u32, String)> {
        let mut shown = Vec::new();
        for end in [&link.a, &link.b] {
            let Some(port) = snapshot.port(end) else {
                continue;
            };
            let at = format!("{} {}", end.0, end.1);
            let before = self.last.as_ref().and_then(|last| last.port(end));
            if !port.carrier && port.admin_up && self.well(&format!("carrier {at}")) {
                let text = format!("no carrier at {at}");
                shown.push((AlarmType::LossOfSignal, Severity::Critical, 1, text));
            }
            if !port.admin_up && self.well(&format!("raised {at}")) {
                let text = format!("{at} is shut");
                shown.push((AlarmType::LinkDown, Severity::Major, 1, text));
            }
            if port.adjacent == Some(false) && self.well(&format!("adjacent {at}")) {
                let text = format!("OSPF has lost its neighbour at {at}");
                shown.push((AlarmType::LinkDown, Severity::Major, 1, text));
            }
            let bfd_down = port.bfd_up != Some(true) && snapshot.answers(&end.0, "bfdd");
            if bfd_down && self.well(&format!("bfd {at}")) {
                let text = format!("BFD is down at {at}");
                shown.push((AlarmType::LinkDown, Severity::Major, TWICE, text));
            }
            if before.is_some_and(|before| port.queue_drops > before.queue_drops) {
                let text = format!("the queue of {at} drops packets");
                shown.push((AlarmType::Congestion, Severity::Minor, TWICE, text));
            }
            if before.is_some_and(|before| port.errors > before.errors) {
                let text = format!("errors are counted at {at}");
                shown.push((AlarmType::SignalDegraded, Severity::Minor, TWICE, text));
            }
        }
        let has_carrier = |port: &crate::rack::protocol::PortState| port.carrier && port.admin_up;
        let lit = snapshot
            .ends(link)
            .iter()
            .all(|end| end.is_some_and(has_carrier));
        if let Some(probes) = snapshot.probes.links.get(link.id.as_str()).filter(|_| lit) {
            if probes.loss() >= LOSSY && self.well(&format!("probes {}", link.id)) {
                let lost = 100.0 * probes.loss();
                let text = format!("{lost:.0} % of the probes over {} are lost", link.id);
                shown.push((AlarmType::SignalDegraded, Severity::Minor, TWICE, text));
            }
            if probes.delay_ms >= SLOW_MS && self.well(&format!("probes {}", link.id)) {
                let text = format!("probes over {} take {:.0} ms", link.id, probes.delay_ms);
                shown.push((AlarmType::Congestion, Severity::Minor, TWICE, text));
            }
        }
        shown
    }

    /// The sites that do not answer: the one with most lost relations first, until all lost relations
    /// are told.
    fn of_sites(&self, snapshot: &Snapshot) -> Vec<(String, Severity, String)> {
        let lost = snapshot.probes.sites.iter().filter(|(pair, counts)| {
            counts.sent > 0 && counts.loss() >= CUT_OFF && self.well(&format!("sites {pair}"))
        });
        let mut lost: BTreeSet<(&str, &str)> =
            lost.filter_map(|(pair, _)| pair.split_once(' ')).collect();
        let others = self.documents.routers.len().saturating_sub(1).max(1) as f64;
        let mut told = Vec::new();
        while !lost.is_empty() {
            let mut of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (from, to) in &lost {
                of.entry(from).or_default().insert(to);
                of.entry(to).or_default().insert(from);
            }
            let most = of.values().map(BTreeSet::len).max().unwrap_or_default();
            let worst: Vec<&str> = of
                .iter()
                .filter(|(_, from)| from.len() == most)
                .map(|(site, _)| *site)
                .collect();
            for site in &worst {
                let share = of[site].len() as f64 / others;
                let (severity, text) = match share >= EVERYWHERE {
                    true => (
                        Severity::Critical,
                        format!("{site} answers nobody's probes"),
                    ),
                    false => {
                        let whom: Vec<&str> = of[site].iter().copied().collect();
                        let text = format!("no probes between {site} and {}", whom.join(", "));
                        (Severity::Major, text)
                    }
                };
                told.push(((*site).to_owned(), severity, text));
            }
            lost.retain(|(from, to)| !worst.contains(from) && !worst.contains(to));
        }
        told
    }

    fn well(&self, what: &str) -> bool {
        self.was_well.contains(what)
    }

    fn remember(&mut self, snapshot: &Snapshot) {
        let mut well = |what: String, is: bool| {
            if is && !self.was_well.contains(&what) {
                self.was_well.insert(what);
            }
        };
        for (name, state) in &snapshot.routers {
            well(format!("answers {name}"), state.is_some());
            let Some(state) = state else { continue };
            for (daemon, answers) in &state.daemons {
                well(format!("answers {name} {daemon}"), *answers);
            }
            for (port, state) in &state.ports {
                well(format!("raised {name} {port}"), state.admin_up);
                well(format!("carrier {name} {port}"), state.carrier);
                well(
                    format!("adjacent {name} {port}"),
                    state.adjacent == Some(true),
                );
                well(format!("bfd {name} {port}"), state.bfd_up == Some(true));
            }
        }
        for (link, counts) in &snapshot.probes.links {
            well(
                format!("probes {link}"),
                counts.returned > 0 && counts.loss() < LOSSY,
            );
        }
        for (pair, counts) in &snapshot.probes.sites {
            well(
                format!("sites {pair}"),
                counts.returned > 0 && counts.loss() < CUT_OFF,
            );
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
