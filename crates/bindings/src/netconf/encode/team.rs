//! A team: places, who was asked, who takes part, which gaps are left (draft §4.1).

use super::negotiation::refusal;
use crate::netconf::output;
use domain::team::{Candidate, Need, Team};

/// Adds all of a team, its task first.
pub(in crate::netconf) fn filled<'a>(node: output::Team<'a>, team: &'a Team) -> output::Team<'a> {
    node.task_id(team.task.as_str())
        .publisher(&team.publisher)
        .need(&team.needs, |node, place| {
            let member = team.member(&place.name);
            need(node, place).member(member.map(|m| &m.agent))
        })
        .candidate(&team.candidates, candidate)
        .gap(team.gaps().map(|gap| &gap.name))
        .complete(team.is_complete())
        .formed_at(team.formed_at)
        .changed_at(team.changed_at)
        .team_version(team.version)
}

fn need<'a>(node: output::Need<'a>, need: &'a Need) -> output::Need<'a> {
    let criteria = &need.criteria;
    node.name(&need.name)
        .skill(criteria.skill.as_ref())
        .tag(&criteria.tags)
        .input_mode(criteria.input_mode.as_ref())
        .output_mode(criteria.output_mode.as_ref())
        .domain(criteria.domain.as_ref())
        .management_object(criteria.management_object.as_ref())
        .schema(criteria.schema.as_ref())
        .text(criteria.text.as_ref())
        .content(need.content.render())
        .optional(need.optional)
}

fn candidate<'a>(node: output::Candidate<'a>, candidate: &'a Candidate) -> output::Candidate<'a> {
    node.need(&candidate.need)
        .agent(&candidate.agent)
        .score(candidate.score)
        .standing(candidate.standing.as_str())
        .refusal(&candidate.reasons, refusal)
}
