//! A checklist compared with the tests: each point names its proofs, which must exist and name the
//! point.
//!
//! A point is proved by a case of `conformance/` whose `proves` names it, or by a test that the
//! table names and that names the point in its doc comment (`D68`, `D73 to D75`) or its function
//! name. The tables are `tests/tests/checklist.rs`, `checklist_schemas.rs` and `checklist_a2a.rs`.

use crate::conformance;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A point: its number, requirement and proof.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The number, such as `W5` or `D68`.
    pub number: &'static str,
    /// The requirement in a few words, with its section.
    pub what: &'static str,
    /// The proof.
    pub proof: Proof,
}

/// The proof of a point.
#[derive(Clone, Copy, Debug)]
pub enum Proof {
    /// Tests, as file and function, in addition to the cases that name it.
    Tests(&'static [(&'static str, &'static str)]),
    /// None is possible, for this reason.
    Nothing(&'static str),
}

/// A point with the tests that prove it in addition to the cases.
pub const fn point(
    number: &'static str,
    what: &'static str,
    tests: &'static [(&'static str, &'static str)],
) -> Point {
    Point {
        number,
        what,
        proof: Proof::Tests(tests),
    }
}

/// A point that cannot be proved, with the reason.
pub const fn untestable(number: &'static str, what: &'static str, why: &'static str) -> Point {
    Point {
        number,
        what,
        proof: Proof::Nothing(why),
    }
}

/// A table: `NUMBER REQUIREMENT { FILE: TEST, …; … }`, or `[REASON]` if it cannot be proved.
#[macro_export]
macro_rules! points {
    ($($number:literal $what:literal $proof:tt)*) => { &[$($crate::points!(@ $number $what $proof)),*] };
    (@ $number:literal $what:literal { $($file:ident: $($test:ident),+;)* }) => {
        $crate::checklist::point($number, $what, &[$($(($file, stringify!($test))),+),*])
    };
    (@ $number:literal $what:literal [$why:literal]) => { $crate::checklist::untestable($number, $what, $why) };
}

/// All errors of a table, one line each: points without proof, tests that do not exist or do not
/// name their point, and cases that name unknown points with the same first letters.
pub fn faults(points: &[Point]) -> Vec<String> {
    let cases = cases();
    let mut faults: Vec<String> = points
        .iter()
        .flat_map(|point| faults_of(point, &cases))
        .collect();
    let known: BTreeSet<&str> = points.iter().map(|p| p.number).collect();
    let letters: BTreeSet<char> = known.iter().filter_map(|n| n.chars().next()).collect();
    let ours = |number: &&String| number.starts_with(|c| letters.contains(&c));
    let unknown = cases
        .keys()
        .filter(ours)
        .filter(|n| !known.contains(n.as_str()));
    faults.extend(unknown.map(|n| format!("{n} is no point, but proved by {:?}", cases[n])));
    faults
}

/// The points that cases prove, each with the cases.
pub fn cases() -> BTreeMap<String, BTreeSet<String>> {
    let mut proofs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in conformance::cases(&conformance::directory()) {
        for point in case.description.proves {
            proofs.entry(point).or_default().insert(case.name.clone());
        }
    }
    proofs
}

fn faults_of(point: &Point, cases: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let Point { number, what, .. } = point;
    let tests = match point.proof {
        Proof::Tests(tests) => tests,
        Proof::Nothing("") => return vec![format!("{number}: says not why")],
        Proof::Nothing(_) => return Vec::new(),
    };
    if tests.is_empty() && !cases.contains_key(*number) {
        return vec![format!("{number}: nothing proves: {what}")];
    }
    let fault = |(file, test): &(&str, &str)| match said_by(&root().join(file), test) {
        None => Some(format!("{number}: {file} has no test {test}")),
        Some(said) if named(&said).contains(*number) => None,
        Some(_) => Some(format!("{number}: {test} of {file} does not name it")),
    };
    tests.iter().filter_map(fault).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The doc comment and name of a test; none if the file has no such test.
fn said_by(file: &Path, test: &str) -> Option<String> {
    let source = std::fs::read_to_string(file).ok()?;
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let starts = [format!("fn {test}("), format!("async fn {test}(")];
    let at = lines
        .iter()
        .position(|line| starts.iter().any(|start| line.starts_with(start)))?;
    let above: Vec<&str> = lines[..at]
        .iter()
        .rev()
        .take_while(|line| line.starts_with("///") || line.starts_with("#["))
        .copied()
        .collect();
    let is_test = |line: &&str| line.starts_with("#[test]") || line.contains("::test");
    above.iter().any(is_test).then(|| {
        let docs = above.iter().rev().filter(|line| line.starts_with("///"));
        docs.fold(test.to_owned(), |said, line| said + " " + line)
    })
}

/// The points named in a text: `D68`, and all of `D73 to D75`.
fn named(text: &str) -> BTreeSet<String> {
    let text = text.replace('–', " to ");
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut named = BTreeSet::new();
    for (i, word) in words.iter().enumerate() {
        let Some((letter, last)) = number(word) else {
            continue;
        };
        let first = match i >= 2 && words[i - 1] == "to" {
            true => number(words[i - 2]).filter(|(l, _)| *l == letter),
            false => None,
        };
        let first = first.map_or(last, |(_, first)| first);
        named.extend((first..=last).map(|n| format!("{letter}{n}")));
    }
    named
}

/// Splits `D68` into its letter and its number.
fn number(word: &str) -> Option<(char, u32)> {
    let letter = word.chars().next().filter(char::is_ascii_alphabetic)?;
    let digits = &word[1..];
    let counts = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let letter = letter.to_ascii_uppercase();
    counts.then(|| Some((letter, digits.parse().ok()?)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found_in_words() {
        let found = |text: &str| named(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(
            found("D68, D73 to D75: half of D1; Q3–Q4"),
            "D1 D68 D73 D74 D75 Q3 Q4"
        );
        assert_eq!(found("d63_needs_no_model"), "D63");
        assert_eq!(found("RFC 6241 §7.5, H2O, to D2, W"), "D2");
    }

    #[test]
    fn a_table_is_held_to_its_word() {
        let here = "tests/src/checklist.rs";
        let told = |points: &[Point]| faults(points).join("\n");
        const PRESENT: &[(&str, &str)] = &[("tests/src/checklist.rs", "proves_z1")];
        const ABSENT: &[(&str, &str)] = &[("tests/src/checklist.rs", "is_not_there")];
        assert_eq!(told(&[point("Z1", "a", PRESENT)]), "");
        assert_eq!(told(&[untestable("Z4", "d", "words")]), "");
        assert_eq!(
            told(&[
                point("Z2", "b", PRESENT),
                point("Z1", "a", ABSENT),
                point("Z3", "c", &[]),
                untestable("Z4", "d", ""),
            ]),
            format!(
                "Z2: proves_z1 of {here} does not name it\nZ1: {here} has no test is_not_there\n\
                 Z3: nothing proves: c\nZ4: says not why"
            )
        );
    }

    #[test]
    fn proves_z1() {}
}
