//! One trial: a fault is done, everybody has their time, everything is put back.
//!
//! Read next: [`super::judge`].

use super::judge::{Judge, PolicyVerdict, RepairVerdict};
use super::manager::Manager;
use crate::bring_up::Laboratory;
use crate::documents::Documents;
use crate::error::LabError;
use crate::fault::LabFault;
use crate::hosted::AgentsEvent;
use crate::injector::{BreakRequest, Injector};
use crate::interruption::Interruption;
use crate::rack::{device, parameters};
use domain::inventory::ElementId;
use domain::time::{SeededRng, Timestamp};
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;
use server::clock::Clock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a fault stands at most.
const STANDS: Duration = Duration::from_secs(60);
/// How long what is no fault is watched.
const WATCHED: Duration = Duration::from_secs(40);
/// How long the network must be calm before the next trial: configurations are read meanwhile.
const CALM: Duration = Duration::from_secs(14);
/// How long is waited for calm.
const CALM_WITHIN: Duration = Duration::from_secs(120);
/// How long is waited after everything seems well, for what agents still say.
const AFTERWARDS: Duration = Duration::from_secs(4);

/// What came of one trial.
#[derive(Clone, Debug, Serialize)]
pub struct LabTrial {
    /// Always `trial`.
    pub event: &'static str,
    /// The backbone.
    pub topology: String,
    /// The seed.
    pub seed: u64,
    /// What was done.
    pub fault: String,
    /// To what.
    pub element: Option<ElementId>,
    /// Whether the network was calm before.
    pub calm_before: bool,
    /// The alarms that were raised.
    pub alarms: usize,
    /// What everybody made of it: agents first, then the yardsticks.
    pub policies: Vec<PolicyVerdict>,
    /// What agents did about it.
    pub repairs: RepairVerdict,
    /// Everything was as before when the trial ended, by what agents did.
    pub repaired: bool,
    /// Seconds until then, or until the trial was ended.
    pub lasted_s: f64,
}

/// A laboratory in which trials are held.
pub struct Trials {
    lab: Laboratory,
    documents: Documents,
    injector: Injector,
    clock: Arc<Clock>,
    interruption: Interruption,
    /// The configuration of each router as it was built.
    built: BTreeMap<usize, BTreeMap<String, String>>,
}

impl Trials {
    /// Trials in a laboratory that was just brought up.
    ///
    /// # Errors
    /// [`LabError`] if a router cannot be read.
    pub fn in_lab(lab: &Laboratory, interruption: &Interruption) -> Result<Self, LabError> {
        let routers = 0..lab.plan.routers.len();
        let read = routers.map(|router| {
            let told = device::configuration(&lab.plan.namespace(router))?;
            Ok((router, told))
        });
        Ok(Self {
            lab: lab.clone(),
            documents: Documents::of(&lab.plan),
            injector: Injector::of(lab),
            clock: Arc::new(Clock::wall()),
            interruption: interruption.clone(),
            built: read.collect::<Result<_, LabError>>()?,
        })
    }

    /// The injector.
    pub fn injector(&self) -> &Injector {
        &self.injector
    }

    /// Holds one trial. `struck` is called when the fault is done and the book says so.
    ///
    /// # Errors
    /// [`LabError`] if the fault cannot be done or undone; [`LabError::Interrupted`], with the fault
    /// as it is.
    pub fn hold(
        &self,
        fault: LabFault,
        seed: u64,
        manager: &Manager,
        struck: impl FnOnce(&Injector),
    ) -> Result<LabTrial, LabError> {
        let calm_before = self.calm(manager)?;
        let place = LabFault::ALL
            .iter()
            .position(|f| *f == fault)
            .unwrap_or_default() as u64;
        let mut rng = SeededRng::seed_from_u64(seed * 1_000 + place);
        let since = manager.heard();
        let request = BreakRequest {
            fault,
            element: None,
        };
        let entry = self.injector.strike(&request, &mut rng, self.clock.now())?;
        struck(&self.injector);
        let repaired = self.watch(fault, &entry.element, since, manager)?;
        std::thread::sleep(AFTERWARDS);
        manager.check()?;
        let until = self.clock.now();
        let events = manager.events(since);
        let judge = Judge {
            documents: &self.documents,
            entry: &entry,
            events: &events,
            until,
        };
        let mut policies = vec![judge.agents()];
        policies.extend(judge.yardsticks());
        let raised = |e: &&AgentsEvent| matches!(e, AgentsEvent::Alarm { cleared: false, .. });
        let trial = LabTrial {
            event: "trial",
            topology: self.lab.plan.topology.clone(),
            seed,
            fault: fault.as_str().to_owned(),
            element: entry.element.clone(),
            calm_before,
            alarms: events.iter().filter(raised).count(),
            policies,
            repairs: judge.repairs(),
            repaired,
            lasted_s: until.seconds_since(entry.from),
        };
        self.injector.mend_entry(&entry, until)?;
        self.put_back()?;
        Ok(trial)
    }

