//! What is told while it goes on and at the end, for people or, with `--json`, an object a line.
//!
//! Read next: [`super::check`].

use super::check::Findings;
use super::control::Control;
use super::faults::Fault;
use super::platform::{NAMES, Platform};
use super::record::{Record, Silence};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What befell, and how long nobody was answered.
pub(crate) struct Report {
    begun: Instant,
    seed: u64,
    subscribers: usize,
    json: bool,
    faults: BTreeMap<Fault, Vec<Silence>>,
}

impl Report {
    pub(crate) fn begin(seed: u64, subscribers: usize, json: bool) -> Self {
        let report = Self {
            begun: Instant::now(),
            seed,
            subscribers,
            json,
            faults: BTreeMap::new(),
        };
        let words = format!("seed {seed}; three nodes, two databases, {subscribers} subscribers");
        report.say(&words, || json!({ "event": "begun", "seed": seed }));
        report
    }

    fn say(&self, words: &str, object: impl FnOnce() -> Value) {
        match self.json {
            true => println!("{}", object()),
            false => println!("{words}"),
        }
    }

    /// A fault is over, and all goes on.
    pub(crate) fn befell(&mut self, fault: Fault, record: &Record, platform: &Platform) {
        let silence = record.silence();
        self.faults.entry(fault).or_default().push(silence);
        let (at, longest) = (self.begun.elapsed().as_secs(), seconds(silence.longest));
        let (total, count) = (seconds(silence.total), record.count());
        let leader = platform.leads().map_or("nobody", |node| NAMES[node]);
        let words = format!(
            "{at:>6} s  {:<24}  {longest:>5.1} s without an answer; {leader} leads; {count} acknowledged",
            fault.name()
        );
        self.say(&words, || {
            json!({
                "event": "fault", "kind": fault.name(), "at_s": at, "longest_s": longest,
                "total_s": total, "leader": leader, "acknowledged": count,
            })
        });
    }

    /// Tells all of it; true if everything held.
    pub(crate) fn end(&self, found: &Findings, record: &Record) -> bool {
        for (fault, silences) in &self.faults {
            let mut longest: Vec<Duration> = silences.iter().map(|it| it.longest).collect();
            longest.sort();
            let median = seconds(longest[longest.len() / 2]);
            let all = silences
                .iter()
                .copied()
                .fold(Silence::default(), Silence::and);
            let (times, most, total) = (silences.len(), seconds(all.longest), seconds(all.total));
            let words = format!(
                "{:<24}  {times:>4} times; without an answer {median:.1} s at the median, {most:.1} s at most, {total:.1} s in all",
                fault.name()
            );
            self.say(&words, || {
                json!({
                    "event": "faults", "kind": fault.name(), "times": times, "median_s": median,
                    "longest_s": most, "total_s": total,
                })
            });
        }
        self.tell(found, record);
        found.is_clean()
    }

    /// Tells what a control has found; true if it has found something.
    pub(crate) fn control(&self, control: Control, found: &Findings, record: &Record) -> bool {
        self.tell(found, record);
        let noticed = !found.is_clean();
        let verdict = match noticed {
            true => "was noticed, as it must be",
            false => "was NOT noticed: these checks prove nothing",
        };
        let words = format!("control: {} {verdict}", control.what());
        self.say(
            &words,
            || json!({ "event": "control", "kind": control.name(), "noticed": noticed }),
        );
        noticed
    }

    fn tell(&self, found: &Findings, record: &Record) {
        let (again, read) = record.repeated();
        let (count, refusals) = (record.count(), record.refusals());
        for words in &found.words {
            self.say(
                &format!("! {words}"),
                || json!({ "event": "wrong", "what": words }),
            );
        }
        let refused: Vec<String> = refusals
            .iter()
            .map(|(why, n)| format!("{why} {n}"))
            .collect();
        let words = format!(
            "{count} acknowledged, {} lost, {} doubled, {} gaps, {} otherwise wrong, to {} subscribers, in {:.0} s of seed {}; \
             {again} sent again with the same reply, {read} read; refused and asked again: {}",
            found.lost,
            found.doubled,
            found.gaps,
            found.wrong,
            self.subscribers,
            self.begun.elapsed().as_secs_f64(),
            self.seed,
            refused.join(", ")
        );
        self.say(&words, || {
            json!({
                "event": "chaos", "seed": self.seed, "seconds": self.begun.elapsed().as_secs(),
                "acknowledged": count, "lost": found.lost, "doubled": found.doubled, "gaps": found.gaps,
                "wrong": found.wrong, "again": again, "read": read, "refused": refusals,
                "subscribers": self.subscribers,
            })
        });
    }
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}
