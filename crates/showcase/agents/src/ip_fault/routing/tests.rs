//! What is found in surveys that were made by hand.

use super::*;
use crate::ip_fault::routing::MAKE;
use domain::inventory::{Domain, Element};
use domain::telemetry::Condition;
use domain::time::Timestamp;

fn id(name: &str) -> ElementId {
    ElementId::new(name)
}

/// Three routers in a triangle; two of its links share a duct.
fn triangle() -> Inventory {
    let mut inventory = Inventory::default();
    let mut add = |name: &str, kind| {
        let element = Element {
            id: id(name),
            kind,
            domain: Domain::Ip,
            parent: None,
            place: "X".to_owned(),
            position: (0.0, 0.0),
            vendor: MAKE.to_owned(),
            model: String::new(),
        };
        inventory.elements.insert(id(name), element);
    };
    for router in ["router:A", "router:B", "router:C"] {
        add(router, ElementKind::Router);
    }
    add("duct:A-1", ElementKind::Duct);
    for (a, b, ducts) in [("A", "B", true), ("A", "C", true), ("B", "C", false)] {
        let name = format!("link:{a}-{b}");
        add(&name, ElementKind::Link);
        let link = Link {
            a: id(&format!("router:{a}")),
            b: id(&format!("router:{b}")),
            ducts: ducts.then(|| id("duct:A-1")).into_iter().collect(),
            length_km: 100.0,
            backbone: true,
            capacity_mbps: 10.0,
            optic_a: id("optic:a"),
            optic_b: id("optic:b"),
        };
        inventory.links.insert(id(&name), link);
    }
    inventory
}

fn parameters() -> RunningParameters {
    let mut all = RunningParameters::new();
    for end in ["a", "b"] {
        for (name, value) in [
            ("admin", "up"),
            ("mtu", "1500"),
            ("ospf-area", "0.0.0.0"),
            ("ospf-cost", "7"),
            ("ospf-hello-s", "1"),
            ("ospf-dead-s", "4"),
            ("ospf-passive", "false"),
            ("rate-kbps", "10000"),
            ("queue-bytes", "200000"),
        ] {
            all.insert(format!("{end}/{name}"), value.to_owned());
        }
    }
    all
}

fn memory() -> ConfigurationMemory {
    let mut memory = ConfigurationMemory::default();
    for link in ["link:A-B", "link:A-C", "link:B-C"] {
        memory.remember(&id(link), &parameters(), Timestamp::default());
    }
    for router in ["router:A", "router:B", "router:C"] {
        let read = [("ospfd".to_owned(), "running".to_owned())];
        memory.remember(&id(router), &read.into(), Timestamp::default());
    }
    memory
}

fn measured(element: &str, readings: &[(&str, f64)]) -> (ElementId, Measurement) {
    let readings = readings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value));
    let measurement = Measurement {
        element: id(element),
        condition: Condition::Failed,
        readings: readings.collect(),
    };
    (id(element), measurement)
}

fn found(memory: &ConfigurationMemory, survey: &RoutingSurvey) -> String {
    let inventory = triangle();
    let reading = SurveyReading {
        inventory: &inventory,
        memory,
        survey,
    };
    let findings = reading.findings();
    findings.first().map_or("nothing".to_owned(), |f| {
        let told = RoutingFinding::told(&f.words());
        assert_eq!(told, Some((f.element.clone(), f.cause)));
        let remedy = f.remedy.iter().map(|action| match action {
            Action::Configure {
                parameter, value, ..
            } => format!("{parameter}={value}"),
            Action::Restart { .. } => "restart".to_owned(),
            other => format!("{other:?}"),
        });
        format!(
            "{} {} {}",
            f.cause,
            f.element,
            remedy.collect::<Vec<_>>().join(" ")
        )
    })
}

/// A survey of one alarmed link with some parameters changed.
fn with(changes: &[(&str, &str)], alarm: Option<AlarmType>) -> RoutingSurvey {
    let mut read = parameters();
    for (name, value) in changes {
        read.insert((*name).to_owned(), (*value).to_owned());
    }
    let mut survey = RoutingSurvey::default();
    survey.read.insert(id("link:A-B"), read);
    survey.read.insert(id("link:B-C"), parameters());
    survey
        .alarms
        .extend(alarm.map(|of_type| (id("link:A-B"), of_type)));
    survey
}

