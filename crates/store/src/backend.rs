//! What holds the tables: how it is opened, kept up and closed.
//!
//! Knows no statement. Read next: [`crate::sql`], what it is asked; [`crate::sqlite`],
//! [`crate::postgres`].

use crate::budget::Budget;
use crate::failure::{FailureKind, SqlFailure};
use crate::lead::Lease;
use crate::open::{Location, OpenError, Options};
use crate::postgres::backend as postgres;
use crate::postgres::session::PATIENCE;
use crate::sql::{Connection, Session};
use crate::sqlite::connection as sqlite;
use crate::sqlite::wal::Log;
use crate::statistics::{Condition, Counters};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;

/// The time that a transaction waits for a lock which the one before did not get in
/// [`sqlite::LOCK_WAIT`]: what is queued behind would wait for each.
const LOCK_WAIT_AGAIN: Duration = Duration::from_millis(20);

/// A connection to a state that is not trusted yet: what reading it may cost is limited.
pub(crate) struct Untrusted {
    connection: Connection,
    budget: Budget,
    /// What keeps a state in a database ours; none of a file, whose lock does that, and of a reader.
    lease: Option<Lease>,
}

impl Untrusted {
    /// The connection of the writer; the state is made if there is none.
    pub(crate) fn writer(options: &Options) -> Result<Self, OpenError> {
        let file = match &options.location {
            Location::File(path) => Some(path.as_path()),
            Location::Memory => None,
            Location::Postgres(address) => {
                let (holder, durable) = (&options.holder, options.synchronous_full);
                let lease = options.lease.as_ref();
                let (session, lease) = postgres::open(address, holder, durable, lease)?;
                return Ok(Self {
                    connection: Connection::Postgres(Box::new(session)),
                    budget: Budget::none(),
                    lease: Some(lease),
                });
            }
        };
        let mut connection = sqlite::writer(file, options)?;
        let budget = Budget::set(&mut connection)?;
        Ok(Self {
            connection: Connection::Sqlite(connection),
            budget,
            lease: None,
        })
    }

    /// A connection that only reads what is at a location.
    pub(crate) fn reader(location: &Location) -> Result<Self, OpenError> {
        let mut connection = match location {
            Location::File(path) => sqlite::reader(path)?,
            Location::Postgres(address) => {
                return Ok(Self {
                    connection: Connection::Postgres(Box::new(postgres::reader(address)?)),
                    budget: Budget::none(),
                    lease: None,
                });
            }
            // What is in another's memory cannot be read: this is an empty one.
            Location::Memory => rusqlite::Connection::open_in_memory()?,
        };
        let budget = Budget::set(&mut connection)?;
        Ok(Self {
            connection: Connection::Sqlite(connection),
            budget,
            lease: None,
        })
    }

    /// A connection that fills a new file, which is thrown away unless all of it is written.
    pub(crate) fn fresh(path: &Path) -> Result<Self, OpenError> {
        Ok(Self {
            connection: Connection::Sqlite(sqlite::fresh(path)?),
            // What is in it was written here.
            budget: Budget::none(),
            lease: None,
        })
    }

    /// The same, which waits long for what takes a server long.
    pub(crate) fn patient(self) -> Self {
        let connection = match self.connection {
            Connection::Postgres(session) => {
                Connection::Postgres(Box::new(session.answering_within(PATIENCE)))
            }
            file @ Connection::Sqlite(_) => file,
        };
        Self { connection, ..self }
    }

    /// Refuses a state in a database that a platform owns; that of one in a file has its lock.
    pub(crate) fn unowned(&self) -> Result<(), OpenError> {
        match &self.connection {
            Connection::Sqlite(_) => Ok(()),
            Connection::Postgres(session) => postgres::unowned(session),
        }
    }

    pub(crate) fn session(&self) -> Session<'_> {
        self.connection.session()
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// True if nothing can be written; known once something was read.
    pub(crate) fn is_readonly(&self) -> Result<bool, SqlFailure> {
        match &self.connection {
            Connection::Sqlite(connection) => Ok(connection.is_readonly("main")?),
            // Only a server that takes writes is connected to.
            Connection::Postgres(_) => Ok(false),
        }
    }

    /// What ends a statement of it from another thread.
    pub(crate) fn interrupt(&self) -> Interrupt {
        match &self.connection {
            Connection::Sqlite(connection) => Interrupt::Sqlite(connection.get_interrupt_handle()),
            Connection::Postgres(session) => Interrupt::Postgres(session.cutter()),
        }
    }

