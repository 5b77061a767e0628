//! The nodes that a state may be led by, and who leads.
//!
//! Each node writes a row of its own, again and again; times are those of the database's clock, and one
//! that was not written for the time of the lease is of a node that is gone. Read next: `postgres::nodes`,
//! the statements.

use crate::failure::SqlFailure;
use crate::open::OpenError;
use crate::postgres::address::PostgresAddress;
use crate::postgres::backend::prepared;
use crate::postgres::session::Session;
use crate::postgres::{nodes, owner};
use domain::time::Timestamp;
use std::fmt;
use std::time::Duration;

/// The longest wait for one answer of the directory.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// What a node says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Its name.
    pub name: String,
    /// What tells its place, the folder on the machine that it runs in, from all others: a new life there
    /// follows the old one at once.
    pub place: String,
    /// What tells this life of it, a process, from all others.
    pub life: String,
    /// Where other nodes reach it.
    pub address: String,
    /// Its release.
    pub version: String,
    /// What it does, in one word.
    pub state: String,
    /// The digest of its rules.
    pub rules: String,
}

/// What an operator asked of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// Nothing.
    #[default]
    None,
    /// Not to lead, and to give the lead back if another can take it, until it is asked otherwise or starts
    /// anew.
    Drain,
    /// To take the lead, which the leader is to hand to it.
    Lead,
}

impl Wish {
    /// The word in the directory.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Drain => "drain",
            Self::Lead => "lead",
        }
    }

    /// The wish of a word; one that this release does not know is none.
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "drain" => Self::Drain,
            "lead" => Self::Lead,
            _ => Self::None,
        }
    }
}

/// What came of an announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// The node is in the directory.
    Known {
        /// What is asked of it.
        wish: Wish,
    },
    /// Another process elsewhere has this name.
    Taken {
        /// The time after which it has not, unless it goes on.
        left: Duration,
    },
}

/// A node of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Its name.
    pub name: String,
    /// What tells this life of it from others.
    pub life: String,
    /// Where other nodes reach it.
    pub address: String,
    /// Its release.
    pub version: String,
    /// What it does, in one word, as it said last.
    pub state: String,
    /// The digest of its rules.
    pub rules: String,
    /// When it was started.
    pub started: Timestamp,
    /// When it was heard of last.
    pub seen: Timestamp,
    /// True if that is not long ago.
    pub alive: bool,
    /// What is asked of it.
    pub wish: Wish,
}

/// Who leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadRow {
    /// The number of times that the lead was taken.
    pub epoch: u64,
    /// Who has it, or had it last; empty if nobody ever had.
    pub holder: String,
    /// The name of that node; empty if it is a platform alone.
    pub node: String,
    /// When it was taken.
    pub since: Timestamp,
    /// Until when it is held; 1970 if it was given back.
    pub until: Timestamp,
    /// True if that is not over.
    pub held: bool,
    /// The digest of the rules that were in force last; empty if any may be.
    pub rules: String,
    /// The node that alone may take it now.
    pub heir: Option<String>,
}

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

    /// Writes what a node says of itself, unless its name is another's. A new life of it begins without
    /// wishes.
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
    pub fn ask(&mut self, node: &str, wish: Wish) -> Result<bool, SqlFailure> {
        nodes::ask(self.session()?, node, wish)
    }

    /// Ends what was asked of a node, if it is this.
    ///
    /// # Errors
    /// As [`Self::announce`].
    pub fn fulfilled(&mut self, node: &str, wish: Wish) -> Result<(), SqlFailure> {
        nodes::fulfilled(self.session()?, node, wish)
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
