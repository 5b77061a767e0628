//! What fails in PostgreSQL, sorted by what one does about it.
//!
//! Knows SQLSTATEs (appendix A of PostgreSQL's manual). What a server tells of rows (its `DETAIL`)
//! is dropped here, since it holds payloads; a password never gets this far. Read next: [`crate::failure`].

use crate::failure::{FailureKind as Kind, SqlFailure};
use std::error::Error;
use std::fmt;
use tokio_postgres::error::{DbError, Severity};

/// An error of PostgreSQL, or of the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PostgresError {
    pub(crate) kind: Kind,
    /// The SQLSTATE, if a server told one.
    pub(crate) code: Option<String>,
    told: String,
    /// True if the session ended with it.
    pub(crate) ends: bool,
}

impl fmt::Display for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told)?;
        match &self.code {
            Some(code) => write!(f, " (SQLSTATE {code})"),
            None => Ok(()),
        }
    }
}

impl Error for PostgresError {}

impl PostgresError {
    pub(crate) fn new(kind: Kind, told: impl Into<String>) -> Self {
        Self {
            kind,
            code: None,
            told: told.into(),
            ends: false,
        }
    }

    /// The connection is gone, for this reason.
    pub(crate) fn lost(why: impl fmt::Display) -> Self {
        Self {
            ends: true,
            ..Self::new(
                Kind::Unreachable,
                format!("the connection to the database is lost: {why}"),
            )
        }
    }

    /// The state is another's by now, or what was stored in it is not.
    pub(super) fn fenced() -> Self {
        let told = "another platform has taken the state over, or it was set back";
        Self::new(Kind::Fenced, told)
    }

    /// True if the session has ended with it, or another may do better: with a server that takes writes.
    pub(super) fn ends_a_session(&self) -> bool {
        self.ends || matches!(self.kind, Kind::Unreachable | Kind::Unknown)
    }

    /// The same, as what ended its connection.
    pub(super) fn ending(self) -> Self {
        let kind = match self.kind {
            Kind::Other | Kind::Busy => Kind::Unreachable,
            kind => kind,
        };
        Self {
            kind,
            ends: true,
            ..self
        }
    }

    /// The same of a COMMIT, or of a statement that is its own: what was lost with the connection may
    /// have been the answer.
    pub(crate) fn of_commit(self) -> Self {
        let unknown = self.ends || self.kind == Kind::Unreachable;
        Self {
            kind: if unknown { Kind::Unknown } else { self.kind },
            ..self
        }
    }

    fn told(error: &DbError) -> Self {
        let code = error.code().code();
        let constraint = error.constraint().map(|name| format!(" ({name})"));
        let ends = matches!(
            error.parsed_severity(),
            Some(Severity::Fatal | Severity::Panic)
        );
        Self {
            kind: match sorted(code) {
                // What ends a session has changed nothing before COMMIT, and may be tried on another;
                // but a server that knows no such user or database is to be told another.
                Kind::Other | Kind::Busy if ends && !lets_nobody_in(code) => Kind::Unreachable,
                kind => kind,
            },
            code: Some(code.to_owned()),
            told: format!("{}{}", error.message(), constraint.unwrap_or_default()),
            ends,
        }
    }
}

impl From<&tokio_postgres::Error> for PostgresError {
    fn from(error: &tokio_postgres::Error) -> Self {
        if let Some(told) = error.as_db_error() {
            return Self::told(told);
        }
        let told = with_causes(error);
        let io = error
            .source()
            .is_some_and(|cause| cause.is::<std::io::Error>());
        match error.is_closed() || io {
            true => Self::lost(told),
            false => Self::new(Kind::Other, told),
        }
    }
}

impl From<tokio_postgres::Error> for PostgresError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::from(&error)
    }
}

impl From<PostgresError> for SqlFailure {
    fn from(error: PostgresError) -> Self {
        Self::new(error.kind, error.code.clone(), error)
    }
}

