//! The one file that knows error tags: why the engine or the schema said no, as `<rpc-error>`.
//!
//! Tags and their meaning: RFC 6241 Appendix A. Read next: `operation`.

use super::modules::{self, Module};
use super::operation::input::{Input, TaskNegotiate};
use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::filter::FilterError;
use ::netconf::names::namespace::BASE;
use ::netconf::xml::XmlElement;
use ::netconf::xpath::{EvaluationError, ExpressionError};
use domain::content::ContentError;
use domain::negotiation::Misplaced;
use domain::profile::ProfileError;
use engine::{FaultRefusal, Refusal, StoreFailure};
use schema::catalogue::PublishError;
use schema::evolution::LineageRefusal as EvolutionRefusal;
use schema::violation::{Code, PayloadViolation};
use yang::Violation;

/// The rpc that was asked, to say where in its message something is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RpcOrigin {
    /// The module that defines it.
    pub(crate) module: &'static Module,
    /// Its name.
    pub(crate) rpc: &'static str,
    /// The nodes of its input with the modules that define them, where these are known here.
    pub(crate) leaves: &'static [(&'static str, &'static Module)],
}

impl RpcOrigin {
    /// `task-negotiate`.
    pub(crate) const NEGOTIATE: Self = TaskNegotiate::ORIGIN;

    /// An rpc whose nodes are all of its own module.
    pub(crate) const fn of(module: &'static Module, rpc: &'static str) -> Self {
        Self {
            module,
            rpc,
            leaves: &[],
        }
    }

    fn is_negotiation(self) -> bool {
        *self.module == modules::AGENT
    }

    /// Where the rpc stands in its message, or a leaf of it. RFC 6241 §4.3: a path to what was sent
    /// begins at the document, so with `rpc`.
    fn path(self, leaf: Option<&str>) -> ErrorPath {
        let Self { module, rpc, .. } = self;
        let definer = leaf.map_or(module, |leaf| self.definer_of(leaf));
        let step = format!("/{}:", definer.prefix);
        let steps = leaf.map(|leaf| format!("{step}{}", leaf.replace('/', &step)));
        let steps = steps.unwrap_or_default();
        let path = ErrorPath::new(format!("/nc:rpc/{}:{rpc}{steps}", module.prefix));
        let path = match definer == module {
            true => path,
            false => path.bind(definer.prefix, definer.namespace),
        };
        path.bind("nc", BASE).bind(module.prefix, module.namespace)
    }

    /// The module that defines a node of the input: another one may have added it.
    fn definer_of(self, leaf: &str) -> &'static Module {
        let first = leaf.split('/').next();
        let mut known = self.leaves.iter();
        let known = known.find(|(name, _)| Some(*name) == first);
        known.map_or(self.module, |(_, module)| module)
    }

    /// The leaf in which the rpc names an agent.
    fn agent_leaf(self) -> &'static str {
        match self.module {
            module if *module == modules::AGENT => "task-sendTo",
            module if *module == modules::DATA => "reader",
            _ => "name",
        }
    }

    /// The leaf in which the rpc names a template.
    fn schema_leaf(self) -> &'static str {
        self.content_leaf().unwrap_or("schema-id")
    }

    /// The leaf in which the rpc names an entry of `/data-params`.
    fn data_leaf(self) -> &'static str {
        match self.is_negotiation() {
            true => "msg-data",
            false => "id",
        }
    }

    /// The leaf in which the rpc carries content for an agent; none if it carries none.
    fn content_leaf(self) -> Option<&'static str> {
        match self.module {
            module if *module == modules::AGENT => Some("content"),
            module if *module == modules::REGISTRY => Some("need/content"),
            _ => None,
        }
    }
}

