//! One file per group of rpcs; here the switch: known, offered, permitted, right, done.
//!
//! The order is fixed: an rpc that is not offered is `operation-not-supported` for everyone,
//! before access is judged; one that is denied is `access-denied` before its content is looked
//! at. Read next: `negotiate`, `read`.

mod audit;
mod data;
mod ems;
mod input;
mod lock;
mod negotiate;
mod page;
pub(super) mod plain;
mod read;
mod registry;
mod schema;
mod schemas;
mod simulation;
mod subscribe;
mod typed;

pub(super) use schemas::patch;
pub(super) use subscribe::Subscription;

use super::error::RpcOrigin;
use super::session::RequestContext;
use super::{
    AGENT_NAMESPACE, AUDIT_NAMESPACE, DATA_NAMESPACE, EMS_NAMESPACE, REGISTRY_NAMESPACE,
    SCHEMA_NAMESPACE, SIMULATION_NAMESPACE, error,
};
use ::netconf::data::{Node, write};
use ::netconf::error::RpcError;
use ::netconf::filter::Projection;
use ::netconf::names::namespace::{BASE, MONITORING, NMDA, NOTIFICATION};
use ::netconf::session::{CloseReason, Rpc};
use ::netconf::xml::Element;
use domain::access::Request;
use engine::{Execution, Notice, Operation, Outcome};
use std::future::Future;
use std::pin::Pin;

/// What is sent back for one rpc.
pub(super) enum Answer {
    /// `<ok/>`.
    Ok,
    /// Elements, complete.
    Body(Vec<u8>),
    /// What stands in the `<data>` of the base namespace.
    Data(Vec<u8>),
    /// `<ok/>`, and the subscription begins.
    Subscribed(Box<Subscription>),
    /// `<ok/>`, and the session ends.
    Closing(CloseReason),
}

/// The outcome of a negotiation that is not on disk yet, or of a search under way.
pub(super) type Pending = Pin<Box<dyn Future<Output = Result<Answer, RpcError>> + Send>>;

/// What becomes of one rpc.
pub(super) enum Dispatch {
    /// Known now.
    Now(Result<Answer, RpcError>),
    /// Known later, in its turn.
    Later(Pending),
}

/// The rpcs that are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RpcKind {
    Get,
    GetConfig,
    GetData,
    Lock,
    Unlock,
    CloseSession,
    KillSession,
    GetSchema,
    CreateSubscription,
    TaskNegotiate,
    RegisterAgent,
    RenewLease,
    DeregisterAgent,
    DiscoverAgents,
    FormTeam,
    GetTasks,
    GetContext,
    GetAudit,
    DataWrite,
    DataRead,
    InjectFault,
    ListFaults,
    ClearFault,
    GetSchemaTemplate,
    ListScenarios,
    ValidatePayload,
    GetSchemaUpdates,
    RequestCapabilityExtension,
    PublishSchemaTemplate,
    RetireSchema,
    RenderSchema,
    ApprovePatch,
    RejectPatch,
    JudgeAlignment,
    EraseFragments,
    Probe,
    SetPower,
    SetSaving,
    ReadConfiguration,
    Configure,
    Restart,
    Trace,
    Dispatch,
    Guide,
    TellCustomer,
}

