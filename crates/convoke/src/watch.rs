//! `convoke watch`: the notifications of a platform, as they come.

use crate::cli::{Common, Watch};
use crate::output::{self, Failure, Paint, line};
use crate::remote::{connect, to_json};
use netconf::names::namespace::NOTIFICATION;
use server::client::read_notification;

pub(crate) async fn run(common: &Common, watch: Watch) -> Result<(), Failure> {
    let mut client = connect(common, &watch.remote).await?;
    let start = watch.since.as_ref().map_or_else(String::new, |since| {
        let mut escaped = Vec::new();
        netconf::xml::write::text(since, &mut escaped);
        format!(
            "<startTime>{}</startTime>",
            String::from_utf8_lossy(&escaped)
        )
    });
    let rpc =
        format!("<create-subscription xmlns=\"{NOTIFICATION}\">{start}</create-subscription>");
    client.call(&rpc).await?;
    let paint = Paint::new();
    let mut seen = 0;
    while watch.count.is_none_or(|count| seen < count) {
        let notification = tokio::select! {
            notification = client.notification() => notification?,
            _ = tokio::signal::ctrl_c() => return Ok(()),
        };
        let Some(event) = notification.content() else {
            continue;
        };
        seen += 1;
        if common.json {
            output::json(&serde_json::json!({
                "event": "notification",
                "time": notification.event_time,
                "name": event.name(),
                "content": to_json(event),
            }));
            continue;
        }
        let words = match read_notification(&notification) {
            Ok(Some(n)) => {
                let previous = n.previous.map_or("", |p| p.as_str());
                format!(
                    "{}  {previous} -> {}  {}% {}",
                    n.task,
                    paint.style("1", n.status.as_str()),
                    n.percent,
                    n.content.task_description.lines().next().unwrap_or("")
                )
            }
            _ => {
                let leaves: Vec<String> = event
                    .children()
                    .map(|c| format!("{}={}", c.name(), c.text()))
                    .collect();
                format!("{} {}", event.name(), leaves.join(" "))
            }
        };
        line(&format!(
            "{}  {words}",
            paint.style("2", &notification.event_time)
        ));
    }
    Ok(())
}
