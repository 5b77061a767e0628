//! Following a task: waiting until it has settled, and streams of what happens to it.
//!
//! A stream is a cursor in the log. It begins with the task as of a place in the log and goes on with
//! what stands behind that place, so that every subscriber reads the same, in order and without a
//! gap (A9). Hardly anything is queued: who reads slowly is merely behind. Read next: `engine::feed`.

use super::cards::ServedAgent;
use super::error;
use super::event::events;
use super::exchange::Written;
use super::notes::{GivenTask, Notes};
use super::request_context::{RequestContext, Spoken};
use super::telecom::subscribed::is_standing;
use super::telecom::told::Teller;
use a2a::conversation;
use a2a::error::Error;
use a2a::event::StreamResponse;
use a2a::message::Message;
use a2a::state::state_of;
use a2a::task::{Task as Told, TaskState, TaskStatus};
use a2a::version::Version;
use domain::access::Principal;
use domain::event::{Entry, LogEvent, Sequence};
use domain::notification::Notification;
use domain::task::{Task, TaskId};
use engine::{Engine, Refusal};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::watch;

/// The most entries of the log that are looked at in one breath.
const AT_ONCE: usize = 256;

/// So many bytes of frames are made ahead of their reader, and those of one entry more.
const READY_BYTES: usize = 64 << 10;

impl RequestContext<'_> {
    /// Waits until a task has settled, or the caller's patience is over (A7).
    pub(super) async fn settled(
        &self,
        id: &TaskId,
        patience: impl Future<Output = ()>,
    ) -> Result<(), Error> {
        let mut patience = pin!(patience);
        let mut news = self.engine().feed().watch();
        loop {
            news.borrow_and_update();
            let task = self.task(id.as_str())?;
            if state_of(&task).is_settled() || is_standing(&task) {
                return Ok(());
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() { return Ok(()) },
                () = &mut patience => return Ok(()),
            }
        }
    }
}

/// When a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// The task has settled: the stream of a message.
    Settled,
    /// The task has ended: the stream of a subscription.
    Ended,
}

/// The frames of a stream, as server-sent events.
pub struct EventFrames {
    engine: Arc<Engine>,
    written: Written,
    news: watch::Receiver<Sequence>,
    ready: VecDeque<String>,
    /// Their bytes.
    bytes: usize,
    following: Option<Following>,
}

/// A task that is followed.
struct Following {
    task: Arc<Task>,
    cursor: Sequence,
    until: Until,
    who: Principal,
    /// The agent's card as it was when the stream began.
    served: Arc<ServedAgent>,
    notes: Notes,
}

impl std::fmt::Debug for EventFrames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let task = self.following.as_ref().map(|it| &it.task.id);
        f.debug_struct("EventFrames").field("task", &task).finish()
    }
}

impl EventFrames {
    /// Of an answer that is no task: one frame.
    pub(super) fn of_one(cx: &RequestContext<'_>, written: &Written, message: Message) -> Self {
        let mut frames = Self::empty(cx, written);
        frames.push(written.event(&StreamResponse::Message(message)));
        frames
    }

    /// Of a task that a message began or continued. A task that began behind `before` is told from
    /// its beginning.
    pub(super) fn of_message(
        cx: &RequestContext<'_>,
        written: &Written,
        given: GivenTask,
        before: Sequence,
        history_length: Option<u32>,
    ) -> Result<Self, Error> {
        let (task, as_of) = cx.followed(given.task.as_str())?;
        let mut told = cx.of_task(&task, history_length)?;
        let began = began(cx.engine(), &task, before, as_of);
        let began = began.map_err(|it| error::refused(&it))?;
        if let Some(began) = &began {
            told = as_begun(told, began);
        }
        let following = Following {
            cursor: began.map_or(as_of, |entry| entry.sequence),
            until: Until::Settled,
            who: cx.who.clone(),
            served: Arc::clone(&cx.served),
            notes: given.notes,
            task,
        };
        Ok(Self::begun(cx, written, told, following))
    }

    /// Of a task that somebody follows from now on.
    ///
    /// # Errors
    /// That there is none, or that it has ended (A8).
    pub(super) fn of_task(
        cx: &RequestContext<'_>,
        written: &Written,
        id: &str,
    ) -> Result<Self, Error> {
        let found = cx.followed(id);
        let known = found.as_ref().ok().map(|(task, _)| task.known());
        conversation::can_be_followed(id, known)?;
        let (task, cursor) = found?;
        let told = cx.of_task(&task, None)?;
        let following = Following {
            cursor,
            // v0.3 writes that a state is the last one of a stream, so it is.
            until: match written.version() {
                Version::V10 => Until::Ended,
                Version::V03 => Until::Settled,
            },
            who: cx.who.clone(),
            served: Arc::clone(&cx.served),
            notes: Notes::default(),
            task,
        };
        let mut frames = Self::empty(cx, written);
        frames.push(written.event(&StreamResponse::Task(told)));
        frames.following = Some(following);
        Ok(frames)
    }

