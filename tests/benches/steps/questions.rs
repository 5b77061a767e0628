//! The questions for each agent: in everyday words, and in the payloads of its schemas.
//!
//! The words are those of the examples in the shipped profiles. Every question is about another
//! element, in an order that jumps through the network.

use domain::cause::Cause;
use domain::content::{Content, Payload};
use domain::inventory::{ElementId, ElementKind, Inventory};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Every kind of element.
const KINDS: [ElementKind; 8] = [
    ElementKind::Router,
    ElementKind::LineCard,
    ElementKind::Link,
    ElementKind::Duct,
    ElementKind::Site,
    ElementKind::PowerZone,
    ElementKind::Optic,
    ElementKind::Cell,
];
/// A stride coprime to any number of elements.
const STRIDE: usize = 7_919;

/// The elements that questions name.
pub(crate) struct Elements {
    ids: BTreeMap<ElementKind, Vec<ElementId>>,
    towns: Vec<String>,
}

impl Elements {
    pub(crate) fn of(inventory: &Inventory) -> Self {
        let of_kind = |kind| {
            let elements = inventory.of_kind(kind);
            elements.map(|e| e.id.clone()).collect::<Vec<_>>()
        };
        let routers = inventory.of_kind(ElementKind::Router);
        Self {
            ids: KINDS
                .into_iter()
                .map(|kind| (kind, of_kind(kind)))
                .collect(),
            towns: routers.map(|r| r.place.clone()).collect(),
        }
    }

    fn id(&self, kind: ElementKind, n: usize) -> &str {
        let ids = &self.ids[&kind];
        ids[n * STRIDE % ids.len()].as_str()
    }

    /// The identifier without its kind, as in everyday words.
    fn name(&self, kind: ElementKind, n: usize) -> &str {
        let id = self.id(kind, n);
        id.split_once(':').map_or(id, |(_, name)| name)
    }

    fn any(&self, n: usize) -> &str {
        self.id(KINDS[n % KINDS.len()], n)
    }

    fn town(&self, n: usize) -> &str {
        &self.towns[n * STRIDE % self.towns.len()]
    }
}

/// The content of the n-th question.
type Ask = Box<dyn Fn(&Elements, usize) -> Content>;

/// A question, about another element each time.
pub(crate) struct Question {
    pub(crate) name: &'static str,
    pub(crate) content: Ask,
}

fn words(name: &'static str, say: impl Fn(&Elements, usize) -> String + 'static) -> Question {
    let content = move |e: &Elements, n: usize| Content::new("field", say(e, n));
    Question {
        name,
        content: Box::new(content),
    }
}

fn payload(
    name: &'static str,
    schema_id: &'static str,
    values: impl Fn(&Elements, usize) -> Value + 'static,
) -> Question {
    let content = move |e: &Elements, n: usize| {
        Content::new("field", "as the payload says")
            .with_payload(Payload::new(schema_id, values(e, n)))
    };
    Question {
        name,
        content: Box::new(content),
    }
}

fn diagnosis(kinds: &'static [ElementKind]) -> Question {
    payload(
        "payload",
        "fault_diagnosis_v1",
        |e, n| json!({ "target": e.id(kinds[n % kinds.len()], n) }),
    )
}

fn repair() -> Question {
    payload("repair", "fault_repair_v1", |e, n| {
        let element = ElementId::new(e.any(n));
        json!({"ticket_id": format!("R-{n}"), "element": element.as_str(),
            "cause": Cause::usual_of(&element).as_str()})
    })
}

