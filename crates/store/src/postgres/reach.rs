//! From an address to a session with a database that will do.
//!
//! Read next: [`super::fitness`], [`super::schema`].

use super::address::PostgresAddress;
use super::net::{ConnectError, Net};
use super::session::Session;
use super::{fitness, schema};
use crate::open::OpenError;
use std::sync::Arc;

/// A session with a database that will do, and that has the tables that say whose a state is.
pub(crate) fn prepared(
    address: &PostgresAddress,
    durable: bool,
) -> Result<(Arc<Net>, Session), OpenError> {
    let net = Net::start().map_err(OpenError::Thread)?;
    let session = session(&net, address)?;
    if let Err(unfit) = fitness::check(&session, durable)? {
        let reason = unfit.to_string();
        return Err(OpenError::Unfit { reason });
    }
    schema::prepare(&session)?;
    Ok((net, session))
}

/// A session with the database.
pub(crate) fn session(net: &Arc<Net>, address: &PostgresAddress) -> Result<Session, OpenError> {
    Session::open(net, address).map_err(|error: ConnectError| OpenError::Unreachable {
        address: Box::new(address.clone()),
        passes: error.passes(),
        reason: error.to_string(),
    })
}
