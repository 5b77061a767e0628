//! Nonexistent and foreign records are answered alike, word for word, by every binding.

use super::stage::{Asked, DATA_MODULE, REGISTRY, Stage, WAYS, negotiate, write_data};
use serde_json::json;

/// A request about an identifier, by name.
type Named<'a, T> = (&'static str, &'a dyn Fn(&str) -> T);

const FOREIGN: [&str; 2] = ["t-operator", "d-operator"];
/// Identifiers of the same length as those, used by nobody.
const ABSENT: [&str; 2] = ["t-nobodyss", "d-nobodyss"];

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
const NEGOTIATION: &str = "urn:convoke:params:xml:ns:yang:convoke-negotiation";

/// The requests about one task over each way of A2A.
const ASKED: [fn(&str) -> Asked<'_>; 3] = [
    |id| Asked::Get(id),
    |id| Asked::Subscribe(id),
    |id| Asked::Push(id),
];

/// Makes the same request about a foreign and a nonexistent record.
fn both(stage: &mut Stage, user: &str, ask: &dyn Fn(&mut Stage, &str) -> String, kind: usize) {
    let foreign = ask(stage, FOREIGN[kind]);
    let absent = ask(stage, ABSENT[kind]);
    let renamed = foreign.replace(FOREIGN[kind], ABSENT[kind]);
    assert_eq!(unnumbered(&renamed), unnumbered(&absent), "{user}");
}

/// Removes the message-id of a reply.
pub fn unnumbered(reply: &str) -> String {
    let begin = reply.find("message-id=\"");
    begin.map_or_else(
        || reply.to_owned(),
        |at| {
            let rest = &reply[at + 12..];
            let end = rest.find('"').unwrap_or(0);
            format!("{}{}", &reply[..at], &rest[end..])
        },
    )
}

#[test]
fn asking_about_another_s_record_is_asking_about_none() {
    let mut stage = Stage::new();
    for user in ["wireless", "oss"] {
        let verbs = [
            "taskCancel",
            "taskResultQuery",
            "FulfillmentNegotiate",
            "taskResultNotify",
        ];
        for verb in verbs {
            both(
                &mut stage,
                user,
                &|stage, id| {
                    let words = "stay\n## status\nprocessing";
                    stage.call(user, "platform", &negotiate(verb, "ip", id, words, ""))
                },
                0,
            );
        }
        both(
            &mut stage,
            user,
            &|stage, id| {
                let where_to = format!(
                    "<task-subscription xmlns='{NEGOTIATION}'><subscript-protocol>http</subscript-protocol>\
                 <subscript-url>http://127.0.0.1:9/x</subscript-url></task-subscription>"
                );
                let ask = negotiate("taskResultSubscribe", "ip", id, "stay", &where_to);
                stage.call(user, "platform", &ask)
            },
            0,
        );
        for leaf in ["parent-task", "context", "msg-data"] {
            both(
                &mut stage,
                user,
                &|stage, id| {
                    let (namespace, id) = match leaf {
                        "context" => (NEGOTIATION, format!("{id}/assign")),
                        "msg-data" => (AGENT, format!("{id}/assign/response")),
                        _ => (NEGOTIATION, id.to_owned()),
                    };
                    let more = format!("<{leaf} xmlns='{namespace}'>{id}</{leaf}>");
                    let ask = negotiate("taskAssgin", "ip", "new-one", "stay", &more);
                    stage.call(user, "platform", &ask)
                },
                0,
            );
        }
        for rpc in ["get-tasks", "get-context"] {
            both(
                &mut stage,
                user,
                &|stage, id| {
                    let id = match rpc {
                        "get-context" => format!("{id}/assign"),
                        _ => id.to_owned(),
                    };
                    let page = format!("<{rpc} xmlns='{REGISTRY}'><after>{id}</after></{rpc}>");
                    stage.call(user, "platform", &page)
                },
                0,
            );
        }
        for key in ["task", "negotiation", "team"] {
            both(
                &mut stage,
                user,
                &|stage, id| {
                    let filter = format!("<{key}><task-id>{id}</task-id></{key}>");
                    let filter = format!("<registry xmlns='{REGISTRY}'>{filter}</registry>");
                    let get = format!("<get><filter type='subtree'>{filter}</filter></get>");
                    stage.call(user, "platform", &get)
                },
                0,
            );
        }
    }
    both(
        &mut stage,
        "oss",
        &|stage, id| {
            let read = format!("<data-read xmlns='{DATA_MODULE}'><id>{id}</id></data-read>");
            stage.call("oss", "platform", &read)
        },
        1,
    );
    both(
        &mut stage,
        "oss",
        &|stage, id| {
            let filter = format!("<data-params xmlns='{AGENT}'><id>{id}</id></data-params>");
            let get = format!("<get><filter type='subtree'>{filter}</filter></get>");
            stage.call("oss", "platform", &get)
        },
        1,
    );
}

