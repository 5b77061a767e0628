//! What each event of the queue does, one at a time.
//!
//! Every change of [`State`](crate::state::NetworkState) ends in [`Simulation::look`], which compares the
//! observable conditions with the previous ones: new sightings will be detected, gone ones are
//! cleared. Read next: `simulation/background.rs`.

use super::queue::Event;
use super::{Emission, EmissionContent, Recipients, Simulation};
use crate::chance::between;
use crate::fault::{Fault, FaultKind, FaultTerms, break_km};
use crate::state::{ObservableCondition, Trouble, TroubleKind};
use crate::{alarms, complaint};
use domain::inventory::{Domain, ElementId, ElementKind};
use domain::telemetry::{Alarm, AlarmType, Telemetry};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The boot time of a site after power returns, in seconds.
const BOOT_S: (f64, f64) = (120.0, 300.0);

impl Simulation {
    pub(super) fn happen(&mut self, event: Event, emissions: &mut Vec<Emission>) {
        match event {
            Event::Strike {
                number,
                fault,
                terms,
            } => self.strike(number, &fault, terms),
            Event::Mend(number) => self.mend(number),
            Event::Air(air) => self.air(air),
            Event::Boot(site) => self.boot(site),
            Event::Notice { sighting, since } => self.notice(&sighting, since),
            Event::Deliver { to, tiding } => emissions.push(Emission {
                to,
                at: self.now,
                tiding: *tiding,
            }),
            Event::Burst => self.burst(),
            Event::Grumble(grumble) => self.grumble(grumble),
            Event::Relent(grumble) => self.relent(&grumble),
            Event::FalseBurst => self.false_burst(),
            Event::FalseAlarm(alarm) => self.false_alarm(alarm),
            Event::FalseEnd(alarm) => self.false_end(&alarm),
            Event::Mishap(kind) => self.mishap(kind),
            Event::Complain(site) => self.complain(site),
            Event::StrayComplaint => self.stray_complaint(),
            Event::Measure {
                agent,
                token,
                element,
            } => self.measured(agent, token, &element),
            Event::Progress { number, light } => self.progress(number, light),
            Event::Flicker(number) => self.flicker(number),
            Event::Subside(number) => self.subside(number),
            Event::Period => self.period(),
            Event::Befall => self.befall(),
            Event::Storm => self.storm(),
            Event::Loosen => self.loosen_some(),
            Event::Commanded(errand) => self.commanded(errand),
            Event::Started { errand, number } => self.started(&errand, number),
            Event::Arrive { agent, token } => self.arrived(agent, token),
            Event::Finish {
                agent,
                token,
                element,
                mends,
                finding,
            } => {
                self.finished(agent, token, element, mends, finding);
            }
            Event::Survey => self.survey_again(),
            Event::Grieve(brewing) => self.grieve(*brewing),
            Event::StrayGrievance => self.stray_grievance(),
            Event::CustomerAnswers(index) => self.customer_answers(index),
        }
    }

    fn strike(&mut self, number: usize, fault: &Fault, terms: FaultTerms) {
        let trouble = Trouble {
            kind: TroubleKind::Fault(fault.kind),
            element: fault.element.clone(),
            since: self.now,
            breaks: self.breaks(fault),
            course: self.course(number, fault, terms),
        };
        if let Some(index) = self.injected.get(&number) {
            self.truths[*index].touched = self.touched(&trouble);
        }
        self.begin(number, trouble);
    }

    /// The break of each cut link, in km from the link's end A.
    fn breaks(&mut self, fault: &Fault) -> BTreeMap<ElementId, f64> {
        let rng = &mut self.chances.faults;
        let links = &self.inventory.links;
        match fault.kind {
            FaultKind::FibreCut => links
                .get(&fault.element)
                .map(|link| {
                    (
                        fault.element.clone(),
                        break_km(fault.kind, link.length_km, rng),
                    )
                })
                .into_iter()
                .collect(),
            FaultKind::DuctCut => {
                let from_router = break_km(fault.kind, 0.0, rng);
                let place_of = |id: &ElementId| self.inventory.element(id).map(|e| &e.place);
                links
                    .iter()
                    .filter(|(_, link)| link.ducts.contains(&fault.element))
                    .map(|(id, link)| {
                        let at_a = place_of(&link.a) == place_of(&fault.element);
                        let km = if at_a {
                            from_router
                        } else {
                            link.length_km - from_router
                        };
                        (id.clone(), km)
                    })
                    .collect()
            }
            _ => BTreeMap::new(),
        }
    }

