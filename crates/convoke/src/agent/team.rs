//! `convoke agent team`: forms the team of a task, and reports unfilled needs.

use super::criteria;
use crate::cli::{Common, Criteria, Team};
use crate::output::{self, Failure, line};
use crate::remote::{REGISTRY, call, connect, named, text, texts, to_json};
use domain::content::Content;
use netconf::data::Node;
use netconf::xml::XmlElement;
use serde_json::json;

/// A need of the team, as typed on the command line.
#[derive(Debug, Default)]
struct Need {
    name: String,
    criteria: Criteria,
    /// The work of the member.
    work: Option<String>,
    optional: bool,
}

impl Need {
    /// Parses `NAME:KEY=VALUE,…`; a comma that is not followed by a key belongs to the value.
    fn parse(typed: &str) -> Result<Self, Failure> {
        let (name, rest) = typed.split_once(':').unwrap_or((typed, ""));
        let mut need = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        let mut pieces: Vec<String> = Vec::new();
        for piece in rest.split(',').filter(|p| !p.is_empty()) {
            let begins = piece
                .split_once('=')
                .is_some_and(|(key, _)| KEYS.contains(&key));
            match pieces.last_mut() {
                Some(last) if !begins && piece != "optional" => {
                    last.push(',');
                    last.push_str(piece);
                }
                _ => pieces.push(piece.to_owned()),
            }
        }
        for piece in pieces {
            need.take(&piece).ok_or_else(|| {
                Failure::usage(format!(
                    "--need {typed}: '{piece}' is none of {}, optional",
                    KEYS.join("=, ") + "="
                ))
            })?;
        }
        Ok(need)
    }

    fn take(&mut self, piece: &str) -> Option<()> {
        let Some((key, value)) = piece.split_once('=') else {
            self.optional = piece == "optional";
            return self.optional.then_some(());
        };
        let value = value.to_owned();
        let criteria = &mut self.criteria;
        match key {
            "tag" => criteria.tag.push(value),
            "skill" => criteria.skill = Some(value),
            "input" => criteria.input = Some(value),
            "output" => criteria.output = Some(value),
            "domain" => criteria.domain = Some(value),
            "object" => criteria.object = Some(value),
            "schema" => criteria.schema = Some(value),
            "text" => criteria.text = Some(value),
            "do" => self.work = Some(value),
            _ => return None,
        }
        Some(())
    }

    fn node(&self, team: &Team) -> Node<'_> {
        let work = self.work.clone();
        let work = work.unwrap_or_else(|| format!("take part in {} as {}", team.task, self.name));
        let content = Content::new(team.target.clone(), work).render();
        criteria(
            Node::container("", "need").leaf("name", &self.name),
            &self.criteria,
        )
        .leaf("content", content)
        .leaf_opt("optional", self.optional.then_some(true))
    }
}

const KEYS: [&str; 9] = [
    "skill", "tag", "input", "output", "domain", "object", "schema", "text", "do",
];

pub(super) async fn run(common: &Common, team: Team) -> Result<(), Failure> {
    let needs = team.need.iter().map(|typed| Need::parse(typed));
    let needs: Vec<Need> = needs.collect::<Result<_, _>>()?;
    let mut client = connect(common, &team.remote).await?;
    let rpc = Node::container(REGISTRY, "form-team")
        .leaf("task-id", &team.task)
        .with_all(needs.iter().map(|need| need.node(&team)));
    let reply = call(&mut client, &rpc).await?;
    let formed = reply.body().find(|e| e.name() == "team");
    let formed = formed.ok_or_else(|| Failure::failed("the platform told of no team"))?;
    if common.json {
        output::json(&json!({ "event": "team", "team": to_json(formed) }));
    } else {
        show(formed);
    }
    Ok(())
}

/// Prints the needs with their members, and the agents that were asked.
fn show(team: XmlElement<'_>) {
    let mut rows = Vec::new();
    let gaps = texts(team, "gap");
    for need in named(team, "need") {
        let name = text(need, "name");
        let candidates = named(team, "candidate").filter(|c| text(*c, "need") == name);
        let asked: Vec<String> = candidates
            .map(|c| {
                let why = named(c, "refusal").map(|r| text(r, "message"));
                let why = why.collect::<Vec<_>>().join("; ");
                let why = if why.is_empty() {
                    why
                } else {
                    format!(" ({why})")
                };
                format!("{} {}{why}", text(c, "agent"), text(c, "standing"))
            })
            .collect();
        let member = match text(need, "member") {
            member if !member.is_empty() => member,
            _ if gaps.contains(&name) => "GAP".to_owned(),
            _ if text(need, "optional") == "true" => "nobody (optional)".to_owned(),
            _ => "asked".to_owned(),
        };
        rows.push(vec![name, member, asked.join(", ")]);
    }
    line(&output::table(&["NEED", "MEMBER", "ASKED"], &rows));
    line(match (text(team, "complete").as_str(), gaps.is_empty()) {
        ("true", _) => "the team is complete",
        (_, true) => "the team waits for answers",
        (_, false) => "the team has gaps",
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_need_is_read_with_commas_in_its_values() {
        let need =
            Need::parse("ip:skill=diagnose,tag=a,tag=b,do=look, then tell,optional").unwrap();
        assert_eq!(need.name, "ip");
        assert_eq!(need.criteria.skill.as_deref(), Some("diagnose"));
        assert_eq!(need.criteria.tag, ["a", "b"]);
        assert_eq!(need.work.as_deref(), Some("look, then tell"));
        assert!(need.optional);
        assert_eq!(Need::parse("any").unwrap().name, "any");
        assert!(Need::parse("ip:colour=red").is_err());
    }
}
