//! Standing rules of a user whose key is taken away and given back, or is another.

use crate::platform::Platform;
use domain::policy::{DecisionKind, RuleConditions, RuleVerdict};
use domain::registry::Reach;
use domain::task::{Status, TaskId};
use domain::verb::Verb;
use engine::query::{StandingRules, TaskById, WaitingDecisions};
use engine::{AddRule, Operation, RegisterAgent};
use server::clock::Clock;
use std::os::unix::fs::PermissionsExt as _;
use testkit::{assignment, eventually, message};

impl Platform {
    async fn run<O: Operation>(&self, who: &str, operation: O) -> O::Output {
        let engine = self.host.platform.engine();
        let who = engine.principal(who);
        let execution = engine.execute(&who, operation, Clock::wall_time());
        execution.outcome().await.unwrap()
    }

    fn read<Q: engine::Query>(&self, query: Q) -> Q::Output {
        let engine = self.host.platform.engine();
        let operator = engine.principal("operator");
        let read = engine.read(&operator, query, Clock::wall_time());
        read.ok().unwrap()
    }

    /// Rules look; nobody else has a clock here.
    fn tick(&self) {
        self.host.platform.engine().tick(Clock::wall_time());
    }

    fn status(&self, task: &str) -> Status {
        self.read(TaskById(TaskId::new(task))).unwrap().status
    }
}

fn accepts_all() -> AddRule {
    AddRule {
        name: "all".to_owned(),
        kind: DecisionKind::Result,
        conditions: RuleConditions::default(),
        verdict: RuleVerdict::Accept,
        time_out: None,
        valid_until: None,
    }
}

#[tokio::test]
async fn a_rule_acts_once_its_author_has_a_key_again() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    platform.admit("agents/out.pub");
    platform.promote("noc").await;
    let register = RegisterAgent {
        profile: testkit::profile("out"),
        reach: Reach::Client,
        lease_ms: 3_600_000,
    };
    platform.run("out", register).await;
    platform.run("noc", accepts_all()).await;
    let job = "## target object\nsite-1\n## task description\nrepair it\n\
               ## expected response\na site in service";
    platform.run("noc", assignment("out", "t1", job)).await;
    let key = std::fs::read_to_string(platform.file("users/noc.pub")).unwrap();
    std::fs::remove_file(platform.file("users/noc.pub")).unwrap();
    let result = "## target object\nsite-1\n## task description\ndone\n## result\nin service";
    let result = message(Verb::TaskResultNotify, "t1", result);
    platform.run("out", result).await;
    assert_eq!(platform.read(WaitingDecisions).count, 1);
    platform.tick();
    assert_eq!(platform.status("t1"), Status::InputRequired);
    std::fs::write(platform.file("users/noc.pub"), key).unwrap();
    let is_accepted = || {
        platform.tick();
        platform.status("t1") == Status::Finished
    };
    eventually("the rule to act", is_accepted).await;
}

#[tokio::test]
async fn a_rule_lapses_with_the_key_of_its_author_and_where_that_lets_nobody_in() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    platform.promote("noc").await;
    platform.run("noc", accepts_all()).await;
    let state = || platform.read(StandingRules)[0].state;
    assert_eq!(state(), "in-force");
    let file = platform.file("users/noc.pub");
    let may_write = |mode| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    may_write(0o666);
    assert_eq!(state(), "lapsed");
    may_write(0o644);
    assert_eq!(state(), "in-force");
    platform.admit("users/other.pub");
    std::fs::rename(platform.file("users/other.pub"), &file).unwrap();
    assert_eq!(state(), "lapsed");
}
