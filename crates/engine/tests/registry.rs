//! Agents that come, stay, fall silent and leave, and teams of them, over the public interface.
//!
//! Knows no protocol. Read next: `engine::registry`, `engine::tasks::team`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::Principal;
use domain::agent::{Agent, Input, Output};
use domain::content::Content;
use domain::discovery::Criteria;
use domain::event::LogEvent;
use domain::profile::{Profile, ProfileError};
use domain::registry::{AgentChange, Health, Reach, Registration};
use domain::reply::{Reply, Verdict};
use domain::task::{Status, TaskId};
use domain::team::{MemberStanding, Need, Team};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::query::{ExchangesOf, TaskById, TeamsOf};
use engine::refusal::{
    Conflict, Field, Forbidden, InvalidInput, NotAvailable, NotFound, OverLimit,
};
use engine::{
    Credential, DeregisterAgent, DiscoverAgents, Engine, FormTeam, Hosted, Limits, Negotiate,
    Operation, Proxy, Refusal, RegisterAgent, RenewLease, Setup,
};
use std::path::Path;
use std::sync::{Arc, Mutex};
use testkit::{message, outcome, setup};

const LEASE_MS: i64 = 60_000;

/// Answers every proposal with the verdict that is its name, and counts what it was asked.
struct Stubborn {
    verdict: Verdict,
    asked: Arc<Mutex<u32>>,
    heard: Heard,
}

/// What an agent heard of others, in order.
type Heard = Arc<Mutex<Vec<String>>>;

impl Agent for Stubborn {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        let heard = match input {
            Input::Asked(_) => None,
            Input::Joined(profile) => Some(format!(
                "{} for {}",
                profile.name, profile.skills[0].tags[0]
            )),
            Input::Left(name) => Some(format!("{name} left")),
            _ => return Vec::new(),
        };
        if let Some(heard) = heard {
            self.heard.lock().unwrap().push(heard);
            return Vec::new();
        }
        *self.asked.lock().unwrap() += 1;
        let reply = match self.verdict {
            Verdict::Refused => Reply::refused("no-capacity", "target", "busy until noon"),
            Verdict::Offered => {
                Reply::new(Verdict::Offered, vec![Content::new("link", "tomorrow")])
            }
            verdict => Reply::new(verdict, Vec::new()),
        };
        vec![Output::Answer(reply)]
    }
}

fn profile(name: &str, tag: &str) -> Profile {
    Profile {
        alias: Some(format!("alias of {name}")),
        skills: vec![testkit::skill("diagnosis", &[tag])],
        ..testkit::profile(name)
    }
}

/// A platform with hosted agents that refuse, make a counter-offer, and accept.
struct Stage {
    engine: Engine,
    asked: Arc<Mutex<u32>>,
    /// What each of the three hosted agents heard.
    heard: Heard,
    now: Timestamp,
}

fn open(store: store::Options, now: Timestamp, proxy: Option<Proxy>) -> Stage {
    let (asked, heard) = (Arc::new(Mutex::new(0)), Heard::default());
    let hosted = |(name, tag, verdict): (&str, &str, Verdict)| {
        let agent = Stubborn {
            verdict,
            asked: Arc::clone(&asked),
            heard: Arc::clone(&heard),
        };
        Hosted {
            endpoint: Some(format!("{name}.example:830")),
            ..testkit::hosted(profile(name, tag), agent, now)
        }
    };
    let agents = [
        ("accepts", "ip", Verdict::Accepted),
        ("refuses", "ip", Verdict::Refused),
        ("offers", "ran", Verdict::Offered),
    ];
    let engine = Engine::open(Setup {
        store,
        limits: Limits {
            agents: 6,
            ..Limits::default()
        },
        credentials: Box::new(|name| match name {
            "noc" => Some(Credential::User),
            _ if name.starts_with("out") => Some(Credential::Agent),
            _ => None,
        }),
        proxy,
        ..setup(agents.map(hosted))
    })
    .unwrap();
    engine.start(now);
    Stage {
        engine,
        asked,
        heard,
        now,
    }
}

fn stage() -> Stage {
    open(
        store::Options::memory(),
        Timestamp::from_ms(1_000_000),
        None,
    )
}

