//! The network operations centre: alarm lists per domain, cases per town, engineers by telephone.
//!
//! ```text
//! noticed ─► sorted ─► blamed ─► checked ─► ticket ─► on site ─► guided ─► ended ─► looked at ─► closed
//!                        ▲  ▲        │ works                                 │ nothing found  │ still stands
//!                        │  └────────┴───────────────────────────────────────┴────────────────┘
//!                        └ (wireless, power is fine) the transport desk is telephoned, its repair waited for
//! ```
//!
//! Each step waits until somebody of the desk is free; whoever is takes the most urgent. Without an [`Umbrella`] nobody correlates
//! domains: that is the point. With one there is a case per town, not one per town and domain, and
//! nobody telephones. Read next: `noc/desk.rs`, who does what first; `noc/investigation.rs`, what
//! is done about a case; [`super::shift`], [`super::umbrella`], [`super::journal`].

mod desk;
mod hunt;
mod investigation;

use super::durations::{PracticeDurations, PracticeStep};
use super::journal::CaseRecord;
use super::shift::{Shift, takes_s};
use super::umbrella::Umbrella;
use super::{Matter, Matters};
use crate::alarms::{ActiveAlarms, AlarmChange, AlarmKey, tells_of_loss};
use domain::agent::Output;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::telemetry::{Alarm, AlarmType, Token};
use domain::time::{SeededRng, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a case is closed about which nothing need be done.
const CLEARED: &str = "its alarms have cleared";

/// The next step about a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NocStep {
    /// Its first alarm has been noticed.
    Noticed,
    /// Its alarms have been sorted.
    Sorted,
    /// Access to what is blamed has been found: it is measured.
    Check,
    /// A disturber is hunted: the cells that hear it are measured.
    Hunt,
    /// One of these cells was measured.
    Heard,
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

/// The fact that a measurement shows to somebody who knows the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    Fault,
    Works,
    Nothing,
}

/// Something that somebody is to do.
#[derive(Clone, Copy, Debug)]
struct Job {
    case: usize,
    stage: PracticeStep,
    then: NocStep,
}

/// A desk: its alarm list, its people, and what waits for one of them.
#[derive(Debug)]
struct Desk {
    alarms: ActiveAlarms,
    people: Shift,
    waiting: Vec<Job>,
}

impl Desk {
    /// A desk without any alarm, which never closes.
    fn new() -> Self {
        Self {
            alarms: ActiveAlarms::default(),
            people: Shift::around_the_clock(),
            waiting: Vec::new(),
        }
    }
}

#[derive(Clone, Debug)]
struct Case {
    domain: Domain,
    place: String,
    /// Its alarms in the order in which they came.
    keys: Vec<AlarmKey>,
    tried: BTreeSet<ElementId>,
    current: Option<(ElementId, Cause)>,
    /// What measurements of it have shown.
    shown: Vec<Shows>,
    /// Cells that hear a disturber, with what each measured (dBm), if it has been measured.
    heard: BTreeMap<ElementId, Option<f64>>,
    telephoned: bool,
    rounds: u32,
    open: bool,
}

impl Case {
    /// True if sites are out, and not only cells.
    fn about_sites(&self) -> bool {
        self.keys.iter().any(|(_, t)| takes_sites_out(*t))
    }
}

/// True if an alarm of this type says that a site is out, or soon will be.
fn takes_sites_out(alarm_type: AlarmType) -> bool {
    use AlarmType::{CellsOutOfService, MainsFailure, SiteUnreachable};
    matches!(
        alarm_type,
        SiteUnreachable | CellsOutOfService | MainsFailure
    )
}

/// The desks and their cases.
#[derive(Debug)]
pub struct Noc {
    inventory: Arc<Inventory>,
    durations: PracticeDurations,
    /// The correlator over all domains; none if each desk has its own list and nothing else.
    umbrella: Option<Box<dyn Umbrella>>,
    wireless: Desk,
    transport: Desk,
    cases: Vec<Case>,
    /// Engineers under way: the token of the dispatch, the case, and which of its dispatches.
    engineers: Vec<(Token, usize, usize)>,
}