impl RpcKind {
    /// The rpc that an element asks for, with the module that defines it.
    pub(super) fn of(operation: Element<'_>) -> Option<(Self, &'static str)> {
        let name = operation.name();
        Some(match (operation.namespace(), name) {
            (BASE, "get") => (Self::Get, "ietf-netconf"),
            (BASE, "get-config") => (Self::GetConfig, "ietf-netconf"),
            (BASE, "lock") => (Self::Lock, "ietf-netconf"),
            (BASE, "unlock") => (Self::Unlock, "ietf-netconf"),
            (BASE, "close-session") => (Self::CloseSession, "ietf-netconf"),
            (BASE, "kill-session") => (Self::KillSession, "ietf-netconf"),
            (NMDA, "get-data") => (Self::GetData, "ietf-netconf-nmda"),
            (MONITORING, "get-schema") => (Self::GetSchema, "ietf-netconf-monitoring"),
            (NOTIFICATION, "create-subscription") => (Self::CreateSubscription, "notifications"),
            (AGENT_NAMESPACE, "task-negotiate") => (Self::TaskNegotiate, "irtf-agent"),
            (REGISTRY_NAMESPACE, "register-agent") => (Self::RegisterAgent, "convoke-registry"),
            (REGISTRY_NAMESPACE, "renew-lease") => (Self::RenewLease, "convoke-registry"),
            (REGISTRY_NAMESPACE, "deregister-agent") => (Self::DeregisterAgent, "convoke-registry"),
            (REGISTRY_NAMESPACE, "discover-agents") => (Self::DiscoverAgents, "convoke-registry"),
            (REGISTRY_NAMESPACE, "form-team") => (Self::FormTeam, "convoke-registry"),
            (REGISTRY_NAMESPACE, "get-tasks") => (Self::GetTasks, "convoke-registry"),
            (REGISTRY_NAMESPACE, "get-context") => (Self::GetContext, "convoke-registry"),
            (AUDIT_NAMESPACE, "get-audit") => (Self::GetAudit, "convoke-audit"),
            (DATA_NAMESPACE, "data-write") => (Self::DataWrite, "convoke-data"),
            (DATA_NAMESPACE, "data-read") => (Self::DataRead, "convoke-data"),
            (SIMULATION_NAMESPACE, name) => (Self::of_simulation(name)?, "convoke-simulation"),
            (SCHEMA_NAMESPACE, name) => (Self::of_schemas(name)?, "convoke-schema"),
            (EMS_NAMESPACE, name) => (ems::offered(name)?, "convoke-ems"),
            _ => return None,
        })
    }

    /// The rpc of convoke-simulation called so.
    fn of_simulation(name: &str) -> Option<Self> {
        Some(match name {
            "inject-fault" => Self::InjectFault,
            "list-faults" => Self::ListFaults,
            "clear-fault" => Self::ClearFault,
            _ => return None,
        })
    }

    /// The rpc of convoke-schema called so.
    fn of_schemas(name: &str) -> Option<Self> {
        Some(match name {
            "get-schema-template" => Self::GetSchemaTemplate,
            "list-scenarios" => Self::ListScenarios,
            "validate-payload" => Self::ValidatePayload,
            "get-schema-updates" => Self::GetSchemaUpdates,
            "request-capability-extension" => Self::RequestCapabilityExtension,
            "publish-schema-template" => Self::PublishSchemaTemplate,
            "retire-schema" => Self::RetireSchema,
            "render-schema" => Self::RenderSchema,
            "approve-patch" => Self::ApprovePatch,
            "reject-patch" => Self::RejectPatch,
            "judge-alignment" => Self::JudgeAlignment,
            "erase-fragments" => Self::EraseFragments,
            _ => return None,
        })
    }

    /// True if answering it looks at state that earlier requests of the session may change, so
    /// that it must wait for them. What is done to the network is begun at once and may be under way
    /// side by side.
    pub(super) fn reads(self) -> bool {
        match self {
            Self::TaskNegotiate
            | Self::DataWrite
            | Self::Probe
            | Self::SetPower
            | Self::SetSaving
            | Self::ReadConfiguration
            | Self::Configure
            | Self::Restart
            | Self::Trace
            | Self::Dispatch
            | Self::Guide
            | Self::TellCustomer => false,
            Self::Get
            | Self::GetConfig
            | Self::GetData
            | Self::Lock
            | Self::Unlock
            | Self::CloseSession
            | Self::KillSession
            | Self::GetSchema
            | Self::CreateSubscription
            | Self::RegisterAgent
            | Self::RenewLease
            | Self::DeregisterAgent
            | Self::DiscoverAgents
            | Self::FormTeam
            | Self::GetTasks
            | Self::GetContext
            | Self::GetAudit
            | Self::DataRead
            | Self::InjectFault
            | Self::ListFaults
            | Self::ClearFault
            | Self::GetSchemaTemplate
            | Self::ListScenarios
            | Self::ValidatePayload
            | Self::GetSchemaUpdates
            | Self::RequestCapabilityExtension
            | Self::PublishSchemaTemplate
            | Self::RetireSchema
            | Self::RenderSchema
            | Self::ApprovePatch
            | Self::RejectPatch
            | Self::JudgeAlignment
            | Self::EraseFragments => true,
        }
    }
}

