//! Streams: what happens to a task, told in order, to all alike.

use crate::stage::*;
use bindings::a2a::EventFrames;
use serde_json::{Value, json};

fn rest_of(stage: &Stage, frames: &mut EventFrames) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some(frame) = stage.wait(frames.next()) {
        events.push(event(&frame));
    }
    events
}

fn states(events: &[Value]) -> Vec<String> {
    let told = events.iter().map(|event| match event {
        it if it["task"].is_object() => format!("task {}", state(&it["task"])),
        it if it["statusUpdate"].is_object() => state(&it["statusUpdate"]).to_owned(),
        it if it["artifactUpdate"].is_object() => "artifact".to_owned(),
        other => other.to_string(),
    });
    told.map(|it| it.replace("TASK_STATE_", "")).collect()
}

/// A9: a stream begins with the task, tells the result before the end, and closes.
#[test]
fn a_message_is_followed_to_its_end() {
    let stage = Stage::new();
    let sent = json!({"message": typed("m-1", &flight(&[], ""))});
    let ann = principal("ann", false);
    let mut frames = frames(stage.rpc_of(&ann, AIRLINE, "SendStreamingMessage", sent));
    let events = rest_of(&stage, &mut frames);
    assert_eq!(
        states(&events),
        ["task SUBMITTED", "artifact", "COMPLETED"],
        "{events:?}"
    );
    assert_eq!(events[0]["task"]["history"][0]["messageId"], "m-1");
    let asked = json!({"message": typed("m-2", &flight(&["origin"], "ask"))});
    assert_eq!(
        stage.refused(AIRLINE, "SendStreamingMessage", asked),
        -32602
    );
}

/// A9: all subscribers read the same, and one that leaves takes nothing from the others.
#[test]
fn subscribers_read_the_same() {
    let mut stage = Stage::new();
    let sent = json!({"message": typed("m", &flight(&[], "later")),
        "configuration": {"returnImmediately": true}});
    let task = stage.rpc("ann", AIRLINE, "SendMessage", sent)["result"]["task"].clone();
    let subscribe = |stage: &Stage| {
        let ann = principal("ann", false);
        let id = json!({"id": task["id"]});
        frames(stage.rpc_of(&ann, AIRLINE, "SubscribeToTask", id))
    };
    let (mut one, mut other, leaving) = (subscribe(&stage), subscribe(&stage), subscribe(&stage));
    drop(leaving);
    stage.advance(1_000);
    let (one, other) = (rest_of(&stage, &mut one), rest_of(&stage, &mut other));
    assert_eq!(one, other);
    assert_eq!(
        states(&one),
        ["task WORKING", "WORKING", "artifact", "COMPLETED"]
    );
}

/// Who reads slowly is told all of it, and little of it is made ahead.
#[test]
fn little_is_made_ahead_of_who_reads_a_stream() {
    let mut stage = Stage::new();
    let sent = json!({"message": typed("m", &flight(&[], "recite")),
        "configuration": {"returnImmediately": true}});
    let task = stage.rpc("ann", AIRLINE, "SendMessage", sent)["result"]["task"].clone();
    let ann = principal("ann", false);
    let id = json!({"id": task["id"]});
    let mut frames = frames(stage.rpc_of(&ann, AIRLINE, "SubscribeToTask", id));
    let first = frames.bytes();
    stage.advance(1_000);
    let mut told = 0;
    let mut ahead = 0;
    while let Some(frame) = stage.wait(frames.next()) {
        assert!(told > 0 || frame.len() == first);
        told += 1;
        ahead = ahead.max(frames.bytes());
    }
    assert_eq!((told, frames.bytes()), (1 + 40 + 2, 0));
    assert!((30_000..128 << 10).contains(&ahead), "{ahead}");
}

/// A part belongs to the conversation of its whole, whoever divides it.
#[test]
fn parts_belong_to_the_conversation_of_their_whole() {
    let stage = Stage::new();
    let mut message = typed("m", &flight(&[], "hold"));
    message["contextId"] = "talk".into();
    let whole = stage.begin(message);
    let id = whole["id"].as_str().unwrap();
    let said = stage.netconf(
        "ann",
        &format!(
            "<task-negotiate xmlns='urn:ietf:params:xml:ns:yang:irtf-agent'>\
             <task-sendTo>{CLERK}</task-sendTo><commuType>taskAssgin</commuType>\
             <task-id>part</task-id><content>## target object\nx\n## task description\nhold\n\
             ## parent task\n{id}</content></task-negotiate>"
        )
        .replace("</content>", "\n## asynchronous\ntrue</content>"),
    );
    assert!(!said.contains("rpc-error"), "{said}");
    let part = stage.rpc("ann", CLERK, "GetTask", json!({"id": "part"}));
    assert_eq!(part["result"]["contextId"], "talk", "{part}");
    let talk = stage.rpc("ann", "platform", "ListTasks", json!({"contextId": "talk"}));
    assert_eq!(talk["result"]["totalSize"], 2, "{talk}");
}

/// NETCONF begins, A2A watches; A2A begins, NETCONF watches and cancels.
#[test]
fn a_task_is_one_over_both_protocols() {
    let stage = Stage::new();
    let negotiate = |verb: &str, id: &str, words: &str| {
        let said = stage.netconf(
            "ann",
            &format!(
                "<task-negotiate xmlns='urn:ietf:params:xml:ns:yang:irtf-agent'>\
                 <task-sendTo>{CLERK}</task-sendTo><commuType>{verb}</commuType>\
                 <task-id>{id}</task-id><content>## target object\nx\n## task description\n{words}\
                 </content><task-async xmlns='urn:convoke:params:xml:ns:yang:convoke-negotiation'>\
                 true</task-async></task-negotiate>"
            ),
        );
        assert!(!said.contains("rpc-error"), "{said}");
    };
    negotiate("taskAssgin", "t-1", "ask");
    let ann = principal("ann", false);
    let id = json!({"id": "t-1"});
    let task = stage.rpc("ann", CLERK, "GetTask", id.clone())["result"].clone();
    assert_eq!(state(&task), "TASK_STATE_INPUT_REQUIRED", "{task}");
    assert_eq!(task["contextId"], "t-1");
    let mut watching = frames(stage.rpc_of(&ann, CLERK, "SubscribeToTask", id));
    negotiate("FulfillmentNegotiate", "t-1", "the left one");
    let events = rest_of(&stage, &mut watching);
    assert_eq!(
        states(&events),
        ["task INPUT_REQUIRED", "WORKING", "artifact", "COMPLETED"]
    );
    let sent =
        json!({"message": words("m", "hold it"), "configuration": {"returnImmediately": true}});
    let begun = stage.rpc("ann", CLERK, "SendMessage", sent)["result"]["task"].clone();
    let id = begun["id"].as_str().unwrap();
    negotiate("taskCancel", id, "no more");
    let task = stage.rpc("ann", CLERK, "GetTask", json!({"id": id}))["result"].clone();
    assert_eq!(state(&task), "TASK_STATE_CANCELED");
}
