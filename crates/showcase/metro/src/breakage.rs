//! What breaks, where, when and for how long: the truth of a run.
//!
//! Seven causes, one for each kind of element: two causes of one element could not be told apart by
//! anybody who never hears which it was. Rates are a day's, of the whole network of 300 sites, and
//! invented. Read next: [`crate::outage`].

use crate::chance::{below, instants, uniform};
use crate::plant::{MetroLinkEnd, Plant};
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::time::SeededRng;

/// The sites for which rates are said.
const SITES: f64 = 300.0;

/// Where something breaks, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakable {
    /// A link's fibre.
    Link(usize),
    /// A duct.
    Duct(usize),
    /// A line card.
    Card(usize),
    /// An aggregation router.
    Router(usize),
    /// A power zone.
    Zone(usize),
    /// The module at an end of a link.
    Optic(usize, usize),
    /// A cell of a site.
    Cell(usize, usize),
}

/// A cause that strikes this network.
#[derive(Clone, Copy, Debug)]
struct Rate {
    cause: Cause,
    a_day: f64,
    lasts_s: [f64; 2],
}

const RATES: [Rate; 7] = [
    Rate {
        cause: Cause::FibreCut,
        a_day: 1.4,
        lasts_s: [7_200.0, 21_600.0],
    },
    Rate {
        cause: Cause::DuctCut,
        a_day: 0.5,
        lasts_s: [10_800.0, 28_800.0],
    },
    Rate {
        cause: Cause::CardFailure,
        a_day: 0.6,
        lasts_s: [3_600.0, 10_800.0],
    },
    Rate {
        cause: Cause::RouterFailure,
        a_day: 0.15,
        lasts_s: [3_600.0, 10_800.0],
    },
    Rate {
        cause: Cause::MainsFailure,
        a_day: 0.9,
        lasts_s: [1_800.0, 14_400.0],
    },
    Rate {
        cause: Cause::OpticalModuleAgeing,
        a_day: 0.6,
        lasts_s: [10_800.0, 36_000.0],
    },
    Rate {
        cause: Cause::CellHardwareFailure,
        a_day: 1.2,
        lasts_s: [7_200.0, 43_200.0],
    },
];

/// A fault of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct MetroFault {
    /// The cause.
    pub cause: Cause,
    /// Where, as the network's failures see it.
    pub at: Breakable,
    /// The element.
    pub element: ElementId,
    /// Seconds from the beginning of the run until it began.
    pub from_s: f64,
    /// Seconds until it was mended.
    pub until_s: f64,
    /// The sites that it took out of service, and those of the cells that it took off air.
    pub area: Vec<ElementId>,
}

/// A real trouble of a site that is no fault and has no name: somebody restarted it, or tested its
/// generator.
#[derive(Clone, Debug, PartialEq)]
pub struct MetroTrouble {
    /// The site.
    pub site: ElementId,
    /// Seconds from the beginning of the run until it began.
    pub from_s: f64,
    /// Seconds until it was over.
    pub until_s: f64,
}

/// What breaks in so many days, in the order in which it does. An element that is broken does not
/// break again.
pub fn breakage(plant: &Plant, days: f64, rng: &mut SeededRng) -> Vec<MetroFault> {
    let share = plant.sites.len() as f64 / SITES;
    let mut all: Vec<MetroFault> = Vec::new();
    for rate in RATES {
        if rate.cause == Cause::DuctCut && plant.ducts.is_empty() {
            continue;
        }
        for from_s in instants(rng, rate.a_day * share, days) {
            let at = somewhere(plant, rate.cause, rng);
            let lasts_s = uniform(rng, rate.lasts_s);
            let element = element(plant, at).clone();
            let until_s = from_s + lasts_s;
            let taken = |it: &MetroFault| {
                it.element == element && it.from_s < until_s && from_s < it.until_s
            };
            if !all.iter().any(taken) {
                all.push(MetroFault {
                    cause: rate.cause,
                    at,
                    element,
                    from_s,
                    until_s,
                    area: Vec::new(),
                });
            }
        }
    }
    all.sort_by(|x, y| x.from_s.total_cmp(&y.from_s));
    all
}

fn somewhere(plant: &Plant, cause: Cause, rng: &mut SeededRng) -> Breakable {
    match cause {
        Cause::DuctCut => Breakable::Duct(below(rng, plant.ducts.len())),
        Cause::CardFailure => Breakable::Card(below(rng, plant.cards.len())),
        Cause::RouterFailure => Breakable::Router(below(rng, plant.routers.len())),
        Cause::MainsFailure => Breakable::Zone(below(rng, plant.zones.len())),
        Cause::OpticalModuleAgeing => {
            Breakable::Optic(below(rng, plant.links.len()), below(rng, 2))
        }
        Cause::CellHardwareFailure => {
            let site = below(rng, plant.sites.len());
            Breakable::Cell(site, below(rng, plant.sites[site].cells.len()))
        }
        _ => Breakable::Link(below(rng, plant.links.len())),
    }
}

fn element(plant: &Plant, at: Breakable) -> &ElementId {
    match at {
        Breakable::Link(link) => &plant.links[link].id,
        Breakable::Duct(duct) => &plant.ducts[duct].0,
        Breakable::Card(card) => &plant.cards[card].id,
        Breakable::Router(router) => &plant.routers[router].id,
        Breakable::Zone(zone) => &plant.zones[zone].0,
        Breakable::Optic(link, end) => &plant.links[link].optics[end],
        Breakable::Cell(site, cell) => &plant.sites[site].cells[cell],
    }
}

/// The links that carry nothing once this is broken.
pub(crate) fn links_lost(plant: &Plant, at: Breakable) -> Vec<usize> {
    match at {
        Breakable::Link(link) | Breakable::Optic(link, _) => vec![link],
        Breakable::Duct(duct) => plant.ducts[duct].1.clone(),
        Breakable::Card(card) => plant.links_of_card(card).collect(),
        Breakable::Router(router) => {
            let of_router = |end: &MetroLinkEnd| match end {
                MetroLinkEnd::Card(card) => plant.cards[*card].router == Some(router),
                MetroLinkEnd::Site(_) => false,
            };
            let links = plant.links.iter().enumerate();
            links
                .filter(|(_, link)| link.ends.iter().any(of_router))
                .map(|(place, _)| place)
                .collect()
        }
        Breakable::Zone(_) | Breakable::Cell(..) => Vec::new(),
    }
}
