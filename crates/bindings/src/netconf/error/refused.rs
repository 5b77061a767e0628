//! Why the engine said no, group by group: each has its tag, and beside it what differs.
//!
//! The compiler holds the tables total. Read next: `engine::refusal`, [`super::origin`].

use super::origin::RpcOrigin;
use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::xml::XmlElement;
use domain::content::ContentError;
use domain::negotiation::Misplaced;
use domain::profile::ProfileError;
use engine::refusal::{
    Conflict, Field, Forbidden, InvalidInput, NotAvailable, NotFound, OverLimit,
};
use engine::{Refusal, StoreFailure};
use schema::catalogue::PublishError;
use schema::evolution::LineageRefusal;
use schema::violation::{Code, PayloadViolation};

/// A refusal of the engine.
pub(crate) fn refused(refusal: &Refusal, asked: RpcOrigin) -> RpcError {
    let at = asked.path(refusal.field().map(|field| asked.leaf(field)));
    let error = match refusal {
        Refusal::Forbidden(cause) => forbidden(cause, at),
        Refusal::NotFound(cause) => not_found(cause, at),
        Refusal::InvalidInput(cause) => invalid_input(cause, asked, at),
        Refusal::Conflict(cause) => conflict(cause, at),
        Refusal::OverLimit(cause) => over_limit(cause, at),
        Refusal::NotAvailable(cause) => not_available(cause, at),
        Refusal::Failed(cause) => failed(cause),
    };
    error.message(refusal.to_string())
}

/// `access-denied`: to the operation by the rules, to what it is about by what that is.
fn forbidden(cause: &Forbidden, at: ErrorPath) -> RpcError {
    let error = match cause {
        Forbidden::NotPublisher { .. } | Forbidden::NotExecutor { .. } => RpcError::application,
        Forbidden::Denied { .. }
        | Forbidden::ForeignSender { .. }
        | Forbidden::ForeignAgent { .. }
        | Forbidden::NotEntitled { .. }
        | Forbidden::Faults { .. } => RpcError::protocol,
    };
    error(ErrorTag::AccessDenied).path(at)
}

/// `data-missing` for what belongs to users, `invalid-value` for a name of what the platform has.
fn not_found(cause: &NotFound, at: ErrorPath) -> RpcError {
    let missing = RpcError::application(ErrorTag::DataMissing);
    let invalid = RpcError::application(ErrorTag::InvalidValue);
    let error = match cause {
        NotFound::Task { .. }
        | NotFound::Data { .. }
        | NotFound::Fault { .. }
        | NotFound::Patch { .. }
        | NotFound::Sample { .. }
        | NotFound::ConsoleSession { .. }
        | NotFound::Rule { .. } => missing,
        NotFound::Agent { .. } | NotFound::OtherEndpoint { .. } => invalid,
        NotFound::Element { .. } => invalid.app_tag("unknown-element"),
        NotFound::ForeignElement { .. } => invalid.app_tag("other-domain"),
        NotFound::Schema(_) => invalid.app_tag("unknown-schema"),
        NotFound::Scenario(_) => invalid.app_tag("unknown-scenario"),
        NotFound::Node { .. } => invalid.app_tag("unknown-node"),
    };
    error.path(at)
}

/// `invalid-value`.
fn invalid_input(cause: &InvalidInput, asked: RpcOrigin, at: ErrorPath) -> RpcError {
    let invalid = RpcError::application(ErrorTag::InvalidValue).path(at.clone());
    match cause {
        InvalidInput::Missing { field, .. } | InvalidInput::Absent { field, .. } => {
            RpcError::application(ErrorTag::MissingElement)
                .path(at)
                .bad_element(asked.leaf(*field))
        }
        InvalidInput::Content(cause) => of_content(cause, at),
        InvalidInput::Profile(cause) => of_profile(cause, asked),
        InvalidInput::Payload { violations, .. } => of_payload(violations, at),
        InvalidInput::Fault { field, .. } if *field == Field::Element => {
            invalid.app_tag("wrong-kind")
        }
        InvalidInput::Unusable { .. } | InvalidInput::Fault { .. } => invalid,
        InvalidInput::Undeliverable { .. } => invalid.app_tag("not-allowed"),
        InvalidInput::Template(_) => invalid.app_tag("template-lint"),
    }
}

