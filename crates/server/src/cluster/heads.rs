//! The last head of the state, as whoever leads tells it to those who stand by: an older copy of the database is
//! refused by every node that was ever told.
//!
//! It is signed with the host key, so that nobody else tells one. A node asks for it with the last entry that it
//! knows, and is told the digest of that as well: a head of another state, or an older one, it does not keep. With the
//! head comes what the leader's settings are, and a node says once what of its own is otherwise. Read next:
//! [`store::keep_head`], [`super::settings_digests`].

use super::channel::{ChannelBody, ChannelClient, refusal, short, uri, whole};
use super::leader::{Leader, LeaderWatch};
use super::settings_digests::SettingsDigests;
use crate::host::Entrance;
use crate::seal::HostSeal;
use domain::event::Sequence;
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::OpenError;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep, timeout};
use tracing::{error, warn};

/// The path on the channel of the last head.
pub(super) const PATH: &str = "/head";
/// The header of an answer that tells the leader's settings.
const SETTINGS: HeaderName = HeaderName::from_static("convoke-settings");

/// The time between two questions.
const AGAIN: Duration = Duration::from_secs(2);
/// The longest time for an answer.
const ANSWER: Duration = Duration::from_secs(5);
/// The most digits of the number of an entry.
const NUMBER_BYTES: usize = 20;
/// The most bytes of a head.
const HEAD_BYTES: usize = 4 << 10;

/// The file of the last head in the folder of a node.
pub(super) struct KeptHead {
    file: PathBuf,
    seal: HostSeal,
    settings: Arc<SettingsDigests>,
    /// False while it leads, as its own store writes the file then.
    stands_by: Mutex<bool>,
}

impl KeptHead {
    /// That of a node that stands by.
    pub(super) fn new(file: PathBuf, seal: HostSeal, settings: SettingsDigests) -> Self {
        Self {
            file,
            seal,
            settings: Arc::new(settings),
            stands_by: Mutex::new(true),
        }
    }

    /// Sets whether the node stands by. Waits for the disk if something is being written.
    pub(super) fn set_standing_by(&self, stands_by: bool) {
        *self.locked() = stands_by;
    }

    /// The settings of the node.
    pub(super) fn settings(&self) -> &Arc<SettingsDigests> {
        &self.settings
    }

    fn stands_by(&self) -> bool {
        *self.locked()
    }

    /// The last entry that is known.
    fn sequence(&self) -> Result<Option<Sequence>, OpenError> {
        store::kept_sequence(&self.file, &self.seal)
    }

    /// Keeps what was told by who was asked about the last entry that was known then.
    fn keep(&self, asked: Option<Sequence>, told: &str) -> Result<(), OpenError> {
        let stands_by = self.locked();
        if !*stands_by || self.sequence()? != asked {
            return Ok(());
        }
        let (head, chain) = told.split_once('\n').unwrap_or((told, ""));
        let chain = Some(chain).filter(|chain| !chain.is_empty());
        store::keep_head(&self.file, &format!("{head}\n"), chain, &self.seal)
    }

