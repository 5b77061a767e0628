//! The input that an agent takes by form: its skills, each with the templates of its typed input
//! (002 §1).
//!
//! As its card tells it, so that a form is there for each schema that can be sent, and for no other.
//! Refuses to know how a form looks: that is the server's. Read next: [`super::cards`].

use super::binding::Binding;
use super::cards::ServedAgent;
use a2a::card::AgentSkill;
use a2a::objects;
use domain::time::Timestamp;
use engine::Endpoint;
use schema::template::Template;
use std::sync::Arc;

/// An agent, and what it takes by form.
#[derive(Debug)]
pub struct Forms {
    /// The name of the agent.
    pub agent: String,
    /// Its description.
    pub description: String,
    /// Its skills with typed input, in the order of the card.
    pub skills: Vec<SkillForms>,
}

/// A skill, and the templates of its input.
#[derive(Debug)]
pub struct SkillForms {
    /// The name of the skill.
    pub name: String,
    /// Its description.
    pub description: String,
    /// One at least.
    pub templates: Vec<Arc<Template>>,
}

impl Forms {
    fn of(served: &ServedAgent) -> Self {
        let skills = served.card.skills.iter().map(|skill| SkillForms {
            name: skill.name.clone(),
            description: skill.description.clone(),
            templates: inputs(served, skill),
        });
        Self {
            agent: served.card.name.clone(),
            description: served.card.description.clone(),
            skills: skills.filter(|it| !it.templates.is_empty()).collect(),
        }
    }

    /// The skill that takes a schema, and its template; none if the agent does not take it.
    pub fn find(&self, schema_id: &str) -> Option<(&SkillForms, &Arc<Template>)> {
        self.skills.iter().find_map(|skill| {
            let mut all = skill.templates.iter();
            let found = all.find(|template| template.schema_id == schema_id)?;
            Some((skill, found))
        })
    }
}

fn inputs(served: &ServedAgent, skill: &AgentSkill) -> Vec<Arc<Template>> {
    let named = |id: &str| served.inputs.contains(id) && objects::takes(skill, id);
    let all = served.templates.iter();
    all.filter(|it| named(&it.schema_id)).cloned().collect()
}

impl Binding {
    /// The forms of an agent, for everybody, as its card is; none if there is no such agent.
    pub fn forms(&self, endpoint: &Endpoint, now: Timestamp) -> Option<Forms> {
        let served = self.cards.of(&self.engine, endpoint, now)?;
        Some(Forms::of(&served))
    }
}
