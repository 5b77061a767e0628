//! `convoke task negotiate`, `accept`, `reject`, `cancel`, `answer`: messages of one party of a
//! task to the other (draft-wang-nmrg-magent-im §4.3 to §4.5, §5.3).
//!
//! The executor speaks to the publisher, everybody else to the executor. Read next:
//! `domain::negotiation`.

use crate::cli::{Answer, Common, Judge, Negotiate, Remote};
use crate::output::{self, Failure, line};
use crate::record::unknown;
use crate::remote::{agent_name, connect, entries, entry, target, text, texts};
use domain::content::Content;
use domain::reply::{Reply, Verdict};
use domain::task::Awaits;
use domain::verb::Verb;
use serde_json::{Value, json};
use server::client::{CallError, Client, NegotiateRequest, Notice};
use std::io::Read;

/// The facts about a task that a message about it needs.
pub(crate) struct Subject {
    task: String,
    /// The target of the task.
    about: String,
    /// The other party; none if there was no message yet.
    to: Option<String>,
    /// False while only its feasibility is negotiated.
    exists: bool,
    /// The answer that it waits for.
    awaits: Option<Awaits>,
}

impl Subject {
    async fn find(client: &mut Client, task: &str, user: &str) -> Result<Self, Failure> {
        let other = |publisher: String, executor: String| match executor == user {
            true => publisher,
            false => executor,
        };
        let document = entry(client, "task", "task-id", task).await?;
        let mut subject = Self {
            task: task.to_owned(),
            about: String::new(),
            to: None,
            exists: false,
            awaits: None,
        };
        if let Some(found) = entries(&document, "task").next() {
            subject.about = target(&text(found, "content"));
            let publisher = text(found, "task-sendFrom");
            subject.to = Some(other(publisher, text(found, "task-sendTo")));
            subject.exists = true;
            subject.awaits = Awaits::parse(&text(found, "awaits"));
            return Ok(subject);
        }
        let document = entry(client, "negotiation", "task-id", task).await?;
        if let Some(found) = entries(&document, "negotiation").next() {
            let said = found.children().filter(|c| c.name() == "turn");
            let said = said.flat_map(|turn| texts(turn, "content")).next();
            subject.about = said.map(|s| target(&s)).unwrap_or_default();
            subject.to = Some(other(text(found, "publisher"), text(found, "executor")));
        }
        Ok(subject)
    }

    /// The facts about an existing task.
    ///
    /// # Errors
    /// Refused if there is no such task, or none that `user` may see.
    pub(crate) async fn known(
        client: &mut Client,
        task: &str,
        user: &str,
    ) -> Result<Self, Failure> {
        let subject = Self::find(client, task, user).await?;
        match subject.exists {
            true => Ok(subject),
            false => Err(unknown(task)),
        }
    }

    /// A judgement of an offer: `accept` or `reject` under `## result`.
    pub(crate) fn judgement(&self, words: &str, result: String) -> String {
        let about = match self.about.is_empty() {
            true => &self.task,
            false => &self.about,
        };
        let content = Content::new(about.clone(), words).with_result(result);
        match self.exists {
            true => content.in_reply_to(self.awaits.unwrap_or(Awaits::Judgement)),
            false => content,
        }
        .render()
    }

    /// The answer to the executor's question.
    pub(crate) fn answer(&self, words: &str) -> String {
        let content = Content::new(self.about.clone(), words);
        let awaited = match self.awaits {
            Some(awaited @ (Awaits::Credentials | Awaits::Completion)) => awaited,
            _ => Awaits::Answer,
        };
        content.in_reply_to(awaited).render()
    }

    /// The request, completed with the other party and the task.
    pub(crate) fn addressed<'s>(&'s self, request: NegotiateRequest<'s>) -> NegotiateRequest<'s> {
        NegotiateRequest {
            to: self.to.as_deref(),
            task: Some(&self.task),
            ..request
        }
    }

    async fn say(
        &self,
        common: &Common,
        client: &mut Client,
        verb: Verb,
        request: NegotiateRequest<'_>,
    ) -> Result<(), Failure> {
        speak(common, client, verb, &self.addressed(request)).await
    }
}

pub(super) async fn negotiate(common: &Common, typed: Negotiate) -> Result<(), Failure> {
    let offers = typed.content.iter().map(|file| offer(file));
    let offers: Vec<String> = offers.collect::<Result<_, _>>()?;
    let mut client = connect(common, &typed.remote).await?;
    let mut subject = Subject::find(&mut client, &typed.task, &typed.remote.user).await?;
    if let Some(to) = &typed.to {
        subject.to = Some(agent_name(&mut client, to).await?);
    }
    if subject.to.is_none() {
        let why = format!(
            "nothing was said of '{}' yet: --to says to whom",
            typed.task
        );
        return Err(Failure::usage(why));
    }
    let verb = match (typed.feasibility, typed.fulfillment || subject.exists) {
        (false, true) => Verb::FulfillmentNegotiate,
        _ => Verb::FeasibilityNegotiate,
    };
    let content = match (&typed.accept, typed.refuse.is_empty()) {
        (Some(_), _) => vec![subject.judgement("accepted", "accept".to_owned())],
        (None, false) => vec![subject.judgement(&typed.refuse.join("; "), refusal(&typed.refuse))],
        (None, true) => offers,
    };
    let request = NegotiateRequest {
        content,
        round: typed.round,
        alternative: typed.accept.flatten(),
        ..NegotiateRequest::default()
    };
    subject.say(common, &mut client, verb, request).await
}

