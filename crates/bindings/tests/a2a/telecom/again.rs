//! A2A-T: what is said again.

use super::*;

/// A2A-T: what is said of a task by the id of its negotiation alone finds it when it is said again,
/// whatever became of it.
#[test]
fn what_names_a_negotiation_is_known_again() {
    let stage = Stage::new();
    let begun = |id: &str| {
        let prompt = energy("", "Energy consumption goal: 10%");
        ask(&stage, said(id, Family::Task, ENERGY, &prompt))["task"].clone()
    };
    let of = |task: &Value, id: &str, template: &str, word: &str, text: &str| {
        let mut message = of_negotiation(id, template, 1, word, text);
        message["metadata"]["negotiationContext"]["id"] = task["id"].clone();
        message
    };
    let one = begun("m-1");
    let supply = of(
        &one,
        "n-1",
        "Negotiation-T/information-negotiation/accept-reject/v1",
        "ACCEPT",
        "## Information Negotiation Result\nAccept\n\n\
         ## Information Negotiation Result Content\n1. Area: Haidian",
    );
    let other = begun("m-2");
    let mut propose = of(
        &other,
        "n-2",
        "Negotiation-T/target-negotiation/propose/v1",
        "PROPOSE",
        "## Target Negotiation\nx\n\n## Intent Understanding Statement\n1. Area: Haidian",
    );
    let whole = energy("Haidian", "Energy consumption goal: 10%");
    propose["metadata"][uri(Family::Task)] = whole.into();
    for (task, message) in [(one, supply), (other, propose)] {
        let done = ask(&stage, message.clone())["task"].clone();
        assert_eq!(
            (&done["id"], state(&done)),
            (&task["id"], "TASK_STATE_COMPLETED"),
            "{done}"
        );
        assert_eq!(ask(&stage, message)["task"]["id"], task["id"]);
    }
}
