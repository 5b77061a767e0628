//! The templates of one server agent: by scenario, by version, immutable once published
//! (draft-zhou §4.1, §6.2.2).
//!
//! Knows what is published and what is retired; refuses to know how a template comes about
//! ([`crate::evolution`]) or who may publish it. Global is a template's name with its agent's.

use crate::lint::{self, LintFinding, TemplateOrigin};
use crate::template::{Annotation, Template};
use language::excerpt::excerpt;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// All that one server agent has published.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    agent: String,
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    template: Arc<Template>,
    retired: bool,
}

/// The name of a schema among all agents: agent and `schema_id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalSchemaId {
    /// The agent that publishes it.
    pub agent: String,
    /// Its name there.
    pub schema_id: String,
}

impl fmt::Display for GlobalSchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.agent, self.schema_id)
    }
}

/// One line of the list of scenarios.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The scenario, in canonical form.
    pub scenario: String,
    /// The scenario for people.
    pub title: Option<Annotation>,
    /// The newest template of it.
    pub schema_id: String,
    /// The template of its result.
    pub response_schema_id: Option<String>,
}

/// The reason why a template is not published; nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PublishError {
    /// It breaks rules.
    #[error("'{schema_id}' breaks {} rules", findings.len())]
    Unfit {
        /// Its name.
        schema_id: String,
        /// All findings, warnings too.
        findings: Vec<LintFinding>,
    },
    /// The name is taken by another template: what is published never changes (§6.2.2).
    #[error("'{schema_id}' is published already, with other content")]
    Changed {
        /// The name.
        schema_id: String,
    },
    /// Its version is not above those of its scenario.
    #[error("'{schema_id}' is not newer than '{newest}'")]
    NotNewer {
        /// Its name.
        schema_id: String,
        /// The newest of its scenario.
        newest: String,
    },
    /// The template of its result is not there.
    #[error("'{schema_id}' answers with '{response}', which is not published")]
    NoResponse {
        /// Its name.
        schema_id: String,
        /// The template of its result.
        response: String,
    },
}

/// `unknown_scenario`: nobody serves it here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scenario '{}' here; there are {}", excerpt(scenario), known.join(", "))]
pub struct UnknownScenario {
    /// The scenario that was asked for.
    pub scenario: String,
    /// The scenarios there are, in order.
    pub known: Vec<String>,
}

/// `unknown_schema`: never published here, or retired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSchema {
    /// The name that was asked for.
    pub schema_id: String,
    /// The newest template of the same scenario, to negotiate anew with; none if there is none.
    pub current: Option<String>,
}

impl std::error::Error for UnknownSchema {}

impl fmt::Display for UnknownSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no schema '{}' here", excerpt(&self.schema_id))?;
        match &self.current {
            Some(current) => write!(f, "; '{current}' is current"),
            None => Ok(()),
        }
    }
}

