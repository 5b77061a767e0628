//! `task-negotiate` (draft-wang §5.2): one message about a task, as a protocol has read it, and the
//! reply to it; `form-team` of module convoke-registry, who does a task together (§4.1).
//!
//! Read next: [`crate::tasks::negotiate`], which carries out the one verb by verb, and
//! [`crate::tasks::team`], which carries out the other.

use crate::Refusal;
use crate::operation::{Call, Cost, ENTRY_BYTES, Execution, Operation};
use crate::tasks::message::{Negotiate, Negotiated};
use domain::access::{Request, TASK_NEGOTIATE};
use domain::verb::Verb;

impl Operation for Negotiate {
    type Output = Negotiated;
    const STIRS_AGENTS: bool = true;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(TASK_NEGOTIATE)
    }

    fn cost(&self) -> Option<Cost> {
        let said = self.said();
        let written = match self.verb {
            // Who takes something back writes nothing, unless he says something with it.
            Verb::TaskCancel if said == 0 => return None,
            // What is only asked is on record all the same.
            Verb::CapabilityRequest | Verb::TaskResultQuery | Verb::TaskResultSubscribe => {
                said + ENTRY_BYTES
            }
            _ => said,
        };
        Some(Cost {
            said: written,
            written,
            // What is said of something under way begins nothing: its end gives back what it holds.
            begins: matches!(self.verb, Verb::TaskAssign | Verb::FeasibilityNegotiate),
        })
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Negotiated>, Refusal> {
        call.engine.negotiate(call.who, self, call.now)
    }
}
