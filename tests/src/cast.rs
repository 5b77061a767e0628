//! The cast of the cases: three deterministic agents with complete profiles, and access rules with
//! the shipped grants.
//!
//! `oss` is the platform's own agent. Each does what the first word of the task description says
//! (see [`Player`]), so that a case needs no knowledge of networks. Read next:
//! [`crate::conformance`].

use domain::access::{AccessOperation, AccessRules, Action, Rule, RuleList, RuleTarget};
use domain::agent::{Agent, Ask, Input, Output, Progress};
use domain::content::Content;
use domain::ems::Ems;
use domain::negotiation::{Kind, Speech, Stance};
use domain::profile::{AuthenticationMethod, Capability, Layer, Profile, Skill};
use domain::reply::{Reply, Verdict};
use domain::task::{Subscription, TaskId};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::refusal::Field;
use engine::{Credential, Endpoint, Hosted, Retention};
use server::config::{LimitSettings, UserSettings};
use std::collections::{BTreeMap, BTreeSet};

/// The agents of the cases, registered at `now`, in roster order.
pub fn agents(now: Timestamp) -> Vec<Hosted> {
    let cast = [
        ("oss", Layer::Service, "Wireless, IP"),
        ("ip", Layer::Resource, "IP"),
        ("wireless", Layer::Resource, "Wireless"),
    ];
    cast.into_iter()
        .enumerate()
        .map(|(place, (name, layer, domain))| Hosted {
            endpoint: Some(format!("127.0.0.1:{}", 8831 + place)),
            ..testkit::hosted(profile(name, layer, domain), Player::default(), now)
        })
        .collect()
}

fn profile(name: &str, layer: Layer, domain: &str) -> Profile {
    let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
    Profile {
        alias: Some(format!("{name} of the cases")),
        description: "Does what the task description says".to_owned(),
        agent_type: Some("player".to_owned()),
        version: "1.2.3".to_owned(),
        domain: Some(domain.to_owned()),
        management_object: Some("network of the cases".to_owned()),
        layer,
        capability: Capability {
            streaming: false,
            push_notifications: true,
            negotiate: Some(
                "acp-task-feasibility-negotiation-v1.0,acp-task-fulfillment-negotiation-v1.0"
                    .to_owned(),
            ),
        },
        skills: vec![Skill {
            name: "play".to_owned(),
            description: "Plays a part".to_owned(),
            tags: words(&["test", "deterministic"]),
            input_modes: words(&["text"]),
            output_modes: words(&["text"]),
            examples: words(&["finish at once", "fail after a second"]),
            schemas: words(&["part_v1"]),
        }],
        authentication: vec![AuthenticationMethod {
            id: "token".to_owned(),
            scheme: "JWT".to_owned(),
            jwt_info: Some("secret-jwt".to_owned()),
            oauth: Some("secret-oauth".to_owned()),
        }],
        ..testkit::profile(name)
    }
}

/// The kind of credential of a name: `outsider` and `remote` are agents that have not registered,
/// all others are known from the cast alone.
pub fn credential(name: &str) -> Option<Credential> {
    ["outsider", "remote"]
        .contains(&name)
        .then_some(Credential::Agent)
}

/// The endpoint with that name in a case: `platform`, an EMS such as `wireless-ems`, or an agent.
pub fn endpoint(name: &str) -> Endpoint {
    let ems = name.strip_suffix("-ems").and_then(Ems::parse);
    match (name, ems) {
        ("platform", _) => Endpoint::Platform,
        (_, Some(ems)) => Endpoint::Ems(ems),
        (agent, None) => Endpoint::Agent(agent.to_owned()),
    }
}

/// The retention of ended tasks in the cases: longer than any case.
pub fn retention() -> Retention {
    Retention {
        max_age_ms: Some(30 * 86_400_000),
        max_bytes: Some(1 << 30),
        log_max_age_ms: Some(90 * 86_400_000),
    }
}

/// The limits of users in the cases: `outsider` may have two open tasks with 2.5 MiB of content,
/// and one MiB of data, others as usual.
pub fn limits() -> LimitSettings {
    let outsider = UserSettings {
        tasks_open: Some(2),
        held_mib: Some(10),
        data_mib: Some(1),
        ..UserSettings::default()
    };
    LimitSettings {
        users: BTreeMap::from([("outsider".to_owned(), outsider)]),
        ..LimitSettings::default()
    }
}

