//! The repair of things: steps by cause, with the names, ends and distances of the inventory.
//!
//! Knows the trade and the documentation; alarms are added by [`super`].

use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Inventory};

/// The steps to repair `element` of `cause`, in order.
pub fn steps(topology: &Topology, element: &ElementId, cause: Cause) -> Vec<String> {
    let inventory = topology.inventory();
    match cause {
        Cause::FibreCut => fibre(topology, element),
        Cause::DuctCut => duct(topology, element),
        Cause::CardFailure => card(topology, element),
        Cause::RouterFailure => router(topology, element),
        Cause::MainsFailure => mains(topology, element),
        Cause::OpticalModuleAgeing => optic(inventory, element),
        Cause::CellHardwareFailure => radio_unit(inventory, element),
        Cause::Misconfiguration => configuration(element),
        Cause::Interference => interference(element),
        Cause::Congestion => congestion(element),
        Cause::PacketLoss => patch(topology, element),
        Cause::RoutingProcessDown => vec![
            format!("Read the log of the routing process at the console of {element}"),
            "Start it, and see that every adjacency comes back".to_owned(),
        ],
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
        | Cause::BlackHole => restored(element),
    }
}

/// The first `most` of some names, and how many more there are.
pub fn names<'a>(ids: impl IntoIterator<Item = &'a ElementId>, most: usize) -> String {
    let all: Vec<&str> = ids.into_iter().map(ElementId::as_str).collect();
    match all.len().saturating_sub(most) {
        0 => all.join(", "),
        more => format!("{} and {more} more", all[..most].join(", ")),
    }
}

fn fibre(topology: &Topology, id: &ElementId) -> Vec<String> {
    let inventory = topology.inventory();
    let Some(link) = inventory.links.get(id) else {
        return inspect(inventory, id);
    };
    let mut steps = vec![
        format!("Switch the lasers of {id} off at {} and {}", link.a, link.b),
        format!(
            "Reflect from {}: the break lies where the trace ends short of {:.1} km",
            link.a, link.length_km
        ),
    ];
    if !link.ducts.is_empty() {
        let mates: Vec<&ElementId> = link
            .ducts
            .iter()
            .flat_map(|d| topology.links_of(d))
            .filter(|l| *l != id)
            .collect();
        steps.push(format!(
            "It runs through {}, together with {}: leave those alone",
            names(&link.ducts, 3),
            names(mates, 6)
        ));
    }
    steps.push(
        "Open the closure before and the one after the break, pull in new fibre, splice both ends"
            .to_owned(),
    );
    steps.push(format!(
        "Measure the loss over {:.1} km, switch the lasers on, see light at {} and {}",
        link.length_km, link.a, link.b
    ));
    steps
}

fn duct(topology: &Topology, id: &ElementId) -> Vec<String> {
    let inventory = topology.inventory();
    let inside: Vec<&ElementId> = topology.links_of(id).collect();
    let mut steps = vec![
        format!("Close the trench of {id} off and stop whoever digs there"),
        format!(
            "{} fibres lie in it: {}",
            inside.len(),
            names(inside.iter().copied(), 8)
        ),
    ];
    for link in &inside {
        if let Some(ends) = inventory.links.get(*link) {
            let use_of = if ends.backbone { "backbone" } else { "access" };
            steps.push(format!(
                "Splice {link} ({use_of}, {} to {}, {:.1} km)",
                ends.a, ends.b, ends.length_km
            ));
        }
    }
    steps.push("Measure every fibre from the router before the trench is closed".to_owned());
    steps
}

fn card(topology: &Topology, id: &ElementId) -> Vec<String> {
    let inventory = topology.inventory();
    let model = model_of(inventory, id);
    let ports: Vec<&ElementId> = topology.links_of(id).collect();
    let router = inventory.node_of(id);
    vec![
        format!("Take a spare {model} along: {id} sits in {router}"),
        format!(
            "Mark the fibres of its {} ports: {}",
            ports.len(),
            names(ports, 8)
        ),
        format!("Wear a wrist strap, pull {id}, push the spare in, wait for its green light"),
        "Plug every fibre back into the port with the same number".to_owned(),
        format!("See that {router} lists the card and that light arrives on every port"),
    ]
}

