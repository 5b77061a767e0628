//! `/agent`, and the profile as it stands in the registry too (draft §5.1).

use super::Reader;
use crate::netconf::AGENT_NAMESPACE;
use ::netconf::data::{Node, write};
use ::netconf::filter::Projection;
use domain::profile::{AuthenticationMethod, Profile, Skill};
use domain::registry::Registration;

impl Reader<'_> {
    pub(super) fn write_agent(&self, projection: &Projection<'_>, out: &mut Vec<u8>) {
        let own = self.own_agent();
        let registrations = self.platform.engine.registrations();
        if let Some(found) = registrations.iter().find(|r| r.profile.name == own) {
            let agent = Node::container(AGENT_NAMESPACE, "agent").state();
            write(&profile(agent, &found.profile), projection, out);
        }
    }
}

/// A profile as the element `<agent>`, to be checked against the schema before it is taken on.
pub fn agent_xml(of: &Profile) -> String {
    let mut out = Vec::with_capacity(2_048);
    let agent = Node::container(AGENT_NAMESPACE, "agent").state();
    write(&profile(agent, of), &Projection::everything(), &mut out);
    String::from_utf8(out).expect("nodes are written from strings")
}

/// Adds the leaves of a profile, the name first, in the order of the module.
pub(super) fn profile<'a>(node: Node<'a>, profile: &'a Profile) -> Node<'a> {
    let skills = Node::container("", "skills").list("skill", 1, &profile.skills, skill);
    let capability = Node::container("", "capability")
        .leaf("streaming", profile.capability.streaming)
        .leaf("push-notifications", profile.capability.push_notifications)
        .leaf_opt("negotiate", profile.capability.negotiate.as_ref());
    let authentication = Node::container("", "authentication").list(
        "authentication-methods",
        1,
        &profile.authentication,
        method,
    );
    node.leaf("name", &profile.name)
        .leaf_opt("alias", profile.alias.as_ref())
        .leaf("description", &profile.description)
        .leaf_opt("type", profile.agent_type.as_ref())
        .with(skills)
        .leaf("version", &profile.version)
        .leaf("provider", &profile.provider)
        .leaf_opt("domain", profile.domain.as_ref())
        .with(capability)
        .leaf_opt("management-object", profile.management_object.as_ref())
        .with(authentication)
}

/// An entry of `/registry/agent`: the profile, and what the platform observed.
pub(super) fn registered<'a>(of: &'a Registration, endpoint: Option<String>) -> Node<'a> {
    let detailed = |s: &&Skill| !s.examples.is_empty() || !s.schemas.is_empty();
    let skills = of.profile.skills.iter().filter(detailed);
    let note = (!of.health_note.is_empty()).then_some(&of.health_note);
    let observed = Node::container("", "observed")
        .leaf("online", !of.expired)
        .leaf("reach", of.reach.as_str())
        .leaf("registered-at", of.registered_at.to_string())
        .leaf("renewed-at", of.renewed_at.to_string())
        .leaf_opt("lease-until", of.lease_until().map(|t| t.to_string()))
        .leaf("health", of.health.as_str())
        .leaf_opt("health-note", note)
        .leaf_opt("endpoint", endpoint)
        .leaf("layer", of.profile.layer.as_str())
        .leaf_opt("province", of.profile.province.clone())
        .list("skill-detail", 1, skills, |node, skill| {
            node.leaf("skill-name", &skill.name)
                .leaf_list("example", &skill.examples)
                .leaf_list("schema", &skill.schemas)
        });
    profile(Node::entry("", "agent", 1), &of.profile).with(observed)
}

fn skill<'a>(node: Node<'a>, skill: &'a Skill) -> Node<'a> {
    node.leaf("skill-name", &skill.name)
        .leaf("skill-description", &skill.description)
        .leaf_list("skill-tags", &skill.tags)
        .leaf_list("input-modes", &skill.input_modes)
        .leaf_list("output-modes", &skill.output_modes)
}

fn method<'a>(node: Node<'a>, method: &'a AuthenticationMethod) -> Node<'a> {
    node.leaf("accessinfo-id", &method.id)
        .leaf("scheme", &method.scheme)
        .leaf_opt("jwtInfo", method.jwt_info.as_ref())
        .leaf_opt("oauth", method.oauth.as_ref())
}
