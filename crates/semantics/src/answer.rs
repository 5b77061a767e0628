//! The object that a model wrote, how sure it is of each key, and what of it stands.
//!
//! Probabilities come token by token, and may be from before the constraint was applied; so they
//! are located by the key whose value they spell, never counted from the start of the object. What
//! was written is checked as if nobody had constrained it. Knows nothing of where it was written;
//! read next: `endpoint`, `gguf`.

use crate::gate::grounded;
use crate::type_gate::{leave, type_gate};
use schema::semantics::Parsed;
use schema::template::{OTHER, Template};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;

/// A token's bytes, which may be a part of a character, and its log-probability.
pub(crate) type Piece = (Vec<u8>, f64);

/// The reason why what was written is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswer {
    #[error("the answer was cut off at the limit of tokens")]
    CutOff,
    #[error("the model did not keep to the response format: {0}")]
    NotAnObject(String),
}

/// The object that a model wrote, and the probability of each piece of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    /// Its members.
    pub(crate) values: Map<String, Value>,
    confidences: BTreeMap<String, f64>,
}

impl Answer {
    /// Reads an object that was written to its end.
    ///
    /// # Errors
    /// [`NoAnswer::NotAnObject`]
    pub(crate) fn whole(content: &str, pieces: &[Piece]) -> Result<Self, NoAnswer> {
        let told = |reason: String| NoAnswer::NotAnObject(reason);
        match serde_json::from_str(content) {
            Ok(Value::Object(values)) => Ok(Self::of(values, content, pieces)),
            Ok(_) => Err(told(shortened(content))),
            Err(error) => Err(told(format!("{error} in {}", shortened(content)))),
        }
    }

    /// Reads an object that was cut off: the members that were written to their end stand, for a
    /// small model that runs on in its last member has said the others.
    ///
    /// # Errors
    /// [`NoAnswer::CutOff`] if there is none.
    pub(crate) fn cut(content: &str, pieces: &[Piece]) -> Result<Self, NoAnswer> {
        let values = finished(content);
        match values.is_empty() {
            true => Err(NoAnswer::CutOff),
            false => Ok(Self::of(values, content, pieces)),
        }
    }

    fn of(values: Map<String, Value>, content: &str, pieces: &[Piece]) -> Self {
        let confidences = located(content, pieces);
        Self {
            values,
            confidences,
        }
    }

    /// The confidence of the model in a key's value: the geometric mean of the probabilities of its
    /// tokens; none if it did not tell.
    pub(crate) fn confidence(&self, key: &str) -> Option<f64> {
        self.confidences.get(key).copied()
    }

    /// The part of it that stands: what comes from somewhere, is sure enough and keeps to the
    /// template. What falls below `threshold` goes to `other`; `untold` is how sure a value without
    /// probabilities counts.
    pub(crate) fn checked(
        &self,
        template: &Template,
        utterance: &str,
        threshold: f64,
        untold: f64,
    ) -> Parsed {
        let mut parsed = Parsed::default();
        for key in template.own_keys() {
            let Some(value) = self.values.get(&key.key_name).filter(|v| !v.is_null()) else {
                continue;
            };
            if !grounded(key, value, utterance) {
                continue;
            }
            let confidence = self.confidence(&key.key_name).unwrap_or(untold);
            parsed.confidence.insert(key.key_name.clone(), confidence);
            if confidence >= threshold {
                parsed.payload.insert(key.key_name.clone(), value.clone());
            } else {
                leave(&mut parsed.other, utterance, value);
            }
        }
        for fragment in said(self.values.get(OTHER)) {
            leave(&mut parsed.other, utterance, &fragment.into());
        }
        type_gate(template, utterance, &mut parsed);
        parsed
    }
}

fn said(other: Option<&Value>) -> Vec<&str> {
    match other {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The start of a text, for a message.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The confidence in each key whose value's tokens are found; nothing if the tokens do not spell
/// the content.
fn located(content: &str, pieces: &[Piece]) -> BTreeMap<String, f64> {
    let spelled: Vec<u8> = pieces.iter().flat_map(|p| p.0.iter().copied()).collect();
    let wanted = content.trim().as_bytes();
    let Some(shift) = spelled
        .windows(wanted.len().max(1))
        .position(|w| w == wanted)
    else {
        return BTreeMap::new();
    };
    let lead = content.len() - content.trim_start().len();
    let mut confidences = BTreeMap::new();
    for (key, range) in members(content) {
        let range =
            (range.start + shift).saturating_sub(lead)..(range.end + shift).saturating_sub(lead);
        let logs = overlapping(pieces, &range);
        if !logs.is_empty() {
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            confidences.insert(key, mean.exp().clamp(0.0, 1.0));
        }
    }
    confidences
}

/// The log-probabilities of the tokens that share a byte with a range.
fn overlapping(pieces: &[Piece], range: &Range<usize>) -> Vec<f64> {
    let mut start = 0;
    let mut logs = Vec::new();
    for (token, log) in pieces {
        let end = start + token.len();
        if start < range.end && range.start < end {
            logs.push(*log);
        }
        start = end;
    }
    logs
}

/// The members of an object that were written to their end before it was cut off.
fn finished(content: &str) -> Map<String, Value> {
    let whole = |(name, range): (String, Range<usize>)| {
        let value = serde_json::from_str(&content[range]).ok()?;
        Some((name, value))
    };
    members(content).into_iter().filter_map(whole).collect()
}

/// The place of each value of the outermost object's members.
fn members(content: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let (mut depth, mut at, mut key) = (0_usize, 0, None::<(String, usize)>);
    let bytes = content.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                if depth == 1 && key.is_none() {
                    key = name(content, at..end).map(|name| (name, end));
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    close(content, &mut key, at, &mut found);
                }
            }
            b',' if depth == 1 => close(content, &mut key, at, &mut found),
            _ => {}
        }
        at += 1;
    }
    found
}

