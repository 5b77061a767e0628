//! The truth about what is broken is for people: no agent breaks, knows or mends, whatever the rules
//! say.
//!
//! Read next: `engine`'s `faults.rs`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::{AccessRules, Action, Principal};
use domain::audit::{AuditEvent, AuditKind};
use domain::cause::Cause;
use domain::event::LogEvent;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use engine::refusal::{Forbidden, NotAvailable, NotFound};
use engine::{
    ClearFault, CompareDay, Credential, DayComparison, DayPolicy, EndComparison, Engine, Execution,
    FaultInjector, FaultJudgement, FaultRecord, FaultRefusal, GetComparison, InjectFault,
    ListFaults, Refusal, ScoreFaults, Setup,
};
use testkit::{Silent, at_once, hosted, profile, setup};

fn now() -> Timestamp {
    Timestamp::from_ms(1_000_000)
}

/// A platform that permits everything to everybody.
fn engine() -> Engine {
    Engine::open(Setup {
        access: AccessRules {
            write_default: Action::Permit,
            ..testkit::access(&["hosted"])
        },
        credentials: Box::new(|name| (name == "outside").then_some(Credential::Agent)),
        ..setup([hosted(profile("hosted"), Silent, now())])
    })
    .unwrap()
}

const CUT: InjectFault = InjectFault {
    kind: Some(Cause::FibreCut),
    element: None,
    duration_s: None,
    severity: None,
};
const ALL: ListFaults = ListFaults { ended: true };
const FIRST: ClearFault = ClearFault { id: 1 };

/// How each of the three is refused.
fn refused(engine: &Engine, who: &Principal) -> [Refusal; 3] {
    [
        known(engine.execute(who, CUT, now())).unwrap().unwrap_err(),
        known(engine.execute(who, ALL, now())).unwrap().unwrap_err(),
        known(engine.execute(who, FIRST, now()))
            .unwrap()
            .unwrap_err(),
    ]
}

/// A network in which one link is cut and none can be mended but the first time.
#[derive(Default)]
struct Injector {
    asked: Vec<&'static str>,
    cleared: Option<Result<(), FaultRefusal>>,
}

/// A network that ends in the middle of a request.
struct Ending;

impl FaultInjector for Ending {
    fn inject(&mut self, _: &InjectFault, _: Timestamp) -> Result<FaultRecord, FaultRefusal> {
        panic!("it ends")
    }

    fn list(&mut self, _: ListFaults, _: Timestamp) -> Vec<FaultRecord> {
        panic!("it ends")
    }

    fn clear(&mut self, _: ClearFault, _: Timestamp) -> Result<(), FaultRefusal> {
        panic!("it ends")
    }
}

fn record() -> FaultRecord {
    FaultRecord {
        id: 1,
        kind: Cause::FibreCut,
        element: ElementId::new("link:x"),
        began: now(),
        repaired: None,
        restored: None,
        sites_out: 3,
    }
}

impl FaultInjector for Injector {
    fn inject(&mut self, wanted: &InjectFault, _: Timestamp) -> Result<FaultRecord, FaultRefusal> {
        assert_eq!(*wanted, CUT);
        self.asked.push("inject");
        Ok(record())
    }

    fn list(&mut self, wanted: ListFaults, _: Timestamp) -> Vec<FaultRecord> {
        assert_eq!(wanted, ALL);
        self.asked.push("list");
        vec![record()]
    }

    fn clear(&mut self, wanted: ClearFault, _: Timestamp) -> Result<(), FaultRefusal> {
        assert_eq!(wanted, FIRST);
        self.asked.push("clear");
        self.cleared
            .take()
            .unwrap_or(Err(FaultRefusal::Unknown { id: 1 }))
    }
}

/// The outcome as far as it is known; none while somebody has to answer.
fn known<T: Send + 'static>(execution: Execution<T>) -> Option<Result<T, Refusal>> {
    at_once(execution.outcome())
}

/// What is in the audit trail.
fn audited(engine: &Engine) -> Vec<AuditEvent> {
    let everything = store::Batch::default();
    engine.store().commit(everything).wait().unwrap();
    let entries = engine.feed().after(0, 100).unwrap();
    let records = entries.iter().filter_map(|entry| match &entry.happening {
        LogEvent::Audit(record) => Some(record.event.clone()),
        _ => None,
    });
    records.collect()
}

/// Ground truth is kept apart, no agent can reach it.
#[test]
fn no_agent_may_even_where_everybody_may_do_anything() {
    let engine = engine();
    engine.open_to_faults();
    for name in ["hosted", "outside"] {
        let who = engine.principal(name);
        assert!(who.agent, "{name}");
        let user = name.to_owned();
        let expected = Refusal::from(Forbidden::Faults { user });
        assert!(refused(&engine, &who).iter().all(|it| *it == expected));
    }
    let mut network = Injector::default();
    let any = engine.serve_faults(&mut network, now());
    assert!(!any && network.asked.is_empty(), "nobody else heard of it");
    // The same agent is refused three different things; each is a record once.
    let told = audited(&engine);
    assert_eq!(told.len(), 6, "{told:?}");
    assert!(told.iter().all(|event| {
        event.kind == AuditKind::Denied && event.reason == "agents may not break or mend anything"
    }));
}

