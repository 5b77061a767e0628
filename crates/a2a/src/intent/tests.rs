//! The intent extension by its own examples, and slots as a table.

use super::*;
use crate::jsonrpc;
use crate::request::A2aRequest;
use crate::wire;
use insta::assert_snapshot;
use serde_json::json;

/// The declaration, from the document.
const DECLARATION: &str = r#"{
  "capabilities": {
    "extensions": [
      {
        "uri": "https://help.aliyun.com/en/model-studio/multimodal-integration-a2a-intent",
        "params": {
          "skills": [
            {
              "id": "ai-calculate",
              "inputSchema": {
                "type": "object",
                "properties": {
                  "num1": {
                    "type": "integer",
                    "description": "The first number"
                  },
                  "num2": {
                    "type": "integer",
                    "description": "The second number"
                  }
                }
              }
            }
          ]
        }
      }
    ]
  }
}"#;

/// The call, from the document.
const CALL: &str = r#"{
  "jsonrpc": "2.0",
  "id": "request-1",
  "method": "message/send",
  "params": {
    "message": {
      "messageId": "msg-1",
      "kind": "message",
      "role": "user",
      "parts": [
        {
          "kind": "text",
          "text": "What is 101 plus 102?"
        }
      ],
      "metadata": {
        "intentInfos": [
          {
            "intent": "ai-calculate",
            "slots": [
              {
                "name": "num1",
                "value": "101",
                "normValue": "101"
              },
              {
                "name": "num2",
                "value": "102",
                "normValue": "102"
              }
            ]
          }
        ]
      }
    }
  }
}"#;

fn skills() -> Vec<SkillExtension> {
    let card = serde_json::from_str(DECLARATION).expect("JSON");
    declared(&wire::read_card(&card).expect("a card")).expect("a declaration")
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

fn slot(name: &str, value: &str) -> Slot {
    Slot {
        name: name.to_owned(),
        value: value.to_owned(),
        norm_value: None,
    }
}

/// I1, I2, I5: the declaration is read, and written as it was.
#[test]
fn the_declaration_of_the_document_is_read_and_written() {
    let skills = skills();
    assert_eq!(skills[0].id, "ai-calculate");
    assert_eq!(
        skills[0].input_schema["properties"]["num2"]["type"],
        "integer"
    );
    let mut card = Card::new("calculator", "Calculates.", "1.0.0");
    card.skills.push(crate::card::AgentSkill {
        id: "ai-calculate".to_owned(),
        ..crate::card::AgentSkill::default()
    });
    declare(&mut card, &skills).expect("the card has the skill");
    let written = wire::card(crate::version::Version::V10, &card);
    let given: Value = serde_json::from_str(DECLARATION).expect("JSON");
    assert_eq!(written["capabilities"], given["capabilities"]);
}

/// I3, I4: declarations that are refused.
#[test]
fn only_skills_of_the_card_are_declared() {
    let mut card = Card::new("a", "b", "1.0.0");
    let skills = skills();
    let unknown = DeclareError::UnknownSkill("ai-calculate".to_owned());
    assert_eq!(declare(&mut card, &skills), Err(unknown));
    card.skills.push(crate::card::AgentSkill {
        id: "ai-calculate".to_owned(),
        ..crate::card::AgentSkill::default()
    });
    let twice = [skills[0].clone(), skills[0].clone()];
    assert!(matches!(
        declare(&mut card, &twice),
        Err(DeclareError::Twice(_))
    ));
    let list = [SkillExtension {
        input_schema: object(json!({"type": "array"})),
        ..skills[0].clone()
    }];
    assert!(matches!(
        declare(&mut card, &list),
        Err(DeclareError::NotAnObject(_))
    ));
    assert!(card.extensions.is_empty());
}

/// I6 to I8, I12: the call is read and routed, and its slots are integers; written again, it is
/// unchanged.
#[test]
fn the_call_of_the_document_is_understood() {
    let call = jsonrpc::read(CALL.as_bytes(), None).expect("a request");
    let A2aRequest::SendMessage(sent) = &call.request else {
        panic!("a message")
    };
    assert_eq!(sent.message.words(), "What is 101 plus 102?");
    let said = infos(&sent.message.metadata).expect("intents");
    assert_eq!(write_infos(&said), sent.message.metadata);
    let Routing::To {
        info,
        input_schema,
        passed_over,
    } = route(said, &skills())
    else {
        panic!("a known skill");
    };
    assert!(passed_over.is_empty());
    let filled = fill(&input_schema, Map::new(), &info.slots);
    assert_eq!(
        Value::Object(filled.payload.clone()),
        json!({"num1": 101, "num2": 102})
    );
    assert!(filled.is_complete());
    let written = jsonrpc::write(
        &call.envelope.id,
        crate::version::Version::V03,
        None,
        &call.request,
    );
    let mut given: Value = serde_json::from_str(CALL).expect("JSON");
    given["params"]["configuration"] = json!({"blocking": true});
    assert_eq!(written, Ok(given), "but that we say what we wait for");
}

/// I6, Q71, Q76: no intents, the member under the URI, unknown members, and malformed ones.
#[test]
fn intents_are_found_under_both_names() {
    let one = json!([{"intent": "x", "confidence": 0.9}]);
    assert_eq!(infos(&Map::new()), Ok(Vec::new()));
    for metadata in [
        json!({INTENT_INFOS: one}),
        json!({URI: one}),
        json!({URI: {INTENT_INFOS: one}}),
    ] {
        assert_eq!(infos(&object(metadata)).expect("intents")[0].intent, "x");
    }
    for (wrong, place) in [
        (json!({INTENT_INFOS: 1}), "intentInfos: an array is needed"),
        (
            json!({INTENT_INFOS: [{}]}),
            "intentInfos[0].intent: is missing",
        ),
        (
            json!({INTENT_INFOS: [{"intent": "x", "slots": [{"name": "n"}]}]}),
            "intentInfos[0].slots[0].value: is missing",
        ),
    ] {
        assert_eq!(infos(&object(wrong)).expect_err(place).to_string(), place);
    }
}

/// Q72: the first known intent is chosen, the others are passed over; without a known one none is
/// chosen.
#[test]
fn the_first_known_intent_counts() {
    let info = |intent: &str| IntentInfo {
        intent: intent.to_owned(),
        slots: Vec::new(),
    };
    assert_eq!(route(Vec::new(), &skills()), Routing::None);
    let unknown = route(vec![info("sing")], &skills());
    assert_eq!(
        unknown,
        Routing::Unknown {
            intents: vec!["sing".to_owned()]
        }
    );
    let all = vec![info("sing"), info("ai-calculate"), info("dance")];
    let Routing::To {
        info, passed_over, ..
    } = route(all, &skills())
    else {
        panic!("known")
    };
    assert_eq!(
        (info.intent.as_str(), passed_over),
        ("ai-calculate", vec!["sing".to_owned(), "dance".to_owned()])
    );
}

fn filled(slots: &[Slot]) -> String {
    let schema = object(json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "ratio": {"type": "number"},
            "urgent": {"type": "boolean"},
            "name": {"type": "string"},
            "cells": {"type": "array", "items": {"type": "string"}},
            "ports": {"type": "array", "items": {"type": "integer"}},
            "where": {"type": "object"},
            "level": {"type": "string", "enum": ["High", "Low"]},
            "free": {},
            "other": {"type": ["string", "array"]},
        },
        "required": ["count"],
    }));
    let filled = fill(&schema, Map::new(), slots);
    let payload = Value::Object(filled.payload.clone());
    let question = filled.question().unwrap_or_default();
    format!("{payload} {question} {}", filled.warnings.join("; "))
}

