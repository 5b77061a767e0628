//! An agent of a radio network that a telecom peer speaks with: it saves energy and reports incidents.
//!
//! More than thirty per cent are more than it can save: a feasibility is countered with thirty, or from
//! eighty on with thirty or ten; an assignment with the decision to try thirty. To save nothing makes it
//! ask why. Ordered to report, it has two incidents a second later.

use crate::stage::profile;
use domain::agent::{Agent, Ask, Input, Output, Progress};
use domain::content::{Content, Payload};
use domain::negotiation::{Kind, Speech, Stance};
use domain::profile::Profile;
use domain::reply::{Reason, Reply, Verdict};
use domain::task::{Task, TaskId};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use serde_json::json;

pub(crate) const RADIO: &str = "radio";
const MOST_PERCENT: f64 = 30.0;

#[derive(Default)]
pub(crate) struct Radio {
    orders: Vec<TaskId>,
}

pub(crate) fn radio() -> Profile {
    let taken = [
        "energy_saving_v1",
        "fault_diagnosis_v1",
        "fault_incident_v1",
    ];
    let mut profile = profile(RADIO, &taken);
    profile.domain = Some("Wireless".to_owned());
    profile
}

impl Agent for Radio {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(ask) => self.asked(&ask, now),
            Input::Woken(token) => self.incidents(token),
            _ => Vec::new(),
        }
    }
}

impl Radio {
    fn asked(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let payload = ask.content.payload.as_ref();
        match (ask.verb, payload.map(|it| it.schema_id.as_str())) {
            (Verb::TaskAssign, Some("fault_incident_v1")) => self.ordered(&ask.task, now),
            (Verb::TaskAssign, _) => assigned(ask),
            (Verb::FeasibilityNegotiate, _) => vec![Output::Answer(feasible(ask))],
            (Verb::FulfillmentNegotiate, _) => decided(ask),
            _ => vec![Output::Answer(Reply::accepted())],
        }
    }

    fn ordered(&mut self, task: &Task, now: Timestamp) -> Vec<Output> {
        self.orders.push(task.id.clone());
        let token = self.orders.len() as Token;
        let started = Content::new("Wireless", "watching");
        let watching = Progress::Working {
            percent: 0,
            content: started,
        };
        vec![
            Output::Answer(Reply::accepted()),
            report(&task.id, watching),
            Output::Wake {
                token,
                at: now + 1_000,
            },
        ]
    }

    fn incidents(&mut self, token: Token) -> Vec<Output> {
        let task = &self.orders[token as usize - 1];
        let told = [("i-1", "minor"), ("i-2", "critical")];
        let told = told.map(|(id, severity)| {
            let payload = Payload::new(
                "fault_incident_result_v1",
                json!({
                    "incident_id": id, "domain": "Wireless", "probable_cause": "mains-failure",
                    "severity": severity, "raised_at": "2026-05-01T00:00:00Z", "cleared": false,
                    "alarm_count": 1, "sites": ["site:BE-017"],
                    "first_alarm": {"resource": "site:BE-017", "type": "mains-failure",
                        "time": "2026-05-01T00:00:00Z"},
                }),
            );
            let content = Content::new("site:BE-017", format!("mains failed, {severity}"));
            let progress = Progress::Working {
                percent: 0,
                content: content.with_payload(payload),
            };
            report(task, progress)
        });
        told.into()
    }
}

fn report(task: &TaskId, progress: Progress) -> Output {
    Output::Report {
        task: task.clone(),
        progress,
    }
}

fn wanted(content: &Content) -> f64 {
    let payload = content.payload.as_ref();
    payload
        .and_then(|it| it.number("saving_target_percent"))
        .unwrap_or_default()
}

fn assigned(ask: &Ask) -> Vec<Output> {
    if ask
        .content
        .payload
        .as_ref()
        .is_some_and(|it| it.schema_id == "fault_diagnosis_v1")
    {
        let reasons = Reply::refused("unknown", "", "there is no such element");
        return vec![Output::Answer(reasons)];
    }
    let goal = ask
        .content
        .payload
        .as_ref()
        .and_then(|it| it.number("saving_target_percent"));
    if goal == Some(0.0) {
        let question = Content::new("energy", "why then?");
        return vec![Output::Answer(Reply::new(
            Verdict::InputRequired,
            vec![question],
        ))];
    }
    match wanted(&ask.content) > MOST_PERCENT {
        true => vec![
            Output::Answer(Reply::accepted()),
            Output::Speak {
                task: ask.task.id.clone(),
                kind: Kind::Fulfillment,
                speech: Speech::offer(lesser(&ask.content)),
            },
        ],
        false => {
            let done = vec![saved(&ask.content)];
            vec![Output::Answer(Reply::new(Verdict::Result, done))]
        }
    }
}

fn feasible(ask: &Ask) -> Reply {
    match ask.turn {
        Some((_, Stance::Offer)) if wanted(&ask.content) > MOST_PERCENT => Reply {
            reasons: vec![Reason {
                reason: "saving-target".to_owned(),
                path: "saving_target_percent".to_owned(),
                message: "the slowest users would get too little".to_owned(),
            }],
            ..Reply::new(Verdict::Offered, lesser(&ask.content))
        },
        _ => Reply::accepted(),
    }
}

/// Once it is agreed on, it is done; a refusal ends the task.
fn decided(ask: &Ask) -> Vec<Output> {
    let mut said = vec![Output::Answer(Reply::accepted())];
    let progress = match ask.turn {
        Some((Kind::Fulfillment, Stance::Refuse)) => {
            Progress::Failed(Content::new("energy", "less cannot be agreed on"))
        }
        _ => {
            let agreed = ask.task.plan.as_ref().unwrap_or(&ask.content);
            Progress::Result(saved(agreed))
        }
    };
    said.push(report(&ask.task.id, progress));
    said
}

/// What it can do instead, best first.
fn lesser(than: &Content) -> Vec<Content> {
    match wanted(than) < 80.0 {
        true => vec![less(than, MOST_PERCENT)],
        false => vec![less(than, MOST_PERCENT), less(than, 10.0)],
    }
}

fn less(of: &Content, percent: f64) -> Content {
    let mut payload = of.payload.clone().expect("an order");
    payload
        .values
        .insert("saving_target_percent".to_owned(), percent.into());
    Content::new(&of.target_object, "save less").with_payload(payload)
}

fn saved(of: &Content) -> Content {
    let area = of
        .payload
        .as_ref()
        .and_then(|it| it.text("area"))
        .unwrap_or("Haidian");
    let percent = wanted(of);
    Content::new(area, "saving").with_payload(Payload::new(
        "energy_saving_result_v1",
        json!({"status": "active", "area": area, "saving_percent": percent}),
    ))
}
