//! Questions to the referee of a simulated network, while they wait.
//!
//! Read next: [`crate::network::referee`], which has them answered.

use crate::network::trial::{CompareDay, DayComparison, FaultJudgement};
use domain::access::Principal;
use std::sync::Mutex;
use tokio::sync::oneshot;

/// A question that waits for the referee, with the channel for its answer.
pub(crate) enum RefereeRequest {
    Score(oneshot::Sender<Option<Vec<FaultJudgement>>>),
    Compare(Principal, CompareDay, oneshot::Sender<bool>),
    Look(oneshot::Sender<Option<DayComparison>>),
    End(Principal, oneshot::Sender<()>),
}

/// Those that wait; none while nobody runs a simulated network.
pub(crate) type WaitingForReferee = Mutex<Option<Vec<RefereeRequest>>>;
