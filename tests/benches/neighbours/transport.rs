//! Attacks below requests: HTTP heads that are refused, SSH packets before key exchange, SSH
//! packets without meaning, and clients whose window closes.
//!
//! Each on many connections, as fast as they are accepted, from another address than the victim's,
//! as repeated failures are blocked by address. Read next: `attack`, which runs them.

use crate::attack::{Shared, ended};
use crate::platform::{GUEST, Place};
use crate::wire::find;
use russh::client::{self, Handler};
use russh::keys::{PrivateKeyWithHashAlg, PublicKeyOrCertificate};
use server::ssh::keys;
use std::error::Error;
use std::net::Ipv4Addr;
use std::process::Stdio;
use std::rc::Rc;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::Command;
use tokio::task::{LocalSet, spawn_local};

/// Connections without authentication.
const CONNECTIONS: usize = 60;
/// Connections of an authenticated guest.
const OF_GUEST: usize = 12;
/// Bytes per write.
const WRITTEN: usize = 64 << 10;
/// The source address of attackers.
const SOURCE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// The kind of attack below requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Transport {
    /// Requests without a credential, pipelined.
    Refusals,
    /// `SSH_MSG_IGNORE` before key exchange; closed connections are reopened.
    BeforeKeys,
    /// A guest's global requests without reply (RFC 4254 §4), which have no effect.
    NoMessage,
}

impl Transport {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Refusals => "refusals-over-http",
            Self::BeforeKeys => "ssh-before-keys",
            Self::NoMessage => "ssh-that-says-nothing",
        }
    }

    /// A description for people.
    pub(crate) fn what(self) -> String {
        match self {
            Self::Refusals => {
                format!("a stranger's requests, pipelined, {CONNECTIONS} connections")
            }
            Self::BeforeKeys => {
                format!("a stranger's SSH_MSG_IGNORE before the keys, {CONNECTIONS} connections")
            }
            Self::NoMessage => {
                format!("a guest's SSH requests that want no reply, {OF_GUEST} connections")
            }
        }
    }

    /// Spawns all its tasks.
    pub(crate) fn begin(
        self,
        attackers: &LocalSet,
        place: &Place,
        done: &Shared,
    ) -> Result<(), Box<dyn Error>> {
        let connections = match self {
            Self::NoMessage => OF_GUEST,
            _ => CONNECTIONS,
        };
        for _ in 0..connections {
            let (place, did) = (place.clone(), Rc::clone(done));
            let part = async move {
                match self {
                    Self::Refusals => ask_in_vain(&place, None, &did).await,
                    Self::BeforeKeys => ignore(&place, &did).await,
                    Self::NoMessage => say_nothing(&place, &did).await,
                }
            };
            attackers.spawn_local(ended(done, part));
        }
        Ok(())
    }
}

async fn connect(address: &str) -> Result<TcpStream, Box<dyn Error>> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((SOURCE, 0).into())?;
    Ok(socket.connect(address.parse()?).await?)
}

/// Sends requests for nonexistent paths, pipelined; reads the answers.
pub(crate) async fn ask_in_vain(
    place: &Place,
    token: Option<&str>,
    did: &Shared,
) -> Result<(), Box<dyn Error>> {
    let (mut input, mut output) = connect(&place.http).await?.into_split();
    let did = Rc::clone(did);
    let (credential, refused) = match token {
        Some(token) => (format!("Authorization: Bearer {token}\r\n"), "404"),
        None => (String::new(), "401"),
    };
    spawn_local(async move {
        let mut answers = vec![0; WRITTEN];
        let start = format!("HTTP/1.1 {refused}");
        while let Ok(count @ 1..) = input.read(&mut answers).await {
            let mut rest = &answers[..count];
            while let Some(at) = find(rest, start.as_bytes()) {
                did.borrow_mut().refuse(refused.to_owned());
                rest = &rest[at + 1..];
            }
        }
    });
    let request = format!("GET /x HTTP/1.1\r\nHost: localhost\r\n{credential}\r\n");
    let requests = request.repeat(WRITTEN / request.len());
    loop {
        output.write_all(requests.as_bytes()).await?;
    }
}

async fn ignore(place: &Place, did: &Shared) -> Result<(), Box<dyn Error>> {
    let packet = [0, 0, 0, 12, 6, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let packets = packet.repeat(WRITTEN / packet.len());
    loop {
        let mut stream = connect(&place.netconf).await?;
        let mut written = stream.write_all(b"SSH-2.0-neighbour\r\n").await;
        while written.is_ok() {
            did.borrow_mut().answered += 1;
            written = stream.write_all(&packets).await;
        }
        did.borrow_mut().refuse("closed".to_owned());
    }
}

/// A client handler that accepts any host key, for the platform started by this bench.
struct Trusting;

impl Handler for Trusting {
    type Error = russh::Error;

    async fn check_server_key(&mut self, _: &PublicKeyOrCertificate) -> Result<bool, Self::Error> {
        Ok(true)
    }
}

async fn say_nothing(place: &Place, did: &Shared) -> Result<(), Box<dyn Error>> {
    let key = keys::load(&place.state.join(GUEST))?;
    let stream = connect(&place.netconf).await?;
    let config = Arc::new(client::Config::default());
    let mut session = client::connect_stream(config, stream, Trusting).await?;
    let key = PrivateKeyWithHashAlg::new(Arc::new(key), None);
    let login = session.authenticate_publickey(GUEST, key).await?;
    if !login.success() {
        return Err("the guest was not let in".into());
    }
    loop {
        session.send_keepalive(false).await?;
        did.borrow_mut().answered += 1;
    }
}

/// Opens a session through OpenSSH's client, whose window closes as its output is not read. Writes
/// the requests until there are no more.
pub(crate) async fn read_nothing(
    place: &Place,
    asked: impl Iterator<Item = Vec<u8>>,
    did: &Shared,
) -> Result<(), Box<dyn Error>> {
    let port = place.netconf.rsplit(':').next().unwrap_or_default();
    let state = place.state.display();
    let mut child = Command::new("ssh")
        .args(["-F", "/dev/null", "-T", "-p", port])
        .args(["-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes"])
        .args(["-o", "StrictHostKeyChecking=yes"])
        .args(["-o", &format!("IdentityFile={state}/{GUEST}")])
        .args(["-o", &format!("UserKnownHostsFile={state}/known_hosts")])
        .args([&format!("{GUEST}@127.0.0.1"), "-s", "netconf"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let mut input = child.stdin.take().expect("it is piped");
    let hello = "<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities><capability>\
                 urn:ietf:params:netconf:base:1.0</capability></capabilities></hello>]]>]]>";
    input.write_all(hello.as_bytes()).await?;
    for rpc in asked {
        input.write_all(&rpc).await?;
        input.write_all(b"]]>]]>").await?;
        did.borrow_mut().answered += 1;
    }
    // All of it is written; it stays open, unread.
    std::future::pending().await
}
