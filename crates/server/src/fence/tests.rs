//! What the tests of all that goes out begin with: a fence whose lead is given back, and a listener that hears
//! whether anything comes.
//!
//! Skipped, and said so, without PostgreSQL, where leases are.

use super::Fence;
use std::error::Error;
use std::time::Duration;
use store::lead::{LeadCandidate, Lease, Taking};
use testkit::postgres::{Database, shared};
use testkit::within;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

/// A reason of whatever kind.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// A lead, and its database.
pub(crate) struct Lead {
    pub(crate) lease: Lease,
    _database: Database<'static>,
}

/// A lead, if there is PostgreSQL.
pub(crate) fn lead() -> Option<Lead> {
    let database = shared()?.database();
    let candidate = LeadCandidate {
        fingerprint: "SHA256:host".to_owned(),
        node: "a".to_owned(),
        rules: String::new(),
        any_rules: true,
        ttl: Duration::from_secs(60),
        durable: false,
    };
    match Lease::take(&database.by_socket().parse().unwrap(), &candidate).unwrap() {
        Taking::Leads(lease) => Some(Lead {
            lease,
            _database: database,
        }),
        Taking::Obstructed(why) => panic!("{why}"),
    }
}

/// Asserts that what this sends to an origin, behind a fence, arrives while its node leads, and not once it has given
/// the lead back.
pub(crate) async fn goes_out_only_while_leading(
    send: impl AsyncFn(String, Fence) -> Result<(), BoxError>,
) {
    let Some(Lead { lease, _database }) = lead() else {
        return;
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let heard = async || {
        let (mut stream, _) = within("a connection", listener.accept()).await.unwrap();
        let mut bytes = [0; 1_024];
        let read = within("bytes, or the end", stream.read(&mut bytes)).await;
        read.unwrap_or(0)
    };
    let sent = || send(origin.clone(), Fence::of(lease.clone()));
    let (_, bytes) = tokio::join!(sent(), heard());
    assert!(bytes > 0, "it leads");
    lease.release(None).unwrap();
    let (sent, bytes) = tokio::join!(sent(), heard());
    assert_eq!((bytes, sent.is_err()), (0, true));
}
