//! Field engineers: their travel, observations, questions and repairs.
//!
//! Knows roads, tools and visible damage; refuses to know the suspicions of a control centre: an
//! engineer reports observations only. Read next: [`crate::simulation`].

use crate::chance::between;
use crate::fault::FaultKind;
use crate::geography::distance_km;
use crate::state::{Course, LightLevel, NetworkState, NetworkView, TroubleKind};
use domain::inventory::{Element, ElementId, ElementKind, Inventory};
use domain::time::{SeededRng, Timestamp};

/// Shortest and longest travel time of an engineer, in seconds.
const TRAVEL_S: (f64, f64) = (1_200.0, 3_600.0);
/// Minutes from dispatch to departure.
const LEAVING_MIN: f64 = 12.0;
/// Seconds per straight-line kilometre: detour factor 1.3 at 55 km/h.
const SECONDS_PER_KM: f64 = 1.3 * 3600.0 / 55.0;

/// Seconds from dispatch until an engineer arrives at `position`: from the nearest depot (one
/// router in three has one), longer in the rush hours (UTC 6–8 and 15–17).
pub fn travel_s(
    inventory: &Inventory,
    position: (f64, f64),
    now: Timestamp,
    rng: &mut SeededRng,
) -> f64 {
    let nearest = inventory
        .of_kind(ElementKind::Router)
        .step_by(3)
        .map(|router| distance_km(router.position, position))
        .fold(f64::INFINITY, f64::min)
        .min(500.0);
    let hour = now.as_ms() / 3_600_000 % 24;
    let traffic = if matches!(hour, 6..=8 | 15..=17) {
        1.3
    } else {
        1.0
    };
    let road = nearest * SECONDS_PER_KM * traffic * between(rng, 0.9, 1.2);
    (LEAVING_MIN * 60.0 * between(rng, 0.7, 1.5) + road).clamp(TRAVEL_S.0, TRAVEL_S.1)
}

/// Seconds of travel from one element to another.
pub fn transfer_s(inventory: &Inventory, from: &ElementId, to: &ElementId) -> f64 {
    match (inventory.element(from), inventory.element(to)) {
        (Some(a), Some(b)) if from != to => {
            (distance_km(a.position, b.position) * SECONDS_PER_KM).min(2.0 * 3600.0)
        }
        _ => 0.0,
    }
}

/// The result of an engineer's work at an element.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldWork {
    /// The trouble that it repairs; none if nothing there was broken.
    pub mends: Option<usize>,
    /// The duration of the work, in seconds.
    pub seconds: f64,
    /// The finding, in words.
    pub finding: String,
}

/// Works at `element`: repairs its trouble, or the duct in which a link was cut.
pub fn work(
    inventory: &Inventory,
    state: &NetworkState,
    view: &NetworkView,
    element: &ElementId,
    rng: &mut SeededRng,
) -> FieldWork {
    let mended = state
        .troubles
        .iter()
        .find(|(_, trouble)| trouble.mended_at(element));
    match mended {
        Some((number, trouble)) => {
            let (low, high) = repair_min(trouble.kind);
            FieldWork {
                mends: Some(*number),
                seconds: between(rng, low, high) * 60.0,
                finding: mended_finding(trouble.kind, &trouble.element, element),
            }
        }
        None => FieldWork {
            mends: None,
            seconds: between(rng, 15.0, 25.0) * 60.0,
            finding: sight(inventory, state, view, element),
        },
    }
}

/// Minutes of a repair on site: shortest and longest. Of a cut cable, the three to eight hours that
/// operators take to prepare and splice it, the longer the more fibres it has (sources in
/// `docs/score.md`); the others are assumed.
fn repair_min(kind: TroubleKind) -> (f64, f64) {
    match kind {
        TroubleKind::Fault(FaultKind::FibreCut) => (180.0, 360.0),
        TroubleKind::Fault(FaultKind::DuctCut) => (240.0, 480.0),
        TroubleKind::Fault(FaultKind::CardFailure) => (30.0, 50.0),
        TroubleKind::Fault(FaultKind::RouterFailure) => (40.0, 90.0),
        TroubleKind::Fault(FaultKind::MainsFailure) => (30.0, 80.0),
        TroubleKind::Fault(FaultKind::CellHardwareFailure) => (40.0, 75.0),
        TroubleKind::Fault(FaultKind::Interference) => (60.0, 150.0),
        TroubleKind::Fault(FaultKind::OpticalModuleAgeing)
        | TroubleKind::SiteStopped
        | TroubleKind::SitePower
        | TroubleKind::TransceiverOff
        | TroubleKind::BadContact
        | TroubleKind::Restarting => (30.0, 45.0),
        // A misconfiguration, congestion; the rest has no place in a simulation.
        TroubleKind::Fault(_) => (15.0, 30.0),
    }
}

