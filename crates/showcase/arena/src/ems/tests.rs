//! Actions through element management systems, on a simulated network.

use super::*;
use domain::inventory::{ElementId, ElementKind};
use network::{Backbone, Parameters};
use tokio::sync::oneshot::Receiver;

fn at(s: f64) -> Timestamp {
    Timestamp::from_ms(0).plus_s(s)
}

struct Bench {
    acts: Acts,
    network: Simulation,
    /// Field reports with the numbers known to callers.
    reports: Vec<(u64, bool)>,
}

impl Bench {
    fn new() -> Self {
        let parameters = Parameters {
            sites: 40,
            ..Parameters::default()
        };
        let topology = Backbone::named("Polska").unwrap();
        Self {
            acts: Acts::default(),
            network: Simulation::new(&topology, parameters, 1, at(0.0)),
            reports: Vec::new(),
        }
    }

    fn element(&self, kind: ElementKind) -> ElementId {
        let inventory = self.network.inventory();
        inventory.of_kind(kind).next().unwrap().id.clone()
    }

    fn wants(&mut self, by: &str, ems: Ems, action: Action, s: f64) -> Receiver<engine::ActAnswer> {
        let (answer, answered) = oneshot::channel();
        let wanted = ActWanted {
            by: by.to_owned(),
            province: None,
            ems,
            action,
            answer,
        };
        self.acts.begin(wanted, &mut self.network, at(s));
        answered
    }

    /// Advances time, dropping what is for hosted agents alone.
    fn pass(&mut self, s: f64) {
        for emission in self.network.advance(at(s)) {
            match emission.tiding {
                EmissionContent::Outcome { token, outcome } if token & FOREIGN != 0 => {
                    self.acts.answer(token, outcome);
                }
                EmissionContent::Telemetry(Telemetry::Field(report)) => {
                    assert_ne!(token_of(&report) & FOREIGN, 0);
                    let arrived = matches!(report, FieldReport::Arrived { .. });
                    self.reports.push((token_of(&numbered(report)), arrived));
                }
                _ => {}
            }
        }
        self.acts.expire(at(s));
    }
}

fn impossible(answer: Receiver<engine::ActAnswer>) -> String {
    match answer.blocking_recv().unwrap() {
        Err(ActFailure::Impossible(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_probe_is_answered_when_it_is_measured_and_no_sooner() {
    let mut bench = Bench::new();
    let element = bench.element(ElementKind::Router);
    let probe = Action::Probe { element };
    let mut answer = bench.wants("a", Ems::Ip, probe, 0.0);
    bench.pass(10.0);
    assert!(answer.try_recv().is_err());
    assert_eq!(bench.acts.next_due(), Some(at(600.0)));
    bench.pass(130.0);
    let acted = answer.blocking_recv().unwrap().unwrap();
    assert!(matches!(acted.outcome, Outcome::Measured(_)));
    assert_eq!((acted.number, bench.acts.next_due()), (1, None));
}

#[test]
fn a_management_system_reaches_no_further_than_its_domain() {
    let mut bench = Bench::new();
    let element = bench.element(ElementKind::Site);
    let probe = Action::Probe {
        element: element.clone(),
    };
    let answer = bench.wants("a", Ems::Ip, probe, 0.0);
    let sent = bench.wants(
        "a",
        Ems::Ip,
        Action::Dispatch {
            element,
            work_order: None,
        },
        0.0,
    );
    bench.pass(1.0);
    assert!(impossible(answer).contains("may not probe"));
    assert!(impossible(sent).contains("does not command the field force"));
}

#[test]
fn who_has_waited_long_enough_is_told() {
    let mut bench = Bench::new();
    let element = bench.element(ElementKind::Router);
    let answer = bench.wants("a", Ems::Ip, Action::Probe { element }, 0.0);
    bench.acts.expire(at(599.0));
    assert!(bench.acts.next_due().is_some());
    bench.acts.expire(at(600.0));
    let told = answer.blocking_recv().unwrap();
    assert_eq!(told, Err(ActFailure::TooLong { seconds: 600 }));
    // The outcome that comes nevertheless is nobody's.
    bench.pass(700.0);
}

/// The engineer of one caller cannot be guided by another (draft-wang-nmrg-magent-im §2.1, steps 6
/// to 8).
#[test]
fn an_engineer_is_guided_by_who_sent_them() {
    let mut bench = Bench::new();
    let element = bench.element(ElementKind::LineCard);
    let dispatch = Action::Dispatch {
        element: element.clone(),
        work_order: None,
    };
    let sent = bench.wants("a", Ems::Customer, dispatch, 0.0);
    bench.pass(86_400.0);
    let number = sent.blocking_recv().unwrap().unwrap().number;
    assert_eq!(bench.reports, [(number, true)]);
    let guide = |dispatch| Action::Guide {
        dispatch,
        element: element.clone(),
        steps: Vec::new(),
    };
    let other = bench.wants("b", Ems::Customer, guide(number), 86_400.0);
    let unknown = bench.wants("a", Ems::Customer, guide(99), 86_400.0);
    let own = bench.wants("a", Ems::Customer, guide(number), 86_400.0);
    bench.pass(2.0 * 86_400.0);
    assert_eq!(impossible(other), "b sent nobody out under number 1");
    assert_eq!(impossible(unknown), "a sent nobody out under number 99");
    let guided = own.blocking_recv().unwrap().unwrap();
    assert_eq!(guided.outcome, Outcome::Guided);
    assert_eq!(bench.reports, [(number, true), (number, false)]);
}
