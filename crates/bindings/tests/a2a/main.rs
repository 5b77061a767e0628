//! A2A over a real engine with hosted agents, and NETCONF beside it on the same tasks.
//!
//! Read next: `stage.rs`; `telecom.rs`, with the agent of `radio.rs`; `streams.rs` and `pushes.rs`, what
//! happens later; `long.rs`, what takes long to read; `law.rs`, what both protocols say of random runs.
#![allow(clippy::unwrap_used, missing_docs)]

mod law;
mod long;
mod pushes;
mod radio;
mod stage;
mod streams;
mod telecom;

use bindings::a2a::{AnswerBody, IncomingRequest, RequestBody};
use engine::StoreOptions;
use radio::RADIO;
use serde_json::{Value, json};
use stage::*;

/// A2, A3, A4, F16, F20, F25: the same typed message by four roads is four tasks done alike.
#[test]
fn both_versions_over_both_bindings() {
    let stage = Stage::new();
    let data = flight(&[], "");
    let v10 = typed("m-1", &data);
    let v03 = json!({"kind": "message", "messageId": "m-2", "role": "user", "parts": [
        {"kind": "data", "data": data,
         "metadata": {"mimeType": "application/json;schema=flight_booking_v1"}}]});
    let one = stage.rpc("ann", AIRLINE, "SendMessage", json!({"message": v10}));
    let one = &one["result"]["task"];
    assert_eq!(state(one), "TASK_STATE_COMPLETED", "{one}");
    let result = &one["artifacts"][0]["parts"][0];
    assert_eq!(result["data"]["booking_id"], "B-1");
    assert_eq!(
        result["mediaType"],
        "application/json;schema=flight_booking_result_v1"
    );
    let other = stage.rpc("ann", AIRLINE, "message/send", json!({"message": v03}));
    assert_eq!(other["result"]["status"]["state"], "completed", "{other}");
    assert_eq!(other["result"]["kind"], "task");
    let rest = |path: &str, version: &str, message: Value| {
        let body = RequestBody::new(json!({"message": message}).to_string());
        let headers = [
            ("A2A-Version", version),
            ("content-type", "application/json"),
        ];
        let incoming = IncomingRequest {
            verb: "POST",
            path,
            query: "",
            headers: &headers,
            body: &body,
        };
        let answer = stage.ask(&principal("ann", false), AIRLINE, &incoming);
        assert_eq!(answer.status, 200);
        stage::body(answer)
    };
    let third = rest("/message:send", "1.0", typed("m-3", &data));
    assert_eq!(state(&third["task"]), "TASK_STATE_COMPLETED", "{third}");
    let fourth = rest(
        "/v1/message:send",
        "0.3",
        json!({"kind": "message", "messageId": "m-4",
        "role": "user", "parts": [{"kind": "data", "data": data,
        "metadata": {"mimeType": "application/json;schema=flight_booking_v1"}}]}),
    );
    assert_eq!(fourth["task"]["status"]["state"], "completed", "{fourth}");
    assert_eq!(stage.engine.counts().tasks, 4);
}

/// A5: a request that names two versions is served in neither.
#[test]
fn one_version_is_named() {
    let stage = Stage::new();
    let listed = |versions: [&str; 2]| {
        let incoming = IncomingRequest {
            verb: "GET",
            path: "/tasks",
            query: "",
            headers: &versions.map(|it| ("A2A-Version", it)),
            body: &RequestBody::new([]),
        };
        stage
            .ask(&principal("ann", false), AIRLINE, &incoming)
            .status
    };
    assert_eq!(listed(["1.0", "1.0"]), 200);
    assert_eq!(listed(["1.0", "0.3"]), 400);
}

/// A8: a message sent again finds its task, whatever came of it meanwhile.
#[test]
fn the_same_message_is_the_same_task() {
    let stage = Stage::new();
    let message = typed("m-1", &flight(&[], "hold"));
    let now = json!({"returnImmediately": true});
    let wanted = json!({"message": message, "configuration": now});
    let send = || stage.rpc("ann", AIRLINE, "SendMessage", wanted.clone());
    let (one, other) = (send(), send());
    assert_eq!(one["result"]["task"]["id"], other["result"]["task"]["id"]);
    assert_eq!(stage.engine.counts().tasks, 1);
    let ben = stage.rpc("ben", AIRLINE, "SendMessage", wanted.clone());
    assert_ne!(one["result"]["task"]["id"], ben["result"]["task"]["id"]);
}

