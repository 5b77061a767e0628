//! The access rules in force, and what a principal sees by them.
//!
//! This is the one place where it is decided who may do, read and hear what, whatever protocol asks.
//! Three questions: may this be executed ([`authorise`], asked of every operation before anything is
//! looked at); which records may be seen ([`Access::sees`], [`Access::sight`]); which events are told
//! ([`receive`]). Bindings ask and obey; what they do beyond is to leave out nodes of NETCONF's data, by
//! a tree compiled from the same rules. What is not there and what is not the principal's are told
//! alike. Read next: `domain::access`, the rules.

pub(crate) mod authorise;
pub(crate) mod receive;

use crate::Refusal;
use crate::refusal::{Conflict, Field};
use domain::access::{AccessRules, Detail, Principal, Request, Rows, Scope};
use domain::task::{Task, TaskId};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, RwLock};

/// The access rules in force, and how often they denied something.
pub(crate) struct Access {
    rules: RwLock<Arc<AccessRules>>,
    /// How many operations were denied.
    denials: AtomicU32,
}

impl Access {
    /// The rules in force.
    pub(crate) fn rules(&self) -> Arc<AccessRules> {
        Arc::clone(&self.rules.read().expect("no writer panics"))
    }

    pub(crate) fn new(rules: AccessRules) -> Self {
        Self {
            rules: RwLock::new(Arc::new(rules)),
            denials: AtomicU32::new(0),
        }
    }

    /// True if the access rules let the principal do this.
    pub(crate) fn permits(&self, who: &Principal, request: Request<'_>) -> bool {
        self.rules().permits(who, request)
    }

    /// True if the principal may see a record of this kind between these two.
    pub(crate) fn sees(&self, who: &Principal, rows: Rows, from: &str, to: &str) -> bool {
        who.is_party(from, to) || self.rules().scope(who, rows, Detail::Whole) == Scope::All
    }

    pub(crate) fn sight<'w>(&self, who: &'w Principal, rows: Rows, detail: Detail) -> Sight<'w> {
        let scope = self.rules().scope(who, rows, detail);
        Sight { who, scope }
    }

    /// Why an identifier that is in use cannot be had: who may see what it is used for is told so.
    /// Others are told what they are told of identifiers that nobody uses and nobody can have.
    pub(crate) fn in_use(&self, who: &Principal, task: &TaskId, from: &str, to: &str) -> Refusal {
        match self.sees(who, Rows::Tasks, from, to) {
            true => Conflict::TaskExists { task: task.clone() }.into(),
            false => unobtainable(task),
        }
    }

    /// True if the principal may let patches out, and so see what waits for that.
    pub(crate) fn approves(&self, who: &Principal) -> bool {
        self.permits(who, exec("convoke-schema", "approve-patch", true))
    }
}

/// What a principal sees of a kind of records.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'w> {
    who: &'w Principal,
    scope: Scope,
}

impl Sight<'_> {
    /// True if it sees a record between these two.
    pub(crate) fn shows(self, from: &str, to: &str) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Own => self.who.is_party(from, to),
            Scope::Nothing => false,
        }
    }

    /// The same of a task.
    pub(crate) fn shows_task(self, task: &Task) -> bool {
        self.shows(&task.from, &task.to)
    }

    /// True if it sees the records of all parties.
    pub(crate) fn is_of_all(self) -> bool {
        self.scope == Scope::All
    }

    /// True if it sees none.
    pub(crate) fn is_of_none(self) -> bool {
        self.scope == Scope::Nothing
    }

    /// Who does not see all looks through its own, whomever it asks for.
    pub(crate) fn narrowest(self, party: Option<String>) -> Option<String> {
        match self.is_of_all() {
            true => party,
            false => Some(self.who.name.clone()),
        }
    }

    /// The principal.
    pub(crate) fn name(&self) -> &str {
        &self.who.name
    }
}

/// The answer for an identifier that cannot be had, be it in use by others or in the platform's own
/// form.
pub(crate) fn unobtainable(task: &TaskId) -> Refusal {
    Conflict::Unobtainable {
        field: Field::Task,
        id: task.to_string(),
    }
    .into()
}

/// An rpc; `guarded` as the module says: `nacm:default-deny-all`.
pub(crate) const fn exec(
    module: &'static str,
    rpc: &'static str,
    guarded: bool,
) -> Request<'static> {
    Request::Exec {
        module,
        rpc,
        guarded,
    }
}
