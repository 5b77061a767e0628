//! The requests of one SSH connection: authentication, channels, and the subsystem.
//!
//! Only `publickey` authenticates and only the subsystem `netconf` is served; every other request
//! is refused at once. Sessions run in a `JoinSet` owned by the handler, so that they end with the
//! connection: a writer that waits for the peer's window would otherwise never notice that the peer
//! is gone. Read next: `connection`, which limits its time.

use super::algorithms::WINDOW_BYTES;
use super::authentication::Attempt;
use super::channel::{ChannelBytes, SUBSYSTEM};
use super::entry::{self, fingerprint};
use super::limiter::{AdmissionPermit, SessionPermit};
use super::logins::{Login, Place, UserSession};
use super::service::Service;
use super::stream::{ByteStream, HangUp, SshPeer};
use super::throttle::Throttle;
use super::wire::Socket;
use russh::keys::ssh_key::public::KeyData;
use russh::keys::{Algorithm, PublicKey};
use russh::server::{
    Auth, ChannelOpenHandle, Handle, Handler, Msg, PublicKeyOffer, Response, Session,
    VerifiedPublicKey,
};
use russh::{Channel, ChannelId, ChannelOpenFailure, Disconnect, MethodKind, MethodSet, Pty};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tracing::{error, info};

/// The smallest window after which the library asks again.
const TRICKLE_BYTES: u32 = 2;
/// The interval between two such windows.
const TRICKLE: Duration = Duration::from_millis(20);
/// The most refused requests of one connection, other than the subsystem's.
const REFUSED_REQUESTS_MAX: u32 = 64;
/// The longest time that a session may go on after its channel is closed by the peer.
const AFTER_CLOSE: Duration = Duration::from_secs(5);

/// A session beyond the first of a connection, counted in the gate and for its user.
type Further = (SessionPermit, UserSession);

/// The handler of one connection.
pub(super) struct ConnectionHandler {
    service: Arc<Service>,
    address: SocketAddr,
    number: u64,
    socket: Arc<Socket>,
    admission: Option<AdmissionPermit>,
    /// The login, once the peer has authenticated.
    login: watch::Sender<Option<Login>>,
    principal: Option<(String, KeyData)>,
    /// The permit of this connection, and with it of its first channel.
    permit: Option<SessionPermit>,
    /// The same for its user.
    place: Option<Place>,
    /// The name, and the key or the method, that were refused last; none after a success.
    turned_away: Option<(String, String)>,
    refused_requests: u32,
    /// Channels that have not yet asked for the subsystem.
    opened: Vec<(Channel<Msg>, Option<Further>)>,
    running: Vec<(ChannelId, AbortHandle, Throttle)>,
    /// The number of running sessions.
    sharing: Arc<AtomicUsize>,
    sessions: JoinSet<()>,
}

impl ConnectionHandler {
    pub(super) fn new(
        service: Arc<Service>,
        address: SocketAddr,
        admission: AdmissionPermit,
        socket: &Arc<Socket>,
        login: watch::Sender<Option<Login>>,
    ) -> Self {
        Self {
            service,
            address,
            number: admission.number(),
            socket: Arc::clone(socket),
            admission: Some(admission),
            login,
            principal: None,
            permit: None,
            place: None,
            turned_away: None,
            refused_requests: 0,
            opened: Vec::new(),
            running: Vec::new(),
            sharing: Arc::default(),
            sessions: JoinSet::new(),
        }
    }

    fn recognise(&self, user: &str, key: &PublicKey, algorithm: &Algorithm) -> Option<String> {
        // RFC 8332: a signature named `ssh-rsa` is made with SHA-1.
        if *algorithm == (Algorithm::Rsa { hash: None }) {
            return None;
        }
        self.service.authenticator.authenticate(user, key)
    }

    /// A rejection that still offers `publickey`.
    fn reject(&mut self, user: &str, shown: impl Into<String>) -> Auth {
        self.turned_away = Some((user.to_owned(), shown.into()));
        if let Some(admission) = &mut self.admission {
            admission.failed();
        }
        Auth::Reject {
            proceed_with_methods: Some(publickey()),
            partial_success: false,
        }
    }

    /// Reports the outcome of an attempt to authenticate.
    fn tell(&self, user: &str, shown: &str, refused: Option<&'static str>) {
        self.service.authenticator.attempted(&Attempt {
            user: user.to_owned(),
            shown: shown.to_owned(),
            address: self.address.ip(),
            refused,
        });
    }

    /// Counts one more session on this connection, unless there are too many.
    fn further(&self) -> Option<Further> {
        if self.service.limiter.logins().is_short() {
            return None;
        }
        let session = self.place.as_ref()?.another().ok()?;
        Some((self.service.limiter.session()?, session))
    }

    /// Removes ended sessions.
    fn reap(&mut self) {
        while self.sessions.try_join_next().is_some() {}
        self.running
            .retain(|(_, session, _)| !session.is_finished());
    }

