//! Nodes in front of a platform: they accept the clients of a cluster and forward them to the one that leads.
//!
//! The lead may move at any moment, to the same platform or another one: it knows nothing of its sessions but
//! what the node has kept. Read next: [`crate::ssh`].

use engine::Quotas;
use server::clock::Clock;
use server::cluster::identity::{ChannelIdentity, ClusterKey};
use server::cluster::leader::{Leader, LeaderWatch};
use server::cluster::{Forwarding, ForwardingSetup};
use server::config::HttpSettings;
use server::fair::FairShares;
use server::host::{Endpoint, Host};
use server::http::{HttpListener, HttpServing};
use server::revocation::{KeyHolders, Seen, watch_keys};
use server::ssh::{ConnectionLimiter, KeyDirectory, SshLimits, SshListener, SshServing};
use server::state::StateFolder;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A node that forwards, and the channel of the one that leads.
pub struct Node {
    leader: watch::Sender<Option<Leader>>,
    leading: Arc<Forwarding>,
    /// Where the one that leads is reached.
    address: String,
    first: NodeListeners,
    others: Vec<NodeListeners>,
    epoch: u64,
}

/// What a node accepts clients with.
struct NodeListeners {
    forwarding: Arc<Forwarding>,
    listening: Vec<(Endpoint, SshServing)>,
    http: Option<(SocketAddr, HttpServing)>,
    limiter: Arc<ConnectionLimiter>,
    keys: JoinHandle<()>,
}

impl Node {
    /// A node that forwards to `host`, with an endpoint for each of its endpoints, and an HTTP server if it
    /// has one.
    ///
    /// # Panics
    /// If there are no sockets or keys.
    pub async fn before(host: &Host) -> Self {
        Self::bounded(host, Quotas::default()).await
    }

    /// The same, at which a user may hold so much.
    ///
    /// # Panics
    /// If there are no sockets or keys.
    pub async fn bounded(host: &Host, quotas: Quotas) -> Self {
        let (leader, led) = watch::channel(None);
        let (leading, address) = forwarding("leading", led.clone(), Quotas::default()).await;
        let (forwarding, _) = forwarding("forwarding", led, quotas).await;
        let mut node = Self {
            leader,
            leading,
            address,
            first: NodeListeners::open(forwarding, host),
            others: Vec::new(),
            epoch: 0,
        };
        node.leads(host);
        node
    }

    /// The same with another node that forwards, and with clients at the one that leads: three in all.
    ///
    /// # Panics
    /// If there are no sockets or keys.
    pub async fn and_others(mut self, host: &Host) -> Self {
        let led = self.leader.subscribe();
        let (other, _) = forwarding("other", led, Quotas::default()).await;
        let leading = Arc::clone(&self.leading);
        self.others = [other, leading]
            .map(|it| NodeListeners::open(it, host))
            .into();
        self
    }

    /// The address of an endpoint at one of the nodes, in turn: the last of three is the one that leads.
    pub fn address_at(&self, turn: usize, endpoint: &Endpoint) -> Option<SocketAddr> {
        match turn % (1 + self.others.len()) {
            0 => self.address_of(endpoint),
            other => self.others[other - 1].address_of(endpoint),
        }
    }

    /// The address of an endpoint.
    pub fn address_of(&self, endpoint: &Endpoint) -> Option<SocketAddr> {
        self.first.address_of(endpoint)
    }

    /// The address of the channel of the one that leads.
    pub fn channel(&self) -> &str {
        &self.address
    }

    /// How many connections over HTTP, of clients at nodes, the one that leads knows.
    pub fn known_connections(&self) -> usize {
        self.leading.known_connections()
    }

    /// How many bytes the sessions and requests of a user hold at this node.
    pub fn held(&self, user: &str) -> usize {
        self.first.forwarding.accounts().hold(user).of_user()
    }

    /// How many sessions are at this node.
    pub fn sessions(&self) -> usize {
        self.first.limiter.counts().sessions
    }

    /// The address of the HTTP server.
    pub fn http(&self) -> Option<SocketAddr> {
        self.first.http.as_ref().map(|(address, _)| *address)
    }

