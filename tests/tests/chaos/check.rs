//! What must hold whatever happened: what was acknowledged is stored, once; the log has no gap, verifies, and is
//! what each subscriber has heard.
//!
//! Read next: [`super::record`], what clients were told; [`super::listeners`], what subscribers heard.

use super::listeners::{Heard, Placed, key, netconf, stream};
use super::load::Way;
use super::platform::{DATABASE, Platform};
use super::record::Record;
use super::support::process::run;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use testkit::PATIENCE;
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::{Instant, timeout_at};

/// What must not be, counted, and the first of each in words.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Acknowledged, and not stored or not told.
    pub(crate) lost: usize,
    /// Told twice, or out of order.
    pub(crate) doubled: usize,
    /// Numbers of the log that are not there, and events between two that a subscriber heard.
    pub(crate) gaps: usize,
    /// Everything else.
    pub(crate) wrong: usize,
    pub(crate) words: Vec<String>,
}

impl Findings {
    pub(crate) fn is_clean(&self) -> bool {
        self.lost + self.doubled + self.gaps + self.wrong == 0
    }

    fn say(&mut self, what: String) {
        // More of them say no more.
        if self.words.len() < 20 {
            self.words.push(what);
        }
    }

    pub(crate) fn lost(&mut self, what: String) {
        self.lost += 1;
        self.say(what);
    }

    pub(crate) fn doubled(&mut self, what: String) {
        self.doubled += 1;
        self.say(what);
    }

    fn gap(&mut self, by: usize, what: String) {
        self.gaps += by;
        self.say(what);
    }

    pub(crate) fn wrong(&mut self, what: String) {
        self.wrong += 1;
        self.say(what);
    }
}

/// Subscribers while they listen.
pub(crate) struct Listening {
    sessions: Vec<JoinHandle<Vec<Heard>>>,
    streams: Vec<JoinHandle<Vec<Placed>>>,
}

