//! `convoke watch`: the notifications of a platform, live.
//!
//! On a terminal a view of the open tasks and the latest notifications, else one line for each.
//! Read next: [`follow`], which resumes after a gap, and [`board`], the view.

mod board;
pub(crate) mod follow;

use crate::cli::{Common, Watch};
use crate::output::{self, Failure, Paint, line, on_terminal};
use crate::remote::{text, to_json};
use board::{Board, Screen};
use domain::time::Timestamp;
use follow::{Follower, Heard, of_task};
use netconf::client::Notification;
use serde_json::{Value, json};
use server::client::read_notification;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// The least interval between redraws.
const FRAME: Duration = Duration::from_millis(100);

pub(crate) async fn run(common: &Common, watch: Watch) -> Result<(), Failure> {
    let since = watch.since.as_deref().map(Timestamp::parse).transpose();
    let since = since.map_err(|why| Failure::usage(format!("--since: {why}")))?;
    let count = watch.count.unwrap_or(u64::MAX);
    let live = on_terminal() && !common.json && !watch.lines;
    let filter = of_task(watch.task.as_deref());
    let mut follower = Follower::start(common, &watch.remote, filter, since).await?;
    match live {
        true => view(&mut follower, count).await,
        false => lines(common, &mut follower, count).await,
    }
}

async fn lines(common: &Common, follower: &mut Follower<'_>, count: u64) -> Result<(), Failure> {
    let paint = Paint::new();
    let mut seen = 0;
    while seen < count {
        let heard = follower.next().await?;
        seen += u64::from(matches!(heard, Heard::Event(_)));
        if common.json {
            output::json(&object(&heard));
        } else {
            line(&words(&heard, paint));
        }
    }
    Ok(())
}

async fn view(follower: &mut Follower<'_>, count: u64) -> Result<(), Failure> {
    let mut board = Board::default();
    follower.open_tasks(|task| board.opened(task)).await?;
    let mut resized = signal(SignalKind::window_change())
        .map_err(|cause| Failure::failed(format!("the terminal's signals: {cause}")))?;
    let mut frames = tokio::time::interval(FRAME);
    let mut screen = Screen::open();
    let (mut seen, mut changed) = (0, true);
    while seen < count {
        // A step of the follower is never given up half done.
        let next = follower.next();
        tokio::pin!(next);
        let heard = loop {
            tokio::select! {
                heard = &mut next => break heard?,
                _ = frames.tick() => if std::mem::take(&mut changed) {
                    screen.show(&board);
                },
                _ = resized.recv() => {
                    screen.measure();
                    changed = true;
                }
            }
        };
        seen += u64::from(matches!(heard, Heard::Event(_)));
        board.heard(&heard, words(&heard, Paint::new()));
        changed = true;
    }
    screen.show(&board);
    Ok(())
}

/// A received item as JSON.
fn object(heard: &Heard) -> Value {
    match heard {
        Heard::Event(notification) => {
            let event = notification.content();
            json!({
                "event": "notification",
                "time": notification.event_time,
                "name": event.map(|e| e.name()),
                "content": event.map(to_json),
            })
        }
        Heard::Lost(why) => json!({ "event": "lost", "why": why }),
        Heard::Back => json!({ "event": "back" }),
        Heard::Gap { from, to } => {
            json!({ "event": "gap", "from": from.to_string(), "to": to.to_string() })
        }
    }
}

/// A received item in one line.
fn words(heard: &Heard, paint: Paint) -> String {
    match heard {
        Heard::Event(notification) => {
            let time = paint.style("2", &notification.event_time);
            format!("{time}  {}", happening(notification, paint))
        }
        Heard::Lost(why) => paint.style("31", &format!("the platform is lost: {why}")),
        Heard::Back => paint.style("32", "the platform is back"),
        Heard::Gap { from, to } => {
            let gap = format!("what happened between {from} and {to} is no longer kept");
            paint.style("33", &gap)
        }
    }
}

fn happening(notification: &Notification, paint: Paint) -> String {
    let Some(event) = notification.content() else {
        return String::new();
    };
    let of = |path| text(event, path);
    match (event.name(), read_notification(notification)) {
        (_, Ok(Some(n))) => {
            let previous = n.previous.map_or("", |p| p.as_str());
            let awaits = n
                .awaits
                .map_or_else(String::new, |a| format!(" ({})", a.as_str()));
            format!(
                "{}  {previous} -> {}{awaits}  {}% {}",
                n.task,
                paint.style("1", n.status.as_str()),
                n.percent,
                n.content.task_description.lines().next().unwrap_or("")
            )
        }
        ("negotiation-update", _) => {
            let said = match of("turn/stance") {
                stance if stance.is_empty() => String::new(),
                stance => format!("  {} {stance} in round {}", of("turn/by"), of("turn/round")),
            };
            let (task, kind) = (of("task-id"), of("kind"));
            format!("{task}  {kind} {}{said}", paint.style("1", &of("state")))
        }
        ("agent-update", _) => {
            let change = paint.style("1", &of("change"));
            format!("agent {}  {change}, {}", of("name"), of("health"))
        }
        ("lead-moved", _) => {
            let from = match of("from") {
                from if from.is_empty() => String::new(),
                from => format!(" from {from}"),
            };
            let (to, epoch) = (paint.style("1", &of("to")), of("epoch"));
            format!("lead{from} to {to}  {}, epoch {epoch}", of("reason"))
        }
        (name, _) => {
            let leaves = event
                .children()
                .map(|c| format!("{}={}", c.name(), c.text()));
            format!("{name} {}", leaves.collect::<Vec<_>>().join(" "))
        }
    }
}
