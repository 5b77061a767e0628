//! The faults of a simulated network, injected, listed and cleared for those who ask.
//!
//! Translates between what is asked ([`FaultInjector`]) and the simulation, whose truth it reads: what it
//! answers is for those whom the engine lets ask, and never for agents. Read next: `engine`'s
//! `faults.rs`, [`crate::network`], which calls it.

use domain::inventory::ElementId;
use domain::time::{SeededRng, Timestamp};
use engine::{ClearFault, FaultInjector, FaultRecord, FaultRefusal, InjectFault, ListFaults};
use network::{Fault, FaultError, FaultKind, FaultRequest, FaultTerms, Simulation, Truth};
use rand_chacha::rand_core::SeedableRng;

/// The number of sites that a random fault takes out of service at least, where any takes so many.
pub const MIN_SITES: usize = 4;

/// The number of elements tried if the request names none; not every link can be congested, and some are broken already.
const TRIES: usize = 20;

/// The most faults that go on at once for another to be injected: each is work at every step of the network.
pub const OPEN_MOST: usize = 256;

/// The faults of a simulated network, as the engine asks for them.
pub struct Faults<'s>(pub &'s mut Simulation);

impl FaultInjector for Faults<'_> {
    fn inject(
        &mut self,
        wanted: &InjectFault,
        now: Timestamp,
    ) -> Result<FaultRecord, FaultRefusal> {
        let terms = FaultTerms {
            lasts_s: wanted.duration_s.map(|s| s as f64),
            severity: wanted.severity,
        };
        let request = request(wanted.kind, wanted.element.as_ref(), &terms)?;
        if open(self.0).count() >= OPEN_MOST {
            let why = format!("{OPEN_MOST} faults go on: mend some of them first");
            return Err(FaultRefusal::Nowhere(why));
        }
        if let FaultRequest::Exactly { kind, element } = &request
            && open(self.0).any(|it| it.fault.kind == *kind && it.fault.element == *element)
        {
            let why = format!("'{element}' is broken like this already");
            return Err(FaultRefusal::Nowhere(why));
        }
        inject(self.0, &request, terms, now).map_err(refusal)?;
        let place = self.0.truth().len() - 1;
        Ok(record(place, &self.0.truth()[place]))
    }

    fn list(&mut self, wanted: ListFaults, now: Timestamp) -> Vec<FaultRecord> {
        list(self.0, wanted.ended, now)
    }

    fn clear(&mut self, wanted: ClearFault, now: Timestamp) -> Result<(), FaultRefusal> {
        let ClearFault { id } = wanted;
        let place = usize::try_from(id).unwrap_or(0).checked_sub(1);
        match place.is_some_and(|place| self.0.mend_fault(place, now)) {
            true => Ok(()),
            false => Err(FaultRefusal::Unknown { id }),
        }
    }
}

/// The fault requested; a request without a kind must leave everything else open too.
fn request(
    kind: Option<FaultKind>,
    element: Option<&ElementId>,
    terms: &FaultTerms,
) -> Result<FaultRequest, FaultRefusal> {
    let needs = |what: &str| format!("{what} needs a kind of fault other than random");
    match (kind, element) {
        (None, Some(_)) => Err(FaultRefusal::OtherElement(needs("an element"))),
        (None, _) if terms.lasts_s.is_some() => Err(FaultRefusal::Duration(needs("a duration"))),
        (None, _) if terms.severity.is_some() => Err(FaultRefusal::Severity(needs("a severity"))),
        (None, None) => Ok(FaultRequest::Random),
        (Some(kind), None) => Ok(FaultRequest::OfKind(kind)),
        (Some(kind), Some(element)) => Ok(FaultRequest::Exactly {
            kind,
            element: element.clone(),
        }),
    }
}

