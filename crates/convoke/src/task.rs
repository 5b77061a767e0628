//! `convoke task`: what is being done, and new work.

use crate::agent::show;
use crate::cli::{Assign, Common, TaskCommand};
use crate::output::{self, Failure, line};
use crate::remote::{agent_name, connect, entries, registry, text, to_json};
use domain::content::{Content, Payload};
use domain::reply::{Reply, Verdict};
use domain::verb::Verb;
use serde_json::{Value, json};
use server::client::{CallError, Client, NegotiateRequest};

pub(crate) async fn run(common: &Common, command: TaskCommand) -> Result<(), Failure> {
    match command {
        TaskCommand::List { open, remote } => {
            let mut client = connect(common, &remote).await?;
            let document = registry(&mut client, "<task/>").await?;
            let mut rows = Vec::new();
            for task in entries(&document, "task") {
                let field = |path| text(task, path);
                let ended = ["failed", "finished", "cancelled", "rejected", "unconfirmed"];
                if open && ended.contains(&field("task-status").as_str()) {
                    continue;
                }
                if common.json {
                    output::json(&json!({ "event": "task", "task": to_json(task) }));
                }
                rows.push(vec![
                    field("task-id"),
                    field("task-status"),
                    field("type"),
                    field("task-sendFrom"),
                    field("task-sendTo"),
                    field("changed-at"),
                ]);
            }
            if !common.json {
                let header = ["TASK-ID", "STATUS", "TYPE", "FROM", "TO", "CHANGED"];
                line(&output::table(&header, &rows));
            }
            Ok(())
        }
        TaskCommand::Show { task, remote } => {
            let mut client = connect(common, &remote).await?;
            let mut escaped = Vec::new();
            netconf::xml::write::text(&task, &mut escaped);
            let filter = format!(
                "<task><task-id>{}</task-id></task>",
                String::from_utf8_lossy(&escaped)
            );
            let document = registry(&mut client, &filter).await?;
            let Some(found) = entries(&document, "task").next() else {
                return Err(Failure::refused(format!(
                    "there is no task '{task}' that you may see"
                )));
            };
            if common.json {
                output::json(&json!({ "event": "task", "task": to_json(found) }));
            } else {
                show(found, 0);
            }
            Ok(())
        }
        TaskCommand::Assign(assign) => run_assign(common, assign).await,
    }
}

async fn run_assign(common: &Common, assign: Assign) -> Result<(), Failure> {
    let mut client = connect(common, &assign.remote).await?;
    let to = agent_name(&mut client, &assign.agent).await?;
    let description = match assign.description.join(" ") {
        words if words.is_empty() => "diagnose".to_owned(),
        words => words,
    };
    let mut content = Content::new(assign.target, description);
    content.expected_response = assign.expect;
    if let Some(text) = &assign.payload {
        content.payload = Some(payload(text)?);
    }
    let request = NegotiateRequest {
        to: Some(&to),
        task: assign.id.as_deref(),
        content: vec![content.render()],
        asynchronous: Some(assign.asynchronous),
        ..NegotiateRequest::default()
    };
    give(common, &mut client, &request).await
}

/// Assigns a task and shows what comes back.
pub(crate) async fn give(
    common: &Common,
    client: &mut Client,
    request: &NegotiateRequest<'_>,
) -> Result<(), Failure> {
    let reply = client
        .negotiate(Verb::TaskAssign, request)
        .await?
        .map_err(CallError::Refused)?;
    show_reply(common, &reply)
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

/// Shows a reply; a refusal is the command's failure.
fn show_reply(common: &Common, reply: &Reply) -> Result<(), Failure> {
    if common.json {
        let body: Value = serde_json::from_str(&reply.to_json()).expect("a reply writes JSON");
        output::json(&json!({ "event": "reply", "reply": body }));
    } else {
        if let Some(task) = &reply.task {
            let status = reply.status.map_or("", |s| s.as_str());
            line(&format!(
                "task {task}: {} ({status})",
                reply.verdict.as_str()
            ));
        }
        for content in &reply.content {
            let text = content.result.as_ref().unwrap_or(&content.task_description);
            text.lines().for_each(line);
        }
    }
    if reply.verdict == Verdict::Refused {
        let reasons: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
        return Err(Failure::refused(format!("refused: {}", reasons.join("; "))));
    }
    Ok(())
}
