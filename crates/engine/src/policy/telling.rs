//! Of which decisions somebody is being told: until that is stored, or has failed.
//!
//! What is stored is in [`super::State`] before its ticket is resolved. Read next: [`super::acting`].

use domain::policy::DecisionSubject;
use std::collections::HashMap;
use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Waker};
use store::Ticket;

#[derive(Default)]
pub(super) struct Telling(HashMap<DecisionSubject, Ticket>);

impl Telling {
    /// True if it is not known yet whether what was told of this last is stored.
    pub(super) fn is_under_way(&mut self, subject: &DecisionSubject) -> bool {
        let Some(ticket) = self.0.get_mut(subject) else {
            return false;
        };
        let mut looking = Context::from_waker(Waker::noop());
        let is_pending = Pin::new(ticket).poll(&mut looking).is_pending();
        if !is_pending {
            self.0.remove(subject);
        }
        is_pending
    }

    pub(super) fn put(&mut self, subject: DecisionSubject, ticket: Ticket) {
        self.0.insert(subject, ticket);
    }

    pub(super) fn forget(&mut self, subject: &DecisionSubject) {
        self.0.remove(subject);
    }
}