/// `operation-failed`, in a bad state; or what is there is another's, or departs from what is said.
fn conflict(cause: &Conflict, at: ErrorPath) -> RpcError {
    let bad_state = RpcError::application(ErrorTag::OperationFailed).app_tag("bad-state");
    let unsupported = RpcError::application(ErrorTag::OperationNotSupported);
    let exists = RpcError::application(ErrorTag::DataExists);
    let invalid = RpcError::application(ErrorTag::InvalidValue);
    let error = match cause {
        Conflict::Evolution(LineageRefusal::Off) | Conflict::HostedAgent { .. } => unsupported,
        Conflict::Misplaced(Misplaced::WhichAlternative { .. }) => invalid,
        Conflict::OutOfTurn(_)
        | Conflict::Misplaced(_)
        | Conflict::StillNegotiated { .. }
        | Conflict::Unretirable { .. }
        | Conflict::OnlyNode { .. }
        | Conflict::Evolution(_) => bad_state,
        Conflict::TaskExists { .. }
        | Conflict::RuleExists { .. }
        | Conflict::Publish(PublishError::Changed { .. }) => exists,
        Conflict::WrongRound { round, next, .. } if round <= next => exists,
        Conflict::WrongRound { .. }
        | Conflict::NotAPart { .. }
        | Conflict::Publish(_)
        | Conflict::Unpublishable { .. } => invalid,
        Conflict::NotAsAgreed { misfit, .. } => invalid
            .app_tag("not-as-agreed")
            .bad_element(element_name(&misfit.path)),
        Conflict::Unobtainable { .. } => invalid.app_tag("identifier-unavailable"),
        Conflict::DataMismatch { .. } => invalid.app_tag("data-mismatch"),
        Conflict::MaybeAnswered { .. } => super::leader_changed(),
    };
    error.path(at)
}

/// `resource-denied`; `too-big` if no room would be enough.
fn over_limit(cause: &OverLimit, at: ErrorPath) -> RpcError {
    let denied = RpcError::application(ErrorTag::ResourceDenied);
    match cause {
        OverLimit::TooBig { .. } | OverLimit::TooMuch { .. } | OverLimit::LongUtterance { .. } => {
            RpcError::application(ErrorTag::TooBig).path(at)
        }
        OverLimit::TooMany { .. } => denied.path(at),
        OverLimit::TasksOpen { .. } => denied.path(at).app_tag("tasks-open"),
        OverLimit::TasksHeld { .. } => denied.path(at).app_tag("tasks-held"),
        OverLimit::DataQuota { .. } => denied.path(at).app_tag("data-quota"),
        OverLimit::TooFast { .. } => denied.path(at).app_tag("write-rate"),
        OverLimit::ShortOfMemory => denied.app_tag("memory-short"),
        OverLimit::MailboxFull { .. } => denied.app_tag("mailbox-full"),
    }
}

/// `operation-failed`, and why.
fn not_available(cause: &NotAvailable, at: ErrorPath) -> RpcError {
    let failed = RpcError::application(ErrorTag::OperationFailed);
    match cause {
        NotAvailable::Agent { .. } => failed.app_tag("agent-unavailable").path(at),
        NotAvailable::Card { .. } => failed.app_tag("no-card").path(at),
        NotAvailable::Network => failed.app_tag("no-network"),
        NotAvailable::Comparing => RpcError::application(ErrorTag::InUse).app_tag("comparing"),
        NotAvailable::Node { .. } => failed.app_tag("node-unavailable").path(at),
        NotAvailable::Cluster => {
            RpcError::application(ErrorTag::OperationNotSupported).app_tag("no-cluster")
        }
        NotAvailable::Impossible { .. } => failed.app_tag("impossible"),
        NotAvailable::AttemptFailed { .. } => failed.app_tag("attempt-failed"),
        NotAvailable::TooLong { .. } => failed.app_tag("too-long"),
        NotAvailable::SwitchedOff { .. } => {
            RpcError::application(ErrorTag::OperationNotSupported).path(at)
        }
    }
}

/// What is ours to mend.
fn failed(cause: &StoreFailure) -> RpcError {
    let failed = RpcError::application(ErrorTag::OperationFailed);
    match cause {
        StoreFailure::Full => RpcError::application(ErrorTag::ResourceDenied).app_tag("store-full"),
        StoreFailure::Locked => RpcError::application(ErrorTag::InUse).app_tag("store-locked"),
        StoreFailure::Unreachable => {
            RpcError::application(ErrorTag::ResourceDenied).app_tag("store-unreachable")
        }
        StoreFailure::Damaged { .. } => failed.app_tag("data-corrupt"),
        StoreFailure::Broken { .. } => failed.app_tag("store-failed"),
    }
}

