//! What a rule would decide is what it decides once it is there; and what in it names nothing is said.

use super::*;
use engine::{CheckRule, RuleCheck, RuleLack, SchemaSetup};
use schema::shipped;

impl Stage {
    fn check(&self, who: &str, rule: AddRule) -> RuleCheck {
        let trial = self.read(who, CheckRule(rule));
        trial.carry_out(&self.engine, &|| false).unwrap()
    }

    /// What a rule would decide, how, and in how many milliseconds.
    pub(super) fn would(
        &self,
        who: &str,
        rule: AddRule,
    ) -> Vec<(String, RuleVerdict, Option<i64>)> {
        let check = self.check(who, rule);
        assert_eq!(check.decides_count, check.decides.len() as u64);
        let told = check.decides.into_iter();
        told.map(|it| {
            let after = it.at.map(|at| at.as_ms() - self.now.as_ms());
            (it.subject.to_string(), it.verdict, after)
        })
        .collect()
    }

    fn lacks(&self, who: &str, rule: AddRule) -> Vec<(RuleLack, String)> {
        let remarks = self.check(who, rule).remarks.into_iter();
        remarks.map(|it| (it.lack, it.value)).collect()
    }
}

/// A platform that serves the templates it is shipped with.
fn with_schemas() -> Stage {
    let desk = hosted(testkit::profile("desk"), testkit::Willing, begin());
    let engine = Engine::open(Setup {
        schemas: SchemaSetup::fixed(shipped::shipped()),
        credentials: Box::new(|name| (name == "out").then_some(Credential::Agent)),
        ..testkit::setup([desk])
    });
    let stage = Stage {
        engine: engine.unwrap(),
        now: begin(),
        ann_has_key: Arc::default(),
        out_has_key: Arc::default(),
    };
    stage.engine.start(begin());
    stage.settle();
    stage.register();
    stage
}

fn of_kind(kind: DecisionKind, conditions: RuleConditions) -> AddRule {
    AddRule {
        kind,
        conditions,
        ..cheap("r", 0.0)
    }
}

fn bounds(keys: &[&str]) -> Vec<NumberBound> {
    let bound = |key: &&str| NumberBound {
        key: (*key).to_owned(),
        least: Some(0.0),
        most: None,
    };
    keys.iter().map(bound).collect()
}

#[test]
fn what_a_rule_would_decide_is_what_it_decides_then() {
    let stage = in_memory();
    stage.offered("ann", "t1", 10);
    stage.offered("ann", "t2", 900);
    stage.offered("bob", "t3", 10);
    let before = stage.updates().len();
    let would = stage.would("ann", cheap("small", 500.0));
    let t1 = ("result/t1".to_owned(), RuleVerdict::Accept, None);
    assert_eq!(would, [t1], "bob's are not hers, and t2 is dear");
    assert_eq!(stage.updates().len(), before, "nothing is recorded");
    assert_eq!(stage.read("ann", StandingRules), []);
    stage.run("ann", cheap("small", 500.0)).unwrap();
    assert_eq!(
        stage.decided(),
        [("result/t1".to_owned(), "ann/small".to_owned())]
    );
    let mut bobs = cheap("bobs", 500.0);
    bobs.conditions.decider = Some("bob".to_owned());
    let t3 = ("result/t3".to_owned(), RuleVerdict::Accept, None);
    assert_eq!(stage.would("operator", bobs), [t3]);
}

#[test]
fn where_rules_would_disagree_nothing_would_be_decided() {
    let stage = in_memory();
    stage.offered("ann", "t1", 10);
    let asks_always = AddRule {
        time_out: None,
        ..asks("asks", 1, Afterwards::Reject)
    };
    stage.run("ann", asks_always.clone()).unwrap();
    assert_eq!(stage.would("ann", cheap("small", 500.0)), []);
    assert_eq!(stage.would("ann", asks_always), [], "it is there, and asks");
}

