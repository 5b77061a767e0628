//! A failure of the database under the store.
//!
//! Whatever database that is, the code above asks for the kind and never for the database's own
//! error, which is the cause. Read next: `row`, whose errors tell damage from failures.

use rusqlite::{ErrorCode, ffi};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// What the database said instead of doing what it was asked for.
#[derive(Clone)]
pub struct SqlFailure {
    kind: FailureKind,
    code: Option<Arc<str>>,
    cause: Arc<dyn Error + Send + Sync>,
}

/// What a failure means to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// A change breaks a rule of the tables. Other changes of its transaction may be stored.
    Rule,
    /// No space is left.
    Full,
    /// Another program kept the state locked for as long as was waited.
    Busy,
    /// The database noticed that it is damaged.
    Damaged,
    /// A value is not of the type that its column holds.
    Misfit,
    /// A statement was ended from outside.
    Interrupted,
    /// Anything else: what is stored is unknown.
    Other,
}

impl SqlFailure {
    /// A rule of the store's own that a change would break.
    pub(crate) fn rule(broken: &'static str) -> Self {
        Self {
            kind: FailureKind::Rule,
            code: None,
            cause: Arc::from(Box::<dyn Error + Send + Sync>::from(broken)),
        }
    }

    pub(crate) fn kind(&self) -> FailureKind {
        self.kind
    }

    /// The code that the database gave, if any.
    pub(crate) fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }
}

impl fmt::Debug for SqlFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl fmt::Display for SqlFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.cause, f)
    }
}

impl Error for SqlFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

impl From<rusqlite::Error> for SqlFailure {
    fn from(cause: rusqlite::Error) -> Self {
        let code = cause.sqlite_extended_error_code();
        Self {
            kind: kind_of(&cause),
            code: code.map(|code| code.to_string().into()),
            cause: Arc::new(cause),
        }
    }
}

fn kind_of(cause: &rusqlite::Error) -> FailureKind {
    match cause {
        rusqlite::Error::ToSqlConversionFailure(_) => return FailureKind::Rule,
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => return FailureKind::Misfit,
        _ => {}
    }
    // The index of the write-ahead log lies on the same disk and needs space as well.
    if cause.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE) {
        return FailureKind::Full;
    }
    match cause.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig) => FailureKind::Rule,
        Some(ErrorCode::DiskFull) => FailureKind::Full,
        Some(ErrorCode::DatabaseBusy) => FailureKind::Busy,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => FailureKind::Damaged,
        Some(ErrorCode::OperationInterrupted) => FailureKind::Interrupted,
        _ => FailureKind::Other,
    }
}
