//! The precedence of the forms of a message, and the warnings.

use super::*;
use crate::card::{AgentSkill, CardProfile};
use crate::intent::{INTENT_INFOS, SkillExtension};
use crate::message::{Part, Role};
use insta::assert_snapshot;
use schema::violation::{Code, PayloadViolation};
use serde_json::json;
use std::collections::BTreeMap;

/// Accepts objects under `power_v1` and `other_v1`, of at most 40 watts.
struct Anything;

impl Inputs for Anything {
    fn check(
        &self,
        schema: &str,
        data: &Map<String, Value>,
    ) -> Option<Result<(), Vec<PayloadViolation>>> {
        let watts = data.get("watts").and_then(Value::as_u64).unwrap_or(0);
        let too_much = PayloadViolation {
            path: "/watts".to_owned(),
            code: Code::Range,
            expected: "integer up to 40".to_owned(),
            found: Some(watts.to_string()),
        };
        let verdict = if watts > 40 {
            Err(vec![too_much])
        } else {
            Ok(())
        };
        ["power_v1", "other_v1"]
            .contains(&schema)
            .then_some(verdict)
    }

    fn names(&self) -> Vec<String> {
        vec!["other_v1".to_owned(), "power_v1".to_owned()]
    }
}

fn card() -> Card {
    let schema = json!({"type": "object", "properties": {"watts": {"type": "integer"}}, "required": ["watts"]});
    let mut card = Card::new("agent", "Does.", "1.0.0");
    card.skills.push(AgentSkill {
        id: "set-power".to_owned(),
        input_modes: vec!["text/plain".to_owned(), objects::mode("power_v1")],
        ..AgentSkill::default()
    });
    let schemas = BTreeMap::from([("power_v1".to_owned(), schema.clone())]);
    objects::declare(&mut card, &schemas, CardProfile::Schemas);
    let skill = SkillExtension {
        id: "set-power".to_owned(),
        input_schema: schema.as_object().expect("an object").clone(),
    };
    intent::declare(&mut card, &[skill]).expect("the card has it");
    card
}

fn told(parts: Vec<Part>, intents: Value, has_task: bool) -> String {
    let mut message = Message::new("m", Role::User, parts);
    message.metadata.insert(INTENT_INFOS.to_owned(), intents);
    let card = card();
    let intakes = Intakes::new(&card, &Anything).expect("a declaration");
    let intake = match intakes.read(&message, has_task, Map::new()) {
        Ok(intake) => intake,
        Err(refusal) => return format!("{} {refusal}", refusal.kind.code()),
    };
    let said = match intake.said {
        MessageForm::Typed { skill, input } => format!("typed {} for {skill:?}", input.schema),
        MessageForm::Intent {
            skill,
            schema,
            filled,
        } => {
            let payload = Value::Object(filled.payload.clone());
            let question = filled.question().unwrap_or_default();
            format!(
                "{skill} {} {payload} {question}",
                schema.unwrap_or_default()
            )
        }
        MessageForm::Asked(request) => format!("{:?}", request.method()),
        MessageForm::Payload(payload) => payload.to_json(),
        MessageForm::Words(words) => format!("words: {words}"),
    };
    format!("{said} {:?} {:?}", intake.passed_over, intake.warnings)
}

/// F2, F3, Q74: the order of precedence.
#[test]
fn typed_data_count_before_intents_before_payloads_before_words() {
    let typed = |schema: &str| objects::typed(schema, Map::new());
    let words = || Part::text("set it to 20");
    let payload = || Part::data(json!({"schema_id": "power_v1", "payload": {"watts": 20}}));
    let ask =
        |params: Value| Part::data(json!({"method": "get_schema_template", "params": params}));
    let slots = json!([{"name": "watts", "value": "20"}]);
    let power = json!([{"intent": "set-power", "slots": slots}, {"intent": "sing"}]);
    let sing = json!([{"intent": "sing"}]);
    let with = |value: &str| json!([{"intent": "set-power", "slots": [{"name": "watts", "value": value}]}]);
    let rows = [
        told(vec![words(), typed("power_v1")], json!([]), false),
        told(vec![words(), typed("power_v1")], power.clone(), false),
        told(vec![words(), typed("other_v1")], power.clone(), false),
        told(vec![words(), typed("power_v1")], sing.clone(), false),
        told(vec![words(), typed("power_v1")], json!([]), true),
        told(vec![words()], power.clone(), false),
        told(vec![words()], power, true),
        told(vec![words()], with("41"), false),
        told(vec![words()], with("much"), false),
        told(vec![words()], json!([{"intent": "set-power"}]), false),
        told(vec![words()], sing, false),
        told(vec![words(), payload()], json!([]), true),
        told(vec![ask(json!({"scenario": "power"}))], json!([]), false),
        told(vec![ask(json!({}))], json!([]), false),
        told(vec![words(), words()], json!([]), false),
        told(vec![words()], json!({}), false),
    ];
    assert_snapshot!(rows.join("\n"), @r#"
    typed power_v1 for Some("set-power") [] []
    typed power_v1 for Some("set-power") ["sing"] []
    -32602 skill 'set-power' does not take schema 'other_v1'
    typed power_v1 for Some("set-power") [] ["there is no skill sing"]
    -32004 structured input rejected: a task is already running
    set-power power_v1 {"watts":20}  ["sing"] []
    set-power power_v1 {"watts":20}  ["sing"] []
    set-power power_v1 {} Needed: watts: integer up to 40 is needed. [] []
    set-power power_v1 {} Needed: watts: integer is needed. [] []
    set-power power_v1 {} Needed: watts is missing. [] []
    words: set it to 20 [] ["there is no skill sing"]
    {"payload":{"watts":20},"schema_id":"power_v1"} [] []
    GetSchemaTemplate [] []
    -32602 Invalid parameters: scenario: scenario or schema_id is needed
    words: set it to 20
    set it to 20 [] []
    words: set it to 20 [] []
    "#);
}

/// Q71: an agent that does not declare the intent extension ignores its metadata, whatever their
/// form.
#[test]
fn intents_are_nothing_to_who_does_not_declare_them() {
    let mut card = card();
    card.extensions.retain(|it| it.uri != intent::URI);
    let mut message = Message::new("m", Role::User, vec![Part::text("hello")]);
    message.metadata.insert(INTENT_INFOS.to_owned(), json!(7));
    let intakes = Intakes::new(&card, &Anything).expect("no declaration");
    let intake = intakes.read(&message, false, Map::new()).expect("words");
    assert_eq!(intake.said, MessageForm::Words("hello".to_owned()));
}
