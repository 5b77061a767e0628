//! Among what an utterance is read: scenarios with the agents that take them, for one caller (draft-zhou §3.2,
//! steps 1 and 2).
//!
//! Whose words are read, up to which length, and what they may be for is decided here, and how much of what an agent
//! says of itself is read for it. Reading is long work, and that of the bindings, which have it done beside the
//! sessions, where an offer's texts are made too: until then it names what it is about. Read next:
//! `schema::semantics`, whose offers these become.

use super::answer::preferred;
use crate::access::exec;
use crate::operation::{Query, Reader};
use crate::refusal::{NotFound, OverLimit};
use crate::schemas::operation::{
    OfferTexts, ParseUtterance, ScenarioOffer, UTTERANCE_BYTES_MAX, Which,
};
use crate::{Engine, Refusal};
use domain::access::{Principal, Request, TASK_NEGOTIATE};
use domain::discovery::Criteria;
use domain::registry::Registration;
use schema::template::Template;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most agents among which one scenario is read; of more, those that the registry ranks first.
const AGENTS_MAX: usize = 8;

/// The most bytes that are read of what an agent says of itself for one scenario: its description is cut at half of
/// them, and its examples have the rest.
const SAID_BYTES_MAX: usize = 4_096;

/// The most agents that are ranked by the words.
const RANKED_MAX: usize = 1_000;

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
        let templates = self.templates_for(who, asked.which.as_ref())?;
        let mut takers = takers(&agents, &templates);
        if takers.values().any(|it| it.len() > AGENTS_MAX) {
            self.rank(&mut takers, &templates, &asked.utterance)?;
        }
        let mut offers = Vec::new();
        for template in &templates {
            let title = template.title.as_ref().map(|it| {
                let described = it.lookup(language.as_ref(), &template.language).1;
                Arc::from(described.meaning.as_str())
            });
            let takers = takers.get(template.scenario.as_str());
            let takers = takers.into_iter().flatten().take(AGENTS_MAX);
            offers.extend(takers.map(|taker| ScenarioOffer {
                taker: Arc::clone(taker),
                title: title.clone(),
                template: Arc::clone(template),
            }));
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

    /// Of more agents than are weighed for a scenario, puts those first that the registry ranks first for these words,
    /// after one search for all scenarios. Those that are not found keep their order behind them.
    fn rank(
        &self,
        takers: &mut BTreeMap<&str, Vec<&Arc<Registration>>>,
        templates: &[Arc<Template>],
        words: &str,
    ) -> Result<(), Refusal> {
        let schema = match templates {
            [only] => Some(only.schema_id.clone()),
            _ => None,
        };
        let criteria = Criteria {
            schema,
            text: Some(words.to_owned()),
            ..Criteria::default()
        };
        let found = self.registry.discover(&criteria, RANKED_MAX)?;
        let ranks = found.iter().enumerate();
        let ranks: BTreeMap<&str, usize> = ranks.map(|(at, it)| (it.name.as_str(), at)).collect();
        for takers in takers.values_mut().filter(|it| it.len() > AGENTS_MAX) {
            takers.sort_by_key(|it| {
                let rank = ranks.get(it.profile.name.as_str());
                rank.copied().unwrap_or(usize::MAX)
            });
        }
        Ok(())
    }
}

/// The agents that take each scenario, in their order: what they declare is looked at once, however many scenarios
/// there are.
fn takers<'a>(
    agents: &'a [Arc<Registration>],
    templates: &'a [Arc<Template>],
) -> BTreeMap<&'a str, Vec<&'a Arc<Registration>>> {
    let scenarios = templates
        .iter()
        .map(|it| (it.scenario.as_str(), Vec::new()));
    let mut all: BTreeMap<_, Vec<&Arc<Registration>>> = scenarios.collect();
    for agent in agents {
        for scenario in agent.profile.schemas().filter_map(scenario_of) {
            let Some(takers) = all.get_mut(scenario) else {
                continue;
            };
            // It may declare several versions.
            if !takers.last().is_some_and(|last| Arc::ptr_eq(last, agent)) {
                takers.push(agent);
            }
        }
    }
    all
}

/// The scenario of a template by its id.
fn scenario_of(schema_id: &str) -> Option<&str> {
    Some(schema_id.rsplit_once("_v")?.0)
}

impl ScenarioOffer {
    /// The agent's name.
    pub fn agent(&self) -> &str {
        &self.taker.profile.name
    }

    /// What the agent and its skills that take the scenario say of themselves: 4,096 bytes at most, of which the
    /// description has half. It is cut, and examples that no longer fit are left out.
    pub fn texts(&self) -> OfferTexts {
        let profile = &self.taker.profile;
        let of_scenario = |id: &String| scenario_of(id) == Some(self.template.scenario.as_str());
        let skills = profile.skills.iter();
        let skills: Vec<_> = skills
            .filter(|it| it.schemas.iter().any(of_scenario))
            .collect();
        let own = [Some(&profile.description), profile.domain.as_ref()];
        let own = own.into_iter().chain([profile.management_object.as_ref()]);
        let of_skills = skills
            .iter()
            .flat_map(|it| std::iter::once(&it.description).chain(&it.tags));
        let mut description = String::new();
        for text in own.flatten().chain(of_skills) {
            if !description.is_empty() {
                description.push_str(". ");
            }
            let left = (SAID_BYTES_MAX / 2).saturating_sub(description.len());
            let mut ends = (0..=left.min(text.len())).rev();
            let end = ends.find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            description.push_str(&text[..end]);
            if text.len() > left {
                break;
            }
        }
        let mut left = SAID_BYTES_MAX.saturating_sub(description.len());
        let mut examples = Vec::new();
        for example in skills.iter().flat_map(|it| &it.examples) {
            // One that says nothing takes a place all the same.
            if let Some(less) = left.checked_sub(example.len().max(1)) {
                left = less;
                examples.push(example.clone());
            }
        }
        OfferTexts {
            description,
            examples,
        }
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
