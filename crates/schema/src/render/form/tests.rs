//! Tests of `form.rs`: what is on the form, and that nothing of a template gets out of its place.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::render::fixture::{flight_booking, key, shape};
use crate::template::{Annotation, Description, Template};
use proptest::prelude::*;
use serde_json::json;

/// The elements of a document, in order, each with its attributes; panics unless it is well-formed.
fn elements(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut open: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut rest = html.trim();
    while let Some(start) = rest.find('<') {
        assert_whole_references(&rest[..start]);
        rest = &rest[start + 1..];
        // Attribute values hold no angle brackets, so the tag ends at the first.
        let end = rest.find('>').expect("a tag ends");
        let (tag, behind) = (&rest[..end], &rest[end + 1..]);
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (tag, empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag.trim_end(), true),
            None => (tag, false),
        };
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "{name}");
        found.push((name.to_owned(), attributes_of(attributes)));
        if !empty {
            open.push(name.to_owned());
        }
    }
    assert_eq!(open, Vec::<String>::new());
    found
}

fn attributes_of(mut text: &str) -> Vec<(String, String)> {
    let mut attributes = Vec::new();
    while let Some((name, behind)) = text.trim_start().split_once("=\"") {
        let (value, behind) = behind.split_once('"').expect("a value ends");
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
            "{name}"
        );
        assert_whole_references(value);
        attributes.push((name.to_owned(), value.to_owned()));
        text = behind;
    }
    assert_eq!(text.trim(), "");
    attributes
}

fn assert_whole_references(text: &str) {
    for reference in text.split('&').skip(1) {
        let (name, _) = reference.split_once(';').expect("a reference ends");
        let known = ["amp", "lt", "gt", "quot", "#39", "#10", "#13", "#9"];
        assert!(known.contains(&name), "{name}");
    }
}

fn attribute_of<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|(n, _)| n == name);
    found.map(|(_, value)| value.as_str())
}

fn rich() -> Template {
    let mut template = flight_booking();
    let other = template.keys.pop().unwrap();
    for (name, declared, required) in [
        ("refundable", json!({"type": "boolean"}), false),
        ("adult", json!({"type": "boolean"}), true),
        (
            "legs",
            json!({"type": "array", "maxItems": 2, "items": {"type": "object", "properties": [
                {"name": "from", "type": "string", "required": true},
                {"name": "stops", "type": "array", "items": {"type": "string", "format": "uuid"}}]}}),
            true,
        ),
        ("extra", json!({"type": "object"}), false),
        (
            "weight",
            json!({"type": "number", "minimum": 0.5, "maximum": 32}),
            false,
        ),
        (
            "link",
            json!({"type": "string", "format": "uri", "maxLength": 80}),
            false,
        ),
    ] {
        template
            .keys
            .push(key(name, shape(&declared), required, &[]));
    }
    template.keys.push(other);
    template
}

/// Every control has a label or a legend, and a hint that exists; ids are unique.
#[test]
fn controls_are_labelled_described_and_unique() {
    let elements = elements(&form(&rich(), &Language::english(), Some("/submit")));
    let ids: Vec<&str> = elements
        .iter()
        .filter_map(|(_, a)| attribute_of(a, "id"))
        .collect();
    let labelled: Vec<&str> = elements
        .iter()
        .filter_map(|(_, a)| attribute_of(a, "for"))
        .collect();
    for (at, id) in ids.iter().enumerate() {
        assert!(!ids[..at].contains(id), "{id} twice");
    }
    for (name, attributes) in &elements {
        if let Some(hint) = attribute_of(attributes, "aria-describedby") {
            assert!(ids.contains(&hint), "{hint}");
        }
        let kind = attribute_of(attributes, "type").unwrap_or_default();
        let control = matches!(name.as_str(), "input" | "select" | "textarea");
        if control && !matches!(kind, "hidden" | "radio") {
            let id = attribute_of(attributes, "id").unwrap();
            assert!(labelled.contains(&id), "{id}");
        }
    }
}

