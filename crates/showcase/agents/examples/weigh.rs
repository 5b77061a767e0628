//! The time that the OSS agent takes to weigh a batch outage: 1,000 sites, 5,000 cells, 500 alarms.
//!
//! `cargo run --release -p convoke-agents --example weigh`. Builds a ladder of rings by hand, so
//! that it needs no other crate, fails one router and two ducts in it, and explains what follows.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use agents::knowledge::Knowledge;
use agents::oss_fault::correlation::Correlator;
use agents::oss_fault::evidence::Evidence;
use agents::topology::Topology;
use domain::inventory::{Domain, Element, ElementId, ElementKind, Inventory, Link};
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

const ROUTERS: usize = 50;
const RINGS: usize = 4;
const RING_SITES: usize = 5;
const CELLS: usize = 5;

struct Builder(Inventory);

impl Builder {
    fn element(&mut self, kind: ElementKind, name: String, parent: Option<String>) -> ElementId {
        let id = ElementId::new(name);
        let domain = match kind {
            ElementKind::Site | ElementKind::Cell | ElementKind::PowerZone => Domain::Wireless,
            _ => Domain::Ip,
        };
        let element = Element {
            id: id.clone(),
            kind,
            domain,
            parent: parent.map(ElementId::new),
            place: "Town".to_owned(),
            position: (0.0, 0.0),
            vendor: String::new(),
            model: String::new(),
        };
        self.0.elements.insert(id.clone(), element);
        id
    }

    fn link(&mut self, a: String, b: String, duct: Option<String>) {
        let name = format!("{}-{}", a.replace(':', "_"), b.replace(':', "_"));
        let id = self.element(ElementKind::Link, format!("link:{name}"), None);
        let optic = |n: &str| format!("optic:{name}/{n}");
        let optic_a = self.element(ElementKind::Optic, optic("a"), Some(a.clone()));
        let optic_b = self.element(ElementKind::Optic, optic("b"), Some(b.clone()));
        let link = Link {
            a: ElementId::new(a),
            b: ElementId::new(b),
            ducts: duct.map(ElementId::new).into_iter().collect(),
            length_km: 10.0,
            backbone: false,
            capacity_mbps: 10_000.0,
            optic_a,
            optic_b,
        };
        self.0.links.insert(id, link);
    }
}

fn network() -> Inventory {
    let mut b = Builder(Inventory::default());
    for r in 0..ROUTERS {
        let router = b.element(ElementKind::Router, format!("router:{r}"), None);
        for card in 0..=RINGS + 1 {
            let name = format!("card:{r}/{card}");
            b.element(ElementKind::LineCard, name, Some(router.to_string()));
        }
    }
    for r in 0..ROUTERS {
        let next = (r + 1) % ROUTERS;
        let far = format!("card:{next}/{}", RINGS + 1);
        b.link(format!("card:{r}/0"), far, None);
        for ring in 1..=RINGS {
            let zone = b.element(ElementKind::PowerZone, format!("zone:{r}-{ring}"), None);
            let duct = b.element(ElementKind::Duct, format!("duct:{r}-{ring}"), None);
            let card = format!("card:{r}/{ring}");
            let site = |n: usize| format!("site:{r}-{ring}-{n}");
            for n in 0..RING_SITES {
                b.element(ElementKind::Site, site(n), Some(zone.to_string()));
                for cell in 0..CELLS {
                    let name = format!("cell:{r}-{ring}-{n}/{cell}");
                    b.element(ElementKind::Cell, name, Some(site(n)));
                }
            }
            b.link(card.clone(), site(0), Some(duct.to_string()));
            for n in 1..RING_SITES {
                b.link(site(n - 1), site(n), None);
            }
            b.link(card, site(RING_SITES - 1), Some(duct.to_string()));
        }
    }
    b.0.cores.insert(ElementId::new("router:0"));
    b.0
}

/// Every alarm that these failures would cause, and a few that nothing did.
fn evidence(correlator: &Correlator, failed: &[&str]) -> Evidence {
    let mut evidence = Evidence::default();
    for element in failed {
        let element = ElementId::new(*element);
        let candidate = correlator.of_element(&element);
        let expected = candidate.map(|c| correlator.expected(c));
        let noticed = expected.into_iter().flatten();
        let noticed = noticed.map(|key| (key.clone(), Timestamp::from_ms(1_000)));
        evidence.alarms.extend(noticed);
    }
    for n in 0..40 {
        let site = ElementId::new(format!("site:{n}-1-2"));
        let key = (site, AlarmType::SiteUnreachable);
        evidence
            .alarms
            .insert(key, Timestamp::from_ms(-90_000_000 - n));
    }
    evidence
}

fn main() {
    let inventory = Arc::new(network());
    println!(
        "{} sites, {} elements, {} links",
        inventory.of_kind(ElementKind::Site).count(),
        inventory.elements.len(),
        inventory.links.len()
    );
    let begun = Instant::now();
    let topology = Topology::new(inventory);
    let correlator = Correlator::knowing(topology, Arc::new(Knowledge::default()));
    println!(
        "made ready in {:.0} ms",
        begun.elapsed().as_secs_f64() * 1e3
    );
    let failed: Vec<String> = (0..12)
        .map(|n| format!("router:{}", 3 + 4 * n))
        .chain(["duct:6-1".to_owned(), "duct:9-2".to_owned()])
        .collect();
    let failed: Vec<&str> = failed.iter().map(String::as_str).collect();
    for most in [2, 5, 14] {
        let failed = &failed[14 - most..];
        let evidence = evidence(&correlator, failed);
        let begun = Instant::now();
        let explained = correlator.explain(&evidence, Timestamp::from_ms(600_000));
        let took = begun.elapsed().as_secs_f64() * 1e3;
        let named: BTreeSet<&str> = explained
            .iter()
            .map(|e| correlator.candidate(e.ranked[0].index).element.as_str())
            .collect();
        let right = failed.iter().filter(|f| named.contains(*f)).count();
        println!(
            "{} alarms of {} faults: {right} named, {} explanations, {took:.1} ms",
            evidence.alarms.len(),
            failed.len(),
            explained.len()
        );
    }
}
