//! Changes of the wall clock, by two hours and back, under a running platform.
//!
//! Nothing ends, stops or goes back: event times only increase, deadlines are kept within a tenth,
//! and a replay gives the events as they were notified. The wall clock is the test's; the timers of
//! the platform run in real time, for some seconds. `CLOCK_JUMPS=200` changes the clock more often
//! than CI does. The steering of the clock is tested in `server::clock`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use bindings::netconf::{NegotiateRequest, negotiate_request};
use domain::content::Content;
use domain::verb::Verb;
use harness::cast;
use netconf::client::Outcome;
use server::clock::{Clock, TimeSource};
use server::host::{Company, Endpoint, Home, Host, StartError};
use server::runtime::Runtime;
use server::state::StateFolder;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use support::raw::Raw;
use support::talk::Talk;
use support::{block_on, element, within};
use tokio::sync::oneshot;

const TWO_HOURS_NS: i64 = 2 * 3_600 * 1_000_000_000;
/// The time between two jumps.
const BETWEEN: Duration = Duration::from_millis(150);
/// The time that the agents of the cases take for a task that is done `later`.
const LATER: Duration = Duration::from_secs(2);

/// The machine's clocks, with the wall clock set by the test.
#[derive(Clone, Debug)]
struct Wall {
    began: Instant,
    set_ns: Arc<AtomicI64>,
}

impl Wall {
    fn new(set_ns: i64) -> Self {
        Self {
            began: Instant::now(),
            set_ns: Arc::new(AtomicI64::new(set_ns)),
        }
    }

    fn jump(&self, by_ns: i64) {
        self.set_ns.fetch_add(by_ns, Relaxed);
    }
}

impl TimeSource for Wall {
    fn wall_ns(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        since.as_nanos() as i64 + self.set_ns.load(Relaxed)
    }

    fn monotonic_ns(&self) -> i64 {
        self.began.elapsed().as_nanos() as i64
    }
}