    /// Begins a trouble; if it takes away the mains, batteries begin to discharge.
    pub(super) fn begin(&mut self, number: usize, trouble: Trouble) {
        let dark: Vec<ElementId> = trouble
            .sites_without_mains(&self.inventory)
            .cloned()
            .collect();
        for site in dark {
            self.mains_lost(&site, number);
        }
        self.state.troubles.insert(number, trouble);
        self.look();
    }

    pub(super) fn mend(&mut self, number: usize) {
        let Some(trouble) = self.state.troubles.remove(&number) else {
            return;
        };
        self.mains_back(number, &trouble);
        self.undo(number, &trouble);
        let empty: Vec<ElementId> = self
            .state
            .exhausted
            .iter()
            .filter(|(_, by)| **by == number)
            .map(|(site, _)| site.clone())
            .collect();
        for site in empty {
            let boots = between(&mut self.chances.faults, BOOT_S.0, BOOT_S.1);
            let at = self.now.plus_s(boots);
            self.schedule(at, Event::Boot(site));
        }
        self.note_repair(number);
        self.look();
    }

    pub(super) fn note_repair(&mut self, number: usize) {
        if let Some(index) = self.injected.get(&number) {
            self.truths[*index].repaired_at.get_or_insert(self.now);
        }
    }

    pub(super) fn exhaust(&mut self, site: ElementId, number: usize) {
        if self.state.troubles.contains_key(&number) {
            self.state.exhausted.entry(site).or_insert(number);
            self.look();
        }
    }

    /// Updates the view of the network: new sightings will be detected, gone ones cleared by their
    /// observer once it can report.
    pub(super) fn look(&mut self) {
        // What vehicles met until now, they met in the network as it was.
        self.survey();
        self.view = self.state.view(&self.inventory, &self.reach);
        self.reroute();
        self.see_congestion();
        self.relieve();
        self.outages.note(&self.view.out, self.now);
        let gone: Vec<ObservableCondition> = self
            .standing
            .keys()
            .filter(|s| !self.view.sightings.contains(*s) && self.can_clear(s))
            .cloned()
            .collect();
        let new: Vec<ObservableCondition> = self
            .view
            .sightings
            .iter()
            .filter(|s| !self.standing.contains_key(*s))
            .cloned()
            .collect();
        for sighting in gone {
            self.clear(&sighting);
        }
        for sighting in new {
            self.expect_notice(sighting);
        }
        self.keep_silence();
        self.customers_notice();
        self.keep_truth();
        self.mobile_stale = true;
    }

    /// True if the observer can report the end: a node in reach, or the management system.
    fn can_clear(&self, sighting: &ObservableCondition) -> bool {
        let by_node = self
            .inventory
            .element(&sighting.seen_by)
            .is_some_and(|e| matches!(e.kind, ElementKind::Router | ElementKind::Site));
        !by_node || self.view.reached.contains(&sighting.seen_by)
    }

    fn expect_notice(&mut self, sighting: ObservableCondition) {
        let since = self.now;
        self.standing.insert(sighting.clone(), since);
        let isolated = self.view.is_isolated(&self.inventory, &sighting.resource);
        let rng = self.chances.of_alarms(sighting.alarm_type);
        if let Some(at) = alarms::noticed(&sighting, since, isolated, rng) {
            self.schedule(at, Event::Notice { sighting, since });
        }
    }

    fn notice(&mut self, sighting: &ObservableCondition, since: Timestamp) {
        if self.standing.get(sighting) != Some(&since) {
            return;
        }
        // A site tells of its power itself, with its last breath at the latest.
        let own = sighting.alarm_type == AlarmType::MainsFailure;
        let power = own || sighting.alarm_type == AlarmType::BatteryLow;
        if power && !self.view.reached.contains(&sighting.resource) {
            return;
        }
        let deliveries = alarms::raised(
            sighting,
            self.now,
            self.chances.of_alarms(sighting.alarm_type),
        );
        if !deliveries.is_empty() {
            let last = deliveries.iter().map(|(_, alarm)| alarm.time).max();
            self.told.insert(sighting.clone(), last.unwrap_or(self.now));
            if own {
                self.gasped.insert(sighting.resource.clone());
            }
            self.deliver_alarms(deliveries);
        }
    }

