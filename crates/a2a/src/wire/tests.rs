//! Properties and tables of the JSON forms: decoding undoes encoding, errors name the place.

use super::*;
use crate::arbitrary;
use crate::event::SendMessageResponse;
use crate::message::{MIME_TYPE, Part, PartContent};
use crate::method::Method;
use crate::push::PushNotificationConfig;
use crate::request::A2aRequest;
use crate::response::{ListTasksResponse, PushConfigPage, Response};
use crate::version::{Dialect, Version};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Decoding undoes encoding, in every dialect.
    #[test]
    fn messages_survive_every_dialect(it in arbitrary::message()) {
        for dialect in Dialect::ALL {
            prop_assert_eq!(read_message(dialect, &message(dialect, &it)), Ok(it.clone()));
        }
    }

    #[test]
    fn events_survive_every_dialect(it in arbitrary::event()) {
        for dialect in Dialect::ALL {
            prop_assert_eq!(read_event(dialect, &event(dialect, &it)), Ok(it.clone()));
        }
    }

    #[test]
    fn requests_survive_every_dialect(it in arbitrary::request()) {
        for dialect in Dialect::ALL {
            let Value::Object(members) = params(dialect, &it) else { panic!("an object") };
            let read = read_params(dialect, it.method(), &members);
            prop_assert_eq!(read, Ok(it.clone()), "{:?}", dialect);
        }
    }

    #[test]
    fn questions_survive_every_dialect(it in arbitrary::question()) {
        for dialect in Dialect::ALL {
            let Value::Object(members) = params(dialect, &it) else { panic!("an object") };
            prop_assert_eq!(read_params(dialect, it.method(), &members), Ok(it.clone()));
        }
    }

    #[test]
    fn results_survive_every_dialect(
        task in arbitrary::task(),
        said in arbitrary::message(),
        config in arbitrary::made_push(),
        token in proptest::option::of("[a-z]{1,5}"),
    ) {
        let page = ListTasksResponse {
            tasks: vec![task.clone()],
            next_page_token: token,
            page_size: 1,
            total_size: 7,
        };
        let configs = PushConfigPage { configs: vec![config.clone()], next_page_token: None };
        for (method, response) in [
            (Method::SendMessage, Response::Sent(SendMessageResponse::Task(task.clone()))),
            (Method::SendMessage, Response::Sent(SendMessageResponse::Message(said))),
            (Method::GetTask, Response::Task(task.clone())),
            (Method::CancelTask, Response::Task(task)),
            (Method::ListTasks, Response::Tasks(page)),
            (Method::GetPushConfig, Response::PushConfig(config.clone())),
            (Method::CreatePushConfig, Response::PushConfig(config)),
            (Method::ListPushConfigs, Response::PushConfigs(configs)),
            (Method::DeletePushConfig, Response::Deleted),
            (Method::GetSchemaTemplate, Response::Schema(json!({"keys": []}))),
        ] {
            for dialect in Dialect::ALL {
                let written = result(dialect, &response);
                prop_assert_eq!(read_result(dialect, method, &written), Ok(response.clone()));
            }
        }
    }

    /// Cards of both versions.
    #[test]
    fn cards_survive_both_versions(new in arbitrary::card("1.0"), old in arbitrary::card("0.3.0")) {
        prop_assert_eq!(read_card(&card(Version::V10, &new)), Ok(new));
        prop_assert_eq!(read_card(&card(Version::V03, &old)), Ok(old));
    }

    /// Any text is a value or an error, and never a panic.
    #[test]
    fn nothing_makes_it_panic(text in "[\\[\\]{}:,\"a-z0-9 ]{0,60}") {
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            for dialect in Dialect::ALL {
                let _ = read_message(dialect, &value);
                let _ = read_event(dialect, &value);
            }
            let _ = read_card(&value);
        }
    }
}

fn wrong(dialect: Dialect, value: Value) -> String {
    let members = json!({"message": value});
    let members = members.as_object().expect("an object");
    let refused = read_params(dialect, Method::SendMessage, members).expect_err("wrong");
    refused.to_string()
}

