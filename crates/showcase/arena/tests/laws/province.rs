//! An agent confined to a province receives its telemetry, sees it and acts in it alone.
//!
//! One agent, permitted everything but the other province, records its telemetry and tries every
//! action on elements of both. Read next: `network::Simulation::act`, `server::post`.

use super::played::{self, Network, Played};
use domain::agent::{Agent, Input, Output};
use domain::ems::Ems;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::permit::Permit;
use domain::telemetry::{Action, FieldReport, Outcome, Saving, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use engine::Hosted;
use engine::query::{AlarmsOf, PerformanceOf};
use network::Simulation;
use server::host::Company;
use server::post::Post;
use server::{access, profile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use yang::Generation;

const OWN: &str = "North";
const OTHER: &str = "South";
/// The agent of the province, whose name the prowler bears.
const NAME: &str = "TMF-Convoke-MobileNorth-1.0.0";

/// The results of the attempts.
#[derive(Default)]
struct Findings {
    /// The elements of all telemetry received, by kind of telemetry.
    heard: BTreeMap<&'static str, BTreeSet<ElementId>>,
    /// Each kind of action, the province of its element, and its outcome.
    tried: Vec<(&'static str, &'static str, Outcome)>,
}

/// An agent that tries everything, in both provinces.
struct Prowler {
    inventory: Arc<Inventory>,
    vehicles: Vec<String>,
    findings: Arc<Mutex<Findings>>,
    /// The action tried under each token.
    open: BTreeMap<Token, (&'static str, &'static str)>,
    next: Token,
}

impl Agent for Prowler {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(telemetry) => self.hears(&telemetry, now),
            Input::Acted { token, outcome } => {
                let (what, whose) = self.open[&token];
                self.findings
                    .lock()
                    .unwrap()
                    .tried
                    .push((what, whose, outcome));
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

impl Prowler {
    fn hears(&mut self, telemetry: &Telemetry, now: Timestamp) -> Vec<Output> {
        let (kind, elements) = told_of(telemetry);
        let findings = Arc::clone(&self.findings);
        findings
            .lock()
            .unwrap()
            .heard
            .entry(kind)
            .or_default()
            .extend(elements);
        match telemetry {
            Telemetry::Performance(counted) if !counted.cells.is_empty() => self.prowl(now),
            Telemetry::Field(FieldReport::Arrived { token, .. }) => self.guide(*token),
            _ => Vec::new(),
        }
    }

    fn prowl(&mut self, now: Timestamp) -> Vec<Output> {
        let mut outputs = Vec::new();
        for whose in [OWN, OTHER] {
            let of = |kind| self.some(kind, whose);
            let (site, cell, link) = (
                of(ElementKind::Site),
                of(ElementKind::Cell),
                of(ElementKind::Link),
            );
            // What restarts answers nobody for a while, so it is another than what is read.
            let last = self.all(ElementKind::Cell, whose).last().cloned().unwrap();
            let set = |element: &ElementId| Action::Configure {
                element: element.clone(),
                parameter: "igp-metric".to_owned(),
                value: "1000".to_owned(),
            };
            let actions = [
                (
                    "probe",
                    Action::Probe {
                        element: link.clone(),
                    },
                ),
                (
                    "dispatch",
                    Action::Dispatch {
                        element: site,
                        work_order: None,
                    },
                ),
                (
                    "set-power",
                    Action::SetPower {
                        cell: cell.clone(),
                        offset_db: 1.0,
                    },
                ),
                (
                    "set-saving",
                    Action::SetSaving {
                        cells: [cell.clone()].into(),
                        saving: Saving::Off,
                    },
                ),
                (
                    "read",
                    Action::ReadConfiguration {
                        element: cell.clone(),
                    },
                ),
                ("configure", set(&link)),
                ("restart", Action::Restart { element: last }),
            ];
            outputs.extend(actions.map(|(what, action)| self.tries(what, whose, action)));
        }
        // One set of cells that reaches over the border.
        let cells = [OWN, OTHER].map(|whose| self.some(ElementKind::Cell, whose));
        let both = Action::SetSaving {
            cells: cells.into(),
            saving: Saving::DeepSleep,
        };
        outputs.push(self.tries("set-saving", OTHER, both));
        for vehicle in self.vehicles.clone() {
            let (from, until) = (now.plus_s(-86_400.0), now);
            let trace = Action::Trace {
                vehicle,
                from,
                until,
            };
            outputs.push(self.tries("trace", OWN, trace));
        }
        outputs
    }

    /// Sends an engineer who has arrived on, to the other province and to its own.
    fn guide(&mut self, dispatch: Token) -> Vec<Output> {
        let mut guide = |whose| {
            let element = self.some(ElementKind::Site, whose);
            let steps = vec!["look".to_owned()];
            self.tries(
                "guide",
                whose,
                Action::Guide {
                    dispatch,
                    element,
                    steps,
                },
            )
        };
        vec![guide(OTHER), guide(OWN)]
    }

    fn tries(&mut self, what: &'static str, whose: &'static str, action: Action) -> Output {
        self.next += 1;
        self.open.insert(self.next, (what, whose));
        Output::Act {
            token: self.next,
            action,
        }
    }

    fn some(&self, kind: ElementKind, province: &str) -> ElementId {
        self.all(kind, province).next().cloned().unwrap()
    }

    fn all(&self, kind: ElementKind, province: &str) -> impl Iterator<Item = &ElementId> {
        let of_kind = self.inventory.of_kind(kind).map(|e| &e.id);
        of_kind.filter(move |id| self.inventory.province_of(id) == Some(province))
    }
}

/// The kind of a piece of telemetry, with its elements.
fn told_of(telemetry: &Telemetry) -> (&'static str, BTreeSet<ElementId>) {
    match telemetry {
        Telemetry::Alarm(alarm) => ("alarm", [alarm.resource.clone()].into()),
        Telemetry::Complaint(complaint) => ("complaint", [complaint.site.clone()].into()),
        Telemetry::Field(
            FieldReport::Arrived { element, .. } | FieldReport::Ended { element, .. },
        ) => ("field", [element.clone()].into()),
        Telemetry::Performance(counted) => {
            let ids = counted.cells.keys().chain(counted.links.keys());
            ("performance", ids.cloned().collect())
        }
        // What somebody says of a trip lies in no province.
        Telemetry::Ticket(_) => ("ticket", BTreeSet::new()),
        Telemetry::CustomerAnswered { .. } => ("answer", BTreeSet::new()),
    }
}

/// The company of one agent, confined to a province and permitted everything there.
fn company(
    simulation: &Simulation,
    generation: &Generation,
    findings: &Arc<Mutex<Findings>>,
) -> Company {
    let files = profile::shipped(&arena::shipped(), generation).unwrap();
    let mut own = files
        .into_iter()
        .find(|f| f.role == "mobile-north")
        .unwrap()
        .profile;
    own.domain = Some("Wireless, IP, Service".to_owned());
    let domains = [Domain::Wireless, Domain::Ip];
    let post = Post {
        hears: [&domains[..], &[Domain::Service, Domain::Business]].concat(),
        permit: Permit {
            probe: domains.into(),
            configure: domains.into(),
            radio: true,
            trace: true,
            field: true,
            customers: true,
            province: own.province.clone(),
        },
    };
    let vehicles = simulation.journeys().vehicles().iter();
    let prowler = Prowler {
        inventory: simulation.inventory(),
        vehicles: vehicles.map(|v| v.vin.clone()).collect(),
        findings: Arc::clone(findings),
        open: BTreeMap::new(),
        next: 0,
    };
    Company {
        posts: BTreeMap::from([(own.name.clone(), post)]),
        default_agent: own.name.clone(),
        agents: vec![Hosted {
            profile: Arc::new(own),
            agent: Box::new(prowler),
            again: None,
            endpoint: None,
            registered_at: simulation.now(),
        }],
        access: access::parse("access.toml", access::SHIPPED).unwrap(),
    }
}

async fn prowled(seed: u64) -> (Played, Findings) {
    let findings = Arc::new(Mutex::new(Findings::default()));
    let simulation = Network::Morning.built(seed);
    let generation = played::generation();
    let company = company(&simulation, &generation, &findings);
    let until = Network::Morning.until();
    let played = played::play_with(seed, simulation, until, company, generation).await;
    let findings = std::mem::take(&mut *findings.lock().unwrap());
    (played, findings)
}

/// Every kind of action, every kind of telemetry, and the endpoints of management systems are
/// confined.
#[test]
fn whoever_is_confined_to_a_province_neither_hears_nor_touches_the_other() {
    for seed in played::seeds(5..=5) {
        played::block_on(async {
            let (played, findings) = prowled(seed).await;
            let inventory = played.simulation().inventory();
            let is_own = |id: &ElementId| inventory.province_of(id) == Some(OWN);
            let kinds: Vec<_> = findings.heard.keys().copied().collect();
            assert_eq!(
                kinds,
                ["alarm", "complaint", "field", "performance", "ticket"],
                "seed {seed}"
            );
            for (kind, elements) in &findings.heard {
                let foreign: Vec<_> = elements.iter().filter(|id| !is_own(id)).collect();
                assert!(
                    foreign.is_empty(),
                    "seed {seed}: {kind} tells of {foreign:?}"
                );
            }
            acts_at_home_only(&findings, is_own);
            sees_its_own_only(&played, is_own);
            played.end().await;
        });
    }
}

fn acts_at_home_only(findings: &Findings, is_own: impl Fn(&ElementId) -> bool) {
    let mut done: BTreeMap<&str, usize> = BTreeMap::new();
    for (what, whose, outcome) in &findings.tried {
        let refused = matches!(outcome, Outcome::Impossible(why) if why.contains("to which"));
        assert_eq!(refused, *whose == OTHER, "{what} in {whose}: {outcome:?}");
        *done.entry(what).or_default() += usize::from(!matches!(outcome, Outcome::Impossible(_)));
        if let Outcome::Traced { visits, .. } = outcome {
            assert!(visits.iter().all(|v| is_own(&v.cell)), "{visits:?}");
        }
    }
    let idle: Vec<_> = done.iter().filter(|(_, n)| **n == 0).collect();
    assert!(idle.is_empty(), "never done at home: {idle:?}");
    assert_eq!(done.len(), 9, "{done:?}");
}

/// Asserts that the endpoints of management systems show the province's own elements only.
fn sees_its_own_only(played: &Played, is_own: impl Fn(&ElementId) -> bool) {
    let mut seen = 0;
    for ems in Ems::ALL {
        let all = AlarmsOf {
            ems,
            resources: None,
        };
        let list = played.read(NAME, all);
        assert_eq!(list.number, list.alarms.len(), "others are counted");
        assert!(list.alarms.iter().all(|a| is_own(&a.resource)), "{ems:?}");
        seen += list.alarms.len();
        let counted = played.read(NAME, PerformanceOf(ems));
        let counted = counted.unwrap_or_default();
        assert!(
            counted
                .cells
                .keys()
                .chain(counted.links.keys())
                .all(&is_own),
            "{ems:?}"
        );
        seen += counted.cells.len();
    }
    assert!(seen > 20, "{seen}");
}