    /// Refuses a request on a channel. The library queues requests of a channel that is not read
    /// yet and would finally block: so there is a limit.
    fn refuse(&mut self, channel: ChannelId, session: &mut Session) -> Result<(), russh::Error> {
        self.refused_requests += 1;
        if self.refused_requests > REFUSED_REQUESTS_MAX {
            return Err(russh::Error::RequestDenied);
        }
        session.channel_failure(channel)
    }

    /// Checks that the channel has a subsystem; data on one without is a violation, for the same
    /// reason.
    fn expect_served(&self, channel: ChannelId) -> Result<(), russh::Error> {
        match self.opened.iter().any(|(opened, _)| opened.id() == channel) {
            true => Err(russh::Error::Inconsistent),
            false => Ok(()),
        }
    }

    fn start(&mut self, channel: Channel<Msg>, permit: Option<Further>, handle: Handle) {
        let id = channel.id();
        let (principal, key) = self
            .principal
            .clone()
            .expect("channels open behind authentication");
        let login = self.place.as_ref().map(Place::login);
        let peer = SshPeer {
            principal,
            address: self.address,
            connection: self.number,
            key: PublicKey::from(key),
            login: login.expect("channels open behind authentication"),
        };
        let last = handle.clone();
        let stream = ChannelBytes::new(channel.into_stream(), move |stream| {
            tokio::spawn(async move {
                // OpenSSH's `ssh -s` ends with this status, without it with 255.
                let _ = handle.exit_status_request(id, 0).await;
                drop(stream); // sends SSH_MSG_CHANNEL_CLOSE
            });
        });
        let throttle = Throttle::default();
        let stream = ByteStream::new(stream).cut_by(self.cutter());
        let hang_up = HangUp::default();
        let stream = stream.throttled_by(throttle.clone());
        let stream = stream.hung_up_by(hang_up.clone());
        let session = self.service.subsystem.serve(stream, peer);
        let watch = SessionWatch {
            address: self.address,
            sharing: Arc::clone(&self.sharing),
            _permit: permit,
        };
        self.sharing.fetch_add(1, Ordering::AcqRel);
        let task = self.sessions.spawn(async move {
            session.await;
            if hang_up.is_set() && watch.is_last() {
                let why = "the session was ended".to_owned();
                let told = last.disconnect(Disconnect::ByApplication, why, String::new());
                drop(told.await);
            }
        });
        self.running.push((id, task, throttle));
    }

    fn is_throttled(&self) -> bool {
        self.running.iter().any(|(.., throttle)| throttle.is_on())
    }

    /// A function that shuts the connection down, unless another session still runs on it.
    fn cutter(&self) -> impl FnOnce() + Send + 'static {
        let (socket, sharing) = (Arc::clone(&self.socket), Arc::clone(&self.sharing));
        move || {
            if sharing.load(Ordering::Acquire) == 1 {
                socket.cut();
            }
        }
    }
}

fn publickey() -> MethodSet {
    MethodSet::from(&[MethodKind::PublicKey][..])
}

/// Counts a connection without a successful authentication as one failed login, however many keys
/// were tried.
impl Drop for ConnectionHandler {
    fn drop(&mut self) {
        if let Some((user, shown)) = self.turned_away.take() {
            self.tell(&user, &shown, Some("no key that counts under this name"));
        }
    }
}

impl Handler for ConnectionHandler {
    type Error = russh::Error;

    async fn auth_password(&mut self, user: &str, _: &str) -> Result<Auth, Self::Error> {
        Ok(self.reject(user, "password"))
    }

