//! The names of cursors: that of the log, and those of delivery queues that are behind.
//!
//! Knows the syntax of names, which older releases have written too; storage is the source's. Read
//! next: [`super::delivery`].

use super::schedule::{DeliveryQueue, PushKey};
use domain::event::Sequence;
use domain::task::TaskId;
use serde_json::json;

/// The name of the cursor of the log; the names of queues of `task-subscription`s begin with it.
pub(super) const READ_TO: &str = "webhook";
/// The prefix of the names of other queues' cursors; it is followed by a list in JSON.
const PUSH: &str = "push ";

/// Stored cursors.
#[derive(Default)]
pub(super) struct Cursors {
    /// The last entry of the log that was read.
    pub(super) read_to: Option<Sequence>,
    /// The positions of queues that were behind.
    pub(super) queues: Vec<(DeliveryQueue, Sequence)>,
}

impl Cursors {
    /// The cursors of stored names and positions.
    pub(super) fn read(kept: Vec<(String, Sequence)>) -> Self {
        let mut cursors = Self::default();
        for (name, sequence) in kept {
            match queue_of(&name) {
                Some(queue) => cursors.queues.push((queue, sequence)),
                None if name == READ_TO => cursors.read_to = Some(sequence),
                None => {}
            }
        }
        cursors
    }
}

/// The queue whose cursor has this name.
fn queue_of(name: &str) -> Option<DeliveryQueue> {
    if let Some(list) = name.strip_prefix(PUSH) {
        let (task, url, owner, id, since): (String, _, _, _, _) =
            serde_json::from_str(list).ok()?;
        return Some(DeliveryQueue {
            task: TaskId::new(task),
            url,
            push: Some(PushKey { owner, id, since }),
        });
    }
    // An address holds no space; the name of a task may.
    let (url, task) = name
        .strip_prefix(READ_TO)?
        .strip_prefix(' ')?
        .split_once(' ')?;
    Some(DeliveryQueue {
        task: TaskId::new(task),
        url: url.to_owned(),
        push: None,
    })
}

/// The name of the cursor of a queue.
pub(super) fn name_of(queue: &DeliveryQueue) -> String {
    let (task, url) = (&queue.task, &queue.url);
    match &queue.push {
        None => format!("{READ_TO} {url} {task}"),
        Some(PushKey { owner, id, since }) => {
            format!("{PUSH}{}", json!([task.as_str(), url, owner, id, since]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cursors stored before there were push configurations are found by their names.
    #[test]
    fn the_name_of_a_cursor_leads_back_to_its_queue() {
        let queue = |push| DeliveryQueue {
            task: TaskId::new("a task,\n\"quoted\""),
            url: "https://oss.example/in?x=1".to_owned(),
            push,
        };
        let key = PushKey {
            owner: "ann [\"of\"] the OSS".to_owned(),
            id: "c 1".to_owned(),
            since: u64::MAX,
        };
        for queue in [queue(None), queue(Some(key))] {
            assert_eq!(queue_of(&name_of(&queue)), Some(queue));
        }
        let of_before = queue_of("webhook https://oss.example/ t 1").map(|it| it.task);
        assert_eq!(of_before, Some(TaskId::new("t 1")));
        for name in ["webhook", "push", "push []", "other https://oss.example/ t"] {
            assert_eq!(queue_of(name), None, "{name}");
        }
    }
}
