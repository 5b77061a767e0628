//! Events without any fault: bursts of alarms, small outages, complaints.
//!
//! Small outages are physical, so that probes find them: a site stops, a site loses its mains, a
//! transceiver flaps. None takes out more than one site. Read next: `simulation/actions.rs`.

use super::queue::Event;
use super::{EmissionContent, Recipients, Simulation};
use crate::chance::{between, choose, happens, waiting};
use crate::complaint;
use crate::noise::{Noise, NoiseBurst};
use crate::state::{Course, Trouble, TroubleKind};
use domain::inventory::{Domain, ElementId, ElementKind};
use domain::telemetry::{AlarmType, Complaint, Telemetry};
use domain::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Mean hours between small outages, per thousand sites.
const MISHAP_HOURS: f64 = 0.25;
/// The delay of decoys after a fault, in seconds; before it, if negative.
const DECOY_S: (f64, f64) = (-240.0, 900.0);
/// The probability of each decoy.
const DECOY: f64 = 0.7;
/// The number of elements tried for a small outage before it is skipped.
const TRIES: usize = 20;

impl Simulation {
    pub(super) fn begin_background(&mut self) {
        if self.parameters.replay.is_empty() {
            self.schedule_burst();
        } else {
            self.replay();
        }
        self.schedule_stray_complaint();
        if self.parameters.decoys {
            self.schedule_mishap();
        }
    }

    /// Schedules all alarms of the replayed record.
    fn replay(&mut self) {
        let alarms = Arc::clone(&self.parameters.replay);
        let rng = &mut self.chances.background;
        for grumble in Noise::replay(&self.inventory, &alarms, self.now, rng) {
            self.schedule(grumble.from, Event::Grumble(grumble));
        }
    }

    pub(super) fn schedule_decoys(&mut self, fault_at: Timestamp) {
        if !self.parameters.decoys {
            return;
        }
        for kind in [TroubleKind::SitePower, TroubleKind::TransceiverOff] {
            let rng = &mut self.chances.faults;
            let after = between(rng, DECOY_S.0, DECOY_S.1);
            if happens(rng, DECOY) {
                self.schedule(fault_at.plus_s(after), Event::Mishap(Some(kind)));
            }
        }
    }

    fn schedule_burst(&mut self) {
        if let Some(pause) = self.noise.pause_s(&mut self.chances.background) {
            self.schedule(self.now.plus_s(pause), Event::Burst);
        }
    }

    pub(super) fn burst(&mut self) {
        let rng = &mut self.chances.background;
        for grumble in self.noise.burst(&self.inventory, self.now, rng) {
            self.schedule(grumble.from, Event::Grumble(grumble));
        }
        self.schedule_burst();
    }

    /// Raises a background alarm, unless its device cannot report or it stands already.
    pub(super) fn grumble(&mut self, grumble: NoiseBurst) {
        let key = (
            grumble.sighting.resource.clone(),
            grumble.sighting.alarm_type,
        );
        let reports = self.view.reached.contains(&grumble.sighting.seen_by);
        if !reports || !self.ailing.insert(key) {
            return;
        }
        self.deliver_alarms(grumble.raised.clone());
        self.schedule(grumble.until, Event::Relent(grumble));
    }

    pub(super) fn relent(&mut self, grumble: &NoiseBurst) {
        let sighting = &grumble.sighting;
        self.ailing
            .remove(&(sighting.resource.clone(), sighting.alarm_type));
        // A missed heartbeat that turned into an outage is not over: its own end will clear it.
        let goes_on = sighting.alarm_type == AlarmType::SiteUnreachable
            && self.view.out.contains(&sighting.resource);
        if goes_on {
            self.told_already(&sighting.resource);
        } else {
            self.deliver_alarms(grumble.cleared.clone());
        }
    }

    /// Marks the outage that a missed heartbeat turned into as reported, so that its end will be
    /// reported.
    fn told_already(&mut self, site: &ElementId) {
        let standing = self.standing.keys();
        let told: Vec<_> = standing
            .filter(|s| s.resource == *site && s.alarm_type == AlarmType::SiteUnreachable)
            .cloned()
            .collect();
        let now = self.now;
        self.told
            .extend(told.into_iter().map(|sighting| (sighting, now)));
    }

