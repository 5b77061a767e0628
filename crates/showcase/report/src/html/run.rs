//! The page of one run: the map through time, the lanes, the messages between agents, and the
//! score.
//!
//! A long run is cut to the cases with the most agents; the page says how many are left out. Read
//! next: [`crate::story`].

mod score;

use super::frame::{number, page, table};
use crate::picture::{lanes, map, sequence};
use crate::record::{Moment, Record, RecordedEvent};
use crate::story::{self, Ending, Outages, TaskTree, Tasks};
use markup::Markup;
use markup::words::{self, count, cut, span};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The most steps that the map moves through.
const STEPS: usize = 240;
/// Cases that are drawn, and rows of lists.
const CASES: usize = 40;
const ROWS: usize = 300;
/// The most agents in the matrix of conversations.
const AGENTS: usize = 24;

/// The page of a run.
pub fn run(record: &Record) -> String {
    page(&story::headline(&record.run.scenario), |page| {
        page.leaf("p", &[], &facts(record));
        if record.score.is_none() {
            page.leaf(
                "p",
                &[("class", &"worse")],
                &"The record ends without a score: the run was cut short.",
            );
        }
        network(page, record);
        page.leaf("h2", &[], &"From beginning to end");
        page.open("div", &[("class", &"picture")])
            .markup(&lanes::draw(record))
            .close();
        legend(page);
        cases(page, record);
        conversations(page, record);
        happenings(page, record);
        if let Some(score) = &record.score {
            score::write(page, score);
        }
    })
}

fn facts(record: &Record) -> String {
    let lasted = record.ended().seconds_since(record.run.began);
    let of = |is: fn(&RecordedEvent) -> bool| record.moments.iter().filter(|m| is(&m.what)).count();
    let alarms = of(|what| matches!(what, RecordedEvent::Alarm { cleared: false, .. }));
    let messages = of(|what| matches!(what, RecordedEvent::Message { .. }));
    let complaints = of(|what| {
        matches!(
            what,
            RecordedEvent::Complaint { .. } | RecordedEvent::Ticket { .. }
        )
    });
    let run = &record.run;
    let began = run.began.to_string().replace('T', " ");
    format!(
        "Played by {} on {} with seed {}. It began {} UTC and lasted {}: {} raised, {} between agents, {} of \
         customers. {}",
        run.policy,
        run.topology,
        run.seed,
        began.split('.').next().unwrap_or(&began),
        span(lasted),
        count(alarms, "alarm", "alarms"),
        count(messages, "request", "requests"),
        count(complaints, "complaint", "complaints"),
        map::size(&record.run.network),
    )
}

fn network(page: &mut Markup, record: &Record) {
    let outages = Outages::of(record, STEPS);
    let worst = outages.worst();
    let last = outages.steps.len() - 1;
    page.leaf("h2", &[], &"The network");
    page.open("div", &[("class", &"beside")]);
    page.open("figure", &[])
        .open("div", &[("class", &"picture")]);
    page.markup(&map::draw(record, &outages, worst)).close();
    page.open("div", &[("id", &"moving"), ("hidden", &"")]);
    page.empty(
        "input",
        &[
            ("type", &"range"),
            ("id", &"when"),
            ("min", &0),
            ("max", &last),
            ("step", &1),
            ("value", &worst),
            ("aria-label", &"moment that the map shows"),
        ],
    );
    page.close();
    page.open("p", &[])
        .leaf(
            "output",
            &[("id", &"then"), ("for", &"when")],
            &map::caption(&outages.steps[worst]),
        )
        .close();
    let source = if outages.told_by_network {
        "the network"
    } else {
        "alarms"
    };
    page.leaf("figcaption", &[], &format!(
        "● town, large with the mobile core; · site; red ✕ site that is out, as {source} told; red ring or thick \
         line: what truly was broken, which no agent is told. Shaded: provinces. First shown is the worst moment."
    ));
    page.close();
    worst_moments(page, &outages);
    page.close();
}

/// Writes the legend of the lanes: a bar for each ending.
fn legend(page: &mut Markup) {
    page.open("ul", &[("class", &"legend")]);
    for ending in [Ending::Well, Ending::Badly, Ending::CalledOff, Ending::Open] {
        page.open("li", &[])
            .markup(&lanes::swatch(ending))
            .text(&ending.told())
            .close();
    }
    page.close();
}

