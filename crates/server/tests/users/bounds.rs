//! The limits of one user, which do not affect others.

use crate::platform::Platform;
use netconf::error::RpcError;
use russh::keys::PrivateKeyWithHashAlg;
use russh::{Channel, client};
use server::client::{CallError, Client};
use server::host::Endpoint;
use server::ssh::ConnectError;
use server::ssh::keys::load;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use testkit::{eventually, within};
use tokio::task::{JoinHandle, yield_now};

const READ: &str = "<get-config><source><running/></source></get-config>";

/// Writes an entry of data of this size.
async fn write(client: &mut Client, id: &str, bytes: usize) -> Result<(), RpcError> {
    let data = "QUFB".repeat(bytes / 3);
    let rpc = format!(
        "<data-write xmlns=\"urn:convoke:params:xml:ns:yang:convoke-data\"><id>{id}</id>\
         <data>{data}</data><finished>true</finished></data-write>"
    );
    match client.call(&rpc).await {
        Ok(_) => Ok(()),
        Err(CallError::Refused(errors)) => Err(errors.into_iter().next().unwrap()),
        Err(over) => panic!("{over}"),
    }
}

/// The number of sessions of a user is limited; others have their own, and an ended session makes
/// room.
#[tokio::test]
async fn a_user_has_so_many_sessions() {
    let platform = Platform::with("[limits.user]\nsessions = 2\n").await;
    platform.admit("users/noc.pub");
    let first = platform.client("noc").await;
    let mut second = platform.client("noc").await;
    let refused = platform.try_client("noc").await.err();
    assert!(
        matches!(
            &refused,
            Some(CallError::Connect(ConnectError::SentAway {
                too_many: true,
                ..
            }))
        ),
        "{refused:?}"
    );
    second.call(READ).await.unwrap();
    platform.client("operator").await.call(READ).await.unwrap();
    first.close().await.unwrap();
    assert_eq!(
        platform.end_of("noc").await,
        domain::event::Termination::Closed
    );
}

/// The data of a user are limited, with a precise refusal; stored data stay.
#[tokio::test]
async fn a_user_stores_so_much_data() {
    let platform = Platform::with("[limits.user]\ndata-mib = 1\n").await;
    let mut operator = platform.client("operator").await;
    for id in ["a", "b", "c", "d", "e"] {
        write(&mut operator, id, 196_608).await.unwrap();
    }
    let refused = write(&mut operator, "f", 196_608).await.unwrap_err();
    assert_eq!(refused.tag.as_str(), "resource-denied");
    assert_eq!(refused.app_tag.as_deref(), Some("data-quota"));
    // A repeated write is answered as before.
    write(&mut operator, "a", 196_608).await.unwrap();
    write(&mut operator, "g", 3_000).await.unwrap();
    let own = platform.usage("operator");
    assert_eq!(
        (own.data_bytes, own.refused),
        (5 * (196_608 + 512) + 3_512, 1)
    );
}

/// While memory is short no work is begun that takes more of it, and existing work goes on.
#[tokio::test]
async fn while_memory_is_short_nothing_new_is_begun() {
    let platform = Platform::with("").await;
    let mut operator = platform.client("operator").await;
    let accounts = platform.host.platform.engine().accounts();
    // As the meter says it; it is looked at ten times a second, and says otherwise here.
    let refused = loop {
        accounts.short_of_memory().store(true, Relaxed);
        if let Err(refused) = write(&mut operator, "a", 3_000).await {
            break refused;
        }
    };
    assert_eq!(refused.tag.as_str(), "resource-denied");
    assert_eq!(refused.app_tag.as_deref(), Some("memory-short"));
    operator.call(READ).await.unwrap();
}

/// The number of requests of a flood, of 64 KiB each.
const FLOOD: usize = 384;

const MIB: u64 = 1 << 20;

/// Accepts any host key.
struct Trusting;

impl client::Handler for Trusting {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        _: &russh::keys::PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        Ok(true)
    }
}

/// A client that sends one request after the other and takes nothing: its window is a byte, and is
/// not opened again.
struct Flood {
    connection: client::Handle<Trusting>,
    sent: Arc<AtomicUsize>,
    sending: JoinHandle<Result<(), russh::Error>>,
}

