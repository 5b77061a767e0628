//! The reply of `task-negotiate`: the content of `output/data` (module convoke-negotiation).
//!
//! Read next: [`crate::task`].

use crate::content::Content;
use crate::task::{Awaits, Status, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The verdict of an answer.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Taken on, or agreed.
    Accepted,
    /// A counter-offer follows in the content.
    Offered,
    /// Refused, for the reasons given.
    Refused,
    /// More input is needed; the content says which.
    InputRequired,
    /// The answer or the result follows in the content.
    Result,
    /// Not answered yet; a notification follows with the answer.
    Pending,
}

crate::named! {
    /// The name in module convoke-negotiation.
    Verdict
}

/// One reason for a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// A short identifier, e.g. `no-capacity`.
    pub reason: String,
    /// The key or leaf concerned; empty if none.
    pub path: String,
    /// The explanation, for people.
    pub message: String,
}

impl Reason {
    /// The size of its texts in bytes.
    pub fn bytes(&self) -> usize {
        self.reason.len() + self.path.len() + self.message.len()
    }
}

/// The reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The task it is about; none for a capability request.
    pub task: Option<TaskId>,
    /// The state of the task after this exchange; agents leave it empty, the platform fills it in.
    pub status: Option<Status>,
    /// The verdict.
    pub verdict: Verdict,
    /// Round of the negotiation.
    pub round: Option<u32>,
    /// The number of the alternative that is accepted, from 1; none if only one was offered, or
    /// none is accepted.
    pub alternative: Option<u32>,
    /// Sections; empty if there is nothing to say.
    pub content: Vec<Content>,
    /// The reasons for a refusal; all at once.
    pub reasons: Vec<Reason>,
}

impl Reply {
    /// An answer with this verdict and content.
    pub fn new(verdict: Verdict, content: Vec<Content>) -> Self {
        Self {
            task: None,
            status: None,
            verdict,
            round: None,
            alternative: None,
            content,
            reasons: Vec::new(),
        }
    }

    /// An acceptance, with nothing more to say.
    pub fn accepted() -> Self {
        Self::new(Verdict::Accepted, Vec::new())
    }

    /// A refusal, for one reason.
    pub fn refused(reason: &str, path: &str, message: impl Into<String>) -> Self {
        Self {
            reasons: vec![Reason {
                reason: reason.to_owned(),
                path: path.to_owned(),
                message: message.into(),
            }],
            ..Self::new(Verdict::Refused, Vec::new())
        }
    }

    /// The thing that the task awaits, as the reply to a `taskResultQuery` says it; none if it
    /// awaits nothing.
    pub fn awaits(&self) -> Option<Awaits> {
        match (self.status?, self.verdict) {
            (Status::AuthRequired, _) => Some(Awaits::Credentials),
            (Status::InputRequired, Verdict::Result) => Some(Awaits::Judgement),
            (Status::InputRequired, Verdict::Offered) => Some(Awaits::Decision),
            (Status::InputRequired, _) => Some(Awaits::Answer),
            _ => None,
        }
    }
}

impl Reply {
    /// The reply as one JSON object with the names of module convoke-negotiation: its form in
    /// `data-params` beside the exchange it answers.
    pub fn to_json(&self) -> String {
        let mut object = serde_json::Map::new();
        if let Some(task) = &self.task {
            object.insert("task-id".into(), json!(task.as_str()));
        }
        if let Some(status) = self.status {
            object.insert("task-status".into(), json!(status.as_str()));
        }
        object.insert("verdict".into(), json!(self.verdict.as_str()));
        if let Some(round) = self.round {
            object.insert("round".into(), json!(round));
        }
        if let Some(alternative) = self.alternative {
            object.insert("alternative".into(), json!(alternative));
        }
        if !self.content.is_empty() {
            let sections: Vec<String> = self.content.iter().map(Content::render).collect();
            object.insert("content".into(), json!(sections));
        }
        if !self.reasons.is_empty() {
            let reasons: Vec<Value> = self
                .reasons
                .iter()
                .map(|r| json!({ "reason": r.reason, "path": r.path, "message": r.message }))
                .collect();
            object.insert("refusal".into(), json!(reasons));
        }
        Value::Object(object).to_string()
    }

    /// Reads what [`Reply::to_json`] wrote; none for anything else.
    pub fn from_json(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let word = |key: &str| value.get(key).and_then(Value::as_str);
        let list = |key: &str| {
            value
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let content = list("content").map(|c| Content::parse(c.as_str()).ok());
        let reasons = list("refusal").map(|r| {
            let part = |key: &str| Some(r.get(key)?.as_str()?.to_owned());
            Some(Reason {
                reason: part("reason")?,
                path: part("path")?,
                message: part("message")?,
            })
        });
        let number = |key: &str| value.get(key)?.as_u64()?.try_into().ok();
        Some(Self {
            task: word("task-id").map(TaskId::new),
            status: word("task-status").and_then(Status::parse),
            verdict: Verdict::parse(word("verdict")?)?,
            round: number("round"),
            alternative: number("alternative"),
            content: content.collect::<Option<_>>()?,
            reasons: reasons.collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reading_undoes_writing() {
        let mut reply = Reply::refused("no-capacity", "target", "busy until \"noon\"");
        reply.task = Some(TaskId::new("t-1"));
        reply.status = Some(Status::Rejected);
        reply.round = Some(2);
        reply.alternative = Some(3);
        reply.content = vec![Content::new("site-1", "diagnose").with_result("none")];
        assert_eq!(Reply::from_json(&reply.to_json()), Some(reply));
        let bare = Reply::accepted();
        assert_eq!(Reply::from_json(&bare.to_json()), Some(bare));
        assert_eq!(Reply::from_json("{}"), None);
    }
}