fn mended_finding(kind: TroubleKind, broken: &ElementId, worked_at: &ElementId) -> String {
    match kind {
        TroubleKind::Fault(FaultKind::FibreCut) => {
            format!("The fibre of {broken} was cut; spliced, light is back.")
        }
        TroubleKind::Fault(FaultKind::DuctCut) if broken != worked_at => format!(
            "The fibre of {worked_at} was cut together with all others in {broken}; all spliced."
        ),
        TroubleKind::Fault(FaultKind::DuctCut) => {
            format!("{broken} was dug through with every cable in it; all spliced.")
        }
        TroubleKind::Fault(FaultKind::CardFailure) => {
            format!("{broken} was dead; replaced, all its ports are up.")
        }
        TroubleKind::Fault(FaultKind::RouterFailure) => {
            format!("{broken} was dead; supply module replaced, it has booted.")
        }
        TroubleKind::Fault(FaultKind::MainsFailure) => {
            format!("The feeder of {broken} had failed; switched over, mains is back.")
        }
        TroubleKind::Fault(FaultKind::OpticalModuleAgeing) => {
            format!("{broken} sent next to no light; replaced.")
        }
        TroubleKind::Fault(FaultKind::CellHardwareFailure) => {
            format!("The radio unit of {broken} was dead; replaced, it is on air.")
        }
        TroubleKind::Fault(FaultKind::Misconfiguration) => {
            format!("A parameter of {broken} was not as planned; set right.")
        }
        TroubleKind::Fault(FaultKind::Interference) => {
            format!("A repeater near {broken} was out of order and transmitted; switched off.")
        }
        TroubleKind::Fault(FaultKind::Congestion) => {
            format!("Traffic was led around {broken}.")
        }
        // No simulation has these.
        TroubleKind::Fault(kind) => format!("{kind} of {broken} was set right."),
        TroubleKind::SiteStopped => format!("The equipment of {broken} had stopped; restarted."),
        TroubleKind::SitePower => format!("The breaker of {broken} had tripped; switched on."),
        TroubleKind::TransceiverOff => format!("A transceiver of {broken} was off; replaced."),
        TroubleKind::BadContact => format!("A plug of {broken} was loose; cleaned and fastened."),
        TroubleKind::Restarting => format!("{broken} was starting; waited until it had."),
    }
}

/// The question of an engineer on arrival, with the observations at the element.
pub fn question(
    inventory: &Inventory,
    state: &NetworkState,
    view: &NetworkView,
    element: &ElementId,
) -> String {
    let place = inventory.element(element).map_or("", |e| e.place.as_str());
    format!(
        "I am at {element} in {place}. {} What do I work on, and in which order?",
        sight(inventory, state, view, element)
    )
}

/// The visible state of an element, in words.
fn sight(
    inventory: &Inventory,
    state: &NetworkState,
    view: &NetworkView,
    element: &ElementId,
) -> String {
    match inventory.element(element) {
        None => format!("Nothing here is called {element}."),
        Some(found) => match found.kind {
            ElementKind::Link => link_sight(inventory, state, view, element),
            ElementKind::Duct => duct_sight(inventory, state, view, element),
            ElementKind::LineCard => card_sight(inventory, view, found),
            ElementKind::Router => router_sight(inventory, view, element),
            ElementKind::Site => site_sight(view, element),
            ElementKind::PowerZone => zone_sight(inventory, view, element),
            ElementKind::Optic => optic_sight(state, view, element),
            ElementKind::Cell => part_sight(view, element),
        },
    }
}

fn optic_sight(state: &NetworkState, view: &NetworkView, element: &ElementId) -> String {
    let fades = state.troubles.values().any(|trouble| {
        let ages =
            matches!(trouble.course, Course::Ageing { light, .. } if light >= LightLevel::Low);
        ages && trouble.element == *element
    });
    match (view.failed.contains(element), fades) {
        (true, _) => format!("The power meter shows no light from {element}."),
        (false, true) => format!("The power meter shows far too little light from {element}."),
        (false, false) => format!("The power meter shows the light of {element} as it should be."),
    }
}

