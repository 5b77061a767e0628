//! The rpcs that are offered ([`RPCS`]), one file a group; here the road of each: known, offered,
//! permitted, right, done.
//!
//! The order is fixed: an rpc that is not offered is `operation-not-supported` for everyone,
//! before access is judged; one that is denied is `access-denied` before its content is looked
//! at. Read next: `negotiate`, `read`.

mod audit;
mod beside;
mod cluster;
mod codec;
mod console;
mod data;
mod ems;
mod filter;
mod lock;
mod negotiate;
mod page;
mod policy;
mod read;
mod registry;
mod schema;
mod schemas;
mod simulation;
mod subscribe;
mod typed;
mod utterance;
mod validation;
mod xpaths;

use super::answer::{Answer, Dispatch};
use super::error::{self, RpcOrigin};
use super::input::{self, Input};
use super::modules::{self, Module};
use super::request_context::RequestContext;
use super::subscription::Subscription;
use ::netconf::error::RpcError;
use ::netconf::filter::Selection;
use ::netconf::names::namespace::{BASE, NMDA};
use ::netconf::session::CloseReason;
use ::netconf::xml::XmlElement;
use codec::{Codec, carried_out};
use domain::access::{Action, Request};
use domain::ems::Ems;
use ems::ActionInput;
use engine::query::{AuditTrail, ExchangePage, TaskCount, TaskPage};
use engine::{
    AddRule, ApprovePatch, ClearFault, CompareDay, DeregisterAgent, DiscoverAgents, DrainNode,
    EndComparison, EndConsoleSession, Endpoint, EraseFragments, FormTeam, GetComparison,
    GetSchemaTemplate, GetSchemaUpdates, InjectFault, JudgeAlignment, ListFaults, ListScenarios,
    MoveLead, Negotiate, PublishSchemaTemplate, ReadData, RejectPatch, RenderSchema, RenewLease,
    RequestCapabilityExtension, RetireSchema, ScoreFaults, ValidatePayload, WithdrawRule,
    WriteData,
};
use validation::check;

pub(crate) use read::Retrieval;

/// Where an rpc is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offered {
    /// At every endpoint.
    Everywhere,
    /// At every endpoint to whoever has a session: what each NETCONF server does.
    Sessions,
    /// At the platform's endpoint and those of agents.
    Platform,
    /// At the endpoints of these management systems of the network.
    Systems(&'static [Ems]),
}

/// An rpc that is offered: where, in which order, and by what it is handled.
pub(super) struct RpcDefinition {
    origin: RpcOrigin,
    offered: Offered,
    /// True if it looks at state that earlier requests of the session may change, so that it waits
    /// for them.
    waits: bool,
    /// True if it makes no difference whether it is carried out once or again.
    repeatable: bool,
    handle: fn(&RequestContext<'_>, RpcOrigin, XmlElement<'_>) -> Dispatch,
}

impl RpcDefinition {
    const fn new(
        origin: RpcOrigin,
        handle: fn(&RequestContext<'_>, RpcOrigin, XmlElement<'_>) -> Dispatch,
    ) -> Self {
        Self {
            origin,
            offered: Offered::Platform,
            waits: true,
            repeatable: false,
            handle,
        }
    }

    /// One that is an operation of the engine.
    const fn of<O: Codec>() -> Self {
        Self::new(O::Input::ORIGIN, carried_out::<O>)
    }

    /// One that every NETCONF server offers.
    const fn everywhere(
        module: &'static Module,
        rpc: &'static str,
        handle: fn(&RequestContext<'_>, RpcOrigin, XmlElement<'_>) -> Dispatch,
    ) -> Self {
        Self {
            offered: Offered::Everywhere,
            ..Self::new(RpcOrigin::of(module, rpc), handle)
        }
    }

    /// One that is about NETCONF's sessions, or that other protocols have methods of their own for.
    const fn of_sessions(
        module: &'static Module,
        rpc: &'static str,
        handle: fn(&RequestContext<'_>, RpcOrigin, XmlElement<'_>) -> Dispatch,
    ) -> Self {
        Self {
            offered: Offered::Sessions,
            ..Self::everywhere(module, rpc, handle)
        }
    }

