//! Utterances with the payloads that people made of them, and a strict scorer.
//!
//! A line is `{id, schema, utterance, gold}`: `schema` a template or the `schema_id` of a known
//! one; `gold` the acceptable values of each key, `""` or null among them if the key may be left
//! out, a key without an entry to be left out. Optional: `other_must_mention`, what the fragments
//! for `other` must hold between them; `now` (RFC 3339) and `zone_minutes`, from which days are
//! counted.

mod report;

pub use report::{Bin, Mistake, ParserReport};

use super::{NotASet, lines};
use language::text::one_line;
use schema::contract::Contract;
use schema::lint::TemplateOrigin;
use schema::semantics::{Circumstances, ParseFailure, Parsed, SemanticParser};
use schema::template::{Key, Template};
use schema::time::Timestamp;
use schema::violation::Code;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// An utterance with what it means.
#[derive(Clone, Debug)]
pub struct LabelledUtterance {
    /// Names it.
    pub id: String,
    /// The template that it is to be mapped to.
    pub template: Template,
    /// The utterance.
    pub utterance: String,
    /// The acceptable values of each key.
    pub gold: BTreeMap<String, Vec<Value>>,
    /// The words that `other` must mention; none if the set says nothing of `other`.
    pub other_must_mention: Option<Vec<String>>,
    /// The instant that days are counted from, where the set says so.
    pub now: Option<Timestamp>,
    /// Minutes east of UTC, where the set says so.
    pub zone_minutes: Option<i32>,
}

/// Reads a set of cases. Templates are read as those of peers: whatever is odd about them is let
/// pass. `known` finds a template by `schema_id` where a line only names one.
///
/// # Errors
/// [`NotASet`] for the first line that is none.
pub fn read(
    jsonl: &str,
    known: &dyn Fn(&str) -> Option<Template>,
) -> Result<Vec<LabelledUtterance>, NotASet> {
    lines(jsonl)
        .map(|line| {
            let (line, value) = line?;
            case(&value, known).map_err(|reason| NotASet { line, reason })
        })
        .collect()
}

fn case(
    value: &Value,
    known: &dyn Fn(&str) -> Option<Template>,
) -> Result<LabelledUtterance, String> {
    let text = |name: &str| {
        value[name]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| format!("`{name}` is missing"))
    };
    let gold = value["gold"].as_object().ok_or("`gold` is missing")?;
    let now = value["now"]
        .as_str()
        .map(Timestamp::parse)
        .transpose()
        .map_err(|e| e.to_string())?;
    Ok(LabelledUtterance {
        id: text("id")?,
        template: template(&value["schema"], known)?,
        utterance: text("utterance")?,
        gold: gold
            .iter()
            .map(|(key, values)| (key.clone(), acceptable(values)))
            .collect(),
        other_must_mention: value["other_must_mention"].as_array().map(|list| {
            list.iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        }),
        now,
        zone_minutes: value["zone_minutes"]
            .as_i64()
            .and_then(|z| i32::try_from(z).ok()),
    })
}

fn template(value: &Value, known: &dyn Fn(&str) -> Option<Template>) -> Result<Template, String> {
    if let Some(schema_id) = value.as_str() {
        return known(schema_id).ok_or_else(|| format!("no template {schema_id} is known"));
    }
    let declared = declared(value.clone());
    let reading = schema::read::template(&declared, TemplateOrigin::Peer);
    reading.map(|r| r.template).map_err(|findings| {
        let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
        format!("the template cannot be read: {}", told.join("; "))
    })
}

/// Sets name what later became members of ours `x_enum` and `x_items`.
fn declared(mut template: Value) -> Value {
    for key in template["keys"]
        .as_array_mut()
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        let items = key
            .remove("x_items")
            .map(|kind| serde_json::json!({ "key_type": kind }));
        let allowed = key.remove("x_enum");
        match (items, allowed) {
            (Some(mut items), allowed) => {
                if let Some(allowed) = allowed {
                    items["enum"] = allowed;
                }
                key.insert("items".to_owned(), items);
            }
            (None, Some(allowed)) => {
                key.insert("enum".to_owned(), allowed);
            }
            (None, None) => {}
        }
    }
    template
}

fn acceptable(values: &Value) -> Vec<Value> {
    values
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![values.clone()])
}

/// Lets a parser read every case and scores it. `circumstances` hold where a case says nothing.
pub fn run(
    parser: &dyn SemanticParser,
    cases: &[LabelledUtterance],
    circumstances: &Circumstances,
) -> ParserReport {
    let mut report = ParserReport {
        parser: parser.name().to_owned(),
        ..ParserReport::default()
    };
    for case in cases {
        let circumstances = Circumstances {
            now: case.now.unwrap_or(circumstances.now),
            zone_minutes: case.zone_minutes.unwrap_or(circumstances.zone_minutes),
            language: circumstances.language.clone(),
        };
        let parsed = parser.parse(&case.template, &case.utterance, &circumstances);
        report.add(case, parsed);
    }
    report
}

