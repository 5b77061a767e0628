//! The object-schemas extension by its own examples (§1 to §4), and its flow as a table.

use super::*;
use crate::card::document;
use crate::message::Role;
use crate::task::TaskState;
use crate::version::{Dialect, Version};
use crate::wire;
use insta::assert_snapshot;
use schema::violation::Code;

/// The card of §1, from the document.
const CARD: &str = r#"{
  "capabilities": {
    "extensions": [
      {
        "uri": "https://raw.githubusercontent.com/facultyai/a2a-extension-object-schemas/refs/heads/main/v1",
        "description": "Allow more deterministic invoking of tasks by providing JSON input corresponding to a provided schema"
      }
    ]
  },
  "schemas": {
    "fightComparison": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "a": {
          "description": "The name of the first contestant",
          "type": "string"
        },
        "b": {
          "description": "The name of the second contestant",
          "type": "string"
        }
      },
      "required": ["a", "b"],
      "additionalProperties": false
    },
    "fightResponse": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "winner": {
          "title": "Winner",
          "description": "The name of the winner of the fight",
          "type": "string"
        },
        "probability": {
          "title": "Probability",
          "description": "The probability of the winner winning the fight",
          "type": "number",
          "minimum": 0,
          "maximum": 1
        },
        "explanation": {
          "title": "Explanation",
          "description": "A freeform field justifying the reason for choosing the winner",
          "type": "string"
        }
      },
      "required": ["winner", "probability", "explanation"],
      "additionalProperties": false
    }
  },
  "skills": [
    {
      "id": "fight-comparison",
      "name": "Fight Comparison",
      "description": "Determines who would win in a hypothetical fight between two contestants. Requires a data payload with two fields: \"a\" (first contestant) and \"b\" (second contestant). Returns the winner, probability of victory, and an explanation.",
      "inputModes": ["text/plain", "application/json;schema=fightComparison"],
      "outputModes": ["text/plain", "application/json;schema=fightResponse"],
      "examples": [
        "{\"a\": \"Superman\", \"b\": \"Batman\"}",
        "{\"a\": \"Lion\", \"b\": \"Tiger\"}",
        "{\"a\": \"Godzilla\", \"b\": \"King Kong\"}"
      ],
      "tags": ["comparison", "fight", "ai-analysis", "prediction"]
    }
  ]
}"#;

/// The message of §2.
const MESSAGE: &str = r#"{
  "kind": "message",
  "messageId": 1,
  "role": "user",
  "parts": [
    {
      "kind": "data",
      "data": {
        "a": "100 duck sized horses",
        "b": "1 horse sized duck"
      },
      "metadata": {
        "mimeType": "application/json;schema=fightComparison"
      }
    }
  ]
}"#;

/// The task of §4.
const TASK: &str = r#"{
  "id": "a20a3b55-799a-4eeb-b9dc-f68014b7f031",
  "kind": "task",
  "contextId": "0d94b771-6b14-41a0-8425-89533e3edbf5",
  "status": {
    "state": "completed",
    "timestamp": "2025-12-15T08:36:24.728Z"
  },
  "history": [
    {
      "kind": "message",
      "messageId": "79948407-2588-4add-b823-5a890285ca6f",
      "role": "user",
      "contextId": "0d94b771-6b14-41a0-8425-89533e3edbf5",
      "parts": [
        {
          "kind": "data",
          "data": {
            "a": "Lion",
            "b": "Tiger"
          },
          "metadata": {
            "mimeType": "application/json;schema=fightComparison"
          }
        }
      ],
      "taskId": "a20a3b55-799a-4eeb-b9dc-f68014b7f031"
    }
  ],
  "metadata": {
    "title": "Who would win in a fight between Lion and Tiger?"
  },
  "artifacts": [
    {
      "artifactId": "fight-result",
      "parts": [
        {
          "kind": "data",
          "data": {
            "winner": "Tiger",
            "probability": 0.65,
            "explanation": "Tigers are generally larger and heavier than lions, with stronger muscle mass and more powerful forelimbs. In a one-on-one encounter, a tiger's solitary hunting habits also give it an advantage in terms of stealth and strength."
          },
          "metadata": {
            "mimeType": "application/json;schema=fightResponse"
          }
        }
      ]
    }
  ]
}"#;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the example is JSON")
}

