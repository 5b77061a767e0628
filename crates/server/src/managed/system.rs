//! What all tasks of one management system share.
//!
//! Read next: [`super::session`].

use super::plan::SystemPlan;
use super::position::{KeptPosition, Mark};
use crate::clock::Clock;
use crate::ssh::Connector;
use bindings::netconf::manager::{
    ActionReply, AlarmSnapshot, SystemInventory, SystemOffer, SystemReport,
};
use domain::inventory::ElementId;
use domain::telemetry::{Action, Performance};
use domain::time::Timestamp;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tokio::sync::{Notify, mpsc, watch};

/// The most events that wait to be handled; the tasks wait beyond, and their systems with them.
pub(super) const EVENTS: usize = 1_024;
/// The most actions that wait to be sent to one system.
pub(super) const ACTIONS: usize = 256;

/// What is known of a system from its last connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Learnt {
    pub(super) offer: SystemOffer,
    /// What it documents; from an earlier connection, if it tells of nothing any more.
    pub(super) read: SystemInventory,
    /// When that was read.
    pub(super) read_at: Timestamp,
}

impl Learnt {
    /// True if what is known goes on to count after a system has told this of its network: nothing at
    /// all takes nothing back. Who may not read something is shown nothing (RFC 8341 §3.2.4).
    pub(super) fn outlasts(&self, told: &SystemInventory) -> bool {
        told.inventory.elements.is_empty() && !self.read.inventory.elements.is_empty()
    }
}

/// What a task has brought.
#[derive(Debug)]
pub(super) struct SystemEvent {
    /// The number of the system.
    pub(super) system: usize,
    /// The time of its arrival.
    pub(super) at: Timestamp,
    pub(super) what: Brought,
}

/// The content of an event.
#[derive(Debug)]
pub(super) enum Brought {
    /// It is listened to from now on.
    Listening,
    /// A notification.
    Report {
        /// The time of the event, by the system's clock.
        time: Option<Timestamp>,
        /// True if it was sent when it happened, as far as can be told.
        live: bool,
        mark: Mark,
        report: SystemReport,
    },
    /// The alarm list.
    Alarms {
        /// When it was asked for.
        began: Timestamp,
        list: AlarmSnapshot,
    },
    /// Figures; `counted` by ourselves from counters, with times of our clock.
    Figures { counted: bool, figures: Performance },
    /// What came of an action.
    Done {
        /// The number of the request.
        number: u64,
        reply: ActionReply,
    },
}

/// An action to be carried out by a system.
#[derive(Debug)]
pub(super) struct Order {
    /// The number of the request.
    pub(super) number: u64,
    pub(super) action: Action,
    /// Of a guide: the number that the system gave the dispatch.
    pub(super) dispatch: u64,
    /// When it was asked for: it waits for a free session, and whoever asked waits no longer for that.
    pub(super) asked: Instant,
}

/// One management system.
pub(super) struct System {
    pub(super) number: usize,
    pub(super) plan: SystemPlan,
    pub(super) clock: Arc<Clock>,
    /// Opens its sessions, and no other system's.
    pub(super) connector: Connector,
    /// None before the first connection.
    pub(super) learnt: watch::Sender<Option<Arc<Learnt>>>,
    /// The last trouble with the connection; empty while there is none.
    pub(super) trouble: watch::Sender<String>,
    /// Why it was last lost to one of its tasks, whichever; it changes each time that it is.
    pub(super) lost: watch::Sender<String>,
    /// How far it was heard before; none until that is known, and then none in it if it never was.
    pub(super) kept: watch::Sender<Option<Option<KeptPosition>>>,
    /// The alarm list is to be read.
    pub(super) alarms_due: Notify,
    /// The figures of convoke-ems are to be read.
    pub(super) figures_due: Notify,
    /// True once the system itself has told of figures.
    pub(super) reports_figures: AtomicBool,
    pub(super) events: mpsc::Sender<SystemEvent>,
}

impl System {
    /// What is known of it; nothing before the first connection.
    pub(super) fn learnt(&self) -> Arc<Learnt> {
        self.learnt.borrow().clone().unwrap_or_default()
    }

    /// How far it was heard before this process listened, once that is known.
    pub(super) async fn heard_before(&self) -> Option<KeptPosition> {
        let mut kept = self.kept.subscribe();
        let known = kept.wait_for(Option::is_some).await;
        known.ok().and_then(|kept| kept.clone().flatten())
    }

    /// True if it documents this element at present.
    pub(super) fn documents(&self, element: &ElementId) -> bool {
        let learnt = self.learnt.borrow();
        let inventory = learnt.as_ref().map(|learnt| &learnt.read.inventory);
        inventory.is_some_and(|inventory| inventory.elements.contains_key(element))
    }

    /// Brings something to the runtime; waits while that is busy. False if it is gone.
    pub(super) async fn bring(&self, what: Brought) -> bool {
        let event = SystemEvent {
            system: self.number,
            at: self.clock.now(),
            what,
        };
        self.events.send(event).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::inventory::{Domain, Element, ElementKind};

    fn documented(names: &[&str]) -> SystemInventory {
        let mut told = SystemInventory::default();
        for name in names {
            let element = Element {
                id: ElementId::new(*name),
                kind: ElementKind::Router,
                domain: Domain::Ip,
                parent: None,
                place: String::new(),
                position: (0.0, 0.0),
                vendor: String::new(),
                model: String::new(),
            };
            let elements = &mut told.inventory.elements;
            elements.insert(element.id.clone(), element);
        }
        told
    }

    #[test]
    fn an_inventory_outlasts_silence_and_gives_way_to_another() {
        let known = Learnt {
            read: documented(&["router:a"]),
            ..Learnt::default()
        };
        assert!(known.outlasts(&documented(&[])));
        assert!(!known.outlasts(&documented(&["router:b"])));
        let nothing = Learnt::default();
        assert!(!nothing.outlasts(&documented(&[])));
        assert!(!nothing.outlasts(&documented(&["router:a"])));
    }
}