#[test]
fn the_parameter_that_has_changed_is_accused_and_set_back() {
    let down = Some(AlarmType::LinkDown);
    for (parameter, value, expected) in [
        ("a/admin", "down", "interface-down link:A-B a/admin=up"),
        (
            "b/ospf-area",
            "0.0.0.1",
            "area-mismatch link:A-B b/ospf-area=0.0.0.0",
        ),
        ("b/mtu", "1400", "mtu-mismatch link:A-B b/mtu=1500"),
        (
            "a/ospf-hello-s",
            "2",
            "timer-mismatch link:A-B a/ospf-hello-s=1",
        ),
        (
            "a/ospf-passive",
            "true",
            "passive-interface link:A-B a/ospf-passive=false",
        ),
        (
            "b/rate-kbps",
            "64",
            "bandwidth-too-low link:A-B b/rate-kbps=10000",
        ),
        (
            "b/queue-bytes",
            "600",
            "queue-too-short link:A-B b/queue-bytes=200000",
        ),
    ] {
        let survey = with(&[(parameter, value)], down);
        assert_eq!(found(&memory(), &survey), expected);
        let unalarmed = with(&[(parameter, value)], None);
        assert_eq!(found(&memory(), &unalarmed), "nothing", "{parameter}");
    }
}

/// An agent that started after the fault has only the other end, and what is usual elsewhere.
#[test]
fn ends_are_compared_where_nothing_is_remembered() {
    let mut memory = ConfigurationMemory::default();
    memory.remember(&id("link:B-C"), &parameters(), Timestamp::default());
    let down = Some(AlarmType::LinkDown);
    let survey = with(&[("b/mtu", "1400")], down);
    assert_eq!(found(&memory, &survey), "mtu-mismatch link:A-B b/mtu=1500");
}

#[test]
fn a_cost_that_changed_at_both_ends_is_planned_work() {
    let one = with(&[("a/ospf-cost", "70")], None);
    assert_eq!(
        found(&memory(), &one),
        "wrong-metric link:A-B a/ospf-cost=7"
    );
    let both = with(&[("a/ospf-cost", "12"), ("b/ospf-cost", "12")], None);
    assert_eq!(found(&memory(), &both), "nothing");
    let described = with(&[("a/description", "checked")], Some(AlarmType::LinkDown));
    assert_eq!(found(&memory(), &described), "nothing");
}

#[test]
fn what_is_dead_takes_the_rest_with_it() {
    let dark = [
        ("carrier_a", 0.0),
        ("carrier_b", 0.0),
        ("admin_up_a", 1.0),
        ("admin_up_b", 1.0),
    ];
    let mut survey = with(&[], Some(AlarmType::LossOfSignal));
    survey.measured.extend([measured("link:A-B", &dark)]);
    assert_eq!(found(&memory(), &survey), "fibre-cut link:A-B ");
    survey.measured.extend([measured("link:A-C", &dark)]);
    assert_eq!(found(&memory(), &survey), "duct-cut duct:A-1 ");
    let ospfd = [("console_answers", 1.0), ("ospfd_answers", 0.0)];
    survey.measured.extend([measured("router:C", &ospfd)]);
    assert_eq!(
        found(&memory(), &survey),
        "routing-process-down router:C ospfd=running"
    );
    survey
        .measured
        .extend([measured("router:B", &[("console_answers", 0.0)])]);
    assert_eq!(found(&memory(), &survey), "router-failure router:B restart");
}

#[test]
fn a_router_is_accused_of_what_it_did_not_have_if_sites_are_not_reached() {
    for (parameter, value, cause) in [
        ("route/10.2.7.0/24", "blackhole", "black-hole"),
        ("filter/10.2.7.0/24", "drop", "prefix-filtered"),
        ("address/10.2.7.2/32", "present", "duplicate-address"),
    ] {
        let mut survey = RoutingSurvey::default();
        let read = [("ospfd", "running"), (parameter, value)];
        let read = read.map(|(name, value)| (name.to_owned(), value.to_owned()));
        survey.read.insert(id("router:B"), read.into());
        assert_eq!(found(&memory(), &survey), "nothing");
        survey
            .alarms
            .insert((id("site:C"), AlarmType::SiteUnreachable));
        assert_eq!(
            found(&memory(), &survey),
            format!("{cause} router:B {parameter}=none")
        );
    }
}

#[test]
fn loss_without_drops_is_the_links_own() {
    let lossy = [
        ("carrier_a", 1.0),
        ("carrier_b", 1.0),
        ("loss_percent", 20.0),
    ];
    let mut survey = with(&[], Some(AlarmType::SignalDegraded));
    survey.measured.extend([measured("link:A-B", &lossy)]);
    assert_eq!(found(&memory(), &survey), "packet-loss link:A-B ");
    survey
        .alarms
        .insert((id("link:A-B"), AlarmType::Congestion));
    assert_eq!(found(&memory(), &survey), "nothing");
}
