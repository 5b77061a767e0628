//! Push configurations of both versions over both bindings, and what is told by them.
//!
//! Who posts it, and how often, is shown in `tests/tests/webhook.rs`.

use crate::stage::*;
use bindings::a2a::{IncomingRequest, RequestBody, push_of, pushed_by};
use domain::event::LogEvent;
use domain::push::PushConfig;
use domain::task::TaskId;
use engine::StoreOptions;
use serde_json::{Value, json};

const HOOK: &str = "https://hook.example/in";

/// A stage whose operator lets `https://hook.example` be told.
fn stage() -> Stage {
    Stage::pushing(StoreOptions::memory())
}

fn held(stage: &Stage) -> Value {
    stage.begin(typed("m", &flight(&[], "hold")))["id"].clone()
}

fn rest(stage: &Stage, verb: &str, path: &str, version: &str, asked: &Value) -> (u16, Value) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let body = match asked {
        Value::Null => String::new(),
        asked => asked.to_string(),
    };
    let body = RequestBody::new(body);
    let incoming = IncomingRequest {
        verb,
        path,
        query,
        headers: &[
            ("A2A-Version", version),
            ("content-type", "application/json"),
        ],
        body: &body,
    };
    let answer = stage.ask(&principal("ann", false), AIRLINE, &incoming);
    (answer.status, crate::stage::body(answer))
}

/// What each configuration of a task is told of everything that is in the log.
fn told(stage: &Stage, task: &Value) -> Vec<(String, Value)> {
    let mut told = Vec::new();
    for entry in stage.engine.feed().after(0, 1_000).unwrap() {
        let LogEvent::Task(change) = &entry.happening else {
            continue;
        };
        if change.task.as_str() != task.as_str().unwrap() {
            continue;
        }
        for config in pushed_by(&stage.engine, entry.sequence, change).unwrap() {
            let push = push_of(&stage.engine, &config, entry.sequence, change);
            for body in push.unwrap().unwrap().bodies {
                told.push((config.id.clone(), serde_json::from_str(&body).unwrap()));
            }
        }
    }
    told
}

/// A11, A2, A3: over JSON-RPC a configuration is made, read, listed and deleted as either version
/// has it.
#[test]
fn both_versions_over_json_rpc() {
    let stage = stage();
    let task = held(&stage);
    let ask = |method: &str, params: Value| stage.rpc("ann", AIRLINE, method, params);

    let given = json!({"taskId": task, "id": "c", "url": HOOK, "token": "known",
        "authentication": {"scheme": "Bearer", "credentials": "secret"}});
    let made = ask("CreateTaskPushNotificationConfig", given.clone());
    assert_eq!(made["result"], given, "{made}");
    let key = json!({"taskId": task, "id": "c"});
    let read = ask("GetTaskPushNotificationConfig", key.clone());
    assert_eq!(read["result"], given);
    let listed = ask("ListTaskPushNotificationConfigs", json!({"taskId": task}));
    assert_eq!(listed["result"]["configs"], json!([given]));

    // v0.3 has it beside its task; without an identifier it has the task's.
    let given = json!({"taskId": task, "pushNotificationConfig": {"url": HOOK, "token": "known",
        "authentication": {"schemes": ["Basic"], "credentials": "secret"}}});
    let made = ask("tasks/pushNotificationConfig/set", given.clone());
    let mut kept = given;
    kept["pushNotificationConfig"]["id"] = task.clone();
    assert_eq!(made["result"], kept, "{made}");
    let read = ask("tasks/pushNotificationConfig/get", json!({"id": task}));
    assert_eq!(read["result"], kept);
    let listed = ask("tasks/pushNotificationConfig/list", json!({"id": task}));
    assert_eq!(listed["result"].as_array().unwrap().len(), 2, "{listed}");

    let gone = ask("DeleteTaskPushNotificationConfig", key.clone());
    assert!(gone.get("error").is_none(), "{gone}");
    let again = ask("DeleteTaskPushNotificationConfig", key.clone());
    assert!(again.get("error").is_none(), "{again}");
    let read = ask("GetTaskPushNotificationConfig", key);
    assert_eq!(read["error"]["code"], -32001);
    let which = json!({"id": task, "pushNotificationConfigId": task});
    ask("tasks/pushNotificationConfig/delete", which);
    let listed = ask("tasks/pushNotificationConfig/list", json!({"id": task}));
    assert_eq!(listed["result"], json!([]));
}

