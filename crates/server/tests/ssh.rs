//! The SSH server over real loopback sockets: with the crate's own client, OpenSSH's, and a
//! misbehaving one. Knows nothing of NETCONF: the subsystem is an echo.

#![allow(clippy::unwrap_used)]

#[path = "ssh/before_login.rs"]
mod before_login;
#[path = "ssh/openssh.rs"]
mod openssh;
#[path = "ssh/small_packets.rs"]
mod small_packets;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engine::{Accounts, UserLimits};
use russh::keys::PrivateKeyWithHashAlg;
use russh::keys::ssh_key::public::KeyData;
use russh::{ChannelMsg, Disconnect, client};
use server::ssh::{
    Authenticator, ByteStream, ConnectError, ConnectionLimiter, Connector, HostKeyPolicy, Inbound,
    InboundError, KeyDirectory, PrivateKey, PublicKey, SshLimits, SshListener, SshPeer, SshServing,
    Subsystem, Target, keys, split,
};
use testkit::{PATIENCE, eventually, within};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::Instant;

/// A server on a free port, with one user `operator`.
struct Bench {
    serving: SshServing,
    limiter: Arc<ConnectionLimiter>,
    host_key: PrivateKey,
    key: Arc<PrivateKey>,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(limits: SshLimits, subsystem: impl Subsystem) -> Self {
        Self::with(limits, subsystem, |known| known)
    }

    /// The same with an authenticator made of the key directory.
    fn with<A: Authenticator>(
        limits: SshLimits,
        subsystem: impl Subsystem,
        checked: impl FnOnce(KeyDirectory) -> A,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host_key = keys::generate("host");
        let key = Arc::new(keys::generate("operator"));
        let users = folder.path().join("users");
        std::fs::create_dir(&users).unwrap();
        let known = KeyDirectory::new(users).with_key("operator", key.public_key());
        let limiter = ConnectionLimiter::new(limits);
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = SshListener::bind(any, &host_key, &limiter).unwrap();
        let serving = listener.serve(Arc::new(checked(known)), Arc::new(subsystem));
        Self {
            serving,
            limiter,
            host_key,
            key,
            folder,
        }
    }

    fn echo() -> Self {
        Self::new(quick(), echo)
    }

    fn target(&self) -> Target {
        Target {
            address: self.serving.address().to_string(),
            user: "operator".into(),
            key: Arc::clone(&self.key),
            host_key: HostKeyPolicy::Exactly(self.host_key.public_key().clone()),
        }
    }

    async fn connect(&self) -> Result<ByteStream, ConnectError> {
        Connector::default().connect(&self.target()).await
    }

    /// Polls until `condition` holds.
    async fn until(&self, condition: impl Fn(&ConnectionLimiter) -> bool) {
        eventually("the limiter", || condition(&self.limiter)).await;
    }
}

/// The default limits, with rejections that take no time.
fn quick() -> SshLimits {
    SshLimits {
        rejection: Duration::ZERO,
        ..SshLimits::default()
    }
}

async fn echo(stream: ByteStream, _: SshPeer) {
    let (mut inbound, mut outbound) = split(stream, 64 << 20);
    while let Ok(Some(bytes)) = inbound.receive().await {
        if outbound.write_all(&bytes).await.is_err() {
            return;
        }
    }
    let _ = outbound.shutdown().await;
}

async fn exchange(stream: &mut ByteStream, text: &[u8]) -> Vec<u8> {
    stream.write_all(text).await.unwrap();
    let mut answer = vec![0; text.len()];
    let read = within("an answer", stream.read_exact(&mut answer)).await;
    read.unwrap();
    answer
}

async fn receive(inbound: &mut Inbound, wanted: usize) -> usize {
    let mut total = 0;
    while total < wanted {
        total += inbound.receive().await.unwrap().expect("ended early").len();
    }
    total
}

