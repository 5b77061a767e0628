//! Rules look anew at what waits where somebody's key, an agent's domain or another rule may have changed what they say.

use super::*;

/// Her rule finds nothing to say as long as she has no key.
#[test]
fn a_key_that_is_back_has_its_rules_look_at_what_waits() {
    let stage = in_memory();
    stage.run("ann", cheap("small", 100.0)).unwrap();
    stage.ann_has_key.store(false, Relaxed);
    stage.engine.credentials_changed();
    stage.settle();
    stage.offered("ann", "t1", 5);
    assert_eq!(stage.status("t1"), Status::InputRequired);
    stage.ann_has_key.store(true, Relaxed);
    stage.settle();
    assert_eq!(
        stage.status("t1"),
        Status::InputRequired,
        "nobody has looked"
    );
    stage.engine.credentials_changed();
    stage.settle();
    assert_eq!(stage.status("t1"), Status::Finished);
}

#[test]
fn an_agent_that_is_of_another_domain_by_now_is_looked_at_anew() {
    let stage = in_memory();
    stage.register_in("RAN");
    stage.run("ann", cheap("small", 100.0)).unwrap();
    stage.offered("ann", "t1", 5);
    let waits = [("result/t1".to_owned(), Some("no-rule"))];
    assert_eq!(stage.waits("ann"), waits);
    stage.register_in("IP");
    assert_eq!(stage.status("t1"), Status::Finished);
}

#[test]
fn a_rule_that_comes_or_goes_is_asked_about_its_own_decisions_alone() {
    let stage = in_memory();
    stage.offered("ann", "t1", 5);
    stage.offered("bob", "t2", 5);
    stage.run("bob", cheap("none", 1.0)).unwrap();
    assert_eq!(stage.decided(), []);
    stage.run("bob", cheap("small", 100.0)).unwrap();
    let by_bob = ("result/t2".to_owned(), "bob/small".to_owned());
    assert_eq!(stage.decided(), [by_bob]);
    assert_eq!(stage.waits("ann").len(), 1);
}

/// What an agent may decide without asking itself is on record too, and ends with the key that it had.
#[test]
fn a_rule_of_an_executor_is_on_record_and_lapses_with_its_key() {
    let stage = in_memory();
    let mut rule = cheap("takes-all", 0.0);
    rule.kind = DecisionKind::Feasibility;
    rule.conditions = RuleConditions::default();
    stage.run("out", rule).unwrap();
    let propose = |task: &str| {
        let job = "## target object\nsite-1\n## task description\nrepair it";
        let ask = Negotiate {
            to: Some("out".to_owned()),
            ..message(Verb::FeasibilityNegotiate, task, job)
        };
        let who = stage.engine.principal("ann");
        // Its answer is not waited for here.
        drop(stage.engine.execute(&who, ask, stage.now));
        stage.settle();
    };
    propose("t1");
    let by_out = ("feasibility/t1".to_owned(), "out/takes-all".to_owned());
    assert_eq!(stage.decided(), [by_out]);
    let agreed = stage.read("ann", NegotiationsOf(Some(TaskId::new("t1"))));
    assert!(agreed[0].agreement().is_some());
    let state = || stage.read("out", StandingRules)[0].state;
    assert_eq!(state(), "in-force");
    stage.out_has_key.store(false, Relaxed);
    stage.engine.credentials_changed();
    stage.settle();
    assert_eq!(state(), "lapsed");
    propose("t2");
    assert_eq!(stage.decided().len(), 1);
}

#[test]
fn what_is_over_takes_no_name_and_no_room() {
    let mut stage = in_memory();
    for number in 0..64 {
        let short = AddRule {
            valid_until: Some(begin() + 1_000),
            ..cheap(&format!("r{number}"), 1.0)
        };
        stage.run("ann", short).unwrap();
    }
    assert!(stage.run("ann", cheap("r0", 2.0)).is_err());
    stage.pass(1_000);
    let states = |stage: &Stage| {
        let rules = stage.read("ann", StandingRules).into_iter();
        rules.map(|it| it.state).collect::<Vec<_>>()
    };
    assert_eq!(states(&stage), ["over"; 64]);
    stage.run("ann", cheap("r0", 2.0)).unwrap();
    assert_eq!(states(&stage), ["in-force"]);
    stage.offered("ann", "t1", 2);
    assert_eq!(
        stage.decided(),
        [("result/t1".to_owned(), "ann/r0".to_owned())]
    );
}

