//! The card of an agent: from its profile as committed and the templates as published.
//!
//! Made when it is asked for and kept until profile or templates are others, so that an evolved
//! schema is in it without a restart. Refuses to know how one authenticates: [`BindingSettings::dress`]
//! adds that. Read next: `a2a::card`.

use super::settings::BindingSettings;
use super::telecom::repertoire::repertoire;
use super::words::SkillOffer;
use a2a::card::document::CardDocument;
use a2a::card::profile::card_of;
use a2a::card::{AgentCapabilities, Card};
use a2a::objects;
use a2a::telecom::declaration;
use a2a::telecom::repertoire::TemplateCatalogue;
use domain::profile::Profile;
use domain::time::Timestamp;
use engine::{Endpoint, Engine};
use schema::template::Template;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// A card, and what it was made of.
#[derive(Debug)]
pub(super) struct ServedAgent {
    pub(super) profile: Arc<Profile>,
    pub(super) templates: Vec<Arc<Template>>,
    pub(super) card: Card,
    /// The schemas that the card declares, and those of them that are taken as input.
    pub(super) declared: BTreeSet<String>,
    pub(super) inputs: BTreeSet<String>,
    /// What it understands in A2A-T.
    pub(super) telecom: TemplateCatalogue,
    pub(super) document: CardDocument,
    changed_at: Timestamp,
}

impl ServedAgent {
    fn is_of(&self, profile: &Arc<Profile>, templates: &[Arc<Template>]) -> bool {
        let same = |(one, other): (&Arc<Template>, &Arc<Template>)| Arc::ptr_eq(one, other);
        Arc::ptr_eq(&self.profile, profile)
            && self.templates.len() == templates.len()
            && self.templates.iter().zip(templates).all(same)
    }

    /// The templates that the agent takes, as published: each once.
    pub(super) fn offers(&self) -> Vec<SkillOffer<'_>> {
        let skills = self.profile.skills.iter();
        let all = skills.flat_map(|skill| skill.schemas.iter().map(move |id| (skill, id)));
        let mut seen = BTreeSet::new();
        let first = all.filter(|(_, id)| seen.insert(*id));
        let published = first.filter_map(|(skill, id)| {
            let template = self.template(id)?;
            Some(SkillOffer { skill, template })
        });
        published.collect()
    }

    /// The template of this identifier.
    pub(super) fn template(&self, schema_id: &str) -> Option<&Arc<Template>> {
        let mut all = self.templates.iter();
        all.find(|template| template.schema_id == schema_id)
    }
}

/// The cards of all endpoints.
pub(super) struct Cards {
    pub(super) settings: BindingSettings,
    kept: Mutex<BTreeMap<Endpoint, Arc<ServedAgent>>>,
}

impl Cards {
    pub(super) fn new(settings: BindingSettings) -> Self {
        Self {
            settings,
            kept: Mutex::default(),
        }
    }

    /// The card of an endpoint; none if there is no such agent.
    pub(super) fn of(
        &self,
        engine: &Engine,
        endpoint: &Endpoint,
        now: Timestamp,
    ) -> Option<Arc<ServedAgent>> {
        let name = match endpoint {
            Endpoint::Platform => engine.default_agent(),
            Endpoint::Agent(name) => name,
            Endpoint::Ems(_) => return None,
        };
        let profile = Arc::clone(&engine.place(name)?.profile);
        let templates = engine.templates();
        let mut kept = self.kept.lock().expect("no holder panics");
        let before = kept.get(endpoint);
        if let Some(served) = before.filter(|it| it.is_of(&profile, &templates)) {
            return Some(Arc::clone(served));
        }
        let served = self.made(endpoint, profile, templates, before, now);
        let served = Arc::new(served);
        kept.insert(endpoint.clone(), Arc::clone(&served));
        Some(served)
    }

    /// A card that reads like the one before changed when that one did.
    fn made(
        &self,
        endpoint: &Endpoint,
        profile: Arc<Profile>,
        templates: Vec<Arc<Template>>,
        before: Option<&Arc<ServedAgent>>,
        now: Timestamp,
    ) -> ServedAgent {
        let mut card = self.card(endpoint, &profile, &templates);
        let inputs = objects::inputs(&card);
        let telecom = repertoire(&inputs, &templates);
        declaration::declare(&mut card, &telecom);
        (self.settings.dress)(&mut card);
        let document = |changed_at| {
            let settings = &self.settings;
            let (profile, max_age_s) = (settings.card_profile, settings.card_max_age_s);
            CardDocument::new(&card, profile, changed_at, max_age_s)
        };
        let fresh = document(now);
        let same = before.filter(|before| before.document.etag == fresh.etag);
        let changed_at = same.map_or(now, |before| before.changed_at);
        ServedAgent {
            document: document(changed_at),
            declared: objects::declared(&card).into_keys().collect(),
            inputs,
            telecom,
            profile,
            templates,
            changed_at,
            card,
        }
    }

    fn card(&self, endpoint: &Endpoint, profile: &Profile, templates: &[Arc<Template>]) -> Card {
        let settings = &self.settings;
        let by_id = templates.iter().map(|it| (it.schema_id.clone(), &**it));
        let by_id: BTreeMap<String, &Template> = by_id.collect();
        let mut card = card_of(
            profile,
            &self.url(endpoint),
            &by_id,
            &settings.language,
            settings.card_profile,
        );
        // What the binding does, whatever the agent does by itself.
        card.capabilities = AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(settings.push_notifications),
            extended_card: Some(true),
        };
        card.default_input_modes = vec!["text/plain".to_owned(), "application/json".to_owned()];
        card.default_output_modes = card.default_input_modes.clone();
        card
    }

    fn url(&self, endpoint: &Endpoint) -> String {
        match endpoint {
            Endpoint::Agent(name) => format!("{}/agents/{name}", self.settings.url),
            Endpoint::Platform | Endpoint::Ems(_) => self.settings.url.clone(),
        }
    }
}