    fn schedule_mishap(&mut self) {
        let sites = self.inventory.of_kind(ElementKind::Site).count();
        let hours = MISHAP_HOURS * 1000.0 / sites.max(1) as f64;
        let pause = waiting(&mut self.chances.mishaps, hours * 3600.0);
        self.schedule(self.now.plus_s(pause), Event::Mishap(None));
    }

    pub(super) fn mishap(&mut self, kind: Option<TroubleKind>) {
        let kinds = [
            TroubleKind::SitePower,
            TroubleKind::SiteStopped,
            TroubleKind::TransceiverOff,
        ];
        let rng = &mut self.chances.mishaps;
        let drawn = kind.or_else(|| choose(rng, &kinds).copied());
        if let Some((kind, element)) = drawn.and_then(|k| Some((k, self.harmless(k)?))) {
            let (low, high) = match kind {
                TroubleKind::SitePower => (1_200.0, 3_600.0),
                TroubleKind::SiteStopped => (300.0, 1_800.0),
                _ => (20.0, 90.0),
            };
            let lasts = between(&mut self.chances.mishaps, low, high);
            let number = self.next_trouble();
            let trouble = Trouble {
                kind,
                element,
                since: self.now,
                breaks: BTreeMap::new(),
                course: Course::Steady,
            };
            self.begin(number, trouble);
            self.schedule(self.now.plus_s(lasts), Event::Mend(number));
        }
        // Only those that were drawn go on in a series.
        if kind.is_none() {
            self.schedule_mishap();
        }
    }

    /// A random element in service whose failure takes out at most one site, its own.
    fn harmless(&mut self, kind: TroubleKind) -> Option<ElementId> {
        let wanted = match kind {
            TroubleKind::TransceiverOff => ElementKind::Link,
            _ => ElementKind::Site,
        };
        let all: Vec<ElementId> = self
            .inventory
            .of_kind(wanted)
            .map(|e| e.id.clone())
            .filter(|id| self.inventory.works(id, &self.view.failed) && !self.view.out.contains(id))
            .collect();
        let most = usize::from(wanted == ElementKind::Site);
        (0..TRIES).find_map(|_| {
            let id = choose(&mut self.chances.mishaps, &all)?;
            (self.reach.sites_out([id]).len() <= most).then(|| id.clone())
        })
    }

    pub(super) fn complain(&mut self, site: ElementId) {
        if !self.view.out.contains(&site) {
            self.complaining.remove(&site);
            return;
        }
        let rng = &mut self.chances.complaints;
        let complaint = complaint::outage(&site, self.now, rng);
        let per_hour = self.parameters.complaints_per_site_hour;
        let next = complaint::next(self.now, per_hour, rng);
        self.tell_complaint(complaint);
        if let Some(at) = next {
            self.schedule(at, Event::Complain(site));
        }
    }

    fn schedule_stray_complaint(&mut self) {
        // Without customers nobody complains at all.
        let per_hour = if self.parameters.complaints_per_site_hour > 0.0 {
            complaint::STRAY_PER_HOUR
        } else {
            0.0
        };
        if let Some(at) = complaint::next(self.now, per_hour, &mut self.chances.background) {
            self.schedule(at, Event::StrayComplaint);
        }
    }

    pub(super) fn stray_complaint(&mut self) {
        let sites: Vec<ElementId> = self
            .inventory
            .of_kind(ElementKind::Site)
            .map(|site| site.id.clone())
            .filter(|site| !self.view.out.contains(site))
            .collect();
        let rng = &mut self.chances.background;
        if let Some(site) = choose(rng, &sites) {
            let complaint = complaint::stray(site, self.now, rng);
            self.tell_complaint(complaint);
        }
        self.schedule_stray_complaint();
    }

    fn tell_complaint(&mut self, complaint: Complaint) {
        let tiding = EmissionContent::Telemetry(Telemetry::Complaint(complaint));
        self.deliver(self.now, Recipients::Domain(Domain::Service), tiding);
    }
}
