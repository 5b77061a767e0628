//! Writing JSON objects member by member.
//!
//! Empty members are left out. Knows no object of A2A. Read next: [`super::message`].

use crate::message::Metadata;
use serde_json::{Map, Value};

/// An object that is being written.
#[derive(Default)]
pub(crate) struct Members(Map<String, Value>);

impl Members {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a member.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a member if there is a value.
    pub(crate) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a text if there is one.
    pub(crate) fn text(self, name: &str, text: Option<&String>) -> Self {
        self.maybe(name, text.map(String::as_str))
    }

    /// Adds a flag if it is true.
    pub(crate) fn flag(self, name: &str, flag: bool) -> Self {
        self.maybe(name, flag.then_some(true))
    }

    /// Adds texts if there are any.
    pub(crate) fn texts(self, name: &str, texts: &[String]) -> Self {
        self.maybe(name, (!texts.is_empty()).then(|| texts.to_vec()))
    }

    /// Adds metadata if there are any.
    pub(crate) fn free(self, name: &str, free: &Metadata) -> Self {
        self.maybe(name, (!free.is_empty()).then(|| free.clone()))
    }

    /// Adds an array, written element by element, if it is not empty.
    pub(crate) fn each<T>(self, name: &str, all: &[T], write: impl Fn(&T) -> Value) -> Self {
        let written = || all.iter().map(write).collect::<Value>();
        self.maybe(name, (!all.is_empty()).then(written))
    }

    pub(crate) fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

impl From<Members> for Value {
    fn from(members: Members) -> Self {
        Self::Object(members.0)
    }
}
