//! Tasks that are assigned to agents which are not there, and cancelled again: two events each.
//!
//! Read next: `page`, which hears of it.

use crate::away::target;
use crate::support::process::Running;
use crate::wire::{Wire, WireError, find, request};
use bindings::netconf::{NegotiateRequest, negotiate_request};
use domain::verb::Verb;
use server::ssh::Connector;
use std::error::Error;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

/// The sessions that assign.
const SESSIONS: usize = 4;

/// How far a session is ahead of its answers.
const AHEAD: u64 = 256;

/// The time between two requests of a session, at least.
const TICK: Duration = Duration::from_millis(10);

/// Assigns so many tasks, which stay open.
pub(crate) async fn assigned(
    running: &Running,
    agents: &[String],
    tasks: usize,
) -> Result<(), Box<dyn Error>> {
    let mut wire = Wire::open(&Connector::default(), &target(running)).await?;
    let numbers: Vec<u64> = (0..tasks as u64).collect();
    for some in numbers.chunks(AHEAD as usize) {
        let requests = some
            .iter()
            .flat_map(|number| request(*number, &assignment(agents, "open", *number)));
        wire.send(&requests.collect::<Vec<_>>()).await?;
        for _ in some {
            wire.reply().await?;
        }
    }
    Ok(())
}

/// Sessions under way.
pub(crate) struct Sessions {
    going: JoinSet<Result<u64, WireError>>,
    /// The events of those that have ended.
    events: u64,
}

impl Sessions {
    /// Waits for the last; how many events there were.
    pub(crate) async fn finished(&mut self) -> Result<u64, Box<dyn Error>> {
        while let Some(ended) = self.going.join_next().await {
            self.events += ended??;
        }
        Ok(self.events)
    }

    /// What comes of something that is done meanwhile; it is not waited for once a session has failed.
    pub(crate) async fn beside<T>(
        &mut self,
        meanwhile: impl Future<Output = T>,
    ) -> Result<T, Box<dyn Error>> {
        tokio::select! {
            biased;
            done = meanwhile => Ok(done),
            failed = async {
                match self.finished().await {
                    Err(failed) => failed,
                    Ok(_) => std::future::pending().await,
                }
            } => Err(failed),
        }
    }
}

/// Has so many events a second happen for so long.
pub(crate) async fn going_on(
    running: &Running,
    agents: &[String],
    rate: u32,
    lasts: Duration,
) -> Result<Sessions, Box<dyn Error>> {
    let (mut sessions, until) = (JoinSet::new(), Instant::now() + lasts);
    let each = f64::from(rate) / SESSIONS as f64;
    for place in 0..SESSIONS {
        let wire = Wire::open(&Connector::default(), &target(running)).await?;
        let (agents, prefix) = (agents.to_vec(), format!("passing-{place}"));
        sessions.spawn(async move { going(wire, &agents, &prefix, each, until).await });
    }
    Ok(Sessions {
        going: sessions,
        events: 0,
    })
}

/// Assigns and cancels in turn, so many a second; returns how many were acknowledged.
async fn going(
    mut wire: Wire,
    agents: &[String],
    prefix: &str,
    rate: f64,
    until: Instant,
) -> Result<u64, WireError> {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let begun = Instant::now();
    let (mut sent, mut answered) = (0_u64, 0_u64);
    loop {
        let now = Instant::now();
        if now >= until && answered == sent {
            return Ok(answered);
        }
        tokio::select! {
            _ = ticks.tick(), if now < until => {
                let due = (begun.elapsed().as_secs_f64() * rate) as u64;
                let due = due.min(answered + AHEAD).max(sent);
                let asked = |number: u64| match number % 2 {
                    0 => assignment(agents, prefix, number / 2),
                    _ => cancellation(agents, prefix, number / 2),
                };
                let requests = (sent..due).flat_map(|number| request(number, &asked(number)));
                wire.send(&requests.collect::<Vec<_>>()).await?;
                sent = due;
            }
            reply = async { wire.reply().await.map(|_| ()) } => {
                reply?;
                answered += 1;
            }
        }
    }
}

/// How many events there were since the log began.
pub(crate) async fn events(running: &Running) -> Result<u64, Box<dyn Error>> {
    const NAME: &[u8] = b"<events>";
    let asked = "<get><filter type=\"subtree\"><registry \
        xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\"><statistics><events/></statistics>\
        </registry></filter></get>";
    let mut wire = Wire::open(&Connector::default(), &target(running)).await?;
    let reply = wire.call(&request(1, asked)).await?;
    let digits = find(reply, NAME).map(|at| reply[at + NAME.len()..].iter());
    let digits = digits.ok_or("the number of events is not told")?;
    let digits = digits.take_while(|byte| byte.is_ascii_digit());
    Ok(digits.fold(0, |number, digit| 10 * number + u64::from(digit - b'0')))
}

fn assignment(agents: &[String], prefix: &str, number: u64) -> String {
    let words = format!("## target object\ncell {number}\n## task description\nLook at it.");
    let request = NegotiateRequest {
        content: vec![words],
        asynchronous: Some(true),
        ..NegotiateRequest::default()
    };
    of(Verb::TaskAssign, request, agents, prefix, number)
}

fn cancellation(agents: &[String], prefix: &str, number: u64) -> String {
    of(
        Verb::TaskCancel,
        NegotiateRequest::default(),
        agents,
        prefix,
        number,
    )
}

/// A message about a task of that number.
fn of(
    verb: Verb,
    request: NegotiateRequest<'_>,
    agents: &[String],
    prefix: &str,
    number: u64,
) -> String {
    let agent = &agents[(number % agents.len() as u64) as usize];
    let request = NegotiateRequest {
        to: Some(agent),
        task: Some(&format!("{prefix}-{number}")),
        ..request
    };
    negotiate_request(verb, &request)
}
