//! `register-agent`, `renew-lease`, `deregister-agent`, `discover-agents` and `form-team` (module
//! convoke-registry; draft §4.1).
//!
//! Read by the schema's leave and asked of the engine, which decides. Read next: `page`.

use super::input::{all, child, flag, needed, number, text, texts, word};
use super::{Answer, Codec, Dispatch, carried_out, output};
use crate::netconf::REGISTRY_NAMESPACE;
use crate::netconf::encode::team;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::session::RequestContext;
use ::netconf::data::Node;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::content::Content;
use domain::discovery::{Criteria, Match};
use domain::profile::{Advice, AuthenticationMethod, Capability, Layer, Profile, Skill};
use domain::registry::{Health, Reach, Registration};
use domain::task::TaskId;
use domain::team::{Need, Team};
use engine::{
    DeregisterAgent, DiscoverAgents, FormTeam, IntroduceAgent, RegisterAgent, Registered,
    RenewLease,
};
use std::sync::Arc;

/// `lease`, if it is not given, in seconds: the default of the module.
const LEASE_S: i64 = 300;
/// `limit` of `discover-agents`, if it is not given: the default of the module.
const MATCHES: usize = 10;

/// `register-agent`: of an agent that says who it is here, or in its card.
pub(super) fn register_agent(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    input: XmlElement<'_>,
) -> Dispatch {
    match word(input, "reach") {
        Some("a2a") => carried_out::<IntroduceAgent>(cx, origin, input),
        _ => carried_out::<RegisterAgent>(cx, origin, input),
    }
}

impl Codec for RegisterAgent {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            profile: profile(input)?,
            reach: reach(input),
            lease_ms: lease_ms(input),
        })
    }

    fn encode(registered: Registered) -> Answer {
        place(&registered.registration, &registered.advice)
    }
}

impl Codec for IntroduceAgent {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            card_url: needed(input, "card-url")?,
            name: text(input, "name"),
            alias: text(input, "alias"),
            agent_type: text(input, "type"),
            domain: text(input, "domain"),
            management_object: text(input, "management-object"),
            layer: layer(input)?,
            province: text(input, "province"),
            lease_ms: lease_ms(input),
        })
    }

    fn encode(registered: Registered) -> Answer {
        place(&registered.registration, &registered.advice)
    }
}

impl Codec for RenewLease {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let health = word(input, "health");
        Ok(Self {
            name: text(input, "name"),
            health: health.and_then(Health::parse).unwrap_or_default(),
            note: text(input, "health-note").unwrap_or_default(),
        })
    }

    fn encode(registration: Arc<Registration>) -> Answer {
        place(&registration, &[])
    }
}

impl Codec for DeregisterAgent {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        let name = text(input, "name");
        Ok(Self { name })
    }

    fn encode((): ()) -> Answer {
        Answer::Ok
    }
}

impl Codec for DiscoverAgents {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            criteria: criteria(input),
            limit: number(input, "limit").unwrap_or(MATCHES),
        })
    }

    fn encode(found: Vec<Match>) -> Answer {
        output(found.iter().map(|found| {
            Node::entry(REGISTRY_NAMESPACE, "match", 1)
                .leaf("name", &found.name)
                .leaf("score", found.score)
                .leaf_list("reason", &found.reasons)
        }))
    }
}

impl Codec for FormTeam {
    fn decode(_: &RequestContext<'_>, input: XmlElement<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            task: TaskId::new(needed(input, "task-id")?),
            needs: all(input, "need").map(need).collect::<Result<_, _>>()?,
        })
    }

    fn encode(formed: Arc<Team>) -> Answer {
        let team = Node::container(REGISTRY_NAMESPACE, "team");
        output([team::filled(team, &formed)])
    }
}

/// The output of `register-agent` and `renew-lease`.
fn place(registration: &Registration, advice: &[Advice]) -> Answer {
    let leaf = |name, text: String| Node::value(REGISTRY_NAMESPACE, name, text);
    let name = leaf("name", registration.profile.name.clone());
    let lease = registration.lease_until();
    let advice = advice.iter().map(|a| leaf("advice", a.0.clone()));
    let lease = lease.map(|until| leaf("lease-until", until.to_string()));
    output([name].into_iter().chain(lease).chain(advice))
}