    fn locked(&self) -> MutexGuard<'_, bool> {
        self.stands_by
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to a node that asks: the last head of the state, as it is kept outside of the database; and the digest
/// of the entry that is asked about, as far as there is one; and these settings.
pub(super) async fn answer(
    at: Entrance,
    body: Incoming,
    settings: Option<Arc<SettingsDigests>>,
) -> Response<ChannelBody> {
    let asked = short(body, NUMBER_BYTES).await.unwrap_or_default();
    let asked = str::from_utf8(&asked).ok().and_then(|it| it.parse().ok());
    let read = spawn_blocking(move || {
        let store = at.platform.engine().store();
        let chain = asked.and_then(|sequence| store.chain_at(sequence).transpose());
        let chain = chain.transpose().map_err(io::Error::other)?;
        let head = std::fs::read_to_string(&at.store_head)?;
        let settings = settings.map(|settings| settings.told());
        io::Result::Ok((told(&head, chain), settings))
    });
    match read.await {
        Ok(Ok((told, settings))) => {
            let mut answer = Response::new(whole(told));
            let settings = settings.and_then(|settings| HeaderValue::try_from(settings).ok());
            answer
                .headers_mut()
                .extend(settings.map(|it| (SETTINGS, it)));
            answer
        }
        Ok(Err(_)) | Err(_) => refusal(StatusCode::SERVICE_UNAVAILABLE, "no head is kept"),
    }
}

/// What a leader tells: its last head, and the digest that was asked for.
fn told(head: &str, chain: Option<String>) -> String {
    format!("{}\n{}", head.trim_end(), chain.unwrap_or_default())
}

/// Asks whoever leads again and again, and keeps what is told, until it is dropped.
pub(super) struct KeepsHeads(JoinHandle<()>);

impl KeepsHeads {
    /// Must be called inside a tokio runtime.
    pub(super) fn start(
        kept: Arc<KeptHead>,
        client: Arc<ChannelClient>,
        leader: LeaderWatch,
    ) -> Self {
        Self(tokio::spawn(keep(kept, client, leader)))
    }
}

impl Drop for KeepsHeads {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn keep(kept: Arc<KeptHead>, client: Arc<ChannelClient>, mut leader: LeaderWatch) {
    // Each is said once, until all is well again.
    let (mut fails, mut is_older, mut differs) = (false, false, Vec::new());
    loop {
        let known = leader.borrow_and_update().clone();
        if let Some(known) = known.filter(|_| kept.stands_by()) {
            match keep_once(&kept, &client, &known).await {
                Ok(None) => {}
                Ok(Some(now)) => {
                    (fails, is_older) = (false, false);
                    if now != differs && !now.is_empty() {
                        warn!(
                            "not as with {}, which leads: {}; whoever leads goes by its own",
                            known.node,
                            now.join(", ")
                        );
                    }
                    differs = now;
                }
                Err(why @ OpenError::SetBack { .. }) => {
                    if !std::mem::replace(&mut is_older, true) {
                        error!(
                            "{why}. {} leads with it: nothing is taken over from there, and this node does \
                             not lead such a state",
                            known.node
                        );
                    }
                }
                Err(why) => {
                    if !std::mem::replace(&mut fails, true) {
                        warn!("the last head of the state is not kept: {why}");
                    }
                }
            }
        }
        tokio::select! {
            changed = leader.changed() => if changed.is_err() {
                return;
            },
            () = sleep(AGAIN) => {}
        }
    }
}

/// Asks once, and keeps what is told; none if nothing is, else the names of what is otherwise in the leader's settings.
async fn keep_once(
    kept: &Arc<KeptHead>,
    client: &ChannelClient,
    leader: &Leader,
) -> Result<Option<Vec<&'static str>>, OpenError> {
    let keeper = Arc::clone(kept);
    let Ok(asked) = spawn_blocking(move || keeper.sequence()).await else {
        return Ok(None);
    };
    let asked = asked?;
    let Ok(Some((told, settings))) = timeout(ANSWER, ask(client, leader, asked)).await else {
        return Ok(None);
    };
    let keeper = Arc::clone(kept);
    let keeping = spawn_blocking(move || {
        keeper.keep(asked, &told)?;
        Ok(keeper.settings.differences(&settings))
    });
    keeping.await.map_or(Ok(None), |kept| kept.map(Some))
}

/// What whoever leads tells, and its settings, empty if it tells none; none if it tells nothing now.
async fn ask(
    client: &ChannelClient,
    leader: &Leader,
    asked: Option<Sequence>,
) -> Option<(String, String)> {
    let asked = asked.map(|sequence| sequence.to_string());
    let mut request: Request<ChannelBody> = Request::new(whole(asked.unwrap_or_default()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri(PATH);
    let (response, _permit) = client.send(leader, request).await.ok()?;
    if response.status() != StatusCode::OK {
        return None;
    }
    let settings = response.headers().get(SETTINGS);
    let settings = settings.and_then(|settings| settings.to_str().ok());
    let settings = settings.unwrap_or_default().to_owned();
    let head = String::from_utf8(short(response.into_body(), HEAD_BYTES).await?).ok()?;
    Some((head, settings))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::cluster::identity::{ChannelIdentity, ClusterKey};
    use crate::cluster::{Forwarding, ForwardingSetup};
    use crate::fair::FairShares;
    use crate::host::{Home, Host};
    use crate::roster::Roster;
    use crate::ssh::keys::StateKeys;
    use crate::state::StateFolder;
    use domain::audit::{AuditEvent, AuditKind};
    use std::path::Path;
    use tokio::net::TcpListener;
    use tokio::sync::watch;

    /// A platform on the state of a folder, with one more entry in its log.
    async fn host(folder: &Path) -> Host {
        let settings = toml::from_str("netconf = \"127.0.0.1:0\"").unwrap();
        let home = Home::Folder(StateFolder::new(folder));
        let clock = Arc::new(Clock::wall());
        let host = Host::start(home, &settings, Roster::default(), Arc::default(), clock);
        let host = host.await.unwrap();
        let event = AuditEvent::new(AuditKind::NodeJoined, "").to("another");
        let engine = host.platform.engine();
        engine.audit(event, host.clock.now());
        engine.flushed().await;
        host
    }

    async fn forwarding(node: &str, leader: &LeaderWatch) -> (Arc<Forwarding>, String) {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let setup = ForwardingSetup {
            identity: ChannelIdentity::issue(&ClusterKey::new([7; 32]), node).unwrap(),
            leader: leader.clone(),
            quotas: Default::default(),
            shares: Arc::new(FairShares::of_this_machine()),
        };
        (Forwarding::start(setup, socket), address)
    }

    fn copied(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let (entry, place) = entry
                .map(|it| (it.path(), to.join(it.file_name())))
                .unwrap();
            match entry.is_dir() {
                true => copied(&entry, &place),
                false => drop(std::fs::copy(&entry, &place).unwrap()),
            }
        }
    }

    /// An older copy that leads for a while is refused, and written more often than what was seen of the state
    /// it still is; then the state itself leads, and is kept again.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_node_goes_on_asking_behind_an_older_copy() {
        let folder = tempfile::tempdir().unwrap();
        let [state, copy] = ["state", "copy"].map(|name| folder.path().join(name));
        let (leads, leader) = watch::channel(None);
        let (leading, address) = forwarding("leading", &leader).await;
        let (standing, _) = forwarding("standing", &leader).await;
        host(&state).await.stop().await;
        copied(&state, &copy);
        host(&state).await.stop().await;
        // The copy was written more often by now.
        for _ in 0..4 {
            host(&copy).await.stop().await;
        }
        let seal = HostSeal(StateKeys::open(&state).unwrap().host().unwrap());
        let file = folder.path().join("kept");
        let kept = Arc::new(KeptHead::new(
            file.clone(),
            seal,
            SettingsDigests::default(),
        ));
        let _keeping = standing.keeps_heads(&kept);
        let epochs = std::cell::Cell::new(0);
        let lead = |host: &Host| {
            leading.leads(host);
            epochs.set(epochs.get() + 1);
            leads.send_replace(Some(Leader {
                node: "leading".to_owned(),
                address: address.clone(),
                epoch: epochs.get(),
            }));
        };
        let read = |of: &Path| std::fs::read_to_string(of).unwrap_or_default();
        let is_kept = || read(&file) == read(&state.join("store_head")) && !read(&file).is_empty();

        let first = host(&state).await;
        lead(&first);
        testkit::eventually("it is kept", is_kept).await;
        leading.leads_no_more().await;
        first.stop().await;
        let last = read(&file);

        let other = host(&copy).await;
        lead(&other);
        let client =
            ChannelClient::new(ChannelIdentity::issue(&ClusterKey::new([7; 32]), "c").unwrap());
        let known = leader.borrow().clone().unwrap();
        let refused = keep_once(&kept, &client, &known).await.unwrap_err();
        assert!(matches!(refused, OpenError::SetBack { .. }), "{refused}");
        tokio::time::sleep(2 * AGAIN).await;
        assert_eq!(read(&file), last);
        leading.leads_no_more().await;
        other.stop().await;

        let again = host(&state).await;
        lead(&again);
        testkit::eventually("it is kept again", is_kept).await;
        assert_ne!(read(&file), last);
        again.stop().await;
    }
}
