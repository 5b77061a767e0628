//! What waits for a person, and what standing rules make of it: with the rights of their authors, once, and after a
//! restart as well.
//!
//! Knows no protocol; executors are outside and say what each test has them say. In `checking`, a rule is asked about
//! before it is there; in `anew`, rules look anew at what waits; in `not_stored`, the store does not take what they do;
//! `patches` are those of schemas. Read next: `engine::policy`, `domain::policy`.
#![allow(clippy::unwrap_used, missing_docs)]

mod anew;
mod checking;
mod not_stored;
mod patches;

use domain::access::{AccessOperation, AccessRules, Action, Rule, RuleList, RuleTarget};
use domain::event::LogEvent;
use domain::policy::{
    Afterwards, DecisionKind, NumberBound, PolicyChange, PolicyUpdate, RuleConditions, RuleVerdict,
    TimeOut,
};
use domain::profile::Profile;
use domain::registry::Reach;
use domain::reply::{Reply, Verdict};
use domain::task::{Status, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::query::{ExchangesOf, NegotiationsOf, StandingRules, TaskById, WaitingDecisions};
use engine::refusal::{Conflict, Field, InvalidInput, NotFound};
use engine::{
    AddRule, Credential, Engine, Limits, Negotiate, Operation, Quotas, Refusal, RegisterAgent,
    Setup, UserLimits, Waiting, WithdrawRule,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use testkit::{assignment, hosted, message, outcome};

fn begin() -> Timestamp {
    Timestamp::from_ms(1_000_000)
}

struct Stage {
    engine: Engine,
    now: Timestamp,
    /// Whether the host knows the keys of `ann` and of `out`.
    ann_has_key: Arc<AtomicBool>,
    out_has_key: Arc<AtomicBool>,
}

/// A platform with an executor `out`; `ann` and `bob` are people, `operator` an administrator.
fn stage(store: store::Options, now: Timestamp) -> Stage {
    stage_with(store, Quotas::default(), now)
}

/// The same, where users may write no more than this.
fn stage_with(store: store::Options, users: Quotas, now: Timestamp) -> Stage {
    let ann_has_key = Arc::new(AtomicBool::new(true));
    let out_has_key = Arc::new(AtomicBool::new(true));
    let (ann, out) = (Arc::clone(&ann_has_key), Arc::clone(&out_has_key));
    let desk = hosted(testkit::profile("desk"), testkit::Willing, now);
    let engine = Engine::open(Setup {
        store,
        limits: Limits {
            users,
            ..Limits::default()
        },
        credentials: Box::new(move |name| match name {
            "out" => out.load(Relaxed).then_some(Credential::Agent),
            "ann" => ann.load(Relaxed).then_some(Credential::User),
            "bob" | "operator" => Some(Credential::User),
            _ => None,
        }),
        ..testkit::setup([desk])
    });
    let stage = Stage {
        engine: engine.unwrap(),
        now,
        ann_has_key,
        out_has_key,
    };
    stage.engine.start(now);
    stage.settle();
    stage
}

fn in_memory() -> Stage {
    in_memory_with(Quotas::default())
}

fn in_memory_with(users: Quotas) -> Stage {
    let stage = stage_with(store::Options::memory(), users, begin());
    stage.register();
    stage
}

/// Somebody may write so many bytes at once, and 100 a second.
fn writes_slowly(user: &str, burst: u64) -> Quotas {
    let limits = UserLimits {
        write_bytes_s: 100,
        write_burst_bytes: burst,
        ..UserLimits::default()
    };
    Quotas {
        named: [(user.to_owned(), limits)].into(),
        ..Quotas::default()
    }
}

fn in_folder(folder: &Path, now: Timestamp) -> Stage {
    stage(testkit::on_disk(folder), now)
}

impl Stage {
    fn register(&self) {
        self.register_in("IP");
    }

    fn register_in(&self, domain: &str) {
        let mut profile = testkit::profile("out");
        profile.domain = Some(domain.to_owned());
        self.register_as(profile);
    }

    fn register_as(&self, profile: Profile) {
        let register = RegisterAgent {
            profile,
            reach: Reach::Client,
            lease_ms: 36_000_000,
        };
        self.run("out", register).unwrap();
    }

    fn run<O: Operation>(&self, who: &str, operation: O) -> Result<O::Output, Refusal> {
        let who = self.engine.principal(who);
        let execution = self.engine.execute(&who, operation, self.now);
        self.flush();
        let done = outcome(execution);
        self.settle();
        done
    }

    /// What was decided is on disk, or never will be: a job is begun behind what is queued, however long that waits.
    fn flush(&self) {
        let store = self.engine.store();
        drop(store.erase(&TaskId::new("nothing"), self.now).wait());
    }

    fn say(&self, who: &str, said: Negotiate) -> Result<Reply, Refusal> {
        Ok(self.run(who, said)?.reply)
    }

    /// What was committed has been looked at by rules, and what came of it is committed.
    fn settle(&self) {
        for _ in 0..3 {
            self.flush();
            self.engine.tick(self.now);
        }
        self.flush();
    }

    fn pass(&mut self, ms: i64) {
        self.now = self.now + ms;
        self.engine.tick(self.now);
        self.settle();
    }

    /// A task of this publisher, whose executor offers a result of this cost.
    fn offered(&self, publisher: &str, task: &str, cost: u32) {
        let job = "## target object\nsite-1\n## task description\nrepair it\n\
                   ## expected response\na site in service";
        let reply = self.say(publisher, assignment("out", task, job)).unwrap();
        assert_ne!(reply.verdict, Verdict::Refused);
        self.offer(task, cost);
    }

    fn offer(&self, task: &str, cost: u32) {
        let result = format!(
            "## target object\nsite-1\n## task description\ndone\n## result\nin service\n\
             ## structured payload\n{{\"schema_id\": \"repair_v1\", \"payload\": {{\"cost\": {cost}}}}}"
        );
        self.say("out", message(Verb::TaskResultNotify, task, &result))
            .unwrap();
    }

    fn status(&self, task: &str) -> Status {
        let found = self.read("operator", TaskById(TaskId::new(task)));
        found.unwrap().status
    }

    fn read<Q: engine::Query>(&self, who: &str, query: Q) -> Q::Output {
        let who = self.engine.principal(who);
        self.engine.read(&who, query, self.now).ok().unwrap()
    }

    fn inbox(&self, who: &str) -> Waiting {
        self.read(who, WaitingDecisions)
    }

    /// What waits for somebody, and why no rule decides it.
    fn waits(&self, who: &str) -> Vec<(String, Option<&'static str>)> {
        let waiting = self.inbox(who).decisions.into_iter();
        let told = waiting.map(|it| (it.pending.subject.to_string(), it.why));
        told.collect()
    }

    /// What the log says of rules.
    fn updates(&self) -> Vec<PolicyUpdate> {
        let entries = self.engine.store().entries(0, 10_000).unwrap();
        let told = entries.iter().filter_map(|entry| match &entry.happening {
            LogEvent::Policy(update) => Some(PolicyUpdate::clone(update)),
            _ => None,
        });
        told.collect()
    }

    /// How often more was refused to a user than he may.
    fn refused(&self, user: &str) -> u64 {
        let usage = self.engine.usage();
        usage.iter().find(|it| it.name == user).unwrap().refused
    }

    /// Somebody writes for as long as he has room.
    fn writes_all(&self, user: &str) {
        let who = self.engine.principal(user);
        let withdraw = || WithdrawRule {
            author: None,
            name: "none".to_owned(),
        };
        let write = || outcome(self.engine.execute(&who, withdraw(), self.now));
        while !matches!(write(), Err(Refusal::OverLimit(_))) {}
    }

    fn told(&self) -> usize {
        let updates = self.updates().into_iter();
        updates
            .filter(|it| it.change == PolicyChange::Escalated)
            .count()
    }

    fn decided(&self) -> Vec<(String, String)> {
        let updates = self.updates().into_iter();
        let decided = updates.filter(|it| it.change == PolicyChange::Decided);
        decided
            .map(|it| (it.subject.unwrap().to_string(), it.rule.to_string()))
            .collect()
    }
}

/// Accepts results that cost no more than this.
fn cheap(name: &str, most: f64) -> AddRule {
    AddRule {
        name: name.to_owned(),
        kind: DecisionKind::Result,
        conditions: RuleConditions {
            domain: Some("IP".to_owned()),
            bounds: vec![NumberBound {
                key: "cost".to_owned(),
                least: None,
                most: Some(most),
            }],
            ..RuleConditions::default()
        },
        verdict: RuleVerdict::Accept,
        time_out: None,
        valid_until: None,
    }
}

fn asks(name: &str, after_ms: i64, then: Afterwards) -> AddRule {
    AddRule {
        conditions: RuleConditions::default(),
        verdict: RuleVerdict::Ask,
        time_out: Some(TimeOut { after_ms, then }),
        ..cheap(name, 0.0)
    }
}

fn field_of(refused: Result<(), Refusal>) -> Option<Field> {
    match refused.unwrap_err() {
        Refusal::InvalidInput(InvalidInput::Unusable { field, .. }) => Some(field),
        _ => None,
    }
}

#[test]
fn what_waits_is_told_to_whoever_may_decide_it_until_it_is_decided() {
    let mut stage = in_memory();
    stage.offered("ann", "t1", 900);
    stage.pass(10);
    stage.offered("ann", "t2", 10);
    let no_rule = Some("no-rule");
    let both = [
        ("result/t1".to_owned(), no_rule),
        ("result/t2".to_owned(), no_rule),
    ];
    assert_eq!(stage.waits("ann"), both);
    assert_eq!(
        stage.waits("operator"),
        both,
        "an administrator may judge for her"
    );
    assert_eq!((stage.waits("bob"), stage.waits("out")), (vec![], vec![]));
    let waiting = stage.inbox("ann");
    assert_eq!(waiting.count, 2);
    let first = &waiting.decisions[0].pending;
    assert_eq!(
        (first.decider.as_deref(), first.agent.as_deref()),
        (Some("ann"), Some("out"))
    );
    assert_eq!(
        (first.target.as_deref(), first.domain.as_deref()),
        (Some("site-1"), Some("IP"))
    );
    assert_eq!(first.offers.value(0, "cost").unwrap(), 900);
    assert_eq!(
        (first.since, first.until > Some(first.since)),
        (begin(), true)
    );
    let accept = "## target object\nsite-1\n## task description\ngood\n## result\naccept";
    let accept = message(Verb::FulfillmentNegotiate, "t1", accept);
    let accept = Negotiate {
        to: Some("out".to_owned()),
        ..accept
    };
    stage.say("ann", accept).unwrap();
    assert_eq!(stage.waits("ann"), both[1..]);
}

#[test]
fn a_question_and_a_turn_in_a_feasibility_wait_for_whose_they_are() {
    let stage = in_memory();
    let job = "## target object\nsite-1\n## task description\nrepair it";
    stage.say("ann", assignment("out", "t1", job)).unwrap();
    let asks =
        "## target object\nsite-1\n## task description\nwhich mast?\n## status\ninput-required";
    stage
        .say("out", message(Verb::TaskResultNotify, "t1", asks))
        .unwrap();
    assert_eq!(
        stage.waits("ann"),
        [("question/t1".to_owned(), Some("no-rule"))]
    );
    let ask = Negotiate {
        to: Some("out".to_owned()),
        ..message(Verb::FeasibilityNegotiate, "t2", job)
    };
    let who = stage.engine.principal("ann");
    // Its answer is not waited for here.
    drop(stage.engine.execute(&who, ask, stage.now));
    stage.settle();
    let turn = [("feasibility/t2".to_owned(), Some("no-rule"))];
    assert_eq!(stage.waits("out"), turn);
    assert_eq!(stage.inbox("ann").count, 1);
    let counter = "## target object\nsite-1\n## task description\ntomorrow";
    stage
        .say("out", message(Verb::FeasibilityNegotiate, "t2", counter))
        .unwrap();
    assert_eq!(stage.waits("out"), []);
    assert_eq!(stage.waits("ann")[1..], turn);
    assert_eq!(
        stage.waits("operator").len(),
        1,
        "nobody speaks for another in a negotiation"
    );
    let mut rule = cheap("tomorrow-will-do", 0.0);
    rule.kind = DecisionKind::Feasibility;
    rule.conditions.bounds.clear();
    stage.run("ann", rule).unwrap();
    assert_eq!(stage.inbox("ann").count, 1);
    let agreed = stage.read("ann", NegotiationsOf(Some(TaskId::new("t2"))));
    assert!(agreed[0].agreement().is_some());
}

#[test]
fn a_rule_decides_within_its_bound_and_names_itself() {
    let stage = in_memory();
    stage.offered("ann", "before", 99);
    stage.run("ann", cheap("small", 100.0)).unwrap();
    stage.offered("ann", "small", 100);
    stage.offered("ann", "large", 101);
    stage.offered("bob", "other", 1);
    assert_eq!(stage.status("before"), Status::Finished);
    assert_eq!(stage.status("small"), Status::Finished);
    assert_eq!(
        stage.waits("ann"),
        [("result/large".to_owned(), Some("no-rule"))]
    );
    assert_eq!(stage.waits("bob").len(), 1, "it is about its author's own");
    let by = "ann/small".to_owned();
    let decided = [
        ("result/before".to_owned(), by.clone()),
        ("result/small".to_owned(), by),
    ];
    assert_eq!(stage.decided(), decided);
    let said = stage.read(
        "ann",
        ExchangesOf {
            task: Some(TaskId::new("small")),
            ..ExchangesOf::default()
        },
    );
    let judged = said
        .iter()
        .find(|it| it.verb == Verb::FulfillmentNegotiate)
        .unwrap();
    assert_eq!(judged.from, "ann");
    assert!(
        judged.request.contains("standing rule\nann/small"),
        "{}",
        judged.request
    );
}

#[test]
fn a_rule_that_refuses_has_the_executor_go_on() {
    let stage = in_memory();
    let mut rule = cheap("too-dear", 0.0);
    rule.conditions.bounds[0].least = Some(500.0);
    rule.conditions.bounds[0].most = None;
    rule.verdict = RuleVerdict::Reject;
    stage.run("ann", rule).unwrap();
    stage.offered("ann", "t1", 501);
    assert_eq!(stage.status("t1"), Status::Processing);
    stage.offer("t1", 400);
    assert_eq!(stage.waits("ann").len(), 1);
    assert_eq!(stage.decided().len(), 1);
}

#[test]
fn where_rules_disagree_a_person_is_asked_until_one_is_withdrawn() {
    let stage = in_memory();
    stage.run("ann", cheap("small", 100.0)).unwrap();
    let mut other = cheap("never", 100.0);
    other.verdict = RuleVerdict::Reject;
    other.conditions.decider = Some("ann".to_owned());
    stage.run("operator", other).unwrap();
    stage.offered("ann", "t1", 5);
    assert_eq!(
        stage.waits("ann"),
        [("result/t1".to_owned(), Some("rules-disagree"))]
    );
    let rules = &stage.inbox("ann").decisions[0].rules;
    let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
    assert_eq!(rules, ["ann/small", "operator/never"]);
    let withdraw = |author: Option<&str>| WithdrawRule {
        author: author.map(str::to_owned),
        name: "never".to_owned(),
    };
    let refused = stage.run("ann", withdraw(Some("operator")));
    assert!(matches!(
        refused,
        Err(Refusal::NotFound(NotFound::Rule { .. }))
    ));
    stage.run("operator", withdraw(None)).unwrap();
    assert_eq!(stage.status("t1"), Status::Finished);
}

#[test]
fn what_nobody_decides_in_time_is_decided_or_told_to_another_once() {
    let mut stage = in_memory();
    stage
        .run(
            "ann",
            asks("wait", 60_000, Afterwards::Escalate("operator".to_owned())),
        )
        .unwrap();
    stage.offered("ann", "t1", 5);
    assert_eq!(
        stage.waits("ann"),
        [("result/t1".to_owned(), Some("rule-asks"))]
    );
    stage.pass(59_999);
    assert!(stage.inbox("operator").decisions[0].escalated_to.is_empty());
    stage.pass(1);
    stage.pass(60_000);
    assert_eq!(
        stage.inbox("operator").decisions[0].escalated_to,
        ["operator"]
    );
    assert_eq!(stage.told(), 1);
    stage
        .run("ann", asks("then-yes", 180_000, Afterwards::Accept))
        .unwrap();
    stage.pass(60_000);
    assert_eq!(
        stage.waits("ann"),
        [("result/t1".to_owned(), Some("rules-disagree"))]
    );
    let name = "wait".to_owned();
    stage
        .run("ann", WithdrawRule { author: None, name })
        .unwrap();
    assert_eq!(stage.status("t1"), Status::Finished);
    assert_eq!(stage.told(), 1);
    let escalated = stage.engine.store().documents("escalation").unwrap();
    assert_eq!(escalated, [], "what waits no more is forgotten");
}

#[test]
fn a_rule_lapses_with_its_author_s_rights_and_key() {
    let stage = in_memory();
    stage.run("ann", cheap("small", 100.0)).unwrap();
    let permits = |rpcs: &[(&str, &str)]| {
        let rule = |(module, rpc): &(&str, &str)| Rule {
            name: (*rpc).to_owned(),
            module: (*module).to_owned(),
            target: RuleTarget::Rpc((*rpc).to_owned()),
            operations: [AccessOperation::Exec].into(),
            action: Action::Permit,
        };
        let everyone = |user: &str, rules| RuleList {
            name: user.to_owned(),
            groups: [user.to_owned()].into(),
            rules,
        };
        AccessRules {
            enabled: true,
            read_default: Action::Permit,
            exec_default: Action::Permit,
            lists: vec![everyone("*", rpcs.iter().map(rule).collect())],
            ..testkit::access(&["operator"])
        }
    };
    let may = ("convoke-policy", "add-rule");
    stage.engine.set_access(permits(&[]));
    stage.offered("ann", "t1", 5);
    assert_eq!(
        stage.waits("ann"),
        [("result/t1".to_owned(), Some("no-rule"))]
    );
    let state = |stage: &Stage| stage.read("ann", StandingRules)[0].state;
    assert_eq!(state(&stage), "lapsed");
    stage.engine.set_access(permits(&[may]));
    stage.settle();
    assert_eq!(
        (stage.status("t1"), state(&stage)),
        (Status::Finished, "in-force")
    );
    stage.ann_has_key.store(false, Relaxed);
    stage.engine.credentials_changed();
    stage.offered("ann", "t2", 5);
    assert_eq!((stage.waits("ann").len(), state(&stage)), (1, "lapsed"));
    // An administrator's rule about others' decisions ends with what makes him one.
    let mut others = cheap("for-ann", 100.0);
    others.conditions.decider = Some("ann".to_owned());
    stage.engine.set_access(AccessRules {
        groups: Default::default(),
        ..permits(&[may])
    });
    assert_eq!(
        field_of(stage.run("operator", others.clone())),
        Some(Field::Decider)
    );
    stage.engine.set_access(permits(&[may]));
    stage.run("operator", others).unwrap();
    assert_eq!(stage.status("t2"), Status::Finished);
    assert_eq!(stage.decided()[1].1, "operator/for-ann");
}

#[test]
fn a_rule_that_had_not_acted_acts_after_a_restart_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = in_folder(folder.path(), begin());
    stage.register();
    stage
        .run("ann", asks("then-yes", 60_000, Afterwards::Accept))
        .unwrap();
    stage
        .run(
            "ann",
            asks("told", 1_000, Afterwards::Escalate("operator".to_owned())),
        )
        .unwrap();
    stage.offered("ann", "t1", 5);
    stage.pass(1_000);
    let name = "told".to_owned();
    drop(stage);
    let mut stage = in_folder(folder.path(), begin() + 30_000);
    stage.pass(1_000);
    assert_eq!(stage.told(), 1, "who was told is not told again");
    stage
        .run("ann", WithdrawRule { author: None, name })
        .unwrap();
    assert_eq!(
        stage.waits("ann"),
        [("result/t1".to_owned(), Some("rule-asks"))]
    );
    drop(stage);
    let stage = in_folder(folder.path(), begin() + 90_000);
    assert_eq!(stage.status("t1"), Status::Finished);
    drop(stage);
    let stage = in_folder(folder.path(), begin() + 100_000);
    assert_eq!(
        stage.decided(),
        [("result/t1".to_owned(), "ann/then-yes".to_owned())]
    );
    assert_eq!(stage.read("ann", StandingRules).len(), 1);
}

#[test]
fn rules_are_named_once_bounded_and_seen_by_their_authors() {
    let stage = in_memory();
    stage.run("ann", cheap("small", 100.0)).unwrap();
    stage.run("ann", cheap("small", 100.0)).unwrap();
    let another = stage.run("ann", cheap("small", 200.0));
    assert!(matches!(
        another,
        Err(Refusal::Conflict(Conflict::RuleExists { .. }))
    ));
    stage.run("bob", cheap("small", 100.0)).unwrap();
    let seen = |who: &str| stage.read(who, StandingRules).len();
    assert_eq!(
        (seen("ann"), seen("bob"), seen("operator"), seen("carl")),
        (1, 1, 2, 0)
    );
    for number in 1..64 {
        stage.run("ann", cheap(&format!("r{number}"), 1.0)).unwrap();
    }
    assert!(matches!(
        stage.run("ann", cheap("one-more", 1.0)),
        Err(Refusal::OverLimit(_))
    ));
    let added = stage.updates().len();
    assert_eq!(added, 65, "what changes nothing is not told");
}

#[test]
fn what_no_rule_can_be_is_refused() {
    let stage = in_memory();
    let refused = |change: fn(&mut AddRule)| {
        let mut rule = cheap("r", 1.0);
        change(&mut rule);
        field_of(stage.run("ann", rule))
    };
    assert_eq!(refused(|it| it.name = "a/b".into()), Some(Field::Rule));
    assert_eq!(refused(|it| it.name = "修".repeat(65)), Some(Field::Rule));
    assert_eq!(
        refused(|it| it.kind = DecisionKind::Question),
        Some(Field::DecisionKind)
    );
    assert_eq!(
        refused(|it| it.conditions.agent = Some(String::new())),
        Some(Field::Agent)
    );
    assert_eq!(
        refused(|it| it.conditions.decider = Some("bob".into())),
        Some(Field::Decider)
    );
    assert_eq!(
        refused(|it| it.conditions.bounds[0].most = None),
        Some(Field::Bound)
    );
    assert_eq!(
        refused(|it| it.conditions.bounds[0].least = Some(2.0)),
        Some(Field::Bound)
    );
    assert_eq!(
        refused(|it| it.valid_until = Some(begin())),
        Some(Field::ValidUntil)
    );
    assert_eq!(
        refused(|it| it.time_out = asks("r", 1, Afterwards::Accept).time_out),
        Some(Field::TimeOut)
    );
    assert_eq!(
        refused(|it| *it = asks("r", 0, Afterwards::Accept)),
        Some(Field::TimeOut)
    );
    let agent = |characters| {
        let mut rule = cheap(&"修".repeat(64), 1.0);
        rule.conditions.agent = Some("站".repeat(characters));
        rule
    };
    assert_eq!(
        field_of(stage.run("ann", agent(257))),
        Some(Field::Agent),
        "characters are counted, as YANG has it"
    );
    stage.run("ann", agent(256)).unwrap();
    let to_nobody =
        |it: &mut AddRule| *it = asks("r", 1, Afterwards::Escalate("b\u{200b}b".into()));
    assert_eq!(refused(to_nobody), Some(Field::EscalateTo));
    for forged in ["a b", "a<=1", "a=b", "a\u{a0}b", "a\u{202e}b"] {
        let mut rule = cheap("forged", 1.0);
        rule.conditions.bounds[0].key = forged.to_owned();
        let refused = field_of(stage.run("ann", rule));
        assert_eq!(refused, Some(Field::Bound), "{forged}");
    }
}
