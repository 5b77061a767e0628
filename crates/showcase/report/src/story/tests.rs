//! Tasks, cases and outages are reconstructed from records.

use super::*;
use crate::invented::{alarm, answered, asked, minute, network, notification, record, run};
use crate::record::Moment;

fn at(minutes: f64, what: RecordedEvent) -> Moment {
    Moment {
        at: minute(minutes),
        what,
    }
}

fn of(moments: Vec<Moment>) -> Record {
    Record {
        run: run(),
        moments,
        truth: Vec::new(),
        score: None,
    }
}

#[test]
fn a_case_is_a_task_with_its_parts() {
    let cases = cases(&record());
    let told: Vec<_> = cases
        .iter()
        .map(|c| {
            (
                c.root.as_str(),
                c.tasks.join("+"),
                c.span.from,
                c.span.until,
                c.span.ending,
                c.lines.len(),
            )
        })
        .collect();
    let until = Some(minute(61.0));
    assert_eq!(
        told,
        [(
            "t1",
            "t1+t2".to_owned(),
            minute(12.0),
            until,
            Ending::Well,
            6
        )]
    );
    assert_eq!(cases[0].number("t2"), Some(2));
    assert_eq!(cases[0].span.title, "Where is it cut?");
}

#[test]
fn a_reply_belongs_to_the_last_message_in_the_other_direction() {
    let tasks = Tasks::of(&[
        at(0.0, asked(["a", "b"], "t1", None, "first")),
        at(1.0, asked(["a", "b"], "t2", None, "second")),
        at(2.0, answered(["b", "a"], "refused", "No.")),
        at(3.0, answered(["c", "a"], "refused", "Who asked?")),
    ]);
    assert_eq!(
        tasks.open().map(|(name, _)| name).collect::<Vec<_>>(),
        ["t1"]
    );
    assert_eq!(tasks.named("t2").unwrap().until, Some(minute(2.0)));
}

#[test]
fn a_refusal_is_taken_back_and_an_end_is_not() {
    let mut tasks = Tasks::of(&[
        at(0.0, asked(["a", "b"], "t", None, "Can you?")),
        at(1.0, answered(["b", "a"], "refused", "Not so.")),
        at(2.0, asked(["a", "b"], "t", None, "And so?")),
    ]);
    assert_eq!(tasks.named("t").unwrap().until, None);
    tasks.take(&at(3.0, notification(["b", "a"], "t", "failed")));
    tasks.take(&at(4.0, asked(["a", "b"], "t", None, "I take note.")));
    tasks.take(&at(5.0, answered(["b", "a"], "accepted", "Good.")));
    let task = tasks.named("t").unwrap();
    assert_eq!(
        (task.status.as_str(), task.until),
        ("failed", Some(minute(3.0)))
    );
}

#[test]
fn parts_that_name_each_other_end_the_search() {
    let tasks = Tasks::of(&[
        at(0.0, asked(["a", "b"], "t1", Some("t2"), "")),
        at(0.0, asked(["a", "b"], "t2", Some("t1"), "")),
        at(0.0, asked(["a", "b"], "t3", Some("t1"), "")),
        at(0.0, asked(["a", "b"], "t4", Some("elsewhere"), "")),
        at(0.0, asked(["a", "b"], "t5", Some("t5"), "")),
    ]);
    for name in ["t1", "t2", "t3"] {
        assert!(["t1", "t2"].contains(&tasks.root(name)), "{name}");
    }
    assert_eq!((tasks.root("t4"), tasks.root("t5")), ("t4", "t5"));
}

#[test]
fn faults_last_until_they_are_mended() {
    let faults = faults(&record());
    assert_eq!(faults.len(), 1);
    assert_eq!(
        (faults[0].span.from, faults[0].span.until),
        (minute(9.0), Some(minute(59.0)))
    );
    let mut unmended = record();
    unmended.truth.pop();
    assert_eq!(super::faults(&unmended)[0].span.ending, Ending::Open);
}

#[test]
fn sites_are_out_as_the_network_says_and_else_as_alarms_do() {
    let named = Outages::of(&record(), 99);
    assert!(named.told_by_network);
    assert_eq!(
        named.steps.iter().map(|s| s.out.len()).collect::<Vec<_>>(),
        [0, 1, 0]
    );
    assert_eq!(
        (named.worst(), named.by_site()["site:S-1"].as_slice()),
        (1, &[[1, 1]][..])
    );
    let unnamed = of(vec![
        at(1.0, alarm("site:S-1", false)),
        at(2.0, alarm("site:S-1", false)),
        at(3.0, alarm("site:N-1", false)),
        at(4.0, alarm("site:S-1", true)),
    ]);
    let alarmed = Outages::of(&unnamed, 99);
    assert!(!alarmed.told_by_network);
    let sites: Vec<_> = alarmed
        .steps
        .iter()
        .map(|s| s.out.iter().cloned().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(sites, ["", "site:S-1", "site:N-1 site:S-1", "site:N-1"]);
}

#[test]
fn of_many_steps_the_first_and_the_worst_stay() {
    let sizes = [1, 2, 1, 9, 8, 9, 3, 0];
    let ids: Vec<String> = (0..9).map(|n| format!("site:{n}")).collect();
    let moments = sizes.iter().enumerate().map(|(place, size)| {
        let out: Vec<&str> = ids[..*size].iter().map(String::as_str).collect();
        at(place as f64 + 1.0, network(&out, 0.0))
    });
    let thinned = Outages::of(&of(moments.collect()), 4);
    let kept: Vec<_> = thinned.steps.iter().map(|s| (s.at, s.count)).collect();
    assert_eq!(
        kept,
        [
            (minute(0.0), 0),
            (minute(4.0), 9),
            (minute(7.0), 3),
            (minute(8.0), 0)
        ]
    );
}
