//! What rules do where the store does not take it: once it takes something, they do it, and once.

use super::*;
use std::time::Duration;
use store::{Batch, Document};

/// How long it is until something is tried again.
const AGAIN_MS: i64 = 5_000;

/// A platform whose store is full soon; nothing is written before it is flushed, and then all together.
fn small(folder: &Path) -> Stage {
    let options = store::Options {
        batch_wait: Duration::from_secs(3_600),
        size_max: Some(400_000),
        ..testkit::on_disk(folder)
    };
    let stage = stage(options, begin());
    stage.register();
    stage
}

impl Stage {
    /// Of what is written together with this, nothing is stored.
    fn fill(&self) {
        let large = Document {
            kind: "trial".into(),
            name: "large".to_owned(),
            body: Some("x".repeat(500_000)),
        };
        let ticket = self.engine.store().commit(Batch {
            documents: vec![large],
            ..Batch::default()
        });
        self.flush();
        assert!(ticket.wait().is_err(), "it is too large");
    }

    /// Says something that is not flushed.
    fn decides(&self, who: &str, said: Negotiate) {
        let who = self.engine.principal(who);
        drop(self.engine.execute(&who, said, self.now));
    }
}

#[test]
fn what_a_rule_decided_and_was_not_stored_it_decides_again_after_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = small(folder.path());
    stage.offered("ann", "t1", 5);
    let who = stage.engine.principal("ann");
    let added = stage.engine.execute(&who, cheap("small", 100.0), stage.now);
    stage.flush();
    outcome(added).unwrap();
    stage.engine.tick(stage.now);
    stage.fill();
    stage.settle();
    assert_eq!(stage.status("t1"), Status::InputRequired);
    stage.pass(AGAIN_MS - 1);
    assert_eq!(stage.decided(), []);
    stage.pass(1);
    assert_eq!(stage.status("t1"), Status::Finished);
    assert_eq!(stage.decided().len(), 1);
}

/// She says no herself, her rule yes a moment later; her word is not stored.
#[test]
fn what_a_rule_could_not_decide_for_what_was_taken_back_it_decides_after_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = small(folder.path());
    stage.offered("ann", "t1", 5);
    let no = "## target object\nsite-1\n## task description\nno\n## result\nreject";
    let no = Negotiate {
        to: Some("out".to_owned()),
        ..message(Verb::FulfillmentNegotiate, "t1", no)
    };
    let who = stage.engine.principal("ann");
    let added = stage.engine.execute(&who, cheap("small", 100.0), stage.now);
    stage.flush();
    outcome(added).unwrap();
    stage.decides("ann", no);
    stage.engine.tick(stage.now);
    let refused = [("result/t1".to_owned(), Some("rule-refused"))];
    assert_eq!(stage.waits("ann"), refused);
    stage.fill();
    stage.settle();
    assert_eq!(stage.status("t1"), Status::InputRequired);
    stage.pass(AGAIN_MS);
    assert_eq!(stage.status("t1"), Status::Finished);
    assert_eq!(stage.waits("ann"), []);
}

/// A rule that could not decide it is withdrawn; what comes after it under the same name is another.
#[test]
fn what_a_rule_could_not_decide_the_next_of_its_name_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = small(folder.path());
    stage.offered("ann", "t1", 5);
    let who = stage.engine.principal("ann");
    let added = stage.engine.execute(&who, cheap("r", 100.0), stage.now);
    stage.flush();
    outcome(added).unwrap();
    let no = "## target object\nsite-1\n## task description\nno\n## result\nreject";
    let no = Negotiate {
        to: Some("out".to_owned()),
        ..message(Verb::FulfillmentNegotiate, "t1", no)
    };
    stage.decides("ann", no);
    stage.engine.tick(stage.now);
    stage.fill();
    let refused = [("result/t1".to_owned(), Some("rule-refused"))];
    assert_eq!(stage.waits("ann"), refused);
    let withdraw = WithdrawRule {
        author: None,
        name: "r".to_owned(),
    };
    stage.run("ann", withdraw).unwrap();
    let rejects = AddRule {
        verdict: RuleVerdict::Reject,
        ..cheap("r", 100.0)
    };
    let t1 = ("result/t1".to_owned(), RuleVerdict::Reject, None);
    assert_eq!(stage.would("ann", rejects.clone()), [t1]);
    stage.run("ann", rejects).unwrap();
    stage.pass(AGAIN_MS);
    assert_eq!(
        stage.decided(),
        [("result/t1".to_owned(), "ann/r".to_owned())]
    );
}

