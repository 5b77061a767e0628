//! Where each complaint was found to lie, by its ticket.
//!
//! A ticket that another province helped with has a part there, under the same number: what counts is
//! what the ticket's own agent said, as its writer was told. Refuses to know where it truly lies. Read
//! next: [`super`].

use agents::payloads::Schema;
use agents::payloads::complaint::{ComplaintTicket, TicketResult};
use domain::task::Task;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The boundary of each ticket, as named in payloads, from the record of tasks in order.
pub(super) fn of_tasks(tasks: &[Arc<Task>]) -> BTreeMap<String, String> {
    let whole = tasks.iter().filter(|task| task.conditions.parent.is_none());
    let found = whole.filter_map(|task| {
        let ticket = ComplaintTicket::in_content(&task.content)?;
        let result = TicketResult::in_content(task.result.as_ref()?)?;
        Some((ticket.ticket_id, result.boundary.as_str().to_owned()))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::payloads::complaint::ComplaintBoundary;
    use domain::content::Content;
    use domain::task::{Conditions, TaskId};
    use domain::time::Timestamp;

    fn answered(id: &str, parent: Option<&str>, boundary: ComplaintBoundary) -> Arc<Task> {
        let ticket = ComplaintTicket::in_words("17", "no service".to_owned(), Timestamp::default());
        let result = TicketResult {
            ticket_id: "17".to_owned(),
            in_progress: false,
            boundary,
            responsible: None,
            element: None,
            cause: None,
            forwarded_to: None,
            sub_tickets: Vec::new(),
            answer: "told".to_owned(),
            chinese: false,
            resolved_at: None,
        };
        let content = Content::new("17", "answer it").with_payload(ticket.to_payload());
        let (id, at) = (TaskId::new(id), Timestamp::default());
        let task = Task::assigned(id, "bss", "complaints", String::new(), content, true, at);
        let mut task = task.under(Conditions {
            parent: parent.map(TaskId::new),
            ..Conditions::default()
        });
        task.result = Some(Content::new("17", "found").with_payload(result.to_payload()));
        Arc::new(task)
    }

    /// In its own words the other province says `own_domain`; what it did for this one is
    /// `other_domain`.
    #[test]
    fn the_part_of_another_province_does_not_hide_the_ticket() {
        let tasks = [
            answered("ticket-17", None, ComplaintBoundary::OtherDomain),
            answered(
                "ticket-17/forward",
                Some("ticket-17"),
                ComplaintBoundary::OwnDomain,
            ),
        ];
        let found = of_tasks(&tasks);
        assert_eq!(found.get("17").map(String::as_str), Some("other_domain"));
    }
}
