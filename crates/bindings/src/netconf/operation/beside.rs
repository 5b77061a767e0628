//! Long work of an rpc, done beside the session: the reply follows in its turn.
//!
//! Knows nothing of the work. Read next: [`crate::background`], whose turn it is.

use crate::background::later;
use crate::netconf::answer::{Answer, Dispatch};
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::request_context::RequestContext;
use ::netconf::error::{ErrorPath, RpcError};
use engine::{Execution, Query};

/// Has work done beside the session, in the turn of who asks. `work` is told when nobody waits for it any more.
///
/// # Errors
/// `resource-denied`, app-tag `busy`, where too much of it waits; in the reply, where it was not done in its time.
pub(super) fn beside<T: Send + 'static>(
    cx: &RequestContext<'_>,
    path: ErrorPath,
    work: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static,
    answer: impl FnOnce(T, ErrorPath) -> Result<Answer, RpcError> + Send + 'static,
) -> Result<Dispatch, RpcError> {
    let done = later(&*cx.platform.background, &cx.who.name, work);
    let done = done.map_err(|_| error::busy(path.clone()))?;
    Ok(Dispatch::Later(Box::pin(async move {
        match done.await {
            Ok(done) => answer(done, path),
            Err(_) => Err(error::abandoned(path)),
        }
    })))
}

/// What the engine says at once, and work beside the session begins with; not asked where there would be no room for that.
///
/// # Errors
/// As of [`beside`], and what the engine refuses.
pub(super) fn asked<Q: Query<Output: Send + 'static>>(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    path: &ErrorPath,
    query: Q,
) -> Result<Q::Output, RpcError> {
    if !cx.platform.background.has_room(&cx.who.name) {
        return Err(error::busy(path.clone()));
    }
    match cx.platform.engine.execute(cx.who, query, cx.now) {
        Execution::Done(outcome) => outcome.map_err(|refusal| error::refused(&refusal, origin)),
        Execution::Pending(_) => unreachable!("a query is answered at once"),
    }
}
