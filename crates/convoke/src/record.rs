//! The stored history of a task, read over the protocol: exchanges, turns, states.
//!
//! Exchanges are `/registry/context`, page by page, with their answers from `/data-params`; turns
//! are those of the task's negotiations; states are replayed from the notifications, as far back as
//! the platform keeps them. Read next: [`crate::timeline`], which draws it.

use crate::output::Failure;
use crate::remote::{
    AGENT, entries, entry, named, pages, selected, target, text, texts, time, xml,
};
use crate::timeline::{Change, Exchange, Record, Said, Turn};
use domain::time::Timestamp;
use netconf::data::Node;
use netconf::names::namespace::{NETMOD_NOTIFICATION, NOTIFICATION};
use netconf::xml::XmlElement;
use server::client::{Client, read_notification};
use std::collections::BTreeMap;

/// The number of answers per request.
const ANSWERS: usize = 50;

/// The stored history of a task, with the states given by the task itself.
///
/// # Errors
/// A refusal if there is nothing about the task that the user may see.
pub(crate) async fn read(client: &mut Client, id: &str) -> Result<Record, Failure> {
    let exchanges = exchanges(client, id).await?;
    let stored = entry(client, "task", "task-id", id).await?;
    let task = entries(&stored, "task").next();
    let proposed = entry(client, "negotiation", "task-id", id).await?;
    let negotiations = task.into_iter().flat_map(|task| named(task, "negotiation"));
    let negotiations = negotiations.chain(entries(&proposed, "negotiation"));
    let mut record = Record {
        task: id.to_owned(),
        about: String::new(),
        exchanges,
        turns: negotiations.flat_map(|n| turns(id, n)).collect(),
        changes: task.map(known_changes).unwrap_or_default(),
    };
    if task.is_none() && record.exchanges.is_empty() && record.turns.is_empty() {
        return Err(unknown(id));
    }
    let first = record.exchanges.first().map(|e| e.request.text.clone());
    record.about = task
        .map(|t| target(&text(t, "content")))
        .unwrap_or_default();
    if record.about.is_empty() {
        record.about = first.map(|f| target(&f)).unwrap_or_default();
    }
    Ok(record)
}

/// The failure for a task that does not exist or that the user may not see.
pub(crate) fn unknown(id: &str) -> Failure {
    Failure::refused(format!("there is no task '{id}' that you may see"))
}

/// Adds the states from notifications to these records, as far back as the platform keeps them.
/// Subscribes the session.
pub(crate) async fn replay(client: &mut Client, records: &mut [Record]) -> Result<(), Failure> {
    let mut told: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    let starts = records
        .iter()
        .flat_map(|r| r.changes.iter().map(|c| c.said.at));
    let Some(start) = starts.min() else {
        return Ok(());
    };
    subscribe(client, records, start).await?;
    loop {
        let notification = client.notification().await?;
        let event = notification.content();
        if event.is_some_and(|e| e.is(NETMOD_NOTIFICATION, "replayComplete")) {
            break;
        }
        if let Ok(Some(n)) = read_notification(&notification) {
            let changes = told.entry(n.task.to_string()).or_default();
            changes.push(Change {
                task: n.task.to_string(),
                executor: n.from,
                status: n.status.to_string(),
                awaits: n.awaits.map(|a| a.as_str().to_owned()),
                percent: n.percent,
                said: Said {
                    at: n.time,
                    text: n.content.render(),
                },
            });
        }
    }
    for record in records {
        let Some(replayed) = told.remove(&record.task) else {
            continue;
        };
        // What the log no longer tells of, the task itself does.
        let began = replayed.first().map(|c| c.said.at).unwrap_or_default();
        record.changes.retain(|c| c.said.at < began);
        record.changes.extend(replayed);
    }
    Ok(())
}

async fn subscribe(
    client: &mut Client,
    records: &[Record],
    start: Timestamp,
) -> Result<(), Failure> {
    let wanted = records.iter().map(|record| {
        xml(&Node::container(AGENT, "condition-notifications").leaf("task-id", &record.task))
    });
    let wanted: String = wanted.collect();
    let rpc = format!(
        "<create-subscription xmlns=\"{NOTIFICATION}\"><filter type=\"subtree\">{wanted}</filter>\
         <startTime>{start}</startTime></create-subscription>"
    );
    client.call(&rpc).await?;
    Ok(())
}

