//! What a management system may tell: nothing of what is another's, and of what nobody knows no more
//! than agents can keep.
//!
//! Read next: [`bindings::netconf::manager::merged`], which says whose each element is.

use super::{Managed, ManagedEvent, ManagedNetwork};
use domain::inventory::ElementId;
use domain::telemetry::{Performance, Telemetry};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most elements of no inventory that one system may raise alarms on, for as long as the platform
/// runs: what agents remember of elements is bounded by that.
const STRANGERS: usize = 1_000;

/// Elements of no inventory, by their names at one system.
#[derive(Debug, Default)]
pub(super) struct Strangers(BTreeSet<ElementId>);

impl Strangers {
    /// True if alarms on this element may be told: it is known already, or there is room.
    fn admit(&mut self, element: &ElementId) -> bool {
        if self.0.contains(element) {
            return true;
        }
        let has_room = self.0.len() < STRANGERS;
        if has_room {
            self.0.insert(element.clone());
        }
        has_room
    }
}

impl ManagedNetwork {
    /// The part of what happened that is the system's to tell: nothing of elements of others, and of
    /// those of no inventory only some.
    pub(super) fn own(&mut self, system: usize, happened: ManagedEvent) -> Option<ManagedEvent> {
        let (domain, telemetry) = match happened {
            ManagedEvent::Told(domain, telemetry) => (domain, telemetry),
            other => return Some(other),
        };
        let (own, stray) = match telemetry {
            Telemetry::Alarm(alarm) if !self.may_alarm(system, &alarm.resource) => {
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

    /// True if a system may raise and clear alarms on an element.
    fn may_alarm(&mut self, system: usize, element: &ElementId) -> bool {
        if self.is_anothers(system, element) {
            return false;
        }
        // Agents know what there was at the start, and nothing that was documented later.
        self.owners.contains_key(element) || self.systems[system].strangers.admit(element)
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
    #[test]
    fn only_so_many_strange_names_are_heard_of() {
        let mut strangers = Strangers::default();
        let strange = |number: usize| ElementId::new(format!("made-up:{number}"));
        assert!((0..STRANGERS).all(|number| strangers.admit(&strange(number))));
        assert!(!strangers.admit(&strange(STRANGERS)));
        assert!(strangers.admit(&strange(0)), "it was heard of before");
    }
}
