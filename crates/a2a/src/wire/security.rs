//! Ways to authenticate in each version (v1.0 §4.5, v0.3 §5.5.3).
//!
//! v0.3 distinguishes them by `type`, v1.0 by member name. A card for both has both in one object:
//! each reader drops the members that it does not know.

use super::read::{Malformed, Object, text};
use super::write::Members;
use crate::card::{Requirement, SecurityKind, SecurityScheme};
use serde_json::{Map, Value, json};

/// The `type` of v0.3 and the member of v1.0 for a kind.
fn names(kind: &SecurityKind) -> (&'static str, &'static str) {
    match kind {
        SecurityKind::ApiKey { .. } => ("apiKey", "apiKeySecurityScheme"),
        SecurityKind::Http { .. } => ("http", "httpAuthSecurityScheme"),
        SecurityKind::OAuth2 { .. } => ("oauth2", "oauth2SecurityScheme"),
        SecurityKind::OpenIdConnect { .. } => ("openIdConnect", "openIdConnectSecurityScheme"),
        SecurityKind::MutualTls => ("mutualTLS", "mtlsSecurityScheme"),
    }
}

pub(super) fn scheme_v10(scheme: &SecurityScheme) -> Map<String, Value> {
    let (_, member) = names(&scheme.kind);
    Members::new()
        .with(member, members(scheme, "location"))
        .into_map()
}

pub(super) fn scheme_v03(scheme: &SecurityScheme) -> Map<String, Value> {
    let (kind, _) = names(&scheme.kind);
    members(scheme, "in").with("type", kind).into_map()
}

fn members(scheme: &SecurityScheme, location_name: &str) -> Members {
    let members = Members::new().text("description", scheme.description.as_ref());
    match &scheme.kind {
        SecurityKind::ApiKey { location, name } => members
            .with(location_name, location.as_str())
            .with("name", name.as_str()),
        SecurityKind::Http {
            scheme,
            bearer_format,
        } => members
            .with("scheme", scheme.as_str())
            .text("bearerFormat", bearer_format.as_ref()),
        SecurityKind::OAuth2 {
            flows,
            metadata_url,
        } => members
            .with("flows", json!(flows))
            .text("oauth2MetadataUrl", metadata_url.as_ref()),
        SecurityKind::OpenIdConnect { url } => members.with("openIdConnectUrl", url.as_str()),
        SecurityKind::MutualTls => members,
    }
}

/// Reads a security scheme of either version.
pub(super) fn read_scheme(value: &Value) -> Result<SecurityScheme, Malformed> {
    let object = Object::of(value)?;
    let read = |name: &str, kind: &str| object.at(name, |it| read_members(kind, it));
    for (member, kind) in [
        ("apiKeySecurityScheme", "apiKey"),
        ("httpAuthSecurityScheme", "http"),
        ("oauth2SecurityScheme", "oauth2"),
        ("openIdConnectSecurityScheme", "openIdConnect"),
        ("mtlsSecurityScheme", "mutualTLS"),
    ] {
        if let Some(scheme) = read(member, kind)? {
            return Ok(scheme);
        }
    }
    read_members(&object.needed_text("type")?, value)
}

fn read_members(kind: &str, value: &Value) -> Result<SecurityScheme, Malformed> {
    let object = Object::of(value)?;
    let kind = match kind {
        "apiKey" => SecurityKind::ApiKey {
            location: match object.text("location")? {
                Some(location) => location,
                None => object.needed_text("in")?,
            },
            name: object.needed_text("name")?,
        },
        "http" => SecurityKind::Http {
            scheme: object.needed_text("scheme")?,
            bearer_format: object.text("bearerFormat")?,
        },
        "oauth2" => SecurityKind::OAuth2 {
            flows: object.needed("flows", |flows| {
                let flow = |(name, flow): (&String, &Value)| {
                    let members = Object::of(flow).map_err(|wrong| wrong.under(name))?;
                    Ok((name.clone(), members.members().clone()))
                };
                Object::of(flows)?.members().iter().map(flow).collect()
            })?,
            metadata_url: object.text("oauth2MetadataUrl")?,
        },
        "openIdConnect" => SecurityKind::OpenIdConnect {
            url: object.needed_text("openIdConnectUrl")?,
        },
        "mutualTLS" => SecurityKind::MutualTls,
        _ => return Err(Malformed::member("type", "a way to authenticate is needed")),
    };
    Ok(SecurityScheme {
        description: object.text("description")?,
        kind,
    })
}

pub(super) fn requirement_v10(requirement: &Requirement) -> Value {
    let schemes = requirement.iter().map(|(name, scopes)| {
        let scopes = Members::new().texts("list", scopes);
        (name.clone(), scopes.into())
    });
    json!({"schemes": schemes.collect::<Map<String, Value>>()})
}

pub(super) fn requirement_v03(requirement: &Requirement) -> Value {
    json!(requirement)
}

/// Reads a security requirement of either version.
pub(super) fn read_requirement(value: &Value) -> Result<Requirement, Malformed> {
    let object = Object::of(value)?;
    let schemes = match object.get("schemes") {
        Some(Value::Object(schemes)) => schemes,
        _ => object.members(),
    };
    let read = |(name, scopes): (&String, &Value)| {
        let scopes = match scopes {
            Value::Array(_) => super::read::entries(scopes, text),
            _ => Object::of(scopes)?.texts("list"),
        };
        Ok((name.clone(), scopes.map_err(|wrong| wrong.under(name))?))
    };
    schemes.iter().map(read).collect()
}
