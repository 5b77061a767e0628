//! A NETCONF session of a client that is connected to this node, while another one leads: its bytes go to
//! that one, and to the next if it is lost.
//!
//! Who the client is, its listener has found out; the limits of connections, of memory and of what a slow
//! client may leave untaken hold here as well as at the leader. What must be neither lost nor said twice is
//! known to [`super::continuity`]. Read next: [`super::leading`], the other side.

use super::channel::{BoxError, ChannelBody, ChannelClient, uri, whole};
use super::continuity::Continuity;
use super::http_forwarder::CONNECTION_NUMBER;
use super::leader::{Leader, LeaderWatch};
use super::opening::{Marks, Opening, SavedForm, SessionEnd, endpoint_text};
use super::record::{FromClient, PIECE_BYTES, Records, ToClient};
use super::session_end::Ending;
use crate::ssh::{
    ByteStream, DEFAULT_QUOTA_BYTES, Inbound, InboundError, Login, Outbound, SshPeer, split_metered,
};
use engine::Endpoint;
use engine::accounts::{Accounts, Held};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::HeaderValue;
use hyper::{Method, Request, StatusCode};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::{debug, info, warn};

/// The path on the channel of whether a session is over.
pub(super) const OVER_PATH: &str = "/session-over";
/// The path of a session on the channel.
pub(super) const PATH: &str = "/session";

/// How long a session waits for somebody to lead it.
const LEADERLESS: Duration = Duration::from_secs(30);
/// The time between two attempts to reach the one that leads.
const AGAIN: Duration = Duration::from_millis(200);
/// The output in bytes from which no more is read of the leader until the client takes some.
const OUTPUT_BYTES: usize = 256 << 10;
/// The time without a sign of a client after which the leader is asked whether its session is over: it cannot
/// say so behind output that is not taken.
const STALLED: Duration = Duration::from_secs(5);
/// How many pieces may wait for the channel.
const PIECES: usize = 4;
/// The longest time for the client to take the rest of its output at the end.
const FAREWELL: Duration = Duration::from_secs(30);
/// The longest time for a leader to take notice that the client is gone.
const NOTICE: Duration = Duration::from_secs(2);

/// What sessions of this node need.
pub(super) struct SessionForwarder {
    pub(super) client: Arc<ChannelClient>,
    pub(super) leader: LeaderWatch,
    pub(super) accounts: Arc<Accounts>,
}

/// How it ended with a leader.
enum Carried {
    /// The session is over.
    Over,
    /// The leader is lost, or lets the session go on elsewhere.
    Lost,
    /// The session cannot go on, whoever leads.
    Ended,
}

impl SessionForwarder {
    /// Serves a session until it ends.
    pub(super) async fn serve(
        self: Arc<Self>,
        stream: ByteStream,
        peer: SshPeer,
        endpoint: Endpoint,
    ) {
        let user = &peer.principal;
        let mut queued = self.accounts.hold(user);
        let meter = Box::new(move |bytes| queued.set(bytes));
        let (inbound, outbound) = split_metered(stream, DEFAULT_QUOTA_BYTES, meter);
        let Ok(key) = peer.key.to_openssh() else {
            warn!(user, "the key of '{user}' cannot be written");
            return;
        };
        let Ok(connection) = getrandom::u64() else {
            warn!(
                user,
                "a session of '{user}' has no number: there are no random bytes"
            );
            return;
        };
        let mut session = AcceptedSession {
            opening: Opening {
                user: user.clone(),
                key,
                source: peer.address,
                endpoint: endpoint_text(&endpoint),
                connection,
                answered: 0,
                saved: None,
                doubtful: 0,
                attempt: 0,
            },
            held: self.accounts.hold(user),
            login: peer.login,
            ending: Ending::new(&self.client, &self.leader),
            continuity: Continuity::new(),
            inbound,
            outbound,
            output: Vec::new(),
            taken: 0,
            input_ended: false,
        };
        loop {
            session.ending.is_left(session.end());
            let Some(link) = self.link(&mut session).await else {
                return session.outbound.cut();
            };
            session.ending.is_led();
            match session.carry(link).await {
                Carried::Lost => {}
                Carried::Ended => return session.outbound.cut(),
                Carried::Over => return session.farewell().await,
            }
        }
    }