/// Handles one rpc.
pub(super) fn handle(cx: &RequestContext<'_>, rpc: &Rpc) -> Dispatch {
    let operation = rpc.operation();
    let Some((offered, module)) = RpcKind::of(operation) else {
        return Dispatch::Now(Err(error::not_supported(operation, why_not(operation))));
    };
    if let Some(why) = ems::elsewhere(cx, offered) {
        return Dispatch::Now(Err(error::not_supported(operation, why)));
    }
    let guarded =
        offered == RpcKind::KillSession || cx.announced.is_guarded(module, operation.name());
    let exec = Request::Exec {
        module,
        rpc: operation.name(),
        guarded,
    };
    if let Err(denied) = cx.platform.engine.authorise(cx.who, exec, cx.now) {
        return Dispatch::Now(Err(error::denied(operation, &denied)));
    }
    match offered {
        RpcKind::TaskNegotiate => negotiate::task_negotiate(cx, operation),
        RpcKind::RegisterAgent => registry::register_agent(cx, operation),
        RpcKind::RenewLease => registry::renew_lease(cx, operation),
        RpcKind::DeregisterAgent => registry::deregister_agent(cx, operation),
        RpcKind::DiscoverAgents => registry::discover_agents(cx, operation),
        RpcKind::FormTeam => registry::form_team(cx, operation),
        RpcKind::GetTasks => Dispatch::Now(page::get_tasks(cx, operation)),
        RpcKind::GetContext => Dispatch::Now(page::get_context(cx, operation)),
        RpcKind::GetAudit => Dispatch::Now(audit::get_audit(cx, operation)),
        RpcKind::DataWrite => data::data_write(cx, operation),
        RpcKind::DataRead => data::data_read(cx, operation),
        RpcKind::InjectFault => simulation::inject_fault(cx, operation),
        RpcKind::ListFaults => simulation::list_faults(cx, operation),
        RpcKind::ClearFault => simulation::clear_fault(cx, operation),
        RpcKind::GetSchemaTemplate => {
            schemas::handle(cx, operation, "get-schema-template", schemas::get_template)
        }
        RpcKind::ListScenarios => {
            schemas::handle(cx, operation, "list-scenarios", schemas::list_scenarios)
        }
        RpcKind::ValidatePayload => {
            schemas::handle(cx, operation, "validate-payload", schemas::validate_payload)
        }
        RpcKind::GetSchemaUpdates => {
            schemas::handle(cx, operation, "get-schema-updates", schemas::get_updates)
        }
        RpcKind::RequestCapabilityExtension => schemas::handle(
            cx,
            operation,
            "request-capability-extension",
            schemas::request_extension,
        ),
        RpcKind::PublishSchemaTemplate => schemas::handle(
            cx,
            operation,
            "publish-schema-template",
            schemas::publish_template,
        ),
        RpcKind::RetireSchema => {
            schemas::handle(cx, operation, "retire-schema", schemas::retire_template)
        }
        RpcKind::RenderSchema => schemas::handle(cx, operation, "render-schema", schemas::render),
        RpcKind::ApprovePatch => {
            schemas::handle(cx, operation, "approve-patch", schemas::approve_patch)
        }
        RpcKind::RejectPatch => {
            schemas::handle(cx, operation, "reject-patch", schemas::reject_patch)
        }
        RpcKind::JudgeAlignment => {
            schemas::handle(cx, operation, "judge-alignment", schemas::judge_alignment)
        }
        RpcKind::EraseFragments => {
            schemas::handle(cx, operation, "erase-fragments", schemas::erase_fragments)
        }
        RpcKind::Probe => ems::act(cx, operation, "probe"),
        RpcKind::SetPower => ems::act(cx, operation, "set-power"),
        RpcKind::SetSaving => ems::act(cx, operation, "set-saving"),
        RpcKind::ReadConfiguration => ems::act(cx, operation, "read-configuration"),
        RpcKind::Configure => ems::act(cx, operation, "configure"),
        RpcKind::Restart => ems::act(cx, operation, "restart"),
        RpcKind::Trace => ems::act(cx, operation, "trace"),
        RpcKind::Dispatch => ems::act(cx, operation, "dispatch"),
        RpcKind::Guide => ems::act(cx, operation, "guide"),
        RpcKind::TellCustomer => ems::act(cx, operation, "tell-customer"),
        RpcKind::Get => taken(read::get(cx, operation)),
        RpcKind::GetConfig => taken(read::get_config(cx, operation)),
        RpcKind::GetData => taken(read::get_data(cx, operation)),
        RpcKind::Lock => Dispatch::Now(lock::lock(cx, operation)),
        RpcKind::Unlock => Dispatch::Now(lock::unlock(cx, operation)),
        RpcKind::KillSession => Dispatch::Now(lock::kill_session(cx, operation)),
        RpcKind::CloseSession => {
            Dispatch::Now(check(cx, operation).map(|()| Answer::Closing(CloseReason::Requested)))
        }
        RpcKind::GetSchema => Dispatch::Now(schema::get_schema(cx, operation)),
        RpcKind::CreateSubscription => Dispatch::Now(subscribe::create(cx, operation)),
    }
}

