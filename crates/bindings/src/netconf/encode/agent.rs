//! `/agent`, and the profile as it stands in the registry too (draft §5.1).

use super::reader::Reader;
use crate::netconf::output::{self, Parent as _};
use ::netconf::data::write;
use ::netconf::filter::Projection;
use domain::profile::{AuthenticationMethod, Capability, Profile, Skill};
use domain::registry::Registration;

impl Reader<'_> {
    pub(super) fn write_agent(&self, projection: &Projection<'_>, out: &mut Vec<u8>) {
        let own = self.own_agent();
        let registrations = self.platform.engine.registrations();
        if let Some(found) = registrations.iter().find(|r| r.profile.name == own) {
            let agent = profile(output::Agent::default(), &found.profile);
            write(&agent.written(), projection, out);
        }
    }
}

/// A profile as the element `<agent>`, to be checked against the schema before it is taken on.
pub fn agent_xml(of: &Profile) -> String {
    let mut out = Vec::with_capacity(2_048);
    let agent = profile(output::Agent::default(), of);
    write(&agent.written(), &Projection::everything(), &mut out);
    String::from_utf8(out).expect("nodes are written from strings")
}

/// Adds a profile, the name first, in the order of the module.
fn profile<'a>(node: output::Agent<'a>, profile: &'a Profile) -> output::Agent<'a> {
    let skills = |node: output::Skills<'a>, all: &'a Vec<Skill>| node.skill(all, skill);
    let methods = |node: output::Authentication<'a>, all: &'a Vec<AuthenticationMethod>| {
        node.authentication_methods(all, method)
    };
    node.name(&profile.name)
        .alias(profile.alias.as_ref())
        .description(&profile.description)
        .r#type(profile.agent_type.as_ref())
        .skills(Some(&profile.skills), skills)
        .version(&profile.version)
        .provider(&profile.provider)
        .domain(profile.domain.as_ref())
        .capability(Some(&profile.capability), capability)
        .management_object(profile.management_object.as_ref())
        .authentication(Some(&profile.authentication), methods)
}

/// Adds what `/registry/agent` says: the profile, and what the platform observed.
pub(super) fn registered<'a>(
    node: output::RegistryAgent<'a>,
    of: &'a Registration,
    endpoint: Option<String>,
) -> output::RegistryAgent<'a> {
    let detailed = |s: &&Skill| !s.examples.is_empty() || !s.schemas.is_empty();
    let skills = of.profile.skills.iter().filter(detailed);
    let note = (!of.health_note.is_empty()).then_some(&of.health_note);
    node.like(&*of.profile, profile)
        .observed(Some(endpoint), |node, endpoint| {
            node.online(!of.expired)
                .reach(of.reach.as_str())
                .registered_at(of.registered_at)
                .renewed_at(of.renewed_at)
                .lease_until(of.lease_until())
                .health(of.health.as_str())
                .health_note(note)
                .endpoint(endpoint)
                .layer(of.profile.layer.as_str())
                .province(of.profile.province.as_ref())
                .skill_detail(skills, |node, skill| {
                    node.skill_name(&skill.name)
                        .example(&skill.examples)
                        .schema(&skill.schemas)
                })
        })
}

fn capability<'a>(node: output::Capability<'a>, of: &'a Capability) -> output::Capability<'a> {
    node.streaming(of.streaming)
        .push_notifications(of.push_notifications)
        .negotiate(of.negotiate.as_ref())
}

fn skill<'a>(node: output::Skill<'a>, skill: &'a Skill) -> output::Skill<'a> {
    node.skill_name(&skill.name)
        .skill_description(&skill.description)
        .skill_tags(&skill.tags)
        .input_modes(&skill.input_modes)
        .output_modes(&skill.output_modes)
}

fn method<'a>(
    node: output::AuthenticationMethods<'a>,
    method: &'a AuthenticationMethod,
) -> output::AuthenticationMethods<'a> {
    node.accessinfo_id(&method.id)
        .scheme(&method.scheme)
        .jwt_info(method.jwt_info.as_ref())
        .oauth(method.oauth.as_ref())
}
