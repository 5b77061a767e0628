//! What serves the clients of a node for as long as it lives, and watches over them: whoever leads, it forwards.
//!
//! Read next: [`super::forwarding`].

use super::forwarding::Forwarding;
use crate::clock::Clock;
use crate::config::Settings;
use crate::host::{HttpServerError, Listening, Sockets};
use crate::http::HttpServing;
use crate::memory::{self, MemoryMeter};
use crate::revocation::{KeyHolders, Seen, watch_keys};
use crate::ssh::SshServing;
use crate::state::StateFolder;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// What serves the clients of a node.
pub(super) struct NodeListeners {
    _ssh: Vec<SshServing>,
    _http: Option<HttpServing>,
    watching: [JoinHandle<()>; 2],
}

impl Drop for NodeListeners {
    fn drop(&mut self) {
        self.watching.iter().for_each(JoinHandle::abort);
    }
}

impl NodeListeners {
    /// Opens them; `seen` are the keys in the folder before the first client is let in.
    ///
    /// # Errors
    /// [`HttpServerError`]
    pub(super) fn open(
        forwarding: &Forwarding,
        sockets: Sockets,
        (folder, settings): (&StateFolder, &Settings),
        (meter, seen): (MemoryMeter, Seen),
    ) -> Result<Self, HttpServerError> {
        let authenticator = forwarding.witnessed(sockets.known);
        let logins = sockets
            .ssh
            .first()
            .map(|(_, it)| Arc::clone(it.limiter().logins()));
        let logins = logins.expect("a platform has an endpoint");
        logins.heed(Arc::clone(forwarding.accounts()));
        let holders = KeyHolders {
            authenticator: Arc::clone(&authenticator),
            logins,
        };
        let serve =
            |(at, listener): (Listening, _)| forwarding.ssh(listener, at.endpoint, &authenticator);
        let ssh = sockets.ssh.into_iter().map(serve).collect();
        // Certificates are looked at by the time of day.
        let clock = Arc::new(Clock::wall());
        let http = |listener| forwarding.http(listener, &settings.http, folder, &clock);
        let short = forwarding.accounts().short_of_memory();
        Ok(Self {
            _ssh: ssh,
            _http: sockets.http.map(http).transpose()?,
            watching: [
                watch_keys(folder.clone(), seen, holders),
                memory::watch(meter, Arc::clone(short)),
            ],
        })
    }
}
