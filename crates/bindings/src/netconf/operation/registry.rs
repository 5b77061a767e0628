//! `register-agent`, `renew-lease`, `deregister-agent`, `discover-agents` and `form-team` (module
//! convoke-registry; draft §4.1).
//!
//! Read by the schema's leave and asked of the engine, which decides. Read next: `page`.

use super::codec::{Codec, carried_out};
use crate::netconf::answer::Dispatch;
use crate::netconf::encode::team;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::input::{self, Input, Text, Word};
use crate::netconf::output;
use crate::netconf::request_context::RequestContext;
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

/// The grouping `criteria` of the module, of whichever input uses it.
macro_rules! criteria {
    ($input:expr) => {
        Criteria {
            skill: $input.skill().map(Text::owned),
            tags: $input.tag().map(Text::owned).collect(),
            input_mode: $input.input_mode().map(Word::owned),
            output_mode: $input.output_mode().map(Word::owned),
            domain: $input.domain().map(Text::owned),
            management_object: $input.management_object().map(Text::owned),
            schema: $input.schema().map(Text::owned),
            text: $input.text().map(Text::owned),
        }
    };
}

/// The grouping `place` of the module, of whichever output uses it.
macro_rules! place {
    ($output:expr, $registration:expr) => {
        $output
            .name(&$registration.profile.name)
            .lease_until($registration.lease_until())
    };
}

/// `register-agent`: of an agent that says who it is here, or in its card.
pub(super) fn register_agent(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    input: XmlElement<'_>,
) -> Dispatch {
    match input::RegisterAgent::of(input).reach() {
        "a2a" => carried_out::<IntroduceAgent>(cx, origin, input),
        _ => carried_out::<RegisterAgent>(cx, origin, input),
    }
}

impl Codec for RegisterAgent {
    type Input = input::RegisterAgent<'static>;

    fn decode(_: &RequestContext<'_>, input: input::RegisterAgent<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            profile: profile(input)?,
            reach: reach(input)?,
            lease_ms: lease_ms(input),
        })
    }

    fn encode<'a>(
        registered: &'a Registered,
        output: output::RegisterAgent<'a>,
    ) -> output::RegisterAgent<'a> {
        taken_in(registered, output)
    }
}

impl Codec for IntroduceAgent {
    type Input = input::RegisterAgent<'static>;

    fn decode(_: &RequestContext<'_>, input: input::RegisterAgent<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            card_url: input.card_url()?.owned(),
            name: input.name().map(Text::owned),
            alias: input.alias().map(Text::owned),
            agent_type: input.r#type().map(Text::owned),
            domain: input.domain().map(Text::owned),
            management_object: input.management_object().map(Text::owned),
            layer: layer(input)?,
            province: input.province().map(Text::owned),
            lease_ms: lease_ms(input),
        })
    }

    fn encode<'a>(
        registered: &'a Registered,
        output: output::RegisterAgent<'a>,
    ) -> output::RegisterAgent<'a> {
        taken_in(registered, output)
    }
}

impl Codec for RenewLease {
    type Input = input::RenewLease<'static>;

    fn decode(_: &RequestContext<'_>, input: input::RenewLease<'_>) -> Result<Self, RpcError> {
        let note = input.health_note().map(Text::owned);
        Ok(Self {
            name: input.name().map(Text::owned),
            health: Health::parse(input.health()).unwrap_or_default(),
            note: note.unwrap_or_default(),
        })
    }

    fn encode<'a>(
        registration: &'a Arc<Registration>,
        output: output::RenewLease<'a>,
    ) -> output::RenewLease<'a> {
        place!(output, registration)
    }
}

impl Codec for DeregisterAgent {
    type Input = input::DeregisterAgent<'static>;

    fn decode(_: &RequestContext<'_>, input: input::DeregisterAgent<'_>) -> Result<Self, RpcError> {
        let name = input.name().map(Text::owned);
        Ok(Self { name })
    }

    fn encode((): &(), (): ()) {}
}

impl Codec for DiscoverAgents {
    type Input = input::DiscoverAgents<'static>;

    fn decode(_: &RequestContext<'_>, input: input::DiscoverAgents<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            criteria: criteria!(input),
            limit: input.limit().into(),
        })
    }

    fn encode<'a>(
        found: &'a Vec<Match>,
        output: output::DiscoverAgents<'a>,
    ) -> output::DiscoverAgents<'a> {
        output.r#match(found, |node, found| {
            node.name(&found.name)
                .score(found.score)
                .reason(&found.reasons)
        })
    }
}

