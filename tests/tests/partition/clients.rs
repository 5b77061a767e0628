//! The clients of a platform over an unreliable network: publishers, an agent that is a client, and
//! a bystander.
//!
//! Requests without answer are repeated. Read next: `partition.rs`, which checks the platform
//! against their replies.

use crate::support::talk::{get_agent, text};
use crate::{DIGGER, HOME, SURVEYOR, TASKS};
use bindings::netconf::NegotiateRequest;
use domain::content::Content;
use domain::reply::Verdict;
use domain::verb::Verb;
use harness::rng::SeededRng;
use server::client::{CallError, Client, NegotiateReply};
use server::ssh::keys::StateKeys;
use server::ssh::{HostKeyPolicy, PrivateKey, PublicKey, connect};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";

/// The connection parameters of a client.
#[derive(Clone)]
pub(super) struct Way {
    address: SocketAddr,
    user: &'static str,
    key: Arc<PrivateKey>,
    host: PublicKey,
}

impl Way {
    pub(super) fn of(user: &'static str, folder: &Path, address: SocketAddr) -> Self {
        let keys = StateKeys::open(folder).unwrap();
        let key = match user {
            "operator" => keys.operator(),
            agent => keys.agent(agent),
        };
        Self {
            address,
            user,
            key: Arc::new(key.unwrap()),
            host: keys.host().unwrap().public_key().clone(),
        }
    }

    pub(super) async fn connect(&self) -> Result<Client, CallError> {
        let trusted = HostKeyPolicy::Exactly(self.host.clone());
        let address = self.address.to_string();
        let stream = connect(&address, self.user, &self.key, trusted).await;
        Client::over(stream?).await
    }
}

/// A request, so that it can be repeated.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) verb: Verb,
    pub(super) agent: &'static str,
    pub(super) task: String,
}

impl Said {
    pub(super) async fn over(&self, client: &mut Client) -> Result<NegotiateReply, CallError> {
        let content = Content::new(format!("site:{}", self.task), "dig");
        let is_assignment = self.verb == Verb::TaskAssign;
        let request = NegotiateRequest {
            to: Some(self.agent),
            task: Some(&self.task),
            content: if is_assignment {
                vec![content.render()]
            } else {
                Vec::new()
            },
            asynchronous: is_assignment.then_some(true),
            ..NegotiateRequest::default()
        };
        client.negotiate(self.verb, &request).await
    }

    /// Sends it until it is answered, over as many sessions as that takes.
    async fn until_answered(&self, way: &Way, session: &mut Option<Client>) -> NegotiateReply {
        loop {
            let Some(client) = session else {
                *session = way.connect().await.ok();
                tokio::task::yield_now().await;
                continue;
            };
            match self.over(client).await {
                Ok(reply) => return reply,
                Err(CallError::Unreadable(why)) => panic!("{self:?}: {why}"),
                Err(_) => *session = None,
            }
        }
    }
}

/// The order in which requests were sent and answered, over all sessions.
#[derive(Default)]
pub(super) struct Order(Mutex<(u64, Vec<u64>)>);

impl Order {
    fn sent(&self) -> u64 {
        let mut order = self.0.lock().unwrap();
        order.0 += 1;
        order.0
    }

    fn answered(&self, number: u64) {
        self.0.lock().unwrap().1.push(number);
    }

    /// The number of requests answered before one that was sent earlier.
    pub(super) fn overtaken(&self) -> usize {
        let answered = &self.0.lock().unwrap().1;
        answered.windows(2).filter(|pair| pair[0] > pair[1]).count()
    }
}

/// The acknowledged requests with their replies, in order.
pub(super) type Acknowledged = Vec<(Said, NegotiateReply)>;

