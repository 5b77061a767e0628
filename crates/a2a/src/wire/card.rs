//! Cards in each version (v1.0 §4.4.1, v0.3 §5.5).
//!
//! A card of either version, or of both, is read; where both have a member for the same thing, that
//! of v1.0 is used.

use super::read::{Malformed, Object};
use super::security::{
    read_requirement, read_scheme, requirement_v03, requirement_v10, scheme_v03, scheme_v10,
};
use super::write::Members;
use crate::card::{
    AgentCapabilities, AgentExtension, AgentInterface, AgentProvider, AgentSkill, Card,
    CardSignature, JSONRPC, Requirement, SecurityScheme,
};
use crate::version::Version;
use serde_json::{Map, Value, json};

/// A card as JSON of one version; with the root member `schemas` if the card has it.
pub fn card(version: Version, card: &Card) -> Value {
    let members = match version {
        Version::V10 => members_v10(card),
        Version::V03 => members_v03(card),
    };
    let schemas = (!card.schemas.is_empty()).then(|| json!(card.schemas));
    members.maybe("schemas", schemas).into()
}

fn members_v10(card: &Card) -> Members {
    let capabilities =
        capabilities(card).maybe("extendedAgentCard", card.capabilities.extended_card);
    alike(card)
        .with(
            "supportedInterfaces",
            card.interfaces.iter().map(interface).collect::<Value>(),
        )
        .with("capabilities", capabilities)
        .free("securitySchemes", &schemes(card, scheme_v10))
        .each("securityRequirements", &card.security, requirement_v10)
        .with(
            "skills",
            skills(card, "securityRequirements", requirement_v10),
        )
}

fn members_v03(card: &Card) -> Members {
    let places = v03_places(card);
    let main = places.first();
    let additional: Vec<&AgentInterface> = places.iter().skip(1).copied().collect();
    alike(card)
        .with("protocolVersion", "0.3.0")
        .with("url", main.map_or("", |it| it.url.as_str()))
        .maybe("preferredTransport", main.map(|it| it.binding.as_str()))
        .each(
            "additionalInterfaces",
            &additional,
            |it| json!({"url": it.url, "transport": it.binding}),
        )
        .with("capabilities", capabilities(card))
        .maybe(
            "supportsAuthenticatedExtendedCard",
            card.capabilities.extended_card,
        )
        .free("securitySchemes", &schemes(card, scheme_v03))
        .each("security", &card.security, requirement_v03)
        .with("skills", skills(card, "security", requirement_v03))
}

fn schemes(
    card: &Card,
    write: impl Fn(&SecurityScheme) -> Map<String, Value>,
) -> Map<String, Value> {
    let all = card.security_schemes.iter();
    all.map(|(name, scheme)| (name.clone(), write(scheme).into()))
        .collect()
}

/// The members of v0.3 that stand beside those of v1.0 in a card for both: those that v1.0 names
/// otherwise or does not have.
pub fn v03_members(card: &Card) -> Map<String, Value> {
    let mut members = members_v03(card).into_map();
    let both = |scheme: &SecurityScheme| {
        let members = scheme_v10(scheme).into_iter().chain(scheme_v03(scheme));
        members.collect()
    };
    if let Some(told) = members.get_mut("securitySchemes") {
        *told = schemes(card, both).into();
    }
    members.retain(|name, _| {
        matches!(
            name.as_str(),
            "protocolVersion"
                | "url"
                | "preferredTransport"
                | "additionalInterfaces"
                | "supportsAuthenticatedExtendedCard"
                | "securitySchemes"
                | "security"
        )
    });
    members
}

/// The interfaces of v0.3, or all if there is none.
fn v03_places(card: &Card) -> Vec<&AgentInterface> {
    let of_v03 = |it: &&AgentInterface| Version::of_header(Some(&it.version)) == Ok(Version::V03);
    let spoken: Vec<&AgentInterface> = card.interfaces.iter().filter(of_v03).collect();
    match spoken.is_empty() {
        true => card.interfaces.iter().collect(),
        false => spoken,
    }
}

