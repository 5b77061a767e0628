//! The page of a batch: what it shows in sentences, the table, and the pictures.
//!
//! Rows on which the first policy does worse stand first. Read next: [`crate::finding`].

use super::About;
use super::frame::{number, page, table};
use crate::batch::{Row, ScoreBatch, Table};
use crate::finding::{Finding, against_rules, findings};
use crate::picture::{distribution, intervals, mark, opened, trade};
use crate::score::{FaultScore, Score};
use crate::statistics::ComparisonVerdict;
use markup::Markup;
use markup::words::count;

const PERCENTILES: &str = "Marks are means over runs, whiskers their 95 % intervals; axes begin where the values \
    do. A percentile is the smallest time that at least so many per cent did not exceed; a fault that was never \
    detected, located or restored counts as longer than any, and where the percentile falls on one the run has no \
    figure.";

/// The page of a batch.
pub fn batch(batch: &ScoreBatch, about: &About) -> String {
    let figures = batch.table();
    let title = match figures.policies.split_first() {
        None => "A batch without runs".to_owned(),
        Some((only, [])) => format!("The score: {only}"),
        Some((subject, others)) => format!("The score: {subject} against {}", others.join(", ")),
    };
    page(&title, |page| {
        page.leaf("p", &[], &runs(batch, &figures));
        headlines(page, &figures);
        values(page, &figures);
        page.leaf("h2", &[], &"Policies side by side");
        legend(page, &figures.policies);
        page.leaf("p", &[], &PERCENTILES);
        page.open("div", &[("class", &"charts")]);
        for row in &figures.rows {
            chart(
                page,
                row.metric.title,
                &intervals::draw(&figures, row),
                row.metric.description,
            );
        }
        page.close();
        times(page, batch, &figures.policies);
        trades(page, batch);
        origin(page, about);
    })
}

fn runs(batch: &ScoreBatch, figures: &Table) -> String {
    let runs = figures.policies.iter().zip(&figures.runs);
    let runs: Vec<String> = runs
        .map(|(policy, n)| format!("{policy} {}", count(*n, "run", "runs")))
        .collect();
    let faults: usize = batch
        .scores
        .iter()
        .map(|s| s.faults_that_count().count())
        .sum();
    let complaints: usize = batch.scores.iter().map(|s| s.complaints.len()).sum();
    format!(
        "{}; {} that touched users, {}. Figures are means over runs with 95 % intervals of Student; \
         policies are compared seed by seed.",
        runs.join(", "),
        count(faults, "fault", "faults"),
        count(complaints, "complaint", "complaints"),
    )
}

fn headlines(page: &mut Markup, figures: &Table) {
    page.leaf("h2", &[], &"What it shows");
    let Some((subject, others)) = figures.policies.split_first() else {
        return;
    };
    let rules = against_rules(figures);
    if !rules.is_empty() {
        page.leaf("h3", &[], &format!("{subject} against simple rules"));
        listed(page, rules.iter());
    }
    for (place, other) in others.iter().enumerate() {
        let found = findings(figures, place + 1);
        let (first, rest): (Vec<_>, Vec<_>) =
            found.iter().partition(|finding| finding.is_headline());
        page.leaf("h3", &[], &format!("{subject} against {other}"));
        page.leaf("p", &[], &tally(figures, place));
        listed(page, first.into_iter());
        page.open("details", &[])
            .leaf("summary", &[], &"All other rows");
        listed(page, rest.into_iter());
        page.close();
    }
    if others.is_empty() {
        page.leaf(
            "p",
            &[],
            &format!("Only {subject} ran, so there is nothing to compare it with."),
        );
    }
    notes(page, &figures.notes);
}

/// Writes the table's remarks: the first two in full, the rest in a `details` element.
fn notes(page: &mut Markup, notes: &[String]) {
    let (seen, drawer) = notes.split_at(notes.len().min(2));
    for note in seen {
        page.leaf("p", &[("class", &"soft")], note);
    }
    if drawer.is_empty() {
        return;
    }
    let more = count(drawer.len(), "note more", "notes more");
    page.open("details", &[])
        .leaf("summary", &[], &more)
        .open("ul", &[("class", &"soft")]);
    for note in drawer {
        page.leaf("li", &[], note);
    }
    page.close().close();
}

/// The count of rows by verdict: `28 rows: 17 better, 1 worse, …`.
fn tally(figures: &Table, place: usize) -> String {
    let verdicts = [
        (ComparisonVerdict::Worse, "worse"),
        (ComparisonVerdict::Better, "better"),
        (
            ComparisonVerdict::More,
            "more of what is neither good nor bad",
        ),
        (
            ComparisonVerdict::Less,
            "less of what is neither good nor bad",
        ),
        (
            ComparisonVerdict::NoDifferenceShown,
            "without a difference shown",
        ),
        (ComparisonVerdict::TooFew, "with too few pairs"),
    ];
    let told = verdicts.into_iter().filter_map(|(verdict, words)| {
        let number = figures
            .rows
            .iter()
            .filter(|r| r.against[place].verdict == verdict)
            .count();
        (number > 0 || verdict == ComparisonVerdict::Worse).then(|| format!("{number} {words}"))
    });
    let told: Vec<String> = told.collect();
    format!(
        "{}: {}.",
        count(figures.rows.len(), "row", "rows"),
        told.join(", ")
    )
}

