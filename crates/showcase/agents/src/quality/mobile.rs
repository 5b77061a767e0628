//! The mobile network of a province: where the vehicle was, and how its cells did.
//!
//! | records show | and | means |
//! |---|---|---|
//! | visits at the time | a site or cell of them alarmed | `failed` or `degraded`, that element |
//! | visits at the time | a full cell, or hardly any throughput | `degraded`, that cell |
//! | visits at the time | hardly any signal | `degraded`, weak coverage |
//! | nothing between two visits here | a site around them was out for most of it | `failed`, that site |
//! | nothing between two visits here | the same cell before and after, strong | `failed`, its site |
//! | nothing between two visits here | else | `degraded`, weak coverage |
//! | that it left before | – | `no_data`, and where it went |
//!
//! Without a vehicle the sites of the town are looked at. Read next: `mobile/whereabouts.rs`,
//! [`super::history`].

mod whereabouts;

use super::history::Interval;
use super::{QualityAgent, QualityContext, QualityDomain, Trace, blamed};
use crate::complaints::reader::when::TimeSpan;
use crate::payloads::quality::{ProvinceEntry, ProvinceExit, Quality, QualityCheck, QualityResult};
use crate::wording::counted;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId, ElementKind};
use domain::radio::{POOR_MBPS, WEAK_DBM};
use domain::telemetry::{AlarmType, Visit};
use std::collections::BTreeSet;
use whereabouts::{Gap, Whereabouts, common, felt_gaps, is_absence, span_of, whereabouts};

/// The quality agent of a province's mobile network.
pub type MobileQuality = QualityAgent<MobileDomain>;

/// Records are taken so rarely while a vehicle is parked, in seconds: a shorter silence says nothing.
const SILENCE_S: f64 = 1_000.0;
/// The time after which a vehicle at a cell is parked, in seconds.
const PARKED_S: f64 = 1_800.0;
/// Sites so near to one that was used may have served as well, in kilometres.
const AROUND_KM: f64 = 8.0;
/// The RSRP from which coverage is strong, in dBm per resource element.
const STRONG_DBM: f64 = -105.0;
/// The load above which a cell is full.
const FULL: f64 = 0.95;
/// A shorter silence is a tunnel, in seconds.
const SHORTEST_S: f64 = 120.0;
/// An outage explains a silence of which it covers this share.
const EXPLAINS: f64 = 0.6;
/// So many of a town's sites out of service are much of it.
const MUCH: f64 = 0.2;
/// The alarms that say that a site is out.
const OUT: [AlarmType; 2] = [AlarmType::SiteUnreachable, AlarmType::CellsOutOfService];

/// The knowledge that the mobile domain has of quality.
#[derive(Debug)]
pub struct MobileDomain;

impl QualityDomain for MobileDomain {
    const DOMAIN: Domain = Domain::Wireless;
    const TRACES: bool = true;

    fn judge(
        ground: &QualityContext<'_>,
        check: &QualityCheck,
        trace: Option<&Trace>,
    ) -> QualityResult {
        match trace.filter(|t| !t.visits.is_empty()) {
            Some(trace) => of_vehicle(ground, check, trace),
            None => of_place(ground, check, check.vehicle.is_some()),
        }
    }
}

fn of_vehicle(ground: &QualityContext<'_>, check: &QualityCheck, trace: &Trace) -> QualityResult {
    // Of several silences, one that an outage explains is what was felt.
    let here = |gap: &Gap<'_>| !is_absence(trace, Some(gap.0), gap.1);
    let gaps = felt_gaps(trace, check.when).into_iter().filter(here);
    let explained = gaps.into_iter().find_map(|gap| {
        let beside: Vec<&Visit> = [gap.0].into_iter().chain(gap.1).collect();
        let span = span_of(trace, &gap);
        explained(ground, &beside, span).or_else(|| town_was_out(ground, check, span))
    });
    if let Some(explained) = explained {
        return explained;
    }
    match whereabouts(trace, check.when) {
        Whereabouts::Here(visits) => served(ground, check, &visits),
        Whereabouts::Silent(before, after) => silent(ground, check, before, after),
        Whereabouts::Away(before, after) => away(ground, check, trace, before, after),
    }
}

