//! The speed of the simulation in a network of 50 routers and about 5,000 cells.
//!
//! ```text
//! cargo bench -p convoke-network --bench day -- [--json] [--smoke] [--sites N]
//! ```
//! Rows: `build`: building the inventory and its users; `look`: one evaluation of the mobile
//! domain, with every fourth capacity layer asleep; `quiet day`: users, loads and energy of a day,
//! and nothing else; `lively day`: with background alarms, small outages, a fault every hour, each
//! mended within two, and changes of cells' power and sleep every five minutes. Speeds are
//! simulated hours per second, and per second of processor time, which does not depend on other
//! load of the machine. `--json` prints one object per line. Without `--bench`, which `cargo bench`
//! passes, or with `--smoke`, it only checks that everything runs.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    missing_docs
)]

use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::permit::Permit;
use domain::telemetry::{Action, Saving};
use domain::time::Timestamp;
use network::mobile::{Mobile, MobileSettings, TransportState};
use network::{Backbone, Fault, FaultKind, Parameters, Simulation};
use std::collections::BTreeSet;
use std::time::Instant;

struct Scale {
    sites: usize,
    looks: u32,
    hours: u32,
}

const FULL: Scale = Scale {
    sites: 1_000,
    looks: 100,
    hours: 24,
};
const SMOKE: Scale = Scale {
    sites: 60,
    looks: 2,
    hours: 2,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|a| a == word);
    let scale = match has("--bench") && !has("--smoke") {
        true => FULL,
        false => SMOKE,
    };
    let sites = arguments.iter().skip_while(|a| *a != "--sites").nth(1);
    let scale = Scale {
        sites: sites.map_or(scale.sites, |n| n.parse().unwrap()),
        ..scale
    };
    let json = has("--json");
    let begun = Instant::now();
    let simulation = network(&scale, true);
    tell(json, "build", begun.elapsed().as_secs_f64() * 1e3, "ms");
    let inventory = simulation.inventory();
    tell(
        json,
        "routers",
        inventory.of_kind(ElementKind::Router).count() as f64,
        "",
    );
    tell(json, "cells", inventory.cells.len() as f64, "");
    tell(json, "look", look(&inventory, scale.looks), "ms");
    tell_speed(json, "quiet day", quiet_day(simulation, scale.hours));
    let lively = network(&scale, false);
    tell_speed(json, "lively day", lively_day(lively, scale.hours));
}

/// Simulated hours per second, and per second of processor time.
type Speed = [f64; 2];

/// The speed at which `pass` simulates so many hours.
fn timed(hours: u32, pass: impl FnOnce()) -> Speed {
    let (begun, used_s) = (Instant::now(), processor_s());
    pass();
    let seconds = [begun.elapsed().as_secs_f64(), processor_s() - used_s];
    seconds.map(|seconds| f64::from(hours) / seconds)
}

/// Processor time used by this process so far, in seconds, from Linux' `/proc`; NaN elsewhere.
fn processor_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let used_ns: Option<f64> = stat.split_whitespace().next().and_then(|n| n.parse().ok());
    used_ns.map_or(f64::NAN, |ns| ns / 1e9)
}

fn tell_speed(json: bool, row: &str, [wall, processor]: Speed) {
    tell(json, row, wall, "hours/s");
    let row = format!("{row}, processor");
    tell(json, &row, processor, "hours/s");
}

