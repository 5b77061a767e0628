//! An unreliable network, by seed: a TCP proxy on loopback in front of a server.
//!
//! It causes the failures that TCP allows, at positions in the byte stream chosen by the seed: a
//! connection is late, slow or silent in one direction; it is closed, reset or half-closed; a byte
//! is changed; and temporary partitions affect all connections. It causes nothing that TCP
//! excludes: the bytes of a connection arrive in order or not at all; otherwise SSH's MAC, which
//! covers the sequence number of each packet (RFC 4253 §6.4), would end the connection as it does
//! for a changed byte. Only connections are reordered: one is held while later ones pass, and so
//! are requests and answers of several sessions.
//!
//! Knows bytes and no protocol. Pauses are real and end by themselves; no result depends on them.
//! Read next: `partition.rs`.

use harness::rng::SeededRng;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The most bytes of one direction between two faults.
const BETWEEN: usize = 8_000;
/// Bytes at a time on a slow connection.
const TRICKLE: usize = 16;

/// A fault of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// One direction is delayed once.
    Delay,
    /// One direction is slow for some bytes.
    Throttle,
    /// One direction is silent for a longer time.
    Stall,
    /// The connection is closed on both sides (FIN).
    Close,
    /// The connection is reset on both sides (RST).
    Reset,
    /// One direction is closed, the other stays open.
    HalfClose,
    /// A byte of one direction is changed.
    Spoil,
    /// A new connection waits while later ones pass.
    Hold,
    /// Nothing passes for a while, on any connection; then all continue.
    Partition,
    /// A partition after which earlier connections are reset.
    Loss,
}

/// The number of faults of each kind, and of connections that overtook an earlier one.
pub type Tally = BTreeMap<String, u64>;

/// The reason for the end of a connection.
enum End {
    Closed,
    Reset,
}

/// The proxy; its connections are reset when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    /// Where connections lead, in turn.
    targets: Mutex<Vec<SocketAddr>>,
    seed: u64,
    /// By how many milliseconds all that passes is late.
    late_ms: AtomicU64,
    /// True once there are no more faults.
    healed: watch::Sender<bool>,
    /// The number of current partitions.
    parted: watch::Sender<usize>,
    /// Incremented to reset all connections.
    resets: watch::Sender<u64>,
    tally: Mutex<Tally>,
    /// The greatest number of a connection that has passed.
    last: AtomicU64,
}

impl Proxy {
    /// A proxy in front of a server, with faults by the seed; seed 0 has none but [`Self::part`].
    ///
    /// # Panics
    /// If there is no port.
    pub async fn before(target: SocketAddr, seed: u64) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            targets: Mutex::new(vec![target]),
            seed,
            late_ms: AtomicU64::new(0),
            healed: watch::Sender::new(seed == 0),
            parted: watch::Sender::new(0),
            resets: watch::Sender::new(0),
            tally: Mutex::default(),
            last: AtomicU64::new(0),
        });
        let accepted = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            for number in 1.. {
                let Ok((client, _)) = listener.accept().await else {
                    return;
                };
                tokio::spawn(Arc::clone(&accepted).carry(client, number));
            }
        });
        Self {
            address,
            shared,
            accepting,
        }
    }

    /// The address for clients.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends all faults; held connections continue.
    pub fn heal(&self) {
        self.shared.healed.send_replace(true);
    }

    /// Stops all traffic, until [`Self::join`].
    pub fn part(&self) {
        self.shared.parted.send_modify(|parted| *parted += 1);
    }

    /// Ends a stop of all traffic; held connections continue.
    pub fn join(&self) {
        self.shared.parted.send_modify(|parted| *parted -= 1);
    }

    /// Lets later connections lead elsewhere.
    ///
    /// # Panics
    /// If a thread that asked where to has panicked.
    pub fn lead_to(&self, target: SocketAddr) {
        self.balance(vec![target]);
    }

    /// Lets later connections lead to these in turn, as a load balancer does.
    ///
    /// # Panics
    /// If a thread that asked where to has panicked.
    pub fn balance(&self, targets: Vec<SocketAddr>) {
        *self.shared.targets.lock().unwrap() = targets;
    }

    /// Delays all that passes by this time, a few kilobytes after the other: slow as well as late.
    pub fn delay(&self, by: Duration) {
        self.shared.late_ms.store(by.as_millis() as u64, SeqCst);
    }

    /// Resets all connections.
    pub fn cut(&self) {
        self.shared.resets.send_modify(|resets| *resets += 1);
    }

    /// The faults so far.
    ///
    /// # Panics
    /// If a thread that counted has panicked.
    pub fn tally(&self) -> Tally {
        self.shared.tally.lock().unwrap().clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

impl Shared {
    fn count(&self, what: &str) {
        *self
            .tally
            .lock()
            .unwrap()
            .entry(what.to_owned())
            .or_default() += 1;
    }

    fn target(&self, connection: u64) -> SocketAddr {
        let targets = self.targets.lock().unwrap();
        targets[connection as usize % targets.len()]
    }

    fn is_healed(&self) -> bool {
        *self.healed.borrow()
    }

    /// Waits, unless faults have ended.
    async fn pause(&self, ms: usize) {
        let mut healed = self.healed.subscribe();
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(ms as u64)) => {}
            _ = healed.wait_for(|healed| *healed) => {}
        }
    }

    /// Waits until traffic may pass.
    async fn passable(&self) {
        let mut parted = self.parted.subscribe();
        // Its sender is held here.
        drop(parted.wait_for(|parted| *parted == 0).await);
    }

    /// Waits for as long as all is late.
    async fn late(&self) {
        match self.late_ms.load(SeqCst) {
            0 => {}
            ms => tokio::time::sleep(Duration::from_millis(ms)).await,
        }
    }

    /// Stops all traffic for this time.
    fn partition(self: &Arc<Self>, ms: usize, is_lost: bool) {
        let shared = Arc::clone(self);
        shared.parted.send_modify(|parted| *parted += 1);
        tokio::spawn(async move {
            shared.pause(ms).await;
            if is_lost {
                shared.resets.send_modify(|resets| *resets += 1);
            }
            shared.parted.send_modify(|parted| *parted -= 1);
        });
    }

    /// Forwards one connection, from its acceptance to its end.
    async fn carry(self: Arc<Self>, client: TcpStream, number: u64) {
        let mut resets = self.resets.subscribe();
        let mut rng = SeededRng::of(self.seed, &[number]);
        if !self.is_healed() && rng.once_in(4) {
            self.count(&format!("{:?}", Fault::Hold));
            self.pause(rng.below(150)).await;
        }
        self.passable().await;
        let target = self.target(number);
        let Ok(server) = TcpStream::connect(target).await else {
            let _ = client.set_zero_linger();
            return;
        };
        if self.last.fetch_max(number, SeqCst) > number {
            self.count("Overtaken");
        }
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let plans = [0, 1].map(|direction| Plan::new(&self, number, direction));
        let [mut up, mut down] = plans;
        let passing = async {
            tokio::try_join!(
                up.pass(&mut from_client, &mut to_server),
                down.pass(&mut from_server, &mut to_client)
            )
        };
        let end = tokio::select! {
            passed = passing => passed.err().unwrap_or(End::Closed),
            _ = resets.changed() => End::Reset,
        };
        if let End::Reset = end {
            let _ = (
                to_client.as_ref().set_zero_linger(),
                to_server.as_ref().set_zero_linger(),
            );
            // Dropped they would be shut down first.
            to_client.forget();
            to_server.forget();
        }
    }
}

