//! The cast of the cases: three deterministic agents with complete profiles, and access rules with
//! the grants that are shipped.
//!
//! `oss` is the platform's own agent. Each does what the task description says, in one word (see
//! [`Player`]), so that a case needs no knowledge of networks. Read next: [`crate::conformance`].

use domain::access::{AccessOperation, AccessRules, Action, Rule, RuleList, RuleTarget};
use domain::agent::{Agent, Ask, Input, Output, Progress};
use domain::content::Content;
use domain::profile::{AuthenticationMethod, Capability, Layer, Profile, Skill};
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::{Dice, Timestamp};
use domain::verb::Verb;
use engine::Hosted;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
            profile: Arc::new(profile(name, layer, domain)),
            agent: Box::new(Player::default()),
            endpoint: Some(format!("127.0.0.1:{}", 8831 + place)),
            registered_at: now,
        })
        .collect()
}

fn profile(name: &str, layer: Layer, domain: &str) -> Profile {
    let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
    Profile {
        name: name.to_owned(),
        alias: Some(format!("{name} of the cases")),
        description: "Does what the task description says".to_owned(),
        agent_type: Some("player".to_owned()),
        version: "1.2.3".to_owned(),
        provider: "Convoke".to_owned(),
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
    }
}

/// The access rules of the cases: what is shipped, with the users `operator` (group admin) and
/// `guest` (no group).
pub fn access() -> AccessRules {
    let admin = vec![rule(
        "everything",
        "*",
        RuleTarget::Everything,
        Action::Permit,
    )];
    let agents = vec![
        rpc("negotiate", "irtf-agent", "task-negotiate"),
        rule(
            "conditions",
            "irtf-agent",
            RuleTarget::Notification("condition-notifications".to_owned()),
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
            "library",
            "ietf-yang-library",
            RuleTarget::Everything,
            Action::Permit,
        ),
    ]);
    let lists = vec![
        list("secrets", "*", secrets()),
        list("admin", "admin", admin),
        list("agents", "agents", agents),
        list("everyone", "*", everyone),
    ];
    AccessRules {
        enabled: true,
        read_default: Action::Deny,
        write_default: Action::Deny,
        exec_default: Action::Deny,
        groups: BTreeMap::from([("admin".to_owned(), ["operator".to_owned()].into())]),
        lists,
    }
}

/// Credentials are read by nobody.
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
/// | `block` | accepted; blocked after 1 s |
/// | `fail` | accepted; failed after 1 s |
/// | `refuse` | refused |
/// | `offer` | to a feasibility question: a counter-offer |
/// | anything else | accepted, and no more |
#[derive(Default)]
pub struct Player {
    parts: BTreeMap<Token, (TaskId, Content, &'static str)>,
    last: u64,
}

impl Agent for Player {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut Dice) -> Vec<Output> {
        match input {
            Input::Asked(ask) => self.asked(ask, now),
            Input::Woken(token) => self.woken(token, now),
            _ => Vec::new(),
        }
    }
}

impl Player {
    fn asked(&mut self, ask: Ask, now: Timestamp) -> Vec<Output> {
        let word = first_word(&ask.task.content).to_owned();
        let done = |what: &str| Content::new(ask.task.content.target_object.clone(), what);
        match (ask.verb, word.as_str()) {
            (Verb::TaskCancel, _) => vec![accepted()],
            (_, "refuse") => vec![Output::Answer(Reply::refused(
                "not-today",
                "task description",
                "the part says no",
            ))],
            (Verb::FeasibilityNegotiate, "offer") => vec![Output::Answer(Reply::new(
                Verdict::Offered,
                vec![done("half of it")],
            ))],
            (Verb::FeasibilityNegotiate, _) => vec![accepted()],
            (Verb::FulfillmentNegotiate, _) if ask.task.status.is_terminal() => vec![accepted()],
            (Verb::FulfillmentNegotiate, _) => self.later(&ask, now, 1_000, "result"),
            (_, "now") => vec![Output::Answer(Reply::new(
                Verdict::Result,
                vec![done("done").with_result("at once")],
            ))],
            (_, "ask") => vec![Output::Answer(Reply::new(
                Verdict::InputRequired,
                vec![done("which one?")],
            ))],
            (_, "later") => {
                let mut outputs = self.later(&ask, now, 1_000, "work");
                outputs.extend(self.later(&ask, now, 2_000, "result").into_iter().skip(1));
                outputs
            }
            (_, "block") => self.later(&ask, now, 1_000, "block"),
            (_, "fail") => self.later(&ask, now, 1_000, "fail"),
            _ => vec![accepted()],
        }
    }

    /// Accepts, and wakes up for a part of the play.
    fn later(&mut self, ask: &Ask, now: Timestamp, ms: i64, part: &'static str) -> Vec<Output> {
        self.last += 1;
        let token: Token = self.last;
        let content = Content::new(ask.task.content.target_object.clone(), part);
        self.parts
            .insert(token, (ask.task.id.clone(), content, part));
        vec![
            accepted(),
            Output::Wake {
                token,
                at: now + ms,
            },
        ]
    }

    fn woken(&mut self, token: Token, _: Timestamp) -> Vec<Output> {
        let Some((task, content, part)) = self.parts.remove(&token) else {
            return Vec::new();
        };
        let progress = match part {
            "work" => Progress::Working {
                percent: 50,
                content,
            },
            "block" => Progress::Blocked(content),
            "fail" => Progress::Failed(content),
            _ => Progress::Result(content.with_result("in the end")),
        };
        vec![Output::Report { task, progress }]
    }
}

fn accepted() -> Output {
    Output::Answer(Reply::accepted())
}

fn first_word(content: &Content) -> &str {
    content
        .task_description
        .split_whitespace()
        .next()
        .unwrap_or_default()
}