/// Writes the steps with the most sites out as a table, the text equivalent of the map.
fn worst_moments(page: &mut Markup, outages: &Outages) {
    let mut places: Vec<usize> = (0..outages.steps.len())
        .filter(|p| outages.steps[*p].count > 0)
        .collect();
    places.sort_by_key(|place| (std::cmp::Reverse(outages.steps[*place].count), *place));
    places.truncate(12);
    if places.is_empty() {
        page.leaf("p", &[], &"No site was ever out.");
        return;
    }
    page.open("div", &[]).leaf("h3", &[], &"The worst moments");
    table(
        page,
        &[
            ("from, UTC", ""),
            ("sites out", "number"),
            ("served", "number"),
        ],
        |page| {
            for step in places.into_iter().map(|place| &outages.steps[place]) {
                page.open("tr", &[])
                    .leaf("td", &[], &step.at.day_and_clock());
                number(page, &step.count);
                let served = step
                    .served_share
                    .map(|s| format!("{} %", words::decimal(s * 100.0, 1)));
                number(page, &served.unwrap_or_else(|| "–".to_owned()));
                page.close();
            }
        },
    );
    page.close();
}

fn cases(page: &mut Markup, record: &Record) {
    let all = story::cases(record);
    page.leaf("h2", &[], &"Who asked whom what");
    if all.is_empty() {
        page.leaf("p", &[], &"Nobody asked anybody anything.");
        return;
    }
    let total = all.len();
    let chosen = chosen(record, all);
    if chosen.len() < total {
        page.leaf("p", &[], &format!(
            "{} of {} are drawn: those in which most agents took part, and of these the longest. All are in the record.",
            chosen.len(),
            count(total, "case", "cases"),
        ));
    }
    let tasks = Tasks::of(&record.moments);
    let first = chosen.iter().max_by_key(|case| weight(record, case));
    for case in &chosen {
        drawn(page, record, &tasks, case, Some(case) == first);
    }
}

/// The cases that are drawn, in order of time.
fn chosen(record: &Record, mut cases: Vec<TaskTree>) -> Vec<TaskTree> {
    if cases.len() > CASES {
        cases.sort_by_cached_key(|case| Reverse(weight(record, case)));
        cases.truncate(CASES);
        cases.sort_by(|a, b| (a.span.from, &a.root).cmp(&(b.span.from, &b.root)));
    }
    cases
}

/// The sort key of a case: its number of agents, its number of messages, and its root task, which
/// makes the key unique.
fn weight(record: &Record, case: &TaskTree) -> (usize, usize, String) {
    let lines = sequence::lines(record, case);
    let agents: BTreeSet<&str> = lines.iter().flat_map(|l| [l.from, l.to]).collect();
    (agents.len(), lines.len(), case.root.clone())
}

