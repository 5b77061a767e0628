//! Every template that ships is clean, speaks both languages, answers every request, and reads as
//! it writes.

use schema::contract::{Contract, Unknown};
use schema::language::Language;
use schema::lint::TemplateOrigin;
use schema::read;
use schema::shipped::{SHIPPED, shipped, template};
use schema::template::{Annotation, Description, OTHER, Shape, Template};
use schema::write;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

fn languages() -> [Language; 2] {
    [Language::english(), Language::chinese()]
}

/// Issue: shipped templates are read, strictly, without even a warning, under their own names.
#[test]
fn every_template_is_clean() {
    for (id, text) in SHIPPED {
        let reading = read::template(text, TemplateOrigin::Own)
            .unwrap_or_else(|findings| panic!("{id}: {findings:#?}"));
        assert_eq!(reading.findings, [], "{id}");
        assert_eq!(reading.template.schema_id, id);
    }
    let ids: BTreeSet<&str> = SHIPPED.into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), SHIPPED.len());
}

/// D30: every description stands in both languages, and no Chinese one is English by oversight.
#[test]
fn every_description_is_in_english_and_chinese() {
    for template in shipped() {
        let mut all = descriptions(&template);
        all.extend(template.title.iter().cloned());
        for annotation in &all {
            let spoken: Vec<&Language> = annotation.0.keys().collect();
            assert_eq!(
                spoken,
                languages().iter().collect::<Vec<_>>(),
                "{}",
                template.schema_id
            );
            let han = |d: &Description| d.meaning.chars().any(|c| c > '\u{2e80}');
            assert!(!han(&annotation.0[&Language::english()]), "{annotation:?}");
            assert!(han(&annotation.0[&Language::chinese()]), "{annotation:?}");
        }
    }
}

fn descriptions(template: &Template) -> Vec<Annotation> {
    let keys = template.keys.iter();
    keys.flat_map(|key| {
        let mut all = vec![key.annotation.clone()];
        nested(&key.shape, &mut all);
        all
    })
    .collect()
}

fn nested(shape: &Shape, all: &mut Vec<Annotation>) {
    for property in &shape.constraint.properties {
        all.push(property.annotation.clone());
        nested(&property.shape, all);
    }
    if let Some(items) = &shape.constraint.items {
        nested(items, all);
    }
}

/// D18, Q21: a request names the template of its result, and that one ships too.
#[test]
fn every_request_has_a_result() {
    let all = shipped();
    let ids: BTreeSet<&str> = all.iter().map(|t| t.schema_id.as_str()).collect();
    let named: BTreeSet<&str> = all
        .iter()
        .filter_map(|t| t.response_schema_id.as_deref())
        .collect();
    assert!(named.is_subset(&ids));
    // A decision is said within a negotiation, and answered by a word.
    let unanswered = all.iter().filter(|t| t.response_schema_id.is_none());
    let requests = unanswered.filter(|t| !named.contains(t.schema_id.as_str()));
    let requests: Vec<&str> = requests.map(|t| t.schema_id.as_str()).collect();
    assert_eq!(requests, ["fault_repair_decision_v1"]);
}

/// D29: what a request asks for is shown by example, in every language; what has a fixed set of
/// values has an example for more than one of them.
#[test]
fn requests_show_how_people_say_it() {
    for template in shipped().iter().filter(|t| t.response_schema_id.is_some()) {
        for key in &template.keys {
            for (language, description) in &key.annotation.0 {
                let place = format!("{} {} {language}", template.schema_id, key.key_name);
                assert!(!description.examples.is_empty(), "{place}");
            }
        }
    }
}

/// Every mapping example is a value that the contract takes (Q12 for examples).
#[test]
fn what_examples_say_is_accepted() {
    for template in shipped() {
        let contract = Contract::new(&template).expect("clean");
        for key in &template.keys {
            for example in key.annotation.0.values().flat_map(|d| &d.examples) {
                let values = Map::from_iter([(key.key_name.clone(), example.value.clone())]);
                let of_key = |v: &&schema::violation::PayloadViolation| {
                    v.path.split('/').nth(1) == Some(key.key_name.as_str())
                };
                let violations = contract
                    .accept(values, Unknown::Reject)
                    .err()
                    .unwrap_or_default();
                assert_eq!(
                    violations.iter().find(of_key),
                    None,
                    "{}",
                    template.schema_id
                );
            }
        }
    }
}

/// Design, "machine-readable members": what is sent in one language reads back as the template in
/// that language; and what is authored reads back whole.
#[test]
fn what_is_written_reads_back() {
    for template in shipped() {
        for language in languages() {
            let sent = write::template(&template, Some(&language));
            let reading = read::template(&sent, TemplateOrigin::Own)
                .unwrap_or_else(|findings| panic!("{}: {findings:#?}", template.schema_id));
            assert_eq!(sent["language"], Value::from(language.as_str()));
            assert_eq!(shapes(&reading.template), shapes(&template));
        }
        let authored = write::authored(&template);
        let reading = read::template(&authored, TemplateOrigin::Own).expect("clean");
        assert_eq!(reading.template, template);
    }
}

/// All of a template but its prose.
fn shapes(template: &Template) -> Vec<String> {
    let mut bare = template.clone();
    let told = |s: &mut Shape| untold(s);
    for key in &mut bare.keys {
        key.annotation = Annotation::default();
        told(&mut key.shape);
    }
    bare.keys.iter().map(|key| format!("{key:?}")).collect()
}

fn untold(shape: &mut Shape) {
    for property in &mut shape.constraint.properties {
        property.annotation = Annotation::default();
        untold(&mut property.shape);
    }
    if let Some(items) = &mut shape.constraint.items {
        untold(items);
    }
}

/// Q13: `other` is the last key of all.
#[test]
fn other_is_last() {
    for template in shipped() {
        assert_eq!(
            template.keys.last().map(|k| k.key_name.as_str()),
            Some(OTHER)
        );
    }
}

#[test]
fn one_is_found_by_its_id() {
    assert_eq!(
        template("energy_saving_v1").map(|t| t.scenario).as_deref(),
        Some("energy_saving")
    );
    assert_eq!(template("poetry_v1"), None);
}
