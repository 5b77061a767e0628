//! What a node knows of the others, and they of it: a thread that asks the directory again and again.
//!
//! It goes on while the node leads, so that everybody sees it and it hears what it is asked for. Read next:
//! [`super::node`], which acts upon it; `store::lead`.

use super::leader::{Leader, LeaderWatch};
use super::rules::{self, RulesError};
use crate::state::StateFolder;
use domain::cluster::NodeRequest;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use store::lead::{Announced, Announcement, Directory, LeadRow, Lease, NodeRow};
use store::{OpenError, PostgresAddress, SqlFailure};
use tokio::sync::{oneshot, watch};
use tracing::{debug, warn};

/// The time between two looks at who leads.
const LOOK: Duration = Duration::from_millis(150);

/// The time between two announcements.
const ANNOUNCE: Duration = Duration::from_millis(500);

/// The time between two readings of the rules in the folder.
const READ_RULES: Duration = Duration::from_secs(2);

/// The word for a node that leads.
pub const LEADING: &str = "leading";
/// The word for a node that stands by.
pub const STANDING_BY: &str = "standing-by";
/// The word for a node that was asked not to lead.
pub const DRAINING: &str = "draining";

/// What a node knows, as last seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterView {
    /// Who leads, or did last; none before the first look.
    pub lead: Option<LeadRow>,
    /// All nodes, by name.
    pub nodes: Vec<NodeRow>,
    /// What is asked of this node.
    pub requested: Option<NodeRequest>,
    /// The digest of the rules in its folder; empty if they cannot be read.
    pub rules: String,
    /// True if another process has its name by now.
    pub taken: bool,
    /// True if the last look succeeded.
    pub reached: bool,
    /// How often the lead was seen to be taken, but not by whom it was had at the first look.
    pub takeovers: u64,
}

impl ClusterView {
    /// The digest of the rules in force is not that of this node.
    pub fn rules_differ(&self) -> bool {
        let lead = self.lead.as_ref();
        lead.is_some_and(|lead| !lead.rules.is_empty() && lead.rules != self.rules)
    }

    /// Who leads now.
    pub fn leader(&self) -> Option<Leader> {
        let lead = self.lead.as_ref().filter(|lead| lead.held)?;
        let node = self.nodes.iter().find(|node| node.name == lead.node);
        Some(Leader {
            node: lead.node.clone(),
            address: node.map(|node| node.address.clone()).unwrap_or_default(),
            epoch: lead.epoch,
        })
    }
}

/// What a node is, for the directory.
#[derive(Clone, Debug)]
pub struct NodeIdentity {
    /// Its name.
    pub name: String,
    /// What tells its folder on this machine from all others.
    pub place: String,
    /// Where others reach it.
    pub address: String,
}