/// A path of libyang, in which a name without prefix has that of the one above it, as XPath wants
/// it: with a prefix everywhere.
fn qualified(path: &str) -> String {
    let mut module = "";
    let mut out = String::with_capacity(path.len() * 2);
    let mut quote = None;
    let mut begins = false;
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)));
        let length = name.unwrap_or(rest.len());
        let named = length > 0 && !first.is_ascii_digit();
        match (quote, begins && named) {
            (None, true) => {
                begins = false;
                let colon = rest[length..].starts_with(':');
                if colon {
                    module = &rest[..length];
                    let local = &rest[length + 1..];
                    let more = local.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)));
                    let end = length + 1 + more.unwrap_or(local.len());
                    out.push_str(&rest[..end]);
                    rest = &rest[end..];
                } else {
                    out.push_str(module);
                    out.push(':');
                    out.push_str(&rest[..length]);
                    rest = &rest[length..];
                }
                continue;
            }
            (None, false) if matches!(first, '\'' | '"') => quote = Some(first),
            (Some(open), _) if open == first => quote = None,
            _ => {}
        }
        // A name begins a step, or a key in a predicate; a number there is a position.
        begins = quote.is_none() && (matches!(first, '/' | '[') || (begins && first == '@'));
        out.push(first);
        rest = &rest[first.len_utf8()..];
    }
    out
}