/// A platform with the agents of the cases in a folder, by this clock. The sessions of an earlier
/// platform end after the test has released them, and only then the folder is free.
async fn host(folder: &Path, wall: &Wall) -> Arc<Host> {
    let started = async {
        loop {
            match start(folder, wall).await {
                Ok(host) => return Arc::new(host),
                Err(StartError::Store(store::OpenError::Locked { .. })) => {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                Err(error) => panic!("{error}"),
            }
        }
    };
    within("the folder to be free", started).await
}

async fn start(folder: &Path, wall: &Wall) -> Result<Host, StartError> {
    let clock = Clock::by(wall.clone());
    let company = Company {
        access: cast::access(),
        ..testkit::company(cast::agents(clock.now()))
    };
    let home = Home::Folder(StateFolder::new(folder));
    testkit::host(home, &testkit::loopback(), company, Arc::new(clock)).await
}

/// Runs the platform during a future.
async fn live<T>(host: &Arc<Host>, doing: impl Future<Output = T>) -> T {
    let mut world = Runtime::new(Arc::clone(host), (), Box::new(|_| {}));
    world.begin().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let doing = async {
        let done = doing.await;
        drop(stop);
        done
    };
    tokio::join!(world.live(async { drop(stopped.await) }), doing).1
}

async fn subscribed(host: &Host, inside: &str) -> Raw {
    Raw::subscribed(host.pipe("operator", Endpoint::Platform), inside).await
}

async fn assign(talk: &mut Talk, task: &str) {
    let request = NegotiateRequest {
        to: Some("ip"),
        task: Some(task),
        content: vec![Content::new("site", "later").render()],
        asynchronous: Some(true),
        ..NegotiateRequest::default()
    };
    let reply = talk
        .ask(&negotiate_request(Verb::TaskAssign, &request))
        .await;
    assert!(
        !matches!(reply.outcome, Outcome::Errors(_)),
        "{}",
        reply.raw()
    );
}

/// The notifications until so many tasks are finished, with the instant at which each was.
async fn hear(raw: &mut Raw, tasks: usize) -> (Vec<String>, BTreeMap<String, Instant>) {
    let (mut heard, mut finished) = (Vec::new(), BTreeMap::new());
    while finished.len() < tasks {
        let message = raw.next().await.expect("the subscription goes on");
        if element(&message, "status") == Some("finished") {
            let task = element(&message, "task-id").unwrap().to_owned();
            finished.insert(task, Instant::now());
        }
        if !message.contains("replayComplete") {
            heard.push(message);
        }
    }
    (heard, finished)
}

fn time(message: &str) -> &str {
    element(message, "eventTime").unwrap()
}

#[test]
fn jumps_of_the_wall_move_no_event_back_and_no_deadline_but_by_a_tenth() {
    let jumps: usize = std::env::var("CLOCK_JUMPS").map_or(10, |n| n.parse().unwrap());
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let wall = Wall::new(0);
        let host = host(folder.path(), &wall).await;
        let (live_heard, took) = live(&host, async {
            let mut told = subscribed(&host, "").await;
            let mut talk = Talk::over(host.pipe("operator", Endpoint::Platform)).await;
            let mut assigned = BTreeMap::new();
            let jumping = async {
                for n in 0..jumps {
                    let task = format!("jump-{n:03}");
                    // A busy machine may bring the acknowledgement long after the agent began.
                    assigned.insert(task.clone(), Instant::now());
                    assign(&mut talk, &task).await;
                    // Forward, back, back, forward: also behind where it began.
                    let back = matches!(n % 4, 1 | 2);
                    wall.jump(if back { -TWO_HOURS_NS } else { TWO_HOURS_NS });
                    tokio::time::sleep(BETWEEN).await;
                }
                assigned
            };
            let ((heard, finished), assigned) = tokio::join!(hear(&mut told, jumps), jumping);
            let took = |(task, at): (String, Instant)| finished[&task] - at;
            let took: Vec<Duration> = assigned.into_iter().map(took).collect();
            (heard, took)
        })
        .await;
        println!(
            "what takes {LATER:?} took {:?} to {:?}",
            took.iter().min(),
            took.iter().max()
        );
        for took in took {
            assert!(took > LATER * 9 / 10, "early: {took:?}");
            // A tenth, and what a busy machine needs.
            assert!(
                took < LATER * 11 / 10 + Duration::from_secs(1),
                "late: {took:?}"
            );
        }
        assert!(
            live_heard.is_sorted_by_key(|m| time(m).to_owned()),
            "eventTime goes back"
        );

        // The record is in the order of its sequence, and the replay is what was told.
        let start = format!("<startTime>{}</startTime>", time(&live_heard[0]));
        let mut again = subscribed(&host, &start).await;
        let mut replayed = Vec::new();
        while !replayed.ends_with(&live_heard[live_heard.len() - 1..]) {
            replayed.push(again.next().await.unwrap());
        }
        let first = replayed.iter().position(|m| *m == live_heard[0]).unwrap();
        assert!(
            replayed[first..] == live_heard,
            "the replay is not what was told"
        );
    });
}

#[test]
fn a_platform_that_starts_behind_its_own_record_goes_on_from_there() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let one_task = async |wall: &Wall, task: &str| {
            let host = host(folder.path(), wall).await;
            let heard = live(&host, async {
                let mut told = subscribed(&host, "").await;
                let mut talk = Talk::over(host.pipe("operator", Endpoint::Platform)).await;
                let began = Instant::now();
                assign(&mut talk, task).await;
                let (heard, finished) = hear(&mut told, 1).await;
                assert!(finished[task] - began < LATER * 11 / 10 + Duration::from_secs(1));
                let since = "<startTime>2020-01-01T00:00:00Z</startTime>";
                let mut all = subscribed(&host, since).await;
                let mut record = vec![all.next().await.unwrap()];
                while record.last() != heard.last() {
                    record.push(all.next().await.unwrap());
                }
                record
            });
            let record = heard.await;
            Arc::into_inner(host).unwrap().stop().await;
            record
        };
        let before = one_task(&Wall::new(0), "before").await;
        let after = one_task(&Wall::new(-TWO_HOURS_NS), "after").await;
        assert!(
            after.starts_with(&before),
            "the record of before is told again"
        );
        assert!(
            after.is_sorted_by_key(|m| time(m).to_owned()),
            "eventTime goes back"
        );
        let told_of = |m: &&String| element(m, "task-id") == Some("after");
        assert!(after.iter().filter(told_of).count() >= 3);
    });
}
