//! The care for routers over time, in a network of three of them that answers by hand.

use super::*;
use domain::cause::Cause;
use domain::inventory::{Domain, Element, Link};
use domain::telemetry::{Condition, Configuration, Measurement, Severity};
use std::collections::BTreeMap;

fn id(name: &str) -> ElementId {
    ElementId::new(name)
}

fn inventory(make: &str) -> Inventory {
    let mut inventory = Inventory::default();
    for (name, kind) in [
        ("router:A", ElementKind::Router),
        ("router:B", ElementKind::Router),
        ("router:C", ElementKind::Router),
        ("link:A-B", ElementKind::Link),
        ("link:B-C", ElementKind::Link),
    ] {
        let element = Element {
            id: id(name),
            kind,
            domain: Domain::Ip,
            parent: None,
            place: "X".to_owned(),
            position: (0.0, 0.0),
            vendor: make.to_owned(),
            model: String::new(),
        };
        inventory.elements.insert(id(name), element);
    }
    for (name, a, b) in [
        ("link:A-B", "router:A", "router:B"),
        ("link:B-C", "router:B", "router:C"),
    ] {
        let link = Link {
            a: id(a),
            b: id(b),
            ducts: Vec::new(),
            length_km: 10.0,
            backbone: true,
            capacity_mbps: 10.0,
            optic_a: id("optic:a"),
            optic_b: id("optic:b"),
        };
        inventory.links.insert(id(name), link);
    }
    inventory
}

/// A network whose link A-B has these MTUs, and the care for it.
struct Lab {
    inventory: Inventory,
    care: RoutingCare,
    mtus: [String; 2],
    /// The links without light.
    dark: Vec<&'static str>,
    now: Timestamp,
    log: Vec<String>,
}

impl Lab {
    fn new() -> Self {
        let inventory = inventory(MAKE);
        Self {
            care: RoutingCare::of(&inventory).unwrap(),
            inventory,
            mtus: ["1500".to_owned(), "1500".to_owned()],
            dark: Vec::new(),
            now: Timestamp::default(),
            log: Vec::new(),
        }
    }

    fn alarm(&mut self, cleared: bool) {
        self.alarm_of("link:A-B", AlarmType::LinkDown, cleared);
    }

    fn alarm_of(&mut self, link: &str, alarm_type: AlarmType, cleared: bool) {
        self.now = self.now.plus_s(1.0);
        let alarm = Alarm {
            resource: id(link),
            alarm_type,
            qualifier: String::new(),
            severity: Severity::Major,
            time: self.now,
            cleared,
            text: String::new(),
        };
        let steps = self.care.heard(&alarm, &self.inventory);
        self.follow(steps);
    }

    fn period(&mut self) {
        self.now = self.now.plus_s(60.0);
        let steps = self.care.passed(&self.inventory, self.now);
        self.follow(steps);
    }

    /// Answers steps until nothing follows any more.
    fn follow(&mut self, steps: Vec<RoutingStep>) {
        let mut open: std::collections::VecDeque<RoutingStep> = steps.into();
        let mut patience = 200;
        while let Some(step) = open.pop_front() {
            patience -= 1;
            if patience == 0 {
                return;
            }
            let next = match step {
                RoutingStep::Note(words) => {
                    self.log.push(words);
                    Vec::new()
                }
                RoutingStep::Wake(ask, after_s) => {
                    self.now = self.now.plus_s(after_s);
                    self.care.woken(&ask, &self.inventory)
                }
                RoutingStep::Act(ask, action) => {
                    let outcome = self.outcome(&action);
                    self.care
                        .answered(&ask, &outcome, &self.inventory, self.now)
                }
            };
            open.extend(next);
        }
    }

    fn readings(&self, element: &ElementId) -> BTreeMap<String, f64> {
        let is_dark = self.dark.contains(&element.as_str());
        let lit = if is_dark { 0.0 } else { 1.0 };
        let of_link = [
            ("carrier_a", lit),
            ("carrier_b", lit),
            ("admin_up_a", 1.0),
            ("admin_up_b", 1.0),
        ];
        let readings: &[(&str, f64)] = match element.as_str().starts_with("link") {
            true => &of_link,
            false => &[("console_answers", 1.0)],
        };
        readings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect()
    }

    fn outcome(&mut self, action: &Action) -> Outcome {
        match action {
            Action::Probe { element } => Outcome::Measured(Measurement {
                element: element.clone(),
                condition: Condition::Good,
                readings: self.readings(element),
            }),
            Action::ReadConfiguration { element } => {
                let mut running = BTreeMap::new();
                if *element == id("link:A-B") {
                    for (end, mtu) in ["a", "b"].into_iter().zip(&self.mtus) {
                        running.insert(format!("{end}/mtu"), mtu.clone());
                    }
                }
                Outcome::Configuration(Configuration {
                    running,
                    planned: BTreeMap::new(),
                })
            }
            Action::Configure {
                parameter, value, ..
            } => {
                self.log.push(format!("{parameter}={value}"));
                let end = usize::from(parameter.starts_with('b'));
                self.mtus[end].clone_from(value);
                self.care.alarms = ActiveAlarms::default();
                Outcome::Done
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn routers_of_another_make_are_left_alone() {
    assert!(RoutingCare::of(&inventory("Vantrel")).is_none());
}

#[test]
fn what_has_changed_is_set_back_once_it_was_seen_twice() {
    let mut lab = Lab::new();
    lab.period();
    assert!(lab.log.is_empty(), "{:?}", lab.log);
    lab.mtus[1] = "1400".to_owned();
    lab.alarm(false);
    let expected = [
        "confirmed mtu-mismatch of link:A-B: b/mtu is 1400, not 1500",
        "b/mtu=1500",
        "link:A-B is well again",
    ];
    assert_eq!(lab.log, expected);
    let told = RoutingFinding::told(&lab.log[0]);
    assert_eq!(told, Some((id("link:A-B"), Cause::MtuMismatch)));
}

/// What an engineer is wanted for is told once while it stands, and again when it comes back.
#[test]
fn a_cut_that_was_mended_and_comes_back_is_told_again() {
    let mut lab = Lab::new();
    lab.period();
    for times in [1, 2] {
        lab.dark = vec!["link:A-B"];
        lab.alarm(false);
        lab.alarm_of("link:A-B", AlarmType::LossOfSignal, false);
        let words = "confirmed fibre-cut of link:A-B: it is dark at both ends, and no port is shut";
        assert_eq!(lab.log, vec![words; times]);
        lab.dark.clear();
        lab.alarm(true);
        lab.alarm_of("link:A-B", AlarmType::LossOfSignal, true);
    }
}

/// What waits for an engineer may stand for hours: it hides nothing of what comes after it.
#[test]
fn what_waits_for_an_engineer_hides_no_other_finding() {
    let mut lab = Lab::new();
    lab.period();
    for link in ["link:A-B", "link:B-C"] {
        lab.dark.push(link);
        lab.alarm_of(link, AlarmType::LossOfSignal, false);
    }
    let words = |link: &str| {
        format!("confirmed fibre-cut of {link}: it is dark at both ends, and no port is shut")
    };
    assert_eq!(lab.log, [words("link:A-B"), words("link:B-C")]);
}

/// Alarms whose reason is not found are looked into for a while, and nothing is touched.
#[test]
fn where_nothing_departs_nothing_is_set() {
    let mut lab = Lab::new();
    lab.period();
    lab.alarm(false);
    assert!(lab.log.is_empty(), "{:?}", lab.log);
    lab.alarm(true);
    lab.period();
    assert!(lab.log.is_empty(), "{:?}", lab.log);
}
