//! `lock`, `unlock` and `kill-session` (RFC 6241 §7.5, §7.6, §7.9).
//!
//! There is one configuration, `running`, and nobody can write it; a lock keeps others from
//! locking, and shows in `netconf-state`.

use super::read::datastore_name;
use super::validation::check;
use crate::netconf::answer::Answer;
use crate::netconf::error;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::{ErrorInfo, ErrorPath, ErrorTag, RpcError};
use ::netconf::names::namespace::{BASE, NMDA};
use ::netconf::xml::XmlElement;
use std::sync::atomic::Ordering::Relaxed;

pub(super) fn lock(cx: &RequestContext<'_>, operation: XmlElement<'_>) -> Result<Answer, RpcError> {
    check(cx, operation)?;
    running(operation)?;
    match cx.platform.lock(cx.endpoint, cx.info.id, cx.now) {
        Ok(()) => Ok(Answer::Ok),
        Err(held) => Err(RpcError::protocol(ErrorTag::LockDenied)
            .path(ErrorPath::of(operation))
            .info(ErrorInfo::SessionId(held.session))
            .message(format!(
                "session {} holds the lock since {}",
                held.session, held.time
            ))),
    }
}

pub(super) fn unlock(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
) -> Result<Answer, RpcError> {
    check(cx, operation)?;
    running(operation)?;
    cx.platform
        .unlock(cx.endpoint, cx.info.id)
        .map(|()| Answer::Ok)
        .map_err(|held| {
            let error =
                RpcError::protocol(ErrorTag::OperationFailed).path(ErrorPath::of(operation));
            match held {
                Some(held) => error
                    .info(ErrorInfo::SessionId(held.session))
                    .message(format!("session {} holds the lock", held.session)),
                None => error.message("nobody holds the lock"),
            }
        })
}

/// The target must be `running`: there is nothing else to lock.
fn running(operation: XmlElement<'_>) -> Result<(), RpcError> {
    let target = operation
        .child(BASE, "target")
        .and_then(|t| t.children().next());
    match target {
        Some(datastore) if datastore.is(BASE, "running") => Ok(()),
        // RFC 8526 §3.2.1: the same by its identity.
        Some(datastore)
            if datastore.is(NMDA, "datastore") && datastore_name(datastore) == Some("running") =>
        {
            Ok(())
        }
        Some(other) => Err(error::invalid(
            other,
            "only the datastore 'running' can be locked",
        )),
        None => Err(error::missing(operation, "target")),
    }
}

pub(super) fn kill_session(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
) -> Result<Answer, RpcError> {
    check(cx, operation)?;
    let at = operation
        .child(BASE, "session-id")
        .ok_or_else(|| error::missing(operation, "session-id"))?;
    let id: u32 = at.trimmed_text().parse().unwrap_or(0);
    if id == cx.info.id {
        return Err(error::invalid(
            at,
            "a session cannot kill itself; use <close-session>",
        ));
    }
    let sessions = cx.platform.sessions(cx.endpoint);
    let victim = sessions
        .iter()
        .find(|s| s.id == id)
        .ok_or_else(|| error::invalid(at, format!("there is no session {id} here")))?;
    victim.killed_by.store(cx.info.id, Relaxed);
    victim.killed.notify_one();
    // Its locks are free at once (RFC 6241 §7.9), even if its transport takes a while to go.
    cx.platform.leave(id);
    Ok(Answer::Ok)
}
