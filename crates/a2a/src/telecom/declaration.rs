//! A2A-T in cards: which of its extensions an agent knows, and which templates.
//!
//! ```text
//! {"uri": "https://…/Task-T/v1", "params": {"templates": ["Task-T/network-layer/fault-diagnosis/v1"]}}
//! ```
//! Knows how a card of ours says it, and reads those of others, who may say no more than the URI.
//! Authorization-T is never declared: see [`authorization`](super::authorization). Read next:
//! [`repertoire`](super::repertoire), what is declared; [`peer`](super::peer), who reads it.

use super::extension::{Family, TelecomExtension};
use super::negotiation::{NegotiationTopic, template_of_abort};
use super::repertoire::TemplateCatalogue;
use crate::card::{self, Card};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The member of the parameters that lists templates.
const TEMPLATES: &str = "templates";

/// Declares in a card what its agent understands, in both spellings; nothing if that is nothing.
pub fn declare(card: &mut Card, repertoire: &TemplateCatalogue) {
    for extension in TelecomExtension::all() {
        let templates = templates(extension.family, repertoire);
        if !templates.is_empty() {
            card.declare(card::AgentExtension {
                uri: extension.uri(),
                description: Some(described(extension.family).to_owned()),
                required: false,
                params: Map::from_iter([(TEMPLATES.to_owned(), templates.into())]),
            });
        }
    }
}

/// The templates that a card lists for an extension, in whatever spelling.
pub fn declared(card: &Card, extension: TelecomExtension) -> BTreeSet<String> {
    let declared = card.extension(&extension.uri());
    let listed = declared.and_then(|it| it.params.get(TEMPLATES)?.as_array());
    let texts = listed.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn templates(family: Family, repertoire: &TemplateCatalogue) -> Vec<String> {
    let translators = repertoire.translators().iter();
    match family {
        Family::Task => translators.map(|it| it.uri().to_string()).collect(),
        Family::Negotiation if translators.len() > 0 => {
            let topics = NegotiationTopic::ALL
                .into_iter()
                .flat_map(NegotiationTopic::templates);
            topics.chain([template_of_abort()]).collect()
        }
        Family::Notification => {
            let topics = repertoire.topics().iter();
            topics.map(|it| it.template_uri.clone()).collect()
        }
        Family::Negotiation | Family::Authorization => Vec::new(),
    }
}

fn described(family: Family) -> &'static str {
    match family {
        Family::Task => "tasks as sections of a prompt, read without a language model",
        Family::Negotiation => "feasibility, target and information, round by round",
        Family::Notification => "subscriptions whose conditions are held",
        Family::Authorization => "not granted by messages",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telecom::extension::UriGeneration;

    /// Issue 6 §5: what is understood is declared in both generations, and read as it was said.
    #[test]
    fn cards_say_what_is_understood() {
        let schemas = schema::shipped::shipped();
        let find = |id: &str| {
            let taken = ["fault_diagnosis_v1", "fault_incident_v1"].contains(&id);
            schemas.iter().find(|it| taken && it.schema_id == id)
        };
        let repertoire = TemplateCatalogue::new(find).expect("they fit");
        let mut card = Card::new("ip", "the IP network", "1.0.0");
        declare(&mut card, &repertoire);
        assert_eq!(card.extensions.len(), 6);
        for generation in [UriGeneration::Current, UriGeneration::Older] {
            let of =
                |family| Vec::from_iter(declared(&card, TelecomExtension { family, generation }));
            assert_eq!(
                of(Family::Task),
                ["Task-T/network-layer/fault-diagnosis/v1"]
            );
            let subscribed = "Notification-T/network-layer/subscribe-incident/v1";
            assert_eq!(of(Family::Notification), [subscribed]);
            assert_eq!(of(Family::Negotiation).len(), 7);
            assert!(of(Family::Authorization).is_empty());
        }
        let mut silent = Card::new("clerk", "has no schemas", "1.0.0");
        declare(&mut silent, &TemplateCatalogue::default());
        assert!(silent.extensions.is_empty());
    }
}