#[tokio::test]
async fn our_client_talks_to_our_server_and_the_peer_is_named() {
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let bench = Bench::new(quick(), move |stream: ByteStream, peer: SshPeer| {
        told.send(peer.clone()).unwrap();
        echo(
            stream,
            SshPeer {
                principal: String::new(),
                address: ([0, 0, 0, 0], 0).into(),
                connection: 0,
                key: peer.key.clone(),
                login: server::ssh::Login::lasting(),
            },
        )
    });
    let mut stream = bench.connect().await.unwrap();
    assert_eq!(exchange(&mut stream, b"]]>]]>").await, b"]]>]]>");
    let peer = heard.recv().await.unwrap();
    assert_eq!(peer.principal, "operator");
    assert!(peer.address.ip().is_loopback());

    stream.shutdown().await.unwrap();
    let mut rest = Vec::new();
    within("the end", stream.read_to_end(&mut rest))
        .await
        .unwrap();
    assert!(rest.is_empty());
}

#[tokio::test]
async fn dropping_the_client_stream_ends_the_session_and_its_guards() {
    struct Guard(tokio::sync::mpsc::UnboundedSender<()>);
    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let bench = Bench::new(quick(), move |mut stream: ByteStream, _: SshPeer| {
        let guard = Guard(told.clone());
        async move {
            let _guard = guard;
            // Writes for ever, and so comes to wait for a window that never opens.
            while stream.write_all(&[b'x'; 65_536]).await.is_ok() {}
        }
    });
    let mut stream = bench.connect().await.unwrap();
    stream.read_u8().await.unwrap();
    drop(stream);
    within("the end of the session", heard.recv()).await;
    bench.until(|limiter| limiter.counts().sessions == 0).await;
}

#[tokio::test]
async fn a_connection_cut_without_a_word_ends_a_session_that_waits_to_write() {
    let running = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&running);
    let bench = Bench::new(quick(), move |mut stream: ByteStream, _: SshPeer| {
        struct Guard(Arc<AtomicUsize>);
        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        count.fetch_add(1, Ordering::SeqCst);
        let guard = Guard(Arc::clone(&count));
        async move {
            let _guard = guard;
            while stream.write_all(&[b'x'; 65_536]).await.is_ok() {}
        }
    });
    let (handle, _) = bare(&bench).await;
    let channel = open_netconf(&handle).await;
    bench.until(|_| running.load(Ordering::SeqCst) == 1).await;
    // The bare client's task is the only owner of the socket.
    drop((channel, handle));
    bench.until(|_| running.load(Ordering::SeqCst) == 0).await;
}

