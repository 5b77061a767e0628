//! Among what an utterance is read: scenarios with the agents that take them, for one caller (draft-zhou §3.2,
//! steps 1 and 2).
//!
//! Whose words are read, up to which length, and what they may be for is decided here. Reading them is long work, and
//! that of the bindings, which have it done beside the sessions. Read next: `schema::semantics`, whose offers these
//! become.

use super::answer::{preferred, takes};
use crate::access::exec;
use crate::operation::{Query, Reader};
use crate::refusal::{NotFound, OverLimit};
use crate::schemas::operation::{ParseUtterance, ScenarioOffer, UTTERANCE_BYTES_MAX, Which};
use crate::{Engine, Refusal};
use domain::access::{Principal, Request, TASK_NEGOTIATE};
use domain::discovery::Criteria;
use domain::profile::Profile;
use domain::registry::Registration;
use schema::language::Language;
use schema::template::Template;
use std::sync::Arc;

/// The most agents among which one scenario is read; of more, those that the registry ranks first.
const AGENTS_MAX: usize = 8;

const LIST_SCENARIOS: Request<'static> = exec("convoke-schema", "list-scenarios", false);

/// What the payload and the keys that are missing tell of a template.
const GET_SCHEMA_TEMPLATE: Request<'static> = exec("convoke-schema", "get-schema-template", false);

impl Engine {
    fn offers(
        &self,
        who: &Principal,
        asked: &ParseUtterance,
    ) -> Result<Vec<ScenarioOffer>, Refusal> {
        if asked.utterance.len() > UTTERANCE_BYTES_MAX {
            let most = UTTERANCE_BYTES_MAX;
            return Err(OverLimit::LongUtterance { most }.into());
        }
        // What one may neither see nor assign is told like what is not there.
        let may = |request| self.access.permits(who, request);
        if !(may(LIST_SCENARIOS) && may(GET_SCHEMA_TEMPLATE) && may(TASK_NEGOTIATE)) {
            return Ok(Vec::new());
        }
        let agents = self.askable(asked.agent.as_deref())?;
        let language = preferred(asked.language.as_deref());
        let mut offers = Vec::new();
        for template in self.templates_for(who, asked.which.as_ref())? {
            let takers = agents
                .iter()
                .filter(|it| takes(&it.profile, &template.scenario));
            let takers = self.likeliest(takers.collect(), &template, &asked.utterance)?;
            let of = takers
                .iter()
                .map(|it| offer(&it.profile, &template, language.as_ref()));
            offers.extend(of);
        }
        Ok(offers)
    }

    /// The agents that can be given tasks, or the one that is named, however it is.
    fn askable(&self, agent: Option<&str>) -> Result<Vec<Arc<Registration>>, Refusal> {
        match agent {
            Some(name) => {
                let place = self.place(name).ok_or_else(|| NotFound::Agent {
                    name: name.to_owned(),
                })?;
                Ok(vec![place])
            }
            None => {
                let mut all = self.registrations();
                all.retain(|it| it.is_available());
                Ok(all)
            }
        }
    }

    /// The newest template of each scenario, or the one that is named, as the caller sees it.
    fn templates_for(
        &self,
        who: &Principal,
        which: Option<&Which>,
    ) -> Result<Vec<Arc<Template>>, Refusal> {
        let published = self.schemas.published();
        let schema_ids = match which {
            Some(Which::Schema(id)) => vec![id.clone()],
            Some(Which::Scenario(name)) => {
                vec![published.catalogue().newest(name)?.schema_id.clone()]
            }
            None => {
                let scenarios = published.catalogue().scenarios().into_iter();
                scenarios.map(|it| it.schema_id).collect()
            }
        };
        let seen = schema_ids.iter().map(|id| {
            let served = published.of(id, &who.name)?;
            Ok(Arc::clone(&served.template))
        });
        seen.collect()
    }

    /// Of more agents than are weighed, those that the registry ranks first for these words.
    fn likeliest<'a>(
        &self,
        mut takers: Vec<&'a Arc<Registration>>,
        template: &Template,
        words: &str,
    ) -> Result<Vec<&'a Arc<Registration>>, Refusal> {
        if takers.len() > AGENTS_MAX {
            let criteria = Criteria {
                schema: Some(template.schema_id.clone()),
                text: Some(words.to_owned()),
                ..Criteria::default()
            };
            let found = self.registry.discover(&criteria, AGENTS_MAX)?;
            let rank = |it: &&Arc<Registration>| {
                let mut names = found.iter().map(|found| &found.name);
                names.position(|name| *name == it.profile.name)
            };
            // Those that are not found keep their order behind them.
            takers.sort_by_key(|it| rank(it).unwrap_or(AGENTS_MAX));
            takers.truncate(AGENTS_MAX);
        }
        Ok(takers)
    }
}

/// What an agent and its skills that take a scenario say of themselves.
fn offer(
    profile: &Profile,
    template: &Arc<Template>,
    language: Option<&Language>,
) -> ScenarioOffer {
    let of_scenario = |id: &String| {
        let name = id.rsplit_once("_v").map(|(name, _)| name);
        name == Some(template.scenario.as_str())
    };
    let skills = profile.skills.iter();
    let skills: Vec<_> = skills
        .filter(|it| it.schemas.iter().any(of_scenario))
        .collect();
    let mut said = vec![profile.description.as_str()];
    said.extend(profile.domain.as_deref());
    said.extend(profile.management_object.as_deref());
    for skill in &skills {
        said.push(&skill.description);
        said.extend(skill.tags.iter().map(String::as_str));
    }
    let title = template.title.as_ref();
    ScenarioOffer {
        agent: profile.name.clone(),
        title: title.map(|it| it.lookup(language, &template.language).1.meaning.clone()),
        description: said.join(". "),
        examples: skills.iter().flat_map(|it| it.examples.clone()).collect(),
        template: Arc::clone(template),
    }
}

impl Query for ParseUtterance {
    type Output = Vec<ScenarioOffer>;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-schema", "parse-utterance", false))
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Vec<ScenarioOffer>, Refusal> {
        reader.engine.offers(reader.who, &self)
    }
}
