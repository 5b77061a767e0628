//! `convoke serve --node`: a platform as one of several nodes, standing by and leading in turn.
//!
//! Each time that it has the lead the platform is composed anew, behind the sockets of the node. Read
//! next: [`server::cluster`]; [`crate::serving`], a platform alone.

use crate::cli::Common;
use crate::output::{self, Failure, line};
use crate::serving::{Serving, announce, asked_to_end, nobody, tell_of};
use domain::inventory::Inventory;
use markup::words::legible_line;
use serde_json::{Value, json};
use server::clock::Clock;
use server::cluster::membership::MembershipError;
use server::cluster::{ClusterNode, Fence, Lease, NodeError, NodeNews};
use server::config::{Settings, SettingsError};
use server::host::{Home, Host, Seat, StartError};
use server::managed::{ManagedNetwork, SurveyError, SystemSummary, survey};
use server::roster::Roster;
use server::runtime::{Network, Runtime};
use server::state::StateFolder;
use std::pin::Pin;
use std::sync::Arc;

/// Resolves when the process is asked to end.
type Ended<'e> = Pin<&'e mut (dyn Future<Output = ()> + Send)>;

/// The agents of the settings.
pub(crate) type Agents = fn(&Settings) -> Result<Roster, SettingsError>;

/// Why a node that leads does so no more.
enum Leaves {
    /// The process was asked to end.
    Ended,
    /// The lead is to be another node's.
    Relieved(String),
}

impl From<NodeError> for Failure {
    fn from(error: NodeError) -> Self {
        match error {
            NodeError::Start(error) => error.into(),
            NodeError::Membership(MembershipError::Open(error)) => StartError::from(error).into(),
            NodeError::Membership(error @ MembershipError::NameTaken(_)) => {
                Self::conflict(error.to_string())
            }
            other => Self::failed(other.to_string()),
        }
    }
}

/// Runs the node in the settings until it is asked to end.
pub(crate) async fn run(serving: Serving<'_>, agents: Agents) -> Result<(), Failure> {
    let Serving {
        common,
        folder,
        settings,
        ..
    } = serving;
    let roster = agents(&settings).map_err(StartError::from)?;
    let node = ClusterNode::start(&folder, &settings, &roster).await?;
    // Whoever hears that it is ready may end it at once, and it is to end in order.
    let mut ended = std::pin::pin!(asked_to_end()?);
    announce(common, node.listening(), node.http());
    let mut life = Life {
        common,
        agents,
        folder,
        settings,
        node,
    };
    let lived = life.live(ended.as_mut()).await;
    life.node.leaves().await;
    lived
}

/// A node, and what it composes a platform of.
struct Life<'l> {
    common: &'l Common,
    agents: Agents,
    folder: StateFolder,
    settings: Settings,
    node: ClusterNode,
}

