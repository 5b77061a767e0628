//! The states of a task on the platform and in A2A, both ways.
//!
//! A total table, checked by the compiler. Read next: [`crate::task`].

use crate::task::TaskState;
use domain::task::{Status, Task};

/// The state of a task in A2A.
///
/// A task whose result waits for its sub-tasks is `Working` in A2A, as its client has nothing to
/// answer. One that is blocked for another reason is `InputRequired`.
pub fn state_of(task: &Task) -> TaskState {
    match task.status {
        Status::Blocked if task.is_held() => TaskState::Working,
        status => state_of_status(status),
    }
}

/// The state of a status in A2A.
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

/// The statuses that have a state in A2A, for listing tasks by it; none for the unknown state.
pub fn statuses_of(state: TaskState) -> Vec<Status> {
    let told = |status: &Status| state_of_status(*status) == state;
    Status::ALL.into_iter().filter(told).collect()
}

/// The status that a remote agent's state stands for; none for the unknown state.
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

    /// Q80: the table of both versions.
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

    /// Q80: both sides agree on the terminal states, and a state survives the mapping both ways.
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
