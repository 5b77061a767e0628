//! The score of a run: its figures, its faults, its complaints.
//!
//! Read next: [`crate::score`], [`crate::metric`].

use super::{ROWS, left_out};
use crate::html::frame::{number, table};
use crate::metric::METRICS;
use crate::score::Score;
use markup::Markup;
use markup::words::{self, span};

/// Writes the figures, and the faults and complaints that they are of.
pub(super) fn write(page: &mut Markup, score: &Score) {
    page.leaf("h2", &[], &"The score");
    let mut completed = score.clone();
    completed.complete();
    table(
        page,
        &[
            ("figure", ""),
            ("value", "number"),
            ("unit", ""),
            ("what it is", ""),
        ],
        |page| {
            for metric in METRICS {
                let Some(value) = completed.figure(metric.name) else {
                    continue;
                };
                let (unit, times) = metric.unit.shown();
                page.open("tr", &[])
                    .leaf("th", &[("scope", &"row")], &metric.title);
                number(page, &words::number(value * times));
                page.leaf("td", &[], &unit)
                    .leaf("td", &[("class", &"soft")], &metric.description)
                    .close();
            }
        },
    );
    faults(page, score);
    complaints(page, score);
}

fn faults(page: &mut Markup, score: &Score) {
    if score.faults.is_empty() {
        return;
    }
    page.leaf("h3", &[], &"Faults");
    let head = [
        ("began, UTC", "number"),
        ("fault", ""),
        ("users", "number"),
        ("detected", "number"),
        ("located", "number"),
        ("restored", "number"),
        ("rank of the truth", "number"),
        ("dispatches", "number"),
        ("wrong", "number"),
    ];
    table(page, &head, |page| {
        for fault in score.faults.iter().take(ROWS) {
            page.open("tr", &[]);
            number(page, &fault.began.day_and_clock());
            page.leaf("td", &[], &format!("{} at {}", fault.kind, fault.element));
            number(page, &words::decimal(fault.users_touched, 0));
            for time in [fault.detected_s, fault.located_s, fault.truly_restored_s] {
                number(page, &time.map_or_else(|| "never".to_owned(), span));
            }
            number(
                page,
                &fault.rank.map_or_else(|| "–".to_owned(), |r| r.to_string()),
            );
            number(page, &fault.dispatches);
            number(page, &fault.wrong_dispatches);
            page.close();
        }
    });
    left_out(page, score.faults.len());
}

fn complaints(page: &mut Markup, score: &Score) {
    if score.complaints.is_empty() {
        return;
    }
    page.leaf("h3", &[], &"Complaints");
    let head = [
        ("ticket", ""),
        ("what was behind it", ""),
        ("localised", ""),
        ("reply", "number"),
        ("questions", "number"),
    ];
    table(page, &head, |page| {
        for complaint in score.complaints.iter().take(ROWS) {
            page.open("tr", &[])
                .leaf("td", &[], &complaint.ticket)
                .leaf("td", &[], &complaint.nature);
            page.leaf(
                "td",
                &[],
                &if complaint.localised {
                    "rightly"
                } else {
                    "wrongly"
                },
            );
            number(
                page,
                &complaint
                    .reply_min
                    .map_or_else(|| "never".to_owned(), |m| span(m * 60.0)),
            );
            number(page, &complaint.questions);
            page.close();
        }
    });
    left_out(page, score.complaints.len());
}