    /// The same connection, as that of the writer of a state that is trusted from now on.
    pub(crate) fn trusted(self, options: &Options) -> Result<Backend, OpenError> {
        let Self {
            mut connection,
            budget,
            lease,
        } = self;
        let upkeep = match &mut connection {
            Connection::Sqlite(connection) => {
                budget.lift(connection)?;
                Upkeep::Sqlite(match &options.location {
                    Location::File(path) => Some(Log::start(path, connection, options)?),
                    Location::Postgres(_) | Location::Memory => None,
                })
            }
            Connection::Postgres(_) => Upkeep::Postgres(lease),
        };
        Ok(Backend {
            connection: Arc::new(Mutex::new(connection)),
            upkeep,
        })
    }
}

/// Ends a statement that another thread is asking.
pub(crate) enum Interrupt {
    Sqlite(rusqlite::InterruptHandle),
    Postgres(AbortHandle),
}

impl Interrupt {
    /// Ends the statement under way, if there is one.
    pub(crate) fn interrupt(&self) {
        match self {
            Self::Sqlite(handle) => handle.interrupt(),
            // The server ends what it does for a connection that is gone.
            Self::Postgres(connection) => connection.abort(),
        }
    }
}

/// The connection of the writer, and what is done beside its statements.
pub(crate) struct Backend {
    connection: Arc<Mutex<Connection>>,
    upkeep: Upkeep,
}

enum Upkeep {
    /// The write-ahead log; none for a state in memory.
    Sqlite(Option<Log>),
    /// What keeps the state ours; none once it is let go.
    Postgres(Option<Lease>),
}

impl Backend {
    /// The connection of the writer.
    pub(crate) fn connection(&self) -> Arc<Mutex<Connection>> {
        Arc::clone(&self.connection)
    }

    /// Tells these counters what is noticed beside the store's own statements: that a database is away
    /// while it is not known whether something was stored, and that the state is another's.
    pub(crate) fn tells(&self, counters: &Arc<Counters>) {
        let connection = self.connection.lock();
        let connection = connection.unwrap_or_else(PoisonError::into_inner);
        if let Connection::Postgres(session) = &*connection {
            let away = Arc::clone(counters);
            session.while_unknown(Box::new(move || {
                away.note(Condition::Unreachable);
                !away.is_closing()
            }));
        }
        if let Upkeep::Postgres(Some(lease)) = &self.upkeep {
            lease.stops(counters);
        }
    }

    /// Connections of the readers' own; none if they share that of the writer.
    pub(crate) fn readers(&self, options: &Options) -> Result<Option<Vec<Connection>>, SqlFailure> {
        let reader: &dyn Fn() -> Result<Connection, SqlFailure> = match &options.location {
            Location::File(path) => &|| sqlite::reader(path).map(Connection::Sqlite),
            Location::Postgres(_) => &|| another(&self.connection),
            Location::Memory => return Ok(None),
        };
        let readers = (0..options.readers.max(1)).map(|_| reader());
        readers.collect::<Result<_, _>>().map(Some)
    }

    /// Does what is due before a transaction.
    pub(crate) fn keep_up(&self, connection: &Connection) {
        match (&self.upkeep, connection) {
            (Upkeep::Sqlite(Some(log)), Connection::Sqlite(connection)) => log.bound(connection),
            // The thread that keeps the state ours does so at any time.
            (Upkeep::Sqlite(_) | Upkeep::Postgres(_), _) => {}
        }
    }

    /// Sets how long transactions wait for a lock of another program: shorter if the last one did not
    /// get it.
    pub(crate) fn wait(&self, connection: &Connection, again: bool) {
        match connection {
            Connection::Sqlite(connection) => {
                let longest = if again {
                    LOCK_WAIT_AGAIN
                } else {
                    sqlite::LOCK_WAIT
                };
                // Without a handler it would not wait at all, which is right as well.
                let _ = connection.busy_timeout(longest);
            }
            // Each of its transactions says so itself.
            Connection::Postgres(_) => {}
        }
    }

    /// Ends what is done beside the writer, whose connection is the last one.
    pub(crate) fn end(&mut self, connection: &mut Connection) {
        match (&mut self.upkeep, connection) {
            (Upkeep::Sqlite(log), Connection::Sqlite(connection)) => {
                if let Some(log) = log.take() {
                    log.end(connection);
                }
            }
            (Upkeep::Postgres(lease), _) => drop(lease.take()),
            (Upkeep::Sqlite(_), Connection::Postgres(_)) => {}
        }
    }
}

/// Another session with the database of the writer's.
fn another(writer: &Mutex<Connection>) -> Result<Connection, SqlFailure> {
    match &*writer.lock().unwrap_or_else(PoisonError::into_inner) {
        Connection::Postgres(session) => session.another().map(Connection::Postgres),
        Connection::Sqlite(_) => {
            let words = "the writer of a database is not of SQLite";
            Err(SqlFailure::of(FailureKind::Other, words))
        }
    }
}
