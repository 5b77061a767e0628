//! The rpcs of convoke-ems: what is done to the network through one of its management systems.
//!
//! Each is an [`Action`] and answers its outcome. Who may, and on which element, the engine decides;
//! whoever runs the network does it. Read next: `engine::ems`.

use super::input::{all, child, flag, instant, number, text, texts, word};
use super::{Answer, Dispatch, RpcKind, ask, check, output};
use crate::netconf::EMS_NAMESPACE;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::modelled::decimal;
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::Element;
use domain::ems::Ems;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Configuration, Measurement, Outcome, Saving, Visit};
use domain::time::Timestamp;
use engine::{Acted, Endpoint, Operation};
use std::collections::BTreeSet;

/// The rpc of convoke-ems called so.
pub(super) fn offered(name: &str) -> Option<RpcKind> {
    Some(match name {
        "probe" => RpcKind::Probe,
        "set-power" => RpcKind::SetPower,
        "set-saving" => RpcKind::SetSaving,
        "read-configuration" => RpcKind::ReadConfiguration,
        "configure" => RpcKind::Configure,
        "restart" => RpcKind::Restart,
        "trace" => RpcKind::Trace,
        "dispatch" => RpcKind::Dispatch,
        "guide" => RpcKind::Guide,
        "tell-customer" => RpcKind::TellCustomer,
        _ => return None,
    })
}

/// The systems that offer an rpc of convoke-ems; none for other rpcs.
fn systems(offered: RpcKind) -> &'static [Ems] {
    match offered {
        RpcKind::Probe | RpcKind::ReadConfiguration | RpcKind::Configure | RpcKind::Restart => {
            &[Ems::Wireless, Ems::Ip]
        }
        RpcKind::SetPower | RpcKind::SetSaving | RpcKind::Trace => &[Ems::Wireless],
        RpcKind::Dispatch | RpcKind::Guide | RpcKind::TellCustomer => &[Ems::Customer],
        _ => &[],
    }
}

/// True of what every NETCONF server does.
fn is_common(offered: RpcKind) -> bool {
    use RpcKind::{
        CloseSession, CreateSubscription, Get, GetConfig, GetData, GetSchema, KillSession, Lock,
        Unlock,
    };
    [
        Get,
        GetConfig,
        GetData,
        Lock,
        Unlock,
        CloseSession,
        KillSession,
        GetSchema,
        CreateSubscription,
    ]
    .contains(&offered)
}

/// Why the endpoint does not offer this; none if it does.
pub(super) fn elsewhere(cx: &RequestContext<'_>, offered: RpcKind) -> Option<&'static str> {
    let systems = systems(offered);
    match cx.endpoint {
        Endpoint::Ems(own) if systems.contains(own) || is_common(offered) => None,
        Endpoint::Ems(_) if systems.is_empty() => {
            Some("this is a management system of the network; ask the platform")
        }
        Endpoint::Ems(_) => Some("another management system of the network offers it"),
        _ if systems.is_empty() => None,
        _ if cx.platform.engine.is_managed() => {
            Some("the management systems of the network offer it, each at an endpoint of its own")
        }
        _ => Some("this platform runs no network, so there are no management systems"),
    }
}

/// Does what is asked through the system at which it is asked.
pub(super) fn act(cx: &RequestContext<'_>, operation: Element<'_>, name: &'static str) -> Dispatch {
    let read = || {
        check(cx, operation)?;
        let Endpoint::Ems(ems) = cx.endpoint else {
            unreachable!("offered at management systems alone")
        };
        let action = action(name, operation)?;
        Ok(Operation::Act { ems: *ems, action })
    };
    ask(cx, read(), RpcOrigin::Ems(name))
}

fn action(name: &str, operation: Element<'_>) -> Result<Action, RpcError> {
    let named = |leaf| text(operation, leaf).ok_or_else(|| error::missing(operation, leaf));
    let element = || named("element").map(ElementId::new);
    Ok(match name {
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
        _ => Action::TellCustomer {
            ticket: named("ticket")?,
            text: named("text")?,
            question: flag(operation, "question"),
        },
    })
}

fn cells(operation: Element<'_>) -> BTreeSet<ElementId> {
    let cells = all(operation, "cell");
    cells.map(|cell| ElementId::new(cell.text())).collect()
}

fn time(operation: Element<'_>, name: &str) -> Result<Timestamp, RpcError> {
    let leaf = child(operation, name).ok_or_else(|| error::missing(operation, name))?;
    instant(leaf)
}

/// The output: what came of it.
pub(super) fn acted(acted: &Acted) -> Answer {
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
