//! `inject-fault`, `list-faults` and `clear-fault` (module convoke-simulation): what is broken in the
//! simulated network.
//!
//! Whoever runs the network answers; the binding only translates. Read next: `engine::faults`.

use super::input::{flag, number, text, word};
use super::{Answer, Dispatch, ask, check, output};
use crate::netconf::SIMULATION_NAMESPACE;
use crate::netconf::error::RpcOrigin;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::Element;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Severity;
use engine::{FaultAnswer, FaultRecord, FaultWish, Operation};

pub(super) fn inject_fault(cx: &RequestContext<'_>, operation: Element<'_>) -> Dispatch {
    wish(cx, operation, "inject-fault", || FaultWish::Inject {
        // What is left is `random`.
        kind: word(operation, "kind").and_then(Cause::parse),
        element: text(operation, "element").map(ElementId::new),
        duration_s: number(operation, "duration"),
        severity: word(operation, "severity").and_then(severity),
    })
}

pub(super) fn list_faults(cx: &RequestContext<'_>, operation: Element<'_>) -> Dispatch {
    wish(cx, operation, "list-faults", || FaultWish::List {
        ended: flag(operation, "ended"),
    })
}

pub(super) fn clear_fault(cx: &RequestContext<'_>, operation: Element<'_>) -> Dispatch {
    wish(cx, operation, "clear-fault", || FaultWish::Clear {
        id: number(operation, "id").unwrap_or_default(),
    })
}

fn wish(
    cx: &RequestContext<'_>,
    operation: Element<'_>,
    rpc: &'static str,
    read: impl FnOnce() -> FaultWish,
) -> Dispatch {
    let checked: Result<(), RpcError> = check(cx, operation);
    let wanted = checked.map(|()| Operation::Faults(read()));
    ask(cx, wanted, RpcOrigin::Simulation(rpc))
}

fn severity(name: &str) -> Option<Severity> {
    let all = [Severity::Minor, Severity::Major, Severity::Critical];
    all.into_iter().find(|s| s.as_str() == name)
}

/// The output of one of them.
pub(super) fn answered(answer: &FaultAnswer) -> Answer {
    match answer {
        FaultAnswer::Injected(fault) => output(identity(fault)),
        FaultAnswer::Listed(faults) => output(faults.iter().map(listed)),
        FaultAnswer::Cleared => Answer::Ok,
    }
}

fn identity(fault: &FaultRecord) -> [Node<'_>; 4] {
    [
        leaf("id", fault.id.to_string()),
        leaf("kind", fault.kind.to_string()),
        leaf("element", fault.element.to_string()),
        leaf("began", fault.began.to_string()),
    ]
}

fn listed(fault: &FaultRecord) -> Node<'_> {
    let ends = [("repaired", fault.repaired), ("restored", fault.restored)];
    let ends = ends.map(|(name, at)| at.map(|at| leaf(name, at.to_string())));
    Node::entry(SIMULATION_NAMESPACE, "fault", 1)
        .with_all(identity(fault))
        .with_all(ends.into_iter().flatten())
        .with(leaf("sites-out", fault.sites_out.to_string()))
}

fn leaf<'a>(name: &'a str, value: String) -> Node<'a> {
    Node::value(SIMULATION_NAMESPACE, name, value)
}
