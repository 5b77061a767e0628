//! The conformance agent: implements the scenarios that the public A2A conformance suites demand of
//! an agent under test, selected by the prefix of a message's identifier.
//!
//! The only place that knows those prefixes. It is hosted like any other agent, behind the same
//! engine, so that the suites test the real code path; an operator enables it (`conformance-agent`
//! of `[a2a]`). Knows nothing of transports. Read next: `bindings::a2a`, [`crate::config::a2a`].

use crate::post::Post;
use crate::profile::ProfileFile;
use a2a::message::{Part, PartContent as Held};
use bindings::a2a::{as_message, message_id, with_part};
use domain::agent::{Agent, Ask, Briefing, Input, Output, Progress};
use domain::content::Content;
use domain::profile::{Capability, Layer, Profile, Skill};
use domain::reply::{Reply, Verdict};
use domain::task::{Status, TaskId};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use std::collections::BTreeMap;

/// The name of the agent.
pub const NAME: &str = "TMF-Convoke-Conformance-1.0.0";

/// The role in a roster. No profile file can have it.
pub const ROLE: &str = "conformance";

/// The time in milliseconds that the suites assume a stream takes.
const STREAMING_MS: i64 = 2_000;

/// The text of a result where no scenario defines one.
const USUAL: &str = "Hello from TCK";

/// The behaviour that a scenario demands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scenario {
    /// Completes at once with this.
    Completes(Told),
    /// Takes the task on, and completes it with this.
    Works(Told),
    /// Works for this many milliseconds, then completes.
    Lasts(i64, Told),
    /// Answers with a message.
    Answers,
    /// Asks for input.
    Asks,
    /// Rejects the task.
    Rejects,
}

/// The content of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Told {
    Words(&'static str),
    File,
    FileUrl,
    Data,
}

use Scenario::{Answers, Asks, Completes, Lasts, Rejects, Works};
use Told::{Data, File, FileUrl, Words};

/// The scenarios of both suites, by prefix.
const SCENARIOS: [(&str, Scenario); 17] = [
    ("tck-complete-task", Completes(Words(USUAL))),
    (
        "tck-delayed-complete",
        Lasts(STREAMING_MS, Words("Done after delay")),
    ),
    (
        "tck-artifact-text",
        Completes(Words("Generated text content")),
    ),
    ("tck-artifact-file", Completes(File)),
    ("tck-artifact-file-url", Completes(FileUrl)),
    ("tck-artifact-data", Completes(Data)),
    ("tck-message-response", Answers),
    ("tck-input-required", Asks),
    ("tck-reject-task", Rejects),
    ("tck-stream-001", Works(Words("Stream hello from TCK"))),
    ("tck-stream-002", Completes(Words(USUAL))),
    ("tck-stream-003", Works(Words("Stream task lifecycle"))),
    ("tck-stream-ordering-001", Works(Words("Ordered output"))),
    (
        "tck-stream-artifact-text",
        Works(Words("Streamed text content")),
    ),
    ("tck-stream-artifact-file", Works(File)),
    // A task has one result here: its chunks come as one.
    (
        "tck-stream-artifact-chunked",
        Works(Words("chunk-1 chunk-2")),
    ),
    (
        "test-resubscribe-message-id",
        Lasts(2 * STREAMING_MS, Words(USUAL)),
    ),
];

impl Scenario {
    /// The scenario with the longest matching prefix. For an identifier without one, input is asked
    /// for: then the task stays open, as suites of v0.3 need it.
    fn of(message_id: &str) -> Self {
        let named = SCENARIOS
            .iter()
            .filter(|(it, _)| message_id.starts_with(it));
        let longest = named.max_by_key(|(beginning, _)| beginning.len());
        longest.map_or(Asks, |(_, scenario)| *scenario)
    }
}

/// The agent, with the ends of its tasks under way.
#[derive(Debug, Default)]
pub(crate) struct Conformance {
    under_way: BTreeMap<Token, (TaskId, Content)>,
    last: Token,
}