impl Life<'_> {
    async fn live(&mut self, mut ended: Ended<'_>) -> Result<(), Failure> {
        loop {
            let common = self.common;
            let lease = tokio::select! {
                taken = self.node.takes_lead(|now| tell_standing(common, &now)) => taken?,
                () = ended.as_mut() => return Ok(()),
            };
            let led = self.lead(lease.clone(), ended.as_mut()).await;
            let heir = match &led {
                Ok(Leaves::Relieved(heir)) => Some(heir.clone()),
                Ok(Leaves::Ended) | Err(_) => None,
            };
            self.node.gives_back(lease, heir).await?;
            match led? {
                Leaves::Ended => return Ok(()),
                Leaves::Relieved(_) => {}
            }
        }
    }

    /// Leads with a platform on the network in the settings.
    async fn lead(&mut self, lease: Lease, mut ended: Ended<'_>) -> Result<Leaves, Failure> {
        let fence = Fence::of(lease.clone());
        fence.watch().map_err(StartError::Threads)?;
        let speed = self.settings.speed.unwrap_or(1.0);
        let clock = Arc::new(Clock::wall().at_speed(speed).fenced(fence));
        if self.settings.ems.iter().flatten().next().is_none() {
            let alone = |host| Runtime::new(host, (), nobody());
            return self.on(lease, clock, Arc::default(), alone, ended).await;
        }
        let surveyed = tokio::select! {
            surveyed = survey(&self.settings, &clock) => surveyed,
            () = ended.as_mut() => return Ok(Leaves::Ended),
        };
        let surveyed = surveyed.map_err(|error| match error {
            SurveyError::Settings(error) => StartError::from(error).into(),
            nothing => Failure::failed(nothing.to_string()),
        })?;
        let systems: Vec<SystemSummary> = surveyed.summaries().collect();
        systems.iter().for_each(|it| tell_of(self.common, it));
        let inventory = Arc::clone(surveyed.inventory());
        let managed = |host: Arc<Host>| {
            let network = ManagedNetwork::new(surveyed, host.posts.clone(), host.platform.engine());
            Runtime::new(host, network, nobody())
        };
        self.on(lease, clock, inventory, managed, ended).await
    }

    async fn on<N: Network>(
        &mut self,
        lease: Lease,
        clock: Arc<Clock>,
        inventory: Arc<Inventory>,
        runtime: impl FnOnce(Arc<Host>) -> Runtime<N>,
        mut ended: Ended<'_>,
    ) -> Result<Leaves, Failure> {
        let roster = (self.agents)(&self.settings).map_err(StartError::from)?;
        let seat = Seat {
            lease: lease.clone(),
            listening: self.node.listening().to_vec(),
            http: self.node.http(),
        };
        let home = Home::Leading(self.folder.clone(), seat);
        let host = Host::start(home, &self.settings, roster, inventory, Arc::clone(&clock)).await?;
        let host = Arc::new(host);
        let mut runtime = runtime(Arc::clone(&host));
        // Clients have waited for a leader, and may ask at once.
        runtime.brief().await;
        // Agents are clients of this node, and speak to each other as they begin.
        self.node.leads(&host, &lease);
        runtime.settle().await;
        tell(
            self.common,
            json!({ "event": "leading", "epoch": lease.epoch() }),
            &format!("leads since epoch {}", lease.epoch()),
        );
        let mut leaves = None;
        let stop = async {
            let why = tokio::select! {
                () = ended.as_mut() => Ok(Leaves::Ended),
                why = host.failed() => Err(Failure::failed(why)),
                heir = self.node.relieved() => heir.map(Leaves::Relieved).map_err(Failure::from),
            };
            leaves = Some(why);
        };
        runtime.live(stop).await;
        let failed = host.has_failed();
        self.node.stops_leading().await;
        drop(host);
        runtime.end().await;
        match (leaves, failed) {
            (Some(leaves), _) => leaves,
            (None, Some(why)) => Err(Failure::failed(why)),
            (None, None) => Ok(Leaves::Ended),
        }
    }
}

/// Prints what changed while the node stands by.
fn tell_standing(common: &Common, now: &NodeNews) {
    let (event, words) = match now {
        NodeNews::By(leader) => (
            json!({ "event": "standing-by", "leader": leader }),
            match leader {
                Some(leader) => format!("standing by; {} leads", legible_line(leader)),
                None => "standing by; nobody leads".to_owned(),
            },
        ),
        NodeNews::RulesDiffer => (
            json!({ "event": "rules-differ" }),
            "standing by, and cannot lead: access.toml, users/, agents/, revoked_certificates, what was revoked in \
             tokens/, host_ed25519 or operator_ed25519 is not as it was with the last leader; make them alike \
             (`convoke cluster sync`), or start once with --accept-rules"
                .to_owned(),
        ),
        NodeNews::Drained => (
            json!({ "event": "drained" }),
            "standing by, and will not lead: it was asked not to".to_owned(),
        ),
    };
    tell(common, event, &words);
}

fn tell(common: &Common, event: Value, words: &str) {
    match common.json {
        true => output::json(&event),
        false => line(words),
    }
}