/// The origin to which reports of the cases' tasks may go; it has no listener.
pub const REPORTS: &str = "http://127.0.0.1:9";

/// Checks that reports of the cases' tasks may go where a subscription wants them.
///
/// # Errors
/// What of it is wrong, and the reason why they may not.
pub fn deliverable(to: &Subscription) -> Result<(), (Field, String)> {
    let Subscription {
        protocol, method, ..
    } = to;
    match protocol.as_str() {
        "netconf" => Ok(()),
        "http" | "https" if method != "POST" => {
            let why = format!(
                "'{protocol}' with '{method}' is not offered; http and https with POST are"
            );
            Err((Field::SubscriptionMethod, why))
        }
        "http" | "https" if to.url.starts_with(&format!("{REPORTS}/")) => Ok(()),
        _ => {
            let origin = to.url.trim_end_matches('/');
            let why = format!("{origin} is not allowed here");
            Err((Field::SubscriptionUrl, why))
        }
    }
}

/// The access rules of the cases: the shipped ones, with the users `operator` (group admin), `ada`
/// and `ben` (group schema-admin), `carl` (group auditor), and `guest` (no group).
pub fn access() -> AccessRules {
    let admin = vec![rule(
        "everything",
        "*",
        RuleTarget::Everything,
        Action::Permit,
    )];
    let schemas = rule(
        "schemas",
        "convoke-schema",
        RuleTarget::Everything,
        Action::Permit,
    );
    let mut waiting = rule(
        "waiting",
        "convoke-policy",
        RuleTarget::Everything,
        Action::Permit,
    );
    waiting.operations = [AccessOperation::Read].into();
    let of_audit = |name, action| rule(name, "convoke-audit", RuleTarget::Everything, action);
    let audit = of_audit("audit", Action::Permit);
    let no_audit = of_audit("no-audit", Action::Deny);
    let mut agents = vec![
        rpc("negotiate", "irtf-agent", "task-negotiate"),
        rpc("place", "convoke-registry", "*"),
        rpc("data", "convoke-data", "*"),
        notification("irtf-agent", "condition-notifications"),
        notification("convoke-negotiation", "negotiation-update"),
        notification("convoke-registry", "agent-update"),
        rule(
            "network",
            "convoke-ems",
            RuleTarget::Everything,
            Action::Permit,
        ),
        rule(
            "alarms",
            "ietf-alarms",
            RuleTarget::Everything,
            Action::Permit,
        ),
        rule(
            "networks",
            "ietf-network",
            RuleTarget::Everything,
            Action::Permit,
        ),
        rule(
            "links",
            "ietf-network-topology",
            RuleTarget::Everything,
            Action::Permit,
        ),
        rule("model", "irtf-agent", data(&[]), Action::Permit),
        rule(
            "registry",
            "convoke-registry",
            data(&["registry"]),
            Action::Permit,
        ),
    ];
    agents.extend(reading_of_schemas());
    let mut everyone: Vec<Rule> = ["get", "get-config", "lock", "unlock"]
        .map(|name| rpc(name, "ietf-netconf", name))
        .into();
    everyone.extend([
        rpc("get-data", "ietf-netconf-nmda", "get-data"),
        rpc("get-schema", "ietf-netconf-monitoring", "get-schema"),
        rpc(
            "create-subscription",
            "notifications",
            "create-subscription",
        ),
        rule(
            "state",
            "ietf-netconf-monitoring",
            data(&["netconf-state"]),
            Action::Permit,
        ),
        rule(
            "streams",
            "nc-notifications",
            data(&["netconf"]),
            Action::Permit,
        ),
        rule(
            "own-console-sessions",
            "convoke-usage",
            data(&["usage", "console-session"]),
            Action::Permit,
        ),
        rpc(
            "end-own-console-sessions",
            "convoke-usage",
            "end-console-session",
        ),
        rule(
            "library",
            "ietf-yang-library",
            RuleTarget::Everything,
            Action::Permit,
        ),
    ]);
    let lists = vec![
        list("secrets", "*", secrets()),
        list("auditors", "auditor", vec![audit]),
        list("all-but-auditors", "*", vec![no_audit]),
        list("admin", "admin", admin),
        list(
            "schema-administrators",
            "schema-admin",
            vec![schemas, waiting],
        ),
        list("agents", "agents", agents),
        list("everyone", "*", everyone),
    ];
    AccessRules {
        enabled: true,
        read_default: Action::Deny,
        write_default: Action::Deny,
        exec_default: Action::Deny,
        groups: BTreeMap::from([
            ("admin".to_owned(), ["operator".to_owned()].into()),
            (
                "schema-admin".to_owned(),
                ["ada".to_owned(), "ben".to_owned()].into(),
            ),
            ("auditor".to_owned(), ["carl".to_owned()].into()),
        ]),
        lists,
    }
}