    fn begun(
        cx: &RequestContext<'_>,
        written: &Written,
        told: Told,
        mut following: Following,
    ) -> Self {
        let mut frames = Self::empty(cx, written);
        let first = StreamResponse::Task(following.notes.on(told));
        frames.push(written.event(&first));
        frames.following = Some(following).filter(|_| !first.is_last());
        frames
    }

    fn empty(cx: &RequestContext<'_>, written: &Written) -> Self {
        Self {
            engine: Arc::clone(cx.engine()),
            written: written.clone(),
            news: cx.engine().feed().watch(),
            ready: VecDeque::new(),
            bytes: 0,
            following: None,
        }
    }

    fn push(&mut self, frame: String) {
        self.bytes += frame.len();
        self.ready.push_back(frame);
    }

    /// The bytes of the frames that are made and not taken.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The next frame; none at the end of the stream. May be dropped while it waits: nothing is
    /// lost.
    pub async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                self.bytes -= frame.len();
                return Some(frame);
            }
            let following = self.following.as_ref()?;
            self.news.borrow_and_update();
            match self.engine.feed().after(following.cursor, AT_ONCE) {
                Ok(entries) if entries.is_empty() => {
                    if self.news.changed().await.is_err() {
                        self.following = None;
                    }
                }
                Ok(entries) if self.still_may_read() => {
                    for entry in &entries {
                        self.take(entry);
                        if self.bytes >= READY_BYTES {
                            break;
                        }
                    }
                }
                // As of a task that is not there: nothing is said of why.
                Ok(_) => self.following = None,
                Err(failed) => {
                    let failure = error::refused(&Refusal::from(failed));
                    self.push(self.written.failure(&failure));
                    self.following = None;
                }
            }
        }
    }

    /// Whether the rules in force still let the caller read the task.
    fn still_may_read(&mut self) -> bool {
        let Some(following) = &mut self.following else {
            return false;
        };
        following.who = self.engine.principal(&following.who.name);
        let (who, task) = (&following.who, &following.task);
        self.engine.may_follow(who, &task.from, &task.to)
    }

    /// Tells what an entry of the log says of the task, if it does.
    fn take(&mut self, entry: &Entry) {
        let Some(following) = &mut self.following else {
            return;
        };
        following.cursor = entry.sequence;
        let Some(change) = change_of(entry, &following.task) else {
            return;
        };
        let events = following.events(&self.engine, change, entry.sequence);
        let is_over = events.iter().any(|event| following.until.is_over(event));
        for event in &events {
            self.push(self.written.event(event));
        }
        if is_over {
            self.following = None;
        }
    }
}

impl Following {
    fn events(
        &mut self,
        engine: &Engine,
        change: &Notification,
        at: Sequence,
    ) -> Vec<StreamResponse> {
        let is_declared = |id: &str| self.served.declared.contains(id);
        let mut events = events(&self.task, change, at, &is_declared);
        if let Some(StreamResponse::Artifact(update)) = events.first_mut() {
            self.notes.on_parts(&mut update.artifact.parts);
        }
        let teller = Teller::of(engine, &self.who, &self.served);
        teller.events(&self.task, change, at, events)
    }
}

impl Until {
    fn is_over(self, event: &StreamResponse) -> bool {
        match (self, event) {
            (Self::Ended, StreamResponse::Status(update)) => update.status.state.is_terminal(),
            (Self::Ended, _) => false,
            (Self::Settled, event) => event.is_last(),
        }
    }
}

/// The change of a task that an entry holds.
fn change_of<'e>(entry: &'e Entry, task: &Task) -> Option<&'e Notification> {
    match &entry.happening {
        LogEvent::Task(change) if change.task == task.id => Some(change),
        _ => None,
    }
}

/// The entry that a task began with, if it stands between two places of the log.
fn began(
    engine: &Engine,
    task: &Task,
    before: Sequence,
    until: Sequence,
) -> Result<Option<Arc<Entry>>, Refusal> {
    let mut cursor = before;
    while cursor < until {
        let entries = engine.feed().after(cursor, AT_ONCE)?;
        let is_first = |entry: &&Arc<Entry>| {
            change_of(entry, task).is_some_and(|change| change.previous.is_none())
        };
        if let Some(first) = entries.iter().find(is_first) {
            return Ok(Some(Arc::clone(first)));
        }
        match entries.last() {
            Some(last) => cursor = last.sequence,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// A task as it was when it began.
fn as_begun(told: Told, began: &Entry) -> Told {
    let mut history = told.history;
    history.truncate(1);
    Told {
        status: TaskStatus {
            state: TaskState::Submitted,
            message: None,
            timestamp: Some(began.time),
        },
        artifacts: Some(Vec::new()),
        history,
        ..told
    }
}