    async fn auth_keyboard_interactive<'a>(
        &'a mut self,
        user: &str,
        _: &str,
        _: Option<Response<'a>>,
    ) -> Result<Auth, Self::Error> {
        Ok(self.reject(user, "keyboard-interactive"))
    }

    async fn auth_publickey_offered(
        &mut self,
        user: &str,
        offer: PublicKeyOffer<'_>,
    ) -> Result<Auth, Self::Error> {
        match self.recognise(user, offer.public_key, offer.algorithm) {
            Some(_) => Ok(Auth::Accept),
            None => Ok(self.reject(user, fingerprint(offer.public_key.key_data()))),
        }
    }

    async fn auth_publickey(
        &mut self,
        user: &str,
        key: VerifiedPublicKey<'_>,
    ) -> Result<Auth, Self::Error> {
        match self.recognise(user, key.public_key, key.algorithm) {
            Some(principal) => {
                self.principal = Some((principal, key.public_key.key_data().clone()));
                Ok(Auth::Accept)
            }
            None => Ok(self.reject(user, fingerprint(key.public_key.key_data()))),
        }
    }

    async fn auth_succeeded(&mut self, session: &mut Session) -> Result<(), Self::Error> {
        if let Some(admission) = self.admission.take() {
            admission.excuse();
        }
        let (user, key) = self
            .principal
            .as_ref()
            .expect("set when a key was accepted");
        let (limiter, authenticator) = (&self.service.limiter, &self.service.authenticator);
        let why = match entry::enter(limiter, authenticator.as_ref(), user, key) {
            Ok((permit, place)) => {
                self.turned_away = None;
                self.tell(user, &fingerprint(key), None);
                self.socket
                    .authenticated(self.service.limiter.share_of(user));
                self.login.send_replace(Some(place.login()));
                (self.permit, self.place) = (Some(permit), Some(place));
                return Ok(());
            }
            Err(why) => why,
        };
        self.turned_away = None;
        self.tell(user, &fingerprint(key), Some(why));
        info!(ssh.address = %self.address, user, "{why}: '{user}' at {} is sent away", self.address);
        // Not marked as authenticated, so the handshake's limit still holds.
        session.disconnect(Disconnect::TooManyConnections, why, "")
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), Self::Error> {
        self.reap();
        let open = self.opened.len() + self.running.len();
        let permit = match open {
            0 => None,
            _ => self.further(),
        };
        let exhausted = open > 0 && permit.is_none();
        if self.permit.is_none() || exhausted || open >= self.service.limiter.limits().channels_max
        {
            reply.reject(ChannelOpenFailure::ResourceShortage).await;
        } else {
            self.opened.push((channel, permit));
            reply.accept().await;
        }
        Ok(())
    }

    async fn subsystem_request(
        &mut self,
        id: ChannelId,
        name: &str,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        let opened = self
            .opened
            .iter()
            .position(|(channel, _)| channel.id() == id);
        match opened {
            Some(position) if name == SUBSYSTEM => {
                session.channel_success(id)?;
                let (channel, permit) = self.opened.swap_remove(position);
                self.start(channel, permit, session.handle());
                Ok(())
            }
            _ => self.refuse(id, session),
        }
    }

    async fn channel_close(&mut self, id: ChannelId, _: &mut Session) -> Result<(), Self::Error> {
        self.opened.retain(|(channel, _)| channel.id() != id);
        self.reap();
        let session = self.running.iter().find(|(running, ..)| *running == id);
        if let Some((_, session, _)) = session.cloned() {
            self.sessions.spawn(async move {
                tokio::time::sleep(AFTER_CLOSE).await;
                session.abort();
            });
        }
        Ok(())
    }

    /// Opens the window of a peer again, as a whole or, while its input is not taken, by the
    /// smallest amount that the library allows: a window of two bytes, which keeps the peer nearly
    /// silent and makes the library ask again.
    fn adjust_window(&mut self, _: ChannelId, _: u32) -> u32 {
        match self.is_throttled() {
            true => TRICKLE_BYTES,
            false => WINDOW_BYTES,
        }
    }

    async fn data(
        &mut self,
        channel: ChannelId,
        data: &[u8],
        _: &mut Session,
    ) -> Result<(), Self::Error> {
        if data.len() <= TRICKLE_BYTES as usize && self.is_throttled() {
            tokio::time::sleep(TRICKLE).await;
        }
        self.expect_served(channel)
    }

    async fn extended_data(
        &mut self,
        channel: ChannelId,
        _: u32,
        _: &[u8],
        _: &mut Session,
    ) -> Result<(), Self::Error> {
        self.expect_served(channel)
    }

    async fn pty_request(
        &mut self,
        channel: ChannelId,
        _: &str,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        _: &[(Pty, u32)],
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.refuse(channel, session)
    }

    async fn x11_request(
        &mut self,
        channel: ChannelId,
        _: bool,
        _: &str,
        _: &str,
        _: u32,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.refuse(channel, session)
    }

    async fn env_request(
        &mut self,
        channel: ChannelId,
        _: &str,
        _: &str,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.refuse(channel, session)
    }

    async fn shell_request(
        &mut self,
        channel: ChannelId,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.refuse(channel, session)
    }

    async fn exec_request(
        &mut self,
        channel: ChannelId,
        _: &[u8],
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.refuse(channel, session)
    }

    async fn window_change_request(
        &mut self,
        channel: ChannelId,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.refuse(channel, session)
    }

    async fn agent_request(&mut self, _: ChannelId, _: &mut Session) -> Result<bool, Self::Error> {
        self.refused_requests += 1;
        match self.refused_requests > REFUSED_REQUESTS_MAX {
            true => Err(russh::Error::RequestDenied),
            false => Ok(false),
        }
    }

    async fn signal(
        &mut self,
        channel: ChannelId,
        _: russh::Sig,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        self.refuse(channel, session)
    }
}

/// Lives as long as a session's task, and logs its panic.
struct SessionWatch {
    address: SocketAddr,
    sharing: Arc<AtomicUsize>,
    _permit: Option<Further>,
}

impl SessionWatch {
    /// True if no other session runs on the connection.
    fn is_last(&self) -> bool {
        self.sharing.load(Ordering::Acquire) == 1
    }
}

impl Drop for SessionWatch {
    fn drop(&mut self) {
        self.sharing.fetch_sub(1, Ordering::AcqRel);
        if thread::panicking() {
            error!(ssh.address = %self.address, "a session of {} ended by a defect", self.address);
        }
    }
}