/// The members that are the same in both versions.
fn alike(card: &Card) -> Members {
    let provider = card
        .provider
        .as_ref()
        .map(|it| json!({"organization": it.organization, "url": it.url}));
    Members::new()
        .with("name", card.name.as_str())
        .with("description", card.description.as_str())
        .with("version", card.version.as_str())
        .maybe("provider", provider)
        .text("documentationUrl", card.documentation_url.as_ref())
        .text("iconUrl", card.icon_url.as_ref())
        .with("defaultInputModes", card.default_input_modes.clone())
        .with("defaultOutputModes", card.default_output_modes.clone())
        .each("signatures", &card.signatures, |it| {
            let members = Members::new()
                .with("protected", it.protected.as_str())
                .with("signature", it.signature.as_str());
            members.free("header", &it.header).into()
        })
}

fn interface(it: &AgentInterface) -> Value {
    let members = Members::new()
        .with("url", it.url.as_str())
        .with("protocolBinding", it.binding.as_str())
        .with("protocolVersion", it.version.as_str());
    members.text("tenant", it.tenant.as_ref()).into()
}

fn capabilities(card: &Card) -> Members {
    Members::new()
        .maybe("streaming", card.capabilities.streaming)
        .maybe("pushNotifications", card.capabilities.push_notifications)
        .each("extensions", &card.extensions, |it| {
            let members = Members::new()
                .with("uri", it.uri.as_str())
                .text("description", it.description.as_ref())
                .flag("required", it.required);
            members.free("params", &it.params).into()
        })
}

fn skills(card: &Card, security: &str, requirement: fn(&Requirement) -> Value) -> Value {
    let skill = |it: &AgentSkill| -> Value {
        let members = Members::new()
            .with("id", it.id.as_str())
            .with("name", it.name.as_str())
            .with("description", it.description.as_str())
            .with("tags", it.tags.clone())
            .texts("examples", &it.examples)
            .texts("inputModes", &it.input_modes)
            .texts("outputModes", &it.output_modes);
        members.each(security, &it.security, requirement).into()
    };
    card.skills.iter().map(skill).collect()
}

/// A card from JSON of either version, or of both.
///
/// Lenient: of the members that the specifications require, only the name is needed, so that the
/// partial cards of the object-schemas extension (§1) and of the intent extension can be read as
/// well; `name` itself may be missing where `skills` or `capabilities` are present.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong.
pub fn read_card(value: &Value) -> Result<Card, Malformed> {
    let object = Object::of(value)?;
    if !["name", "skills", "capabilities"]
        .iter()
        .any(|it| object.get(it).is_some())
    {
        return Err(Malformed::whole("this is no card"));
    }
    let schemes = object.at("securitySchemes", |it| read_named(it, read_scheme))?;
    let schemas = object.free("schemas")?;
    Ok(Card {
        name: object.text("name")?.unwrap_or_default(),
        description: object.text("description")?.unwrap_or_default(),
        version: object.text("version")?.unwrap_or_default(),
        provider: object.at("provider", read_provider)?,
        documentation_url: object.text("documentationUrl")?,
        icon_url: object.text("iconUrl")?,
        interfaces: read_interfaces(object)?,
        capabilities: read_capabilities(object)?,
        extensions: read_extensions(object)?,
        security_schemes: schemes.unwrap_or_default(),
        security: read_security(object)?,
        default_input_modes: object.texts("defaultInputModes")?,
        default_output_modes: object.texts("defaultOutputModes")?,
        skills: object.each("skills", read_skill)?,
        schemas: schemas.into_iter().collect(),
        signatures: object.each("signatures", read_signature)?,
    })
}

fn read_named<T, C: FromIterator<(String, T)>>(
    value: &Value,
    read: impl Fn(&Value) -> Result<T, Malformed>,
) -> Result<C, Malformed> {
    let read = |(name, it): (&String, &Value)| {
        let it = read(it).map_err(|wrong| wrong.under(name))?;
        Ok((name.clone(), it))
    };
    Object::of(value)?.members().iter().map(read).collect()
}

