//! Events of a stream as `<notification>` messages (RFC 5277 §4, RFC 6470): entries of the log, and
//! what management systems tell.
//!
//! Read next: [`super::session`], which sends them.

use super::AUDIT_NAMESPACE;
use super::encode::{ems, negotiation};
use super::output::{self, Parent as _};
use ::netconf::data::{Node, write};
use ::netconf::filter::{Projection, Selection};
use ::netconf::names::namespace::{NETCONF_NOTIFICATIONS, NETMOD_NOTIFICATION, NOTIFICATION};
use ::netconf::xml::write as xml;
use domain::event::{Entry, LogEvent};
use domain::notification::Notification;
use domain::policy::DecisionKind;
use domain::time::Timestamp;
use engine::Event;

/// What is written around an event.
fn wrap(time: Timestamp, event: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(1_024);
    out.extend_from_slice(b"<notification");
    xml::attribute("xmlns", NOTIFICATION, &mut out);
    out.extend_from_slice(b"><eventTime>");
    out.extend_from_slice(time.to_string().as_bytes());
    out.extend_from_slice(b"</eventTime>");
    event(&mut out);
    out.extend_from_slice(b"</notification>");
    out
}

/// The event as a whole message.
pub(crate) fn encode(told: &Event) -> Vec<u8> {
    wrap(told.time(), |out| {
        write(&node(told), &Projection::everything(), out)
    })
}

/// True if a filter selects anything of the event.
pub(crate) fn is_selected(told: &Event, selection: &Selection) -> bool {
    let mut out = Vec::with_capacity(1_024);
    write(&node(told), &Projection::of(selection), &mut out);
    !out.is_empty()
}

/// The event alone as a document whose root stands for the root of the data, for a search.
pub(crate) fn document(told: &Event) -> Vec<u8> {
    let mut out = Vec::with_capacity(1_024);
    out.extend_from_slice(b"<event>");
    write(&node(told), &Projection::everything(), &mut out);
    out.extend_from_slice(b"</event>");
    out
}

/// The mark at the end of a replay.
pub(crate) fn replay_complete(now: Timestamp) -> Vec<u8> {
    mark("replayComplete", now)
}

/// The mark at the end of a subscription.
pub(crate) fn notification_complete(now: Timestamp) -> Vec<u8> {
    mark("notificationComplete", now)
}

fn mark(name: &str, now: Timestamp) -> Vec<u8> {
    let node = Node::container(NETMOD_NOTIFICATION, name);
    wrap(now, |out| {
        // An empty container is selected as a whole, so it is written although it holds nothing.
        write(&node, &Projection::everything(), out);
    })
}

/// A text, unless it is empty.
fn told(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn node(told: &Event) -> Node<'_> {
    match told {
        Event::Logged(entry) => entered(entry),
        Event::Reported(report) => ems::told(&report.news),
    }
}

