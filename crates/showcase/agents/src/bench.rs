//! Small networks and messages for this crate's tests.

#![allow(clippy::unwrap_used)]

use crate::domain_agent::job::Measurements;
use crate::roster::ROSTER;
use domain::agent::{Agent, Ask, Briefing, Input, Output, Progress};
use domain::content::Content;
use domain::inventory::{Domain, Element, ElementId, ElementKind, Inventory, Link};
use domain::negotiation::{Kind, Stance};
use domain::profile::{Capability, Layer, Profile, Skill};
use domain::reply::Reply;
use domain::task::{Task, TaskId};
use domain::telemetry::{Alarm, AlarmType, Condition, Measurement, Severity};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use rand_chacha::rand_core::SeedableRng;
use std::sync::Arc;

pub(crate) const ZERO_MS: i64 = 1_745_245_140_000;

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_ms(ZERO_MS + seconds * 1_000)
}

pub(crate) fn id(text: &str) -> ElementId {
    ElementId::new(text)
}

pub(crate) fn rng() -> SeededRng {
    SeededRng::seed_from_u64(7)
}

pub(crate) fn alarm(resource: &str, alarm_type: AlarmType, seconds: i64) -> Alarm {
    Alarm {
        resource: id(resource),
        alarm_type,
        qualifier: String::new(),
        severity: Severity::Critical,
        time: at(seconds),
        cleared: false,
        text: String::new(),
    }
}

pub(crate) fn cleared(resource: &str, alarm_type: AlarmType, seconds: i64) -> Alarm {
    Alarm {
        cleared: true,
        ..alarm(resource, alarm_type, seconds)
    }
}

/// A network under construction.
pub(crate) struct Net(Inventory);

impl Net {
    /// Routers A (core), B and C in a triangle. At B: card 1 with ring b1-b2-b3 whose two router
    /// ends share duct B-1, spur b3-b4 off the ring; card 2 with spurs b5 and b6 and the link to C. Zone b powers b2
    /// and b5, zone bb the others. At A: card 1 with spur a1.
    pub(crate) fn town() -> Self {
        let mut net = Self(Inventory::default());
        for (router, place) in [("A", "Aachen"), ("B", "Bonn"), ("C", "Celle")] {
            net.element(
                ElementKind::Router,
                &format!("router:{router}"),
                None,
                place,
            );
            for card in 0..3 {
                let (name, parent) = (format!("card:{router}/{card}"), format!("router:{router}"));
                net.element(ElementKind::LineCard, &name, Some(&parent), place);
            }
        }
        for (zone, place) in [("a", "Aachen"), ("b", "Bonn"), ("bb", "Bonn")] {
            net.element(ElementKind::PowerZone, &format!("zone:{zone}"), None, place);
        }
        for (site, zone, place) in [
            ("a1", "a", "Aachen"),
            ("b1", "bb", "Bonn"),
            ("b2", "b", "Bonn"),
            ("b3", "bb", "Bonn"),
            ("b4", "bb", "Bonn"),
            ("b5", "b", "Bonn"),
            ("b6", "bb", "Bonn"),
        ] {
            let (name, parent) = (format!("site:{site}"), format!("zone:{zone}"));
            net.element(ElementKind::Site, &name, Some(&parent), place);
        }
        net.element(ElementKind::Duct, "duct:B-1", None, "Bonn");
        net.link("link:A-B", "card:A/0", "card:B/0", &[]);
        net.link("link:B-C", "card:B/2", "card:C/0", &[]);
        net.link("link:A-C", "card:A/0", "card:C/0", &[]);
        net.link("link:A-a1", "card:A/1", "site:a1", &[]);
        net.link("link:B-b1", "card:B/1", "site:b1", &["duct:B-1"]);
        net.link("link:b1-b3", "site:b1", "site:b3", &[]);
        net.link("link:b2-b3", "site:b2", "site:b3", &[]);
        net.link("link:B-b2", "card:B/1", "site:b2", &["duct:B-1"]);
        net.link("link:b3-b4", "site:b3", "site:b4", &[]);
        net.link("link:B-b5", "card:B/2", "site:b5", &[]);
        net.link("link:B-b6", "card:B/2", "site:b6", &[]);
        net.0.cores.insert(id("router:A"));
        net
    }

    pub(crate) fn inventory(self) -> Inventory {
        self.0
    }

