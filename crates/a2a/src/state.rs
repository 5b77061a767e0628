//! The states of a task on the platform and in A2A, both ways (checklist part 8, Q80).
//!
//! Knows the table; the compiler holds it total. Refuses to decide anything. Read next:
//! [`crate::task`].

use crate::task::TaskState;
use domain::task::{Status, Task};

/// The state of a task as A2A tells it.
///
/// A task whose result is there and waits for its sub-tasks is at work to A2A: its client has
/// nothing to answer. One that is blocked otherwise is told as waiting for input (part 8).
pub fn state_of(task: &Task) -> TaskState {
    match task.status {
        Status::Blocked if task.is_held() => TaskState::Working,
        status => state_of_status(status),
    }
}

/// The state of a status as A2A tells it.
pub fn state_of_status(status: Status) -> TaskState {
    match status {
        Status::Created => TaskState::Submitted,
        Status::Processing => TaskState::Working,
        Status::Blocked | Status::InputRequired => TaskState::InputRequired,
        Status::AuthRequired => TaskState::AuthRequired,
        Status::Failed | Status::Unconfirmed => TaskState::Failed,
        Status::Finished => TaskState::Completed,
        Status::Cancelled => TaskState::Canceled,
        Status::Rejected => TaskState::Rejected,
    }
}

/// The statuses that A2A tells as a state, for who lists tasks by it; none for a state that
/// nobody knows.
pub fn statuses_of(state: TaskState) -> Vec<Status> {
    let told = |status: &Status| state_of_status(*status) == state;
    Status::ALL.into_iter().filter(told).collect()
}

/// The status that a remote agent's state comes to; none for a state that nobody knows.
pub fn status_of(state: TaskState) -> Option<Status> {
    match state {
        TaskState::Submitted => Some(Status::Created),
        TaskState::Working => Some(Status::Processing),
        TaskState::InputRequired => Some(Status::InputRequired),
        TaskState::AuthRequired => Some(Status::AuthRequired),
        TaskState::Completed => Some(Status::Finished),
        TaskState::Failed => Some(Status::Failed),
        TaskState::Canceled => Some(Status::Cancelled),
        TaskState::Rejected => Some(Status::Rejected),
        TaskState::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::Dialect;
    use crate::wire::task_state;
    use insta::assert_snapshot;

    /// Q80, checklist part 8: the table of both versions.
    #[test]
    fn the_states_are_those_of_the_table() {
        let rows = Status::ALL.into_iter().map(|status| {
            let state = state_of_status(status);
            let [v10, v03] = [Dialect::V10, Dialect::V03].map(|it| task_state(it, state));
            format!("{status} {v10} {v03}")
        });
        assert_snapshot!(rows.collect::<Vec<_>>().join("\n"), @"
        created TASK_STATE_SUBMITTED submitted
        processing TASK_STATE_WORKING working
        blocked TASK_STATE_INPUT_REQUIRED input-required
        input-required TASK_STATE_INPUT_REQUIRED input-required
        auth-required TASK_STATE_AUTH_REQUIRED auth-required
        failed TASK_STATE_FAILED failed
        finished TASK_STATE_COMPLETED completed
        cancelled TASK_STATE_CANCELED canceled
        rejected TASK_STATE_REJECTED rejected
        unconfirmed TASK_STATE_FAILED failed
        ");
    }

    /// Q80: what ended there has ended here, and a remote state comes back as it was told.
    #[test]
    fn both_sides_agree_on_what_has_ended() {
        for status in Status::ALL {
            assert_eq!(status.is_terminal(), state_of_status(status).is_terminal());
        }
        for state in TaskState::ALL {
            let back = status_of(state).map(state_of_status);
            assert_eq!(back, (state != TaskState::Unknown).then_some(state));
            assert_eq!(statuses_of(state).is_empty(), state == TaskState::Unknown);
        }
    }
}
