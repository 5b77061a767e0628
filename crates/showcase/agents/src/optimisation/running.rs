//! One compensation, from its plan to its end.
//!
//! ```text
//!   planned ── energy agent asked ── agreed ─┐
//!      │                                     ├─► offered ── assigned ─► running ─► over
//!      └── nobody needs waking ──────────────┘
//! ```
//! Read next: [`super::negotiation`] for what is said on the way, [`super::verification`] for what is
//! measured.

use super::figures::{Before, Figures};
use super::plan::CompensationPlan;
use crate::payloads::compensation::{
    Compensation, CompensationResult, CompensationStatus, Helper, SavingMeanwhile,
};
use crate::payloads::saving::SavingOrder;
use domain::content::Content;
use domain::inventory::ElementId;
use domain::task::TaskId;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Minutes of a compensation where nobody says how long.
pub const DURATION_MIN: u64 = 240;

/// The position of the energy-saving agent on a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Energy {
    /// It is not asked: there is none, nobody is to be woken, or it said no.
    Without,
    /// It was asked.
    Asked,
    /// The service-intent agent was asked who yields.
    Disputed,
    /// It agreed, to this.
    Agreed(Box<Content>),
}

/// A compensation that is talked about.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The order.
    pub order: Compensation,
    /// The words it was wanted in.
    pub content: Content,
    /// The plan, as far as it has been agreed on.
    pub plan: CompensationPlan,
    /// The position of the energy-saving agent on it.
    pub energy: Energy,
    /// The task that is, or would be, given to it.
    pub energy_task: TaskId,
    /// True once whoever asked has an answer.
    pub answered: bool,
    /// True if it is assigned already.
    pub assigned: bool,
    /// The instant at which it was asked for.
    pub asked_at: Timestamp,
    /// The reason why it is less than was asked for.
    pub reason: Option<String>,
}

/// A compensation under way.
#[derive(Clone, Debug)]
pub struct Running {
    /// The order that was assigned.
    pub order: Compensation,
    /// The cells that help.
    pub plan: CompensationPlan,
    /// The task of the energy-saving agent, while it has one.
    pub energy_task: Option<TaskId>,
    /// Helpers that are not awake yet.
    pub asleep: BTreeSet<ElementId>,
    /// The instant at which it began.
    pub began: Timestamp,
    /// The instant at which its time is over.
    pub until: Timestamp,
    /// The performance of its helpers before.
    pub before: Before,
    /// The throughput that the slowest of their users got before, in Mbit/s.
    pub edge_before_mbps: Option<f64>,
    /// The users of what is lost, when they were counted last.
    pub lost_users: f64,
    /// The instant at which that was.
    pub lost_users_at: Timestamp,
    /// All that was measured last.
    pub figures: Option<Figures>,
    /// The energy that it has cost so far, in kWh.
    pub extra_kwh: f64,
    /// Periods measured in full.
    pub periods: u32,
    /// True once it was adjusted after measuring.
    pub adjusted: bool,
    /// The reason why it is less than was asked for.
    pub reason: Option<String>,
}

impl Running {
    /// The throughput that each user was promised, in Mbit/s.
    pub fn promised_mbps(&self) -> f64 {
        promised_mbps(&self.order)
    }

    /// Its state, as payloads tell it.
    pub fn result(&self, status: CompensationStatus) -> CompensationResult {
        let helper = |(cell, part): (&ElementId, &super::plan::CellContribution)| Helper {
            cell: cell.clone(),
            power_offset_db: part.offset_db,
        };
        let figures = self.figures.unwrap_or_default();
        let promised = Some(100.0 * self.plan.with.share);
        CompensationResult {
            status,
            sites: self.order.sites.clone(),
            cells: self.plan.parts.iter().map(helper).collect(),
            users_served_percent: match self.figures {
                Some(_) => figures.served_percent,
                None => promised,
            },
            throughput_mbps: figures.edge_mbps,
            throughput_before_mbps: self.edge_before_mbps,
            energy_saving: Some(match self.energy_task {
                Some(_) => SavingMeanwhile::Suspend,
                None => SavingMeanwhile::Keep,
            }),
            extra_energy_kwh: Some(self.extra_kwh.max(0.0)),
            effective_at: Some(self.began),
            reason: self.reason.clone(),
        }
    }
}

/// The throughput that an order promises each user, in Mbit/s.
pub fn promised_mbps(order: &Compensation) -> f64 {
    const USUAL_MBPS: f64 = 2.0;
    order.min_throughput_mbps.unwrap_or(USUAL_MBPS)
}

/// The request to keep the helpers of a plan awake.
pub fn awake(order: &Compensation, plan: &CompensationPlan, area: &str) -> SavingOrder {
    use crate::payloads::saving::SavingAction;
    SavingOrder {
        action: match order.energy_saving {
            SavingMeanwhile::Suspend => SavingAction::Suspend,
            SavingMeanwhile::Reduce | SavingMeanwhile::Keep => SavingAction::Adjust,
        },
        area: area.to_owned(),
        cells: plan.parts.keys().cloned().collect(),
        duration_minutes: Some(order.duration_minutes.unwrap_or(DURATION_MIN)),
        min_throughput_mbps: order.min_throughput_mbps,
        incident_id: order.incident_id.clone(),
        ..SavingOrder::default()
    }
}
