//! The nodes that a state may be led by, and who leads.
//!
//! Each node writes a row of its own, again and again; times are those of the database's clock, and one
//! that was not written for the time of the lease is of a node that is gone. Read next: `postgres::nodes`,
//! the statements.

use super::rows::{Announced, Announcement, LeadRow, NodeRow};
use crate::failure::SqlFailure;
use crate::open::OpenError;
use crate::postgres::address::PostgresAddress;
use crate::postgres::reach::prepared;
use crate::postgres::session::Session;
use crate::postgres::{nodes, owner};
use domain::cluster::NodeRequest;
use std::fmt;
use std::time::Duration;

/// The longest wait for one answer of the directory.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The nodes of a state, on a session of its own, which is made anew when it is lost. Every call waits for the
/// database, for at most about ten seconds.
pub struct Directory {
    session: Session,
    ttl: Duration,
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Directory").field("ttl", &self.ttl).finish()
    }
}

impl Directory {
    /// The directory of the state at `address`; makes the tables that say whose a state is, if there are none. A node
    /// is gone once it was silent for `ttl`.
    ///
    /// # Errors
    /// [`OpenError::Unreachable`], [`OpenError::Unfit`], [`OpenError::Newer`], [`OpenError::Foreign`],
    /// [`OpenError::Failed`].
    pub fn open(
        address: &PostgresAddress,
        ttl: Duration,
        durable: bool,
    ) -> Result<Self, OpenError> {
        let (_, session) = prepared(address, durable)?;
        Ok(Self {
            session: session.answering_within(ANSWER_WITHIN),
            ttl,
        })
    }

    /// Writes what a node says of itself, unless its name is another's. Nothing is asked of a new life
    /// of it.
    ///
    /// # Errors
    /// If the database cannot be asked; nothing is known then.
    pub fn announce(&mut self, me: &Announcement) -> Result<Announced, SqlFailure> {
        let ttl = self.ttl;
        nodes::announce(self.session()?, me, ttl)
    }

    /// All nodes, by name; those that are gone too, for a week.
    ///
    /// # Errors
    /// As [`Self::announce`].
    pub fn nodes(&mut self) -> Result<Vec<NodeRow>, SqlFailure> {
        nodes::all(self.session()?)
    }

    /// Who leads.
    ///
    /// # Errors
    /// As [`Self::announce`].
    pub fn lead(&mut self) -> Result<LeadRow, SqlFailure> {
        owner::lead(self.session()?)
    }

    /// Asks something of a node; false if there is none of this name.
    ///
    /// # Errors
    /// As [`Self::announce`].
    pub fn request(&mut self, node: &str, request: NodeRequest) -> Result<bool, SqlFailure> {
        nodes::request(self.session()?, node, request)
    }

    /// Ends what was asked of a node, if it is this.
    ///
    /// # Errors
    /// As [`Self::announce`].
    pub fn fulfilled(&mut self, node: &str, request: NodeRequest) -> Result<(), SqlFailure> {
        nodes::fulfilled(self.session()?, node, request)
    }

    /// Says that this life of a node is over; forgets nodes that have been gone for a week.
    ///
    /// # Errors
    /// As [`Self::announce`].
    pub fn leave(&mut self, name: &str, life: &str) -> Result<(), SqlFailure> {
        nodes::leave(self.session()?, name, life)
    }

    fn session(&mut self) -> Result<&Session, SqlFailure> {
        self.session.renewed()?;
        Ok(&self.session)
    }
}
