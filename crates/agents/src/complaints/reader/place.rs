//! Where it happened, and whether the vehicle had come from elsewhere.
//!
//! Towns are those of the inventory under all the names that people use ([`domain::gazetteer`]). A
//! town behind "from" or "leaving" is where the vehicle came from; it happened at the other one.

use super::is_chinese;
use super::tokens::alike;
use domain::gazetteer::{chinese, folded, others};
use domain::inventory::{ElementKind, Inventory};
use std::collections::BTreeSet;

/// Names shorter than this have to be typed rightly.
const FORGIVEN: usize = 6;

/// What a text says of places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Where it happened.
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

pub(super) fn read(inventory: &Inventory, text: &str) -> Places {
    let text = folded(text);
    let towns = towns(inventory);
    let mut named: Vec<Named<'_>> = towns.iter().flat_map(|t| mentions(&text, t)).collect();
    if named.is_empty() {
        named = towns.iter().filter_map(|t| mistyped(&text, t)).collect();
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
        let next = |at: usize| named.binary_search_by_key(&at, |n| n.at).is_ok();
        on.is_some_and(|to| next(end + to.len()))
    };
    let origin = |n: &&Named<'_>| is_origin(&text[..n.at]) || leads_on(n);
    let left = named.iter().find(origin);
    let reached = named
        .iter()
        .find(|n| !origin(n) && left.is_none_or(|l| l.town != n.town));
    let happened = reached.or(left).map(|n| n.town.to_owned());
    Places {
        moved_to: happened
            .clone()
            .filter(|_| left.is_some() && reached.is_some()),
        happened,
    }
}

fn towns(inventory: &Inventory) -> BTreeSet<&str> {
    let routers = inventory
        .of_kind(ElementKind::Router)
        .map(|r| r.place.as_str());
    let known = inventory.provinces.keys().map(String::as_str);
    routers.chain(known).collect()
}

fn mentions<'a>(text: &str, town: &'a str) -> Vec<Named<'a>> {
    let latin = std::iter::once(town).chain(others(town).iter().copied());
    let latin = latin.map(folded);
    let names = latin.chain(chinese(town).map(str::to_owned));
    let found = names.flat_map(|name| {
        let whole = |at: &usize| is_han_name(&name) || stands_alone(text, *at, name.len());
        let places: Vec<usize> = text.match_indices(&name).map(|(at, _)| at).collect();
        let length = name.len();
        let places = places.into_iter().filter(whole).collect::<Vec<_>>();
        places.into_iter().map(move |at| Named { at, length, town })
    });
    found.collect()
}

fn is_han_name(name: &str) -> bool {
    is_chinese(name)
}

fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let joins = |c: char| c.is_ascii_alphanumeric();
    let before = text[..at].chars().next_back();
    let after = text[at + length..].chars().next();
    before.is_none_or(|c| !joins(c)) && after.is_none_or(|c| !joins(c))
}

/// A town of which the name is mistyped.
fn mistyped<'a>(text: &str, town: &'a str) -> Option<Named<'a>> {
    let name = folded(town);
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut typed = words.filter(|w| w.len() >= FORGIVEN && alike(w, &name));
    let word = typed.next()?;
    Some(Named {
        at: text.find(word)?,
        length: word.len(),
        town,
    })
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
