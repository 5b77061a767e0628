//! Opening a state in PostgreSQL: the session of the writer, and the lease that keeps the state ours.
//!
//! Read next: [`crate::lead`], leases; [`super::owner`], the row that says whose it is; [`super::schema`], the
//! tables.

use super::address::PostgresAddress;
use super::net::Net;
use super::owner::{Held, Owner};
use super::reach::{prepared, session};
use super::schema;
use super::session::{PATIENCE, Session};
use crate::lead::Lease;
use crate::open::OpenError;

/// Opens the state in a database under this lease, or takes it for `holder`; makes the tables that say whose it
/// is, if there are none. One that is `durable` promises to lose nothing. The lease is dropped once nothing more
/// is written.
pub(crate) fn open(
    address: &PostgresAddress,
    holder: &str,
    durable: bool,
    lease: Option<&Lease>,
) -> Result<(Session, Lease), OpenError> {
    let lease = match lease {
        Some(lease) => lease.clone(),
        None => Lease::alone(address, holder, durable)?,
    };
    let (_, writer) = prepared(address, durable)?;
    lease.fences(&writer)?;
    // The owner is kept meanwhile.
    writer.patiently(PATIENCE, || schema::upgrade(&writer))?;
    Ok((writer, lease))
}

/// A session that reads the state in a database, whoever owns that.
pub(crate) fn reader(address: &PostgresAddress) -> Result<Session, OpenError> {
    session(&Net::start().map_err(OpenError::Thread)?, address)
}

/// Refuses a state in a database that a platform owns just now.
pub(crate) fn unowned(session: &Session) -> Result<(), OpenError> {
    match Owner::held(session)? {
        Some(Held { by, left }) => Err(OpenError::Held { by, left }),
        None => Ok(()),
    }
}