/// A refusal of the engine.
pub(crate) fn refused(refusal: &Refusal, asked: RpcOrigin) -> RpcError {
    use ErrorTag::*;
    use RpcError as E;
    let at = |leaf| asked.path(Some(leaf));
    let denied = || E::application(ResourceDenied).path(asked.path(None));
    let error = match refusal {
        Refusal::Denied { .. } => E::protocol(AccessDenied).path(asked.path(None)),
        Refusal::ForeignSender { .. } => E::protocol(AccessDenied).path(at("task-sendFrom")),
        Refusal::ForeignAgent { .. } => E::protocol(AccessDenied).path(at("name")),
        Refusal::UnknownAgent { .. } => E::application(InvalidValue).path(at(asked.agent_leaf())),
        Refusal::OtherEndpoint { .. } => E::application(InvalidValue).path(at("task-sendTo")),
        Refusal::MissingLeaf { leaf, .. } => E::application(MissingElement)
            .path(asked.path(None))
            .bad_element(*leaf),
        Refusal::BadLeaf { leaf, .. } => E::application(InvalidValue).path(at(leaf)),
        Refusal::Content(cause) => of_content(cause, at("content")),
        Refusal::Unobtainable { leaf, .. } => E::application(InvalidValue)
            .app_tag("identifier-unavailable")
            .path(at(leaf)),
        Refusal::TaskExists { .. } => E::application(DataExists).path(at("task-id")),
        Refusal::UnknownTask { .. } => E::application(DataMissing).path(at("task-id")),
        Refusal::UnknownData { .. } => E::application(DataMissing).path(at(asked.data_leaf())),
        Refusal::NotPublisher { .. } | Refusal::NotExecutor { .. } => {
            E::application(AccessDenied).path(at("task-id"))
        }
        Refusal::Misplaced(Misplaced::WhichAlternative { .. }) => {
            E::application(InvalidValue).path(at("alternative"))
        }
        Refusal::OutOfTurn(_) | Refusal::StillNegotiated { .. } | Refusal::Misplaced(_) => {
            bad_state(at("task-id"))
        }
        Refusal::NotAsAgreed { misfit, .. } => E::application(InvalidValue)
            .app_tag("not-as-agreed")
            .path(at("content"))
            .bad_element(element_name(&misfit.path)),
        Refusal::WrongRound { round, next, .. } if next < round => {
            E::application(InvalidValue).path(at("round"))
        }
        Refusal::WrongRound { .. } => E::application(DataExists).path(at("round")),
        Refusal::Unavailable { .. } => E::application(OperationFailed)
            .app_tag("agent-unavailable")
            .path(at(asked.agent_leaf())),
        Refusal::NotAPart { .. } => E::application(InvalidValue).path(at("parent-task")),
        Refusal::NoCard { .. } => E::application(OperationFailed)
            .app_tag("no-card")
            .path(at("card-url")),
        Refusal::Profile(cause) => of_profile(cause, asked),
        Refusal::HostedAgent { .. } => E::application(OperationNotSupported).path(at("name")),
        Refusal::TooMany { .. } => denied(),
        Refusal::TasksOpen { .. } => denied().app_tag("tasks-open"),
        Refusal::TooBig { .. } | Refusal::TooMuch { .. } => {
            E::application(TooBig).path(asked.path(None))
        }
        Refusal::TasksHeld { .. } => denied().app_tag("tasks-held"),
        Refusal::DataQuota { .. } => denied().app_tag("data-quota"),
        Refusal::TooFast { .. } => denied().app_tag("write-rate"),
        Refusal::ShortOfMemory => E::application(ResourceDenied).app_tag("memory-short"),
        Refusal::DataMismatch { .. } => E::application(InvalidValue)
            .app_tag("data-mismatch")
            .path(at("id")),
        Refusal::Undeliverable { .. } => E::application(InvalidValue)
            .app_tag("not-allowed")
            .path(at("task-subscription/subscript-url")),
        Refusal::MailboxFull { .. } => E::application(ResourceDenied).app_tag("mailbox-full"),
        Refusal::NoNetwork => E::application(OperationFailed).app_tag("no-network"),
        Refusal::Fault(cause) => of_fault(cause, asked),
        Refusal::NotEntitled { .. } => E::protocol(AccessDenied).path(asked.path(None)),
        Refusal::UnknownElement { leaf, .. } => E::application(InvalidValue)
            .app_tag("unknown-element")
            .path(at(leaf)),
        Refusal::ForeignElement { leaf, .. } => E::application(InvalidValue)
            .app_tag("other-domain")
            .path(at(leaf)),
        Refusal::Impossible { .. } => E::application(OperationFailed).app_tag("impossible"),
        Refusal::TooLong { .. } => E::application(OperationFailed).app_tag("too-long"),
        Refusal::Payload { violations, .. } => return of_payload(violations, refusal, asked),
        Refusal::UnknownSchema(_) => E::application(InvalidValue)
            .app_tag("unknown-schema")
            .path(at(asked.schema_leaf())),
        Refusal::UnknownScenario(_) => E::application(InvalidValue)
            .app_tag("unknown-scenario")
            .path(at("scenario")),
        Refusal::Unretirable { .. } => bad_state(at("schema-id")),
        Refusal::SwitchedOff { .. } => E::application(OperationNotSupported).path(asked.path(None)),
        Refusal::Template(_) => E::application(InvalidValue)
            .app_tag("template-lint")
            .path(at("template")),
        Refusal::Publish(PublishError::Changed { .. }) => {
            E::application(DataExists).path(at("template"))
        }
        Refusal::Publish(_) | Refusal::Unpublishable { .. } => {
            E::application(InvalidValue).path(at("template"))
        }
        Refusal::UnknownPatch { .. } => E::application(DataMissing).path(at("patch-id")),
        Refusal::UnknownSample { .. } => E::application(DataMissing).path(at("sample-id")),
        Refusal::Evolution(EvolutionRefusal::Off) => {
            E::application(OperationNotSupported).path(asked.path(None))
        }
        Refusal::Evolution(_) => bad_state(at("patch-id")),
        Refusal::Failed(StoreFailure::Full) => E::application(ResourceDenied).app_tag("store-full"),
        Refusal::Failed(StoreFailure::Locked) => E::application(InUse).app_tag("store-locked"),
        Refusal::Failed(StoreFailure::Damaged { .. }) => {
            E::application(OperationFailed).app_tag("data-corrupt")
        }
        Refusal::Failed(StoreFailure::Broken { .. }) => {
            E::application(OperationFailed).app_tag("store-failed")
        }
    };
    error.message(refusal.to_string())
}

/// Nothing was broken, told or mended in the simulated network.
fn of_fault(cause: &FaultRefusal, asked: RpcOrigin) -> RpcError {
    let at = |leaf| asked.path(Some(leaf));
    let invalid = |leaf| RpcError::application(ErrorTag::InvalidValue).path(at(leaf));
    match cause {
        FaultRefusal::Agent { .. } => {
            RpcError::protocol(ErrorTag::AccessDenied).path(asked.path(None))
        }
        FaultRefusal::UnknownElement(_) => invalid("element").app_tag("unknown-element"),
        FaultRefusal::OtherElement(_) => invalid("element").app_tag("wrong-kind"),
        FaultRefusal::Duration(_) => invalid("duration"),
        FaultRefusal::Severity(_) => invalid("severity"),
        FaultRefusal::Nowhere(_) => {
            RpcError::application(ErrorTag::OperationFailed).app_tag("impossible")
        }
        FaultRefusal::Unknown { .. } => RpcError::application(ErrorTag::DataMissing).path(at("id")),
    }
}

