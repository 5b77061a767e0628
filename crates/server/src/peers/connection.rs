//! One agent's connection to one endpoint: a session that is opened when it is first needed, and
//! reopened when it is lost.
//!
//! A message waits here until its reply has come. If the session is lost it is sent again,
//! unchanged, over the next one; the platform repeats its former answer. Notifications of the time
//! between two sessions are replayed. Read next: `netconf::client`, the machine below.

use super::replay::ReplayPosition;
use super::tally::{envelope_bytes, framed};
use super::{Arrival, Tally, UNREACHABLE};
use crate::ssh::{ByteStream, Inbound, Outbound, split};
use bindings::netconf::{
    AGENT_NAMESPACE, NEGOTIATION_NAMESPACE, read_negotiation, read_notification, read_reply,
};
use domain::agent::Undelivered;
use domain::event::Sequence;
use domain::negotiation::{Kind, Side, Stance, State};
use domain::notification::NegotiationUpdate;
use domain::reply::{Reply, Verdict};
use domain::retry::{Backoff, Retry};
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::Timestamp;
use netconf::client::{
    ClientConfig, ClientEvent, ClientSession, Notification, Outcome, Reply as RpcReply,
};
use netconf::names::namespace::NOTIFICATION;
use netconf::xml::write::text;
use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tracing::{debug, warn};

/// The most bytes that a peer may send before they are read.
const QUOTA_BYTES: usize = 64 * 1_024 * 1_024;
/// The number of attempts before a message counts as undeliverable.
const TRIES: u32 = 4;
/// The pauses before a lost session is reopened.
const BACKOFF: Backoff = Backoff {
    first_ms: 500,
    longest_ms: 30_000,
};

/// A message to be sent.
pub(super) struct Call {
    pub(super) token: Token,
    /// The operation.
    pub(super) rpc: String,
    pub(super) task: TaskId,
}

/// Opens a session's stream.
pub(super) type Connect =
    Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<ByteStream, String>> + Send>> + Send + Sync>;

/// The parameters of a connection.
pub(super) struct Plan {
    /// The agent that sends.
    pub(super) agent: String,
    /// The peer; its notifications are subscribed to.
    pub(super) to: String,
    pub(super) connect: Connect,
    /// The end of the platform's own log, at the instant of a subscription.
    pub(super) last_sequence: Box<dyn Fn() -> Sequence + Send + Sync>,
    /// True if the peer is another platform, whose answers may take long.
    pub(super) is_elsewhere: bool,
    /// The start of a replay, after a session was lost in which no notification was received.
    pub(super) from: Timestamp,
    /// True to replay from the first session on, which is then opened without a message: tasks from
    /// before a start are under way.
    pub(super) is_resumed: bool,
}

/// The reason for which a session is over.
enum End {
    /// The sender is gone.
    Unwanted,
    Lost(String),
}

/// A call whose reply has not come.
struct Open {
    call: Call,
    tries: u32,
}

pub(super) struct PeerConnection {
    plan: Plan,
    calls: mpsc::UnboundedReceiver<Call>,
    arrived: mpsc::UnboundedSender<Arrival>,
    tally: Arc<Tally>,
    since: Arc<AtomicU64>,
    open: Vec<Open>,
    /// Offers whose answer comes by notification.
    pending: BTreeMap<(TaskId, Kind, u32), Token>,
    /// The position of a replay; none before the first subscription, unless it resumes.
    replay: Option<ReplayPosition>,
}

/// One session of a connection.
struct Session {
    client: ClientSession,
    subscription: Option<u64>,
    ready: bool,
    /// Tokens by message-id.
    tokens: HashMap<u64, Token>,
}

impl PeerConnection {
    /// A connection; `since` receives the end of the log when the subscription begins, and is the
    /// greatest number while there is none.
    pub(super) fn new(
        plan: Plan,
        calls: mpsc::UnboundedReceiver<Call>,
        arrived: mpsc::UnboundedSender<Arrival>,
        tally: Arc<Tally>,
        since: Arc<AtomicU64>,
    ) -> Self {
        Self {
            replay: plan.is_resumed.then(ReplayPosition::default),
            plan,
            calls,
            arrived,
            tally,
            since,
            open: Vec::new(),
            pending: BTreeMap::new(),
        }
    }

    /// Sends messages until the sender is gone.
    pub(super) async fn run(mut self) {
        let mut retry = Retry::new(BACKOFF);
        loop {
            // Once subscribed, a session is held even without messages.
            if self.open.is_empty() && self.replay.is_none() {
                match self.calls.recv().await {
                    Some(call) => self.enter(call),
                    None => return,
                }
            }
            let why = match self.session().await {
                End::Unwanted => return,
                End::Lost(why) => why,
            };
            if self.since.swap(u64::MAX, Relaxed) != u64::MAX {
                // It was opened: what ended it is new.
                retry.reset();
            }
            self.lost(&why);
            if !self.rest(retry.next_pause_ms()).await {
                return;
            }
        }
    }

