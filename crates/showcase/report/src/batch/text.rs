//! A batch as columns, for terminals.
//!
//! Verdicts against the other policies stand in the row if the width allows it and below it
//! otherwise; in a very narrow terminal each policy has a line of its own. Read next:
//! [`super::Table`].

use super::{BaselineComparison, Row, ScoreBatch, Table};
use markup::words::{count, cut, left, right, width};

/// Spaces between columns.
const GAP: usize = 2;

impl ScoreBatch {
    /// The table in lines of at most `width` columns (at least 40), each with a line feed. Verdicts
    /// against the other policies are written in words: `worse than manual`.
    pub fn text(&self, width: usize) -> String {
        let table = self.table();
        let most = width.max(40);
        let mut lines = vec![heading(&table)];
        lines.push(String::new());
        lines.extend(body(&table, most));
        lines.extend(
            table
                .baselines
                .iter()
                .map(|b| format!("{}: {}", super::ROOT_CAUSE, rule(&table, b))),
        );
        if !table.notes.is_empty() {
            lines.push(String::new());
        }
        let notes = table.notes.iter().flat_map(|note| wrapped(note, most));
        lines.extend(notes);
        let lines = lines.iter().flat_map(|line| fitted(line, most));
        lines.map(|line| line + "\n").collect()
    }
}

fn heading(table: &Table) -> String {
    let runs = table.policies.iter().zip(&table.runs);
    let runs: Vec<String> = runs
        .map(|(policy, runs)| format!("{policy}: {}", count(*runs, "run", "runs")))
        .collect();
    format!("{}; mean ± half of the 95 % interval", runs.join(", "))
}

/// Widths of the columns in characters: names, then each policy.
struct Columns {
    name: usize,
    values: Vec<usize>,
}

impl Columns {
    fn of(table: &Table) -> Self {
        let name = table.rows.iter().map(|row| width(&name(row))).max();
        let of_policy = |(column, policy): (usize, &String)| {
            let cells = table.rows.iter().map(|row| width(&row.summary(column)));
            cells.max().unwrap_or(0).max(width(policy))
        };
        let values = table.policies.iter().enumerate().map(of_policy);
        Self {
            name: name.unwrap_or(0),
            values: values.collect(),
        }
    }

    fn wide(&self) -> usize {
        self.name + self.values.iter().map(|v| v + GAP).sum::<usize>()
    }

    fn line(&self, name: &str, cells: impl Iterator<Item = String>) -> String {
        let mut line = left(name, self.name);
        for (cell, wide) in cells.zip(&self.values) {
            line += &right(&cell, wide + GAP);
        }
        line
    }
}

fn body(table: &Table, most: usize) -> Vec<String> {
    let columns = Columns::of(table);
    if columns.wide() > most {
        return table
            .rows
            .iter()
            .flat_map(|row| stacked(table, row))
            .collect();
    }
    let told = table.rows.iter().map(|row| width(&table.told(row)));
    let beside = columns.wide() + GAP + told.max().unwrap_or(0) <= most;
    let head = columns.line("", table.policies.iter().cloned());
    let mut lines = vec![head.trim_end().to_owned()];
    for row in &table.rows {
        let cells = (0..table.policies.len()).map(|column| row.summary(column));
        let line = columns.line(&name(row), cells);
        let told = table.told(row);
        match (told.is_empty(), beside) {
            (true, _) => lines.push(line),
            (false, true) => lines.push(format!("{line}{}{told}", " ".repeat(GAP))),
            (false, false) => lines.extend([line, format!("    {told}")]),
        }
    }
    lines
}

fn stacked(table: &Table, row: &Row) -> Vec<String> {
    let mut lines = vec![name(row)];
    for (column, policy) in table.policies.iter().enumerate() {
        lines.push(format!("    {policy}: {}", row.summary(column)));
    }
    let told = table.told(row);
    if !told.is_empty() {
        lines.push(format!("    {told}"));
    }
    lines
}

fn name(row: &Row) -> String {
    match row.metric.unit.shown().0 {
        "" => row.metric.name.to_owned(),
        unit if row.metric.name.ends_with(unit) => row.metric.name.to_owned(),
        unit => format!("{}, {unit}", row.metric.name),
    }
}

/// `agents do better than blaming the first alarm`, in the words of the verdict.
fn rule(table: &Table, baseline: &BaselineComparison) -> String {
    let subject = table.policies.first().map_or("", String::as_str);
    format!(
        "{subject}: {}",
        baseline.compared.verdict.against(baseline.rule)
    )
}

/// Wraps a line that is too long, keeping its indentation.
fn fitted(line: &str, most: usize) -> Vec<String> {
    if width(line) <= most {
        return vec![line.trim_end().to_owned()];
    }
    let indent = line.len() - line.trim_start().len();
    let lines = wrapped(line, most - indent);
    let margin = " ".repeat(indent);
    lines
        .into_iter()
        .map(|line| format!("{margin}{line}"))
        .collect()
}

fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines
            .last_mut()
            .expect("there is a line from the beginning");
        let room = most.saturating_sub(width(line) + 1);
        if line.is_empty() {
            *line = cut(word, most);
        } else if width(word) <= room {
            *line += &format!(" {word}");
        } else {
            lines.push(cut(word, most));
        }
    }
    lines
}