/// A payload that does not keep to its schema: the tag is that of the first violation, and all of
/// them stand in the message, each with its place (reliability: `kv-missing-key`, `kv-type`).
fn of_payload(violations: &[PayloadViolation], refusal: &Refusal, asked: RpcOrigin) -> RpcError {
    let first = violations.first();
    let (tag, app_tag) = match first.map(|v| v.code) {
        Some(Code::Missing) => (ErrorTag::MissingElement, "kv-missing-key"),
        Some(Code::Unknown) => (ErrorTag::UnknownElement, "kv-unknown-key"),
        Some(Code::Type) => (ErrorTag::InvalidValue, "kv-type"),
        Some(Code::Length | Code::Depth) => (ErrorTag::TooBig, "kv-too-big"),
        _ => (ErrorTag::InvalidValue, "kv-value"),
    };
    let leaf = asked.content_leaf().unwrap_or("payload");
    let error = RpcError::application(tag)
        .app_tag(app_tag)
        .path(asked.path(Some(leaf)));
    let key = first.and_then(|v| v.path.rsplit('/').next()).unwrap_or("");
    match tag {
        ErrorTag::MissingElement | ErrorTag::UnknownElement => error.bad_element(element_name(key)),
        _ => error,
    }
    .message(refusal.to_string())
}

/// A payload as typed XML that does not keep to its schema; `at` is its container.
pub(crate) fn of_typed(refusal: &Refusal, at: ErrorPath) -> RpcError {
    refused(refusal, RpcOrigin::NEGOTIATE).path(at)
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

/// What the task or the negotiation does not take in its state.
fn bad_state(path: ErrorPath) -> RpcError {
    RpcError::application(ErrorTag::OperationFailed)
        .app_tag("bad-state")
        .path(path)
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
        ProfileError::Taken(_) => (ErrorTag::DataExists, Some("name")),
        ProfileError::Version(_) => (ErrorTag::InvalidValue, Some("version")),
        ProfileError::Mode { .. } => (ErrorTag::InvalidValue, Some("skills")),
        ProfileError::Deceptive { leaf, .. } => (ErrorTag::InvalidValue, Some(*leaf)),
        ProfileError::Twice { .. } => (ErrorTag::InvalidValue, None),
        ProfileError::TooLong { .. } => (ErrorTag::TooBig, None),
    };
    RpcError::application(tag).path(asked.path(leaf))
}

/// A look at data that the engine refused.
pub(crate) fn of_reading(refusal: &Refusal, operation: XmlElement<'_>) -> RpcError {
    match refusal {
        Refusal::TooMuch { .. } => RpcError::application(ErrorTag::TooBig)
            .path(ErrorPath::of(operation))
            .message(format!(
                "{refusal}; name the keys that are wanted, or read page by page with <get-tasks> \
                 and <get-context> of convoke-registry"
            )),
        other => refused(other, RpcOrigin::NEGOTIATE),
    }
}

