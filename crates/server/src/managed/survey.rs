//! Waiting for the inventories of all management systems, at the start of a platform.
//!
//! Agents are briefed with the network when they begin, so the platform waits for it, for a bounded
//! time, while the tasks of the systems try again. What is there by then is begun with; if nothing
//! is, the platform does not start. Read next: [`super::network`].

use super::plan::SystemPlan;
use super::system::{EVENTS, Learnt, System, SystemEvent};
use super::{listener, poller};
use crate::clock::Clock;
use crate::config::{Settings, SettingsError};
use crate::ssh::Connector;
use bindings::netconf::manager::{DisputedThing, LeftOut, OwnershipDispute, merged};
use domain::inventory::{ElementId, Inventory};
use domain::time::SeededRng;
use markup::words::legible_line;
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tracing::warn;

/// The most handshakes with one system at a time.
const HANDSHAKES: usize = 4;
/// The longest handshake; the hello that follows has a bound of its own.
const HANDSHAKE: Duration = Duration::from_secs(20);
/// How long to wait for inventories if the settings do not say.
const WAIT_S: u64 = 60;

/// Why a platform cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// No system documents a network.
    #[error("no management system has told of its network within {seconds} s: {each}")]
    Nothing {
        /// How long was waited.
        seconds: u64,
        /// Each with its trouble.
        each: String,
    },
}

/// Management systems that are connected to, and the network that they document.
pub struct Survey {
    pub(super) systems: Vec<Arc<System>>,
    pub(super) events: mpsc::Receiver<SystemEvent>,
    pub(super) tasks: JoinSet<()>,
    pub(super) inventory: Arc<Inventory>,
    /// The number of the system that each element belongs to.
    pub(super) owners: BTreeMap<ElementId, usize>,
}

/// One management system in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemSummary {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: String,
    /// Its domain.
    pub domain: &'static str,
    /// The number of elements that it documents; none if it has not been reached.
    pub elements: Option<usize>,
}

impl Survey {
    /// The network that they document together.
    pub fn inventory(&self) -> &Arc<Inventory> {
        &self.inventory
    }

    /// Why each system was last lost, in the order of the settings. It changes each time that what
    /// listens to one loses it, or a session with it cannot be opened, from now on.
    pub fn losses(&self) -> Vec<watch::Receiver<String>> {
        let systems = self.systems.iter();
        systems.map(|system| system.lost.subscribe()).collect()
    }

    /// The systems, in the order of the settings.
    pub fn summaries(&self) -> impl Iterator<Item = SystemSummary> {
        self.systems.iter().map(|system| {
            let learnt = system.learnt.borrow();
            SystemSummary {
                name: system.plan.name.clone(),
                address: system.plan.target.address.clone(),
                domain: system.plan.defaults.domain.as_str(),
                elements: learnt.as_ref().map(|l| l.read.inventory.elements.len()),
            }
        })
    }
}

/// Connects to the management systems of the settings, and waits for their inventories.
///
/// # Errors
/// [`SurveyError`]
pub async fn survey(settings: &Settings, clock: &Arc<Clock>) -> Result<Survey, SurveyError> {
    let (arrive, events) = mpsc::channel(EVENTS);
    let (mut systems, mut tasks) = (Vec::new(), JoinSet::new());
    for (number, of) in settings.ems.iter().flatten().enumerate() {
        let system = Arc::new(System {
            number,
            plan: SystemPlan::new(of)?,
            clock: Arc::clone(clock),
            // Its own: a system that never answers uses up nobody else's turns.
            connector: Connector::new(HANDSHAKES, HANDSHAKE),
            learnt: watch::Sender::new(None),
            trouble: watch::Sender::new(String::new()),
            lost: watch::Sender::new(String::new()),
            kept: watch::Sender::new(None),
            alarms_due: Notify::new(),
            figures_due: Notify::new(),
            reports_figures: AtomicBool::new(false),
            events: arrive.clone(),
        });
        // Pauses differ from task to task, and are the same in every run of a seed.
        let seed = settings.seed.unwrap_or(0) ^ (number as u64 + 1) << 32;
        let rng = |task| SeededRng::seed_from_u64(seed.wrapping_add(task));
        tasks.spawn(listener::listen(Arc::clone(&system), rng(1)));
        tasks.spawn(poller::poll(Arc::clone(&system), rng(2)));
        systems.push(system);
    }
    let seconds = settings.ems_wait_s.unwrap_or(WAIT_S);
    await_inventories(&systems, Duration::from_secs(seconds)).await;
    let learnt: Vec<Arc<Learnt>> = systems.iter().map(|system| system.learnt()).collect();
    let whole = merged(learnt.iter().map(|l| &l.read.inventory));
    for (dispute, left_out) in &whole.left_out {
        tell_of_dispute(&systems, dispute, left_out);
    }
    if whole.inventory.elements.is_empty() {
        let each = systems.iter().map(|system| trouble(system));
        let each = each.collect::<Vec<_>>().join("; ");
        return Err(SurveyError::Nothing { seconds, each });
    }
    Ok(Survey {
        systems,
        events,
        tasks,
        inventory: Arc::new(whole.inventory),
        owners: whole.owners,
    })
}

