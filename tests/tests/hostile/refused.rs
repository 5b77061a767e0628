//! Requests against the schema, the draft's rules or a task's state: refused with name and place,
//! and the session goes on. The error tags are those of RFC 6241, chosen by RFC 7950 §15. Read
//! next: `bindings::netconf::error`.

use crate::support::block_on;
use crate::support::process::Running;
use crate::support::talk::{self, Talk, get_agent, text};
use crate::{AGENT, Ground};
use netconf::client::{Outcome, Reply};
use netconf::error::{ErrorInfo, RpcError};

/// The names along an error-path, without prefixes.
fn steps(error: &RpcError) -> String {
    let path = error
        .path
        .as_ref()
        .map_or(String::new(), |p| p.path.clone());
    let local = |step: &str| step.rsplit(':').next().unwrap().to_owned();
    path.split('/').map(local).collect::<Vec<_>>().join("/")
}

/// The machine-readable parts of an error, on one line.
fn told(reply: &Reply) -> String {
    let Outcome::Errors(errors) = &reply.outcome else {
        return format!("no error: {}", reply.raw());
    };
    let one = |error: &RpcError| {
        let app_tag = error
            .app_tag
            .as_ref()
            .map_or(String::new(), |t| format!(" [{t}]"));
        let bad: String = error
            .info
            .iter()
            .map(|info| match info {
                ErrorInfo::BadElement(name) => format!(" <{name}>"),
                ErrorInfo::BadNamespace(name) => format!(" {name}"),
                ErrorInfo::Other { name, text, .. } => format!(" {name}={text}"),
                other => format!(" {other:?}"),
            })
            .collect();
        let (kind, tag) = (error.error_type.as_str(), error.tag.as_str());
        format!("{kind} {tag}{app_tag} {}{bad}", steps(error))
    };
    errors.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn negotiate(inside: &str) -> String {
    format!(
        "<task-negotiate xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\">{inside}</task-negotiate>"
    )
}

const CONTENT: &str = "<content>## target object\nsite:1\n## task description\nx</content>";

/// A payload section to append.
fn payload(text: &str) -> String {
    let open = CONTENT.trim_end_matches("</content>");
    format!("<commuType>taskAssgin</commuType>{open}\n## structured payload\n{text}</content>")
}

/// Requests against the schema, or the draft's rules, with the exact answer: type, tag, place,
/// detail.
fn invalid_negotiations() -> Vec<(String, &'static str)> {
    let assign = |inside: &str| format!("<commuType>taskAssgin</commuType>{inside}");
    let augmented = |leaf: &str, value: &str| {
        let namespace = "urn:convoke:params:xml:ns:yang:convoke-negotiation";
        assign(&format!(
            "{CONTENT}<{leaf} xmlns=\"{namespace}\">{value}</{leaf}>"
        ))
    };
    let own = |inside: &str| inside.to_owned();
    vec![
        (
            own(""),
            "protocol missing-element /rpc/task-negotiate <commuType>",
        ),
        (
            own("<task-id>t</task-id>"),
            "protocol missing-element /rpc/task-negotiate <commuType>",
        ),
        (
            own("<commuType>taskDance</commuType>"),
            "protocol invalid-value /rpc/task-negotiate/commuType",
        ),
        (
            assign(""),
            "application missing-element /rpc/task-negotiate <content>",
        ),
        (
            assign("<content>do it</content>"),
            "application invalid-value /rpc/task-negotiate/content <content>",
        ),
        (
            assign("<content>## target object\nsite:1</content>"),
            "application invalid-value /rpc/task-negotiate/content <content>",
        ),
        (
            assign("<commuType>taskCancel</commuType>"),
            "application bad-element /rpc/task-negotiate/commuType <commuType>",
        ),
        (
            own("<commuType><b/></commuType>"),
            "application bad-element /rpc/task-negotiate/commuType <b>",
        ),
        (
            assign("<urgent>yes</urgent>"),
            "application unknown-element /rpc/task-negotiate <urgent>",
        ),
        (
            assign("<urgent xmlns=\"urn:x\">yes</urgent>"),
            "application unknown-namespace /rpc/task-negotiate <urgent> urn:x",
        ),
        (
            assign("<round>1</round>"),
            "application unknown-element /rpc/task-negotiate <round>",
        ),
        (
            assign(&format!("{CONTENT}text")),
            "application bad-element /rpc/task-negotiate <task-negotiate>",
        ),
        (
            augmented("task-async", "perhaps"),
            "application invalid-value /rpc/task-negotiate/task-async <task-async>",
        ),
        (
            augmented("round", "-1"),
            "application invalid-value /rpc/task-negotiate/round <round>",
        ),
        (
            augmented("round", "99999999999"),
            "application invalid-value /rpc/task-negotiate/round <round>",
        ),
        (
            assign(&format!("<task-sendTo>nobody</task-sendTo>{CONTENT}")),
            "application invalid-value /rpc/task-negotiate/task-sendTo",
        ),
        (
            assign(&format!("<task-sendFrom>mallory</task-sendFrom>{CONTENT}")),
            "protocol access-denied /rpc/task-negotiate/task-sendFrom",
        ),
        (
            assign(&format!("<task-id></task-id>{CONTENT}")),
            "application invalid-value /rpc/task-negotiate/task-id",
        ),
        (
            payload("{"),
            "application invalid-value [kv-payload] /rpc/task-negotiate/content",
        ),
        (
            payload("{\"schema_id\": 1, \"payload\": {}}"),
            "application invalid-value [kv-payload] /rpc/task-negotiate/content",
        ),
        (
            payload("{\"schema_id\": \"a_v1\", \"payload\": []}"),
            "application invalid-value [kv-payload] /rpc/task-negotiate/content",
        ),
        (
            payload("{\"schema_id\": \"a_v1\"}"),
            "application invalid-value [kv-payload] /rpc/task-negotiate/content",
        ),
        (
            payload(
                "{\"schema_id\": \"a_v1\", \"payload\": {}}\n## structured payload\n{\"schema_id\": \"a_v1\", \"payload\": {}}",
            ),
            "application invalid-value [kv-payload] /rpc/task-negotiate/content",
        ),
        (
            payload(&format!("[{}0]", "{\"\":0},".repeat(20_000))),
            "application too-big /rpc/task-negotiate/content",
        ),
        (
            payload(&format!("{}{}", "[".repeat(70), "]".repeat(70))),
            "application too-big /rpc/task-negotiate/content",
        ),
        (
            payload(&"{}\n## a".repeat(40_000)),
            "application too-big /rpc/task-negotiate/content",
        ),
        (
            own("<commuType>taskCancel</commuType>"),
            "application missing-element /rpc/task-negotiate <task-id>",
        ),
        (
            own("<commuType>taskCancel</commuType><task-id>unheard-of</task-id>"),
            "application data-missing /rpc/task-negotiate/task-id",
        ),
        (
            own("<commuType>taskResultQuery</commuType><task-id>unheard-of</task-id>"),
            "application data-missing /rpc/task-negotiate/task-id",
        ),
        (
            own("<commuType>FeasibilityNegotiate</commuType>"),
            "application missing-element /rpc/task-negotiate <task-id>",
        ),
    ]
}

/// Invalid requests of other operations, with the exact answer.
const INVALID_OPERATIONS: &[(&str, &str)] = &[
    (
        "<get-schema xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"/>",
        "application missing-element /rpc/get-schema <identifier>",
    ),
    (
        "<kill-session/>",
        "application missing-element /rpc/kill-session <session-id>",
    ),
    (
        "<kill-session><session-id>0</session-id></kill-session>",
        "application invalid-value /rpc/kill-session/session-id <session-id>",
    ),
    (
        "<kill-session><session-id>x</session-id></kill-session>",
        "application invalid-value /rpc/kill-session/session-id <session-id>",
    ),
    // RFC 7950 §15.6.
    (
        "<lock><target/></lock>",
        "application data-missing [missing-choice] /rpc/lock/target missing-choice=config-target",
    ),
    (
        "<lock><target><moon/></target></lock>",
        "application unknown-element /rpc/lock/target <moon>",
    ),
    (
        "<get><filter type=\"subtree\"/><more/></get>",
        "application unknown-element /rpc/get <more>",
    ),
    (
        "<close-session><now/></close-session>",
        "application unknown-element /rpc/close-session <now>",
    ),
    (
        "<moonwalk/>",
        "protocol operation-not-supported /rpc/moonwalk",
    ),
    (
        "<get xmlns=\"urn:x\"/>",
        "protocol operation-not-supported /rpc/get",
    ),
    (
        "<create-subscription xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\"><startTime>yesterday</startTime></create-subscription>",
        "application invalid-value /rpc/create-subscription/startTime <startTime>",
    ),
    (
        "<get-data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-nmda\"/>",
        "application missing-element /rpc/get-data <datastore>",
    ),
    (
        "<get-data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-nmda\"><datastore xmlns:ds=\"urn:ietf:params:xml:ns:yang:ietf-datastores\">ds:operational</datastore><max-depth>0</max-depth></get-data>",
        "application invalid-value /rpc/get-data/max-depth <max-depth>",
    ),
];

#[test]
fn what_the_schema_does_not_allow_is_refused_by_name_and_place() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        for ground in [Ground::memory().await, Ground::ssh(&state).await] {
            let mut talk = Talk::over(ground.stream().await).await;
            for (inside, expected) in invalid_negotiations() {
                let reply = talk.ask(&negotiate(&inside)).await;
                assert_eq!(told(&reply), expected, "{inside}\n{}", reply.raw());
            }
            for (operation, expected) in INVALID_OPERATIONS {
                let reply = talk.ask(operation).await;
                assert_eq!(told(&reply), *expected, "{operation}\n{}", reply.raw());
            }
            // Nothing was stored for any of them, and the session is as good as new.
            let tasks = talk.ask(&talk::get_tasks()).await;
            assert!(!tasks.raw().contains("unheard-of"), "{}", tasks.raw());
            let reply = talk.ask(&get_agent(AGENT)).await;
            assert_eq!(text(&reply.document, "name"), AGENT);
        }
    });
}

