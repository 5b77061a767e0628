//! What is broken in the simulated network: breaking, telling and mending, for those who try out their
//! agents.
//!
//! Whoever runs the network does what is wanted ([`Engine::faults_wanted`]). This is the one road to the
//! truth, and no agent may take it, whatever the access rules say: agents find out from alarms and
//! measurements. Refuses to know the network. Read next: [`crate::ems`], what agents have instead.

use crate::operation::{Execution, Outcome};
use crate::trail::by;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::audit::AuditKind;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Severity;
use domain::time::Timestamp;
use std::sync::Mutex;
use tokio::sync::oneshot;

/// What somebody wants (module convoke-simulation).
#[derive(Clone, Debug, PartialEq)]
pub enum FaultWish {
    /// `inject-fault`: break something, now.
    Inject {
        /// What happens; none for anything that takes a batch of sites out of service.
        kind: Option<Cause>,
        /// To what, if it matters.
        element: Option<ElementId>,
        /// How long it takes, in seconds, if that is to be set.
        duration_s: Option<u64>,
        /// How bad it is, if that is to be set.
        severity: Option<Severity>,
    },
    /// `list-faults`: tell what is broken.
    List {
        /// True if what is over is told as well.
        ended: bool,
    },
    /// `clear-fault`: mend it at once.
    Clear {
        /// Its number.
        id: u64,
    },
}

/// A fault as it really is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    /// Its number, from 1; new with each start of the platform.
    pub id: u64,
    /// What happened.
    pub kind: Cause,
    /// To what.
    pub element: ElementId,
    /// When.
    pub began: Timestamp,
    /// When it was mended, or ended by itself.
    pub repaired: Option<Timestamp>,
    /// When all sites that it took out were back in service.
    pub restored: Option<Timestamp>,
    /// How many sites were out of service because of it at any time.
    pub sites_out: usize,
}

/// What was done or told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultAnswer {
    /// This was broken.
    Injected(FaultRecord),
    /// These are.
    Listed(Vec<FaultRecord>),
    /// It was mended.
    Cleared,
}

/// Why nothing was broken, told or mended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultRefusal {
    /// An agent asked.
    #[error("'{user}' is an agent: none may know or change what is broken")]
    Agent {
        /// Who.
        user: String,
    },
    /// The network has no such element.
    #[error("the network has no element '{0}'")]
    UnknownElement(ElementId),
    /// The element is of another kind than what breaks, or cannot break like this.
    #[error("{0}")]
    OtherElement(String),
    /// How long it takes cannot be set to this.
    #[error("{0}")]
    Duration(String),
    /// How bad it is cannot be set.
    #[error("{0}")]
    Severity(String),
    /// Nothing here can break like this.
    #[error("{0}")]
    Nowhere(String),
    /// No such fault goes on.
    #[error("no fault {id} goes on")]
    Unknown {
        /// Its number.
        id: u64,
    },
}

/// Somebody wants something of what is broken; whoever runs the network answers.
#[derive(Debug)]
pub struct FaultWanted {
    /// What.
    pub wish: FaultWish,
    /// Who.
    who: Principal,
    answer: oneshot::Sender<Result<FaultAnswer, FaultRefusal>>,
}

/// What is wanted, while somebody runs a simulated network.
pub(crate) type Wanted = Mutex<Option<Vec<FaultWanted>>>;

impl Engine {
    /// Says that a simulated network is run here: faults may be wanted from now on.
    pub fn open_to_faults(&self) {
        let mut wanted = self.faults.lock().expect("no holder panics");
        wanted.get_or_insert_default();
    }

    /// What is wanted of faults since the last call.
    pub fn faults_wanted(&self) -> Vec<FaultWanted> {
        let mut wanted = self.faults.lock().expect("no holder panics");
        wanted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Tells what came of a wish. What was broken or mended is in the audit trail, whether or not
    /// anybody still waits for the answer.
    pub fn answer_fault(
        &self,
        wanted: FaultWanted,
        answer: Result<FaultAnswer, FaultRefusal>,
        now: Timestamp,
    ) {
        if let Some((kind, subject)) = done(&wanted.wish, &answer) {
            self.audit(by(kind, &wanted.who).to(&subject), now);
        }
        let _ = wanted.answer.send(answer);
    }

    pub(crate) fn wish_of_faults(&self, who: &Principal, wish: FaultWish) -> Execution {
        if who.agent {
            let user = who.name.clone();
            return Execution::refused(FaultRefusal::Agent { user });
        }
        let who = who.clone();
        let (answer, answered) = oneshot::channel();
        match &mut *self.faults.lock().expect("no holder panics") {
            Some(wanted) => wanted.push(FaultWanted { wish, who, answer }),
            None => return Execution::refused(Refusal::NoNetwork),
        }
        self.outbox.notify();
        Execution::Pending(Box::pin(async move {
            match answered.await {
                Ok(Ok(answer)) => Ok(Outcome::Faults(answer)),
                Ok(Err(refusal)) => Err(refusal.into()),
                Err(_) => Err(Refusal::NoNetwork),
            }
        }))
    }
}

/// What of an answer belongs into the audit trail.
fn done(
    wish: &FaultWish,
    answer: &Result<FaultAnswer, FaultRefusal>,
) -> Option<(AuditKind, String)> {
    match (answer, wish) {
        (Ok(FaultAnswer::Injected(fault)), _) => {
            let subject = format!(
                "fault {}: {} at {}",
                fault.id,
                fault.kind.as_str(),
                fault.element
            );
            Some((AuditKind::FaultInjected, subject))
        }
        (Ok(FaultAnswer::Cleared), FaultWish::Clear { id }) => {
            Some((AuditKind::FaultCleared, format!("fault {id}")))
        }
        _ => None,
    }
}