#[test]
fn a_rule_that_lets_it_wait_says_when_it_would_decide() {
    let mut stage = in_memory();
    stage.offered("ann", "t1", 10);
    stage.pass(20_000);
    let rejects = |after_ms| asks("late", after_ms, Afterwards::Reject);
    let t1 = |after| [("result/t1".to_owned(), RuleVerdict::Reject, after)];
    assert_eq!(stage.would("ann", rejects(60_000)), t1(Some(40_000)));
    assert_eq!(stage.would("ann", rejects(10_000)), t1(None));
    let tells = asks("late", 60_000, Afterwards::Escalate("bob".to_owned()));
    assert_eq!(stage.would("ann", tells), []);
    let over = AddRule {
        valid_until: Some(stage.now + 1_000),
        ..rejects(60_000)
    };
    assert_eq!(stage.would("ann", over), [], "it is over by then");
    stage.run("ann", rejects(60_000)).unwrap();
    stage.pass(40_000);
    let late = ("result/t1".to_owned(), "ann/late".to_owned());
    assert_eq!(stage.decided(), [late]);
}

/// What asks for as long as this, and has nothing else to say then.
fn asks_for(name: &str, until: Timestamp) -> AddRule {
    AddRule {
        time_out: None,
        valid_until: Some(until),
        ..asks(name, 1, Afterwards::Reject)
    }
}

#[test]
fn where_rules_let_it_wait_it_is_decided_when_the_last_of_them_does() {
    let mut stage = in_memory();
    stage.offered("ann", "t1", 10);
    let accepts = |name, after_ms| asks(name, after_ms, Afterwards::Accept);
    let t1 = |after| [("result/t1".to_owned(), RuleVerdict::Accept, Some(after))];
    stage.run("ann", accepts("b", 60_000)).unwrap();
    // As long as one asks, and another accepts, they disagree; then the first by name decides.
    assert_eq!(stage.would("ann", accepts("a", 30_000)), t1(60_000));
    assert_eq!(stage.would("ann", accepts("a", 120_000)), t1(120_000));
    assert_eq!(stage.would("ann", accepts("c", 30_000)), []);
    assert_eq!(stage.would("ann", accepts("c", 120_000)), []);
    assert_eq!(stage.would("ann", cheap("a", 500.0)), t1(60_000));
    let rejects = asks("a", 120_000, Afterwards::Reject);
    assert_eq!(stage.would("ann", rejects), [], "they never agree");
    stage.run("ann", accepts("a", 120_000)).unwrap();
    stage.pass(119_999);
    assert_eq!(stage.decided(), []);
    stage.pass(1);
    let by_a = ("result/t1".to_owned(), "ann/a".to_owned());
    assert_eq!(stage.decided(), [by_a]);
}

#[test]
fn a_rule_decides_once_another_is_over_that_disagrees() {
    let mut stage = in_memory();
    stage.offered("ann", "t1", 10);
    let asks_till = asks_for("asks", stage.now + 10_000);
    stage.run("ann", asks_till).unwrap();
    let t1 = ("result/t1".to_owned(), RuleVerdict::Accept, Some(10_000));
    assert_eq!(stage.would("ann", cheap("small", 500.0)), [t1]);
    let over_by_then = AddRule {
        valid_until: Some(stage.now + 10_000),
        ..cheap("small", 500.0)
    };
    assert_eq!(stage.would("ann", over_by_then), []);
    // Another asks for longer.
    let asks_longer = asks_for("more", stage.now + 20_000);
    stage.run("ann", asks_longer).unwrap();
    let later = ("result/t1".to_owned(), RuleVerdict::Accept, Some(20_000));
    assert_eq!(stage.would("ann", cheap("small", 500.0)), [later]);
    stage.run("ann", cheap("small", 500.0)).unwrap();
    stage.pass(19_999);
    assert_eq!(stage.decided(), []);
    stage.pass(1);
    let small = ("result/t1".to_owned(), "ann/small".to_owned());
    assert_eq!(stage.decided(), [small]);
}

/// It is long work: whoever does it is asked before each decision whether anybody still wants it.
#[test]
fn what_nobody_wants_any_more_is_not_looked_at_to_its_end() {
    let stage = in_memory();
    for n in 0..20 {
        stage.offered("ann", &format!("t{n}"), 10);
    }
    let trial = stage.read("ann", CheckRule(cheap("small", 500.0)));
    let asked = std::cell::Cell::new(0_u32);
    let after = |most: u32| {
        asked.set(0);
        let over = || asked.replace(asked.get() + 1) >= most;
        trial.carry_out(&stage.engine, &over)
    };
    assert_eq!(after(u32::MAX).unwrap().decides_count, 20);
    assert!(asked.get() >= 2 * 20, "{}", asked.get());
    let all = asked.get();
    for most in [0, 1, 20, 21, all - 1] {
        assert_eq!(after(most), None);
        assert_eq!(asked.get(), most + 1, "nothing is done then");
    }
}

