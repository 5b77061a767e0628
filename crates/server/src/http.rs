//! The HTTP server: the checks before a request reaches its route.
//!
//! A tour: [`listener`] accepts, within the bounds of [`limits`] that `admission` counts;
//! `connection` is one connection, over [`tls`] or plain, with the timeouts of `wire`, in the
//! `turns` of its user or source; `server` takes a request through [`guard`], [`caller`] (a token,
//! or a [`certificate`]; `audit` has the events; `session`, when a cookie counts) and [`router`] to a route, which is handed an
//! [`HttpRequest`] and answers with a [`body`] or a [`problem`]; `delivery` watches that it is
//! taken, and counts what is `untaken`. Bodies `share` a limit of memory, and `shortage` closes idle
//! connections while memory is short. [`routes`] are those of every server; [`forward`] has the requests
//! that one node of a cluster takes and another answers, by the contract in [`elsewhere`].
//!
//! Protocols mount routes of their own on the [`Router`]: a guarded route is handed the [`Caller`],
//! whose principal is that of a NETCONF session of the same name, and translates the request to an
//! `engine::Operation`. No protocol is known here.

mod admission;
mod audit;
pub mod body;
pub mod caller;
pub mod certificate;
mod connection;
mod delivery;
pub mod elsewhere;
pub mod forward;
pub mod guard;
pub mod limits;
pub mod listener;
pub mod problem;
pub mod request;
pub mod router;
pub mod routes;
mod server;
pub(crate) mod session;
mod share;
mod shortage;
pub mod tls;
mod turns;
mod untaken;
mod wire;

pub use body::HttpResponse;
pub use caller::{Caller, HttpAuthenticator, Proof};
pub(crate) use elsewhere::BodyWanted;
pub use elsewhere::{Elsewhere, ForwardRequest, ForwardedAnswer};
pub use limits::HttpLimits;
pub use listener::{HttpListener, HttpServing, HttpSetup};
pub use problem::Problem;
pub use request::{HttpRequest, RequestBytes};
pub use router::Router;

use std::net::SocketAddr;

/// The address of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpListening {
    /// The address, with the actual port.
    pub address: SocketAddr,
    /// True if it uses TLS.
    pub secure: bool,
}

impl HttpListening {
    /// `http` or `https`.
    pub fn protocol(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }
}