    /// The way to whoever leads, as soon as somebody does; none if the session cannot go on.
    async fn link(&self, session: &mut AcceptedSession) -> Option<Link> {
        let until = Instant::now() + LEADERLESS;
        let mut leader = self.leader.clone();
        loop {
            let beginning = match session.continuity.begin() {
                Ok(beginning) => beginning,
                Err(torn) => {
                    info!(
                        user = session.opening.user,
                        "a session ends with its leader: {torn}"
                    );
                    return None;
                }
            };
            let known = leader.borrow_and_update().clone();
            let linked = match known {
                None => None,
                Some(known) => {
                    session.opening.attempt += 1;
                    let opening = Opening {
                        answered: beginning.answered,
                        saved: beginning.saved,
                        doubtful: beginning.doubtful,
                        ..session.opening.clone()
                    };
                    let asked = self.open(&known, opening);
                    tokio::select! {
                        linked = timeout_at(until, asked) => linked.ok(),
                        () = session.login.over() => return None,
                    }
                }
            };
            match linked {
                Some(Ok(link)) => return Some(link),
                Some(Err(Unlinked::ForGood(why))) => {
                    info!(
                        user = session.opening.user,
                        "a session is refused by its leader: {why}"
                    );
                    return None;
                }
                Some(Err(Unlinked::ForNow(why))) => debug!("a session waits for its leader: {why}"),
                None => {}
            }
            let again = async {
                tokio::select! {
                    _ = leader.changed() => {}
                    () = sleep(AGAIN) => {}
                }
            };
            tokio::select! {
                waited = timeout_at(until, again) => if waited.is_err() {
                    warn!(user = session.opening.user, "a session ends, as nobody leads it");
                    return None;
                },
                () = session.login.over() => return None,
            }
        }
    }

    async fn open(&self, leader: &Leader, opening: Opening) -> Result<Link, Unlinked> {
        let (up, sent) = mpsc::channel(PIECES);
        let request = Request::builder()
            .method(Method::POST)
            .uri(uri(PATH))
            .body(Box::pin(Sent(sent)) as ChannelBody)
            .map_err(|error| Unlinked::ForGood(error.to_string()))?;
        let mut introduction = Vec::new();
        FromClient::Open(opening).write(&mut introduction);
        let _ = up.try_send(introduction.into());
        let answered = self.client.send(leader, request).await;
        let (mut response, permit) =
            answered.map_err(|(why, _)| Unlinked::ForNow(why.to_string()))?;
        match response.status() {
            StatusCode::OK => Ok(Link {
                leader: leader.clone(),
                client: Arc::clone(&self.client),
                up: Some(up),
                down: Some((response.into_body(), permit)),
                records: Records::default(),
                marks: Marks::default(),
            }),
            status => {
                let why = next(response.body_mut()).await;
                let why = why.and_then(Result::ok).unwrap_or_default();
                let why = format!("{status}, {}", String::from_utf8_lossy(&why));
                match status {
                    StatusCode::SERVICE_UNAVAILABLE => Err(Unlinked::ForNow(why)),
                    _ => Err(Unlinked::ForGood(why)),
                }
            }
        }
    }
}

/// The reason for which there is no way to a leader.
enum Unlinked {
    ForNow(String),
    ForGood(String),
}

/// The way to a leader. Dropped before its end, it tells the leader that the client is gone.
struct Link {
    leader: Leader,
    client: Arc<ChannelClient>,
    up: Option<mpsc::Sender<Bytes>>,
    down: Option<(Incoming, OwnedSemaphorePermit)>,
    records: Records,
    marks: Marks,
}

impl Link {
    /// The next bytes of the leader; none at the end of the stream.
    async fn receive(&mut self) -> Option<Result<Bytes, hyper::Error>> {
        match &mut self.down {
            Some((down, _)) => next(down).await,
            None => None,
        }
    }
}