    /// Waits before the next session; a new message shortens that. False if the sender is gone.
    async fn rest(&mut self, pause_ms: u32) -> bool {
        let (mut least, mut most) = (false, false);
        let mut new = false;
        let began = tokio::time::Instant::now();
        let after = |ms: u32| began + Duration::from_millis(ms.into());
        while !(most || least && new) {
            tokio::select! {
                () = tokio::time::sleep_until(after(BACKOFF.first_ms)), if !least => least = true,
                () = tokio::time::sleep_until(after(pause_ms)) => most = true,
                call = self.calls.recv() => match call {
                    Some(call) => {
                        self.delayed(call.token);
                        self.open.push(Open { call, tries: 0 });
                        new = true;
                    }
                    None => return false,
                },
            }
        }
        true
    }

    fn enter(&mut self, call: Call) {
        if self.plan.is_elsewhere {
            self.delayed(call.token);
        }
        self.open.push(Open { call, tries: 0 });
    }

    /// Handles the loss of a session, or a failure to open one: senders learn that their message is
    /// delayed, and finally that it cannot be delivered.
    fn lost(&mut self, why: &str) {
        // The receiver is gone when the platform ends; the loss is expected then.
        let (agent, peer) = (&self.plan.agent, &self.plan.to);
        match self.open.iter().any(|open| open.tries == 0) && !self.arrived.is_closed() {
            true => warn!(agent, peer, "session ends: {why}"),
            false => debug!(agent, peer, "session ends: {why}"),
        }
        let mut open = std::mem::take(&mut self.open);
        open.retain_mut(|open| {
            open.tries += 1;
            let token = open.call.token;
            if open.tries == 1 && !self.plan.is_elsewhere {
                self.delayed(token);
            }
            if open.tries >= TRIES {
                let undelivered = Undelivered {
                    tag: UNREACHABLE.to_owned(),
                    message: format!("{} cannot be reached: {why}", self.plan.to),
                };
                self.reply(token, Err(undelivered));
            }
            open.tries < TRIES
        });
        self.open = open;
    }

    fn delayed(&self, token: Token) {
        let agent = self.plan.agent.clone();
        let _ = self.arrived.send(Arrival::Delayed { agent, token });
    }

    fn reply(&self, token: Token, reply: Result<Reply, Undelivered>) {
        let _ = self.arrived.send(Arrival::Reply {
            agent: self.plan.agent.clone(),
            token,
            reply,
        });
    }

    /// One session, from the connection to its end.
    async fn session(&mut self) -> End {
        let mut connecting = (self.plan.connect)();
        let stream = loop {
            tokio::select! {
                stream = &mut connecting => match stream {
                    Ok(stream) => break stream,
                    Err(why) => return End::Lost(why),
                },
                call = self.calls.recv() => match call {
                    Some(call) => self.enter(call),
                    None => return End::Unwanted,
                },
            }
        };
        let (mut inbound, outbound): (Inbound, Outbound) = split(stream, QUOTA_BYTES);
        let mut outbound = outbound.ending_with_input();
        let mut session = Session {
            client: ClientSession::new(ClientConfig::default()),
            subscription: None,
            ready: false,
            tokens: HashMap::new(),
        };
        loop {
            let output = session.client.transmit();
            if !output.is_empty() && outbound.write_all(&output).await.is_err() {
                return End::Lost("the connection was lost".to_owned());
            }
            tokio::select! {
                call = self.calls.recv() => match call {
                    Some(call) => {
                        self.enter(call);
                        if session.ready {
                            self.call(&mut session, self.open.len() - 1);
                        }
                    }
                    None => return End::Unwanted,
                },
                received = inbound.receive() => match received {
                    Ok(Some(bytes)) => {
                        session.client.receive(&bytes);
                        if let Some(why) = self.take_events(&mut session) {
                            return End::Lost(why);
                        }
                    }
                    Ok(None) => return End::Lost("the peer closed the session".to_owned()),
                    Err(error) => return End::Lost(error.to_string()),
                },
            }
        }
    }

    fn call(&self, session: &mut Session, place: usize) {
        let call = &self.open[place].call;
        let id = session.client.call(&call.rpc);
        session.tokens.insert(id, call.token);
        let bytes = call.rpc.len() + envelope_bytes(id);
        self.tally.count(framed(bytes, session.client.framing()));
    }

    fn take_events(&mut self, session: &mut Session) -> Option<String> {
        while let Some(event) = session.client.poll() {
            match event {
                ClientEvent::Ready { .. } => {
                    let rpc = self.subscription();
                    session.subscription = Some(session.client.call(&rpc));
                }
                ClientEvent::Reply(reply) if session.subscription == Some(reply.message_id) => {
                    if let Outcome::Errors(errors) = &reply.outcome {
                        return Some(format!("no subscription: {}", errors[0]));
                    }
                    self.since.store((self.plan.last_sequence)(), Relaxed);
                    self.replay.get_or_insert_default();
                    session.ready = true;
                    for place in 0..self.open.len() {
                        self.call(session, place);
                    }
                }
                ClientEvent::Reply(reply) => self.replied(session, &reply),
                ClientEvent::Notification(notification) => {
                    let bytes = notification.raw().len();
                    self.told(&notification, framed(bytes, session.client.framing()));
                }
                ClientEvent::Closed(error) => return Some(error.to_string()),
            }
        }
        None
    }

