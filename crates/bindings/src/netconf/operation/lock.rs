//! `lock`, `unlock` and `kill-session` (RFC 6241 §7.5, §7.6, §7.9).
//!
//! There is one configuration, `running`, and nobody can write it; a lock keeps others from
//! locking, and shows in `netconf-state`.

use super::read::datastore_name;
use super::{Answer, check};
use crate::netconf::error;
use crate::netconf::session::Scene;
use ::netconf::error::{ErrorInfo, ErrorPath, ErrorTag, RpcError};
use ::netconf::names::namespace::{BASE, NMDA};
use ::netconf::xml::Element;
use std::sync::atomic::Ordering::Relaxed;

pub(super) fn lock(scene: &Scene<'_>, operation: Element<'_>) -> Result<Answer, RpcError> {
    check(scene, operation)?;
    running(operation)?;
    match scene
        .platform
        .lock(scene.endpoint, scene.info.id, scene.now)
    {
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

pub(super) fn unlock(scene: &Scene<'_>, operation: Element<'_>) -> Result<Answer, RpcError> {
    check(scene, operation)?;
    running(operation)?;
    scene
        .platform
        .unlock(scene.endpoint, scene.info.id)
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
fn running(operation: Element<'_>) -> Result<(), RpcError> {
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

pub(super) fn kill_session(scene: &Scene<'_>, operation: Element<'_>) -> Result<Answer, RpcError> {
    check(scene, operation)?;
    let at = operation
        .child(BASE, "session-id")
        .ok_or_else(|| error::missing(operation, "session-id"))?;
    let id: u32 = at.trimmed_text().parse().unwrap_or(0);
    if id == scene.info.id {
        return Err(error::invalid(
            at,
            "a session cannot kill itself; use <close-session>",
        ));
    }
    let sessions = scene.platform.sessions(scene.endpoint);
    let victim = sessions
        .iter()
        .find(|s| s.id == id)
        .ok_or_else(|| error::invalid(at, format!("there is no session {id} here")))?;
    victim.killed_by.store(scene.info.id, Relaxed);
    victim.killed.notify_one();
    // Its locks are free at once (RFC 6241 §7.9), even if its transport takes a while to go.
    scene.platform.leave(id);
    Ok(Answer::Ok)
}
