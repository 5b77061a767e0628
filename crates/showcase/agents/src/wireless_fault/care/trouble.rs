//! The alarms that make a trouble, and which troubles are one.
//!
//! Sites that are out and hang on a router in common are one trouble, and a shared one if they are two
//! or more: then the OSS agent finds the cause. Cells in trouble are one for each site; where several
//! hear foreign power, neighbours are one, for one source disturbs them all.

use super::audit::departures;
use super::case::CareCase;
use super::{Care, LOOK_EACH_S, SETTLED_S, Timer};
use crate::wireless_fault::expertise::Base;
use crate::wording::counted;
use domain::agent::Output;
use domain::inventory::ElementId;
use domain::telemetry::{AlarmType, Configuration};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// True if alarms of this type tell of users who lose service.
pub fn tells_of_trouble(alarm_type: AlarmType) -> bool {
    matches!(
        alarm_type,
        AlarmType::SiteUnreachable | AlarmType::CellsOutOfService
    ) || is_of_cell(alarm_type)
}

/// True if alarms of this type are about a cell.
pub(super) fn is_of_cell(alarm_type: AlarmType) -> bool {
    matches!(
        alarm_type,
        AlarmType::CellUnavailable | AlarmType::CellDegraded | AlarmType::InterferenceHigh
    )
}

/// The state that alarms tell, as far as it has settled.
struct Seen {
    /// Sites that are out.
    sites: BTreeSet<ElementId>,
    /// Cells in trouble at sites that are not, and what is said of them.
    cells: BTreeMap<ElementId, BTreeSet<AlarmType>>,
    /// The instant at which the next alarm will have settled.
    next: Option<Timestamp>,
}

impl Care {
    /// Opens cases for what has settled, and looks at those whose alarms have gone.
    pub(super) fn settle(&mut self, base: &mut Base, now: Timestamp) -> Vec<Output> {
        let seen = seen(base, now);
        let mut outputs = Vec::new();
        if let Some(next) = seen.next {
            outputs.extend(self.settle_at(base, next));
        }
        for sites in self.fresh_sites(base, &seen) {
            outputs.extend(self.open_for_sites(base, sites, now));
        }
        self.join_disturbed(base, &seen);
        for (cells, symptoms) in self.fresh_cells(base, &seen) {
            outputs.extend(self.open_for_cells(base, cells, symptoms, BTreeMap::new(), now));
        }
        let gone = |c: &&CareCase| !c.adopted && !stands(base, c);
        let gone: Vec<u64> = self.cases.iter().filter(gone).map(|c| c.number).collect();
        for number in gone {
            outputs.extend(self.look(base, number));
        }
        outputs
    }

