//! RESTCONF (RFC 8040): the data, rpcs and events that NETCONF serves at the endpoints of the platform and of the
//! management systems of its network, over HTTP.
//!
//! Floor by floor, from the top; each knows only those below it:
//!
//! - [`Restconf`] answers a [`RestconfRequest`] with a [`RestconfAnswer`];
//! - `retrieve` reads data, `operations` carries rpcs out, `events` streams what happens;
//! - `identifier` and `fields` read paths of nodes by the schema, `query` the parameters of a request;
//! - `json` writes and reads data as JSON (RFC 7951), by the `place` of each node in the schema;
//! - `errors` is the one place that knows status codes, `media` which encodings there are, `resource` which
//!   resources, `escape` what percent signs mean.
//!
//! Selection, rights, dispatch of rpcs and the encoding as XML are those of [`crate::netconf`]
//! (`netconf/sessionless.rs`); nothing is decided here. Sockets, credentials and limits are the server's.

mod answer;
mod binding;
mod errors;
mod escape;
mod events;
mod fields;
mod identifier;
mod json;
mod media;
mod operations;
mod place;
mod query;
mod resource;
mod retrieve;

pub use crate::netconf::{ROOT, SYSTEMS};
pub use answer::{RestconfAnswer, RestconfBody};
pub use binding::{Restconf, RestconfRequest};
pub use events::{EventStream, Frames};

/// The name of the module whose containers and leaves are the resources that are no data.
const MODULE: &str = "ietf-restconf";