impl Listening {
    /// Two at each node: a session, and a stream.
    pub(crate) fn at(ways: &[Way], token: &str, record: &Arc<Record>) -> Self {
        let sessions = ways.iter();
        let sessions = sessions.map(|way| tokio::spawn(netconf(way.clone(), Arc::clone(record))));
        let streams = ways.iter();
        let streams = streams.map(|way| tokio::spawn(stream(way.clone(), token.to_owned())));
        Self {
            sessions: sessions.collect(),
            streams: streams.collect(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.sessions.len() + self.streams.len()
    }

    /// What each has heard, up to the last event; of those that do not hear that in time nothing.
    pub(crate) async fn ended(self, found: &mut Findings) -> (Vec<Vec<Heard>>, Vec<Vec<Placed>>) {
        let until = Instant::now() + PATIENCE;
        let sessions = all(self.sessions, until, found, "over NETCONF").await;
        let streams = all(self.streams, until, found, "over HTTP").await;
        (sessions, streams)
    }

    pub(crate) fn abort(self) {
        self.sessions.iter().for_each(JoinHandle::abort);
        self.streams.iter().for_each(JoinHandle::abort);
    }
}

async fn all<T>(of: Vec<JoinHandle<T>>, until: Instant, found: &mut Findings, how: &str) -> Vec<T> {
    let mut heard = Vec::new();
    for (number, one) in of.into_iter().enumerate() {
        match timeout_at(until, one).await {
            Ok(ended) => heard.push(ended.unwrap()),
            Err(_) => found.wrong(format!(
                "the subscriber {number} {how} does not hear the end"
            )),
        }
    }
    heard
}

/// Compares what was heard with the log; each session is compared piece by piece. A piece begins where the one before
/// ended, and may repeat what is of that instant, for a client can name no place but a time.
pub(crate) fn heard(
    log: &[Placed],
    sessions: &[Vec<Heard>],
    streams: &[Vec<Placed>],
    record: &Record,
    found: &mut Findings,
) {
    let mut places = HashMap::new();
    let about_tasks = log.iter().filter_map(|(_, key)| *key);
    for (place, key) in about_tasks.enumerate() {
        if places.insert(key, place).is_some() {
            found.doubled("an event is in the log twice".to_owned());
        }
    }
    for (number, pieces) in sessions.iter().enumerate() {
        let who = format!("the subscriber {number} over NETCONF");
        // The next that is to be told, of those about tasks.
        let mut next = 0;
        for piece in pieces {
            let told: Vec<usize> = { piece.keys.iter() }
                .filter_map(|key| places.get(key).copied())
                .collect();
            if told.len() < piece.keys.len() {
                found.wrong(format!("{who} heard of what is not in the log"));
            }
            let Some(first) = told.first() else { continue };
            if *first > next {
                found.gap(
                    first - next,
                    format!("{who} missed events between sessions"),
                );
            }
            let again = told.iter().filter(|place| **place < next).count();
            if again > piece.of_first_instant {
                found.doubled(format!("{who} heard {again} events in two sessions"));
            }
            in_order(&told, &who, found);
            next = next.max(told.last().expect("there is a first") + 1);
        }
        if next < places.len() {
            found.gap(places.len() - next, format!("{who} did not hear the end"));
        }
    }
    let numbers: HashMap<Placed, usize> = log.iter().copied().zip(0..).collect();
    for (number, events) in streams.iter().enumerate() {
        let who = format!("the subscriber {number} over HTTP");
        let told: Vec<usize> = events
            .iter()
            .filter_map(|it| numbers.get(it).copied())
            .collect();
        if told.len() < events.len() {
            found.wrong(format!("{who} heard of what is not in the log"));
        }
        in_order(&told, &who, found);
        if told.len() < log.len() {
            found.gap(
                log.len() - told.len(),
                format!("{who} heard {} of {}", told.len(), log.len()),
            );
        }
    }
    for task in record.tasks() {
        let ends = ["finished", "rejected"].map(|status| key(&task, status));
        if !ends.iter().any(|end| places.contains_key(end)) {
            found.lost(format!(
                "{task} was acknowledged, and its end is not in the log"
            ));
        }
    }
}

/// One after the other, each once.
fn in_order(told: &[usize], who: &str, found: &mut Findings) {
    for pair in told.windows(2) {
        match pair[1].checked_sub(pair[0]) {
            Some(1) => {}
            Some(more @ 2..) => found.gap(more - 1, format!("{who} missed {} events", more - 1)),
            _ => found.doubled(format!("{who} heard event {} after {}", pair[1], pair[0])),
        }
    }
}

/// Looks for what was acknowledged in the database itself.
pub(crate) fn stored(platform: &Platform, record: &Record, found: &mut Findings) {
    let say = |sql: &str| block_in_place(|| platform.primary().say_in(DATABASE, sql));
    let ids = say("SELECT id FROM task");
    let ids: HashSet<&str> = ids.lines().collect();
    for task in record.tasks() {
        if !ids.contains(&*task) {
            found.lost(format!("{task} was acknowledged and is not stored"));
        }
    }
    let missing = say("SELECT max(sequence) - min(sequence) + 1 - count(*) FROM log");
    match missing.parse() {
        Ok(0) => {}
        Ok(missing) => found.gap(missing, format!("{missing} numbers of the log are missing")),
        Err(_) => found.wrong(format!("the log cannot be counted: {missing}")),
    }
}

/// Verifies rows, codes and chain, as whoever has led last, and has seen the head.
pub(crate) async fn verified(platform: &Platform, leader: usize, found: &mut Findings) -> bool {
    let url = platform.direct();
    let arguments = ["store", "verify", "--store", &url, "--json"];
    let told = run(platform.folder(leader), &arguments).await;
    let report = told.stdout.lines().next().unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(report).unwrap_or_default();
    let sound = report["authentic"] == true && report["faults"] == serde_json::json!([]);
    if !sound {
        found.wrong(format!(
            "the store does not verify: {report}{}",
            told.stderr
        ));
    }
    sound
}