fn away(
    ground: &QualityContext<'_>,
    check: &QualityCheck,
    trace: &Trace,
    before: Option<&Visit>,
    after: Option<&Visit>,
) -> QualityResult {
    let gap = TimeSpan {
        from: before.map_or(check.when.from, |v| v.until),
        until: after.map_or(trace.until, |v| v.from),
    };
    // Of a vehicle that came into a dead town no record tells.
    if let Some(out) = town_was_out(ground, check, gap) {
        return out;
    }
    let left_to = trace.left_to.clone().zip(before.map(|v| v.until));
    let left_to = left_to.map(|(province, at)| ProvinceExit { province, at });
    let came_from = trace.came_from.clone().zip(after.map(|v| v.from));
    let came_from = came_from.map(|(province, at)| ProvinceEntry { province, at });
    let evidence = match (&left_to, &came_from) {
        (Some(left), _) => format!(
            "the vehicle was seen here last at {}, and left to {}",
            left.at, left.province
        ),
        (None, Some(came)) => format!("the vehicle came from {} at {}", came.province, came.at),
        (None, None) => "the vehicle was not seen here".to_owned(),
    };
    QualityResult {
        left_to,
        came_from,
        evidence: vec![evidence],
        ..QualityResult::default()
    }
}

/// The vehicle was served: how did those do who served it?
fn served(ground: &QualityContext<'_>, check: &QualityCheck, visits: &[&Visit]) -> QualityResult {
    let sites = sites_of(ground, visits);
    // A site that served was in service, whatever its management system missed.
    let found =
        impaired(ground, visits, check.when).or_else(|| crowded(ground, visits, check.when));
    let base = QualityResult {
        present: true,
        sites,
        ..QualityResult::default()
    };
    if let Some(found) = found {
        return QualityResult {
            present: true,
            sites: base.sites,
            ..found
        };
    }
    let weakest = visits.iter().map(|v| v.rsrp_dbm).fold(0.0, f64::min);
    let weak = weakest < WEAK_DBM;
    QualityResult {
        quality: if weak {
            Quality::Degraded
        } else {
            Quality::Good
        },
        weak_coverage: weak,
        evidence: vec![format!(
            "served by {} cells, {weakest:.0} dBm at worst",
            visits.len()
        )],
        ..base
    }
}

/// The vehicle was here and nothing served it.
fn silent(
    ground: &QualityContext<'_>,
    check: &QualityCheck,
    before: Option<&Visit>,
    after: Option<&Visit>,
) -> QualityResult {
    let beside: Vec<&Visit> = before.into_iter().chain(after).collect();
    let sure = sites_of(ground, &beside);
    let gap = TimeSpan {
        from: before.map_or(check.when.from, |v| v.until),
        until: after.map_or(check.when.until, |v| v.from.max(check.when.from)),
    };
    let found = explained(ground, &beside, gap);
    let found = found
        .or_else(|| town_was_out(ground, check, gap))
        .or_else(|| {
            let lost = parked_and_lost(ground, before, after)?;
            Some(QualityResult {
                present: true,
                sites: sure.clone(),
                ..lost
            })
        });
    found.unwrap_or_else(|| QualityResult {
        quality: Quality::Degraded,
        weak_coverage: true,
        present: true,
        sites: sure,
        since: Some(gap.from),
        until: Some(gap.until),
        evidence: vec![silence(gap)],
        ..QualityResult::default()
    })
}

/// Much of the town that the customer names was out while the vehicle was silent: it was on its way
/// into it, or there.
fn town_was_out(
    ground: &QualityContext<'_>,
    check: &QualityCheck,
    gap: TimeSpan,
) -> Option<QualityResult> {
    let when = common(gap, check.when);
    let sites = ground.sites_of(check.place.as_ref()?);
    let out = sites.iter().filter_map(|site| {
        let (alarm, interval, share) = ground.history.covered(site, &OUT, when)?;
        (share >= EXPLAINS).then_some((site, alarm, interval))
    });
    let out: Vec<_> = out.collect();
    let much = !out.is_empty() && out.len() as f64 >= MUCH * sites.len() as f64;
    let (site, alarm, interval) = out.first().filter(|_| much)?;
    let mut found = out_since(ground, site, *alarm, *interval);
    let words = format!(
        "{} of {} sites of the town were out",
        out.len(),
        sites.len()
    );
    found.evidence.extend([words, silence(gap)]);
    Some(QualityResult {
        present: true,
        sites: found.element.iter().cloned().collect(),
        ..found
    })
}

