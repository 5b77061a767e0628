//! Which events a principal is told, at which endpoint: NACM on the notification, and whom it concerns.
//!
//! Read next: [`crate::feed::stream`], what is followed.

use crate::feed::stream::Event;
use crate::{Endpoint, Engine};
use domain::access::{Detail, Principal, Request, Rows};
use domain::ems::News;
use domain::event::{Entry, LogEvent};
use domain::notification::{Notification, SchemaUpdate};

/// The name of a notification, behind its module.
type Named = (&'static str, &'static str);

impl Engine {
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

    /// True if the principal may be told of a task, now: it may see tasks at all, and this one.
    pub fn may_follow(&self, who: &Principal, from: &str, to: &str) -> bool {
        self.access
            .sight(who, Rows::Tasks, Detail::Whole)
            .shows(from, to)
    }

    fn concerns(&self, who: &Principal, endpoint: &Endpoint, entry: &Entry) -> bool {
        let at_platform = *endpoint == Endpoint::Platform;
        let elsewhere = |agent: &str| matches!(endpoint, Endpoint::Agent(own) if own != agent);
        match &entry.happening {
            LogEvent::Task(n) => is_open_to(who, &n.from, &n.to) && !elsewhere(&n.from),
            LogEvent::Negotiation(n) => {
                is_open_to(who, &n.publisher, &n.executor) && !elsewhere(&n.executor)
            }
            LogEvent::Agent(_) | LogEvent::Lead(_) => at_platform,
            LogEvent::Policy(update) => {
                at_platform && (who.is_administrator() || update.concerns(&who.name))
            }
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
        LogEvent::Lead(_) => ("convoke-cluster", "lead-moved"),
        LogEvent::Policy(_) => ("convoke-policy", "policy-update"),
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
