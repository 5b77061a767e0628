//! The one file that knows kinds of A2A errors: why the engine said no.
//!
//! Each group of refusals has its kind, and beside it what differs; the compiler holds the tables total.
//! Read next: `engine::refusal`, and `a2a::error`, which knows codes.

use a2a::error::{Error, ErrorKind};
use a2a::request::PushConfigKey;
use domain::content::ContentError;
use domain::negotiation::Misplaced;
use domain::push::PushMember;
use engine::refusal::{Conflict, Field, InvalidInput, NotAvailable, NotFound, OverLimit};
use engine::{Refusal, StoreFailure};
use schema::catalogue::PublishError;
use schema::semantics::{FailureKind, ParseFailure};
use tracing::error;

/// A refusal or failure of the engine. A task that is not the caller's is told like one that is not
/// there (A16), and so is data.
pub(super) fn refused(refusal: &Refusal) -> Error {
    if let Refusal::NotFound(NotFound::Task { task, .. }) = refusal {
        return Error::task_not_found(task.as_str());
    }
    let kind = kind(refusal);
    if kind == ErrorKind::Internal {
        error!("a request failed: {refusal}");
        return Error::new(kind, "the platform failed; it is in its log");
    }
    let told = Error::new(kind, refusal.to_string());
    match refusal {
        Refusal::InvalidInput(cause) => placed(told, cause),
        _ => told,
    }
}

/// Says in which members of a message something is wrong.
fn placed(told: Error, cause: &InvalidInput) -> Error {
    match cause {
        InvalidInput::Payload { violations, .. } => violations.iter().fold(told, |told, wrong| {
            told.at(format!("message.payload{}", wrong.path), wrong.to_string())
        }),
        InvalidInput::Unusable { field, why } => told.at(member(*field), why.as_str()),
        InvalidInput::Missing { field, .. } | InvalidInput::Absent { field, .. } => {
            told.at(member(*field), "is missing")
        }
        InvalidInput::Undeliverable { why, .. } => told.at("url", why.as_str()),
        InvalidInput::Content(_)
        | InvalidInput::Profile(_)
        | InvalidInput::Template(_)
        | InvalidInput::Fault { .. } => told,
    }
}

fn kind(refusal: &Refusal) -> ErrorKind {
    match refusal {
        Refusal::Forbidden(_) => ErrorKind::PermissionDenied,
        Refusal::NotFound(cause) => not_found(cause),
        Refusal::InvalidInput(InvalidInput::Content(ContentError::TooBig(_))) => {
            ErrorKind::TooLarge
        }
        // Whatever is wrong in itself; `placed` asks for each.
        Refusal::InvalidInput(_) => ErrorKind::InvalidParams,
        Refusal::Conflict(cause) => conflict(cause),
        Refusal::OverLimit(cause) => over_limit(cause),
        Refusal::NotAvailable(cause) => not_available(cause),
        Refusal::Failed(StoreFailure::Full | StoreFailure::Locked | StoreFailure::Unreachable) => {
            ErrorKind::Unavailable
        }
        Refusal::Failed(StoreFailure::Damaged { .. } | StoreFailure::Broken { .. }) => {
            ErrorKind::Internal
        }
    }
}

/// An agent is an endpoint, and a method is looked for there. What is no task has no kind of its own.
fn not_found(cause: &NotFound) -> ErrorKind {
    match cause {
        NotFound::Task { .. } => ErrorKind::TaskNotFound,
        NotFound::Agent { .. } | NotFound::OtherEndpoint { .. } => ErrorKind::MethodNotFound,
        NotFound::Data { .. }
        | NotFound::Element { .. }
        | NotFound::ForeignElement { .. }
        | NotFound::Fault { .. }
        | NotFound::Schema(_)
        | NotFound::Scenario(_)
        | NotFound::Patch { .. }
        | NotFound::Sample { .. }
        | NotFound::Node { .. }
        | NotFound::ConsoleSession { .. }
        | NotFound::Rule { .. } => ErrorKind::InvalidParams,
    }
}

fn conflict(cause: &Conflict) -> ErrorKind {
    match cause {
        Conflict::TaskExists { .. } | Conflict::Publish(PublishError::Changed { .. }) => {
            ErrorKind::AlreadyExists
        }
        Conflict::Misplaced(Misplaced::WhichAlternative { .. }) => ErrorKind::InvalidParams,
        Conflict::OutOfTurn(_)
        | Conflict::Misplaced(_)
        | Conflict::StillNegotiated { .. }
        | Conflict::MaybeAnswered { .. }
        | Conflict::HostedAgent { .. }
        | Conflict::Unretirable { .. }
        | Conflict::OnlyNode { .. }
        | Conflict::RuleExists { .. }
        | Conflict::Evolution(_) => ErrorKind::UnsupportedOperation,
        Conflict::WrongRound { .. }
        | Conflict::NotAsAgreed { .. }
        | Conflict::Unobtainable { .. }
        | Conflict::NotAPart { .. }
        | Conflict::DataMismatch { .. }
        | Conflict::Publish(_)
        | Conflict::Unpublishable { .. } => ErrorKind::InvalidParams,
    }
}

