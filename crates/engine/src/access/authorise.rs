//! Whether a principal may do something, by the rules in force; a denial is counted and on record.
//!
//! Read next: [`crate::access`], the rules in force; [`crate::trail::record`], where denials go.

use crate::operation::Operation;
use crate::refusal::Forbidden;
use crate::registry::Credential;
use crate::trail::words;
use crate::{Engine, Refusal};
use domain::access::{
    AccessRules, Action as Verdict, Decision, Detail, Principal, Request, Rows, Scope,
    TASK_NEGOTIATE,
};
use domain::time::Timestamp;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

impl Engine {
    /// Whether the principal may do this, by the rules in force.
    ///
    /// # Errors
    /// [`Forbidden::Denied`], which is counted.
    pub fn authorise(
        &self,
        who: &Principal,
        request: Request<'_>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let rules = self.access();
        let decision = rules.decide(who, request);
        match decision.action {
            Verdict::Permit => Ok(()),
            Verdict::Deny => Err(self.denied(who, words(request), decision, now)),
        }
    }

    fn denied(
        &self,
        who: &Principal,
        what: String,
        decision: Decision<'_>,
        now: Timestamp,
    ) -> Refusal {
        self.access.denials.fetch_add(1, Relaxed);
        self.audit_denial(who, &what, decision, now);
        Forbidden::Denied {
            user: who.name.clone(),
            what,
        }
        .into()
    }

    /// How many operations were denied since the start, over all protocols.
    pub fn denials(&self) -> u32 {
        self.access.denials.load(Relaxed)
    }

    /// True if the principal may ask for this. Nobody is denied anything by the question.
    pub fn may(&self, who: &Principal, operation: &impl Operation) -> bool {
        let rpc = operation.rpc();
        rpc.is_none_or(|request| self.access.permits(who, request))
    }

    /// Which records of a kind the principal may see whole.
    pub fn scope(&self, who: &Principal, rows: Rows) -> Scope {
        self.access().scope(who, rows, Detail::Whole)
    }

    /// Whether the principal may see any tasks.
    ///
    /// # Errors
    /// [`Forbidden::Denied`], which is counted.
    pub fn authorise_reading(&self, who: &Principal, now: Timestamp) -> Result<(), Refusal> {
        let rules = self.access();
        match rules.scope(who, Rows::Tasks, Detail::Whole) {
            Scope::Own | Scope::All => Ok(()),
            Scope::Nothing => {
                let decision = rules.decide(who, TASK_NEGOTIATE);
                Err(self.denied(who, "read tasks".to_owned(), decision, now))
            }
        }
    }

    /// True if the principal may know which agents there are, and what they take.
    pub fn may_read_agents(&self, who: &Principal) -> bool {
        let (module, path) = ("convoke-registry", &["registry", "agent"][..]);
        let node = Request::Read {
            module,
            path,
            guarded: false,
        };
        self.access.permits(who, node)
    }

    /// The access rules in force.
    pub fn access(&self) -> Arc<AccessRules> {
        self.access.rules()
    }

    /// Puts other access rules in force. What is asked from now on is held to them; so is what goes on,
    /// with its next word.
    pub fn set_access(&self, rules: AccessRules) {
        *self.access.rules.write().expect("no writer panics") = Arc::new(rules);
        // Standing rules may have got the rights that they lacked.
        self.policy.look_at_all();
    }

    /// The host knows other credentials than before: a standing rule may count again, or no more.
    pub fn credentials_changed(&self) {
        self.policy.look_at_all();
    }

    /// True if somebody of that name is let in as a user, whether or not an agent is registered under it.
    pub fn is_person(&self, name: &str) -> bool {
        self.registry.credential(name) == Some(Credential::User)
    }

    /// The principal that a verified user name stands for.
    pub fn principal(&self, user: &str) -> Principal {
        self.access().principal(user, self.registry.is_agent(user))
    }
}