fn in_folder(folder: &Path, now: Timestamp) -> Stage {
    open(testkit::on_disk(folder), now, None)
}

impl Stage {
    fn who(&self, name: &str) -> Principal {
        self.engine.principal(name)
    }

    fn run<O: Operation>(&self, who: &str, operation: O) -> Result<O::Output, Refusal> {
        outcome(self.engine.execute(&self.who(who), operation, self.now))
    }

    fn register(&self, who: &str, profile: Profile) -> Result<(Arc<Registration>, usize), Refusal> {
        self.register_at(who, profile, Reach::Client)
    }

    fn register_at(
        &self,
        who: &str,
        profile: Profile,
        reach: Reach,
    ) -> Result<(Arc<Registration>, usize), Refusal> {
        let register = RegisterAgent {
            profile,
            reach,
            lease_ms: LEASE_MS,
        };
        let registered = self.run(who, register)?;
        Ok((registered.registration, registered.advice.len()))
    }

    fn renew(&self, who: &str, health: Health) -> Result<Arc<Registration>, Refusal> {
        let (name, note) = (None, String::new());
        self.run(who, RenewLease { name, health, note })
    }

    fn pass(&mut self, ms: i64) {
        self.now = self.now + ms;
        self.engine.tick(self.now);
        drain(&self.engine);
    }

    fn found(&self, criteria: Criteria) -> Vec<String> {
        let limit = 10;
        let found = self.run("operator", DiscoverAgents { criteria, limit });
        found.unwrap().into_iter().map(|m| m.name).collect()
    }

    /// What the log says of agents.
    fn updates(&self) -> Vec<(String, AgentChange)> {
        drain(&self.engine);
        let entries = self.engine.feed().after(0, 1_000).unwrap();
        let updates = entries.iter().filter_map(|entry| match &entry.happening {
            LogEvent::Agent(update) => Some((update.name.clone(), update.change)),
            _ => None,
        });
        updates.collect()
    }

    fn task(&self, id: &str) -> Status {
        drain(&self.engine);
        let found = self.run("operator", TaskById(TaskId::new(id)));
        found.unwrap().unwrap().status
    }

    fn negotiate(
        &self,
        who: &str,
        verb: Verb,
        to: &str,
        task: &str,
        text: &str,
    ) -> Result<Reply, Refusal> {
        let negotiate = Negotiate {
            to: Some(to.to_owned()),
            asynchronous: Some(true),
            ..message(verb, task, text)
        };
        Ok(self.run(who, negotiate)?.reply)
    }

    fn form(&self, who: &str, task: &str, needs: &[(&str, &str)]) -> Result<Arc<Team>, Refusal> {
        let needs = needs.iter().map(|(name, tag)| need(name, tag)).collect();
        let task = TaskId::new(task);
        self.run(who, FormTeam { task, needs })
    }
}

fn need(name: &str, tag: &str) -> Need {
    Need {
        name: name.to_owned(),
        criteria: tagged(tag),
        content: Content::new("link", "diagnose it"),
        optional: false,
    }
}

fn tagged(tag: &str) -> Criteria {
    Criteria {
        tags: vec![tag.to_owned()],
        ..Criteria::default()
    }
}

/// Waits until everything decided so far is on disk.
fn drain(engine: &Engine) {
    testkit::wait(engine.flushed());
}

/// Who was asked, and how each stands to it.
fn standings(team: &Team) -> Vec<(&str, MemberStanding)> {
    let candidates = team.candidates.iter();
    candidates.map(|c| (c.agent.as_str(), c.standing)).collect()
}

fn changes(changes: &[AgentChange]) -> Vec<(String, AgentChange)> {
    changes.iter().map(|c| ("out".to_owned(), *c)).collect()
}

const JOB: &str = "## target object\nlink\n## task description\ndiagnose it";
const ACCEPT: &str = "## target object\nlink\n## task description\ndiagnose it\n## result\naccept";
const REFUSE: &str = "## target object\nlink\n## task description\nno\n## result\nrefuse";

