//! The version of a state, and the way to the newest.
//!
//! A state of a later release, or one of the format before the first release, is refused; so is one
//! with an object that no release made. Read next: [`tables`], [`version`];
//! [`crate::sqlite::schema`].

pub(crate) mod table;
pub(crate) mod tables;
pub(crate) mod version;

use crate::failure::SqlFailure;
use crate::open::OpenError;
use crate::postgres::schema as postgres;
use crate::row::RowError;
use crate::sql::Session;
use crate::sqlite::schema as sqlite;
use std::path::PathBuf;

/// The age of a schema before it is migrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    /// There was no state.
    New,
    /// The state was written before rows were bound.
    Unbound,
    /// Rows are bound, if there is a key.
    Bound,
}

/// Checks that this is a state that this release can read. True if it may hold encrypted payloads.
///
/// Where one of the files `outside` holds a head, a release that writes heads wrote the state: if
/// the state claims to be foreign, or older than that, it was tampered with.
pub(crate) fn recognise(session: Session<'_>, outside: &[PathBuf]) -> Result<bool, OpenError> {
    let recognised = match session {
        Session::Sqlite(session) => sqlite::recognise(session.0),
        Session::Postgres(session) => postgres::recognise(session),
    };
    recognised.map_err(|refused| {
        let strangers = match &refused {
            OpenError::Older { found, .. } => format!("strange user_version {found}"),
            OpenError::Foreign => "strange application_id".to_owned(),
            _ => return refused,
        };
        match outside.iter().any(|path| path.exists()) {
            true => OpenError::Schema { strangers },
            false => refused,
        }
    })
}

/// True if the state is of this release.
pub(crate) fn is_current(session: Session<'_>) -> Result<bool, SqlFailure> {
    Ok(version_of(session)? == version::NEWEST)
}

/// The age of the schema of a recognised state.
pub(crate) fn age(session: Session<'_>) -> Result<Age, SqlFailure> {
    Ok(match version_of(session)? {
        0 => Age::New,
        version::BOUND.. => Age::Bound,
        _ => Age::Unbound,
    })
}

/// True if the state was written before there were shards.
pub(crate) fn is_whole(session: Session<'_>) -> Result<bool, SqlFailure> {
    let version = version_of(session)?;
    Ok(version != 0 && version < version::SHARDED)
}

fn version_of(session: Session<'_>) -> Result<i32, SqlFailure> {
    match session {
        Session::Sqlite(session) => sqlite::version(session.0),
        Session::Postgres(session) => postgres::version(session),
    }
}

/// Migrates the schema of a recognised state, within a transaction.
pub(crate) fn migrate(session: Session<'_>) -> Result<(), SqlFailure> {
    match session {
        Session::Sqlite(session) => sqlite::migrate(session.0),
        Session::Postgres(session) => postgres::migrate(session),
    }
}

/// Lets a read-only session read a state that was not migrated yet as if it were.
pub(crate) fn show_as_newest(session: Session<'_>) -> Result<(), SqlFailure> {
    match session {
        Session::Sqlite(session) => sqlite::show_as_newest(session.0),
        Session::Postgres(session) => postgres::check_current(session),
    }
}

/// The objects of the schema that no migration made, that are missing, or that differ: by name, behind
/// a word for the kind of fault.
pub(crate) fn strangers(session: Session<'_>) -> Result<Vec<String>, RowError> {
    match session {
        Session::Sqlite(session) => Ok(sqlite::strangers(session.0)?),
        Session::Postgres(session) => Ok(postgres::strangers(session)?),
    }
}
