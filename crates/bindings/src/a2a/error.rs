//! The one file that knows kinds of A2A errors: why the engine said no.
//!
//! The compiler holds the table total. Read next: `a2a::error`, which knows codes.

use a2a::error::{Error, ErrorKind};
use a2a::request::PushConfigKey;
use domain::content::ContentError;
use domain::negotiation::Misplaced;
use engine::{Refusal, StoreFailure};
use schema::catalogue::PublishError;
use schema::semantics::{FailureKind, ParseFailure};
use tracing::error;

/// A refusal or failure of the engine. A task that is not the caller's is told like one that is not
/// there (A16), and so is data.
pub(super) fn refused(refusal: &Refusal) -> Error {
    if let Refusal::UnknownTask { task, .. } = refusal {
        return Error::task_not_found(task.as_str());
    }
    let kind = kind(refusal);
    if kind == ErrorKind::Internal {
        error!("a request failed: {refusal}");
        return Error::new(kind, "the platform failed; it is in its log");
    }
    let told = Error::new(kind, refusal.to_string());
    match refusal {
        Refusal::Payload { violations, .. } => violations.iter().fold(told, |told, violation| {
            told.at(
                format!("message.payload{}", violation.path),
                violation.to_string(),
            )
        }),
        Refusal::BadLeaf { leaf, why } => told.at(member(leaf), why.as_str()),
        Refusal::MissingLeaf { leaf, .. } => told.at(member(leaf), "is missing"),
        Refusal::Undeliverable { why, .. } => told.at("url", why.as_str()),
        _ => told,
    }
}

fn kind(refusal: &Refusal) -> ErrorKind {
    use ErrorKind as K;
    use Refusal as R;
    match refusal {
        R::Denied { .. }
        | R::ForeignSender { .. }
        | R::ForeignAgent { .. }
        | R::NotPublisher { .. }
        | R::NotExecutor { .. }
        | R::NotEntitled { .. } => K::PermissionDenied,
        R::UnknownTask { .. } => K::TaskNotFound,
        R::UnknownAgent { .. } | R::OtherEndpoint { .. } => K::MethodNotFound,
        R::TaskExists { .. } | R::Publish(PublishError::Changed { .. }) => K::AlreadyExists,
        R::OutOfTurn(_) | R::StillNegotiated { .. } | R::HostedAgent { .. } => {
            K::UnsupportedOperation
        }
        R::Misplaced(Misplaced::WhichAlternative { .. }) => K::InvalidParams,
        R::Misplaced(_) => K::UnsupportedOperation,
        R::Evolution(_) | R::Unretirable { .. } | R::SwitchedOff { .. } | R::NoNetwork => {
            K::UnsupportedOperation
        }
        R::NoCard { .. } => K::Unavailable,
        R::Content(ContentError::TooBig(_)) | R::TooBig { .. } => K::TooLarge,
        R::Content(_) => K::InvalidParams,
        R::MissingLeaf { .. }
        | R::BadLeaf { .. }
        | R::NotAsAgreed { .. }
        | R::WrongRound { .. }
        | R::NotAPart { .. }
        | R::Profile(_)
        | R::UnknownData { .. }
        | R::Unobtainable { .. }
        | R::DataMismatch { .. }
        | R::Undeliverable { .. }
        | R::Fault(_)
        | R::UnknownElement { .. }
        | R::ForeignElement { .. }
        | R::Impossible { .. }
        | R::Payload { .. }
        | R::UnknownSchema(_)
        | R::UnknownScenario(_)
        | R::Template(_)
        | R::Publish(_)
        | R::Unpublishable { .. }
        | R::UnknownPatch { .. }
        | R::UnknownSample { .. } => K::InvalidParams,
        R::TooMany { .. }
        | R::TooMuch { .. }
        | R::MailboxFull { .. }
        | R::TasksOpen { .. }
        | R::TasksHeld { .. }
        | R::DataQuota { .. }
        | R::TooFast { .. } => K::TooManyRequests,
        R::Unavailable { .. }
        | R::TooLong { .. }
        | R::Failed(StoreFailure::Full | StoreFailure::Locked)
        | R::ShortOfMemory => K::Unavailable,
        R::Failed(StoreFailure::Damaged { .. } | StoreFailure::Broken { .. }) => K::Internal,
    }
}

/// The member of a message that a leaf of the model is.
fn member(leaf: &str) -> String {
    match leaf {
        "conversation" => "message.contextId".to_owned(),
        "after" => "pageToken".to_owned(),
        "scheme" | "credentials" => format!("authentication.{leaf}"),
        other => other.to_owned(),
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
            refused(&Refusal::UnknownTask {
                task: TaskId::new("t"),
                user: user.to_owned(),
            })
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