#[test]
fn an_agent_takes_its_place_and_keeps_it() {
    let mut stage = stage();
    assert!(stage.who("out").agent && !stage.who("operator").agent);
    assert_eq!(stage.found(tagged("optical")), Vec::<String>::new());
    let (first, advice) = stage.register("out", profile("out", "optical")).unwrap();
    assert_eq!(
        (first.lease_until(), advice),
        (Some(stage.now + LEASE_MS), 1)
    );
    assert_eq!(stage.found(tagged("optical")), ["out"]);
    stage.pass(LEASE_MS - 1);
    stage.renew("out", Health::Ok).unwrap();
    stage.pass(LEASE_MS - 1);
    assert_eq!(stage.found(tagged("optical")), ["out"]);
    stage.renew("out", Health::Degraded).unwrap();
    stage.register("out", profile("out", "ran")).unwrap();
    assert!(stage.found(tagged("optical")).is_empty());
    assert_eq!(stage.found(tagged("ran")), ["offers", "out"]);
    use AgentChange::{Health as HealthChange, Registered};
    assert_eq!(
        stage.updates(),
        changes(&[Registered, HealthChange, Registered])
    );
}

#[test]
fn a_silent_agent_expires_and_returns() {
    let mut stage = stage();
    stage.register("out", profile("out", "optical")).unwrap();
    stage.pass(LEASE_MS);
    assert!(stage.found(tagged("optical")).is_empty());
    let refused = stage.negotiate("operator", Verb::TaskAssign, "out", "t", JOB);
    assert!(
        matches!(
            refused,
            Err(Refusal::NotAvailable(NotAvailable::Agent { .. }))
        ),
        "{refused:?}"
    );
    stage.pass(10 * LEASE_MS);
    stage.renew("out", Health::Ok).unwrap();
    assert_eq!(stage.found(tagged("optical")), ["out"]);
    stage.pass(LEASE_MS);
    use AgentChange::{Expired, Registered, Returned};
    assert_eq!(
        stage.updates(),
        changes(&[Registered, Expired, Returned, Expired])
    );
}

#[test]
fn agents_hosted_here_hear_who_comes_changes_and_leaves() {
    let mut stage = stage();
    stage.register("out", profile("out", "optical")).unwrap();
    stage.register("out", profile("out", "optical")).unwrap();
    stage.renew("out", Health::Degraded).unwrap();
    stage.register("out", profile("out", "ran")).unwrap();
    stage.pass(LEASE_MS);
    stage.renew("out", Health::Ok).unwrap();
    stage.run("out", DeregisterAgent { name: None }).unwrap();
    let heard = std::mem::take(&mut *stage.heard.lock().unwrap());
    let told = ["out for optical", "out for ran", "out left"];
    let each: Vec<&str> = told.into_iter().flat_map(|t| [t; 3]).collect();
    assert_eq!(heard, each);
}

#[test]
fn who_may_speak_for_whom() {
    let stage = stage();
    let foreign = |outcome: Result<_, Refusal>| {
        assert!(
            matches!(
                outcome,
                Err(Refusal::Forbidden(Forbidden::ForeignAgent { .. }))
            ),
            "{outcome:?}"
        );
    };
    foreign(stage.register("out", profile("other", "ip")).map(drop));
    foreign(stage.register("guest", profile("guest", "ip")).map(drop));
    foreign(stage.register("noc", profile("noc", "ip")).map(drop));
    let taken = |outcome: Result<_, Refusal>, leaf: &'static str, called: &str| {
        let called = called.to_owned();
        let expected = Refusal::from(ProfileError::Taken { leaf, called });
        assert_eq!(outcome.map(drop), Err(expected));
    };
    taken(
        stage.register("operator", profile("noc", "ip")),
        "name",
        "noc",
    );
    let mut same = profile("out", "ip");
    same.alias = Some("refuses".to_owned());
    taken(stage.register("out", same), "alias", "refuses");
    let mut same = profile("out", "ip");
    same.alias = Some("alias of refuses".to_owned());
    taken(stage.register("out", same), "alias", "alias of refuses");
    let hosted = stage.register("accepts", profile("accepts", "ip"));
    assert!(
        matches!(hosted, Err(Refusal::Conflict(Conflict::HostedAgent { .. }))),
        "{hosted:?}"
    );
    let deregister = DeregisterAgent {
        name: Some("accepts".to_owned()),
    };
    let renew = RenewLease {
        name: Some("accepts".to_owned()),
        health: Health::Ok,
        note: String::new(),
    };
    for hosted in [
        stage.run("operator", deregister),
        stage.run("operator", renew).map(drop),
    ] {
        assert!(
            matches!(hosted, Err(Refusal::Conflict(Conflict::HostedAgent { .. }))),
            "{hosted:?}"
        );
    }
    let unknown = stage.renew("out", Health::Ok);
    assert!(
        matches!(unknown, Err(Refusal::NotFound(NotFound::Agent { .. }))),
        "{unknown:?}"
    );
    stage.register("operator", profile("third", "ip")).unwrap();
    assert!(stage.updates().iter().all(|(name, _)| name == "third"));
}