    /// An action that these systems offer. What is done to the network is begun at once and may be under
    /// way side by side.
    const fn action<I: ActionInput>(systems: &'static [Ems]) -> Self {
        Self {
            offered: Offered::Systems(systems),
            ..Self::new(I::ORIGIN, ems::acted::<I>).at_once()
        }
    }

    /// The same, decided as it arrives and answered beside those in front of it.
    const fn at_once(self) -> Self {
        Self {
            waits: false,
            ..self
        }
    }

    /// The same, which a leader is given that the one before may have carried out: it changes nothing but the session
    /// itself, or the engine knows it again, and says so where it cannot ([`ForwardedRequest`]). Any other is answered
    /// `leader-changed` then.
    const fn repeatable(self) -> Self {
        Self {
            repeatable: true,
            ..self
        }
    }
}

/// Every rpc that is offered: the modules say what it takes and gives, the handlers the rest.
static RPCS: &[RpcDefinition] = &[
    RpcDefinition::of::<Negotiate>().at_once().repeatable(),
    RpcDefinition::of_sessions(&modules::NETCONF, "get", |cx, origin, it| {
        taken(read::get(cx, origin, it))
    })
    .repeatable(),
    RpcDefinition::of_sessions(&modules::NETCONF, "get-config", |cx, origin, it| {
        taken(read::get_config(cx, origin, it))
    })
    .repeatable(),
    RpcDefinition::of_sessions(&modules::NETCONF_NMDA, "get-data", |cx, origin, it| {
        taken(read::get_data(cx, origin, it))
    })
    .repeatable(),
    RpcDefinition::of_sessions(&modules::NETCONF, "lock", |cx, _, it| {
        Dispatch::Now(lock::lock(cx, it))
    })
    .repeatable(),
    RpcDefinition::of_sessions(&modules::NETCONF, "unlock", |cx, _, it| {
        Dispatch::Now(lock::unlock(cx, it))
    })
    .repeatable(),
    RpcDefinition::of_sessions(&modules::NETCONF, "close-session", |cx, _, it| {
        Dispatch::Now(check(cx, it).map(|()| Answer::Closing(CloseReason::Requested)))
    })
    .repeatable(),
    RpcDefinition::of_sessions(&modules::NETCONF, "kill-session", |cx, _, it| {
        Dispatch::Now(lock::kill_session(cx, it))
    }),
    RpcDefinition::everywhere(&modules::NETCONF_MONITORING, "get-schema", |cx, _, it| {
        Dispatch::Now(schema::get_schema(cx, it))
    })
    .repeatable(),
    RpcDefinition::of_sessions(
        &modules::NOTIFICATIONS,
        "create-subscription",
        |cx, origin, it| Dispatch::Now(subscribe::create(cx, origin, it)),
    )
    .repeatable(),
    RpcDefinition::new(input::RegisterAgent::ORIGIN, registry::register_agent),
    RpcDefinition::of::<RenewLease>(),
    RpcDefinition::of::<DeregisterAgent>(),
    RpcDefinition::of::<DiscoverAgents>().repeatable(),
    RpcDefinition::of::<FormTeam>(),
    RpcDefinition::of::<TaskPage>().repeatable(),
    RpcDefinition::of::<TaskCount>().repeatable(),
    RpcDefinition::of::<ExchangePage>().repeatable(),
    RpcDefinition::of::<AuditTrail>().repeatable(),
    RpcDefinition::of::<WriteData>().at_once(),
    RpcDefinition::of::<ReadData>().repeatable(),
    RpcDefinition::of::<InjectFault>(),
    RpcDefinition::of::<ListFaults>().repeatable(),
    RpcDefinition::of::<ClearFault>(),
    RpcDefinition::of::<ScoreFaults>().repeatable(),
    RpcDefinition::of::<CompareDay>(),
    RpcDefinition::of::<GetComparison>().repeatable(),
    RpcDefinition::of::<EndComparison>(),
    RpcDefinition::of::<DrainNode>(),
    RpcDefinition::of::<MoveLead>(),
    RpcDefinition::of::<EndConsoleSession>(),
    RpcDefinition::of::<AddRule>().repeatable(),
    RpcDefinition::new(input::CheckRule::ORIGIN, |cx, origin, it| {
        taken(policy::check_rule(cx, origin, it))
    })
    .repeatable(),
    RpcDefinition::of::<WithdrawRule>(),
    RpcDefinition::of::<GetSchemaTemplate>().repeatable(),
    RpcDefinition::of::<ListScenarios>().repeatable(),
    RpcDefinition::of::<ValidatePayload>().repeatable(),
    RpcDefinition::new(input::ParseUtterance::ORIGIN, |cx, origin, it| {
        taken(utterance::parse_utterance(cx, origin, it))
    })
    .repeatable(),
    RpcDefinition::of::<GetSchemaUpdates>().repeatable(),
    RpcDefinition::of::<RequestCapabilityExtension>(),
    RpcDefinition::of::<PublishSchemaTemplate>(),
    RpcDefinition::of::<RetireSchema>(),
    RpcDefinition::of::<RenderSchema>().repeatable(),
    RpcDefinition::of::<ApprovePatch>(),
    RpcDefinition::of::<RejectPatch>(),
    RpcDefinition::of::<JudgeAlignment>(),
    RpcDefinition::of::<EraseFragments>(),
    RpcDefinition::action::<input::Probe<'_>>(&[Ems::Wireless, Ems::Ip]),
    RpcDefinition::action::<input::ReadConfiguration<'_>>(&[Ems::Wireless, Ems::Ip]),
    RpcDefinition::action::<input::Configure<'_>>(&[Ems::Wireless, Ems::Ip]),
    RpcDefinition::action::<input::Restart<'_>>(&[Ems::Wireless, Ems::Ip]),
    RpcDefinition::action::<input::SetPower<'_>>(&[Ems::Wireless]),
    RpcDefinition::action::<input::SetSaving<'_>>(&[Ems::Wireless]),
    RpcDefinition::action::<input::Trace<'_>>(&[Ems::Wireless]),
    RpcDefinition::action::<input::Dispatch<'_>>(&[Ems::Customer]),
    RpcDefinition::action::<input::Guide<'_>>(&[Ems::Customer]),
    RpcDefinition::action::<input::TellCustomer<'_>>(&[Ems::Customer]),
];