fn card() -> Card {
    wire::read_card(&json(CARD)).expect("the example is a card")
}

/// Checks like the schema `fightComparison`: `a` and `b`, strings, nothing else.
struct Fights;

impl Inputs for Fights {
    fn check(
        &self,
        schema: &str,
        data: &Map<String, Value>,
    ) -> Option<Result<(), Vec<PayloadViolation>>> {
        let violation = |name: &str, code| PayloadViolation {
            path: format!("/{name}"),
            code,
            expected: "string".to_owned(),
            found: data.get(name).map(Value::to_string),
        };
        let missing = ["a", "b"]
            .into_iter()
            .filter(|name| !data.contains_key(*name));
        let missing = missing.map(|name| violation(name, Code::Missing));
        let unknown = data
            .keys()
            .filter(|name| !["a", "b"].contains(&name.as_str()));
        let unknown = unknown.map(|name| violation(name, Code::Unknown));
        let all: Vec<PayloadViolation> = missing.chain(unknown).collect();
        let verdict = if all.is_empty() { Ok(()) } else { Err(all) };
        (schema == "fightComparison").then_some(verdict)
    }

    fn names(&self) -> Vec<String> {
        vec!["fightComparison".to_owned()]
    }
}

/// Accepts nothing, and knows an agent that accepts `duel`.
struct Nothing;

impl Inputs for Nothing {
    fn check(&self, _: &str, _: &Map<String, Value>) -> Option<Result<(), Vec<PayloadViolation>>> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn takers(&self, schema: &str) -> Vec<String> {
        let known = ["lion", "tiger"].map(str::to_owned);
        known.into_iter().filter(|_| schema == "duel").collect()
    }
}

