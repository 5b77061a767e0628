//! What is wanted of whoever looks at the cards of A2A agents.
//!
//! Read next: [`crate::registry::introduction`].

use crate::Refusal;
use crate::registry::operation::{IntroduceAgent, Registered};
use domain::access::Principal;
use std::sync::OnceLock;
use tokio::sync::{mpsc, oneshot};

/// Somebody wants an agent registered by its card; whoever looks at cards answers.
#[derive(Debug)]
pub struct IntroductionWanted {
    /// Who.
    pub who: Principal,
    /// Whom, and what is said of it.
    pub introduction: IntroduceAgent,
    /// What came of it.
    pub answer: oneshot::Sender<Result<Registered, Refusal>>,
}

/// Who looks at cards, once somebody does.
pub(crate) type Introductions = OnceLock<mpsc::Sender<IntroductionWanted>>;