/// A violation of the schema by the operation `at`.
pub(crate) fn of_violation(violation: &Violation, at: XmlElement<'_>) -> RpcError {
    let tag = ErrorTag::from_wire(violation.tag.as_str()).unwrap_or(ErrorTag::OperationFailed);
    // The message itself was read, so it is not malformed (which would end the session, and must
    // not be told to a peer of base:1.0): text stands where elements are due, or its like.
    if tag == ErrorTag::MalformedMessage {
        return RpcError::application(ErrorTag::BadElement)
            .path(ErrorPath::of(at))
            .message(violation.message.clone())
            .bad_element(at.name());
    }
    let path = violation.path.as_ref().map(|path| {
        let path = ErrorPath::new(format!("/nc:rpc{}", qualified(path)));
        let bound = violation.prefixes.iter();
        bound
            .fold(path, |path, (prefix, uri)| path.bind(prefix, uri))
            .bind("nc", BASE)
    });
    // libyang does not always say where: then it is about the operation.
    let mut error = RpcError::application(tag)
        .message(violation.message.clone())
        .path(path.unwrap_or_else(|| ErrorPath::of(at)));
    if let Some(app_tag) = &violation.app_tag {
        error = error.app_tag(app_tag.clone());
    }
    if let Some(element) = &violation.element {
        error = error.bad_element(element.clone());
    } else if tag == ErrorTag::BadElement {
        error = error.bad_element(at.name());
    }
    if let Some(namespace) = &violation.namespace {
        error = error.bad_namespace(namespace.clone());
    }
    error
}

/// A filter that cannot be used.
pub(crate) fn of_filter(error: &FilterError, at: XmlElement<'_>) -> RpcError {
    let tag = match error {
        FilterError::TooBig => ErrorTag::TooBig,
        FilterError::UnboundPrefix(_) => ErrorTag::InvalidValue,
    };
    RpcError::protocol(tag)
        .path(ErrorPath::of(at))
        .message(error.to_string())
}

/// A filter of type xpath without an expression.
pub(crate) fn filter_without_select(filter: XmlElement<'_>) -> RpcError {
    RpcError::protocol(ErrorTag::MissingAttribute)
        .path(ErrorPath::of(filter))
        .bad_attribute("select")
        .bad_element("filter")
        .message("a filter of type xpath needs the attribute select")
}

/// A filter of a type that is none.
pub(crate) fn filter_type(filter: XmlElement<'_>, kind: &str) -> RpcError {
    RpcError::protocol(ErrorTag::BadAttribute)
        .path(ErrorPath::of(filter))
        .bad_attribute("type")
        .bad_element("filter")
        .message(format!(
            "a filter is of type subtree or xpath, not '{kind}'"
        ))
}

/// An XPath that is none, or too large.
pub(crate) fn of_expression(cause: &ExpressionError, path: ErrorPath) -> RpcError {
    let tag = match cause {
        ExpressionError::TooBig { .. } => ErrorTag::TooBig,
        _ => ErrorTag::InvalidValue,
    };
    RpcError::protocol(tag)
        .path(path)
        .message(format!("the XPath expression is not valid: {cause}"))
}

/// A prefix of an XPath whose namespace is of no module.
pub(crate) fn unknown_namespace(prefix: &str, namespace: &str, path: ErrorPath) -> RpcError {
    RpcError::protocol(ErrorTag::InvalidValue)
        .path(path)
        .message(format!(
            "the XPath expression is not valid: prefix \"{prefix}\" stands for \"{namespace}\", \
             which is the namespace of no module"
        ))
}

/// An XPath that yields a text, a number or a truth (RFC 6241 §8.9.1).
pub(crate) fn no_node_set(path: ErrorPath) -> RpcError {
    RpcError::protocol(ErrorTag::InvalidValue)
        .path(path)
        .message("the XPath expression does not select nodes")
}

/// A search that ended without a result. RFC 6241 Appendix A: neither request nor reply is too
/// big, but what it would take is more than there is for one request.
pub(crate) fn of_search(cause: &EvaluationError, path: ErrorPath) -> RpcError {
    match cause {
        EvaluationError::Spent { .. } => RpcError::application(ErrorTag::ResourceDenied)
            .app_tag("search-cost")
            .path(path)
            .message(format!(
                "the XPath expression costs too much: {cause}; begin it with a path of names and \
                 keys, such as /p:a/p:b[p:key='x'], and compare with fewer nodes in its predicates"
            )),
        EvaluationError::Cancelled => abandoned(path),
        EvaluationError::Pattern(_) => RpcError::protocol(ErrorTag::InvalidValue)
            .path(path)
            .message(format!("the XPath expression is not valid: {cause}")),
    }
}

/// A search for which there is no room now.
pub(crate) fn busy(path: ErrorPath) -> RpcError {
    RpcError::application(ErrorTag::ResourceDenied)
        .app_tag("busy")
        .path(path)
        .message(crate::background::Busy.to_string())
}

