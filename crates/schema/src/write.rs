//! Templates, keys and patches as JSON (draft-zhou §4.1, §6.2.2).
//!
//! Knows two forms: the one that is *sent*, in one language, with a `semantic_description` composed
//! from meaning, acceptable values and examples, so that prose and members cannot disagree;
//! and the *authored* one, which has everything in every language. [`crate::read`] reads both.
//! Read next: [`composed`].

mod authored;
mod prose;
mod sent;

pub use authored::{key as authored_key, patch as authored_patch, template as authored};
pub use prose::composed;
pub use sent::{key, patch, served_language, template};

use crate::language::Language;
use crate::template::{Annotation, Key, KeyStatus, KeyType, OTHER, Shape};

/// The key `other` as we describe it, in each of some languages (§4.3); Chinese in Chinese, all
/// others in English.
pub fn other(languages: impl IntoIterator<Item = Language>) -> Key {
    let described = languages.into_iter().map(|language| {
        let description = prose::other(&language);
        (language, description)
    });
    Key {
        key_name: OTHER.to_owned(),
        shape: Shape::of(KeyType::String),
        required: false,
        default_value: None,
        annotation: Annotation(described.collect()),
        security_relevant: false,
        standing: KeyStatus::Stable,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::arbitrary;
    use crate::lint::TemplateOrigin;
    use crate::patch::Patch;
    use crate::read;
    use crate::template::{Property, Template};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn own(value: &Value) -> Template {
        read::template(value, TemplateOrigin::Own)
            .unwrap_or_else(|f| panic!("{f:#?}\n{value:#}"))
            .template
    }

    /// The template in one language, read from what was sent: all but how its author divided
    /// the descriptions.
    fn in_one_language(template: &Template, preferred: Option<&Language>) -> Template {
        let served = served_language(template, preferred);
        let title = template.title.as_ref().map(|title| {
            let (_, title) = title.lookup(Some(&served), &template.language);
            Annotation::of(served.clone(), title.clone())
        });
        let keys = template.keys.iter().map(|k| Key {
            annotation: narrowed(&k.annotation, &k.shape, &served, template),
            shape: spoken(&k.shape, &served, template),
            ..k.clone()
        });
        Template {
            language: served.clone(),
            title,
            keys: keys.collect(),
            ..template.clone()
        }
    }

    fn spoken(shape: &Shape, served: &Language, template: &Template) -> Shape {
        let mut shape = shape.clone();
        shape.constraint.items = shape
            .constraint
            .items
            .map(|items| Box::new(spoken(&items, served, template)));
        let properties = shape.constraint.properties.into_iter().map(|p| Property {
            annotation: narrowed(&p.annotation, &p.shape, served, template),
            shape: spoken(&p.shape, served, template),
            ..p
        });
        shape.constraint.properties = properties.collect();
        shape
    }

    fn narrowed(
        annotation: &Annotation,
        shape: &Shape,
        served: &Language,
        of: &Template,
    ) -> Annotation {
        let (language, description) = annotation.lookup(Some(served), &of.language);
        let prose = composed(shape, description, language);
        Annotation::of(
            served.clone(),
            crate::template::Description {
                meaning: prose,
                verbatim: true,
                examples: description.examples.clone(),
            },
        )
    }

    proptest! {
        /// D22 to D33: reading undoes writing what was authored.
        #[test]
        fn reading_undoes_the_authored_form(template in arbitrary::template()) {
            prop_assert_eq!(own(&authored(&template)), template);
        }

        /// D53, Q4: what is sent in a language is read as the template in that language, examples
        /// and all.
        #[test]
        fn reading_undoes_the_sent_form(
            written in arbitrary::template(),
            preferred in prop_oneof![Just(None), Just(Some(Language::chinese())), Just(Some(Language::english()))],
        ) {
            let sent = template(&written, preferred.as_ref());
            let expected = in_one_language(&written, preferred.as_ref());
            prop_assert_eq!(&own(&sent), &expected);
            // A peer reads the same, and what it sends on is the same again.
            let relayed = read::template(&sent, TemplateOrigin::Peer).unwrap().template;
            prop_assert_eq!(&relayed, &expected);
            prop_assert_eq!(template(&relayed, None), sent);
        }

        /// D85, D86: both forms of a patch are read; the authored one is the same patch.
        #[test]
        fn reading_undoes_both_forms_of_a_patch(written in arbitrary::patch()) {
            let read = |value: &Value| -> Patch { read::patch(value, TemplateOrigin::Own).unwrap().0 };
            prop_assert_eq!(&read(&authored_patch(&written)), &written);
            let sent = read(&patch(&written, None, &Language::english()));
            prop_assert_eq!((&sent.patch_id, sent.expires_at), (&written.patch_id, written.expires_at));
            prop_assert_eq!(sent.new_keys.len(), written.new_keys.len());
        }
    }

    fn passengers() -> Template {
        own(&json!({
            "schema_id": "flight_booking_v1", "scenario": "flight_booking",
            "title": {"en": "Flight booking", "zh": "机票预订"},
            "keys": [
                {"key_name": "passenger_count", "key_type": "integer", "required": false,
                 "default_value": 1, "minimum": 1, "maximum": 9,
                 "annotations": {
                    "en": {"meaning": "Number of passengers", "examples": [["two people", 2]]},
                    "zh": {"meaning": "乘客人数。", "examples": [["两个人", 2], ["It's us \"two\"", 2]]}}},
                {"key_name": "stops", "key_type": "array", "required": true, "maxItems": 4,
                 "items": {"type": "string", "pattern": "[A-Z]{3}"},
                 "annotations": {"en": {"meaning": "Airports on the way"}}},
                {"key_name": "power", "key_type": "number", "required": false, "minimum": -10,
                 "maximum": 0.5, "unit": "dBm", "semantic_description": "As the author wrote it"},
                {"key_name": "class", "key_type": "string", "required": false,
                 "enum": ["first", "so, so"], "annotations": {"en": {"meaning": "Class?"}}},
                {"key_name": "contact", "key_type": "object", "required": false,
                 "properties": [{"name": "email", "type": "string", "required": true, "maxLength": 80,
                                 "semantic_description": "Where to write to"}],
                 "annotations": {"en": {"meaning": "Who is told"}}},
            ]
        }))
    }

    /// D29, Q8: prose and members cannot disagree, for one is written from the other; Figure 2's
    /// wording where Figure 2 has one.
    #[test]
    fn prose_is_written_from_the_members() {
        let said = |language: &str| {
            let language = Language::parse(language).unwrap();
            let sent = template(&passengers(), Some(&language));
            let keys = sent["keys"].as_array().unwrap().clone();
            let lines: Vec<String> = keys
                .iter()
                .map(|k| k["semantic_description"].as_str().unwrap().into())
                .collect();
            lines.join("\n")
        };
        insta::assert_snapshot!(said("en"), @r#"
        Number of passengers. Range: 1-9. Example mapping: 'two people' -> 2.
        Airports on the way. Items at most: 4. Each item: string; Pattern (the whole value): [A-Z]{3}.
        As the author wrote it
        Class? Acceptable values: first, "so, so".
        Who is told. Members: email (string, required).
        What the user wants and no other key covers, in the user's own words.
        "#);
        insta::assert_snapshot!(said("zh-CN").lines().next().unwrap(), @r#"乘客人数。范围：1-9。映射示例：'两个人' -> 2；"It's us \"two\"" -> 2。"#);
    }

    /// D14, D30, D53, Q4: one string in the language that was preferred or in what there is; an extra
    /// member tells which; the id stays.
    #[test]
    fn what_was_served_is_told() {
        let served = |tag: &str| {
            let preferred = Language::parse(tag).ok();
            let sent = template(&passengers(), preferred.as_ref());
            [&sent["schema_id"], &sent["language"], &sent["title"]]
                .map(|v| v.as_str().unwrap().to_owned())
        };
        assert_eq!(
            served("en-US"),
            ["flight_booking_v1", "en", "Flight booking"]
        );
        assert_eq!(
            served("zh-Hans-CN"),
            ["flight_booking_v1", "zh", "机票预订"]
        );
        assert_eq!(served("fr"), ["flight_booking_v1", "en", "Flight booking"]);
        assert_eq!(
            served("not a tag"),
            ["flight_booking_v1", "en", "Flight booking"]
        );
    }

    /// D99: provisional keys are told as such.
    #[test]
    fn standing_is_told() {
        let mut key = other([Language::english()]);
        key.standing = KeyStatus::Experimental;
        let sent = |key: &Key| super::key(key, &Language::english(), &Language::english());
        assert_eq!(sent(&key)["experimental"], true);
        key.standing = KeyStatus::Deprecated;
        assert_eq!(sent(&key)["deprecated"], true);
        assert_eq!(sent(&key).get("experimental"), None);
        assert_eq!(sent(&key).get("default_value"), None);
    }
}