/// Breaks what is asked for. What is left open is chosen among what is not broken, and among that which takes most
/// sites out of service, up to [`MIN_SITES`].
fn inject(
    simulation: &mut Simulation,
    request: &FaultRequest,
    terms: FaultTerms,
    now: Timestamp,
) -> Result<(), FaultError> {
    let number = simulation.truth().len() as u64;
    let mut rng = SeededRng::seed_from_u64(now.as_ms() as u64 ^ number);
    let is_named = matches!(request, FaultRequest::Exactly { .. });
    for min_sites in (1..=MIN_SITES).rev() {
        for _ in 0..TRIES {
            match resolve(simulation, request, min_sites, terms, now, &mut rng) {
                Ok(fault) if is_named || !is_broken(simulation, &fault.element) => {
                    return simulation.inject_on(fault, terms);
                }
                Ok(_) => {}
                Err(FaultError::NoCandidate { .. }) => break,
                Err(error) => return Err(error),
            }
        }
    }
    Err(FaultError::NoCandidate { min_sites: 1 })
}

/// The faults that nobody has repaired yet.
fn open(simulation: &Simulation) -> impl Iterator<Item = &Truth> {
    let truth = simulation.truth().iter();
    truth.filter(|truth| truth.repaired_at.is_none())
}

fn is_broken(simulation: &Simulation, element: &ElementId) -> bool {
    open(simulation).any(|truth| truth.fault.element == *element)
}

/// The fault that is asked for, at `at`: what is left open is chosen among those that take so many
/// sites out of service, and so that it has an effect, as things stand now.
pub(crate) fn resolve(
    simulation: &mut Simulation,
    request: &FaultRequest,
    min_sites: usize,
    terms: FaultTerms,
    at: Timestamp,
    rng: &mut SeededRng,
) -> Result<Fault, FaultError> {
    let inventory = simulation.inventory();
    for _ in 0..TRIES {
        let fault = request.resolve(&inventory, min_sites, at, rng)?;
        if fault.kind != FaultKind::Congestion || simulation.can_surge(&fault.element, terms) {
            return Ok(fault);
        }
        if matches!(request, FaultRequest::Exactly { .. }) {
            return Err(FaultError::NoSurge(fault.element));
        }
    }
    Err(FaultError::NoCandidate { min_sites })
}

/// The faults that have begun by `now`; without those that are over unless `ended` is set.
fn list(simulation: &Simulation, ended: bool, now: Timestamp) -> Vec<FaultRecord> {
    let truths = simulation.truth().iter().enumerate();
    let told = truths
        .filter(|(_, truth)| truth.fault.at <= now)
        .filter(|(_, truth)| ended || truth.restored_at.is_none());
    told.map(|(place, truth)| record(place, truth)).collect()
}

fn record(place: usize, truth: &Truth) -> FaultRecord {
    FaultRecord {
        id: place as u64 + 1,
        kind: truth.fault.kind,
        element: truth.fault.element.clone(),
        began: truth.fault.at,
        repaired: truth.repaired_at,
        restored: truth.restored_at,
        sites_out: truth.sites_out.len(),
    }
}

