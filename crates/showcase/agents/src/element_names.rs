//! The elements that a text in natural language names.
//!
//! Case does not matter, nor does the order of words: an element is named by its identifier, by
//! the part behind the kind (`BE-017`, `Berlin/2`), or by its kind and its place together. Terms
//! that the publisher explains (`term-explains`, draft §5.2) are read as explained.
//! Read next: [`crate::resource_copilot`], which answers about what was found.

use domain::content::Content;
use domain::inventory::{ElementId, ElementKind, Inventory};
use language::dictionary::Dictionary;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A text as it was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedElements {
    /// The elements named, surest first.
    pub elements: Vec<ElementId>,
    /// The publisher's terms that stand in the text, with their explanations.
    pub terms: Vec<(String, String)>,
}

impl NamedElements {
    /// `text`, led by how terms were read, so that whoever used them sees it.
    pub fn before(&self, text: &str) -> String {
        let terms = self.terms.iter();
        let read = terms.map(|(term, meaning)| format!("'{term}' is read as '{meaning}'. "));
        read.chain([text.to_owned()]).collect()
    }
}

/// The most terms of a content that are read as explained; the others stand as they are.
const TERMS_MAX: usize = 100;
/// By how many bytes explanations may lengthen a text; what would lengthen it further is left out.
const LENGTHENED_MAX: usize = 64 * 1024;
/// The number of bytes of a text that are read; what stands behind them names nothing. Each term
/// goes through all of them, and a step that does not come back in time costs everybody the tasks
/// of its agent.
const TEXT_MAX: usize = 64 * 1024;

/// Reads the words of a content: its target object, its description, and the words to a judgement.
pub fn read(names: &ElementNames, content: &Content) -> NamedElements {
    let words = content.result.as_deref().unwrap_or_default();
    let text = [&content.target_object, &content.task_description, words].join("\n");
    let mut text = beginning(&text).to_lowercase();
    let longest = text.len() + LENGTHENED_MAX;
    let mut terms = Vec::new();
    for (term, meaning) in content.terms.iter().take(TERMS_MAX) {
        let (word, by) = (term.to_lowercase(), meaning.to_lowercase());
        let explained = with_word_replaced(&text, &word, &by, longest);
        if explained != text {
            text = explained;
            terms.push((term.clone(), meaning.clone()));
        }
    }
    NamedElements {
        elements: names.named(&text),
        terms,
    }
}

