//! Faults: their kinds, their names on the command line, and the choice of a suitable random one.
//!
//! The kinds are the causes of [`domain::cause`], which agents name as well; refuses to know the
//! symptoms of a fault ([`crate::alarms`]). Agents never see a [`Fault`]. The rates of spontaneous
//! faults are in `fault/life.rs`. Read next: [`crate::state`].

use crate::chance::{between, choose};
use crate::reachability::Reachability;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

mod life;
mod terms;

pub(crate) use life::{CONTACTS_PER_LINK_YEAR, befalling, per_day};
pub use life::{LIFE, Life, PACE, STORMS_PER_YEAR, storm};
pub use terms::FaultTerms;

/// The kind of a fault: the cause that agents search for.
pub use domain::cause::Cause as FaultKind;

/// A fault: the ground truth of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The element that fails.
    pub element: ElementId,
    /// The instant of its beginning.
    pub at: Timestamp,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.as_str(), self.element)
    }
}

/// The value of `--fault`: `random`, a kind (`fibre-cut`), or a kind and an element
/// (`fibre-cut:link:Berlin-BE-017`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultRequest {
    /// Any kind of [`OUTAGES`].
    Random,
    /// This kind, at any element.
    OfKind(FaultKind),
    /// This kind at this element, however few sites it takes out.
    Exactly {
        /// The kind of fault.
        kind: FaultKind,
        /// The element that fails.
        element: ElementId,
    },
}

/// The reason why a fault is impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// The text names no kind of fault.
    #[error(
        "'{0}' is no fault: write random, fibre-cut, duct-cut, card-failure, router-failure, \
         mains-failure, optical-module-ageing, cell-hardware-failure, misconfiguration, \
         interference or congestion, and after a colon an element if it matters which"
    )]
    UnknownKind(String),
    /// The network has no such element.
    #[error("the network has no element '{0}'")]
    UnknownElement(ElementId),
    /// This kind of fault does not happen to that kind of element.
    #[error("a {} happens to a {}, and '{element}' is none", .kind.as_str(), .kind.strikes().as_str())]
    Mismatch {
        /// The kind of fault.
        kind: FaultKind,
        /// The element.
        element: ElementId,
    },
    /// No element of this network takes out so many sites at once.
    #[error("no such fault takes {min_sites} sites or more out of service in this network")]
    NoCandidate {
        /// The number of sites required.
        min_sites: usize,
    },
    /// A duration is not applicable to this kind.
    #[error("a {kind} lasts until it is mended: it takes no duration")]
    NoDuration {
        /// The kind of fault.
        kind: FaultKind,
    },
    /// The duration is too short or too long.
    #[error("a duration is {} to {} seconds", FaultTerms::LASTS_S.0, FaultTerms::LASTS_S.1)]
    Duration,
    /// A severity is not applicable to this kind.
    #[error("a {kind} is no matter of degree: it takes no severity")]
    NoSeverity {
        /// The kind of fault.
        kind: FaultKind,
    },
    /// No surge of traffic can congest this link.
    #[error(
        "no surge of traffic congests '{0}': it must be a link of the backbone that carries traffic"
    )]
    NoSurge(ElementId),
}

impl FromStr for FaultRequest {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let text = text.trim();
        if text == "random" {
            return Ok(Self::Random);
        }
        let (kind, element) = text.split_once(':').unwrap_or((text, ""));
        let kind = FaultKind::parse(kind).filter(|kind| kind.is_simulated());
        let kind = kind.ok_or_else(|| FaultError::UnknownKind(text.into()))?;
        Ok(match element {
            "" => Self::OfKind(kind),
            element => Self::Exactly {
                kind,
                element: ElementId::new(element),
            },
        })
    }
}

impl FaultRequest {
    /// The requested fault at the instant `at`; what the request leaves open is chosen at random
    /// among the faults that take at least `min_sites` sites out of service.
    ///
    /// # Errors
    /// [`FaultError`] if the element is unknown or of the wrong kind, or no fault is that large.
    pub fn resolve(
        &self,
        inventory: &Inventory,
        min_sites: usize,
        at: Timestamp,
        rng: &mut SeededRng,
    ) -> Result<Fault, FaultError> {
        match self {
            Self::Random => random_fault(inventory, &OUTAGES, min_sites, at, rng),
            Self::OfKind(kind) => random_fault(inventory, &[*kind], min_sites, at, rng),
            Self::Exactly { kind, element } => {
                let fault = Fault {
                    kind: *kind,
                    element: element.clone(),
                    at,
                };
                check(inventory, &fault).map(|()| fault)
            }
        }
    }
}