pub(super) async fn accept(common: &Common, judge: Judge) -> Result<(), Failure> {
    let mut client = connect(common, &judge.remote).await?;
    let subject = Subject::known(&mut client, &judge.task, &judge.remote.user).await?;
    let request = NegotiateRequest {
        content: vec![subject.judgement("accepted", "accept".to_owned())],
        alternative: judge.alternative,
        ..NegotiateRequest::default()
    };
    let verb = Verb::FulfillmentNegotiate;
    subject.say(common, &mut client, verb, request).await
}

pub(super) async fn reject(
    common: &Common,
    task: &str,
    unmet: &[String],
    remote: &Remote,
) -> Result<(), Failure> {
    let mut client = connect(common, remote).await?;
    let subject = Subject::known(&mut client, task, &remote.user).await?;
    let request = NegotiateRequest {
        content: vec![subject.judgement(&unmet.join("; "), refusal(unmet))],
        ..NegotiateRequest::default()
    };
    let verb = Verb::FulfillmentNegotiate;
    subject.say(common, &mut client, verb, request).await
}

pub(super) async fn cancel(common: &Common, task: &str, remote: &Remote) -> Result<(), Failure> {
    let mut client = connect(common, remote).await?;
    let subject = Subject::known(&mut client, task, &remote.user).await?;
    let request = NegotiateRequest::default();
    let verb = Verb::TaskCancel;
    subject.say(common, &mut client, verb, request).await
}

pub(super) async fn answer(common: &Common, answer: Answer) -> Result<(), Failure> {
    let mut client = connect(common, &answer.remote).await?;
    let subject = Subject::known(&mut client, &answer.task, &answer.remote.user).await?;
    let request = NegotiateRequest {
        content: vec![subject.answer(&answer.text.join(" "))],
        ..NegotiateRequest::default()
    };
    let verb = Verb::FulfillmentNegotiate;
    subject.say(common, &mut client, verb, request).await
}

/// Reads a content from a file, or from standard input.
fn offer(file: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().read_to_string(&mut text),
        _ => std::fs::File::open(file).and_then(|mut f| f.read_to_string(&mut text)),
    };
    let wrong = |why: String| Failure::usage(format!("--content {file}: {why}"));
    read.map_err(|cause| wrong(cause.to_string()))?;
    Content::parse([text.as_str()]).map_err(|cause| wrong(cause.to_string()))?;
    Ok(text)
}

/// The points of a refusal, one per line.
pub(crate) fn refusal(points: &[String]) -> String {
    let points = points
        .iter()
        .map(|point| format!("\n- {}", one_line(point)));
    format!("reject{}", points.collect::<String>())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Sends a request and prints the reply; a refusal is the command's failure.
pub(super) async fn speak(
    common: &Common,
    client: &mut Client,
    verb: Verb,
    request: &NegotiateRequest<'_>,
) -> Result<(), Failure> {
    let (reply, notice) = client.negotiate_noticing(verb, request).await?;
    let reply = reply.map_err(CallError::Refused)?;
    let refused = show_reply(common, &reply);
    show_notice(common, &notice);
    refused
}

/// Prints the warnings about the payload, and the keys that were added.
fn show_notice(common: &Common, notice: &Notice) {
    for warning in &notice.warnings {
        match common.json {
            true => output::json(&json!({ "event": "warning", "warning": warning })),
            false => line(&format!("warning: {warning}")),
        }
    }
    for update in &notice.patches {
        if common.json {
            output::json(&json!({
                "event": "update", "patch_id": update.patch_id, "patch": update.patch,
                "seal": update.seal,
            }));
            continue;
        }
        let keys = |member: &str| {
            let keys = update.patch[member].as_array().into_iter().flatten();
            let keys = keys.filter_map(|key| key["key_name"].as_str());
            keys.map(str::to_owned).collect::<Vec<_>>()
        };
        let keys = [keys("new_keys"), keys("modified_keys")]
            .concat()
            .join(", ");
        line(&format!(
            "{} has news of {keys}: convoke schema updates {0}",
            update.parent_schema_id
        ));
    }
}

fn show_reply(common: &Common, reply: &Reply) -> Result<(), Failure> {
    if common.json {
        let body: Value = serde_json::from_str(&reply.to_json()).expect("a reply writes JSON");
        output::json(&json!({ "event": "reply", "reply": body }));
    } else {
        tell(reply);
    }
    if reply.verdict == Verdict::Refused {
        let reasons: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
        return Err(Failure::refused(format!("refused: {}", reasons.join("; "))));
    }
    Ok(())
}

fn tell(reply: &Reply) {
    if let Some(task) = &reply.task {
        let round = reply.round.map(|round| format!("round {round}"));
        let status = reply.status.map(|s| s.as_str().to_owned());
        let facts: Vec<String> = status.into_iter().chain(round).collect();
        let verdict = reply.verdict.as_str();
        line(&format!("task {task}: {verdict} ({})", facts.join(", ")));
    }
    let several = reply.content.len() > 1;
    for (place, content) in reply.content.iter().enumerate() {
        let text = content.result.as_ref().unwrap_or(&content.task_description);
        match several {
            true => line(&format!("{}. {text}", place + 1)),
            false => line(text),
        }
    }
}
