//! The life of one task, from assignment to a terminal state (draft §4.2, §5.2).
//!
//! ```text
//!              Assign            Work                Offer/Finish
//!    (none) ──────────► created ───────► processing ─────────────► finished
//!                         │  │  Ask         │  ▲   Block ► blocked ► Work
//!                         │  └─────────────►│  │ Answer
//!                         │ Refuse          ▼  │
//!                         ▼            input-required ── Accept ──► finished
//!                      rejected             (Cancel and Fail from anywhere above)
//! ```
//!
//! Pure: time and identity arrive as arguments. Rows are in `store`, wire forms in
//! `bindings::netconf`. `decide` changes nothing; `apply` cannot fail. A terminal state is never
//! left. Read next: [`crate::notification`].

use crate::content::Content;
use crate::time::Timestamp;
use std::fmt;

/// The identifier of a task, unique on the platform; chosen by its publisher.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(String);

impl TaskId {
    /// The longest identifier, in bytes.
    pub const LONGEST: usize = 128;

    /// The task called `id`.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `task-status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Known, not begun.
    Created,
    /// Being worked on.
    Processing,
    /// Waiting for something outside the task.
    Blocked,
    /// Waiting for the publisher: an answer, or a judgement of the result.
    InputRequired,
    /// Waiting for credentials.
    AuthRequired,
    /// Ended: the executor could not.
    Failed,
    /// Ended: done.
    Finished,
    /// Ended by the publisher.
    Cancelled,
    /// Ended: not feasible, or refused.
    Rejected,
    /// Ended: a result was offered and the publisher stayed silent.
    Unconfirmed,
}

impl Status {
    /// Every state, for tables and tests.
    pub const ALL: [Status; 10] = [
        Self::Created,
        Self::Processing,
        Self::Blocked,
        Self::InputRequired,
        Self::AuthRequired,
        Self::Failed,
        Self::Finished,
        Self::Cancelled,
        Self::Rejected,
        Self::Unconfirmed,
    ];

    /// The name in module convoke-negotiation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Processing => "processing",
            Self::Blocked => "blocked",
            Self::InputRequired => "input-required",
            Self::AuthRequired => "auth-required",
            Self::Failed => "failed",
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
            Self::Rejected => "rejected",
            Self::Unconfirmed => "unconfirmed",
        }
    }

    /// The state called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == name)
    }

    /// True if the task has ended and never changes again.
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Failed | Self::Finished | Self::Cancelled | Self::Rejected | Self::Unconfirmed
        )
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// `task-id`.
    pub id: TaskId,
    /// `task-sendFrom`: the publisher.
    pub from: String,
    /// `task-sendTo`: the executor.
    pub to: String,
    /// The sections of the assignment.
    pub content: Content,
    /// The content exactly as it was sent.
    pub text: String,
    /// `task-async`.
    pub asynchronous: bool,
    /// Its state.
    pub status: Status,
    /// 0 to 100.
    pub percent: u8,
    /// The result, once the executor offered one.
    pub result: Option<Content>,
    /// What the executor said last.
    pub said: Option<Content>,
    /// When it was assigned.
    pub created_at: Timestamp,
    /// When it changed last.
    pub changed_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: u64,
}

/// What is wanted of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Executor: the work goes on.
    Work {
        /// 0 to 100.
        percent: u8,
        /// What there is to tell, if anything.
        said: Option<Content>,
    },
    /// Executor: the work waits for something outside the task.
    Block(Content),
    /// Executor: the publisher must answer first.
    Ask(Content),
    /// Publisher: the answer.
    Answer(Content),
    /// Executor: the work is done, this is the result.
    Offer(Content),
    /// Publisher: the offered result is what was wanted.
    Accept,
    /// Publisher: it is not; the executor goes on.
    Reject(Content),
    /// Executor: it cannot be done.
    Fail(Content),
    /// Executor, before it began: it will not be done.
    Refuse(Content),
    /// Publisher: stop.
    Cancel,
}

