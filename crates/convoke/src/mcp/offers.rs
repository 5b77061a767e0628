//! The tools: each skill of each registered agent that takes a published schema.
//!
//! Profiles tell the agents and skills, templates the payloads; a template with an invalid seal is
//! not used. Refuses to know the outcome of calls. Read next: [`super::names`], `schema::render`.

use super::Access;
use super::names::names;
use crate::output::Failure;
use crate::remote::{REGISTRY, SCHEMA, entries, get, leaf, named, text, texts};
use crate::schemas::{fetched, records_of, schemas};
use netconf::data::Node;
use netconf::xml::{XmlDocument, XmlElement};
use rmcp::model::Tool;
use schema::language::Language;
use schema::render::json_schema_object;
use schema::signature::Asked;
use schema::template::Template;
use serde_json::Value;
use server::client::Client;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tracing::warn;

/// A skill under one of its schemas, with its tool.
#[derive(PartialEq)]
pub(super) struct Offer {
    /// The agent's name.
    pub(super) agent: String,
    /// The name of the skill.
    pub(super) skill: String,
    /// The schema of payloads.
    pub(super) schema_id: String,
    /// The schema of results; none if results are plain text.
    pub(super) response_schema_id: Option<String>,
    /// The tool.
    pub(super) tool: Tool,
}

/// All tools offered.
#[derive(PartialEq)]
pub(super) struct Offers(Vec<Offer>);

impl Offers {
    /// Reads the present offers of the platform.
    ///
    /// # Errors
    /// The [`Failure`] of the request.
    pub(super) async fn read(access: &Access) -> Result<Self, Failure> {
        let mut client = access.session().await?;
        let agents = Node::container(REGISTRY, "registry").with(Node::container("", "agent"));
        let agents = get(&mut client, &agents).await?;
        let skills = skills(&agents);
        let wanted = skills.iter().map(|skill| skill.schema_id.as_str());
        let templates = templates(access, &mut client, wanted.collect()).await?;
        Ok(Self(offered(skills, &templates, &access.language)))
    }

    /// The offer whose tool has that name.
    pub(super) fn called(&self, name: &str) -> Option<&Offer> {
        self.0.iter().find(|offer| offer.tool.name == name)
    }

    /// The tool of each.
    pub(super) fn tools(&self) -> impl Iterator<Item = Tool> {
        self.0.iter().map(|offer| offer.tool.clone())
    }
}

/// A skill under one of its schemas, from the profile.
struct Skill {
    agent: String,
    /// The agent's alias, or its name.
    called: String,
    name: String,
    schema_id: String,
    /// False for the first schema of a skill, whose tool is named after the skill alone and keeps
    /// its name when others come.
    is_further: bool,
    description: String,
    examples: Vec<String>,
}

fn skills(registry: &XmlDocument) -> Vec<Skill> {
    entries(registry, "agent").flat_map(skills_of).collect()
}

fn skills_of(agent: XmlElement<'_>) -> Vec<Skill> {
    let observed = named(agent, "observed").next();
    let details = observed.into_iter().flat_map(|o| named(o, "skill-detail"));
    let of_detail = |detail| {
        let name = text(detail, "skill-name");
        let schemas = texts(detail, "schema");
        let skill = move |(place, schema_id)| Skill {
            agent: text(agent, "name"),
            called: leaf(agent, "alias").unwrap_or_else(|| text(agent, "name")),
            name: name.clone(),
            schema_id,
            is_further: place > 0,
            description: description(agent, &name),
            examples: texts(detail, "example"),
        };
        schemas.into_iter().enumerate().map(skill)
    };
    details.flat_map(of_detail).collect()
}

/// The description of a skill in an agent's profile.
fn description(agent: XmlElement<'_>, skill: &str) -> String {
    let skills = named(agent, "skills").flat_map(|skills| named(skills, "skill"));
    let mut called = skills.filter(|it| text(*it, "skill-name") == skill);
    let found = called.next();
    found.map_or_else(String::new, |it| text(it, "skill-description"))
}

/// The templates requested that take payloads, and those of their results.
async fn templates(
    access: &Access,
    client: &mut Client,
    wanted: BTreeSet<&str>,
) -> Result<BTreeMap<String, Template>, Failure> {
    let document = records_of(client, "schema").await?;
    let in_force = schemas(&document, "schema").filter(|it| text(*it, "state") != "retired");
    let in_force: BTreeSet<String> = in_force.map(|it| text(it, "schema-id")).collect();
    let mut known = BTreeMap::new();
    let mut open: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
    while let Some(schema_id) = open.pop() {
        if known.contains_key(&schema_id) || !in_force.contains(&schema_id) {
            continue;
        }
        let template = Node::container(SCHEMA, "get-schema-template")
            .leaf("schema-id", &schema_id)
            .leaf("preferred-language", access.language.as_str());
        let fetched = fetched(
            &access.common,
            &access.remote,
            client,
            &template,
            Asked::ByName,
        );
        match fetched.await {
            Ok(template) => {
                open.extend(template.response_schema_id.clone());
                known.insert(schema_id, template);
            }
            Err(failure) if failure.is_unreachable() => return Err(failure),
            Err(failure) => warn!("{schema_id} is not used: {failure}"),
        }
    }
    Ok(known)
}

fn offered(
    mut skills: Vec<Skill>,
    templates: &BTreeMap<String, Template>,
    language: &Language,
) -> Vec<Offer> {
    skills.retain(|skill| templates.contains_key(&skill.schema_id));
    let words: Vec<Vec<&str>> = skills.iter().map(words).collect();
    let names = names(&words);
    let named = skills.iter().zip(names);
    named
        .map(|(skill, name)| {
            let template = &templates[&skill.schema_id];
            let response = template.response_schema_id.as_ref();
            let response = response.and_then(|id| templates.get(id));
            Offer {
                agent: skill.agent.clone(),
                skill: skill.name.clone(),
                schema_id: skill.schema_id.clone(),
                response_schema_id: response.map(|it| it.schema_id.clone()),
                tool: tool(name, skill, template, response, language),
            }
        })
        .collect()
}

/// The words that a tool is named after.
fn words(skill: &Skill) -> Vec<&str> {
    let mut words = vec![skill.called.as_str(), skill.name.as_str()];
    if skill.is_further {
        words.push(&skill.schema_id);
    }
    words
}

fn tool(
    name: String,
    skill: &Skill,
    template: &Template,
    response: Option<&Template>,
    language: &Language,
) -> Tool {
    let input = json_schema_object(template, language);
    let title = input.get("title").and_then(Value::as_str);
    let title = format!("{} ({})", title.unwrap_or(&skill.name), skill.called);
    let tool = Tool::new(name, told(skill), input).with_title(title);
    match response {
        Some(response) => {
            tool.with_raw_output_schema(Arc::new(json_schema_object(response, language)))
        }
        None => tool,
    }
}

/// The description of a skill with its examples, for a tool.
fn told(skill: &Skill) -> String {
    let examples = skill
        .examples
        .iter()
        .map(|example| format!("\n- {example}"));
    skill.description.clone() + &examples.collect::<String>()
}
