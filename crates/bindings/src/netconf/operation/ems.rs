//! The rpcs of convoke-ems: what is done to the network through one of its management systems.
//!
//! Each is an [`Action`] and answers its outcome. Who may, and on which element, the engine decides;
//! whoever runs the network does it. Read next: `engine::ems`.

use super::input::{all, child, flag, instant, needed, number, text, texts, word};
use super::{Answer, Codec, output};
use crate::netconf::EMS_NAMESPACE;
use crate::netconf::encode::decimal;
use crate::netconf::error;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Configuration, Measurement, Outcome, Saving, Visit};
use domain::time::Timestamp;
use engine::{Act, Acted, Endpoint};
use std::collections::BTreeSet;

impl Codec for Act {
    fn decode(cx: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        match cx.endpoint {
            Endpoint::Ems(ems) => Ok(Self {
                ems: *ems,
                action: action(input)?,
            }),
            Endpoint::Platform | Endpoint::Agent(_) => {
                let why = "management systems offer it, each at an endpoint of its own";
                Err(error::not_supported(input, why))
            }
        }
    }

    fn encode(acted: Acted) -> Answer {
        match &acted.outcome {
            Outcome::Measured(measurement) => measured(measurement),
            Outcome::Dispatched { arrival } => output([
                Node::value(EMS_NAMESPACE, "dispatch", acted.number),
                Node::value(EMS_NAMESPACE, "arrival", arrival.to_string()),
            ]),
            Outcome::Configuration(configuration) => configured(configuration),
            Outcome::Traced {
                visits,
                left_to,
                came_from,
            } => {
                let province = |name, of: &Option<String>| {
                    let of = of.clone();
                    of.map(|province| Node::value(EMS_NAMESPACE, name, province))
                };
                let ends = [
                    province("left-to", left_to),
                    province("came-from", came_from),
                ];
                output(visits.iter().map(visit).chain(ends.into_iter().flatten()))
            }
            Outcome::Guided | Outcome::Done | Outcome::Told | Outcome::Impossible(_) => Answer::Ok,
        }
    }
}

/// The action that an rpc is, by its name.
fn action(operation: XmlElement<'_>) -> Result<Action, RpcError> {
    let named = |leaf| needed(operation, leaf);
    let element = || named("element").map(ElementId::new);
    Ok(match operation.name() {
        "probe" => Action::Probe {
            element: element()?,
        },
        "set-power" => Action::SetPower {
            cell: named("cell").map(ElementId::new)?,
            offset_db: number(operation, "offset").unwrap_or_default(),
        },
        "set-saving" => Action::SetSaving {
            cells: cells(operation),
            saving: word(operation, "saving")
                .and_then(Saving::parse)
                .unwrap_or_default(),
        },
        "read-configuration" => Action::ReadConfiguration {
            element: element()?,
        },
        "configure" => Action::Configure {
            element: element()?,
            parameter: named("parameter")?,
            value: named("value")?,
        },
        "restart" => Action::Restart {
            element: element()?,
        },
        "trace" => Action::Trace {
            vehicle: named("vehicle")?,
            from: time(operation, "from")?,
            until: time(operation, "until")?,
        },
        "dispatch" => Action::Dispatch {
            element: element()?,
            work_order: text(operation, "work-order"),
        },
        "guide" => Action::Guide {
            dispatch: number(operation, "dispatch").unwrap_or_default(),
            element: element()?,
            steps: texts(operation, "step"),
        },
        "tell-customer" => Action::TellCustomer {
            ticket: named("ticket")?,
            text: named("text")?,
            question: flag(operation, "question"),
        },
        _ => return Err(error::not_supported(operation, "this is no action")),
    })
}

fn cells(operation: XmlElement<'_>) -> BTreeSet<ElementId> {
    let cells = all(operation, "cell");
    cells.map(|cell| ElementId::new(cell.text())).collect()
}

fn time(operation: XmlElement<'_>, name: &str) -> Result<Timestamp, RpcError> {
    let leaf = child(operation, name).ok_or_else(|| error::missing(operation, name))?;
    instant(leaf)
}

fn measured(of: &Measurement) -> Answer {
    let condition = Node::value(EMS_NAMESPACE, "condition", of.condition.as_str());
    let readings = of.readings.iter().map(|(name, value)| {
        Node::entry(EMS_NAMESPACE, "reading", 1)
            .leaf("name", name)
            .leaf_opt("value", decimal(*value, 3))
    });
    output([condition].into_iter().chain(readings))
}

fn configured(of: &Configuration) -> Answer {
    let names: BTreeSet<&String> = of.running.keys().chain(of.planned.keys()).collect();
    output(names.into_iter().map(|name| {
        Node::entry(EMS_NAMESPACE, "parameter", 1)
            .leaf("name", name)
            .leaf_opt("running", of.running.get(name))
            .leaf_opt("planned", of.planned.get(name))
    }))
}

fn visit(of: &Visit) -> Node<'_> {
    Node::entry(EMS_NAMESPACE, "visit", 0)
        .leaf("cell", of.cell.as_str())
        .leaf("from", of.from.to_string())
        .leaf("until", of.until.to_string())
        .leaf_opt("rsrp", decimal(of.rsrp_dbm, 2))
        .leaf_opt("throughput", decimal(of.throughput_mbps, 3))
        .leaf("failures", of.failures)
}
