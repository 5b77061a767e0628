//! `convoke simulate --days N --sweep-practice`: how today's practice moves with each assumed duration.
//!
//! Every stage of people's work is taken at its low and at its high range, the others as usual, on the
//! same days. Refuses to know the ranges ([`arena::practice`]). Read next: [`super`].

use super::policies;
use crate::cli::{Common, Simulate};
use crate::output::{self, Failure, line, table};
use crate::showcase::progress::Progress;
use arena::day::{Days, Operator};
use arena::practice::{PracticeDurations, PracticeSetting, PracticeStep};
use report::Score;
use serde_json::json;

/// The figures that are shown, with their names as columns, and the factor to the unit of the column.
const SHOWN: [(&str, &str, f64); 6] = [
    ("root-cause-top-1", "named first, %", 100.0),
    ("unlocated", "never located, %", 100.0),
    ("locate-p50", "locate, min", 1.0),
    ("restore-p50", "restore, min", 1.0),
    ("wrong-dispatches", "wrong dispatches", 1.0),
    ("complaints-localised-right", "complaints right, %", 100.0),
];

/// Plays the days with each assumption changed, by people.
pub(super) async fn run(
    common: &Common,
    simulate: &Simulate,
    plan: &[Days],
) -> Result<(), Failure> {
    let mut policies = policies(simulate)?.into_iter();
    let policy = policies.rfind(|policy| policy.by_hand().is_some());
    let policy = policy.unwrap_or(Operator::Manual);
    let usual = super::durations(simulate);
    let changed = PracticeStep::ALL.into_iter().flat_map(|step| {
        [step.low(), step.high()].map(|minutes| PracticeSetting { step, minutes })
    });
    let mut settings: Vec<(String, PracticeDurations)> = vec![("as set".to_owned(), usual)];
    settings.extend(changed.map(|s| (s.to_string(), usual.with(s.step, s.minutes))));
    let progress = Progress::new(settings.len() * plan.len(), !common.json);
    let mut rows = Vec::new();
    for (name, practice) in settings {
        let mut scores = Vec::new();
        for days in plan {
            progress.tell(&format!("seed {} {name}", days.seed), 0.0);
            let days = Days {
                policy,
                practice,
                ..days.clone()
            };
            scores.push(days.play(|_| {}).await?);
            progress.done();
        }
        let figures = SHOWN.map(|(figure, ..)| mean(&scores, figure));
        if common.json {
            let figures = SHOWN.iter().zip(figures).map(|((name, ..), v)| (*name, v));
            let figures: serde_json::Map<_, _> = figures
                .map(|(name, v)| (name.to_owned(), json!(v)))
                .collect();
            output::json(&json!({
                "event": "practice", "setting": name, "policy": policy.as_str(), "seeds": plan.len(),
                "figures": figures,
            }));
        }
        rows.push((name, figures));
    }
    progress.end();
    if !common.json {
        let header: Vec<&str> = std::iter::once("practice")
            .chain(SHOWN.iter().map(|(_, title, _)| *title))
            .collect();
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(name, v)| row(name, v)).collect();
        line(&table(&header, &rows));
    }
    Ok(())
}

/// The mean of a figure over the runs that have it; none if none has.
fn mean(scores: &[Score], figure: &str) -> Option<f64> {
    let had: Vec<f64> = scores.iter().filter_map(|s| s.figure(figure)).collect();
    (!had.is_empty()).then(|| had.iter().sum::<f64>() / had.len() as f64)
}

fn row(name: String, figures: [Option<f64>; SHOWN.len()]) -> Vec<String> {
    let shown = figures.iter().zip(SHOWN).map(|(figure, (.., factor))| {
        figure.map_or_else(|| "-".to_owned(), |value| format!("{:.1}", factor * value))
    });
    std::iter::once(name).chain(shown).collect()
}
