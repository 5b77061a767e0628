//! A minimal platform for deliveries: in memory, and able to fail.

use bindings::a2a::Push;
use domain::content::Content;
use domain::event::{Entry, LogEvent, Sequence};
use domain::notification::Notification;
use domain::push::PushConfig;
use domain::retry::Backoff;
use domain::task::{Status, Subscription, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use serde_json::json;
use server::clock::Clock;
use server::ssh::PrivateKey;
use server::webhook::source::{DeliverySource, Failure, Kept};
use server::webhook::{AllowList, Deliveries, DeliveryPolicy, Sealer, WebhookClient};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// The stored cursors.
pub type Cursors = BTreeMap<String, Sequence>;

/// The platform.
pub struct Desk {
    entries: Mutex<Vec<Arc<Entry>>>,
    last: watch::Sender<Sequence>,
    subscriptions: Mutex<BTreeMap<TaskId, Subscription>>,
    pushes: Mutex<Vec<PushConfig>>,
    pub cursors: watch::Sender<Cursors>,
    pub full: AtomicBool,
}

impl Desk {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            entries: Mutex::default(),
            last: watch::Sender::new(0),
            subscriptions: Mutex::default(),
            pushes: Mutex::default(),
            cursors: watch::Sender::default(),
            full: AtomicBool::new(false),
        })
    }

    /// Adds an address for reports of a task.
    pub fn subscribe(&self, task: &str, url: &str) {
        let subscription = Subscription {
            protocol: url.split(':').next().unwrap().to_owned(),
            method: "POST".to_owned(),
            url: url.to_owned(),
        };
        let mut all = self.subscriptions.lock().unwrap();
        all.insert(TaskId::new(task), subscription);
    }

    /// Adds a push configuration for changes of a task.
    pub fn push(&self, task: &str, id: &str, url: &str) {
        let config = PushConfig {
            task: TaskId::new(task),
            owner: "ann, \"of the OSS\"".to_owned(),
            id: id.to_owned(),
            url: url.to_owned(),
            token: Some(format!("token of {id}")),
            authentication: None,
            version: "1.0".to_owned(),
            since: *self.last.borrow(),
        };
        self.pushes.lock().unwrap().push(config);
    }

    /// Removes a push configuration.
    pub fn withdraw(&self, id: &str) {
        self.pushes.lock().unwrap().retain(|config| config.id != id);
    }

    /// Changes the state of the task.
    pub fn change(&self, task: &str, status: Status) {
        let mut entries = self.entries.lock().unwrap();
        let sequence = entries.len() as u64 + 1;
        let time = Clock::wall_time();
        let change = Notification {
            time,
            task: TaskId::new(task),
            from: "executor".to_owned(),
            to: "publisher".to_owned(),
            verb: Verb::TaskResultNotify,
            asynchronous: true,
            status,
            previous: None,
            start_time: Timestamp::from_ms(0),
            percent: 10,
            content: Content::new("site-1", "look"),
            awaits: None,
            data: None,
        };
        entries.push(Arc::new(Entry {
            sequence,
            time,
            happening: LogEvent::Task(Arc::new(change)),
        }));
        self.last.send_replace(sequence);
    }

    /// Changes the state of the task so many times.
    pub fn changes(&self, task: &str, count: usize) {
        for _ in 0..count {
            self.change(task, Status::Processing);
        }
    }

    /// Starts delivering.
    pub fn deliver(self: &Arc<Self>, client: WebhookClient) -> Deliveries {
        let clock = Arc::new(Clock::wall());
        Deliveries::start(
            Arc::clone(self) as Arc<dyn DeliverySource>,
            client,
            QUICK,
            clock,
        )
        .unwrap()
    }
}

/// The usual schedule of retries, accelerated.
pub const QUICK: DeliveryPolicy = DeliveryPolicy {
    try_ms: 1_000,
    backoff: Backoff {
        first_ms: 20,
        longest_ms: 100,
    },
    give_up_ms: 24 * 60 * 60 * 1_000,
    tries: 64,
    tries_a_host: 4,
};

/// A client that may connect to these origins, and with `private` to any address of their names.
pub fn client(origins: &[String], private: bool) -> WebhookClient {
    signing(server::ssh::keys::generate("host"), origins, private, None)
}

/// A client with a host key of the test's, and certification authorities if it uses TLS.
pub fn signing(
    key: PrivateKey,
    origins: &[String],
    private: bool,
    authorities: Option<&Path>,
) -> WebhookClient {
    let allowed = match private {
        true => AllowList::new(&[], origins),
        false => AllowList::new(origins, &[]),
    };
    let sealer = Sealer::new(key).unwrap();
    WebhookClient::new(allowed.unwrap(), sealer, authorities).unwrap()
}

impl DeliverySource for Desk {
    fn watch(&self) -> watch::Receiver<Sequence> {
        self.last.subscribe()
    }

    fn after(&self, cursor: Sequence, limit: usize) -> Result<Vec<Arc<Entry>>, Failure> {
        let entries = self.entries.lock().unwrap();
        let after = entries.iter().skip(cursor as usize);
        Ok(after.take(limit).cloned().collect())
    }

    fn subscription(&self, change: &Notification) -> Result<Option<Subscription>, Failure> {
        let all = self.subscriptions.lock().unwrap();
        Ok(all.get(&change.task).cloned())
    }

    fn pushed_by(
        &self,
        sequence: Sequence,
        change: &Notification,
    ) -> Result<Vec<PushConfig>, Failure> {
        let mut found = self.pushes.lock().unwrap().clone();
        found.retain(|config| config.task == change.task && config.since < sequence);
        Ok(found)
    }

    fn push_of(
        &self,
        config: &PushConfig,
        sequence: Sequence,
        change: &Notification,
    ) -> Result<Option<Push>, Failure> {
        // As of a change with a result: two bodies.
        let body = |part| json!({"task": change.task.as_str(), "sequence": sequence, "part": part});
        let token = config.token.clone().unwrap();
        Ok(Some(Push {
            media_type: "application/a2a+json",
            fields: vec![("X-A2A-Notification-Token", token)],
            bodies: [1, 2].map(|part| body(part).to_string()).to_vec(),
        }))
    }

    fn cursors(&self) -> Result<Vec<(String, Sequence)>, Failure> {
        Ok(self.cursors.borrow().clone().into_iter().collect())
    }

    fn keep(&self, changed: Vec<(String, Option<Sequence>)>) -> Kept {
        if self.full.load(Relaxed) {
            return Box::pin(async { Err("the disk is full".into()) });
        }
        self.cursors.send_modify(|cursors| {
            for (name, cursor) in changed {
                match cursor {
                    Some(cursor) => cursors.insert(name, cursor),
                    None => cursors.remove(&name),
                };
            }
        });
        Box::pin(async { Ok(()) })
    }
}