    /// Sites out of service that no case has, those on common routers together.
    fn fresh_sites(&self, base: &Base, seen: &Seen) -> Vec<BTreeSet<ElementId>> {
        let known = |s: &ElementId| {
            let has = |c: &CareCase| c.sites.contains(s) && c.cells.is_empty();
            self.cases.iter().any(has)
        };
        let fresh = seen.sites.iter().filter(|s| !known(s));
        let mut groups: Vec<BTreeSet<ElementId>> = Vec::new();
        for site in fresh {
            let near = |g: &BTreeSet<ElementId>| g.iter().any(|s| on_common_router(base, s, site));
            let (mut joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(near);
            let mut group: BTreeSet<ElementId> = joined.drain(..).flatten().collect();
            group.insert(site.clone());
            groups = apart;
            groups.push(group);
        }
        groups
    }

    fn fresh_cells(
        &self,
        base: &Base,
        seen: &Seen,
    ) -> Vec<(BTreeSet<ElementId>, BTreeSet<AlarmType>)> {
        let inventory = base.topology().inventory();
        let known = |cell: &ElementId| {
            let site = inventory.node_of(cell);
            let of_site = |c: &CareCase| c.cells.is_empty() && c.sites.contains(site);
            let has = |c: &CareCase| c.cells.contains(cell) || of_site(c);
            self.cases.iter().any(has)
        };
        type Group = (BTreeSet<ElementId>, BTreeSet<AlarmType>);
        let mut groups: Vec<Group> = Vec::new();
        for (cell, symptoms) in seen.cells.iter().filter(|(c, _)| !known(c)) {
            let disturbed = symptoms.contains(&AlarmType::InterferenceHigh);
            let near = |g: &Group| {
                g.0.iter().any(|other| {
                    let same_site = inventory.node_of(other) == inventory.node_of(cell);
                    let both = disturbed && g.1.contains(&AlarmType::InterferenceHigh);
                    same_site || (both && are_neighbours(base, other, cell))
                })
            };
            let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(near);
            let mut group: Group = (BTreeSet::from([cell.clone()]), symptoms.clone());
            for (cells, said) in joined {
                group.0.extend(cells);
                group.1.extend(said);
            }
            groups = apart;
            groups.push(group);
        }
        groups
    }

    /// A cell that hears foreign power beside a case of such is of that case: one source disturbs both.
    fn join_disturbed(&mut self, base: &Base, seen: &Seen) {
        let inventory = base.topology().inventory();
        let hears = |said: &BTreeSet<AlarmType>| said.contains(&AlarmType::InterferenceHigh);
        for (cell, _) in seen.cells.iter().filter(|(_, said)| hears(said)) {
            let near = |other: &ElementId| {
                inventory.node_of(other) == inventory.node_of(cell)
                    || are_neighbours(base, other, cell)
            };
            let joins = |c: &&mut CareCase| hears(&c.symptoms) && c.cells.iter().any(near);
            if let Some(case) = self.cases.iter_mut().find(joins) {
                case.sites.insert(inventory.node_of(cell).clone());
                case.cells.insert(cell.clone());
            }
        }
    }

    fn open_for_sites(
        &mut self,
        base: &mut Base,
        sites: BTreeSet<ElementId>,
        now: Timestamp,
    ) -> Vec<Output> {
        let near = |c: &CareCase| {
            let out = c.cells.is_empty() && !c.adopted;
            let mut of_case = c.sites.iter();
            out && of_case.any(|s| sites.iter().any(|t| on_common_router(base, s, t)))
        };
        let beside: Vec<u64> = self
            .cases
            .iter()
            .filter(|c| near(c))
            .map(|c| c.number)
            .collect();
        let shared = sites.len() > 1 || !beside.is_empty();
        for number in beside {
            if let Some(case) = self.case(number) {
                case.shared = true;
            }
        }
        let mut case = self.fresh(now);
        let first = sites.first().map(ElementId::to_string);
        let words = match shared {
            true => format!(
                "Trouble {}: {} out of service; the cause may be shared and is the OSS \
                 agent's to find, their users are cared for here",
                case.number,
                counted(sites.len(), "site is", "sites are")
            ),
            false => format!(
                "Trouble {}: {} is out of service",
                case.number,
                first.unwrap_or_default()
            ),
        };
        let on_sites = sites.iter().flat_map(|site| base.alarms().on(site));
        let told = on_sites.map(|(t, _)| t).filter(|t| tells_of_trouble(*t));
        case.symptoms = told.collect();
        (case.sites, case.shared) = (sites, shared);
        self.begin(base, case, words, now)
    }

    /// Opens a case for cells, with what alarms say of them, or what was read of their parameters.
    pub(super) fn open_for_cells(
        &mut self,
        base: &mut Base,
        cells: BTreeSet<ElementId>,
        symptoms: BTreeSet<AlarmType>,
        configurations: BTreeMap<ElementId, Configuration>,
        now: Timestamp,
    ) -> Vec<Output> {
        let inventory = base.topology().inventory().clone();
        let mut case = self.fresh(now);
        let mut said: Vec<&str> = symptoms.iter().map(|s| s.as_str()).collect();
        if said.is_empty() {
            said.push("as their counters and a look at them say");
        }
        let first = cells.first().map(ElementId::as_str);
        let words = format!(
            "Trouble {}: {}, {} first, {}",
            case.number,
            counted(cells.len(), "cell", "cells"),
            first.unwrap_or_default(),
            said.join(", ")
        );
        case.sites = cells.iter().map(|c| inventory.node_of(c).clone()).collect();
        (case.cells, case.symptoms) = (cells, symptoms);
        // Whoever read parameters did so because counters told.
        case.borne_out = !configurations.is_empty();
        case.configurations = configurations;
        self.begin(base, case, words, now)
    }

    fn fresh(&mut self, now: Timestamp) -> CareCase {
        self.opened += 1;
        CareCase {
            before: self.periods.clone(),
            ..CareCase::new(self.opened, now)
        }
    }

    fn begin(
        &mut self,
        base: &mut Base,
        case: CareCase,
        words: String,
        now: Timestamp,
    ) -> Vec<Output> {
        let number = case.number;
        self.cases.push(case);
        let mut outputs = vec![Output::Note(words)];
        outputs.push(self.wake(base, Timer::Look(number), now.plus_s(LOOK_EACH_S)));
        outputs.extend(match self.needs_no_check(base, number) {
            true => self.care_for_users(base, number, now),
            false => self.check_alarms(base, number, now),
        });
        outputs
    }
}

/// True while alarms, or parameters that were read and not set yet, say that the trouble of a case
/// stands.
pub(super) fn stands(base: &Base, case: &CareCase) -> bool {
    let alarms = base.alarms();
    if case.cells.is_empty() {
        return case.sites.iter().any(|s| alarms.site_is_out(s));
    }
    let troubled = |c: &ElementId| alarms.on(c).any(|(t, _)| is_of_cell(t));
    let differs = |read: &Configuration| !departures(read).is_empty();
    if case.configurations.values().any(differs) {
        return true;
    }
    case.cells.iter().any(troubled) || case.sites.iter().any(|s| alarms.site_is_out(s))
}

fn seen(base: &Base, now: Timestamp) -> Seen {
    let mut seen = Seen {
        sites: BTreeSet::new(),
        cells: BTreeMap::new(),
        next: None,
    };
    let inventory = base.topology().inventory();
    for ((element, alarm_type), standing) in base.alarms().standing() {
        if !tells_of_trouble(*alarm_type) {
            continue;
        }
        let settled_at = standing.since.plus_s(SETTLED_S);
        if settled_at > now {
            seen.next = seen.next.into_iter().chain([settled_at]).min();
            continue;
        }
        match is_of_cell(*alarm_type) {
            false => drop(seen.sites.insert(element.clone())),
            true if base.alarms().site_is_out(inventory.node_of(element)) => {}
            true => {
                let said = seen.cells.entry(element.clone()).or_default();
                said.insert(*alarm_type);
            }
        }
    }
    seen
}

fn on_common_router(base: &Base, one: &ElementId, other: &ElementId) -> bool {
    let area = |s| base.topology().area(s);
    let common = area(one).zip(area(other));
    common.is_some_and(|(a, b)| !a.is_disjoint(b))
}

fn are_neighbours(base: &Base, one: &ElementId, other: &ElementId) -> bool {
    let cells = &base.topology().inventory().cells;
    let lists =
        |a: &ElementId, b: &ElementId| cells.get(a).is_some_and(|c| c.neighbours.contains(b));
    lists(one, other) || lists(other, one)
}
