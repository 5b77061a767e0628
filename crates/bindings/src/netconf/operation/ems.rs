//! The rpcs of convoke-ems: what is done to the network through one of its management systems.
//!
//! Each is an [`Action`] and answers its outcome. Who may, and on which element, the engine decides;
//! whoever runs the network does it. Read next: `engine::network::ems`.

use super::input::{Input, Text};
use super::{Answer, Dispatch, check, executed, input};
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::output::{self, Output};
use crate::netconf::session::RequestContext;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Configuration, Outcome, Saving, Visit};
use engine::{Act, Acted, Endpoint};
use std::collections::BTreeSet;

/// The input of an rpc that does something to the network.
pub(super) trait ActionInput: Input {
    /// Reads the action.
    ///
    /// # Errors
    /// An `rpc-error` for what the schema lets pass and nothing can be made of.
    fn action(input: Self::In<'_>) -> Result<Action, RpcError>;
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
    executed(cx, origin, act, encode)
}

/// Writes the output. Which rpc's it is, the outcome says: the engine has one operation for all of them.
fn encode(acted: Acted) -> Answer {
    match &acted.outcome {
        Outcome::Measured(measurement) => Answer::of(
            output::Probe::begin()
                .condition(measurement.condition.as_str())
                .reading(&measurement.readings, |node, (name, value)| {
                    node.name(name).value(*value)
                }),
        ),
        Outcome::Dispatched { arrival } => Answer::of(
            output::Dispatch::begin()
                .dispatch(acted.number)
                .arrival(*arrival),
        ),
        Outcome::Configuration(configuration) => configured(configuration),
        Outcome::Traced {
            visits,
            left_to,
            came_from,
        } => Answer::of(
            output::Trace::begin()
                .visit(visits, visit)
                .left_to(left_to.as_ref())
                .came_from(came_from.as_ref()),
        ),
        Outcome::Guided | Outcome::Done | Outcome::Told | Outcome::Impossible(_) => Answer::Ok,
    }
}

/// Says which action an input is.
macro_rules! actions {
    ($($rpc:ident: $input:ident => $action:expr;)*) => {
        $(impl ActionInput for input::$rpc<'static> {
            fn action($input: input::$rpc<'_>) -> Result<Action, RpcError> {
                Ok($action)
            }
        })*
    };
}

actions! {
    Probe: input => Action::Probe {
        element: element(input.element()?),
    };
    ReadConfiguration: input => Action::ReadConfiguration {
        element: element(input.element()?),
    };
    Configure: input => Action::Configure {
        element: element(input.element()?),
        parameter: input.parameter()?.owned(),
        value: input.value()?.owned(),
    };
    Restart: input => Action::Restart {
        element: element(input.element()?),
    };
    SetPower: input => Action::SetPower {
        cell: element(input.cell()?),
        offset_db: input.offset()?,
    };
    SetSaving: input => Action::SetSaving {
        cells: input.cell().map(element).collect(),
        saving: input.saving()?.read_as(Saving::parse)?,
    };
    Trace: input => Action::Trace {
        vehicle: input.vehicle()?.owned(),
        from: input.from()?.timestamp()?,
        until: input.until()?.timestamp()?,
    };
    Dispatch: input => Action::Dispatch {
        element: element(input.element()?),
        work_order: input.work_order().map(Text::owned),
    };
    Guide: input => Action::Guide {
        dispatch: input.dispatch()?,
        element: element(input.element()?),
        steps: input.step().map(Text::owned).collect(),
    };
    TellCustomer: input => Action::TellCustomer {
        ticket: input.ticket()?.owned(),
        text: input.text()?.owned(),
        question: input.question(),
    };
}

fn element(named: Text<'_>) -> ElementId {
    ElementId::new(named.as_str())
}

fn configured<'a>(of: &'a Configuration) -> Answer {
    let names: BTreeSet<&String> = of.running.keys().chain(of.planned.keys()).collect();
    let parameter = |node: output::Parameter<'a>, name: &'a String| {
        node.name(name)
            .running(of.running.get(name))
            .planned(of.planned.get(name))
    };
    Answer::of(output::ReadConfiguration::begin().parameter(names, parameter))
}

fn visit<'a>(node: output::Visit<'a>, of: &'a Visit) -> output::Visit<'a> {
    node.cell(of.cell.as_str())
        .from(of.from)
        .until(of.until)
        .rsrp(of.rsrp_dbm)
        .throughput(of.throughput_mbps)
        .failures(of.failures)
}
