//! One SSH connection: handshake and authentication under a time limit, then its end.
//!
//! Requests on it are answered by `handler`; here it is admitted, watched,
//! and ended: by its peer, by the server, or because its key was revoked.

use super::handler::ConnectionHandler;
use super::logins::Login;
use super::service::Service;
use super::wire::{CutOnDrop, Socket, Wire};
use russh::Disconnect;
use russh::server::run_stream;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tracing::{debug, info};

/// Serves one connection until it ends.
pub(super) async fn run(
    tcp: TcpStream,
    address: SocketAddr,
    service: Arc<Service>,
    mut stopped: watch::Receiver<bool>,
    farewell: Duration,
) {
    let deadline = Instant::now() + service.limiter.limits().handshake;
    let socket = Socket::new(tcp, service.limiter.limits().keepalive);
    let _cut = CutOnDrop(Arc::clone(&socket));
    let admitted = tokio::select! {
        admitted = timeout_at(deadline, service.limiter.admit(address.ip(), &socket)) => admitted,
        _ = stopped.changed() => return,
    };
    let Ok(Some(admission)) = admitted else {
        debug!(ssh.address = %address, "connection from {address} refused");
        return;
    };
    let (login, mut logged_in) = watch::channel(None);
    let config = Arc::clone(&service.config);
    let source = service.limiter.share_of_source(address.ip());
    let bytes_max = service.limiter.limits().unauthenticated_bytes_max;
    let handler = ConnectionHandler::new(service, address, admission, &socket, login);
    let wire = Wire::of_stranger(Arc::clone(&socket), source, bytes_max);
    let begun = tokio::select! {
        begun = timeout_at(deadline, run_stream(config, wire, handler)) => begun,
        _ = stopped.changed() => return,
    };
    let Ok(Ok(mut session)) = begun else {
        debug!(ssh.address = %address, "{address} did not begin to speak SSH");
        return;
    };
    let handle = session.handle();
    let goodbye = |why: &'static str| {
        let told = handle.disconnect(Disconnect::ByApplication, why.into(), String::new());
        async move { drop(told.await) }
    };
    let outcome = tokio::select! {
        outcome = &mut session => outcome,
        () = counts_no_more(logged_in.clone()) => {
            info!(ssh.address = %address, "a key of {address} was taken away: it is sent away");
            let _ = timeout(farewell, async { goodbye("the key was taken away").await; (&mut session).await }).await;
            socket.cut();
            return;
        }
        () = overdue(deadline, &mut logged_in) => {
            debug!(ssh.address = %address, "{address} did not authenticate in time");
            socket.cut();
            session.await
        }
        () = socket.closing.notified() => {
            // We have said the last word; the peer has a moment to hang up.
            let ended = timeout(farewell, &mut session).await;
            socket.cut();
            match ended { Ok(outcome) => outcome, Err(_) => session.await }
        }
        _ = stopped.changed() => {
            let _ = timeout(farewell, async { goodbye("the server is closing").await; (&mut session).await }).await;
            return;
        }
    };
    if let Err(error) = outcome {
        debug!(ssh.address = %address, %error, "connection from {address} ended");
    }
}

/// Completes once the key with which the peer has authenticated is revoked.
async fn counts_no_more(mut logged_in: watch::Receiver<Option<Login>>) {
    let login = match logged_in.wait_for(Option::is_some).await {
        Ok(login) => login.clone(),
        Err(_) => None,
    };
    match login {
        Some(mut login) => login.over().await,
        None => std::future::pending().await,
    }
}

/// Completes at `deadline` if the peer has not authenticated, else never.
async fn overdue(deadline: Instant, logged_in: &mut watch::Receiver<Option<Login>>) {
    sleep_until(deadline).await;
    if logged_in.borrow().is_some() {
        std::future::pending::<()>().await;
    }
}