    /// The same with its optical modules documented, each built into the end it is plugged in.
    pub(crate) fn with_optics(mut self) -> Self {
        let ends: Vec<(ElementId, ElementId)> = self
            .0
            .links
            .values()
            .flat_map(|l| {
                [
                    (l.optic_a.clone(), l.a.clone()),
                    (l.optic_b.clone(), l.b.clone()),
                ]
            })
            .collect();
        for (optic, end) in ends {
            let kind = ElementKind::Optic;
            self.element(kind, optic.as_str(), Some(end.as_str()), "Bonn");
        }
        self
    }

    fn element(&mut self, kind: ElementKind, name: &str, parent: Option<&str>, place: &str) {
        let domain = match kind {
            ElementKind::Site | ElementKind::PowerZone => Domain::Wireless,
            _ => Domain::Ip,
        };
        let element = Element {
            id: id(name),
            kind,
            domain,
            parent: parent.map(id),
            place: place.to_owned(),
            position: (7.1, 50.7),
            vendor: "Ardent".to_owned(),
            model: "X1".to_owned(),
        };
        self.0.elements.insert(id(name), element);
    }

    fn link(&mut self, name: &str, a: &str, b: &str, ducts: &[&str]) {
        self.element(ElementKind::Link, name, None, "Bonn");
        let link = Link {
            a: id(a),
            b: id(b),
            ducts: ducts.iter().map(|d| id(d)).collect(),
            length_km: 12.0,
            backbone: a.starts_with("card") && b.starts_with("card"),
            capacity_mbps: 10_000.0,
            optic_a: id(&(name.replace("link:", "optic:") + "/a")),
            optic_b: id(&(name.replace("link:", "optic:") + "/b")),
        };
        self.0.links.insert(id(name), link);
    }
}

/// The profiles, with what the tests need of them.
pub(crate) fn roster() -> Vec<Arc<Profile>> {
    let rows: [Row; 6] = [
        (
            "oss-fault",
            Layer::Service,
            "Wireless, IP",
            &["fault_diagnosis_v1"],
        ),
        WIRELESS_FAULT,
        IP_FAULT,
        (
            "trouble-ticket",
            Layer::Service,
            "Wireless, IP",
            &["fault_repair_v1", "trouble_ticket_v1"],
        ),
        SERVICE_COPILOT,
        (
            "resource-copilot",
            Layer::Resource,
            "IP",
            &["field_guidance_v1"],
        ),
    ];
    assert!(rows.len() <= ROSTER.len());
    let negotiates = Capability {
        negotiate: Some("acp-task-fulfillment-negotiation-v1.0".to_owned()),
        ..Capability::default()
    };
    let profile = |row| Profile {
        capability: negotiates.clone(),
        ..profile_of(row)
    };
    rows.into_iter().map(|row| Arc::new(profile(row))).collect()
}

/// An alias, where it works, and the schemas it takes.
pub(crate) type Row = (&'static str, Layer, &'static str, &'static [&'static str]);

pub(crate) const WIRELESS_FAULT: Row = (
    "wireless-fault",
    Layer::Resource,
    "Wireless",
    &[
        "fault_incident_v1",
        "fault_diagnosis_v1",
        "service_verification_v1",
    ],
);
pub(crate) const IP_FAULT: Row = (
    "ip-fault",
    Layer::Resource,
    "IP",
    &["fault_incident_v1", "fault_diagnosis_v1"],
);
pub(crate) const SERVICE_COPILOT: Row = (
    "service-copilot",
    Layer::Service,
    "Wireless, IP",
    &["fault_repair_v1"],
);