fn tell(json: bool, row: &str, value: f64, unit: &str) {
    match json {
        true => println!(r#"{{"row":"{row}","value":{value:.3},"unit":"{unit}"}}"#),
        false => println!("{row:<22} {value:>12.2} {unit}"),
    }
}

fn start() -> Timestamp {
    Timestamp::parse("2025-04-21T00:00:00Z").unwrap()
}

fn network(scale: &Scale, quiet: bool) -> Simulation {
    let lively = Parameters {
        sites: scale.sites,
        ..Parameters::default()
    };
    let parameters = match quiet {
        true => Parameters {
            noise: 0.0,
            complaints_per_site_hour: 0.0,
            decoys: false,
            ..lively
        },
        false => lively,
    };
    Simulation::new(&Backbone::default(), parameters, 1, start())
}

/// Milliseconds per evaluation of the mobile domain.
fn look(inventory: &Inventory, looks: u32) -> f64 {
    let mut mobile = Mobile::new(inventory, &MobileSettings::default(), 1, start());
    let wide = inventory.cells.iter().filter(|(_, c)| c.capacity_layer);
    for (cell, _) in wide.step_by(4) {
        mobile.set_saving(cell, Saving::DeepSleep);
    }
    let begun = Instant::now();
    for look in 0..looks {
        mobile.see(
            TransportState::default(),
            start().plus_s(f64::from(look) * 900.0),
        );
    }
    begun.elapsed().as_secs_f64() * 1e3 / f64::from(looks)
}

fn quiet_day(mut simulation: Simulation, hours: u32) -> Speed {
    timed(hours, || {
        simulation.advance(start().plus_s(f64::from(hours) * 3600.0));
        assert!(simulation.tally().energy_kwh > 0.0);
    })
}

fn lively_day(mut simulation: Simulation, hours: u32) -> Speed {
    let inventory = simulation.inventory();
    let zones: Vec<&ElementId> = inventory
        .of_kind(ElementKind::PowerZone)
        .map(|zone| &zone.id)
        .collect();
    for hour in 0..hours {
        let fault = Fault {
            kind: FaultKind::MainsFailure,
            element: zones[hour as usize * 7 % zones.len()].clone(),
            at: start().plus_s(f64::from(hour) * 3600.0 + 600.0),
        };
        simulation.inject(fault).unwrap();
    }
    let permit = Permit {
        field: true,
        radio: true,
        ..Permit::default()
    };
    timed(hours, || {
        for step in 0..hours * 12 {
            let now = start().plus_s(f64::from(step) * 300.0);
            for action in orders(&inventory, step) {
                simulation.act("operator", &permit, u64::from(step), action, now);
            }
            repair(&mut simulation, &permit, &zones, step, now);
            simulation.advance(now.plus_s(300.0));
        }
    })
}

/// A power and a sleep order for thirty cells, different ones at each step.
fn orders(inventory: &Inventory, step: u32) -> [Action; 2] {
    let cell = inventory
        .cells
        .keys()
        .nth(step as usize % inventory.cells.len());
    let wide = inventory.cells.iter().filter(|(_, c)| c.capacity_layer);
    let cells: BTreeSet<ElementId> = wide
        .skip(step as usize % 50)
        .step_by(30)
        .take(30)
        .map(|(id, _)| id.clone())
        .collect();
    let saving = match step % 2 {
        0 => Saving::DeepSleep,
        _ => Saving::Off,
    };
    [
        Action::SetPower {
            cell: cell.unwrap().clone(),
            offset_db: f64::from(step % 10),
        },
        Action::SetSaving { cells, saving },
    ]
}

/// Sends a field engineer every hour, and tells them an hour later what to mend.
fn repair(
    simulation: &mut Simulation,
    permit: &Permit,
    zones: &[&ElementId],
    step: u32,
    now: Timestamp,
) {
    let element = |hour: u32| zones[hour as usize * 7 % zones.len()].clone();
    let (hour, token) = (step / 12, |hour: u32| 1_000_000 + u64::from(hour));
    if step % 12 == 3 {
        let dispatch = Action::Dispatch {
            element: element(hour),
            work_order: None,
        };
        simulation.act("field", permit, token(hour), dispatch, now);
    }
    if step % 12 == 4 && hour > 0 {
        let guide = Action::Guide {
            dispatch: token(hour - 1),
            element: element(hour - 1),
            steps: vec![],
        };
        simulation.act("field", permit, 2_000_000 + u64::from(hour), guide, now);
    }
}
