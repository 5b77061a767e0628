//! The network operations centre: alarm lists per domain, cases per town, engineers by telephone.
//!
//! ```text
//! noticed ─► sorted ─► blamed ─► checked ─► ticket ─► on site ─► guided ─► ended ─► looked at ─► closed
//!                        ▲  ▲        │ works                                 │ nothing found  │ still stands
//!                        │  └────────┴───────────────────────────────────────┴────────────────┘
//!                        └ (wireless, power is fine) the transport desk is telephoned, its repair waited for
//! ```
//!
//! Each step waits until somebody of the desk is free. Refuses to correlate domains: that is the
//! point. Read next: [`super::shift`], [`super::journal`].

use super::journal::{CaseRecord, DispatchRecord};
use super::shift::{Minutes, Shift, takes_s};
use super::{Matter, Matters};
use crate::alarms::{ActiveAlarms, AlarmChange, AlarmKey, tells_of_loss};
use crate::topology::Topology;
use domain::agent::Output;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::telemetry::{
    Action, Alarm, AlarmType, Condition, Configuration, FieldReport, Measurement, Outcome, Token,
};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;

const NOTICE_MIN: Minutes = (2.0, 10.0);
const SORT_MIN: Minutes = (10.0, 25.0);
const CHECK_MIN: Minutes = (10.0, 25.0);
const TELEPHONE_MIN: Minutes = (20.0, 45.0);
const TICKET_MIN: Minutes = (5.0, 15.0);
const GUIDE_MIN: Minutes = (3.0, 10.0);
const RETHINK_MIN: Minutes = (10.0, 20.0);
const LOOK_MIN: Minutes = (10.0, 20.0);
const WAIT_MIN: Minutes = (30.0, 60.0);
/// The hour at which warnings and degraded cells are gone through (UTC).
pub const MINOR_ROUND_H: i64 = 8;
/// The number of its own suspects that the wireless desk checks before it telephones.
const OWN_CHECKS: usize = 2;
/// The number of times that a list is gone through from its top before an alarm is held to be a
/// false one.
const ROUNDS_MAX: u32 = 3;
/// The most readings of light that mean darkness, in dBm.
const DARK_DBM: f64 = -30.0;
/// A module that sends less (dBm) is worn.
const WORN_DBM: f64 = -0.5;

/// The next step about a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NocStep {
    /// Its alarms have been sorted.
    Sorted,
    /// Access to what is blamed has been found: it is measured.
    Check,
    /// The transport desk has been telephoned.
    Telephoned,
    /// Its ticket is written: an engineer is sent.
    Send,
    /// An engineer has called and is told what to do.
    Guide(Token),
    /// It has been thought over again.
    Rethought,
    /// After a repair: is all well?
    Look,
    /// Another desk's repair is waited for.
    Wait,
}

#[derive(Clone, Debug)]
struct Case {
    domain: Domain,
    place: String,
    /// Its alarms in the order in which they came.
    keys: Vec<AlarmKey>,
    tried: BTreeSet<ElementId>,
    current: Option<(ElementId, Cause)>,
    telephoned: bool,
    rounds: u32,
    open: bool,
}

impl Case {
    /// True if sites are out, and not only cells.
    fn about_sites(&self) -> bool {
        use AlarmType::{CellsOutOfService, MainsFailure, SiteUnreachable};
        let of_site =
            |t: AlarmType| matches!(t, SiteUnreachable | CellsOutOfService | MainsFailure);
        self.keys.iter().any(|(_, t)| of_site(*t))
    }
}

/// The desks and their cases.
#[derive(Clone, Debug)]
pub struct Noc {
    inventory: Arc<Inventory>,
    wireless: (Shift, ActiveAlarms),
    transport: (Shift, ActiveAlarms),
    cases: Vec<Case>,
    /// Engineers under way: the token of the dispatch, the case, and which of its dispatches.
    engineers: Vec<(Token, usize, usize)>,
}

impl Noc {
    /// Desks without any alarm.
    pub fn new(inventory: Arc<Inventory>) -> Self {
        let desk = || (Shift::around_the_clock(), ActiveAlarms::default());
        Self {
            inventory,
            wireless: desk(),
            transport: desk(),
            cases: Vec::new(),
            engineers: Vec::new(),
        }
    }

    /// The alarm lists.
    pub fn alarms(&self) -> [&ActiveAlarms; 2] {
        [&self.wireless.1, &self.transport.1]
    }

