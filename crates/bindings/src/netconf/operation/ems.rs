//! The rpcs of convoke-ems: what is done to the network through one of its management systems.
//!
//! Each is an [`Action`] and answers its outcome. Who may, and on which element, the engine decides;
//! whoever runs the network does it. Read next: `engine::network::ems`.

use super::codec::executed;
use super::validation::check;
use crate::netconf::answer::{Answer, Dispatch};
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::input::{self, Input, Text};
use crate::netconf::output::{self, Output};
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Outcome, Saving, Visit};
use engine::{Act, Acted, Endpoint};
use std::collections::BTreeSet;

/// The input of an rpc that does something to the network.
pub(super) trait ActionInput: Input {
    /// Reads the action.
    ///
    /// # Errors
    /// An `rpc-error` for what the schema lets pass and nothing can be made of.
    fn action(input: Self::In<'_>) -> Result<Action, RpcError>;

    /// Writes what came of it into the output of the rpc.
    fn encode<'a>(acted: &'a Acted, output: Self::Output<'a>) -> Self::Output<'a>;
}

/// Reads the action of an rpc, has it done, and writes its outcome.
pub(super) fn acted<I: ActionInput>(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    input: XmlElement<'_>,
) -> Dispatch {
    let act = check(cx, input).and_then(|()| match cx.endpoint {
        Endpoint::Ems(ems) => Ok(Act {
            ems: *ems,
            action: I::action(I::of(input))?,
        }),
        Endpoint::Platform | Endpoint::Agent(_) => {
            let why = "management systems offer it, each at an endpoint of its own";
            Err(error::not_supported(input, why))
        }
    });
    executed(cx, origin, act, |acted| {
        Answer::of(I::encode(&acted, Output::begin()))
    })
}

/// Says which action an input is, and how its output is filled.
macro_rules! actions {
    ($($rpc:ident: $input:ident => $action:expr, $encode:ident;)*) => {
        $(impl ActionInput for input::$rpc<'static> {
            fn action($input: input::$rpc<'_>) -> Result<Action, RpcError> {
                Ok($action)
            }

            fn encode<'a>(acted: &'a Acted, output: Self::Output<'a>) -> Self::Output<'a> {
                $encode(acted, output)
            }
        })*
    };
}

actions! {
    Probe: input => Action::Probe {
        element: element(input.element()?),
    }, measured;
    ReadConfiguration: input => Action::ReadConfiguration {
        element: element(input.element()?),
    }, configured;
    Configure: input => Action::Configure {
        element: element(input.element()?),
        parameter: input.parameter()?.owned(),
        value: input.value()?.owned(),
    }, done;
    Restart: input => Action::Restart {
        element: element(input.element()?),
    }, done;
    SetPower: input => Action::SetPower {
        cell: element(input.cell()?),
        offset_db: input.offset()?,
    }, done;
    SetSaving: input => Action::SetSaving {
        cells: input.cell().map(element).collect(),
        saving: input.saving()?.read_as(Saving::parse)?,
    }, done;
    Trace: input => Action::Trace {
        vehicle: input.vehicle()?.owned(),
        from: input.from()?.timestamp()?,
        until: input.until()?.timestamp()?,
    }, traced;
    Dispatch: input => Action::Dispatch {
        element: element(input.element()?),
        work_order: input.work_order().map(Text::owned),
    }, dispatched;
    Guide: input => Action::Guide {
        dispatch: input.dispatch()?,
        element: element(input.element()?),
        steps: input.step().map(Text::owned).collect(),
    }, done;
    TellCustomer: input => Action::TellCustomer {
        ticket: input.ticket()?.owned(),
        text: input.text()?.owned(),
        question: input.question(),
    }, done;
}

fn element(named: Text<'_>) -> ElementId {
    ElementId::new(named.as_str())
}

/// Nothing is told but that it was done.
fn done(_: &Acted, (): ()) {}

/// An outcome of another action than was asked has no place in the output.
fn untold<O>(acted: &Acted, output: O) -> O {
    tracing::error!(outcome = ?acted.outcome, "the network answered with what was not asked");
    output
}

fn measured<'a>(acted: &'a Acted, output: output::Probe<'a>) -> output::Probe<'a> {
    let Outcome::Measured(of) = &acted.outcome else {
        return untold(acted, output);
    };
    output
        .condition(of.condition.as_str())
        .reading(&of.readings, |node, (name, value)| {
            node.name(name).value(*value)
        })
}

fn dispatched<'a>(acted: &'a Acted, output: output::Dispatch<'a>) -> output::Dispatch<'a> {
    let Outcome::Dispatched { arrival } = &acted.outcome else {
        return untold(acted, output);
    };
    output.dispatch(acted.number).arrival(*arrival)
}

fn configured<'a>(
    acted: &'a Acted,
    output: output::ReadConfiguration<'a>,
) -> output::ReadConfiguration<'a> {
    let Outcome::Configuration(of) = &acted.outcome else {
        return untold(acted, output);
    };
    let names: BTreeSet<&String> = of.running.keys().chain(of.planned.keys()).collect();
    output.parameter(names, |node, name| {
        node.name(name)
            .running(of.running.get(name))
            .planned(of.planned.get(name))
    })
}

fn traced<'a>(acted: &'a Acted, output: output::Trace<'a>) -> output::Trace<'a> {
    let Outcome::Traced {
        visits,
        left_to,
        came_from,
    } = &acted.outcome
    else {
        return untold(acted, output);
    };
    output
        .visit(visits, visit)
        .left_to(left_to.as_ref())
        .came_from(came_from.as_ref())
}

fn visit<'a>(node: output::Visit<'a>, of: &'a Visit) -> output::Visit<'a> {
    node.cell(of.cell.as_str())
        .from(of.from)
        .until(of.until)
        .rsrp(of.rsrp_dbm)
        .throughput(of.throughput_mbps)
        .failures(of.failures)
}
