//! Joining: the folder of a node becomes like that of the node that leads.
//!
//! ```text
//! key of the cluster ──► the node that was named ──► the node that leads ──► files ──► all of them, or none
//! ```
//! Nothing that is there is replaced unless that was asked for: a folder of which something is different stays as it
//! is, and what is different is said. One that is of the platform already needs nobody to start with. Read
//! next: [`super::offering`], the other side; [`super::shared_files`].

use super::channel::{ChannelBody, ChannelClient, Unreached, short, uri, whole};
use super::identity::{ANY_NODE, ChannelIdentity, ClusterKey, IdentityError};
use super::leader::Leader;
use super::offering::{PATH, Told};
use super::shared_files::{
    CLUSTER_KEY, Difference, HOST_KEY, STORE_KEY, STORE_URL, SharedFiles, SharedFilesError, finish,
    hold,
};
use crate::clock::Clock;
use crate::cluster_key::{self, ClusterKeyError};
use crate::config::Settings;
use crate::file::FileError;
use crate::state::StateFolder;
use hyper::{Method, Request, StatusCode};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::task::JoinError;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_rustls::rustls;
use tracing::debug;

/// How long a node that joins waits for one that leads.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time for all files to be told.
const TELLING: Duration = Duration::from_secs(30);
/// The time between two questions.
const AGAIN: Duration = Duration::from_millis(500);
/// The most bytes that are told: those of the files in Base64, and their names.
const TOLD_BYTES: usize = 32 << 20;
/// The name of whoever has none yet, for the record.
const NAMELESS: &str = "sync";

/// What is wanted of a folder that is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinWish {
    /// Only an empty place is filled; what is different is said.
    Join,
    /// It becomes like that of the node that leads, whatever it was.
    Replace,
    /// It becomes so, if it is of the same platform.
    Follow,
    /// What is different is said.
    Look,
}

/// What became of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joined {
    /// It is as it was, and like that of the node that leads.
    Alike,
    /// It is like that now: this was different.
    Became(BTreeMap<String, Difference>),
    /// It is of the platform, and stays as it was: this is different.
    Differs(BTreeMap<String, Difference>),
    /// It is of the platform, and stays as it was: nobody was reached, for this reason.
    Unreached(String),
}

/// The reason for which a node does not join.
#[derive(Debug, thiserror::Error)]
pub enum JoiningError {
    /// There is no key by which the others know it.
    #[error(
        "{} is missing: put the key of the other nodes there, or name its file with --cluster-key",
        .0.display()
    )]
    NoKey(PathBuf),
    /// The key that was given is not that of the folder.
    #[error("{} holds another key than {}", given.display(), own.display())]
    TwoKeys {
        /// The file that was given.
        given: PathBuf,
        /// That of the folder.
        own: PathBuf,
    },
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] ClusterKeyError),
    /// It cannot show who it is.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The other is no node of this cluster, or takes this one for none.
    #[error("{address} has another cluster key, or is no node: {cause}")]
    Stranger {
        /// Its address.
        address: String,
        /// What TLS says.
        cause: String,
    },
    /// Nobody who leads was reached.
    #[error("no node that leads is reached by {address}: {cause}")]
    Unreached {
        /// The address that was asked.
        address: String,
        /// The last reason.
        cause: String,
    },
    /// What was told cannot be read.
    #[error("what {0} tells cannot be read")]
    Unreadable(String),
    /// Files cannot be read, written or shared.
    #[error(transparent)]
    Files(#[from] SharedFilesError),
    /// The folder cannot be made, or another process joins with it.
    #[error(transparent)]
    Folder(#[from] FileError),
    /// The folder has files that are different.
    #[error(
        "the folder has files that the node that leads has not, or has otherwise: {}; nothing was changed. \
         --accept-rules puts those of the node that leads in their place",
        words(.0)
    )]
    Different(BTreeMap<String, Difference>),
    /// The folder is another platform's.
    #[error(
        "the folder is that of another platform: it has another {HOST_KEY}; nothing was changed"
    )]
    Foreign,
    /// The folder has a store under another key.
    #[error(
        "the folder has a store of its own, {}, which is lost without its {STORE_KEY}: join with another folder",
        .0.display()
    )]
    OwnStore(PathBuf),
    /// A command keeps the master key.
    #[error(
        "a command keeps the master key of the store, which is not told: give this node key-command in [store]"
    )]
    KeyIsKept,
    /// Work in the background was broken off.
    #[error("work in the background was broken off: {0}")]
    Broken(#[from] JoinError),
}