/// Logs what of a system is refused because another was first.
fn tell_of_dispute(systems: &[Arc<System>], dispute: &OwnershipDispute, left_out: &LeftOut) {
    let name = |system: usize| systems.get(system).map_or("", |of| of.plan.name.as_str());
    let (refused, first) = (name(dispute.refused), name(dispute.first));
    let why = match dispute.over {
        DisputedThing::Element => "documents the same names, and is alone to report on them",
        DisputedThing::Province => "says that their towns lie in another province",
    };
    let examples: Vec<&str> = left_out.examples.iter().map(ElementId::as_str).collect();
    let (number, examples) = (left_out.number, legible_line(&examples.join(", ")));
    let more = if number > left_out.examples.len() {
        ", ..."
    } else {
        ""
    };
    warn!(
        system = refused,
        "{number} elements of management system '{refused}' are left out, because '{first}', which \
         comes before it, {why}: {examples}{more}"
    );
}

/// Waits until each system has told of its network, or the time is over.
async fn await_inventories(systems: &[Arc<System>], wait: Duration) {
    let until = Instant::now() + wait;
    for system in systems {
        let mut learnt = system.learnt.subscribe();
        let told = timeout_at(until, learnt.wait_for(Option::is_some)).await;
        if told.is_err() {
            warn!(
                system = system.plan.name,
                "going on without the inventory of management system {}",
                trouble(system)
            );
        }
    }
}

/// A system with its address and its trouble.
fn trouble(system: &System) -> String {
    let (name, address) = (&system.plan.name, &system.plan.target.address);
    let trouble = system.trouble.borrow();
    match (trouble.is_empty(), system.learnt.borrow().is_some()) {
        (false, _) => format!("'{name}' at {address}: {}", *trouble),
        (true, true) => {
            let domain = system.plan.defaults.domain.as_str();
            format!("'{name}' at {address} documents no element of domain {domain}")
        }
        (true, false) => format!("'{name}' at {address} has not answered"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fence::Fence;
    use crate::fence::tests::lead;
    use crate::ssh::{
        ByteStream, ConnectionLimiter, KeyDirectory, SshLimits, SshListener, SshPeer, keys,
    };
    use testkit::{PATIENCE, within};
    use tokio::io::AsyncReadExt as _;
    use tokio::time::timeout;

    /// How many bytes come first in a session with a management system, behind this fence; none if none come in this
    /// time after it was opened.
    async fn said(fence: Fence, patience: Duration) -> Option<usize> {
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("user_ed25519");
        let user = keys::load_or_generate(&key, "user").unwrap();
        let host = keys::generate("host");
        let known = KeyDirectory::new(folder.path()).with_key("user", user.public_key());
        let limiter = ConnectionLimiter::new(SshLimits::default());
        let any = "127.0.0.1:0".parse().unwrap();
        let listener = SshListener::bind(any, &host, &limiter).unwrap();
        let (tell, mut heard) = mpsc::unbounded_channel();
        let hears = move |mut stream: ByteStream, _: SshPeer| {
            let tell = tell.clone();
            async move {
                let _ = tell.send(0);
                let _ = tell.send(stream.read(&mut [0; 1_024]).await.unwrap_or(0));
            }
        };
        let serving = listener.serve(Arc::new(known), Arc::new(hears));
        let settings: Settings = toml::from_str(&format!(
            "[[ems]]\nname = 'ems'\naddress = '{}'\nuser = 'user'\nkey = '{}'\nhost-key = '{}'\n\
             domain = 'IP'\n",
            serving.address(),
            key.display(),
            host.public_key().to_openssh().unwrap().trim(),
        ))
        .unwrap();
        let clock = Arc::new(Clock::wall().fenced(fence));
        let heard = async {
            within("a session", heard.recv()).await.unwrap();
            timeout(patience, heard.recv()).await.ok().flatten()
        };
        tokio::select! {
            surveyed = survey(&settings, &clock) => panic!("{:?}", surveyed.err()),
            bytes = heard => bytes,
        }
    }

    #[tokio::test]
    async fn who_leads_no_more_says_nothing_to_a_management_system() {
        let Some(lead) = lead() else {
            return;
        };
        let fence = || Fence::of(lead.lease.clone());
        assert!(said(fence(), PATIENCE).await > Some(0), "it leads");
        lead.lease.release(None).unwrap();
        assert_eq!(said(fence(), Duration::from_millis(500)).await, None);
    }
}
