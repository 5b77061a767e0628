//! The authorisation matrix: every RPC, node and operation, for every user, over every binding.
//!
//! The expected permissions are computed from the rules and the compiled model
//! (`rights/reference.rs`), by code that shares nothing with the platform's; the actual ones are
//! obtained from the platform through its bindings, in memory (`rights/stage.rs`). Records contain
//! unique words, so that a leak is found wherever it occurs. MCP and forms have no data path of
//! their own, which is checked in their sources and pages. Read next: `engine`'s `access`.
#![allow(clippy::unwrap_used, unreachable_pub)]

#[path = "rights/alike.rs"]
mod alike;
#[path = "rights/blind.rs"]
mod blind;
#[path = "rights/operations.rs"]
mod operations;
#[path = "rights/reference.rs"]
mod reference;
#[path = "rights/stage.rs"]
mod stage;

use reference::Reference;
use serde_json::json;
use stage::{Asked, CONTEXT, DATA, ENDPOINTS, Stage, TASK, WAYS, WORDS, Way, refused};
use std::collections::BTreeSet;

/// Every element in `get`, `get-data`, a path and RESTCONF is permitted, or an ancestor of one; and every
/// permitted leaf that an administrator sees is shown.
#[test]
fn every_node_is_shown_to_whom_the_rules_permit_it_and_to_nobody_else() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let mut shown = 0;
    for endpoint in ENDPOINTS {
        let all = stage.get("operator", endpoint);
        for user in reference.users() {
            for (road, data) in stage.whole(&user.name, endpoint) {
                let leaves = reference.leaves(&data);
                for (path, _) in reference.elements(&data) {
                    let may = reference.may_see(&user, &path);
                    assert!(may, "{road} at {endpoint} shows {path} to {}", user.name);
                    shown += 1;
                }
                for (path, _) in reference.leaves(&all) {
                    let hidden = reference.is_of_rows(&path) || !reference.may_read(&user, &path);
                    let of_agents = user.agent && endpoint.ends_with("-ems");
                    let there = hidden || of_agents || leaves.iter().any(|(p, _)| *p == path);
                    assert!(
                        there,
                        "{road} at {endpoint} hides {path} from {}",
                        user.name
                    );
                }
            }
        }
    }
    assert!(shown > 10_000, "{shown} elements were looked at");
}

/// Records of others are shown by `get`, `get-data`, a path, RESTCONF and a general XPath to users for whom
/// the rules permit their nodes, and to no agent that is no party to them.
#[test]
fn every_record_is_shown_by_its_nodes_to_whom_they_are_for() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let rows = stage.rows();
    for endpoint in ["platform", "ip"] {
        let all = stage.get("operator", endpoint);
        let places = reference.leaves(&all);
        for user in reference.users() {
            for (road, data) in stage.whole(&user.name, endpoint) {
                for row in &rows {
                    let of_row = |(path, text): &&(String, String)| {
                        text.contains(&row.word) && reference.may_read(&user, path)
                    };
                    let permitted = places.iter().any(|leaf| of_row(&leaf));
                    let may = permitted && (!user.agent || row.is_of(&user.name));
                    let does = data.contains(&row.word);
                    let id = &row.id;
                    assert_eq!(does, may, "{road} at {endpoint}, {}: {id}", user.name);
                }
            }
            let found = stage.xpath(&user.name, endpoint);
            for row in rows.iter().filter(|row| found.contains(&row.word)) {
                let may = !user.agent || row.is_of(&user.name);
                assert!(
                    may,
                    "an XPath at {endpoint} shows {} to {}",
                    row.id, user.name
                );
                assert!(stage.get(&user.name, endpoint).contains(&row.word));
            }
        }
    }
}

