//! What `docs/score.md` says, beside what the code does: seeds, assumptions, and whose figures README shows.
//!
//! A figure that only a person recomputes goes stale; these are what a test can hold. `make figures`
//! recomputes the rest. Read next: `tidy.rs`.

#![allow(clippy::unwrap_used)]

use arena::practice::PracticeStep;
use arena::seeds::{CHOSEN, GATE, LEARNT, REPORTED_DAYS, REPORTED_FAULTS};
use harness::workspace::root;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// The ranges of seeds in the commands of a text, each with its line.
fn seeds(text: &str) -> Vec<(String, RangeInclusive<u64>)> {
    let ranges = text.lines().filter_map(|line| {
        let (_, after) = line.split_once("--seeds ")?;
        let range = after.split([' ', '`']).next()?;
        let (first, last) = range.split_once("..")?;
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        Some((line.to_owned(), first..=last))
    });
    ranges.collect()
}

fn within(part: &RangeInclusive<u64>, whole: &RangeInclusive<u64>) -> bool {
    whole.contains(part.start()) && whole.contains(part.end())
}

/// What is reported was neither learnt from, nor chosen by, nor looked at by tests.
#[test]
fn commands_of_the_page_use_the_seeds_that_are_for_them() {
    let commands = [page("docs/score.md"), page("scripts/figures.sh")].map(|text| seeds(&text));
    assert!(
        commands.iter().all(|found| found.len() >= 3),
        "{commands:?}"
    );
    for (line, range) in commands.into_iter().flatten() {
        let purpose = match line.contains("convoke learn") {
            true => vec![LEARNT],
            false => vec![CHOSEN, REPORTED_DAYS, REPORTED_FAULTS],
        };
        let fits = purpose.iter().any(|whole| within(&range, whole));
        assert!(fits, "{range:?} in `{line}`");
        assert!(!within(&range, &GATE), "{line}");
    }
}

/// The table of causes that ships was learnt from the seeds that are for learning.
#[test]
fn what_ships_was_learnt_from_the_seeds_for_learning() {
    let table = page("crates/showcase/agents/knowledge/in-force.txt");
    let (_, after) = table.split_once("from seeds ").unwrap();
    let range = after.split(',').next().unwrap();
    let (first, last) = range.split_once("..").unwrap();
    let range = first.parse().unwrap()..=last.parse().unwrap();
    assert!(within(&range, &LEARNT), "{range:?}");
}

/// Each assumption about people stands on the page with the range that the code takes.
#[test]
fn the_page_lists_every_assumed_duration() {
    let page = page("docs/score.md");
    for step in PracticeStep::ALL {
        let range = |(low, high): (f64, f64)| match low == high {
            true => low.to_string(),
            false => format!("{low}–{high}"),
        };
        let [usual, low, high] = [step.usual(), step.low(), step.high()].map(range);
        let row = format!("| `{}` | {usual} | {low} | {high} | ", step.as_str());
        assert!(page.contains(&row), "no row begins with {row}");
    }
}

/// README shows no figure of the agents that the page on the score does not.
#[test]
fn figures_of_readme_are_those_of_the_page() {
    let shown = |text: &str| -> BTreeSet<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let percent = words.windows(2).filter(|pair| pair[1].starts_with('%'));
        let numbers = percent.map(|pair| pair[0].trim_matches(|c: char| !c.is_ascii_digit()));
        numbers.map(str::to_owned).collect()
    };
    let (readme, page) = (shown(&page("README.md")), shown(&page("docs/score.md")));
    let unknown: Vec<&String> = readme.difference(&page).collect();
    assert!(unknown.is_empty(), "docs/score.md lacks {unknown:?}");
    assert!(!page.is_empty());
}