/// What is different, in words.
pub fn words(differences: &BTreeMap<String, Difference>) -> String {
    let words = differences.iter().map(|(path, it)| match it {
        Difference::Other => path.clone(),
        Difference::Missing => format!("{path} (missing here)"),
        Difference::Extra => format!("{path} (here alone)"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Makes the folder of a node like that of the node that leads, of which any node at `from` tells; `key` is the
/// file of the key of the cluster, if it is not in the folder.
///
/// # Errors
/// [`JoiningError`], after which the folder is as it was.
pub async fn join(
    folder: &StateFolder,
    settings: &Settings,
    from: &str,
    key: Option<&Path>,
    wanted: JoinWish,
) -> Result<Joined, JoiningError> {
    let within = folder.clone();
    let (held, here) = tokio::task::spawn_blocking(move || -> Result<_, JoiningError> {
        let held = hold(&within)?;
        finish(&within)?;
        Ok((held, SharedFiles::of(&within)?))
    })
    .await??;
    let shared = shared_key(folder, key)?;
    let name = settings.cluster.node.as_deref().unwrap_or(NAMELESS);
    let identity = ChannelIdentity::issue(&ClusterKey::new(shared.bytes()), name)?;
    let is_of_platform = here.get(HOST_KEY).is_some();
    let may_wait = wanted != JoinWish::Join || !is_of_platform;
    let told = match fetch(identity, from, may_wait).await {
        Err(JoiningError::Unreached { cause, .. })
            if wanted == JoinWish::Join && is_of_platform =>
        {
            return Ok(Joined::Unreached(cause));
        }
        told => told?,
    };
    let Told::Files { files, key_is_kept } = told else {
        return Err(JoiningError::Unreadable(from.to_owned()));
    };
    let mut files = SharedFiles::heard(files)?;
    let keeps_itself = settings.store.key_command.is_some();
    if key_is_kept && !keeps_itself {
        return Err(JoiningError::KeyIsKept);
    }
    if keeps_itself {
        files.set(STORE_KEY, here.get(STORE_KEY));
    }
    if states_its_own(settings, &here) {
        files.set(STORE_URL, here.get(STORE_URL));
    }
    files.keep_revoked(&here, Clock::wall_time());
    let differences = files.differences(&here);
    if differences.is_empty() && folder.cluster_key().exists() {
        return Ok(Joined::Alike);
    }
    let other = |path: &str| differences.get(path) == Some(&Difference::Other);
    let stays = match wanted {
        JoinWish::Look => true,
        JoinWish::Join if is_of_platform && !other(HOST_KEY) => !differences.is_empty(),
        JoinWish::Join if differences.values().any(|it| *it != Difference::Missing) => {
            return Err(JoiningError::Different(differences));
        }
        JoinWish::Follow if is_of_platform && other(HOST_KEY) => return Err(JoiningError::Foreign),
        JoinWish::Join | JoinWish::Replace | JoinWish::Follow => false,
    };
    if stays {
        return Ok(Joined::Differs(differences));
    }
    if other(STORE_KEY) && folder.store().exists() {
        return Err(JoiningError::OwnStore(folder.store()));
    }
    let text = format!("{}\n", base16ct::lower::encode_string(&shared.bytes()));
    if !folder.cluster_key().exists() {
        files.set(CLUSTER_KEY, Some(text.as_bytes()));
    }
    let within = folder.clone();
    tokio::task::spawn_blocking(move || {
        let _held = held;
        files.put(&within)
    })
    .await??;
    Ok(Joined::Became(differences))
}

/// True if the node is told elsewhere where the state is.
fn states_its_own(settings: &Settings, here: &SharedFiles) -> bool {
    let filed = here.get(STORE_URL).map(String::from_utf8_lossy);
    let filed = filed.and_then(|text| text.trim().parse().ok());
    settings.store.url.is_some() && settings.store.url != filed
}

/// The key of the cluster: that of the folder, or that in a file that was given.
fn shared_key(
    folder: &StateFolder,
    given: Option<&Path>,
) -> Result<cluster_key::SharedKey, JoiningError> {
    let own = cluster_key::load(&folder.cluster_key())?;
    let Some(file) = given else {
        return own.ok_or_else(|| JoiningError::NoKey(folder.cluster_key()));
    };
    let given = cluster_key::load(file)?.ok_or_else(|| JoiningError::NoKey(file.to_owned()))?;
    match own {
        Some(own) if own.bytes() != given.bytes() => Err(JoiningError::TwoKeys {
            given: file.to_owned(),
            own: folder.cluster_key(),
        }),
        _ => Ok(given),
    }
}

/// What the node that leads tells, asked for by way of the one at `from`.
async fn fetch(
    identity: ChannelIdentity,
    from: &str,
    may_wait: bool,
) -> Result<Told, JoiningError> {
    let client = ChannelClient::new(identity);
    let until = Instant::now() + PATIENCE;
    let mut address = from.to_owned();
    loop {
        let why = match ask(&client, &address).await? {
            Ok(Told::Elsewhere(leads)) => {
                let why = format!("{leads} is said to lead");
                address = leads;
                why
            }
            Ok(files) => return Ok(files),
            // Whoever led may lead no more.
            Err(why) => {
                from.clone_into(&mut address);
                why
            }
        };
        debug!("nothing is told yet: {why}");
        let is_on_its_way = address != from;
        if Instant::now() >= until || !(may_wait || is_on_its_way) {
            return Err(JoiningError::Unreached {
                address: from.to_owned(),
                cause: why,
            });
        }
        if !is_on_its_way {
            sleep(AGAIN).await;
        }
    }
}

/// What the node at an address tells; the reason, if it may tell more later.
async fn ask(client: &ChannelClient, address: &str) -> Result<Result<Told, String>, JoiningError> {
    let node = Leader {
        node: ANY_NODE.to_owned(),
        address: address.to_owned(),
        epoch: 0,
    };
    let mut request: Request<ChannelBody> = Request::new(whole(""));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri(PATH);
    let (response, _permit) = match client.send(&node, request).await {
        Ok(answered) => answered,
        Err((Unreached::Connect { cause, .. }, _)) if is_strange(&cause) => {
            return Err(JoiningError::Stranger {
                address: address.to_owned(),
                cause: cause.to_string(),
            });
        }
        Err((why, _)) => return Ok(Err(why.to_string())),
    };
    let status = response.status();
    let told = timeout_at(
        Instant::now() + TELLING,
        short(response.into_body(), TOLD_BYTES),
    );
    let Some(told) = told.await.ok().flatten() else {
        return Ok(Err(format!("{address} breaks off")));
    };
    match status {
        StatusCode::OK => match serde_json::from_slice(&told) {
            Ok(told) => Ok(Ok(told)),
            Err(_) => Err(JoiningError::Unreadable(address.to_owned())),
        },
        status => Ok(Err(format!("{status}, {}", String::from_utf8_lossy(&told)))),
    }
}

/// True if TLS does not take the other for a node, and not if the way to it is lost.
fn is_strange(cause: &std::io::Error) -> bool {
    let tls = cause.get_ref().and_then(|it| it.downcast_ref());
    matches!(
        tls,
        Some(
            rustls::Error::InvalidCertificate(_)
                | rustls::Error::AlertReceived(_)
                | rustls::Error::InvalidMessage(_)
                | rustls::Error::NoApplicationProtocol
        )
    )
}