#[test]
fn there_are_only_so_many() {
    let stage = stage();
    for name in ["out1", "out2", "out3"] {
        stage.register(name, profile(name, "ip")).unwrap();
    }
    let refused = stage.register("out4", profile("out4", "ip"));
    assert!(
        matches!(
            refused,
            Err(Refusal::OverLimit(OverLimit::TooMany { most: 6, .. }))
        ),
        "{refused:?}"
    );
    // Who is there already may come again.
    stage.register("out3", profile("out3", "ran")).unwrap();
}

#[test]
fn who_leaves_fails_what_it_was_to_do() {
    let stage = stage();
    stage.register("out", profile("out", "optical")).unwrap();
    let reply = stage.negotiate("operator", Verb::TaskAssign, "out", "t", JOB);
    assert_eq!(reply.unwrap().verdict, Verdict::Pending);
    assert_eq!(stage.task("t"), Status::Created);
    let left = stage.run("out", DeregisterAgent { name: None });
    assert_eq!(left, Ok(()));
    assert_eq!(stage.task("t"), Status::Failed);
    assert!(stage.found(tagged("optical")).is_empty());
    let gone = stage.negotiate("operator", Verb::TaskAssign, "out", "t2", JOB);
    assert!(
        matches!(gone, Err(Refusal::NotFound(NotFound::Agent { .. }))),
        "{gone:?}"
    );
    // Its credential is an agent's still, and it may come back.
    assert!(stage.who("out").agent);
    stage.register("out", profile("out", "optical")).unwrap();
    assert_eq!(stage.found(tagged("optical")), ["out"]);
    use AgentChange::{Left, Registered};
    assert_eq!(stage.updates(), changes(&[Registered, Left, Registered]));
}

#[test]
fn places_outlive_the_platform_and_its_absence_costs_nobody_a_lease() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Timestamp::from_ms(1_000_000);
    let stage = in_folder(folder.path(), begun);
    stage.register("out1", profile("out1", "optical")).unwrap();
    stage.register("out2", profile("out2", "optical")).unwrap();
    stage.run("out2", DeregisterAgent { name: None }).unwrap();
    drop(stage);
    let mut stage = in_folder(folder.path(), begun + 100 * LEASE_MS);
    stage.pass(LEASE_MS - 1);
    assert_eq!(stage.found(tagged("optical")), ["out1"]);
    stage.pass(1);
    assert!(stage.found(tagged("optical")).is_empty());
    assert_eq!(stage.updates().last().unwrap().1, AgentChange::Expired);
}

const HOST_KEY: &str = "ssh-ed25519 AAAA";

fn server(address: &str, host_key: &str) -> Reach {
    Reach::Server {
        address: address.to_owned(),
        host_key: host_key.to_owned(),
    }
}

/// A platform that speaks to servers, all of which accept and count what they were asked.
fn beside_servers(asked: &Arc<Mutex<u32>>) -> Stage {
    let asked = Arc::clone(asked);
    let proxy: Proxy = Box::new(move |_| {
        Box::new(Stubborn {
            verdict: Verdict::Accepted,
            asked: Arc::clone(&asked),
            heard: Heard::default(),
        })
    });
    let now = Timestamp::from_ms(1_000_000);
    open(store::Options::memory(), now, Some(proxy))
}

