//! The place where it happened, and whether the vehicle had come from elsewhere.
//!
//! Towns are those of the inventory under all the names that people use ([`domain::gazetteer`]). A
//! town behind "from" or "leaving" is where the vehicle came from; it happened at the other one.

use super::is_chinese;
use super::tokens::standing;
use domain::gazetteer::{chinese, folded, others};
use domain::inventory::{ElementKind, Inventory};
use language::dictionary::Dictionary;
use language::word::alike;
use schema::steps::{GivenUp, ReadingBudget};
use std::collections::BTreeSet;

/// Names shorter than this have to be typed rightly.
const FORGIVEN: usize = 6;

/// The places that a text names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// The place where it happened.
    pub(super) happened: Option<String>,
    /// The same, if the vehicle had come there from elsewhere.
    pub(super) moved_to: Option<String>,
}

/// A town named in a text.
struct Named<'a> {
    at: usize,
    length: usize,
    town: &'a str,
}

pub(super) fn read(
    inventory: &Inventory,
    text: &str,
    work: &ReadingBudget<'_>,
) -> Result<Places, GivenUp> {
    work.take(text.len());
    let text = folded(text);
    let towns = towns(inventory);
    let mut named = mentions(&text, &towns, work)?;
    if named.is_empty() {
        named = mistyped(&text, &towns, work)?;
    }
    // "Bremerhaven" holds no "Bremen", but 不来梅港 holds 不来梅: the longest name at a place counts.
    named.sort_by_key(|n| (n.at, std::cmp::Reverse(n.length)));
    named.dedup_by_key(|n| n.at);
    // "Bremen to Hamburg" is on the way to Hamburg.
    let leads_on = |n: &Named<'_>| {
        let end = n.at + n.length;
        let on = ["-to-", "到"]
            .iter()
            .find(|to| text[end..].starts_with(**to));
        // They stand in order.
        let next = |at: usize| {
            let compared = |n: &Named<'_>| {
                work.take(1);
                n.at.cmp(&at)
            };
            named.binary_search_by(compared).is_ok()
        };
        on.is_some_and(|to| next(end + to.len()))
    };
    let origin = |n: &&Named<'_>| {
        work.take(1);
        is_origin(&text[..n.at]) || leads_on(n)
    };
    let left = named.iter().find(origin);
    let reached = named
        .iter()
        .find(|n| !origin(n) && left.is_none_or(|l| l.town != n.town));
    let happened = reached.or(left).map(|n| n.town.to_owned());
    Ok(Places {
        moved_to: happened
            .clone()
            .filter(|_| left.is_some() && reached.is_some()),
        happened,
    })
}

fn towns(inventory: &Inventory) -> BTreeSet<&str> {
    let routers = inventory
        .of_kind(ElementKind::Router)
        .map(|r| r.place.as_str());
    let known = inventory.provinces.keys().map(String::as_str);
    routers.chain(known).collect()
}

/// The places at which towns are named.
fn mentions<'a>(
    text: &str,
    towns: &BTreeSet<&'a str>,
    work: &ReadingBudget<'_>,
) -> Result<Vec<Named<'a>>, GivenUp> {
    let names = towns.iter().flat_map(|town| {
        let latin = std::iter::once(*town).chain(others(town).iter().copied());
        let names = latin.map(folded).chain(chinese(town).map(str::to_owned));
        names.map(move |name| (name, *town))
    });
    let names: Dictionary<&str> = names.collect();
    let found = standing(&names, text, work)?.into_iter();
    let whole =
        found.filter(|(at, name, _)| is_chinese(name) || stands_alone(text, *at, name.len()));
    let named = whole.map(|(at, name, town)| Named {
        at,
        length: name.len(),
        town,
    });
    Ok(named.collect())
}

fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let joins = |c: char| c.is_ascii_alphanumeric();
    let before = text[..at].chars().next_back();
    let after = text[at + length..].chars().next();
    before.is_none_or(|c| !joins(c)) && after.is_none_or(|c| !joins(c))
}

/// The towns whose names are mistyped, each where the first such word stands.
fn mistyped<'a>(
    text: &str,
    towns: &BTreeSet<&'a str>,
    work: &ReadingBudget<'_>,
) -> Result<Vec<Named<'a>>, GivenUp> {
    work.take(text.len());
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| word.len() >= FORGIVEN).collect();
    let mut named = Vec::new();
    for town in towns {
        work.may_go_on()?;
        work.take(words.len());
        let name = folded(town);
        let typed = words.iter().find(|word| alike(word, &name));
        if let Some((word, at)) = typed.and_then(|word| Some((word, text.find(word)?))) {
            work.take(at);
            named.push(Named {
                at,
                length: word.len(),
                town,
            });
        }
    }
    Ok(named)
}

/// True if what stands before a town makes it where somebody came from; blanks are hyphens here.
fn is_origin(before: &str) -> bool {
    let marks = [
        "from-",
        "from-the-",
        "left-",
        "leaving-",
        "leaving-the-",
        "从",
        "由",
        "离开",
        "离开了",
        "自",
    ];
    marks.iter().any(|mark| before.ends_with(mark))
}