/// Assigns tasks one after the other, cancels some, and repeats some requests.
pub(super) async fn publish(
    number: u64,
    way: Way,
    mut rng: SeededRng,
    order: Arc<Order>,
) -> Acknowledged {
    let (mut session, mut acknowledged) = (None, Acknowledged::new());
    for task in 0..TASKS {
        let assignment = Said {
            verb: Verb::TaskAssign,
            agent: if rng.once_in(3) { SURVEYOR } else { DIGGER },
            task: format!("t-{number}-{task}"),
        };
        let cancellation = Said {
            verb: Verb::TaskCancel,
            ..assignment.clone()
        };
        let mut says = vec![assignment];
        says.extend(rng.once_in(4).then_some(cancellation));
        for said in says {
            let place = order.sent();
            let reply = said.until_answered(&way, &mut session).await;
            order.answered(place);
            if rng.once_in(3) {
                let again = said.until_answered(&way, &mut session).await;
                is_alike(&said, &reply, &again);
            }
            acknowledged.push((said, reply));
        }
    }
    acknowledged
}

/// Asserts that the same request has the same reply; if that was `pending`, the final reply once it
/// is there.
pub(super) fn is_alike(said: &Said, reply: &NegotiateReply, again: &NegotiateReply) {
    let was_pending = matches!(reply, Ok(reply) if reply.verdict == Verdict::Pending);
    if !was_pending || again.is_err() {
        assert_eq!(again, reply, "{said:?} again");
    }
}

/// Runs the agent that is a client: executes its tasks, session after session; records the replies
/// it got.
pub(super) async fn survey(way: Way, told: Arc<Mutex<BTreeMap<String, NegotiateReply>>>) {
    loop {
        if let Ok(mut client) = way.connect().await {
            // Whatever ends a session, the next one goes on.
            let Err(_) = surveyed(&mut client, &told).await;
        }
        tokio::task::yield_now().await;
    }
}

async fn surveyed(
    client: &mut Client,
    told: &Mutex<BTreeMap<String, NegotiateReply>>,
) -> Result<std::convert::Infallible, CallError> {
    let place = format!(
        "<register-agent xmlns=\"{REGISTRY}\"><name>{SURVEYOR}</name><description>Surveys</description>\
         <skills><skill><skill-name>survey</skill-name><skill-description>Looks</skill-description>\
         <skill-tags>field</skill-tags></skill></skills><version>1.0.0</version>\
         <provider>Example</provider><layer>resource</layer></register-agent>"
    );
    client.call(&place).await?;
    let open = format!(
        "<get-tasks xmlns=\"{REGISTRY}\"><executor>{SURVEYOR}</executor><status>created</status>\
         <status>processing</status></get-tasks>"
    );
    loop {
        let reply = client.call(&open).await?;
        let ids = reply.body().filter_map(|task| {
            let id = task.children().find(|leaf| leaf.name() == "task-id")?;
            Some(id.trimmed_text().to_owned())
        });
        for id in ids.collect::<Vec<_>>() {
            let report = report(&id);
            let reply = client.negotiate(Verb::TaskResultNotify, &report).await?;
            told.lock().unwrap().insert(id.clone(), reply.clone());
            let again = client.negotiate(Verb::TaskResultNotify, &report).await?;
            assert_eq!(again, reply, "{id} is reported again");
        }
        // Looks again after a while, as agents do.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn report(task: &str) -> NegotiateRequest<'_> {
    let content = Content::new("site", "surveyed").with_result("it stands");
    NegotiateRequest {
        task: Some(task),
        content: vec![content.render()],
        ..NegotiateRequest::default()
    }
}

/// Runs the bystander, who is not behind the proxies: reads and assigns until the others are done.
pub(super) async fn stand_by(way: Way, mut done: watch::Receiver<bool>) -> u64 {
    let mut client = way.connect().await.unwrap();
    let mut rounds = 0;
    while !*done.borrow_and_update() {
        let reply = client.call(&get_agent(HOME)).await.unwrap();
        assert_eq!(text(&reply.document, "name"), HOME);
        let assignment = Said {
            verb: Verb::TaskAssign,
            agent: HOME,
            task: format!("home-{rounds}"),
        };
        assignment.over(&mut client).await.unwrap().unwrap();
        rounds += 1;
        // A step of his is a step of theirs, on a machine with few cores.
        let _ = tokio::time::timeout(Duration::from_millis(20), done.changed()).await;
    }
    rounds
}