/// A11, A4: the same over HTTP+JSON.
#[test]
fn both_versions_over_http_and_json() {
    let stage = stage();
    let task = held(&stage);
    let configs = format!("/tasks/{}/pushNotificationConfigs", task.as_str().unwrap());
    let given = json!({"id": "c", "url": HOOK});
    let (status, made) = rest(&stage, "POST", &configs, "1.0", &given);
    assert_eq!(
        (status, &made["taskId"], &made["url"]),
        (200, &task, &given["url"]),
        "{made}"
    );
    let (_, read) = rest(&stage, "GET", &format!("{configs}/c"), "1.0", &Value::Null);
    assert_eq!(read, made);

    let config = json!({"config": {"pushNotificationConfig": {"id": "d", "url": HOOK}}});
    let old = format!("/v1{configs}");
    let (status, made) = rest(&stage, "POST", &old, "0.3", &config);
    assert_eq!(
        (status, &made["pushNotificationConfig"]["id"]),
        (200, &json!("d")),
        "{made}"
    );
    let (_, listed) = rest(&stage, "GET", &configs, "1.0", &Value::Null);
    assert_eq!(listed["configs"].as_array().unwrap().len(), 2, "{listed}");
    let (status, _) = rest(&stage, "DELETE", &format!("{old}/d"), "0.3", &Value::Null);
    assert_eq!(status, 200);
    let (status, _) = rest(&stage, "GET", &format!("{configs}/d"), "1.0", &Value::Null);
    assert_eq!(status, 404);
}

/// A11: lists have pages, in the order of identifiers, each configuration once.
#[test]
fn lists_have_pages() {
    let stage = stage();
    let task = held(&stage);
    for n in (0..PushConfig::MOST).rev() {
        let config = json!({"taskId": task, "id": format!("c{n:02}"), "url": HOOK});
        let made = stage.rpc("ann", AIRLINE, "CreateTaskPushNotificationConfig", config);
        assert!(made["result"].is_object(), "{made}");
    }
    let one_more = json!({"taskId": task, "id": "more", "url": HOOK});
    let refused = stage.refused(AIRLINE, "CreateTaskPushNotificationConfig", one_more);
    assert_eq!(refused, -32044, "as many as one may have");
    let mut wanted = json!({"taskId": task, "pageSize": 5});
    let mut seen: Vec<String> = Vec::new();
    loop {
        let page = stage.rpc(
            "ann",
            AIRLINE,
            "ListTaskPushNotificationConfigs",
            wanted.clone(),
        );
        let page = &page["result"];
        for config in page["configs"].as_array().unwrap() {
            seen.push(config["id"].as_str().unwrap().to_owned());
        }
        match page["nextPageToken"].as_str() {
            None | Some("") => break,
            Some(token) => wanted["pageToken"] = token.into(),
        }
    }
    let all: Vec<String> = (0..PushConfig::MOST).map(|n| format!("c{n:02}")).collect();
    assert_eq!(seen, all);
    wanted["pageToken"] = "x".into();
    let forged = stage.refused(AIRLINE, "ListTaskPushNotificationConfigs", wanted.clone());
    assert_eq!(forged, -32602);
    wanted["pageSize"] = 0.into();
    let empty = stage.refused(AIRLINE, "ListTaskPushNotificationConfigs", wanted);
    assert_eq!(empty, -32602);
}

