//! `convoke task timeline` and `convoke task context`: the messages about a task, drawn and word
//! for word.

use crate::cli::{Common, Format, Remote, Timeline};
use crate::output::{self, Failure, Paint, line};
use crate::record::{self, exchanges, family, replay};
use crate::remote::connect;
use crate::timeline::{Exchange, Mark, Picture, Said, html, svg, text};
use domain::reply::Reply;
use serde_json::{Value, json};
use std::path::Path;

pub(super) async fn timeline(common: &Common, timeline: Timeline) -> Result<(), Failure> {
    let mut client = connect(common, &timeline.remote).await?;
    let tasks = match timeline.parts {
        true => family(&mut client, &timeline.task).await?,
        false => vec![timeline.task.clone()],
    };
    let mut records = Vec::new();
    for task in tasks {
        records.push(record::read(&mut client, &task).await?);
    }
    replay(&mut client, &mut records).await?;
    let picture = Picture::of(&records);
    let paint = match timeline.output {
        Some(_) => Paint::plain(),
        None => Paint::new(),
    };
    let drawn = match timeline.format {
        Format::Text => text::draw(&picture, paint),
        Format::Svg => svg::draw(&picture),
        Format::Html => html::draw(&picture),
    };
    match &timeline.output {
        Some(file) => write(common, file, &picture, &drawn),
        None if common.json => {
            rows(&picture).iter().for_each(output::json);
            Ok(())
        }
        None => {
            line(drawn.trim_end());
            Ok(())
        }
    }
}

fn write(common: &Common, file: &Path, picture: &Picture, drawn: &str) -> Result<(), Failure> {
    std::fs::write(file, drawn)
        .map_err(|cause| Failure::failed(format!("{}: {cause}", file.display())))?;
    let (rows, file) = (picture.rows.len(), file.display().to_string());
    if common.json {
        output::json(&json!({ "event": "timeline", "file": file, "rows": rows }));
    } else {
        line(&format!("{rows} rows drawn into {file}"));
    }
    Ok(())
}

/// The rows of a picture as JSON.
fn rows(picture: &Picture) -> Vec<Value> {
    let name = |place: usize| &picture.lifelines[place];
    let row = |row: &crate::timeline::Row| {
        let (event, from, to) = match row.mark {
            Mark::Request { from, to } => ("request", name(from), Some(name(to))),
            Mark::Response { from, to } => ("response", name(from), Some(name(to))),
            Mark::Note(at) => ("state", name(at), None),
        };
        json!({
            "event": event, "time": row.at.to_string(), "from": from, "to": to,
            "label": row.label, "words": row.gist, "tone": row.tone.as_str(),
        })
    };
    picture.rows.iter().map(row).collect()
}

pub(super) async fn context(common: &Common, task: &str, remote: &Remote) -> Result<(), Failure> {
    let mut client = connect(common, remote).await?;
    let exchanges = exchanges(&mut client, task).await?;
    if exchanges.is_empty() {
        return Err(record::unknown(task));
    }
    for exchange in &exchanges {
        if common.json {
            output::json(&whole(exchange));
        } else {
            tell(exchange);
        }
    }
    Ok(())
}

fn whole(exchange: &Exchange) -> Value {
    let response = exchange.response.as_ref().map(|said| {
        let body = serde_json::from_str(&said.text).unwrap_or(Value::String(said.text.clone()));
        json!({ "time": said.at.to_string(), "content": body })
    });
    json!({
        "event": "exchange", "id": exchange.id, "task-id": exchange.task,
        "sendFrom": exchange.from, "sendTo": exchange.to, "commuType": exchange.verb,
        "request": { "time": exchange.request.at.to_string(), "content": exchange.request.text },
        "response": response,
    })
}

fn tell(exchange: &Exchange) {
    let paint = Paint::new();
    let heading = |said: &Said, from: &str, to: &str, what: &str| {
        let words = paint.style("1", &format!("{from} → {to}: {what}"));
        line(&format!(
            "{}  {words}",
            paint.style("2", &said.at.to_string())
        ));
    };
    let body = |text: &str| text.lines().for_each(|l| line(&format!("    {l}")));
    let (from, to) = (&exchange.from, &exchange.to);
    let id = &exchange.id;
    heading(
        &exchange.request,
        from,
        to,
        &format!("{} ({id})", exchange.verb),
    );
    body(&exchange.request.text);
    match &exchange.response {
        None => line(&paint.style("33", "    no answer yet")),
        Some(said) => match Reply::from_json(&said.text) {
            Some(reply) => {
                heading(said, to, from, reply.verdict.as_str());
                for reason in &reply.reasons {
                    body(&format!("{}: {}", reason.reason, reason.message));
                }
                reply.content.iter().for_each(|c| body(&c.render()));
            }
            None => {
                heading(said, to, from, "response");
                body(&said.text);
            }
        },
    }
    line("");
}