#[test]
fn what_cannot_be_stored_is_on_its_authors_account_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = store::Options {
        batch_wait: Duration::from_secs(3_600),
        size_max: Some(400_000),
        ..testkit::on_disk(folder.path())
    };
    let mut stage = stage_with(options, writes_slowly("ann", 8_000), begin());
    stage.register();
    let tells = asks("told", 20_000, Afterwards::Escalate("operator".to_owned()));
    stage.run("ann", tells).unwrap();
    stage.offered("ann", "t1", 5);
    stage.writes_all("ann");
    let refused = stage.refused("ann");
    // There is room for three entries by then.
    stage.now = stage.now + 20_000;
    stage.engine.tick(stage.now);
    for _ in 0..10 {
        stage.fill();
        stage.engine.set_access(testkit::access(&["operator"]));
        stage.engine.tick(stage.now);
    }
    assert_eq!((stage.told(), stage.refused("ann")), (0, refused));
    let write = WithdrawRule {
        author: None,
        name: "none".to_owned(),
    };
    let written = stage.run("ann", write).unwrap_err();
    assert!(matches!(written, Refusal::NotFound(_)), "{written}");
    stage.pass(AGAIN_MS);
    assert_eq!(stage.told(), 1);
}

#[test]
fn somebody_is_told_once_however_often_rules_look_before_that_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = small(folder.path());
    let tells = |name: &str| asks(name, 1_000, Afterwards::Escalate("operator".to_owned()));
    stage.run("ann", tells("one")).unwrap();
    stage.run("ann", tells("two")).unwrap();
    stage.offered("ann", "t1", 5);
    stage.now = stage.now + 1_000;
    for _ in 0..3 {
        stage.engine.set_access(testkit::access(&["operator"]));
        stage.engine.tick(stage.now);
    }
    stage.settle();
    assert_eq!(stage.told(), 2, "by each rule once");
    stage.pass(AGAIN_MS);
    assert_eq!(stage.told(), 2);
    drop(stage);
    // Both are known after a restart.
    let mut stage = in_folder(folder.path(), begin() + 60_000);
    stage.pass(AGAIN_MS);
    assert_eq!(stage.told(), 2);
}

#[test]
fn somebody_who_was_not_told_since_that_was_not_stored_is_told_after_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = small(folder.path());
    let tells = asks("told", 1_000, Afterwards::Escalate("operator".to_owned()));
    stage.run("ann", tells).unwrap();
    stage.offered("ann", "t1", 5);
    stage.now = stage.now + 1_000;
    stage.engine.tick(stage.now);
    stage.fill();
    stage.settle();
    assert_eq!(stage.told(), 0);
    let told = |stage: &Stage| stage.inbox("ann").decisions[0].escalated_to.clone();
    assert!(told(&stage).is_empty(), "who was not told is not named");
    stage.pass(AGAIN_MS);
    assert_eq!(
        (stage.told(), told(&stage)),
        (1, vec!["operator".to_owned()])
    );
}

/// What is over as committed may be another rule once what was decided is stored.
#[test]
fn a_rule_that_is_about_to_be_stored_anew_is_not_forgotten_as_one_that_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = small(folder.path());
    let until_soon = AddRule {
        valid_until: Some(stage.now + 10),
        ..cheap("small", 100.0)
    };
    stage.run("ann", until_soon).unwrap();
    stage.pass(10);
    let ann = stage.engine.principal("ann");
    let rules = [cheap("small", 100.0), cheap("other", 1.0)];
    let added = rules.map(|rule| stage.engine.execute(&ann, rule, stage.now));
    stage.flush();
    added.into_iter().for_each(|it| outcome(it).unwrap());
    let rules = stage.read("ann", StandingRules).into_iter();
    let names: Vec<_> = rules.map(|it| it.rule.key.name.clone()).collect();
    assert_eq!(names, ["other", "small"]);
}