/// An error and what caused it, in one line.
pub(super) fn with_causes(error: &dyn Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(below) = cause {
        let text = below.to_string();
        // Some tell what caused them themselves.
        if !told.ends_with(&text) {
            told = format!("{told}: {text}");
        }
        cause = below.source();
    }
    told
}

/// Whether a server refuses whoever connects so: user, password or database.
fn lets_nobody_in(code: &str) -> bool {
    code.starts_with("28") || code.starts_with("3D") || code == "57P04"
}

/// The kind of a SQLSTATE: of all of it, or else of its class.
fn sorted(code: &str) -> Kind {
    match code {
        // disk_full
        "53100" => Kind::Full,
        // too_many_connections; read_only_sql_transaction, as told by a standby after a fail-over
        "53300" | "25006" => Kind::Unreachable,
        // lock_not_available, object_in_use
        "55P03" | "55006" => Kind::Busy,
        // query_canceled: by us, or by an administrator, who can do it again
        "57014" => Kind::Interrupted,
        // statement_completion_unknown, transaction_resolution_unknown
        "40003" | "08007" => Kind::Unknown,
        // idle_in_transaction_session_timeout, transaction_timeout
        "25P03" | "25P04" => Kind::Unreachable,
        // raise_exception, assert_failure: a guard in the database
        "P0001" | "P0004" => Kind::Rule,
        // undefined_file, duplicate_file: of the server's own
        "58P01" | "58P02" => Kind::Damaged,
        // data_corrupted, index_corrupted
        "XX001" | "XX002" => Kind::Damaged,
        // database_dropped is no outage that ends
        "57P04" => Kind::Other,
        // A wrong name, a text with U+0000, a number too large, a key too long for an index
        _ => match code.get(..2).unwrap_or_default() {
            "22" | "23" | "44" | "54" => Kind::Rule,
            // Serialization failures and deadlocks; no memory, no more files
            "40" | "53" => Kind::Busy,
            // Connections, operators
            "08" | "57" => Kind::Unreachable,
            _ => Kind::Other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sqlstate_has_a_kind() {
        let kinds = [
            ("23505", Kind::Rule),
            ("23514", Kind::Rule),
            ("22021", Kind::Rule),
            ("22003", Kind::Rule),
            ("54000", Kind::Rule),
            ("P0001", Kind::Rule),
            ("53100", Kind::Full),
            ("53200", Kind::Busy),
            ("40001", Kind::Busy),
            ("40P01", Kind::Busy),
            ("55P03", Kind::Busy),
            ("XX001", Kind::Damaged),
            ("XX002", Kind::Damaged),
            ("57P01", Kind::Unreachable),
            ("57P02", Kind::Unreachable),
            ("57P03", Kind::Unreachable),
            ("53300", Kind::Unreachable),
            ("25006", Kind::Unreachable),
            ("08006", Kind::Unreachable),
            ("40003", Kind::Unknown),
            ("08007", Kind::Unknown),
            ("57014", Kind::Interrupted),
            ("57P04", Kind::Other),
            ("28P01", Kind::Other),
            ("42601", Kind::Other),
            ("58030", Kind::Other),
            ("XX000", Kind::Other),
            ("", Kind::Other),
        ];
        for (code, kind) in kinds {
            assert_eq!(sorted(code), kind, "{code}");
        }
    }

    #[test]
    fn a_commit_whose_answer_is_lost_is_unknown_and_one_that_is_refused_is_not() {
        let lost = PostgresError::lost("connection closed").of_commit();
        assert_eq!(lost.kind, Kind::Unknown);
        let refused = PostgresError::new(Kind::Rule, "no").of_commit();
        assert_eq!(refused.kind, Kind::Rule);
        let ended = PostgresError {
            ends: true,
            ..PostgresError::new(Kind::Full, "PANIC")
        };
        assert_eq!(ended.of_commit().kind, Kind::Unknown);
    }
}