impl Codec for FormTeam {
    type Input = input::FormTeam<'static>;

    fn decode(_: &RequestContext<'_>, input: input::FormTeam<'_>) -> Result<Self, RpcError> {
        Ok(Self {
            task: TaskId::new(input.task_id()?.as_str()),
            needs: input.need().map(need).collect::<Result<_, _>>()?,
        })
    }

    fn encode<'a>(formed: &'a Arc<Team>, output: output::FormTeam<'a>) -> output::FormTeam<'a> {
        output.team(Some(&**formed), team::filled)
    }
}

fn taken_in<'a>(
    of: &'a Registered,
    output: output::RegisterAgent<'a>,
) -> output::RegisterAgent<'a> {
    let advice = of.advice.iter().map(|Advice(text)| text);
    place!(output, of.registration).advice(advice)
}

fn lease_ms(input: input::RegisterAgent<'_>) -> i64 {
    1_000 * i64::from(input.lease())
}

/// A profile, of which the module leaves out what an agent that is introduced says in its card.
fn profile(input: input::RegisterAgent<'_>) -> Result<Profile, RpcError> {
    let skills = input.skills().given().into_iter().flat_map(|s| s.skill());
    let methods = input.authentication().given().into_iter();
    let methods = methods.flat_map(|m| m.authentication_methods());
    Ok(Profile {
        name: input.name().needed()?.owned(),
        alias: input.alias().map(Text::owned),
        description: input.description().needed()?.owned(),
        agent_type: input.r#type().map(Text::owned),
        version: input.version().needed()?.owned(),
        provider: input.provider().needed()?.owned(),
        domain: input.domain().map(Text::owned),
        management_object: input.management_object().map(Text::owned),
        layer: layer(input)?,
        province: input.province().map(Text::owned),
        capability: input.capability().map(capability).unwrap_or_default(),
        skills: skills
            .map(|its| skill(its, input))
            .collect::<Result<_, _>>()?,
        authentication: methods.map(method).collect::<Result<_, _>>()?,
    })
}

fn layer(input: input::RegisterAgent<'_>) -> Result<Layer, RpcError> {
    input.layer()?.read_as(Layer::parse)
}

fn capability(input: input::RegisterAgentCapability<'_>) -> Capability {
    Capability {
        streaming: input.streaming().given().unwrap_or_default(),
        push_notifications: input.push_notifications().given().unwrap_or_default(),
        negotiate: input.negotiate().map(Text::owned),
    }
}

/// A skill, with what its entry of `skill-detail` adds.
fn skill(
    its: input::RegisterAgentSkillsSkill<'_>,
    input: input::RegisterAgent<'_>,
) -> Result<Skill, RpcError> {
    let name = its.skill_name()?.owned();
    let detail = input.skill_detail().find(|detail| {
        let of = detail.skill_name();
        of.is_ok_and(|of| of.as_str() == name)
    });
    let examples = detail.into_iter().flat_map(|detail| detail.example());
    let schemas = detail.into_iter().flat_map(|detail| detail.schema());
    Ok(Skill {
        description: its.skill_description().map(Text::owned).unwrap_or_default(),
        tags: its.skill_tags().map(Text::owned).collect(),
        input_modes: its.input_modes().map(Text::owned).collect(),
        output_modes: its.output_modes().map(Text::owned).collect(),
        examples: examples.map(Text::owned).collect(),
        schemas: schemas.map(Text::owned).collect(),
        name,
    })
}

fn method(
    input: input::RegisterAgentAuthenticationAuthenticationMethods<'_>,
) -> Result<AuthenticationMethod, RpcError> {
    Ok(AuthenticationMethod {
        id: input.accessinfo_id()?.owned(),
        scheme: input.scheme().map(Text::owned).unwrap_or_default(),
        jwt_info: input.jwt_info().map(Text::owned),
        oauth: input.oauth().map(Text::owned),
    })
}

fn reach(input: input::RegisterAgent<'_>) -> Result<Reach, RpcError> {
    Ok(match input.reach() {
        "server" => Reach::Server {
            address: input.address()?.owned(),
            host_key: input.host_key()?.owned(),
        },
        _ => Reach::Client,
    })
}

fn need(input: input::FormTeamNeed<'_>) -> Result<Need, RpcError> {
    let content = input.content()?;
    Ok(Need {
        name: input.name()?.owned(),
        criteria: criteria!(input),
        content: Content::parse([content.as_str()])
            .map_err(|cause| error::of_sections(&cause, content.leaf()))?,
        optional: input.optional(),
    })
}