#[test]
fn a_server_is_spoken_to_by_what_the_host_makes_for_it() {
    let there = || server("out.example:830", HOST_KEY);
    let refused = stage().register_at("operator", profile("out", "ip"), there());
    assert!(
        matches!(
            refused,
            Err(Refusal::InvalidInput(InvalidInput::Unusable {
                field: Field::Reach,
                ..
            }))
        ),
        "{refused:?}"
    );
    let asked = Arc::default();
    let stage = beside_servers(&asked);
    stage
        .register_at("operator", profile("out", "ip"), there())
        .unwrap();
    assert_eq!(
        stage.engine.endpoint_of("out").as_deref(),
        Some("out.example:830")
    );
    let reply = stage.negotiate("operator", Verb::TaskAssign, "out", "t", JOB);
    assert_eq!(reply.unwrap().verdict, Verdict::Accepted);
    assert_eq!(*asked.lock().unwrap(), 1);
    // As a client of its own it is not spoken to any more.
    stage.register("out", profile("out", "ip")).unwrap();
    assert_eq!(stage.engine.endpoint_of("out"), None);
    let reply = stage.negotiate("operator", Verb::TaskAssign, "out", "t2", JOB);
    assert_eq!(reply.unwrap().verdict, Verdict::Pending);
}

#[test]
fn the_address_of_a_server_is_entered_by_an_administrator() {
    let stage = beside_servers(&Arc::default());
    let there = || server("out.example:830", HOST_KEY);
    let register = |who: &str, reach| stage.register_at(who, profile("out", "ip"), reach);
    let refused = |reach| {
        let refused = register("out", reach);
        assert!(
            matches!(
                refused,
                Err(Refusal::InvalidInput(InvalidInput::Unusable {
                    field: Field::Address,
                    ..
                }))
            ),
            "{refused:?}"
        );
    };
    refused(there());
    assert!(stage.updates().is_empty());
    // That it has a place gives it no address.
    register("out", Reach::Client).unwrap();
    refused(there());
    assert_eq!(stage.engine.endpoint_of("out"), None);
    register("operator", there()).unwrap();
    let (again, _) = register("out", there()).unwrap();
    assert_eq!(again.reach, there());
    refused(server("other.example:830", HOST_KEY));
    refused(server("out.example:830", "ssh-ed25519 BBBB"));
    assert_eq!(
        stage.engine.endpoint_of("out").as_deref(),
        Some("out.example:830")
    );
}

/// Issue 13, part 6: whoever looks at cards tells, under the agent's own name, that one is signed now; that
/// is the same agent in the same place, and nobody takes the signature off again.
#[test]
fn a_card_comes_to_be_signed_and_stays_so() {
    let stage = beside_servers(&Arc::default());
    let card = |card_url: &str, signed| Reach::A2a {
        card_url: card_url.into(),
        signed,
    };
    let register = |who: &str, reach| stage.register_at(who, profile("out", "ip"), reach);
    let refused = |who: &str, reach| {
        let refused = register(who, reach);
        let Err(Refusal::InvalidInput(InvalidInput::Unusable { field, why })) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(field, Field::CardUrl);
        why
    };
    let (one, other) = ("https://out.example", "https://other.example");
    register("operator", card(one, false)).unwrap();
    let (now, _) = register("out", card(one, true)).unwrap();
    assert_eq!(now.reach, card(one, true));
    for who in ["out", "operator"] {
        let why = refused(who, card(one, false));
        assert_eq!(why, "its card was signed before, and is not now");
    }
    refused("out", card(other, true));
    assert_eq!(stage.engine.place("out").unwrap().reach, card(one, true));
}

