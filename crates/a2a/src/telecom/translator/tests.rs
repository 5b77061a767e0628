//! Prompts become payloads and payloads prompts; what lacks is asked for.

use super::*;
use crate::telecom::markdown::Section;
use crate::telecom::negotiation::{Context, NegotiationMessage, ask, supply};
use crate::telecom::shipped::shipped;
use insta::assert_snapshot;
use proptest::prelude::*;
use proptest::string::string_regex;
use schema::template::{Format, KeyType};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

pub(crate) fn translator(name: &str) -> Translator {
    let template = shipped()
        .into_iter()
        .find(|t| t.template_uri.contains(name));
    let template = template.expect("a shipped template");
    let schema = schema::shipped::template(&template.schema_id).expect("a shipped schema");
    Translator::new(template, schema).expect("they fit")
}

pub(crate) fn all() -> &'static [Translator] {
    static ALL: LazyLock<Vec<Translator>> = LazyLock::new(|| {
        let names = shipped().into_iter().map(|t| t.template_uri);
        names.map(|name| translator(&name)).collect()
    });
    &ALL
}

/// Every shipped template fits its schema, and no label of a section is two things.
#[test]
fn shipped_templates_fit_their_schemas() {
    for translator in all() {
        for part in &translator.template.sections {
            let labels: Vec<&str> = part.fields().iter().flat_map(|f| f.labels.all()).collect();
            let mut unique = labels.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(
                labels.len(),
                unique.len(),
                "{} {:?}",
                translator.uri(),
                part.title.en
            );
        }
    }
}

/// Values of a shape, from its constraints alone.
fn values(shape: &Shape) -> BoxedStrategy<Value> {
    let constraint = shape.constraint.clone();
    if !constraint.allowed.is_empty() {
        return prop::sample::select(constraint.allowed).boxed();
    }
    let bound = |number: &Option<serde_json::Number>, default: f64| {
        number
            .as_ref()
            .and_then(serde_json::Number::as_f64)
            .unwrap_or(default)
    };
    let (low, high) = (
        bound(&constraint.minimum, -1e6),
        bound(&constraint.maximum, 1e6),
    );
    match shape.key_type {
        KeyType::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        KeyType::Integer => (low as i64..=high as i64).prop_map(Value::from).boxed(),
        KeyType::Number => prop_oneof![
            (low..=high).prop_map(Value::from),
            (low as i64..=high as i64).prop_map(Value::from)
        ]
        .boxed(),
        KeyType::Array => {
            let item = constraint
                .items
                .map_or_else(|| Shape::of(KeyType::String), |item| *item);
            prop::collection::vec(values(&item), 1..4)
                .prop_map(Value::from)
                .boxed()
        }
        KeyType::Object => {
            let members = constraint.properties.into_iter().map(|p| {
                let name = p.name.clone();
                values(&p.shape).prop_map(move |value| (name.clone(), value))
            });
            let members: Vec<_> = members.collect();
            members
                .prop_map(|members| Value::Object(members.into_iter().collect()))
                .boxed()
        }
        KeyType::String | KeyType::Any => text(&constraint.format, &constraint.pattern),
    }
}

fn text(format: &Option<Format>, pattern: &Option<String>) -> BoxedStrategy<Value> {
    let regex = match (format, pattern) {
        (Some(Format::DateTime), _) => "20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:[0-5][0-9]:00Z",
        (Some(Format::Date), _) => "20[0-9]{2}-0[1-9]-1[0-9]",
        (_, Some(pattern)) => pattern,
        _ => "[A-Za-z ,.;:\"'{}#|\\-\\n为是：；。、区域中文]{1,24}|[a-z]{1,8}|\\PC{1,12}",
    };
    string_regex(regex)
        .expect("a pattern")
        .prop_map(Value::from)
        .boxed()
}

