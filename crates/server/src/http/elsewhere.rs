//! What answers requests in place of the routes of a server: the way to another node of a cluster.
//!
//! The contract alone. Read next: [`super::forward`], the two ends of that way.

use super::body::HttpResponse;
use super::wire::Pace;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// A request that is answered elsewhere.
pub struct ForwardRequest {
    /// Its head, which passed the checks, with its credential.
    pub head: Parts,
    /// Its body.
    pub body: Incoming,
    /// Where its client is connected from.
    pub source: SocketAddr,
    /// The certificate that its client has shown, in DER.
    pub certificate: Option<Vec<u8>>,
    /// The number of its connection, unique at this server.
    pub connection: u64,
}

/// The response of another node, and the user to whom it is, if the request had a credential that counts.
pub type ForwardedAnswer = (HttpResponse, Option<String>);

/// Is told when a route begins to read the body of a request, whose client sends it no sooner. It stands in the
/// extensions of the head.
#[derive(Clone, Debug)]
pub(crate) struct BodyWanted(pub(crate) watch::Sender<bool>);

/// What answers in place of the routes of this server.
pub trait Elsewhere: Send + Sync + 'static {
    /// Answers a request; a refusal is an answer too.
    fn answer(
        &self,
        request: ForwardRequest,
    ) -> Pin<Box<dyn Future<Output = ForwardedAnswer> + Send + '_>>;

    /// Notes that a connection has ended.
    fn gone(&self, connection: u64);
}

/// Tells that a connection has ended on which something was asked, however it does.
pub(super) struct Gone {
    pub(super) elsewhere: Arc<dyn Elsewhere>,
    pub(super) connection: u64,
    pub(super) pace: Arc<Pace>,
}

impl Drop for Gone {
    fn drop(&mut self) {
        if self.pace.has_begun() {
            self.elsewhere.gone(self.connection);
        }
    }
}