/// An error names the member and the value needed there.
#[test]
fn refusals_name_the_member() {
    let good = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "a"}]});
    let with = |name: &str, value: Value| {
        let mut message = good.clone();
        message[name] = value;
        wrong(Dialect::V10, message)
    };
    let told = [
        wrong(Dialect::V10, json!(7)),
        wrong(Dialect::V10, json!({})),
        with("messageId", json!(1)),
        with("messageId", json!("")),
        with("role", json!("user")),
        with("parts", json!([])),
        with("parts", json!({})),
        with("parts", json!([{"text": "a"}, {}])),
        with("parts", json!([{"text": "a", "url": "b"}])),
        with("parts", json!([{"text": 1}])),
        with("parts", json!([{"raw": "***"}])),
        with("parts", json!([{"kind": "text"}])),
        with("metadata", json!([])),
        with("referenceTaskIds", json!(["a", 2])),
        wrong(
            Dialect::V03,
            json!({"messageId": true, "role": "user", "parts": []}),
        ),
        wrong(
            Dialect::V03,
            json!({"messageId": "m", "role": "user", "parts": [{"kind": "audio"}]}),
        ),
        wrong(
            Dialect::V03,
            json!({"messageId": "m", "role": "user", "parts": [{"kind": "data", "data": 1}]}),
        ),
        wrong(
            Dialect::V03,
            json!({"messageId": "m", "role": "user", "parts": [{"kind": "file", "file": {}}]}),
        ),
    ];
    assert_snapshot!(told.join("\n"), @"
    message: an object is needed
    message.messageId: is missing
    message.messageId: a string is needed
    message.messageId: is missing
    message.role: 'ROLE_USER' or 'ROLE_AGENT' is needed
    message.parts: one part at least is needed
    message.parts: an array is needed
    message.parts[1]: one of text, raw, url and data is needed
    message.parts[0]: only one of text, raw, url and data is needed
    message.parts[0].text: a string is needed
    message.parts[0].raw: base64 is needed
    message.parts[0]: one of text, raw, url and data is needed
    message.metadata: an object is needed
    message.referenceTaskIds[1]: a string is needed
    message.messageId: a string is needed
    message.parts[0].kind: 'text', 'file' or 'data' is needed
    message.parts[0].data: an object is needed
    message.parts[0].file: bytes or uri is needed
    ");
}

/// A2: a member stands once, under one of its names; as null it stands under none.
#[test]
fn a_member_has_one_name_at_a_time() {
    let read = |params: Value| {
        let params = params.as_object().expect("object");
        let read = read_params(Dialect::V10, Method::ListTasks, params);
        read.map(|_| ()).map_err(|wrong| wrong.to_string())
    };
    assert_eq!(read(json!({"contextId": null, "context_id": "c"})), Ok(()));
    let twice = read(json!({"contextId": "c", "context_id": "c"}));
    let refusal = "contextId: stands twice, in snake_case as well";
    assert_eq!(twice, Err(refusal.to_owned()));
}

/// A2: members by their snake_case names, integers as ProtoJSON writes them, null as absent.
#[test]
fn protojson_is_read_as_its_parsers_read_it() {
    let said = json!({
        "message": {
            "message_id": "m", "task_id": "t", "context_id": null, "role": "ROLE_USER",
            "parts": [{"raw": "-_8", "media_type": "image/png", "unheard": 1}],
            "reference_task_ids": ["r"], "kind": "message",
        },
        "configuration": {"history_length": "3", "return_immediately": true},
    });
    let read = read_params(
        Dialect::V10,
        Method::SendMessage,
        said.as_object().expect("object"),
    );
    let Ok(A2aRequest::SendMessage(it)) = read else {
        panic!("{read:?}")
    };
    assert_eq!(it.message.task_id.as_deref(), Some("t"));
    assert_eq!(it.message.context_id, None);
    assert_eq!(
        it.message.parts[0].content,
        PartContent::Raw(vec![0xfb, 0xff])
    );
    assert_eq!(it.message.reference_task_ids, ["r"]);
    assert_eq!(it.configuration.history_length, Some(3));
    assert!(it.configuration.return_immediately);
}

