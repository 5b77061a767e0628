//! What an endpoint answers, and how sure it is of each key.
//!
//! Probabilities come token by token, and may be from before the constraint was applied; so they
//! are located by the key whose value they spell, never counted from the start of the object.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;

/// Why an answer is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadAnswer {
    #[error("the answer is no JSON: {0}")]
    NotJson(String),
    #[error("the answer has no choices[0].message.content")]
    NoContent,
    #[error("the model refused: {0}")]
    Refused(String),
    #[error("the answer was cut off at the limit of tokens")]
    CutOff,
    #[error("the model did not keep to the response format: {0}")]
    NotAnObject(String),
}

/// The object that a model wrote, and the probability of each piece of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// Its members.
    pub(super) values: Map<String, Value>,
    confidences: BTreeMap<String, f64>,
}

impl Answer {
    /// How sure the model is of a key's value: the geometric mean of the probabilities of its
    /// tokens; none if it did not tell.
    pub(super) fn confidence(&self, key: &str) -> Option<f64> {
        self.confidences.get(key).copied()
    }
}

/// Reads the body of a chat completion.
pub(super) fn read(body: &str) -> Result<Answer, BadAnswer> {
    let body: Value = serde_json::from_str(body).map_err(|e| BadAnswer::NotJson(e.to_string()))?;
    let choice = &body["choices"][0];
    if let Some(refusal) = choice["message"]["refusal"].as_str() {
        return Err(BadAnswer::Refused(shortened(refusal)));
    }
    if choice["finish_reason"] == "length" {
        return Err(BadAnswer::CutOff);
    }
    let content = choice["message"]["content"]
        .as_str()
        .ok_or(BadAnswer::NoContent)?;
    let values = match serde_json::from_str(content) {
        Ok(Value::Object(values)) => values,
        Ok(_) => return Err(BadAnswer::NotAnObject(shortened(content))),
        Err(error) => {
            return Err(BadAnswer::NotAnObject(format!(
                "{error} in {}",
                shortened(content)
            )));
        }
    };
    let confidences = located(content, &pieces(&choice["logprobs"]["content"]));
    Ok(Answer {
        values,
        confidences,
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The tokens of the content with their log-probabilities. A token may be a part of a character:
/// only `bytes` tells it whole.
fn pieces(tokens: &Value) -> Vec<(Vec<u8>, f64)> {
    let byte = |b: &Value| b.as_u64().and_then(|b| u8::try_from(b).ok());
    let piece = |t: &Value| {
        let bytes = t["bytes"]
            .as_array()
            .map(|all| all.iter().filter_map(byte).collect());
        let spelled = bytes.or_else(|| Some(t["token"].as_str()?.as_bytes().to_vec()))?;
        Some((spelled, t["logprob"].as_f64()?))
    };
    tokens
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(piece)
        .collect()
}

/// The confidence in each key whose value's tokens are found; nothing if the tokens do not spell
/// the content.
fn located(content: &str, pieces: &[(Vec<u8>, f64)]) -> BTreeMap<String, f64> {
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
fn overlapping(pieces: &[(Vec<u8>, f64)], range: &Range<usize>) -> Vec<f64> {
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

/// Where the value of each member of the outermost object stands.
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

    fn body(content: &str, tokens: &[(&str, f64)]) -> String {
        let tokens: Vec<Value> = tokens
            .iter()
            .map(|(t, l)| json!({"token": t, "logprob": l}))
            .collect();
        json!({"choices": [{"finish_reason": "stop", "message": {"content": content}, "logprobs": {"content": tokens}}]}).to_string()
    }

    #[test]
    fn confidence_is_located_by_key() {
        let half = 0.5_f64.ln();
        let tokens = [
            ("{\"", 0.0),
            ("a\":", -9.0),
            (" \"x", half),
            ("y\",", half),
            ("\"b\": ", -9.0),
            ("[1, 2]", 0.0),
            ("}", -9.0),
        ];
        let answer = read(&body(r#"{"a": "xy","b": [1, 2]}"#, &tokens)).unwrap();
        assert!((answer.confidence("a").unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(answer.confidence("b"), Some(1.0));
        assert_eq!(answer.confidence("c"), None);
    }

    #[test]
    fn a_character_may_be_cut_by_tokens() {
        let bytes = |b: &[u8], l: f64| json!({"token": "", "bytes": b, "logprob": l});
        let content = "{\"a\":\"北\"}";
        let tokens = [
            bytes(b"{\"a\":\"", 0.0),
            bytes(&[0xe5, 0x8c], -1.0),
            bytes(&[0x97], -1.0),
            bytes(b"\"}", 0.0),
        ];
        let body = json!({"choices": [{"message": {"content": content}, "logprobs": {"content": tokens}}]});
        let sure = read(&body.to_string()).unwrap().confidence("a").unwrap();
        assert!((sure - (-0.5_f64).exp()).abs() < 1e-9, "{sure}");
    }

    #[test]
    fn tokens_that_spell_something_else_tell_nothing() {
        let answer = read(&body(r#"{"a": 1}"#, &[("{\"b\": 1}", 0.0)])).unwrap();
        assert_eq!(answer.confidence("a"), None);
        assert_eq!(
            read(&body(r#"{"a": 1}"#, &[])).unwrap().confidence("a"),
            None
        );
    }

    #[test]
    fn what_is_no_answer_is_told() {
        assert_eq!(
            read("<html>").unwrap_err().to_string(),
            "the answer is no JSON: expected value at line 1 column 1"
        );
        assert_eq!(read("{}"), Err(BadAnswer::NoContent));
        assert_eq!(
            read(&json!({"choices": [{"message": {"refusal": "no"}}]}).to_string()),
            Err(BadAnswer::Refused("no".to_owned()))
        );
        assert_eq!(
            read(
                &json!({"choices": [{"finish_reason": "length", "message": {"content": "{"}}]})
                    .to_string()
            ),
            Err(BadAnswer::CutOff)
        );
        assert!(matches!(
            read(&body("[1]", &[])),
            Err(BadAnswer::NotAnObject(_))
        ));
    }
}