/// A7: an answer waits until its task has settled; or not at all, if that is asked for.
#[test]
fn answers_wait_as_they_are_asked_to() {
    let stage = Stage::new();
    let done = stage.send(typed("m-1", &flight(&[], "")));
    assert_eq!(state(&done), "TASK_STATE_COMPLETED");
    let asked = stage.send(typed("m-2", &flight(&[], "ask")));
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED");
    let begun = stage.begin(typed("m-3", &flight(&[], "hold")));
    assert_eq!(state(&begun), "TASK_STATE_WORKING");
    let old = json!({"kind": "message", "messageId": "m-4", "role": "user",
        "parts": [{"kind": "text", "text": "hold"}]});
    let wanted = json!({"message": old, "configuration": {"blocking": false}});
    let begun = stage.rpc("ann", AIRLINE, "message/send", wanted);
    assert_eq!(begun["result"]["kind"], "task", "{begun}");
}

/// F14, F17, F21, F23, Q64, Q65.
#[test]
fn typed_input_is_refused_as_the_flow_says() {
    let stage = Stage::new();
    let send = |message| stage.refused(AIRLINE, "SendMessage", json!({"message": message}));
    let undeclared = json!({"messageId": "m", "role": "ROLE_USER", "parts": [
        {"data": {}, "mediaType": "application/json;schema=nothing"}]});
    assert_eq!(send(undeclared), -32005);
    assert_eq!(send(typed("m", &flight(&["origin"], ""))), -32602);
    let asked = stage.send(typed("m-1", &flight(&[], "ask")));
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(send(to(&asked, typed("m-2", &flight(&[], "")))), -32004);
    assert_eq!(stage.engine.counts().tasks, 1);
}

/// 002 §3: who sends typed data to the wrong agent is told who takes them, as far as he may read which
/// agents there are.
#[test]
fn who_knows_a_schema_of_typed_data_is_named() {
    let stage = Stage::new();
    let told = |who: &str, at: &str, schema: &str| {
        let mode = format!("application/json;schema={schema}");
        let message = json!({"messageId": "a", "role": "ROLE_USER", "parts": [
            {"data": {}, "mediaType": mode}]});
        let answer = stage.rpc(who, at, "SendMessage", json!({"message": message}));
        assert_eq!(answer["error"]["code"], -32005, "{answer}");
        let error = &answer["error"]["message"];
        error.as_str().unwrap_or_default().to_owned()
    };
    let wrong = "schema 'energy_saving_v1' is not declared as input";
    let declared = "declared are: fault_incident_v1";
    assert_eq!(
        told("ann", WATCH, "energy_saving_v1"),
        format!("{wrong}; {declared}; it is known to {RADIO}")
    );
    assert_eq!(
        told("guest", WATCH, "energy_saving_v1"),
        format!("{wrong}; {declared}")
    );
    assert_eq!(
        told("ann", CLERK, "energy_saving_v1"),
        format!("{wrong}; this agent takes none; it is known to {RADIO}")
    );
    assert_eq!(
        told("ann", WATCH, "nothing"),
        format!("schema 'nothing' is not declared as input; {declared}")
    );
}

/// Q73, Q75: slots that are missing are asked for, and those that come complete the task; before
/// that its agent has not heard of it.
#[test]
fn missing_slots_are_asked_for_and_filled() {
    let stage = Stage::new();
    let intent = |id: &str, slots: Value| {
        json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": "book"}],
            "metadata": {"intentInfos": [{"intent": "airline-skill", "slots": slots}]}})
    };
    let asked = stage.send(intent(
        "m-1",
        json!([
        {"name": "origin", "value": "PEK"}, {"name": "destination", "value": "SHA"}]),
    ));
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let question = &asked["status"]["message"]["parts"];
    assert!(
        question.to_string().contains("departure_date is missing"),
        "{asked}"
    );
    let done = stage.send(to(
        &asked,
        intent(
            "m-2",
            json!([
        {"name": "departure_date", "value": "next Monday", "normValue": "2026-05-04"}]),
        ),
    ));
    assert_eq!(state(&done), "TASK_STATE_COMPLETED", "{done}");
    assert_eq!(done["id"], asked["id"]);
    assert_eq!(done["history"][0]["messageId"], "m-1");
    let again = stage.send(intent(
        "m-1",
        json!([
        {"name": "origin", "value": "PEK"}, {"name": "destination", "value": "SHA"}]),
    ));
    assert_eq!(
        (&again["id"], state(&again)),
        (&done["id"], "TASK_STATE_COMPLETED")
    );
}

