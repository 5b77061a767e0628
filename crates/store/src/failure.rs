//! A failure of the database under the store.
//!
//! Whatever database that is, the code above asks for the kind and never for the database's own
//! error, which is the cause. Read next: `row`, whose errors tell damage from failures.

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
    /// There is no server, or it takes no writes; nothing was changed.
    Unreachable,
    /// The answer was lost: what was to be stored may be stored or not.
    Unknown,
    /// Another platform has taken the state over; nothing was changed.
    Fenced,
    /// Anything else: what is stored is unknown.
    Other,
}

impl SqlFailure {
    pub(crate) fn new(
        kind: FailureKind,
        code: Option<String>,
        cause: impl Error + Send + Sync + 'static,
    ) -> Self {
        Self {
            kind,
            code: code.map(Into::into),
            cause: Arc::new(cause),
        }
    }

    /// A failure that the store finds itself, in these words.
    pub(crate) fn of(kind: FailureKind, words: impl Into<String>) -> Self {
        let cause: Box<dyn Error + Send + Sync> = words.into().into();
        Self {
            kind,
            code: None,
            cause: cause.into(),
        }
    }

    /// A column whose value is not of the type that is read.
    pub(crate) fn misfit(column: usize) -> Self {
        let words = format!("the value of column {column} is of another type");
        Self::of(FailureKind::Misfit, words)
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
