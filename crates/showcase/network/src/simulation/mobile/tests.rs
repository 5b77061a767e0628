//! Orders, periods and batteries in the running simulation.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::build::Parameters;
use crate::fault::Fault;
use crate::fault::FaultKind;
use crate::simulation::Emission;
use crate::topology::Backbone;
use domain::inventory::{ElementKind, Inventory, RadioUnit};
use domain::telemetry::AlarmType;
use domain::telemetry::{Action, Alarm, Condition, Performance};
use domain::time::Timestamp;
use std::collections::BTreeMap;

fn start() -> Timestamp {
    Timestamp::parse("2025-04-21T10:07:00Z").unwrap()
}

fn quiet(seed: u64) -> Simulation {
    let parameters = Parameters {
        sites: 120,
        noise: 0.0,
        complaints_per_site_hour: 0.0,
        decoys: false,
        performance: false,
        ..Parameters::default()
    };
    Simulation::new(
        &Backbone::named("Polska").unwrap(),
        parameters,
        seed,
        start(),
    )
}

fn permit() -> Permit {
    Permit {
        probe: BTreeSet::from([Domain::Wireless]),
        radio: true,
        ..Permit::default()
    }
}

fn outcomes(emissions: &[Emission]) -> BTreeMap<Token, (f64, Outcome)> {
    let ended = emissions.iter().filter_map(|e| match &e.tiding {
        EmissionContent::Outcome { token, outcome } => {
            Some((*token, (e.at.seconds_since(start()), outcome.clone())))
        }
        _ => None,
    });
    ended.collect()
}

fn periods(emissions: &[Emission]) -> Vec<Arc<Performance>> {
    let told = emissions.iter().filter_map(|e| match &e.tiding {
        EmissionContent::Telemetry(Telemetry::Performance(p)) => {
            assert_eq!(e.to, Recipients::Domain(Domain::Wireless));
            assert_eq!(e.at, p.until);
            Some(Arc::clone(p))
        }
        _ => None,
    });
    told.collect()
}

fn alarms(emissions: &[Emission], wanted: AlarmType) -> Vec<&Alarm> {
    let told = emissions.iter().filter_map(|e| match &e.tiding {
        EmissionContent::Telemetry(Telemetry::Alarm(a)) if a.alarm_type == wanted => Some(a),
        _ => None,
    });
    told.collect()
}

fn cell_with(inventory: &Inventory, unit: RadioUnit) -> ElementId {
    let mut cells = inventory.cells.iter();
    cells.find(|(_, c)| c.radio_unit == unit).unwrap().0.clone()
}

fn power(cell: &ElementId, offset_db: f64) -> Action {
    Action::SetPower {
        cell: cell.clone(),
        offset_db,
    }
}

fn saving(cell: &ElementId, saving: Saving) -> Action {
    Action::SetSaving {
        cells: BTreeSet::from([cell.clone()]),
        saving,
    }
}

fn after(seconds: f64) -> Timestamp {
    start().plus_s(seconds)
}

#[test]
fn periods_end_at_full_quarters_and_tell_of_every_cell() {
    let mut simulation = quiet(1);
    let told = periods(&simulation.advance(after(3600.0)));
    let ends: Vec<String> = told
        .iter()
        .map(|p| {
            format!(
                "{}..{}",
                &p.from.to_string()[11..16],
                &p.until.to_string()[11..16]
            )
        })
        .collect();
    insta::assert_snapshot!(ends.join(" "), @"10:07..10:15 10:15..10:30 10:30..10:45 10:45..11:00");
    let cells = simulation.inventory().cells.len();
    assert!(
        told.iter()
            .all(|p| p.cells.len() == cells && p.links.is_empty())
    );
    let energy: f64 = told
        .iter()
        .flat_map(|p| p.cells.values())
        .map(|c| c.energy_kwh)
        .sum();
    let until = told.last().unwrap().until;
    let tally = simulation.mobile().tally_at(until);
    assert!(
        (energy - tally.energy_kwh).abs() < 1e-6 * energy,
        "{energy} {tally:?}"
    );
    assert!(simulation.tally().energy_kwh > energy);
}