/// What is refused is known now.
fn taken(handled: Result<Dispatch, RpcError>) -> Dispatch {
    handled.unwrap_or_else(|error| Dispatch::Now(Err(error)))
}

/// Asks the engine for what was read, unless it could not be read.
fn ask(cx: &RequestContext<'_>, wanted: Result<Operation, RpcError>, asked: RpcOrigin) -> Dispatch {
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(error) => return Dispatch::Now(Err(error)),
    };
    match cx.platform.engine.execute(cx.who, wanted, cx.now) {
        Execution::Done(Ok(outcome)) => Dispatch::Now(Ok(encoded(outcome))),
        Execution::Done(Err(refusal)) => Dispatch::Now(Err(error::refused(&refusal, asked))),
        Execution::Pending(pending) => Dispatch::Later(Box::pin(async move {
            let outcome = pending.await;
            outcome
                .map(encoded)
                .map_err(|refusal| error::refused(&refusal, asked))
        })),
    }
}

fn encoded(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Reply(reply) => Answer::Body(negotiate::encode(&reply, &Notice::default())),
        Outcome::Noted(reply, notice) => Answer::Body(negotiate::encode(&reply, &notice)),
        Outcome::Registered(place, advice) => registry::place(&place, &advice),
        Outcome::Left => Answer::Ok,
        Outcome::Found(found) => registry::matches(&found),
        Outcome::Team(team) => registry::formed(&team),
        Outcome::Written(written) => data::written(written),
        Outcome::Bytes(piece) => data::piece(&piece),
        Outcome::Faults(answer) => simulation::answered(&answer),
        Outcome::Acted(acted) => ems::acted(&acted),
        Outcome::Schema(outcome) => schemas::encoded(&outcome),
        Outcome::Records(_) => unreachable!("records are read, not asked for"),
        Outcome::Push(_) | Outcome::PushForgotten => unreachable!("no rpc asks for pushing"),
    }
}

/// The output of an rpc: siblings, each in the namespace of its module. RFC 7950 §7.14.4: if there is
/// none, `<ok/>`.
fn output<'a>(nodes: impl IntoIterator<Item = Node<'a>>) -> Answer {
    let mut out = Vec::with_capacity(512);
    for node in nodes {
        write(&node, &Projection::everything(), &mut out);
    }
    match out.is_empty() {
        true => Answer::Ok,
        false => Answer::Body(out),
    }
}

fn why_not(operation: Element<'_>) -> &'static str {
    match (operation.namespace(), operation.name()) {
        (BASE, "edit-config" | "copy-config" | "delete-config") | (NMDA, "edit-data") => {
            "everything served here is state; what changes it is task-negotiate"
        }
        (BASE, "commit" | "discard-changes" | "cancel-commit" | "validate") => {
            "there is no candidate datastore"
        }
        _ => "this server does not offer it",
    }
}

/// Checks an operation against the schema, but for what stands in its filters: that is anything, and yet
/// libyang types what it knows of it, XPaths among it. A filter is bounded where it is compiled.
fn check(cx: &RequestContext<'_>, operation: Element<'_>) -> Result<(), RpcError> {
    let is_filter = |child: Element<'_>| matches!(child.name(), "filter" | "subtree-filter");
    let mut text = Vec::new();
    operation.write_hollow(is_filter, &mut text);
    let text = String::from_utf8(text).expect("made of slices of a str");
    check_text(cx, operation, &text)
}

/// Checks the text of an operation, or of a part of it.
fn check_text(cx: &RequestContext<'_>, operation: Element<'_>, text: &str) -> Result<(), RpcError> {
    input::has_short_xpaths(operation)?;
    cx.announced
        .generation
        .check_rpc(text)
        .map_err(|violation| error::of_violation(&violation, operation))
}

#[cfg(test)]
mod tests;
