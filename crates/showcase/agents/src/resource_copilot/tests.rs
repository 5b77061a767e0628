//! Answers come from the inventory and the alarms of the moment.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{alarm, answer, assign, at, id, rng, started, task, word};
use domain::agent::Progress;
use domain::negotiation::{Kind, Stance};
use domain::telemetry::AlarmType;

fn guided(content: Content, alarms: &[(&str, AlarmType)]) -> GuidanceResult {
    let (mut agent, _) = started("resource-copilot");
    for (resource, alarm_type) in alarms {
        let alarm = Telemetry::Alarm(alarm(resource, *alarm_type, 5));
        agent.step(Input::Telemetry(alarm), at(6), &mut rng());
    }
    let outputs = agent.step(assign("t", content), at(10), &mut rng());
    GuidanceResult::in_content(&answer(&outputs).content[0]).unwrap()
}

#[test]
fn an_engineer_at_a_card_is_told_its_ports_and_alarms() {
    let guidance = Guidance {
        question: "what now?".into(),
        element: id("card:B/2"),
        cause: Some(Cause::CardFailure),
    };
    let content = Content::new("card:B/2", "what now?").with_payload(guidance.to_payload());
    let result = guided(
        content,
        &[
            ("link:B-b5", AlarmType::LinkDown),
            ("site:b5", AlarmType::SiteUnreachable),
        ],
    );
    assert_eq!(result.element, id("card:B/2"));
    assert!(result.steps[1].contains("3 ports: link:B-C, link:B-b5, link:B-b6"));
    assert!(result.steps.last().unwrap().contains("1 of 2 sites"));
    assert_eq!(result.alarms.len(), 1);
    assert!(result.alarms[0].starts_with("link-down on link:B-b5"));
}

#[test]
fn a_question_in_words_is_answered_from_the_inventory() {
    let result = guided(
        Content::new("field", "How do I repair duct B-1, please?"),
        &[],
    );
    assert_eq!(result.element, id("duct:B-1"));
    assert!(
        result.answer.contains("4 sites depend on it"),
        "{}",
        result.answer
    );
    assert!(result.answer.contains("No alarm stands"));
    assert!(
        result
            .steps
            .iter()
            .any(|s| s.starts_with("Splice link:B-b2 (access, card:B/1 to site:b2"))
    );
}

#[test]
fn what_is_unknown_is_asked_back() {
    let (mut agent, _) = started("resource-copilot");
    let outputs = agent.step(assign("t", Content::new("x", "hello")), at(1), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::InputRequired);
    assert_eq!(answer(&outputs).reasons[0].path, "target");
}

#[test]
fn rejected_it_goes_on_only_if_asked_about_something_else() {
    let (mut agent, _) = started("resource-copilot");
    let question = Content::new("field", "How do I repair duct B-1?").expecting("steps");
    let task = task("t", "operator", question, true);
    let mut rejected = |words: &str| {
        let no = Content::new("field", "Judgement").with_result(format!("reject\n- {words}"));
        let word = word(&task, no, (Kind::Result, Stance::Refuse));
        match agent.step(word, at(9), &mut rng()).pop() {
            Some(Output::Report { progress, .. }) => progress,
            other => panic!("{other:?}"),
        }
    };
    let Progress::Result(result) = rejected("I stand at card B/2, not at the duct") else {
        panic!("another element is another answer")
    };
    assert_eq!(
        GuidanceResult::in_content(&result).unwrap().element,
        id("card:B/2")
    );
    assert!(matches!(rejected("say more"), Progress::Failed(_)));
}
