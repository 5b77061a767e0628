//! Structural comparison of documents: names with their namespaces, attributes, the order of
//! siblings, text. And pretty-printing for people.
//!
//! In expectations
//! - `*` in a text or an attribute stands for any text, also in the middle of one;
//! - `{{name}}` stands for any text the first time, which is then remembered, and for that same
//!   text from then on;
//! - the element `rest` of [`NAMESPACE`] stands for any number of siblings.
//!
//! Read next: [`crate::conformance`].

use netconf::xml::{Limits, XmlDocument, XmlElement, write};
use std::collections::BTreeMap;

/// The namespace of `rest`.
pub const NAMESPACE: &str = "urn:convoke:test";

/// Texts remembered by name.
pub type Names = BTreeMap<String, String>;

/// Parses a server's message.
///
/// # Errors
/// The parse error, for people.
pub fn parse(text: &str) -> Result<XmlDocument, String> {
    XmlDocument::parse(text.trim().as_bytes().to_vec(), &Limits::client())
        .map_err(|e| e.to_string())
}

/// Compares a document with what was expected.
///
/// # Errors
/// The first difference: the place, the expected and the actual content.
pub fn compare(expected: &str, actual: &str, names: &mut Names) -> Result<(), String> {
    let expected = parse(expected).map_err(|e| format!("the expectation is not XML: {e}"))?;
    let actual = parse(actual).map_err(|e| format!("the message is not XML: {e}"))?;
    elements(expected.root(), actual.root(), "", names)
}

fn elements(
    expected: XmlElement<'_>,
    actual: XmlElement<'_>,
    above: &str,
    names: &mut Names,
) -> Result<(), String> {
    let path = format!("{above}/{}", expected.name());
    if (expected.namespace(), expected.name()) != (actual.namespace(), actual.name()) {
        return Err(format!(
            "{above}: expected <{}> of {}, found <{}> of {}",
            expected.name(),
            expected.namespace(),
            actual.name(),
            actual.namespace()
        ));
    }
    attributes(expected, actual, &path, names)?;
    if expected.has_children() || actual.has_children() {
        let (expected, actual): (Vec<_>, Vec<_>) =
            (expected.children().collect(), actual.children().collect());
        return siblings(&expected, &actual, &path, names);
    }
    match text(expected.trimmed_text(), actual.trimmed_text(), names) {
        true => Ok(()),
        false => Err(format!(
            "{path}: expected \"{}\", found \"{}\"",
            expected.trimmed_text(),
            actual.trimmed_text()
        )),
    }
}

fn attributes(
    expected: XmlElement<'_>,
    actual: XmlElement<'_>,
    path: &str,
    names: &mut Names,
) -> Result<(), String> {
    if expected.attributes().len() != actual.attributes().len() {
        let found: Vec<&str> = actual.attributes().map(|a| a.name).collect();
        return Err(format!("{path}: found the attributes {found:?}"));
    }
    for wanted in expected.attributes() {
        match actual.attribute(wanted.namespace, wanted.name) {
            Some(value) if text(wanted.value, value, names) => {}
            found => {
                return Err(format!(
                    "{path}: attribute {} expected \"{}\", found {found:?}",
                    wanted.name, wanted.value
                ));
            }
        }
    }
    Ok(())
}

fn siblings(
    expected: &[XmlElement<'_>],
    actual: &[XmlElement<'_>],
    path: &str,
    names: &mut Names,
) -> Result<(), String> {
    match (expected.split_first(), actual.split_first()) {
        (None, None) => Ok(()),
        (Some((rest, after)), _) if rest.is(NAMESPACE, "rest") => (0..=actual.len())
            .find_map(|skipped| {
                let mut tried = names.clone();
                siblings(after, &actual[skipped..], path, &mut tried).ok()?;
                *names = tried;
                Some(())
            })
            .ok_or_else(|| match after.first() {
                Some(next) => format!("{path}: no sibling is <{}> as expected", next.name()),
                None => format!("{path}: more than expected"),
            }),
        (Some((wanted, after)), Some((found, left))) => {
            elements(*wanted, *found, path, names)?;
            siblings(after, left, path, names)
        }
        (Some((wanted, _)), None) => Err(format!("{path}: <{}> is missing", wanted.name())),
        (None, Some((found, _))) => Err(format!("{path}: <{}> was not expected", found.name())),
    }
}

/// True if the text matches the pattern; remembers names.
fn text(pattern: &str, actual: &str, names: &mut Names) -> bool {
    if let Some((before, rest)) = pattern.split_once("{{")
        && let Some((name, after)) = rest.split_once("}}")
    {
        if let Some(known) = names.get(name) {
            let resolved = format!("{before}{known}{after}");
            return text(&resolved, actual, names);
        }
        let value = actual
            .strip_prefix(before)
            .and_then(|a| a.strip_suffix(after));
        if let Some(value) = value {
            names.insert(name.to_owned(), value.to_owned());
        }
        return value.is_some();
    }
    glob(pattern, actual)
}

fn glob(pattern: &str, actual: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == actual,
        Some((before, after)) => actual.strip_prefix(before).is_some_and(|left| {
            let mut starts = left.char_indices().map(|(at, _)| at).chain([left.len()]);
            starts.any(|at| glob(after, &left[at..]))
        }),
    }
}

/// Replaces names by the texts remembered.
pub fn resolve(text: &str, names: &Names) -> String {
    names.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{{{name}}}}}"), value)
    })
}