impl Command {
    /// The command's name, for messages and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Work { .. } => "work",
            Self::Block(_) => "block",
            Self::Ask(_) => "ask",
            Self::Answer(_) => "answer",
            Self::Offer(_) => "offer",
            Self::Accept => "accept",
            Self::Reject(_) => "reject",
            Self::Fail(_) => "fail",
            Self::Refuse(_) => "refuse",
            Self::Cancel => "cancel",
        }
    }
}

/// What happened to a task: its new state, and what was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// The state after it.
    pub status: Status,
    /// 0 to 100, after it.
    pub percent: u8,
    /// What was said, if anything.
    pub said: Option<Content>,
    /// The result, if this event offers one.
    pub result: Option<Content>,
}

/// A command that a task does not take in its state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("task {task} is {status} and cannot take '{command}'")]
pub struct OutOfTurn {
    /// The task.
    pub task: TaskId,
    /// Its state.
    pub status: Status,
    /// The command's name.
    pub command: &'static str,
}

impl Task {
    /// A task just assigned.
    pub fn assigned(
        id: TaskId,
        from: &str,
        to: &str,
        text: String,
        content: Content,
        asynchronous: bool,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            from: from.to_owned(),
            to: to.to_owned(),
            content,
            text,
            asynchronous,
            status: Status::Created,
            percent: 0,
            result: None,
            said: None,
            created_at: at,
            changed_at: at,
            version: 1,
        }
    }

    /// The scenario of its payload; tasks in natural language have none.
    pub fn scenario(&self) -> Option<&str> {
        self.content.payload.as_ref().map(|p| p.scenario())
    }

    /// True while a result waits for the publisher's judgement.
    pub fn awaits_judgement(&self) -> bool {
        self.status == Status::InputRequired && self.result.is_some()
    }

    /// Says what would happen; changes nothing.
    ///
    /// # Errors
    /// [`OutOfTurn`] if the task does not take the command in its state.
    pub fn decide(&self, command: Command, now: Timestamp) -> Result<Event, OutOfTurn> {
        use Status::*;
        let event = |status, said| Event {
            at: now.max(self.changed_at),
            status,
            percent: self.percent,
            said,
            result: None,
        };
        let judged = self.awaits_judgement();
        match (self.status, command) {
            (Created | Processing | Blocked, Command::Work { percent, said }) => Ok(Event {
                percent: percent.min(100),
                ..event(Processing, said)
            }),
            (Created | Processing, Command::Block(said)) => Ok(event(Blocked, Some(said))),
            (Created | Processing, Command::Ask(said)) => Ok(event(InputRequired, Some(said))),
            (InputRequired, Command::Answer(said)) if !judged => Ok(event(Processing, Some(said))),
            (Created | Processing | Blocked, Command::Offer(result)) => Ok(Event {
                percent: 100,
                result: Some(result),
                ..event(self.status_when_offered(), None)
            }),
            (InputRequired, Command::Accept) if judged => Ok(event(Finished, None)),
            (InputRequired, Command::Reject(said)) if judged => Ok(event(Processing, Some(said))),
            (Created, Command::Refuse(said)) => Ok(event(Rejected, Some(said))),
            (status, Command::Fail(said)) if !status.is_terminal() => Ok(event(Failed, Some(said))),
            (status, Command::Cancel) if !status.is_terminal() => Ok(event(Cancelled, None)),
            (status, command) => Err(OutOfTurn {
                task: self.id.clone(),
                status,
                command: command.name(),
            }),
        }
    }

    /// A publisher who stated what it expects wants to judge the result (§4.5); one who did not
    /// takes what comes.
    fn status_when_offered(&self) -> Status {
        if self.content.expected_response.is_some() {
            Status::InputRequired
        } else {
            Status::Finished
        }
    }

    /// Applies what happened.
    pub fn apply(&mut self, event: &Event) {
        let publisher_spoke = self.status == Status::InputRequired && !event.status.is_terminal();
        if event.status == Status::Processing {
            self.result = None;
        }
        self.status = event.status;
        self.percent = event.percent;
        if let (Some(said), false) = (&event.said, publisher_spoke) {
            self.said = Some(said.clone());
        }
        if let Some(result) = &event.result {
            self.result = Some(result.clone());
        }
        self.changed_at = event.at;
        self.version += 1;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn said() -> Content {
        Content::new("site-1", "said")
    }

    fn commands() -> Vec<Command> {
        vec![
            Command::Work {
                percent: 10,
                said: None,
            },
            Command::Block(said()),
            Command::Ask(said()),
            Command::Answer(said()),
            Command::Offer(said()),
            Command::Accept,
            Command::Reject(said()),
            Command::Fail(said()),
            Command::Refuse(said()),
            Command::Cancel,
        ]
    }

    fn task(status: Status, offered: bool, expecting: bool) -> Task {
        let mut content = Content::new("site-1", "diagnose");
        if expecting {
            content = content.expecting("service restored");
        }
        let text = content.render();
        let at = Timestamp::from_ms(1_000);
        let mut task = Task::assigned(TaskId::new("t"), "a", "b", text, content, true, at);
        task.status = status;
        task.result = offered.then(said);
        task
    }

    #[test]
    fn the_whole_transition_table() {
        let mut table = String::new();
        for status in Status::ALL {
            for offered in [false, true] {
                if offered && status != Status::InputRequired {
                    continue;
                }
                let task = task(status, offered, true);
                let row: Vec<String> = commands()
                    .into_iter()
                    .filter_map(|c| {
                        let name = c.name();
                        let event = task.decide(c, Timestamp::from_ms(2_000)).ok()?;
                        Some(format!("{name}>{}", event.status))
                    })
                    .collect();
                let mark = if offered { "+result" } else { "" };
                table.push_str(&format!("{status}{mark}: {}\n", row.join(" ")));
            }
        }
        assert_snapshot!(table.replace(": \n", ":\n"), @r"
        created: work>processing block>blocked ask>input-required offer>input-required fail>failed refuse>rejected cancel>cancelled
        processing: work>processing block>blocked ask>input-required offer>input-required fail>failed cancel>cancelled
        blocked: work>processing offer>input-required fail>failed cancel>cancelled
        input-required: answer>processing fail>failed cancel>cancelled
        input-required+result: accept>finished reject>processing fail>failed cancel>cancelled
        auth-required: fail>failed cancel>cancelled
        failed:
        finished:
        cancelled:
        rejected:
        unconfirmed:
        ");
    }

    #[test]
    fn without_an_expectation_the_result_finishes_the_task() {
        let task = task(Status::Processing, false, false);
        let event = task
            .decide(Command::Offer(said()), Timestamp::from_ms(2_000))
            .unwrap();
        assert_eq!(event.status, Status::Finished);
    }

    #[test]
    fn a_clock_that_jumps_back_never_dates_a_change_before_the_last() {
        let task = task(Status::Processing, false, false);
        let event = task.decide(Command::Cancel, Timestamp::from_ms(1)).unwrap();
        assert_eq!(event.at, task.changed_at);
    }

    proptest::proptest! {
        #[test]
        fn a_terminal_state_is_never_left(picks in proptest::collection::vec(0usize..10, 0..40)) {
            let mut task = task(Status::Created, false, true);
            let mut ended = None;
            for (i, pick) in picks.into_iter().enumerate() {
                let command = commands().swap_remove(pick);
                if let Ok(event) = task.decide(command, Timestamp::from_ms(2_000 + i as i64)) {
                    task.apply(&event);
                }
                if let Some(end) = ended {
                    proptest::prop_assert_eq!(task.status, end);
                }
                ended = task.status.is_terminal().then_some(task.status);
            }
        }
    }
}
