//! NETCONF without IO: the protocol of RFC 6241 as values and machines, for the server's and the
//! client's side. No socket, no clock, no runtime: bytes and the time come in as arguments, bytes
//! and events go out. The meaning of the data is not known here.
//!
//! # A tour
//! - [`xml`]: the guarded parser that every byte from outside passes, and escaping.
//! - [`framing`]: the division of the stream into messages (RFC 6242).
//! - [`hello`] and [`names`]: capabilities, and their negotiation.
//! - [`session`]: the server's machine; it yields [`session::Rpc`]s and takes replies.
//! - [`client`]: the client's machine; it takes calls and yields replies and notifications.
//! - [`error`]: `<rpc-error>` as a value.
//! - [`data`]: the data of an answer, and the writer that prunes while writing.
//! - [`filter`]: filters, access rules, and the view of both for providers.
//!
//! # Both sides, joined in memory
//! ```
//! use netconf::client::{ClientEvent, ClientSession};
//! use netconf::data::{self, Node};
//! use netconf::filter::{Projection, Selection};
//! use netconf::hello::Capabilities;
//! use netconf::names::{capability, namespace};
//! use netconf::session::{Session, SessionConfig, SessionEvent};
//!
//! let capabilities = Capabilities::new([capability::BASE_1_0, capability::BASE_1_1]);
//! let mut server = Session::new(SessionConfig::new(capabilities), 1, 0);
//! let mut client = ClientSession::default();
//! client.call(
//!     "<get><filter type='subtree'><fleet xmlns='urn:example:fleet'>\
//!        <ship><name>Argo</name></ship></fleet></filter></get>",
//! );
//!
//! let mut answer = None;
//! while answer.is_none() {
//!     server.receive(&client.transmit(), 0);
//!     while let Some(event) = server.poll() {
//!         let SessionEvent::Rpc(rpc) = event else { continue };
//!         let filter = rpc.operation().child(namespace::BASE, "filter");
//!         let selection = match filter {
//!             Some(filter) => Selection::subtree(filter)?,
//!             None => Selection::everything(),
//!         };
//!         let fleet = Node::container("urn:example:fleet", "fleet")
//!             .list("ship", 1, [("Argo", 50u32), ("Fram", 16)], |ship, (name, crew)| {
//!                 ship.leaf("name", name).leaf("crew", crew)
//!             });
//!         server.reply_data(&rpc.envelope, |out| {
//!             data::write(&fleet, &Projection::of(&selection), out);
//!         });
//!     }
//!     client.receive(&server.transmit());
//!     while let Some(event) = client.poll() {
//!         if let ClientEvent::Reply(reply) = event {
//!             answer = reply.data().map(|data| data.verbatim().to_owned());
//!         }
//!     }
//! }
//! assert_eq!(
//!     answer.as_deref(),
//!     Some(
//!         "<data><fleet xmlns=\"urn:example:fleet\">\
//!          <ship><name>Argo</name><crew>50</crew></ship></fleet></data>"
//!     )
//! );
//! # Ok::<(), netconf::filter::FilterError>(())
//! ```

#![forbid(unsafe_code)]

pub mod client;
pub mod data;
pub mod error;
pub mod filter;
pub mod framing;
pub mod hello;
pub mod names;
pub mod session;
pub mod xml;
pub mod xpath;