#[test]
fn at_most_a_hundred_are_told_and_all_counted() {
    let stage = in_memory();
    for n in 0..103 {
        stage.offered("ann", &format!("t{n}"), 10);
    }
    let check = stage.check("ann", cheap("small", 500.0));
    assert_eq!((check.decides_count, check.decides.len()), (103, 100));
}

#[test]
fn what_add_rule_refuses_is_refused() {
    let stage = in_memory();
    let wrong = CheckRule(cheap("a/b", 1.0));
    assert_eq!(
        field_of(stage.run("ann", wrong).map(drop)),
        Some(Field::Rule)
    );
    let mut bobs = cheap("bobs", 1.0);
    bobs.conditions.decider = Some("bob".to_owned());
    let others = stage.run("ann", CheckRule(bobs)).map(drop);
    assert_eq!(field_of(others), Some(Field::Decider));
    for n in 0..64 {
        stage.run("ann", cheap(&format!("r{n}"), 1.0)).unwrap();
    }
    let same = stage.run("ann", CheckRule(cheap("r0", 1.0)));
    assert!(same.is_ok(), "it is there already");
    let other = stage.run("ann", CheckRule(cheap("r0", 2.0))).unwrap_err();
    let taken = |it: &Refusal| matches!(it, Refusal::Conflict(Conflict::RuleExists { .. }));
    assert!(taken(&other), "{other}");
    let full = stage.run("ann", CheckRule(cheap("one-more", 1.0)));
    assert!(matches!(full, Err(Refusal::OverLimit(_))));
}

#[test]
fn what_names_nothing_is_said() {
    let stage = with_schemas();
    let name = |it: &str| Some(it.to_owned());
    let wrong = RuleConditions {
        scenario: name("flight_bookng"),
        agent: name("nobody"),
        domain: name("Moon"),
        bounds: bounds(&["cots", "status", "saved_energy_kwh_of_nobody"]),
        ..RuleConditions::default()
    };
    let lacks = |lack, value: &str| (lack, value.to_owned());
    assert_eq!(
        stage.lacks("operator", of_kind(DecisionKind::Result, wrong)),
        [
            lacks(RuleLack::Scenario, "flight_bookng"),
            lacks(RuleLack::Agent, "nobody"),
            lacks(RuleLack::Domain, "Moon"),
            lacks(RuleLack::Key, "cots"),
            lacks(RuleLack::Number, "status"),
            lacks(RuleLack::Key, "saved_energy_kwh_of_nobody"),
        ]
    );
    let right = RuleConditions {
        scenario: name("flight_booking"),
        agent: name("out"),
        domain: name("IP"),
        ..RuleConditions::default()
    };
    assert_eq!(
        stage.lacks("operator", of_kind(DecisionKind::Result, right)),
        []
    );
    // What is asked for is in no result, and may be in an offer.
    let seats = || RuleConditions {
        scenario: name("flight_booking"),
        bounds: bounds(&["passenger_count"]),
        ..RuleConditions::default()
    };
    let in_result = stage.lacks("operator", of_kind(DecisionKind::Result, seats()));
    assert_eq!(in_result, [lacks(RuleLack::Key, "passenger_count")]);
    let in_offer = stage.lacks("operator", of_kind(DecisionKind::Decision, seats()));
    assert_eq!(in_offer, []);
    // A schema of results is of no task.
    let results = || RuleConditions {
        scenario: name("flight_booking_result"),
        ..RuleConditions::default()
    };
    let of_task = stage.lacks("operator", of_kind(DecisionKind::Result, results()));
    assert_eq!(
        of_task,
        [lacks(RuleLack::Scenario, "flight_booking_result")]
    );
    let of_patch = stage.lacks("operator", of_kind(DecisionKind::Patch, results()));
    assert_eq!(of_patch, []);
    let patches = RuleConditions {
        domain: name("IP"),
        bounds: bounds(&["new_keys", "sensitive", "cost"]),
        ..RuleConditions::default()
    };
    assert_eq!(
        stage.lacks("operator", of_kind(DecisionKind::Patch, patches)),
        [
            lacks(RuleLack::Domain, "IP"),
            lacks(RuleLack::Number, "sensitive"),
            lacks(RuleLack::Key, "cost"),
        ]
    );
}

