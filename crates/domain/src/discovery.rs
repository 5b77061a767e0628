//! Search for the agents that meet given criteria, best first, with reasons (draft §4.1).
//!
//! Every stated criterion must hold: those on skills for one skill of the agent, the rest for the
//! agent as a whole. The remaining agents are ranked by the words asked for: by the rarity of a
//! word among all agents, and its share of this agent's profile (BM25, in integer arithmetic, so
//! that a rank is the same on every machine). [`mod@index`] finds candidates, `words` splits text
//! into words. Read next: [`crate::team`].

pub mod index;
mod words;

pub use index::Index;

use crate::profile::{Profile, Skill};
use crate::registry::{Health, Registration};
use serde::{Deserialize, Serialize};

/// The criteria of a search. A criterion that is not stated is not applied. Case is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criteria {
    /// `skill-name`.
    pub skill: Option<String>,
    /// `skill-tags`; each of them.
    pub tags: Vec<String>,
    /// One of the skill's `input-modes`.
    pub input_mode: Option<String>,
    /// One of the skill's `output-modes`.
    pub output_mode: Option<String>,
    /// One of the agent's domains.
    pub domain: Option<String>,
    /// A part of `management-object`.
    pub management_object: Option<String>,
    /// A schema that one of its skills takes.
    pub schema: Option<String>,
    /// Words, in any field; one of them at least.
    pub text: Option<String>,
}

/// An agent that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Its name.
    pub name: String,
    /// 0 to 1000, the higher the better.
    pub score: u32,
    /// The reasons for its rank: one sentence for each criterion, and one for its health.
    pub reasons: Vec<String>,
}

/// A text as it is compared: without capitals and outer blanks.
fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

fn all_folded(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| folded(text)).collect()
}

/// The domains of a profile, which separates them by commas (draft §5.1).
fn domains(profile: &Profile) -> impl Iterator<Item = String> {
    let list = profile.domain.iter().flat_map(|domain| domain.split(','));
    list.map(folded).filter(|domain| !domain.is_empty())
}

impl Criteria {
    /// The criteria as they are compared.
    fn folded(&self) -> Self {
        let fold = |text: &Option<String>| text.as_deref().map(folded);
        Self {
            skill: fold(&self.skill),
            tags: all_folded(&self.tags),
            input_mode: fold(&self.input_mode),
            output_mode: fold(&self.output_mode),
            domain: fold(&self.domain),
            management_object: fold(&self.management_object),
            schema: fold(&self.schema),
            text: fold(&self.text),
        }
    }

    fn is_about_skills(&self) -> bool {
        let stated = [
            &self.skill,
            &self.input_mode,
            &self.output_mode,
            &self.schema,
        ];
        stated.into_iter().any(Option::is_some) || !self.tags.is_empty()
    }
}

/// The parts of a profile that are compared with criteria, case-folded.
struct Card {
    skills: Vec<Skill>,
    domains: Vec<String>,
    management_object: String,
}

impl Card {
    fn of(profile: &Profile) -> Self {
        let skill = |s: &Skill| Skill {
            name: folded(&s.name),
            tags: all_folded(&s.tags),
            input_modes: all_folded(&s.input_modes),
            output_modes: all_folded(&s.output_modes),
            schemas: all_folded(&s.schemas),
            ..Skill::default()
        };
        Self {
            skills: profile.skills.iter().map(skill).collect(),
            domains: domains(profile).collect(),
            management_object: folded(profile.management_object.as_deref().unwrap_or_default()),
        }
    }

    /// True if every criterion holds except the words; the criteria must be case-folded.
    fn fits(&self, criteria: &Criteria) -> bool {
        let of_skills = !criteria.is_about_skills() || self.skill(criteria).is_some();
        let domain = criteria.domain.as_ref();
        let object = criteria.management_object.as_ref();
        of_skills
            && domain.is_none_or(|domain| self.domains.contains(domain))
            && object.is_none_or(|object| self.management_object.contains(object.as_str()))
    }

    /// The place of the first skill that meets every criterion on skills.
    fn skill(&self, criteria: &Criteria) -> Option<usize> {
        let holds = |wanted: &Option<String>, list: &[String]| {
            wanted.as_ref().is_none_or(|wanted| list.contains(wanted))
        };
        self.skills.iter().position(|skill| {
            criteria
                .skill
                .as_ref()
                .is_none_or(|name| *name == skill.name)
                && criteria.tags.iter().all(|tag| skill.tags.contains(tag))
                && holds(&criteria.input_mode, &skill.input_modes)
                && holds(&criteria.output_mode, &skill.output_modes)
                && holds(&criteria.schema, &skill.schemas)
        })
    }
}

/// The reasons for a match: one sentence for each criterion, in the order in which they are
/// declared. `skill` is the one that meets every criterion on skills, `said` are the words found.
fn reasons(
    registration: &Registration,
    skill: Option<&Skill>,
    criteria: &Criteria,
    said: &[&str],
) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(Skill { name, .. }) = skill {
        if criteria.skill.is_some() {
            reasons.push(format!("It has the skill '{name}'."));
        }
        if !criteria.tags.is_empty() {
            let tags = listed(&criteria.tags);
            reasons.push(format!("Its skill '{name}' is tagged {tags}."));
        }
        let of_skill = [
            ("takes the mode", &criteria.input_mode),
            ("gives the mode", &criteria.output_mode),
            ("takes the schema", &criteria.schema),
        ];
        for (does, what) in of_skill {
            if let Some(what) = what {
                reasons.push(format!("Its skill '{name}' {does} '{what}'."));
            }
        }
    }
    if let Some(domain) = &criteria.domain {
        reasons.push(format!("It works in the domain '{domain}'."));
    }
    let managed = &registration.profile.management_object;
    if let (Some(part), Some(whole)) = (&criteria.management_object, managed) {
        reasons.push(format!("It manages '{part}', as part of '{whole}'."));
    }
    if !said.is_empty() {
        reasons.push(format!("Its profile speaks of {}.", listed(said)));
    }
    if registration.health == Health::Degraded {
        let note = match registration.health_note.as_str() {
            "" => String::new(),
            note => format!(", '{note}'"),
        };
        reasons.push(format!("It is degraded{note}, which halves its score."));
    }
    reasons
}

fn listed<T: AsRef<str>>(texts: &[T]) -> String {
    let quoted: Vec<String> = texts.iter().map(|t| format!("'{}'", t.as_ref())).collect();
    quoted.join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