/// Words cost whoever reads them; nobody does before it is sure that their sender may give tasks, and
/// nobody reads more of them than is said.
#[test]
fn words_are_read_for_those_who_may_give_tasks_and_up_to_a_length() {
    let stage = Stage::new();
    let read = || stage.read.load(std::sync::atomic::Ordering::Relaxed);
    let send = |who, text: &str| {
        let message = words(&format!("m-{}", text.len()), text);
        stage.rpc(who, AIRLINE, "SendMessage", json!({"message": message}))
    };
    let long = "target: ".repeat(60_000);
    let denied = send("guest", &long);
    assert_eq!(denied["error"]["code"], -32041, "{denied}");
    assert_eq!(send("guest", "book")["error"], denied["error"]);
    let too_long = send("ann", &long);
    assert_eq!(too_long["error"]["code"], -32043, "{too_long}");
    assert_eq!(send("ann", &"x".repeat(4_097))["error"]["code"], -32043);
    assert_eq!(read(), 0, "nobody read a word of these");
    let asked = send("ann", &"x".repeat(4_096));
    assert_eq!(state(&asked["result"]["task"]), "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(read(), 1);
}

/// Words are read, and asked back where they are not sure; the question outlives a restart, and
/// NETCONF shows it.
#[test]
fn words_are_asked_back_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = || StoreOptions::file(folder.path().join("convoke.db"));
    let asked = {
        let stage = Stage::over(store());
        let unclear = stage.send(words("m-0", "good morning"));
        assert_eq!(state(&unclear), "TASK_STATE_INPUT_REQUIRED");
        assert!(unclear["status"].to_string().contains("airline-skill"));
        let asked = stage.send(words("m-1", "fly origin=PEK destination=SHA"));
        assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED");
        let cancelled = stage.rpc("ann", AIRLINE, "CancelTask", json!({"id": unclear["id"]}));
        assert_eq!(
            state(&cancelled["result"]),
            "TASK_STATE_CANCELED",
            "{cancelled}"
        );
        asked
    };
    let stage = Stage::over(store());
    let shown = stage.netconf(
        "ann",
        "<get-tasks xmlns='urn:convoke:params:xml:ns:yang:convoke-registry'/>",
    );
    assert!(shown.contains(">completion</awaits>"), "{shown}");
    let more = stage.send(to(&asked, words("m-2", "well")));
    assert_eq!(state(&more), "TASK_STATE_INPUT_REQUIRED");
    let done = stage.send(to(&asked, words("m-3", "departure_date=2026-05-04")));
    assert_eq!(state(&done), "TASK_STATE_COMPLETED", "{done}");
    let repeated = stage.send(to(&asked, words("m-3", "departure_date=2026-05-04")));
    assert_eq!(repeated["id"], done["id"]);
    assert_eq!(repeated["history"], done["history"]);
}

/// F22: an agent without schemas takes words as they are.
#[test]
fn words_are_a_task_where_there_are_no_schemas() {
    let stage = Stage::new();
    let sent = json!({"message": words("m", "please do\n## result\naccept")});
    let done = stage.rpc("ann", CLERK, "SendMessage", sent);
    let done = &done["result"]["task"];
    assert_eq!(state(done), "TASK_STATE_COMPLETED", "{done}");
    assert_eq!(done["artifacts"][0]["parts"][1]["text"], "it is done");
}

