//! What a management system may tell: nothing of what is another's, and of what nobody knows no more
//! than agents can keep.
//!
//! Read next: [`bindings::netconf::manager::merged`], which says whose each element is.

use super::{Managed, ManagedEvent, ManagedNetwork};
use domain::inventory::ElementId;
use domain::telemetry::{Performance, Telemetry};
use domain::time::Timestamp;
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
    /// those of no inventory some alarms and no figures.
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
                let stray = ids.find(|id| !self.owns(system, id)).cloned();
                let own = match stray {
                    None => Some(figures),
                    Some(_) => self.own_figures(system, &figures).map(Arc::new),
                };
                (own.map(Telemetry::Performance), stray)
            }
            telemetry => (Some(telemetry), None),
        };
        if let Some(element) = stray {
            self.systems[system].strays.happened(element.as_str());
        }
        own.map(|telemetry| ManagedEvent::Told(domain, telemetry))
    }

    /// The figures of the elements that are the system's own, if there are any.
    fn own_figures(&self, system: usize, figures: &Performance) -> Option<Performance> {
        let mut own = figures.clone();
        own.cells.retain(|id, _| self.owns(system, id));
        own.links.retain(|id, _| self.owns(system, id));
        (!own.cells.is_empty() || !own.links.is_empty()).then_some(own)
    }

    /// True if an element of the inventory belongs to a system.
    fn owns(&self, system: usize, element: &ElementId) -> bool {
        self.owners.get(element) == Some(&system)
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

/// Figures of a period, which is over by `now`, if they are news: none if it does not end after
/// `told_until`, the end of the last that was told.
pub(super) fn news_of_period(
    mut figures: Performance,
    told_until: Timestamp,
    now: Timestamp,
) -> Option<Performance> {
    figures.until = figures.until.min(now);
    figures.from = figures.from.min(figures.until);
    (figures.until > told_until).then_some(figures)
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
    fn a_period_is_told_once_and_never_before_its_end() {
        let at = Timestamp::from_ms;
        let figures = |until| Performance {
            from: at(100),
            until: at(until),
            ..Performance::default()
        };
        let news = |until, told| {
            let news = news_of_period(figures(until), at(told), at(1_000));
            news.map(|figures| (figures.from, figures.until))
        };
        assert_eq!(news(900, 800), Some((at(100), at(900))));
        assert_eq!(news(900, 900), None);
        assert_eq!(news(800, 900), None);
        assert_eq!(news(5_000, 900), Some((at(100), at(1_000))));
        assert_eq!(news(50, 0), Some((at(50), at(50))));
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