/// A session of a user whose key is in `keys/`, with a window of this size, after the hello.
async fn bare(
    platform: &Platform,
    user: &str,
    window_size: u32,
) -> (client::Handle<Trusting>, Channel<client::Msg>) {
    let config = client::Config {
        window_size,
        ..client::Config::default()
    };
    let address = platform.host.address_of(&Endpoint::Platform).unwrap();
    let connection = client::connect(Arc::new(config), address, Trusting).await;
    let mut connection = connection.unwrap();
    let key = Arc::new(load(&platform.file(&format!("keys/{user}_ed25519"))).unwrap());
    let key = PrivateKeyWithHashAlg::new(key, None);
    let answer = connection.authenticate_publickey(user, key).await.unwrap();
    assert!(answer.success());
    let channel = connection.channel_open_session().await.unwrap();
    channel.request_subsystem(false, "netconf").await.unwrap();
    let hello = format!(
        "<hello xmlns=\"{BASE}\"><capabilities><capability>urn:ietf:params:netconf:base:1.0\
         </capability></capabilities></hello>]]>]]>"
    );
    channel.data(hello.as_bytes()).await.unwrap();
    (connection, channel)
}

const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

/// A request of 64 KiB and some more.
fn request() -> String {
    let blanks = " ".repeat(64 << 10);
    format!("<rpc message-id=\"1\" xmlns=\"{BASE}\">{blanks}<get/></rpc>]]>]]>")
}

/// Waits until so many bytes are held for noc.
async fn holds(platform: &Platform, what: &str, so_many: impl Fn(u64) -> bool) {
    eventually(what, || so_many(platform.usage("noc").held_bytes)).await;
}

impl Flood {
    async fn over(platform: &Platform, user: &str) -> Self {
        let (connection, channel) = bare(platform, user, 1).await;
        let request = request();
        let sent = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&sent);
        let sending = tokio::spawn(async move {
            for _ in 0..FLOOD {
                channel.data(request.as_bytes()).await?;
                count.fetch_add(1, Relaxed);
            }
            Ok(())
        });
        Self {
            connection,
            sent,
            sending,
        }
    }
}

/// A client that pipelines and reads nothing is throttled: the input that came before the window
/// closed waits, and no more.
#[tokio::test]
async fn who_reads_nothing_is_not_let_send_on() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    let flood = Flood::over(&platform, "noc").await;
    let (mut most, mut sent, mut still) = (0, 0, 0);
    // Until nothing was taken for as long as others had many turns.
    while still < 5_000 && !flood.sending.is_finished() {
        yield_now().await;
        let held = platform.usage("noc").held_bytes;
        most = most.max(held);
        let now = flood.sent.load(Relaxed);
        still = match now == sent && held >= MIB {
            true => still + 1,
            false => 0,
        };
        sent = now;
    }
    assert!(!flood.sending.is_finished(), "all of it is held: {most}");
    assert!(most <= 4 * MIB, "{most}");
    assert_eq!(platform.usage("noc").refused, 0);
}

/// The bytes held by all sessions of a user together are limited; a session that exceeds the limit
/// is cut off, and others are served.
#[tokio::test]
async fn sessions_of_a_user_hold_so_much_together() {
    let platform = Platform::with("[limits.user]\nheld-mib = 10\n").await;
    platform.admit("users/noc.pub");
    let mut floods = Vec::new();
    for _ in 0..12 {
        floods.push(Flood::over(&platform, "noc").await);
    }
    let mut most = 0;
    let cut = async {
        loop {
            yield_now().await;
            most = most.max(platform.usage("noc").held_bytes);
            // A client that waits for its window does not notice the end of its connection.
            if floods.iter().any(|flood| flood.connection.is_closed()) {
                break;
            }
            let is_done = floods.iter().any(|flood| flood.sending.is_finished());
            assert!(!is_done, "all of it is held: {most}");
        }
    };
    within("the end of a flood", cut).await;
    assert!((5 * MIB..=10 * MIB).contains(&most), "{most}");
    assert!(platform.usage("noc").refused > 0);
    let mut operator = platform.client("operator").await;
    operator.call(READ).await.unwrap();
}