/// A scenario in canonical form: lower case, with `_` for spaces and hyphens.
pub fn canonical_scenario(scenario: &str) -> String {
    let scenario = scenario.trim().to_lowercase();
    let words = scenario.split(|c: char| c.is_whitespace() || c == '-');
    words
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

impl Catalogue {
    /// The empty catalogue of an agent.
    pub fn new(agent: impl Into<String>) -> Self {
        Self {
            agent: agent.into(),
            entries: BTreeMap::new(),
        }
    }

    /// The agent.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The name of a schema of this agent among all agents.
    pub fn identity(&self, schema_id: &str) -> GlobalSchemaId {
        GlobalSchemaId {
            agent: self.agent.clone(),
            schema_id: schema_id.to_owned(),
        }
    }

    /// Publishes a template and gives it back, shared. Publishing the same again changes nothing.
    ///
    /// A version need not follow the one before without a gap. The template of the result comes
    /// first.
    ///
    /// # Errors
    /// [`PublishError`]; then nothing has changed.
    pub fn publish(&mut self, template: Template) -> Result<Arc<Template>, PublishError> {
        let schema_id = template.schema_id.clone();
        if let Some(entry) = self.entries.get(&schema_id) {
            let same = *entry.template == template;
            return same
                .then(|| entry.template.clone())
                .ok_or(PublishError::Changed { schema_id });
        }
        let findings = lint::template(&template, TemplateOrigin::Own);
        if !lint::passes(&findings) {
            return Err(PublishError::Unfit {
                schema_id,
                findings,
            });
        }
        self.check_order(&template)?;
        self.check_response(&template)?;
        let template = Arc::new(template);
        let entry = Entry {
            template: template.clone(),
            retired: false,
        };
        self.entries.insert(schema_id, entry);
        Ok(template)
    }

    /// Publishes templates that come in any order, those of results first and older ones before
    /// newer ones; all or none.
    ///
    /// # Errors
    /// [`PublishError`] of the first that is not published; then nothing has changed.
    pub fn publish_all(&mut self, mut templates: Vec<Template>) -> Result<(), PublishError> {
        templates.sort_by_key(Template::version);
        let mut all = self.clone();
        while !templates.is_empty() {
            let awaited = |t: &Template| {
                let response = t.response_schema_id.as_ref();
                templates
                    .iter()
                    .any(|other| Some(&other.schema_id) == response)
            };
            let ready = templates.iter().position(|t| !awaited(t));
            // Where each awaits another, the first is refused for what it lacks.
            all.publish(templates.remove(ready.unwrap_or(0)))?;
        }
        *self = all;
        Ok(())
    }

    /// Retires a version: payloads for it are refused with the name of the current one. Its name
    /// stays taken. Retiring it again changes nothing.
    ///
    /// # Errors
    /// [`UnknownSchema`] if it was never published.
    pub fn retire(&mut self, schema_id: &str) -> Result<(), UnknownSchema> {
        match self.entries.get_mut(schema_id) {
            Some(entry) => {
                entry.retired = true;
                Ok(())
            }
            None => Err(self.unknown(schema_id)),
        }
    }

    /// A published template that is not retired; older versions serve until they are.
    ///
    /// # Errors
    /// [`UnknownSchema`], which names the current one.
    pub fn template(&self, schema_id: &str) -> Result<&Arc<Template>, UnknownSchema> {
        self.entries
            .get(schema_id)
            .filter(|entry| !entry.retired)
            .map(|entry| &entry.template)
            .ok_or_else(|| self.unknown(schema_id))
    }

    /// The newest template of a scenario in any spelling.
    ///
    /// # Errors
    /// [`UnknownScenario`], which lists those there are.
    pub fn newest(&self, scenario: &str) -> Result<&Arc<Template>, UnknownScenario> {
        self.newest_of(&canonical_scenario(scenario))
            .ok_or_else(|| UnknownScenario {
                scenario: scenario.to_owned(),
                known: self.scenarios().into_iter().map(|s| s.scenario).collect(),
            })
    }

    /// The template of the results of a schema, if it has one.
    ///
    /// # Errors
    /// [`UnknownSchema`] if either is not there.
    pub fn response_of(&self, schema_id: &str) -> Result<Option<&Arc<Template>>, UnknownSchema> {
        let response = &self.template(schema_id)?.response_schema_id;
        response
            .as_deref()
            .map(|response| self.template(response))
            .transpose()
    }

    /// The scenarios that may be asked for, in order, each with its newest template; those of
    /// results are not among them.
    pub fn scenarios(&self) -> Vec<Listing> {
        let responses = self.response_scenarios();
        let served = self
            .served()
            .map(|t| t.scenario.as_str())
            .collect::<BTreeSet<_>>();
        let asked = served.into_iter().filter(|s| !responses.contains(s));
        asked
            .filter_map(|s| self.newest_of(s))
            .map(listing)
            .collect()
    }

    /// All templates that serve, results included, in the order of their names.
    pub fn served(&self) -> impl Iterator<Item = &Arc<Template>> {
        self.entries
            .values()
            .filter(|e| !e.retired)
            .map(|e| &e.template)
    }

    fn check_order(&self, template: &Template) -> Result<(), PublishError> {
        let of_scenario = self
            .entries
            .values()
            .filter(|e| e.template.scenario == template.scenario);
        let newest = of_scenario.max_by_key(|e| e.template.version());
        match newest {
            Some(newest) if newest.template.version() >= template.version() => {
                Err(PublishError::NotNewer {
                    schema_id: template.schema_id.clone(),
                    newest: newest.template.schema_id.clone(),
                })
            }
            _ => Ok(()),
        }
    }

    fn check_response(&self, template: &Template) -> Result<(), PublishError> {
        match &template.response_schema_id {
            Some(response) if self.template(response).is_err() => Err(PublishError::NoResponse {
                schema_id: template.schema_id.clone(),
                response: response.clone(),
            }),
            _ => Ok(()),
        }
    }

    fn newest_of(&self, scenario: &str) -> Option<&Arc<Template>> {
        self.served()
            .filter(|t| t.scenario == scenario)
            .max_by_key(|t| t.version())
    }

    fn unknown(&self, schema_id: &str) -> UnknownSchema {
        let scenario = match self.entries.get(schema_id) {
            Some(entry) => entry.template.scenario.clone(),
            None => canonical_scenario(schema_id.rsplit_once("_v").map_or(schema_id, |(s, _)| s)),
        };
        UnknownSchema {
            schema_id: schema_id.to_owned(),
            current: self.newest_of(&scenario).map(|t| t.schema_id.clone()),
        }
    }

    fn response_scenarios(&self) -> BTreeSet<&str> {
        let named = self
            .entries
            .values()
            .filter_map(|e| e.template.response_schema_id.as_ref());
        named
            .filter_map(|id| self.entries.get(id))
            .map(|e| e.template.scenario.as_str())
            .collect()
    }
}

fn listing(template: &Arc<Template>) -> Listing {
    Listing {
        scenario: template.scenario.clone(),
        title: template.title.clone(),
        schema_id: template.schema_id.clone(),
        response_schema_id: template.response_schema_id.clone(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
