//! `inject-fault`, `list-faults` and `clear-fault` (module convoke-simulation): what is broken in the
//! simulated network.
//!
//! Whoever runs the network answers; the binding only translates. Read next: `engine::network::faults`.

use super::codec::Codec;
use crate::netconf::input::{self, Text, Word};
use crate::netconf::output;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Severity;
use engine::{ClearFault, FaultRecord, InjectFault, ListFaults};

/// The grouping `fault` of the module, of whichever node uses it.
macro_rules! fault {
    ($node:expr, $fault:expr) => {
        $node
            .id($fault.id)
            .kind($fault.kind.as_str())
            .element($fault.element.as_str())
            .began($fault.began)
    };
}

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

    fn encode<'a>(
        fault: &'a FaultRecord,
        output: output::InjectFault<'a>,
    ) -> output::InjectFault<'a> {
        fault!(output, fault)
    }
}

impl Codec for ListFaults {
    type Input = input::ListFaults<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ListFaults<'_>) -> Result<Self, RpcError> {
        let ended = input.ended();
        Ok(Self { ended })
    }

    fn encode<'a>(
        faults: &'a Vec<FaultRecord>,
        output: output::ListFaults<'a>,
    ) -> output::ListFaults<'a> {
        output.fault(faults, listed)
    }
}

impl Codec for ClearFault {
    type Input = input::ClearFault<'static>;

    fn decode(_: &RequestContext<'_>, input: input::ClearFault<'_>) -> Result<Self, RpcError> {
        let id = input.id()?.into();
        Ok(Self { id })
    }

    fn encode((): &(), (): ()) {}
}

fn severity(named: Word<'_>) -> Result<Severity, RpcError> {
    named.read_as(Severity::parse)
}

fn listed<'a>(node: output::Fault<'a>, fault: &'a FaultRecord) -> output::Fault<'a> {
    fault!(node, fault)
        .repaired(fault.repaired)
        .restored(fault.restored)
        .sites_out(fault.sites_out as u64)
}
