//! A team: places, who was asked, who takes part, which gaps are left (draft §4.1).

use super::negotiation::refusals;
use ::netconf::data::{Defaulted, Node};
use domain::discovery::Criteria;
use domain::team::{Candidate, Need, Team};

/// Adds all of a team, its task first.
pub(in crate::netconf) fn filled<'a>(node: Node<'a>, team: &'a Team) -> Node<'a> {
    node.leaf("task-id", team.task.as_str())
        .leaf("publisher", &team.publisher)
        .list("need", 1, &team.needs, |node, place| {
            let member = team.member(&place.name);
            need(node, place).leaf_opt("member", member.map(|m| &m.agent))
        })
        .list("candidate", 2, &team.candidates, candidate)
        .leaf_list("gap", team.gaps().map(|gap| &gap.name))
        .leaf("complete", team.is_complete())
        .leaf("formed-at", team.formed_at.to_string())
        .leaf("changed-at", team.changed_at.to_string())
        .leaf("team-version", team.version)
}

fn need<'a>(node: Node<'a>, need: &'a Need) -> Node<'a> {
    let like_default = match need.optional {
        true => Defaulted::No,
        false => Defaulted::Explicit,
    };
    criteria(node.leaf("name", &need.name), &need.criteria)
        .leaf("content", need.content.render())
        .leaf_defaulted("optional", need.optional, like_default)
}

fn criteria<'a>(node: Node<'a>, criteria: &'a Criteria) -> Node<'a> {
    node.leaf_opt("skill", criteria.skill.as_ref())
        .leaf_list("tag", &criteria.tags)
        .leaf_opt("input-mode", criteria.input_mode.as_ref())
        .leaf_opt("output-mode", criteria.output_mode.as_ref())
        .leaf_opt("domain", criteria.domain.as_ref())
        .leaf_opt("management-object", criteria.management_object.as_ref())
        .leaf_opt("schema", criteria.schema.as_ref())
        .leaf_opt("text", criteria.text.as_ref())
}

fn candidate<'a>(node: Node<'a>, candidate: &'a Candidate) -> Node<'a> {
    let node = node
        .leaf("need", &candidate.need)
        .leaf("agent", &candidate.agent)
        .leaf("score", candidate.score)
        .leaf("standing", candidate.standing.as_str());
    refusals(node, &candidate.reasons)
}
