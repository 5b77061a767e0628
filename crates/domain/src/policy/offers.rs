//! What is offered in a decision that waits: looked into by key, and copied nowhere.
//!
//! Contents may be large, and many decisions may wait; so they stay where they are. Read next: [`super`].

use crate::content::Content;
use crate::negotiation::Negotiation;
use crate::task::Task;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The longest text that is told, in bytes.
const TEXT_MOST: usize = 64;

/// What is offered; of what is no offer, what it is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Offers {
    /// Nothing that a rule could look into.
    #[default]
    Nothing,
    /// The offer that stands in a negotiation.
    Standing(Arc<Negotiation>),
    /// A task about which something is asked: no offer.
    Asked(Arc<Task>),
    /// The values of each alternative, best first.
    Values(Vec<Map<String, Value>>),
}

impl Offers {
    /// How many alternatives are offered.
    pub fn alternatives(&self) -> usize {
        match self {
            Self::Nothing | Self::Asked(_) => 0,
            Self::Standing(_) => self.contents().len(),
            Self::Values(values) => values.len(),
        }
    }

    /// A value of an alternative, from 0.
    pub fn value(&self, alternative: usize, key: &str) -> Option<&Value> {
        match self {
            Self::Nothing | Self::Asked(_) => None,
            Self::Standing(_) => values(self.contents().get(alternative)?)?.get(key),
            Self::Values(all) => all.get(alternative)?.get(key),
        }
    }

    /// What a person is told in few words: numbers, truth values and short texts of the first alternative, or of the
    /// task.
    pub fn told(&self) -> impl Iterator<Item = (&String, &Value)> {
        let values = match self {
            Self::Nothing => None,
            Self::Standing(_) => self.contents().first().and_then(values),
            Self::Asked(task) => values(&task.content),
            Self::Values(all) => all.first(),
        };
        values.into_iter().flatten().filter(|(_, it)| is_short(it))
    }

    fn contents(&self) -> &[Content] {
        match self {
            Self::Standing(negotiation) => {
                let standing = negotiation.standing();
                standing.map_or(&[], |turn| &turn.speech.contents)
            }
            _ => &[],
        }
    }
}

fn values(content: &Content) -> Option<&Map<String, Value>> {
    Some(&content.payload.as_ref()?.values)
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::Number(_) | Value::Bool(_) => true,
        Value::String(text) => text.len() <= TEXT_MOST,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}