/// An optional boolean can be left unsaid; a required one cannot.
#[test]
fn booleans_have_as_many_answers_as_they_can() {
    let elements = elements(&form(&rich(), &Language::english(), None));
    let answers = |name: &str| -> Vec<String> {
        let of_name = elements
            .iter()
            .filter(|(_, a)| attribute_of(a, "name") == Some(name));
        of_name
            .map(|(_, a)| attribute_of(a, "value").unwrap().to_owned())
            .collect()
    };
    assert_eq!(answers("/refundable"), ["", "true", "false"]);
    assert_eq!(answers("/adult"), ["true", "false"]);
}

/// Arrays have rows as far as they may; only the first of a required one must be filled.
#[test]
fn arrays_have_rows() {
    let elements = elements(&form(&rich(), &Language::english(), None));
    let required: Vec<(&str, bool)> = elements
        .iter()
        .filter_map(|(_, a)| {
            let name = attribute_of(a, "name").filter(|name| name.ends_with("/from"))?;
            Some((name, attribute_of(a, "required").is_some()))
        })
        .collect();
    assert_eq!(required, [("/legs/0/from", true), ("/legs/1/from", false)]);
    let nested = |n: &&(String, Vec<(String, String)>)| {
        attribute_of(&n.1, "name").is_some_and(|name| name.starts_with("/legs/0/stops/"))
    };
    assert_eq!(elements.iter().filter(nested).count(), 3);
}

#[test]
fn without_an_action_a_form_goes_nowhere() {
    let html = form(&rich(), &Language::english(), None);
    assert!(!html.contains("action=") && !html.contains("type=\"submit\""));
    let html = form(&rich(), &Language::english(), Some("/a?b=\"c\"&d"));
    assert!(
        html.contains("action=\"/a?b=&quot;c&quot;&amp;d\""),
        "{html}"
    );
}

#[test]
fn nothing_is_fetched_from_outside() {
    for (_, attributes) in elements(&form(&rich(), &Language::english(), Some("/submit"))) {
        for outside in ["src", "href", "style", "srcset", "formaction"] {
            assert_eq!(attribute_of(&attributes, outside), None);
        }
        assert!(attributes.iter().all(|(name, _)| !name.starts_with("on")));
    }
}

proptest! {
    /// No text of a template gets out of its place: the elements stay the same whatever it says.
    #[test]
    fn no_text_breaks_out(said in r#"[\s\S]{0,20}|[<>&"'/=a-z \-!]{0,20}|</script>|]]>|<!--"#) {
        let mut template = rich();
        let calm = elements(&form(&template, &Language::english(), Some("x")));
        let loud = Description { meaning: said.clone(), ..Description::default() };
        let loud = Annotation([(Language::english(), loud)].into());
        template.title = Some(loud.clone());
        template.key_mut(0).annotation = loud;
        template.key_mut(1).shape.constraint.unit = Some(said.clone());
        template.key_mut(3).shape.constraint.allowed = ["a", "b", "c"].map(|c| format!("{c}{said}").into()).to_vec();
        template.key_mut(3).default_value = Some(said.clone().into());
        let html = elements(&form(&template, &Language::english(), Some(&said)));
        let names = |elements: &[(String, Vec<(String, String)>)]| -> Vec<String> {
            let told = |(name, attributes): &(String, Vec<(String, String)>)| {
                let attributes: Vec<&str> = attributes.iter().map(|(name, _)| name.as_str()).collect();
                format!("{name} {}", attributes.join(" "))
            };
            elements.iter().map(told).filter(|told| !told.starts_with("option")).collect()
        };
        prop_assert_eq!(names(&html), names(&calm));
    }
}

trait KeyMut {
    fn key_mut(&mut self, at: usize) -> &mut Key;
}

impl KeyMut for Template {
    fn key_mut(&mut self, at: usize) -> &mut Key {
        &mut self.keys[at]
    }
}
