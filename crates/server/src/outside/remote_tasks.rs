//! The tasks assigned to A2A agents elsewhere: messages are sent to the agents, and each task is
//! followed until it has ended there or here.
//!
//! A task is followed by its stream where the agent has one, which is opened again when it breaks;
//! else by polling. Undelivered messages are sent again by the proxy ([`crate::remote`]). The
//! meaning of messages is not known here. Read next: [`bindings::a2a::outside::RemoteTask`].

use super::RemoteAgents;
use super::card::Card;
use super::web::Events;
use crate::peers::{Arrival, PLATFORM, UNREACHABLE};
use a2a::request::A2aRequest;
use bindings::a2a::outside::{AnswerOutcome, FollowMode, NextStep, RemoteTask};
use domain::agent::{Message, Undelivered};
use domain::notification::Notification;
use domain::reply::{Reply, Verdict};
use domain::retry::{Backoff, Retry};
use domain::task::TaskId;
use domain::telemetry::Token;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep_until};
use tracing::debug;

/// The pauses between polls of a task's state.
const POLLS: Backoff = Backoff {
    first_ms: 500,
    longest_ms: 30_000,
};
/// The pauses between attempts to reach an agent.
const ATTEMPTS: Backoff = Backoff {
    first_ms: 1_000,
    longest_ms: 60_000,
};
/// The time for which a remote task waits for a message on a task that has ended there.
const LINGER: Duration = Duration::from_secs(60);
/// The interval at which the end of the task here is checked, by its deadline for example.
const TURN: Duration = Duration::from_secs(2);
/// The tag of a task that the agent does not know, although it was assigned twice.
const LOST: &str = "data-missing";

/// A message of the proxy of an agent.
struct Call {
    token: Token,
    message: Message,
}

/// The remote tasks under way.
pub struct RemoteTasks {
    outside: Arc<RemoteAgents>,
    arrived: UnboundedSender<Arrival>,
    open: BTreeMap<(String, TaskId), UnboundedSender<Call>>,
}

impl RemoteTasks {
    /// No remote tasks yet; replies and news go to `arrived`.
    pub fn new(outside: Arc<RemoteAgents>, arrived: UnboundedSender<Arrival>) -> Self {
        Self {
            outside,
            arrived,
            open: BTreeMap::new(),
        }
    }

    /// Sends a message to the agent; its reply arrives later.
    pub fn send(&mut self, agent: &str, token: Token, message: Message) {
        let delayed = Arrival::Delayed {
            agent: agent.to_owned(),
            token,
        };
        let _ = self.arrived.send(delayed);
        self.open.retain(|_, remote_task| !remote_task.is_closed());
        let key = (agent.to_owned(), message.task.clone());
        let call = Call { token, message };
        let unsent = match self.open.get(&key) {
            Some(remote_task) => remote_task.send(call).err().map(|unsent| unsent.0),
            None => Some(call),
        };
        if let Some(call) = unsent {
            let remote_task = self.begin(agent, &call.message.task);
            let _ = remote_task.send(call);
            self.open.insert(key, remote_task);
        }
    }

    fn begin(&self, agent: &str, task: &TaskId) -> UnboundedSender<Call> {
        let (sender, calls) = mpsc::unbounded_channel();
        let follower = TaskFollower {
            agent: agent.to_owned(),
            task: task.clone(),
            remote_task: RemoteTask::new(agent, PLATFORM, task),
            outside: Arc::clone(&self.outside),
            arrived: self.arrived.clone(),
            watch: over(),
            polls: Retry::new(POLLS),
            attempts: Retry::new(ATTEMPTS),
            is_ending: false,
        };
        tokio::spawn(follower.run(calls));
        sender
    }
}

/// The way in which a task is followed.
enum Watch {
    /// Not any more, as it has ended; until this instant the remote task waits for a message on that.
    Over(Instant),
    /// By a stream.
    Stream(Box<Events>),
    /// By polling at an instant.
    Until(Instant),
}

/// The outcome of waiting for a task.
enum Seen {
    /// The data of an event.
    Event(String),
    /// The stream has ended, or broke.
    Cut,
    /// The agent must be polled.
    Due,
    /// The remote task is over.
    Over,
}

