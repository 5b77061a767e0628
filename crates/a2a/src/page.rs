//! Page tokens for lists of tasks (v1.0 §3.1.4) and of push configurations (§3.1.9).
//!
//! A token names the last task of the page before, and a hash of the query: lists are ordered by
//! the instant of the last change and then by identifier, so a page begins behind a task even if
//! that was deleted meanwhile. A token grants no access: permissions are checked again for every
//! page. Push configurations are ordered by identifier. Read next: [`crate::request::ListTasks`].

use crate::error::{Error, ErrorKind};
use crate::request::{ListPushConfigs, ListTasks};
use base64ct::{Base64UrlUnpadded, Encoding};
use schema::canonical;
use schema::time::Timestamp;
use serde_json::{Value, json};

/// The last task of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken {
    /// The time at which it came into its state.
    pub changed_at: Timestamp,
    /// Its identifier.
    pub task_id: String,
}

impl PageToken {
    /// True if a task comes behind the cursor: newest first, then by identifier.
    pub fn is_before(&self, changed_at: Timestamp, task_id: &str) -> bool {
        (self.changed_at, task_id) > (changed_at, self.task_id.as_str())
    }

    /// The token of the page behind it, for one query.
    pub fn token(&self, of: &ListTasks) -> String {
        let (at, id) = (self.changed_at.as_ms(), &self.task_id);
        Base64UrlUnpadded::encode_string(format!("{at}.{}.{id}", question(of)).as_bytes())
    }
}

/// The cursor from which the requested page begins; none for the first page.
///
/// # Errors
/// [`ErrorKind::InvalidParams`] for a token that was not made for this query.
pub fn cursor(of: &ListTasks) -> Result<Option<PageToken>, Error> {
    let Some(token) = &of.page_token else {
        return Ok(None);
    };
    let cursor = opened(token, &question(of));
    cursor.map(Some).ok_or_else(foreign)
}

fn foreign() -> Error {
    let message = "the page token is not one of this list";
    Error::new(ErrorKind::InvalidParams, message).at("pageToken", message)
}

/// The token of the page of push configurations behind the one with this identifier.
pub fn config_token(of: &ListPushConfigs, last: &str) -> String {
    let text = format!("{}.{last}", hashed(&json!(of.task_id)));
    Base64UrlUnpadded::encode_string(text.as_bytes())
}

/// The identifier behind which the requested page of push configurations begins; none for the first
/// page.
///
/// # Errors
/// [`ErrorKind::InvalidParams`] for a token that was not made for this task.
pub fn config_cursor(of: &ListPushConfigs) -> Result<Option<String>, Error> {
    let Some(token) = &of.page_token else {
        return Ok(None);
    };
    let bytes = Base64UrlUnpadded::decode_vec(token).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let parts = text.as_deref().and_then(|text| text.split_once('.'));
    let own = parts.filter(|(task, _)| *task == hashed(&json!(of.task_id)));
    own.map(|(_, last)| Some(last.to_owned()))
        .ok_or_else(foreign)
}

fn opened(token: &str, question: &str) -> Option<PageToken> {
    let bytes = Base64UrlUnpadded::decode_vec(token).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let mut parts = text.splitn(3, '.');
    let (at, asked, id) = (parts.next()?, parts.next()?, parts.next()?);
    let at: i64 = at.parse().ok()?;
    (asked == question).then(|| PageToken {
        changed_at: Timestamp::from_ms(at),
        task_id: id.to_owned(),
    })
}

/// A hash of the query, except for the page size, which may change from page to page.
fn question(of: &ListTasks) -> String {
    let asked = json!([
        of.context_id,
        of.status
            .map(|state| crate::wire::task_state(crate::version::Dialect::V10, state)),
        of.changed_since.map(Timestamp::as_ms),
    ]);
    hashed(&asked)
}

fn hashed(asked: &Value) -> String {
    let hash = canonical::hash(asked);
    Base64UrlUnpadded::encode_string(&hash[..6])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TaskState;
    use proptest::prelude::*;

    proptest! {
        /// A10: a token is valid for its own query alone, and returns its cursor.
        #[test]
        fn a_token_belongs_to_its_question(ms in 0i64..4_000_000_000_000, id in ".{1,40}") {
            let asked = ListTasks {
                status: Some(TaskState::Working),
                ..ListTasks::default()
            };
            let cursor = PageToken { changed_at: Timestamp::from_ms(ms), task_id: id };
            let token = Some(cursor.token(&asked));
            let again = ListTasks { page_token: token.clone(), page_size: Some(7), ..asked.clone() };
            prop_assert_eq!(super::cursor(&again), Ok(Some(cursor)));
            let other = ListTasks { page_token: token, ..ListTasks::default() };
            let refused = super::cursor(&other).expect_err("another question");
            prop_assert_eq!(refused.kind, ErrorKind::InvalidParams);
        }

        /// A token of push configurations is valid for its task alone.
        #[test]
        fn a_token_of_configurations_belongs_to_its_task(id in ".{1,40}") {
            let of = |task: &str, page_token| ListPushConfigs {
                task_id: task.to_owned(),
                page_size: None,
                page_token,
            };
            let token = Some(config_token(&of("t", None), &id));
            prop_assert_eq!(config_cursor(&of("t", token.clone())), Ok(Some(id)));
            let refused = config_cursor(&of("u", token)).expect_err("another task");
            prop_assert_eq!(refused.kind, ErrorKind::InvalidParams);
        }

        #[test]
        fn forged_tokens_are_refused(token in ".{0,40}") {
            let asked = ListTasks { page_token: Some(token), ..ListTasks::default() };
            prop_assert!(super::cursor(&asked).is_err());
        }
    }

    /// Newest first, and each task on one page.
    #[test]
    fn pages_follow_each_other() {
        let at = Timestamp::from_ms;
        let cursor = PageToken {
            changed_at: at(5),
            task_id: "m".into(),
        };
        assert!(cursor.is_before(at(4), "a"));
        assert!(cursor.is_before(at(5), "n"));
        assert!(!cursor.is_before(at(5), "m"));
        assert!(!cursor.is_before(at(5), "a"));
        assert!(!cursor.is_before(at(6), "z"));
    }
}