/// Requests that wait behind an unanswered one are held as they came, and count for their sender.
#[tokio::test]
async fn requests_that_wait_behind_another_are_counted() {
    let platform = Platform::with("").await;
    platform.admit("agents/ip.pub");
    let mut agent = platform.client("ip").await;
    agent.call(crate::endings::REGISTER).await.unwrap();
    platform.admit("users/noc.pub");
    platform.promote("noc").await;
    let (_connection, channel) = bare(&platform, "noc", 1 << 20).await;
    // It waits for the end of a task of somebody who does not work on it; whoever reads waits for that.
    let assignment = format!(
        "<rpc message-id=\"1\" xmlns=\"{BASE}\"><task-negotiate \
         xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\"><task-sendTo>ip</task-sendTo>\
         <commuType>taskAssgin</commuType><task-id>t</task-id><content>## target object\nlink\n\
         ## task description\nstay</content></task-negotiate></rpc>]]>]]>"
    );
    channel.data(assignment.as_bytes()).await.unwrap();
    let request = request();
    for _ in 0..8 {
        channel.data(request.as_bytes()).await.unwrap();
    }
    let counted = 8 * request.len() as u64;
    holds(&platform, "the count", |bytes| bytes >= counted).await;
}

/// Makes memory short for as long as it lives, whatever the meter reports.
struct Shortage(JoinHandle<()>);

impl Shortage {
    fn of(platform: &Platform) -> Self {
        let short = Arc::clone(platform.host.platform.engine().accounts().short_of_memory());
        Self(tokio::spawn(async move {
            loop {
                short.store(true, Relaxed);
                yield_now().await;
            }
        }))
    }
}

impl Drop for Shortage {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// While memory is short, an incomplete message is dropped, as it holds memory that others need.
#[tokio::test]
async fn while_memory_is_short_a_message_that_is_not_ended_is_dropped() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    let mut operator = platform.client("operator").await;
    let (_connection, channel) = bare(&platform, "noc", 1 << 20).await;
    let blanks = " ".repeat(512 << 10);
    let part = format!("<rpc message-id=\"1\" xmlns=\"{BASE}\">{blanks}");
    channel.data(part.as_bytes()).await.unwrap();
    holds(&platform, "the part", |bytes| bytes >= 512 << 10).await;
    let _shortage = Shortage::of(&platform);
    platform.end_of("noc").await;
    holds(&platform, "the room", |bytes| bytes == 0).await;
    operator.call(READ).await.unwrap();
}

/// While memory is short, a client that takes nothing of its output is disconnected.
#[tokio::test]
async fn while_memory_is_short_who_takes_nothing_is_let_go() {
    let platform = Platform::with("").await;
    platform.admit("users/noc.pub");
    let mut operator = platform.client("operator").await;
    // Even the hello of the platform is too much for the window.
    let (_connection, _channel) = bare(&platform, "noc", 1).await;
    holds(&platform, "the hello", |bytes| bytes > 0).await;
    let _shortage = Shortage::of(&platform);
    holds(&platform, "the room", |bytes| bytes == 0).await;
    operator.call(READ).await.unwrap();
}

/// A filter may hold anything, an XPath too, where the schema has one: it is not passed to libyang,
/// which would never end with one so long.
#[tokio::test]
async fn what_stands_in_a_filter_is_not_libyangs() {
    let platform = Platform::with("").await;
    platform.admit("users/guest.pub");
    let mut guest = platform.client("guest").await;
    let lock = format!(
        "<lock-id>1</lock-id><locked-by-session>1</locked-by-session>\
         <locked-time>2026-01-01T00:00:00Z</locked-time><select>{}1</select>",
        "-".repeat(66_000)
    );
    let search = format!(
        "<get><filter type=\"subtree\">\
         <netconf-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><datastores>\
         <datastore><name>running</name><locks><partial-lock>{lock}</partial-lock></locks></datastore>\
         </datastores></netconf-state></filter>\
         <with-defaults xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults\">explicit</with-defaults></get>"
    );
    within("the answer", guest.call(&search)).await.unwrap();
}