/// A session of the console is told to whom the rules permit its nodes, of those to whose it is and to administrators.
#[test]
fn every_session_of_the_console_is_told_to_whose_it_is_and_to_administrators() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let mut told = 0;
    for user in reference.users() {
        for (road, data) in stage.whole(&user.name, "platform") {
            let leaves = reference.leaves(&data);
            let shown = |owner: &str| {
                let is_user = |path: &str| path.ends_with("/console-session/user");
                leaves
                    .iter()
                    .any(|(path, text)| is_user(path) && text == owner)
            };
            for owner in ["operator", "guest", "ada"] {
                let may = !user.agent && (user.name == owner || user.name == "operator");
                assert_eq!(shown(owner), may, "{road}, {}: of {owner}", user.name);
                told += usize::from(may);
            }
        }
    }
    assert!(told > 5, "{told}");
}

/// RPCs, A2A and pushes give records to their parties, if these may speak of tasks, and to users
/// for whom the rules permit all nodes of them.
#[test]
fn every_record_is_told_whole_to_whom_it_is_for() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let rows = stage.rows();
    for user in reference.users() {
        let name = &user.name;
        let told = |kind: &'static str, row: &stage::Row| reference.is_told(&user, kind, row);
        let asks = |rpc| reference.may_execute(&user, "convoke-registry", rpc, false);
        let (tasks, context) = (stage.all_tasks(name), stage.all_context(name));
        for row in rows.iter().filter(|row| row.kind == TASK) {
            let id = &row.id;
            let may = asks("get-tasks") && told(TASK, row);
            assert_eq!(tasks.contains(&row.word), may, "get-tasks, {name}: {id}");
            let may = asks("get-context") && told(CONTEXT, row);
            assert_eq!(
                context.contains(&row.word),
                may,
                "get-context, {name}: {id}"
            );
        }
        // What is only proposed, teams and data are none of theirs who may not know of them.
        for row in rows.iter().filter(|row| row.kind != TASK) {
            let id = &row.id;
            let listed = tasks.contains(&row.word);
            assert!(!listed || told(TASK, row), "get-tasks, {name}: {id}");
            let said = context.contains(&row.word);
            assert!(!said || told(CONTEXT, row), "get-context, {name}: {id}");
        }
        for endpoint in ["platform", "ip"] {
            assert_a2a(&stage, &reference, &user, endpoint);
        }
        let speaks = reference.may_execute(&user, "irtf-agent", "task-negotiate", false);
        let reads = reference.may_execute(&user, "convoke-data", "data-read", false);
        for row in &rows {
            let (id, word) = (&row.id, &row.word);
            let expected: Vec<(&str, bool)> = match row.kind {
                TASK => vec![("taskResultQuery", speaks && told(TASK, row))],
                DATA => vec![("data-read", reads && reference.is_told_of_data(&user, row))],
                _ => continue,
            };
            for (road, may) in expected {
                let answer = stage.tell(road, name, id);
                let does = match road {
                    "data-read" => answer.contains(word.as_str()),
                    _ => !refused(&answer),
                };
                assert_eq!(does, may, "{road}, {name}: {id}: {answer}");
                assert!(
                    may || !answer.contains(word.as_str()),
                    "{road}, {name}: {id}"
                );
            }
        }
    }
}

/// Tasks are counted for users who may execute `count-tasks`: those that they are told, whomever they
/// ask for.
#[test]
fn every_count_is_of_what_is_told() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let rows = stage.rows();
    let mut counted = 0;
    for user in reference.users() {
        for party in [None, Some("operator"), Some("ip"), Some("nobody")] {
            let reply = stage.count_tasks(&user.name, party);
            let may = reference.may_execute(&user, "convoke-registry", "count-tasks", false);
            assert_eq!(!refused(&reply), may, "{}: {reply}", user.name);
            let told = rows.iter().filter(|row| {
                row.kind == TASK
                    && party.is_none_or(|party| row.is_of(party))
                    && reference.is_told(&user, TASK, row)
            });
            let count = told.count();
            let says = reply.contains(&format!(">{count}</count>"));
            assert_eq!(says, may, "{}, {party:?}: {count}: {reply}", user.name);
            counted += usize::from(may);
        }
    }
    assert!(counted > 10, "{counted} counts");
}

