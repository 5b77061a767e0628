//! Long requests: what takes time in proportion to them is done beside the connections, in their user's
//! turn, and not at all where there is no room for it.

use super::stage::{self, *};
use bindings::a2a::{IncomingRequest, RequestBody};
use serde_json::{Value, json};
use std::sync::atomic::Ordering::Relaxed;

/// A message with so many bytes that nobody looks at.
fn with_filler(mut message: Value, bytes: usize) -> Value {
    message["metadata"] = json!({"filler": "x".repeat(bytes)});
    message
}

/// A message with so many bytes under one of its keys.
fn with_origin(mut message: Value, bytes: usize) -> Value {
    message["parts"][0]["data"]["origin"] = "x".repeat(bytes).into();
    message
}

impl Stage {
    /// What is answered to a message, and how many pieces of background work that took.
    fn sent(&self, message: &Value) -> (Value, usize) {
        let before = self.pool.done.load(Relaxed);
        let answer = self.rpc("ann", AIRLINE, "SendMessage", json!({"message": message}));
        (answer, self.pool.done.load(Relaxed) - before)
    }
}

#[test]
fn a_long_message_is_read_and_named_beside_and_a_short_one_at_once() {
    let stage = Stage::new();
    let (short, beside) = stage.sent(&with_filler(typed("m-1", &flight(&[], "")), 3_000));
    assert_eq!(state(&short["result"]["task"]), "TASK_STATE_COMPLETED");
    assert_eq!(beside, 0);
    let long = with_filler(typed("m-2", &flight(&[], "")), 30_000);
    let (first, beside) = stage.sent(&long);
    assert_eq!(state(&first["result"]["task"]), "TASK_STATE_COMPLETED");
    // Read, and named.
    assert_eq!(beside, 2);
    let (again, beside) = stage.sent(&long);
    assert_eq!(again["result"]["task"]["id"], first["result"]["task"]["id"]);
    assert_eq!(beside, 2);
    // What is said of a task that is there names none.
    let (answer, beside) = stage.sent(&to(&first["result"]["task"], long));
    assert!(answer.is_object(), "{answer}");
    assert_eq!(beside, 1);
}

/// Rules, leases and deadlines may be others then.
#[test]
fn a_long_request_is_decided_when_it_has_been_read() {
    let stage = Stage::new();
    stage.pool.lasts_ms.store(5_000, Relaxed);
    let (long, beside) = stage.sent(&with_filler(typed("m-1", &flight(&[], "")), 30_000));
    let decided = stage.now + 5_000 * beside as i64;
    assert_eq!(beside, 2);
    let status = &long["result"]["task"]["status"];
    assert_eq!(status["timestamp"], decided.to_string(), "{long}");
}

#[test]
fn without_room_a_long_request_is_refused_as_it_was_asked_and_a_short_one_is_not() {
    let stage = Stage::new();
    stage.pool.full.store(true, Relaxed);
    let (short, _) = stage.sent(&typed("m-1", &flight(&[], "")));
    assert_eq!(state(&short["result"]["task"]), "TASK_STATE_COMPLETED");
    let long = with_filler(typed("m-2", &flight(&[], "")), 30_000);
    let (refused, beside) = stage.sent(&long);
    assert_eq!(refused["error"]["code"], -32045, "{refused}");
    assert_eq!(beside, 0);
    let body = RequestBody::new(json!({"message": long}).to_string());
    for (path, version) in [("/message:send", "1.0"), ("/v1/message:send", "0.3")] {
        let incoming = IncomingRequest {
            verb: "POST",
            path,
            query: "",
            headers: &[
                ("A2A-Version", version),
                ("Content-Type", "application/json"),
            ],
            body: &body,
        };
        let answer = stage.ask(&principal("ann", false), AIRLINE, &incoming);
        assert_eq!(answer.status, 503);
        assert!(
            answer
                .headers
                .iter()
                .any(|(name, _)| *name == "Retry-After")
        );
        // v0.3 has the name of the error beside its status.
        assert_eq!(stage::body(answer)["type"].is_string(), version == "0.3");
    }
    let listed = stage.rpc("ann", AIRLINE, "ListTasks", json!({}));
    assert_eq!(listed["result"]["tasks"].as_array().map(Vec::len), Some(1));
}

/// What is done with a request beyond its reading takes time for each of its values.
#[test]
fn a_request_of_too_many_values_is_refused() {
    let stage = Stage::new();
    let many = |count: usize| {
        let mut message = typed("m", &flight(&[], ""));
        message["metadata"] = json!({"list": vec![0; count]});
        stage.sent(&message).0
    };
    assert_eq!(many(40_000)["error"]["code"], -32043);
    assert!(many(10_000)["result"]["task"].is_object());
}

