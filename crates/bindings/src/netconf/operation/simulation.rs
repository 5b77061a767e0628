//! `inject-fault` (module convoke-simulation): something breaks in the simulated network.
//!
//! Whoever runs the network answers; the binding only translates.

use super::{Answer, Handled, check};
use crate::netconf::SIMULATION_NAMESPACE;
use crate::netconf::session::Scene;
use ::netconf::data::{Node, write};
use ::netconf::filter::Projection;
use ::netconf::xml::Element;
use engine::{Execution, Injected, Operation};

pub(super) fn inject_fault(scene: &Scene<'_>, operation: Element<'_>) -> Handled {
    if let Err(error) = check(scene, operation) {
        return Handled::Now(Err(error));
    }
    let text = |name| {
        operation
            .child(SIMULATION_NAMESPACE, name)
            .map(|e| e.trimmed_text().to_owned())
    };
    let wanted = Operation::InjectFault {
        kind: text("kind").unwrap_or_default(),
        element: text("element"),
    };
    match scene.platform.engine.execute(scene.who, wanted, scene.now) {
        Execution::Done(outcome) => Handled::Now(super::answer(outcome)),
        Execution::Pending(pending) => Handled::Later(pending),
    }
}

pub(super) fn answer(injected: &Injected) -> Answer {
    let mut out = Vec::new();
    for (name, value) in [("kind", &injected.kind), ("element", &injected.element)] {
        write(
            &Node::value(SIMULATION_NAMESPACE, name, value),
            &Projection::everything(),
            &mut out,
        );
    }
    Answer::Body(out)
}
