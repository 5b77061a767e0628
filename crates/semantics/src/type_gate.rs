//! The gate through which nothing passes that a template does not take; its words go to `other`.
//!
//! Knows the template's contract, and not who read the payload. Read next: [`crate::rules`],
//! [`crate::gate`].

use language::text::one_line;
use schema::contract::Contract;
use schema::semantics::Parsed;
use schema::template::Template;
use schema::violation::Code;
use serde_json::{Map, Value};

/// Drops what the template does not take, and leaves its words to `other`.
pub(crate) fn type_gate(template: &Template, utterance: &str, parsed: &mut Parsed) {
    if let Ok(contract) = Contract::new(template) {
        for name in refused(&contract, &parsed.payload) {
            if let Some(value) = parsed.payload.remove(&name) {
                leave(&mut parsed.other, utterance, &value);
            }
            parsed.confidence.remove(&name);
        }
    }
    parsed.missing = template.missing(&parsed.payload);
}

/// The keys whose values a contract refuses; a required key that is missing is nobody's mistake.
fn refused(contract: &Contract, payload: &Map<String, Value>) -> Vec<String> {
    let Err(violations) = contract.verify(payload) else {
        return Vec::new();
    };
    let wrong = violations
        .iter()
        .filter(|v| v.code != Code::Missing || payload.contains_key(&first(&v.path)));
    wrong.map(|v| first(&v.path)).collect()
}

/// The key at the start of a JSON pointer.
fn first(path: &str) -> String {
    let name = path
        .trim_start_matches('/')
        .split('/')
        .next()
        .unwrap_or_default();
    name.replace("~1", "/").replace("~0", "~")
}

/// Leaves the clause that holds a value's words to `other`, if the utterance says them.
pub(crate) fn leave(other: &mut Vec<String>, utterance: &str, value: &Value) {
    let Some(text) = value.as_str() else { return };
    let said = plain(utterance);
    let lower = plain(text);
    let told = other.iter().any(|f| plain(f).contains(&lower));
    if !lower.is_empty() && said.contains(&lower) && !told {
        other.push(text.to_owned());
    }
}

/// A text whatever its case and spacing.
pub(crate) fn plain(text: &str) -> String {
    one_line(text).to_lowercase()
}
