//! Actions as rpcs of convoke-ems, and replies as their outcomes.
//!
//! Whatever cannot be done is [`Outcome::Impossible`] with the system's reason; whatever may succeed
//! when it is tried again is [`Outcome::Failed`]. Read next: [`super::offer`].

use super::ForeignNames;
use super::text::{decimal, entries, identifier, instant, leaf, number, words};
use crate::netconf::EMS_NAMESPACE as NS;
use ::netconf::client::{Outcome as RpcOutcome, Reply};
use ::netconf::data::{Node, write};
use ::netconf::error::{ErrorTag, RpcError};
use ::netconf::filter::Projection;
use ::netconf::xml::XmlElement;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Condition, Configuration, Measurement, Outcome, Visit};
use std::collections::BTreeMap;

/// The most parameters or visits of one answer.
const ENTRIES: usize = 10_000;
/// The most readings of one measurement.
const READINGS: usize = 64;
/// The longest name of a reading, in bytes; what has a longer one is left out.
const READING_NAME_BYTES: usize = 64;

/// What came of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionReply {
    /// The outcome.
    pub outcome: Outcome,
    /// The number that the system gave a dispatch.
    pub dispatch: Option<u64>,
    /// True if the system does not offer the rpc at all.
    pub is_unsupported: bool,
}

impl ActionReply {
    fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            dispatch: None,
            is_unsupported: false,
        }
    }
}

/// The rpc for an action. Of a guide, `dispatch` is the number that the system gave the dispatch.
pub fn action_request(action: &Action, names: &ForeignNames, dispatch: u64) -> String {
    let named = |element: &ElementId| names.foreign(element).to_owned();
    let rpc = |name: &'static str| Node::container(NS, name);
    let node = match action {
        Action::Probe { element } => rpc("probe").leaf("element", named(element)),
        Action::Dispatch {
            element,
            work_order,
        } => rpc("dispatch")
            .leaf("element", named(element))
            .leaf_opt("work-order", work_order.as_deref()),
        Action::Guide { element, steps, .. } => rpc("guide")
            .leaf("dispatch", dispatch)
            .leaf("element", named(element))
            .leaf_list("step", steps.iter().map(String::as_str)),
        Action::SetPower { cell, offset_db } => rpc("set-power")
            .leaf("cell", named(cell))
            .leaf("offset", format!("{offset_db:.2}")),
        Action::SetSaving { cells, saving } => rpc("set-saving")
            .leaf_list("cell", cells.iter().map(named))
            .leaf("saving", saving.as_str()),
        Action::ReadConfiguration { element } => {
            rpc("read-configuration").leaf("element", named(element))
        }
        Action::Configure {
            element,
            parameter,
            value,
        } => rpc("configure")
            .leaf("element", named(element))
            .leaf("parameter", parameter.as_str())
            .leaf("value", value.as_str()),
        Action::Restart { element } => rpc("restart").leaf("element", named(element)),
        Action::Trace {
            vehicle,
            from,
            until,
        } => rpc("trace")
            .leaf("vehicle", vehicle.as_str())
            .leaf("from", from.to_string())
            .leaf("until", until.to_string()),
        Action::TellCustomer {
            ticket,
            text,
            question,
        } => rpc("tell-customer")
            .leaf("ticket", ticket.as_str())
            .leaf("text", text.as_str())
            .leaf("question", *question),
    };
    let mut out = Vec::with_capacity(512);
    write(&node, &Projection::everything(), &mut out);
    String::from_utf8(out).expect("nodes are written from strings")
}

