//! The ways in which a ticket can be worked: what the copilot decides and its publisher agrees to
//! (draft §5.3, 2).
//!
//! Each cause can be repaired in one way or several; a decision names the way, who goes, what they
//! take along and in what order they work. Read next: [`crate::payloads::repair`].

use crate::payloads::repair::{Repair, RepairDecision};
use crate::resource_copilot::manual;
use crate::topology::Topology;
use domain::cause::Cause;

/// A way of repairing: its name, the crew, what is taken along beside tools.
type Way = (&'static str, &'static str, &'static [&'static str]);

/// The ways of repairing, the usual one first. `{model}` stands for the element's model.
fn ways(cause: Cause) -> &'static [Way] {
    match cause {
        Cause::FibreCut => &[
            ("splice the fibre", "one splicer", &["fibre", "closure"]),
            ("lay fibre past the break", "two splicers", &["fibre drum"]),
        ],
        Cause::DuctCut => &[(
            "open the duct and splice every cable",
            "two splicers and a digger",
            &["cable", "duct sleeve", "closures"],
        )],
        Cause::CardFailure => &[("replace the card", "one engineer", &["{model}"])],
        Cause::RouterFailure => &[
            (
                "replace supply and processor modules",
                "one engineer",
                &["supply module", "route processor"],
            ),
            ("replace the router", "two engineers", &["{model}"]),
        ],
        Cause::MainsFailure => &[
            ("switch the feeder over", "one electrician", &[]),
            ("bring generators", "two electricians", &["generator"]),
        ],
        Cause::OpticalModuleAgeing => &[("replace the module", "one engineer", &["{model}"])],
        Cause::CellHardwareFailure => &[("replace the radio unit", "two climbers", &["{model}"])],
        Cause::Misconfiguration => &[("set the parameters right", "one engineer", &[])],
        Cause::Interference => &[("find the source", "one engineer", &["spectrum analyser"])],
        Cause::Congestion => &[("lead traffic around", "one engineer", &[])],
        Cause::PacketLoss => &[(
            "clean and replace the patch cords",
            "one engineer",
            &["cords"],
        )],
        Cause::InterfaceDown
        | Cause::BandwidthTooLow
        | Cause::QueueTooShort
        | Cause::WrongMetric
        | Cause::AreaMismatch
        | Cause::MtuMismatch
        | Cause::TimerMismatch
        | Cause::PassiveInterface
        | Cause::PrefixFiltered
        | Cause::DuplicateAddress
        | Cause::BlackHole => &[("restore the configuration", "one engineer", &[])],
        Cause::RoutingProcessDown => &[("start the routing process", "one engineer", &[])],
    }
}

/// The decisions that can be taken about a ticket, the usual first.
pub(super) fn decisions(topology: &Topology, repair: &Repair) -> Vec<RepairDecision> {
    let model = manual::model_of(topology.inventory(), &repair.element);
    let order = manual::steps(topology, &repair.element, repair.cause);
    let decision = |(way, crew, spares): &Way| RepairDecision {
        ticket_id: repair.ticket_id.clone(),
        element: repair.element.clone(),
        way: (*way).to_owned(),
        crew: (*crew).to_owned(),
        spares: spares
            .iter()
            .map(|s| s.replace("{model}", &model))
            .collect(),
        order_of_work: order.clone(),
    };
    ways(repair.cause).iter().map(decision).collect()
}

/// The reason why a plan of the publisher cannot be followed; none if it can.
pub(super) fn obstacle(
    topology: &Topology,
    repair: &Repair,
    plan: &RepairDecision,
) -> Option<String> {
    if plan.element != repair.element {
        return Some(format!(
            "the ticket is about {}, not {}: assign another task",
            repair.element, plan.element
        ));
    }
    if plan.order_of_work.is_empty() {
        return Some("the plan holds no order of work".to_owned());
    }
    let known = decisions(topology, repair);
    let crews: Vec<&str> = known.iter().map(|d| d.crew.as_str()).collect();
    (!crews.contains(&plan.crew.as_str())).then(|| {
        format!(
            "'{}' cannot be sent for a {}; there is {}",
            plan.crew,
            repair.cause,
            crews.join(", or ")
        )
    })
}