/// A16: of a task of others there is nothing to configure, and it looks like none.
#[test]
fn configurations_of_others_look_like_none() {
    let stage = stage();
    let task = held(&stage);
    let config = json!({"taskId": task, "id": "c", "url": HOOK});
    stage.rpc("ann", AIRLINE, "CreateTaskPushNotificationConfig", config);
    for who in [principal("stranger", true), principal("guest", false)] {
        for method in ["Create", "Get", "Delete", "List"] {
            let plural = if method == "List" { "s" } else { "" };
            let method = format!("{method}TaskPushNotificationConfig{plural}");
            let told = |id: &Value| {
                let params = json!({"taskId": id, "id": "c", "url": HOOK});
                let answer = body(stage.rpc_of(&who, AIRLINE, &method, params));
                answer.to_string().replace(id.as_str().unwrap(), "ID")
            };
            assert_eq!(told(&task), told(&json!("no-such-task")), "{method}");
            assert!(told(&task).contains("-32001"), "{method}: {}", told(&task));
        }
    }
    // Who may read the task has configurations of their own, even of the same name.
    let key = json!({"taskId": task, "id": "c"});
    let of_ben = stage.rpc("ben", AIRLINE, "GetTaskPushNotificationConfig", key.clone());
    assert_eq!(of_ben["error"]["code"], -32001);
    stage.rpc(
        "ben",
        AIRLINE,
        "DeleteTaskPushNotificationConfig",
        key.clone(),
    );
    let of_ann = stage.rpc("ann", AIRLINE, "GetTaskPushNotificationConfig", key);
    assert_eq!(of_ann["result"]["url"], HOOK);
}

/// A11, row 7 of the security notes: what the operator has not allowed is refused, and so is what
/// would break out of a field; the member that is wrong is named.
#[test]
fn what_is_not_allowed_is_refused_and_named() {
    let stage = stage();
    let task = held(&stage);
    let wrong = |config: Value| {
        let method = "CreateTaskPushNotificationConfig";
        let mut params = config;
        params["taskId"] = task.clone();
        let error = stage.rpc("ann", AIRLINE, method, params)["error"].clone();
        assert_eq!(error["code"], -32602, "{error}");
        let details = error["data"].as_array().unwrap().iter();
        let mut fields = details.filter_map(|it| it["fieldViolations"][0]["field"].as_str());
        fields
            .next()
            .unwrap_or_else(|| panic!("{error}"))
            .to_owned()
    };
    for url in [
        "https://evil.example/",
        "http://169.254.169.254/latest",
        "http://hook.example/in",
        "netconf://hook.example",
        "",
    ] {
        assert_eq!(wrong(json!({"url": url})), "url", "{url}");
    }
    assert_eq!(
        wrong(json!({"url": HOOK, "token": "a\r\nHost: b"})),
        "token"
    );
    let authentication = json!({"scheme": "Bearer", "credentials": "a\nb"});
    let credentials = json!({"url": HOOK, "authentication": authentication});
    assert_eq!(wrong(credentials), "authentication.credentials");
    let scheme = json!({"url": HOOK, "authentication": {"scheme": "Bea rer"}});
    assert_eq!(wrong(scheme), "authentication.scheme");
    // With a message that begins a task, before there is one.
    let tasks = stage.engine.counts().tasks;
    let sent = json!({"message": typed("n", &flight(&[], "")), "configuration":
        {"taskPushNotificationConfig": {"url": "https://evil.example"}}});
    assert_eq!(stage.refused(AIRLINE, "SendMessage", sent), -32602);
    assert_eq!(stage.engine.counts().tasks, tasks);
}

/// A11: a message that brings a configuration is told from the beginning of its task, with the very
/// events of a stream.
#[test]
fn what_is_pushed_is_what_is_streamed() {
    let mut stage = stage();
    let sent = json!({"message": typed("m", &flight(&[], "later")), "configuration":
        {"taskPushNotificationConfig": {"id": "c", "url": HOOK}}});
    let ann = principal("ann", false);
    let mut frames = frames(stage.rpc_of(&ann, AIRLINE, "SendStreamingMessage", sent.clone()));
    stage.advance(1_000);
    let mut streamed = Vec::new();
    while let Some(frame) = stage.wait(frames.next()) {
        streamed.push(event(&frame));
    }
    let task = streamed[0]["task"]["id"].clone();
    let pushed: Vec<Value> = told(&stage, &task).into_iter().map(|(_, it)| it).collect();
    // The first of a stream is the task as it began; its state is told here.
    let began = &pushed[0]["statusUpdate"]["status"]["state"];
    assert_eq!(began, "TASK_STATE_SUBMITTED", "{pushed:?}");
    assert_eq!(pushed[1..], streamed[1..]);
    assert!(pushed[3]["artifactUpdate"].is_object(), "{pushed:?}");
    // Sent again, the message changes nothing of that.
    let again = body(stage.rpc_of(&ann, AIRLINE, "SendMessage", sent));
    assert_eq!(again["result"]["task"]["id"], task);
    assert_eq!(told(&stage, &task).len(), pushed.len());
}