    /// Watches until agents have set everything right, or have said what only an engineer can mend,
    /// or time is up; true if everything is as before.
    fn watch(
        &self,
        fault: LabFault,
        element: &Option<ElementId>,
        since: usize,
        manager: &Manager,
    ) -> Result<bool, LabError> {
        let is_fault = fault.cause().is_some();
        let deadline = Instant::now() + if is_fault { STANDS } else { WATCHED };
        while Instant::now() < deadline {
            self.interruption.check()?;
            manager.check()?;
            std::thread::sleep(Duration::from_millis(500));
            let events = manager.events(since);
            let acted = |e: &AgentsEvent| matches!(e, AgentsEvent::Intervention { .. });
            let named = |e: &AgentsEvent| match e {
                AgentsEvent::Finding {
                    element: named,
                    cause,
                    ..
                } => Some(*cause) == fault.cause() && Some(named) == element.as_ref(),
                _ => false,
            };
            if is_fault && fault.wants_engineer() && events.iter().any(named) {
                return Ok(false);
            }
            if is_fault && events.iter().any(acted) && self.is_as_built() && self.is_full() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_full(&self) -> bool {
        let full = self.lab.full_within(Duration::ZERO, &self.interruption);
        full.is_ok()
    }

    /// True if every router is configured as it was built, but for descriptions.
    fn is_as_built(&self) -> bool {
        self.departures()
            .is_ok_and(|departures| departures.is_empty())
    }

    /// The parameters that are not as they were built: router, parameter, value of before.
    fn departures(&self) -> Result<Vec<(usize, String, String)>, LabError> {
        let mut departures = Vec::new();
        for (router, built) in &self.built {
            let told = device::configuration(&self.lab.plan.namespace(*router))?;
            let names = told
                .keys()
                .chain(built.keys())
                .filter(|n| !n.ends_with("/description"));
            let names: std::collections::BTreeSet<&String> = names.collect();
            for name in names {
                if told.get(name) != built.get(name) {
                    let was = built.get(name).map_or("none", String::as_str);
                    departures.push((*router, name.clone(), was.to_owned()));
                }
            }
        }
        Ok(departures)
    }

    /// Sets back whatever is not as it was built, whoever has changed it.
    fn put_back(&self) -> Result<(), LabError> {
        for (router, parameter, value) in self.departures()? {
            let namespace = self.lab.plan.namespace(router);
            parameters::set(&namespace, &parameter, &value, &self.lab.folder)?;
        }
        let longest = Duration::from_secs(60);
        self.lab.full_within(longest, &self.interruption)
    }

    /// Waits until no alarm has stood for a while; false if some stay.
    fn calm(&self, manager: &Manager) -> Result<bool, LabError> {
        let deadline = Instant::now() + CALM_WITHIN;
        let mut since: Option<Instant> = None;
        while Instant::now() < deadline {
            self.interruption.check()?;
            manager.check()?;
            match manager.standing().is_empty() {
                true => {
                    let calm = since.get_or_insert_with(Instant::now);
                    if calm.elapsed() >= CALM {
                        return Ok(true);
                    }
                }
                false => since = None,
            }
            std::thread::sleep(Duration::from_millis(250));
        }
        Ok(false)
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