fn silence(gap: TimeSpan) -> String {
    format!("no record between {} and {}", gap.from, gap.until)
}

/// The outage that explains a silence: of a site that served before or after it, or of one near to
/// these, which lasted for most of the silence.
fn explained(
    ground: &QualityContext<'_>,
    beside: &[&Visit],
    gap: TimeSpan,
) -> Option<QualityResult> {
    let sure = &sites_of(ground, beside);
    // The end of an alarm may be lost: a site that served while it stood was not out.
    let served = |site: &ElementId, interval: &Interval| {
        let at_work = |v: &&&Visit| ground.inventory.node_of(&v.cell) == site;
        beside.iter().filter(at_work).any(|v| {
            let late = v.until.seconds_since(interval.from) > SILENCE_S;
            let within = interval
                .until
                .is_none_or(|u| u.seconds_since(v.from) > SILENCE_S);
            late && within
        })
    };
    let lasting = |sites: &BTreeSet<ElementId>| {
        let out = sites.iter().filter_map(|site| {
            let (alarm, interval, share) = ground.history.covered(site, &OUT, gap)?;
            let out = share >= EXPLAINS && !served(site, &interval);
            out.then_some((site, alarm, interval, share))
        });
        out.max_by(|a, b| a.3.total_cmp(&b.3))
            .map(|(site, alarm, interval, _)| out_since(ground, site, alarm, interval))
    };
    let found = lasting(sure).or_else(|| lasting(&around(ground, sure)))?;
    let mut evidence = found.evidence;
    evidence.push(silence(gap));
    Some(QualityResult {
        present: true,
        sites: found.element.iter().cloned().collect(),
        evidence,
        ..found
    })
}

/// A vehicle that had a strong signal of one cell before and after did not move: its site failed,
/// though no alarm says so.
fn parked_and_lost(
    ground: &QualityContext<'_>,
    before: Option<&Visit>,
    after: Option<&Visit>,
) -> Option<QualityResult> {
    let (before, after) = (before?, after?);
    let strong = before.rsrp_dbm.min(after.rsrp_dbm) > STRONG_DBM;
    let stays = |v: &Visit| v.until.seconds_since(v.from) >= 0.9 * PARKED_S;
    let parked = before.cell == after.cell && stays(before) && stays(after);
    (parked && strong).then(|| QualityResult {
        quality: Quality::Failed,
        element: Some(ground.inventory.node_of(&before.cell).clone()),
        since: Some(before.until),
        until: Some(after.from),
        evidence: vec![format!(
            "{} served before and after, and not between",
            before.cell
        )],
        ..QualityResult::default()
    })
}

/// No vehicle, or none that is known here: the town's sites.
fn of_place(ground: &QualityContext<'_>, check: &QualityCheck, unseen: bool) -> QualityResult {
    let mut sites = check.sites.clone();
    sites.extend(check.place.iter().flat_map(|town| ground.sites_of(town)));
    if sites.is_empty() {
        let why = match unseen {
            true => "the vehicle was not seen here, and no site is known",
            false => "neither a vehicle nor a place of this province is known",
        };
        return QualityResult {
            evidence: vec![why.to_owned()],
            ..QualityResult::default()
        };
    }
    let evidence = format!("no alarm at {}", counted(sites.len(), "site", "sites"));
    let found = out_of_service(ground, &sites, check.when).filter(lasted);
    // Of a vehicle that no record shows here, the town's sites say little: they are fine, no more.
    let good = QualityResult {
        quality: if unseen {
            Quality::NoData
        } else {
            Quality::Good
        },
        evidence: vec![evidence],
        ..QualityResult::default()
    };
    QualityResult {
        sites,
        ..found.unwrap_or(good)
    }
}

/// True if what was found lasted long enough to be felt.
fn lasted(found: &QualityResult) -> bool {
    let lasted = found.since.zip(found.until);
    lasted.is_none_or(|(since, until)| until.seconds_since(since) >= SHORTEST_S)
}