/// Questions and decisions of the agent are answered by messages (Q65).
#[test]
fn answers_and_judgements_go_to_the_agent() {
    let stage = Stage::new();
    let asked = stage.send(typed("m-1", &flight(&[], "ask")));
    assert!(
        asked["status"]["message"]
            .to_string()
            .contains("window or aisle?")
    );
    let done = stage.send(to(&asked, words("m-2", "window")));
    assert_eq!(state(&done), "TASK_STATE_COMPLETED", "{done}");
    let said: Vec<&Value> = done["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["messageId"])
        .collect();
    assert!(
        said.contains(&&json!("m-1")) && said.contains(&&json!("m-2")),
        "{done}"
    );
    let proposed = stage.send(typed("m-3", &flight(&[], "propose")));
    assert_eq!(state(&proposed), "TASK_STATE_INPUT_REQUIRED");
    let unsure = to(&proposed, words("m-4", "Tokyo, really?"));
    assert_eq!(
        stage.refused(AIRLINE, "SendMessage", json!({"message": unsure})),
        -32602
    );
    let agreed = stage.send(to(&proposed, words("m-5", "yes, go on")));
    assert_eq!(state(&agreed), "TASK_STATE_COMPLETED", "{agreed}");
    let over = to(&agreed, words("m-6", "thanks"));
    assert_eq!(
        stage.refused(AIRLINE, "SendMessage", json!({"message": over})),
        -32004
    );
}

/// A8, A16: not there and not yours look the same, at every method.
#[test]
fn tasks_of_others_look_like_none() {
    let stage = Stage::new();
    let held = stage.begin(typed("m", &flight(&[], "hold")));
    let stranger = principal("stranger", true);
    let guest = principal("guest", false);
    for who in [&stranger, &guest] {
        for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
            let told = |id: &Value| {
                let answer = body(stage.rpc_of(who, AIRLINE, method, json!({"id": id})));
                answer.to_string().replace(id.as_str().unwrap(), "ID")
            };
            assert_eq!(told(&held["id"]), told(&json!("no-such-task")), "{method}");
            assert!(told(&held["id"]).contains("-32001"), "{method}");
        }
    }
    let elsewhere = stage.refused(CLERK, "GetTask", json!({"id": held["id"]}));
    assert_eq!(elsewhere, -32001);
    let list = body(stage.rpc_of(&stranger, AIRLINE, "ListTasks", json!({})));
    assert_eq!(list["result"]["tasks"], json!([]));
    let list = body(stage.rpc_of(&guest, AIRLINE, "ListTasks", json!({})));
    assert_eq!(list["error"]["code"], -32041);
}

/// A8, A12: what has ended is left alone; pushing is not offered.
#[test]
fn ends_are_final_and_nothing_is_pushed() {
    let stage = Stage::new();
    let held = stage.send(typed("m", &flight(&[], "refuse")));
    assert_eq!(state(&held), "TASK_STATE_REJECTED");
    let id = json!({"id": held["id"]});
    assert_eq!(stage.refused(AIRLINE, "CancelTask", id.clone()), -32002);
    assert_eq!(stage.refused(AIRLINE, "SubscribeToTask", id), -32004);
    let push = json!({"taskId": held["id"], "url": "https://x.example"});
    assert_eq!(
        stage.refused(AIRLINE, "CreateTaskPushNotificationConfig", push),
        -32003
    );
    let wanted = json!({"message": words("n", "x"), "configuration":
        {"taskPushNotificationConfig": {"url": "https://x.example"}}});
    assert_eq!(stage.refused(AIRLINE, "SendMessage", wanted), -32003);
}

/// A10: newest first, each once, page by page; conversations are the engine's.
#[test]
fn lists_are_pages_of_the_store() {
    let mut stage = Stage::new();
    for n in 0..7 {
        stage.advance(1);
        let mut message = typed(&format!("m-{n}"), &flight(&[], "hold"));
        if n % 2 == 0 {
            message["contextId"] = "talk".into();
        }
        let wanted = json!({"message": message, "configuration": {"returnImmediately": true}});
        stage.rpc("ann", AIRLINE, "SendMessage", wanted);
    }
    let pages = |filter: Value| {
        let mut seen: Vec<(String, String)> = Vec::new();
        let mut wanted = filter;
        loop {
            let page = stage.rpc("ann", AIRLINE, "ListTasks", wanted.clone())["result"].clone();
            for task in page["tasks"].as_array().unwrap() {
                let at = task["status"]["timestamp"].as_str().unwrap();
                seen.push((
                    at.to_owned(),
                    task["contextId"].as_str().unwrap().to_owned(),
                ));
            }
            if page["nextPageToken"] == "" {
                assert_eq!(page["totalSize"], seen.len());
                return seen;
            }
            wanted["pageToken"] = page["nextPageToken"].clone();
        }
    };
    let all = pages(json!({"pageSize": 2}));
    assert_eq!(all.len(), 7);
    assert!(all.windows(2).all(|pair| pair[0].0 > pair[1].0), "{all:?}");
    let talk = pages(json!({"pageSize": 3, "contextId": "talk"}));
    assert_eq!(talk.len(), 4);
    assert!(talk.iter().all(|(_, context)| context == "talk"));
    let own = all.iter().find(|(_, context)| context != "talk").unwrap();
    assert_eq!(pages(json!({"contextId": own.1})).len(), 1);
    let none = pages(json!({"status": "TASK_STATE_COMPLETED"}));
    assert_eq!(none.len(), 0);
}

