//! What is broken in the simulated network: breaking, telling and mending, for those who try out their
//! agents.
//!
//! Whoever runs the network does what is wanted ([`FaultInjector`]). This is the one road to the
//! truth, and no agent may take it, whatever the access rules say: agents find out from alarms and
//! measurements. Refuses to know the network. Read next: [`crate::network::ems`], what agents have instead.

pub(crate) mod request;

use crate::access::exec;
use crate::network::fault::{FaultRecord, FaultRefusal};
use crate::network::faults::request::{Answer, FaultRequest};
use crate::network::operation::{ClearFault, InjectFault, ListFaults};
use crate::operation::{Call, Execution, Operation};
use crate::refusal::{Forbidden, NotAvailable};
use crate::trail::by;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::audit::AuditKind;
use domain::time::Timestamp;
use tokio::sync::oneshot;

/// The most requests that wait between two steps of the network.
const WAITING_MOST: usize = 1_024;

/// Breaks, tells and mends what is broken in a simulated network, for whoever runs one
/// ([`Engine::serve_faults`]).
pub trait FaultInjector {
    /// Breaks something.
    ///
    /// # Errors
    /// A [`FaultRefusal`] if it cannot break like this.
    fn inject(&mut self, wanted: &InjectFault, now: Timestamp)
    -> Result<FaultRecord, FaultRefusal>;

    /// The faults that go on, or all of this run.
    fn list(&mut self, wanted: ListFaults, now: Timestamp) -> Vec<FaultRecord>;

    /// Mends a fault.
    ///
    /// # Errors
    /// [`FaultRefusal::Unknown`] if it does not go on.
    fn clear(&mut self, wanted: ClearFault, now: Timestamp) -> Result<(), FaultRefusal>;
}

impl Engine {
    /// Says that a simulated network is run here: faults are injected, listed and cleared from now on.
    pub fn open_to_faults(&self) {
        let mut waiting = self.network.faults.lock().expect("no holder panics");
        waiting.get_or_insert_default();
    }

    /// Has the requests answered that came since the last call; false if there were none. What was
    /// broken or mended is in the audit trail, whether or not anybody still waits for the answer.
    pub fn serve_faults(&self, injector: &mut dyn FaultInjector, now: Timestamp) -> bool {
        let requests = {
            let mut waiting = self.network.faults.lock().expect("no holder panics");
            waiting.as_mut().map(std::mem::take).unwrap_or_default()
        };
        let served = !requests.is_empty();
        let wanted = requests.into_iter().filter(|(_, it)| !it.is_idle());
        for (who, request) in wanted {
            match request {
                FaultRequest::Inject(wanted, answer) => {
                    let injected = injector.inject(&wanted, now);
                    if let Ok(fault) = &injected {
                        let (kind, element) = (fault.kind.as_str(), &fault.element);
                        let subject = format!("fault {}: {kind} at {element}", fault.id);
                        self.audit(by(AuditKind::FaultInjected, &who).to(&subject), now);
                    }
                    let _ = answer.send(injected);
                }
                FaultRequest::List(wanted, answer) => {
                    let _ = answer.send(Ok(injector.list(wanted, now)));
                }
                FaultRequest::Clear(wanted, answer) => {
                    let cleared = injector.clear(wanted, now);
                    if cleared.is_ok() {
                        let subject = format!("fault {}", wanted.id);
                        self.audit(by(AuditKind::FaultCleared, &who).to(&subject), now);
                    }
                    let _ = answer.send(cleared);
                }
            }
        }
        served
    }

    /// Lets a request wait for whoever runs the network.
    fn request_of_faults<T: Send + 'static>(
        &self,
        who: &Principal,
        request: impl FnOnce(Answer<T>) -> FaultRequest,
    ) -> Result<Execution<T>, Refusal> {
        if who.agent {
            let user = who.name.clone();
            return Err(Forbidden::Faults { user }.into());
        }
        let (answer, answered) = oneshot::channel();
        match &mut *self.network.faults.lock().expect("no holder panics") {
            Some(waiting) if waiting.len() >= WAITING_MOST => {
                let why = "too many wait for the network: try again".to_owned();
                return Err(NotAvailable::AttemptFailed { why }.into());
            }
            Some(waiting) => waiting.push((who.clone(), request(answer))),
            None => return Err(NotAvailable::Network.into()),
        }
        self.commits.outbox.notify();
        Ok(Execution::later(async move {
            match answered.await {
                Ok(answer) => answer.map_err(Refusal::from),
                Err(_) => Err(NotAvailable::Network.into()),
            }
        }))
    }
}

impl Operation for InjectFault {
    type Output = FaultRecord;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-simulation", "inject-fault", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<FaultRecord>, Refusal> {
        call.engine
            .request_of_faults(call.who, |answer| FaultRequest::Inject(self, answer))
    }
}

impl Operation for ListFaults {
    type Output = Vec<FaultRecord>;

    const WRITES: bool = false;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-simulation", "list-faults", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Vec<FaultRecord>>, Refusal> {
        call.engine
            .request_of_faults(call.who, |answer| FaultRequest::List(self, answer))
    }
}

impl Operation for ClearFault {
    type Output = ();

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-simulation", "clear-fault", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        call.engine
            .request_of_faults(call.who, |answer| FaultRequest::Clear(self, answer))
    }
}