/// The own sites of visited cells.
fn sites_of(ground: &QualityContext<'_>, visits: &[&Visit]) -> BTreeSet<ElementId> {
    let sites = visits.iter().map(|v| ground.inventory.node_of(&v.cell));
    sites.filter(|s| ground.is_own(s)).cloned().collect()
}

/// The other own sites near to some.
fn around(ground: &QualityContext<'_>, sites: &BTreeSet<ElementId>) -> BTreeSet<ElementId> {
    let position = |id: &ElementId| ground.inventory.element(id).map(|e| e.position);
    let centres: Vec<(f64, f64)> = sites.iter().filter_map(position).collect();
    let near = |p: (f64, f64)| centres.iter().any(|c| distance_km(*c, p) <= AROUND_KM);
    let all = ground.inventory.of_kind(ElementKind::Site);
    let found = all.filter(|s| near(s.position) && ground.is_own(&s.id) && !sites.contains(&s.id));
    found.map(|s| s.id.clone()).collect()
}

/// Kilometres between two points; good enough for neighbours.
fn distance_km(a: (f64, f64), b: (f64, f64)) -> f64 {
    let east = (b.0 - a.0) * a.1.to_radians().cos() * 111.2;
    let north = (b.1 - a.1) * 111.2;
    east.hypot(north)
}

/// The first of the sites that was out at the time, with its cause if its mains was away.
fn out_of_service(
    ground: &QualityContext<'_>,
    sites: &BTreeSet<ElementId>,
    when: TimeSpan,
) -> Option<QualityResult> {
    let history = ground.history;
    let out = sites.iter().filter_map(|site| {
        let (alarm, interval) = history.stood(site, &OUT, when)?;
        Some((site, alarm, interval))
    });
    let (site, alarm, interval) = out.min_by_key(|(_, _, interval)| interval.from)?;
    Some(out_since(ground, site, alarm, interval))
}

/// A site that was out, with its cause if its mains was away.
fn out_since(
    ground: &QualityContext<'_>,
    site: &ElementId,
    alarm: AlarmType,
    interval: Interval,
) -> QualityResult {
    let mains = [AlarmType::MainsFailure];
    // Batteries last a while: the mains may have gone earlier.
    let earlier = TimeSpan {
        from: interval.from.plus_s(-6.0 * 3_600.0),
        until: interval.from.plus_s(600.0),
    };
    let dark = ground.history.stood(site, &mains, earlier).is_some();
    let cause = dark.then_some(Cause::MainsFailure);
    blamed(Quality::Failed, site, alarm, interval, cause)
}

/// A visited cell that was off or impaired.
fn impaired(
    ground: &QualityContext<'_>,
    visits: &[&Visit],
    when: TimeSpan,
) -> Option<QualityResult> {
    let types = [
        AlarmType::CellUnavailable,
        AlarmType::InterferenceHigh,
        AlarmType::CellDegraded,
    ];
    visits.iter().find_map(|visit| {
        let (alarm, interval) = ground.history.stood(&visit.cell, &types, when)?;
        let (quality, cause) = match alarm {
            AlarmType::CellUnavailable => (Quality::Failed, None),
            AlarmType::InterferenceHigh => (Quality::Degraded, Some(Cause::Interference)),
            _ => (Quality::Degraded, None),
        };
        Some(blamed(quality, &visit.cell, alarm, interval, cause))
    })
}

/// A visited cell that had no room, or gave next to nothing under a good signal.
fn crowded(
    ground: &QualityContext<'_>,
    visits: &[&Visit],
    when: TimeSpan,
) -> Option<QualityResult> {
    let full = |cell: &ElementId| {
        let mut periods = ground.history.cell(cell, when);
        periods.any(|p| p.load > FULL || (p.users > 0.0 && p.edge_throughput_mbps < POOR_MBPS))
    };
    let poor =
        |v: &&&Visit| v.rsrp_dbm >= WEAK_DBM && (v.throughput_mbps < POOR_MBPS || full(&v.cell));
    let visit = visits.iter().find(poor)?;
    Some(QualityResult {
        quality: Quality::Degraded,
        element: Some(visit.cell.clone()),
        since: Some(visit.from),
        until: Some(visit.until),
        evidence: vec![format!(
            "{} gave {:.1} Mbit/s",
            visit.cell, visit.throughput_mbps
        )],
        ..QualityResult::default()
    })
}
