//! A node in front of a platform: it accepts the clients of a cluster and forwards them to the one that leads.
//!
//! The lead may move at any moment. It moves to the same platform, which then is to its sessions what the next
//! one would be: it knows nothing of them but what the node has kept. Read next: [`crate::ssh`].

use server::cluster::forward::Leader;
use server::cluster::identity::{ClusterKey, Identity};
use server::cluster::{Forwarding, ForwardingSetup};
use server::fair::FairShares;
use server::host::{Endpoint, Host};
use server::ssh::{ConnectionLimiter, KeyDirectory, SshLimits, SshListener, SshServing};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// A node that forwards, and the one that leads.
pub struct Node {
    leader: watch::Sender<Option<Leader>>,
    leading: Arc<Forwarding>,
    _forwarding: Arc<Forwarding>,
    listening: Vec<(Endpoint, SshServing)>,
    epoch: u64,
}

impl Node {
    /// A node that forwards to `host`, with an endpoint for each of its endpoints.
    ///
    /// # Panics
    /// If there are no sockets or keys.
    pub async fn before(host: &Host) -> Self {
        let (leader, led) = watch::channel(None);
        let (leading, address) = forwarding("leading", led.clone()).await;
        let (forwarding, _) = forwarding("forwarding", led).await;
        let keys = host.keys.as_ref().expect("a host with listeners has keys");
        let host_key = keys.host().expect("the host key is there");
        let limiter = ConnectionLimiter::new(SshLimits::default());
        let operator = keys.operator().expect("the operator has a key");
        let mut known = KeyDirectory::new(keys.users())
            .with_agents(keys.agents())
            .with_key("operator", operator.public_key());
        for profile in &host.profiles {
            let key = keys.agent(&profile.name).expect("agents have keys");
            known = known.with_key(&profile.name, key.public_key());
        }
        let known = Arc::new(known);
        let listening = host.listening.iter().map(|of| {
            let any = SocketAddr::from(([127, 0, 0, 1], 0));
            let listener = SshListener::bind(any, &host_key, &limiter).expect("ports are free");
            let subsystem = forwarding.subsystem(of.endpoint.clone());
            (
                of.endpoint.clone(),
                listener.serve(known.clone(), subsystem),
            )
        });
        let listening = listening.collect();
        let mut node = Self {
            leader,
            leading,
            _forwarding: forwarding,
            listening,
            epoch: 0,
        };
        node.leads(host, &address);
        node
    }

    /// The address of an endpoint.
    pub fn address_of(&self, endpoint: &Endpoint) -> Option<SocketAddr> {
        let mut all = self.listening.iter();
        all.find(|(of, _)| of == endpoint)
            .map(|(_, serving)| serving.address())
    }

    /// Takes the lead away, and gives it to `host` again.
    pub fn moves(&mut self, host: &Host) {
        let known = self.leader.borrow().clone();
        self.leading.leads_no_more();
        self.leads(host, &known.expect("somebody led").address);
    }

    fn leads(&mut self, host: &Host, address: &str) {
        self.leading.leads(host, Arc::new(|| true));
        self.epoch += 1;
        self.leader.send_replace(Some(Leader {
            node: "leading".to_owned(),
            address: address.to_owned(),
            epoch: self.epoch,
        }));
    }
}

/// One node's part in the cluster, and the address of its channel.
async fn forwarding(
    node: &str,
    leader: watch::Receiver<Option<Leader>>,
) -> (Arc<Forwarding>, String) {
    let socket = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("ports are free");
    let address = socket.local_addr().expect("it is bound").to_string();
    let setup = ForwardingSetup {
        identity: Identity::issue(&ClusterKey::new([7; 32]), node).expect("certificates are made"),
        leader,
        quotas: Default::default(),
        shares: Arc::new(FairShares::of_this_machine()),
    };
    (Forwarding::start(setup, socket), address)
}