impl Noc {
    /// Desks without any alarm, whose people take so long; with a correlator, if they have one.
    pub fn new(
        inventory: Arc<Inventory>,
        durations: PracticeDurations,
        umbrella: Option<Box<dyn Umbrella>>,
    ) -> Self {
        Self {
            inventory,
            durations,
            umbrella,
            wireless: Desk::new(),
            transport: Desk::new(),
            cases: Vec::new(),
            engineers: Vec::new(),
        }
    }

    /// The alarm lists.
    pub fn alarms(&self) -> [&ActiveAlarms; 2] {
        [&self.wireless.alarms, &self.transport.alarms]
    }

    fn desk(&self, domain: Domain) -> &Desk {
        match domain {
            Domain::Wireless => &self.wireless,
            _ => &self.transport,
        }
    }

    fn desk_mut(&mut self, domain: Domain) -> &mut Desk {
        match domain {
            Domain::Wireless => &mut self.wireless,
            _ => &mut self.transport,
        }
    }

    /// True if an alarm stands; each is on the list of its own domain.
    fn stands(&self, key: &AlarmKey) -> bool {
        let mut lists = self.alarms().into_iter();
        lists.any(|list| list.on(&key.0).any(|(alarm_type, _)| alarm_type == key.1))
    }

    fn is_over(&self, case: usize) -> bool {
        !self.cases[case].keys.iter().any(|key| self.stands(key))
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

    /// The next on the list that has not been tried: what the correlator suspects, then what the
    /// alarms are of: lost service first, then in the order in which they came.
    fn next_blamed(&self, case: usize, now: Timestamp) -> Option<(ElementId, Cause)> {
        let case = &self.cases[case];
        let mut standing: Vec<&AlarmKey> =
            case.keys.iter().filter(|key| self.stands(key)).collect();
        standing.sort_by_key(|(_, alarm_type)| {
            (!takes_sites_out(*alarm_type), !tells_of_loss(*alarm_type))
        });
        let correlated = self.umbrella.as_ref().map(|umbrella| {
            let own: BTreeSet<AlarmKey> = standing.iter().map(|key| (*key).clone()).collect();
            let lists = self.alarms().into_iter().flat_map(ActiveAlarms::standing);
            let all = lists.map(|(key, alarm)| (key.clone(), alarm.since));
            umbrella.suspects(&own, &all.collect(), now)
        });
        let listed = standing.iter().filter_map(|key| self.blamed_for(key));
        let mut blamed = correlated.into_iter().flatten().chain(listed);
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
    pub(super) fn alarm(&mut self, alarm: &Alarm) -> Vec<Output> {
        let Some(element) = self.noc.inventory.element(&alarm.resource).cloned() else {
            return Vec::new();
        };
        let change = self.noc.desk_mut(element.domain).alarms.take(alarm);
        if change != AlarmChange::Raised || !tells_of_loss(alarm.alarm_type) {
            return Vec::new();
        }
        let key = (alarm.resource.clone(), alarm.alarm_type);
        self.list(element.domain, &element.place, key)
    }

    /// Puts an alarm to the open case of its town, or begins one.
    fn list(&mut self, domain: Domain, place: &str, key: AlarmKey) -> Vec<Output> {
        let mut cases = self.noc.cases.iter();
        let one_list = self.noc.umbrella.is_some();
        let same = |c: &Case| c.open && (one_list || c.domain == domain) && c.place == place;
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
            shown: Vec::new(),
            heard: BTreeMap::new(),
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
        let notice = self.noc.durations.of(PracticeStep::Notice);
        let noticed = self.now.plus_s(takes_s(notice, self.rng));
        let matter = Matter::Case(number, NocStep::Noticed);
        (number, vec![self.matters.wake(matter, noticed)])
    }

    /// From time to time: what stands among warnings and degraded cells becomes a case.
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
}
