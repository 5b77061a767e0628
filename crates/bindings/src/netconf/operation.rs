//! One file per group of rpcs; here the switch: known, offered, permitted, right, done.
//!
//! The order is fixed: an rpc that is not offered is `operation-not-supported` for everyone,
//! before access is judged; one that is denied is `access-denied` before its content is looked
//! at. Read next: `negotiate`, `read`.

mod lock;
mod negotiate;
pub(super) mod plain;
mod read;
mod schema;
mod simulation;
mod subscribe;

pub(super) use subscribe::Subscription;

use super::session::Scene;
use super::{AGENT_NAMESPACE, SIMULATION_NAMESPACE, error};
use ::netconf::error::RpcError;
use ::netconf::names::namespace::{BASE, MONITORING, NMDA, NOTIFICATION};
use ::netconf::session::{CloseReason, Rpc};
use ::netconf::xml::Element;
use domain::access::Request;
use engine::{Outcome, Refusal};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;

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

/// The outcome of a negotiation that is not on disk yet.
pub(super) type Pending = Pin<Box<dyn Future<Output = Result<Outcome, Refusal>> + Send>>;

/// What becomes of one rpc.
pub(super) enum Handled {
    /// Known now.
    Now(Result<Answer, RpcError>),
    /// Known later, in its turn.
    Later(Pending),
}

/// The rpcs that are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
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
    InjectFault,
}

impl Offered {
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
            (SIMULATION_NAMESPACE, "inject-fault") => (Self::InjectFault, "convoke-simulation"),
            _ => return None,
        })
    }

    /// True if answering it looks at state that earlier requests of the session may change, so
    /// that it must wait for them.
    pub(super) fn reads(self) -> bool {
        !matches!(self, Self::TaskNegotiate)
    }
}

/// Handles one rpc.
pub(super) fn handle(scene: &Scene<'_>, rpc: &Rpc) -> Handled {
    let operation = rpc.operation();
    let Some((offered, module)) = Offered::of(operation) else {
        return Handled::Now(Err(error::not_supported(operation, why_not(operation))));
    };
    let guarded =
        offered == Offered::KillSession || scene.announced.is_guarded(module, operation.name());
    let exec = Request::Exec {
        module,
        rpc: operation.name(),
        guarded,
    };
    if !scene.platform.engine.permits(scene.who, exec) {
        scene
            .platform
            .totals
            .denied_operations
            .fetch_add(1, Relaxed);
        return Handled::Now(Err(error::denied(operation, &scene.who.name)));
    }
    match offered {
        Offered::TaskNegotiate => negotiate::task_negotiate(scene, operation),
        Offered::InjectFault => simulation::inject_fault(scene, operation),
        Offered::Get => Handled::Now(read::get(scene, operation)),
        Offered::GetConfig => Handled::Now(read::get_config(scene, operation)),
        Offered::GetData => Handled::Now(read::get_data(scene, operation)),
        Offered::Lock => Handled::Now(lock::lock(scene, operation)),
        Offered::Unlock => Handled::Now(lock::unlock(scene, operation)),
        Offered::KillSession => Handled::Now(lock::kill_session(scene, operation)),
        Offered::CloseSession => {
            Handled::Now(check(scene, operation).map(|()| Answer::Closing(CloseReason::Requested)))
        }
        Offered::GetSchema => Handled::Now(schema::get_schema(scene, operation)),
        Offered::CreateSubscription => Handled::Now(subscribe::create(scene, operation)),
    }
}

/// The reply of a negotiation, once its outcome is known.
pub(super) fn answer(outcome: Result<Outcome, Refusal>) -> Result<Answer, RpcError> {
    match outcome {
        Ok(Outcome::Injected(injected)) => Ok(simulation::answer(&injected)),
        outcome => negotiate::answer(outcome),
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

/// Checks an operation against the schema.
fn check(scene: &Scene<'_>, operation: Element<'_>) -> Result<(), RpcError> {
    scene
        .announced
        .generation
        .check_rpc(&operation.standalone())
        .map_err(|violation| error::of_violation(&violation, operation))
}