/// The reason for which a node is not among the others.
#[derive(Debug, thiserror::Error)]
pub enum MembershipError {
    /// The directory cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The directory cannot be asked.
    #[error("the database does not answer: {0}")]
    Asked(#[from] SqlFailure),
    /// Another process has its name.
    #[error("a node {0} is running elsewhere: each has a name of its own")]
    NameTaken(String),
    /// The rules cannot be read.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The system gives no thread.
    #[error("no thread for the directory of nodes: {0}")]
    Thread(std::io::Error),
}

/// A node among the others. Dropping it ends its row in the directory.
pub struct Membership {
    view: watch::Receiver<ClusterView>,
    leader: LeaderWatch,
    doing: Arc<Mutex<Doing>>,
    orders: Option<Arc<Sender<Order>>>,
    thread: Option<JoinHandle<()>>,
}

/// What the node does now.
struct Doing {
    state: &'static str,
    /// Under which it leads; it is told of rules that change.
    lease: Option<Lease>,
}

enum Order {
    /// Say at once what is done now.
    Announce,
    Request(
        String,
        NodeRequest,
        oneshot::Sender<Result<bool, SqlFailure>>,
    ),
    Fulfilled(NodeRequest),
}

/// The thread's.
struct Member {
    directory: Directory,
    folder: StateFolder,
    me: Announcement,
    rules_read: Instant,
    doing: Arc<Mutex<Doing>>,
    view: watch::Sender<ClusterView>,
    leader: watch::Sender<Option<Leader>>,
}

impl Membership {
    /// Joins the nodes of a state. Blocks: for as long as the database takes, and, if a process elsewhere
    /// had this name, until it is gone.
    ///
    /// # Errors
    /// [`MembershipError`]
    pub fn join(
        address: &PostgresAddress,
        folder: &StateFolder,
        identity: &NodeIdentity,
        ttl: Duration,
    ) -> Result<Self, MembershipError> {
        let mut directory = Directory::open(address, ttl, true)?;
        let me = Announcement {
            name: identity.name.clone(),
            place: identity.place.clone(),
            life: life(),
            address: identity.address.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            state: STANDING_BY.to_owned(),
            rules: rules::digest(folder)?,
        };
        if let Announced::Taken { left } = directory.announce(&me)? {
            // One that is gone is not heard of again.
            thread::sleep(left + LOOK);
            if let Announced::Taken { .. } = directory.announce(&me)? {
                return Err(MembershipError::NameTaken(me.name));
            }
        }
        let doing = Arc::new(Mutex::new(Doing {
            state: STANDING_BY,
            lease: None,
        }));
        let (view, viewed) = watch::channel(ClusterView::default());
        let (leader, leads) = watch::channel(None);
        let (orders, ordered) = mpsc::channel();
        let mut member = Member {
            directory,
            folder: folder.clone(),
            me,
            rules_read: Instant::now(),
            doing: Arc::clone(&doing),
            view,
            leader,
        };
        member.look(true);
        let thread = thread::Builder::new().name("nodes".to_owned());
        let thread = thread.spawn(move || member.run(&ordered));
        Ok(Self {
            view: viewed,
            leader: leads,
            doing,
            orders: Some(Arc::new(orders)),
            thread: Some(thread.map_err(MembershipError::Thread)?),
        })
    }

    /// What the node knows; changes again and again.
    pub fn view(&self) -> watch::Receiver<ClusterView> {
        self.view.clone()
    }

    /// Who leads.
    pub fn leader(&self) -> LeaderWatch {
        self.leader.clone()
    }

    /// Sets what the node does, for all to see, in one of the words of this module; with the lease, if it
    /// leads.
    pub fn does(&self, state: &'static str, lease: Option<Lease>) {
        let mut doing = locked(&self.doing);
        let is_new = doing.state != state;
        *doing = Doing { state, lease };
        drop(doing);
        if is_new {
            self.order(Order::Announce);
        }
    }

    /// What asks something of nodes, for as long as this is there.
    pub fn requests(&self) -> NodeRequests {
        NodeRequests(self.orders.as_ref().map(Arc::downgrade).unwrap_or_default())
    }

    /// Ends what is asked of this node, if it is this.
    pub fn fulfilled(&self, request: NodeRequest) {
        self.order(Order::Fulfilled(request));
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(order);
        }
    }
}

/// Asks something of nodes.
#[derive(Clone, Debug)]
pub struct NodeRequests(Weak<Sender<Order>>);