#[test]
fn waking_takes_time_and_is_not_begun_anew() {
    let mut simulation = quiet(2);
    let cell = cell_with(&simulation.inventory(), RadioUnit::Type10);
    let order = |simulation: &mut Simulation, token, mode| {
        let now = simulation.now();
        simulation.act("saver", &permit(), token, saving(&cell, mode), now);
    };
    let power_w = |simulation: &Simulation| {
        let inventory = simulation.inventory();
        simulation.mobile().site_power_w(inventory.node_of(&cell))
    };
    let awake_w = power_w(&simulation);
    let mut heard = Vec::new();
    order(&mut simulation, 1, Saving::CarrierShutdown);
    heard.extend(simulation.advance(after(10.0)));
    assert!(!simulation.mobile().on_air(&cell));
    // Type10's sleep is measured to save 125 W at no load.
    assert!(power_w(&simulation) < awake_w - 120.0);
    order(&mut simulation, 2, Saving::Off);
    heard.extend(simulation.advance(after(39.0)));
    assert!(!simulation.mobile().on_air(&cell));
    // It is warm before it serves.
    assert!(power_w(&simulation) > awake_w - 60.0);
    heard.extend(simulation.advance(after(100.0)));
    assert!(simulation.mobile().on_air(&cell));
    order(&mut simulation, 3, Saving::DeepSleep);
    heard.extend(simulation.advance(after(200.0)));
    order(&mut simulation, 4, Saving::SymbolShutdown);
    heard.extend(simulation.advance(after(400.0)));
    order(&mut simulation, 5, Saving::Off);
    heard.extend(simulation.advance(after(600.0)));
    order(&mut simulation, 6, Saving::SymbolShutdown);
    heard.extend(simulation.advance(after(700.0)));
    let ended: Vec<String> = outcomes(&heard)
        .into_iter()
        .map(|(token, (at, outcome))| format!("{token} at {at}: {outcome:?}"))
        .collect();
    let ended = ended.join("\n").replace(cell.as_str(), "CELL");
    insta::assert_snapshot!(ended, @r#"
    1 at 5: Done
    2 at 40: Done
    3 at 105: Done
    4 at 500: Impossible("CELL lost its power meanwhile, or was told something else")
    5 at 500: Done
    6 at 600: Done
    "#);
    assert_eq!(
        simulation.mobile().told(&cell),
        Some((0.0, Saving::SymbolShutdown))
    );
}

#[test]
fn power_is_effective_after_five_seconds_and_told_with_the_period() {
    let mut simulation = quiet(3);
    let cell = cell_with(&simulation.inventory(), RadioUnit::Type4);
    let before = simulation.tally();
    assert_eq!(before.energy_kwh, 0.0);
    simulation.act("optimiser", &permit(), 1, power(&cell, 6.0), start());
    simulation.advance(after(4.0));
    assert_eq!(simulation.mobile().told(&cell), Some((0.0, Saving::Off)));
    let heard = simulation.advance(after(900.0));
    assert_eq!(outcomes(&heard)[&1], (5.0, Outcome::Done));
    assert_eq!(periods(&heard)[0].cells[&cell].power_offset_db, 6.0);
}

#[test]
fn what_cells_cannot_do_is_impossible() {
    let mut simulation = quiet(4);
    let inventory = simulation.inventory();
    let old = cell_with(&inventory, RadioUnit::Type4);
    let deep = cell_with(&inventory, RadioUnit::Type9);
    let site = inventory.node_of(&old).clone();
    let nowhere = ElementId::new("cell:Nowhere/1");
    let blind = Permit::default();
    simulation.act("x", &blind, 1, power(&old, 3.0), start());
    simulation.act("x", &permit(), 2, power(&nowhere, 3.0), start());
    simulation.act("x", &permit(), 3, power(&site, 3.0), start());
    simulation.act("x", &permit(), 4, power(&old, 10.5), start());
    simulation.act("x", &permit(), 5, power(&old, f64::NAN), start());
    simulation.act("x", &permit(), 6, saving(&old, Saving::DeepSleep), start());
    simulation.act(
        "x",
        &permit(),
        7,
        saving(&deep, Saving::CarrierShutdown),
        start(),
    );
    simulation.act("x", &blind, 8, saving(&deep, Saving::DeepSleep), start());
    let nothing = Action::SetSaving {
        cells: BTreeSet::new(),
        saving: Saving::Off,
    };
    simulation.act("x", &permit(), 9, nothing, start());
    let heard = simulation.advance(after(30.0));
    let ended: Vec<String> = outcomes(&heard)
        .into_iter()
        .map(|(token, (_, outcome))| format!("{token}: {outcome:?}"))
        .collect();
    let ended = ended.join("\n").replace(old.as_str(), "OLD");
    let ended = ended
        .replace(deep.as_str(), "DEEP")
        .replace(site.as_str(), "SITE");
    insta::assert_snapshot!(ended, @r#"
    1: Impossible("x does not command the radio")
    2: Impossible("the network has no element 'cell:Nowhere/1'")
    3: Impossible("SITE is no cell")
    4: Impossible("the power of OLD can be raised by 0 to 10 dB, not by 10.5")
    5: Impossible("the power of OLD can be raised by 0 to 10 dB, not by NaN")
    6: Impossible("OLD has a Type4 unit, which has no deep-sleep")
    7: Impossible("DEEP has a Type9 unit, which has no carrier-shutdown")
    8: Impossible("x does not command the radio")
    9: Done
    "#);
}

/// The largest zone with old batteries.
fn zone(inventory: &Inventory) -> (ElementId, BTreeSet<ElementId>) {
    let zones = inventory.of_kind(ElementKind::PowerZone).map(|zone| {
        let fed = inventory.of_kind(ElementKind::Site);
        let fed = fed.filter(|site| site.parent.as_ref() == Some(&zone.id));
        (zone.id.clone(), fed.map(|site| site.id.clone()).collect())
    });
    zones
        .max_by_key(|(_, fed): &(ElementId, BTreeSet<ElementId>)| fed.len())
        .unwrap()
}

fn without_mains(seed: u64) -> (Simulation, BTreeSet<ElementId>) {
    let mut simulation = quiet(seed);
    let (element, sites) = zone(&simulation.inventory());
    let fault = Fault {
        kind: FaultKind::MainsFailure,
        element,
        at: after(60.0),
    };
    simulation.inject(fault).unwrap();
    (simulation, sites)
}

#[test]
fn batteries_warn_before_they_are_empty_and_the_site_forgets_what_it_was_told() {
    let (mut simulation, sites) = without_mains(6);
    let inventory = simulation.inventory();
    let cell = inventory
        .cells_of(sites.first().unwrap())
        .next()
        .unwrap()
        .clone();
    simulation.act("optimiser", &permit(), 1, power(&cell, 9.0), start());
    let mut heard = simulation.advance(after(61.0));
    assert!(simulation.sites_out().is_empty());
    let probe = Action::Probe {
        element: sites.first().unwrap().clone(),
    };
    simulation.act("prober", &permit(), 2, probe, after(61.0));
    heard.extend(simulation.advance(after(4500.0)));
    match &outcomes(&heard)[&2].1 {
        Outcome::Measured(m) if m.condition == Condition::Failed => {
            assert!((1.0..100.0).contains(&m.readings["battery_percent"]));
        }
        // The worst of batteries are empty before the probe's readings are there.
        other => {
            assert!(matches!(other, Outcome::Measured(m) if m.condition == Condition::Unreachable))
        }
    }
    assert!(
        sites
            .iter()
            .all(|site| simulation.sites_out().contains(site))
    );
    assert_eq!(simulation.mobile().told(&cell), Some((0.0, Saving::Off)));
    assert_eq!(
        simulation.mobile().site_power_w(sites.first().unwrap()),
        0.0
    );
    let low = alarms(&heard, AlarmType::BatteryLow);
    let warned: BTreeSet<_> = low
        .iter()
        .filter(|a| !a.cleared)
        .map(|a| &a.resource)
        .collect();
    // The end of one takes the way to the core from those behind it before they can tell.
    assert!(warned.len() >= 2, "{warned:?}");
    let area = simulation.mobile().area(&sites);
    assert!(area.served_share < 1.0);
    assert!(simulation.tally().user_minutes_out > 0.0);
    let warned = warned.len();
    // With mains back everything is as before.
    let number = *simulation.state().troubles.keys().next().unwrap();
    simulation.mend(number);
    heard.extend(simulation.advance(after(5500.0)));
    assert!(simulation.sites_out().is_empty());
    assert_eq!(simulation.mobile().area(&sites).served_share, 1.0);
    let low = alarms(&heard, AlarmType::BatteryLow);
    assert!(low.iter().filter(|a| a.cleared).count() >= warned);
}

#[test]
fn sleep_prolongs_what_a_battery_lasts() {
    let lasted = |sleeps: bool| {
        let (mut simulation, sites) = without_mains(6);
        let inventory = simulation.inventory();
        let wide = |cell: &&ElementId| inventory.cells[*cell].capacity_layer;
        // The unit whose sleep is measured to save.
        let shows = |c: &&ElementId| inventory.cells[*c].radio_unit == RadioUnit::Type10;
        let busy = sites
            .iter()
            .find(|s| inventory.cells_of(s).any(|c| shows(&c)));
        let site = busy.unwrap();
        if sleeps {
            let cells = inventory.cells_of(site).filter(wide).cloned().collect();
            let saving = Saving::DeepSleep;
            let action = Action::SetSaving { cells, saving };
            simulation.act("saver", &permit(), 1, action, start());
        }
        while !simulation.state().exhausted.contains_key(site) {
            let next = simulation.next_event_at().unwrap();
            simulation.advance(next);
        }
        simulation.now().seconds_since(after(60.0))
    };
    let (awake, asleep) = (lasted(false), lasted(true));
    assert!((800.0..5_500.0).contains(&awake), "{awake}");
    assert!(asleep > 1.15 * awake, "{asleep} {awake}");
}

#[test]
fn remote_batteries_last_for_hours() {
    let mut simulation = quiet(7);
    let inventory = simulation.inventory();
    let remote =
        |site: &&ElementId| inventory.battery_wh[*site] > old_battery_wh(&inventory, site) + 1.0;
    let site = inventory.battery_wh.keys().find(remote).unwrap();
    let element = inventory.elements[site].parent.clone().unwrap();
    let fault = Fault {
        kind: FaultKind::MainsFailure,
        element,
        at: start(),
    };
    simulation.inject(fault).unwrap();
    simulation.advance(after(2_700.0));
    assert!(!simulation.sites_out().contains(site));
    simulation.advance(after(10.0 * 3600.0));
    assert!(simulation.sites_out().contains(site));
}

#[test]
fn a_second_trouble_keeps_the_mains_away() {
    let (mut simulation, sites) = without_mains(6);
    let site = sites.first().unwrap().clone();
    simulation.advance(after(4500.0));
    let zone = *simulation.state().troubles.keys().next().unwrap();
    simulation.begin(
        77,
        Trouble {
            kind: TroubleKind::SitePower,
            element: site.clone(),
            since: simulation.now(),
            breaks: BTreeMap::new(),
            course: Default::default(),
        },
    );
    simulation.mend(zone);
    simulation.advance(after(5500.0));
    assert_eq!(simulation.sites_out().iter().collect::<Vec<_>>(), [&site]);
    simulation.mend(77);
    simulation.advance(after(6500.0));
    assert!(simulation.sites_out().is_empty());
}

#[test]
fn a_probe_of_a_cell_shows_what_instruments_show() {
    let mut simulation = quiet(8);
    let cell = cell_with(&simulation.inventory(), RadioUnit::Type10);
    let probe = |simulation: &mut Simulation, token| {
        let now = simulation.now();
        let element = cell.clone();
        simulation.act("prober", &permit(), token, Action::Probe { element }, now);
        let heard = simulation.advance(now.plus_s(130.0));
        match outcomes(&heard).remove(&token) {
            Some((_, Outcome::Measured(measured))) => measured,
            other => panic!("{other:?}"),
        }
    };
    let awake = probe(&mut simulation, 1);
    assert_eq!(
        (awake.condition, awake.readings["carrier_on"]),
        (Condition::Good, 1.0)
    );
    assert!((awake.readings["tx_power_dbm"] - 50.0).abs() < 2.0);
    assert!((1.0..2.0).contains(&awake.readings["vswr"]));
    let names: Vec<&str> = awake.readings.keys().map(String::as_str).collect();
    insta::assert_snapshot!(names.join(" "), @"carrier_on interference_dbm power_offset_db saving_mode temperature_celsius tx_power_dbm vswr");
    let now = simulation.now();
    simulation.act("saver", &permit(), 2, saving(&cell, Saving::DeepSleep), now);
    simulation.advance(now.plus_s(10.0));
    let asleep = probe(&mut simulation, 3);
    assert_eq!(
        (asleep.condition, asleep.readings["carrier_on"]),
        (Condition::Good, 0.0)
    );
    assert_eq!(asleep.readings["saving_mode"], 3.0);
    let dead = Fault {
        kind: FaultKind::CellHardwareFailure,
        element: cell.clone(),
        at: simulation.now(),
    };
    simulation.inject(dead).unwrap();
    assert_eq!(probe(&mut simulation, 4).condition, Condition::Failed);
}

/// The same seed gives the same bytes, with orders given and revoked.
#[test]
fn the_same_orders_give_the_same_bytes_in_steps_or_at_once() {
    let run = |step_s: f64| {
        let (mut simulation, sites) = without_mains(9);
        let inventory = simulation.inventory();
        let mut heard = Vec::new();
        for (token, cell) in (0..).zip(inventory.cells.keys().step_by(7)) {
            simulation.act("a", &permit(), token, power(cell, 4.0), start());
            simulation.act(
                "b",
                &permit(),
                token,
                saving(cell, Saving::SymbolShutdown),
                start(),
            );
        }
        let mut now = start();
        while now < after(7200.0) {
            now = now.plus_s(step_s);
            heard.extend(simulation.advance(now));
        }
        assert!(!sites.is_empty());
        format!("{heard:?}")
    };
    assert_eq!(run(7200.0), run(36.0));
}
