//! One reading of the data: at which endpoint, in whose name, and how much it has read.
//!
//! Knows no node. Read next: [`super`], which goes through all of them.

use crate::netconf::platform::Platform;
use crate::netconf::session_schema::SessionSchema;
use ::netconf::filter::{Keys, View};
use domain::access::Principal;
use domain::time::Timestamp;
use engine::{Endpoint, Query, Refusal};
use std::cell::Cell;

/// One reading of the data.
pub(in crate::netconf) struct Reader<'r> {
    pub(in crate::netconf) platform: &'r Platform,
    pub(in crate::netconf) session_schema: &'r SessionSchema,
    pub(in crate::netconf) endpoint: &'r Endpoint,
    pub(in crate::netconf) who: &'r Principal,
    pub(in crate::netconf) now: Timestamp,
    /// How many bytes were read key by key.
    pub(in crate::netconf) keyed_bytes: Cell<u64>,
}

impl Reader<'_> {
    /// The agent whose `agent`, `tasks`, `context` and `data-params` this endpoint serves.
    pub(super) fn own_agent(&self) -> &str {
        match self.endpoint {
            Endpoint::Platform | Endpoint::Ems(_) => self.platform.engine.default_agent(),
            Endpoint::Agent(name) => name,
        }
    }

    /// Whose records this endpoint holds: those of its agent, or all.
    pub(super) fn party(&self) -> Option<String> {
        match self.endpoint {
            Endpoint::Platform | Endpoint::Ems(_) => None,
            Endpoint::Agent(name) => Some(name.clone()),
        }
    }

    /// Answers a query; all that is read key by key is bounded like what is read at once.
    pub(super) fn read<Q: Query>(&self, query: Q) -> Result<Q::Output, Refusal> {
        let engine = &self.platform.engine;
        let weigh = query.keyed();
        let found = engine.browse(self.who, query, self.now)?;
        if let Some(weigh) = weigh {
            let bytes = self.keyed_bytes.get() + weigh(&found);
            self.keyed_bytes.set(bytes);
            if bytes > engine.read_bytes() {
                return Err(engine.too_much());
            }
        }
        Ok(found)
    }
}

/// The values of a key that can be selected at all, or none for all.
pub(super) fn keys(view: &View<'_>, key: &str) -> Option<Vec<String>> {
    match view.demanded_keys(key) {
        Keys::Any => None,
        Keys::Exactly(values) => Some(values.into_iter().map(str::to_owned).collect()),
    }
}
