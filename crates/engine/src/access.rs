//! The one place where it is decided who may do, read and hear what, whatever protocol asks.
//!
//! Three questions: may this be executed ([`Engine::authorise`], asked once more of every
//! [`Operation`] before anything is looked at); which records may be seen ([`Access::sees`],
//! [`Engine::scope`]); which events are told ([`Engine::receives`]). Bindings ask and obey; what they
//! do beyond is to leave out nodes of NETCONF's data, by a tree compiled from the same rules. What is
//! not there and what is not the principal's are told alike. Read next: `domain::access`, the rules.

use crate::feed::stream::Event;
use crate::operation::{Endpoint, Operation, Reader, exec};
use crate::refusal::{Conflict, Field, Forbidden};
use crate::trail::words;
use crate::{Engine, Refusal};
use domain::access::{
    AccessRules, Action as Verdict, Decision, Detail, Principal, Request, Rows, Scope,
    TASK_NEGOTIATE,
};
use domain::ems::News;
use domain::event::{Entry, LogEvent};
use domain::notification::{Notification, SchemaUpdate};
use domain::task::{Task, TaskId};
use domain::time::Timestamp;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, RwLock};

/// The name of a notification, behind its module.
type Named = (&'static str, &'static str);

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

    /// True if the principal may be told of a task, now: it may see tasks at all, and this one.
    pub fn may_follow(&self, who: &Principal, from: &str, to: &str) -> bool {
        self.access
            .sight(who, Rows::Tasks, Detail::Whole)
            .shows(from, to)
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

    /// True if the principal may receive the event at an endpoint: NACM on the notification, and
    /// being party to it where it is an agent.
    ///
    /// An agent's own endpoint tells of the tasks that the agent executes; the platform's tells of
    /// all, and of sessions; a management system's of what reaches it, to those whom it lets in.
    pub fn receives(&self, who: &Principal, endpoint: &Endpoint, told: &Event) -> bool {
        let (concerns, (module, name)) = match (told, endpoint) {
            (Event::Logged(entry), _) => (self.concerns(who, endpoint, entry), logged(entry)),
            (Event::Reported(report), Endpoint::Ems(own)) => {
                let news = &report.news;
                (self.is_told(who, *own, news), reported(news))
            }
            (Event::Reported(_), _) => return false,
        };
        concerns && self.access.permits(who, notification(module, name))
    }

    /// True if whoever published a task may have its reports sent on.
    pub fn receives_reports(&self, publisher: &Principal, change: &Notification) -> bool {
        let (module, name) = CONDITION;
        is_open_to(publisher, &change.from, &change.to)
            && self.access.permits(publisher, notification(module, name))
    }

    fn concerns(&self, who: &Principal, endpoint: &Endpoint, entry: &Entry) -> bool {
        let at_platform = *endpoint == Endpoint::Platform;
        let elsewhere = |agent: &str| matches!(endpoint, Endpoint::Agent(own) if own != agent);
        match &entry.happening {
            LogEvent::Task(n) => is_open_to(who, &n.from, &n.to) && !elsewhere(&n.from),
            LogEvent::Negotiation(n) => {
                is_open_to(who, &n.publisher, &n.executor) && !elsewhere(&n.executor)
            }
            LogEvent::Agent(_) => at_platform,
            LogEvent::Schema(update) => at_platform && self.sees_schema(who, update),
            // The trail is read, not told.
            LogEvent::Audit(_) => false,
            LogEvent::SessionStarted { username, .. } | LogEvent::SessionEnded { username, .. } => {
                at_platform && is_open_to(who, username, username)
            }
        }
    }

    /// A client's own patches are told to that client, what administrators did to them alone.
    fn sees_schema(&self, who: &Principal, update: &SchemaUpdate) -> bool {
        let client = update.client.as_ref();
        let own = client.is_none_or(|client| *client == who.name);
        (own && !update.change.is_internal()) || self.access.approves(who)
    }

    /// The access rules in force.
    pub fn access(&self) -> Arc<AccessRules> {
        self.access.rules()
    }

    /// Puts other access rules in force. What is asked from now on is held to them; so is what goes on,
    /// with its next word.
    pub fn set_access(&self, rules: AccessRules) {
        *self.access.rules.write().expect("no writer panics") = Arc::new(rules);
    }

    /// The principal that a verified user name stands for.
    pub fn principal(&self, user: &str) -> Principal {
        self.access().principal(user, self.registry.is_agent(user))
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

/// Whoever may receive a notification receives all of them, but an agent only those that it is party
/// to.
fn is_open_to(who: &Principal, from: &str, to: &str) -> bool {
    !who.agent || who.is_party(from, to)
}

const CONDITION: Named = ("irtf-agent", "condition-notifications");

fn notification(module: &'static str, name: &'static str) -> Request<'static> {
    Request::Notification {
        module,
        name,
        guarded: false,
    }
}

/// The notification that an entry of the log is.
fn logged(entry: &Entry) -> Named {
    match &entry.happening {
        LogEvent::Task(_) => CONDITION,
        LogEvent::Negotiation(_) => ("convoke-negotiation", "negotiation-update"),
        LogEvent::Agent(_) => ("convoke-registry", "agent-update"),
        LogEvent::Schema(_) => ("convoke-schema", "schema-update"),
        LogEvent::Audit(_) => ("convoke-audit", "get-audit"),
        LogEvent::SessionStarted { .. } => ("ietf-netconf-notifications", "netconf-session-start"),
        LogEvent::SessionEnded { .. } => ("ietf-netconf-notifications", "netconf-session-end"),
    }
}

/// The notification that tells what a management system has to tell.
pub fn reported(of: &News) -> Named {
    match of {
        News::Alarm(_) => ("ietf-alarms", "alarm-notification"),
        News::Period { .. } => ("convoke-ems", "performance-report"),
        News::Field(_) => ("convoke-ems", "field-report"),
        News::Complaint(_) => ("convoke-ems", "customer-complaint"),
        News::Ticket(_) => ("convoke-ems", "customer-ticket"),
        News::CustomerAnswered { .. } => ("convoke-ems", "customer-answer"),
    }
}

impl<'e, Q> Reader<'e, Q> {
    /// Which records of a kind the query may show.
    pub(crate) fn sight(&self, rows: Rows) -> Sight<'e> {
        self.engine.access.sight(self.who, rows, self.detail)
    }
}
