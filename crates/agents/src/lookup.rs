//! Which elements a text in natural language names.
//!
//! Case does not matter, nor does the order of words: an element is named by its identifier, by
//! the part behind the kind (`BE-017`, `Berlin/2`), or by its kind and its place together. Terms
//! that the publisher explains (`term-explains`, draft §5.2) are read as explained.
//! Read next: [`crate::resource_copilot`], which answers about what was found.

use domain::content::Content;
use domain::inventory::{Element, ElementId, ElementKind, Inventory};

/// A text as it was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The elements named, surest first.
    pub elements: Vec<ElementId>,
    /// The publisher's terms that stand in the text, with their explanations.
    pub terms: Vec<(String, String)>,
}

impl Reading {
    /// `text`, led by how terms were read, so that whoever used them sees it.
    pub fn before(&self, text: &str) -> String {
        let terms = self.terms.iter();
        let read = terms.map(|(term, meaning)| format!("'{term}' is read as '{meaning}'. "));
        read.chain([text.to_owned()]).collect()
    }
}

/// Reads the words of a content: its target object, its description, and the words to a judgement.
pub fn read(inventory: &Inventory, content: &Content) -> Reading {
    let words = content.result.as_deref().unwrap_or_default();
    let text = [&content.target_object, &content.task_description, words].join("\n");
    let mut text = text.to_lowercase();
    let mut terms = Vec::new();
    for (term, meaning) in &content.terms {
        let explained = with_word_replaced(&text, &term.to_lowercase(), &meaning.to_lowercase());
        if explained != text {
            text = explained;
            terms.push((term.clone(), meaning.clone()));
        }
    }
    Reading {
        elements: named(inventory, &text),
        terms,
    }
}

/// The elements that `text` names, surest first: by identifier, by name (longest first), then by
/// kind and place ("the router in Leipzig").
pub fn named(inventory: &Inventory, text: &str) -> Vec<ElementId> {
    let text = text.to_lowercase();
    let mut found: Vec<(u8, usize, &ElementId)> = Vec::new();
    for element in inventory.elements.values() {
        if let Some((sureness, length)) = match_of(element, &text) {
            found.push((sureness, length, &element.id));
        }
    }
    found.sort_by(|x, y| (y.0, y.1).cmp(&(x.0, x.1)).then_with(|| x.2.cmp(y.2)));
    found.into_iter().map(|(_, _, id)| id.clone()).collect()
}

/// How surely, and with how long a name, `text` (in lower case) names `element`.
fn match_of(element: &Element, text: &str) -> Option<(u8, usize)> {
    let id = element.id.as_str().to_lowercase();
    if contains_word(text, &id) {
        return Some((3, id.len()));
    }
    let name = id.split_once(':').map_or(id.as_str(), |(_, name)| name);
    let kind_named = kind_words(element.kind)
        .iter()
        .any(|w| contains_word(text, w));
    // "Berlin" alone is a place; "router Berlin" is a router.
    let distinctive = name
        .bytes()
        .any(|b| b.is_ascii_digit() || b == b'-' || b == b'/');
    if contains_word(text, name) && (distinctive || kind_named) {
        return Some((2, name.len()));
    }
    let place = element.place.to_lowercase();
    let by_place = kind_named && !place.is_empty() && contains_word(text, &place);
    by_place.then_some((1, place.len()))
}

/// What people call a kind.
fn kind_words(kind: ElementKind) -> &'static [&'static str] {
    match kind {
        ElementKind::Router => &["router", "routers"],
        ElementKind::LineCard => &["card", "cards", "line card"],
        ElementKind::Link => &["link", "links", "fibre", "fiber"],
        ElementKind::Duct => &["duct", "ducts", "trench"],
        ElementKind::Site => &["site", "sites", "station", "base station"],
        ElementKind::PowerZone => &["zone", "zones", "power zone", "mains"],
        ElementKind::Optic => &["optic", "optical module", "transceiver"],
        ElementKind::Cell => &["cell", "cells"],
    }
}

/// True if `word` stands in `text` and not inside a longer name.
fn contains_word(text: &str, word: &str) -> bool {
    places_of(text, word).next().is_some()
}

/// `text` with every `word` in it replaced.
fn with_word_replaced(text: &str, word: &str, by: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut taken = 0;
    for at in places_of(text, word) {
        replaced.push_str(&text[taken..at]);
        replaced.push_str(by);
        taken = at + word.len();
    }
    replaced + &text[taken..]
}

/// Where `word` stands in `text` and not inside a longer name.
fn places_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | ':' | '_');
    let places = text.match_indices(word).filter(|_| !word.is_empty());
    let alone = move |at: usize| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + word.len()..].chars();
        let next = after.next();
        // "site:BE-017: what is it?": a colon that ends a name is punctuation.
        let punctuation = matches!(next, Some(':' | '-' | '/'))
            && after.next().is_none_or(|c| !c.is_alphanumeric());
        before.is_none_or(|c| !joins(c)) && (next.is_none_or(|c| !joins(c)) || punctuation)
    };
    places.map(|(at, _)| at).filter(move |at| alone(*at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Net;

    fn first(text: &str) -> Option<String> {
        let found = named(&Net::town().inventory(), text);
        found.first().map(|e| e.to_string())
    }

    #[test]
    fn elements_are_found_by_id_name_and_place() {
        for (text, expected) in [
            ("What is site:b3?", Some("site:b3")),
            ("what hangs on ROUTER:b", Some("router:B")),
            ("Tell me about card B/1.", Some("card:B/1")),
            ("is B/1: hot?", Some("card:B/1")),
            ("How is the router in Bonn?", Some("router:B")),
            ("the link B-b1 is dark", Some("link:B-b1")),
            ("B-b11", None),
            ("hello there", None),
            ("", None),
        ] {
            assert_eq!(first(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_term_that_stands_for_an_element_or_a_place_is_read_as_explained() {
        let mut content = Content::new("the Old Lady", "How is the router in BN? Not in BNX.");
        content.terms = [
            ("old lady", "card:B/1"),
            ("BN", "Bonn"),
            ("unused", "router:A"),
        ]
        .map(|(term, meaning)| (term.to_owned(), meaning.to_owned()))
        .into();
        let reading = read(&Net::town().inventory(), &content);
        let named: Vec<&str> = reading.elements.iter().map(ElementId::as_str).collect();
        assert_eq!(&named[..2], ["card:B/1", "router:B"]);
        assert_eq!(
            reading.before("Measuring."),
            "'old lady' is read as 'card:B/1'. 'BN' is read as 'Bonn'. Measuring."
        );
    }
}