    fn desk(&mut self, domain: Domain) -> &mut (Shift, ActiveAlarms) {
        match domain {
            Domain::Wireless => &mut self.wireless,
            _ => &mut self.transport,
        }
    }

    fn stands(&self, domain: Domain, key: &AlarmKey) -> bool {
        let list = match domain {
            Domain::Wireless => &self.wireless.1,
            _ => &self.transport.1,
        };
        list.on(&key.0).any(|(alarm_type, _)| alarm_type == key.1)
    }

    fn is_over(&self, case: usize) -> bool {
        let case = &self.cases[case];
        !case.keys.iter().any(|key| self.stands(case.domain, key))
    }

    /// The cause that somebody would blame for an alarm of their own list.
    fn blamed_for(&self, (element, alarm_type): &AlarmKey) -> Option<(ElementId, Cause)> {
        let found = self.inventory.element(element)?;
        let cause = match alarm_type {
            AlarmType::CellDegraded => Cause::Misconfiguration,
            AlarmType::InterferenceHigh => Cause::Interference,
            _ if found.kind == ElementKind::Site => {
                return Some((found.parent.clone()?, Cause::MainsFailure));
            }
            _ => Cause::of(found.kind)?,
        };
        Some((element.clone(), cause))
    }

    /// The next on the list that has not been tried.
    fn next_blamed(&self, case: usize) -> Option<(ElementId, Cause)> {
        let case = &self.cases[case];
        let standing = case.keys.iter().filter(|key| self.stands(case.domain, key));
        let mut blamed = standing.filter_map(|key| self.blamed_for(key));
        blamed.find(|(element, _)| !case.tried.contains(element))
    }

    /// The first site of a wireless case.
    fn first_site(&self, case: usize) -> Option<ElementId> {
        let mut elements = self.cases[case].keys.iter().map(|(element, _)| element);
        let is_site = |id: &&ElementId| {
            self.inventory
                .element(id)
                .is_some_and(|e| e.kind == ElementKind::Site)
        };
        elements.find(is_site).cloned()
    }
}

/// The desks at an instant.
pub(super) struct AtWork<'a> {
    pub(super) noc: &'a mut Noc,
    pub(super) matters: &'a mut Matters,
    pub(super) journal: &'a mut Vec<CaseRecord>,
    pub(super) now: Timestamp,
    pub(super) rng: &'a mut SeededRng,
}