    /// The subscription to the tasks and negotiations that the peer executes; from the end of the
    /// last session, if there was one, or the start of the platform.
    fn subscription(&mut self) -> String {
        let mut peer = Vec::new();
        text(&self.plan.to, &mut peer);
        let peer = String::from_utf8_lossy(&peer);
        let from = self.replay.as_mut();
        let from = from.map(|it| format!("<startTime>{}</startTime>", it.begin(self.plan.from)));
        format!(
            "<create-subscription xmlns=\"{NOTIFICATION}\"><filter type=\"subtree\">\
             <condition-notifications xmlns=\"{AGENT_NAMESPACE}\">\
             <task-sendFrom>{peer}</task-sendFrom></condition-notifications>\
             <negotiation-update xmlns=\"{NEGOTIATION_NAMESPACE}\">\
             <executor>{peer}</executor></negotiation-update></filter>{}</create-subscription>",
            from.unwrap_or_default()
        )
    }

    fn replied(&mut self, session: &mut Session, reply: &RpcReply) {
        let bytes = reply.raw().len();
        self.tally.count(framed(bytes, session.client.framing()));
        let Some(token) = session.tokens.remove(&reply.message_id) else {
            return;
        };
        let Some(place) = self.open.iter().position(|o| o.call.token == token) else {
            return;
        };
        let call = self.open.remove(place).call;
        let reply = match read_reply(reply) {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(errors)) => Err(Undelivered {
                tag: errors[0].tag.as_str().to_owned(),
                message: errors[0].message.clone().unwrap_or_default(),
            }),
            Err(error) => Err(Undelivered {
                tag: "malformed".to_owned(),
                message: error.to_string(),
            }),
        };
        match reply {
            // A turn whose answer is to come: an assignment's reply has no round.
            Ok(Reply {
                verdict: Verdict::Pending,
                round: Some(round),
                status,
                ..
            }) => {
                let kind = match status {
                    None => Kind::Feasibility,
                    Some(_) => Kind::Fulfillment,
                };
                self.pending.insert((call.task, kind, round), token);
                self.delayed(token);
            }
            reply => self.reply(token, reply),
        }
    }

    fn told(&mut self, received: &Notification, bytes: usize) {
        if !self.replay.get_or_insert_default().is_new(received) {
            return;
        }
        match (read_notification(received), read_negotiation(received)) {
            (Ok(Some(news)), _) => {
                self.tally.count(bytes);
                let _ = self.arrived.send(Arrival::Notified {
                    agent: self.plan.agent.clone(),
                    from: self.plan.to.clone(),
                    notification: Arc::new(news),
                });
            }
            (_, Ok(Some(update))) => {
                self.tally.count(bytes);
                self.moved_on(update);
            }
            (Err(error), _) | (_, Err(error)) => {
                let (agent, peer) = (&self.plan.agent, &self.plan.to);
                warn!(agent, peer, "unreadable notification: {error}");
            }
            (Ok(None), Ok(None)) => {}
        }
    }

    /// Handles the end of a pending answer: it has come, or never will.
    fn moved_on(&mut self, update: NegotiationUpdate) {
        let NegotiationUpdate {
            task,
            kind,
            state,
            turn,
            ..
        } = update;
        let reply = match turn {
            Some(turn) if turn.by == Side::Executor => {
                let verdict = match turn.speech.stance {
                    Stance::Offer => Verdict::Offered,
                    Stance::Accept => Verdict::Accepted,
                    Stance::Refuse => Verdict::Refused,
                };
                Reply {
                    reasons: turn.speech.reasons,
                    round: Some(turn.round),
                    alternative: turn.speech.alternative,
                    ..Reply::new(verdict, turn.speech.contents)
                }
            }
            None if state != State::Open => {
                let words = format!("the negotiation is {}", state.as_str());
                Reply::refused(state.as_str(), "", words)
            }
            _ => return,
        };
        let answered = |(t, k, round): &(TaskId, Kind, u32)| {
            *t == task && *k == kind && reply.round.is_none_or(|r| r == *round)
        };
        let keys: Vec<_> = self
            .pending
            .keys()
            .filter(|k| answered(k))
            .cloned()
            .collect();
        for key in keys {
            if let Some(token) = self.pending.remove(&key) {
                let task = Some(task.clone());
                self.reply(
                    token,
                    Ok(Reply {
                        task,
                        ..reply.clone()
                    }),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests;
