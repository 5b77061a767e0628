//! One trouble ticket and where its engineer is.

use crate::payloads::repair::{Repair, RepairDecision};
use crate::wording::counted;
use domain::telemetry::Token;

/// The most visits to one element for one ticket.
pub(super) const VISITS_MAX: u32 = 2;

/// The stage to which it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The decision with this number waits for the publisher's word.
    Proposed(usize),
    /// An engineer is on the way.
    Sent,
    /// The engineer's question is being answered.
    Asking,
    /// The engineer works.
    Working,
    /// The result waits for the publisher's judgement.
    Offered,
}

/// A ticket.
#[derive(Clone, Debug)]
pub(super) struct Ticket {
    pub(super) repair: Repair,
    pub(super) dispatch: Token,
    pub(super) stage: Stage,
    pub(super) visits: u32,
    /// The plan agreed on.
    pub(super) plan: Option<RepairDecision>,
}

impl Ticket {
    pub(super) fn new(repair: Repair) -> Self {
        Self {
            repair,
            dispatch: 0,
            stage: Stage::Sent,
            visits: 1,
            plan: None,
        }
    }

    /// The steps to guide by: those agreed on, then what is advised beside them.
    pub(super) fn steps(&self, advised: Vec<String>) -> Vec<String> {
        let agreed = self
            .plan
            .iter()
            .flat_map(|p| p.order_of_work.iter().cloned());
        let mut steps: Vec<String> = agreed.collect();
        for step in advised {
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        steps
    }

    pub(super) fn describe(&self) -> String {
        let stage = match self.stage {
            Stage::Proposed(_) => "how it is worked is being agreed on",
            Stage::Sent => "an engineer is on the way",
            Stage::Asking => "the engineer is there and asks",
            Stage::Working => "the engineer is at work",
            Stage::Offered => "the work is done and service is being verified",
        };
        format!(
            "Ticket {} for {} ({}) touches {}: {stage}",
            self.repair.ticket_id,
            self.repair.element,
            self.repair.cause,
            counted(self.repair.affected_sites.len(), "site", "sites")
        )
    }
}