fn lease_ms(input: XmlElement<'_>) -> i64 {
    1_000 * number(input, "lease").unwrap_or(LEASE_S)
}

fn profile(operation: XmlElement<'_>) -> Result<Profile, RpcError> {
    let skills = child(operation, "skills").into_iter();
    let methods = child(operation, "authentication").into_iter();
    Ok(Profile {
        name: needed(operation, "name")?,
        alias: text(operation, "alias"),
        description: needed(operation, "description")?,
        agent_type: text(operation, "type"),
        version: needed(operation, "version")?,
        provider: needed(operation, "provider")?,
        domain: text(operation, "domain"),
        management_object: text(operation, "management-object"),
        layer: layer(operation)?,
        province: text(operation, "province"),
        capability: child(operation, "capability").map_or_else(Capability::default, capability),
        skills: skills
            .flat_map(|s| all(s, "skill"))
            .map(|s| skill(s, operation))
            .collect(),
        authentication: methods
            .flat_map(|m| all(m, "authentication-methods"))
            .map(method)
            .collect(),
    })
}

fn layer(operation: XmlElement<'_>) -> Result<Layer, RpcError> {
    let layer = word(operation, "layer");
    layer
        .and_then(|name| Layer::ALL.into_iter().find(|l| l.as_str() == name))
        .ok_or_else(|| error::missing(operation, "layer"))
}

fn capability(element: XmlElement<'_>) -> Capability {
    Capability {
        streaming: flag(element, "streaming"),
        push_notifications: flag(element, "push-notifications"),
        negotiate: text(element, "negotiate"),
    }
}

/// A skill, with what its entry of `skill-detail` adds.
fn skill(element: XmlElement<'_>, operation: XmlElement<'_>) -> Skill {
    let name = text(element, "skill-name").unwrap_or_default();
    let detail = all(operation, "skill-detail")
        .find(|d| text(*d, "skill-name").as_deref() == Some(name.as_str()));
    let more = |leaf| detail.map_or_else(Vec::new, |d| texts(d, leaf));
    Skill {
        description: text(element, "skill-description").unwrap_or_default(),
        tags: texts(element, "skill-tags"),
        input_modes: texts(element, "input-modes"),
        output_modes: texts(element, "output-modes"),
        examples: more("example"),
        schemas: more("schema"),
        name,
    }
}

fn method(element: XmlElement<'_>) -> AuthenticationMethod {
    AuthenticationMethod {
        id: text(element, "accessinfo-id").unwrap_or_default(),
        scheme: text(element, "scheme").unwrap_or_default(),
        jwt_info: text(element, "jwtInfo"),
        oauth: text(element, "oauth"),
    }
}

fn reach(operation: XmlElement<'_>) -> Reach {
    match word(operation, "reach") {
        Some("server") => Reach::Server {
            address: text(operation, "address").unwrap_or_default(),
            host_key: text(operation, "host-key").unwrap_or_default(),
        },
        _ => Reach::Client,
    }
}

fn criteria(element: XmlElement<'_>) -> Criteria {
    Criteria {
        skill: text(element, "skill"),
        tags: texts(element, "tag"),
        input_mode: text(element, "input-mode"),
        output_mode: text(element, "output-mode"),
        domain: text(element, "domain"),
        management_object: text(element, "management-object"),
        schema: text(element, "schema"),
        text: text(element, "text"),
    }
}

fn need(element: XmlElement<'_>) -> Result<Need, RpcError> {
    let content = child(element, "content").ok_or_else(|| error::missing(element, "content"))?;
    Ok(Need {
        name: text(element, "name").unwrap_or_default(),
        criteria: criteria(element),
        content: Content::parse([content.text()])
            .map_err(|cause| error::of_sections(&cause, content))?,
        optional: flag(element, "optional"),
    })
}
