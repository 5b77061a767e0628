//! Asking how well it went: what was found about faults beside the truth, and a day that is played under two
//! policies.
//!
//! Whoever runs the simulated network answers ([`Referee`]). As all of the truth, it is for people alone, whatever
//! the access rules say. Refuses to know how anything is scored. Read next: [`crate::network::trial`], what is
//! told; [`crate::network::faults`].

pub(crate) mod request;

use crate::access::exec;
use crate::network::referee::request::RefereeRequest;
use crate::network::trial::{
    CompareDay, DayComparison, EndComparison, FaultJudgement, GetComparison, ScoreFaults,
};
use crate::operation::{Call, Execution, Operation};
use crate::refusal::{Forbidden, NotAvailable};
use crate::trail::by;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::audit::AuditKind;
use domain::time::Timestamp;
use tokio::sync::oneshot;

/// The most questions that wait between two steps of the network.
const WAITING_MOST: usize = 1_024;

/// Knows the truth about a simulated network, and plays days of one.
pub trait Referee {
    /// What was found about each fault that has begun; none if the record cannot be read.
    fn score(&mut self, now: Timestamp) -> Option<Vec<FaultJudgement>>;

    /// Begins to play a day twice; false if another comparison goes on.
    fn compare(&mut self, wanted: CompareDay) -> bool;

    /// The comparison that goes on, or else the last; none before the first.
    fn comparison(&mut self) -> Option<DayComparison>;

    /// Ends the one that goes on; false if none does.
    fn end_comparison(&mut self) -> bool;
}

impl Engine {
    /// Says that a simulated network has a referee here, who is asked from now on.
    pub fn open_to_referee(&self) {
        let mut waiting = self.network.referee.lock().expect("no holder panics");
        waiting.get_or_insert_default();
    }

    /// Has the questions answered that came since the last call; false if there were none. Which comparison began,
    /// and that one was ended, is in the audit trail, whether or not anybody still waits for the answer.
    pub fn serve_referee(&self, referee: &mut dyn Referee, now: Timestamp) -> bool {
        let requests = {
            let mut waiting = self.network.referee.lock().expect("no holder panics");
            waiting.as_mut().map(std::mem::take).unwrap_or_default()
        };
        let served = !requests.is_empty();
        let mut scored = None;
        // Whoever does not wait any more needs no answer.
        for request in requests {
            match request {
                RefereeRequest::Score(answer) if answer.is_closed() => {}
                // All who ask at once are told the same.
                RefereeRequest::Score(answer) => {
                    let told = scored.get_or_insert_with(|| referee.score(now));
                    let _ = answer.send(told.clone());
                }
                RefereeRequest::Compare(who, wanted, answer) => {
                    let begun = referee.compare(wanted);
                    if begun {
                        let subject = wanted.to_string();
                        self.audit(by(AuditKind::ComparisonBegun, &who).to(&subject), now);
                    }
                    let _ = answer.send(begun);
                }
                RefereeRequest::Look(answer) => {
                    let _ = answer.send(referee.comparison());
                }
                RefereeRequest::End(who, answer) => {
                    if referee.end_comparison() {
                        self.audit(by(AuditKind::ComparisonEnded, &who), now);
                    }
                    let _ = answer.send(());
                }
            }
        }
        served
    }

    /// Lets a question wait for whoever runs the network; `read` makes of its answer what is told.
    fn ask_referee<A: Send + 'static, T: Send + 'static>(
        &self,
        who: &Principal,
        request: impl FnOnce(oneshot::Sender<A>) -> RefereeRequest,
        read: impl FnOnce(A) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Execution<T>, Refusal> {
        if who.agent {
            let user = who.name.clone();
            return Err(Forbidden::Faults { user }.into());
        }
        let (answer, answered) = oneshot::channel();
        match &mut *self.network.referee.lock().expect("no holder panics") {
            Some(waiting) if waiting.len() >= WAITING_MOST => {
                return Err(NotAvailable::AttemptFailed {
                    why: "too many wait for the referee: try again".to_owned(),
                }
                .into());
            }
            Some(waiting) => waiting.push(request(answer)),
            None => return Err(NotAvailable::Network.into()),
        }
        self.commits.outbox.notify();
        Ok(Execution::later(async move {
            match answered.await {
                Ok(answer) => read(answer),
                Err(_) => Err(NotAvailable::Network.into()),
            }
        }))
    }
}

impl Operation for ScoreFaults {
    type Output = Vec<FaultJudgement>;

    const WRITES: bool = false;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-simulation", "score-faults", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Self::Output>, Refusal> {
        let read = |scored: Option<Self::Output>| {
            scored.ok_or_else(|| {
                let why = "the record of tasks cannot be read".to_owned();
                NotAvailable::AttemptFailed { why }.into()
            })
        };
        call.engine
            .ask_referee(call.who, RefereeRequest::Score, read)
    }
}

impl Operation for CompareDay {
    type Output = ();

    const WRITES: bool = false;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-simulation", "compare-day", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        let who = call.who.clone();
        let request = |answer| RefereeRequest::Compare(who, self, answer);
        call.engine
            .ask_referee(call.who, request, |begun| match begun {
                true => Ok(()),
                false => Err(NotAvailable::Comparing.into()),
            })
    }
}

impl Operation for GetComparison {
    type Output = Option<DayComparison>;

    const WRITES: bool = false;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-simulation", "get-comparison", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Self::Output>, Refusal> {
        call.engine.ask_referee(call.who, RefereeRequest::Look, Ok)
    }
}

impl Operation for EndComparison {
    type Output = ();

    const WRITES: bool = false;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-simulation", "end-comparison", true))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        let who = call.who.clone();
        let request = |answer| RefereeRequest::End(who, answer);
        call.engine.ask_referee(call.who, request, Ok)
    }
}
