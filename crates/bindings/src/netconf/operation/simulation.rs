//! `inject-fault`, `list-faults` and `clear-fault` (module convoke-simulation): what is broken in the
//! simulated network.
//!
//! Whoever runs the network answers; the binding only translates. Read next: `engine::network::faults`.

use super::input::{Text, Word};
use super::{Answer, Codec, input, output};
use crate::netconf::SIMULATION_NAMESPACE;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Severity;
use engine::{ClearFault, FaultRecord, InjectFault, ListFaults};

impl Codec for InjectFault {
    type Input = input::InjectFault<'static>;

    fn decode(_: &RequestContext<'_>, input: input::InjectFault<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            // What is left is `random`.
            kind: Cause::parse(input.kind()?.as_str()),
            element: input.element().map(Text::as_str).map(ElementId::new),
            duration_s: input.duration().map(u64::from),
            severity: input.severity().map(severity).transpose()?,
        })
    }

    fn encode(fault: FaultRecord) -> Answer {
        output(identity(&fault))
    }
}

impl Codec for ListFaults {
    type Input = input::ListFaults<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ListFaults<'_>) -> Result<Self, RpcError> {
        let ended = input.ended();
        Ok(Self { ended })
    }

    fn encode(faults: Vec<FaultRecord>) -> Answer {
        output(faults.iter().map(listed))
    }
}

impl Codec for ClearFault {
    type Input = input::ClearFault<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ClearFault<'_>) -> Result<Self, RpcError> {
        let id = input.id()?.into();
        Ok(Self { id })
    }

    fn encode((): ()) -> Answer {
        Answer::Ok
    }
}

fn severity(named: Word<'_>) -> Result<Severity, RpcError> {
    named.read_as(Severity::parse)
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
