//! The one road of a request: authorised, within its user's share, carried out, and on record if it was
//! refused.
//!
//! Read next: [`crate::operation`], [`crate::access`], [`crate::accounts::quota`].

use crate::Engine;
use crate::failure::StoreFailure;
use crate::operation::{Call, Execution, Operation};
use domain::access::Principal;
use domain::time::Timestamp;
use store::Condition;

impl Engine {
    /// Asks for something in the name of a principal.
    ///
    /// A query is answered at once. What changes state is decided at once and answered after its commit
    /// is on disk; a synchronous task is answered when it is done, or when its time limit is over.
    pub fn execute<O: Operation>(
        &self,
        who: &Principal,
        operation: O,
        now: Timestamp,
    ) -> Execution<O::Output> {
        let rpc = operation.rpc();
        if let Some(request) = rpc
            && let Err(denied) = self.authorise(who, request, now)
        {
            return Execution::Done(Err(denied));
        }
        if O::WRITES && self.store.statistics().condition == Condition::Unreachable {
            return Execution::Done(Err(StoreFailure::Unreachable.into()));
        }
        if let Err(refusal) = self.has_room(who, operation.cost(), now) {
            self.audit_refusal(who, rpc, &refusal, now);
            return Execution::Done(Err(refusal));
        }
        self.hosting.agents.note_time(now);
        let execution = operation
            .run(Call::new(self, who, now))
            .unwrap_or_else(|refusal| Execution::Done(Err(refusal)));
        if let Execution::Done(Err(refusal)) = &execution {
            self.audit_refusal(who, rpc, refusal, now);
        }
        if O::STIRS_AGENTS {
            self.step_in_turn(now);
        }
        execution
    }
}
