//! `convoke task assign`: new tasks with their conditions.

use super::speak::speak;
use crate::cli::{Assign, Common, Conditions as Typed};
use crate::output::Failure;
use crate::remote::{agent_name, connect};
use domain::content::{Content, Payload};
use domain::task::{Conditions, Subscription, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use serde_json::Value;
use server::client::{Client, NegotiateRequest};

const MS_PER_S: i64 = 1_000;

pub(super) async fn run(common: &Common, assign: Assign) -> Result<(), Failure> {
    let (conditions, terms) = conditions(&assign.conditions)?;
    let description = match assign.description.join(" ") {
        words if words.is_empty() => "diagnose".to_owned(),
        words => words,
    };
    let mut content = Content::new(assign.target, description);
    content.expected_response = assign.expect;
    content.terms = terms;
    if let Some(text) = &assign.payload {
        content.payload = Some(payload(text)?);
    }
    let mut client = connect(common, &assign.remote).await?;
    let to = agent_name(&mut client, &assign.agent).await?;
    let request = NegotiateRequest {
        to: Some(&to),
        task: assign.id.as_deref(),
        content: vec![content.render()],
        asynchronous: Some(assign.asynchronous),
        conditions: Some(&conditions),
        ..NegotiateRequest::default()
    };
    give(common, &mut client, &request).await
}

/// Assigns a task and prints the reply.
pub(crate) async fn give(
    common: &Common,
    client: &mut Client,
    request: &NegotiateRequest<'_>,
) -> Result<(), Failure> {
    speak(common, client, Verb::TaskAssign, request).await
}

/// Terms with their definitions.
type Terms = Vec<(String, String)>;

fn conditions(typed: &Typed) -> Result<(Conditions, Terms), Failure> {
    let deadline = typed.deadline.as_deref().map(Timestamp::parse).transpose();
    let deadline = deadline.map_err(|why| Failure::usage(format!("--deadline: {why}")))?;
    let terms = typed.term.iter().map(|term| {
        let (name, words) = term.split_once('=')?;
        Some((name.trim().to_owned(), words.trim().to_owned()))
    });
    let terms = terms.collect::<Option<Terms>>();
    let terms = terms.ok_or_else(|| Failure::usage("--term must be NAME=EXPLANATION"))?;
    let conditions = Conditions {
        parent: typed.parent.as_ref().map(TaskId::new),
        deadline,
        answer_within_ms: typed.answer_within.map(|s| i64::from(s) * MS_PER_S),
        fulfillment_demanded: typed.demand_fulfillment,
        round_limit: typed.round_limit.unwrap_or(0),
        subscription: typed.report_to.as_deref().map(webhook).transpose()?,
        data: typed.data.clone(),
        context: typed.context.clone(),
        conversation: None,
    };
    Ok((conditions, terms))
}

fn webhook(url: &str) -> Result<Subscription, Failure> {
    match url.split_once("://") {
        Some((protocol @ ("http" | "https"), _)) => Ok(Subscription {
            protocol: protocol.to_owned(),
            method: "POST".to_owned(),
            url: url.to_owned(),
        }),
        _ => Err(Failure::usage(
            "--report-to must begin with http:// or https://",
        )),
    }
}

fn payload(text: &str) -> Result<Payload, Failure> {
    let wrong = || Failure::usage("--payload must be {\"schema_id\": …, \"payload\": {…}}");
    let value: Value = serde_json::from_str(text).map_err(|_| wrong())?;
    match (value.get("schema_id"), value.get("payload")) {
        (Some(Value::String(schema)), Some(values @ Value::Object(_))) => {
            Ok(Payload::new(schema, values.clone()))
        }
        _ => Err(wrong()),
    }
}
