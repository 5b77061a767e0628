//! A card made from a profile of the platform.
//!
//! Maps the members of a profile to those of a card; each schema of a skill is an input mode beside
//! `text/plain` (object schemas §1). The server adds the security schemes. Read next:
//! [`crate::objects`], [`crate::intent`].

use super::{
    AgentCapabilities, AgentExtension, AgentInterface, AgentProvider, AgentSkill, Card,
    CardProfile, HTTP_JSON, JSONRPC,
};
use crate::intent::{self, SkillExtension};
use crate::objects;
use crate::version::Version;
use domain::profile::{self, Profile};
use schema::language::Language;
use schema::render;
use schema::template::Template;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The extension that holds the members of a profile which a card does not have.
pub const PLATFORM_URI: &str = "urn:convoke:a2a:profile:1";

/// The card of an agent, from a profile that [`Profile::check`] accepts, with one URL for both
/// bindings in both versions.
///
/// `templates` are the published ones, by `schema_id`; a schema of the profile that is not among
/// them is left out.
pub fn card_of(
    profile: &Profile,
    url: &str,
    templates: &BTreeMap<String, &Template>,
    language: &Language,
    card_profile: CardProfile,
) -> Card {
    let mut card = Card::new(&profile.name, described(profile), &profile.version);
    card.provider = Some(AgentProvider {
        organization: profile.provider.clone(),
        url: url.to_owned(),
    });
    card.interfaces = interfaces(url);
    card.capabilities = AgentCapabilities {
        streaming: Some(profile.capability.streaming),
        push_notifications: Some(profile.capability.push_notifications),
        extended_card: Some(false),
    };
    card.skills = profile
        .skills
        .iter()
        .map(|it| skill(it, templates))
        .collect();
    let told = schemas(profile, templates, language);
    if !told.is_empty() {
        objects::declare(&mut card, &told, card_profile);
        let skills = skill_extensions(profile, &told);
        intent::declare(&mut card, &skills).expect(
            "a profile was checked to name each skill once, and templates render as objects",
        );
    }
    card.declare(platform(profile));
    card
}

fn interfaces(url: &str) -> Vec<AgentInterface> {
    let newest_first = Version::ALL.into_iter().rev();
    let all = newest_first.flat_map(|version| [(version, JSONRPC), (version, HTTP_JSON)]);
    let interface = |(version, binding): (Version, &str)| AgentInterface {
        url: url.to_owned(),
        binding: binding.to_owned(),
        version: version.as_str().to_owned(),
        tenant: None,
    };
    all.map(interface).collect()
}

fn described(profile: &Profile) -> String {
    match &profile.alias {
        Some(alias) => format!("{alias}: {}", profile.description),
        None => profile.description.clone(),
    }
}

fn skill(of: &profile::Skill, templates: &BTreeMap<String, &Template>) -> AgentSkill {
    let published = || of.schemas.iter().filter_map(|id| templates.get(id));
    let inputs = published().map(|template| objects::mode(&template.schema_id));
    let responses = published().filter_map(|template| template.response_schema_id.as_ref());
    let outputs = responses.filter(|id| templates.contains_key(*id));
    AgentSkill {
        id: of.name.clone(),
        name: of.name.clone(),
        description: of.description.clone(),
        tags: of.tags.clone(),
        examples: of.examples.clone(),
        input_modes: modes(&of.input_modes, inputs),
        output_modes: modes(&of.output_modes, outputs.map(|id| objects::mode(id))),
        security: Vec::new(),
    }
}

/// The media types of a skill: `text/plain` first, as plain language is always possible.
fn modes(said: &[String], typed: impl Iterator<Item = String>) -> Vec<String> {
    let mut modes = vec!["text/plain".to_owned()];
    let media = said.iter().map(|mode| match mode.as_str() {
        "text" => "text/plain".to_owned(),
        "image" | "audio" | "video" => format!("{mode}/*"),
        other => other.to_owned(),
    });
    for mode in media.chain(typed) {
        if !modes.contains(&mode) {
            modes.push(mode);
        }
    }
    modes
}

/// The JSON Schemas of a profile's templates and of their responses.
fn schemas(
    profile: &Profile,
    templates: &BTreeMap<String, &Template>,
    language: &Language,
) -> BTreeMap<String, Value> {
    let rendered = |template: &Template| render::json_schema(template, language);
    told(profile, templates)
        .map(|it| (it.schema_id.clone(), without_empty(rendered(it))))
        .collect()
}

/// The schemas that the card of a profile declares.
pub fn declared_of(profile: &Profile, templates: &BTreeMap<String, &Template>) -> BTreeSet<String> {
    let names = told(profile, templates).map(|it| it.schema_id.clone());
    names.collect()
}

/// A profile's templates, and those of their responses.
fn told<'t>(
    profile: &'t Profile,
    templates: &'t BTreeMap<String, &Template>,
) -> impl Iterator<Item = &'t Template> {
    let asked = profile.schemas().filter_map(|id| templates.get(id));
    asked.flat_map(|template| {
        let response = template.response_schema_id.as_ref();
        let response = response.and_then(|id| templates.get(id));
        std::iter::once(*template).chain(response.copied())
    })
}

/// A JSON Schema without empty keywords, so that it can be signed.
fn without_empty(schema: Value) -> Value {
    let Value::Object(mut members) = schema else {
        return schema;
    };
    for name in ["required", "properties"] {
        if members
            .get(name)
            .is_some_and(|it| *it == Value::Array(vec![]) || *it == Value::Object(Map::new()))
        {
            members.remove(name);
        }
    }
    Value::Object(members)
}

/// The parameters of each skill that has exactly one schema: among several an intent cannot choose.
fn skill_extensions(profile: &Profile, told: &BTreeMap<String, Value>) -> Vec<SkillExtension> {
    let typed = profile.skills.iter().filter_map(|skill| {
        let known: Vec<&Value> = skill.schemas.iter().filter_map(|id| told.get(id)).collect();
        match known.as_slice() {
            [Value::Object(schema)] => Some(SkillExtension {
                id: skill.name.clone(),
                input_schema: schema.clone(),
            }),
            _ => None,
        }
    });
    typed.collect()
}

/// Type, domain, layer and managed object, which a card has no members for.
fn platform(profile: &Profile) -> AgentExtension {
    let members = [
        ("type", profile.agent_type.clone()),
        ("domain", profile.domain.clone()),
        ("managementObject", profile.management_object.clone()),
        ("layer", Some(profile.layer.as_str().to_owned())),
        ("negotiate", profile.capability.negotiate.clone()),
    ];
    let said = members.into_iter().filter_map(|(name, value)| {
        Some((
            name.to_owned(),
            Value::String(value.filter(|it| !it.is_empty())?),
        ))
    });
    AgentExtension {
        uri: PLATFORM_URI.to_owned(),
        description: Some("What the platform knows of the agent".to_owned()),
        required: false,
        params: said.collect(),
    }
}
