//! Sessions of the console told and ended: one's own, and to administrators all.
//!
//! Decides whose they are to whom, puts on record who ends one, and has it ended. Read next: [`crate::console`], who keeps
//! them.

use crate::access::exec;
use crate::console::operation::{ConsoleSessionsOf, EndConsoleSession};
use crate::console::{ConsoleSession, ConsoleSessions};
use crate::operation::{Call, Execution, Operation, Query, Reader};
use crate::refusal::{NotAvailable, NotFound};
use crate::trail::by;
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::audit::AuditKind;
use domain::time::Timestamp;
use std::sync::Arc;

impl Engine {
    /// Says that a console is served: its sessions are listed and ended from now on. The first that is said counts.
    pub fn open_console(&self, sessions: Arc<dyn ConsoleSessions>) {
        let _ = self.console.set(sessions);
    }

    fn console_sessions_of(&self, who: &Principal) -> Vec<ConsoleSession> {
        // An agent has none: none is looked for.
        let served = self.console.get().filter(|_| !who.agent);
        let mut sessions = served.map(|served| served.all()).unwrap_or_default();
        sessions.retain(|session| is_shown(who, session));
        sessions.sort_by(|a, b| (&a.user, a.since, &a.id).cmp(&(&b.user, b.since, &b.id)));
        sessions
    }

    /// Ends a session; who wanted that is on record, whatever comes of it. One that the principal may not see is as none.
    fn end_console_session(
        &self,
        who: &Principal,
        id: String,
        now: Timestamp,
    ) -> Result<Execution<()>, Refusal> {
        let sessions = self.console_sessions_of(who);
        let session = sessions.into_iter().find(|session| session.id == id);
        let (Some(session), Some(served)) = (session, self.console.get()) else {
            return Err(NotFound::ConsoleSession { id }.into());
        };
        let subject = format!("session {id} of {}", session.user);
        self.audit(by(AuditKind::ConsoleSessionEnded, who).to(&subject), now);
        let ended = served.end(&id);
        Ok(Execution::later(async move {
            let ended = ended.await;
            ended.map_err(|why| NotAvailable::AttemptFailed { why }.into())
        }))
    }
}

/// An agent has none: the console is for users.
fn is_shown(who: &Principal, session: &ConsoleSession) -> bool {
    !who.agent && (who.is_administrator() || who.name == session.user)
}

impl Query for ConsoleSessionsOf {
    type Output = Vec<ConsoleSession>;

    /// Rights are those to each session.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        Ok(reader.engine.console_sessions_of(reader.who))
    }
}

impl Operation for EndConsoleSession {
    type Output = ();

    const WRITES: bool = false;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-usage", "end-console-session", false))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        let Call { who, now, .. } = call;
        call.engine.end_console_session(who, self.id, now)
    }
}