/// The rpc that an element asks for; none if it is not offered.
fn rpc_of(operation: XmlElement<'_>) -> Option<&'static RpcDefinition> {
    let (namespace, name) = (operation.namespace(), operation.name());
    RPCS.iter()
        .find(|rpc| rpc.origin.rpc == name && rpc.origin.module.namespace == namespace)
}

/// True if an rpc is to wait for those in front of it.
pub(super) fn waits(operation: XmlElement<'_>) -> bool {
    rpc_of(operation).is_none_or(|rpc| rpc.waits)
}

/// True of an rpc that is [`repeatable`](RpcDefinition::repeatable).
pub(super) fn is_repeatable(operation: XmlElement<'_>) -> bool {
    // One that is not offered changes nothing.
    rpc_of(operation).is_none_or(|rpc| rpc.repeatable)
}

/// Handles one rpc.
pub(super) fn handle(cx: &RequestContext<'_>, operation: XmlElement<'_>) -> Dispatch {
    let Some(rpc) = rpc_of(operation) else {
        return Dispatch::Now(Err(error::not_supported(operation, why_not(operation))));
    };
    if let Some(why) = elsewhere(cx, rpc.offered) {
        return Dispatch::Now(Err(error::not_supported(operation, why)));
    }
    match authorised(cx, rpc, operation) {
        Ok(()) => (rpc.handle)(cx, rpc.origin, operation),
        Err(denied) => Dispatch::Now(Err(denied)),
    }
}

/// Begins a subscription for who has no session; the element is a `create-subscription`.
///
/// # Errors
/// As over NETCONF, `access-denied` among them.
pub(super) fn subscribe(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
) -> Result<Box<Subscription>, RpcError> {
    let rpc = defined(operation)?;
    authorised(cx, rpc, operation)?;
    subscribe::begin(cx, rpc.origin, operation)
}

/// Begins a subscription again that was permitted when it was asked for; the element is its
/// `create-subscription`.
///
/// # Errors
/// As over NETCONF.
pub(super) fn subscribe_again(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
) -> Result<Box<Subscription>, RpcError> {
    let rpc = defined(operation)?;
    subscribe::begin(cx, rpc.origin, operation)
}

/// Reads data for who has no session, by the rights that a `get` needs, which the element is.
///
/// # Errors
/// `access-denied`, and those of [`read::retrieve`].
pub(super) fn retrieve(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
    selection: &Selection,
    retrieval: &Retrieval,
) -> Result<Vec<u8>, RpcError> {
    let rpc = defined(operation)?;
    authorised(cx, rpc, operation)?;
    read::retrieve(cx, (rpc.origin, operation), selection, retrieval)
}

/// The rpcs that whoever asks may carry out here, as module and name. Nothing is counted as denied.
pub(super) fn permitted(
    cx: &RequestContext<'_>,
) -> impl Iterator<Item = (&'static Module, &'static str)> {
    let rules = cx.platform.engine.access();
    let offered = RPCS
        .iter()
        .filter(|rpc| elsewhere(cx, rpc.offered).is_none());
    offered
        .filter(move |rpc| rules.decide(cx.who, exec_of(cx, rpc)).action == Action::Permit)
        .map(|rpc| (rpc.origin.module, rpc.origin.rpc))
}

fn defined(operation: XmlElement<'_>) -> Result<&'static RpcDefinition, RpcError> {
    rpc_of(operation).ok_or_else(|| error::not_supported(operation, why_not(operation)))
}

/// Whether whoever asks may carry it out.
fn authorised(
    cx: &RequestContext<'_>,
    rpc: &RpcDefinition,
    operation: XmlElement<'_>,
) -> Result<(), RpcError> {
    let engine = &cx.platform.engine;
    engine
        .authorise(cx.who, exec_of(cx, rpc), cx.now)
        .map_err(|denied| error::denied(operation, &denied))
}

/// Its execution, as the access rules know it.
fn exec_of(cx: &RequestContext<'_>, rpc: &RpcDefinition) -> Request<'static> {
    let RpcOrigin {
        module, rpc: name, ..
    } = rpc.origin;
    Request::Exec {
        module: module.name,
        rpc: name,
        guarded: cx.session_schema.is_guarded(module.name, name),
    }
}

/// Why the endpoint does not offer something that is offered there; none if it does.
fn elsewhere(cx: &RequestContext<'_>, offered: Offered) -> Option<&'static str> {
    match (cx.endpoint, offered) {
        (_, Offered::Everywhere) => None,
        (_, Offered::Sessions) => (!cx.has_session())
            .then_some("it is for sessions of NETCONF; data is read with GET, as are streams"),
        (Endpoint::Ems(_), Offered::Platform) => {
            Some("this is a management system of the network; ask the platform")
        }
        (Endpoint::Ems(own), Offered::Systems(systems)) if systems.contains(own) => None,
        (Endpoint::Ems(_), Offered::Systems(_)) => {
            Some("another management system of the network offers it")
        }
        (_, Offered::Platform) => None,
        (_, Offered::Systems(_)) if cx.platform.engine.is_managed() => {
            Some("the management systems of the network offer it, each at an endpoint of its own")
        }
        (_, Offered::Systems(_)) => {
            Some("this platform runs no network, so there are no management systems")
        }
    }
}

/// What is refused is known now.
fn taken(handled: Result<Dispatch, RpcError>) -> Dispatch {
    handled.unwrap_or_else(|error| Dispatch::Now(Err(error)))
}

fn why_not(operation: XmlElement<'_>) -> &'static str {
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

#[cfg(test)]
mod tests;
