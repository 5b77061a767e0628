//! Which management system a ticket is of: the one that spoke of it first.
//!
//! Customers speak through several systems, which number tickets by themselves. Nobody answers in the
//! name of another's customer, and what a customer is told goes where the ticket came from. Read next:
//! [`super::network`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The most tickets of one system that are remembered; beyond, its oldest is forgotten.
const TICKETS: usize = 100_000;

/// Tickets by their numbers.
#[derive(Debug, Default)]
pub(super) struct Tickets {
    /// The number of the system that each is of.
    owners: BTreeMap<Arc<str>, usize>,
    /// Those of each system, oldest first: one that opens many makes no other's be forgotten.
    order: BTreeMap<usize, VecDeque<Arc<str>>>,
}

impl Tickets {
    /// Notes that a system speaks of a ticket; false if that is another system's.
    pub(super) fn speaks(&mut self, system: usize, ticket: &str) -> bool {
        if let Some(owner) = self.owners.get(ticket) {
            return *owner == system;
        }
        let own = self.order.entry(system).or_default();
        if own.len() >= TICKETS
            && let Some(oldest) = own.pop_front()
        {
            self.owners.remove(&oldest);
        }
        let ticket: Arc<str> = Arc::from(ticket);
        own.push_back(Arc::clone(&ticket));
        self.owners.insert(ticket, system);
        true
    }

    /// The number of the system that a ticket is of, if one has spoken of it.
    pub(super) fn owner_of(&self, ticket: &str) -> Option<usize> {
        self.owners.get(ticket).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_of_the_system_that_spoke_of_it_first() {
        let mut tickets = Tickets::default();
        assert_eq!(tickets.owner_of("T-1"), None);
        assert!(tickets.speaks(1, "T-1"));
        assert!(tickets.speaks(1, "T-1"), "again");
        assert!(!tickets.speaks(0, "T-1"));
        assert_eq!(tickets.owner_of("T-1"), Some(1));
    }

    #[test]
    fn a_system_that_opens_many_forgets_its_own() {
        let mut tickets = Tickets::default();
        assert!(tickets.speaks(0, "mine"));
        for number in 0..=TICKETS {
            assert!(tickets.speaks(1, &format!("T-{number}")));
        }
        assert_eq!(tickets.owner_of("T-0"), None);
        assert_eq!(tickets.owner_of("T-1"), Some(1));
        assert!(!tickets.speaks(1, "mine"));
        assert_eq!(tickets.owners.len(), TICKETS + 1);
    }
}