#[test]
fn whoever_runs_the_network_answers_and_without_one_nobody_does() {
    let engine = engine();
    let operator = engine.principal("operator");
    let nobody = refused(&engine, &operator);
    assert!(nobody.iter().all(|it| *it == NotAvailable::Network.into()));
    engine.open_to_faults();
    let mut network = Injector::default();
    let injected = engine.execute(&operator, CUT, now());
    let listed = engine.execute(&operator, ALL, now());
    let cleared = engine.execute(&operator, FIRST, now());
    assert!(engine.serve_faults(&mut network, now()));
    assert_eq!(network.asked, ["inject", "list", "clear"]);
    assert_eq!(known(injected).unwrap(), Ok(record()));
    assert_eq!(known(listed).unwrap(), Ok(vec![record()]));
    let unknown = Refusal::from(NotFound::Fault { id: 1 });
    assert_eq!(known(cleared).unwrap(), Err(unknown));
    // Who does not wait for the answer is named all the same; what was not done is not told.
    drop(engine.execute(&operator, FIRST, now()));
    network.cleared = Some(Ok(()));
    engine.serve_faults(&mut network, now());
    let told = audited(&engine);
    let told: Vec<_> = told.iter().map(|e| (e.kind, e.subject.as_str())).collect();
    let broken = "fault 1: fibre-cut at link:x";
    assert_eq!(
        told,
        [
            (AuditKind::FaultInjected, broken),
            (AuditKind::FaultCleared, "fault 1"),
        ]
    );
    // A network that ends leaves nobody waiting.
    let execution = engine.execute(&operator, FIRST, now());
    let ends = std::panic::AssertUnwindSafe(|| engine.serve_faults(&mut Ending, now()));
    assert!(std::panic::catch_unwind(ends).is_err());
    assert_eq!(
        known(execution).unwrap().unwrap_err(),
        NotAvailable::Network.into()
    );
}

const DAY: CompareDay = CompareDay {
    seed: 1,
    sites: 12,
    policies: [DayPolicy::Agents, DayPolicy::Manual],
    from_hour: None,
};

/// One who has seen nothing, and plays one day.
#[derive(Default)]
struct Referee {
    asked: Vec<&'static str>,
}

impl engine::Referee for Referee {
    fn score(&mut self, _: Timestamp) -> Option<Vec<FaultJudgement>> {
        self.asked.push("score");
        Some(Vec::new())
    }

    fn compare(&mut self, wanted: CompareDay) -> bool {
        assert_eq!(wanted, DAY);
        self.asked.push("compare");
        self.asked.len() < 3
    }

    fn comparison(&mut self) -> Option<DayComparison> {
        self.asked.push("look");
        None
    }

    fn end_comparison(&mut self) -> bool {
        self.asked.push("end");
        // One was begun, and is ended once.
        self.asked.iter().filter(|it| **it == "end").count() == 1
    }
}

#[test]
fn how_well_it_went_is_for_people_and_told_by_whoever_runs_the_network() {
    let engine = engine();
    engine.open_to_referee();
    let mut referee = Referee::default();
    for name in ["hosted", "outside"] {
        let who = engine.principal(name);
        let user = name.to_owned();
        let expected = Err(Refusal::from(Forbidden::Faults { user }));
        let score = engine.execute(&who, ScoreFaults, now());
        assert_eq!(known(score).unwrap().map(|_| ()), expected);
        let compare = engine.execute(&who, DAY, now());
        assert_eq!(known(compare).unwrap(), expected);
        let look = engine.execute(&who, GetComparison, now());
        assert_eq!(known(look).unwrap().map(|_| ()), expected);
        assert_eq!(
            known(engine.execute(&who, EndComparison, now())).unwrap(),
            expected
        );
    }
    assert!(!engine.serve_referee(&mut referee, now()));
    let operator = engine.principal("operator");
    let score = engine.execute(&operator, ScoreFaults, now());
    let begun = engine.execute(&operator, DAY, now());
    let another = engine.execute(&operator, DAY, now());
    let look = engine.execute(&operator, GetComparison, now());
    let end = engine.execute(&operator, EndComparison, now());
    assert!(engine.serve_referee(&mut referee, now()));
    assert_eq!(
        referee.asked,
        ["score", "compare", "compare", "look", "end"]
    );
    assert_eq!(known(score).unwrap(), Ok(Vec::new()));
    assert_eq!(known(begun).unwrap(), Ok(()));
    let busy = Refusal::from(NotAvailable::Comparing);
    assert_eq!(known(another).unwrap(), Err(busy));
    assert_eq!(known(look).unwrap(), Ok(None));
    assert_eq!(known(end).unwrap(), Ok(()));

    // Who begins and ends one is on record, who looks or comes too late is not.
    let end = engine.execute(&operator, EndComparison, now());
    assert!(engine.serve_referee(&mut referee, now()));
    assert_eq!(known(end).unwrap(), Ok(()));
    let trail = audited(&engine).into_iter();
    let trail: Vec<_> = trail
        .filter(|it| it.user == "operator")
        .map(|it| (it.kind, it.subject))
        .collect();
    let day = DAY.to_string();
    assert!(day.starts_with("seed "), "{day}");
    let expected = [
        (AuditKind::ComparisonBegun, day),
        (AuditKind::ComparisonEnded, String::new()),
    ];
    assert_eq!(trail, expected);
}