#[test]
fn a2a_tells_of_another_s_task_as_of_none() {
    let mut stage = Stage::new();
    for user in ["speaker", "wireless", "guest"] {
        let url = "http://127.0.0.1:9/x";
        let message = |id: &str| {
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "taskId": id,
                "parts": [{"text": "go on"}]}})
        };
        let calls: [Named<'_, serde_json::Value>; 9] = [
            ("GetTask", &|id| json!({"id": id})),
            ("CancelTask", &|id| json!({"id": id})),
            ("SubscribeToTask", &|id| json!({"id": id})),
            ("SendMessage", &message),
            ("SendStreamingMessage", &message),
            (
                "CreateTaskPushNotificationConfig",
                &|id| json!({"taskId": id, "id": "c", "url": url}),
            ),
            (
                "GetTaskPushNotificationConfig",
                &|id| json!({"taskId": id, "id": "c"}),
            ),
            (
                "ListTaskPushNotificationConfigs",
                &|id| json!({"taskId": id}),
            ),
            (
                "DeleteTaskPushNotificationConfig",
                &|id| json!({"taskId": id, "id": "c"}),
            ),
        ];
        for (method, params) in calls {
            both(
                &mut stage,
                user,
                &|stage, id| {
                    let answer = stage.a2a(user, method, params(id));
                    let failed = answer.contains("\"error\":{");
                    assert!(failed, "{method}, {user}: {answer}");
                    answer
                },
                0,
            );
        }
        for (way, asked) in WAYS.iter().flat_map(|way| ASKED.map(|asked| (*way, asked))) {
            both(
                &mut stage,
                user,
                &|stage, id| {
                    let answer = stage.by(way, user, asked(id)).unwrap();
                    assert!(answer.failed, "{way:?}, {user}: {answer:?}");
                    answer.text
                },
                0,
            );
        }
    }
}

/// An identifier of another user is refused like an unused one of the platform's own form; and a
/// request that is invalid in itself is refused for that, whoever uses its identifier.
#[test]
fn an_identifier_of_another_is_one_that_cannot_be_had() {
    let mut stage = Stage::new();
    let begin: [Named<'_, String>; 3] = [
        ("taskAssgin", &|id| {
            negotiate("taskAssgin", "oss", id, "stay", "")
        }),
        ("FeasibilityNegotiate", &|id| {
            let more = "<type>FEASIBILITY</type>";
            negotiate("FeasibilityNegotiate", "oss", id, "stay", more)
        }),
        ("form-team", &|id| {
            format!(
                "<form-team xmlns='{REGISTRY}'><task-id>{id}</task-id><need><name>a</name>\
                 <skill>play</skill><content>## target object\nsite-1\n## task description\nstay\
                 </content></need></form-team>"
            )
        }),
    ];
    let reserved = "task-1-123";
    for foreign in ["t-operator", "p-speaker", "crew"] {
        for (what, ask) in &begin {
            // A task may be assigned beside a team: the team is about its parts.
            if foreign == "crew" && *what != "form-team"
                || foreign == "p-speaker" && *what == "form-team"
            {
                continue;
            }
            let taken = stage.call("wireless", "platform", &ask(foreign));
            let nobody_s = stage.call("wireless", "platform", &ask(reserved));
            assert!(
                taken.contains("<error-app-tag>identifier-unavailable<"),
                "{what}: {taken}"
            );
            let renamed = taken.replace(foreign, reserved);
            assert_eq!(unnumbered(&renamed), unnumbered(&nobody_s), "{what}");
        }
    }
    let impossible: [&dyn Fn(&str) -> String; 3] = [
        &|id| negotiate("taskAssgin", "nobody", id, "stay", ""),
        &|id| {
            negotiate(
                "taskAssgin",
                "oss",
                id,
                "stay",
                "<msg-data>not-there</msg-data>",
            )
        },
        &|id| {
            let more = "<type>FEASIBILITY</type>";
            negotiate("FeasibilityNegotiate", "nobody", id, "stay", more)
        },
    ];
    for ask in impossible {
        both(
            &mut stage,
            "wireless",
            &|stage, id| stage.call("wireless", "platform", &ask(id)),
            0,
        );
    }
    let to_nobody = |id: &str| {
        let more = "<type>FEASIBILITY</type>";
        negotiate("FeasibilityNegotiate", "nobody", id, "stay", more)
    };
    let asked = ["p-speaker", "p-nobodyss"].map(|id| {
        let reply = stage.call("wireless", "platform", &to_nobody(id));
        unnumbered(&reply.replace(id, "p"))
    });
    assert_eq!(asked[0], asked[1]);
    let taken = stage.call("ip", "platform", &write_data("d-operator", "x", "ip"));
    assert!(
        taken.contains("<error-app-tag>identifier-unavailable<"),
        "{taken}"
    );
    both(
        &mut stage,
        "ip",
        &|stage, id| {
            let write = format!(
                "<data-write xmlns='{DATA_MODULE}'><id>{id}</id><data>eA==</data></data-write>"
            );
            stage.call("ip", "platform", &write)
        },
        1,
    );
}
