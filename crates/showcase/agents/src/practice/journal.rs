//! The records that people wrote down: cases with whom they blamed, whom they sent, and when;
//! complaints and their replies. The referee reads it beside the truth.

use domain::cause::Cause;
use domain::inventory::{Domain, ElementId};
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Everything written down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// Cases, in the order in which they were noticed.
    pub cases: Vec<CaseRecord>,
    /// Complaints of companies, in the order in which they came.
    pub complaints: Vec<ComplaintRecord>,
    /// Calls of customers without service.
    pub calls: u64,
}

/// One case of a desk.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseRecord {
    /// The domain of the desk.
    pub domain: Domain,
    /// The town.
    pub place: String,
    /// The instant at which its first alarm arrived.
    pub first_alarm_at: Timestamp,
    /// The instant at which somebody had sorted the list and opened it; none if it was over before.
    pub opened_at: Option<Timestamp>,
    /// The causes that were blamed, in order.
    pub blamed: Vec<(ElementId, Cause)>,
    /// The instant at which a suspicion was confirmed from afar or on site.
    pub located_at: Option<Timestamp>,
    /// The cause that was confirmed.
    pub located: Option<(ElementId, Cause)>,
    /// The people who were sent.
    pub dispatched: Vec<DispatchRecord>,
    /// The instant at which it was closed.
    pub closed_at: Option<Timestamp>,
    /// The sites out of service that it was about, as far as the desk's list showed them.
    pub sites: BTreeSet<ElementId>,
}

/// One engineer sent out.
#[derive(Clone, Debug, PartialEq)]
pub struct DispatchRecord {
    /// The instant.
    pub at: Timestamp,
    /// The destination.
    pub element: ElementId,
    /// The instant at which they arrived.
    pub arrived_at: Option<Timestamp>,
    /// The instant at which they were done.
    pub ended_at: Option<Timestamp>,
    /// True if something was mended; none while that is not known.
    pub repaired: Option<bool>,
}

/// The place to which a complaint was found to belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedBoundary {
    /// The network of this province.
    Province(String),
    /// A place without coverage, and no fault.
    Coverage,
    /// The customer's own equipment.
    Customer,
    /// Not the network: the contract, the bill.
    Outside,
    /// Nobody could tell.
    Unclear,
}

/// One complaint of a company.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplaintRecord {
    /// Its ticket.
    pub ticket: String,
    /// The instant at which it came.
    pub at: Timestamp,
    /// The instant at which it had been read for the first time.
    pub read_at: Option<Timestamp>,
    /// The instant at which it was forwarded to another province.
    pub forwarded_at: Option<Timestamp>,
    /// Questions asked of the customer.
    pub questions: u32,
    /// The place to which it was found to belong.
    pub boundary: Option<RecordedBoundary>,
    /// The instant at which it was answered.
    pub replied_at: Option<Timestamp>,
}

impl CaseRecord {
    /// The number of times that somebody was sent in vain.
    pub fn wrong_dispatches(&self) -> usize {
        let ended = self.dispatched.iter().filter_map(|d| d.repaired);
        ended.filter(|repaired| !repaired).count()
    }
}