fn refusal(error: FaultError) -> FaultRefusal {
    let words = error.to_string();
    match error {
        FaultError::UnknownElement(element) => FaultRefusal::UnknownElement(element),
        FaultError::Mismatch { .. } => FaultRefusal::OtherElement(words),
        FaultError::NoDuration { .. } | FaultError::Duration => FaultRefusal::Duration(words),
        FaultError::NoSeverity { .. } => FaultRefusal::Severity(words),
        FaultError::NoCandidate { .. } => FaultRefusal::Nowhere(
            "nothing here breaks like this, or all of it is broken: name an element, or another kind"
                .to_owned(),
        ),
        FaultError::NoSurge(_) | FaultError::UnknownKind(_) => FaultRefusal::Nowhere(words),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use network::{Backbone, Parameters};
    use std::collections::BTreeSet;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-22T10:00:00Z").unwrap()
    }

    fn simulation() -> Simulation {
        let quiet = Parameters {
            sites: 60,
            noise: 0.0,
            decoys: false,
            ..Parameters::default()
        };
        Simulation::new(&Backbone::named("Polska").unwrap(), quiet, 7, now())
    }

    fn told(simulation: &mut Simulation, ended: bool, at: Timestamp) -> Vec<u64> {
        let listed = Faults(simulation).list(ListFaults { ended }, at);
        listed.iter().map(|fault| fault.id).collect()
    }

    #[test]
    fn what_is_broken_is_not_broken_again_and_faults_that_go_on_are_bounded() {
        let mut simulation = simulation();
        let link = simulation.inventory().links.keys().next().unwrap().clone();
        let cut = |element: &ElementId| InjectFault {
            kind: Some(FaultKind::FibreCut),
            element: Some(element.clone()),
            ..InjectFault::default()
        };
        let first = Faults(&mut simulation).inject(&cut(&link), now());
        assert_eq!(first.unwrap().element, link);
        let again = Faults(&mut simulation).inject(&cut(&link), now());
        assert!(matches!(again, Err(FaultRefusal::Nowhere(_))), "{again:?}");
        assert_eq!(simulation.truth().len(), 1);
        while simulation.truth().len() < OPEN_MOST {
            let (kind, element, at) = (FaultKind::FibreCut, link.clone(), now());
            simulation.inject(Fault { kind, element, at }).unwrap();
        }
        let other = simulation
            .inventory()
            .links
            .keys()
            .next_back()
            .unwrap()
            .clone();
        let one_more = Faults(&mut simulation).inject(&cut(&other), now());
        assert!(
            matches!(one_more, Err(FaultRefusal::Nowhere(_))),
            "{one_more:?}"
        );
        assert!(simulation.mend_fault(0, now()));
        let once_more = Faults(&mut simulation).inject(&cut(&other), now());
        assert!(once_more.is_ok(), "{once_more:?}");
    }

    #[test]
    fn any_kind_finds_a_place_and_has_an_effect() {
        for kind in FaultKind::simulated() {
            let mut simulation = simulation();
            let wanted = InjectFault {
                kind: Some(kind),
                ..InjectFault::default()
            };
            let record = Faults(&mut simulation).inject(&wanted, now()).unwrap();
            assert_eq!((record.id, record.kind, record.began), (1, kind, now()));
            simulation.advance(now().plus_s(60.0));
            assert_eq!(simulation.state().troubles.len(), 1, "{kind}");
            assert_eq!(simulation.truth()[0].repaired_at, None, "{kind}");
        }
    }

    #[test]
    fn what_is_broken_is_not_chosen_again_and_a_small_network_has_small_faults() {
        let small = Parameters {
            sites: 10,
            noise: 0.0,
            decoys: false,
            ..Parameters::default()
        };
        let backbone = Backbone::named("Polska").unwrap();
        let mut simulation = Simulation::new(&backbone, small, 7, now());
        let wanted = InjectFault {
            kind: Some(FaultKind::FibreCut),
            ..InjectFault::default()
        };
        let mut broken = BTreeSet::new();
        let refused = loop {
            match Faults(&mut simulation).inject(&wanted, now()) {
                Ok(record) => assert!(broken.insert(record.element)),
                Err(refused) => break refused,
            }
        };
        assert!(broken.len() >= 2, "{broken:?}");
        assert!(matches!(refused, FaultRefusal::Nowhere(_)), "{refused:?}");
    }

    #[test]
    fn what_has_not_begun_is_not_told_and_what_is_over_only_to_who_asks() {
        let mut simulation = simulation();
        let links: Vec<ElementId> = simulation.inventory().links.keys().cloned().collect();
        let ends = [links.first().unwrap(), links.last().unwrap()];
        for (link, minutes) in ends.into_iter().zip([0.0, 30.0]) {
            let at = now().plus_s(minutes * 60.0);
            let (kind, element) = (FaultKind::FibreCut, link.clone());
            simulation.inject(Fault { kind, element, at }).unwrap();
        }
        simulation.advance(now());
        assert_eq!(told(&mut simulation, true, now()), [1]);
        let later = now().plus_s(3_600.0);
        simulation.advance(later);
        assert_eq!(told(&mut simulation, false, later), [1, 2]);
        let cleared = Faults(&mut simulation).clear(ClearFault { id: 1 }, later);
        assert_eq!(cleared, Ok(()));
        simulation.advance(later.plus_s(900.0));
        assert_eq!(told(&mut simulation, false, later), [2]);
        assert_eq!(told(&mut simulation, true, later), [1, 2]);
        for id in [0, 1, 3, u64::MAX] {
            let refused = Faults(&mut simulation).clear(ClearFault { id }, later);
            assert_eq!(refused, Err(FaultRefusal::Unknown { id }));
        }
    }
}
