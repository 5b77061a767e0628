//! The candidates of `convoke ask`: scenarios with the agents that take them, and the texts of
//! their templates and profiles.
//!
//! Read next: [`super`], which chooses among them.

use crate::cli::{Ask, Common};
use crate::output::Failure;
use crate::remote::{REGISTRY, SCHEMA, call, entries, get, leaf, named, text, texts};
use crate::schemas::fetched;
use crate::understanding::language_of;
use netconf::data::Node;
use netconf::xml::XmlElement;
use schema::catalogue::canonical_scenario;
use schema::semantics::OfferedScenario;
use schema::signature::Asked;
use schema::template::Template;
use server::client::Client;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most agents considered per scenario; of more, those that the registry ranks first.
const AGENTS_MAX: usize = 8;

/// A scenario with an agent that takes it.
pub(super) struct Offered {
    pub(super) scenario: String,
    pub(super) template: Arc<Template>,
    /// The name of the agent; empty if no agent takes it.
    pub(super) agent: String,
    /// The description of the skill in the agent's profile.
    description: String,
    examples: Vec<String>,
}

impl Offered {
    pub(super) fn offer(&self) -> OfferedScenario<'_> {
        OfferedScenario {
            agent: &self.agent,
            scenario: &self.scenario,
            description: &self.description,
            examples: &self.examples,
            template: Some(&self.template),
        }
    }
}

/// The scenarios and agents that the flags leave open, with templates in the language of the
/// utterance.
///
/// # Errors
/// Refused if there are none.
pub(super) async fn of(
    common: &Common,
    ask: &Ask,
    client: &mut Client,
    words: &str,
    agent: Option<&str>,
) -> Result<Vec<Offered>, Failure> {
    let wanted = ask.scenario.as_deref().map(canonical_scenario);
    let mut offered = Vec::new();
    for (scenario, mut agents) in listed(client).await? {
        if wanted.as_ref().is_some_and(|wanted| *wanted != scenario) {
            continue;
        }
        match agent {
            Some(agent) if agents.iter().any(|a| a == agent) => agents = vec![agent.to_owned()],
            Some(_) => continue,
            None => {}
        }
        let template = Node::container(SCHEMA, "get-schema-template")
            .leaf("scenario", &scenario)
            .leaf("preferred-language", language_of(words));
        let template =
            Arc::new(fetched(common, &ask.remote, client, &template, Asked::ByScenario).await?);
        if agents.len() > AGENTS_MAX {
            agents = ranked(client, &template.schema_id, words).await?;
        }
        if agents.is_empty() {
            agents.push(String::new());
        }
        offered.extend(agents.into_iter().map(|agent| Offered {
            scenario: scenario.clone(),
            template: Arc::clone(&template),
            agent,
            description: String::new(),
            examples: Vec::new(),
        }));
    }
    match offered.is_empty() {
        true => Err(Failure::refused(nothing(ask, agent))),
        false => described(client, offered).await,
    }
}

fn nothing(ask: &Ask, agent: Option<&str>) -> String {
    match (&ask.scenario, agent) {
        (Some(scenario), None) => format!("no scenario is called '{scenario}'"),
        (Some(scenario), Some(agent)) => format!("{agent} does not take '{scenario}'"),
        (None, Some(agent)) => {
            format!("{agent} takes no scenario; --plain sends it the words as they are")
        }
        (None, None) => "no scenario is offered".to_owned(),
    }
}

/// The scenarios, with the agents that take them.
async fn listed(client: &mut Client) -> Result<Vec<(String, Vec<String>)>, Failure> {
    let reply = call(client, &Node::container(SCHEMA, "list-scenarios")).await?;
    let scenarios = reply.body().filter(|e| e.name() == "scenario");
    Ok(scenarios
        .map(|e| (text(e, "scenario"), texts(e, "agent")))
        .collect())
}

/// The agents that take a template, as the registry ranks them for this utterance; unranked if none
/// matches it.
async fn ranked(client: &mut Client, schema_id: &str, words: &str) -> Result<Vec<String>, Failure> {
    let takers = || {
        Node::container(REGISTRY, "discover-agents")
            .leaf("schema", schema_id)
            .leaf("limit", AGENTS_MAX as u64)
    };
    let mut found = Vec::new();
    for rpc in [takers().leaf("text", words), takers()] {
        let reply = call(client, &rpc).await?;
        let matches = reply.body().filter(|e| e.name() == "match");
        found.extend(matches.filter_map(|e| leaf(e, "name")));
        if !found.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// Adds the descriptions and examples of the profiles.
async fn described(
    client: &mut Client,
    mut offered: Vec<Offered>,
) -> Result<Vec<Offered>, Failure> {
    let mut registry = Node::container(REGISTRY, "registry");
    let mut names: Vec<String> = offered.iter().map(|o| o.agent.clone()).collect();
    names.sort();
    names.dedup();
    names.retain(|name| !name.is_empty());
    for name in &names {
        registry = registry.with(Node::container("", "agent").leaf("name", name));
    }
    if names.is_empty() {
        return Ok(offered);
    }
    let document = get(client, &registry).await?;
    let profiles: BTreeMap<String, XmlElement<'_>> = entries(&document, "agent")
        .map(|agent| (text(agent, "name"), agent))
        .collect();
    for offered in &mut offered {
        if let Some(agent) = profiles.get(&offered.agent) {
            offered.read(*agent);
        }
    }
    Ok(offered)
}

impl Offered {
    /// Reads the descriptions and examples of the agent and of its skills that take the template.
    fn read(&mut self, agent: XmlElement<'_>) {
        let of_it = |detail: &XmlElement<'_>| {
            let schemas = texts(*detail, "schema");
            schemas.iter().any(|s| *s == self.template.schema_id)
        };
        let observed = named(agent, "observed").next();
        let details = observed.into_iter().flat_map(|o| named(o, "skill-detail"));
        let details: Vec<XmlElement<'_>> = details.filter(of_it).collect();
        let skills: Vec<String> = details.iter().map(|d| text(*d, "skill-name")).collect();
        self.examples = details.iter().flat_map(|d| texts(*d, "example")).collect();
        let mut said: Vec<String> = ["description", "domain", "management-object"]
            .map(|name| text(agent, name))
            .into();
        let offered = named(agent, "skills").flat_map(|s| named(s, "skill"));
        for skill in offered.filter(|s| skills.contains(&text(*s, "skill-name"))) {
            said.push(text(skill, "skill-description"));
            said.extend(texts(skill, "skill-tags"));
        }
        self.description = said.join(". ");
    }
}