fn over_limit(cause: &OverLimit) -> ErrorKind {
    match cause {
        OverLimit::TooBig { .. } | OverLimit::LongUtterance { .. } => ErrorKind::TooLarge,
        OverLimit::ShortOfMemory => ErrorKind::Unavailable,
        OverLimit::TooMuch { .. }
        | OverLimit::TooMany { .. }
        | OverLimit::TasksHeld { .. }
        | OverLimit::TasksOpen { .. }
        | OverLimit::DataQuota { .. }
        | OverLimit::TooFast { .. }
        | OverLimit::MailboxFull { .. } => ErrorKind::TooManyRequests,
    }
}

fn not_available(cause: &NotAvailable) -> ErrorKind {
    match cause {
        NotAvailable::Agent { .. }
        | NotAvailable::Card { .. }
        | NotAvailable::Node { .. }
        | NotAvailable::Comparing
        | NotAvailable::AttemptFailed { .. }
        | NotAvailable::TooLong { .. } => ErrorKind::Unavailable,
        NotAvailable::Network | NotAvailable::Cluster | NotAvailable::SwitchedOff { .. } => {
            ErrorKind::UnsupportedOperation
        }
        NotAvailable::Impossible { .. } => ErrorKind::InvalidParams,
    }
}

/// The member of a message that a field is: most are called there what messages of errors call them.
fn member(field: Field) -> String {
    match field {
        Field::Conversation => "message.contextId".to_owned(),
        Field::After => "pageToken".to_owned(),
        Field::Push(member @ (PushMember::Scheme | PushMember::Credentials)) => {
            format!("authentication.{member}")
        }
        other => other.to_string(),
    }
}

/// There is no such agent: its endpoint has no methods.
pub(super) fn no_agent() -> Error {
    Error::new(ErrorKind::MethodNotFound, "there is no such agent")
}

/// The task is not told by such a configuration (v1.0 §3.1.8).
pub(super) fn no_push_config(key: &PushConfigKey) -> Error {
    let why = "the task has no such push configuration";
    Error::new(ErrorKind::TaskNotFound, why).with("taskId", &key.task_id)
}

/// Something in a message cannot be used.
pub(super) fn unusable(member: &str, why: &str) -> Error {
    Error::new(ErrorKind::InvalidParams, why).at(member, why)
}

/// Words that are longer than anybody reads.
pub(super) fn too_long(member: &str, limit: usize) -> Error {
    let why = format!("text is read up to {limit} bytes; say it shorter, or as typed data");
    Error::new(ErrorKind::TooLarge, why.clone()).at(member, &why)
}

/// Words that are not read now, for others are or because it took too long.
pub(super) fn not_now(why: &str) -> Error {
    Error::new(ErrorKind::Unavailable, why)
}

/// Words that were not read: for they are too much work, or for who reads them cannot work now.
/// Whoever sends typed data needs neither.
pub(super) fn unread(member: &str, failure: &ParseFailure) -> Error {
    match failure.kind {
        FailureKind::TooMuch => {
            let why = format!("{}; say it shorter, or as typed data", failure.reason);
            Error::new(ErrorKind::TooLarge, why.clone()).at(member, &why)
        }
        FailureKind::Cancelled => not_now(&failure.reason),
        FailureKind::Broken => {
            error!("words were not read: {failure}");
            let why = "plain words cannot be read now, typed data can";
            Error::new(ErrorKind::Unavailable, why)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::task::TaskId;

    /// A16: what is not there and what is not yours read the same, whoever asks.
    #[test]
    fn a_task_of_others_is_told_like_none() {
        let refused = |user: &str| {
            let task = TaskId::new("t");
            let user = user.to_owned();
            refused(&NotFound::Task { task, user }.into())
        };
        assert_eq!(refused("ann"), Error::task_not_found("t"));
        assert_eq!(refused("ann"), refused("ben"));
    }

    /// A failure is not told in detail.
    #[test]
    fn failures_tell_nothing_of_the_store() {
        let failed = refused(&Refusal::Failed(StoreFailure::Broken {
            cause: "/var/lib/convoke.db".to_owned(),
        }));
        assert_eq!(failed.kind, ErrorKind::Internal);
        assert!(!failed.message.contains("convoke.db"));
    }
}
