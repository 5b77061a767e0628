//! `inject-fault`, `list-faults` and `clear-fault` (module convoke-simulation): what is broken in the
//! simulated network. `score-faults` and `compare-day` with what belongs to it: how well it went.
//!
//! Whoever runs the network answers; the binding only translates. Read next: `engine::network::faults` and
//! `engine::network::referee`.

use super::codec::Codec;
use crate::netconf::input::{self, Text, Word};
use crate::netconf::output;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Severity;
use engine::{
    ClearFault, CompareDay, ComparedDay, ComparisonState, DayComparison, DayFigure, DayPolicy,
    EndComparison, FaultJudgement, FaultRecord, Finder, GetComparison, InjectFault, ListFaults,
    ScoreFaults,
};

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

impl Codec for ScoreFaults {
    type Input = input::ScoreFaults<'static>;

    fn decode(_: &RequestContext<'_>, _: input::ScoreFaults<'_>) -> Result<Self, RpcError> {
        Ok(Self)
    }

    fn encode<'a>(
        judged: &'a Vec<FaultJudgement>,
        output: output::ScoreFaults<'a>,
    ) -> output::ScoreFaults<'a> {
        output.fault(judged, judgement)
    }
}

impl Codec for CompareDay {
    type Input = input::CompareDay<'static>;

    fn decode(_: &RequestContext<'_>, input: input::CompareDay<'_>) -> Result<Self, RpcError> {
        let policy = |named: Word<'_>| named.read_as(DayPolicy::parse);
        Ok(Self {
            seed: input.seed(),
            sites: input.sites(),
            policies: [policy(input.first()?)?, policy(input.second()?)?],
            from_hour: input.from().given(),
        })
    }

    fn encode((): &(), (): ()) {}
}

impl Codec for GetComparison {
    type Input = input::GetComparison<'static>;

    fn decode(_: &RequestContext<'_>, _: input::GetComparison<'_>) -> Result<Self, RpcError> {
        Ok(Self)
    }

    fn encode<'a>(
        comparison: &'a Option<DayComparison>,
        output: output::GetComparison<'a>,
    ) -> output::GetComparison<'a> {
        let Some(comparison) = comparison else {
            return output.state("none");
        };
        let why = match &comparison.state {
            ComparisonState::Failed { why } => Some(why),
            _ => None,
        };
        output
            .state(comparison.state.as_str())
            .why(why)
            .seed(comparison.wanted.seed)
            .sites(comparison.wanted.sites)
            .from(comparison.wanted.from_hour)
            .day(comparison.days.iter().zip(1u8..), day)
    }
}

impl Codec for EndComparison {
    type Input = input::EndComparison<'static>;

    fn decode(_: &RequestContext<'_>, _: input::EndComparison<'_>) -> Result<Self, RpcError> {
        Ok(Self)
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

fn judgement<'a>(
    node: output::ScoreFaultsFault<'a>,
    fault: &'a FaultJudgement,
) -> output::ScoreFaultsFault<'a> {
    let found = fault.found.as_ref();
    node.id(fault.id)
        .outcome(fault.outcome.as_str())
        .found_kind(found.map(|(cause, _)| cause.as_str()))
        .found_element(found.map(|(_, element)| element.as_str()))
        .found_by(fault.found_by.map(Finder::as_str))
        .wrong_findings(fault.wrong_findings)
        .time_to_detect(fault.detected_s)
        .time_to_locate(fault.located_s)
        .time_to_mend(fault.mended_s)
        .time_to_restore(fault.restored_s)
        .closed_too_early(fault.closed_too_early)
}

fn day<'a>(node: output::Day<'a>, (day, place): (&'a ComparedDay, u8)) -> output::Day<'a> {
    node.place(place)
        .policy(day.policy.as_str())
        .played(day.played_percent)
        .figure(&day.figures, figure)
}

fn figure<'a>(node: output::Figure<'a>, figure: &'a DayFigure) -> output::Figure<'a> {
    node.name(figure.name)
        .unit(figure.unit)
        .better(figure.better)
        .value(figure.value)
}
