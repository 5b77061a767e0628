//! Who may decide what, by the rights of this moment; asked of each user once.
//!
//! Rights are decided where they are for every operation: whoever may carry out what decides something, and is
//! the one that it asks for, may decide it. Read next: [`crate::access`].

use crate::Engine;
use crate::access::exec;
use domain::access::{Credential, Detail, Principal, Request, Rows, TASK_NEGOTIATE};
use domain::policy::{DecisionKind, PendingDecision, RuleVerdict, StandingRule};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

pub(super) const ADD_RULE: Request<'static> = exec("convoke-policy", "add-rule", true);

/// What one user may decide.
pub(super) struct UserRights {
    pub(super) who: Principal,
    credential: Option<Credential>,
    key_digest: Option<String>,
    adds_rules: bool,
    negotiates: bool,
    /// Sees what others have, as an administrator.
    speaks_for_others: bool,
    approves: bool,
    rejects: bool,
}

/// What users may decide, as it was when each was first asked about.
pub(super) struct Rights<'e> {
    engine: &'e Engine,
    users: RefCell<HashMap<String, Rc<UserRights>>>,
}

impl UserRights {
    pub(super) fn of(engine: &Engine, who: Principal) -> Self {
        let permits = |request| engine.access.permits(&who, request);
        let sight = engine.access.sight(&who, Rows::Tasks, Detail::Whole);
        Self {
            credential: engine.registry.credential(&who.name),
            key_digest: engine.registry.key_digest(&who.name),
            adds_rules: permits(ADD_RULE),
            negotiates: permits(TASK_NEGOTIATE),
            speaks_for_others: who.is_administrator() && sight.is_of_all(),
            approves: permits(exec("convoke-schema", "approve-patch", true)),
            rejects: permits(exec("convoke-schema", "reject-patch", true)),
            who,
        }
    }

    /// True if he may decide this.
    pub(super) fn may_decide(&self, pending: &PendingDecision) -> bool {
        self.may_decide_of(pending.decider.as_deref(), pending.subject.kind)
    }

    /// True if he may decide things of this kind that are asked of this user.
    pub(super) fn may_decide_of(&self, decider: Option<&str>, kind: DecisionKind) -> bool {
        match kind {
            DecisionKind::Patch => self.approves || self.rejects,
            _ => {
                let is_own = decider == Some(&self.who.name);
                self.negotiates && (is_own || self.decides_for_others(kind))
            }
        }
    }

    /// True if he may decide such things in place of whom they ask: an administrator who sees what others have, and
    /// not in a negotiation, in which nobody speaks for another.
    pub(super) fn decides_for_others(&self, kind: DecisionKind) -> bool {
        let speaks_alone = matches!(kind, DecisionKind::Feasibility | DecisionKind::Plan);
        self.speaks_for_others && !speaks_alone
    }

    /// True if he may execute what decides anything about tasks.
    pub(super) fn negotiates(&self) -> bool {
        self.negotiates
    }

    /// True if he may say this of it.
    fn may_say(&self, verdict: RuleVerdict, pending: &PendingDecision) -> bool {
        match (pending.subject.kind, verdict) {
            (DecisionKind::Patch, RuleVerdict::Accept) => self.approves,
            (DecisionKind::Patch, RuleVerdict::Reject) => self.rejects,
            _ => self.may_decide(pending),
        }
    }

    /// True if he may still have a rule, and is still who he was when he added it.
    fn backs(&self, rule: &StandingRule) -> bool {
        rule.credential == self.credential && rule.key_digest == self.key_digest && self.adds_rules
    }
}

impl Rights<'_> {
    /// What one user may decide.
    pub(super) fn of(&self, user: &str) -> Rc<UserRights> {
        if let Some(known) = self.users.borrow().get(user) {
            return Rc::clone(known);
        }
        let rights = UserRights::of(self.engine, self.engine.principal(user));
        let rights = Rc::new(rights);
        let mut users = self.users.borrow_mut();
        users.insert(user.to_owned(), Rc::clone(&rights));
        rights
    }

    /// True if a rule's author may still have one, and is still who he was.
    pub(super) fn back(&self, rule: &StandingRule) -> bool {
        self.of(&rule.key.author).backs(rule)
    }

    /// True if a rule may say this of a decision: by the rights of its author.
    pub(super) fn let_say(
        &self,
        rule: &StandingRule,
        verdict: RuleVerdict,
        pending: &PendingDecision,
    ) -> bool {
        let author = self.of(&rule.key.author);
        author.backs(rule) && author.may_say(verdict, pending)
    }
}

impl Engine {
    /// The rights of this moment.
    pub(super) fn rights(&self) -> Rights<'_> {
        Rights {
            engine: self,
            users: RefCell::default(),
        }
    }
}