/// Asserts access over A2A, in both versions over both of its bindings, at an endpoint.
fn assert_a2a(stage: &Stage, reference: &Reference, user: &reference::User, endpoint: &str) {
    let (rows, name) = (stage.rows(), &user.name);
    for way in WAYS {
        let listed = stage.by_at(way, endpoint, name, Asked::List);
        assert_eq!(listed.is_none(), way == Way::Rpc03, "{way:?}");
        for row in rows.iter().filter(|row| row.kind == TASK) {
            let may = row.is_at(endpoint) && reference.is_told(user, TASK, row);
            let id = &row.id;
            if let Some(listed) = &listed {
                let is_listed = listed.text.contains(&format!("\"id\":\"{id}\""));
                assert_eq!(
                    is_listed, may,
                    "{way:?} list at {endpoint}, {name}: {id}: {listed:?}"
                );
                // What was said stands in the history, which is of the context.
                let may = may && reference.is_told(user, CONTEXT, row);
                let is_said = listed.text.contains(&row.word);
                assert_eq!(is_said, may, "{way:?} list, {name}: {id}");
            }
            for asked in [Asked::Get(id), Asked::Subscribe(id), Asked::Push(id)] {
                let answer = stage.by_at(way, endpoint, name, asked).unwrap();
                assert_eq!(
                    !answer.failed, may,
                    "{way:?} {asked:?} at {endpoint}, {name}: {answer:?}"
                );
                assert!(
                    may || !answer.text.contains(row.word.as_str()),
                    "{answer:?}"
                );
            }
        }
        // What is only proposed, teams and data are none of theirs who may not know of them.
        let others = |row: &&stage::Row| row.kind != TASK && !reference.is_told(user, CONTEXT, row);
        for row in rows.iter().filter(others) {
            for asked in [
                Asked::Get(&row.id),
                Asked::Subscribe(&row.id),
                Asked::Push(&row.id),
            ] {
                let answer = stage.by_at(way, endpoint, name, asked).unwrap();
                let told = answer.text.contains(&row.word);
                assert!(!told, "{way:?} {asked:?} at {endpoint}, {name}: {answer:?}");
            }
            let listed = listed.iter().any(|listed| listed.text.contains(&row.word));
            assert!(!listed, "{way:?} list at {endpoint}, {name}: {}", row.id);
        }
    }
}

/// Live and in replay, at every endpoint: notifications go to users who may receive them, and to
/// agents only if they are party to them.
#[test]
fn every_notification_is_told_to_whom_it_is_for() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    for replayed in [false, true] {
        for endpoint in ENDPOINTS {
            for user in reference.users() {
                let heard = stage.hear(&user.name, endpoint, replayed);
                for (module, name, text) in &heard {
                    let may = reference.may_receive(&user, module, name);
                    assert!(may, "{endpoint} tells {name} to {}", user.name);
                    for row in stage.rows().iter().filter(|row| text.contains(&row.word)) {
                        let own = !user.agent || row.is_of(&user.name);
                        assert!(own, "{endpoint} tells {} to {}", row.id, user.name);
                    }
                }
                let (module, name) = ("irtf-agent", "condition-notifications");
                for row in stage.rows() {
                    let told = heard
                        .iter()
                        .any(|(_, of, text)| of == name && text.contains(&row.word));
                    let may = reference.may_receive(&user, module, name)
                        && row.is_heard(&user.name, endpoint, replayed);
                    let (id, name) = (&row.id, &user.name);
                    assert_eq!(told, may, "{endpoint}, replayed {replayed}, {name}: {id}");
                }
            }
        }
    }
}