    fn clear(&mut self, sighting: &ObservableCondition) {
        self.standing.remove(sighting);
        if sighting.alarm_type == AlarmType::MainsFailure {
            self.gasped.remove(&sighting.resource);
        }
        if let Some(last) = self.told.remove(sighting) {
            // What flaps stays for a moment at least: its end is not before it was seen last.
            let end = self.now.max(last);
            let rng = self.chances.of_alarms(sighting.alarm_type);
            let deliveries = alarms::cleared(sighting, end, rng);
            self.deliver_alarms(deliveries);
        }
    }

    pub(super) fn deliver_alarms(&mut self, deliveries: Vec<(Timestamp, Alarm)>) {
        let arriving = self.erring.transmission.pass(&self.inventory, deliveries);
        for (at, alarm) in arriving {
            self.deliver_alarm(at, alarm);
        }
    }

    /// Tells alarms again, now, as an alarm list does to whoever begins to watch the network.
    pub fn tell_again(&mut self, standing: Vec<Alarm>) {
        for alarm in standing {
            self.deliver_alarm(self.now, alarm);
        }
    }

    fn deliver_alarm(&mut self, at: Timestamp, alarm: Alarm) {
        let domain = self
            .inventory
            .element(&alarm.resource)
            .map_or(Domain::Ip, |element| element.domain);
        self.deliver(
            at,
            Recipients::Domain(domain),
            EmissionContent::Telemetry(Telemetry::Alarm(alarm)),
        );
    }

    pub(super) fn deliver(&mut self, at: Timestamp, to: Recipients, tiding: EmissionContent) {
        let tiding = Box::new(tiding);
        self.schedule(at, Event::Deliver { to, tiding });
    }

    /// Updates the instants since which sites and routers are out of reach.
    fn keep_silence(&mut self) {
        let reached = &self.view.reached;
        self.silent_since.retain(|id, _| !reached.contains(id));
        let routers = self.reach.routers().filter(|id| !reached.contains(id));
        for node in self.view.out.iter().chain(routers) {
            self.silent_since.entry(node.clone()).or_insert(self.now);
        }
    }

    fn customers_notice(&mut self) {
        let newly: Vec<ElementId> = self
            .view
            .out
            .difference(&self.complaining)
            .cloned()
            .collect();
        let per_hour = self.parameters.complaints_per_site_hour;
        for site in newly {
            let first = complaint::first(self.now, per_hour, &mut self.chances.complaints);
            if let Some(at) = first {
                self.complaining.insert(site.clone());
                self.schedule(at, Event::Complain(site));
            }
        }
    }

    /// Adds to each fault's truth the sites that are out because of it: those that it alone takes
    /// out, and those that would be in service without it.
    fn keep_truth(&mut self) {
        let open: Vec<(usize, usize)> = self
            .injected
            .iter()
            .filter(|(_, index)| self.truths[**index].restored_at.is_none())
            .map(|(number, index)| (*number, *index))
            .collect();
        let mut unexplained = self.not_yet_explained();
        for &(number, index) in &open {
            let alone = self.state.failed_by(|other| other == number);
            let known = self.claims.get(&number).map(|claim| &claim.0);
            if known != Some(&alone) {
                let own = self.reach.sites_out(&alone);
                self.claims.insert(number, (alone, own));
            }
            if let Some((_, own)) = self.claims.get(&number) {
                let out = own.intersection(&self.view.out).cloned();
                self.truths[index].sites_out.extend(out);
                unexplained.retain(|site| !own.contains(site));
            }
        }
        for (number, index) in open {
            let claims = self.claims.get(&number);
            let active = claims.is_some_and(|(alone, _)| !alone.is_empty());
            if active && !unexplained.is_empty() {
                // What another fault takes out alone is out without this one as well.
                let without = self.state.failed_by(|other| other != number);
                let spared = self.reach.sites_out(&without);
                let more = unexplained.difference(&spared).cloned();
                self.truths[index].sites_out.extend(more);
            }
            let truth = &mut self.truths[index];
            if truth.repaired_at.is_some() && truth.sites_out.is_disjoint(&self.view.out) {
                truth.restored_at = Some(self.now);
                self.claims.remove(&number);
            }
        }
    }

    /// The sites that went out since the last attribution; all that are out if anything was
    /// repaired meanwhile, as the attribution may change then.
    fn not_yet_explained(&mut self) -> BTreeSet<ElementId> {
        let mended = !self.explained.0.is_subset(&self.view.failed);
        let before = std::mem::replace(
            &mut self.explained,
            (self.view.failed.clone(), self.view.out.clone()),
        );
        let out = &self.view.out;
        if mended {
            out.clone()
        } else {
            out.difference(&before.1).cloned().collect()
        }
    }
}