/// A search that was not done in its time.
pub(crate) fn abandoned(path: ErrorPath) -> RpcError {
    RpcError::application(ErrorTag::ResourceDenied)
        .app_tag("busy")
        .path(path)
        .message(crate::background::Abandoned.to_string())
}

/// An rpc that is not offered, in the request's own words.
pub(crate) fn not_supported(operation: XmlElement<'_>, why: &str) -> RpcError {
    RpcError::protocol(ErrorTag::OperationNotSupported)
        .path(ErrorPath::of(operation))
        .message(format!("<{}> is not supported: {why}", operation.name()))
}

/// An rpc that the access rules deny.
pub(crate) fn denied(operation: XmlElement<'_>, denied: &Refusal) -> RpcError {
    RpcError::protocol(ErrorTag::AccessDenied)
        .path(ErrorPath::of(operation))
        .message(denied.to_string())
}

/// An element that is missing from an rpc.
pub(crate) fn missing(operation: XmlElement<'_>, element: &str) -> RpcError {
    RpcError::protocol(ErrorTag::MissingElement)
        .path(ErrorPath::of(operation))
        .bad_element(element)
        .message(format!("<{}> needs <{element}>", operation.name()))
}

/// A value that cannot be used.
pub(crate) fn invalid(at: XmlElement<'_>, message: impl Into<String>) -> RpcError {
    RpcError::protocol(ErrorTag::InvalidValue)
        .path(ErrorPath::of(at))
        .message(message)
}

/// A value that is more than is read.
pub(crate) fn too_big(at: XmlElement<'_>, message: impl Into<String>) -> RpcError {
    RpcError::protocol(ErrorTag::TooBig)
        .path(ErrorPath::of(at))
        .message(message)
}

#[cfg(test)]
mod tests {
    use super::super::operation::input::{DataRead, Input, RenewLease};
    use super::{RpcOrigin, element_name, qualified};

    #[test]
    fn a_leaf_is_in_the_namespace_of_the_module_that_defines_it() {
        for (asked, leaf, path) in [
            (
                RpcOrigin::NEGOTIATE,
                "task-id",
                "/nc:rpc/agt:task-negotiate/agt:task-id",
            ),
            (
                RpcOrigin::NEGOTIATE,
                "round",
                "/nc:rpc/agt:task-negotiate/cvn:round",
            ),
            (
                RpcOrigin::NEGOTIATE,
                "task-subscription/subscript-url",
                "/nc:rpc/agt:task-negotiate/cvn:task-subscription/cvn:subscript-url",
            ),
            (
                RenewLease::ORIGIN,
                "name",
                "/nc:rpc/cvr:renew-lease/cvr:name",
            ),
            (DataRead::ORIGIN, "id", "/nc:rpc/cvdata:data-read/cvdata:id"),
        ] {
            let told = asked.path(Some(leaf));
            assert_eq!(told.path, path);
            let bound = |prefix: &str| told.namespaces.iter().any(|(p, _)| p == prefix);
            let mut prefixes = path
                .split('/')
                .filter_map(|step| Some(step.split_once(':')?.0));
            assert!(prefixes.all(bound), "{told:?}");
        }
    }

    #[test]
    fn a_bad_element_has_a_name_that_an_element_can_have() {
        assert_eq!(element_name("power_watts"), "power_watts");
        for key in ["task description", "", "1st", "a/b"] {
            assert_eq!(element_name(key), "content");
        }
    }

    #[test]
    fn every_step_gets_the_prefix_of_the_one_above() {
        for (written, meant) in [
            ("/m:a", "/m:a"),
            ("/m:a/b/n:c/d", "/m:a/m:b/n:c/n:d"),
            ("/m:a/b[k='x/y[z']/c", "/m:a/m:b[m:k='x/y[z']/m:c"),
            ("/m:a/b[1]", "/m:a/m:b[1]"),
            ("/m:a/@n:k", "/m:a/@n:k"),
        ] {
            assert_eq!(qualified(written), meant);
        }
    }
}