#[test]
fn what_comes_too_late_for_a_task_is_refused_and_changes_nothing() {
    let bad_state = "application operation-failed [bad-state] /rpc/task-negotiate/task-id";
    let verb = |verb: &str, task: &str, more: &str| {
        negotiate(&format!(
            "<task-sendTo>{AGENT}</task-sendTo><commuType>{verb}</commuType><task-id>{task}\
             </task-id>{more}"
        ))
    };
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Germany50").await;
        let mut talk = Talk::connect(&running).await;
        // A question is answered at once, and its task is finished.
        let question = "<content>## target object\nrouter:Berlin\n## task description\nwhat hangs on \
                        router Berlin?</content>";
        let copilot = "TMF-Convoke-ResourceField-1.0.0";
        let to_copilot = |operation: String| operation.replace(AGENT, copilot);
        let asked = talk
            .ask(&to_copilot(verb("taskAssgin", "asked", question)))
            .await;
        assert_eq!(
            text(&asked.document, "task-status"),
            "finished",
            "{}",
            asked.raw()
        );
        let cancelled = talk.ask(&to_copilot(verb("taskCancel", "asked", ""))).await;
        assert_eq!(told(&cancelled), bad_state, "{}", cancelled.raw());

        let assigned = talk.ask(&talk::assign(AGENT, "open")).await;
        let assigned = text(&assigned.document, "task-status");
        assert!(
            ["processing", "input-required"].contains(&assigned.as_str()),
            "{assigned}"
        );
        let cancelled = talk.ask(&verb("taskCancel", "open", "")).await;
        assert_eq!(text(&cancelled.document, "task-status"), "cancelled");
        // Cancelled is cancelled: the same again is answered alike.
        let again = talk.ask(&verb("taskCancel", "open", "")).await;
        assert_eq!(text(&again.document, "task-status"), "cancelled");
        for late in [
            verb("FulfillmentNegotiate", "open", CONTENT),
            verb(
                "FulfillmentNegotiate",
                "open",
                "<content>## target object\nsite:1\n## task description\nx\n## result\naccept</content>",
            ),
        ] {
            let reply = talk.ask(&late).await;
            assert_eq!(told(&reply), bad_state, "{late}\n{}", reply.raw());
        }
        // The same identifier for something else is taken, for ever.
        let other = talk.ask(&verb("taskAssgin", "open", CONTENT)).await;
        assert_eq!(
            told(&other),
            "application data-exists /rpc/task-negotiate/task-id"
        );
        for (task, status) in [("asked", "finished"), ("open", "cancelled")] {
            let reply = talk.ask(&talk::get_task(task)).await;
            assert_eq!(text(&reply.document, "task-status"), status);
        }
    });
}