fn router(topology: &Topology, id: &ElementId) -> Vec<String> {
    let inventory = topology.inventory();
    let model = model_of(inventory, id);
    let cards = built_into(topology, id, ElementKind::LineCard);
    vec![
        format!("Measure both supply feeds at the rack of {id} ({model})"),
        "Reseat the supply modules; replace those without a green light".to_owned(),
        "Connect a console, watch the boot; replace the route processor if it stops".to_owned(),
        format!("See that every card comes up: {}", names(cards, 8)),
        format!(
            "See that every link is up: {}",
            names(topology.links_of(id), 8)
        ),
    ]
}

fn mains(topology: &Topology, id: &ElementId) -> Vec<String> {
    let inventory = topology.inventory();
    let zone = match inventory.element(id) {
        Some(e) if e.kind == ElementKind::Site => e.parent.as_ref().unwrap_or(id),
        _ => id,
    };
    let sites: Vec<&ElementId> = built_into(topology, zone, ElementKind::Site).collect();
    vec![
        format!("Ask the utility for the state of the feeder of {zone}"),
        "Measure at the feeder; switch over to the second feeder if there is one".to_owned(),
        format!(
            "Otherwise bring generators, first to {}",
            names(sites.iter().copied(), 3)
        ),
        format!(
            "See that all {} sites have mains: {}",
            sites.len(),
            names(sites.iter().copied(), 12)
        ),
    ]
}

fn optic(inventory: &Inventory, id: &ElementId) -> Vec<String> {
    let model = model_of(inventory, id);
    let holder = inventory.element(id).and_then(|e| e.parent.clone());
    let holder = holder.map_or_else(|| "its card".to_owned(), |h| h.to_string());
    vec![
        format!("Take a spare {model} of the same wavelength and reach along"),
        format!("Clean the connector of {id} in {holder} and measure what it sends"),
        "If it still sends too little, pull it and push the spare in".to_owned(),
        "See that the far end receives what the link was planned with".to_owned(),
    ]
}

fn radio_unit(inventory: &Inventory, id: &ElementId) -> Vec<String> {
    let site = inventory.node_of(id);
    vec![
        format!("Lock {id} at {site} before anybody climbs"),
        "Measure supply and fibre at the radio unit; replace the unit if both are good".to_owned(),
        format!("Unlock {id} and make a test call in its sector"),
    ]
}

fn configuration(id: &ElementId) -> Vec<String> {
    vec![
        format!("Read the parameters of {id} at the console, beside its planned ones"),
        "Set every one that departs, and see that users are served".to_owned(),
    ]
}

fn interference(id: &ElementId) -> Vec<String> {
    vec![
        format!("Take a spectrum analyser and a directional antenna to the sector of {id}"),
        "Drive towards the strongest direction until the source is found".to_owned(),
        "Have the source switched off and see that the noise floor falls".to_owned(),
    ]
}

fn congestion(id: &ElementId) -> Vec<String> {
    vec![
        format!("See which traffic runs over {id}"),
        "Lead the largest part of it around, or add a wavelength".to_owned(),
    ]
}

fn patch(topology: &Topology, id: &ElementId) -> Vec<String> {
    let Some(link) = topology.inventory().links.get(id) else {
        return inspect(topology.inventory(), id);
    };
    vec![
        format!("Clean the connectors of {id} at {} and {}", link.a, link.b),
        "Replace the patch cords, then the modules, until nothing is lost".to_owned(),
    ]
}

fn restored(id: &ElementId) -> Vec<String> {
    vec![
        format!("Compare the configuration of {id} with its last one and with the other end"),
        "Restore the parameter that departs, and no other".to_owned(),
    ]
}

fn inspect(inventory: &Inventory, id: &ElementId) -> Vec<String> {
    vec![format!("Inspect {id} ({})", model_of(inventory, id))]
}

/// The elements of a kind that are built into another.
fn built_into<'a>(
    topology: &'a Topology,
    id: &ElementId,
    kind: ElementKind,
) -> impl Iterator<Item = &'a ElementId> {
    let inventory = topology.inventory();
    let of_kind = move |c: &&ElementId| inventory.element(c).is_some_and(|e| e.kind == kind);
    topology.children_of(id).filter(of_kind)
}

/// Maker and type designation.
pub fn model_of(inventory: &Inventory, id: &ElementId) -> String {
    let Some(e) = inventory.element(id) else {
        return "not in the inventory".to_owned();
    };
    let text = format!("{} {}", e.vendor, e.model);
    match text.trim() {
        "" => e.kind.as_str().to_owned(),
        text => text.to_owned(),
    }
}