/// Reads the reply to the rpc for an action.
pub fn read_action_reply(action: &Action, reply: &Reply, names: &ForeignNames) -> ActionReply {
    if let RpcOutcome::Errors(errors) = &reply.outcome {
        return refused(errors);
    }
    let output = reply.document.root();
    let outcome = match action {
        Action::Probe { element } => measured(element, output).map(Outcome::Measured),
        Action::ReadConfiguration { .. } => Some(Outcome::Configuration(configuration(output))),
        Action::Trace { .. } => Some(traced(output, names)),
        Action::Guide { .. } => Some(Outcome::Guided),
        Action::TellCustomer { .. } => Some(Outcome::Told),
        Action::SetPower { .. }
        | Action::SetSaving { .. }
        | Action::Configure { .. }
        | Action::Restart { .. } => Some(Outcome::Done),
        Action::Dispatch { .. } => {
            let number = number::<u64>(output, NS, "dispatch");
            let arrival = instant(output, NS, "arrival");
            let outcome = arrival.map(|arrival| Outcome::Dispatched { arrival });
            return ActionReply {
                dispatch: number,
                ..ActionReply::of(outcome.filter(|_| number.is_some()).unwrap_or_else(unread))
            };
        }
    };
    ActionReply::of(outcome.unwrap_or_else(unread))
}

fn unread() -> Outcome {
    Outcome::Failed("the answer of the management system cannot be read".to_owned())
}

fn refused(errors: &[RpcError]) -> ActionReply {
    let why: Vec<String> = errors.iter().take(4).map(ToString::to_string).collect();
    let why = words(&why.join("; "));
    let app_tag = errors.first().and_then(|error| error.app_tag.as_deref());
    let tag = errors.first().map(|error| error.tag);
    let is_unsupported = matches!(
        tag,
        Some(ErrorTag::OperationNotSupported | ErrorTag::UnknownNamespace)
    );
    let passing = matches!(
        tag,
        None | Some(
            ErrorTag::OperationFailed
                | ErrorTag::ResourceDenied
                | ErrorTag::InUse
                | ErrorTag::LockDenied
                | ErrorTag::RollbackFailed
                | ErrorTag::TooBig
        )
    );
    let outcome = match app_tag {
        Some("impossible") => Outcome::Impossible(why),
        _ if passing => Outcome::Failed(why),
        _ => Outcome::Impossible(why),
    };
    ActionReply {
        is_unsupported,
        ..ActionReply::of(outcome)
    }
}

fn measured(element: &ElementId, output: XmlElement<'_>) -> Option<Measurement> {
    let readings = entries(output, NS, "reading", READINGS).filter_map(|reading| {
        let name = identifier(reading, NS, "name")?;
        let name = (name.len() <= READING_NAME_BYTES).then(|| name.to_owned())?;
        Some((name, decimal(reading, NS, "value")?))
    });
    Some(Measurement {
        element: element.clone(),
        condition: Condition::parse(leaf(output, NS, "condition")?)?,
        readings: readings.collect(),
    })
}

fn configuration(output: XmlElement<'_>) -> Configuration {
    let values = |which: &'static str| -> BTreeMap<String, String> {
        let parameters = entries(output, NS, "parameter", ENTRIES);
        let named = parameters.filter_map(|parameter| {
            let name = identifier(parameter, NS, "name")?.to_owned();
            Some((name, words(leaf(parameter, NS, which)?)))
        });
        named.collect()
    };
    Configuration {
        running: values("running"),
        planned: values("planned"),
    }
}

fn traced(output: XmlElement<'_>, names: &ForeignNames) -> Outcome {
    let visits = entries(output, NS, "visit", ENTRIES).filter_map(|visit| {
        Some(Visit {
            cell: names.element(identifier(visit, NS, "cell")?),
            from: instant(visit, NS, "from")?,
            until: instant(visit, NS, "until")?,
            rsrp_dbm: decimal(visit, NS, "rsrp")?,
            throughput_mbps: decimal(visit, NS, "throughput").unwrap_or_default(),
            failures: number(visit, NS, "failures").unwrap_or_default(),
        })
    });
    let province = |name| identifier(output, NS, name).map(str::to_owned);
    Outcome::Traced {
        visits: visits.collect(),
        left_to: province("left-to"),
        came_from: province("came-from"),
    }
}