/// The questions for an agent of this role.
pub(crate) fn of(role: &str) -> Vec<Question> {
    use ElementKind::{Cell, Duct, LineCard, Link, PowerZone, Router, Site};
    match role {
        "oss-fault" => vec![
            words("words", |e, n| {
                format!("What is wrong with site {}?", e.name(Site, n))
            }),
            diagnosis(&[Site, Router, Link, LineCard, PowerZone, Duct]),
        ],
        "wireless-fault" => vec![
            words("words", |e, n| {
                format!("Why is site {} out of service?", e.name(Site, n))
            }),
            diagnosis(&[Site, PowerZone, Cell]),
            payload(
                "verification",
                "service_verification_v1",
                |e, n| json!({ "sites": [e.id(Site, n), e.id(Site, n + 1)] }),
            ),
        ],
        "ip-fault" => vec![
            words("words", |e, n| format!("Diagnose link {}", e.name(Link, n))),
            words("backhaul", |e, n| {
                format!("Is the backhaul of site {} broken?", e.name(Site, n))
            }),
            diagnosis(&[Router, Link, LineCard, Duct, Site]),
        ],
        "trouble-ticket" => vec![
            words("words", |e, n| {
                format!("How is the ticket about router {}?", e.name(Router, n))
            }),
            words("open", |_, _| "Which tickets are open?".to_owned()),
            repair(),
            payload("escalation", "trouble_ticket_v1", |e, n| {
                let related = json!([{ "id": e.id(Site, n), "relation": "suspected" }]);
                json!({"ticket_type": "escalation", "name": "look at it", "related_entity": related})
            }),
        ],
        "service-copilot" => vec![
            words("words", |e, n| {
                format!("Which sites depend on router {}?", e.name(Router, n))
            }),
            repair(),
        ],
        "resource-copilot" => vec![
            words("words", |e, n| {
                format!("I stand at card {}, what do I do?", e.name(LineCard, n))
            }),
            words("any", |e, n| format!("How do I repair {}?", e.any(n))),
            words("place", |e, n| {
                format!("How is the router in {}?", e.town(n))
            }),
            words("nothing", |_, _| {
                "What shall I have for lunch, and when is the tram?".to_owned()
            }),
            payload(
                "payload",
                "field_guidance_v1",
                |e, n| json!({ "question": "How do I repair it?", "element": e.any(n) }),
            ),
        ],
        "service-intent" => vec![payload("payload", "service_intent_v1", |e, n| {
            let experience = json!({"intent": "experience", "wants": "power", "loss_mbps": 120.0,
                "loss_kwh": 0});
            let energy = json!({"intent": "energy", "wants": "sleep", "loss_mbps": 0,
                "loss_kwh": 3.5});
            json!({"action": "arbitrate", "area": e.id(Site, n), "parties": [experience, energy]})
        })],
        "optimisation" => vec![payload(
            "payload",
            "experience_compensation_v1",
            |e, n| json!({ "action": "start", "sites": [e.id(Site, n)], "duration_minutes": 120 }),
        )],
        "energy-saving" => vec![
            payload(
                "activate",
                "energy_saving_v1",
                |e, n| json!({ "action": "activate", "area": e.id(Site, n), "max_load_percent": 30 }),
            ),
            payload(
                "suspend",
                "energy_saving_v1",
                |e, n| json!({ "action": "suspend", "area": e.id(Site, n), "duration_minutes": 60 }),
            ),
        ],
        "complaint-north" | "complaint-south" => vec![
            words("words", |e, n| {
                let town = e.town(n);
                format!(
                    "My car was offline near {town} yesterday around 7 pm. VIN 0HVA7K2M9B4000001"
                )
            }),
            words("vague", |_, _| {
                "My car is always offline and nobody helps me, for weeks now".to_owned()
            }),
            words("chinese", |e, n| {
                format!("昨晚七点左右车在{}附近没有网络", e.town(n))
            }),
        ],
        "mobile-north" | "mobile-south" | "transport-north" | "transport-south" => vec![
            payload("sites", "quality_check_v1", |e, n| {
                json!({"ticket_id": format!("C-{n}"), "sites": [e.id(Site, n), e.id(Site, n + 1)],
                    "from": "2026-01-05T07:30:00Z", "until": "2026-01-05T08:30:00Z"})
            }),
            payload("town", "quality_check_v1", |e, n| {
                json!({"ticket_id": format!("C-{n}"), "place": e.town(n),
                    "from": "2026-01-05T07:30:00Z", "until": "2026-01-05T08:30:00Z"})
            }),
        ],
        // These refuse whatever they are asked.
        "billing" | "sales" | "bss-tickets" => vec![words("words", |_, n| {
            format!("Why is my bill so high? {n}")
        })],
        other => panic!("what is {other} asked? It wants its questions here"),
    }
}