    /// Takes the lead away, and gives it to `host`, which may have had it.
    pub async fn moves(&mut self, host: &Host) {
        self.leading.leads_no_more().await;
        self.serves(host);
    }

    /// Takes the lead away; nobody has it then.
    pub async fn is_left(&mut self) {
        self.leading.leads_no_more().await;
        self.leader.send_replace(None);
    }

    /// The node that leads is lost, with all connections to it, and nobody has the lead.
    pub async fn loses_its_leader(&mut self) {
        self.leader.send_replace(None);
        let led = self.leader.subscribe();
        let (leading, address) = forwarding("leading", led, Quotas::default()).await;
        (self.leading, self.address) = (leading, address);
    }

    /// Gives `host` the lead, which has not had it before.
    pub fn leads(&mut self, host: &Host) {
        let first = ((self.epoch % 4_096) as u32) << 20;
        host.platform.number_sessions_from(first);
        self.serves(host);
    }

    fn serves(&mut self, host: &Host) {
        self.leading.leads(host);
        self.epoch += 1;
        self.leader.send_replace(Some(Leader {
            node: "leading".to_owned(),
            address: self.address.clone(),
            epoch: self.epoch,
        }));
    }
}

impl NodeListeners {
    fn open(forwarding: Arc<Forwarding>, host: &Host) -> Self {
        let keys = host.keys.as_ref().expect("a host with listeners has keys");
        let host_key = keys.host().expect("the host key is there");
        let limiter = ConnectionLimiter::new(SshLimits::default());
        let users = keys.users();
        let folder = StateFolder::new(users.parent().expect("it is in the folder"));
        let seen = Seen::of(&folder);
        let authenticator = forwarding.witnessed(known(host));
        let listening = host.listening.iter().map(|of| {
            let listener = SshListener::bind(any(), &host_key, &limiter).expect("ports are free");
            let serving = forwarding.ssh(listener, of.endpoint.clone(), &authenticator);
            (of.endpoint.clone(), serving)
        });
        let listening = listening.collect();
        let http = host.http.map(|_| {
            let listener = HttpListener::bind(any()).expect("ports are free");
            let address = listener.address();
            let (settings, clock) = (HttpSettings::default(), Arc::new(Clock::wall()));
            let serving = forwarding.http(listener, &settings, &folder, &clock);
            (address, serving.expect("tokens can be had"))
        });
        let holders = KeyHolders {
            authenticator: Arc::clone(&authenticator),
            logins: Arc::clone(limiter.logins()),
        };
        Self {
            forwarding,
            listening,
            http,
            limiter,
            keys: watch_keys(folder, seen, holders),
        }
    }

    fn address_of(&self, endpoint: &Endpoint) -> Option<SocketAddr> {
        let mut all = self.listening.iter();
        all.find(|(of, _)| of == endpoint)
            .map(|(_, serving)| serving.address())
    }
}

impl Drop for NodeListeners {
    fn drop(&mut self) {
        self.keys.abort();
    }
}

fn any() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

/// Whom the files of the folder let in.
fn known(host: &Host) -> KeyDirectory {
    let keys = host.keys.as_ref().expect("a host with listeners has keys");
    let operator = keys.operator().expect("the operator has a key");
    let mut known = KeyDirectory::new(keys.users())
        .with_agents(keys.agents())
        .with_key("operator", operator.public_key());
    for profile in &host.profiles {
        let key = keys.agent(&profile.name).expect("agents have keys");
        known = known.with_key(&profile.name, key.public_key());
    }
    known
}

/// One node's part in the cluster, and the address of its channel.
async fn forwarding(node: &str, leader: LeaderWatch, quotas: Quotas) -> (Arc<Forwarding>, String) {
    let socket = TcpListener::bind(any()).await.expect("ports are free");
    let address = socket.local_addr().expect("it is bound").to_string();
    let setup = ForwardingSetup {
        identity: ChannelIdentity::issue(&ClusterKey::new([7; 32]), node)
            .expect("certificates are made"),
        leader,
        quotas,
        shares: Arc::new(FairShares::of_this_machine()),
    };
    (Forwarding::start(setup, socket), address)
}
