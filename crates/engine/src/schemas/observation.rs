//! What a payload teaches about its schema, as a row that waits to be taken in.
//!
//! Committed with the task that brought the payload, so that nothing is counted twice or lost.
//! Natural language of users: the store encrypts it. Read next: [`super::evolving`].

use domain::time::Timestamp;
use serde_json::{Map, Value, json};

/// One payload, or one delivery of patches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observed {
    /// The scenario.
    pub(crate) scenario: String,
    /// The client.
    pub(crate) client: String,
    /// When.
    pub(crate) at: Timestamp,
    /// What.
    pub(crate) lesson: Lesson,
}

/// What is learnt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Lesson {
    /// A payload came.
    Payload {
        /// As it came.
        values: Map<String, Value>,
        /// Whether it was accepted.
        accepted: bool,
        /// What `other` said, normalised.
        fragments: Vec<String>,
        /// What was asked for in plain words; empty if unknown.
        request: String,
    },
    /// Somebody asked for a capability in plain words, normalised.
    Wish(String),
    /// The client was given the patches that there were.
    Delivered,
}

impl Lesson {
    /// The longest wish, in characters (`text` of `request-capability-extension`): each is compared
    /// with all that was wished before.
    pub(crate) const WISH_MOST: usize = 4_096;
}

impl Observed {
    /// As a row.
    pub(crate) fn encode(&self) -> String {
        let mut row = json!({
            "scenario": self.scenario,
            "client": self.client,
            "at": self.at.as_ms(),
        });
        match &self.lesson {
            Lesson::Payload {
                values,
                accepted,
                fragments,
                request,
            } => {
                row["payload"] = json!({
                    "values": values, "accepted": accepted, "fragments": fragments,
                    "request": request,
                });
            }
            Lesson::Wish(text) => row["wish"] = text.as_str().into(),
            Lesson::Delivered => {}
        }
        row.to_string()
    }

    /// From a row; none if it is not one. Of a wish that a release before took at any length, the
    /// beginning.
    pub(crate) fn decode(row: &str) -> Option<Self> {
        let row: Value = serde_json::from_str(row).ok()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Self {
            scenario: text(&row["scenario"])?,
            client: text(&row["client"])?,
            at: Timestamp::from_ms(row["at"].as_i64()?),
            lesson: match (row.get("payload"), row.get("wish")) {
                (None, None) => Lesson::Delivered,
                (None, Some(wish)) => {
                    let wish = wish.as_str()?.chars();
                    Lesson::Wish(wish.take(Lesson::WISH_MOST).collect())
                }
                (Some(payload), _) => Lesson::Payload {
                    values: payload["values"].as_object()?.clone(),
                    accepted: payload["accepted"].as_bool()?,
                    fragments: payload["fragments"]
                        .as_array()?
                        .iter()
                        .filter_map(text)
                        .collect(),
                    request: text(&payload["request"])?,
                },
            },
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let of = |lesson| Observed {
            scenario: "flight_booking".to_owned(),
            client: "traveller".to_owned(),
            at: Timestamp::from_ms(1_700_000_000_123),
            lesson,
        };
        let payload = Lesson::Payload {
            values: json!({ "origin": "PEK", "other": "窗边 seat" })
                .as_object()
                .unwrap()
                .clone(),
            accepted: true,
            fragments: vec!["窗边 seat".to_owned()],
            request: "book".to_owned(),
        };
        for observed in [
            of(payload),
            of(Lesson::Wish("窗".to_owned())),
            of(Lesson::Delivered),
        ] {
            assert_eq!(Observed::decode(&observed.encode()), Some(observed));
        }
        assert_eq!(Observed::decode("{}"), None);
        let long = of(Lesson::Wish("窗".repeat(Lesson::WISH_MOST + 1))).encode();
        let cut = of(Lesson::Wish("窗".repeat(Lesson::WISH_MOST)));
        assert_eq!(Observed::decode(&long), Some(cut));
    }
}
