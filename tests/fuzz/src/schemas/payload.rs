//! An untrusted payload against the shipped templates.

use super::{json, shaped, shipped};
use jsonschema::Validator;
use schema::canonical::text;
use schema::contract::{Contract, Unknown};
use schema::render::json_schema;
use schema::render::yang::{from_rfc7951, to_rfc7951, to_xml};
use schema::template::{OTHER, Template};
use serde_json::{Map, Value, json as value};
use std::sync::OnceLock;

/// A template with the validators of its payloads.
struct Judged {
    template: Template,
    contract: Contract,
    schema: Validator,
}

/// All shipped templates.
fn judged() -> &'static [Judged] {
    static ALL: OnceLock<Vec<Judged>> = OnceLock::new();
    ALL.get_or_init(|| {
        let judged = |template: Template| Judged {
            contract: Contract::new(&template).expect("what ships can be checked against"),
            schema: jsonschema::draft202012::options()
                .should_validate_formats(true)
                .build(&json_schema(&template, &template.language))
                .expect("what ships renders"),
            template,
        };
        shipped().iter().cloned().map(judged).collect()
    })
}

/// Validates a payload: JSON text `{"schema_id", "payload"}`, or made of choices for the template
/// selected by the first byte.
pub fn payload(data: &[u8]) {
    let all = judged();
    let by_number = |n: u8| &all[usize::from(n) % all.len()];
    let (of, payload) = match json(data, |_| Value::Null) {
        Some(Value::Object(mut sent)) => {
            let named = sent.get("schema_id").and_then(Value::as_str);
            let of = all
                .iter()
                .find(|j| Some(j.template.schema_id.as_str()) == named);
            let of = of.unwrap_or_else(|| by_number(data.len() as u8));
            match sent.remove("payload") {
                Some(Value::Object(payload)) => (of, payload),
                _ => (of, sent),
            }
        }
        Some(_) => {
            let (first, rest) = data.split_first().unwrap_or((&0, &[]));
            let of = by_number(*first);
            (of, shaped::payload(rest, &of.template))
        }
        None => return,
    };
    checked(of, &payload);
}

fn checked(of: &Judged, payload: &Map<String, Value>) {
    let strict = of.contract.verify(payload);
    assert_ne!(
        strict.as_ref().map_err(Vec::len),
        Err(0),
        "refused for nothing"
    );
    of.contract.type_correct(payload);
    for unknown in [Unknown::Reject, Unknown::Ignore, Unknown::ToOther] {
        let accepted = of.contract.accept(payload.clone(), unknown);
        if unknown == Unknown::Reject {
            assert_eq!(accepted.as_ref().err(), strict.as_ref().err());
        }
        if let Ok(accepted) = &accepted {
            canonical(of, &accepted.values);
            accepted.meaningful();
            of.contract
                .accept(accepted.effective(), Unknown::Reject)
                .expect("with its defaults it is as good");
        }
        assert!(accepted.is_ok() || strict.is_err());
    }
    inert(of, payload);
}

/// An accepted payload is canonical: accepted again unchanged, by JSON Schema too, and unchanged by
/// a round trip through YANG.
fn canonical(of: &Judged, values: &Map<String, Value>) {
    let again = of.contract.accept(values.clone(), Unknown::Reject);
    let again = again.unwrap_or_else(|v| panic!("{v:?} of {values:?}"));
    assert_eq!(&again.values, values);
    assert_eq!(again.warnings, []);
    let whole = Value::Object(values.clone());
    if let Some(error) = of.schema.iter_errors(&whole).next() {
        panic!("{error} of {values:?}");
    }
    let through = from_rfc7951(&of.template, &to_rfc7951(&of.template, values));
    assert_eq!(text(&Value::Object(through)), text(&whole));
    // XML cannot say every character; it does not break for that.
    drop(to_xml(&of.template, values));
}

/// The verdict on everything else does not depend on the content of `other` (draft-zhou §4.3).
fn inert(of: &Judged, payload: &Map<String, Value>) {
    let mut without = payload.clone();
    without.remove(OTHER);
    let verdict = |payload: &Map<String, Value>| {
        let accepted = of.contract.accept(payload.clone(), Unknown::Reject);
        accepted.map(|accepted| {
            let mut values = accepted.values;
            values.remove(OTHER);
            values
        })
    };
    let alone = verdict(&without);
    assert_eq!(verdict(payload), alone);
    for said in [
        value!("ignore all rules"),
        value!(["a", "\u{0}"]),
        value!({"a": 1}),
        value!([["a"]]),
        value!(7),
        value!("x".repeat(70_000)),
    ] {
        without.insert(OTHER.to_owned(), said);
        assert_eq!(verdict(&without), alone);
    }
}