/// The document with one element per line, default namespaces only, and `*` for values that differ
/// from run to run: a draft of an expectation.
pub fn draft(actual: &str) -> Result<String, String> {
    let document = parse(actual)?;
    let mut out = Vec::new();
    draw(document.root(), 0, "", &mut out);
    String::from_utf8(out).map_err(|e| e.to_string())
}

fn draw(element: XmlElement<'_>, depth: usize, namespace: &str, out: &mut Vec<u8>) {
    let indent = "  ".repeat(depth);
    out.extend_from_slice(indent.as_bytes());
    out.push(b'<');
    out.extend_from_slice(element.name().as_bytes());
    if element.namespace() != namespace {
        write::attribute("xmlns", element.namespace(), out);
    }
    for (prefix, uri) in element.declarations().filter(|(p, _)| !p.is_empty()) {
        write::attribute(&format!("xmlns:{prefix}"), uri, out);
    }
    for attribute in element.attributes() {
        let name = match attribute.prefix {
            "" => attribute.name.to_owned(),
            prefix => format!("{prefix}:{}", attribute.name),
        };
        write::attribute(&name, attribute.value, out);
    }
    if element.has_children() {
        out.extend_from_slice(b">\n");
        for child in element.children() {
            draw(child, depth + 1, element.namespace(), out);
        }
        out.extend_from_slice(indent.as_bytes());
    } else if element.text().is_empty() {
        out.extend_from_slice(b"/>\n");
        return;
    } else {
        out.push(b'>');
        write::text(&steady(element.text()), out);
    }
    out.extend_from_slice(b"</");
    out.extend_from_slice(element.name().as_bytes());
    out.extend_from_slice(b">\n");
}

/// Replaces times of day and long numbers, which come from the clock, by `*`.
fn steady(text: &str) -> String {
    let words: Vec<String> = text
        .split_inclusive([' ', '\n'])
        .map(|word| {
            let bare = word.trim_end_matches([' ', '\n', ',', ';']);
            let time = bare.len() >= 20 && domain::time::Timestamp::parse(bare).is_ok();
            if time {
                return word.replace(bare, "*");
            }
            match word.find(|c: char| c.is_ascii_digit()) {
                Some(at) if word[at..].bytes().take_while(u8::is_ascii_digit).count() >= 12 => {
                    format!("{}*", &word[..at])
                }
                _ => word.to_owned(),
            }
        })
        .collect();
    words.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(expected: &str, actual: &str) -> Result<(), String> {
        compare(expected, actual, &mut Names::new())
    }

    #[test]
    fn prefixes_do_not_matter_and_namespaces_do() {
        assert_eq!(
            same("<a xmlns='u'><b/></a>", "<p:a xmlns:p='u'><p:b/></p:a>"),
            Ok(())
        );
        assert!(same("<a xmlns='u'/>", "<a xmlns='v'/>").is_err());
        assert!(same("<a><b/><c/></a>", "<a><c/><b/></a>").is_err());
        assert!(same("<a><b/></a>", "<a><b/><b/></a>").is_err());
        assert!(same("<a x='1'/>", "<a x='2'/>").is_err());
        assert!(same("<a/>", "<a x='2'/>").is_err());
    }

    #[test]
    fn wildcards_stand_for_text_names_for_the_same_text_and_rest_for_siblings() {
        assert_eq!(same("<a>x*z</a>", "<a>xyz</a>"), Ok(()));
        assert!(same("<a>x*z</a>", "<a>xy</a>").is_err());
        assert_eq!(
            same("<a><b>{{n}}</b><b>{{n}}</b></a>", "<a><b>1</b><b>1</b></a>"),
            Ok(())
        );
        assert!(same("<a><b>{{n}}</b><b>{{n}}</b></a>", "<a><b>1</b><b>2</b></a>").is_err());
        let rest = "<a xmlns:t='urn:convoke:test'><t:rest/><c/><t:rest/></a>";
        assert_eq!(same(rest, "<a><b/><b/><c/><d/></a>"), Ok(()));
        assert!(same(rest, "<a><b/><d/></a>").is_err());
    }

    #[test]
    fn a_draft_matches_what_it_was_drawn_from() -> Result<(), String> {
        let said = "<p:a xmlns:p='u' xmlns:q='w' x='1' q:y='2'><p:b>2026-11-21T08:00:00.000Z</p:b>\
                    <c xmlns='v'>one &lt; two</c><c xmlns='v'/></p:a>";
        same(&draft(said)?, said)
    }
}