fn drawn(page: &mut Markup, record: &Record, tasks: &Tasks, case: &TaskTree, open: bool) {
    let lines = sequence::lines(record, case);
    let attributes: [(&'static str, &dyn std::fmt::Display); 1] = [("open", &"")];
    page.open("details", if open { &attributes } else { &[] });
    page.open("summary", &[])
        .leaf("time", &[], &case.span.from.day_and_clock());
    page.text(&format!(
        " {} — {}, {}, {}",
        cut(&case.span.title, 110),
        count(case.tasks.len(), "task", "tasks"),
        count(lines.len(), "message", "messages"),
        case.span.ended(),
    ));
    page.close();
    let title = format!("Task {}: {}", case.root, cut(&case.span.title, 90));
    page.open("div", &[("class", &"picture")])
        .markup(&sequence::draw(&title, &lines))
        .close();
    numbered(page, tasks, case);
    page.open("details", &[])
        .leaf("summary", &[], &"Word for word");
    for said in lines.iter().take(ROWS) {
        page.open("p", &[]).leaf("time", &[], &said.at);
        page.text(&format!(" {} → {}: {}", said.from, said.to, said.label))
            .close();
        page.leaf("pre", &[], &said.words);
    }
    if lines.len() > ROWS {
        page.leaf(
            "p",
            &[],
            &format!("{} more are in the record.", lines.len() - ROWS),
        );
    }
    page.close().close();
}

/// Writes the tasks behind the numbers `[1]`, `[2]` … of the picture, with their schemas.
fn numbered(page: &mut Markup, tasks: &Tasks, case: &TaskTree) {
    if case.tasks.len() < 2 {
        return;
    }
    page.open("p", &[("class", &"soft")]);
    for (place, name) in case.tasks.iter().enumerate() {
        let schema = tasks.named(name).and_then(|task| task.schema.as_deref());
        let schema = schema.map_or(String::new(), |schema| format!(" ({schema})"));
        page.text(&format!("[{}] {name}{schema}  ", place + 1));
    }
    page.close();
}

fn conversations(page: &mut Markup, record: &Record) {
    let counts = story::conversations(record);
    let mut agents: Vec<&str> = counts.keys().flat_map(|(from, to)| [*from, *to]).collect();
    agents.sort_unstable();
    agents.dedup();
    if agents.is_empty() {
        return;
    }
    let total = agents.len();
    let spoke = |name: &str| -> usize {
        counts
            .iter()
            .filter(|((from, to), _)| *from == name || *to == name)
            .map(|(_, n)| n)
            .sum()
    };
    agents.sort_by_cached_key(|name| (std::cmp::Reverse(spoke(name)), *name));
    agents.truncate(AGENTS);
    agents.sort_unstable();
    page.open("details", &[]).leaf(
        "summary",
        &[],
        &format!(
            "How often who spoke to whom ({} of {} agents)",
            agents.len(),
            total
        ),
    );
    let mut head = vec![("from, down; to, across", "")];
    head.extend(agents.iter().map(|name| (*name, "number")));
    table(page, &head, |page| {
        for from in &agents {
            page.open("tr", &[]).leaf("th", &[("scope", &"row")], from);
            for to in &agents {
                let said = counts
                    .get(&(*from, *to))
                    .map_or(String::new(), ToString::to_string);
                number(page, &said);
            }
            page.close();
        }
    });
    page.close();
}

fn happenings(page: &mut Markup, record: &Record) {
    let all: Vec<(&Moment, [&str; 2], String)> = record
        .moments
        .iter()
        .filter_map(|moment| event_row(&moment.what).map(|(who, words)| (moment, who, words)))
        .collect();
    if all.is_empty() {
        return;
    }
    page.leaf(
        "h2",
        &[],
        &"What agents did, engineers found and customers said",
    );
    left_out(page, all.len());
    page.open("details", &[])
        .leaf("summary", &[], &count(all.len().min(ROWS), "line", "lines"));
    table(
        page,
        &[("UTC", "number"), ("who", ""), ("what", ""), ("words", "")],
        |page| {
            for (moment, [who, what], words) in all.iter().take(ROWS) {
                page.open("tr", &[]);
                number(page, &moment.at.day_and_clock());
                page.leaf("td", &[], who)
                    .leaf("td", &[], what)
                    .leaf("td", &[], words)
                    .close();
            }
        },
    );
    page.close();
}

fn event_row(what: &RecordedEvent) -> Option<([&str; 2], String)> {
    Some(match what {
        RecordedEvent::Action {
            agent,
            words,
            elements,
        } => {
            let some = elements
                .iter()
                .take(6)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let more = if elements.len() > 6 {
                format!(" and {} more", elements.len() - 6)
            } else {
                String::new()
            };
            let where_to = if elements.is_empty() {
                String::new()
            } else {
                format!(" ({some}{more})")
            };
            ([agent, "did"], format!("{words}{where_to}"))
        }
        RecordedEvent::Outcome { agent, words } => ([agent, "came of it"], words.clone()),
        RecordedEvent::Note { agent, words } => ([agent, "notes"], words.clone()),
        RecordedEvent::Complaint { words } => (["customer", "complains"], words.clone()),
        RecordedEvent::Ticket { words } => (["customer's company", "ticket"], words.clone()),
        RecordedEvent::Field { words, element } => {
            (["engineer", "in the field"], format!("{words} ({element})"))
        }
        _ => return None,
    })
}

fn left_out(page: &mut Markup, rows: usize) {
    if rows > ROWS {
        page.leaf(
            "p",
            &[],
            &format!(
                "The first {ROWS} of {}; all are in the record.",
                words::decimal(rows as f64, 0)
            ),
        );
    }
}