/// What a rule tells another user once it was added anew is news to that one.
#[test]
fn a_rule_added_anew_with_somebody_else_to_tell_tells_that_one() {
    let mut stage = in_memory();
    let to = |user: &str| asks("wait", 1_000, Afterwards::Escalate(user.to_owned()));
    stage.offered("ann", "t1", 5);
    stage.run("ann", to("operator")).unwrap();
    stage.pass(1_000);
    let withdraw = || WithdrawRule {
        author: None,
        name: "wait".to_owned(),
    };
    stage.run("ann", withdraw()).unwrap();
    // Who may not decide is told nothing.
    stage.run("ann", to("bob")).unwrap();
    stage.pass(1_000);
    assert_eq!(stage.told(), 1);
    stage.run("ann", withdraw()).unwrap();
    stage.run("ann", to("ann")).unwrap();
    stage.pass(1_000);
    assert_eq!(stage.told(), 2);
    assert_eq!(
        stage.inbox("ann").decisions[0].escalated_to,
        ["ann", "operator"]
    );
    let name = "other".to_owned();
    let other = AddRule {
        name,
        ..to("operator")
    };
    stage.run("ann", withdraw()).unwrap();
    stage.run("ann", other).unwrap();
    stage.pass(1_000);
    assert_eq!(
        stage.inbox("ann").decisions[0].escalated_to,
        ["operator"],
        "what rules told that are gone is not kept"
    );
}

/// Others are served before rules look at the rest.
#[test]
fn rules_look_at_a_bounded_number_in_one_tick() {
    let stage = in_memory();
    for n in 0..300 {
        stage.offered("ann", &format!("t{n}"), 5);
    }
    let ann = stage.engine.principal("ann");
    let added = stage.engine.execute(&ann, cheap("small", 100.0), stage.now);
    stage.flush();
    outcome(added).unwrap();
    stage.engine.tick(stage.now);
    stage.flush();
    let first = stage.decided().len();
    assert!(first <= 256, "{first}");
    assert!(stage.engine.next_wakeup() <= Some(stage.now));
    stage.settle();
    assert_eq!(stage.decided().len(), 300);
}

/// Who writes too fast is refused once, not once for each of what waits.
#[test]
fn what_the_rules_of_one_who_writes_too_fast_decide_is_put_off_together() {
    let mut stage = in_memory_with(writes_slowly("ann", 5_000));
    for n in 0..60 {
        stage.offered("ann", &format!("t{n}"), 5);
        stage.pass(20_000);
    }
    stage.run("ann", cheap("small", 100.0)).unwrap();
    let decided = stage.decided().len();
    assert!((1..60).contains(&decided), "{decided} at once");
    assert_eq!(stage.refused("ann"), 1);
    for _ in 0..600 {
        stage.pass(1_000);
    }
    assert_eq!(stage.decided().len(), 60);
}

/// Whom rules tell is charged to their author like what they decide.
#[test]
fn what_the_rules_of_one_who_writes_too_fast_tell_is_put_off_together() {
    let mut stage = in_memory_with(writes_slowly("ann", 5_000));
    for n in 0..60 {
        stage.offered("ann", &format!("t{n}"), 5);
        stage.pass(20_000);
    }
    let escalates = Afterwards::Escalate("operator".to_owned());
    stage.run("ann", asks("wait", 1_000, escalates)).unwrap();
    let told = stage.told();
    assert!((1..60).contains(&told), "{told} at once");
    assert_eq!(stage.refused("ann"), 1);
    for _ in 0..600 {
        stage.pass(1_000);
    }
    assert_eq!(stage.told(), 60);
}

/// Whom a rule tells is told though its author writes whenever there is room: one a second, beyond his share.
#[test]
fn who_writes_without_a_pause_does_not_put_off_whom_his_rules_tell() {
    let mut stage = in_memory_with(writes_slowly("ann", 5_000));
    for n in 0..8 {
        stage.offered("ann", &format!("t{n}"), 5);
        stage.pass(20_000);
    }
    let escalates = Afterwards::Escalate("operator".to_owned());
    stage
        .run("ann", asks("wait", 3_600_000, escalates))
        .unwrap();
    stage.pass(3_400_000);
    assert_eq!(stage.told(), 0);
    let mut seconds = 0;
    while stage.told() < 8 {
        stage.now = stage.now + 1_000;
        // What has room by now she takes before rules look.
        stage.writes_all("ann");
        stage.pass(0);
        seconds += 1;
        assert!(seconds < 240, "{} told", stage.told());
    }
}