/// The refusal of an agent without typed input says so, and names the agents that accept the
/// schema.
#[test]
fn who_takes_none_says_so_and_names_who_does() {
    let told = |schema: &str| {
        let message = Message::new("m", Role::User, vec![fight(schema, json!({}))]);
        match structured(&message, &Nothing) {
            Structured::Wrong(wrong) => wrong.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_snapshot!(told("duet"), @"schema 'duet' is not declared as input; this agent takes none");
    assert_snapshot!(
        told("duel"),
        @"schema 'duel' is not declared as input; this agent takes none; it is known to lion, tiger"
    );
}

/// F1, F4, F8, Q68: the declarations of the card of §1.
#[test]
fn the_card_of_the_document_is_read() {
    let card = card();
    let schemas = declared(&card);
    assert_eq!(
        schemas.keys().collect::<Vec<_>>(),
        ["fightComparison", "fightResponse"]
    );
    assert_eq!(
        schemas["fightResponse"]["properties"]["probability"]["maximum"],
        1
    );
    assert_eq!(
        inputs(&card).into_iter().collect::<Vec<_>>(),
        ["fightComparison"]
    );
    let skill = skill_of(&card, "fightComparison").expect("a skill takes it");
    assert_eq!(skill.id, "fight-comparison");
    assert_eq!(response_schema(skill).as_deref(), Some("fightResponse"));
    assert_eq!(skill_of(&card, "fightResponse"), None);
    assert_eq!(skill.examples[1], r#"{"a": "Lion", "b": "Tiger"}"#);
}

/// F5, F8, Q60: written again, the members of §1 are unchanged, and the schemas are parameters of
/// the extension as well; in the strict profile only there.
#[test]
fn a_card_declares_its_schemas_in_both_places() {
    let mut card = card();
    let schemas = declared(&card);
    declare(&mut card, &schemas, CardProfile::Schemas);
    let served = document::served(&card, CardProfile::Schemas);
    let given = json(CARD);
    assert_eq!(served["schemas"], given["schemas"]);
    assert_eq!(served["skills"], given["skills"]);
    let extension = &served["capabilities"]["extensions"][0];
    assert_eq!(
        extension["uri"],
        given["capabilities"]["extensions"][0]["uri"]
    );
    assert_eq!(extension["params"]["schemas"], given["schemas"]);
    let strict = document::served(&card, CardProfile::Strict);
    assert_eq!(strict.get("schemas"), None);
    assert_eq!(
        strict["capabilities"]["extensions"][0]["params"]["schemas"],
        given["schemas"]
    );
    assert_eq!(
        declared(&wire::read_card(&strict).expect("a card")),
        schemas
    );
}

/// F4: schemas at the root of a card that does not declare the extension are ignored.
#[test]
fn undeclared_schemas_are_none() {
    let mut card = card();
    card.extensions.clear();
    assert!(declared(&card).is_empty());
}

/// F9, F10, F11, Q63: the message of §2, whose identifier is a number.
#[test]
fn the_message_of_the_document_is_input() {
    let message = wire::read_message(Dialect::V03, &json(MESSAGE)).expect("a message");
    assert_eq!(message.message_id, "1");
    let Structured::Input { part: 0, input } = structured(&message, &Fights) else {
        panic!("it is input");
    };
    assert_eq!(input.schema, "fightComparison");
    assert_eq!(input.data["b"], "1 horse sized duck");
    let mut given = json(MESSAGE);
    given["messageId"] = "1".into();
    assert_eq!(
        wire::message(Dialect::V03, &message),
        given,
        "and is written as it came"
    );
    let mut new = json(MESSAGE);
    new["role"] = "ROLE_USER".into();
    let refused = wire::read_message(Dialect::V10, &new).expect_err("v1.0 wants a string");
    assert_eq!(refused.to_string(), "messageId: a string is needed");
}

/// F25, F26, A14: the task of §4 is read, and written member by member as in the document.
#[test]
fn the_task_of_the_document_is_read_and_written() {
    let task = wire::read_task(Dialect::V03, &json(TASK)).expect("a task");
    assert_eq!(task.status.state, TaskState::Completed);
    assert_eq!(wire::task(Dialect::V03, &task), json(TASK));
    let artifact = &task.artifacts.as_ref().expect("artifacts")[0];
    assert_eq!(
        schema_of(&artifact.parts[0]).as_deref(),
        Some("fightResponse")
    );
    let PartContent::Data(Value::Object(data)) = &artifact.parts[0].content else {
        panic!("data");
    };
    assert_eq!(typed("fightResponse", data.clone()), artifact.parts[0]);
    let new = wire::task(Dialect::V10, &task);
    assert_eq!(
        new["artifacts"][0]["parts"][0]["mediaType"],
        "application/json;schema=fightResponse"
    );
    assert_eq!(wire::read_task(Dialect::V10, &new), Ok(task));
}

/// F4: the card of §1 is read from its form in each version.
#[test]
fn the_card_survives_both_versions() {
    for version in Version::ALL {
        assert_eq!(wire::read_card(&wire::card(version, &card())), Ok(card()));
    }
}

fn fight(schema: &str, data: Value) -> Part {
    Part::data(data).of_type(mode(schema))
}

fn good() -> Part {
    fight("fightComparison", json!({"a": "x", "b": "y"}))
}

fn turn(parts: Vec<Part>, has_task: bool) -> String {
    let message = Message::new("m", Role::User, parts);
    match structured(&message, &Fights).decide(has_task) {
        NextAction::Free => "free".to_owned(),
        NextAction::Begin(input) => format!("begin with {} {}", input.schema, input.data.len()),
        NextAction::Refuse(error) => {
            let fields = error
                .violations
                .iter()
                .map(|it| format!("\n    {}: {}", it.field, it.description));
            format!(
                "{} {error}{}",
                error.kind.code(),
                fields.collect::<String>()
            )
        }
    }
}

/// F12 to F15, F18, F19, F24, Q62: the flow of §3, row by row, without and with a task.
#[test]
fn the_flow_is_that_of_the_document() {
    let bad = || fight("fightComparison", json!({"a": "x", "c": "z"}));
    let two = || {
        let mut part = good();
        let metadata = &mut part.metadata;
        metadata.insert("mimeType".to_owned(), mode("fightResponse").into());
        part
    };
    let words = || Part::text("{}").of_type(mode("fightComparison"));
    let rows: [(&str, Vec<Part>); 12] = [
        ("no flagged part", vec![Part::text("hello")]),
        (
            "plain json",
            vec![Part::data(json!({"a": 1})).of_type("application/json")],
        ),
        ("words are never flagged", vec![words()]),
        ("valid", vec![good()]),
        ("valid behind words", vec![Part::text("hello"), good()]),
        (
            "written otherwise",
            vec![
                Part::data(json!({"a": "x", "b": "y"}))
                    .of_type("Application/JSON; charset=utf-8; Schema=\"fightComparison\""),
            ],
        ),
        ("undeclared", vec![fight("duel", json!({}))]),
        (
            "declared for output alone",
            vec![fight("fightResponse", json!({}))],
        ),
        ("invalid", vec![bad()]),
        ("no object", vec![fight("fightComparison", json!([1]))]),
        ("two schemas", vec![two()]),
        (
            "the first counts, though a later one is valid",
            vec![bad(), good()],
        ),
    ];
    let told = rows.map(|(name, parts)| {
        let [without, with] = [false, true].map(|has_task| turn(parts.clone(), has_task));
        format!("{name}\n  new: {without}\n  running: {with}")
    });
    assert_snapshot!(told.join("\n"), @r#"
    no flagged part
      new: free
      running: free
    plain json
      new: free
      running: free
    words are never flagged
      new: free
      running: free
    valid
      new: begin with fightComparison 2
      running: -32004 structured input rejected: a task is already running
    valid behind words
      new: begin with fightComparison 2
      running: -32004 structured input rejected: a task is already running
    written otherwise
      new: begin with fightComparison 2
      running: -32004 structured input rejected: a task is already running
    undeclared
      new: -32005 schema 'duel' is not declared as input; declared are: fightComparison
        message.parts[0]: schema 'duel' is not declared as input; declared are: fightComparison
      running: -32004 structured input rejected: a task is already running
    declared for output alone
      new: -32005 schema 'fightResponse' is not declared as input; declared are: fightComparison
        message.parts[0]: schema 'fightResponse' is not declared as input; declared are: fightComparison
      running: -32004 structured input rejected: a task is already running
    invalid
      new: -32602 the data do not keep to schema 'fightComparison'
        message.parts[0].data/b: /b: string is missing
        message.parts[0].data/c: /c: string is needed, not "z"
      running: -32004 structured input rejected: a task is already running
    no object
      new: -32602 the data of schema 'fightComparison' are no object
        message.parts[0]: the data of schema 'fightComparison' are no object
      running: -32004 structured input rejected: a task is already running
    two schemas
      new: -32602 the part names two schemas, 'fightComparison' and 'fightResponse'
        message.parts[0]: the part names two schemas, 'fightComparison' and 'fightResponse'
      running: -32004 structured input rejected: a task is already running
    the first counts, though a later one is valid
      new: -32602 the data do not keep to schema 'fightComparison'
        message.parts[0].data/b: /b: string is missing
        message.parts[0].data/c: /c: string is needed, not "z"
      running: -32004 structured input rejected: a task is already running
    "#);
}

/// Q67: valid names of schemas.
#[test]
fn names_are_short_and_plain() {
    for (name, fits) in [
        ("fightComparison", true),
        ("fault_diagnosis_v1", true),
        ("a.b-c", true),
        ("", false),
        ("a b", false),
        ("ä", false),
        (&"x".repeat(64), true),
        (&"x".repeat(65), false),
    ] {
        assert_eq!(is_name(name), fits, "{name}");
    }
}

/// F15, Q69: contracts of the platform check input, and report violations with pointers.
#[test]
fn our_contracts_are_inputs() {
    let template = schema::read::template(
        r#"{"schema_id": "power_v1", "scenario": "power", "keys": [
            {"key_name": "watts", "key_type": "integer", "required": true,
             "semantic_description": {"en": "Transmit power in watts."}, "minimum": 1}]}"#,
        schema::lint::TemplateOrigin::Peer,
    );
    let template = template.expect("a template").template;
    let contract = Contract::new(&template).expect("usable");
    let inputs = BTreeMap::from([("power_v1".to_owned(), contract)]);
    let message = |data| Message::new("m", Role::User, vec![fight("power_v1", data)]);
    let verdict = |data| structured(&message(data), &inputs).decide(false);
    assert!(matches!(
        verdict(json!({"watts": 20})),
        NextAction::Begin(_)
    ));
    let NextAction::Refuse(refusal) = verdict(json!({"watts": "20"})) else {
        panic!("a string is no integer");
    };
    assert_eq!(refusal.violations[0].field, "message.parts[0].data/watts");
}