/// The faults of one direction of a connection.
struct Plan {
    shared: Arc<Shared>,
    rng: SeededRng,
    /// Bytes until the next fault.
    left: usize,
    /// The number of bytes that pass slowly.
    slow: usize,
    spoils: bool,
}

impl Plan {
    fn new(shared: &Arc<Shared>, connection: u64, direction: u64) -> Self {
        let mut rng = SeededRng::of(shared.seed, &[connection, direction]);
        Self {
            left: 1 + rng.below(BETWEEN),
            shared: Arc::clone(shared),
            rng,
            slow: 0,
            spoils: false,
        }
    }

    /// Forwards input to its end.
    async fn pass(&mut self, from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf) -> Result<(), End> {
        let mut buffer = [0; 4_096];
        loop {
            let length = from.read(&mut buffer).await.map_err(|_| End::Reset)?;
            self.shared.passable().await;
            self.shared.late().await;
            if length == 0 {
                return to.shutdown().await.map_err(|_| End::Reset);
            }
            let mut bytes = &mut buffer[..length];
            while !bytes.is_empty() {
                let most = match self.shared.is_healed() {
                    true => bytes.len(),
                    false => bytes.len().min(self.left),
                };
                let (passing, rest) = bytes.split_at_mut(most);
                self.write(passing, to).await?;
                bytes = rest;
                if !self.shared.is_healed() {
                    self.left -= most;
                    if self.left == 0 && self.fails(to).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn write(&mut self, bytes: &mut [u8], to: &mut OwnedWriteHalf) -> Result<(), End> {
        if std::mem::take(&mut self.spoils) {
            bytes[0] ^= 1;
        }
        let (slow, fast) = bytes.split_at(self.slow.min(bytes.len()));
        self.slow -= slow.len();
        for piece in slow.chunks(TRICKLE) {
            to.write_all(piece).await.map_err(|_| End::Reset)?;
            self.shared.pause(1).await;
        }
        to.write_all(fast).await.map_err(|_| End::Reset)
    }

    /// Causes the next fault; true if nothing more passes in this direction.
    async fn fails(&mut self, to: &mut OwnedWriteHalf) -> Result<bool, End> {
        let rng = &mut self.rng;
        self.left = 1 + rng.below(BETWEEN);
        let fault = match rng.below(20) {
            0..=5 => Fault::Delay,
            6..=8 => Fault::Throttle,
            9..=11 => Fault::Stall,
            12 | 13 => Fault::Close,
            14 | 15 => Fault::Reset,
            16 => Fault::HalfClose,
            17 => Fault::Spoil,
            18 => Fault::Partition,
            _ => Fault::Loss,
        };
        self.shared.count(&format!("{fault:?}"));
        match fault {
            Fault::Delay | Fault::Hold => self.shared.pause(1 + rng.below(30)).await,
            Fault::Throttle => self.slow = 100 + rng.below(1_500),
            Fault::Stall => self.shared.pause(100 + rng.below(300)).await,
            Fault::Close => return Err(End::Closed),
            Fault::Reset => return Err(End::Reset),
            Fault::HalfClose => {
                let _ = to.shutdown().await;
                return Ok(true);
            }
            Fault::Spoil => self.spoils = true,
            Fault::Partition => self.shared.partition(100 + rng.below(300), false),
            Fault::Loss => self.shared.partition(100 + rng.below(300), true),
        }
        self.shared.passable().await;
        Ok(false)
    }
}