fn listed<'a>(page: &mut Markup, findings: impl Iterator<Item = &'a Finding>) {
    page.open("ul", &[("class", &"findings")]);
    for finding in findings {
        page.leaf(
            "li",
            &[("class", &finding.verdict.as_str())],
            &finding.sentence,
        );
    }
    page.close();
}

fn values(page: &mut Markup, figures: &Table) {
    page.leaf("h2", &[], &"Figures");
    let mut head = vec![("figure", ""), ("unit", "")];
    head.extend(figures.policies.iter().map(|p| (p.as_str(), "number")));
    let subject = figures.policies.first().map_or("", String::as_str);
    let told = format!("{subject} against the others");
    head.push((
        if figures.policies.len() > 1 {
            &told
        } else {
            ""
        },
        "",
    ));
    table(page, &head, |page| {
        for row in &figures.rows {
            values_of(page, figures, row);
        }
    });
}

fn values_of(page: &mut Markup, figures: &Table, row: &Row) {
    page.open("tr", &[])
        .leaf("th", &[("scope", &"row")], &row.metric.title);
    page.leaf("td", &[], &row.metric.unit.shown().0);
    for column in 0..figures.policies.len() {
        number(page, &row.summary(column));
    }
    page.open("td", &[]);
    for (compared, other) in row.against.iter().zip(figures.policies.iter().skip(1)) {
        let verdict = compared.verdict;
        page.leaf(
            "div",
            &[("class", &verdict.as_str())],
            &verdict.against(other),
        );
    }
    page.close().close();
}

pub(super) fn legend(page: &mut Markup, policies: &[String]) {
    page.open("ul", &[("class", &"legend")]);
    for (place, policy) in policies.iter().enumerate() {
        let mut swatch = opened(policy, &"mark of the policy", [16.0, 16.0]);
        mark(&mut swatch, place, [8.0, 8.0], 5.0, "mark");
        swatch.close();
        page.open("li", &[]).markup(&swatch).text(policy).close();
    }
    page.close();
}

pub(super) fn chart(page: &mut Markup, title: &str, picture: &Markup, caption: &str) {
    page.open("figure", &[]).leaf("h3", &[], &title);
    page.open("div", &[("class", &"picture")])
        .markup(picture)
        .close();
    page.leaf("figcaption", &[], &caption).close();
}

/// Reads one duration of a fault, in seconds.
type OfFault = fn(&FaultScore) -> Option<f64>;

fn times(page: &mut Markup, batch: &ScoreBatch, policies: &[String]) {
    let spreads: [(&str, OfFault); 3] = [
        ("Time to detect", |f| f.detected_s),
        ("Time to locate", |f| f.located_s),
        ("Time to restore", |f| f.truly_restored_s),
    ];
    page.leaf("h2", &[], &"How times are spread");
    page.leaf("p", &[], &"The share of all faults, or tickets, that were through by then, all runs together. A line that ends below the top never got there for the rest.");
    legend(page, policies);
    page.open("div", &[("class", &"charts")]);
    for (title, of) in spreads {
        let minutes = |score: &Score| -> Vec<Option<f64>> {
            score
                .faults_that_count()
                .map(|f| of(f).map(|s| s / 60.0))
                .collect()
        };
        spread(
            page,
            title,
            batch,
            policies,
            minutes,
            "faults that touched users",
        );
    }
    let replies = |score: &Score| score.complaints.iter().map(|c| c.reply_min).collect();
    spread(
        page,
        "Time to reply to a complaint",
        batch,
        policies,
        replies,
        "tickets",
    );
    page.close();
}

fn spread(
    page: &mut Markup,
    title: &str,
    batch: &ScoreBatch,
    policies: &[String],
    of: impl Fn(&Score) -> Vec<Option<f64>>,
    whose: &str,
) {
    let of_policy = |policy: &String| (policy.clone(), batch.of(policy).flat_map(&of).collect());
    let spreads: Vec<(String, Vec<Option<f64>>)> = policies.iter().map(of_policy).collect();
    let number: usize = spreads.iter().map(|(_, times)| times.len()).sum();
    if number > 0 {
        let caption = format!("{} {whose}", markup::words::decimal(number as f64, 0));
        chart(page, title, &distribution::draw(title, &spreads), &caption);
    }
}

fn trades(page: &mut Markup, batch: &ScoreBatch) {
    let Some(picture) = trade::draw(batch) else {
        return;
    };
    page.leaf("h2", &[], &"Energy against throughput");
    page.open("figure", &[])
        .open("div", &[("class", &"picture")])
        .markup(&picture)
        .close();
    let caption =
        "A small mark is a run, a large one the mean of a policy with its 95 % intervals.";
    page.leaf("figcaption", &[], &caption).close();
}

pub(super) fn origin(page: &mut Markup, about: &About) {
    page.leaf("h2", &[], &"What it rests on");
    if !about.assumptions.is_empty() {
        page.open("ul", &[]);
        for assumption in &about.assumptions {
            page.leaf("li", &[], assumption);
        }
        page.close();
    }
    page.open("p", &[])
        .text(&"Made again by ")
        .leaf("code", &[], &about.command)
        .close();
    page.leaf(
        "p",
        &[("class", &"soft")],
        &format!("{}, {}", about.machine, about.date),
    );
}
