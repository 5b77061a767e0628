//! Requests about faults, while they wait for whoever runs the simulated network.
//!
//! Read next: [`crate::network::faults`], which has them answered.

use crate::network::fault::{FaultRecord, FaultRefusal};
use crate::network::operation::{ClearFault, InjectFault, ListFaults};
use domain::access::Principal;
use std::sync::Mutex;
use tokio::sync::oneshot;

/// The channel for an answer.
pub(super) type Answer<T> = oneshot::Sender<Result<T, FaultRefusal>>;

/// A request that waits for whoever runs the network, with the channel for its answer.
pub(crate) enum FaultRequest {
    Inject(InjectFault, Answer<FaultRecord>),
    List(ListFaults, Answer<Vec<FaultRecord>>),
    Clear(ClearFault, Answer<()>),
}

impl FaultRequest {
    /// True of a question whose answer nobody waits for any more; what is to be done is done all the same.
    pub(super) fn is_idle(&self) -> bool {
        matches!(self, Self::List(_, answer) if answer.is_closed())
    }
}

/// The requests that wait, and who made each; none while nobody runs a simulated network.
pub(crate) type WaitingRequests = Mutex<Option<Vec<(Principal, FaultRequest)>>>;