impl AtWork<'_> {
    /// Has somebody of a case's desk do something; the step follows when it is done.
    fn work(&mut self, case: usize, earliest: Timestamp, range: Minutes, then: NocStep) -> Output {
        let seconds = takes_s(range, self.rng);
        let domain = self.noc.cases[case].domain;
        let at = self.noc.desk(domain).0.work(earliest, seconds);
        self.matters.wake(Matter::Case(case, then), at)
    }

    pub(super) fn alarm(&mut self, alarm: &Alarm) -> Vec<Output> {
        let Some(element) = self.noc.inventory.element(&alarm.resource).cloned() else {
            return Vec::new();
        };
        let change = self.noc.desk(element.domain).1.take(alarm);
        if change != AlarmChange::Raised || !tells_of_loss(alarm.alarm_type) {
            return Vec::new();
        }
        let key = (alarm.resource.clone(), alarm.alarm_type);
        self.list(element.domain, &element.place, key)
    }

    /// Puts an alarm to the open case of its town, or begins one.
    fn list(&mut self, domain: Domain, place: &str, key: AlarmKey) -> Vec<Output> {
        let mut cases = self.noc.cases.iter();
        let same = |c: &Case| c.open && c.domain == domain && c.place == place;
        let (number, outputs) = match cases.position(same) {
            Some(number) => (number, Vec::new()),
            None => self.begin(domain, place),
        };
        self.note_site(number, &key);
        let case = &mut self.noc.cases[number];
        if !case.keys.contains(&key) {
            case.keys.push(key);
        }
        outputs
    }

    fn note_site(&mut self, number: usize, key: &AlarmKey) {
        if matches!(
            key.1,
            AlarmType::SiteUnreachable | AlarmType::CellsOutOfService
        ) {
            self.journal[number].sites.insert(key.0.clone());
        }
    }

    fn begin(&mut self, domain: Domain, place: &str) -> (usize, Vec<Output>) {
        self.noc.cases.push(Case {
            domain,
            place: place.to_owned(),
            keys: Vec::new(),
            tried: BTreeSet::new(),
            current: None,
            telephoned: false,
            rounds: 0,
            open: true,
        });
        self.journal.push(CaseRecord {
            domain,
            place: place.to_owned(),
            first_alarm_at: self.now,
            opened_at: None,
            blamed: Vec::new(),
            located_at: None,
            located: None,
            dispatched: Vec::new(),
            closed_at: None,
            sites: BTreeSet::new(),
        });
        let number = self.noc.cases.len() - 1;
        let noticed = self.now.plus_s(takes_s(NOTICE_MIN, self.rng));
        let sorted = self.work(number, noticed, SORT_MIN, NocStep::Sorted);
        (number, vec![sorted])
    }

    /// Once a day: what stands among warnings and degraded cells becomes a case.
    pub(super) fn minor_round(&mut self) -> Vec<Output> {
        use AlarmType::{CellDegraded, InterferenceHigh, OpticalPowerLow};
        let minor = |t: AlarmType| matches!(t, CellDegraded | InterferenceHigh | OpticalPowerLow);
        let lists = self.noc.alarms().map(|list| {
            let standing = list.standing().map(|(key, _)| key);
            standing.filter(|key| minor(key.1)).cloned().collect()
        });
        let [wireless, transport]: [Vec<AlarmKey>; 2] = lists;
        let mut outputs = Vec::new();
        for (domain, keys) in [(Domain::Wireless, wireless), (Domain::Ip, transport)] {
            for key in keys {
                let place = self.noc.inventory.element(&key.0).map(|e| e.place.clone());
                let place = place.unwrap_or_default();
                outputs.extend(self.list(domain, &place, key));
            }
        }
        outputs
    }

    pub(super) fn turn_to(&mut self, case: usize, step: NocStep) -> Vec<Output> {
        // Whoever stands in the field and calls is answered, whatever has become of the case.
        if let NocStep::Guide(dispatch) = step {
            return vec![self.guide(case, dispatch)];
        }
        if !self.noc.cases[case].open {
            return Vec::new();
        }
        if self.noc.is_over(case) {
            return self.close(case, "its alarms have cleared");
        }
        match step {
            NocStep::Sorted => {
                let record = &mut self.journal[case];
                record.opened_at.get_or_insert(self.now);
                self.blame(case)
            }
            NocStep::Rethought | NocStep::Look | NocStep::Wait => self.blame(case),
            NocStep::Check => self.check(case),
            NocStep::Telephoned => self.after_telephone(case),
            NocStep::Send => self.send(case),
            NocStep::Guide(_) => Vec::new(),
        }
    }

    /// Takes the next on the list, or asks the other desk, or begins the list anew.
    fn blame(&mut self, case: usize) -> Vec<Output> {
        let next = self.noc.next_blamed(case);
        let own = &self.noc.cases[case];
        if own.domain == Domain::Wireless && own.telephoned {
            return self.after_telephone(case);
        }
        let enough = own.tried.len() >= OWN_CHECKS || next.is_none();
        if own.domain == Domain::Wireless && own.about_sites() && enough {
            return self.telephone(case);
        }
        match next {
            Some(suspect) => self.suspect(case, suspect),
            None => self.anew(case),
        }
    }

    /// The list is gone through from its top once more, later; after a few times in vain its alarms
    /// are held to be false.
    fn anew(&mut self, case: usize) -> Vec<Output> {
        let own = &mut self.noc.cases[case];
        own.rounds += 1;
        own.tried.clear();
        if own.rounds >= ROUNDS_MAX && !self.is_awaited(case) {
            return self.close(case, "nothing was found; its alarms are held to be false");
        }
        vec![self.wait(case)]
    }

    fn telephone(&mut self, case: usize) -> Vec<Output> {
        self.noc.cases[case].telephoned = true;
        let now = self.now;
        vec![self.work(case, now, TELEPHONE_MIN, NocStep::Telephoned)]
    }

    /// True while an engineer of the case, or another case of its town, may still mend it.
    fn is_awaited(&self, case: usize) -> bool {
        let place = &self.noc.cases[case].place;
        let mut others = self.noc.cases.iter().enumerate();
        let under_way = self.noc.engineers.iter().any(|(_, c, _)| *c == case);
        under_way || others.any(|(n, c)| n != case && c.open && c.place == *place)
    }

    fn wait(&mut self, case: usize) -> Output {
        let at = self.now.plus_s(takes_s(WAIT_MIN, self.rng));
        self.matters.wake(Matter::Case(case, NocStep::Wait), at)
    }

    fn suspect(&mut self, case: usize, suspect: (ElementId, Cause)) -> Vec<Output> {
        let own = &mut self.noc.cases[case];
        own.tried.insert(suspect.0.clone());
        own.current = Some(suspect.clone());
        let heard = suspect.1 == Cause::Interference;
        self.journal[case].blamed.push(suspect);
        let now = self.now;
        // A stranger is found by driving there, not from afar.
        vec![match heard {
            true => self.work(case, now, TICKET_MIN, NocStep::Send),
            false => self.work(case, now, CHECK_MIN, NocStep::Check),
        }]
    }

    fn check(&mut self, case: usize) -> Vec<Output> {
        let Some((element, cause)) = self.noc.cases[case].current.clone() else {
            return Vec::new();
        };
        let action = match cause {
            Cause::Misconfiguration => Action::ReadConfiguration { element },
            _ => Action::Probe { element },
        };
        vec![self.matters.act(Matter::Case(case, NocStep::Check), action)]
    }

    /// The transport desk has looked: what its own list shows for the town is its business and
    /// waited for; else it measures the first link of the first site; else somebody drives to the
    /// site.
    fn after_telephone(&mut self, case: usize) -> Vec<Output> {
        let place = self.noc.cases[case].place.clone();
        let theirs = |c: &Case| c.open && c.domain == Domain::Ip && c.place == place;
        if self.noc.cases.iter().any(theirs) {
            return vec![self.wait(case)];
        }
        let site = self.noc.first_site(case);
        let link = site.as_ref().and_then(|s| {
            let topology = Topology::of(&self.noc.inventory);
            topology.links_of(s).next().cloned()
        });
        let tried = &self.noc.cases[case].tried;
        let suspects = [
            link.map(|link| (link, Cause::FibreCut)),
            site.map(|site| (site, Cause::MainsFailure)),
        ];
        let mut suspects = suspects.into_iter().flatten();
        let next = suspects.find(|(element, _)| !tried.contains(element));
        match next.or_else(|| self.noc.next_blamed(case)) {
            Some(suspect) => self.suspect(case, suspect),
            None => self.anew(case),
        }
    }

    pub(super) fn acted(
        &mut self,
        case: usize,
        step: NocStep,
        token: Token,
        outcome: Outcome,
    ) -> Vec<Output> {
        match (step, outcome) {
            (NocStep::Check, Outcome::Measured(m)) => self.checked(case, shows(&m)),
            (NocStep::Check, Outcome::Configuration(read)) => self.compared(case, &read),
            (NocStep::Check, Outcome::Done) => {
                self.locate(case);
                let now = self.now;
                vec![self.work(case, now, LOOK_MIN, NocStep::Look)]
            }
            (NocStep::Check, _) => self.checked(case, Shows::Nothing),
            (NocStep::Send, Outcome::Impossible(_)) => {
                self.noc.engineers.retain(|(t, ..)| *t != token);
                let now = self.now;
                vec![self.work(case, now, RETHINK_MIN, NocStep::Rethought)]
            }
            _ => Vec::new(),
        }
    }

    fn checked(&mut self, case: usize, shows: Shows) -> Vec<Output> {
        if !self.noc.cases[case].open {
            return Vec::new();
        }
        let own = &self.noc.cases[case];
        let asks = own.domain == Domain::Wireless && own.about_sites();
        let now = self.now;
        match shows {
            Shows::Fault => {
                self.locate(case);
                vec![self.work(case, now, TICKET_MIN, NocStep::Send)]
            }
            Shows::Works => vec![self.work(case, now, RETHINK_MIN, NocStep::Rethought)],
            // The wireless desk asks before it sends anybody; who cannot be asked is driven to.
            Shows::Nothing if asks && !self.noc.cases[case].telephoned => self.telephone(case),
            Shows::Nothing => vec![self.work(case, now, TICKET_MIN, NocStep::Send)],
        }
    }

    /// The parameters of a cell beside its planned ones: the first that departs is set right.
    fn compared(&mut self, case: usize, read: &Configuration) -> Vec<Output> {
        let Some((element, _)) = self.noc.cases[case].current.clone() else {
            return Vec::new();
        };
        let departs = read
            .planned
            .iter()
            .find(|(name, planned)| read.running.get(*name) != Some(*planned));
        match departs {
            Some((parameter, value)) => {
                let action = Action::Configure {
                    element,
                    parameter: parameter.clone(),
                    value: value.clone(),
                };
                vec![self.matters.act(Matter::Case(case, NocStep::Check), action)]
            }
            None => {
                // As planned: then its hardware is blamed, and somebody goes.
                let suspect = (element, Cause::CellHardwareFailure);
                self.noc.cases[case].current = Some(suspect.clone());
                self.journal[case].blamed.push(suspect);
                let now = self.now;
                vec![self.work(case, now, TICKET_MIN, NocStep::Send)]
            }
        }
    }

    fn locate(&mut self, case: usize) {
        let record = &mut self.journal[case];
        record.located_at = Some(self.now);
        record.located.clone_from(&self.noc.cases[case].current);
    }

    fn send(&mut self, case: usize) -> Vec<Output> {
        let Some((element, _)) = self.noc.cases[case].current.clone() else {
            return Vec::new();
        };
        let record = &mut self.journal[case];
        record.dispatched.push(DispatchRecord {
            at: self.now,
            element: element.clone(),
            arrived_at: None,
            ended_at: None,
            repaired: None,
        });
        let which = record.dispatched.len() - 1;
        let matter = Matter::Case(case, NocStep::Send);
        let token = self.matters.token(matter);
        self.noc.engineers.push((token, case, which));
        let action = Action::Dispatch {
            element,
            work_order: None,
        };
        vec![Output::Act { token, action }]
    }

    fn guide(&mut self, case: usize, dispatch: Token) -> Output {
        let own = self.noc.engineers.iter().find(|(t, ..)| *t == dispatch);
        let sent_to = own.map(|(_, c, which)| self.journal[*c].dispatched[*which].element.clone());
        let current = self.noc.cases[case].current.clone().map(|(e, _)| e);
        let element = sent_to.or(current).unwrap_or_else(|| ElementId::new(""));
        let action = Action::Guide {
            dispatch,
            steps: vec![format!("Repair {element} as the manual says")],
            element,
        };
        self.matters
            .act(Matter::Case(case, NocStep::Guide(dispatch)), action)
    }

    pub(super) fn field(&mut self, report: FieldReport) -> Vec<Output> {
        let (FieldReport::Arrived { token, .. } | FieldReport::Ended { token, .. }) = &report;
        let own = self.noc.engineers.iter().find(|(t, ..)| t == token);
        let Some((token, case, which)) = own.copied() else {
            return Vec::new();
        };
        let now = self.now;
        let record = &mut self.journal[case].dispatched[which];
        match report {
            FieldReport::Arrived { .. } => {
                record.arrived_at = Some(now);
                vec![self.work(case, now, GUIDE_MIN, NocStep::Guide(token))]
            }
            FieldReport::Ended { repaired, .. } => {
                record.ended_at = Some(now);
                record.repaired = Some(repaired);
                self.noc.engineers.retain(|(t, ..)| *t != token);
                if !self.noc.cases[case].open {
                    return Vec::new();
                }
                if repaired && self.journal[case].located_at.is_none() {
                    self.locate(case);
                }
                let then = match repaired {
                    true => (LOOK_MIN, NocStep::Look),
                    false => (RETHINK_MIN, NocStep::Rethought),
                };
                vec![self.work(case, now, then.0, then.1)]
            }
        }
    }

    fn close(&mut self, case: usize, why: &str) -> Vec<Output> {
        self.noc.cases[case].open = false;
        self.journal[case].closed_at = Some(self.now);
        let place = &self.noc.cases[case].place;
        vec![Output::Note(format!(
            "Case {} in {place} is closed: {why}",
            case + 1
        ))]
    }
}

/// The fact that a measurement shows to somebody who knows the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    Fault,
    Works,
    Nothing,
}

fn shows(m: &Measurement) -> Shows {
    let reading = |name: &str| m.readings.get(name).copied();
    if let Some(sent) = reading("tx_dbm") {
        return if sent < WORN_DBM {
            Shows::Fault
        } else {
            Shows::Works
        };
    }
    let light = ["light_a_dbm", "light_b_dbm"].map(reading);
    let dark = light.into_iter().flatten().any(|dbm| dbm < DARK_DBM);
    match m.condition {
        // Dark without an echo: the fibre is whole, and what is at its end cannot be seen.
        Condition::Failed if dark && reading("reflection_km").is_none() => Shows::Nothing,
        Condition::Failed => Shows::Fault,
        Condition::Unreachable => Shows::Nothing,
        Condition::Good | Condition::Degraded => Shows::Works,
    }
}
