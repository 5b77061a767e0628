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
//! point. Read next: `noc/investigation.rs`, what is done about a case; [`super::shift`],
//! [`super::journal`].

mod investigation;

use super::journal::CaseRecord;
use super::shift::{Minutes, Shift, takes_s};
use super::{Matter, Matters};
use crate::alarms::{ActiveAlarms, AlarmChange, AlarmKey, tells_of_loss};
use domain::agent::Output;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::telemetry::{Alarm, AlarmType, Token};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;

const NOTICE_MIN: Minutes = (2.0, 10.0);
const SORT_MIN: Minutes = (10.0, 25.0);
/// The hour at which warnings and degraded cells are gone through (UTC).
pub const MINOR_ROUND_H: i64 = 8;

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
}