fn read_provider(value: &Value) -> Result<AgentProvider, Malformed> {
    let object = Object::of(value)?;
    Ok(AgentProvider {
        organization: object.needed_text("organization")?,
        url: object.text("url")?.unwrap_or_default(),
    })
}

fn read_interfaces(object: Object<'_>) -> Result<Vec<AgentInterface>, Malformed> {
    if object.get("supportedInterfaces").is_some() {
        return object.each("supportedInterfaces", read_interface);
    }
    let Some(url) = object.text("url")? else {
        return Ok(Vec::new());
    };
    let version = object.text("protocolVersion")?;
    let version = version.unwrap_or_else(|| Version::V03.as_str().to_owned());
    let binding = object.text("preferredTransport")?;
    let place = |url, binding| AgentInterface {
        url,
        binding,
        version: version.clone(),
        tenant: None,
    };
    let main = place(url, binding.unwrap_or_else(|| JSONRPC.to_owned()));
    let additional = object.each("additionalInterfaces", |it| {
        let it = Object::of(it)?;
        Ok(place(it.needed_text("url")?, it.needed_text("transport")?))
    })?;
    let others = additional.into_iter().filter(|it| *it != main);
    let others: Vec<AgentInterface> = others.collect();
    Ok(std::iter::once(main).chain(others).collect())
}

fn read_interface(value: &Value) -> Result<AgentInterface, Malformed> {
    let object = Object::of(value)?;
    Ok(AgentInterface {
        url: object.needed_text("url")?,
        binding: object.needed_text("protocolBinding")?,
        version: object.needed_text("protocolVersion")?,
        tenant: object.text("tenant")?,
    })
}

fn read_capabilities(object: Object<'_>) -> Result<AgentCapabilities, Malformed> {
    let root = object.flag("supportsAuthenticatedExtendedCard")?;
    let found = object.at("capabilities", |value| {
        let object = Object::of(value)?;
        Ok(AgentCapabilities {
            streaming: object.flag("streaming")?,
            push_notifications: object.flag("pushNotifications")?,
            extended_card: object.flag("extendedAgentCard")?,
        })
    })?;
    let found = found.unwrap_or_default();
    Ok(AgentCapabilities {
        extended_card: found.extended_card.or(root),
        ..found
    })
}

fn read_extensions(object: Object<'_>) -> Result<Vec<AgentExtension>, Malformed> {
    let found = object.at("capabilities", |value| {
        Object::of(value)?.each("extensions", |it| {
            let it = Object::of(it)?;
            Ok(AgentExtension {
                uri: it.needed_text("uri")?,
                description: it.text("description")?,
                required: it.flag("required")?.unwrap_or_default(),
                params: it.free("params")?,
            })
        })
    })?;
    Ok(found.unwrap_or_default())
}

fn read_security(object: Object<'_>) -> Result<Vec<Requirement>, Malformed> {
    match object.get("securityRequirements") {
        Some(_) => object.each("securityRequirements", read_requirement),
        None => object.each("security", read_requirement),
    }
}

fn read_skill(value: &Value) -> Result<AgentSkill, Malformed> {
    let object = Object::of(value)?;
    let id = object.needed_text("id")?;
    Ok(AgentSkill {
        name: object.text("name")?.unwrap_or_else(|| id.clone()),
        description: object.text("description")?.unwrap_or_default(),
        tags: object.texts("tags")?,
        examples: object.texts("examples")?,
        input_modes: object.texts("inputModes")?,
        output_modes: object.texts("outputModes")?,
        security: read_security(object)?,
        id,
    })
}

fn read_signature(value: &Value) -> Result<CardSignature, Malformed> {
    let object = Object::of(value)?;
    Ok(CardSignature {
        protected: object.needed_text("protected")?,
        signature: object.needed_text("signature")?,
        header: object.free("header")?,
    })
}