impl NodeRequests {
    /// NodeRequests something of a node; false if there is none of this name.
    ///
    /// # Errors
    /// If the database cannot be asked.
    pub async fn request(&self, node: &str, request: NodeRequest) -> Result<bool, SqlFailure> {
        let (tell, told) = oneshot::channel();
        if let Some(orders) = self.0.upgrade() {
            let _ = orders.send(Order::Request(node.to_owned(), request, tell));
        }
        // Without the node that is asked with, there is none.
        told.await.unwrap_or(Ok(false))
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Member {
    fn run(&mut self, orders: &Receiver<Order>) {
        let mut announced = Instant::now();
        loop {
            let mut due = announced.elapsed() >= ANNOUNCE;
            match orders.recv_timeout(LOOK) {
                Ok(Order::Announce) => due = true,
                Ok(Order::Request(node, request, tell)) => {
                    let _ = tell.send(self.directory.request(&node, request));
                    due = true;
                }
                Ok(Order::Fulfilled(request)) => {
                    if let Err(cause) = self.directory.fulfilled(&self.me.name, request) {
                        debug!("a request is still in the directory: {cause}");
                    }
                    due = true;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    if let Err(cause) = self.directory.leave(&self.me.name, &self.me.life) {
                        debug!("the others do not know yet that this node is gone: {cause}");
                    }
                    return;
                }
            }
            if due {
                announced = Instant::now();
            }
            self.look(due);
        }
    }

    /// Looks who leads, and if it is due says what this node does and looks at the others.
    fn look(&mut self, due: bool) {
        let before = self.view.borrow().clone();
        let was_reached = before.reached;
        let mut view = before;
        match self.seen(due, &mut view) {
            Ok(()) => view.reached = true,
            Err(cause) => {
                if was_reached {
                    warn!("the directory of nodes cannot be asked: {cause}");
                }
                view.reached = false;
            }
        }
        let leader = view.leader();
        self.leader.send_if_modified(|known| {
            let is_new = *known != leader;
            *known = leader;
            is_new
        });
        self.view.send_replace(view);
    }

    fn seen(&mut self, due: bool, view: &mut ClusterView) -> Result<(), SqlFailure> {
        if due {
            self.read_rules();
            self.me.state = locked(&self.doing).state.to_owned();
            match self.directory.announce(&self.me)? {
                Announced::Known { requested } => view.requested = requested,
                Announced::Taken { .. } => view.taken = true,
            }
            view.nodes = self.directory.nodes()?;
        }
        view.rules.clone_from(&self.me.rules);
        let lead = self.directory.lead()?;
        // Read when the lead was taken, they may have changed before it was begun with.
        if let Some(lease) = locked(&self.doing)
            .lease
            .as_ref()
            .filter(|_| lead.rules != self.me.rules)
        {
            lease.in_force(&self.me.rules);
        }
        view.takeovers += u64::from(view.lead.as_ref().is_some_and(|it| is_taken(it, &lead)));
        view.lead = Some(lead);
        Ok(())
    }

    fn read_rules(&mut self) {
        if self.rules_read.elapsed() < READ_RULES {
            return;
        }
        self.rules_read = Instant::now();
        match rules::digest(&self.folder) {
            Ok(digest) => self.me.rules = digest,
            Err(cause) => debug!("the rules cannot be read just now: {cause}"),
        }
    }
}

/// Whether a lead that somebody had was taken between two looks.
fn is_taken(before: &LeadRow, now: &LeadRow) -> bool {
    let is_other = now.epoch != before.epoch && now.since != before.since;
    !before.node.is_empty() && now.held && is_other
}

fn locked(doing: &Mutex<Doing>) -> MutexGuard<'_, Doing> {
    doing.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A word for this process that none other has.
fn life() -> String {
    let mut bytes = [0; 16];
    match getrandom::fill(&mut bytes) {
        Ok(()) => base16ct::lower::encode_string(&bytes),
        Err(_) => format!("{:?} {}", std::time::SystemTime::now(), std::process::id()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;

    fn lead(node: &str, epoch: u64, since: i64, held: bool) -> LeadRow {
        LeadRow {
            epoch,
            holder: node.to_owned(),
            node: node.to_owned(),
            since: Timestamp::from_ms(since),
            until: Timestamp::from_ms(0),
            held,
            rules: String::new(),
            heir: None,
        }
    }

    #[test]
    fn a_lead_that_is_taken_is_told_from_one_that_goes_on_or_ends() {
        let first = lead("a", 3, 10, true);
        for (now, taken) in [
            (lead("a", 3, 10, true), false),
            (lead("a", 3, 10, false), false),
            // Given back.
            (lead("a", 4, 10, false), false),
            (lead("b", 5, 20, true), true),
            (lead("a", 4, 20, true), true),
        ] {
            assert_eq!(is_taken(&first, &now), taken, "{now:?}");
        }
        assert!(!is_taken(&lead("", 0, 0, false), &first), "nobody had it");
    }
}