/// As much of a text as is read.
pub fn beginning(text: &str) -> &str {
    let end = text.len().min(TEXT_MAX);
    let end = (0..=end).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// The names of the elements of an inventory: a text is gone through once, however many there are.
#[derive(Clone, Debug)]
pub struct ElementNames {
    ids: Arc<[ElementId]>,
    /// The words that may stand in a text, in lower case.
    words: Dictionary<Meaning>,
}

/// A meaning that a word in a text may have. Elements go by their place among the identifiers.
#[derive(Clone, Debug)]
enum Meaning {
    /// The element with this identifier.
    Identifier(usize),
    /// The element whose identifier says this behind its kind.
    Name {
        element: usize,
        kind: ElementKind,
        /// "Berlin" alone is a place; "router Berlin" is a router.
        distinctive: bool,
    },
    /// The elements of a kind that stand there.
    Place(ElementKind, Vec<usize>),
    /// Elements of this kind.
    Kind(ElementKind),
}

impl ElementNames {
    /// The names of what is in `inventory`, of which `ids` are all identifiers in their order.
    pub fn new(inventory: &Inventory, ids: Arc<[ElementId]>) -> Self {
        let mut words = Dictionary::default();
        let mut places: BTreeMap<(String, ElementKind), Vec<usize>> = BTreeMap::new();
        for (element, (id, documented)) in inventory.elements.iter().enumerate() {
            let (id, kind) = (id.as_str().to_lowercase(), documented.kind);
            let name = id.split_once(':').map_or(id.as_str(), |(_, name)| name);
            let marks = |b: u8| b.is_ascii_digit() || b == b'-' || b == b'/';
            let distinctive = name.bytes().any(marks);
            words.add(
                name,
                Meaning::Name {
                    element,
                    kind,
                    distinctive,
                },
            );
            words.add(&id, Meaning::Identifier(element));
            let place = (documented.place.to_lowercase(), kind);
            places.entry(place).or_default().push(element);
        }
        for ((place, kind), there) in places {
            words.add(&place, Meaning::Place(kind, there));
        }
        for kind in KINDS {
            for word in kind_words(kind) {
                words.add(word, Meaning::Kind(kind));
            }
        }
        Self { ids, words }
    }

    /// The elements that `text` names, surest first: by identifier, by name (longest first), then by
    /// kind and place ("the router in Leipzig").
    pub fn named(&self, text: &str) -> Vec<ElementId> {
        let text = text.to_lowercase();
        let standing = self.standing_in(&text);
        let meanings = || {
            let words = standing.iter();
            words.flat_map(|(word, meanings)| meanings.iter().map(|m| (word.len(), m)))
        };
        let kinds: BTreeSet<ElementKind> = meanings()
            .filter_map(|(_, meaning)| match meaning {
                Meaning::Kind(kind) => Some(*kind),
                _ => None,
            })
            .collect();
        let mut found: BTreeMap<usize, (u8, usize)> = BTreeMap::new();
        let mut find = |element: usize, sureness: u8, length: usize| {
            let known = found.entry(element).or_default();
            *known = (*known).max((sureness, length));
        };
        for (length, meaning) in meanings() {
            match meaning {
                Meaning::Identifier(element) => find(*element, 3, length),
                Meaning::Name {
                    element,
                    kind,
                    distinctive,
                } if *distinctive || kinds.contains(kind) => find(*element, 2, length),
                Meaning::Place(kind, there) if kinds.contains(kind) => {
                    there.iter().for_each(|element| find(*element, 1, length));
                }
                Meaning::Name { .. } | Meaning::Place(..) | Meaning::Kind(_) => {}
            }
        }
        let mut found: Vec<(usize, (u8, usize))> = found.into_iter().collect();
        found.sort_by(|x, y| y.1.cmp(&x.1).then_with(|| x.0.cmp(&y.0)));
        let ids = found.into_iter().map(|(element, _)| &self.ids[element]);
        ids.cloned().collect()
    }

    /// The words that stand in `text` (in lower case), and not inside longer ones.
    fn standing_in(&self, text: &str) -> BTreeMap<&str, &[Meaning]> {
        let mut standing = BTreeMap::new();
        let mut before = None;
        for (at, c) in text.char_indices() {
            if before.is_none_or(|b| !joins(b)) {
                let rest = &text[at..];
                let begun = self.words.beginning(rest);
                standing.extend(begun.filter(|(word, _)| ends_at(rest, word.len())));
            }
            before = Some(c);
        }
        standing
    }
}

/// Every kind.
const KINDS: [ElementKind; 8] = [
    ElementKind::Router,
    ElementKind::LineCard,
    ElementKind::Link,
    ElementKind::Duct,
    ElementKind::Site,
    ElementKind::PowerZone,
    ElementKind::Optic,
    ElementKind::Cell,
];

/// The words by which people call a kind.
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

/// `text` with every `word` in it replaced; as it was where that would be longer than `longest` bytes.
fn with_word_replaced(text: &str, word: &str, by: &str, longest: usize) -> String {
    let longer_by = places_of(text, word).count() * by.len().saturating_sub(word.len());
    let mut replaced = String::with_capacity(text.len());
    let mut taken = 0;
    if text.len() + longer_by <= longest {
        for at in places_of(text, word) {
            replaced.push_str(&text[taken..at]);
            replaced.push_str(by);
            taken = at + word.len();
        }
    }
    replaced + &text[taken..]
}

/// The places at which `word` stands in `text` and not inside a longer name.
fn places_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let places = text.match_indices(word).filter(|_| !word.is_empty());
    let alone = move |at: usize| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !joins(c)) && ends_at(text, at + word.len())
    };
    places.map(|(at, _)| at).filter(move |at| alone(*at))
}

/// True if a name goes on with `c`.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '/' | ':' | '_')
}