#[test]
fn a_team_is_asked_together_one_after_the_other() {
    let stage = stage();
    stage.register("out", profile("out", "ip")).unwrap();
    let team = stage
        .form("operator", "t", &[("ip", "ip"), ("sea", "submarine")])
        .unwrap();
    // By name: who accepts comes first, so nobody else is asked.
    assert_eq!(standings(&team), [("accepts", MemberStanding::Accepted)]);
    let gaps: Vec<&str> = team.gaps().map(|need| need.name.as_str()).collect();
    assert_eq!(gaps, ["sea"]);
    assert_eq!(*stage.asked.lock().unwrap(), 1);
    // What was agreed on can be assigned as a part.
    let reply = stage.negotiate("operator", Verb::TaskAssign, "accepts", "t/ip", JOB);
    assert_eq!(reply.unwrap().verdict, Verdict::Accepted);
}

#[test]
fn a_team_asked_for_again_is_the_same_team() {
    let stage = stage();
    let needs = [("ip", "ip"), ("ran", "ran"), ("sea", "submarine")];
    let team = stage.form("operator", "t", &needs).unwrap();
    let asked = *stage.asked.lock().unwrap();
    assert_eq!(stage.form("operator", "t", &needs), Ok(Arc::clone(&team)));
    assert_eq!(*stage.asked.lock().unwrap(), asked);
    let taken = stage.form("operator", "t", &needs[..2]);
    assert!(
        matches!(taken, Err(Refusal::Conflict(Conflict::TaskExists { .. }))),
        "{taken:?}"
    );
    let foreign = stage.form("accepts", "t", &needs);
    assert!(
        matches!(
            foreign,
            Err(Refusal::Conflict(Conflict::Unobtainable { .. }))
        ),
        "{foreign:?}"
    );
    // Somebody has come who fills the gap.
    stage.register("out", profile("out", "submarine")).unwrap();
    let team = stage.form("operator", "t", &needs).unwrap();
    assert_eq!(team.candidates.last().unwrap().agent, "out");
    assert_eq!(
        team.candidates.last().unwrap().standing,
        MemberStanding::Invited
    );
}