impl Agent for Conformance {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Started(briefing) => resumed(&briefing),
            Input::Asked(ask) => self.asked(&ask, now),
            Input::Woken(token) => {
                let done = self.under_way.remove(&token);
                done.map(|(task, result)| reported(&task, Progress::Result(result)))
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Conformance {
    fn asked(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let (reply, later) = match ask.verb {
            Verb::TaskAssign => self.assigned(ask, now),
            Verb::FulfillmentNegotiate if ask.turn.is_none() && !ask.task.status.is_terminal() => {
                (Reply::accepted(), self.answered(ask, now))
            }
            _ => {
                self.under_way.retain(|_, (task, _)| *task != ask.task.id);
                (Reply::accepted(), Vec::new())
            }
        };
        std::iter::once(Output::Answer(reply))
            .chain(later)
            .collect()
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let about = &ask.content.target_object;
        let with = |verdict, content| (Reply::new(verdict, vec![content]), Vec::new());
        match scenario(ask) {
            Completes(told) => with(Verdict::Result, result(about, told)),
            Answers => {
                let words = Content::new(about, "Direct message response");
                with(Verdict::Result, as_message(words))
            }
            Asks => with(Verdict::InputRequired, question(about)),
            Rejects => (Reply::refused("rejected", about, "rejected"), Vec::new()),
            Works(told) => (Reply::accepted(), done(ask, told)),
            Lasts(ms, told) => (Reply::accepted(), vec![self.later(ask, told, now, ms)]),
        }
    }

    /// The answer to a message to a task that waits for input: it goes on as the message demands.
    fn answered(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let about = &ask.content.target_object;
        let progress = match scenario(ask) {
            Completes(told) | Works(told) => return done(ask, told),
            Lasts(ms, told) => return vec![self.later(ask, told, now, ms)],
            Answers => return done(ask, Words(USUAL)),
            Asks => Progress::InputRequired(question(about)),
            Rejects => Progress::Refused(Content::new(about, "rejected")),
        };
        vec![reported(&ask.task.id, progress)]
    }

    fn later(&mut self, ask: &Ask, told: Told, now: Timestamp, ms: i64) -> Output {
        self.last += 1;
        let result = result(&ask.content.target_object, told);
        let work = (ask.task.id.clone(), result);
        self.under_way.insert(self.last, work);
        Output::Wake {
            token: self.last,
            at: now + ms,
        }
    }
}

/// The scenario of a message.
fn scenario(ask: &Ask) -> Scenario {
    Scenario::of(&message_id(&ask.content).unwrap_or_default())
}

/// Completes the tasks that were under way before a restart.
fn resumed(briefing: &Briefing) -> Vec<Output> {
    let open = briefing.open.iter();
    let working = open.filter(|task| task.status == Status::Processing);
    let done = working.map(|task| {
        let result = result(&task.content.target_object, Words(USUAL));
        reported(&task.id, Progress::Result(result))
    });
    done.collect()
}

fn done(ask: &Ask, told: Told) -> Vec<Output> {
    let result = result(&ask.content.target_object, told);
    vec![reported(&ask.task.id, Progress::Result(result))]
}

fn reported(task: &TaskId, progress: Progress) -> Output {
    Output::Report {
        task: task.clone(),
        progress,
    }
}

fn question(about: &str) -> Content {
    Content::new(about, "Input required")
}

fn result(about: &str, told: Told) -> Content {
    let file = |content| {
        let part = Part {
            filename: Some("output.txt".to_owned()),
            ..Part::new(content).of_type("text/plain")
        };
        with_part(Content::new(about, "a file"), &part)
    };
    match told {
        Words(words) => Content::new(about, words),
        File => file(Held::Raw(b"TCK file content".to_vec())),
        FileUrl => file(Held::Url("https://example.com/output.txt".to_owned())),
        Data => {
            let data = Part::data(serde_json::json!({"key": "value", "count": 42}));
            with_part(Content::new(about, "data"), &data)
        }
    }
}

/// The profile: it receives no telemetry and may take no action on the network.
pub(crate) fn profile() -> ProfileFile {
    let text = || vec!["text".to_owned()];
    let skill = Skill {
        name: "conformance".to_owned(),
        description:
            "Does what the identifier of a message asks for, for conformance suites of A2A."
                .to_owned(),
        tags: vec!["conformance".to_owned()],
        input_modes: text(),
        output_modes: text(),
        examples: vec!["a message whose messageId begins with tck-complete-task".to_owned()],
        schemas: Vec::new(),
    };
    let profile = Profile {
        name: NAME.to_owned(),
        alias: Some("conformance".to_owned()),
        description:
            "Plays the scenarios of the public A2A conformance suites; touches no network."
                .to_owned(),
        agent_type: Some("conformance agent".to_owned()),
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Business,
        province: None,
        capability: Capability {
            streaming: true,
            push_notifications: true,
            negotiate: None,
        },
        skills: vec![skill],
        authentication: Vec::new(),
    };
    ProfileFile {
        file: "conformance-agent of [a2a]".to_owned(),
        role: ROLE.to_owned(),
        post: Post::default(),
        profile,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two matching prefixes the longer one is chosen.
    #[test]
    fn the_longest_beginning_counts() {
        assert_eq!(Scenario::of("tck-artifact-file-1"), Completes(File));
        assert_eq!(Scenario::of("tck-artifact-file-url-1"), Completes(FileUrl));
        assert_eq!(Scenario::of("tck-artifact-fil"), Asks);
        assert_eq!(Scenario::of(""), Asks);
    }

    /// Its profile passes the checks of those in files.
    #[test]
    fn its_profile_passes() {
        let profile = profile().profile;
        assert_eq!(profile.check(), Ok(()));
        assert_eq!(profile.advice(), Vec::new());
    }
}
