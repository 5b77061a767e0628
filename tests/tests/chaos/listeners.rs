//! Subscribers at every node, and what each has heard: over NETCONF, whose session is one with the node that
//! accepted it, and over HTTP, whose stream is resumed at any node behind the last event.
//!
//! An event is known by its task and state, which each is told of once. Read next: [`super::check`], which
//! compares what was heard with the log.

use super::load::Way;
use super::platform::Place;
use super::record::{Record, digest};
use super::support::talk::{Talk, subscribe};
use bindings::netconf::read_notification;
use netconf::client::ClientEvent;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// The task after which nothing more is told.
pub(crate) const LAST: &str = "last";

/// The instant from which everything is replayed.
const BEGIN: &str = "2020-01-01T00:00:00Z";

/// A stream on which nothing comes for longer than this is none: comments come every 15 s.
const SILENT: Duration = Duration::from_secs(40);

/// Events about tasks in the order in which one session told them.
#[derive(Default)]
pub(crate) struct Heard {
    /// By digests of task and state.
    pub(crate) keys: Vec<u64>,
    /// How many of them are of the very instant at which the session begins: it may tell those that the one before told.
    pub(crate) of_first_instant: usize,
}

/// An event of a stream: its place in the log, and its digest if it is about a task.
pub(crate) type Placed = (u64, Option<u64>);

/// What an event is known by.
pub(crate) fn key(task: &str, status: &str) -> u64 {
    digest((task, status))
}

fn last() -> u64 {
    key(LAST, "finished")
}

/// Listens until the last task has ended: all of one session is one piece, and the next begins again at the time of
/// the last event.
pub(crate) async fn netconf(way: Way, record: Arc<Record>) -> Vec<Heard> {
    let mut pieces = Vec::new();
    let mut since = BEGIN.to_owned();
    loop {
        let mut talk = way.session().await;
        let mut heard = Heard::default();
        let ended = hear(&mut talk, &mut since, &mut heard, &record).await;
        let is_last = heard.keys.last() == Some(&last());
        pieces.push(heard);
        if is_last {
            return pieces;
        }
        if let Err(why) = ended {
            record.refused(&format!("a subscriber's session: {why}"));
        }
    }
}

/// Hears what a session tells, until the last or its end.
async fn hear(
    talk: &mut Talk,
    since: &mut String,
    heard: &mut Heard,
    record: &Record,
) -> Result<(), String> {
    talk.call(&subscribe(&format!("<startTime>{since}</startTime>")));
    let begins = since.clone();
    loop {
        let event = talk.event().await.map_err(|ended| ended.0)?;
        let ClientEvent::Notification(told) = event else {
            continue;
        };
        since.clone_from(&told.event_time);
        match read_notification(&told) {
            Ok(Some(change)) => {
                let key = key(change.task.as_str(), change.status.as_str());
                heard.keys.push(key);
                heard.of_first_instant += usize::from(*since == begins);
            }
            Ok(None) => {}
            Err(wrong) => record.wrong(format!("{wrong}: {}", told.raw())),
        }
        if heard.keys.last() == Some(&last()) {
            return Ok(());
        }
    }
}

/// Listens to a stream over HTTP until the last task has ended, and goes on wherever it is cut.
pub(crate) async fn stream(way: Way, token: String) -> Vec<Placed> {
    let mut heard: Vec<Placed> = Vec::new();
    for turn in 0.. {
        if let Some(place) = way.place(turn) {
            let from = heard.last().map(|(id, _)| *id);
            // However it ends, it is resumed.
            let _ = follow(&place, &token, from, &mut heard, |it| it.1 == Some(last())).await;
            if heard.last().is_some_and(|it| it.1 == Some(last())) {
                break;
            }
        }
        sleep(Duration::from_millis(20)).await;
    }
    heard
}

/// The whole log, as a stream tells it.
pub(crate) async fn log(place: &Place, token: &str) -> io::Result<Vec<Placed>> {
    let mut all = Vec::new();
    follow(place, token, None, &mut all, |it| it.1 == Some(last())).await?;
    Ok(all)
}

/// Follows a stream until an event for which `is_end` holds.
async fn follow(
    place: &Place,
    token: &str,
    from: Option<u64>,
    heard: &mut Vec<Placed>,
    is_end: impl Fn(&Placed) -> bool,
) -> io::Result<()> {
    let resume = from.map_or(String::new(), |id| format!("Last-Event-ID: {id}\r\n"));
    let request = format!(
        "GET /restconf/streams/NETCONF?start-time={BEGIN} HTTP/1.1\r\nHost: {}\r\n\
         Authorization: Bearer {token}\r\nAccept: text/event-stream\r\n{resume}\r\n",
        place.http
    );
    let mut stream = timeout(SILENT, TcpStream::connect(&place.http)).await??;
    stream.write_all(request.as_bytes()).await?;
    let mut stream = BufReader::new(stream);
    let mut text = String::new();
    loop {
        let mut line = String::new();
        timeout(SILENT, stream.read_line(&mut line)).await??;
        match line.trim_end() {
            "" if line.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            "" => break,
            status if status.starts_with("HTTP/") && !status.contains(" 200 ") => {
                return Err(io::Error::other(status.to_owned()));
            }
            _ => {}
        }
    }
    loop {
        text.push_str(&timeout(SILENT, chunk(&mut stream)).await??);
        while let Some(end) = text.find("\n\n") {
            let frame: String = text.drain(..end + 2).collect();
            let Some(event) = placed(&frame) else {
                continue;
            };
            heard.push(event);
            if is_end(&event) {
                return Ok(());
            }
        }
    }
}

/// A chunk (RFC 9112 §7.1).
async fn chunk(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut size = String::new();
    stream.read_line(&mut size).await?;
    let size = usize::from_str_radix(size.trim_end(), 16);
    let size = size.ok().filter(|size| *size > 0);
    let mut bytes = vec![0; size.ok_or(io::ErrorKind::UnexpectedEof)? + 2];
    stream.read_exact(&mut bytes).await?;
    bytes.truncate(bytes.len() - 2);
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// What a frame tells of; none if it has no place in the log.
fn placed(frame: &str) -> Option<Placed> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
    let id = field("id: ")?.parse().ok()?;
    let data: Value = serde_json::from_str(field("data: ")?).ok()?;
    let change = &data["ietf-restconf:notification"]["irtf-agent:condition-notifications"];
    let task = change["task-id"].as_str();
    let status = change["input-required"][0]["status"].as_str();
    Some((id, task.zip(status).map(|(task, status)| key(task, status))))
}