#[test]
fn what_no_agent_of_a_scenario_negotiates_is_said() {
    let stage = with_schemas();
    let lacks = |kind| {
        let conditions = RuleConditions {
            scenario: Some("flight_booking".to_owned()),
            ..RuleConditions::default()
        };
        let lacks = stage.lacks("operator", of_kind(kind, conditions));
        lacks.into_iter().map(|(lack, _)| lack).collect::<Vec<_>>()
    };
    let kinds = [
        DecisionKind::Result,
        DecisionKind::Decision,
        DecisionKind::Feasibility,
    ];
    // Agents that name no schemas may take any.
    assert_eq!(kinds.map(lacks), [vec![], vec![], vec![]]);
    let booking = |negotiate: Option<&str>| {
        let mut profile = testkit::profile("out");
        let mut skill = testkit::skill("book", &[]);
        skill.schemas = vec!["flight_booking_v1".to_owned()];
        profile.skills = vec![skill];
        profile.capability.negotiate = negotiate.map(str::to_owned);
        stage.register_as(profile);
    };
    booking(None);
    let not = || vec![RuleLack::Negotiation];
    assert_eq!(kinds.map(lacks), [vec![], not(), not()]);
    booking(Some("acp-task-fulfillment-negotiation-v1.0"));
    assert_eq!(kinds.map(lacks), [vec![], vec![], not()]);
    booking(Some(
        "acp-task-feasibility-negotiation-v1.0,acp-task-fulfillment-negotiation-v1.0",
    ));
    assert_eq!(kinds.map(lacks), [vec![], vec![], vec![]]);
}

/// Everybody may execute what no rule denies, and this not.
fn without(rpc: &str) -> AccessRules {
    let rule = |module: &str, rpc: &str, action| Rule {
        name: rpc.to_owned(),
        module: module.to_owned(),
        target: RuleTarget::Rpc(rpc.to_owned()),
        operations: [AccessOperation::Exec].into(),
        action,
    };
    let rules = vec![
        rule("convoke-policy", "check-rule", Action::Permit),
        rule("convoke-schema", rpc, Action::Deny),
    ];
    AccessRules {
        enabled: true,
        exec_default: Action::Permit,
        lists: vec![RuleList {
            name: "all".to_owned(),
            groups: ["*".to_owned()].into(),
            rules,
        }],
        ..testkit::access(&["operator"])
    }
}

#[test]
fn what_keys_templates_have_is_told_to_who_may_read_them() {
    let stage = with_schemas();
    let lacks = |rpc: &str| {
        stage.engine.set_access(without(rpc));
        let wrong = RuleConditions {
            scenario: Some("flight_bookng".to_owned()),
            bounds: bounds(&["cots", "status"]),
            ..RuleConditions::default()
        };
        stage.lacks("ann", of_kind(DecisionKind::Result, wrong))
    };
    let scenario = (RuleLack::Scenario, "flight_bookng".to_owned());
    let keys = [
        (RuleLack::Key, "cots".to_owned()),
        (RuleLack::Number, "status".to_owned()),
    ];
    let all: Vec<_> = [scenario.clone()].into_iter().chain(keys).collect();
    assert_eq!(lacks("render-schema"), all);
    assert_eq!(lacks("get-schema-template"), [scenario]);
    assert_eq!(lacks("list-scenarios"), []);
}

#[test]
fn who_is_no_agent_is_told_to_administrators_alone() {
    let stage = in_memory();
    let with = |agent: &str| {
        let conditions = RuleConditions {
            agent: Some(agent.to_owned()),
            ..RuleConditions::default()
        };
        of_kind(DecisionKind::Feasibility, conditions)
    };
    let nobody = [(RuleLack::Agent, "nobody".to_owned())];
    assert_eq!(stage.lacks("operator", with("nobody")), nobody);
    assert_eq!(stage.lacks("operator", with("bob")), []);
    assert_eq!(stage.lacks("ann", with("nobody")), []);
    assert_eq!(stage.lacks("ann", with("bob")), []);
}

#[test]
fn where_no_schema_is_served_any_scenario_and_key_may_come() {
    let stage = in_memory();
    let mut rule = cheap("r", 1.0);
    rule.conditions.scenario = Some("repair".to_owned());
    assert_eq!(stage.lacks("ann", rule), []);
}
