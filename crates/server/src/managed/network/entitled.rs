//! What a management system may tell: nothing of what is another's.
//!
//! Read next: [`bindings::netconf::manager::merged`], which says whose each element is.

use super::{Managed, ManagedEvent, ManagedNetwork};
use domain::inventory::ElementId;
use domain::telemetry::{Performance, Telemetry};
use std::sync::Arc;

impl ManagedNetwork {
    /// The part of what happened that is the system's to tell: nothing of elements of others.
    pub(super) fn own(&mut self, system: usize, happened: ManagedEvent) -> Option<ManagedEvent> {
        let (domain, telemetry) = match happened {
            ManagedEvent::Told(domain, telemetry) => (domain, telemetry),
            other => return Some(other),
        };
        let (own, stray) = match telemetry {
            Telemetry::Alarm(alarm) if self.is_anothers(system, &alarm.resource) => {
                (None, Some(alarm.resource))
            }
            Telemetry::Performance(figures) => {
                let mut ids = figures.cells.keys().chain(figures.links.keys());
                let stray = ids.find(|id| self.is_anothers(system, id)).cloned();
                let own = match stray {
                    None => figures,
                    Some(_) => Arc::new(self.own_figures(system, &figures)),
                };
                (Some(Telemetry::Performance(own)), stray)
            }
            telemetry => (Some(telemetry), None),
        };
        if let Some(element) = stray {
            self.systems[system].strays.happened(element.as_str());
        }
        own.map(|telemetry| ManagedEvent::Told(domain, telemetry))
    }

    fn own_figures(&self, system: usize, figures: &Performance) -> Performance {
        let mut own = figures.clone();
        own.cells.retain(|id, _| !self.is_anothers(system, id));
        own.links.retain(|id, _| !self.is_anothers(system, id));
        own
    }

    /// True if an element is another system's: it belongs to that, or is left to it.
    fn is_anothers(&self, system: usize, element: &ElementId) -> bool {
        if let Some(owner) = self.owners.get(element) {
            return *owner != system;
        }
        let documents = |of: &Managed| of.system.documents(element);
        is_left_to_earlier(system, |number| documents(&self.systems[number]))
    }
}

/// True if an element that was not documented when the platform began is left to a system that comes
/// before this one: that documents it by now, and this one does not. What comes later has no claim.
fn is_left_to_earlier(system: usize, documents: impl Fn(usize) -> bool) -> bool {
    !documents(system) && (0..system).any(documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_earlier_system_claims_what_nobody_owns() {
        let left = |documenting: usize| is_left_to_earlier(1, |number| number == documenting);
        assert!(left(0));
        assert!(!left(1), "it documents the element itself");
        assert!(!left(2), "a later one takes nothing from an earlier one");
        assert!(!is_left_to_earlier(1, |number| number < 2), "both do");
    }
}
