//! Among what words are read: what their speaker may see and assign, and no more of it than is weighed.
//!
//! Knows no reader. Read next: `engine::schemas::utterance`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::{AccessOperation, AccessRules, Action, Rule, RuleList, RuleTarget};
use domain::agent::{Agent, Input, Output};
use domain::profile::Profile;
use domain::registry::{Health, Reach};
use domain::time::{SeededRng, Timestamp};
use engine::refusal::{Forbidden, NotFound, OverLimit};
use engine::{
    Engine, ParseUtterance, Refusal, RegisterAgent, RenewLease, ScenarioOffer, SchemaSetup, Setup,
    UTTERANCE_BYTES_MAX, Which,
};
use schema::shipped;
use testkit::{hosted, outcome, profile, setup, skill};

struct Idle;

impl Agent for Idle {
    fn step(&mut self, _: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        Vec::new()
    }
}

/// An agent that takes one scenario, and says so.
fn taker(name: &str, schema_id: &str, example: &str) -> Profile {
    let mut skill = skill("work", &["aviation"]);
    skill.schemas = vec![schema_id.to_owned()];
    skill.examples = vec![example.to_owned()];
    Profile {
        skills: vec![skill],
        ..profile(name)
    }
}

fn rpcs(group: &str, rpcs: &[(&str, &str)]) -> RuleList {
    let rule = |&(module, rpc): &(&str, &str)| Rule {
        name: rpc.to_owned(),
        module: module.to_owned(),
        target: RuleTarget::Rpc(rpc.to_owned()),
        operations: [AccessOperation::Exec].into(),
        action: Action::Permit,
    };
    RuleList {
        name: group.to_owned(),
        groups: [group.to_owned()].into(),
        rules: rpcs.iter().map(rule).collect(),
    }
}

/// `ann` may give tasks; `viewer` may see scenarios and give none, `blind` give tasks and see none, `keyless` both, and
/// read no template.
fn access() -> AccessRules {
    let parse = ("convoke-schema", "parse-utterance");
    let list = ("convoke-schema", "list-scenarios");
    let template = ("convoke-schema", "get-schema-template");
    let negotiate = ("irtf-agent", "task-negotiate");
    let everything = rpcs("admin", &[("*", "*")]);
    let group = |name: &str| (name.to_owned(), [name.to_owned()].into());
    AccessRules {
        enabled: true,
        groups: ["ann", "viewer", "blind", "keyless"]
            .map(group)
            .into_iter()
            .chain([("admin".to_owned(), ["operator".to_owned()].into())])
            .collect(),
        read_default: Action::Deny,
        write_default: Action::Deny,
        exec_default: Action::Deny,
        lists: vec![
            everything,
            rpcs("ann", &[parse, list, template, negotiate]),
            rpcs("viewer", &[parse, list, template]),
            rpcs("blind", &[parse, template, negotiate]),
            rpcs("keyless", &[parse, list, negotiate]),
        ],
    }
}

fn now() -> Timestamp {
    Timestamp::parse("2026-11-29T12:00:00Z").unwrap()
}

fn open() -> Engine {
    let airline = taker("airline", "flight_booking_v1", "book me a flight");
    let engine = Engine::open(Setup {
        access: access(),
        schemas: SchemaSetup::fixed(shipped::shipped()),
        ..setup([
            hosted(airline, Idle, now()),
            hosted(profile("clerk"), Idle, now()),
        ])
    })
    .unwrap();
    engine.start(now());
    engine
}

fn saying(words: &str) -> ParseUtterance {
    ParseUtterance {
        utterance: words.to_owned(),
        which: None,
        agent: None,
        language: None,
    }
}

fn asked(engine: &Engine, who: &str, asked: ParseUtterance) -> Result<Vec<ScenarioOffer>, Refusal> {
    let who = engine.principal(who);
    outcome(engine.execute(&who, asked, now()))
}

fn registered(engine: &Engine, profile: Profile) {
    let register = RegisterAgent {
        profile,
        reach: Reach::Client,
        lease_ms: 60_000,
    };
    outcome(engine.execute(&engine.principal("operator"), register, now())).unwrap();
}

#[test]
fn what_is_offered_is_what_its_agent_takes_in_its_own_words() {
    let engine = open();
    let offers = asked(&engine, "ann", saying("book a flight")).unwrap();
    let [only] = offers.as_slice() else {
        panic!("{offers:?}");
    };
    assert_eq!(only.agent(), "airline");
    assert_eq!(only.template.schema_id, "flight_booking_v1");
    let texts = only.texts();
    assert_eq!(texts.examples, ["book me a flight"]);
    assert!(texts.description.contains("aviation"), "{texts:?}");
    let chinese = ParseUtterance {
        language: Some("zh".to_owned()),
        ..saying("book a flight")
    };
    let told = asked(&engine, "ann", chinese).unwrap();
    assert_ne!(told[0].title, only.title);
}