/// True if a name that stands in `text` up to `end` does not go on.
fn ends_at(text: &str, end: usize) -> bool {
    let mut after = text[end..].chars();
    let next = after.next();
    // "site:BE-017: what is it?": a colon that ends a name is punctuation.
    let punctuation =
        matches!(next, Some(':' | '-' | '/')) && after.next().is_none_or(|c| !c.is_alphanumeric());
    next.is_none_or(|c| !joins(c)) || punctuation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Net;

    fn names_of(inventory: &Inventory) -> ElementNames {
        ElementNames::new(inventory, inventory.elements.keys().cloned().collect())
    }

    fn first(text: &str) -> Option<String> {
        let found = names_of(&Net::town().inventory()).named(text);
        found.first().map(|e| e.to_string())
    }

    /// The reading that [`ElementNames::named`] is to find, said element by element.
    fn named_one_by_one(inventory: &Inventory, text: &str) -> Vec<ElementId> {
        let text = text.to_lowercase();
        let stands = |word: &str| places_of(&text, word).next().is_some();
        let sureness = |element: &domain::inventory::Element| {
            let id = element.id.as_str().to_lowercase();
            let name = id.split_once(':').map_or(id.as_str(), |(_, name)| name);
            let kind_named = kind_words(element.kind).iter().any(|w| stands(w));
            let marks = |c: char| c.is_ascii_digit() || c == '-' || c == '/';
            let place = element.place.to_lowercase();
            match () {
                () if stands(&id) => Some((3, id.len())),
                () if stands(name) && (name.contains(marks) || kind_named) => Some((2, name.len())),
                () if kind_named && stands(&place) => Some((1, place.len())),
                () => None,
            }
        };
        let elements = inventory.elements.values();
        let mut found: Vec<_> = elements
            .filter_map(|e| Some((sureness(e)?, &e.id)))
            .collect();
        found.sort_by(|x, y| y.0.cmp(&x.0).then_with(|| x.1.cmp(y.1)));
        found.into_iter().map(|(_, id)| id.clone()).collect()
    }

    proptest::proptest! {
        #[test]
        fn a_text_gone_through_once_names_what_it_names_element_by_element(
            picks in proptest::collection::vec((0usize..80, 0usize..12), 0..10)
        ) {
            let inventory = Net::town().with_optics().inventory();
            let ids: Vec<&str> = inventory.elements.keys().map(ElementId::as_str).collect();
            let others = [
                "Bonn", "router", "line card", "the", "b", "base station", "B/1:", "-", "C", "sites",
            ];
            let gaps = [" ", ", ", ": ", "/", "\n", "-", "", "?", ":", " of ", "_", " in "];
            let mut text = String::new();
            for (pick, gap) in picks {
                let word = ids.get(pick).or_else(|| others.get(pick % others.len()));
                let word = word.map_or("", |w| w);
                // Every other identifier without its kind.
                text += if pick % 2 == 0 { word } else { word.rsplit(':').next().unwrap_or("") };
                text += gaps[gap];
            }
            proptest::prop_assert_eq!(
                names_of(&inventory).named(&text),
                named_one_by_one(&inventory, &text),
                "{}", text
            );
        }
    }

    /// Thirty terms, each of which doubles the text, would make a gigabyte of it.
    #[test]
    fn explanations_that_double_a_text_lengthen_it_by_so_much_only() {
        let mut content = Content::new("x0", "x0");
        content.terms = (0..30)
            .map(|n| (format!("x{n}"), format!("x{} x{}", n + 1, n + 1)))
            .collect();
        let reading = read(&names_of(&Net::town().inventory()), &content);
        assert!(reading.terms.len() < 16, "{}", reading.terms.len());
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
        let reading = read(&names_of(&Net::town().inventory()), &content);
        let named: Vec<&str> = reading.elements.iter().map(ElementId::as_str).collect();
        assert_eq!(&named[..2], ["card:B/1", "router:B"]);
        assert_eq!(
            reading.before("Measuring."),
            "'old lady' is read as 'card:B/1'. 'BN' is read as 'Bonn'. Measuring."
        );
    }
}