/// All exchanges about a task, in the order of their beginning.
pub(crate) async fn exchanges(client: &mut Client, id: &str) -> Result<Vec<Exchange>, Failure> {
    let mut found = Vec::new();
    let mut answers = Vec::new();
    pages(client, "get-context", &[("task-id", id)], |entry| {
        let data = text(entry, "response-info/dataParam");
        answers.push((data, time(entry, "response-info/time")));
        found.push(exchange(id, entry));
    })
    .await?;
    let wanted = answers.iter().map(|(data, _)| data.as_str());
    let texts = data(client, wanted.filter(|d| !d.is_empty())).await?;
    for (exchange, (data, at)) in found.iter_mut().zip(answers) {
        exchange.response = (!data.is_empty()).then(|| Said {
            at,
            text: texts.get(&data).cloned().unwrap_or_default(),
        });
    }
    Ok(found)
}

fn exchange(task: &str, entry: XmlElement<'_>) -> Exchange {
    Exchange {
        id: text(entry, "id"),
        task: task.to_owned(),
        from: text(entry, "sendFrom"),
        to: text(entry, "sendTo"),
        verb: text(entry, "commuType"),
        request: Said {
            at: time(entry, "request-info/time"),
            text: text(entry, "request-info/content"),
        },
        response: None,
    }
}

/// The data with these identifiers, as far as they may be read.
async fn data<'a>(
    client: &mut Client,
    ids: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, String>, Failure> {
    let ids: Vec<&str> = ids.collect();
    let mut found = BTreeMap::new();
    for some in ids.chunks(ANSWERS) {
        let filters = some
            .iter()
            .map(|id| Node::container(AGENT, "data-params").leaf("id", *id));
        let filters: String = filters.map(|node| xml(&node)).collect();
        let rpc = format!("<get><filter type=\"subtree\">{filters}</filter></get>");
        let reply = client.call(&rpc).await?;
        let entries = selected(&reply.document).filter(|e| e.is(AGENT, "data-params"));
        found.extend(entries.map(|e| (text(e, "id"), text(e, "data"))));
    }
    Ok(found)
}

fn turns(task: &str, negotiation: XmlElement<'_>) -> Vec<Turn> {
    let parties = [
        text(negotiation, "publisher"),
        text(negotiation, "executor"),
    ];
    let kind = text(negotiation, "kind");
    let turn = |turn| {
        let [publisher, executor] = parties.clone();
        let (from, to) = match text(turn, "by").as_str() {
            "publisher" => (publisher, executor),
            _ => (executor, publisher),
        };
        let mut said = texts(turn, "content");
        said.extend(named(turn, "refusal").map(|r| text(r, "message")));
        Turn {
            task: task.to_owned(),
            kind: kind.clone(),
            round: text(turn, "round").parse().unwrap_or(0),
            from,
            to,
            stance: text(turn, "stance"),
            alternative: text(turn, "alternative").parse().ok(),
            said: Said {
                at: time(turn, "time"),
                text: said.join("\n"),
            },
        }
    };
    named(negotiation, "turn").map(turn).collect()
}

/// The states given by the task itself: its creation, and its present state.
fn known_changes(task: XmlElement<'_>) -> Vec<Change> {
    let change = |status: &str, at: &str, awaits: String| Change {
        task: text(task, "task-id"),
        executor: text(task, "task-sendTo"),
        status: status.to_owned(),
        awaits: (!awaits.is_empty()).then_some(awaits),
        percent: text(task, "progress").parse().unwrap_or(0),
        said: Said {
            at: time(task, at),
            text: String::new(),
        },
    };
    let status = text(task, "task-status");
    let mut changes = vec![change("created", "created-at", String::new())];
    if status != "created" {
        changes.push(change(&status, "changed-at", text(task, "awaits")));
    }
    changes
}

/// The identifiers of a task and all its descendants.
pub(crate) async fn family(client: &mut Client, id: &str) -> Result<Vec<String>, Failure> {
    let mut family = vec![id.to_owned()];
    let mut next = 0;
    while let Some(parent) = family.get(next).cloned() {
        let mut parts = Vec::new();
        pages(client, "get-tasks", &[("parent-task", &parent)], |task| {
            parts.push((time(task, "created-at"), text(task, "task-id")));
        })
        .await?;
        parts.sort();
        for (_, part) in parts {
            if !family.contains(&part) {
                family.push(part);
            }
        }
        next += 1;
    }
    Ok(family)
}
