//! Clients of a node that does not lead are told who does, and sent away.
//!
//! Over SSH by a disconnect with the reason, over HTTP by 503; `/livez` is answered. Read next:
//! [`super::forward`].

use super::forward::{Forward, Leader, LeaderWatch};
use crate::host::{Host, Listening};
use crate::http::{HttpListener, HttpServing};
use crate::ssh::{SshListener, SshServing};
use std::sync::Arc;
use tokio_rustls::rustls::ServerConfig;

/// Sends the clients of a node away.
pub struct TurnedAway {
    leader: LeaderWatch,
    tls: Option<Arc<ServerConfig>>,
}

impl TurnedAway {
    /// With what is known of the leader; over TLS, if the HTTP server of this node speaks it.
    pub fn new(leader: LeaderWatch, tls: Option<Arc<ServerConfig>>) -> Self {
        Self { leader, tls }
    }

    fn reason(&self) -> impl Fn() -> String + Send + Sync + 'static {
        let leader = self.leader.clone();
        move || reason(leader.borrow().as_ref())
    }
}

fn reason(leader: Option<&Leader>) -> String {
    match leader {
        Some(Leader { node, .. }) => format!("this node stands by: {node} leads"),
        None => "this node stands by, and nobody leads at the moment".to_owned(),
    }
}

impl Forward for TurnedAway {
    fn ssh(&self, _: &Listening, listener: SshListener) -> SshServing {
        listener.turn_away(self.reason())
    }

    fn http(&self, listener: HttpListener) -> HttpServing {
        listener.turn_away(self.tls.clone(), self.reason())
    }

    fn leads(&self, _: Option<&Host>) {}
}