fn part_sight(view: &NetworkView, element: &ElementId) -> String {
    match view.failed.contains(element) {
        true => format!("{element} shows a red light."),
        false => format!("{element} shows a green light."),
    }
}

fn link_sight(
    inventory: &Inventory,
    state: &NetworkState,
    view: &NetworkView,
    id: &ElementId,
) -> String {
    let Some(link) = inventory.links.get(id) else {
        return format!("{id} is not documented.");
    };
    let dead_end = [(&link.a, &link.optic_a), (&link.b, &link.optic_b)]
        .into_iter()
        .find(|(end, optic)| !view.sends(inventory, end) || view.failed.contains(*optic))
        .map(|(end, _)| end);
    match (state.breaks(id).first(), dead_end) {
        (Some(km), _) => format!(
            "The reflectometer shows a break {km:.1} km from {} and no light from the far end.",
            link.a
        ),
        (None, Some(end)) => {
            format!(
                "The fibre of {id} is whole over {:.1} km, but {end} sends no light.",
                link.length_km
            )
        }
        (None, None) if view.failed.contains(id) => {
            format!("The fibre of {id} is whole, but a transceiver is off.")
        }
        (None, None) => format!("The fibre of {id} is whole and light arrives at both ends."),
    }
}

fn duct_sight(
    inventory: &Inventory,
    state: &NetworkState,
    view: &NetworkView,
    id: &ElementId,
) -> String {
    if view.failed.contains(id) {
        return "Fresh digging across the trench, and torn cables in it.".to_owned();
    }
    let dark: Vec<&str> = inventory
        .links
        .iter()
        .filter(|(link, ends)| ends.ducts.contains(id) && !state.breaks(link).is_empty())
        .map(|(link, _)| link.as_str())
        .collect();
    if dark.is_empty() {
        "The trench is untouched and its cables are whole.".to_owned()
    } else {
        format!(
            "The trench is untouched; {} is broken, but not here.",
            dark.join(", ")
        )
    }
}

fn card_sight(inventory: &Inventory, view: &NetworkView, card: &Element) -> String {
    let router = inventory.node_of(&card.id);
    if view.failed.contains(router) {
        format!("All of {router} is dark, not only {}.", card.id)
    } else if view.failed.contains(&card.id) {
        format!("{} shows a red light and all its ports are dark.", card.id)
    } else {
        format!("{} runs and shows a green light.", card.id)
    }
}

fn router_sight(inventory: &Inventory, view: &NetworkView, id: &ElementId) -> String {
    if view.failed.contains(id) {
        return "The whole rack is dark; supply voltage is present.".to_owned();
    }
    let dead: Vec<&str> = inventory
        .of_kind(ElementKind::LineCard)
        .filter(|card| card.parent.as_ref() == Some(id) && view.failed.contains(&card.id))
        .map(|card| card.id.as_str())
        .collect();
    if dead.is_empty() {
        format!("{id} runs, all cards show green lights.")
    } else {
        format!("{id} runs, but {} shows a red light.", dead.join(", "))
    }
}

fn site_sight(view: &NetworkView, id: &ElementId) -> String {
    if view.without_mains.contains(id) {
        "The cabinet gets no mains; the meter in front of it is dead as well.".to_owned()
    } else if view.failed.contains(id) {
        "Mains is present, but the equipment has stopped.".to_owned()
    } else if view.out.contains(id) {
        "Mains and equipment are in order, but the backhaul carries nothing.".to_owned()
    } else {
        "Everything runs.".to_owned()
    }
}

fn zone_sight(inventory: &Inventory, view: &NetworkView, id: &ElementId) -> String {
    let (dead, all) = inventory
        .of_kind(ElementKind::Site)
        .filter(|site| site.parent.as_ref() == Some(id))
        .fold((0, 0), |(dead, all), site| {
            (
                dead + usize::from(view.without_mains.contains(&site.id)),
                all + 1,
            )
        });
    match dead {
        0 => "The feeder delivers mains.".to_owned(),
        _ if dead == all => "The feeder is dead and so is the whole street.".to_owned(),
        _ => format!("The feeder delivers mains, but {dead} of {all} cabinets have none."),
    }
}
