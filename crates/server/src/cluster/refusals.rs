//! Logins that this node refuses, for the audit trail, which the node that leads keeps.
//!
//! They wait until a leader has them, so many at most. Of those beyond that the number is told, as soon as something
//! can be. What may have arrived when a leader is lost is told to the next one as well: twice is better than
//! never. Read next: [`crate::trail`].

use super::channel::{ChannelBody, ChannelClient, uri, whole};
use super::http_forwarder::AUDIT_PATH;
use super::leader::LeaderWatch;
use crate::trail::Trail;
use domain::audit::{AuditEvent, AuditKind};
use hyper::{Method, Request, StatusCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tracing::{info, warn};

/// How many may wait to be told.
const WAITING: usize = 1_024;
/// The time between two attempts to tell one.
const AGAIN: Duration = Duration::from_millis(500);

/// A trail that tells the leader what this node refuses. What it admits, the leader records by itself. Must be
/// called inside a tokio runtime.
pub(super) fn trail(client: &Arc<ChannelClient>, leader: &LeaderWatch) -> Trail {
    let (waits, mut waiting) = mpsc::channel::<AuditEvent>(WAITING);
    let lost = Arc::new(AtomicU64::new(0));
    let mut telling = Telling {
        client: Arc::clone(client),
        leader: leader.clone(),
    };
    let untold = Arc::clone(&lost);
    tokio::spawn(async move {
        while let Some(event) = waiting.recv().await {
            telling.tell(&event).await;
            let count = untold.swap(0, Relaxed);
            if count > 0 {
                warn!(count, "{count} refused logins are not in the audit trail");
                telling.tell(&of_lost(count)).await;
            }
        }
    });
    Arc::new(move |event: AuditEvent| {
        if event.kind == AuditKind::LoginFailed {
            let (user, source) = (&event.user, &event.source);
            info!(user, "'{user}' at {source} is sent away: {}", event.reason);
            if waits.try_send(event).is_err() && lost.fetch_add(1, Relaxed) == 0 {
                warn!("more logins are refused than can wait for a node that leads");
            }
        }
    })
}

/// The event of others that did not wait.
fn of_lost(count: u64) -> AuditEvent {
    let reason = format!("and {count} more that did not wait for a node that leads");
    AuditEvent::new(AuditKind::LoginFailed, "").because(&reason)
}

struct Telling {
    client: Arc<ChannelClient>,
    leader: LeaderWatch,
}

impl Telling {
    /// Tells an event, as soon as somebody takes it.
    async fn tell(&mut self, event: &AuditEvent) {
        while !self.is_told(event).await {
            match timeout(AGAIN, self.leader.changed()).await {
                // Another leads, or the same is asked again.
                Ok(Ok(())) | Err(_) => {}
                // Nobody will.
                Ok(Err(_)) => return,
            }
        }
    }

    /// True if a leader has it, or cannot read it.
    async fn is_told(&mut self, event: &AuditEvent) -> bool {
        let known = self.leader.borrow_and_update().clone();
        let (Some(known), Ok(text)) = (known, serde_json::to_string(event)) else {
            return false;
        };
        let mut request: Request<ChannelBody> = Request::new(whole(text));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri(AUDIT_PATH);
        let status = match self.client.send(&known, request).await {
            Ok((response, _)) => response.status(),
            Err(_) => return false,
        };
        if status == StatusCode::BAD_REQUEST {
            warn!("a refused login is not in the audit trail: the node that leads cannot read it");
        }
        matches!(status, StatusCode::OK | StatusCode::BAD_REQUEST)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::channel::{Answering, ChannelServer, ChannelService, at_once, short};
    use super::super::identity::{ChannelIdentity, ClusterKey};
    use super::super::leader::Leader;
    use super::*;
    use hyper::Response;
    use hyper::body::Incoming;
    use std::sync::Mutex;
    use tokio::net::TcpListener;
    use tokio::sync::watch;

    /// Takes what it is told, but for the first of all.
    #[derive(Default)]
    struct Taking {
        asked: AtomicU64,
        taken: Arc<Mutex<Vec<AuditEvent>>>,
    }

    impl ChannelService for Taking {
        fn answer(self: Arc<Self>, request: Request<Incoming>, _: u64) -> Answering {
            if self.asked.fetch_add(1, Relaxed) == 0 {
                let mut response = Response::new(whole(""));
                *response.status_mut() = StatusCode::MISDIRECTED_REQUEST;
                return at_once(response);
            }
            Box::pin(async move {
                let text = short(request.into_body(), 1 << 20).await.unwrap();
                let event = serde_json::from_slice(&text).unwrap();
                self.taken.lock().unwrap().push(event);
                Response::new(whole(""))
            })
        }

        fn connection_ended(&self, _: u64) {}
    }

    fn refused(user: usize) -> AuditEvent {
        AuditEvent::new(AuditKind::LoginFailed, &format!("u{user}"))
    }

    #[tokio::test]
    async fn refusals_wait_for_a_leader_and_those_beyond_are_counted() {
        let identity = |node| ChannelIdentity::issue(&ClusterKey::new([7; 32]), node).unwrap();
        let leader = watch::Sender::new(None);
        let client = Arc::new(ChannelClient::new(identity("b")));
        let trail = trail(&client, &leader.subscribe());
        trail(refused(0));
        // It is under way from here on.
        tokio::task::yield_now().await;
        (1..=WAITING + 7).for_each(|user| trail(refused(user)));
        trail(AuditEvent::new(AuditKind::Login, "admitted"));
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let taking = Arc::new(Taking::default());
        let service = Arc::clone(&taking) as Arc<dyn ChannelService>;
        let _server = ChannelServer::start(socket, &identity("a"), service);
        leader.send_replace(Some(Leader {
            node: "a".to_owned(),
            address,
            epoch: 1,
        }));
        let all = async {
            while taking.taken.lock().unwrap().len() < WAITING + 2 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(60), all).await.unwrap();
        let taken = taking.taken.lock().unwrap();
        assert_eq!(taken[0], refused(0));
        assert_eq!(taken[1], of_lost(7));
        let rest: Vec<_> = (1..=WAITING).map(refused).collect();
        assert_eq!(taken[2..], rest);
    }
}