/// The value between the colon behind a key and `end`.
fn close(
    content: &str,
    key: &mut Option<(String, usize)>,
    end: usize,
    into: &mut Vec<(String, Range<usize>)>,
) {
    let Some((name, from)) = key.take() else {
        return;
    };
    let between = &content[from..end];
    let lead = between.len()
        - between
            .trim_start_matches([':', ' ', '\n', '\t', '\r'])
            .len();
    let tail = between.len() - between.trim_end().len();
    into.push((name, from + lead..end - tail));
}

fn name(content: &str, range: Range<usize>) -> Option<String> {
    serde_json::from_str(&content[range]).ok()
}

/// Behind the closing quote of the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != b'"' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    (end + 1).min(bytes.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pieces(tokens: &[(&str, f64)]) -> Vec<Piece> {
        let piece = |(t, l): &(&str, f64)| (t.as_bytes().to_vec(), *l);
        tokens.iter().map(piece).collect()
    }

    #[test]
    fn confidence_is_located_by_key() {
        let half = 0.5_f64.ln();
        let tokens = pieces(&[
            ("{\"", 0.0),
            ("a\":", -9.0),
            (" \"x", half),
            ("y\",", half),
            ("\"b\": ", -9.0),
            ("[1, 2]", 0.0),
            ("}", -9.0),
        ]);
        let answer = Answer::whole(r#"{"a": "xy","b": [1, 2]}"#, &tokens).unwrap();
        assert!((answer.confidence("a").unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(answer.confidence("b"), Some(1.0));
        assert_eq!(answer.confidence("c"), None);
    }

    #[test]
    fn a_character_may_be_cut_by_tokens() {
        let tokens = [
            (b"{\"a\":\"".to_vec(), 0.0),
            (vec![0xe5, 0x8c], -1.0),
            (vec![0x97], -1.0),
            (b"\"}".to_vec(), 0.0),
        ];
        let answer = Answer::whole("{\"a\":\"北\"}", &tokens).unwrap();
        let sure = answer.confidence("a").unwrap();
        assert!((sure - (-0.5_f64).exp()).abs() < 1e-9, "{sure}");
    }

    #[test]
    fn tokens_that_spell_something_else_tell_nothing() {
        for tokens in [&[("{\"b\": 1}", 0.0)][..], &[]] {
            let answer = Answer::whole(r#"{"a": 1}"#, &pieces(tokens)).unwrap();
            assert_eq!(answer.confidence("a"), None);
        }
    }

    #[test]
    fn what_was_finished_before_the_cut_stands() {
        for (content, expected) in [
            (
                r#"{"a": "x", "b": [1, 2], "other": ["and so on and so"#,
                json!({"a": "x", "b": [1, 2]}),
            ),
            (
                r#"{"a": "x, \"b\": 1", "b": {"c": 1,"#,
                json!({"a": "x, \"b\": 1"}),
            ),
            (r#"{"a": "北", "b": "\"#, json!({"a": "北"})),
            (r#"{"a": nul, "b": 1, "c"#, json!({"b": 1})),
        ] {
            let values = Answer::cut(content, &[]).unwrap().values;
            assert_eq!(Value::Object(values), expected, "{content}");
        }
        for content in ["", "{", "{\"a", "[1, 2", "北\"\\"] {
            assert_eq!(
                Answer::cut(content, &[]),
                Err(NoAnswer::CutOff),
                "{content}"
            );
        }
    }

    #[test]
    fn what_is_no_object_is_told() {
        for content in ["[1]", "", "{\"a\": 1", "Sure! Here it is."] {
            let told = Answer::whole(content, &[]).unwrap_err().to_string();
            assert!(told.starts_with("the model did not keep to"), "{told}");
        }
    }
}
