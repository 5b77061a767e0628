//! The form that is sent: the draft's members, in one language, and ours beside them.

use super::prose::composed;
use crate::language::{Language, lookup};
use crate::patch::{Patch, Refinement};
use crate::template::{Annotation, Constraint, Key, KeyStatus, KeyType, Property, Shape, Template};
use serde_json::{Map, Value, json};

/// The template for who prefers a language, as the answer to `get_schema_template` (§3.2).
///
/// `language` tells what was served: the preferred one, what it falls back to, or the template's
/// own. `schema_id` does not change with it.
pub fn template(template: &Template, preferred: Option<&Language>) -> Value {
    let served = served_language(template, preferred);
    let keys = template
        .keys
        .iter()
        .map(|k| key(k, &served, &template.language));
    let mut members = Map::new();
    members.insert("schema_id".into(), template.schema_id.clone().into());
    members.insert("scenario".into(), template.scenario.clone().into());
    members.insert("language".into(), served.as_str().into());
    members.insert("keys".into(), keys.collect());
    if let Some(title) = &template.title {
        let (_, title) = title.lookup(Some(&served), &template.language);
        members.insert("title".into(), title.meaning.clone().into());
    }
    if let Some(response) = &template.response_schema_id {
        members.insert("response_schema_id".into(), response.clone().into());
    }
    Value::Object(members)
}

/// The language in which a template is served to who prefers one: that which its keys have.
pub fn served_language(template: &Template, preferred: Option<&Language>) -> Language {
    served(
        template.keys.iter().map(|k| &k.annotation),
        preferred,
        &template.language,
    )
}

/// A key in a language; where it has no description in that, in the default one.
pub fn key(key: &Key, language: &Language, default: &Language) -> Value {
    whole_key(key, &|annotation, shape, members| {
        let description = described(annotation, shape, language, default);
        members.insert("semantic_description".into(), description.into());
    })
}

/// Writes the description of what has a shape, in one of the forms.
pub(super) type Describe<'d> = &'d dyn Fn(&Annotation, &Shape, &mut Map<String, Value>);

/// A key in either form.
pub(super) fn whole_key(key: &Key, describe: Describe<'_>) -> Value {
    let mut members = shape(&key.shape, describe);
    members.insert("key_name".into(), key.key_name.clone().into());
    members.insert("required".into(), key.required.into());
    describe(&key.annotation, &key.shape, &mut members);
    beside(key, &mut members);
    Value::Object(members)
}

/// A patch for who prefers a language, as a `schema_update_suggestion` (§6.2.2). The default
/// is the language of the template that it adds to.
pub fn patch(patch: &Patch, preferred: Option<&Language>, default: &Language) -> Value {
    let annotations = patch
        .new_keys
        .iter()
        .map(|k| &k.annotation)
        .chain(patch.modified_keys.iter().map(|m| &m.annotation));
    let language = served(annotations, preferred, default);
    let mut members = head(patch);
    members.insert("language".into(), language.as_str().into());
    if !patch.new_keys.is_empty() {
        let keys = patch.new_keys.iter().map(|k| key(k, &language, default));
        members.insert("new_keys".into(), keys.collect());
    }
    if !patch.modified_keys.is_empty() {
        let keys = patch
            .modified_keys
            .iter()
            .map(|m| refinement(m, &language, default));
        members.insert("modified_keys".into(), keys.collect());
    }
    Value::Object(members)
}

/// The members of a patch beside its keys; both forms have them.
pub(super) fn head(patch: &Patch) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("patch_id".into(), patch.patch_id.clone().into());
    members.insert(
        "parent_schema_id".into(),
        patch.parent_schema_id.clone().into(),
    );
    members.insert("timestamp".into(), patch.timestamp.to_string().into());
    members.insert("expires_at".into(), patch.expires_at.to_string().into());
    if let Some(client) = &patch.client {
        members.insert("client".into(), client.clone().into());
    }
    members
}

/// The members of a key beside its name, type and description.
fn beside(key: &Key, members: &mut Map<String, Value>) {
    if let Some(value) = &key.default_value {
        members.insert("default_value".into(), value.clone());
    }
    if key.security_relevant {
        members.insert("security_relevant".into(), true.into());
    }
    match key.standing {
        KeyStatus::Stable => None,
        KeyStatus::Experimental => members.insert("experimental".into(), true.into()),
        KeyStatus::Deprecated => members.insert("deprecated".into(), true.into()),
    };
}

/// The members of a type and what narrows it, without items and properties.
fn narrowed(shape: &Shape) -> Map<String, Value> {
    let Constraint {
        allowed,
        minimum,
        maximum,
        format,
        pattern,
        max_length,
        max_items,
        unit,
        ..
    } = &shape.constraint;
    let key_type = (shape.key_type != KeyType::Any).then(|| shape.key_type.as_str());
    let members = [
        ("key_type", key_type.map(Value::from)),
        ("enum", (!allowed.is_empty()).then(|| json!(allowed))),
        ("minimum", minimum.clone().map(Value::Number)),
        ("maximum", maximum.clone().map(Value::Number)),
        ("format", format.map(|f| f.as_str().into())),
        ("pattern", pattern.clone().map(Value::from)),
        ("maxLength", max_length.map(Value::from)),
        ("maxItems", max_items.map(Value::from)),
        ("unit", unit.clone().map(Value::from)),
    ];
    let given = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    given.collect()
}

fn served<'a>(
    annotations: impl Iterator<Item = &'a Annotation>,
    preferred: Option<&Language>,
    default: &Language,
) -> Language {
    let spoken: Vec<&Language> = annotations.flat_map(|a| a.0.keys()).collect();
    preferred
        .and_then(|preferred| lookup(preferred, spoken.iter().copied()))
        .unwrap_or(default)
        .clone()
}

fn shape(shape: &Shape, describe: Describe<'_>) -> Map<String, Value> {
    let mut members = narrowed(shape);
    if let Some(items) = &shape.constraint.items {
        members.insert("items".into(), Value::Object(self::shape(items, describe)));
    }
    let properties = &shape.constraint.properties;
    if !properties.is_empty() {
        let properties = properties.iter().map(|it| property(it, describe));
        members.insert("properties".into(), properties.collect());
    }
    members
}

fn property(property: &Property, describe: Describe<'_>) -> Value {
    let mut members = shape(&property.shape, describe);
    members.insert("name".into(), property.name.clone().into());
    members.insert("required".into(), property.required.into());
    describe(&property.annotation, &property.shape, &mut members);
    Value::Object(members)
}

fn refinement(refinement: &Refinement, language: &Language, default: &Language) -> Value {
    // What the key accepts is told with the key, which stays as it is.
    let shape = Shape::of(KeyType::Any);
    json!({
        "key_name": refinement.key_name,
        "semantic_description": described(&refinement.annotation, &shape, language, default),
    })
}

fn described(
    annotation: &Annotation,
    of: &Shape,
    language: &Language,
    default: &Language,
) -> String {
    let (language, description) = annotation.lookup(Some(language), default);
    composed(of, description, language)
}