/// A payload that does not keep to its schema: the tag is that of the first violation, and all of
/// them stand in the message, each with its place (reliability: `kv-missing-key`, `kv-type`).
fn of_payload(violations: &[PayloadViolation], at: ErrorPath) -> RpcError {
    let first = violations.first();
    let (tag, app_tag) = match first.map(|v| v.code) {
        Some(Code::Missing) => (ErrorTag::MissingElement, "kv-missing-key"),
        Some(Code::Unknown) => (ErrorTag::UnknownElement, "kv-unknown-key"),
        Some(Code::Type) => (ErrorTag::InvalidValue, "kv-type"),
        Some(Code::Length | Code::Depth) => (ErrorTag::TooBig, "kv-too-big"),
        _ => (ErrorTag::InvalidValue, "kv-value"),
    };
    let error = RpcError::application(tag).app_tag(app_tag).path(at);
    let key = first.and_then(|v| v.path.rsplit('/').next()).unwrap_or("");
    match tag {
        ErrorTag::MissingElement | ErrorTag::UnknownElement => error.bad_element(element_name(key)),
        _ => error,
    }
}

/// A key of a payload, if an element could be called so; else the leaf that holds it. RFC 6241
/// Appendix B: `bad-element` is a name.
fn element_name(key: &str) -> &str {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let begins = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match begins && key.chars().all(fits) {
        true => key,
        false => "content",
    }
}

/// Sections that are not ones, in an element of a request.
pub(crate) fn of_sections(cause: &ContentError, at: XmlElement<'_>) -> RpcError {
    of_content(cause, ErrorPath::of(at)).message(cause.to_string())
}

fn of_content(cause: &ContentError, path: ErrorPath) -> RpcError {
    let error = RpcError::application(ErrorTag::InvalidValue).path(path.clone());
    match cause {
        ContentError::SecondPayload | ContentError::NotJson { .. } | ContentError::NotAPayload => {
            error.app_tag("kv-payload")
        }
        ContentError::TooBig(_) => RpcError::application(ErrorTag::TooBig).path(path),
        ContentError::Missing(_) | ContentError::NotABoolean(_) => error,
    }
}

/// A profile that cannot be registered.
fn of_profile(cause: &ProfileError, asked: RpcOrigin) -> RpcError {
    let (tag, leaf) = match cause {
        ProfileError::Name(_) => (ErrorTag::InvalidValue, Some("name")),
        ProfileError::Taken { leaf, .. } => (ErrorTag::DataExists, Some(*leaf)),
        ProfileError::Version(_) => (ErrorTag::InvalidValue, Some("version")),
        ProfileError::Mode { .. } => (ErrorTag::InvalidValue, Some("skills")),
        ProfileError::Deceptive { leaf, .. } => (ErrorTag::InvalidValue, Some(*leaf)),
        ProfileError::Twice { .. } => (ErrorTag::InvalidValue, None),
        ProfileError::Example { .. } => (ErrorTag::InvalidValue, Some("skill-detail")),
        ProfileError::Examples { .. } => (ErrorTag::TooBig, Some("skill-detail")),
        ProfileError::TooLong { .. } => (ErrorTag::TooBig, None),
    };
    RpcError::application(tag).path(asked.path(leaf))
}

/// A look at data that the engine refused.
pub(crate) fn of_reading(
    refusal: &Refusal,
    asked: RpcOrigin,
    operation: XmlElement<'_>,
) -> RpcError {
    match refusal {
        Refusal::OverLimit(OverLimit::TooMuch { .. }) => RpcError::application(ErrorTag::TooBig)
            .path(ErrorPath::of(operation))
            .message(format!(
                "{refusal}; name the keys that are wanted, or read page by page with <get-tasks> \
                 and <get-context> of convoke-registry"
            )),
        other => refused(other, asked),
    }
}

/// An rpc that the access rules deny.
pub(crate) fn denied(operation: XmlElement<'_>, denied: &Refusal) -> RpcError {
    RpcError::protocol(ErrorTag::AccessDenied)
        .path(ErrorPath::of(operation))
        .message(denied.to_string())
}

#[cfg(test)]
mod tests {
    use super::element_name;

    #[test]
    fn a_bad_element_has_a_name_that_an_element_can_have() {
        assert_eq!(element_name("power_watts"), "power_watts");
        for key in ["task description", "", "1st", "a/b"] {
            assert_eq!(element_name(key), "content");
        }
    }
}