impl ParserReport {
    /// Scores what was made of a case.
    pub fn add(&mut self, case: &LabelledUtterance, parsed: Result<Parsed, ParseFailure>) {
        self.cases += 1;
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(failure) => {
                self.failures.push((case.id.clone(), failure.reason));
                return;
            }
        };
        let mut wrong = BTreeMap::new();
        for key in case.template.own_keys() {
            let verdict = verdict(case, key, given(&parsed.payload, &key.key_name));
            self.count(&verdict, parsed.confidence.get(&key.key_name).copied());
            if !verdict.right {
                wrong.insert(key.key_name.clone(), (verdict.given, verdict.acceptable));
            }
        }
        self.valid += usize::from(valid(&case.template, &parsed.payload));
        self.fragments(case, &parsed.other);
        if wrong.is_empty() {
            self.right += 1;
        } else {
            let (id, utterance) = (case.id.clone(), case.utterance.clone());
            self.mistakes.push(Mistake {
                id,
                utterance,
                keys: wrong,
            });
        }
    }

    fn count(&mut self, verdict: &Verdict, confidence: Option<f64>) {
        let given = verdict.given.is_some();
        self.given += usize::from(given);
        self.hits += usize::from(given && verdict.right);
        self.wanted += usize::from(verdict.wanted || given && verdict.right);
        self.spurious += usize::from(given && !verdict.right && verdict.unwanted);
        if let Some(confidence) = confidence.filter(|_| given) {
            self.confidences.push((confidence, verdict.right));
        }
    }

    fn fragments(&mut self, case: &LabelledUtterance, other: &[String]) {
        let Some(wanted) = &case.other_must_mention else {
            return;
        };
        let said = other.join(" ").to_lowercase();
        if wanted.is_empty() {
            self.quiet.1 += 1;
            self.quiet.0 += usize::from(other.is_empty());
        } else {
            self.mentioned.1 += 1;
            self.mentioned.0 +=
                usize::from(wanted.iter().all(|w| said.contains(&w.to_lowercase())));
        }
    }
}

/// The result for one key.
struct Verdict {
    given: Option<Value>,
    acceptable: Vec<Value>,
    right: bool,
    /// Had to be given.
    wanted: bool,
    /// Had to be left out.
    unwanted: bool,
}

fn given(payload: &Map<String, Value>, key: &str) -> Option<Value> {
    let value = payload.get(key)?;
    let nothing = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    (!nothing).then(|| value.clone())
}

/// A key that is left out stands for its default, and the default for a key that is left out.
fn verdict(case: &LabelledUtterance, key: &Key, given: Option<Value>) -> Verdict {
    let acceptable = case.gold.get(&key.key_name).cloned().unwrap_or_default();
    let values: Vec<&Value> = acceptable.iter().filter(|v| !is_nothing(v)).collect();
    let default = key.default_value.as_ref();
    let optional = values.len() < acceptable.len()
        || acceptable.is_empty()
        || default.is_some_and(|d| values.iter().any(|v| matches(d, v)));
    let right = match &given {
        None => optional,
        Some(value) => {
            values.iter().any(|v| matches(value, v)) || (optional && default == Some(value))
        }
    };
    Verdict {
        right,
        wanted: !optional,
        unwanted: values.is_empty(),
        given,
        acceptable,
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty)
}

/// True if a value is as good as an acceptable one: numbers by value, texts whatever their case and
/// spacing, dates with times as the instants that they are, whatever their zone, lists in order, objects member by member, where a member may list what is acceptable.
fn matches(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => {
            one_line(a).to_lowercase() == one_line(b).to_lowercase() || same_instant(a, b)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| matches(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let member = |name: &String, wanted: &Value| match (a.get(name), wanted) {
                (None, Value::Array(any)) => any.iter().any(is_nothing),
                (None, _) => false,
                (Some(value), Value::Array(any)) => {
                    any.iter().any(|w| matches(value, w)) || matches(value, wanted)
                }
                (Some(value), wanted) => matches(value, wanted),
            };
            a.keys().all(|name| b.contains_key(name))
                && b.iter().all(|(name, wanted)| member(name, wanted))
        }
        (a, b) => a == b,
    }
}

/// True if two texts are dates with times (RFC 3339) and the same instant.
fn same_instant(one: &str, other: &str) -> bool {
    match (Timestamp::parse(one), Timestamp::parse(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// True if the template accepts a payload, but for required keys that nobody said.
fn valid(template: &Template, payload: &Map<String, Value>) -> bool {
    let Ok(contract) = Contract::new(template) else {
        return false;
    };
    match contract.verify(payload) {
        Ok(()) => true,
        Err(violations) => violations.iter().all(|v| v.code == Code::Missing),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