/// I9 to I11, Q73: texts become values of their type, strictly; the rest is asked for or goes to
/// `other`.
#[test]
fn slots_become_values() {
    let normalised = Slot {
        norm_value: Some("7".to_owned()),
        ..slot("count", "seven")
    };
    let one = |name: &str, value: &str| filled(&[slot("count", "1"), slot(name, value)]);
    let told = [
        filled(&[]),
        filled(&[normalised]),
        filled(&[slot("count", "3.0")]),
        filled(&[slot("count", "3.5")]),
        filled(&[slot("count", "three")]),
        filled(&[slot("count", "9223372036854775808")]),
        filled(&[slot("count", "1"), slot("count", "2")]),
        filled(&[slot("count", "1"), slot("count", "two")]),
        one("ratio", "0.5"),
        one("ratio", "NaN"),
        one("urgent", "true"),
        one("urgent", "yes"),
        one("name", " 5 "),
        one("level", "high"),
        one("level", "middle"),
        one("where", "{\"x\":1}"),
        one("where", "here"),
        one("free", "anything"),
        one("cells", "[\"a\",\"b\"]"),
        filled(&[slot("count", "1"), slot("cells", "a"), slot("cells", "b")]),
        filled(&[slot("count", "1"), slot("ports", "1"), slot("ports", "x")]),
        one("colour", "red"),
        filled(&[
            slot("count", "1"),
            slot("colour", "red"),
            slot("other", "soon"),
            slot("size", "L"),
        ]),
    ];
    assert_snapshot!(told.join("\n"), @r#"
    {} Needed: count is missing. 
    {"count":7}  
    {"count":3}  
    {} Needed: count: integer is needed. 
    {} Needed: count: integer is needed. 
    {"count":9223372036854775808}  
    {"count":2}  count was said twice, the last one counts
    {} Needed: count: integer is needed. count was said twice, the last one counts
    {"count":1,"ratio":0.5}  
    {"count":1} Needed: ratio: number is needed. 
    {"count":1,"urgent":true}  
    {"count":1} Needed: urgent: boolean is needed. 
    {"count":1,"name":" 5 "}  
    {"count":1,"level":"High"}  
    {"count":1} Needed: level: one of "High", "Low" is needed. 
    {"count":1,"where":{"x":1}}  
    {"count":1} Needed: where: object is needed. 
    {"count":1,"free":"anything"}  
    {"cells":["a","b"],"count":1}  
    {"cells":["a","b"],"count":1}  
    {"count":1} Needed: ports: integer is needed. 
    {"count":1,"other":"colour: red"}  there is no parameter colour
    {"count":1,"other":["colour: red","soon","size: L"]}  there is no parameter colour; there is no parameter size
    "#);
}

/// Q75: earlier values are kept, completed and corrected.
#[test]
fn slots_complete_what_was_said_before() {
    let schema = object(json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }));
    let first = fill(&schema, Map::new(), &[slot("a", "1")]);
    assert_eq!(first.missing, ["b"]);
    assert_eq!(first.question().as_deref(), Some("Needed: b is missing."));
    let second = fill(&schema, first.payload, &[slot("b", "2"), slot("a", "3")]);
    assert!(second.is_complete());
    assert_eq!(Value::Object(second.payload), json!({"a": 3, "b": 2}));
}
