//! The truth about what is broken is for people: no agent breaks, knows or mends, whatever the rules
//! say.
//!
//! Read next: `engine`'s `faults.rs`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::{AccessRules, Action};
use domain::agent::{Agent, Input, Output};
use domain::audit::{AuditEvent, AuditKind};
use domain::cause::Cause;
use domain::event::Happening;
use domain::inventory::{ElementId, Inventory};
use domain::profile::{Capability, Layer, Profile};
use domain::time::{Dice, Timestamp};
use engine::{
    Credential, Engine, Execution, FaultAnswer, FaultRecord, FaultRefusal, FaultWish, Hosted,
    Limits, Operation, Outcome, Refusal, Retention, Setup,
};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

struct Silent;

impl Agent for Silent {
    fn step(&mut self, _: Input, _: Timestamp, _: &mut Dice) -> Vec<Output> {
        Vec::new()
    }
}

fn now() -> Timestamp {
    Timestamp::from_ms(1_000_000)
}

/// A platform that permits everything to everybody.
fn engine() -> Engine {
    let profile = Profile {
        name: "hosted".to_owned(),
        alias: None,
        description: "Listens".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    };
    Engine::open(Setup {
        store: store::Options::memory(),
        access: AccessRules {
            enabled: false,
            read_default: Action::Permit,
            write_default: Action::Permit,
            exec_default: Action::Permit,
            groups: BTreeMap::from([("admin".to_owned(), ["hosted".to_owned()].into())]),
            lists: Vec::new(),
        },
        agents: vec![Hosted {
            profile: Arc::new(profile),
            agent: Box::new(Silent),
            again: None,
            endpoint: None,
            registered_at: now(),
        }],
        default_agent: "hosted".to_owned(),
        inventory: Arc::new(Inventory::default()),
        seed: 7,
        limits: Limits::default(),
        retention: Retention::default(),
        deliverable: Box::new(|_| Ok(())),
        credentials: Box::new(|name| (name == "outside").then_some(Credential::Agent)),
        proxy: None,
        schemas: engine::SchemaSetup::fixed(Vec::new()),
    })
    .unwrap()
}

fn wishes() -> [FaultWish; 3] {
    [
        FaultWish::Inject {
            kind: Some(Cause::FibreCut),
            element: None,
            duration_s: None,
            severity: None,
        },
        FaultWish::List { ended: true },
        FaultWish::Clear { id: 1 },
    ]
}

/// The outcome as far as it is known; none while somebody has to answer.
fn known(execution: Execution) -> Option<Result<Outcome, Refusal>> {
    let outcome = pin!(execution.outcome());
    match outcome.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    }
}

/// What is in the audit trail.
fn audited(engine: &Engine) -> Vec<AuditEvent> {
    let everything = store::Batch::default();
    engine.store().commit(everything).wait().unwrap();
    let entries = engine.feed().after(0, 100).unwrap();
    let records = entries.iter().filter_map(|entry| match &entry.happening {
        Happening::Audit(record) => Some(record.event.clone()),
        _ => None,
    });
    records.collect()
}

/// Issue 5, 1: ground truth is kept apart, no agent can reach it.
#[test]
fn no_agent_may_even_where_everybody_may_do_anything() {
    let engine = engine();
    engine.open_to_faults();
    for name in ["hosted", "outside"] {
        let who = engine.principal(name);
        assert!(who.agent, "{name}");
        for wish in wishes() {
            let refused = known(engine.execute(&who, Operation::Faults(wish), now()));
            let user = name.to_owned();
            let expected = Refusal::Fault(FaultRefusal::Agent { user });
            assert_eq!(refused.unwrap().unwrap_err(), expected);
        }
    }
    assert!(engine.faults_wanted().is_empty(), "nobody else heard of it");
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
    for wish in wishes() {
        let refused = known(engine.execute(&operator, Operation::Faults(wish), now()));
        assert_eq!(refused.unwrap().unwrap_err(), Refusal::NoNetwork);
    }
    engine.open_to_faults();
    let record = FaultRecord {
        id: 1,
        kind: Cause::FibreCut,
        element: ElementId::new("link:x"),
        began: now(),
        repaired: None,
        restored: None,
        sites_out: 3,
    };
    let answers = [
        Ok(FaultAnswer::Injected(record.clone())),
        Ok(FaultAnswer::Listed(vec![record])),
        Err(FaultRefusal::Unknown { id: 1 }),
    ];
    for (wish, answer) in wishes().into_iter().zip(answers) {
        let execution = engine.execute(&operator, Operation::Faults(wish.clone()), now());
        let mut wanted = engine.faults_wanted();
        let wanted = wanted.pop().unwrap();
        assert_eq!(wanted.wish, wish);
        engine.answer_fault(wanted, answer.clone(), now());
        match (known(execution).unwrap(), answer) {
            (Ok(Outcome::Faults(told)), Ok(answer)) => assert_eq!(told, answer),
            (Err(refusal), Err(why)) => assert_eq!(refusal, Refusal::Fault(why)),
            (other, _) => panic!("{other:?}"),
        }
    }
    // Who does not wait for the answer is named all the same; what was not done is not told.
    let clear = Operation::Faults(FaultWish::Clear { id: 1 });
    drop(engine.execute(&operator, clear, now()));
    let wanted = engine.faults_wanted().pop().unwrap();
    engine.answer_fault(wanted, Ok(FaultAnswer::Cleared), now());
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
    let execution = engine.execute(
        &operator,
        Operation::Faults(FaultWish::Clear { id: 1 }),
        now(),
    );
    drop(engine.faults_wanted());
    assert_eq!(known(execution).unwrap().unwrap_err(), Refusal::NoNetwork);
}