/// Asks, while a client takes nothing, whether its session is over.
type Stalled = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Completes once a leader says that the session is over, if it goes on saying nothing.
async fn is_over(client: Arc<ChannelClient>, leader: Leader, number: u32) {
    loop {
        sleep(STALLED).await;
        let mut request = Request::new(whole(Bytes::new()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri(OVER_PATH);
        request
            .headers_mut()
            .insert(CONNECTION_NUMBER, HeaderValue::from(number));
        match client.send(&leader, request).await {
            Ok((response, _)) if response.status() == StatusCode::GONE => return,
            _ => {}
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // The end of the request says so; the response is read on for a moment, as a stream of which one
        // direction is abandoned is reset in both.
        self.up = None;
        if let (Some((mut down, permit)), Ok(runtime)) =
            (self.down.take(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn(async move {
                let _permit = permit;
                let rest = async { while let Some(Ok(_)) = next(&mut down).await {} };
                drop(timeout(NOTICE, rest).await);
            });
        }
    }
}

async fn next(body: &mut Incoming) -> Option<Result<Bytes, hyper::Error>> {
    let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await?;
    Some(frame.map(|frame| frame.into_data().unwrap_or_default()))
}

/// The body of a session's request: what is sent to it.
struct Sent(mpsc::Receiver<Bytes>);

impl Body for Sent {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let polled = self.0.poll_recv(cx);
        polled.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// A session.
struct AcceptedSession {
    opening: Opening,
    held: Held,
    login: Login,
    ending: Ending,
    continuity: Continuity<SavedForm>,
    inbound: Inbound,
    outbound: Outbound,
    /// Output for the client, and how much of it is taken.
    output: Vec<u8>,
    taken: usize,
    input_ended: bool,
}

impl AcceptedSession {
    /// Carries bytes between the client and a leader until one of them ends it.
    async fn carry(&mut self, mut link: Link) -> Carried {
        let mut piece: Option<Bytes> = None;
        let mut end_is_told = false;
        // Begun when output waits, and anew when the client takes some.
        let mut stalled: Option<Stalled> = None;
        loop {
            if !self.has_room() {
                info!(
                    user = self.opening.user,
                    "a session is cut off: {}",
                    InboundError::OverShare
                );
                return Carried::Ended;
            }
            if piece.is_none() {
                piece = self.next_piece(&mut end_is_told);
            }
            let reads_on = self.continuity.reads_on() && !self.input_ended;
            let waiting = self.output.len() - self.taken;
            let up = link.up.clone();
            if waiting == 0 {
                stalled = None;
            } else if stalled.is_none() {
                let number = self.continuity.known().map_or(0, |known| known.id);
                let over = is_over(Arc::clone(&link.client), link.leader.clone(), number);
                stalled = Some(Box::pin(over));
            }
            let over = async {
                match &mut stalled {
                    Some(over) => over.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // A write that is given up goes on with the same bytes.
                written = self.outbound.write(&self.output[self.taken..]), if waiting > 0 => {
                    match written {
                        Ok(0) | Err(_) => return Carried::Ended,
                        Ok(length) => {
                            self.took(length);
                            stalled = None;
                        }
                    }
                }
                room = reserve(up), if piece.is_some() => match (room, piece.take()) {
                    (Some(room), Some(bytes)) => drop(room.send(bytes)),
                    // The leader reads no more; what it still says is heard.
                    _ => link.up = None,
                },
                received = self.inbound.receive(), if reads_on => match received {
                    Ok(Some(bytes)) => self.continuity.receive(&bytes),
                    Ok(None) => self.input_ended = true,
                    Err(error) => {
                        debug!(user = self.opening.user, "the client of a session is lost: {error}");
                        return Carried::Ended;
                    }
                },
                heard = link.receive(), if waiting < OUTPUT_BYTES => match heard {
                    Some(Ok(bytes)) => {
                        if let Some(end) = self.hear(&bytes, &mut link) {
                            return end;
                        }
                    }
                    Some(Err(error)) => {
                        debug!(%error, "the way to the leader of a session is lost");
                        return Carried::Lost;
                    }
                    None => return Carried::Lost,
                },
                () = over => return Carried::Ended,
                () = self.login.over() => return Carried::Ended,
            }
        }
    }

    /// What is told if it ends now; none if the log does not know it.
    fn end(&self) -> Option<SessionEnd> {
        let known = self.continuity.known().filter(|it| it.is_in_log())?;
        Some(SessionEnd {
            id: known.id,
            user: self.opening.user.clone(),
            source: self.opening.source.ip(),
        })
    }

    fn has_room(&mut self) -> bool {
        let bytes = self.continuity.held_bytes() + self.output.len();
        self.held.set(bytes)
    }

    /// The next bytes for the leader.
    fn next_piece(&mut self, end_is_told: &mut bool) -> Option<Bytes> {
        let record = match self.continuity.transmit(PIECE_BYTES) {
            Some(bytes) => FromClient::<Opening>::Bytes(bytes),
            None if self.input_ended && !*end_is_told && self.continuity.is_sent() => {
                *end_is_told = true;
                FromClient::End
            }
            None => return None,
        };
        let mut bytes = Vec::new();
        record.write(&mut bytes);
        Some(bytes.into())
    }

    /// Takes what a leader says; how it ends with it, if it does.
    fn hear(&mut self, bytes: &[u8], link: &mut Link) -> Option<Carried> {
        link.records.push(bytes);
        loop {
            let mut said = match link.records.next_to_client::<SavedForm>() {
                Ok(Some(said)) => said,
                Ok(None) => return None,
                Err(error) => return Some(self.disbelieve(&error)),
            };
            if let ToClient::Quiet(quiet) = &mut said {
                link.marks.read(quiet);
            }
            match self.continuity.hear(said) {
                Ok(output) => self.output.extend(output),
                Err(error) => return Some(self.disbelieve(&error)),
            }
            if self.continuity.is_closed() {
                return Some(Carried::Over);
            }
        }
    }

    fn disbelieve(&self, error: &dyn std::error::Error) -> Carried {
        let user = &self.opening.user;
        warn!(
            user,
            "a session ends, as its leader says what cannot be: {error}"
        );
        Carried::Ended
    }

    fn took(&mut self, length: usize) {
        self.taken += length;
        if self.taken == self.output.len() {
            // A session may be idle for the rest of its life.
            (self.output, self.taken) = (Vec::new(), 0);
        }
    }

    /// Gives the client the rest of its output, and closes.
    async fn farewell(mut self) {
        let rest = async {
            self.outbound.write_all(&self.output[self.taken..]).await?;
            self.outbound.flush().await?;
            self.outbound.shutdown().await
        };
        let ended: Result<io::Result<()>, _> = timeout(FAREWELL, rest).await;
        if ended.is_err() {
            self.outbound.cut();
        } else if self.continuity.is_killed() {
            self.outbound.hang_up();
        }
    }
}

/// Room for one more piece; none if the leader reads no more.
async fn reserve(up: Option<mpsc::Sender<Bytes>>) -> Option<mpsc::OwnedPermit<Bytes>> {
    up?.reserve_owned().await.ok()
}