/// Every RPC of the model is `access-denied` to users to whom the rules deny it, at every endpoint
/// that offers it, before its content is validated.
#[test]
fn every_rpc_is_executed_for_whom_the_rules_permit_it_and_for_nobody_else() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let mut cells = 0;
    for endpoint in ENDPOINTS {
        for (module, rpc, guarded) in reference.rpcs() {
            if rpc == "close-session" {
                continue;
            }
            let namespace = reference.namespace_of(&module);
            let empty = format!("<{rpc} xmlns='{namespace}'/>");
            for user in reference.users() {
                let reply = stage.call(&user.name, endpoint, &empty);
                if reply.contains("<error-tag>operation-not-supported<") {
                    continue;
                }
                let denied = reply.contains("may not execute &lt;");
                let may = reference.may_execute(&user, &module, &rpc, guarded);
                // Agents are let in at the management systems of their own domain alone.
                let kept_out = user.agent && endpoint.ends_with("-ems");
                assert!(
                    denied != may || (denied && kept_out),
                    "{rpc} at {endpoint}, {}: {reply}",
                    user.name
                );
                cells += 1;
            }
        }
    }
    assert!(cells > 500, "{cells} cells");
}

/// Reports of a task continue for a publisher that may receive them, and changes are pushed to
/// owners who may be told them: for the task that they are about, and for no other.
#[test]
fn reports_and_pushes_are_for_whom_they_are_about() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let (reported, pushed) = stage.deliveries();
    for (task, publisher) in &reported {
        let user = reference.user(publisher);
        let (module, name) = ("irtf-agent", "condition-notifications");
        assert!(reference.may_receive(&user, module, name), "{task}");
    }
    assert!(
        reported
            .iter()
            .any(|(_, publisher)| publisher == "operator")
    );
    assert!(!reported.iter().any(|(_, publisher)| publisher == "speaker"));
    let rows = stage.rows();
    for (task, owner) in &pushed {
        let row = rows.iter().find(|row| row.id == *task).unwrap();
        assert!(
            reference.is_told(&reference.user(owner), TASK, row),
            "{task}, {owner}"
        );
    }
    let owners: BTreeSet<&str> = pushed.iter().map(|(_, owner)| owner.as_str()).collect();
    assert!(
        owners.contains("operator") && owners.contains("speaker"),
        "{owners:?}"
    );
}

/// A denied list of tasks over A2A is in the audit trail: user, operation and reason.
#[test]
fn a_list_that_is_denied_is_on_record() {
    let stage = Stage::new();
    let denied = stage.by(Way::Rpc10, "guest", Asked::List).unwrap();
    assert!(denied.failed, "{denied:?}");
    let told = stage.denials("guest");
    assert_eq!(told, ["read tasks: no rule permits it"]);
}

/// Forms and cards are public, so that no record is in them; MCP is a client of NETCONF.
#[test]
fn what_is_for_everybody_tells_of_no_record() {
    let mut stage = Stage::new();
    for page in stage.public() {
        assert!(!page.contains(WORDS), "{page}");
    }
    let mcp = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/convoke/src/mcp");
    for file in std::fs::read_dir(mcp).unwrap() {
        let path = file.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        for inside in ["engine::", "bindings::", "store::", "server::host"] {
            assert!(!source.contains(inside), "{} uses {inside}", path.display());
        }
    }
}

/// A user who may only execute `task-negotiate` can list its own tasks, and query no other's.
#[test]
fn who_may_only_speak_hears_of_his_own_tasks_alone() {
    let mut stage = Stage::new();
    assert!(refused(&stage.all_tasks("speaker")));
    let listed = stage.by(Way::Rpc10, "speaker", Asked::List).unwrap().text;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let ids: Vec<&str> = listed["result"]["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["t-speaker"]);
    assert_eq!(listed["result"]["totalSize"], json!(1));
    let reply = stage.tell("taskResultQuery", "speaker", "t-operator");
    assert!(reply.contains("<error-tag>data-missing<"), "{reply}");
    let reply = stage.tell("taskResultQuery", "speaker", "t-speaker");
    assert!(!refused(&reply), "{reply}");
}