impl Watch {
    async fn next(&mut self) -> Seen {
        match self {
            Self::Stream(events) => events.next().await.map_or(Seen::Cut, Seen::Event),
            Self::Until(at) => {
                sleep_until(*at).await;
                Seen::Due
            }
            Self::Over(at) => {
                sleep_until(*at).await;
                Seen::Over
            }
        }
    }
}

/// The outcome of an exchange with the agent: the reply, which is `pending` except to a negotiation
/// turn, and the news of the task.
struct Came {
    reply: Reply,
    news: Option<Box<Notification>>,
}

impl Came {
    fn news(news: Option<Box<Notification>>) -> Self {
        let reply = Reply::new(Verdict::Pending, Vec::new());
        Self { reply, news }
    }
}

/// The follower of one remote task, by a stream or by polling.
struct TaskFollower {
    agent: String,
    task: TaskId,
    remote_task: RemoteTask,
    outside: Arc<RemoteAgents>,
    arrived: UnboundedSender<Arrival>,
    watch: Watch,
    polls: Retry,
    attempts: Retry,
    /// True once the task has ended here: it must be ended there too.
    is_ending: bool,
}

impl TaskFollower {
    async fn run(mut self, mut calls: UnboundedReceiver<Call>) {
        let arrived = self.arrived.clone();
        let mut turn = tokio::time::interval(TURN);
        loop {
            tokio::select! {
                Some(call) = calls.recv() => self.carry(call).await,
                () = arrived.closed() => return,
                _ = turn.tick(), if !self.is_ending => {
                    self.is_ending = self.outside.has_ended(&self.agent, &self.task);
                    if self.is_ending {
                        self.watch = Watch::Until(Instant::now());
                    }
                }
                seen = self.watch.next() => match seen {
                    Seen::Event(data) => self.take_event(&data).await,
                    Seen::Cut => self.watch = after(&mut self.polls),
                    Seen::Due if self.is_ending => self.end().await,
                    Seen::Due => self.ask().await,
                    Seen::Over => {
                        calls.close();
                        match calls.try_recv() {
                            Ok(call) => self.carry(call).await,
                            Err(_) => return,
                        }
                    }
                },
            }
        }
    }

    /// Sends a message to the agent, and its reply back.
    async fn carry(&mut self, call: Call) {
        let said = self.say(&call.message).await;
        let (reply, news) = match said {
            Ok(Came { reply, news }) => (Ok(reply), news),
            Err(undelivered) => (Err(undelivered), None),
        };
        let _ = self.arrived.send(Arrival::Reply {
            agent: self.agent.clone(),
            token: call.token,
            reply,
        });
        self.tell(news.map(|news| *news));
        self.follow().await;
    }

    async fn say(&mut self, message: &Message) -> Result<Came, Undelivered> {
        let outside = Arc::clone(&self.outside);
        let card = outside.card(&self.agent).await;
        let card = card.map_err(|unseen| self.unreachable(&unseen.to_string()))?;
        let known = outside.known(&self.agent, &self.task);
        match self.remote_task.take(&card.peer, message, &known) {
            NextStep::Send(request) => self.exchange(&card, *request).await,
            NextStep::Settled => Ok(Came::news(None)),
            NextStep::Refused(undelivered) => Err(undelivered),
        }
    }

    async fn exchange(
        &mut self,
        card: &Card,
        mut request: A2aRequest,
    ) -> Result<Came, Undelivered> {
        let outside = Arc::clone(&self.outside);
        loop {
            let answer = outside.ask(&self.agent, card, &request).await;
            let answer = answer.map_err(|failure| self.unreachable(&failure.to_string()))?;
            let (now, known) = (outside.clock.now(), outside.known(&self.agent, &self.task));
            match self.remote_task.answered(&card.peer, answer, &known, now) {
                AnswerOutcome::Arrived(news) => return Ok(Came::news(news)),
                AnswerOutcome::Replied(reply) => {
                    return Ok(Came {
                        reply: *reply,
                        news: None,
                    });
                }
                AnswerOutcome::Lost(again) => request = *again,
                AnswerOutcome::NotNow(why) => return Err(self.unreachable(&why)),
                AnswerOutcome::Refused(undelivered) => return Err(undelivered),
            }
        }
    }

