//! `commuType`: the verb of a message (draft-wang-nmrg-magent-im-00, Appendix A).
//!
//! Reads the draft's spellings, and guesses at no others. Read next: [`crate::content`].

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The verbs of `task-negotiate`, in the draft's own spelling.
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "camelCase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Asks for capabilities and readiness to negotiate.
    #[strum(serialize = "CapabilityRequest")]
    CapabilityRequest,
    /// Do this. Written `taskAssgin` in the draft; `taskAssign` is read as well.
    #[strum(to_string = "taskAssgin", serialize = "taskAssign")]
    TaskAssign,
    /// Cancels a task.
    TaskCancel,
    /// Asks whether a task is feasible, before it is assigned (§5.3, 1).
    #[strum(serialize = "FeasibilityNegotiate")]
    FeasibilityNegotiate,
    /// Judgement and answers on a task under way (§5.3, 2).
    #[strum(serialize = "FulfillmentNegotiate")]
    FulfillmentNegotiate,
    /// Asks for the state and the result of a task.
    TaskResultQuery,
    /// Subscribes another receiver to a task's reports.
    TaskResultSubscribe,
    /// The executor's report.
    TaskResultNotify,
}

crate::named! {
    /// The draft's spelling.
    Verb
}
