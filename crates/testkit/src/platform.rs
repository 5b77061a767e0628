//! A platform in this process: on loopback or in memory, without a network, stopped and started at
//! will.
//!
//! Read next: `server::host`, `server::runtime`.

use crate::{PATIENCE, assignment, message, within};
use domain::content::Content;
use domain::reply::Reply;
use domain::task::{Status, Task, TaskId};
use domain::verb::Verb;
use engine::query::TaskById;
use engine::{Endpoint, Hosted, Negotiate, Operation, Refusal};
use server::access;
use server::clock::Clock;
use server::config::Settings;
use server::host::{Company, Home, Host, StartError};
use server::runtime::Runtime;
use server::schemas;
use server::state::StateFolder;
use std::fs::File;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use yang::Generation;

/// The generation of what is shipped, compiled once.
pub fn generation() -> Arc<Generation> {
    static GENERATION: OnceLock<Arc<Generation>> = OnceLock::new();
    let compiled = GENERATION.get_or_init(|| {
        let shipped = schemas::generation(&schemas::shipped_modules());
        shipped.expect("the shipped modules load")
    });
    Arc::clone(compiled)
}

/// The usual settings, on free ports of loopback.
pub fn loopback() -> Settings {
    Settings {
        netconf: Some(([127, 0, 0, 1], 0).into()),
        agents_from: Some(0),
        ..Settings::default()
    }
}

/// These agents under the shipped rules; the first takes tasks addressed to nobody.
pub fn company(agents: Vec<Hosted>) -> Company {
    let first = agents.first().map(|agent| agent.profile.name.clone());
    Company {
        agents,
        posts: Default::default(),
        default_agent: first.unwrap_or_default(),
        access: access::parse("access.toml", access::SHIPPED).expect("the shipped rules are valid"),
    }
}

/// Composes a platform with this company and no network; its agents are not briefed yet.
///
/// # Errors
/// [`StartError`]
pub async fn host(
    home: Home,
    settings: &Settings,
    company: Company,
    clock: Arc<Clock>,
) -> Result<Host, StartError> {
    Host::with(home, settings, company, generation(), Arc::default(), clock).await
}

/// A running platform whose operator the test is.
pub struct Site {
    /// The platform.
    pub host: Arc<Host>,
    stop: oneshot::Sender<()>,
    life: JoinHandle<()>,
}

/// Whoever let go of the last platform on a folder may still be closing its files.
async fn is_free(folder: &Path) {
    let began = Instant::now();
    while let Ok(lock) = File::open(folder.join("convoke.db.lock"))
        && lock.try_lock().is_err()
    {
        assert!(began.elapsed() < PATIENCE, "the folder is not let go of");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

impl Site {
    /// Starts a platform in a folder, by the wall clock.
    pub async fn start(folder: &Path, settings: &Settings, agents: Vec<Hosted>) -> Self {
        is_free(folder).await;
        let home = Home::Folder(StateFolder::new(folder));
        let host = host(home, settings, company(agents), Arc::new(Clock::wall())).await;
        Self::of(host.unwrap())
    }

    /// Briefs the agents of a platform, lets clients in, and lets it live until it is stopped.
    pub fn of(host: Host) -> Self {
        let host = Arc::new(host);
        let mut world = Runtime::new(Arc::clone(&host), (), Box::new(|_| {}));
        let (stop, stopped) = oneshot::channel::<()>();
        let life = tokio::spawn(async move {
            world.begin().await;
            world.live(async { drop(stopped.await) }).await;
        });
        Self { host, stop, life }
    }

    /// The address of its NETCONF endpoint.
    pub fn address(&self) -> SocketAddr {
        self.host.address_of(&Endpoint::Platform).unwrap()
    }

    /// The address of its HTTP server.
    pub fn http(&self) -> SocketAddr {
        self.host.http.unwrap().address
    }

    /// Stops it, and returns once its folder is free.
    pub async fn stop(self) {
        let _ = self.stop.send(());
        self.life.await.unwrap();
        let mut host = self.host;
        let host = loop {
            // Whoever looks something up at this instant lets go of it in the next.
            match Arc::try_unwrap(host) {
                Ok(host) => break host,
                Err(held) => host = held,
            }
            tokio::task::yield_now().await;
        };
        let engine = Arc::downgrade(host.platform.engine());
        host.stop().await;
        // The last sessions end by themselves; only then the store is free.
        let began = Instant::now();
        while engine.strong_count() > 0 {
            assert!(began.elapsed() < PATIENCE, "a session does not end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// What an operation of the operator's comes to.
    pub async fn execute<O: Operation>(&self, operation: O) -> Result<O::Output, Refusal> {
        let engine = self.host.platform.engine();
        let operator = engine.principal("operator");
        let execution = engine.execute(&operator, operation, self.host.clock.now());
        within("an operation", execution.outcome()).await
    }

    /// Says something about a task, as the operator.
    pub async fn say(&self, negotiate: Negotiate) -> Reply {
        self.execute(negotiate).await.unwrap().reply
    }

    /// Says something about a task to an agent; the result of an assignment is not waited for.
    pub async fn ask(&self, verb: Verb, agent: &str, task: &str, content: &Content) -> Reply {
        let text = content.render();
        self.say(match verb {
            Verb::TaskAssign => assignment(agent, task, &text),
            _ => Negotiate {
                to: Some(agent.to_owned()),
                ..message(verb, task, &text)
            },
        })
        .await
    }

    /// A task that is there.
    pub async fn task(&self, id: &str) -> Arc<Task> {
        let read = TaskById(TaskId::new(id));
        self.execute(read).await.unwrap().unwrap()
    }

    /// The state of a task once it has ended.
    pub async fn end_of(&self, id: &str) -> Status {
        let ended = self.task_when(id, |task| task.status.is_terminal());
        ended.await.status
    }

    /// A task once it is in this state, which it must come to before it ends.
    pub async fn comes_to(&self, id: &str, status: Status) -> Arc<Task> {
        let moved = |task: &Task| task.status == status || task.status.is_terminal();
        let task = self.task_when(id, moved).await;
        assert_eq!(task.status, status, "{id}: {:?}", task.said);
        task
    }

    /// A task as soon as this holds of it.
    pub async fn task_when(&self, id: &str, holds: impl Fn(&Task) -> bool) -> Arc<Task> {
        let began = Instant::now();
        loop {
            let task = self.task(id).await;
            if holds(&task) {
                return task;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "{id} is {} with {:?}",
                task.status,
                task.said
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