/// The rules for all users of schemas.
fn reading_of_schemas() -> Vec<Rule> {
    let rpcs = [
        "get-schema-template",
        "list-scenarios",
        "validate-payload",
        "parse-utterance",
        "get-schema-updates",
        "request-capability-extension",
        "render-schema",
    ];
    let mut rules = rpcs.map(|name| rpc(name, "convoke-schema", name)).to_vec();
    rules.push(notification("convoke-schema", "schema-update"));
    for list in ["schema", "patch"] {
        let path = data(&["schemas", list]);
        rules.push(rule(list, "convoke-schema", path, Action::Permit));
    }
    rules
}

/// The rules that protect credentials from reading.
fn secrets() -> Vec<Rule> {
    let method = ["authentication", "authentication-methods"];
    let mut rules = Vec::new();
    for (module, above) in [
        ("irtf-agent", vec!["agent"]),
        ("convoke-registry", vec!["registry", "agent"]),
    ] {
        for secret in ["jwtInfo", "oauth"] {
            let path: Vec<&str> = above
                .iter()
                .copied()
                .chain(method)
                .chain([secret])
                .collect();
            let name = format!("{module} {secret}");
            rules.push(rule(&name, module, data(&path), Action::Deny));
        }
    }
    rules
}

fn data(path: &[&str]) -> RuleTarget {
    RuleTarget::Data(path.iter().map(|step| (*step).to_owned()).collect())
}

fn rpc(name: &str, module: &str, rpc: &str) -> Rule {
    rule(
        name,
        module,
        RuleTarget::Rpc(rpc.to_owned()),
        Action::Permit,
    )
}

fn notification(module: &str, name: &str) -> Rule {
    let target = RuleTarget::Notification(name.to_owned());
    rule(name, module, target, Action::Permit)
}

fn rule(name: &str, module: &str, target: RuleTarget, action: Action) -> Rule {
    use AccessOperation::{Exec, Read, Write};
    let operations = match &target {
        RuleTarget::Rpc(_) => [Exec].into(),
        RuleTarget::Notification(_) | RuleTarget::Data(_) => [Read].into(),
        RuleTarget::Everything => [Read, Write, Exec].into(),
    };
    Rule {
        name: name.to_owned(),
        module: module.to_owned(),
        target,
        operations,
        action,
    }
}

fn list(name: &str, group: &str, rules: Vec<Rule>) -> RuleList {
    RuleList {
        name: name.to_owned(),
        groups: BTreeSet::from([group.to_owned()]),
        rules,
    }
}

/// An agent that does what the first word of the task description says:
///
/// | word | what follows |
/// |---|---|
/// | `now` | the result at once |
/// | `later` | accepted; half done after 1 s, the result after 2 s |
/// | `ask` | input is required; the result 1 s after the answer |
/// | `credentials` | accepted; credentials are required after 1 s; the result 1 s after them |
/// | `propose` | accepted; a decision is proposed after 1 s, and 1 s after each refusal; the result 1 s after it is agreed |
/// | `block` | accepted; blocked after 1 s |
/// | `fail` | accepted; failed after 1 s |
/// | `refuse` | refused |
/// | `offer` | to a feasibility question: a counter-offer |
/// | `options` | likewise, of two alternatives |
/// | `think`, `ponder` | likewise no answer at once; accepted after 1 s, or 40 s |
/// | anything else | accepted, and no more |
///
/// A revised plan is answered by its own first word: `refuse`, `offer`, or else it is accepted and
/// the result follows 1 s later.
#[derive(Default)]
pub struct Player {
    parts: BTreeMap<Token, (TaskId, Content, &'static str)>,
    last: u64,
}

impl Agent for Player {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(ask) => self.asked(&ask, now),
            Input::Woken(token) => self.woken(token),
            _ => Vec::new(),
        }
    }
}

