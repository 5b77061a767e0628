//! `commuType`: the verb of a message (draft-wang-nmrg-magent-im-00, Appendix A).
//!
//! Reads the draft's spellings, and guesses at no others. Read next: [`crate::content`].

use std::fmt;

/// The verbs of `task-negotiate`, in the draft's own spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Asks for capabilities and readiness to negotiate.
    CapabilityRequest,
    /// Assigns a task. Written `taskAssgin` in the draft; `taskAssign` is read as well.
    TaskAssign,
    /// Cancels a task.
    TaskCancel,
    /// Asks whether a task is feasible, before it is assigned (§5.3, 1).
    FeasibilityNegotiate,
    /// Answers and judges a task under way (§5.3, 2).
    FulfillmentNegotiate,
    /// Asks for the state and the result of a task.
    TaskResultQuery,
    /// Subscribes another receiver to a task's reports.
    TaskResultSubscribe,
    /// The executor's report.
    TaskResultNotify,
}

impl Verb {
    /// Every verb, for tables and tests.
    pub const ALL: [Verb; 8] = [
        Self::CapabilityRequest,
        Self::TaskAssign,
        Self::TaskCancel,
        Self::FeasibilityNegotiate,
        Self::FulfillmentNegotiate,
        Self::TaskResultQuery,
        Self::TaskResultSubscribe,
        Self::TaskResultNotify,
    ];

    /// The draft's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CapabilityRequest => "CapabilityRequest",
            Self::TaskAssign => "taskAssgin",
            Self::TaskCancel => "taskCancel",
            Self::FeasibilityNegotiate => "FeasibilityNegotiate",
            Self::FulfillmentNegotiate => "FulfillmentNegotiate",
            Self::TaskResultQuery => "taskResultQuery",
            Self::TaskResultSubscribe => "taskResultSubscribe",
            Self::TaskResultNotify => "taskResultNotify",
        }
    }

    /// The verb spelt `text`; `taskAssign` is the one spelling accepted beside the draft's.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "taskAssign" {
            return Some(Self::TaskAssign);
        }
        Self::ALL.into_iter().find(|v| v.as_str() == text)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