/// What is long makes a page shorter, and a history that is begin later; nothing is refused for it.
#[test]
fn pages_of_long_tasks_are_shorter_and_a_long_history_is_told_from_its_end() {
    let mut stage = Stage::reading(12_000);
    let mut given = Vec::new();
    for n in 0..8 {
        stage.advance(1);
        let message = with_origin(typed(&format!("m-{n}"), &flight(&[], "ask")), 10_000);
        let task = stage.send(message);
        given.push(task["id"].as_str().unwrap().to_owned());
    }
    given.reverse();
    let (mut told, mut sizes, mut wanted) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let page = stage.rpc("ann", AIRLINE, "ListTasks", wanted.clone())["result"].clone();
        let tasks = page["tasks"].as_array().unwrap();
        sizes.push(tasks.len());
        told.extend(tasks.iter().map(|t| t["id"].as_str().unwrap().to_owned()));
        assert_eq!(page["totalSize"], 8);
        if page["nextPageToken"] == "" {
            break;
        }
        wanted["pageToken"] = page["nextPageToken"].clone();
    }
    assert_eq!(told, given);
    assert!(sizes.len() > 3, "{sizes:?}");

    let page = |after: &str| {
        let registry = "xmlns='urn:convoke:params:xml:ns:yang:convoke-registry'";
        stage.netconf("ann", &format!("<get-tasks {registry}>{after}</get-tasks>"))
    };
    let (mut told, mut pages, mut after) = (0, 0, String::new());
    loop {
        let shown = page(&after);
        told += shown.matches("<task-id>").count();
        pages += 1;
        let Some((_, next)) = shown.split_once("<next") else {
            break;
        };
        let next = next.split(['>', '<']).nth(1).unwrap();
        after = format!("<after>{next}</after>");
    }
    assert_eq!((told, pages > 3), (8, true), "{pages}");

    let task = stage.rpc("ann", AIRLINE, "GetTask", json!({"id": given[0]}))["result"].clone();
    let told = |length: Value| {
        let wanted = json!({"id": task["id"], "historyLength": length});
        let told = stage.rpc("ann", AIRLINE, "GetTask", wanted)["result"].clone();
        told["history"].as_array().cloned().unwrap_or_default()
    };
    assert_eq!(told(json!(null))[0]["messageId"], "m-7");
    let answered = stage.send(to(&task, words("more", &"window ".repeat(500))));
    assert_eq!(answered["id"], task["id"]);
    let history = told(json!(null));
    let said = |id: &str| history.iter().any(|message| message["messageId"] == id);
    assert!(said("more") && !said("m-7"), "{history:?}");
}

impl Stage {
    /// A task of the agent that asks, with a long answer to each of so many questions.
    fn talked(&self, id: &str, answers: usize) -> Value {
        let asked = self.send(typed(id, &flight(&[], "ask")));
        for n in 0..answers {
            let said = format!("{n} {}", "window ".repeat(500));
            self.send(to(&asked, words(&format!("{id}-{n}"), &said)));
        }
        asked
    }
}

/// All histories of one answer are bounded together, the requests and the answers in them alike.
#[test]
fn histories_of_one_list_are_bounded_together() {
    let mut stage = Stage::reading(20_000);
    for n in 0..12 {
        stage.advance(1);
        stage.talked(&format!("m-{n}"), 1);
    }
    let list = |wanted| {
        let page = stage.rpc("ann", AIRLINE, "ListTasks", wanted);
        let bytes = page.to_string().len();
        (page["result"]["tasks"].as_array().unwrap().len(), bytes)
    };
    let (bare, without) = list(json!({"historyLength": 0}));
    let (told, with) = list(json!({}));
    assert_eq!((told, bare), (12, 12));
    let histories = with - without;
    assert!((10_000..40_000).contains(&histories), "{histories}");
}

/// A history of one message is read no further than that.
#[test]
fn a_short_history_is_read_no_further() {
    let stage = Stage::new();
    let task = stage.talked("m", 1);
    let reads = || stage.engine.store().statistics().reads;
    let told = |length: u32| {
        let before = reads();
        let wanted = json!({"id": task["id"], "historyLength": length});
        let told = stage.rpc("ann", AIRLINE, "GetTask", wanted)["result"].clone();
        let history = told["history"].as_array().map_or(0, Vec::len);
        (history, reads() - before)
    };
    let (one, few) = told(1);
    let (all, more) = told(100);
    assert!(one == 1 && all > 2, "{one} of {all}");
    assert!(few < more, "{few} and {more} reads");
}

/// What is asked for as a whole, or by many keys, is refused where it is more than an answer holds.
#[test]
fn a_get_of_more_than_an_answer_holds_is_too_big() {
    let stage = Stage::reading(12_000);
    let ids: Vec<String> = (0..8)
        .map(|n| {
            let message = with_origin(typed(&format!("m-{n}"), &flight(&[], "ask")), 3_000);
            stage.send(message)["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let get = |wanted: &str| {
        let registry = "xmlns='urn:convoke:params:xml:ns:yang:convoke-registry'";
        let filter = format!("<filter><registry {registry}>{wanted}</registry></filter>");
        stage.netconf("ann", &format!("<get>{filter}</get>"))
    };
    let key = |id: &String| format!("<task><task-id>{id}</task-id></task>");
    let refused = get("<task/>");
    assert!(
        refused.contains("<error-tag>too-big</error-tag>"),
        "{refused}"
    );
    let refused = get(&ids.iter().map(key).collect::<String>());
    assert!(
        refused.contains("<error-tag>too-big</error-tag>"),
        "{refused}"
    );
    let one = get(&key(&ids[0]));
    assert!(
        one.contains(&format!("<task-id>{}</task-id>", ids[0])),
        "{one}"
    );
}