    /// Handles an event of the stream. For a settled task the whole task is fetched.
    async fn take_event(&mut self, data: &str) {
        let outside = Arc::clone(&self.outside);
        let Ok(card) = outside.card(&self.agent).await else {
            self.watch = after(&mut self.attempts);
            return;
        };
        match card.peer.interface.read_event(data) {
            Ok(event) => {
                self.polls.reset();
                let known = outside.known(&self.agent, &self.task);
                let now = outside.clock.now();
                let news = self.remote_task.streamed(&card.peer, &event, &known, now);
                self.tell(news);
                if event.is_last() {
                    self.ask().await;
                }
            }
            Err(error) => {
                let (agent, task) = (&self.agent, &self.task);
                debug!(agent, %task, "the stream is given up: {error}");
                self.watch = after(&mut self.polls);
            }
        }
    }

    /// Cancels the task there, as it has ended here; retries for a while.
    async fn end(&mut self) {
        self.watch = over();
        let Some(request) = self.remote_task.cancel() else {
            return;
        };
        let outside = Arc::clone(&self.outside);
        let ended = match outside.card(&self.agent).await {
            Ok(card) => self.exchange(&card, request).await.is_ok(),
            Err(_) => false,
        };
        if !ended && !self.attempts.is_at_longest() {
            self.watch = after(&mut self.attempts);
        }
    }

    /// Polls the state of the task.
    async fn ask(&mut self) {
        let outside = Arc::clone(&self.outside);
        let Some(request) = self.remote_task.look() else {
            self.watch = over();
            return;
        };
        let Ok(card) = outside.card(&self.agent).await else {
            self.watch = after(&mut self.attempts);
            return;
        };
        match self.exchange(&card, request).await {
            Ok(Came { news, .. }) => {
                self.attempts.reset();
                if news.is_some() {
                    self.polls.reset();
                }
                self.tell(news.map(|news| *news));
                self.follow().await;
            }
            Err(Undelivered { tag, message }) if tag == LOST => {
                let news = self.remote_task.given_up(&message, outside.clock.now());
                self.tell(news);
                self.watch = over();
            }
            Err(undelivered) => {
                let (agent, task) = (&self.agent, &self.task);
                debug!(agent, %task, "nothing is heard of the task: {}", undelivered.message);
                self.watch = after(&mut self.attempts);
            }
        }
    }

    /// Begins to follow the task in the way that is possible.
    async fn follow(&mut self) {
        if self.is_ending {
            self.watch = Watch::Until(Instant::now());
            return;
        }
        let outside = Arc::clone(&self.outside);
        let Ok(card) = outside.card(&self.agent).await else {
            self.watch = after(&mut self.attempts);
            return;
        };
        self.watch = match self.remote_task.following(&card.peer) {
            FollowMode::Over => over(),
            FollowMode::Waiting => until(POLLS.longest_ms),
            FollowMode::Asking => after(&mut self.polls),
            FollowMode::Stream(id) => match outside.events(&self.agent, &card, &id).await {
                Ok(events) => Watch::Stream(Box::new(events)),
                Err(_) => after(&mut self.polls),
            },
        };
    }

    fn tell(&self, news: Option<Notification>) {
        if let Some(news) = news {
            let _ = self.arrived.send(Arrival::Notified {
                agent: self.agent.clone(),
                from: self.agent.clone(),
                notification: Arc::new(news),
            });
        }
    }

    fn unreachable(&self, why: &str) -> Undelivered {
        Undelivered {
            tag: UNREACHABLE.to_owned(),
            message: format!("{} cannot be reached: {why}", self.agent),
        }
    }
}

/// The final wait.
fn over() -> Watch {
    Watch::Over(Instant::now() + LINGER)
}

/// The wait before the next attempt.
fn after(retry: &mut Retry) -> Watch {
    until(retry.next_pause_ms())
}

fn until(pause_ms: u32) -> Watch {
    Watch::Until(Instant::now() + Duration::from_millis(pause_ms.into()))
}
