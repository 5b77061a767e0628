//! An invented town for tests: one core router with two cards, a ring of two sites in one duct,
//! a spur, two power zones, two cells at each site.
//!
//! Knows nothing of the simulated network. Read next: [`crate::consequences`].

use crate::codebook::Codebook;
use crate::commitment::DeliveredAlarm;
use crate::consequences::{Consequences, ElementNumber};
use crate::labelled::LabelledDay;
use crate::measure::KnownTrouble;
use crate::named::NamedScene;
use crate::named_past::NamedPast;
use crate::scene::SceneAlarm;
use domain::cause::Cause;
use domain::inventory::{
    Cell, Domain, Element, ElementId, ElementKind, Inventory, Link, RadioUnit,
};
use domain::telemetry::{Alarm, AlarmType, Severity};
use domain::time::Timestamp;
use std::sync::Arc;

pub(crate) fn id(text: &str) -> ElementId {
    ElementId::new(text)
}

pub(crate) fn at(s: f64) -> Timestamp {
    Timestamp::default().plus_s(s)
}

pub(crate) fn number(graph: &Consequences, text: &str) -> ElementNumber {
    graph.number(&id(text)).expect("an element of the town")
}

pub(crate) fn alarm(element: &str, alarm_type: AlarmType, s: f64) -> Alarm {
    Alarm {
        resource: id(element),
        alarm_type,
        qualifier: String::new(),
        severity: Severity::Major,
        time: at(s),
        cleared: false,
        text: String::new(),
    }
}

pub(crate) fn cleared(element: &str, alarm_type: AlarmType, s: f64) -> Alarm {
    Alarm {
        cleared: true,
        ..alarm(element, alarm_type, s)
    }
}

/// Alarms that are delivered as they are noticed.
pub(crate) fn delivered(alarms: impl IntoIterator<Item = Alarm>) -> Vec<DeliveredAlarm> {
    let alarms = alarms.into_iter();
    alarms
        .map(|alarm| DeliveredAlarm {
            at: alarm.time,
            alarm,
        })
        .collect()
}

/// A day of these alarms on which cell 1/1 fails at second 900, and stays so.
pub(crate) fn day(alarms: Vec<Alarm>) -> LabelledDay {
    LabelledDay {
        book: Arc::new(Codebook::new(town())),
        alarms: delivered(alarms),
        troubles: vec![KnownTrouble {
            element: id("cell:1/1"),
            cause: Some(Cause::CellHardwareFailure),
            from: at(900.0),
            until: None,
            restored: None,
            area: [id("site:1")].into(),
            counts: true,
        }],
        from: at(0.0),
        until: at(86_400.0),
    }
}

/// Alarms that stand, by element, name and second, as they were delivered one after the other.
pub(crate) fn named_scene(alarms: &[(&str, &str, f64)]) -> NamedScene {
    let alarms = alarms.iter().zip(0..);
    let standing = alarms.map(|((element, name, s), order)| {
        let alarm = SceneAlarm {
            order,
            noticed: at(*s),
            spoken_for: false,
        };
        ((id(element), (*name).to_owned()), alarm)
    });
    standing.collect()
}

/// The counts of a past in which these alarms were delivered as they were noticed.
pub(crate) fn named_past(alarms: &[(&str, &str, f64)]) -> NamedPast {
    let alarms = alarms.iter().map(|(element, name, s)| Alarm {
        qualifier: (*name).to_owned(),
        ..alarm(element, AlarmType::Unknown, *s)
    });
    NamedPast::of(&delivered(alarms))
}

fn element(kind: ElementKind, name: &str, parent: Option<&str>) -> Element {
    Element {
        id: id(name),
        kind,
        domain: Domain::Ip,
        parent: parent.map(id),
        place: "Town".to_owned(),
        position: (0.0, 0.0),
        vendor: String::new(),
        model: String::new(),
    }
}

/// R has cards 1 (sites 1 and 2, through duct d, and a ring between them) and 2 (site 3; site 4
/// behind site 3). Zone a feeds sites 1 and 3, zone b sites 2 and 4.
pub(crate) fn inventory() -> Inventory {
    use ElementKind::{Duct, LineCard, Optic, PowerZone, Router, Site};
    let mut inventory = Inventory::default();
    let mut put = |e: Element| {
        inventory.elements.insert(e.id.clone(), e);
    };
    put(element(Router, "router:R", None));
    put(element(LineCard, "card:R/1", Some("router:R")));
    put(element(LineCard, "card:R/2", Some("router:R")));
    put(element(Duct, "duct:d", None));
    put(element(PowerZone, "zone:a", None));
    put(element(PowerZone, "zone:b", None));
    for (site, zone) in [("1", "a"), ("2", "b"), ("3", "a"), ("4", "b")] {
        let (site, zone) = (format!("site:{site}"), format!("zone:{zone}"));
        put(element(Site, &site, Some(&zone)));
        for cell in ["1", "2"] {
            let cell = format!("cell:{}/{cell}", &site[5..]);
            put(element(ElementKind::Cell, &cell, Some(&site)));
        }
    }
    let links = [
        ("link:R-1", "card:R/1", "site:1", true),
        ("link:R-2", "card:R/1", "site:2", true),
        ("link:1-2", "site:1", "site:2", false),
        ("link:R-3", "card:R/2", "site:3", false),
        ("link:3-4", "site:3", "site:4", false),
    ];
    for (name, a, b, _) in links {
        put(element(ElementKind::Link, name, None));
        let optic = |end: &str| id(&format!("optic:{}/{end}", &name[5..]));
        for (end, at) in [("a", a), ("b", b)] {
            put(element(Optic, optic(end).as_str(), Some(at)));
        }
    }
    for (name, a, b, in_duct) in links {
        let optic = |end: &str| id(&format!("optic:{}/{end}", &name[5..]));
        let link = Link {
            a: id(a),
            b: id(b),
            ducts: if in_duct {
                vec![id("duct:d")]
            } else {
                Vec::new()
            },
            length_km: 1.0,
            backbone: false,
            capacity_mbps: 1_000.0,
            optic_a: optic("a"),
            optic_b: optic("b"),
        };
        inventory.links.insert(id(name), link);
    }
    let names: Vec<ElementId> = inventory
        .of_kind(ElementKind::Cell)
        .map(|cell| cell.id.clone())
        .collect();
    for name in &names {
        let others = names.iter().filter(|other| *other != name);
        let cell = Cell {
            azimuth_degrees: 0.0,
            carrier_mhz: 1_800.0,
            bandwidth_mhz: 20.0,
            power_dbm: 43.0,
            radio_unit: RadioUnit::Type2,
            capacity_layer: false,
            neighbours: others.take(2).cloned().collect(),
        };
        inventory.cells.insert(name.clone(), cell);
    }
    inventory.cores.insert(id("router:R"));
    inventory
}

pub(crate) fn town() -> Consequences {
    Consequences::new(Arc::new(inventory()))
}
