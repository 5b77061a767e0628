//! Billing and sales: profiles of the business layer, so that others know whom a matter is for.
//!
//! There is nothing behind them here, and they say so: every task is refused with the reason, for a
//! yes would be a lie. Read next: [`crate::bss_tickets`].

use crate::context::{AgentContext, TaskExecutor};
use domain::agent::{Ask, Briefing, Input, Output};
use domain::content::Content;
use domain::reply::Reply;
use domain::time::{SeededRng, Timestamp};

/// An agent of the business layer that is a profile only.
#[derive(Debug)]
pub struct ProfileOnly {
    context: AgentContext,
}

impl ProfileOnly {
    fn refusal(&self, content: &Content) -> Reply {
        let alias = self.context.alias();
        let words = format!(
            "{alias} is a profile only: no system of that department is connected, so nothing would \
             be done; tell the customer whom to ask"
        );
        Reply::refused("profile-only", &content.target_object, words)
    }
}

impl TaskExecutor for ProfileOnly {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let context = AgentContext::open(&briefing, now);
        (Self { context }, Vec::new())
    }

    fn take(&mut self, _: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        Vec::new()
    }

    fn feasible(&self, content: &Content) -> Reply {
        self.refusal(content)
    }

    fn assigned(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        (self.refusal(&ask.content), Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use crate::office::started_as;
    use domain::content::Content;
    use domain::reply::Verdict;

    /// W4: what is a profile only says so.
    #[test]
    fn a_profile_without_a_system_refuses_and_says_why() {
        for role in ["billing", "sales"] {
            let mut agent = started_as(role);
            let asked = crate::bench::assign("t-1", Content::new("bill 7", "check it"));
            let outputs = agent.step(asked, crate::bench::at(1), &mut crate::bench::rng());
            let reply = crate::bench::answer(&outputs);
            assert_eq!(reply.verdict, Verdict::Refused);
            assert!(reply.reasons[0].message.starts_with(role));
        }
    }
}
