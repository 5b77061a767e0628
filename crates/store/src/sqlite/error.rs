//! What an error of SQLite means to the store.
//!
//! Read next: [`crate::failure`].

use crate::failure::{FailureKind, SqlFailure};
use crate::open::OpenError;
use rusqlite::{ErrorCode, ffi};

impl From<rusqlite::Error> for SqlFailure {
    fn from(cause: rusqlite::Error) -> Self {
        let code = cause.sqlite_extended_error_code();
        Self::new(kind_of(&cause), code.map(|code| code.to_string()), cause)
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(cause: rusqlite::Error) -> Self {
        SqlFailure::from(cause).into()
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
