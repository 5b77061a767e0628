//! `inject-fault`, `list-faults` and `clear-fault` (module convoke-simulation): what is broken in the
//! simulated network.
//!
//! Whoever runs the network answers; the binding only translates. Read next: `engine::faults`.

use super::input::{flag, number, text, word};
use super::{Answer, Codec, output};
use crate::netconf::SIMULATION_NAMESPACE;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Severity;
use engine::{ClearFault, FaultRecord, InjectFault, ListFaults};

impl Codec for InjectFault {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            // What is left is `random`.
            kind: word(input, "kind").and_then(Cause::parse),
            element: text(input, "element").map(ElementId::new),
            duration_s: number(input, "duration"),
            severity: word(input, "severity").and_then(severity),
        })
    }

    fn encode(fault: FaultRecord) -> Answer {
        output(identity(&fault))
    }
}

impl Codec for ListFaults {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let ended = flag(input, "ended");
        Ok(Self { ended })
    }

    fn encode(faults: Vec<FaultRecord>) -> Answer {
        output(faults.iter().map(listed))
    }
}

impl Codec for ClearFault {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let id = number(input, "id").unwrap_or_default();
        Ok(Self { id })
    }

    fn encode((): ()) -> Answer {
        Answer::Ok
    }
}

fn severity(name: &str) -> Option<Severity> {
    let all = [Severity::Minor, Severity::Major, Severity::Critical];
    all.into_iter().find(|s| s.as_str() == name)
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
