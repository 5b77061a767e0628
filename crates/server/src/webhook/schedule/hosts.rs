//! The hosts with waiting changes, and the owners that take turns at each.
//!
//! Knows how many attempts are under way, and to which owners a host does not respond; refuses to
//! know when a queue is due. Read next: [`super`].

use super::DeliveryQueue;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

/// A host with waiting changes.
#[derive(Debug, Default)]
pub(super) struct Host {
    /// The owners, by name; each has a queue to the host.
    pub(super) owners: BTreeMap<Arc<str>, OwnerAtHost>,
    /// The owner who was served last; the next one has the turn.
    pub(super) served: Option<Arc<str>>,
    pub(super) tries: Tries,
    /// The number of ready queues.
    pub(super) ready: usize,
}

/// The queues of one owner to a host.
#[derive(Debug, Default)]
pub(super) struct OwnerAtHost {
    /// The number of queues, ready or not.
    pub(super) queues: usize,
    pub(super) ready: VecDeque<Arc<DeliveryQueue>>,
    pub(super) under_way: usize,
    /// True if the last attempt got no response.
    pub(super) silent: bool,
}

/// The number of attempts under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tries {
    pub(super) all: usize,
    /// Those of owners to whom the host does not respond.
    pub(super) silent: usize,
}

impl Tries {
    /// Replaces the counts of one owner.
    pub(super) fn replace(&mut self, before: Self, after: Self) {
        self.all = self.all + after.all - before.all;
        self.silent = self.silent + after.silent - before.silent;
    }
}

impl OwnerAtHost {
    pub(super) fn tries(&self) -> Tries {
        Tries {
            all: self.under_way,
            silent: if self.silent { self.under_way } else { 0 },
        }
    }
}

impl Host {
    /// The owner whose turn it is, where the host has `places` concurrent attempts, if one is free
    /// for that owner.
    pub(super) fn next_owner(&self, places: usize, of_silent: bool) -> Option<&Arc<str>> {
        if self.ready == 0 || self.tries.all >= places {
            return None;
        }
        let served = self.served.as_deref();
        let behind = served.map_or(Bound::Unbounded, Bound::Excluded);
        let after = self.owners.range::<str, _>((behind, Bound::Unbounded));
        let share = match self.owners.len() {
            1 => places,
            _ => places.div_ceil(2),
        };
        let may = |(_, owner): &(&Arc<str>, &OwnerAtHost)| {
            !owner.ready.is_empty()
                && match owner.silent {
                    true => of_silent && self.tries.silent == 0,
                    false => owner.under_way < share,
                }
        };
        after.chain(&self.owners).find(may).map(|(name, _)| name)
    }
}
