//! `inject-fault` (module convoke-simulation): something breaks in the simulated network.
//!
//! Whoever runs the network answers; the binding only translates.

use super::input::{text, word};
use super::{Answer, Handled, ask, check, output};
use crate::netconf::SIMULATION_NAMESPACE;
use crate::netconf::error::Asked;
use crate::netconf::session::Scene;
use ::netconf::data::Node;
use ::netconf::xml::Element;
use engine::{Injected, Operation};

pub(super) fn inject_fault(scene: &Scene<'_>, operation: Element<'_>) -> Handled {
    let read = || {
        check(scene, operation)?;
        Ok(Operation::InjectFault {
            kind: word(operation, "kind").unwrap_or_default().to_owned(),
            element: text(operation, "element"),
        })
    };
    ask(scene, read(), Asked::Simulation)
}

/// The output of `inject-fault`.
pub(super) fn injected(injected: &Injected) -> Answer {
    let leaf = |name, value| Node::value(SIMULATION_NAMESPACE, name, value);
    output([
        leaf("kind", &injected.kind),
        leaf("element", &injected.element),
    ])
}
