//! The sessions that carry out actions at a management system.
//!
//! Each has one action under way, so that a slow one keeps no other waiting. Where an rpc of
//! convoke-ems is not offered, a link is measured by its interfaces, and all else is impossible.
//! Read next: [`super::session`].

use super::session::{Purpose, READING, SessionError, open, reading};
use super::system::{Brought, Order, System};
use crate::client::{CallError, Client, Reply};
use bindings::netconf::manager::{
    ActionReply, action_request, interfaces_filter, measured_link, read_action_reply,
    read_interfaces,
};
use domain::inventory::ElementId;
use domain::telemetry::{Action, Outcome};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

/// How long a system that cannot be reached is not tried again.
const REST: Duration = Duration::from_secs(2);
/// The time between the two readings of a measurement by interfaces.
const BETWEEN: Duration = Duration::from_secs(2);

/// How long something may take, and since when it does.
#[derive(Clone, Copy, Debug)]
struct Limit {
    since: Instant,
    whole: Duration,
}

impl Limit {
    /// The limit that begins now.
    fn from_now(whole: Duration) -> Self {
        let since = Instant::now();
        Self { since, whole }
    }

    /// What is left of it; none if it is over.
    fn left(self, now: Instant) -> Option<Duration> {
        let left = self
            .whole
            .checked_sub(now.saturating_duration_since(self.since));
        left.filter(|left| !left.is_zero())
    }
}

/// The orders of one system, taken by whichever worker is free.
pub(super) type Orders = Arc<Mutex<mpsc::Receiver<Order>>>;

/// Works off orders for as long as the runtime is there.
pub(super) async fn work(system: Arc<System>, orders: Orders) {
    let mut worker = Worker {
        system,
        client: None,
        unreachable: None,
    };
    loop {
        let order = orders.lock().await.recv().await;
        let Some(order) = order else { return };
        let number = order.number;
        let limit = Limit {
            since: order.asked,
            whole: worker.system.plan.timeout,
        };
        let reply = match limit.left(Instant::now()) {
            Some(_) => worker.carry_out(&order, limit).await,
            None => late(&worker.system.plan.name),
        };
        if !worker.system.bring(Brought::Done { number, reply }).await {
            return;
        }
    }
}

struct Worker {
    system: Arc<System>,
    client: Option<Client>,
    /// Since when the system cannot be reached, and why.
    unreachable: Option<(Instant, String)>,
}

impl Worker {
    async fn carry_out(&mut self, order: &Order, limit: Limit) -> ActionReply {
        let learnt = self.system.learnt();
        if learnt.offer.actions() {
            let rpc = action_request(&order.action, &learnt.read.names, order.dispatch);
            let repeatable = is_repeatable(&order.action);
            match self.call(&rpc, limit, repeatable).await {
                Ok(reply) => {
                    let read = read_action_reply(&order.action, &reply, &learnt.read.names);
                    if !read.is_unsupported {
                        return read;
                    }
                }
                Err(error) => return failed(&self.system.plan.name, &error),
            }
        }
        match &order.action {
            Action::Probe { element } if learnt.read.inventory.links.contains_key(element) => {
                self.measure(element).await
            }
            _ => impossible(format!(
                "management system '{}' does not offer it",
                self.system.plan.name
            )),
        }
    }

    /// Measures a link by its interfaces.
    async fn measure(&mut self, link: &ElementId) -> ActionReply {
        let learnt = self.system.learnt();
        let names: Vec<String> = learnt
            .read
            .names
            .interfaces_of(link)
            .map(|(_, name)| name.to_owned())
            .collect();
        if names.is_empty() {
            let name = &self.system.plan.name;
            return impossible(format!(
                "management system '{name}' has no interface of {link}"
            ));
        }
        let get = reading(&interfaces_filter(names.iter().map(String::as_str)));
        let mut readings = Vec::new();
        for pass in 0..2 {
            if pass > 0 {
                tokio::time::sleep(BETWEEN).await;
            }
            match self.call(&get, Limit::from_now(READING), true).await {
                Ok(reply) => {
                    let read = reply.data().map(read_interfaces).unwrap_or_default();
                    readings.push((Instant::now(), read));
                }
                Err(error) => return failed(&self.system.plan.name, &error),
            }
        }
        let seconds = (readings[1].0 - readings[0].0).as_secs_f64();
        let (before, after) = (&readings[0].1, &readings[1].1);
        match measured_link(link, &learnt.read.names, before, after, seconds) {
            Ok(measurement) => reply_of(Outcome::Measured(measurement)),
            Err(why) => impossible(why),
        }
    }

    /// Calls an rpc; over a new session if the one at hand has ended meanwhile and nothing is done
    /// twice by that. Both together have the time of the limit.
    async fn call(
        &mut self,
        rpc: &str,
        limit: Limit,
        repeatable: bool,
    ) -> Result<Reply, SessionError> {
        let was_open = self.client.is_some();
        let answered = self.call_once(rpc, limit).await;
        match answered {
            Err(SessionError::Call(CallError::Ended(_))) if was_open && repeatable => {
                self.call_once(rpc, limit).await
            }
            answered => answered,
        }
    }

    async fn call_once(&mut self, rpc: &str, limit: Limit) -> Result<Reply, SessionError> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => self.open().await?,
        };
        let late = || SessionError::TimedOut(limit.whole);
        let Some(left) = limit.left(Instant::now()) else {
            self.client = Some(client);
            return Err(late());
        };
        let answered = timeout(left, client.call_any(rpc)).await;
        let reply = answered.map_err(|_| late())??;
        self.client = Some(client);
        Ok(reply)
    }

    async fn open(&mut self) -> Result<Client, SessionError> {
        if let Some((since, why)) = &self.unreachable
            && since.elapsed() < REST
        {
            return Err(CallError::Ended(why.clone()).into());
        }
        let opened = open(&self.system, Purpose::Acting).await;
        self.unreachable = match &opened {
            Ok(_) => None,
            Err(why) => Some((Instant::now(), why.whole())),
        };
        opened
    }
}

/// True if doing it twice is doing it once.
fn is_repeatable(action: &Action) -> bool {
    match action {
        Action::Dispatch { work_order, .. } => work_order.is_some(),
        Action::Guide { .. } | Action::Restart { .. } | Action::TellCustomer { .. } => false,
        _ => true,
    }
}

/// The answer to what was asked for so long ago that nobody waits for it any more.
fn late(system: &str) -> ActionReply {
    reply_of(Outcome::Failed(format!(
        "management system '{system}': no session was free in time; it was not sent"
    )))
}

fn failed(system: &str, error: &SessionError) -> ActionReply {
    let why = error.whole();
    reply_of(Outcome::Failed(format!(
        "management system '{system}': {why}"
    )))
}

fn impossible(why: String) -> ActionReply {
    reply_of(Outcome::Impossible(why))
}

fn reply_of(outcome: Outcome) -> ActionReply {
    ActionReply {
        outcome,
        dispatch: None,
        is_unsupported: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_counts_from_when_something_was_asked_for() {
        let since = Instant::now();
        let whole = Duration::from_secs(10);
        let left = |second| Limit { since, whole }.left(since + Duration::from_secs(second));
        assert_eq!(left(0), Some(whole));
        assert_eq!(left(4), Some(Duration::from_secs(6)));
        assert_eq!(left(10), None);
        assert_eq!(left(11), None);
    }
}