/// Checks that `fault` can happen in this network.
///
/// # Errors
/// [`FaultError::UnknownElement`] and [`FaultError::Mismatch`].
pub fn check(inventory: &Inventory, fault: &Fault) -> Result<(), FaultError> {
    if !fault.kind.is_simulated() {
        return Err(FaultError::UnknownKind(fault.kind.as_str().to_owned()));
    }
    let element = inventory
        .element(&fault.element)
        .ok_or_else(|| FaultError::UnknownElement(fault.element.clone()))?;
    if element.kind == fault.kind.strikes() {
        Ok(())
    } else {
        Err(FaultError::Mismatch {
            kind: fault.kind,
            element: fault.element.clone(),
        })
    }
}

/// The kinds that take sites out of service at once, from which `random` chooses.
pub const OUTAGES: [FaultKind; 5] = [
    FaultKind::FibreCut,
    FaultKind::DuctCut,
    FaultKind::CardFailure,
    FaultKind::RouterFailure,
    FaultKind::MainsFailure,
];

/// The most sites that a random fault takes out.
const MOST_SITES: usize = 60;

/// A random fault of one of `kinds` that takes at least `min_sites` sites out of service: first the
/// kind, uniformly among those that have candidates, then the element, uniformly.
///
/// # Errors
/// [`FaultError::NoCandidate`].
pub fn random_fault(
    inventory: &Inventory,
    kinds: &[FaultKind],
    min_sites: usize,
    at: Timestamp,
    rng: &mut SeededRng,
) -> Result<Fault, FaultError> {
    let candidates: Vec<(FaultKind, Vec<ElementId>)> = kinds
        .iter()
        .map(|&kind| (kind, candidates(inventory, kind, min_sites)))
        .filter(|(_, elements)| !elements.is_empty())
        .collect();
    let (kind, elements) = choose(rng, &candidates).ok_or(FaultError::NoCandidate { min_sites })?;
    let element = choose(rng, elements).ok_or(FaultError::NoCandidate { min_sites })?;
    Ok(Fault {
        kind: *kind,
        element: element.clone(),
        at,
    })
}

/// The elements at which a fault of `kind` takes `min_sites` sites or more out of service,
/// immediately or eventually, while the powered part of the backbone stays connected. Kinds that
/// take no site out are exempt from `min_sites`: cells in any case, and backbone links that can be
/// bypassed.
pub fn candidates(inventory: &Inventory, kind: FaultKind, min_sites: usize) -> Vec<ElementId> {
    let reach = Reachability::new(inventory);
    let backbone = |id: &ElementId| inventory.links.get(id).is_some_and(|link| link.backbone);
    inventory
        .of_kind(kind.strikes())
        .map(|element| &element.id)
        .filter(|id| match kind {
            FaultKind::CellHardwareFailure
            | FaultKind::Misconfiguration
            | FaultKind::Interference => true,
            FaultKind::Congestion => backbone(id) && is_bypassed(inventory, id),
            _ => {
                let sites = reach.sites_out([*id]).len();
                (min_sites.max(1)..=MOST_SITES.max(min_sites)).contains(&sites)
                    && backbone_holds(inventory, &reach, id)
            }
        })
        .cloned()
        .collect()
}

/// True if the backbone connects both ends of a link without it.
fn is_bypassed(inventory: &Inventory, link: &ElementId) -> bool {
    let Some(own) = inventory.links.get(link) else {
        return false;
    };
    let (from, to) = (inventory.node_of(&own.a), inventory.node_of(&own.b));
    let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(node) = open.pop() {
        for (id, other) in inventory.links.iter().filter(|(_, l)| l.backbone) {
            let ends = (inventory.node_of(&other.a), inventory.node_of(&other.b));
            let next = match ends {
                (a, b) if a == node => b,
                (a, b) if b == node => a,
                _ => continue,
            };
            if id != link && reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached.contains(to)
}

/// True if every core router and every other router that has not failed itself still reach each
/// other over working backbone links.
fn backbone_holds(inventory: &Inventory, reach: &Reachability, failed: &ElementId) -> bool {
    let reached = reach.nodes([failed]);
    !inventory.cores.contains(failed)
        && inventory
            .of_kind(ElementKind::Router)
            .all(|router| router.id == *failed || reached.contains(&router.id))
}

/// The position of the break on a cut of this kind, in kilometres from the near end. Excavators hit
/// ducts near the router, fibres anywhere.
pub(crate) fn break_km(kind: FaultKind, length_km: f64, rng: &mut SeededRng) -> f64 {
    match kind {
        FaultKind::DuctCut => between(rng, 0.15, 0.45),
        _ => length_km * between(rng, 0.08, 0.92),
    }
}

#[cfg(test)]
mod tests;