#[tokio::test]
async fn fifty_clients_at_the_same_instant_are_all_served() {
    let bench = Bench::echo();
    let connector = Connector::new(50, PATIENCE);
    let outcomes = connector.connect_many(vec![bench.target(); 50]).await;
    for outcome in outcomes {
        let mut stream = outcome.unwrap();
        assert_eq!(exchange(&mut stream, b"hello").await, b"hello");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_idle_sessions_leave_room_for_one_more() {
    let bench = Bench::echo();
    let connector = Connector::new(64, PATIENCE);
    let outcomes = connector.connect_many(vec![bench.target(); 500]).await;
    let idle: Vec<ByteStream> = outcomes.into_iter().map(Result::unwrap).collect();
    assert_eq!(bench.limiter.counts().sessions, 500);
    let mut one_more = bench.connect().await.unwrap();
    assert_eq!(exchange(&mut one_more, b"hello").await, b"hello");
    drop((idle, one_more));
    bench.until(|limiter| limiter.counts().sessions == 0).await;
}

#[tokio::test]
async fn a_client_that_sends_10_mb_before_it_reads_gets_it_all_back() {
    let bench = Bench::echo();
    let stream = bench.connect().await.unwrap();
    let sent = vec![b'x'; 10 << 20];
    // The echo waits in the client's own queue.
    let (mut inbound, mut outbound) = split(stream, 64 << 20);
    let written = within("all to be sent", outbound.write_all(&sent)).await;
    written.unwrap();
    let total = within("all to come back", receive(&mut inbound, sent.len())).await;
    assert_eq!(total, sent.len());
}

#[tokio::test]
async fn a_session_over_its_quota_ends_even_while_it_writes() {
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let bench = Bench::new(quick(), move |stream: ByteStream, _: SshPeer| {
        let told = told.clone();
        async move {
            let (mut inbound, mut outbound) = split(stream, 1 << 20);
            // Answers more than the client's window while the client sends on.
            while outbound.write_all(&[b'y'; 65_536]).await.is_ok() {}
            told.send(inbound.receive().await).unwrap();
        }
    });
    let (handle, _goodbyes) = bare(&bench).await;
    let channel = open_netconf(&handle).await;
    let mut writer = channel.make_writer();
    let sending = async { while writer.write_all(&[b'x'; 32_768]).await.is_ok() {} };
    let outcome = tokio::select! {
        outcome = within("the writer to be woken", heard.recv()) => outcome,
        () = sending => within("the writer to be woken", heard.recv()).await,
    };
    let error = outcome.unwrap().unwrap_err();
    assert!(matches!(error, InboundError::OverQuota { quota_bytes } if quota_bytes == 1 << 20));
}

#[tokio::test]
async fn a_reader_that_stops_reading_blocks_nobody_else() {
    let bench = Bench::new(
        quick(),
        |mut stream: ByteStream, peer: SshPeer| async move {
            match stream.read_u8().await {
                Ok(b'f') => while stream.write_all(&[b'x'; 65_536]).await.is_ok() {},
                _ => echo(stream, peer).await,
            }
        },
    );
    let mut deaf = Vec::new();
    for _ in 0..5 {
        let mut stream = bench.connect().await.unwrap();
        stream.write_u8(b'f').await.unwrap();
        stream.read_u8().await.unwrap();
        deaf.push(stream);
    }
    let mut lively = bench.connect().await.unwrap();
    lively.write_u8(b'e').await.unwrap();
    let begun = Instant::now();
    for _ in 0..100 {
        assert_eq!(exchange(&mut lively, b"hello").await, b"hello");
    }
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_users_file_dropped_in_works_at_once_and_until_it_is_removed() {
    let bench = Bench::echo();
    let newcomer = Arc::new(keys::generate("newcomer"));
    let target = Target {
        user: "newcomer".into(),
        key: Arc::clone(&newcomer),
        ..bench.target()
    };
    let connector = Connector::default();
    let refused = connector.connect(&target).await.unwrap_err();
    assert!(
        matches!(refused, ConnectError::AuthenticationRefused { user, .. } if user == "newcomer")
    );

    let file = bench.folder.path().join("users/newcomer.pub");
    keys::write_public(&file, newcomer.public_key()).unwrap();
    let mut stream = connector.connect(&target).await.unwrap();
    assert_eq!(exchange(&mut stream, b"hello").await, b"hello");

    std::fs::remove_file(file).unwrap();
    let refused = connector.connect(&target).await.unwrap_err();
    assert!(matches!(
        refused,
        ConnectError::AuthenticationRefused { .. }
    ));
}

/// Revokes every key once its holder has proved possession.
struct Fickle(KeyDirectory);

impl Authenticator for Fickle {
    fn authenticate(&self, user: &str, key: &PublicKey) -> Option<String> {
        self.0.authenticate(user, key)
    }

    fn still_admits(&self, _: &str, _: &KeyData) -> bool {
        false
    }
}

#[tokio::test]
async fn a_key_that_is_taken_away_between_its_proof_and_the_login_lets_nobody_in() {
    let served = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&served);
    let subsystem = move |stream: ByteStream, peer: SshPeer| {
        count.fetch_add(1, Ordering::Relaxed);
        echo(stream, peer)
    };
    let bench = Bench::with(quick(), subsystem, Fickle);
    assert!(bench.connect().await.is_err());
    bench.serving.close().await;
    assert_eq!(served.load(Ordering::Relaxed), 0);
}

/// While memory is short the platform's own principals are admitted, and no others.
#[tokio::test]
async fn while_memory_is_short_those_of_the_platform_alone_are_let_in() {
    let bench = Bench::echo();
    let guest = Arc::new(keys::generate("guest"));
    let file = bench.folder.path().join("users/guest.pub");
    keys::write_public(&file, guest.public_key()).unwrap();
    let target = Target {
        user: "guest".into(),
        key: guest,
        ..bench.target()
    };
    let accounts = Arc::new(Accounts::new(UserLimits::default()));
    bench.limiter.logins().heed(Arc::clone(&accounts));
    let connector = Connector::default();
    for short in [true, false] {
        accounts.short_of_memory().store(short, Ordering::Relaxed);
        let mut own = bench.connect().await.unwrap();
        assert_eq!(exchange(&mut own, b"hello").await, b"hello");
        assert_eq!(connector.connect(&target).await.is_ok(), !short);
    }
}

#[tokio::test]
async fn the_errors_of_connecting_are_told_apart() {
    let bench = Bench::echo();
    let connector = Connector::default();
    let known_hosts = bench.folder.path().join("known_hosts");
    let target = Target {
        host_key: HostKeyPolicy::KnownHosts(known_hosts.clone()),
        ..bench.target()
    };
    let error = connector.connect(&target).await.unwrap_err();
    assert!(
        matches!(error, ConnectError::HostKeyUnknown { .. }),
        "{error}"
    );

    let address = bench.serving.address();
    keys::write_known_hosts(&known_hosts, bench.host_key.public_key(), &[address]).unwrap();
    connector.connect(&target).await.unwrap();

    let other = keys::generate("other");
    keys::write_known_hosts(&known_hosts, other.public_key(), &[address]).unwrap();
    let error = connector.connect(&target).await.unwrap_err();
    assert!(
        matches!(error, ConnectError::HostKeyMismatch { .. }),
        "{error}"
    );
    let exact = Target {
        host_key: HostKeyPolicy::Exactly(other.public_key().clone()),
        ..bench.target()
    };
    let error = connector.connect(&exact).await.unwrap_err();
    assert!(
        matches!(error, ConnectError::HostKeyMismatch { .. }),
        "{error}"
    );

    let nowhere = Target {
        address: "127.0.0.1:1".into(),
        ..bench.target()
    };
    let error = connector.connect(&nowhere).await.unwrap_err();
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
    let nonsense = Target {
        address: "::1:x".into(),
        ..bench.target()
    };
    let error = connector.connect(&nonsense).await.unwrap_err();
    assert!(matches!(error, ConnectError::Address { .. }), "{error}");

    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mute = Target {
        address: silent.local_addr().unwrap().to_string(),
        ..bench.target()
    };
    let hasty = Connector::new(1, Duration::from_millis(50));
    let error = hasty.connect(&mute).await.unwrap_err();
    assert!(
        matches!(error, ConnectError::TimedOut { limit_ms: 50, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn one_session_too_many_is_sent_away_with_code_12() {
    let limits = SshLimits {
        sessions_max: 2,
        ..quick()
    };
    let bench = Bench::new(limits, echo);
    let first = bench.connect().await.unwrap();
    let _second = bench.connect().await.unwrap();
    let error = bench.connect().await.unwrap_err();
    assert!(
        matches!(error, ConnectError::SentAway { too_many: true, .. }),
        "{error:?}"
    );
    drop(first);
    bench.until(|limiter| limiter.counts().sessions == 1).await;
    bench.connect().await.unwrap();
}

#[tokio::test]
async fn closing_ends_every_session_and_frees_the_port() {
    let bench = Bench::echo();
    let target = bench.target();
    let mut streams = Vec::new();
    for _ in 0..10 {
        streams.push(bench.connect().await.unwrap());
    }
    let address = bench.serving.address();
    let begun = Instant::now();
    within("the server to close", bench.serving.close()).await;
    assert!(begun.elapsed() < Duration::from_secs(10));
    for stream in &mut streams {
        let mut rest = Vec::new();
        let _ = within("the end", stream.read_to_end(&mut rest)).await;
    }
    let error = Connector::default().connect(&target).await.unwrap_err();
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error}");
    SshListener::bind(address, &bench.host_key, &bench.limiter).unwrap();
}

#[tokio::test]
async fn a_handshake_that_dawdles_is_cut() {
    let limits = SshLimits {
        handshake: Duration::from_millis(100),
        ..quick()
    };
    let bench = Bench::new(limits, echo);
    let mut silent = TcpStream::connect(bench.serving.address()).await.unwrap();
    let mut half = TcpStream::connect(bench.serving.address()).await.unwrap();
    half.write_all(b"SSH-2.0-slow\r\n").await.unwrap();
    for loris in [&mut silent, &mut half] {
        let mut said = Vec::new();
        let _ = within("the cut", loris.read_to_end(&mut said)).await;
    }
    bench
        .until(|limiter| limiter.counts().unauthenticated == 0)
        .await;
}

#[tokio::test]
async fn sessions_outlive_the_handshake_limit() {
    let limits = SshLimits {
        handshake: Duration::from_millis(1500),
        ..quick()
    };
    let bench = Bench::new(limits, echo);
    let mut stream = bench.connect().await.unwrap();
    let mut silent = TcpStream::connect(bench.serving.address()).await.unwrap();
    let mut said = Vec::new();
    let _ = within("the cut", silent.read_to_end(&mut said)).await;
    assert_eq!(exchange(&mut stream, b"hello").await, b"hello");
}

#[tokio::test]
async fn a_flood_from_elsewhere_is_refused_while_a_login_succeeds() {
    let bench = Bench::echo();
    let address = bench.serving.address();
    let flood = tokio::spawn(async move {
        loop {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind(([127, 0, 0, 9], 0).into()).unwrap();
            if let Ok(mut stream) = socket.connect(address).await {
                let _ = stream.write_all(b"SSH-2.0-flood\r\n").await;
            }
        }
    });
    bench.until(|limiter| limiter.counts().refused > 50).await;
    let begun = Instant::now();
    let mut stream = bench.connect().await.unwrap();
    assert_eq!(exchange(&mut stream, b"hello").await, b"hello");
    // The promise is 2 s; a test asserts ten times its bound.
    assert!(begun.elapsed() < Duration::from_secs(20));
    flood.abort();
}

#[tokio::test]
async fn sockets_that_only_wait_leave_room_for_others() {
    let bench = Bench::echo();
    let mut idle = Vec::new();
    for _ in 0..300 {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 9], 0).into()).unwrap();
        idle.push(socket.connect(bench.serving.address()).await.unwrap());
    }
    bench.until(|limiter| limiter.counts().waiting > 0).await;
    let begun = Instant::now();
    bench.connect().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_refused_source_is_let_in_again() {
    let limits = SshLimits {
        refusal: Duration::from_millis(300),
        ..quick()
    };
    let bench = Bench::new(limits, echo);
    while bench.limiter.counts().refused == 0 {
        drop(TcpStream::connect(bench.serving.address()).await.unwrap());
        tokio::task::yield_now().await;
    }
    let recovered = async { while bench.connect().await.is_err() {} };
    within("the end of the refusal", recovered).await;
}

/// A client that accepts any host key, and notes the disconnect message.
struct Bare(tokio::sync::mpsc::UnboundedSender<Disconnect>);

impl client::Handler for Bare {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        _: &russh::keys::PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        Ok(true)
    }

    async fn disconnected(
        &mut self,
        reason: client::DisconnectReason<Self::Error>,
    ) -> Result<(), Self::Error> {
        if let client::DisconnectReason::ReceivedDisconnect(info) = reason {
            let _ = self.0.send(info.reason_code);
        }
        Ok(())
    }
}

type Goodbyes = tokio::sync::mpsc::UnboundedReceiver<Disconnect>;

async fn stranger(bench: &Bench) -> (client::Handle<Bare>, Goodbyes) {
    let (told, heard) = tokio::sync::mpsc::unbounded_channel();
    let config = Arc::new(client::Config::default());
    let handle = client::connect(config, bench.serving.address(), Bare(told))
        .await
        .unwrap();
    (handle, heard)
}

async fn bare(bench: &Bench) -> (client::Handle<Bare>, Goodbyes) {
    let (mut handle, heard) = stranger(bench).await;
    let key = PrivateKeyWithHashAlg::new(Arc::clone(&bench.key), None);
    let answer = handle
        .authenticate_publickey("operator", key)
        .await
        .unwrap();
    assert!(answer.success());
    (handle, heard)
}

async fn open_netconf(handle: &client::Handle<Bare>) -> russh::Channel<client::Msg> {
    let mut channel = handle.channel_open_session().await.unwrap();
    channel.request_subsystem(true, "netconf").await.unwrap();
    is_granted(&mut channel).await;
    channel
}

async fn verdict(channel: &mut russh::Channel<client::Msg>) -> Option<ChannelMsg> {
    loop {
        let message = within("a verdict", channel.wait()).await;
        if !matches!(message, Some(ChannelMsg::WindowAdjusted { .. })) {
            return message;
        }
    }
}

async fn is_refused(channel: &mut russh::Channel<client::Msg>) {
    let said = verdict(channel).await;
    assert!(matches!(said, Some(ChannelMsg::Failure)), "{said:?}");
}

async fn is_granted(channel: &mut russh::Channel<client::Msg>) {
    let said = verdict(channel).await;
    assert!(matches!(said, Some(ChannelMsg::Success)), "{said:?}");
}

/// Ends its connection with the session once something comes.
async fn hangs_up(stream: ByteStream, _: SshPeer) {
    let (mut inbound, outbound) = split(stream, 1 << 20);
    let _ = inbound.receive().await;
    outbound.hang_up();
}

#[tokio::test]
async fn a_connection_is_hung_up_with_the_last_session_on_it() {
    let bench = Bench::new(quick(), hangs_up);
    let (handle, mut goodbyes) = bare(&bench).await;
    let (mut first, mut last) = (open_netconf(&handle).await, open_netconf(&handle).await);
    first.data(&b"x"[..]).await.unwrap();
    while verdict(&mut first).await.is_some() {}
    // Another session is on it.
    assert!(goodbyes.try_recv().is_err());
    last.data(&b"x"[..]).await.unwrap();
    let said = within("a goodbye", goodbyes.recv()).await;
    assert!(matches!(said, Some(Disconnect::ByApplication)), "{said:?}");
    while verdict(&mut last).await.is_some() {}
}

#[tokio::test]
async fn only_publickey_is_offered_and_the_seventh_try_disconnects_with_code_14() {
    let bench = Bench::echo();
    let (mut handle, mut goodbyes) = stranger(&bench).await;
    let only_publickey = |answer: client::AuthResult| match answer {
        client::AuthResult::Failure {
            remaining_methods,
            partial_success,
        } => {
            assert_eq!(remaining_methods.to_vec(), [russh::MethodKind::PublicKey]);
            assert!(!partial_success);
        }
        client::AuthResult::Success => panic!("let in"),
    };
    only_publickey(handle.authenticate_none("operator").await.unwrap());
    only_publickey(
        handle
            .authenticate_password("operator", "operator")
            .await
            .unwrap(),
    );
    for _ in 0..4 {
        let wrong = PrivateKeyWithHashAlg::new(Arc::new(keys::generate("wrong")), None);
        only_publickey(
            handle
                .authenticate_publickey("operator", wrong)
                .await
                .unwrap(),
        );
    }
    // The right key, but too late.
    let right = PrivateKeyWithHashAlg::new(Arc::clone(&bench.key), None);
    let answer = handle.authenticate_publickey("operator", right).await;
    assert!(!answer.is_ok_and(|answer| answer.success()));
    let goodbye = within("a goodbye", goodbyes.recv()).await;
    assert!(
        matches!(goodbye, Some(Disconnect::NoMoreAuthMethodsAvailable)),
        "{goodbye:?}"
    );
}

#[tokio::test]
async fn a_rejection_takes_its_time_but_not_the_first_question() {
    let limits = SshLimits {
        rejection: Duration::from_millis(200),
        ..SshLimits::default()
    };
    let bench = Bench::new(limits, echo);
    let (mut handle, _goodbyes) = stranger(&bench).await;
    let asked = Instant::now();
    handle.authenticate_none("operator").await.unwrap();
    let first = asked.elapsed();
    let wrong = Arc::new(keys::generate("wrong"));
    for user in ["operator", "nobody"] {
        let asked = Instant::now();
        let key = PrivateKeyWithHashAlg::new(Arc::clone(&wrong), None);
        handle.authenticate_publickey(user, key).await.unwrap();
        assert!(asked.elapsed() >= Duration::from_millis(200));
    }
    assert!(first < Duration::from_millis(200), "{first:?}");
}

#[tokio::test]
async fn everything_but_the_subsystem_netconf_is_refused_at_once() {
    let bench = Bench::echo();
    let (handle, _goodbyes) = bare(&bench).await;
    let mut channel = handle.channel_open_session().await.unwrap();
    channel.request_subsystem(true, "sftp").await.unwrap();
    is_refused(&mut channel).await;
    channel.exec(true, "id").await.unwrap();
    is_refused(&mut channel).await;
    channel.request_shell(true).await.unwrap();
    is_refused(&mut channel).await;
    channel
        .request_pty(true, "vt100", 80, 24, 0, 0, &[])
        .await
        .unwrap();
    is_refused(&mut channel).await;
    channel.set_env(true, "LANG", "C").await.unwrap();
    is_refused(&mut channel).await;
    channel.agent_forward(true).await.unwrap();
    is_refused(&mut channel).await;
    assert!(
        handle
            .channel_open_direct_tcpip("127.0.0.1", 22, "127.0.0.1", 1)
            .await
            .is_err()
    );
    assert!(handle.tcpip_forward("127.0.0.1", 0).await.is_err());
    // And after all that, the same channel still may ask for the right one.
    channel.request_subsystem(true, "netconf").await.unwrap();
    is_granted(&mut channel).await;
    // But not twice.
    channel.request_subsystem(true, "netconf").await.unwrap();
    is_refused(&mut channel).await;
}

#[tokio::test]
async fn data_before_the_subsystem_ends_the_connection() {
    let bench = Bench::echo();
    let (handle, _goodbyes) = bare(&bench).await;
    let mut channel = handle.channel_open_session().await.unwrap();
    let _ = channel.data_bytes(&b"too early"[..]).await;
    assert!(verdict(&mut channel).await.is_none());
    bench.until(|limiter| limiter.counts().sessions == 0).await;
}

#[tokio::test]
async fn ten_channels_share_a_connection_and_an_eleventh_does_not() {
    let bench = Bench::echo();
    let (handle, _goodbyes) = bare(&bench).await;
    let mut channels = Vec::new();
    for number in 0..10u8 {
        let mut channel = open_netconf(&handle).await;
        channel.data_bytes(vec![number]).await.unwrap();
        match verdict(&mut channel).await {
            Some(ChannelMsg::Data { data }) => assert_eq!(data[..], [number]),
            other => panic!("{other:?}"),
        }
        channels.push(channel);
    }
    assert!(handle.channel_open_session().await.is_err());
    assert_eq!(bench.limiter.counts().sessions, 10);
    let second = channels.remove(1);
    second.eof().await.unwrap();
    bench.until(|limiter| limiter.counts().sessions < 10).await;
    open_netconf(&handle).await;
}