impl Player {
    fn asked(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        match ask.verb {
            Verb::TaskAssign => self.assigned(ask, now),
            Verb::FeasibilityNegotiate => self.proposed(ask, now),
            Verb::FulfillmentNegotiate if !ask.task.status.is_terminal() => self.told(ask, now),
            _ => vec![accepted()],
        }
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        match first_word(&ask.task.content) {
            "refuse" => vec![refused()],
            "now" => vec![answer(
                Verdict::Result,
                [done(ask, "done").with_result("at once")],
            )],
            "ask" => vec![answer(Verdict::InputRequired, [done(ask, "which one?")])],
            "later" => vec![
                accepted(),
                self.later(ask, now, 1_000, "work"),
                self.later(ask, now, 2_000, "result"),
            ],
            "block" => vec![accepted(), self.later(ask, now, 1_000, "block")],
            "fail" => vec![accepted(), self.later(ask, now, 1_000, "fail")],
            "credentials" => vec![accepted(), self.later(ask, now, 1_000, "credentials")],
            "propose" => vec![accepted(), self.later(ask, now, 1_000, "plan")],
            _ => vec![accepted()],
        }
    }

    /// Answers a turn of the publisher before the task exists.
    fn proposed(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        if ask.turn.is_some_and(|(_, stance)| stance != Stance::Offer) {
            return vec![accepted()];
        }
        match first_word(&ask.content) {
            "refuse" => vec![refused()],
            "offer" => vec![answer(Verdict::Offered, [done(ask, "half of it")])],
            "options" => vec![answer(
                Verdict::Offered,
                [done(ask, "half of it"), done(ask, "all of it, tomorrow")],
            )],
            "think" => vec![pending(), self.later(ask, now, 1_000, "agree")],
            "ponder" => vec![pending(), self.later(ask, now, 40_000, "agree")],
            _ => vec![accepted()],
        }
    }

    /// Answers the publisher's message about a running task: an answer, a judgement, a word on a
    /// decision, or a plan of its own.
    fn told(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        match (ask.turn, first_word(&ask.content)) {
            (Some((Kind::Fulfillment, Stance::Offer)), "refuse") => vec![refused()],
            (Some((Kind::Fulfillment, Stance::Offer)), "offer") => {
                vec![answer(Verdict::Offered, [done(ask, "half of it")])]
            }
            (Some((Kind::Fulfillment, Stance::Refuse)), _) => {
                vec![accepted(), self.later(ask, now, 1_000, "plan")]
            }
            _ => vec![accepted(), self.later(ask, now, 1_000, "result")],
        }
    }

    /// Schedules a later part of the play.
    fn later(&mut self, ask: &Ask, now: Timestamp, ms: i64, part: &'static str) -> Output {
        self.last += 1;
        let token: Token = self.last;
        let part = (ask.task.id.clone(), done(ask, part), part);
        self.parts.insert(token, part);
        Output::Wake {
            token,
            at: now + ms,
        }
    }

    fn woken(&mut self, token: Token) -> Vec<Output> {
        let Some((task, content, part)) = self.parts.remove(&token) else {
            return Vec::new();
        };
        let speak = |kind, speech| Output::Speak {
            task: task.clone(),
            kind,
            speech,
        };
        let progress = match part {
            "agree" => return vec![speak(Kind::Feasibility, Speech::accept())],
            "plan" => return vec![speak(Kind::Fulfillment, Speech::offer(vec![content]))],
            "work" => Progress::Working {
                percent: 50,
                content,
            },
            "block" => Progress::Blocked(content),
            "credentials" => Progress::AuthRequired(content),
            "fail" => Progress::Failed(content),
            _ => Progress::Result(content.with_result("in the end")),
        };
        vec![Output::Report { task, progress }]
    }
}

fn answer(verdict: Verdict, contents: impl Into<Vec<Content>>) -> Output {
    Output::Answer(Reply::new(verdict, contents.into()))
}

fn accepted() -> Output {
    Output::Answer(Reply::accepted())
}

fn pending() -> Output {
    answer(Verdict::Pending, [])
}

fn refused() -> Output {
    let reply = Reply::refused("not-today", "task description", "the part says no");
    Output::Answer(reply)
}

fn done(ask: &Ask, what: &str) -> Content {
    Content::new(ask.task.content.target_object.clone(), what)
}

fn first_word(content: &Content) -> &str {
    let mut words = content.task_description.split_whitespace();
    words.next().unwrap_or_default()
}