/// What one may neither see nor assign is told like what is not there, the names of others included.
#[test]
fn who_may_not_see_or_assign_a_scenario_is_offered_none() {
    let engine = open();
    for who in ["viewer", "blind", "keyless"] {
        for which in ["flight_booking", "nothing_of_that_name"] {
            let named = ParseUtterance {
                which: Some(Which::Scenario(which.to_owned())),
                agent: Some("clerk".to_owned()),
                ..saying("book a flight")
            };
            assert_eq!(asked(&engine, who, named), Ok(Vec::new()), "{who}");
        }
        assert_eq!(asked(&engine, who, saying("book a flight")), Ok(Vec::new()));
    }
    let denied = asked(&engine, "guest", saying("book a flight"));
    assert!(
        matches!(denied, Err(Refusal::Forbidden(Forbidden::Denied { .. }))),
        "{denied:?}"
    );
}

#[test]
fn what_is_named_is_what_is_read() {
    let engine = open();
    let named = |which: Option<Which>, agent: Option<&str>| {
        let agent = agent.map(str::to_owned);
        let of = ParseUtterance {
            which,
            agent,
            ..saying("book a flight")
        };
        let offers = asked(&engine, "ann", of)?;
        Ok(offers.len())
    };
    let schema = |id: &str| Some(Which::Schema(id.to_owned()));
    assert_eq!(named(schema("flight_booking_v1"), None), Ok(1));
    assert_eq!(named(schema("energy_saving_v1"), None), Ok(0));
    assert_eq!(named(None, Some("clerk")), Ok(0));
    for refused in [
        named(schema("cake_baking_v1"), None),
        named(Some(Which::Scenario("cake baking".to_owned())), None),
        named(None, Some("nobody")),
    ] {
        let refused: Result<usize, Refusal> = refused;
        assert!(matches!(refused, Err(Refusal::NotFound(_))), "{refused:?}");
    }
    let nobody = named(None, Some("nobody"));
    let name = "nobody".to_owned();
    assert_eq!(nobody, Err(NotFound::Agent { name }.into()));
}

#[test]
fn words_are_bounded_in_bytes() {
    let engine = open();
    let most = UTTERANCE_BYTES_MAX;
    assert!(asked(&engine, "ann", saying(&"é".repeat(most / 2))).is_ok());
    let long = asked(&engine, "ann", saying(&"é".repeat(most / 2 + 1)));
    assert_eq!(long, Err(OverLimit::LongUtterance { most }.into()));
}

/// Of many agents those are weighed that the registry finds for the words; one that takes nothing on is not.
#[test]
fn of_many_agents_those_are_weighed_that_fit_first() {
    let engine = open();
    for number in 0..12 {
        let example = match number {
            11 => "a flight over the glacier",
            _ => "a flight",
        };
        let name = format!("pilot-{number:02}");
        registered(&engine, taker(&name, "flight_booking_v1", example));
    }
    let offers = asked(&engine, "ann", saying("book a flight over the glacier")).unwrap();
    assert_eq!(offers.len(), 8);
    assert_eq!(offers[0].agent(), "pilot-11");

    let failing = RenewLease {
        name: Some("pilot-11".to_owned()),
        health: Health::Failing,
        note: String::new(),
    };
    outcome(engine.execute(&engine.principal("operator"), failing, now())).unwrap();
    let offers = asked(&engine, "ann", saying("book a flight over the glacier")).unwrap();
    assert!(offers.iter().all(|it| it.agent() != "pilot-11"));
    let named = ParseUtterance {
        agent: Some("pilot-11".to_owned()),
        ..saying("book a flight")
    };
    assert_eq!(asked(&engine, "ann", named).unwrap().len(), 1);
}

/// What an agent says of itself is read for 4 KiB, however much it says and of however many scenarios.
#[test]
fn of_who_says_much_so_much_is_read() {
    let engine = open();
    let mut talker = taker("talker", "flight_booking_v1", "a flight");
    talker.description = "é".repeat(9_000);
    let skill = talker.skills[0].clone();
    let skills = (0..20).map(|number| domain::profile::Skill {
        name: format!("work-{number}"),
        examples: vec!["x".repeat(100); 12],
        ..skill.clone()
    });
    talker.skills = skills.collect();
    registered(&engine, talker);
    let offers = asked(&engine, "ann", saying("book a flight")).unwrap();
    let talker = offers.iter().find(|it| it.agent() == "talker").unwrap();
    let texts = talker.texts();
    assert_eq!(texts.description.len(), 2_048);
    assert_eq!(texts.examples.len(), 20);
    // Nothing of it is copied for the offer.
    let again = asked(&engine, "ann", saying("book a flight")).unwrap();
    let again = again.iter().find(|it| it.agent() == "talker").unwrap();
    assert!(std::sync::Arc::ptr_eq(&talker.taker, &again.taker));
}

/// Who says too much in his profile takes no place.
#[test]
fn a_profile_of_countless_examples_is_refused() {
    let engine = open();
    let mut hostile = taker("hostile", "flight_booking_v1", "abc");
    let mut refused = |examples: Vec<String>| {
        hostile.skills[0].examples = examples;
        let register = RegisterAgent {
            profile: hostile.clone(),
            reach: Reach::Client,
            lease_ms: 60_000,
        };
        outcome(engine.execute(&engine.principal("operator"), register, now())).unwrap_err()
    };
    for examples in [
        vec!["abc".to_owned(); 21_000],
        vec![String::new(); 800_000],
        vec!["abc".to_owned(); 65],
        vec!["x".repeat(513)],
        vec![String::new()],
    ] {
        let refusal = refused(examples);
        assert!(matches!(refusal, Refusal::InvalidInput(_)), "{refusal:?}");
    }
}