fn entered(entry: &Entry) -> Node<'_> {
    match &entry.happening {
        LogEvent::Task(notification) => condition(notification).written(),
        LogEvent::Negotiation(update) => negotiation::update(update).written(),
        LogEvent::Agent(update) => output::AgentUpdate::default()
            .name(&update.name)
            .change(update.change.as_str())
            .health(update.health.as_str())
            .written(),
        LogEvent::Schema(update) => output::SchemaUpdate::default()
            .scenario(told(&update.scenario))
            .schema_id(told(&update.schema_id))
            .patch_id(update.patch_id.as_ref())
            .change(update.change.as_str())
            .key_name(&update.key_names)
            .client(update.client.as_ref())
            .principal(update.principal.as_ref())
            .reason(update.reason.as_ref())
            .written(),
        LogEvent::Lead(moved) => output::LeadMoved::default()
            .from(moved.from.as_ref())
            .to(&moved.to)
            .epoch(moved.epoch)
            .reason(moved.reason.as_str())
            .written(),
        LogEvent::Policy(update) => {
            let subject = update.subject.as_ref();
            let patch = subject.filter(|it| it.kind == DecisionKind::Patch);
            output::PolicyUpdate::default()
                .author(&update.rule.author)
                .name(&update.rule.name)
                .change(update.change.as_str())
                .kind(subject.map(|it| it.kind.as_str()))
                .task_id(subject.filter(|it| it.kind.is_of_task()).map(|it| &it.id))
                .patch_id(patch.map(|it| &it.id))
                .decider(update.decider.as_ref())
                .verdict(update.verdict.map(|it| it.as_str()))
                .escalated_to(update.escalated_to.as_ref())
                .written()
        }
        // It is told to nobody (`Engine::receives`): a record is read by `get-audit` alone.
        LogEvent::Audit(_) => Node::container(AUDIT_NAMESPACE, "record"),
        LogEvent::SessionStarted {
            username,
            session,
            source_host,
        } => Node::container(NETCONF_NOTIFICATIONS, "netconf-session-start")
            .leaf("username", username)
            .leaf("session-id", *session)
            .leaf_opt(
                "source-host",
                (!source_host.is_empty()).then_some(source_host),
            ),
        LogEvent::SessionEnded {
            username,
            session,
            source_host,
            killed_by,
            reason,
        } => Node::container(NETCONF_NOTIFICATIONS, "netconf-session-end")
            .leaf("username", username)
            .leaf("session-id", *session)
            .leaf_opt(
                "source-host",
                (!source_host.is_empty()).then_some(source_host),
            )
            .leaf_opt("killed-by", *killed_by)
            .leaf("termination-reason", reason.as_str()),
    }
}

fn condition(n: &Notification) -> output::ConditionNotifications<'_> {
    output::ConditionNotifications::default()
        .task_send_from(&n.from)
        .task_send_to(&n.to)
        .commu_type(n.verb.as_str())
        .task_id(n.task.as_str())
        .input_required([n], |node, n| {
            node.required(n.content.render())
                .task_async(n.asynchronous)
                .status(n.status.as_str())
                .start_time(n.start_time)
        })
        .previous_status(n.previous.map(|p| p.as_str()))
        .progress(n.percent)
        .awaits(n.awaits.map(|a| a.as_str()))
        .msg_data(n.data.as_ref())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::netconf::read_notification;
    use ::netconf::client::Notification as Received;
    use ::netconf::xml::{Limits, XmlDocument};
    use domain::content::Content;
    use domain::task::{Awaits, Status, TaskId};
    use domain::verb::Verb;
    use std::sync::Arc;

    fn notification() -> Notification {
        Notification {
            time: Timestamp::from_ms(1_000),
            task: TaskId::new("t<1>"),
            from: "ip".to_owned(),
            to: "oss".to_owned(),
            verb: Verb::TaskResultNotify,
            asynchronous: true,
            status: Status::Blocked,
            previous: Some(Status::Processing),
            start_time: Timestamp::from_ms(500),
            percent: 40,
            content: Content::new("site & 1", "waits"),
            awaits: Some(Awaits::Judgement),
            data: Some("t<1>/result".to_owned()),
        }
    }

    #[test]
    fn reading_undoes_writing() {
        let sent = notification();
        let entry = Entry {
            sequence: 1,
            time: sent.time,
            happening: LogEvent::Task(Arc::new(sent.clone())),
        };
        let document =
            XmlDocument::parse(encode(&Event::Logged(Arc::new(entry))), &Limits::client()).unwrap();
        let received = Received {
            event_time: sent.time.to_string(),
            document,
        };
        assert_eq!(read_notification(&received).unwrap(), Some(sent));
    }

    #[test]
    fn a_mark_is_an_empty_element_in_its_envelope() {
        let text = String::from_utf8(replay_complete(Timestamp::from_ms(0))).unwrap();
        assert!(text.starts_with(&format!(
            "<notification xmlns=\"{NOTIFICATION}\"><eventTime>1970"
        )));
        assert!(text.ends_with(&format!(
            "<replayComplete xmlns=\"{NETMOD_NOTIFICATION}\"/></notification>"
        )));
    }
}
