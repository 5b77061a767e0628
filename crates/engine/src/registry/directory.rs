//! Who is here as committed: what readers see of the roster. A place that was taken, renewed or
//! given up a moment ago is seen once that is on disk.
//!
//! Decisions are taken on the [`crate::registry::roster`], which runs ahead of this. Read next:
//! [`crate::query`].

use crate::commit::observer::CommitObserver;
use domain::discovery::{Criteria, Index, Match};
use domain::registry::{Reach, Registration};
use domain::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};
use store::Committed;

/// The committed places.
#[derive(Default)]
pub(crate) struct Directory(RwLock<Here>);

#[derive(Default)]
struct Here {
    places: BTreeMap<String, DirectoryEntry>,
    /// The same by what each can do.
    discovery: Index,
}

struct DirectoryEntry {
    registration: Arc<Registration>,
    /// Hosted agents in their order, with their addresses here.
    hosted: Option<(usize, Option<String>)>,
}

impl CommitObserver for Directory {
    /// Takes in who has come and gone.
    fn on_commit(&self, committed: &[Committed]) {
        let moved = |c: &&Committed| !c.registrations.is_empty() || !c.left.is_empty();
        for committed in committed.iter().filter(moved) {
            let mut here = self.write();
            for registration in &committed.registrations {
                here.put(Arc::clone(registration), None);
            }
            for name in &committed.left {
                here.places.remove(name);
                here.discovery.remove(name);
            }
        }
    }
}

impl Directory {
    /// Enters an agent that is hosted here, behind those before it.
    pub(crate) fn host(&self, registration: Arc<Registration>, endpoint: Option<String>) {
        let mut here = self.write();
        let number = here.places.len();
        here.put(registration, Some((number, endpoint)));
    }

    /// Enters an agent that is elsewhere, or what has changed of it.
    pub(crate) fn put(&self, registration: Arc<Registration>) {
        self.write().put(registration, None);
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<Registration>> {
        let here = self.read();
        Some(Arc::clone(&here.places.get(name)?.registration))
    }

    /// Where an agent's own NETCONF server listens, here or elsewhere; of an A2A agent, where its
    /// card is.
    pub(crate) fn endpoint(&self, name: &str) -> Option<String> {
        let here = self.read();
        let place = here.places.get(name)?;
        match (&place.registration.reach, &place.hosted) {
            (Reach::Server { address, .. }, _) => Some(address.clone()),
            (Reach::A2a { card_url, .. }, _) => Some(card_url.clone()),
            (_, Some((_, endpoint))) => endpoint.clone(),
            _ => None,
        }
    }

    /// Every agent that is here: hosted ones in their order, then the others by when they came.
    pub(crate) fn all(&self) -> Vec<Arc<Registration>> {
        let here = self.read();
        let mut places: Vec<&DirectoryEntry> = here.places.values().collect();
        places.sort_by_key(|place| place.order());
        let registrations = places.into_iter().map(|p| Arc::clone(&p.registration));
        registrations.collect()
    }

    /// The agents that fit and are available, best first.
    pub(crate) fn search(&self, criteria: &Criteria, limit: usize) -> Vec<Match> {
        self.read().discovery.search(criteria, limit)
    }

    fn read(&self) -> RwLockReadGuard<'_, Here> {
        self.0.read().expect("no writer panics")
    }

    fn write(&self) -> RwLockWriteGuard<'_, Here> {
        self.0.write().expect("no writer panics")
    }
}

impl Here {
    pub(crate) fn put(
        &mut self,
        registration: Arc<Registration>,
        hosted: Option<(usize, Option<String>)>,
    ) {
        self.discovery.put(Arc::clone(&registration));
        let name = registration.profile.name.clone();
        // One in here keeps its place and its address, whatever is said of it.
        let hosted = match registration.reach {
            Reach::Hosted => hosted.or_else(|| self.places.remove(&name)?.hosted),
            _ => hosted,
        };
        self.places.insert(
            name,
            DirectoryEntry {
                registration,
                hosted,
            },
        );
    }
}

impl DirectoryEntry {
    fn order(&self) -> (usize, Timestamp, &str) {
        let hosted = self.hosted.as_ref().map(|(number, _)| *number);
        let Registration {
            profile,
            registered_at,
            ..
        } = &*self.registration;
        (hosted.unwrap_or(usize::MAX), *registered_at, &profile.name)
    }
}
