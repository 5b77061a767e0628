//! The body of a report: one change of one task as JSON.
//!
//! The same content as the NETCONF notification, `bindings::netconf::event`, in the encoding of RFC
//! 7951, beside it `eventTime` (RFC 5277) and `sequence`, the place in the log: a change keeps its
//! number when it is sent again. Read next: [`super::signature`], which signs it.

use super::client::OutgoingRequest;
use domain::event::Sequence;
use domain::notification::Notification;
use serde_json::{Map, Value, json};

/// The media type of a report.
pub const MEDIA_TYPE: &str = "application/json";

/// The request with the report of a change.
pub fn request(sequence: Sequence, change: &Notification) -> OutgoingRequest {
    OutgoingRequest {
        media_type: MEDIA_TYPE,
        fields: Vec::new(),
        body: body(sequence, change),
    }
}

/// The body of the report of a change at this place of the log.
pub fn body(sequence: Sequence, change: &Notification) -> String {
    json!({
        "irtf-agent:condition-notifications": condition(change),
        "eventTime": change.time.to_string(),
        // RFC 7951 §6.1: a uint64 is a string.
        "sequence": sequence.to_string(),
    })
    .to_string()
}

fn condition(change: &Notification) -> Value {
    let mut node = Map::new();
    let mut leaf = |name: &str, value: Value| node.insert(name.to_owned(), value);
    leaf("task-sendFrom", json!(change.from));
    leaf("task-sendTo", json!(change.to));
    leaf("commuType", json!(change.verb.as_str()));
    leaf("task-id", json!(change.task.as_str()));
    let entry = json!({
        "required": change.content.render(),
        "task-async": change.asynchronous,
        "status": change.status.as_str(),
        "start-time": change.start_time.to_string(),
    });
    leaf("input-required", json!([entry]));
    let mut extra = |name: &str, value| leaf(&format!("convoke-negotiation:{name}"), value);
    if let Some(previous) = change.previous {
        extra("previous-status", json!(previous.as_str()));
    }
    extra("progress", json!(change.percent));
    if let Some(awaits) = change.awaits {
        extra("awaits", json!(awaits.as_str()));
    }
    if let Some(data) = &change.data {
        extra("msg-data", json!(data));
    }
    Value::Object(node)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::content::Content;
    use domain::task::{Awaits, Status, TaskId};
    use domain::time::Timestamp;
    use domain::verb::Verb;
    use insta::assert_snapshot;

    #[test]
    fn a_report_has_every_leaf_of_the_notification() {
        let mut change = Notification {
            time: Timestamp::from_ms(1_000),
            task: TaskId::new("t-1"),
            from: "ip".to_owned(),
            to: "oss".to_owned(),
            verb: Verb::TaskResultNotify,
            asynchronous: true,
            status: Status::InputRequired,
            previous: Some(Status::Processing),
            start_time: Timestamp::from_ms(500),
            percent: 100,
            content: Content::new("site \"1\"", "done").with_result("none"),
            awaits: Some(Awaits::Judgement),
            data: Some("t-1/result".to_owned()),
        };
        let pretty = |change: &Notification| {
            let value: Value = serde_json::from_str(&body(7, change)).unwrap();
            serde_json::to_string_pretty(&value).unwrap()
        };
        assert_snapshot!(pretty(&change), @r###"
        {
          "eventTime": "1970-01-01T00:00:01.000Z",
          "irtf-agent:condition-notifications": {
            "commuType": "taskResultNotify",
            "convoke-negotiation:awaits": "judgement",
            "convoke-negotiation:msg-data": "t-1/result",
            "convoke-negotiation:previous-status": "processing",
            "convoke-negotiation:progress": 100,
            "input-required": [
              {
                "required": "##target object\nsite \"1\"\n##task description\ndone\n##result\nnone",
                "start-time": "1970-01-01T00:00:00.500Z",
                "status": "input-required",
                "task-async": true
              }
            ],
            "task-id": "t-1",
            "task-sendFrom": "ip",
            "task-sendTo": "oss"
          },
          "sequence": "7"
        }
        "###);
        (change.awaits, change.data, change.previous) = (None, None, None);
        let value: Value = serde_json::from_str(&body(7, &change)).unwrap();
        let node = value["irtf-agent:condition-notifications"]
            .as_object()
            .unwrap();
        let extras = node.keys().filter(|k| k.starts_with("convoke"));
        assert_eq!(extras.collect::<Vec<_>>(), ["convoke-negotiation:progress"]);
    }
}
