//! `commuType`: what a message asks for (draft-wang-nmrg-magent-im-00, Appendix A).
//!
//! Knows the draft's spellings; refuses to guess at others. Read next: [`crate::content`].

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The verbs of `task-negotiate`, in the draft's own spelling.
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "camelCase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// What can you do, and negotiate?
    #[strum(serialize = "CapabilityRequest")]
    CapabilityRequest,
    /// Do this. Written `taskAssgin` in the draft; `taskAssign` is read as well.
    #[strum(to_string = "taskAssgin", serialize = "taskAssign")]
    TaskAssign,
    /// Stop doing this.
    TaskCancel,
    /// Could you do this? Asked before a task is assigned (§5.3, 1).
    #[strum(serialize = "FeasibilityNegotiate")]
    FeasibilityNegotiate,
    /// Judgement and answers on a task under way (§5.3, 2).
    #[strum(serialize = "FulfillmentNegotiate")]
    FulfillmentNegotiate,
    /// How is the task, and what came of it?
    TaskResultQuery,
    /// Tell me of its changes elsewhere.
    TaskResultSubscribe,
    /// The executor's report.
    TaskResultNotify,
}

crate::named! {
    /// The draft's spelling.
    Verb
}