/// The profile of an agent, with what colleagues go by.
pub(crate) fn profile_of((alias, layer, domains, schemas): Row) -> Profile {
    Profile {
        name: format!("TMF-{alias}"),
        alias: Some(alias.to_owned()),
        description: String::new(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: String::new(),
        domain: Some(domains.to_owned()),
        management_object: None,
        layer,
        province: None,
        capability: Capability::default(),
        skills: vec![Skill {
            name: "s".to_owned(),
            schemas: schemas.iter().map(|s| (*s).to_owned()).collect(),
            ..Skill::default()
        }],
        authentication: vec![],
    }
}

pub(crate) fn briefing(alias: &str, open: Vec<Arc<Task>>) -> Briefing {
    let roster = roster();
    Briefing {
        own: roster
            .iter()
            .find(|p| p.alias.as_deref() == Some(alias))
            .cloned()
            .unwrap(),
        roster,
        inventory: Arc::new(Net::town().inventory()),
        open,
    }
}

/// A hosted agent of which every payload that it emits is held against its schema.
pub(crate) fn hosted(role: &str) -> Box<dyn Agent> {
    Box::new(Watched(crate::roster::hosted(role).unwrap()))
}

/// The law of all tests with agents: what an agent emits, the contract of its schema accepts, and
/// as it stands, in canonical form.
struct Watched(Box<dyn Agent>);

impl Agent for Watched {
    fn step(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        let outputs = self.0.step(input, now, rng);
        let payloads = outputs.iter().flat_map(said_in).filter_map(|c| c.payload);
        payloads.for_each(|payload| crate::payloads::tests::lawful(&payload));
        outputs
    }
}

/// Every content of an output.
pub(crate) fn said_in(output: &Output) -> Vec<Content> {
    match output {
        Output::Answer(reply) => reply.content.clone(),
        Output::Send { message, .. } => {
            let first = std::iter::once(&message.content);
            first.chain(&message.alternatives).cloned().collect()
        }
        Output::Report { progress, .. } => match progress {
            Progress::Working { content, .. }
            | Progress::Blocked(content)
            | Progress::InputRequired(content)
            | Progress::AuthRequired(content)
            | Progress::Result(content)
            | Progress::Failed(content)
            | Progress::Refused(content) => vec![content.clone()],
        },
        Output::Speak { speech, .. } => speech.contents.clone(),
        Output::Act { .. } | Output::Wake { .. } | Output::Note(_) => Vec::new(),
    }
}

/// A hosted agent that has been started at second 0, and what it did then.
pub(crate) fn started(role: &str) -> (Box<dyn Agent>, Vec<Output>) {
    let mut agent = hosted(role);
    let outputs = agent.step(Input::Started(briefing(role, vec![])), at(0), &mut rng());
    (agent, outputs)
}

pub(crate) fn task(name: &str, from: &str, content: Content, asynchronous: bool) -> Arc<Task> {
    let text = content.render();
    Arc::new(Task::assigned(
        TaskId::new(name),
        from,
        "me",
        text,
        content,
        asynchronous,
        at(0),
    ))
}

pub(crate) fn ask(verb: Verb, task: &Arc<Task>, content: Content) -> Input {
    let turn = (verb == Verb::FeasibilityNegotiate).then_some((Kind::Feasibility, Stance::Offer));
    said(verb, task, content, turn)
}

/// A word of the publisher, as a turn of a negotiation if it is one.
pub(crate) fn said(
    verb: Verb,
    task: &Arc<Task>,
    content: Content,
    turn: Option<(Kind, Stance)>,
) -> Input {
    Input::Asked(Ask {
        verb,
        task: Arc::clone(task),
        from: task.from.clone(),
        content,
        alternatives: Vec::new(),
        alternative: None,
        round: 1,
        turn,
    })
}

/// The word on a result, a decision or a plan.
pub(crate) fn word(task: &Arc<Task>, content: Content, turn: (Kind, Stance)) -> Input {
    said(Verb::FulfillmentNegotiate, task, content, Some(turn))
}

pub(crate) fn assign(name: &str, content: Content) -> Input {
    let task = task(name, "TMF-oss-fault", content.clone(), true);
    ask(Verb::TaskAssign, &task, content)
}

/// The one answer among outputs.
pub(crate) fn answer(outputs: &[Output]) -> &Reply {
    let mut answers = outputs.iter().filter_map(|o| match o {
        Output::Answer(reply) => Some(reply),
        _ => None,
    });
    let answer = answers.next().expect("an answer is owed");
    assert!(answers.next().is_none(), "one answer only");
    answer
}

/// True if a task is reported to have failed.
pub(crate) fn failed(output: &Output) -> bool {
    let Output::Report { progress, .. } = output else {
        return false;
    };
    matches!(progress, Progress::Failed(_))
}

/// An element, how it was found, and its readings.
pub(crate) type Readings<'a> = (&'a str, Condition, &'a [(&'a str, f64)]);

pub(crate) fn measured(rows: &[Readings<'_>]) -> Measurements {
    let rows = rows.iter().map(|(element, condition, readings)| {
        let readings = readings.iter().map(|(n, v)| ((*n).to_owned(), *v));
        let measurement = Measurement {
            element: id(element),
            condition: *condition,
            readings: readings.collect(),
        };
        (id(element), measurement)
    });
    rows.collect()
}

/// The publisher's word on what was offered in a feasibility.
pub(crate) fn word_on_feasibility(task: &Arc<Task>, agreed: bool) -> Input {
    let stance = if agreed {
        Stance::Accept
    } else {
        Stance::Refuse
    };
    let turn = Some((Kind::Feasibility, stance));
    said(Verb::FeasibilityNegotiate, task, task.content.clone(), turn)
}

/// The briefing that an agent of a drill is given at its start.
pub(crate) fn briefing_of(drill: &crate::drill::Drill, alias: &str) -> Briefing {
    drill.briefing(&format!("TMF-{alias}"))
}
