//! The body of a chat completion, as OpenAI-compatible endpoints answer it.
//!
//! Knows where content, refusal, end and probabilities stand; what the content says is for
//! [`crate::answer`].

use crate::answer::{Answer, NoAnswer, Piece, shortened};
use serde_json::Value;

/// The reason why a body is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadAnswer {
    #[error("the answer is no JSON: {0}")]
    NotJson(String),
    #[error("the answer has no choices[0].message.content")]
    NoContent,
    #[error("the model refused: {0}")]
    Refused(String),
    #[error("the endpoint withheld the answer: content_filter")]
    Withheld,
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
}

/// Reads the body of a chat completion.
pub(super) fn read(body: &str) -> Result<Answer, BadAnswer> {
    let body: Value = serde_json::from_str(body).map_err(|e| BadAnswer::NotJson(e.to_string()))?;
    let choice = &body["choices"][0];
    let message = &choice["message"];
    if let Some(refusal) = message["refusal"].as_str().filter(|r| !r.is_empty()) {
        return Err(BadAnswer::Refused(shortened(refusal)));
    }
    if choice["finish_reason"] == "content_filter" {
        return Err(BadAnswer::Withheld);
    }
    let content = message["content"].as_str().ok_or(BadAnswer::NoContent)?;
    let pieces = pieces(&choice["logprobs"]["content"]);
    Ok(match choice["finish_reason"] == "length" {
        true => Answer::cut(content, &pieces)?,
        false => Answer::whole(content, &pieces)?,
    })
}

/// The tokens of the content with their log-probabilities. A token may be a part of a character:
/// only `bytes` tells it whole.
fn pieces(tokens: &Value) -> Vec<Piece> {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tokens_are_told_by_bytes_where_there_are_some() {
        let tokens = json!([
            {"token": "{\"a\":\"", "logprob": 0.0},
            {"token": "\u{fffd}", "bytes": [0xe5, 0x8c, 0x97], "logprob": -1.0},
            {"token": "\"}", "bytes": null, "logprob": 0.0},
        ]);
        let body = json!({"choices": [{"finish_reason": "stop", "message": {"content": "{\"a\":\"北\"}", "refusal": null}, "logprobs": {"content": tokens}}]});
        let sure = read(&body.to_string()).unwrap().confidence("a").unwrap();
        assert!((sure - (-1.0_f64 / 3.0).exp()).abs() < 1e-9, "{sure}");
    }

    #[test]
    fn what_is_no_answer_is_told() {
        let choice = |choice: Value| read(&json!({ "choices": [choice] }).to_string());
        assert_eq!(
            read("<html>").unwrap_err().to_string(),
            "the answer is no JSON: expected value at line 1 column 1"
        );
        assert_eq!(read("{}"), Err(BadAnswer::NoContent));
        assert_eq!(read("[]"), Err(BadAnswer::NoContent));
        assert_eq!(
            choice(json!({"message": {"refusal": "no"}})),
            Err(BadAnswer::Refused("no".to_owned()))
        );
        assert_eq!(
            choice(json!({"finish_reason": "content_filter", "message": {"content": "{}"}})),
            Err(BadAnswer::Withheld)
        );
        assert_eq!(
            choice(json!({"finish_reason": "length", "message": {"content": "{"}})),
            Err(BadAnswer::NoAnswer(NoAnswer::CutOff))
        );
    }
}