/// A12: unknown members are not echoed.
#[test]
fn unknown_members_are_not_echoed() {
    let said = json!({
        "messageId": "m", "role": "ROLE_USER", "extra": 1,
        "parts": [{"text": "a", "unheard": {"of": true}}],
    });
    let read = read_message(Dialect::V10, &said).expect("a message");
    assert_eq!(
        message(Dialect::V10, &read),
        json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "a"}]})
    );
}

/// Q61: data in dialects with two places for the media type have it in both, and a contradiction is
/// kept.
#[test]
fn media_types_stand_where_each_reader_looks() {
    let typed = Part::data(json!({"a": 1})).of_type("application/json;schema=s");
    let in_both = part(Dialect::V10, &typed);
    assert_eq!(in_both["mediaType"], in_both["metadata"][MIME_TYPE]);
    let old = part(Dialect::V03, &typed);
    assert_eq!(old["metadata"][MIME_TYPE], "application/json;schema=s");
    for (value, found) in [
        (json!({"data": {}, "mediaType": "a/b"}), vec!["a/b"]),
        (
            json!({"data": {}, "metadata": {"mimeType": "a/b"}}),
            vec!["a/b"],
        ),
        (
            json!({"data": {}, "mediaType": "a/b", "metadata": {"mimeType": "a/b"}}),
            vec!["a/b"],
        ),
        (
            json!({"data": {}, "mediaType": "a/b", "metadata": {"mimeType": "c/d"}}),
            vec!["a/b", "c/d"],
        ),
        (json!({"data": {}, "metadata": {"mimeType": 7}}), vec![]),
    ] {
        let read = read_part(Dialect::V10, &value).expect("a part");
        assert_eq!(read.media_types().collect::<Vec<_>>(), found, "{value}");
    }
}

/// Integers that doubles cannot hold are encoded as strings.
#[test]
fn big_integers_leave_as_strings() {
    let counter = Part::data(json!({"octets": u64::MAX, "small": 3}));
    for dialect in Dialect::ALL {
        let written = part(dialect, &counter).to_string();
        assert!(
            written.contains("\"octets\":\"18446744073709551615\""),
            "{written}"
        );
        assert!(written.contains("\"small\":3"), "{written}");
    }
}

/// v0.3 marks the last change of state; v1.0 §11.7 closes the stream instead.
#[test]
fn only_v03_says_final() {
    let update = |state: &str| {
        json!({
            "kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": state},
        })
    };
    for (state, is_last) in [
        ("working", false),
        ("input-required", true),
        ("completed", true),
    ] {
        let read = read_event(Dialect::V03, &update(state)).expect("an event");
        assert_eq!(read.is_last(), is_last);
        assert_eq!(event(Dialect::V03, &read)["final"], is_last);
        assert_eq!(
            event(Dialect::V10, &read)["statusUpdate"].get("final"),
            None
        );
    }
}

/// The three forms of a push configuration.
#[test]
fn push_configurations_have_three_forms() {
    let config = PushNotificationConfig {
        id: Some("c".to_owned()),
        task_id: Some("t".to_owned()),
        token: Some("s".to_owned()),
        ..PushNotificationConfig::new("https://peer.example/hook")
    };
    let told = Dialect::ALL.map(|dialect| {
        let written = result(dialect, &Response::PushConfig(config.clone()));
        format!("{dialect:?} {written}")
    });
    assert_snapshot!(told.join("\n"), @r#"
    V03 {"pushNotificationConfig":{"id":"c","token":"s","url":"https://peer.example/hook"},"taskId":"t"}
    V03Proto {"name":"tasks/t/pushNotificationConfigs/c","pushNotificationConfig":{"id":"c","token":"s","url":"https://peer.example/hook"}}
    V10 {"id":"c","taskId":"t","token":"s","url":"https://peer.example/hook"}
    "#);
    let read = |method, members: Value| {
        let members: Map<String, Value> = members.as_object().expect("an object").clone();
        read_params(Dialect::V03, method, &members)
    };
    assert!(
        read(Method::GetPushConfig, json!({"id": "t"})).is_ok(),
        "v0.3 §7.6"
    );
    assert!(
        read(Method::DeletePushConfig, json!({"id": "t"})).is_err(),
        "v0.3 §7.8.1"
    );
}