/// A8: a conversation that is not the task's is refused, and one that is malformed.
#[test]
fn conversations_are_held_together() {
    let stage = Stage::new();
    let asked = stage.send(typed("m", &flight(&[], "ask")));
    assert_eq!(asked["contextId"], asked["id"]);
    let mut other = to(&asked, words("n", "window"));
    other["contextId"] = "another".into();
    assert_eq!(
        stage.refused(AIRLINE, "SendMessage", json!({"message": other})),
        -32602
    );
    let mut bad = typed("o", &flight(&[], ""));
    bad["contextId"] = "a\nb".into();
    assert_eq!(
        stage.refused(AIRLINE, "SendMessage", json!({"message": bad})),
        -32602
    );
}

/// A1: cards tell what is published, and clients may keep them; at the platform's URL it is the
/// default agent's.
#[test]
fn cards_follow_what_is_published() {
    let stage = Stage::new();
    let card = |at: &str, known: Option<&str>| stage.binding.card(&endpoint(at), known, stage.now);
    let first = card(AIRLINE, None);
    let etag = first
        .headers
        .iter()
        .find(|(name, _)| *name == "ETag")
        .unwrap()
        .1
        .clone();
    let first = body(first);
    assert!(first["schemas"]["flight_booking_v1"].is_object(), "{first}");
    assert!(first["schemas"]["flight_booking_v2"].is_null());
    assert_eq!(card(AIRLINE, Some(&etag)).status, 304);
    assert_eq!(card("nobody", None).status, 404);
    assert_eq!(body(card("platform", None))["name"], AIRLINE);
    let template = stage.rpc(
        "ann",
        AIRLINE,
        "get_schema_template",
        json!({"scenario": "flight_booking"}),
    );
    assert_eq!(
        template["result"]["schema_id"], "flight_booking_v1",
        "{template}"
    );
    let mut authored: Value = serde_json::from_str(
        schema::shipped::SHIPPED
            .iter()
            .find(|(id, _)| *id == "flight_booking_v1")
            .unwrap()
            .1,
    )
    .unwrap();
    authored["schema_id"] = "flight_booking_v2".into();
    let publish = engine::PublishSchemaTemplate {
        template: authored.to_string(),
    };
    let who = principal("operator", false);
    let published = stage.engine.execute(&who, publish, stage.now);
    stage.wait(published.outcome()).unwrap();
    let second = body(card(AIRLINE, Some(&etag)));
    assert!(
        second["schemas"]["flight_booking_v2"].is_object(),
        "{second}"
    );
    let extended = stage.rpc("ann", AIRLINE, "GetExtendedAgentCard", json!({}));
    assert_eq!(extended["result"]["name"], AIRLINE, "{extended}");
}

/// D53, Q3, A15: questions about schemas as methods and as data parts; extensions are echoed.
#[test]
fn schemas_are_asked_for() {
    let stage = Stage::new();
    let part = json!({"messageId": "m", "role": "ROLE_USER", "parts": [
        {"data": {"method": "get_schema_template", "params": {"scenario": "flight_booking"}}}]});
    let answer = stage.rpc("ann", AIRLINE, "SendMessage", json!({"message": part}));
    let data = &answer["result"]["message"]["parts"][0]["data"];
    assert_eq!(data["schema_id"], "flight_booking_v1", "{answer}");
    let updates = stage.rpc(
        "ann",
        AIRLINE,
        "get_schema_updates",
        json!({"schema_id": "flight_booking_v1"}),
    );
    assert_eq!(updates["result"]["patches"], json!([]), "{updates}");
    let unknown = json!({"scenario": "cooking"});
    assert_eq!(
        stage.refused(AIRLINE, "get_schema_template", unknown),
        -32602
    );
    let incoming = IncomingRequest {
        verb: "GET",
        path: "/tasks",
        query: "A2A-Version=1.0",
        headers: &[("A2A-Extensions", a2a::objects::URI)],
        body: &RequestBody::new([]),
    };
    let answer = stage.ask(&principal("ann", false), AIRLINE, &incoming);
    assert!(
        answer
            .headers
            .contains(&("A2A-Extensions", a2a::objects::URI.to_owned()))
    );
    assert!(matches!(answer.body, AnswerBody::Whole(_)));
}
