//! Whether a database will do for a state: how it sorts, encodes and keeps.
//!
//! Asked before anything is written. A database that does not know a setting (one that only speaks
//! PostgreSQL's protocol) is taken at its word. Read next: [`super::owner`].

use super::session::Session;
use crate::failure::SqlFailure;
use crate::sql::Row;

/// The oldest release that is taken.
const OLDEST: i64 = 15;

/// One row: whether texts are compared by their bytes, how they are encoded, the release, and the
/// settings that a promise of durability stands on.
const ASKED: &str = "SELECT 'B' < 'a' AND '-' < '0' AND 'a b' < 'aa' AND 'z' < 'ä',
    current_setting('server_encoding', true), current_setting('server_version_num', true),
    current_setting('fsync', true), current_setting('full_page_writes', true),
    current_setting('synchronous_commit', true)";

/// Why a database will not do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    /// Texts would come in another order than everywhere else, and in a third one once the system's
    /// tables of languages are upgraded.
    #[error(
        "its database does not compare texts by their bytes; make one that does: \
         createdb --template template0 --locale C --encoding UTF8 NAME"
    )]
    Order,
    /// It cannot hold every text.
    #[error(
        "its database keeps texts as {0} and not as UTF8; make one that does: \
         createdb --template template0 --locale C --encoding UTF8 NAME"
    )]
    Encoding(String),
    /// It is too old.
    #[error("the server is PostgreSQL {0}, and {OLDEST} or newer is needed")]
    Older(i64),
    /// What it has acknowledged, it may lose.
    #[error("the server may lose what it has acknowledged: {0} is off")]
    NotDurable(&'static str),
}

/// Asks a database whether it will do; one that need not be durable may lose what it acknowledged.
pub(crate) fn check(session: &Session, durable: bool) -> Result<Result<(), Unfit>, SqlFailure> {
    let found = session.one(ASKED, &[], |row| judge(&Row::Postgres(row), durable))?;
    Ok(found.unwrap_or(Ok(())))
}

fn judge(row: &Row<'_>, durable: bool) -> Result<Result<(), Unfit>, SqlFailure> {
    if !row.get::<bool>(0)? {
        return Ok(Err(Unfit::Order));
    }
    if let Some(encoding) = row.get::<Option<String>>(1)?.filter(|it| it != "UTF8") {
        return Ok(Err(Unfit::Encoding(encoding)));
    }
    let release = row
        .get::<Option<String>>(2)?
        .and_then(|it| it.parse::<i64>().ok());
    if let Some(release) = release.map(|it| it / 10_000).filter(|it| *it < OLDEST) {
        return Ok(Err(Unfit::Older(release)));
    }
    for (index, name) in [
        (3, "fsync"),
        (4, "full_page_writes"),
        (5, "synchronous_commit"),
    ] {
        if durable && row.get::<Option<String>>(index)?.as_deref() == Some("off") {
            return Ok(Err(Unfit::NotDurable(name)));
        }
    }
    Ok(Ok(()))
}