/// A payload that the schema accepts, in canonical form.
pub(crate) fn payload(
    translator: &Translator,
) -> impl Strategy<Value = Map<String, Value>> + use<> {
    let keys = translator.schema.keys.iter().map(|key| {
        let (name, required) = (key.key_name.clone(), key.required);
        let value = match name == OTHER {
            true => prop::collection::vec("\\PC{1,20}|[a-z:;\"]{1,9}", 1..3)
                .prop_map(Value::from)
                .boxed(),
            false => values(&key.shape),
        };
        (any::<bool>(), value)
            .prop_map(move |(there, value)| (there || required).then(|| (name.clone(), value)))
    });
    let keys: Vec<_> = keys.collect();
    let contract = translator.contract.clone();
    keys.prop_filter_map("accepted", move |pairs| {
        let values = pairs.into_iter().flatten().collect();
        contract
            .accept(values, schema::contract::Unknown::Reject)
            .ok()
            .map(|a| a.effective())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A2A-T: every payload of every scenario has a prompt that reads as itself, in both languages,
    /// keys that the template does not know included.
    #[test]
    fn reading_undoes_writing(
        (at, values) in (0..4usize).prop_flat_map(|at| (Just(at), payload(&all()[at]))),
        text_language in prop::sample::select(TextLanguage::ALL.to_vec()),
    ) {
        let translator = &all()[at];
        let prompt = translator.write(&values, text_language);
        let reading = translator.read(&prompt).map_err(|e| TestCaseError::fail(format!("{e}\n{prompt}")))?;
        let read = reading.settle().map_err(|q| TestCaseError::fail(format!("{q:#?}\n{prompt}")))?;
        prop_assert_eq!(reading.text_language(), text_language);
        prop_assert_eq!(read.effective(), values, "{}", prompt);
    }

    /// All that a peer sends is read, asked back or refused; nothing panics.
    #[test]
    fn any_prompt_is_answered(
        body in "([A-Za-z ]{1,12}[:;,. ]{0,2}|\\n|\\n## Task (Object|Context|Target)\\n|Area: |[0-9%\"{}\\[~:]{1,6}){0,30}",
    ) {
        for translator in all() {
            if let Ok(reading) = translator.read(&format!("## Task Object\n{body}")) {
                let _ = reading.settle();
            }
        }
    }
}

/// The outcome of reading: the payload, or the questions.
fn told(translator: &Translator, prompt: &str) -> String {
    let reading = match translator.read(prompt) {
        Ok(reading) => reading,
        Err(cause) => return format!("error: {cause}"),
    };
    match reading.payload() {
        Ok(payload) => Value::Object(payload.values).to_string(),
        Err(questions) => {
            let asked = questions.iter().map(|q| {
                let line = q
                    .line
                    .map(|line| format!(" line {line}"))
                    .unwrap_or_default();
                format!(
                    "? [{}{line}] {}: {}",
                    q.section,
                    q.label,
                    q.words(reading.text_language())
                )
            });
            asked.collect::<Vec<_>>().join("\n")
        }
    }
}

/// A2A-T: an energy-saving task in the layout that the SDK renders, in English and Chinese.
#[test]
fn energy_saving_as_peers_write_it() {
    let translator = translator("ran-energy-saving");
    let english = "## Operation Type\n\nCreate\n\n## Task Type\n\nWireless network energy saving\n\n\
        ## Task Description\n\nWith <Task Object> and <Task Context>, make a plan that reaches <Task Target>.\n\n\
        ## Task Object\n\nThe area is the Old Harbour quarter.\n\n## Task Target\n\nEnergy consumption goal: 30.0%\n\n\
        ## Task Context\n\nCell RAT for energy saving: NR; Energy saving time range: start time \"01:00:00\", \
        end time \"05:30:00\"; Rate guarantee goal: 10Mbps.\n\n## Expected Output\n";
    assert_snapshot!(told(&translator, english), @r#"{"action":"activate","area":"Old Harbour quarter","end_time":"05:30","min_throughput_mbps":10,"other":"Cell RAT for energy saving: NR","saving_target_percent":30,"start_time":"01:00"}"#);
    let chinese = "## 操作类型(Operation Type)\n\n修改\n\n## 任务类型(Task Type)\n\n无线网络节能\n\n\
        ## 任务描述(Task Description)\n\n基于<任务对象>和<任务上下文>给出方案。\n\n\
        ## 任务对象(Task Object)\n\n区域为海淀区。\n\n## 任务目标(Task Target)\n\n能耗目标：15%\n\n\
        ## 任务上下文(Task Context)\n\n节能的小区制式：NR；需要节能的时间范围：起始时间“01:00:00”，结束时间“05:30:00”；\
        分时段速率保障目标：{00:00~06:00,2Mbps}、{06:00~18:00,10Mbps}。\n\n## 预期输出(Expected Output)\n";
    assert_snapshot!(told(&translator, chinese), @r#"{"action":"adjust","area":"海淀区","end_time":"05:30","other":["节能的小区制式: NR","分时段速率保障目标: {00:00~06:00,2Mbps}、{06:00~18:00,10Mbps}"],"saving_target_percent":15,"start_time":"01:00"}"#);
}

/// A2A-T: what stands behind a value on the same line is an item of its own, and kept; another value of
/// the same field is asked back.
#[test]
fn a_line_of_two_items_is_two_items() {
    let translator = translator("ran-energy-saving");
    let prompt = |context: &str| format!("## Task Object\nHaidian\n## Task Context\n{context}");
    assert_snapshot!(told(&translator, &prompt("Rate guarantee goal: 5Mbps; backup power 10h")), @r#"{"area":"Haidian","min_throughput_mbps":5,"other":"backup power 10h"}"#);
    assert_snapshot!(told(&translator, &prompt("速率保障目标：5Mbps；备电10小时。")), @r#"{"area":"Haidian","min_throughput_mbps":5,"other":"备电10小时"}"#);
    assert_snapshot!(told(&translator, &prompt("Time range: 01:00~06:00; gently; Energy saving technique: deep sleep; at weekends")), @r#"{"area":"Haidian","end_time":"06:00","other":["gently","at weekends"],"start_time":"01:00","technique":"deep_sleep"}"#);
    assert_snapshot!(told(&translator, &prompt("Time range: start time 01:00; end time 05:30")), @r#"{"area":"Haidian","end_time":"05:30","start_time":"01:00"}"#);
    assert_snapshot!(told(&translator, &prompt("Rate guarantee goal: 5Mbps; 6Mbps")), @"? [Task Context line 4] Rate guarantee goal: The downlink throughput that each user keeps at the least. (one value; e.g. at least 5 Mbit/s; not 5 and 6)");
}

/// A2A-T: a complaint, its fields in sentences and in a list; synonyms are data.
#[test]
fn complaints_as_peers_write_them() {
    let translator = translator("private-line-complaint");
    let sentences = "## Task Type\nTransport private line service complaint diagnosis\n\n\
        ## Task Object\nAccess port name: P180-SZ-PTN7900-23-TPA1EG24-17\n\n\
        ## Task Context\nFault phenomenon: private line interruption. Fault sequence number: event-id-20260511-09013";
    assert_snapshot!(told(&translator, sentences), @r#"{"complaint_id":"event-id-20260511-09013","place":"P180-SZ-PTN7900-23-TPA1EG24-17","service":"private_line","symptom":"no_service"}"#);
    let list = "## Task Object\nPrivate line name: SZ_Line_100M\n\n## Task Context\n\
        1. Complaint category: \"Service packet loss\"\n2. Problem occurrence time: 2026-05-16T08:21:46Z\n\
        3. OSS-side event sequence number: event-7\n4. Complaint details: since 8:30, slow; very slow\n\n\
        ## Terminology Explanation\n1. Private line interruption\n   - Synonyms: no service\n\n## Weather\nrain";
    let table = "## Task Object\n| field | value |\n|---|---|\n| Place | Haidian |\n\n\
        ## Task Context\nComplaint category:\n```\nservice down\n```";
    assert_snapshot!(told(&translator, table), @r#"{"place":"Haidian","service":"private_line","symptom":"no_service"}"#);
    assert_snapshot!(told(&translator, list), @r#"{"complaint_id":"event-7","other":["Complaint details: since 8:30, slow; very slow","Weather: rain"],"place":"SZ_Line_100M","service":"private_line","started_at":"2026-05-16T08:21:46Z","symptom":"intermittent"}"#);
}

/// A2A-T: what lacks or cannot be is asked for precisely, never guessed.
#[test]
fn what_lacks_or_is_wrong_is_asked_for() {
    let translator = translator("ran-energy-saving");
    let prompt = "## Operation Type\nExplode\n## Task Target\nEnergy consumption goal: much\n\
        ## Task Context\nRate guarantee goal: 5Mbps\nRate guarantee goal: 6Mbps\nLoad limit: 400%";
    assert_snapshot!(told(&translator, prompt), @r"
    ? [Operation Type line 2] Operation type: What to do with energy saving. (one of: Create, Modify, Resume, Suspend; e.g. save energy; not Explode)
    ? [Task Context line 7] Rate guarantee goal: The downlink throughput that each user keeps at the least. (one value; e.g. at least 5 Mbit/s; not 5 and 6)
    ? [Task Target line 4] Energy consumption goal: By how much energy consumption is to fall against no saving at all. (a number in %, percent, per cent, ％; e.g. by 15%; not much)
    ? [Task Object] Area: Where: a district, a town, a power zone or a site. (string of at most 200 characters; e.g. in Haidian)
    ? [Task Context line 8] Load limit: The cell load up to which a cell may save energy (3GPP TS 28.310). (integer from 0 to 100; e.g. while the load is below 30%; not 400)
    ");
    let other = "## Task Type\nBackup power management\n## Task Object\nx";
    assert_snapshot!(told(&translator, other), @"error: section 'Task Type', line 1: the task type of Task-T/network-layer/ran-energy-saving/v1 is 'Wireless network energy saving', not 'Backup power management'");
    assert_snapshot!(told(&translator, "Create it"), @"error: line 1: text before the first section");
}

/// A2A-T: information negotiation: the question names the item, the answer completes the task.
#[test]
fn an_answer_completes_the_task() {
    let translator = translator("ran-energy-saving");
    let mut reading = translator
        .read("## Operation Type\nCreate")
        .expect("a prompt");
    let questions = reading.payload().expect_err("the area lacks");
    let context = Context {
        id: "7d8c7b00-3c8c-4f8e-9b1e-9b17b6a3e5c3".to_owned(),
        round: 1,
        max_rounds: 5,
        performative: None,
    };
    let asked = ask(&questions, &context, reading.text_language());
    assert_snapshot!(asked.text, @r"
    ## Information Negotiation
    Please supply what <Required Information Items> lists.

    ## Required Information Items
    1. Area: Where: a district, a town, a power zone or a site. (string of at most 200 characters; e.g. in Haidian)
    ");
    let heard = NegotiationMessage::read(&asked.template_uri, &asked.context, &asked.text)
        .expect("a message");
    assert_eq!(heard.items()[0].0, "Area");
    let answer = supply(
        &[("Area".to_owned(), "Haidian".to_owned())],
        &context,
        TextLanguage::English,
    );
    assert_snapshot!(answer.text, @r"
    ## Information Negotiation Result
    Accept

    ## Information Negotiation Result Content
    1. Area: Haidian
    ");
    let answer = NegotiationMessage::read(&answer.template_uri, &answer.context, &answer.text)
        .expect("a message");
    let work = ReadingBudget::within(Effort::any());
    let rest = answer.supply(&mut reading, &work);
    assert_eq!(rest, Ok(Vec::new()));
    let content = reading.content().expect("complete");
    assert_eq!(content.target_object, "Haidian");
    let payload = content.payload.expect("a payload");
    assert_eq!(
        Value::Object(payload.values),
        json!({"action": "activate", "area": "Haidian"})
    );
}

/// Draft-zhou §6.2: keys that a schema has learnt since travel without a change of the template.
#[test]
fn learnt_keys_travel_by_their_names() {
    let template = shipped()
        .into_iter()
        .find(|t| t.schema_id == "energy_saving_v1")
        .expect("shipped");
    let mut schema = schema::shipped::template("energy_saving_v1").expect("shipped");
    let mut learnt = schema.keys[1].clone();
    learnt.key_name = "spare_hospitals".to_owned();
    schema.keys.insert(1, learnt);
    let translator = Translator::new(template, schema).expect("they fit");
    let values = json!({"action": "activate", "area": "Haidian", "spare_hospitals": "all of them"});
    let Value::Object(values) = values else {
        unreachable!("a literal object")
    };
    let prompt = translator.write(&values, TextLanguage::English);
    assert_snapshot!(prompt, @r#"
    ## Operation Type
    Create

    ## Task Type
    Wireless network energy saving

    ## Task Description
    Save energy in the radio network of <Task Object> within the bounds of <Task Context>, as far as <Task Target> asks, and report as <Expected Output> says.

    ## Task Object
    Haidian

    ## Expected Output
    - Whether the goal is reached
    - The saving reached, as a percentage
    - The rate that the slowest users get
    - What to adjust if a goal is out of reach

    ## Further Parameters
    - spare_hospitals: "all of them"
    "#);
    let read = translator
        .read(&prompt)
        .expect("a prompt")
        .payload()
        .expect("complete");
    assert_eq!(read.values, values);
}

/// A template that is for another schema, or names what is not there, is not bound.
#[test]
fn templates_are_held_to_their_schemas() {
    let template = shipped().remove(0);
    let misfit = |template: &TelecomTemplate, schema: &str| {
        let schema = schema::shipped::template(schema).expect("shipped");
        Translator::new(template.clone(), schema)
            .expect_err("a misfit")
            .to_string()
    };
    let other = misfit(&template, "energy_saving_v1");
    let mut wrong = template.clone();
    wrong.target = "colour".to_owned();
    let unknown = misfit(&wrong, "fault_diagnosis_v1");
    assert_snapshot!(format!("{other}\n{unknown}"), @r"
    template Task-T/network-layer/fault-diagnosis/v1 is for fault_diagnosis_v1, not for energy_saving_v1
    template Task-T/network-layer/fault-diagnosis/v1 names the key 'colour', which fault_diagnosis_v1 does not have
    ");
    TelecomTemplate::parse("{}").expect_err("no template");
}

/// A2A-T: templates as peers keep them: markdown with slots, and the JSON Schema of the slots.
#[test]
fn templates_are_published_with_slots() {
    let translator = translator("fault-diagnosis");
    assert_snapshot!(translator.markdown(TextLanguage::English), @r"
    ## Task Type
    Network fault diagnosis

    ## Task Description
    Find the root cause of the fault at <Task Object> with what <Task Context> says, and report as <Expected Output> says.

    ## Task Object
    {{task_object}} (required)
    Network element: The element to look at, as kind:name; the kind is router, card, link, duct, site, zone, optic or cell.

    ## Task Context
    {{task_context}} (optional)
    Suspected cause: How it may have failed; without it, the cause that is usual for such an element.
    Incident list: The incidents that made someone ask.
    Sites out of service: The base-station sites out of service.
    Fault occurrence time: Since when service is impaired.

    ## Expected Output
    Whether a root cause was found
    The root cause and where it is
    Repair suggestions
    ");
    let slots = translator.slots(TextLanguage::Chinese);
    assert_snapshot!(serde_json::to_string_pretty(&slots).expect("JSON"), @r#"
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "additionalProperties": false,
      "properties": {
        "任务上下文": {
          "description": "怀疑原因：怀疑的故障原因；不填则按该类网元的常见原因诊断。\n故障事件列表：引起诊断的故障事件编号。\n退服站点：退服的基站站点。\n故障发生时间：业务受影响的起始时间。",
          "type": "string"
        },
        "任务对象": {
          "description": "网元：要诊断的网元，写作“类型:名称”；类型为router（路由器）、card（板卡）、link（链路）、duct（管道）、site（站点）、zone（供电区）、optic（光模块）或cell（小区）。",
          "type": "string"
        }
      },
      "required": [
        "任务对象"
      ],
      "type": "object"
    }
    "#);
}

/// A2A-T: a result as the section that its prompt expects.
#[test]
fn results_are_told_in_words() {
    let schema = schema::shipped::template("energy_saving_result_v1").expect("shipped");
    let values =
        json!({"status": "active", "area": "Haidian", "saving_percent": 12.5, "cells_saving": 7});
    let Value::Object(values) = values else {
        unreachable!("a literal object")
    };
    assert_snapshot!(outcome(&schema, &values, TextLanguage::English), @r"
    ## Expected Output
    - How energy saving stands: active
    - Where: Haidian
    - How many cells save energy now (3GPP TS 28.310, isEnergySaving): 7
    - By how much energy consumption fell: 12.5 %
    ");
    assert_snapshot!(outcome(&schema, &values, TextLanguage::Chinese), @r"
    ## 预期输出(Expected Output)
    - 节能的当前状态：active
    - 实施区域：Haidian
    - 当前处于节能状态的小区数（3GPP TS 28.310，isEnergySaving）：7
    - 能耗的实际降低比例：12.5 %
    ");
}

/// A value cannot speak for another field, nor open a section.
#[test]
fn values_stay_in_their_place() {
    let translator = translator("ran-energy-saving");
    let area = "x; Energy consumption goal: 99%\n## Task Target\nEnergy consumption goal: 99%";
    let Value::Object(values) = json!({"action": "activate", "area": area}) else {
        unreachable!("a literal object")
    };
    let prompt = translator.write(&values, TextLanguage::English);
    let read = translator
        .read(&prompt)
        .expect("a prompt")
        .payload()
        .expect("complete");
    assert_eq!(read.values, values);
    assert_eq!(Section::new("x").saying(area).lines().len(), 1);
}