/// A11: to a v0.3 client a push is the task as the change left it (v0.3 §9.5).
#[test]
fn to_old_clients_the_task_is_pushed() {
    let stage = stage();
    let message = json!({"kind": "message", "messageId": "m", "role": "user", "parts": [
        {"kind": "data", "data": flight(&[], ""),
         "metadata": {"mimeType": "application/json;schema=flight_booking_v1"}}]});
    let sent = json!({"message": message, "configuration":
        {"pushNotificationConfig": {"id": "c", "url": HOOK}}});
    let done = stage.rpc("ann", AIRLINE, "message/send", sent);
    let task = &done["result"]["id"];
    let pushed = told(&stage, task);
    let states: Vec<&Value> = pushed
        .iter()
        .map(|(_, it)| &it["status"]["state"])
        .collect();
    assert_eq!(states, ["submitted", "completed"], "{pushed:?}");
    let (_, last) = &pushed[1];
    assert_eq!((&last["kind"], &last["id"]), (&json!("task"), task));
    assert_eq!(last["artifacts"], done["result"]["artifacts"]);
    assert_eq!(pushed[0].1["artifacts"], json!([]));
}

/// A11: a configuration tells what happens after it was made and before it is deleted; a restart
/// changes nothing.
#[test]
fn a_configuration_begins_and_ends_and_outlives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = || StoreOptions::file(folder.path().join("convoke.db"));
    let config = |task: &Value, id: &str| json!({"taskId": task, "id": id, "url": HOOK});
    let task = {
        let stage = Stage::pushing(store());
        let task = stage.send(typed("m", &flight(&[], "ask")))["id"].clone();
        for id in ["kept", "deleted"] {
            let config = config(&task, id);
            stage.rpc("ann", AIRLINE, "CreateTaskPushNotificationConfig", config);
        }
        assert_eq!(told(&stage, &task), [], "nothing has happened since");
        task
    };
    let stage = Stage::pushing(store());
    let key = json!({"taskId": task, "id": "deleted"});
    stage.rpc("ann", AIRLINE, "DeleteTaskPushNotificationConfig", key);
    let same = config(&task, "kept");
    stage.rpc("ann", AIRLINE, "CreateTaskPushNotificationConfig", same);
    let answer = json!({"messageId": "n", "role": "ROLE_USER", "taskId": task,
        "parts": [{"text": "window"}]});
    let done = stage.send(answer);
    assert_eq!(state(&done), "TASK_STATE_COMPLETED", "{done}");
    let pushed = told(&stage, &task);
    assert!(pushed.iter().all(|(id, _)| id == "kept"), "{pushed:?}");
    let last = &pushed.last().unwrap().1["statusUpdate"]["status"]["state"];
    assert_eq!(last, "TASK_STATE_COMPLETED");
    // Another secret loses nothing of what is still to be told.
    let mut renewed = config(&task, "kept");
    renewed["token"] = "another".into();
    stage.rpc("ann", AIRLINE, "CreateTaskPushNotificationConfig", renewed);
    assert_eq!(told(&stage, &task), pushed);
    let kept = stage
        .engine
        .push_configs(&TaskId::new(task.as_str().unwrap()));
    assert_eq!(kept.unwrap().len(), 1);
}

/// A12: a card says what there is.
#[test]
fn cards_say_whether_anything_is_pushed() {
    for (stage, is_pushed) in [(stage(), true), (Stage::new(), false)] {
        let card = stage.binding.card(&endpoint(AIRLINE), None, stage.now);
        assert_eq!(body(card)["capabilities"]["pushNotifications"], is_pushed);
    }
}