#[test]
fn needs_are_bounded() {
    let stage = stage();
    let many: Vec<String> = (0..65).map(|n| format!("n{n}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|n| (n.as_str(), "ip")).collect();
    for needs in [
        &[][..],
        &many,
        &[("a", "ip"), ("a", "ip")],
        &[("a/b", "ip")],
    ] {
        let refused = stage.form("operator", "t", needs);
        assert!(
            matches!(
                refused,
                Err(Refusal::InvalidInput(InvalidInput::Unusable {
                    field: Field::Need,
                    ..
                }))
            ),
            "{refused:?}"
        );
    }
    assert_eq!(*stage.asked.lock().unwrap(), 0);
    stage
        .negotiate("operator", Verb::TaskAssign, "accepts", "mine", JOB)
        .unwrap();
    let foreign = stage.form("offers", "mine", &[("ran", "ran")]);
    assert!(
        matches!(
            foreign,
            Err(Refusal::Conflict(Conflict::Unobtainable { .. }))
        ),
        "{foreign:?}"
    );
    // Its executor divides it.
    stage.form("accepts", "mine", &[("ran", "ran")]).unwrap();
}

#[test]
fn who_answers_later_joins_later_and_who_declines_makes_room() {
    let mut stage = stage();
    for name in ["out1", "out2", "out3"] {
        stage.register(name, profile(name, "optical")).unwrap();
    }
    let needs = [("light", "optical")];
    let form = |stage: &Stage| stage.form("operator", "t", &needs).unwrap();
    assert_eq!(
        standings(&form(&stage)),
        [("out1", MemberStanding::Invited)]
    );
    let verb = Verb::FeasibilityNegotiate;
    let reply = stage.negotiate("out1", verb, "operator", "t/light", REFUSE);
    assert_eq!(reply.unwrap().verdict, Verdict::Accepted);
    let team = form(&stage);
    assert_eq!(
        standings(&team),
        [
            ("out1", MemberStanding::Declined),
            ("out2", MemberStanding::Invited)
        ]
    );
    assert_eq!(team.candidates[0].reasons[0].message, "no");
    // Who is silent for five minutes has declined; all the others keep their leases.
    for _ in 0..6 {
        for name in ["out1", "out2", "out3"] {
            stage.renew(name, Health::Ok).unwrap();
        }
        stage.pass(50_000);
    }
    let team = form(&stage);
    assert_eq!(
        standings(&team)[1..],
        [
            ("out2", MemberStanding::Declined),
            ("out3", MemberStanding::Invited)
        ]
    );
    assert_eq!(team.candidates[1].reasons[0].reason, "no-answer");
    stage
        .negotiate("out3", verb, "operator", "t/light", ACCEPT)
        .unwrap();
    assert_eq!(form(&stage).member("light").unwrap().agent, "out3");
    assert!(form(&stage).is_complete());
}

#[test]
fn who_declined_a_place_and_says_so_again_is_answered_as_before() {
    let stage = stage();
    for name in ["out1", "out2"] {
        stage.register(name, profile(name, "optical")).unwrap();
    }
    stage
        .form("operator", "t", &[("light", "optical")])
        .unwrap();
    let say = |who: &str, text: &str| {
        stage.negotiate(who, Verb::FeasibilityNegotiate, "operator", "t/light", text)
    };
    let declined = say("out1", REFUSE).unwrap();
    // Now the other is asked.
    assert_eq!(say("out1", REFUSE), Ok(declined));
    // As of a place that it was never asked for: whether the identifier is in use is not told.
    let other = say("out1", ACCEPT);
    let never = stage.negotiate(
        "out1",
        Verb::FeasibilityNegotiate,
        "operator",
        "t/other",
        ACCEPT,
    );
    assert!(other.is_err(), "{other:?}");
    assert_eq!(other, never);
}

#[test]
fn why_somebody_declined_is_for_the_publisher_alone() {
    let stage = stage();
    for name in ["out1", "out2"] {
        stage.register(name, profile(name, "optical")).unwrap();
    }
    stage.form("out3", "t", &[("light", "optical")]).unwrap();
    let verb = Verb::FeasibilityNegotiate;
    stage
        .negotiate("out1", verb, "out3", "t/light", REFUSE)
        .unwrap();
    drain(&stage.engine);
    let reasons = |who: &str| match stage.run(who, TeamsOf(None)) {
        Ok(teams) => {
            let candidates = teams.iter().flat_map(|t| &t.candidates);
            candidates.map(|c| c.reasons.len()).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    for (who, expected) in [
        ("out3", &[1, 0][..]),
        ("operator", &[1, 0]),
        ("out1", &[0, 0]),
        ("out2", &[0, 0]),
        ("accepts", &[]),
    ] {
        assert_eq!(reasons(who), expected, "{who}");
    }
}

#[test]
fn a_counter_offer_is_for_the_publisher_to_take() {
    let stage = stage();
    let needs = [("ran", "ran")];
    let team = stage.form("operator", "t", &needs).unwrap();
    assert_eq!(standings(&team), [("offers", MemberStanding::Invited)]);
    let verb = Verb::FeasibilityNegotiate;
    stage
        .negotiate("operator", verb, "offers", "t/ran", ACCEPT)
        .unwrap();
    let team = stage.form("operator", "t", &needs).unwrap();
    assert_eq!(standings(&team), [("offers", MemberStanding::Accepted)]);
}

#[test]
fn a_team_outlives_the_platform() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Timestamp::from_ms(1_000_000);
    let needs = [("light", "optical")];
    let stage = in_folder(folder.path(), begun);
    stage.register("out", profile("out", "optical")).unwrap();
    stage.form("operator", "t", &needs).unwrap();
    drop(stage);
    let stage = in_folder(folder.path(), begun + 1_000);
    let verb = Verb::FeasibilityNegotiate;
    stage
        .negotiate("out", verb, "operator", "t/light", ACCEPT)
        .unwrap();
    let team = stage.form("operator", "t", &needs).unwrap();
    assert_eq!(standings(&team), [("out", MemberStanding::Accepted)]);
    // What was asked and answered is on record.
    let exchanges = ExchangesOf {
        party: Some("out".to_owned()),
        id: None,
        task: Some(TaskId::new("t/light")),
    };
    match stage.run("operator", exchanges) {
        Ok(records) => {
            let verbs: Vec<Verb> = records.iter().map(|r| r.verb).collect();
            assert_eq!(verbs, [verb, verb]);
        }
        other => panic!("{other:?}"),
    }
}
