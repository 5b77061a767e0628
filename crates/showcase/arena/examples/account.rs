//! An account of days run by agents: every mistake, and every fault not named first, with what led to it.
//!
//! `cargo run --release -p convoke-arena --example account -- 50201..50203 [KEY=VALUE,...]` plays the days of
//! these seeds in the world that errs, changed as `--errors` of `simulate` changes it; `ideal` as the
//! second word plays them without errors. Under each mistake stand the alarms, notes, actions and measurements
//! of its node in the hours before. Read next: [`arena::day`], [`report::score::DayMistake`].
#![allow(clippy::print_stdout)]

use arena::day::{Days, Operator};
use arena::practice::PracticeDurations;
use arena::stage::topology;
use domain::time::Timestamp;
use network::TelemetryErrors;
use server::story::{StoryEntry, StoryEvent, acted, outcome_in_words};
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Arc, Mutex};

/// Seconds before and after a mistake, or a fault, of which is told.
const BEFORE_S: f64 = 10_800.0;
const AFTER_S: f64 = 5_400.0;
/// The most lines under a mistake.
const LINES_MAX: usize = 70;

type Lines = Arc<Mutex<Vec<(Timestamp, String)>>>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seeds = arguments.next().unwrap_or_else(|| "50201".to_owned());
    let (first, last) = seeds.split_once("..").unwrap_or((&seeds, &seeds));
    let mut errors = TelemetryErrors::erring();
    match arguments.next().as_deref() {
        Some("ideal") => errors = TelemetryErrors::none(),
        Some(settings) => errors.set_all(settings)?,
        None => {}
    }
    for seed in first.parse::<u64>()?..=last.parse::<u64>()? {
        account(seed, errors).await?;
    }
    Ok(())
}

async fn account(seed: u64, errors: TelemetryErrors) -> Result<(), Box<dyn Error>> {
    let days = Days {
        topology: topology("Germany50")?,
        sites: 300,
        days: 1,
        seed,
        policy: Operator::Agents,
        practice: PracticeDurations::default(),
        alarms: Arc::default(),
        errors,
        knowledge: None,
    };
    let lines = Lines::default();
    let told = Arc::clone(&lines);
    let listener = Box::new(move |entry: &StoryEntry| {
        if let Some(line) = in_words(&entry.happened) {
            told.lock().expect("nothing panics").push((entry.at, line));
        }
    });
    let score = days.play_before(listener, |_| {}).await?;
    let lines = lines.lock().expect("nothing panics");
    for (name, value) in &score.figures {
        println!("{seed} figure {name} {value}");
    }
    for mistake in &score.mistakes {
        let cause = mistake.cause.as_deref().unwrap_or_default();
        let (at, way, element) = (mistake.at, &mistake.way, &mistake.element);
        println!("\n{seed} MISTAKE {at} {way} {element} {cause}");
        context(&lines, element, at.plus_s(-BEFORE_S), at.plus_s(AFTER_S));
    }
    for fault in score.faults_that_count().filter(|f| f.rank != Some(1)) {
        let blamed = fault.blamed.as_deref().unwrap_or("nothing");
        let (at, kind, element) = (fault.began, &fault.kind, &fault.element);
        println!(
            "\n{seed} MISSED {at} {kind} {element}: located {:?} s, restored {:?} s, first {blamed}",
            fault.located_s, fault.truly_restored_s
        );
        context(&lines, element, at.plus_s(-900.0), at.plus_s(4.0 * 3_600.0));
    }
    Ok(())
}

/// The lines about the node of an element, and about the cases in which it occurs.
fn context(lines: &[(Timestamp, String)], element: &str, from: Timestamp, until: Timestamp) {
    let name = element.split_once(':').map_or(element, |(_, name)| name);
    let node = name.split('/').next().unwrap_or(name);
    let within = lines.iter().filter(|(at, _)| (from..=until).contains(at));
    let within: Vec<_> = within.collect();
    let about = within.iter().filter(|(_, line)| line.contains(node));
    let cases: BTreeSet<String> = about.filter_map(|(_, line)| case_of(line)).collect();
    let ours =
        |line: &str| line.contains(node) || case_of(line).is_some_and(|case| cases.contains(&case));
    let ours = within.iter().filter(|(_, line)| ours(line));
    for (at, line) in ours.take(LINES_MAX) {
        println!("    {at} {}", line.chars().take(260).collect::<String>());
    }
}

/// The case of which a line tells: `Trouble 12`, `Case 3`.
fn case_of(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).find_map(|pair| {
        let kind = pair[0].to_lowercase();
        let number = pair[1].trim_end_matches([':', ',', '.']);
        let names = matches!(kind.as_str(), "trouble" | "case") && number.parse::<u64>().is_ok();
        names.then(|| format!("{kind} {number}"))
    })
}

fn in_words(event: &StoryEvent) -> Option<String> {
    Some(match event {
        StoryEvent::Alarm(alarm) => format!(
            "{} {} {} (noticed {})",
            if alarm.cleared { "CLEAR" } else { "ALARM" },
            alarm.alarm_type.as_str(),
            alarm.resource,
            alarm.time
        ),
        StoryEvent::Field(report) => format!("FIELD {report:?}"),
        StoryEvent::Acted { agent, action } => format!("{agent} {}", acted(action)),
        StoryEvent::Outcome { agent, outcome } => {
            format!("  {agent} < {}", outcome_in_words(outcome))
        }
        StoryEvent::Note { agent, text } => format!("{agent} NOTE {text}"),
        StoryEvent::Notified {
            from, notification, ..
        } if notification.content.result.is_some() => format!(
            "{from} RESULT {}: {}",
            notification.content.target_object,
            notification.content.result.as_deref().unwrap_or_default()
        ),
        _ => return None,
    })
}
